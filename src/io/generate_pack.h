// Packs of floes (Rabatel 2015, 1.3 and 2.3): sizes by a power law, outlines from a catalogue, a given concentration in
// a zone of any shape.
#ifndef MRN_IO_GENERATE_PACK_H
#define MRN_IO_GENERATE_PACK_H

#include "base/threads.h"
#include "geom/laguerre.h"
#include <moraine/error.h>
#include <stdint.h>

/// Outlines to choose from: each with its centroid at the origin and area 1.
typedef struct MrnCatalogue {
    size_t count;
    size_t *start;    ///< count + 1: outline i has vertices [start[i], start[i+1])
    double *vertices; ///< x, y
    size_t refused;   ///< outlines of a file that were left out: not simple, or less round than wanted
} MrnCatalogue;

/// `count` outlines of `corners` vertices by a random process.
MrnCatalogue mrn_catalogue_generate(uint64_t seed, size_t count, size_t corners);
/// One outline: a regular polygon.
MrnCatalogue mrn_catalogue_round(size_t corners);
/// Read outlines from text: per line n x1 y1 ... xn yn, any unit; # begins a comment. Outlines are simplified to at
/// most `corners` vertices; those of more than MRN_FLOE_ROUNDNESS are left out.
bool mrn_catalogue_read(const char *name, const char *text, size_t corners, MrnCatalogue *out, MrnError *error);
void mrn_catalogue_free(MrnCatalogue *catalogue);

typedef struct MrnPackRequest {
    const MrnZone *zone;
    const MrnCatalogue *catalogue;
    double concentration;     ///< area of floes over area of the zone
    double tolerance;         ///< of the concentration
    size_t count;             ///< 0: from the sizes
    double largest, smallest; ///< m, diameter of the circle about a floe; NAN: from the rest
    double exponent;          ///< of the cumulative law; NAN: from the rest
    double gap;               ///< m, least distance between floes, and twice that to the edge of the zone
    uint64_t seed;
    MrnThreads *threads; ///< may be NULL
} MrnPackRequest;

/// A pack: outlines in place, the largest first.
typedef struct MrnPack {
    size_t count;
    size_t *start;    ///< count + 1
    double *vertices; ///< counter-clockwise
    // What came out.
    double concentration;
    double scale;             ///< by which all sizes were multiplied to reach the concentration
    double exponent;          ///< of the areas that came out: count ~ size^-exponent
    double largest, smallest; ///< m, mean caliper diameters
    double roundness;         ///< the largest
    bool cells;               ///< too dense for discs: floes fill the cells of a Laguerre diagram
    size_t cut;               ///< floes whose outline was cut to fit its cell
    int rounds;               ///< of relaxation
} MrnPack;

/// Diameters s_max i^(-1/alpha), and how many: any three of count, largest, smallest and exponent give the fourth
/// (specification 1.15.1). False with the reason.
bool mrn_pack_sizes(const MrnPackRequest *request, size_t *count, double *largest, double *smallest, double *exponent,
                    MrnError *error);
/// Make a pack; false with the reason why it cannot be made.
bool mrn_pack_make(const MrnPackRequest *request, MrnPack *pack, MrnError *error);
void mrn_pack_free(MrnPack *pack);

#endif
