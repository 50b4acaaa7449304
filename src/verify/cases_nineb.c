// Cases of verify. Nineb's thesis: the solver library.
#include "verify/cases.h"

const MrnVerifyCase mrn_cases_nineb[] = {
    {.name = "LCP",
     .title = "Four complementarity solvers on problems of known solution",
     .source = "Nineb; specification of solvers, section 5.8",
     .check = mrn_case_lcp_units,
     .explanation = ""},
    {.name = "T7-T8",
     .title = "One step of discs at rest in a box, by Gauss-Seidel, LATIN and conjugate gradients",
     .source = "Nineb, section 4.1.6, table 4.4",
     .check = mrn_case_samples,
     .explanation = "Bead sizes and box are not published: samples of 20 and 84 beads of +-20 % are deposited, and the "
                    "problem of the last step is solved from zero. LATIN needs the fewest iterations, as published; "
                    "conjugate gradients are slowed by the change of the friction bounds."},
    {.name = "T9",
     .title = "One step of 330 discs at rest in a box, by Gauss-Seidel, LATIN and conjugate gradients",
     .source = "Nineb, section 4.1.6, table 4.4",
     .check = mrn_case_large_sample,
     .slow = true,
     .explanation =
         "LATIN needs the fewest iterations here too, where the thesis found conjugate gradients faster: with the "
         "change of the friction bounds these stop short of 1e-6."},
};
const size_t mrn_cases_nineb_count = sizeof mrn_cases_nineb / sizeof *mrn_cases_nineb;
