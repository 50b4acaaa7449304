// Level 0, level 1, then edges against edges. Both outlines are placed about the mass centre of a, so that coordinates
// stay small wherever the bodies are.
#include "collide/floe_pair.h"

#include <stdlib.h>

double mrn_floe_outer_gap(const MrnFloe *a, const MrnFloePose *pose_a, const MrnFloe *b, const MrnFloePose *pose_b) {
    MrnVec2 centre_a = mrn_rotate2(pose_a->c, pose_a->s, a->centre),
            centre_b = mrn_rotate2(pose_b->c, pose_b->s, b->centre);
    MrnVec2 d = mrn_add2(mrn_sub2(pose_b->position, pose_a->position), mrn_sub2(centre_b, centre_a));
    return mrn_norm2(d) - a->inner_radius - b->inner_radius;
}

/// Point to edge: where the closest point is.
typedef struct Projection {
    MrnVec2 foot, away; ///< away: unit, from the foot to the point
    double distance;
    int where; ///< -1 at the start, 0 inside, 1 at the end
} Projection;

static Projection project(MrnVec2 p, MrnVec2 start, MrnVec2 end, MrnVec2 along, double length) {
    MrnVec2 d = mrn_sub2(p, start);
    double t = mrn_dot2(d, along);
    if (t > 0 && t < length) {
        double side = mrn_cross2(along, d);
        MrnVec2 normal = side >= 0 ? mrn_perp2(along) : mrn_scale2(-1, mrn_perp2(along));
        return (Projection){mrn_add2(start, mrn_scale2(t, along)), normal, fabs(side), 0};
    }
    MrnVec2 foot = t > 0 ? end : start;
    d = mrn_sub2(p, foot);
    double distance = mrn_norm2(d);
    return (Projection){foot, distance > 0 ? mrn_scale2(1 / distance, d) : mrn_vec2(0, 0), distance, t > 0 ? 1 : -1};
}

/// `direction` lies in the normal cone of the corner that begins the edge, up to the tolerance (case (i): reflex).
/// The simpler frames of the paper have no cones: a tolerance of 2 lets every direction pass.
static bool in_cone(const MrnFloeEdge *edge, MrnVec2 direction, double tolerance) {
    return tolerance >= 2 || (!edge->reflex && mrn_dot2(direction, edge->along) <= tolerance &&
                              mrn_dot2(direction, edge->back) <= tolerance);
}

enum { CORNER_EDGE, EDGE_CORNER, CORNER_CORNER };

int mrn_floe_touch_edge(const MrnFloeTouch *touch) {
    int kind = (int)(touch->feature >> 60);
    return kind == CORNER_EDGE ? 1 : kind == EDGE_CORNER ? 0 : -1;
}

static void emit(MrnFloeProbe *probe, const MrnFloeEdge *e, const MrnFloeEdge *f, int kind, MrnVec2 point,
                 MrnVec2 normal, double gap) {
    MrnFloeTouch touch = {.point = point,
                          .normal = normal,
                          .gap = gap,
                          .feature = (uint64_t)kind << 60 | (uint64_t)e->corner << 30 | (uint64_t)f->corner,
                          .material_a = e->material,
                          .material_b = f->material};
    mrn_array_push(&probe->touches, touch);
}

/// Contact frames of the corners that begin the two edges.
static void make_frames(const MrnFloeQuery *query, MrnFloeProbe *probe, const MrnFloeEdge *e, const MrnFloeEdge *f,
                        const Projection *e_on_f, const Projection *f_on_e) {
    double round = e->round + f->round, tolerance = query->cone_filter ? query->cone_tolerance : 2;
    double gap = e_on_f->distance - round;
    if (gap <= query->distance_a || gap <= query->distance_b) {
        MrnVec2 normal = mrn_scale2(-1, e_on_f->away);
        if (e_on_f->where == 0 && gap <= query->distance_a && in_cone(e, normal, tolerance))
            emit(probe, e, f, CORNER_EDGE, mrn_add2(e->start, mrn_scale2(e->round, normal)), normal, gap);
        // Corner to corner: the corner of b is where the distance is least, without tolerance, so that a corner is not
        // counted for the edge and again for its end.
        if (e_on_f->where < 0 && in_cone(f, e_on_f->away, 0) && in_cone(e, normal, tolerance))
            emit(probe, e, f, CORNER_CORNER, mrn_add2(e->start, mrn_scale2(e->round, normal)), normal, gap);
    }
    gap = f_on_e->distance - round;
    if (f_on_e->where == 0 && gap <= query->distance_b) {
        MrnVec2 normal = f_on_e->away, back = mrn_scale2(-1, normal);
        if (in_cone(f, back, tolerance))
            emit(probe, e, f, EDGE_CORNER, mrn_add2(f->start, mrn_scale2(f->round, back)), normal, gap);
    }
}

/// Edge f meets the line of e inside e. Which sides of f the ends of e lie on must not be asked: of edges on one line,
/// as two floes cut by the border of a zone have them, rounding would answer.
static bool cross(const MrnFloeEdge *e, const MrnFloeEdge *f) {
    MrnVec2 d0 = mrn_sub2(f->start, e->start), d1 = mrn_sub2(f->end, e->start);
    double f0 = mrn_cross2(e->along, d0), f1 = mrn_cross2(e->along, d1);
    if ((f0 > 0) == (f1 > 0)) return false;
    double share = f0 / (f0 - f1), at = (1 - share) * mrn_dot2(d0, e->along) + share * mrn_dot2(d1, e->along);
    return at > 0 && at < e->length;
}

/// Both ends of `e` lie on one side of the line of `f`, farther than `reach`.
static bool beside(const MrnFloeEdge *e, const MrnFloeEdge *f, double reach) {
    double d0 = mrn_cross2(f->along, mrn_sub2(e->start, f->start)),
           d1 = mrn_cross2(f->along, mrn_sub2(e->end, f->start));
    return (d0 > reach && d1 > reach) || (d0 < -reach && d1 < -reach);
}

static void edge_pair(const MrnFloeQuery *query, MrnFloeProbe *probe, const MrnFloeEdge *e, const MrnFloeEdge *f) {
    double round = e->round + f->round;
    MrnVec2 middle = mrn_sub2(mrn_add2(e->start, e->end), mrn_add2(f->start, f->end));
    double far = e->length + f->length + 2 * (query->reach + round);
    if (mrn_dot2(middle, middle) > far * far) return;
    if (beside(e, f, query->reach + round) || beside(f, e, query->reach + round)) return;
    Projection e0 = project(e->start, f->start, f->end, f->along, f->length);
    Projection f0 = project(f->start, e->start, e->end, e->along, e->length);
    Projection e1 = project(e->end, f->start, f->end, f->along, f->length);
    Projection f1 = project(f->end, e->start, e->end, e->along, e->length);
    double distance = mrn_smaller(mrn_smaller(e0.distance, e1.distance), mrn_smaller(f0.distance, f1.distance));
    if (distance - round > query->reach) {
        // Edges that cross in their middles may have all ends far away.
        if (!cross(e, f)) return;
    }
    MrnFloeFacing facing = {
        .a0 = e->start, .a1 = e->end, .b0 = f->start, .b1 = f->end, .distance = distance, .round = round};
    if (distance == e0.distance)
        facing.foot_a = e->start, facing.foot_b = e0.foot, facing.normal = mrn_scale2(-1, e0.away);
    else if (distance == f0.distance)
        facing.foot_a = f0.foot, facing.foot_b = f->start, facing.normal = f0.away;
    else if (distance == e1.distance)
        facing.foot_a = e->end, facing.foot_b = e1.foot, facing.normal = mrn_scale2(-1, e1.away);
    else
        facing.foot_a = f1.foot, facing.foot_b = f->end, facing.normal = f1.away;
    if (cross(e, f)) facing.distance = -distance;
    probe->separation = mrn_smaller(probe->separation, facing.distance - round);
    mrn_array_push(&probe->facing, facing);
    make_frames(query, probe, e, f, &e0, &f0);
}

/// Place the edges of the discs of one body that may be within reach of the level-0 disc of the other; the discs are
/// listed. Returns their number.
static size_t gather(const MrnFloeSet *set, const MrnFloe *floe, const MrnFloePose *pose, MrnVec2 origin,
                     const MrnFloe *other, MrnVec2 other_centre, double reach, MrnFloeProbe *probe) {
    size_t listed = 0;
    for (int k = 0; k < floe->disc_count; k++) {
        const MrnFloeDisc *disc = &set->discs.data[floe->first_disc + k];
        MrnVec2 centre = mrn_add2(origin, mrn_rotate2(pose->c, pose->s, disc->centre));
        MrnVec2 d = mrn_sub2(centre, other_centre);
        double far = disc->reach + other->inner_radius + reach;
        if (mrn_dot2(d, d) > far * far) continue;
        mrn_array_push(&probe->list, floe->first_disc + k);
        listed++;
        mrn_array_reserve(&probe->edges, probe->edges.count + (size_t)disc->count);
        MrnFloeEdge *edge = probe->edges.data + probe->edges.count;
        probe->edges.count += (size_t)disc->count;
        MrnVec2 at = mrn_add2(origin, mrn_rotate2(pose->c, pose->s, set->corners.data[disc->first].point));
        for (int i = 0; i < disc->count; i++, edge++) {
            const MrnFloeCorner *corner = &set->corners.data[disc->first + i];
            edge->start = at;
            edge->end = at = mrn_add2(origin, mrn_rotate2(pose->c, pose->s, corner->end));
            edge->along = mrn_rotate2(pose->c, pose->s, corner->forward);
            edge->back = mrn_rotate2(pose->c, pose->s, corner->back);
            edge->length = corner->length;
            edge->round = disc->round;
            edge->corner = disc->first + i;
            edge->material = disc->material;
            edge->reflex = corner->reflex;
        }
    }
    return listed;
}

/// All edges of one disc against all of another.
static void disc_pair(const MrnFloeQuery *query, MrnFloeProbe *probe, const MrnFloeEdge *edges_a, int count_a,
                      const MrnFloeEdge *edges_b, const MrnFloeDisc *disc_b, MrnVec2 centre_b) {
    for (int k = 0; k < count_a; k++) {
        const MrnFloeEdge *e = &edges_a[k];
        MrnVec2 d = mrn_sub2(mrn_add2(e->start, e->end), mrn_scale2(2, centre_b));
        double far = e->length + 2 * (disc_b->reach + query->reach + e->round);
        if (mrn_dot2(d, d) > far * far) continue;
        for (int l = 0; l < disc_b->count; l++) edge_pair(query, probe, e, &edges_b[l]);
    }
}

/// Frames of one contact seen from both sides, or of nearly flush edges: same normal, points closer than the collision
/// distance. The one with the smaller gap stays; then in the order of features.
static void tidy(MrnFloeProbe *probe, double distance) {
    MrnFloeTouch *touch = probe->touches.data;
    size_t count = probe->touches.count, kept = 0;
    for (size_t i = 1; i < count; i++) {
        MrnFloeTouch moved = touch[i];
        size_t k = i;
        for (; k > 0 && touch[k - 1].feature > moved.feature; k--) touch[k] = touch[k - 1];
        touch[k] = moved;
    }
    for (size_t i = 0; i < count; i++) {
        size_t same = kept;
        for (size_t k = 0; k < kept && same == kept; k++)
            if (mrn_dot2(touch[k].normal, touch[i].normal) > 1 - 1e-6 &&
                mrn_norm2(mrn_sub2(touch[k].point, touch[i].point)) <= distance)
                same = k;
        if (same == kept)
            touch[kept++] = touch[i];
        else if (touch[i].gap < touch[same].gap)
            touch[same] = touch[i];
    }
    probe->touches.count = kept;
}

void mrn_floe_examine(const MrnFloeSet *set, const MrnFloeQuery *query, MrnFloeProbe *probe) {
    const MrnFloe *a = &set->floes.data[query->a], *b = &set->floes.data[query->b];
    const MrnFloePose *pose_a = &query->pose_a, *pose_b = &query->pose_b;
    MrnVec2 origin_a = {0, 0}, origin_b = mrn_sub2(pose_b->position, pose_a->position);
    MrnVec2 centre_a = mrn_rotate2(pose_a->c, pose_a->s, a->centre);
    MrnVec2 centre_b = mrn_add2(origin_b, mrn_rotate2(pose_b->c, pose_b->s, b->centre));
    probe->touches.count = probe->facing.count = probe->list.count = probe->edges.count = 0;
    double outer = mrn_norm2(mrn_sub2(centre_b, centre_a)) - a->inner_radius - b->inner_radius;
    probe->separation = probe->beyond = outer;
    if (outer > query->reach) return;
    probe->separation = INFINITY;
    size_t count_a = gather(set, a, pose_a, origin_a, b, centre_b, query->reach, probe), first_b = probe->edges.count;
    size_t count_b = count_a ? gather(set, b, pose_b, origin_b, a, centre_a, query->reach, probe) : 0;
    const int32_t *list_a = probe->list.data, *list_b = list_a + count_a;
    const MrnFloeEdge *edges_a = probe->edges.data;
    for (size_t i = 0; i < count_a && count_b; i++) {
        const MrnFloeDisc *disc_a = &set->discs.data[list_a[i]];
        MrnVec2 at_a = mrn_rotate2(pose_a->c, pose_a->s, disc_a->centre);
        const MrnFloeEdge *edges_b = probe->edges.data + first_b;
        for (size_t j = 0; j < count_b; j++) {
            const MrnFloeDisc *disc_b = &set->discs.data[list_b[j]];
            MrnVec2 at_b = mrn_add2(origin_b, mrn_rotate2(pose_b->c, pose_b->s, disc_b->centre));
            MrnVec2 d = mrn_sub2(at_b, at_a);
            double far = disc_a->reach + disc_b->reach + query->reach;
            if (mrn_dot2(d, d) <= far * far) disc_pair(query, probe, edges_a, disc_a->count, edges_b, disc_b, at_b);
            edges_b += disc_b->count;
        }
        edges_a += disc_a->count;
    }
    probe->beyond = query->reach;
    probe->separation = mrn_smaller(probe->separation, probe->beyond);
    tidy(probe, mrn_larger(query->distance_a, query->distance_b));
}

void mrn_floe_probe_free(MrnFloeProbe *probe) {
    mrn_array_free(&probe->touches);
    mrn_array_free(&probe->facing);
    mrn_array_free(&probe->edges);
    mrn_array_free(&probe->list);
}
