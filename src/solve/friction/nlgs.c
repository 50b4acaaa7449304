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
// With `accelerate` the point is extrapolated between sweeps by Nesterov's momentum with restarts.
// What always holds: v~ = H~^T p to rounding, and every p lies in its cone after a sweep.
#include "base/dim.h"
#include "base/clock.h"
#include "base/simd.h"
#include "solve/friction/local.h"
#include "solve/friction/nlgs.h"

#include <math.h>
#include <string.h>

#define T          (MRN_DIM - 1)          ///< tangential components
#define STRIDE     (MRN_DIM == 2 ? 4 : 8) ///< doubles per body in the velocity array, one power of two
#define GROWTH     1.5                    ///< of the change of a sweep that makes the momentum start again
#define FRUITLESS  200                    ///< sweeps with momentum that do not halve the residual
#define SETTLING   60                     ///< plain sweeps after that
#define REFRESH    200 ///< sweeps after which v~ = H~^T p is computed from nothing: momentum multiplies rounding
#define MAX_NEWTON 8   ///< iterations on lambda before the scalar solver takes over

typedef struct Pack {
    MrnLanes jacobian[2][MRN_DIM][MRN_DOF]; ///< rows n, t1(, t2) of H~ for A and B
    MrnLanes q[MRN_DIM], p[MRN_DIM], mu;
    MrnLanes before[MRN_DIM]; ///< p after the last sweep but one, for the momentum
    MrnLanes nn, inverse_nn;  ///< W_nn
#if MRN_DIM == 3
    MrnLanes lambda; ///< slip multiplier of the last visit, 0 if there was none
#endif
    MrnLanes r[T], s[T], inverse_s[T];
    int32_t body[2][MRN_LANES]; ///< row of the velocity array; the last row is a body that never moves
} Pack;

/// Where the contacts of a pack come from: not needed by sweeps, so kept apart from what they read.
typedef struct Origin {
    double turn[2][MRN_LANES];  ///< cosine and sine from the problem's tangents to the pack's
    int32_t contact[MRN_LANES]; ///< in the problem, or -1 for an empty lane
} Origin;

struct MrnNlgs {
    const MrnProblem *problem;
    MrnThreads *threads;
    size_t pack_count, color_count;
    size_t *color_start; ///< first pack of each colour, color_count + 1
    Pack *packs;
    Origin *origins;
    double *velocity;    ///< STRIDE per body, one more row for the ground
    double *pack_change; ///< per pack: squared velocity change of the last sweep
    double *pack_along;  ///< per pack: change of the last sweep . motion since the sweep before
    double *pack_residual;
    double *before; ///< velocities after the sweep before the last
    double scale;   ///< mean diagonal of W: impulses times this are velocities
    double q_norm;  ///< |q|, or 1
    double relaxation;
};

#if MRN_DIM == 2
MrnNlgsSettings mrn_nlgs_defaults(void) {
    return (MrnNlgsSettings){.tolerance = 1e-6,
                             .max_sweeps = 10000,
                             .relaxation = 1,
                             .stall_sweeps = 2000,
                             .accelerate = true,
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
                empty_lane(&nlgs->packs[k], &nlgs->origins[k], lane, (int32_t)nlgs->problem->body_count);
            else
                job->trace[contact] =
                    fill_lane(&nlgs->packs[k], &nlgs->origins[k], lane, nlgs->problem, (size_t)contact);
        }
}

/// Loops over packs shorter than this stay on one thread.
#define PACK_GRAIN 64

MrnNlgs *MRN_NAMED(mrn_nlgs_new)(const MrnProblem *problem, MrnArena *arena, MrnThreads *threads) {
    MrnNlgs *nlgs = mrn_arena_take(arena, 1, sizeof *nlgs);
    size_t n = problem->contacts;
    *nlgs = (MrnNlgs){.problem = problem, .threads = threads, .relaxation = 1};
    int *color = color_contacts(problem, arena, &nlgs->color_count);
    size_t *fill = mrn_arena_take(arena, nlgs->color_count + 1, sizeof *fill);
    memset(fill, 0, (nlgs->color_count + 1) * sizeof *fill);
    for (size_t i = 0; i < n; i++) fill[color[i]]++;
    nlgs->color_start = mrn_arena_take(arena, nlgs->color_count + 1, sizeof *nlgs->color_start);
    nlgs->color_start[0] = 0;
    for (size_t c = 0; c < nlgs->color_count; c++) {
        nlgs->color_start[c + 1] = nlgs->color_start[c] + (fill[c] + MRN_LANES - 1) / MRN_LANES;
        fill[c] = nlgs->color_start[c] * MRN_LANES; // from here on: next lane of this colour
    }
    nlgs->pack_count = nlgs->color_start[nlgs->color_count];
    nlgs->packs = mrn_arena_take(arena, nlgs->pack_count, sizeof *nlgs->packs);
    nlgs->origins = mrn_arena_take(arena, nlgs->pack_count, sizeof *nlgs->origins);
    nlgs->velocity = mrn_arena_take(arena, (problem->body_count + 1) * STRIDE, sizeof(double));
    nlgs->pack_change = mrn_arena_take(arena, nlgs->pack_count, sizeof(double));
    nlgs->pack_along = mrn_arena_take(arena, nlgs->pack_count, sizeof(double));
    nlgs->pack_residual = mrn_arena_take(arena, nlgs->pack_count, sizeof(double));
    nlgs->before = mrn_arena_take(arena, (problem->body_count + 1) * STRIDE, sizeof(double));
    for (size_t k = 0; k < nlgs->pack_count; k++)
        for (int lane = 0; lane < MRN_LANES; lane++) nlgs->origins[k].contact[lane] = -1;
    for (size_t i = 0; i < n; i++) {
        size_t slot = fill[color[i]]++;
        nlgs->origins[slot / MRN_LANES].contact[slot % MRN_LANES] = (int32_t)i;
    }
    FillJob job = {nlgs, mrn_arena_take(arena, n, sizeof(double))};
    mrn_threads_for(threads, nlgs->pack_count, PACK_GRAIN, fill_packs, &job);
    double trace = 0, square = 0;
    for (size_t i = 0; i < n; i++) trace += job.trace[i];
    for (size_t i = 0; i < n * MRN_DIM; i++) square += problem->free_velocity[i] * problem->free_velocity[i];
    nlgs->scale = n ? trace / (double)(n * MRN_DIM) : 1;
    nlgs->q_norm = square > 0 ? sqrt(square) : 1;
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
        Pack *pack = &job->nlgs->packs[k];
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
        const Pack *pack = &job->nlgs->packs[k];
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
    mrn_threads_for(nlgs->threads, nlgs->pack_count, PACK_GRAIN, store_packs, &job);
}

/// Share [0, count) of this thread, in whole packs.
static void share(size_t first, size_t last, int thread, int thread_count, size_t *begin, size_t *end) {
    size_t count = last - first;
    *begin = first + count * (size_t)thread / (size_t)thread_count;
    *end = first + count * ((size_t)thread + 1) / (size_t)thread_count;
}

/// Load the velocities of the eight bodies of one side: component k of lane l is out[k][l].
MRN_INLINE void gather(const double *velocity, const int32_t *body, MrnLanes out[8]) {
#if MRN_DIM == 2
    for (int i = 0; i < 4; i++) {
        memcpy((char *)&out[i], velocity + (size_t)body[i] * STRIDE, 32);
        memcpy((char *)&out[i] + 32, velocity + (size_t)body[i + 4] * STRIDE, 32);
    }
    mrn_transpose4(out);
#else
    for (int i = 0; i < 8; i++) memcpy(&out[i], velocity + (size_t)body[i] * STRIDE, 64);
    mrn_transpose8(out);
#endif
}

MRN_INLINE void scatter(double *velocity, const int32_t *body, int32_t ground, MrnLanes in[8]) {
#if MRN_DIM == 2
    mrn_transpose4(in);
    for (int i = 0; i < 4; i++) {
        if (body[i] != ground) memcpy(velocity + (size_t)body[i] * STRIDE, (char *)&in[i], 32);
        if (body[i + 4] != ground) memcpy(velocity + (size_t)body[i + 4] * STRIDE, (char *)&in[i] + 32, 32);
    }
#else
    mrn_transpose8(in);
    for (int i = 0; i < 8; i++)
        if (body[i] != ground) memcpy(velocity + (size_t)body[i] * STRIDE, &in[i], 64);
#endif
}

MRN_INLINE void relative_velocity(const Pack *pack, const MrnLanes a[8], const MrnLanes b[8], MrnLanes u[MRN_DIM]) {
    for (int i = 0; i < MRN_DIM; i++) {
        MrnLanes x = pack->q[i], y = mrn_lanes(0);
        for (int k = 0; k < MRN_DOF; k++) {
            x += pack->jacobian[0][i][k] * a[k];
            y += pack->jacobian[1][i][k] * b[k];
        }
        u[i] = x + y;
    }
}

#if MRN_DIM == 3
/// A lane whose slip equation Newton did not settle: the safe scalar solver.
static void settle_lane(const Pack *pack, int lane, double beta, const double c[2], double out[3]) {
    double nn = pack->nn[lane], r1 = pack->r[0][lane], r2 = pack->r[1][lane];
    double W[9] = {nn,
                   nn * r1,
                   nn * r2,
                   nn * r1,
                   pack->s[0][lane] + nn * r1 * r1,
                   nn * r1 * r2,
                   nn * r2,
                   nn * r1 * r2,
                   pack->s[1][lane] + nn * r2 * r2};
    double b[3] = {-beta * nn, -c[0] - r1 * beta * nn, -c[1] - r2 * beta * nn};
    mrn_local_3d(W, b, pack->mu[lane], out);
}
#endif

/// The exact one-contact solution in every lane, from u and p.
MRN_INLINE void solve_lanes(Pack *pack, const MrnLanes u[MRN_DIM], const MrnLanes p[MRN_DIM], MrnLanes out[MRN_DIM]) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1);
    MrnLanes beta = p[0] - u[0] * pack->inverse_nn, c[T], stick[T], stick_normal;
    for (int t = 0; t < T; t++) {
        beta += pack->r[t] * p[1 + t];
        c[t] = pack->s[t] * p[1 + t] - u[1 + t] + pack->r[t] * u[0];
        stick[t] = c[t] * pack->inverse_s[t];
    }
    stick_normal = beta;
    for (int t = 0; t < T; t++) stick_normal -= pack->r[t] * stick[t];
    MrnMask closed = beta > zero;
    MrnLanes bound = pack->mu * stick_normal;
#if MRN_DIM == 2
    MrnMask sticks = (stick_normal >= zero) & (mrn_lanes_abs(stick[0]) <= bound);
    MrnLanes signed_mu = mrn_select(c[0] < zero, -pack->mu, pack->mu);
    MrnLanes slip_normal = beta / (one + signed_mu * pack->r[0]);
    out[0] = mrn_select(closed, mrn_select(sticks, stick_normal, slip_normal), zero);
    out[1] = mrn_select(closed, mrn_select(sticks, stick[0], signed_mu * slip_normal), zero);
#else
    MrnMask sticks = (stick_normal >= zero) & (stick[0] * stick[0] + stick[1] * stick[1] <= bound * bound);
    MrnMask slips = closed & ~sticks & (pack->mu > zero);
    out[0] = mrn_select(sticks, stick_normal, beta); // frictionless: beta, 0, 0
    out[1] = mrn_select(sticks, stick[0], zero);
    out[2] = mrn_select(sticks, stick[1], zero);
    if (mrn_any(slips)) {
        // mu p_n(lambda) = |p_t(lambda)|, by Newton on 1/|p_t| - 1/(mu p_n), which is linear when S is isotropic and r
        // = 0.
        MrnLanes c_norm = mrn_lanes_sqrt(c[0] * c[0] + c[1] * c[1]), mean = mrn_lanes(0.5) * (pack->s[0] + pack->s[1]);
        MrnLanes safe_beta = mrn_select(slips, pack->mu * beta, one);
        MrnLanes lambda = mrn_select(pack->lambda > zero, pack->lambda, mrn_lanes_max(zero, c_norm / safe_beta - mean)),
                 p1 = zero, p2 = zero, normal = zero;
        MrnMask open_lanes = slips;
        for (int i = 0; i < MAX_NEWTON; i++) {
            MrnLanes g1 = one / (pack->s[0] + lambda), g2 = one / (pack->s[1] + lambda);
            p1 = c[0] * g1;
            p2 = c[1] * g2;
            normal = beta - pack->r[0] * p1 - pack->r[1] * p2;
            MrnLanes limit = pack->mu * normal, square = p1 * p1 + p2 * p2, tangent = mrn_lanes_sqrt(square);
            open_lanes = slips & ~(mrn_lanes_abs(tangent - limit) <= mrn_lanes(1e-11) * tangent);
            if (!mrn_any(open_lanes)) break;
            MrnLanes tangent_rate = p1 * p1 * g1 + p2 * p2 * g2; // -|p_t| d|p_t|/dlambda
            MrnLanes limit_rate = pack->mu * (pack->r[0] * p1 * g1 + pack->r[1] * p2 * g2);
            MrnLanes slope = tangent_rate / (square * tangent) + limit_rate / (limit * limit);
            MrnLanes step = (one / tangent - one / limit) / slope, next = lambda - step;
            MrnMask good = (limit > zero) & (next >= zero) & (slope > zero);
            lambda = mrn_select(open_lanes, mrn_select(good, next, mrn_lanes(4) * lambda + mean), lambda);
        }
        pack->lambda = mrn_select(slips & ~open_lanes, lambda, zero);
        MrnLanes shrink = pack->mu * normal / mrn_lanes_sqrt(p1 * p1 + p2 * p2);
        out[0] = mrn_select(slips, normal, out[0]);
        out[1] = mrn_select(slips, p1 * shrink, out[1]);
        out[2] = mrn_select(slips, p2 * shrink, out[2]);
        if (mrn_any(open_lanes))
            for (int lane = 0; lane < MRN_LANES; lane++)
                if (open_lanes[lane]) {
                    double scalar[3], tangent[2] = {c[0][lane], c[1][lane]};
                    settle_lane(pack, lane, beta[lane], tangent, scalar);
                    for (int k = 0; k < 3; k++) out[k][lane] = scalar[k];
                }
    }
    for (int k = 0; k < 3; k++) out[k] = mrn_select(closed, out[k], zero);
#endif
}

/// v~ += H~^T p of packs [begin, end) of one colour.
MRN_KERNEL static void push_packs(MrnNlgs *nlgs, size_t begin, size_t end) {
    const int32_t ground = (int32_t)nlgs->problem->body_count;
    for (size_t k = begin; k < end; k++) {
        const Pack *pack = &nlgs->packs[k];
        MrnLanes v[8];
        for (int side = 0; side < 2; side++) {
            gather(nlgs->velocity, pack->body[side], v);
            for (int d = 0; d < MRN_DOF; d++)
                for (int i = 0; i < MRN_DIM; i++) v[d] += pack->jacobian[side][i][d] * pack->p[i];
            scatter(nlgs->velocity, pack->body[side], ground, v);
        }
    }
}

static void refresh_team(void *context, int thread, int thread_count) {
    MrnNlgs *nlgs = context;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end;
    share(0, nlgs->problem->body_count + 1, thread, thread_count, &begin, &end);
    memset(nlgs->velocity + begin * STRIDE, 0, (end - begin) * STRIDE * sizeof(double));
    mrn_threads_barrier(threads);
    for (size_t c = 0; c < nlgs->color_count; c++) {
        share(nlgs->color_start[c], nlgs->color_start[c + 1], thread, thread_count, &begin, &end);
        push_packs(nlgs, begin, end);
        mrn_threads_barrier(threads);
    }
}

/// Below this number of packs the barriers cost more than the sweep.
#define TEAM_PACKS 128

static void run_on_team(MrnNlgs *nlgs, MrnTeamTask *team, void *context) {
    if (nlgs->pack_count < TEAM_PACKS)
        team(context, 0, 1);
    else
        mrn_threads_team(nlgs->threads, team, context);
}

void MRN_NAMED(mrn_nlgs_load)(MrnNlgs *nlgs, const double *impulse) {
    LoadJob job = {nlgs, impulse};
    mrn_threads_for(nlgs->threads, nlgs->pack_count, PACK_GRAIN, load_packs, &job);
    run_on_team(nlgs, refresh_team, nlgs); // v~ = H~^T p from nothing
}

/// Problems larger than this do not stay in the cache next to the processor between sweeps.
#define CACHE_BYTES ((size_t)1 << 20)

/// Ask for the packs and velocities that come next: the processor's own prefetching stops at the end of a page, about
/// the size of a pack.
MRN_INLINE void fetch_ahead(const MrnNlgs *nlgs, size_t k, size_t end) {
    if (k + 2 < end)
        for (size_t byte = 0; byte < sizeof(Pack); byte += 64)
            __builtin_prefetch((const char *)&nlgs->packs[k + 2] + byte, 1);
    if (k + 1 < end)
        for (int side = 0; side < 2; side++)
            for (int lane = 0; lane < MRN_LANES; lane++)
                __builtin_prefetch(nlgs->velocity + (size_t)nlgs->packs[k + 1].body[side][lane] * STRIDE, 1);
}

/// Visit packs [begin, end) once. Their impulses are first extrapolated, p + momentum (p - before): a pack's p is read
/// by its own visit only, so this is the same as extrapolating all of them between the sweeps, and spares a pass over
/// memory. The point may leave its cone, which the solution does not mind: it only uses u - W_cc p.
MRN_KERNEL static void sweep_packs(MrnNlgs *nlgs, double momentum, size_t begin, size_t end) {
    const int32_t ground = (int32_t)nlgs->problem->body_count;
    const MrnLanes relaxation = mrn_lanes(nlgs->relaxation);
    const int relaxed = nlgs->relaxation != 1, ahead = nlgs->pack_count * sizeof(Pack) > CACHE_BYTES;
    double *velocity = nlgs->velocity;
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &nlgs->packs[k];
        if (ahead) fetch_ahead(nlgs, k, end);
        MrnLanes a[8], b[8], u[MRN_DIM], old[MRN_DIM], p[MRN_DIM], d[MRN_DIM], swept[MRN_DIM];
        gather(velocity, pack->body[0], a);
        gather(velocity, pack->body[1], b);
        for (int i = 0; i < MRN_DIM; i++) {
            swept[i] = pack->p[i];
            old[i] = swept[i] + momentum * (swept[i] - pack->before[i]);
            pack->before[i] = swept[i];
        }
        relative_velocity(pack, a, b, u);
        solve_lanes(pack, u, old, p);
        for (int i = 0; i < MRN_DIM; i++) {
            d[i] = p[i] - old[i];
            if (relaxed) d[i] *= relaxation;
        }
        if (relaxed) { // stay in the cone: a convex combination is inside, an extrapolation is pulled back
            MrnLanes n = mrn_lanes_max(mrn_lanes(0), old[0] + d[0]), square = mrn_lanes(0);
            for (int t = 1; t < MRN_DIM; t++) p[t] = old[t] + d[t], square += p[t] * p[t];
            MrnLanes bound = pack->mu * n, tangent = mrn_lanes_sqrt(square);
            MrnLanes shrink = mrn_select(
                tangent > bound, bound / mrn_select(tangent > mrn_lanes(0), tangent, mrn_lanes(1)), mrn_lanes(1));
            p[0] = n;
            for (int t = 1; t < MRN_DIM; t++) p[t] *= shrink;
            for (int i = 0; i < MRN_DIM; i++) d[i] = p[i] - old[i];
        }
        for (int i = 0; i < MRN_DIM; i++) pack->p[i] = p[i];
        for (int k2 = 0; k2 < MRN_DOF; k2++)
            for (int i = 0; i < MRN_DIM; i++) {
                a[k2] += pack->jacobian[0][i][k2] * d[i];
                b[k2] += pack->jacobian[1][i][k2] * d[i];
            }
        scatter(velocity, pack->body[0], ground, a);
        scatter(velocity, pack->body[1], ground, b);
        MrnLanes normal = pack->nn * d[0], change, along = mrn_lanes(0);
        for (int t = 0; t < T; t++) normal += pack->nn * pack->r[t] * d[1 + t];
        change = normal * normal;
        for (int t = 0; t < T; t++) {
            MrnLanes tangent = pack->s[t] * d[1 + t] + pack->r[t] * normal;
            change += tangent * tangent;
        }
        for (int i = 0; i < MRN_DIM; i++) along += d[i] * (p[i] - swept[i]);
        nlgs->pack_change[k] = mrn_lanes_sum(change);
        nlgs->pack_along[k] = mrn_lanes_sum(along);
    }
}

/// Squared natural residual |w p - P_K(w p - u^)|^2 of packs [begin, end), w = nlgs->scale.
MRN_KERNEL static void residual_packs(MrnNlgs *nlgs, size_t begin, size_t end) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1), scale = mrn_lanes(nlgs->scale);
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &nlgs->packs[k];
        MrnLanes a[8], b[8], u[MRN_DIM], z[MRN_DIM];
        gather(nlgs->velocity, pack->body[0], a);
        gather(nlgs->velocity, pack->body[1], b);
        relative_velocity(pack, a, b, u);
        MrnLanes slide = zero, tangent = zero;
        for (int t = 1; t < MRN_DIM; t++) slide += u[t] * u[t];
        z[0] = scale * pack->p[0] - u[0] - pack->mu * mrn_lanes_sqrt(slide);
        for (int t = 1; t < MRN_DIM; t++) z[t] = scale * pack->p[t] - u[t], tangent += z[t] * z[t];
        tangent = mrn_lanes_sqrt(tangent);
        MrnMask inside = (tangent <= pack->mu * z[0]) & (z[0] >= zero), polar = pack->mu * tangent <= -z[0];
        MrnLanes normal = (z[0] + pack->mu * tangent) / (one + pack->mu * pack->mu);
        MrnLanes shrink = pack->mu * normal / mrn_select(tangent > zero, tangent, one);
        MrnLanes sum = zero;
        for (int i = 0; i < MRN_DIM; i++) {
            MrnLanes projected = mrn_select(inside, z[i], mrn_select(polar, zero, i == 0 ? normal : z[i] * shrink));
            MrnLanes e = scale * pack->p[i] - projected;
            sum += e * e;
        }
        // Empty lanes have u = (1, 0) and p = 0: they add nothing.
        nlgs->pack_residual[k] = mrn_lanes_sum(sum);
    }
}

/// Sum in a fixed order, in eight chains: one chain would wait for every addition.
MRN_KERNEL static double total(const double *x, size_t count) {
    MrnLanes sum = mrn_lanes(0), more;
    size_t i = 0;
    for (; i + MRN_LANES <= count; i += MRN_LANES) {
        memcpy(&more, x + i, sizeof more);
        sum += more;
    }
    double rest = 0;
    for (; i < count; i++) rest += x[i];
    return mrn_lanes_sum(sum) + rest;
}

/// Velocities follow the extrapolation of the impulses that the next sweep makes: they stay H~^T p.
MRN_KERNEL static void extrapolate(MrnNlgs *nlgs, double momentum, size_t body_begin, size_t body_end) {
    for (size_t i = body_begin * STRIDE; i < body_end * STRIDE; i++) {
        double swept = nlgs->velocity[i];
        nlgs->velocity[i] = swept + momentum * (swept - nlgs->before[i]);
        nlgs->before[i] = swept;
    }
}

typedef struct Run {
    MrnNlgs *nlgs;
    const MrnNlgsSettings *settings;
    MrnSolveInfo *info;
    bool stop, check, refresh;
    int stale;   ///< sweeps since v~ was computed from p
    double best; ///< best residual seen
    int best_sweep;
    int since_check;
    double theta;        ///< of Nesterov's sequence
    double least_change; ///< since the last restart
    double momentum;
    double mark;     ///< residual at the last good progress, and
    int mark_sweep;  ///< when that was
    int plain_until; ///< no momentum before this sweep
} Run;

/// After a check: decide whether to stop. Only thread 0 calls this.
static void judge(Run *run) {
    MrnNlgs *nlgs = run->nlgs;
    MrnSolveInfo *info = run->info;
    double residual = sqrt(total(nlgs->pack_residual, nlgs->pack_count)) / nlgs->q_norm;
    info->scaled_residual = residual;
    if (residual < 0.9 * run->best) run->best = residual, run->best_sweep = info->iterations;
    if (residual <= run->settings->tolerance && run->stale > 0) {
        run->refresh = true; // believe it only from fresh velocities
        return;
    }
    if (residual <= run->settings->tolerance)
        info->status = MRN_SOLVED, run->stop = true;
    else if (info->iterations >= run->settings->max_sweeps)
        info->status = MRN_MAX_ITERATIONS, run->stop = true;
    else if (info->iterations - run->best_sweep >= run->settings->stall_sweeps)
        info->status = MRN_STALLED, run->stop = true;
    else if (mrn_wall_seconds() >= run->settings->deadline)
        info->status = MRN_TIME_LIMIT, run->stop = true;
    run->since_check = 0;
    // Momentum that leads nowhere: contacts change status back and forth. Let plain sweeps settle them for a while.
    if (residual < 0.5 * run->mark || info->iterations < run->plain_until)
        run->mark = residual, run->mark_sweep = info->iterations;
    else if (info->iterations - run->mark_sweep >= FRUITLESS) {
        run->plain_until = info->iterations + SETTLING;
        run->mark = INFINITY;
    }
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
    share(0, nlgs->pack_count, thread, thread_count, &begin, &end);
    for (;;) {
        residual_packs(nlgs, begin, end);
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
    MrnNlgs *nlgs = run->nlgs;
    int sweep = ++run->info->iterations;
    double change = sqrt(total(nlgs->pack_change, nlgs->pack_count)) / nlgs->q_norm;
    run->since_check++;
    run->check = change <= run->settings->tolerance || run->since_check >= 20 || sweep >= run->settings->max_sweeps ||
                 mrn_wall_seconds() >= run->settings->deadline;
    // Restart where the sweep turns against the motion or its change grows (O'Donoghue and Candes 2015).
    if (total(nlgs->pack_along, nlgs->pack_count) < 0 || change > GROWTH * run->least_change)
        run->theta = 1, run->least_change = change;
    if (change < run->least_change) run->least_change = change;
    double theta = 0.5 * (1 + sqrt(1 + 4 * run->theta * run->theta));
    run->momentum = (run->theta - 1) / theta;
    run->theta = theta;
    run->stale++;
    run->refresh = run->stale >= REFRESH;
    if (sweep < run->plain_until) run->momentum = 0, run->theta = 1, run->least_change = INFINITY;
}

static void run_team(void *context, int thread, int thread_count) {
    Run *run = context;
    MrnNlgs *nlgs = run->nlgs;
    MrnThreads *threads = thread_count > 1 ? nlgs->threads : NULL;
    size_t begin, end, body_begin, body_end;
    share(0, nlgs->problem->body_count, thread, thread_count, &body_begin, &body_end);
    memcpy(nlgs->before + body_begin * STRIDE, nlgs->velocity + body_begin * STRIDE,
           (body_end - body_begin) * STRIDE * sizeof(double));
    share(0, nlgs->pack_count, thread, thread_count, &begin, &end);
    for (size_t k = begin; k < end; k++) memcpy(nlgs->packs[k].before, nlgs->packs[k].p, sizeof nlgs->packs[k].before);
    certify(run, threads, thread, thread_count);
    while (!run->stop) {
        double momentum = run->settings->accelerate ? run->momentum : 0;
        for (size_t c = 0; c < nlgs->color_count; c++) {
            share(nlgs->color_start[c], nlgs->color_start[c + 1], thread, thread_count, &begin, &end);
            sweep_packs(nlgs, momentum, begin, end);
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
        if (run->settings->accelerate) extrapolate(nlgs, run->momentum, body_begin, body_end);
        mrn_threads_barrier(threads);
    }
}

void MRN_NAMED(mrn_nlgs_run)(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info) {
    Run run = {.nlgs = nlgs,
               .settings = settings,
               .info = info,
               .best = INFINITY,
               .theta = 1,
               .least_change = INFINITY,
               .mark = INFINITY};
    info->iterations = 0;
    nlgs->relaxation = settings->relaxation;
    run_on_team(nlgs, run_team, &run);
}
