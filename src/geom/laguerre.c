// Laguerre cells by clipping: half-planes of neighbours, searched in rings of buckets until none farther away can reach
// the cell (Aurenhammer 1987 for the diagram; the bound on the distance follows from the radical line).
//
// The half-plane of an edge of the zone passes through the point of the edge nearest to the site, across the line from
// the site to it: the whole edge then lies behind it, so that cells stay convex in any zone.
#include "geom/laguerre.h"
#include "base/memory.h"
#include "geom/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- zone ----

static int clamp_bucket(double x, int columns) {
    return x < 0 ? 0 : x >= columns ? columns - 1 : (int)x;
}

static int zone_column(const MrnZone *zone, double x) {
    return clamp_bucket((x - zone->low.x) / (zone->high.x - zone->low.x) * zone->columns, zone->columns);
}

static int zone_row(const MrnZone *zone, double y) {
    return clamp_bucket((y - zone->low.y) / (zone->high.y - zone->low.y) * zone->columns, zone->columns);
}

MrnZone mrn_zone_new(size_t count, const double *vertices) {
    MrnZone zone = {.count = count, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    zone.vertices = mrn_alloc(2 * count, sizeof(double));
    zone.area = mrn_polygon_area(count, vertices);
    for (size_t i = 0; i < count; i++) {
        MrnVec2 p = mrn_vertex2(vertices, zone.area > 0 ? i : count - 1 - i);
        zone.vertices[2 * i] = p.x, zone.vertices[2 * i + 1] = p.y;
        zone.low = mrn_vec2(fmin(zone.low.x, p.x), fmin(zone.low.y, p.y));
        zone.high = mrn_vec2(fmax(zone.high.x, p.x), fmax(zone.high.y, p.y));
    }
    zone.area = fabs(zone.area);
    zone.columns = (int)fmin(256, ceil(sqrt((double)count)));
    size_t buckets = (size_t)zone.columns * (size_t)zone.columns;
    zone.bucket_start = mrn_alloc_zero(buckets + 1, sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < count; e++) {
            MrnVec2 a = mrn_vertex2(zone.vertices, e), b = mrn_vertex2(zone.vertices, (e + 1) % count);
            int x0 = zone_column(&zone, fmin(a.x, b.x)), x1 = zone_column(&zone, fmax(a.x, b.x)),
                y0 = zone_row(&zone, fmin(a.y, b.y)), y1 = zone_row(&zone, fmax(a.y, b.y));
            for (int y = y0; y <= y1; y++)
                for (int x = x0; x <= x1; x++) {
                    int *start = &zone.bucket_start[y * zone.columns + x];
                    if (pass == 0)
                        start[1]++;
                    else
                        zone.bucket[start[0]++] = (int)e;
                }
        }
        if (pass == 0) {
            for (size_t k = 0; k < buckets; k++) zone.bucket_start[k + 1] += zone.bucket_start[k];
            zone.bucket = mrn_alloc((size_t)zone.bucket_start[buckets], sizeof(int));
        } else { // each start has moved to the next one
            memmove(zone.bucket_start + 1, zone.bucket_start, buckets * sizeof(int));
            zone.bucket_start[0] = 0;
        }
    }
    return zone;
}

void mrn_zone_free(MrnZone *zone) {
    free(zone->vertices);
    free(zone->bucket_start);
    free(zone->bucket);
    *zone = (MrnZone){0};
}

bool mrn_zone_contains(const MrnZone *zone, MrnVec2 point) {
    if (point.x < zone->low.x || point.x > zone->high.x || point.y < zone->low.y || point.y > zone->high.y)
        return false;
    return mrn_polygon_contains(zone->count, zone->vertices, point);
}

static MrnVec2 nearest_on_edge(const MrnZone *zone, size_t edge, MrnVec2 p) {
    MrnVec2 a = mrn_vertex2(zone->vertices, edge), b = mrn_vertex2(zone->vertices, (edge + 1) % zone->count);
    MrnVec2 ab = mrn_sub2(b, a);
    double s = mrn_dot2(mrn_sub2(p, a), ab) / mrn_dot2(ab, ab);
    return s <= 0 ? a : s >= 1 ? b : mrn_add2(a, mrn_scale2(s, ab));
}

double mrn_zone_distance(const MrnZone *zone, MrnVec2 p, double limit) {
    double best = limit * limit;
    int x0 = zone_column(zone, p.x - limit), x1 = zone_column(zone, p.x + limit), y0 = zone_row(zone, p.y - limit),
        y1 = zone_row(zone, p.y + limit);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            const int *start = &zone->bucket_start[y * zone->columns + x];
            for (int k = start[0]; k < start[1]; k++) {
                MrnVec2 away = mrn_sub2(nearest_on_edge(zone, (size_t)zone->bucket[k], p), p);
                best = fmin(best, mrn_dot2(away, away));
            }
        }
    return sqrt(best);
}

// ---- index of sites ----

enum { MAX_CLASSES = 24 };

typedef struct Class {
    double width; ///< of a bucket
    int columns, rows;
    double largest; ///< weight
    int *start, *sites;
} Class;

struct MrnSiteIndex {
    size_t count;
    const MrnVec2 *sites;
    const double *weights;
    MrnVec2 low;
    int class_count;
    Class classes[MAX_CLASSES];
};

static void bucket_of(const MrnSiteIndex *index, const Class *class, MrnVec2 p, int *x, int *y) {
    *x = clamp_bucket((p.x - index->low.x) / class->width, class->columns);
    *y = clamp_bucket((p.y - index->low.y) / class->width, class->rows);
}

MrnSiteIndex *mrn_site_index_new(size_t count, const MrnVec2 *sites, const double *weights, const double *sizes,
                                 const MrnZone *zone) {
    MrnSiteIndex *index = mrn_alloc_zero(1, sizeof *index);
    *index = (MrnSiteIndex){.count = count, .sites = sites, .weights = weights, .low = zone->low};
    double largest = 0, smallest = INFINITY;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, sizes[i]), smallest = fmin(smallest, sizes[i]);
    index->class_count = count ? (int)fmin(MAX_CLASSES, 1 + floor(log2(largest / smallest))) : 0;
    unsigned char *class_of = mrn_alloc(count, 1);
    size_t members[MAX_CLASSES] = {0};
    for (size_t i = 0; i < count; i++) {
        int k = (int)fmin(index->class_count - 1, floor(log2(largest / sizes[i])));
        class_of[i] = (unsigned char)(k < 0 ? 0 : k);
        members[class_of[i]]++;
    }
    MrnVec2 extent = mrn_sub2(zone->high, zone->low);
    for (int k = 0; k < index->class_count; k++) {
        Class *class = &index->classes[k];
        // About two sites per bucket.
        class->width = sqrt(2 * extent.x * extent.y / fmax(1, (double)members[k]));
        class->columns = (int)fmin(20000, ceil(extent.x / class->width));
        class->rows = (int)fmin(20000, ceil(extent.y / class->width));
        if (class->columns < 1) class->columns = 1;
        if (class->rows < 1) class->rows = 1;
        size_t buckets = (size_t) class->columns * (size_t) class->rows;
        class->start = mrn_alloc_zero(buckets + 1, sizeof(int));
        class->sites = mrn_alloc(members[k] ? members[k] : 1, sizeof(int));
        class->largest = -INFINITY;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            Class *class = &index->classes[class_of[i]];
            int x, y;
            bucket_of(index, class, sites[i], &x, &y);
            int *start = &class->start[(size_t)y * (size_t) class->columns + (size_t)x];
            if (pass == 0) {
                start[1]++;
                class->largest = fmax(class->largest, weights[i]);
            } else
                class->sites[start[0]++] = (int)i;
        }
        for (int k = 0; k < index->class_count; k++) {
            Class *class = &index->classes[k];
            size_t buckets = (size_t) class->columns * (size_t) class->rows;
            if (pass == 0)
                for (size_t b = 0; b < buckets; b++) class->start[b + 1] += class->start[b];
            else {
                memmove(class->start + 1, class->start, buckets * sizeof(int));
                class->start[0] = 0;
            }
        }
    }
    free(class_of);
    return index;
}

void mrn_site_index_free(MrnSiteIndex *index) {
    if (!index) return;
    for (int k = 0; k < index->class_count; k++) {
        free(index->classes[k].start);
        free(index->classes[k].sites);
    }
    free(index);
}

// ---- cells ----

void mrn_cell_free(MrnCell *cell) {
    free(cell->corners);
    free(cell->neighbour);
    free(cell->other_corners);
    free(cell->other_neighbour);
    *cell = (MrnCell){0};
}

static void reserve(MrnCell *cell, size_t wanted) {
    if (wanted <= cell->capacity) return;
    cell->capacity = 2 * wanted + 16;
    cell->corners = mrn_realloc(cell->corners, cell->capacity, sizeof *cell->corners);
    cell->neighbour = mrn_realloc(cell->neighbour, cell->capacity, sizeof *cell->neighbour);
    cell->other_corners = mrn_realloc(cell->other_corners, cell->capacity, sizeof *cell->other_corners);
    cell->other_neighbour = mrn_realloc(cell->other_neighbour, cell->capacity, sizeof *cell->other_neighbour);
}

/// Keep the part of the cell where (p - point) . normal <= 0; the new edge has `neighbour`.
static void clip(MrnCell *cell, MrnVec2 point, MrnVec2 normal, int neighbour) {
    size_t n = cell->count, made = 0;
    reserve(cell, n + 2);
    if (n == 0) return;
    double level = mrn_dot2(point, normal);
    bool any = false;
    for (size_t i = 0; i < n && !any; i++) any = mrn_dot2(cell->corners[i], normal) > level;
    if (!any) return;
    double before = mrn_dot2(cell->corners[n - 1], normal) - level;
    for (size_t i = 0; i < n; i++) {
        MrnVec2 p = cell->corners[i], q = cell->corners[i ? i - 1 : n - 1];
        double side = mrn_dot2(p, normal) - level;
        if ((before > 0) != (side > 0)) {
            double share = before / (before - side);
            cell->other_corners[made] = mrn_add2(q, mrn_scale2(share, mrn_sub2(p, q)));
            // Going out the edge that follows is the new one, coming in it is the rest of the old one.
            cell->other_neighbour[made++] = side > 0 ? neighbour : cell->neighbour[i ? i - 1 : n - 1];
        }
        if (side <= 0) {
            cell->other_corners[made] = p;
            cell->other_neighbour[made++] = cell->neighbour[i];
        }
        before = side;
    }
    MrnVec2 *corners = cell->corners;
    int *neighbours = cell->neighbour;
    cell->corners = cell->other_corners, cell->neighbour = cell->other_neighbour;
    cell->other_corners = corners, cell->other_neighbour = neighbours;
    cell->count = made < 3 ? 0 : made;
}

static double reach_of(const MrnCell *cell, MrnVec2 site) {
    double reach = 0;
    for (size_t i = 0; i < cell->count; i++) {
        MrnVec2 away = mrn_sub2(cell->corners[i], site);
        reach = fmax(reach, mrn_dot2(away, away));
    }
    return sqrt(reach);
}

/// Clip by the radical lines of the sites of one bucket.
static void clip_bucket(const MrnSiteIndex *index, const Class *class, int x, int y, size_t site, MrnCell *cell,
                        double *reach) {
    const int *start = &class->start[(size_t)y * (size_t) class->columns + (size_t)x];
    MrnVec2 p = index->sites[site];
    for (int k = start[0]; k < start[1]; k++) {
        size_t other = (size_t) class->sites[k];
        if (other == site) continue;
        MrnVec2 to = mrn_sub2(index->sites[other], p);
        double distance2 = mrn_dot2(to, to);
        if (!(distance2 > 0)) { // two sites at one place: the heavier one, then the first, takes all
            if (index->weights[other] > index->weights[site] ||
                (index->weights[other] == index->weights[site] && other < site))
                cell->count = 0;
            continue;
        }
        double share = 0.5 * (1 + (index->weights[site] - index->weights[other]) / distance2);
        if (share * sqrt(distance2) >= *reach) continue;
        clip(cell, mrn_add2(p, mrn_scale2(share, to)), to, (int)other);
        *reach = reach_of(cell, p);
        if (!cell->count) return;
    }
}

static bool is_convex_corner(const MrnZone *zone, size_t i) {
    MrnVec2 before = mrn_vertex2(zone->vertices, (i + zone->count - 1) % zone->count),
            here = mrn_vertex2(zone->vertices, i), after = mrn_vertex2(zone->vertices, (i + 1) % zone->count);
    return mrn_cross2(mrn_sub2(here, before), mrn_sub2(after, here)) > 0;
}

static void clip_zone(const MrnZone *zone, MrnVec2 site, MrnCell *cell) {
    if (!cell->count) return;
    MrnVec2 low = cell->corners[0], high = low;
    for (size_t i = 1; i < cell->count; i++) {
        low = mrn_vec2(fmin(low.x, cell->corners[i].x), fmin(low.y, cell->corners[i].y));
        high = mrn_vec2(fmax(high.x, cell->corners[i].x), fmax(high.y, cell->corners[i].y));
    }
    int x0 = zone_column(zone, low.x), x1 = zone_column(zone, high.x), y0 = zone_row(zone, low.y),
        y1 = zone_row(zone, high.y);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            const int *start = &zone->bucket_start[y * zone->columns + x];
            for (int k = start[0]; k < start[1] && cell->count; k++) {
                size_t edge = (size_t)zone->bucket[k];
                MrnVec2 a = mrn_vertex2(zone->vertices, edge),
                        b = mrn_vertex2(zone->vertices, (edge + 1) % zone->count);
                if (fmin(a.x, b.x) > high.x || fmax(a.x, b.x) < low.x || fmin(a.y, b.y) > high.y ||
                    fmax(a.y, b.y) < low.y)
                    continue;
                MrnVec2 nearest = nearest_on_edge(zone, edge, site), out = mrn_sub2(nearest, site);
                // Where the zone is convex, and for a site on the edge itself, the line of the edge wastes no room.
                size_t end = nearest.x == a.x && nearest.y == a.y ? edge : (edge + 1) % zone->count;
                bool at_end = (nearest.x == a.x && nearest.y == a.y) || (nearest.x == b.x && nearest.y == b.y);
                if (!(mrn_dot2(out, out) > 0) ||
                    (at_end && mrn_cross2(mrn_sub2(b, a), mrn_sub2(site, a)) > 0 && is_convex_corner(zone, end)))
                    out = mrn_vec2(b.y - a.y, a.x - b.x);
                // Only edges that pass through the cell matter; others would cut away room for nothing.
                bool inside_a = true, inside_b = true, crosses = false;
                for (size_t i = 0; i < cell->count; i++) {
                    MrnVec2 p = cell->corners[i], q = cell->corners[(i + 1) % cell->count], along = mrn_sub2(q, p);
                    double side_a = mrn_cross2(along, mrn_sub2(a, p)), side_b = mrn_cross2(along, mrn_sub2(b, p));
                    inside_a = inside_a && side_a > 0, inside_b = inside_b && side_b > 0;
                    MrnVec2 ab = mrn_sub2(b, a);
                    double side_p = mrn_cross2(ab, mrn_sub2(p, a)), side_q = mrn_cross2(ab, mrn_sub2(q, a));
                    crosses = crosses || ((side_a > 0) != (side_b > 0) && (side_p > 0) != (side_q > 0));
                }
                if (inside_a || inside_b || crosses) clip(cell, nearest, out, -1);
            }
        }
}

void mrn_laguerre_cell(const MrnSiteIndex *index, const MrnZone *zone, size_t site, MrnCell *cell) {
    MrnVec2 p = index->sites[site];
    reserve(cell, 8);
    cell->count = 4;
    // The box of the zone with a margin, so that its sides never coincide with edges of the zone.
    double margin = 0.01 * fmax(zone->high.x - zone->low.x, zone->high.y - zone->low.y);
    cell->corners[0] = mrn_vec2(zone->low.x - margin, zone->low.y - margin);
    cell->corners[1] = mrn_vec2(zone->high.x + margin, zone->low.y - margin);
    cell->corners[2] = mrn_vec2(zone->high.x + margin, zone->high.y + margin);
    cell->corners[3] = mrn_vec2(zone->low.x - margin, zone->high.y + margin);
    for (int i = 0; i < 4; i++) cell->neighbour[i] = -1;
    double reach = reach_of(cell, p);
    int rings[MAX_CLASSES] = {0};
    bool more = true;
    // Ring by ring in all classes, the nearest first, until what remains is too far to matter.
    for (int ring = 0; more && cell->count; ring++) {
        more = false;
        for (int k = 0; k < index->class_count && cell->count; k++) {
            const Class *class = &index->classes[k];
            if (class->largest == -INFINITY || rings[k] < 0) continue;
            double excess = reach * reach + class->largest - index->weights[site];
            double range = excess > 0 ? reach + sqrt(excess) : 0;
            int x, y;
            bucket_of(index, class, p, &x, &y);
            // All buckets of this ring are at least (ring - 1) widths away, whatever the place within the bucket.
            if (ring > 1 && (ring - 1) * class->width > range) {
                rings[k] = -1;
                continue;
            }
            bool touched = false;
            for (int j = y - ring; j <= y + ring; j++) {
                if (j < 0 || j >= class->rows) continue;
                int step = j == y - ring || j == y + ring || ring == 0 ? 1 : 2 * ring;
                for (int i = x - ring; i <= x + ring; i += step) {
                    if (i < 0 || i >= class->columns) continue;
                    touched = true;
                    clip_bucket(index, class, i, j, site, cell, &reach);
                    if (!cell->count) return;
                }
            }
            if (!touched) {
                rings[k] = -1;
                continue;
            }
            more = true;
        }
    }
    clip_zone(zone, p, cell);
    if (!cell->count) return;
    // A cell apart from its site may lie beyond the edge of the zone.
    MrnVec2 centre;
    if (!(mrn_cell_area(cell, &centre) > 0) || !mrn_zone_contains(zone, centre)) cell->count = 0;
}

double mrn_cell_area(const MrnCell *cell, MrnVec2 *centroid) {
    MrnVec2 origin = cell->corners[0], sum = {0, 0};
    double area = 0;
    for (size_t i = 1; i + 1 < cell->count; i++) {
        MrnVec2 a = mrn_sub2(cell->corners[i], origin), b = mrn_sub2(cell->corners[i + 1], origin);
        double part = 0.5 * mrn_cross2(a, b);
        area += part;
        sum = mrn_add2(sum, mrn_scale2(part / 3, mrn_add2(a, b)));
    }
    *centroid = area > 0 ? mrn_add2(origin, mrn_scale2(1 / area, sum)) : origin;
    return area;
}

double mrn_cell_inner_radius(const MrnCell *cell, MrnVec2 point) {
    double least = INFINITY;
    for (size_t i = 0; i < cell->count; i++) {
        MrnVec2 a = cell->corners[i], along = mrn_sub2(cell->corners[(i + 1) % cell->count], a);
        double length = mrn_norm2(along);
        if (length > 0) least = fmin(least, mrn_cross2(along, mrn_sub2(point, a)) / length);
    }
    return least;
}

double mrn_cell_growth(const MrnCell *cell, const MrnVec2 *sites, size_t site) {
    double sum = 0;
    for (size_t i = 0; i < cell->count; i++) {
        if (cell->neighbour[i] < 0) continue;
        double length = mrn_norm2(mrn_sub2(cell->corners[(i + 1) % cell->count], cell->corners[i]));
        sum += length / (2 * mrn_norm2(mrn_sub2(sites[cell->neighbour[i]], sites[site])));
    }
    return sum;
}
