// The curvature of gaps: what a gap does in a step beyond its rate, and that fast rotating blocks do not overlap.
#include "core_support.h"

#include "collide/contact.h"

/// A body on its way: moves along a straight line and turns about a fixed axis.
typedef struct Path {
    MrnVec3 from, velocity, spin;
    MrnQuat turned;
} Path;

static MrnPose pose_at(const Path *path, double t) {
    MrnQuat turn = mrn_quat_multiply(mrn_quat_exp(mrn_scale3(0.5 * t, path->spin)), path->turned);
    return (MrnPose){mrn_axpy3(path->from, t, path->velocity), mrn_quat_matrix(turn)};
}

static MrnVec3 next_vector(Draws *draws, double size, bool flat) {
    double x = draw(draws, -size, size), y = draw(draws, -size, size), z = draw(draws, -size, size);
    return mrn_vec3(x, y, flat ? 0 : z);
}

static MrnVec3 next_turn(Draws *draws, double size, bool flat) {
    return flat ? mrn_vec3(0, 0, draw(draws, -size, size)) : next_vector(draws, size, false);
}

static const MrnContact *find(MrnCollider *collider, const Path path[2], double t, MrnPose pose[2], size_t *count) {
    static const double margins[2] = {0.1, 0.1};
    static const uint8_t active[2] = {1, 1};
    for (int b = 0; b < 2; b++) pose[b] = pose_at(&path[b], t);
    MrnConfiguration configuration = {.poses = pose, .margins = margins, .active = active};
    return mrn_collider_find(collider, &configuration, NULL, count);
}

/// Two blocks near each other on random ways: gap(h) - gap(0) - h rate must be the bend, to third order in h.
static void compare_with_motion(int dimension, int wanted[4]) {
    MrnModel *model = model_with(dimension, 0, 0, 0);
    Corners corners = rectangle(0.5, 0.3);
    MrnShape block = dimension == 2 ? polygon(4, corners.at) : box(0.5, 0.4, 0.3);
    for (int b = 0; b < 2; b++) {
        MrnBodyDef def = body_at(model, &block, 5 * b, 0, 0);
        add(model, &def);
    }
    MrnCollider *collider = mrn_collider_new(model);
    Draws draws = {5, 0};
    for (int trial = 0; trial < 4000; trial++) {
        Path path[2];
        for (int b = 0; b < 2; b++) {
            bool flat = dimension == 2;
            path[b].from = b ? mrn_vec3(0, 0, 0) : next_vector(&draws, 0.9, flat);
            path[b].velocity = next_vector(&draws, 2, flat);
            path[b].spin = next_turn(&draws, 3, flat);
            path[b].turned = mrn_quat_exp(mrn_scale3(0.5, next_turn(&draws, 3, flat)));
        }
        const double h = 1e-3;
        MrnPose pose[2];
        size_t count, later_count;
        const MrnContact *found = find(collider, path, 0, pose, &count);
        if (count == 0 || count > 8) continue;
        MrnContact contacts[8];
        memcpy(contacts, found, count * sizeof *contacts);
        MrnPose later_pose[2];
        const MrnContact *later = find(collider, path, h, later_pose, &later_count);
        for (size_t c = 0; c < count; c++) {
            const MrnContact *contact = &contacts[c];
            if (contact->gap < -0.05 || contact->carrier == 0) continue;
            size_t k = 0;
            while (k < later_count && later[k].feature != contact->feature) k++;
            if (k == later_count || later[k].carrier != contact->carrier) continue;
            MrnVec3 at = mrn_load3(contact->position), n = mrn_load3(contact->normal), point[2];
            for (int b = 0; b < 2; b++)
                point[b] = mrn_add3(path[b].velocity, mrn_cross3(path[b].spin, mrn_sub3(at, pose[b].position)));
            double rate = mrn_dot3(n, mrn_sub3(point[0], point[1]));
            double bend = mrn_contact_bend(contact, &pose[0], path[0].velocity, path[0].spin, &pose[1],
                                           path[1].velocity, path[1].spin, h);
            if (bend == 0) continue; // edges that are nearly parallel
            double beyond = later[k].gap - contact->gap - h * rate;
            // The terms in h^2 reach 30 h^2. Beside h^3 there are products with the gap, and edges at small angles.
            double tolerance = contact->carrier == MRN_NORMAL_OF_EDGES ? 60 : 20;
            if (fabs(beyond - bend) > tolerance * h * h * (fabs(contact->gap) + 30 * h))
                fail_msg("%dD, trial %d, carrier %d, gap %g m: %g m beyond the rate, wanted %g m", dimension, trial,
                         contact->carrier, contact->gap, beyond, bend);
            wanted[contact->carrier]++;
        }
    }
    mrn_collider_free(collider);
    mrn_model_free(model);
}

static void gaps_bend_as_their_bodies_turn(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        int seen[4] = {0};
        compare_with_motion(dimension, seen);
        assert_true(seen[MRN_NORMAL_OF_A] > 50 && seen[MRN_NORMAL_OF_B] > 50);
        assert_true(dimension == 2 || seen[MRN_NORMAL_OF_EDGES] > 50);
    }
}

// ---- in motion ----

/// A plate turns about its middle and carries a block outwards: the block slides along a side that turns.
static void a_block_on_a_turning_plate_does_not_sink_in(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    Corners long_corners = rectangle(2, 0.05), short_corners = rectangle(0.1, 0.1);
    MrnShape plate = polygon(4, long_corners.at), block = polygon(4, short_corners.at);
    MrnBodyDef def = body_at(model, &plate, 0, 0, 0);
    def.kind = MRN_BODY_DRIVEN;
    def.driver.angular_velocity = 10;
    add(model, &def);
    def = body_at(model, &block, 0.3, 0.15, 0);
    int body = add(model, &def);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    if (!world) fail_msg("%s", error.message);
    double deepest = 0, fastest = 0; // after the blow with which the plate starts
    for (int k = 0; k < 150; k++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, &error));
        if (k > 16) deepest = fmax(deepest, info.penetration);
        fastest = fmax(fastest, info.max_speed);
    }
    // It slides at metres per second, so the side comes towards it by 2 omega v h^2 / 2 = 1e-4 m in every step.
    assert_true(fastest > 5);
    assert_true(mrn_world_position(world, body)[0] != 0.3);
    if (deepest > 2e-6) fail_msg("sinks in by %g m", deepest);
    mrn_world_free(world);
    mrn_model_free(model);
}

/// Blocks rush together from all sides, turning: corners come over edges and edges run along each other within one
/// step. Looking only where they are leaves overlaps of 7e-4 of their size in the plane and 2e-3 in space.
static void blocks_that_rush_together_do_not_overlap(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0.5, 0, 0);
        Corners corners = rectangle(0.05, 0.05);
        MrnShape block = dimension == 2 ? polygon(4, corners.at) : box(0.05, 0.05, 0.05);
        Draws draws = {9, 0};
        int side = dimension == 2 ? 10 : 5, layers = dimension == 2 ? 1 : side;
        for (int k = 0; k < side * side * layers; k++) {
            double middle = 0.5 * (side - 1), x[3] = {k % side - middle, k / side % side - middle, 0};
            if (dimension == 3) x[2] = k / side / side - middle;
            MrnBodyDef def = body_at(model, &block, 0.18 * x[0], 0.18 * x[1], 0.18 * x[2]);
            for (int axis = 0; axis < dimension; axis++) def.velocity[axis] = -x[axis];
            for (int axis = dimension == 2 ? 2 : 0; axis < 3; axis++) def.angular_velocity[axis] = draw(&draws, -8, 8);
            add(model, &def);
        }
        MrnScheme scheme = mrn_scheme_defaults();
        scheme.time_step = 1e-3;
        MrnError error = {0};
        MrnWorld *world = mrn_world_new(model, &scheme, &error);
        if (!world) fail_msg("%s", error.message);
        double deepest = 0;
        for (int k = 0; k < 250; k++) {
            MrnStepInfo info = {0};
            if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
            deepest = fmax(deepest, info.penetration);
        }
        print_message("%dD: deepest overlap %.1e of the size\n", dimension, deepest / 0.1);
        assert_true(deepest < 5e-4 * 0.1);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_bend_as_their_bodies_turn),
        cmocka_unit_test(a_block_on_a_turning_plate_does_not_sink_in),
        cmocka_unit_test(blocks_that_rush_together_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
