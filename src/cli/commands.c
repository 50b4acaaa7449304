// The table of commands, in the order of help. A new sub-command is one file with one row, and one word here.
#include "cli/cli.h"

#include <string.h>

// clang-format off
#define COMMANDS(X)                                                                                                    \
    X(run) X(resume) X(check) X(new) X(gallery) X(verify) X(solve) X(solvers) X(compare)                               \
    X(view) X(plot) X(movie) X(report) X(export) X(info) X(help)
// clang-format on

#define X(name) extern const MrnCommand mrn_command_##name;
COMMANDS(X)
#undef X

const MrnCommand *const mrn_commands[] = {
#define X(name) &mrn_command_##name,
    COMMANDS(X)
#undef X
};
const size_t mrn_command_count = sizeof mrn_commands / sizeof *mrn_commands;

const MrnOption mrn_common_options[] = {
    {"json", 0, NULL, MRN_VALUE_NONE, "print exactly one JSON object on standard output"},
    {"quiet", 'q', NULL, MRN_VALUE_NONE, "print no progress and no summary; errors are still printed"},
    {"help", 'h', NULL, MRN_VALUE_NONE, "print help and exit"},
    {"version", 'V', NULL, MRN_VALUE_NONE, "print the version and the optional parts that are in, and exit"},
    {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
};

const MrnCommand *mrn_command_find(const char *name) {
    for (size_t i = 0; i < mrn_command_count; i++)
        if (strcmp(mrn_commands[i]->name, name) == 0) return mrn_commands[i];
    return NULL;
}
