// Contacts of any bodies in packs: mass-scaled Jacobians, and the one-contact problem with full blocks.
//
// Each contact's tangents are turned so that S = W_tt - W_tn W_nt / W_nn is diagonal (s_1, s_2). With r = W_tn / W_nn
// the one-contact problem (specification 8.2) is, in terms of the current u and p,
//     beta = p_n + r.p_t - u_n / W_nn,   c = s p_t - u_t + r u_n,
//     open if beta <= 0;   stick p_t = c / s;   slip p_t = c / (s + lambda);   always p_n = beta - r.p_t.
// Impulses and velocities of a pack are components n, t1(, t2). A shift is in these numbers already.
#ifndef MRN_SOLVE_NLGS_GENERAL_H
#define MRN_SOLVE_NLGS_GENERAL_H

#define MAX_NEWTON 8 ///< iterations on lambda before the scalar solver takes over
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

static void put_geometry(Pack *pack, int lane, const MrnNlgsLane *from) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < MRN_DIM; i++)
            for (int k = 0; k < MRN_DOF; k++) put(&pack->jacobian[side][i][k], lane, from->jacobian[side][i][k]);
    put(&pack->nn, lane, from->nn);
    put(&pack->inverse_nn, lane, from->inverse_nn);
#if MRN_DIM == 3
    put(&pack->lambda, lane, 0);
#endif
    for (int t = 0; t < T; t++) {
        put(&pack->r[t], lane, from->r[t]);
        put(&pack->s[t], lane, from->s[t]);
        put(&pack->inverse_s[t], lane, from->inverse_s[t]);
    }
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
    mrn_exact_3d(W, b, pack->mu[lane], out);
}
#endif

/// The exact one-contact solution in every lane, from u and p. Returns the lanes that stick.
MRN_INLINE MrnMask solve_lanes(Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                               const MrnLanes u[MRN_DIM], const MrnLanes p[MRN_DIM], MrnLanes out[MRN_DIM]) {
    (void)shift, (void)a, (void)b;
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
        // mu p_n(lambda) = |p_t(lambda)|, by Newton on mu p_n / |p_t| - 1, which is linear when S is isotropic and r =
        // 0, and almost so otherwise.
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
            MrnLanes tangent_rate = p1 * p1 * g1 + p2 * p2 * g2; // -|p_t| d|p_t|/dlambda
            MrnLanes limit_rate = pack->mu * (pack->r[0] * p1 * g1 + pack->r[1] * p2 * g2);
            MrnLanes slope = limit_rate + limit * tangent_rate / square; // times |p_t|
            MrnLanes next = lambda - (limit - tangent) / slope;
            MrnMask good = mrn_lanes_min(slope, next) > zero;
            // What is accurate enough now is made better for the next visit, or small errors would never go away.
            lambda = mrn_select(good, next, mrn_select(settled, lambda, mrn_lanes(4) * lambda + mean));
            if (mrn_all(settled)) break;
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

/// The step to the solution of a contact that sticks, from u alone: no rounding of p comes in.
MRN_INLINE void stick_step(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                           const MrnLanes u[MRN_DIM], MrnLanes d[MRN_DIM]) {
    (void)shift, (void)a, (void)b;
    d[0] = -u[0] * pack->inverse_nn;
    for (int t = 0; t < T; t++) {
        d[1 + t] = (pack->r[t] * u[0] - u[1 + t]) * pack->inverse_s[t];
        d[0] -= pack->r[t] * d[1 + t];
    }
}

/// Velocities of the bodies gain H~^T d.
MRN_INLINE void push_lanes(const Pack *pack, const MrnLanes d[MRN_DIM], MrnLanes a[8], MrnLanes b[8]) {
    for (int k = 0; k < MRN_DOF; k++)
        for (int i = 0; i < MRN_DIM; i++) {
            a[k] += pack->jacobian[0][i][k] * d[i];
            b[k] += pack->jacobian[1][i][k] * d[i];
        }
}

/// |W_cc d|^2.
MRN_INLINE MrnLanes change_lanes(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                                 const MrnLanes d[MRN_DIM]) {
    (void)shift, (void)a, (void)b;
    MrnLanes normal = pack->nn * d[0];
    for (int t = 0; t < T; t++) normal += pack->nn * pack->r[t] * d[1 + t];
    MrnLanes change = normal * normal;
    for (int t = 0; t < T; t++) {
        MrnLanes tangent = pack->s[t] * d[1 + t] + pack->r[t] * normal;
        change += tangent * tangent;
    }
    return change;
}

#define TANGENT T ///< components of a tangential vector

/// The normal and tangential parts of a vector, and back.
MRN_INLINE MrnLanes split(const Pack *pack, const MrnLanes x[MRN_DIM], MrnLanes tangent[TANGENT]) {
    (void)pack;
    for (int t = 0; t < T; t++) tangent[t] = x[1 + t];
    return x[0];
}
MRN_INLINE void join(const Pack *pack, MrnLanes normal, const MrnLanes tangent[TANGENT], MrnLanes x[MRN_DIM]) {
    (void)pack;
    x[0] = normal;
    for (int t = 0; t < T; t++) x[1 + t] = tangent[t];
}
#endif
