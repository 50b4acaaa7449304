// Figures of the channel and of the open drift (Rabatel 2015, chapter 3.2; specification of floes 4.9), from runs of
// gallery:floe_channel and gallery:floe_drift under the tests of the tables 3.3 and 3.4.
//
// The drift takes packs of 60 floes and 72 h, as `moraine verify S-2` does; overrides and a later end give the
// published 350 floes and 7.5 days. The runs are chaotic: shapes of curves compare, not places of single floes.
#include "force/forcing.h"
#include "model/model.h"
#include "verify/figure.h"
#include "verify/floes_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR         3600.0
#define CHANNEL_END  (5 * HOUR)
#define CHANNEL_SEED 3 ///< of its runs those of tests 1, 2 and 5 jam and the others do not, as published
static const double NANSEN_WIND = 0.2110; ///< m/s, free drift in a wind of 10 m/s

/// A run of a scene: frames at an interval, steps.
typedef struct Run {
    MrnScene *scene;
    MrnWorld *world;
    MrnFrameList frames;
    MRN_ARRAY(MrnStepInfo) steps;
} Run;

static void run_free(Run *run) {
    if (run->world) mrn_world_free(run->world);
    if (run->scene) mrn_scene_free(run->scene);
    mrn_frame_list_free(&run->frames);
    mrn_array_free(&run->steps);
}

static bool run_begin(Run *run, const char *scene, const char *const *overrides, const MrnFigureRequest *request,
                      MrnError *error) {
    MRN_ARRAY(const char *) all = {0};
    *run = (Run){0};
    for (size_t k = 0; overrides[k]; k++) mrn_array_push(&all, overrides[k]);
    for (size_t k = 0; k < request->override_count; k++) mrn_array_push(&all, request->overrides[k]);
    run->scene = mrn_scene_read(scene, all.data, all.count, error);
    if (run->scene) run->world = mrn_world_new(run->scene->model, &run->scene->scheme, error);
    mrn_array_free(&all);
    return run->world != NULL;
}

/// Step to `end`; frames every `interval`, and at the end.
static bool run_to(Run *run, double end, double interval, MrnError *error) {
    double slack = 1e-6 * run->scene->scheme.time_step, next = 0;
    for (;;) {
        double time = mrn_world_time(run->world);
        bool last = time >= end - slack;
        if (last || time >= next - slack) {
            mrn_frame_list_add(&run->frames, run->world);
            while (next <= time + slack) next += interval;
        }
        if (last) return true;
        MrnStepInfo info;
        if (!mrn_world_step(run->world, &info, error)) return false;
        mrn_array_push(&run->steps, info);
    }
}

static bool measured(const Run *run, const char *measure, MrnSheet *out, MrnError *error) {
    MrnMeasureInput input = {run->scene->model, run->scene->scheme.time_step,
                             mrn_frame_list_source((MrnFrameList *)&run->frames), mrn_measure_defaults()};
    return mrn_measure_compute(mrn_measure_find(measure), &input, out, error);
}

static double end_of(const MrnFigureRequest *request, double usual) {
    return isnan(request->end) ? usual : request->end;
}

static bool begin_channel(Run *run, int number, const MrnFigureRequest *request, char name[80], MrnError *error) {
    MrnStudyTest test;
    mrn_channel_test(number, CHANNEL_SEED, &test);
    snprintf(name, 80, "test %d: %.60s", number, test.name);
    return run_begin(run, "gallery:floe_channel", test.overrides, request, error);
}

static bool begin_drift(Run *run, int number, const MrnFigureRequest *request, char name[80], MrnError *error) {
    MrnStudyTest test;
    mrn_drift_test(number, &test);
    snprintf(name, 80, "test %d: %.60s", number, test.name);
    return run_begin(run, "gallery:floe_drift", test.overrides, request, error);
}

/// The last frame of a run becomes a view; its scene goes to the result.
static void add_view(MrnFigureResult *out, const MrnScene *scene, MrnWorld *world, const char *label, double time) {
    char text[160], when[40] = "";
    if (time > 0) snprintf(when, sizeof when, ", %d h %02d", (int)(time / HOUR), (int)(fmod(time, HOUR) / 60 + 0.5));
    snprintf(text, sizeof text, "%s%s", label, when);
    MrnFigureView view = {.label = mrn_strdup(text), .scene = scene, .frame = out->frames.frames.count};
    mrn_frame_list_add(&out->frames, world);
    mrn_array_push(&out->views, view);
}

/// Views of a run at some times.
static bool views_of(MrnFigureResult *out, Run *run, const char *label, const double *times, size_t count,
                     MrnError *error) {
    bool good = true;
    mrn_array_push(&out->scenes, run->scene);
    for (size_t k = 0; k < count && good; k++) {
        good = run_to(run, times[k], INFINITY, error);
        if (good) add_view(out, run->scene, run->world, label, times[k]);
    }
    mrn_world_free(run->world);
    run->scene = NULL, run->world = NULL;
    run_free(run);
    return good;
}

// ---- The generator: 2.28 ----

static bool generator_steps(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    static const struct {
        const char *label, *concentration, *outline;
    } steps[] = {{"sizes of the law as discs, 30 %", "0.3", "round"},
                 {"outlines of the catalogue, 30 %", "0.3", "floe"},
                 {"more room filled, 50 %", "0.5", "floe"},
                 {"the concentration asked for, 70 %", "0.7", "floe"}};
    bool good = true;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && good; k++) {
        char concentration[80], outline[80];
        snprintf(concentration, sizeof concentration, "generate.floe.floes.concentration=%s", steps[k].concentration);
        snprintf(outline, sizeof outline, "generate.floe.floes.outline=%s", steps[k].outline);
        const char *const overrides[] = {"domain.kind=free",
                                         "generate.floe.floes.zone={box: {low: [0, 0], high: [400 m, 400 m]}}",
                                         "generate.floe.floes.count=160",
                                         "generate.floe.floes.largest=250 m",
                                         "generate.floe.floes.exponent=1.5",
                                         concentration,
                                         outline,
                                         NULL};
        Run run;
        good = run_begin(&run, "gallery:floe_drift", overrides, request, error);
        if (!good)
            run_free(&run);
        else
            good = views_of(out, &run, steps[k].label, (double[]){0}, 1, error);
    }
    return good;
}

// ---- The channel: 3.17 to 3.23 ----

/// The walls from end to end, and the pack above them.
static void show_channel(MrnFigureResult *out) {
    out->low[0] = -1700, out->low[1] = -2200, out->high[0] = 1700, out->high[1] = 2400;
}

static bool channel_start(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    Run run;
    char name[80];
    show_channel(out);
    if (begin_channel(&run, 1, request, name, error))
        return views_of(out, &run, "850 m wide, wind 10 m/s", (double[]){0}, 1, error);
    run_free(&run);
    return false;
}

static bool channel_views(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error, const int *tests,
                          size_t count) {
    static const double times[2] = {2 * HOUR + 240, 3 * HOUR + 2400};
    bool good = true;
    show_channel(out);
    for (size_t k = 0; k < count && good; k++) {
        Run run;
        char name[80];
        good = begin_channel(&run, tests[k], request, name, error);
        if (!good)
            run_free(&run);
        else
            good = views_of(out, &run, name, times, 2, error);
    }
    return good;
}

static bool channel_restitution(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return channel_views(request, out, error, (int[]){1, 2, 3}, 3);
}

static bool channel_friction(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return channel_views(request, out, error, (int[]){2, 4}, 2);
}

static bool channel_coriolis(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return channel_views(request, out, error, (int[]){1, 5}, 2);
}

static bool channel_tracks(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    Run run;
    char name[80];
    bool good = begin_channel(&run, 5, request, name, error) &&
                run_to(&run, end_of(request, CHANNEL_END), 120, error) &&
                measured(&run, "tracks", mrn_figure_curve(out, "%s", name), error);
    run_free(&run);
    return good;
}

/// A column of the step table for several tests of the channel, one curve each; the first sheet also has `lines`.
static bool channel_steps(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error, const int *tests,
                          size_t count, bool energy) {
    MRN_ARRAY(double) values = {0};
    size_t rows = 0;
    double all = 0, passed = 0;
    bool good = true;
    char names[MRN_CHANNEL_TESTS][80];
    MRN_ARRAY(double) times = {0};
    for (size_t k = 0; k < count && good; k++) {
        Run run;
        good = begin_channel(&run, tests[k], request, names[k], error) &&
               run_to(&run, end_of(request, CHANNEL_END), INFINITY, error);
        for (size_t i = 0; good && i < run.steps.count; i++) {
            const MrnStepInfo *step = &run.steps.data[i];
            if (k == 0) mrn_array_push(&times, step->time);
            mrn_array_push(&values, energy ? step->kinetic_energy : step->normal_impulse);
        }
        if (good && k == 0) {
            rows = run.steps.count;
            for (size_t b = 0; b < run.scene->model->bodies.count; b++) {
                double e = 0.5 * run.scene->model->bodies.data[b].mass * NANSEN_WIND * NANSEN_WIND;
                all += e;
                if (mrn_world_position(run.world, (int)b)[1] < 0) passed += e;
            }
        }
        run_free(&run);
    }
    if (good) {
        MrnSheet *sheet = mrn_figure_curve(out, "channel");
        mrn_sheet_title(sheet, energy ? "Kinetic energy" : "Sum of the normal impulses in 5 s");
        mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_LINE);
        for (size_t k = 0; k < count; k++) mrn_sheet_column(sheet, names[k], energy ? "J" : "N s", MRN_COLUMN_LINE);
        if (energy) mrn_sheet_column(sheet, "all at free drift", "J", MRN_COLUMN_DASHED);
        if (energy) mrn_sheet_column(sheet, "those that passed in test 1", "J", MRN_COLUMN_DASHED);
        double *row = mrn_alloc(count + 3, sizeof *row);
        for (size_t i = 0; i < rows; i++) {
            row[0] = times.data[i];
            for (size_t k = 0; k < count; k++) row[1 + k] = values.data[k * rows + i];
            row[1 + count] = all, row[2 + count] = passed;
            mrn_sheet_row(sheet, row);
        }
        free(row);
        if (energy)
            mrn_sheet_note(sheet, "all at free drift %.3g J (published 1.59e7), passed %.3g J (3.96e6)", all, passed);
    }
    mrn_array_free(&values);
    mrn_array_free(&times);
    return good;
}

static bool channel_energy(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return channel_steps(request, out, error, (int[]){1, 2, 3, 4, 5}, 5, true);
}

static bool channel_impulses(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return channel_steps(request, out, error, (int[]){1, 3}, 2, false);
}

// ---- The open drift: 3.24 to 3.36, and 26 of the paper ----

static bool drift_forcing(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    Run run;
    char name[80];
    MrnSheet covered = {0};
    bool good = begin_drift(&run, 13, request, name, error) && run_to(&run, end_of(request, 72 * HOUR), HOUR, error) &&
                measured(&run, "concentration", &covered, error);
    if (good) {
        const MrnEnvironment *e = run.scene->model->environment;
        const double origin[2] = {0, 0}, degree = 3.14159265358979323846 / 180;
        MrnSheet *sheet = mrn_figure_curve(out, "%s", name);
        static const char *const names[] = {
            "wind",         "current", "direction of the wind", "direction of the current", "collisions per hour",
            "concentration"};
        static const char *const units[] = {"m/s", "m/s", "degree", "degree", "1/h", "1"};
        mrn_sheet_title(sheet, "Forcing and the pack");
        mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_LINE);
        for (int k = 0; k < 6; k++) {
            size_t column = mrn_sheet_column(sheet, names[k], units[k], MRN_COLUMN_LINE);
            sheet->columns.data[column].logarithmic = k < 2; // winds and currents in one panel
        }
        size_t step = 0;
        for (size_t row = 1; row < mrn_sheet_rows(&covered); row++) {
            double time = mrn_sheet_value(&covered, row, 0), before = mrn_sheet_value(&covered, row - 1, 0), w[2], c[2];
            double hits = 0;
            for (; step < run.steps.count && run.steps.data[step].time <= time + 1e-6; step++)
                hits += (double)run.steps.data[step].collisions;
            mrn_forcing_at(&e->wind, time, origin, w);
            mrn_forcing_at(&e->current, time, origin, c);
            mrn_sheet_row(sheet, (double[]){time, hypot(w[0], w[1]), hypot(c[0], c[1]), atan2(w[1], w[0]) / degree,
                                            atan2(c[1], c[0]) / degree, hits * HOUR / (time - before),
                                            mrn_sheet_value(&covered, row, 1)});
        }
        mrn_sheet_note(sheet, "directions are those to which wind and current go, from east; %s", name);
    }
    mrn_sheet_free(&covered);
    run_free(&run);
    return good;
}

/// Path of the mass centre, from the measure `drift`, as a curve.
static bool add_path(MrnFigureResult *out, const Run *run, const char *label, MrnError *error) {
    MrnSheet drift = {0};
    bool good = measured(run, "drift", &drift, error);
    MrnSheet *sheet = mrn_figure_curve(out, "%s", label);
    mrn_sheet_title(sheet, "Path of the mass centre");
    mrn_sheet_column(sheet, "east", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "north", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_HIDDEN);
    for (size_t row = 0; good && row < mrn_sheet_rows(&drift); row++)
        mrn_sheet_row(sheet, (double[]){mrn_sheet_value(&drift, row, 1), mrn_sheet_value(&drift, row, 2),
                                        mrn_sheet_value(&drift, row, 0)});
    mrn_sheet_free(&drift);
    return good;
}

static bool drift_paths(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error, const int *tests,
                        size_t count) {
    bool good = true;
    for (size_t k = 0; k < count && good; k++) {
        Run run;
        char name[80];
        good = begin_drift(&run, tests[k], request, name, error) &&
               run_to(&run, end_of(request, 72 * HOUR), HOUR, error) && add_path(out, &run, name, error);
        run_free(&run);
    }
    return good;
}

/// A floe of 200 m radius, 1 m thick, in the same wind over an ocean at rest.
static bool reference_path(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    static const char *const overrides[] = {
        "generate=[]", "domain.kind=free",
        "bodies=[{name: floe, shape: {regular: {sides: 32, radius: 200 m}}, thickness: 1 m}]",
        "environment={latitude: 80.2 deg, wind: {ramp: 12 h, outside: hold, table: [{time: 0, velocity: [-10 m/s, -4 "
        "m/s]}, {time: 45 h, velocity: [-10 m/s, -4 m/s]}, {time: 46 h, velocity: [-4 m/s, 10 m/s]}, {time: 47 h, "
        "velocity: [8 m/s, 6 m/s]}, {time: 48 h, velocity: [2 m/s, -12 m/s]}]}}",
        NULL};
    MrnFigureRequest plain = {.end = request->end}; // overrides are for packs
    Run run;
    bool good = run_begin(&run, "gallery:floe_drift", overrides, &plain, error) &&
                run_to(&run, end_of(request, 72 * HOUR), HOUR, error) &&
                add_path(out, &run, "one floe, ocean at rest", error);
    run_free(&run);
    return good;
}

static bool paths_and_reference(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_paths(request, out, error, (int[]){3, 8}, 2) && reference_path(request, out, error);
}

static bool paths_of_boundaries(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_paths(request, out, error, (int[]){4, 13}, 2);
}

static bool paths_of_concentrations(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_paths(request, out, error, (int[]){1, 2, 4}, 3);
}

/// One measure of several tests, one curve each.
static bool drift_measures(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error, const int *tests,
                           size_t count, const char *measure, int column) {
    bool good = true;
    for (size_t k = 0; k < count && good; k++) {
        Run run;
        char name[80];
        good =
            begin_drift(&run, tests[k], request, name, error) && run_to(&run, end_of(request, 72 * HOUR), HOUR, error);
        MrnSheet *sheet = mrn_figure_curve(out, "%s", name);
        good = good && measured(&run, measure, sheet, error);
        for (size_t c = 1; good && column > 0 && c < sheet->columns.count; c++)
            if ((int)c != column) sheet->columns.data[c].style = MRN_COLUMN_HIDDEN;
        run_free(&run);
    }
    return good;
}

static const int nine[] = {1, 2, 4, 5, 6, 7, 9, 10, 11};

static bool free_concentration(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_measures(request, out, error, (int[]){13}, 1, "concentration", 0);
}

static bool dispersions(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_measures(request, out, error, nine, 9, "dispersion", 1);
}

static bool half_pairs(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_measures(request, out, error, nine, 9, "dispersion", 2);
}

static bool clusterings(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return drift_measures(request, out, error, nine, 9, "clustering", 0);
}

static bool configurations(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    Run run;
    char name[80];
    double end = end_of(request, 72 * HOUR);
    if (begin_drift(&run, 9, request, name, error))
        return views_of(out, &run, name, (double[]){0, end / 3, 2 * end / 3, end}, 4, error);
    run_free(&run);
    return false;
}

static bool contact_modes(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        const char *const overrides[] = {"generate.floe.floes.count=60",
                                         k ? "event_driven.contacts=simultaneous" : "event_driven.contacts=active",
                                         NULL};
        Run run;
        good = run_begin(&run, "gallery:floe_drift", overrides, request, error);
        double end = end_of(request, 84 * HOUR);
        if (!good)
            run_free(&run);
        else
            good = views_of(out, &run, k ? "all contacts at once" : "one after the other", &end, 1, error);
    }
    return good;
}

// ---- One floe alone and in the pack: 3.26 to 3.28, 3.33 ----

typedef struct Lone {
    const char *label;
    bool round, smallest, alone;
} Lone;
enum { LARGE_ALONE, LARGE_PACKED, SMALL_ALONE, SMALL_PACKED, LARGE_ROUND, SMALL_ROUND, LONE_COUNT };
static const Lone lones[LONE_COUNT] = {
    {"largest floe, alone", false, false, true},       {"largest floe, in the pack", false, false, false},
    {"smallest floe, alone", false, true, true},       {"smallest floe, in the pack", false, true, false},
    {"largest floe, alone, round", true, false, true}, {"smallest floe, alone, round", true, true, true}};

/// Places of one floe every `interval`, relative to its start, rows time, x, y.
static bool lone_path(const MrnFigureRequest *request, const Lone *lone, double interval, MrnSheet *out,
                      MrnError *error) {
    const char *const overrides[] = {
        "generate.floe.floes.count=60", "generate.floe.floes.concentration=0.7",
        lone->round ? "generate.floe.floes.outline=round" : "generate.floe.floes.outline=floe", NULL};
    Run run;
    bool good = run_begin(&run, "gallery:floe_drift", overrides, request, error);
    mrn_sheet_title(out, "Path of a floe");
    mrn_sheet_column(out, "east", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "north", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_HIDDEN);
    if (good) {
        size_t count = run.scene->model->bodies.count, body = lone->smallest ? count - 1 : 0; // sorted by size
        MrnState *state = mrn_world_state(run.world);
        for (size_t b = 0; b < count && lone->alone; b++) state->active[b] = b == body;
        mrn_world_state_changed(run.world);
        good = run_to(&run, end_of(request, 48 * HOUR), interval, error);
        for (size_t f = 0; good && f < run.frames.frames.count; f++) {
            const MrnFrame *frame = &run.frames.frames.data[f];
            const double *x = frame->position + 2 * body, *start = run.frames.frames.data[0].position + 2 * body;
            mrn_sheet_row(out, (double[]){x[0] - start[0], x[1] - start[1], frame->time});
        }
    }
    run_free(&run);
    return good;
}

static bool lone_paths(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error, const int *which,
                       size_t count) {
    bool good = true;
    for (size_t k = 0; k < count && good; k++)
        good = lone_path(request, &lones[which[k]], 600, mrn_figure_curve(out, "%s", lones[which[k]].label), error);
    return good;
}

static bool largest_paths(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return lone_paths(request, out, error, (int[]){LARGE_ALONE, LARGE_PACKED}, 2);
}

static bool smallest_paths(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return lone_paths(request, out, error, (int[]){SMALL_ALONE, SMALL_PACKED}, 2);
}

static bool alone_paths(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    return lone_paths(request, out, error, (int[]){LARGE_ALONE, LARGE_ROUND, SMALL_ALONE, SMALL_ROUND}, 4);
}

static bool path_distances(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    static const struct {
        const char *label;
        int a, b;
    } pairs[] = {{"collisions, largest floe", LARGE_ALONE, LARGE_PACKED},
                 {"collisions, smallest floe", SMALL_ALONE, SMALL_PACKED},
                 {"size: largest and smallest alone", LARGE_ALONE, SMALL_ALONE},
                 {"shape, largest floe", LARGE_ALONE, LARGE_ROUND},
                 {"shape, smallest floe", SMALL_ALONE, SMALL_ROUND}};
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    MrnSheet path[LONE_COUNT] = {{0}};
    bool good = true;
    for (int k = 0; k < LONE_COUNT && good; k++) good = lone_path(request, &lones[k], 60, &path[k], error);
    MrnSheet *sheet = mrn_figure_curve(out, "distances");
    mrn_sheet_title(sheet, "Distance between paths");
    mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_LINE);
    for (int p = 0; p < PAIRS; p++) {
        size_t column = mrn_sheet_column(sheet, pairs[p].label, "m", MRN_COLUMN_LINE);
        sheet->columns.data[column].logarithmic = true;
    }
    for (size_t row = 1; good && row < mrn_sheet_rows(&path[0]); row++) {
        double values[PAIRS + 1] = {mrn_sheet_value(&path[0], row, 2)};
        for (int p = 0; p < PAIRS; p++) {
            const MrnSheet *a = &path[pairs[p].a], *b = &path[pairs[p].b];
            double apart = hypot(mrn_sheet_value(a, row, 0) - mrn_sheet_value(b, row, 0),
                                 mrn_sheet_value(a, row, 1) - mrn_sheet_value(b, row, 1));
            values[1 + p] = apart > 1e-6 ? apart : NAN;
        }
        mrn_sheet_row(sheet, values);
    }
    for (int k = 0; k < LONE_COUNT; k++) mrn_sheet_free(&path[k]);
    return good;
}

#define MINUTES "a few minutes"

const MrnFigure mrn_figures_floe_packs[] = {
    {"T-2.28", "Steps of the pack generator", "160 floes, exponent 1.5, 70 % of 400 m by 400 m", MRN_DRAWING_SERIES, "",
     generator_steps},
    {"T-3.17", "The channel at the start", "850 m wide, 2 km long; paper: figure 16", MRN_DRAWING_SERIES, "",
     channel_start},
    {"T-3.18", "The channel at 2 h 04 and 3 h 40 for three restitutions", "tests 1 and 2 jam, 3 not; paper: figure 17",
     MRN_DRAWING_SERIES, MINUTES, channel_restitution},
    {"T-3.19", "The channel for two frictions", "test 2 jams, 4 not; paper: figure 18", MRN_DRAWING_SERIES, MINUTES,
     channel_friction},
    {"T-3.20", "The channel with and without Coriolis force", "both jam, with different places; paper: figure 19",
     MRN_DRAWING_SERIES, MINUTES, channel_coriolis},
    {"T-3.21", "Tracks in the channel with Coriolis force", "a little to the right; paper: figure 20",
     MRN_DRAWING_SCATTER, "a minute", channel_tracks},
    {"T-3.22", "Kinetic energy in the channel", "reference lines 1.59e7 J and 3.96e6 J; paper: figure 21",
     MRN_DRAWING_SERIES, MINUTES, channel_energy},
    {"T-3.23", "Impulses in the channel, in windows of 5 s", "intermittent, tests 1 and 3; paper: figure 22",
     MRN_DRAWING_SERIES, MINUTES, channel_impulses},
    {"T-3.24", "Wind, current, collisions per hour and concentration", "1e5 per hour; paper: figure 23",
     MRN_DRAWING_SERIES, "a minute", drift_forcing},
    {"T-3.25", "Paths of tests 3 and 8 and of a floe alone", "packs follow the floe alone; paper: figure 24",
     MRN_DRAWING_SCATTER, "a minute", paths_and_reference},
    {"T-3.26", "The largest floe alone and in the pack", "about 80 m apart before day 3", MRN_DRAWING_SCATTER,
     "a minute", largest_paths},
    {"T-3.27", "The smallest floe alone and in the pack", "about 220 m apart before day 3", MRN_DRAWING_SCATTER,
     "a minute", smallest_paths},
    {"T-3.28", "Floes alone: size and shape", "30 m and 2 cm apart", MRN_DRAWING_SCATTER, "", alone_paths},
    {"T-3.29", "Paths with periodic and free boundaries", "tests 4 and 13, similar", MRN_DRAWING_SCATTER, "a minute",
     paths_of_boundaries},
    {"T-3.30", "Concentration with free boundaries", "70, then 58, then 61 %", MRN_DRAWING_SERIES, "a minute",
     free_concentration},
    {"T-3.31", "Paths of three concentrations", "tests 1, 2 and 4, similar", MRN_DRAWING_SCATTER, "a minute",
     paths_of_concentrations},
    {"T-3.32", "The pack at several times", "test 9: clusters; paper: figure 25", MRN_DRAWING_SERIES, "a minute",
     configurations},
    {"T-3.33", "Distances between paths", "collisions, then size, then shape", MRN_DRAWING_SERIES, "a minute",
     path_distances},
    {"T-3.34", "Dispersion of nine tests", "grows; less when periodic or dense", MRN_DRAWING_SERIES, MINUTES,
     dispersions},
    {"T-3.35", "Share of pairs closer than r on day 3", "slopes below 2 beyond 20 m and 100 m", MRN_DRAWING_SCATTER,
     MINUTES, clusterings},
    {"T-3.36", "Distance of half of the pairs", "like the dispersion", MRN_DRAWING_SERIES, MINUTES, half_pairs},
    {"P-26", "Clusters at 84 h, contacts one after the other and all at once", "a similar pattern", MRN_DRAWING_SERIES,
     MINUTES, contact_modes},
};
const size_t mrn_figures_floe_packs_count = sizeof mrn_figures_floe_packs / sizeof *mrn_figures_floe_packs;
