// What the cases of floes share.
#ifndef MRN_VERIFY_FLOES_H
#define MRN_VERIFY_FLOES_H

#include "model/model.h"
#include "verify/check.h"

/// The event-driven stepper with exact impacts.
MrnScheme mrn_floe_scheme(double time_step, MrnContactMode contacts);
/// A free regular polygon with a corner at angle `corner`.
int mrn_add_regular(MrnModel *model, int sides, double radius, double corner, double mass, double x, double y);
/// A fixed rectangle about (x, y).
int mrn_add_block(MrnModel *model, double width, double height, double x, double y);

#endif
