// What the parts of moraine plot share.
#ifndef MRN_CLI_PLOT_H
#define MRN_CLI_PLOT_H

#include "cli/input.h"
#include "measure/measure.h"

/// A run file that is open, and its scene.
typedef struct MrnPlotRun {
    const char *path;
    MrnRunFile *file;
    MrnScene *scene;
} MrnPlotRun;

/// plot_options.c: --from, --to, --region, --bins and --along. False with an error that names the option.
bool mrn_plot_options(const MrnArguments *arguments, int dimension, MrnMeasureOptions *options, MrnError *error);

/// plot_sheet.c
/// The step table of a run; free() it.
MrnStepInfo *mrn_plot_steps(const MrnPlotRun *run, size_t *count, MrnError *error);
/// The sheet of WHAT: a measure, a quantity of the step table, or "x=NAME y=NAME", of one run.
bool mrn_plot_sheet(const MrnPlotRun *run, const char *what, const MrnMeasureOptions *options, MrnSheet *out,
                    MrnError *error);
/// How that sheet is drawn.
MrnMeasureDrawing mrn_plot_drawing(const char *what);
/// Names of everything that can be drawn, in the order of lists; free() the array.
const char **mrn_plot_names(size_t *count);
/// plot_figure.c: make and draw a published figure. Returns the exit code.
int mrn_plot_figure(const MrnArguments *arguments, const char *name);
/// Is there such a measure or quantity?
bool mrn_plot_is_known(const char *name);

#endif
