// What the page wants to know about a run, as packs.
#ifndef MRN_VIEW_DESCRIBE_H
#define MRN_VIEW_DESCRIBE_H

#include "view/pack.h"
#include <moraine/run.h>

/// Positions are sent as 32-bit numbers relative to this point, so that a scene far from the origin keeps its digits.
void mrn_view_origin(const MrnScene *scene, double origin[3]);

/// The model: title, materials, gravity, columns of the step table; arrays with bodies and shapes.
MrnPack mrn_view_model(const MrnScene *scene, const char *file_name, const double origin[3]);
/// One frame of a run of this dimension; contacts only if wanted. *bodies: how many it has, which can be more than at
/// the start of a run in which bodies break.
bool mrn_view_frame(MrnRunFile *file, size_t index, int dimension, bool contacts, const double origin[3], MrnPack *pack,
                    size_t *bodies, MrnError *error);
/// Times of the frames from `first` on.
bool mrn_view_times(MrnRunFile *file, size_t first, MrnPack *pack, MrnError *error);
/// The step table from row `first` on, a column per array. Where there are more than `most` rows, a pair of rows stands
/// for several steps: the least and the largest value of each column, so that no peak is lost.
bool mrn_view_steps(MrnRunFile *file, size_t first, size_t most, MrnPack *pack, MrnError *error);

/// A rectangle of points on which wind and current are asked for.
typedef struct MrnViewGrid {
    double low[2], high[2]; ///< m, relative to the origin of the model
    size_t columns, rows;
} MrnViewGrid;
/// Wind and current at a time on a grid, two numbers per point, row by row; not a number where nothing is known. False
/// if the run has no surroundings.
bool mrn_view_flow(const MrnScene *scene, double time, const MrnViewGrid *grid, const double origin[3], MrnPack *pack);

#endif
