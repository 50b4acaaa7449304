// The pack generator (specification of floes 1.15, 2.8 and 4.8).
#include "geom/floe_shape.h"
#include "geom/polygon.h"
#include "io/generate_pack.h"
#include "verify/cases.h"
#include "verify/check.h"

#include <math.h>

/// Pairs of floes that overlap: an edge crosses an edge, or a vertex lies inside.
static size_t overlaps(const MrnPack *pack) {
    size_t found = 0;
    for (size_t i = 0; i < pack->count; i++)
        for (size_t j = i + 1; j < pack->count; j++) {
            size_t ni = pack->start[i + 1] - pack->start[i], nj = pack->start[j + 1] - pack->start[j];
            const double *vi = pack->vertices + 2 * pack->start[i], *vj = pack->vertices + 2 * pack->start[j];
            bool meet =
                mrn_polygon_contains(ni, vi, mrn_vertex2(vj, 0)) || mrn_polygon_contains(nj, vj, mrn_vertex2(vi, 0));
            for (size_t a = 0; a < ni && !meet; a++)
                for (size_t b = 0; b < nj && !meet; b++)
                    meet = mrn_segments_meet(mrn_vertex2(vi, a), mrn_vertex2(vi, (a + 1) % ni), mrn_vertex2(vj, b),
                                             mrn_vertex2(vj, (b + 1) % nj));
            found += meet;
        }
    return found;
}

void mrn_case_floe_pack(MrnVerifyReport *report) {
    const double square[] = {0, 0, 400, 0, 400, 400, 0, 400}, rectangle[] = {0, 0, 2, 0, 2, 1, 0, 1};
    mrn_check(report, 1.27, mrn_roundness(4, square), 0.005, "roundness of a square");
    mrn_check(report, 1.43, mrn_roundness(4, rectangle), 0.005, "roundness of a rectangle 2 : 1");
    MrnZone zone = mrn_zone_new(4, square);
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    MrnPackRequest request = {.zone = &zone,
                              .catalogue = &catalogue,
                              .tolerance = 1e-3,
                              .count = 160,
                              .largest = 250,
                              .smallest = NAN,
                              .exponent = 1.5,
                              .seed = 1};
    size_t count;
    double largest, smallest, exponent;
    MrnError error = {0};
    mrn_pack_sizes(&request, &count, &largest, &smallest, &exponent, &error);
    mrn_check(report, 8.48, smallest, 0.005, "smallest of 160 floes from 250 m with exponent 1.5 [m]");
    MrnPackRequest other = {.count = 500, .largest = NAN, .smallest = 1, .exponent = 1.5};
    mrn_pack_sizes(&other, &count, &largest, &smallest, &exponent, &error);
    mrn_check(report, 63, largest, 0.05, "largest of 500 floes from 1 m with exponent 1.5 [m]");
    static const double wanted[] = {0.3, 0.5, 0.7, 0.85, 0.95};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        request.concentration = wanted[k];
        MrnPack pack;
        if (!mrn_pack_make(&request, &pack, &error)) {
            mrn_check_failed(report, error.message);
            continue;
        }
        size_t outside = 0;
        for (size_t i = 0; i < pack.start[pack.count]; i++)
            outside += !mrn_zone_contains(&zone, mrn_vertex2(pack.vertices, i));
        mrn_check(report, wanted[k], pack.concentration, 1e-3 * wanted[k], "concentration reached where %g is wanted",
                  wanted[k]);
        mrn_check(report, 1.5, pack.exponent, 0.1, "exponent of the sizes at concentration %g", wanted[k]);
        mrn_check_at_most(report, 1.5 + 1e-9, pack.roundness, "largest roundness at concentration %g", wanted[k]);
        mrn_check(report, 0, (double)overlaps(&pack), 0, "pairs that overlap at concentration %g", wanted[k]);
        mrn_check(report, 0, (double)outside, 0, "vertices outside the zone at concentration %g", wanted[k]);
        mrn_pack_free(&pack);
    }
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}
