// Smallest enclosing circle by adding points one after the other (Welzl 1991): a point outside the circle so far lies
// on the next one. The points are taken in an order made from their numbers, so the expected work is linear and the
// result depends on the points alone.
#include "geom/enclosing_circle.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdlib.h>

static bool outside(const MrnCircle *circle, MrnVec2 p) {
    return mrn_norm2(mrn_sub2(p, circle->centre)) > circle->radius * (1 + 1e-12);
}

static MrnCircle through_two(MrnVec2 a, MrnVec2 b) {
    MrnVec2 centre = mrn_scale2(0.5, mrn_add2(a, b));
    return (MrnCircle){centre, 0.5 * mrn_norm2(mrn_sub2(b, a))};
}

static MrnCircle through_three(MrnVec2 a, MrnVec2 b, MrnVec2 c) {
    MrnVec2 u = mrn_sub2(b, a), v = mrn_sub2(c, a);
    double det = 2 * mrn_cross2(u, v), uu = mrn_dot2(u, u), vv = mrn_dot2(v, v);
    if (fabs(det) <= 1e-14 * (uu + vv)) { // on one line: the two that are farthest apart
        MrnCircle ab = through_two(a, b), bc = through_two(b, c), ac = through_two(a, c);
        MrnCircle widest = ab.radius > bc.radius ? ab : bc;
        return ac.radius > widest.radius ? ac : widest;
    }
    MrnVec2 to_centre = {(v.y * uu - u.y * vv) / det, (u.x * vv - v.x * uu) / det};
    return (MrnCircle){mrn_add2(a, to_centre), mrn_norm2(to_centre)};
}

MrnCircle mrn_enclosing_circle(size_t count, const MrnVec2 *points) {
    MrnVec2 *p = mrn_alloc(count, sizeof *p);
    for (size_t i = 0; i < count; i++) p[i] = points[i];
    for (size_t i = count; i > 1; i--) {
        size_t k = mrn_random_bits(1, 0, i) % i;
        MrnVec2 kept = p[i - 1];
        p[i - 1] = p[k], p[k] = kept;
    }
    MrnCircle circle = {p[0], 0};
    for (size_t i = 1; i < count; i++) {
        if (!outside(&circle, p[i])) continue;
        circle = (MrnCircle){p[i], 0};
        for (size_t j = 0; j < i; j++) {
            if (!outside(&circle, p[j])) continue;
            circle = through_two(p[i], p[j]);
            for (size_t k = 0; k < j; k++)
                if (outside(&circle, p[k])) circle = through_three(p[i], p[j], p[k]);
        }
    }
    circle.radius = 0;
    for (size_t i = 0; i < count; i++)
        circle.radius = fmax(circle.radius, mrn_norm2(mrn_sub2(points[i], circle.centre)));
    free(p);
    return circle;
}
