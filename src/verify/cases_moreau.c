// Cases of verify. Moreau 2003: the catalogue of the Contact Dynamics specification, section 14.
#include "verify/cases.h"

const MrnVerifyCase mrn_cases_moreau[] = {
    {.name = "T-K1",
     .title = "Viability of an inequality imposed through velocities",
     .source = "Moreau 2003, section 2.1; Viability Lemma",
     .check = mrn_case_viability,
     .explanation =
         "Random smooth moving sets in space, and a velocity that wanders within the admissible ones. Started "
         "inside, the point never leaves by more than the rate times one step; started outside, the violation "
         "does not grow by more than that."},
    {.name = "T-K2",
     .title = "A point swept by a moving disc: the tractrix",
     .source = "Moreau 2003, sections 2.2-2.4; tractrix in closed form, reference computation of both schemes",
     .check = mrn_case_tractrix,
     .explanation = "The sweeping process has an exact solution here. Catching-up (implicit) never violates the "
                    "constraint; the explicit scheme does, by as much as its error. Both are of first order."},
    {.name = "T-K3",
     .title = "Two swept points never move apart",
     .source = "Moreau 2003, section 2.3; non-expansion for convex sets",
     .check = mrn_case_non_expansion,
     .explanation =
         "In a moving disc, and in a moving triangle where two of three inequalities are active in a corner."},
    {.name = "T-K4",
     .title = "Rate independence of the sweeping process",
     .source = "Moreau 2003, section 2.3; closed form",
     .check = mrn_case_rate_independence,
     .explanation = "The implicit scheme sees only the sequence of sets, so other time labels give the same bits. The "
                    "explicit scheme agrees in the limit."},
    {.name = "T-K5",
     .title = "The lazy selector is a complementarity problem",
     .source = "Moreau 2003, section 2.5; equations 9 and 10",
     .check = mrn_case_complementarity,
     .explanation = ""},
    {.name = "T-K6",
     .title = "Trickle of water in a cavity",
     .source = "Moreau 2003, section 2.6; closed form",
     .check = mrn_case_trickle,
     .explanation =
         "Time runs downwards: the trickle falls, follows the wall where it faces upward, and detaches at the "
         "lip of an overhang."},
    {.name = "T-D1",
     .title = "Free fall is exact for any step",
     .source = "Moreau 2003, section 7.1; specification 7.2",
     .check = mrn_case_free_fall,
     .explanation = ""},
    {.name = "T-D2",
     .title = "A disc in a groove",
     .source = "Moreau 2003, section 4.2; closed form",
     .check = mrn_case_groove,
     .explanation = "Two frictionless faces share the weight; the reaction lies in the cone of the normals."},
    {.name = "T-D3",
     .title = "A bead in a ring: curvature through changing normals",
     .source = "Moreau 2003, section 4.3, remark 2; reference scheme and its exact invariants",
     .scene = "bead_in_ring",
     .check = mrn_case_ring,
     .explanation = "The scheme knows normals, not curvature. It keeps angular momentum exactly, and the radius at mid-"
                    "steps grows as r'^2 = r^2 + h^2 v^2. The largest overlap of the reference is that at the end of a "
                    "step."},
    {.name = "T-D4",
     .title = "Delassus: the contacts that open are not those with an alarm",
     .source = "Moreau 2003, section 1.1; complementarity by hand",
     .check = mrn_case_delassus,
     .explanation = "With all contacts held, 2 and 3 pull; yet 1 and 3 open. The complementarity problem and a step of "
                    "the scheme agree."},
    {.name = "T-D5",
     .title = "Gauss-Seidel solves the quadratic programme",
     .source = "Moreau 2003, sections 4.3 and 7.2; property",
     .check = mrn_case_quadratic_programme,
     .explanation = "Without friction the end velocity is the projection of the free one in the kinetic metric. Three "
                    "methods give the same velocities; in a hyperstatic problem impulses differ, velocities do not."},
    {.name = "T-D6",
     .title = "The gradient of the gap is the transposed Jacobian of the normal",
     .source = "Moreau 2003, equation 23; finite differences",
     .check = mrn_case_jacobian,
     .explanation =
         "For every pair of shapes that can meet. Points whose features change within the difference are left "
         "out; the number in the row says how many were compared. The bound is ten times the rounding of "
         "central differences with a step of 1e-6; only the cylinder in a funnel, whose closest point is found"
         " by iteration, has a wider one."},
    {.name = "T-L1",
     .title = "Laws of prospective type",
     .source = "Moreau 2003, sections 4.1 and 4.2; property",
     .check = mrn_case_prospective,
     .explanation = ""},
    {.name = "T-L2",
     .title = "The bipotential is never negative, and zero on solutions",
     .source = "Moreau 2003, section 5.2; property",
     .check = mrn_case_bipotential,
     .explanation = ""},
    {.name = "T-L3",
     .title = "Solutions of one contact",
     .source = "specification 8.2, reference values",
     .check = mrn_case_local_table,
     .explanation = ""},
    {.name = "T-L4",
     .title = "Variants of Gauss-Seidel have the same fixed points",
     .source = "Moreau 2003, section 7.2; property",
     .check = mrn_case_variants,
     .explanation = "Full Delassus block, a multiple of it, a number instead, and a random order in every cycle."},
    {.name = "T-F1",
     .title = "Discs and a ball on a slope",
     .source = "Moreau 2003, section 7; closed form",
     .scene = "disc_on_incline",
     .check = mrn_case_incline,
     .explanation =
         "The scheme is exact for uniformly accelerated rolling and slipping, whatever the step; the threshold"
         " between them is where Coulomb's law puts it."},
    {.name = "T-F2",
     .title = "A block slides to rest",
     .source = "closed form",
     .scene = "sliding_block",
     .check = mrn_case_sliding_block,
     .explanation = ""},
    {.name = "T-W1",
     .title = "A disc and a ball on a conveyor",
     .source = "Moreau 2003, section 3.2; closed form",
     .scene = "conveyor",
     .check = mrn_case_conveyor,
     .explanation = ""},
    {.name = "T-W2",
     .title = "A grain stuck to a turning drum",
     .source = "Moreau 2003, section 3.2, equation 12; property",
     .scene = "grain_in_drum",
     .check = mrn_case_drum,
     .explanation = ""},
    {.name = "T-W3",
     .title = "A ball on a vibrated plate",
     .source = "closed form; reference scheme",
     .scene = "vibrated_plate",
     .check = mrn_case_vibrated_plate,
     .explanation =
         "Before take-off the scheme leaves the decelerating plate by up to 0.021 h: without a gap tolerance "
         "the contact flickers. The landing times of the reference are those of tolerance zero. Take-off is "
         "seen one to two steps late: the scheme compares velocities of the plate at two mid-steps."},
    {.name = "T-F5",
     .title = "Frictional paroxysm of a rod (Painleve)",
     .source = "Moreau 2003, sections 1.1 and 6.4; closed form of the limit; reference scheme",
     .scene = "painleve_rod",
     .check = mrn_case_painleve,
     .explanation = "Above the critical friction no acceleration solves the equations; the velocity jumps without a "
                    "collision. The step returns an impulse that stays finite as h goes to 0."},
    {.name = "T-C1",
     .title = "Newton's formula for two bodies",
     .source = "Moreau 2003, section 6.2; closed form",
     .check = mrn_case_newton_limit,
     .explanation = ""},
    {.name = "T-C2",
     .title = "Three-parameter law of collision",
     .source = "Moreau 2003, section 6.2; closed form",
     .check = mrn_case_three_parameters,
     .explanation = ""},
    {.name = "T-C3",
     .title = "A ball hits two touching balls",
     .source = "Moreau 2003, sections 6.1 and 6.2; closed form",
     .scene = "three_balls",
     .check = mrn_case_collective,
     .explanation = "All contacts of the cluster react in one solve. This is not Newton's cradle."},
    {.name = "T-C4",
     .title = "A bouncing ball and the resolving power of the scheme",
     .source = "Moreau 2003, section 7.1, remark 2; closed form; reference scheme",
     .scene = "bouncing_ball",
     .check = mrn_case_bounces,
     .explanation =
         "Bounces shorter than a step are absorbed. With restitution 1/2 the velocity left at rest turns and "
         "halves in every step; the reference calls it zero at 1e-12 m/s."},
    {.name = "T-C5",
     .title = "The rocking block",
     .source = "Moreau 2003, section 6.2; closed form",
     .scene = "rocking_block",
     .check = mrn_case_rocking,
     .explanation =
         "The specification gives 1 - sqrt(1 - r^(2n) (1 - (1 - theta/alpha)^2)) for the peaks: that is the "
         "linearised motion (0.3864 for the first). Energy of the finite angle, cos(alpha - theta) - "
         "cos(alpha), multiplied by r^2 at each impact, gives 0.38671, 0.30640, 0.24606, 0.19931, 0.16241, "
         "0.13292, to which this scheme converges with first order; the event-driven integration of T-X2 "
         "agrees. Peaks of the reference scheme at h = 1e-4 s are matched within what one step of gravity at "
         "each impact can change: from the third on, where an impact falls within a step decides the fourth "
         "digit."},
    {.name = "T-C6",
     .title = "Micro-time integration and the algebraic law commute",
     .source = "Moreau 2003, section 6.1; property",
     .check = mrn_case_darboux,
     .explanation = "For one contact with a diagonal Delassus block the direction of sliding does not turn, so the "
                    "average obeys the law."},
    {.name = "T-C7",
     .title = "A rod gains energy when rho and tau differ",
     .source = "Moreau 2003, section 6.2; closed form",
     .scene = "rod_impact",
     .check = mrn_case_rod_impact,
     .explanation =
         "Restitution is not a theory of impact for elongated bodies. The step reports a negative dissipated "
         "energy when it happens; equal coefficients never gain."},
    {.name = "T-I1",
     .title = "The bar between converging walls",
     .source = "Moreau 2003, section 8.1, figure 1; closed form",
     .scene = "bar_between_walls",
     .check = mrn_case_bar,
     .explanation = "Same position, same velocity, two evolutions: it depends on the remembered contact forces whether "
                    "the bar stays."},
    {.name = "T-I2",
     .title = "Exploring solutions from random starts",
     .source = "Moreau 2003, section 8.2; reference computation",
     .check = mrn_case_random_starts,
     .explanation = ""},
    {.name = "T-I3",
     .title = "Exploring solutions by the scan order",
     .source = "Moreau 2003, section 8.2; reference computation",
     .check = mrn_case_scan_orders,
     .explanation =
         "Orders that are cyclically equal give different results: the first contact visited sees the guess."},
    {.name = "T-I4",
     .title = "Contact forces belong to the state",
     .source = "Moreau 2003, section 8.2; property",
     .check = mrn_case_history,
     .explanation = ""},
    {.name = "T-P0",
     .title = "The numbers of the conical pile agree with each other",
     .source = "Moreau 2003, section 9.2; arithmetic",
     .check = mrn_case_pile_numbers,
     .explanation = ""},
    {.name = "T-P11",
     .title = "Conical pile of 3 000 grains: slope, fossil layers, cuts, pressure on the ground (T-P1 to T-P8, T-P10)",
     .source = "Moreau 2003, sections 9.2 and 9.3; reference computation with 3 000 grains, one seed",
     .check = mrn_case_conical_pile,
     .slow = true,
     .explanation =
         "The scene `gallery:pile` with 3 000 grains: 200 per second for 15 s, two seconds of rest, 85 000 steps of "
         "0.2 ms, all of them solved to a scaled residual of 1e-3. Grains are laid on the lowest of "
         "10 verticals; the ground is a saturated paving whose sizes keep their distribution, which has fewer and "
         "larger grains than the reference paving, hence fewer contacts with the ground. Rows without a published "
         "number are measured. The run takes 10 minutes of processor time. Slopes while it grows are means over "
         "looks half a second apart, which differ by a degree; the summit, pointed while grains fall on it, rounds "
         "off, so relaxation is judged outside it, where the talus stands at 26 degrees from 2 000 grains on. Of the "
         "fossil layer a half stops within half the base radius (0.52 and 0.53 with two seeds), twice as many as in "
         "an even coat; later it is pushed down and outwards, and 5 % are left within 1.2 cm of the axis at the end. "
         "The dip of the pressure at the centre is not established at this size: the pile of the scene ends with 133 "
         "Pa on the innermost disc, which has 18 contacts, and 119, 114 and 95 Pa on the rings around it, the "
         "reference computation with 149, 115 and 113 Pa; in a pile of another seed, looked at every half second from "
         "1 200 to 2 300 grains, the innermost pressure over that of the next ring swings between 0.6 and 1.3, with a "
         "mean of 0.95 and a deviation of 0.27. Over twelve whole piles the innermost pressure over that of "
         "the third ring is 1.02 with a standard error of 0.06 (docs/measures.md). What holds in each: the "
         "middle presses with less than its weight (0.78 within 1.5 cm; 0.67 to 0.82 in the other pile "
         "while it grows), because the talus carries the rest, and with about half the hydrostatic pressure (0.54). "
         "`bench/pile_seeds` puts runs with several seeds into one table."},
    {.name = "T-P9",
     .title = "The stress in a pile depends on how it was made: point source and rain",
     .source = "Moreau 2003, sections 8.2 and 9.1",
     .check = mrn_case_preparation,
     .slow = true,
     .explanation =
         "1 000 grains on the same ground, laid near the axis or rained on a disc of 4 cm: a cone of 24 degrees whose "
         "middle presses with 0.78 of its weight, and a flat heap of 5 degrees whose middle presses with 0.98 of it. "
         "The shapes differ, so this does not show what the same shape would bear when built in another way."},
    {.name = "T-B1",
     .title = "Free rotation of a symmetric top",
     .source = "Moreau 2003, section 3.4; closed form",
     .scene = "spinning_top",
     .check = mrn_case_top,
     .explanation =
         "The gyroscopic couple is taken at the start of the step: the transverse spin grows by sqrt(1 + h^2) "
         "per step, as the specification says."},
    {.name = "T-B2",
     .title = "A full turn brings the quaternion back",
     .source = "Moreau 2003, sections 3.1 and 3.4; closed form",
     .check = mrn_case_orientation,
     .explanation = ""},
    {.name = "T-B3",
     .title = "An elastic bar against a wall",
     .source = "Moreau 2003, sections 1.1 and 3.1; wave equation",
     .check = mrn_case_elastic_bar,
     .explanation =
         "Mass operator of a theta scheme (theta = 1/2) in the assembled problem. The lumped mass of the node "
         "at the wall stops dead, so a little energy is lost that vanishes with the mesh."},
    {.name = "T-B4",
     .title = "Rolling resistance",
     .source = "Moreau 2003, section 3.3; closed form",
     .scene = "rolling_resistance",
     .check = mrn_case_rolling,
     .explanation = ""},
    {.name = "T-B5",
     .title = "Squares that meet corner to corner",
     .source = "Moreau 2003, section 3.2; property",
     .scene = "corner_to_corner",
     .check = mrn_case_corners,
     .explanation = ""},
    {.name = "T-B6",
     .title = "A wedged slider: singular Delassus block",
     .source = "Moreau 2003, section 4.2; property",
     .check = mrn_case_singular,
     .explanation = "The solve says that no solution exists; with the block regularised it gives a finite impulse."},
    {.name = "T-B7",
     .title = "Elliptic friction",
     .source = "Moreau 2003, section 5.1; closed form",
     .scene = "elliptic_friction",
     .check = mrn_case_elliptic,
     .explanation = "Sliding force and velocity are not parallel: v2 falls as the power (mu2/mu1)^2 = 9 of v1."},
    {.name = "T-X1",
     .title = "Cross-check with a smooth discrete element method",
     .source = "Moreau 2003, section 1.1; specification 12.3",
     .check = mrn_case_smooth_dem,
     .slow = true,
     .explanation = "Springs and dashpots tend to the rigid solution where it is unique, with many more steps. In the "
                    "pile they need not agree: the share of the weight on the floor is indeterminate and depends on "
                    "history."},
    {.name = "T-X2",
     .title = "Cross-check with an event-driven method",
     .source = "Moreau 2003, section 1.1; specification 12.1",
     .check = mrn_case_event_driven,
     .explanation = "Each impact is found up to a step late, which also changes the energy: the tolerance of later "
                    "impacts follows from that."},
    {.name = "T-N1",
     .title = "Discrete energy identity",
     .source = "specification 7.2",
     .check = mrn_case_energy_identity,
     .explanation = ""},
    {.name = "T-N2",
     .title = "Momentum",
     .source = "Moreau 2003, section 3.3; property",
     .check = mrn_case_momentum,
     .explanation =
         "Contacts keep linear and angular momentum to rounding. In space the explicit gyroscopic term changes"
         " the angular momentum of bodies that are not balls by O(h) over a given time."},
    {.name = "T-N3",
     .title = "Rounding and refresh",
     .source = "Moreau 2003, section 7.2; property",
     .check = mrn_case_refresh,
     .explanation = "Here a change of impulse is added to velocities of the same size, so nothing accumulates even "
                    "without refresh."},
    {.name = "T-N4",
     .title = "Warm start",
     .source = "Moreau 2003, sections 7.2 and 9.2; property",
     .check = mrn_case_warm_start,
     .explanation = ""},
    {.name = "T-N5",
     .title = "Cycles against the number of contacts",
     .source = "Moreau 2003, section 9.2; growth curve",
     .check = mrn_case_cycles,
     .explanation = "A column is the worst case: nearly quadratic growth."},
    {.name = "T-N6",
     .title = "Overlap at capture",
     .source = "specification 10, row 2",
     .check = mrn_case_capture,
     .explanation = ""},
    {.name = "T-N7",
     .title = "Order of accuracy",
     .source = "specification 14.9",
     .check = mrn_case_order_of_accuracy,
     .explanation =
         "Where an event falls within a step is random: errors are means over several starts, so the measured "
         "order scatters by a few per cent."},
    {.name = "T-N8",
     .title = "Same bits for any number of threads",
     .source = "design",
     .check = mrn_case_determinism,
     .explanation = ""},
    {.name = "T-N9",
     .title = "Memory per contact",
     .source = "Moreau 2003, section 7.2; bound 12 x 3",
     .check = mrn_case_memory,
     .explanation = ""},
};
const size_t mrn_cases_moreau_count = sizeof mrn_cases_moreau / sizeof *mrn_cases_moreau;
