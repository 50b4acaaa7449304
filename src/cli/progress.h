// How far a run is, and stopping it from outside.
#ifndef MRN_CLI_PROGRESS_H
#define MRN_CLI_PROGRESS_H

#include "cli/cli.h"

typedef struct MrnProgressLine {
    bool quiet;
    bool terminal;     ///< one line that is written over; otherwise a line every few seconds
    bool drawn;        ///< a line is on the terminal now
    double next;       ///< wall seconds at which to print again
    int64_t last_step; ///< at the last print
    double last_time, last_wall;
    double step_rate; ///< steps per second, smoothed
    double time_rate; ///< simulated seconds per wall second, smoothed
} MrnProgressLine;

/// Catch SIGINT, SIGTERM and SIGHUP: the first one asks the run to stop at the next step, the second one of a kind
/// kills.
void mrn_signals_catch(void);
int mrn_signal_caught(void); ///< its number, or 0
/// End as if the signal had not been caught, so that a shell loop stops too. Returns only if that is not possible.
void mrn_signal_raise(int signal);

MrnProgressLine mrn_progress_start(const MrnArguments *arguments);
/// An MrnProgress; `context` is an MrnProgressLine.
bool mrn_progress_show(void *context, const MrnStepInfo *info, double end_time, double wall_seconds);
void mrn_progress_end(MrnProgressLine *line); ///< clear the line

#endif
