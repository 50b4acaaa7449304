// The run in numbers, and what they say about it.
//
// Judged is what a reader of the results must know: did every step reach its tolerance, do bodies overlap, are impulses
// inside their cones, do the energy books close, did the run reach its end. Each finding is sound, wants attention, or
// is unsound; the run is as good as its worst finding.
#include "report/section.h"

#include "base/error.h"
#include "draw/number.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Limits between sound, attention and unsound.
#define PENETRATION_SOUND 0.01 ///< of the size of the smallest body
#define PENETRATION_WORST 0.05
#define CONE_SOUND        1e-6 ///< of the largest impulse
#define CONE_WORST        1e-3
#define DEFECT_SOUND      1e-6 ///< of the energy that moves
#define DEFECT_WORST      1e-2
#define UNSOLVED_WORST    0.01 ///< share of steps
#define RESIDUAL_WORST    1e-2 ///< whatever the tolerance was

const char *mrn_verdict_name(MrnVerdict verdict) {
    static const char *const names[] = {"sound", "attention", "unsound"};
    return names[verdict];
}

void mrn_report_digest_steps(MrnReport *report) {
    MrnRunDigest *d = &report->digest;
    *d = (MrnRunDigest){0};
    double potential_low = INFINITY, potential_high = -INFINITY, kinetic_max = 0;
    d->finite = true;
    for (size_t i = 0; i < report->step_count; i++) {
        const MrnStepInfo *s = &report->steps[i];
        double energy = s->kinetic_energy + s->potential_energy + s->elastic_energy, n = (double)report->step_count;
        d->unsolved += s->status != MRN_SOLVED;
        mrn_collision_count_add(&d->collisions, s);
        d->contacts_mean += (double)s->contacts / n;
        d->sweeps_mean += (double)s->sweeps / n;
        d->contact_steps += (double)s->contacts;
        d->contact_sweeps += (double)s->contacts * (double)s->sweeps;
        if (s->contacts > d->contacts_max) d->contacts_max = s->contacts;
        if (s->sweeps > d->sweeps_max) d->sweeps_max = s->sweeps;
        d->residual_max = fmax(d->residual_max, s->residual);
        if (s->scaled_residual > d->scaled_residual_max)
            d->scaled_residual_max = s->scaled_residual, d->scaled_residual_step = i;
        if (s->penetration > d->penetration_max) d->penetration_max = s->penetration, d->penetration_step = i;
        d->cone_violation_max = fmax(d->cone_violation_max, s->cone_violation);
        d->speed_max = fmax(d->speed_max, s->max_speed);
        d->dissipated += s->dissipated_energy;
        d->driver_work += s->driver_work;
        d->defect += s->energy_defect;
        d->defect_worst = fmax(d->defect_worst, fabs(s->energy_defect));
        d->seconds_detect += s->seconds_detect;
        d->seconds_assemble += s->seconds_assemble;
        d->seconds_solve += s->seconds_solve;
        d->seconds_total += s->seconds_total;
        kinetic_max = fmax(kinetic_max, s->kinetic_energy);
        potential_low = fmin(potential_low, s->potential_energy);
        potential_high = fmax(potential_high, s->potential_energy);
        d->finite = d->finite && isfinite(energy + s->residual + s->penetration + s->cone_violation + s->energy_defect);
        if (i == 0) d->energy_first = energy;
        d->energy_last = energy;
    }
    d->energy_start = report->checkpoint.sequence ? report->checkpoint.energy_start : d->energy_first;
    if (report->step_count)
        d->energy_scale = fmax(fmax(kinetic_max, potential_high - potential_low), fabs(d->driver_work));
}

bool mrn_report_digest(MrnReport *report, MrnError *error) {
    report->steps = mrn_alloc(report->step_count + 1, sizeof *report->steps);
    if (report->step_count && !mrn_run_file_steps(report->file, 0, report->step_count, report->steps, error))
        return false;
    mrn_report_digest_steps(report);
    double smallest = INFINITY;
    for (size_t b = 0; b < report->model->bodies.count; b++) {
        const MrnBody *body = &report->model->bodies.data[b];
        if (body->kind == MRN_BODY_FREE && body->shape_count > 0) smallest = fmin(smallest, body->size);
    }
    report->smallest = isfinite(smallest) ? smallest : 0;
    return true;
}

static MrnFinding *add_finding(MrnReport *report, const char *name, MrnVerdict verdict) {
    MrnFinding *finding = &report->findings[report->finding_count++];
    *finding = (MrnFinding){.name = name, .verdict = verdict};
    if (verdict > report->verdict) report->verdict = verdict;
    return finding;
}

static MrnVerdict grade(double value, double sound, double worst) {
    return value <= sound ? MRN_VERDICT_SOUND : value <= worst ? MRN_VERDICT_ATTENTION : MRN_VERDICT_UNSOUND;
}

static void judge_solution(MrnReport *report) {
    const MrnRunDigest *d = &report->digest;
    double share = report->step_count ? (double)d->unsolved / (double)report->step_count : 0;
    MrnVerdict verdict = grade(share, 0, UNSOLVED_WORST);
    if (d->unsolved && d->residual_max > RESIDUAL_WORST) verdict = MRN_VERDICT_UNSOUND;
    MrnFinding *f = add_finding(report, "Equations solved", verdict);
    double tolerance = report->scene->scheme.solver.tolerance;
    snprintf(f->value, sizeof f->value, "%zu of %zu steps", report->step_count - d->unsolved, report->step_count);
    if (!d->unsolved && strcmp(report->scene->scheme.stepper, "event-driven") == 0)
        snprintf(
            f->text, sizeof f->text,
            "Every impact has velocities that its laws allow; at worst a contact misses them by %s of the largest "
            "relative velocity of its group (pairs pressed together in a jam are solved to a share of the approach "
            "that counts as none).",
            mrn_power(d->residual_max).text);
    else if (!d->unsolved)
        snprintf(f->text, sizeof f->text, "Every step reached the tolerance of %s; the worst scaled residual is %s.",
                 mrn_power(tolerance).text, mrn_power(d->scaled_residual_max).text);
    else
        snprintf(f->text, sizeof f->text,
                 "%zu step%s stopped above the tolerance of %s. The worst scaled residual is %s, in step %lld.",
                 d->unsolved, d->unsolved == 1 ? "" : "s", mrn_power(tolerance).text,
                 mrn_power(d->scaled_residual_max).text, (long long)report->steps[d->scaled_residual_step].step);
}

/// Every collision must end in velocities that its laws allow; how many needed help is said, not judged.
static void judge_collisions(MrnReport *report) {
    const MrnCollisionCount *c = &report->digest.collisions;
    if (!c->lcp_solves) return;
    double share = (double)c->lcp_failures / (double)c->lcp_solves;
    MrnFinding *f = add_finding(report, "Collisions solved", grade(share, 0, UNSOLVED_WORST));
    snprintf(f->value, sizeof f->value, "%lld of %lld problems", (long long)(c->lcp_solves - c->lcp_failures),
             (long long)c->lcp_solves);
    snprintf(f->text, sizeof f->text,
             "%lld were solved after retries, %lld by sweeps where Lemke’s method failed, %lld by Lemke’s method where "
             "sweeps failed, %lld with relaxed tolerances. Energy would have grown %lld times: Newton’s law acted.",
             (long long)c->lcp_retries, (long long)c->lcp_replaced, (long long)c->lcp_unswept,
             (long long)c->lcp_relaxed, (long long)c->newton_fallbacks);
}

static void judge_penetration(MrnReport *report) {
    const MrnRunDigest *d = &report->digest;
    double share = report->smallest > 0 ? d->penetration_max / report->smallest : 0;
    MrnFinding *f = add_finding(report, "Penetration", grade(share, PENETRATION_SOUND, PENETRATION_WORST));
    mrn_number_with_unit(d->penetration_max, "m", f->value, sizeof f->value);
    char time[64];
    if (d->penetration_max > 0 && report->smallest > 0) {
        mrn_number_with_unit(report->steps[d->penetration_step].time, "s", time, sizeof time);
        snprintf(f->text, sizeof f->text,
                 "The deepest overlap is %.2g %% of the half width of the smallest body, at t = %s.", 100 * share,
                 time);
    } else {
        snprintf(f->text, sizeof f->text, "No two bodies overlapped.");
    }
}

static void judge_cone(MrnReport *report) {
    double violation = report->digest.cone_violation_max;
    MrnFinding *f = add_finding(report, "Friction law", grade(violation, CONE_SOUND, CONE_WORST));
    snprintf(f->value, sizeof f->value, "%s", mrn_power(violation).text);
    snprintf(f->text, sizeof f->text,
             violation <= CONE_SOUND
                 ? "Impulses lie inside the friction cone: no contact pulls, none exceeds its friction."
                 : "Some impulse lies outside the friction cone, by this share of the largest impulse.");
}

static void judge_energy(MrnReport *report) {
    const MrnRunDigest *d = &report->digest;
    double share = d->energy_scale > 0 ? d->defect_worst / d->energy_scale : 0;
    MrnFinding *f = add_finding(report, "Energy balance", grade(share, DEFECT_SOUND, DEFECT_WORST));
    char worst[64];
    mrn_number_with_unit(d->defect_worst, "J", worst, sizeof worst);
    snprintf(f->value, sizeof f->value, "%s", worst);
    snprintf(f->text, sizeof f->text,
             share <= DEFECT_SOUND
                 ? "In every step, the change of energy is the work of drivers less what contacts dissipate, to %s of "
                   "the energy that moves."
                 : "In the worst step, energy changed by %s of the energy that moves without work or dissipation.",
             mrn_power(share).text);
    if (report->checkpoint.sequence && report->checkpoint.energy_gained > 0) {
        char gained[64];
        mrn_number_with_unit(report->checkpoint.energy_gained, "J", gained, sizeof gained);
        f = add_finding(report, "Energy created", MRN_VERDICT_ATTENTION);
        snprintf(f->value, sizeof f->value, "%s", gained);
        snprintf(
            f->text, sizeof f->text,
            "Collisions created energy, because the normal and tangential restitutions of a law differ. Equal ones "
            "never do.");
    }
}

static void judge_end(MrnReport *report) {
    double reached = report->step_count ? report->steps[report->step_count - 1].time : 0,
           wanted = report->parameters.end_time;
    bool complete = reached >= wanted - 1.5 * report->parameters.time_step;
    MrnFinding *f = add_finding(report, "Completed", complete ? MRN_VERDICT_SOUND : MRN_VERDICT_ATTENTION);
    char a[64], b[64];
    mrn_number_with_unit(reached, "s", a, sizeof a);
    mrn_number_with_unit(wanted, "s", b, sizeof b);
    snprintf(f->value, sizeof f->value, "%s of %s", a, b);
    snprintf(f->text, sizeof f->text,
             complete ? "The run reached its end time."
                      : "The run has not reached its end time yet; moraine resume goes on.");
}

static void append(MrnReport *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(MrnReport *report, const char *format, ...) {
    size_t used = strlen(report->sentence);
    va_list list;
    va_start(list, format);
    vsnprintf(report->sentence + used, sizeof report->sentence - used, format, list);
    va_end(list);
}

static void say_it(MrnReport *report) {
    const MrnRunDigest *d = &report->digest;
    char overlap[64];
    mrn_number_with_unit(d->penetration_max, "m", overlap, sizeof overlap);
    report->sentence[0] = 0;
    if (!report->step_count) {
        append(report, "Nothing was computed yet.");
        return;
    }
    if (!d->finite) {
        append(report, "Numbers in this run are not finite: it went wrong, and its results mean nothing.");
        return;
    }
    if (!d->unsolved)
        append(report, "Every step met its tolerance");
    else
        append(report, "%zu of %zu steps stopped above the tolerance (worst scaled residual %s)", d->unsolved,
               report->step_count, mrn_power(d->scaled_residual_max).text);
    if (d->penetration_max > 0)
        append(report, ", bodies overlapped by at most %s", overlap);
    else
        append(report, ", bodies never overlapped");
    double share = d->energy_scale > 0 ? d->defect_worst / d->energy_scale : 0;
    if (share <= DEFECT_SOUND)
        append(report, ", and the energy books close.");
    else
        append(report, ", and the energy books are off by %s in the worst step.", mrn_power(share).text);
}

void mrn_report_judge(MrnReport *report) {
    report->finding_count = 0;
    report->verdict = MRN_VERDICT_SOUND;
    if (report->step_count) {
        if (!report->digest.finite) {
            MrnFinding *f = add_finding(report, "Finite numbers", MRN_VERDICT_UNSOUND);
            snprintf(f->value, sizeof f->value, "no");
            snprintf(f->text, sizeof f->text, "Some energies, residuals or overlaps are not numbers.");
        }
        judge_solution(report);
        judge_collisions(report);
        judge_penetration(report);
        judge_cone(report);
        judge_energy(report);
    }
    judge_end(report);
    say_it(report);
}
