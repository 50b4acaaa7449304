// Surfaces of many bodies as one VTK data set per frame.
//
// What always holds: cells of the bodies that are there, in the order of the bodies; what does not change from frame to
// frame (cells, numbers, materials) is made again only when other bodies are there.
#ifndef MRN_IO_VTK_SKIN_H
#define MRN_IO_VTK_SKIN_H

#include "io/surface.h"
#include "io/vtk_file.h"
#include <moraine/run.h>

/// A body's part of the surface, in the frame of the body.
typedef struct MrnSkinMould {
    int body;
    MrnSurface surface;
} MrnSkinMould;
typedef MRN_ARRAY(MrnSkinMould) MrnSkinMoulds;
void mrn_skin_moulds_free(MrnSkinMoulds *moulds);

/// The kinds of cells of a surface, in the order in which VTK numbers them.
enum { MRN_SKIN_LINES, MRN_SKIN_POLYGONS, MRN_SKIN_STRIPS, MRN_SKIN_CELL_KINDS };
typedef struct MrnSkinCells {
    MRN_ARRAY(int32_t) points;
    MRN_ARRAY(int32_t) ends;
    MrnVtkPacked packed_points, packed_ends;
} MrnSkinCells;

/// The surface in one frame, with room that is used again for the next. Belongs to one thread.
typedef struct MrnSkin {
    uint8_t *shown; ///< per mould, in the arrays below
    bool filled;    ///< the arrays below are
    size_t points;
    MrnSkinCells cells[MRN_SKIN_CELL_KINDS];
    MRN_ARRAY(int32_t) body, material; ///< per cell, kind by kind
    MRN_ARRAY(float) birth;
    MrnVtkPacked packed_body, packed_material, packed_birth;
    MRN_ARRAY(float) velocity, spin; ///< per cell, of this frame
    void *place;                     ///< points of this frame
    size_t place_room;
} MrnSkin;
void mrn_skin_free(MrnSkin *skin);

/// A body that is there and has a finite place can be shown.
bool mrn_skin_shows(const MrnFrame *frame, int dimension, size_t body);
MrnPose mrn_skin_pose(const MrnFrame *frame, int dimension, size_t body);

/// The data set of a frame: `velocity` and `spin` are 3 numbers per body, points are in single precision if `single`.
/// The arrays of `piece` belong to the skin. False if the surfaces have more corners than VTK can number here.
bool mrn_skin_piece(MrnSkin *skin, const MrnSkinMoulds *moulds, const MrnModel *model, const MrnFrame *frame,
                    const double *velocity, const double *spin, bool single, bool steady, MrnVtkPiece *piece,
                    MrnError *error);

#endif
