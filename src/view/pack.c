// Packs: see pack.h.
#include "view/pack.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "packs are little-endian");

static const char *const type_names[] = {"u8", "i32", "f32", "f64"};
static const size_t type_sizes[] = {1, 4, 4, 8};

MrnPack mrn_pack_new(void) {
    return (MrnPack){.head = json_object(), .arrays = json_array()};
}

void *mrn_pack_array(MrnPack *pack, const char *name, MrnPackType type, size_t count) {
    size_t offset = pack->size, length = (count * type_sizes[type] + 7) / 8 * 8;
    if (offset + length > pack->capacity) {
        pack->capacity = 2 * pack->capacity > offset + length ? 2 * pack->capacity : offset + length;
        pack->bytes = mrn_realloc(pack->bytes, pack->capacity, 1);
    }
    if (length) memset(pack->bytes + offset, 0, length);
    pack->size += length;
    json_array_append_new(pack->arrays,
                          json_pack("[s, s, I, I]", name, type_names[type], (json_int_t)offset, (json_int_t)count));
    return pack->bytes + offset;
}

unsigned char *mrn_pack_finish(MrnPack *pack, size_t *size) {
    json_object_set_new(pack->head, "arrays", pack->arrays);
    char *head = json_dumps(pack->head, JSON_COMPACT);
    size_t length = strlen(head), padded = (length + 7) / 8 * 8;
    uint32_t lengths[2] = {(uint32_t)padded, 0};
    unsigned char *whole = mrn_alloc(16 + padded + pack->size, 1);
    memcpy(whole, "MRNPACK1", 8);
    memcpy(whole + 8, lengths, 8);
    memset(whole + 16, ' ', padded);
    memcpy(whole + 16, head, length);
    if (pack->size) memcpy(whole + 16 + padded, pack->bytes, pack->size);
    *size = 16 + padded + pack->size;
    free(head);
    free(pack->bytes);
    json_decref(pack->head);
    *pack = (MrnPack){0};
    return whole;
}
