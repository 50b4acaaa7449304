// One scene under several methods: what the parts of `moraine compare` share.
#ifndef MRN_CLI_COMPARE_H
#define MRN_CLI_COMPARE_H

#include "cli/cli.h"
#include "base/memory.h"

/// One method and what it made of the scene.
typedef struct MrnComparison {
    char *name; ///< as given: a stepper, a solver, or stepper/solver
    char *stepper, *solver;
    bool done;
    char reason[1024]; ///< why not

    int64_t steps, substeps;
    double cpu_seconds, wall_seconds;
    double contacts_mean;
    int64_t contacts_max;
    double penetration_max; ///< m
    bool certified;         ///< the method has a residual
    double residual_max;
    int64_t unsolved_steps;
    double energy_start, energy_end; ///< J, kinetic, potential and elastic
    double kinetic;                  ///< J at the end
    double dissipated;               ///< J

    double rms_distance, max_distance, centre_distance; ///< m, of the end from that of the first method
    double kinetic_difference;                          ///< J

    MRN_ARRAY(double) time, kinetic_curve, total_curve; ///< one row per step
    MrnFrame frame;                                     ///< the end
} MrnComparison;

/// Draw the final states side by side and the energies below.
bool mrn_compare_picture(const MrnScene *scene, const MrnComparison *methods, size_t count, MrnError *error,
                         const char *path);

#endif
