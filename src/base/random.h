// Random numbers keyed by (seed, entity, draw): the same key gives the same number whatever was drawn before, so
// results do not depend on the order of work or on restarts. The mixer is the finaliser of splitmix64 (Steele et al.
// 2014).
#ifndef MRN_BASE_RANDOM_H
#define MRN_BASE_RANDOM_H
#include <stdint.h>

static inline uint64_t mrn_mix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static inline uint64_t mrn_random_bits(uint64_t seed, uint64_t entity, uint64_t draw) {
    return mrn_mix64(mrn_mix64(mrn_mix64(seed) ^ entity) ^ draw);
}
/// Uniform in [0, 1).
static inline double mrn_random_unit(uint64_t seed, uint64_t entity, uint64_t draw) {
    return (double)(mrn_random_bits(seed, entity, draw) >> 11) * 0x1p-53;
}
/// Uniform in [low, high).
static inline double mrn_random_between(uint64_t seed, uint64_t entity, uint64_t draw, double low, double high) {
    return low + (high - low) * mrn_random_unit(seed, entity, draw);
}
#endif
