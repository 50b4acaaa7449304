// Floe packs under the event-driven stepper: how much time is simulated per second of computation, on one core.
//
//   floes drift CONCENTRATION [HOURS] [SEED] [APPROACH_RATE]   350 floes in a periodic cell under a wind that turns
//   (the open drift) floes scale [HOURS]                        the same pack tiled to 350, 10 000 and 100 000 floes:
//   cost per floe floes file FILE [SECONDS]                  a pack given as a text file: state and outline of a floe
//   per line floes modes                                active and simultaneous contacts, local and global stepping
#include "model/model.h"
#include "step/stepper.h"
#include "verify/floe_pack.h"

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

static MrnModel *pack_model(const MrnFloePack *pack, int tiles) {
    MrnError error = {0};
    MrnModel *model = mrn_floe_pack_model(pack, tiles, &error);
    if (!model) fprintf(stderr, "floes: %s\n", error.message), exit(1);
    return model;
}

static MrnScheme event_driven(double step) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.stepper = "event-driven";
    scheme.time_step = step;
    return scheme;
}

static void drift(double concentration, double hours, uint64_t seed, double approach_rate) {
    MrnFloePack pack = mrn_floe_pack_new(350, 276, 2.4, concentration, seed);
    MrnModel *model = pack_model(&pack, 1);
    MrnScheme scheme = event_driven(10);
    if (approach_rate >= 0) scheme.event_driven.approach_rate = approach_rate;
    double area = 0;
    for (size_t b = 0; b < model->bodies.count; b++) area += model->bodies.data[b].mesh->area;
    printf("cell of %.0f m, concentration %.3f\n", pack.side, area / pack.side / pack.side);
    Totals totals = run(model, &scheme, 3600 * hours, 3600 * hours / 10, 0);
    print_totals("drift", model->bodies.count, 3600 * hours, &totals);
    mrn_model_free(model);
    free(pack.floes);
}

static void scale(double hours) {
    MrnFloePack pack = mrn_floe_pack_new(350, 276, 2.4, 0.7, 1);
    static const int tiles[] = {1, 5, 17};
    for (int k = 0; k < 3; k++) {
        MrnModel *model = pack_model(&pack, tiles[k]);
        MrnScheme scheme = event_driven(10);
        Totals totals = run(model, &scheme, 3600 * hours, 0, 0.1);
        print_totals("scale", model->bodies.count, 3600 * hours, &totals);
        mrn_model_free(model);
    }
    free(pack.floes);
}

static void modes(void) {
    MrnFloePack pack = mrn_floe_pack_new(350, 276, 2.4, 0.7, 1);
    static const char *const names[] = {"active, local",        "simultaneous, local", "active, global",
                                        "simultaneous, global", "guaranteed, global",  "optimised, global",
                                        "half, global"};
    for (int k = 0; k < 7; k++) {
        MrnModel *model = pack_model(&pack, 1);
        MrnScheme scheme = event_driven(10);
        scheme.event_driven.contacts = k == 1 || k == 3 ? MRN_CONTACTS_SIMULTANEOUS : MRN_CONTACTS_ACTIVE;
        scheme.event_driven.stepping = k < 2 ? MRN_STEPPING_LOCAL : MRN_STEPPING_GLOBAL;
        if (k > 3) scheme.event_driven.bound = (MrnStepBound)(k - 3);
        Totals totals = run(model, &scheme, 3600, 0, 0.1);
        print_totals(names[k], model->bodies.count, 3600, &totals);
        mrn_model_free(model);
    }
    free(pack.floes);
}

static void from_file(const char *path, double seconds) {
    FILE *file = fopen(path, "r");
    if (!file) fprintf(stderr, "floes: cannot read %s\n", path), exit(1);
    MrnModel *model = mrn_ice_model();
    MrnError error = {0};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '#' || line[0] == 'w') continue;
        char *p = line;
        double state[11], vertices[256];
        for (int k = 0; k < 11; k++) state[k] = strtod(p, &p);
        int count = (int)strtol(p, &p, 10);
        if (count < 3 || count > 128) continue;
        for (int k = 0; k < 2 * count; k++) vertices[k] = strtod(p, &p);
        if (!mrn_add_ice(model, vertices, count, state[0], state[1], state[2], 1, &error))
            fprintf(stderr, "floes: %s\n", error.message), exit(1);
    }
    free(line);
    fclose(file);
    if (!mrn_add_drift(model, 827 * 827, &error)) fprintf(stderr, "floes: %s\n", error.message), exit(1);
    MrnScheme scheme = event_driven(10);
    Totals totals = run(model, &scheme, seconds, 0, 0.1);
    print_totals("file", model->bodies.count, seconds, &totals);
    mrn_model_free(model);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "drift") == 0 && count > 2)
        drift(atof(words[2]), count > 3 ? atof(words[3]) : 180, count > 4 ? (uint64_t)atoll(words[4]) : 1,
              count > 5 ? atof(words[5]) : -1);
    else if (strcmp(what, "scale") == 0)
        scale(count > 2 ? atof(words[2]) : 1);
    else if (strcmp(what, "file") == 0 && count > 2)
        from_file(words[2], count > 3 ? atof(words[3]) : 10000);
    else if (strcmp(what, "modes") == 0)
        modes();
    else {
        fprintf(
            stderr,
            "floes drift CONCENTRATION [HOURS] [SEED] [APPROACH_RATE] | scale [HOURS] | file FILE [SECONDS] | modes\n");
        return 2;
    }
    return 0;
}
