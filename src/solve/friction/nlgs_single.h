// Gauss-Seidel sweeps in single precision, for the bulk of a long solve: half the memory and twice the numbers per
// vector register.
//
// They work on corrections: the double side computes u = W p + q afresh now and then and hands it over, so that
// rounding stays relative to what is left to correct, and only the double side certifies.
#ifndef MRN_SOLVE_NLGS_SINGLE_H
#define MRN_SOLVE_NLGS_SINGLE_H

#include "base/memory.h"
#include "base/threads.h"
#include <stdbool.h>
#include <stdint.h>

/// Nesterov's sequence between sweeps and what restarts it.
typedef struct MrnMomentum {
    double theta;
    double least_change; ///< since the last restart
    double factor;       ///< of the next extrapolation, at most
    double most;         ///< this
    double mark;         ///< residual at the last good progress, and
    int mark_sweep;      ///< when that was
    int plain_until;     ///< no momentum before this sweep
} MrnMomentum;

/// One contact as the sweeps see it; those of 2D problems use the first two directions and three components.
typedef struct MrnNlgsLane {
    double jacobian[2][3][6], nn, inverse_nn, r[2], s[2], inverse_s[2]; ///< contacts of any bodies
    double normal[3], lever[2];                                         ///< contacts of balls
    double q[3], p[3], mu;
    int32_t body[2];
} MrnNlgsLane;

typedef struct MrnNlgsSingle MrnNlgsSingle;

/// What a run of sweeps needs to know and gives back.
typedef struct MrnNlgsSingleRun {
    double scale, q_norm; ///< mean diagonal of W; |q|
    double tolerance;     ///< stop below this residual
    double relaxation;
    bool accelerate;
    int sweep;             ///< number of the last sweep, goes on counting
    int limit;             ///< stop after this sweep
    double deadline;       ///< mrn_wall_seconds() at which to stop
    MrnMomentum *momentum; ///< goes on from one run to the next
    double residual;       ///< out: of the lanes
} MrnNlgsSingleRun;

// The functions, for each kind of packs:
//   new      room for `lanes[c]` contacts of each colour, packed eight at a time; every lane is empty. `mobility` is
//            1/sqrt(m) per body for balls, else NULL.
//   layout   use it for other contacts, at most as many of each colour; every lane is empty again and nothing moves.
//   color    first pack of a colour; packs: how many there are in all.
//   fill     lane `slot`, counted over all packs.
//   restart  count velocities from now on from zero: fresh relative velocities follow by rebase.
//   rebase   p and u = W p + q of a lane.
//   impulse  p of a lane.
//   run      sweeps; bytes: of packed data per contact.
#define MRN_NLGS_SINGLE_FUNCTIONS(kind)                                                                                \
    MrnNlgsSingle *mrn_nlgs_single_new_##kind(size_t bodies, const double *mobility, size_t colors,                    \
                                              const size_t *lanes, MrnArena *arena, MrnThreads *threads);              \
    void mrn_nlgs_single_layout_##kind(MrnNlgsSingle *single, const size_t *lanes);                                    \
    size_t mrn_nlgs_single_color_##kind(const MrnNlgsSingle *single, size_t color);                                    \
    size_t mrn_nlgs_single_packs_##kind(const MrnNlgsSingle *single);                                                  \
    void mrn_nlgs_single_fill_##kind(MrnNlgsSingle *single, size_t slot, const MrnNlgsLane *lane);                     \
    void mrn_nlgs_single_restart_##kind(MrnNlgsSingle *single);                                                        \
    void mrn_nlgs_single_rebase_##kind(MrnNlgsSingle *single, size_t slot, const double *impulse,                      \
                                       const double *velocity);                                                        \
    void mrn_nlgs_single_impulse_##kind(const MrnNlgsSingle *single, size_t slot, double *p);                          \
    void mrn_nlgs_single_run_##kind(MrnNlgsSingle *single, MrnNlgsSingleRun *run);                                     \
    size_t mrn_nlgs_single_bytes_##kind(void);
MRN_NLGS_SINGLE_FUNCTIONS(2d)
MRN_NLGS_SINGLE_FUNCTIONS(3d)
MRN_NLGS_SINGLE_FUNCTIONS(round_2d)
MRN_NLGS_SINGLE_FUNCTIONS(round_3d)

/// The name of a function for the kind that this file is compiled for.
#ifdef MRN_ROUND
#define MRN_KIND_NAMED(name) MRN_NAMED(name##_round)
#else
#define MRN_KIND_NAMED(name) MRN_NAMED(name)
#endif
#endif
