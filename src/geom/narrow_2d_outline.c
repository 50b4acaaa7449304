// Contacts of outlines (polygons and chains) with each other and with discs.
//
// Contacts are pairs (convex vertex, edge) and (convex vertex, convex vertex), kept by their Voronoi regions and by the
// normal cone of the vertex (Rabatel 2015, 2.3.6): a vertex makes a contact with an edge when it projects inside the
// edge and the solid behind the vertex faces it. So every place where two non-convex outlines touch is found, two faces
// give the ends of their common segment, and a body slides over a flat joint without a bump. A reflex vertex makes no
// contact; a vertex in it makes one with each edge.
//
// What always holds: for a vertex and an edge the gap is the distance to the line of the edge, for two vertices their
// distance, each less the radii; the normal is the gradient of the gap. A vertex outside may be held off by several
// edges: each such condition is true whatever lies between. A vertex inside takes the nearest edge that it faces. All
// is computed in the frame of shape B, so that digits do not depend on where the pair is in space.
#include "geom/narrow_2d.h"

#define BLOCK 64   ///< corners looked at together; more corners are more blocks
#define FLAT  1e-9 ///< sine of the turn at a corner that is flat

/// A corner near the other shape, in the frame of B.
typedef struct Near {
    MrnCorner corner;
    int32_t index;
    bool vertex; ///< the vertex itself is near, not its edge alone
    bool round;  ///< centre of a disc: it faces everything
} Near;

static bool apart_from(const MrnBox2 *region, MrnVec2 low, MrnVec2 high) {
    return low.x > region->high.x || high.x < region->low.x || low.y > region->high.y || high.y < region->low.y;
}

/// Where the other shape can be reached, in the frame of an outline: in a box, and from a height on along the line of
/// the two middles. Round shapes that touch at 45 degrees have large boxes in common, but little height.
typedef struct Region {
    MrnBox2 box;
    MrnVec2 up;
    double height;
} Region;

static double top_of(const MrnBox2 *box, MrnVec2 up) {
    return up.x * (up.x > 0.0 ? box->high.x : box->low.x) + up.y * (up.y > 0.0 ? box->high.y : box->low.y);
}

static bool unreachable(const Region *region, const MrnBox2 *box) {
    return apart_from(&region->box, box->low, box->high) || top_of(box, region->up) < region->height;
}

// Height of an outline along `up`.
static double support(const MrnOutline *outline, MrnVec2 up) {
    double best = -INFINITY;
    for (int32_t i = 0; i < outline->count;) {
        int32_t skip = 0;
        for (int k = outline->level_count - 1; k >= 0 && !skip; k--) {
            int32_t run = (int32_t)1 << (3 * (k + 1));
            if (!(i & (run - 1)) && top_of(&outline->level[k][i / run], up) <= best) skip = run;
        }
        if (!skip) {
            double height = mrn_dot2(outline->corner[i].point, up);
            best = height > best ? height : best;
            skip = 1;
        }
        i += skip;
    }
    return best;
}

static MrnCorner turned(const MrnCorner *corner, const MrnPlacement2 *turn) {
    MrnCorner out = *corner;
    out.point = mrn_to_space_2d(turn, corner->point);
    out.end = mrn_to_space_2d(turn, corner->end);
    out.along = mrn_rotate2(turn->c, turn->s, corner->along);
    out.along_before = mrn_rotate2(turn->c, turn->s, corner->along_before);
    out.along_after = mrn_rotate2(turn->c, turn->s, corner->along_after);
    return out;
}

// The next edges that meet `region` (in the frame of the outline), from *cursor on, at most BLOCK. The outline is done
// when *cursor reaches its count.
static int gather(const MrnOutline *outline, const Region *region, const MrnPlacement2 *turn, int32_t *cursor,
                  Near near[BLOCK]) {
    int found = 0;
    int32_t i = *cursor;
    while (i < outline->count && found < BLOCK) {
        int32_t skip = 0;
        for (int k = outline->level_count - 1; k >= 0 && !skip; k--) {
            int32_t run = (int32_t)1 << (3 * (k + 1));
            if (!(i & (run - 1)) && unreachable(region, &outline->level[k][i / run])) skip = run;
        }
        if (skip) {
            i += skip;
            continue;
        }
        const MrnCorner *corner = &outline->corner[i];
        MrnVec2 p = corner->point, q = corner->end;
        MrnVec2 low = {p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y},
                high = {p.x < q.x ? q.x : p.x, p.y < q.y ? q.y : p.y};
        double height_p = mrn_dot2(p, region->up), height_q = mrn_dot2(q, region->up);
        if (!apart_from(&region->box, low, high) && (height_p >= region->height || height_q >= region->height)) {
            near[found].corner = turn ? turned(corner, turn) : *corner;
            near[found].index = i;
            near[found].vertex = height_p >= region->height && !apart_from(&region->box, p, p);
            near[found].round = false;
            found++;
        }
        i++;
    }
    *cursor = i < outline->count ? i : outline->count;
    return found;
}

/// An edge that a vertex is behind, or on.
typedef struct Behind {
    double measure;  ///< distance of the vertex to the edge (not to its line)
    double distance; ///< to its line, negative
    MrnCorner edge;
    int32_t index;
    bool emitted; ///< it is touching, within rounding, and has its contact
} Behind;

/// The two nearest such edges that the vertex faces.
typedef struct Depth {
    int count;
    Behind behind[2];
} Depth;

static void add_behind(Depth *depth, double measure, double distance, const Near *edge, bool emitted) {
    Behind entry = {measure, distance, edge->corner, edge->index, emitted};
    if (depth->count == 0 || measure < depth->behind[0].measure) {
        depth->behind[1] = depth->behind[0];
        depth->behind[0] = entry;
    } else if (depth->count == 1 || measure < depth->behind[1].measure) {
        depth->behind[1] = entry;
    } else {
        return;
    }
    if (depth->count < 2) depth->count++;
}

static MrnVec2 outward(MrnVec2 along) {
    return mrn_vec2(along.y, -along.x);
}

// Unit direction between the outward normals of the two edges of a corner. The tip of a chain has none: its axis.
static MrnVec2 corner_axis(const MrnCorner *corner) {
    MrnVec2 axis = mrn_add2(outward(corner->along), outward(corner->along_before));
    double norm = mrn_norm2(axis);
    return norm > 1e-6 ? mrn_scale2(1.0 / norm, axis) : corner->along_before;
}

// Normal of two corners that meet in a point: the bisector of their normal cones. False when it is in neither cone.
static bool bisector(const MrnCorner *a, const MrnCorner *b, MrnVec2 *normal) {
    MrnVec2 n = mrn_sub2(corner_axis(b), corner_axis(a));
    double norm = mrn_norm2(n);
    if (norm < 1e-6) return false;
    *normal = n = mrn_scale2(1.0 / norm, n);
    return mrn_dot2(n, b->along) <= FACING && mrn_dot2(n, b->along_before) >= -FACING &&
           mrn_dot2(n, a->along) >= -FACING && mrn_dot2(n, a->along_before) <= FACING;
}

// The vertex coincides with an end of the edge and vertices_with_vertices has given the pair its normal.
static bool meets_corner(const MrnPair2 *pair, const Near *vertex, const MrnCorner *edge, bool at_start) {
    MrnCorner corner = *edge;
    if (!at_start) corner.point = edge->end, corner.along_before = edge->along, corner.along = edge->along_after;
    MrnVec2 d = mrn_sub2(vertex->corner.point, corner.point), normal;
    return mrn_dot2(d, d) <= pair->touching * pair->touching && bisector(&vertex->corner, &corner, &normal);
}

// Vertex and edge are in the frame of B; `of_a` says that the vertex is of A, so the edge of B.
static void emit_vertex_edge(MrnPair2 *pair, const Near *vertex, const MrnCorner *edge, int32_t edge_index,
                             double distance, bool of_a) {
    MrnVec2 normal = outward(edge->along), v = vertex->corner.point;
    FeatureKind kind = of_a ? VERTEX_EDGE : EDGE_VERTEX;
    int32_t other = edge_index;
    if (!vertex->round) {
        double from_start = mrn_dot2(mrn_sub2(v, edge->point), edge->along);
        double from_end = mrn_dot2(mrn_sub2(edge->end, v), edge->along);
        bool at_start = edge->convex && fabs(from_start) <= pair->same_corner;
        if (at_start || (edge->end_convex && fabs(from_end) <= pair->same_corner)) {
            kind = VERTEX_VERTEX;
            other = at_start ? edge_index : edge->after;
            if (meets_corner(pair, vertex, edge, at_start)) return;
        }
    }
    size_t before = pair->touches->count;
    if (of_a)
        mrn_emit_touch_2d(pair, v, normal, distance, mrn_feature_2d(kind, vertex->index, other));
    else
        mrn_emit_touch_2d(pair, mrn_sub2(v, mrn_scale2(distance, normal)), mrn_scale2(-1.0, normal), distance,
                          mrn_feature_2d(kind, other, vertex->index));
    if (!vertex->round && pair->sharp && pair->touches->count > before) mrn_mark_face_2d(pair, of_a);
}

// Faces that share less than same_corner of their length do not stop each other: the body of the vertex is all past the
// end of the edge, in direction `out`, and goes by. Otherwise a block that slides over blocks that are level but for a
// small overlap would hit the side of the next one.
static bool goes_by(const MrnCorner *vertex, MrnVec2 out) {
    return mrn_dot2(vertex->along, out) >= -FACING && mrn_dot2(vertex->along_before, out) <= FACING;
}

// Past a reflex end the line of an edge runs inside the solid, so it may still hold a vertex off. It must hold one that
// is on the neighbour or has sunk into it, or the contact of a nestling vertex would come and go with the sign of a
// tiny overlap. `past` goes from the corner to the vertex.
static bool held_past_end(const MrnPair2 *pair, const Near *vertex, const MrnCorner *edge, bool at_end, MrnVec2 past,
                          double distance, bool of_a) {
    double most = 0.25 * fmin(edge->length, at_end ? edge->length_after : edge->length_before);
    if (mrn_dot2(past, past) > most * most) return false;
    double above = mrn_dot2(past, outward(at_end ? edge->along_after : edge->along_before)); // the neighbour
    if (distance < -pair->touching) return true; // is_past asks whether it is inside
    if (above >= -pair->touching) return above <= pair->touching || distance <= pair->touching;
    // Sunk into the neighbour, or on the other side of a thin one?
    const MrnOutline *into = of_a ? pair->b : pair->a;
    return into->solid &&
           mrn_outline_contains(into, of_a ? vertex->corner.point : mrn_to_local_2d(&pair->turn, vertex->corner.point));
}

static void vertices_with_edges(MrnPair2 *pair, const Near *vertices, int vertex_count, Depth *depths,
                                const Near *edges, int edge_count, bool of_a) {
    for (int i = 0; i < vertex_count; i++) {
        const Near *vertex = &vertices[i];
        if (!vertex->vertex || !vertex->corner.convex) continue;
        MrnVec2 v = vertex->corner.point;
        for (int j = 0; j < edge_count; j++) {
            const MrnCorner *edge = &edges[j].corner;
            MrnVec2 normal = outward(edge->along), from = mrn_sub2(v, edge->point);
            double distance = mrn_dot2(from, normal);
            if (distance >= pair->reach) continue;
            double leaving = mrn_dot2(normal, vertex->corner.along),
                   arriving = -mrn_dot2(normal, vertex->corner.along_before);
            if (!vertex->round && (leaving < -FACING || arriving < -FACING)) continue;
            double start = mrn_dot2(from, edge->along), beyond = mrn_dot2(mrn_sub2(v, edge->end), edge->along);
            double measure = -distance;
            // Two corners of flush blocks may each be past the end of the other's edge by rounding; then both count as
            // within.
            double slack = distance <= pair->touching ? pair->touching : 0.0;
            if (start < -slack) {
                if (edge->convex || !held_past_end(pair, vertex, edge, false, from, distance, of_a)) continue;
                measure = mrn_norm2(from);
            } else if (beyond > slack) {
                MrnVec2 past = mrn_sub2(v, edge->end);
                if (edge->end_convex || !held_past_end(pair, vertex, edge, true, past, distance, of_a)) continue;
                measure = mrn_norm2(past);
            } else if (beyond == 0.0 && distance > pair->touching &&
                       mrn_cross2(edge->along, edge->along_after) > -FLAT) {
                continue; // the start of the next edge or the vertex between has it
            }
            if (distance < -pair->touching) {
                if (!(vertex->round && edge->thin)) add_behind(&depths[i], measure, distance, &edges[j], false);
                continue;
            }
            if (leaving >= 0.0 && arriving >= 0.0) pair->apart = true;
            if (pair->sharp && distance > pair->same_corner) {
                if (edge->convex && start <= pair->same_corner &&
                    goes_by(&vertex->corner, mrn_scale2(-1.0, edge->along)))
                    continue;
                if (edge->end_convex && -beyond <= pair->same_corner && goes_by(&vertex->corner, edge->along)) continue;
            }
            // A disc centred exactly on a thin line is on its first side.
            if (vertex->round && edge->thin && distance == 0.0 && edges[j].index > edge->after) continue;
            emit_vertex_edge(pair, vertex, edge, edges[j].index, distance, of_a);
            if (distance <= 4.0 * pair->touching) add_behind(&depths[i], fmax(measure, 0.0), distance, &edges[j], true);
        }
    }
}

// The same for two vertices, `d` from b to a, that are almost at the end of an edge of one of them.
static bool corners_go_by(const MrnCorner *a, const MrnCorner *b, MrnVec2 d, double same_corner) {
    return (mrn_dot2(d, b->along) >= -same_corner && goes_by(a, mrn_scale2(-1.0, b->along))) ||
           (mrn_dot2(d, b->along_before) <= same_corner && goes_by(a, b->along_before)) ||
           (mrn_dot2(d, a->along) <= same_corner && goes_by(b, mrn_scale2(-1.0, a->along))) ||
           (mrn_dot2(d, a->along_before) >= -same_corner && goes_by(b, a->along_before));
}

static void vertices_with_vertices(MrnPair2 *pair, const Near *of_a, int count_a, const Near *of_b, int count_b) {
    for (int i = 0; i < count_a; i++) {
        const MrnCorner *a = &of_a[i].corner;
        if (!of_a[i].vertex || !a->convex) continue;
        for (int j = 0; j < count_b; j++) {
            const MrnCorner *b = &of_b[j].corner;
            if (!of_b[j].vertex || !b->convex) continue;
            MrnVec2 d = mrn_sub2(a->point, b->point);
            double square = mrn_dot2(d, d);
            if (square >= pair->reach * pair->reach) continue;
            uint64_t feature = mrn_feature_2d(VERTEX_VERTEX, of_a[i].index, of_b[j].index);
            if (square <= pair->touching * pair->touching && !of_a[i].round) {
                MrnVec2 normal;
                if (bisector(a, b, &normal)) mrn_emit_touch_2d(pair, a->point, normal, mrn_dot2(d, normal), feature);
                continue;
            }
            // Each vertex in the Voronoi region of the other; the same expressions as for edges, so that regions meet
            // without a seam.
            if (mrn_dot2(d, b->along) >= 0.0 || mrn_dot2(d, b->along_before) < 0.0) continue;
            if (!of_a[i].round && (mrn_dot2(d, a->along) <= 0.0 || mrn_dot2(d, a->along_before) > 0.0)) continue;
            double distance = sqrt(square);
            pair->apart = true;
            if (pair->sharp && distance > pair->same_corner && corners_go_by(a, b, d, pair->same_corner)) continue;
            mrn_emit_touch_2d(pair, a->point, mrn_scale2(1.0 / distance, d), distance, feature);
        }
    }
}

// Is the vertex really past the edges it seems to be behind? In a solid outline: is it inside? The question is asked a
// hair towards the middle of the edge, because the side faces of two blocks that are stacked flush are on one line. A
// thin line has no inside: the vertex is past it while less of the body is on that side than on the other, measured
// along the axis of the vertex.
static bool is_past(const MrnPair2 *pair, const Near *vertex, const Behind *behind, bool of_a) {
    const MrnOutline *of = of_a ? pair->a : pair->b, *into = of_a ? pair->b : pair->a;
    MrnVec2 v = vertex->corner.point;
    if (into->solid) {
        const MrnCorner *edge = &behind->edge;
        double half = mrn_dot2(mrn_sub2(v, edge->point), edge->along) - 0.5 * edge->length;
        v = mrn_sub2(v, mrn_scale2(half > 0.0 ? 2.0 * pair->touching : -2.0 * pair->touching, edge->along));
        return mrn_outline_contains(into, of_a ? v : mrn_to_local_2d(&pair->turn, v));
    }
    if (!of || !of->solid) return false;
    MrnVec2 inward = mrn_scale2(-1.0, corner_axis(&vertex->corner)), normal = outward(behind->edge.along);
    double rise = mrn_dot2(inward, normal);
    if (rise <= 0.0) return false;
    MrnVec2 mirror = mrn_add2(v, mrn_scale2(-2.0 * behind->distance / rise, inward));
    return mrn_outline_contains(of, of_a ? mrn_to_local_2d(&pair->turn, mirror) : mirror);
}

// Distance of a vertex to the nearest edge of the other outline, faced or not; INFINITY when that is more than `bound`.
static double closest_edge(const MrnPair2 *pair, const Near *vertex, double bound, bool of_a) {
    const MrnOutline *into = of_a ? pair->b : pair->a;
    MrnVec2 v = of_a ? vertex->corner.point : mrn_to_local_2d(&pair->turn, vertex->corner.point);
    MrnBox2 region = {{v.x - bound, v.y - bound}, {v.x + bound, v.y + bound}};
    double least = INFINITY;
    for (int32_t i = 0; i < into->count; i++) {
        if (into->level_count && !(i & 7) &&
            apart_from(&region, into->level[0][i / 8].low, into->level[0][i / 8].high)) {
            i += 7;
            continue;
        }
        const MrnCorner *edge = &into->corner[i];
        MrnVec2 from = mrn_sub2(v, edge->point);
        double along = mrn_dot2(from, edge->along), across = mrn_dot2(from, outward(edge->along));
        if (fabs(across) > bound) continue;
        double past = along < 0.0 ? along : along > edge->length ? along - edge->length : 0.0;
        least = fmin(least, hypot(across, past));
    }
    return least <= bound ? least : INFINITY;
}

// Two tips on one axis that overlap: neither edge is nearer, so the bisector decides. `second` starts at the other tip.
static bool emit_tips(MrnPair2 *pair, const Near *vertex, const Behind *second, bool of_a) {
    const MrnCorner *a = of_a ? &vertex->corner : &second->edge, *b = of_a ? &second->edge : &vertex->corner;
    MrnVec2 normal;
    if (!bisector(a, b, &normal)) return false;
    uint64_t feature =
        mrn_feature_2d(VERTEX_VERTEX, of_a ? vertex->index : second->index, of_a ? second->index : vertex->index);
    mrn_emit_touch_2d(pair, a->point, normal, mrn_dot2(mrn_sub2(a->point, b->point), normal), feature);
    return true;
}

static void emit_depths(MrnPair2 *pair, const Near *vertices, int count, const Depth *depths, bool of_a) {
    for (int i = 0; i < count; i++) {
        const Depth *depth = &depths[i];
        const Near *vertex = &vertices[i];
        if (depth->count == 0) continue;
        const Behind *near = &depth->behind[0], *far = &depth->behind[1];
        bool adjacent = false, far_follows = false, convex = false;
        if (depth->count == 2) {
            far_follows = near->edge.after == far->index;
            adjacent = far_follows || far->edge.after == near->index;
            convex = far_follows ? near->edge.end_convex : near->edge.convex;
        }
        // A vertex on an edge is not deep behind another one, unless the two enclose it.
        if (!near->emitted) {
            if (!is_past(pair, vertex, near, of_a)) continue;
            pair->overlap = true;
            if (adjacent && convex && !vertex->round && far->measure - near->measure <= pair->touching &&
                emit_tips(pair, vertex, far_follows ? far : near, of_a))
                continue;
            size_t before = pair->touches->count;
            emit_vertex_edge(pair, vertex, &near->edge, near->index, near->distance, of_a);
            double close = vertex->round ? INFINITY : closest_edge(pair, vertex, 0.25 * near->measure, of_a);
            if (close < 0.25 * near->measure && pair->touches->count > before) mrn_mark_doubtful_2d(pair, close, of_a);
        }
        if (adjacent && !convex && !far->emitted && (!near->emitted || is_past(pair, vertex, far, of_a)))
            emit_vertex_edge(pair, vertex, &far->edge, far->index, far->distance, of_a);
    }
}

/// The shallowest way out past an edge that is crossed.
typedef struct Crossing {
    bool found, of_a;
    double distance;
    Near vertex;
    MrnCorner edge;
    int32_t edge_index;
} Crossing;

// From the end of an edge of `of` that crosses `edge`, go along the outline as long as that leads deeper behind `edge`.
static void try_crossing(const MrnPair2 *pair, Crossing *best, const Near *from, const Near *edge, bool of_a) {
    const MrnOutline *of = of_a ? pair->a : pair->b;
    const MrnPlacement2 identity = {1, 0, {0, 0}}, *place = of_a ? &pair->turn : &identity;
    MrnVec2 normal = outward(edge->corner.along);
#define DISTANCE(i) mrn_dot2(mrn_sub2(mrn_to_space_2d(place, of->corner[i].point), edge->corner.point), normal)
    int32_t lowest = from->index;
    double distance = DISTANCE(lowest), next;
    if ((next = DISTANCE(from->corner.after)) < distance) lowest = from->corner.after, distance = next;
    for (int32_t i = of->corner[lowest].after; (next = DISTANCE(i)) < distance; i = of->corner[i].after)
        lowest = i, distance = next;
    for (int32_t i = of->corner[lowest].before; (next = DISTANCE(i)) < distance; i = of->corner[i].before)
        lowest = i, distance = next;
#undef DISTANCE
    if (best->found && distance <= best->distance) return;
    Near vertex = {turned(&of->corner[lowest], place), lowest, true, false};
    *best = (Crossing){true, of_a, distance, vertex, edge->corner, edge->index};
}

static void cross_blocks(const MrnPair2 *pair, const Near *a, int count_a, const Near *b, int count_b, Crossing *best) {
    double eps = pair->touching;
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++) {
            const MrnCorner *f = &a[i].corner, *e = &b[j].corner;
            MrnVec2 n = outward(e->along), m = outward(f->along);
            double p = mrn_dot2(mrn_sub2(f->point, e->point), n), q = mrn_dot2(mrn_sub2(f->end, e->point), n);
            if ((p >= -eps || q <= eps) && (p <= eps || q >= -eps)) continue;
            double r = mrn_dot2(mrn_sub2(e->point, f->point), m), t = mrn_dot2(mrn_sub2(e->end, f->point), m);
            if ((r >= -eps || t <= eps) && (r <= eps || t >= -eps)) continue;
            try_crossing(pair, best, &a[i], &b[j], true);
            try_crossing(pair, best, &b[j], &a[i], false);
        }
}

// `inner` lies within `outer` without their edges crossing: push it out through the edge nearest to one of its
// vertices.
static void emit_contained(MrnPair2 *pair, const MrnOutline *inner, const MrnOutline *outer, bool inner_is_a) {
    MrnVec2 p = inner->corner[0].point;
    p = inner_is_a ? mrn_to_space_2d(&pair->turn, p) : mrn_to_local_2d(&pair->turn, p);
    if (!outer->solid || !mrn_outline_contains(outer, p)) return;
    int32_t nearest = 0, lowest = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < outer->count; i++) {
        const MrnCorner *edge = &outer->corner[i];
        MrnVec2 from = mrn_sub2(p, edge->point);
        double t = fmin(fmax(mrn_dot2(from, edge->along), 0.0), edge->length);
        double distance = mrn_norm2(mrn_sub2(from, mrn_scale2(t, edge->along)));
        if (distance < least) least = distance, nearest = i;
    }
    const MrnPlacement2 identity = {1, 0, {0, 0}};
    Near edge = {turned(&outer->corner[nearest], inner_is_a ? &identity : &pair->turn), nearest, true, false};
    MrnVec2 normal = outward(edge.corner.along);
    const MrnPlacement2 *place = inner_is_a ? &pair->turn : &identity;
    least = INFINITY;
    for (int32_t i = 0; i < inner->count; i++) {
        double height = mrn_dot2(mrn_sub2(mrn_to_space_2d(place, inner->corner[i].point), edge.corner.point), normal);
        if (height < least) least = height, lowest = i;
    }
    Near vertex = {turned(&inner->corner[lowest], place), lowest, true, false};
    emit_vertex_edge(pair, &vertex, &edge.corner, nearest, least, inner_is_a);
    pair->overlap = true;
}

static bool within(const MrnBox2 *inner, const MrnBox2 *outer) {
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y && inner->high.x <= outer->high.x &&
           inner->high.y <= outer->high.y;
}

// Outlines may overlap without a vertex that says so: edges cross, or one is inside the other.
static void deep_overlap(MrnPair2 *pair, const Region *region_a, const Region *region_b) {
    Near near_a[BLOCK], near_b[BLOCK];
    Crossing best = {0};
    for (int32_t cursor_a = 0; cursor_a < pair->a->count;) {
        int count_a = gather(pair->a, region_a, &pair->turn, &cursor_a, near_a);
        for (int32_t cursor_b = 0; count_a && cursor_b < pair->b->count;) {
            int count_b = gather(pair->b, region_b, NULL, &cursor_b, near_b);
            cross_blocks(pair, near_a, count_a, near_b, count_b, &best);
        }
    }
    if (best.found) {
        pair->overlap = true;
        emit_vertex_edge(pair, &best.vertex, &best.edge, best.edge_index, best.distance, best.of_a);
        return;
    }
    const MrnPlacement2 *turn = &pair->turn;
    MrnBox2 a_in_b = mrn_box_in_2d(&pair->a->box, turn->c, turn->s, turn->origin, 0.0);
    if (within(&a_in_b, &pair->b->box)) emit_contained(pair, pair->a, pair->b, true);
    MrnBox2 b_in_a = mrn_box_in_2d(&pair->b->box, turn->c, -turn->s, mrn_to_local_2d(turn, mrn_vec2(0, 0)), 0.0);
    if (within(&b_in_a, &pair->a->box)) emit_contained(pair, pair->b, pair->a, false);
}

static MrnVec2 middle_of(const MrnBox2 *box) {
    return mrn_scale2(0.5, mrn_add2(box->low, box->high));
}

static bool find_regions(const MrnPair2 *pair, Region *region_a, Region *region_b) {
    const MrnOutline *a = pair->a, *b = pair->b;
    const MrnPlacement2 *turn = &pair->turn;
    region_b->box = mrn_box_in_2d(&a->box, turn->c, turn->s, turn->origin, pair->reach);
    if (apart_from(&region_b->box, b->box.low, b->box.high)) return false;
    region_a->box = mrn_box_in_2d(&b->box, turn->c, -turn->s, mrn_to_local_2d(turn, mrn_vec2(0, 0)), pair->reach);
    if (apart_from(&region_a->box, a->box.low, a->box.high)) return false;

    MrnVec2 up = mrn_sub2(middle_of(&region_b->box), middle_of(&b->box));
    double length = mrn_norm2(up);
    up = length > 0.0 ? mrn_scale2(1.0 / length, up) : mrn_vec2(1, 0);
    MrnVec2 down_in_a = mrn_rotate2(turn->c, -turn->s, mrn_scale2(-1.0, up));
    double origin = mrn_dot2(turn->origin, up), reach = pair->reach + pair->touching;
    double top_b = support(b, up), bottom_a = origin - support(a, down_in_a);
    if (bottom_a - top_b > reach) return false;
    region_b->up = up;
    region_b->height = bottom_a - reach;
    region_a->up = down_in_a;
    region_a->height = origin - top_b - reach;
    return true;
}

void mrn_touch_outlines_2d(MrnPair2 *pair) {
    const MrnOutline *a = pair->a, *b = pair->b;
    Region region_a, region_b;
    if (!find_regions(pair, &region_a, &region_b)) return;
    Near near_a[BLOCK], near_b[BLOCK];
    Depth depths[BLOCK];
    int count_a = 0, count_b = 0;
    bool one_block = true;
    for (int32_t cursor_a = 0; cursor_a < a->count;) {
        count_a = gather(a, &region_a, &pair->turn, &cursor_a, near_a);
        if (cursor_a < a->count) one_block = false;
        for (int i = 0; i < count_a; i++) depths[i].count = 0;
        for (int32_t cursor_b = 0; count_a && cursor_b < b->count;) {
            count_b = gather(b, &region_b, NULL, &cursor_b, near_b);
            if (cursor_b < b->count) one_block = false;
            vertices_with_edges(pair, near_a, count_a, depths, near_b, count_b, true);
            vertices_with_vertices(pair, near_a, count_a, near_b, count_b);
            if (one_block) {
                // The usual case: both blocks are at hand for the other half too.
                emit_depths(pair, near_a, count_a, depths, true);
                for (int i = 0; i < count_b; i++) depths[i].count = 0;
                vertices_with_edges(pair, near_b, count_b, depths, near_a, count_a, false);
                emit_depths(pair, near_b, count_b, depths, false);
            }
        }
        if (!one_block) emit_depths(pair, near_a, count_a, depths, true);
    }
    for (int32_t cursor_b = 0; !one_block && cursor_b < b->count;) {
        count_b = gather(b, &region_b, NULL, &cursor_b, near_b);
        for (int i = 0; i < count_b; i++) depths[i].count = 0;
        for (int32_t cursor_a = 0; count_b && cursor_a < a->count;) {
            count_a = gather(a, &region_a, &pair->turn, &cursor_a, near_a);
            vertices_with_edges(pair, near_b, count_b, depths, near_a, count_a, false);
        }
        emit_depths(pair, near_b, count_b, depths, false);
    }
    if (!pair->overlap && !(pair->apart && a->convex && b->convex)) deep_overlap(pair, &region_a, &region_b);
}

void mrn_touch_disc_outline_2d(MrnPair2 *pair) {
    const MrnOutline *b = pair->b;
    Near disc = {.corner = {.point = pair->turn.origin, .convex = true}, .vertex = true, .round = true};
    MrnVec2 p = disc.corner.point;
    Region region = {.box = {{p.x - pair->reach, p.y - pair->reach}, {p.x + pair->reach, p.y + pair->reach}}};
    if (apart_from(&region.box, b->box.low, b->box.high)) return;
    region.up = mrn_sub2(p, middle_of(&b->box));
    double length = mrn_norm2(region.up);
    region.up = length > 0.0 ? mrn_scale2(1.0 / length, region.up) : mrn_vec2(1, 0);
    region.height = mrn_dot2(p, region.up) - pair->reach;
    Near near[BLOCK];
    Depth depth = {0};
    for (int32_t cursor = 0; cursor < b->count;) {
        int count = gather(b, &region, NULL, &cursor, near);
        vertices_with_edges(pair, &disc, 1, &depth, near, count, true);
        vertices_with_vertices(pair, &disc, 1, near, count);
    }
    emit_depths(pair, &disc, 1, &depth, true);
    if (pair->touches->count > pair->first || !b->solid || !mrn_outline_contains(b, p)) return;
    // Deeper than its own radius.
    Behind nearest = {.measure = INFINITY};
    for (int32_t i = 0; i < b->count; i++) {
        const MrnCorner *edge = &b->corner[i];
        MrnVec2 from = mrn_sub2(p, edge->point);
        double t = fmin(fmax(mrn_dot2(from, edge->along), 0.0), edge->length);
        double measure = mrn_norm2(mrn_sub2(from, mrn_scale2(t, edge->along)));
        if (measure < nearest.measure)
            nearest = (Behind){measure, mrn_dot2(from, outward(edge->along)), *edge, i, false};
    }
    emit_vertex_edge(pair, &disc, &nearest.edge, nearest.index, nearest.distance, true);
}
