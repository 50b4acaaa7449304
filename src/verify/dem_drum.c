// D3: 400 grains in a turning drum under smooth contacts and under Contact Dynamics (Cherkaoui 2021, 4.3.2).
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "verify/dem_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAINS = 400 };
#define DRUM    0.225
#define SETTLED 2.0 ///< s, after which the regime is established
#define END     5.0 ///< s

/// What one engine does between SETTLED and END.
typedef struct Outcome {
    double slope;            ///< deg, of the free surface, mean
    double penetration_mean; ///< m, over contacts
    double penetrating;      ///< share of contacts that overlap by more than 1e-7 m
    double force;            ///< N, normal, mean over the same contacts
    double kinetic[3];       ///< J, mean of each third of the time
    double touching;         ///< contacts, mean
} Outcome;

static MrnModel *drum_model(void) {
    MrnModel *model = mrn_small_model(2, 9.80665, mrn_law(0.2, 0.59, 0));
    mrn_add_drum(model, DRUM, 6 * 2 * M_PI / 60);
    double spacing = 8.1e-3;
    int made = 0;
    for (int row = 0; made < GRAINS; row++)
        for (int column = -40; column <= 40 && made < GRAINS; column++) {
            uint64_t entity = (uint64_t)made;
            double radius = mrn_random_between(7, entity, 0, 3.5e-3, 4e-3);
            double x = spacing * column + (row % 2) * 0.5 * spacing, y = -DRUM + 0.01 + 0.9 * spacing * row;
            if (sqrt(x * x + y * y) + radius > DRUM - 1e-4) continue;
            mrn_add_flat_ball(model, radius, x, y);
            made++;
        }
    return model;
}

/// Slope of the free surface: the direction of the line through the highest grain of each column in the middle half.
static double surface_slope(const MrnWorld *world) {
    enum { COLUMNS = 16 };
    double top[COLUMNS], sx = 0, sy = 0, sxx = 0, sxy = 0;
    int used = 0;
    for (int c = 0; c < COLUMNS; c++) top[c] = -INFINITY;
    for (int g = 1; g <= GRAINS; g++) {
        const double *x = mrn_world_position(world, g);
        int column = (int)floor((x[0] + 0.5 * DRUM) / DRUM * COLUMNS);
        if (column >= 0 && column < COLUMNS) top[column] = fmax(top[column], x[1]);
    }
    for (int c = 0; c < COLUMNS; c++) {
        if (!isfinite(top[c])) continue;
        double x = ((double)c + 0.5) / COLUMNS;
        sx += x, sy += top[c] / DRUM, sxx += x * x, sxy += x * top[c] / DRUM, used++;
    }
    double n = used;
    return atan2(n * sxy - sx * sy, n * sxx - sx * sx) * 180 / M_PI;
}

static bool turn_drum(MrnVerifyReport *report, const MrnScheme *scheme, Outcome *outcome) {
    MrnSmall small = mrn_small_start(report, drum_model(), scheme);
    bool good = small.world != NULL;
    long steps = lround(END / scheme->time_step), first = lround(SETTLED / scheme->time_step), samples = 0;
    double contacts = 0, deep = 0, depth = 0;
    *outcome = (Outcome){0};
    for (long k = 0; k < steps && good; k++) {
        MrnStepInfo info;
        good = mrn_small_step(report, &small, &info);
        if (!good || k < first) continue;
        outcome->kinetic[3 * (k - first) / (steps - first)] += info.kinetic_energy / ((double)(steps - first) / 3);
        if (k % lround(0.02 / scheme->time_step)) continue;
        samples++;
        outcome->slope += surface_slope(small.world);
        outcome->touching += (double)info.touching;
        for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
            MrnContactView view = mrn_world_contact(small.world, c);
            if (!(view.normal_impulse > 0)) continue;
            contacts++, depth += fmax(0, -view.gap), deep += view.gap < -1e-7;
            outcome->force += view.normal_impulse / scheme->time_step;
        }
    }
    outcome->slope /= (double)samples, outcome->touching /= (double)samples;
    outcome->penetration_mean = depth / contacts, outcome->penetrating = deep / contacts;
    outcome->force /= contacts;
    mrn_small_free(&small);
    return good;
}

void mrn_case_dem_drum(MrnVerifyReport *report) {
    Outcome rigid, soft, stiff;
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 1e-4;
    MrnScheme springs = mrn_dem_scheme(1e-3, 1e3), hard = mrn_dem_scheme(1e-3, 1e5);
    if (!turn_drum(report, &scheme, &rigid) || !turn_drum(report, &springs, &soft) || !turn_drum(report, &hard, &stiff))
        return;
    mrn_check(report, rigid.slope, soft.slope, 2,
              "slope of the surface, springs of 1e3 N/m against Contact Dynamics [deg]");
    mrn_check(report, rigid.slope, stiff.slope, 2,
              "slope of the surface, springs of 1e5 N/m against Contact Dynamics [deg]");
    mrn_check_at_most(report, 1e-7, rigid.penetration_mean, "Contact Dynamics: mean penetration of contacts [m]");
    mrn_check_at_most(report, 0.1 * soft.penetration_mean, rigid.penetration_mean,
                      "mean penetration, Contact Dynamics against a tenth of springs of 1e3 N/m [m]");
    // A grain that lies on one contact sinks by its weight over the stiffness.
    double weight = 2700 * 4.0 / 3 * M_PI * pow(3.75e-3, 3) * 9.80665;
    mrn_check(report, 1, soft.penetration_mean * 1e3 / soft.force, 0.05,
              "springs of 1e3 N/m: mean penetration times stiffness over the mean force");
    mrn_check(report, 1, stiff.penetration_mean * 1e5 / stiff.force, 0.05,
              "springs of 1e5 N/m: mean penetration times stiffness over the mean force");
    mrn_measure(report, soft.penetration_mean, "springs of 1e3 N/m: mean penetration [m]");
    mrn_measure(report, weight / 1e3, "springs of 1e3 N/m: penetration under the weight of one grain [m]");
    mrn_check(report, -6, log10(stiff.penetration_mean), 1,
              "springs of 1e5 N/m: decimal logarithm of the mean penetration in metres, about -6 in figure 62");
    mrn_check_at_least(report, 0.5, soft.penetrating,
                       "springs of 1e3 N/m: share of contacts deeper than 1e-7 m (the thesis: most)");
    mrn_measure(report, rigid.penetrating, "Contact Dynamics: share of contacts deeper than 1e-7 m (the thesis: few)");
    mrn_check_at_least(report, 0.8 * rigid.kinetic[0], rigid.kinetic[2],
                       "Contact Dynamics: kinetic energy of the last second against 0.8 of the first: no trend [J]");
    mrn_measure(report, soft.kinetic[0], "springs of 1e3 N/m: kinetic energy, first second [J]");
    mrn_measure(report, soft.kinetic[2], "springs of 1e3 N/m: kinetic energy, last second [J]");
    mrn_measure(report, stiff.kinetic[0], "springs of 1e5 N/m: kinetic energy, first second [J]");
    mrn_measure(report, stiff.kinetic[2], "springs of 1e5 N/m: kinetic energy, last second [J]");
    mrn_measure(report, rigid.touching, "Contact Dynamics: touching contacts, mean");
    mrn_measure(report, stiff.touching, "springs of 1e5 N/m: touching contacts, mean");
}
