// The conical pile while it grows and at rest: steps per second, and where the time goes.
//
//   pour [--scene gallery/pile.yaml] [--grains 1000] [--threads 1] [--tol 1e-5] [--solver auto] [--options a=1,b=2]
//        [--steps 200] [--settle 1000] [--set PATH=VALUE]... [--state FILE] [--dump FILE]
//
// A heap of the given number of grains is laid quickly with a loose tolerance (kept in FILE if one is given), grows
// on at the rate of the scene until the flow is steady, and is measured; then the source is closed, the pile comes to
// rest, and is measured again. Times are processor times, divided by the number of threads.
#include "base/clock.h"
#include "base/memory.h"
#include "model/model.h"
#include "model/state.h"
#include "step/stepper.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const MrnError *error) {
    if (good) return;
    fprintf(stderr, "pour: %s\n", error->message);
    exit(1);
}

static size_t state_bytes(const MrnState *state) {
    size_t bytes = 0;
    for (size_t f = 0; f < mrn_state_field_count; f++)
        bytes += mrn_field_entries(&mrn_state_fields[f], state) *
                 mrn_field_width(&mrn_state_fields[f], state->dimension) * mrn_field_size(mrn_state_fields[f].type);
    return bytes;
}

/// Write a state to a file, or read it; false if the file is not there or is of another scene.
static bool transfer(const char *path, MrnState *state, bool write) {
    FILE *file = fopen(path, write ? "wb" : "rb");
    if (!file) return false;
    size_t head[2] = {state->memory_count, state_bytes(state)}, memory = state->memory_count;
    bool good = (write ? fwrite(head, sizeof head, 1, file) : fread(head, sizeof head, 1, file)) == 1;
    if (good && !write) {
        mrn_state_reserve_memory(state, head[0]);
        state->memory_count = head[0];
        good = state_bytes(state) == head[1];
        if (!good) state->memory_count = memory;
    }
    for (size_t f = 0; f < mrn_state_field_count && good; f++) {
        const MrnField *field = &mrn_state_fields[f];
        size_t count = mrn_field_entries(field, state) * mrn_field_width(field, state->dimension);
        size_t size = mrn_field_size(field->type);
        void *data = *mrn_field_data(field, state);
        good = (write ? fwrite(data, size, count, file) : fread(data, size, count, file)) == count;
    }
    fclose(file);
    return good;
}

/// Grains that are there already keep their births in the past; the others come from `time` on at `rate`, or never.
static void schedule(MrnModel *model, const MrnState *state, double time, double rate) {
    const MrnSource *source = &model->sources.data[0];
    double next = time;
    for (size_t b = source->first; b < source->first + source->count; b++)
        model->bodies.data[b].birth = state->active[b] || state->removed[b] ? 1e-9
                                      : rate > 0                            ? (next += 1 / rate)
                                                                            : 1e9;
}

static size_t grains_of(const MrnModel *model, const MrnState *state) {
    size_t count = 0;
    for (size_t b = 0; b < state->body_count; b++)
        count += model->bodies.data[b].kind == MRN_BODY_FREE && state->active[b];
    return count;
}

static void measure(MrnWorld *world, const char *what, int steps) {
    MrnStepInfo info;
    MrnError error = {0};
    double cpu = mrn_cpu_seconds(), detect = 0, assemble = 0, solve = 0, total = 0, sweeps = 0, contacts = 0, fresh = 0,
           worst = 0;
    double fastest = 0;
    int unsolved = 0;
    for (int i = 0; i < steps; i++) {
        must(mrn_world_step(world, &info, &error), &error);
        detect += info.seconds_detect, assemble += info.seconds_assemble, solve += info.seconds_solve;
        total += info.seconds_total, sweeps += (double)info.sweeps, contacts += (double)info.contacts;
        fresh += (double)info.new_contacts;
        unsolved += info.status != MRN_SOLVED;
        worst = fmax(worst, info.scaled_residual), fastest = fmax(fastest, info.max_speed);
    }
    cpu = mrn_cpu_seconds() - cpu;
    double n = steps, each = 1e3 / n;
    printf("%-8s %6zu grains %7.0f contacts, %.1f new, %7.1f sweeps  worst %.1e, %d unsolved  %8.3f ms/step: find "
           "%.3f, build "
           "%.3f, solve %.3f, rest %.3f (wall)  %.3f ms cpu  %.1f steps/s  fastest %.3f m/s\n",
           what, grains_of(mrn_world_model(world), mrn_world_state(world)), contacts / n, fresh / n, sweeps / n, worst,
           unsolved, total * each, detect * each, assemble * each, solve * each,
           (total - detect - assemble - solve) * each, cpu * each, n / total, fastest);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *scene_path = "gallery/pile.yaml", *solver = "auto", *options = NULL, *kept = NULL;
    const char *overrides[64];
    size_t override_count = 0;
    int grains = 1000, threads = 1, steps = 200, settle = 1000;
    double tolerance = 1e-5;
    for (int k = 1; k + 1 < argc; k += 2) {
        const char *value = argv[k + 1];
        if (!strcmp(argv[k], "--scene")) scene_path = value;
        if (!strcmp(argv[k], "--grains")) grains = atoi(value);
        if (!strcmp(argv[k], "--threads")) threads = atoi(value);
        if (!strcmp(argv[k], "--tol")) tolerance = atof(value);
        if (!strcmp(argv[k], "--solver")) solver = value;
        if (!strcmp(argv[k], "--options")) options = value;
        if (!strcmp(argv[k], "--steps")) steps = atoi(value);
        if (!strcmp(argv[k], "--settle")) settle = atoi(value);
        if (!strcmp(argv[k], "--state")) kept = value;
        if (!strcmp(argv[k], "--set") && override_count < 60) overrides[override_count++] = value;
    }
    char count[80];
    snprintf(count, sizeof count, "generate.grain.pour.count=%d", grains + 500);
    overrides[override_count++] = count;
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read(scene_path, overrides, override_count, &error);
    must(scene != NULL, &error);
    MrnScheme scheme = scene->scheme;
    scheme.threads = threads;

    MrnScheme quick = scheme;
    quick.time_step = 1e-3;
    quick.solver.tolerance = 1e-2;
    quick.solver.max_iterations = 100;
    quick.solver.solver = "nlgs";
    MrnWorld *world = mrn_world_new(scene->model, &quick, &error);
    must(world != NULL, &error);
    MrnState *state = mrn_world_state(world);
    if (!kept || !transfer(kept, state, false)) {
        // Laid on most of the base that a cone of 26 degrees would have: from a point, so many grains would fall in a
        // column.
        MrnSource *source = &scene->model->sources.data[0];
        double spread = source->spread, volume = grains * 3.07e-8 / 0.615;
        source->spread = 0.8 * cbrt(3 * volume / (acos(-1.0) * tan(26 * acos(-1.0) / 180)));
        schedule(scene->model, state, 0, 3 * grains);
        while (grains_of(scene->model, state) < (size_t)grains) must(mrn_world_step(world, NULL, &error), &error);
        source->spread = spread;
        schedule(scene->model, state, state->time[0], 0);
        for (int i = 0; i < 200; i++) must(mrn_world_step(world, NULL, &error), &error);
        if (kept && !transfer(kept, state, true)) fprintf(stderr, "pour: cannot write %s\n", kept);
    }
    scheme.solver.tolerance = tolerance;
    scheme.solver.solver = solver;
    scheme.solver.options = options;
    MrnWorld *measured = mrn_world_new(scene->model, &scheme, &error);
    must(measured != NULL, &error);
    mrn_state_copy(mrn_world_state(measured), state);
    mrn_world_state_changed(measured);
    schedule(scene->model, state, state->time[0], 200);
    measure(measured, "starting", settle);
    measure(measured, "flowing", steps);
    schedule(scene->model, mrn_world_state(measured), mrn_world_time(measured), 0);
    measure(measured, "stopping", 2 * settle);
    measure(measured, "at rest", steps);
    mrn_world_free(measured);
    mrn_world_free(world);
    mrn_scene_free(scene);
    return 0;
}
