// The run file: what is written is read back, stopped and extended runs go on with the same bits, files that are no
// runs are refused with the reason, only run files are replaced, and several processes can use one file.
#include "run_faults.h"

#include "io/run_file_layout.h"

// Writing and reading back

static void assert_written_as_computed(const char *text, size_t dimension, int64_t every) {
    MrnRunSummary summary = run_scene(text, run_path);
    Record record = must_read(run_path);
    assert_int_equal(record.step_count, summary.steps);
    MrnScene *scene = scene_of(text);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, NULL);
    size_t frame = 0;
    for (int64_t step = 0; step <= summary.steps; step++) {
        MrnStepInfo info;
        if (step) {
            mrn_world_step(world, &info, NULL);
            assert_true(same_step(&info, &record.steps[step - 1]));
        }
        if (step % every && step != summary.steps) continue;
        assert_true(frame < record.frame_count);
        MrnFrame want = {.time = world->state->time[0],
                         .step = step,
                         .body_count = scene->model->bodies.count,
                         .position = world->state->position,
                         .rotation = world->state->rotation,
                         .velocity = world->state->velocity,
                         .spin = world->state->spin,
                         .active = world->state->active,
                         .contact_count = world->contact_count};
        want.contacts = calloc(want.contact_count + 1, sizeof *want.contacts);
        for (size_t i = 0; i < want.contact_count; i++) want.contacts[i] = mrn_world_contact(world, i);
        assert_true(same_frame(&record.frames[frame++], &want, dimension));
        free(want.contacts);
    }
    assert_int_equal(frame, record.frame_count);
    assert_true(mrn_world_hash(world) == summary.state_hash);
    mrn_world_free(world);
    mrn_scene_free(scene);
    free_record(&record);
}

static void frames_and_steps_are_read_as_they_were_written(void **state) {
    (void)state;
    assert_written_as_computed("dimension=2 bodies=7 contacts=20 duration=4 output=0.3", 2, 3);
    assert_written_as_computed("dimension=3 bodies=7 contacts=20 duration=4 output=0.3", 3, 3);
    // Many chunks of steps and frames; frames and contacts that fill chunks.
    clock_rate = 0.01;
    assert_written_as_computed("dimension=2 bodies=1 contacts=1 duration=900 output=0.2", 2, 2);
    clock_rate = 0.3;
    assert_written_as_computed("dimension=3 bodies=900 contacts=5000 duration=4 output=0.1", 3, 1);
}

/// A reader may meet a chunk while it is being replaced.
static void a_chunk_of_another_length_is_refused(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    double *given = calloc(COUNT, sizeof *given), *back = malloc(COUNT * sizeof *back);
    for (int i = 0; i < COUNT; i++) given[i] = sin(i) * (i % 7);
    MrnPacker packer = {0};
    MrnUnpacker unpacker = {0};
    size_t length = mrn_pack(&packer, given, COUNT, 8);
    assert_true(length > 0 && length <= mrn_packed_most(COUNT * 8));
    mrn_unpacker_room(&unpacker, length);
    memcpy(unpacker.packed, packer.packed, length);
    assert_true(mrn_unpack(&unpacker, length, 0, back, COUNT, 8));
    assert_memory_equal(back, given, COUNT * sizeof *back);
    assert_false(mrn_unpack(&unpacker, length, 0, back, COUNT - 1, 8)); // it holds more
    assert_false(mrn_unpack(&unpacker, length, 2, back, COUNT, 8));     // as if it were not deflated
    for (size_t cut = 0; cut < length; cut += 97) assert_false(mrn_unpack(&unpacker, cut, 0, back, COUNT, 8));
    // The head of one stream and the tail of another.
    for (int i = 0; i < COUNT; i++) given[i] = cos(i);
    size_t other = mrn_pack(&packer, given, COUNT, 8), common = (other < length ? other : length) / 2;
    memcpy(unpacker.packed + common, packer.packed + common, (other < length ? other : length) - common);
    assert_false(mrn_unpack(&unpacker, length, 0, back, COUNT, 8));
    length = mrn_pack(&packer, given, COUNT - 500, 8); // and one that holds less
    mrn_unpacker_room(&unpacker, length);
    memcpy(unpacker.packed, packer.packed, length);
    assert_false(mrn_unpack(&unpacker, length, 0, back, COUNT, 8));
    mrn_packer_free(&packer);
    mrn_unpacker_free(&unpacker);
    free(given);
    free(back);
}

static void a_run_without_bodies_or_contacts_is_written_and_read(void **state) {
    (void)state;
    const char *texts[] = {"bodies=0 contacts=0", "bodies=3 contacts=0", "bodies=0 contacts=4",
                           "dimension=2 bodies=1 contacts=0 duration=0"};
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
    MrnScene *scene =
        mrn_scene_parse("bodies=2 duration=1 # \xc3\xa9\n", "dir/fake.yaml", overrides, 2, files, 2, &error);
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

static void a_run_that_was_stopped_resumes_to_the_same_bits(void **state) {
    (void)state;
    for (int stop = 1; stop < 60; stop += 7) {
        const char *text =
            stop % 2 ? "bodies=5 contacts=8 duration=6 output=0.7" : "bodies=900 contacts=5000 duration=6 output=0.2";
        MrnRunSummary whole = run_scene(text, other_path);
        Record reference = must_read(other_path);
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
        free_record(&reference);
    }
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

// The columns that every run file has; all others came later and have defaults.
static const char *const first_columns[] = {
    "step",          "time",           "contacts",         "touching",          "new_contacts",
    "status",        "sweeps",         "residual",         "scaled_residual",   "cone_violation",
    "penetration",   "kinetic_energy", "potential_energy", "dissipated_energy", "driver_work",
    "energy_defect", "max_speed",      "seconds_detect",   "seconds_assemble",  "seconds_solve",
    "seconds_total"};

static bool is_first_column(const char *name) {
    for (size_t i = 0; i < sizeof first_columns / sizeof *first_columns; i++)
        if (strcmp(first_columns[i], name) == 0) return true;
    return false;
}

static void a_file_of_before_the_newer_columns_is_read_and_resumed(void **state) {
    (void)state;
    MrnError error = {0};
    run_scene("", run_path);
    size_t removed = 0;
    for (size_t i = 0; i < mrn_step_column_count; i++) {
        if (is_first_column(mrn_step_columns[i].name)) continue;
        char name[80];
        snprintf(name, sizeof name, "steps/%s", mrn_step_columns[i].name);
        remove_link(run_path, name);
        removed++;
    }
    assert_true(removed >= 15);
    MrnRunFile *file = mrn_run_file_open(run_path, &error);
    assert_non_null(file);
    MrnStepInfo steps[40];
    assert_int_equal(mrn_run_file_step_count(file), 40);
    assert_true(mrn_run_file_steps(file, 0, 40, steps, &error));
    mrn_run_file_close(file);
    for (int k = 0; k < 40; k++) {
        assert_int_equal(steps[k].step, k + 1);
        assert_int_equal(steps[k].substeps, 1);
        assert_int_equal(steps[k].collisions, 0);
        assert_true(steps[k].elastic_energy == 0);
    }
    run_scene("", other_path);
    MrnRunSummary extended = resume_run(other_path, 6), again = resume_run(run_path, 6);
    assert_true(extended.steps > 40 && again.state_hash == extended.state_hash);
    Record record = must_read(run_path), whole = must_read(other_path);
    assert_int_equal(record.step_count, whole.step_count);
    for (size_t k = 0; k < 40; k++) assert_int_equal(record.steps[k].substeps, 1);
    for (size_t k = 40; k < record.step_count; k++) assert_true(same_step(&record.steps[k], &whole.steps[k]));
    free_record(&record);
    free_record(&whole);
    hid_t raw = H5Fopen(run_path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Lexists(raw, "steps/substeps", H5P_DEFAULT) > 0); // which it got when it was resumed
    H5Fclose(raw);
}

static void a_checkpoint_of_before_a_field_of_the_state_says_so(void **state) {
    (void)state;
    run_scene("", run_path);
    for (int slot = 0; slot < 2; slot++) {
        char name[80];
        snprintf(name, sizeof name, "checkpoints/%d/memory_spring", slot);
        hid_t file = H5Fopen(run_path, H5F_ACC_RDONLY, H5P_DEFAULT);
        bool there = H5Lexists(file, name, H5P_DEFAULT) > 0;
        H5Fclose(file);
        if (there) remove_link(run_path, name);
    }
    MrnError error = {0};
    assert_false(mrn_resume(run_path, NULL, NULL, &error));
    char want[1400];
    snprintf(want, sizeof want,
             "%s: its checkpoints have no memory_spring: an older program wrote them; the run can be read, not resumed",
             run_path);
    assert_string_equal(error.message, want);
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
        if (mrn_run(scene_of(""), &options, NULL, &error) ||
            !strstr(error.message, "other.h5: cannot create: Permission denied"))
            _exit(1);
        if (mrn_resume(run_path, NULL, NULL, &error) ||
            !strstr(error.message, "run.h5: cannot open for writing: Permission denied"))
            _exit(2);
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
    print_message("    read %d times, %zu different states; opened by plain HDF5 %d of %d times\n", reads, different,
                  plain, opened);
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
        TEST(a_chunk_of_another_length_is_refused),
        TEST(a_run_without_bodies_or_contacts_is_written_and_read),
        TEST(the_scene_comes_back_with_overrides_and_files),
        TEST(a_run_that_keeps_nothing_has_the_same_summary),
        TEST(a_run_that_was_stopped_resumes_to_the_same_bits),
        TEST(a_finished_run_can_be_extended),
        TEST(files_that_are_no_runs_are_refused_with_the_reason),
        TEST(a_file_of_before_the_newer_columns_is_read_and_resumed),
        TEST(a_checkpoint_of_before_a_field_of_the_state_says_so),
        TEST(a_run_of_another_model_is_not_resumed),
        TEST(only_run_files_are_replaced),
        TEST(a_directory_without_permission_is_an_error),
        TEST(a_second_writer_is_refused),
        TEST(a_run_is_read_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
