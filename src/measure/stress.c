// Stress of a granulate from its contact forces and the agitation of its grains.
//
// The internal moment tensor of a body about its mass centre (Moreau; specification 13.2),
//     M_ij = sum over contacts of f_i (x^c_j - x_j),
// is its volume times its mean stress. The stress of a region of volume V is
//     Sigma = (1/V) [ sum of w M - sum of w m (v - U) (v - U) ],
// w the part of the body in the region, U the mean velocity there: contacts, then the kinetic part. Tension is positive
// in Sigma; the pressure p = -tr Sigma / d is positive in compression. The force of a contact is its impulse over the
// time step.
#include "measure/measure.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Tensor[3][3];

/// Moment tensors of all bodies of a frame, N m.
static void moment_tensors(const MrnMeasureInput *input, const MrnFrame *frame, Tensor *moments) {
    int d = input->model->dimension;
    memset(moments, 0, frame->body_count * sizeof *moments);
    for (size_t c = 0; c < frame->contact_count; c++) {
        const MrnContactView *contact = &frame->contacts[c];
        for (int side = 0; side < 2; side++) {
            int body = side ? contact->body_b : contact->body_a;
            const double *centre = frame->position + (size_t)d * (size_t)body;
            double sign = side ? -1 : 1, image[3] = {0, 0, 0}; // in a periodic plane an image of the body may touch
            if (input->model->periodic) mrn_model_image(input->model, contact->position, centre, image);
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++)
                    moments[body][i][j] +=
                        sign * contact->impulse[i] / input->time_step * (contact->position[j] - (centre[j] + image[j]));
        }
    }
}

/// Sums over bodies, weighted by their part in a region.
typedef struct Sums {
    Tensor moment, square; ///< w M, w m v v
    double mass, momentum[3], solid;
} Sums;

static void add_body(Sums *sums, int d, const Tensor moment, double mass, double volume, double inside,
                     const double *velocity) {
    double w = inside / volume;
    sums->mass += w * mass, sums->solid += inside;
    for (int i = 0; i < d; i++) {
        sums->momentum[i] += w * mass * velocity[i];
        for (int j = 0; j < d; j++)
            sums->moment[i][j] += w * moment[i][j], sums->square[i][j] += w * mass * velocity[i] * velocity[j];
    }
}

/// Stress of a region of this volume: the whole, and its kinetic part.
static void stress_of(const Sums *sums, int d, double volume, Tensor whole, Tensor kinetic) {
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double mean = sums->mass > 0 ? sums->momentum[i] * sums->momentum[j] / sums->mass : 0;
            kinetic[i][j] = -(sums->square[i][j] - mean) / volume;
            whole[i][j] = sums->moment[i][j] / volume + kinetic[i][j];
        }
}

/// sqrt(1/2 s:s) of the deviator of the symmetric part: the radius of Mohr's circle in 2D.
static double shear_of(const Tensor stress, int d) {
    double trace = 0, sum = 0;
    for (int i = 0; i < d; i++) trace += stress[i][i];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double s = 0.5 * (stress[i][j] + stress[j][i]) - (i == j ? trace / d : 0);
            sum += 0.5 * s * s;
        }
    return sqrt(sum);
}

static const char *pressure_unit(const MrnMeasureInput *input) {
    return input->model->dimension == 2 ? "N/m" : "Pa";
}

static void note_sign(const MrnMeasureInput *input, MrnSheet *out) {
    mrn_sheet_note(out,
                   "contacts and agitation (moment tensors of bodies and -m v v about the mean velocity); tension is "
                   "positive, pressure -tr/%d is positive in compression",
                   input->model->dimension);
}

static bool stress(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char letters[] = "xyz";
    int d = input->model->dimension;
    const char *unit = pressure_unit(input);
    mrn_sheet_title(out, "Stress");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "pressure", unit, MRN_COLUMN_LINE);
    mrn_sheet_column(out, "shear stress", unit, MRN_COLUMN_LINE);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            mrn_sheet_column(out, (char[]){letters[i], letters[j], 0}, unit,
                             i == j ? MRN_COLUMN_DASHED : MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "kinetic pressure", unit, MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "shear stress over pressure", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "asymmetry", "1", MRN_COLUMN_HIDDEN);
    bool exact = true;
    // A periodic plane has each body once in its cell, wherever that has gone.
    bool cell = input->model->periodic && input->options.region.kind == MRN_REGION_ALL;
    Tensor *moments = mrn_alloc(input->model->bodies.count + 1, sizeof *moments);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        const MrnFrame *frame = &walk.frame;
        MrnRegion region;
        if (!mrn_measure_region(input, frame, &region)) continue;
        moment_tensors(input, frame, moments);
        Sums sums = {0};
        for (size_t b = 0; b < frame->body_count; b++) {
            if (!mrn_frame_has(input->model, frame, (int)b)) continue;
            double volume = mrn_body_volume(input->model, (int)b),
                   inside = cell ? volume : mrn_body_volume_in(input->model, frame, (int)b, &region, &exact);
            if (inside > 0)
                add_body(&sums, d, moments[b], input->model->bodies.data[b].mass, volume, inside,
                         frame->velocity + (size_t)d * b);
        }
        Tensor whole, kinetic;
        const double *low = input->model->period_low, *high = input->model->period_high;
        double room = cell ? (high[0] - low[0]) * (high[1] - low[1]) : mrn_region_volume(&region, d);
        stress_of(&sums, d, room, whole, kinetic);
        double row[16] = {frame->time}, trace = 0, agitation = 0, skew = 0;
        for (int i = 0; i < d; i++) trace += whole[i][i], agitation += kinetic[i][i];
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                row[3 + d * i + j] = whole[i][j], skew = fmax(skew, fabs(whole[i][j] - whole[j][i]));
        row[1] = -trace / d, row[2] = shear_of(whole, d);
        row[3 + d * d] = -agitation / d, row[4 + d * d] = row[2] / row[1], row[5 + d * d] = skew / fabs(trace);
        mrn_sheet_row(out, row);
    }
    free(moments);
    note_sign(input, out);
    mrn_sheet_note(out, "shear stress: sqrt(s:s / 2) of the deviator; asymmetry: largest |xy - yx| over |trace|");
    if (!exact)
        mrn_sheet_note(out, "bodies that are not discs, balls or polygons count whole when their centre is inside");
    if (input->options.region.kind == MRN_REGION_ALL)
        mrn_sheet_note(out, cell ? "no region given: the periodic cell"
                                 : "no region given: the smallest box around the free bodies of each frame");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_stress = {
    .name = "stress",
    .summary = "stress tensor of a region from contact forces and agitation; pressure, shear stress",
    .units = "Pa (2D: N/m)",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = stress,
};

// ---- Slabs ----

/// A box cut into slabs of equal thickness along one axis, and sums over the window for each.
typedef struct Slabs {
    MrnRegion box;
    int axis;
    size_t count;
    double thickness, volume; ///< of a slab
    Sums *sums;
    bool exact;
    size_t frames;
    double diameter, bodies; ///< sum of the diameters of equivalent discs or balls, and their number
} Slabs;

static MrnRegion slab_at(const Slabs *slabs, size_t index) {
    MrnRegion slab = slabs->box;
    slab.low[slabs->axis] = slabs->box.low[slabs->axis] + slabs->thickness * (double)index;
    slab.high[slabs->axis] = slab.low[slabs->axis] + slabs->thickness;
    return slab;
}

/// Index of the slab that holds a coordinate, cut to the box.
static size_t slab_index(const Slabs *slabs, double x) {
    double share = (x - slabs->box.low[slabs->axis]) / slabs->thickness;
    return share <= 0 ? 0 : (size_t)fmin(share, (double)slabs->count - 1);
}

static void add_frame(const MrnMeasureInput *input, const MrnFrame *frame, const Tensor *moments, Slabs *slabs) {
    int d = input->model->dimension;
    for (size_t b = 0; b < frame->body_count; b++) {
        if (!mrn_frame_has(input->model, frame, (int)b)) continue;
        const MrnBody *body = &input->model->bodies.data[b];
        double volume = mrn_body_volume(input->model, (int)b), x = frame->position[(size_t)d * b + (size_t)slabs->axis];
        size_t last = slab_index(slabs, x + body->reach);
        double all = 0;
        for (size_t i = slab_index(slabs, x - body->reach); i <= last; i++) {
            MrnRegion slab = slab_at(slabs, i);
            double inside = mrn_body_volume_in(input->model, frame, (int)b, &slab, &slabs->exact);
            if (inside > 0)
                add_body(&slabs->sums[i], d, moments[b], body->mass, volume, inside, frame->velocity + (size_t)d * b);
            all += inside;
        }
        if (all > 0) {
            slabs->diameter += d == 2 ? 2 * sqrt(volume / M_PI) : 2 * cbrt(0.75 * volume / M_PI);
            slabs->bodies++;
        }
    }
    slabs->frames++;
}

/// Sum over the window. False with an error: the direction is not an axis, or the region not a box.
static bool fill_slabs(const MrnMeasureInput *input, size_t usual, Slabs *slabs, MrnError *error) {
    double direction[3];
    *slabs = (Slabs){.axis = -1, .exact = true, .count = input->options.bins ? input->options.bins : usual};
    mrn_measure_direction(input, direction);
    for (int k = 0; k < input->model->dimension; k++)
        if (fabs(direction[k]) > 1 - 1e-12) slabs->axis = k;
    if (slabs->axis < 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "slabs must be cut along an axis: give --along x, y or z");
    if (input->options.region.kind == MRN_REGION_BALL)
        return mrn_fail(error, MRN_ERROR_INPUT, "slabs are cut from a box: give --region box:...");
    if (!mrn_measure_box(input, &slabs->box, error)) return false;
    slabs->thickness = (slabs->box.high[slabs->axis] - slabs->box.low[slabs->axis]) / (double)slabs->count;
    slabs->volume = mrn_region_volume(&slabs->box, input->model->dimension) / (double)slabs->count;
    slabs->sums = mrn_alloc_zero(slabs->count, sizeof *slabs->sums);
    Tensor *moments = mrn_alloc(input->model->bodies.count + 1, sizeof *moments);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        moment_tensors(input, &walk.frame, moments);
        add_frame(input, &walk.frame, moments, slabs);
    }
    free(moments);
    bool fine = mrn_frame_walk_end(&walk);
    if (!fine) free(slabs->sums);
    return fine;
}

static void slab_stress(const Slabs *slabs, size_t index, int d, Tensor whole, Tensor kinetic) {
    stress_of(&slabs->sums[index], d, slabs->volume * (double)slabs->frames, whole, kinetic);
}

static double slab_middle(const Slabs *slabs, size_t index) {
    return slabs->box.low[slabs->axis] + slabs->thickness * ((double)index + 0.5);
}

static const char *axis_name(const Slabs *slabs) {
    static const char *const names[] = {"x", "y", "z"};
    return names[slabs->axis];
}

static void note_box(const MrnMeasureInput *input, const Slabs *slabs, MrnSheet *out) {
    const double *low = slabs->box.low, *high = slabs->box.high;
    if (input->model->dimension == 2)
        mrn_sheet_note(out, "%zu slabs of the box from (%g, %g) m to (%g, %g) m, mean over %zu frames", slabs->count,
                       low[0], low[1], high[0], high[1], slabs->frames);
    else
        mrn_sheet_note(out, "%zu slabs of the box from (%g, %g, %g) m to (%g, %g, %g) m, mean over %zu frames",
                       slabs->count, low[0], low[1], low[2], high[0], high[1], high[2], slabs->frames);
    if (!slabs->exact)
        mrn_sheet_note(out, "bodies that are not discs, balls or polygons count whole in the slab of their centre");
}

static bool stress_profile(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char letters[] = "xyz";
    int d = input->model->dimension;
    const char *unit = pressure_unit(input);
    Slabs slabs;
    if (!fill_slabs(input, 20, &slabs, error)) return false;
    mrn_sheet_title(out, "Stress");
    mrn_sheet_column(out, axis_name(&slabs), "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "pressure", unit, MRN_COLUMN_LINE);
    mrn_sheet_column(out, "shear stress", unit, MRN_COLUMN_LINE);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            mrn_sheet_column(out, (char[]){letters[i], letters[j], 0}, unit,
                             i == j ? MRN_COLUMN_DASHED : MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "kinetic pressure", unit, MRN_COLUMN_HIDDEN);
    for (size_t i = 0; i < slabs.count && slabs.frames; i++) {
        Tensor whole, kinetic;
        slab_stress(&slabs, i, d, whole, kinetic);
        double row[16] = {slab_middle(&slabs, i)}, trace = 0, agitation = 0;
        for (int k = 0; k < d; k++) trace += whole[k][k], agitation += kinetic[k][k];
        for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++) row[3 + d * k + l] = whole[k][l];
        row[1] = -trace / d, row[2] = shear_of(whole, d), row[3 + d * d] = -agitation / d;
        mrn_sheet_row(out, row);
    }
    note_sign(input, out);
    note_box(input, &slabs, out);
    free(slabs.sums);
    return true;
}

const MrnMeasure mrn_measure_stress_profile = {
    .name = "stress_profile",
    .summary = "stress in slabs along an axis, mean over the window",
    .units = "Pa (2D: N/m)",
    .drawing = MRN_DRAWING_PROFILE,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = stress_profile,
};

static bool solid_fraction_profile(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    Slabs slabs;
    if (!fill_slabs(input, 20, &slabs, error)) return false;
    mrn_sheet_title(out, "Solid fraction");
    mrn_sheet_column(out, axis_name(&slabs), "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "solid fraction", "1", MRN_COLUMN_LINE);
    for (size_t i = 0; i < slabs.count && slabs.frames; i++)
        mrn_sheet_row(out,
                      (double[]){slab_middle(&slabs, i), slabs.sums[i].solid / (slabs.volume * (double)slabs.frames)});
    note_box(input, &slabs, out);
    free(slabs.sums);
    return true;
}

const MrnMeasure mrn_measure_solid_fraction_profile = {
    .name = "solid_fraction_profile",
    .summary = "solid fraction in slabs along an axis, mean over the window",
    .units = "1",
    .drawing = MRN_DRAWING_PROFILE,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = solid_fraction_profile,
};

// ---- Friction against the inertial number ----

/// Component k of the mean velocity of a slab; NAN where nothing is.
static double slab_velocity(const Slabs *slabs, size_t index, int k) {
    return slabs->sums[index].mass > 0 ? slabs->sums[index].momentum[k] / slabs->sums[index].mass : NAN;
}

/// Shear rate at a slab: change of the velocity along the slab from the one below to the one above; at the ends, from
/// the slab itself.
static double shear_rate(const Slabs *slabs, size_t index, int d) {
    size_t below = index > 0 && slabs->sums[index - 1].mass > 0 ? index - 1 : index,
           above = index + 1 < slabs->count && slabs->sums[index + 1].mass > 0 ? index + 1 : index;
    double square = 0;
    if (below == above) return NAN;
    for (int k = 0; k < d; k++) {
        double change = slab_velocity(slabs, above, k) - slab_velocity(slabs, below, k);
        if (k != slabs->axis) square += change * change;
    }
    return sqrt(square) / (slabs->thickness * (double)(above - below));
}

static bool mu_of_inertia(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension;
    Slabs slabs;
    if (!fill_slabs(input, 10, &slabs, error)) return false;
    mrn_sheet_title(out, "Friction against the inertial number");
    size_t inertia = mrn_sheet_column(out, "inertial number", "1", MRN_COLUMN_LINE);
    out->columns.data[inertia].logarithmic = true;
    mrn_sheet_column(out, "friction", "1", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, axis_name(&slabs), "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "shear rate", "1/s", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "normal pressure", pressure_unit(input), MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "solid fraction", "1", MRN_COLUMN_HIDDEN);
    double diameter = slabs.diameter / slabs.bodies;
    for (size_t i = 0; i < slabs.count && slabs.frames; i++) {
        const Sums *sums = &slabs.sums[i];
        if (!(sums->solid > 0)) continue;
        Tensor whole, kinetic;
        slab_stress(&slabs, i, d, whole, kinetic);
        double shear = 0, pressure = -whole[slabs.axis][slabs.axis], rate = shear_rate(&slabs, i, d);
        for (int k = 0; k < d; k++)
            if (k != slabs.axis) shear += whole[k][slabs.axis] * whole[k][slabs.axis];
        double number = pressure > 0 ? rate * diameter * sqrt(sums->mass / sums->solid / pressure) : NAN;
        mrn_sheet_row(out, (double[]){number, pressure > 0 ? sqrt(shear) / pressure : NAN, slab_middle(&slabs, i), rate,
                                      pressure, sums->solid / (slabs.volume * (double)slabs.frames)});
    }
    mrn_sheet_note(out,
                   "on planes across %s: I = (shear rate) d sqrt(rho / p) with the mean diameter d = %.4g m, mu = "
                   "shear / normal stress",
                   axis_name(&slabs), diameter);
    note_box(input, &slabs, out);
    free(slabs.sums);
    return true;
}

const MrnMeasure mrn_measure_mu_of_inertia = {
    .name = "mu_of_inertia",
    .summary = "friction mu(I) against the inertial number, one point per slab, mean over the window",
    .units = "1",
    .drawing = MRN_DRAWING_SCATTER,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = mu_of_inertia,
};

// ---- Maps ----

static bool pressure_map(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int d = input->model->dimension, up = d - 1;
    MrnRegion box;
    if (input->options.region.kind == MRN_REGION_BALL)
        return mrn_fail(error, MRN_ERROR_INPUT, "cells are cut from a box: give --region box:...");
    if (!mrn_measure_box(input, &box, error)) return false;
    double width = box.high[0] - box.low[0], height = box.high[up] - box.low[up];
    double cell = fmax(width, height) / (double)(input->options.bins ? input->options.bins : 40);
    size_t columns = (size_t)fmax(1, ceil(width / cell - 1e-9)), rows = (size_t)fmax(1, ceil(height / cell - 1e-9));
    double *sum = mrn_alloc_zero(columns * rows, sizeof *sum), volume = cell * cell;
    if (d == 3) volume *= box.high[1] - box.low[1];
    Tensor *moments = mrn_alloc(input->model->bodies.count + 1, sizeof *moments);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        const MrnFrame *frame = &walk.frame;
        moment_tensors(input, frame, moments);
        for (size_t b = 0; b < frame->body_count; b++) {
            if (!mrn_frame_has(input->model, frame, (int)b)) continue;
            const double *x = frame->position + (size_t)d * b;
            double reach = input->model->bodies.data[b].reach, trace = 0;
            double stress_here = 0, whole = mrn_body_volume(input->model, (int)b);
            for (int k = 0; k < d; k++) trace += moments[b][k][k];
            stress_here = -trace / d / whole;
            double first = fmax(0, floor((x[0] - reach - box.low[0]) / cell)),
                   last = fmin((double)columns - 1, floor((x[0] + reach - box.low[0]) / cell));
            double lowest = fmax(0, floor((x[up] - reach - box.low[up]) / cell)),
                   highest = fmin((double)rows - 1, floor((x[up] + reach - box.low[up]) / cell));
            for (double r = lowest; r <= highest; r++)
                for (double c = first; c <= last; c++) {
                    MrnRegion part = box;
                    part.low[0] = box.low[0] + c * cell, part.high[0] = part.low[0] + cell;
                    part.low[up] = box.low[up] + r * cell, part.high[up] = part.low[up] + cell;
                    sum[(size_t)r * columns + (size_t)c] +=
                        stress_here * mrn_body_volume_in(input->model, frame, (int)b, &part, NULL) / volume;
                }
        }
    }
    mrn_sheet_title(out, "Pressure");
    mrn_sheet_column(out, "x", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, d == 2 ? "y" : "z", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "pressure", pressure_unit(input), MRN_COLUMN_LINE);
    for (size_t i = 0; i < columns * rows && walk.seen; i++)
        mrn_sheet_row(out, (double[]){box.low[0] + ((double)(i % columns) + 0.5) * cell,
                                      box.low[up] + ((double)(i / columns) + 0.5) * cell, sum[i] / (double)walk.seen});
    free(sum);
    free(moments);
    mrn_sheet_note(out, "mean over %zu frames of -tr(M)/%d of the bodies in each cell of %g m over its volume%s",
                   walk.seen, d, cell, d == 3 ? ", over the whole depth in y" : "");
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_pressure_map = {
    .name = "pressure_map",
    .summary = "pressure from contact forces in square cells, mean over the window",
    .units = "Pa (2D: N/m)",
    .drawing = MRN_DRAWING_MAP,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = pressure_map,
};
