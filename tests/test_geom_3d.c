// Contacts in space: gaps against an independent search, derivatives, symmetry, stability of features, obstacles.
#include "geom_3d_helpers.h"

// ------------------------------------------------------------------------------------------------------------- pairs
// of solids

/// The smallest gap must be the separation along one of the normals found (so it is no larger than the true one), and
/// no search may find more.
static void check_separation(const MrnShape *a, MrnPose pa, const MrnShape *b, MrnPose pb, double margin,
                             double slack) {
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
        fail_msg("%d-%d: gap %.9g, separation along its normal %.9g, search gives %.9g (%zu contacts)", (int)a->kind,
                 (int)b->kind, gap, best, searched, found.count);
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

/// A solid whose sizes and sides are in line with those of others.
static MrnShape regular_solid(MrnShapeKind kind) {
    static const double size[3] = {0.5, 1, 0.75};
    double a = size[(int)uniform(0, 3)], b = size[(int)uniform(0, 3)], c = size[(int)uniform(0, 3)];
    if (kind == MRN_SHAPE_BOX) return sized(kind, 0, a, b, c);
    if (kind != MRN_SHAPE_POLYHEDRON) return sized(kind, a, 0, 0, b);
    double points[36];
    int sides = (int)uniform(3, 7), n = 0; // a prism
    for (int i = 0; i < 2 * sides; i++, n += 3) {
        double angle = 6.283185307179586 * (i / 2) / sides;
        mrn_store3(points + n, mrn_vec3(a * cos(angle), a * sin(angle), i % 2 ? b : -b));
    }
    return polyhedron(points, (size_t)n / 3);
}
static MrnMat3 regular_turn(double part) {
    MrnMat3 turn = turn_by(mrn_vec3(0, 0, part * floor(uniform(0, 8))));
    turn = times(turn_by(mrn_vec3(part * floor(uniform(0, 8)), 0, 0)), turn);
    return times(turn_by(mrn_vec3(0, 0, part * floor(uniform(0, 8)))), turn);
}

static void solids_in_line_with_each_other_have_right_gaps_that_small_motions_change_little(void **state) {
    (void)state;
    static const double offset[5] = {0, 0.25, 0.5, 1, -0.75};
    for (int i = 0; i < SOLIDS; i++)
        for (int j = 0; j < SOLIDS; j++)
            for (int repeat = 0; repeat < 16; repeat++) {
                MrnShape a = regular_solid(solids[i]), b = regular_solid(solids[j]);
                MrnPose pa = still, pb = still;
                double part = repeat % 4 < 2 ? 1.5707963267948966 : 0.7853981633974483;
                pa.rotation = regular_turn(part);
                pb.rotation = regular_turn(1.5707963267948966);
                MrnVec3 up = {0, 0, 1};
                pa.position.x = offset[(int)uniform(0, 5)], pa.position.y = offset[(int)uniform(0, 5)];
                pa.position.z = height(&b, &pb, up) + height(&a, &pa, mrn_scale3(-1, up)) + (repeat % 3 - 1) * 1e-3;
                MrnTouches first = touch(&a, pa, &b, pb, 0.05);
                if (first.count == 0)
                    assert_true(search_separation(&a, &pa, &b, &pb) > 0.05 - 1e-5);
                else {
                    check_separation(&a, pa, &b, pb, 0.05, 0.005);
                    check_swap(&a, pa, &b, pb, 0.05, 1e-6);
                    for (int k = 0; k < 4; k++) {
                        double step = pow(10, uniform(-9, -6));
                        MrnPose moved = pa;
                        moved.position = mrn_add3(moved.position, random_point(step));
                        moved.rotation = times(turn_by(random_point(step)), moved.rotation);
                        MrnTouches now = touch(&a, moved, &b, pb, 0.06);
                        assert_true(fabs(smallest_gap(&now) - smallest_gap(&first)) < 5 * step + 1e-6);
                        free(now.data);
                    }
                }
                free(first.data);
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
            if (compared < 60)
                fail_msg("%d-%d: only %d derivatives compared", (int)solids[i], (int)solids[j], compared);
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

// ------------------------------------------------------------------------------------------------------------- resting
// blocks

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
        expect_stable(&box, at(0.1 * size, 0, size), &box, 4, size);          // slid along one side: sides stay in line
        expect_stable(&box, at(0.1 * size, 0.2 * size, size), &box, 4, size); // slid both ways
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
                if (found.count == 0 || !(smallest_gap(&found) < 0))
                    fail_msg("%d-%d: no contact", (int)a.kind, (int)b.kind);
                free(found.data);
                discard(&a);
                discard(&b);
            }
}

// ------------------------------------------------------------------------------------------------------------- round
// bodies at rest

static void lying_cylinder_touches_with_the_two_ends_of_its_line(void **state) {
    (void)state;
    MrnShape cylinder = sized(MRN_SHAPE_CYLINDER, 0.3, 0, 0, 0.5), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0),
             box = sized(MRN_SHAPE_BOX, 0, 2, 2, 1);
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
    MrnShape cylinder = sized(MRN_SHAPE_CYLINDER, 0.4, 0, 0, 0.5), plane = sized(MRN_SHAPE_PLANE, 0, 0, 0, 0),
             box = sized(MRN_SHAPE_BOX, 0, 2, 2, 0.5);
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
    double low = fmin(found.data[0].position.z, found.data[1].position.z),
           high = fmax(found.data[0].position.z, found.data[1].position.z);
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

// -------------------------------------------------------------------------------------------------------------
// obstacles

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
    MrnShape mesh = {
        .kind = MRN_SHAPE_MESH, .rotation = {1, 0, 0, 0}, .vertex_count = vertex_count, .face_count = count};
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
    MrnShape obstacle[4] = {sized(MRN_SHAPE_PLANE, 0, 0, 0, 0), sized(MRN_SHAPE_TUBE, 4, 0, 0, 8), funnel(2.5, 6, 5),
                            floor_mesh(8, 5, bumps)};
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
            if (compared < 60)
                fail_msg("obstacle %d, solid %d: only %d derivatives compared", o, (int)solids[i], compared);
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
                    if (o == 1)
                        out = mrn_vec3(cosine * cos(angle), cosine * sin(angle), -cosine * slope),
                        bound = cosine * (2.5 + 5 * slope);
                    least = fmin(least, bound - height(&a, &pa, out));
                }
                if (fabs(smallest_gap(&found) - least) > 1e-6)
                    fail_msg("wall %d, solid %d: gap %g, planes give %g", o, (int)a.kind, smallest_gap(&found), least);
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
            if (repeat % 3 == 0) pa.rotation = turn_by(mrn_vec3(0, 0, uniform(-3, 3)));     // standing
            if (repeat % 6 == 3) pa.rotation = turn_by(mrn_vec3(1.5707963267948966, 0, 0)); // lying
            if (repeat % 2) pa.position.x = 0;                                              // over a row of vertices
            bring_near(&a, &pa, &plane, &still, repeat % 4 < 2 ? 1e-3 : -1e-3);
            MrnTouches on_mesh = touch(&a, pa, &mesh, still, 0.01), on_plane = touch(&a, pa, &plane, still, 0.01);
            if (on_mesh.count != on_plane.count)
                fail_msg("solid %d repeat %d: %zu contacts with the mesh, %zu with the plane", (int)a.kind, repeat,
                         on_mesh.count, on_plane.count);
            for (size_t k = 0; k < on_mesh.count; k++) {
                const MrnTouch *t = &on_mesh.data[k];
                double nearest = INFINITY;
                for (size_t m = 0; m < on_plane.count; m++)
                    nearest = fmin(nearest, mrn_norm3(mrn_sub3(t->position, on_plane.data[m].position)));
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
                fail_msg("solid %d repeat %d: gap %.9g to the mesh, %.9g to the cube", (int)a.kind, repeat, gap,
                         wanted);
            free(one.data);
            free(two.data);
            discard(&a);
        }
    discard(&mesh);
}

// -------------------------------------------------------------------------------------------------------------
// invariance

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
                        poses[k].position = mrn_scale3(
                            scale, mrn_add3(motion.position, mrn_mat3_times(&motion.rotation, poses[k].position)));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_gap_equals_the_distance_found_by_a_search),
        cmocka_unit_test(slight_overlap_has_the_depth_found_by_a_search),
        cmocka_unit_test(solids_in_line_with_each_other_have_right_gaps_that_small_motions_change_little),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
