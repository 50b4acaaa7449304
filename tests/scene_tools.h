// What the tests of scenes share.
#ifndef SCENE_TOOLS_H
#define SCENE_TOOLS_H

#include "base/hash.h"
#include "io/expect.h"
#include "io/scene_files.h"
#include "io/schema.h"
#include "model/model.h"
#include <moraine/scene.h>

#define SCENE_FILE(name, text)                                                                                         \
    { (char *)(name), (char *)(text), sizeof(text) - 1 }

static inline char *read_text(const char *path) {
    size_t size;
    MrnError error = {0};
    char *text = mrn_file_contents(path, &size, &error);
    if (!text) fail_msg("%s", error.message);
    return text;
}

static inline uint64_t hash_text(uint64_t hash, const char *text) {
    return text ? mrn_hash_bytes(hash, text, strlen(text)) : mrn_hash_bytes(hash, "", 0) + 1;
}

static inline uint64_t hash_number(uint64_t hash, double number) {
    return mrn_hash_bytes(hash, &number, sizeof number);
}

/// A hash of everything that a scene says.
static inline uint64_t scene_fingerprint(const MrnScene *scene) {
    uint64_t hash = mrn_model_hash(scene->model);
    for (size_t i = 0; i < scene->model->bodies.count; i++) hash = hash_text(hash, scene->model->bodies.data[i].name);
    hash = hash_text(hash, scene->title);
    const MrnScheme *scheme = &scene->scheme;
    const double numbers[] = {scheme->time_step,
                              scheme->theta,
                              (double)scheme->activation,
                              scheme->gap_tolerance,
                              scheme->recovery,
                              scheme->recovery_speed,
                              (double)scheme->warm_start,
                              (double)scheme->keep_memory,
                              scheme->threads,
                              scheme->solver.tolerance,
                              scheme->solver.max_iterations,
                              scheme->solver.time_limit,
                              scene->duration,
                              scene->output_interval,
                              scene->checkpoint_interval};
    hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_text(hash, scheme->stepper);
    hash = hash_text(hash, scheme->solver.solver);
    hash = hash_text(hash, scheme->solver.options);
    const MrnDemSettings *dem = &scheme->dem;
    const double smooth[] = {dem->model,         dem->integrator,    dem->normal_stiffness,      dem->stiffness_ratio,
                             dem->damping_ratio, dem->young_modulus, dem->poisson_ratio,         dem->restitution,
                             dem->step,          dem->impact_speed,  dem->substeps_per_collision};
    hash = mrn_hash_bytes(hash, smooth, sizeof smooth);
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
    const MrnExpectations *expected = scene->check;
    for (size_t i = 0; expected && i < expected->count; i++) {
        const MrnExpect *item = &expected->items[i];
        hash = hash_text(hash_text(hash_text(hash_text(hash, item->name), item->quantity), item->of), item->source);
        const double values[] = {item->reduce, item->at,          item->peak,      item->level.value, item->from,
                                 item->to,     item->value.value, item->tolerance, item->relative};
        hash = mrn_hash_bytes(hash, values, sizeof values);
        hash = mrn_hash_bytes(hash, &item->level.dimension, sizeof(MrnDimension));
        hash = mrn_hash_bytes(hash, &item->value.dimension, sizeof(MrnDimension));
    }
    if (expected) hash = hash_text(hash_text(hash, expected->source), expected->note);
    return hash;
}
#endif
