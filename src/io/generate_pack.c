// The pack generator. Two ways, by concentration:
//
//   discs   outlines in discs thrown at random, the largest first (Rabatel 2015, 2.3.1, steps 1 and 2);
//   cells   where discs leave no room: a Laguerre diagram whose cells are brought to areas in proportion to those of
//   the
//           floes by moving sites to the centroids of their cells and changing weights (a diagonal Newton step on the
//           areas); each outline then grows within its cell and is cut by its edges until it has its area. This takes
//           the place of the compaction by collisions of step 3, and reaches higher concentrations.
//
// What always holds: floes do not overlap and lie in the zone; the same request gives the same bits on any machine and
// number of threads.
#include "io/generate_pack.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "geom/enclosing_circle.h"
#include "geom/floe_shape.h"
#include "geom/polygon.h"
#include "io/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/// Discs above this coverage are not thrown: they would hardly find a place.
#define DISC_COVERAGE 0.55
/// Coverage of the discs from which cells start: sizes by a power law fill each other's gaps, others shrink.
#define START_COVERAGE 0.92

enum { DRAW_OUTLINE, DRAW_TURN, DRAW_PLACE = 16 };

bool mrn_pack_sizes(const MrnPackRequest *request, size_t *count, double *largest, double *smallest, double *exponent,
                    MrnError *error) {
    double n = (double)request->count, high = request->largest, low = request->smallest, alpha = request->exponent;
    int given = (request->count > 0) + !isnan(high) + !isnan(low) + !isnan(alpha);
    if (given < 3)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "found %d of count, largest, smallest and exponent, wanted three: ln(count) = exponent "
                        "ln(largest/smallest)",
                        given);
    if (!isnan(high) && !isnan(low) && !(high >= low))
        return mrn_fail(error, MRN_ERROR_INPUT, "largest is %.6g m, wanted at least smallest, which is %.6g m", high,
                        low);
    if (given == 4) {
        double wanted = pow(high / low, alpha);
        if (fabs(wanted - n) > 0.02 * n + 1)
            return mrn_fail(
                error, MRN_ERROR_INPUT,
                "count, largest, smallest and exponent contradict each other: the law gives %.0f floes between "
                "%.6g m and %.6g m, not %.0f; leave one of them out",
                wanted, low, high, n);
    }
    if (!request->count) {
        n = floor(pow(high / low, alpha) * (1 + 1e-12));
        if (n > 2e7)
            return mrn_fail(error, MRN_ERROR_INPUT,
                            "the law gives %.3g floes between %.6g m and %.6g m, wanted at most 2e7", n, low, high);
    }
    if (isnan(alpha)) {
        if (n > 1 && !(high > low))
            return mrn_fail(error, MRN_ERROR_INPUT, "largest and smallest are the same: give an exponent");
        alpha = n > 1 ? log(n) / log(high / low) : 1;
    }
    if (isnan(high)) high = low * pow(n, 1 / alpha);
    if (isnan(low)) low = high * pow(n, -1 / alpha);
    *count = (size_t)n, *largest = high, *smallest = low, *exponent = alpha;
    return true;
}

/// A pack in the making.
typedef struct Work {
    const MrnPackRequest *request;
    MrnError *error;
    size_t count;
    double *diameter;   ///< m, of the circle about each floe, after scaling
    double *area;       ///< m2
    int *outline;       ///< of the catalogue
    MrnCircle *circles; ///< about the outlines of the catalogue
    MrnVec2 *sites;
    double *weights; ///< m2
    double *sizes;   ///< m, for the index
    double *room;    ///< m2, wanted area of the cells
    // Of one round: of the cells
    double *cell_area, *growth, *inner; ///< area, its rate with the weight, distance of the centroid from the edges
    double *bound;                      ///< m2: largest change of the weight
    MrnVec2 *centroid;
} Work;

static const double *outline_of(const MrnCatalogue *catalogue, int index, size_t *count) {
    *count = catalogue->start[index + 1] - catalogue->start[index];
    return catalogue->vertices + 2 * catalogue->start[index];
}

/// Draw outlines; areas and diameters by the law, scaled so that they add up to the concentration.
static bool choose(Work *work, double largest, double exponent, MrnPack *pack) {
    const MrnPackRequest *request = work->request;
    const MrnCatalogue *catalogue = request->catalogue;
    work->circles = mrn_alloc(catalogue->count, sizeof *work->circles);
    for (size_t c = 0; c < catalogue->count; c++) {
        size_t count;
        const double *vertices = outline_of(catalogue, (int)c, &count);
        MrnVec2 *points = mrn_alloc(count, sizeof *points);
        for (size_t i = 0; i < count; i++) points[i] = mrn_vertex2(vertices, i);
        work->circles[c] = mrn_enclosing_circle(count, points);
        free(points);
    }
    double sum = 0, wanted = request->concentration * request->zone->area;
    for (size_t i = 0; i < work->count; i++) {
        work->diameter[i] = largest * pow((double)(i + 1), -1 / exponent);
        work->outline[i] = (int)(mrn_random_bits(request->seed, i, DRAW_OUTLINE) % catalogue->count);
        double radius = work->circles[work->outline[i]].radius; // of an outline of area 1
        work->area[i] = work->diameter[i] * work->diameter[i] / (4 * radius * radius);
        sum += work->area[i];
    }
    // A law given by its limits stops when the concentration is reached.
    if (!request->count && sum > wanted * (1 + request->tolerance)) {
        double part = 0;
        size_t n = 0;
        while (n < work->count && part < wanted) part += work->area[n++];
        work->count = n;
        sum = part;
    }
    pack->scale = sqrt(wanted / sum);
    for (size_t i = 0; i < work->count; i++) {
        work->diameter[i] *= pack->scale;
        work->area[i] *= pack->scale * pack->scale;
    }
    MrnVec2 extent = mrn_sub2(request->zone->high, request->zone->low);
    double widest = 0;
    size_t which = 0;
    for (size_t i = 0; i < work->count; i++)
        if (work->area[i] > widest) widest = work->area[i], which = i;
    if (widest > request->zone->area || sqrt(4 * widest / PI) > fmin(extent.x, extent.y))
        return mrn_fail(
            work->error, MRN_ERROR_INPUT,
            "floe %zu of %zu must cover %.6g m2 to reach a concentration of %.3g, which the zone of %.6g m2 "
            "cannot hold; take more floes, a larger exponent or a lower concentration",
            which + 1, work->count, widest, request->concentration, request->zone->area);
    return true;
}

// ---- discs ----

/// Discs placed so far, in buckets by class of size; the largest come first.
typedef struct Discs {
    MrnVec2 low;
    int class_count;
    struct DiscClass {
        double width, radius; ///< of a bucket; of its largest disc
        int columns, rows;
        int *first;
    } classes[32];
    int *next;
    const MrnVec2 *places;
    const double *radii;
} Discs;

static int disc_class(double largest, double radius) {
    int k = (int)floor(log2(largest / radius) + 1e-9);
    return k < 0 ? 0 : k > 31 ? 31 : k;
}

static void make_discs(Discs *discs, const Work *work, const double *radii) {
    const MrnZone *zone = work->request->zone;
    size_t members[32] = {0};
    MrnVec2 extent = mrn_sub2(zone->high, zone->low);
    double largest = 0;
    for (size_t i = 0; i < work->count; i++) largest = fmax(largest, radii[i]);
    *discs = (Discs){.low = zone->low, .places = work->sites, .radii = radii};
    for (size_t i = 0; i < work->count; i++) {
        int k = disc_class(largest, radii[i]);
        members[k]++;
        if (k >= discs->class_count) discs->class_count = k + 1;
    }
    for (int k = 0; k < discs->class_count; k++) {
        struct DiscClass *class = &discs->classes[k];
        class->radius = k == 31 ? largest * 0x1p-31 : ldexp(largest, -k);
        class->width = fmax(2 * class->radius, sqrt(extent.x * extent.y / fmax(1, (double)members[k])));
        class->columns = (int)fmin(20000, 1 + floor(extent.x / class->width));
        class->rows = (int)fmin(20000, 1 + floor(extent.y / class->width));
        class->first = mrn_alloc((size_t) class->columns * (size_t) class->rows, sizeof(int));
        memset(class->first, -1, (size_t) class->columns * (size_t) class->rows * sizeof(int));
    }
    discs->next = mrn_alloc(work->count, sizeof(int));
}

static void free_discs(Discs *discs) {
    for (int k = 0; k < discs->class_count; k++) free(discs->classes[k].first);
    free(discs->next);
}

static int bucket(double x, double low, double width, int count) {
    double place = floor((x - low) / width);
    return place < 0 ? 0 : place >= count ? count - 1 : (int)place;
}

static bool is_free(const Discs *discs, MrnVec2 p, double radius, double gap) {
    for (int k = 0; k < discs->class_count; k++) {
        const struct DiscClass *class = &discs->classes[k];
        double reach = radius + class->radius + gap;
        int x0 = bucket(p.x - reach, discs->low.x, class->width, class->columns),
            x1 = bucket(p.x + reach, discs->low.x, class->width, class->columns),
            y0 = bucket(p.y - reach, discs->low.y, class->width, class->rows),
            y1 = bucket(p.y + reach, discs->low.y, class->width, class->rows);
        for (int y = y0; y <= y1; y++)
            for (int x = x0; x <= x1; x++)
                for (int i = class->first[(size_t)y * (size_t) class->columns + (size_t)x]; i >= 0;
                     i = discs->next[i]) {
                    MrnVec2 away = mrn_sub2(discs->places[i], p);
                    double least = radius + discs->radii[i] + gap;
                    if (mrn_dot2(away, away) < least * least) return false;
                }
    }
    return true;
}

static void enter(Discs *discs, double largest, size_t i) {
    // A disc that was shrunk stays with those of its first size.
    int k = disc_class(largest, discs->radii[i]);
    struct DiscClass *class = &discs->classes[k < discs->class_count ? k : discs->class_count - 1];
    MrnVec2 p = discs->places[i];
    int *first = &class->first[(size_t)bucket(p.y, discs->low.y, class->width, class->rows) * (size_t) class->columns +
                               (size_t)bucket(p.x, discs->low.x, class->width, class->columns)];
    discs->next[i] = *first;
    *first = (int)i;
}

/// Throw discs of these radii (largest first) into the zone. With `shrink` a disc that finds no place gets smaller;
/// otherwise false is returned.
static bool throw_discs(Work *work, double *radii, double gap, bool shrink) {
    const MrnZone *zone = work->request->zone;
    MrnVec2 extent = mrn_sub2(zone->high, zone->low);
    Discs discs;
    make_discs(&discs, work, radii);
    double largest = 0;
    for (size_t i = 0; i < work->count; i++) largest = fmax(largest, radii[i]);
    bool good = true;
    for (size_t i = 0; i < work->count && good; i++) {
        uint64_t draw = DRAW_PLACE;
        for (int tries = 0;; tries++) {
            if (tries == 2000 && !shrink) {
                good = false;
                break;
            }
            if (tries % 500 == 499 && shrink) radii[i] *= 0.8;
            double u = mrn_random_unit(work->request->seed, i, draw),
                   v = mrn_random_unit(work->request->seed, i, draw + 1);
            draw += 2;
            MrnVec2 p = mrn_vec2(zone->low.x + u * extent.x, zone->low.y + v * extent.y);
            if (!is_free(&discs, p, radii[i], gap) || !mrn_zone_contains(zone, p)) continue;
            double room = radii[i] + 0.5 * gap;
            if (mrn_zone_distance(zone, p, 1.01 * room) < room) continue;
            work->sites[i] = p;
            break;
        }
        if (good) enter(&discs, largest, i);
    }
    free_discs(&discs);
    return good;
}

// ---- cells ----

typedef struct Round {
    Work *work;
    const MrnSiteIndex *index;
    bool bounds; ///< second pass: bounds of the changes of weights
} Round;

/// A step of weights moves no edge by more than this part of the inner radii on its two sides.
#define EDGE_STEP 0.2

static void measure_cells(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Round *round = context;
    Work *work = round->work;
    MrnCell cell = {0};
    for (size_t i = begin; i < end; i++) {
        mrn_laguerre_cell(round->index, work->request->zone, i, &cell);
        if (round->bounds) {
            work->bound[i] = INFINITY;
            for (size_t k = 0; k < cell.count; k++) {
                int j = cell.neighbour[k];
                if (j < 0) continue;
                double distance = mrn_norm2(mrn_sub2(work->sites[j], work->sites[i]));
                work->bound[i] = fmin(work->bound[i], EDGE_STEP * distance * fmin(work->inner[i], work->inner[j]));
            }
            continue;
        }
        work->cell_area[i] = work->growth[i] = work->inner[i] = 0;
        work->centroid[i] = work->sites[i];
        if (!cell.count) continue;
        work->cell_area[i] = mrn_cell_area(&cell, &work->centroid[i]);
        work->growth[i] = mrn_cell_growth(&cell, work->sites, i);
        work->inner[i] = mrn_cell_inner_radius(&cell, work->centroid[i]);
    }
    mrn_cell_free(&cell);
}

/// Measure all cells. Returns their summed area; `wrong` becomes the share of it in the wrong cells.
static double measure(Work *work, bool bounds, double *wrong) {
    size_t n = work->count;
    MrnSiteIndex *index = mrn_site_index_new(n, work->sites, work->weights, work->sizes, work->request->zone);
    Round round = {work, index, false};
    mrn_threads_for(work->request->threads, n, 64, measure_cells, &round);
    if (bounds) {
        round.bounds = true;
        mrn_threads_for(work->request->threads, n, 64, measure_cells, &round);
    }
    mrn_site_index_free(index);
    double used = 0;
    *wrong = 0;
    for (size_t i = 0; i < n; i++) used += work->cell_area[i];
    for (size_t i = 0; i < n; i++)
        *wrong += fabs(work->cell_area[i] - used / work->request->zone->area * work->room[i]) / used;
    return used;
}

/// Bring the cells towards their wanted areas. Returns the rounds used.
static int relax(Work *work, int most_moves, int most_steps) {
    size_t n = work->count;
    int rounds = 0;
    double wrong, *cap = mrn_alloc(n, sizeof *cap), *radius = mrn_alloc(n, sizeof *radius);
    for (size_t i = 0; i < n; i++) cap[i] = sqrt(0.95 * work->room[i] / PI), radius[i] = work->sizes[i];
    // Sites go to the centroids of their cells with the discs that fit there, unless they have a larger one where they
    // are: the discs lie in disjoint cells, so no cell of the next diagram is empty. Discs of cells that are too large
    // are held back.
    for (int k = 0; k < most_moves; k++, rounds++) {
        double used = measure(work, false, &wrong), share = used / work->request->zone->area;
        if (wrong < 0.02) break;
        for (size_t i = 0; i < n; i++) {
            double full = sqrt(share * work->room[i] / PI), ratio = share * work->room[i] / work->cell_area[i];
            cap[i] = fmin(fmax(cap[i] * pow(ratio, 0.25), 0.4 * full), full);
            if (work->inner[i] >= fmin(radius[i], cap[i])) {
                work->sites[i] = work->centroid[i];
                radius[i] = fmin(work->inner[i], cap[i]);
            } else
                radius[i] = fmin(radius[i], cap[i]);
            work->weights[i] = radius[i] * radius[i];
        }
    }
    // Then weights alone: areas go on towards their values while every cell keeps its inside. A step after which one
    // lost most of its room is taken back, and the next ones are shorter.
    double *before = mrn_alloc(n, sizeof *before), step = 0.5, worst = 0;
    memcpy(before, work->weights, n * sizeof *before);
    for (int k = 0; k < most_steps; k++, rounds++) {
        double used = measure(work, true, &wrong), share = used / work->request->zone->area, narrowest = INFINITY;
        for (size_t i = 0; i < n; i++) narrowest = fmin(narrowest, work->cell_area[i] / (share * work->room[i]));
        if (k && narrowest < fmin(0.7, 0.9 * worst)) {
            memcpy(work->weights, before, n * sizeof *before);
            step *= 0.5;
            if (step < 0.1) break;
            measure(work, true, &wrong);
        } else {
            worst = narrowest;
            if (wrong < 0.005) break;
        }
        memcpy(before, work->weights, n * sizeof *before);
        for (size_t i = 0; i < n; i++) {
            if (!(work->growth[i] > 0)) continue;
            double change = step * (share * work->room[i] - work->cell_area[i]) / work->growth[i];
            work->weights[i] += fmin(fmax(change, -2 * step * work->bound[i]), 2 * step * work->bound[i]);
        }
    }
    memcpy(work->weights, before, n * sizeof *before); // the last step was not looked at
    free(before);
    free(cap);
    free(radius);
    return rounds;
}

/// The cell with every edge moved inwards by `margin`.
static void inset(const MrnCell *cell, double margin, MrnCell *out) {
    size_t n = cell->count;
    if (out->capacity < 2 * n + 8) {
        size_t capacity = 4 * n + 16;
        out->corners = mrn_realloc(out->corners, capacity, sizeof *out->corners);
        out->other_corners = mrn_realloc(out->other_corners, capacity, sizeof *out->other_corners);
        out->neighbour = mrn_realloc(out->neighbour, capacity, sizeof *out->neighbour);
        out->other_neighbour = mrn_realloc(out->other_neighbour, capacity, sizeof *out->other_neighbour);
        out->capacity = capacity;
    }
    memcpy(out->corners, cell->corners, n * sizeof *out->corners);
    out->count = n;
    for (size_t e = 0; e < n; e++) {
        MrnVec2 a = cell->corners[e], b = cell->corners[(e + 1) % n], along = mrn_sub2(b, a);
        double length = mrn_norm2(along);
        if (!(length > 0)) continue;
        MrnVec2 inwards = mrn_vec2(-along.y / length, along.x / length);
        double level = mrn_dot2(a, inwards) + margin;
        size_t made = 0, m = out->count;
        for (size_t i = 0; i < m; i++) {
            MrnVec2 p = out->corners[i], q = out->corners[(i + 1) % m];
            double at_p = mrn_dot2(p, inwards) - level, at_q = mrn_dot2(q, inwards) - level;
            if (at_p >= 0) out->other_corners[made++] = p;
            if ((at_p >= 0) != (at_q >= 0))
                out->other_corners[made++] = mrn_add2(p, mrn_scale2(at_p / (at_p - at_q), mrn_sub2(q, p)));
        }
        MrnVec2 *swap = out->corners;
        out->corners = out->other_corners, out->other_corners = swap;
        out->count = made < 3 ? 0 : made;
        if (!out->count) return;
    }
}

/// Drop corners closer than `least` to the one before: edges of rounding size have any direction.
static void merge_corners(MrnCell *cell, double least) {
    size_t kept = 0;
    for (size_t i = 0; i < cell->count; i++) {
        MrnVec2 p = cell->corners[i];
        if (kept && mrn_norm2(mrn_sub2(p, cell->corners[kept - 1])) < least) continue;
        cell->corners[kept++] = p;
    }
    while (kept > 1 && mrn_norm2(mrn_sub2(cell->corners[0], cell->corners[kept - 1])) < least) kept--;
    cell->count = kept < 3 ? 0 : kept;
}

/// Distance from `from`, inside a convex cell, to its edge in direction `to` (unit).
static double ray_in_cell(const MrnCell *cell, MrnVec2 from, MrnVec2 to) {
    double best = INFINITY;
    for (size_t i = 0; i < cell->count; i++) {
        MrnVec2 a = cell->corners[i], along = mrn_sub2(cell->corners[(i + 1) % cell->count], a);
        double approach = mrn_cross2(along, to); // < 0: the ray goes out through this edge
        if (approach < 0) best = fmin(best, -mrn_cross2(along, mrn_sub2(from, a)) / approach);
    }
    return best < 0 ? 0 : best;
}

/// Distance from the origin to the outermost crossing of an outline in direction `to`.
static double ray_to_outline(size_t count, const double *vertices, MrnVec2 to) {
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        MrnVec2 a = mrn_vertex2(vertices, i), along = mrn_sub2(mrn_vertex2(vertices, (i + 1) % count), a);
        double across = mrn_cross2(to, along);
        if (across == 0) continue;
        double distance = mrn_cross2(a, along) / across, share = mrn_cross2(a, to) / across;
        if (share >= -1e-9 && share <= 1 + 1e-9) best = fmax(best, distance); // rays through corners too
    }
    return best;
}

/// A direction from the middle of a cell, with the outline and the cell along it.
typedef struct Spoke {
    double angle, outline, cell;
    MrnVec2 direction;
} Spoke;

static int by_angle(const void *a, const void *b) {
    double x = ((const Spoke *)a)->angle, y = ((const Spoke *)b)->angle;
    return x < y ? -1 : x > y;
}

/// Area of the outline at this scale, cut by the cell; its roundness unless NULL.
static double cut_area(const Spoke *spokes, size_t count, double scale, double *roundness) {
    double sum = 0, length = 0;
    for (size_t i = 0; i < count; i++) {
        const Spoke *a = &spokes[i], *b = &spokes[(i + 1) % count];
        double p = fmin(scale * a->outline, a->cell), q = fmin(scale * b->outline, b->cell);
        sum += p * q * mrn_cross2(a->direction, b->direction);
        if (roundness) length += sqrt(fmax(0, p * p + q * q - 2 * p * q * mrn_dot2(a->direction, b->direction)));
    }
    if (roundness) *roundness = length * length / (2 * PI * sum);
    return 0.5 * sum;
}

/// Scale at which the cut outline has an area (or, with `round`, just the largest roundness), between two scales.
static double find_scale(const Spoke *spokes, size_t count, double low, double high, double area, bool round) {
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high), roundness, own = cut_area(spokes, count, middle, &roundness);
        if (round ? roundness <= MRN_FLOE_ROUNDNESS : own < area)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Spokes of an outline turned by `turn` and of the corners of the cell, about `middle`.
static size_t make_spokes(const MrnCell *cell, MrnVec2 middle, size_t count, const double *vertices, double turn,
                          bool corners, Spoke *spokes) {
    size_t made = 0;
    for (size_t i = 0; i < count + (corners ? cell->count : 0); i++) {
        MrnVec2 p = i < count ? mrn_vertex2(vertices, i) : mrn_sub2(cell->corners[i - count], middle);
        double angle = atan2(p.y, p.x) + (i < count ? turn : 0);
        angle = remainder(angle, 2 * PI);
        spokes[made++] = (Spoke){.angle = angle, .direction = {cos(angle), sin(angle)}};
    }
    qsort(spokes, made, sizeof *spokes, by_angle);
    size_t kept = 0;
    for (size_t i = 0; i < made; i++) {
        if (kept && spokes[i].angle - spokes[kept - 1].angle < 1e-3) continue;
        spokes[kept++] = spokes[i];
    }
    if (kept > 1 && spokes[0].angle + 2 * PI - spokes[kept - 1].angle < 1e-3) kept--;
    double c = cos(turn), s = sin(turn);
    for (size_t i = 0; i < kept; i++) {
        MrnVec2 d = spokes[i].direction;
        spokes[i].outline = ray_to_outline(count, vertices, mrn_vec2(c * d.x + s * d.y, c * d.y - s * d.x));
        spokes[i].cell = ray_in_cell(cell, middle, d);
    }
    return kept;
}

/// What a floe gets of its cell.
typedef struct Fitting {
    Work *work;
    const MrnSiteIndex *index;
    double *capacity; ///< m2 per floe: the largest area of its outline in its cell
    double factor;    ///< area = min(factor * wanted, capacity)
    bool shape;       ///< second pass: make the outlines
    size_t most;      ///< vertices per floe
    double *vertices; ///< `most` per floe
    size_t *counts;
    unsigned char *cut;
} Fitting;

/// Corners of a cell beyond these are dropped, the least important first: the cell gets a little smaller.
enum { CELL_CORNERS = 14 };

/// The outline in its cell at the turn at which it is cut least.
static size_t choose_turn(const Work *work, size_t floe, const MrnCell *inner, MrnVec2 middle, double size,
                          bool corners, Spoke *spokes, Spoke *trial) {
    size_t count, kept = 0;
    const double *outline = outline_of(work->request->catalogue, work->outline[floe], &count);
    double most_area = -1, best_turn = 0;
    for (int k = 0; k < 6; k++) {
        double turn = 2 * PI * (mrn_random_unit(work->request->seed, floe, DRAW_TURN) + k / 6.0);
        size_t made = make_spokes(inner, middle, count, outline, turn, false, trial);
        double area = cut_area(trial, made, size, NULL);
        if (area <= most_area) continue;
        most_area = area, best_turn = turn, kept = made;
        memcpy(spokes, trial, made * sizeof *spokes);
        if (area > (1 - 1e-9) * size * size) break; // not cut at all
    }
    if (corners) kept = make_spokes(inner, middle, count, outline, best_turn, true, spokes);
    return kept;
}

static void fit_cells(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Fitting *fitting = context;
    Work *work = fitting->work;
    MrnCell cell = {0}, inner = {0};
    Spoke *spokes = mrn_alloc(fitting->most, sizeof *spokes), *trial = mrn_alloc(fitting->most, sizeof *trial);
    for (size_t i = begin; i < end; i++) {
        mrn_laguerre_cell(fitting->index, work->request->zone, i, &cell);
        inner.count = 0;
        merge_corners(&cell, 1e-6 * sqrt(work->area[i])); // a convex cell only loses by it
        if (cell.count) inset(&cell, fmax(0.5 * work->request->gap, 1e-5 * sqrt(work->area[i])), &inner);
        merge_corners(&inner, 1e-6 * sqrt(work->area[i]));
        if (inner.count > CELL_CORNERS)
            inner.count = mrn_outline_simplify(inner.count, &inner.corners->x, CELL_CORNERS);
        MrnVec2 middle = {0, 0};
        double room = inner.count ? mrn_cell_area(&inner, &middle) : 0, nominal = sqrt(work->area[i]);
        if (!fitting->shape) {
            fitting->capacity[i] = 0;
            if (!(room > 0)) continue;
            size_t kept = choose_turn(work, i, &inner, middle, nominal, true, spokes, trial);
            double full = 1e3 * sqrt(room), roundness;
            double area = cut_area(spokes, kept, full, &roundness);
            if (roundness > MRN_FLOE_ROUNDNESS)
                area = cut_area(spokes, kept, find_scale(spokes, kept, 0, full, 0, true), NULL);
            fitting->capacity[i] = area;
            continue;
        }
        double wanted = fmin(fitting->factor * work->area[i], 0.9999 * fitting->capacity[i]), size = sqrt(wanted);
        size_t kept = choose_turn(work, i, &inner, middle, nominal, false, spokes, trial);
        bool is_cut = cut_area(spokes, kept, size, NULL) < (1 - 1e-9) * wanted;
        if (is_cut) kept = choose_turn(work, i, &inner, middle, nominal, true, spokes, trial);
        fitting->cut[i] = is_cut;
        double scale = is_cut ? find_scale(spokes, kept, 0, 1e3 * sqrt(room), wanted, false) : size;
        fitting->counts[i] = kept;
        for (size_t k = 0; k < kept; k++) {
            double r = fmin(scale * spokes[k].outline, spokes[k].cell);
            double *to = fitting->vertices + 2 * (i * fitting->most + k);
            to[0] = middle.x + r * spokes[k].direction.x, to[1] = middle.y + r * spokes[k].direction.y;
        }
    }
    free(spokes);
    free(trial);
    mrn_cell_free(&cell);
    mrn_cell_free(&inner);
}

static double served(const Fitting *fitting, double factor) {
    double sum = 0;
    for (size_t i = 0; i < fitting->work->count; i++)
        sum += fmin(factor * fitting->work->area[i], 0.9999 * fitting->capacity[i]);
    return sum;
}

static bool fill_cells(Work *work, MrnPack *pack) {
    const MrnPackRequest *request = work->request;
    size_t n = work->count, longest = 0;
    for (size_t c = 0; c < request->catalogue->count; c++) {
        size_t count = request->catalogue->start[c + 1] - request->catalogue->start[c];
        if (count > longest) longest = count;
    }
    MrnSiteIndex *index = mrn_site_index_new(n, work->sites, work->weights, work->sizes, request->zone);
    Fitting fitting = {.work = work, .index = index, .most = longest + CELL_CORNERS};
    fitting.capacity = mrn_alloc(n, sizeof(double));
    mrn_threads_for(request->threads, n, 64, fit_cells, &fitting);
    double wanted = request->concentration * request->zone->area, room = served(&fitting, INFINITY);
    size_t without = 0;
    for (size_t i = 0; i < n; i++) without += !(fitting.capacity[i] > 0);
    bool good = without == 0 && room >= wanted * (1 - request->tolerance);
    if (without)
        mrn_fail(work->error, MRN_ERROR_INPUT,
                 "%zu of %zu floes find no room at a concentration of %.4g; take another seed, a smaller gap or fewer "
                 "floes",
                 without, n, request->concentration);
    else if (!good)
        mrn_fail(work->error, MRN_ERROR_INPUT,
                 "found a concentration of %.4g, reached at most %.4g with %zu floes in this zone; take a lower "
                 "concentration, a smaller gap or a zone with fewer hollows",
                 request->concentration, room / request->zone->area, n);
    if (good) {
        double low = 0, high = 1;
        while (served(&fitting, high) < wanted && high < 1e3) high *= 1.2;
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            if (served(&fitting, middle) < wanted)
                low = middle;
            else
                high = middle;
        }
        fitting.factor = high;
        fitting.shape = true;
        fitting.vertices = mrn_alloc(2 * n * fitting.most, sizeof(double));
        fitting.counts = mrn_alloc(n, sizeof(size_t));
        fitting.cut = mrn_alloc_zero(n, 1);
        mrn_threads_for(request->threads, n, 64, fit_cells, &fitting);
        size_t total = 0;
        for (size_t i = 0; i < n; i++) {
            pack->start[i] = total;
            total += fitting.counts[i];
            pack->cut += fitting.cut[i];
        }
        pack->start[n] = total;
        pack->vertices = mrn_alloc(2 * total, sizeof(double));
        for (size_t i = 0; i < n; i++)
            memcpy(pack->vertices + 2 * pack->start[i], fitting.vertices + 2 * i * fitting.most,
                   2 * fitting.counts[i] * sizeof(double));
    }
    free(fitting.capacity);
    free(fitting.vertices);
    free(fitting.counts);
    free(fitting.cut);
    mrn_site_index_free(index);
    return good;
}

/// Outlines in their discs: the circle about the outline becomes the disc.
static void fill_discs(Work *work, MrnPack *pack) {
    size_t total = 0;
    for (size_t i = 0; i < work->count; i++) {
        size_t count;
        outline_of(work->request->catalogue, work->outline[i], &count);
        pack->start[i] = total;
        total += count;
    }
    pack->start[work->count] = total;
    pack->vertices = mrn_alloc(2 * total, sizeof(double));
    for (size_t i = 0; i < work->count; i++) {
        size_t count;
        const double *outline = outline_of(work->request->catalogue, work->outline[i], &count);
        const MrnCircle *circle = &work->circles[work->outline[i]];
        double turn = 2 * PI * mrn_random_unit(work->request->seed, i, DRAW_TURN), c = cos(turn), s = sin(turn),
               scale = 0.5 * work->diameter[i] / circle->radius;
        for (size_t k = 0; k < count; k++) {
            MrnVec2 p = mrn_scale2(scale, mrn_sub2(mrn_vertex2(outline, k), circle->centre));
            double *to = pack->vertices + 2 * (pack->start[i] + k);
            to[0] = work->sites[i].x + c * p.x - s * p.y;
            to[1] = work->sites[i].y + s * p.x + c * p.y;
        }
    }
}

/// Exponent of count ~ size^-exponent by least squares over rank and size.
static double fitted_exponent(size_t count, const double *sizes) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < count; i++) {
        double x = log(sizes[i]), y = log((double)(i + 1));
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double n = (double)count, spread = n * sxx - sx * sx;
    return spread > 1e-12 * n * n ? -(n * sxy - sx * sy) / spread : NAN;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static void describe(const Work *work, MrnPack *pack) {
    double sum = 0, *work_space = mrn_alloc(2 * pack->start[pack->count], sizeof(double)),
           *sizes = mrn_alloc(pack->count, sizeof(double));
    pack->largest = 0, pack->smallest = INFINITY;
    for (size_t i = 0; i < pack->count; i++) {
        size_t count = pack->start[i + 1] - pack->start[i];
        const double *vertices = pack->vertices + 2 * pack->start[i];
        sum += mrn_polygon_area(count, vertices);
        pack->roundness = fmax(pack->roundness, mrn_roundness(count, vertices));
        sizes[i] = mrn_caliper_diameter(count, vertices, work_space);
        pack->largest = fmax(pack->largest, sizes[i]), pack->smallest = fmin(pack->smallest, sizes[i]);
    }
    pack->concentration = sum / work->request->zone->area;
    qsort(sizes, pack->count, sizeof *sizes, descending);
    pack->exponent = fitted_exponent(pack->count, sizes);
    free(work_space);
    free(sizes);
}

bool mrn_pack_make(const MrnPackRequest *request, MrnPack *pack, MrnError *error) {
    *pack = (MrnPack){0};
    if (!(request->concentration > 0 && request->concentration < 1))
        return mrn_fail(error, MRN_ERROR_INPUT, "concentration is %g, must be between 0 and 1", request->concentration);
    double largest, smallest, exponent;
    Work work = {.request = request, .error = error};
    if (!mrn_pack_sizes(request, &work.count, &largest, &smallest, &exponent, error)) return false;
    size_t n = work.count;
    work.diameter = mrn_alloc(n, sizeof(double));
    work.area = mrn_alloc(n, sizeof(double));
    work.outline = mrn_alloc(n, sizeof(int));
    work.sites = mrn_alloc_zero(n, sizeof(MrnVec2));
    work.weights = mrn_alloc(n, sizeof(double));
    work.sizes = mrn_alloc(n, sizeof(double));
    bool good = choose(&work, largest, exponent, pack);
    n = work.count;
    pack->count = n;
    if (good) {
        pack->start = mrn_alloc(n + 1, sizeof(size_t));
        double covered = 0;
        for (size_t i = 0; i < n; i++) {
            work.sizes[i] = 0.5 * work.diameter[i];
            double whole = work.sizes[i] + 0.5 * request->gap;
            covered += PI * whole * whole;
        }
        bool placed =
            covered <= DISC_COVERAGE * request->zone->area && throw_discs(&work, work.sizes, request->gap, false);
        if (placed)
            fill_discs(&work, pack);
        else {
            pack->cells = true;
            work.room = mrn_alloc(n, sizeof(double));
            work.cell_area = mrn_alloc(n, sizeof(double));
            work.growth = mrn_alloc(n, sizeof(double));
            work.inner = mrn_alloc(n, sizeof(double));
            work.bound = mrn_alloc(n, sizeof(double));
            work.centroid = mrn_alloc(n, sizeof(MrnVec2));
            for (size_t i = 0; i < n; i++) {
                work.room[i] = work.area[i] / request->concentration;
                work.sizes[i] = sqrt(START_COVERAGE * work.room[i] / PI);
            }
            throw_discs(&work, work.sizes, 0, true);
            for (size_t i = 0; i < n; i++) work.weights[i] = work.sizes[i] * work.sizes[i];
            pack->rounds = relax(&work, n > 20000 ? 3 : 12, n > 20000 ? 5 : 25);
            good = fill_cells(&work, pack);
        }
        if (good) describe(&work, pack);
    }
    free(work.diameter);
    free(work.area);
    free(work.outline);
    free(work.circles);
    free(work.sites);
    free(work.weights);
    free(work.sizes);
    free(work.room);
    free(work.cell_area);
    free(work.growth);
    free(work.inner);
    free(work.bound);
    free(work.centroid);
    if (!good) mrn_pack_free(pack);
    return good;
}

void mrn_pack_free(MrnPack *pack) {
    free(pack->start);
    free(pack->vertices);
    *pack = (MrnPack){0};
}
