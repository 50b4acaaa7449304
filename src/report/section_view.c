// Sections that show the run: pictures of its states and curves over time.
#include "report/section.h"

#include "base/error.h"
#include "draw/draw.h"
#include "draw/number.h"
#include "draw/picture.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/// A picture in both themes: the page shows the one that fits. False when pictures cannot be made at all.
static bool write_picture(MrnReport *report, const MrnFrame *frame, MrnDrawOptions options, const char *alt,
                          bool *unsupported, MrnError *error) {
    MrnImage image[2] = {{0}};
    unsigned char *data[2] = {NULL};
    size_t size[2] = {0};
    MrnError reason = {0};
    bool fine = true;
    for (int dark = 0; dark < 2 && fine; dark++) {
        options.theme = dark ? MRN_THEME_DARK : MRN_THEME_LIGHT;
        fine = mrn_draw_frame_image(report->model, frame, &options, &image[dark], &reason);
        if (fine) size[dark] = mrn_png_encode(&image[dark], 160, &data[dark]);
        fine = fine && size[dark];
    }
    if (fine) {
        MrnOutput *out = report->out;
        mrn_output_text(out, "<picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"");
        mrn_html_data_uri(out, "image/png", data[1], size[1]);
        mrn_output_text(out, "\"><img src=\"");
        mrn_html_data_uri(out, "image/png", data[0], size[0]);
        mrn_output_format(out, "\" width=%d height=%d alt=\"", image[0].width, image[0].height);
        mrn_html_text(out, alt);
        mrn_output_text(out, "\"></picture>\n");
    } else if (reason.code == MRN_ERROR_UNSUPPORTED) {
        *unsupported = true;
        fine = true;
    } else if (error) {
        *error = reason;
    }
    for (int dark = 0; dark < 2; dark++) {
        mrn_image_free(&image[dark]);
        free(data[dark]);
    }
    return fine;
}

/// One picture with its caption.
static bool write_figure(MrnReport *report, size_t index, const MrnDrawOptions *options, const char *kind,
                         bool *unsupported, MrnError *error) {
    MrnFrame frame;
    if (!mrn_run_file_frame_for(report->file, report->model, index, &frame, error)) return false;
    char time[64], alt[256];
    mrn_number_with_unit(frame.time, "s", time, sizeof time);
    snprintf(alt, sizeof alt, "%.120s at t = %s", report->scene->title ? report->scene->title : "The bodies", time);
    mrn_output_format(report->out, "<figure class=\"%s\">", kind);
    bool fine = write_picture(report, &frame, *options, alt, unsupported, error);
    if (fine && !*unsupported) {
        mrn_output_text(report->out, "<figcaption>");
        if (strcmp(kind, "hero") == 0)
            mrn_html_format(report->out,
                            options->forces != MRN_FORCES_NONE && frame.contact_count
                                ? "The last state, at t = %s. Lines are contact forces, the wider the stronger."
                                : "The last state, at t = %s.",
                            time);
        else
            mrn_html_format(report->out, "t = %s", time);
        mrn_output_text(report->out, "</figcaption>");
    }
    mrn_output_text(report->out, "</figure>\n");
    mrn_frame_free(&frame);
    return fine;
}

/// The view that holds all three pictures, and the largest speed in them.
static bool common_view(MrnReport *report, const size_t index[3], MrnDrawOptions *options, MrnError *error) {
    for (int i = 0; i < 3; i++) {
        MrnFrame frame;
        double low[3], high[3], largest = options->color_max;
        if (!mrn_run_file_frame_for(report->file, report->model, index[i], &frame, error)) return false;
        mrn_draw_bounds(report->model, &frame, low, high);
        int d = report->model->dimension;
        for (size_t b = 0; b < frame.body_count; b++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += frame.velocity[(size_t)d * b + (size_t)k] * frame.velocity[(size_t)d * b + (size_t)k];
            if (frame.active[b] && report->model->bodies.data[b].kind == MRN_BODY_FREE && isfinite(sum))
                largest = fmax(largest, sqrt(sum));
        }
        options->color_max = largest;
        for (int k = 0; k < 3; k++) {
            options->low[k] = i ? fmin(options->low[k], low[k]) : low[k];
            options->high[k] = i ? fmax(options->high[k], high[k]) : high[k];
        }
        mrn_frame_free(&frame);
    }
    return true;
}

static void write_gradient(MrnOutput *out, const char *name, const MrnColor map[MRN_MAP_SIZE]) {
    enum { STOPS = 9 };
    mrn_output_format(out, "--%s:linear-gradient(90deg", name);
    for (int i = 0; i < STOPS; i++) {
        MrnColor c = mrn_color_look_up(map, i / (STOPS - 1.0));
        mrn_output_format(out, ",#%02x%02x%02x", (int)(255 * c.r + 0.5), (int)(255 * c.g + 0.5),
                          (int)(255 * c.b + 0.5));
    }
    mrn_output_text(out, ");");
}

/// What the colours of the small pictures mean.
static bool write_scale(MrnReport *report, const MrnDrawOptions *options, MrnError *error) {
    MrnFrame frame;
    if (!mrn_run_file_frame_for(report->file, report->model, 0, &frame, error)) return false;
    mrn_output_text(report->out, "<p class=note>The same view at the start, in the middle and at the end, coloured by "
                                 "speed: 0 <span class=scale style=\"");
    bool fine = true;
    for (int dark = 0; dark < 2 && fine; dark++) {
        MrnDrawOptions themed = *options;
        MrnPicture picture;
        themed.theme = dark ? MRN_THEME_DARK : MRN_THEME_LIGHT;
        fine = mrn_picture_prepare(&picture, report->model, &frame, &themed, error);
        if (!fine) break;
        write_gradient(report->out, dark ? "dark" : "light", picture.map);
        mrn_picture_free(&picture);
    }
    mrn_output_text(report->out, "\"></span> ");
    mrn_html_number(report->out, options->color_max, "m/s");
    mrn_output_text(report->out, "</p>\n");
    mrn_frame_free(&frame);
    return fine;
}

bool mrn_report_pictures(MrnReport *report, MrnError *error) {
    size_t count = report->frame_count, index[3] = {0, (count - 1) / 2, count - 1};
    bool unsupported = false;
    MrnDrawOptions options = mrn_draw_defaults(report->model->dimension);
    options.time_step = report->scene->scheme.time_step;
    options.width = 1040;
    double low[3], high[3];
    MrnFrame last;
    if (!mrn_run_file_frame_for(report->file, report->model, count - 1, &last, error)) return false;
    mrn_draw_bounds(report->model, &last, low, high);
    mrn_frame_free(&last);
    // A picture that fits on a screen: what is high gets margins at its sides.
    if (report->model->dimension == 3 || high[0] - low[0] < 1.8 * (high[1] - low[1])) options.height = 640;
    if (!write_figure(report, count - 1, &options, "hero", &unsupported, error)) return false;
    if (count > 1 && !unsupported) {
        options.width = 520;
        options.height = report->model->dimension == 3 ? 400 : 0;
        options.labels = false;
        options.color_by = MRN_COLOR_BY_VELOCITY;
        options.forces = MRN_FORCES_NONE;
        if (!common_view(report, index, &options, error)) return false;
        mrn_output_text(report->out, "<div class=strip>");
        for (int i = 0; i < 3; i++)
            if ((i == 0 || index[i] != index[i - 1]) &&
                !write_figure(report, index[i], &options, "small", &unsupported, error))
                return false;
        mrn_output_text(report->out, "</div>\n");
        if (!write_scale(report, &options, error)) return false;
    }
    if (unsupported)
        mrn_output_text(report->out, "<p class=note>Pictures need a build with cairo, and this one has none.</p>\n");
    return true;
}

/// A column of the step table as numbers; free() it.
#define COLUMN(report, name)         column((report), offsetof(MrnStepInfo, name), false)
#define COLUMN_INTEGER(report, name) column((report), offsetof(MrnStepInfo, name), true)
static double *column(const MrnReport *report, size_t offset, bool integer) {
    double *values = mrn_alloc(report->step_count + 1, sizeof *values);
    for (size_t i = 0; i < report->step_count; i++) {
        const char *at = (const char *)&report->steps[i] + offset;
        values[i] = integer ? (double)*(const int64_t *)(const void *)at : *(const double *)(const void *)at;
    }
    return values;
}

static void write_energy(MrnReport *report, const double *time) {
    size_t n = report->step_count;
    double *kinetic = COLUMN(report, kinetic_energy), *potential = COLUMN(report, potential_energy),
           *elastic = COLUMN(report, elastic_energy), *dissipated = COLUMN(report, dissipated_energy),
           *work = COLUMN(report, driver_work), *total = mrn_alloc(n + 1, sizeof *total);
    bool driven = false, soft = false;
    // Potential energy counts from its lowest value: only differences mean something.
    double zero = INFINITY;
    for (size_t i = 0; i < n; i++) zero = fmin(zero, potential[i]);
    for (size_t i = 0; i < n; i++) {
        potential[i] -= zero;
        total[i] = kinetic[i] + potential[i] + elastic[i];
        soft |= elastic[i] != 0;
        driven |= work[i] != 0;
        if (i) dissipated[i] += dissipated[i - 1], work[i] += work[i - 1];
    }
    MrnChartSeries series[6] = {{"total", total, 1, false, false},
                                {"kinetic", kinetic, 2, false, false},
                                {"potential", potential, 3, false, false},
                                {"dissipated", dissipated, 4, false, false}};
    size_t count = 4;
    if (driven) series[count++] = (MrnChartSeries){"work of drivers", work, 5, false, false};
    if (soft) series[count++] = (MrnChartSeries){"elastic", elastic, 6, false, false};
    mrn_chart_write(report, &(MrnChart){.title = "Energy",
                                        .unit = "J",
                                        .text = "Energies over time: total, kinetic, potential above its lowest value, "
                                                "and what contacts have dissipated",
                                        .from_zero = true,
                                        .count = n,
                                        .x = time,
                                        .series_count = count,
                                        .series = series,
                                        .line = NAN});
    free(kinetic);
    free(potential);
    free(elastic);
    free(dissipated);
    free(work);
    free(total);
}

static void write_one(MrnReport *report, const double *time, const char *title, const char *unit, const char *text,
                      double *values, bool logarithmic, int color) {
    MrnChartSeries series = {title, values, color, false, false};
    mrn_chart_write(report, &(MrnChart){.title = title,
                                        .unit = unit,
                                        .text = text,
                                        .logarithmic = logarithmic,
                                        .from_zero = true,
                                        .count = report->step_count,
                                        .x = time,
                                        .series_count = 1,
                                        .series = &series,
                                        .line = NAN});
    free(values);
}

bool mrn_report_charts(MrnReport *report, MrnError *error) {
    (void)error;
    size_t n = report->step_count;
    double *time = COLUMN(report, time);
    mrn_output_text(report->out, "<p class=note>Point at a curve to read its values; all charts share the time.</p>\n"
                                 "<div class=charts>\n");
    write_energy(report, time);

    double *contacts = COLUMN_INTEGER(report, contacts), *touching = COLUMN_INTEGER(report, touching);
    MrnChartSeries pair[2] = {{"in the problem", contacts, 1, false, false},
                              {"with a force", touching, 2, false, false}};
    mrn_chart_write(report, &(MrnChart){.title = "Contacts",
                                        .unit = "1",
                                        .text = "Number of contacts over time",
                                        .from_zero = true,
                                        .count = n,
                                        .x = time,
                                        .series_count = 2,
                                        .series = pair,
                                        .line = NAN});
    free(contacts);
    free(touching);

    double *residual = COLUMN(report, scaled_residual), *failed = mrn_alloc(n + 1, sizeof *failed);
    for (size_t i = 0; i < n; i++) failed[i] = report->steps[i].status == MRN_SOLVED ? NAN : residual[i];
    MrnChartSeries solved[2] = {{"residual", residual, 1, false, false}, {"not solved", failed, 8, false, true}};
    mrn_chart_write(report, &(MrnChart){.title = "Residual",
                                        .unit = "1",
                                        .text = "Residual of each step, scaled, with the tolerance; zero is not shown",
                                        .logarithmic = true,
                                        .count = n,
                                        .x = time,
                                        .series_count = report->digest.unsolved ? 2 : 1,
                                        .series = solved,
                                        .line = report->scene->scheme.solver.tolerance,
                                        .line_label = "tolerance"});
    free(residual);
    free(failed);
    write_one(report, time, "Penetration", "m", "Deepest overlap in each step; zero is not shown",
              COLUMN(report, penetration), true, 6);
    write_one(report, time, "Sweeps", "1", "Sweeps or iterations of the solver in each step",
              COLUMN_INTEGER(report, sweeps), false, 3);
    write_one(report, time, "Largest speed", "m/s", "Speed of the fastest body over time", COLUMN(report, max_speed),
              false, 2);
    mrn_output_text(report->out, "</div>\n");
    free(time);
    return true;
}
