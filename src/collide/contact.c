// From poses to a sorted list of contacts: broad phase, then the narrow phase on pairs of shapes, in fixed order.
#include "collide/contact.h"
#include "base/random.h"
#include "collide/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef MRN_ARRAY(MrnContact) Contacts;

#define MOST_PAIRS 0.5 ///< per body: below, boxes become fatter
#define MOST_EASE  6   ///< and the slack at most this many times larger

/// What every step needs to know of a body, apart from the rest of the model, which it would draw into the cache.
typedef struct Hot {
    unsigned ball : 1;    ///< one ball or disc about its origin, whose radius is its size
    unsigned fixed : 1;   ///< it never moves
    unsigned movable : 1; ///< contacts move it
    unsigned grouped : 1; ///< it is in a group
    unsigned number : 28; ///< the material of a ball; of what is not a ball, its number among those
} Hot;

/// A body that is not a ball.
typedef struct Solid {
    MrnBox box;              ///< without margin; of fixed bodies made once
    MrnHalfSpace half_space; ///< of a fixed body that is one plane
    bool flat;               ///< that is so
} Solid;

struct MrnCollider {
    const MrnModel *model;
    MrnBroad *broad;
    MrnImages *images; ///< where the plane repeats; then the broad phase knows of them too; else NULL
    Hot *hot;
    double *size;    ///< m, per body: MrnBody.size
    double smallest; ///< m, of the smallest body
    Solid *solids;
    bool angular;                 ///< some free body is not a ball
    double *reach;                ///< m, per body: its margin, or that of the body that may hit it, if larger
    double ease;                  ///< boxes are fatter where bodies are few: their pairs cost little
    MRN_ARRAY(int32_t) uncovered; ///< bodies that the broad phase does not cover any more
    bool dilute;                  ///< in this search: most bodies are in few pairs or none, and most pairs apart
    MRN_ARRAY(MrnPair) close;     ///< then: those not apart
    Contacts contacts;
    struct {
        Contacts found;
        MRN_ARRAY(MrnPair) close;
        MrnTouches touches;
        MRN_ARRAY(int32_t) uncovered;
        size_t first; ///< of its contacts in the whole list
    } thread[64];
};

MrnCollider *mrn_collider_new(const MrnModel *model) {
    MrnCollider *collider = mrn_alloc_zero(1, sizeof *collider);
    size_t n = model->bodies.count, solids = 0;
    collider->model = model;
    collider->broad = mrn_broad_new(n);
    collider->ease = 1;
    collider->hot = mrn_alloc_zero(n + 1, sizeof *collider->hot);
    collider->size = mrn_alloc_zero(n + 1, sizeof *collider->size);
    collider->smallest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const MrnBody *body = &model->bodies.data[i];
        Hot hot = {.ball = mrn_model_ball_radius(model, (int)i) > 0,
                   .fixed = body->kind == MRN_BODY_FIXED,
                   .movable = body->kind == MRN_BODY_FREE,
                   .grouped = body->group != 0};
        hot.number =
            (hot.ball ? (unsigned)model->shapes.data[body->first_shape].material : (unsigned)solids++) & 0xfffffffu;
        collider->hot[i] = hot;
        collider->size[i] = body->size;
        if (body->size > 0) collider->smallest = fmin(collider->smallest, body->size);
        collider->angular |= hot.movable && !hot.ball;
    }
    if (!isfinite(collider->smallest)) collider->smallest = 1;
    collider->solids = mrn_alloc_zero(solids + 1, sizeof *collider->solids);
    if (collider->angular) collider->reach = mrn_alloc_zero(n + 1, sizeof *collider->reach);
    return collider;
}

void mrn_collider_repeat(MrnCollider *collider) {
    if (!collider->model->periodic) return;
    mrn_broad_free(collider->broad);
    collider->images = mrn_images_new(collider->model);
    collider->broad = mrn_broad_new((1 + MRN_IMAGES) * collider->model->bodies.count);
}

void mrn_collider_free(MrnCollider *collider) {
    if (!collider) return;
    mrn_broad_free(collider->broad);
    mrn_images_free(collider->images);
    free(collider->hot);
    free(collider->size);
    free(collider->solids);
    free(collider->reach);
    mrn_array_free(&collider->uncovered);
    mrn_array_free(&collider->close);
    mrn_array_free(&collider->contacts);
    for (int t = 0; t < 64; t++) {
        mrn_array_free(&collider->thread[t].close);
        mrn_array_free(&collider->thread[t].found);
        mrn_array_free(&collider->thread[t].touches);
        mrn_array_free(&collider->thread[t].uncovered);
    }
    free(collider);
}

typedef struct Job {
    MrnCollider *collider;
    const MrnConfiguration *configuration;
    const double *margins; ///< of the configuration, or larger
    const MrnPair *pairs;  ///< to look at closely
} Job;

/// Box of a body that is not a ball, without margin.
static void place_solid(const Job *job, size_t i) {
    const MrnModel *model = job->collider->model;
    const MrnPose *pose = &job->configuration->poses[i];
    const MrnBody *body = &model->bodies.data[i];
    const MrnShape *shapes = model->shapes.data + body->first_shape;
    Solid *solid = &job->collider->solids[job->collider->hot[i].number];
    MrnBox box = mrn_shape_bounds(&shapes[0], pose);
    for (int s = 1; s < body->shape_count; s++) {
        MrnBox other = mrn_shape_bounds(&shapes[s], pose);
        box.low = mrn_vec3(fmin(box.low.x, other.low.x), fmin(box.low.y, other.low.y), fmin(box.low.z, other.low.z));
        box.high =
            mrn_vec3(fmax(box.high.x, other.high.x), fmax(box.high.y, other.high.y), fmax(box.high.z, other.high.z));
    }
    solid->box = box;
    solid->flat = job->collider->hot[i].fixed && body->shape_count == 1 &&
                  mrn_shape_half_space(&shapes[0], pose, &solid->half_space);
}

static MrnBox grown(MrnBox box, double by) {
    return (MrnBox){{box.low.x - by, box.low.y - by, box.low.z - by},
                    {box.high.x + by, box.high.y + by, box.high.z + by}};
}

/// m, how fat the box of a body is when it is slow.
static inline double slack_of(const MrnCollider *collider, size_t i) {
    double size = collider->size[i];
    return 0.1 * (size > 0 && size < INFINITY ? size : collider->smallest);
}

/// Mass centre of a body, also of one whose pose is not there.
static inline MrnVec3 place_of(const Job *job, size_t i) {
    const double *positions = job->configuration->positions;
    if (!positions) return job->configuration->poses[i].position;
    return job->collider->model->dimension == 2 ? (MrnVec3){positions[2 * i], positions[2 * i + 1], 0}
                                                : mrn_load3(positions + 3 * i);
}

/// Box of a body, grown. That of anything but a ball must have been placed.
static inline MrnBox box_of(const Job *job, size_t i, double by) {
    const Hot *hot = &job->collider->hot[i];
    MrnVec3 x = place_of(job, i);
    return hot->ball ? grown((MrnBox){x, x}, job->collider->size[i] + by)
                     : grown(job->collider->solids[hot->number].box, by);
}

/// A body as the broad phase wants it. Fast bodies get a fatter box, so that the list lasts about as long for all.
static MrnProxy proxy_of(const void *context, size_t i) {
    const Job *job = context;
    const MrnCollider *collider = job->collider;
    const Hot *hot = &collider->hot[i];
    MrnProxy proxy = {.radius = hot->ball ? collider->size[i] : 0,
                      .group = hot->grouped ? collider->model->bodies.data[i].group : 0,
                      .movable = hot->movable,
                      .active = job->configuration->active[i] != 0};
    if (!proxy.active) return proxy;
    double margin = job->margins[i];
    proxy.slack = (hot->fixed ? 1 : collider->ease) * slack_of(collider, i) + 4 * margin;
    proxy.box = box_of(job, i, margin);
    if (hot->ball) return proxy;
    Solid *solid = &collider->solids[hot->number];
    if (!solid->flat) return proxy;
    proxy.half_space = &solid->half_space;
    proxy.slack += margin;
    return proxy;
}

/// The same where the plane repeats.
static MrnProxy limited_proxy_of(const Job *job, size_t i) {
    MrnProxy proxy = proxy_of(job, i);
    if (proxy.active) mrn_images_limit(job->collider->images, &proxy, job->configuration->poses[i].position);
    return proxy;
}

/// The same for bodies at home and their images.
static MrnProxy image_proxy_of(const void *context, size_t number) {
    const Job *job = context;
    MrnProxy proxy = limited_proxy_of(job, mrn_images_body(job->collider->images, number));
    mrn_images_place(job->collider->images, number, &proxy);
    return proxy;
}

/// Is a body covered at home, and with it all its images?
static bool covered_at_home(const Job *job, size_t i, double margin) {
    const MrnCollider *collider = job->collider;
    MrnBox box = mrn_images_at_home(collider->images, i, box_of(job, i, margin + collider->images->grain));
    return mrn_broad_covers(collider->broad, 2, i, true, &box);
}

static void check_images(Job *job, size_t begin, size_t end, int thread) {
    MrnCollider *collider = job->collider;
    const MrnConfiguration *now = job->configuration;
    for (size_t i = begin; i < end; i++) {
        bool active = now->active[i] != 0, present = collider->broad->valid && collider->broad->present[i];
        if (active && !collider->hot[i].ball) place_solid(job, i);
        if (active != present || (active && !covered_at_home(job, i, now->margins[i])))
            mrn_array_push(&collider->thread[thread].uncovered, (int32_t)i);
    }
}

/// Find the bodies that are not covered by the list of pairs.
static void check_bodies(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    MrnCollider *collider = job->collider;
    const MrnBroad *broad = collider->broad;
    const MrnConfiguration *now = job->configuration;
    int dimension = collider->model->dimension;
    if (collider->images) {
        check_images(job, begin, end, thread);
        return;
    }
    for (size_t i = begin; i < end; i++) {
        if (now->needs && now->needs[i] == MRN_NEED_NONE) continue;
        const Hot *hot = &collider->hot[i];
        bool active = now->active[i] != 0, same = broad->valid && active == (broad->present[i] != 0);
        // Fixed bodies stay in the boxes that they once had, unless somebody asks with larger margins.
        if (same && (!active || (hot->fixed && now->margins[i] <= slack_of(collider, i)))) continue;
        if (active && !hot->ball) place_solid(job, i);
        MrnBox box = {0};
        if (active) box = box_of(job, i, now->margins[i]);
        if (!same || !mrn_broad_covers(broad, dimension, i, active, &box))
            mrn_array_push(&collider->thread[thread].uncovered, (int32_t)i);
    }
}

/// Can the bodies of a pair not touch? Quick for balls, which need no boxes.
static bool apart(const Job *job, MrnPair pair, double margin) {
    const MrnCollider *collider = job->collider;
    if (collider->hot[pair.a].ball && collider->hot[pair.b].ball) {
        MrnVec3 d = mrn_sub3(place_of(job, (size_t)pair.a), place_of(job, (size_t)pair.b));
        double reach = collider->size[pair.a] + collider->size[pair.b] + margin;
        return mrn_dot3(d, d) > reach * reach * (1 + 1e-12);
    }
    MrnBox a = box_of(job, (size_t)pair.a, 0), b = box_of(job, (size_t)pair.b, 0);
    if (a.high.x + margin < b.low.x || b.high.x + margin < a.low.x || a.high.y + margin < b.low.y ||
        b.high.y + margin < a.low.y)
        return true;
    return collider->model->dimension == 3 && (a.high.z + margin < b.low.z || b.high.z + margin < a.low.z);
}

/// The same for body a and an image of b.
static bool image_apart(const Job *job, const MrnImagePair *pair, double margin) {
    MrnVec2 shift = mrn_images_shift(job->collider->images, pair);
    MrnBox a = box_of(job, (size_t)pair->a, 0), b = box_of(job, (size_t)pair->b, 0);
    return a.high.x + margin < b.low.x + shift.x || b.high.x + shift.x + margin < a.low.x ||
           a.high.y + margin < b.low.y + shift.y || b.high.y + shift.y + margin < a.low.y;
}

static size_t pair_count(const MrnCollider *collider) {
    return collider->images ? collider->images->pairs.count : collider->broad->pairs.count;
}

/// A body that is hit may move as far as the one that hits it, and a corner of it may land far from where it rests now:
/// the contacts of both must be known. Balls have one contact with each neighbour, close to where they rest.
static void find_reaches(const Job *job) {
    MrnCollider *collider = job->collider;
    const double *margins = job->configuration->margins;
    memcpy(collider->reach, margins, collider->model->bodies.count * sizeof *margins);
    const MrnImagePair *images = collider->images ? collider->images->pairs.data : NULL;
    for (size_t k = 0; k < pair_count(collider); k++) {
        MrnPair pair = images ? (MrnPair){images[k].a, images[k].b} : collider->broad->pairs.data[k];
        bool slow_a = margins[pair.a] < margins[pair.b];
        int32_t slow = slow_a ? pair.a : pair.b, fast = slow_a ? pair.b : pair.a;
        if (collider->reach[slow] >= margins[fast] || !collider->hot[slow].movable) continue;
        double margin = margins[pair.a] + margins[pair.b];
        if (!(images ? image_apart(job, &images[k], margin) : apart(job, pair, margin)))
            collider->reach[slow] = margins[fast];
    }
}

/// Angle of a direction in the tangent plane of a contact; a line has no sense, so half a turn is enough.
static int16_t angle_of(MrnVec3 normal, MrnVec3 direction) {
    MrnVec3 t1, t2;
    mrn_tangents3(normal, &t1, &t2);
    return (int16_t)lrint(atan2(mrn_dot3(direction, t2), mrn_dot3(direction, t1)) * (32767 / acos(-1.0)));
}

static MrnVec3 direction_of(MrnVec3 normal, int16_t angle) {
    MrnVec3 t1, t2;
    mrn_tangents3(normal, &t1, &t2);
    double turn = angle * (acos(-1.0) / 32767);
    return mrn_add3(mrn_scale3(cos(turn), t1), mrn_scale3(sin(turn), t2));
}

/// Append the contacts of two bodies, by pairs of shapes.
static inline void touch_bodies(const MrnModel *model, MrnPair pair, const MrnPose *pose_a, const MrnPose *pose_b,
                                double margin, MrnTouches *touches, Contacts *found) {
    const MrnBody *a = &model->bodies.data[pair.a], *b = &model->bodies.data[pair.b];
    for (int i = 0; i < a->shape_count; i++)
        for (int j = 0; j < b->shape_count; j++) {
            const MrnShape *shape_a = &model->shapes.data[a->first_shape + i],
                           *shape_b = &model->shapes.data[b->first_shape + j];
            if (!mrn_shape_is_solid(shape_a->kind) && !mrn_shape_is_solid(shape_b->kind)) continue;
            touches->count = 0;
            if (model->dimension == 2)
                mrn_touch_2d(shape_a, pose_a, shape_b, pose_b, margin, touches);
            else
                mrn_touch_3d(shape_a, pose_a, shape_b, pose_b, margin, touches);
            for (size_t t = 0; t < touches->count; t++) {
                const MrnTouch *touch = &touches->data[t];
                MrnContact contact = {.body_a = pair.a,
                                      .body_b = pair.b,
                                      .material_a = shape_a->material,
                                      .material_b = shape_b->material,
                                      .feature = touch->feature,
                                      .gap = touch->gap,
                                      .carrier = touch->carrier};
                if (a->shape_count > 1 || b->shape_count > 1)
                    contact.feature = mrn_random_bits(touch->feature, (uint64_t)i, (uint64_t)j);
                mrn_store3(contact.position, touch->position);
                mrn_store3(contact.normal, touch->normal);
                if (touch->carrier == MRN_NORMAL_OF_EDGES) {
                    contact.edge_a = angle_of(touch->normal, touch->edge_a);
                    contact.edge_b = angle_of(touch->normal, touch->edge_b);
                }
                mrn_array_push(found, contact);
            }
        }
}

/// Few per pair: insertion sort.
static inline void sort_by_feature(Contacts *found, size_t first) {
    for (size_t i = first + 1; i < found->count; i++)
        for (size_t j = i; j > first && found->data[j - 1].feature > found->data[j].feature; j--) {
            MrnContact swap = found->data[j];
            found->data[j] = found->data[j - 1];
            found->data[j - 1] = swap;
        }
}

/// How close two bodies are looked at.
static inline double margin_between(const Job *job, MrnPair pair) {
    const double *margins = job->collider->angular ? job->collider->reach : job->configuration->margins;
    return margins[pair.a] + margins[pair.b];
}

/// Append the contact of two balls, without a look at the model.
static inline void touch_balls(const MrnCollider *collider, MrnPair pair, const MrnPose *poses, double margin,
                               Contacts *found) {
    MrnTouch touch;
    if (!(collider->model->dimension == 2 ? mrn_touch_balls_2d : mrn_touch_balls_3d)(
            poses[pair.a].position, collider->size[pair.a], poses[pair.b].position, collider->size[pair.b], margin,
            &touch))
        return;
    MrnContact contact = {.body_a = pair.a,
                          .body_b = pair.b,
                          .material_a = (int32_t)collider->hot[pair.a].number,
                          .material_b = (int32_t)collider->hot[pair.b].number,
                          .feature = touch.feature,
                          .gap = touch.gap};
    mrn_store3(contact.position, touch.position);
    mrn_store3(contact.normal, touch.normal);
    mrn_array_push(found, contact);
}

static void narrow_pairs(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    MrnCollider *collider = job->collider;
    Contacts *found = &collider->thread[thread].found;
    MrnTouches *touches = &collider->thread[thread].touches;
    const MrnPose *poses = job->configuration->poses;
    for (size_t k = begin; k < end; k++) {
        MrnPair pair = job->pairs[k];
        double margin = margin_between(job, pair);
        if (apart(job, pair, margin)) continue;
        if (collider->hot[pair.a].ball && collider->hot[pair.b].ball) {
            touch_balls(collider, pair, poses, margin, found);
            continue;
        }
        size_t first = found->count;
        touch_bodies(collider->model, pair, &poses[pair.a], &poses[pair.b], margin, touches, found);
        sort_by_feature(found, first);
    }
}

/// The same in a periodic plane. Two bodies may touch in several ways around it: the first of their pairs does them
/// all, so that contacts are in order, and which way it is belongs to the name of the touching place.
static void narrow_image_pairs(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    MrnCollider *collider = job->collider;
    const MrnImages *images = collider->images;
    Contacts *found = &collider->thread[thread].found;
    const MrnPose *poses = job->configuration->poses;
    for (size_t k = begin; k < end; k++) {
        const MrnImagePair *way = &images->pairs.data[k], *last = images->pairs.data + images->pairs.count;
        if (k > 0 && way[-1].a == way->a && way[-1].b == way->b) continue;
        MrnPair pair = {way->a, way->b};
        double margin = margin_between(job, pair);
        size_t first = found->count;
        for (; way < last && way->a == pair.a && way->b == pair.b; way++) {
            if (image_apart(job, way, margin)) continue;
            MrnVec2 shift = mrn_images_shift(images, way);
            MrnPose image = poses[pair.b];
            size_t before = found->count;
            image.position.x += shift.x, image.position.y += shift.y;
            touch_bodies(collider->model, pair, &poses[pair.a], &image, margin, &collider->thread[thread].touches,
                         found);
            for (size_t c = before; (way->cell_x || way->cell_y) && c < found->count; c++)
                found->data[c].feature =
                    mrn_random_bits(found->data[c].feature, (uint64_t)way->cell_x, (uint64_t)way->cell_y);
        }
        sort_by_feature(found, first);
    }
}

static void copy_found(void *context, int thread, int thread_count) {
    MrnCollider *collider = context;
    for (int t = thread; t < 64; t += thread_count)
        if (collider->thread[t].found.count)
            memcpy(collider->contacts.data + collider->thread[t].first, collider->thread[t].found.data,
                   collider->thread[t].found.count * sizeof *collider->contacts.data);
}

const double *mrn_collider_sizes(const MrnCollider *collider) {
    return collider->size;
}

MrnNeed mrn_collider_need(const MrnCollider *collider, size_t i, MrnVec3 position, double margin) {
    const MrnBroad *broad = collider->broad;
    if (!broad->valid || !broad->present[i] || !collider->hot[i].ball) return MRN_NEED_ALL;
    MrnBox box = grown((MrnBox){position, position}, collider->size[i] + margin);
    if (!broad->pair_count[i] && mrn_fat_box_holds(&broad->fat[i], &box, collider->model->dimension))
        return MRN_NEED_NONE;
    return collider->dilute ? MRN_NEED_MARGIN : MRN_NEED_ALL;
}

void mrn_collider_begin(MrnCollider *collider) {
    collider->dilute = collider->ease > 1 && !collider->angular && !collider->images;
    for (int t = 0; t < 64; t++) collider->thread[t].uncovered.count = 0;
}

void mrn_collider_check(MrnCollider *collider, const MrnConfiguration *configuration, size_t begin, size_t end,
                        int thread) {
    Job job = {.collider = collider, .configuration = configuration, .margins = configuration->margins};
    check_bodies(&job, begin, end, thread);
}

/// Fatter boxes last longer and have more pairs, which every step looks at: a good trade where there are few.
static void choose_ease(MrnCollider *collider) {
    double bodies = (double)collider->model->bodies.count, pairs = (double)collider->broad->pairs.count;
    collider->ease = fmin(fmax(MOST_PAIRS * bodies / (pairs + 1), 1), MOST_EASE);
}

/// Ask for a body of which little was needed so far.
static void complete(const Job *job, int32_t body) {
    job->configuration->complete(job->configuration->context, (size_t)body);
    if (job->collider->reach) job->collider->reach[body] = job->configuration->margins[body];
}

#define ROOM_FOR_IMAGES 1.5 ///< fat boxes may grow by this factor before images that were left out may matter

/// Homes of bodies that get new proxies; the largest extent of these.
static double bring_home(const Job *job, const int32_t *bodies, size_t count) {
    MrnImages *images = job->collider->images;
    double widest = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = bodies ? (size_t)bodies[k] : k;
        if (!job->configuration->active[i]) continue;
        MrnProxy proxy = limited_proxy_of(job, i);
        MrnVec3 position = job->configuration->poses[i].position;
        mrn_images_set_home(images, i, position);
        widest = fmax(widest, mrn_images_extent(images, &proxy, position));
    }
    return widest;
}

static void renew_image_pairs(const Job *job, MrnThreads *threads) {
    MrnCollider *collider = job->collider;
    MrnImages *images = collider->images;
    mrn_images_list(images, collider->uncovered.data, collider->uncovered.count);
    if (bring_home(job, collider->uncovered.data, collider->uncovered.count) > images->widest ||
        !mrn_broad_refresh(collider->broad, 2, image_proxy_of, job, images->changed.data, images->changed.count,
                           threads)) {
        images->widest = ROOM_FOR_IMAGES * bring_home(job, NULL, images->bodies);
        mrn_broad_build(collider->broad, 2, image_proxy_of, job, threads);
    }
    mrn_images_find_pairs(images, collider->broad);
}

/// The bodies that are not covered get new pairs, or all do.
static void renew_pairs(const Job *job, MrnThreads *threads) {
    MrnCollider *collider = job->collider;
    const MrnConfiguration *now = job->configuration;
    if (collider->images) {
        renew_image_pairs(job, threads);
        return;
    }
    int dimension = collider->model->dimension;
    if (!mrn_broad_refresh(collider->broad, dimension, proxy_of, job, collider->uncovered.data,
                           collider->uncovered.count, threads)) {
        for (size_t i = 0; now->needs && i < collider->model->bodies.count; i++)
            if (now->needs[i]) complete(job, (int32_t)i);
        mrn_broad_build(collider->broad, dimension, proxy_of, job, threads);
    }
    choose_ease(collider);
    // Bodies that were alone may be in pairs now.
    for (size_t k = 0; now->needs && k < collider->broad->pairs.count; k++) {
        MrnPair pair = collider->broad->pairs.data[k];
        if (now->needs[pair.a] == MRN_NEED_NONE) complete(job, pair.a);
        if (now->needs[pair.b] == MRN_NEED_NONE) complete(job, pair.b);
    }
}

/// Bodies that reach farther than their margins must be covered that far, so that their contacts do not depend on when
/// the list was made.
static void cover_reaches(Job *job, MrnThreads *threads) {
    MrnCollider *collider = job->collider;
    int dimension = collider->model->dimension;
    collider->uncovered.count = 0;
    for (size_t i = 0; i < collider->model->bodies.count; i++) {
        if (!(collider->reach[i] > job->configuration->margins[i])) continue;
        if (collider->images) {
            if (!covered_at_home(job, i, collider->reach[i])) mrn_array_push(&collider->uncovered, (int32_t)i);
            continue;
        }
        if (!collider->broad->pair_count[i]) continue;
        MrnBox box = box_of(job, i, collider->reach[i]);
        if (!mrn_broad_covers(collider->broad, dimension, i, true, &box))
            mrn_array_push(&collider->uncovered, (int32_t)i);
    }
    job->margins = collider->reach;
    if (collider->uncovered.count) renew_pairs(job, threads);
}

#define AHEAD 8 ///< pairs whose bodies are called for before they are looked at

static void find_close(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    const MrnConfiguration *now = job->configuration;
    size_t dimension = (size_t)job->collider->model->dimension;
    for (size_t k = begin; k < end; k++) {
        MrnPair pair = job->pairs[k];
        if (k + AHEAD < end) { // the first bodies of pairs ascend, the second lie anywhere in memory
            size_t b = (size_t)job->pairs[k + AHEAD].b;
            __builtin_prefetch(now->positions + dimension * b);
            __builtin_prefetch(now->margins + b);
        }
        if (!apart(job, pair, margin_between(job, pair))) mrn_array_push(&job->collider->thread[thread].close, pair);
    }
}

/// The pairs to look at closely, with both bodies complete: all of them, or in a dilute configuration those not apart.
static size_t choose_pairs(Job *job, MrnThreads *threads) {
    MrnCollider *collider = job->collider;
    const uint8_t *needs = job->configuration->needs;
    job->pairs = collider->broad->pairs.data;
    if (!needs || !collider->dilute) return pair_count(collider);
    for (int t = 0; t < 64; t++) collider->thread[t].close.count = 0;
    collider->close.count = 0;
    mrn_threads_for(threads, pair_count(collider), 512, find_close, job);
    for (int t = 0; t < 64; t++) // threads have consecutive ranges of pairs
        for (size_t k = 0; k < collider->thread[t].close.count; k++) {
            MrnPair pair = collider->thread[t].close.data[k];
            if (needs[pair.a]) complete(job, pair.a);
            if (needs[pair.b]) complete(job, pair.b);
            mrn_array_push(&collider->close, pair);
        }
    job->pairs = collider->close.data;
    return collider->close.count;
}

const MrnContact *mrn_collider_find(MrnCollider *collider, const MrnConfiguration *configuration, MrnThreads *threads,
                                    size_t *count) {
    Job job = {.collider = collider, .configuration = configuration, .margins = configuration->margins};
    size_t bodies = collider->model->bodies.count;
    if (!configuration->checked) {
        mrn_collider_begin(collider);
        mrn_threads_for(threads, bodies, 512, check_bodies, &job);
    }
    for (int t = 0; t < 64; t++) collider->thread[t].found.count = 0;
    collider->uncovered.count = 0;
    for (int t = 0; t < 64; t++) // threads have consecutive ranges of bodies
        for (size_t k = 0; k < collider->thread[t].uncovered.count; k++)
            mrn_array_push(&collider->uncovered, collider->thread[t].uncovered.data[k]);
    if (!collider->broad->valid || collider->uncovered.count) renew_pairs(&job, threads);
    if (collider->angular) {
        find_reaches(&job);
        cover_reaches(&job, threads);
    }
    size_t pairs = choose_pairs(&job, threads);
    mrn_threads_for(threads, pairs, 256, collider->images ? narrow_image_pairs : narrow_pairs, &job);
    // Threads have consecutive ranges of pairs: their lists in order are the sorted list.
    if (collider->thread[0].found.count && mrn_threads_count(threads) == 1) {
        *count = collider->thread[0].found.count;
        return collider->thread[0].found.data;
    }
    size_t total = 0;
    for (int t = 0; t < 64; t++) {
        collider->thread[t].first = total;
        total += collider->thread[t].found.count;
    }
    mrn_array_resize(&collider->contacts, total);
    mrn_threads_team(threads, copy_found, collider);
    *count = total;
    return collider->contacts.data;
}

/// Rate of the normal: it stays normal to the side that carries it, or to both edges.
static bool normal_rate(const MrnContact *contact, MrnVec3 n, MrnVec3 spin_a, MrnVec3 spin_b, MrnVec3 *rate) {
    if (contact->carrier != MRN_NORMAL_OF_EDGES) {
        *rate = mrn_cross3(contact->carrier == MRN_NORMAL_OF_A ? spin_a : spin_b, n);
        return true;
    }
    MrnVec3 edge_a = direction_of(n, contact->edge_a), edge_b = direction_of(n, contact->edge_b);
    double cosine = mrn_dot3(edge_a, edge_b), sine2 = 1 - cosine * cosine;
    if (sine2 < 0.04) return false; // nearly parallel: the contact runs along the edges in no time
    double along_a = mrn_dot3(edge_a, mrn_cross3(spin_a, n)), along_b = mrn_dot3(edge_b, mrn_cross3(spin_b, n));
    *rate = mrn_add3(mrn_scale3((along_a - cosine * along_b) / sine2, edge_a),
                     mrn_scale3((along_b - cosine * along_a) / sine2, edge_b));
    return true;
}

double mrn_contact_bend(const MrnContact *contact, const MrnPose *pose_a, MrnVec3 velocity_a, MrnVec3 spin_a,
                        const MrnPose *pose_b, MrnVec3 velocity_b, MrnVec3 spin_b, double h) {
    MrnVec3 at = mrn_load3(contact->position), n = mrn_load3(contact->normal), rate;
    if (!contact->carrier || !normal_rate(contact, n, spin_a, spin_b, &rate)) return 0;
    // g = n . (x_A - x_B) with x_A - x_B along n: g'' = n . (a_A - a_B) + 2 n' . (v_A - v_B).
    MrnVec3 swing_a = mrn_cross3(spin_a, mrn_sub3(at, pose_a->position)),
            swing_b = mrn_cross3(spin_b, mrn_sub3(at, pose_b->position));
    MrnVec3 velocity = mrn_sub3(mrn_add3(velocity_a, swing_a), mrn_add3(velocity_b, swing_b));
    MrnVec3 acceleration = mrn_sub3(mrn_cross3(spin_a, swing_a), mrn_cross3(spin_b, swing_b));
    return 0.5 * h * h * (mrn_dot3(n, acceleration) + 2 * mrn_dot3(rate, velocity));
}
