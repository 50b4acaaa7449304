// The kernels of the nonlinear Gauss-Seidel sweep, written once and compiled for each dimension and precision, and for
// contacts of any bodies (nlgs_general.h) or of balls alone (nlgs_round.h).
//
// Include after base/dim.h; a file that wants single precision defines MRN_SINGLE before, one for balls MRN_ROUND. See
// nlgs.c for the method.
// What always holds: v~ = H~^T p to rounding, and every p lies in its cone after a sweep.
#ifndef MRN_SOLVE_NLGS_KERNEL_H
#define MRN_SOLVE_NLGS_KERNEL_H

#include "base/simd.h"
#include "base/threads.h"
#include "solve/friction/exact.h"
#include "solve/friction/local.h"
#include "solve/friction/nlgs_single.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define T         (MRN_DIM - 1)          ///< tangential components
#define STRIDE    (MRN_DIM == 2 ? 4 : 8) ///< numbers per body in the velocity array, one power of two
#define GROWTH    1.5                    ///< of the change of a sweep that makes the momentum start again
#define FRUITLESS 200                    ///< sweeps with momentum that do not halve the residual
#define SETTLING  60                     ///< plain sweeps after that
#define LESS      0.9                    ///< largest momentum where more of it has made the residual grow, then
#define LESSER    0.1                    ///< so much less, down to
#define LEAST     0.5                    ///< this
#ifdef MRN_ROUND
#define BALLS_IN_SPACE (MRN_DIM == 3)
#else
#define BALLS_IN_SPACE false
#endif

/// One number of a register: written alone, so that two threads may fill lanes of one pack.
typedef MrnReal Lane __attribute__((may_alias));
MRN_INLINE void put(MrnLanes *lanes, int lane, double value) {
    ((Lane *)lanes)[lane] = (MrnReal)value;
}

#ifdef MRN_ROUND
#include "solve/friction/nlgs_round.h"
#else
#include "solve/friction/nlgs_general.h"
#endif

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
    MrnReal shift;          ///< sweeps see W + shift I, and q - shift p of the guess for q
    const double *mobility; ///< 1/sqrt(m) per body, in the round form
} PackSet;

/// Bodies [begin, end) are at rest; in the round form their rows keep their mobility.
static void rest_bodies(PackSet *set, MrnReal *rows, size_t begin, size_t end) {
    memset(rows + begin * STRIDE, 0, (end - begin) * STRIDE * sizeof *rows);
#ifdef MRN_ROUND
    for (size_t b = begin; b < end && b < (size_t)set->ground; b++)
        rows[b * STRIDE + MOBILITY] = (MrnReal)set->mobility[b];
#else
    (void)set;
#endif
}

static void put_impulse(Pack *pack, int lane, const double *p) {
    for (int i = 0; i < MRN_DIM; i++) {
        put(&pack->p[i], lane, p[i]);
#ifdef MRN_SINGLE
        put(&pack->low[i], lane, p[i] - (double)((Lane *)&pack->p[i])[lane]);
#endif
    }
}

static void put_lane(Pack *pack, int lane, const MrnNlgsLane *from) {
    put_geometry(pack, lane, from);
    for (int side = 0; side < 2; side++) pack->body[side][lane] = from->body[side];
    for (int i = 0; i < MRN_DIM; i++) put(&pack->q[i], lane, from->q[i]), put(&pack->motion[i], lane, 0);
    put(&pack->mu, lane, from->mu);
    put_impulse(pack, lane, from->p);
}

/// An empty lane opens and moves nothing: it adds nothing to residuals.
static void put_empty(Pack *pack, int lane, int32_t ground) {
    MrnNlgsLane empty = {.q = {1}, .normal = {1}, .nn = 1, .inverse_nn = 1, .body = {ground, ground}};
    for (int t = 0; t < 2; t++) empty.s[t] = empty.inverse_s[t] = 1;
    put_lane(pack, lane, &empty);
}

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
    const MrnLanes relaxation = mrn_lanes(set->relaxation), shift = mrn_lanes(set->shift);
    const int relaxed = set->relaxation != 1, shifted = set->shift != 0,
              fetch = set->pack_count * sizeof(Pack) > CACHE_BYTES;
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
        for (int i = 0; shifted && i < MRN_DIM; i++) u[i] += shift * old[i];
        MrnMask sticks = solve_lanes(pack, shift, a, b, u, old, p);
        for (int i = 0; i < MRN_DIM; i++) d[i] = p[i] - old[i];
#ifdef MRN_SINGLE
        if (!relaxed) {
            MrnLanes step[MRN_DIM];
            stick_step(pack, shift, a, b, u, step);
            for (int i = 0; i < MRN_DIM; i++) d[i] = mrn_select(sticks, step[i], d[i]);
        }
#else
        (void)sticks;
#endif
        if (relaxed) { // stay in the cone: a convex combination is inside, an extrapolation is pulled back
            for (int i = 0; i < MRN_DIM; i++) d[i] *= relaxation;
            MrnLanes tangent[TANGENT], square = mrn_lanes(0);
            for (int i = 0; i < MRN_DIM; i++) p[i] = old[i] + d[i];
            MrnLanes n = mrn_lanes_max(mrn_lanes(0), split(pack, p, tangent)), bound = pack->mu * n;
            for (int t = 0; t < TANGENT; t++) square += tangent[t] * tangent[t];
            MrnLanes length = mrn_lanes_sqrt(square);
            MrnLanes shrink = mrn_select(length > bound,
                                         bound / mrn_select(length > mrn_lanes(0), length, mrn_lanes(1)), mrn_lanes(1));
            for (int t = 0; t < TANGENT; t++) tangent[t] *= shrink;
            join(pack, n, tangent, p);
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
        set->change[k] = mrn_lanes_sum(change_lanes(pack, shift, a, b, d));
        push_lanes(pack, d, a, b);
        scatter(velocity, pack->body[0], ground, a);
        scatter(velocity, pack->body[1], ground, b);
        set->along[k] = mrn_lanes_sum(along);
    }
}

/// Squared natural residual |w p - P_K(w p - u^)|^2 of packs [begin, end), w = set->scale.
MRN_KERNEL static void residual_packs(PackSet *set, size_t begin, size_t end) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1), scale = mrn_lanes((MrnReal)set->scale),
                   shift = mrn_lanes(set->shift);
    for (size_t k = begin; k < end; k++) {
        Pack *pack = &set->packs[k];
        MrnLanes a[8], b[8], u[MRN_DIM], e, slide[TANGENT], push[TANGENT], square = zero, tangent = zero;
        gather(set->velocity, pack->body[0], a);
        gather(set->velocity, pack->body[1], b);
        relative_velocity(pack, a, b, u);
        for (int i = 0; i < MRN_DIM; i++) u[i] += shift * pack->p[i];
        MrnLanes un = split(pack, u, slide), pn = scale * split(pack, pack->p, push);
        for (int t = 0; t < TANGENT; t++) square += slide[t] * slide[t];
        MrnLanes z = pn - un - pack->mu * mrn_lanes_sqrt(square); // normal part of w p - u^
        for (int t = 0; t < TANGENT; t++) {
            push[t] *= scale;
            slide[t] = push[t] - slide[t]; // its tangential part
            tangent += slide[t] * slide[t];
        }
        tangent = mrn_lanes_sqrt(tangent);
        MrnMask inside = tangent <= pack->mu * z, polar = pack->mu * tangent <= -z;
        MrnLanes normal = (z + pack->mu * tangent) / (one + pack->mu * pack->mu);
        MrnLanes shrink = pack->mu * normal / mrn_select(tangent > zero, tangent, one), sum;
        e = pn - mrn_select(polar, zero, mrn_select(inside, z, normal));
        sum = e * e;
        for (int t = 0; t < TANGENT; t++) {
            e = push[t] - mrn_select(polar, zero, mrn_select(inside, slide[t], slide[t] * shrink));
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
    momentum->factor = fmin(momentum->factor, momentum->most);
    momentum->theta = theta;
    if (sweep < momentum->plain_until) momentum->factor = 0, momentum->theta = 1, momentum->least_change = INFINITY;
}

/// After a check. Momentum that leads nowhere: contacts change status back and forth. Let plain sweeps settle them for
/// a while. In packings of balls in space sliding also makes modes turn, which much momentum drives on for ever: where
/// the residual has grown, less of it is taken from then on, and more patience.
static void momentum_watch(MrnMomentum *momentum, int sweep, double residual) {
    double patience = FRUITLESS * fmax((1 - momentum->most) / (1 - LESS), 1);
    if (residual < 0.5 * momentum->mark || sweep < momentum->plain_until) {
        momentum->mark = residual, momentum->mark_sweep = sweep;
    } else if (sweep - momentum->mark_sweep >= patience) {
        momentum->plain_until = sweep + SETTLING;
        if (BALLS_IN_SPACE && residual > momentum->mark)
            momentum->most = momentum->most > LESS ? LESS : fmax(momentum->most - LESSER, LEAST);
        momentum->mark = INFINITY;
    }
}
#endif
