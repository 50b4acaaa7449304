// Published figures, made again by name: `moraine plot figure:T-3.11`.
//
// A figure computes what it shows: curves in sheets, or states of scenes as views. Names are those of the figures of
// the source: T for the thesis of Rabatel (Grenoble 2015), P for the paper (J. Geophys. Res. Oceans 120, 2015).
#ifndef MRN_VERIFY_FIGURE_H
#define MRN_VERIFY_FIGURE_H

#include "measure/measure.h"
#include <moraine/scene.h>

typedef struct MrnFigureCurve {
    char *label; ///< in the legend where there are several
    MrnSheet sheet;
} MrnFigureCurve;

typedef struct MrnFigureView {
    char *label;
    const MrnScene *scene; ///< one of MrnFigureResult.scenes
    size_t frame;          ///< of MrnFigureResult.frames
} MrnFigureView;

/// What a figure came to: curves or views. Zero-initialise it.
typedef struct MrnFigureResult {
    MRN_ARRAY(MrnFigureCurve) curves; ///< sheets with the same columns share a plot
    MRN_ARRAY(MrnFigureView) views;
    MRN_ARRAY(MrnScene *) scenes;
    MrnFrameList frames;
    double low[2], high[2]; ///< m, what views show; equal: around the bodies of each
} MrnFigureResult;

void mrn_figure_result_free(MrnFigureResult *result);

/// What may be asked of a figure.
typedef struct MrnFigureRequest {
    const char *const *overrides; ///< PATH=VALUE for its scenes
    size_t override_count;
    double end; ///< s, where its runs end; NAN: as long as the figure wants
} MrnFigureRequest;

typedef struct MrnFigure {
    const char *name;  ///< "T-3.11"
    const char *title; ///< one line
    const char *shows; ///< what the published one shows, with its numbers
    MrnMeasureDrawing drawing;
    const char *cost; ///< "" for seconds, otherwise about how long it takes
    bool (*make)(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error);
} MrnFigure;

size_t mrn_figure_count(void);
const MrnFigure *mrn_figure_at(size_t index);
const MrnFigure *mrn_figure_find(const char *name); ///< any letter case, or NULL

// ---- For those who write figures ----

/// A new curve with an empty sheet; the pointer holds until the next one.
MrnSheet *mrn_figure_curve(MrnFigureResult *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const MrnFigure mrn_figures_floe_cases[]; ///< figures_floes.c: closed forms and small runs
extern const size_t mrn_figures_floe_cases_count;
extern const MrnFigure mrn_figures_floe_packs[]; ///< figures_packs.c: the channel and the open drift
extern const size_t mrn_figures_floe_packs_count;

#endif
