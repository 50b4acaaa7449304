// One number for all settings that change results, so that a run is only resumed with the settings it was made with.
#include "base/hash.h"
#include "step/stepper.h"

#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text) {
    return mrn_hash_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

static uint64_t dem_hash(uint64_t hash, const MrnDemSettings *dem) {
    const double numbers[] = {dem->model,         dem->integrator,    dem->normal_stiffness,      dem->stiffness_ratio,
                              dem->damping_ratio, dem->young_modulus, dem->poisson_ratio,         dem->restitution,
                              dem->step,          dem->impact_speed,  dem->substeps_per_collision};
    hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
    for (size_t i = 0; i < dem->pair_count; i++) {
        const MrnDemPair *pair = &dem->pairs[i];
        const double row[] = {pair->material_a, pair->material_b, pair->normal_stiffness, pair->restitution};
        hash = mrn_hash_bytes(hash, row, sizeof row);
    }
    for (size_t i = 0; i < dem->material_count; i++) {
        const MrnDemMaterial *material = &dem->materials[i];
        const double row[] = {material->material, material->young_modulus, material->poisson_ratio};
        hash = mrn_hash_bytes(hash, row, sizeof row);
    }
    return hash;
}

static uint64_t event_driven_hash(uint64_t hash, const MrnEventDrivenSettings *s) {
    const double numbers[] = {s->contacts,
                              s->stepping,
                              s->bound,
                              s->pair_distance,
                              s->collision_distance,
                              s->clearance,
                              s->cone_tolerance,
                              s->cone_filter,
                              s->span,
                              s->belt_directions,
                              s->approach_rate,
                              s->lcp_tolerance,
                              s->energy_tolerance,
                              s->relaxed_energy_tolerance,
                              s->variants,
                              s->perturbations,
                              s->quick_sweeps,
                              s->dense_limit,
                              s->friction_by_extra,
                              s->together_after,
                              s->max_rounds};
    return mrn_hash_bytes(hash, numbers, sizeof numbers);
}

uint64_t mrn_scheme_hash(const MrnScheme *scheme) {
    const double numbers[] = {scheme->time_step,        scheme->theta,
                              scheme->activation,       scheme->gap_tolerance,
                              scheme->recovery,         scheme->recovery_speed,
                              scheme->warm_start,       scheme->keep_memory,
                              scheme->solver.tolerance, scheme->solver.max_iterations,
                              scheme->solver.time_limit};
    uint64_t hash = mrn_hash_bytes(1, numbers, sizeof numbers);
    hash = hash_text(hash, scheme->stepper);
    hash = hash_text(hash, scheme->solver.solver);
    hash = hash_text(hash, scheme->solver.options);
    hash = event_driven_hash(dem_hash(hash, &scheme->dem), &scheme->event_driven);
    const MrnBreakingSettings *breaking = &scheme->breaking;
    if (breaking->energy == 0) return hash;
    const double limits[] = {breaking->energy, breaking->smallest, breaking->angle, breaking->memory,
                             breaking->material};
    return mrn_hash_bytes(hash, limits, sizeof limits);
}
