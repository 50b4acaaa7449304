// moraine resume: go on from the last checkpoint of a run file.
#include "cli/input.h"
#include "cli/summary.h"

#include <errno.h>
#include <string.h>

static int run_resume(const MrnArguments *arguments) {
    const char *path = arguments->operands[0];
    switch (mrn_file_kind(path)) {
    case MRN_FILE_MISSING: return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    case MRN_FILE_OTHER:
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s is not a run file; to start a scene: moraine run",
                            path);
    case MRN_FILE_PROBLEM:
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                            "%s is an FCLIB problem, not a run file; to solve it: moraine solve", path);
    default: return mrn_cli_run(arguments, &(MrnRunJob){.path = path});
    }
}

const MrnCommand mrn_command_resume = {
    .name = "resume",
    .operands = "RUN.h5",
    .operand_kind = MRN_VALUE_RUN,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "go on with a run from its last checkpoint",
    .description = "Goes on with a run that was stopped or killed, in the same file, from its last checkpoint to the "
                   "end that it was given, or "
                   "to the time given with --until, which may lie beyond it. A resumed run has the same bits as an "
                   "uninterrupted one. A run "
                   "that is at its end already is left as it is.",
    .options =
        (const MrnOption[]){
            {"until", 'u', "TIME", MRN_VALUE_TIME,
             "end at this time, in seconds or with a unit, instead of the end that the run was given"},
            {"threads", 't', "N", MRN_VALUE_THREADS, "threads to use, instead of as many as before"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields = mrn_summary_fields,
    .examples =
        (const MrnExample[]){
            {"moraine resume blocks.h5", "finish a run that was stopped"},
            {"moraine resume blocks.h5 --until 20", "go on beyond the duration of the scene"},
            {NULL, NULL},
        },
    .run = run_resume,
};
