// One-step contact problems and their solvers.
//
// The problem: find impulses p and relative velocities u = W p + q, one block of `dimension` numbers per contact
// (normal first), so that every contact obeys its law: Coulomb's law with coefficient mu, 0 <= u_n  _|_  p_n >= 0,
// |p_t| <= mu p_n, sliding opposed to p_t. W = H M^-1 H^T is given by its factor (mass-scaled Jacobians of rigid
// bodies) or assembled.
#ifndef MORAINE_SOLVER_H
#define MORAINE_SOLVER_H

#include <moraine/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The law at one contact of a problem.
typedef enum MrnLawKind {
    MRN_LAW_COULOMB,   ///< unilateral with friction mu (mu = 0: frictionless)
    MRN_LAW_BILATERAL, ///< u = 0, p free
    MRN_LAW_ELLIPTIC,  ///< Coulomb with an elliptic cone: mu along the first tangent, mu2 along the second
    MRN_LAW_ROLLING ///< a couple: components are relative rotation rates; |p| <= mu * p_n of contact `parent`, opposed
                    ///< to u
} MrnLawKind;

/// Block-sparse symmetric matrix in compressed rows; blocks are dimension x dimension, row-major. Columns ascend in a
/// row.
typedef struct MrnBlockMatrix {
    size_t rows;   ///< block rows
    int block;     ///< size of a block
    size_t *start; ///< rows + 1
    int *column;   ///< block column of each block
    double *value; ///< block * block numbers per block
} MrnBlockMatrix;

/// A one-step problem. Arrays belong to the problem; see mrn_problem_free.
typedef struct MrnProblem {
    int dimension;         ///< 2 or 3
    size_t contacts;       ///< number of blocks of p, u and q
    double *free_velocity; ///< q, dimension per contact
    double *friction;      ///< mu, one per contact
    uint8_t *law;          ///< MrnLawKind per contact, or NULL: all Coulomb
    double *friction2;     ///< mu2 per contact where law is elliptic, or NULL
    int *parent;           ///< contact that bounds a rolling couple, or NULL

    /// Factored form (may be absent: bodies == NULL). Velocities are scaled: v~ = M^(1/2) v, H~ = H M^(-1/2), W = H~
    /// H~^T.
    size_t body_count; ///< bodies with mass
    int dof;           ///< velocity components per body: 3 or 6
    int *bodies;       ///< 2 per contact: body A, body B; -1 for a body without mass
    double *jacobian;  ///< per contact: H~ of A then of B, each dimension x dof, row-major; NULL in the round form

    /// Round form of H~: all bodies with mass are balls (2D: discs), touched on the line along the normal through their
    /// centre, and their spins count on the axes of space. Tangents follow from the normal.
    double *normal;            ///< dimension per contact, unit, from B to A
    double *lever;             ///< 2 per contact: distance of the touching point from the centre, over the square root
                               ///< of the moment of inertia, of A and of B; 0 for a body without mass
    double *inverse_root_mass; ///< per body with mass

    /// Assembled form (may be NULL until mrn_problem_assemble). Every row holds its diagonal block.
    MrnBlockMatrix *delassus;
} MrnProblem;

MrnProblem *mrn_problem_new(int dimension, size_t contacts);
void mrn_problem_free(MrnProblem *problem);
/// Make `delassus` from the factored form if it is not there.
void mrn_problem_assemble(MrnProblem *problem);

/// How a solve ended.
#define MRN_SOLVE_STATUS_LIST(X)                                                                                       \
    X(MRN_SOLVED, "solved")   /* residual below the tolerance */                                                       \
    X(MRN_STALLED, "stalled") /* no progress any more */                                                               \
    X(MRN_MAX_ITERATIONS, "max iterations")                                                                            \
    X(MRN_TIME_LIMIT, "time limit")                                                                                    \
    X(MRN_INFEASIBLE, "infeasible")   /* shown to have no solution */                                                  \
    X(MRN_BAD_PROBLEM, "bad problem") /* NaN, negative friction, wrong sizes */

typedef enum MrnSolveStatus {
#define X(status, text) status,
    MRN_SOLVE_STATUS_LIST(X)
#undef X
} MrnSolveStatus;

const char *mrn_solve_status_name(MrnSolveStatus status);

typedef struct MrnSolveInfo {
    MrnSolveStatus status;
    int iterations;         ///< sweeps or iterations of the outermost loop
    double residual;        ///< certificate: |p - P_K(p - u^)| / |q| (DESIGN 3), computed from p afresh at the end
    double scaled_residual; ///< the same with p multiplied by the mean diagonal of W: independent of units; the
                            ///< stopping test
    double cone_violation;  ///< worst of |p_t| - mu p_n and -p_n, over the largest |p|
    double seconds;         ///< wall time
    char method[160];       ///< what was done, for solvers that choose
} MrnSolveInfo;

/// Settings that every solver understands; solver-specific ones are name=value pairs. Start from mrn_solver_defaults().
typedef struct MrnSolverSettings {
    const char *solver;  ///< a name from mrn_solver_list, default "auto" ("nlgs" until a better one is there)
    double tolerance;    ///< on scaled_residual, > 0, default 1e-6
    int max_iterations;  ///< > 0, default 10000
    double time_limit;   ///< s of wall time, 0 = none, default 0
    const char *options; ///< "name=value,name=value" for this solver, or NULL
} MrnSolverSettings;

MrnSolverSettings mrn_solver_defaults(void);

/// Solve. `impulse` holds the guess and receives p; `velocity` (may be NULL) receives u. Returns false with `error`
/// when the solver does not exist, an option is wrong, or the solver cannot handle this kind of problem; otherwise
/// true, and `info` says how well it went.
bool mrn_solve(MrnProblem *problem, const MrnSolverSettings *settings, double *impulse, double *velocity,
               MrnSolveInfo *info, MrnError *error);

/// The certificate of any (p, u): fills residual, scaled_residual and cone_violation.
void mrn_certify(MrnProblem *problem, const double *impulse, const double *velocity, MrnSolveInfo *info);
/// u = W p + q.
void mrn_problem_velocity(MrnProblem *problem, const double *impulse, double *velocity);

/// One row of the table of solvers.
typedef struct MrnSolverEntry {
    const char *name;
    const char *summary;  ///< one line: what it is and when to use it
    const char *problems; ///< "2d 3d friction", "lcp"...
    const char *options;  ///< "relaxation=1 (0..2), ..." for help
} MrnSolverEntry;

size_t mrn_solver_count(void);
const MrnSolverEntry *mrn_solver_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
