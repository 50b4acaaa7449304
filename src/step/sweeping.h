// Kinematics of inequalities: viability and the sweeping process (Moreau 2003, section 2).
#ifndef MRN_STEP_SWEEPING_H
#define MRN_STEP_SWEEPING_H

#include <stdbool.h>

/// A moving set {x : f(t, x) <= 0}. `evaluate` returns f and fills its gradient (dimension numbers) and its rate df/dt
/// at fixed x.
typedef struct MrnMovingSet {
    int dimension; ///< <= MRN_SWEEPING_MAX
    double (*evaluate)(const void *context, double time, const double *x, double *gradient, double *rate);
    const void *context;
} MrnMovingSet;

#define MRN_SWEEPING_MAX 16 ///< largest dimension and number of inequalities

/// The lazy selector: the least velocity that keeps f from growing where f >= 0 (M5).
void mrn_lazy_selector(const MrnMovingSet *set, double time, const double *x, double *velocity);
/// Explicit step x += h * lazy selector at the start of the step.
void mrn_sweep_explicit(const MrnMovingSet *set, double time, double step, double *x);
/// Implicit step, the catching-up algorithm (M7): x becomes its nearest point in the intersection of the sets at
/// `time_end`. False if the projection did not converge (x is then the last iterate).
bool mrn_sweep_catch_up(const MrnMovingSet *sets, int count, double time_end, double *x);
/// The linear complementarity problem (M9)-(M10) of one inequality: velocity u = lambda grad f with
/// fdot = rate + u . grad f <= 0, lambda <= 0, fdot lambda = 0, by its own two cases. Returns lambda.
double mrn_sweep_complementarity(int dimension, double rate, const double *gradient, double *velocity);
#endif
