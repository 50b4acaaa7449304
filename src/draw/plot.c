// Line plots: one or several panels above each other over a common abscissa.
//
// What always holds: axes show nice numbers in units with SI prefixes; curves with more points than pixels are drawn as
// the range of values in each pixel column, so no peak is lost; a value that an axis cannot show breaks the curve, and
// a logarithmic axis says how many were left out.
#include "draw/canvas.h"

#ifdef MORAINE_HAS_CAIRO
#include "base/error.h"
#include "base/memory.h"
#include "draw/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// An axis ready to draw: page = from + (to - from) * share(value).
typedef struct Scale {
    bool logarithmic;
    double low, high; ///< data units
    double step;      ///< of ticks, data units; logarithmic: decades between labels
    double from, to;  ///< page coordinates of low and high
    MrnScaledUnit unit;
    size_t left_out; ///< values <= 0 on a logarithmic axis
    bool empty;      ///< no value at all
} Scale;

static bool can_show(const Scale *scale, double value) {
    return isfinite(value) && (!scale->logarithmic || value > 0);
}

static double place(const Scale *scale, double value) {
    double share = scale->logarithmic ? (log10(value) - log10(scale->low)) / (log10(scale->high) - log10(scale->low))
                                      : (value - scale->low) / (scale->high - scale->low);
    // Values far outside a fixed range would overflow cairo's coordinates.
    return scale->from + (scale->to - scale->from) * fmin(fmax(share, -20), 20);
}

typedef struct Range {
    double low, high;
    size_t left_out;
} Range;

static void take(Range *range, bool logarithmic, double value) {
    if (!isfinite(value)) return;
    if (logarithmic && value <= 0) {
        range->left_out++;
        return;
    }
    range->low = fmin(range->low, value), range->high = fmax(range->high, value);
}

static void set_linear(Scale *scale, Range range, bool exact, bool zero, int ticks) {
    if (zero) range.low = fmin(range.low, 0), range.high = fmax(range.high, 0);
    double size = fmax(fabs(range.low), fabs(range.high)), span = range.high - range.low;
    if (!(span > 1e-11 * size)) {
        double widen = size > 0 ? 0.1 * size : 1;
        range.low -= widen, range.high += widen, span = 2 * widen;
        exact = false;
    }
    // Values near the limits of double would overflow the span.
    if (!isfinite(span)) range.low = -1e300, range.high = 1e300, span = 2e300;
    scale->unit = mrn_number_unit(scale->unit.text, fmax(fabs(range.low), fabs(range.high)));
    double factor = scale->unit.factor, step = mrn_number_nice_below(span / factor / ticks) * factor;
    if (span / step > 1.7 * ticks) step *= 2;
    scale->step = step;
    scale->low = exact ? range.low : floor(range.low / step + 1e-6) * step;
    scale->high = exact ? range.high : ceil(range.high / step - 1e-6) * step;
    // A curve along the border would be taken for the border; zero is a natural border.
    if (!exact && range.high > scale->high - 0.02 * span && range.high != 0) scale->high = range.high + 0.05 * span;
    if (!exact && range.low < scale->low + 0.02 * span && range.low != 0) scale->low = range.low - 0.05 * span;
}

static void set_logarithmic(Scale *scale, Range range, bool exact) {
    double low = log10(range.low), high = log10(range.high);
    if (!exact) low = floor(low + 1e-9), high = ceil(high - 1e-9);
    if (high - low < 1e-9) low -= 1, high += exact ? 1 : 0;
    low = fmax(low, -307), high = fmin(fmax(high, low + 0.1), 307);
    scale->low = pow(10, low), scale->high = pow(10, high);
    scale->step = fmax(1, ceil((high - low) / 8));
    if (scale->step == 7) scale->step = 8;
}

static Scale make_scale(const MrnAxis *axis, Range range, bool exact, int ticks) {
    Scale scale = {.logarithmic = axis->logarithmic, .left_out = range.left_out, .unit = {.factor = 1}};
    if (axis->unit && strcmp(axis->unit, "1") != 0)
        snprintf(scale.unit.text, sizeof scale.unit.text, "%.24s", axis->unit);
    bool fixed = axis->low < axis->high && (!axis->logarithmic || axis->low > 0);
    if (fixed) range.low = axis->low, range.high = axis->high;
    scale.empty = !(range.low <= range.high);
    if (scale.empty) range.low = axis->logarithmic ? 0.1 : 0, range.high = 1;
    if (axis->logarithmic)
        set_logarithmic(&scale, range, fixed);
    else
        set_linear(&scale, range, exact || fixed, axis->zero && !fixed, ticks);
    return scale;
}

static Range abscissa_range(const MrnPlot *plot) {
    Range range = {INFINITY, -INFINITY, 0};
    for (size_t p = 0; p < plot->panel_count; p++)
        for (size_t s = 0; s < plot->panels[p].series_count; s++) {
            const MrnSeries *series = &plot->panels[p].series[s];
            for (size_t i = 0; i < series->count; i++) take(&range, plot->abscissa.logarithmic, series->x[i]);
        }
    return range;
}

static Range ordinate_range(const MrnPanel *panel, bool right) {
    Range range = {INFINITY, -INFINITY, 0};
    for (size_t s = 0; s < panel->series_count; s++) {
        const MrnSeries *series = &panel->series[s];
        for (size_t i = 0; series->right == right && i < series->count; i++)
            take(&range, right ? panel->right.logarithmic : panel->left.logarithmic, series->y[i]);
    }
    return range;
}

/// Visit the ticks of a scale. Returns false after the last; text is empty for ticks without label.
typedef struct Tick {
    double value;
    char text[48];
    bool major;
} Tick;
typedef MRN_ARRAY(Tick) Ticks;

static Ticks list_ticks(const Scale *scale) {
    Ticks ticks = {0};
    if (scale->logarithmic) {
        int first = (int)floor(log10(scale->low) + 1e-9), last = (int)ceil(log10(scale->high) - 1e-9),
            step = (int)scale->step;
        bool plain = first >= -2 && last <= 3;
        for (int decade = first; decade <= last; decade++)
            for (int lead = 1; lead <= (last - first <= 4 ? 9 : 1); lead++) {
                Tick tick = {.value = lead * pow(10, decade), .major = lead == 1};
                if (tick.value < scale->low * (1 - 1e-9) || tick.value > scale->high * (1 + 1e-9)) continue;
                if (lead == 1 && (decade % step + step) % step == 0) {
                    if (plain)
                        snprintf(tick.text, sizeof tick.text, "%g", pow(10, decade));
                    else
                        snprintf(tick.text, sizeof tick.text, decade < 0 ? "10^{−%d}" : "10^{%d}", abs(decade));
                }
                mrn_array_push(&ticks, tick);
            }
        return ticks;
    }
    double first = ceil(scale->low / scale->step - 1e-6), last = floor(scale->high / scale->step + 1e-6);
    for (double i = first; i <= last && ticks.count < 100; i++) {
        Tick tick = {.value = i * scale->step, .major = true};
        mrn_number_tick(tick.value / scale->unit.factor, scale->step / scale->unit.factor, tick.text, sizeof tick.text);
        mrn_array_push(&ticks, tick);
    }
    return ticks;
}

static double widest_tick(MrnCanvas *canvas, const Scale *scale, double size) {
    Ticks ticks = list_ticks(scale);
    double widest = 0;
    for (size_t i = 0; i < ticks.count; i++)
        widest = fmax(widest, mrn_canvas_text_width(canvas, size, false, ticks.data[i].text));
    mrn_array_free(&ticks);
    return widest;
}

static void axis_title(const MrnAxis *axis, const Scale *scale, char *text, size_t size) {
    const char *label = axis->label ? axis->label : "", *unit = scale->unit.text;
    bool power = strncmp(unit, "10^", 3) == 0 && !strchr(unit, ' ');
    if (!*unit)
        snprintf(text, size, "%s", label);
    else if (power)
        snprintf(text, size, *label ? "%s (%s)" : "%s%s", label, unit);
    else
        snprintf(text, size, *label ? "%s (%s)" : "%s%s", label, unit);
}

typedef struct Frame {
    double left, right, top, bottom;
} Frame;

static void draw_grid(MrnCanvas *canvas, const Scale *scale, const Frame *frame, bool upright) {
    Ticks ticks = list_ticks(scale);
    for (size_t i = 0; i < ticks.count; i++) {
        double at = place(scale, ticks.data[i].value);
        cairo_set_line_width(canvas->cr, (ticks.data[i].major ? 0.06 : 0.03) * canvas->font);
        if (upright)
            cairo_move_to(canvas->cr, at, frame->top), cairo_line_to(canvas->cr, at, frame->bottom);
        else
            cairo_move_to(canvas->cr, frame->left, at), cairo_line_to(canvas->cr, frame->right, at);
        mrn_canvas_color(canvas, canvas->ink.faint, 1);
        cairo_stroke(canvas->cr);
    }
    mrn_array_free(&ticks);
}

typedef enum Side { BELOW, LEFT, RIGHT } Side;

static void draw_axis(MrnCanvas *canvas, const Scale *scale, const Frame *frame, Side side, bool texts) {
    double size = 0.88 * canvas->font, tick = 0.32 * canvas->font;
    Ticks ticks = list_ticks(scale);
    cairo_set_line_width(canvas->cr, 0.06 * canvas->font);
    for (size_t i = 0; i < ticks.count; i++) {
        double at = place(scale, ticks.data[i].value), length = ticks.data[i].major ? tick : 0.5 * tick;
        mrn_canvas_color(canvas, canvas->ink.text, 1);
        if (side == BELOW)
            cairo_move_to(canvas->cr, at, frame->bottom), cairo_line_to(canvas->cr, at, frame->bottom + length);
        if (side == LEFT)
            cairo_move_to(canvas->cr, frame->left - length, at), cairo_line_to(canvas->cr, frame->left, at);
        if (side == RIGHT)
            cairo_move_to(canvas->cr, frame->right + length, at), cairo_line_to(canvas->cr, frame->right, at);
        cairo_stroke(canvas->cr);
        if (!texts) continue;
        if (side == BELOW)
            mrn_canvas_text(canvas, at, frame->bottom + tick + 1.05 * size, MRN_ALIGN_CENTRE, size, false,
                            ticks.data[i].text);
        if (side == LEFT)
            mrn_canvas_text(canvas, frame->left - 1.6 * tick, at + 0.36 * size, MRN_ALIGN_RIGHT, size, false,
                            ticks.data[i].text);
        if (side == RIGHT)
            mrn_canvas_text(canvas, frame->right + 1.6 * tick, at + 0.36 * size, MRN_ALIGN_LEFT, size, false,
                            ticks.data[i].text);
    }
    mrn_array_free(&ticks);
}

static void draw_upright_text(MrnCanvas *canvas, double x, double y, double size, const char *text) {
    cairo_save(canvas->cr);
    cairo_translate(canvas->cr, x, y);
    cairo_rotate(canvas->cr, -M_PI / 2);
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    mrn_canvas_text(canvas, 0, 0, MRN_ALIGN_CENTRE, size, false, text);
    cairo_restore(canvas->cr);
}

/// Walks along a curve and leaves out what falls into one pixel column: first, lowest, highest and last point of a
/// column stay.
typedef struct Pen {
    cairo_t *cr;
    bool down;       ///< a line has begun
    bool lone;       ///< with a single point so far
    bool column;     ///< points are waiting
    double column_x; ///< whole pixel
    double first, low, high, last, last_x;
} Pen;

static void flush_column(Pen *pen) {
    if (!pen->column) return;
    pen->column = false;
    double x = pen->column_x + 0.5;
    double y[4] = {pen->first, pen->low, pen->high, pen->last};
    for (int i = 0; i < 4; i++) {
        if (i && y[i] == y[i - 1] && i < 3) continue;
        if (pen->down)
            cairo_line_to(pen->cr, i == 3 ? pen->last_x : x, y[i]);
        else
            cairo_move_to(pen->cr, x, y[i]);
        pen->down = true;
    }
    pen->lone = false;
}

static void pen_to(Pen *pen, double x, double y) {
    if (pen->column && floor(x) != pen->column_x) flush_column(pen);
    if (!pen->column) {
        pen->column = true;
        pen->column_x = floor(x);
        pen->first = pen->low = pen->high = y;
    }
    pen->low = fmin(pen->low, y), pen->high = fmax(pen->high, y), pen->last = y, pen->last_x = x;
}

static void pen_up(Pen *pen, double x, double y, double dot) {
    flush_column(pen);
    if (pen->down && pen->lone) {
        cairo_new_sub_path(pen->cr);
        cairo_arc(pen->cr, x, y, dot, 0, 2 * M_PI);
    }
    pen->down = false;
}

static void draw_curve(MrnCanvas *canvas, const MrnSeries *series, const Scale *across, const Scale *upright) {
    double room = fabs(across->to - across->from);
    bool thin_out = (double)series->count > 2 * room;
    for (size_t i = 1; thin_out && i < series->count; i++) thin_out = !(series->x[i] < series->x[i - 1]);
    Pen pen = {.cr = canvas->cr};
    double x = 0, y = 0, dot = 0.07 * canvas->font;
    for (size_t i = 0; i < series->count; i++) {
        if (!can_show(across, series->x[i]) || !can_show(upright, series->y[i])) {
            pen_up(&pen, x, y, dot);
            continue;
        }
        x = place(across, series->x[i]), y = place(upright, series->y[i]);
        if (thin_out) {
            pen_to(&pen, x, y);
        } else {
            if (pen.down)
                cairo_line_to(canvas->cr, x, y);
            else
                cairo_move_to(canvas->cr, x, y);
            pen.lone = !pen.down;
            pen.down = true;
        }
    }
    pen_up(&pen, x, y, dot);
    cairo_stroke(canvas->cr);
}

static void draw_points(MrnCanvas *canvas, const MrnSeries *series, const Scale *across, const Scale *upright) {
    double last_x = -1e9, last_y = -1e9;
    for (size_t i = 0; i < series->count; i++) {
        if (!can_show(across, series->x[i]) || !can_show(upright, series->y[i])) continue;
        double x = place(across, series->x[i]), y = place(upright, series->y[i]);
        if (fabs(x - last_x) < 0.5 && fabs(y - last_y) < 0.5) continue;
        last_x = x, last_y = y;
        cairo_new_sub_path(canvas->cr);
        cairo_arc(canvas->cr, x, y, 0.17 * canvas->font, 0, 2 * M_PI);
    }
    cairo_fill(canvas->cr);
}

static void set_pen(MrnCanvas *canvas, const MrnSeries *series, int number, MrnTheme theme) {
    double unit = canvas->font;
    MrnColor color = series->color < 0 ? canvas->ink.warning
                                       : mrn_color_curve(series->color > 0 ? series->color - 1 : number, theme);
    mrn_canvas_color(canvas, color, 1);
    cairo_set_line_width(canvas->cr, fmax(0.115 * unit, 1.4));
    if (series->style == MRN_SERIES_DASHED)
        cairo_set_dash(canvas->cr, (double[2]){0.55 * unit, 0.35 * unit}, 2, 0);
    else if (series->style == MRN_SERIES_DOTTED)
        cairo_set_dash(canvas->cr, (double[2]){0.02 * unit, 0.26 * unit}, 2, 0);
    else
        cairo_set_dash(canvas->cr, NULL, 0, 0);
}

/// Entries above a panel, in rows. Returns the height they need; draws only if asked to.
static double legend(MrnCanvas *canvas, const MrnPanel *panel, double left, double right, double top, MrnTheme theme,
                     bool draw) {
    double size = 0.88 * canvas->font, x = left, row = 1.35 * canvas->font, y = top + canvas->font;
    int number = 0;
    bool any = false;
    for (size_t s = 0; s < panel->series_count; s++) {
        const MrnSeries *series = &panel->series[s];
        int own = series->color == 0 ? number++ : number;
        if (!series->label || !*series->label) continue;
        char text[256];
        snprintf(text, sizeof text, series->right ? "%.200s (right)" : "%.200s", series->label);
        double width = 2.1 * canvas->font + mrn_canvas_text_width(canvas, size, false, text);
        if (any && x + width > right) x = left, y += row;
        any = true;
        if (draw) {
            set_pen(canvas, series, own, theme);
            if (series->style == MRN_SERIES_POINTS) {
                cairo_arc(canvas->cr, x + 0.8 * canvas->font, y - 0.32 * size, 0.17 * canvas->font, 0, 2 * M_PI);
                cairo_fill(canvas->cr);
            } else {
                cairo_move_to(canvas->cr, x, y - 0.32 * size),
                    cairo_line_to(canvas->cr, x + 1.6 * canvas->font, y - 0.32 * size);
                cairo_stroke(canvas->cr);
            }
            cairo_set_dash(canvas->cr, NULL, 0, 0);
            mrn_canvas_color(canvas, canvas->ink.text, 1);
            mrn_canvas_text_fitted(canvas, x + 2.1 * canvas->font, y, right - x - 2.1 * canvas->font, size, false,
                                   text);
        }
        x += width + 1.4 * canvas->font;
    }
    return any ? y - top + 0.55 * canvas->font : 0.35 * canvas->font;
}

static bool uses_right(const MrnPanel *panel) {
    for (size_t s = 0; s < panel->series_count; s++)
        if (panel->series[s].right) return true;
    return false;
}

static void draw_panel(MrnCanvas *canvas, const MrnPlot *plot, const MrnPanel *panel, const Scale *across, Scale *left,
                       Scale *right, Frame frame, bool lowest) {
    bool two_sided = uses_right(panel);
    left->from = frame.bottom, left->to = frame.top;
    right->from = frame.bottom, right->to = frame.top;
    draw_grid(canvas, across, &frame, true);
    draw_grid(canvas, left, &frame, false);
    cairo_save(canvas->cr);
    double bleed = 0.06 * canvas->font;
    cairo_rectangle(canvas->cr, frame.left, frame.top - bleed, frame.right - frame.left,
                    frame.bottom - frame.top + 2 * bleed);
    cairo_clip(canvas->cr);
    int number = 0;
    for (size_t s = 0; s < panel->series_count; s++) {
        const MrnSeries *series = &panel->series[s];
        set_pen(canvas, series, series->color == 0 ? number++ : number, plot->theme);
        if (series->style == MRN_SERIES_POINTS)
            draw_points(canvas, series, across, series->right ? right : left);
        else
            draw_curve(canvas, series, across, series->right ? right : left);
    }
    cairo_restore(canvas->cr);
    cairo_set_line_width(canvas->cr, 0.06 * canvas->font);
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    cairo_rectangle(canvas->cr, frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
    cairo_stroke(canvas->cr);
    draw_axis(canvas, across, &frame, BELOW, lowest);
    draw_axis(canvas, left, &frame, LEFT, true);
    if (two_sided) draw_axis(canvas, right, &frame, RIGHT, true);
    double size = 0.95 * canvas->font, middle = 0.5 * (frame.top + frame.bottom);
    char text[160];
    axis_title(&panel->left, left, text, sizeof text);
    draw_upright_text(canvas, 1.35 * canvas->font, middle, size, text);
    if (two_sided) {
        axis_title(&panel->right, right, text, sizeof text);
        draw_upright_text(canvas, canvas->width - 0.6 * canvas->font, middle, size, text);
    }
    size_t left_out = left->left_out + (two_sided ? right->left_out : 0);
    if (left->empty && (!two_sided || right->empty))
        snprintf(text, sizeof text, left_out ? "no positive values" : "no values");
    else if (left_out)
        snprintf(text, sizeof text, "%zu value%s ≤ 0 not shown", left_out, left_out == 1 ? "" : "s");
    else
        return;
    mrn_canvas_color(canvas, canvas->ink.text, 0.65);
    mrn_canvas_text(canvas, frame.right - 0.5 * canvas->font, frame.bottom - 0.5 * canvas->font, MRN_ALIGN_RIGHT,
                    0.75 * canvas->font, false, text);
}

static void draw_all(MrnCanvas *canvas, const MrnPlot *plot) {
    double font = canvas->font, size = 0.88 * font, left_room = 0, right_room = 0;
    size_t count = plot->panel_count;
    Scale *left = mrn_alloc_zero(count, sizeof *left), *right = mrn_alloc_zero(count, sizeof *right);
    for (size_t p = 0; p < count; p++) {
        int ticks = count > 1 ? 3 : 5;
        left[p] = make_scale(&plot->panels[p].left, ordinate_range(&plot->panels[p], false), false, ticks);
        right[p] = make_scale(&plot->panels[p].right, ordinate_range(&plot->panels[p], true), false, ticks);
        left_room = fmax(left_room, widest_tick(canvas, &left[p], size));
        if (uses_right(&plot->panels[p]))
            right_room = fmax(right_room, widest_tick(canvas, &right[p], size) + 2.4 * font);
    }
    Frame frame = {.left = 2.6 * font + left_room, .right = canvas->width - fmax(1.6 * font, right_room)};
    Range span = abscissa_range(plot);
    // Step tables begin one time step after zero.
    if (span.low > 0 && span.low < 0.02 * span.high && !plot->abscissa.logarithmic) span.low = 0;
    Scale across = make_scale(&plot->abscissa, span, true, 6);
    across.from = frame.left, across.to = frame.right;
    double top = 0.5 * font, bottom = canvas->height - 3.5 * font, legends = 0, gap = 0.5 * font;
    if (plot->title) {
        mrn_canvas_color(canvas, canvas->ink.text, 1);
        mrn_canvas_text_fitted(canvas, frame.left, 1.75 * font, frame.right - frame.left, 1.1 * font, true,
                               plot->title);
        top = 2.2 * font;
    }
    for (size_t p = 0; p < count; p++)
        legends += legend(canvas, &plot->panels[p], frame.left, frame.right, 0, plot->theme, false);
    double height = fmax((bottom - top - legends - gap * (double)(count - 1)) / (double)count, 2 * font);
    for (size_t p = 0; p < count; p++) {
        top += legend(canvas, &plot->panels[p], frame.left, frame.right, top, plot->theme, true);
        frame.top = top, frame.bottom = top + height;
        draw_panel(canvas, plot, &plot->panels[p], &across, &left[p], &right[p], frame, p == count - 1);
        top += height + gap;
    }
    char text[160];
    axis_title(&plot->abscissa, &across, text, sizeof text);
    mrn_canvas_color(canvas, canvas->ink.text, 1);
    mrn_canvas_text(canvas, 0.5 * (frame.left + frame.right), canvas->height - 0.75 * font, MRN_ALIGN_CENTRE,
                    0.95 * font, false, text);
    free(left);
    free(right);
}

static bool draw_page(const MrnPlot *plot, MrnPageKind kind, const char *path, MrnImage *image, MrnError *error) {
    if (plot->panel_count == 0) return mrn_fail(error, MRN_ERROR_INPUT, "a plot needs at least one panel");
    int width = plot->width > 0 ? plot->width : 1000;
    double natural = width * (plot->panel_count == 1 ? 0.6 : 0.16 + 0.27 * (double)plot->panel_count);
    int height = plot->height > 0 ? plot->height : (int)fmin(natural, 16384);
    MrnCanvas canvas;
    if (!mrn_canvas_open(&canvas, kind, width, height, plot->theme, error)) return false;
    canvas.font = fmax(8, fmin(width, 1.6 * height) / 56.0);
    canvas.colors = plot->colors;
    draw_all(&canvas, plot);
    return mrn_canvas_close(&canvas, path, image, error);
}
#endif

bool mrn_draw_plot(const MrnPlot *plot, const char *path, MrnError *error) {
#ifdef MORAINE_HAS_CAIRO
    MrnPageKind kind;
    return mrn_page_kind(path, &kind, error) && draw_page(plot, kind, path, NULL, error);
#else
    (void)plot, (void)path;
    return mrn_draw_unsupported(error);
#endif
}

bool mrn_draw_plot_image(const MrnPlot *plot, MrnImage *image, MrnError *error) {
    *image = (MrnImage){0};
#ifdef MORAINE_HAS_CAIRO
    return draw_page(plot, MRN_PAGE_MEMORY, NULL, image, error);
#else
    (void)plot;
    return mrn_draw_unsupported(error);
#endif
}
