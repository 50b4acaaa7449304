// Global stepping, as in the thesis: all bodies take the same sub-step (specification of floes 2.2.2, 2.5).
//
// Look at all pairs, treat collisions, take the least bound over all pairs, move with the velocities that left the
// collisions, then let the forces act. Bounds that are not proven are followed by a test for overlap; a sub-step that
// made one is undone and done again with the guaranteed bound.
#include "step/event_driven.h"

#include "geom/outline.h"

#define FEWEST 1e-9 ///< a sub-step is at least this share of the step, whatever the bounds say

/// Guaranteed bound of one pair (2.5.1, 2.5.2), or one of its relaxed forms (2.5.3).
static double pair_time(MrnEventDriven *ed, int32_t p, double now, MrnStepBound kind) {
    MrnEventPair *pair = &ed->pairs.data[p];
    const MrnEventDrivenSettings *settings = &ed->world->scheme.event_driven;
    MrnFloeFlight flight = mrn_event_flight(ed, pair, now);
    double clear = settings->clearance * pair->zeta, zeta = pair->zeta;
    if (kind == MRN_BOUND_FEATURES) {
        double outer = mrn_floe_outer_time(&flight, 0.5 * zeta);
        if (outer >= flight.horizon) return INFINITY;
        mrn_event_look(ed, p, now, mrn_floe_reach(&flight, 0.5 * zeta));
        if (!(pair->separation > 0)) return flight.horizon;
        return fmax(outer, mrn_floe_feature_time(&flight, &ed->probe, 0.5 * fmin(zeta, pair->separation)));
    }
    double outer_gap = mrn_floe_outer_gap(flight.a, &flight.pose_a, flight.b, &flight.pose_b);
    double speed = fmax(flight.speed_a, flight.speed_b);
    if (outer_gap > zeta) { // outside the criterion (2.1.7)
        if (kind == MRN_BOUND_HALF) {
            double own_a = mrn_norm2(flight.motion_a.velocity) + fabs(flight.motion_a.spin) * flight.a->belt;
            double own_b = mrn_norm2(flight.motion_b.velocity) + fabs(flight.motion_b.spin) * flight.b->belt;
            return 0.5 * outer_gap / fmax(own_a, own_b);
        }
        return kind == MRN_BOUND_OPTIMISED ? mrn_floe_outer_time_plain(&flight, outer_gap, clear)
                                           : mrn_floe_outer_time(&flight, clear);
    }
    double reach = fmin(fmin(flight.a->distance, flight.b->distance), INFINITY);
    if (!isfinite(reach)) reach = zeta;
    if (pair->stamp != now) mrn_event_look(ed, p, now, 0);
    switch (kind) {
    case MRN_BOUND_OPTIMISED: {
        int directions = settings->belt_directions;
        double a = mrn_floe_belt_speed_sampled(flight.a, &flight.pose_a, &flight.motion_a, &flight.pose_b,
                                               &flight.motion_b, directions);
        double b = mrn_floe_belt_speed_sampled(flight.b, &flight.pose_b, &flight.motion_b, &flight.pose_a,
                                               &flight.motion_a, directions);
        double room = pair->count ? zeta : fmax(pair->separation, zeta);
        return (room - clear) / fmax(a, b);
    }
    case MRN_BOUND_HALF: {
        double own_a = mrn_norm2(flight.motion_a.velocity) + fabs(flight.motion_a.spin) * flight.a->belt;
        double own_b = mrn_norm2(flight.motion_b.velocity) + fabs(flight.motion_b.spin) * flight.b->belt;
        double room = pair->count ? reach : fmax(pair->separation, reach);
        return 0.5 * room / fmax(own_a, own_b);
    }
    default: return (reach - clear) / speed;
    }
}

static double least_time(MrnEventDriven *ed, double now, double left, MrnStepBound kind, int32_t *limiting) {
    double time = left;
    *limiting = -1;
    for (size_t p = 0; p < ed->pairs.count; p++) {
        double own = pair_time(ed, (int32_t)p, now, kind);
        if (own < time) time = own, *limiting = (int32_t)p;
    }
    return fmax(time, FEWEST * ed->world->scheme.time_step);
}

static void save(MrnEventDriven *ed) {
    for (size_t b = 0; b < ed->world->model->bodies.count; b++) {
        const MrnEventBody *body = &ed->bodies[b];
        double *to = ed->saved + 6 * b;
        to[0] = body->position.x, to[1] = body->position.y, to[2] = body->angle;
        to[3] = body->motion.velocity.x, to[4] = body->motion.velocity.y, to[5] = body->motion.spin;
    }
}

static void restore(MrnEventDriven *ed, double now) {
    for (size_t b = 0; b < ed->world->model->bodies.count; b++) {
        MrnEventBody *body = &ed->bodies[b];
        const double *from = ed->saved + 6 * b;
        body->position = mrn_vec2(from[0], from[1]), body->angle = from[2];
        body->motion = (MrnFloeMotion){{from[3], from[4]}, from[5]};
        body->clock = now, body->pose_time = -1;
    }
}

/// Some pair overlaps at this time.
static bool overlaps(MrnEventDriven *ed, double time) {
    for (size_t p = 0; p < ed->pairs.count; p++) {
        const MrnEventPair *pair = &ed->pairs.data[p];
        MrnFloePose pose_b = *mrn_event_pose(ed, pair->b, time);
        pose_b.position = mrn_add2(pose_b.position, pair->offset);
        if (mrn_floe_outer_gap(&ed->floes->floes.data[pair->a], mrn_event_pose(ed, pair->a, time),
                               &ed->floes->floes.data[pair->b], &pose_b) > 0)
            continue;
        double smallest = ed->info->smallest_gap;
        mrn_event_look(ed, (int)p, time, 0);
        if (pair->separation > 0) continue;
        ed->info->smallest_gap = smallest; // this sub-step is undone
        return true;
    }
    return false;
}

static void advance_all(MrnEventDriven *ed, double time) {
    for (size_t b = 0; b < ed->world->model->bodies.count; b++)
        if (ed->bodies[b].active) mrn_event_advance(ed, (int)b, time);
}

void mrn_event_step_global(MrnEventDriven *ed) {
    double h = ed->world->scheme.time_step, now = 0;
    MrnStepBound bound = ed->world->scheme.event_driven.bound;
    bool proven = bound == MRN_BOUND_FEATURES;
    ed->info->substeps = 0;
    while (now < h) {
        mrn_event_find_pairs(ed, now);
        for (size_t p = 0; p < ed->pairs.count; p++) mrn_array_push(&ed->dirty, (int32_t)p);
        mrn_event_collide(ed, now);
        for (size_t k = 0; k < ed->changed.count; k++)
            if (!mrn_event_widen(ed, ed->changed.data[k], now)) { // nothing new can touch: positions are the same
                mrn_event_find_pairs(ed, now);
                break;
            }
        int32_t limiting;
        double dt = least_time(ed, now, h - now, bound, &limiting), end = dt >= h - now ? h : now + dt;
        save(ed);
        mrn_event_forces(ed, now, end - now);
        advance_all(ed, end);
        if (!proven && overlaps(ed, end)) {
            ed->info->rollbacks++;
            restore(ed, now);
            dt = least_time(ed, now, h - now, bound == MRN_BOUND_GUARANTEED ? MRN_BOUND_FEATURES : MRN_BOUND_GUARANTEED,
                            &limiting);
            end = dt >= h - now ? h : now + dt;
            mrn_event_forces(ed, now, end - now);
            advance_all(ed, end);
            if (overlaps(ed, end)) { // second order terms of the rotation: the proven bound
                restore(ed, now);
                dt = least_time(ed, now, h - now, MRN_BOUND_FEATURES, &limiting);
                end = dt >= h - now ? h : now + dt;
                mrn_event_forces(ed, now, end - now);
                advance_all(ed, end);
            }
        }
        mrn_event_kick(ed, now, end - now);
        ed->info->substeps++;
        mrn_event_limit(ed, limiting, end - now);
        now = end;
    }
}
