// Small models and frames to draw, and pictures of them without labels.
#ifndef TEST_DRAW_SCENES_H
#define TEST_DRAW_SCENES_H

#include "draw_support.h"
#include "draw/picture.h"

static inline MrnModel *new_model(int dimension) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_add_material(model, "stone", 1000);
    return model;
}

static inline int add_body(MrnModel *model, MrnShape shape, double x, double y, double z, MrnBodyKind kind) {
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

static inline MrnShape disc(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    return shape;
}

static inline MrnShape sphere(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = radius;
    return shape;
}

static inline MrnShape polygon(double *vertices, size_t count) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertices = vertices;
    shape.vertex_count = count;
    return shape;
}

static inline MrnFrame frame_of(const MrnModel *model) {
    size_t n = model->bodies.count, d = (size_t)model->dimension, r = d == 2 ? 1 : 4, s = d == 2 ? 1 : 3;
    MrnFrame frame = {.body_count = n};
    frame.position = calloc(n * d + 1, sizeof(double));
    frame.rotation = calloc(n * r + 1, sizeof(double));
    frame.velocity = calloc(n * d + 1, sizeof(double));
    frame.spin = calloc(n * s + 1, sizeof(double));
    frame.active = calloc(n + 1, 1);
    for (size_t b = 0; b < n; b++) {
        memcpy(frame.position + d * b, model->bodies.data[b].position, d * sizeof(double));
        memcpy(frame.rotation + r * b, model->bodies.data[b].start->rotation, r * sizeof(double));
        frame.active[b] = 1;
    }
    return frame;
}

static inline void free_frame(MrnFrame *frame) {
    free(frame->position);
    free(frame->rotation);
    free(frame->velocity);
    free(frame->spin);
    free(frame->active);
    free(frame->contacts);
}

static inline void push_contact(MrnFrame *frame, int a, int b, double x, double y, double nx, double ny, double impulse,
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
static inline MrnDrawOptions bare(int dimension) {
    MrnDrawOptions options = mrn_draw_defaults(dimension);
    options.width = options.height = 400;
    options.labels = options.marks = false;
    options.color_by = MRN_COLOR_BY_PLAIN;
    options.forces = MRN_FORCES_NONE;
    for (int k = 0; k < 3; k++) options.low[k] = -2, options.high[k] = 2;
    return options;
}

static inline MrnImage draw(const MrnModel *model, const MrnFrame *frame, MrnDrawOptions options) {
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
static inline void place(const MrnImage *image, double x, double y, int *px, int *py) {
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

/// A small heap: ground, discs and a polygon with contacts, in units of `scale` metres around (x, y).
static inline MrnModel *scaled_heap(double scale, double x, double y, MrnFrame *frame) {
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

#endif
