// Shapes of the plane: checks, mass, bounds and sizes.
//
// A polygon rounded by a radius r is the Minkowski sum of the polygon and a disc. Its moments have a closed form while
// the polygon is convex (Steiner); a polygon with a reflex vertex is refused when r > 0.
#include "geom/shape_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "geom/outline.h"
#include "geom/polygon.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/// Vertices closer than this, or nearer to the line of their neighbours, are dropped; over the extent of the shape.
#define COINCIDENCE 1e-12

static bool check_placement(const MrnShape *shape, MrnError *error) {
    const char *name = mrn_shape_name(shape->kind);
    if (!isfinite(shape->position[0]) || !isfinite(shape->position[1]))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s position must be finite, found (%g, %g) m", name,
                        shape->position[0], shape->position[1]);
    if (!isfinite(shape->rotation[0]))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s rotation must be finite, found %g rad", name, shape->rotation[0]);
    return true;
}

static bool check_radius(const MrnShape *shape, bool zero_allowed, MrnError *error) {
    if (isfinite(shape->radius) && (shape->radius > 0.0 || (zero_allowed && shape->radius == 0.0))) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "%s radius must be finite and %s 0, found %g m",
                    mrn_shape_name(shape->kind), zero_allowed ? ">=" : ">", shape->radius);
}

static bool check_vertices(const MrnShape *shape, size_t least, MrnError *error) {
    const char *name = mrn_shape_name(shape->kind);
    if (shape->vertex_count < least || !shape->vertices)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s needs at least %zu vertices, found %zu", name, least,
                        shape->vertices ? shape->vertex_count : 0);
    if (shape->vertex_count > (1u << 22))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s has %zu vertices, more than the largest number %u", name,
                        shape->vertex_count, 1u << 22);
    for (size_t i = 0; i < shape->vertex_count; i++)
        if (!isfinite(shape->vertices[2 * i]) || !isfinite(shape->vertices[2 * i + 1]))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s vertex %zu is not finite: (%g, %g) m", name, i + 1,
                            shape->vertices[2 * i], shape->vertices[2 * i + 1]);
    return true;
}

static double extent_of(size_t count, const double *vertices) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < 2 * count; i++) {
        low[i & 1] = fmin(low[i & 1], vertices[i]);
        high[i & 1] = fmax(high[i & 1], vertices[i]);
    }
    return fmax(high[0] - low[0], high[1] - low[1]);
}

/// Vertices that are still there, with the numbers they were given under.
typedef struct Kept {
    size_t count;
    double *vertices;
    size_t *given; ///< number from 1
} Kept;

static void drop_repeated(Kept *kept, double tolerance, bool closed) {
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        MrnVec2 here = mrn_vertex2(kept->vertices, i);
        if (count && mrn_norm2(mrn_sub2(here, mrn_vertex2(kept->vertices, count - 1))) <= tolerance) continue;
        kept->vertices[2 * count] = here.x, kept->vertices[2 * count + 1] = here.y;
        kept->given[count++] = kept->given[i];
    }
    while (closed && count > 1 &&
           mrn_norm2(mrn_sub2(mrn_vertex2(kept->vertices, 0), mrn_vertex2(kept->vertices, count - 1))) <= tolerance)
        count--;
    kept->count = count;
}

// Once more after each pass that dropped something, so that preparing a prepared shape changes nothing.
static void drop_collinear(Kept *kept, double tolerance, bool closed) {
    for (bool dropped = true; dropped && kept->count > 2;) {
        size_t n = kept->count, count = 0;
        dropped = false;
        for (size_t i = 0; i < n; i++) {
            MrnVec2 here = mrn_vertex2(kept->vertices, i);
            bool flat = false;
            if (closed || (i > 0 && i + 1 < n)) {
                // The vertex before is the last one kept, so that a run of short edges along a curve is not eaten
                // whole.
                MrnVec2 before = mrn_vertex2(kept->vertices, count ? count - 1 : n - 1);
                MrnVec2 after = mrn_vertex2(kept->vertices, i + 1 < n ? i + 1 : 0);
                MrnVec2 in = mrn_sub2(here, before), out = mrn_sub2(after, here);
                double base = mrn_norm2(mrn_sub2(after, before));
                flat = mrn_dot2(in, out) > 0.0 && fabs(mrn_cross2(in, out)) <= tolerance * base;
            }
            if (flat) {
                dropped = true;
                continue;
            }
            kept->vertices[2 * count] = here.x, kept->vertices[2 * count + 1] = here.y;
            kept->given[count++] = kept->given[i];
        }
        kept->count = count;
    }
}

static bool clean_polygon(MrnShape *shape, Kept *kept, MrnError *error) {
    double tolerance = COINCIDENCE * extent_of(kept->count, kept->vertices);
    drop_repeated(kept, tolerance, true);
    if (kept->count < 3)
        return mrn_fail(error, MRN_ERROR_INPUT, "polygon needs at least 3 distinct vertices, found %zu", kept->count);
    bool flat = true;
    for (size_t i = 2; i < kept->count && flat; i++)
        flat = mrn_orientation(mrn_vertex2(kept->vertices, 0), mrn_vertex2(kept->vertices, 1),
                               mrn_vertex2(kept->vertices, i)) == 0;
    if (flat) return mrn_fail(error, MRN_ERROR_INPUT, "polygon has no area: its vertices lie on one line");
    size_t edges[2];
    if (!mrn_polygon_is_simple(kept->count, kept->vertices, edges)) {
        size_t i = edges[0], j = edges[1], n = kept->count;
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "polygon crosses itself: the edge from vertex %zu to vertex %zu meets the edge from vertex %zu "
                        "to vertex %zu",
                        kept->given[i], kept->given[(i + 1) % n], kept->given[j], kept->given[(j + 1) % n]);
    }
    drop_collinear(kept, tolerance, true);
    double area = kept->count < 3 ? 0.0 : mrn_polygon_area(kept->count, kept->vertices);
    if (area == 0.0 || !isfinite(area))
        return mrn_fail(error, MRN_ERROR_INPUT, "polygon has no area: its vertices lie on one line");
    if (area < 0.0)
        for (size_t i = 0, j = kept->count - 1; i < j; i++, j--) {
            for (size_t k = 0; k < 2; k++) {
                double swap = kept->vertices[2 * i + k];
                kept->vertices[2 * i + k] = kept->vertices[2 * j + k];
                kept->vertices[2 * j + k] = swap;
            }
            size_t swap = kept->given[i];
            kept->given[i] = kept->given[j];
            kept->given[j] = swap;
        }
    if (shape->radius > 0.0)
        for (size_t i = 0, n = kept->count; i < n; i++)
            if (mrn_orientation(mrn_vertex2(kept->vertices, (i + n - 1) % n), mrn_vertex2(kept->vertices, i),
                                mrn_vertex2(kept->vertices, (i + 1) % n)) < 0)
                return mrn_fail(
                    error, MRN_ERROR_INPUT,
                    "polygon with a reflex vertex cannot be rounded: radius is %g m but vertex %zu is reflex",
                    shape->radius, kept->given[i]);
    return true;
}

static bool clean_chain(Kept *kept, MrnError *error) {
    double tolerance = COINCIDENCE * extent_of(kept->count, kept->vertices);
    drop_repeated(kept, tolerance, false);
    if (kept->count < 2)
        return mrn_fail(error, MRN_ERROR_INPUT, "chain needs at least 2 distinct vertices, found %zu", kept->count);
    for (size_t i = 1; i + 1 < kept->count; i++) {
        MrnVec2 a = mrn_vertex2(kept->vertices, i - 1), b = mrn_vertex2(kept->vertices, i),
                c = mrn_vertex2(kept->vertices, i + 1);
        if (mrn_orientation(a, b, c) == 0 && mrn_dot2(mrn_sub2(b, a), mrn_sub2(c, b)) < 0.0)
            return mrn_fail(error, MRN_ERROR_INPUT, "chain folds back onto itself at vertex %zu", kept->given[i]);
    }
    drop_collinear(kept, tolerance, false);
    return true;
}

bool mrn_shape_prepare_2d(MrnShape *shape, MrnError *error) {
    free(shape->tree);
    shape->tree = NULL;
    if (!check_placement(shape, error)) return false;
    if (shape->kind == MRN_SHAPE_HALF_PLANE) return true;
    bool polygon = shape->kind == MRN_SHAPE_POLYGON, chain = shape->kind == MRN_SHAPE_CHAIN;
    if (!check_radius(shape, polygon || chain, error)) return false;
    if (!polygon && !chain) return true;
    if (!check_vertices(shape, polygon ? 3 : 2, error)) return false;

    Kept kept = {shape->vertex_count, shape->vertices, mrn_alloc(shape->vertex_count, sizeof *kept.given)};
    for (size_t i = 0; i < kept.count; i++) kept.given[i] = i + 1;
    bool good = polygon ? clean_polygon(shape, &kept, error) : clean_chain(&kept, error);
    free(kept.given);
    shape->vertex_count = kept.count;
    if (good) shape->tree = mrn_outline_new(shape);
    return good;
}

// Pose of the shape in the body, as a cosine and a sine.
static void turn_of(const MrnShape *shape, double *c, double *s) {
    *c = 1.0, *s = 0.0;
    if (shape->rotation[0] != 0.0) *c = cos(shape->rotation[0]), *s = sin(shape->rotation[0]);
}

static MrnVec2 position_of(const MrnShape *shape) {
    return mrn_vec2(shape->position[0], shape->position[1]);
}

MrnMassProperties mrn_shape_mass_2d(const MrnShape *shape, double density) {
    assert(mrn_shape_is_solid(shape->kind));
    MrnAreaMoments moments = {0};
    if (shape->kind == MRN_SHAPE_DISC) {
        double square = shape->radius * shape->radius;
        moments = (MrnAreaMoments){M_PI * square, {0, 0}, 0.5 * M_PI * square * square};
    } else {
        moments = mrn_rounded_polygon_moments(shape->vertex_count, shape->vertices, shape->radius);
    }
    double c, s;
    turn_of(shape, &c, &s);
    MrnVec2 centre = mrn_add2(position_of(shape), mrn_rotate2(c, s, moments.centre));
    MrnMassProperties properties = {.mass = density * moments.area, .centre = {centre.x, centre.y, 0.0}};
    properties.inertia[2][2] = density * moments.polar;
    return properties;
}

static MrnBox box_of(double low_x, double low_y, double high_x, double high_y) {
    return (MrnBox){{low_x, low_y, 0.0}, {high_x, high_y, 0.0}};
}

MrnBox mrn_shape_bounds_2d(const MrnShape *shape, const MrnPose *body) {
    double body_c = body->rotation.m[0][0], body_s = body->rotation.m[1][0], c = body_c, s = body_s;
    MrnVec2 local = position_of(shape), place = {body->position.x, body->position.y};
    if (local.x != 0.0 || local.y != 0.0) place = mrn_add2(place, mrn_rotate2(body_c, body_s, local));
    if (shape->rotation[0] != 0.0) {
        double turn_c, turn_s;
        turn_of(shape, &turn_c, &turn_s);
        c = body_c * turn_c - body_s * turn_s;
        s = body_s * turn_c + body_c * turn_s;
    }
    switch (shape->kind) {
    case MRN_SHAPE_DISC:
        return box_of(place.x - shape->radius, place.y - shape->radius, place.x + shape->radius,
                      place.y + shape->radius);
    case MRN_SHAPE_HALF_PLANE: {
        // The normal is (-s, c). Along an axis the solid is bounded on one side; within rounding of one, no body can
        // tell.
        MrnBox box = box_of(-INFINITY, -INFINITY, INFINITY, INFINITY);
        if (s == 0.0 && c > 0.0) box.high.y = place.y;
        if (s == 0.0 && c < 0.0) box.low.y = place.y;
        if (c == 0.0 && s < 0.0) box.high.x = place.x;
        if (c == 0.0 && s > 0.0) box.low.x = place.x;
        return box;
    }
    case MRN_SHAPE_RING: return box_of(-INFINITY, -INFINITY, INFINITY, INFINITY);
    default: {
        MrnVec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
        for (size_t i = 0; i < shape->vertex_count; i++) {
            MrnVec2 v = mrn_rotate2(c, s, mrn_vertex2(shape->vertices, i));
            low.x = v.x < low.x ? v.x : low.x, low.y = v.y < low.y ? v.y : low.y;
            high.x = v.x > high.x ? v.x : high.x, high.y = v.y > high.y ? v.y : high.y;
        }
        double r = shape->radius;
        return box_of(place.x + low.x - r, place.y + low.y - r, place.x + high.x + r, place.y + high.y + r);
    }
    }
}

double mrn_shape_reach_2d(const MrnShape *shape) {
    if (shape->kind == MRN_SHAPE_HALF_PLANE || shape->kind == MRN_SHAPE_RING) return INFINITY;
    double c, s, farthest = 0.0;
    turn_of(shape, &c, &s);
    if (shape->kind == MRN_SHAPE_DISC)
        farthest = mrn_norm2(position_of(shape));
    else
        for (size_t i = 0; i < shape->vertex_count; i++) {
            MrnVec2 v = mrn_add2(position_of(shape), mrn_rotate2(c, s, mrn_vertex2(shape->vertices, i)));
            farthest = fmax(farthest, mrn_norm2(v));
        }
    return farthest + shape->radius;
}

// Obstacles do not set the scale of a scene: a half-plane has no size, a ring and a chain count as what they span.
double mrn_shape_size_2d(const MrnShape *shape) {
    switch (shape->kind) {
    case MRN_SHAPE_HALF_PLANE: return INFINITY;
    case MRN_SHAPE_POLYGON: return 0.5 * mrn_smallest_width(shape->vertex_count, shape->vertices) + shape->radius;
    case MRN_SHAPE_CHAIN: return 0.5 * extent_of(shape->vertex_count, shape->vertices) + shape->radius;
    default: return shape->radius;
    }
}
