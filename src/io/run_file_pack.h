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

#endif
