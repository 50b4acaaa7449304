// VTK XML files of polygons (.vtp) with appended raw data, and collections of them over time (.pvd).
#ifndef MRN_IO_VTK_FILE_H
#define MRN_IO_VTK_FILE_H

#include "base/memory.h"
#include "io/output.h"

typedef enum MrnVtkType {
    MRN_VTK_FLOAT32,
    MRN_VTK_FLOAT64,
    MRN_VTK_INT32,
    MRN_VTK_UINT8,
    MRN_VTK_STRING ///< data are texts, each with its zero byte
} MrnVtkType;

/// Where an array belongs, in the order of the file.
typedef enum MrnVtkPlace {
    MRN_VTK_FIELD,
    MRN_VTK_POINT_DATA,
    MRN_VTK_CELL_DATA,
    MRN_VTK_POINTS,
    MRN_VTK_VERTS,
    MRN_VTK_LINES,
    MRN_VTK_STRIPS,
    MRN_VTK_POLYS,
    MRN_VTK_PLACES
} MrnVtkPlace;

typedef struct MrnVtkArray {
    MrnVtkPlace place;
    const char *name;
    MrnVtkType type;
    size_t components, tuples;
    const void *data;  ///< belongs to the caller
    size_t text_bytes; ///< of strings
} MrnVtkArray;

/// One data set under construction. Zero-initialise it.
typedef struct MrnVtkPiece {
    size_t points, verts, lines, strips, polys; ///< data of cells come in the order verts, lines, polys, strips
    MRN_ARRAY(MrnVtkArray) arrays;              ///< ordered by place
} MrnVtkPiece;

void mrn_vtk_add(MrnVtkPiece *piece, MrnVtkPlace place, const char *name, MrnVtkType type, size_t components,
                 size_t tuples, const void *data);
void mrn_vtk_piece_free(MrnVtkPiece *piece);
/// Write a .vtp; *bytes is its size.
bool mrn_vtk_write(const MrnVtkPiece *piece, const char *path, uint64_t *bytes, MrnError *error);

typedef struct MrnVtkEntry {
    double time;
    char *file; ///< relative to the collection
} MrnVtkEntry;
typedef MRN_ARRAY(MrnVtkEntry) MrnVtkCollection;
bool mrn_vtk_write_collection(const MrnVtkCollection *collection, const char *path, uint64_t *bytes, MrnError *error);

#endif
