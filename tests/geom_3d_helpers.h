// What the tests of shapes of space share: random solids and places, an independent search of the separation of two
// convex bodies, and checks of contacts that hold for every pair.
#ifndef MRN_TESTS_GEOM_3D_HELPERS_H
#define MRN_TESTS_GEOM_3D_HELPERS_H

#include "base/random.h"
#include "geom/hull.h"
#include "geom/mesh.h"
#include "geom/narrow.h"
#include "geom/shape_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t draw_count;
static inline double uniform(double low, double high) {
    return mrn_random_between(7, 1, draw_count++, low, high);
}
static inline MrnVec3 random_point(double size) {
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return mrn_vec3(x, y, z);
}
static inline MrnVec3 random_direction(void) {
    for (;;) {
        MrnVec3 v = random_point(1);
        double length = mrn_norm3(v);
        if (length > 0.1 && length < 1) return mrn_scale3(1 / length, v);
    }
}
static inline MrnMat3 turn_by(MrnVec3 w) {
    return mrn_quat_matrix(mrn_quat_exp(mrn_scale3(0.5, w)));
}
static inline MrnMat3 times(MrnMat3 a, MrnMat3 b) {
    MrnMat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}
static inline MrnPose random_pose(double size) {
    MrnVec3 w = mrn_scale3(uniform(0, 3.1), random_direction());
    return (MrnPose){random_point(size), turn_by(w)};
}
static const MrnPose still = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
static inline MrnPose at(double x, double y, double z) {
    MrnPose pose = still;
    pose.position = mrn_vec3(x, y, z);
    return pose;
}

static inline MrnShape sized(MrnShapeKind kind, double radius, double x, double y, double z) {
    return (MrnShape){.kind = kind, .radius = radius, .half = {x, y, z}, .rotation = {1, 0, 0, 0}};
}
static inline MrnShape polyhedron(const double *points, size_t count) {
    MrnShape shape = {.kind = MRN_SHAPE_POLYHEDRON, .rotation = {1, 0, 0, 0}, .vertex_count = count};
    shape.vertices = malloc(3 * count * sizeof(double));
    memcpy(shape.vertices, points, 3 * count * sizeof(double));
    MrnError error = {0};
    if (!mrn_shape_prepare_3d(&shape, &error)) fail_msg("%s", error.message);
    return shape;
}
static inline MrnShape random_polyhedron(int count, double size) {
    double points[3 * 64];
    for (int i = 0; i < count; i++) mrn_store3(points + 3 * i, mrn_scale3(size * uniform(0.7, 1), random_direction()));
    return polyhedron(points, (size_t)count);
}
static inline void discard(MrnShape *shape) {
    mrn_shape_free_tree_3d(shape);
    free(shape->vertices);
    free(shape->face_start);
    free(shape->face_vertex);
}

static inline MrnShape funnel(double bottom, double top, double half) {
    MrnShape shape = sized(MRN_SHAPE_FUNNEL, bottom, 0, 0, half);
    shape.top_radius = top;
    return shape;
}

/// Solids of the kinds under test, about 1 m large, of proportions that are nothing special.
static inline MrnShape random_solid(MrnShapeKind kind) {
    switch (kind) {
    case MRN_SHAPE_SPHERE: return sized(kind, uniform(0.4, 1), 0, 0, 0);
    case MRN_SHAPE_BOX: {
        double x = uniform(0.3, 1), y = uniform(0.3, 1), z = uniform(0.3, 1);
        return sized(kind, 0, x, y, z);
    }
    case MRN_SHAPE_POLYHEDRON: return random_polyhedron((int)uniform(6, 20), 1);
    default: {
        double r = uniform(0.3, 0.8);
        return sized(kind, r, 0, 0, uniform(0.3, 1));
    }
    }
}

static inline MrnVec3 local_support(const MrnShape *shape, MrnVec3 d) {
    MrnVec3 p = {0, 0, 0};
    double length = mrn_norm3(d), across = hypot(d.x, d.y), r = shape->radius;
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: return mrn_scale3(r / length, d);
    case MRN_SHAPE_BOX:
        return mrn_vec3(copysign(shape->half[0], d.x), copysign(shape->half[1], d.y), copysign(shape->half[2], d.z));
    case MRN_SHAPE_CAPSULE: return mrn_axpy3(mrn_vec3(0, 0, copysign(shape->half[2], d.z)), r / length, d);
    case MRN_SHAPE_CYLINDER:
        return mrn_vec3(across > 0 ? r * d.x / across : 0, across > 0 ? r * d.y / across : 0,
                        copysign(shape->half[2], d.z));
    default: {
        double best = -INFINITY;
        for (size_t i = 0; i < shape->vertex_count; i++) {
            MrnVec3 v = mrn_load3(shape->vertices + 3 * i);
            if (mrn_dot3(v, d) > best) best = mrn_dot3(v, d), p = v;
        }
        return p;
    }
    }
}
static inline double height(const MrnShape *shape, const MrnPose *pose, MrnVec3 d) {
    MrnVec3 local = mrn_mat3_transpose_times(&pose->rotation, d);
    return mrn_dot3(local, local_support(shape, local)) + mrn_dot3(d, pose->position);
}
/// Separation of two convex bodies along n (from B to A): its largest value over n is the distance, or minus the depth.
static inline double separation(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb, MrnVec3 n) {
    return -height(a, pa, mrn_scale3(-1, n)) - height(b, pb, n);
}
/// Climb from `n` over shrinking random steps.
static inline double climb(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb, MrnVec3 *n) {
    double best = separation(a, pa, b, pb, *n);
    for (double step = 0.5; step > 1e-9; step *= 0.7) {
        MrnVec3 start = *n;
        for (int i = 0; i < 24; i++) {
            MrnVec3 t1, t2;
            mrn_tangents3(start, &t1, &t2);
            double angle = 6.283185307179586 * (i + uniform(0, 1)) / 24;
            MrnVec3 trial = mrn_normalize3(mrn_axpy3(mrn_axpy3(start, step * cos(angle), t1), step * sin(angle), t2));
            double value = separation(a, pa, b, pb, trial);
            if (value > best) best = value, *n = trial;
        }
    }
    return best;
}
static inline double search_separation(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb) {
    double best = -INFINITY;
    MrnVec3 start[400];
    double value[400];
    for (int i = 0; i < 400; i++) start[i] = random_direction(), value[i] = separation(a, pa, b, pb, start[i]);
    for (int tries = 0; tries < 8; tries++) { // climb from the best starts
        int top = 0;
        for (int i = 1; i < 400; i++)
            if (value[i] > value[top]) top = i;
        value[top] = -INFINITY;
        best = fmax(best, climb(a, pa, b, pb, &start[top]));
    }
    return best;
}

static inline MrnTouches touch(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin) {
    MrnTouches touches = {0};
    mrn_touch_3d(a, &pa, b, &pb, margin, &touches);
    for (size_t i = 0; i < touches.count; i++) {
        const MrnTouch *t = &touches.data[i];
        assert_true(fabs(mrn_norm3(t->normal) - 1) < 1e-9);
        assert_true(t->gap < margin && isfinite(t->gap));
        assert_true(isfinite(t->position.x + t->position.y + t->position.z));
        if (i) assert_true(touches.data[i - 1].feature < t->feature);
    }
    return touches;
}
static inline double smallest_gap(const MrnTouches *touches) {
    double gap = INFINITY;
    for (size_t i = 0; i < touches->count; i++) gap = fmin(gap, touches->data[i].gap);
    return gap;
}
static const MrnTouch *find_feature(const MrnTouches *touches, uint64_t feature) {
    for (size_t i = 0; i < touches->count; i++)
        if (touches->data[i].feature == feature) return &touches->data[i];
    return NULL;
}

/// Compare the derivative of every gap by all twelve motions of the two bodies with the relative velocity along the
/// normal at the contact (Moreau 2003, M23). Returns the number of derivatives compared.
static inline int check_derivatives(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin,
                                    double step, double tolerance) {
    MrnTouches now = touch(a, pa, b, pb, margin);
    int compared = 0;
    for (int motion = 0; motion < 12; motion++) {
        MrnVec3 e = {motion % 3 == 0, motion % 3 == 1, motion % 3 == 2};
        bool turns = motion / 3 % 2, moves_a = motion < 6;
        MrnTouches moved[2];
        for (int k = 0; k < 2; k++) {
            MrnPose qa = pa, qb = pb, *q = moves_a ? &qa : &qb;
            MrnVec3 d = mrn_scale3(k ? step : -step, e);
            if (turns)
                q->rotation = times(turn_by(d), q->rotation);
            else
                q->position = mrn_add3(q->position, d);
            moved[k] = touch(a, qa, b, qb, margin + 1);
        }
        for (size_t i = 0; i < now.count; i++) {
            const MrnTouch *t = &now.data[i], *back = find_feature(&moved[0], t->feature),
                           *ahead = find_feature(&moved[1], t->feature);
            if (!back || !ahead) continue;
            MrnVec3 arm = mrn_sub3(t->position, moves_a ? pa.position : pb.position);
            double rate = mrn_dot3(t->normal, turns ? mrn_cross3(e, arm) : e) * (moves_a ? 1 : -1);
            double found = (ahead->gap - back->gap) / (2 * step);
            if (fabs(rate - found) > tolerance)
                fail_msg("%d-%d feature %llx motion %d: gap %g, rate %.9g, difference quotient %.9g (%g, %g)",
                         (int)a->kind, (int)b->kind, (unsigned long long)t->feature, motion, t->gap, rate, found,
                         back->gap, ahead->gap);
            compared++;
        }
        for (int k = 0; k < 2; k++) free(moved[k].data);
    }
    free(now.data);
    return compared;
}

/// Swapping the bodies must give the same places with opposite normals.
static inline void check_swap(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin,
                              double tolerance) {
    MrnTouches one = touch(a, pa, b, pb, margin), two = touch(b, pb, a, pa, margin);
    assert_int_equal(one.count, two.count);
    for (size_t i = 0; i < one.count; i++) {
        const MrnTouch *t = &one.data[i], *s = find_feature(&two, t->feature << 32 | t->feature >> 32);
        assert_non_null(s);
        assert_true(mrn_norm3(mrn_add3(t->normal, s->normal)) <= tolerance);
        assert_true(mrn_norm3(mrn_sub3(t->position, s->position)) <= tolerance);
        assert_true(fabs(t->gap - s->gap) <= tolerance);
    }
    free(one.data);
    free(two.data);
}

/// Put A at a random place whose separation from B is `gap`.
static inline void place_apart(const MrnShape *a, MrnPose *pa, const MrnShape *b, MrnPose *pb, double gap) {
    *pa = random_pose(2);
    *pb = random_pose(2);
    MrnVec3 way = random_direction();
    // Move along the line until the best separation is right: by secant steps, as the separation grows steadily.
    double low = -3, high = 6;
    MrnVec3 origin = pb->position;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        pa->position = mrn_axpy3(origin, middle, way);
        MrnVec3 n = way;
        double value = -INFINITY;
        value = climb(a, pa, b, pb, &n);
        if (middle < 0 || value < gap)
            low = middle;
        else
            high = middle;
        if (high - low < 1e-3 * fabs(gap)) break;
    }
}

static const MrnShapeKind solids[] = {MRN_SHAPE_SPHERE, MRN_SHAPE_BOX, MRN_SHAPE_CAPSULE, MRN_SHAPE_CYLINDER,
                                      MRN_SHAPE_POLYHEDRON};
enum { SOLIDS = sizeof solids / sizeof *solids };

#endif
