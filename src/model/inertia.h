// Principal axes of a body made of several shapes.
#ifndef MRN_MODEL_INERTIA_H
#define MRN_MODEL_INERTIA_H

#include "base/vec.h"
#include <moraine/shape.h>

/// Add the properties of `part` to `sum` (parallel axes).
void mrn_mass_add(MrnMassProperties *sum, const MrnMassProperties *part);
/// Principal moments and the rotation whose columns are the principal axes; the identity where the tensor is already
/// diagonal.
MrnQuat mrn_principal_axes(const double inertia[3][3], double moments[3]);
#endif
