// Images of bodies in a plane that repeats itself: homes, proxies, pairs.
#include "collide/images.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/// Cells 1 to 4; cells 5 to 8 are their opposites.
static const int cells[MRN_IMAGES][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};

MrnImages *mrn_images_new(const MrnModel *model) {
    MrnImages *images = mrn_alloc_zero(1, sizeof *images);
    const double *low = model->period_low, *high = model->period_high;
    images->bodies = model->bodies.count;
    images->period = mrn_vec2(high[0] - low[0], high[1] - low[1]);
    images->middle = mrn_vec2(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]));
    // Boxes of images reach no farther than two periods from the middle.
    images->grain = 2 * (double)FLT_EPSILON * 2 * fmax(images->period.x, images->period.y);
    images->home = mrn_alloc_zero(images->bodies + 1, sizeof *images->home);
    return images;
}

void mrn_images_free(MrnImages *images) {
    if (!images) return;
    free(images->home);
    mrn_array_free(&images->changed);
    mrn_array_free(&images->pairs);
    free(images);
}

static int32_t periods(double distance, double period) {
    double count = rint(distance / period);
    return count < -1e9 ? -1000000000 : count > 1e9 ? 1000000000 : (int32_t)count;
}

void mrn_images_set_home(MrnImages *images, size_t body, MrnVec3 position) {
    images->home[body][0] = periods(position.x - images->middle.x, images->period.x);
    images->home[body][1] = periods(position.y - images->middle.y, images->period.y);
}

static MrnBox moved(MrnBox box, double x, double y) {
    return (MrnBox){{box.low.x + x, box.low.y + y, box.low.z}, {box.high.x + x, box.high.y + y, box.high.z}};
}

MrnBox mrn_images_at_home(const MrnImages *images, size_t body, MrnBox box) {
    return moved(box, -images->middle.x - images->home[body][0] * images->period.x,
                 -images->middle.y - images->home[body][1] * images->period.y);
}

static double half_width(const MrnBox *box, MrnVec3 position) {
    return fmax(fmax(position.x - box->low.x, box->high.x - position.x),
                fmax(position.y - box->low.y, box->high.y - position.y));
}

void mrn_images_limit(const MrnImages *images, MrnProxy *proxy, MrnVec3 position) {
    // Fat boxes within half a period of their mass centres meet no images but those in the cells around.
    double room = 0.5 * fmin(images->period.x, images->period.y) - half_width(&proxy->box, position);
    proxy->slack = fmax(fmin(proxy->slack, room), images->grain);
}

double mrn_images_extent(const MrnImages *images, const MrnProxy *proxy, MrnVec3 position) {
    return 2 * images->grain + proxy->slack + half_width(&proxy->box, position);
}

void mrn_images_place(const MrnImages *images, size_t number, MrnProxy *proxy) {
    if (!proxy->active) return;
    size_t body = mrn_images_body(images, number);
    proxy->slack += 2 * images->grain; // whoever is covered at home is so in all images
    proxy->box = mrn_images_at_home(images, body, proxy->box);
    if (number < images->bodies) return;
    const int *cell = cells[(number - images->bodies) % MRN_IMAGES];
    proxy->box = moved(proxy->box, cell[0] * images->period.x, cell[1] * images->period.y);
    // Fat boxes of bodies at home lie within half a period, and `widest`, of the middle.
    double x = 0.5 * images->period.x + images->widest + proxy->slack,
           y = 0.5 * images->period.y + images->widest + proxy->slack;
    proxy->active = proxy->box.low.x < x && proxy->box.high.x > -x && proxy->box.low.y < y && proxy->box.high.y > -y;
}

void mrn_images_list(MrnImages *images, const int32_t *bodies, size_t count) {
    images->changed.count = 0;
    for (size_t k = 0; k < count; k++) mrn_array_push(&images->changed, bodies[k]);
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < MRN_IMAGES; c++)
            mrn_array_push(&images->changed, (int32_t)images->bodies + MRN_IMAGES * bodies[k] + c);
}

static int compare(const void *left, const void *right) {
    const MrnImagePair *p = left, *q = right;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->cell_x != q->cell_x) return p->cell_x < q->cell_x ? -1 : 1;
    return p->cell_y < q->cell_y ? -1 : p->cell_y > q->cell_y;
}

void mrn_images_find_pairs(MrnImages *images, const MrnBroad *broad) {
    int32_t n = (int32_t)images->bodies;
    images->pairs.count = 0;
    for (size_t k = 0; k < broad->pairs.count; k++) {
        MrnPair found = broad->pairs.data[k]; // a < b, and images come after all bodies
        if (found.a >= n) break;
        MrnImagePair pair = {.a = found.a, .b = found.b};
        int image[2] = {0, 0};
        if (found.b >= n) {
            const int *cell = cells[(found.b - n) % MRN_IMAGES];
            pair.b = (found.b - n) / MRN_IMAGES;
            if (pair.b == found.a) continue; // its fat boxes may meet, the body is smaller
            image[0] = cell[0], image[1] = cell[1];
            if (pair.b < pair.a) { // seen from the other body the image lies in the opposite cell
                int32_t swapped = pair.a;
                pair.a = pair.b, pair.b = swapped;
                image[0] = -image[0], image[1] = -image[1];
            }
        }
        pair.cell_x = image[0] + images->home[pair.a][0] - images->home[pair.b][0];
        pair.cell_y = image[1] + images->home[pair.a][1] - images->home[pair.b][1];
        mrn_array_push(&images->pairs, pair);
    }
    if (images->pairs.count > 1) qsort(images->pairs.data, images->pairs.count, sizeof *images->pairs.data, compare);
}
