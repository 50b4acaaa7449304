// Fuzz target for the reader of run files: any bytes give an error or a run file, never a crash.
//
// The bytes become a file without a name in memory. Everything a reader can ask for is read; what the file claims to be long is
// looked at in its first and last part only, so that an input costs milliseconds.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <moraine/run.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// HDF5 itself loses some memory when it refuses a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static void read_everything(MrnRunFile *file) {
    MrnError error = {0};
    size_t frames = mrn_run_file_frame_count(file), steps = mrn_run_file_step_count(file), some = steps < 64 ? steps : 64;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int descriptor = memfd_create("run", 0);
    if (descriptor < 0) return 0;
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
        options.until = 0;
        if (!mrn_resume(path, &options, NULL, &error) && !error.message[0]) abort();
    }
    close(descriptor);
    return 0;
}
