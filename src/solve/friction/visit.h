// One visit to a contact in a Gauss-Seidel sweep, by any of the local methods that were published for it.
#ifndef MRN_SOLVE_VISIT_H
#define MRN_SOLVE_VISIT_H

/// Ways to visit a contact; the names are those of the option `local`.
#define MRN_VISIT_LIST(X)                                                                                              \
    X(MRN_VISIT_EXACT, "exact")           /* the one-contact problem solved exactly */                                 \
    X(MRN_VISIT_PROJECTION, "projection") /* one projected step, scaled by the diagonal of the contact's block */      \
    X(MRN_VISIT_SAL, "sal")               /* augmented Lagrangian: normal then tangential projection, one step rho */  \
    X(MRN_VISIT_SBP, "sbp")               /* standard bipotential: one predictor and corrector on the cone */          \
    X(MRN_VISIT_IBP, "ibp")               /* improved bipotential: the same until it settles */                        \
    X(MRN_VISIT_EPDAS, "epdas")           /* one exact primal-dual active set step */                                  \
    X(MRN_VISIT_IPDAS, "ipdas")           /* one iterative primal-dual active set step */
typedef enum MrnVisit {
#define X(name, text) name,
    MRN_VISIT_LIST(X)
#undef X
} MrnVisit;

/// Parameters of a visit; zero takes the value that the block gives.
typedef struct MrnVisitSettings {
    MrnVisit kind;
    double rho;           ///< step of sal, sbp and ibp; 0: 1 / largest diagonal entry of the block
    double gamma_normal;  ///< of the active sets; 0: 1 / W_nn
    double gamma_tangent; ///< of the active sets; 0: 1 / mean diagonal of W_tt
    double accuracy;      ///< ibp settles when a pass changes p by less than this, in units of p; 0: 1e-14 of |p|
} MrnVisitSettings;

/// New p of a contact that sees u = b + W p, W being its block (dimension x dimension, row-major). `p` holds the old
/// one.
void mrn_visit_contact(const MrnVisitSettings *settings, int dimension, const double *W, const double *b, double mu,
                       double *p);
#endif
