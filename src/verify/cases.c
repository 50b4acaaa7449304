// The table of cases: the catalogue of the Contact Dynamics specification, section 14, with what a reader should know
// about each.
#include "verify/cases.h"
#include "verify/granular.h"

const MrnVerifyCase mrn_case_table[] = {
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
         "0.2 ms, every one solved to a scaled residual of 1e-3. Grains are laid on the lowest of 10 verticals; the "
         "ground is a saturated paving whose sizes keep their distribution, which has fewer and larger grains than "
         "the reference paving, hence fewer contacts with the ground. Rows without a published number are measured. "
         "At this size the first ring has a dozen contacts and the dip of the pressure at the centre cannot be told "
         "from noise; that the middle presses less than its weight, because the talus carries the rest, can."},
    {.name = "T-P9",
     .title = "The stress in a pile depends on how it was made: point source and rain",
     .source = "Moreau 2003, sections 8.2 and 9.1",
     .check = mrn_case_preparation,
     .slow = true,
     .explanation = "1 000 grains on the same ground, laid near the axis or rained on a disc of 4 cm."},
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
    {.name = "A1",
     .title = "Head-on collision of two discs, four local methods",
     .source = "Cherkaoui, section 3.4.1, tables 9 to 15; conservation of momentum and energy",
     .check = mrn_case_head_on,
     .explanation = "The published errors are 1e-13 to 1e-11 m/s. In configuration 3 the printed labels exchange the "
                    "two discs: only with the big disc moving at -0.9977 m/s are the printed energies found."},
    {.name = "A2",
     .title = "Free fall and rebounds of a disc, four local methods",
     .source = "Cherkaoui, section 3.4.2; closed form of the bounces",
     .check = mrn_case_rebounds,
     .explanation =
         "A contact is found at a mid-step, so that every bounce is late or early by up to a step. The sweep "
         "counts of the augmented Lagrangian depend on its step and tolerance, of which the text gives one; "
         "with rho = m/h and 1e-8 N they are lower than the published 68 to 78."},
    {.name = "A3",
     .title = "Column of five discs at rest, four local methods",
     .source = "Cherkaoui, section 3.4.3, tables 17 to 19; weights",
     .check = mrn_case_column,
     .explanation = "The published relative errors are 1.8e-9 to 2.7e-9; they come from the stopping test."},
    {.name = "A4",
     .title = "81 discs with random velocities in a box, four local methods",
     .source = "Cherkaoui, section 3.4.4, tables 20 and 21",
     .check = mrn_case_box_of_discs,
     .explanation = "Random velocities scaled to the published energy. Elastic shocks keep it to rounding."},
    {.name = "F1",
     .title = "A steel ball slips, then rolls on a belt: sweep counts of four local methods",
     .source = "Cherkaoui, section 3.5.1, tables 22 and 23; closed form",
     .check = mrn_case_belt,
     .explanation = "The published counts are found exactly: active sets 2 and 3, augmented Lagrangian 20 and 20, "
                    "bipotential 2 and 2."},
    {.name = "F2",
     .title = "A steel ball in a fixed drum",
     .source = "Cherkaoui, section 3.5.2, table 24; integration of the equation of motion",
     .check = mrn_case_fixed_drum,
     .explanation =
         "The wall turns under the ball from step to step, which costs a little energy: the drift is of second "
         "order in the step, 1.6e-6 of the energy in 4.5 s at the published step."},
    {.name = "F3",
     .title = "Sedimentation of 100 grains of two sizes: sweeps of four local methods",
     .source = "Cherkaoui, section 3.5.3, tables 25 to 27",
     .check = mrn_case_sedimentation,
     .slow = true,
     .explanation =
         "Places, velocities and the step of the projections are not published, so totals differ: here the bed "
         "is dense for most of the second, and the augmented Lagrangian has the best step for each contact, "
         "which brings it closer to the active set than the published factor 4.8. Contacts act when bodies "
         "overlap at mid-step, so impacts leave overlaps of the order of speed times step."},
    {.name = "F4",
     .title = "100 steel balls in a drum at 40 rpm: slope and sweeps of four local methods",
     .source = "Cherkaoui, section 3.5.4, tables 28 and 29; experiment of Maione et al. 2015: 26 degrees",
     .check = mrn_case_steel_drum,
     .slow = true,
     .explanation = "The slope is the turn of the mass centre about the axis of the drum."},
    {.name = "LCP",
     .title = "Four complementarity solvers on problems of known solution",
     .source = "Nineb; specification of solvers, section 5.8",
     .check = mrn_case_lcp_units,
     .explanation = ""},
    {.name = "T7-T8",
     .title = "One step of discs at rest in a box, by Gauss-Seidel, LATIN and conjugate gradients",
     .source = "Nineb, section 4.1.6, table 4.4",
     .check = mrn_case_samples,
     .explanation =
         "LATIN needs the fewest iterations here too, where the thesis found conjugate gradients faster: with the "
         "change of the friction bounds these stop short of 1e-6."},
    {.name = "D1",
     .title = "Rebound of one grain, springs beside Contact Dynamics",
     .source = "Cherkaoui 2021, section 4.3.1.1, Tables 30 and 31; closed form",
     .check = mrn_case_dem_rebound,
     .explanation =
         "The thesis gives the springs a restitution of 0.59 and had to tune Contact Dynamics to 0.46 to match. A "
         "spring with a dashpot of 2 |ln e| sqrt(m k) / sqrt(pi^2 + ln^2 e) returns its input exactly, so the dashpot "
         "of the thesis must have been stronger than nominal (sqrt(2) times would give 0.469); its printed sub-steps "
         "are those of 0.46 too. Here both engines have 0.46. Masses are those of spheres: the printed masses, rho pi "
         "r^2, do not fit the printed sub-steps. A Hertz contact returns its input with sqrt(5) in place of 2."},
    {.name = "D2",
     .title = "One grain slips, then rolls in a turning drum",
     .source = "Cherkaoui 2021, section 4.3.1.2, Tables 32 and 33; closed form for a sphere",
     .check = mrn_case_dem_roll,
     .explanation = "The thesis shows curves only, in which the engines coincide; the numbers are those of a sphere "
                    "that slips until its surface has the speed of the wall and then swings about the bottom."},
    {.name = "D3",
     .title = "400 grains in a turning drum, springs beside Contact Dynamics",
     .source = "Cherkaoui 2021, section 4.3.2, Tables 34 and 35",
     .check = mrn_case_dem_drum,
     .slow = true,
     .explanation =
         "The printed sub-step, 3.8e-6 s, is that of k_n = 1e5 N/m; with the printed 1e3 N/m a collision takes ten "
         "times longer. Both stiffnesses run here with the sub-step that fits them, Contact Dynamics with 0.1 ms (the "
         "thesis: 0.01 ms) and the restitution of the springs."},
    {.name = "V-01",
     .title = "Symmetric impact of three bodies (Bernoulli's problem)",
     .source = "Rabatel 2015, section 3.1.1, table 3.1; closed form",
     .check = mrn_case_floe_symmetry,
     .explanation = "All contacts of the group in one problem keep the symmetry, elastic or not. The bodies start "
                    "within the collision distance with the wanted angle between their centres."},
    {.name = "V-02",
     .title = "A pushed box on a floor: Coulomb's threshold",
     .source = "Rabatel 2015, section 3.1.1; closed form",
     .check = mrn_case_floe_box,
     .explanation = "The step is 2 ms; places differ from the closed form by what one step of the push is worth."},
    {.name = "V-03",
     .title = "Newton's cradle with three balls, both modes",
     .source = "Rabatel 2015, section 3.1.1; closed form",
     .check = mrn_case_floe_cradle,
     .explanation =
         "All contacts at once disperse the shock as far as they can; one after the other they carry it through."},
    {.name = "V-04",
     .title = "Newton's cannon",
     .source = "Rabatel 2015, section 3.1.1; closed form",
     .check = mrn_case_floe_cannon,
     .explanation = "The balls are 32-gons with the masses of discs. The impact comes half a collision distance early, "
                    "0.5 mm of a fall of 1 m."},
    {.name = "V-05",
     .title = "A bouncing ball passes its accumulation point",
     .source = "Rabatel 2015, section 3.1.1; closed form",
     .check = mrn_case_floe_bounces,
     .explanation = "Impacts happen within the collision distance of 1 mm; the explicit scheme adds a little height to "
                    "every flight."},
    {.name = "V-06",
     .title = "Growth of the energy of an elastic ball",
     .source = "Rabatel 2015, section 3.1.1; specification of floes, V-06",
     .check = mrn_case_floe_elastic_ball,
     .explanation = "Explicit Euler adds g step sqrt(2 h / g) to the top of every flight; the thesis reports 9e-4 m, "
                    "the scheme as stated gives 2.2e-3 m."},
    {.name = "V-07",
     .title = "A long cradle keeps its shock",
     .source = "Rabatel 2015, section 3.1.1, figure 3.10",
     .check = mrn_case_floe_long_cradle,
     .explanation = "Error of the last ball against the line 1.1e-16 n of the thesis."},
    {.name = "V-08",
     .title = "Contact frames and notions of collision",
     .source = "Rabatel 2015, section 2.1.3, figures 2.8, 2.16-2.18; specification of floes 2.3.6",
     .check = mrn_case_floe_frames,
     .explanation = ""},
    {.name = "V-09",
     .title = "One frictional impact on an obstacle",
     .source = "specification of floes, V-09; closed form",
     .check = mrn_case_floe_friction,
     .explanation = ""},
    {.name = "V-10",
     .title = "The energy fallback",
     .source = "specification of floes, V-10; closed form",
     .check = mrn_case_floe_energy_fallback,
     .explanation = "With friction bounded by the extra impulse alone, as the text says literally, this impact would "
                    "multiply its energy by 7; Newton's law takes over."},
    {.name = "V-11",
     .title = "How often Lemke's method needs help",
     .source = "Rabatel 2015, section 2.1.4",
     .check = mrn_case_floe_lcp,
     .explanation = "Random groups of 10 to 24 contacts with mass ratios to 10^4, both phases. Whatever Lemke leaves "
                    "is solved by sweeps."},
    {.name = "floe-stability",
     .title = "Limits of explicit steps under drag",
     .source = "Rabatel 2015, section 2.1.2, figures 2.3-2.6; specification of floes 4.3",
     .check = mrn_case_floe_stability,
     .explanation =
         "For 1 m of ice. The thesis states 28.8 s for the extreme range; its printed formula gives 33.4 s."},
    {.name = "V-12",
     .title = "Free drift: the characteristic velocity",
     .source = "Rabatel 2015, section 3.1.2; exact solution",
     .check = mrn_case_floe_free_drift,
     .explanation = "The tolerance is what explicit steps of 20 ms are worth; the thesis takes 0.5 ms."},
    {.name = "V-13",
     .title = "Turning angle, with and without the ocean layer",
     .source = "Rabatel 2015, section 3.1.2: 17 and 28 degrees; specification of floes, V-13",
     .check = mrn_case_floe_turning,
     .explanation = "Published numbers are of a point floe with explicit steps of 10 s."},
    {.name = "V-14",
     .title = "Inertial oscillations with the ocean layer",
     .source = "Rabatel 2015, section 3.1.2, figure 3.13; specification of floes, V-14",
     .check = mrn_case_floe_inertial,
     .explanation = "Winds turn along the shorter arc. The tolerance is the rounding of the published places, 6 m on "
                    "tracks of 45 km."},
    {.name = "PT-11",
     .title = "The 3-point rule and polar interpolation (PT-11, PT-12)",
     .source = "specification of floes 4.1; closed form",
     .check = mrn_case_floe_quadrature,
     .explanation = ""},
    {.name = "floe-pack",
     .title = "Packs of floes: sizes, concentration, shapes",
     .source = "Rabatel 2015, sections 1.3 and 2.3, figure 2.28; specification of floes 4.8",
     .check = mrn_case_floe_pack,
     .explanation =
         "Instead of a compaction by collisions, outlines grow in the cells of a Laguerre diagram; sizes keep "
         "their ratios and are multiplied by one number. The thesis reaches about 85 %."},
    {.name = "V-15",
     .title = "The basin experiment: collisions of two wooden discs",
     .source = "Rabatel 2015, section 3.1.3, table 3.2",
     .check = mrn_case_floe_basin,
     .explanation = "Each simulated row of the table with the normal and the restitution that it implies (the printed "
                    "0.35 fits row 6 only)."},
    {.name = "PT-1",
     .title = "Random impacts obey the theorems (PT-1 to PT-6)",
     .source = "Rabatel 2015, section 1.1.2; properties",
     .check = mrn_case_floe_impact_properties,
     .explanation = "3000 impacts of 2 to 4 bodies with up to 12 contacts, friction and restitution in [0, 1] per "
                    "contact, mass ratios to 10^4, with and without obstacles."},
    {.name = "PT-7",
     .title = "Frontal shocks obey Newton's complementarity",
     .source = "Rabatel 2015, proposition 1.1.9; property",
     .check = mrn_case_floe_frontal,
     .explanation = ""},
    {.name = "PT-8",
     .title = "Discs, separation and bounds in time (PT-8 to PT-10)",
     .source = "Rabatel 2015, propositions 2.1.1 to 2.1.3; brute force",
     .check = mrn_case_floe_discs,
     .explanation = "Star-shaped outlines of 3 to 40 corners, sizes over a factor 30. The bound in time is checked at "
                    "ten moments of every flight."},
    {.name = "PT-13",
     .title = "A periodic plane does not care where its cell is",
     .source = "Rabatel 2015, section 2.1.6; property",
     .check = mrn_case_floe_periodic,
     .explanation = "Collisions amplify rounding, which differs between the two places: the runs are compared after a "
                    "few collisions per floe."},
    {.name = "drum-repose",
     .title = "Slope of the bed in a drum of steel balls",
     .source = "experiment of Maione et al. 2015, quoted by Cherkaoui: 26 degrees",
     .scene = "drum_of_steel",
     .explanation = "100 equal discs in a plane drum give 23 degrees, whatever the seed; 200 smaller ones 22.4. The "
                    "experiment is in space, between end plates that rub. The slope oscillates by 3 degrees as "
                    "avalanches come and go; the tolerance is that and one degree for reading the experiment. The "
                    "surface is bent: its middle is flatter than the line from wall to wall that is compared."},
    {.name = "silo",
     .title = "Beverloo's law: discharge of a silo in the plane",
     .source = "Beverloo, Leniger and van de Velde 1961; exponent 3/2 in the plane",
     .check = mrn_case_beverloo,
     .slow = true,
     .explanation = "The rate grows as (D - k d)^(3/2) with k = 1.4, the value of Beverloo et al.; published k lie "
                    "between 1.2 and 1.6, which changes the exponent found by 0.1, and single rates of a few hundred "
                    "grains scatter by 5 %. The rate does not depend on the level, unlike that of a liquid."},
    {.name = "silo-3d",
     .title = "Beverloo's law: discharge of a silo in space",
     .source = "Beverloo, Leniger and van de Velde 1961; exponent 5/2 in space",
     .check = mrn_case_beverloo_3d,
     .slow = true,
     .explanation =
         "As in the plane, with (D - 1.4 d)^(5/2). The silo is small, 15 grains wide with 2000 grains: at the "
         "largest outlet, six tenths of its width, the rate falls by a quarter while it empties."},
    {.name = "column-collapse",
     .title = "Run-out of a collapsing column",
     .source = "Staron and Hinch 2005 (discs, Contact Dynamics): exponents 1 and 0.7; Lajeunesse et al. 2005, Lube et "
               "al. 2005 (experiments in channels): 1 and 2/3",
     .check = mrn_case_column_collapse,
     .slow = true,
     .explanation = "Run-out over half width against the ratio of height to half width: proportional for low columns, "
                    "a weaker power for high ones. The number of grains is the same, so high columns are few grains "
                    "wide: the front is then a matter of single grains, and exponents are known to 0.15."},
    {.name = "biaxial",
     .title = "Friction of a packing against that of its grains",
     .source = "da Cruz et al. 2005 (discs in plane shear): 0.11 without friction, 0.26 from mu = 0.4 on",
     .check = mrn_case_biaxial,
     .explanation =
         "125 discs between smooth plates. Stresses from the moment tensors within the sample agree with "
         "the forces on its walls. sin phi of the packing stands against the shear over normal stress of plane "
         "shear, the same when the normal stresses are equal. Samples of this size scatter: three seeds give 0.07 to "
         "0.14 "
         "without friction and 0.24 to 0.27 with 0.4."},
    {.name = "vibrated-layer",
     .title = "A vibrated layer bounces as one inelastic ball",
     .source = "closed form: Mehta and Luck 1990, Melo, Umbanhowar and Swinney 1995",
     .check = mrn_case_vibrated_layer,
     .explanation = "Four layers of discs without restitution leave the plate above an acceleration of g; up to "
                    "sqrt(1 + pi^2) g they land before the next take-off, up to sqrt(4 + pi^2) = 3.72 g they fly for "
                    "exactly one period, then the period doubles. Times are those of a completely inelastic ball."},
    {.name = "arch-limit",
     .title = "Least thickness of a semicircular arch",
     .source = "Milankovitch 1907; Heyman 1995: 0.1075 of the mean radius",
     .check = mrn_case_arch,
     .explanation = "The line of thrust gives the limit for any number of blocks; with many it is Milankovitch's. With "
                    "31, hinges can open only at joints, which lowers it. The simulated arch falls where the line of "
                    "thrust says."},
    {.name = "wall-overturning",
     .title = "A brick wall pushed out of its plane",
     .source = "closed form: a horizontal load of t/H times the weight",
     .scene = "wall_out_of_plane",
     .check = mrn_case_wall,
     .explanation = "Bricks in running bond without mortar turn about the toe as one block, since every higher joint "
                    "carries a lower part."},
    {.name = "pinched-capsule",
     .title = "Dry friction holds without creep",
     .source = "closed form",
     .scene = "pinched_capsule",
     .check = mrn_case_pinched_capsule,
     .explanation =
         "A capsule held between wall and plate by friction at 1 + 10^-9 of the limit does not move; below the "
         "limit it falls with the exact acceleration. The closer to the limit, the more sweeps the first step "
         "needs, which has nothing to start from: 10000 are not enough at 10^-9 and leave 7e-9 m/s in that step; up to "
         "a "
         "million are allowed, to a tolerance of 1e-14."},
    {.name = "S-1",
     .title = "Floes drift into a narrow channel: five tests, three seeds each",
     .source = "Rabatel 2015, section 3.2.1, table 3.3; Rabatel et al. 2015, section 4.1",
     .check = mrn_case_floe_channel,
     .slow = true,
     .explanation =
         "The walls and the initial places are only in figures: converging walls and a pack above them are used "
         "here. Whether a pack jams is chaotic, and depends on where its largest floe comes to lie; the share of "
         "the ice that is still above the mouth is given as a mean over seeds. The thesis shows one run of each "
         "test: tests 1, 2 and 5 jam, 3 and 4 do not."},
    {.name = "S-2",
     .title = "Drift of a pack in the open sea",
     .source = "Rabatel 2015, section 3.2.2; Rabatel et al. 2015, section 4.2",
     .check = mrn_case_open_drift,
     .slow = true,
     .explanation =
         "The measured wind and current are not public; the substitute is constant for two days. Packs of 120 "
         "floes disperse, the concentration in a box that follows them falls (published: 60 to 45 %), and "
         "packs of different concentration take nearly the same path."},
    {.name = "S-2-influences",
     .title = "What moves a floe apart from another: collisions, size, shape",
     .source = "Rabatel 2015, section 3.2.2, figures 3.26 to 3.33",
     .check = mrn_case_drift_influences,
     .slow = true,
     .explanation =
         "Published for 70 % and 350 floes: collisions 80 m (largest floe) and 220 m (smallest), size 30 m, "
         "shape 2 cm. Here 60 floes at 60 % for two days. In a wind that is the same everywhere a floe alone does not "
         "feel its size or its shape, only its thickness, which is random: the published 30 m, and ours, come "
         "from that. The pack spreads, so that collisions become rare, and floes in it stay closer to floes alone "
         "than in the thesis."},
};
const size_t mrn_case_table_count = sizeof mrn_case_table / sizeof *mrn_case_table;
