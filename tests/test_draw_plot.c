// Numbers, colours and line plots.
#include "draw_support.h"
#include "draw/number.h"

// ---- numbers and colours
// -----------------------------------------------------------------------------------------------

static void numbers_read_well(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } with_unit[] = {
        {0.5, "m", "0.5 m"}, {0.05, "m", "50 mm"},      {2e-6, "m", "2 µm"},          {1e5, "m", "100 km"},
        {0, "s", "0 s"},     {7200, "s", "2 h"},        {1e6, "s", "11.6 d"},         {-3200, "J", "−3.2 kJ"},
        {12, "1", "12"},     {2.5e7, "1", "25 10^{6}"}, {1e-30, "m", "1 10^{-30} m"}, {4000, "kg", "4e+03 kg"}};
    char text[64];
    for (size_t i = 0; i < sizeof with_unit / sizeof *with_unit; i++) {
        mrn_number_with_unit(with_unit[i].value, with_unit[i].unit, text, sizeof text);
        assert_string_equal(text, with_unit[i].text);
    }
    static const struct {
        double value, step;
        const char *text;
    } ticks[] = {{0.30000000000000004, 0.1, "0.3"},
                 {-1e-17, 0.5, "0.0"},
                 {2, 1, "2"},
                 {1500, 500, "1500"},
                 {-0.25, 0.05, "−0.25"},
                 {7.5, 2.5, "7.5"}};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        mrn_number_tick(ticks[i].value, ticks[i].step, text, sizeof text);
        assert_string_equal(text, ticks[i].text);
    }
    assert_float_equal(mrn_number_nice_below(7.3), 5, 1e-12);
    assert_float_equal(mrn_number_nice_below(0.002), 0.002, 1e-15);
    assert_float_equal(mrn_number_nice_below(1.9e-7), 1e-7, 1e-19);
}

static double distance(MrnColor a, MrnColor b) {
    double x[3], y[3], sum = 0;
    mrn_color_lab(a, x);
    mrn_color_lab(b, y);
    for (int k = 0; k < 3; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

static void colour_maps_are_monotone_in_lightness_and_even(void **state) {
    (void)state;
    for (int theme = 0; theme < 2; theme++) {
        MrnColor map[MRN_MAP_SIZE];
        mrn_color_map(MRN_MAP_SEQUENTIAL, (MrnTheme)theme, map);
        double least = INFINITY, most = 0;
        for (int i = 16; i < MRN_MAP_SIZE; i += 16) {
            double a[3], b[3], step = distance(map[i - 16], map[i]);
            mrn_color_lab(map[i - 16], a);
            mrn_color_lab(map[i], b);
            assert_true(theme == MRN_THEME_LIGHT ? b[0] < a[0] : b[0] > a[0]);
            least = fmin(least, step), most = fmax(most, step);
        }
        assert_true(most < 1.25 * least);
        mrn_color_map(MRN_MAP_DIVERGING, (MrnTheme)theme, map);
        // Both arms are equally light.
        for (int i = 0; i < 128; i++) {
            double a[3], b[3];
            mrn_color_lab(map[i], a);
            mrn_color_lab(map[255 - i], b);
            assert_float_equal(a[0], b[0], 0.03);
        }
    }
}

/// How a colour looks without red (0) or green (1) cones (Vienot, Brettel and Mollon 1999).
static MrnColor seen_without(MrnColor color, int cone) {
    double r = mrn_color_linear(color.r), g = mrn_color_linear(color.g), b = mrn_color_linear(color.b);
    double l = 17.8824 * r + 43.5161 * g + 4.11935 * b, m = 3.45565 * r + 27.1554 * g + 3.86714 * b,
           s = 0.0299566 * r + 0.184309 * g + 1.46709 * b;
    if (cone == 0)
        l = 2.02344 * m - 2.52581 * s;
    else
        m = 0.494207 * l + 1.24827 * s;
    double out[3] = {0.0809444479 * l - 0.130504409 * m + 0.116721066 * s,
                     -0.0102485335 * l + 0.0540193266 * m - 0.113614708 * s,
                     -0.000365296938 * l - 0.00412161469 * m + 0.693511405 * s};
    for (int k = 0; k < 3; k++) out[k] = mrn_color_encoded(fmin(fmax(out[k], 0), 1));
    return (MrnColor){out[0], out[1], out[2]};
}

static void colours_stay_apart_for_colour_blind_eyes(void **state) {
    (void)state;
    for (int theme = 0; theme < 2; theme++) {
        MrnInk ink = mrn_color_ink((MrnTheme)theme);
        for (int cone = 0; cone < 2; cone++) {
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < i; j++) {
                    double d = distance(seen_without(mrn_color_curve(i, (MrnTheme)theme), cone),
                                        seen_without(mrn_color_curve(j, (MrnTheme)theme), cone));
                    if (d < 0.08)
                        fail_msg("theme %d: curves %d and %d are %.3f apart without cone %d", theme, j, i, d, cone);
                }
            assert_true(distance(seen_without(ink.stick, cone), seen_without(ink.slip, cone)) > 0.15);
            assert_true(distance(seen_without(ink.strong, cone), seen_without(ink.weak, cone)) > 0.1);
        }
    }
}

// ---- plots
// -------------------------------------------------------------------------------------------------------------

static size_t pixels_of_color(const MrnImage *image, MrnColor color, int top, int bottom) {
    size_t count = 0;
    for (int y = top; y < bottom; y++)
        for (int x = 0; x < image->width; x++) count += difference(pixel(image, x, y), color) < 12;
    return count;
}

static MrnImage plot_image(const MrnPlot *plot) {
    MrnError error = {0};
    MrnImage image;
    if (!mrn_draw_plot_image(plot, &image, &error)) fail_msg("%s", error.message);
    return image;
}

static void no_peak_is_lost_in_a_long_series(void **state) {
    (void)state;
    if (!have_cairo) skip();
    size_t count = 1000000;
    double *x = malloc(count * sizeof *x), *y = calloc(count, sizeof *y);
    for (size_t i = 0; i < count; i++) x[i] = (double)i;
    y[543210] = 1; // a single value
    MrnSeries series = {.count = count, .x = x, .y = y};
    MrnPanel panel = {.series = &series, .series_count = 1};
    MrnPlot plot = {.panels = &panel, .panel_count = 1, .width = 500, .height = 300};
    MrnImage image = plot_image(&plot);
    MrnColor color = mrn_color_curve(0, MRN_THEME_LIGHT);
    for (int y0 = 40; y0 < 240; y0 += 20) assert_true(pixels_of_color(&image, color, y0, y0 + 20) >= 10);
    mrn_image_free(&image);
    MrnError error = {0};
    assert_true(mrn_draw_plot(&plot, in_folder("long.svg"), &error));
    size_t size;
    char *text = read_all(in_folder("long.svg"), &size);
    assert_true(size < 100000);
    free(text);
    free(x);
    free(y);
}

static void logarithmic_axis_survives_zeros_and_tiny_values(void **state) {
    (void)state;
    if (!have_cairo) skip();
    double x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double cases[5][8] = {{0, 1e-3, 0, 1e-6, 1e-9, 0, NAN, 1},
                          {0, 0, 0, 0, 0, 0, 0, 0},
                          {-1, -2, -3, 0, 0, 0, 0, 0},
                          {1e-300, 1e300, 1, 1, 1, 1, 1, 1},
                          {5e-324, 5e-324, 5e-324, 0, 0, 0, 0, 0}};
    for (int i = 0; i < 5; i++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            MrnSeries series = {.label = "r", .count = 8, .x = x, .y = cases[i]};
            MrnPanel panel = {
                .left = {.logarithmic = logarithmic, .label = "residual"}, .series = &series, .series_count = 1};
            MrnPlot plot = {.panels = &panel, .panel_count = 1, .abscissa = {.label = "time", .unit = "s"}};
            MrnError error = {0};
            assert_true(mrn_draw_plot(&plot, in_folder("log.svg"), &error));
            size_t size;
            char *text = read_all(in_folder("log.svg"), &size);
            assert_int_equal(count_of(text, "nan"), 0);
            assert_int_equal(count_of(text, "inf"), 0);
            free(text);
        }
}

static void lone_points_and_flat_lines_are_seen(void **state) {
    (void)state;
    if (!have_cairo) skip();
    double x[5] = {0, 1, 2, 3, 4}, lone[5] = {NAN, NAN, 7, NAN, NAN}, flat[5] = {1e9, 1e9, 1e9, 1e9, 1e9},
           one_x[1] = {5}, one_y[1] = {-3};
    const MrnSeries series[3] = {
        {.count = 5, .x = x, .y = lone}, {.count = 5, .x = x, .y = flat}, {.count = 1, .x = one_x, .y = one_y}};
    const size_t least[3] = {3, 600, 3};
    for (int i = 0; i < 3; i++) {
        MrnPanel panel = {.series = &series[i], .series_count = 1};
        MrnPlot plot = {.panels = &panel, .panel_count = 1, .width = 1000, .height = 600};
        MrnImage image = plot_image(&plot);
        assert_true(pixels_of_color(&image, mrn_color_curve(0, MRN_THEME_LIGHT), 0, 600) >= least[i]);
        mrn_image_free(&image);
    }
}

static void higher_values_are_drawn_higher_on_both_axes(void **state) {
    (void)state;
    if (!have_cairo) skip();
    double x[2] = {0, 1}, low[2] = {1, 1}, high[2] = {9, 9}, right[2] = {500, 500}, zero[2] = {0, 0},
           ten[2] = {10, 1000};
    const MrnSeries series[5] = {{.count = 2, .x = x, .y = low, .color = 1},
                                 {.count = 2, .x = x, .y = high, .color = 2},
                                 {.count = 2, .x = x, .y = right, .right = true, .color = 3},
                                 {.count = 2, .x = x, .y = zero, .color = 4},
                                 {.count = 1, .x = x, .y = ten, .right = true, .color = 4}};
    for (int theme = 0; theme < 2; theme++) {
        MrnPanel panel = {
            .left = {.low = 0, .high = 10}, .right = {.low = 0, .high = 1000}, .series = series, .series_count = 5};
        MrnPlot plot = {.panels = &panel, .panel_count = 1, .width = 1000, .height = 600, .theme = (MrnTheme)theme};
        MrnImage image = plot_image(&plot);
        double row[3] = {0};
        for (int c = 0; c < 3; c++) {
            double sum = 0, count = 0;
            for (int y = 0; y < 600; y++)
                for (int i = 450; i < 550; i++)
                    if (difference(pixel(&image, i, y), mrn_color_curve(c, plot.theme)) < 12) sum += y, count++;
            assert_true(count >= 100);
            row[c] = sum / count;
        }
        // Equal spacing: 1 of 10, 9 of 10, and the middle on the right axis.
        assert_true(row[1] < row[2] && row[2] < row[0]);
        assert_float_equal(row[2], 0.5 * (row[0] + row[1]), 0.6);
        mrn_image_free(&image);
    }
}

static MrnStepInfo *some_steps(size_t count) {
    MrnStepInfo *steps = calloc(count, sizeof *steps);
    for (size_t i = 0; i < count; i++) {
        double t = 0.01 * (double)(i + 1);
        steps[i] = (MrnStepInfo){.step = (int64_t)i + 1,
                                 .time = t,
                                 .contacts = (int64_t)i % 17,
                                 .sweeps = 20,
                                 .residual = i % 5 ? 1e-7 : 0,
                                 .kinetic_energy = exp(-t),
                                 .potential_energy = 2,
                                 .dissipated_energy = 0.01 * exp(-t),
                                 .penetration = 1e-9,
                                 .status = i % 50 == 49 ? MRN_STALLED : MRN_SOLVED,
                                 .driver_work = i % 2 ? 0.001 : 0};
    }
    return steps;
}

static void every_quantity_that_is_listed_can_be_plotted(void **state) {
    (void)state;
    MrnStepInfo *steps = some_steps(200);
    MrnRunSteps runs[2] = {{"first", 200, steps}, {"second", 120, steps}};
    MrnError error = {0};
#define X(type, name, unit, text) +1
    size_t fields = 0 MRN_STEP_FIELDS(X);
#undef X
    assert_true(mrn_draw_quantity_count() > fields);
    assert_null(mrn_draw_quantity_at(mrn_draw_quantity_count()));
    for (size_t i = 0; i < mrn_draw_quantity_count(); i++) {
        const MrnPlotQuantity *quantity = mrn_draw_quantity_at(i);
        assert_true(quantity && *quantity->name && *quantity->text);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(quantity->name, mrn_draw_quantity_at(j)->name);
        for (size_t count = 1; have_cairo && count <= 2; count++) {
            MrnRunPlotOptions options = {.title = "two runs", .tolerance = 1e-6};
            if (!mrn_draw_run_plot(runs, count, quantity->name, &options, in_folder("quantity.svg"), &error))
                fail_msg("%s", error.message);
            size_t size;
            char *text = read_all(in_folder("quantity.svg"), &size);
            assert_int_equal(count_of(text, "nan"), 0);
            free(text);
        }
    }
    free(steps);
}

static void run_plots_refuse_what_is_not_there(void **state) {
    (void)state;
    MrnStepInfo *steps = some_steps(3);
    MrnRunSteps run = {"run", 3, steps}, empty = {"run", 0, NULL};
    MrnError error = {0};
    assert_false(mrn_draw_run_plot(&run, 1, "enthalpy", NULL, in_folder("x.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message, "'enthalpy' is not a quantity that can be plotted");
    assert_false(mrn_draw_run_plot(&empty, 1, "energy", NULL, in_folder("x.png"), &error));
    assert_string_equal(error.message, "there are no steps to plot");
    if (have_cairo) assert_true(mrn_draw_run_plot(&run, 1, "overview", NULL, in_folder("three.png"), &error));
    free(steps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(colour_maps_are_monotone_in_lightness_and_even),
        cmocka_unit_test(colours_stay_apart_for_colour_blind_eyes),
        cmocka_unit_test(no_peak_is_lost_in_a_long_series),
        cmocka_unit_test(logarithmic_axis_survives_zeros_and_tiny_values),
        cmocka_unit_test(lone_points_and_flat_lines_are_seen),
        cmocka_unit_test(higher_values_are_drawn_higher_on_both_axes),
        cmocka_unit_test(every_quantity_that_is_listed_can_be_plotted),
        cmocka_unit_test(run_plots_refuse_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
