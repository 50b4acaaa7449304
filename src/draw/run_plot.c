// Plots of step tables: every field of MrnStepInfo by name, sums over time, and a few ready-made combinations.
#include "draw/draw.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Ready-made plots and derived quantities, then all fields.
#define DERIVED_LIST(X)                                                                                                \
    X(OVERVIEW, "overview", "", "energy, residual, sweeps and contacts in four panels")                                \
    X(ENERGY, "energy", "J", "kinetic, potential, total and dissipated energy")                                        \
    X(RESIDUAL, "residual", "1", "certificate of the solution, logarithmic")                                           \
    X(TIMING, "timing", "s", "wall time of a step, split by phase")                                                    \
    X(TOTAL_ENERGY, "total_energy", "J", "kinetic plus potential energy")                                              \
    X(DISSIPATED_TOTAL, "dissipated_total", "J", "energy dissipated by contacts since the start")                      \
    X(FRACTURE_TOTAL, "fracture_total", "J",                                                                           \
      "energy spent on cracks since the start: part of what contacts dissipated")                                      \
    X(DRIVER_WORK_TOTAL, "driver_work_total", "J", "work of moving obstacles since the start")                         \
    X(ENERGY_BALANCE, "energy_balance", "J", "sum of the defects of the discrete energy identity since the start")

typedef enum What {
#define X(code, name, unit, text) WHAT_##code,
    DERIVED_LIST(X)
#undef X
#define X(type, name, unit, text) WHAT_FIELD_##name,
        MRN_STEP_FIELDS(X)
#undef X
            WHAT_COUNT
} What;

static const MrnPlotQuantity quantities[] = {
#define X(code, name, unit, text) {name, unit, text},
    DERIVED_LIST(X)
#undef X
#define X(type, name, unit, text) {#name, unit, text},
        MRN_STEP_FIELDS(X)
#undef X
};

/// `residual` is a field and a ready-made plot; it is listed once.
static bool is_listed(size_t index) {
    return index != WHAT_FIELD_residual;
}

size_t mrn_draw_quantity_count(void) {
    return WHAT_COUNT - 1;
}

const MrnPlotQuantity *mrn_draw_quantity_at(size_t index) {
    for (size_t i = 0; i < WHAT_COUNT; i++)
        if (is_listed(i) && index-- == 0) return &quantities[i];
    return NULL;
}

static int find_quantity(const char *name) {
    for (int i = 0; i < WHAT_COUNT; i++)
        if (strcmp(quantities[i].name, name) == 0) return i;
    return -1;
}

static double value_of(const MrnStepInfo *step, What what, double *sum) {
    switch (what) {
    case WHAT_TOTAL_ENERGY: return step->kinetic_energy + step->potential_energy;
    case WHAT_DISSIPATED_TOTAL: return *sum += step->dissipated_energy;
    case WHAT_FRACTURE_TOTAL: return *sum += step->fracture_energy;
    case WHAT_DRIVER_WORK_TOTAL: return *sum += step->driver_work;
    case WHAT_ENERGY_BALANCE: return *sum += step->energy_defect;
    case WHAT_RESIDUAL: return step->residual;
#define X(type, name, unit, text)                                                                                      \
    case WHAT_FIELD_##name: return (double)step->name;
        MRN_STEP_FIELDS(X)
#undef X
    default: return NAN;
    }
}

/// Series under construction, with everything they own.
typedef struct Sheet {
    MRN_ARRAY(MrnSeries) series;
    MRN_ARRAY(void *) blocks;
} Sheet;

static void *keep(Sheet *sheet, void *block) {
    mrn_array_push(&sheet->blocks, block);
    return block;
}

static double *column(Sheet *sheet, const MrnRunSteps *run, What what) {
    double *values = keep(sheet, mrn_alloc(run->count + 1, sizeof *values)), sum = 0;
    for (size_t i = 0; i < run->count; i++) values[i] = value_of(&run->steps[i], what, &sum);
    return values;
}

static const char *joined(Sheet *sheet, const char *a, const char *b) {
    if (!a || !*a) return b;
    if (!b || !*b) return a;
    size_t size = strlen(a) + strlen(b) + 3;
    char *text = keep(sheet, mrn_alloc(size, 1));
    snprintf(text, size, "%s: %s", a, b);
    return text;
}

static MrnSeries *add(Sheet *sheet, const MrnRunSteps *run, What what, const char *label) {
    MrnSeries series = {
        .label = label, .count = run->count, .x = column(sheet, run, WHAT_FIELD_time), .y = column(sheet, run, what)};
    mrn_array_push(&sheet->series, series);
    return &sheet->series.data[sheet->series.count - 1];
}

static bool any_nonzero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0) return true;
    return false;
}

/// One curve per run: colours tell runs apart.
static void add_runs(Sheet *sheet, const MrnRunSteps *runs, size_t run_count, What what, const char *name) {
    for (size_t r = 0; r < run_count; r++) {
        MrnSeries *series = add(sheet, &runs[r], what, run_count == 1 ? name : joined(sheet, runs[r].label, name));
        if (run_count > 1) series->color = (int)r + 1;
    }
}

static void add_energy(Sheet *sheet, const MrnRunSteps *runs, size_t run_count) {
    static const struct {
        What what;
        const char *name;
        MrnSeriesStyle style;
        int color;
    } parts[] = {
        {WHAT_TOTAL_ENERGY, "total", MRN_SERIES_LINE, 3},
        {WHAT_FIELD_kinetic_energy, "kinetic", MRN_SERIES_DASHED, 1},
        {WHAT_FIELD_potential_energy, "potential", MRN_SERIES_LINE, 4},
        {WHAT_DISSIPATED_TOTAL, "dissipated", MRN_SERIES_DOTTED, 2},
        {WHAT_DRIVER_WORK_TOTAL, "work of drivers", MRN_SERIES_LINE, 5},
    };
    for (size_t r = 0; r < run_count; r++)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (run_count > 1 && parts[i].what == WHAT_FIELD_potential_energy) continue; // total and kinetic say it
            MrnSeries *series = add(sheet, &runs[r], parts[i].what,
                                    run_count == 1 ? parts[i].name : joined(sheet, runs[r].label, parts[i].name));
            if (parts[i].what == WHAT_DRIVER_WORK_TOTAL && !any_nonzero(series->y, series->count)) {
                sheet->series.count--;
                continue;
            }
            series->color = run_count == 1 ? parts[i].color : (int)r + 1;
            series->style = run_count == 1 ? MRN_SERIES_LINE : parts[i].style;
        }
}

/// Residuals, the steps that were not solved, and the tolerance.
static void add_residual(Sheet *sheet, const MrnRunSteps *runs, size_t run_count, double tolerance) {
    add_runs(sheet, runs, run_count, WHAT_RESIDUAL, run_count == 1 ? "residual" : NULL);
    double first = INFINITY, last = -INFINITY;
    for (size_t r = 0; r < run_count; r++) {
        const MrnRunSteps *run = &runs[r];
        if (run->count) first = fmin(first, run->steps[0].time), last = fmax(last, run->steps[run->count - 1].time);
        double *x = NULL, *y = NULL;
        size_t unsolved = 0;
        for (size_t i = 0; i < run->count; i++) unsolved += run->steps[i].status != MRN_SOLVED;
        if (!unsolved) continue;
        x = keep(sheet, mrn_alloc(unsolved, sizeof *x)), y = keep(sheet, mrn_alloc(unsolved, sizeof *y));
        unsolved = 0;
        for (size_t i = 0; i < run->count; i++)
            if (run->steps[i].status != MRN_SOLVED)
                x[unsolved] = run->steps[i].time, y[unsolved++] = run->steps[i].residual;
        char *label = keep(sheet, mrn_alloc(64, 1));
        snprintf(label, 64, "%zu step%s not solved", unsolved, unsolved == 1 ? "" : "s");
        MrnSeries marks = {.label = joined(sheet, run_count == 1 ? NULL : run->label, label),
                           .count = unsolved,
                           .x = x,
                           .y = y,
                           .style = MRN_SERIES_POINTS,
                           .color = -1};
        mrn_array_push(&sheet->series, marks);
    }
    if (tolerance > 0 && first <= last) {
        double *x = keep(sheet, mrn_alloc(4, sizeof *x));
        x[0] = first, x[1] = last, x[2] = x[3] = tolerance;
        MrnSeries line = {.label = "tolerance", .count = 2, .x = x, .y = x + 2, .style = MRN_SERIES_DASHED, .color = 7};
        mrn_array_push(&sheet->series, line);
    }
}

static bool is_logarithmic(What what) {
    return what == WHAT_RESIDUAL || what == WHAT_FIELD_residual || what == WHAT_FIELD_scaled_residual ||
           what == WHAT_FIELD_cone_violation || what == WHAT_FIELD_penetration || what == WHAT_TIMING;
}

/// A name without underscores.
static const char *readable(Sheet *sheet, const char *name) {
    char *text = keep(sheet, mrn_strdup(name));
    for (char *c = text; *c; c++)
        if (*c == '_') *c = ' ';
    return text;
}

/// The columns behind a quantity: those of its curves.
bool mrn_draw_run_sheet(const MrnRunSteps *run, const char *quantity, MrnSheet *out, MrnError *error) {
    static const What energy[] = {WHAT_FIELD_kinetic_energy, WHAT_FIELD_potential_energy, WHAT_TOTAL_ENERGY,
                                  WHAT_DISSIPATED_TOTAL,     WHAT_DRIVER_WORK_TOTAL,      WHAT_COUNT},
                      timing[] = {WHAT_FIELD_seconds_total, WHAT_FIELD_seconds_detect, WHAT_FIELD_seconds_assemble,
                                  WHAT_FIELD_seconds_solve, WHAT_COUNT},
                      overview[] = {WHAT_FIELD_kinetic_energy, WHAT_FIELD_potential_energy, WHAT_TOTAL_ENERGY,
                                    WHAT_DISSIPATED_TOTAL,     WHAT_FIELD_residual,         WHAT_FIELD_sweeps,
                                    WHAT_FIELD_contacts,       WHAT_FIELD_touching,         WHAT_COUNT};
    int what = find_quantity(quantity);
    if (what < 0) return mrn_fail(error, MRN_ERROR_INPUT, "'%.80s' is not a quantity that can be plotted", quantity);
    const What single[] = {(What)what, WHAT_COUNT};
    const What *list = what == WHAT_ENERGY     ? energy
                       : what == WHAT_TIMING   ? timing
                       : what == WHAT_OVERVIEW ? overview
                                               : single;
    Sheet sheet = {0};
    size_t count = 1;
    double *columns[12] = {column(&sheet, run, WHAT_FIELD_time)}, row[12];
    mrn_sheet_title(out, "%s", quantities[what].text);
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    for (; list[count - 1] != WHAT_COUNT; count++) {
        What each = list[count - 1];
        size_t number =
            mrn_sheet_column(out, readable(&sheet, quantities[each].name), quantities[each].unit, MRN_COLUMN_LINE);
        out->columns.data[number].logarithmic = is_logarithmic(each);
        columns[count] = column(&sheet, run, each);
    }
    for (size_t i = 0; i < run->count; i++) {
        for (size_t k = 0; k < count; k++) row[k] = columns[k][i];
        mrn_sheet_row(out, row);
    }
    for (size_t i = 0; i < sheet.blocks.count; i++) free(sheet.blocks.data[i]);
    mrn_array_free(&sheet.blocks);
    return true;
}

enum { PANELS_MAX = 4 };

bool mrn_draw_run_plot(const MrnRunSteps *runs, size_t run_count, const char *quantity,
                       const MrnRunPlotOptions *options, const char *path, MrnError *error) {
    int what = find_quantity(quantity);
    if (what < 0) return mrn_fail(error, MRN_ERROR_INPUT, "'%.80s' is not a quantity that can be plotted", quantity);
    size_t steps = 0;
    for (size_t r = 0; r < run_count; r++) steps += runs[r].count;
    if (steps == 0) return mrn_fail(error, MRN_ERROR_INPUT, "there are no steps to plot");
    MrnRunPlotOptions settings = options ? *options : (MrnRunPlotOptions){0};
    Sheet sheet = {0};
    MrnPanel panels[PANELS_MAX] = {0};
    size_t first[PANELS_MAX + 1] = {0}, count = 0;
#define END_PANEL(...) (panels[count] = (MrnPanel){__VA_ARGS__}, first[++count] = sheet.series.count)
    const char *name = run_count == 1 ? NULL : "";
    if (what == WHAT_OVERVIEW || what == WHAT_ENERGY) {
        if (run_count > 1 && what == WHAT_OVERVIEW)
            add_runs(&sheet, runs, run_count, WHAT_TOTAL_ENERGY, name);
        else
            add_energy(&sheet, runs, run_count);
        END_PANEL(.left = {.label = run_count > 1 && what == WHAT_OVERVIEW ? "total energy" : "energy", .unit = "J"});
    }
    if (what == WHAT_OVERVIEW || what == WHAT_RESIDUAL || what == WHAT_FIELD_residual) {
        add_residual(&sheet, runs, run_count, settings.tolerance);
        // A single curve that its axis names needs no legend.
        if (sheet.series.count - first[count] == 1) sheet.series.data[first[count]].label = NULL;
        END_PANEL(.left = {.label = "residual", .logarithmic = true});
    }
    if (what == WHAT_OVERVIEW) {
        add_runs(&sheet, runs, run_count, WHAT_FIELD_sweeps, name);
        END_PANEL(.left = {.label = "sweeps", .zero = true});
        add_runs(&sheet, runs, run_count, WHAT_FIELD_contacts, run_count == 1 ? "in the problem" : name);
        if (run_count == 1) add(&sheet, runs, WHAT_FIELD_touching, "with an impulse");
        END_PANEL(.left = {.label = "contacts", .zero = true});
    } else if (what == WHAT_TIMING) {
        static const struct {
            What what;
            const char *name;
            MrnSeriesStyle style;
        } parts[] = {{WHAT_FIELD_seconds_total, "whole step", MRN_SERIES_LINE},
                     {WHAT_FIELD_seconds_detect, "finding contacts", MRN_SERIES_DASHED},
                     {WHAT_FIELD_seconds_assemble, "building the problem", MRN_SERIES_DOTTED},
                     {WHAT_FIELD_seconds_solve, "solving", MRN_SERIES_LINE}};
        for (size_t r = 0; r < run_count; r++)
            for (size_t i = 0; i < (run_count == 1 ? 4 : 1); i++) {
                MrnSeries *series =
                    add(&sheet, &runs[r], parts[i].what, run_count == 1 ? parts[i].name : runs[r].label);
                series->color = run_count == 1 ? (int)i + 1 : (int)r + 1;
            }
        END_PANEL(.left = {.label = "wall time of a step", .unit = "s", .logarithmic = true});
    } else if (count == 0) {
        add_runs(&sheet, runs, run_count, (What)what, name);
        END_PANEL(.left = {.label = readable(&sheet, quantity),
                           .unit = quantities[what].unit,
                           .logarithmic = is_logarithmic((What)what)});
    }
#undef END_PANEL
    for (size_t p = 0; p < count; p++)
        panels[p].series = sheet.series.data + first[p], panels[p].series_count = first[p + 1] - first[p];
    MrnPlot plot = {.title = settings.title,
                    .abscissa = {.label = "time", .unit = "s"},
                    .panel_count = count,
                    .panels = panels,
                    .width = settings.width,
                    .height = settings.height,
                    .colors = settings.colors,
                    .theme = settings.theme};
    bool good = mrn_draw_plot(&plot, path, error);
    for (size_t i = 0; i < sheet.blocks.count; i++) free(sheet.blocks.data[i]);
    mrn_array_free(&sheet.blocks);
    mrn_array_free(&sheet.series);
    return good;
}
