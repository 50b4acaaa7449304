// Cases of verify. Classic scenes of granular matter and masonry.
#include "verify/cases.h"
#include "verify/granular.h"

const MrnVerifyCase mrn_cases_grains[] = {
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
         "a million are allowed, to a tolerance of 1e-14."},
};
const size_t mrn_cases_grains_count = sizeof mrn_cases_grains / sizeof *mrn_cases_grains;
