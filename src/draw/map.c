// Coloured maps: values on a grid of cells, drawn true to scale, with a colour scale.
#include "draw/canvas.h"

#ifdef MORAINE_HAS_CAIRO
#include "base/error.h"
#include "draw/number.h"

#include <math.h>
#include <stdio.h>

/// Page coordinate of a value.
typedef struct Line {
    double low, high, from, to;
} Line;

static double place(const Line *line, double value) {
    return line->from + (value - line->low) / (line->high - line->low) * (line->to - line->from);
}

/// Ends of the row of cells with these middles.
static void ends_of(const double *middles, size_t count, double other, double *low, double *high) {
    double cell = count > 1 ? (middles[count - 1] - middles[0]) / (double)(count - 1) : other;
    if (!(cell > 0)) cell = 1;
    *low = middles[0] - 0.5 * cell, *high = middles[count - 1] + 0.5 * cell;
}

static void draw_ticks(MrnCanvas *canvas, const Line *line, const char *name, const char *unit, bool upright,
                       double edge) {
    double font = canvas->font, size = 0.88 * font;
    MrnScaledUnit scaled = mrn_number_unit(unit ? unit : "1", fmax(fabs(line->low), fabs(line->high)));
    double ticks = fmax(2, fabs(line->to - line->from) / (6 * font));
    double step = mrn_number_nice_below((line->high - line->low) / scaled.factor / ticks) * scaled.factor;
    char text[200];
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    cairo_set_line_width(canvas->cr, 0.06 * font);
    double widest = 0;
    for (double i = ceil(line->low / step - 1e-6); i <= floor(line->high / step + 1e-6); i++) {
        double at = place(line, i * step);
        mrn_number_tick(i * step / scaled.factor, step / scaled.factor, text, sizeof text);
        if (upright) {
            cairo_move_to(canvas->cr, edge - 0.3 * font, at), cairo_line_to(canvas->cr, edge, at);
            mrn_canvas_text(canvas, edge - 0.5 * font, at + 0.36 * size, MRN_ALIGN_RIGHT, size, false, text);
            widest = fmax(widest, mrn_canvas_text_width(canvas, size, false, text));
        } else {
            cairo_move_to(canvas->cr, at, edge), cairo_line_to(canvas->cr, at, edge + 0.3 * font);
            mrn_canvas_text(canvas, at, edge + 0.3 * font + 1.05 * size, MRN_ALIGN_CENTRE, size, false, text);
        }
        cairo_stroke(canvas->cr);
    }
    snprintf(text, sizeof text, scaled.text[0] ? "%.120s (%.60s)" : "%.120s%.60s", name ? name : "", scaled.text);
    double middle = 0.5 * (line->from + line->to);
    if (!upright) {
        mrn_canvas_text(canvas, middle, edge + 2.9 * font, MRN_ALIGN_CENTRE, 0.95 * font, false, text);
        return;
    }
    cairo_save(canvas->cr);
    cairo_translate(canvas->cr, edge - 1.2 * font - widest, middle);
    cairo_rotate(canvas->cr, -M_PI / 2);
    mrn_canvas_text(canvas, 0, 0, MRN_ALIGN_CENTRE, 0.95 * font, false, text);
    cairo_restore(canvas->cr);
}

static void draw_scale(MrnCanvas *canvas, const MrnColor *colors, double low, double high, const MrnAxis *axis,
                       double x, double top, double bottom) {
    double font = canvas->font, width = 0.9 * font;
    for (int i = 0; i < 128; i++) {
        double from = bottom + (top - bottom) * i / 128, to = bottom + (top - bottom) * (i + 1) / 128;
        mrn_canvas_color(canvas, mrn_color_look_up(colors, (i + 0.5) / 128), 1);
        cairo_rectangle(canvas->cr, x, to, width, from - to + 0.5);
        cairo_fill(canvas->cr);
    }
    MrnScaledUnit unit = mrn_number_unit(axis->unit ? axis->unit : "1", fmax(fabs(low), fabs(high)));
    char text[200];
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    double step = high > low ? mrn_number_nice_below((high - low) / unit.factor / 4) * unit.factor : 1;
    if (!(step > 0)) step = 1;
    for (double i = ceil(low / step - 1e-6); i <= floor(high / step + 1e-6); i++) {
        double at = high > low ? bottom + (top - bottom) * (i * step - low) / (high - low) : bottom;
        mrn_number_tick(i * step / unit.factor, step / unit.factor, text, sizeof text);
        mrn_canvas_text(canvas, x + width + 0.4 * font, at + 0.3 * font, MRN_ALIGN_LEFT, 0.88 * font, false, text);
    }
    snprintf(text, sizeof text, unit.text[0] ? "%.120s (%.60s)" : "%.120s%.60s", axis->label ? axis->label : "",
             unit.text);
    mrn_canvas_text(canvas, x + 5 * font, top - 0.8 * font, MRN_ALIGN_RIGHT, 0.88 * font, false, text);
}

static bool draw_page(const MrnMapPlot *map, MrnPageKind kind, const char *path, MrnImage *image, MrnError *error) {
    if (!map->columns || !map->rows) return mrn_fail(error, MRN_ERROR_INPUT, "a map needs at least one cell");
    double low[2], high[2], least = INFINITY, most = -INFINITY;
    double dx = map->columns > 1 ? map->x[1] - map->x[0] : 0, dy = map->rows > 1 ? map->y[1] - map->y[0] : 0;
    ends_of(map->x, map->columns, dy, &low[0], &high[0]);
    ends_of(map->y, map->rows, dx, &low[1], &high[1]);
    for (size_t i = 0; i < map->columns * map->rows; i++)
        if (isfinite(map->values[i])) least = fmin(least, map->values[i]), most = fmax(most, map->values[i]);
    if (!(least <= most)) return mrn_fail(error, MRN_ERROR_INPUT, "no cell of the map has a value");
    bool both = least < 0 && most > 0;
    if (both)
        most = fmax(most, -least), least = -most;
    else if (least > 0 && least < 0.5 * most)
        least = 0;
    if (!(most > least)) most = least + (least != 0 ? fabs(least) : 1);
    int width = map->width > 0 ? map->width : 1000;
    double font = fmax(8, width / 56.0), left = 6.5 * font, right = width - 8.5 * font;
    double ratio = fmin(fmax((high[1] - low[1]) / (high[0] - low[0]), 0.15), 2);
    int height = map->height > 0 ? map->height : (int)(7.5 * font + ratio * (right - left));
    MrnCanvas canvas;
    if (!mrn_canvas_open(&canvas, kind, width, height, map->theme, error)) return false;
    canvas.font = font, canvas.colors = map->colors;
    double top = 3.6 * font, bottom = height - 3.9 * font;
    double scale = fmin((right - left) / (high[0] - low[0]), (bottom - top) / (high[1] - low[1]));
    right = left + scale * (high[0] - low[0]), top = bottom - scale * (high[1] - low[1]);
    Line across = {low[0], high[0], left, right}, upright = {low[1], high[1], bottom, top};
    MrnColor colors[MRN_MAP_SIZE];
    mrn_color_map(both ? MRN_MAP_DIVERGING : MRN_MAP_SEQUENTIAL, map->theme, colors);
    if (map->title) {
        mrn_canvas_color(&canvas, canvas.ink.text, 1);
        mrn_canvas_text_fitted(&canvas, left, 1.6 * font, width - left - font, 1.1 * font, true, map->title);
    }
    double cell_x = (high[0] - low[0]) / (double)map->columns, cell_y = (high[1] - low[1]) / (double)map->rows;
    for (size_t r = 0; r < map->rows; r++)
        for (size_t c = 0; c < map->columns; c++) {
            double value = map->values[r * map->columns + c];
            if (!isfinite(value)) continue;
            double x0 = place(&across, low[0] + cell_x * (double)c), y0 = place(&upright, low[1] + cell_y * (double)r);
            mrn_canvas_color(&canvas, mrn_color_look_up(colors, (value - least) / (most - least)), 1);
            // Half a point of overlap: no seams between cells.
            cairo_rectangle(canvas.cr, x0, y0 + 0.5, cell_x * scale + 0.5, -cell_y * scale - 0.5);
            cairo_fill(canvas.cr);
        }
    mrn_canvas_color(&canvas, canvas.ink.text, 1);
    cairo_set_line_width(canvas.cr, 0.06 * font);
    cairo_rectangle(canvas.cr, left, top, right - left, bottom - top);
    cairo_stroke(canvas.cr);
    draw_ticks(&canvas, &across, map->across.label, map->across.unit, false, bottom);
    draw_ticks(&canvas, &upright, map->upright.label, map->upright.unit, true, left);
    draw_scale(&canvas, colors, least, most, &map->value, right + 1.5 * font, top, bottom);
    return mrn_canvas_close(&canvas, path, image, error);
}
#endif

bool mrn_draw_map(const MrnMapPlot *map, const char *path, MrnError *error) {
#ifdef MORAINE_HAS_CAIRO
    MrnPageKind kind;
    return mrn_page_kind(path, &kind, error) && draw_page(map, kind, path, NULL, error);
#else
    (void)map, (void)path;
    return mrn_draw_unsupported(error);
#endif
}

bool mrn_draw_map_image(const MrnMapPlot *map, MrnImage *image, MrnError *error) {
    *image = (MrnImage){0};
#ifdef MORAINE_HAS_CAIRO
    return draw_page(map, MRN_PAGE_MEMORY, NULL, image, error);
#else
    (void)map;
    return mrn_draw_unsupported(error);
#endif
}
