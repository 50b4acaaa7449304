// Narrow phase in the plane: where two placed shapes touch.
//
// Feature numbers: bits 48-49 the kind (0 vertex of A and edge of B, 1 edge of A and vertex of B, 2 two vertices), bits
// 24-47 the number in A, bits 0-23 the number in B; bits 50-63 are zero.
#include "geom/narrow_2d.h"

#include <assert.h>

// Both over the extent of the smaller outline.
#define TOUCHING    1e-9 ///< vertices this close coincide, overlaps this small are zero
#define SAME_CORNER 1e-5 ///< a contact this close to a corner has the name of the corner

static MrnPlacement2 placement_of(const MrnShape *shape, const MrnPose *body) {
    double c = body->rotation.m[0][0], s = body->rotation.m[1][0];
    MrnPlacement2 place = {c, s, {body->position.x, body->position.y}};
    if (shape->position[0] != 0.0 || shape->position[1] != 0.0)
        place.origin = mrn_add2(place.origin, mrn_rotate2(c, s, mrn_vec2(shape->position[0], shape->position[1])));
    if (shape->rotation[0] != 0.0) {
        double turn_c = cos(shape->rotation[0]), turn_s = sin(shape->rotation[0]);
        place.c = c * turn_c - s * turn_s;
        place.s = s * turn_c + c * turn_s;
    }
    return place;
}

// Frame of `a` seen from the frame of `b`.
static MrnPlacement2 relative(const MrnPlacement2 *a, const MrnPlacement2 *b) {
    return (MrnPlacement2){b->c * a->c + b->s * a->s, b->c * a->s - b->s * a->c, mrn_to_local_2d(b, a->origin)};
}

void mrn_emit_touch_2d(MrnPair2 *pair, MrnVec2 point, MrnVec2 normal, double distance, uint64_t feature) {
    double gap = distance - pair->radius_a - pair->radius_b;
    if (!(gap < pair->margin)) return;
    double back = 0.5 * (pair->radius_a + distance - pair->radius_b);
    MrnVec2 position = mrn_to_space_2d(&pair->space, mrn_sub2(point, mrn_scale2(back, normal)));
    MrnVec2 n = mrn_rotate2(pair->space.c, pair->space.s, normal);
    double sign = pair->flip ? -1.0 : 1.0;
    MrnTouch touch = {.position = {position.x, position.y, 0.0},
                      .normal = {sign * n.x, sign * n.y, 0.0},
                      .gap = gap,
                      .feature = feature};
    mrn_array_push(pair->touches, touch);
}

void mrn_mark_face_2d(MrnPair2 *pair, bool of_a) {
    pair->touches->data[pair->touches->count - 1].carrier = of_a != pair->flip ? MRN_NORMAL_OF_B : MRN_NORMAL_OF_A;
}

/// Mark of a contact of a vertex that is deep behind an edge but close to another one that it does not face. Until
/// drop_doubtful, position.z says how close, and normal.z on which side of the position the vertex is.
#define DOUBTFUL ((uint64_t)1 << 63)

void mrn_mark_doubtful_2d(MrnPair2 *pair, double close, bool of_a) {
    MrnTouch *touch = &pair->touches->data[pair->touches->count - 1];
    touch->feature |= DOUBTFUL;
    touch->position.z = close;
    touch->normal.z = of_a != pair->flip ? 1.0 : -1.0;
    pair->doubtful = true;
}

// A sharp corner that overlaps another one a little seems to be deep behind its far side. Such a contact goes when a
// much shallower one is close by: that is the true one. It stays when there is none: then the vertex came in from far.
static void drop_doubtful(MrnPair2 *pair) {
    MrnTouch *touch = pair->touches->data + pair->first;
    size_t count = pair->touches->count - pair->first, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(touch[i].feature & DOUBTFUL)) continue;
        double shift = 0.5 * touch[i].gap * touch[i].normal.z, radius = 40.0 * touch[i].position.z + pair->same_corner;
        double x = touch[i].position.x + shift * touch[i].normal.x, y = touch[i].position.y + shift * touch[i].normal.y;
        for (size_t j = 0; j < count; j++)
            if (!(touch[j].feature & DOUBTFUL) && touch[j].gap > 0.25 * touch[i].gap &&
                touch[j].gap <= 4.0 * pair->touching &&
                hypot(touch[j].position.x - x, touch[j].position.y - y) <= radius)
                touch[i].gap = INFINITY;
    }
    for (size_t i = 0; i < count; i++) {
        if (touch[i].gap == INFINITY) continue;
        touch[kept] = touch[i];
        touch[kept].feature &= ~DOUBTFUL;
        touch[kept].position.z = touch[kept].normal.z = 0.0;
        kept++;
    }
    pair->touches->count = pair->first + kept;
}

// By feature number; of two with the same number the deeper stays.
static void finish(MrnPair2 *pair) {
    MrnTouch *touch = pair->touches->data + pair->first;
    size_t count = pair->touches->count - pair->first, kept = 0;
    for (size_t i = 1; i < count; i++) {
        MrnTouch moved = touch[i];
        size_t j = i;
        for (; j > 0 && (touch[j - 1].feature > moved.feature ||
                         (touch[j - 1].feature == moved.feature && touch[j - 1].gap > moved.gap));
             j--)
            touch[j] = touch[j - 1];
        touch[j] = moved;
    }
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || touch[i].feature != touch[kept - 1].feature) touch[kept++] = touch[i];
    pair->touches->count = pair->first + kept;
}

// Vertex of A at `v` in the frame of a ring or a half-plane.
static void touch_smooth(MrnPair2 *pair, MrnShapeKind kind, double ring_radius, MrnVec2 v, int32_t index) {
    uint64_t feature = mrn_feature_2d(VERTEX_EDGE, index, 0);
    if (kind == MRN_SHAPE_HALF_PLANE) {
        size_t before = pair->touches->count;
        mrn_emit_touch_2d(pair, v, mrn_vec2(0, 1), v.y, feature);
        if (pair->a && pair->radius_a == 0.0 && pair->touches->count > before) mrn_mark_face_2d(pair, true);
        return;
    }
    double from_centre = mrn_norm2(v);
    MrnVec2 normal = from_centre > 0.0 ? mrn_scale2(-1.0 / from_centre, v) : mrn_vec2(0, 1);
    mrn_emit_touch_2d(pair, v, normal, ring_radius - from_centre, feature);
}

// Least distance of a box of A to the half-plane or ring.
static double box_distance(const MrnBox2 *box, MrnShapeKind kind, double ring_radius, const MrnPlacement2 *turn) {
    MrnBox2 b = mrn_box_in_2d(box, turn->c, turn->s, turn->origin, 0.0);
    if (kind == MRN_SHAPE_HALF_PLANE) return b.low.y;
    return ring_radius - hypot(fmax(fabs(b.low.x), fabs(b.high.x)), fmax(fabs(b.low.y), fabs(b.high.y)));
}

static void touch_outline_smooth(MrnPair2 *pair, MrnShapeKind kind, double ring_radius) {
    const MrnOutline *a = pair->a;
    const MrnPlacement2 *turn = &pair->turn;
    if (box_distance(&a->box, kind, ring_radius, turn) >= pair->reach) return;
    for (int32_t i = 0; i < a->count;) {
        int32_t skip = 0;
        for (int k = a->level_count - 1; k >= 0 && !skip; k--) {
            int32_t run = (int32_t)1 << (3 * (k + 1));
            if (!(i & (run - 1)) && box_distance(&a->level[k][i / run], kind, ring_radius, turn) >= pair->reach)
                skip = run;
        }
        if (skip) {
            i += skip;
            continue;
        }
        const MrnCorner *corner = &a->corner[i];
        if (corner->convex) {
            double leaving = turn->s * corner->along.x + turn->c * corner->along.y;
            double arriving = -(turn->s * corner->along_before.x + turn->c * corner->along_before.y);
            if (kind != MRN_SHAPE_HALF_PLANE || (leaving >= -FACING && arriving >= -FACING))
                touch_smooth(pair, kind, ring_radius, mrn_to_space_2d(turn, corner->point), i);
        }
        i++;
    }
}

bool mrn_touch_balls_2d(MrnVec3 centre_a, double radius_a, MrnVec3 centre_b, double radius_b, double margin,
                        MrnTouch *touch) {
    MrnVec2 d = mrn_vec2(centre_a.x - centre_b.x, centre_a.y - centre_b.y);
    double square = mrn_dot2(d, d), reach = radius_a + radius_b + margin;
    if (!(square < reach * reach) || reach < 0.0) return false;
    double distance = sqrt(square), gap = distance - radius_a - radius_b;
    MrnVec2 n = distance > 0.0 ? mrn_scale2(1.0 / distance, d) : mrn_vec2(0, 1);
    MrnVec2 p = mrn_add2(mrn_vec2(centre_b.x, centre_b.y), mrn_scale2(radius_b + 0.5 * gap, n));
    *touch = (MrnTouch){.position = {p.x, p.y, 0.0},
                        .normal = {n.x, n.y, 0.0},
                        .gap = gap,
                        .feature = mrn_feature_2d(VERTEX_VERTEX, 0, 0)};
    return true;
}

void mrn_touch_2d(const MrnShape *a, const MrnPose *pose_a, const MrnShape *b, const MrnPose *pose_b, double margin,
                  MrnTouches *touches) {
    bool flip = a->kind > b->kind;
    if (flip) {
        const MrnShape *shape = a;
        const MrnPose *pose = pose_a;
        a = b, pose_a = pose_b;
        b = shape, pose_b = pose;
    }
    if (!mrn_shape_is_solid(a->kind)) return; // kinds are ordered: then b is not solid either
    MrnPlacement2 place_a = placement_of(a, pose_a), place_b = placement_of(b, pose_b);
    if (b->kind == MRN_SHAPE_DISC) {
        MrnVec3 centre_a = {place_a.origin.x, place_a.origin.y, 0}, centre_b = {place_b.origin.x, place_b.origin.y, 0};
        MrnTouch touch;
        if (mrn_touch_balls_2d(centre_a, a->radius, centre_b, b->radius, margin, &touch))
            mrn_array_push(touches, touch);
        return;
    }
    bool smooth = b->kind == MRN_SHAPE_RING || b->kind == MRN_SHAPE_HALF_PLANE;
    MrnPair2 pair = {.space = place_b,
                     .turn = relative(&place_a, &place_b),
                     .radius_a = a->radius,
                     .margin = margin,
                     .flip = flip,
                     .touches = touches,
                     .first = touches->count};
    pair.radius_b = smooth ? 0.0 : b->radius;
    pair.reach = margin + pair.radius_a + pair.radius_b;
    if (a->kind == MRN_SHAPE_POLYGON) pair.a = a->tree;
    if (!smooth) pair.b = b->tree;
    assert((a->kind == MRN_SHAPE_DISC || pair.a) && (smooth || pair.b)); // mrn_shape_prepare comes first

    if (smooth && !pair.a)
        touch_smooth(&pair, b->kind, b->radius, pair.turn.origin, 0);
    else if (smooth)
        touch_outline_smooth(&pair, b->kind, b->radius);
    else if (!pair.a)
        mrn_touch_disc_outline_2d(&pair);
    else {
        double extent = fmin(pair.a->extent, pair.b->extent);
        pair.sharp = pair.radius_a == 0.0 && pair.radius_b == 0.0;
        pair.touching = TOUCHING * extent;
        pair.same_corner = SAME_CORNER * extent;
        mrn_touch_outlines_2d(&pair);
    }
    if (pair.doubtful) drop_doubtful(&pair);
    if (touches->count > pair.first + 1) finish(&pair);
}
