// Eight numbers at a time, with the compiler's vector extension: the same bits on any width of vector registers.
// Doubles, or floats in a file that defines MRN_SINGLE first.
#ifndef MRN_BASE_SIMD_H
#define MRN_BASE_SIMD_H
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#define MRN_LANES 8
#ifdef MRN_SINGLE
typedef float MrnReal;
typedef int32_t MrnMaskLane;
#define MRN_LANES_BYTES 32
#define MRN_REAL_SQRT   sqrtf
#define MRN_MASK_ABS    INT32_MAX ///< all bits but the sign
#else
typedef double MrnReal;
typedef int64_t MrnMaskLane;
#define MRN_LANES_BYTES 64
#define MRN_REAL_SQRT   sqrt
#define MRN_MASK_ABS    INT64_MAX
#endif
typedef MrnReal MrnLanes __attribute__((vector_size(MRN_LANES_BYTES), aligned(MRN_LANES_BYTES)));
/// All bits of a lane set or none.
typedef MrnMaskLane MrnMask __attribute__((vector_size(MRN_LANES_BYTES), aligned(MRN_LANES_BYTES)));

#define MRN_INLINE static inline __attribute__((always_inline))
/// Kernels are compiled for each of these and the best is taken when the program starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define MRN_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MRN_KERNEL
#endif

MRN_INLINE MrnLanes mrn_lanes(MrnReal x) {
    return (MrnLanes){x, x, x, x, x, x, x, x};
}
/// mask ? a : b, lane by lane.
MRN_INLINE MrnLanes mrn_select(MrnMask mask, MrnLanes a, MrnLanes b) {
    return (MrnLanes)((mask & (MrnMask)a) | (~mask & (MrnMask)b));
}
MRN_INLINE MrnLanes mrn_lanes_max(MrnLanes a, MrnLanes b) {
    return mrn_select(a > b, a, b);
}
MRN_INLINE MrnLanes mrn_lanes_min(MrnLanes a, MrnLanes b) {
    return mrn_select(a < b, a, b);
}
MRN_INLINE MrnLanes mrn_lanes_abs(MrnLanes a) {
    return (MrnLanes)((MrnMask)a & (MrnMask){MRN_MASK_ABS, MRN_MASK_ABS, MRN_MASK_ABS, MRN_MASK_ABS, MRN_MASK_ABS,
                                             MRN_MASK_ABS, MRN_MASK_ABS, MRN_MASK_ABS});
}
MRN_INLINE MrnLanes mrn_lanes_sqrt(MrnLanes a) {
    MrnLanes root;
    for (int lane = 0; lane < MRN_LANES; lane++) root[lane] = MRN_REAL_SQRT(a[lane]);
    return root;
}
/// The bits of all lanes, in halves.
typedef int64_t MrnBits __attribute__((vector_size(16)));
MRN_INLINE MrnBits mrn_mask_part(MrnMask mask, size_t part) {
    MrnBits bits;
    __builtin_memcpy(&bits, (const char *)&mask + 16 * part, sizeof bits);
    return bits;
}
MRN_INLINE int mrn_any(MrnMask mask) {
    MrnBits any = mrn_mask_part(mask, 0) | mrn_mask_part(mask, 1);
#ifndef MRN_SINGLE
    any |= mrn_mask_part(mask, 2) | mrn_mask_part(mask, 3);
#endif
    return (any[0] | any[1]) != 0;
}
MRN_INLINE int mrn_all(MrnMask mask) {
    MrnBits all = mrn_mask_part(mask, 0) & mrn_mask_part(mask, 1);
#ifndef MRN_SINGLE
    all &= mrn_mask_part(mask, 2) & mrn_mask_part(mask, 3);
#endif
    return (all[0] & all[1]) == -1;
}
/// Sum in the order of the lanes.
MRN_INLINE double mrn_lanes_sum(MrnLanes a) {
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

/// Half of the lanes: four numbers that lie together in memory, at any address.
typedef MrnReal MrnHalf __attribute__((vector_size(MRN_LANES_BYTES / 2)));
MRN_INLINE MrnHalf mrn_half_load(const MrnReal *from) {
    MrnHalf half;
    __builtin_memcpy(&half, from, sizeof half);
    return half;
}
MRN_INLINE void mrn_half_store(MrnReal *to, MrnHalf half) {
    __builtin_memcpy(to, &half, sizeof half);
}
MRN_INLINE MrnLanes mrn_lanes_join(MrnHalf low, MrnHalf high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
MRN_INLINE MrnHalf mrn_lanes_low(MrnLanes a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
MRN_INLINE MrnHalf mrn_lanes_high(MrnLanes a) {
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/// Transpose the two 4x4 blocks of four registers: r[i] holds rows i and i + 4, then r[k] holds component k of rows
/// 0..7, and back.
MRN_INLINE void mrn_transpose4(MrnLanes r[4]) {
    MrnLanes t[4];
    for (int i = 0; i < 4; i += 2) {
        t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int j = 0; j < 2; j++) {
        r[j] = __builtin_shufflevector(t[j], t[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        r[j + 2] = __builtin_shufflevector(t[j], t[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
}
/// Transpose 8x8: r[i][k] becomes r[k][i].
MRN_INLINE void mrn_transpose8(MrnLanes r[8]) {
    MrnLanes t[8], s[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            s[i + j] = __builtin_shufflevector(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            s[i + j + 2] = __builtin_shufflevector(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int j = 0; j < 4; j++) {
        r[j] = __builtin_shufflevector(s[j], s[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[j + 4] = __builtin_shufflevector(s[j], s[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#endif
