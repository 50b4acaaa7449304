// The model: mass of bodies made of several shapes, refusals, prescribed motions, hashes, and the state's table of
// fields.
#include "core_support.h"

#include "model/inertia.h"
#include "model/state.h"

// ---- mass, centre, principal axes ----

static void a_plate_cut_in_two_has_the_mass_centre_and_inertia_of_the_whole(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    model->materials.data[0].density = 7;
    Corners left = rectangle(1, 0.5), right = rectangle(2, 0.5);
    MrnShape parts[2] = {polygon(4, left.at), polygon(4, right.at)};
    parts[0].position[0] = -2;
    parts[1].position[0] = 1; // together a rectangle from x = -3 to x = 3
    MrnBodyDef def = body_at(model, parts, 10, 20, 0);
    def.shape_count = 2;
    def.rotation[0] = M_PI / 6;
    int b = add(model, &def);
    close_to(mrn_model_body_mass(model, b), 7 * 6, 1e-12, "mass");
    close_to(model->bodies.data[b].inertia[2], 42 * (36 + 1) / 12.0, 1e-11, "inertia of a 6 x 1 plate");
    close_to(model->bodies.data[b].position[0], 10, 1e-14, "centre x");
    close_to(model->bodies.data[b].position[1], 20, 1e-14, "centre y");
    mrn_model_free(model);
}

static void two_discs_of_different_density_balance_where_the_lever_law_says(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    int heavy = mrn_model_add_material(model, "lead", 3);
    MrnShape parts[2] = {disc(1), disc(1)};
    parts[1].material = heavy;
    parts[1].position[0] = 4;
    MrnBodyDef def = body_at(model, parts, 0, 0, 0);
    def.shape_count = 2;
    def.rotation[0] = M_PI / 2;
    int index = add(model, &def);
    const MrnBody *body = &model->bodies.data[index];
    close_to(body->mass, 4 * M_PI, 1e-13, "mass");
    close_to(body->position[0], 0, 1e-14, "centre x");
    close_to(body->position[1], 3, 1e-14, "centre y, turned by 90 degrees");
    // Discs m R^2/2 each, plus reduced mass times distance squared.
    close_to(body->inertia[2], 0.5 * 4 * M_PI + 0.75 * M_PI * 16, 1e-12, "inertia");
    close_to(model->shapes.data[0].position[0], -3, 1e-14, "first disc, from the centre");
    close_to(model->shapes.data[1].position[0], 1, 1e-14, "second disc, from the centre");
    mrn_model_free(model);
}

static void an_oblique_dumbbell_is_turned_to_its_principal_axes(void **unused) {
    (void)unused;
    MrnModel *model = model_with(3, 0, 0, 0);
    double r = 0.5, l = 2, mass = 4 * M_PI / 3 * r * r * r;
    MrnVec3 along = mrn_normalize3(mrn_vec3(1, 2, 2));
    MrnShape parts[2] = {sphere(r), sphere(r)};
    mrn_store3(parts[0].position, mrn_scale3(l, along));
    mrn_store3(parts[1].position, mrn_scale3(-l, along));
    MrnBodyDef def = body_at(model, parts, 1, 2, 3);
    def.shape_count = 2;
    def.angular_velocity[0] = 0.3, def.angular_velocity[1] = -0.1, def.angular_velocity[2] = 0.7;
    int index = add(model, &def);
    const MrnBody *body = &model->bodies.data[index];
    double sphere_moment = 2 * 0.4 * mass * r * r, long_moment = sphere_moment + 2 * mass * l * l;
    int axis = -1;
    for (int k = 0; k < 3; k++) {
        bool is_axis = fabs(body->inertia[k] - sphere_moment) < 1e-12;
        if (is_axis)
            axis = k;
        else
            close_to(body->inertia[k], long_moment, 1e-12, "moment across");
    }
    assert_true(axis >= 0);
    MrnMat3 R = mrn_quat_matrix(mrn_quat_load(body->start->rotation));
    MrnVec3 axis_in_space = {R.m[0][axis], R.m[1][axis], R.m[2][axis]};
    close_to(fabs(mrn_dot3(axis_in_space, along)), 1, 1e-13, "the axis of the smallest moment");
    // The spin on the principal axes is the same vector of space, and the spheres stay where they were.
    MrnVec3 spin = mrn_mat3_times(&R, mrn_load3(body->start->spin));
    close_to(mrn_norm3(mrn_sub3(spin, mrn_load3(def.angular_velocity))), 0, 1e-14, "angular velocity in space");
    for (int s = 0; s < 2; s++) {
        MrnVec3 place =
            mrn_add3(mrn_load3(body->position), mrn_mat3_times(&R, mrn_load3(model->shapes.data[s].position)));
        MrnVec3 wanted = mrn_add3(mrn_vec3(1, 2, 3), mrn_load3(parts[s].position));
        close_to(mrn_norm3(mrn_sub3(place, wanted)), 0, 1e-13, "place of a sphere");
    }
    mrn_model_free(model);
}

static void eight_small_boxes_weigh_and_turn_like_the_large_one(void **unused) {
    (void)unused;
    Draws draws = {5, 0};
    for (int trial = 0; trial < 20; trial++) {
        MrnModel *model = model_with(3, 0, 0, 0);
        double a = draw(&draws, 0.5, 2), b = draw(&draws, 0.5, 2), c = draw(&draws, 0.5, 2);
        MrnQuat turn = mrn_quat_exp(mrn_vec3(draw(&draws, -1, 1), draw(&draws, -1, 1), draw(&draws, -1, 1)));
        MrnShape parts[8];
        for (int i = 0; i < 8; i++) {
            parts[i] = box(a, b, c);
            MrnVec3 place = {i & 1 ? a : -a, i & 2 ? b : -b, i & 4 ? c : -c};
            mrn_store3(parts[i].position, mrn_quat_rotate(turn, place));
            mrn_quat_store(parts[i].rotation, turn);
        }
        MrnBodyDef def = body_at(model, parts, 0, 0, 0);
        def.shape_count = 8;
        int index = add(model, &def);
        const MrnBody *body = &model->bodies.data[index];
        double mass = 64 * a * b * c, A = 4 * a * a, B = 4 * b * b, C = 4 * c * c;
        close_to(body->mass, mass, 1e-11 * mass, "mass");
        // Principal moments in some order: the same sum, sum of squares and product.
        double wanted[3] = {mass / 3 * (B + C), mass / 3 * (A + C), mass / 3 * (A + B)}, s1 = 0, s2 = 0, s3 = 1, w1 = 0,
               w2 = 0, w3 = 1;
        for (int k = 0; k < 3; k++) {
            s1 += body->inertia[k], s2 += body->inertia[k] * body->inertia[k], s3 *= body->inertia[k];
            w1 += wanted[k], w2 += wanted[k] * wanted[k], w3 *= wanted[k];
        }
        close_to(s1, w1, 1e-12 * w1, "sum of moments");
        close_to(s2, w2, 1e-12 * w2, "sum of squared moments");
        close_to(s3, w3, 1e-12 * w3, "product of moments");
        mrn_model_free(model);
    }
}

static void principal_axes_make_any_inertia_diagonal(void **unused) {
    (void)unused;
    Draws draws = {6, 0};
    for (int trial = 0; trial < 2000; trial++) {
        double J[3][3], moments[3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                J[i][j] = J[j][i] = i == j ? draw(&draws, 2, 3) : draw(&draws, -1, 1) * (trial % 4 ? 1 : 1e-9);
        MrnMat3 R = mrn_quat_matrix(mrn_principal_axes(J, moments));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++) sum += R.m[k][i] * J[k][l] * R.m[l][j];
                close_to(sum, i == j ? moments[i] : 0, 1e-13, "R^T J R");
            }
    }
    double diagonal[3][3] = {{3, 0, 0}, {0, 1, 0}, {0, 0, 2}}, moments[3];
    MrnQuat axes = mrn_principal_axes(diagonal, moments);
    assert_true(axes.w == 1 && axes.x == 0 && axes.y == 0 && axes.z == 0 && moments[0] == 3 && moments[1] == 1 &&
                moments[2] == 2);
}

static void a_given_mass_scales_the_inertia_and_given_moments_replace_it(void **unused) {
    (void)unused;
    MrnModel *model = model_with(3, 0, 0, 0);
    MrnShape ball = sphere(2);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    def.mass = 10;
    int scaled = add(model, &def);
    def.inertia[0] = 1, def.inertia[1] = 2, def.inertia[2] = 3;
    int replaced = add(model, &def);
    for (int k = 0; k < 3; k++) {
        close_to(model->bodies.data[scaled].inertia[k], 0.4 * 10 * 4, 1e-13, "2/5 m R^2");
        close_to(model->bodies.data[replaced].inertia[k], k + 1, 0, "given moment");
    }
    def.kind = MRN_BODY_FIXED;
    assert_true(mrn_model_body_mass(model, add(model, &def)) == 0);
    mrn_model_free(model);
}

// ---- refusals ----

typedef struct Refusal {
    const char *message;
    void (*spoil)(MrnBodyDef *def, MrnShape *shape);
} Refusal;

static void no_shape(MrnBodyDef *def, MrnShape *shape) {
    (void)shape, def->shape_count = 0;
}
static void not_finite(MrnBodyDef *def, MrnShape *shape) {
    (void)shape, def->velocity[1] = NAN;
}
static void wrong_dimension(MrnBodyDef *def, MrnShape *shape) {
    (void)def, *shape = sphere(1);
}
static void no_such_material(MrnBodyDef *def, MrnShape *shape) {
    (void)def, shape->material = 4;
}
static void name_taken(MrnBodyDef *def, MrnShape *shape) {
    (void)shape, def->name = "first";
}
static void without_density(MrnBodyDef *def, MrnShape *shape) {
    (void)def, shape->material = 1;
}
static void free_half_plane(MrnBodyDef *def, MrnShape *shape) {
    (void)def, *shape = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
}

static void short_table(MrnBodyDef *def, MrnShape *shape) {
    (void)shape;
    static double table[5];
    def->kind = MRN_BODY_DRIVEN;
    def->driver = (MrnDriver){.kind = MRN_DRIVER_TABLE, .table_count = 1, .table = table};
}

static void backward_table(MrnBodyDef *def, MrnShape *shape) {
    (void)shape;
    static double table[15] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    def->kind = MRN_BODY_DRIVEN;
    def->driver = (MrnDriver){.kind = MRN_DRIVER_TABLE, .table_count = 3, .table = table};
}

static void infinite_table(MrnBodyDef *def, MrnShape *shape) {
    (void)shape;
    static double table[10] = {0, 0, 0, 0, 0, 1, INFINITY, 0, 0, 0};
    def->kind = MRN_BODY_DRIVEN;
    def->driver = (MrnDriver){.kind = MRN_DRIVER_TABLE, .table_count = 2, .table = table};
}

static void infinite_speed(MrnBodyDef *def, MrnShape *shape) {
    (void)shape;
    def->kind = MRN_BODY_DRIVEN;
    def->driver.velocity[0] = INFINITY;
}

static void bodies_that_make_no_sense_are_refused_with_their_name_and_the_reason(void **unused) {
    (void)unused;
    const Refusal refusals[] = {
        {"body 'x': no shape", no_shape},
        {"body 'x': a number is not finite", not_finite},
        {"body 'x': shape 'sphere' is for 3 dimensions, the model has 2", wrong_dimension},
        {"body 'x': shape 1 has material 4, the model has 2", no_such_material},
        {"body 'first': two bodies have this name", name_taken},
        {"body 'x': no mass: material 'air' has no density and the body gives no mass", without_density},
        {"body 'x': a free body cannot have the shape 'half-plane', which has no mass", free_half_plane},
        {"body 'x': motion: a table needs at least two rows", short_table},
        {"body 'x': motion: times of the table must increase (row 3)", backward_table},
        {"body 'x': motion: a number is not finite", infinite_table},
        {"body 'x': motion: a number is not finite", infinite_speed},
    };
    MrnModel *model = model_with(2, 0, 0, 0);
    mrn_model_add_material(model, "air", 0);
    MrnShape ball = disc(1);
    MrnBodyDef first = body_at(model, &ball, 0, 0, 0);
    first.name = "first";
    add(model, &first);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        MrnShape shape = disc(1);
        MrnBodyDef def = body_at(model, &shape, 5, 0, 0);
        def.name = "x";
        refusals[i].spoil(&def, &shape);
        MrnError error = {0};
        if (mrn_model_add_body(model, &def, &error) != -1) fail_msg("accepted, though: %s", refusals[i].message);
        assert_string_equal(error.message, refusals[i].message);
        assert_int_equal(error.code, MRN_ERROR_INPUT);
        // A refused body leaves nothing behind.
        assert_int_equal(mrn_model_body_count(model), 1);
        assert_int_equal(model->shapes.count, 1);
        assert_int_equal(model->drivers.count, 0);
    }
    mrn_model_free(model);
}

static void an_axis_without_direction_is_refused(void **unused) {
    (void)unused;
    MrnModel *model = model_with(3, 0, 0, 0);
    MrnShape ball = sphere(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    def.kind = MRN_BODY_DRIVEN;
    def.driver.axis[2] = 0;
    MrnError error = {0};
    assert_int_equal(mrn_model_add_body(model, &def, &error), -1);
    assert_string_equal(error.message, "body 1: motion: the axis has no direction");
    def.kind = MRN_BODY_FREE;
    memset(def.rotation, 0, sizeof def.rotation);
    assert_int_equal(mrn_model_add_body(model, &def, &error), -1);
    assert_string_equal(error.message, "body 1: rotation: the quaternion is zero");
    mrn_model_free(model);
}

// ---- prescribed motion ----

static int add_driven(MrnModel *model, MrnDriver driver) {
    MrnShape shape = mrn_model_dimension(model) == 2 ? disc(1) : sphere(1);
    MrnBodyDef def = body_at(model, &shape, 1, 2, 0);
    def.kind = MRN_BODY_DRIVEN;
    if (mrn_model_dimension(model) == 2) def.rotation[0] = 0.25;
    def.driver = driver;
    return add(model, &def);
}

/// Central differences of position and orientation against the velocity and the spin.
static void velocity_is_derivative(const MrnModel *model, int body, double t) {
    double e = 1e-6, x[3][3], r[3][4], v[3][3], w[3][3];
    for (int k = 0; k < 3; k++) mrn_driver_state(model, body, t + (k - 1) * e, x[k], r[k], v[k], w[k]);
    for (int k = 0; k < model->dimension; k++) close_to((x[2][k] - x[0][k]) / (2 * e), v[1][k], 2e-8, "velocity");
    if (model->dimension == 2)
        close_to((r[2][0] - r[0][0]) / (2 * e), w[1][2], 2e-8, "rate");
    else {
        // w = 2 (dq/dt) q*, vector part
        MrnQuat a = mrn_quat_load(r[0]), b = mrn_quat_load(r[2]),
                rate = {(b.w - a.w) / e, (b.x - a.x) / e, (b.y - a.y) / e, (b.z - a.z) / e};
        MrnQuat spin = mrn_quat_multiply(rate, mrn_quat_conjugate(mrn_quat_load(r[1])));
        close_to(spin.x, w[1][0], 2e-8, "spin x");
        close_to(spin.y, w[1][1], 2e-8, "spin y");
        close_to(spin.z, w[1][2], 2e-8, "spin z");
    }
}

static void the_velocity_of_a_driven_body_is_the_derivative_of_its_position(void **unused) {
    (void)unused;
    double table[20] = {0, 0, 0, 0, 0, 1, 2, 1, 0, 0.5, 3, 2, 4, 0, -0.5, 4, 0, 0, 0, 0};
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 0, 0);
        double up[3] = {0.6, 0, 0.8};
        MrnDriver drivers[3] = {
            {.kind = MRN_DRIVER_CONSTANT, .velocity = {1, -2, 0}, .angular_velocity = 0.7},
            {.kind = MRN_DRIVER_SINE,
             .amplitude = {0.1, 0.2, 0.3},
             .angular_amplitude = 0.4,
             .frequency = 1.5,
             .phase = 0.3},
            {.kind = MRN_DRIVER_TABLE, .table_count = 4, .table = table},
        };
        for (int d = 0; d < 3; d++) {
            memcpy(drivers[d].axis, up, sizeof up);
            int body = add_driven(model, drivers[d]);
            for (double t = 0.123; t < 4; t += 0.31) velocity_is_derivative(model, body, t);
        }
        mrn_model_free(model);
    }
}

static void driven_bodies_are_where_their_motion_says(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    double table[10] = {1, 0, 0, 0, 0, 3, 4, -2, 0, 1}, x[3], r[4], v[3], w[3];
    int constant =
        add_driven(model, (MrnDriver){.kind = MRN_DRIVER_CONSTANT, .velocity = {3, -1, 0}, .angular_velocity = 2});
    int sine = add_driven(
        model, (MrnDriver){.kind = MRN_DRIVER_SINE, .amplitude = {0, 0.5, 0}, .frequency = 2, .phase = M_PI / 2});
    int tabled = add_driven(model, (MrnDriver){.kind = MRN_DRIVER_TABLE, .table_count = 2, .table = table});
    memset(table, 0, sizeof table); // the model has its own copy
    mrn_driver_state(model, constant, 2, x, r, v, w);
    close_to(x[0], 7, 1e-15, "x");
    close_to(x[1], 0, 1e-15, "y");
    close_to(r[0], 4.25, 1e-15, "angle");
    mrn_driver_state(model, sine, 0.25, x, r, v, w);
    close_to(x[1], 2 + 0.5 * sin(M_PI + M_PI / 2), 1e-14, "half a period later");
    close_to(v[1], 0, 1e-14, "turning point");
    mrn_driver_state(model, tabled, 2, x, r, v, w);
    close_to(x[0], 3, 1e-15, "middle of the table");
    close_to(x[1], 1, 1e-15, "middle of the table");
    close_to(v[0], 2, 1e-15, "speed in the table");
    close_to(w[2], 0.5, 1e-15, "rate in the table");
    for (int end = 0; end < 2; end++) { // at rest outside the table
        mrn_driver_state(model, tabled, end ? 5 : -1, x, r, v, w);
        close_to(x[0], end ? 5 : 1, 0, "end of the table");
        close_to(v[0] * v[0] + v[1] * v[1] + w[2] * w[2], 0, 0, "rest");
    }
    mrn_model_free(model);
}

static void a_driven_body_starts_where_its_motion_is_at_time_zero(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 0, 0);
        MrnDriver driver = {.kind = MRN_DRIVER_SINE,
                            .amplitude = {0.5, 0, 0},
                            .angular_amplitude = 0.2,
                            .frequency = 1,
                            .phase = M_PI / 6,
                            .axis = {0, 0, 1}};
        int body = add_driven(model, driver);
        MrnState *state = mrn_state_new(model);
        close_to(state->position[dimension * body], 1 + 0.25, 1e-15, "x at time zero");
        close_to(state->velocity[dimension * body], M_PI * cos(M_PI / 6), 1e-14, "speed at time zero");
        if (dimension == 2)
            close_to(state->rotation[body], 0.25 + 0.1, 1e-15, "angle at time zero");
        else
            close_to(state->rotation[4 * body + 3], sin(0.05), 1e-15, "quaternion at time zero");
        close_to(state->spin[dimension == 2 ? 0 : 2], 0.2 * 2 * M_PI * cos(M_PI / 6), 1e-14, "rate at time zero");
        mrn_state_free(state);
        mrn_model_free(model);
    }
}

// ---- hashes and the table of fields ----

typedef struct Variant {
    double gravity, density, friction, restitution, radius, x, angle, vx, spin, force, torque, mass, birth, speed,
        phase, table_end;
    int group, kind, law_pair;
    double vertex;
    int face;
} Variant;

static uint64_t hash_of(int dimension, const Variant *v) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_set_gravity(model, (double[3]){0, v->gravity, 0});
    mrn_model_add_material(model, "a", v->density);
    mrn_model_add_material(model, "b", 1);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = v->friction;
    mrn_model_set_law(model, -1, -1, law);
    law.normal_restitution = v->restitution;
    mrn_model_set_law(model, 0, v->law_pair, law);
    MrnShape ball = dimension == 2 ? disc(v->radius) : sphere(v->radius);
    MrnBodyDef def = body_at(model, &ball, v->x, 0, 0);
    if (dimension == 2)
        def.rotation[0] = v->angle;
    else
        mrn_quat_store(def.rotation, mrn_quat_exp(mrn_vec3(0, 0, v->angle)));
    def.velocity[0] = v->vx;
    def.angular_velocity[2] = v->spin;
    def.force[1] = v->force;
    def.torque[2] = v->torque;
    def.mass = v->mass;
    def.birth = v->birth;
    def.group = v->group;
    def.kind = (MrnBodyKind)v->kind;
    add(model, &def);
    add_driven(
        model,
        (MrnDriver){
            .kind = MRN_DRIVER_SINE, .amplitude = {v->speed}, .frequency = 1, .phase = v->phase, .axis = {0, 0, 1}});
    double table[10] = {0, 0, 0, 0, 0, 1, v->table_end, 0, 0, 0};
    add_driven(model, (MrnDriver){.kind = MRN_DRIVER_TABLE, .table_count = 2, .table = table, .axis = {0, 0, 1}});
    double corners[12] = {0, 0, 0, v->vertex, 0, 0, v->vertex, 1, 0, 0, 1, 0},
           flat[8] = {0, 0, v->vertex, 0, v->vertex, 1, 0, 1};
    int triangles[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}}; // the square, cut along either diagonal
    MrnShape last = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_POLYGON : MRN_SHAPE_MESH);
    last.vertex_count = 4;
    last.vertices = dimension == 2 ? flat : corners;
    if (dimension == 3) last.face_count = 2, last.face_vertex = triangles[v->face];
    MrnBodyDef obstacle = body_at(model, &last, 0, -9, 0);
    obstacle.kind = MRN_BODY_FIXED;
    add(model, &obstacle);
    uint64_t hash = mrn_model_hash(model);
    mrn_model_free(model);
    return hash;
}

static void the_hash_of_a_model_changes_with_everything_that_changes_the_motion(void **unused) {
    (void)unused;
    const Variant base = {1,  2,    0.3, 0.4,  0.5, 6, 0.7,           8, 9,   10, 11,
                          12, 0.13, 14,  0.15, 16,  1, MRN_BODY_FREE, 0, 1.5, 0};
    for (int dimension = 2; dimension <= 3; dimension++) {
        uint64_t hash = hash_of(dimension, &base);
        assert_true(hash == hash_of(dimension, &base));
#define CHANGES(field, value)                                                                                          \
    do {                                                                                                               \
        Variant other = base;                                                                                          \
        other.field = value;                                                                                           \
        if (hash_of(dimension, &other) == hash) fail_msg("%dD: the hash does not see " #field, dimension);             \
    } while (0)
        CHANGES(gravity, 1.1);
        CHANGES(density, 2.1);
        CHANGES(friction, 0.31);
        CHANGES(restitution, 0.41);
        CHANGES(radius, 0.51);
        CHANGES(x, 6.1);
        CHANGES(angle, 0.71);
        CHANGES(vx, 8.1);
        CHANGES(spin, 9.1);
        CHANGES(force, 10.1);
        CHANGES(torque, 11.1);
        CHANGES(mass, 12.1);
        CHANGES(birth, 0.14);
        CHANGES(speed, 14.1);
        CHANGES(phase, 0.16);
        CHANGES(table_end, 16.1);
        CHANGES(group, 2);
        CHANGES(kind, MRN_BODY_FIXED);
        CHANGES(law_pair, 1);
        CHANGES(vertex, 1.6);
        if (dimension == 3) CHANGES(face, 1);
#undef CHANGES
    }
}

static void the_hash_and_the_copy_of_a_state_cover_every_field_of_its_table(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 0, 0);
        MrnShape ball = dimension == 2 ? disc(1) : sphere(1);
        for (int i = 0; i < 3; i++) {
            MrnBodyDef def = body_at(model, &ball, 3 * i, 0, 0);
            add(model, &def);
        }
        MrnState *state = mrn_state_new(model), *copy = mrn_state_new(model);
        mrn_state_reserve_memory(state, 2);
        state->memory_count = 2;
        for (size_t f = 0; f < mrn_state_field_count; f++) {
            const MrnField *field = &mrn_state_fields[f];
            if (field->count == MRN_PER_MEMORY)
                memset(*mrn_field_data(field, state), 0,
                       2 * mrn_field_width(field, dimension) * mrn_field_size(field->type));
        }
        mrn_state_copy(copy, state);
        uint64_t hash = mrn_state_hash(state);
        assert_true(hash == mrn_state_hash(copy));
        for (size_t f = 0; f < mrn_state_field_count; f++) {
            const MrnField *field = &mrn_state_fields[f];
            size_t bytes =
                mrn_field_entries(field, state) * mrn_field_width(field, dimension) * mrn_field_size(field->type);
            unsigned char *data = *mrn_field_data(field, state);
            data[bytes - 1] ^= 1;
            if (mrn_state_hash(state) == hash) fail_msg("the hash of a state does not see %s", field->name);
            mrn_state_copy(copy, state);
            if (mrn_state_hash(copy) != mrn_state_hash(state)) fail_msg("the copy of a state forgets %s", field->name);
            data[bytes - 1] ^= 1;
        }
        mrn_state_free(state);
        mrn_state_free(copy);
        mrn_model_free(model);
    }
}

static void laws_hold_for_both_orders_and_the_default_for_the_rest(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0.25, 0, 0);
    int ice = mrn_model_add_material(model, "ice", 1), steel = mrn_model_add_material(model, "steel", 1);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = 0.02;
    mrn_model_set_law(model, steel, ice, law);
    assert_true(mrn_model_law(model, ice, steel).friction == 0.02 && mrn_model_law(model, steel, ice).friction == 0.02);
    assert_true(mrn_model_law(model, ice, ice).friction == 0.25);
    law.friction = 0.03;
    mrn_model_set_law(model, ice, steel, law);
    assert_true(mrn_model_law(model, steel, ice).friction == 0.03);
    assert_int_equal(model->laws.count, 1);
    mrn_model_free(model);
}

static void bodies_without_a_name_are_called_by_their_number(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    MrnShape ball = disc(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    add(model, &def);
    def.name = "rock";
    add(model, &def);
    assert_string_equal(mrn_model_body_name(model, 0), "body 1");
    assert_string_equal(mrn_model_body_name(model, 1), "rock");
    assert_int_equal(mrn_model_find_body(model, "rock"), 1);
    assert_int_equal(mrn_model_find_body(model, "sand"), -1);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_cut_in_two_has_the_mass_centre_and_inertia_of_the_whole),
        cmocka_unit_test(two_discs_of_different_density_balance_where_the_lever_law_says),
        cmocka_unit_test(an_oblique_dumbbell_is_turned_to_its_principal_axes),
        cmocka_unit_test(eight_small_boxes_weigh_and_turn_like_the_large_one),
        cmocka_unit_test(principal_axes_make_any_inertia_diagonal),
        cmocka_unit_test(a_given_mass_scales_the_inertia_and_given_moments_replace_it),
        cmocka_unit_test(bodies_that_make_no_sense_are_refused_with_their_name_and_the_reason),
        cmocka_unit_test(an_axis_without_direction_is_refused),
        cmocka_unit_test(the_velocity_of_a_driven_body_is_the_derivative_of_its_position),
        cmocka_unit_test(driven_bodies_are_where_their_motion_says),
        cmocka_unit_test(a_driven_body_starts_where_its_motion_is_at_time_zero),
        cmocka_unit_test(the_hash_of_a_model_changes_with_everything_that_changes_the_motion),
        cmocka_unit_test(the_hash_and_the_copy_of_a_state_cover_every_field_of_its_table),
        cmocka_unit_test(laws_hold_for_both_orders_and_the_default_for_the_rest),
        cmocka_unit_test(bodies_without_a_name_are_called_by_their_number),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
