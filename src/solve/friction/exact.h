// The exact one-contact Coulomb problem, for inlining into sweeps: open, stick or slip (Contact Dynamics
// specification 8.2).
//
// Given W (positive semi-definite, W_nn > 0; stored matrices are symmetric only up to their rounding) and b, find p and
// u = W p + b that obey Coulomb's law. Slip: u_n = 0 leaves u_t = S p_t + c with S = W_tt - W_tn W_nt / W_nn and c =
// b_t - W_tn b_n / W_nn; sliding is u_t = -s p_t with s > 0, so p_t = -(S + s I)^-1 c, and s is a root of f(s) = |p_t|
// - mu p_n. f > 0 at s = 0 (where sticking failed) and f -> mu b_n / W_nn < 0 as s grows, so the bracketed Newton
// iteration always ends.
#ifndef MRN_SOLVE_EXACT_H
#define MRN_SOLVE_EXACT_H

#include <math.h>

static inline void mrn_exact_2d(const double *W, const double *b, double mu, double *p) {
    if (b[0] >= 0) {
        p[0] = p[1] = 0;
        return;
    }
    double nn = W[0], nt = W[1], tn = W[2], tt = W[3], determinant = nn * tt - nt * tn;
    if (determinant > 1e-14 * nn * tt) {
        double n = (nt * b[1] - tt * b[0]) / determinant, t = (tn * b[0] - nn * b[1]) / determinant;
        if (fabs(t) <= mu * n) {
            p[0] = n, p[1] = t;
            return;
        }
    }
    // Slip along -sign: p_n = -b_n / (nn + mu sign nt), with u_t opposed to p_t. The better of the two signs is taken
    // where W is singular.
    double best = -INFINITY;
    p[0] = -b[0] / nn, p[1] = 0;
    if (mu == 0) return;
    for (int sign = -1; sign <= 1; sign += 2) {
        double k = nn + sign * mu * nt;
        if (!(k > 0)) continue;
        double n = -b[0] / k, t = sign * mu * n, u = tn * n + tt * t + b[1], opposed = -sign * u;
        if (opposed > best) best = opposed, p[0] = n, p[1] = t;
    }
}

/// The tangential problem that u_n = 0 leaves: S, c and what p_n follows from.
typedef struct MrnSliding {
    double inverse, w1, w2; ///< 1 / W_nn, W_nt
    double a11, a12, a21, a22, trace, determinant;
    double c1, c2;
} MrnSliding;

static inline MrnSliding mrn_sliding(const double *W, const double *b) {
    double inverse = 1 / W[0], w1 = W[1], w2 = W[2], v1 = W[3] * inverse, v2 = W[6] * inverse;
    double a11 = W[4] - v1 * w1, a12 = W[5] - v1 * w2, a21 = W[7] - v2 * w1, a22 = W[8] - v2 * w2;
    return (MrnSliding){.inverse = inverse,
                        .w1 = w1,
                        .w2 = w2,
                        .a11 = a11,
                        .a12 = a12,
                        .a21 = a21,
                        .a22 = a22,
                        .trace = a11 + a22,
                        .determinant = a11 * a22 - a12 * a21,
                        .c1 = b[1] - v1 * b[0],
                        .c2 = b[2] - v2 * b[0]};
}

/// Sliding with mu > 0, the search for s begun at `near` (0: somewhere). Returns s, 0 where nothing drives the contact
/// sideways.
static inline double mrn_slide_3d(const MrnSliding *k, double b0, double mu, double near, double *p) {
    // Upper bound: |p_t| <= |c|/s and p_n >= (-b_n - |w| |c|/s)/W_nn make f <= 0 at s = |c| (W_nn + mu |w|) / (mu
    // (-b_n)).
    double c = sqrt(k->c1 * k->c1 + k->c2 * k->c2), w = sqrt(k->w1 * k->w1 + k->w2 * k->w2);
    double low = 0, high = c * (1 / k->inverse + mu * w) / (mu * -b0);
    p[0] = -b0 * k->inverse, p[1] = p[2] = 0;
    if (!(high > 0)) return 0;
    double s = near > 0 && near < high ? near : fmin(high, 0.5 * k->trace), t1 = 0, t2 = 0, n = 0;
    for (int turn = 0; turn < 100; turn++) {
        // With A = S + s I, det = det(S) + s trace + s^2: all terms are positive, no cancellation.
        double over = 1 / (fmax(k->determinant, 0) + s * (k->trace + s));
        t1 = -((k->a22 + s) * k->c1 - k->a12 * k->c2) * over, t2 = -((k->a11 + s) * k->c2 - k->a21 * k->c1) * over;
        n = -(b0 + k->w1 * t1 + k->w2 * t2) * k->inverse;
        double norm = sqrt(t1 * t1 + t2 * t2), f = norm - mu * n;
        if (f > 0)
            low = s;
        else
            high = s;
        if (fabs(f) <= 4e-16 * (norm + mu * fabs(n)) || high - low <= 4e-16 * high) break;
        // dt/ds = -A^-1 t
        double d1 = -((k->a22 + s) * t1 - k->a12 * t2) * over, d2 = -((k->a11 + s) * t2 - k->a21 * t1) * over;
        // Newton's step on g = mu p_n / |p_t| - 1, which is almost straight: 1/|p_t| is where S is a multiple of I.
        double bend = norm > 0 ? (t1 * d1 + t2 * d2) / (norm * norm) : 0; // of log |p_t|
        double slope = -(k->w1 * d1 + k->w2 * d2) * k->inverse - n * bend;
        double next = slope > 0 ? s + f / (mu * slope) : -1;
        if (!(next > low && next < high))
            next = low > 0 ? sqrt(low * high) : 0.1 * s > low ? 0.1 * s : 0.5 * (low + high);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        s = next;
    }
    // Put the end of the iteration exactly on the cone.
    double norm = sqrt(t1 * t1 + t2 * t2);
    n = fmax(n, 0);
    double onto = norm > mu * n && norm > 0 ? mu * n / norm : 1;
    p[0] = n, p[1] = onto * t1, p[2] = onto * t2;
    return s;
}

static inline void mrn_exact_3d(const double *W, const double *b, double mu, double *p) {
    p[0] = p[1] = p[2] = 0;
    if (b[0] >= 0) return;
    MrnSliding k = mrn_sliding(W, b);
    if (mu == 0) {
        p[0] = -b[0] * k.inverse;
        return;
    }
    if (k.determinant > 1e-14 * k.trace * k.trace) {
        double t1 = -(k.a22 * k.c1 - k.a12 * k.c2) / k.determinant, t2 = -(k.a11 * k.c2 - k.a21 * k.c1) / k.determinant;
        double n = -(b[0] + k.w1 * t1 + k.w2 * t2) * k.inverse;
        if (n >= 0 && t1 * t1 + t2 * t2 <= mu * mu * n * n) {
            p[0] = n, p[1] = t1, p[2] = t2;
            return;
        }
    }
    mrn_slide_3d(&k, b[0], mu, 0, p);
}
#endif
