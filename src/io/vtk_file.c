// VTK XML files. See vtk_file.h; the format is described in "VTK File Formats" (Kitware).
//
// Numbers are little-endian as in memory; each block of the appended data is its length in 8 bytes and its bytes. In
// compressed files it is the number of pieces (here one, or none of an empty array), their length before compression,
// the length of the last one if it is shorter, the compressed length, and a zlib stream (RFC 1950 and 1951).
#include "io/vtk_file.h"

#include "base/simd.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_NAME "LittleEndian"
#else
#define BYTE_ORDER_NAME "BigEndian"
#endif

static const struct {
    const char *name;
    size_t size;
} types[] = {[MRN_VTK_FLOAT32] = {"Float32", 4},
             [MRN_VTK_FLOAT64] = {"Float64", 8},
             [MRN_VTK_INT32] = {"Int32", 4},
             [MRN_VTK_UINT8] = {"UInt8", 1},
             [MRN_VTK_STRING] = {"String", 1}};

static const char *const place_names[MRN_VTK_PLACES] = {
    [MRN_VTK_FIELD] = "FieldData", [MRN_VTK_POINT_DATA] = "PointData", [MRN_VTK_CELL_DATA] = "CellData",
    [MRN_VTK_POINTS] = "Points",   [MRN_VTK_VERTS] = "Verts",          [MRN_VTK_LINES] = "Lines",
    [MRN_VTK_STRIPS] = "Strips",   [MRN_VTK_POLYS] = "Polys"};

void mrn_vtk_add(MrnVtkPiece *piece, MrnVtkPlace place, const char *name, MrnVtkType type, size_t components,
                 size_t tuples, const void *data) {
    MrnVtkArray array = {
        .place = place, .name = name, .type = type, .components = components, .tuples = tuples, .data = data};
    if (type == MRN_VTK_STRING)
        for (size_t i = 0; i < tuples; i++) array.text_bytes += strlen((const char *)data + array.text_bytes) + 1;
    mrn_array_push(&piece->arrays, array);
}

void mrn_vtk_packed_free(MrnVtkPacked *packed) {
    free(packed->bytes);
    *packed = (MrnVtkPacked){0};
}

void mrn_vtk_add_constant(MrnVtkPiece *piece, MrnVtkPlace place, const char *name, MrnVtkType type, size_t components,
                          size_t tuples, const void *data, MrnVtkPacked *packed) {
    mrn_vtk_add(piece, place, name, type, components, tuples, data);
    size_t size = types[type].size * components * tuples;
    if (!packed || !size) return;
    if (!packed->bytes) {
        uLongf length = compressBound(size);
        packed->bytes = mrn_alloc(length, 1);
        int status = compress2(packed->bytes, &length, data, size, Z_BEST_SPEED);
        assert(status == Z_OK); // it has all the room it can need
        (void)status;
        packed->size = length;
        packed->bytes = mrn_realloc(packed->bytes, length, 1);
    }
    piece->arrays.data[piece->arrays.count - 1].packed = packed;
}

void mrn_vtk_piece_free(MrnVtkPiece *piece) {
    mrn_array_free(&piece->arrays);
}

static size_t bytes_of(const MrnVtkArray *array) {
    if (array->type == MRN_VTK_STRING) return array->text_bytes;
    return types[array->type].size * array->components * array->tuples;
}

enum { STORED_MOST = 65535 }; ///< bytes of a stored block

/// Length of a zlib stream that stores bytes as they are: a head of 2, 5 for each block, a checksum of 4.
static uint64_t stored_size(uint64_t size) {
    return 2 + size + 5 * ((size + STORED_MOST - 1) / STORED_MOST) + 4;
}

static uint64_t appended_size(const MrnVtkPiece *piece, const MrnVtkArray *array) {
    uint64_t size = bytes_of(array);
    if (!piece->compressed) return sizeof(uint64_t) + size;
    if (!size) return 3 * sizeof(uint64_t);
    return 4 * sizeof(uint64_t) + (array->packed ? array->packed->size : stored_size(size));
}

/// Adler's checksum (RFC 1950) of more bytes, in lanes that the compiler turns into vectors: zlib's own takes one byte
/// after the other, and would cost as much as writing the file.
static MRN_KERNEL uint32_t checksum(uint32_t sum, const unsigned char *data, size_t size) {
    enum { LANES = 64, ROWS = 1024, PRIME = 65521 }; // sums of a block stay below 2^32
    uint64_t a = sum & 0xffff, b = sum >> 16;
    while (size >= LANES) {
        size_t rows = size / LANES < ROWS ? size / LANES : ROWS;
        uint32_t plain[LANES] = {0}, before[LANES] = {0}; // sums of bytes, and of the sums before each row
        for (size_t row = 0; row < rows; row++)
            for (size_t i = 0; i < LANES; i++) {
                before[i] += plain[i];
                plain[i] += data[LANES * row + i];
            }
        b += a * LANES * rows;
        for (size_t i = 0; i < LANES; i++) {
            a += plain[i];
            b += (uint64_t)LANES * before[i] + (LANES - i) * plain[i];
        }
        a %= PRIME, b %= PRIME;
        data += LANES * rows;
        size -= LANES * rows;
    }
    for (size_t i = 0; i < size; i++) a += data[i], b += a;
    return (uint32_t)(b % PRIME << 16 | a % PRIME);
}

static void write_stored(MrnOutput *out, const unsigned char *data, uint64_t size) {
    enum { BLOCKS = 64 };
    static const unsigned char head[2] = {0x78, 0x01};
    mrn_output_write(out, head, sizeof head);
    uint32_t sum = 1;
    unsigned char heads[BLOCKS][5];
    struct iovec parts[2 * BLOCKS];
    for (uint64_t at = 0; at < size;) {
        size_t count = 0;
        uint64_t begin = at;
        for (; count < BLOCKS && at < size; count++) {
            uint32_t length = size - at < STORED_MOST ? (uint32_t)(size - at) : STORED_MOST;
            const unsigned char block[5] = {at + length == size, length & 0xff, length >> 8, ~length & 0xff,
                                            ~length >> 8 & 0xff};
            memcpy(heads[count], block, sizeof block);
            parts[2 * count] = (struct iovec){heads[count], sizeof block};
            parts[2 * count + 1] = (struct iovec){(void *)(uintptr_t)(data + at), length};
            at += length;
        }
        sum = checksum(sum, data + begin, at - begin);
        mrn_output_write_parts(out, parts, 2 * count);
    }
    const unsigned char end[4] = {sum >> 24, sum >> 16 & 0xff, sum >> 8 & 0xff, sum & 0xff};
    mrn_output_write(out, end, sizeof end);
}

static void append_array(MrnOutput *out, const MrnVtkPiece *piece, const MrnVtkArray *array) {
    uint64_t size = bytes_of(array);
    if (!piece->compressed) {
        mrn_output_write(out, &size, sizeof size);
        mrn_output_write(out, array->data, size);
        return;
    }
    uint64_t head[4] = {size > 0, size, 0, array->packed ? array->packed->size : stored_size(size)};
    mrn_output_write(out, head, (size ? 4 : 3) * sizeof *head);
    if (!size) return;
    if (array->packed)
        mrn_output_write(out, array->packed->bytes, array->packed->size);
    else
        write_stored(out, array->data, size);
}

static void describe_array(MrnOutput *out, const MrnVtkPiece *piece, const MrnVtkArray *array, uint64_t *offset) {
    const char *element = array->type == MRN_VTK_STRING ? "Array" : "DataArray";
    mrn_output_format(out, "<%s type=\"%s\" Name=\"%s\"", element, types[array->type].name, array->name);
    if (array->components > 1) mrn_output_format(out, " NumberOfComponents=\"%zu\"", array->components);
    if (array->place == MRN_VTK_FIELD || array->type == MRN_VTK_STRING)
        mrn_output_format(out, " NumberOfTuples=\"%zu\"", array->tuples);
    mrn_output_format(out, " format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)*offset);
    *offset += appended_size(piece, array);
}

bool mrn_vtk_write(const MrnVtkPiece *piece, const char *path, uint64_t *bytes, MrnError *error) {
    MrnOutput out;
    if (!mrn_output_open(&out, path, error)) return false;
    uint64_t offset = 0;
    mrn_output_format(&out,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                      "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\"%s>\n<PolyData>\n",
                      piece->compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    for (int place = 0; place < MRN_VTK_PLACES; place++) {
        bool any = false;
        for (size_t i = 0; i < piece->arrays.count; i++) any |= (int)piece->arrays.data[i].place == place;
        if (place == MRN_VTK_FIELD + 1)
            mrn_output_format(&out,
                              "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                              "NumberOfStrips=\"%zu\" NumberOfPolys=\"%zu\">\n",
                              piece->points, piece->verts, piece->lines, piece->strips, piece->polys);
        if (!any) continue;
        mrn_output_format(&out, "<%s>\n", place_names[place]);
        for (size_t i = 0; i < piece->arrays.count; i++)
            if ((int)piece->arrays.data[i].place == place) describe_array(&out, piece, &piece->arrays.data[i], &offset);
        mrn_output_format(&out, "</%s>\n", place_names[place]);
    }
    mrn_output_text(&out, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    for (int place = 0; place < MRN_VTK_PLACES; place++)
        for (size_t i = 0; i < piece->arrays.count; i++) {
            const MrnVtkArray *array = &piece->arrays.data[i];
            if ((int)array->place == place) append_array(&out, piece, array);
        }
    mrn_output_text(&out, "\n</AppendedData>\n</VTKFile>\n");
    *bytes = out.written;
    return mrn_output_close(&out, error);
}

bool mrn_vtk_write_collection(const MrnVtkCollection *collection, const char *path, uint64_t *bytes, MrnError *error) {
    MrnOutput out;
    if (!mrn_output_open(&out, path, error)) return false;
    mrn_output_text(&out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                          "byte_order=\"" BYTE_ORDER_NAME "\" header_type=\"UInt64\">\n<Collection>\n");
    for (size_t i = 0; i < collection->count; i++) {
        char time[MRN_DECIMAL_ROOM];
        *mrn_decimal_write(time, collection->data[i].time) = 0;
        mrn_output_format(&out, "<DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"%s\"/>\n", time,
                          collection->data[i].file);
    }
    mrn_output_text(&out, "</Collection>\n</VTKFile>\n");
    *bytes = out.written;
    return mrn_output_close(&out, error);
}
