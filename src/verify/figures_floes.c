// Figures of the thesis of Rabatel (Grenoble 2015) from closed forms and small runs: chapters 2 and 3.1, specification
// of floes 4.9. Each computes what the published one shows, with its theory beside it.
#include "force/environment.h"
#include "force/forcing.h"
#include "verify/figure.h"
#include "verify/floes.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

#define PI      3.14159265358979323846
#define GRAVITY 9.81
#define ICE     917.0 ///< kg/m3; 1 m thick in the analysis of stability

/// A model and its world.
typedef struct Run {
    MrnModel *model;
    MrnWorld *world; ///< NULL after an error
} Run;

static Run begin(MrnModel *model, const MrnScheme *scheme, MrnError *error) {
    return (Run){model, mrn_world_new(model, scheme, error)};
}

static void end(Run *run) {
    if (run->world) mrn_world_free(run->world);
    mrn_model_free(run->model);
}

/// Columns of a sheet whose first one is time.
static void time_columns(MrnSheet *sheet, const char *title, const char *const names[], const char *unit,
                         size_t count) {
    mrn_sheet_title(sheet, "%s", title);
    mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_LINE);
    for (size_t k = 0; k < count; k++) mrn_sheet_column(sheet, names[k], unit, MRN_COLUMN_LINE);
}

// ---- Stability of explicit steps: 2.3 to 2.6 ----

static bool stable_maps(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request, (void)error;
    static const double cases[4][2] = {{5, 0.3}, {-4, -0.1}, {6, -0.3}, {-4, 0.5}};
    static const char *const names[4] = {"(i) wind 5, current 0.3", "(ii) wind -4, current -0.1",
                                         "(iii) wind 6, current -0.3", "(iv) wind -4, current 0.5"};
    MrnEnvironment e = mrn_environment_defaults();
    MrnSheet *sheet = mrn_figure_curve(out, "map");
    double step[4];
    mrn_sheet_title(sheet, "Velocity after a step");
    mrn_sheet_column(sheet, "velocity before", "m/s", MRN_COLUMN_LINE);
    for (int k = 0; k < 4; k++) {
        mrn_sheet_column(sheet, names[k], "m/s", MRN_COLUMN_LINE);
        step[k] = fmin(mrn_drag_limit_monotone(&e, ICE, cases[k][0]),
                       mrn_drag_limit_bounded(&e, ICE, cases[k][0], cases[k][1]));
        mrn_sheet_note(sheet, "%s m/s: the longest step is %.2f s, fixed point %.4f m/s", names[k], step[k],
                       mrn_nansen(&e) * cases[k][0] + cases[k][1]);
    }
    mrn_sheet_column(sheet, "no change", "m/s", MRN_COLUMN_DASHED);
    for (int i = 0; i <= 400; i++) {
        double x = -0.8 + 1.6 * i / 400, row[6] = {x, 0, 0, 0, 0, x};
        for (int k = 0; k < 4; k++) row[1 + k] = mrn_drag_map(&e, ICE, step[k], cases[k][0], cases[k][1], x);
        mrn_sheet_row(sheet, row);
    }
    return true;
}

static bool limit_surface(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request, (void)error;
    MrnEnvironment e = mrn_environment_defaults();
    MrnSheet *sheet = mrn_figure_curve(out, "limit");
    mrn_sheet_title(sheet, "Longest step that keeps speeds bounded, 2 K / L");
    mrn_sheet_column(sheet, "wind", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "current", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "logarithm of the step in s, to base 10", "1", MRN_COLUMN_LINE);
    double least = INFINITY, at[2] = {0, 0};
    for (int j = 0; j <= 80; j++)
        for (int i = 0; i <= 80; i++) {
            double wind = -10 + 0.25 * i, current = -2 + 0.05 * j;
            double step = mrn_drag_limit_bounded(&e, ICE, wind, current);
            if (wind * current >= 0 && wind != 0 && step < least) least = step, at[0] = wind, at[1] = current;
            mrn_sheet_row(sheet, (double[]){wind, current, step > 0 ? log10(step) : NAN});
        }
    mrn_sheet_note(sheet, "where wind and current go the same way the least step is %.2f s, at (%g, %g) m/s", least,
                   at[0], at[1]);
    mrn_sheet_note(sheet, "where they cancel nothing drifts, and 2 K / L is 0: there the water brakes, not this limit");
    return true;
}

/// Velocities of a point floe step by step.
static void iterate(MrnSheet *sheet, const MrnEnvironment *e, const double (*runs)[4], size_t count, int steps) {
    double *x = mrn_alloc(count + 1, sizeof *x);
    for (size_t r = 0; r < count; r++) x[1 + r] = runs[r][2];
    for (int k = 0; k <= steps; k++) {
        x[0] = k;
        mrn_sheet_row(sheet, x);
        for (size_t r = 0; r < count; r++) {
            x[1 + r] = mrn_drag_map(e, ICE, runs[r][3], runs[r][0], runs[r][1], x[1 + r]);
            if (fabs(x[1 + r]) > 1e3) x[1 + r] = NAN;
        }
    }
    free(x);
}

static bool falling_currents(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request, (void)error;
    MrnEnvironment e = mrn_environment_defaults();
    double fast = mrn_nansen(&e) * 10 + 5, step = 0.75 * mrn_drag_limit_falling(&e, ICE, 0, 0, fast);
    const double runs[3][4] = {{-4, 0.5, 0.8, 176}, {-2, 0.3, 0.8, 176}, {0, 0, fast, step}};
    MrnSheet *sheet = mrn_figure_curve(out, "steps");
    mrn_sheet_title(sheet, "Velocity after k steps when wind and current fall");
    mrn_sheet_column(sheet, "step", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "wind -4, current 0.5 m/s, step 176 s", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "fallen to -2 and 0.3 m/s, step 176 s", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "10 and 5 m/s fallen to 0, from 5.2 m/s", "m/s", MRN_COLUMN_DASHED);
    iterate(sheet, &e, runs, 3, 12);
    mrn_sheet_note(sheet, "from 5.2 m/s: three quarters of the limit are %.1f s, the speed after one step %.2f m/s",
                   step, fabs(mrn_drag_map(&e, ICE, step, 0, 0, fast)));
    return true;
}

static bool pathological_steps(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request, (void)error;
    MrnEnvironment e = mrn_environment_defaults();
    static const double runs[3][4] = {{8, 0.7, 0.8, 1500}, {8, 0.7, -0.6, 300}, {10, 1.5, -3.42, 75}};
    MrnSheet *sheet = mrn_figure_curve(out, "steps");
    mrn_sheet_title(sheet, "Velocity after k steps beyond the limits");
    mrn_sheet_column(sheet, "step", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "(a) wind 8, current 0.7 m/s, steps of 1500 s: never settles", "m/s", MRN_COLUMN_LINE);
    size_t b = mrn_sheet_column(sheet, "(b) the same, 300 s: diverges", "m/s", MRN_COLUMN_LINE),
           c = mrn_sheet_column(sheet, "(c) wind 10, current 1.5 m/s, 75 s: diverges", "m/s", MRN_COLUMN_LINE);
    iterate(sheet, &e, runs, 3, 6);
    // On an axis of their own: sign and logarithm of 1 + |v|.
    free(sheet->columns.data[b].unit), free(sheet->columns.data[c].unit);
    sheet->columns.data[b].unit = mrn_strdup("1"), sheet->columns.data[c].unit = mrn_strdup("1");
    for (size_t row = 0; row < mrn_sheet_rows(sheet); row++)
        for (size_t k = b; k <= c; k++) {
            double *v = &sheet->values.data[row * sheet->columns.count + k];
            *v = copysign(log10(1 + fabs(*v)), *v);
        }
    mrn_sheet_note(sheet, "(b) and (c): sign of the velocity times log10(1 + |v| s/m)");
    return true;
}

// ---- Collisions: 3.3 to 3.10 ----

static bool sliding_box(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    static const double mu[] = {0, 0.02, 0.05, 0.08, 0.1, 0.11};
    enum { COUNT = sizeof mu / sizeof *mu };
    static const char *const names[COUNT] = {"friction 0",    "friction 0.02", "friction 0.05",
                                             "friction 0.08", "friction 0.1",  "friction 0.11"};
    double step = 0.005, x[COUNT + 1];
    Run run[COUNT] = {{NULL, NULL}};
    bool good = true;
    for (int k = 0; k < COUNT && good; k++) {
        MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(mu[k], 0, 0));
        double vertices[8] = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
        mrn_add_block(model, 60, 1, 8, -0.5);
        mrn_add_polygon(model, vertices, 4, 1, 0, 0, 0.51, 0);
        mrn_model_add_push(model, &(MrnPush){.body = 1, .force = {1, 0}, .from = 1, .until = 5}, NULL);
        MrnScheme scheme = mrn_floe_scheme(step, MRN_CONTACTS_SIMULTANEOUS);
        run[k] = begin(model, &scheme, error);
        good = run[k].world != NULL;
    }
    MrnSheet *sheet = mrn_figure_curve(out, "box");
    time_columns(sheet, "Displacement of a box pushed with 1 N from 1 s to 5 s", names, "m", COUNT);
    for (int i = 0; good && i <= 1400; i++) {
        x[0] = i * step;
        for (int k = 0; k < COUNT; k++) x[1 + k] = mrn_world_position(run[k].world, 1)[0];
        if (i % 4 == 0) mrn_sheet_row(sheet, x);
        for (int k = 0; k < COUNT && good; k++) good = mrn_world_step(run[k].world, NULL, error);
    }
    mrn_sheet_note(sheet, "the box moves where friction is below 1/g = 0.1019");
    for (int k = 0; k < COUNT; k++)
        if (run[k].model) end(&run[k]);
    return good;
}

static bool cannon(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    static const double radii[] = {1, 0.8, 0.65, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    MrnSheet *sheet = mrn_figure_curve(out, "cannon");
    mrn_sheet_title(sheet, "Velocity of the upper ball");
    size_t x = mrn_sheet_column(sheet, "radius of the upper ball", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "computed", "m/s", MRN_COLUMN_POINTS);
    mrn_sheet_column(sheet, "theory", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "equal balls", "m/s", MRN_COLUMN_DASHED);
    mrn_sheet_column(sheet, "three times that", "m/s", MRN_COLUMN_DASHED);
    sheet->columns.data[x].logarithmic = true;
    bool good = true;
    for (size_t i = 0; i < sizeof radii / sizeof *radii && good; i++) {
        double r = radii[i], gap = fmin(5e-4, 2e-3 * r), speed = sqrt(2 * GRAVITY), m = r * r;
        MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0, 1, 0));
        mrn_add_block(model, 10, 1, 0, -0.5);
        int lower = mrn_add_regular(model, 32, 1, PI / 2, PI, 0, 2);
        int upper = mrn_add_regular(model, 32, r, PI / 2, PI * r * r, 0, 3 + gap + r);
        model->bodies.data[lower].collision_distance = 1e-3;
        MrnScheme scheme = mrn_floe_scheme(1e-4, MRN_CONTACTS_ACTIVE);
        Run run = begin(model, &scheme, error);
        MrnStepInfo info = {0};
        good = run.world != NULL;
        for (int k = 0; k < 6000 && good && !info.collisions; k++) good = mrn_world_step(run.world, &info, error);
        if (good)
            mrn_sheet_row(sheet, (double[]){r, mrn_world_velocity(run.world, upper)[1] + GRAVITY * scheme.time_step,
                                            (2 * speed - (m - 1) * speed) / (1 + m), speed, 3 * speed});
        end(&run);
    }
    return good;
}

/// A ball of 1 kg that falls from 1 m on a floor.
static Run falling_ball(double restitution, MrnStepping stepping, double step, MrnError *error) {
    MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0, restitution, 0));
    int floor = mrn_add_block(model, 10, 1, 0, -0.5);
    int ball = mrn_add_regular(model, 32, 0.5, PI / 2 + PI / 32, 1, 0, 1 + 0.5 * cos(PI / 32));
    model->bodies.data[ball].collision_distance = model->bodies.data[floor].collision_distance = 1e-3;
    MrnScheme scheme = mrn_floe_scheme(step, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.stepping = stepping;
    return begin(model, &scheme, error);
}

static bool bouncing_ball(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    double step = 5e-4, e = 0.75, below = 0.5 * cos(PI / 32);
    Run run = falling_ball(e, MRN_STEPPING_LOCAL, step, error);
    bool good = run.world != NULL;
    MrnSheet *sheet = mrn_figure_curve(out, "ball");
    mrn_sheet_title(sheet, "A ball bounces until it rests");
    mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "height", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "height, theory", "m", MRN_COLUMN_DASHED);
    mrn_sheet_column(sheet, "velocity", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "velocity, theory", "m/s", MRN_COLUMN_DASHED);
    mrn_sheet_column(sheet, "impulse", "N s", MRN_COLUMN_POINTS);
    mrn_sheet_column(sheet, "impulse, theory", "N s", MRN_COLUMN_POINTS);
    double start = 0, up = 0, from = 1; // of the flight that theory is in
    for (int k = 0; k < 10000 && good; k++) {
        MrnStepInfo info;
        good = mrn_world_step(run.world, &info, error);
        if (!good) break;
        double t = mrn_world_time(run.world), impulse[3] = {0, NAN, 0}, moment[3], hit = NAN;
        if (info.collisions) mrn_world_contact_resultant(run.world, 1, impulse, moment);
        for (;;) {
            double lasts = (up + sqrt(up * up + 2 * GRAVITY * from)) / GRAVITY;
            if (t < start + lasts || lasts < 1e-9) break;
            double speed = sqrt(up * up + 2 * GRAVITY * from);
            hit = (1 + e) * speed, start += lasts, up = e * speed, from = 0;
        }
        double s = t - start, rest = up < 1e-6 && from == 0 ? 0 : 1;
        if (k % 4 == 0 || info.collisions || isfinite(hit))
            mrn_sheet_row(sheet,
                          (double[]){t, mrn_world_position(run.world, 1)[1] - below,
                                     rest * (from + up * s - 0.5 * GRAVITY * s * s),
                                     mrn_world_velocity(run.world, 1)[1], rest * (up - GRAVITY * s), impulse[1], hit});
    }
    mrn_sheet_note(sheet, "impacts pile up at 3.1607 s; the run goes on (--from 3 --to 5 shows that)");
    end(&run);
    return good;
}

/// Tops of the flights after the first `count` rebounds of an elastic ball.
static bool tops(double step, int count, double *top, MrnError *error) {
    double below = 0.5 * cos(PI / 32);
    Run run = falling_ball(1, MRN_STEPPING_GLOBAL, step, error);
    bool good = run.world != NULL;
    memset(top, 0, (size_t)count * sizeof *top);
    for (int rebounds = 0; rebounds <= count && good;) {
        MrnStepInfo info;
        good = mrn_world_step(run.world, &info, error);
        if (good && info.collisions) rebounds++;
        if (good && rebounds && rebounds <= count)
            top[rebounds - 1] = fmax(top[rebounds - 1], mrn_world_position(run.world, 1)[1] - below);
    }
    end(&run);
    return good;
}

/// With g step sqrt(2 h / g) more at every rebound sqrt(h) grows by step sqrt(g / 2): h = (1 + k step sqrt(g / 2))^2.
static bool elastic_ball(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    enum { REBOUNDS = 300 };
    static const double steps[2] = {5e-4, 2e-4};
    double top[2][REBOUNDS];
    for (int k = 0; k < 2; k++)
        if (!tops(steps[k], REBOUNDS, top[k], error)) return false;
    MrnSheet *sheet = mrn_figure_curve(out, "ball");
    mrn_sheet_title(sheet, "Relative error of the highest point");
    mrn_sheet_column(sheet, "rebound", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "step 0.5 ms", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "step 0.5 ms, closed form", "1", MRN_COLUMN_DASHED);
    mrn_sheet_column(sheet, "step 0.2 ms", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "step 0.2 ms, closed form", "1", MRN_COLUMN_DASHED);
    for (int r = 1; r <= REBOUNDS; r++) {
        double row[5] = {r};
        for (int k = 0; k < 2; k++) {
            double root = 1 + r * steps[k] * sqrt(GRAVITY / 2);
            row[1 + 2 * k] = top[k][r - 1] - 1, row[2 + 2 * k] = root * root - 1;
        }
        mrn_sheet_row(sheet, row);
    }
    mrn_sheet_note(sheet,
                   "after 300 rebounds %.0f %% with the step of 0.5 ms that the thesis states, %.0f %% with 0.2 ms; "
                   "the thesis reports 30 %%",
                   100 * (top[0][REBOUNDS - 1] - 1), 100 * (top[1][REBOUNDS - 1] - 1));
    return true;
}

static bool long_cradle(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    static const int counts[] = {3, 10, 20, 50, 100, 200, 300, 500, 700, 1000};
    MrnSheet *sheet = mrn_figure_curve(out, "cradle");
    mrn_sheet_title(sheet, "Last ball of a cradle");
    mrn_sheet_column(sheet, "balls", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "velocity less 1 m/s", "m/s", MRN_COLUMN_POINTS);
    mrn_sheet_column(sheet, "1.1e-16 n", "m/s", MRN_COLUMN_DASHED);
    mrn_sheet_column(sheet, "transverse velocity", "m/s", MRN_COLUMN_POINTS);
    mrn_sheet_column(sheet, "angular velocity", "rad/s", MRN_COLUMN_POINTS);
    bool good = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && good; i++) {
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 1, 0));
        for (int k = 0; k < counts[i]; k++) mrn_add_regular(model, 32, 1, 0, 1, 2.001 * k, 0);
        MrnScheme scheme = mrn_floe_scheme(1e-3, MRN_CONTACTS_ACTIVE);
        Run run = begin(model, &scheme, error);
        good = run.world != NULL;
        if (good) mrn_world_set_velocity(run.world, 0, (double[]){1, 0}, (double[]){0});
        good = good && mrn_world_step(run.world, NULL, error);
        if (good) {
            const double *v = mrn_world_velocity(run.world, counts[i] - 1);
            mrn_sheet_row(sheet, (double[]){counts[i], fabs(v[0] - 1), 1.1e-16 * counts[i], v[1],
                                            mrn_world_spin(run.world, counts[i] - 1)[0]});
        }
        end(&run);
    }
    return good;
}

// ---- One floe in wind and water: 3.11 to 3.13 ----

static Run one_floe(double radius, double mass, MrnEnvironment *environment, double step, MrnError *error) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
    double area = 16 * radius * radius * sin(2 * PI / 32);
    mrn_add_regular(model, 32, radius, 0, mass > 0 ? mass : ICE * area, 0, 0);
    MrnScheme scheme = mrn_floe_scheme(step, MRN_CONTACTS_ACTIVE);
    if (!mrn_environment_attach(model, environment, error)) return (Run){model, NULL};
    return begin(model, &scheme, error);
}

static bool free_drift(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 4, environment.current.value[0] = 0.25;
    double b = mrn_nansen(&environment) * 4, area = 0.16 * sin(2 * PI / 32),
           c = environment.water_density * environment.water_drag * area / 2, turn = atan(0.25 / b) / (c * b);
    Run run = one_floe(0.1, 2, &environment, 0.02, error);
    bool good = run.world != NULL;
    static const char *const names[] = {"computed", "exact", "characteristic velocity"};
    MrnSheet *sheet = mrn_figure_curve(out, "speed");
    time_columns(sheet, "Speed of a floe in wind and current", names, "m/s", 3);
    sheet->columns.data[2].style = sheet->columns.data[3].style = MRN_COLUMN_DASHED;
    for (int k = 0; k <= 35000 && good; k++) {
        double t = mrn_world_time(run.world);
        double exact = t < turn ? 0.25 - b * tan(c * b * (turn - t)) : 0.25 + b * tanh(c * b * (t - turn));
        if (k % 100 == 0) mrn_sheet_row(sheet, (double[]){t, mrn_world_velocity(run.world, 0)[0], exact, b + 0.25});
        good = mrn_world_step(run.world, NULL, error);
    }
    end(&run);
    return good;
}

/// Path of a floe in kilometres: a curve of its own, one row each `every` steps of 10 s.
static bool path_of(MrnFigureResult *out, const char *label, MrnEnvironment *environment, double fraction, double days,
                    int every, MrnError *error) {
    environment->latitude = 81 * PI / 180;
    environment->ocean = fraction > 0;
    if (fraction > 0) environment->ocean_area = 16 * 1e4 * sin(2 * PI / 32) / fraction;
    Run run = one_floe(100, 0, environment, 10, error);
    bool good = run.world != NULL;
    MrnSheet *sheet = mrn_figure_curve(out, "%s", label);
    mrn_sheet_title(sheet, "Path of a floe");
    mrn_sheet_column(sheet, "east", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "north", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(sheet, "time", "s", MRN_COLUMN_HIDDEN);
    for (int k = 0; good && k <= (int)(days * 8640); k++) {
        const double *x = mrn_world_position(run.world, 0);
        if (k % every == 0) mrn_sheet_row(sheet, (double[]){x[0], x[1], mrn_world_time(run.world)});
        if (k == (int)(days * 8640))
            mrn_sheet_note(sheet, "%s: %.2f km east, %.2f km north, %.2f degrees right of east", label, x[0] / 1000,
                           x[1] / 1000, -atan2(x[1], x[0]) * 180 / PI);
        good = mrn_world_step(run.world, NULL, error);
    }
    end(&run);
    return good;
}

static bool turning(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    static const double fractions[] = {0, 0.2};
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        MrnEnvironment environment = mrn_environment_defaults();
        environment.wind.value[0] = 4;
        good = path_of(out, k ? "with the ocean layer" : "without", &environment, fractions[k], 2, 20, error);
    }
    return good;
}

static bool inertial(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    static const double hours[7][3] = {{0, 0, 0},  {12, -5, -2}, {45, -5, -2}, {46, -2, 5},
                                       {47, 4, 3}, {48, 1, -6},  {200, 1, -6}};
    static const double fractions[4] = {0.2, 0.5, 0.8, 0};
    static const char *const names[4] = {"ice on 20 %", "ice on 50 %", "ice on 80 %", "no ocean layer"};
    double rows[21];
    bool good = true;
    for (int i = 0; i < 21; i++) rows[i] = hours[i / 3][i % 3] * (i % 3 ? 1 : 3600);
    for (int k = 0; k < 4 && good; k++) {
        MrnEnvironment environment = mrn_environment_defaults();
        good = mrn_forcing_table(&environment.wind, rows, 7, error) &&
               path_of(out, names[k], &environment, fractions[k], 6, 60, error);
    }
    return good;
}

// ---- The basin: 3.16 ----

static bool basin(const MrnFigureRequest *request, MrnFigureResult *out, MrnError *error) {
    (void)request;
    // cm/s: before u1 v1 u2 v2, measured after u1 v1 u2 v2; angle of the normal: collisions 1, 4 and 7 of the table.
    static const double rows[3][9] = {{-0.84, -21.72, -0.62, -0.44, -0.46, -7.07, 0, -14.34, -1.37},
                                      {3.33, -25.14, 0.41, 2.78, -2.23, -6.6, 7.34, -14.01, -24.48},
                                      {-7.38, -27.28, 2, 0.26, -11.94, -11.01, 6.73, -16.73, -17.41}};
    static const int numbers[3] = {1, 4, 7};
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        double phi = rows[i][8] * PI / 180, n[2] = {sin(phi), cos(phi)}, angle = atan2(n[1], n[0]), away = 0.991;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0.35, 0));
        double v[2][2] = {{rows[i][0] / 100, rows[i][1] / 100}, {rows[i][2] / 100, rows[i][3] / 100}};
        double at[2][2] = {{0, 0}, {-away * n[0], -away * n[1]}};
        for (int b = 0; b < 2; b++) // one second before the contact
            mrn_add_regular(model, 32, 0.495, angle + (b ? 0 : PI), 14, at[b][0] - v[b][0], at[b][1] - v[b][1]);
        MrnScheme scheme = mrn_floe_scheme(0.01, MRN_CONTACTS_ACTIVE);
        Run run = begin(model, &scheme, error);
        good = run.world != NULL;
        MrnSheet *sheet = mrn_figure_curve(out, "collision %d", numbers[i]);
        mrn_sheet_title(sheet, "Paths of two discs in the basin");
        mrn_sheet_column(sheet, "x", "m", MRN_COLUMN_LINE);
        mrn_sheet_column(sheet, "computed", "m", MRN_COLUMN_LINE);
        mrn_sheet_column(sheet, "measured velocities", "m", MRN_COLUMN_DASHED);
        double path[2][201][2];
        for (int b = 0; b < 2 && good; b++) mrn_world_set_velocity(run.world, b, v[b], (double[]){0});
        for (int k = 0; k <= 200 && good; k++) {
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 2; c++) path[b][k][c] = mrn_world_position(run.world, b)[c];
            good = mrn_world_step(run.world, NULL, error);
        }
        for (int b = 0; b < 2 && good; b++) {
            for (int k = 0; k <= 200; k++) mrn_sheet_row(sheet, (double[]){path[b][k][0], path[b][k][1], NAN});
            mrn_sheet_row(sheet, (double[]){NAN, NAN, NAN});
            for (int k = 0; k <= 20; k++) { // from the place of contact on with the velocity of the film
                double s = k / 20.0, w[2] = {rows[i][4 + 2 * b] / 100, rows[i][5 + 2 * b] / 100};
                mrn_sheet_row(sheet, (double[]){at[b][0] + s * w[0], NAN, at[b][1] + s * w[1]});
            }
            mrn_sheet_row(sheet, (double[]){NAN, NAN, NAN});
        }
        end(&run);
    }
    return good;
}

const MrnFigure mrn_figures_floe_cases[] = {
    {"T-2.3", "One step of a floe under drag, at the longest stable step",
     "four signs of wind and current; the fixed point is the characteristic velocity", MRN_DRAWING_SCATTER, "",
     stable_maps},
    {"T-2.4", "The longest step over wind and current", "least where wind and current add up", MRN_DRAWING_MAP, "",
     limit_surface},
    {"T-2.5", "Steps when wind and current fall", "51.5 s from 5.2 m/s, then 2.6 m/s", MRN_DRAWING_SCATTER, "",
     falling_currents},
    {"T-2.6", "Steps beyond the limits", "(a) never settles, (b) and (c) diverge", MRN_DRAWING_SCATTER, "",
     pathological_steps},
    {"T-3.3", "A pushed box for several frictions", "moves below friction 0.102; paper: figure 12", MRN_DRAWING_SERIES,
     "", sliding_box},
    {"T-3.6", "Newton's cannon", "between the velocity of the impact and three times that", MRN_DRAWING_SCATTER, "",
     cannon},
    {"T-3.8", "A bouncing ball and its theory", "impacts pile up near 3 s", MRN_DRAWING_SERIES, "", bouncing_ball},
    {"T-3.9", "Highest point of an elastic ball", "30 % too high after 300 rebounds", MRN_DRAWING_SCATTER, "",
     elastic_ball},
    {"T-3.10", "The last ball of a long cradle", "error about 1.1e-16 n", MRN_DRAWING_SCATTER, "", long_cradle},
    {"T-3.11", "Speed of a floe in free drift", "0.33 m/s", MRN_DRAWING_SERIES, "", free_drift},
    {"T-3.12", "Paths with and without the ocean layer", "17 and 28 degrees right of the wind", MRN_DRAWING_SCATTER, "",
     turning},
    {"T-3.13", "Six days with and without the ocean layer", "eight oscillations; paths 1 km apart on day 6",
     MRN_DRAWING_SCATTER, "", inertial},
    {"T-3.16", "Paths of the discs of the basin", "restitution 0.35; paper: figure 15", MRN_DRAWING_SCATTER, "", basin},
};
const size_t mrn_figures_floe_cases_count = sizeof mrn_figures_floe_cases / sizeof *mrn_figures_floe_cases;
