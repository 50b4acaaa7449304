// Hierarchical hashed grids: a cell is a list of bodies, linked, so that a body can go to another cell at once.
#include "collide/broad.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS    64
#define ROOMY     1.4   ///< size of the smallest cells over that of the smallest box: equal bodies look at fewer cells
#define KEPT_KEYS 65536 ///< longest list of pairs for which the search keeps its work arrays

/// A body in the grids.
typedef struct Node {
    int32_t cell[3]; ///< of the centre of its fat box, at its level
    int32_t next;    ///< in the same bucket; -1: none
    float radius;    ///< m, of a ball, rounded down; 0: anything else
    int32_t group;
    int8_t level; ///< -1: not in a grid (inactive or unbounded)
    bool movable;
} Node;

typedef struct Unbounded {
    int32_t body;
    bool flat; ///< the half-space holds it
    MrnHalfSpace half_space;
} Unbounded;

struct MrnBroadWork {
    Node *node;            ///< per body
    uint8_t *changed;      ///< per body: gets new pairs in this refresh; false between refreshes
    int32_t *head;         ///< per bucket: its first body; -1: none
    size_t bucket_count;   ///< power of two
    double smallest;       ///< cell size of level 0
    double widest[LEVELS]; ///< per level: extent of its largest box; 0: there is none
    MRN_ARRAY(Unbounded) unbounded;
    MRN_ARRAY(uint64_t) keys, scratch;
    MRN_ARRAY(uint32_t) first; ///< per body: its first pair, while the list is sorted
    struct {
        MRN_ARRAY(uint64_t) found;
        MRN_ARRAY(Unbounded) unbounded;
        double smallest;
        bool gave_up;
    } thread[64];
};

MrnBroad *mrn_broad_new(size_t body_count) {
    MrnBroad *broad = mrn_alloc_zero(1, sizeof *broad);
    struct MrnBroadWork *work = broad->work = mrn_alloc_zero(1, sizeof *work);
    broad->body_count = body_count;
    size_t n = body_count ? body_count : 1;
    broad->fat = mrn_alloc(n, sizeof *broad->fat);
    broad->present = mrn_alloc_zero(n, sizeof *broad->present);
    broad->pair_count = mrn_alloc_zero(n, sizeof *broad->pair_count);
    work->node = mrn_alloc(n, sizeof *work->node);
    work->changed = mrn_alloc_zero(n, sizeof *work->changed);
    for (work->bucket_count = 16; work->bucket_count < 2 * n;) work->bucket_count *= 2;
    work->head = mrn_alloc(work->bucket_count, sizeof *work->head);
    return broad;
}

static void give_back(struct MrnBroadWork *work) {
    mrn_array_free(&work->keys);
    mrn_array_free(&work->scratch);
    mrn_array_free(&work->first);
    for (int t = 0; t < 64; t++) mrn_array_free(&work->thread[t].found);
}

void mrn_broad_free(MrnBroad *broad) {
    if (!broad) return;
    struct MrnBroadWork *work = broad->work;
    give_back(work);
    mrn_array_free(&work->unbounded);
    for (int t = 0; t < 64; t++) mrn_array_free(&work->thread[t].unbounded);
    free(work->node);
    free(work->changed);
    free(work->head);
    free(work);
    free(broad->fat);
    free(broad->present);
    free(broad->pair_count);
    mrn_array_free(&broad->pairs);
    free(broad);
}

static bool boxes_overlap(const MrnFatBox *a, const MrnFatBox *b, int dimension) {
    for (int k = 0; k < dimension; k++)
        if (a->high[k] < b->low[k] || b->high[k] < a->low[k]) return false;
    return true;
}

static double extent(const MrnFatBox *box, int dimension) {
    double size = 0;
    for (int k = 0; k < dimension; k++) size = fmax(size, (double)box->high[k] - (double)box->low[k]);
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

/// The float next to x towards -INFINITY or INFINITY, or x itself.
static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}
static float above(double x) {
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

/// Take a body in: its fat box and what does not depend on the grids. False if it has no place in a grid.
static bool take_in(MrnBroad *broad, int dimension, size_t i, const MrnProxy *proxy) {
    const double low[3] = {proxy->box.low.x, proxy->box.low.y, proxy->box.low.z},
                 high[3] = {proxy->box.high.x, proxy->box.high.y, proxy->box.high.z};
    MrnFatBox *fat = &broad->fat[i];
    Node *node = &broad->work->node[i];
    for (int k = 0; k < 3; k++)
        fat->low[k] = k < dimension ? below(low[k] - proxy->slack) : 0,
        fat->high[k] = k < dimension ? above(high[k] + proxy->slack) : 0;
    broad->present[i] = proxy->active;
    *node = (Node){.next = -1,
                   .radius = proxy->radius > 0 ? below(proxy->radius) : 0,
                   .group = proxy->group,
                   .level = -1,
                   .movable = proxy->movable};
    return proxy->active && extent(fat, dimension) < INFINITY;
}

/// Put a body that has its fat box into the grids. False if it is so large that it meets everything anyway.
static bool insert(MrnBroad *broad, int dimension, size_t i) {
    struct MrnBroadWork *work = broad->work;
    const MrnFatBox *fat = &broad->fat[i];
    Node *node = &work->node[i];
    double ratio = extent(fat, dimension) / work->smallest;
    if (!(ratio < 0x1p60)) return false;
    int level = 0;
    if (frexp(ratio, &level) == 0.5) level--; // smallest level with ratio <= 2^level
    if (level < 0) level = 0;
    double cell = ldexp(work->smallest, level);
    for (int k = 0; k < dimension; k++)
        node->cell[k] = cell_index(0.5 * ((double)fat->low[k] + (double)fat->high[k]), cell);
    node->level = (int8_t)level;
    work->widest[level] = fmax(work->widest[level], extent(fat, dimension));
    uint32_t bucket = bucket_of(work, row_of(level, node->cell[1], node->cell[2]), node->cell[0]);
    node->next = work->head[bucket];
    work->head[bucket] = (int32_t)i;
    return true;
}

static void take_out(struct MrnBroadWork *work, int32_t i) {
    Node *node = &work->node[i];
    int32_t *at = &work->head[bucket_of(work, row_of(node->level, node->cell[1], node->cell[2]), node->cell[0])];
    while (*at != i) at = &work->node[*at].next;
    *at = node->next;
}

/// How far a ball and the place of its centre can reach from the centre of its fat box, while that holds it.
static double ball_reach(const MrnFatBox *fat, double radius, int dimension) {
    double half = 0.5 * extent(fat, dimension);
    return radius + (dimension == 2 ? 1.4142135623730951 : 1.7320508075688772) * (half - radius);
}

/// Two balls in fat boxes that overlap at their corners only.
static bool balls_apart(const MrnFatBox *a, double radius_a, const MrnFatBox *b, double radius_b, int dimension) {
    double reach = ball_reach(a, radius_a, dimension) + ball_reach(b, radius_b, dimension), square = 0;
    for (int k = 0; k < dimension; k++) {
        double d = 0.5 * (((double)a->low[k] + (double)a->high[k]) - ((double)b->low[k] + (double)b->high[k]));
        square += d * d;
    }
    return square > reach * reach * (1 + 1e-9);
}

/// Do the fat boxes of two bodies say that they may touch?
static inline bool may_touch(const MrnBroad *broad, int dimension, int32_t i, int32_t j) {
    if (!boxes_overlap(&broad->fat[i], &broad->fat[j], dimension)) return false;
    const Node *a = &broad->work->node[i], *b = &broad->work->node[j];
    if (!(a->movable || b->movable) || (a->group > 0 && a->group == b->group)) return false;
    return !(a->radius > 0 && b->radius > 0) ||
           !balls_apart(&broad->fat[i], (double)a->radius, &broad->fat[j], (double)b->radius, dimension);
}

/// Does a fat box stay outside a half-space? Rounding may say no.
static bool is_outside(const MrnFatBox *box, const MrnHalfSpace *half_space, int dimension) {
    const double n[3] = {half_space->normal.x, half_space->normal.y, half_space->normal.z};
    double least = 0, size = fabs(half_space->offset);
    for (int k = 0; k < dimension; k++) {
        double term = n[k] * (double)(n[k] > 0 ? box->low[k] : box->high[k]);
        least += term, size += fabs(term);
    }
    return least - half_space->offset > 1e-12 * size;
}

static bool may_touch_unbounded(const MrnBroad *broad, int dimension, int32_t i, const Unbounded *other) {
    if (other->flat && is_outside(&broad->fat[i], &other->half_space, dimension)) return false;
    return may_touch(broad, dimension, i, other->body);
}

typedef struct Query {
    MrnBroad *broad;
    MrnProxySource *source;
    const void *context;
    const int32_t *changed; ///< of a refresh
    int dimension;
} Query;

static uint64_t pair_key(int32_t i, int32_t j) {
    return i < j ? (uint64_t)i << 32 | (uint32_t)j : (uint64_t)j << 32 | (uint32_t)i;
}

/// A body that looks at more cells than this is better served by finding all pairs anew.
#define MAX_CELLS 4096

/// Cells of one level that a box may meet; their number.
static double cells_of(const struct MrnBroadWork *work, const MrnFatBox *box, int dimension, int level, int32_t low[3],
                       int32_t high[3]) {
    double cell = ldexp(work->smallest, level), half = 0.5 * (1 + 1e-6) * work->widest[level], count = 1;
    low[2] = high[2] = 0;
    for (int k = 0; k < dimension; k++) {
        low[k] = cell_index((double)box->low[k] - half, cell);
        high[k] = cell_index((double)box->high[k] + half, cell);
        count *= (double)high[k] - (double)low[k] + 1;
    }
    return count;
}

#define WAITING 64

typedef struct Waiting {
    uint32_t bucket;
    int32_t head, cell[3];
} Waiting;

/// Cells whose bodies are to meet body i.
typedef struct Met {
    int32_t i;
    int level;
    bool refresh, same; ///< same: bodies of its own level
    int count;
    Waiting waiting[WAITING];
} Met;

/// Buckets, then bodies lie anywhere in memory: they are looked at when all have been called for.
static inline void serve(MrnBroad *broad, int dimension, Met *met, int thread) {
    struct MrnBroadWork *work = broad->work;
    int32_t i = met->i;
    for (int k = 0; k < met->count; k++) {
        int32_t j = met->waiting[k].head = work->head[met->waiting[k].bucket];
        if (j < 0) continue;
        __builtin_prefetch(&work->node[j]);
        __builtin_prefetch(&broad->fat[j]);
    }
    for (int k = 0; k < met->count; k++) {
        const int32_t *cell = met->waiting[k].cell;
        for (int32_t j = met->waiting[k].head; j >= 0; j = work->node[j].next) {
            const Node *node = &work->node[j];
            if (met->same && j <= i) continue;
            if (node->level != met->level || node->cell[0] != cell[0] || node->cell[1] != cell[1] ||
                node->cell[2] != cell[2])
                continue;
            if (met->refresh && (j == i || (work->changed[j] && j > i))) continue;
            if (may_touch(broad, dimension, i, j)) mrn_array_push(&work->thread[thread].found, pair_key(i, j));
        }
    }
    met->count = 0;
}

/// Look for the pairs of body i. In a search for all, bodies of the same level are met by the one with the smaller
/// number and those of others by the smaller one; in a refresh body i meets all, and of two that changed the one with
/// the larger number finds the pair.
static inline void meet_all(MrnBroad *broad, int dimension, int32_t i, bool refresh, int thread) {
    struct MrnBroadWork *work = broad->work;
    const MrnFatBox *box = &broad->fat[i];
    for (size_t k = 0; k < work->unbounded.count; k++)
        if (may_touch_unbounded(broad, dimension, i, &work->unbounded.data[k]))
            mrn_array_push(&work->thread[thread].found, pair_key(i, work->unbounded.data[k].body));
    for (int level = refresh ? 0 : work->node[i].level; level < LEVELS; level++) {
        if (!(work->widest[level] > 0)) continue;
        int32_t low[3], high[3];
        if (cells_of(work, box, dimension, level, low, high) > MAX_CELLS && refresh) {
            work->thread[thread].gave_up = true;
            return;
        }
        Met met;
        met.i = i, met.level = level, met.refresh = refresh, met.count = 0;
        met.same = !refresh && level == work->node[i].level;
        for (int32_t z = low[2]; z <= high[2]; z++)
            for (int32_t y = low[1]; y <= high[1]; y++) {
                uint32_t row = row_of(level, y, z);
                for (int32_t x = low[0]; x <= high[0]; x++) {
                    uint32_t bucket = bucket_of(work, row, x);
                    __builtin_prefetch(&work->head[bucket]);
                    met.waiting[met.count++] = (Waiting){bucket, -1, {x, y, z}};
                    if (met.count == WAITING) serve(broad, dimension, &met, thread);
                }
            }
        serve(broad, dimension, &met, thread);
    }
}

static void find_pairs(void *context, size_t begin, size_t end, int thread) {
    Query *query = context;
    for (size_t i = begin; i < end; i++)
        if (query->broad->work->node[i].level >= 0) meet_all(query->broad, query->dimension, (int32_t)i, false, thread);
}

static void find_new_pairs(void *context, size_t begin, size_t end, int thread) {
    Query *query = context;
    for (size_t k = begin; k < end; k++)
        if (query->broad->present[query->changed[k]])
            meet_all(query->broad, query->dimension, query->changed[k], true, thread);
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

static MrnPair pair_of(uint64_t key) {
    return (MrnPair){(int32_t)(key >> 32), (int32_t)(key & UINT32_MAX)};
}

static void count_pair(MrnBroad *broad, MrnPair pair) {
    if (broad->pair_count[pair.a] < UINT8_MAX) broad->pair_count[pair.a]++;
    if (broad->pair_count[pair.b] < UINT8_MAX) broad->pair_count[pair.b]++;
}

static void forget_pair(MrnBroad *broad, MrnPair pair) {
    if (broad->pair_count[pair.a] < UINT8_MAX) broad->pair_count[pair.a]--;
    if (broad->pair_count[pair.b] < UINT8_MAX) broad->pair_count[pair.b]--;
}

/// Pairs of bodies [begin, end) by their second bodies. Pairs of large bodies come in this order already.
static void sort_seconds(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnBroad *broad = context;
    const uint32_t *first = broad->work->first.data;
    for (size_t a = begin; a < end; a++)
        for (uint32_t k = first[a] + 1; k < first[a + 1]; k++) {
            MrnPair pair = broad->pairs.data[k];
            uint32_t at = k;
            for (; at > first[a] && broad->pairs.data[at - 1].b > pair.b; at--)
                broad->pairs.data[at] = broad->pairs.data[at - 1];
            broad->pairs.data[at] = pair;
        }
}

/// The pairs that the threads have found and those among unbounded bodies, in order.
static void sort_pairs(MrnBroad *broad, int dimension, MrnThreads *threads) {
    struct MrnBroadWork *work = broad->work;
    for (size_t i = 0; i < work->unbounded.count; i++)
        for (size_t j = i + 1; j < work->unbounded.count; j++)
            if (may_touch(broad, dimension, work->unbounded.data[i].body, work->unbounded.data[j].body))
                mrn_array_push(&work->thread[0].found,
                               pair_key(work->unbounded.data[i].body, work->unbounded.data[j].body));
    size_t n = broad->body_count, count = 0;
    mrn_array_resize(&work->first, n + 2);
    uint32_t *first = work->first.data;
    memset(first, 0, (n + 2) * sizeof *first);
    for (int t = 0; t < 64; t++) {
        count += work->thread[t].found.count;
        for (size_t k = 0; k < work->thread[t].found.count; k++) first[(work->thread[t].found.data[k] >> 32) + 2]++;
    }
    for (size_t i = 0; i < n; i++) first[i + 2] += first[i + 1];
    mrn_array_resize(&broad->pairs, count);
    memset(broad->pair_count, 0, n * sizeof *broad->pair_count);
    for (int t = 0; t < 64; t++)
        for (size_t k = 0; k < work->thread[t].found.count; k++) {
            MrnPair pair = pair_of(work->thread[t].found.data[k]);
            broad->pairs.data[first[pair.a + 1]++] = pair;
            count_pair(broad, pair);
        }
    mrn_threads_for(threads, n, 2048, sort_seconds, broad);
}

/// Fat boxes of bodies [begin, end), and those that are in no grid.
static void take_in_range(void *context, size_t begin, size_t end, int thread) {
    Query *query = context;
    MrnBroad *broad = query->broad;
    for (size_t i = begin; i < end; i++) {
        MrnProxy proxy = query->source(query->context, i);
        if (take_in(broad, query->dimension, i, &proxy)) {
            double size = extent(&broad->fat[i], query->dimension);
            if (size > 0) broad->work->thread[thread].smallest = fmin(broad->work->thread[thread].smallest, size);
        } else if (proxy.active) {
            Unbounded other = {.body = (int32_t)i, .flat = proxy.half_space != NULL};
            if (other.flat) {
                other.half_space = *proxy.half_space;
                other.half_space.offset += proxy.slack;
            }
            mrn_array_push(&broad->work->thread[thread].unbounded, other);
        }
    }
}

void mrn_broad_build(MrnBroad *broad, int dimension, MrnProxySource *source, const void *context, MrnThreads *threads) {
    struct MrnBroadWork *work = broad->work;
    Query query = {.broad = broad, .source = source, .context = context, .dimension = dimension};
    work->unbounded.count = 0;
    for (int level = 0; level < LEVELS; level++) work->widest[level] = 0;
    for (int t = 0; t < 64; t++) {
        work->thread[t].found.count = work->thread[t].unbounded.count = 0;
        work->thread[t].smallest = INFINITY;
    }
    mrn_threads_for(threads, broad->body_count, 1024, take_in_range, &query);
    work->smallest = INFINITY;
    for (int t = 0; t < 64; t++) {
        work->smallest = fmin(work->smallest, work->thread[t].smallest);
        for (size_t k = 0; k < work->thread[t].unbounded.count; k++)
            mrn_array_push(&work->unbounded, work->thread[t].unbounded.data[k]);
    }
    work->smallest *= ROOMY;
    memset(work->head, -1, work->bucket_count * sizeof *work->head);
    // Backwards: a bucket fills from its head, so its bodies ascend.
    for (size_t i = broad->body_count; i-- > 0;)
        if (broad->present[i] && extent(&broad->fat[i], dimension) < INFINITY && !insert(broad, dimension, i)) {
            Unbounded large = {.body = (int32_t)i};
            mrn_array_push(&work->unbounded, large);
        }
    mrn_threads_for(threads, broad->body_count, 1024, find_pairs, &query);
    sort_pairs(broad, dimension, threads);
    if (broad->pairs.count > KEPT_KEYS) give_back(work); // searches are rare: large lists give their memory back
    broad->valid = true;
    broad->builds++;
}

#define AHEAD 4 ///< bodies whose place in memory is called for before they are needed

/// Move bodies to other cells, with new fat boxes. False if one is unbounded.
static bool move_bodies(Query *query, size_t count) {
    MrnBroad *broad = query->broad;
    for (size_t k = 0; k < count; k++) {
        int32_t i = query->changed[k];
        if (k + AHEAD < count) __builtin_prefetch(&broad->work->node[query->changed[k + AHEAD]], 1);
        if (broad->present[i]) {
            if (broad->work->node[i].level < 0) return false;
            take_out(broad->work, i);
        }
        MrnProxy proxy = query->source(query->context, (size_t)i);
        bool bounded = take_in(broad, query->dimension, (size_t)i, &proxy);
        if (proxy.active && !(bounded && insert(broad, query->dimension, (size_t)i))) return false;
    }
    return true;
}

/// Old pairs of the bodies that did not change, and the new ones, in order, in the same memory.
static void merge_pairs(MrnBroad *broad) {
    struct MrnBroadWork *work = broad->work;
    mrn_array_resize(&work->scratch, work->keys.count);
    radix_sort(work->keys.data, work->scratch.data, work->keys.count);
    size_t old = 0, next = work->keys.count;
    for (size_t k = 0; k < broad->pairs.count; k++) {
        MrnPair pair = broad->pairs.data[k];
        if (work->changed[pair.a] || work->changed[pair.b])
            forget_pair(broad, pair);
        else
            broad->pairs.data[old++] = pair;
    }
    mrn_array_resize(&broad->pairs, old + next);
    for (size_t at = old + next; next > 0;) { // from the back: there the room is
        uint64_t key = work->keys.data[next - 1];
        for (; old > 0 && pair_key(broad->pairs.data[old - 1].a, broad->pairs.data[old - 1].b) > key; old--)
            broad->pairs.data[--at] = broad->pairs.data[old - 1];
        broad->pairs.data[--at] = pair_of(key);
        count_pair(broad, pair_of(key));
        next--;
    }
}

/// If more than this share of the bodies get new boxes at once, so do all.
#define MOVERS 8

bool mrn_broad_refresh(MrnBroad *broad, int dimension, MrnProxySource *source, const void *context,
                       const int32_t *changed, size_t count, MrnThreads *threads) {
    struct MrnBroadWork *work = broad->work;
    bool few = broad->valid && count <= 16 + broad->body_count / MOVERS;
    if (few) {
        Query query = {broad, source, context, changed, dimension};
        for (int t = 0; t < 64; t++) work->thread[t].found.count = 0, work->thread[t].gave_up = false;
        for (size_t k = 0; k < count; k++) work->changed[changed[k]] = true;
        few = move_bodies(&query, count);
        if (few) mrn_threads_for(threads, count, 64, find_new_pairs, &query);
        work->keys.count = 0;
        for (int t = 0; t < 64; t++) {
            few &= !work->thread[t].gave_up;
            for (size_t k = 0; k < work->thread[t].found.count; k++)
                mrn_array_push(&work->keys, work->thread[t].found.data[k]);
        }
    }
    if (few) {
        merge_pairs(broad);
        broad->refreshes++;
    } else
        broad->valid = false;
    for (size_t k = 0; k < count; k++) work->changed[changed[k]] = false;
    return few;
}

static MrnProxy proxy_of(const void *context, size_t body) {
    return ((const MrnProxy *)context)[body];
}

void mrn_broad_build_all(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads) {
    mrn_broad_build(broad, dimension, proxy_of, proxies, threads);
}

void mrn_broad_update(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads) {
    bool covered = broad->valid;
    for (size_t i = 0; i < broad->body_count && covered; i++)
        covered = mrn_broad_covers(broad, dimension, i, proxies[i].active, &proxies[i].box);
    if (!covered) mrn_broad_build_all(broad, dimension, proxies, threads);
}
