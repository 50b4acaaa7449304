// Pixels as a PNG file in memory, with a palette where few colours are wanted.
#include "draw/draw.h"

#include "base/memory.h"
#include "draw/quantize.h"
#include <stdlib.h>
#include <string.h>

#ifdef MORAINE_HAS_CAIRO
#include <png.h>

typedef MRN_ARRAY(unsigned char) Bytes;

static void append(png_structp png, png_bytep data, png_size_t size) {
    Bytes *bytes = png_get_io_ptr(png);
    size_t at = bytes->count;
    mrn_array_resize(bytes, at + size);
    memcpy(bytes->data + at, data, size);
}
static void no_flush(png_structp png) {
    (void)png;
}

size_t mrn_png_encode(const MrnImage *image, int colors, unsigned char **data) {
    size_t width = (size_t)image->width, height = (size_t)image->height;
    bool few = colors >= 2 && colors <= 256;
    uint32_t *pixels = mrn_alloc(width * height, sizeof *pixels), palette[256];
    memcpy(pixels, image->pixels, 4 * width * height);
    uint8_t *rows = mrn_alloc(width * height, few ? 1 : 3);
    png_color entries[256];
    int count = few ? mrn_quantize(pixels, width * height, colors, palette, rows) : 0;
    for (int i = 0; i < count; i++)
        entries[i] = (png_color){(png_byte)(palette[i] >> 16), (png_byte)(palette[i] >> 8), (png_byte)palette[i]};
    for (size_t i = 0; !few && i < width * height; i++)
        for (size_t k = 0; k < 3; k++) rows[3 * i + k] = image->pixels[4 * i + 2 - k];
    // What setjmp must not lose lives behind a pointer.
    Bytes *bytes = mrn_alloc_zero(1, sizeof *bytes);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    size_t size = 0;
    if (info && !setjmp(png_jmpbuf(png))) {
        png_set_write_fn(png, bytes, append, no_flush);
        png_set_compression_level(png, few ? 9 : 6);
        if (few) png_set_filter(png, 0, PNG_FILTER_NONE);
        png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8,
                     few ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        if (few) png_set_PLTE(png, info, entries, count);
        png_write_info(png, info);
        for (size_t y = 0; y < height; y++) png_write_row(png, rows + y * width * (few ? 1 : 3));
        png_write_end(png, info);
        size = bytes->count;
    }
    if (png) png_destroy_write_struct(&png, &info);
    free(pixels);
    free(rows);
    *data = size ? bytes->data : NULL;
    if (!size) mrn_array_free(bytes);
    free(bytes);
    return size;
}

bool mrn_png_decode(const unsigned char *data, size_t size, MrnImage *image) {
    png_image reader = {.version = PNG_IMAGE_VERSION};
    *image = (MrnImage){0};
    if (!png_image_begin_read_from_memory(&reader, data, size)) return false;
    reader.format = PNG_FORMAT_BGRA;
    image->width = (int)reader.width, image->height = (int)reader.height;
    image->pixels = mrn_alloc(PNG_IMAGE_SIZE(reader) + 1, 1);
    if (png_image_finish_read(&reader, NULL, image->pixels, 0, NULL)) return true;
    png_image_free(&reader);
    mrn_image_free(image);
    return false;
}
#else
bool mrn_png_decode(const unsigned char *data, size_t size, MrnImage *image) {
    (void)data, (void)size;
    *image = (MrnImage){0};
    return false;
}
size_t mrn_png_encode(const MrnImage *image, int colors, unsigned char **data) {
    (void)image, (void)colors;
    *data = NULL;
    return 0;
}
#endif
