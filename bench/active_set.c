// The sedimentation and drum campaigns of Cherkaoui (sections 3.5.3 and 3.5.4): cost of the local methods EPDAS, IPDAS,
// SAL and IBP inside Gauss-Seidel, with the columns of the thesis beside ours.
//
//   active_set [sedimentation|drum] [LARGEST N] [SECONDS]      default: both, 200 bodies, 1 s simulated as published
//
// Iterations are sweeps summed over all steps; CPU is the processor time of the contact solves. The thesis gives
// absolute seconds of a machine it does not name: compare ratios. Its step of SAL and IBP, rho = m/h, is not unique for
// two sizes of grains; ours is 1 over the largest diagonal entry of the contact's block. A last row, not in the
// thesis, is the default solver at the same residual that EPDAS reached.
#include "base/clock.h"
#include "base/random.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY   9.80665
#define TIME_STEP 1e-4

enum { METHODS = 4, SIZES = 5 };
static const char *const methods[METHODS] = {"epdas", "ipdas", "sal", "ibp"};
static const int sizes[SIZES] = {100, 200, 400, 800, 1600};

typedef struct Campaign {
    const char *name;
    double restitution, tangential_restitution, friction;
    double gamma_normal, gamma_tangent, accuracy; ///< force form, as published
    double iterations[METHODS][SIZES], seconds[METHODS][SIZES];
} Campaign;

static const Campaign campaigns[] = {
    {"sedimentation",
     1,
     1,
     0.2,
     1e-4,
     1e-9,
     1e-6,
     {{67726, 89347, 95995, 147445, 25578301},
      {67121, 85663, 99765, 142802, 23836195},
      {326121, 363596, 442943, 144305, 2648147},
      {106194, 120975, 138970, 83404, 1978658}},
     {{2.59, 8.41, 28.34, 107.91, 12298.42},
      {2.56, 8.39, 28.35, 105.41, 11515.38},
      {22.29, 44.21, 87.29, 182.14, 18673.19},
      {13.75, 33.53, 65.86, 186.39, 16798.55}}},
    {"drum",
     0.6,
     1,
     0.22,
     1e-8,
     1e-8,
     1e-5,
     {{1680882, 2020349, 4069672, 5114280, 9422476},
      {1674177, 1933869, 4036740, 5036011, 9999666},
      {7836547, 8566285, 19607909, 15600032, 32656132},
      {1101849, 1340917, 4121136, 3688553, 8375264}},
     {{69.49, 163.92, 677.21, 1817.41, 7492.30},
      {68.81, 153.25, 657.01, 1804.86, 7867.88},
      {337.16, 755.55, 3663.25, 6055.49, 27425.82},
      {124.92, 259.37, 1941.16, 3232.92, 16740.52}}},
};

static void must(bool good, const MrnError *error) {
    if (good) return;
    fprintf(stderr, "active_set: %s\n", error->message);
    exit(1);
}

static int add(MrnModel *model, MrnBodyKind kind, MrnShape shape, double x, double y, double angle, double spin) {
    MrnError error = {0};
    MrnBodyDef def = mrn_body_defaults(2);
    def.kind = kind;
    def.shapes = &shape, def.shape_count = 1;
    def.position[0] = x, def.position[1] = y, def.rotation[0] = angle;
    if (kind == MRN_BODY_DRIVEN) def.driver.kind = MRN_DRIVER_CONSTANT, def.driver.angular_velocity = spin;
    int body = mrn_model_add_body(model, &def, &error);
    must(body >= 0, &error);
    return body;
}

static int add_grain(MrnModel *model, double radius, double x, double y) {
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC);
    disc.radius = radius;
    return add(model, MRN_BODY_FREE, disc, x, y, 0, 0);
}

/// Grains of two sizes on a lattice in a box of 12 by 22 mm, with random velocities.
static void make_sedimentation(MrnModel *model, int size) {
    static const double small[SIZES] = {2.5e-4, 2.5e-4, 1.2e-4, 1.2e-4, 6e-5},
                        large[SIZES] = {5e-4, 4.5e-4, 2.6e-4, 2.3e-4, 1.3e-4};
    const double width = 0.012;
    MrnShape wall = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    add(model, MRN_BODY_FIXED, wall, 0, 0, 0, 0);
    add(model, MRN_BODY_FIXED, wall, 0, 0, -M_PI / 2, 0);
    add(model, MRN_BODY_FIXED, wall, width, 0, M_PI / 2, 0);
    add(model, MRN_BODY_FIXED, wall, 0, 0.022, M_PI, 0);
    double cell = 2.1 * large[size];
    int columns = (int)(width / cell), per_row = 0;
    for (int i = 0; i < sizes[size]; i++, per_row++) {
        bool big = mrn_random_unit(1, (uint64_t)i, 0) < 0.5;
        add_grain(model, big ? large[size] : small[size], (i % columns + 0.5) * width / columns,
                  (i / columns + 0.5) * cell);
    }
}

/// Equal balls on a lattice in the lower part of a drum of radius 5 cm that turns at 40 rpm.
static void make_drum(MrnModel *model, int size) {
    const double drum = 0.05, radius = 2.7e-3 * sqrt(100.0 / sizes[size]), cell = 2.05 * radius;
    MrnShape ring = mrn_shape_defaults(MRN_SHAPE_RING);
    ring.radius = drum;
    add(model, MRN_BODY_DRIVEN, ring, 0, 0, 0, 40 * 2 * M_PI / 60);
    int placed = 0;
    for (double y = -drum + 1.1 * radius; placed < sizes[size]; y += cell)
        for (double x = -drum; x < drum && placed < sizes[size]; x += cell)
            if (hypot(x, y) < drum - 1.02 * radius) add_grain(model, radius, x, y), placed++;
}

typedef struct Outcome {
    double iterations, seconds, penetration, residual;
    int64_t unsolved;
} Outcome;

static Outcome run(const Campaign *campaign, int size, const char *local, double residual, double duration) {
    MrnModel *model = mrn_model_new(2);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = campaign->friction;
    law.normal_restitution = campaign->restitution;
    law.tangential_restitution = campaign->tangential_restitution;
    mrn_model_set_law(model, -1, -1, law);
    mrn_model_set_gravity(model, (double[3]){0, -GRAVITY, 0});
    bool sediment = campaign == &campaigns[0];
    mrn_model_add_material(model, "grain", sediment ? 2600 : 8000);
    if (sediment)
        make_sedimentation(model, size);
    else
        make_drum(model, size);
    MrnScheme scheme = mrn_scheme_defaults();
    char options[300];
    scheme.time_step = TIME_STEP;
    scheme.activation = MRN_ACTIVATION_MOREAU;
    scheme.recovery = 0;
    scheme.warm_start = false; // as published
    if (local) {
        snprintf(options, sizeof options, "local=%s,still=%.17g,gamma_normal=%.17g,gamma_tangent=%.17g", local,
                 campaign->accuracy * TIME_STEP, campaign->gamma_normal * TIME_STEP / (1 + campaign->restitution),
                 campaign->gamma_tangent * TIME_STEP / (1 + campaign->tangential_restitution));
        scheme.solver.solver = "nlgs-assembled";
        scheme.solver.options = options;
        scheme.solver.tolerance = 1;
        scheme.solver.max_iterations = 5000;
    } else {
        scheme.solver.tolerance = residual;
        scheme.warm_start = true;
    }
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    must(world, &error);
    if (sediment)
        for (int b = 4; b < 4 + sizes[size]; b++)
            mrn_world_set_velocity(world, b,
                                   (double[]){mrn_random_between(2, (uint64_t)b, 0, -0.1, 0.1),
                                              mrn_random_between(2, (uint64_t)b, 1, -0.1, 0.1)},
                                   NULL);
    Outcome outcome = {0};
    MrnStepInfo info;
    double residuals = 0;
    int64_t contacts = 0;
    while (mrn_world_time(world) < duration - 0.5 * TIME_STEP) {
        must(mrn_world_step(world, &info, &error), &error);
        outcome.iterations += (double)info.sweeps;
        outcome.seconds += info.seconds_solve;
        outcome.penetration = fmax(outcome.penetration, info.penetration);
        if (info.contacts) residuals += log(fmax(info.residual, 1e-17)), contacts++;
        outcome.unsolved += info.status == MRN_MAX_ITERATIONS;
    }
    outcome.residual = contacts ? exp(residuals / (double)contacts) : 0;
    mrn_world_free(world);
    mrn_model_free(model);
    return outcome;
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "";
    int largest = argc > 2 ? atoi(argv[2]) : 200;
    double duration = argc > 3 ? atof(argv[3]) : 1;
    for (size_t c = 0; c < 2; c++) {
        const Campaign *campaign = &campaigns[c];
        if (*which && strcmp(which, campaign->name)) continue;
        printf("%s, %g s simulated, step %g s\n", campaign->name, duration, TIME_STEP);
        printf("%5s  %-6s %11s %9s %9s | %11s %9s | %9s %9s | %11s %9s %8s\n", "N", "method", "iterations", "CPU s",
               "CPU/EPDAS", "thesis it.", "CPU s", "CPU/EPDAS", "it/EPDAS", "penetration", "residual", "capped");
        for (int s = 0; s < SIZES && sizes[s] <= largest; s++) {
            Outcome first = {0};
            for (int m = 0; m <= METHODS; m++) {
                Outcome o = run(campaign, s, m < METHODS ? methods[m] : NULL, first.residual, duration);
                if (m == 0) first = o;
                if (m < METHODS)
                    printf("%5d  %-6s %11.0f %9.2f %9.2f | %11.0f %9.2f | %9.2f %9.2f | %11.2e %9.1e %8lld\n", sizes[s],
                           methods[m], o.iterations, o.seconds, o.seconds / first.seconds, campaign->iterations[m][s],
                           campaign->seconds[m][s], campaign->seconds[m][s] / campaign->seconds[0][s],
                           o.iterations / first.iterations, o.penetration, o.residual, (long long)o.unsolved);
                else
                    printf("%5d  %-6s %11.0f %9.2f %9.2f | %11s %9s | %9s %9.2f | %11.2e %9.1e %8lld\n", sizes[s],
                           "auto", o.iterations, o.seconds, o.seconds / first.seconds, "", "", "",
                           o.iterations / first.iterations, o.penetration, o.residual, (long long)o.unsolved);
                fflush(stdout);
            }
        }
    }
    return 0;
}
