// The table of measures, and what they share: walking over frames, directions, regions.
//
// A new measure is one function, one row of type MrnMeasure in the file of its family, and one word here.
#include "measure/measure.h"

#include "base/error.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define MEASURES(X)                                                                                                    \
    X(coordination) X(fabric) X(contact_directions) X(force_distribution) X(contact_states)                            \
    X(stress) X(stress_profile) X(pressure_map) X(mu_of_inertia)                                                       \
    X(solid_fraction) X(solid_fraction_profile) X(angle_of_repose)                                                     \
    X(velocity_profile) X(granular_temperature) X(temperature_profile) X(displacement) X(discharged_mass)              \
    X(moving_bodies) X(momentum) X(mass_centre)                                                                        \
    X(dispersion) X(clustering) X(concentration) X(drift) X(tracks) X(floe_sizes) X(floes) X(obstacles)                \
    X(pile) X(pile_speeds) X(pile_pressure) X(pile_surface) X(pile_arching) X(pile_cuts) X(pile_layers) X(pile_slice)
// clang-format on

#define X(name) extern const MrnMeasure mrn_measure_##name;
MEASURES(X)
#undef X

static const MrnMeasure *const measures[] = {
#define X(name) &mrn_measure_##name,
    MEASURES(X)
#undef X
};

size_t mrn_measure_count(void) {
    return sizeof measures / sizeof *measures;
}

const MrnMeasure *mrn_measure_at(size_t index) {
    return measures[index];
}

const MrnMeasure *mrn_measure_find(const char *name) {
    for (size_t i = 0; i < mrn_measure_count(); i++)
        if (strcmp(measures[i]->name, name) == 0) return measures[i];
    return NULL;
}

MrnMeasureOptions mrn_measure_defaults(void) {
    return (MrnMeasureOptions){.from = -INFINITY, .to = INFINITY};
}

static bool has_gravity(const MrnModel *model) {
    return model->gravity[0] != 0 || model->gravity[1] != 0 || (model->dimension == 3 && model->gravity[2] != 0);
}

const char *mrn_measure_missing(const MrnMeasure *measure, const MrnModel *model) {
    if (measure->needs & MRN_NEEDS_2D && model->dimension != 2) return "a run in 2D";
    if (measure->needs & MRN_NEEDS_3D && model->dimension != 3) return "a run in 3D";
    if (measure->needs & MRN_NEEDS_GRAVITY && !has_gravity(model)) return "gravity";
    if (measure->needs & MRN_NEEDS_OBSTACLES) {
        size_t b = 0;
        while (b < model->bodies.count && model->bodies.data[b].kind == MRN_BODY_FREE) b++;
        if (b == model->bodies.count) return "an obstacle";
    }
    if (measure->needs & MRN_NEEDS_FREE_BODIES) {
        for (size_t b = 0; b < model->bodies.count; b++)
            if (model->bodies.data[b].kind == MRN_BODY_FREE) return NULL;
        return "free bodies";
    }
    return NULL;
}

bool mrn_measure_compute(const MrnMeasure *measure, const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    const MrnMeasureOptions *options = &input->options;
    const char *missing = mrn_measure_missing(measure, input->model);
    if (missing) return mrn_fail(error, MRN_ERROR_INPUT, "%s needs %s", measure->name, missing);
    if (!(input->time_step > 0)) return mrn_fail(error, MRN_ERROR_INPUT, "a time step of %g s", input->time_step);
    if (!(options->from <= options->to))
        return mrn_fail(error, MRN_ERROR_INPUT, "the window of time from %g s to %g s is empty", options->from,
                        options->to);
    const MrnRegion *region = &options->region;
    for (int k = 0; region->kind == MRN_REGION_BOX && k < input->model->dimension; k++)
        if (!(region->low[k] < region->high[k]))
            return mrn_fail(error, MRN_ERROR_INPUT, "the region is empty along %c: from %g m to %g m", "xyz"[k],
                            region -> low[k], region -> high[k]);
    if (region->kind == MRN_REGION_BALL && !(region->radius > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "the region has a radius of %g m", region->radius);
    if (!measure->compute(input, out, error)) return false;
    if (mrn_sheet_rows(out) == 0) {
        if (!input->frames.count) return mrn_fail(error, MRN_ERROR_INPUT, "the run has no frames");
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: there is nothing to measure in this window and region",
                        measure->name);
    }
    return true;
}

// ---- Frames one after the other ----

MrnFrameWalk mrn_frame_walk(const MrnMeasureInput *input) {
    return (MrnFrameWalk){.input = input};
}

static void release(MrnFrameWalk *walk) {
    if (walk->held && walk->input->frames.release) walk->input->frames.release(&walk->frame);
    walk->held = false;
}

static bool read_at(MrnFrameWalk *walk, size_t index, MrnError *error) {
    const MrnFrameSource *frames = &walk->input->frames;
    release(walk);
    walk->held = frames->read(frames->context, index, &walk->frame, error);
    walk->failed = !walk->held;
    return walk->held;
}

/// Times carry rounding: a frame at 0.3 s belongs to a window from 0.3 s.
static double slack(const MrnMeasureInput *input) {
    return 1e-6 * input->time_step;
}

/// The first frame at or after `from`, by halving.
static bool find_first(MrnFrameWalk *walk, MrnError *error) {
    size_t low = 0, high = walk->input->frames.count;
    while (low < high && isfinite(walk->input->options.from)) {
        size_t middle = low + (high - low) / 2;
        if (!read_at(walk, middle, error)) return false;
        if (walk->frame.time < walk->input->options.from - slack(walk->input))
            low = middle + 1;
        else
            high = middle;
    }
    walk->index = low;
    return true;
}

bool mrn_frame_next(MrnFrameWalk *walk, MrnError *error) {
    if (walk->failed) return false;
    if (!walk->begun && !find_first(walk, error)) return false;
    walk->begun = true;
    if (walk->index >= walk->input->frames.count || !read_at(walk, walk->index, error)) return false;
    if (walk->frame.time > walk->input->options.to + slack(walk->input)) return false;
    walk->index++, walk->seen++;
    return true;
}

bool mrn_frame_walk_end(MrnFrameWalk *walk) {
    release(walk);
    return !walk->failed;
}

// ---- Directions and regions ----

void mrn_measure_direction(const MrnMeasureInput *input, double direction[3]) {
    const double *given = input->options.direction, *gravity = input->model->gravity;
    int d = input->model->dimension;
    double length = 0, weight = 0;
    for (int k = 0; k < d; k++) length += given[k] * given[k], weight += gravity[k] * gravity[k];
    for (int k = 0; k < 3; k++) {
        if (k >= d)
            direction[k] = 0;
        else if (length > 0)
            direction[k] = given[k] / sqrt(length);
        else if (weight > 0)
            direction[k] = gravity[k] == 0 ? 0 : -gravity[k] / sqrt(weight);
        else
            direction[k] = k == d - 1;
    }
}

bool mrn_measure_region(const MrnMeasureInput *input, const MrnFrame *frame, MrnRegion *region) {
    *region = input->options.region;
    return region->kind != MRN_REGION_ALL || mrn_frame_box(input->model, frame, region);
}

bool mrn_measure_extent(const MrnMeasureInput *input, const double direction[3], double *low, double *high,
                        MrnError *error) {
    const MrnRegion *region = &input->options.region;
    int d = input->model->dimension;
    *low = INFINITY, *high = -INFINITY;
    if (region->kind == MRN_REGION_BALL) {
        double middle = 0;
        for (int k = 0; k < d; k++) middle += region->centre[k] * direction[k];
        *low = middle - region->radius, *high = middle + region->radius;
        return true;
    }
    if (region->kind == MRN_REGION_BOX) {
        *low = *high = 0;
        for (int k = 0; k < d; k++) {
            double a = region->low[k] * direction[k], b = region->high[k] * direction[k];
            *low += fmin(a, b), *high += fmax(a, b);
        }
        if (isfinite(*low) && isfinite(*high)) return true;
        *low = INFINITY, *high = -INFINITY;
    }
    double opposite[3] = {-direction[0], -direction[1], -direction[2]};
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error))
        for (size_t b = 0; b < walk.frame.body_count; b++) {
            const double *x = walk.frame.position + (size_t)d * b;
            if (!mrn_frame_has(input->model, &walk.frame, (int)b) || !mrn_region_holds(region, d, x)) continue;
            *high = fmax(*high, mrn_body_reach_along(input->model, &walk.frame, (int)b, direction));
            *low = fmin(*low, -mrn_body_reach_along(input->model, &walk.frame, (int)b, opposite));
        }
    return mrn_frame_walk_end(&walk);
}

bool mrn_measure_box(const MrnMeasureInput *input, MrnRegion *box, MrnError *error) {
    *box = input->options.region;
    if (box->kind == MRN_REGION_BOX) return true;
    if (box->kind == MRN_REGION_BALL) return mrn_fail(error, MRN_ERROR_INPUT, "wanted a box, not a ball");
    bool any = false;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        MrnRegion own;
        if (!mrn_frame_box(input->model, &walk.frame, &own)) continue;
        for (int k = 0; any && k < input->model->dimension; k++)
            own.low[k] = fmin(own.low[k], box->low[k]), own.high[k] = fmax(own.high[k], box->high[k]);
        *box = own;
        any = true;
    }
    if (!mrn_frame_walk_end(&walk)) return false;
    return any || mrn_fail(error, MRN_ERROR_INPUT, "there is no free body in this window of time");
}

void mrn_measure_note_means(MrnSheet *sheet, size_t first) {
    size_t rows = mrn_sheet_rows(sheet);
    if (rows < 2) return;
    for (size_t i = first; i < sheet->columns.count; i++) {
        const MrnSheetColumn *column = &sheet->columns.data[i];
        double mean = mrn_sheet_mean(sheet, i), square = 0;
        size_t count = 0;
        for (size_t row = 0; row < rows; row++) {
            double value = mrn_sheet_value(sheet, row, i);
            if (isfinite(value)) square += (value - mean) * (value - mean), count++;
        }
        if (!count) continue;
        bool plain = strcmp(column->unit, "1") == 0;
        mrn_sheet_note(sheet, "%s: mean %.6g%s%s over %zu frames, standard deviation %.3g", column->name, mean,
                       plain ? "" : " ", plain ? "" : column->unit, count,
                       count > 1 ? sqrt(square / (double)(count - 1)) : 0);
    }
}

// ---- Frames in memory ----

static void *copy_of(const void *data, size_t count, size_t size) {
    char *copy = mrn_alloc(count + 1, size);
    if (count) memcpy(copy, data, count * size);
    return copy;
}

/// Bodies have come: they are in earlier frames too, inactive, as in frames of a file.
static void widen(MrnFrame *frame, size_t bodies, size_t dimension) {
    size_t turn = dimension == 2 ? 1 : 4, spin = dimension == 2 ? 1 : 3, old = frame->body_count, more = bodies - old;
    double **arrays[] = {&frame->position, &frame->rotation, &frame->velocity, &frame->spin};
    size_t widths[] = {dimension, turn, dimension, spin};
    for (size_t i = 0; i < 4; i++) {
        *arrays[i] = mrn_realloc(*arrays[i], widths[i] * bodies + 1, sizeof(double));
        memset(*arrays[i] + widths[i] * old, 0, widths[i] * more * sizeof(double));
    }
    frame->active = mrn_realloc(frame->active, bodies + 1, 1);
    memset(frame->active + old, 0, more);
    frame->body_count = bodies;
}

void mrn_frame_list_add(MrnFrameList *list, MrnWorld *world) {
    const MrnState *state = mrn_world_state(world);
    size_t n = state->body_count, d = (size_t)state->dimension;
    for (size_t i = 0; i < list->frames.count; i++)
        if (list->frames.data[i].body_count < n) widen(&list->frames.data[i], n, d);
    MrnFrame frame = {.time = state->time[0],
                      .step = state->step[0],
                      .body_count = n,
                      .position = copy_of(state->position, d * n, sizeof(double)),
                      .rotation = copy_of(state->rotation, (d == 2 ? 1 : 4) * n, sizeof(double)),
                      .velocity = copy_of(state->velocity, d * n, sizeof(double)),
                      .spin = copy_of(state->spin, (d == 2 ? 1 : 3) * n, sizeof(double)),
                      .active = copy_of(state->active, n, 1),
                      .contact_count = mrn_world_contact_count(world)};
    frame.contacts = mrn_alloc(frame.contact_count + 1, sizeof *frame.contacts);
    for (size_t c = 0; c < frame.contact_count; c++) frame.contacts[c] = mrn_world_contact(world, c);
    mrn_array_push(&list->frames, frame);
}

void mrn_frame_list_free(MrnFrameList *list) {
    for (size_t i = 0; i < list->frames.count; i++) {
        MrnFrame *frame = &list->frames.data[i];
        free(frame->position);
        free(frame->rotation);
        free(frame->velocity);
        free(frame->spin);
        free(frame->active);
        free(frame->contacts);
    }
    mrn_array_free(&list->frames);
}

static bool read_from_list(void *context, size_t index, MrnFrame *frame, MrnError *error) {
    const MrnFrameList *list = context;
    if (index >= list->frames.count) return mrn_fail(error, MRN_ERROR_INPUT, "there is no frame %zu", index);
    *frame = list->frames.data[index];
    return true;
}

MrnFrameSource mrn_frame_list_source(MrnFrameList *list) {
    return (MrnFrameSource){.count = list->frames.count, .read = read_from_list, .context = list};
}
