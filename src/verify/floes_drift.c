// Drift of a pack in the open sea (S-2; Rabatel 2015, 3.2.2): the thirteen tests, contact modes, and what moves one
// floe apart from another.
//
// The runs are chaotic: what is compared are paths of the whole pack, its spread, and shares of pairs.
#include "verify/cases.h"
#include "verify/floes_study.h"

#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A drift as a whole.
typedef struct Drift {
    double path[2];             ///< m, of the mass centre, start to end
    double spread, spread_end;  ///< m, dispersion
    double half_pair;           ///< m, half of the pairs are closer, at the end
    double concentration, thin; ///< at the start; the least
    double slope;               ///< of the share of pairs closer than r, 150 m to 600 m, double logarithm
    double overlap;             ///< m
} Drift;

static bool sheet_of(MrnVerifyReport *report, const char *measure, const MrnStudy *study, MrnFrameList *frames,
                     MrnSheet *sheet) {
    MrnMeasureInput input = {study->scene->model, study->scene->scheme.time_step, mrn_frame_list_source(frames),
                             mrn_measure_defaults()};
    MrnError error = {0};
    *sheet = (MrnSheet){0};
    bool good = mrn_measure_compute(mrn_measure_find(measure), &input, sheet, &error);
    if (!good) mrn_check_failed(report, error.message);
    return good;
}

/// Share of pairs closer than r: from rows (r, share), between the rows in the double logarithm.
static double share_at(const MrnSheet *sheet, double r) {
    for (size_t k = 1; k < mrn_sheet_rows(sheet); k++) {
        double high = mrn_sheet_value(sheet, k, 0), low = mrn_sheet_value(sheet, k - 1, 0);
        if (high < r) continue;
        double at = log(r / low) / log(high / low);
        return exp((1 - at) * log(mrn_sheet_value(sheet, k - 1, 1)) + at * log(mrn_sheet_value(sheet, k, 1)));
    }
    return 1;
}

static bool describe(MrnVerifyReport *report, const MrnStudy *study, MrnFrameList *frames, Drift *drift) {
    MrnSheet sheet;
    bool good = sheet_of(report, "drift", study, frames, &sheet);
    size_t last = mrn_sheet_rows(&sheet) - 1;
    for (size_t k = 0; good && k < 2; k++) drift->path[k] = mrn_sheet_value(&sheet, last, 1 + k);
    mrn_sheet_free(&sheet);
    good = good && sheet_of(report, "dispersion", study, frames, &sheet);
    if (good) drift->spread = mrn_sheet_value(&sheet, 0, 1), drift->spread_end = mrn_sheet_value(&sheet, last, 1);
    if (good) drift->half_pair = mrn_sheet_value(&sheet, last, 2);
    mrn_sheet_free(&sheet);
    good = good && sheet_of(report, "concentration", study, frames, &sheet);
    if (good) drift->concentration = drift->thin = mrn_sheet_value(&sheet, 0, 1);
    for (size_t k = 0; good && k <= last; k++) drift->thin = fmin(drift->thin, mrn_sheet_value(&sheet, k, 1));
    mrn_sheet_free(&sheet);
    good = good && sheet_of(report, "clustering", study, frames, &sheet);
    if (good) drift->slope = log(share_at(&sheet, 600) / share_at(&sheet, 150)) / log(600 / 150.0);
    mrn_sheet_free(&sheet);
    return good;
}

/// Drift to `end` with a frame every hour. False after mrn_check_failed.
static bool drift_to(MrnVerifyReport *report, const char *const *overrides, double end, Drift *drift) {
    MrnStudy study = mrn_study_begin(report, "gallery:floe_drift", overrides);
    MrnFrameList frames = {0};
    MrnError error = {0};
    double next = 0;
    bool good = study.world != NULL;
    *drift = (Drift){0};
    while (good && mrn_world_time(study.world) < end) {
        MrnStepInfo info;
        if (mrn_world_time(study.world) >= next) mrn_frame_list_add(&frames, study.world), next += 3600;
        good = mrn_world_step(study.world, &info, &error);
        if (!good) mrn_check_failed(report, error.message);
        if (good) drift->overlap = fmax(drift->overlap, info.penetration);
    }
    if (good) mrn_frame_list_add(&frames, study.world);
    good = good && describe(report, &study, &frames, drift);
    mrn_frame_list_free(&frames);
    mrn_study_end(&study);
    return good;
}

static double apart(const Drift *a, const Drift *b) {
    return hypot(a->path[0] - b->path[0], a->path[1] - b->path[1]) / hypot(a->path[0], a->path[1]);
}

/// The environment of the scene without its ocean layer.
static const char uncoupled[] = "environment={latitude: 80.2 deg, wind: {ramp: 12 h, outside: hold, table: [{time: 0, "
                                "velocity: [-10 m/s, -4 m/s]}, "
                                "{time: 45 h, velocity: [-10 m/s, -4 m/s]}, {time: 46 h, velocity: [-4 m/s, 10 m/s]}, "
                                "{time: 47 h, velocity: [8 m/s, 6 m/s]}, {time: 48 h, velocity: [2 m/s, -12 m/s]}]}, "
                                "current: {ramp: 12 h, outside: hold, table: [{time: 0, velocity: [-5 cm/s, 0]}, "
                                "{time: 48 h, velocity: [0, -5 cm/s]}]}}";

typedef struct DriftRow {
    bool periodic;
    int percent;
    bool round, coupled;
} DriftRow;
static const DriftRow tests[MRN_DRIFT_TESTS] = {
    {true, 30, false, true},  {true, 50, false, true},   {true, 60, false, true},   {true, 70, false, true},
    {true, 30, true, true},   {true, 70, true, true},    {true, 30, false, false},  {true, 60, false, false},
    {true, 70, false, false}, {false, 30, false, false}, {false, 70, false, false}, {false, 30, false, true},
    {false, 70, false, true}};

bool mrn_drift_test_is_periodic(int number) {
    return tests[number - 1].periodic;
}

void mrn_drift_test(int number, MrnStudyTest *test) {
    const DriftRow *row = &tests[number - 1];
    snprintf(test->text[0], sizeof test->text[0], "generate.floe.floes.concentration=%d %%", row->percent);
    const char *const overrides[] = {"generate.floe.floes.count=60",
                                     test->text[0],
                                     row->periodic ? "domain.kind=periodic" : "domain.kind=free",
                                     row->round ? "generate.floe.floes.outline=round"
                                                : "generate.floe.floes.outline=floe",
                                     row->coupled ? NULL : uncoupled,
                                     NULL};
    memcpy(test->overrides, overrides, sizeof overrides);
    snprintf(test->name, sizeof test->name, "%s, %d %%%s%s", row->periodic ? "periodic" : "free", row->percent,
             row->round ? ", round" : "", row->coupled ? ", ocean layer" : "");
}

void mrn_case_open_drift(MrnVerifyReport *report) {
    Drift drift[13];
    double overlap = 0, least = INFINITY, slope = 0;
    for (int t = 0; t < 13; t++) {
        MrnStudyTest test;
        mrn_drift_test(t + 1, &test);
        if (!drift_to(report, test.overrides, 72 * 3600, &drift[t])) return;
        double far = hypot(drift[t].path[0], drift[t].path[1]);
        mrn_measure(report, far, "test %d (%s): drift in 72 h [m]", t + 1, test.name);
        mrn_measure(report, drift[t].spread_end / drift[t].spread, "test %d: growth of the dispersion in 72 h", t + 1);
        mrn_measure(report, drift[t].slope, "test %d: slope of the share of pairs closer than r at day 3", t + 1);
        if (!tests[t].periodic)
            mrn_check_at_most(report, drift[t].concentration, drift[t].thin,
                              "test %d: least concentration of the followed zone against that at the start", t + 1);
        overlap = fmax(overlap, drift[t].overlap), least = fmin(least, far);
        if (t == 0 || t == 1 || (t >= 4 && t <= 6) || t == 9) slope = fmax(slope, drift[t].slope);
    }
    mrn_check_at_least(report, 10000, least, "drift in 72 h, least of 13 tests [m]");
    mrn_check_at_most(report, 2, slope,
                      "slope of the share of pairs closer than r at day 3, largest of tests 1, 2, 5, 6, 7, 10");
    mrn_check_at_most(report, 0.02, fmax(apart(&drift[0], &drift[1]), apart(&drift[0], &drift[3])),
                      "influence of the concentration: paths of tests 1, 2 and 4 apart, over the drift");
    mrn_check_at_most(report, 0.02, apart(&drift[3], &drift[12]),
                      "influence of the boundaries: paths of tests 4 and 13 apart, over the drift");
    mrn_check_at_most(report, 0.02, apart(&drift[0], &drift[4]),
                      "influence of the outlines: paths of tests 1 and 5 apart, over the drift");
    mrn_check_at_least(report, apart(&drift[3], &drift[12]), apart(&drift[2], &drift[7]),
                       "influence of the ocean layer (tests 3 and 8) against that of the boundaries");
    mrn_check_at_least(report, drift[3].spread_end / drift[3].spread, drift[12].spread_end / drift[12].spread,
                       "growth of the dispersion at 70 %%: free (test 13) against periodic (test 4)");
    mrn_check_at_least(report, drift[3].spread_end / drift[3].spread, drift[0].spread_end / drift[0].spread,
                       "growth of the dispersion, periodic: 30 %% (test 1) against 70 %% (test 4)");
    mrn_check(report, 0, overlap, 0, "deepest overlap [m]");
}

void mrn_case_contact_modes(MrnVerifyReport *report) {
    Drift drift[2];
    for (int k = 0; k < 2; k++) {
        const char *const overrides[] = {"generate.floe.floes.count=60",
                                         k ? "event_driven.contacts=simultaneous" : "event_driven.contacts=active",
                                         NULL};
        if (!drift_to(report, overrides, 84 * 3600, &drift[k])) return;
        const char *name = k ? "simultaneous" : "active";
        mrn_measure(report, drift[k].spread_end, "%s: dispersion after 84 h [m]", name);
        mrn_measure(report, drift[k].half_pair, "%s: distance of half of the pairs after 84 h [m]", name);
        mrn_measure(report, drift[k].slope, "%s: slope of the share of pairs closer than r after 84 h", name);
    }
    mrn_check_at_most(report, 0.01, apart(&drift[0], &drift[1]), "paths of the mass centre apart, over the drift");
    mrn_check(report, 1, drift[1].spread_end / drift[0].spread_end, 0.1, "dispersion, simultaneous over active");
    mrn_check(report, 1, drift[1].half_pair / drift[0].half_pair, 0.1, "distance of half of the pairs, likewise");
    mrn_check(report, drift[0].slope, drift[1].slope, 0.2, "slope of the share of pairs, simultaneous against active");
}

/// Path of one floe: positions every hour, for 48 h.
enum { HOURS = 48 };

static bool lone_path(MrnVerifyReport *report, const char *outline, int body, bool alone, double path[HOURS][2]) {
    const char *const overrides[] = {"generate.floe.floes.concentration=0.6", "generate.floe.floes.count=60", outline,
                                     NULL};
    MrnStudy study = mrn_study_begin(report, "gallery:floe_drift", overrides);
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
    mrn_study_end(&study);
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
