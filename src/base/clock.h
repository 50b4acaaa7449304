// Wall clock and processor time, in seconds.
#ifndef MRN_BASE_CLOCK_H
#define MRN_BASE_CLOCK_H
#include <time.h>

static inline double mrn_clock_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static inline double mrn_wall_seconds(void) {
    return mrn_clock_of(CLOCK_MONOTONIC);
}
static inline double mrn_cpu_seconds(void) {
    return mrn_clock_of(CLOCK_PROCESS_CPUTIME_ID);
}
#endif
