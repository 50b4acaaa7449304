// A floe pack for tests, cases and benchmarks, made from a seed.
#ifndef MRN_VERIFY_FLOE_PACK_H
#define MRN_VERIFY_FLOE_PACK_H

#include "model/model.h"

typedef struct MrnPackedFloe {
    double x, y, radius; ///< m, disc that the floe comes from
    double thickness;    ///< m
    int count;
    double vertices[2 * 64]; ///< m, about (x, y)
} MrnPackedFloe;

typedef struct MrnFloePack {
    double side; ///< m, of the periodic cell, centred at the origin
    int count;
    MrnPackedFloe *floes; ///< free() them
} MrnFloePack;

/// Sizes fall from `largest` to `smallest` as a power of the rank; concentration between 0 and 1.
MrnFloePack mrn_floe_pack_new(int count, double largest, double smallest, double concentration, uint64_t seed);
/// The pack tiled `tiles` times each way in a periodic plane from the origin, under the drift below. The copies differ
/// in thickness. NULL with an error.
MrnModel *mrn_floe_pack_model(const MrnFloePack *pack, int tiles, MrnError *error);

/// Ice of 917 kg/m3, friction 0.7, restitution 0.4.
MrnModel *mrn_ice_model(void);
/// A floe by its outline about (x, y).
bool mrn_add_ice(MrnModel *model, const double *vertices, int count, double x, double y, double angle, double thickness,
                 MrnError *error);
/// Wind that grows for 12 h, is constant until 45 h and turns until 48 h (V-14 of the specification of floes, twice as
/// strong), and a current that follows; Coriolis at 80.2 degrees north; an ocean layer of this area.
bool mrn_add_drift(MrnModel *model, double area, MrnError *error);

#endif
