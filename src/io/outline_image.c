// Pictures in black and white to outlines: reading PBM, PGM, PPM and PNG, and following the boundaries of bright parts.
#include "base/error.h"
#include "base/memory.h"
#include "io/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef MORAINE_HAS_CAIRO
#include <cairo.h>
#endif

enum { MAX_SIDE = 30000 };

/// Next number of a PNM header or of plain data; blanks and comments before it are skipped. -1: none.
static long pnm_number(const char *data, size_t size, size_t *at, bool single_digit) {
    while (*at < size &&
           (data[*at] == ' ' || data[*at] == '\t' || data[*at] == '\n' || data[*at] == '\r' || data[*at] == '#'))
        if (data[*at] == '#')
            while (*at < size && data[*at] != '\n') ++*at;
        else
            ++*at;
    long value = -1;
    while (*at < size && data[*at] >= '0' && data[*at] <= '9' && value < 100000000) {
        value = (value < 0 ? 0 : 10 * value) + (data[(*at)++] - '0');
        if (single_digit) break;
    }
    return value;
}

static float *read_pnm(const char *name, const char *data, size_t size, int *width, int *height, MrnError *error) {
    int kind = data[1] - '0', base = kind > 3 ? kind - 3 : kind; // 1 bits, 2 grey, 3 colour
    bool plain = kind <= 3;
    size_t at = 2;
    long w = pnm_number(data, size, &at, false), h = pnm_number(data, size, &at, false),
         most = base == 1 ? 1 : pnm_number(data, size, &at, false);
    if (w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE || most < 1 || most > 65535) {
        mrn_fail(error, MRN_ERROR_INPUT, "%.200s: not a picture of 1 to %d pixels each way", name, MAX_SIDE);
        return NULL;
    }
    at++; // one blank after the header
    size_t channels = base == 3 ? 3 : 1, bytes = most > 255 ? 2 : 1,
           row = base == 1 ? ((size_t)w + 7) / 8 : (size_t)w * channels * bytes;
    if (!plain && (at > size || size - at < row * (size_t)h)) {
        mrn_fail(error, MRN_ERROR_INPUT, "%.200s: the picture ends early", name);
        return NULL;
    }
    float *grey = mrn_alloc((size_t)w * (size_t)h, sizeof *grey);
    const unsigned char *body = (const unsigned char *)data + at;
    for (size_t y = 0; y < (size_t)h; y++)
        for (size_t x = 0; x < (size_t)w; x++) {
            double sum = 0;
            for (size_t c = 0; c < channels; c++) {
                long value;
                if (plain)
                    value = pnm_number(data, size, &at, base == 1);
                else if (base == 1)
                    value = body[y * row + x / 8] >> (7 - x % 8) & 1;
                else {
                    const unsigned char *p = body + y * row + (x * channels + c) * bytes;
                    value = bytes == 2 ? 256 * p[0] + p[1] : p[0];
                }
                if (value < 0) {
                    mrn_fail(error, MRN_ERROR_INPUT, "%.200s: the picture ends early", name);
                    free(grey);
                    return NULL;
                }
                sum += (double)value / (double)most;
            }
            grey[y * (size_t)w + x] = (float)(base == 1 ? 1 - sum : sum / (double)channels); // 1 is black in a PBM
        }
    *width = (int)w, *height = (int)h;
    return grey;
}

#ifdef MORAINE_HAS_CAIRO
typedef struct Stream {
    const char *data;
    size_t left;
} Stream;

static cairo_status_t read_stream(void *context, unsigned char *to, unsigned int length) {
    Stream *stream = context;
    if (length > stream->left) return CAIRO_STATUS_READ_ERROR;
    memcpy(to, stream->data, length);
    stream->data += length, stream->left -= length;
    return CAIRO_STATUS_SUCCESS;
}

static float *read_png(const char *name, const char *data, size_t size, int *width, int *height, MrnError *error) {
    Stream stream = {data, size};
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_stream, &stream);
    float *grey = NULL;
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        mrn_fail(error, MRN_ERROR_INPUT, "%.200s: not a PNG picture that can be read: %s", name,
                 cairo_status_to_string(cairo_surface_status(surface)));
    else {
        cairo_format_t format = cairo_image_surface_get_format(surface);
        *width = cairo_image_surface_get_width(surface), *height = cairo_image_surface_get_height(surface);
        int stride = cairo_image_surface_get_stride(surface);
        const unsigned char *pixels = cairo_image_surface_get_data(surface);
        if (*width > MAX_SIDE || *height > MAX_SIDE || (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24))
            mrn_fail(error, MRN_ERROR_INPUT, "%.200s: a PNG picture of this kind or size cannot be used", name);
        else {
            grey = mrn_alloc((size_t)*width * (size_t)*height, sizeof *grey);
            for (int y = 0; y < *height; y++)
                for (int x = 0; x < *width; x++) {
                    uint32_t pixel;
                    memcpy(&pixel, pixels + (size_t)y * (size_t)stride + 4 * (size_t)x, 4);
                    grey[(size_t)y * (size_t)*width + (size_t)x] =
                        (float)((pixel >> 16 & 255) + (pixel >> 8 & 255) + (pixel & 255)) / (3 * 255);
                }
        }
    }
    cairo_surface_destroy(surface);
    return grey;
}
#endif

float *mrn_picture_read(const char *name, const char *data, size_t size, int *width, int *height, MrnError *error) {
    if (size > 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '6')
        return read_pnm(name, data, size, width, height, error);
#ifdef MORAINE_HAS_CAIRO
    if (size > 8 && memcmp(data, "\x89PNG", 4) == 0) return read_png(name, data, size, width, height, error);
    mrn_fail(error, MRN_ERROR_INPUT, "%.200s: wanted a PNG, PBM, PGM or PPM picture", name);
#else
    mrn_fail(error, MRN_ERROR_UNSUPPORTED, "%.200s: wanted a PBM, PGM or PPM picture; this build cannot read PNG",
             name);
#endif
    return NULL;
}

/// A picture at work: the number of the part of each pixel, 0: water.
typedef struct Tracing {
    int width, height;
    int *part;
} Tracing;

static int part_at(const Tracing *t, int x, int y) {
    return x < 0 || y < 0 || x >= t->width || y >= t->height ? 0 : t->part[(size_t)y * (size_t)t->width + (size_t)x];
}

/// Give the pixels connected to (x, y) along edges the number `part`.
static void flood(Tracing *t, int x, int y, int part) {
    MRN_ARRAY(int) stack = {0};
    int first = y * t->width + x;
    t->part[first] = part;
    mrn_array_push(&stack, first);
    while (stack.count) {
        int here = stack.data[--stack.count], at_x = here % t->width, at_y = here / t->width;
        const int next[4][2] = {{at_x + 1, at_y}, {at_x - 1, at_y}, {at_x, at_y + 1}, {at_x, at_y - 1}};
        for (int k = 0; k < 4; k++) {
            if (part_at(t, next[k][0], next[k][1]) != -1) continue;
            int index = next[k][1] * t->width + next[k][0];
            t->part[index] = part;
            mrn_array_push(&stack, index);
        }
    }
    mrn_array_free(&stack);
}

void mrn_trace_picture(int width, int height, const float *grey, const MrnTraceSettings *trace, MrnOutlineSet *out) {
    Tracing t = {width, height, mrn_alloc((size_t)width * (size_t)height, sizeof(int))};
    MRN_ARRAY(double) vertices = {0};
    MRN_ARRAY(size_t) starts = {0};
    mrn_array_push(&starts, 0);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        t.part[i] = (grey[i] > trace->threshold) != trace->dark ? -1 : 0; // not numbered yet
    int parts = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            if (part_at(&t, x, y) != -1) continue;
            flood(&t, x, y, ++parts);
            // (x, y) is the first pixel of its part: its upper edge is on the outer boundary. Walk along edges of
            // pixels with the part on the right; at a crossing of two corners turn towards the own part.
            static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1}; // right, down, left, up on the picture
            int corner_x = x, corner_y = y, heading = 0;
            do {
                mrn_array_push(&vertices, corner_x + 0.5 * dx[heading]);
                mrn_array_push(&vertices, height - (corner_y + 0.5 * dy[heading]));
                corner_x += dx[heading], corner_y += dy[heading];
                // Pixels ahead on the right and on the left of the walk.
                static const int right_x[4] = {0, -1, -1, 0}, right_y[4] = {0, 0, -1, -1};
                int left = (heading + 3) % 4;
                bool on_right = part_at(&t, corner_x + right_x[heading], corner_y + right_y[heading]) == parts,
                     on_left = part_at(&t, corner_x + right_x[left], corner_y + right_y[left]) == parts;
                heading = !on_right ? (heading + 1) % 4 : on_left ? left : heading;
            } while (corner_x != x || corner_y != y || heading != 0);
            mrn_array_push(&starts, vertices.count / 2);
        }
    free(t.part);
    *out = (MrnOutlineSet){.count = starts.count - 1, .start = starts.data, .vertices = vertices.data, .picture = true};
}
