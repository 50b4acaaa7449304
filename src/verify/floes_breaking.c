// Breaking of floes at impact: an impact whose critical speed is known, and what a break keeps.
//
// A wedge of mass m hits a plate of mass M, thickness h and width L in the middle of its side. The contact loses
// (1 - e^2) u^2 m M / (2 (m + M)); each side takes half; the crack through the middle costs G h L. So
// u_c^2 = 4 G h L (m + M) / ((1 - e^2) m M).
#include "model/life.h"
#include "verify/cases.h"
#include "verify/floes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double energy = 15, thickness = 0.8, width = 20, length = 30, density = 900, restitution = 0.5;

static int add_floe(MrnModel *model, const double *vertices, size_t count, double x, double speed, double spin) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = count;
    shape.vertices = (double *)(uintptr_t)vertices;
    MrnBodyDef def = mrn_body_defaults(2);
    def.thickness = thickness;
    def.position[0] = x;
    def.velocity[0] = speed;
    def.angular_velocity[2] = spin;
    def.shape_count = 1, def.shapes = &shape;
    return mrn_model_add_body(model, &def, NULL);
}

/// The two floes, with their tip 2 m from the plate.
static MrnModel *two_floes(double speed, double spin) {
    const double wedge[] = {-12, -3, -1, -3, 0, 0, -1, 3, -12, 3};
    const double plate[] = {0, -length / 2, width, -length / 2, width, length / 2, 0, length / 2};
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, restitution, 0));
    mrn_model_set_volume_density(model, 0, density);
    add_floe(model, wedge, 5, -2, speed, 0);
    add_floe(model, plate, 4, 0, 0, spin);
    return model;
}

/// Mass, momentum, angular momentum about (40, -30), kinetic energy.
static void totals(MrnWorld *world, double out[5]) {
    const MrnModel *model = mrn_world_model(world);
    const MrnState *state = mrn_world_state(world);
    memset(out, 0, 5 * sizeof *out);
    for (size_t b = 0; b < state->body_count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        const double *x = state->position + 2 * b, *v = state->velocity + 2 * b, w = state->spin[b];
        if (!state->active[b]) continue;
        out[0] += body->mass;
        for (int k = 0; k < 2; k++) out[1 + k] += body->mass * v[k];
        out[3] += body->mass * ((x[0] - 40) * v[1] - (x[1] + 30) * v[0]) + body->inertia[2] * w;
        out[4] += 0.5 * (body->mass * (v[0] * v[0] + v[1] * v[1]) + body->inertia[2] * w * w);
    }
}

/// Run until well after the impact; the largest relative changes of the totals into `worst`, all but energy, which is
/// less the dissipation.
static bool run(MrnVerifyReport *report, MrnSmall *small, double until, double worst[5], double *fracture,
                int64_t *broken) {
    double scale[5], start[5];
    totals(small->world, start);
    // Momenta are measured by those of the wedge at its start.
    for (int k = 0; k < 5; k++) scale[k] = start[k];
    scale[2] = scale[1], scale[3] = 50 * scale[1];
    memset(worst, 0, 5 * sizeof *worst);
    *fracture = 0, *broken = 0;
    double dissipated = 0;
    while (mrn_world_time(small->world) < until) {
        MrnStepInfo info;
        if (!mrn_small_step(report, small, &info)) return false;
        double now[5];
        totals(small->world, now);
        dissipated += info.dissipated_energy;
        *fracture += info.fracture_energy;
        *broken += info.broken;
        for (int k = 0; k < 5; k++)
            worst[k] = fmax(worst[k], fabs(now[k] - start[k] + (k == 4 ? dissipated : 0)) / fabs(scale[k]));
    }
    return true;
}

static const char *const kept[] = {"mass", "momentum x", "momentum y", "angular momentum", "energy account"};

void mrn_case_floe_breaking(MrnVerifyReport *report) {
    double wedge = density * thickness * (11 * 6 + 3), plate = density * thickness * width * length,
           lost = energy * thickness * width;
    double critical = sqrt(4 * lost * (wedge + plate) / ((1 - restitution * restitution) * wedge * plate));
    mrn_measure(report, critical, "critical speed [m/s]");
    static const char *const steppers[] = {"event-driven", "moreau-jean"};
    for (int s = 0; s < 2; s++) {
        const double margin = 1e-6;
        for (int above = 0; above < 2; above++) {
            MrnScheme scheme = mrn_floe_scheme(0.25, MRN_CONTACTS_ACTIVE);
            scheme.stepper = steppers[s];
            scheme.solver.tolerance = 1e-13;
            scheme.breaking.energy = energy;
            scheme.breaking.smallest = 50;
            MrnSmall small =
                mrn_small_start(report, two_floes(critical * (above ? 1 + margin : 1 - margin), 0), &scheme);
            double worst[5], fracture;
            int64_t broken;
            if (small.world && run(report, &small, 40, worst, &fracture, &broken)) {
                mrn_check(report, above, (double)broken, 0, "%s, speed %s the critical one by 1e-6: plates broken",
                          steppers[s], above ? "above" : "below");
                if (above) {
                    mrn_check(report, lost, fracture, 1e-9 * lost, "%s, fracture energy [J]", steppers[s]);
                    for (int k = 0; k < 5; k++)
                        mrn_check_at_most(report, 1e-12, worst[k], "%s, relative change of %s", steppers[s], kept[k]);
                    const MrnModel *model = mrn_world_model(small.world);
                    mrn_check(report, plate / 2, model->bodies.data[2].mass, 1e-9 * plate, "%s, mass of a half [kg]",
                              steppers[s]);
                    mrn_check(report, plate / 2 * (width * width + length * length / 4) / 12,
                              model->bodies.data[2].inertia[2], 1e-9 * plate * 325 / 12,
                              "%s, inertia of a half [kg m2]", steppers[s]);
                }
            }
            mrn_small_free(&small);
        }
    }
    // A plate that spins while it breaks: the halves take its velocity field with them.
    MrnScheme scheme = mrn_floe_scheme(0.25, MRN_CONTACTS_ACTIVE);
    scheme.breaking.energy = energy;
    scheme.breaking.smallest = 50;
    MrnSmall small = mrn_small_start(report, two_floes(2 * critical, 0.02), &scheme);
    double worst[5], fracture;
    int64_t broken;
    if (small.world && run(report, &small, 40, worst, &fracture, &broken)) {
        mrn_check_at_least(report, 1, (double)broken, "spinning plate: floes broken");
        for (int k = 0; k < 5; k++)
            mrn_check_at_most(report, 1e-12, worst[k], "spinning plate, relative change of %s", kept[k]);
    }
    mrn_small_free(&small);
}
