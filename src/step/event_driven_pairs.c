// Pairs of bodies: who may meet, where they are now, what is known of them.
//
// Boxes are grown by what a body may move, in the frame of the pack, until the end of the step; a body that a collision
// makes faster than foreseen asks for a new search. Where the plane is periodic the images in cells 1 to 4 join (the
// reduced interaction zone of the thesis): each pair of a body and an image is found once.
#include "step/event_driven.h"

#include <stdlib.h>

#define ALLOWANCE 1.5 ///< how far a body may go, over what it would at its present speed

/// Cells 1 to 4; cells 5 to 8 are their opposites.
static const int cells[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};

const MrnFloePose *mrn_event_pose(MrnEventDriven *ed, int index, double time) {
    MrnEventBody *body = &ed->bodies[index];
    if (body->pose_time != time) {
        double dt = time - body->clock;
        body->pose = mrn_floe_pose(mrn_add2(body->position, mrn_scale2(dt, body->motion.velocity)),
                                   body->angle + dt * body->motion.spin);
        body->pose_time = time;
    }
    return &body->pose;
}

void mrn_event_advance(MrnEventDriven *ed, int index, double time) {
    MrnEventBody *body = &ed->bodies[index];
    if (body->clock == time) return;
    mrn_event_pose(ed, index, time);
    body->angle += (time - body->clock) * body->motion.spin;
    body->position = body->pose.position;
    body->clock = time;
}

static double turning(const MrnEventDriven *ed, size_t b) {
    const MrnFloe *floe = &ed->floes->floes.data[b];
    return fabs(ed->bodies[b].motion.spin) * mrn_norm2(floe->centre);
}

/// Mean velocity, by number, and root mean square of what differs from it.
static double measure_drift(MrnEventDriven *ed) {
    size_t n = ed->world->model->bodies.count, free = 0;
    MrnVec2 sum = {0, 0};
    double squares = 0;
    for (size_t b = 0; b < n; b++)
        if (ed->bodies[b].active && ed->bodies[b].mobile) sum = mrn_add2(sum, ed->bodies[b].motion.velocity), free++;
    ed->drift = free ? mrn_scale2(1.0 / (double)free, sum) : sum;
    for (size_t b = 0; b < n; b++) {
        if (!ed->bodies[b].active || !ed->bodies[b].mobile) continue;
        MrnVec2 v = mrn_sub2(ed->bodies[b].motion.velocity, ed->drift);
        squares += mrn_dot2(v, v);
    }
    return free ? sqrt(squares / (double)free) : 0;
}

static MrnBox box_of(const MrnEventDriven *ed, size_t b, double margin) {
    const MrnFloe *floe = &ed->floes->floes.data[b];
    const MrnEventBody *body = &ed->bodies[b];
    MrnVec2 centre = mrn_add2(body->pose.position, mrn_rotate2(body->pose.c, body->pose.s, floe->centre));
    double r = floe->inner_radius + margin;
    return (MrnBox){{centre.x - r, centre.y - r, 0}, {centre.x + r, centre.y + r, 0}};
}

static void make_proxies(MrnEventDriven *ed, double now) {
    const MrnModel *model = ed->world->model;
    size_t n = model->bodies.count;
    double left = ed->world->scheme.time_step - now, usual = measure_drift(ed), widest = 0;
    for (size_t b = 0; b < n; b++) {
        MrnEventBody *body = &ed->bodies[b];
        MrnProxy *proxy = &ed->proxies[b];
        *proxy = (MrnProxy){.slack = 1e-300, .group = model->bodies.data[b].group, .movable = body->mobile};
        proxy->active = body->active;
        if (!body->active) continue;
        const MrnFloe *floe = &ed->floes->floes.data[b];
        mrn_event_pose(ed, (int)b, now);
        double speed = mrn_norm2(mrn_sub2(body->motion.velocity, ed->drift)) + turning(ed, b);
        body->anchor = body->pose.position;
        body->anchor_time = now;
        body->allowance = left * (ALLOWANCE * speed + 0.5 * usual);
        double zone = isfinite(floe->distance) ? floe->distance : 0;
        proxy->box = box_of(ed, b, body->allowance + zone);
        widest = fmax(widest, floe->inner_radius + body->allowance + zone + floe->belt);
    }
    if (!(ed->period.x > 0)) return;
    // Images that may reach a body of the cell.
    for (size_t b = 0; b < n; b++)
        for (size_t c = 0; c < 4; c++) {
            MrnProxy *proxy = &ed->proxies[n + 4 * b + c];
            *proxy = ed->proxies[b];
            if (!proxy->active) continue;
            double x = cells[c][0] * ed->period.x, y = cells[c][1] * ed->period.y;
            proxy->box.low.x += x, proxy->box.high.x += x, proxy->box.low.y += y, proxy->box.high.y += y;
            const double *low = model->period_low, *high = model->period_high;
            proxy->active = proxy->box.low.x < high[0] + widest && proxy->box.high.x > low[0] - widest &&
                            proxy->box.low.y < high[1] + widest && proxy->box.high.y > low[1] - widest;
        }
}

static void set_distances(const MrnEventDriven *ed, MrnEventPair *pair) {
    double a = ed->floes->floes.data[pair->a].distance, b = ed->floes->floes.data[pair->b].distance;
    if (!isfinite(a)) a = b; // a line has no size: the other body's distance counts
    if (!isfinite(b)) b = a;
    switch (ed->world->scheme.event_driven.pair_distance) {
    case MRN_PAIR_MIN: pair->distance_a = pair->distance_b = fmin(a, b); break;
    case MRN_PAIR_MAX: pair->distance_a = pair->distance_b = fmax(a, b); break;
    case MRN_PAIR_OTHER: pair->distance_a = b, pair->distance_b = a; break;
    }
    pair->zeta = fmin(pair->distance_a, pair->distance_b);
}

static int compare_pairs(const void *left, const void *right) {
    const MrnEventPair *p = left, *q = right;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->offset.x != q->offset.x) return p->offset.x < q->offset.x ? -1 : 1;
    return p->offset.y < q->offset.y ? -1 : p->offset.y > q->offset.y;
}

static void list_adjacent(MrnEventDriven *ed) {
    size_t n = ed->world->model->bodies.count, *start = ed->adjacent_start;
    for (size_t b = 0; b <= n; b++) start[b] = 0;
    for (size_t p = 0; p < ed->pairs.count; p++) start[ed->pairs.data[p].a + 1]++, start[ed->pairs.data[p].b + 1]++;
    for (size_t b = 0; b < n; b++) start[b + 1] += start[b];
    mrn_array_resize(&ed->adjacent, 2 * ed->pairs.count);
    for (size_t p = 0; p < ed->pairs.count; p++) {
        ed->adjacent.data[start[ed->pairs.data[p].a]++] = (int32_t)p;
        ed->adjacent.data[start[ed->pairs.data[p].b]++] = (int32_t)p;
    }
    for (size_t b = n; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
}

void mrn_event_find_pairs(MrnEventDriven *ed, double now) {
    int32_t n = (int32_t)ed->world->model->bodies.count;
    make_proxies(ed, now);
    mrn_broad_build(ed->broad, 2, ed->proxies, ed->world->threads);
    ed->pairs.count = ed->pool.count = ed->heap.count = 0;
    for (size_t k = 0; k < ed->broad->pairs.count; k++) {
        MrnPair found = ed->broad->pairs.data[k]; // a < b, and images come after all bodies
        if (found.a >= n) continue;
        MrnEventPair pair = {.a = found.a, .b = found.b, .expiry = INFINITY, .stamp = -1, .heap = -1};
        if (found.b >= n) {
            int body = (found.b - n) / 4, cell = (found.b - n) % 4;
            if (body == found.a) continue;
            MrnVec2 shift = {cells[cell][0] * ed->period.x, cells[cell][1] * ed->period.y};
            pair.b = body, pair.offset = shift;
            if (pair.b < pair.a) { // seen from the other body the image lies in the opposite cell
                pair.a = body, pair.b = found.a;
                pair.offset = mrn_vec2(0 - shift.x, 0 - shift.y);
            }
        }
        set_distances(ed, &pair);
        mrn_array_push(&ed->pairs, pair);
    }
    if (ed->period.x > 0) qsort(ed->pairs.data, ed->pairs.count, sizeof *ed->pairs.data, compare_pairs);
    list_adjacent(ed);
    ed->find_again = false;
}

bool mrn_event_look(MrnEventDriven *ed, int index, double time, double reach) {
    MrnEventPair *pair = &ed->pairs.data[index];
    const MrnEventDrivenSettings *settings = &ed->world->scheme.event_driven;
    double wanted = fmax(reach, fmax(pair->distance_a, pair->distance_b));
    if (pair->stamp == time && reach == 0) return false;
    MrnFloeQuery query = {.a = pair->a,
                          .b = pair->b,
                          .pose_a = *mrn_event_pose(ed, pair->a, time),
                          .pose_b = *mrn_event_pose(ed, pair->b, time),
                          .distance_a = pair->distance_a,
                          .distance_b = pair->distance_b,
                          .reach = wanted,
                          .cone_tolerance = settings->cone_tolerance,
                          .cone_filter = settings->cone_filter};
    query.pose_b.position = mrn_add2(query.pose_b.position, pair->offset);
    mrn_floe_examine(ed->floes, &query, &ed->probe);
    pair->stamp = time;
    pair->separation = ed->probe.separation;
    pair->count = (uint32_t)ed->probe.touches.count;
    if (pair->count > pair->room) {
        pair->first = (uint32_t)ed->pool.count;
        pair->room = pair->count;
        mrn_array_resize(&ed->pool, ed->pool.count + pair->count);
    }
    for (uint32_t k = 0; k < pair->count; k++) ed->pool.data[pair->first + k] = ed->probe.touches.data[k];
    ed->info->smallest_gap = fmin(ed->info->smallest_gap, pair->separation);
    return true;
}

MrnFloeFlight mrn_event_flight(MrnEventDriven *ed, const MrnEventPair *pair, double time) {
    MrnFloeFlight flight = {.a = &ed->floes->floes.data[pair->a],
                            .b = &ed->floes->floes.data[pair->b],
                            .pose_a = *mrn_event_pose(ed, pair->a, time),
                            .pose_b = *mrn_event_pose(ed, pair->b, time),
                            .motion_a = ed->bodies[pair->a].motion,
                            .motion_b = ed->bodies[pair->b].motion,
                            .horizon = ed->world->scheme.time_step - time};
    flight.pose_b.position = mrn_add2(flight.pose_b.position, pair->offset);
    mrn_floe_flight(&flight);
    return flight;
}
