// A picture in few colours.
#ifndef MRN_DRAW_QUANTIZE_H
#define MRN_DRAW_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/// Choose at most `wanted` (2..256) colours for `count` pixels 0xRRGGBB and give each pixel the index of the nearest
/// one. Returns the number of colours; exact when the picture has no more colours than that.
int mrn_quantize(const uint32_t *pixels, size_t count, int wanted, uint32_t palette[256], uint8_t *index);

#endif
