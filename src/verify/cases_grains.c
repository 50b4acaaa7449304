// Cases of verify. Classic scenes of granular matter and masonry.
#include "verify/cases.h"
#include "verify/granular.h"

const MrnVerifyCase mrn_cases_grains[] = {
    {.name = "drum-repose",
     .title = "Slope of the bed in a drum of steel balls",
     .source = "experiment of Maione et al. 2015, quoted by Cherkaoui: 26 degrees",
     .scene = "drum_of_steel",
     .explanation =
         "A plane drum gives less than the experiment, which is in space between end plates that rub: see "
         "drum-repose-3d. Measured slopes of the whole surface, which avalanches make swing by 3 degrees, so that "
         "means of 3 s are good to about 0.7 degrees: 23.3 (100 discs, drum of 18.5 diameters), 22.7 (200, 26 "
         "diameters), 23.5 (400, 37 diameters): no trend with the size. Friction 0.1, 0.22, 0.3, 0.4, 0.5, 0.7: 12.5, "
         "23.3, 23.9, 24.0, 25.7, 26.5 degrees; below 0.2 the bed slips along the wall. Speed 5, 10, 20, 40, 60 rpm "
         "(Froude number 0.0014 to 0.2): 17.7, 19.2, 19.9, 23.3, 26.0 degrees. Restitution 0 instead of 0.6: 23.4; "
         "tangential restitution 1, as published: 23.2; a step of 0.1 ms, as published: 22.1. So neither grains nor "
         "step nor restitution explain the missing 3 degrees, the third dimension does. The surface is bent: its "
         "middle is flatter (11 degrees) than the line from wall to wall that is compared. The tolerance is the swing "
         "and one degree."},
    {.name = "drum-repose-3d",
     .title = "Slope of 1.5 kg of steel balls in a drum in space",
     .source = "experiment of Maione et al. 2015, quoted by Cherkaoui: 26 degrees",
     .scene = "drum_of_steel_3d",
     .slow = true,
     .explanation =
         "2280 balls of 2.7 mm, friction 0.22 with each other, the wall and the end plates. Runs of 1.5 s scatter by "
         "a degree: 26.9 and 28.2 degrees for the two senses of rotation. End plates carry a part of the bed: a drum "
         "of 5 cm gives 30.5 degrees; extrapolated with 1 / length, a long drum gives about 25. The length of the "
         "experiment's drum is not known; 10 cm fill it to two fifths."},
    {.name = "silo",
     .title = "Beverloo's law: discharge of a silo in the plane",
     .source =
         "Beverloo, Leniger and van de Velde 1961, as commonly quoted; exponent 3/2 in the plane (Mankoc et al. 2007, "
         "Granular Matter 9, for both dimensions)",
     .check = mrn_case_beverloo,
     .slow = true,
     .explanation =
         "The rate grows as (D - k d)^(3/2) with k = 1.4, the value commonly quoted from Beverloo et al.; values in "
         "use lie between 1.2 and 1.6, which changes the exponent found by 0.1, and single rates of a few hundred "
         "grains scatter by 5 %. The rate does not depend on the level, unlike that of a liquid."},
    {.name = "silo-3d",
     .title = "Beverloo's law: discharge of a silo in space",
     .source =
         "Beverloo, Leniger and van de Velde 1961, as quoted by Mankoc et al. 2007, Granular Matter 9: exponent 5/2 "
         "in space",
     .check = mrn_case_beverloo_3d,
     .slow = true,
     .explanation =
         "As in the plane, with (D - 1.4 d)^(5/2). The silo is small, 15 grains wide with 2000 grains: at the largest "
         "outlet, six tenths of its width, the rate falls by a quarter while it empties."},
    {.name = "column-collapse",
     .title = "Run-out of a collapsing column",
     .source =
         "experiment with rods, truly plane (arXiv 1512.05180): 0.96 below an aspect ratio of 1.5, 0.73 above; as "
         "commonly quoted: Staron and Hinch 2005 (discs, Contact Dynamics) 1 and 0.7, Lajeunesse et al. 2005 and Lube "
         "et al. 2005 (experiments in channels) 1 and 2/3",
     .check = mrn_case_column_collapse,
     .slow = true,
     .explanation =
         "Run-out over half width against the ratio of height to half width: proportional for low columns, a weaker "
         "power for high ones. The number of grains is the same, so high columns are few grains wide: the front is "
         "then a matter of single grains, and exponents are known to 0.15."},
    {.name = "biaxial",
     .title = "Friction of a packing against that of its grains",
     .source =
         "da Cruz et al. 2005 (discs in plane shear), as commonly quoted: 0.11 without friction, 0.26 from mu = 0.4 on",
     .check = mrn_case_biaxial,
     .explanation =
         "125 discs between smooth plates. Stresses from the moment tensors within the sample agree with the forces "
         "on its walls. sin phi of the packing stands against the shear over normal stress of plane shear, the same "
         "when the normal stresses are equal. Means over strains from 15 to 30 %: packings start at different "
         "densities, a loose one contracts and is weak up to 15 % (one gave 0.12 between 4 and 15 % with friction 0.4, "
         "and 0.28 later). Even then a sample 8 to 11 grains wide has few chains of force, and sin phi swings by a "
         "quarter in time: "
         "15 packings with friction 0.4 gave 0.266, standard deviation 0.030, from 0.20 to 0.30 (at three quarters of "
         "the speed 0.275 and 0.023). The mean of 4 packings is thus known to 0.015."},
    {.name = "vibrated-layer",
     .title = "A vibrated layer bounces as one inelastic ball",
     .source = "closed form: Mehta and Luck 1990, Melo, Umbanhowar and Swinney 1995",
     .check = mrn_case_vibrated_layer,
     .explanation =
         "Four layers of discs without restitution leave the plate above an acceleration of g; up to sqrt(1 + pi^2) g "
         "they land before the next take-off, up to sqrt(4 + pi^2) = 3.72 g they fly for exactly one period, then the "
         "period doubles. Times are those of a completely inelastic ball."},
    {.name = "arch-limit",
     .title = "Least thickness of a semicircular arch",
     .source = "Milankovitch 1907; Heyman 1995: 0.1075 of the mean radius",
     .check = mrn_case_arch,
     .explanation =
         "The line of thrust gives the limit for any number of blocks; with many it is Milankovitch's. With 31, "
         "hinges can open only at joints, which lowers it. The simulated arch falls where the line of thrust says."},
    {.name = "wall-overturning",
     .title = "A brick wall pushed out of its plane",
     .source = "closed form: a horizontal load of t/H times the weight",
     .scene = "wall_out_of_plane",
     .check = mrn_case_wall,
     .explanation =
         "Bricks in running bond without mortar turn about the toe as one block, since every higher joint carries a "
         "lower part."},
    {.name = "pinched-capsule",
     .title = "Dry friction holds without creep",
     .source = "closed form",
     .scene = "pinched_capsule",
     .check = mrn_case_pinched_capsule,
     .explanation =
         "A capsule held between wall and plate by friction at 1 + 10^-9 of the limit does not move; below the limit "
         "it falls with the exact acceleration. The closer to the limit, the more sweeps the first step needs, which "
         "has nothing to start from: 10000 are not enough at 10^-9 and leave 7e-9 m/s in that step; up to a million "
         "are allowed, to a tolerance of 1e-14."},
};
const size_t mrn_cases_grains_count = sizeof mrn_cases_grains / sizeof *mrn_cases_grains;
