// Fuzz target for the reader of run files: any bytes give an error or a run file, never a crash.
//
// Bytes that begin like a run file are one. Others are damage to a small run made here: every four bytes are a place
// (three) and the bits to turn there (one; zero: the file ends there); of long inputs a hash makes three such places.
// Everything a reader can ask for is read; what the file claims to be long is looked at in its first and last part
// only, so that an input costs milliseconds.
//
// Metadata that are wrong but carry a right checksum go to HDF5 unseen: the target stands for damage, not for malice.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/hash.h"
#include <moraine/run.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// HDF5 itself loses some memory when it refuses a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

static void read_everything(MrnRunFile *file) {
    MrnError error = {0};
    size_t frames = mrn_run_file_frame_count(file), steps = mrn_run_file_step_count(file),
           some = steps < 64 ? steps : 64;
    mrn_run_file_checkpoint_count(file);
    for (size_t i = 0; i < frames; i += i + 1 < 4 || i + 2 > frames ? 1 : frames - i - 1) {
        MrnFrame frame;
        if (mrn_run_file_frame(file, i, &frame, &error)) mrn_frame_free(&frame);
    }
    MrnStepInfo *rows = calloc(some + 1, sizeof *rows);
    if (rows) {
        mrn_run_file_steps(file, 0, some, rows, &error);
        mrn_run_file_steps(file, steps - some, some, rows, &error);
    }
    free(rows);
    MrnScene *scene = mrn_run_file_scene(file, &error);
    if (scene) mrn_scene_free(scene);
}

static const char scene_text[] = "dimension: 2\n"
                                 "gravity: [0, -9.81 m/s2]\n"
                                 "time: {step: 10 ms, end: 0.1 s, output: 20 ms}\n"
                                 "solver: {name: nlgs}\n"
                                 "materials: [{name: stone, density: 2400 kg/m2}]\n"
                                 "bodies:\n"
                                 "  - {name: ground, kind: fixed, shape: {half_plane: {}}}\n"
                                 "  - {name: disc, position: [0, 10 cm], shape: {disc: {radius: 10 cm}}}\n";

typedef struct Bytes {
    uint8_t *data;
    size_t size;
} Bytes;

/// A small run, as bytes.
static Bytes make_run(void) {
    char path[] = "/tmp/moraine-fuzz-XXXXXX";
    int descriptor = mkstemp(path);
    MrnError error = {0};
    MrnRunOptions options = mrn_run_defaults();
    options.output = path;
    MrnScene *scene = mrn_scene_parse(scene_text, "fuzz.yaml", NULL, 0, NULL, 0, &error);
    if (descriptor < 0 || !scene || !mrn_run(scene, &options, NULL, &error)) {
        fprintf(stderr, "fuzz_run: %s\n", error.message);
        abort();
    }
    mrn_scene_free(scene);
    close(descriptor);
    FILE *file = fopen(path, "rb");
    Bytes run = {malloc(1 << 20), 0};
    if (file && run.data) run.size = fread(run.data, 1, 1 << 20, file);
    if (!run.size) abort();
    fclose(file);
    unlink(path);
    return run;
}

static Bytes damaged(Bytes run, const uint8_t *data, size_t size) {
    Bytes copy = {malloc(run.size), run.size};
    memcpy(copy.data, run.data, run.size);
    uint8_t places[12];
    if (size > 64) {
        uint64_t hash = mrn_hash_bytes(1, data, size);
        for (size_t i = 0; i < sizeof places; i++) places[i] = (uint8_t)(hash = mrn_mix64(hash));
        data = places;
        size = 4 + 4 * (hash % 3);
    }
    for (size_t i = 0; i + 4 <= size && copy.size; i += 4) {
        size_t place = (data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % copy.size;
        copy.data[place] ^= data[i + 3];
        if (!data[i + 3]) copy.size = place;
    }
    return copy;
}

static void try_file(const uint8_t *data, size_t size) {
    char path[64];
    int descriptor = memfd_create("run", 0);
    if (descriptor < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    MrnError error = {0};
    if (write(descriptor, data, size) == (ssize_t)size) {
        MrnRunFile *file = mrn_run_file_open(path, &error);
        if (file) {
            read_everything(file);
            mrn_run_file_close(file);
        } else if (error.code == MRN_OK || !error.message[0]) {
            abort(); // a refusal without a reason
        }
        error = (MrnError){0};
        MrnRunOptions options = mrn_run_defaults();
        options.until = 0.11;
        if (!mrn_resume(path, &options, NULL, &error) && !error.message[0]) abort();
    }
    close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Bytes run;
    if (!run.data) run = make_run();
    if (size >= 16 && memcmp(data, run.data, 16) == 0) {
        try_file(data, size);
        return 0;
    }
    Bytes copy = damaged(run, data, size);
    try_file(copy.data, copy.size);
    free(copy.data);
    return 0;
}
