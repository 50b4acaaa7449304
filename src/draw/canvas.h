// A page to draw on with cairo, and the file or the pixels it becomes.
#ifndef MRN_DRAW_CANVAS_H
#define MRN_DRAW_CANVAS_H

#include "draw/draw.h"
#include "draw/palette.h"

#ifdef MORAINE_HAS_CAIRO
#include <cairo.h>

typedef enum MrnPageKind { MRN_PAGE_PNG, MRN_PAGE_SVG, MRN_PAGE_PDF, MRN_PAGE_MEMORY } MrnPageKind;

typedef struct MrnCanvas {
    cairo_t *cr;
    cairo_surface_t *surface;
    MrnPageKind kind;
    int width, height;
    MrnInk ink;
    int colors;             ///< of a PNG file: 2..256 for a palette; 0: all
    double font;            ///< size of ordinary text
    struct MrnBytes *bytes; ///< what cairo writes for SVG and PDF
} MrnCanvas;

/// The kind of page that the extension of `path` asks for.
bool mrn_page_kind(const char *path, MrnPageKind *kind, MrnError *error);
bool mrn_canvas_open(MrnCanvas *canvas, MrnPageKind kind, int width, int height, MrnTheme theme, MrnError *error);
/// Write the page to `path` (or, for a page in memory, give its pixels to `image`) and free everything, also on
/// failure.
bool mrn_canvas_close(MrnCanvas *canvas, const char *path, MrnImage *image, MrnError *error);

void mrn_canvas_color(MrnCanvas *canvas, MrnColor color, double opacity);

typedef enum MrnAlign { MRN_ALIGN_LEFT, MRN_ALIGN_CENTRE, MRN_ALIGN_RIGHT } MrnAlign;
/// Text with its baseline at y. "^{...}" raises what is in braces. Returns the width. Bytes that are not UTF-8 become
/// '?'.
double mrn_canvas_text(MrnCanvas *canvas, double x, double y, MrnAlign align, double size, bool bold, const char *text);
double mrn_canvas_text_width(MrnCanvas *canvas, double size, bool bold, const char *text);
/// The same, as much of the text as fits into `room`, with an ellipsis.
void mrn_canvas_text_fitted(MrnCanvas *canvas, double x, double y, double room, double size, bool bold,
                            const char *text);
#endif

/// Fills `error`: this build has no cairo.
bool mrn_draw_unsupported(MrnError *error);

#endif
