// Outlines: derived data of polygons and chains for the narrow phase.
#include "geom/outline.h"

#include "base/memory.h"
#include "geom/polygon.h"

#include <stdlib.h>

static MrnBox2 grown(MrnBox2 box, MrnVec2 point) {
    box.low = mrn_vec2(fmin(box.low.x, point.x), fmin(box.low.y, point.y));
    box.high = mrn_vec2(fmax(box.high.x, point.x), fmax(box.high.y, point.y));
    return box;
}

static const MrnBox2 empty_box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

// Loops as lists of vertex numbers: `vertex[i]` is where edge i starts, `after[i]` the edge that follows.
static int32_t walk_loops(const MrnShape *shape, int32_t *vertex, int32_t *after, bool *tips) {
    int32_t n = (int32_t)shape->vertex_count, count = 0;
    if (shape->kind == MRN_SHAPE_POLYGON) {
        for (int32_t i = 0; i < n; i++) vertex[i] = i, after[i] = (i + 1) % n;
        *tips = false;
        return n;
    }
    const double *v = shape->vertices;
    bool closed = n > 3 && v[0] == v[2 * n - 2] && v[1] == v[2 * n - 1];
    // The solid is on the left: walking forward shows the right side of the line, walking back the left one.
    for (int32_t i = 0; i < n - 1; i++) vertex[count] = i, after[count] = count + 1, count++;
    for (int32_t i = n - 1; i > 0; i--) vertex[count] = i, after[count] = count + 1, count++;
    after[count - 1] = 0;
    if (closed) after[n - 2] = 0, after[count - 1] = n - 1;
    *tips = !closed;
    return count;
}

MrnOutline *mrn_outline_new(const MrnShape *shape) {
    int32_t most = 2 * (int32_t)shape->vertex_count;
    int32_t *vertex = mrn_alloc((size_t)most, sizeof *vertex), *after = mrn_alloc((size_t)most, sizeof *after);
    bool tips;
    int32_t count = walk_loops(shape, vertex, after, &tips);

    size_t boxes = 0;
    int levels = 0;
    for (int32_t runs = (count + 7) / 8; count > 8; runs = (runs + 7) / 8) {
        boxes += (size_t)runs;
        levels++;
        if (runs <= 8) break;
    }
    MrnOutline *outline =
        mrn_alloc_zero(1, sizeof *outline + (size_t)count * sizeof *outline->corner + boxes * sizeof(MrnBox2));
    outline->count = count;
    outline->solid = shape->kind == MRN_SHAPE_POLYGON;
    outline->convex = true;
    outline->box = empty_box;
    for (int32_t i = 0; i < count; i++) {
        MrnCorner *corner = &outline->corner[i];
        corner->point = mrn_vertex2(shape->vertices, (size_t)vertex[i]);
        corner->after = after[i];
        corner->end = mrn_vertex2(shape->vertices, (size_t)vertex[after[i]]);
        corner->thin = !outline->solid;
        MrnVec2 edge = mrn_sub2(corner->end, corner->point);
        corner->length = mrn_norm2(edge);
        corner->along = mrn_scale2(1.0 / corner->length, edge);
        outline->corner[after[i]].before = i;
        outline->box = grown(outline->box, corner->point);
    }
    for (int32_t i = 0; i < count; i++) {
        MrnCorner *corner = &outline->corner[i];
        const MrnCorner *arriving = &outline->corner[corner->before];
        corner->along_before = arriving->along;
        corner->length_before = arriving->length;
        // At the end of a chain the line turns by half a turn: the cross product vanishes, but the corner is convex.
        bool tip = tips && (vertex[i] == 0 || vertex[i] == (int32_t)shape->vertex_count - 1);
        corner->convex = tip || mrn_cross2(arriving->along, corner->along) > 0.0;
        if (!corner->convex) outline->convex = false;
    }
    for (int32_t i = 0; i < count; i++) {
        MrnCorner *corner = &outline->corner[i];
        corner->end_convex = outline->corner[corner->after].convex;
        corner->along_after = outline->corner[corner->after].along;
        corner->length_after = outline->corner[corner->after].length;
    }
    outline->extent = fmax(outline->box.high.x - outline->box.low.x, outline->box.high.y - outline->box.low.y);
    if (!outline->solid) outline->convex = false;

    MrnBox2 *room = (MrnBox2 *)&outline->corner[count];
    int32_t below = count;
    for (int k = 0; k < levels; k++) {
        int32_t runs = (below + 7) / 8;
        outline->level[k] = room;
        for (int32_t r = 0; r < runs; r++) {
            MrnBox2 box = empty_box;
            for (int32_t i = 8 * r; i < 8 * r + 8 && i < below; i++) {
                MrnVec2 low = k ? outline->level[k - 1][i].low : outline->corner[i].point;
                MrnVec2 high = k ? outline->level[k - 1][i].high : outline->corner[i].end;
                box = grown(grown(box, low), high);
            }
            room[r] = box;
        }
        room += runs;
        below = runs;
    }
    outline->level_count = levels;
    free(vertex);
    free(after);
    return outline;
}

bool mrn_outline_contains(const MrnOutline *outline, MrnVec2 point) {
    if (point.x < outline->box.low.x || point.x > outline->box.high.x || point.y < outline->box.low.y ||
        point.y > outline->box.high.y)
        return false;
    // Crossings of the ray towards +x.
    bool inside = false;
    for (int32_t i = 0; i < outline->count;) {
        int32_t skip = 0;
        for (int k = outline->level_count - 1; k >= 0 && !skip; k--) {
            int32_t run = (int32_t)1 << (3 * (k + 1));
            if (i & (run - 1)) continue;
            const MrnBox2 *box = &outline->level[k][i / run];
            if (box->high.y < point.y || box->low.y > point.y || box->high.x < point.x) skip = run;
        }
        if (skip) {
            i += skip;
            continue;
        }
        MrnVec2 a = outline->corner[i].point, b = outline->corner[i].end;
        if ((a.y > point.y) != (b.y > point.y)) {
            double turn = mrn_cross2(mrn_sub2(b, a), mrn_sub2(point, a));
            if ((turn > 0.0) == (b.y > a.y)) inside = !inside;
        }
        i++;
    }
    return inside;
}
