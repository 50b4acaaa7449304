// moraine report: one page about a run.
#include "cli/job.h"

#include "report/report.h"

#include <stdlib.h>

static int run_report(const MrnArguments *arguments) {
    int exit_code = MRN_EXIT_DONE;
    MrnRunFile *file = mrn_cli_open_run(arguments, &exit_code);
    if (!file) return exit_code;
    char *beside = mrn_cli_beside(arguments->operands[0], "-report.html");
    const char *path = mrn_argument_text(arguments, "output", beside);
    MrnReportOptions options = {.run_path = arguments->operands[0],
                                .pictures = !mrn_argument_given(arguments, "no-pictures")};
    MrnReportSummary summary;
    MrnError error = {0};
    if (!mrn_report_write(file, &options, path, &summary, &error)) {
        exit_code = mrn_cli_error(arguments, &error);
    } else if (arguments->json) {
        json_t *object = json_object();
        json_object_set_new(object, "output", mrn_json_text(path));
        json_object_set_new(object, "verdict", json_string(mrn_verdict_name(summary.verdict)));
        json_object_set_new(object, "sentence", mrn_json_text(summary.sentence));
        json_object_set_new(object, "bytes", json_integer((json_int_t)summary.bytes));
        mrn_cli_print_json(object);
    } else if (!arguments->quiet) {
        printf("%s\nwritten to %s\n", summary.sentence, path);
    }
    mrn_run_file_close(file);
    free(beside);
    return exit_code;
}

const MrnCommand mrn_command_report = {
    .name = "report",
    .operands = "RUN.h5",
    .operand_kind = MRN_VALUE_RUN,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "write one self-contained page about a run",
    .description =
        "Writes an HTML page that holds everything it shows and needs no network: what was simulated, pictures, curves "
        "over time, certificates with a verdict in words, performance, and how to reproduce the run. It follows the "
        "light or dark setting of the browser and prints well.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "FILE", MRN_VALUE_FILE, "page to write, default RUN-report.html"},
            {"no-pictures", 0, NULL, MRN_VALUE_NONE, "leave out the pictures, for a small file"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"output", "string", "page that was written"},
            {"verdict", "string", "sound, attention or unsound: the worst of all checks"},
            {"sentence", "string", "the verdict in words"},
            {"bytes", "integer", "size of the page"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine report blocks.h5", "writes blocks-report.html, a page to send to a colleague"},
            {NULL, NULL},
        },
    .run = run_report,
};
