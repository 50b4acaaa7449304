// Pages: opening, text, and the way to the disk.
//
// A page is made in memory and written at the end in one go, so that a picture that cannot be drawn never replaces one
// that could.
#include "draw/canvas.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_image_free(MrnImage *image) {
    free(image->pixels);
    *image = (MrnImage){0};
}

bool mrn_draw_unsupported(MrnError *error) {
    return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                    "pictures and plots need cairo, and this build has none (install libcairo2-dev and build again)");
}

#ifdef MORAINE_HAS_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>

#ifdef __SANITIZE_ADDRESS__
// fontconfig keeps about 1 kB of its configuration until the program ends; the leak checker must not take it for ours.
const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig\n";
}
#endif

typedef struct MrnBytes {
    MRN_ARRAY(unsigned char) data;
} MrnBytes;

static cairo_status_t append_bytes(void *context, const unsigned char *data, unsigned length) {
    MrnBytes *bytes = context;
    size_t at = bytes->data.count;
    mrn_array_resize(&bytes->data, at + length);
    memcpy(bytes->data.data + at, data, length);
    return CAIRO_STATUS_SUCCESS;
}

bool mrn_page_kind(const char *path, MrnPageKind *kind, MrnError *error) {
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    static const char *const extensions[] = {".png", ".svg", ".pdf"};
    for (int i = 0; dot && i < 3; i++)
        if (strcasecmp(dot, extensions[i]) == 0) {
            *kind = (MrnPageKind)i;
            return true;
        }
    return mrn_fail(error, MRN_ERROR_INPUT, "%s: the name of a picture must end in .png, .svg or .pdf", path);
}

bool mrn_canvas_open(MrnCanvas *canvas, MrnPageKind kind, int width, int height, MrnTheme theme, MrnError *error) {
    *canvas = (MrnCanvas){.kind = kind, .width = width, .height = height, .ink = mrn_color_ink(theme)};
    if (width < 64 || height < 64 || width > 16384 || height > 16384)
        return mrn_fail(error, MRN_ERROR_INPUT, "a picture of %d x %d pixels: each side must be from 64 to 16384",
                        width, height);
    canvas->bytes = mrn_alloc_zero(1, sizeof *canvas->bytes);
    if (kind == MRN_PAGE_SVG) {
        canvas->surface = cairo_svg_surface_create_for_stream(append_bytes, canvas->bytes, width, height);
    } else if (kind == MRN_PAGE_PDF) {
        canvas->surface = cairo_pdf_surface_create_for_stream(append_bytes, canvas->bytes, width, height);
    } else {
        canvas->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    }
    canvas->cr = cairo_create(canvas->surface);
    canvas->font = fmax(9, fmin(width, 2.2 * height) / 62.0);
    cairo_set_line_join(canvas->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(canvas->cr, CAIRO_LINE_CAP_ROUND);
    mrn_canvas_color(canvas, canvas->ink.paper, 1);
    cairo_paint(canvas->cr);
    return true;
}

static bool write_file(const char *path, const unsigned char *data, size_t size, MrnError *error) {
    FILE *file = fopen(path, "wb");
    if (!file) return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write the picture: %s", path, strerror(errno));
    bool complete = fwrite(data, 1, size, file) == size;
    int reason = errno;
    if (fclose(file) != 0 && complete) {
        complete = false;
        reason = errno;
    }
    if (complete) return true;
    struct stat about;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) remove(path);
    return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write the picture: %s", path, strerror(reason));
}

static MrnImage page_pixels(MrnCanvas *canvas) {
    cairo_surface_flush(canvas->surface);
    const unsigned char *rows = cairo_image_surface_get_data(canvas->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(canvas->surface), row = 4 * (size_t)canvas->width;
    MrnImage image = {canvas->width, canvas->height, mrn_alloc((size_t)canvas->height, row)};
    for (size_t y = 0; y < (size_t)canvas->height; y++) memcpy(image.pixels + y * row, rows + y * stride, row);
    for (size_t i = 0; i < (size_t)canvas->height * row; i += 4) image.pixels[i + 3] = 255;
    return image;
}

/// The page as a PNG file of few colours.
static cairo_status_t write_palette_png(MrnCanvas *canvas) {
    MrnImage image = page_pixels(canvas);
    unsigned char *data;
    size_t size = mrn_png_encode(&image, canvas->colors, &data);
    mrn_image_free(&image);
    if (!size) return CAIRO_STATUS_NO_MEMORY;
    append_bytes(canvas->bytes, data, (unsigned)size);
    free(data);
    return CAIRO_STATUS_SUCCESS;
}

bool mrn_canvas_close(MrnCanvas *canvas, const char *path, MrnImage *image, MrnError *error) {
    cairo_status_t status = cairo_status(canvas->cr);
    bool few = canvas->colors >= 2 && canvas->colors <= 256;
    if (!status && canvas->kind == MRN_PAGE_PNG)
        status = few ? write_palette_png(canvas)
                     : cairo_surface_write_to_png_stream(canvas->surface, append_bytes, canvas->bytes);
    if (!status && canvas->kind == MRN_PAGE_MEMORY) *image = page_pixels(canvas);
    cairo_destroy(canvas->cr);
    cairo_surface_finish(canvas->surface);
    if (!status) status = cairo_surface_status(canvas->surface);
    cairo_surface_destroy(canvas->surface);
    bool good = true;
    if (status)
        good = mrn_fail(error, status == CAIRO_STATUS_NO_MEMORY ? MRN_ERROR_MEMORY : MRN_ERROR_FILE,
                        "%s: cannot make the picture: %s", path ? path : "picture in memory",
                        cairo_status_to_string(status));
    else if (path)
        good = write_file(path, canvas->bytes->data.data, canvas->bytes->data.count, error);
    mrn_array_free(&canvas->bytes->data);
    free(canvas->bytes);
    *canvas = (MrnCanvas){0};
    return good;
}

void mrn_canvas_color(MrnCanvas *canvas, MrnColor color, double opacity) {
    if (opacity >= 1)
        cairo_set_source_rgb(canvas->cr, color.r, color.g, color.b);
    else
        cairo_set_source_rgba(canvas->cr, color.r, color.g, color.b, opacity);
}

/// Length of the UTF-8 character that starts here, or 0 if it is none.
static size_t utf8_length(const unsigned char *s) {
    if (s[0] >= 0x20 && s[0] < 0x7f) return 1;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
    if (length == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
    return length;
}

/// Copy with everything that cairo would refuse replaced. The caller frees.
static char *clean_text(const char *text) {
    size_t length = strlen(text);
    char *clean = mrn_alloc(length + 1, 1);
    size_t out = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t step = utf8_length(s);
        if (step == 0) clean[out++] = *s++ < 0x20 ? ' ' : '?';
        for (size_t i = 0; i < step; i++) clean[out++] = (char)*s++;
    }
    clean[out] = 0;
    return clean;
}

static void select_font(MrnCanvas *canvas, double size, bool bold) {
    cairo_select_font_face(canvas->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cr, size);
}

/// Walk over the pieces of a text, raised ones in a smaller size; draw them from x on, or only measure.
static double walk_text(MrnCanvas *canvas, double x, double y, double size, bool bold, const char *text, bool draw) {
    char *clean = clean_text(text), *rest = clean;
    double start = x;
    bool raised = false;
    while (*rest) {
        char *mark = raised ? strchr(rest, '}') : strstr(rest, "^{");
        size_t skip = raised ? 1 : 2;
        if (!mark) mark = rest + strlen(rest), skip = 0;
        char kept = *mark;
        *mark = 0;
        select_font(canvas, raised ? 0.7 * size : size, bold);
        cairo_text_extents_t extents;
        cairo_text_extents(canvas->cr, rest, &extents);
        if (draw && *rest) {
            cairo_move_to(canvas->cr, x, raised ? y - 0.38 * size : y);
            cairo_show_text(canvas->cr, rest);
            cairo_new_path(canvas->cr);
        }
        x += extents.x_advance;
        *mark = kept;
        rest = mark + skip;
        raised = !raised && skip;
    }
    free(clean);
    return x - start;
}

double mrn_canvas_text_width(MrnCanvas *canvas, double size, bool bold, const char *text) {
    return walk_text(canvas, 0, 0, size, bold, text, false);
}

double mrn_canvas_text(MrnCanvas *canvas, double x, double y, MrnAlign align, double size, bool bold,
                       const char *text) {
    double width = mrn_canvas_text_width(canvas, size, bold, text);
    if (align == MRN_ALIGN_CENTRE) x -= 0.5 * width;
    if (align == MRN_ALIGN_RIGHT) x -= width;
    return walk_text(canvas, x, y, size, bold, text, true);
}

void mrn_canvas_text_fitted(MrnCanvas *canvas, double x, double y, double room, double size, bool bold,
                            const char *text) {
    if (mrn_canvas_text_width(canvas, size, bold, text) <= room) {
        mrn_canvas_text(canvas, x, y, MRN_ALIGN_LEFT, size, bold, text);
        return;
    }
    // No page has room for more letters than this, and measuring them all would be slow.
    size_t start = strlen(text) < 1000 ? strlen(text) : 1000;
    char *shorter = mrn_alloc(start + 4, 1);
    memcpy(shorter, text, start);
    shorter[start] = 0;
    for (size_t length = start; length > 0;) {
        length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
        strcpy(shorter + length, "…");
        if (mrn_canvas_text_width(canvas, size, bold, shorter) <= room) break;
    }
    mrn_canvas_text(canvas, x, y, MRN_ALIGN_LEFT, size, bold, shorter);
    free(shorter);
}
#endif
