// Pictures of 2D states: what is drawn where and in which colour.
#include "draw_scenes.h"
#include "base/random.h"

static void disc_is_drawn_at_its_place_in_both_themes(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    add_body(model, disc(0.5), 1, -0.5, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    for (int theme = 0; theme < 2; theme++) {
        MrnDrawOptions options = bare(2);
        options.theme = (MrnTheme)theme;
        MrnImage image = draw(model, &frame, options);
        MrnColor fill = mrn_color_material(0, options.theme), paper = mrn_color_ink(options.theme).paper;
        assert_color_at(&image, 1, -0.5, fill);
        assert_color_at(&image, 1.4, -0.5, fill);
        assert_color_at(&image, 1, -0.1, fill);
        assert_color_at(&image, 1.6, -0.5, paper);
        assert_color_at(&image, 1.45, -0.05, paper);
        assert_color_at(&image, -1, 1, paper);
        mrn_image_free(&image);
    }
    free_frame(&frame);
    mrn_model_free(model);
}

static void mark_of_a_disc_turns_with_it(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    add_body(model, disc(1), 0, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnDrawOptions options = bare(2);
    options.marks = true;
    MrnColor fill = mrn_color_material(0, MRN_THEME_LIGHT);
    MrnImage image = draw(model, &frame, options);
    assert_not_color_at(&image, 0.5, 0, fill);
    assert_color_at(&image, 0, 0.5, fill);
    mrn_image_free(&image);
    frame.rotation[0] = 1.5707963267948966;
    image = draw(model, &frame, options);
    assert_color_at(&image, 0.5, 0, fill);
    assert_not_color_at(&image, 0, 0.5, fill);
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void notch_of_a_nonconvex_polygon_stays_empty(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    double ell[12] = {-1.5, -1.5, 1.5, -1.5, 1.5, -0.5, -0.5, -0.5, -0.5, 1.5, -1.5, 1.5};
    int body = add_body(model, polygon(ell, 6), 0, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnImage image = draw(model, &frame, bare(2));
    MrnColor fill = mrn_color_material(0, MRN_THEME_LIGHT), paper = {1, 1, 1};
    assert_true(body == 0);
    assert_color_at(&image, -1, 1, fill);
    assert_color_at(&image, 1, -1, fill);
    assert_color_at(&image, 0.5, 0.5, paper);
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void rounded_polygon_reaches_out_by_its_radius(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    MrnShape shape = polygon(square, 4);
    shape.radius = 0.5;
    add_body(model, shape, 0, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnImage image = draw(model, &frame, bare(2));
    MrnColor fill = mrn_color_material(0, MRN_THEME_LIGHT), paper = {1, 1, 1};
    assert_color_at(&image, 0, 0, fill);
    assert_color_at(&image, 1.4, 0, fill);
    assert_color_at(&image, 1.25, 1.25, fill);
    assert_color_at(&image, 1.45, 1.45, paper);
    assert_color_at(&image, 1.6, 0, paper);
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void half_plane_fills_what_lies_below_its_line(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnColor paper = {1, 1, 1};
    for (int far = 0; far < 2; far++) {
        MrnModel *model = new_model(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
        // Turned by a quarter: solid on the right. Its origin may be far away along the line.
        shape.rotation[0] = 1.5707963267948966;
        add_body(model, shape, 0.5, far ? 1e5 : 0, 0, MRN_BODY_FIXED);
        MrnFrame frame = frame_of(model);
        MrnImage image = draw(model, &frame, bare(2));
        for (double y = -1.5; y < 2; y += 0.5) {
            assert_color_at(&image, 0.3, y, paper);
            assert_color_at(&image, -1.9, y, paper);
            assert_not_color_at(&image, 1.2, y, paper);
        }
        mrn_image_free(&image);
        free_frame(&frame);
        mrn_model_free(model);
    }
}

static void colours_follow_the_speed(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    for (int i = 0; i < 3; i++) add_body(model, disc(0.4), i - 1.0, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    frame.velocity[2] = 3, frame.velocity[3] = 4; // speed 5
    frame.velocity[4] = 2.5;
    MrnDrawOptions options = bare(2);
    options.color_by = MRN_COLOR_BY_VELOCITY;
    MrnColor map[MRN_MAP_SIZE];
    mrn_color_map(MRN_MAP_SEQUENTIAL, MRN_THEME_LIGHT, map);
    MrnImage image = draw(model, &frame, options);
    assert_color_at(&image, -1, 0, map[0]);
    assert_color_at(&image, 0, 0, map[255]);
    assert_color_at(&image, 1, 0, mrn_color_look_up(map, 0.5));
    mrn_image_free(&image);
    options.color_max = 10;
    image = draw(model, &frame, options);
    assert_color_at(&image, 0, 0, mrn_color_look_up(map, 0.5));
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void force_chain_joins_centres_through_the_contact(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    for (int i = 0; i < 4; i++) add_body(model, disc(0.45), 0.9 * i - 1.35, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    push_contact(&frame, 0, 1, -0.9, 0, -1, 0, 1, 1);
    push_contact(&frame, 2, 3, 0.9, 0, -1, 0, 4, 1);
    MrnDrawOptions options = bare(2);
    MrnInk ink = mrn_color_ink(MRN_THEME_LIGHT);
    MrnColor fill = mrn_color_material(0, MRN_THEME_LIGHT);
    MrnImage image = draw(model, &frame, options);
    assert_color_at(&image, 1.1, 0, fill);
    mrn_image_free(&image);
    options.forces = MRN_FORCES_CHAINS;
    image = draw(model, &frame, options);
    assert_color_at(&image, -1.1, 0, ink.weak);
    assert_color_at(&image, 0.7, 0, ink.strong);
    assert_color_at(&image, 1.1, 0, ink.strong);
    assert_color_at(&image, 0.15, 0, fill); // beyond the centre of its body
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void contacts_have_the_colour_of_their_status(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnModel *model = new_model(2);
    add_body(model, disc(1), 0, 0, 0, MRN_BODY_FREE);
    add_body(model, disc(1), 1, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnInk ink = mrn_color_ink(MRN_THEME_LIGHT);
    for (int status = 0; status < 3; status++) push_contact(&frame, 0, 1, -1.5 + status, 1.5, 0, 1, 0, status);
    MrnDrawOptions options = bare(2);
    options.contacts = true;
    MrnImage image = draw(model, &frame, options);
    assert_color_at(&image, -1.5, 1.5, ink.open);
    assert_color_at(&image, -0.5, 1.5, ink.stick);
    assert_color_at(&image, 0.5, 1.5, ink.slip);
    mrn_image_free(&image);
    free_frame(&frame);
    mrn_model_free(model);
}

static void links_meet_at_the_centre_of_pressure(void **state) {
    (void)state;
    MrnModel *model = new_model(2);
    for (int i = 0; i < 3; i++) add_body(model, disc(0.4), i, 0, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    uint8_t shown[3] = {1, 1, 1};
    MrnLink *links;
    assert_int_equal(mrn_links_of_frame(model, &frame, shown, &links), 0);
    free(links);
    push_contact(&frame, 0, 1, 0.5, -0.1, -1, 0, 1, 1);
    push_contact(&frame, 1, 2, 1.5, 0.3, -1, 0, 2, 1);
    push_contact(&frame, 0, 1, 0.5, 0.3, -1, 0, 3, 1);
    push_contact(&frame, 0, 1, 0.4, 0.4, 0, 1, 7, 1);  // another face
    push_contact(&frame, 1, 2, 1.5, 0.3, -1, 0, 0, 0); // open
    push_contact(&frame, 1, 9, 1.5, 0.3, -1, 0, 1, 0); // no such body
    assert_int_equal(mrn_links_of_frame(model, &frame, shown, &links), 3);
    assert_int_equal(links[0].body_b, 1);
    assert_float_equal(links[0].normal_impulse, 4, 1e-14);
    assert_float_equal(links[0].point.y, (1 * -0.1 + 3 * 0.3) / 4, 1e-14);
    assert_float_equal(links[1].normal_impulse, 7, 0);
    assert_int_equal(links[2].body_a, 1);
    free(links);
    shown[2] = 0;
    assert_int_equal(mrn_links_of_frame(model, &frame, shown, &links), 2);
    free(links);
    free_frame(&frame);
    mrn_model_free(model);
}

static void picture_does_not_depend_on_the_unit_of_length(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnImage first = {0};
    const double cases[][3] = {{1, 0, 0}, {1e-6, 0, 0}, {1e5, 0, 0}, {1, 1e5, -3e5}, {1e-3, 40, 70}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MrnFrame frame;
        MrnModel *model = scaled_heap(cases[i][0], cases[i][1], cases[i][2], &frame);
        MrnDrawOptions options = mrn_draw_defaults(2);
        options.width = 300;
        options.labels = false;
        options.contacts = true;
        MrnImage image = draw(model, &frame, options);
        if (i == 0) {
            first = image;
        } else {
            assert_int_equal(image.width, first.width);
            assert_int_equal(image.height, first.height);
            size_t far = 0, size = 4 * (size_t)image.width * (size_t)image.height;
            for (size_t k = 0; k < size; k++) far += abs(image.pixels[k] - first.pixels[k]) > 4;
            if (far > 40) fail_msg("scale %g m: %zu components differ", cases[i][0], far);
            mrn_image_free(&image);
        }
        free_frame(&frame);
        mrn_model_free(model);
    }
    mrn_image_free(&first);
}

static void same_frame_gives_the_same_pixels(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnError error = {0};
    MrnDrawOptions options = mrn_draw_defaults(2);
    options.title = "heap";
    size_t size_a, size_b;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("a.png"), &error));
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("b.png"), &error));
    char *data_a = read_all(in_folder("a.png"), &size_a), *data_b = read_all(in_folder("b.png"), &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(data_a, data_b, size_a);
    free(data_a);
    free(data_b);
    free_frame(&frame);
    mrn_model_free(model);
}

static void automatic_box_ignores_ground_and_strays_and_holds_the_drum(void **state) {
    (void)state;
    MrnModel *model = new_model(2);
    double low[3], high[3];
    add_body(model, mrn_shape_defaults(MRN_SHAPE_HALF_PLANE), 0, 0, 0, MRN_BODY_FIXED);
    for (int i = 0; i < 60; i++) add_body(model, disc(0.5), i % 10, 0.5 + i / 10, 0, MRN_BODY_FREE);
    add_body(model, disc(0.5), 5000, 800, 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    mrn_draw_bounds(model, &frame, low, high);
    assert_float_equal(low[0], -0.5, 1e-12);
    assert_float_equal(high[0], 9.5, 1e-12);
    assert_float_equal(low[1], 0, 1e-12);
    assert_float_equal(high[1], 6, 1e-12);
    free_frame(&frame);
    MrnShape ring = mrn_shape_defaults(MRN_SHAPE_RING);
    ring.radius = 20;
    add_body(model, ring, 5, 3, 0, MRN_BODY_DRIVEN);
    frame = frame_of(model);
    mrn_draw_bounds(model, &frame, low, high);
    assert_true(low[0] <= -15 && high[0] >= 25 && low[1] <= -17 && high[1] >= 23);
    assert_true(high[0] < 30);
    free_frame(&frame);
    mrn_model_free(model);
}

static void empty_frames_give_empty_pages(void **state) {
    (void)state;
    if (!have_cairo) skip();
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int bodies = 0; bodies < 2; bodies++) {
            MrnModel *model = new_model(dimension);
            if (bodies) add_body(model, dimension == 2 ? disc(1) : sphere(1), 0, 0, 0, MRN_BODY_FREE);
            MrnFrame frame = frame_of(model);
            if (bodies) frame.active[0] = 0;
            MrnDrawOptions options = mrn_draw_defaults(dimension);
            options.width = 200;
            options.labels = false;
            options.forces = MRN_FORCES_CHAINS;
            options.color_by = MRN_COLOR_BY_LOAD;
            MrnImage image = draw(model, &frame, options);
            for (size_t i = 0; i < 4 * (size_t)image.width * (size_t)image.height; i++)
                assert_int_equal(image.pixels[i], 255);
            mrn_image_free(&image);
            free_frame(&frame);
            mrn_model_free(model);
        }
}

static void bodies_without_a_finite_place_are_left_out(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnError error = {0};
    frame.position[2 * 3] = NAN;
    frame.position[2 * 4 + 1] = INFINITY;
    frame.velocity[2] = NAN;
    frame.contacts[1].position[0] = NAN;
    frame.contacts[4].normal_impulse = INFINITY;
    MrnDrawOptions options = mrn_draw_defaults(2);
    options.color_by = MRN_COLOR_BY_VELOCITY;
    options.contacts = true;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("nan.svg"), &error));
    size_t size;
    char *text = read_all(in_folder("nan.svg"), &size);
    assert_int_equal(count_of(text, "nan"), 0);
    assert_int_equal(count_of(text, "inf"), 0);
    assert_true(strstr(text, "</svg>") != NULL);
    free(text);
    free_frame(&frame);
    mrn_model_free(model);
}

/// A number that a broken run may hold.
static double wild(uint64_t key) {
    static const double numbers[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1e9, 1e-9, 3, 0.5};
    uint64_t bits = mrn_mix64(key);
    if (bits % 13 == 0) return NAN;
    if (bits % 13 == 1) return INFINITY;
    return numbers[(bits >> 8) % 10] * (1 + 1e-3 * (double)((bits >> 16) % 1000));
}

static void wild_numbers_never_break_a_picture(void **state) {
    (void)state;
    if (!have_cairo) skip();
    for (uint64_t i = 0; i < 60; i++) {
        int dimension = i % 2 ? 3 : 2;
        MrnModel *model = new_model(dimension);
        for (int b = 0; b < 8; b++) add_body(model, dimension == 2 ? disc(0.3) : sphere(0.3), b, 0, 0, MRN_BODY_FREE);
        add_body(model, mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE), 0, 0, 0,
                 MRN_BODY_FIXED);
        MrnFrame frame = frame_of(model);
        for (int b = 0; b < 9; b++) {
            uint64_t key = 100 * (i * 9 + (uint64_t)b);
            for (int k = 0; k < dimension; k++) {
                if (i > 20) frame.position[dimension * b + k] = wild(key + (uint64_t)k);
                frame.velocity[dimension * b + k] = wild(key + 10 + (uint64_t)k);
            }
            frame.spin[b] = wild(key + 20);
            push_contact(&frame, b, (b + 1) % 9, wild(key + 30), wild(key + 31), wild(key + 32), wild(key + 33),
                         wild(key + 34), b % 4);
        }
        frame.time = wild(i + 77777);
        MrnDrawOptions options = mrn_draw_defaults(dimension);
        options.width = options.height = 100;
        options.contacts = true;
        options.forces = MRN_FORCES_CHAINS;
        options.color_by = (MrnColorBy)(i % MRN_COLOR_BY_COUNT);
        options.theme = (MrnTheme)(i / 2 % 2);
        MrnImage image = draw(model, &frame, options);
        assert_int_equal(image.width, 100);
        mrn_image_free(&image);
        free_frame(&frame);
        mrn_model_free(model);
    }
}

static size_t paths_of_discs(int count) {
    MrnModel *model = new_model(2);
    MrnError error = {0};
    for (int i = 0; i < count; i++)
        add_body(model, disc(0.05), -1.9 + 0.12 * (i % 30), -1.9 + 0.12 * (i / 30), 0, MRN_BODY_FREE);
    MrnFrame frame = frame_of(model);
    MrnDrawOptions options = bare(2);
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("discs.svg"), &error));
    size_t size;
    char *text = read_all(in_folder("discs.svg"), &size);
    size_t paths = count_of(text, "<path");
    free(text);
    free_frame(&frame);
    mrn_model_free(model);
    return paths;
}

static void every_body_is_one_more_outline_in_the_svg(void **state) {
    (void)state;
    if (!have_cairo) skip();
    size_t none = paths_of_discs(0), ten = paths_of_discs(10), hundred = paths_of_discs(100);
    assert_true(ten > none);
    assert_int_equal((ten - none) % 10, 0);
    assert_int_equal(hundred - none, 10 * (ten - none));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc_is_drawn_at_its_place_in_both_themes),
        cmocka_unit_test(mark_of_a_disc_turns_with_it),
        cmocka_unit_test(notch_of_a_nonconvex_polygon_stays_empty),
        cmocka_unit_test(rounded_polygon_reaches_out_by_its_radius),
        cmocka_unit_test(half_plane_fills_what_lies_below_its_line),
        cmocka_unit_test(colours_follow_the_speed),
        cmocka_unit_test(force_chain_joins_centres_through_the_contact),
        cmocka_unit_test(contacts_have_the_colour_of_their_status),
        cmocka_unit_test(links_meet_at_the_centre_of_pressure),
        cmocka_unit_test(picture_does_not_depend_on_the_unit_of_length),
        cmocka_unit_test(same_frame_gives_the_same_pixels),
        cmocka_unit_test(automatic_box_ignores_ground_and_strays_and_holds_the_drum),
        cmocka_unit_test(empty_frames_give_empty_pages),
        cmocka_unit_test(bodies_without_a_finite_place_are_left_out),
        cmocka_unit_test(wild_numbers_never_break_a_picture),
        cmocka_unit_test(every_body_is_one_more_outline_in_the_svg),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
