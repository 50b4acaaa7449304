// Broad phase: which pairs of bodies may touch.
//
// Each body has a fat box, somewhat larger than its true one. Pairs whose fat boxes overlap are kept until bodies leave
// their fat boxes. If those are few in a step they move to other cells of the grids and get pairs of their own;
// otherwise all pairs are found again. The grids are a hierarchy of hashed ones, one level per power of two of body
// size, so that the time is proportional to the number of bodies and pairs whatever the ratio of sizes. The list is a
// superset of the true pairs and sorted, so contacts do not depend on when it was made.
#ifndef MRN_COLLIDE_BROAD_H
#define MRN_COLLIDE_BROAD_H

#include "base/memory.h"
#include "base/threads.h"
#include "geom/shape.h"

typedef struct MrnPair {
    int32_t a, b; ///< a < b
} MrnPair;

/// A fat box: every step reads those of all bodies, so they are kept in single precision, rounded outwards.
typedef struct MrnFatBox {
    float low[3], high[3];
} MrnFatBox;

typedef struct MrnBroad {
    size_t body_count;
    MrnFatBox *fat;           ///< per body
    uint8_t *present;         ///< per body: was active when it got its fat box
    MRN_ARRAY(MrnPair) pairs; ///< sorted by (a, b)
    uint8_t *pair_count;      ///< per body: in how many pairs it is; 255: in at least so many, or was
    bool valid;               ///< false before the first build
    long builds;              ///< how often all pairs were found anew
    long refreshes;           ///< how often a few bodies got new pairs
    struct MrnBroadWork *work;
} MrnBroad;

/// What the broad phase needs to know of a body.
typedef struct MrnProxy {
    MrnBox box;                     ///< holds the body and its margin now; may be unbounded
    double slack;                   ///< how much to fatten the box, > 0
    double radius;                  ///< of a ball (2D: disc) in the middle of the box; 0: anything else
    const MrnHalfSpace *half_space; ///< of an unbounded body: holds it and its margin, however oblique; NULL: only box
    int32_t group;                  ///< bodies of the same group > 0 do not collide
    bool movable;                   ///< two immovable bodies do not collide
    bool active;
} MrnProxy;

/// Gives the proxy of a body.
typedef MrnProxy MrnProxySource(const void *context, size_t body);

MrnBroad *mrn_broad_new(size_t body_count);
void mrn_broad_free(MrnBroad *broad);

/// Is a box inside a fat box? `dimension` is 2 or 3.
static inline bool mrn_fat_box_holds(const MrnFatBox *fat, const MrnBox *box, int dimension) {
    return box->low.x >= (double)fat->low[0] && box->high.x <= (double)fat->high[0] &&
           box->low.y >= (double)fat->low[1] && box->high.y <= (double)fat->high[1] &&
           (dimension == 2 || (box->low.z >= (double)fat->low[2] && box->high.z <= (double)fat->high[2]));
}

/// Is the body, as it is now, still covered by the last search for pairs?
static inline bool mrn_broad_covers(const MrnBroad *broad, int dimension, size_t body, bool active, const MrnBox *box) {
    if (!broad->valid || active != (broad->present[body] != 0)) return false;
    return !active || mrn_fat_box_holds(&broad->fat[body], box, dimension);
}

/// Give new fat boxes and pairs to some bodies, ascending: those that the last search does not cover any more. False if
/// it is better to find all pairs anew; the list is then not valid until that is done.
bool mrn_broad_refresh(MrnBroad *broad, int dimension, MrnProxySource *source, const void *context,
                       const int32_t *changed, size_t count, MrnThreads *threads);
/// Find the pairs anew.
void mrn_broad_build(MrnBroad *broad, int dimension, MrnProxySource *source, const void *context, MrnThreads *threads);
/// The same for an array of proxies, one per body.
void mrn_broad_build_all(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads);
/// Make `pairs` valid for these proxies.
void mrn_broad_update(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads);

#endif
