// Pictures of 3D states: exact depths and outlines, what hides what, the camera, shadows.
#include "draw_scenes.h"
#include "draw/raster.h"
#include "draw/solid.h"

static MrnCamera straight_camera(bool perspective) {
    return (MrnCamera){.eye = {0, 0, 10},
                       .right = {1, 0, 0},
                       .up = {0, 1, 0},
                       .forward = {0, 0, -1},
                       .perspective = perspective,
                       .focal = perspective ? 500 : 50,
                       .middle_x = 50.3,
                       .middle_y = 50.7,
                       .near = perspective ? 0.01 : -INFINITY};
}

static void depth_of_a_sphere_is_exact(void **state) {
    (void)state;
    for (int perspective = 0; perspective < 2; perspective++) {
        MrnCamera camera = straight_camera(perspective);
        MrnRaster raster = mrn_raster_new(101, 101, false);
        MrnVec3 centre = {0.1, -0.05, 0.2};
        mrn_raster_sphere(&raster, &camera, centre, 0.5, (MrnPaint){0xff808080u, 7, NULL});
        size_t inside = 0;
        for (int y = 0; y < 101; y++)
            for (int x = 0; x < 101; x++) {
                float z = raster.depth[y * 101 + x];
                if (!isfinite(z)) continue;
                inside++;
                MrnVec3 p = mrn_camera_unproject(&camera, x, y, z);
                MrnVec3 space = {p.x, p.y, 10 - p.z};
                assert_float_equal(mrn_norm3(mrn_sub3(space, centre)), 0.5, 2e-6);
                assert_int_equal(raster.owner[y * 101 + x], 7);
            }
        // Area of the outline in samples; in perspective the cone is a little wider than the sphere at its centre.
        double radius = perspective ? 500 * 0.5 / sqrt(9.8 * 9.8 - 0.25) : 25;
        assert_float_equal((double)inside / (M_PI * radius * radius), 1, 0.02);
        mrn_raster_free(&raster);
    }
}

static void triangle_cut_by_the_near_plane_keeps_its_depth(void **state) {
    (void)state;
    MrnCamera camera = straight_camera(true);
    MrnRaster raster = mrn_raster_new(101, 101, false);
    // A floor y = -1 that runs behind the eye.
    MrnVec3 corner[3] = {{-50, -1, 40}, {50, -1, 40}, {0, -1, -60}}, up = {0, 1, 0};
    mrn_raster_triangle(&raster, &camera, corner, (MrnVec3[3]){up, up, up}, (MrnPaint){0xffffffffu, 1, NULL},
                        MRN_SIDES_FRONT);
    for (int y = 0; y < 101; y++) {
        double slope = (50.7 - y - 0.5) / 500;
        float z = raster.depth[y * 101 + 50];
        if (slope < -1.0 / 69)
            assert_float_equal(z * slope, -1, 1e-5);
        else if (slope > -1.0 / 71)
            assert_true(!isfinite(z));
    }
    // From below nothing is seen.
    MrnRaster below = mrn_raster_new(101, 101, false);
    MrnVec3 ceiling[3] = {{-50, 1, 40}, {50, 1, 40}, {0, 1, -60}};
    mrn_raster_triangle(&below, &camera, ceiling, (MrnVec3[3]){up, up, up}, (MrnPaint){0xffffffffu, 1, NULL},
                        MRN_SIDES_FRONT);
    for (int i = 0; i < 101 * 101; i++) assert_true(!isfinite(below.depth[i]));
    mrn_raster_free(&below);
    mrn_raster_free(&raster);
}

/// Share of a 101 x 101 raster that a shape covers from the front, parallel projection, in square metres.
static double covered_area(const MrnShape *shape) {
    MrnCamera camera = straight_camera(false);
    MrnRaster raster = mrn_raster_new(101, 101, false);
    MrnPose pose = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    // Turned so that its axis points up on the page.
    pose.rotation = (MrnMat3){{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
    mrn_solid_draw(&raster, &camera, shape, &pose, (MrnPaint){0xff808080u, 1, NULL}, MRN_PASS_OPAQUE);
    size_t count = 0;
    for (int i = 0; i < 101 * 101; i++) {
        count += raster.owner[i] != 0;
        if (raster.owner[i]) assert_true(raster.normal[3 * i + 2] <= 0); // faces the camera
    }
    mrn_raster_free(&raster);
    return (double)count / 2500;
}

static void outlines_of_solids_have_the_right_area(void **state) {
    (void)state;
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_BOX);
    shape.half[0] = 0.3, shape.half[1] = 0.2, shape.half[2] = 0.5;
    assert_float_equal(covered_area(&shape), 4 * 0.3 * 0.5, 0.03);
    shape = mrn_shape_defaults(MRN_SHAPE_CYLINDER);
    shape.radius = 0.4, shape.half[2] = 0.5;
    assert_float_equal(covered_area(&shape), 4 * 0.4 * 0.5, 0.03);
    shape = mrn_shape_defaults(MRN_SHAPE_CAPSULE);
    shape.radius = 0.3, shape.half[2] = 0.4;
    assert_float_equal(covered_area(&shape), 4 * 0.3 * 0.4 + M_PI * 0.09, 0.03);
    shape = mrn_shape_defaults(MRN_SHAPE_FUNNEL);
    shape.radius = 0.2, shape.top_radius = 0.6, shape.half[2] = 0.5;
    assert_float_equal(covered_area(&shape), 2 * 0.5 * (0.2 + 0.6), 0.03);
}

static void nearer_body_hides_the_farther_one(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(3);
    mrn_model_add_material(model, "other", 1000);
    double gravity[3] = {0, 0, -9.81};
    mrn_model_set_gravity(model, gravity);
    MrnShape near = sphere(0.5), far = sphere(0.9);
    near.material = 1;
    add_body(model, near, 0, -1, 0, MRN_BODY_FREE);
    add_body(model, far, 0, 1, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnDrawOptions options = bare(3);
    options.color_by = MRN_COLOR_BY_BIRTH; // numbers of the bodies: 0 and 1
    options.azimuth = options.elevation = 0;
    for (int parallel = 0; parallel < 2; parallel++) {
        options.field_of_view = parallel ? 0 : 0.5;
        options.azimuth = 0;
        MrnImage image = draw(model, &frame, options);
        const uint8_t front[4] = {pixel(&image, 200, 200)[0], pixel(&image, 200, 200)[1], pixel(&image, 200, 200)[2],
                                  0};
        mrn_image_free(&image);
        options.azimuth = 3.141592653589793;
        image = draw(model, &frame, options);
        const uint8_t *back = pixel(&image, 200, 200);
        // Pale from the front (body 0), coloured from behind (body 1).
        int front_chroma = front[2] - front[0], back_chroma = back[2] - back[0];
        assert_true(abs(back_chroma) > abs(front_chroma) + 20);
        assert_color(&image, 2, 2, ((MrnColor){1, 1, 1}));
        mrn_image_free(&image);
    }
    free_frame(&frame);
    mrn_model_free(model);
}

static void automatic_camera_sees_all_bodies(void **state) {
    (void)state;
    if (!have_cairo) skip();
    for (int i = 0; i < 12; i++) {
        double scale = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1 : 1e5;
        MrnModel *model = new_model(3);
        MrnShape box = mrn_shape_defaults(MRN_SHAPE_BOX);
        box.half[0] = 0.2 * scale, box.half[1] = 0.5 * scale, box.half[2] = (i % 2 ? 3.0 : 0.1) * scale;
        add_body(model, box, scale, 2 * scale, -scale, MRN_BODY_FREE);
        add_body(model, sphere(scale), -3 * scale, 0, 0, MRN_BODY_FREE);
        MrnFrame frame = frame_of(model);
        MrnDrawOptions options = mrn_draw_defaults(3);
        options.width = 160;
        options.labels = false;
        options.azimuth = 0.9 * i;
        options.elevation = 0.25 * i - 1.4;
        options.field_of_view = i % 4 == 3 ? 0 : 0.3 + 0.1 * i;
        MrnImage image = draw(model, &frame, options);
        size_t ink = 0;
        for (int y = 0; y < image.height; y++)
            for (int x = 0; x < image.width; x++) {
                bool border = x == 0 || y == 0 || x == image.width - 1 || y == image.height - 1;
                bool body = difference(pixel(&image, x, y), (MrnColor){1, 1, 1}) > 3;
                assert_false(border && body);
                ink += body;
            }
        assert_true(ink > (size_t)image.width * (size_t)image.height / 60);
        mrn_image_free(&image);
        free_frame(&frame);
        mrn_model_free(model);
    }
}

static void box_on_the_ground_throws_a_shadow(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(3);
    double gravity[3] = {0, 0, -9.81};
    mrn_model_set_gravity(model, gravity);
    MrnShape box = mrn_shape_defaults(MRN_SHAPE_BOX);
    box.half[0] = box.half[1] = 0.3, box.half[2] = 0.9;
    add_body(model, box, 0, 0, 0.9, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnDrawOptions options = bare(3);
    options.azimuth = 0;
    options.elevation = 0.5;
    MrnImage image = draw(model, &frame, options);
    size_t dark = 0;
    for (int i = 0; i < 400 * 400; i++) dark += image.pixels[4 * i + 1] < 235;
    mrn_image_free(&image);
    add_body(model, mrn_shape_defaults(MRN_SHAPE_PLANE), 0, 0, 0, MRN_BODY_FIXED);
    free_frame(&frame);
    frame = frame_of(model);
    image = draw(model, &frame, options);
    // The light comes from the left: right of the foot of the box the ground is darker than left of it.
    int foot = 0;
    for (int y = 399; y > 0 && !foot; y--)
        if (pixel(&image, 200, y)[0] < pixel(&image, 200, y)[2] - 12) foot = y; // sand is warmer than the ground
    assert_true(foot > 180 && foot < 210);
    double left = 0, right = 0;
    for (int x = 5; x < 25; x++)
        left += pixel(&image, 200 - 32 - x, foot - 12)[1], right += pixel(&image, 200 + 32 + x, foot - 12)[1];
    assert_true(dark > 0);
    assert_true(right < left - 20 * 8);
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_of_a_sphere_is_exact),
        cmocka_unit_test(triangle_cut_by_the_near_plane_keeps_its_depth),
        cmocka_unit_test(outlines_of_solids_have_the_right_area),
        cmocka_unit_test(nearer_body_hides_the_farther_one),
        cmocka_unit_test(automatic_camera_sees_all_bodies),
        cmocka_unit_test(box_on_the_ground_throws_a_shadow),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
