// Plots of sheets: series, profiles, histograms, scatters and maps of what was measured.
//
// Columns with the same unit share a panel. Several runs share all panels; then colours tell runs apart, and the legend
// names them.
#include "base/error.h"
#include "base/memory.h"
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A plot under construction, with everything it owns.
typedef struct Drawing {
    MRN_ARRAY(MrnPanel) panels;
    MRN_ARRAY(MrnSeries) series; ///< of all panels, in order; panels get their pointers at the end
    MRN_ARRAY(void *) blocks;
    MrnPlot plot;
} Drawing;

static void *keep(Drawing *drawing, void *block) {
    mrn_array_push(&drawing->blocks, block);
    return block;
}

static void free_drawing(Drawing *drawing) {
    for (size_t i = 0; i < drawing->blocks.count; i++) free(drawing->blocks.data[i]);
    mrn_array_free(&drawing->blocks);
    mrn_array_free(&drawing->series);
    mrn_array_free(&drawing->panels);
}

static double *copy_column(Drawing *drawing, const MrnSheet *sheet, size_t column) {
    size_t rows = mrn_sheet_rows(sheet);
    double *values = keep(drawing, mrn_alloc(rows + 1, sizeof *values));
    for (size_t i = 0; i < rows; i++) values[i] = mrn_sheet_value(sheet, i, column);
    return values;
}

/// The outline of bars: each middle becomes two corners, with the height of its bar.
static void make_stairs(Drawing *drawing, MrnSeries *series) {
    size_t n = series->count;
    double *x = keep(drawing, mrn_alloc(2 * n + 2, sizeof *x)), *y = keep(drawing, mrn_alloc(2 * n + 2, sizeof *y));
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        double before = i ? 0.5 * (series->x[i - 1] + series->x[i]) : NAN,
               after = i + 1 < n ? 0.5 * (series->x[i] + series->x[i + 1]) : NAN;
        if (isnan(before)) before = isnan(after) ? series->x[i] - 0.5 : 2 * series->x[i] - after;
        if (isnan(after)) after = 2 * series->x[i] - before;
        x[count] = before, y[count++] = series->y[i];
        x[count] = after, y[count++] = series->y[i];
    }
    series->x = x, series->y = y, series->count = count;
}

static bool same_axis(const MrnSheetColumn *a, const MrnSheetColumn *b) {
    return strcmp(a->unit, b->unit) == 0 && a->logarithmic == b->logarithmic;
}

static bool visible(const MrnSheet *sheet, size_t column) {
    return column > 0 && sheet->columns.data[column].style != MRN_COLUMN_HIDDEN;
}

static const char *legend_of(Drawing *drawing, const char *run, const char *column) {
    if (!run) return column;
    if (!column) return run;
    size_t size = strlen(run) + strlen(column) + 3;
    char *text = keep(drawing, mrn_alloc(size, 1));
    snprintf(text, size, "%s: %s", run, column);
    return text;
}

static MrnSeriesStyle style_of(MrnColumnStyle style) {
    return style == MRN_COLUMN_POINTS   ? MRN_SERIES_POINTS
           : style == MRN_COLUMN_DASHED ? MRN_SERIES_DASHED
                                        : MRN_SERIES_LINE;
}

/// One panel: the visible columns that share the axis of column `lead`, of all runs.
static void add_panel(Drawing *drawing, const MrnRunSheet *runs, size_t run_count, size_t lead, MrnMeasureDrawing kind,
                      bool turned) {
    const MrnSheet *first = runs[0].sheet;
    const MrnSheetColumn *axis = &first->columns.data[lead];
    size_t members = 0, begin = drawing->series.count;
    for (size_t c = 1; c < first->columns.count; c++)
        members += visible(first, c) && same_axis(&first->columns.data[c], axis);
    for (size_t r = 0; r < run_count; r++) {
        const MrnSheet *sheet = runs[r].sheet;
        for (size_t c = 1, member = 0; c < sheet->columns.count; c++) {
            if (!visible(sheet, c) || !same_axis(&sheet->columns.data[c], axis)) continue;
            const MrnSheetColumn *column = &sheet->columns.data[c];
            MrnSeries series = {
                .label = legend_of(drawing, run_count > 1 ? runs[r].label : NULL, members > 1 ? column->name : NULL),
                .count = mrn_sheet_rows(sheet),
                .x = copy_column(drawing, sheet, 0),
                .y = copy_column(drawing, sheet, c),
                .style = style_of(column->style),
                .color = (int)(run_count > 1 ? r : member) + 1};
            // Colours are for runs: the columns of a run differ in their lines.
            if (run_count > 1 && members > 1 && series.style != MRN_SERIES_POINTS)
                series.style = member == 0 ? MRN_SERIES_LINE : member == 1 ? MRN_SERIES_DASHED : MRN_SERIES_DOTTED;
            if (kind == MRN_DRAWING_HISTOGRAM && series.style != MRN_SERIES_POINTS) make_stairs(drawing, &series);
            if (turned) {
                const double *swap = series.x;
                series.x = series.y, series.y = swap;
            }
            mrn_array_push(&drawing->series, series);
            member++;
        }
    }
    MrnPanel panel = {.series_count = drawing->series.count - begin};
    const char *words = members == 1 ? axis->name : first->title;
    MrnAxis values = {.label = words, .unit = axis->unit, .logarithmic = axis->logarithmic};
    const MrnSheetColumn *base = &first->columns.data[0];
    MrnAxis along = {.label = base->name, .unit = base->unit, .logarithmic = base->logarithmic};
    values.zero = kind == MRN_DRAWING_HISTOGRAM && !axis->logarithmic;
    panel.left = turned ? along : values;
    drawing->plot.abscissa = turned ? values : along;
    mrn_array_push(&drawing->panels, panel);
}

/// True if every visible column has the same unit, so that a profile can stand upright.
static bool one_axis(const MrnSheet *sheet) {
    int lead = -1;
    for (size_t c = 1; c < sheet->columns.count; c++) {
        if (!visible(sheet, c)) continue;
        if (lead >= 0 && !same_axis(&sheet->columns.data[lead], &sheet->columns.data[c])) return false;
        if (lead < 0) lead = (int)c;
    }
    return true;
}

static bool make_drawing(Drawing *drawing, const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing kind,
                         const MrnRunPlotOptions *options, MrnError *error) {
    MrnRunPlotOptions settings = options ? *options : (MrnRunPlotOptions){0};
    const MrnSheet *first = runs[0].sheet;
    for (size_t r = 1; r < run_count; r++) {
        bool same = runs[r].sheet->columns.count == first->columns.count;
        for (size_t c = 0; same && c < first->columns.count; c++)
            same = strcmp(first->columns.data[c].name, runs[r].sheet->columns.data[c].name) == 0;
        if (!same)
            return mrn_fail(error, MRN_ERROR_INPUT, "%.200s and %.200s cannot share a plot: their columns differ",
                            runs[0].label, runs[r].label);
    }
    bool turned = kind == MRN_DRAWING_PROFILE && one_axis(first);
    for (size_t c = 1; c < first->columns.count; c++) {
        bool leads = visible(first, c);
        for (size_t before = 1; before < c && leads; before++)
            leads = !visible(first, before) || !same_axis(&first->columns.data[before], &first->columns.data[c]);
        if (leads) add_panel(drawing, runs, run_count, c, kind, turned);
    }
    if (!drawing->panels.count) return mrn_fail(error, MRN_ERROR_INPUT, "there is nothing to draw");
    size_t begin = 0;
    for (size_t p = 0; p < drawing->panels.count; p++) {
        drawing->panels.data[p].series = drawing->series.data + begin;
        begin += drawing->panels.data[p].series_count;
    }
    drawing->plot.title = settings.title;
    drawing->plot.panel_count = drawing->panels.count, drawing->plot.panels = drawing->panels.data;
    drawing->plot.width = settings.width, drawing->plot.height = settings.height;
    drawing->plot.colors = settings.colors, drawing->plot.theme = settings.theme;
    return true;
}

// ---- Maps ----

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The different values of a column, ascending; values closer than 1e-9 of their span are the same.
static size_t distinct(Drawing *drawing, const MrnSheet *sheet, size_t column, double **out) {
    double *values = copy_column(drawing, sheet, column);
    size_t rows = mrn_sheet_rows(sheet), count = 0;
    qsort(values, rows, sizeof *values, by_value);
    double span = rows ? values[rows - 1] - values[0] : 0;
    for (size_t i = 0; i < rows; i++)
        if (count == 0 || values[i] - values[count - 1] > 1e-9 * span) values[count++] = values[i];
    *out = values;
    return count;
}

static size_t nearest(const double *values, size_t count, double wanted) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i] - wanted) < fabs(values[best] - wanted)) best = i;
    return best;
}

static bool make_map(Drawing *drawing, const MrnSheet *sheet, const MrnRunPlotOptions *options, MrnMapPlot *map,
                     MrnError *error) {
    MrnRunPlotOptions settings = options ? *options : (MrnRunPlotOptions){0};
    if (sheet->columns.count < 3) return mrn_fail(error, MRN_ERROR_INPUT, "a map needs columns x, y and value");
    double *x, *y;
    size_t columns = distinct(drawing, sheet, 0, &x), rows = distinct(drawing, sheet, 1, &y);
    double *values = keep(drawing, mrn_alloc(columns * rows + 1, sizeof *values));
    for (size_t i = 0; i < columns * rows; i++) values[i] = NAN;
    for (size_t i = 0; i < mrn_sheet_rows(sheet); i++) {
        size_t column = nearest(x, columns, mrn_sheet_value(sheet, i, 0)),
               row = nearest(y, rows, mrn_sheet_value(sheet, i, 1));
        values[row * columns + column] = mrn_sheet_value(sheet, i, 2);
    }
    const MrnSheetColumn *head = sheet->columns.data;
    *map = (MrnMapPlot){.title = settings.title,
                        .across = {.label = head[0].name, .unit = head[0].unit},
                        .upright = {.label = head[1].name, .unit = head[1].unit},
                        .value = {.label = head[2].name, .unit = head[2].unit},
                        .columns = columns,
                        .rows = rows,
                        .x = x,
                        .y = y,
                        .values = values,
                        .width = settings.width,
                        .height = settings.height,
                        .colors = settings.colors,
                        .theme = settings.theme};
    return true;
}

static bool draw(const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing kind, const MrnRunPlotOptions *options,
                 const char *path, MrnImage *image, MrnError *error) {
    Drawing drawing = {0};
    bool fine;
    if (kind == MRN_DRAWING_MAP) {
        MrnMapPlot map;
        if (run_count != 1) return mrn_fail(error, MRN_ERROR_INPUT, "a map shows one run");
        fine = make_map(&drawing, runs[0].sheet, options, &map, error) &&
               (image ? mrn_draw_map_image(&map, image, error) : mrn_draw_map(&map, path, error));
    } else
        fine = make_drawing(&drawing, runs, run_count, kind, options, error) &&
               (image ? mrn_draw_plot_image(&drawing.plot, image, error) : mrn_draw_plot(&drawing.plot, path, error));
    free_drawing(&drawing);
    return fine;
}

bool mrn_draw_sheets(const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing drawing,
                     const MrnRunPlotOptions *options, const char *path, MrnError *error) {
    return draw(runs, run_count, drawing, options, path, NULL, error);
}

bool mrn_draw_sheets_image(const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing drawing,
                           const MrnRunPlotOptions *options, MrnImage *image, MrnError *error) {
    *image = (MrnImage){0};
    return draw(runs, run_count, drawing, options, NULL, image, error);
}
