// The table of commands, and how a mistyped name is understood.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS(X) X(run) X(resume) X(check) X(new) X(gallery) X(solve) X(solvers) X(info) X(help)

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

/// Edits (insert, delete, replace, swap of neighbours) that turn a into b: the restricted Damerau-Levenshtein distance.
static size_t edit_distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b), width = columns + 1;
    size_t *cost = calloc((rows + 1) * width, sizeof *cost);
    if (!cost) return rows + columns;
    for (size_t i = 0; i <= rows; i++) {
        for (size_t j = 0; j <= columns; j++) {
            size_t *here = &cost[i * width + j];
            if (i == 0 || j == 0) {
                *here = i + j;
                continue;
            }
            size_t replace = cost[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]);
            size_t remove = cost[(i - 1) * width + j] + 1, insert = cost[i * width + j - 1] + 1;
            *here = replace < remove ? replace : remove;
            if (insert < *here) *here = insert;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                size_t swap = cost[(i - 2) * width + j - 2] + 1;
                if (swap < *here) *here = swap;
            }
        }
    }
    size_t distance = cost[rows * width + columns];
    free(cost);
    return distance;
}

const char *mrn_nearest(const char *word, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t length = strlen(word), best_distance = 0;
    if (length > 100) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        // A word that begins a candidate, or that a candidate begins, is nearer than its length says.
        size_t shorter = strlen(candidates[i]) < length ? strlen(candidates[i]) : length;
        if (shorter >= 3 && strncmp(word, candidates[i], shorter) == 0) distance = distance ? 1 : 0;
        if (!best || distance < best_distance) best = candidates[i], best_distance = distance;
    }
    return best && best_distance <= 1 + length / 4 && best_distance < length ? best : NULL;
}
