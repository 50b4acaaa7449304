// Shapes of the plane: mass, bounds and checks, against closed forms and exact messages.
#include "plane.h"

static void disc_and_rectangle_have_the_mass_and_inertia_of_the_textbook(void **state) {
    (void)state;
    MrnShape d = disc(0.3);
    d.position[0] = 1.0, d.position[1] = -2.0;
    MrnMassProperties p = mrn_shape_mass(&d, 7.0);
    assert_close(p.mass, 7.0 * M_PI * 0.09, 1e-14, "mass of a disc");
    assert_close(p.inertia[2][2], 0.5 * p.mass * 0.09, 1e-15, "inertia of a disc");
    assert_close(p.centre[0], 1.0, 0, "centre");
    assert_close(p.centre[1], -2.0, 0, "centre");

    MrnShape r = polygon(4, (double[]){0, 0, 3, 0, 3, 2, 0, 2});
    r.rotation[0] = M_PI / 2, r.position[0] = 10.0;
    p = mrn_shape_mass(&r, 5.0);
    assert_close(p.mass, 30.0, 1e-13, "mass of a rectangle");
    assert_close(p.inertia[2][2], 30.0 * 13.0 / 12.0, 1e-12, "inertia of a rectangle");
    assert_close(p.centre[0], 9.0, 1e-14, "centre of a turned rectangle");
    assert_close(p.centre[1], 1.5, 1e-14, "centre of a turned rectangle");
    assert_close(mrn_shape_size(&r), 1.0, 1e-15, "half width");
    assert_close(mrn_shape_size(&d), 0.3, 0, "radius");
    mrn_shape_free(&r);
}

// Sum over a fan of triangles of a polygon given far from the origin; an L is also the difference of two rectangles.
static void moments_of_an_angle_piece_are_those_of_its_rectangles(void **state) {
    (void)state;
    double x = 1e3, y = -2e3;
    MrnShape l = polygon(6, (double[]){x, y, x + 2, y, x + 2, y + 1, x + 1, y + 1, x + 1, y + 3, x, y + 3});
    MrnMassProperties p = mrn_shape_mass(&l, 1.0);
    double a1 = 2.0, a2 = 2.0, cx = (a1 * 1.0 + a2 * 0.5) / 4, cy = (a1 * 0.5 + a2 * 2.0) / 4;
    double i1 = a1 * (4 + 1) / 12.0 + a1 * ((1 - cx) * (1 - cx) + (0.5 - cy) * (0.5 - cy));
    double i2 = a2 * (1 + 4) / 12.0 + a2 * ((0.5 - cx) * (0.5 - cx) + (2 - cy) * (2 - cy));
    assert_close(p.mass, 4.0, 1e-12, "area");
    assert_close(p.centre[0] - x, cx, 1e-12, "centre x");
    assert_close(p.centre[1] - y, cy, 1e-12, "centre y");
    assert_close(p.inertia[2][2], i1 + i2, 1e-11, "inertia");
    mrn_shape_free(&l);
}

static void rounded_polygon_has_the_moments_of_its_fine_outline(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        double radius = uniform(0.05, 1.5);
        MrnShape shape = random_polygon(9, true, radius);
        // The outline of the Minkowski sum as a polygon with many vertices on each arc.
        enum { STEPS = 4000 };
        size_t n = shape.vertex_count, count = 0;
        double *fine = mrn_alloc(2 * n * (STEPS + 1), sizeof *fine);
        for (size_t i = 0; i < n; i++) {
            MrnVec2 before = mrn_vertex2(shape.vertices, (i + n - 1) % n), here = mrn_vertex2(shape.vertices, i);
            MrnVec2 after = mrn_vertex2(shape.vertices, (i + 1) % n);
            MrnVec2 in = mrn_sub2(here, before), out = mrn_sub2(after, here);
            double start = atan2(-in.x, in.y), turn = atan2(mrn_cross2(in, out), mrn_dot2(in, out));
            for (int k = 0; k <= STEPS; k++, count++) {
                double angle = start + turn * k / STEPS;
                fine[2 * count] = here.x + radius * cos(angle), fine[2 * count + 1] = here.y + radius * sin(angle);
            }
        }
        MrnAreaMoments wanted = mrn_polygon_moments(count, fine);
        MrnMassProperties p = mrn_shape_mass(&shape, 1.0);
        assert_close(p.mass, wanted.area, 1e-6 * wanted.area, "area");
        assert_close(p.centre[0], wanted.centre.x, 1e-6, "centre x");
        assert_close(p.centre[1], wanted.centre.y, 1e-6, "centre y");
        assert_close(p.inertia[2][2], wanted.polar, 2e-6 * wanted.polar, "inertia");
        free(fine);
        mrn_shape_free(&shape);
    }
    // A square of side 2 rounded by 1: Steiner's area.
    MrnShape square = prepared(MRN_SHAPE_POLYGON, 4, (double[]){-1, -1, 1, -1, 1, 1, -1, 1}, 1.0);
    assert_close(mrn_shape_mass(&square, 1.0).mass, 4 + 8 + M_PI, 1e-13, "Steiner");
    assert_close(mrn_shape_size(&square), 2.0, 1e-14, "half width");
    mrn_shape_free(&square);
}

static void bounds_and_reach_hold_the_shape(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        MrnShape shape = random_polygon(20, trial & 1, 0.2);
        shape.position[0] = uniform(-2, 2), shape.position[1] = uniform(-2, 2), shape.rotation[0] = uniform(-3, 3);
        MrnPose body = pose(uniform(-5, 5), uniform(-5, 5), uniform(-3, 3));
        MrnPose own = pose(shape.position[0], shape.position[1], shape.rotation[0]);
        MrnBox box = mrn_shape_bounds(&shape, &body);
        double low_x = INFINITY, high_y = -INFINITY, reach = 0.0;
        for (size_t i = 0; i < shape.vertex_count; i++) {
            MrnVec2 local = placed(&own, mrn_vertex2(shape.vertices, i)), v = placed(&body, local);
            low_x = fmin(low_x, v.x - shape.radius), high_y = fmax(high_y, v.y + shape.radius);
            reach = fmax(reach, mrn_norm2(local) + shape.radius);
        }
        assert_close(box.low.x, low_x, 1e-13, "low x");
        assert_close(box.high.y, high_y, 1e-13, "high y");
        assert_close(mrn_shape_reach(&shape), reach, 1e-13, "reach");
        mrn_shape_free(&shape);
    }
    MrnShape ground = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    MrnPose level = pose(0, 2, 0), slope = pose(0, 2, 0.1);
    assert_true(mrn_shape_bounds(&ground, &level).high.y == 2.0 &&
                mrn_shape_bounds(&ground, &level).high.x == INFINITY);
    assert_true(mrn_shape_bounds(&ground, &slope).high.y == INFINITY);
    assert_true(mrn_shape_reach(&ground) == INFINITY);
}

// ---- checks of shapes
// ------------------------------------------------------------------------------------------------

static void refused_with(MrnShape shape, const char *message) {
    MrnError error = {0};
    bool good = mrn_shape_prepare(&shape, &error);
    if (good) fail_msg("accepted, wanted: %s", message);
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message, message);
    mrn_shape_free(&shape);
}

static void impossible_shapes_are_refused_with_their_reason(void **state) {
    (void)state;
    refused_with(disc(0.0), "disc radius must be finite and > 0, found 0 m");
    refused_with(disc(-2.0), "disc radius must be finite and > 0, found -2 m");
    refused_with(disc(NAN), "disc radius must be finite and > 0, found nan m");
    MrnShape ring = mrn_shape_defaults(MRN_SHAPE_RING);
    refused_with(ring, "ring radius must be finite and > 0, found 0 m");
    MrnShape moved = disc(1.0);
    moved.position[1] = INFINITY;
    refused_with(moved, "disc position must be finite, found (0, inf) m");
    moved = disc(1.0);
    moved.rotation[0] = NAN;
    refused_with(moved, "disc rotation must be finite, found nan rad");
    MrnShapeKind p = MRN_SHAPE_POLYGON, c = MRN_SHAPE_CHAIN;
    refused_with(mrn_shape_defaults(p), "polygon needs at least 3 vertices, found 0");
    refused_with(with_vertices(p, 2, (double[]){0, 0, 1, 0}, 0), "polygon needs at least 3 vertices, found 2");
    refused_with(with_vertices(p, 3, (double[]){0, 0, 1, 0, 1, 1}, -0.5),
                 "polygon radius must be finite and >= 0, found -0.5 m");
    refused_with(with_vertices(p, 3, (double[]){0, 0, 1, NAN, 1, 1}, 0), "polygon vertex 2 is not finite: (1, nan) m");
    refused_with(with_vertices(p, 4, (double[]){0, 0, 1, 0, 1, 0, 0, 0}, 0),
                 "polygon needs at least 3 distinct vertices, found 2");
    refused_with(with_vertices(p, 4, (double[]){0, 0, 1, 1, 2, 2, 3, 3}, 0),
                 "polygon has no area: its vertices lie on one line");
    refused_with(with_vertices(p, 4, (double[]){0, 0, 1, 1, 1, 0, 0, 1}, 0),
                 "polygon crosses itself: the edge from vertex 1 to vertex 2 meets the edge from vertex 3 to vertex 4");
    // The numbers are those of the vertices as given, although vertex 2 repeats vertex 1.
    refused_with(with_vertices(p, 5, (double[]){0, 0, 0, 0, 1, 1, 1, 0, 0, 1}, 0),
                 "polygon crosses itself: the edge from vertex 1 to vertex 3 meets the edge from vertex 4 to vertex 5");
    // A spike without width, and a vertex on a far edge.
    refused_with(with_vertices(p, 7, (double[]){0, 0, 4, 0, 4, 2, 6, 2, 5, 2, 5, 3, 0, 3}, 0),
                 "polygon crosses itself: the edge from vertex 3 to vertex 4 meets the edge from vertex 4 to vertex 5");
    refused_with(with_vertices(p, 5, (double[]){0, 0, 4, 0, 4, 4, 2, 0, 0, 4}, 0),
                 "polygon crosses itself: the edge from vertex 1 to vertex 2 meets the edge from vertex 4 to vertex 5");
    refused_with(with_vertices(p, 6, (double[]){0, 0, 2, 0, 2, 1, 1, 1, 1, 3, 0, 3}, 0.1),
                 "polygon with a reflex vertex cannot be rounded: radius is 0.1 m but vertex 4 is reflex");
    refused_with(with_vertices(c, 1, (double[]){0, 0}, 0), "chain needs at least 2 vertices, found 1");
    refused_with(with_vertices(c, 3, (double[]){1, 1, 1, 1, 1, 1}, 0),
                 "chain needs at least 2 distinct vertices, found 1");
    refused_with(with_vertices(c, 3, (double[]){0, 0, 2, 0, 1, 0}, 0), "chain folds back onto itself at vertex 2");
}

static void polygon_is_turned_and_cleaned_of_idle_vertices(void **state) {
    (void)state;
    double v[] = {0, 0, 0, 0.25, 0, 1, 0, 1, 0.5, 1, 1, 1, 1, 0, 0.7, 0, 0, 0};
    MrnShape shape = polygon(9, v);
    assert_int_equal(shape.vertex_count, 4);
    assert_close(mrn_polygon_area(4, shape.vertices), 1.0, 1e-15, "area, counter-clockwise");
    MrnShape copy = mrn_shape_copy(&shape);
    assert_int_equal(copy.vertex_count, 4);
    assert_memory_equal(copy.vertices, shape.vertices, 8 * sizeof(double));
    assert_true(copy.vertices != shape.vertices && copy.tree && copy.tree != shape.tree);
    mrn_shape_free(&copy);
    mrn_shape_free(&shape);
    MrnShape line = prepared(MRN_SHAPE_CHAIN, 4, (double[]){0, 0, 1, 0, 2, 0, 3, 1}, 0.0);
    assert_int_equal(line.vertex_count, 3);
    mrn_shape_free(&line);
}

static void orientation_is_exact_where_rounding_would_guess(void **state) {
    (void)state;
    MrnVec2 a = {12, 12}, b = {24, 24};
    for (int i = -8; i <= 8; i++)
        for (int j = -8; j <= 8; j++) {
            MrnVec2 c = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53};
            int sign = c.y > c.x ? 1 : c.y < c.x ? -1 : 0; // the line is y = x
            assert_int_equal(mrn_orientation(a, b, c), sign);
            assert_int_equal(mrn_orientation(b, a, c), -sign);
            assert_int_equal(mrn_orientation(c, a, b), sign);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_and_rectangle_have_the_mass_and_inertia_of_the_textbook),
        cmocka_unit_test(moments_of_an_angle_piece_are_those_of_its_rectangles),
        cmocka_unit_test(rounded_polygon_has_the_moments_of_its_fine_outline),
        cmocka_unit_test(bounds_and_reach_hold_the_shape),
        cmocka_unit_test(impossible_shapes_are_refused_with_their_reason),
        cmocka_unit_test(polygon_is_turned_and_cleaned_of_idle_vertices),
        cmocka_unit_test(orientation_is_exact_where_rounding_would_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
