// A pack: named arrays of plain numbers behind a JSON head, as the page in the browser takes them.
//
// Layout: the mark "MRNPACK1", the length of the head and a zero as 32-bit numbers, the head (padded with spaces to a
// multiple of 8), then the arrays, each on a multiple of 8. The head has a field `arrays` with [name, type, offset
// behind the head, count] for each. All little-endian.
#ifndef MRN_VIEW_PACK_H
#define MRN_VIEW_PACK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MrnPackType { MRN_PACK_U8, MRN_PACK_I32, MRN_PACK_F32, MRN_PACK_F64 } MrnPackType;

typedef struct MrnPack {
    json_t *head; ///< add fields as you like
    json_t *arrays;
    unsigned char *bytes;
    size_t size, capacity;
} MrnPack;

MrnPack mrn_pack_new(void);
/// Room for `count` numbers, all zero; fill it before the next array is added.
void *mrn_pack_array(MrnPack *pack, const char *name, MrnPackType type, size_t count);
/// The whole as one block, its length in *size; free() it. The pack is used up.
unsigned char *mrn_pack_finish(MrnPack *pack, size_t *size);

#endif
