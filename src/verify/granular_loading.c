// Packings under load: biaxial compression, a vibrated layer.
#include "verify/cases.h"
#include "verify/granular.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Biaxial compression ----

/// Stress on the walls of the sample and inside it, means over the frames from `from` on.
typedef struct Biaxial {
    double axial, lateral;               ///< N/m, on the walls
    double inside_axial, inside_lateral; ///< N/m, from contacts within
    double friction;                     ///< (axial - lateral) / (axial + lateral)
} Biaxial;

static bool biaxial(MrnVerifyReport *report, double friction, int seed, double from, Biaxial *out) {
    MrnGranularRun run;
    char change[80], other[80];
    *out = (Biaxial){0};
    snprintf(change, sizeof change, "laws.grains.friction=%g", friction);
    snprintf(other, sizeof other, "generate.grain.seed=%d", seed);
    // Frames are close: the plates shake, and few of them would show their inertia in the lateral stress.
    const char *changes[] = {change, other, "time.output=6 ms", NULL};
    bool fine = mrn_granular_run(report, "biaxial", changes, &run);
    if (fine) {
        const MrnModel *model = run.scene->model;
        int top = mrn_model_find_body(model, "top"), left = mrn_model_find_body(model, "left"),
            right = mrn_model_find_body(model, "right");
        double force = fabs(model->bodies.data[left].load->force[0]), h = run.scene->scheme.time_step, count = 0;
        for (size_t f = 0; f < run.frames.frames.count; f++) {
            const MrnFrame *frame = &run.frames.frames.data[f];
            if (frame->time < from) continue;
            double height = frame->position[2 * top + 1], axial = 0;
            MrnRegion sample = {.kind = MRN_REGION_BOX,
                                .low = {frame->position[2 * left] + 0.01, 0, 0},
                                .high = {frame->position[2 * right] - 0.01, height, 0}};
            for (size_t c = 0; c < frame->contact_count; c++) {
                const MrnContactView *contact = &frame->contacts[c];
                if (contact->body_a == top) axial += contact->impulse[1] / h;
                if (contact->body_b == top) axial -= contact->impulse[1] / h;
            }
            MrnMeasureOptions options = mrn_measure_defaults();
            options.from = options.to = frame->time, options.region = sample;
            out->axial += axial / (sample.high[0] - sample.low[0]), out->lateral += force / height;
            out->inside_axial -= mrn_granular_mean(report, &run, "stress", "yy", &options);
            out->inside_lateral -= mrn_granular_mean(report, &run, "stress", "xx", &options);
            count++;
        }
        out->axial /= count, out->lateral /= count, out->inside_axial /= count, out->inside_lateral /= count;
        out->friction = (out->axial - out->lateral) / (out->axial + out->lateral);
    }
    mrn_granular_free(&run);
    return fine;
}

void mrn_case_biaxial(MrnVerifyReport *report) {
    // A packing of 125 grains scatters by 0.02 to 0.03; most packings where the published number is to be met.
    static const struct {
        double friction, published;
        int packings;
    } cases[] = {{0, 0.11, 3}, {0.1, NAN, 2}, {0.4, 0.26, 4}};
    double found[3];
    for (int i = 0; i < 3; i++) {
        Biaxial sample = {0};
        double count = cases[i].packings;
        for (int seed = 1; seed <= cases[i].packings; seed++) {
            Biaxial one;
            // From 15 % on: loose and dense packings have the same density and strength only then (critical state).
            if (!biaxial(report, cases[i].friction, seed, 1.15, &one)) return;
            sample.axial += one.axial / count, sample.lateral += one.lateral / count;
            sample.inside_axial += one.inside_axial / count, sample.inside_lateral += one.inside_lateral / count;
            sample.friction += one.friction / count;
        }
        found[i] = sample.friction;
        if (isnan(cases[i].published))
            mrn_measure(report, sample.friction, "friction of grains %g: sin phi of the packing", cases[i].friction);
        else
            mrn_check(report, cases[i].published, sample.friction, 0.05,
                      "friction of grains %g: sin phi of the packing", cases[i].friction);
        mrn_check(report, 1, sample.inside_axial / sample.axial, 0.01,
                  "friction of grains %g: axial stress from contacts over that on the platen", cases[i].friction);
        mrn_check(report, 1, sample.inside_lateral / sample.lateral, 0.01,
                  "friction of grains %g: lateral stress from contacts over that of the plates", cases[i].friction);
    }
    mrn_check_true(report, found[0] < found[1] && found[0] < found[2], "friction makes the packing stronger");
}

// ---- Vibrated layer ----

/// Flights of a completely inelastic ball on a plate that moves as sin(t), g = 1 / gamma: the intervals between
/// landings and the times in the air of the last `count` of many, in periods.
static void inelastic_ball(double gamma, size_t count, double *interval, double *flight) {
    double start = asin(1 / gamma), landing = -INFINITY;
    for (size_t k = 0; k < 200 + count; k++) {
        double y = sin(start), v = cos(start), a = 1e-3, b;
        while (y + v * a - 0.5 * a * a / gamma - sin(start + a) > 0 || a < 1e-2) a += 1e-3;
        b = a, a -= 1e-3;
        for (int round = 0; round < 60; round++) {
            double middle = 0.5 * (a + b);
            *(y + v * middle - 0.5 * middle * middle / gamma - sin(start + middle) > 0 ? &a : &b) = middle;
        }
        double before = landing, phase;
        landing = start + a, phase = fmod(landing, 2 * M_PI);
        if (k >= 200) interval[k - 200] = (landing - before) / (2 * M_PI), flight[k - 200] = a / (2 * M_PI);
        // Where the plate falls faster than g the ball leaves again at once, otherwise at the next such moment.
        double next = asin(1 / gamma);
        bool falls = phase > next && phase < M_PI - next;
        start = falls ? landing : landing - phase + next + (phase > next ? 2 * M_PI : 0);
    }
}

typedef MRN_ARRAY(double) Times;

/// Landings of the layer and its times in the air, after `from`.
static bool vibrate(MrnVerifyReport *report, double gamma, double from, Times *landings, Times *flights) {
    MrnError error = {0};
    char change[100];
    double frequency = 10, period = 1 / frequency, omega = 2 * M_PI * frequency;
    snprintf(change, sizeof change, "bodies.plate.motion.sine.amplitude=[0 m, %.17g m]",
             gamma * 9.81 / (omega * omega));
    MrnScene *scene = mrn_scene_read("gallery:vibrated_layer", (const char *const[]){change}, 1, &error);
    MrnWorld *world = scene ? mrn_world_new(scene->model, &scene->scheme, &error) : NULL;
    bool fine = world != NULL;
    double left = NAN;
    int plate = fine ? mrn_model_find_body(scene->model, "plate") : -1;
    while (fine && mrn_world_time(world) < scene->duration) {
        fine = mrn_world_step(world, NULL, &error);
        bool touches = false;
        for (size_t c = 0; c < mrn_world_contact_count(world) && !touches; c++) {
            MrnContactView view = mrn_world_contact(world, c);
            // The floor of the vessel: upright normals.
            touches =
                (view.body_a == plate || view.body_b == plate) && fabs(view.normal[1]) > 0.9 && view.normal_impulse > 0;
        }
        double time = mrn_world_time(world);
        if (!touches && isnan(left)) left = time;
        if (touches && !isnan(left)) {
            // Flickers of a step or two are no flights.
            if (time - left > 0.05 * period && left > from) {
                mrn_array_push(landings, time);
                mrn_array_push(flights, time - left);
            }
            left = NAN;
        }
    }
    if (!fine) mrn_check_failed(report, error.message);
    mrn_world_free(world);
    mrn_scene_free(scene);
    return fine;
}

void mrn_case_vibrated_layer(MrnVerifyReport *report) {
    static const double gamma[] = {0.95, 1.1, 2, 3, 3.6, 4};
    double period = 0.1;
    for (int i = 0; i < 6; i++) {
        Times landings = {0}, flights = {0};
        if (vibrate(report, gamma[i], 0.6, &landings, &flights)) {
            if (gamma[i] < 1)
                mrn_check(report, 0, (double)flights.count, 0, "Gamma = %g: flights in ten periods", gamma[i]);
            else if (flights.count < 4)
                mrn_check_failed(report, "the layer does not bounce");
            else {
                double interval[2], flight[2], even = 0, odd = 0, air = 0;
                size_t pairs = (landings.count - 1) / 2;
                inelastic_ball(gamma[i], 2, interval, flight);
                for (size_t k = 0; k < pairs; k++) {
                    even += (landings.data[2 * k + 1] - landings.data[2 * k]) / period / (double)pairs;
                    odd += (landings.data[2 * k + 2] - landings.data[2 * k + 1]) / period / (double)pairs;
                    air += 0.5 * (flights.data[2 * k] + flights.data[2 * k + 1]) / period / (double)pairs;
                }
                mrn_check(report, fmax(interval[0], interval[1]), fmax(even, odd), 0.02,
                          "Gamma = %g: longer interval between landings, in periods", gamma[i]);
                mrn_check(report, fmin(interval[0], interval[1]), fmin(even, odd), 0.02,
                          "Gamma = %g: shorter interval between landings, in periods", gamma[i]);
                mrn_check(report, 0.5 * (flight[0] + flight[1]), air, 0.02,
                          "Gamma = %g: mean time in the air, in periods", gamma[i]);
            }
        }
        mrn_array_free(&landings);
        mrn_array_free(&flights);
    }
}
