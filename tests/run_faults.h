// What the tests of the run file share: faults in the middle of a write, a clock that can be set, runs read back whole.
//
// A program that includes this takes the place of pwrite, ftruncate and the clock, so that a run can be killed after
// any number of bytes and commits come after the same steps every time.
#ifndef MRN_TESTS_RUN_FAULTS_H
#define MRN_TESTS_RUN_FAULTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants those first
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_world.h"

static int64_t bytes_left = -1; // until the fault; < 0: never
static bool fault_is_kill;      // else the disk is full
static int64_t bytes_written;
static double clock_rate = -1; // s per look at the clock; < 0: the real clock

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t position) {
    if (bytes_left >= 0 && (int64_t)size > bytes_left) {
        if (bytes_left > 0) syscall(SYS_pwrite64, descriptor, data, (size_t)bytes_left, position);
        if (fault_is_kill) raise(SIGKILL);
        ssize_t part = (ssize_t)bytes_left;
        bytes_left = 0;
        if (part > 0) return part;
        errno = ENOSPC;
        return -1;
    }
    if (bytes_left > 0) bytes_left -= (int64_t)size;
    bytes_written += (int64_t)size;
    return syscall(SYS_pwrite64, descriptor, data, size, position);
}

// A cut of the file counts as one byte, so that runs are killed before and after it too.
int ftruncate(int descriptor, off_t length) {
    if (bytes_left == 0 && fault_is_kill) raise(SIGKILL);
    if (bytes_left > 0 && fault_is_kill) bytes_left--;
    bytes_written++;
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

int fdatasync(int descriptor) {
    (void)descriptor;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static double time;
    if (clock_rate < 0) return (int)syscall(SYS_clock_gettime, clock, now);
    time += clock_rate;
    *now = (struct timespec){(time_t)time, (long)(1e9 * fmod(time, 1))};
    return 0;
}

// HDF5 itself loses some memory when it refuses a damaged file.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

// Helpers

static char directory[256], run_path[300], other_path[300];

static MrnScene *scene_of(const char *text) {
    return mrn_scene_parse(text, "fake.yaml", NULL, 0, NULL, 0, NULL);
}

static MrnRunSummary run_scene(const char *text, const char *path) {
    MrnError error = {0};
    MrnRunOptions options = mrn_run_defaults();
    MrnRunSummary summary;
    options.output = path;
    MrnScene *scene = scene_of(text);
    bool fine = mrn_run(scene, &options, &summary, &error);
    mrn_scene_free(scene);
    if (!fine) fail_msg("%s", error.message);
    return summary;
}

static MrnRunSummary resume_run(const char *path, double until) {
    MrnError error = {0};
    MrnRunOptions options = mrn_run_defaults();
    MrnRunSummary summary;
    options.until = until;
    if (!mrn_resume(path, &options, &summary, &error)) fail_msg("%s", error.message);
    return summary;
}

/// Everything a reader can get out of a run file.
typedef struct Record {
    size_t step_count, frame_count;
    MrnStepInfo *steps;
    MrnFrame *frames;
} Record;

static bool read_record(const char *path, Record *record, MrnError *error) {
    *record = (Record){0};
    MrnRunFile *file = mrn_run_file_open(path, error);
    if (!file) return false;
    record->step_count = mrn_run_file_step_count(file);
    record->steps = calloc(record->step_count + 1, sizeof *record->steps);
    bool fine = mrn_run_file_steps(file, 0, record->step_count, record->steps, error);
    size_t frames = mrn_run_file_frame_count(file);
    record->frames = calloc(frames + 1, sizeof *record->frames);
    for (size_t i = 0; i < frames && fine; i++) {
        fine = mrn_run_file_frame(file, i, &record->frames[i], error);
        if (fine) record->frame_count++;
    }
    mrn_run_file_close(file);
    return fine;
}

static void free_record(Record *record) {
    for (size_t i = 0; i < record->frame_count; i++) mrn_frame_free(&record->frames[i]);
    free(record->frames);
    free(record->steps);
    *record = (Record){0};
}

static Record must_read(const char *path) {
    Record record;
    MrnError error = {0};
    if (!read_record(path, &record, &error)) fail_msg("%s", error.message);
    return record;
}

static bool same_step(const MrnStepInfo *a, const MrnStepInfo *b) {
    bool same = true;
#define X(type, name, unit, text)                                                                                      \
    if (strncmp(#name, "seconds", 7) != 0 && memcmp(&a->name, &b->name, sizeof a->name) != 0) same = false;
    MRN_STEP_FIELDS(X)
#undef X
    return same;
}

static bool same_frame(const MrnFrame *a, const MrnFrame *b, size_t dimension) {
    size_t bodies = a->body_count, rotation = dimension == 2 ? 1 : 4, spin = dimension == 2 ? 1 : 3;
    if (a->time != b->time || a->step != b->step || bodies != b->body_count || a->contact_count != b->contact_count)
        return false;
    return memcmp(a->position, b->position, bodies * dimension * 8) == 0 &&
           memcmp(a->rotation, b->rotation, bodies * rotation * 8) == 0 &&
           memcmp(a->velocity, b->velocity, bodies * dimension * 8) == 0 &&
           memcmp(a->spin, b->spin, bodies * spin * 8) == 0 && memcmp(a->active, b->active, bodies) == 0 &&
           memcmp(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts) == 0;
}

/// `part` must be the beginning of `whole`, and all of it if `complete`.
static void assert_part(const Record *part, const Record *whole, bool complete, size_t dimension) {
    assert_true(part->step_count <= whole->step_count && part->frame_count <= whole->frame_count);
    if (complete) assert_true(part->step_count == whole->step_count && part->frame_count == whole->frame_count);
    for (size_t i = 0; i < part->step_count; i++) assert_true(same_step(&part->steps[i], &whole->steps[i]));
    for (size_t i = 0; i < part->frame_count; i++)
        assert_true(same_frame(&part->frames[i], &whole->frames[i], dimension));
}

static void assert_same_summary(const MrnRunSummary *a, const MrnRunSummary *b) {
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->bodies, b->bodies);
    assert_true(a->contacts_mean == b->contacts_mean && a->sweeps_mean == b->sweeps_mean);
    assert_int_equal(a->contacts_max, b->contacts_max);
    assert_true(a->residual_max == b->residual_max && a->penetration_max == b->penetration_max);
    assert_true(a->energy_start == b->energy_start && a->energy_end == b->energy_end && a->time == b->time);
    assert_int_equal(a->unsolved_steps, b->unsolved_steps);
    assert_true(a->state_hash == b->state_hash);
}

static size_t file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void write_whole(const char *path, const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static int set_up(void **state) {
    (void)state;
    bytes_left = -1;
    bytes_written = 0;
    clock_rate = -1;
    fake_step_pause = 0;
    fake_failing_step = -1;
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(directory, sizeof directory, "%s/moraine-run-XXXXXX", memory);
    if (!mkdtemp(directory)) return -1;
    snprintf(run_path, sizeof run_path, "%s/run.h5", directory);
    snprintf(other_path, sizeof other_path, "%s/other.h5", directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[400];
    bytes_left = -1;
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static bool plain_hdf5_opens(const char *path) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool fine = file >= 0;
    hid_t set = fine ? H5Dopen2(file, "steps/kinetic_energy", H5P_DEFAULT) : -1;
    if (fine && set < 0) fine = false;
    if (set >= 0) H5Dclose(set);
    if (file >= 0) H5Fclose(file);
    return fine;
}

static bool stop_at(void *context, const MrnStepInfo *info, double end_time, double wall_seconds) {
    (void)end_time, (void)wall_seconds;
    return info->step < *(int *)context;
}

#endif
