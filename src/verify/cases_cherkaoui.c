// Cases of verify. Cherkaoui's thesis: active sets and smooth contacts of grains.
#include "verify/cases.h"

const MrnVerifyCase mrn_cases_cherkaoui[] = {
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
         "thesis: 0.01 ms) and the restitution of the springs. The penetration of about 1e-6 m of figure 62 is that of "
         "1e5 N/m too: on springs of 1e3 N/m a single grain sinks by 6e-6 m under its own weight, and grains under "
         "others by more. Kinetic energies are those of a bed that slips along the wall and avalanches now and then; "
         "they differ from engine to engine and from second to second by a factor of two, without a trend."},
};
const size_t mrn_cases_cherkaoui_count = sizeof mrn_cases_cherkaoui / sizeof *mrn_cases_cherkaoui;
