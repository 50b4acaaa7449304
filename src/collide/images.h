// Images of bodies in a plane that repeats itself with a rectangular cell.
//
// A body far from the cell is brought back by whole periods, which gives its home; the images in cells 1 to 4 (right,
// upper right, above, upper left) join the broad phase as further proxies. The opposite cells hold nothing new: a body
// that meets an image there is met from an image here. So each pair of bodies is found once for every way around the
// plane in which it may touch. What always holds: positions keep whole trajectories, and a pair names the image of b by
// its distance from b itself, which does not change while either of them crosses a border.
#ifndef MRN_COLLIDE_IMAGES_H
#define MRN_COLLIDE_IMAGES_H

#include "collide/broad.h"
#include "model/model.h"

#define MRN_IMAGES 4 ///< further proxies of a body

/// Bodies a and b, the latter moved by whole periods.
typedef struct MrnImagePair {
    int32_t a, b; ///< a < b
    int32_t cell_x, cell_y;
} MrnImagePair;

typedef struct MrnImages {
    size_t bodies;
    MrnVec2 period, middle; ///< m, of the cell
    double grain;           ///< m, rounding of the fat boxes
    double widest;          ///< m, how far from its mass centre a fat box may go
    int32_t (*home)[2];     ///< per body: periods between the cell and where it was when its proxies were made
    MRN_ARRAY(int32_t) changed;
    MRN_ARRAY(MrnImagePair) pairs; ///< sorted by (a, b, cell_x, cell_y)
} MrnImages;

MrnImages *mrn_images_new(const MrnModel *model);
void mrn_images_free(MrnImages *images);

/// Number of the body that a proxy stands for.
static inline size_t mrn_images_body(const MrnImages *images, size_t proxy) {
    return proxy < images->bodies ? proxy : (proxy - images->bodies) / MRN_IMAGES;
}

/// The body is brought home from here.
void mrn_images_set_home(MrnImages *images, size_t body, MrnVec3 position);
/// A box of a body, seen from the middle of the cell after the body was brought home.
MrnBox mrn_images_at_home(const MrnImages *images, size_t body, MrnBox box);
/// Fatten the box of a body only so much that it and its images keep to their neighbours.
void mrn_images_limit(const MrnImages *images, MrnProxy *proxy, MrnVec3 position);
/// How far from its mass centre the fat box of a body goes.
double mrn_images_extent(const MrnImages *images, const MrnProxy *proxy, MrnVec3 position);
/// From the proxy of a body where it is to the proxy of it or of one of its images, as the broad phase wants it.
void mrn_images_place(const MrnImages *images, size_t number, MrnProxy *proxy);
/// Bodies and then all their images, ascending.
void mrn_images_list(MrnImages *images, const int32_t *bodies, size_t count);
/// Pairs of bodies from pairs of proxies.
void mrn_images_find_pairs(MrnImages *images, const MrnBroad *broad);

/// Distance of the image of b from b.
static inline MrnVec2 mrn_images_shift(const MrnImages *images, const MrnImagePair *pair) {
    return mrn_vec2(pair->cell_x * images->period.x, pair->cell_y * images->period.y);
}

#endif
