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
    double factor;       ///< of the next extrapolation
    double mark;         ///< residual at the last good progress, and
    int mark_sweep;      ///< when that was
    int plain_until;     ///< no momentum before this sweep
} MrnMomentum;

/// One contact as the sweeps see it; rows of 2D problems use the first two directions and three components.
typedef struct MrnNlgsLane {
    double jacobian[2][3][6];
    double q[3], p[3], motion[3], mu, nn, inverse_nn, lambda, r[2], s[2], inverse_s[2];
    int32_t body[2];
} MrnNlgsLane;

typedef struct MrnNlgsSingle MrnNlgsSingle;

/// Room for `lanes[c]` contacts of each colour, packed eight at a time; every lane is empty.
MrnNlgsSingle *mrn_nlgs_single_new_2d(size_t bodies, size_t colors, const size_t *lanes, MrnArena *arena,
                                      MrnThreads *threads);
MrnNlgsSingle *mrn_nlgs_single_new_3d(size_t bodies, size_t colors, const size_t *lanes, MrnArena *arena,
                                      MrnThreads *threads);
/// Use it for other contacts, at most as many of each colour; every lane is empty again and nothing moves.
void mrn_nlgs_single_layout_2d(MrnNlgsSingle *single, const size_t *lanes);
void mrn_nlgs_single_layout_3d(MrnNlgsSingle *single, const size_t *lanes);
/// First pack of a colour, and how many there are in all.
size_t mrn_nlgs_single_color_2d(const MrnNlgsSingle *single, size_t color);
size_t mrn_nlgs_single_color_3d(const MrnNlgsSingle *single, size_t color);
size_t mrn_nlgs_single_packs_2d(const MrnNlgsSingle *single);
size_t mrn_nlgs_single_packs_3d(const MrnNlgsSingle *single);

/// Fill lane `slot`, counted over all packs.
void mrn_nlgs_single_fill_2d(MrnNlgsSingle *single, size_t slot, const MrnNlgsLane *lane);
void mrn_nlgs_single_fill_3d(MrnNlgsSingle *single, size_t slot, const MrnNlgsLane *lane);
/// Velocities one sweep ago less those of now, `stride` numbers per body: what the momentum goes on from.
void mrn_nlgs_single_motion_2d(MrnNlgsSingle *single, const double *velocity, const double *before);
void mrn_nlgs_single_motion_3d(MrnNlgsSingle *single, const double *velocity, const double *before);
/// Count velocities from now on from zero: fresh relative velocities follow by mrn_nlgs_single_rebase.
void mrn_nlgs_single_restart_2d(MrnNlgsSingle *single);
void mrn_nlgs_single_restart_3d(MrnNlgsSingle *single);
/// p and u = W p + q of a lane.
void mrn_nlgs_single_rebase_2d(MrnNlgsSingle *single, size_t slot, const double *impulse, const double *velocity);
void mrn_nlgs_single_rebase_3d(MrnNlgsSingle *single, size_t slot, const double *impulse, const double *velocity);
void mrn_nlgs_single_impulse_2d(const MrnNlgsSingle *single, size_t slot, double *p);
void mrn_nlgs_single_impulse_3d(const MrnNlgsSingle *single, size_t slot, double *p);

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
void mrn_nlgs_single_run_2d(MrnNlgsSingle *single, MrnNlgsSingleRun *run);
void mrn_nlgs_single_run_3d(MrnNlgsSingle *single, MrnNlgsSingleRun *run);
#endif
