// How far a job over frames is (export, movie, report), stopping it from outside, and what such commands share.
#ifndef MRN_CLI_JOB_H
#define MRN_CLI_JOB_H

#include "cli/cli.h"

typedef struct MrnJobLine {
    bool quiet, terminal;
    bool drawn; ///< a line is on the terminal now
    const char *unit;
    double start, next; ///< wall seconds
} MrnJobLine;

/// `unit` names what is counted: "frame". SIGINT, SIGTERM and SIGHUP ask the job to stop cleanly from now on.
MrnJobLine mrn_job_start(const MrnArguments *arguments, const char *unit);
/// Told how many are done; false when a signal asked to stop. `context` is an MrnJobLine.
bool mrn_job_show(void *context, size_t done, size_t count);
void mrn_job_end(MrnJobLine *line); ///< clear the line
/// After a job that was stopped: end as the signal would have. Returns only if none was caught.
void mrn_job_raise(void);

/// Open the run file that the first operand names; NULL after an error was reported with its exit code in *exit_code.
MrnRunFile *mrn_cli_open_run(const MrnArguments *arguments, int *exit_code);
/// RUN without its folder and ending, then `suffix`, in the current folder; free() it.
char *mrn_cli_beside(const char *run, const char *suffix);
/// Frames from an option like "10:20", "5", "10:", ":20"; negative numbers count from the end. False if it is none.
bool mrn_cli_frame_range(const char *text, int64_t *first, int64_t *last);

#endif
