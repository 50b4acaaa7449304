// Words around a picture: title, time, scale bar, and what colours and lines mean.
#include "draw/picture.h"

#ifdef MORAINE_HAS_CAIRO
#include "draw/number.h"
#include <stdio.h>
#include <stdlib.h>

double mrn_labels_top(const MrnCanvas *canvas, const MrnPicture *picture) {
    return picture->options.labels ? 2.1 * canvas->font : 0;
}
double mrn_labels_bottom(const MrnCanvas *canvas, const MrnPicture *picture) {
    return picture->options.labels ? 2.9 * canvas->font : 0;
}

/// A bar of a nice length, about an eighth of the page. Returns where it ends.
static double draw_scale_bar(MrnCanvas *canvas, double x, double y, double pixels_per_metre) {
    double length = mrn_number_nice_below(0.16 * canvas->width / pixels_per_metre), pixels = length * pixels_per_metre;
    char text[64];
    cairo_t *cr = canvas->cr;
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    cairo_set_line_width(cr, 0.14 * canvas->font);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    double tick = 0.3 * canvas->font;
    cairo_move_to(cr, x, y - tick), cairo_line_to(cr, x, y), cairo_line_to(cr, x + pixels, y),
        cairo_line_to(cr, x + pixels, y - tick);
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    mrn_number_with_unit(length, "m", text, sizeof text);
    return x + pixels + 0.5 * canvas->font +
           mrn_canvas_text(canvas, x + pixels + 0.5 * canvas->font, y, MRN_ALIGN_LEFT, 0.85 * canvas->font, false,
                           text);
}

/// The colour scale, its right end at x. Returns where it begins.
static double draw_color_scale(MrnCanvas *canvas, const MrnPicture *picture, double x, double y) {
    double size = 0.85 * canvas->font, width = 9 * canvas->font, height = 0.75 * canvas->font;
    MrnScaledUnit unit = mrn_number_unit(picture->scale_unit, picture->scale_high);
    char low[48], high[64], number[24];
    snprintf(number, sizeof number, "%.3g", picture->scale_high / unit.factor);
    snprintf(high, sizeof high, unit.text[0] ? "%s %s" : "%s%s", number, unit.text);
    if (picture->scale_low < 0)
        snprintf(low, sizeof low, "−%s", number);
    else
        snprintf(low, sizeof low, "0");
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    x -= mrn_canvas_text(canvas, x, y, MRN_ALIGN_RIGHT, size, false, high) + 0.4 * canvas->font;
    cairo_pattern_t *ramp = cairo_pattern_create_linear(x - width, 0, x, 0);
    for (int i = 0; i <= 32; i++) {
        MrnColor color = mrn_color_look_up(picture->map, i / 32.0);
        cairo_pattern_add_color_stop_rgb(ramp, i / 32.0, color.r, color.g, color.b);
    }
    cairo_rectangle(canvas->cr, x - width, y - height, width, height);
    cairo_set_source(canvas->cr, ramp);
    cairo_fill_preserve(canvas->cr);
    cairo_pattern_destroy(ramp);
    mrn_canvas_color(canvas, canvas->ink.text, 0.5);
    cairo_set_line_width(canvas->cr, 0.05 * canvas->font);
    cairo_stroke(canvas->cr);
    x -= width + 0.4 * canvas->font;
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    x -= mrn_canvas_text(canvas, x, y, MRN_ALIGN_RIGHT, size, false, low) + 0.7 * canvas->font;
    x -= mrn_canvas_text(canvas, x, y, MRN_ALIGN_RIGHT, size, false, picture->scale_text) + 1.2 * canvas->font;
    return x;
}

/// One entry "sample text"; a line of some width, or a dot for width < 0. Its right end is at x; returns where it
/// begins.
static double draw_entry(MrnCanvas *canvas, double x, double y, MrnColor color, double width, const char *text) {
    double size = 0.85 * canvas->font, font = canvas->font;
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    x -= mrn_canvas_text(canvas, x, y, MRN_ALIGN_RIGHT, size, false, text) + 0.4 * font;
    mrn_canvas_color(canvas, color, 1);
    if (width < 0) {
        cairo_arc(canvas->cr, x - 0.3 * font, y - 0.3 * size, 0.24 * font, 0, 6.283185307179586);
        cairo_fill_preserve(canvas->cr);
        mrn_canvas_color(canvas, canvas->ink.text, 0.4);
        cairo_set_line_width(canvas->cr, 0.04 * font);
        cairo_stroke(canvas->cr);
        return x - 1.5 * font;
    }
    cairo_set_line_width(canvas->cr, width);
    cairo_move_to(canvas->cr, x - 1.5 * font, y - 0.33 * size);
    cairo_line_to(canvas->cr, x - 0.1 * font, y - 0.33 * size);
    cairo_stroke(canvas->cr);
    return x - 2.6 * font;
}

static double draw_force_legend(MrnCanvas *canvas, const MrnPicture *picture, double x, double y) {
    char mean[64], text[128];
    bool per_time = picture->options.time_step > 0;
    mrn_number_with_unit(per_time ? picture->impulse_mean / picture->options.time_step : picture->impulse_mean,
                         per_time ? "N" : "N s", mean, sizeof mean);
    if (picture->options.forces == MRN_FORCES_THRUST) {
        snprintf(text, sizeof text, "thrust line (mean %s)", mean);
        return draw_entry(canvas, x, y, canvas->ink.strong, 0.36 * canvas->font, text);
    }
    snprintf(text, sizeof text, "normal %s above the mean, %s", per_time ? "force" : "impulse", mean);
    x = draw_entry(canvas, x, y, canvas->ink.weak, 0.13 * canvas->font, "below");
    return draw_entry(canvas, x, y, canvas->ink.strong, 0.36 * canvas->font, text);
}

/// Names of the materials of free bodies, if colours tell them apart and there are several.
static double draw_material_legend(MrnCanvas *canvas, const MrnPicture *picture, double left, double x, double y) {
    const MrnModel *model = picture->model;
    if (picture->options.color_by != MRN_COLOR_BY_MATERIAL) return x;
    bool *used = mrn_alloc_zero(model->materials.count + 1, sizeof *used);
    size_t count = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b] || body->kind != MRN_BODY_FREE || body->shape_count == 0) continue;
        int material = model->shapes.data[body->first_shape].material;
        if (material < 0 || (size_t)material >= model->materials.count || used[material]) continue;
        used[material] = true;
        count++;
    }
    for (size_t i = model->materials.count; count > 1 && count <= 6 && i-- > 0;) {
        const char *name = model->materials.data[i].name;
        if (!used[i] || !name ||
            x - left < 4 * canvas->font + mrn_canvas_text_width(canvas, 0.85 * canvas->font, false, name))
            continue;
        x = draw_entry(canvas, x, y, mrn_picture_material_color(picture, (int)i), -1, name);
    }
    free(used);
    return x;
}

/// The time with a steady number of digits, so that it does not jump about in a film.
static void time_text(double time, char *text, size_t size) {
    MrnScaledUnit unit = mrn_number_unit("s", fabs(time));
    double value = time / unit.factor, digits = fabs(value);
    snprintf(text, size, "t = %.*f %s", time == 0 ? 0 : digits < 9.995 ? 2 : digits < 99.95 ? 1 : 0, value, unit.text);
}

void mrn_labels_draw(MrnCanvas *canvas, const MrnPicture *picture, double pixels_per_metre, const char *ground) {
    if (!picture->options.labels) return;
    double font = canvas->font, edge = 0.9 * font, top = 1.5 * font, bottom = canvas->height - 1.0 * font;
    char line[96];
    time_text(picture->frame->time, line, sizeof line);
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    double taken = mrn_canvas_text(canvas, canvas->width - edge, top, MRN_ALIGN_RIGHT, font, false, line);
    if (picture->options.title)
        mrn_canvas_text_fitted(canvas, edge, top, canvas->width - 2 * edge - taken - 2 * font, 1.05 * font, true,
                               picture->options.title);
    double left = edge;
    if (pixels_per_metre > 0)
        left = draw_scale_bar(canvas, edge, bottom, pixels_per_metre);
    else if (ground)
        left += mrn_canvas_text(canvas, edge, bottom, MRN_ALIGN_LEFT, 0.85 * font, false, ground);
    if (picture->lost_count) {
        snprintf(line, sizeof line, "%zu bodies without a finite place", picture->lost_count);
        mrn_canvas_color(canvas, canvas->ink.warning, 1);
        left += font;
        left += mrn_canvas_text(canvas, left, bottom, MRN_ALIGN_LEFT, 0.85 * font, true, line);
    }
    double x = canvas->width - edge;
    if (picture->has_scale) x = draw_color_scale(canvas, picture, x, bottom);
    if (picture->options.forces != MRN_FORCES_NONE && picture->link_count && x - left > 27 * font)
        x = draw_force_legend(canvas, picture, x, bottom);
    if (picture->options.contacts && picture->frame->contact_count && x - left > 14 * font) {
        x = draw_entry(canvas, x, bottom, canvas->ink.open, -1, "open");
        x = draw_entry(canvas, x, bottom, canvas->ink.slip, -1, "slip");
        x = draw_entry(canvas, x, bottom, canvas->ink.stick, -1, "stick");
    }
    draw_material_legend(canvas, picture, left, x, bottom);
}
#endif
