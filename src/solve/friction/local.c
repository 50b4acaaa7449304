// Exact one-contact Coulomb solvers. Contact Dynamics specification 8.2 (b), (c); the bracketing in 3D never fails
// because phi(0) > 0 where the contact does not stick and phi tends to mu b_n / W_nn < 0.
#include "solve/friction/local.h"

#include <math.h>

/// Relative size below which a Delassus block counts as singular (wedged positions, Moreau 2003 4.2).
#define SINGULAR 1e-12

MrnContactStatus mrn_local_2d(const double W[3], const double b[2], double mu, double p[2]) {
    p[0] = p[1] = 0;
    if (b[0] >= 0) return MRN_OPEN;
    double nn = W[0] > SINGULAR * W[2] ? W[0] : SINGULAR * W[2];
    double S = W[2] - W[1] * W[1] / nn, c = -b[1] + W[1] * b[0] / nn;
    if (!(S > SINGULAR * (W[2] + nn))) S = SINGULAR * (W[2] + nn);
    p[1] = c / S;
    p[0] = -(b[0] + W[1] * p[1]) / nn;
    if (p[0] >= 0 && fabs(p[1]) <= mu * p[0]) return MRN_STICK;
    double sign = c < 0 ? -1 : 1;
    p[0] = -b[0] / (nn + sign * mu * W[1]);
    p[1] = sign * mu * p[0];
    return MRN_SLIP;
}

typedef struct Slip {
    double nn, w[2]; ///< normal row of W
    double s[3];     ///< S: 11, 12, 22
    double c[2], b, mu1, mu2;
} Slip;

/// p(lambda) and phi(lambda). For an elliptic cone the sliding velocity is -lambda (p1/mu1^2, p2/mu2^2); the circle has
/// mu1 = mu2 = mu and lambda is scaled by mu^2.
static double slip_at(const Slip *k, double lambda, double p[3]) {
    double a = k->s[0] + lambda / (k->mu1 * k->mu1), d = k->s[2] + lambda / (k->mu2 * k->mu2), o = k->s[1];
    double det = a * d - o * o;
    p[1] = (d * k->c[0] - o * k->c[1]) / det;
    p[2] = (a * k->c[1] - o * k->c[0]) / det;
    p[0] = -(k->b + k->w[0] * p[1] + k->w[1] * p[2]) / k->nn;
    double x = p[1] / k->mu1, y = p[2] / k->mu2;
    return sqrt(x * x + y * y) - p[0];
}

MrnContactStatus mrn_local_elliptic(const double W[9], const double b[3], double mu1, double mu2, double p[3]) {
    p[0] = p[1] = p[2] = 0;
    if (b[0] >= 0) return MRN_OPEN;
    double trace = W[0] + W[4] + W[8];
    Slip k = {
        .nn = W[0] > SINGULAR * trace ? W[0] : SINGULAR * trace, .w = {W[1], W[2]}, .b = b[0], .mu1 = mu1, .mu2 = mu2};
    if (mu1 == 0 && mu2 == 0) {
        p[0] = -b[0] / k.nn;
        return MRN_SLIP;
    }
    // A coefficient of zero in one direction: a cone that thin is flat.
    if (k.mu1 < 1e-12 * mu2) k.mu1 = 1e-12 * mu2;
    if (k.mu2 < 1e-12 * mu1) k.mu2 = 1e-12 * mu1;
    k.s[0] = W[4] - W[1] * W[1] / k.nn;
    k.s[1] = W[5] - W[1] * W[2] / k.nn;
    k.s[2] = W[8] - W[2] * W[2] / k.nn;
    if (!(k.s[0] * k.s[2] - k.s[1] * k.s[1] > SINGULAR * trace * trace * SINGULAR))
        k.s[0] += SINGULAR * trace, k.s[2] += SINGULAR * trace;
    k.c[0] = -b[1] + W[1] * b[0] / k.nn;
    k.c[1] = -b[2] + W[2] * b[0] / k.nn;
    if (slip_at(&k, 0, p) <= 0) return MRN_STICK;
    double low = 0, high = (k.s[0] * k.mu1 * k.mu1 + k.s[2] * k.mu2 * k.mu2), phi;
    for (int grow = 0; grow < 600 && slip_at(&k, high, p) > 0; grow++) low = high, high *= 4;
    // Bisection with a regula falsi guess (Illinois): safe, and quick enough for a fallback and for tests.
    double phi_low = slip_at(&k, low, p), phi_high = slip_at(&k, high, p);
    for (int i = 0; i < 200 && high - low > 4e-16 * high; i++) {
        double guess = (low * phi_high - high * phi_low) / (phi_high - phi_low);
        if (!(guess > low && guess < high) || i % 3 == 2) guess = 0.5 * (low + high);
        phi = slip_at(&k, guess, p);
        if (phi > 0)
            low = guess, phi_low = phi, phi_high *= 0.5;
        else if (phi < 0)
            high = guess, phi_high = phi, phi_low *= 0.5;
        else
            break;
    }
    // On the cone to the last digit.
    double x = p[1] / k.mu1, y = p[2] / k.mu2, scale = p[0] / sqrt(x * x + y * y);
    p[1] *= scale;
    p[2] *= scale;
    return MRN_SLIP;
}

MrnContactStatus mrn_local_3d(const double W[9], const double b[3], double mu, double p[3]) {
    return mrn_local_elliptic(W, b, mu, mu, p);
}
