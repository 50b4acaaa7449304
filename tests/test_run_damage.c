// Runs that come to grief: a process killed at any byte leaves a file that opens and resumes to the same bits; a full
// disk, a truncated or a damaged file give an error and lose no checkpoint.
#include "run_faults.h"

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

/// Bytes to the next of about `count` places in `total` bytes, irregular. MORAINE_THOROUGH=100 looks at a hundred times
/// as many.
static int64_t stride(int64_t at, int64_t total, int64_t count) {
    const char *text = getenv("MORAINE_THOROUGH");
    if (text) count *= atoll(text);
    return 1 + (int64_t)(mrn_mix64((uint64_t)at) % (uint64_t)(2 * total / count + 1));
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

// Kill at any byte

static void a_run_killed_after_any_byte_opens_and_resumes_to_the_same_bits(void **state) {
    (void)state;
    const char *text = "bodies=3 contacts=6 duration=3 output=0.2 checkpoint=3";
    clock_rate = 0.4;
    bytes_written = 0;
    MrnRunSummary whole = run_scene(text, other_path);
    int64_t total = bytes_written;
    Record reference = must_read(other_path);
    int64_t resumed = 0, torn_for_others = 0, absent = 0;
    for (int64_t bytes = 0; bytes <= total; bytes += stride(bytes, total, 100)) {
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
    print_message("    %lld bytes; killed before the first commit: %lld, resumed: %lld, of those torn for programs "
                  "that do not know the journal: %lld\n",
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
        bool fine =
            mrn_run(scene_of("bodies=300 contacts=600 duration=3 output=0.1 checkpoint=3"), &options, NULL, &error);
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
    for (size_t length = 0; length < size;
         length += (size_t)stride((int64_t)length, length < 2000 ? 2000 : (int64_t)size, 100)) {
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
    for (size_t at = 0; at < size; at += (size_t)stride((int64_t)at, (int64_t)size, 200)) {
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

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_run_killed_after_any_byte_opens_and_resumes_to_the_same_bits),
        TEST(a_run_killed_again_and_again_ends_with_the_same_bits),
        TEST(a_full_disk_leaves_the_last_checkpoint),
        TEST(a_limit_on_the_file_size_is_an_error_not_a_crash),
        TEST(a_truncated_file_opens_or_says_what_is_wrong),
        TEST(a_file_with_a_wrong_bit_is_read_rightly_or_refused),
        TEST(a_damaged_checkpoint_leaves_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
