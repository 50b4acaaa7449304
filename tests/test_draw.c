// Pictures of states: what is drawn where, in which colour; how files and errors behave.
#include "draw_support.h"
#include "base/random.h"
#include "draw/picture.h"
#include "draw/quantize.h"
#include "draw/raster.h"
#include "draw/solid.h"

// ---- models and frames
// -------------------------------------------------------------------------------------------------

static MrnModel *new_model(int dimension) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_add_material(model, "stone", 1000);
    return model;
}

static int add_body(MrnModel *model, MrnShape shape, double x, double y, double z, MrnBodyKind kind) {
    MrnError error = {0};
    MrnBodyDef def = mrn_body_defaults(model->dimension);
    def.kind = kind;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.shape_count = 1;
    def.shapes = &shape;
    int body = mrn_model_add_body(model, &def, &error);
    if (body < 0) fail_msg("%s", error.message);
    return body;
}

static MrnShape disc(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    return shape;
}

static MrnShape sphere(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = radius;
    return shape;
}

static MrnShape polygon(double *vertices, size_t count) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertices = vertices;
    shape.vertex_count = count;
    return shape;
}

static MrnFrame frame_of(const MrnModel *model) {
    size_t n = model->bodies.count, d = (size_t)model->dimension, r = d == 2 ? 1 : 4, s = d == 2 ? 1 : 3;
    MrnFrame frame = {.body_count = n};
    frame.position = calloc(n * d + 1, sizeof(double));
    frame.rotation = calloc(n * r + 1, sizeof(double));
    frame.velocity = calloc(n * d + 1, sizeof(double));
    frame.spin = calloc(n * s + 1, sizeof(double));
    frame.active = calloc(n + 1, 1);
    for (size_t b = 0; b < n; b++) {
        memcpy(frame.position + d * b, model->bodies.data[b].position, d * sizeof(double));
        memcpy(frame.rotation + r * b, model->bodies.data[b].rotation, r * sizeof(double));
        frame.active[b] = 1;
    }
    return frame;
}

static void free_frame(MrnFrame *frame) {
    free(frame->position);
    free(frame->rotation);
    free(frame->velocity);
    free(frame->spin);
    free(frame->active);
    free(frame->contacts);
}

static void push_contact(MrnFrame *frame, int a, int b, double x, double y, double nx, double ny, double impulse,
                         int status) {
    frame->contacts = realloc(frame->contacts, (frame->contact_count + 1) * sizeof *frame->contacts);
    frame->contacts[frame->contact_count++] = (MrnContactView){.body_a = a,
                                                               .body_b = b,
                                                               .position = {x, y, 0},
                                                               .normal = {nx, ny, 0},
                                                               .impulse = {impulse * nx, impulse * ny, 0},
                                                               .normal_impulse = impulse,
                                                               .status = status};
}

/// Options without labels: the page shows the box from -2 to 2 and nothing else, 400 pixels wide.
static MrnDrawOptions bare(int dimension) {
    MrnDrawOptions options = mrn_draw_defaults(dimension);
    options.width = options.height = 400;
    options.labels = options.marks = false;
    options.color_by = MRN_COLOR_BY_PLAIN;
    options.forces = MRN_FORCES_NONE;
    for (int k = 0; k < 3; k++) options.low[k] = -2, options.high[k] = 2;
    return options;
}

static MrnImage draw(const MrnModel *model, const MrnFrame *frame, MrnDrawOptions options) {
    MrnError error = {0};
    MrnImage image;
    if (!mrn_draw_frame_image(model, frame, &options, &image, &error)) fail_msg("%s", error.message);
    return image;
}

#define assert_color(image, x, y, color)                                                                               \
    do {                                                                                                               \
        const uint8_t *seen = pixel(image, x, y);                                                                      \
        if (difference(seen, color) > 3) fail_msg("pixel %d %d is %d %d %d", x, y, seen[2], seen[1], seen[0]);         \
    } while (0)
#define assert_not_color(image, x, y, color) assert_true(difference(pixel(image, x, y), color) > 8)

/// Place on a bare 400 pixel page of a point in metres. The view keeps a margin of 3 % and some room below.
static void place(const MrnImage *image, double x, double y, int *px, int *py) {
    (void)image;
    double below = 1.8 * 9, margin = 12, scale = fmin((400 - 2 * margin) / 4, (400 - margin - fmax(margin, below)) / 4);
    *px = (int)(200 + scale * x);
    *py = (int)(0.5 * (400 + margin - fmax(margin, below)) - scale * y);
}

#define assert_color_at(image, x, y, color)                                                                            \
    do {                                                                                                               \
        int at_x, at_y;                                                                                                \
        place(image, x, y, &at_x, &at_y);                                                                              \
        assert_color(image, at_x, at_y, color);                                                                        \
    } while (0)
#define assert_not_color_at(image, x, y, color)                                                                        \
    do {                                                                                                               \
        int at_x, at_y;                                                                                                \
        place(image, x, y, &at_x, &at_y);                                                                              \
        assert_not_color(image, at_x, at_y, color);                                                                    \
    } while (0)

// ---- 2D pictures
// -------------------------------------------------------------------------------------------------------

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

/// A small heap: ground, discs and a polygon with contacts, in units of `scale` metres around (x, y).
static MrnModel *scaled_heap(double scale, double x, double y, MrnFrame *frame) {
    MrnModel *model = new_model(2);
    double gravity[3] = {0, -9.81, 0}, square[8] = {-scale, -scale, scale, -scale, scale, scale, -scale, scale};
    mrn_model_set_gravity(model, gravity);
    add_body(model, mrn_shape_defaults(MRN_SHAPE_HALF_PLANE), x, y, 0, MRN_BODY_FIXED);
    for (int i = 0; i < 5; i++) add_body(model, disc(scale), x + 2 * i * scale, y + scale, 0, MRN_BODY_FREE);
    add_body(model, polygon(square, 4), x + 4 * scale, y + 3 * scale, 0, MRN_BODY_FREE);
    *frame = frame_of(model);
    for (int i = 1; i <= 5; i++) push_contact(frame, i, 0, x + 2 * (i - 1) * scale, y, 0, 1, i * i * scale, 1);
    return model;
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

// ---- 3D pictures
// -------------------------------------------------------------------------------------------------------

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

// ---- files and errors
// --------------------------------------------------------------------------------------------------

static void extension_chooses_the_format(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnError error = {0};
    MrnDrawOptions options = mrn_draw_defaults(2);
    options.title = "bad bytes: \xff\xfe\xc3( and a tab\t, \xe2\x82\xac";
    static const char *const names[] = {"state.png", "state.svg", "state.PDF"}, *const starts[] = {"\x89PNG\r\n",
                                                                                                   "<?xml", "%PDF-"};
    for (int i = 0; i < 3; i++) {
        if (!mrn_draw_frame(model, &frame, &options, in_folder(names[i]), &error)) fail_msg("%s", error.message);
        size_t size;
        char *data = read_all(in_folder(names[i]), &size);
        assert_memory_equal(data, starts[i], strlen(starts[i]));
        free(data);
    }
    free_frame(&frame);
    mrn_model_free(model);
}

static void few_colours_make_a_smaller_file_that_looks_the_same(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    uint32_t pixels[COUNT], palette[256];
    uint8_t index[COUNT];
    // Few colours stay exact, also more than one byte of cells apart.
    for (int i = 0; i < COUNT; i++) pixels[i] = 0x10203u * (uint32_t)(i % 50);
    assert_int_equal(mrn_quantize(pixels, COUNT, 64, palette, index), 50);
    for (int i = 0; i < COUNT; i++) assert_int_equal(palette[index[i]], pixels[i]);
    // A smooth square of colours: no pixel moves far.
    for (int i = 0; i < COUNT; i++) pixels[i] = (uint32_t)(4 * (i % 64)) << 16 | (uint32_t)(4 * (i / 64)) << 8 | 0x80;
    int count = mrn_quantize(pixels, COUNT, 256, palette, index);
    assert_true(count > 200 && count <= 256);
    for (int i = 0; i < COUNT; i++)
        for (int shift = 0; shift < 24; shift += 8)
            assert_true(abs((int)(palette[index[i]] >> shift & 255) - (int)(pixels[i] >> shift & 255)) <= 20);
    if (!have_cairo) return;
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    size_t all, few;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("all.png"), &error));
    options.colors = 64;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("few.png"), &error));
    free(read_all(in_folder("all.png"), &all));
    char *data = read_all(in_folder("few.png"), &few);
    assert_true(few < all / 2);
    assert_int_equal(data[25], 3); // colour type of the header: palette
    free(data);
    free_frame(&frame);
    mrn_model_free(model);
}

static void what_cannot_be_drawn_says_why(void **state) {
    (void)state;
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    if (!have_cairo) {
        assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
        assert_int_equal(error.code, MRN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "cairo"));
        goto done;
    }
    assert_false(mrn_draw_frame(model, &frame, &options, "picture.jpg", &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message, "picture.jpg: the name of a picture must end in .png, .svg or .pdf");
    assert_false(mrn_draw_frame(model, &frame, &options, "folder.png/picture", &error));
    assert_string_equal(error.message, "folder.png/picture: the name of a picture must end in .png, .svg or .pdf");
    static const char *const kinds[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++) {
        char path[300], message[400];
        snprintf(path, sizeof path, "%s/missing/picture.%s", folder, kinds[i]);
        snprintf(message, sizeof message, "%s: cannot write the picture: No such file or directory", path);
        assert_false(mrn_draw_frame(model, &frame, &options, path, &error));
        assert_int_equal(error.code, MRN_ERROR_FILE);
        assert_string_equal(error.message, message);
    }
    options.width = 10;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    options.width = 1000000;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    options = mrn_draw_defaults(2);
    options.low[0] = 0, options.high[0] = 1;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_string_equal(error.message, "view box from 0 m to 0 m along y: it is empty");
    options = mrn_draw_defaults(2);
    frame.body_count--;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_string_equal(error.message, "the frame has 6 bodies, the model 7: they belong to different runs");
    assert_true(access(in_folder("x.png"), F_OK) != 0);
done:
    free_frame(&frame);
    mrn_model_free(model);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    if (!have_cairo || access("/dev/full", W_OK) != 0) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    assert_int_equal(symlink("/dev/full", in_folder("full.png")), 0);
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("full.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_FILE);
    assert_non_null(strstr(error.message, "No space left on device"));
    assert_int_equal(access("/dev/full", W_OK), 0);
    free_frame(&frame);
    mrn_model_free(model);
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
        cmocka_unit_test(depth_of_a_sphere_is_exact),
        cmocka_unit_test(triangle_cut_by_the_near_plane_keeps_its_depth),
        cmocka_unit_test(outlines_of_solids_have_the_right_area),
        cmocka_unit_test(nearer_body_hides_the_farther_one),
        cmocka_unit_test(automatic_camera_sees_all_bodies),
        cmocka_unit_test(box_on_the_ground_throws_a_shadow),
        cmocka_unit_test(extension_chooses_the_format),
        cmocka_unit_test(few_colours_make_a_smaller_file_that_looks_the_same),
        cmocka_unit_test(what_cannot_be_drawn_says_why),
        cmocka_unit_test(full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
