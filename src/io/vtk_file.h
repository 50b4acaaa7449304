// VTK XML files of polygons (.vtp) with appended raw data, and collections of them over time (.pvd).
//
// A compressed file is one in zlib's format, as VTK wants it for all arrays or none: what is the same in many files is
// compressed once and kept, the rest is stored as it is, which costs no more than a checksum.
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

/// An array as zlib has compressed it. Zero-initialise it.
typedef struct MrnVtkPacked {
    unsigned char *bytes;
    size_t size;
} MrnVtkPacked;
void mrn_vtk_packed_free(MrnVtkPacked *packed);

typedef struct MrnVtkArray {
    MrnVtkPlace place;
    const char *name;
    MrnVtkType type;
    size_t components, tuples;
    const void *data;           ///< belongs to the caller
    size_t text_bytes;          ///< of strings
    const MrnVtkPacked *packed; ///< the same compressed, or NULL
} MrnVtkArray;

/// One data set under construction. Zero-initialise it.
typedef struct MrnVtkPiece {
    bool compressed;                            ///< in the format of zlib
    size_t points, verts, lines, strips, polys; ///< data of cells come in the order verts, lines, polys, strips
    MRN_ARRAY(MrnVtkArray) arrays;              ///< ordered by place
} MrnVtkPiece;

void mrn_vtk_add(MrnVtkPiece *piece, MrnVtkPlace place, const char *name, MrnVtkType type, size_t components,
                 size_t tuples, const void *data);
/// The same for an array that does not change from file to file: it is compressed into `packed` if that is empty, and
/// taken from there otherwise. NULL: stored as it is.
void mrn_vtk_add_constant(MrnVtkPiece *piece, MrnVtkPlace place, const char *name, MrnVtkType type, size_t components,
                          size_t tuples, const void *data, MrnVtkPacked *packed);
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
