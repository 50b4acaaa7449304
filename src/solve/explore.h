// Exploring the set of solutions of a contact problem with dry friction (Moreau 2003, section 8.2): one sequential
// Gauss-Seidel process with a chosen scan order and a chosen stand-in for the Delassus blocks, started from many
// guesses or run in many orders.
#ifndef MRN_SOLVE_EXPLORE_H
#define MRN_SOLVE_EXPLORE_H

#include <moraine/solver.h>

/// What stands for the Delassus block of a contact in its own update; the fixed points are the same
/// (specification 8.1, 8.3).
typedef enum MrnDelassusVariant {
    MRN_DELASSUS_FULL,  ///< the block itself, times `factor`
    MRN_DELASSUS_SCALAR ///< a number: `factor` times the largest eigenvalue of the block, for normal and tangent
} MrnDelassusVariant;

/// Start from mrn_explore_defaults().
typedef struct MrnExploreSettings {
    MrnDelassusVariant variant; ///< default full
    double factor;              ///< > 0, default 1: smaller over-relaxes
    int max_cycles;             ///< > 0, default 100000
    double tolerance;           ///< m/s, stop when no normal adjustment |H_N dP| of a cycle exceeds it; default 1e-14
    const int *order;           ///< permutation of the contacts, or NULL: ascending
    bool shuffle;               ///< a new random order in every cycle, from `seed`
    uint64_t seed;
    size_t refresh; ///< adjustments after which the velocities are computed afresh from the impulses; default 1000000;
                    ///< 0: never
} MrnExploreSettings;

MrnExploreSettings mrn_explore_defaults(void);

typedef struct MrnExploreInfo {
    int cycles;
    bool converged;
    double adjustment;         ///< stopping quantity of the last cycle, m/s (Moreau 2003, 7.2)
    double tangent_adjustment; ///< its tangential companion, m/s
    double drift; ///< largest difference between the carried velocities and u = W p + q seen at a refresh, m/s
} MrnExploreInfo;

/// Run the process on an assembled Coulomb problem. `impulse` holds the guess, which need not lie on the cones, and
/// receives the result.
MrnExploreInfo mrn_explore_solve(const MrnProblem *problem, const MrnExploreSettings *settings, double *impulse);

/// `runs` solves from guesses uniform between `low` and `high` (dimension numbers per contact); results, one after the
/// other, in `impulses`.
void mrn_explore_random(const MrnProblem *problem, const MrnExploreSettings *settings, const double *low,
                        const double *high, size_t runs, uint64_t seed, double *impulses, MrnExploreInfo *infos);
/// `runs` solves from one guess in random scan orders. `orders` (contacts numbers per run) may be NULL.
void mrn_explore_orders(const MrnProblem *problem, const MrnExploreSettings *settings, const double *guess, size_t runs,
                        uint64_t seed, double *impulses, int *orders, MrnExploreInfo *infos);
#endif
