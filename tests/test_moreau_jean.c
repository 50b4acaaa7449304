// The stepper against closed forms: flight, collisions, friction, moving obstacles, births, energy, piles that rest.
#include "core_support.h"

#include "step/world.h"

static void free_flight_is_exact_for_any_step(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int s = 0; s < 3; s++) {
            double h = (double[]){1e-3, 0.037, 0.5}[s], g = 9.81;
            MrnModel *model = model_with(dimension, 0, 0, g);
            MrnShape ball = dimension == 2 ? disc(0.5) : sphere(0.5);
            MrnBodyDef def = body_at(model, &ball, 1, 2, 3);
            def.velocity[0] = 3, def.velocity[1] = 4, def.velocity[2] = 5;
            def.angular_velocity[2] = 0.7;
            def.force[0] = 0.5;
            def.mass = 2;
            int b = add(model, &def);
            MrnScheme scheme = scheme_of(h, 1e-8);
            MrnWorld *world = start(model, &scheme);
            for (int i = 0; i < 40; i++) {
                MrnStepInfo info = step(world);
                double t = (i + 1) * h;
                const double *x = mrn_world_position(world, b), *v = mrn_world_velocity(world, b);
                close_to(x[0], 1 + 3 * t + 0.125 * t * t, 1e-12 * (1 + t * t), "x");
                close_to(x[dimension - 1], (dimension == 2 ? 2 + 4 * t : 3 + 5 * t) - 0.5 * g * t * t,
                         1e-12 * (1 + g * t * t), "height");
                close_to(v[0], 3 + 0.25 * t, 1e-12 * (1 + t), "speed");
                close_to(info.time, t, 1e-13 * (1 + t), "time");
                // The angle, from the quaternion in space.
                const double *r = mrn_world_rotation(world, b);
                double angle = dimension == 2 ? r[0] : 2 * atan2(r[3], r[0]);
                close_to(remainder(angle - 0.7 * t, 2 * M_PI), 0, 1e-11, "angle");
            }
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

/// A box of random bodies that fly, collide, slide and spin.
static MrnModel *random_scene(int dimension, int count, double mu, double restitution, double gravity, uint64_t seed) {
    Draws draws = {seed, 0};
    MrnModel *model = model_with(dimension, mu, restitution, gravity);
    MrnPairLaw law = model->default_law;
    law.tangential_restitution = 0.5 * restitution;
    mrn_model_set_law(model, -1, -1, law);
    int side = (int)ceil(pow(count, 1.0 / dimension));
    if (gravity > 0) add_ground(model, -1);
    for (int i = 0; i < count; i++) {
        double r = draw(&draws, 0.2, 0.48);
        Corners flat = rectangle(0.7 * r, 0.5 * r);
        MrnShape shape;
        if (dimension == 2)
            shape = i % 2 ? disc(r) : polygon(4, flat.at);
        else
            shape = i % 2 ? sphere(r) : box(0.7 * r, 0.5 * r, 0.3 * r);
        MrnBodyDef def = body_at(model, &shape, i % side, i / side % side, dimension == 3 ? i / side / side : 0);
        for (int k = 0; k < dimension; k++) def.velocity[k] = draw(&draws, -2, 2);
        for (int k = dimension == 2 ? 2 : 0; k < 3; k++) def.angular_velocity[k] = draw(&draws, -3, 3);
        def.torque[2] = draw(&draws, -0.01, 0.01);
        add(model, &def);
    }
    return model;
}

/// A heavy ball hits the first of a row of light ones at rest, with room between them that none of these would look
/// across by itself: the push goes through all of them in the step of the blow.
static void a_blow_reaches_bodies_that_nobody_came_near_to(void **unused) {
    (void)unused;
    enum { ROW = 4 };
    const double radius = 0.1, room = 0.002, speed = 5, h = 1e-3;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 0, 0);
        MrnShape ball = dimension == 2 ? disc(radius) : sphere(radius);
        MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
        def.velocity[0] = speed, def.mass = 1000;
        int first = add(model, &def);
        for (int k = 1; k <= ROW; k++) {
            MrnBodyDef light = body_at(model, &ball, 0.023 + k * (2 * radius + room), 0, 0);
            light.mass = 1;
            add(model, &light);
        }
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        double deepest = 0;
        for (int k = 0; k < 20; k++) deepest = fmax(deepest, step(world).penetration);
        below(deepest, 1e-6 * radius, "overlap");
        // Momentum is kept, and without rebound all end at one speed.
        close_to(mrn_world_velocity(world, first)[0], speed * 1000 / (1000 + ROW), 1e-6, "speed");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void the_energy_identity_holds_to_rounding(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int variant = 0; variant < 4; variant++) {
            MrnModel *model = random_scene(dimension, 40, variant % 2 ? 0.4 : 0, variant / 2 ? 0.6 : 0,
                                           variant == 3 ? 0 : 9.81, (uint64_t)(20 + variant));
            MrnScheme scheme = scheme_of(2e-3, 1e-8);
            MrnWorld *world = start(model, &scheme);
            int64_t touching = 0;
            double before = 0, dissipated = 0, unused_potential;
            mrn_world_energy(world, &before, &unused_potential);
            for (int i = 0; i < 300; i++) {
                MrnStepInfo info = step(world);
                touching += info.touching;
                below(fabs(info.energy_defect), 1e-12 * (info.kinetic_energy + before + fabs(info.potential_energy)),
                      "energy defect, J");
                dissipated += info.dissipated_energy;
                before = info.kinetic_energy;
            }
            assert_true(dissipated > 0.1 * before);
            assert_true(touching > 20);
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

/// Linear momentum, and angular momentum about the origin, in space.
static void momentum(const MrnWorld *world, const MrnModel *model, double linear[3], double angular[3]) {
    memset(linear, 0, 3 * sizeof(double));
    memset(angular, 0, 3 * sizeof(double));
    int dimension = model->dimension;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        const double *x = mrn_world_position(world, (int)b), *v = mrn_world_velocity(world, (int)b),
                     *w = mrn_world_spin(world, (int)b);
        MrnVec3 r = {x[0], x[1], dimension == 3 ? x[2] : 0},
                p = {body->mass * v[0], body->mass * v[1], dimension == 3 ? body->mass * v[2] : 0};
        MrnVec3 l = mrn_cross3(r, p);
        if (dimension == 2)
            l.z += body->inertia[2] * w[0];
        else
            l = mrn_add3(l, mrn_quat_rotate(
                                mrn_quat_load(mrn_world_rotation(world, (int)b)),
                                mrn_vec3(body->inertia[0] * w[0], body->inertia[1] * w[1], body->inertia[2] * w[2])));
        linear[0] += p.x, linear[1] += p.y, linear[2] += p.z;
        angular[0] += l.x, angular[1] += l.y, angular[2] += l.z;
    }
}

static void collisions_keep_linear_and_angular_momentum(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        // Polygons in the plane; spheres in space, whose inertia needs no gyroscopic term.
        Draws draws = {31, 0};
        MrnModel *model = model_with(dimension, 0.4, 0.5, 0);
        int side = dimension == 2 ? 6 : 4, count = dimension == 2 ? 36 : 64;
        for (int i = 0; i < count; i++) {
            Corners flat = rectangle(0.4, 0.25);
            MrnShape shape = dimension == 2 ? (i % 2 ? disc(0.45) : polygon(4, flat.at)) : sphere(0.45);
            MrnBodyDef def = body_at(model, &shape, i % side, i / side % side, dimension == 3 ? i / side / side : 0);
            for (int k = 0; k < dimension; k++) def.velocity[k] = draw(&draws, -3, 3);
            for (int k = dimension == 2 ? 2 : 0; k < 3; k++) def.angular_velocity[k] = draw(&draws, -3, 3);
            add(model, &def);
        }
        MrnScheme scheme = scheme_of(1e-3, 1e-8);
        MrnWorld *world = start(model, &scheme);
        double p0[3], l0[3], p1[3], l1[3];
        momentum(world, model, p0, l0);
        int64_t touching = 0;
        for (int i = 0; i < 300; i++) touching += step(world).touching;
        assert_true(touching > 30);
        momentum(world, model, p1, l1);
        for (int k = 0; k < 3; k++) {
            close_to(p1[k], p0[k], 1e-12 * count, "linear momentum");
            close_to(l1[k], l0[k], 1e-11 * count, "angular momentum");
        }
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

/// Bend of the gap of contact c over the last step, with the velocities of its start.
static double bend_of(const MrnWorld *world, const double *linear, const double *turning, size_t c) {
    const MrnContact *contact = &world->contacts[c];
    size_t bodies[2] = {(size_t)contact->body_a, (size_t)contact->body_b};
    bool plane = mrn_model_dimension(world->model) == 2;
    MrnVec3 velocity[2], spin[2];
    for (int k = 0; k < 2; k++) {
        const double *v = linear + bodies[k] * (plane ? 2 : 3), *w = turning + bodies[k] * (plane ? 1 : 3);
        velocity[k] = mrn_vec3(v[0], v[1], plane ? 0 : v[2]);
        spin[k] = plane ? mrn_vec3(0, 0, w[0]) : mrn_mat3_times(&world->poses[bodies[k]].rotation, mrn_load3(w));
    }
    return mrn_contact_bend(contact, &world->poses[bodies[0]], velocity[0], spin[0], &world->poses[bodies[1]],
                            velocity[1], spin[1], world->scheme.time_step);
}

static void every_contact_obeys_the_law_at_every_step(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double mu = 0.35;
        MrnModel *model = random_scene(dimension, 60, mu, 0, 9.81, 55);
        MrnScheme scheme = scheme_of(2e-3, 1e-9);
        scheme.solver.solver = "auto"; // sweeps alone creep towards some of these solutions
        MrnWorld *world = start(model, &scheme);
        size_t bodies = (size_t)mrn_model_body_count(model), spins = bodies * (dimension == 2 ? 1 : 3);
        double *velocity = mrn_alloc(bodies * (size_t)dimension, sizeof(double)),
               *spin = mrn_alloc(spins, sizeof(double));
        int status[3] = {0};
        for (int i = 0; i < 400; i++) {
            memcpy(velocity, world->state->velocity, bodies * (size_t)dimension * sizeof(double));
            memcpy(spin, world->state->spin, spins * sizeof(double));
            MrnStepInfo info = step(world);
            if (info.status != MRN_SOLVED)
                fail_msg("step %d: %s after %d sweeps, residual %g", i,
                         mrn_solve_status_name((MrnSolveStatus)info.status), (int)info.sweeps, info.scaled_residual);
            double largest = 0, fastest = 5;
            for (size_t c = 0; c < mrn_world_contact_count(world); c++)
                largest = fmax(largest, mrn_world_contact(world, c).normal_impulse);
            for (size_t c = 0; c < mrn_world_contact_count(world); c++) {
                MrnContactView view = mrn_world_contact(world, c);
                MrnVec3 n = mrn_load3(view.normal), u = mrn_load3(view.velocity), p = mrn_load3(view.impulse);
                double un = mrn_dot3(u, n), pn = mrn_dot3(p, n);
                MrnVec3 ut = mrn_axpy3(u, -un, n), pt = mrn_axpy3(p, -pn, n);
                status[view.status]++;
                close_to(mrn_norm3(n), 1, 1e-12, "length of a normal");
                assert_true(pn >= -1e-12 * largest);
                below(mrn_norm3(pt), mu * pn + 1e-9 * largest, "friction");
                // Signorini with the gap: u_n >= -gap/h, and an impulse only where that is an equality or less
                // (recovery of overlaps).
                double gap = fmax(view.gap, 0) + bend_of(world, velocity, spin, c);
                below(-un - gap / scheme.time_step, 1e-5 * fastest, "approach beyond the gap");
                if (pn > 1e-3 * largest && view.gap > 2e-6)
                    below(fabs(un + gap / scheme.time_step), 1e-4 * fastest, "pushed before it touches");
                // Sliding is opposed by the whole friction.
                if (mrn_norm3(ut) > 1e-3 && pn > 1e-3 * largest)
                    below(mrn_norm3(ut) * mu * pn + mrn_dot3(ut, pt), 1e-4 * mrn_norm3(ut) * mu * pn,
                          "sliding not opposed by friction");
            }
        }
        assert_true(status[0] > 10 && status[1] > 100 && status[2] > 100);
        free(velocity);
        free(spin);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void sliding_block_stops_after_the_distance_coulomb_gives(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double mu = 0.3, g = 10, v = 2, h = 1e-3;
        MrnModel *model = model_with(dimension, mu, 0, g);
        add_ground(model, 0);
        Corners flat = rectangle(0.5, 0.2);
        MrnShape shape = dimension == 2 ? polygon(4, flat.at) : box(0.5, 0.5, 0.2);
        MrnBodyDef def = body_at(model, &shape, 0, dimension == 2 ? 0.2 : 0, 0.2);
        def.velocity[0] = dimension == 2 ? v : 0.6 * v;
        if (dimension == 3) def.velocity[1] = 0.8 * v;
        int b = add(model, &def);
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        double distance = v * v / (2 * mu * g), dissipated = 0;
        for (int i = 0; i < 1000; i++) dissipated += step(world).dissipated_energy;
        const double *x = mrn_world_position(world, b);
        double went = dimension == 2 ? x[0] : hypot(x[0], x[1]);
        // The last step ends within mu g h of rest: the distance is exact up to that.
        close_to(went, distance, 0.5 * mu * g * h * h + 1e-6, "distance");
        if (dimension == 3) close_to(x[1] / x[0], 0.8 / 0.6, 1e-6, "direction");
        close_to(dissipated, 0.5 * mrn_model_body_mass(model, b) * v * v, 1e-6, "all kinetic energy became heat");
        close_to(x[dimension - 1], 0.2, 1e-6, "height");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_disc_rolls_down_an_incline_and_slides_when_it_is_steep(void **unused) {
    (void)unused;
    // Rolling: a = g sin(a) / (1 + k); needs tan(a) <= mu (1 + k) / k. Beyond: a = g (sin a - mu cos a). k = 1/2
    // (disc), 2/5 (sphere).
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int steep = 0; steep < 2; steep++) {
            double mu = 0.3, g = 9.81, k = dimension == 2 ? 0.5 : 0.4, a = steep ? 1.1 : 0.4, h = 1e-3, t = 0.5;
            MrnModel *model = model_with(dimension, mu, 0, 0);
            double gravity[3] = {g * sin(a), dimension == 2 ? -g * cos(a) : 0, dimension == 3 ? -g * cos(a) : 0};
            mrn_model_set_gravity(model, gravity);
            add_ground(model, 0);
            MrnShape ball = dimension == 2 ? disc(0.3) : sphere(0.3);
            MrnBodyDef def = body_at(model, &ball, 0, dimension == 2 ? 0.3 : 0, 0.3);
            int b = add(model, &def);
            MrnScheme scheme = scheme_of(h, 1e-10);
            MrnWorld *world = start(model, &scheme);
            for (int i = 0; i < (int)(t / h + 0.5); i++) step(world);
            double wanted = steep ? g * (sin(a) - mu * cos(a)) : g * sin(a) / (1 + k);
            close_to(mrn_world_velocity(world, b)[0], wanted * t, 1e-6, "speed along the incline");
            close_to(mrn_world_position(world, b)[0], 0.5 * wanted * t * t, 1e-6, "way along the incline");
            double w = dimension == 2 ? -mrn_world_spin(world, b)[0]
                                      : mrn_quat_rotate(mrn_quat_load(mrn_world_rotation(world, b)),
                                                        mrn_load3(mrn_world_spin(world, b)))
                                            .y;
            close_to(w * 0.3, steep ? mu * g * cos(a) / k * t : wanted * t, 1e-6, "spin");
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

/// A body on a driven floor.
static MrnModel *floor_scene(int dimension, double mu, MrnDriver driver, const MrnShape *shape, double height,
                             double rise) {
    MrnModel *model = model_with(dimension, mu, 0, 10);
    Corners flat = rectangle(50, 1);
    MrnShape floor = dimension == 2 ? polygon(4, flat.at) : box(50, 50, 1);
    MrnBodyDef def = body_at(model, &floor, 0, dimension == 2 ? -1 : 0, -1);
    def.kind = MRN_BODY_DRIVEN;
    def.driver = driver;
    def.driver.axis[2] = 1;
    add(model, &def);
    MrnBodyDef load = body_at(model, shape, 0, dimension == 2 ? height : 0, height);
    load.velocity[dimension - 1] = rise;
    add(model, &load);
    return model;
}

static void a_conveyor_accelerates_its_load_to_its_own_speed(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double mu = 0.25, v = 1, h = 1e-3;
        Corners flat = rectangle(0.5, 0.2);
        MrnShape shape = dimension == 2 ? polygon(4, flat.at) : box(0.5, 0.4, 0.2);
        MrnModel *model =
            floor_scene(dimension, mu, (MrnDriver){.kind = MRN_DRIVER_CONSTANT, .velocity = {v, 0, 0}}, &shape, 0.2, 0);
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        double work = 0, dissipated = 0;
        for (int i = 0; i < 800; i++) {
            MrnStepInfo info = step(world);
            work += info.driver_work;
            dissipated += info.dissipated_energy;
            if (i == 199) close_to(mrn_world_velocity(world, 1)[0], mu * 10 * 0.2, 1e-6, "speed while it slips");
        }
        double m = mrn_model_body_mass(model, 1);
        close_to(mrn_world_velocity(world, 1)[0], v, 1e-7, "speed at the end");
        // Way of the load: v^2/(2 mu g) while it slips, then with the belt.
        close_to(mrn_world_position(world, 1)[0], v * v / (2 * mu * 10) + v * (0.8 - v / (mu * 10)), 1e-4,
                 "way of the load");
        close_to(work, m * v * v, 1e-4 * m, "work of the belt: half into motion, half into heat");
        close_to(dissipated, 0.5 * m * v * v, 1e-4 * m, "heat");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_vibrated_plate_throws_its_load_when_it_falls_faster_than_g(void **unused) {
    (void)unused;
    // Plate A sin(w t), from rest position upwards; the load leaves where A w^2 sin(w t) = g and flies a parabola.
    double A = 0.02, f = 5, w = 2 * M_PI * f, h = 1e-4, g = 10;
    MrnShape ball = disc(0.1);
    MrnModel *model = floor_scene(2, 0.3, (MrnDriver){.kind = MRN_DRIVER_SINE, .amplitude = {0, A, 0}, .frequency = f},
                                  &ball, 0.1, A * w);
    MrnScheme scheme = scheme_of(h, 1e-10);
    MrnWorld *world = start(model, &scheme);
    double leave = asin(g / (A * w * w)) / w, y0 = A * sin(w * leave), v0 = A * w * cos(w * leave), worst = 0;
    for (int i = 0; i < 1000; i++) {
        step(world);
        double t = (i + 1) * h, y = mrn_world_position(world, 1)[1] - 0.1;
        double flight = t < leave ? A * sin(w * t) : y0 + v0 * (t - leave) - 0.5 * g * (t - leave) * (t - leave);
        if (flight < A * sin(w * t) - 1e-9) break; // landed
        worst = fmax(worst, fabs(y - flight));
        assert_true(y > A * sin(w * t) - 1e-5);
    }
    below(worst, 20 * h * A * w, "deviation from the parabola, m"); // first order in h: the step in which it leaves
    mrn_world_free(world);
    mrn_model_free(model);

    // Below A w^2 = g it never leaves.
    f = 2;
    w = 2 * M_PI * f;
    model = floor_scene(2, 0.3, (MrnDriver){.kind = MRN_DRIVER_SINE, .amplitude = {0, A, 0}, .frequency = f}, &ball,
                        0.1, A * w);
    scheme = scheme_of(1e-3, 1e-10);
    world = start(model, &scheme);
    for (int i = 0; i < 1000; i++) {
        step(world);
        double t = (i + 1) * 1e-3;
        close_to(mrn_world_position(world, 1)[1] - 0.1, A * sin(w * t), 1e-5, "height of the load that stays");
    }
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_rotating_drum_carries_a_grain_up_to_the_angle_of_friction(void **unused) {
    (void)unused;
    // A grain with rolling held off (huge moment of inertia) is carried up to atan(mu) and stays there, sliding.
    for (int dimension = 2; dimension <= 3; dimension++) {
        double mu = 0.4, R = 1, r = 0.05, h = 1e-3, rate = 0.3;
        MrnModel *model = model_with(dimension, mu, 0, 10);
        if (dimension == 3) mrn_model_set_gravity(model, (double[3]){0, -10, 0}); // the axis of a tube is z
        MrnShape drum = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_RING : MRN_SHAPE_TUBE);
        drum.radius = R;
        drum.half[2] = 1;
        MrnBodyDef def = body_at(model, &drum, 0, 0, 0);
        def.kind = MRN_BODY_DRIVEN;
        def.driver = (MrnDriver){.kind = MRN_DRIVER_CONSTANT, .angular_velocity = rate, .axis = {0, 0, 1}};
        add(model, &def);
        MrnShape grain = dimension == 2 ? disc(r) : sphere(r);
        MrnBodyDef load = body_at(model, &grain, 0, -(R - r), 0);
        for (int k = 0; k < 3; k++) load.inertia[k] = 1e6;
        load.velocity[0] = rate * R;
        add(model, &load);
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        double early = 0, mean = 0, highest = 0, period = 2 * M_PI * sqrt((R - r) / 10 * cos(atan(mu)));
        int first = 2000, last = first + (int)(4 * period / h);
        for (int i = 0; i < last; i++) {
            step(world);
            double angle = atan2(mrn_world_position(world, 1)[0], -mrn_world_position(world, 1)[1]);
            if (i == 499) early = angle;
            if (i >= first) mean += angle / (last - first);
            highest = fmax(highest, angle);
        }
        // While it sticks, the contact point moves with the drum and the grain does not turn: angle of the centre * (R
        // - r) = rate t R.
        close_to(early * (R - r), rate * 0.5 * R, 2e-3, "carried with the drum");
        // Then it swings about the angle of friction, at most as fast as the drum.
        close_to(mean, atan(mu), 0.01, "mean angle where it slides");
        below(highest, atan(mu) + 1.1 * rate * R / (R - r) * period / (2 * M_PI), "highest angle");
        close_to(hypot(mrn_world_position(world, 1)[0], mrn_world_position(world, 1)[1]), R - r, 1e-5, "on the wall");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void bodies_appear_at_their_time_and_then_fall(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0.3, 0, 10);
        add_ground(model, 0);
        MrnShape ball = dimension == 2 ? disc(0.1) : sphere(0.1);
        for (int i = 0; i < 5; i++) {
            MrnBodyDef def = body_at(model, &ball, 0.3 * i, dimension == 2 ? 2 : 0, 2);
            def.birth = 0.05 * i;
            add(model, &def);
        }
        double h = 1e-3;
        MrnScheme scheme = scheme_of(h, 1e-9);
        MrnWorld *world = start(model, &scheme);
        for (int s = 1; s <= 300; s++) {
            step(world);
            for (int i = 0; i < 5; i++) {
                double t = s * h - 0.05 * i, y = mrn_world_position(world, 1 + i)[dimension - 1];
                // Rounding of the time may delay a birth by one step.
                double early = 2 - 5 * fmax(t, 0) * fmax(t, 0), late = 2 - 5 * fmax(t - h, 0) * fmax(t - h, 0);
                if (y < early - 1e-9 || y > late + 1e-9)
                    fail_msg("step %d, body %d at %.12g, wanted %.12g to %.12g", s, i, y, early, late);
            }
        }
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void the_theta_scheme_damps_nothing_in_flight_but_positions(void **unused) {
    (void)unused;
    // theta = 1: velocities are as exact as with 1/2, the way gains h t g / 2 downwards.
    MrnModel *model = model_with(2, 0, 0, 10);
    MrnShape ball = disc(0.5);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    add(model, &def);
    MrnScheme scheme = scheme_of(0.01, 1e-9);
    scheme.theta = 1;
    MrnWorld *world = start(model, &scheme);
    for (int i = 0; i < 100; i++) step(world);
    close_to(mrn_world_velocity(world, 0)[1], -10, 1e-12, "speed");
    close_to(mrn_world_position(world, 0)[1], -5 - 0.5 * 10 * 0.01, 1e-11, "height");
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_gyroscope_precesses_at_the_rate_of_eulers_equations(void **unused) {
    (void)unused;
    // Torque-free symmetric top: on body axes the transverse spin turns at (I3 - I1)/I1 w3.
    MrnModel *model = model_with(3, 0, 0, 0);
    MrnShape flat = box(1, 1, 0.25);
    MrnBodyDef def = body_at(model, &flat, 0, 0, 0);
    def.angular_velocity[0] = 0.2, def.angular_velocity[2] = 2;
    add(model, &def);
    const MrnBody *body = &model->bodies.data[0];
    double rate = (body->inertia[2] - body->inertia[0]) / body->inertia[0] * 2, h = 1e-4, t = 1;
    MrnScheme scheme = scheme_of(h, 1e-9);
    MrnWorld *world = start(model, &scheme);
    double p0[3], l0[3], p1[3], l1[3];
    momentum(world, model, p0, l0);
    for (int i = 0; i < (int)(t / h + 0.5); i++) step(world);
    momentum(world, model, p1, l1);
    const double *w = mrn_world_spin(world, 0);
    close_to(w[0], 0.2 * cos(rate * t), 1e-4, "first component");
    close_to(w[1], 0.2 * sin(rate * t), 1e-4, "second component");
    close_to(w[2], 2, 1e-4, "spin about the axis");
    for (int k = 0; k < 3; k++) close_to(l1[k], l0[k], 2e-4 * fabs(l0[2]), "angular momentum in space");
    mrn_world_free(world);
    mrn_model_free(model);
}

static void elastic_and_dead_impacts_follow_newton(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int e = 0; e <= 2; e++)
            for (int activation = 0; activation < 2; activation++) {
                double rho = 0.5 * e, m1 = 1, m2 = 3;
                MrnModel *model = model_with(dimension, 0, rho, 0);
                MrnShape ball = dimension == 2 ? disc(0.5) : sphere(0.5);
                MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
                def.velocity[0] = 2;
                def.mass = m1;
                add(model, &def);
                def.position[0] = 1.5;
                def.velocity[0] = -1;
                def.mass = m2;
                add(model, &def);
                MrnScheme scheme = scheme_of(1e-3, 1e-12);
                scheme.activation = activation ? MRN_ACTIVATION_MOREAU : MRN_ACTIVATION_GAP;
                MrnWorld *world = start(model, &scheme);
                for (int i = 0; i < 400; i++) step(world);
                double centre = (m1 * 2 - m2 * 1) / (m1 + m2);
                close_to(mrn_world_velocity(world, 0)[0], centre - rho * m2 / (m1 + m2) * 3, 1e-9, "first ball");
                close_to(mrn_world_velocity(world, 1)[0], centre + rho * m1 / (m1 + m2) * 3, 1e-9, "second ball");
                mrn_world_free(world);
                mrn_model_free(model);
            }
}

static void rolling_resistance_stops_a_disc_and_holds_it_on_a_gentle_slope(void **unused) {
    (void)unused;
    // The couple l p_n takes l g / (R (1 + k)) from a rolling body; on a slope it holds while tan(a) < l / R.
    for (int dimension = 2; dimension <= 3; dimension++) {
        double R = 0.5, l = 0.05, g = 10, k = dimension == 2 ? 0.5 : 0.4, v = 1, h = 1e-3;
        MrnModel *model = model_with(dimension, 0.6, 0, g);
        MrnPairLaw law = model->default_law;
        law.rolling_length = l;
        mrn_model_set_law(model, -1, -1, law);
        add_ground(model, 0);
        MrnShape ball = dimension == 2 ? disc(R) : sphere(R);
        MrnBodyDef def = body_at(model, &ball, 0, dimension == 2 ? R : 0, R);
        def.velocity[0] = v;
        def.angular_velocity[dimension == 2 ? 2 : 1] = dimension == 2 ? -v / R : v / R;
        int b = add(model, &def);
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        double a = l * g / (R * (1 + k)), dissipated = 0;
        for (int i = 0; i < 500; i++) {
            MrnStepInfo info = step(world);
            dissipated += info.dissipated_energy;
            below(fabs(info.energy_defect), 1e-12, "energy defect, J");
        }
        close_to(mrn_world_velocity(world, b)[0], v - a * 0.5, 1e-6, "speed");
        double m = mrn_model_body_mass(model, b), w = v - a * 0.5;
        close_to(dissipated, 0.5 * m * (1 + k) * (v * v - w * w), 1e-5 * m, "energy taken");
        for (int i = 0; i < 2000; i++) step(world);
        close_to(mrn_world_velocity(world, b)[0], 0, 1e-9, "at rest");
        close_to(mrn_world_position(world, b)[0], v * v / (2 * a), 1e-5, "way until it stops");
        mrn_world_free(world);
        // On slopes of 0.8 and 1.25 times the limit.
        for (int steep = 0; steep < 2; steep++) {
            double angle = atan((steep ? 1.25 : 0.8) * l / R);
            mrn_model_set_gravity(model, (double[3]){g * sin(angle), dimension == 2 ? -g * cos(angle) : 0,
                                                     dimension == 3 ? -g * cos(angle) : 0});
            MrnStart still = *model->bodies.data[b].start;
            still.velocity[0] = 0;
            memset(still.spin, 0, sizeof still.spin);
            mrn_body_set_start(&model->bodies.data[b], dimension, &still);
            world = start(model, &scheme);
            for (int i = 0; i < 300; i++) step(world);
            double wanted = steep ? (g * sin(angle) - l / R * g * cos(angle)) / (1 + k) * 0.3 : 0;
            close_to(mrn_world_velocity(world, b)[0], wanted, 1e-7, "speed on the slope");
            mrn_world_free(world);
        }
        mrn_model_free(model);
    }
}

static void a_block_on_grooved_ground_is_braked_differently_along_and_across(void **unused) {
    (void)unused;
    double g = 10, h = 1e-3, along = 0.1, across = 0.5;
    for (int direction = 0; direction < 2; direction++) {
        MrnModel *model = model_with(3, along, 0, g);
        MrnPairLaw law = model->default_law;
        law.cross_friction = across;
        law.friction_axis[0] = cos(0.5), law.friction_axis[1] = sin(0.5), law.friction_axis[2] = 0;
        mrn_model_set_law(model, -1, -1, law);
        add_ground(model, 0);
        MrnShape shape = sphere(0.5);
        MrnBodyDef def = body_at(model, &shape, 0, 0, 0.5);
        for (int k = 0; k < 3; k++) def.inertia[k] = 1e9; // does not roll
        MrnVec3 v = direction ? mrn_vec3(-sin(0.5), cos(0.5), 0) : mrn_vec3(cos(0.5), sin(0.5), 0);
        mrn_store3(def.velocity, mrn_scale3(2, v));
        int b = add(model, &def);
        MrnScheme scheme = scheme_of(h, 1e-10);
        MrnWorld *world = start(model, &scheme);
        for (int i = 0; i < 300; i++) step(world);
        double mu = direction ? across : along;
        close_to(mrn_dot3(mrn_load3(mrn_world_velocity(world, b)), v), 2 - mu * g * 0.3, 1e-6, "speed");
        close_to(mrn_norm3(mrn_load3(mrn_world_velocity(world, b))), 2 - mu * g * 0.3, 1e-6, "it goes straight");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void moreaus_activation_rests_a_block_as_well(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0.5, 0, 10);
        add_ground(model, 0);
        Corners flat = rectangle(0.5, 0.2);
        MrnShape shape = dimension == 2 ? polygon(4, flat.at) : box(0.5, 0.4, 0.2);
        MrnBodyDef def = body_at(model, &shape, 0, dimension == 2 ? 0.3 : 0, 0.3); // falls 0.1
        int b = add(model, &def);
        MrnScheme scheme = scheme_of(1e-3, 1e-10);
        scheme.activation = MRN_ACTIVATION_MOREAU;
        MrnWorld *world = start(model, &scheme);
        double landed = 0;
        for (int i = 0; i < 1000; i++) {
            step(world);
            if (i == 200) landed = mrn_world_position(world, b)[dimension - 1];
        }
        // The overlap of the step in which it lands stays: at most one step of its fall, and it does not drift.
        assert_true(landed <= 0.2 + 1e-9 && landed > 0.2 - 1.5 * 1e-3 * sqrt(2 * 10 * 0.1));
        close_to(mrn_world_position(world, b)[dimension - 1], landed, 1e-9, "no drift");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight_is_exact_for_any_step),
        cmocka_unit_test(the_energy_identity_holds_to_rounding),
        cmocka_unit_test(collisions_keep_linear_and_angular_momentum),
        cmocka_unit_test(every_contact_obeys_the_law_at_every_step),
        cmocka_unit_test(sliding_block_stops_after_the_distance_coulomb_gives),
        cmocka_unit_test(a_disc_rolls_down_an_incline_and_slides_when_it_is_steep),
        cmocka_unit_test(a_conveyor_accelerates_its_load_to_its_own_speed),
        cmocka_unit_test(a_vibrated_plate_throws_its_load_when_it_falls_faster_than_g),
        cmocka_unit_test(a_rotating_drum_carries_a_grain_up_to_the_angle_of_friction),
        cmocka_unit_test(bodies_appear_at_their_time_and_then_fall),
        cmocka_unit_test(the_theta_scheme_damps_nothing_in_flight_but_positions),
        cmocka_unit_test(a_gyroscope_precesses_at_the_rate_of_eulers_equations),
        cmocka_unit_test(elastic_and_dead_impacts_follow_newton),
        cmocka_unit_test(a_blow_reaches_bodies_that_nobody_came_near_to),
        cmocka_unit_test(rolling_resistance_stops_a_disc_and_holds_it_on_a_gentle_slope),
        cmocka_unit_test(a_block_on_grooved_ground_is_braked_differently_along_and_across),
        cmocka_unit_test(moreaus_activation_rests_a_block_as_well),
    };
    return cmocka_run_group_tests_name("moreau_jean", tests, NULL, NULL);
}
