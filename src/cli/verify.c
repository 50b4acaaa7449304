// moraine verify: run the cases whose numbers are known and compare.
#include "cli/cli.h"

#include "base/memory.h"
#include "verify/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const relation_marks[] = {"", "<= ", ">= ", ""};

static void print_table(const MrnVerifyReport *report) {
    printf("%s  %s\n", report->about->name, report->about->title);
    for (size_t i = 0; i < report->rows.count; i++) {
        const MrnVerifyRow *row = &report->rows.data[i];
        char published[48], tolerance[32];
        snprintf(published, sizeof published, "%s%.10g", relation_marks[row->relation], row->published);
        snprintf(tolerance, sizeof tolerance, "%.3g", row->tolerance);
        printf("  %-4s  published %-20s computed %-18.10g tolerance %-9s %s%s%s%s\n",
               !row->pass                      ? "FAIL"
               : row->relation == MRN_MEASURED ? "note"
                                               : "pass",
               row->relation == MRN_MEASURED ? "-" : published, row->computed,
               row->relation == MRN_EQUAL ? tolerance : "-", row->quantity, *row->unit ? " [" : "", row->unit,
               *row->unit ? "]" : "");
    }
}

/// Sources are long and the same for most rows: once per case.
static void print_sources(const MrnVerifyReport *report) {
    const char *last = "";
    for (size_t i = 0; i < report->rows.count; i++) {
        const char *source = report->rows.data[i].source;
        if (*source && strcmp(source, last) != 0) printf("  source: %s\n", source);
        last = source;
    }
}

static json_t *row_json(const MrnVerifyRow *row) {
    static const char *const relations[] = {"equal", "at most", "at least", "measured"};
    json_t *object = json_object();
    json_object_set_new(object, "name", mrn_json_text(row->name));
    json_object_set_new(object, "quantity", mrn_json_text(row->quantity));
    json_object_set_new(object, "unit", mrn_json_text(row->unit));
    json_object_set_new(object, "relation", json_string(relations[row->relation]));
    json_object_set_new(object, "published", mrn_json_number(row->published));
    json_object_set_new(object, "computed", mrn_json_number(row->computed));
    json_object_set_new(object, "tolerance", mrn_json_number(row->tolerance));
    json_object_set_new(object, "pass", json_boolean(row->pass));
    json_object_set_new(object, "source", mrn_json_text(row->source));
    return object;
}

static bool is_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0) ||
           (length > 4 && strcmp(name + length - 4, ".yml") == 0);
}

typedef struct Tally {
    size_t cases, rows, failed_cases, failed_rows;
    size_t notes; ///< numbers that have no target: worth knowing, they cannot fail but by not being numbers
    double seconds;
    json_t *list;
} Tally;

static void report_case(const MrnArguments *arguments, const MrnVerifyReport *report, bool markdown, Tally *tally) {
    tally->cases++;
    tally->failed_cases += !mrn_verify_passed(report);
    tally->seconds += report->seconds;
    for (size_t i = 0; i < report->rows.count; i++) {
        tally->rows++;
        tally->failed_rows += !report->rows.data[i].pass;
        tally->notes += report->rows.data[i].pass && report->rows.data[i].relation == MRN_MEASURED;
        if (arguments->json) json_array_append_new(tally->list, row_json(&report->rows.data[i]));
    }
    if (!report->rows.count) tally->failed_rows++;
    if (arguments->json || markdown || arguments->quiet) return;
    print_table(report);
    print_sources(report);
    fflush(stdout);
}

/// Which cases to run: 1 per case of the list. False after saying what is wrong.
static bool choose(const MrnArguments *arguments, const MrnVerifyCase *cases, size_t count, bool *chosen,
                   int *exit_code) {
    bool all = mrn_argument_given(arguments, "all"), any = false;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        if (is_path(arguments->operands[i])) continue;
        char hint[200];
        int found = mrn_verify_find(arguments->operands[i], hint, sizeof hint);
        if (found < 0) {
            *exit_code =
                *hint ? mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "there is no case '%.80s'; did you mean '%s'?",
                                     arguments->operands[i], hint)
                      : mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                                     "there is no case '%.80s'; moraine verify --list names them",
                                     arguments->operands[i]);
            return false;
        }
        chosen[found] = any = true;
    }
    if (!any && arguments->operand_count == 0)
        for (size_t i = 0; i < count; i++) chosen[i] = all || !cases[i].slow;
    return true;
}

static int list_cases(const MrnArguments *arguments, const MrnVerifyCase *cases, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (arguments->json) {
            json_t *object = json_object();
            json_object_set_new(object, "name", mrn_json_text(cases[i].name));
            json_object_set_new(object, "title", mrn_json_text(cases[i].title));
            json_object_set_new(object, "scene", mrn_json_text(cases[i].scene));
            json_object_set_new(object, "slow", json_boolean(cases[i].slow));
            json_array_append_new(list, object);
        } else
            printf("%-8s %s%s%s%s%s\n", cases[i].name, cases[i].title, cases[i].scene ? " (gallery:" : "",
                   cases[i].scene ? cases[i].scene : "", cases[i].scene ? ")" : "", cases[i].slow ? ", slow" : "");
    }
    if (arguments->json) mrn_cli_print_json(json_pack("{s:O}", "available", list));
    json_decref(list);
    return MRN_EXIT_DONE;
}

static int run_verify(const MrnArguments *arguments) {
    bool markdown = mrn_argument_given(arguments, "markdown");
    if (markdown && arguments->json)
        return mrn_cli_fail(true, MRN_EXIT_USAGE, "--markdown and --json exclude each other");
    size_t count;
    const MrnVerifyCase *cases = mrn_verify_cases(&count);
    if (mrn_argument_given(arguments, "list")) return list_cases(arguments, cases, count);
    bool *chosen = mrn_alloc_zero(count + 1, sizeof *chosen);
    MrnVerifyReport *reports = mrn_alloc_zero(count + 1, sizeof *reports);
    Tally tally = {.list = json_array()};
    int exit_code = MRN_EXIT_DONE;
    bool fine = choose(arguments, cases, count, chosen, &exit_code), terminal = isatty(STDERR_FILENO) != 0;
    for (size_t i = 0; i < count && fine; i++) {
        reports[i].about = &cases[i];
        if (!chosen[i]) continue;
        if (!arguments->quiet && (terminal || markdown))
            fprintf(stderr, terminal ? "\r\033[K%s  %s" : "%s  %s\n", cases[i].name, cases[i].title);
        mrn_verify_run(&cases[i], &reports[i]);
        if (!arguments->quiet && terminal) fprintf(stderr, "\r\033[K");
        report_case(arguments, &reports[i], markdown, &tally);
    }
    for (size_t i = 0; i < arguments->operand_count && fine; i++) {
        if (!is_path(arguments->operands[i])) continue;
        MrnVerifyReport report;
        MrnError error = {0};
        fine = mrn_verify_file(arguments->operands[i], &report, &error);
        if (fine)
            report_case(arguments, &report, markdown, &tally);
        else
            exit_code = mrn_cli_error(arguments, &error);
        mrn_verify_report_free(&report);
    }
    if (fine) {
        bool passed = tally.failed_rows == 0 && tally.cases > 0;
        if (markdown)
            mrn_verify_markdown(stdout, reports, count);
        else if (arguments->json)
            mrn_cli_print_json(json_pack("{s:b,s:I,s:I,s:I,s:f,s:O}", "pass", passed, "cases", (json_int_t)tally.cases,
                                         "numbers", (json_int_t)tally.rows, "failed", (json_int_t)tally.failed_rows,
                                         "wall_seconds", tally.seconds, "rows", tally.list));
        else if (!arguments->quiet || !passed)
            printf("%s%zu case%s, %zu numbers: %zu pass, %zu fail; %zu more without a target; %.1f s\n",
                   arguments->quiet ? "" : "\n", tally.cases, tally.cases == 1 ? "" : "s", tally.rows - tally.notes,
                   tally.rows - tally.failed_rows - tally.notes, tally.failed_rows, tally.notes, tally.seconds);
        exit_code = passed ? MRN_EXIT_DONE : MRN_EXIT_UNSOLVED;
    }
    for (size_t i = 0; i < count; i++) mrn_verify_report_free(&reports[i]);
    free(reports);
    free(chosen);
    json_decref(tally.list);
    return exit_code;
}

const MrnCommand mrn_command_verify = {
    .name = "verify",
    .operands = "[NAME]...",
    .operand_kind = MRN_VALUE_TEXT,
    .operands_min = 0,
    .operands_max = -1,
    .summary = "run the cases with known numbers and compare",
    .description = "Runs the cases whose numbers are published or known exactly and prints, for each number, the "
                   "quantity, the published value, the "
                   "computed one, the tolerance, and whether it passes, then where the numbers come from.\n\n"
                   "NAME is a case such as T-C5, the name of a gallery scene that has an expect section, or the path "
                   "of any scene with one. Without a "
                   "NAME all quick cases run, with --all the slow ones too. The exit code is 0 if all numbers pass, 3 "
                   "if one does not.",
    .options =
        (const MrnOption[]){
            {"all", 'a', NULL, MRN_VALUE_NONE, "run the slow cases too"},
            {"list", 'l', NULL, MRN_VALUE_NONE, "list the cases and run none"},
            {"markdown", 'm', NULL, MRN_VALUE_NONE, "print the validation page (docs/validation.md) instead of tables"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"pass", "boolean", "every number passes"},
            {"cases", "integer", "cases that ran"},
            {"numbers", "integer", "numbers that were compared or measured"},
            {"failed", "integer", "numbers that do not pass"},
            {"wall_seconds", "number", "time of all cases, s"},
            {"rows[].name", "string", "case"},
            {"rows[].quantity", "string", "what is compared"},
            {"rows[].unit", "string", "its unit, empty for a pure number"},
            {"rows[].relation", "string",
             "equal (within the tolerance), at most, at least, or measured (nothing is compared)"},
            {"rows[].published", "number or null", "published or exact value, or the bound"},
            {"rows[].computed", "number or null", "value computed by this run; null if there is none"},
            {"rows[].tolerance", "number", "largest difference"},
            {"rows[].pass", "boolean", "the relation holds"},
            {"rows[].source", "string", "where the published value comes from"},
            {"available[]", "object",
             "with --list, instead of all the others: name, title, scene and slow of every case"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine verify", "all quick cases"},
            {"moraine verify T-C5", "the rocking block"},
            {"moraine verify my_scene.yaml", "a scene of your own that has an expect section"},
            {"moraine verify --all --json | jq '.rows[] | select(.pass | not)'", "every number that does not pass"},
            {NULL, NULL},
        },
    .run = run_verify,
};
