// Packing a chunk: bytes of the same rank of all items are brought together (shuffle), then the stream is deflated.
//
// Of a double that a simulation computes, sign, exponent and the first digits repeat and the last five bytes or so are
// noise. Deflate spends most of its time on the noise and gains nothing. So each plane of bytes is looked at first, and
// noise is copied as it is: deflate has stored blocks for that. The result is an ordinary zlib stream with its Adler
// checksum.
#include "io/run_file_pack.h"

#include "base/memory.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE     4096u ///< bytes of a plane that are looked at
#define NOISE_BITS 7.2   ///< bits per byte of entropy from which on a plane is noise

static void shuffle(const unsigned char *in, unsigned char *out, size_t count, size_t item) {
    if (item == 8) {
        for (size_t i = 0; i < count; i++) {
            uint64_t word;
            memcpy(&word, in + 8 * i, 8);
            for (int b = 0; b < 8; b++) out[(size_t)b * count + i] = (unsigned char)(word >> (8 * b));
        }
        return;
    }
    for (size_t b = 0; b < item; b++)
        for (size_t i = 0; i < count; i++) out[b * count + i] = in[i * item + b];
}

static bool is_noise(const unsigned char *plane, size_t count) {
    if (count < 256) return false;
    unsigned histogram[256] = {0};
    size_t stride = count > SAMPLE ? count / SAMPLE : 1, sampled = 0;
    for (size_t i = 0; i < count; i += stride, sampled++) histogram[plane[i]]++;
    double bits = 0;
    for (int b = 0; b < 256; b++)
        if (histogram[b]) bits -= histogram[b] * log2((double)histogram[b] / (double)sampled);
    // A small sample of noise looks less random than it is.
    return bits / (double)sampled > NOISE_BITS - 180.0 / (double)sampled;
}

static void grow(unsigned char **block, size_t *size, size_t wanted) {
    if (*size >= wanted) return;
    free(*block);
    *block = mrn_alloc(wanted, 1);
    *size = wanted;
}

size_t mrn_pack(MrnPacker *packer, const void *data, size_t count, size_t item) {
    size_t bytes = count * item;
    if (!bytes || bytes > UINT32_MAX / 2) return 0;
    z_stream *stream = &packer->stream;
    // Starting a stream costs as much as packing a small chunk: once is enough.
    if ((packer->started ? deflateReset(stream) : deflateInit(stream, 1)) != Z_OK) return 0;
    packer->started = true;
    grow(&packer->shuffled, &packer->shuffled_size, bytes);
    grow(&packer->packed, &packer->packed_size, deflateBound(stream, bytes) + 64 * item + 256);
    shuffle(data, packer->shuffled, count, item);
    stream->next_out = packer->packed;
    stream->avail_out = (uInt)packer->packed_size;
    int level = -1;
    bool fine = true;
    for (size_t b = 0; b < item && fine; b++) {
        unsigned char *plane = packer->shuffled + b * count;
        int wanted = is_noise(plane, count) ? 0 : 1;
        if (wanted != level) {
            fine = deflateParams(stream, wanted, Z_DEFAULT_STRATEGY) == Z_OK;
            level = wanted;
        }
        stream->next_in = plane;
        stream->avail_in = (uInt)count;
        fine = fine && deflate(stream, Z_NO_FLUSH) == Z_OK && stream->avail_in == 0;
    }
    fine = fine && deflate(stream, Z_FINISH) == Z_STREAM_END;
    size_t length = stream->total_out;
    return fine ? length : 0;
}

void mrn_packer_free(MrnPacker *packer) {
    free(packer->shuffled);
    free(packer->packed);
    if (packer->started) deflateEnd(&packer->stream);
    *packer = (MrnPacker){0};
}

static void unshuffle(const unsigned char *in, unsigned char *out, size_t count, size_t item) {
    if (item == 8) {
        for (size_t i = 0; i < count; i++) {
            uint64_t word = 0;
            for (int b = 0; b < 8; b++) word |= (uint64_t)in[(size_t)b * count + i] << (8 * b);
            memcpy(out + 8 * i, &word, 8);
        }
        return;
    }
    for (size_t b = 0; b < item; b++)
        for (size_t i = 0; i < count; i++) out[i * item + b] = in[b * count + i];
}

size_t mrn_packed_most(size_t bytes) {
    return bytes + bytes / 8 + 65536; // deflate makes noise longer by far less
}

void mrn_unpacker_room(MrnUnpacker *unpacker, size_t length) {
    grow(&unpacker->packed, &unpacker->packed_size, length ? length : 1);
}

/// Just `bytes` bytes out of a zlib stream.
static bool inflate_to(MrnUnpacker *unpacker, size_t length, unsigned char *out, size_t bytes) {
    z_stream *stream = &unpacker->stream;
    if (length > UINT32_MAX || bytes > UINT32_MAX / 2) return false;
    if ((unpacker->started ? inflateReset(stream) : inflateInit(stream)) != Z_OK) return false;
    unpacker->started = true;
    stream->next_in = unpacker->packed;
    stream->avail_in = (uInt)length;
    stream->next_out = out;
    stream->avail_out = (uInt)bytes;
    return inflate(stream, Z_FINISH) == Z_STREAM_END && stream->avail_out == 0;
}

bool mrn_unpack(MrnUnpacker *unpacker, size_t length, unsigned mask, void *data, size_t count, size_t item) {
    size_t bytes = count * item;
    bool shuffled = !(mask & 1), deflated = !(mask & 2);
    if (length > unpacker->packed_size || (!deflated && length != bytes)) return false;
    if (!shuffled) {
        if (deflated) return inflate_to(unpacker, length, data, bytes);
        memcpy(data, unpacker->packed, bytes);
        return true;
    }
    const unsigned char *planes = unpacker->packed;
    if (deflated) {
        grow(&unpacker->shuffled, &unpacker->shuffled_size, bytes);
        if (!inflate_to(unpacker, length, unpacker->shuffled, bytes)) return false;
        planes = unpacker->shuffled;
    }
    unshuffle(planes, data, count, item);
    return true;
}

void mrn_unpacker_free(MrnUnpacker *unpacker) {
    free(unpacker->shuffled);
    free(unpacker->packed);
    if (unpacker->started) inflateEnd(&unpacker->stream);
    *unpacker = (MrnUnpacker){0};
}
