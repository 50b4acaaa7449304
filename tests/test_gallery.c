// Every scene of the gallery is right and takes its first twenty steps soundly: solved, finite, with their energy
// balanced.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <moraine/moraine.h>
#include <stdio.h>
#include <string.h>

static void take_twenty_steps(const char *path) {
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read(path, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    if (!world) fail_msg("%s: %s", path, error.message);
    for (int k = 0; k < 20; k++) {
        MrnStepInfo info = {0};
        if (!mrn_world_step(world, &info, &error)) fail_msg("%s, step %d: %s", path, k + 1, error.message);
        if (info.status != MRN_SOLVED)
            fail_msg("%s, step %d: %s at %g", path, k + 1, mrn_solve_status_name((MrnSolveStatus)info.status),
                     info.scaled_residual);
        double energy = info.kinetic_energy + fabs(info.potential_energy) + fabs(info.dissipated_energy);
        if (!isfinite(energy) || !isfinite(info.max_speed))
            fail_msg("%s, step %d: energy %g J, speed %g m/s", path, k + 1, energy, info.max_speed);
        bool exact = !strcmp(scene->scheme.stepper, "moreau-jean");
        if (exact && fabs(info.energy_defect) > 1e-9 * energy)
            fail_msg("%s, step %d: energy defect %g J of %g J", path, k + 1, info.energy_defect, energy);
    }
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void every_scene_of_the_gallery_takes_its_first_twenty_steps(void **state) {
    (void)state;
    glob_t scenes;
    assert_int_equal(glob(MORAINE_SOURCE_DIR "/gallery/*.yaml", 0, NULL, &scenes), 0);
    assert_true(scenes.gl_pathc >= 38);
    for (size_t i = 0; i < scenes.gl_pathc; i++) take_twenty_steps(scenes.gl_pathv[i]);
    globfree(&scenes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_of_the_gallery_takes_its_first_twenty_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
