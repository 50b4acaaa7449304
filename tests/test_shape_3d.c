// Shapes of space by themselves: hulls, mass properties, bounds, bad shapes and bad mesh files with their exact
// messages.
#include "geom_3d_helpers.h"

// ------------------------------------------------------------------------------------------------------------- hulls
// and masses

static void hull_holds_every_point_and_is_the_hull_of_its_own_vertices(void **state) {
    (void)state;
    for (int repeat = 0; repeat < 60; repeat++) {
        int count = (int)uniform(4, 400);
        double *points = malloc(3 * (size_t)count * sizeof *points);
        double scale = pow(10, uniform(-3, 4));
        for (int i = 0; i < count; i++) {
            MrnVec3 p = repeat % 3 == 0 ? random_point(1) : random_direction();
            if (repeat % 3 == 2)
                p = mrn_vec3(round(2 * p.x), round(2 * p.y),
                             round(2 * p.z)); // a grid: many repeated and coplanar points
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
            for (int i = 0; i < count; i++)
                assert_true(mrn_dot3(n, mrn_sub3(mrn_load3(points + 3 * i), corner)) < 1e-8 * scale);
            for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; i++)
                assert_true(fabs(mrn_dot3(n, mrn_sub3(mrn_load3(kept + 3 * hull.face_vertex[i]), corner))) <
                            1e-8 * scale);
        }
        assert_true(mrn_hull_make(kept, (size_t)hull.vertex_count, &again, &error));
        assert_int_equal(again.vertex_count, hull.vertex_count);
        assert_int_equal(again.face_count, hull.face_count);
        assert_memory_equal(again.face_start, hull.face_start, (size_t)(hull.face_count + 1) * sizeof(int));
        assert_memory_equal(again.face_vertex, hull.face_vertex,
                            (size_t)hull.face_start[hull.face_count] * sizeof(int));
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
        for (int j = 0; j < 3; j++)
            assert_true(fabs(found->inertia[i][j] - wanted->inertia[i][j]) <= tolerance * wanted->mass);
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
            MrnVec3 p = {i & 1 ? box.half[0] : -box.half[0], i & 2 ? box.half[1] : -box.half[1],
                         i & 4 ? box.half[2] : -box.half[2]};
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
        // Tetrahedra over the faces from an apex outside, each as four corner masses and one in the middle: m/20 each
        // and 4m/5 carry its exact first and second moments.
        MrnVec3 apex = random_point(4), first = {0, 0, 0};
        double second[3][3] = {{0}};
        for (size_t f = 0; f < shape.face_count; f++)
            for (int i = shape.face_start[f] + 1; i + 1 < shape.face_start[f + 1]; i++) {
                MrnVec3 c[5] = {apex, mrn_load3(shape.vertices + 3 * shape.face_vertex[shape.face_start[f]]),
                                mrn_load3(shape.vertices + 3 * shape.face_vertex[i]),
                                mrn_load3(shape.vertices + 3 * shape.face_vertex[i + 1])};
                double mass =
                    2 * mrn_dot3(mrn_sub3(c[1], apex), mrn_cross3(mrn_sub3(c[2], apex), mrn_sub3(c[3], apex))) / 6;
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
            for (int s = 0; s < 3; s++)
                wanted.inertia[r][s] = (r == s ? second[0][0] + second[1][1] + second[2][2] : 0) - second[r][s];
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
            double z = top * (2 * (i + 0.5) / parts - 1), over = fmax(0, fabs(z) - straight),
                   squared = 0.49 - over * over;
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

// ------------------------------------------------------------------------------------------------------------- bad
// input

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
    expect_refused(sized(MRN_SHAPE_CAPSULE, 1, 0, 0, INFINITY),
                   "half length of a capsule must be positive and finite, got inf m");
    expect_refused(sized(MRN_SHAPE_CYLINDER, 1, 0, 0, 0),
                   "half height of a cylinder must be positive and finite, got 0 m");
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
    MrnShape mesh = {.kind = MRN_SHAPE_MESH,
                     .rotation = {1, 0, 0, 0},
                     .vertex_count = 4,
                     .vertices = corners,
                     .face_count = 2,
                     .face_vertex = triangles};
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
    STL("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n",
        "b.STL:5: the file ends inside a facet: expected 'vertex'");
    STL("solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nedge 1 0 0\n",
        "b.STL:5: expected 'vertex', found 'edge'");
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
    const char *obj =
        "# a square\r\no square\nv 0 0 0\nv 2 0 0 1.0\nv 2 2 0\nvn 0 0 1\nv 0 2 0\ns off\nf 1//1 2//1 -2/3/1 4\n";
    const char *stl = "solid square\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 2 0 0\n   vertex 2 "
                      "2 0\n  endloop\n endfacet\n"
                      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 2 0\nvertex 0 2 "
                      "-0\nendloop\nendfacet\nendsolid square\n";
    char bytes[84 + 100] = "solid though binary";
    const float corner[6][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    bytes[80] = 2;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) put_float(bytes + 84 + 50 * (i / 3) + 12 + 12 * (i % 3) + 4 * k, corner[i][k]);
    const struct {
        const char *name, *data;
        size_t size;
    } files[3] = {{"s.obj", obj, strlen(obj)}, {"s.stl", stl, strlen(stl)}, {"S.STL", bytes, sizeof bytes}};
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
