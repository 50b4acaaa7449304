// Published figures by name: each quick one can be made, and shows what was published.
#include "core_support.h"
#include "model/model.h"
#include "verify/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const MrnFigureRequest plain = {.end = NAN};

static void every_plot_of_the_specification_has_a_name(void **state) {
    (void)state;
    static const char *const wanted[] = {"T-2.3",  "T-2.4",  "T-2.5",  "T-2.6",  "T-2.28", "T-3.3",  "T-3.6",
                                         "T-3.8",  "T-3.9",  "T-3.10", "T-3.11", "T-3.12", "T-3.13", "T-3.16",
                                         "T-3.17", "T-3.18", "T-3.19", "T-3.20", "T-3.21", "T-3.22", "T-3.23",
                                         "T-3.24", "T-3.25", "T-3.26", "T-3.27", "T-3.28", "T-3.29", "T-3.30",
                                         "T-3.31", "T-3.32", "T-3.33", "T-3.34", "T-3.35", "T-3.36", "P-26"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_non_null(mrn_figure_find(wanted[i]));
    assert_int_equal(mrn_figure_count(), sizeof wanted / sizeof *wanted);
    assert_non_null(mrn_figure_find("t-3.12"));
    assert_null(mrn_figure_find("T-9.9"));
}

static void quick_figures_have_curves_or_views(void **state) {
    (void)state;
    for (size_t i = 0; i < mrn_figure_count(); i++) {
        const MrnFigure *figure = mrn_figure_at(i);
        if (figure->cost[0]) continue;
        MrnFigureResult result = {0};
        MrnError error = {0};
        if (!figure->make(&plain, &result, &error)) fail_msg("%s: %s", figure->name, error.message);
        assert_true(result.curves.count + result.views.count > 0);
        for (size_t k = 0; k < result.curves.count; k++) {
            const MrnSheet *sheet = &result.curves.data[k].sheet;
            assert_true(mrn_sheet_rows(sheet) > 3 && sheet->columns.count > 1);
            for (size_t c = 0; c < sheet->columns.count; c++) {
                size_t finite = 0;
                for (size_t row = 0; row < mrn_sheet_rows(sheet); row++)
                    finite += isfinite(mrn_sheet_value(sheet, row, c)) != 0;
                assert_true(finite > 3);
            }
        }
        for (size_t k = 0; k < result.views.count; k++)
            assert_true(result.views.data[k].frame < result.frames.frames.count);
        mrn_figure_result_free(&result);
    }
}

/// The last row of a curve.
static double last_value(const MrnFigureResult *result, size_t curve, size_t column) {
    const MrnSheet *sheet = &result->curves.data[curve].sheet;
    return mrn_sheet_value(sheet, mrn_sheet_rows(sheet) - 1, column);
}

static MrnFigureResult make(const char *name) {
    MrnFigureResult result = {0};
    MrnError error = {0};
    assert_true(mrn_figure_find(name)->make(&plain, &result, &error));
    return result;
}

static void figures_end_where_the_published_ones_do(void **state) {
    (void)state;
    MrnFigureResult turning = make("T-3.12"), box = make("T-3.3"), drift = make("T-3.11"), days = make("T-3.13");
    close_to(last_value(&turning, 0, 0), 13500, 5, "figure"); // m east after two days, without the ocean layer
    close_to(last_value(&turning, 0, 1), -4175, 5, "figure");
    close_to(atan2(-last_value(&turning, 1, 1), last_value(&turning, 1, 0)) * 180 / 3.14159265, 28.13, 0.02, "figure");
    close_to(last_value(&box, 0, 1), 16, 0.05, "figure"); // friction 0: 16 m after 7 s
    close_to(last_value(&box, 0, 4), 2.1937, 0.05, "figure");
    close_to(last_value(&box, 0, 6), 0, 1e-9, "figure");
    close_to(last_value(&drift, 0, 1), 0.33424, 1e-4, "figure");
    close_to(last_value(&days, 1, 0), -30100, 6, "figure");
    close_to(last_value(&days, 1, 1), -41410, 6, "figure");
    mrn_figure_result_free(&turning);
    mrn_figure_result_free(&box);
    mrn_figure_result_free(&drift);
    mrn_figure_result_free(&days);
}

static void overrides_and_the_end_reach_the_runs_of_a_figure(void **state) {
    (void)state;
    static const char *const fewer[] = {"generate.floe.floes.count=8"}, *const wrong[] = {"generate.floe.floes.cont=8"};
    MrnFigureRequest request = {.overrides = fewer, .override_count = 1, .end = 3600};
    MrnFigureResult result = {0};
    MrnError error = {0};
    assert_true(mrn_figure_find("T-3.36")->make(&request, &result, &error));
    assert_int_equal(result.curves.count, 9);
    close_to(last_value(&result, 0, 0), 3600, 1e-6, "figure");
    mrn_figure_result_free(&result);
    assert_true(mrn_figure_find("T-3.32")->make(&request, &result, &error));
    assert_int_equal(result.views.count, 4);
    assert_int_equal(result.views.data[0].scene->model->bodies.count, 8);
    mrn_figure_result_free(&result);
    request.overrides = wrong;
    assert_false(mrn_figure_find("T-3.36")->make(&request, &result, &error));
    assert_non_null(strstr(error.message, "cont"));
    mrn_figure_result_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plot_of_the_specification_has_a_name),
        cmocka_unit_test(quick_figures_have_curves_or_views),
        cmocka_unit_test(figures_end_where_the_published_ones_do),
        cmocka_unit_test(overrides_and_the_end_reach_the_runs_of_a_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
