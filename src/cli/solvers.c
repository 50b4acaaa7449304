// moraine solvers: the table of solvers, as the library knows it.
#include "cli/cli.h"

#include <string.h>

static int run_solvers(const MrnArguments *arguments) {
    MrnSolverSettings defaults = mrn_solver_defaults();
    if (arguments->json) {
        json_t *object = json_object(), *list = json_array();
        for (size_t i = 0; i < mrn_solver_count(); i++) {
            const MrnSolverEntry *entry = mrn_solver_at(i);
            json_t *solver = json_object();
            json_object_set_new(solver, "name", mrn_json_text(entry->name));
            json_object_set_new(solver, "summary", mrn_json_text(entry->summary));
            json_object_set_new(solver, "problems", mrn_json_text(entry->problems));
            json_object_set_new(solver, "options", mrn_json_text(entry->options));
            json_array_append_new(list, solver);
        }
        json_object_set_new(object, "default", mrn_json_text(defaults.solver));
        json_object_set_new(object, "solvers", list);
        mrn_cli_print_json(object);
        return MRN_EXIT_DONE;
    }
    for (size_t i = 0; i < mrn_solver_count(); i++) {
        const MrnSolverEntry *entry = mrn_solver_at(i);
        printf("%s%s\n    %s\n    solves: %s\n", entry->name,
               strcmp(entry->name, defaults.solver) == 0 ? " (default)" : "", entry->summary, entry->problems);
        if (entry->options && *entry->options) printf("    options: %s\n", entry->options);
    }
    return MRN_EXIT_DONE;
}

const MrnCommand mrn_command_solvers = {
    .name = "solvers",
    .operands = "",
    .summary = "list the solvers and what each can do",
    .description = "Lists the solvers of the one-step contact problem: what each is, which problems it can solve, and "
                   "its options, which are given "
                   "with moraine solve --options or in the solver section of a scene.",
    .fields =
        (const MrnJsonField[]){
            {"default", "string", "solver that is used where none is named"},
            {"solvers[].name", "string", "its name"},
            {"solvers[].summary", "string", "what it is and when to use it"},
            {"solvers[].problems", "string", "which problems it can solve"},
            {"solvers[].options", "string or null", "its options, with their defaults"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine solvers", "what there is"},
            {NULL, NULL},
        },
    .run = run_solvers,
};
