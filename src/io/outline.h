// Outlines from files: many polygons from GeoJSON, WKT, lists of vertices, and pictures; simplifying them.
#ifndef MRN_IO_OUTLINE_H
#define MRN_IO_OUTLINE_H

#include <moraine/error.h>
#include <stddef.h>
#include <stdint.h>

/// Drop vertices of a closed outline, the least important first, until `wanted` are left. Returns how many are left.
size_t mrn_outline_simplify(size_t count, double *vertices, size_t wanted);
/// Drop vertices of a closed outline that lie within `tolerance` of what remains (Ramer 1972, Douglas and Peucker
/// 1973). Returns how many are left, at least 3.
size_t mrn_outline_smooth(size_t count, double *vertices, double tolerance);

/// Outlines of a file, in its units.
typedef struct MrnOutlineSet {
    size_t count;
    size_t *start;    ///< count + 1
    double *vertices; ///< x, y
    bool picture;     ///< traced in a picture: units are pixels, y upwards
} MrnOutlineSet;

/// What is white and what is black in a picture.
typedef struct MrnTraceSettings {
    double threshold; ///< 0..1; brighter pixels belong to floes
    bool dark;        ///< darker ones instead
} MrnTraceSettings;

/// Read all polygons of a file: GeoJSON (polygons, multipolygons, collections of them), WKT (POLYGON, MULTIPOLYGON, one
/// after the other), lines n x1 y1 ... xn yn, or a picture (PBM, PGM, PPM; PNG where pictures are part of the build).
bool mrn_outline_set_read(const char *name, const char *data, size_t size, const MrnTraceSettings *trace,
                          MrnOutlineSet *out, MrnError *error);
void mrn_outline_set_free(MrnOutlineSet *set);

/// Trace the parts of a grey picture (rows from the top, 0..1) that are bright: one outline per part connected along
/// edges of pixels, through the middles of the pixel edges, so that parts which touch at corners stay apart. Lakes are
/// filled.
void mrn_trace_picture(int width, int height, const float *grey, const MrnTraceSettings *trace, MrnOutlineSet *out);
/// Decode a picture to grey, 0..1. NULL with an error. Free it.
float *mrn_picture_read(const char *name, const char *data, size_t size, int *width, int *height, MrnError *error);

#endif
