// Sums of mass properties, and the eigenvectors of an inertia tensor by Jacobi rotations.
#include "model/inertia.h"

#include <math.h>
#include <string.h>

/// inertia += mass (|d|^2 Id - d d^T)
static void shift(double inertia[3][3], double mass, const double d[3]) {
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inertia[i][j] += mass * ((i == j ? square : 0) - d[i] * d[j]);
}

void mrn_mass_add(MrnMassProperties *sum, const MrnMassProperties *part) {
    double mass = sum->mass + part->mass;
    if (!(mass > 0)) return;
    double centre[3], from_sum[3], from_part[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = (sum->mass * sum->centre[k] + part->mass * part->centre[k]) / mass;
        from_sum[k] = sum->centre[k] - centre[k];
        from_part[k] = part->centre[k] - centre[k];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum->inertia[i][j] += part->inertia[i][j];
    shift(sum->inertia, sum->mass, from_sum);
    shift(sum->inertia, part->mass, from_part);
    sum->mass = mass;
    memcpy(sum->centre, centre, sizeof centre);
}

MrnQuat mrn_principal_axes(const double inertia[3][3], double moments[3]) {
    double a[3][3];
    memcpy(a, inertia, sizeof a);
    MrnQuat axes = {1, 0, 0, 0};
    double scale = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
    for (int sweep = 0; sweep < 60; sweep++) {
        int p = 0, q = 1;
        if (fabs(a[0][2]) > fabs(a[p][q])) p = 0, q = 2;
        if (fabs(a[1][2]) > fabs(a[p][q])) p = 1, q = 2;
        if (fabs(a[p][q]) <= 1e-14 * scale) break;
        double theta = 0.5 * atan2(2 * a[p][q], a[p][p] - a[q][q]);
        // The smaller of the two rotations that annul a[p][q], so that axes stay close to where they are.
        if (theta > M_PI / 4) theta -= M_PI / 2;
        if (theta < -M_PI / 4) theta += M_PI / 2;
        double c = cos(theta), s = sin(theta);
        for (int k = 0; k < 3; k++) {
            double x = a[k][p], y = a[k][q];
            a[k][p] = c * x + s * y;
            a[k][q] = -s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = a[p][k], y = a[q][k];
            a[p][k] = c * x + s * y;
            a[q][k] = -s * x + c * y;
        }
        int third = 3 - p - q;
        // The rotation from axis p towards axis q is about +third for (0,1), (1,2) and about -third for (0,2).
        double half = (q - p == 2 ? -0.5 : 0.5) * theta;
        MrnQuat turn = {cos(half), 0, 0, 0};
        if (third == 0)
            turn.x = sin(half);
        else if (third == 1)
            turn.y = sin(half);
        else
            turn.z = sin(half);
        axes = mrn_quat_normalize(mrn_quat_multiply(axes, turn));
    }
    for (int k = 0; k < 3; k++) moments[k] = a[k][k];
    return axes;
}
