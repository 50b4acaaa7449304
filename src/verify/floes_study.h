// A scene of the gallery with overrides, and its world: what the studies of floes share.
#ifndef MRN_VERIFY_FLOES_STUDY_H
#define MRN_VERIFY_FLOES_STUDY_H

#include "verify/check.h"

typedef struct MrnStudy {
    MrnScene *scene;
    MrnWorld *world; ///< NULL after mrn_check_failed
} MrnStudy;

/// `overrides` ends with NULL.
MrnStudy mrn_study_begin(MrnVerifyReport *report, const char *name, const char *const *overrides);
void mrn_study_end(MrnStudy *study);

#endif
