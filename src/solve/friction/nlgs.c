// Nonlinear Gauss-Seidel (Moreau 2003, M41-M42) on the factored form W = H~ H~^T, for Coulomb contacts.
//
// Contacts are coloured so that contacts of one colour share no body, and packed eight at a time: a pack is one vector
// operation, a colour is one parallel loop. The result depends neither on the width of the vector registers nor on the
// number of threads. What a pack holds and how its contacts are solved is in nlgs_general.h and, for balls, in
// nlgs_round.h; this file is compiled for both.
//
// With `accelerate` the point is extrapolated between sweeps by Nesterov's momentum with restarts. Long solves go on in
// single precision on corrections (nlgs_single.h), without contacts that stay open and islands that are done; only one
// set of packs is there at a time.
// What always holds: v~ = H~^T p to rounding, and every p lies in its cone after a sweep.
#include "base/dim.h"
#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/nlgs.h"
#include "solve/friction/nlgs_kernel.h"

#include <stdlib.h>

#define REFRESH    200 ///< sweeps after which v~ = H~^T p is computed from nothing: momentum multiplies rounding
#define PACK_GRAIN 64  ///< loops over packs shorter than this stay on one thread

typedef struct Nlgs {
    const MrnProblem *problem;
    MrnThreads *threads;
    MrnArena *arena;
    double *impulse;  ///< p, of the caller
    double *velocity; ///< u, of the caller: from fresh velocities, where it is needed
    int *color;       ///< per contact
    size_t color_count;
    size_t *lanes;     ///< per colour
    double (*turn)[2]; ///< per contact of any bodies in 3D: cosine and sine from the problem's tangents to the pack's
    double scale, q_norm;
    double shift;         ///< of the sweeps in double precision
    double most_momentum; ///< as the last run left it
    // Packs in double precision.
    PackSet set;
    int32_t *contact; ///< per place, which is pack * MRN_LANES + lane; -1: empty
    // Packs in single precision.
    MrnNlgsSingle *single;
    int32_t *slot;   ///< per contact: where it is, or -1 if it takes no part
    uint8_t *needed; ///< per contact: was left out once as open, wrongly
    int32_t *island; ///< per contact
    size_t island_count;
    double *island_residual; ///< squared
    size_t *island_size;
    uint8_t *island_done;
    double frozen; ///< squared residual of the islands that are done
} Nlgs;

#define SINGLE(name) MRN_KIND_NAMED(mrn_nlgs_single_##name)

/// Greedy colouring in the order of the contacts. Bodies without mass never conflict.
static int *color_contacts(const MrnProblem *problem, MrnArena *arena, size_t *color_count) {
    size_t n = problem->contacts;
    int *color = mrn_arena_take(arena, n, sizeof *color);
    MrnArenaMark mark = mrn_arena_mark(arena);
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
    mrn_arena_release(arena, mark);
    return color;
}

#ifdef MRN_ROUND
/// From the problem's components n, t1(, t2) to those of the packs, which are in space.
static void to_pack(const Nlgs *nlgs, size_t contact, const double *x, double *out) {
    double frame[9];
    mrn_problem_frame(nlgs->problem, contact, frame);
    for (int k = 0; k < MRN_DIM; k++) {
        out[k] = 0;
        for (int i = 0; i < MRN_DIM; i++) out[k] += x[i] * frame[i * MRN_DIM + k];
    }
}
static void from_pack(const Nlgs *nlgs, size_t contact, const double *x, double *out) {
    double frame[9];
    mrn_problem_frame(nlgs->problem, contact, frame);
    for (int i = 0; i < MRN_DIM; i++) {
        out[i] = 0;
        for (int k = 0; k < MRN_DIM; k++) out[i] += x[k] * frame[i * MRN_DIM + k];
    }
}

static void measure_contact(const Nlgs *nlgs, size_t contact, MrnNlgsLane *lane) {
    memcpy(lane->normal, nlgs->problem->normal + contact * MRN_DIM, MRN_DIM * sizeof(double));
    for (size_t side = 0; side < 2; side++)
        lane->lever[side] =
            nlgs->problem->bodies[2 * contact + side] >= 0 ? nlgs->problem->lever[2 * contact + side] : 0;
}
#else
/// Turn the tangents from the problem's to those of the packs (sense 1) or back (-1).
static void turn_tangents(const Nlgs *nlgs, size_t contact, double sense, const double *x, double *out) {
    out[0] = x[0];
#if MRN_DIM == 2
    (void)nlgs, (void)contact, (void)sense;
    out[1] = x[1];
#else
    double c = nlgs->turn[contact][0], s = sense * nlgs->turn[contact][1];
    out[1] = c * x[1] + s * x[2];
    out[2] = -s * x[1] + c * x[2];
#endif
}
static void to_pack(const Nlgs *nlgs, size_t contact, const double *x, double *out) {
    turn_tangents(nlgs, contact, 1, x, out);
}
static void from_pack(const Nlgs *nlgs, size_t contact, const double *x, double *out) {
    turn_tangents(nlgs, contact, -1, x, out);
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

/// Jacobians and the blocks of the one-contact problem; in 3D also the turn of the tangents.
static void measure_contact(const Nlgs *nlgs, size_t contact, MrnNlgsLane *lane) {
    const double *jacobian = nlgs->problem->jacobian + contact * 2 * MRN_DIM * MRN_DOF;
    double W[MRN_DIM][MRN_DIM], trace = 0;
    own_block(jacobian, W);
    for (int i = 0; i < MRN_DIM; i++) W[i][i] += nlgs->shift, trace += W[i][i];
    double floor = 1e-12 * (trace > 0 ? trace : 1), nn = W[0][0] > floor ? W[0][0] : floor;
#if MRN_DIM == 3
    // Eigenvectors of S; for equal eigenvalues the tangents stay as they are.
    double S11 = W[1][1] - W[0][1] * W[0][1] / nn, S12 = W[1][2] - W[0][1] * W[0][2] / nn,
           S22 = W[2][2] - W[0][2] * W[0][2] / nn, cosine = 1, sine = 0;
    if (fabs(S12) > 1e-14 * trace) {
        double angle = 0.5 * atan2(2 * S12, S11 - S22);
        cosine = cos(angle);
        sine = sin(angle);
    }
    nlgs->turn[contact][0] = cosine, nlgs->turn[contact][1] = sine;
#endif
    for (int side = 0; side < 2; side++) {
        const double *rows = jacobian + side * MRN_DIM * MRN_DOF;
        for (int k = 0; k < MRN_DOF; k++) {
            double column[3], turned[3];
            for (int i = 0; i < MRN_DIM; i++) column[i] = rows[i * MRN_DOF + k];
            to_pack(nlgs, contact, column, turned);
            for (int i = 0; i < MRN_DIM; i++) lane->jacobian[side][i][k] = turned[i];
        }
    }
    lane->nn = nn;
    // What nothing can push keeps p = 0: impulses that grow without end would hide the approach below their rounding.
    lane->inverse_nn = W[0][0] > nlgs->shift ? 1 / nn : 0;
#if MRN_DIM == 2
    lane->r[0] = W[0][1] / nn;
    lane->s[0] = W[1][1] - W[0][1] * W[0][1] / nn;
#else
    lane->r[0] = (cosine * W[0][1] + sine * W[0][2]) / nn;
    lane->r[1] = (-sine * W[0][1] + cosine * W[0][2]) / nn;
    lane->s[0] = cosine * cosine * S11 + 2 * cosine * sine * S12 + sine * sine * S22;
    lane->s[1] = sine * sine * S11 - 2 * cosine * sine * S12 + cosine * cosine * S22;
#endif
    for (int t = 0; t < T; t++) {
        if (!(lane->s[t] > floor)) lane->s[t] = floor;
        lane->inverse_s[t] = 1 / lane->s[t];
    }
}
#endif

/// A contact as sweeps see it, that starts from p with relative velocity `q` where nothing has moved yet.
static void make_lane(const Nlgs *nlgs, size_t contact, const double *q, MrnNlgsLane *lane) {
    measure_contact(nlgs, contact, lane);
    for (size_t side = 0; side < 2; side++) {
        int body = nlgs->problem->bodies[2 * contact + side];
        lane->body[side] = body >= 0 ? body : (int32_t)nlgs->problem->body_count;
    }
    lane->mu = nlgs->problem->friction[contact];
    to_pack(nlgs, contact, q + contact * MRN_DIM, lane->q);
    to_pack(nlgs, contact, nlgs->impulse + contact * MRN_DIM, lane->p);
    for (int k = 0; k < MRN_DIM; k++) lane->q[k] -= nlgs->shift * lane->p[k];
}

static void *create(const MrnProblem *problem, double scale, double *velocity, MrnArena *arena, MrnThreads *threads) {
    Nlgs *nlgs = mrn_arena_take(arena, 1, sizeof *nlgs);
    size_t n = problem->contacts;
    *nlgs = (Nlgs){.problem = problem, .threads = threads, .arena = arena, .velocity = velocity, .most_momentum = 1};
    nlgs->color = color_contacts(problem, arena, &nlgs->color_count);
    nlgs->lanes = mrn_arena_take(arena, nlgs->color_count + 1, sizeof *nlgs->lanes);
    if (MRN_DIM == 3 && problem->jacobian) nlgs->turn = mrn_arena_take(arena, n, sizeof *nlgs->turn);
    double square = 0;
    for (size_t i = 0; i < n; i++) {
        double own = 0;
        for (size_t k = 0; k < MRN_DIM; k++)
            own += problem->free_velocity[i * MRN_DIM + k] * problem->free_velocity[i * MRN_DIM + k];
        square += own;
    }
    nlgs->scale = n ? scale : 1;
    nlgs->q_norm = square > 0 ? sqrt(square) : 1;
    return nlgs;
}

static void project_range(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t i = begin; i < end; i++)
        mrn_project_cone(MRN_DIM, nlgs->problem->friction[i], nlgs->impulse + i * MRN_DIM);
}

static void load(void *packed, double *impulse) {
    Nlgs *nlgs = packed;
    nlgs->impulse = impulse;
    mrn_threads_for(nlgs->threads, nlgs->problem->contacts, 8 * PACK_GRAIN, project_range, nlgs);
}

static void fill_packs(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t place = begin * MRN_LANES; place < end * MRN_LANES; place++) {
        Pack *pack = &nlgs->set.packs[place / MRN_LANES];
        int lane = (int)(place % MRN_LANES);
        if (nlgs->contact[place] < 0) {
            put_empty(pack, lane, nlgs->set.ground);
            continue;
        }
        MrnNlgsLane from;
        make_lane(nlgs, (size_t)nlgs->contact[place], nlgs->problem->free_velocity, &from);
        put_lane(pack, lane, &from);
    }
}

/// Contacts of each colour in their order, in packs.
static void pack_double(Nlgs *nlgs) {
    const MrnProblem *problem = nlgs->problem;
    MrnArena *arena = nlgs->arena;
    PackSet *set = &nlgs->set;
    size_t numbers = (problem->body_count + 1) * STRIDE;
    *set = (PackSet){.color_count = nlgs->color_count,
                     .relaxation = 1,
                     .shift = nlgs->shift,
                     .ground = (int32_t)problem->body_count,
                     .scale = nlgs->scale,
                     .q_norm = nlgs->q_norm,
                     .mobility = problem->inverse_root_mass};
    set->color_start = mrn_arena_take(arena, set->color_count + 1, sizeof *set->color_start);
    memset(nlgs->lanes, 0, set->color_count * sizeof *nlgs->lanes);
    for (size_t i = 0; i < problem->contacts; i++) nlgs->lanes[nlgs->color[i]]++;
    set->color_start[0] = 0;
    for (size_t c = 0; c < set->color_count; c++) {
        set->color_start[c + 1] = set->color_start[c] + (nlgs->lanes[c] + MRN_LANES - 1) / MRN_LANES;
        nlgs->lanes[c] = set->color_start[c] * MRN_LANES; // from here on: next place of this colour
    }
    set->pack_count = set->color_start[set->color_count];
    set->packs = mrn_arena_take(arena, set->pack_count, sizeof *set->packs);
    set->velocity = mrn_arena_take(arena, numbers, sizeof(double));
    set->before = mrn_arena_take(arena, numbers, sizeof(double));
    double **sums[] = {&set->change, &set->along, &set->residual};
    for (int k = 0; k < 3; k++) *sums[k] = mrn_arena_take(arena, set->pack_count, sizeof(double));
    nlgs->contact = mrn_arena_take(arena, set->pack_count * MRN_LANES, sizeof *nlgs->contact);
    memset(nlgs->contact, -1, set->pack_count * MRN_LANES * sizeof *nlgs->contact);
    for (size_t i = 0; i < problem->contacts; i++) nlgs->contact[nlgs->lanes[nlgs->color[i]]++] = (int32_t)i;
    mrn_threads_for(nlgs->threads, set->pack_count, PACK_GRAIN, fill_packs, nlgs);
}

static void store_packs(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t place = begin * MRN_LANES; place < end * MRN_LANES; place++) {
        int32_t contact = nlgs->contact[place];
        if (contact < 0) continue;
        double p[MRN_DIM];
        for (int i = 0; i < MRN_DIM; i++) p[i] = nlgs->set.packs[place / MRN_LANES].p[i][place % MRN_LANES];
        from_pack(nlgs, (size_t)contact, p, nlgs->impulse + (size_t)contact * MRN_DIM);
    }
}

/// v~ += H~^T p of packs [begin, end) of one colour.
MRN_KERNEL static void push_packs(PackSet *set, size_t begin, size_t end) {
    for (size_t k = begin; k < end; k++) {
        const Pack *pack = &set->packs[k];
        MrnLanes a[8], b[8];
        gather(set->velocity, pack->body[0], a);
        gather(set->velocity, pack->body[1], b);
        push_lanes(pack, pack->p, a, b);
        scatter(set->velocity, pack->body[0], set->ground, a);
        scatter(set->velocity, pack->body[1], set->ground, b);
    }
}

static void refresh_team(void *context, int thread, int thread_count) {
    Nlgs *nlgs = context;
    PackSet *set = &nlgs->set;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end;
    share(0, nlgs->problem->body_count + 1, thread, thread_count, &begin, &end);
    rest_bodies(set, set->velocity, begin, end);
    mrn_threads_barrier(threads);
    for (size_t c = 0; c < set->color_count; c++) {
        share(set->color_start[c], set->color_start[c + 1], thread, thread_count, &begin, &end);
        push_packs(set, begin, end);
        mrn_threads_barrier(threads);
    }
}

/// Below this number of packs the barriers cost more than the sweep.
#define TEAM_PACKS 128

static void run_on_team(Nlgs *nlgs, MrnTeamTask *team, void *context) {
    if (nlgs->set.pack_count < TEAM_PACKS)
        team(context, 0, 1);
    else
        mrn_threads_team(nlgs->threads, team, context);
}

typedef struct Run {
    Nlgs *nlgs;
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
    Nlgs *nlgs = run->nlgs;
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
    Nlgs *nlgs = run->nlgs;
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
    Nlgs *nlgs = run->nlgs;
    PackSet *set = &nlgs->set;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end, body_begin, body_end;
    refresh_team(nlgs, thread, thread_count);
    share(0, nlgs->problem->body_count, thread, thread_count, &body_begin, &body_end);
    memcpy(set->before + body_begin * STRIDE, set->velocity + body_begin * STRIDE,
           (body_end - body_begin) * STRIDE * sizeof(double));
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

/// The motion begins again, and with `afresh` the watch over its fruits too.
static void momentum_restart(MrnMomentum *momentum, bool afresh) {
    momentum->theta = 1, momentum->factor = 0, momentum->least_change = INFINITY;
    if (afresh) momentum->mark = INFINITY, momentum->plain_until = 0;
}

/// Sweeps in double precision from p, up to `limit`.
static void run_double(Run *run, int limit) {
    Nlgs *nlgs = run->nlgs;
    MrnArenaMark mark = mrn_arena_mark(nlgs->arena);
    pack_double(nlgs);
    nlgs->set.relaxation = run->settings->relaxation;
    run->limit = limit;
    run->stop = run->check = run->refresh = false;
    run->stale = run->since_check = 0;
    momentum_restart(&run->momentum, true);
    run_on_team(nlgs, run_team, run);
    mrn_threads_for(nlgs->threads, nlgs->set.pack_count, PACK_GRAIN, store_packs, nlgs);
    mrn_arena_release(nlgs->arena, mark);
}

// From here on: long solves go on in single precision, on the contacts that still matter.

#define LEAST_CONTACTS 64   ///< smaller problems stay in double precision
#define REBASE         100  ///< sweeps in single precision between two looks in double precision
#define OPEN_MARGIN    0.05 ///< of the root mean square of q: contacts that open faster are left out
#define ROUNDING       2e-8 ///< of a number in single precision, about
#define NEAR_ROUND     5    ///< residuals below this many times the least possible one must fall by
#define LEAST_FALL     0.7  ///< this much in
#define FALL_TURNS     3    ///< so many turns of REBASE sweeps, or double precision takes over

/// u from p afresh; returns the residual.
static double observe(Nlgs *nlgs) {
    mrn_problem_velocity_on(nlgs->problem, nlgs->impulse, nlgs->velocity, nlgs->threads, nlgs->arena);
    return mrn_residual(nlgs->problem, nlgs->scale, nlgs->impulse, nlgs->velocity, nlgs->threads);
}

static int root_of(int *parent, int body) {
    while (parent[body] != body) body = parent[body] = parent[parent[body]];
    return body;
}

/// Islands: contacts that are connected through bodies with mass. Numbered in the order of their first contact.
static void find_islands(Nlgs *nlgs) {
    const MrnProblem *problem = nlgs->problem;
    int bodies = (int)problem->body_count;
    nlgs->island = mrn_arena_take(nlgs->arena, problem->contacts, sizeof *nlgs->island);
    nlgs->island_residual = mrn_arena_take(nlgs->arena, problem->body_count + 1, sizeof *nlgs->island_residual);
    nlgs->island_size = mrn_arena_take(nlgs->arena, problem->body_count + 1, sizeof *nlgs->island_size);
    nlgs->island_done = mrn_arena_take(nlgs->arena, problem->body_count + 1, sizeof *nlgs->island_done);
    MrnArenaMark mark = mrn_arena_mark(nlgs->arena);
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
    for (size_t i = 0; i < problem->contacts; i++) {
        const int *pair = problem->bodies + 2 * i;
        int root = pair[0] >= 0 ? root_of(parent, pair[0]) : pair[1] >= 0 ? root_of(parent, pair[1]) : bodies;
        if (number[root] < 0) {
            nlgs->island_size[nlgs->island_count] = 0;
            number[root] = (int)nlgs->island_count++;
        }
        nlgs->island[i] = number[root];
        nlgs->island_size[number[root]]++;
    }
    mrn_arena_release(nlgs->arena, mark);
}

static void prepare_single(Nlgs *nlgs) {
    size_t contacts = nlgs->problem->contacts;
    nlgs->slot = mrn_arena_take(nlgs->arena, contacts, sizeof *nlgs->slot);
    nlgs->needed = mrn_arena_take(nlgs->arena, contacts, sizeof *nlgs->needed);
    memset(nlgs->needed, 0, contacts);
    find_islands(nlgs);
    memset(nlgs->lanes, 0, nlgs->color_count * sizeof *nlgs->lanes);
    for (size_t i = 0; i < contacts; i++) nlgs->lanes[nlgs->color[i]]++;
    nlgs->single = SINGLE(new)(nlgs->problem->body_count, nlgs->problem->inverse_root_mass, nlgs->color_count,
                               nlgs->lanes, nlgs->arena, nlgs->threads);
}

/// Squared residual of every island; an island is done when it is well below its share of the tolerance. Returns the
/// contacts that still take part though their island is done.
static size_t watch_islands(Nlgs *nlgs, double tolerance) {
    const MrnProblem *problem = nlgs->problem;
    size_t idle = 0;
    double allowed = 0.25 * tolerance * tolerance * nlgs->q_norm * nlgs->q_norm;
    nlgs->frozen = 0;
    if (nlgs->island_count == 1) {
        nlgs->island_done[0] = 0;
        return 0;
    }
    memset(nlgs->island_residual, 0, nlgs->island_count * sizeof *nlgs->island_residual);
    for (size_t i = 0; i < problem->contacts; i++)
        nlgs->island_residual[nlgs->island[i]] +=
            mrn_contact_residual2(problem, i, nlgs->scale, nlgs->impulse, nlgs->velocity + i * MRN_DIM);
    for (size_t i = 0; i < nlgs->island_count; i++) {
        double share_of_all = (double)nlgs->island_size[i] / (double)problem->contacts;
        nlgs->island_done[i] = nlgs->island_residual[i] <= allowed * share_of_all;
        if (nlgs->island_done[i]) nlgs->frozen += nlgs->island_residual[i];
    }
    for (size_t i = 0; i < problem->contacts; i++) idle += nlgs->slot[i] >= 0 && nlgs->island_done[nlgs->island[i]];
    return idle;
}

static void fill_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t i = begin; i < end; i++) {
        if (nlgs->slot[i] < 0) continue;
        MrnNlgsLane lane;
        make_lane(nlgs, i, nlgs->velocity, &lane);
        SINGLE(fill)(nlgs->single, (size_t)nlgs->slot[i], &lane);
    }
}

/// Choose the contacts that take part and pack them. Left out are islands that are done, and contacts that open fast:
/// their p = 0 moves nothing. Returns how many take part.
static size_t pack_single(Nlgs *nlgs) {
    const MrnProblem *problem = nlgs->problem;
    size_t kept = 0;
    double margin = OPEN_MARGIN * nlgs->q_norm / sqrt((double)problem->contacts);
    memset(nlgs->lanes, 0, nlgs->color_count * sizeof *nlgs->lanes);
    for (size_t i = 0; i < problem->contacts; i++) {
        bool open = nlgs->impulse[i * MRN_DIM] <= 0 && nlgs->velocity[i * MRN_DIM] > margin;
        bool takes_part = !nlgs->island_done[nlgs->island[i]] && (!open || nlgs->needed[i]);
        nlgs->slot[i] = takes_part ? (int32_t)nlgs->lanes[nlgs->color[i]]++ : -1;
        kept += takes_part;
    }
    SINGLE(layout)(nlgs->single, nlgs->lanes);
    for (size_t i = 0; i < problem->contacts; i++)
        if (nlgs->slot[i] >= 0)
            nlgs->slot[i] += (int32_t)(SINGLE(color)(nlgs->single, (size_t)nlgs->color[i]) * MRN_LANES);
    mrn_threads_for(nlgs->threads, problem->contacts, 8 * PACK_GRAIN, fill_single, nlgs);
    return kept;
}

/// Impulses come back to double precision.
static void collect_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t i = begin; i < end; i++) {
        if (nlgs->slot[i] < 0) continue;
        double p[3], *own = nlgs->impulse + i * MRN_DIM;
        SINGLE(impulse)(nlgs->single, (size_t)nlgs->slot[i], p);
        from_pack(nlgs, i, p, own);
        mrn_project_cone(MRN_DIM, nlgs->problem->friction[i], own); // mu p_n was rounded
    }
}

/// Fresh relative velocities go to single precision.
static void rebase_single(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Nlgs *nlgs = context;
    for (size_t i = begin; i < end; i++) {
        if (nlgs->slot[i] < 0) continue;
        double p[3], u[3];
        to_pack(nlgs, i, nlgs->impulse + i * MRN_DIM, p);
        to_pack(nlgs, i, nlgs->velocity + i * MRN_DIM, u);
        SINGLE(rebase)(nlgs->single, (size_t)nlgs->slot[i], p, u);
    }
}

/// Contacts that were left out as open but close.
static bool find_needed(Nlgs *nlgs) {
    bool found = false;
    for (size_t i = 0; i < nlgs->problem->contacts; i++)
        if (nlgs->slot[i] < 0 && nlgs->velocity[i * MRN_DIM] < 0 && !nlgs->island_done[nlgs->island[i]])
            nlgs->needed[i] = 1, found = true;
    return found;
}

/// The residual that rounding of the impulses leaves at least.
static double least_residual(const Nlgs *nlgs) {
    double square = 0;
    for (size_t i = 0; i < nlgs->problem->contacts; i++) {
        const double *p = nlgs->impulse + i * MRN_DIM;
        double own = 0;
        for (int k = 0; k < MRN_DIM; k++) own += p[k] * p[k];
        square += own;
    }
    return ROUNDING * (1 + nlgs->scale * sqrt(square) / nlgs->q_norm);
}

/// Turns of sweeps in single precision; false where double precision has to take over.
static bool turn_single(Run *run) {
    Nlgs *nlgs = run->nlgs;
    size_t contacts = nlgs->problem->contacts;
    double tolerance = run->settings->tolerance, turn_residual = INFINITY;
    if (decide(run, observe(nlgs))) return true;
    prepare_single(nlgs);
    for (size_t i = 0; i < contacts; i++) nlgs->slot[i] = 0;
    watch_islands(nlgs, tolerance);
    if (!pack_single(nlgs)) return false;
    MrnNlgsSingleRun single = {.scale = nlgs->scale,
                               .q_norm = nlgs->q_norm,
                               .relaxation = run->settings->relaxation,
                               .accelerate = run->settings->accelerate,
                               .sweep = run->info->iterations,
                               .deadline = run->settings->deadline,
                               .momentum = &run->momentum};
    for (int turn = 0;;) {
        double least = least_residual(nlgs);
        single.limit = run->limit - single.sweep < REBASE ? run->limit : single.sweep + REBASE;
        single.tolerance =
            fmax(sqrt(tolerance * tolerance - nlgs->frozen / (nlgs->q_norm * nlgs->q_norm)), 0.5 * least);
        SINGLE(run)(nlgs->single, &single);
        run->info->iterations = single.sweep;
        mrn_threads_for(nlgs->threads, contacts, 8 * PACK_GRAIN, collect_single, nlgs);
        double residual = observe(nlgs);
        if (!isfinite(residual)) return false;
        if (decide(run, residual)) return true;
        if (residual <= least) return false;
        bool again = find_needed(nlgs);
        if (residual < LEAST_FALL * turn_residual)
            turn = 0, turn_residual = residual;
        else if (!again && residual < NEAR_ROUND * least && ++turn >= FALL_TURNS)
            return false;
        size_t idle = watch_islands(nlgs, tolerance);
        if (again || 8 * idle > SINGLE(packs)(nlgs->single) * MRN_LANES) {
            momentum_restart(&run->momentum, false);
            if (!pack_single(nlgs)) return false;
        } else {
            SINGLE(restart)(nlgs->single);
            mrn_threads_for(nlgs->threads, contacts, 8 * PACK_GRAIN, rebase_single, nlgs);
        }
    }
}

static void run_sweeps(void *packed, const MrnNlgsSettings *settings, MrnSolveInfo *info) {
    Nlgs *nlgs = packed;
    nlgs->shift = settings->shift;
    bool single = settings->single && settings->shift == 0 && nlgs->problem->contacts >= LEAST_CONTACTS &&
                  settings->max_sweeps > 2 * settings->first_sweeps;
    Run run = {
        .nlgs = nlgs, .settings = settings, .info = info, .best = INFINITY, .momentum = {.most = nlgs->most_momentum}};
    info->iterations = 0;
    info->status = MRN_MAX_ITERATIONS;
    if (!single || settings->first_sweeps > 0) run_double(&run, single ? settings->first_sweeps : settings->max_sweeps);
    if (single && info->status == MRN_MAX_ITERATIONS) {
        MrnArenaMark mark = mrn_arena_mark(nlgs->arena);
        run.limit = settings->max_sweeps;
        momentum_restart(&run.momentum, true);
        bool done = turn_single(&run);
        mrn_arena_release(nlgs->arena, mark);
        if (!done) run_double(&run, settings->max_sweeps);
    }
    nlgs->most_momentum = run.momentum.most;
}

const MrnNlgsKind MRN_KIND_NAMED(mrn_nlgs) = {.create = create,
                                              .load = load,
                                              .run = run_sweeps,
                                              .bytes = sizeof(Pack) / MRN_LANES,
                                              .single_bytes = SINGLE(bytes)};
