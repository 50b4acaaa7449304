// Flows of grains: silo, column collapse.
#include "verify/cases.h"
#include "verify/granular.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Silo ----

/// Bodies per second through the outlet while the level falls, between two numbers of discharged bodies.
static double discharge_rate(const MrnGranularRun *run, double first, double last) {
    MRN_ARRAY(double) time = {0}, count = {0};
    int d = run->scene->model->dimension;
    for (size_t f = 0; f < run->frames.frames.count; f++) {
        const MrnFrame *frame = &run->frames.frames.data[f];
        double out = 0;
        for (size_t b = 0; b < frame->body_count; b++)
            out +=
                mrn_frame_has(run->scene->model, frame, (int)b) && frame->position[(size_t)d * b + (size_t)(d - 1)] < 0;
        if (out < first || out > last) continue;
        mrn_array_push(&time, frame->time);
        mrn_array_push(&count, out);
    }
    double rate = time.count > 4 ? mrn_granular_slope(time.data, count.data, time.count, NULL) : NAN;
    mrn_array_free(&time);
    mrn_array_free(&count);
    return rate;
}

/// Exponent of the rate against D - k d, over several outlets.
static double beverloo_exponent(MrnVerifyReport *report, const char *scene, const double *outlet, size_t outlets,
                                double diameter, double k, double first, double last) {
    double *x = mrn_alloc(outlets, sizeof *x), *y = mrn_alloc(outlets, sizeof *y), exponent = NAN;
    bool fine = true;
    for (size_t i = 0; i < outlets && fine; i++) {
        MrnGranularRun run;
        char change[80];
        snprintf(change, sizeof change, "generate.silo.hopper.outlet=%g m", outlet[i]);
        fine = mrn_granular_run(report, scene, (const char *const[]){change, NULL}, &run);
        if (fine) {
            double rate = discharge_rate(&run, first, last), middle = 0.5 * (first + last);
            double early = discharge_rate(&run, first, middle), late = discharge_rate(&run, middle, last);
            mrn_measure(report, rate, "outlet of %.3g grains: rate [1/s]", outlet[i] / diameter);
            if (i == 0 && run.scene->model->dimension == 2) // the deepest bed
                mrn_check(report, 1, late / early, 0.15,
                          "smallest outlet: the rate does not depend on the level, second half over first half");
            else
                mrn_measure(report, late / early, "outlet of %.3g grains: rate of the second half over the first",
                            outlet[i] / diameter);
            x[i] = log(outlet[i] - k * diameter), y[i] = log(rate);
        }
        mrn_granular_free(&run);
    }
    if (fine) exponent = mrn_granular_slope(x, y, outlets, NULL);
    free(x);
    free(y);
    return exponent;
}

void mrn_case_beverloo(MrnVerifyReport *report) {
    static const double outlet[] = {25e-3, 30e-3, 35e-3, 40e-3, 50e-3};
    double exponent = beverloo_exponent(report, "silo", outlet, 5, 5e-3, 1.4, 60, 300);
    mrn_check(report, 1.5, exponent, 0.15, "exponent of the rate against D - 1.4 d, plane");
}

void mrn_case_beverloo_3d(MrnVerifyReport *report) {
    static const double outlet[] = {30e-3, 37e-3, 45e-3, 55e-3};
    double exponent = beverloo_exponent(report, "silo_3d", outlet, 4, 6e-3, 1.4, 200, 1000);
    mrn_check(report, 2.5, exponent, 0.25, "exponent of the rate against D - 1.4 d, space");
}

// ---- Column collapse ----

/// Half the extent of the deposit: the grains that hang together with the one nearest to the middle.
static double runout(const MrnGranularRun *run) {
    const MrnFrame *frame = &run->frames.frames.data[run->frames.frames.count - 1];
    const MrnModel *model = run->scene->model;
    size_t n = frame->body_count;
    uint8_t *reached = mrn_alloc_zero(n + 1, 1);
    double nearest = INFINITY, left = 0, right = 0;
    size_t middle = 0;
    for (size_t b = 0; b < n; b++)
        if (mrn_frame_has(model, frame, (int)b) && fabs(frame->position[2 * b]) < nearest)
            nearest = fabs(frame->position[2 * b]), middle = b;
    reached[middle] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t c = 0; c < frame->contact_count; c++) {
            int a = frame->contacts[c].body_a, b = frame->contacts[c].body_b;
            bool both = mrn_frame_has(model, frame, a) && mrn_frame_has(model, frame, b);
            if (both && reached[a] != reached[b]) reached[a] = reached[b] = 1, changed = true;
        }
    }
    for (size_t b = 0; b < n; b++)
        if (reached[b]) left = fmin(left, frame->position[2 * b]), right = fmax(right, frame->position[2 * b]);
    free(reached);
    return 0.5 * (right - left);
}

static double initial_height(const MrnGranularRun *run) {
    MrnRegion box;
    mrn_frame_box(run->scene->model, &run->frames.frames.data[0], &box);
    return box.high[1];
}

void mrn_case_column_collapse(MrnVerifyReport *report) {
    static const double half[] = {0.17, 0.14, 0.11, 0.08, 0.06, 0.05, 0.04};
    enum { COLUMNS = sizeof half / sizeof *half };
    double low_x[COLUMNS], low_y[COLUMNS], high_x[COLUMNS], high_y[COLUMNS];
    size_t low = 0, high = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        MrnGranularRun run;
        char from[100], to[100];
        snprintf(from, sizeof from, "generate.grain.fill.region.box.low=[%g m, 0 m]", -half[i]);
        snprintf(to, sizeof to, "generate.grain.fill.region.box.high=[%g m, 10 m]", half[i]);
        if (mrn_granular_run(report, "column_collapse", (const char *const[]){from, to, NULL}, &run)) {
            double aspect = initial_height(&run) / half[i], spread = (runout(&run) - half[i]) / half[i];
            mrn_measure(report, spread, "aspect ratio %.3g: run-out over half width", aspect);
            if (aspect < 2.6) low_x[low] = log(aspect), low_y[low++] = log(spread);
            if (aspect > 1.8) high_x[high] = log(aspect), high_y[high++] = log(spread);
        }
        mrn_granular_free(&run);
    }
    if (low > 1) mrn_measure(report, mrn_granular_slope(low_x, low_y, low, NULL), "exponent below aspect ratio 2.6");
    if (high > 1)
        mrn_check(report, 0.7, mrn_granular_slope(high_x, high_y, high, NULL), 0.15, "exponent above aspect ratio 1.8");
}
