// How bodies move: agitation, velocity profiles, displacements, discharge. Means weigh bodies by mass.
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

/// Mass, momentum and kinetic energy of the translation of the free bodies with their centre in a region.
typedef struct Motion {
    double count, mass, momentum[3], square; ///< square: sum of m |v|^2
} Motion;

static void add_motion(Motion *sum, int dimension, double mass, const double *velocity) {
    sum->count++, sum->mass += mass;
    for (int k = 0; k < dimension; k++)
        sum->momentum[k] += mass * velocity[k], sum->square += mass * velocity[k] * velocity[k];
}

static Motion motion_in(const MrnMeasureInput *input, const MrnFrame *frame) {
    int d = input->model->dimension;
    Motion sum = {0};
    for (size_t b = 0; b < frame->body_count; b++)
        if (mrn_frame_has(input->model, frame, (int)b) &&
            mrn_region_holds(&input->options.region, d, frame->position + (size_t)d * b))
            add_motion(&sum, d, input->model->bodies.data[b].mass, frame->velocity + (size_t)d * b);
    return sum;
}

/// Mean square of one component of the velocity about the mean velocity.
static double temperature(const Motion *sum, int dimension) {
    double square = sum->square / sum->mass;
    for (int k = 0; k < dimension; k++) square -= sum->momentum[k] * sum->momentum[k] / (sum->mass * sum->mass);
    return sum->mass > 0 ? fmax(0, square) / dimension : NAN;
}

static bool granular_temperature(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension;
    mrn_sheet_title(out, "Granular temperature");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "granular temperature", "m2/s2", MRN_COLUMN_LINE);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        Motion sum = motion_in(input, &walk.frame);
        mrn_sheet_row(out, (double[]){walk.frame.time, temperature(&sum, d)});
    }
    mrn_sheet_note(out, "mean of |v - V|^2 / %d over the free bodies in the region, V their mean velocity", d);
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_granular_temperature = {
    .name = "granular_temperature",
    .summary = "mean square of the velocities about their mean, per direction",
    .units = "m2/s2",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = granular_temperature,
};

// ---- Profiles ----

/// Sums in bins along a direction.
typedef struct Bins {
    double direction[3], low, high;
    size_t count, frames;
    Motion *sums;
} Bins;

static bool fill_bins(const MrnMeasureInput *input, Bins *bins, MrnError *error) {
    int d = input->model->dimension;
    *bins = (Bins){.count = input->options.bins ? input->options.bins : 20};
    mrn_measure_direction(input, bins->direction);
    if (!mrn_measure_extent(input, bins->direction, &bins->low, &bins->high, error)) return false;
    bins->sums = mrn_alloc_zero(bins->count, sizeof *bins->sums);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error))
        for (size_t b = 0; b < walk.frame.body_count; b++) {
            const double *x = walk.frame.position + (size_t)d * b;
            if (!mrn_frame_has(input->model, &walk.frame, (int)b) || !mrn_region_holds(&input->options.region, d, x))
                continue;
            double along = 0;
            for (int k = 0; k < d; k++) along += x[k] * bins->direction[k];
            double share = (along - bins->low) / (bins->high - bins->low) * (double)bins->count;
            if (!(share >= 0 && share <= (double)bins->count)) continue;
            add_motion(&bins->sums[(size_t)fmin(share, (double)bins->count - 1)], d, input->model->bodies.data[b].mass,
                       walk.frame.velocity + (size_t)d * b);
        }
    bins->frames = walk.seen;
    bool fine = mrn_frame_walk_end(&walk);
    if (!fine) free(bins->sums);
    return fine;
}

static double bin_middle(const Bins *bins, size_t index) {
    return bins->low + (bins->high - bins->low) * ((double)index + 0.5) / (double)bins->count;
}

static const char *direction_name(const Bins *bins) {
    static const char *const names[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++)
        if (bins->direction[k] > 1 - 1e-12) return names[k];
    return "position";
}

static bool velocity_profile(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char *const names[] = {"velocity x", "velocity y", "velocity z"};
    int d = input->model->dimension;
    Bins bins;
    if (!fill_bins(input, &bins, error)) return false;
    mrn_sheet_title(out, "Mean velocity");
    mrn_sheet_column(out, direction_name(&bins), "m", MRN_COLUMN_LINE);
    for (int k = 0; k < d; k++) mrn_sheet_column(out, names[k], "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "bodies", "1", MRN_COLUMN_HIDDEN);
    for (size_t i = 0; i < bins.count && bins.frames; i++) {
        double row[5] = {bin_middle(&bins, i)};
        for (int k = 0; k < d; k++)
            row[1 + k] = bins.sums[i].mass > 0 ? bins.sums[i].momentum[k] / bins.sums[i].mass : NAN;
        row[1 + d] = bins.sums[i].count / (double)bins.frames;
        mrn_sheet_row(out, row);
    }
    mrn_sheet_note(out, "momentum over mass of the bodies with their centre in each bin, mean over %zu frames",
                   bins.frames);
    free(bins.sums);
    return true;
}

const MrnMeasure mrn_measure_velocity_profile = {
    .name = "velocity_profile",
    .summary = "mean velocity in bins along a direction, mean over the window",
    .units = "m/s",
    .drawing = MRN_DRAWING_PROFILE,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = velocity_profile,
};

static bool temperature_profile(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    Bins bins;
    if (!fill_bins(input, &bins, error)) return false;
    mrn_sheet_title(out, "Granular temperature");
    mrn_sheet_column(out, direction_name(&bins), "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "granular temperature", "m2/s2", MRN_COLUMN_LINE);
    for (size_t i = 0; i < bins.count && bins.frames; i++)
        mrn_sheet_row(out, (double[]){bin_middle(&bins, i), temperature(&bins.sums[i], input->model->dimension)});
    mrn_sheet_note(out, "about the mean velocity of each bin over the window of %zu frames", bins.frames);
    free(bins.sums);
    return true;
}

const MrnMeasure mrn_measure_temperature_profile = {
    .name = "temperature_profile",
    .summary = "granular temperature in bins along a direction, mean over the window",
    .units = "m2/s2",
    .drawing = MRN_DRAWING_PROFILE,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = temperature_profile,
};

// ---- Displacement ----

static bool displacement(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char *const names[] = {"mean x", "mean y", "mean z"};
    int d = input->model->dimension;
    size_t bodies = input->model->bodies.count;
    double *start = mrn_alloc(bodies * (size_t)d + 1, sizeof *start), begin = 0;
    uint8_t *follow = mrn_alloc_zero(bodies + 1, 1);
    mrn_sheet_title(out, "Displacement");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "root mean square", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "largest", "m", MRN_COLUMN_DASHED);
    for (int k = 0; k < d; k++) mrn_sheet_column(out, names[k], "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "root mean square about the mean", "m", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        const MrnFrame *frame = &walk.frame;
        double sum[3] = {0}, square = 0, largest = 0, count = 0;
        if (walk.seen == 1) begin = frame->time;
        for (size_t b = 0; b < frame->body_count; b++) {
            const double *x = frame->position + (size_t)d * b;
            double *from = start + (size_t)d * b, moved = 0;
            if (walk.seen == 1) {
                follow[b] =
                    mrn_frame_has(input->model, frame, (int)b) && mrn_region_holds(&input->options.region, d, x);
                for (int k = 0; k < d; k++) from[k] = x[k];
            }
            if (!follow[b] || !frame->active[b]) continue;
            count++;
            for (int k = 0; k < d; k++) sum[k] += x[k] - from[k], moved += (x[k] - from[k]) * (x[k] - from[k]);
            square += moved, largest = fmax(largest, sqrt(moved));
        }
        double row[7] = {frame->time, sqrt(square / count), count > 0 ? largest : NAN}, mean = 0;
        for (int k = 0; k < d; k++) row[3 + k] = sum[k] / count, mean += row[3 + k] * row[3 + k];
        row[3 + d] = sqrt(fmax(0, square / count - mean));
        mrn_sheet_row(out, row);
    }
    mrn_sheet_note(out, "of the free bodies that were in the region at %g s, from where they were then", begin);
    free(start);
    free(follow);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_displacement = {
    .name = "displacement",
    .summary = "how far the bodies of a region have moved since the first frame of the window",
    .units = "m",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = displacement,
};

// ---- Discharge ----

/// Slope of a straight line through (x, y).
static double line_slope(const MrnSheet *sheet, size_t x, size_t y) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, begin = mrn_sheet_value(sheet, 0, x);
    for (size_t i = 0; i < mrn_sheet_rows(sheet); i++) {
        double a = mrn_sheet_value(sheet, i, x) - begin, b = mrn_sheet_value(sheet, i, y);
        n++, sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    double bottom = n * sxx - sx * sx;
    return bottom > 0 ? (n * sxy - sx * sy) / bottom : NAN;
}

static bool discharged_mass(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension;
    double up[3];
    mrn_measure_direction(input, up);
    bool whole = input->options.region.kind == MRN_REGION_ALL;
    mrn_sheet_title(out, "Discharged mass");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "discharged mass", "kg", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "bodies", "1", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        const MrnFrame *frame = &walk.frame;
        double mass = 0, count = 0;
        for (size_t b = 0; b < frame->body_count; b++) {
            const MrnBody *body = &input->model->bodies.data[b];
            const double *x = frame->position + (size_t)d * b;
            double height = 0;
            if (body->kind != MRN_BODY_FREE || body->birth > frame->time) continue;
            for (int k = 0; k < d; k++) height += x[k] * up[k];
            bool out_of_it = whole ? height < 0 : !mrn_region_holds(&input->options.region, d, x);
            if (!frame->active[b] || out_of_it) mass += body->mass, count++;
        }
        mrn_sheet_row(out, (double[]){frame->time, mass, count});
    }
    if (whole)
        mrn_sheet_note(out, "mass with its centre below the plane through the origin; give --region to count what is "
                            "outside of a region");
    else
        mrn_sheet_note(out, "mass with its centre outside of the region");
    if (mrn_sheet_rows(out) > 1)
        mrn_sheet_note(out, "rate: %.6g kg/s and %.6g bodies/s (straight line through the rows of the window)",
                       line_slope(out, 0, 1), line_slope(out, 0, 2));
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_discharged_mass = {
    .name = "discharged_mass",
    .summary = "mass that has left a region, or fallen through the plane at the origin, and its rate",
    .units = "kg",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = discharged_mass,
};

// ---- Avalanches, momentum ----

static bool moving_bodies(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension;
    double gravity = 0, size = 0, number = 0;
    for (int k = 0; k < d; k++) gravity += input->model->gravity[k] * input->model->gravity[k];
    for (size_t b = 0; b < input->model->bodies.count; b++)
        if (input->model->bodies.data[b].kind == MRN_BODY_FREE) size += 2 * input->model->bodies.data[b].size, number++;
    double speed = sqrt(sqrt(gravity) * size / number);
    mrn_sheet_title(out, "Moving bodies");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "faster than 0.1 sqrt(g d)", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "faster than 0.01 sqrt(g d)", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "bodies", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "largest speed", "m/s", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double fast = 0, slow = 0, all = 0, largest = 0;
        for (size_t b = 0; b < walk.frame.body_count; b++) {
            const double *v = walk.frame.velocity + (size_t)d * b;
            double square = 0;
            if (!mrn_frame_has(input->model, &walk.frame, (int)b) ||
                !mrn_region_holds(&input->options.region, d, walk.frame.position + (size_t)d * b))
                continue;
            for (int k = 0; k < d; k++) square += v[k] * v[k];
            all++, fast += sqrt(square) > 0.1 * speed, slow += sqrt(square) > 0.01 * speed;
            largest = fmax(largest, sqrt(square));
        }
        mrn_sheet_row(out, (double[]){walk.frame.time, fast, slow, all, largest});
    }
    mrn_sheet_note(out, "sqrt(g d) = %.4g m/s with the mean size d = %.4g m of the free bodies", speed, size / number);
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_moving_bodies = {
    .name = "moving_bodies",
    .summary = "how many bodies move, against sqrt(g d): avalanches",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES | MRN_NEEDS_GRAVITY,
    .compute = moving_bodies,
};

static bool momentum(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char *const names[] = {"x", "y", "z"};
    int d = input->model->dimension;
    mrn_sheet_title(out, "Momentum");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    for (int k = 0; k < d; k++) mrn_sheet_column(out, names[k], "kg m/s", MRN_COLUMN_LINE);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        Motion sum = motion_in(input, &walk.frame);
        mrn_sheet_row(out, (double[]){walk.frame.time, sum.momentum[0], sum.momentum[1], sum.momentum[2]});
    }
    mrn_sheet_note(out, "of the free bodies in the region");
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_momentum = {
    .name = "momentum",
    .summary = "total momentum of the free bodies of a region",
    .units = "kg m/s",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = momentum,
};

// ---- Mass centre ----

static bool mass_centre(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char *const names[] = {"x", "y", "z"};
    int d = input->model->dimension;
    double up[3];
    mrn_measure_direction(input, up);
    mrn_sheet_title(out, "Mass centre");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    for (int k = 0; k < d; k++) mrn_sheet_column(out, names[k], "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "inclination", "deg", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double sum[3] = {0}, mass = 0, height = 0, across = 0;
        for (size_t b = 0; b < walk.frame.body_count; b++) {
            const double *x = walk.frame.position + (size_t)d * b;
            if (!mrn_frame_has(input->model, &walk.frame, (int)b) || !mrn_region_holds(&input->options.region, d, x))
                continue;
            mass += input->model->bodies.data[b].mass;
            for (int k = 0; k < d; k++) sum[k] += input->model->bodies.data[b].mass * x[k];
        }
        double row[5] = {walk.frame.time};
        for (int k = 0; k < d; k++) row[1 + k] = sum[k] / mass, height += row[1 + k] * up[k];
        for (int k = 0; k < d; k++) across += (row[1 + k] - height * up[k]) * (row[1 + k] - height * up[k]);
        row[1 + d] = 180 / M_PI * atan2(sqrt(across), -height);
        mrn_sheet_row(out, row);
    }
    mrn_sheet_note(
        out, "of the free bodies in the region; inclination: angle at the origin between the mass centre and what "
             "is below, the slope of a flat bed in a drum about the origin");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_mass_centre = {
    .name = "mass_centre",
    .summary = "mass centre of the free bodies of a region, and its inclination about the origin",
    .units = "m",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = mass_centre,
};
