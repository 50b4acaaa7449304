// Measures: numbers that are worth knowing about a run, by name. Coordination, stress, velocity profiles...
//
// A measure is one function and one row of the table in measures.c. It sees the frames of a run one at a time, so a run
// of any length can be measured, and gives a sheet: columns with units, to be drawn or written. It knows nothing of
// files; whoever calls it says where frames come from.
//
// What always holds: the same frames give the same numbers; a value that does not exist (a mean over nothing) is NAN,
// never 0; notes say which convention was used.
#ifndef MRN_MEASURE_MEASURE_H
#define MRN_MEASURE_MEASURE_H

#include "measure/region.h"
#include "measure/sheet.h"
#include <moraine/run.h>

/// Where frames come from, in order of time.
typedef struct MrnFrameSource {
    size_t count;
    bool (*read)(void *context, size_t index, MrnFrame *frame, MrnError *error);
    void (*release)(MrnFrame *frame); ///< of a frame that was read
    void *context;
} MrnFrameSource;

/// What is looked at. Start from mrn_measure_defaults().
typedef struct MrnMeasureOptions {
    double from, to;     ///< s; frames of this window of time; default all
    MrnRegion region;    ///< default everywhere; where a volume is needed: the box around the free bodies of each frame
    size_t bins;         ///< of profiles and histograms; 0 (default): as many as suits the measure
    double direction[3]; ///< of a profile, any length; 0 (default): upwards, or y (3D: z) without gravity
} MrnMeasureOptions;

MrnMeasureOptions mrn_measure_defaults(void);

/// Everything that a measure is given.
typedef struct MrnMeasureInput {
    const MrnModel *model;
    double time_step; ///< s; an impulse over it is a force
    MrnFrameSource frames;
    MrnMeasureOptions options;
} MrnMeasureInput;

/// How a sheet is drawn. The first column is the abscissa of a series, a histogram and a scatter.
typedef enum MrnMeasureDrawing {
    MRN_DRAWING_SERIES,    ///< time, then curves; columns of the same unit share a panel
    MRN_DRAWING_PROFILE,   ///< position along a direction, then curves over it
    MRN_DRAWING_HISTOGRAM, ///< middle of a bin, then heights
    MRN_DRAWING_SCATTER,   ///< x, then y values as points or lines
    MRN_DRAWING_MAP        ///< x, y, then the value that gives the colour
} MrnMeasureDrawing;

/// What a measure needs of a run, as a sum of these.
enum { MRN_NEEDS_2D = 1, MRN_NEEDS_3D = 2, MRN_NEEDS_GRAVITY = 4, MRN_NEEDS_FREE_BODIES = 8, MRN_NEEDS_OBSTACLES = 16 };

typedef struct MrnMeasure {
    const char *name;    ///< on the command line: small letters, digits, _
    const char *summary; ///< one line
    const char *units;   ///< of its columns, for lists: "1", "Pa"
    MrnMeasureDrawing drawing;
    unsigned needs;
    /// Fill an empty sheet. False with `error` when it cannot be done or a frame cannot be read.
    bool (*compute)(const MrnMeasureInput *input, MrnSheet *out, MrnError *error);
} MrnMeasure;

size_t mrn_measure_count(void);
const MrnMeasure *mrn_measure_at(size_t index);
const MrnMeasure *mrn_measure_find(const char *name); ///< or NULL
/// NULL if the model has what the measure needs, otherwise what is missing: "a run in 2D".
const char *mrn_measure_missing(const MrnMeasure *measure, const MrnModel *model);
/// Check the input, then compute. `out` is zero-initialised; free it with mrn_sheet_free, also after a failure.
bool mrn_measure_compute(const MrnMeasure *measure, const MrnMeasureInput *input, MrnSheet *out, MrnError *error);

// ---- For those who write measures ----

/// A walk over the frames of the window:
///     MrnFrameWalk walk = mrn_frame_walk(input);
///     while (mrn_frame_next(&walk, error)) { ... walk.frame ... }
///     return mrn_frame_walk_end(&walk);
typedef struct MrnFrameWalk {
    const MrnMeasureInput *input;
    MrnFrame frame; ///< the present one; valid until the next call
    size_t index;   ///< of the frame that is read next
    size_t seen;    ///< frames of the window so far
    bool begun, held, failed;
} MrnFrameWalk;

MrnFrameWalk mrn_frame_walk(const MrnMeasureInput *input);
bool mrn_frame_next(MrnFrameWalk *walk, MrnError *error); ///< false at the end and after a failure
bool mrn_frame_walk_end(MrnFrameWalk *walk);              ///< release; false after a failure

/// Unit vector along options.direction, or upwards.
void mrn_measure_direction(const MrnMeasureInput *input, double direction[3]);
/// Extent of the free bodies along a direction over the window, or of the region where it is bounded.
bool mrn_measure_extent(const MrnMeasureInput *input, const double direction[3], double *low, double *high,
                        MrnError *error);
/// The region of a frame with a volume: the given one, or the box around its free bodies. False if there is no body.
bool mrn_measure_region(const MrnMeasureInput *input, const MrnFrame *frame, MrnRegion *region);
/// The box of the region, or the smallest one around the free bodies over the window. False with an error: a ball, or
/// no body.
bool mrn_measure_box(const MrnMeasureInput *input, MrnRegion *box, MrnError *error);
/// Add "mean over N frames: ..." for the columns from `first` on.
void mrn_measure_note_means(MrnSheet *sheet, size_t first);

/// A contact that carries an impulse.
static inline bool mrn_contact_bears(const MrnContactView *contact) {
    return contact->normal_impulse > 0;
}

// ---- Frames of a world that is in memory ----

/// Frames kept in memory, for worlds that are measured as they run.
typedef struct MrnFrameList {
    MRN_ARRAY(MrnFrame) frames;
} MrnFrameList;

void mrn_frame_list_add(MrnFrameList *list, MrnWorld *world); ///< a copy of the present state and contacts
void mrn_frame_list_free(MrnFrameList *list);
MrnFrameSource mrn_frame_list_source(MrnFrameList *list);

#endif
