// Contacts of balls (2D: discs) with each other and with obstacles, in packs: the round form of a problem.
//
// The block W_cc is diagonal, w_n = a_A^2 + a_B^2 and w_t = w_n + b_A^2 + b_B^2 with a = 1/sqrt(m), b = arm/sqrt(I), so
// that the normal and two numbers replace Jacobians and blocks, and the one-contact problem has a closed form:
//     beta = p_n - u_n / w_n,  s = p_t - u_t / w_t;   open if beta <= 0;   else p = beta n + s min(1, mu beta / |s|).
// Impulses and velocities of a pack are vectors in space. The row of a body in the velocity array carries its a. A
// shift is added to w_n and w_t.
#ifndef MRN_SOLVE_NLGS_ROUND_H
#define MRN_SOLVE_NLGS_ROUND_H

typedef struct Pack {
    MrnLanes normal[MRN_DIM];
    MrnLanes lever[2]; ///< b of A and B
    MrnLanes q[MRN_DIM], p[MRN_DIM], mu;
    MrnLanes motion[MRN_DIM]; ///< of p in the last sweep, for the momentum
#ifdef MRN_SINGLE
    MrnLanes low[MRN_DIM]; ///< what p lost to rounding: small steps must add up, however large p is
#endif
    int32_t body[2][MRN_LANES]; ///< row of the velocity array; the last row is a body that never moves
} Pack;

#define MOBILITY MRN_DOF ///< place of a in the row of a body

static void put_geometry(Pack *pack, int lane, const MrnNlgsLane *from) {
    for (int k = 0; k < MRN_DIM; k++) put(&pack->normal[k], lane, from->normal[k]);
    for (int side = 0; side < 2; side++) put(&pack->lever[side], lane, from->lever[side]);
}

MRN_INLINE MrnLanes along_normal(const Pack *pack, const MrnLanes x[MRN_DIM]) {
    MrnLanes sum = pack->normal[0] * x[0];
    for (int k = 1; k < MRN_DIM; k++) sum += pack->normal[k] * x[k];
    return sum;
}

#if MRN_DIM == 2
#define TANGENT 1 ///< components of a tangential vector: along t = (-n_y, n_x)
#else
#define TANGENT 3 ///< components of a tangential vector: in space
#endif

/// The normal and tangential parts of a vector, and back.
MRN_INLINE MrnLanes split(const Pack *pack, const MrnLanes x[MRN_DIM], MrnLanes tangent[TANGENT]) {
    MrnLanes normal = along_normal(pack, x);
#if MRN_DIM == 2
    tangent[0] = pack->normal[0] * x[1] - pack->normal[1] * x[0];
#else
    for (int k = 0; k < 3; k++) tangent[k] = x[k] - normal * pack->normal[k];
#endif
    return normal;
}
MRN_INLINE void join(const Pack *pack, MrnLanes normal, const MrnLanes tangent[TANGENT], MrnLanes x[MRN_DIM]) {
#if MRN_DIM == 2
    x[0] = normal * pack->normal[0] - tangent[0] * pack->normal[1];
    x[1] = normal * pack->normal[1] + tangent[0] * pack->normal[0];
#else
    for (int k = 0; k < 3; k++) x[k] = normal * pack->normal[k] + tangent[k];
#endif
}

MRN_INLINE void relative_velocity(const Pack *pack, const MrnLanes a[8], const MrnLanes b[8], MrnLanes u[MRN_DIM]) {
    const MrnLanes *n = pack->normal;
    MrnLanes spin[MRN_SPIN];
    for (int k = 0; k < MRN_SPIN; k++) spin[k] = pack->lever[0] * a[MRN_DIM + k] + pack->lever[1] * b[MRN_DIM + k];
    for (int k = 0; k < MRN_DIM; k++) u[k] = pack->q[k] + (a[MOBILITY] * a[k] - b[MOBILITY] * b[k]);
#if MRN_DIM == 2
    u[0] += n[1] * spin[0];
    u[1] -= n[0] * spin[0];
#else
    u[0] += n[1] * spin[2] - n[2] * spin[1];
    u[1] += n[2] * spin[0] - n[0] * spin[2];
    u[2] += n[0] * spin[1] - n[1] * spin[0];
#endif
}

/// w_n and w_t.
MRN_INLINE void own_block(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8], MrnLanes w[2]) {
    w[0] = a[MOBILITY] * a[MOBILITY] + b[MOBILITY] * b[MOBILITY] + shift;
    w[1] = w[0] + (pack->lever[0] * pack->lever[0] + pack->lever[1] * pack->lever[1]);
}

/// 1 / w_n and 1 / w_t; 0 for what nothing can push, which keeps p = 0.
MRN_INLINE void inverse_block(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                              MrnLanes inverse[2]) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1);
    MrnLanes w[2];
    own_block(pack, shift, a, b, w);
    MrnMask moves = w[0] > shift;
#ifdef MRN_SINGLE // a product of two might leave the range of numbers
    for (int k = 0; k < 2; k++) inverse[k] = mrn_select(moves, one / mrn_select(moves, w[k], one), zero);
#else
    MrnLanes both = mrn_select(moves, one / mrn_select(moves, w[0] * w[1], one), zero);
    inverse[0] = both * w[1];
    inverse[1] = both * w[0];
#endif
}

/// The exact one-contact solution in every lane, from u and p. Returns the lanes that stick.
MRN_INLINE MrnMask solve_lanes(Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                               const MrnLanes u[MRN_DIM], const MrnLanes p[MRN_DIM], MrnLanes out[MRN_DIM]) {
    const MrnLanes zero = mrn_lanes(0), one = mrn_lanes(1);
    MrnLanes inverse[2], slide[TANGENT], stick[TANGENT];
    inverse_block(pack, shift, a, b, inverse);
    MrnLanes beta = split(pack, p, stick) - split(pack, u, slide) * inverse[0];
    for (int t = 0; t < TANGENT; t++) stick[t] -= slide[t] * inverse[1];
    MrnMask closed = beta > zero;
    MrnLanes bound = pack->mu * mrn_select(closed, beta, zero);
#if MRN_DIM == 2
    MrnMask sticks = mrn_lanes_abs(stick[0]) <= bound;
    stick[0] = mrn_select(sticks, stick[0], mrn_select(stick[0] < zero, -bound, bound));
#else
    MrnLanes square = stick[0] * stick[0] + stick[1] * stick[1] + stick[2] * stick[2];
    MrnMask sticks = square <= bound * bound;
    MrnLanes shrink = mrn_select(sticks, one, bound / mrn_lanes_sqrt(mrn_select(sticks, one, square)));
    for (int t = 0; t < 3; t++) stick[t] *= shrink;
#endif
    join(pack, beta, stick, out);
    for (int k = 0; k < MRN_DIM; k++) out[k] = mrn_select(closed, out[k], zero);
    return mrn_select(closed, mrn_select(sticks, one, zero), zero) > zero;
}

/// The step to the solution of a contact that sticks, from u alone: no rounding of p comes in.
MRN_INLINE void stick_step(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                           const MrnLanes u[MRN_DIM], MrnLanes d[MRN_DIM]) {
    MrnLanes inverse[2], slide[TANGENT];
    inverse_block(pack, shift, a, b, inverse);
    MrnLanes normal = -split(pack, u, slide) * inverse[0];
    for (int t = 0; t < TANGENT; t++) slide[t] *= -inverse[1];
    join(pack, normal, slide, d);
}

/// Velocities of the bodies gain H~^T d.
MRN_INLINE void push_lanes(const Pack *pack, const MrnLanes d[MRN_DIM], MrnLanes a[8], MrnLanes b[8]) {
    const MrnLanes *n = pack->normal;
    for (int k = 0; k < MRN_DIM; k++) {
        a[k] += a[MOBILITY] * d[k];
        b[k] -= b[MOBILITY] * d[k];
    }
#if MRN_DIM == 2
    MrnLanes turn[1] = {n[0] * d[1] - n[1] * d[0]};
#else
    MrnLanes turn[3] = {n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]};
#endif
    for (int k = 0; k < MRN_SPIN; k++) {
        a[MRN_DIM + k] -= pack->lever[0] * turn[k];
        b[MRN_DIM + k] -= pack->lever[1] * turn[k];
    }
}

/// |W_cc d|^2.
MRN_INLINE MrnLanes change_lanes(const Pack *pack, MrnLanes shift, const MrnLanes a[8], const MrnLanes b[8],
                                 const MrnLanes d[MRN_DIM]) {
    MrnLanes w[2], tangent[TANGENT], square = mrn_lanes(0);
    own_block(pack, shift, a, b, w);
    MrnLanes normal = split(pack, d, tangent);
    for (int t = 0; t < TANGENT; t++) square += tangent[t] * tangent[t];
    return w[0] * w[0] * normal * normal + w[1] * w[1] * square;
}
#endif
