// The measures of a pile against piles whose stress, slope, layers and pressures are known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "measure/measure.h"
#include "measure/pile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DT 2e-4

/// A made-up pile: bodies and contacts are added one by one.
typedef struct Made {
    MrnModel *model;
    MRN_ARRAY(double) position;
    MRN_ARRAY(MrnContactView) contacts;
    MrnFrame frame;
} Made;

static Made made_new(void) {
    Made made = {.model = mrn_model_new(3)};
    const double gravity[3] = {0, 0, -10};
    mrn_model_set_gravity(made.model, gravity);
    mrn_model_add_material(made.model, "sand", 1000);
    return made;
}

static int add(Made *made, double x, double y, double z, double radius, double birth, bool fixed) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = radius;
    MrnBodyDef def = mrn_body_defaults(3);
    def.kind = fixed ? MRN_BODY_FIXED : MRN_BODY_FREE;
    def.shapes = &shape;
    def.shape_count = 1;
    def.birth = birth;
    int body = mrn_model_add_body(made->model, &def, NULL);
    assert_true(body >= 0);
    mrn_array_push(&made->position, x);
    mrn_array_push(&made->position, y);
    mrn_array_push(&made->position, z);
    return body;
}

/// A contact halfway between two bodies with this force on A.
static void press(Made *made, int a, int b, const double force[3]) {
    MrnContactView contact = {.body_a = a, .body_b = b, .normal_impulse = 1};
    for (int k = 0; k < 3; k++) {
        contact.position[k] = 0.5 * (made->position.data[3 * a + k] + made->position.data[3 * b + k]);
        contact.impulse[k] = force[k] * DT;
    }
    mrn_array_push(&made->contacts, contact);
}

static MrnPile pile_of(Made *made) {
    size_t n = made->model->bodies.count;
    free(made->frame.active);
    free(made->frame.velocity);
    made->frame = (MrnFrame){.time = 1, .body_count = n, .position = made->position.data};
    made->frame.contact_count = made->contacts.count;
    made->frame.contacts = made->contacts.data;
    made->frame.active = mrn_alloc(n + 1, 1);
    memset(made->frame.active, 1, n);
    made->frame.velocity = mrn_alloc_zero(3 * n + 1, sizeof(double));
    return (MrnPile){made->model, &made->frame, DT, {0, 0}, 0};
}

static void made_free(Made *made) {
    free(made->frame.active);
    free(made->frame.velocity);
    mrn_array_free(&made->position);
    mrn_array_free(&made->contacts);
    mrn_model_free(made->model);
}

static void the_force_between_two_grains_passes_a_cylinder_between_them(void **state) {
    (void)state;
    Made made = made_new();
    int inner = add(&made, 0, 1, 0, 1, 0, false), outer = add(&made, 0, 3, 0, 1, 0, false);
    const double force[3] = {5, -7, 11}; // on the inner one: azimuth, inwards, upwards
    press(&made, inner, outer, force);
    MrnPile pile = pile_of(&made);
    MrnRibbonForce up = mrn_ribbon_force(&pile, (MrnRibbon){2, -1, 2, 1});
    double area = 2 * PI * 2 * 2;
    assert_int_equal(up.contacts, 1);
    assert_float_equal(up.area, area, 1e-12);
    // Going up the normal points inwards: the force of the inner grain on the outer one.
    assert_float_equal(up.normal[0], -1, 1e-12);
    assert_float_equal(up.traction[0] * area, 7, 1e-9);
    assert_float_equal(up.traction[1] * area, -11, 1e-9);
    MrnRibbonForce down = mrn_ribbon_force(&pile, (MrnRibbon){2, 1, 2, -1});
    assert_float_equal(down.traction[0] * area, -7, 1e-9);
    assert_float_equal(down.traction[1] * area, 11, 1e-9);
    assert_int_equal(mrn_ribbon_force(&pile, (MrnRibbon){2, 0.5, 2, 1}).contacts, 0);    // passes above the ribbon
    assert_int_equal(mrn_ribbon_force(&pile, (MrnRibbon){0.5, -1, 0.5, 1}).contacts, 0); // both outside
    made_free(&made);
}

/// Pairs of grains all over a hollow cylinder, each with branch l and force k S l, S in the basis (r, z) of the place.
/// The mean traction on a cut of normal n is then - density k |l|^2 / 3 S n.
static Made uniform_stress(const double S[2][2], double *factor) {
    Made made = made_new();
    const double r1 = 1, r2 = 3, height = 2, length = 0.1;
    const size_t pairs = 300000;
    for (size_t i = 0; i < pairs; i++) {
        double u[6];
        for (uint64_t k = 0; k < 6; k++) u[k] = mrn_random_unit(9, i, k);
        double r = sqrt(r1 * r1 + u[0] * (r2 * r2 - r1 * r1)), phi = 2 * PI * u[1], z = height * u[2];
        double cosine = 2 * u[3] - 1, sine = sqrt(1 - cosine * cosine), turn = 2 * PI * u[4];
        double l[3] = {length * sine * cos(turn), length * sine * sin(turn), length * cosine};
        double er[3] = {cos(phi), sin(phi), 0}, along_r = l[0] * er[0] + l[1] * er[1], along_z = l[2];
        double fr = S[0][0] * along_r + S[0][1] * along_z, fz = S[1][0] * along_r + S[1][1] * along_z;
        const double force[3] = {fr * er[0], fr * er[1], fz};
        double x = r * er[0], y = r * er[1];
        int a = add(&made, x + 0.5 * l[0], y + 0.5 * l[1], z + 0.5 * l[2], 0.02, 0, false);
        int b = add(&made, x - 0.5 * l[0], y - 0.5 * l[1], z - 0.5 * l[2], 0.02, 0, false);
        press(&made, a, b, force);
    }
    double density = (double)pairs / (PI * (r2 * r2 - r1 * r1) * height);
    *factor = -density * length * length / 3;
    return made;
}

static void ribbons_of_a_uniform_stress_bear_its_traction(void **state) {
    (void)state;
    const double S[2][2] = {{2, -1}, {-1, 4}};
    double factor;
    Made made = uniform_stress(S, &factor);
    MrnPile pile = pile_of(&made);
    static const MrnRibbon ribbons[] = {{2, 0.5, 2, 1.5}, {1.5, 1, 2.5, 1}, {1.6, 1.3, 2.4, 0.7}};
    for (int i = 0; i < 3; i++) {
        MrnRibbonForce got = mrn_ribbon_force(&pile, ribbons[i]);
        const double *n = got.normal;
        // About 3700 pairs pass: the tolerance is three standard deviations of their sum.
        double wanted[2] = {factor * (S[0][0] * n[0] + S[0][1] * n[1]), factor * (S[1][0] * n[0] + S[1][1] * n[1])};
        double size = hypot(wanted[0], wanted[1]);
        assert_true(got.contacts > 3000);
        for (int k = 0; k < 2; k++) assert_float_equal(got.traction[k], wanted[k], 0.08 * size);
    }
    made_free(&made);
}

static void a_symmetric_stress_is_reciprocal_and_an_asymmetric_one_is_not(void **state) {
    (void)state;
    static const double S[2][2][2] = {{{2, -1}, {-1, 4}}, {{2, -1}, {1, 4}}};
    for (int i = 0; i < 2; i++) {
        double factor;
        Made made = uniform_stress(S[i], &factor);
        MrnPile pile = pile_of(&made);
        double angle = mrn_reciprocity(&pile, (MrnRibbon){2, 0.5, 2, 1.5}).angle * 180 / PI;
        // For the second: traction (2, 1) on the cylinder; the cut along it has n' = (-1, 2), S n' = (-4, 7): 29.7
        // degrees off the vertical.
        if (i == 0)
            assert_true(angle < 4);
        else
            assert_float_equal(angle, atan2(4, 7) * 180 / PI, 4);
        made_free(&made);
    }
}

static void rings_bear_what_lies_on_them(void **state) {
    (void)state;
    Made made = made_new();
    const double up[3] = {1, 2, 30};
    const double down[3] = {0, 0, -50};
    int ground = add(&made, 0.5, 0, -0.1, 0.1, 0, true), grain = add(&made, 0.5, 0, 0.1, 0.1, 0, false);
    press(&made, grain, ground, up); // 30 N at r = 0.5
    int below = add(&made, 0, 1.5, -0.1, 0.1, 0, true), above = add(&made, 0, 1.5, 0.1, 0.1, 0, false);
    press(&made, below, above, down); // the same from the other side: 50 N at r = 1.5
    MrnPile pile = pile_of(&made);
    MrnPileRing rings[3];
    mrn_pile_rings(&pile, 1, 3, rings);
    assert_float_equal(rings[0].pressure, 30 / PI, 1e-9);
    assert_float_equal(rings[1].pressure, 50 / (3 * PI), 1e-9);
    assert_true(rings[2].pressure == 0 && rings[2].contacts == 0 && rings[0].contacts == 1);
    double weight = 10 * 1000 * 4 / 3.0 * PI * 1e-3;
    assert_float_equal(rings[1].weight, weight, 1e-9);
    MrnPileTotals totals = mrn_pile_totals(&pile);
    assert_float_equal(totals.ground_force, 80, 1e-9);
    assert_float_equal(totals.weight, 2 * weight, 1e-9);
    assert_int_equal(totals.ground_contacts, 2);
    assert_float_equal(totals.coordination, 1, 1e-12);
    made_free(&made);
}

/// Small grains all over a cone of height H and base R.
static Made full_cone(double R, double H, size_t count, double layer_slope) {
    Made made = made_new();
    for (size_t i = 0; i < count; i++) {
        double r, z;
        uint64_t draw = 0;
        do {
            r = R * sqrt(mrn_random_unit(3, i, draw)), z = H * mrn_random_unit(3, i, draw + 1);
            draw += 2;
        } while (z > H * (1 - r / R));
        double phi = 2 * PI * mrn_random_unit(3, i, 1u << 20);
        add(&made, r * cos(phi), r * sin(phi), z, 0.01 * R, 5 + z + layer_slope * r, false);
    }
    return made;
}

static void the_slope_and_base_of_a_cone_are_found(void **state) {
    (void)state;
    const double R = 2, H = 1;
    Made made = full_cone(R, H, 40000, 0);
    MrnPile pile = pile_of(&made);
    assert_float_equal(mrn_pile_totals(&pile).base_radius, R, 0.02);
    MrnPileSurface rings[24];
    mrn_pile_surface(&pile, 0.1, 24, rings);
    MrnPileSlope slope = mrn_pile_slope(rings, 24, 0.4, 1.6);
    assert_int_equal(slope.rings, 12);
    assert_float_equal(slope.angle, atan(H / R), 0.03);
    assert_float_equal(slope.height, H, 0.05);
    assert_true(isnan(rings[23].height)); // nothing lies beyond the base
    made_free(&made);
}

static void layers_of_equal_birth_have_the_direction_of_the_times(void **state) {
    (void)state;
    const double steep = 0.4;
    Made made = full_cone(2, 1, 20000, steep);
    MrnPile pile = pile_of(&made);
    size_t grains;
    // birth = 5 + z + 0.4 r: layers fall by 0.4 per unit of r.
    assert_float_equal(mrn_layer_angle(&pile, 0.8, 0.3, 0.2, &grains), atan(steep), 0.02);
    assert_true(grains > 100);
    assert_true(isnan(mrn_layer_angle(&pile, 5, 5, 0.2, &grains)));
    assert_int_equal(grains, 0);
    MrnLayer layer = mrn_pile_layer(&pile, 5.4, 5.5, 0.5);
    size_t counted = 0, inside = 0;
    for (size_t b = 0; b < made.model->bodies.count; b++) {
        double birth = made.model->bodies.data[b].birth;
        if (birth < 5.4 || birth > 5.5) continue;
        counted++;
        inside += hypot(made.position.data[3 * b], made.position.data[3 * b + 1]) <= 0.5;
    }
    assert_int_equal(layer.grains, counted);
    assert_float_equal(layer.inside, (double)inside / (double)counted, 1e-12);
    made_free(&made);
}

static void the_solid_fraction_of_a_lattice_is_that_of_its_cell(void **state) {
    (void)state;
    Made made = made_new();
    for (int i = -20; i <= 20; i++)
        for (int j = -20; j <= 20; j++)
            for (int k = 0; k < 20; k++) add(&made, i, j, k + 0.5, 0.5, 0, false);
    MrnPile pile = pile_of(&made);
    assert_float_equal(mrn_pile_solid_fraction(&pile, 0, 15, 2, 12), PI / 6, 0.01);
    made_free(&made);
}

static void the_weight_within_a_cylinder_is_carried_by_ground_and_sides(void **state) {
    (void)state;
    // Two stones in the middle: one on the ground, one hung between two grains outside that stand on the ground.
    Made made = made_new();
    double weight = 10 * 1000 * 4 / 3.0 * PI * 1e-3;
    int ground = add(&made, 0, 0, -0.1, 0.1, 0, true), low = add(&made, 0, 0, 0.1, 0.1, 0, false);
    int hung = add(&made, 0, 0, 0.5, 0.1, 0, false);
    int left = add(&made, -1, 0, 0.4, 0.1, 0, false), right = add(&made, 1, 0, 0.4, 0.1, 0, false);
    const double whole[3] = {0, 0, weight}, half[3] = {1, 0, 0.5 * weight}, other[3] = {-1, 0, 0.5 * weight};
    press(&made, low, ground, whole);
    press(&made, hung, left, half);
    press(&made, hung, right, other);
    MrnPile pile = pile_of(&made);
    MrnPileBalance balance = mrn_pile_balance(&pile, 0.5);
    assert_float_equal(balance.weight, 2 * weight, 1e-9);
    assert_float_equal(balance.ground, weight, 1e-9);
    assert_float_equal(balance.sides, weight, 1e-9);
    balance = mrn_pile_balance(&pile, 2);
    assert_float_equal(balance.sides, 0, 1e-9);
    made_free(&made);
}

static void speeds_fall_into_classes_of_powers(void **state) {
    (void)state;
    Made made = made_new();
    for (int i = 0; i < 6; i++) add(&made, i, 0, 0, 0.1, 0, false);
    MrnPile pile = pile_of(&made);
    static const double speeds[] = {0.236, 0.05, 0.04, 0.005, 0.0005, 0};
    for (int i = 0; i < 6; i++) made.frame.velocity[3 * i + 1] = -speeds[i];
    size_t counts[5];
    double thresholds[4];
    mrn_pile_speed_classes(&pile, counts, thresholds);
    assert_float_equal(thresholds[0], 0.04248, 1e-9); // Moreau's numbers: 4.248 cm/s ... 0.02477 cm/s
    assert_float_equal(thresholds[3], 0.2477e-3, 1e-7);
    static const size_t wanted[] = {2, 1, 1, 1, 1};
    for (int k = 0; k < 5; k++) assert_int_equal(counts[k], wanted[k]);
    made_free(&made);
}

static bool read_frame(void *context, size_t index, MrnFrame *frame, MrnError *error) {
    (void)index;
    (void)error;
    *frame = *(MrnFrame *)context;
    return true;
}

static void every_measure_of_a_pile_gives_a_sheet(void **state) {
    (void)state;
    Made made = full_cone(0.1, 0.05, 3000, 0.4);
    for (size_t b = 1; b < 3000; b++) {
        const double force[3] = {0, 0, 1};
        press(&made, (int)b - 1, (int)b, force);
    }
    MrnPile pile = pile_of(&made);
    static const char *const names[] = {"pile",         "pile_speeds", "pile_pressure", "pile_surface",
                                        "pile_arching", "pile_cuts",   "pile_layers",   "pile_slice"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const MrnMeasure *measure = mrn_measure_find(names[i]);
        assert_non_null(measure);
        MrnMeasureInput input = {.model = made.model, .time_step = DT, .options = mrn_measure_defaults()};
        input.frames = (MrnFrameSource){1, read_frame, NULL, (void *)(uintptr_t)pile.frame};
        MrnSheet sheet = {0};
        MrnError error = {0};
        if (!mrn_measure_compute(measure, &input, &sheet, &error)) fail_msg("%s: %s", names[i], error.message);
        assert_true(mrn_sheet_rows(&sheet) > 0);
        mrn_sheet_free(&sheet);
    }
    made_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_between_two_grains_passes_a_cylinder_between_them),
        cmocka_unit_test(ribbons_of_a_uniform_stress_bear_its_traction),
        cmocka_unit_test(a_symmetric_stress_is_reciprocal_and_an_asymmetric_one_is_not),
        cmocka_unit_test(rings_bear_what_lies_on_them),
        cmocka_unit_test(the_slope_and_base_of_a_cone_are_found),
        cmocka_unit_test(layers_of_equal_birth_have_the_direction_of_the_times),
        cmocka_unit_test(the_solid_fraction_of_a_lattice_is_that_of_its_cell),
        cmocka_unit_test(the_weight_within_a_cylinder_is_carried_by_ground_and_sides),
        cmocka_unit_test(speeds_fall_into_classes_of_powers),
        cmocka_unit_test(every_measure_of_a_pile_gives_a_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
