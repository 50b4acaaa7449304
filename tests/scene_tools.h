// What the tests of scenes share.
#ifndef SCENE_TOOLS_H
#define SCENE_TOOLS_H

#include "base/hash.h"
#include "step/stepper.h"
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
    const double numbers[] = {scheme->threads, scene->duration, scene->output_interval, scene->checkpoint_interval};
    hash = mrn_hash_bytes(hash ^ mrn_scheme_hash(scheme), numbers, sizeof numbers);
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
