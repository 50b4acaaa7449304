// Hierarchical hashed grids.
#include "collide/broad.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS    64
#define KEPT_KEYS 65536 ///< longest list of pairs for which the search keeps its work arrays

struct MrnBroadWork {
    int32_t *level;      ///< per body; -1: not in a grid (inactive or unbounded)
    bool *present;       ///< per body: was active at the last build
    bool *moved;         ///< per body: has another fat box than when the grids were made
    bool *changed;       ///< per body: gets new pairs in this refresh; false between refreshes
    int32_t (*cell)[3];  ///< per body: cell of its centre at its level
    uint32_t *bucket;    ///< per body
    uint32_t *start;     ///< per bucket + 1
    int32_t *member;     ///< bodies in the order of their buckets
    size_t bucket_count; ///< power of two
    double smallest;     ///< cell size of level 0
    bool occupied[LEVELS];
    MRN_ARRAY(int32_t) unbounded;
    MRN_ARRAY(int32_t) movers; ///< active bodies that have moved
    MRN_ARRAY(MrnPair) merged;
    MRN_ARRAY(uint64_t) keys, scratch;
    struct {
        MRN_ARRAY(uint64_t) found;
    } thread[64];
};

MrnBroad *mrn_broad_new(size_t body_count) {
    MrnBroad *broad = mrn_alloc_zero(1, sizeof *broad);
    struct MrnBroadWork *work = broad->work = mrn_alloc_zero(1, sizeof *work);
    broad->body_count = body_count;
    size_t n = body_count ? body_count : 1;
    broad->fat = mrn_alloc(n, sizeof *broad->fat);
    work->level = mrn_alloc(n, sizeof *work->level);
    work->present = mrn_alloc_zero(n, sizeof *work->present);
    work->moved = mrn_alloc_zero(n, sizeof *work->moved);
    work->changed = mrn_alloc_zero(n, sizeof *work->changed);
    work->cell = mrn_alloc(n, sizeof *work->cell);
    work->bucket = mrn_alloc(n, sizeof *work->bucket);
    work->member = mrn_alloc(n, sizeof *work->member);
    for (work->bucket_count = 16; work->bucket_count < 2 * n;) work->bucket_count *= 2;
    work->start = mrn_alloc(work->bucket_count + 1, sizeof *work->start);
    return broad;
}

void mrn_broad_free(MrnBroad *broad) {
    if (!broad) return;
    struct MrnBroadWork *work = broad->work;
    free(work->level);
    free(work->present);
    free(work->moved);
    free(work->changed);
    free(work->cell);
    free(work->bucket);
    free(work->member);
    free(work->start);
    mrn_array_free(&work->unbounded);
    mrn_array_free(&work->movers);
    mrn_array_free(&work->merged);
    mrn_array_free(&work->keys);
    mrn_array_free(&work->scratch);
    for (int t = 0; t < 64; t++) mrn_array_free(&work->thread[t].found);
    free(work);
    free(broad->fat);
    mrn_array_free(&broad->pairs);
    free(broad);
}

static double axis(const MrnVec3 *v, int k) {
    return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

static bool box_holds(const MrnBox *outer, const MrnBox *inner, int dimension) {
    for (int k = 0; k < dimension; k++)
        if (axis(&inner->low, k) < axis(&outer->low, k) || axis(&inner->high, k) > axis(&outer->high, k)) return false;
    return true;
}

static bool boxes_overlap(const MrnBox *a, const MrnBox *b, int dimension) {
    if (a->high.x < b->low.x || b->high.x < a->low.x || a->high.y < b->low.y || b->high.y < a->low.y) return false;
    return dimension == 2 || (a->high.z >= b->low.z && b->high.z >= a->low.z);
}

static double extent(const MrnBox *box, int dimension) {
    double size = 0;
    for (int k = 0; k < dimension; k++) size = fmax(size, axis(&box->high, k) - axis(&box->low, k));
    return size;
}

/// Where a row of cells along x begins in the table; the cell at x is x buckets further, so that neighbours lie side by
/// side in memory.
static uint32_t row_of(int level, int32_t y, int32_t z) {
    return (uint32_t)mrn_mix64(((uint64_t)(uint32_t)y | (uint64_t)(uint32_t)z << 32) ^ mrn_mix64((uint64_t)level));
}

static uint32_t bucket_of(const struct MrnBroadWork *work, uint32_t row, int32_t x) {
    return (row + (uint32_t)x) & (uint32_t)(work->bucket_count - 1);
}

static int32_t cell_index(double x, double size) {
    double c = floor(x / size);
    // Far outliers share the last cells: still right, only slower there.
    return c < -1e9 ? -1000000000 : c > 1e9 ? 1000000000 : (int32_t)c;
}

static void insert_bodies(MrnBroad *broad, int dimension, const MrnProxy *proxies) {
    struct MrnBroadWork *work = broad->work;
    work->smallest = INFINITY;
    work->unbounded.count = 0;
    memset(work->occupied, 0, sizeof work->occupied);
    memset(work->start, 0, (work->bucket_count + 1) * sizeof *work->start);
    for (size_t i = 0; i < broad->body_count; i++)
        if (proxies[i].active) {
            double size = extent(&broad->fat[i], dimension);
            if (size > 0) work->smallest = fmin(work->smallest, size);
        }
    for (size_t i = 0; i < broad->body_count; i++) {
        work->level[i] = -1;
        if (!proxies[i].active) continue;
        double size = extent(&broad->fat[i], dimension), ratio = size / work->smallest;
        if (!(ratio < 0x1p60)) { // unbounded, or so large that it meets everything anyway
            mrn_array_push(&work->unbounded, (int32_t)i);
            continue;
        }
        int level = 0;
        if (frexp(ratio, &level) == 0.5) level--; // smallest level with ratio <= 2^level
        if (level < 0) level = 0;
        double cell = ldexp(work->smallest, level);
        work->level[i] = level;
        work->occupied[level] = true;
        for (int k = 0; k < 3; k++)
            work->cell[i][k] =
                k < dimension ? cell_index(0.5 * (axis(&broad->fat[i].low, k) + axis(&broad->fat[i].high, k)), cell)
                              : 0;
        work->bucket[i] = bucket_of(work, row_of(level, work->cell[i][1], work->cell[i][2]), work->cell[i][0]);
        work->start[work->bucket[i] + 1]++;
    }
    for (size_t b = 0; b < work->bucket_count; b++) work->start[b + 1] += work->start[b];
    for (size_t i = broad->body_count; i-- > 0;) // backwards: a bucket fills from its end, so its bodies ascend
        if (work->level[i] >= 0) work->member[--work->start[work->bucket[i] + 1]] = (int32_t)i;
    // start[b + 1] is now the first member of bucket b; shift back.
    memmove(work->start, work->start + 1, work->bucket_count * sizeof *work->start);
    size_t inside = 0;
    for (size_t i = 0; i < broad->body_count; i++) inside += work->level[i] >= 0;
    work->start[work->bucket_count] = (uint32_t)inside;
}

/// How far a ball and the place of its centre can reach from the centre of its fat box, while that holds it.
static double ball_reach(const MrnBox *fat, double radius, int dimension) {
    return radius +
           (dimension == 2 ? 1.4142135623730951 : 1.7320508075688772) * (0.5 * (fat->high.x - fat->low.x) - radius);
}

/// Two balls in fat boxes that overlap at their corners only.
static bool balls_apart(const MrnBox *a, double radius_a, const MrnBox *b, double radius_b, int dimension) {
    double reach = ball_reach(a, radius_a, dimension) + ball_reach(b, radius_b, dimension), square = 0;
    for (int k = 0; k < dimension; k++) {
        double d = 0.5 * ((axis(&a->low, k) + axis(&a->high, k)) - (axis(&b->low, k) + axis(&b->high, k)));
        square += d * d;
    }
    return square > reach * reach * (1 + 1e-9);
}

/// Do the fat boxes of two bodies say that they may touch?
static bool may_touch(const MrnBroad *broad, int dimension, const MrnProxy *proxies, int32_t i, int32_t j) {
    const MrnProxy *a = &proxies[i], *b = &proxies[j];
    if (!(a->movable || b->movable) || (a->group > 0 && a->group == b->group)) return false;
    if (!boxes_overlap(&broad->fat[i], &broad->fat[j], dimension)) return false;
    return !(a->radius > 0 && b->radius > 0) ||
           !balls_apart(&broad->fat[i], a->radius, &broad->fat[j], b->radius, dimension);
}

typedef struct Query {
    MrnBroad *broad;
    const MrnProxy *proxies;
    int dimension;
} Query;

static uint64_t pair_key(int32_t i, int32_t j) {
    return i < j ? (uint64_t)i << 32 | (uint32_t)j : (uint64_t)j << 32 | (uint32_t)i;
}

static void find_pairs(void *context, size_t begin, size_t end, int thread) {
    Query *query = context;
    MrnBroad *broad = query->broad;
    struct MrnBroadWork *work = broad->work;
    int dimension = query->dimension;
    for (size_t i = begin; i < end; i++) {
        if (work->level[i] < 0) continue;
        const MrnBox *box = &broad->fat[i];
        for (size_t k = 0; k < work->unbounded.count; k++) {
            int32_t j = work->unbounded.data[k];
            if (may_touch(broad, dimension, query->proxies, (int32_t)i, j))
                mrn_array_push(&work->thread[thread].found, pair_key((int32_t)i, j));
        }
        for (int level = work->level[i]; level < LEVELS; level++) {
            if (!work->occupied[level]) continue;
            double cell = ldexp(work->smallest, level), half = 0.5 * cell;
            int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
            for (int k = 0; k < dimension; k++) {
                low[k] = cell_index(axis(&box->low, k) - half, cell);
                high[k] = cell_index(axis(&box->high, k) + half, cell);
            }
            for (int32_t z = low[2]; z <= high[2]; z++)
                for (int32_t y = low[1]; y <= high[1]; y++) {
                    uint32_t row = row_of(level, y, z);
                    for (int32_t x = low[0]; x <= high[0]; x++) {
                        uint32_t bucket = bucket_of(work, row, x);
                        for (uint32_t m = work->start[bucket]; m < work->start[bucket + 1]; m++) {
                            int32_t j = work->member[m];
                            if (level == work->level[i] && j <= (int32_t)i) continue;
                            if (work->level[j] != level || work->cell[j][0] != x || work->cell[j][1] != y ||
                                work->cell[j][2] != z)
                                continue;
                            if (may_touch(broad, dimension, query->proxies, (int32_t)i, j))
                                mrn_array_push(&work->thread[thread].found, pair_key((int32_t)i, j));
                        }
                    }
                }
        }
    }
}

/// Sort keys by bytes, least significant first.
static void radix_sort(uint64_t *keys, uint64_t *scratch, size_t count) {
    if (count < 2) return;
    uint64_t all_or = 0, all_and = ~(uint64_t)0;
    for (size_t i = 0; i < count; i++) all_or |= keys[i], all_and &= keys[i];
    for (int shift = 0; shift < 64; shift += 8) {
        if (((all_or ^ all_and) >> shift & 255) == 0) continue; // this byte is the same everywhere
        size_t position[257] = {0};
        for (size_t i = 0; i < count; i++) position[(keys[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) position[b + 1] += position[b];
        for (size_t i = 0; i < count; i++) scratch[position[keys[i] >> shift & 255]++] = keys[i];
        memcpy(keys, scratch, count * sizeof *keys);
    }
}

static MrnBox fatten(const MrnProxy *proxy) {
    double s = proxy->slack;
    const MrnBox *box = &proxy->box;
    return (MrnBox){{box->low.x - s, box->low.y - s, box->low.z - s},
                    {box->high.x + s, box->high.y + s, box->high.z + s}};
}

void mrn_broad_build(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads) {
    struct MrnBroadWork *work = broad->work;
    for (size_t i = 0; i < broad->body_count; i++) {
        work->present[i] = proxies[i].active;
        broad->fat[i] = fatten(&proxies[i]);
    }
    memset(work->moved, 0, broad->body_count * sizeof *work->moved);
    work->movers.count = 0;
    insert_bodies(broad, dimension, proxies);
    for (int t = 0; t < 64; t++) work->thread[t].found.count = 0;
    Query query = {broad, proxies, dimension};
    mrn_threads_for(threads, broad->body_count, 2048, find_pairs, &query);
    work->keys.count = 0;
    for (int t = 0; t < 64; t++)
        for (size_t k = 0; k < work->thread[t].found.count; k++)
            mrn_array_push(&work->keys, work->thread[t].found.data[k]);
    for (size_t i = 0; i < work->unbounded.count; i++)
        for (size_t j = i + 1; j < work->unbounded.count; j++)
            if (may_touch(broad, dimension, proxies, work->unbounded.data[i], work->unbounded.data[j]))
                mrn_array_push(&work->keys, pair_key(work->unbounded.data[i], work->unbounded.data[j]));
    mrn_array_resize(&work->scratch, work->keys.count);
    radix_sort(work->keys.data, work->scratch.data, work->keys.count);
    mrn_array_resize(&broad->pairs, work->keys.count);
    for (size_t k = 0; k < work->keys.count; k++)
        broad->pairs.data[k] =
            (MrnPair){(int32_t)(work->keys.data[k] >> 32), (int32_t)(work->keys.data[k] & UINT32_MAX)};
    if (work->keys.count > KEPT_KEYS) { // searches are rare: large lists give their memory back
        mrn_array_free(&work->keys);
        mrn_array_free(&work->scratch);
        for (int t = 0; t < 64; t++) mrn_array_free(&work->thread[t].found);
    }
    broad->valid = true;
    broad->builds++;
}

/// More bodies than this share of all may not have left the grids: each is looked at one by one.
#define MOVERS 16

/// A body that looks at more cells than this is better served by finding all pairs anew.
#define MAX_CELLS 4096

/// Cells of one level that a box may meet; false if they are too many.
static bool cells_of(const struct MrnBroadWork *work, const MrnBox *box, int dimension, int level, int32_t low[3],
                     int32_t high[3]) {
    double cell = ldexp(work->smallest, level), half = 0.5 * cell, count = 1;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = 0;
        if (k >= dimension) continue;
        low[k] = cell_index(axis(&box->low, k) - half, cell);
        high[k] = cell_index(axis(&box->high, k) + half, cell);
        count *= (double)high[k] - (double)low[k] + 1;
    }
    return count <= MAX_CELLS;
}

/// Append the pairs of a body that has left the grids. Of two bodies that changed, the one with the larger number finds
/// the pair. False if that would be too much work.
static bool pairs_of(MrnBroad *broad, int dimension, const MrnProxy *proxies, int32_t i) {
    struct MrnBroadWork *work = broad->work;
    const MrnBox *box = &broad->fat[i];
#define MEET(j)                                                                                                        \
    if ((j) != i && !(work->changed[j] && (j) > i) && may_touch(broad, dimension, proxies, i, j))                      \
    mrn_array_push(&work->keys, pair_key(i, (j)))
    for (size_t k = 0; k < work->unbounded.count; k++) MEET(work->unbounded.data[k]);
    for (size_t k = 0; k < work->movers.count; k++) MEET(work->movers.data[k]);
    for (int level = 0; level < LEVELS; level++) {
        int32_t low[3], high[3];
        if (!work->occupied[level]) continue;
        if (!cells_of(work, box, dimension, level, low, high)) return false;
        for (int32_t z = low[2]; z <= high[2]; z++)
            for (int32_t y = low[1]; y <= high[1]; y++) {
                uint32_t row = row_of(level, y, z);
                for (int32_t x = low[0]; x <= high[0]; x++) {
                    uint32_t bucket = bucket_of(work, row, x);
                    for (uint32_t m = work->start[bucket]; m < work->start[bucket + 1]; m++) {
                        int32_t j = work->member[m];
                        if (work->moved[j] || work->level[j] != level || work->cell[j][0] != x ||
                            work->cell[j][1] != y || work->cell[j][2] != z)
                            continue;
                        MEET(j);
                    }
                }
            }
    }
#undef MEET
    return true;
}

/// Take bodies out of the grids, with new fat boxes. False if they are unbounded or too many.
static bool move_bodies(MrnBroad *broad, int dimension, const MrnProxy *proxies, const int32_t *changed, size_t count) {
    struct MrnBroadWork *work = broad->work;
    for (size_t k = 0; k < count; k++) {
        int32_t i = changed[k];
        if (work->present[i] && work->level[i] < 0 && !work->moved[i]) return false; // an unbounded obstacle
        broad->fat[i] = fatten(&proxies[i]);
        if (proxies[i].active && !(extent(&broad->fat[i], dimension) < INFINITY)) return false;
        work->present[i] = proxies[i].active;
        work->moved[i] = true;
    }
    // A body that went stays marked, but is no mover any more.
    size_t kept = 0;
    for (size_t k = 0; k < work->movers.count; k++)
        if (!work->changed[work->movers.data[k]]) work->movers.data[kept++] = work->movers.data[k];
    work->movers.count = kept;
    for (size_t k = 0; k < count; k++)
        if (proxies[changed[k]].active) mrn_array_push(&work->movers, changed[k]);
    return work->movers.count <= 64 + broad->body_count / MOVERS;
}

bool mrn_broad_refresh(MrnBroad *broad, int dimension, const MrnProxy *proxies, const int32_t *changed, size_t count) {
    struct MrnBroadWork *work = broad->work;
    bool few = broad->valid && count <= 16 + broad->body_count / (4 * MOVERS);
    if (few) {
        for (size_t k = 0; k < count; k++) work->changed[changed[k]] = true;
        work->keys.count = 0;
        few = move_bodies(broad, dimension, proxies, changed, count);
        for (size_t k = 0; k < count && few; k++)
            if (proxies[changed[k]].active) few = pairs_of(broad, dimension, proxies, changed[k]);
    }
    if (few) { // old pairs of all the others, and the new ones, in order
        mrn_array_resize(&work->scratch, work->keys.count);
        radix_sort(work->keys.data, work->scratch.data, work->keys.count);
        mrn_array_resize(&work->merged, broad->pairs.count + work->keys.count);
        size_t n = 0, next = 0;
        for (size_t k = 0; k < broad->pairs.count; k++) {
            MrnPair pair = broad->pairs.data[k];
            if (work->changed[pair.a] || work->changed[pair.b]) continue;
            uint64_t key = pair_key(pair.a, pair.b);
            for (; next < work->keys.count && work->keys.data[next] < key; next++)
                work->merged.data[n++] =
                    (MrnPair){(int32_t)(work->keys.data[next] >> 32), (int32_t)(work->keys.data[next] & UINT32_MAX)};
            work->merged.data[n++] = pair;
        }
        for (; next < work->keys.count; next++)
            work->merged.data[n++] =
                (MrnPair){(int32_t)(work->keys.data[next] >> 32), (int32_t)(work->keys.data[next] & UINT32_MAX)};
        work->merged.count = n;
        MrnPair *old = broad->pairs.data;
        size_t capacity = broad->pairs.capacity;
        broad->pairs.data = work->merged.data, broad->pairs.count = n, broad->pairs.capacity = work->merged.capacity;
        work->merged.data = old, work->merged.capacity = capacity;
        broad->refreshes++;
    }
    for (size_t k = 0; k < count; k++) work->changed[changed[k]] = false;
    if (!few) broad->valid = false;
    return few;
}

bool mrn_broad_covers(const MrnBroad *broad, int dimension, size_t body, const MrnProxy *proxy) {
    if (!broad->valid || proxy->active != broad->work->present[body]) return false;
    return !proxy->active || box_holds(&broad->fat[body], &proxy->box, dimension);
}

void mrn_broad_update(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads) {
    bool covered = true;
    for (size_t i = 0; i < broad->body_count && covered; i++)
        covered = mrn_broad_covers(broad, dimension, i, &proxies[i]);
    if (!covered || !broad->valid) mrn_broad_build(broad, dimension, proxies, threads);
}
