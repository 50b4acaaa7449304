// The solver that chooses by itself.
//
// It sweeps with exact contact solves and Nesterov's momentum, restarted when the change of a sweep turns against the
// motion or grows (O'Donoghue and Candes 2015): that alone solves loose packings in tens of sweeps. Where it does not,
// proximal point steps on sparse factors are tried from the current point, as soon as the sweeps have done as much
// work: with a shift that follows success they walk along the soft modes of a packing, and end like Newton's method
// once the statuses of the contacts are right. Where sweeps wander, a few proximal steps that are solved by sweeps calm
// them. Where neither gets on, a path of solutions is followed that leads to the end through all turns. Problems with
// bodies begin with sweeps on the factored form, which need no matrix. Work is counted from sizes, never from the
// clock, so that equal problems give equal results on any machine. The best iterate by the residual is what is
// returned.
#include "solve/solver.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/common.h"
#include "solve/friction/nlgs.h"
#include "solve/friction/path.h"
#include "solve/friction/proximal.h"
#include "solve/friction/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKED_LEAST    1000 ///< contacts below which the factored form is left when the sweeps alone do not get there
#define PLANE_SHARE     6 ///< of the work of sweeps that attempts may spend in the plane, where they nearly always end
#define SPACE_PACKED    3 ///< the same in space where walks go by pivots, beside sweeps on the factored form, and
#define SPACE_MATRIX    0.6  ///< on the matrix, which are five times as dear;
#define PIVOT_WORK      4    ///< work of a product of blocks there
#define ROUGH           0.3  ///< residual after a step there over that before, from which sweeps go between the steps
#define MATRIX_SHARE    0.1  ///< the same in space beside sweeps on the matrix, and
#define MATRIX_HALTED   0.25 ///< when these have come to a halt, up to
#define MATRIX_MOST     2    ///< this the longer the halt lasts;
#define LONG_HALT       3    ///< times the sweeps that make a halt: from then on
#define PACKED_SHARE    0.25 ///< beside sweeps on the factored form, and
#define PACKED_HALTED   1    ///< at their halt
#define CHEAP_SWEEPS    120  ///< sweeps that a step of a walk may cost to be called cheap: then attempts may spend
#define CHEAP_SHARE     1    ///< this at least, and
#define CHEAP_HALTED    2    ///< this at a halt
#define HALTED_NEAR     30   ///< tolerances: a residual from which walks in space mostly reach the end
#define WORTH           2    ///< small steps of a walk that the sweeps that are left must cost to be worth an attempt
#define CHECK_SWEEPS    10   ///< sweeps between two residuals
#define PAST_CHECKS     2    ///< checks over which the speed of convergence is measured
#define WALK_SHARE      2    ///< work of proximal steps over that of sweeps
#define WALK_FAILURES   8    ///< proximal steps in a row that may fail
#define LOST_SWEEPS     100  ///< of pivots, after each of them: what made a path turn is mostly near one place
#define STAGNANT_SWEEPS 150  ///< sweeps that should at least halve the residual
#define PATH_FACTOR     0.4  ///< work of a factorisation on a path, over that of a walk as counted here
#define PATH_PASS       4    ///< work of a solution with its factors, in passes over W
#define PATH_LEAST      20   ///< factorisations that are worth beginning with
#define PATH_SHARE_2D   10   ///< of the sweeps' work that paths may spend in the end, in the plane and
#define PATH_SHARE_3D   4    ///< in space, but there
#define PATH_CONTACTS   1500 ///< not with more contacts in a run: each step costs as much as 300 sweeps
#define CALM_SHIFT      0.01 ///< of the mean diagonal: sweeps on the shifted problem converge in about a hundred
#define CALM_SWEEPS     400  ///< sweeps that a proximal step may take, or a larger shift is tried
#define CALM_FAILURES   3    ///< shifts in a row that may be too small
#define CALM_GAIN       0.8  ///< residual after a proximal step over that before
#define CALM_PAUSE      2    ///< halts to wait for after steps that did not halve the residual, on the factored form

/// How long sweeps go on by themselves.
typedef struct Schedule {
    int first_attempt; ///< sweeps on the matrix before anything else is tried: loose problems are solved by then
    int packed_sweeps; ///< sweeps on the factored form before the first look back, and
    int packed_turns;  ///< further turns, each twice as long, that they may need to end by themselves
    int packed_turn;   ///< sweeps on the factored form between two attempts
} Schedule;

static const Schedule in_the_plane = {200, 100, 1, 200}, in_space = {20, 400, 2, 400};

static const Schedule *schedule_of(const MrnProblem *problem) {
    return problem->dimension == 2 ? &in_the_plane : &in_space;
}

typedef struct Auto {
    MrnSolveJob *job;
    MrnProblem *problem;
    MrnSweep sweep;
    MrnProximal proximal;
    bool proximal_ready, coulomb;
    MrnNlgs *packs; ///< sweeps run on these, the factored form; NULL: on the matrix
    size_t numbers;
    double *point;    ///< sweeps work here
    double *previous; ///< the point after the last sweep, before the momentum
    double *best;     ///< iterate of lowest residual
    double *walked;   ///< where the proximal steps are
    double *trial;    ///< where proximal steps by sweeps and paths are
    double *start;    ///< where the last proximal step by sweeps began
    MrnMomentum momentum;
    double q_norm, residual, best_residual;
    double past_residual, recent_residual; ///< two checks and one check ago
    double walked_residual;                ///< residual of `walked`
    double progress_residual;              ///< residual at the last halving, and
    int progress_sweeps;                   ///< when that was
    int check_sweeps;                      ///< sweeps between two residuals
    int sweeps, walk_steps, walks, calms, path_steps;
    double sweep_work;             ///< work of one sweep, in about nanoseconds, and
    double product_work;           ///< of one product of blocks, and
    double block_work;             ///< of one pass over W
    double swept_work, tried_work; ///< work done so far by sweeps and by attempts
    double step_products;          ///< block products of a small step of a walk, 0 if not known yet, and
    double step_passes;            ///< passes over W beside
    double search_budget;          ///< work that must be left before the next search for that
    double calm_shift;             ///< of proximal steps by sweeps, over the mean diagonal
} Auto;

static bool all_coulomb(const MrnProblem *problem) {
    for (size_t i = 0; problem->law && i < problem->contacts; i++)
        if (problem->law[i] != MRN_LAW_COULOMB) return false;
    return true;
}

static bool out_of_time(const Auto *a) {
    return mrn_wall_seconds() > a->job->deadline;
}

// Residual of an iterate; the best one is kept.
static double measure(Auto *a, const double *impulse) {
    double *velocity = a->job->velocity;
    mrn_block_matrix_times(a->problem->delassus, impulse, a->problem->free_velocity, velocity);
    double residual = mrn_job_residual(a->job, a->sweep.scale, impulse, velocity);
    if (residual < a->best_residual) {
        a->best_residual = residual;
        memcpy(a->best, impulse, a->numbers * sizeof *impulse);
    }
    return residual;
}

// Go on from `impulse`, at rest.
static void restart_from(Auto *a, const double *impulse, double residual) {
    memmove(a->point, impulse, a->numbers * sizeof *impulse);
    memcpy(a->previous, impulse, a->numbers * sizeof *impulse);
    mrn_momentum_restart(&a->momentum);
    a->residual = residual;
}

static void prepare_proximal(Auto *a) {
    if (a->proximal_ready) return;
    mrn_proximal_init(&a->proximal, a->problem, a->job->arena);
    a->proximal_ready = true;
    if (a->problem->dimension == 3 && a->proximal.by_pivots) a->product_work = PIVOT_WORK;
}

// For how long the residual has not halved, over the sweeps that make a halt.
static double halt_of(const Auto *a) {
    return (a->sweeps - a->progress_sweeps) / (2.0 * a->check_sweeps + STAGNANT_SWEEPS);
}

static bool halted(const Auto *a) {
    return halt_of(a) > 1;
}

// Work of a small step of a walk, 0 if not known yet.
static double step_work(const Auto *a) {
    return a->step_products * a->product_work + a->step_passes * a->block_work;
}

// The part of the sweeps' work that attempts may spend: much in the plane; in space more where steps of walks are
// cheap, as in walls, and where the sweeps have come to a halt; where walks are dear and often fail, only near the end.
static double share_of_attempts(const Auto *a) {
    if (a->problem->dimension == 2) return PLANE_SHARE;
    if (a->proximal_ready && a->proximal.by_pivots) return a->packs ? SPACE_PACKED : SPACE_MATRIX;
    double share = a->packs ? PACKED_SHARE : MATRIX_SHARE;
    bool cheap = step_work(a) > 0 && step_work(a) < CHEAP_SWEEPS * a->sweep_work;
    if (!halted(a)) return cheap ? fmax(CHEAP_SHARE, share) : share;
    if (cheap) return CHEAP_HALTED;
    if (a->residual >= HALTED_NEAR * a->job->settings->tolerance) return share;
    return a->packs ? PACKED_HALTED : fmin(MATRIX_HALTED * fmax(halt_of(a) / LONG_HALT, 1), MATRIX_MOST);
}

// So many sweeps from `impulse`, with a momentum of their own or without.
static void sweep_from(Auto *a, double *impulse, int count, bool accelerate) {
    const MrnSolverSettings *wanted = a->job->settings;
    int most = wanted->max_iterations - a->sweeps < count ? wanted->max_iterations - a->sweeps : count, done = 0;
    if (a->packs) {
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        MrnSolveInfo info = {.status = MRN_SOLVED};
        settings.tolerance = wanted->tolerance;
        settings.deadline = a->job->deadline;
        settings.max_sweeps = most;
        settings.first_sweeps = 0;
        settings.accelerate = accelerate;
        mrn_nlgs_load(a->packs, impulse);
        mrn_nlgs_run(a->packs, &settings, &info);
        done = info.iterations > 0 ? info.iterations : 1;
    } else {
        MrnMomentum momentum;
        mrn_momentum_restart(&momentum);
        memcpy(a->trial, impulse, a->numbers * sizeof(double));
        for (; done < most; done++) {
            double along, change = sqrt(mrn_sweep_measured(&a->sweep, impulse, a->trial, &along));
            if (accelerate)
                mrn_momentum_extrapolate(&momentum, a->problem, change, along, impulse, a->trial);
            else
                memcpy(impulse, a->trial, a->numbers * sizeof(double));
        }
    }
    a->sweeps += done;
    a->swept_work += done * a->sweep_work;
}

// Proximal steps within the work that is left to attempts, and beyond it as long as each of them halves the residual.
// They go on where the last walk ended, unless the sweeps have come farther.
static double walk(Auto *a) {
    double tolerance = a->job->settings->tolerance, p2 = 0;
    if (a->residual < a->walked_residual) {
        a->walked_residual = a->residual;
        memcpy(a->walked, a->point, a->numbers * sizeof(double));
        for (size_t k = 0; k < a->numbers; k++) p2 += a->walked[k] * a->walked[k];
        mrn_proximal_begin(&a->proximal, a->residual * a->q_norm / sqrt(p2));
        a->walks++;
    }
    bool halved = true;
    for (int failures = 0; failures < WALK_FAILURES && a->walked_residual > tolerance && !out_of_time(a);) {
        if (a->sweeps >= a->job->settings->max_iterations) break;
        if (!halved && a->tried_work > WALK_SHARE * share_of_attempts(a) * a->swept_work) break;
        double products, passes, products_after, passes_after, last = a->walked_residual;
        mrn_proximal_spent(&a->proximal, &products, &passes);
        int steps =
            mrn_proximal_step(&a->proximal, 0.5 * fmax(tolerance, 0.1 * last) * a->q_norm, a->job->deadline, a->walked);
        a->walk_steps += abs(steps);
        mrn_proximal_spent(&a->proximal, &products_after, &passes_after);
        a->tried_work += (products_after - products) * a->product_work + (passes_after - passes) * a->block_work;
        failures = steps > 0 ? 0 : failures + 1;
        if (steps > 0) a->walked_residual = measure(a, a->walked);
        // In space sweeps mend what straight paths leave where sliding turns, without momentum, which drives it on.
        bool spatial = a->problem->dimension == 3, rough = steps <= 0 || (spatial && a->walked_residual > ROUGH * last);
        if (a->proximal.by_pivots && rough && a->walked_residual > tolerance) {
            sweep_from(a, a->walked, LOST_SWEEPS, !spatial);
            a->walked_residual = measure(a, a->walked);
        }
        halved = a->walked_residual < 0.5 * last;
    }
    return a->walked_residual;
}

// Have the sweeps earned the next attempt, and are they too slow to finish before it would?
static bool due(Auto *a) {
    if (a->step_products == 0 && a->swept_work >= 10 * a->block_work) prepare_proximal(a);
    double budget = share_of_attempts(a) * a->swept_work - a->tried_work;
    if (a->step_products == 0) {
        // Finding the order and the pattern of the factors costs about ten passes over W; a search that ended in too
        // many products is not repeated before twice as many can be paid for.
        if (!a->proximal_ready || budget < a->search_budget) return false;
        a->search_budget = 2 * budget;
        if (!mrn_proximal_cost(&a->proximal, a->point, 0.5 * budget / a->product_work, &a->step_products,
                               &a->step_passes))
            return false;
    }
    double factors = 2 * a->step_products * a->product_work; // of the four steps that are looked at, two find them anew
    if (4 * step_work(a) - factors >= budget) return false;
    double fall = log(a->past_residual / a->residual); // over the last checks
    double left =
        fall > 0 ? log(a->residual / a->job->settings->tolerance) / fall * PAST_CHECKS * a->check_sweeps * a->sweep_work
                 : INFINITY;
    return left > WORTH * step_work(a);
}

static void attempt(Auto *a) {
    double before = a->residual, after = walk(a);
    // A small gain is not worth the momentum of the sweeps, unless they have come to a halt.
    if (after > (a->sweeps - a->progress_sweeps <= STAGNANT_SWEEPS ? 0.2 : 1) * before) return;
    restart_from(a, a->walked, after);
    a->progress_sweeps = a->sweeps;
    a->progress_residual = a->residual;
}

// In the end: follow a path of solutions that is anchored at the best iterate.
static void follow(Auto *a) {
    bool spatial = a->problem->dimension == 3;
    double room = (spatial ? PATH_SHARE_3D : PATH_SHARE_2D) * a->swept_work;
    if (!a->coulomb || (spatial && a->packs && a->problem->contacts > PATH_CONTACTS)) return;
    prepare_proximal(a);
    double products = mrn_newton_cost(&a->proximal.newton, room / (PATH_LEAST * PATH_FACTOR * a->product_work));
    if (products == 0) return;
    MrnPath path;
    mrn_path_init(&path, a->job, a->sweep.scale, &a->proximal.newton, a->job->arena);
    path.factor_work = PATH_FACTOR * products * a->product_work;
    path.pass_work = PATH_PASS * a->block_work;
    memcpy(a->trial, a->best, a->numbers * sizeof(double));
    a->path_steps = mrn_path_run(&path, a->job->settings->tolerance, room, a->trial);
    if (a->path_steps > 0) measure(a, a->trial);
    a->path_steps = abs(a->path_steps);
}

// A proximal step by sweeps from a->trial, its problem solved to a residual of `target`. Returns the sweeps it took,
// negative where `most` of them were too few.
static int sweep_shifted(Auto *a, double target, int most) {
    if (!a->packs)
        return mrn_proximal_sweep(&a->proximal, a->calm_shift, target * a->q_norm, most, a->job->deadline, a->trial);
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    MrnSolveInfo info = {.status = MRN_SOLVED};
    settings.tolerance = target;
    settings.max_sweeps = most;
    settings.deadline = a->job->deadline;
    settings.shift = a->calm_shift * a->sweep.scale;
    memcpy(a->start, a->trial, a->numbers * sizeof(double));
    mrn_nlgs_load(a->packs, a->trial);
    mrn_nlgs_run(a->packs, &settings, &info);
    if (info.status == MRN_SOLVED) return info.iterations;
    memcpy(a->trial, a->start, a->numbers * sizeof(double));
    return -info.iterations;
}

// Proximal steps solved by sweeps, with a shift that leaves no soft mode: they calm sweeps that wander. They go on as
// long as each of them gains. True if they have halved the residual, so that it is worth while to come back to them.
static bool calm(Auto *a) {
    double tolerance = a->job->settings->tolerance, residual = a->residual, before = INFINITY;
    if (!a->packs) prepare_proximal(a);
    memcpy(a->trial, a->point, a->numbers * sizeof(double));
    for (int failures = 0; failures < CALM_FAILURES && residual > tolerance && residual < CALM_GAIN * before;) {
        int room = a->job->settings->max_iterations - a->sweeps;
        if (room <= 0 || out_of_time(a)) break;
        int sweeps = sweep_shifted(a, 0.05 * residual, room < CALM_SWEEPS ? room : CALM_SWEEPS);
        a->sweeps += abs(sweeps);
        a->swept_work += abs(sweeps) * a->sweep_work;
        if (sweeps < 0) {
            failures++;
            a->calm_shift = fmin(3 * a->calm_shift, 1);
            continue;
        }
        a->calms++;
        before = residual;
        residual = measure(a, a->trial);
        a->calm_shift /= sweeps <= 60 ? 2 : sweeps <= 160 ? 1.4 : 1;
    }
    bool worthwhile = residual < 0.5 * a->residual;
    if (residual < CALM_GAIN * a->residual) restart_from(a, a->trial, residual);
    return worthwhile;
}

static void init(Auto *a, MrnSolveJob *job) {
    MrnProblem *problem = job->problem;
    *a = (Auto){.job = job,
                .problem = problem,
                .best_residual = INFINITY,
                .calm_shift = CALM_SHIFT,
                .check_sweeps = CHECK_SWEEPS,
                .progress_residual = INFINITY,
                .past_residual = INFINITY,
                .walked_residual = INFINITY,
                .recent_residual = INFINITY};
    a->numbers = (size_t)problem->dimension * problem->contacts;
    a->coulomb = all_coulomb(problem);
    mrn_sweep_init(&a->sweep, problem, job->arena);
    double **vectors[] = {&a->point, &a->previous, &a->best, &a->walked, &a->trial, &a->start};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(job->arena, a->numbers + 1, sizeof(double));
    double q2 = 0, blocks = (double)problem->delassus->start[problem->contacts];
    for (size_t k = 0; k < a->numbers; k++) q2 += problem->free_velocity[k] * problem->free_velocity[k];
    a->q_norm = q2 > 0 ? sqrt(q2) : 1;
    bool spatial = problem->dimension == 3;
    a->block_work = (spatial ? 6 : 3) * blocks;
    a->sweep_work = (spatial ? 50 : 12) * (double)problem->contacts + a->block_work;
    a->product_work = spatial ? 10 : 1.6;
}

// Sweeps on the factored form, which needs no matrix: enough for most steps of a run, where the last step gave a good
// guess. They go on, twice as many each time, as long as they pay. Returns true when the tolerance is reached; the
// logarithm by which the residual has fallen in the last sweep, on average, goes to `pace`.
static bool sweep_packed(MrnSolveJob *job, MrnNlgs *nlgs, int *sweeps, double *pace) {
    MrnProblem *problem = job->problem;
    const Schedule *schedule = schedule_of(problem);
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    settings.tolerance = job->settings->tolerance;
    settings.deadline = job->deadline;
    mrn_nlgs_load(nlgs, job->impulse);
    double previous = INFINITY;
    int turn = schedule->packed_sweeps;
    *sweeps = 0;
    for (;;) {
        MrnSolveInfo info = {.status = MRN_SOLVED};
        settings.max_sweeps =
            job->settings->max_iterations - *sweeps < turn ? job->settings->max_iterations - *sweeps : turn;
        if (settings.max_sweeps <= 0) break;
        mrn_nlgs_run(nlgs, &settings, &info);
        *sweeps += info.iterations;
        double fall = log(previous / info.scaled_residual);
        *pace = fall / turn;
        if (info.status == MRN_SOLVED || info.status == MRN_TIME_LIMIT || info.scaled_residual > 0.5 * previous) break;
        // Halving in every turn may still need more turns than there are: few enough must be left at this pace.
        if (isfinite(fall) && log(info.scaled_residual / settings.tolerance) > schedule->packed_turns * fall) break;
        previous = info.scaled_residual;
        turn *= 2;
    }
    mrn_problem_velocity_on(problem, job->impulse, job->velocity, job->threads, job->arena);
    job->fresh = true;
    return mrn_job_residual(job, job->scale, job->impulse, job->velocity) <= job->settings->tolerance;
}

static bool solve(MrnSolveJob *job) {
    const MrnSolverSettings *settings = job->settings;
    if (!mrn_options_check(settings->options, "", "auto", job->error)) return false;
    mrn_problem_velocity_on(job->problem, job->impulse, job->velocity, job->threads, job->arena);
    if (mrn_job_residual(job, job->scale, job->impulse, job->velocity) <= settings->tolerance) {
        job->fresh = true;
        snprintf(job->info->method, sizeof job->info->method, "auto: the guess");
        return true;
    }
    const Schedule *schedule = schedule_of(job->problem);
    int packed = 0;
    double pace = 0;
    MrnNlgs *packs = NULL;
    if (!job->problem->delassus && mrn_nlgs_fits(job->problem)) {
        packs = mrn_nlgs_new(job->problem, job->scale, job->velocity, job->arena, job->threads);
        bool solved = sweep_packed(job, packs, &packed, &pace), late = mrn_wall_seconds() > job->deadline;
        job->info->iterations = packed;
        job->info->status = solved ? MRN_SOLVED : late ? MRN_TIME_LIMIT : MRN_MAX_ITERATIONS;
        snprintf(job->info->method, sizeof job->info->method, "auto: %d sweeps with momentum on the factored form",
                 packed);
        if (solved || late || packed >= settings->max_iterations) return true;
        job->info->status = MRN_SOLVED;
    }
    job->fresh = false;
    mrn_problem_assemble(job->problem);
    if (job->problem->contacts < PACKED_LEAST) packs = NULL; // closer looks cost little there
    Auto a;
    init(&a, job);
    a.sweeps = a.progress_sweeps = packed;
    a.packs = packs;
    double packed_work = (job->problem->dimension == 2 ? 5 : 15) * (double)job->problem->contacts;
    if (packs) {
        a.check_sweeps = schedule->packed_turn;
        a.sweep_work = packed_work;
    }
    a.swept_work = packed * packed_work;
    restart_from(&a, job->impulse, measure(&a, job->impulse));
    if (packed > 0 && a.coulomb) { // these sweeps were enough to know how long they would go on
        a.recent_residual = a.residual;
        a.past_residual = a.residual * exp(pace * PAST_CHECKS * a.check_sweeps);
        if (a.residual > settings->tolerance && due(&a)) attempt(&a);
    }
    double ratio = 0; // residual over change, at the last check
    int since = 0, next_attempt = packed + schedule->first_attempt, halt = packs ? a.check_sweeps : STAGNANT_SWEEPS;
    int next_calm = packed + halt;
    while (a.residual > settings->tolerance) {
        if (a.sweeps >= settings->max_iterations) {
            follow(&a);
            job->info->status = MRN_MAX_ITERATIONS;
            break;
        }
        double change = 0, along = 0;
        bool calmed = false;
        if (packs) {
            sweep_from(&a, a.point, a.check_sweeps, true);
            since = CHECK_SWEEPS;
        } else {
            change = sqrt(mrn_sweep_measured(&a.sweep, a.previous, a.point, &along));
            a.sweeps++, since++;
            a.swept_work += a.sweep_work;
        }
        if (since >= CHECK_SWEEPS || ratio * change <= settings->tolerance || (!packs && a.sweeps <= 2)) {
            if (since >= CHECK_SWEEPS) a.past_residual = a.recent_residual, a.recent_residual = a.residual;
            a.residual = measure(&a, a.point);
            if (a.residual < 0.5 * a.progress_residual) a.progress_residual = a.residual, a.progress_sweeps = a.sweeps;
            ratio = change > 0 ? a.residual / change : 0;
            since = 0;
            if (a.residual <= settings->tolerance) break;
            if (out_of_time(&a)) {
                job->info->status = MRN_TIME_LIMIT;
                break;
            }
            if (a.coulomb && !packs && a.sweeps >= 2 * CHECK_SWEEPS && !a.sweep.local)
                mrn_sweep_prepare(&a.sweep, job->arena);
            if (a.coulomb && a.sweeps >= next_calm && a.sweeps - a.progress_sweeps >= halt &&
                job->problem->dimension == 3) {
                double before = a.residual;
                bool worthwhile = calm(&a);
                next_calm = worthwhile ? a.sweeps + halt : packs ? a.sweeps + CALM_PAUSE * halt : INT_MAX;
                if (a.residual <= settings->tolerance) break;
                if (a.residual < 0.5 * a.progress_residual)
                    a.progress_residual = a.residual, a.progress_sweeps = a.sweeps;
                calmed = a.residual < before;
            }
            if (a.coulomb && a.sweeps >= next_attempt && due(&a)) {
                attempt(&a);
                if (a.residual <= settings->tolerance) break;
                next_attempt = a.sweeps + 2 * CHECK_SWEEPS;
                if (a.progress_sweeps == a.sweeps) continue;
            }
            if (calmed) continue;
        }
        if (packs)
            restart_from(&a, a.point, a.residual);
        else
            mrn_momentum_extrapolate(&a.momentum, a.problem, change, along, a.previous, a.point);
    }
    if (a.best_residual <= settings->tolerance) job->info->status = MRN_SOLVED;
    memcpy(job->impulse, a.best, a.numbers * sizeof(double));
    job->info->iterations = a.sweeps + a.walk_steps + a.path_steps;
    int length = snprintf(job->info->method, sizeof job->info->method, "auto: %d sweeps with momentum", a.sweeps);
    if (a.calms > 0)
        length += snprintf(job->info->method + length, sizeof job->info->method - (size_t)length,
                           ", some in %d proximal steps", a.calms);
    if (a.walk_steps > 0)
        length += snprintf(job->info->method + length, sizeof job->info->method - (size_t)length,
                           ", %d %s in proximal steps from %d points", a.walk_steps,
                           a.proximal.by_pivots ? "pivots" : "newton steps", a.walks);
    if (a.path_steps > 0)
        snprintf(job->info->method + length, sizeof job->info->method - (size_t)length,
                 ", %d steps along paths of solutions", a.path_steps);
    if (a.proximal_ready) mrn_proximal_free(&a.proximal);
    return true;
}

const MrnSolverRow mrn_solver_auto = {
    .entry = {.name = "auto",
              .summary = "chooses and combines: accelerated Gauss-Seidel, then Newton and proximal steps on sparse "
                         "factors where that is slow",
              .problems = "2d 3d friction, all laws",
              .options = "none"},
    .solve = solve};
