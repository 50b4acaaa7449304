// A pack of floes as a whole (thesis of Rabatel, 3.2.2): its centre, dispersion, clustering, concentration, tracks and
// sizes. Works for any bodies in the plane.
//
// Dispersion: sigma^2 = mean |G_i - G|^2, G the mass centre of the pack. Clustering: C_r, the share of pairs closer
// than r; for points thrown at random C_r grows as r^2, a lower power means clusters. r_half is where C_r = 1/2.
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Positions and masses of the free bodies of a frame in the region.
typedef struct Pack {
    MRN_ARRAY(double) points; ///< x, y per body
    double mass, centre[2];
} Pack;

static void gather(const MrnMeasureInput *input, const MrnFrame *frame, Pack *pack) {
    pack->points.count = 0;
    pack->mass = pack->centre[0] = pack->centre[1] = 0;
    for (size_t b = 0; b < frame->body_count; b++) {
        const double *at = frame->position + 2 * b, m = input->model->bodies.data[b].mass;
        if (!mrn_frame_has(input->model, frame, (int)b) || !mrn_region_holds(&input->options.region, 2, at)) continue;
        mrn_array_push(&pack->points, at[0]);
        mrn_array_push(&pack->points, at[1]);
        pack->mass += m;
        for (int k = 0; k < 2; k++) pack->centre[k] += m * at[k];
    }
    for (int k = 0; k < 2; k++) pack->centre[k] /= pack->mass;
}

static void pack_free(Pack *pack) {
    free(pack->points.data);
}

static double sigma_of(const Pack *pack) {
    size_t n = pack->points.count / 2;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double x = pack->points.data[2 * i] - pack->centre[0], y = pack->points.data[2 * i + 1] - pack->centre[1];
        sum += x * x + y * y;
    }
    return n ? sqrt(sum / (double)n) : NAN;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// More bodies than this are thinned evenly before their pairs are listed: 4096^2 / 2 distances are 64 MiB.
#define PAIRED 4096

/// Distances of all pairs, ascending; the caller frees them. NULL for less than two bodies.
static double *pair_distances(const Pack *pack, size_t *count) {
    size_t n = pack->points.count / 2, stride = (n + PAIRED - 1) / PAIRED,
           used = stride ? (n + stride - 1) / stride : 0;
    *count = used < 2 ? 0 : used * (used - 1) / 2;
    if (*count == 0) return NULL;
    double *distance = mrn_alloc(*count, sizeof *distance);
    size_t at = 0;
    for (size_t i = 0; i < n; i += stride)
        for (size_t j = i + stride; j < n; j += stride)
            distance[at++] = hypot(pack->points.data[2 * i] - pack->points.data[2 * j],
                                   pack->points.data[2 * i + 1] - pack->points.data[2 * j + 1]);
    qsort(distance, at, sizeof *distance, by_value);
    *count = at;
    return distance;
}

static bool dispersion(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Dispersion of the pack");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "dispersion", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "half-pair distance", "m", MRN_COLUMN_DASHED);
    Pack pack = {0};
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        size_t count;
        gather(input, &walk.frame, &pack);
        double *distance = pair_distances(&pack, &count);
        mrn_sheet_row(out, (double[]){walk.frame.time, sigma_of(&pack), distance ? distance[(count - 1) / 2] : NAN});
        free(distance);
    }
    mrn_sheet_note(out, "dispersion: root mean square distance from the mass centre; half-pair distance: half of the "
                        "pairs are closer");
    pack_free(&pack);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_dispersion = {.name = "dispersion",
                                           .summary = "spread of the bodies about their mass centre, and the distance "
                                                      "that half of the pairs have",
                                           .units = "m",
                                           .drawing = MRN_DRAWING_SERIES,
                                           .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                           .compute = dispersion};

static bool clustering(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    size_t bins = input->options.bins ? input->options.bins : 40;
    Pack pack = {0};
    double time = NAN;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) gather(input, &walk.frame, &pack), time = walk.frame.time;
    if (!mrn_frame_walk_end(&walk)) {
        pack_free(&pack);
        return false;
    }
    mrn_sheet_title(out, "Pairs closer than r at %g s", time);
    size_t r = mrn_sheet_column(out, "distance", "m", MRN_COLUMN_LINE),
           share = mrn_sheet_column(out, "share of pairs", "1", MRN_COLUMN_LINE);
    size_t slope = mrn_sheet_column(out, "slope", "1", MRN_COLUMN_HIDDEN);
    (void)slope;
    out->columns.data[r].logarithmic = out->columns.data[share].logarithmic = true;
    size_t count;
    double *distance = pair_distances(&pack, &count);
    double previous[2] = {NAN, NAN};
    for (size_t k = 0; distance && k <= bins; k++) {
        double low = fmax(distance[0], 1e-12 * distance[count - 1]), high = distance[count - 1];
        double at = low * pow(high / low, (double)k / (double)bins);
        size_t closer = 0, end = count;
        while (closer < end) { // the first distance > at
            size_t middle = (closer + end) / 2;
            if (distance[middle] <= at * (1 + 1e-12))
                closer = middle + 1;
            else
                end = middle;
        }
        double value = (double)closer / (double)count;
        mrn_sheet_row(out, (double[]){at, value, log(value / previous[1]) / log(at / previous[0])});
        previous[0] = at, previous[1] = value;
    }
    mrn_sheet_note(
        out, "last frame of the window; slope 2 in the double logarithm: bodies thrown at random; less: clusters");
    free(distance);
    pack_free(&pack);
    return true;
}

const MrnMeasure mrn_measure_clustering = {.name = "clustering",
                                           .summary = "share of the pairs of bodies that are closer than r, over r",
                                           .units = "1",
                                           .drawing = MRN_DRAWING_SCATTER,
                                           .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                           .compute = clustering};

/// Area of a body in a box; where the plane is periodic, of all its images.
static double covered_by(const MrnModel *model, const MrnFrame *frame, int body, const MrnRegion *zone, bool *exact) {
    if (!model->periodic || zone->kind != MRN_REGION_BOX) return mrn_body_volume_in(model, frame, body, zone, exact);
    const double *at = frame->position + 2 * body, reach = model->bodies.data[body].reach;
    int first[2], last[2];
    double period[2], sum = 0;
    for (int k = 0; k < 2; k++) {
        period[k] = model->period_high[k] - model->period_low[k];
        first[k] = (int)ceil((zone->low[k] - at[k] - reach) / period[k]);
        last[k] = (int)floor((zone->high[k] - at[k] + reach) / period[k]);
    }
    for (int j = first[1]; j <= last[1]; j++)
        for (int i = first[0]; i <= last[0]; i++) { // the image is moved by (i, j) periods, or the box back
            MrnRegion moved = *zone;
            moved.low[0] -= i * period[0], moved.high[0] -= i * period[0];
            moved.low[1] -= j * period[1], moved.high[1] -= j * period[1];
            sum += mrn_body_volume_in(model, frame, body, &moved, exact);
        }
    return sum;
}

static bool concentration(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnModel *model = input->model;
    mrn_sheet_title(out, "Concentration");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "concentration", "1", MRN_COLUMN_LINE);
    Pack pack = {0};
    MrnRegion zone = input->options.region;
    double half[2] = {0, 0};
    bool follows = zone.kind == MRN_REGION_ALL, exact = true;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        if (follows) {
            gather(input, &walk.frame, &pack);
            if (walk.seen == 1 && mrn_frame_box(model, &walk.frame, &zone))
                for (int k = 0; k < 2; k++)
                    half[k] = 0.5 * (model->periodic ? model->period_high[k] - model->period_low[k]
                                                     : zone.high[k] - zone.low[k]);
            for (int k = 0; k < 2; k++) zone.low[k] = pack.centre[k] - half[k], zone.high[k] = pack.centre[k] + half[k];
        }
        double covered = 0;
        for (size_t b = 0; b < walk.frame.body_count; b++)
            if (mrn_frame_has(model, &walk.frame, (int)b))
                covered += covered_by(model, &walk.frame, (int)b, &zone, &exact);
        mrn_sheet_row(out, (double[]){walk.frame.time, covered / mrn_region_volume(&zone, 2)});
    }
    if (follows && model->periodic)
        mrn_sheet_note(out, "of the periodic cell, with the images of the bodies");
    else if (follows)
        mrn_sheet_note(out, "in a box of the size of the pack at the start, which follows its mass centre");
    if (!exact) mrn_sheet_note(out, "some shapes count whole when their centre is inside");
    mrn_measure_note_means(out, 1);
    pack_free(&pack);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_concentration = {
    .name = "concentration",
    .summary = "share of the area that bodies cover, in a region or in a box that follows the pack",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
    .compute = concentration};

static bool drift(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Drift of the mass centre");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    static const char *const names[] = {"x", "y"}, *const speeds[] = {"velocity x", "velocity y"};
    for (int k = 0; k < 2; k++) mrn_sheet_column(out, names[k], "m", MRN_COLUMN_LINE);
    for (int k = 0; k < 2; k++) mrn_sheet_column(out, speeds[k], "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "kinetic energy", "J", MRN_COLUMN_LINE);
    Pack pack = {0};
    MrnFrameWalk walk = mrn_frame_walk(input);
    double origin[2] = {0, 0};
    while (mrn_frame_next(&walk, error)) {
        const MrnFrame *frame = &walk.frame;
        gather(input, frame, &pack);
        double velocity[2] = {0, 0}, energy = 0;
        for (size_t b = 0; b < frame->body_count; b++) {
            const MrnBody *body = &input->model->bodies.data[b];
            const double *v = frame->velocity + 2 * b, w = frame->spin[b];
            if (!mrn_frame_has(input->model, frame, (int)b) ||
                !mrn_region_holds(&input->options.region, 2, frame->position + 2 * b))
                continue;
            for (int k = 0; k < 2; k++) velocity[k] += body->mass * v[k] / pack.mass;
            energy += 0.5 * (body->mass * (v[0] * v[0] + v[1] * v[1]) + body->inertia[2] * w * w);
        }
        if (walk.seen == 1) memcpy(origin, pack.centre, sizeof origin);
        mrn_sheet_row(out, (double[]){frame->time, pack.centre[0] - origin[0], pack.centre[1] - origin[1], velocity[0],
                                      velocity[1], energy});
    }
    mrn_sheet_note(out, "x and y from the place of the mass centre in the first frame");
    pack_free(&pack);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_drift = {.name = "drift",
                                      .summary = "path, velocity and kinetic energy of the bodies as a whole",
                                      .units = "m, m/s, J",
                                      .drawing = MRN_DRAWING_SERIES,
                                      .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                      .compute = drift};

/// At most this many paths: evenly chosen bodies, the largest among them.
#define TRACKS 40

static bool tracks(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnModel *model = input->model;
    size_t free_count = 0, chosen[TRACKS], count = 0;
    for (size_t b = 0; b < model->bodies.count; b++) free_count += model->bodies.data[b].kind == MRN_BODY_FREE;
    size_t wanted = free_count < TRACKS ? free_count : TRACKS, seen = 0;
    for (size_t b = 0; b < model->bodies.count && count < wanted; b++)
        if (model->bodies.data[b].kind == MRN_BODY_FREE && seen++ == count * free_count / wanted) chosen[count++] = b;
    mrn_sheet_title(out, "Tracks");
    mrn_sheet_column(out, "x", "m", MRN_COLUMN_LINE);
    for (size_t k = 0; k < count; k++)
        mrn_sheet_column(out, mrn_model_body_name(model, (int)chosen[k]), "m", MRN_COLUMN_LINE);
    MrnFrameWalk walk = mrn_frame_walk(input);
    MRN_ARRAY(double) points = {0};
    while (mrn_frame_next(&walk, error))
        for (size_t k = 0; k < count; k++)
            for (int i = 0; i < 2; i++)
                mrn_array_push(&points, mrn_frame_has(model, &walk.frame, (int)chosen[k])
                                            ? walk.frame.position[2 * chosen[k] + (size_t)i]
                                            : NAN); // not yet, or no more
    double *row = mrn_alloc(count + 1, sizeof *row);
    for (size_t k = 0; k < count; k++) // one body after the other: each row has the y of one
        for (size_t f = 0; f < points.count / (2 * count); f++) {
            for (size_t c = 0; c <= count; c++) row[c] = NAN;
            row[0] = points.data[2 * (f * count + k)], row[k + 1] = points.data[2 * (f * count + k) + 1];
            mrn_sheet_row(out, row);
        }
    free(row);
    free(points.data);
    if (count < free_count) mrn_sheet_note(out, "%zu of %zu bodies", count, free_count);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_tracks = {.name = "tracks",
                                       .summary = "paths of the mass centres of up to 40 bodies",
                                       .units = "m",
                                       .drawing = MRN_DRAWING_SCATTER,
                                       .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                       .compute = tracks};

static bool floe_sizes(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnModel *model = input->model;
    MRN_ARRAY(double) sizes = {0};
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        sizes.count = 0;
        for (size_t b = 0; b < model->bodies.count; b++)
            if (mrn_frame_has(model, &walk.frame, (int)b))
                mrn_array_push(&sizes, 2 * sqrt(mrn_body_volume(model, (int)b) / M_PI));
    }
    if (sizes.count) qsort(sizes.data, sizes.count, sizeof(double), by_value);
    mrn_sheet_title(out, "Number of bodies larger than a diameter");
    size_t x = mrn_sheet_column(out, "diameter", "m", MRN_COLUMN_POINTS),
           y = mrn_sheet_column(out, "number", "1", MRN_COLUMN_POINTS);
    out->columns.data[x].logarithmic = out->columns.data[y].logarithmic = true;
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = (double)sizes.count;
    for (size_t i = 0; i < sizes.count; i++) {
        double number = n - (double)i, lx = log(sizes.data[i]), ly = log(number);
        mrn_sheet_row(out, (double[]){sizes.data[i], number});
        sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
    }
    double spread = n * sxx - sx * sx;
    mrn_sheet_note(out, "last frame of the window; diameter of the disc of the same area");
    if (sizes.count > 2 && spread > 1e-9 * n * n)
        mrn_sheet_note(out, "power law through the points: number falls as diameter^%.3f",
                       (n * sxy - sx * sy) / spread);
    free(sizes.data);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_floe_sizes = {.name = "sizes",
                                           .summary = "how many bodies are larger than a given diameter",
                                           .units = "1",
                                           .drawing = MRN_DRAWING_SCATTER,
                                           .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                           .compute = floe_sizes};

static bool floes(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnModel *model = input->model;
    mrn_sheet_title(out, "Number and size of the bodies");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "number", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "smallest", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "median", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "largest", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "mean by area", "m", MRN_COLUMN_DASHED);
    MRN_ARRAY(double) sizes = {0};
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double weighted = 0, area = 0;
        sizes.count = 0;
        for (size_t b = 0; b < walk.frame.body_count; b++) {
            if (!mrn_frame_has(model, &walk.frame, (int)b) ||
                !mrn_region_holds(&input->options.region, 2, walk.frame.position + 2 * b))
                continue;
            double own = mrn_body_volume(model, (int)b), size = 2 * sqrt(own / M_PI);
            mrn_array_push(&sizes, size);
            weighted += own * size, area += own;
        }
        size_t n = sizes.count;
        if (n) qsort(sizes.data, n, sizeof(double), by_value);
        mrn_sheet_row(out, (double[]){walk.frame.time, (double)n, n ? sizes.data[0] : NAN,
                                      n ? 0.5 * (sizes.data[(n - 1) / 2] + sizes.data[n / 2]) : NAN,
                                      n ? sizes.data[n - 1] : NAN, n ? weighted / area : NAN});
    }
    mrn_sheet_note(out,
                   "diameters of the discs of the same area; mean by area: that of the floe on which a point of the "
                   "ice lies");
    free(sizes.data);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_floes = {.name = "floes",
                                      .summary = "number of bodies, and their smallest, median, largest and mean "
                                                 "diameter: how a pack breaks up",
                                      .units = "1, m",
                                      .drawing = MRN_DRAWING_SERIES,
                                      .needs = MRN_NEEDS_2D | MRN_NEEDS_FREE_BODIES,
                                      .compute = floes};
