// Curves over time as SVG that takes its colours from the page, with the numbers beside it for the cursor.
//
// Long series are thinned: of each stretch the first, lowest, highest and last point are drawn, so that no peak is
// lost.
#include "report/section.h"

#include "draw/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 680, HEIGHT = 260, LEFT = 64, RIGHT = 14, TOP = 12, BOTTOM = 34, STRETCHES = 320 };

typedef struct Scale {
    double low, high; ///< of the axis, decades if logarithmic
    bool logarithmic;
    double start, length; ///< pixels
} Scale;

static double to_page(const Scale *scale, double value) {
    double v = scale->logarithmic ? log10(value) : value;
    return scale->start + scale->length * (v - scale->low) / (scale->high - scale->low);
}

static bool shows(const Scale *scale, double value) {
    return isfinite(value) && (!scale->logarithmic || value > 0);
}

static Scale vertical_scale(const MrnChart *chart) {
    double low = INFINITY, high = -INFINITY;
    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->count; i++) {
            double v = chart->series[s].y[i];
            if (!isfinite(v) || (chart->logarithmic && !(v > 0))) continue;
            low = fmin(low, v), high = fmax(high, v);
        }
    if (isfinite(chart->line)) low = fmin(low, chart->line), high = fmax(high, chart->line);
    Scale scale = {.logarithmic = chart->logarithmic, .start = HEIGHT - BOTTOM, .length = -(HEIGHT - BOTTOM - TOP)};
    if (!(low <= high)) low = chart->logarithmic ? 1e-6 : 0, high = 1;
    if (chart->logarithmic) {
        // Rounding errors far below everything else would flatten the rest.
        scale.high = ceil(log10(high) + 1e-9);
        scale.low = fmax(floor(log10(low) - 1e-9), scale.high - 10);
        if (scale.high - scale.low < 1) scale.low = scale.high - 1;
        return scale;
    }
    if (chart->from_zero) low = fmin(low, 0), high = fmax(high, 0);
    double pad = 0.04 * (high - low);
    if (!(pad > 0)) pad = fmax(fabs(high), 1) * 0.5;
    scale.low = low == 0 && chart->from_zero ? 0 : low - pad;
    scale.high = high + pad;
    return scale;
}

static void write_ticks(MrnOutput *out, const Scale *x, const Scale *y, const char *x_unit, const MrnScaledUnit *unit) {
    char text[64];
    if (y->logarithmic) {
        int every = (int)ceil((y->high - y->low) / 6);
        for (int k = (int)y->low; k <= (int)y->high; k++) {
            if ((k - (int)y->low) % every) continue;
            double at = to_page(y, pow(10, k));
            mrn_output_format(out, "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f />", LEFT, WIDTH - RIGHT, at, at);
            mrn_output_format(
                out, "<text class=tick x=%d y=%.1f text-anchor=end>10<tspan dy=-5 font-size=9>%s%d</tspan></text>\n",
                LEFT - 8, at + 4, k < 0 ? "−" : "", abs(k));
        }
    } else {
        double step = mrn_number_nice_below((y->high - y->low) / unit->factor / 3.2);
        for (double v = ceil(y->low / unit->factor / step) * step; v * unit->factor <= y->high; v += step) {
            double at = to_page(y, v * unit->factor);
            mrn_number_tick(v, step, text, sizeof text);
            mrn_output_format(out, "<line class=grid x1=%d x2=%d y1=%.1f y2=%.1f />", LEFT, WIDTH - RIGHT, at, at);
            mrn_output_format(out, "<text class=tick x=%d y=%.1f text-anchor=end>%s</text>\n", LEFT - 8, at + 4, text);
        }
    }
    MrnScaledUnit time = mrn_number_unit("s", x->high);
    double step = mrn_number_nice_below((x->high - x->low) / time.factor / 5);
    for (double v = ceil(x->low / time.factor / step - 1e-9) * step; v * time.factor <= x->high * (1 + 1e-9);
         v += step) {
        double at = to_page(x, v * time.factor);
        mrn_number_tick(v, step, text, sizeof text);
        mrn_output_format(out, "<line class=grid x1=%.1f x2=%.1f y1=%d y2=%d />", at, at, TOP, HEIGHT - BOTTOM);
        mrn_output_format(out, "<text class=tick x=%.1f y=%d text-anchor=middle>%s</text>\n", at, HEIGHT - BOTTOM + 17,
                          text);
    }
    mrn_output_format(out, "<text class=tick x=%d y=%d text-anchor=end>%s in %s</text>\n", WIDTH - RIGHT, HEIGHT - 3,
                      "time", strcmp(x_unit, "s") == 0 ? time.text : x_unit);
}

/// Points of one stretch that must be drawn: first, lowest, highest, last; in order, without repeats.
static size_t choose_points(const MrnChart *chart, const double *y, const Scale *scale, size_t begin, size_t end,
                            size_t chosen[4]) {
    size_t low = end, high = end, first = end, last = end;
    for (size_t i = begin; i < end; i++) {
        if (!shows(scale, y[i])) continue;
        if (first == end) first = i;
        last = i;
        if (low == end || y[i] < y[low]) low = i;
        if (high == end || y[i] > y[high]) high = i;
    }
    (void)chart;
    if (first == end) return 0;
    size_t middle[2] = {low < high ? low : high, low < high ? high : low}, count = 0;
    size_t all[4] = {first, middle[0], middle[1], last};
    for (int i = 0; i < 4; i++)
        if (!count || all[i] > chosen[count - 1]) chosen[count++] = all[i];
    return count;
}

static void write_curve(MrnOutput *out, const MrnChart *chart, const MrnChartSeries *series, const Scale *x,
                        const Scale *y) {
    if (series->dots) {
        for (size_t i = 0; i < chart->count; i++)
            if (shows(y, series->y[i]))
                mrn_output_format(out, "<circle class=\"f%d\" cx=%.1f cy=%.1f r=3 />\n", series->color,
                                  to_page(x, chart->x[i]),
                                  to_page(y, fmax(series->y[i], chart->logarithmic ? 1e-300 : -1e300)));
        return;
    }
    mrn_output_format(out, "<path class=\"s%d%s\" d=\"", series->color, series->dashed ? " dashed" : "");
    size_t stretches = chart->count < 4 * STRETCHES ? chart->count : STRETCHES, chosen[4];
    bool pen_down = false;
    for (size_t k = 0; k < stretches; k++) {
        size_t begin = k * chart->count / stretches, end = (k + 1) * chart->count / stretches;
        size_t count = choose_points(chart, series->y, y, begin, end, chosen);
        if (!count) pen_down = false;
        for (size_t i = 0; i < count; i++) {
            double v = to_page(y, series->y[chosen[i]]);
            v = fmin(fmax(v, TOP - 2), HEIGHT - BOTTOM + 2); // below the lowest decade that is shown
            mrn_output_format(out, "%c%.1f %.1f", pen_down ? 'L' : 'M', to_page(x, chart->x[chosen[i]]), v);
            pen_down = true;
        }
    }
    mrn_output_text(out, "\" />\n");
}

/// Samples for the cursor: about one per two pixels.
static void write_samples(MrnReport *report, const MrnChart *chart, const Scale *x, const Scale *y,
                          const MrnScaledUnit *unit) {
    MrnOutput *out = report->out;
    size_t samples = chart->count < STRETCHES ? chart->count : STRETCHES;
    mrn_output_format(out, "<script type=\"application/json\" id=\"chart-%d-data\">{\"unit\":\"", report->chart_count);
    mrn_output_text(out, strcmp(unit->text, "") ? unit->text : "");
    mrn_output_format(out, "\",\"x\":[%d,%d,%.9g,%.9g],\"t\":[", LEFT, WIDTH - RIGHT, x->low, x->high);
    for (size_t k = 0; k < samples; k++)
        mrn_output_format(out, "%s%.6g", k ? "," : "", chart->x[(2 * k + 1) * chart->count / (2 * samples)]);
    mrn_output_text(out, "],\"series\":[");
    bool any = false;
    for (size_t s = 0; s < chart->series_count; s++) {
        const MrnChartSeries *series = &chart->series[s];
        if (series->dots) continue;
        mrn_output_format(out, "%s{\"label\":\"%s\",\"color\":%d,\"y\":[", any ? "," : "", series->label,
                          series->color);
        any = true;
        for (size_t k = 0; k < samples; k++) {
            double v = series->y[(2 * k + 1) * chart->count / (2 * samples)];
            if (isfinite(v))
                mrn_output_format(out, "%s%.4g", k ? "," : "", v / unit->factor);
            else
                mrn_output_format(out, "%snull", k ? "," : "");
        }
        mrn_output_text(out, "]}");
    }
    (void)y;
    mrn_output_text(out, "]}</script>\n");
}

void mrn_chart_write(MrnReport *report, const MrnChart *chart) {
    MrnOutput *out = report->out;
    int number = ++report->chart_count;
    Scale x = {
        .low = 0, .high = chart->count ? chart->x[chart->count - 1] : 1, .start = LEFT, .length = WIDTH - RIGHT - LEFT};
    if (!(x.high > x.low)) x.high = x.low + 1;
    Scale y = vertical_scale(chart);
    MrnScaledUnit unit = mrn_number_unit(chart->unit, y.logarithmic ? 1 : fmax(fabs(y.low), fabs(y.high)));
    if (y.logarithmic)
        unit.factor = 1, snprintf(unit.text, sizeof unit.text, "%s", strcmp(chart->unit, "1") ? chart->unit : "");

    mrn_output_format(out, "<figure class=chart id=\"chart-%d\"><figcaption><b>", number);
    mrn_html_text(out, chart->title);
    mrn_output_text(out, "</b>");
    if (unit.text[0]) mrn_html_format(out, " in %s", unit.text);
    if (chart->series_count > 1 || chart->line_label) {
        mrn_output_text(out, "<span class=legend>");
        for (size_t s = 0; s < chart->series_count; s++) {
            mrn_output_format(out, "<span><i class=\"b%d\"></i>", chart->series[s].color);
            mrn_html_text(out, chart->series[s].label);
            mrn_output_text(out, "</span>");
        }
        if (chart->line_label && isfinite(chart->line)) {
            mrn_output_text(out, "<span><i class=rule></i>");
            mrn_html_text(out, chart->line_label);
            mrn_output_text(out, "</span>");
        }
        mrn_output_text(out, "</span>");
    }
    mrn_output_format(out, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=img aria-label=\"", WIDTH, HEIGHT);
    mrn_html_text(out, chart->text);
    mrn_output_text(out, "\">\n");
    write_ticks(out, &x, &y, "s", &unit);
    if (isfinite(chart->line) && shows(&y, chart->line)) {
        double at = to_page(&y, chart->line);
        mrn_output_format(out, "<line class=rule x1=%d x2=%d y1=%.1f y2=%.1f />\n", LEFT, WIDTH - RIGHT, at, at);
    }
    for (size_t s = 0; s < chart->series_count; s++) write_curve(out, chart, &chart->series[s], &x, &y);
    mrn_output_format(out, "<line class=cursor x1=0 x2=0 y1=%d y2=%d visibility=hidden /></svg>\n", TOP,
                      HEIGHT - BOTTOM);
    write_samples(report, chart, &x, &y, &unit);
    mrn_output_text(out, "</figure>\n");
}
