// moraine info: what a file is and what it holds.
#include "cli/describe.h"
#include "cli/input.h"
#include "cli/summary.h"

#include "base/memory.h"
#include "problem/fclib.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// What the step table of a run says in short.
typedef struct RunDigest {
    double time; ///< s reached
    double contacts_mean, sweeps_mean;
    int64_t contacts_max, unsolved;
    double residual_max, scaled_residual_max, penetration_max;
    double energy_start, energy_end;
    MrnCollisionCount collisions;
} RunDigest;

static bool digest_steps(MrnRunFile *file, RunDigest *digest, MrnError *error) {
    *digest = (RunDigest){0};
    enum { CHUNK = 4096 };
    size_t count = mrn_run_file_step_count(file);
    MrnStepInfo *steps = mrn_alloc(CHUNK, sizeof *steps);
    bool done = true;
    for (size_t first = 0; first < count && done; first += CHUNK) {
        size_t length = count - first < CHUNK ? count - first : CHUNK;
        done = mrn_run_file_steps(file, first, length, steps, error);
        for (size_t i = 0; i < length && done; i++) {
            const MrnStepInfo *s = &steps[i];
            digest->time = s->time;
            digest->contacts_mean += (double)s->contacts / (double)count;
            digest->sweeps_mean += (double)s->sweeps / (double)count;
            if (s->contacts > digest->contacts_max) digest->contacts_max = s->contacts;
            digest->unsolved += s->status != MRN_SOLVED;
            mrn_collision_count_add(&digest->collisions, s);
            digest->residual_max = fmax(digest->residual_max, s->residual);
            digest->scaled_residual_max = fmax(digest->scaled_residual_max, s->scaled_residual);
            digest->penetration_max = fmax(digest->penetration_max, s->penetration);
            digest->energy_end = s->kinetic_energy + s->potential_energy;
            if (first + i == 0) digest->energy_start = digest->energy_end;
        }
    }
    free(steps);
    return done;
}

static void print_run(const char *path, MrnRunFile *file, const MrnScene *scene, const RunDigest *d) {
    size_t steps = mrn_run_file_step_count(file);
    printf("%s: a run of %s%s%s\n", path, scene->name, scene->title && *scene->title ? ": " : "",
           scene->title ? scene->title : "");
    printf("  bodies       %zu in %dD\n", mrn_model_body_count(scene->model), mrn_model_dimension(scene->model));
    printf("  steps        %zu to t = %.6g s of %.6g s%s\n", steps, d->time, scene->duration,
           d->time < scene->duration * (1 - 1e-9) ? "; moraine resume goes on" : "");
    printf("  frames       %zu, checkpoints %zu\n", mrn_run_file_frame_count(file),
           mrn_run_file_checkpoint_count(file));
    printf("  contacts     %.4g per step, at most %lld\n", d->contacts_mean, (long long)d->contacts_max);
    printf("  sweeps       %.4g per step\n", d->sweeps_mean);
    printf("  residual     %.2e at worst, scaled %.2e, %lld unsolved steps\n", d->residual_max, d->scaled_residual_max,
           (long long)d->unsolved);
    printf("  penetration  %.2e m at worst\n", d->penetration_max);
    printf("  energy       %.6g J after the first step, %.6g J after the last\n", d->energy_start, d->energy_end);
    mrn_print_collisions(&d->collisions);
    for (size_t i = 0; i < scene->override_count; i++) printf("  --set        %s\n", scene->overrides[i]);
}

static json_t *run_json(MrnRunFile *file, const MrnScene *scene, const RunDigest *d) {
    json_t *object = json_object(), *overrides = json_array();
    for (size_t i = 0; i < scene->override_count; i++)
        json_array_append_new(overrides, mrn_json_text(scene->overrides[i]));
    json_object_set_new(object, "kind", json_string("run"));
    json_object_set_new(object, "scene", mrn_json_text(scene->name));
    json_object_set_new(object, "title", mrn_json_text(scene->title));
    json_object_set_new(object, "overrides", overrides);
    json_object_set_new(object, "dimension", json_integer(mrn_model_dimension(scene->model)));
    json_object_set_new(object, "bodies", json_integer((json_int_t)mrn_model_body_count(scene->model)));
    json_object_set_new(object, "steps", json_integer((json_int_t)mrn_run_file_step_count(file)));
    json_object_set_new(object, "frames", json_integer((json_int_t)mrn_run_file_frame_count(file)));
    json_object_set_new(object, "checkpoints", json_integer((json_int_t)mrn_run_file_checkpoint_count(file)));
    json_object_set_new(object, "time", mrn_json_number(d->time));
    json_object_set_new(object, "duration", mrn_json_number(scene->duration));
    json_object_set_new(object, "contacts_mean", mrn_json_number(d->contacts_mean));
    json_object_set_new(object, "contacts_max", json_integer(d->contacts_max));
    json_object_set_new(object, "sweeps_mean", mrn_json_number(d->sweeps_mean));
    json_object_set_new(object, "residual_max", mrn_json_number(d->residual_max));
    json_object_set_new(object, "scaled_residual_max", mrn_json_number(d->scaled_residual_max));
    json_object_set_new(object, "penetration_max", mrn_json_number(d->penetration_max));
    json_object_set_new(object, "unsolved_steps", json_integer(d->unsolved));
    json_object_set_new(object, "collisions", mrn_json_collisions(&d->collisions));
    return object;
}

static int info_run(const MrnArguments *arguments, const char *path) {
    MrnError error = {0};
    RunDigest digest;
    MrnRunFile *file = mrn_run_file_open(path, &error);
    MrnScene *scene = file ? mrn_run_file_scene(file, &error) : NULL;
    int exit_code = MRN_EXIT_DONE;
    if (!scene || !digest_steps(file, &digest, &error))
        exit_code = mrn_cli_error(arguments, &error);
    else if (arguments->json)
        mrn_cli_print_json(run_json(file, scene, &digest));
    else
        print_run(path, file, scene, &digest);
    mrn_scene_free(scene);
    mrn_run_file_close(file);
    return exit_code;
}

static int info_problem(const MrnArguments *arguments, const char *path) {
    MrnError error = {0};
    MrnProblem *problem = NULL;
    if (!mrn_fclib_read(path, &problem, NULL, &error)) return mrn_cli_error(arguments, &error);
    double low = INFINITY, high = -INFINITY;
    for (size_t c = 0; c < problem->contacts; c++) {
        low = fmin(low, problem->friction[c]);
        high = fmax(high, problem->friction[c]);
    }
    mrn_problem_assemble(problem);
    size_t blocks = problem->delassus ? problem->delassus->start[problem->delassus->rows] : 0;
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set_new(object, "kind", json_string("problem"));
        json_object_set_new(object, "dimension", json_integer(problem->dimension));
        json_object_set_new(object, "contacts", json_integer((json_int_t)problem->contacts));
        json_object_set_new(object, "blocks", json_integer((json_int_t)blocks));
        json_object_set_new(object, "friction_min", mrn_json_number(low));
        json_object_set_new(object, "friction_max", mrn_json_number(high));
        mrn_cli_print_json(object);
    } else {
        printf("%s: an FCLIB problem in %dD\n  contacts     %zu\n  blocks       %zu in the Delassus matrix\n", path,
               problem->dimension, problem->contacts, blocks);
        if (problem->contacts) printf("  friction     %.6g to %.6g\n", low, high);
    }
    mrn_problem_free(problem);
    return MRN_EXIT_DONE;
}

static int info_scene(const MrnArguments *arguments) {
    int exit_code = MRN_EXIT_DONE;
    MrnScene *scene = mrn_cli_read_scene(arguments, &exit_code);
    if (!scene) return exit_code;
    if (arguments->json)
        mrn_cli_print_json(mrn_scene_describe(scene));
    else
        mrn_scene_print(stdout, scene);
    mrn_scene_free(scene);
    return MRN_EXIT_DONE;
}

static int run_info(const MrnArguments *arguments) {
    const char *path = arguments->operands[0];
    if (strncmp(path, "gallery:", 8) == 0 || strcmp(path, "-") == 0) return info_scene(arguments);
    switch (mrn_file_kind(path)) {
    case MRN_FILE_RUN: return info_run(arguments, path);
    case MRN_FILE_PROBLEM: return info_problem(arguments, path);
    case MRN_FILE_OTHER:
        if (mrn_file_is_text(path)) return info_scene(arguments);
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                            "%s is neither a run file nor an FCLIB problem nor a scene", path);
    case MRN_FILE_HDF5:
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                            "%s is an HDF5 file, but neither a run nor an FCLIB problem, or it is damaged", path);
    default: return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    }
}

const MrnCommand mrn_command_info = {
    .name = "info",
    .operands = "FILE",
    .operand_kind = MRN_VALUE_FILE,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "say what a file is and what it holds",
    .description = "Recognises a run file, an FCLIB problem or a scene by its contents, and says what it holds. Of a "
                   "run: how far it came and how "
                   "exactly it was solved. Of a problem: contacts, blocks and friction. Of a scene: the same as "
                   "moraine check, without "
                   "the search for overlaps.",
    .fields =
        (const MrnJsonField[]){
            {"kind", "string", "run, problem or scene; a scene has the fields of moraine check"},
            {"dimension", "integer", "2 or 3"},
            {"scene", "string", "of a run: name of the scene that it was made from"},
            {"title", "string or null", "of a run: title of that scene"},
            {"overrides[]", "string", "of a run: its --set values"},
            {"bodies", "integer", "of a run: bodies, obstacles included"},
            {"steps", "integer", "of a run: steps done"},
            {"frames", "integer", "of a run: frames recorded"},
            {"checkpoints", "integer", "of a run: checkpoints that it can be resumed from"},
            {"time", "number, s", "of a run: simulated time reached"},
            {"duration", "number, s", "of a run: simulated time that the scene wants"},
            {"contacts_mean", "number", "of a run: contacts per step, mean"},
            {"contacts_max", "integer", "of a run: contacts per step, most"},
            {"sweeps_mean", "number", "of a run: sweeps per step, mean"},
            {"residual_max", "number", "of a run: largest residual of a step"},
            {"scaled_residual_max", "number", "of a run: the same, scaled, which the tolerance is about"},
            {"penetration_max", "number, m", "of a run: deepest overlap of a step"},
            {"unsolved_steps", "integer", "of a run: steps that did not reach the tolerance"},
#define X(type, name, text) {"collisions." #name, "integer", "of a run: " text},
            MRN_COLLISION_COUNTERS(X)
#undef X
                {"contacts", "integer", "of a problem: contacts"},
            {"blocks", "integer", "of a problem: blocks of its Delassus matrix"},
            {"friction_min", "number or null", "of a problem: smallest coefficient of friction"},
            {"friction_max", "number or null", "of a problem: largest coefficient of friction"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine info blocks.h5", "how far did it come, and how exact is it?"},
            {NULL, NULL},
        },
    .run = run_info,
};
