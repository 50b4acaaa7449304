// Killed runs of real scenes: a process that gets SIGKILL at any moment, resumed as often as it takes, ends with the
// bits of the run that was never disturbed, in 2D and 3D, for any number of threads.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants those first
#include <cmocka.h>
#include <moraine/run.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "floe_scenes.h"

#define DISCS(checkpoint)                                                                                              \
    "dimension: 2\n"                                                                                                   \
    "gravity: [0, -9.81 m/s2]\n"                                                                                       \
    "time: {step: 1 ms, end: 0.2 s, output: 7 ms, checkpoint: " checkpoint "}\n"                                       \
    "solver: {name: nlgs}\n"                                                                                           \
    "materials: [{name: stone, density: 2400 kg/m2}]\n"                                                                \
    "laws: [{friction: 0.4, restitution: 0.3}]\n"                                                                      \
    "generate:\n"                                                                                                      \
    "  - {name: box, container: {low: [-1 m, 0], high: [1 m, 2 m]}}\n"                                                 \
    "  - name: disc\n"                                                                                                 \
    "    seed: 3\n"                                                                                                    \
    "    fill: {count: 60, radius: {uniform: {low: 5 cm, high: 9 cm}}, placing: lattice, gap: 1 cm,\n"                 \
    "           region: {box: {low: [-1 m, 0], high: [1 m, 3 m]}}}\n"

static const char discs[] = DISCS("3 ms");

static const char boxes[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81 m/s2]\n"
    "time: {step: 2 ms, end: 0.2 s, output: 10 ms, checkpoint: 3 ms}\n"
    "solver: {name: nlgs}\n"
    "materials: [{name: wood, density: 600 kg/m3}]\n"
    "laws: [{friction: 0.5}]\n"
    "shapes:\n"
    "  - {name: brick, box: {size: [20 cm, 20 cm, 10 cm]}}\n"
    "bodies:\n"
    "  - {name: table, kind: fixed, shape: {plane: {}}}\n"
    "  - {name: ball, velocity: [-6 m/s, 0, 0], position: [60 cm, 3 cm, 36 cm], shape: {sphere: {radius: 8 cm}}}\n"
    "generate:\n"
    "  - {name: brick, stack: {shape: brick, count: 6}}\n";

static const char floes[] = BREAKING_PACK("output: 20 s, checkpoint: 3 ms", ", memory: 20 s");

static char directory[256], run_path[300], other_path[300];

static bool run_text(const char *text, int threads, const char *path, MrnRunSummary *summary, MrnError *error) {
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, error);
    if (!scene) return false;
    MrnRunOptions options = mrn_run_defaults();
    options.output = path;
    scene->scheme.threads = threads;
    bool fine = mrn_run(scene, &options, summary, error);
    mrn_scene_free(scene);
    return fine;
}

/// Start a run, or go on with it, in a process of its own and kill that after `delay` seconds. True if it had ended
/// before.
static bool work_and_kill(const char *text, int threads, double delay) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        MrnError error = {0};
        bool fine = access(run_path, F_OK) == 0 ? mrn_resume(run_path, NULL, NULL, &error)
                                                : run_text(text, threads, run_path, NULL, &error);
        if (!fine) fprintf(stderr, "%s\n", error.message);
        _exit(fine ? 0 : 1);
    }
    usleep((useconds_t)(1e6 * delay));
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return false;
    assert_int_equal(WEXITSTATUS(status), 0);
    return true;
}

static void assert_same_files(const char *path_a, const char *path_b, size_t dimension) {
    MrnError error = {0};
    MrnRunFile *a = mrn_run_file_open(path_a, &error), *b = mrn_run_file_open(path_b, &error);
    if (!a || !b) fail_msg("%s", error.message);
    size_t steps = mrn_run_file_step_count(a), frames = mrn_run_file_frame_count(a);
    assert_int_equal(steps, mrn_run_file_step_count(b));
    assert_int_equal(frames, mrn_run_file_frame_count(b));
    MrnStepInfo *rows_a = calloc(steps, sizeof *rows_a), *rows_b = calloc(steps, sizeof *rows_b);
    assert_true(mrn_run_file_steps(a, 0, steps, rows_a, &error) && mrn_run_file_steps(b, 0, steps, rows_b, &error));
    for (size_t i = 0; i < steps; i++) {
#define X(type, name, unit, text)                                                                                      \
    if (strncmp(#name, "seconds", 7) != 0 && memcmp(&rows_a[i].name, &rows_b[i].name, sizeof rows_a[i].name) != 0)     \
        fail_msg("step %zu: " #name " differs", i + 1);
        MRN_STEP_FIELDS(X)
#undef X
    }
    size_t contacts = 0;
    for (size_t i = 0; i < frames; i++) {
        MrnFrame x, y;
        assert_true(mrn_run_file_frame(a, i, &x, &error) && mrn_run_file_frame(b, i, &y, &error));
        size_t bodies = x.body_count, rotation = dimension == 2 ? 1 : 4, spin = dimension == 2 ? 1 : 3;
        assert_true(x.time == y.time && x.step == y.step && bodies == y.body_count &&
                    x.contact_count == y.contact_count);
        assert_memory_equal(x.position, y.position, bodies * dimension * 8);
        assert_memory_equal(x.rotation, y.rotation, bodies * rotation * 8);
        assert_memory_equal(x.velocity, y.velocity, bodies * dimension * 8);
        assert_memory_equal(x.spin, y.spin, bodies * spin * 8);
        assert_memory_equal(x.active, y.active, bodies);
        for (size_t c = 0; c < x.contact_count; c++) {
            const MrnContactView *p = &x.contacts[c], *q = &y.contacts[c];
            assert_true(p->body_a == q->body_a && p->body_b == q->body_b && p->feature == q->feature &&
                        p->status == q->status);
            assert_memory_equal(p->position, q->position, sizeof p->position);
            assert_memory_equal(p->normal, q->normal, sizeof p->normal);
            assert_memory_equal(p->impulse, q->impulse, sizeof p->impulse);
            assert_memory_equal(p->velocity, q->velocity, sizeof p->velocity);
            assert_true(p->gap == q->gap && p->normal_impulse == q->normal_impulse);
        }
        contacts += x.contact_count;
        mrn_frame_free(&x);
        mrn_frame_free(&y);
    }
    assert_true(contacts > 0); // or nothing was compared
    free(rows_a);
    free(rows_b);
    mrn_run_file_close(a);
    mrn_run_file_close(b);
}

static void kill_and_resume(const char *text, size_t dimension, uint64_t seed) {
    MrnError error = {0};
    MrnRunSummary whole, resumed;
    if (!run_text(text, 1, other_path, &whole, &error)) fail_msg("%s", error.message);
    double start = mrn_wall_seconds();
    unsigned kills = 0, runs = 0;
    // Several runs, each killed until it happens to end; the delays grow if a run does not get on.
    do {
        unlink(run_path);
        double most = whole.wall_seconds / 3;
        for (unsigned attempt = 0;; attempt++, kills++) {
            if (work_and_kill(text, 1 + (int)runs % 2, most * mrn_random_unit(seed, runs, attempt))) break;
            if (attempt > 20) most *= 1.2;
        }
        runs++;
        if (!mrn_resume(run_path, NULL, &resumed, &error)) fail_msg("%s", error.message);
        assert_true(resumed.state_hash == whole.state_hash);
        assert_int_equal(resumed.steps, whole.steps);
        assert_true(resumed.contacts_mean == whole.contacts_mean && resumed.sweeps_mean == whole.sweeps_mean);
        assert_true(resumed.contacts_max == whole.contacts_max && resumed.unsolved_steps == whole.unsolved_steps);
        assert_true(resumed.residual_max == whole.residual_max && resumed.penetration_max == whole.penetration_max);
        assert_true(resumed.energy_start == whole.energy_start && resumed.energy_end == whole.energy_end);
        assert_same_files(run_path, other_path, dimension);
    } while (kills < 25 || (mrn_wall_seconds() - start < 4 && kills < 200));
    print_message("    %u runs, %u kills\n", runs, kills);
}

static void killed_runs_of_falling_discs_end_with_the_same_bits(void **state) {
    (void)state;
    kill_and_resume(discs, 2, 1);
}

static void killed_runs_of_a_ball_against_a_stack_end_with_the_same_bits(void **state) {
    (void)state;
    kill_and_resume(boxes, 3, 2);
}

static void killed_runs_of_floes_that_break_end_with_the_same_bits(void **state) {
    (void)state;
    kill_and_resume(floes, 2, 3);
}

static int set_up(void **state) {
    (void)state;
    snprintf(directory, sizeof directory, "%s/moraine-resume-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory)) return -1;
    snprintf(run_path, sizeof run_path, "%s/run.h5", directory);
    snprintf(other_path, sizeof other_path, "%s/other.h5", directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static bool end_at_the_last_step(void *context, const MrnStepInfo *info, double end_time, double elapsed) {
    (void)context, (void)elapsed;
    if (info->time >= end_time - 1e-9) _exit(0); // as if killed before the last checkpoint
    return true;
}

static void a_run_killed_after_its_last_step_still_gets_its_last_frame(void **state) {
    (void)state;
    // 200 steps, frames every 7: the last frame is not due, it is there because the run ends.
    static const char text[] = DISCS("1 us");
    MrnError error = {0};
    MrnRunSummary whole, resumed;
    unlink(run_path);
    if (!run_text(text, 1, other_path, &whole, &error)) fail_msg("%s", error.message);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
        MrnRunOptions options = mrn_run_defaults();
        options.output = run_path;
        options.progress = end_at_the_last_step;
        mrn_run(scene, &options, NULL, &error);
        _exit(1); // the progress was not told of the last step
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (!mrn_resume(run_path, NULL, &resumed, &error)) fail_msg("%s", error.message);
    assert_true(resumed.state_hash == whole.state_hash);
    assert_same_files(run_path, other_path, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_killed_after_its_last_step_still_gets_its_last_frame, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_runs_of_falling_discs_end_with_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_runs_of_a_ball_against_a_stack_end_with_the_same_bits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(killed_runs_of_floes_that_break_end_with_the_same_bits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
