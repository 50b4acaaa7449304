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

static const MrnShapeKind solids[] = {MRN_SHAPE_SPHERE, MRN_SHAPE_BOX, MRN_SHAPE_CAPSULE, MRN_SHAPE_POLYHEDRON};
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
