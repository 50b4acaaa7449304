// Pairs of bodies: who may meet, where they are now, what is known of them.
//
// Candidates are found by the broad phase with boxes grown by what a body may move in many steps, and kept until some
// body has gone that far. Each remembers how far apart it was once; as long as the bodies cannot have made up for that,
// it needs no look. What always holds: a pair that is left out stays farther apart than its collision distance until
// the end of the step, or the search is repeated; so what is left out never changes a trajectory, and a resumed run,
// which begins without memory, goes on bit for bit. Where the plane is periodic the images in cells 1 to 4 join (the
// reduced interaction zone of the thesis): each pair of a body and an image is found once.
#include "step/event_driven.h"

#include <stdlib.h>

#define ALLOWANCE                                                                                                      \
    1.5 ///< how far a body may go in a step, over what it would at its present speed, and at the usual one
#define SKIN_STEPS     12 ///< steps that candidates should last
#define LOOK_DISTANCES 10 ///< but no farther than this many collision distances
#define LOOK_STEPS     6  ///< steps for which a look should clear a pair

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

/// Largest speed of a point of a body in the frame of the pack.
static double own_speed(const MrnEventDriven *ed, size_t b) {
    const MrnFloeMotion *motion = &ed->bodies[b].motion;
    return mrn_norm2(mrn_sub2(motion->velocity, ed->drift)) + fabs(motion->spin) * ed->floes->floes.data[b].belt;
}

void mrn_event_advance(MrnEventDriven *ed, int index, double time) {
    MrnEventBody *body = &ed->bodies[index];
    if (body->clock == time) return;
    mrn_event_pose(ed, index, time);
    body->travel += (time - body->clock) * own_speed(ed, (size_t)index);
    body->angle += (time - body->clock) * body->motion.spin;
    body->position = body->pose.position;
    body->clock = time;
}

/// How far a body has travelled at a time not before its clock.
static double travel_at(const MrnEventDriven *ed, size_t b, double time) {
    return ed->bodies[b].travel + (time - ed->bodies[b].clock) * own_speed(ed, b);
}

/// The body stays, until the end of the step, where its pairs are known.
static bool stays(const MrnEventDriven *ed, int index, double now) {
    const MrnEventBody *body = &ed->bodies[index];
    double left = ed->world->scheme.time_step - now;
    return travel_at(ed, (size_t)index, now) - body->found_travel + left * own_speed(ed, (size_t)index) <=
           body->allowance;
}

/// Mean velocity of the pack, by number; returns the root mean square of what differs from it.
static double measure_drift(const MrnEventDriven *ed, MrnVec2 *drift) {
    size_t n = ed->world->model->bodies.count, free = 0;
    MrnVec2 sum = {0, 0};
    double squares = 0;
    for (size_t b = 0; b < n; b++)
        if (ed->bodies[b].active && ed->bodies[b].mobile) sum = mrn_add2(sum, ed->bodies[b].motion.velocity), free++;
    *drift = free ? mrn_scale2(1.0 / (double)free, sum) : sum;
    for (size_t b = 0; b < n; b++) {
        if (!ed->bodies[b].active || !ed->bodies[b].mobile) continue;
        MrnVec2 v = mrn_sub2(ed->bodies[b].motion.velocity, *drift);
        squares += mrn_dot2(v, v);
    }
    return free ? sqrt(squares / (double)free) : 0;
}

/// Number of periods between the cell and where a body is.
static void cell_of(const MrnEventDriven *ed, size_t b, int cell[2]) {
    const double *low = ed->world->model->period_low;
    const MrnVec2 *x = &ed->bodies[b].pose.position;
    cell[0] = ed->period.x > 0 ? (int)floor((x->x - low[0]) / ed->period.x) : 0;
    cell[1] = ed->period.y > 0 ? (int)floor((x->y - low[1]) / ed->period.y) : 0;
}

static void make_proxies(MrnEventDriven *ed) {
    const MrnModel *model = ed->world->model;
    size_t n = model->bodies.count;
    double widest = 0;
    for (size_t b = 0; b < n; b++) {
        const MrnEventBody *body = &ed->bodies[b];
        MrnProxy *proxy = &ed->proxies[b];
        *proxy = (MrnProxy){.slack = 1e-300, .group = model->bodies.data[b].group, .movable = body->mobile};
        proxy->active = body->active;
        if (!body->active) continue;
        const MrnFloe *floe = &ed->floes->floes.data[b];
        int cell[2];
        cell_of(ed, b, cell);
        MrnVec2 centre = mrn_add2(body->pose.position, mrn_rotate2(body->pose.c, body->pose.s, floe->centre));
        centre = mrn_sub2(centre, mrn_vec2(cell[0] * ed->period.x, cell[1] * ed->period.y));
        double r = floe->inner_radius + body->skin + (isfinite(floe->distance) ? floe->distance : 0);
        proxy->box = (MrnBox){{centre.x - r, centre.y - r, 0}, {centre.x + r, centre.y + r, 0}};
        widest = fmax(widest, r + floe->belt);
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

static int compare_candidates(const void *left, const void *right) {
    const MrnEventCandidate *p = left, *q = right;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->cell_x != q->cell_x) return p->cell_x < q->cell_x ? -1 : 1;
    return p->cell_y < q->cell_y ? -1 : p->cell_y > q->cell_y;
}

/// Candidates of each body.
static void list_near(MrnEventDriven *ed) {
    size_t n = ed->world->model->bodies.count, *start = ed->near_start;
    const MrnEventCandidate *candidate = ed->candidates.data;
    for (size_t b = 0; b <= n; b++) start[b] = 0;
    for (size_t k = 0; k < ed->candidates.count; k++) start[candidate[k].a + 1]++, start[candidate[k].b + 1]++;
    for (size_t b = 0; b < n; b++) start[b + 1] += start[b];
    mrn_array_resize(&ed->near, 2 * ed->candidates.count);
    for (size_t k = 0; k < ed->candidates.count; k++) {
        ed->near.data[start[candidate[k].a]++] = (int32_t)k;
        ed->near.data[start[candidate[k].b]++] = (int32_t)k;
    }
    for (size_t b = n; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
}

/// Find the candidates anew.
static void build_candidates(MrnEventDriven *ed) {
    size_t bodies = ed->world->model->bodies.count;
    int32_t n = (int32_t)bodies;
    for (size_t b = 0; b < bodies; b++) {
        MrnEventBody *body = &ed->bodies[b];
        body->built_travel = body->found_travel;
        body->skin = SKIN_STEPS * body->allowance;
    }
    make_proxies(ed);
    mrn_broad_build_all(ed->broad, 2, ed->proxies, ed->world->threads);
    ed->candidates.count = 0;
    for (size_t k = 0; k < ed->broad->pairs.count; k++) {
        MrnPair found = ed->broad->pairs.data[k]; // a < b, and images come after all bodies
        if (found.a >= n) continue;
        MrnEventCandidate pair = {.a = found.a, .b = found.b, .clear = -INFINITY};
        int image[2] = {0, 0}, cell_a[2], cell_b[2];
        if (found.b >= n) {
            pair.b = (found.b - n) / 4;
            if (pair.b == found.a) continue;
            image[0] = cells[(found.b - n) % 4][0], image[1] = cells[(found.b - n) % 4][1];
            if (pair.b < pair.a) { // seen from the other body the image lies in the opposite cell
                int32_t swapped = pair.a;
                pair.a = pair.b, pair.b = swapped;
                image[0] = -image[0], image[1] = -image[1];
            }
        }
        cell_of(ed, (size_t)pair.a, cell_a);
        cell_of(ed, (size_t)pair.b, cell_b);
        pair.cell_x = image[0] + cell_a[0] - cell_b[0];
        pair.cell_y = image[1] + cell_a[1] - cell_b[1];
        mrn_array_push(&ed->candidates, pair);
    }
    if (ed->period.x > 0 && ed->candidates.count > 1)
        qsort(ed->candidates.data, ed->candidates.count, sizeof *ed->candidates.data, compare_candidates);
    list_near(ed);
    ed->candidates_valid = true;
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

bool mrn_event_before(const MrnEventPair *p, const MrnEventPair *q) {
    if (p->a != q->a) return p->a < q->a;
    if (p->b != q->b) return p->b < q->b;
    return p->offset.x != q->offset.x ? p->offset.x < q->offset.x : p->offset.y < q->offset.y;
}

/// Make a candidate a pair of this step, unless its bodies stay apart.
static void add_if_near(MrnEventDriven *ed, size_t k) {
    MrnEventCandidate *candidate = &ed->candidates.data[k];
    MrnEventBody *a = &ed->bodies[candidate->a], *b = &ed->bodies[candidate->b];
    MrnEventPair pair = {
        .a = candidate->a, .b = candidate->b, .expiry = INFINITY, .stamp = -1, .heap = -1, .candidate = (int32_t)k};
    set_distances(ed, &pair);
    double gone = a->found_travel - candidate->travel_a + b->found_travel - candidate->travel_b;
    if (candidate->clear - gone - a->allowance - b->allowance > fmax(pair.distance_a, pair.distance_b)) return;
    pair.offset = mrn_vec2(candidate->cell_x * ed->period.x, candidate->cell_y * ed->period.y);
    candidate->pair = (int32_t)ed->pairs.count;
    pair.next[0] = a->first_pair, pair.next[1] = b->first_pair;
    a->first_pair = b->first_pair = candidate->pair;
    mrn_array_push(&ed->pairs, pair);
}

/// From now on the body may travel `allowance`. False if the candidates do not reach that far.
static bool set_allowance(MrnEventDriven *ed, size_t b, double now) {
    MrnEventBody *body = &ed->bodies[b];
    double left = ed->world->scheme.time_step - now;
    body->found_travel = travel_at(ed, b, now);
    body->allowance = left * ALLOWANCE * (own_speed(ed, b) + ed->usual_speed);
    return body->found_travel - body->built_travel + body->allowance <= body->skin;
}

bool mrn_event_widen(MrnEventDriven *ed, int index, double now) {
    if (stays(ed, index, now)) return true;
    if (!set_allowance(ed, (size_t)index, now)) return false;
    for (size_t i = ed->near_start[index]; i < ed->near_start[index + 1]; i++) {
        size_t k = (size_t)ed->near.data[i];
        if (ed->candidates.data[k].pair < 0) add_if_near(ed, k);
    }
    return true;
}

void mrn_event_find_pairs(MrnEventDriven *ed, double now) {
    size_t n = ed->world->model->bodies.count;
    bool covered = ed->candidates_valid;
    if (now == 0) ed->usual_speed = measure_drift(ed, &ed->drift); // one frame for the whole step
    for (size_t b = 0; b < n; b++) {
        MrnEventBody *body = &ed->bodies[b];
        body->first_pair = -1;
        if (!body->active) continue;
        mrn_event_pose(ed, (int)b, now);
        covered = set_allowance(ed, b, now) && covered;
    }
    if (!covered) build_candidates(ed);
    ed->pairs.count = ed->pool.count = ed->heap.count = 0;
    for (size_t k = 0; k < ed->candidates.count; k++) {
        ed->candidates.data[k].pair = -1;
        add_if_near(ed, k);
    }
}

/// Remember how far apart a pair is now.
static void remember(MrnEventDriven *ed, const MrnEventPair *pair, double time, double clear) {
    MrnEventCandidate *candidate = &ed->candidates.data[pair->candidate];
    candidate->clear = clear;
    candidate->travel_a = travel_at(ed, (size_t)pair->a, time);
    candidate->travel_b = travel_at(ed, (size_t)pair->b, time);
}

double mrn_event_reach(const MrnEventDriven *ed, const MrnEventPair *pair, double needed) {
    double both = ed->bodies[pair->a].allowance + ed->bodies[pair->b].allowance;
    double distance = fmax(pair->distance_a, pair->distance_b);
    // Fast bodies are looked at again anyway: no more edges than a few collision distances bring.
    return fmax(needed, distance + fmin(LOOK_STEPS * both, LOOK_DISTANCES * distance));
}

bool mrn_event_is_far(MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeFlight *flight, double time) {
    double gap = mrn_floe_outer_gap(flight->a, &flight->pose_a, flight->b, &flight->pose_b);
    if (gap <= mrn_event_reach(ed, pair, 0)) return false;
    remember(ed, pair, time, gap);
    return true;
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
    remember(ed, pair, time, pair->separation);
    // Of pairs within their collision distance alone: which others are looked at depends on what is remembered.
    if (pair->separation <= fmax(pair->distance_a, pair->distance_b))
        ed->info->smallest_gap = fmin(ed->info->smallest_gap, pair->separation);
    return true;
}

void mrn_event_limit(MrnEventDriven *ed, int32_t pair, double length) {
    if (pair < 0 || !(length < ed->info->smallest_substep)) return;
    ed->info->smallest_substep = length;
    ed->info->limiting_a = ed->pairs.data[pair].a;
    ed->info->limiting_b = ed->pairs.data[pair].b;
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
