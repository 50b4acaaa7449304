// Cases of verify. Rabatel's thesis and paper: ice floes.
#include "verify/cases.h"

const MrnVerifyCase mrn_cases_rabatel[] = {
    {.name = "V-01",
     .title = "Symmetric impact of three bodies (Bernoulli's problem)",
     .source = "Rabatel 2015, section 3.1.1, table 3.1; closed form",
     .check = mrn_case_floe_symmetry,
     .explanation = "All contacts of the group in one problem keep the symmetry, elastic or not. The bodies start "
                    "within the collision distance with the wanted angle between their centres. With friction 0.1 and "
                    "corners on the lines of centres there is a closed form too: B2 and B3 slide to the end (pi/3), "
                    "stick (pi/4) or slide back so that friction cancels (pi/6, pi/8). With flush edges the contacts "
                    "are off these lines and the result depends on the mesh, as the thesis says (it gives about 1e-2 "
                    "along y and in spin, without the coefficient of friction): no target. Two corners that face each "
                    "other across the gap of 1 mm are one contact, at either of them: so much symmetry is lost."},
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
     .explanation =
         "Explicit Euler adds g step sqrt(2 h / g) to the top of every flight: 2.2e-3 m with the step of "
         "5e-4 s that the thesis states. It reports 9e-4 m and 30 % after 300 rebounds, which is what a step "
         "of 2e-4 s gives (8.9e-4 m, 28 %); with 5e-4 s 300 rebounds make 77 % (figure T-3.9)."},
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
    {.name = "floe-breaking",
     .title = "A plate breaks above a critical speed",
     .source = "closed form: half of the energy that the contact loses is that of the crack",
     .check = mrn_case_floe_breaking,
     .explanation =
         "A pointed floe hits a plate in the middle of its side, head on or while the plate spins. Just below the "
         "critical speed the plate stays whole, just above it breaks into halves, under both steppers. Mass, momentum, "
         "angular momentum about a fixed point and kinetic energy are those of the plate; the fracture energy is part "
         "of what the contact has dissipated. The model of breaking is Moraine's own: see docs/floes.md."},
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
     .title = "Drift of a pack in the open sea: thirteen tests",
     .source = "Rabatel 2015, section 3.2.2; Rabatel et al. 2015, section 4.2",
     .check = mrn_case_open_drift,
     .slow = true,
     .explanation =
         "The substitute for the measured series: a wind that is constant for 45 h and then turns; 72 h, packs of 60 "
         "floes (published: 350 for 7.5 days; docs/floes.md has that, with the measured series and outlines). "
         "Published: packs of different concentration, boundaries and outlines take nearly the same path, the ocean "
         "layer changes "
         "it; dispersion grows, less in a periodic cell and at higher concentration (here it shrinks by 2 % in the "
         "periodic cell at 50 to 70 %); with free boundaries the concentration falls (70 to 58 %, 60 to 45 %); the "
         "slope of the share of pairs closer than r is below 2 beyond 20 m in tests 1, 2, 5, 6, 7 and 10, and beyond "
         "100 m in tests 4, 9 and 11: 60 floes lie 2.4 times as far from each other, so those are only measured."},
    {.name = "S-2-modes",
     .title = "Contacts one after the other and all at once: the same drift, the same clusters",
     .source = "Rabatel et al. 2015, section 4.2, figure 26",
     .check = mrn_case_contact_modes,
     .slow = true,
     .explanation = "60 floes at 60 %, periodic, 84 h. Published: trajectories indistinguishable at large scale, a "
                    "similar pattern of clusters. Single floes differ, because collisions amplify every difference."},
    {.name = "S-2-influences",
     .title = "What moves a floe apart from another: collisions, size, shape",
     .source = "Rabatel 2015, section 3.2.2, figures 3.26 to 3.33",
     .check = mrn_case_drift_influences,
     .slow = true,
     .explanation =
         "Published for 70 % and 350 floes: collisions 80 m (largest floe) and 220 m (smallest), size 30 m, shape 2 "
         "cm. Here 60 "
         "floes at 60 % for two days with the ocean layer. In a wind that is the same everywhere a floe alone feels "
         "its "
         "thickness, and its area through the ocean layer, not its outline: what is called size and shape here are "
         "differences of thickness and area. The ranking is what is compared."},
};
const size_t mrn_cases_rabatel_count = sizeof mrn_cases_rabatel / sizeof *mrn_cases_rabatel;
