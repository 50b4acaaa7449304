// Surfaces of shapes: closed, outside counter-clockwise, of the true volume or area; outlines of 2D shapes likewise.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "io/surface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const MrnPatch patch = {{0.3, 0.2, 0.1}, 2};

/// Six times the signed volume of the cone from the origin to a triangle.
static double cone(const MrnSurface *s, int32_t a, int32_t b, int32_t c) {
    const double *p = s->points.data;
    return mrn_dot3(mrn_load3(p + 3 * a), mrn_cross3(mrn_load3(p + 3 * b), mrn_load3(p + 3 * c)));
}

/// Volume inside a closed surface, by the divergence theorem: wrong winding or a gap would show.
static double volume(const MrnSurface *s) {
    double sum = 0;
    int32_t begin = 0;
    for (size_t f = 0; f < s->polygon_ends.count; f++) {
        for (int32_t i = begin + 1; i + 1 < s->polygon_ends.data[f]; i++)
            sum += cone(s, s->polygons.data[begin], s->polygons.data[i], s->polygons.data[i + 1]);
        begin = s->polygon_ends.data[f];
    }
    begin = 0;
    for (size_t f = 0; f < s->strip_ends.count; f++) {
        for (int32_t i = begin; i + 2 < s->strip_ends.data[f]; i++) {
            bool odd = (i - begin) % 2; // every other triangle of a strip turns the other way
            sum += cone(s, s->strips.data[i + odd], s->strips.data[i + 1 - odd], s->strips.data[i + 2]);
        }
        begin = s->strip_ends.data[f];
    }
    return sum / 6;
}

/// Every edge of a closed surface is met once in each direction.
static int open_edges(const MrnSurface *s) {
    size_t n = s->points.count / 3;
    int *balance = calloc(n * n, sizeof *balance), open = 0;
    int32_t begin = 0;
#define EDGE(a, b) (balance[(size_t)(a)*n + (size_t)(b)]++, balance[(size_t)(b)*n + (size_t)(a)]--)
    for (size_t f = 0; f < s->polygon_ends.count; f++) {
        for (int32_t i = begin; i < s->polygon_ends.data[f]; i++)
            EDGE(s->polygons.data[i], s->polygons.data[i + 1 < s->polygon_ends.data[f] ? i + 1 : begin]);
        begin = s->polygon_ends.data[f];
    }
    begin = 0;
    for (size_t f = 0; f < s->strip_ends.count; f++) {
        for (int32_t i = begin; i + 2 < s->strip_ends.data[f]; i++) {
            bool odd = (i - begin) % 2;
            int32_t t[3] = {s->strips.data[i + odd], s->strips.data[i + 1 - odd], s->strips.data[i + 2]};
            for (int k = 0; k < 3; k++) EDGE(t[k], t[(k + 1) % 3]);
        }
        begin = s->strip_ends.data[f];
    }
#undef EDGE
    for (size_t i = 0; i < n * n; i++) open += balance[i] != 0;
    free(balance);
    return open;
}

static MrnShape placed(MrnShape shape) {
    shape.position[0] = 0.3, shape.position[1] = -0.7, shape.position[2] = 1.1;
    const double q[4] = {0.8, 0.36, -0.48, 0};
    memcpy(shape.rotation, q, sizeof q);
    return shape;
}

static void surfaces_of_solids_are_closed_and_hold_their_volume(void **state) {
    (void)state;
    static const struct {
        MrnShapeKind kind;
        double error; ///< of the volume with 96 pieces of a circle
    } cases[] = {{MRN_SHAPE_SPHERE, 3e-3},
                 {MRN_SHAPE_CAPSULE, 3e-3},
                 {MRN_SHAPE_CYLINDER, 1e-3},
                 {MRN_SHAPE_BOX, 1e-14},
                 {MRN_SHAPE_POLYHEDRON, 1e-14}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MrnShape shape = placed(mrn_shape_defaults(cases[i].kind));
        shape.radius = cases[i].kind == MRN_SHAPE_BOX || cases[i].kind == MRN_SHAPE_POLYHEDRON ? 0 : 0.4;
        shape.half[2] = 0.5;
        if (cases[i].kind == MRN_SHAPE_BOX) shape.half[0] = 0.2, shape.half[1] = 0.3;
        if (cases[i].kind == MRN_SHAPE_SPHERE) shape.half[2] = 0;
        if (cases[i].kind == MRN_SHAPE_POLYHEDRON) {
            static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0.2};
            shape.half[2] = 0;
            shape.vertex_count = 5;
            shape.vertices = malloc(sizeof corners);
            memcpy(shape.vertices, corners, sizeof corners);
        }
        MrnError error = {0};
        if (!mrn_shape_prepare(&shape, &error)) fail_msg("%s: %s", mrn_shape_name(shape.kind), error.message);
        double exact = mrn_shape_mass(&shape, 1).mass, before = INFINITY;
        for (int detail = 12; detail <= 96; detail *= 2) {
            MrnSurface surface = {0};
            mrn_surface_add(&surface, &shape, detail, &patch);
            if (open_edges(&surface)) fail_msg("%s in %d pieces has open edges", mrn_shape_name(shape.kind), detail);
            double off = exact - volume(&surface);
            if (off < -1e-12 || off > before)
                fail_msg("%s in %d pieces: off by %g", mrn_shape_name(shape.kind), detail, off);
            before = off;
            mrn_surface_free(&surface);
        }
        if (before > cases[i].error * exact)
            fail_msg("%s: volume off by %g of %g", mrn_shape_name(shape.kind), before, exact);
        mrn_shape_free(&shape);
    }
}

static double area(const MrnRing *ring) {
    double sum = 0;
    size_t n = ring->count / 2;
    for (size_t i = 0; i < n; i++) {
        const double *p = ring->data + 2 * i, *q = ring->data + 2 * ((i + 1) % n);
        sum += p[0] * q[1] - q[0] * p[1];
    }
    return 0.5 * sum;
}

static void outlines_run_counter_clockwise_around_the_true_area(void **state) {
    (void)state;
    MrnRing ring = {0};
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC);
    disc.radius = 0.5;
    assert_true(mrn_surface_outline(&disc, 720 / 2, &ring));
    assert_true(fabs(area(&ring) / (M_PI * 0.25) - 1) < 1e-4);

    // A notched square rounded outwards: Steiner's formula holds for the convex corners, the reflex one takes away.
    double corners[] = {0, 0, 2, 0, 2, 2, 1, 1, 0, 2};
    MrnShape polygon = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    polygon.vertex_count = 5;
    polygon.vertices = corners;
    ring.count = 0;
    assert_true(mrn_surface_outline(&polygon, 64, &ring));
    assert_int_equal(ring.count, 10);
    assert_true(fabs(area(&ring) - 3) < 1e-14);
    polygon.radius = 0.1;
    polygon.rotation[0] = 0.7;
    ring.count = 0;
    assert_true(mrn_surface_outline(&polygon, 360, &ring));
    double perimeter = 6 + 2 * sqrt(2), r = 0.1;
    // Convex corners turn by 2 pi + pi/2 in all; at the notch two strips of r overlap in a kite of area r^2 tan(pi/4).
    double exact = 3 + r * perimeter + 0.5 * r * r * (2 * M_PI + M_PI_2) - r * r;
    assert_true(fabs(area(&ring) - exact) < 1e-5);

    // A thick line is a stadium; a thin one is a line.
    double ends[] = {0, 0, 3, 0};
    MrnShape chain = mrn_shape_defaults(MRN_SHAPE_CHAIN);
    chain.vertex_count = 2;
    chain.vertices = ends;
    chain.radius = 0.2;
    ring.count = 0;
    assert_true(mrn_surface_outline(&chain, 360, &ring));
    assert_true(fabs(area(&ring) - (3 * 0.4 + M_PI * 0.04)) < 1e-4);
    chain.radius = 0;
    ring.count = 0;
    assert_false(mrn_surface_outline(&chain, 32, &ring));
    assert_int_equal(ring.count, 4);
    mrn_array_free(&ring);
}

static void planes_show_the_part_near_the_bodies(void **state) {
    (void)state;
    MrnShape plane = placed(mrn_shape_defaults(MRN_SHAPE_PLANE));
    MrnSurface surface = {0};
    mrn_surface_add(&surface, &plane, 12, &patch);
    assert_int_equal(surface.points.count, 12);
    MrnMat3 turn = mrn_quat_matrix(mrn_quat_load(plane.rotation));
    MrnVec3 normal = {turn.m[0][2], turn.m[1][2], turn.m[2][2]}, middle = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        MrnVec3 p = mrn_load3(surface.points.data + 3 * i);
        assert_true(fabs(mrn_dot3(normal, mrn_sub3(p, mrn_load3(plane.position)))) < 1e-14);
        middle = mrn_axpy3(middle, 0.25, p);
    }
    // The middle of the patch is the foot of its centre.
    MrnVec3 across = mrn_sub3(patch.centre, middle);
    assert_true(mrn_norm3(mrn_axpy3(across, -mrn_dot3(across, normal), normal)) < 1e-14);
    mrn_surface_free(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_of_solids_are_closed_and_hold_their_volume),
        cmocka_unit_test(outlines_run_counter_clockwise_around_the_true_area),
        cmocka_unit_test(planes_show_the_part_near_the_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
