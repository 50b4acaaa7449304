// moraine run: a scene becomes a run file.
#include "cli/describe.h"
#include "cli/input.h"
#include "cli/summary.h"
#include "cli/viewer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/// SCENE without its folder (or gallery:) and ending, with .h5, in the current folder.
static char *default_output(const char *scene) {
    const char *colon = strncmp(scene, "gallery:", 8) == 0 ? scene + 7 : NULL, *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : colon ? colon + 1 : scene;
    if (strcmp(scene, "-") == 0) name = "scene";
    const char *dot = strrchr(name, '.');
    int length = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0) && dot > name ? (int)(dot - name)
                                                                                              : (int)strlen(name);
    char *path = mrn_alloc((size_t)length + 4, 1);
    sprintf(path, "%.*s.h5", length, name);
    return path;
}

static int run_run(const MrnArguments *arguments) {
    bool keep = !mrn_argument_given(arguments, "no-output");
    const char *given = mrn_argument_text(arguments, "output", NULL);
    if (given && !keep)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "--output and --no-output exclude each other");
    bool view = mrn_argument_given(arguments, "view");
    if (view && !keep)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "--view looks at the run file: it needs one");
    char *path = !keep ? NULL : given ? mrn_strdup(given) : default_output(arguments->operands[0]);
    MrnFileKind there = path ? mrn_file_kind(path) : MRN_FILE_MISSING;
    if ((there == MRN_FILE_OTHER || there == MRN_FILE_PROBLEM) && !mrn_argument_given(arguments, "force")) {
        int code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                                "%s exists and is not a run file; choose another with --output, or give --force", path);
        free(path);
        return code;
    }
    int exit_code = MRN_EXIT_CANNOT;
    MrnScene *scene = mrn_cli_read_scene(arguments, &exit_code);
    if (scene) {
        if (!arguments->quiet && scene->title && *scene->title) fprintf(stderr, "%s\n", scene->title);
        if (scene->scheme.time_step > mrn_scene_stable_step(scene))
            fprintf(stderr,
                    "moraine: time.step is %.4g s, but under this wind and current drag is stable only to %.4g s: "
                    "velocities may swing or grow\n",
                    scene->scheme.time_step, mrn_scene_stable_step(scene));
        pid_t viewer = view ? mrn_viewer_start(arguments, path) : 0;
        exit_code = viewer < 0 ? MRN_EXIT_CANNOT
                               : mrn_cli_run(arguments, &(MrnRunJob){.scene = scene, .path = path, .viewer = viewer});
        mrn_scene_free(scene);
    }
    free(path);
    return exit_code;
}

const MrnCommand mrn_command_run = {
    .name = "run",
    .operands = "SCENE",
    .operand_kind = MRN_VALUE_SCENE,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "run a scene and write a run file",
    .description = "Reads SCENE, a YAML file (docs/scene.md), gallery:NAME for a scene of the gallery, or - for "
                   "standard input; refuses it with "
                   "file, line and column if anything in it is wrong; then computes its motion and writes a run file "
                   "in HDF5 with frames, contacts, "
                   "the certificate of every step, and checkpoints.\n\n"
                   "The run file is SCENE without its folder, with the ending .h5, in the current folder, unless "
                   "--output says otherwise. A run "
                   "file of that name is replaced; another kind of file is not. A run that was stopped or killed goes "
                   "on with moraine resume. The "
                   "result has the same bits for any number of threads.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "RUN.h5", MRN_VALUE_FILE, "run file to write"},
            {"no-output", 0, NULL, MRN_VALUE_NONE, "write no run file"},
            {"force", 'f', NULL, MRN_VALUE_NONE, "replace the output whatever it is"},
            {"set", 's', "PATH=VALUE", MRN_VALUE_ASSIGNMENT, "replace or add a value of the scene; may be repeated"},
            {"until", 'u', "TIME", MRN_VALUE_TIME,
             "end at this time, in seconds or with a unit, instead of the scene's duration"},
            {"dump-problem", 0, "STEP", MRN_VALUE_COUNT,
             "write the one-step problem of this step as RUN-step-STEP.hdf5 (FCLIB); without it, the first step that "
             "does not converge is written"},
            {"threads", 't', "N", MRN_VALUE_THREADS, "threads to use, instead of the scene's number"},
            {"view", 0, NULL, MRN_VALUE_NONE,
             "show the run in the browser as it advances (see moraine view); stays open after the run until Ctrl-C"},
            {"port", 'p', "PORT", MRN_VALUE_COUNT, "with --view: port to listen on, instead of any that is free"},
            {"no-open", 0, NULL, MRN_VALUE_NONE, "with --view: do not open a browser"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields = mrn_summary_fields,
    .examples =
        (const MrnExample[]){
            {"moraine run blocks.yaml", "writes blocks.h5"},
            {"moraine run blocks.yaml -o steep.h5 --set gravity='3 -9 m/s2'", "the same with another gravity"},
            {"moraine run gallery:heap_of_polygons --until 0.5 --threads 2", "part of a gallery scene on two threads"},
            {"moraine run blocks.yaml --view", "watch it in the browser"},
            {"moraine run blocks.yaml --json | jq .state_hash", "one number of the result, for a script"},
            {NULL, NULL},
        },
    .run = run_run,
};
