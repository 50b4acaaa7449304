// Several pictures on one page.
#include "draw/canvas.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool mrn_draw_page(const MrnPageImage *images, size_t count, const MrnPageOptions *options, const char *path,
                   MrnError *error) {
#ifdef MORAINE_HAS_CAIRO
    MrnPageKind kind;
    MrnCanvas canvas;
    if (!mrn_page_kind(path, &kind, error) ||
        !mrn_canvas_open(&canvas, kind, options->width, options->height, options->theme, error))
        return false;
    canvas.colors = options->colors;
    for (size_t i = 0; i < count; i++) {
        const MrnImage *image = &images[i].image;
        if (image->pixels) {
            cairo_surface_t *surface = cairo_image_surface_create_for_data(
                image->pixels, CAIRO_FORMAT_RGB24, image->width, image->height, 4 * image->width);
            cairo_set_source_surface(canvas.cr, surface, images[i].x, images[i].y);
            cairo_paint(canvas.cr);
            cairo_surface_destroy(surface);
        }
        if (!images[i].text) continue;
        mrn_canvas_color(&canvas, canvas.ink.text, 1);
        double room = options->width - images[i].x - canvas.font;
        mrn_canvas_text_fitted(&canvas, images[i].x + 0.7 * canvas.font, images[i].y + 1.4 * canvas.font, room,
                               canvas.font, true, images[i].text);
    }
    return mrn_canvas_close(&canvas, path, NULL, error);
#else
    (void)images, (void)count, (void)options, (void)path;
    return mrn_draw_unsupported(error);
#endif
}
