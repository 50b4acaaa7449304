// Floes drift into a narrow channel (S-1; Rabatel 2015, 3.2.1): five tests, jam or no jam.
//
// The runs are chaotic: what is compared are shares and means over seeds, not places of single floes.
#include "verify/cases.h"
#include "verify/floes_study.h"

#include <math.h>
#include <stdio.h>

MrnStudy mrn_study_begin(MrnVerifyReport *report, const char *name, const char *const *overrides) {
    size_t count = 0;
    while (overrides[count]) count++;
    MrnError error = {0};
    MrnStudy study = {mrn_scene_read(name, overrides, count, &error), NULL};
    if (study.scene) study.world = mrn_world_new(study.scene->model, &study.scene->scheme, &error);
    if (!study.world) mrn_check_failed(report, error.message);
    return study;
}

void mrn_study_end(MrnStudy *study) {
    mrn_world_free(study->world);
    if (study->scene) mrn_scene_free(study->scene);
}

#define CHANNEL_END (3 * 3600.0 + 40 * 60) ///< s, the second of the published snapshots
#define JAM         0.1                    ///< share of the ice that is held above the mouth when the pack jams

#define AIR_DRAG    (1.341 * 1.7e-3) ///< kg/m3, density times coefficient
#define WATER_DRAG  (1024.071 * 5e-3)
#define ICE_DENSITY 917.0 ///< kg/m3; floes are 1 m thick

typedef struct Passage {
    double early;   ///< kinetic energy after 20 min over that of free drift
    double most;    ///< largest in the first hour
    double least;   ///< least kinetic energy after 1 h over that of free drift
    double blocked; ///< share of the ice that is above the mouth of the channel at the end
    double held;    ///< share that is there and slower than a tenth of free drift
    double overlap; ///< m
} Passage;

/// Speed of a floe in a wind of 10 m/s and no current, far from others: Nansen number times wind.
static double free_drift(void) {
    return 10 * sqrt(AIR_DRAG / WATER_DRAG);
}

void mrn_channel_test(int number, int seed, MrnStudyTest *test) {
    static const struct {
        double friction, restitution, coriolis;
    } table[MRN_CHANNEL_TESTS] = {{0.7, 0.35, 0}, {0.7, 0.6, 0}, {0.7, 1, 0}, {0.5, 0.6, 0}, {0.7, 0.35, 1.44e-4}};
    const double friction = table[number - 1].friction, restitution = table[number - 1].restitution,
                 coriolis = table[number - 1].coriolis;
    snprintf(test->text[0], sizeof test->text[0], "laws.all.friction=%g", friction);
    snprintf(test->text[1], sizeof test->text[1], "laws.all.restitution=%g", restitution);
    snprintf(test->text[2], sizeof test->text[2], "environment.coriolis=%g 1/s", coriolis);
    snprintf(test->text[3], sizeof test->text[3], "generate.floe.seed=%d", seed);
    for (int k = 0; k < 4; k++) test->overrides[k] = test->text[k];
    test->overrides[4] = NULL;
    snprintf(test->name, sizeof test->name, "mu %g, e %g%s", friction, restitution, coriolis > 0 ? ", Coriolis" : "");
}

static bool pass_channel(MrnVerifyReport *report, int test, int seed, Passage *passage) {
    MrnStudyTest row;
    mrn_channel_test(test + 1, seed, &row);
    MrnStudy study = mrn_study_begin(report, "gallery:floe_channel", row.overrides);
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
            if (info.time <= 3600) passage->most = fmax(passage->most, info.kinetic_energy / free_energy);
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
    mrn_study_end(&study);
    return study.world != NULL;
}

void mrn_case_floe_channel(MrnVerifyReport *report) {
    enum { SEEDS = 3 };
    double blocked[5] = {0}, jams[5] = {0}, early = INFINITY, most = INFINITY, overlap = 0, least = INFINITY;
    mrn_check(report, 0.21, free_drift(), 2e-3, "speed of free drift [m/s]");
    for (int test = 0; test < 5; test++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            Passage passage;
            if (!pass_channel(report, test, seed, &passage)) return;
            blocked[test] += passage.blocked / SEEDS;
            jams[test] += passage.held > JAM;
            early = fmin(early, passage.early), overlap = fmax(overlap, passage.overlap);
            least = fmin(least, passage.least), most = fmin(most, passage.most);
        }
    for (int test = 0; test < 5; test++) {
        MrnStudyTest row;
        mrn_channel_test(test + 1, 1, &row);
        mrn_measure(report, blocked[test],
                    "test %d (%s): share of the ice above the mouth after 3 h 40, mean of %d seeds", test + 1, row.name,
                    SEEDS);
        mrn_measure(report, jams[test], "test %d (%s): packs of %d that jam (a tenth of the ice held above the mouth)",
                    test + 1, row.name, SEEDS);
    }
    double speed = free_drift(), reached = tanh(WATER_DRAG / ICE_DENSITY * speed * 1200);
    mrn_check(report, reached * reached, early, 1e-3,
              "kinetic energy after 20 min over that of free drift, least of 15 runs; exact for floes that are alone");
    mrn_check_at_least(report, 0.9, most, "largest in the first hour, least of 15 runs");
    mrn_check_at_most(report, 0.5, least, "least kinetic energy after the first hour over that of free drift");
    mrn_check_at_least(report, (blocked[2] + blocked[3]) / 2, (blocked[0] + blocked[1] + blocked[4]) / 3,
                       "share above the mouth: tests 1, 2, 5 against the mean of tests 3 and 4");
    mrn_check_at_least(report, (jams[2] + jams[3]) / 2, (jams[0] + jams[1] + jams[4]) / 3,
                       "packs that jam: tests 1, 2, 5 against the mean of tests 3 and 4");
    mrn_check(report, 0, overlap, 0, "deepest overlap [m]");
}
