// Floes beside another program and measured data: what `moraine verify` cannot run by itself, because the data are not
// part of the project. docs/floes.md has the commands.
#include "verify/verify.h"

const char mrn_floe_notes[] =
    "\n## Floes beside FloeDyn and measured series\n\n"
    "**The pack of 100 floes that FloeDyn ships** (`bench/floedyn DATA`; table in [floes.md](floes.md)): FloeDyn's own "
    "167 frames of 10 000 s beside ours. The spread about the mass centre agrees to 0.25 % at all times, the mass "
    "centre takes the same path, 145 m against 160 m at the end, and the kinetic energy is 2 % lower after 15 min and "
    "26 % "
    "lower at the end. The differences are those of the forcing, which FloeDyn does not store with its frames:\n\n"
    "- wind and Coriolis parameter are a fit to floes of its frames that touch no other (a wind that grows as t and "
    "turns by 15 degrees an hour); the true wind grows a little faster in the last hour, where most of the difference "
    "of paths and energies comes from;\n"
    "- in the first half hour, when there is still hardly any wind, FloeDyn's moving floes lose 5 % less energy than "
    "the drag coefficients of the thesis give; each of its floes carries a coefficient of its own in the file, "
    "about 0.005;\n"
    "- collisions are chaotic: single floes part after some tens of collisions, sums over the pack do not.\n\n"
    "**The week of the drift study with the measured hourly wind and current and outlines from aerial images** "
    "(commands "
    "and numbers in [floes.md](floes.md)): the pack goes west for two days and turns before day 3, as published; the "
    "dispersion grows, falls at the change of the forcing before day 3, and grows again, as published; the slope of "
    "the "
    "share of pairs closer than r is below 2 from 100 m on. Different: the pack moves at up to 0.41 m/s (published: "
    "below "
    "0.3 m/s), because the ocean layer takes up the wind; the sizes follow a power law with exponent 2.7, not 1.35, "
    "because the published number, largest area and concentration exclude 1.35.\n";
