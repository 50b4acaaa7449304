// Properties on random scenes: the outcome does not depend on where the scene stands, how it is turned, mirrored,
// labelled, or in which units it is written.
#include "core_support.h"

/// How a scene is written down: x -> length (mirror, rotation, shift) x, in other units and another order.
typedef struct Transform {
    double angle;   ///< about z
    double axis[3]; ///< of the rotation in 3D; z if zero
    double shift[3];
    bool mirror;               ///< x -> -x, before the rotation
    double length, mass, time; ///< sizes of the units
    bool backwards;            ///< bodies in reverse order
} Transform;

static const Transform identity = {.length = 1, .mass = 1, .time = 1};

static MrnQuat rotation_of(const Transform *t) {
    MrnVec3 axis = mrn_load3(t->axis);
    if (mrn_norm3(axis) == 0) axis = mrn_vec3(0, 0, 1);
    return mrn_quat_exp(mrn_scale3(0.5 * t->angle, mrn_normalize3(axis)));
}

static MrnVec3 direction(const Transform *t, MrnVec3 v) {
    if (t->mirror) v.x = -v.x;
    return mrn_quat_rotate(rotation_of(t), v);
}

typedef struct Scene {
    int dimension, count;
    bool round; ///< discs and spheres only
    double gravity, friction, restitution, spacing;
    bool ground;
    uint64_t seed;
    int steps;
    double time_step;
} Scene;

typedef struct Result {
    double position[128][3], velocity[128][3]; ///< in the frame and units of the identity
    int64_t sweeps, touching;
} Result;

static void place(const Transform *t, double out[3], MrnVec3 v, double scale) {
    mrn_store3(out, mrn_scale3(scale, direction(t, v)));
}

static Result outcome(const Scene *scene, const Transform *t) {
    int d = scene->dimension;
    double L = t->length, M = t->mass, T = t->time;
    MrnModel *model = mrn_model_new(d);
    mrn_model_add_material(model, "stone", 1 * M / pow(L, d));
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = scene->friction;
    law.normal_restitution = scene->restitution;
    mrn_model_set_law(model, -1, -1, law);
    double g[3];
    place(t, g, d == 2 ? mrn_vec3(0, -scene->gravity, 0) : mrn_vec3(0, 0, -scene->gravity), L / (T * T));
    mrn_model_set_gravity(model, g);
    MrnQuat turn = rotation_of(t);
    if (scene->ground) {
        MrnShape shape = mrn_shape_defaults(d == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
        MrnBodyDef def = body_at(model, &shape, 0, 0, 0);
        place(t, def.position, d == 2 ? mrn_vec3(0, -0.6, 0) : mrn_vec3(0, 0, -0.6), L);
        for (int k = 0; k < 3; k++) def.position[k] += L * t->shift[k];
        if (d == 2)
            def.rotation[0] = t->angle;
        else
            mrn_quat_store(def.rotation, turn);
        def.kind = MRN_BODY_FIXED;
        add(model, &def);
    }
    int side = (int)ceil(pow(scene->count, 1.0 / d)), index[128];
    for (int k = 0; k < scene->count; k++) {
        int i = t->backwards ? scene->count - 1 - k : k;
        Draws draws = {mrn_random_bits(scene->seed, (uint64_t)i, 0), 0};
        double r = draw(&draws, 0.35, 0.5), s = scene->spacing;
        MrnVec3 x = {s * (i % side), s * (i / side % side), d == 3 ? s * (i / side / side) : 0};
        MrnVec3 v = {draw(&draws, -2, 2), draw(&draws, -2, 2), d == 3 ? draw(&draws, -2, 2) : 0};
        MrnVec3 w = {d == 3 ? draw(&draws, -2, 2) : 0, d == 3 ? draw(&draws, -2, 2) : 0, draw(&draws, -2, 2)};
        double angle = draw(&draws, -1, 1);
        MrnVec3 lean = {draw(&draws, -1, 1), draw(&draws, -1, 1), draw(&draws, -1, 1)};
        double outline[10];
        for (int c = 0; c < 5; c++) { // mirrored: the same outline seen in the mirror, written counter-clockwise
            double a = 2 * M_PI * c / 5 + 0.3 * (c == 2), reach = L * r * (c == 1 ? 0.8 : 1);
            int to = t->mirror ? 4 - c : c;
            outline[2 * to] = (t->mirror ? -1 : 1) * reach * cos(a), outline[2 * to + 1] = reach * sin(a);
        }
        bool round = scene->round || i % 2;
        MrnShape shape;
        if (d == 2)
            shape = round ? disc(L * r) : polygon(5, outline);
        else
            shape = round ? sphere(L * r) : box(L * 0.6 * r, L * 0.5 * r, L * 0.4 * r);
        MrnBodyDef def = body_at(model, &shape, 0, 0, 0);
        place(t, def.position, x, L);
        for (int c = 0; c < 3; c++) def.position[c] += L * t->shift[c];
        place(t, def.velocity, v, L / T);
        // Angular velocity is a pseudo-vector: mirrored, it turns the other way.
        place(t, def.angular_velocity, t->mirror ? mrn_scale3(-1, w) : w, 1 / T);
        if (d == 2) {
            def.angular_velocity[2] = (t->mirror ? -1 : 1) * w.z / T;
            def.rotation[0] = (t->mirror ? -angle : angle) + t->angle;
        } else {
            MrnQuat lies = mrn_quat_exp(lean);
            if (t->mirror)
                lies = (MrnQuat){lies.w, lies.x, -lies.y,
                                 -lies.z}; // mirror in x of a rotation; a box is its own mirror image
            mrn_quat_store(def.rotation, mrn_quat_multiply(turn, lies));
        }
        index[i] = add(model, &def);
    }
    MrnScheme scheme = scheme_of(scene->time_step * T, 1e-11);
    scheme.solver.solver = "nlgs";
    MrnWorld *world = start(model, &scheme);
    Result result = {.sweeps = 0};
    for (int s = 0; s < scene->steps; s++) {
        MrnStepInfo info = step(world);
        result.sweeps += info.sweeps;
        result.touching += info.touching;
    }
    MrnQuat back = mrn_quat_conjugate(turn);
    for (int i = 0; i < scene->count; i++) {
        const double *x = mrn_world_position(world, index[i]), *v = mrn_world_velocity(world, index[i]);
        MrnVec3 p = {x[0] / L - t->shift[0], x[1] / L - t->shift[1], d == 3 ? x[2] / L - t->shift[2] : 0},
                u = {v[0] * T / L, v[1] * T / L, d == 3 ? v[2] * T / L : 0};
        p = mrn_quat_rotate(back, p), u = mrn_quat_rotate(back, u);
        if (t->mirror) p.x = -p.x, u.x = -u.x;
        mrn_store3(result.position[i], p);
        mrn_store3(result.velocity[i], u);
    }
    mrn_world_free(world);
    mrn_model_free(model);
    return result;
}

static void same_outcome(const Scene *scene, const Transform *t, double tolerance, const char *what) {
    Result plain = outcome(scene, &identity), other = outcome(scene, t);
    assert_true(plain.touching > 5);
    for (int i = 0; i < scene->count; i++)
        for (int k = 0; k < scene->dimension; k++) {
            char text[160];
            snprintf(text, sizeof text, "%s, %dD, body %d", what, scene->dimension, i);
            close_to(other.position[i][k], plain.position[i][k], tolerance, text);
            close_to(other.velocity[i][k], plain.velocity[i][k], 1e3 * tolerance, text);
        }
}

/// Collisions of few bodies at a time: the solution of each step is unique.
static Scene collisions(int dimension, bool round, uint64_t seed) {
    return (Scene){.dimension = dimension,
                   .count = dimension == 2 ? 25 : 27,
                   .round = round,
                   .gravity = 5,
                   .friction = 0.3,
                   .restitution = 0.5,
                   .spacing = 1.25,
                   .ground = true,
                   .seed = seed,
                   .steps = 120,
                   .time_step = 2e-3};
}

static void the_outcome_does_not_depend_on_where_the_scene_stands(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Scene scene = collisions(d, false, seed);
            Transform t = identity;
            t.shift[0] = 16, t.shift[1] = -8, t.shift[2] = d == 3 ? 4 : 0;
            same_outcome(&scene, &t, 1e-8, "shifted");
        }
}

static void the_outcome_turns_with_the_scene(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Scene scene = collisions(d, false, seed);
            Transform t = identity;
            for (int quarter = 1; quarter <= 3; quarter++) {
                t.angle = quarter * M_PI / 2;
                same_outcome(&scene, &t, 1e-8, "turned by quarters");
            }
            t.angle = 0.7;
            if (d == 3) t.axis[0] = 1, t.axis[1] = 2, t.axis[2] = -1;
            same_outcome(&scene, &t, 1e-7, "turned by 0.7 rad");
        }
}

static void the_outcome_is_mirrored_with_the_scene(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Scene scene = collisions(d, false, seed);
            Transform t = identity;
            t.mirror = true;
            same_outcome(&scene, &t, 1e-8, "mirrored");
        }
}

static void the_order_of_bodies_does_not_matter_where_the_solution_is_unique(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Scene scene = collisions(d, true, seed);
            Transform t = identity;
            t.backwards = true;
            same_outcome(&scene, &t, 1e-8, "in reverse order");
        }
}

static void units_change_neither_the_outcome_nor_the_number_of_sweeps(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Scene scene = collisions(d, false, seed);
            scene.restitution = 0;
            scene.spacing = 1.05;
            scene.seed = seed + 10;
            // Powers of two only change exponents: the same bits come out. Even exponents, because masses enter by
            // square roots.
            Transform t = identity;
            t.length = 0x1p-10, t.mass = 0x1p12, t.time = 0x1p-6;
            if (d == 3) t.mass = 0x1p-20;
            Result plain = outcome(&scene, &identity), scaled = outcome(&scene, &t);
            assert_true(plain.sweeps > 50);
            assert_int_equal(plain.sweeps, scaled.sweeps);
            assert_memory_equal(plain.position, scaled.position, sizeof plain.position);
            assert_memory_equal(plain.velocity, scaled.velocity, sizeof plain.velocity);
            // Millimetres, tonnes and minutes; kilometres, grams.
            t = (Transform){.length = 1e3, .mass = 1e-3, .time = 1.0 / 60};
            same_outcome(&scene, &t, 1e-7, "millimetres, tonnes, minutes");
            t = (Transform){.length = 1e-3, .mass = 1e3, .time = 1};
            same_outcome(&scene, &t, 1e-7, "kilometres, grams, seconds");
        }
}

static void contacts_never_create_energy_without_restitution(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Draws draws = {seed, 0};
            MrnModel *model = model_with(d, draw(&draws, 0, 1), 0, 0);
            int side = d == 2 ? 6 : 4, count = d == 2 ? 36 : 64;
            for (int i = 0; i < count; i++) {
                Corners flat = rectangle(0.4, 0.3);
                MrnShape shape = d == 2 ? (i % 2 ? disc(0.4) : polygon(4, flat.at)) : sphere(0.45);
                MrnBodyDef def = body_at(model, &shape, i % side, i / side % side, d == 3 ? i / side / side : 0);
                for (int k = 0; k < d; k++) def.velocity[k] = draw(&draws, -2, 2);
                for (int k = d == 2 ? 2 : 0; k < 3; k++) def.angular_velocity[k] = draw(&draws, -2, 2);
                add(model, &def);
            }
            MrnScheme scheme = scheme_of(1e-3, 1e-10);
            scheme.recovery = 0; // pushing overlaps apart is the one thing that gives energy
            MrnWorld *world = start(model, &scheme);
            double before, potential;
            mrn_world_energy(world, &before, &potential);
            double first = before;
            for (int s = 0; s < 300; s++) {
                MrnStepInfo info = step(world);
                below(info.kinetic_energy - before, 1e-9 * first, "energy gained in a step");
                before = info.kinetic_energy;
            }
            below(before, 0.95 * first, "energy left");
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outcome_does_not_depend_on_where_the_scene_stands),
        cmocka_unit_test(the_outcome_turns_with_the_scene),
        cmocka_unit_test(the_outcome_is_mirrored_with_the_scene),
        cmocka_unit_test(the_order_of_bodies_does_not_matter_where_the_solution_is_unique),
        cmocka_unit_test(units_change_neither_the_outcome_nor_the_number_of_sweeps),
        cmocka_unit_test(contacts_never_create_energy_without_restitution),
    };
    return cmocka_run_group_tests_name("properties", tests, NULL, NULL);
}
