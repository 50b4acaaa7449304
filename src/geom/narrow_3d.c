// Narrow phase in space: the choice of the family of a pair, spheres and planes in closed form, and the order of the
// contacts.
#include "geom/narrow_3d.h"

#include <assert.h>

static MrnMat3 product(const MrnMat3 *a, const MrnMat3 *b) {
    MrnMat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

static MrnMat3 shape_axes(const MrnShape *shape, const MrnPose *pose) {
    const double *q = shape->rotation;
    if (q[1] == 0 && q[2] == 0 && q[3] == 0) return pose->rotation;
    MrnMat3 own = mrn_quat_matrix(mrn_quat_load(q));
    return product(&pose->rotation, &own);
}

static MrnVec3 shape_offset(const MrnShape *shape, const MrnPose *pose) {
    const double *p = shape->position;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) return mrn_vec3(0, 0, 0);
    return mrn_mat3_times(&pose->rotation, mrn_load3(p));
}

/// Sphere A and box B: the closest point of the box in its own frame.
static void touch_sphere_box(const MrnPair *pair) {
    MrnVec3 d = mrn_sub3(pair->at_a, pair->at_b), local = mrn_mat3_transpose_times(&pair->turn_b, d);
    const double *half = pair->b->half, *c = &local.x;
    double radius = pair->a->radius, foot[3];
    int outside = 0;
    for (int i = 0; i < 3; i++) {
        foot[i] = c[i] < -half[i] ? -half[i] : c[i] > half[i] ? half[i] : c[i];
        outside += foot[i] != c[i];
    }
    if (outside == 0) { // the centre is in the box: out through the nearest face
        int axis = 0;
        for (int i = 1; i < 3; i++)
            if (half[i] - fabs(c[i]) < half[axis] - fabs(c[axis])) axis = i;
        double sign = c[axis] < 0 ? -1 : 1, gap = fabs(c[axis]) - half[axis] - radius;
        if (gap >= pair->margin) return;
        MrnVec3 n = {sign * pair->turn_b.m[0][axis], sign * pair->turn_b.m[1][axis], sign * pair->turn_b.m[2][axis]};
        mrn_emit(pair, mrn_axpy3(pair->at_a, -radius - gap / 2, n), n, gap,
                 mrn_feature(MRN_FEATURE_VERTEX, 0, MRN_FEATURE_SUPPORT, 0));
        return;
    }
    MrnVec3 point = mrn_add3(pair->at_b, mrn_mat3_times(&pair->turn_b, mrn_load3(foot)));
    MrnVec3 away = mrn_sub3(pair->at_a, point);
    double distance = mrn_norm3(away), gap = distance - radius;
    if (gap >= pair->margin) return;
    MrnVec3 n;
    if (distance > 1e-12 * radius)
        n = mrn_scale3(1 / distance, away);
    else { // the centre lies on the surface: the mean of the outer normals there
        double mean[3];
        for (int i = 0; i < 3; i++) mean[i] = foot[i] == c[i] ? 0 : c[i] < 0 ? -1 : 1;
        n = mrn_normalize3(mrn_mat3_times(&pair->turn_b, mrn_load3(mean)));
    }
    mrn_emit(pair, mrn_axpy3(point, gap / 2, n), n, gap, mrn_feature(MRN_FEATURE_VERTEX, 0, MRN_FEATURE_SUPPORT, 0));
}

/// Vertices of A over a plane through at_b with normal along the z axis of B.
static void touch_plane(const MrnPair *pair) {
    MrnCore core;
    mrn_core_make(pair->a, pair->at_a, &pair->turn_a, &core);
    MrnVec3 n = {pair->turn_b.m[0][2], pair->turn_b.m[1][2], pair->turn_b.m[2][2]};
    double level = mrn_dot3(n, pair->at_b);
    if (core.height > 0) {
        mrn_cylinder_on_plane(pair, &core, n, level);
        return;
    }
    for (int v = 0; v < core.vertex_count; v++) {
        MrnVec3 p = mrn_core_vertex(&core, v);
        double gap = mrn_dot3(n, p) - level - core.radius;
        if (gap >= pair->margin) continue;
        mrn_emit(pair, mrn_axpy3(p, -core.radius - gap / 2, n), n, gap,
                 mrn_feature(MRN_FEATURE_VERTEX, v, MRN_FEATURE_FACE, 0));
        if (core.radius == 0) mrn_mark_face(pair, 0);
    }
}

/// How large a shape is, for tolerances.
static double length_of(const MrnShape *shape) {
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE:
    case MRN_SHAPE_CAPSULE: return shape->radius;
    case MRN_SHAPE_BOX: return fmin(shape->half[0], fmin(shape->half[1], shape->half[2]));
    case MRN_SHAPE_CYLINDER: return fmin(shape->radius, shape->half[2]);
    case MRN_SHAPE_POLYHEDRON: return ((const MrnFacets *)shape->tree)->half_width;
    default: return INFINITY;
    }
}

static bool is_round(const MrnShape *shape) {
    return shape->kind == MRN_SHAPE_SPHERE || shape->kind == MRN_SHAPE_CAPSULE;
}

/// The ball at the end of a round solid meets a convex solid in one place, which moves smoothly from a face over an
/// edge to the next face: one contact, under one name.
static void name_balls(const MrnPair *pair, size_t begin) {
    const uint64_t nearest = (uint64_t)MRN_FEATURE_SUPPORT << 28, low = 0xffffffffu;
    for (size_t i = begin; i < pair->out->count; i++) {
        uint64_t *feature = &pair->out->data[i].feature, a = *feature >> 32, b = *feature & low;
        bool ball_a = is_round(pair->a) && a >> 28 == MRN_FEATURE_VERTEX,
             ball_b = is_round(pair->b) && b >> 28 == MRN_FEATURE_VERTEX;
        if (pair->a->kind == MRN_SHAPE_SPHERE || (ball_a && !ball_b))
            *feature = a << 32 | nearest;
        else if (ball_b && !ball_a)
            *feature = nearest << 32 | b;
    }
}

static void touch_convex(const MrnPair *pair) {
    if (pair->a->kind == MRN_SHAPE_SPHERE && pair->b->kind == MRN_SHAPE_BOX) {
        touch_sphere_box(pair);
        return;
    }
    size_t begin = pair->out->count;
    MrnCore a, b;
    mrn_core_make(pair->a, pair->at_a, &pair->turn_a, &a);
    mrn_core_make(pair->b, pair->at_b, &pair->turn_b, &b);
    if (a.height > 0 || b.height > 0)
        mrn_touch_cylinder_core(pair, &a, &b);
    else
        mrn_touch_cores(pair, &a, &b);
    if (is_round(pair->a) || is_round(pair->b)) name_balls(pair, begin);
}

static void touch_pair(MrnPair *pair) {
    MrnShapeKind b = pair->b->kind;
    pair->tolerance = 1e-5 * fmin(length_of(pair->a), length_of(pair->b));
    if (b == MRN_SHAPE_TUBE || b == MRN_SHAPE_FUNNEL)
        mrn_touch_hollow(pair);
    else if (b == MRN_SHAPE_MESH)
        mrn_touch_mesh(pair);
    else if (b == MRN_SHAPE_PLANE)
        touch_plane(pair);
    else
        touch_convex(pair);
}

void mrn_put_in_order(MrnTouches *touches, size_t begin) {
    MrnTouch *data = touches->data;
    for (size_t i = begin + 1; i < touches->count; i++) {
        MrnTouch moved = data[i];
        size_t k = i;
        for (; k > begin && (data[k - 1].feature > moved.feature ||
                             (data[k - 1].feature == moved.feature && data[k - 1].gap > moved.gap));
             k--)
            data[k] = data[k - 1];
        data[k] = moved;
    }
    size_t kept = begin;
    for (size_t i = begin; i < touches->count; i++)
        if (kept == begin || data[kept - 1].feature != data[i].feature) data[kept++] = data[i];
    touches->count = kept;
}

/// Two balls, the first seen from the centre of the second.
static inline bool touch_balls(MrnVec3 apart, double radius_a, MrnVec3 centre_b, double radius_b, double margin,
                               MrnTouch *touch) {
    double reach = radius_a + radius_b + margin, squared = mrn_dot3(apart, apart);
    if (squared >= reach * reach) return false;
    double distance = sqrt(squared), gap = distance - radius_a - radius_b;
    MrnVec3 n = distance > 1e-12 * (radius_a + radius_b) ? mrn_scale3(1 / distance, apart) : mrn_vec3(0, 0, 1);
    *touch = (MrnTouch){.position = mrn_axpy3(centre_b, radius_b + gap / 2, n),
                        .normal = n,
                        .gap = gap,
                        .feature = mrn_feature(MRN_FEATURE_VERTEX, 0, MRN_FEATURE_VERTEX, 0)};
    return gap < margin;
}

bool mrn_touch_balls_3d(MrnVec3 centre_a, double radius_a, MrnVec3 centre_b, double radius_b, double margin,
                        MrnTouch *touch) {
    return touch_balls(mrn_sub3(centre_a, centre_b), radius_a, centre_b, radius_b, margin, touch);
}

void mrn_touch_3d(const MrnShape *a, const MrnPose *pose_a, const MrnShape *b, const MrnPose *pose_b, double margin,
                  MrnTouches *touches) {
    MrnVec3 offset_a = shape_offset(a, pose_a), offset_b = shape_offset(b, pose_b);
    // Differences of positions first: the pair is worked on around the origin of shape B.
    MrnVec3 apart = mrn_add3(mrn_sub3(pose_a->position, pose_b->position), mrn_sub3(offset_a, offset_b));
    if (a->kind == MRN_SHAPE_SPHERE && b->kind == MRN_SHAPE_SPHERE) {
        MrnTouch touch;
        if (touch_balls(apart, a->radius, mrn_add3(pose_b->position, offset_b), b->radius, margin, &touch))
            mrn_array_push(touches, touch);
        return;
    }
    bool swapped = a->kind > b->kind;
    MrnPair pair = {.a = swapped ? b : a, .b = swapped ? a : b, .margin = margin, .out = touches};
    if (pair.a->kind > MRN_SHAPE_POLYHEDRON) return; // two obstacles
    assert(pair.a->kind >= MRN_SHAPE_SPHERE);
    pair.at_b = mrn_vec3(0, 0, 0);
    pair.at_a = swapped ? mrn_scale3(-1, apart) : apart;
    pair.turn_a = shape_axes(pair.a, swapped ? pose_b : pose_a);
    pair.turn_b = shape_axes(pair.b, swapped ? pose_a : pose_b);
    MrnVec3 origin = swapped ? mrn_add3(pose_a->position, offset_a) : mrn_add3(pose_b->position, offset_b);
    size_t begin = touches->count;
    touch_pair(&pair);
    for (size_t i = begin; i < touches->count; i++) {
        MrnTouch *touch = &touches->data[i];
        touch->position = mrn_add3(touch->position, origin);
        if (swapped) {
            touch->normal = mrn_scale3(-1, touch->normal);
            touch->feature = touch->feature << 32 | touch->feature >> 32;
            if (touch->carrier == MRN_NORMAL_OF_EDGES) {
                MrnVec3 edge = touch->edge_a;
                touch->edge_a = touch->edge_b;
                touch->edge_b = edge;
            } else if (touch->carrier)
                touch->carrier = touch->carrier == MRN_NORMAL_OF_A ? MRN_NORMAL_OF_B : MRN_NORMAL_OF_A;
        }
    }
    mrn_put_in_order(touches, begin);
}
