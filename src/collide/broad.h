// Broad phase: which pairs of bodies may touch.
//
// Each body has a fat box, somewhat larger than its true one. Pairs whose fat boxes overlap are kept until bodies leave
// their fat boxes. If those are few they get new boxes and pairs of their own: they are looked for in the grids, and
// one by one among those that left before. If they have become many, all pairs are found again with a hierarchy of
// hashed grids, one level per power of two of body size, in time proportional to the number of bodies and pairs
// whatever the ratio of sizes. The list is a superset of the true pairs and sorted, so contacts do not depend on when
// it was made.
#ifndef MRN_COLLIDE_BROAD_H
#define MRN_COLLIDE_BROAD_H

#include "base/memory.h"
#include "base/threads.h"
#include "geom/shape.h"

typedef struct MrnPair {
    int32_t a, b; ///< a < b
} MrnPair;

typedef struct MrnBroad {
    size_t body_count;
    MrnBox *fat;              ///< per body, as of the last build
    MRN_ARRAY(MrnPair) pairs; ///< sorted by (a, b)
    bool valid;               ///< false before the first build
    long builds;              ///< how often all pairs were found anew
    long refreshes;           ///< how often a few bodies got new pairs
    struct MrnBroadWork *work;
} MrnBroad;

/// What the broad phase needs to know of a body.
typedef struct MrnProxy {
    MrnBox box;    ///< holds the body and its margin now; may be unbounded
    double slack;  ///< how much to fatten the box, > 0
    double radius; ///< of a ball (2D: disc) in the middle of the box; 0: anything else
    int32_t group; ///< bodies of the same group > 0 do not collide
    bool movable;  ///< two immovable bodies do not collide
    bool active;
} MrnProxy;

MrnBroad *mrn_broad_new(size_t body_count);
void mrn_broad_free(MrnBroad *broad);
/// Is the body, as it is now, still covered by the last search for pairs? `dimension` is 2 or 3.
bool mrn_broad_covers(const MrnBroad *broad, int dimension, size_t body, const MrnProxy *proxy);
/// Give new fat boxes and pairs to some bodies, ascending: those that the last search does not cover any more. Only
/// their boxes are read. False if it is better to find all pairs anew; the list is then not valid until that is done.
bool mrn_broad_refresh(MrnBroad *broad, int dimension, const MrnProxy *proxies, const int32_t *changed, size_t count);
/// Find the pairs anew.
void mrn_broad_build(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads);
/// Make `pairs` valid for these proxies.
void mrn_broad_update(MrnBroad *broad, int dimension, const MrnProxy *proxies, MrnThreads *threads);

#endif
