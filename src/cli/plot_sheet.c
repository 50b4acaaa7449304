// The numbers that moraine plot draws or writes: measures, columns of the step table, and one of them over another.
#include "cli/plot.h"

#include "base/error.h"
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MrnStepInfo *mrn_plot_steps(const MrnPlotRun *run, size_t *count, MrnError *error) {
    *count = mrn_run_file_step_count(run->file);
    MrnStepInfo *steps = mrn_alloc(*count + 1, sizeof *steps);
    if (*count == 0 || mrn_run_file_steps(run->file, 0, *count, steps, error)) return steps;
    free(steps);
    return NULL;
}

static bool read_frame(void *context, size_t index, MrnFrame *frame, MrnError *error) {
    const MrnPlotRun *run = context;
    return mrn_run_file_frame_for(run->file, run->scene->model, index, frame, error);
}

static bool is_quantity(const char *name) {
    for (size_t i = 0; i < mrn_draw_quantity_count(); i++)
        if (strcmp(mrn_draw_quantity_at(i)->name, name) == 0) return true;
    return false;
}

bool mrn_plot_is_known(const char *name) {
    return is_quantity(name) || mrn_measure_find(name);
}

const char **mrn_plot_names(size_t *count) {
    size_t quantities = mrn_draw_quantity_count(), measures = mrn_measure_count();
    const char **names = mrn_alloc(quantities + measures + 1, sizeof *names);
    *count = 0;
    names[(*count)++] = "picture";
    for (size_t i = 0; i < quantities; i++) names[(*count)++] = mrn_draw_quantity_at(i)->name;
    for (size_t i = 0; i < measures; i++) names[(*count)++] = mrn_measure_at(i)->name;
    return names;
}

MrnMeasureDrawing mrn_plot_drawing(const char *what) {
    const MrnMeasure *measure = mrn_measure_find(what);
    return measure ? measure->drawing : strchr(what, '=') ? MRN_DRAWING_SCATTER : MRN_DRAWING_SERIES;
}

/// Rows of a sheet of the step table within the window.
static void cut_window(MrnSheet *sheet, const MrnMeasureOptions *options) {
    size_t columns = sheet->columns.count, kept = 0;
    for (size_t row = 0; row < mrn_sheet_rows(sheet); row++) {
        double time = mrn_sheet_value(sheet, row, 0);
        if (time < options->from || time > options->to) continue;
        memmove(&sheet->values.data[kept++ * columns], &sheet->values.data[row * columns],
                columns * sizeof *sheet->values.data);
    }
    sheet->values.count = kept * columns;
}

static bool plain_sheet(const MrnPlotRun *run, const char *what, const MrnMeasureOptions *options, MrnSheet *out,
                        MrnError *error) {
    const MrnMeasure *measure = mrn_measure_find(what);
    if (measure) {
        MrnMeasureInput input = {.model = run->scene->model,
                                 .time_step = run->scene->scheme.time_step,
                                 .frames = {.count = mrn_run_file_frame_count(run->file),
                                            .read = read_frame,
                                            .release = mrn_frame_free,
                                            .context = (void *)(uintptr_t)run},
                                 .options = *options};
        return mrn_measure_compute(measure, &input, out, error);
    }
    size_t count;
    MrnStepInfo *steps = mrn_plot_steps(run, &count, error);
    if (!steps) return false;
    MrnRunSteps table = {.label = run->path, .count = count, .steps = steps};
    bool fine = mrn_draw_run_sheet(&table, what, out, error);
    free(steps);
    if (!fine) return false;
    cut_window(out, options);
    if (mrn_sheet_rows(out)) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "there are no steps to plot");
}

// ---- One quantity over another ----

/// NAME or NAME:COLUMN (the second column of a sheet if there is none): the sheet and the number of the column.
static bool named_column(const MrnPlotRun *run, const char *text, const MrnMeasureOptions *options, MrnSheet *sheet,
                         size_t *column, MrnError *error) {
    char *name = mrn_strdup(text), *colon = strchr(name, ':');
    if (colon) *colon = 0;
    bool known = mrn_plot_is_known(name), fine = known && plain_sheet(run, name, options, sheet, error);
    if (!known) mrn_fail(error, MRN_ERROR_INPUT, "'%.80s' cannot be plotted; moraine plot lists what can", name);
    if (fine && strcmp(sheet->columns.data[0].name, "time") != 0)
        fine = mrn_fail(error, MRN_ERROR_INPUT, "%.80s is not a series over time", name);
    if (fine) {
        int found = colon ? mrn_sheet_find(sheet, colon + 1) : 1;
        fine = found >= 0;
        if (!fine) mrn_fail(error, MRN_ERROR_INPUT, "%.80s has no column '%.80s'", name, colon + 1);
        *column = (size_t)found;
    }
    free(name);
    return fine;
}

/// Value of a column at a time, linear between rows; NAN outside.
static double value_at(const MrnSheet *sheet, size_t column, double time) {
    size_t rows = mrn_sheet_rows(sheet), low = 0, high = rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mrn_sheet_value(sheet, middle, 0) < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < rows && mrn_sheet_value(sheet, low, 0) == time) return mrn_sheet_value(sheet, low, column);
    if (low == 0 || low == rows) return NAN;
    double a = mrn_sheet_value(sheet, low - 1, 0), b = mrn_sheet_value(sheet, low, 0);
    double before = mrn_sheet_value(sheet, low - 1, column), after = mrn_sheet_value(sheet, low, column);
    return before + (after - before) * (time - a) / (b - a);
}

static bool crossed_sheet(const MrnPlotRun *run, const char *what, const MrnMeasureOptions *options, MrnSheet *out,
                          MrnError *error) {
    char *x = mrn_strdup(what), *y = strchr(x, ' ');
    if (strncmp(x, "x=", 2) != 0 || !y || strncmp(y + 1, "y=", 2) != 0) {
        free(x);
        return mrn_fail(error, MRN_ERROR_INPUT, "wanted x=NAME y=NAME, not '%.200s'", what);
    }
    *y++ = 0;
    MrnSheet across = {0}, upright = {0};
    size_t i = 0, j = 0;
    bool fine =
        named_column(run, x + 2, options, &across, &i, error) && named_column(run, y + 2, options, &upright, &j, error);
    if (fine) {
        // The coarser table gives the times: nothing is invented between its rows.
        const MrnSheet *coarse = mrn_sheet_rows(&across) < mrn_sheet_rows(&upright) ? &across : &upright;
        mrn_sheet_title(out, "%s over %s", y + 2, x + 2);
        mrn_sheet_column(out, across.columns.data[i].name, across.columns.data[i].unit, MRN_COLUMN_LINE);
        mrn_sheet_column(out, upright.columns.data[j].name, upright.columns.data[j].unit, MRN_COLUMN_LINE);
        mrn_sheet_column(out, "time", "s", MRN_COLUMN_HIDDEN);
        for (size_t row = 0; row < mrn_sheet_rows(coarse); row++) {
            double time = mrn_sheet_value(coarse, row, 0);
            mrn_sheet_row(out, (double[]){value_at(&across, i, time), value_at(&upright, j, time), time});
        }
    }
    mrn_sheet_free(&across);
    mrn_sheet_free(&upright);
    free(x);
    return fine;
}

bool mrn_plot_sheet(const MrnPlotRun *run, const char *what, const MrnMeasureOptions *options, MrnSheet *out,
                    MrnError *error) {
    return strchr(what, '=') ? crossed_sheet(run, what, options, out, error)
                             : plain_sheet(run, what, options, out, error);
}
