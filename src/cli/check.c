// moraine check: validate a scene and describe it; run nothing.
#include "cli/describe.h"
#include "cli/input.h"

static int run_check(const MrnArguments *arguments) {
    int exit_code;
    MrnScene *scene = mrn_cli_read_scene(arguments, &exit_code);
    if (!scene) return exit_code;
    // The reader has checked every field by itself; bodies that overlap show only when the world is made.
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    if (!world)
        exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", scene->name, error.message);
    else {
        exit_code = MRN_EXIT_DONE;
        if (arguments->json)
            mrn_cli_print_json(mrn_scene_describe(scene));
        else if (!arguments->quiet) {
            mrn_scene_print(stdout, scene);
            puts("  overlaps    none\nThe scene is right.");
        }
    }
    mrn_world_free(world);
    mrn_scene_free(scene);
    return exit_code;
}

const MrnCommand mrn_command_check = {
    .name = "check",
    .operands = "SCENE",
    .operand_kind = MRN_VALUE_SCENE,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "validate a scene and describe it; run nothing",
    .description = "Reads SCENE (a path, gallery:NAME, or - for standard input) as moraine run does, looks for bodies "
                   "that overlap at the start, and "
                   "says what is in it: bodies by kind and shape, materials and laws, mass, size, scheme, and how much "
                   "there is to compute. "
                   "Exit code 0 means that moraine run will accept it.",
    .options =
        (const MrnOption[]){
            {"set", 's', "PATH=VALUE", MRN_VALUE_ASSIGNMENT, "replace or add a value of the scene; may be repeated"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields = mrn_scene_fields,
    .examples =
        (const MrnExample[]){
            {"moraine check blocks.yaml", "is it right, and what is in it?"},
            {"moraine check blocks.yaml --quiet && moraine run blocks.yaml", "in a script"},
            {NULL, NULL},
        },
    .run = run_check,
};
