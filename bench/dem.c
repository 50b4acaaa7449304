// Speed of smooth contacts: balls in a box, at rest and in motion, linear and Hertz forces.
//
// usage: dem [--count N] [--force linear|hertz] [--state settled|flowing|both] [--steps K] [--threads T] [--settle S]
//            [--tilt S] [--write FILE]
//
// Makes the bed first: balls of 2.25 to 2.75 mm fall a little and come to rest (settled, after S seconds; default: a
// time that grows with the root of the height); for `flowing` gravity is then tilted by 45 degrees for 0.1 s. Then
// times K sub-steps of 5 us and prints one line with particle-steps per second of processor time. --write writes the
// bed before the timed part to FILE.settled or FILE.flowing, one ball per line (x y z radius vx vy vz wx wy wz), so
// that other codes can be timed on the same bed (bench/dem_peers).
#include "base/random.h"
#include "model/model.h"
#include "step/stepper.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP      5e-6
#define RADIUS    2.5e-3
#define FRICTION  0.5
#define BOUNCE    0.3
#define STIFFNESS 1e4
#define YOUNG     5e7
#define POISSON   0.25
#define DENSITY   2500.0
#define GRAVITY   9.81
enum { PER_STEP = 100 }; ///< sub-steps in a step of the world

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_wall(MrnModel *model, double x, double y, double z, const double rotation[4]) {
    MrnBodyDef def = mrn_body_defaults(3);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_PLANE);
    def.kind = MRN_BODY_FIXED;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    memcpy(def.rotation, rotation, sizeof def.rotation);
    def.shapes = &shape, def.shape_count = 1;
    mrn_model_add_body(model, &def, NULL);
}

/// Box with its lower corner at the origin, and a lattice of balls above its floor.
static MrnModel *new_bed(int count, double *side) {
    MrnModel *model = mrn_model_new(3);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = FRICTION, law.normal_restitution = BOUNCE;
    mrn_model_set_gravity(model, (double[]){0, 0, -GRAVITY});
    mrn_model_add_material(model, "glass", DENSITY);
    mrn_model_set_law(model, -1, -1, law);
    int across = (int)ceil(cbrt(count));
    double spacing = 2 * 1.1 * RADIUS * 1.01, h = sqrt(0.5);
    *side = across * spacing;
    add_wall(model, 0, 0, 0, (double[]){1, 0, 0, 0});
    add_wall(model, 0, 0, 0, (double[]){h, 0, h, 0});      // normal +x
    add_wall(model, *side, 0, 0, (double[]){h, 0, -h, 0}); // -x
    add_wall(model, 0, 0, 0, (double[]){h, -h, 0, 0});     // +y
    add_wall(model, 0, *side, 0, (double[]){h, h, 0, 0});  // -y
    for (int i = 0; i < count; i++) {
        MrnBodyDef def = mrn_body_defaults(3);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
        shape.radius = mrn_random_between(1, (uint64_t)i, 0, 0.9 * RADIUS, 1.1 * RADIUS);
        def.shapes = &shape, def.shape_count = 1;
        int place[3] = {i % across, i / across % across, i / across / across};
        for (int k = 0; k < 3; k++)
            def.position[k] = spacing * (place[k] + 0.5) + mrn_random_between(2, (uint64_t)i, (uint64_t)k, -1e-5, 1e-5);
        mrn_model_add_body(model, &def, NULL);
    }
    return model;
}

static void fail(const char *message) {
    fprintf(stderr, "dem: %s\n", message);
    exit(1);
}

static MrnStepInfo advance(MrnWorld *world, long steps) {
    MrnStepInfo info = {0};
    MrnError error = {0};
    for (long k = 0; k < steps; k++)
        if (!mrn_world_step(world, &info, &error)) fail(error.message);
    return info;
}

static MrnWorld *new_world(const MrnModel *model, bool hertz, int threads) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.stepper = "dem";
    scheme.threads = threads;
    scheme.time_step = PER_STEP * STEP;
    scheme.dem.step = STEP;
    scheme.dem.impact_speed = 1;
    if (hertz)
        scheme.dem.model = MRN_DEM_HERTZ_MINDLIN, scheme.dem.young_modulus = YOUNG, scheme.dem.poisson_ratio = POISSON;
    else
        scheme.dem.normal_stiffness = STIFFNESS;
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    if (!world) fail(error.message);
    return world;
}

static void write_bed(const char *base, MrnWorld *world, const MrnModel *model, double side, bool flowing) {
    char path[1000];
    snprintf(path, sizeof path, "%s.%s", base, flowing ? "flowing" : "settled");
    FILE *out = fopen(path, "w");
    if (!out) fail("cannot write the bed");
    fprintf(out, "# box %.17g gravity %.17g %.17g %.17g\n", side, flowing ? GRAVITY * sqrt(0.5) : 0.0, 0.0,
            flowing ? -GRAVITY * sqrt(0.5) : -GRAVITY);
    for (size_t b = 5; b < model->bodies.count; b++) {
        const double *x = mrn_world_position(world, (int)b), *v = mrn_world_velocity(world, (int)b);
        MrnVec3 w =
            mrn_quat_rotate(mrn_quat_load(mrn_world_rotation(world, (int)b)), mrn_load3(mrn_world_spin(world, (int)b)));
        fprintf(out, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2],
                model->shapes.data[model->bodies.data[b].first_shape].radius, v[0], v[1], v[2], w.x, w.y, w.z);
    }
    fclose(out);
}

static void time_steps(MrnWorld *world, int count, const char *force, const char *state, int threads, long steps) {
    double begin = cpu_now(), lists = 0;
    long whole = (steps + PER_STEP - 1) / PER_STEP;
    MrnStepInfo info = {0};
    for (long k = 0; k < whole; k++) {
        info = advance(world, 1);
        lists += info.seconds_detect;
    }
    double cpu = cpu_now() - begin, done = (double)whole * PER_STEP * count;
    printf("RESULT code=moraine count=%d force=%s state=%s threads=%d steps=%ld cpu=%.4g particle-steps/s=%.4g "
           "ns=%.4g contacts=%lld speed=%.3g overlap=%.3g lists=%.3g\n",
           count, force, state, threads, whole * PER_STEP, cpu, done / cpu, 1e9 * cpu / done, (long long)info.contacts,
           info.max_speed, info.penetration, lists);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int count = 1000, threads = 1;
    long steps = 2000;
    double settle = -1, tilt = 0.1;
    const char *force = "linear", *state = "settled", *path = NULL;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) fail("an option without its value; see the head of bench/dem.c");
        if (strcmp(argv[i], "--count") == 0)
            count = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--force") == 0)
            force = argv[i + 1];
        else if (strcmp(argv[i], "--state") == 0)
            state = argv[i + 1];
        else if (strcmp(argv[i], "--steps") == 0)
            steps = atol(argv[i + 1]);
        else if (strcmp(argv[i], "--threads") == 0)
            threads = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--settle") == 0)
            settle = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--tilt") == 0)
            tilt = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--write") == 0)
            path = argv[i + 1];
        else
            fail("unknown option; see the head of bench/dem.c");
    }
    bool both = strcmp(state, "both") == 0;
    bool hertz = strcmp(force, "hertz") == 0, flowing = both || strcmp(state, "flowing") == 0;
    double side;
    MrnModel *model = new_bed(count, &side);
    MrnWorld *world = new_world(model, hertz, threads);
    advance(world, (long)((settle >= 0 ? settle : 0.1 + 0.6 * sqrt(side)) / (PER_STEP * STEP)));
    if (both || !flowing) {
        if (path) write_bed(path, world, model, side, false);
        time_steps(world, count, force, "settled", threads, steps);
    }
    if (flowing) {
        mrn_model_set_gravity(model, (double[]){GRAVITY * sqrt(0.5), 0, -GRAVITY * sqrt(0.5)});
        advance(world, (long)(tilt / (PER_STEP * STEP)));
        if (path) write_bed(path, world, model, side, true);
        time_steps(world, count, force, "flowing", threads, steps);
    }
    mrn_world_free(world);
    mrn_model_free(model);
    return 0;
}
