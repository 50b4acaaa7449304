// Breaking of floes: cracks through polygons, what an event keeps, the critical speed of an impact, and runs whose
// bodies break.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants those first
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "draw/draw.h"
#include "floe_scenes.h"
#include "geom/crack.h"
#include "geom/polygon.h"
#include "io/run_file.h"
#include "model/life.h"
#include "step/stepper.h"
#include <moraine/run.h>
#ifdef MORAINE_HAS_GEOS
#include <geos_c.h>
#endif

/// cmocka compares numbers as float.
#define assert_near(a, b, tolerance) near_enough(a, b, tolerance, __LINE__)
static void near_enough(double a, double b, double tolerance, int line) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %.17g and %.17g differ by %.3g", line, a, b, fabs(a - b));
}

// ---- cracks ----

/// A star-shaped polygon with deep bays.
static size_t random_polygon(uint64_t seed, double *vertices) {
    size_t count = 4 + (size_t)(mrn_random_bits(seed, 0, 0) % 40);
    for (size_t i = 0; i < count; i++) {
        double angle = 2 * PI * ((double)i + 0.8 * mrn_random_unit(seed, 1, i)) / (double)count,
               radius = 10 + 90 * mrn_random_unit(seed, 2, i);
        vertices[2 * i] = 1000 + radius * cos(angle), vertices[2 * i + 1] = -500 + radius * sin(angle);
    }
    return count;
}

#ifdef MORAINE_HAS_GEOS
static GEOSGeometry *geos_polygon(size_t count, const double *vertices) {
    GEOSCoordSequence *points = GEOSCoordSeq_create((unsigned)count + 1, 2);
    for (unsigned k = 0; k <= count; k++)
        GEOSCoordSeq_setXY(points, k, vertices[2 * (k % count)], vertices[2 * (k % count) + 1]);
    return GEOSGeom_createPolygon(GEOSGeom_createLinearRing(points), NULL, 0);
}

/// What an independent library says of the outlines: they lie in the whole, apart from each other.
static void check_with_geos(size_t count, const double *vertices, const MrnCrackPiece pieces[2], double gap) {
    GEOSGeometry *whole = geos_polygon(count, vertices), *part[2], *hull = GEOSBuffer(whole, 1e-9, 8);
    for (int k = 0; k < 2; k++) {
        part[k] = geos_polygon(pieces[k].count, pieces[k].vertices);
        assert_int_equal(GEOSisValid(part[k]), 1);
        assert_int_equal(GEOSContains(hull, part[k]), 1);
    }
    double distance;
    GEOSDistance(part[0], part[1], &distance);
    assert_true(distance >= 0.5 * gap * (1 - 1e-9));
    for (int k = 0; k < 2; k++) GEOSGeom_destroy(part[k]);
    GEOSGeom_destroy(hull);
    GEOSGeom_destroy(whole);
}
#endif

static void pieces_of_random_polygons_add_up_to_them(void **state) {
    (void)state;
    int cut = 0, through_corner = 0;
#ifdef MORAINE_HAS_GEOS
    initGEOS(NULL, NULL);
#endif
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        double vertices[2 * 44];
        size_t count = random_polygon(seed, vertices), edge;
        if (!mrn_polygon_is_simple(count, vertices, (size_t[2]){0, 0})) continue;
        MrnAreaMoments whole = mrn_polygon_moments(count, vertices);
        MrnVec2 point = {1000 + 100 * (2 * mrn_random_unit(seed, 3, 0) - 1),
                         -500 + 100 * (2 * mrn_random_unit(seed, 3, 1) - 1)};
        if (seed % 3 == 0) { // towards a corner
            size_t k = mrn_random_bits(seed, 4, 0) % count;
            point = mrn_vec2(vertices[2 * k], vertices[2 * k + 1]);
        }
        MrnVec2 start = mrn_crack_start(count, vertices, point, &edge);
        double angle = 2 * PI * mrn_random_unit(seed, 5, 0);
        MrnCrackRules rules = {.smallest = 1e-3 * whole.area,
                               .angle = 1,
                               .directions = 12,
                               .longest = INFINITY,
                               .roundness = INFINITY,
                               .gap_share = 2e-3};
        MrnCrack crack;
        MrnCrackPiece pieces[2];
        if (!mrn_crack_shortest(count, vertices, point, mrn_vec2(cos(angle), sin(angle)), &rules, &crack, pieces))
            continue;
        cut++;
        through_corner += start.x == vertices[2 * edge] && start.y == vertices[2 * edge + 1];
        assert_true(crack.from.x == start.x && crack.from.y == start.y);
        MrnLump parts[2];
        double smaller = INFINITY;
        for (int k = 0; k < 2; k++) {
            size_t edges[2];
            MrnAreaMoments part = mrn_polygon_moments(pieces[k].whole_count, pieces[k].whole);
            parts[k] = (MrnLump){part.area, part.polar, part.centre};
            smaller = fmin(smaller, part.area);
            assert_true(mrn_polygon_is_simple(pieces[k].count, pieces[k].vertices, edges));
            double drawn = mrn_polygon_area(pieces[k].count, pieces[k].vertices);
            assert_true(drawn >= rules.smallest && drawn < part.area);
        }
        MrnLump sum = mrn_lump_sum(parts, 2);
        assert_true(fabs(sum.mass - whole.area) <= 1e-12 * whole.area);
        assert_true(mrn_norm2(mrn_sub2(sum.centre, whole.centre)) <= 1e-10);
        assert_true(fabs(sum.inertia - whole.polar) <= 1e-11 * whole.polar);
#ifdef MORAINE_HAS_GEOS
        check_with_geos(count, vertices, pieces, rules.gap_share * sqrt(smaller));
#endif
        mrn_crack_free(pieces);
    }
#ifdef MORAINE_HAS_GEOS
    finishGEOS();
#endif
    assert_true(cut > 1000 && through_corner > 100);
    print_message("    %d polygons cut, %d from a corner\n", cut, through_corner);
}

static void the_crack_is_the_shortest_within_the_angle(void **state) {
    (void)state;
    // A plate of 4 by 2, hit in the middle of its long lower side at an angle of 60 degrees: straight up is 30 degrees
    // away.
    const double plate[] = {-2, -1, 2, -1, 2, 1, -2, 1};
    MrnVec2 slanted = {cos(PI / 3), sin(PI / 3)};
    MrnCrackRules rules = {.smallest = 0.1, .angle = PI / 6, .directions = 12, .longest = INFINITY, .roundness = 9};
    MrnCrack crack;
    MrnCrackPiece pieces[2];
    assert_true(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), slanted, &rules, &crack, pieces));
    assert_near(crack.length, 2, 1e-12);
    mrn_crack_free(pieces);
    rules.angle = 0;
    assert_true(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), slanted, &rules, &crack, pieces));
    assert_near(crack.length, 2 / sin(PI / 3), 1e-12);
    mrn_crack_free(pieces);
    rules.longest = 2.3;
    assert_false(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), slanted, &rules, &crack, pieces));
    rules.longest = INFINITY, rules.smallest = 3.5; // 4.58 and 3.42
    assert_false(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), slanted, &rules, &crack, pieces));
    rules.smallest = 0.1, rules.corner = PI / 2.9; // the crack makes 60 degrees with the side
    assert_false(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), slanted, &rules, &crack, pieces));
    // Out of the plate there is no crack.
    rules.corner = 0;
    assert_false(mrn_crack_shortest(4, plate, mrn_vec2(0, -1.1), mrn_vec2(0, -1), &rules, &crack, pieces));
}

static void a_crack_in_a_bay_ends_at_its_head(void **state) {
    (void)state;
    // A horseshoe: from below the crack ends at the head of the bay, and both legs stay apart.
    const double shoe[] = {-3, 0, 3, 0, 3, 6, 1, 6, 1, 2, -1, 2, -1, 6, -3, 6};
    MrnCrackRules rules = {.smallest = 1, .longest = INFINITY, .roundness = 9, .gap = 0.01};
    MrnCrack crack;
    MrnCrackPiece pieces[2];
    assert_true(mrn_crack_shortest(8, shoe, mrn_vec2(0.2, -0.5), mrn_vec2(0, 1), &rules, &crack, pieces));
    assert_near(crack.length, 2, 1e-12);
    assert_near(mrn_polygon_area(pieces[0].whole_count, pieces[0].whole), 8 + 2 * 2.8, 1e-12);
    assert_near(mrn_polygon_area(pieces[1].whole_count, pieces[1].whole), 8 + 2 * 3.2, 1e-12);
    assert_near(mrn_polygon_area(pieces[1].count, pieces[1].vertices), 8 + 2 * (3.2 - 0.005), 1e-12);
    mrn_crack_free(pieces);
}

static void lumps_are_made_to_add_up(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        MrnLump parts[3];
        for (uint64_t k = 0; k < 3; k++)
            parts[k] = (MrnLump){1 + mrn_random_unit(seed, k, 0),
                                 2 + mrn_random_unit(seed, k, 1),
                                 {mrn_random_unit(seed, k, 2), mrn_random_unit(seed, k, 3)}};
        MrnLump whole = mrn_lump_sum(parts, 3);
        whole.mass *= 1.01, whole.centre.x += 0.02, whole.inertia *= 0.98;
        assert_true(mrn_lump_match(&whole, parts, 3));
        MrnLump sum = mrn_lump_sum(parts, 3);
        assert_near(sum.mass, whole.mass, 1e-14 * whole.mass);
        assert_near(sum.centre.x, whole.centre.x, 1e-14);
        assert_near(sum.centre.y, whole.centre.y, 1e-14);
        assert_near(sum.inertia, whole.inertia, 1e-13 * whole.inertia);
        whole.mass *= 3;
        assert_false(mrn_lump_match(&whole, parts, 3)); // that is no small correction
    }
}

// ---- worlds ----

static MrnWorld *world_of(MrnScene **scene, const char *text) {
    MrnError error = {0};
    *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!*scene) fail_msg("%s", error.message);
    MrnWorld *world = mrn_world_new((*scene)->model, &(*scene)->scheme, &error);
    if (!world) fail_msg("%s", error.message);
    return world;
}

/// Mass, momentum, angular momentum about a fixed point far away, kinetic energy of the free bodies.
static void totals(MrnWorld *world, double out[5]) {
    const MrnModel *model = mrn_world_model(world);
    const MrnState *state = mrn_world_state(world);
    memset(out, 0, 5 * sizeof *out);
    for (size_t b = 0; b < state->body_count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE || !state->active[b]) continue;
        const double *x = state->position + 2 * b, *v = state->velocity + 2 * b, w = state->spin[b];
        out[0] += body->mass;
        out[1] += body->mass * v[0];
        out[2] += body->mass * v[1];
        out[3] += body->mass * ((x[0] + 300) * v[1] - (x[1] - 700) * v[0]) + body->inertia[2] * w;
        out[4] += 0.5 * (body->mass * (v[0] * v[0] + v[1] * v[1]) + body->inertia[2] * w * w);
    }
}

#define TWO_FLOES                                                                                                      \
    "dimension: 2\n"                                                                                                   \
    "time: {scheme: %s, step: %s, end: 60 s}\n"                                                                        \
    "materials: [{name: ice, volume_density: 900 kg/m3}]\n"                                                            \
    "laws: [{friction: 0, restitution: 0.5}]\n"                                                                        \
    "event_driven: {approach_rate: 0}\n"                                                                               \
    "breaking: {energy: 15 J/m2, smallest: 50 m2, angle: 0}\n"                                                         \
    "bodies:\n"                                                                                                        \
    "  - {name: wedge, thickness: 1 m, velocity: [%.17g m/s, 0 m/s], position: [-14 m, 0 m],\n"                        \
    "     shape: {polygon: [[-10 m, -3 m], [2 m, -3 m], [3 m, 0 m], [2 m, 3 m], [-10 m, 3 m]]}}\n"                     \
    "  - {name: plate, thickness: 1 m, position: [0 m, 0 m], shape: {rectangle: [20 m, 30 m]}}\n"

/// Speed at which the plate of the scene above breaks: half of what the contact loses is the energy of the crack.
static double critical_speed(void) {
    double wedge = 900 * (12 * 6 + 3), plate = 900 * 600, together = wedge * plate / (wedge + plate);
    return sqrt(2 * 15 * 20 / (0.5 * together * (1 - 0.25)));
}

static MrnWorld *collide(MrnScene **scene, const char *scheme, const char *step, double speed,
                         MrnStepInfo *break_step) {
    char text[1200];
    snprintf(text, sizeof text, TWO_FLOES, scheme, step, speed);
    MrnWorld *world = world_of(scene, text);
    // Its own wedge is hit as hard: it has a longer way to the other side, and cannot break under this speed.
    double mass = 0;
    for (int i = 0; i < 4000 && mrn_world_time(world) < 60; i++) {
        double before[5], after[5];
        MrnStepInfo info;
        MrnError error = {0};
        totals(world, before);
        if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
        totals(world, after);
        assert_true(info.penetration <= 0);
        assert_near(info.kinetic_energy, after[4], 1e-12 * after[4]);
        for (int k = 0; k < 4; k++) assert_near(after[k], before[k], 1e-12 * fmax(fabs(before[3]), before[0]));
        assert_near(after[1], before[1], 1e-12 * fabs(before[1]));
        assert_true(fabs(after[2]) <= 1e-12 * fabs(before[1]));
        assert_near(after[4], before[4] - info.dissipated_energy, 1e-12 * before[4]);
        if (info.broken) *break_step = info;
        if (i == 0) mass = before[0];
        assert_near(after[0], mass, 1e-13 * mass);
    }
    return world;
}

static void a_plate_breaks_above_the_critical_speed_and_not_below(void **state) {
    (void)state;
    static const struct {
        const char *scheme, *step;
        double tolerance; // time stepping meets the plate at mid-step: the loss is the same, the gap is not
    } cases[] = {{"event-driven", "1 s", 1e-9}, {"moreau-jean", "50 ms", 1e-3}};
    for (size_t c = 0; c < 2; c++)
        for (int above = 0; above < 2; above++) {
            MrnScene *scene;
            MrnStepInfo step = {0};
            double speed = critical_speed() * (above ? 1 + cases[c].tolerance : 1 - cases[c].tolerance);
            MrnWorld *world = collide(&scene, cases[c].scheme, cases[c].step, speed, &step);
            const MrnModel *model = mrn_world_model(world);
            const MrnState *now = mrn_world_state(world);
            assert_int_equal(step.broken, above);
            assert_int_equal(model->bodies.count, above ? 4 : 2);
            assert_int_equal(scene->model->bodies.count, 2); // that of the scene stays as it was
            if (above) {
                assert_near(step.fracture_energy, 15 * 20, 1e-9);
                assert_true(step.fracture_energy <= step.dissipated_energy);
                assert_string_equal(mrn_model_body_name(model, 2), "plate.1");
                assert_string_equal(mrn_model_body_name(model, 3), "plate.2");
                assert_true(!now->active[1] && now->removed[1] && now->active[2] && now->active[3]);
                assert_near(model->bodies.data[2].mass, 900 * 300, 1e-6);
                assert_near(model->bodies.data[2].inertia[2], 900 * 300 * (20 * 20 + 15 * 15) / 12.0, 1);
                const MrnLifeEvent *event = &model->events.data[0];
                assert_int_equal(event->kind, MRN_LIFE_BREAKING);
                assert_near(event->position[1], 0, 1e-9);
                // The gap is 0.2 of the collision distance of a half.
                double gap = 0.2 * 0.01 * sqrt(300);
                const MrnShape *half = &model->shapes.data[model->bodies.data[2].first_shape];
                assert_near(mrn_polygon_area(half->vertex_count, half->vertices), 300 - 10 * gap, 1e-9);
            }
            mrn_world_free(world);
            mrn_scene_free(scene);
        }
}

static void a_spinning_floe_breaks_again_and_again_and_keeps_its_momenta(void **state) {
    (void)state;
    MrnScene *scene;
    // Elements of different thickness, a spinning floe in a ring of pillars.
    MrnWorld *world = world_of(
        &scene, "dimension: 2\n"
                "time: {scheme: event-driven, step: 1 s, end: 10 min}\n"
                "materials: [{name: ice, volume_density: 917 kg/m3}]\n"
                "laws: [{friction: 0.4, restitution: 0.3}]\n"
                "breaking: {energy: 5 J/m2, smallest: 40 m2}\n"
                "bodies:\n"
                "  - {kind: fixed, position: [57.7 m, 5.79 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [36.7 m, 44.9 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [-5.79 m, 57.7 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [-44.9 m, 36.7 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [-57.7 m, -5.79 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [-36.7 m, -44.9 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [5.79 m, -57.7 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - {kind: fixed, position: [44.9 m, -36.7 m], shape: {regular: {sides: 7, radius: 9 m}}}\n"
                "  - name: floe\n"
                "    velocity: [0.5 m/s, 0.03 m/s]\n"
                "    angular_velocity: 0.01 rad/s\n"
                "    shape: {polygon: [[-30 m, -25 m], [10 m, -30 m], [32 m, -8 m], [30 m, 20 m], [5 m, 15 m], [-20 m, "
                "33 m]]}\n"
                "    thickness_samples: [{at: [-20 m, 0 m], thickness: 0.5 m}, {at: [20 m, 0 m], thickness: 1.5 m}]\n");
    int64_t broken = 0;
    double fracture = 0, dissipated = 0;
    for (int i = 0; i < 600; i++) {
        MrnStepInfo info;
        MrnError error = {0};
        double before[5], after[5];
        totals(world, before);
        size_t known = mrn_world_state(world)->body_count;
        if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
        totals(world, after);
        broken += info.broken;
        fracture += info.fracture_energy;
        dissipated += info.dissipated_energy;
        assert_near(after[0], before[0], 1e-12 * before[0]);
        assert_near(after[4], info.kinetic_energy, 1e-11 * info.kinetic_energy);
        assert_near(after[4], before[4] - info.dissipated_energy, 1e-10 * before[4]);
        assert_true(fracture <= dissipated);
        assert_int_equal(mrn_world_state(world)->body_count, known + 2 * (size_t)info.broken);
        if (info.broken && info.contacts == 0) fail_msg("a floe broke without an impact");
        assert_true(info.penetration <= 0);
    }
    assert_true(broken >= 3);
    // The sum of an event, piece by piece, in the frame of the floe that broke.
    const MrnModel *model = mrn_world_model(world);
    for (size_t e = 0; e < model->events.count; e++) {
        const MrnLifeEvent *event = &model->events.data[e];
        MrnLump parts[2];
        double momentum[2] = {0}, turning = 0;
        for (int k = 0; k < 2; k++) {
            const MrnBody *body = &model->bodies.data[event->first_born + k];
            parts[k] = (MrnLump){body->mass, body->inertia[2], {body->position[0], body->position[1]}};
            assert_true(body->mesh && body->mesh->thickness);
            for (int i = 0; i < 2; i++) momentum[i] += body->mass * body->start->velocity[i];
            turning += body->mass * (body->position[0] * body->start->velocity[1] -
                                     body->position[1] * body->start->velocity[0]) +
                       body->inertia[2] * body->start->spin[2];
        }
        MrnLump sum = mrn_lump_sum(parts, 2);
        const MrnBody *whole = &model->bodies.data[model->ended.data[event->first_ended]];
        double spin = model->bodies.data[event->first_born].start->spin[2];
        assert_near(sum.mass, whole->mass, 1e-13 * whole->mass);
        assert_near(sum.inertia, whole->inertia[2], 1e-12 * whole->inertia[2]);
        double expected = sum.centre.x * momentum[1] - sum.centre.y * momentum[0] + sum.inertia * spin;
        assert_near(turning, expected, 1e-11 * fabs(whole->inertia[2] * spin) + 1e-12 * fabs(expected));
    }
    print_message("    %d breaks, %.0f of %.0f J\n", (int)broken, fracture, dissipated);
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void energy_of_earlier_impacts_counts_while_it_is_remembered(void **state) {
    (void)state;
    // A plate between two walls: no single impact is hard enough.
    for (int remembers = 0; remembers < 2; remembers++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "time: {scheme: event-driven, step: 1 s, end: 300 s}\n"
                 "materials: [{name: ice, volume_density: 900 kg/m3}]\n"
                 "laws: [{friction: 0, restitution: 0.9}]\n"
                 "breaking: {energy: 100 J/m2, smallest: 20 m2, memory: %s}\n"
                 "bodies:\n"
                 "  - {name: left, kind: fixed, position: [-12 m, 0 m], shape: {regular: {sides: 4, radius: 2 m}}}\n"
                 "  - {name: right, kind: fixed, position: [12 m, 0 m], shape: {regular: {sides: 4, radius: 2 m}}}\n"
                 "  - {name: plate, thickness: 1 m, velocity: 0.25 0 m/s, shape: {rectangle: [18 m, 10 m]}}\n",
                 remembers ? "10 h" : "0 s");
        MrnScene *scene;
        MrnWorld *world = world_of(&scene, text);
        double lost = 0;
        int64_t broken = 0;
        while (mrn_world_time(world) < 299.5 && !broken) {
            MrnStepInfo info;
            MrnError error = {0};
            if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
            lost += info.dissipated_energy;
            broken += info.broken;
            assert_true(info.dissipated_energy < 100 * 18); // or the test says nothing
        }
        assert_true(lost > 100 * 18);
        assert_int_equal(broken, remembers);
        mrn_world_free(world);
        mrn_scene_free(scene);
    }
}

// ---- runs ----

static const char pack[] = BREAKING_PACK("output: 40 s, checkpoint: 1 ms", "");

static char directory[] = "/tmp/moraine-breaking-XXXXXX";
static char run_path[80];

static int set_up(void **state) {
    (void)state;
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    if (!mkdtemp(directory)) return -1;
    snprintf(run_path, sizeof run_path, "%s/run.h5", directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(run_path);
    return rmdir(directory);
}

static MrnRunSummary run_pack(const char *path, double until) {
    MrnError error = {0};
    MrnRunSummary summary;
    MrnScene *scene = mrn_scene_parse(pack, "pack.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    MrnRunOptions options = mrn_run_defaults();
    options.output = path;
    options.until = until;
    if (!mrn_run(scene, &options, &summary, &error)) fail_msg("%s", error.message);
    mrn_scene_free(scene);
    return summary;
}

static void pieces_that_slide_along_turning_pieces_keep_their_clearance(void **state) {
    (void)state;
    // In this jam a corner slides along a turning edge at 0.2 m/s for minutes while others press on both.
    static const char *const seed[] = {"generate.floe.seed=5"};
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(pack, "pack.yaml", seed, 1, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    if (!world) fail_msg("%s", error.message);
    double gap = INFINITY;
    while (mrn_world_time(world) < 600) {
        MrnStepInfo info;
        if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
        gap = fmin(gap, info.smallest_gap);
    }
    assert_true(gap > 1e-5); // m; the clearance is 6 mm
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void a_resumed_run_of_breaking_floes_has_the_same_bits(void **state) {
    (void)state;
    MrnRunSummary whole = run_pack(NULL, -1), part;
    assert_true(whole.bodies > 40);
    assert_true(whole.penetration_max <= 0);
    run_pack(run_path, 200);
    MrnError error = {0};
    for (int k = 1; k <= 3; k++) {
        MrnRunOptions options = mrn_run_defaults();
        options.until = k < 3 ? 200 + 250 * k : 900;
        if (!mrn_resume(run_path, &options, &part, &error)) fail_msg("%s", error.message);
    }
    assert_true(part.state_hash == whole.state_hash);
    assert_int_equal(part.bodies, whole.bodies);
}

static void frames_of_a_run_file_show_the_pieces(void **state) {
    (void)state;
    MrnError error = {0};
    run_pack(run_path, -1);
    MrnRunFile *file = mrn_run_file_open(run_path, &error);
    if (!file) fail_msg("%s", error.message);
    MrnScene *scene = mrn_run_file_scene(file, &error), *fresh = NULL;
    if (!scene) fail_msg("%s", error.message);
    // The same world in memory.
    MrnWorld *world = world_of(&fresh, pack);
    const MrnModel *model = scene->model;
    size_t frames = mrn_run_file_frame_count(file), earlier = 0;
    double mass = 0;
    for (size_t i = 0; i < frames; i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame(file, i, &frame, &error)) fail_msg("%s", error.message);
        while (mrn_world_state(world)->step[0] < frame.step) assert_true(mrn_world_step(world, NULL, &error));
        const MrnState *now = mrn_world_state(world);
        assert_int_equal(frame.body_count, model->bodies.count);
        double sum = 0;
        size_t active = 0;
        for (size_t b = 0; b < frame.body_count; b++) {
            assert_int_equal(frame.active[b], b < now->body_count && now->active[b]);
            if (!frame.active[b] || model->bodies.data[b].kind != MRN_BODY_FREE) continue;
            assert_memory_equal(frame.position + 2 * b, now->position + 2 * b, 16);
            sum += model->bodies.data[b].mass, active++;
        }
        if (i == 0) mass = sum;
        assert_near(sum, mass, 1e-12 * mass);
        assert_true(active >= earlier);
        earlier = active;
        mrn_frame_free(&frame);
    }
    // The model of the file is that of the world: names, shapes, masses, meshes, events.
    const MrnModel *now = mrn_world_model(world);
    assert_int_equal(now->bodies.count, model->bodies.count);
    assert_true(now->events.count == model->events.count && now->events.count > 5);
    assert_true(mrn_model_hash(now) == mrn_model_hash(fresh->model));
    for (size_t b = mrn_model_first_born(now); b < now->bodies.count; b++) {
        const MrnBody *p = &now->bodies.data[b], *q = &model->bodies.data[b];
        const MrnShape *s = &now->shapes.data[p->first_shape], *t = &model->shapes.data[q->first_shape];
        assert_string_equal(p->name, q->name);
        assert_true(p->mass == q->mass && p->inertia[2] == q->inertia[2] && p->birth == q->birth &&
                    p->thickness == q->thickness && s->vertex_count == t->vertex_count);
        assert_memory_equal(s->vertices, t->vertices, 2 * s->vertex_count * sizeof(double));
        assert_int_equal(p->mesh->triangle_count, q->mesh->triangle_count);
    }
    mrn_world_free(world);
    mrn_scene_free(fresh);
    mrn_scene_free(scene);
    mrn_run_file_close(file);
}

/// A reader that took its model early, and one that took it late, of a run that goes on.
static void frames_fit_a_model_of_another_moment(void **state) {
    (void)state;
    MrnError error = {0};
    run_pack(run_path, 200);
    MrnRunFile *file = mrn_run_file_open(run_path, &error);
    if (!file) fail_msg("%s", error.message);
    MrnScene *early = mrn_run_file_scene(file, &error);
    if (!early) fail_msg("%s", error.message);
    MrnRunOptions options = mrn_run_defaults();
    options.until = 900;
    if (!mrn_resume(run_path, &options, NULL, &error)) fail_msg("%s", error.message);
    assert_true(mrn_run_file_refresh(file, &error));
    MrnScene *late = mrn_run_file_scene(file, &error);
    if (!late) fail_msg("%s", error.message);
    size_t last = mrn_run_file_frame_count(file) - 1, few = early->model->bodies.count,
           many = late->model->bodies.count;
    assert_true(few < many);
    MrnFrame whole, part;
    if (!mrn_run_file_frame(file, last, &whole, &error)) fail_msg("%s", error.message);
    assert_int_equal(whole.body_count, many);
    if (!mrn_run_file_frame_for(file, early->model, last, &part, &error)) fail_msg("%s", error.message);
    assert_int_equal(part.body_count, few);
    assert_true(part.contact_count <= whole.contact_count);
    for (size_t c = 0; c < part.contact_count; c++)
        assert_true(part.contacts[c].body_a < (int)few && part.contacts[c].body_b < (int)few);
    assert_memory_equal(part.position, whole.position, 2 * few * sizeof(double));
    double low[3], high[3];
    mrn_draw_bounds(early->model, &part, low, high);
    assert_true(low[0] < high[0] && isfinite(high[0]));
    // Bodies that the frame does not know are inactive.
    mrn_frame_fit(&part, many, 2);
    assert_int_equal(part.body_count, many);
    for (size_t b = few; b < many; b++) assert_true(!part.active[b] && part.position[2 * b] == 0);
    mrn_frame_free(&whole);
    mrn_frame_free(&part);
    mrn_scene_free(early);
    mrn_scene_free(late);
    mrn_run_file_close(file);
}

static void a_copy_of_a_model_can_leave_events_out(void **state) {
    (void)state;
    MrnScene *scene;
    MrnError error = {0};
    MrnWorld *world = world_of(&scene, pack);
    while (mrn_world_model(world)->events.count < 4) assert_true(mrn_world_step(world, NULL, &error));
    const MrnModel *model = mrn_world_model(world);
    MrnModel *copy = mrn_model_copy(model, 2);
    assert_int_equal(copy->events.count, 2);
    assert_int_equal(copy->bodies.count, (size_t)model->events.data[2].first_born);
    assert_int_equal(copy->ended.count, 2);
    assert_true(mrn_model_hash(copy) == mrn_model_hash(scene->model));
    mrn_model_free(copy);
    // An event that cannot be leaves nothing behind.
    size_t bodies = model->bodies.count, shapes = model->shapes.count;
    copy = mrn_model_copy(model, model->events.count);
    double line[] = {0, 0, 1, 0, 2, 0}, square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    MrnBirth born[2] = {{.vertex_count = 4, .vertices = square, .mass = 1, .inertia = 1},
                        {.vertex_count = 3, .vertices = line, .mass = 1, .inertia = 1}};
    MrnLifeEvent event = {.time = 1};
    int ended = 3;
    assert_false(mrn_model_add_event(copy, &event, &ended, 1, born, 2, &error));
    assert_true(copy->bodies.count == bodies && copy->shapes.count == shapes &&
                copy->events.count == model->events.count);
    ended = 0; // the pillar
    assert_false(mrn_model_add_event(copy, &event, &ended, 1, born, 1, &error));
    assert_non_null(strstr(error.message, "not a free body"));
    mrn_model_free(copy);
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void welding_takes_the_same_way(void **state) {
    (void)state;
    // Two bodies end and one comes that carries their mass, momentum and angular momentum: what a welding stage would
    // do.
    MrnScene *scene;
    char text[1200];
    snprintf(text, sizeof text, TWO_FLOES, "event-driven", "1 s", 0.3);
    MrnWorld *world = world_of(&scene, text);
    MrnModel *model = mrn_model_copy(scene->model, 0);
    MrnState *now = mrn_state_new(model);
    MrnLump parts[2];
    double momentum[2] = {0}, turning = 0;
    for (size_t b = 0; b < 2; b++) {
        const MrnBody *body = &model->bodies.data[b];
        const double *x = now->position + 2 * b, *v = now->velocity + 2 * b;
        parts[b] = (MrnLump){body->mass, body->inertia[2], {x[0], x[1]}};
        for (int k = 0; k < 2; k++) momentum[k] += body->mass * v[k];
        turning += body->mass * (x[0] * v[1] - x[1] * v[0]) + body->inertia[2] * now->spin[b];
    }
    MrnLump sum = mrn_lump_sum(parts, 2);
    double square[] = {-10, -10, 10, -10, 10, 10, -10, 10};
    MrnBirth born = {.vertex_count = 4,
                     .vertices = square,
                     .mass = sum.mass,
                     .inertia = sum.inertia,
                     .position = {sum.centre.x, sum.centre.y},
                     .velocity = {momentum[0] / sum.mass, momentum[1] / sum.mass}};
    born.spin = (turning - (sum.centre.x * momentum[1] - sum.centre.y * momentum[0])) / sum.inertia;
    MrnLifeEvent event = {.time = 1};
    int ended[] = {0, 1};
    MrnError error = {0};
    assert_true(mrn_model_add_event(model, &event, ended, 2, &born, 1, &error));
    mrn_state_follow(now, model, &model->events.data[0]);
    assert_string_equal(mrn_model_body_name(model, 2), "wedge+plate");
    assert_true(!now->active[0] && !now->active[1] && now->active[2] && now->body_count == 3);
    assert_near(now->velocity[4] * model->bodies.data[2].mass, momentum[0], 1e-9);
    mrn_state_free(now);
    mrn_model_free(model);
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    MrnScene *scene;
    char text[1200];
    snprintf(text, sizeof text, TWO_FLOES, "event-driven", "1 s", 0.3);
    MrnWorld *world = world_of(&scene, text);
    mrn_world_free(world);
    static const struct {
        MrnBreakingSettings settings;
        const char *stepper, *message;
    } bad[] = {
        {{-1, 10, 0.5, 0, -1}, "event-driven", "breaking: energy is -1 J/m2, must be > 0"},
        {{NAN, 10, 0.5, 0, -1}, "event-driven", "breaking: energy is nan J/m2, must be > 0"},
        {{15, 0, 0.5, 0, -1}, "event-driven", "breaking: smallest is 0 m2, must be > 0"},
        {{15, 10, 1.6, 0, -1}, "event-driven", "breaking: angle is 1.6 rad, must be between 0 and 1.57 (89.9 degrees)"},
        {{15, 10, 0.5, -1, -1}, "event-driven", "breaking: memory is -1 s, must be >= 0"},
        {{15, 10, 0.5, 0, 7}, "event-driven", "breaking: material 7, the model has 1"},
        {{15, 10, 0.5, 0, -1}, "dem", "breaking: bodies break under event-driven and moreau-jean, not under dem"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        MrnScheme scheme = scene->scheme;
        MrnError error = {0};
        scheme.breaking = bad[i].settings;
        scheme.stepper = bad[i].stepper;
        assert_null(mrn_world_new(scene->model, &scheme, &error));
        assert_string_equal(error.message, bad[i].message);
    }
    // Nothing that could break.
    for (size_t b = 0; b < scene->model->bodies.count; b++) scene->model->bodies.data[b].thickness = 0;
    MrnError error = {0};
    assert_null(mrn_world_new(scene->model, &scene->scheme, &error));
    assert_string_equal(error.message,
                        "breaking: no body can break: that takes a free body of one sharp polygon with a "
                        "thickness, in no group");
    mrn_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_random_polygons_add_up_to_them),
        cmocka_unit_test(the_crack_is_the_shortest_within_the_angle),
        cmocka_unit_test(a_crack_in_a_bay_ends_at_its_head),
        cmocka_unit_test(lumps_are_made_to_add_up),
        cmocka_unit_test(a_plate_breaks_above_the_critical_speed_and_not_below),
        cmocka_unit_test(a_spinning_floe_breaks_again_and_again_and_keeps_its_momenta),
        cmocka_unit_test(energy_of_earlier_impacts_counts_while_it_is_remembered),
        cmocka_unit_test(pieces_that_slide_along_turning_pieces_keep_their_clearance),
        cmocka_unit_test_setup_teardown(a_resumed_run_of_breaking_floes_has_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_of_a_run_file_show_the_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_fit_a_model_of_another_moment, set_up, tear_down),
        cmocka_unit_test(a_copy_of_a_model_can_leave_events_out),
        cmocka_unit_test(welding_takes_the_same_way),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
