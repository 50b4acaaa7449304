// The section `dem` of a scene: smooth contacts.
#include "io/scene_build.h"

#include <math.h>
#include <string.h>

static double or_else(double value, double otherwise) {
    return isnan(value) ? otherwise : value;
}

/// The two materials of a pair; false with an error.
static bool find_pair(MrnSceneBuilder *builder, const MrnDemPairSpec *spec, int pair[2]) {
    const MrnYaml *between = mrn_yaml_child(spec->node, "between");
    if (spec->between.count != 2)
        return mrn_yaml_fail(between, NULL, builder->error, "found %zu name%s, wanted 2 materials", spec->between.count,
                             spec->between.count == 1 ? "" : "s");
    for (int k = 0; k < 2; k++)
        if ((pair[k] = mrn_build_material(builder, between->children[k], spec->between.items[k])) < 0) return false;
    return true;
}

static bool build_pairs(MrnSceneBuilder *builder, const MrnDemSpec *spec, MrnDemSettings *settings) {
    MrnDemPair *pairs = mrn_alloc_zero(spec->pairs.count + 1, sizeof *pairs);
    settings->pairs = pairs;
    for (size_t i = 0; i < spec->pairs.count; i++) {
        const MrnDemPairSpec *item = &spec->pairs.items[i];
        int found[2] = {-1, -1};
        if (!find_pair(builder, item, found)) return false;
        if (!isnan(item->normal_stiffness) && settings->model != MRN_DEM_LINEAR)
            return mrn_yaml_fail(mrn_yaml_at(item->node, "normal_stiffness"), NULL, builder->error,
                                 "a normal stiffness is of the linear force; Hertz forces take it from young_modulus "
                                 "and poisson_ratio");
        for (size_t j = 0; j < i; j++)
            if ((pairs[j].material_a == found[0] && pairs[j].material_b == found[1]) ||
                (pairs[j].material_a == found[1] && pairs[j].material_b == found[0]))
                return mrn_yaml_fail(mrn_yaml_child(item->node, "between"), NULL, builder->error,
                                     "two entries between \"%.100s\" and \"%.100s\"", item->between.items[0],
                                     item->between.items[1]);
        pairs[settings->pair_count++] = (MrnDemPair){.material_a = found[0],
                                                     .material_b = found[1],
                                                     .normal_stiffness = or_else(item->normal_stiffness, 0),
                                                     .restitution = or_else(item->restitution, -1)};
    }
    return true;
}

static bool build_materials(MrnSceneBuilder *builder, const MrnDemSpec *spec, MrnDemSettings *settings) {
    MrnDemMaterial *materials = mrn_alloc_zero(spec->materials.count + 1, sizeof *materials);
    settings->materials = materials;
    for (size_t i = 0; i < spec->materials.count; i++) {
        const MrnDemMaterialSpec *item = &spec->materials.items[i];
        if (settings->model == MRN_DEM_LINEAR)
            return mrn_yaml_fail(mrn_yaml_at(item->node, "young_modulus"), NULL, builder->error,
                                 "a Young modulus is of the Hertz forces; the linear one takes normal_stiffness");
        int material = mrn_build_material(builder, item->node, item->material);
        if (material < 0) return false;
        for (size_t j = 0; j < i; j++)
            if (materials[j].material == material)
                return mrn_yaml_fail(mrn_yaml_at(item->node, "material"), NULL, builder->error,
                                     "two entries for material \"%.100s\"", item->material);
        materials[settings->material_count++] = (MrnDemMaterial){material, item->young_modulus, item->poisson_ratio};
    }
    return true;
}

bool mrn_build_dem(MrnSceneBuilder *builder, MrnDemSettings *settings) {
    const MrnDemSpec *spec = builder->root->dem;
    settings->model = (MrnDemModel)spec->force; // in the order of the choices
    settings->integrator = (MrnDemIntegrator)spec->integrator;
    bool hertz = settings->model != MRN_DEM_LINEAR;
    if (!isnan(spec->normal_stiffness) && (!isnan(spec->young_modulus) || !isnan(spec->poisson_ratio)))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "normal_stiffness"), NULL, builder->error,
                             "found both normal_stiffness and young_modulus or poisson_ratio, wanted one kind: the "
                             "first for the linear force, the others for Hertz forces");
    if (hertz && !isnan(spec->normal_stiffness))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "normal_stiffness"), NULL, builder->error,
                             "a normal stiffness is of the linear force; Hertz forces take young_modulus and "
                             "poisson_ratio");
    if (!hertz && (!isnan(spec->young_modulus) || !isnan(spec->poisson_ratio)))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, isnan(spec->young_modulus) ? "poisson_ratio" : "young_modulus"),
                             NULL, builder->error,
                             "young_modulus and poisson_ratio are of the Hertz forces; the linear one takes "
                             "normal_stiffness");
    if (hertz && isnan(spec->young_modulus) && !spec->materials.count)
        return mrn_yaml_fail(spec->node, NULL, builder->error, "missing key \"young_modulus\": Hertz forces need it");
    settings->normal_stiffness = or_else(spec->normal_stiffness, 0);
    settings->stiffness_ratio = spec->stiffness_ratio;
    settings->damping_ratio = spec->damping_ratio;
    settings->young_modulus = or_else(spec->young_modulus, 0);
    settings->poisson_ratio = or_else(spec->poisson_ratio, 0.25);
    settings->restitution = or_else(spec->restitution, -1);
    settings->substeps_per_collision = spec->substeps_per_collision;
    settings->step = or_else(spec->step, 0);
    settings->impact_speed = or_else(spec->impact_speed, 0);
    return build_pairs(builder, spec, settings) && build_materials(builder, spec, settings);
}
