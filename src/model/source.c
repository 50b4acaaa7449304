// Sources: grains are laid one by one, at rest, on what lies below a random vertical (Moreau 2003, 9.2).
//
// On a vertical the place of a ball of radius R is the highest of those where it touches another ball from above:
// z = z_i + sqrt((R + R_i)^2 - d_i^2), d_i the distance of ball i from the vertical; everything above that place is
// free of balls too. Other shapes push the ball further up until none overlaps. Of several verticals the one with the
// lowest place is taken: with a single one, grains land on grains that still fall, and fall in columns.
//
// What always holds: a new body overlaps no other; the place depends on the state and the seed alone.
#include "model/source.h"
#include "base/error.h"
#include "base/random.h"
#include "geom/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
/// A ball is pushed out of other shapes in steps of at least this share of its radius.
#define PUSH 0.02
/// Pushes before a vertical counts as blocked.
#define MAX_PUSHES 10000

MrnSource mrn_source_defaults(void) {
    return (MrnSource){.verticals = 1, .highest = INFINITY, .lost_beyond = INFINITY};
}

static bool is_ball(const MrnModel *model, const MrnBody *body) {
    if (body->shape_count != 1) return false;
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    return shape->kind == MRN_SHAPE_DISC || shape->kind == MRN_SHAPE_SPHERE;
}

/// The frame of a free body is at its mass centre; that of a fixed one need not be at the centre of its ball.
static bool is_centred(const MrnModel *model, const MrnBody *body) {
    const double *x = model->shapes.data[body->first_shape].position;
    return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

int mrn_model_add_source(MrnModel *model, const MrnSource *source, MrnError *error) {
    const char *wrong = NULL;
    if (source->count > model->bodies.count || source->first > model->bodies.count - source->count)
        wrong = "a source has bodies that the model does not have";
    else if (!(source->spread >= 0 && isfinite(source->spread)))
        wrong = "a source has a spread that is negative or not finite";
    else if (!(source->drop >= 0 && isfinite(source->drop)))
        wrong = "a source has a drop that is negative or not finite";
    else if (source->verticals < 1)
        wrong = "a source needs at least one vertical";
    else if (!(source->highest >= 0) || !(source->lost_beyond > 0))
        wrong = "a source has limits that leave no room";
    for (int k = 0; k < 3 && !wrong; k++)
        if (!isfinite(source->position[k])) wrong = "a source has a position that is not finite";
    for (size_t b = source->first; b < source->first + source->count && !wrong; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE || !is_ball(model, body))
            wrong = "bodies of a source must be free discs or balls";
        else if (!(body->birth > 0))
            wrong = "bodies of a source must be born after time 0";
        else if (b > source->first && body->birth < body[-1].birth)
            wrong = "bodies of a source must be in the order of their births";
        for (size_t s = 0; s < model->sources.count && !wrong; s++)
            if (b - model->sources.data[s].first < model->sources.data[s].count)
                wrong = "a body cannot come from two sources";
    }
    if (wrong) {
        mrn_fail(error, MRN_ERROR_INPUT, "%s", wrong);
        return -1;
    }
    mrn_array_push(&model->sources, *source);
    size_t kept = 0;
    for (size_t i = 0; i < model->late.count; i++)
        if ((size_t)model->late.data[i] - source->first >= source->count)
            model->late.data[kept++] = model->late.data[i];
    model->late.count = kept;
    return (int)model->sources.count - 1;
}

/// A ball as a source sees it.
typedef struct Ball {
    double across[2], up, radius;
} Ball;

/// What may be in the way of a new body.
typedef struct Neighbours {
    MRN_ARRAY(Ball) balls;
    MRN_ARRAY(int) others;
    MrnTouches touches;
} Neighbours;

static double squared_distance(const double *a, const double *b, int across) {
    double sum = 0;
    for (int k = 0; k < across; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static void find_neighbours(const MrnModel *model, const MrnState *state, const MrnSource *source, double radius,
                            Neighbours *near) {
    int dim = model->dimension, across = dim - 1;
    near->balls.count = near->others.count = 0;
    for (size_t b = 0; b < state->body_count; b++) {
        if (!state->active[b]) continue;
        const MrnBody *body = &model->bodies.data[b];
        const double *x = state->position + b * (size_t)dim;
        double reach = source->spread + radius + body->reach;
        if (squared_distance(x, source->position, across) >= reach * reach) continue;
        if (!is_ball(model, body) || !is_centred(model, body)) {
            mrn_array_push(&near->others, (int)b);
            continue;
        }
        Ball ball = {{x[0], dim == 3 ? x[1] : 0}, x[across], body->reach};
        mrn_array_push(&near->balls, ball);
    }
}

static MrnPose pose_of(const MrnState *state, size_t body) {
    MrnPose pose = {0};
    if (state->dimension == 2) {
        pose.position = mrn_vec3(state->position[2 * body], state->position[2 * body + 1], 0);
        pose.rotation.m[0][0] = cos(state->rotation[body]);
        pose.rotation.m[1][0] = sin(state->rotation[body]);
    } else {
        pose.position = mrn_load3(state->position + 3 * body);
        pose.rotation = mrn_quat_matrix(mrn_quat_load(state->rotation + 4 * body));
    }
    return pose;
}

/// Deepest overlap of a ball at `place` with the bodies that are not balls.
static double overlap(const MrnModel *model, const MrnState *state, Neighbours *near, const MrnShape *ball,
                      const double *place) {
    int dim = model->dimension;
    MrnPose pose = {.position = mrn_vec3(place[0], place[1], dim == 3 ? place[2] : 0)};
    pose.rotation.m[0][0] = pose.rotation.m[1][1] = pose.rotation.m[2][2] = 1;
    double deepest = 0;
    for (size_t i = 0; i < near->others.count; i++) {
        size_t b = (size_t)near->others.data[i];
        const MrnBody *body = &model->bodies.data[b];
        MrnPose other = pose_of(state, b);
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            near->touches.count = 0;
            (dim == 2 ? mrn_touch_2d : mrn_touch_3d)(ball, &pose, shape, &other, 0, &near->touches);
            for (size_t t = 0; t < near->touches.count; t++) deepest = fmax(deepest, -near->touches.data[t].gap);
        }
    }
    return deepest;
}

/// The place of a ball on one vertical; INFINITY if it is blocked. `place` has its horizontal part set.
static double find_place(const MrnModel *model, const MrnState *state, const MrnSource *source, Neighbours *near,
                         const MrnShape *ball, double *place) {
    int across = model->dimension - 1;
    double height = source->position[across];
    for (size_t i = 0; i < near->balls.count; i++) {
        const Ball *other = &near->balls.data[i];
        double reach = ball->radius + other->radius,
               rest = reach * reach - squared_distance(place, other->across, across);
        if (rest > 0) height = fmax(height, other->up + sqrt(rest));
    }
    // Rounding must not leave an overlap.
    height += source->drop + 1e-12 * fmax(fabs(height), ball->radius);
    for (int push = 0; push < MAX_PUSHES; push++) {
        place[across] = height;
        double deepest = overlap(model, state, near, ball, place);
        if (!(deepest > 0)) return height;
        height += fmax(deepest, PUSH * ball->radius);
    }
    return INFINITY;
}

/// Horizontal part of vertical `v` of a body, all parts of the disc (2D: the segment) equally likely. A body that waits
/// gets other verticals at every step.
static void draw_vertical(const MrnSource *source, int dimension, size_t body, int64_t step, int v, double *place) {
    uint64_t entity = mrn_random_bits(source->seed, body - source->first, (uint64_t)step), draw = 2 * (uint64_t)v;
    double first = mrn_random_unit(source->seed, entity, draw),
           second = mrn_random_unit(source->seed, entity, draw + 1);
    if (dimension == 2) {
        place[0] = source->position[0] + source->spread * (2 * first - 1);
        return;
    }
    double distance = source->spread * sqrt(first), angle = 2 * PI * second;
    place[0] = source->position[0] + distance * cos(angle);
    place[1] = source->position[1] + distance * sin(angle);
}

/// Lay body b; false if it has to wait.
static bool lay(const MrnModel *model, MrnState *state, const MrnSource *source, size_t b, Neighbours *near) {
    int dim = model->dimension;
    const MrnShape *ball = &model->shapes.data[model->bodies.data[b].first_shape];
    double best[3] = {0}, lowest = INFINITY;
    find_neighbours(model, state, source, ball->radius, near);
    for (int v = 0; v < source->verticals; v++) {
        double place[3] = {0};
        draw_vertical(source, dim, b, state->step[0], v, place);
        double height = find_place(model, state, source, near, ball, place);
        if (height >= lowest) continue;
        lowest = height;
        memcpy(best, place, sizeof best);
    }
    if (!(lowest < INFINITY) || lowest - source->position[dim - 1] > source->highest) return false;
    memcpy(state->position + b * (size_t)dim, best, (size_t)dim * sizeof(double));
    return true;
}

static bool is_due(const MrnModel *model, const MrnState *state, size_t b) {
    return !state->active[b] && !state->removed[b] && model->bodies.data[b].birth <= state->time[0];
}

static bool is_lost(const MrnState *state, const MrnSource *source, size_t b) {
    int across = state->dimension - 1;
    const double *x = state->position + b * (size_t)state->dimension;
    return squared_distance(x, source->position, across) > source->lost_beyond * source->lost_beyond ||
           x[across] < source->position[across] - source->lost_beyond;
}

static void leave(MrnState *state, size_t b) {
    size_t dim = (size_t)state->dimension, width = dim == 2 ? 1 : 3;
    state->active[b] = 0;
    state->removed[b] = 1;
    memset(state->velocity + b * dim, 0, dim * sizeof(double));
    memset(state->spin + b * width, 0, width * sizeof(double));
}

void mrn_bodies_come_and_go(const MrnModel *model, MrnState *state) {
    Neighbours near = {0};
    for (size_t i = 0; i < model->late.count; i++)
        if (is_due(model, state, (size_t)model->late.data[i])) state->active[model->late.data[i]] = 1;
    for (size_t s = 0; s < model->sources.count; s++) {
        const MrnSource *source = &model->sources.data[s];
        size_t end = source->first + source->count;
        for (size_t b = source->first; b < end && source->lost_beyond < INFINITY; b++)
            if (state->active[b] && is_lost(state, source, b)) leave(state, b);
        for (size_t b = source->first; b < end; b++) {
            if (state->active[b] || state->removed[b]) continue;
            if (!is_due(model, state, b)) break; // all later ones are born later
            state->active[b] = lay(model, state, source, b, &near);
        }
    }
    mrn_array_free(&near.balls);
    mrn_array_free(&near.others);
    mrn_array_free(&near.touches);
}
