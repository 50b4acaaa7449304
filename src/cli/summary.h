// What `run` and `resume` do alike: run under progress and signals, then say how it went.
#ifndef MRN_CLI_SUMMARY_H
#define MRN_CLI_SUMMARY_H

#include "cli/cli.h"
#include <sys/types.h>

extern const MrnJsonField mrn_summary_fields[]; ///< the JSON object of both commands

/// A run, or the rest of one.
typedef struct MrnRunJob {
    MrnScene *scene;  ///< NULL: go on with the run in `path`
    const char *path; ///< run file; NULL: keep none
    pid_t viewer;     ///< process that shows the run (see viewer.h), or 0
} MrnRunJob;

/// How collisions were solved, as JSON and as lines; nothing to print where there were none.
json_t *mrn_json_collisions(const MrnCollisionCount *count);
void mrn_print_collisions(const MrnCollisionCount *count);

/// Do it, report it, and return the exit code.
int mrn_cli_run(const MrnArguments *arguments, const MrnRunJob *job);

#endif
