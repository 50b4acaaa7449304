// Wind and current: fields of vectors in time and in the plane.
#ifndef MRN_FORCE_FORCING_H
#define MRN_FORCE_FORCING_H

#include "model/environment.h"
#include <moraine/error.h>

/// Vector given by magnitude and angle.
typedef struct MrnPolar {
    double magnitude, angle;
} MrnPolar;

/// Between a (share 0) and b (share 1): magnitude linear, angle along the shorter arc (specification 2.6.2). Where one
/// of them is zero the angle of the other holds.
MrnPolar mrn_polar_between(MrnPolar a, MrnPolar b, double share);

/// A forcing from a table of `count` rows time, u, v. The rows are copied. False with an error when times do not
/// increase or a number is not finite.
bool mrn_forcing_table(MrnForcing *forcing, const double *rows, size_t count, MrnError *error);

/// Value at a time and place, m/s.
void mrn_forcing_at(const MrnForcing *forcing, double time, const double place[2], double value[2]);
bool mrn_forcing_is_uniform(const MrnForcing *forcing); ///< the same everywhere

/// Check that a run from time 0 to `end` stays within the times of the forcing. `what` names it in the message.
bool mrn_forcing_covers(const MrnForcing *forcing, double end, const char *what, MrnError *error);
/// Check that a place lies within a grid.
bool mrn_forcing_reaches(const MrnForcing *forcing, const double place[2]);
/// The value there and then is known: no missing value of a grid is needed for it.
bool mrn_forcing_is_known(const MrnForcing *forcing, double time, const double place[2]);
/// Largest speed over all times and places, m/s.
double mrn_forcing_largest(const MrnForcing *forcing);

#endif
