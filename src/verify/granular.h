// What the granular cases share: running scenes of the gallery and measuring their frames.
#ifndef MRN_VERIFY_GRANULAR_H
#define MRN_VERIFY_GRANULAR_H

#include "measure/measure.h"
#include "verify/check.h"

/// A scene of the gallery after a run, with its frames.
typedef struct MrnGranularRun {
    MrnScene *scene;
    MrnFrameList frames;
    MrnStepInfo last; ///< of the last step
    int64_t unsolved; ///< steps that did not reach the tolerance
} MrnGranularRun;

/// Run gallery:NAME with overrides (a list that ends with NULL) and keep the frames of its output interval. False after
/// mrn_check_failed; free it in any case.
bool mrn_granular_run(MrnVerifyReport *report, const char *name, const char *const *overrides, MrnGranularRun *run);
void mrn_granular_free(MrnGranularRun *run);

/// Mean of a column of a measure over a window of time; NAN after mrn_check_failed.
double mrn_granular_mean(MrnVerifyReport *report, MrnGranularRun *run, const char *measure, const char *column,
                         const MrnMeasureOptions *options);
/// Straight line through points: slope, and the intercept where it is wanted.
double mrn_granular_slope(const double *x, const double *y, size_t count, double *intercept);

// The cases, one file per kind.
void mrn_case_beverloo(MrnVerifyReport *report);
void mrn_case_beverloo_3d(MrnVerifyReport *report);
void mrn_case_column_collapse(MrnVerifyReport *report);
void mrn_case_biaxial(MrnVerifyReport *report);
void mrn_case_vibrated_layer(MrnVerifyReport *report);
void mrn_case_arch(MrnVerifyReport *report);
void mrn_case_wall(MrnVerifyReport *report);
void mrn_case_pinched_capsule(MrnVerifyReport *report);

#endif
