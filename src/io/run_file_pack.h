// Packing a chunk for HDF5's filters "shuffle" and "deflate", faster than the filters do it.
#ifndef MRN_IO_RUN_FILE_PACK_H
#define MRN_IO_RUN_FILE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

/// Work space that is kept from chunk to chunk. Zero-initialise it.
typedef struct MrnPacker {
    unsigned char *shuffled, *packed;
    size_t shuffled_size, packed_size;
    z_stream stream;
    bool started;
} MrnPacker;

/// Pack `count` items of `item` bytes. Returns the length of packer->packed, or 0 if that failed.
size_t mrn_pack(MrnPacker *packer, const void *data, size_t count, size_t item);
void mrn_packer_free(MrnPacker *packer);

/// The same for reading.
typedef struct MrnUnpacker {
    unsigned char *shuffled, *packed;
    size_t shuffled_size, packed_size;
    z_stream stream;
    bool started;
} MrnUnpacker;

/// Longest chunk that HDF5 or mrn_pack make of so many bytes.
size_t mrn_packed_most(size_t bytes);
/// Room for a packed chunk of `length` bytes; it goes to unpacker->packed.
void mrn_unpacker_room(MrnUnpacker *unpacker, size_t length);
/// Unpack `length` bytes of unpacker->packed into `count` items of `item` bytes. False if they do not hold just that:
/// nothing is written beyond `data`, whatever they are. `mask` is HDF5's: bit 0 is set where the bytes were not
/// shuffled, bit 1 where they were not deflated.
bool mrn_unpack(MrnUnpacker *unpacker, size_t length, unsigned mask, void *data, size_t count, size_t item);
void mrn_unpacker_free(MrnUnpacker *unpacker);

#endif
