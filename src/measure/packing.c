// How bodies fill space: solid fraction, free surface.
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

// ---- Solid fraction ----

static void note_volumes(MrnSheet *sheet, bool exact) {
    mrn_sheet_note(sheet, exact
                              ? "bodies cut by the border of the region count with the part inside"
                              : "discs and balls cut by the border of the region count with the part inside, bodies of "
                                "other shapes whole when their centre is inside");
}

static bool solid_fraction(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Solid fraction");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "solid fraction", "1", MRN_COLUMN_LINE);
    bool exact = true;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        MrnRegion region;
        double solid = 0;
        if (!mrn_measure_region(input, &walk.frame, &region)) continue;
        for (size_t b = 0; b < walk.frame.body_count; b++)
            if (mrn_frame_has(input->model, &walk.frame, (int)b))
                solid += mrn_body_volume_in(input->model, &walk.frame, (int)b, &region, &exact);
        mrn_sheet_row(out, (double[]){walk.frame.time, solid / mrn_region_volume(&region, input->model->dimension)});
    }
    note_volumes(out, exact);
    if (input->options.region.kind == MRN_REGION_ALL)
        mrn_sheet_note(out, "no region given: the smallest box around the free bodies of each frame");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_solid_fraction = {
    .name = "solid_fraction",
    .summary = "volume of the free bodies over the volume of the region",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = solid_fraction,
};

// ---- Free surface ----

/// A straight line through the heights of bins first to last that are there: its slope, NAN with fewer than three.
static double fit_slope(const double *height, double width, double first, double last) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (double i = ceil(first); i <= floor(last); i++) {
        double x = i * width, y = height[(size_t)i];
        if (isnan(y)) continue;
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double bottom = n * sxx - sx * sx;
    return n >= 3 && bottom > 0 ? (n * sxy - sx * sy) / bottom : NAN;
}

/// Mean diameter of a disc or ball of the volume of each free body.
static double mean_diameter(const MrnModel *model) {
    double sum = 0, count = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind != MRN_BODY_FREE) continue;
        double volume = mrn_body_volume(model, (int)b);
        sum += model->dimension == 2 ? 2 * sqrt(volume / M_PI) : 2 * cbrt(0.75 * volume / M_PI), count++;
    }
    return sum / count;
}

/// Highest points per bin across, of the bodies that are close to others: what is in flight does not belong to the
/// surface.
static void surface_heights(const MrnMeasureInput *input, const MrnFrame *frame, const double *across, const double *up,
                            double low, double width, size_t bins, double *height) {
    int d = input->model->dimension;
    uint8_t *touches = mrn_alloc_zero(frame->body_count + 1, 1);
    for (size_t c = 0; c < frame->contact_count; c++)
        touches[frame->contacts[c].body_a] = touches[frame->contacts[c].body_b] = 1;
    for (size_t i = 0; i < bins; i++) height[i] = NAN;
    for (size_t b = 0; b < frame->body_count; b++) {
        const double *x = frame->position + (size_t)d * b;
        if (!touches[b] || !mrn_frame_has(input->model, frame, (int)b) ||
            !mrn_region_holds(&input->options.region, d, x))
            continue;
        double along = 0;
        for (int k = 0; k < d; k++) along += x[k] * across[k];
        double share = (along - low) / width;
        if (!(share >= 0 && share <= (double)bins)) continue;
        size_t bin = (size_t)fmin(share, (double)bins - 1);
        double top = mrn_body_reach_along(input->model, frame, (int)b, up);
        if (isnan(height[bin]) || top > height[bin]) height[bin] = top;
    }
    free(touches);
}

static bool angle_of_repose(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension;
    double up[3], across[3] = {1, 0, 0}, length = 0, dot = 0;
    MrnMeasureInput upright = *input;
    for (int k = 0; k < 3; k++) upright.options.direction[k] = 0;
    mrn_measure_direction(&upright, up);
    const double *given = input->options.direction;
    for (int k = 0; k < d; k++) length += given[k] * given[k];
    for (int k = 0; k < d && length > 0; k++) across[k] = given[k];
    // Across is level: without its part along gravity.
    for (int k = 0; k < d; k++) dot += across[k] * up[k];
    length = 0;
    for (int k = 0; k < d; k++) across[k] -= dot * up[k], length += across[k] * across[k];
    if (length < 1e-12) { // gravity along x
        across[0] = 0, across[1] = 1, length = 1;
    }
    for (int k = 0; k < d; k++) across[k] /= sqrt(length);
    double low, high, diameter = mean_diameter(input->model);
    if (!mrn_measure_extent(input, across, &low, &high, error)) return false;
    size_t bins = input->options.bins ? input->options.bins : (size_t)fmin(fmax((high - low) / (2 * diameter), 8), 400);
    double width = (high - low) / (double)bins, *height = mrn_alloc(bins + 1, sizeof *height);
    mrn_sheet_title(out, "Slope of the free surface");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "whole surface", "deg", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "middle three fifths", "deg", MRN_COLUMN_DASHED);
    mrn_sheet_column(out, "flank before the top", "deg", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "flank after the top", "deg", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "highest point", "m", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        surface_heights(input, &walk.frame, across, up, low, width, bins, height);
        double first = NAN, last = NAN, top = NAN;
        size_t apex = 0;
        for (size_t i = 0; i < bins; i++) {
            if (isnan(height[i])) continue;
            if (isnan(first)) first = (double)i;
            last = (double)i;
            if (isnan(top) || height[i] > top) top = height[i], apex = i;
        }
        double middle = 0.2 * (last - first), peak = (double)apex;
        double before = 0.2 * (peak - first), after = 0.2 * (last - peak);
        if (isnan(first)) continue;
        mrn_sheet_row(out, (double[]){walk.frame.time, 180 / M_PI * atan(fit_slope(height, width, first, last)),
                                      180 / M_PI * atan(fit_slope(height, width, first + middle, last - middle)),
                                      180 / M_PI * atan(fit_slope(height, width, first + before, peak - before)),
                                      180 / M_PI * atan(-fit_slope(height, width, peak + after, last - after)), top});
    }
    free(height);
    mrn_sheet_note(out,
                   "straight line through the highest points of the bodies with contacts, in %zu bins of %.3g m along "
                   "(%g, %g, %g); the outer fifths at each end of the middle and of the flanks are left out",
                   bins, width, across[0], across[1], across[2]);
    mrn_sheet_note(
        out, "whole surface: positive when it rises along this direction; flanks: positive when they fall away from "
             "the highest bin");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_angle_of_repose = {
    .name = "angle_of_repose",
    .summary = "slope of the free surface, and of its two flanks",
    .units = "deg",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES | MRN_NEEDS_GRAVITY,
    .compute = angle_of_repose,
};
