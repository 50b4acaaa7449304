#include "geom/narrow_3d.h"
void mrn_touch_cylinder(const MrnPair *pair) { (void)pair; }
void mrn_touch_hollow(const MrnPair *pair) { (void)pair; }
void mrn_touch_mesh(const MrnPair *pair) { (void)pair; }
