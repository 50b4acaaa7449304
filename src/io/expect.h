// What a scene promises: the numbers of its `expect` section, compared by `moraine verify`.
//
// MrnScene.check points to an MrnExpectations. Values are in SI units; `dimension` tells the unit to print.
#ifndef MRN_IO_EXPECT_H
#define MRN_IO_EXPECT_H

#include "io/units.h"

/// How the history of a quantity becomes one number; same order as the choices of schema_fields.h.
typedef enum MrnReduce {
    MRN_REDUCE_FINAL,            ///< value at the end
    MRN_REDUCE_AT,               ///< value at time `at`
    MRN_REDUCE_MIN,              ///< smallest value
    MRN_REDUCE_MAX,              ///< largest value
    MRN_REDUCE_MEAN,             ///< mean over time
    MRN_REDUCE_PEAK,             ///< the local maximum number `peak`
    MRN_REDUCE_FIRST_TIME_ABOVE, ///< time at which the quantity first exceeds `level`
    MRN_REDUCE_FIRST_TIME_BELOW  ///< time at which it first falls below `level`
} MrnReduce;

/// One number to compare.
typedef struct MrnExpect {
    char *name;     ///< or NULL
    char *quantity; ///< as written in the scene: "position.y", "kinetic_energy", "penetration"...
    char *of;       ///< name of a body of the model, or NULL: the whole scene
    MrnReduce reduce;
    double at;         ///< s, with MRN_REDUCE_AT; otherwise NAN
    int peak;          ///< >= 1, with MRN_REDUCE_PEAK
    MrnQuantity level; ///< with the first-time reductions; otherwise value NAN
    double from, to;   ///< s, window of the history that is looked at; NAN: no limit
    MrnQuantity value; ///< the number that must come out
    double tolerance;  ///< largest absolute difference in SI units, >= 0; from `relative` when the scene gives that
    double relative;   ///< largest relative difference as given, or NAN
    char *source;      ///< where the number comes from, or NULL
} MrnExpect;

typedef struct MrnExpectations {
    size_t count;
    MrnExpect *items;
    char *source, *note; ///< of the `reference` section, or NULL
} MrnExpectations;

void mrn_expectations_free(MrnExpectations *expectations); ///< NULL is allowed
#endif
