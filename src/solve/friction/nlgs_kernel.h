// The kernels of the nonlinear Gauss-Seidel sweep, written once and compiled for each dimension and precision.
//
// Include after base/dim.h; a file that wants single precision defines MRN_SINGLE before. See nlgs.c for the method.
// What always holds: v~ = H~^T p to rounding, and every p lies in its cone after a sweep.
#ifndef MRN_SOLVE_NLGS_KERNEL_H
#define MRN_SOLVE_NLGS_KERNEL_H

#include "base/simd.h"
#include "base/threads.h"
#include "solve/friction/local.h"
#include "solve/friction/nlgs_single.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define T          (MRN_DIM - 1)          ///< tangential components
#define STRIDE     (MRN_DIM == 2 ? 4 : 8) ///< numbers per body in the velocity array, one power of two
#define GROWTH     1.5                    ///< of the change of a sweep that makes the momentum start again
#define FRUITLESS  200                    ///< sweeps with momentum that do not halve the residual
#define SETTLING   60                     ///< plain sweeps after that
#define MAX_NEWTON 8                      ///< iterations on lambda before the scalar solver takes over
#ifdef MRN_SINGLE
#define SLIP_ACCURACY 1e-6f ///< of |p_t| = mu p_n
#else
#define SLIP_ACCURACY 1e-11
#endif

typedef struct Pack {
    MrnLanes jacobian[2][MRN_DIM][MRN_DOF]; ///< rows n, t1(, t2) of H~ for A and B
    MrnLanes q[MRN_DIM], p[MRN_DIM], mu;
    MrnLanes motion[MRN_DIM]; ///< of p in the last sweep, for the momentum
#ifdef MRN_SINGLE
    MrnLanes low[MRN_DIM]; ///< what p lost to rounding: small steps must add up, however large p is
#endif
    MrnLanes nn, inverse_nn; ///< W_nn
#if MRN_DIM == 3
    MrnLanes lambda; ///< slip multiplier of the last visit, 0 if there was none
#endif
    MrnLanes r[T], s[T], inverse_s[T];
    int32_t body[2][MRN_LANES]; ///< row of the velocity array; the last row is a body that never moves
} Pack;

/// Packs in the order of their colours, and the velocities of the bodies they act on.
typedef struct PackSet {
    size_t pack_count, color_count;
    size_t *color_start; ///< first pack of each colour, color_count + 1
    Pack *packs;
    int32_t ground;    ///< row of the velocity array that never moves
    MrnReal *velocity; ///< STRIDE per body, one more row for the ground
    MrnReal *before;   ///< velocities after the sweep before the last
    double *change;    ///< per pack: squared velocity change of the last sweep
    double *along;     ///< per pack: change of the last sweep . motion since the sweep before
    double *residual;  ///< per pack
    double scale;      ///< mean diagonal of W: impulses times this are velocities
    double q_norm;     ///< |q|, or 1
    MrnReal relaxation;
} PackSet;

/// Load the velocities of the eight bodies of one side: component k of lane l is out[k][l].
MRN_INLINE void gather(const MrnReal *velocity, const int32_t *body, MrnLanes out[8]) {
#if MRN_DIM == 2
    for (int i = 0; i < 4; i++)
        out[i] = mrn_lanes_join(mrn_half_load(velocity + (size_t)body[i] * STRIDE),
                                mrn_half_load(velocity + (size_t)body[i + 4] * STRIDE));
    mrn_transpose4(out);
#else
    for (int i = 0; i < 8; i++) memcpy(&out[i], velocity + (size_t)body[i] * STRIDE, 8 * sizeof(MrnReal));
    mrn_transpose8(out);
#endif
}

MRN_INLINE void scatter(MrnReal *velocity, const int32_t *body, int32_t ground, MrnLanes in[8]) {
#if MRN_DIM == 2
    mrn_transpose4(in);
    for (int i = 0; i < 4; i++) {
        if (body[i] != ground) mrn_half_store(velocity + (size_t)body[i] * STRIDE, mrn_lanes_low(in[i]));
        if (body[i + 4] != ground) mrn_half_store(velocity + (size_t)body[i + 4] * STRIDE, mrn_lanes_high(in[i]));
    }
#else
    mrn_transpose8(in);
    for (int i = 0; i < 8; i++)
        if (body[i] != ground) memcpy(velocity + (size_t)body[i] * STRIDE, &in[i], 8 * sizeof(MrnReal));
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

/// The exact one-contact solution in every lane, from u and p. Returns the lanes that stick.
MRN_INLINE MrnMask solve_lanes(Pack *pack, const MrnLanes u[MRN_DIM], const MrnLanes p[MRN_DIM],
                               MrnLanes out[MRN_DIM]) {
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
    // Masks come from one comparison each: the compiler takes combined ones apart, lane by lane.
#if MRN_DIM == 2
    MrnMask sticks = mrn_lanes_abs(stick[0]) <= bound; // bound >= 0, so p_n >= 0
    MrnLanes signed_mu = mrn_select(c[0] < zero, -pack->mu, pack->mu);
    MrnLanes slip_normal = beta / (one + signed_mu * pack->r[0]);
    out[0] = mrn_select(closed, mrn_select(sticks, stick_normal, slip_normal), zero);
    out[1] = mrn_select(closed, mrn_select(sticks, stick[0], signed_mu * slip_normal), zero);
    return mrn_select(closed, mrn_select(sticks, one, zero), zero) > zero;
#else
    bound = mrn_lanes_max(bound, zero);
    MrnLanes excess = stick[0] * stick[0] + stick[1] * stick[1] - bound * bound;
    MrnMask sticks = excess <= zero;
    out[0] = mrn_select(sticks, stick_normal, beta); // frictionless: beta, 0, 0
    out[1] = mrn_select(sticks, stick[0], zero);
    out[2] = mrn_select(sticks, stick[1], zero);
    excess = mrn_select(closed, mrn_select(pack->mu > zero, excess, -one), -one);
    MrnMask slips = excess > zero;
    if (mrn_any(slips)) {
        // mu p_n(lambda) = |p_t(lambda)|, by Newton on 1/|p_t| - 1/(mu p_n), which is linear when S is isotropic and r
        // = 0.
        MrnLanes c_norm = mrn_lanes_sqrt(c[0] * c[0] + c[1] * c[1]),
                 mean = mrn_lanes((MrnReal)0.5) * (pack->s[0] + pack->s[1]);
        MrnLanes safe_beta = mrn_select(slips, pack->mu * beta, one);
        MrnLanes lambda = mrn_select(pack->lambda > zero, pack->lambda, mrn_lanes_max(zero, c_norm / safe_beta - mean)),
                 p1 = zero, p2 = zero, normal = zero, tangent = zero, limit = zero;
        MrnMask settled = slips;
        for (int i = 0; i < MAX_NEWTON; i++) {
            MrnLanes g1 = one / (pack->s[0] + lambda), g2 = one / (pack->s[1] + lambda);
            p1 = c[0] * g1;
            p2 = c[1] * g2;
            normal = beta - pack->r[0] * p1 - pack->r[1] * p2;
            MrnLanes square = p1 * p1 + p2 * p2;
            limit = pack->mu * normal, tangent = mrn_lanes_sqrt(square);
            MrnLanes error = mrn_lanes_abs(tangent - limit) - mrn_lanes(SLIP_ACCURACY) * tangent;
            settled = mrn_select(slips, error, zero) <= zero;
            if (mrn_all(settled)) break;
            MrnLanes tangent_rate = p1 * p1 * g1 + p2 * p2 * g2; // -|p_t| d|p_t|/dlambda
            MrnLanes limit_rate = pack->mu * (pack->r[0] * p1 * g1 + pack->r[1] * p2 * g2);
            MrnLanes slope = tangent_rate / (square * tangent) + limit_rate / (limit * limit);
            MrnLanes step = (one / tangent - one / limit) / slope, next = lambda - step;
            MrnMask good = mrn_lanes_min(mrn_lanes_min(limit, slope), next) > zero;
            lambda = mrn_select(settled, lambda, mrn_select(good, next, mrn_lanes(4) * lambda + mean));
        }
        pack->lambda = mrn_select(slips, mrn_select(settled, lambda, zero), zero);
        MrnLanes shrink = limit / tangent;
        out[0] = mrn_select(slips, normal, out[0]);
        out[1] = mrn_select(slips, p1 * shrink, out[1]);
        out[2] = mrn_select(slips, p2 * shrink, out[2]);
        if (!mrn_all(settled))
            for (int lane = 0; lane < MRN_LANES; lane++)
                if (!settled[lane]) {
                    double scalar[3], tangents[2] = {c[0][lane], c[1][lane]};
                    settle_lane(pack, lane, beta[lane], tangents, scalar);
                    for (int k = 0; k < 3; k++) out[k][lane] = (MrnReal)scalar[k];
                }
    }
    for (int k = 0; k < 3; k++) out[k] = mrn_select(closed, out[k], zero);
    return mrn_select(closed, mrn_select(sticks, one, zero), zero) > zero;
#endif
}

/// Share [0, count) of this thread, in whole packs.
static void share(size_t first, size_t last, int thread, int thread_count, size_t *begin, size_t *end) {
    size_t count = last - first;
    *begin = first + count * (size_t)thread / (size_t)thread_count;
    *end = first + count * ((size_t)thread + 1) / (size_t)thread_count;
}

/// Problems larger than this do not stay in the cache next to the processor between sweeps.
#define CACHE_BYTES ((size_t)1 << 20)

/// Ask for the packs and velocities that come next: the processor's own prefetching stops at the end of a page, about
/// the size of a pack.
MRN_INLINE void fetch_ahead(const PackSet *set, size_t k, size_t end) {
    if (k + 2 < end)
        for (size_t byte = 0; byte < sizeof(Pack); byte += 64)
            __builtin_prefetch((const char *)&set->packs[k + 2] + byte, 1);
    if (k + 1 < end)
        for (int side = 0; side < 2; side++)
            for (int lane = 0; lane < MRN_LANES; lane++)
                __builtin_prefetch(set->velocity + (size_t)set->packs[k + 1].body[side][lane] * STRIDE, 1);
}

/// Visit packs [begin, end) once. Their impulses are first extrapolated, p + momentum motion: a pack's p is read
/// by its own visit only, so this is the same as extrapolating all of them between the sweeps, and spares a pass over
/// memory. The point may leave its cone, which the solution does not mind: it only uses u - W_cc p.
MRN_KERNEL static void sweep_packs(PackSet *set, MrnReal momentum, size_t begin, size_t end) {
    const int32_t ground = set->ground;
    const MrnLanes relaxation = mrn_lanes(set->relaxation);
    const int relaxed = set->relaxation != 1, fetch = set->pack_count * sizeof(Pack) > CACHE_BYTES;
    MrnReal *velocity = set->velocity;
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &set->packs[k];
        if (fetch) fetch_ahead(set, k, end);
        MrnLanes a[8], b[8], u[MRN_DIM], ahead[MRN_DIM], old[MRN_DIM], p[MRN_DIM], d[MRN_DIM];
        gather(velocity, pack->body[0], a);
        gather(velocity, pack->body[1], b);
        for (int i = 0; i < MRN_DIM; i++) {
            ahead[i] = momentum * pack->motion[i];
            old[i] = pack->p[i] + ahead[i];
        }
        relative_velocity(pack, a, b, u);
        MrnMask sticks = solve_lanes(pack, u, old, p);
        for (int i = 0; i < MRN_DIM; i++) d[i] = p[i] - old[i];
#ifdef MRN_SINGLE
        // The step of a contact that sticks follows from u alone: no rounding of p comes in.
        if (!relaxed) {
            MrnLanes normal = -u[0] * pack->inverse_nn;
            for (int t = 0; t < T; t++) {
                MrnLanes tangent = (pack->r[t] * u[0] - u[1 + t]) * pack->inverse_s[t];
                normal -= pack->r[t] * tangent;
                d[1 + t] = mrn_select(sticks, tangent, d[1 + t]);
            }
            d[0] = mrn_select(sticks, normal, d[0]);
        }
#else
        (void)sticks;
#endif
        if (relaxed) { // stay in the cone: a convex combination is inside, an extrapolation is pulled back
            for (int i = 0; i < MRN_DIM; i++) d[i] *= relaxation;
            MrnLanes n = mrn_lanes_max(mrn_lanes(0), old[0] + d[0]), square = mrn_lanes(0);
            for (int t = 1; t < MRN_DIM; t++) p[t] = old[t] + d[t], square += p[t] * p[t];
            MrnLanes bound = pack->mu * n, tangent = mrn_lanes_sqrt(square);
            MrnLanes shrink = mrn_select(
                tangent > bound, bound / mrn_select(tangent > mrn_lanes(0), tangent, mrn_lanes(1)), mrn_lanes(1));
            p[0] = n;
            for (int t = 1; t < MRN_DIM; t++) p[t] *= shrink;
            for (int i = 0; i < MRN_DIM; i++) d[i] = p[i] - old[i];
        }
        MrnLanes along = mrn_lanes(0);
        for (int i = 0; i < MRN_DIM; i++) {
            MrnLanes motion = ahead[i] + d[i];
            along += d[i] * motion;
            pack->motion[i] = motion;
#ifdef MRN_SINGLE
            MrnLanes step = pack->low[i] + motion, sum = pack->p[i] + step, lost = step - (sum - pack->p[i]);
            pack->p[i] = mrn_select(sticks, sum, p[i]);
            pack->low[i] = mrn_select(sticks, lost, mrn_lanes(0));
#else
            pack->p[i] = p[i];
#endif
        }
        for (int k2 = 0; k2 < MRN_DOF; k2++)
            for (int i = 0; i < MRN_DIM; i++) {
                a[k2] += pack->jacobian[0][i][k2] * d[i];
                b[k2] += pack->jacobian[1][i][k2] * d[i];
            }
        scatter(velocity, pack->body[0], ground, a);
        scatter(velocity, pack->body[1], ground, b);
        MrnLanes normal = pack->nn * d[0], change;
        for (int t = 0; t < T; t++) normal += pack->nn * pack->r[t] * d[1 + t];
        change = normal * normal;
        for (int t = 0; t < T; t++) {
            MrnLanes tangent = pack->s[t] * d[1 + t] + pack->r[t] * normal;
            change += tangent * tangent;
        }
        set->change[k] = mrn_lanes_sum(change);
        set->along[k] = mrn_lanes_sum(along);
    }
}

/// Squared natural residual |w p - P_K(w p - u^)|^2 of packs [begin, end), w = set->scale.
MRN_KERNEL static void residual_packs(PackSet *set, size_t begin, size_t end) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1), scale = mrn_lanes((MrnReal)set->scale);
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &set->packs[k];
        MrnLanes a[8], b[8], u[MRN_DIM], z[MRN_DIM];
        gather(set->velocity, pack->body[0], a);
        gather(set->velocity, pack->body[1], b);
        relative_velocity(pack, a, b, u);
        MrnLanes slide = zero, tangent = zero;
        for (int t = 1; t < MRN_DIM; t++) slide += u[t] * u[t];
        z[0] = scale * pack->p[0] - u[0] - pack->mu * mrn_lanes_sqrt(slide);
        for (int t = 1; t < MRN_DIM; t++) z[t] = scale * pack->p[t] - u[t], tangent += z[t] * z[t];
        tangent = mrn_lanes_sqrt(tangent);
        MrnMask inside = tangent <= pack->mu * z[0], polar = pack->mu * tangent <= -z[0];
        MrnLanes normal = (z[0] + pack->mu * tangent) / (one + pack->mu * pack->mu);
        MrnLanes shrink = pack->mu * normal / mrn_select(tangent > zero, tangent, one);
        MrnLanes sum = zero;
        for (int i = 0; i < MRN_DIM; i++) {
            MrnLanes projected = mrn_select(polar, zero, mrn_select(inside, z[i], i == 0 ? normal : z[i] * shrink));
            MrnLanes e = scale * pack->p[i] - projected;
            sum += e * e;
        }
        // Empty lanes have u = (1, 0) and p = 0: they add nothing.
        set->residual[k] = mrn_lanes_sum(sum);
    }
}

/// Sum in a fixed order, in eight chains: one chain would wait for every addition.
static double total(const double *x, size_t count) {
    double sum[8] = {0}, rest = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += x[i + (size_t)k];
    for (; i < count; i++) rest += x[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

/// Velocities follow the extrapolation of the impulses that the next sweep makes: they stay H~^T p.
MRN_KERNEL static void extrapolate(PackSet *set, MrnReal momentum, size_t body_begin, size_t body_end) {
    for (size_t i = body_begin * STRIDE; i < body_end * STRIDE; i++) {
        MrnReal swept = set->velocity[i];
        set->velocity[i] = swept + momentum * (swept - set->before[i]);
        set->before[i] = swept;
    }
}

/// Nesterov's momentum, restarted.
static void momentum_next(MrnMomentum *momentum, int sweep, double change, double along) {
    // Restart where the sweep turns against the motion or its change grows (O'Donoghue and Candes 2015).
    if (along < 0 || change > GROWTH * momentum->least_change) momentum->theta = 1, momentum->least_change = change;
    if (change < momentum->least_change) momentum->least_change = change;
    double theta = 0.5 * (1 + sqrt(1 + 4 * momentum->theta * momentum->theta));
    momentum->factor = (momentum->theta - 1) / theta;
    momentum->theta = theta;
    if (sweep < momentum->plain_until) momentum->factor = 0, momentum->theta = 1, momentum->least_change = INFINITY;
}

/// After a check. Momentum that leads nowhere: contacts change status back and forth. Let plain sweeps settle them for
/// a while.
static void momentum_watch(MrnMomentum *momentum, int sweep, double residual) {
    if (residual < 0.5 * momentum->mark || sweep < momentum->plain_until)
        momentum->mark = residual, momentum->mark_sweep = sweep;
    else if (sweep - momentum->mark_sweep >= FRUITLESS) {
        momentum->plain_until = sweep + SETTLING;
        momentum->mark = INFINITY;
    }
}
#endif
