// The two simulations of the works on floes: drift into a channel (S-1) and drift in the open sea (S-2).
//
// Both are chaotic: what is compared are shares and means over seeds, not places of single floes.
#include "verify/cases.h"
#include "verify/check.h"

#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// A scene of the gallery with overrides (a list that ends with NULL), and its world. False after mrn_check_failed.
typedef struct Study {
    MrnScene *scene;
    MrnWorld *world;
} Study;

static Study study_begin(MrnVerifyReport *report, const char *name, const char *const *overrides) {
    size_t count = 0;
    while (overrides[count]) count++;
    MrnError error = {0};
    Study study = {mrn_scene_read(name, overrides, count, &error), NULL};
    if (study.scene) study.world = mrn_world_new(study.scene->model, &study.scene->scheme, &error);
    if (!study.world) mrn_check_failed(report, error.message);
    return study;
}

static void study_end(Study *study) {
    mrn_world_free(study->world);
    if (study->scene) mrn_scene_free(study->scene);
}

// ------------------------------------------------------------------------------------------------ S-1

#define CHANNEL_END (3 * 3600.0 + 40 * 60) ///< s, the second of the published snapshots
#define JAM         0.1                    ///< share of the ice that is held above the mouth when the pack jams

typedef struct Passage {
    double early;   ///< kinetic energy after 20 min over that of free drift
    double least;   ///< least kinetic energy after 1 h over that of free drift
    double blocked; ///< share of the ice that is above the mouth of the channel at the end
    double held;    ///< share that is there and slower than a tenth of free drift
    double overlap; ///< m
} Passage;

/// Speed of a floe in a wind of 10 m/s and no current, far from others: Nansen number times wind.
static double free_drift(void) {
    return 10 * sqrt(1.341 * 1.7e-3 / (1024.071 * 5e-3));
}

static bool pass_channel(MrnVerifyReport *report, int test, int seed, Passage *passage) {
    static const struct {
        double friction, restitution, coriolis;
    } table[] = {{0.7, 0.35, 0}, {0.7, 0.6, 0}, {0.7, 1, 0}, {0.5, 0.6, 0}, {0.7, 0.35, 1.44e-4}};
    char friction[60], restitution[60], coriolis[60], seeds[60];
    snprintf(friction, sizeof friction, "laws.all.friction=%g", table[test].friction);
    snprintf(restitution, sizeof restitution, "laws.all.restitution=%g", table[test].restitution);
    snprintf(coriolis, sizeof coriolis, "environment.coriolis=%g 1/s", table[test].coriolis);
    snprintf(seeds, sizeof seeds, "generate.floe.seed=%d", seed);
    const char *const overrides[] = {friction, restitution, coriolis, seeds, NULL};
    Study study = study_begin(report, "gallery:floe_channel", overrides);
    *passage = (Passage){.least = INFINITY};
    if (study.world) {
        const MrnModel *model = study.scene->model;
        double mass = 0, above = 0, held = 0;
        for (size_t b = 0; b < model->bodies.count; b++) mass += model->bodies.data[b].mass;
        double free_energy = 0.5 * mass * free_drift() * free_drift();
        MrnStepInfo info;
        MrnError error = {0};
        while (mrn_world_time(study.world) < CHANNEL_END) {
            if (!mrn_world_step(study.world, &info, &error)) {
                mrn_check_failed(report, error.message);
                break;
            }
            if (info.time <= 1200) passage->early = info.kinetic_energy / free_energy;
            if (info.time > 3600) passage->least = fmin(passage->least, info.kinetic_energy / free_energy);
            passage->overlap = fmax(passage->overlap, info.penetration);
        }
        for (size_t b = 0; b < model->bodies.count; b++) {
            const double *v = mrn_world_velocity(study.world, (int)b);
            if (!(mrn_world_position(study.world, (int)b)[1] > 0)) continue;
            above += model->bodies.data[b].mass;
            if (hypot(v[0], v[1]) < 0.1 * free_drift()) held += model->bodies.data[b].mass;
        }
        passage->blocked = above / mass;
        passage->held = held / mass;
    }
    study_end(&study);
    return study.world != NULL;
}

void mrn_case_floe_channel(MrnVerifyReport *report) {
    enum { SEEDS = 3 };
    double blocked[5] = {0}, jams[5] = {0}, early = INFINITY, overlap = 0, least = INFINITY;
    mrn_check(report, 0.21, free_drift(), 2e-3, "speed of free drift [m/s]");
    for (int test = 0; test < 5; test++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            Passage passage;
            if (!pass_channel(report, test, seed, &passage)) return;
            blocked[test] += passage.blocked / SEEDS;
            jams[test] += passage.held > JAM;
            early = fmin(early, passage.early), overlap = fmax(overlap, passage.overlap);
            least = fmin(least, passage.least);
        }
    static const char *const names[] = {"mu 0.7, e 0.35", "mu 0.7, e 0.6", "mu 0.7, e 1", "mu 0.5, e 0.6",
                                        "mu 0.7, e 0.35, Coriolis"};
    for (int test = 0; test < 5; test++) {
        mrn_measure(report, blocked[test],
                    "test %d (%s): share of the ice above the mouth after 3 h 40, mean of %d seeds", test + 1,
                    names[test], SEEDS);
        mrn_measure(report, jams[test], "test %d (%s): packs of %d that jam (a tenth of the ice held above the mouth)",
                    test + 1, names[test], SEEDS);
    }
    mrn_check_at_least(report, 0.8, early, "kinetic energy after 20 min over that of free drift, least of 15 runs");
    mrn_check_at_most(report, 0.5, least, "least kinetic energy after the first hour over that of free drift");
    mrn_check_at_least(report, (blocked[2] + blocked[3]) / 2, (blocked[0] + blocked[1] + blocked[4]) / 3,
                       "share above the mouth: tests 1, 2, 5 against the mean of tests 3 and 4");
    mrn_check_at_least(report, (jams[2] + jams[3]) / 2, (jams[0] + jams[1] + jams[4]) / 3,
                       "packs that jam: tests 1, 2, 5 against the mean of tests 3 and 4");
    mrn_check(report, 0, overlap, 0, "deepest overlap [m]");
}

// ------------------------------------------------------------------------------------------------ S-2

/// Values of a measure at the start and at the end.
static bool ends_of(MrnVerifyReport *report, const char *measure, const Study *study, MrnFrameList *frames,
                    size_t column, double *first, double *last) {
    MrnMeasureInput input = {study->scene->model, study->scene->scheme.time_step, mrn_frame_list_source(frames),
                             mrn_measure_defaults()};
    MrnSheet sheet = {0};
    MrnError error = {0};
    bool good = mrn_measure_compute(mrn_measure_find(measure), &input, &sheet, &error);
    if (!good) mrn_check_failed(report, error.message);
    if (good) *first = mrn_sheet_value(&sheet, 0, column);
    if (good) *last = mrn_sheet_value(&sheet, mrn_sheet_rows(&sheet) - 1, column);
    mrn_sheet_free(&sheet);
    return good;
}

/// Step to `end`, keeping a frame every `interval`.
static bool step_study(MrnVerifyReport *report, Study *study, double end, double interval, MrnFrameList *frames,
                       double *overlap) {
    MrnStepInfo info;
    MrnError error = {0};
    double next = 0;
    while (mrn_world_time(study->world) < end) {
        if (mrn_world_time(study->world) >= next) mrn_frame_list_add(frames, study->world), next += interval;
        if (!mrn_world_step(study->world, &info, &error)) {
            mrn_check_failed(report, error.message);
            return false;
        }
        *overlap = fmax(*overlap, info.penetration);
    }
    mrn_frame_list_add(frames, study->world);
    return true;
}

void mrn_case_open_drift(MrnVerifyReport *report) {
    static const char *const concentrations[] = {"generate.floe.floes.concentration=0.3",
                                                 "generate.floe.floes.concentration=0.6"};
    const char *names[] = {"30 %", "60 %"};
    double overlap = 0, drift[2][2], end = 45 * 3600;
    for (int i = 0; i < 2; i++) {
        const char *const overrides[] = {concentrations[i], "generate.floe.floes.count=120", "domain.kind=free", NULL};
        Study study = study_begin(report, "gallery:floe_drift", overrides);
        MrnFrameList frames = {0};
        double before, after;
        if (!study.world || !step_study(report, &study, end, 3600, &frames, &overlap)) return;
        for (int k = 0; k < 2; k++)
            if (ends_of(report, "drift", &study, &frames, (size_t)(1 + k), &before, &after))
                drift[i][k] = after - before;
        if (ends_of(report, "dispersion", &study, &frames, 1, &before, &after))
            mrn_check_at_least(report, 1, after / before, "%s: growth of the dispersion in 45 h", names[i]);
        if (ends_of(report, "concentration", &study, &frames, 1, &before, &after)) {
            mrn_check_at_most(report, before, after, "%s: concentration after 45 h against that at the start",
                              names[i]);
            mrn_measure(report, after, "%s: concentration after 45 h", names[i]);
        }
        mrn_frame_list_free(&frames);
        study_end(&study);
    }
    double apart = hypot(drift[0][0] - drift[1][0], drift[0][1] - drift[1][1]), far = hypot(drift[0][0], drift[0][1]);
    mrn_check_at_least(report, 10000, far, "drift in 45 h [m]");
    mrn_check_at_most(report, 0.02, apart / far, "distance between the packs of 30 and 60 percent over the drift");
    mrn_check(report, 0, overlap, 0, "deepest overlap [m]");
}

/// Path of one floe: positions every hour, for 48 h.
enum { HOURS = 48 };

static bool lone_path(MrnVerifyReport *report, const char *outline, int body, bool alone, double path[HOURS][2]) {
    const char *const overrides[] = {"generate.floe.floes.concentration=0.6", "generate.floe.floes.count=60", outline,
                                     NULL};
    Study study = study_begin(report, "gallery:floe_drift", overrides);
    bool good = study.world != NULL;
    if (good && alone) { // the others are taken out before the first step
        MrnState *state = mrn_world_state(study.world);
        for (size_t b = 0; b < study.scene->model->bodies.count; b++)
            if ((int)b != body) state->active[b] = 0;
        mrn_world_state_changed(study.world);
    }
    MrnError error = {0};
    double start[2] = {0, 0};
    if (good)
        for (int k = 0; k < 2; k++) start[k] = mrn_world_position(study.world, body)[k];
    for (int h = 0; good && h < HOURS; h++) {
        while (good && mrn_world_time(study.world) < 3600 * (h + 1)) good = mrn_world_step(study.world, NULL, &error);
        for (int k = 0; good && k < 2; k++) path[h][k] = mrn_world_position(study.world, body)[k] - start[k];
    }
    if (!good && error.message[0]) mrn_check_failed(report, error.message);
    study_end(&study);
    return good;
}

static double distance_between(double a[HOURS][2], double b[HOURS][2]) {
    double worst = 0;
    for (int h = 0; h < HOURS; h++) worst = fmax(worst, hypot(a[h][0] - b[h][0], a[h][1] - b[h][1]));
    return worst;
}

void mrn_case_drift_influences(MrnVerifyReport *report) {
    static double alone[HOURS][2], packed[HOURS][2], small[HOURS][2], small_packed[HOURS][2], round[HOURS][2];
    static const char library[] = "generate.floe.floes.outline=floe", circles[] = "generate.floe.floes.outline=round";
    int largest = 0, smallest = 59; // floes are sorted by size
    if (!lone_path(report, library, largest, true, alone) || !lone_path(report, library, largest, false, packed) ||
        !lone_path(report, library, smallest, true, small) ||
        !lone_path(report, library, smallest, false, small_packed) || !lone_path(report, circles, largest, true, round))
        return;
    double collisions = fmax(distance_between(alone, packed), distance_between(small, small_packed)),
           size = distance_between(alone, small), shape = distance_between(alone, round);
    mrn_measure(report, distance_between(alone, packed),
                "largest floe, alone and in the pack: distance of the paths [m]");
    mrn_measure(report, distance_between(small, small_packed),
                "smallest floe, alone and in the pack: distance of the paths [m]");
    mrn_measure(report, size, "largest and smallest floe alone: distance of the paths [m]");
    mrn_measure(report, shape, "largest floe alone, true outline and round: distance of the paths [m]");
    mrn_check_at_least(report, size, collisions, "influence of collisions against that of size [m]");
    mrn_check_at_least(report, shape, size, "influence of size against that of shape [m]");
}
