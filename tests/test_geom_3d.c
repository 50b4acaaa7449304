// Shapes of space and their contacts: hulls, mass properties, gaps against independent searches, derivatives, stability of features.
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

// ------------------------------------------------------------------------------------------------------------- helpers

static uint64_t draw_count;
static double uniform(double low, double high) {
    return mrn_random_between(7, 1, draw_count++, low, high);
}
static MrnVec3 random_point(double size) {
    double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return mrn_vec3(x, y, z);
}
static MrnVec3 random_direction(void) {
    for (;;) {
        MrnVec3 v = random_point(1);
        double length = mrn_norm3(v);
        if (length > 0.1 && length < 1) return mrn_scale3(1 / length, v);
    }
}
static MrnMat3 turn_by(MrnVec3 w) {
    return mrn_quat_matrix(mrn_quat_exp(mrn_scale3(0.5, w)));
}
static MrnMat3 times(MrnMat3 a, MrnMat3 b) {
    MrnMat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}
static MrnPose random_pose(double size) {
    MrnVec3 w = mrn_scale3(uniform(0, 3.1), random_direction());
    return (MrnPose){random_point(size), turn_by(w)};
}
static const MrnPose still = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
static MrnPose at(double x, double y, double z) {
    MrnPose pose = still;
    pose.position = mrn_vec3(x, y, z);
    return pose;
}

static MrnShape sized(MrnShapeKind kind, double radius, double x, double y, double z) {
    return (MrnShape){.kind = kind, .radius = radius, .half = {x, y, z}, .rotation = {1, 0, 0, 0}};
}
static MrnShape polyhedron(const double *points, size_t count) {
    MrnShape shape = {.kind = MRN_SHAPE_POLYHEDRON, .rotation = {1, 0, 0, 0}, .vertex_count = count};
    shape.vertices = malloc(3 * count * sizeof(double));
    memcpy(shape.vertices, points, 3 * count * sizeof(double));
    MrnError error = {0};
    if (!mrn_shape_prepare_3d(&shape, &error)) fail_msg("%s", error.message);
    return shape;
}
static MrnShape random_polyhedron(int count, double size) {
    double points[3 * 64];
    for (int i = 0; i < count; i++) mrn_store3(points + 3 * i, mrn_scale3(size * uniform(0.7, 1), random_direction()));
    return polyhedron(points, (size_t)count);
}
static void discard(MrnShape *shape) {
    mrn_shape_free_tree_3d(shape);
    free(shape->vertices);
    free(shape->face_start);
    free(shape->face_vertex);
}

/// Solids of the kinds under test, about 1 m large, of proportions that are nothing special.
static MrnShape random_solid(MrnShapeKind kind) {
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

static MrnVec3 local_support(const MrnShape *shape, MrnVec3 d) {
    MrnVec3 p = {0, 0, 0};
    double length = mrn_norm3(d), across = hypot(d.x, d.y), r = shape->radius;
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: return mrn_scale3(r / length, d);
    case MRN_SHAPE_BOX: return mrn_vec3(copysign(shape->half[0], d.x), copysign(shape->half[1], d.y), copysign(shape->half[2], d.z));
    case MRN_SHAPE_CAPSULE: return mrn_axpy3(mrn_vec3(0, 0, copysign(shape->half[2], d.z)), r / length, d);
    case MRN_SHAPE_CYLINDER:
        return mrn_vec3(across > 0 ? r * d.x / across : 0, across > 0 ? r * d.y / across : 0, copysign(shape->half[2], d.z));
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
static double height(const MrnShape *shape, const MrnPose *pose, MrnVec3 d) {
    MrnVec3 local = mrn_mat3_transpose_times(&pose->rotation, d);
    return mrn_dot3(local, local_support(shape, local)) + mrn_dot3(d, pose->position);
}
/// Separation of two convex bodies along n (from B to A): its largest value over n is the distance, or minus the depth.
static double separation(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb, MrnVec3 n) {
    return -height(a, pa, mrn_scale3(-1, n)) - height(b, pb, n);
}
/// Climb from `n` over shrinking random steps.
static double climb(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb, MrnVec3 *n) {
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
static double search_separation(const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb) {
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

static MrnTouches touch(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin) {
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
static double smallest_gap(const MrnTouches *touches) {
    double gap = INFINITY;
    for (size_t i = 0; i < touches->count; i++) gap = fmin(gap, touches->data[i].gap);
    return gap;
}
static const MrnTouch *find_feature(const MrnTouches *touches, uint64_t feature) {
    for (size_t i = 0; i < touches->count; i++)
        if (touches->data[i].feature == feature) return &touches->data[i];
    return NULL;
}

/// Compare the derivative of every gap by all twelve motions of the two bodies with the relative velocity along the normal at the contact (Moreau 2003, M23).
/// Returns the number of derivatives compared.
static int check_derivatives(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin, double step, double tolerance) {
    MrnTouches now = touch(a, pa, b, pb, margin);
    int compared = 0;
    for (int motion = 0; motion < 12; motion++) {
        MrnVec3 e = {motion % 3 == 0, motion % 3 == 1, motion % 3 == 2};
        bool turns = motion / 3 % 2, moves_a = motion < 6;
        MrnTouches moved[2];
        for (int k = 0; k < 2; k++) {
            MrnPose qa = pa, qb = pb, *q = moves_a ? &qa : &qb;
            MrnVec3 d = mrn_scale3(k ? step : -step, e);
            if (turns) q->rotation = times(turn_by(d), q->rotation);
            else q->position = mrn_add3(q->position, d);
            moved[k] = touch(a, qa, b, qb, margin + 1);
        }
        for (size_t i = 0; i < now.count; i++) {
            const MrnTouch *t = &now.data[i], *back = find_feature(&moved[0], t->feature), *ahead = find_feature(&moved[1], t->feature);
            if (!back || !ahead) continue;
            MrnVec3 arm = mrn_sub3(t->position, moves_a ? pa.position : pb.position);
            double rate = mrn_dot3(t->normal, turns ? mrn_cross3(e, arm) : e) * (moves_a ? 1 : -1);
            double found = (ahead->gap - back->gap) / (2 * step);
            if (fabs(rate - found) > tolerance)
                fail_msg("%d-%d feature %llx motion %d: gap %g, rate %.9g, difference quotient %.9g (%g, %g)", (int)a->kind, (int)b->kind,
                         (unsigned long long)t->feature, motion, t->gap, rate, found, back->gap, ahead->gap);
            compared++;
        }
        for (int k = 0; k < 2; k++) free(moved[k].data);
    }
    free(now.data);
    return compared;
}

/// Swapping the bodies must give the same places with opposite normals.
static void check_swap(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin, double tolerance) {
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
static void place_apart(const MrnShape *a, MrnPose *pa, const MrnShape *b, MrnPose *pb, double gap) {
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
        if (middle < 0 || value < gap) low = middle;
        else high = middle;
        if (high - low < 1e-3 * fabs(gap)) break;
    }
}

static const MrnShapeKind solids[] = {MRN_SHAPE_SPHERE, MRN_SHAPE_BOX, MRN_SHAPE_CAPSULE, MRN_SHAPE_CYLINDER, MRN_SHAPE_POLYHEDRON};
enum { SOLIDS = sizeof solids / sizeof *solids };

// ------------------------------------------------------------------------------------------------------------- pairs of solids

/// The smallest gap must be the separation along one of the normals found (so it is no larger than the true one), and no search may find more.
static void check_separation(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin, double slack) {
    MrnTouches found = touch(a, pa, b, pb, margin);
    double searched = search_separation(a, &pa, b, &pb), best = -INFINITY, gap = smallest_gap(&found);
    for (size_t i = 0; i < found.count; i++) {
        MrnVec3 n = found.data[i].normal;
        best = fmax(best, separation(a, &pa, b, &pb, n));
        searched = fmax(searched, climb(a, &pa, b, &pb, &n));
    }
    // A second face within five degrees of the first may lie deeper by the cosine.
    double tolerance = 1e-6 + slack * fabs(gap);
    if (fabs(gap - best) > tolerance || searched > gap + tolerance)
        fail_msg("%d-%d: gap %.9g, separation along its normal %.9g, search gives %.9g (%zu contacts)", (int)a->kind, (int)b->kind, gap, best,
                 searched, found.count);
    free(found.data);
}

static void smallest_gap_equals_the_distance_found_by_a_search(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 12; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa, pb;
                place_apart(&a, &pa, &b, &pb, uniform(0.01, 0.2));
                check_separation(&a, pa, &b, pb, 0.4, 0);
                discard(&a);
                discard(&b);
            }
}

static void slight_overlap_has_the_depth_found_by_a_search(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 12; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa, pb;
                place_apart(&a, &pa, &b, &pb, -uniform(0.001, 0.03));
                check_separation(&a, pa, &b, pb, 0.1, 0.005);
                discard(&a);
                discard(&b);
            }
}

static void gap_changes_at_the_rate_of_the_normal_velocity(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++) {
            int compared = 0;
            for (int repeat = 0; repeat < 8; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa, pb;
                place_apart(&a, &pa, &b, &pb, repeat % 2 ? uniform(0.01, 0.1) : -uniform(0.001, 0.02));
                compared += check_derivatives(&a, pa, &b, pb, 0.3, 1e-6, 2e-5);
                discard(&a);
                discard(&b);
            }
            if (compared < 60) fail_msg("%d-%d: only %d derivatives compared", (int)solids[i], (int)solids[j], compared);
        }
}

static void swapping_the_bodies_turns_the_normals_round(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 8; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa, pb;
                place_apart(&a, &pa, &b, &pb, repeat % 2 ? uniform(0.01, 0.1) : -uniform(0.001, 0.02));
                check_swap(&a, pa, &b, pb, 0.3, 1e-7);
                discard(&a);
                discard(&b);
            }
}

// ------------------------------------------------------------------------------------------------------------- resting blocks

/// The features of box A over box B, under small motions of A.
static void expect_stable(const MrnShape *a, MrnPose pa, const MrnShape *b, size_t wanted, double size) {
    MrnTouches first = touch(a, pa, b, still, 0.01 * size);
    assert_int_equal(first.count, wanted);
    for (int repeat = 0; repeat < 400; repeat++) {
        double step = size * pow(10, uniform(-9, -6));
        MrnPose moved = pa;
        moved.position = mrn_add3(moved.position, random_point(step));
        moved.rotation = times(turn_by(random_point(step / size)), moved.rotation);
        MrnTouches now = touch(a, moved, b, still, 0.01 * size);
        if (now.count != wanted) fail_msg("step %g: %zu contacts instead of %zu", step, now.count, wanted);
        for (size_t i = 0; i < wanted; i++) {
            assert_true(now.data[i].feature == first.data[i].feature);
            assert_true(now.data[i].normal.z > 0.999);
            assert_true(mrn_norm3(mrn_sub3(now.data[i].position, first.data[i].position)) < 2e-5 * size);
            assert_true(fabs(now.data[i].gap - first.data[i].gap) < 4 * step);
        }
        free(now.data);
    }
    free(first.data);
}

static void block_on_an_equal_block_keeps_its_four_corners(void **state) {
    (void)state;
    for (double size = 1e-3; size < 2e4; size *= 10) {
        MrnShape box = sized(MRN_SHAPE_BOX, 0, 0.5 * size, 0.5 * size, 0.5 * size);
        expect_stable(&box, at(0, 0, size), &box, 4, size);
        expect_stable(&box, at(0, 0, size * (1 - 1e-6)), &box, 4, size);
        expect_stable(&box, at(0.1 * size, 0, size), &box, 4, size);              // slid along one side: sides stay in line
        expect_stable(&box, at(0.1 * size, 0.2 * size, size), &box, 4, size);     // slid both ways
        MrnPose turned = at(0, 0, size);
        turned.rotation = turn_by(mrn_vec3(0, 0, 1.5707963267948966));
        expect_stable(&box, turned, &box, 4, size);
        turned.rotation = turn_by(mrn_vec3(0, 0, 0.6)); // an octagon
        expect_stable(&box, turned, &box, 8, size);
    }
}

static void small_block_rests_on_the_face_of_a_large_one_with_its_four_corners(void **state) {
    (void)state;
    MrnShape small = sized(MRN_SHAPE_BOX, 0, 0.2, 0.3, 0.4), large = sized(MRN_SHAPE_BOX, 0, 2, 2, 0.5);
    for (int repeat = 0; repeat < 20; repeat++) {
        MrnPose pose = at(uniform(-1, 1), uniform(-1, 1), 0.9);
        pose.rotation = turn_by(mrn_vec3(0, 0, uniform(-3, 3)));
        expect_stable(&small, pose, &large, 4, 0.5);
    }
}

static void block_on_a_plane_touches_with_its_four_lowest_corners(void **state) {
    (void)state;
    MrnShape box = sized(MRN_SHAPE_BOX, 0, 0.2, 0.3, 0.4), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0);
    MrnTouches found = touch(&box, at(3, 4, 0.39), &plane, still, 0.01);
    assert_int_equal(found.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(found.data[i].gap + 0.01) < 1e-14);
        assert_true(fabs(found.data[i].position.z + 0.005) < 1e-14);
        assert_true(found.data[i].normal.z == 1);
    }
    free(found.data);
}

static void bodies_inside_each_other_still_get_a_finite_normal_and_a_negative_gap(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 10; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa = repeat ? random_pose(0.1) : still, pb = repeat ? random_pose(0.1) : still;
                MrnTouches found = touch(&a, pa, &b, pb, 0.1);
                if (found.count == 0 || !(smallest_gap(&found) < 0)) fail_msg("%d-%d: no contact", (int)a.kind, (int)b.kind);
                free(found.data);
                discard(&a);
                discard(&b);
            }
}


// ------------------------------------------------------------------------------------------------------------- round bodies at rest

static void lying_cylinder_touches_with_the_two_ends_of_its_line(void **state) {
    (void)state;
    MrnShape cylinder = sized(MRN_SHAPE_CYLINDER, 0.3, 0, 0, 0.5), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0), box = sized(MRN_SHAPE_BOX, 0, 2, 2, 1);
    for (int repeat = 0; repeat < 40; repeat++) {
        MrnPose pose = at(uniform(-0.5, 0.5), uniform(-0.5, 0.5), 0.3);
        pose.rotation = times(turn_by(mrn_vec3(0, 0, uniform(-3, 3))), turn_by(mrn_vec3(1.5707963267948966, 0, 0)));
        pose.rotation = times(pose.rotation, turn_by(mrn_vec3(0, 0, uniform(-3, 3)))); // about its own axis
        MrnVec3 axis = {pose.rotation.m[0][2], pose.rotation.m[1][2], pose.rotation.m[2][2]};
        for (int on_box = 0; on_box < 2; on_box++) {
            MrnPose ground = at(0, 0, on_box ? -1 : 0);
            MrnTouches found = touch(&cylinder, pose, on_box ? &box : &plane, ground, 0.01);
            assert_int_equal(found.count, 2);
            for (int i = 0; i < 2; i++) {
                assert_true(fabs(found.data[i].gap) < 1e-14 && found.data[i].normal.z > 1 - 1e-14);
                MrnVec3 end = mrn_axpy3(pose.position, i ? 0.5 : -0.5, axis);
                assert_true(hypot(found.data[i].position.x - end.x, found.data[i].position.y - end.y) < 1e-12);
            }
            free(found.data);
        }
    }
}

static void standing_cylinder_keeps_its_rim_points(void **state) {
    (void)state;
    MrnShape cylinder = sized(MRN_SHAPE_CYLINDER, 0.4, 0, 0, 0.5), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0), box = sized(MRN_SHAPE_BOX, 0, 2, 2, 0.5);
    MrnShape wide = sized(MRN_SHAPE_CYLINDER, 1, 0, 0, 0.5);
    const MrnShape *ground[3] = {&plane, &box, &wide};
    for (int g = 0; g < 3; g++) {
        MrnPose under = at(0, 0, g ? -0.5 : 0), pose = at(0.1, 0.2, 0.5);
        pose.rotation = turn_by(mrn_vec3(0, 0, 0.4));
        MrnTouches first = touch(&cylinder, pose, ground[g], under, 0.001);
        assert_int_equal(first.count, 4);
        for (int repeat = 0; repeat < 200; repeat++) {
            MrnPose moved = pose;
            double step = pow(10, uniform(-9, -6.7));
            moved.position = mrn_add3(moved.position, random_point(step));
            moved.rotation = times(turn_by(random_point(step)), moved.rotation);
            MrnTouches now = touch(&cylinder, moved, ground[g], under, 0.001);
            assert_int_equal(now.count, 4);
            for (int i = 0; i < 4; i++) {
                assert_true(now.data[i].feature == first.data[i].feature);
                assert_true(mrn_norm3(mrn_sub3(now.data[i].position, first.data[i].position)) < 1e-5);
            }
            free(now.data);
        }
        // Leaning, it bears on its lowest point, and the other points are near.
        MrnPose leaning = pose;
        leaning.rotation = times(turn_by(mrn_vec3(1e-3, 0, 0)), pose.rotation);
        MrnTouches now = touch(&cylinder, leaning, ground[g], under, 0.01);
        assert_int_equal(now.count, 5);
        free(now.data);
        free(first.data);
    }
}

static void overhanging_cylinder_touches_where_its_rim_crosses_the_edge(void **state) {
    (void)state;
    // Rim of radius 0.5 about (0.9, 0); the box ends at x = 1: the chord has half length sqrt(0.25 - 0.01).
    MrnShape cylinder = sized(MRN_SHAPE_CYLINDER, 0.5, 0, 0, 0.5), box = sized(MRN_SHAPE_BOX, 0, 1, 1, 0.5);
    MrnTouches found = touch(&cylinder, at(0.9, 0, 1), &box, still, 0.01);
    double reach = sqrt(0.25 - 0.01);
    int crossings = 0;
    for (size_t i = 0; i < found.count; i++) {
        MrnVec3 p = found.data[i].position;
        assert_true(fabs(found.data[i].gap) < 1e-14 && fabs(p.z - 0.5) < 1e-14);
        assert_true(p.x < 1 + 1e-9);
        crossings += fabs(p.x - 1) < 1e-12 && fabs(fabs(p.y) - reach) < 1e-12;
    }
    assert_int_equal(crossings, 2);
    assert_int_equal(found.count, 5); // two crossings, and the points of the rim at -x, +y, -y
    free(found.data);
}

static void parallel_cylinders_touch_along_their_common_line(void **state) {
    (void)state;
    MrnShape a = sized(MRN_SHAPE_CYLINDER, 0.3, 0, 0, 0.5), b = sized(MRN_SHAPE_CYLINDER, 0.4, 0, 0, 0.8);
    MrnTouches found = touch(&a, at(0.7, 0, 0.6), &b, still, 0.01);
    assert_int_equal(found.count, 2); // from z = 0.1, the end of a, to z = 0.8, the end of b
    double low = fmin(found.data[0].position.z, found.data[1].position.z), high = fmax(found.data[0].position.z, found.data[1].position.z);
    assert_true(fabs(low - 0.1) < 1e-12 && fabs(high - 0.8) < 1e-12);
    for (int i = 0; i < 2; i++) assert_true(fabs(found.data[i].gap) < 1e-12 && found.data[i].normal.x > 1 - 1e-12);
    free(found.data);
    found = touch(&a, at(0.6, 0, 0), &a, still, 0.01); // equal lengths: rim on rim
    assert_int_equal(found.count, 2);
    free(found.data);
}

static void lying_capsule_touches_with_both_ends(void **state) {
    (void)state;
    MrnShape capsule = sized(MRN_SHAPE_CAPSULE, 0.3, 0, 0, 0.5), box = sized(MRN_SHAPE_BOX, 0, 2, 2, 1);
    MrnPose pose = at(0.1, 0.2, 1.3);
    pose.rotation = turn_by(mrn_vec3(1.5707963267948966, 0, 0));
    expect_stable(&capsule, pose, &box, 2, 0.3);
    pose.position.y = 1.8; // one end over the side: the edge of the box carries the other contact
    MrnTouches found = touch(&capsule, pose, &box, still, 0.01);
    assert_int_equal(found.count, 2);
    assert_true(fabs(fmax(found.data[0].position.y, found.data[1].position.y) - 2) < 1e-12);
    free(found.data);
    // Side by side: two parallel capsules.
    MrnTouches pair = touch(&capsule, at(0.6, 0, 0.2), &capsule, still, 0.01);
    assert_int_equal(pair.count, 2);
    free(pair.data);
}

// ------------------------------------------------------------------------------------------------------------- obstacles

static MrnShape funnel(double bottom, double top, double half) {
    MrnShape shape = sized(MRN_SHAPE_FUNNEL, bottom, 0, 0, half);
    shape.top_radius = top;
    return shape;
}

static void sphere_in_a_tube_has_the_gap_of_the_closed_form(void **state) {
    (void)state;
    MrnShape sphere = sized(MRN_SHAPE_SPHERE, 0.3, 0, 0, 0), tube = sized(MRN_SHAPE_TUBE, 2, 0, 0, 1);
    MrnTouches found = touch(&sphere, at(1.2, 0.9, 0.4), &tube, still, 1);
    assert_int_equal(found.count, 1);
    assert_true(fabs(found.data[0].gap - 0.2) < 1e-14);
    assert_true(mrn_norm3(mrn_sub3(found.data[0].normal, mrn_vec3(-0.8, -0.6, 0))) < 1e-14);
    assert_true(mrn_norm3(mrn_sub3(found.data[0].position, mrn_vec3(1.9 * 0.8, 1.9 * 0.6, 0.4))) < 1e-14);
    free(found.data);
    found = touch(&sphere, at(1.9, 0, 1.2), &tube, still, 1); // over the open end: on the end circle
    assert_int_equal(found.count, 1);
    assert_true(fabs(found.data[0].gap - (hypot(0.1, 0.2) - 0.3)) < 1e-14);
    free(found.data);
    found = touch(&sphere, at(0, 0, 1.5), &tube, still, 0.1);
    assert_int_equal(found.count, 0);
    free(found.data);
}

static void ball_on_the_axis_of_a_funnel_is_held_all_around(void **state) {
    (void)state;
    // Half angle 45 degrees: a ball of radius r touches where its centre is r sqrt(2) above the apex.
    MrnShape ball = sized(MRN_SHAPE_SPHERE, 0.5, 0, 0, 0), cone = funnel(0, 2, 1);
    for (double offset = 0; offset < 1e-3; offset += 3e-4) {
        MrnTouches found = touch(&ball, at(offset, 0, -1 + 0.5 * sqrt(2)), &cone, still, 0.1);
        MrnVec3 sum = {0, 0, 0};
        assert_true(found.count >= 4);
        for (size_t i = 0; i < found.count; i++) {
            assert_true(fabs(found.data[i].gap) <= offset * sqrt(0.5) + 1e-12);
            sum = mrn_add3(sum, found.data[i].normal);
        }
        assert_true(fabs(sum.y) < 1e-12 && sum.z > 2);
        free(found.data);
    }
}

/// Move A along the normal of its nearest contact until the smallest gap is `gap`.
static bool bring_near(const MrnShape *a, MrnPose *pa, const MrnShape *b, const MrnPose *pb, double gap) {
    for (int step = 0; step < 60; step++) {
        MrnTouches found = {0};
        mrn_touch_3d(a, pa, b, pb, 20, &found);
        if (found.count == 0) return false;
        const MrnTouch *nearest = &found.data[0];
        for (size_t i = 1; i < found.count; i++)
            if (found.data[i].gap < nearest->gap) nearest = &found.data[i];
        double excess = nearest->gap - gap;
        pa->position = mrn_axpy3(pa->position, -excess, nearest->normal);
        free(found.data);
        if (fabs(excess) < 1e-3 * fabs(gap)) return true;
    }
    return false;
}

static MrnShape triangle_mesh(const double *vertices, size_t vertex_count, const int *triangles, size_t count) {
    MrnShape mesh = {.kind = MRN_SHAPE_MESH, .rotation = {1, 0, 0, 0}, .vertex_count = vertex_count, .face_count = count};
    mesh.vertices = malloc(3 * vertex_count * sizeof(double));
    memcpy(mesh.vertices, vertices, 3 * vertex_count * sizeof(double));
    mesh.face_vertex = malloc(3 * count * sizeof(int));
    memcpy(mesh.face_vertex, triangles, 3 * count * sizeof(int));
    MrnError error = {0};
    if (!mrn_shape_prepare_3d(&mesh, &error)) fail_msg("%s", error.message);
    return mesh;
}

/// A floor of n x n cells of two triangles over [-size, size], at height(x, y).
static MrnShape floor_mesh(int n, double size, double (*height_at)(double, double)) {
    double vertices[3 * 33 * 33];
    int triangles[6 * 32 * 32];
    assert_true(n <= 32);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double x = size * (2.0 * i / n - 1), y = size * (2.0 * j / n - 1);
            mrn_store3(vertices + 3 * (i * (n + 1) + j), mrn_vec3(x, y, height_at(x, y)));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = i * (n + 1) + j, b = a + n + 1, *t = triangles + 6 * (i * n + j);
            t[0] = a, t[1] = b, t[2] = b + 1, t[3] = a, t[4] = b + 1, t[5] = a + 1;
        }
    return triangle_mesh(vertices, (size_t)((n + 1) * (n + 1)), triangles, (size_t)(2 * n * n));
}
static double level(double x, double y) {
    (void)x, (void)y;
    return 0;
}
static double ridge(double x, double y) {
    (void)y;
    return -fabs(x);
}
static double bumps(double x, double y) {
    return 0.3 * sin(2 * x) * cos(3 * y);
}

static void gaps_to_obstacles_change_at_the_rate_of_the_normal_velocity(void **state) {
    (void)state;
    MrnShape obstacle[4] = {sized(MRN_SHAPE_PLANE, 0, 0, 0, 0), sized(MRN_SHAPE_TUBE, 4, 0, 0, 8), funnel(2.5, 6, 5), floor_mesh(8, 5, bumps)};
    for (int o = 0; o < 4; o++)
        for (int i = 0; i < SOLIDS; i++) {
            int compared = 0;
            for (int repeat = 0; repeat < 10; repeat++) {
                MrnShape a = random_solid(solids[i]);
                MrnPose pb = random_pose(1), local = random_pose(0), pa;
                local.position = mrn_vec3(uniform(-1, 1), uniform(-1, 1), o == 3 || o == 0 ? 3 : uniform(-1, 1));
                pa.position = mrn_add3(pb.position, mrn_mat3_times(&pb.rotation, local.position));
                pa.rotation = local.rotation;
                if (bring_near(&a, &pa, &obstacle[o], &pb, repeat % 2 ? 0.02 : -0.005)) {
                    compared += check_derivatives(&a, pa, &obstacle[o], pb, 0.05, 1e-6, 2e-5);
                    check_swap(&a, pa, &obstacle[o], pb, 0.05, 1e-7);
                }
                discard(&a);
            }
            if (compared < 60) fail_msg("obstacle %d, solid %d: only %d derivatives compared", o, (int)solids[i], compared);
        }
    discard(&obstacle[3]);
}

static void solids_in_tubes_and_funnels_have_the_gap_of_their_farthest_point(void **state) {
    (void)state;
    MrnShape wall[2] = {sized(MRN_SHAPE_TUBE, 4, 0, 0, 8), funnel(2.5, 6, 5)};
    double slope = 3.5 / 10, cosine = 1 / sqrt(1 + slope * slope);
    for (int o = 0; o < 2; o++)
        for (int i = 0; i < SOLIDS; i++)
            for (int repeat = 0; repeat < 10; repeat++) {
                MrnShape a = random_solid(solids[i]);
                MrnPose pa = random_pose(1.2);
                if (!bring_near(&a, &pa, &wall[o], &still, -0.01)) fail_msg("no contact");
                MrnTouches found = touch(&a, pa, &wall[o], still, 0.5);
                // The wall is the envelope of its tangent planes: the gap is the least of the separations from them.
                double least = INFINITY;
                for (int k = 0; k < 20000; k++) {
                    double angle = 6.283185307179586 * k / 20000;
                    MrnVec3 out = {cos(angle), sin(angle), 0};
                    double bound = 4;
                    if (o == 1) out = mrn_vec3(cosine * cos(angle), cosine * sin(angle), -cosine * slope), bound = cosine * (2.5 + 5 * slope);
                    least = fmin(least, bound - height(&a, &pa, out));
                }
                if (fabs(smallest_gap(&found) - least) > 1e-6) fail_msg("wall %d, solid %d: gap %g, planes give %g", o, (int)a.kind, smallest_gap(&found), least);
                free(found.data);
                discard(&a);
            }
}

static void flat_mesh_acts_like_a_plane(void **state) {
    (void)state;
    MrnShape mesh = floor_mesh(7, 6, level), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0);
    for (int i = 0; i < SOLIDS; i++)
        for (int repeat = 0; repeat < 60; repeat++) {
            MrnShape a = random_solid(solids[i]);
            MrnPose pa = random_pose(0);
            pa.position = mrn_vec3(uniform(-3, 3), uniform(-3, 3), 2);
            if (repeat % 3 == 0) pa.rotation = turn_by(mrn_vec3(0, 0, uniform(-3, 3)));            // standing
            if (repeat % 6 == 3) pa.rotation = turn_by(mrn_vec3(1.5707963267948966, 0, 0));         // lying
            if (repeat % 2) pa.position.x = 0; // over a row of vertices
            bring_near(&a, &pa, &plane, &still, repeat % 4 < 2 ? 1e-3 : -1e-3);
            MrnTouches on_mesh = touch(&a, pa, &mesh, still, 0.01), on_plane = touch(&a, pa, &plane, still, 0.01);
            if (on_mesh.count != on_plane.count)
                fail_msg("solid %d repeat %d: %zu contacts with the mesh, %zu with the plane", (int)a.kind, repeat, on_mesh.count, on_plane.count);
            for (size_t k = 0; k < on_mesh.count; k++) {
                const MrnTouch *t = &on_mesh.data[k];
                double nearest = INFINITY;
                for (size_t m = 0; m < on_plane.count; m++) nearest = fmin(nearest, mrn_norm3(mrn_sub3(t->position, on_plane.data[m].position)));
                assert_true(t->normal.z > 1 - 1e-12);
                assert_true(nearest < 1e-12);
            }
            free(on_mesh.data);
            free(on_plane.data);
            discard(&a);
        }
    discard(&mesh);
}

static void ball_rolls_over_the_joints_of_a_mesh_without_a_bump(void **state) {
    (void)state;
    MrnShape mesh = floor_mesh(8, 4, level), ball = sized(MRN_SHAPE_SPHERE, 0.4, 0, 0, 0);
    for (int k = 0; k < 4000; k++) {
        double s = -2 + 4.0 * k / 4000;
        MrnTouches found = touch(&ball, at(s, 0.37 * s, 0.399), &mesh, still, 0.05);
        assert_int_equal(found.count, 1);
        assert_true(found.data[0].normal.z > 1 - 1e-12 && fabs(found.data[0].gap + 0.001) < 1e-12);
        free(found.data);
    }
    discard(&mesh);
}

static void block_on_a_ridge_touches_along_the_ridge(void **state) {
    (void)state;
    MrnShape mesh = floor_mesh(8, 4, ridge), box = sized(MRN_SHAPE_BOX, 0, 0.4, 0.3, 0.2);
    for (double gap = -1e-3; gap < 2e-3; gap += 1e-3) {
        MrnTouches found = touch(&box, at(0.1, 0.2, 0.2 + gap), &mesh, still, 0.01);
        assert_int_equal(found.count, 2);
        for (int i = 0; i < 2; i++) {
            assert_true(fabs(found.data[i].gap - gap) < 1e-12 && found.data[i].normal.z > 1 - 1e-12);
            assert_true(fabs(found.data[i].position.x) < 1e-12);
        }
        assert_true(fabs(fabs(found.data[0].position.y - found.data[1].position.y) - 0.6) < 1e-12);
        free(found.data);
    }
    discard(&mesh);
}

static void mesh_of_a_cube_acts_like_the_cube(void **state) {
    (void)state;
    double corners[24];
    for (int i = 0; i < 8; i++) mrn_store3(corners + 3 * i, mrn_vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int triangles[36];
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++) triangles[6 * f + k] = face[f][(const int[]){0, 1, 2, 0, 2, 3}[k]];
    MrnShape mesh = triangle_mesh(corners, 8, triangles, 12), cube = sized(MRN_SHAPE_BOX, 0, 1, 1, 1);
    for (int i = 0; i < SOLIDS; i++)
        for (int repeat = 0; repeat < 60; repeat++) {
            MrnShape a = random_solid(solids[i]);
            MrnPose pa, pb;
            place_apart(&a, &pa, &cube, &pb, repeat % 3 ? uniform(0.001, 0.1) : -uniform(1e-4, 3e-3));
            MrnTouches one = touch(&a, pa, &mesh, pb, 0.2), two = touch(&a, pa, &cube, pb, 0.2);
            double wanted = smallest_gap(&two), gap = smallest_gap(&one);
            if (fabs(gap - wanted) > 2e-6 + (wanted < 0 ? 0.005 * fabs(wanted) : 0))
                fail_msg("solid %d repeat %d: gap %.9g to the mesh, %.9g to the cube", (int)a.kind, repeat, gap, wanted);
            free(one.data);
            free(two.data);
            discard(&a);
        }
    discard(&mesh);
}

// ------------------------------------------------------------------------------------------------------------- invariance

static void contacts_do_not_depend_on_place_direction_or_unit(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int j = i; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 4; repeat++) {
                MrnShape a = random_solid(solids[i]), b = random_solid(solids[j]);
                MrnPose pa, pb;
                place_apart(&a, &pa, &b, &pb, repeat % 2 ? 0.02 : -0.005);
                MrnTouches first = touch(&a, pa, &b, pb, 0.1);
                for (double scale = 1e-3; scale < 2e4; scale *= 10) {
                    MrnShape parts[2] = {a, b};
                    MrnPose motion = random_pose(3), poses[2] = {pa, pb};
                    for (int k = 0; k < 2; k++) {
                        MrnShape *s = &parts[k];
                        s->radius *= scale;
                        for (int m = 0; m < 3; m++) s->half[m] *= scale;
                        if (s->kind == MRN_SHAPE_POLYHEDRON) {
                            double points[3 * 64];
                            for (size_t m = 0; m < 3 * s->vertex_count; m++) points[m] = scale * s->vertices[m];
                            *s = polyhedron(points, s->vertex_count);
                        }
                        poses[k].rotation = times(motion.rotation, poses[k].rotation);
                        poses[k].position = mrn_scale3(scale, mrn_add3(motion.position, mrn_mat3_times(&motion.rotation, poses[k].position)));
                    }
                    MrnTouches found = touch(&parts[0], poses[0], &parts[1], poses[1], 0.1 * scale);
                    assert_int_equal(found.count, first.count);
                    for (size_t k = 0; k < first.count; k++) {
                        const MrnTouch *s = &first.data[k], *t = find_feature(&found, s->feature);
                        assert_non_null(t);
                        assert_true(fabs(t->gap - scale * s->gap) < 1e-8 * scale);
                        assert_true(mrn_norm3(mrn_sub3(t->normal, mrn_mat3_times(&motion.rotation, s->normal))) < 1e-6);
                    }
                    free(found.data);
                    for (int k = 0; k < 2; k++)
                        if (parts[k].kind == MRN_SHAPE_POLYHEDRON) discard(&parts[k]);
                }
                free(first.data);
                discard(&a);
                discard(&b);
            }
}

static void shape_placed_in_its_body_acts_like_a_body_placed_there(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++) {
        MrnShape a = random_solid(solids[i]), b = random_solid(MRN_SHAPE_BOX);
        MrnPose pa, pb;
        place_apart(&a, &pa, &b, &pb, 0.02);
        MrnTouches first = touch(&a, pa, &b, pb, 0.1);
        MrnShape placed = a;
        MrnQuat turn = mrn_quat_exp(mrn_vec3(0.3, -0.4, 0.2));
        MrnMat3 R = mrn_quat_matrix(mrn_quat_conjugate(turn));
        mrn_quat_store(placed.rotation, turn);
        mrn_store3(placed.position, mrn_vec3(0.3, 0.2, -0.7));
        MrnPose body = {.rotation = times(pa.rotation, R)}; // body * turn = pa
        body.position = mrn_sub3(pa.position, mrn_mat3_times(&body.rotation, mrn_load3(placed.position)));
        MrnTouches second = touch(&placed, body, &b, pb, 0.1);
        assert_int_equal(first.count, second.count);
        for (size_t k = 0; k < first.count; k++) {
            assert_true(first.data[k].feature == second.data[k].feature);
            assert_true(fabs(first.data[k].gap - second.data[k].gap) < 1e-9);
        }
        free(first.data);
        free(second.data);
        discard(&a);
    }
}

// ------------------------------------------------------------------------------------------------------------- hulls and masses

static void hull_holds_every_point_and_is_the_hull_of_its_own_vertices(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 60; repeat++) {
        int count = (int)uniform(4, 400);
        double *points = malloc(3 * (size_t)count * sizeof *points);
        double scale = pow(10, uniform(-3, 4));
        for (int i = 0; i < count; i++) {
            MrnVec3 p = repeat % 3 == 0 ? random_point(1) : random_direction();
            if (repeat % 3 == 2) p = mrn_vec3(round(2 * p.x), round(2 * p.y), round(2 * p.z)); // a grid: many repeated and coplanar points
            mrn_store3(points + 3 * i, mrn_scale3(scale, p));
        }
        MrnHull hull, again;
        MrnError error = {0};
        if (!mrn_hull_make(points, (size_t)count, &hull, &error)) { // few points of a grid may lie in one plane
            assert_true(repeat % 3 == 2 && count < 20);
            free(points);
            continue;
        }
        double *kept = malloc(3 * (size_t)hull.vertex_count * sizeof *kept);
        for (int i = 0; i < hull.vertex_count; i++) memcpy(kept + 3 * i, points + 3 * hull.vertex[i], 3 * sizeof *kept);
        MrnFacets *facets = mrn_facets_new(kept, hull.vertex_count, hull.face_count, hull.face_start, hull.face_vertex);
        assert_int_equal(hull.vertex_count - facets->edge_count + hull.face_count, 2);
        for (int f = 0; f < hull.face_count; f++) {
            MrnVec3 n = facets->normals[f], corner = mrn_load3(kept + 3 * hull.face_vertex[hull.face_start[f]]);
            for (int i = 0; i < count; i++) assert_true(mrn_dot3(n, mrn_sub3(mrn_load3(points + 3 * i), corner)) < 1e-8 * scale);
            for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; i++)
                assert_true(fabs(mrn_dot3(n, mrn_sub3(mrn_load3(kept + 3 * hull.face_vertex[i]), corner))) < 1e-8 * scale);
        }
        assert_true(mrn_hull_make(kept, (size_t)hull.vertex_count, &again, &error));
        assert_int_equal(again.vertex_count, hull.vertex_count);
        assert_int_equal(again.face_count, hull.face_count);
        assert_memory_equal(again.face_start, hull.face_start, (size_t)(hull.face_count + 1) * sizeof(int));
        assert_memory_equal(again.face_vertex, hull.face_vertex, (size_t)hull.face_start[hull.face_count] * sizeof(int));
        mrn_hull_free(&hull);
        mrn_hull_free(&again);
        free(facets);
        free(kept);
        free(points);
    }
}

static void hull_of_a_cube_drops_repeated_points_and_points_on_faces_edges_and_inside(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 20; repeat++) {
        double points[3 * 200];
        MrnPose pose = repeat ? random_pose(5) : still;
        for (int i = 0; i < 200; i++) {
            MrnVec3 p = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            if (i >= 16) { // on faces, edges and inside: some coordinates free
                if (i & 8) p.x = uniform(-1, 1);
                if (i & 16) p.y = uniform(-1, 1);
                if (i & 32) p.z = uniform(-1, 1);
            }
            mrn_store3(points + 3 * i, mrn_add3(pose.position, mrn_mat3_times(&pose.rotation, p)));
        }
        MrnShape cube = polyhedron(points, 200);
        assert_int_equal(cube.vertex_count, 8);
        assert_int_equal(cube.face_count, 6);
        assert_int_equal(cube.face_start[6], 24);
        assert_true(fabs(mrn_shape_size_3d(&cube) - 1) < 1e-8);
        MrnMassProperties mass = mrn_shape_mass_3d(&cube, 3);
        assert_true(fabs(mass.mass - 24) < 1e-7);
        discard(&cube);
    }
}

static void check_mass(const MrnMassProperties *found, const MrnMassProperties *wanted, double tolerance) {
    assert_true(fabs(found->mass - wanted->mass) <= tolerance * wanted->mass);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(found->centre[i] - wanted->centre[i]) <= tolerance);
        for (int j = 0; j < 3; j++) assert_true(fabs(found->inertia[i][j] - wanted->inertia[i][j]) <= tolerance * wanted->mass);
    }
}

static void box_given_by_its_corners_has_the_mass_of_the_box(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 20; repeat++) {
        MrnShape box = random_solid(MRN_SHAPE_BOX);
        MrnQuat turn = mrn_quat_exp(random_point(1));
        MrnMat3 R = mrn_quat_matrix(turn);
        mrn_quat_store(box.rotation, turn);
        mrn_store3(box.position, random_point(3));
        double points[24];
        for (int i = 0; i < 8; i++) {
            MrnVec3 p = {i & 1 ? box.half[0] : -box.half[0], i & 2 ? box.half[1] : -box.half[1], i & 4 ? box.half[2] : -box.half[2]};
            mrn_store3(points + 3 * i, mrn_add3(mrn_load3(box.position), mrn_mat3_times(&R, p)));
        }
        MrnShape same = polyhedron(points, 8);
        MrnMassProperties wanted = mrn_shape_mass_3d(&box, 2500), found = mrn_shape_mass_3d(&same, 2500);
        check_mass(&found, &wanted, 1e-10);
        discard(&same);
    }
    // Regular tetrahedron of edge sqrt(8): volume 8/3, inertia m edge^2 / 20.
    const double tetrahedron[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    MrnShape shape = polyhedron(tetrahedron, 4);
    MrnMassProperties found = mrn_shape_mass_3d(&shape, 3), wanted = {.mass = 8};
    for (int i = 0; i < 3; i++) wanted.inertia[i][i] = 8 * 8 / 20.0;
    check_mass(&found, &wanted, 1e-13);
    discard(&shape);
}

static void polyhedron_has_the_mass_of_the_tetrahedra_it_is_cut_into(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 20; repeat++) {
        MrnShape shape = random_polyhedron(20, 1);
        MrnMassProperties found = mrn_shape_mass_3d(&shape, 2), wanted = {0};
        // Tetrahedra over the faces from an apex outside, each as four corner masses and one in the middle: m/20 each and 4m/5
        // carry its exact first and second moments.
        MrnVec3 apex = random_point(4), first = {0, 0, 0};
        double second[3][3] = {{0}};
        for (size_t f = 0; f < shape.face_count; f++)
            for (int i = shape.face_start[f] + 1; i + 1 < shape.face_start[f + 1]; i++) {
                MrnVec3 c[5] = {apex, mrn_load3(shape.vertices + 3 * shape.face_vertex[shape.face_start[f]]),
                                mrn_load3(shape.vertices + 3 * shape.face_vertex[i]), mrn_load3(shape.vertices + 3 * shape.face_vertex[i + 1])};
                double mass = 2 * mrn_dot3(mrn_sub3(c[1], apex), mrn_cross3(mrn_sub3(c[2], apex), mrn_sub3(c[3], apex))) / 6;
                c[4] = mrn_scale3(0.25, mrn_add3(mrn_add3(c[0], c[1]), mrn_add3(c[2], c[3])));
                wanted.mass += mass;
                for (int k = 0; k < 5; k++) {
                    double part = k < 4 ? mass / 20 : 0.8 * mass, p[3];
                    mrn_store3(p, c[k]);
                    first = mrn_axpy3(first, part, c[k]);
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++) second[r][s] += part * p[r] * p[s];
                }
            }
        mrn_store3(wanted.centre, mrn_scale3(1 / wanted.mass, first));
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) second[r][s] -= wanted.mass * wanted.centre[r] * wanted.centre[s];
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) wanted.inertia[r][s] = (r == s ? second[0][0] + second[1][1] + second[2][2] : 0) - second[r][s];
        check_mass(&found, &wanted, 1e-10);
        discard(&shape);
    }
}

static void round_bodies_have_the_mass_of_their_slices(void **state) {
    (void)state;
    const MrnShapeKind kinds[3] = {MRN_SHAPE_SPHERE, MRN_SHAPE_CAPSULE, MRN_SHAPE_CYLINDER};
    for (int k = 0; k < 3; k++) {
        MrnShape shape = sized(kinds[k], 0.7, 0, 0, kinds[k] == MRN_SHAPE_SPHERE ? 0 : 0.9);
        double straight = shape.half[2], cap = kinds[k] == MRN_SHAPE_CYLINDER ? 0 : 0.7, top = straight + cap;
        MrnMassProperties found = mrn_shape_mass_3d(&shape, 2), wanted = {0};
        const int parts = 200000;
        for (int i = 0; i < parts; i++) {
            double z = top * (2 * (i + 0.5) / parts - 1), over = fmax(0, fabs(z) - straight), squared = 0.49 - over * over;
            double mass = 2 * 3.14159265358979323846 * squared * 2 * top / parts;
            wanted.mass += mass;
            wanted.inertia[2][2] += mass * squared / 2;
            wanted.inertia[0][0] += mass * (squared / 4 + z * z);
        }
        wanted.inertia[1][1] = wanted.inertia[0][0];
        check_mass(&found, &wanted, 1e-8);
    }
}

static void bounds_and_reach_are_tight(void **state) {
    (void)state;
    for (int i = 0; i < SOLIDS; i++)
        for (int repeat = 0; repeat < 10; repeat++) {
            MrnShape shape = random_solid(solids[i]);
            MrnPose pose = random_pose(3);
            MrnBox box = mrn_shape_bounds_3d(&shape, &pose);
            const double *low = &box.low.x, *high = &box.high.x;
            for (int k = 0; k < 3; k++) {
                MrnVec3 e = {k == 0, k == 1, k == 2};
                assert_true(fabs(high[k] - height(&shape, &pose, e)) < 1e-12);
                assert_true(fabs(low[k] + height(&shape, &pose, mrn_scale3(-1, e))) < 1e-12);
            }
            mrn_store3(shape.position, random_point(1));
            mrn_quat_store(shape.rotation, mrn_quat_exp(random_point(1)));
            double reach = mrn_shape_reach_3d(&shape), farthest = 0;
            MrnPose own = {mrn_load3(shape.position), mrn_quat_matrix(mrn_quat_load(shape.rotation))};
            for (int k = 0; k < 20000; k++) farthest = fmax(farthest, height(&shape, &own, random_direction()));
            assert_true(farthest <= reach + 1e-12 && farthest > reach * (1 - 1e-3));
            discard(&shape);
        }
    MrnShape plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0);
    MrnPose low = at(0, 0, 2);
    MrnBox box = mrn_shape_bounds_3d(&plane, &low);
    assert_true(box.high.z == 2 && isinf(box.low.z) && isinf(box.high.x) && isinf(box.low.y));
    assert_true(isinf(mrn_shape_reach_3d(&plane)));
    MrnShape cone = funnel(1, 2, 3);
    box = mrn_shape_bounds_3d(&cone, &still);
    assert_true(box.high.x == 2 && box.low.x == -2 && box.high.z == 3 && box.low.z == -3);
}

// ------------------------------------------------------------------------------------------------------------- bad input

static void expect_refused(MrnShape shape, const char *message) {
    MrnError error = {0};
    assert_false(mrn_shape_prepare_3d(&shape, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message, message);
}

static void impossible_shapes_are_refused_with_the_reason(void **state) {
    (void)state;
    expect_refused(sized(MRN_SHAPE_SPHERE, 0, 0, 0, 0), "radius of a sphere must be positive and finite, got 0 m");
    expect_refused(sized(MRN_SHAPE_SPHERE, NAN, 0, 0, 0), "radius of a sphere must be positive and finite, got nan m");
    expect_refused(sized(MRN_SHAPE_BOX, 0, 1, -2, 1), "each half side of a box must be positive and finite, got -2 m");
    expect_refused(sized(MRN_SHAPE_CAPSULE, 1, 0, 0, INFINITY), "half length of a capsule must be positive and finite, got inf m");
    expect_refused(sized(MRN_SHAPE_CYLINDER, 1, 0, 0, 0), "half height of a cylinder must be positive and finite, got 0 m");
    expect_refused(sized(MRN_SHAPE_TUBE, -1, 0, 0, 1), "radius of a tube must be positive and finite, got -1 m");
    expect_refused(funnel(-1, 1, 1), "radius of a funnel must be finite and not negative, got -1 m");
    expect_refused(funnel(1, NAN, 1), "top radius of a funnel must be finite and not negative, got nan m");
    expect_refused(funnel(0, 0, 1), "both radii of a funnel are 0 m");
    MrnShape turned = sized(MRN_SHAPE_SPHERE, 1, 0, 0, 0);
    turned.rotation[0] = 2;
    expect_refused(turned, "rotation of the shape is not a unit quaternion: its length is 2");
    MrnShape away = sized(MRN_SHAPE_SPHERE, 1, 0, 0, 0);
    away.position[1] = INFINITY;
    expect_refused(away, "position of the shape is not finite: inf");
    double flat[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 0};
    MrnShape hull = {.kind = MRN_SHAPE_POLYHEDRON, .rotation = {1, 0, 0, 0}, .vertex_count = 5, .vertices = flat};
    expect_refused(hull, "the polyhedron is flat: its vertices span 1.41421 m but lie within 0 m of one plane");
    hull.vertex_count = 3;
    expect_refused(hull, "a polyhedron needs at least 4 vertices, got 3");
    hull.vertex_count = 5;
    flat[7] = NAN;
    expect_refused(hull, "vertex 2 of the polyhedron is not finite: nan");
    double line[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    hull.vertex_count = 4, hull.vertices = line;
    expect_refused(hull, "the polyhedron is flat: its vertices span 3 m but lie within 0 m of one plane");
    double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    int triangles[6] = {0, 1, 2, 1, 3, 4};
    MrnShape mesh = {.kind = MRN_SHAPE_MESH, .rotation = {1, 0, 0, 0}, .vertex_count = 4, .vertices = corners, .face_count = 2, .face_vertex = triangles};
    expect_refused(mesh, "triangle 1 of the mesh names vertex 4, but there are 4");
    triangles[5] = 1;
    expect_refused(mesh, "triangle 1 of the mesh has no area");
    triangles[3] = 1, triangles[4] = 2, triangles[5] = 3;
    expect_refused(mesh, "triangles 0 and 1 of the mesh disagree about which side is outside");
    mesh.face_count = 0;
    expect_refused(mesh, "the mesh has no triangles");
    mesh.face_count = 2, mesh.vertex_count = 0;
    expect_refused(mesh, "the mesh has no vertices");
}

static void expect_unreadable(const char *name, const char *text, size_t size, const char *message) {
    MrnShape mesh;
    MrnError error = {0};
    // A copy of exactly this size, so that reading beyond the end is seen by the sanitizers.
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    assert_false(mrn_mesh_read(name, copy, size, &mesh, &error));
    free(copy);
    assert_string_equal(error.message, message);
    assert_null(mesh.vertices);
}

static void bad_mesh_files_are_refused_with_their_line(void **state) {
    (void)state;
#define OBJ(text, message) expect_unreadable("a.obj", text, strlen(text), message)
#define STL(text, message) expect_unreadable("b.STL", text, strlen(text), message)
    OBJ("", "a.obj: the mesh has no triangles");
    OBJ("v 0 0 0\nv 1 0\n", "a.obj:2: expected 3 numbers, found 2");
    OBJ("v 0 0 zero\n", "a.obj:1: 'zero' is not a finite number");
    OBJ("v 0 0 nan\n", "a.obj:1: 'nan' is not a finite number");
    OBJ("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", "a.obj:5: vertex 4 is out of range: the file has 3 vertices");
    OBJ("v 0 0 0\nf 1 -2 1\n", "a.obj:2: vertex -2 is out of range: 1 vertices so far");
    OBJ("v 0 0 0\nf 0 1 1\n", "a.obj:2: '0' is not a vertex number (they count from 1, or from -1 backwards)");
    OBJ("v 0 0 0\nf 1 x 1\n", "a.obj:2: 'x' is not a vertex number (they count from 1, or from -1 backwards)");
    OBJ("v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj:3: a face needs at least 3 vertices, found 2");
    OBJ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "a.obj: every triangle of the mesh has no area");
    STL("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "b.STL:5: the file ends inside a facet: expected 'vertex'");
    STL("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nedge 1 0 0\n", "b.STL:5: expected 'vertex', found 'edge'");
    STL("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "b.STL:4: expected 3 numbers, found 2");
    STL("solid s\n", "b.STL:1: the file ends without 'endsolid'");
    STL("solid s\nendsolid s\n", "b.STL: the mesh has no triangles");
    STL("solid s\nvertex 1 2 3\n", "b.STL:2: expected 'facet', found 'vertex'");
    STL("rubbish", "b.STL: a binary STL file has at least 84 bytes, this one has 7");
    char bytes[184] = {0};
    bytes[80] = 2;
    expect_unreadable("b.stl", bytes, 150, "b.stl: truncated: 2 triangles need 184 bytes, the file has 150");
    bytes[84 + 12 + 2] = (char)0x80, bytes[84 + 12 + 3] = 0x7f; // infinity
    expect_unreadable("b.stl", bytes, 184, "b.stl: triangle 0 has a corner that is not finite");
    expect_unreadable("c.ply", "ply", 3, "c.ply: a mesh file ends in .obj or .stl");
    expect_unreadable("x", "", 0, "x: a mesh file ends in .obj or .stl");
}

static void put_float(char *at_byte, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    for (int i = 0; i < 4; i++) at_byte[i] = (char)(bits >> 8 * i);
}

static void the_same_square_is_read_from_all_formats(void **state) {
    (void)state;
    const char *obj = "# a square\r\no square\nv 0 0 0\nv 2 0 0 1.0\nv 2 2 0\nvn 0 0 1\nv 0 2 0\ns off\nf 1//1 2//1 -2/3/1 4\n";
    const char *stl = "solid square\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 2 0 0\n   vertex 2 2 0\n  endloop\n endfacet\n"
                      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 2 0\nvertex 0 2 -0\nendloop\nendfacet\nendsolid square\n";
    char bytes[84 + 100] = "solid though binary";
    const float corner[6][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    bytes[80] = 2;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) put_float(bytes + 84 + 50 * (i / 3) + 12 + 12 * (i % 3) + 4 * k, corner[i][k]);
    const struct { const char *name, *data; size_t size; } files[3] = {{"s.obj", obj, strlen(obj)}, {"s.stl", stl, strlen(stl)}, {"S.STL", bytes, sizeof bytes}};
    for (int i = 0; i < 3; i++) {
        MrnShape mesh;
        MrnError error = {0};
        if (!mrn_mesh_read(files[i].name, files[i].data, files[i].size, &mesh, &error)) fail_msg("%s", error.message);
        assert_int_equal(mesh.vertex_count, 4);
        assert_int_equal(mesh.face_count, 2);
        const int wanted[6] = {0, 1, 2, 0, 2, 3};
        const double points[12] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0};
        assert_memory_equal(mesh.face_vertex, wanted, sizeof wanted);
        for (int k = 0; k < 12; k++) assert_true(mesh.vertices[k] == points[k]);
        assert_true(mrn_shape_prepare_3d(&mesh, &error));
        discard(&mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_gap_equals_the_distance_found_by_a_search),
        cmocka_unit_test(slight_overlap_has_the_depth_found_by_a_search),
        cmocka_unit_test(gap_changes_at_the_rate_of_the_normal_velocity),
        cmocka_unit_test(swapping_the_bodies_turns_the_normals_round),
        cmocka_unit_test(block_on_an_equal_block_keeps_its_four_corners),
        cmocka_unit_test(small_block_rests_on_the_face_of_a_large_one_with_its_four_corners),
        cmocka_unit_test(block_on_a_plane_touches_with_its_four_lowest_corners),
        cmocka_unit_test(bodies_inside_each_other_still_get_a_finite_normal_and_a_negative_gap),
        cmocka_unit_test(lying_cylinder_touches_with_the_two_ends_of_its_line),
        cmocka_unit_test(standing_cylinder_keeps_its_rim_points),
        cmocka_unit_test(overhanging_cylinder_touches_where_its_rim_crosses_the_edge),
        cmocka_unit_test(parallel_cylinders_touch_along_their_common_line),
        cmocka_unit_test(lying_capsule_touches_with_both_ends),
        cmocka_unit_test(sphere_in_a_tube_has_the_gap_of_the_closed_form),
        cmocka_unit_test(ball_on_the_axis_of_a_funnel_is_held_all_around),
        cmocka_unit_test(gaps_to_obstacles_change_at_the_rate_of_the_normal_velocity),
        cmocka_unit_test(solids_in_tubes_and_funnels_have_the_gap_of_their_farthest_point),
        cmocka_unit_test(flat_mesh_acts_like_a_plane),
        cmocka_unit_test(ball_rolls_over_the_joints_of_a_mesh_without_a_bump),
        cmocka_unit_test(block_on_a_ridge_touches_along_the_ridge),
        cmocka_unit_test(mesh_of_a_cube_acts_like_the_cube),
        cmocka_unit_test(contacts_do_not_depend_on_place_direction_or_unit),
        cmocka_unit_test(shape_placed_in_its_body_acts_like_a_body_placed_there),
        cmocka_unit_test(hull_holds_every_point_and_is_the_hull_of_its_own_vertices),
        cmocka_unit_test(hull_of_a_cube_drops_repeated_points_and_points_on_faces_edges_and_inside),
        cmocka_unit_test(box_given_by_its_corners_has_the_mass_of_the_box),
        cmocka_unit_test(polyhedron_has_the_mass_of_the_tetrahedra_it_is_cut_into),
        cmocka_unit_test(round_bodies_have_the_mass_of_their_slices),
        cmocka_unit_test(bounds_and_reach_are_tight),
        cmocka_unit_test(impossible_shapes_are_refused_with_the_reason),
        cmocka_unit_test(bad_mesh_files_are_refused_with_their_line),
        cmocka_unit_test(the_same_square_is_read_from_all_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
