// Contact problems of rigid bodies in the plane, made from a seed: what the LCP forms and their solvers are tried on.
#ifndef MRN_PROBLEM_LCP_ASSEMBLY_H
#define MRN_PROBLEM_LCP_ASSEMBLY_H

#include <moraine/solver.h>

typedef enum MrnAssemblyKind {
    MRN_ASSEMBLY_CLOUD, ///< bodies of very different mass, contacts at random points with random normals, some against
                        ///< fixed obstacles
    MRN_ASSEMBLY_WALL,  ///< bricks in courses, two contacts at every interface: W is singular, the data are degenerate
    MRN_ASSEMBLY_DISCS, ///< equal discs in a triangular lattice in a box: degenerate, many zeros in q
} MrnAssemblyKind;

/// How the assembly is made.
typedef struct MrnAssembly {
    MrnAssemblyKind kind;
    int bodies;        ///< cloud: bodies; wall and discs: about that many, > 0
    int contacts;      ///< cloud: contacts, > 0
    double friction;   ///< mu, >= 0; the cloud draws each mu in [0, friction]
    double mass_ratio; ///< cloud: heaviest over lightest body, >= 1
    uint64_t seed;
} MrnAssembly;

/// A 2D problem in factored and assembled form; q is the relative velocity before the impact, so it lies in the range
/// of the Jacobian and the LCP of friction has a solution. The caller frees it.
MrnProblem *mrn_assembly_problem(const MrnAssembly *assembly);
#endif
