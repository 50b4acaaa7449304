// Floe packs under the event-driven stepper: how much time is simulated per second of computation, on one core.
//
//   floes drift CONCENTRATION [HOURS] [SEED] [APPROACH_RATE]   the drift scene of the gallery: 350 floes, periodic
//   floes scale [HOURS] [SIZES]                                350, 8750 and 101 150 floes at 70 %: cost per floe
//   floes modes                                                contacts and stepping of every kind, one hour
//
// A pack given by FloeDyn: bench/floedyn.
#include "base/memory.h"
#include "model/model.h"
#include "step/stepper.h"

#include <math.h>
#include <moraine/moraine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Totals {
    double seconds, detect, solve, forces, smallest_gap, smallest_substep;
    long steps, substeps, collisions, components, solves, retries, replaced, relaxed, failures, newton, plastic,
        rollbacks;
    long largest;
} Totals;

/// `stir`: speed in m/s that every floe gets at the start, in a direction of its own, so that collisions begin at once.
static Totals run(MrnModel *model, const MrnScheme *scheme, double end, double tell, double stir) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, scheme, &error);
    if (!world) fprintf(stderr, "floes: %s\n", error.message), exit(1);
    for (size_t b = 0; b < model->bodies.count; b++) {
        double angle = 2.399963 * (double)b, v[2] = {stir * cos(angle), stir * sin(angle)};
        mrn_world_set_velocity(world, (int)b, v, NULL);
    }
    Totals sum = {.smallest_gap = INFINITY, .smallest_substep = INFINITY};
    double begin = cpu_seconds(), next = tell;
    while (mrn_world_time(world) < end - 1e-9) {
        MrnStepInfo info;
        if (!mrn_world_step(world, &info, &error)) fprintf(stderr, "floes: %s\n", error.message), exit(1);
        sum.steps++, sum.substeps += info.substeps, sum.collisions += info.collisions,
            sum.components += info.components;
        sum.solves += info.lcp_solves, sum.retries += info.lcp_retries, sum.replaced += info.lcp_replaced;
        sum.relaxed += info.lcp_relaxed, sum.failures += info.lcp_failures, sum.newton += info.newton_fallbacks;
        sum.plastic += info.plastic_fallbacks, sum.rollbacks += info.rollbacks;
        sum.detect += info.seconds_detect, sum.solve += info.seconds_solve, sum.forces += info.seconds_assemble;
        sum.smallest_gap = fmin(sum.smallest_gap, info.smallest_gap);
        sum.smallest_substep = fmin(sum.smallest_substep, info.smallest_substep);
        if (info.largest_component > sum.largest) sum.largest = info.largest_component;
        if (tell > 0 && mrn_world_time(world) >= next) {
            next += tell;
            printf("  %7.1f h  %8.2f s  ratio %7.0f  energy %.4g J  collisions %ld  gap %.2e m\n",
                   mrn_world_time(world) / 3600, cpu_seconds() - begin, mrn_world_time(world) / (cpu_seconds() - begin),
                   info.kinetic_energy, sum.collisions, sum.smallest_gap);
            fflush(stdout);
        }
    }
    sum.seconds = cpu_seconds() - begin;
    mrn_world_free(world);
    return sum;
}

static void print_totals(const char *name, size_t floes, double end, const Totals *t) {
    printf("%s: %zu floes, %.0f s simulated in %.2f s: ratio %.0f; %.3g us per floe and simulated second\n", name,
           floes, end, t->seconds, end / t->seconds, 1e6 * t->seconds / (double)floes / end);
    double all = (t->detect + t->solve + t->forces) / 100;
    printf("  detection %.0f %%, impacts %.0f %%, forces %.0f %%; %.3g collisions per second of computation, %.3g per "
           "simulated hour\n",
           t->detect / all, t->solve / all, t->forces / all, (double)t->collisions / t->seconds,
           (double)t->collisions / end * 3600);
    printf("  %ld steps, %ld events, %ld impacts, largest %ld contacts; smallest gap %.3g m, shortest event %.3g s\n",
           t->steps, t->substeps, t->components, t->largest, t->smallest_gap, t->smallest_substep);
    printf("  complementarity problems %ld: retries %ld, replaced %ld, relaxed %ld, failures %ld; Newton %ld, plastic "
           "%ld, rollbacks %ld\n",
           t->solves, t->retries, t->replaced, t->relaxed, t->failures, t->newton, t->plastic, t->rollbacks);
    fflush(stdout);
}

/// The drift scene of the gallery with packs of 350 floes in `tiles` by `tiles` zones, at this concentration. Exits
/// with a message where it cannot be made.
static MrnScene *drift_scene(double concentration, int tiles, unsigned seed) {
    double half = 600.0 * tiles;
    size_t room = 400 * (size_t)tiles * (size_t)tiles + 100;
    char *packs = mrn_alloc(room, 1), low[80], high[80], area[80];
    size_t used = (size_t)snprintf(packs, room, "generate=[");
    for (int t = 0; t < tiles * tiles; t++) {
        double x = 1200.0 * (t % tiles) - half, y = 1200.0 * (t / tiles) - half;
        used +=
            (size_t)snprintf(packs + used, room - used,
                             "{name: pack%d, seed: %u, floes: {zone: {box: {low: [%g m, %g m], high: [%g m, %g m]}}, "
                             "concentration: %g, count: 350, largest: 330 m, exponent: 2.7, "
                             "thickness: {uniform: {low: 25 cm, high: 38 cm}}}},",
                             t, seed + (unsigned)t, x + 1, y + 1, x + 1199, y + 1199, concentration);
    }
    snprintf(packs + used, room - used, "]");
    snprintf(low, sizeof low, "domain.low=[%g m, %g m]", -half, -half);
    snprintf(high, sizeof high, "domain.high=[%g m, %g m]", half, half);
    snprintf(area, sizeof area, "environment.ocean.area=%g m2", 4 * half * half);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read("gallery:floe_drift", (const char *const[]){packs, low, high, area}, 4, &error);
    if (!scene) fprintf(stderr, "floes: %s\n", error.message), exit(1);
    free(packs);
    return scene;
}

static void drift(double concentration, double hours, unsigned seed, double approach_rate) {
    MrnScene *scene = drift_scene(concentration, 1, seed);
    if (approach_rate >= 0) scene->scheme.event_driven.approach_rate = approach_rate;
    Totals totals = run(scene->model, &scene->scheme, 3600 * hours, 3600 * hours / 10, 0);
    print_totals("drift", scene->model->bodies.count, 3600 * hours, &totals);
    mrn_scene_free(scene);
}

static void scale(double hours, int sizes) {
    static const int tiles[] = {1, 5, 17};
    for (int k = 0; k < sizes; k++) {
        MrnScene *scene = drift_scene(0.7, tiles[k], 1);
        Totals totals = run(scene->model, &scene->scheme, 3600 * hours, 0, 0.1);
        print_totals("scale", scene->model->bodies.count, 3600 * hours, &totals);
        mrn_scene_free(scene);
    }
}

static void modes(void) {
    static const char *const names[] = {"active, local",        "simultaneous, local", "active, global",
                                        "simultaneous, global", "guaranteed, global",  "optimised, global",
                                        "half, global"};
    MrnScene *scene = drift_scene(0.7, 1, 1);
    for (int k = 0; k < 7; k++) {
        MrnScheme scheme = scene->scheme;
        scheme.event_driven.contacts = k == 1 || k == 3 ? MRN_CONTACTS_SIMULTANEOUS : MRN_CONTACTS_ACTIVE;
        scheme.event_driven.stepping = k < 2 ? MRN_STEPPING_LOCAL : MRN_STEPPING_GLOBAL;
        if (k > 3) scheme.event_driven.bound = (MrnStepBound)(k - 3);
        Totals totals = run(scene->model, &scheme, 3600, 0, 0.1);
        print_totals(names[k], scene->model->bodies.count, 3600, &totals);
    }
    mrn_scene_free(scene);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "drift") == 0 && count > 2)
        drift(atof(words[2]), count > 3 ? atof(words[3]) : 180, count > 4 ? (unsigned)atoi(words[4]) : 1,
              count > 5 ? atof(words[5]) : -1);
    else if (strcmp(what, "scale") == 0)
        scale(count > 2 ? atof(words[2]) : 1, count > 3 ? atoi(words[3]) : 3);
    else if (strcmp(what, "modes") == 0)
        modes();
    else {
        fprintf(stderr, "floes drift CONCENTRATION [HOURS] [SEED] [APPROACH_RATE] | scale [HOURS] [SIZES] | modes\n");
        return 2;
    }
    return 0;
}
