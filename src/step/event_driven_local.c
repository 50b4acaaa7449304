// Local stepping: every pair has its own bound in time, and only pairs whose bound has run out are looked at.
//
// What always holds: between two looks the outlines of a pair stay farther apart than half of the smaller of their
// separation and their collision distance; so no two bodies ever overlap.
#include "step/event_driven.h"

static bool earlier(const MrnEventDriven *ed, int32_t p, int32_t q) {
    double s = ed->pairs.data[p].expiry, t = ed->pairs.data[q].expiry;
    return s < t || (s == t && mrn_event_before(&ed->pairs.data[p], &ed->pairs.data[q]));
}

static void place_in_heap(MrnEventDriven *ed, size_t at, int32_t p) {
    ed->heap.data[at] = p;
    ed->pairs.data[p].heap = (int32_t)at;
}

static void sift(MrnEventDriven *ed, size_t at) {
    int32_t p = ed->heap.data[at];
    while (at > 0) {
        size_t above = (at - 1) / 2;
        if (!earlier(ed, p, ed->heap.data[above])) break;
        place_in_heap(ed, at, ed->heap.data[above]);
        at = above;
    }
    for (;;) {
        size_t below = 2 * at + 1;
        if (below >= ed->heap.count) break;
        if (below + 1 < ed->heap.count && earlier(ed, ed->heap.data[below + 1], ed->heap.data[below])) below++;
        if (!earlier(ed, ed->heap.data[below], p)) break;
        place_in_heap(ed, at, ed->heap.data[below]);
        at = below;
    }
    place_in_heap(ed, at, p);
}

/// Give a pair a new time; pairs that need no look in this step leave the heap.
static void set_expiry(MrnEventDriven *ed, int32_t p, double time) {
    MrnEventPair *pair = &ed->pairs.data[p];
    bool wanted = time < ed->world->scheme.time_step;
    pair->expiry = wanted ? time : INFINITY;
    if (wanted && pair->heap < 0) {
        mrn_array_push(&ed->heap, p);
        pair->heap = (int32_t)ed->heap.count - 1;
    } else if (!wanted && pair->heap >= 0) {
        size_t at = (size_t)pair->heap;
        int32_t last = ed->heap.data[--ed->heap.count];
        pair->heap = -1;
        if (last == p) return;
        place_in_heap(ed, at, last);
        sift(ed, at);
        return;
    }
    if (pair->heap >= 0) sift(ed, (size_t)pair->heap);
}

static double bound_from_probe(MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeFlight *flight) {
    if (!(pair->separation > 0)) return flight->horizon; // nothing can be promised; reported as a penetration
    return mrn_floe_feature_time(flight, &ed->probe, 0.5 * fmin(pair->zeta, pair->separation));
}

/// Bound of a pair from now on.
static void bound_pair(MrnEventDriven *ed, int32_t p, double now) {
    MrnEventPair *pair = &ed->pairs.data[p];
    MrnFloeFlight flight = mrn_event_flight(ed, pair, now);
    double least = 0.5 * pair->zeta, outer = mrn_floe_outer_time(&flight, least);
    if (outer < flight.horizon || !mrn_event_is_far(ed, pair, &flight, now)) {
        mrn_event_look(ed, p, now, mrn_event_reach(ed, pair, mrn_floe_reach(&flight, least)));
        outer = fmax(outer, bound_from_probe(ed, pair, &flight));
    }
    set_expiry(ed, p, now + outer);
}

/// After a collision: new bounds for the pairs of the bodies that changed. False if a body may leave the surroundings
/// for which candidates are known.
static bool bound_changed(MrnEventDriven *ed, double now) {
    for (size_t k = 0; k < ed->changed.count; k++)
        if (!mrn_event_widen(ed, ed->changed.data[k], now)) return false;
    for (size_t k = 0; k < ed->changed.count; k++) {
        int32_t b = ed->changed.data[k];
        for (int32_t p = ed->bodies[b].first_pair; p >= 0; p = mrn_event_next(ed, p, b)) {
            // A pair of two bodies that changed is served once, from the first of them.
            if (ed->pairs.data[p].queued) continue;
            ed->pairs.data[p].queued = true;
            mrn_array_push(&ed->queue, p);
        }
    }
    for (size_t k = 0; k < ed->queue.count; k++) {
        ed->pairs.data[ed->queue.data[k]].queued = false;
        bound_pair(ed, ed->queue.data[k], now);
    }
    ed->queue.count = 0;
    return true;
}

/// Find all pairs anew, from now on, and bound them.
static void start_afresh(MrnEventDriven *ed, double now) {
    mrn_event_find_pairs(ed, now);
    for (size_t p = 0; p < ed->pairs.count; p++) bound_pair(ed, (int32_t)p, now);
}

/// Collisions that begin in ed->dirty, and what follows for the bounds. They divide the step.
static void collide(MrnEventDriven *ed, double now) {
    int32_t first = ed->dirty.count ? ed->dirty.data[0] : -1;
    mrn_event_collide(ed, now);
    if (now > ed->last_collision) {
        ed->info->substeps++;
        mrn_event_limit(ed, first, now - ed->last_collision);
        ed->last_collision = now;
    }
    if (!bound_changed(ed, now)) start_afresh(ed, now);
}

/// The pair whose time has come. One look serves for its contacts and, if none approaches, for its next bound.
static void serve(MrnEventDriven *ed, int32_t p) {
    MrnEventPair *pair = &ed->pairs.data[p];
    double now = pair->expiry;
    MrnFloeFlight flight = mrn_event_flight(ed, pair, now);
    mrn_event_look(ed, p, now, mrn_event_reach(ed, pair, mrn_floe_reach(&flight, 0.5 * pair->zeta)));
    for (uint32_t c = 0; c < pair->count; c++) {
        double limit, rate = mrn_event_rate(ed, pair, &ed->pool.data[pair->first + c], &limit);
        if (rate < limit) {
            mrn_array_push(&ed->dirty, p);
            collide(ed, now);
            return;
        }
    }
    set_expiry(ed, p, now + bound_from_probe(ed, pair, &flight));
}

void mrn_event_step_local(MrnEventDriven *ed) {
    double h = ed->world->scheme.time_step;
    ed->last_collision = 0;
    ed->info->substeps = 1;
    start_afresh(ed, 0);
    for (size_t p = 0; p < ed->pairs.count; p++)
        if (ed->pairs.data[p].stamp == 0 && ed->pairs.data[p].count) mrn_array_push(&ed->dirty, (int32_t)p);
    collide(ed, 0);
    mrn_event_forces(ed, 0, h);
    while (ed->heap.count) serve(ed, ed->heap.data[0]);
    for (size_t b = 0; b < ed->world->model->bodies.count; b++)
        if (ed->bodies[b].active) mrn_event_advance(ed, (int)b, h);
    mrn_event_kick(ed, 0, h);
}
