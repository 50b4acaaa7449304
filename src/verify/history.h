// Histories of quantities of a running scene, reduced to one number each.
#ifndef MRN_VERIFY_HISTORY_H
#define MRN_VERIFY_HISTORY_H

#include "io/expect.h"
#include <moraine/scene.h>

/// Run the scene and reduce: values[i] is what wanted[i] asks for, NAN where it never came about.
bool mrn_reduce_histories(const MrnScene *scene, const MrnExpect *wanted, size_t count, double *values,
                          MrnError *error);
/// The quantities that `expect` understands, as rows of a Markdown table.
void mrn_list_quantities(FILE *out);
#endif
