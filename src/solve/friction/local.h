// The exact one-contact Coulomb problem: given W (symmetric positive definite, normal first) and b, find p and u = W p
// + b with 0 <= u_n _|_ p_n >= 0 and Coulomb's law. Contact Dynamics specification 8.2: open if b_n >= 0, else stick,
// else slip.
#ifndef MRN_SOLVE_LOCAL_H
#define MRN_SOLVE_LOCAL_H

#include <math.h>
#include <string.h>

typedef enum MrnContactStatus { MRN_OPEN, MRN_STICK, MRN_SLIP } MrnContactStatus;

/// 2D, closed form. W = {nn, nt, tt}.
MrnContactStatus mrn_local_2d(const double W[3], const double b[2], double mu, double p[2]);
/// 3D, one scalar equation. W row-major 3x3. A singular tangential block is regularised; p is always finite.
MrnContactStatus mrn_local_3d(const double W[9], const double b[3], double mu, double p[3]);
/// 3D with an elliptic cone: mu1 along the first tangent, mu2 along the second.
MrnContactStatus mrn_local_elliptic(const double W[9], const double b[3], double mu1, double mu2, double p[3]);
/// Projection on the Coulomb cone, dimension 2 or 3, in place. Most are inside, so the test is inlined.
static inline void mrn_project_cone(int dimension, double mu, double *p) {
    double square = p[1] * p[1] + (dimension == 2 ? 0 : p[2] * p[2]), radius = mu * p[0];
    if (p[0] >= 0 && square <= radius * radius) return; // p[0] >= 0 matters when mu = 0
    double tangent = sqrt(square);
    if (mu * tangent <= -p[0]) {
        memset(p, 0, (size_t)dimension * sizeof(double));
        return;
    }
    double normal = (p[0] + mu * tangent) / (1 + mu * mu), scale = mu * normal / tangent;
    p[0] = normal;
    for (int k = 1; k < dimension; k++) p[k] *= scale;
}
#endif
