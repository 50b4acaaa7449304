// Measures against closed forms: lattices, columns, imposed flows, hand-made forces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "draw/draw.h"
#include "measure/measure.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(wanted, found, tolerance)                                                                          \
    do {                                                                                                               \
        double wanted_ = (wanted), found_ = (found);                                                                   \
        if (!(fabs(wanted_ - found_) <= (tolerance)))                                                                  \
            fail_msg("line %d: wanted %.17g, found %.17g", __LINE__, wanted_, found_);                                 \
    } while (0)

// ---- Models and frames by hand ----

static MrnModel *new_model(int dimension, double friction) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_add_material(model, "grain", 2);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = friction;
    mrn_model_set_law(model, -1, -1, law);
    return model;
}

/// A free disc or ball of density 2.
static int add_grain(MrnModel *model, double radius, const double *at) {
    int d = mrn_model_dimension(model);
    MrnBodyDef def = mrn_body_defaults(d);
    MrnShape shape = mrn_shape_defaults(d == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
    MrnError error = {0};
    shape.radius = radius;
    def.shapes = &shape, def.shape_count = 1;
    for (int k = 0; k < d; k++) def.position[k] = at[k];
    int body = mrn_model_add_body(model, &def, &error);
    if (body < 0) fail_msg("%s", error.message);
    return body;
}

static int add_floor(MrnModel *model) {
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    def.kind = MRN_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
    return mrn_model_add_body(model, &def, NULL);
}

/// A frame of the bodies where the model puts them, without contacts. Contacts are added with touch().
static MrnFrame *add_frame(MrnFrameList *list, const MrnModel *model, double time) {
    size_t n = model->bodies.count, d = (size_t)model->dimension;
    MrnFrame frame = {.time = time,
                      .body_count = n,
                      .position = calloc(d * n, sizeof(double)),
                      .rotation = calloc((d == 2 ? 1 : 4) * n, sizeof(double)),
                      .velocity = calloc(d * n, sizeof(double)),
                      .spin = calloc((d == 2 ? 1 : 3) * n, sizeof(double)),
                      .active = malloc(n)};
    memset(frame.active, 1, n);
    for (size_t b = 0; b < n; b++) {
        for (size_t k = 0; k < d; k++) frame.position[d * b + k] = model->bodies.data[b].position[k];
        if (d == 3) frame.rotation[4 * b] = 1;
    }
    mrn_array_push(&list->frames, frame);
    return &list->frames.data[list->frames.count - 1];
}

/// A contact half-way between two grains with this impulse on A.
static void touch(MrnFrame *frame, int dimension, int a, int b, const double *impulse) {
    frame->contacts = realloc(frame->contacts, (frame->contact_count + 1) * sizeof *frame->contacts);
    MrnContactView *contact = &frame->contacts[frame->contact_count++];
    *contact = (MrnContactView){.body_a = a, .body_b = b, .status = 1};
    double length = 0;
    for (int k = 0; k < dimension; k++) {
        double from = frame->position[dimension * b + k], to = frame->position[dimension * a + k];
        contact->position[k] = 0.5 * (from + to), contact->normal[k] = to - from;
        length += (to - from) * (to - from);
        contact->impulse[k] = impulse[k];
    }
    for (int k = 0; k < dimension; k++) {
        contact->normal[k] /= sqrt(length);
        contact->normal_impulse += contact->normal[k] * impulse[k];
    }
}

/// Touch all pairs at distance 2 r with a normal impulse of 1 N s.
static void touch_neighbours(MrnFrame *frame, int d, double radius) {
    for (int a = 0; a < (int)frame->body_count; a++)
        for (int b = 0; b < a; b++) {
            double square = 0, impulse[3] = {0};
            for (int k = 0; k < d; k++) {
                impulse[k] = frame->position[d * a + k] - frame->position[d * b + k];
                square += impulse[k] * impulse[k];
            }
            if (fabs(sqrt(square) - 2 * radius) > 1e-9) continue;
            for (int k = 0; k < d; k++) impulse[k] /= 2 * radius;
            touch(frame, d, a, b, impulse);
        }
}

static MrnMeasureInput input_of(const MrnModel *model, MrnFrameList *list, double time_step) {
    return (MrnMeasureInput){.model = model,
                             .time_step = time_step,
                             .frames = mrn_frame_list_source(list),
                             .options = mrn_measure_defaults()};
}

static MrnSheet measure(const char *name, const MrnMeasureInput *input) {
    const MrnMeasure *about = mrn_measure_find(name);
    if (!about) fail_msg("there is no measure %s", name);
    MrnSheet sheet = {0};
    MrnError error = {0};
    if (!mrn_measure_compute(about, input, &sheet, &error)) fail_msg("%s: %s", name, error.message);
    return sheet;
}

static double value(const MrnSheet *sheet, size_t row, const char *column) {
    int index = mrn_sheet_find(sheet, column);
    if (index < 0) fail_msg("there is no column %s", column);
    return mrn_sheet_value(sheet, row, (size_t)index);
}

/// One value of the first row of a measure.
static double single(const char *name, const MrnMeasureInput *input, const char *column) {
    MrnSheet sheet = measure(name, input);
    double found = value(&sheet, 0, column);
    mrn_sheet_free(&sheet);
    return found;
}

static MrnRegion box_region(double x0, double y0, double z0, double x1, double y1, double z1) {
    return (MrnRegion){.kind = MRN_REGION_BOX, .low = {x0, y0, z0}, .high = {x1, y1, z1}};
}

// ---- Volumes ----

static void discs_and_balls_are_cut_exactly(void **state) {
    (void)state;
    double r = 0.7, centre[3] = {0.3, -0.2, 0.5};
    MrnRegion half = box_region(centre[0], -9, -9, 9, 9, 9);
    assert_near(M_PI * r * r / 2, mrn_region_of_disc(&half, centre, r), 1e-15);
    assert_near(2.0 / 3 * M_PI * r * r * r, mrn_region_of_ball(&half, centre, r), 1e-14);
    MrnRegion octant = box_region(centre[0], centre[1], centre[2], 9, 9, 9);
    assert_near(M_PI * r * r / 4, mrn_region_of_disc(&octant, centre, r), 1e-15);
    assert_near(M_PI * r * r * r / 6, mrn_region_of_ball(&octant, centre, r), 1e-14);
    double a = 0.4; // a cap of height r - a
    MrnRegion cap = box_region(-9, -9, centre[2] + a, 9, 9, 9);
    assert_near(M_PI * (r - a) * (r - a) * (2 * r + a) / 3, mrn_region_of_ball(&cap, centre, r), 1e-14);
    MrnRegion segment = box_region(-9, centre[1] + a, 0, 9, 9, 0);
    assert_near(r * r * acos(a / r) - a * sqrt(r * r - a * a), mrn_region_of_disc(&segment, centre, r), 1e-15);
    // A square inside, and everything.
    double s = 0.3;
    MrnRegion inside =
        box_region(centre[0] - s, centre[1] - s, centre[2] - s, centre[0] + s, centre[1] + s, centre[2] + s);
    assert_near(4 * s * s, mrn_region_of_disc(&inside, centre, r), 1e-15);
    assert_near(8 * s * s * s, mrn_region_of_ball(&inside, centre, r), 1e-14);
    // Equal balls a radius apart: 5 pi r^3 / 12.
    MrnRegion ball = {.kind = MRN_REGION_BALL, .centre = {centre[0] + r, centre[1], centre[2]}, .radius = r};
    assert_near(5 * M_PI / 12 * r * r * r, mrn_region_of_ball(&ball, centre, r), 1e-14);
    assert_near(r * r * (2 * M_PI / 3 - sqrt(3) / 2), mrn_region_of_disc(&ball, centre, r), 1e-14);
}

static void the_parts_of_a_ball_in_the_cells_of_a_grid_make_the_whole(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        double centre[3], r = 0.1 + mrn_random_unit(1, (uint64_t)round, 9), cut[3][4], disc = 0, ball = 0;
        for (int k = 0; k < 3; k++) {
            centre[k] = mrn_random_unit(1, (uint64_t)round, (uint64_t)k) - 0.5;
            cut[k][0] = -3, cut[k][3] = 3;
            cut[k][1] = centre[k] + r * (mrn_random_unit(2, (uint64_t)round, (uint64_t)k) * 2.4 - 1.2);
            cut[k][2] = cut[k][1] + 0.5 * r * mrn_random_unit(3, (uint64_t)round, (uint64_t)k);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                MrnRegion cell = box_region(cut[0][i], cut[1][j], 0, cut[0][i + 1], cut[1][j + 1], 0);
                disc += mrn_region_of_disc(&cell, centre, r);
                for (int k = 0; k < 3; k++) {
                    cell.low[2] = cut[2][k], cell.high[2] = cut[2][k + 1];
                    ball += mrn_region_of_ball(&cell, centre, r);
                }
            }
        assert_near(M_PI * r * r, disc, 1e-13);
        assert_near(1, ball / (4.0 / 3 * M_PI * r * r * r), 1e-13);
    }
}

static void a_hollow_polygon_is_cut_exactly(void **state) {
    (void)state;
    // An L of three unit squares, turned by 90 degrees and moved.
    double vertices[] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2};
    MrnModel *model = new_model(2, 0);
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertices = vertices, shape.vertex_count = 6;
    def.shapes = &shape, def.shape_count = 1, def.rotation[0] = M_PI / 2, def.position[0] = 5;
    assert_true(mrn_model_add_body(model, &def, NULL) == 0);
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    frame->rotation[0] = model->bodies.data[0].start->rotation[0];
    bool exact = true;
    assert_near(3, mrn_body_volume(model, 0), 1e-14);
    // In space the L covers x from 3 to 5, y from 0 to 2: squares (4..5, 0..1), (4..5, 1..2) and (3..4, 0..1).
    MrnRegion region = box_region(3.5, 0.5, 0, 4.5, 1.5, 0);
    assert_near(0.75, mrn_body_volume_in(model, frame, 0, &region, &exact), 1e-14);
    region = box_region(3, 1, 0, 4, 2, 0); // the hollow
    assert_near(0, mrn_body_volume_in(model, frame, 0, &region, &exact), 1e-14);
    region = box_region(0, 0, 0, 9, 9, 0);
    assert_near(3, mrn_body_volume_in(model, frame, 0, &region, &exact), 1e-14);
    assert_true(exact);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

// ---- Lattices ----

static void a_hexagonal_lattice_has_its_density_coordination_and_fabric(void **state) {
    (void)state;
    double r = 0.5, row = sqrt(3) * r;
    MrnModel *model = new_model(2, 0.3);
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 9; i++) add_grain(model, r, (double[]){2 * r * i + (j % 2) * r, row * j});
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    touch_neighbours(frame, 2, r);
    MrnMeasureInput input = input_of(model, &list, 1);
    // Whole cells of the lattice: two by two rows from the middle of a row.
    input.options.region = box_region(2.3, 2 * row, 0, 2.3 + 4 * r * 2, 6 * row, 0);
    assert_near(M_PI / (2 * sqrt(3)), single("solid_fraction", &input, "solid fraction"), 1e-14);
    assert_near(6, single("coordination", &input, "all bodies"), 1e-14);
    assert_near(6, single("coordination", &input, "without rattlers"), 1e-14);
    assert_near(6, single("coordination", &input, "neighbours"), 1e-14);
    // Three directions 60 degrees apart, each as often, in a region of whole cells of contacts.
    input.options.region = box_region(1.9, 1.9 * row, 0, 1.9 + 4, 5.9 * row, 0);
    assert_near(0.5, single("fabric", &input, "xx"), 1e-14);
    assert_near(0.5, single("fabric", &input, "yy"), 1e-14);
    assert_near(0, single("fabric", &input, "xy"), 1e-14);
    assert_near(0, single("fabric", &input, "anisotropy"), 1e-14);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void a_cubic_lattice_has_its_density_coordination_and_fabric(void **state) {
    (void)state;
    double r = 0.5;
    MrnModel *model = new_model(3, 0.3);
    for (int i = 0; i < 125; i++) add_grain(model, r, (double[]){i % 5, i / 5 % 5, i / 25});
    MrnFrameList list = {0};
    touch_neighbours(add_frame(&list, model, 0), 3, r);
    MrnMeasureInput input = input_of(model, &list, 1);
    input.options.region = box_region(0.7, 0.7, 0.7, 2.7, 2.7, 3.7);
    assert_near(M_PI / 6, single("solid_fraction", &input, "solid fraction"), 1e-13);
    assert_near(6, single("coordination", &input, "all bodies"), 1e-14);
    MrnSheet sheet = measure("fabric", &input);
    assert_near(1.0 / 3, value(&sheet, 0, "xx") / 3 + value(&sheet, 0, "yy") / 3 + value(&sheet, 0, "zz") / 3, 1e-14);
    assert_near(0, value(&sheet, 0, "xy"), 1e-14);
    mrn_sheet_free(&sheet);
    // The same counted over everything: 3 * 5 * 5 * 4 contacts of 125 balls; equal numbers along each axis.
    input.options = mrn_measure_defaults();
    assert_near(2.0 * 300 / 125, single("coordination", &input, "all bodies"), 1e-14);
    assert_near(1.0 / 3, single("fabric", &input, "zz"), 1e-14);
    assert_near(0, single("fabric", &input, "anisotropy"), 1e-14);
    // Profiles: every layer of unit thickness is as dense.
    input.options.region = box_region(-0.5, -0.5, -0.5, 4.5, 4.5, 4.5);
    input.options.bins = 5;
    sheet = measure("solid_fraction_profile", &input);
    assert_int_equal(mrn_sheet_rows(&sheet), 5);
    for (size_t i = 0; i < 5; i++) assert_near(M_PI / 6, value(&sheet, i, "solid fraction"), 1e-13);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void a_square_lattice_stretched_along_x_is_anisotropic(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 0.3);
    for (int i = 0; i < 5; i++) add_grain(model, 0.5, (double[]){i, 0.25 * i});
    MrnFrameList list = {0};
    touch_neighbours(add_frame(&list, model, 0), 2, 0.5 * sqrt(1 + 0.0625));
    MrnMeasureInput input = input_of(model, &list, 1);
    assert_near(1, single("fabric", &input, "anisotropy"), 1e-14);
    assert_near(180 / M_PI * atan(0.25), single("fabric", &input, "main direction"), 1e-12);
    input.options.bins = 18; // all in the bin from 10 to 20 degrees
    MrnSheet sheet = measure("contact_directions", &input);
    for (size_t i = 0; i < 18; i++) assert_near(i == 1 ? 0.1 : 0, value(&sheet, i, "density"), 1e-14);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void rattlers_are_set_aside_until_none_is_left(void **state) {
    (void)state;
    // A triangle of grains that touch each other, a chain of two that hangs on it, and a loose one.
    MrnModel *model = new_model(2, 0.3);
    double at[6][2] = {{0, 0}, {1, 0}, {0.5, sqrt(0.75)}, {2, 0}, {3, 0}, {9, 9}};
    for (int i = 0; i < 6; i++) add_grain(model, 0.5, at[i]);
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    touch_neighbours(frame, 2, 0.5);
    assert_int_equal(frame->contact_count, 5);
    MrnMeasureInput input = input_of(model, &list, 1);
    assert_near(10.0 / 6, single("coordination", &input, "all bodies"), 1e-14);
    assert_near(2, single("coordination", &input, "without rattlers"), 1e-14);
    assert_near(0.5, single("coordination", &input, "share of rattlers"), 1e-14);
    // A contact without an impulse bears nothing; two points of a pair are one neighbour.
    touch(frame, 2, 5, 4, (double[]){0, 0});
    touch(frame, 2, 1, 0, (double[]){1, 0});
    assert_near(12.0 / 6, single("coordination", &input, "all bodies"), 1e-14);
    assert_near(10.0 / 6, single("coordination", &input, "neighbours"), 1e-14);
    // Without friction three contacts are needed in the plane: nothing bears.
    mrn_model_set_law(model, -1, -1, mrn_pair_law_defaults());
    assert_near(1, single("coordination", &input, "share of rattlers"), 1e-14);
    assert_true(isnan(single("coordination", &input, "without rattlers")));
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

// ---- Stress ----

static void two_discs_pressed_together_have_the_stress_of_their_force(void **state) {
    (void)state;
    double r = 0.2, force = 3;
    MrnModel *model = new_model(2, 0);
    for (int i = 0; i < 2; i++) {
        MrnBodyDef def = mrn_body_defaults(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
        shape.radius = r;
        def.shapes = &shape, def.shape_count = 1, def.position[0] = i ? r : -r, def.force[0] = i ? -force : force;
        assert_true(mrn_model_add_body(model, &def, NULL) == i);
    }
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    scheme.solver.tolerance = 1e-13;
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    if (!world) fail_msg("%s", error.message);
    MrnFrameList list = {0};
    for (int k = 0; k < 3; k++) {
        assert_true(mrn_world_step(world, NULL, &error));
        mrn_frame_list_add(&list, world);
    }
    MrnMeasureInput input = input_of(model, &list, scheme.time_step);
    MrnSheet sheet = measure("stress", &input);
    assert_int_equal(mrn_sheet_rows(&sheet), 3);
    for (size_t i = 0; i < 3; i++) { // the box is 4 r by 2 r, the branch 2 r
        assert_near(-force / (4 * r), value(&sheet, i, "xx"), 1e-9);
        assert_near(0, value(&sheet, i, "yy"), 1e-12);
        assert_near(0, value(&sheet, i, "xy"), 1e-12);
        assert_near(force / (8 * r), value(&sheet, i, "pressure"), 1e-9);
        assert_near(force / (8 * r), value(&sheet, i, "shear stress"), 1e-9);
        assert_near(1, value(&sheet, i, "shear stress over pressure"), 1e-9);
    }
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_column_bears_the_weight_above(void **state) {
    (void)state;
    double r = 0.1, g = 9.81, mass = 2 * M_PI * r * r;
    int count = 8;
    MrnModel *model = new_model(2, 0.5);
    mrn_model_set_gravity(model, (double[3]){0, -g, 0});
    for (int i = 0; i < count; i++) add_grain(model, r, (double[]){0, r + 2 * r * i});
    add_floor(model);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    scheme.solver.tolerance = 1e-13;
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    if (!world) fail_msg("%s", error.message);
    MrnFrameList list = {0};
    for (int k = 0; k < 5; k++) assert_true(mrn_world_step(world, NULL, &error));
    mrn_frame_list_add(&list, world);
    MrnMeasureInput input = input_of(model, &list, scheme.time_step);
    input.options.region = box_region(-r, 0, 0, r, 2 * r * count, 0);
    input.options.bins = (size_t)count;
    MrnSheet sheet = measure("stress_profile", &input);
    for (int i = 0; i < count; i++) { // a disc with k above it: forces k m g above and (k + 1) m g below, each at r
        double above = count - 1 - i;
        assert_near(-(2 * above + 1) * mass * g * r / (4 * r * r), value(&sheet, (size_t)i, "yy"), 1e-6 * mass * g / r);
        assert_near(0, value(&sheet, (size_t)i, "xx"), 1e-9);
        assert_near(2 * r * (i + 0.5), value(&sheet, (size_t)i, "y"), 1e-12);
    }
    mrn_sheet_free(&sheet);
    // The mean of the whole: density of the column g times half its height, whatever the slabs.
    double height = 2 * r * count, bulk = count * mass / (height * 2 * r);
    assert_near(-bulk * g * height / 2, single("stress", &input, "yy"), 1e-6 * mass * g / r);
    // A slab from the middle of a disc to the middle of the next.
    input.options.region = box_region(-r, 3 * r, 0, r, 5 * r, 0);
    assert_near(-0.5 * (13 + 11) * mass * g * r / (4 * r * r), single("stress", &input, "yy"), 1e-6 * mass * g / r);
    mrn_frame_list_free(&list);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void agitation_gives_the_kinetic_part_of_the_stress(void **state) {
    (void)state;
    double r = 0.5, u = 3, drift = 7, mass = 2 * M_PI * r * r;
    MrnModel *model = new_model(2, 0);
    for (int i = 0; i < 4; i++) add_grain(model, r, (double[]){2 * i, 0});
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    for (int i = 0; i < 4; i++) frame->velocity[2 * i] = drift + (i % 2 ? u : -u), frame->velocity[2 * i + 1] = 1;
    MrnMeasureInput input = input_of(model, &list, 1);
    input.options.region = box_region(-1, -1, 0, 7, 1, 0);
    MrnSheet sheet = measure("stress", &input);
    assert_near(-4 * mass * u * u / 16, value(&sheet, 0, "xx"), 1e-12);
    assert_near(0, value(&sheet, 0, "yy"), 1e-12);
    assert_near(4 * mass * u * u / 32, value(&sheet, 0, "kinetic pressure"), 1e-12);
    mrn_sheet_free(&sheet);
    assert_near(u * u / 2, single("granular_temperature", &input, "granular temperature"), 1e-12);
    assert_near(4 * mass * drift, single("momentum", &input, "x"), 1e-11);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void a_sheared_lattice_has_its_friction_and_inertial_number(void **state) {
    (void)state;
    // Columns of a square lattice; each contact between two rows carries (t, -p) downwards: mu = t / p on every plane.
    double r = 0.5, rate = 0.7, push = 4, shear = 1.2, h = 0.1;
    int n = 6;
    MrnModel *model = new_model(2, 0.5);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) add_grain(model, r, (double[]){i, j});
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            frame->velocity[2 * (j * n + i)] = rate * j;
            if (j) touch(frame, 2, j * n + i, (j - 1) * n + i, (double[]){-shear * h, push * h});
        }
    MrnMeasureInput input = input_of(model, &list, h);
    input.options.region = box_region(-0.5, 0.5, 0, n - 0.5, n - 1.5, 0); // without the end rows
    input.options.direction[1] = 1, input.options.bins = (size_t)n - 2;
    MrnSheet sheet = measure("mu_of_inertia", &input);
    assert_int_equal(mrn_sheet_rows(&sheet), n - 2);
    for (size_t i = 0; i < (size_t)n - 2; i++) {
        assert_near(shear / push, value(&sheet, i, "friction"), 1e-12);
        assert_near(push, value(&sheet, i, "normal pressure"), 1e-12);
        assert_near(rate, value(&sheet, i, "shear rate"), 1e-12);
        assert_near(rate * 1 * sqrt(2 / push), value(&sheet, i, "inertial number"), 1e-12);
    }
    mrn_sheet_free(&sheet);
    // The same flow: its velocity profile, and the temperature of a bin over two rows.
    input.options = mrn_measure_defaults();
    input.options.direction[1] = 1, input.options.bins = (size_t)n;
    sheet = measure("velocity_profile", &input);
    for (size_t i = 0; i < (size_t)n; i++) {
        assert_near((double)i, value(&sheet, i, "y"), 1e-12);
        assert_near(rate * (double)i, value(&sheet, i, "velocity x"), 1e-12);
        assert_near(n, value(&sheet, i, "bodies"), 0);
    }
    mrn_sheet_free(&sheet);
    input.options.bins = (size_t)n / 2;
    sheet = measure("temperature_profile", &input);
    for (size_t i = 0; i < (size_t)n / 2; i++)
        assert_near(rate * rate / 8, value(&sheet, i, "granular temperature"), 1e-12);
    mrn_sheet_free(&sheet);
    // Slanted slabs cannot be cut exactly.
    MrnError error = {0};
    input.options.direction[0] = 1;
    assert_false(mrn_measure_compute(mrn_measure_find("mu_of_inertia"), &input, &sheet, &error));
    assert_string_equal(error.message, "slabs must be cut along an axis: give --along x, y or z");
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void the_pressure_map_adds_up_to_the_whole(void **state) {
    (void)state;
    double r = 0.5;
    MrnModel *model = new_model(2, 0.3);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) add_grain(model, r, (double[]){i, j});
    MrnFrameList list = {0};
    touch_neighbours(add_frame(&list, model, 0), 2, r);
    MrnMeasureInput input = input_of(model, &list, 0.5);
    input.options.bins = 10;
    MrnSheet sheet = measure("pressure_map", &input);
    assert_int_equal(mrn_sheet_rows(&sheet), 100);
    double sum = 0; // 24 contacts of 1 N s / 0.5 s with a branch of 1: sum of -tr M / 2 = 24
    for (size_t i = 0; i < 100; i++) sum += value(&sheet, i, "pressure") * 0.16;
    assert_near(24, sum, 1e-12);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

// ---- Distributions ----

static void exponential_forces_are_found_exponential(void **state) {
    (void)state;
    int count = 4000;
    MrnModel *model = new_model(2, 0.3);
    add_grain(model, 0.5, (double[]){0, 0});
    add_grain(model, 0.5, (double[]){1, 0});
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    for (int i = 0; i < count; i++) // quantiles of the exponential distribution with mean 5
        touch(frame, 2, 1, 0, (double[]){-5 * log(1 - (i + 0.5) / count), 0});
    MrnMeasureInput input = input_of(model, &list, 1);
    input.options.bins = 12;
    MrnSheet sheet = measure("force_distribution", &input);
    for (size_t i = 0; i < 12; i++) {
        double a = 0.5 * (double)i, b = a + 0.5;
        assert_near((exp(-a) - exp(-b)) / 0.5, value(&sheet, i, "probability density"), 2e-3);
    }
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void contacts_are_sorted_by_what_they_do(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 0.5);
    for (int i = 0; i < 4; i++) add_grain(model, 0.5, (double[]){i, 0});
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    touch(frame, 2, 1, 0, (double[]){2, 1}), frame->contacts[0].status = 2; // at the limit of friction
    touch(frame, 2, 2, 1, (double[]){2, -0.5});                             // half of it
    touch(frame, 2, 3, 2, (double[]){0, 0});
    frame->contacts[0].gap = -1e-3, frame->contacts[1].gap = 1e-4, frame->contacts[2].gap = -7;
    MrnMeasureInput input = input_of(model, &list, 1);
    MrnSheet sheet = measure("contact_states", &input);
    assert_near(1, value(&sheet, 0, "open"), 0);
    assert_near(1, value(&sheet, 0, "stick"), 0);
    assert_near(1, value(&sheet, 0, "slip"), 0);
    assert_near(0.5, value(&sheet, 0, "share that slips"), 0);
    assert_near(0.75, value(&sheet, 0, "friction mobilised"), 1e-15);
    assert_near(1e-3, value(&sheet, 0, "largest overlap"), 0);
    assert_near(5e-4, value(&sheet, 0, "mean overlap"), 1e-18);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

// ---- Surfaces, motion ----

static void a_slope_is_found_at_its_angle(void **state) {
    (void)state;
    double angle = 26 * M_PI / 180, r = 0.5;
    MrnModel *model = new_model(2, 0.5);
    mrn_model_set_gravity(model, (double[3]){0, -9.81, 0});
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 3; j++) add_grain(model, r, (double[]){i, tan(angle) * i - 1.2 * j});
    int stray = add_grain(model, r, (double[]){10, 50}); // in flight: not part of the surface
    MrnFrameList list = {0};
    MrnFrame *frame = add_frame(&list, model, 0);
    for (int i = 0; i < stray; i++) touch(frame, 2, i, (i + 1) % stray, (double[]){0, 0});
    for (size_t c = 0; c < frame->contact_count; c++) frame->contacts[c].normal_impulse = 1;
    MrnMeasureInput input = input_of(model, &list, 1);
    input.options.bins = 20;
    assert_near(26, single("angle_of_repose", &input, "whole surface"), 1e-9);
    assert_near(26, single("angle_of_repose", &input, "middle three fifths"), 1e-9);
    input.options.direction[0] = -1; // the other way it falls
    assert_near(-26, single("angle_of_repose", &input, "whole surface"), 1e-9);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
    // A heap with two flanks of 26 degrees.
    model = new_model(2, 0.5);
    mrn_model_set_gravity(model, (double[3]){0, -9.81, 0});
    for (int i = -15; i <= 15; i++) add_grain(model, r, (double[]){i, -tan(angle) * abs(i)});
    frame = add_frame(&list, model, 0);
    for (int i = 0; i < 30; i++) touch(frame, 2, i + 1, i, (double[]){1, 0});
    input = input_of(model, &list, 1);
    input.options.bins = 31;
    assert_near(0, single("angle_of_repose", &input, "whole surface"), 1e-9);
    assert_near(26, single("angle_of_repose", &input, "flank before the top"), 1e-9);
    assert_near(26, single("angle_of_repose", &input, "flank after the top"), 1e-9);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void displacements_discharge_and_windows_follow_the_frames(void **state) {
    (void)state;
    double r = 0.5, mass = 2 * M_PI * r * r;
    MrnModel *model = new_model(2, 0);
    mrn_model_set_gravity(model, (double[3]){0, -10, 0});
    for (int i = 0; i < 10; i++) add_grain(model, r, (double[]){0, 0.5 + i});
    MrnFrameList list = {0};
    for (int k = 0; k <= 8; k++) { // all fall at 1 m/s, one passes y = 0 per second
        MrnFrame *frame = add_frame(&list, model, k);
        for (int i = 0; i < 10; i++) frame->position[2 * i + 1] -= k, frame->velocity[2 * i + 1] = -1;
    }
    MrnMeasureInput input = input_of(model, &list, 1e-3);
    MrnSheet sheet = measure("discharged_mass", &input);
    for (size_t k = 0; k <= 8; k++) assert_near((double)k * mass, value(&sheet, k, "discharged mass"), 1e-12);
    assert_non_null(strstr(sheet.notes.data[1], "rate: 1.5708 kg/s and 1 bodies/s"));
    mrn_sheet_free(&sheet);
    input.options.region = box_region(-1, 2, 0, 1, 100, 0);
    sheet = measure("discharged_mass", &input);
    assert_near(2, value(&sheet, 0, "bodies"), 0);
    mrn_sheet_free(&sheet);
    // The window is closed at both ends; displacements count from its first frame.
    input.options = mrn_measure_defaults();
    input.options.from = 3, input.options.to = 6;
    sheet = measure("displacement", &input);
    assert_int_equal(mrn_sheet_rows(&sheet), 4);
    for (size_t k = 0; k < 4; k++) {
        assert_near(3 + (double)k, value(&sheet, k, "time"), 0);
        assert_near(-(double)k, value(&sheet, k, "mean y"), 1e-12);
        assert_near((double)k, value(&sheet, k, "root mean square"), 1e-12);
        assert_near(0, value(&sheet, k, "root mean square about the mean"), 1e-7);
    }
    mrn_sheet_free(&sheet);
    // The mass centre of a column above the origin, then below.
    assert_near(2, single("mass_centre", &input, "y"), 1e-12);
    assert_near(180, single("mass_centre", &input, "inclination"), 1e-12);
    input.options.region = box_region(-1, -2, 0, 1, -1, 0);
    assert_near(0, single("mass_centre", &input, "inclination"), 1e-12);
    input.options.region.kind = MRN_REGION_ALL;
    // sqrt(g d) = sqrt(10): all move faster than a tenth of it.
    sheet = measure("moving_bodies", &input);
    assert_near(10, value(&sheet, 0, "faster than 0.1 sqrt(g d)"), 0);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

// ---- Streams, errors, sheets ----

typedef struct Stream {
    MrnFrameList *list;
    int held, most, reads;
} Stream;
static Stream *watched;

static bool stream_read(void *context, size_t index, MrnFrame *frame, MrnError *error) {
    Stream *stream = context;
    if (index == 5) {
        error->code = MRN_ERROR_FILE;
        strcpy(error->message, "frame 5 is damaged");
        return false;
    }
    *frame = stream->list->frames.data[index];
    stream->reads++;
    if (++stream->held > stream->most) stream->most = stream->held;
    return true;
}

static void stream_release(MrnFrame *frame) {
    (void)frame;
    watched->held--;
}

static void every_measure_holds_one_frame_at_a_time(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 0.3);
    mrn_model_set_gravity(model, (double[3]){0, -10, 0});
    for (int i = 0; i < 16; i++) add_grain(model, 0.5, (double[]){i % 4, i / 4});
    MrnFrameList list = {0};
    for (int k = 0; k < 8; k++) touch_neighbours(add_frame(&list, model, k), 2, 0.5);
    for (size_t i = 0; i < mrn_measure_count(); i++) {
        const MrnMeasure *about = mrn_measure_at(i);
        if (mrn_measure_missing(about, model)) continue;
        Stream stream = {.list = &list};
        watched = &stream;
        MrnMeasureInput input = {.model = model,
                                 .time_step = 1,
                                 .frames = {8, stream_read, stream_release, &stream},
                                 .options = mrn_measure_defaults()};
        MrnSheet sheet = {0};
        MrnError error = {0};
        // Frame 5 cannot be read: the measure says so and holds nothing.
        assert_false(mrn_measure_compute(about, &input, &sheet, &error));
        assert_string_equal(error.message, "frame 5 is damaged");
        assert_int_equal(stream.held, 0);
        mrn_sheet_free(&sheet);
        input.frames.count = 5;
        if (!mrn_measure_compute(about, &input, &sheet, &error)) fail_msg("%s: %s", about->name, error.message);
        assert_int_equal(stream.held, 0);
        assert_int_equal(stream.most, 1);
        mrn_sheet_free(&sheet);
        // A window that no frame lies in, and no frames at all.
        input.options.from = 50;
        assert_false(mrn_measure_compute(about, &input, &sheet, &error));
        mrn_sheet_free(&sheet);
        input.frames.count = 0;
        assert_false(mrn_measure_compute(about, &input, &sheet, &error));
        mrn_sheet_free(&sheet);
    }
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void every_measure_can_be_drawn(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 0.3);
    mrn_model_set_gravity(model, (double[3]){0, -10, 0});
    for (int i = 0; i < 16; i++) add_grain(model, 0.5, (double[]){i % 4, i / 4});
    MrnFrameList list = {0};
    for (int k = 0; k < 4; k++) touch_neighbours(add_frame(&list, model, k), 2, 0.5);
    MrnMeasureInput input = input_of(model, &list, 1);
    for (size_t i = 0; i < mrn_measure_count(); i++) {
        const MrnMeasure *about = mrn_measure_at(i);
        if (mrn_measure_missing(about, model)) continue;
        MrnSheet sheet = measure(about->name, &input);
        MrnImage image;
        MrnError error = {0};
        MrnRunSheet runs[2] = {{"a", &sheet}, {"b", &sheet}};
        bool drawn = mrn_draw_sheets_image(runs, 1, about->drawing, NULL, &image, &error);
        if (!drawn && error.code == MRN_ERROR_UNSUPPORTED) {
            mrn_sheet_free(&sheet);
            break;
        }
        if (!drawn) fail_msg("%s: %s", about->name, error.message);
        assert_true(image.width > 100 && image.height > 100);
        mrn_image_free(&image);
        assert_int_equal(mrn_draw_sheets_image(runs, 2, about->drawing, NULL, &image, &error),
                         about->drawing != MRN_DRAWING_MAP);
        mrn_image_free(&image);
        mrn_sheet_free(&sheet);
    }
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void needs_are_checked_with_their_reason(void **state) {
    (void)state;
    MrnModel *model = new_model(3, 0.3);
    MrnFrameList list = {0};
    MrnMeasureInput input = input_of(model, &list, 1);
    MrnSheet sheet = {0};
    static const struct {
        const char *name, *message;
    } cases[] = {{"contact_directions", "contact_directions needs a run in 2D"},
                 {"angle_of_repose", "angle_of_repose needs gravity"},
                 {"stress", "stress needs free bodies"},
                 {"fabric", "the run has no frames"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MrnError error = {0};
        assert_false(mrn_measure_compute(mrn_measure_find(cases[i].name), &input, &sheet, &error));
        assert_string_equal(error.message, cases[i].message);
        mrn_sheet_free(&sheet);
    }
    mrn_model_free(model);
}

static void a_sheet_is_written_as_numbers_that_read_back(void **state) {
    (void)state;
    MrnSheet sheet = {0};
    mrn_sheet_title(&sheet, "A title\nof two lines");
    mrn_sheet_column(&sheet, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(&sheet, "a, \"b\"", "1", MRN_COLUMN_LINE);
    mrn_sheet_row(&sheet, (double[]){0.1, NAN});
    mrn_sheet_row(&sheet, (double[]){1.0 / 3, -2});
    mrn_sheet_note(&sheet, "a note of %d words", 5);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    mrn_sheet_write_csv(&sheet, out);
    fclose(out);
    assert_string_equal(text, "# A title of two lines\n# a note of 5 words\ntime (s),\"a, \"\"b\"\"\"\n"
                              "0.10000000000000001,\n0.33333333333333331,-2\n");
    free(text);
    assert_near(-2, mrn_sheet_mean(&sheet, 1), 0);
    mrn_sheet_free(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discs_and_balls_are_cut_exactly),
        cmocka_unit_test(the_parts_of_a_ball_in_the_cells_of_a_grid_make_the_whole),
        cmocka_unit_test(a_hollow_polygon_is_cut_exactly),
        cmocka_unit_test(a_hexagonal_lattice_has_its_density_coordination_and_fabric),
        cmocka_unit_test(a_cubic_lattice_has_its_density_coordination_and_fabric),
        cmocka_unit_test(a_square_lattice_stretched_along_x_is_anisotropic),
        cmocka_unit_test(rattlers_are_set_aside_until_none_is_left),
        cmocka_unit_test(two_discs_pressed_together_have_the_stress_of_their_force),
        cmocka_unit_test(a_column_bears_the_weight_above),
        cmocka_unit_test(agitation_gives_the_kinetic_part_of_the_stress),
        cmocka_unit_test(a_sheared_lattice_has_its_friction_and_inertial_number),
        cmocka_unit_test(the_pressure_map_adds_up_to_the_whole),
        cmocka_unit_test(exponential_forces_are_found_exponential),
        cmocka_unit_test(contacts_are_sorted_by_what_they_do),
        cmocka_unit_test(a_slope_is_found_at_its_angle),
        cmocka_unit_test(displacements_discharge_and_windows_follow_the_frames),
        cmocka_unit_test(every_measure_holds_one_frame_at_a_time),
        cmocka_unit_test(every_measure_can_be_drawn),
        cmocka_unit_test(needs_are_checked_with_their_reason),
        cmocka_unit_test(a_sheet_is_written_as_numbers_that_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
