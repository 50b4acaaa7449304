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

/// Overrides that make a test of a table from a scene of the gallery; pointers into itself, so it is not to be copied.
typedef struct MrnStudyTest {
    char text[4][80];
    const char *overrides[8]; ///< ends with NULL
    char name[80];            ///< in words
} MrnStudyTest;

enum { MRN_CHANNEL_TESTS = 5, MRN_DRIFT_TESTS = 13 };
/// Tests 1 to 5 of the channel (gallery:floe_channel; specification of floes 3.3).
void mrn_channel_test(int number, int seed, MrnStudyTest *test);
/// Tests 1 to 13 of the drift (gallery:floe_drift; specification of floes 3.4).
void mrn_drift_test(int number, MrnStudyTest *test);
bool mrn_drift_test_is_periodic(int number);

#endif
