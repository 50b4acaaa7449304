// Reports: what the numbers of a run say about it, curves that lose no peak, text that cannot break the page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/section.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/moraine-report-XXXXXX";
static char page_path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(page_path, sizeof page_path, "%s/page", folder);
    return 0;
}
static int remove_folder(void **state) {
    (void)state;
    unlink(page_path);
    return rmdir(folder);
}

static char *read_page(void) {
    FILE *file = fopen(page_path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    assert_true(size < (1 << 20) - 1);
    fclose(file);
    return text;
}

/// A sound run of 100 steps that dissipates 1 J: what the tests then spoil.
typedef struct Made {
    MrnReport report;
    MrnScene scene;
    MrnStepInfo steps[100];
} Made;

static void make(Made *made) {
    *made = (Made){.scene = {.scheme = mrn_scheme_defaults()}};
    made->scene.scheme.solver.tolerance = 1e-6;
    made->report = (MrnReport){.scene = &made->scene,
                               .step_count = 100,
                               .steps = made->steps,
                               .smallest = 0.1,
                               .parameters = {.end_time = 0.1, .time_step = 1e-3}};
    for (int i = 0; i < 100; i++)
        made->steps[i] = (MrnStepInfo){.step = i + 1,
                                       .time = 1e-3 * (i + 1),
                                       .status = MRN_SOLVED,
                                       .residual = 1e-7,
                                       .scaled_residual = 1e-7,
                                       .kinetic_energy = 2 - 0.01 * (i + 1),
                                       .dissipated_energy = 0.01};
}

static MrnVerdict judged(Made *made) {
    // The digest of the steps as the report makes it, without a file.
    mrn_report_digest_steps(&made->report);
    mrn_report_judge(&made->report);
    return made->report.verdict;
}

static const MrnFinding *finding(const Made *made, const char *name) {
    for (size_t i = 0; i < made->report.finding_count; i++)
        if (strcmp(made->report.findings[i].name, name) == 0) return &made->report.findings[i];
    fail_msg("no finding %s", name);
    return NULL;
}

static void a_run_is_as_good_as_its_worst_step(void **state) {
    (void)state;
    Made *made = malloc(sizeof *made);
    make(made);
    assert_int_equal(judged(made), MRN_VERDICT_SOUND);
    assert_string_equal(made->report.sentence,
                        "Every step met its tolerance, bodies never overlapped, and the energy books close.");

    make(made);
    made->steps[70].status = MRN_MAX_ITERATIONS, made->steps[70].scaled_residual = 3e-5;
    assert_int_equal(judged(made), MRN_VERDICT_ATTENTION);
    assert_non_null(strstr(finding(made, "Equations solved")->text, "3.0·10⁻⁵, in step 71"));
    made->steps[70].residual = 0.3; // one step that means nothing is enough
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);
    make(made);
    for (int i = 0; i < 2; i++) made->steps[i].status = MRN_MAX_ITERATIONS; // more than 1 %
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);

    make(made);
    made->steps[10].penetration = 0.0009; // 0.9 % of a body
    assert_int_equal(judged(made), MRN_VERDICT_SOUND);
    made->steps[10].penetration = 0.003;
    assert_int_equal(judged(made), MRN_VERDICT_ATTENTION);
    assert_string_equal(finding(made, "Penetration")->value, "3 mm");
    made->steps[10].penetration = 0.006;
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);

    make(made);
    made->steps[50].energy_defect = -1e-4;
    assert_int_equal(judged(made), MRN_VERDICT_ATTENTION);
    assert_int_equal(finding(made, "Energy balance")->verdict, MRN_VERDICT_ATTENTION);
    made->steps[50].energy_defect = 0.1;
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);

    make(made);
    made->steps[50].cone_violation = 1e-2;
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);
    make(made);
    made->steps[99].kinetic_energy = NAN;
    assert_int_equal(judged(made), MRN_VERDICT_UNSOUND);
    assert_non_null(strstr(made->report.sentence, "not finite"));
    make(made);
    made->report.parameters.end_time = 0.2; // only half of it is there
    assert_int_equal(judged(made), MRN_VERDICT_ATTENTION);
    make(made);
    made->report.step_count = 0;
    judged(made);
    assert_string_equal(made->report.sentence, "Nothing was computed yet.");
    free(made);
}

static void thinned_curves_keep_every_peak(void **state) {
    (void)state;
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x), *y = calloc(N, sizeof *y);
    for (int i = 0; i < N; i++) x[i] = 1e-3 * (i + 1);
    y[34567] = 10, y[80001] = -10;
    MrnOutput out;
    MrnError error = {0};
    assert_true(mrn_output_open(&out, page_path, &error));
    MrnReport report = {.out = &out};
    MrnChartSeries series = {"value", y, 1, false, false};
    mrn_chart_write(&report, &(MrnChart){.title = "A & B",
                                         .unit = "m",
                                         .text = "x",
                                         .count = N,
                                         .x = x,
                                         .series_count = 1,
                                         .series = &series,
                                         .line = NAN});
    assert_true(mrn_output_close(&out, &error));
    char *text = read_page(), *path = strstr(text, "<path class=\"s1\" d=\"");
    assert_non_null(path);
    assert_non_null(strstr(text, "<b>A &amp; B</b>"));
    double low = INFINITY, high = -INFINITY;
    int points = 0;
    for (char *c = strchr(path, 'd') + 3; *c != '"'; points++) {
        double px, py;
        int used;
        assert_int_equal(sscanf(c + 1, "%lf %lf%n", &px, &py, &used), 2);
        low = fmin(low, py), high = fmax(high, py);
        c += 1 + used;
    }
    // Zero lies in the middle, both peaks equally far from it; and the path is short.
    assert_true(high - low > 150);
    assert_true(points < 2000);
    assert_true(strstr(text, "nan") == NULL);
    free(text);
    free(x);
    free(y);
}

static void text_cannot_break_the_page(void **state) {
    (void)state;
    MrnOutput out;
    MrnError error = {0};
    assert_true(mrn_output_open(&out, page_path, &error));
    mrn_html_text(&out, "<script>\"a\" & b</script> \xff\x01 10^{6} ü");
    mrn_output_text(&out, "|");
    mrn_html_format(&out, "%d 10^{%d}<", 3, 6);
    mrn_output_text(&out, "|");
    mrn_html_data_uri(&out, "text/plain", "Man", 3);
    mrn_html_data_uri(&out, "text/plain", "Ma", 2);
    mrn_html_data_uri(&out, "text/plain", "M", 1);
    assert_true(mrn_output_close(&out, &error));
    char *text = read_page();
    assert_string_equal(text, "&lt;script&gt;&quot;a&quot; &amp; b&lt;/script&gt; \xef\xbf\xbd\xef\xbf\xbd 10^{6} ü|"
                              "3 10<sup>6</sup>&lt;|data:text/plain;base64,TWFudata:text/plain;base64,TWE="
                              "data:text/plain;base64,TQ==");
    free(text);
    assert_string_equal(mrn_power(1.44e-4).text, "1.4·10⁻⁴");
    assert_string_equal(mrn_power(1e-6).text, "10⁻⁶");
    assert_string_equal(mrn_power(-2.5e12).text, "−2.5·10¹²");
    assert_string_equal(mrn_power(0).text, "0");
    assert_string_equal(mrn_power(INFINITY).text, "inf");
}

static void an_output_that_was_given_up_leaves_the_old_file(void **state) {
    (void)state;
    MrnOutput out;
    MrnError error = {0};
    assert_true(mrn_output_open(&out, page_path, &error));
    mrn_output_text(&out, "old");
    assert_true(mrn_output_close(&out, &error));
    assert_true(mrn_output_open(&out, page_path, &error));
    mrn_output_text(&out, "new");
    mrn_output_discard(&out);
    char *text = read_page();
    assert_string_equal(text, "old");
    free(text);
    char partial[80];
    snprintf(partial, sizeof partial, "%s.partial", page_path);
    assert_int_equal(access(partial, F_OK), -1);
    assert_true(mrn_output_open(&out, "/dev/full", &error));
    mrn_output_text(&out, "more");
    assert_false(mrn_output_close(&out, &error));
    assert_string_equal(error.message, "/dev/full: cannot write: No space left on device");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_as_good_as_its_worst_step),
        cmocka_unit_test(thinned_curves_keep_every_peak),
        cmocka_unit_test(text_cannot_break_the_page),
        cmocka_unit_test(an_output_that_was_given_up_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
