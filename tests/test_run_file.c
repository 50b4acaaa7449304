// The run file: what is written is read back; a process killed at any byte leaves a file that opens and resumes to the same bits; a full
// disk, a truncated or a damaged file give an error and lose no checkpoint.
//
// The program takes the place of pwrite, ftruncate and the clock, so that a run can be killed after any number of bytes and commits come
// after the same steps every time.
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
static double clock_rate = -1;  // s per look at the clock; < 0: the real clock

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
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

// Helpers

static char directory[256], run_path[300], other_path[300];

static MrnScene *scene_of(const char *text) { return mrn_scene_parse(text, "fake.yaml", NULL, 0, NULL, 0, NULL); }

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
#define X(type, name, unit, text) \
    if (strncmp(#name, "seconds", 7) != 0 && memcmp(&a->name, &b->name, sizeof a->name) != 0) same = false;
    MRN_STEP_FIELDS(X)
#undef X
    return same;
}

static bool same_frame(const MrnFrame *a, const MrnFrame *b, size_t dimension) {
    size_t bodies = a->body_count, rotation = dimension == 2 ? 1 : 4, spin = dimension == 2 ? 1 : 3;
    if (a->time != b->time || a->step != b->step || bodies != b->body_count || a->contact_count != b->contact_count) return false;
    return memcmp(a->position, b->position, bodies * dimension * 8) == 0 && memcmp(a->rotation, b->rotation, bodies * rotation * 8) == 0 &&
           memcmp(a->velocity, b->velocity, bodies * dimension * 8) == 0 && memcmp(a->spin, b->spin, bodies * spin * 8) == 0 &&
           memcmp(a->active, b->active, bodies) == 0 && memcmp(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts) == 0;
}

/// `part` must be the beginning of `whole`, and all of it if `complete`.
static void assert_part(const Record *part, const Record *whole, bool complete, size_t dimension) {
    assert_true(part->step_count <= whole->step_count && part->frame_count <= whole->frame_count);
    if (complete) assert_true(part->step_count == whole->step_count && part->frame_count == whole->frame_count);
    for (size_t i = 0; i < part->step_count; i++) assert_true(same_step(&part->steps[i], &whole->steps[i]));
    for (size_t i = 0; i < part->frame_count; i++) assert_true(same_frame(&part->frames[i], &whole->frames[i], dimension));
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

static char *read_whole(const char *path, size_t *size) {
    *size = file_size(path);
    char *data = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static void write_whole(const char *path, const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/// Run in a process that dies after `bytes` bytes. True if it was killed.
static bool run_and_kill(const char *text, const char *path, int64_t bytes) {
    pid_t child = fork();
    if (child == 0) {
        bytes_left = bytes;
        fault_is_kill = true;
        MrnRunOptions options = mrn_run_defaults();
        options.output = path;
        _exit(mrn_run(scene_of(text), &options, NULL, NULL) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

/// Bytes to the next of about `count` places in `total` bytes, irregular. MORAINE_THOROUGH=100 looks at a hundred times as many.
static int64_t stride(int64_t at, int64_t total, int64_t count) {
    const char *text = getenv("MORAINE_THOROUGH");
    if (text) count *= atoll(text);
    return 1 + (int64_t)(mrn_mix64((uint64_t)at) % (uint64_t)(2 * total / count + 1));
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

// Writing and reading back

static void frames_and_steps_are_read_as_they_were_written(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        char text[100];
        snprintf(text, sizeof text, "dimension=%d bodies=7 contacts=20 duration=4 output=0.3", dimension);
        MrnRunSummary summary = run_scene(text, run_path);
        Record record = must_read(run_path);
        assert_int_equal(summary.steps, 40);
        assert_int_equal(record.step_count, 40);
        assert_int_equal(record.frame_count, 15); // 0, 0.3, ..., 3.9 and the end, 4.0

        MrnScene *scene = scene_of(text);
        MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, NULL);
        size_t frame = 0;
        for (int64_t step = 0; step <= 40; step++) {
            MrnStepInfo info;
            if (step) {
                mrn_world_step(world, &info, NULL);
                assert_true(same_step(&info, &record.steps[step - 1]));
            }
            if (step % 3 && step != 40) continue;
            MrnFrame *got = &record.frames[frame++];
            MrnFrame want = {.time = world->state->time[0], .step = step, .body_count = 7, .position = world->state->position,
                             .rotation = world->state->rotation, .velocity = world->state->velocity, .spin = world->state->spin,
                             .active = world->state->active, .contact_count = world->contact_count};
            want.contacts = calloc(want.contact_count + 1, sizeof *want.contacts);
            for (size_t i = 0; i < want.contact_count; i++) want.contacts[i] = mrn_world_contact(world, i);
            assert_true(same_frame(got, &want, (size_t)dimension));
            free(want.contacts);
        }
        assert_true(mrn_world_hash(world) == summary.state_hash);
        mrn_world_free(world);
        mrn_scene_free(scene);
        free_record(&record);
    }
}

static void a_run_without_bodies_or_contacts_is_written_and_read(void **state) {
    (void)state;
    const char *texts[] = {"bodies=0 contacts=0", "bodies=3 contacts=0", "bodies=0 contacts=4", "dimension=2 bodies=1 contacts=0 duration=0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        run_scene(texts[i], run_path);
        Record record = must_read(run_path);
        assert_int_equal(record.frame_count, i == 3 ? 1 : 15);
        assert_int_equal(record.frames[0].body_count, i == 0 || i == 2 ? 0 : i == 1 ? 3 : 1);
        assert_int_equal(record.frames[0].contact_count, 0);
        free_record(&record);
    }
}

static void the_scene_comes_back_with_overrides_and_files(void **state) {
    (void)state;
    const char *overrides[] = {"bodies=9", "contacts=0"};
    MrnSceneFile files[] = {{(char *)"meshes/rock.obj", (char *)"v 0\0 1\n", 7}, {(char *)"empty", (char *)"", 0}};
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse("bodies=2 duration=1 # \xc3\xa9\n", "dir/fake.yaml", overrides, 2, files, 2, &error);
    MrnRunOptions options = mrn_run_defaults();
    options.output = run_path;
    assert_true(mrn_run(scene, &options, NULL, &error));
    MrnRunFile *file = mrn_run_file_open(run_path, &error);
    assert_non_null(file);
    assert_int_equal(mrn_run_file_checkpoint_count(file), 2);
    MrnScene *back = mrn_run_file_scene(file, &error);
    assert_non_null(back);
    assert_string_equal(back->text, scene->text);
    assert_string_equal(back->name, "dir/fake.yaml");
    assert_int_equal(back->override_count, 2);
    assert_string_equal(back->overrides[1], "contacts=0");
    assert_int_equal(back->file_count, 2);
    assert_string_equal(back->files[0].name, "meshes/rock.obj");
    assert_int_equal(back->files[0].size, 7);
    assert_memory_equal(back->files[0].data, files[0].data, 7);
    assert_int_equal(back->files[1].size, 0);
    assert_int_equal(back->model->bodies.count, 9);
    mrn_scene_free(back);
    mrn_scene_free(scene);
    mrn_run_file_close(file);
}

static void a_run_that_keeps_nothing_has_the_same_summary(void **state) {
    (void)state;
    MrnRunSummary kept = run_scene("contacts=9", run_path), not_kept = run_scene("contacts=9", NULL);
    assert_same_summary(&kept, &not_kept);
    assert_true(kept.contacts_max > 0 && kept.contacts_mean > 0 && kept.unsolved_steps > 0);
}

// Stopping and resuming

static bool stop_at(void *context, const MrnStepInfo *info, double end_time, double wall_seconds) {
    (void)end_time, (void)wall_seconds;
    return info->step < *(int *)context;
}

static void a_run_that_was_stopped_resumes_to_the_same_bits(void **state) {
    (void)state;
    const char *text = "bodies=5 contacts=8 duration=6 output=0.7";
    MrnRunSummary whole = run_scene(text, other_path);
    Record reference = must_read(other_path);
    for (int stop = 1; stop < 60; stop += 7) {
        clock_rate = 0.2;
        MrnRunOptions options = mrn_run_defaults();
        options.output = run_path;
        options.progress = stop_at;
        options.progress_context = &stop;
        MrnRunSummary part;
        MrnScene *scene = scene_of(text);
        assert_true(mrn_run(scene, &options, &part, NULL));
        mrn_scene_free(scene);
        assert_true(part.stopped);
        assert_int_equal(part.steps, stop);
        MrnRunSummary rest = resume_run(run_path, -1);
        assert_false(rest.stopped);
        assert_same_summary(&rest, &whole);
        Record record = must_read(run_path);
        assert_part(&record, &reference, true, 3);
        free_record(&record);
    }
    free_record(&reference);
}

static void a_finished_run_can_be_extended(void **state) {
    (void)state;
    MrnRunSummary whole = run_scene("duration=6 output=0.7", other_path);
    Record reference = must_read(other_path);
    run_scene("duration=4 output=0.7", run_path); // ends between two output times
    MrnRunSummary same = resume_run(run_path, -1);
    assert_int_equal(same.steps, 40);
    Record before = must_read(run_path);
    assert_int_equal(before.frame_count, 7);
    assert_int_equal(before.frames[6].step, 40);
    free_record(&before);
    MrnRunSummary longer = resume_run(run_path, 6);
    assert_same_summary(&longer, &whole);
    Record record = must_read(run_path);
    assert_part(&record, &reference, true, 3);
    free_record(&record);
    free_record(&reference);
}

// Kill at any byte

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

static void a_run_killed_after_any_byte_opens_and_resumes_to_the_same_bits(void **state) {
    (void)state;
    const char *text = "bodies=3 contacts=6 duration=3 output=0.2 checkpoint=3";
    clock_rate = 0.4;
    bytes_written = 0;
    MrnRunSummary whole = run_scene(text, other_path);
    int64_t total = bytes_written;
    Record reference = must_read(other_path);
    int64_t resumed = 0, torn_for_others = 0, absent = 0;
    for (int64_t bytes = 0; bytes <= total; bytes += stride(bytes, total, 120)) {
        unlink(run_path);
        run_and_kill(text, run_path, bytes);
        if (access(run_path, F_OK) != 0) {
            assert_int_equal(resumed, 0); // once it is there it stays
            absent++;
            continue;
        }
        if (!plain_hdf5_opens(run_path)) torn_for_others++;
        Record part = must_read(run_path);
        assert_true(part.frame_count >= 1);
        assert_part(&part, &reference, false, 3);
        free_record(&part);
        MrnRunSummary summary = resume_run(run_path, -1);
        assert_same_summary(&summary, &whole);
        Record record = must_read(run_path);
        assert_part(&record, &reference, true, 3);
        free_record(&record);
        assert_true(plain_hdf5_opens(run_path));
        resumed++;
    }
    print_message("    %lld bytes; killed before the first commit: %lld, resumed: %lld, of those torn for programs that do not know the journal: %lld\n",
                  (long long)total, (long long)absent, (long long)resumed, (long long)torn_for_others);
    assert_true(resumed > 50);
    free_record(&reference);
}

static void a_run_killed_again_and_again_ends_with_the_same_bits(void **state) {
    (void)state;
    const char *text = "bodies=3 contacts=6 duration=3 output=0.2 checkpoint=3";
    clock_rate = 0.4;
    MrnRunSummary whole = run_scene(text, other_path);
    Record reference = must_read(other_path);
    for (uint64_t round = 0; round < 4; round++) {
        unlink(run_path);
        run_and_kill(text, run_path, 300000);
        if (access(run_path, F_OK) != 0) continue;
        for (uint64_t attempt = 0; attempt < 12; attempt++) {
            pid_t child = fork();
            if (child == 0) {
                fault_is_kill = true;
                bytes_left = (int64_t)(mrn_mix64(100 * round + attempt) % 200000);
                _exit(mrn_resume(run_path, NULL, NULL, NULL) ? 0 : 1);
            }
            int status;
            waitpid(child, &status, 0);
            if (!WIFSIGNALED(status)) assert_int_equal(WEXITSTATUS(status), 0);
            Record part = must_read(run_path);
            assert_part(&part, &reference, false, 3);
            free_record(&part);
        }
        MrnRunSummary summary = resume_run(run_path, -1);
        assert_same_summary(&summary, &whole);
        Record record = must_read(run_path);
        assert_part(&record, &reference, true, 3);
        free_record(&record);
    }
    free_record(&reference);
}

// Disk full

static void a_full_disk_leaves_the_last_checkpoint(void **state) {
    (void)state;
    const char *text = "bodies=3 contacts=6 duration=3 output=0.2 checkpoint=3";
    clock_rate = 0.4;
    bytes_written = 0;
    MrnRunSummary whole = run_scene(text, other_path);
    int64_t total = bytes_written;
    Record reference = must_read(other_path);
    int intact = 0;
    for (int64_t bytes = 0; bytes < total; bytes += stride(bytes, total, 50)) {
        unlink(run_path);
        MrnError error = {0};
        MrnRunOptions options = mrn_run_defaults();
        options.output = run_path;
        MrnScene *scene = scene_of(text);
        fault_is_kill = false;
        bytes_left = bytes;
        bool fine = mrn_run(scene, &options, NULL, &error);
        bytes_left = -1;
        mrn_scene_free(scene);
        if (fine) continue; // the last bytes of a commit may be the counter
        assert_int_equal(error.code, MRN_ERROR_FILE);
        assert_non_null(strstr(error.message, run_path));
        assert_non_null(strstr(error.message, "No space left on device"));
        if (access(run_path, F_OK) != 0) continue;
        assert_non_null(strstr(error.message, "is intact"));
        MrnRunSummary summary = resume_run(run_path, -1);
        assert_same_summary(&summary, &whole);
        Record record = must_read(run_path);
        assert_part(&record, &reference, true, 3);
        free_record(&record);
        intact++;
    }
    assert_true(intact > 10);
    char partial[320];
    snprintf(partial, sizeof partial, "%s.partial", run_path);
    assert_int_not_equal(access(partial, F_OK), 0);
    free_record(&reference);
}

static void a_limit_on_the_file_size_is_an_error_not_a_crash(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {200000, 200000};
        setrlimit(RLIMIT_FSIZE, &limit);
        clock_rate = 0.4;
        MrnError error = {0};
        MrnRunOptions options = mrn_run_defaults();
        options.output = run_path;
        bool fine = mrn_run(scene_of("bodies=300 contacts=600 duration=3 output=0.1 checkpoint=3"), &options, NULL, &error);
        _exit(!fine && strstr(error.message, "File too large") ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Damaged files

static void a_truncated_file_opens_or_says_what_is_wrong(void **state) {
    (void)state;
    run_scene("bodies=3 contacts=6", other_path);
    size_t size;
    char *data = read_whole(other_path, &size);
    for (size_t length = 0; length < size; length += (size_t)stride((int64_t)length, length < 2000 ? 2000 : (int64_t)size, 100)) {
        write_whole(run_path, data, length);
        Record record;
        MrnError error = {0};
        assert_false(read_record(run_path, &record, &error));
        free_record(&record);
        assert_int_equal(error.code, MRN_ERROR_FILE);
        assert_non_null(strstr(error.message, run_path));
        error = (MrnError){0};
        assert_false(mrn_resume(run_path, NULL, NULL, &error));
        assert_non_null(strstr(error.message, run_path));
        assert_int_equal(file_size(run_path), length); // and it was left alone
    }
    free(data);
}

static void a_file_with_a_wrong_bit_is_read_rightly_or_refused(void **state) {
    (void)state;
    run_scene("bodies=3 contacts=6 duration=2", other_path);
    Record reference = must_read(other_path);
    size_t size, refused = 0, harmless = 0;
    char *data = read_whole(other_path, &size);
    for (size_t at = 0; at < size; at += (size_t)stride((int64_t)at, (int64_t)size, 300)) {
        int bit = 1 << (mrn_mix64(at + 7) % 8);
        data[at] = (char)(data[at] ^ bit);
        write_whole(run_path, data, size);
        data[at] = (char)(data[at] ^ bit);
        Record record;
        MrnError error = {0};
        if (read_record(run_path, &record, &error)) {
            assert_part(&record, &reference, true, 3);
            harmless++;
        } else {
            assert_non_null(strstr(error.message, run_path));
            refused++;
        }
        free_record(&record);
        error = (MrnError){0};
        MrnRunOptions options = mrn_run_defaults();
        options.until = 2.5;
        mrn_resume(run_path, &options, NULL, &error); // must come back
    }
    print_message("    %zu wrong bits refused, %zu in places that do not matter\n", refused, harmless);
    assert_true(refused > 20 && harmless > 20);
    free(data);
    free_record(&reference);
}

static void a_damaged_checkpoint_leaves_the_one_before(void **state) {
    (void)state;
    clock_rate = 0.4;
    const char *text = "bodies=3 contacts=6 duration=3 output=0.2 checkpoint=1";
    MrnRunSummary whole = run_scene(text, other_path);
    Record reference = must_read(other_path);
    for (int slot = 0; slot < 2; slot++) {
        int stop = slot ? 17 : 20;
        MrnRunOptions options = mrn_run_defaults();
        options.output = run_path;
        options.progress = stop_at;
        options.progress_context = &stop;
        MrnScene *scene = scene_of(text);
        assert_true(mrn_run(scene, &options, NULL, NULL));
        mrn_scene_free(scene);
        hid_t file = H5Fopen(run_path, H5F_ACC_RDWR, H5P_DEFAULT);
        double wrong[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        hid_t set = H5Dopen2(file, slot ? "checkpoints/1/position" : "checkpoints/0/position", H5P_DEFAULT);
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong) >= 0);
        H5Dclose(set);
        H5Fclose(file);
        MrnRunSummary rest = resume_run(run_path, -1);
        assert_same_summary(&rest, &whole);
        Record record = must_read(run_path);
        assert_part(&record, &reference, true, 3);
        free_record(&record);
    }
    free_record(&reference);
}

// Errors and who may write what

static void assert_open_fails(const char *path, const char *reason) {
    MrnError error = {0};
    assert_null(mrn_run_file_open(path, &error));
    char want[1400];
    snprintf(want, sizeof want, "%s: %s", path, reason);
    assert_string_equal(error.message, want);
}

static void change_scalar(const char *path, const char *name, int64_t value) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

static void remove_link(const char *path, const char *name) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

static void files_that_are_no_runs_are_refused_with_the_reason(void **state) {
    (void)state;
    assert_open_fails(run_path, "cannot open: No such file or directory");
    assert_open_fails(directory, "cannot open: Is a directory");
    assert_open_fails("/dev/null", "cannot open: not a regular file");
    write_whole(run_path, "", 0);
    assert_open_fails(run_path, "not a run file: it is empty");
    write_whole(run_path, "bodies: []\n", 11);
    assert_open_fails(run_path, "not a run file: no HDF5 data in it");
    hid_t file = H5Fcreate(run_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_open_fails(run_path, "not a Moraine run file (an HDF5 file of something else)");
    unlink(run_path);

    run_scene("", run_path);
    change_scalar(run_path, "version", 12);
    assert_open_fails(run_path, "a run file of version 12; this program reads version 1");
    run_scene("", other_path);
    change_scalar(other_path, "run/dimension", 4);
    assert_open_fails(other_path, "damaged run file: dimension 4");
    change_scalar(other_path, "run/dimension", 3);
    change_scalar(other_path, "run/bodies", (int64_t)1 << 60);
    assert_open_fails(other_path, "damaged run file: 1152921504606846976 bodies do not fit in it");
    change_scalar(other_path, "run/bodies", 5);
    assert_open_fails(other_path, "/frames/position has the wrong shape");
    change_scalar(other_path, "run/bodies", 4);
    file = H5Fopen(other_path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "steps/sweeps", H5P_DEFAULT);
    hsize_t rows = 12;
    H5Dset_extent(set, &rows);
    H5Dclose(set);
    H5Fclose(file);
    assert_open_fails(other_path, "/steps/sweeps has 12 rows, /steps/step has 40");
    remove_link(other_path, "steps/sweeps");
    assert_open_fails(other_path, "damaged run file: no data set /steps/sweeps");
    remove_link(other_path, "steps");
    assert_open_fails(other_path, "damaged run file: no group /steps");
    remove_link(other_path, "run/model_hash");
    assert_open_fails(other_path, "damaged run file: no data set /run/model_hash");
}

static void a_run_of_another_model_is_not_resumed(void **state) {
    (void)state;
    run_scene("", run_path);
    change_scalar(run_path, "run/model_hash", 5);
    MrnError error = {0};
    assert_false(mrn_resume(run_path, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "its scene gives another model"));
    unlink(run_path);
    run_scene("", run_path);
    remove_link(run_path, "checkpoints/0");
    remove_link(run_path, "checkpoints/1");
    error = (MrnError){0};
    assert_false(mrn_resume(run_path, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "holds no checkpoint"));
}

static void assert_run_fails(const char *path, const char *reason) {
    MrnError error = {0};
    MrnRunOptions options = mrn_run_defaults();
    options.output = path;
    MrnScene *scene = scene_of("");
    assert_false(mrn_run(scene, &options, NULL, &error));
    mrn_scene_free(scene);
    char want[1400];
    snprintf(want, sizeof want, "%s: %s", path, reason);
    if (strncmp(error.message, want, strlen(want)) != 0) fail_msg("message is: %s", error.message);
}

static void only_run_files_are_replaced(void **state) {
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s/no/run.h5", directory);
    assert_run_fails(path, "cannot create: No such file or directory");
    assert_run_fails(directory, "cannot create: Is a directory");
    assert_run_fails("/dev/full", "cannot create: not a regular file");
    write_whole(run_path, "my thesis", 9);
    assert_run_fails(run_path, "exists and is not a run file that can be replaced");
    assert_int_equal(file_size(run_path), 9);
    write_whole(run_path, "", 0);
    run_scene("duration=1", run_path);
    run_scene("duration=2", run_path);
    Record record = must_read(run_path);
    assert_int_equal(record.step_count, 20);
    free_record(&record);
    // A run that cannot start, here for lack of space, leaves the old one.
    bytes_left = 3000;
    fault_is_kill = false;
    assert_run_fails(run_path, "cannot write: No space left on device");
    bytes_left = -1;
    record = must_read(run_path);
    assert_int_equal(record.step_count, 20);
    free_record(&record);
    // So does one whose first step fails.
    fake_failing_step = 0;
    MrnError error = {0};
    MrnRunOptions options = mrn_run_defaults();
    options.output = run_path;
    MrnScene *scene = scene_of("");
    assert_false(mrn_run(scene, &options, NULL, &error));
    mrn_scene_free(scene);
    assert_string_equal(error.message, "the fake solver gave up");
    fake_failing_step = -1;
    record = must_read(run_path);
    assert_int_equal(record.step_count, 20);
    free_record(&record);
    // A link stays a link.
    assert_int_equal(symlink(run_path, other_path), 0);
    run_scene("duration=3", other_path);
    record = must_read(run_path);
    assert_int_equal(record.step_count, 30);
    free_record(&record);
}

static void a_directory_without_permission_is_an_error(void **state) {
    (void)state;
    run_scene("duration=1", run_path);
    pid_t child = fork();
    if (child == 0) {
        // Root may write everywhere: become nobody.
        assert_int_equal(chmod(directory, 0555), 0);
        assert_int_equal(chmod(run_path, 0444), 0);
        if (geteuid() == 0 && seteuid(65534) != 0) _exit(3);
        MrnError error = {0};
        MrnRunOptions options = mrn_run_defaults();
        options.output = other_path;
        if (mrn_run(scene_of(""), &options, NULL, &error) || !strstr(error.message, "other.h5: cannot create: Permission denied")) _exit(1);
        if (mrn_resume(run_path, NULL, NULL, &error) || !strstr(error.message, "run.h5: cannot open for writing: Permission denied")) _exit(2);
        Record record;
        _exit(read_record(run_path, &record, &error) ? 0 : 4);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 0);
    chmod(directory, 0755);
}

// Several processes on one file

static pid_t start_slow_run(const char *text, const char *path) {
    pid_t child = fork();
    if (child == 0) {
        fake_step_pause = 2e-3;
        clock_rate = 0.1; // commits every few steps
        MrnRunOptions options = mrn_run_defaults();
        options.output = path;
        _exit(mrn_run(scene_of(text), &options, NULL, NULL) ? 0 : 1);
    }
    for (int i = 0; i < 5000 && access(path, F_OK) != 0; i++) usleep(1000);
    return child;
}

static void a_second_writer_is_refused(void **state) {
    (void)state;
    pid_t child = start_slow_run("duration=1000", run_path);
    MrnError error = {0};
    assert_false(mrn_resume(run_path, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "run.h5: another process is writing this run"));
    assert_run_fails(run_path, "another process is writing this run");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    resume_run(run_path, 5);
}

static void a_run_is_read_while_it_is_written(void **state) {
    (void)state;
    const char *text = "bodies=40 contacts=60 duration=60 output=0.1";
    run_scene(text, other_path);
    Record reference = must_read(other_path);
    pid_t child = start_slow_run(text, run_path);
    int status = 0, reads = 0, opened = 0, plain = 0;
    size_t last = 0, different = 0;
    MrnError error = {0};
    MrnRunFile *held = mrn_run_file_open(run_path, &error); // stays open over many commits
    assert_non_null(held);
    while (waitpid(child, &status, WNOHANG) == 0) {
        Record record = must_read(run_path);
        assert_part(&record, &reference, false, 3);
        assert_true(record.frame_count >= last);
        if (record.frame_count > last) different++;
        last = record.frame_count;
        free_record(&record);
        MrnFrame frame;
        if (!mrn_run_file_frame(held, 0, &frame, &error)) fail_msg("%s", error.message);
        assert_true(same_frame(&frame, &reference.frames[0], 3));
        mrn_frame_free(&frame);
        opened++;
        plain += plain_hdf5_opens(run_path);
        reads++;
    }
    mrn_run_file_close(held);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    print_message("    read %d times, %zu different states; opened by plain HDF5 %d of %d times\n", reads, different, plain, opened);
    assert_true(different > 5);
    assert_true(plain > 0);
    Record record = must_read(run_path);
    assert_part(&record, &reference, true, 3);
    free_record(&record);
    free_record(&reference);
}

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(frames_and_steps_are_read_as_they_were_written),
        TEST(a_run_without_bodies_or_contacts_is_written_and_read),
        TEST(the_scene_comes_back_with_overrides_and_files),
        TEST(a_run_that_keeps_nothing_has_the_same_summary),
        TEST(a_run_that_was_stopped_resumes_to_the_same_bits),
        TEST(a_finished_run_can_be_extended),
        TEST(a_run_killed_after_any_byte_opens_and_resumes_to_the_same_bits),
        TEST(a_run_killed_again_and_again_ends_with_the_same_bits),
        TEST(a_full_disk_leaves_the_last_checkpoint),
        TEST(a_limit_on_the_file_size_is_an_error_not_a_crash),
        TEST(a_truncated_file_opens_or_says_what_is_wrong),
        TEST(a_file_with_a_wrong_bit_is_read_rightly_or_refused),
        TEST(a_damaged_checkpoint_leaves_the_one_before),
        TEST(files_that_are_no_runs_are_refused_with_the_reason),
        TEST(a_run_of_another_model_is_not_resumed),
        TEST(only_run_files_are_replaced),
        TEST(a_directory_without_permission_is_an_error),
        TEST(a_second_writer_is_refused),
        TEST(a_run_is_read_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
