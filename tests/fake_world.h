// A world without mechanics for tests of the run file: every step mixes the whole state, so a field that a checkpoint
// forgets changes everything after it, and the number of contacts goes up and down. The scene is a line of key=value
// pairs.
//
// It takes the place of the real world and scene reader in the program that includes it.
#ifndef MRN_TESTS_FAKE_WORLD_H
#define MRN_TESTS_FAKE_WORLD_H

#include "base/error.h"
#include "base/hash.h"
#include "model/model.h"
#include "model/state.h"
#include "step/stepper.h"
#include <moraine/run.h>
#include <stdlib.h>
#include <string.h>

struct MrnWorld {
    const MrnModel *model;
    MrnScheme scheme;
    MrnState *state;
    size_t contact_count;
    size_t contacts_most;
    uint64_t seed;
    uint64_t contact_key;
};

static int64_t fake_failing_step = -1;
static unsigned fake_seconds;  // wall times differ from run to run
static double fake_step_pause; // s of real time per step

MrnWorld *mrn_world_new(const MrnModel *model, const MrnScheme *scheme, MrnError *error) {
    (void)error;
    MrnWorld *world = calloc(1, sizeof *world);
    world->model = model;
    world->scheme = *scheme;
    world->state = mrn_state_new(model);
    world->contacts_most = (size_t)model->gravity[1];
    world->seed = (uint64_t)model->gravity[0];
    return world;
}

void mrn_world_free(MrnWorld *world) {
    if (!world) return;
    mrn_state_free(world->state);
    free(world);
}

static double fake_number(uint64_t key) {
    return (double)(int64_t)mrn_mix64(key) * 0x1p-60;
}

bool mrn_world_step(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    MrnState *state = world->state;
    if (state->step[0] == fake_failing_step) return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the fake solver gave up");
    uint64_t key = mrn_state_hash(state) ^ world->seed;
    state->step[0]++;
    state->time[0] = (double)state->step[0] * world->scheme.time_step;
    state->last_time_step[0] = world->scheme.time_step;
    world->contact_count = world->contacts_most ? mrn_mix64(key) % (world->contacts_most + 1) : 0;
    mrn_state_reserve_memory(state, world->contact_count);
    state->memory_count = world->contact_count;
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        if (field->count == MRN_PER_RUN) continue;
        size_t count = mrn_field_entries(field, state) * mrn_field_width(field, state->dimension);
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = mrn_mix64(key + 1000003 * f + i);
            void *data = *mrn_field_data(field, state);
            if (field->type == MRN_FIELD_DOUBLE)
                ((double *)data)[i] = fake_number(bits);
            else if (field->type == MRN_FIELD_UINT8)
                ((uint8_t *)data)[i] = bits & 1;
            else if (field->type == MRN_FIELD_INT32)
                ((int32_t *)data)[i] = (int32_t)(bits & 0xffffff);
            else
                ((uint64_t *)data)[i] = bits;
        }
    }
    world->contact_key = mrn_mix64(key);
    *info = (MrnStepInfo){.step = state->step[0],
                          .time = state->time[0],
                          .contacts = (int64_t)world->contact_count,
                          .status = key % 7 ? MRN_SOLVED : MRN_STALLED,
                          .sweeps = (int64_t)(key % 100)};
    info->residual = fabs(fake_number(key + 1));
    info->penetration = fabs(fake_number(key + 2));
    info->kinetic_energy = fake_number(key + 3);
    info->seconds_solve = fake_seconds++;
    if (fake_step_pause > 0) nanosleep(&(struct timespec){0, (long)(1e9 * fake_step_pause)}, NULL);
    return true;
}

double mrn_world_time(const MrnWorld *world) {
    return world->state->time[0];
}
MrnState *mrn_world_state(MrnWorld *world) {
    return world->state;
}
void mrn_world_state_changed(MrnWorld *world) {
    (void)world;
}
uint64_t mrn_world_hash(const MrnWorld *world) {
    return mrn_state_hash(world->state);
}
size_t mrn_world_contact_count(const MrnWorld *world) {
    return world->contact_count;
}

MrnContactView mrn_world_contact(const MrnWorld *world, size_t index) {
    uint64_t key = world->contact_key + 100 * index;
    MrnContactView view = {.body_a = (int)(key & 0xff),
                           .body_b = (int)(key >> 8 & 0xff),
                           .feature = key,
                           .gap = fake_number(key + 1),
                           .normal_impulse = fake_number(key + 2),
                           .status = (int)(key % 3)};
    for (int i = 0; i < 3; i++) {
        view.position[i] = fake_number(key + 3 + (unsigned)i);
        view.normal[i] = fake_number(key + 6 + (unsigned)i);
        view.impulse[i] = fake_number(key + 9 + (unsigned)i);
        view.velocity[i] = fake_number(key + 12 + (unsigned)i);
    }
    return view;
}

void mrn_world_energy(const MrnWorld *world, double *kinetic, double *potential) {
    *kinetic = fake_number(mrn_state_hash(world->state));
    *potential = 1;
}

MrnProblem *mrn_world_problem(MrnWorld *world, const double **impulse, const double **velocity) {
    (void)world, (void)impulse, (void)velocity;
    return NULL; // no step of this world has a problem worth writing
}

void mrn_world_keep_guess(MrnWorld *world, bool keep) {
    (void)world, (void)keep;
}

const double *mrn_world_guess(const MrnWorld *world) {
    (void)world;
    return NULL;
}

const MrnModel *mrn_world_model(const MrnWorld *world) {
    return world->model;
}

static double fake_value(const char *text, const char *const *overrides, size_t count, const char *key,
                         double fallback) {
    size_t length = strlen(key);
    for (size_t i = 0; i < count; i++)
        if (strncmp(overrides[i], key, length) == 0 && overrides[i][length] == '=')
            return atof(overrides[i] + length + 1);
    const char *at = strstr(text, key);
    return at && at[length] == '=' ? atof(at + length + 1) : fallback;
}

MrnScene *mrn_scene_parse(const char *text, const char *name, const char *const *overrides, size_t override_count,
                          const MrnSceneFile *files, size_t file_count, MrnError *error) {
    (void)error;
    MrnScene *scene = calloc(1, sizeof *scene);
    scene->name = mrn_strdup(name);
    scene->text = mrn_strdup(text);
    scene->title = mrn_strdup("a fake");
    scene->override_count = override_count;
    scene->overrides = calloc(override_count + 1, sizeof *scene->overrides);
    for (size_t i = 0; i < override_count; i++) scene->overrides[i] = mrn_strdup(overrides[i]);
    scene->file_count = file_count;
    scene->files = calloc(file_count + 1, sizeof *scene->files);
    for (size_t i = 0; i < file_count; i++) {
        scene->files[i] = (MrnSceneFile){mrn_strdup(files[i].name), malloc(files[i].size + 1), files[i].size};
        memcpy(scene->files[i].data, files[i].data, files[i].size);
    }
    MrnModel *model = scene->model = calloc(1, sizeof *model);
#define VALUE(key, fallback) fake_value(text, overrides, override_count, key, fallback)
    model->dimension = (int)VALUE("dimension", 3);
    model->gravity[0] = VALUE("seed", 1);
    model->gravity[1] = VALUE("contacts", 5);
    mrn_array_resize(&model->bodies, (size_t)VALUE("bodies", 4));
    if (model->bodies.count) memset(model->bodies.data, 0, model->bodies.count * sizeof *model->bodies.data);
    for (size_t b = 0; b < model->bodies.count; b++) {
        static const MrnStart start;
        static const MrnLoad load;
        model->bodies.data[b].start = &start, model->bodies.data[b].load = &load;
    }
    scene->scheme = (MrnScheme){.stepper = "moreau-jean", .time_step = VALUE("step", 0.1), .theta = 0.5, .threads = 1};
    scene->duration = VALUE("duration", 4);
    scene->output_interval = VALUE("output", 0.3);
    scene->checkpoint_interval = VALUE("checkpoint", 3);
#undef VALUE
    return scene;
}

void mrn_scene_free(MrnScene *scene) {
    if (!scene) return;
    for (size_t i = 0; i < scene->override_count; i++) free(scene->overrides[i]);
    for (size_t i = 0; i < scene->file_count; i++) free(scene->files[i].name), free(scene->files[i].data);
    mrn_array_free(&scene->model->bodies);
    free(scene->model);
    free(scene->files);
    free(scene->overrides);
    free(scene->name);
    free(scene->text);
    free(scene->title);
    free(scene);
}

#endif
