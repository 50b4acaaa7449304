// What the functions of cases use: adding rows, running scenes, building small worlds.
#ifndef MRN_VERIFY_CHECK_H
#define MRN_VERIFY_CHECK_H

#include "io/expect.h"
#include "step/stepper.h"
#include "verify/verify.h"

/// Add a row. `quantity` is a printf format for the arguments at the end; the unit stands in brackets at its end:
/// "speed [m/s]".
void mrn_check(MrnVerifyReport *report, double published, double computed, double tolerance, const char *quantity, ...)
    __attribute__((format(printf, 5, 6)));
void mrn_check_at_most(MrnVerifyReport *report, double bound, double computed, const char *quantity, ...)
    __attribute__((format(printf, 4, 5)));
void mrn_check_at_least(MrnVerifyReport *report, double bound, double computed, const char *quantity, ...)
    __attribute__((format(printf, 4, 5)));
void mrn_check_true(MrnVerifyReport *report, bool holds, const char *quantity, ...)
    __attribute__((format(printf, 3, 4)));
void mrn_measure(MrnVerifyReport *report, double computed, const char *quantity, ...)
    __attribute__((format(printf, 3, 4)));
/// A row that fails with this message.
void mrn_check_failed(MrnVerifyReport *report, const char *message);

/// Run a scene and compare with its expectations.
void mrn_check_scene(MrnVerifyReport *report, MrnScene *scene);
/// Run gallery:NAME with overrides (a list that ends with NULL) and reduce histories: values[i] from wanted[i]. False
/// after mrn_check_failed.
bool mrn_measure_scene(MrnVerifyReport *report, const char *name, const char *const *overrides, const MrnExpect *wanted,
                       size_t count, double *values);

/// What a coded case needs of a world: the defaults below and tolerance 1e-13; strict Moreau activation.
MrnScheme mrn_strict_scheme(double time_step);
/// A model with gravity (0, -g[, ...]) along y in 2D, along z in 3D, one material of density 1 and the default law.
MrnModel *mrn_small_model(int dimension, double gravity, MrnPairLaw law);
int mrn_add_disc(MrnModel *model, double radius, double mass, double x, double y);           ///< 2D
int mrn_add_ball(MrnModel *model, double radius, double mass, double x, double y, double z); ///< 3D
/// A fixed half-plane (2D) or plane (3D) through `point` with outward normal `normal`.
int mrn_add_wall(MrnModel *model, const double *point, const double *normal);
/// A free convex polygon given by vertices about its mass centre, with mass and inertia as given (2D).
int mrn_add_polygon(MrnModel *model, const double *vertices, size_t count, double mass, double inertia, double x,
                    double y, double angle);
/// A thin bar: vertices at (+-half length, 0), inertia of a uniform rod.
int mrn_add_rod(MrnModel *model, double half_length, double mass, double x, double y, double angle);

/// A model and its world; free both with mrn_small_free. NULL world after mrn_check_failed.
typedef struct MrnSmall {
    MrnModel *model;
    MrnWorld *world;
} MrnSmall;
MrnSmall mrn_small_start(MrnVerifyReport *report, MrnModel *model, const MrnScheme *scheme);
void mrn_small_free(MrnSmall *small);
/// Step; false after mrn_check_failed.
bool mrn_small_step(MrnVerifyReport *report, MrnSmall *small, MrnStepInfo *info);

static inline MrnPairLaw mrn_law(double friction, double normal_restitution, double tangential_restitution) {
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = friction, law.normal_restitution = normal_restitution,
    law.tangential_restitution = tangential_restitution;
    return law;
}
#endif
