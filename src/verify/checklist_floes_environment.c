// The checklist of features of the two works on floes (specification of floes, section 9): the rows about the floe
// itself, its surroundings, its forcing and the packs.
#include "verify/verify.h"

const MrnChecklistRow mrn_checklist_floes_environment[] = {
    {2, "mass, centre of mass, inertia; constant or per-element thickness", "src/model/floe_mesh.c", "test_environment",
     NULL},
    {35, "Coriolis acceleration, latitude-dependent f", "src/force/environment.c", "V-13", NULL},
    {36, "quadratic air drag", "src/force/environment.c", "V-12", NULL},
    {37, "quadratic water drag at local point velocity", "src/force/environment.c", "V-12, test_environment", NULL},
    {38, "linear-drag alternative", "src/force/environment.c", "test_environment", NULL},
    {40, "Nansen number, free drift, characteristic velocity", "src/force/environment.c", "V-12", NULL},
    {41, "slab-ocean coupling", "src/force/environment.c", "V-13, V-14", NULL},
    {42, "low-frequency current acceleration", "src/force/environment.c", "test_environment", NULL},
    {43, "external wind and current data sources", "src/io/netcdf.c", "test_netcdf", NULL},
    {44, "size distribution, caliper diameter, fractal relation", "src/geom/floe_shape.c", "floe-pack, test_pack",
     NULL},
    {45, "roundness criterion", "src/geom/floe_shape.c", "floe-pack", NULL},
    {46, "thickness and concentration criteria", "src/io/generate_pack.c", "floe-pack, test_pack", NULL},
    {47, "floe triangulation, 25 elements per floe", "src/geom/triangulate.c", "PT-11, test_environment", NULL},
    {48, "3-point Gauss quadrature, body-frame storage", "src/model/floe_mesh.c", "PT-11", NULL},
    {51, "stability criterion and limits, constant currents", "src/force/environment_stability.c", "floe-stability",
     NULL},
    {52, "stability limits, varying currents", "src/force/environment_stability.c", "floe-stability", NULL},
    {82, "discrete momentum equations", "src/force/environment.c", "V-13, V-14", NULL},
    {83, "polar shortest-arc interpolation (time, then space)", "src/force/forcing.c", "PT-11, test_netcdf", NULL},
    {84, "forcing spin-up ramp", "src/force/forcing.c", "test_environment", NULL},
    {85, "discrete ocean equation, update order", "src/force/environment.c", "V-14", NULL},
    {87, "shape library and filters", "src/io/outline_catalogue.c", "test_pack", NULL},
    {88, "four-step pack generator", "src/io/generate_pack.c", "floe-pack", NULL},
    {89, "image-derived configuration", "src/io/outline_image.c", "test_outline", NULL},
    {90, "physical and numerical parameter tables", "src/model/environment.c", "V-12, floe-stability", NULL},
    {101, "stability-limit values and pathological cases", "src/verify/floes_environment.c", "floe-stability", NULL},
    {102, "characteristic velocity", "src/verify/floes_environment.c", "V-12", NULL},
    {103, "turning angle 17 and 28 degrees", "src/verify/floes_environment.c", "V-13", NULL},
    {104, "inertial oscillations", "src/verify/floes_environment.c", "V-14", NULL},
};
const size_t mrn_checklist_floes_environment_count =
    sizeof mrn_checklist_floes_environment / sizeof *mrn_checklist_floes_environment;
