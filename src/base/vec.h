// Small vectors, matrices and quaternions.
#ifndef MRN_BASE_VEC_H
#define MRN_BASE_VEC_H
#include <math.h>
#include <stdbool.h>

typedef struct MrnVec2 {
    double x, y;
} MrnVec2;
typedef struct MrnVec3 {
    double x, y, z;
} MrnVec3;
typedef struct MrnQuat {
    double w, x, y, z;
} MrnQuat; ///< unit quaternion, body to space
typedef struct MrnMat3 {
    double m[3][3];
} MrnMat3; ///< row-major

static inline MrnVec2 mrn_vec2(double x, double y) {
    return (MrnVec2){x, y};
}
static inline MrnVec2 mrn_add2(MrnVec2 a, MrnVec2 b) {
    return (MrnVec2){a.x + b.x, a.y + b.y};
}
static inline MrnVec2 mrn_sub2(MrnVec2 a, MrnVec2 b) {
    return (MrnVec2){a.x - b.x, a.y - b.y};
}
static inline MrnVec2 mrn_scale2(double s, MrnVec2 a) {
    return (MrnVec2){s * a.x, s * a.y};
}
static inline double mrn_dot2(MrnVec2 a, MrnVec2 b) {
    return a.x * b.x + a.y * b.y;
}
static inline double mrn_cross2(MrnVec2 a, MrnVec2 b) {
    return a.x * b.y - a.y * b.x;
}
static inline MrnVec2 mrn_perp2(MrnVec2 a) {
    return (MrnVec2){-a.y, a.x};
} ///< turned by +90 degrees
static inline double mrn_norm2(MrnVec2 a) {
    return sqrt(mrn_dot2(a, a));
}
/// Rotate by the angle whose cosine and sine are c and s.
static inline MrnVec2 mrn_rotate2(double c, double s, MrnVec2 a) {
    return (MrnVec2){c * a.x - s * a.y, s * a.x + c * a.y};
}

static inline MrnVec3 mrn_vec3(double x, double y, double z) {
    return (MrnVec3){x, y, z};
}
static inline MrnVec3 mrn_load3(const double *a) {
    return (MrnVec3){a[0], a[1], a[2]};
}
static inline void mrn_store3(double *out, MrnVec3 a) {
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}
static inline MrnVec3 mrn_add3(MrnVec3 a, MrnVec3 b) {
    return (MrnVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline MrnVec3 mrn_sub3(MrnVec3 a, MrnVec3 b) {
    return (MrnVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline MrnVec3 mrn_scale3(double s, MrnVec3 a) {
    return (MrnVec3){s * a.x, s * a.y, s * a.z};
}
/// a + s b
static inline MrnVec3 mrn_axpy3(MrnVec3 a, double s, MrnVec3 b) {
    return (MrnVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double mrn_dot3(MrnVec3 a, MrnVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline MrnVec3 mrn_cross3(MrnVec3 a, MrnVec3 b) {
    return (MrnVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double mrn_norm3(MrnVec3 a) {
    return sqrt(mrn_dot3(a, a));
}
static inline MrnVec3 mrn_normalize3(MrnVec3 a) {
    return mrn_scale3(1.0 / mrn_norm3(a), a);
}

/// Tangents t1, t2 with (n, t1, t2) a right-handed orthonormal frame, for a unit n: the axes x, y carried along by the
/// turn of +z or -z to n (Duff et al. 2017). No branches: contacts compute their frames again wherever they need them.
static inline void mrn_tangents3(MrnVec3 n, MrnVec3 *t1, MrnVec3 *t2) {
    double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    *t1 = (MrnVec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (MrnVec3){b, sign + n.y * n.y * a, -n.y};
}

static inline MrnQuat mrn_quat_load(const double *q) {
    return (MrnQuat){q[0], q[1], q[2], q[3]};
}
static inline void mrn_quat_store(double *out, MrnQuat q) {
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}
static inline MrnQuat mrn_quat_multiply(MrnQuat a, MrnQuat b) {
    return (MrnQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline MrnQuat mrn_quat_conjugate(MrnQuat q) {
    return (MrnQuat){q.w, -q.x, -q.y, -q.z};
}
static inline MrnQuat mrn_quat_normalize(MrnQuat q) {
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (MrnQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}
/// exp(w) = (cos|w|, w sin|w|/|w|): the rotation by the vector 2w. Bodies turn little in a step: there the series, to
/// the last bit, are faster.
static inline MrnQuat mrn_quat_exp(MrnVec3 w) {
    double square = mrn_dot3(w, w), s, c;
    if (square < 0.01) {
        s = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)));
        c = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))));
    } else {
        double a = sqrt(square);
        s = sin(a) / a, c = cos(a);
    }
    return (MrnQuat){c, s * w.x, s * w.y, s * w.z};
}
/// Columns of the matrix are the body axes in space.
static inline MrnMat3 mrn_quat_matrix(MrnQuat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (MrnMat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                      {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                      {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}
static inline MrnVec3 mrn_mat3_times(const MrnMat3 *a, MrnVec3 v) {
    return (MrnVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                     a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                     a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}
/// Transpose times vector: space to body.
static inline MrnVec3 mrn_mat3_transpose_times(const MrnMat3 *a, MrnVec3 v) {
    return (MrnVec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                     a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                     a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}
static inline MrnVec3 mrn_quat_rotate(MrnQuat q, MrnVec3 v) {
    MrnMat3 m = mrn_quat_matrix(q);
    return mrn_mat3_times(&m, v);
}
#endif
