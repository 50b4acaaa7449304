// A 64-bit hash of bytes, for state hashes and tables (not for security).
#ifndef MRN_BASE_HASH_H
#define MRN_BASE_HASH_H
#include "base/random.h"
#include <stddef.h>
#include <string.h>

/// Continue the hash `hash` with `size` bytes. Start from any constant.
static inline uint64_t mrn_hash_bytes(uint64_t hash, const void *data, size_t size) {
    const unsigned char *byte = data;
    uint64_t word;
    for (; size >= 8; size -= 8, byte += 8) {
        memcpy(&word, byte, 8);
        hash = mrn_mix64(hash ^ word);
    }
    word = 0;
    if (size) memcpy(&word, byte, size);
    return mrn_mix64(hash ^ word ^ ((uint64_t)size << 56));
}
#endif
