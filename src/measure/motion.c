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
