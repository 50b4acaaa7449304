// Nonlinear Gauss-Seidel (Moreau 2003, M41-M42) on the factored form W = H~ H~^T, for Coulomb contacts.
//
// Contacts are coloured so that contacts of one colour share no body, and packed eight at a time: a pack is one vector
// operation, a colour is one parallel loop. The result depends neither on the width of the vector registers nor on the
// number of threads.
//
// Each contact's tangents are turned so that S = W_tt - W_tn W_nt / W_nn is diagonal (s_1, s_2). With r = W_tn / W_nn
// the one-contact problem (specification 8.2) is, in terms of the current u and p,
//     beta = p_n + r.p_t - u_n / W_nn,   c = s p_t - u_t + r u_n,
//     open if beta <= 0;   stick p_t = c / s;   slip p_t = c / (s + lambda);   always p_n = beta - r.p_t.
// With `accelerate` the point is extrapolated between sweeps by Nesterov's momentum with restarts. Long solves go on in
// single precision on corrections (nlgs_single.h), without contacts that stay open and islands that are done.
// What always holds: v~ = H~^T p to rounding, and every p lies in its cone after a sweep.
#include "base/dim.h"
#include "base/clock.h"
#include "solve/friction/nlgs.h"
#include "solve/friction/nlgs_kernel.h"

#include <stdlib.h>

#define REFRESH 200 ///< sweeps after which v~ = H~^T p is computed from nothing: momentum multiplies rounding

/// Where the contacts of a pack come from: not needed by sweeps, so kept apart from what they read.
typedef struct Origin {
    double turn[2][MRN_LANES];  ///< cosine and sine from the problem's tangents to the pack's
    int32_t contact[MRN_LANES]; ///< in the problem, or -1 for an empty lane
} Origin;

struct MrnNlgs {
    const MrnProblem *problem;
    MrnThreads *threads;
    MrnArena *arena;
    PackSet set;
    Origin *origins;
    // For sweeps in single precision, NULL before the first. A place is pack * MRN_LANES + lane.
    MrnNlgsSingle *single;
    MrnLanes *relative; ///< u of every pack, from fresh velocities
    uint8_t *kept;      ///< per place: takes part
    uint8_t *needed;    ///< per place: was left out once as open, wrongly
    size_t *slot;       ///< per place: where it is in the single packs
    int *island;        ///< per place
    int island_count;
    double *island_residual; ///< squared
    size_t *island_size;
    uint8_t *island_done;
    size_t *lanes; ///< per colour
    double frozen; ///< squared residual of the islands that are done
};

#if MRN_DIM == 2
MrnNlgsSettings mrn_nlgs_defaults(void) {
    return (MrnNlgsSettings){.tolerance = 1e-6,
                             .max_sweeps = 10000,
                             .relaxation = 1,
                             .stall_sweeps = 2000,
                             .accelerate = true,
                             .single = true,
                             .first_sweeps = 40,
                             .deadline = INFINITY};
}
#endif

size_t MRN_NAMED(mrn_nlgs_bytes)(void) {
    return sizeof(Pack) / MRN_LANES;
}

/// Greedy colouring in the order of the contacts. Bodies without mass never conflict.
static int *color_contacts(const MrnProblem *problem, MrnArena *arena, size_t *color_count) {
    size_t n = problem->contacts;
    int *color = mrn_arena_take(arena, n, sizeof *color);
    uint64_t *used = mrn_arena_take(arena, problem->body_count, sizeof *used); ///< colours 0..63 taken at a body
    int *next = mrn_arena_take(arena, problem->body_count, sizeof *next);      ///< first free colour beyond those
    for (size_t b = 0; b < problem->body_count; b++) used[b] = 0, next[b] = 64;
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        int a = problem->bodies[2 * i], b = problem->bodies[2 * i + 1];
        uint64_t taken = (a >= 0 ? used[a] : 0) | (b >= 0 ? used[b] : 0);
        if (taken != UINT64_MAX) {
            color[i] = __builtin_ctzll(~taken);
            if (a >= 0) used[a] |= (uint64_t)1 << color[i];
            if (b >= 0) used[b] |= (uint64_t)1 << color[i];
        } else {
            int free_a = a >= 0 ? next[a] : 0, free_b = b >= 0 ? next[b] : 0;
            color[i] = free_a > free_b ? free_a : free_b;
            if (a >= 0) next[a] = color[i] + 1;
            if (b >= 0) next[b] = color[i] + 1;
        }
        if (color[i] >= count) count = color[i] + 1;
    }
    *color_count = (size_t)count;
    return color;
}

/// The block W_cc of a contact from its Jacobian rows.
static void own_block(const double *jacobian, double W[MRN_DIM][MRN_DIM]) {
    for (int i = 0; i < MRN_DIM; i++)
        for (int j = i; j < MRN_DIM; j++) {
            double sum = 0;
            for (int side = 0; side < 2; side++) {
                const double *rows = jacobian + side * MRN_DIM * MRN_DOF;
                for (int k = 0; k < MRN_DOF; k++) sum += rows[i * MRN_DOF + k] * rows[j * MRN_DOF + k];
            }
            W[i][j] = W[j][i] = sum;
        }
}

static void empty_lane(Pack *pack, Origin *origin, int lane, int32_t ground) {
    for (int side = 0; side < 2; side++) {
        pack->body[side][lane] = ground;
        for (int i = 0; i < MRN_DIM; i++)
            for (int k = 0; k < MRN_DOF; k++) pack->jacobian[side][i][k][lane] = 0;
    }
    for (int i = 0; i < MRN_DIM; i++) pack->q[i][lane] = i == 0, pack->p[i][lane] = 0;
    pack->mu[lane] = 0;
#if MRN_DIM == 3
    pack->lambda[lane] = 0;
#endif
    pack->nn[lane] = pack->inverse_nn[lane] = 1;
    for (int t = 0; t < T; t++) pack->r[t][lane] = 0, pack->s[t][lane] = pack->inverse_s[t][lane] = 1;
    origin->turn[0][lane] = 1;
    origin->turn[1][lane] = 0;
}

/// Fill a lane; returns the trace of W_cc.
static double fill_lane(Pack *pack, Origin *origin, int lane, const MrnProblem *problem, size_t contact) {
    const double *jacobian = problem->jacobian + contact * 2 * MRN_DIM * MRN_DOF;
    double W[MRN_DIM][MRN_DIM];
    own_block(jacobian, W);
    double trace = 0;
    for (int i = 0; i < MRN_DIM; i++) trace += W[i][i];
    double floor = 1e-12 * (trace > 0 ? trace : 1), nn = W[0][0] > floor ? W[0][0] : floor;
    double cosine = 1, sine = 0;
#if MRN_DIM == 3
    // Eigenvectors of S; for equal eigenvalues the tangents stay as they are.
    double S11 = W[1][1] - W[0][1] * W[0][1] / nn, S12 = W[1][2] - W[0][1] * W[0][2] / nn,
           S22 = W[2][2] - W[0][2] * W[0][2] / nn;
    if (fabs(S12) > 1e-14 * trace) {
        double angle = 0.5 * atan2(2 * S12, S11 - S22);
        cosine = cos(angle);
        sine = sin(angle);
    }
#endif
    for (int side = 0; side < 2; side++) {
        int body = problem->bodies[2 * contact + (size_t)side];
        pack->body[side][lane] = body >= 0 ? body : (int32_t)problem->body_count;
        const double *rows = jacobian + side * MRN_DIM * MRN_DOF;
        for (int k = 0; k < MRN_DOF; k++) {
            pack->jacobian[side][0][k][lane] = rows[k];
#if MRN_DIM == 2
            pack->jacobian[side][1][k][lane] = rows[MRN_DOF + k];
#else
            pack->jacobian[side][1][k][lane] = cosine * rows[MRN_DOF + k] + sine * rows[2 * MRN_DOF + k];
            pack->jacobian[side][2][k][lane] = -sine * rows[MRN_DOF + k] + cosine * rows[2 * MRN_DOF + k];
#endif
        }
    }
    const double *q = problem->free_velocity + contact * MRN_DIM;
    pack->q[0][lane] = q[0];
    pack->nn[lane] = nn;
    // What nothing can push keeps p = 0: impulses that grow without end would hide the approach below their rounding.
    pack->inverse_nn[lane] = W[0][0] > 0 ? 1 / nn : 0;
#if MRN_DIM == 2
    pack->q[1][lane] = q[1];
    pack->r[0][lane] = W[0][1] / nn;
    pack->s[0][lane] = W[1][1] - W[0][1] * W[0][1] / nn;
#else
    pack->q[1][lane] = cosine * q[1] + sine * q[2];
    pack->q[2][lane] = -sine * q[1] + cosine * q[2];
    pack->r[0][lane] = (cosine * W[0][1] + sine * W[0][2]) / nn;
    pack->r[1][lane] = (-sine * W[0][1] + cosine * W[0][2]) / nn;
    pack->s[0][lane] = cosine * cosine * S11 + 2 * cosine * sine * S12 + sine * sine * S22;
    pack->s[1][lane] = sine * sine * S11 - 2 * cosine * sine * S12 + cosine * cosine * S22;
#endif
    for (int t = 0; t < T; t++) {
        if (!(pack->s[t][lane] > floor)) pack->s[t][lane] = floor;
        pack->inverse_s[t][lane] = 1 / pack->s[t][lane];
    }
    pack->mu[lane] = problem->friction[contact];
#if MRN_DIM == 3
    pack->lambda[lane] = 0;
#endif
    origin->turn[0][lane] = cosine;
    origin->turn[1][lane] = sine;
    return trace;
}

typedef struct FillJob {
    MrnNlgs *nlgs;
    double *trace; ///< per contact: of W_cc
} FillJob;

static void fill_packs(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    FillJob *job = context;
    MrnNlgs *nlgs = job->nlgs;
    for (size_t k = begin; k < end; k++)
        for (int lane = 0; lane < MRN_LANES; lane++) {
            int32_t contact = nlgs->origins[k].contact[lane];
            if (contact < 0)
                empty_lane(&nlgs->set.packs[k], &nlgs->origins[k], lane, (int32_t)nlgs->problem->body_count);
            else
                job->trace[contact] =
                    fill_lane(&nlgs->set.packs[k], &nlgs->origins[k], lane, nlgs->problem, (size_t)contact);
        }
}

/// Loops over packs shorter than this stay on one thread.
#define PACK_GRAIN 64

MrnNlgs *MRN_NAMED(mrn_nlgs_new)(const MrnProblem *problem, MrnArena *arena, MrnThreads *threads) {
    MrnNlgs *nlgs = mrn_arena_take(arena, 1, sizeof *nlgs);
    size_t n = problem->contacts;
    *nlgs = (MrnNlgs){.problem = problem,
                      .threads = threads,
                      .arena = arena,
                      .set = {.relaxation = 1, .ground = (int32_t)problem->body_count}};
    int *color = color_contacts(problem, arena, &nlgs->set.color_count);
    size_t *fill = mrn_arena_take(arena, nlgs->set.color_count + 1, sizeof *fill);
    memset(fill, 0, (nlgs->set.color_count + 1) * sizeof *fill);
    for (size_t i = 0; i < n; i++) fill[color[i]]++;
    nlgs->set.color_start = mrn_arena_take(arena, nlgs->set.color_count + 1, sizeof *nlgs->set.color_start);
    nlgs->set.color_start[0] = 0;
    for (size_t c = 0; c < nlgs->set.color_count; c++) {
        nlgs->set.color_start[c + 1] = nlgs->set.color_start[c] + (fill[c] + MRN_LANES - 1) / MRN_LANES;
        fill[c] = nlgs->set.color_start[c] * MRN_LANES; // from here on: next lane of this colour
    }
    nlgs->set.pack_count = nlgs->set.color_start[nlgs->set.color_count];
    nlgs->set.packs = mrn_arena_take(arena, nlgs->set.pack_count, sizeof *nlgs->set.packs);
    nlgs->origins = mrn_arena_take(arena, nlgs->set.pack_count, sizeof *nlgs->origins);
    nlgs->set.velocity = mrn_arena_take(arena, (problem->body_count + 1) * STRIDE, sizeof(double));
    nlgs->set.change = mrn_arena_take(arena, nlgs->set.pack_count, sizeof(double));
    nlgs->set.along = mrn_arena_take(arena, nlgs->set.pack_count, sizeof(double));
    nlgs->set.residual = mrn_arena_take(arena, nlgs->set.pack_count, sizeof(double));
    nlgs->set.before = mrn_arena_take(arena, (problem->body_count + 1) * STRIDE, sizeof(double));
    for (size_t k = 0; k < nlgs->set.pack_count; k++)
        for (int lane = 0; lane < MRN_LANES; lane++) nlgs->origins[k].contact[lane] = -1;
    for (size_t i = 0; i < n; i++) {
        size_t slot = fill[color[i]]++;
        nlgs->origins[slot / MRN_LANES].contact[slot % MRN_LANES] = (int32_t)i;
    }
    FillJob job = {nlgs, mrn_arena_take(arena, n, sizeof(double))};
    mrn_threads_for(threads, nlgs->set.pack_count, PACK_GRAIN, fill_packs, &job);
    double trace = 0, square = 0;
    for (size_t i = 0; i < n; i++) trace += job.trace[i];
    for (size_t i = 0; i < n * MRN_DIM; i++) square += problem->free_velocity[i] * problem->free_velocity[i];
    nlgs->set.scale = n ? trace / (double)(n * MRN_DIM) : 1;
    nlgs->set.q_norm = square > 0 ? sqrt(square) : 1;
    return nlgs;
}

typedef struct LoadJob {
    MrnNlgs *nlgs;
    const double *impulse;
} LoadJob;

static void load_packs(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    LoadJob *job = context;
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &job->nlgs->set.packs[k];
        const Origin *origin = &job->nlgs->origins[k];
        for (int lane = 0; lane < MRN_LANES; lane++) {
            if (origin->contact[lane] < 0) continue;
            double p[MRN_DIM];
            memcpy(p, job->impulse + (size_t)origin->contact[lane] * MRN_DIM, sizeof p);
            mrn_project_cone(MRN_DIM, pack->mu[lane], p);
            pack->p[0][lane] = p[0];
#if MRN_DIM == 2
            pack->p[1][lane] = p[1];
#else
            double c = origin->turn[0][lane], s = origin->turn[1][lane];
            pack->p[1][lane] = c * p[1] + s * p[2];
            pack->p[2][lane] = -s * p[1] + c * p[2];
#endif
        }
    }
}

typedef struct StoreJob {
    const MrnNlgs *nlgs;
    double *impulse;
} StoreJob;

static void store_packs(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    StoreJob *job = context;
    for (size_t k = begin; k < end; k++) {
        const Pack *pack = &job->nlgs->set.packs[k];
        const Origin *origin = &job->nlgs->origins[k];
        for (int lane = 0; lane < MRN_LANES; lane++) {
            if (origin->contact[lane] < 0) continue;
            double *p = job->impulse + (size_t)origin->contact[lane] * MRN_DIM;
            p[0] = pack->p[0][lane];
#if MRN_DIM == 2
            p[1] = pack->p[1][lane];
#else
            double c = origin->turn[0][lane], s = origin->turn[1][lane];
            p[1] = c * pack->p[1][lane] - s * pack->p[2][lane];
            p[2] = s * pack->p[1][lane] + c * pack->p[2][lane];
#endif
        }
    }
}

void MRN_NAMED(mrn_nlgs_store)(const MrnNlgs *nlgs, double *impulse) {
    StoreJob job = {nlgs, impulse};
    mrn_threads_for(nlgs->threads, nlgs->set.pack_count, PACK_GRAIN, store_packs, &job);
}

/// v~ += H~^T p of packs [begin, end) of one colour.
MRN_KERNEL static void push_packs(MrnNlgs *nlgs, size_t begin, size_t end) {
    const int32_t ground = (int32_t)nlgs->problem->body_count;
    for (size_t k = begin; k < end; k++) {
        const Pack *pack = &nlgs->set.packs[k];
        MrnLanes v[8];
        for (int side = 0; side < 2; side++) {
            gather(nlgs->set.velocity, pack->body[side], v);
            for (int d = 0; d < MRN_DOF; d++)
                for (int i = 0; i < MRN_DIM; i++) v[d] += pack->jacobian[side][i][d] * pack->p[i];
            scatter(nlgs->set.velocity, pack->body[side], ground, v);
        }
    }
}

static void refresh_team(void *context, int thread, int thread_count) {
    MrnNlgs *nlgs = context;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end;
    share(0, nlgs->problem->body_count + 1, thread, thread_count, &begin, &end);
    memset(nlgs->set.velocity + begin * STRIDE, 0, (end - begin) * STRIDE * sizeof(double));
    mrn_threads_barrier(threads);
    for (size_t c = 0; c < nlgs->set.color_count; c++) {
        share(nlgs->set.color_start[c], nlgs->set.color_start[c + 1], thread, thread_count, &begin, &end);
        push_packs(nlgs, begin, end);
        mrn_threads_barrier(threads);
    }
}

/// Below this number of packs the barriers cost more than the sweep.
#define TEAM_PACKS 128

static void run_on_team(MrnNlgs *nlgs, MrnTeamTask *team, void *context) {
    if (nlgs->set.pack_count < TEAM_PACKS)
        team(context, 0, 1);
    else
        mrn_threads_team(nlgs->threads, team, context);
}

void MRN_NAMED(mrn_nlgs_load)(MrnNlgs *nlgs, const double *impulse) {
    LoadJob job = {nlgs, impulse};
    mrn_threads_for(nlgs->threads, nlgs->set.pack_count, PACK_GRAIN, load_packs, &job);
    run_on_team(nlgs, refresh_team, nlgs); // v~ = H~^T p from nothing
}

typedef struct Run {
    MrnNlgs *nlgs;
    const MrnNlgsSettings *settings;
    MrnSolveInfo *info;
    int limit; ///< stop after this sweep
    bool stop, check, refresh;
    int stale;   ///< sweeps since v~ was computed from p
    double best; ///< best residual seen
    int best_sweep;
    int since_check;
    MrnMomentum momentum;
} Run;

/// Is it time to stop, with this residual from fresh velocities?
static bool decide(Run *run, double residual) {
    MrnSolveInfo *info = run->info;
    info->scaled_residual = residual;
    if (residual < 0.9 * run->best) run->best = residual, run->best_sweep = info->iterations;
    if (residual <= run->settings->tolerance)
        info->status = MRN_SOLVED;
    else if (info->iterations >= run->limit)
        info->status = MRN_MAX_ITERATIONS;
    else if (info->iterations - run->best_sweep >= run->settings->stall_sweeps)
        info->status = MRN_STALLED;
    else if (mrn_wall_seconds() >= run->settings->deadline)
        info->status = MRN_TIME_LIMIT;
    else
        return false;
    return true;
}

/// After a check: decide whether to stop. Only thread 0 calls this.
static void judge(Run *run) {
    MrnNlgs *nlgs = run->nlgs;
    double residual = sqrt(total(nlgs->set.residual, nlgs->set.pack_count)) / nlgs->set.q_norm;
    if (residual <= run->settings->tolerance && run->stale > 0) {
        run->refresh = true; // believe it only from fresh velocities
        return;
    }
    run->stop = decide(run, residual);
    run->since_check = 0;
    momentum_watch(&run->momentum, run->info->iterations, residual);
}

/// Computing v~ from nothing removes the rounding that sweeps pile up (Moreau 2003, 7.2).
static void refresh(Run *run, int thread, int thread_count) {
    refresh_team(run->nlgs, thread, thread_count);
    if (thread == 0) run->stale = 0, run->refresh = false;
    mrn_threads_barrier(thread_count > 1 ? run->nlgs->threads : NULL);
}

static void certify(Run *run, MrnThreads *threads, int thread, int thread_count) {
    MrnNlgs *nlgs = run->nlgs;
    size_t begin, end;
    share(0, nlgs->set.pack_count, thread, thread_count, &begin, &end);
    for (;;) {
        residual_packs(&nlgs->set, begin, end);
        mrn_threads_barrier(threads);
        if (thread == 0) judge(run);
        mrn_threads_barrier(threads);
        if (!run->refresh) return;
        mrn_threads_barrier(threads); // everybody has seen the flag before it falls
        refresh(run, thread, thread_count);
    }
}

/// Between sweeps, by thread 0: is a check due, and how much to extrapolate.
static void plan(Run *run) {
    PackSet *set = &run->nlgs->set;
    int sweep = ++run->info->iterations;
    double change = sqrt(total(set->change, set->pack_count)) / set->q_norm;
    run->since_check++;
    run->check = change <= run->settings->tolerance || run->since_check >= 20 || sweep >= run->limit ||
                 mrn_wall_seconds() >= run->settings->deadline;
    run->stale++;
    run->refresh = run->stale >= REFRESH;
    momentum_next(&run->momentum, sweep, change, total(set->along, set->pack_count));
}

static void run_team(void *context, int thread, int thread_count) {
    Run *run = context;
    MrnNlgs *nlgs = run->nlgs;
    PackSet *set = &nlgs->set;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end, body_begin, body_end;
    share(0, nlgs->problem->body_count, thread, thread_count, &body_begin, &body_end);
    memcpy(set->before + body_begin * STRIDE, set->velocity + body_begin * STRIDE,
           (body_end - body_begin) * STRIDE * sizeof(double));
    share(0, set->pack_count, thread, thread_count, &begin, &end);
    for (size_t k = begin; k < end; k++) memset(set->packs[k].motion, 0, sizeof set->packs[k].motion);
    certify(run, threads, thread, thread_count);
    while (!run->stop) {
        double momentum = run->settings->accelerate ? run->momentum.factor : 0;
        for (size_t c = 0; c < set->color_count; c++) {
            share(set->color_start[c], set->color_start[c + 1], thread, thread_count, &begin, &end);
            sweep_packs(set, momentum, begin, end);
            mrn_threads_barrier(threads);
        }
        if (thread == 0) plan(run);
        mrn_threads_barrier(threads);
        bool due = run->refresh;
        mrn_threads_barrier(threads);
        if (due) refresh(run, thread, thread_count);
        if (run->check) {
            certify(run, threads, thread, thread_count);
            if (run->stop) return;
        }
        if (run->settings->accelerate) extrapolate(set, run->momentum.factor, body_begin, body_end);
        mrn_threads_barrier(threads);
    }
}

// From here on: long solves go on in single precision, on the contacts that still matter.

#define LEAST_PACKS 8    ///< smaller problems stay in double precision
#define REBASE      100  ///< sweeps in single precision between two looks in double precision
#define OPEN_MARGIN 0.05 ///< of the root mean square of q: contacts that open faster are left out
#define ROUNDING    2e-8 ///< of a number in single precision, about
#define NEAR_ROUND  5    ///< residuals below this many times the least possible one must fall by
#define LEAST_FALL  0.7  ///< this much in
#define FALL_TURNS  3    ///< so many turns of REBASE sweeps, or double precision takes over

/// u of packs [begin, end).
MRN_KERNEL static void relative_packs(MrnNlgs *nlgs, size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++) {
        const Pack *pack = &nlgs->set.packs[k];
        MrnLanes a[8], b[8];
        gather(nlgs->set.velocity, pack->body[0], a);
        gather(nlgs->set.velocity, pack->body[1], b);
        relative_velocity(pack, a, b, nlgs->relative + k * MRN_DIM);
    }
}

/// Velocities from nothing, relative velocities and residuals.
static void observe_team(void *context, int thread, int thread_count) {
    MrnNlgs *nlgs = context;
    size_t begin, end;
    refresh_team(nlgs, thread, thread_count);
    share(0, nlgs->set.pack_count, thread, thread_count, &begin, &end);
    relative_packs(nlgs, begin, end);
    residual_packs(&nlgs->set, begin, end);
}

static int root_of(int *parent, int body) {
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
}

/// Islands: contacts that are connected through bodies with mass. Numbered in the order of their first contact.
static void find_islands(MrnNlgs *nlgs) {
    const MrnProblem *problem = nlgs->problem;
    int bodies = (int)problem->body_count;
    int *parent = mrn_arena_take(nlgs->arena, problem->body_count + 1, sizeof *parent),
        *number = mrn_arena_take(nlgs->arena, problem->body_count + 1, sizeof *number);
    for (int b = 0; b <= bodies; b++) parent[b] = b, number[b] = -1;
    for (size_t i = 0; i < problem->contacts; i++) {
        int a = problem->bodies[2 * i], b = problem->bodies[2 * i + 1];
        if (a < 0 || b < 0) continue;
        a = root_of(parent, a), b = root_of(parent, b);
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
    nlgs->island_count = 0;
    for (size_t place = 0; place < nlgs->set.pack_count * MRN_LANES; place++) {
        int contact = nlgs->origins[place / MRN_LANES].contact[place % MRN_LANES];
        if (contact < 0) continue;
        const int *pair = problem->bodies + 2 * (size_t)contact;
        int root = pair[0] >= 0 ? root_of(parent, pair[0]) : pair[1] >= 0 ? root_of(parent, pair[1]) : bodies;
        if (number[root] < 0) number[root] = nlgs->island_count++;
        nlgs->island[place] = number[root];
    }
    size_t islands = (size_t)nlgs->island_count;
    nlgs->island_residual = mrn_arena_take(nlgs->arena, islands, sizeof *nlgs->island_residual);
    nlgs->island_size = mrn_arena_take(nlgs->arena, islands, sizeof *nlgs->island_size);
    nlgs->island_done = mrn_arena_take(nlgs->arena, islands, sizeof *nlgs->island_done);
    memset(nlgs->island_size, 0, islands * sizeof *nlgs->island_size);
    for (size_t place = 0; place < nlgs->set.pack_count * MRN_LANES; place++)
        if (nlgs->origins[place / MRN_LANES].contact[place % MRN_LANES] >= 0) nlgs->island_size[nlgs->island[place]]++;
}

static void prepare_single(MrnNlgs *nlgs) {
    size_t places = nlgs->set.pack_count * MRN_LANES;
    nlgs->relative = mrn_arena_take(nlgs->arena, nlgs->set.pack_count * MRN_DIM, sizeof *nlgs->relative);
    nlgs->kept = mrn_arena_take(nlgs->arena, places, sizeof *nlgs->kept);
    nlgs->needed = mrn_arena_take(nlgs->arena, places, sizeof *nlgs->needed);
    nlgs->slot = mrn_arena_take(nlgs->arena, places, sizeof *nlgs->slot);
    nlgs->island = mrn_arena_take(nlgs->arena, places, sizeof *nlgs->island);
    nlgs->lanes = mrn_arena_take(nlgs->arena, nlgs->set.color_count, sizeof *nlgs->lanes);
    for (size_t c = 0; c < nlgs->set.color_count; c++)
        nlgs->lanes[c] = (nlgs->set.color_start[c + 1] - nlgs->set.color_start[c]) * MRN_LANES;
    nlgs->single = MRN_NAMED(mrn_nlgs_single_new)(nlgs->problem->body_count, nlgs->set.color_count, nlgs->lanes,
                                                  nlgs->arena, nlgs->threads);
    find_islands(nlgs);
}

/// Squared residual of every island; an island is done when it is well below its share of the tolerance. Returns the
/// contacts that still take part though their island is done.
static size_t watch_islands(MrnNlgs *nlgs, double tolerance) {
    size_t islands = (size_t)nlgs->island_count, idle = 0;
    double allowed = 0.25 * tolerance * tolerance * nlgs->set.q_norm * nlgs->set.q_norm;
    if (islands == 1) {
        nlgs->island_done[0] = 0;
        nlgs->frozen = 0;
        return 0;
    }
    memset(nlgs->island_residual, 0, islands * sizeof *nlgs->island_residual);
    for (size_t place = 0; place < nlgs->set.pack_count * MRN_LANES; place++) {
        size_t k = place / MRN_LANES, lane = place % MRN_LANES;
        if (nlgs->origins[k].contact[lane] < 0) continue;
        const Pack *pack = &nlgs->set.packs[k];
        double p[MRN_DIM], u[MRN_DIM];
        for (int i = 0; i < MRN_DIM; i++)
            p[i] = nlgs->set.scale * pack->p[i][lane], u[i] = nlgs->relative[k * MRN_DIM + (size_t)i][lane];
        nlgs->island_residual[nlgs->island[place]] += mrn_coulomb_residual2(MRN_DIM, pack->mu[lane], p, u);
    }
    nlgs->frozen = 0;
    for (size_t i = 0; i < islands; i++) {
        double share_of_all = (double)nlgs->island_size[i] / (double)nlgs->problem->contacts;
        nlgs->island_done[i] = nlgs->island_residual[i] <= allowed * share_of_all;
        if (nlgs->island_done[i]) nlgs->frozen += nlgs->island_residual[i];
    }
    for (size_t place = 0; place < nlgs->set.pack_count * MRN_LANES; place++)
        if (nlgs->origins[place / MRN_LANES].contact[place % MRN_LANES] >= 0 && nlgs->kept[place])
            idle += nlgs->island_done[nlgs->island[place]];
    return idle;
}

static void fill_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnNlgs *nlgs = context;
    for (size_t k = begin; k < end; k++)
        for (size_t lane = 0; lane < MRN_LANES; lane++) {
            if (!nlgs->kept[k * MRN_LANES + lane]) continue;
            const Pack *pack = &nlgs->set.packs[k];
            MrnNlgsLane to = {.mu = pack->mu[lane], .nn = pack->nn[lane], .inverse_nn = pack->inverse_nn[lane]};
            for (int side = 0; side < 2; side++) {
                to.body[side] = pack->body[side][lane];
                for (int i = 0; i < MRN_DIM; i++)
                    for (int j = 0; j < MRN_DOF; j++) to.jacobian[side][i][j] = pack->jacobian[side][i][j][lane];
            }
            for (int i = 0; i < MRN_DIM; i++) {
                to.q[i] = nlgs->relative[k * MRN_DIM + (size_t)i][lane];
                to.p[i] = pack->p[i][lane];
                to.motion[i] = pack->motion[i][lane];
            }
#if MRN_DIM == 3
            to.lambda = pack->lambda[lane];
#endif
            for (int t = 0; t < T; t++)
                to.r[t] = pack->r[t][lane], to.s[t] = pack->s[t][lane], to.inverse_s[t] = pack->inverse_s[t][lane];
            MRN_NAMED(mrn_nlgs_single_fill)(nlgs->single, nlgs->slot[k * MRN_LANES + lane], &to);
        }
}

/// Choose the contacts that take part and pack them. Left out are islands that are done, and contacts that open fast:
/// their p = 0 moves nothing. Returns how many take part.
static size_t pack_single(MrnNlgs *nlgs) {
    const PackSet *set = &nlgs->set;
    size_t kept = 0;
    double margin = OPEN_MARGIN * set->q_norm / sqrt((double)nlgs->problem->contacts);
    for (size_t c = 0; c < set->color_count; c++) {
        nlgs->lanes[c] = 0;
        for (size_t place = set->color_start[c] * MRN_LANES; place < set->color_start[c + 1] * MRN_LANES; place++) {
            size_t k = place / MRN_LANES, lane = place % MRN_LANES;
            bool open = set->packs[k].p[0][lane] <= 0 && nlgs->relative[k * MRN_DIM][lane] > margin;
            nlgs->kept[place] = nlgs->origins[k].contact[lane] >= 0 && !nlgs->island_done[nlgs->island[place]] &&
                                (!open || nlgs->needed[place]);
            nlgs->slot[place] = nlgs->kept[place] ? nlgs->lanes[c]++ : 0;
        }
        kept += nlgs->lanes[c];
    }
    MRN_NAMED(mrn_nlgs_single_layout)(nlgs->single, nlgs->lanes);
    for (size_t c = 0; c < set->color_count; c++)
        for (size_t place = set->color_start[c] * MRN_LANES; place < set->color_start[c + 1] * MRN_LANES; place++)
            nlgs->slot[place] += MRN_NAMED(mrn_nlgs_single_color)(nlgs->single, c) * MRN_LANES;
    mrn_threads_for(nlgs->threads, set->pack_count, PACK_GRAIN, fill_single, nlgs);
    MRN_NAMED(mrn_nlgs_single_motion)(nlgs->single, set->velocity, set->before);
    return kept;
}

/// Impulses come back to double precision.
static void collect_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnNlgs *nlgs = context;
    for (size_t place = begin * MRN_LANES; place < end * MRN_LANES; place++) {
        if (!nlgs->kept[place]) continue;
        double p[3];
        MRN_NAMED(mrn_nlgs_single_impulse)(nlgs->single, nlgs->slot[place], p);
        mrn_project_cone(MRN_DIM, nlgs->set.packs[place / MRN_LANES].mu[place % MRN_LANES], p); // mu p_n was rounded
        for (int i = 0; i < MRN_DIM; i++) nlgs->set.packs[place / MRN_LANES].p[i][place % MRN_LANES] = p[i];
    }
}

/// Fresh relative velocities go to single precision.
static void rebase_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnNlgs *nlgs = context;
    for (size_t place = begin * MRN_LANES; place < end * MRN_LANES; place++) {
        if (!nlgs->kept[place]) continue;
        double p[3], u[3];
        for (size_t i = 0; i < MRN_DIM; i++) {
            p[i] = nlgs->set.packs[place / MRN_LANES].p[i][place % MRN_LANES];
            u[i] = nlgs->relative[place / MRN_LANES * MRN_DIM + i][place % MRN_LANES];
        }
        MRN_NAMED(mrn_nlgs_single_rebase)(nlgs->single, nlgs->slot[place], p, u);
    }
}

/// Contacts that were left out as open but close.
static bool find_needed(MrnNlgs *nlgs) {
    bool found = false;
    for (size_t place = 0; place < nlgs->set.pack_count * MRN_LANES; place++) {
        size_t k = place / MRN_LANES, lane = place % MRN_LANES;
        if (nlgs->kept[place] || nlgs->origins[k].contact[lane] < 0 || nlgs->island_done[nlgs->island[place]]) continue;
        if (nlgs->relative[k * MRN_DIM][lane] < 0) nlgs->needed[place] = 1, found = true;
    }
    return found;
}

/// The residual that rounding of the impulses leaves at least.
static double least_residual(const MrnNlgs *nlgs) {
    double square = 0;
    for (size_t k = 0; k < nlgs->set.pack_count; k++)
        for (int i = 0; i < MRN_DIM; i++) square += mrn_lanes_sum(nlgs->set.packs[k].p[i] * nlgs->set.packs[k].p[i]);
    return ROUNDING * (1 + nlgs->set.scale * sqrt(square) / nlgs->set.q_norm);
}

/// Sweeps in single precision; false where double precision has to take over.
static bool run_single(Run *run) {
    MrnNlgs *nlgs = run->nlgs;
    PackSet *set = &nlgs->set;
    double tolerance = run->settings->tolerance, turn_residual = INFINITY;
    if (!nlgs->single) prepare_single(nlgs);
    memset(nlgs->needed, 0, set->pack_count * MRN_LANES);
    memset(nlgs->kept, 1, set->pack_count * MRN_LANES);
    run_on_team(nlgs, observe_team, nlgs);
    watch_islands(nlgs, tolerance);
    if (!pack_single(nlgs)) return false;
    MrnNlgsSingleRun single = {.scale = set->scale,
                               .q_norm = set->q_norm,
                               .relaxation = run->settings->relaxation,
                               .accelerate = run->settings->accelerate,
                               .sweep = run->info->iterations,
                               .deadline = run->settings->deadline,
                               .momentum = &run->momentum};
    for (int turn = 0;;) {
        double least = least_residual(nlgs);
        single.limit = run->limit - single.sweep < REBASE ? run->limit : single.sweep + REBASE;
        single.tolerance = fmax(sqrt(tolerance * tolerance - nlgs->frozen / (set->q_norm * set->q_norm)), 0.5 * least);
        MRN_NAMED(mrn_nlgs_single_run)(nlgs->single, &single);
        run->info->iterations = single.sweep;
        mrn_threads_for(nlgs->threads, set->pack_count, PACK_GRAIN, collect_single, nlgs);
        run_on_team(nlgs, observe_team, nlgs);
        double residual = sqrt(total(set->residual, set->pack_count)) / set->q_norm;
        if (!isfinite(residual)) return false;
        if (decide(run, residual)) return true;
        if (residual <= least) return false;
        bool again = find_needed(nlgs);
        if (residual < LEAST_FALL * turn_residual)
            turn = 0, turn_residual = residual;
        else if (!again && residual < NEAR_ROUND * least && ++turn >= FALL_TURNS)
            return false;
        size_t idle = watch_islands(nlgs, tolerance);
        if (again || 8 * idle > MRN_NAMED(mrn_nlgs_single_packs)(nlgs->single) * MRN_LANES) {
            memcpy(set->before, set->velocity, nlgs->problem->body_count * STRIDE * sizeof(double));
            for (size_t k = 0; k < set->pack_count; k++) memset(set->packs[k].motion, 0, sizeof set->packs[k].motion);
            run->momentum.theta = 1, run->momentum.factor = 0, run->momentum.least_change = INFINITY;
            if (!pack_single(nlgs)) return false;
        } else {
            MRN_NAMED(mrn_nlgs_single_restart)(nlgs->single);
            mrn_threads_for(nlgs->threads, set->pack_count, PACK_GRAIN, rebase_single, nlgs);
        }
    }
}

void MRN_NAMED(mrn_nlgs_run)(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info) {
    bool single =
        settings->single && nlgs->set.pack_count >= LEAST_PACKS && settings->max_sweeps > 2 * settings->first_sweeps;
    Run run = {.nlgs = nlgs,
               .settings = settings,
               .info = info,
               .limit = single ? settings->first_sweeps : settings->max_sweeps,
               .best = INFINITY,
               .momentum = {.theta = 1, .least_change = INFINITY, .mark = INFINITY}};
    info->iterations = 0;
    nlgs->set.relaxation = settings->relaxation;
    run_on_team(nlgs, run_team, &run);
    if (!single || info->status != MRN_MAX_ITERATIONS) return;
    run.limit = settings->max_sweeps;
    if (run_single(&run)) return;
    run.stop = run.check = run.refresh = false;
    run.stale = run.since_check = 0;
    run.momentum = (MrnMomentum){.theta = 1, .least_change = INFINITY, .mark = INFINITY};
    run_on_team(nlgs, run_team, &run);
}
