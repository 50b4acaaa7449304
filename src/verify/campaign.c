// Scenes and runs of the sedimentation and drum campaigns.
//
// The thesis works with forces and velocities divided by 1 + e: see active_set.c. Its step of SAL and IBP, rho = m/h,
// is not unique for two sizes of grains; ours is 1 over the largest diagonal entry of the contact's block. Initial
// places and velocities are not published: a lattice, and up to 0.1 m/s.
#include "verify/campaign.h"

#include "base/clock.h"
#include "base/random.h"
#include "model/state.h"
#include "step/stepper.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY     9.80665
#define DRUM        0.05  // m, radius of the drum
#define WIDTH       0.012 // m, of the box
#define HEIGHT      0.022
#define MOST_SWEEPS 5000 ///< of a published method in a step

const char *const mrn_campaign_methods[MRN_CAMPAIGN_METHODS] = {"epdas", "ipdas", "sal", "ibp"};
const int mrn_campaign_sizes[MRN_CAMPAIGN_SIZES] = {100, 200, 400, 800, 1600};

const MrnCampaign mrn_campaigns[2] = {
    {"sedimentation",
     false,
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
     true,
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

static int add(MrnModel *model, MrnBodyKind kind, MrnShape shape, double x, double y, double angle, double spin) {
    MrnBodyDef def = mrn_body_defaults(2);
    def.kind = kind;
    def.shapes = &shape, def.shape_count = 1;
    def.position[0] = x, def.position[1] = y, def.rotation[0] = angle;
    if (kind == MRN_BODY_DRIVEN) def.driver.kind = MRN_DRIVER_CONSTANT, def.driver.angular_velocity = spin;
    return mrn_model_add_body(model, &def, NULL); // discs, rings and half-planes of positive size are always good
}

static int add_grain(MrnModel *model, double radius, double x, double y) {
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC);
    disc.radius = radius;
    return add(model, MRN_BODY_FREE, disc, x, y, 0, 0);
}

/// Grains of two sizes on a lattice in a box of 12 by 22 mm, with random velocities.
static void make_sedimentation(MrnModel *model, int size) {
    static const double small[MRN_CAMPAIGN_SIZES] = {2.5e-4, 2.5e-4, 1.2e-4, 1.2e-4, 6e-5},
                        large[MRN_CAMPAIGN_SIZES] = {5e-4, 4.5e-4, 2.6e-4, 2.3e-4, 1.3e-4};
    MrnShape wall = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    add(model, MRN_BODY_FIXED, wall, 0, 0, 0, 0);
    add(model, MRN_BODY_FIXED, wall, 0, 0, -M_PI / 2, 0);
    add(model, MRN_BODY_FIXED, wall, WIDTH, 0, M_PI / 2, 0);
    add(model, MRN_BODY_FIXED, wall, 0, HEIGHT, M_PI, 0);
    double cell = 2.1 * large[size];
    int columns = (int)(WIDTH / cell);
    for (int i = 0; i < mrn_campaign_sizes[size]; i++) {
        bool big = mrn_random_unit(1, (uint64_t)i, 0) < 0.5;
        add_grain(model, big ? large[size] : small[size], (i % columns + 0.5) * WIDTH / columns,
                  (i / columns + 0.5) * cell);
    }
}

/// Equal balls on a lattice in the lower part of a drum of radius 5 cm that turns at 40 rpm.
static void make_drum(MrnModel *model, int size) {
    const double radius = 2.7e-3 * sqrt(100.0 / mrn_campaign_sizes[size]), cell = 2.05 * radius;
    MrnShape ring = mrn_shape_defaults(MRN_SHAPE_RING);
    ring.radius = DRUM;
    add(model, MRN_BODY_DRIVEN, ring, 0, 0, 0, 40 * 2 * M_PI / 60);
    int placed = 0;
    for (double y = -DRUM + 1.1 * radius; placed < mrn_campaign_sizes[size]; y += cell)
        for (double x = -DRUM; x < DRUM && placed < mrn_campaign_sizes[size]; x += cell)
            if (hypot(x, y) < DRUM - 1.02 * radius) add_grain(model, radius, x, y), placed++;
}

static void set_solver(MrnScheme *scheme, const MrnCampaign *campaign, int method, double residual, char *options,
                       size_t size) {
    double h = MRN_CAMPAIGN_TIME_STEP;
    if (method == MRN_CAMPAIGN_DEFAULT) {
        scheme->solver.tolerance = residual;
        return;
    }
    int length = snprintf(options, size, "local=%s,still=%.17g",
                          mrn_campaign_methods[method == MRN_CAMPAIGN_GAMMA ? 0 : method], campaign->accuracy * h);
    if (method != MRN_CAMPAIGN_GAMMA)
        snprintf(options + length, size - (size_t)length, ",gamma_normal=%.17g,gamma_tangent=%.17g",
                 campaign->gamma_normal * h / (1 + campaign->restitution),
                 campaign->gamma_tangent * h / (1 + campaign->tangential_restitution));
    scheme->solver.solver = "nlgs-assembled";
    scheme->solver.options = options;
    scheme->solver.tolerance = 1; // stop by `still`
    scheme->solver.max_iterations = MOST_SWEEPS;
    scheme->warm_start = false; // as published
}

static void look_at_grains(const MrnCampaign *campaign, const MrnWorld *world, int first, int count, double *turn,
                           int *escaped) {
    double x = 0, y = 0;
    *escaped = 0;
    for (int b = first; b < first + count; b++) {
        const double *at = mrn_world_position(world, b);
        x += at[0], y += at[1];
        bool inside =
            campaign->drum ? hypot(at[0], at[1]) < DRUM : at[0] > 0 && at[0] < WIDTH && at[1] > 0 && at[1] < HEIGHT;
        *escaped += !inside;
    }
    *turn = atan2(fabs(x), -y);
}

static MrnModel *make_model(const MrnCampaign *campaign, int size) {
    MrnModel *model = mrn_model_new(2);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = campaign->friction;
    law.normal_restitution = campaign->restitution;
    law.tangential_restitution = campaign->tangential_restitution;
    mrn_model_set_law(model, -1, -1, law);
    mrn_model_set_gravity(model, (double[3]){0, -GRAVITY, 0});
    mrn_model_add_material(model, "grain", campaign->drum ? 8000 : 2600);
    (campaign->drum ? make_drum : make_sedimentation)(model, size);
    return model;
}

static MrnWorld *make_world(const MrnCampaign *campaign, int size, MrnModel *model, const MrnScheme *scheme,
                            MrnError *error) {
    MrnWorld *world = mrn_world_new(model, scheme, error);
    int count = mrn_campaign_sizes[size], first = (int)mrn_model_body_count(model) - count;
    for (int b = first; world && !campaign->drum && b < first + count; b++)
        mrn_world_set_velocity(world, b,
                               (double[]){mrn_random_between(2, (uint64_t)b, 0, -0.1, 0.1),
                                          mrn_random_between(2, (uint64_t)b, 1, -0.1, 0.1)},
                               NULL);
    return world;
}

MrnState *mrn_campaign_start(const MrnCampaign *campaign, int size, double lead, MrnError *error) {
    MrnModel *model = make_model(campaign, size);
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 10 * MRN_CAMPAIGN_TIME_STEP;
    scheme.activation = MRN_ACTIVATION_MOREAU;
    scheme.solver.tolerance = 1e-4;
    MrnWorld *world = make_world(campaign, size, model, &scheme, error);
    bool good = world != NULL;
    while (good && mrn_world_time(world) < lead - 0.5 * scheme.time_step) good = mrn_world_step(world, NULL, error);
    MrnState *state = NULL;
    if (good) {
        state = mrn_state_new(model);
        mrn_state_copy(state, mrn_world_state(world));
    }
    mrn_world_free(world);
    mrn_model_free(model);
    return state;
}

bool mrn_campaign_run(const MrnCampaign *campaign, int size, int method, double residual, double duration,
                      const MrnState *start, MrnCampaignOutcome *outcome, MrnError *error) {
    MrnModel *model = make_model(campaign, size);
    char options[300];
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = MRN_CAMPAIGN_TIME_STEP;
    scheme.activation = MRN_ACTIVATION_MOREAU;
    set_solver(&scheme, campaign, method, residual, options, sizeof options);
    *outcome = (MrnCampaignOutcome){0};
    MrnWorld *world = make_world(campaign, size, model, &scheme, error);
    int count = mrn_campaign_sizes[size], first = (int)mrn_model_body_count(model) - count;
    if (world && start) {
        mrn_state_copy(mrn_world_state(world), start);
        mrn_world_state_changed(world);
    }
    MrnStepInfo info;
    double logarithms = 0, turns = 0, begin = world ? mrn_world_time(world) : 0;
    int64_t with_contacts = 0, late = 0;
    bool good = world != NULL;
    while (good && mrn_world_time(world) < begin + duration - 0.5 * MRN_CAMPAIGN_TIME_STEP) {
        double cpu = mrn_cpu_seconds();
        good = mrn_world_step(world, &info, error);
        if (!good) break;
        cpu = mrn_cpu_seconds() - cpu;
        outcome->iterations += (double)info.sweeps;
        if (info.seconds_total > 0) outcome->seconds += cpu * info.seconds_solve / info.seconds_total;
        outcome->contacts += (double)info.contacts, outcome->steps++;
        outcome->penetration = fmax(outcome->penetration, info.penetration);
        if (info.time > begin + 0.9 * duration)
            outcome->final_penetration = fmax(outcome->final_penetration, info.penetration);
        outcome->kinetic = info.kinetic_energy;
        outcome->largest_kinetic = fmax(outcome->largest_kinetic, info.kinetic_energy);
        // A published method stops by the change of its impulses: at the cap its residual may still be small.
        outcome->capped += method != MRN_CAMPAIGN_DEFAULT ? info.sweeps >= MOST_SWEEPS : info.status != MRN_SOLVED;
        if (info.contacts) logarithms += log(fmax(info.residual, 1e-17)), with_contacts++;
        double turn;
        look_at_grains(campaign, world, first, count, &turn, &outcome->escaped);
        if (info.time > begin + 0.5 * duration) turns += turn, late++;
    }
    if (outcome->steps) outcome->contacts /= (double)outcome->steps;
    outcome->residual = with_contacts ? exp(logarithms / (double)with_contacts) : 0;
    outcome->slope = late ? turns / (double)late : 0;
    mrn_world_free(world);
    mrn_model_free(model);
    return good;
}
