// From poses to a sorted list of contacts: broad phase, then the narrow phase on pairs of shapes, in fixed order.
#include "collide/contact.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef MRN_ARRAY(MrnContact) Contacts;

/// What every step needs to know of a body, apart from the rest of the model, which it would draw into the cache.
typedef struct Hot {
    double radius; ///< m: the body is one ball or disc about its origin; 0: it is something else
    double slack;  ///< m, of its fat box when it is slow
    bool fixed;
} Hot;

struct MrnCollider {
    const MrnModel *model;
    MrnBroad *broad;
    Hot *hot;
    MrnProxy *proxies;            ///< boxes of balls are made only when the broad phase asks for them
    MRN_ARRAY(int32_t) uncovered; ///< bodies that the broad phase does not cover any more
    Contacts contacts;
    struct {
        Contacts found;
        MrnTouches touches;
        MRN_ARRAY(int32_t) uncovered;
        size_t first; ///< of its contacts in the whole list
    } thread[64];
};

MrnCollider *mrn_collider_new(const MrnModel *model) {
    MrnCollider *collider = mrn_alloc_zero(1, sizeof *collider);
    size_t n = model->bodies.count;
    collider->model = model;
    collider->broad = mrn_broad_new(n);
    collider->proxies = mrn_alloc_zero(n + 1, sizeof *collider->proxies);
    collider->hot = mrn_alloc_zero(n + 1, sizeof *collider->hot);
    for (size_t i = 0; i < n; i++) {
        const MrnBody *body = &model->bodies.data[i];
        collider->hot[i] = (Hot){.radius = mrn_model_ball_radius(model, (int)i),
                                 .slack = 0.1 * (isfinite(body->size) && body->size > 0 ? body->size : 1),
                                 .fixed = body->kind == MRN_BODY_FIXED};
        collider->proxies[i].group = body->group;
        collider->proxies[i].radius = collider->hot[i].radius;
        collider->proxies[i].movable = body->kind == MRN_BODY_FREE;
    }
    return collider;
}

void mrn_collider_free(MrnCollider *collider) {
    if (!collider) return;
    mrn_broad_free(collider->broad);
    free(collider->hot);
    free(collider->proxies);
    mrn_array_free(&collider->uncovered);
    mrn_array_free(&collider->contacts);
    for (int t = 0; t < 64; t++) {
        mrn_array_free(&collider->thread[t].found);
        mrn_array_free(&collider->thread[t].touches);
        mrn_array_free(&collider->thread[t].uncovered);
    }
    free(collider);
}

typedef struct Job {
    MrnCollider *collider;
    const MrnConfiguration *configuration;
} Job;

/// Box of a body and its margin.
static MrnBox box_of(const Job *job, size_t i) {
    const MrnModel *model = job->collider->model;
    const MrnPose *pose = &job->configuration->poses[i];
    double margin = job->configuration->margins[i], radius = job->collider->hot[i].radius;
    MrnBox box;
    if (radius > 0)
        box = (MrnBox){pose->position, pose->position};
    else {
        const MrnBody *body = &model->bodies.data[i];
        const MrnShape *shapes = model->shapes.data + body->first_shape;
        box = mrn_shape_bounds(&shapes[0], pose);
        for (int s = 1; s < body->shape_count; s++) {
            MrnBox other = mrn_shape_bounds(&shapes[s], pose);
            box.low =
                mrn_vec3(fmin(box.low.x, other.low.x), fmin(box.low.y, other.low.y), fmin(box.low.z, other.low.z));
            box.high = mrn_vec3(fmax(box.high.x, other.high.x), fmax(box.high.y, other.high.y),
                                fmax(box.high.z, other.high.z));
        }
    }
    double more = radius + margin;
    box.low = mrn_vec3(box.low.x - more, box.low.y - more, box.low.z - more);
    box.high = mrn_vec3(box.high.x + more, box.high.y + more, box.high.z + more);
    return box;
}

/// Find the bodies that are not covered by the list of pairs, and give them their proxies.
static void check_bodies(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    MrnCollider *collider = job->collider;
    int dimension = collider->model->dimension;
    for (size_t i = begin; i < end; i++) {
        MrnProxy *proxy = &collider->proxies[i];
        bool active = job->configuration->active[i] != 0;
        // Fixed balls stay in the boxes that they once had, unless somebody asks with larger margins.
        bool same = active == proxy->active && (!active || (collider->hot[i].fixed && collider->hot[i].radius > 0));
        double margin = job->configuration->margins[i];
        if (same && collider->broad->valid && (!active || margin <= 0.2 * collider->hot[i].slack)) continue;
        // Fast bodies get a fatter box, so that the list lasts about as long for all.
        MrnProxy now = *proxy;
        now.active = active;
        now.slack = collider->hot[i].slack + 4 * margin;
        if (active) now.box = box_of(job, i);
        bool covered = mrn_broad_covers(collider->broad, dimension, i, &now);
        if (!covered) mrn_array_push(&collider->thread[thread].uncovered, (int32_t)i);
        // Nobody reads the box of a ball that is covered: writing it would be half of the traffic of this loop.
        if (!covered || !(collider->hot[i].radius > 0)) *proxy = now;
    }
}

/// Proxies of the bodies that are covered have old boxes: they are made before all pairs are found anew.
static void make_proxies(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Job *job = context;
    for (size_t i = begin; i < end; i++)
        if (job->collider->proxies[i].active) {
            job->collider->proxies[i].slack = job->collider->hot[i].slack + 4 * job->configuration->margins[i];
            job->collider->proxies[i].box = box_of(job, i);
        }
}

/// Can the bodies of a pair not touch? Quick for balls, which need no boxes.
static bool apart(const Job *job, MrnPair pair, double margin) {
    const MrnCollider *collider = job->collider;
    const MrnPose *pose_a = &job->configuration->poses[pair.a], *pose_b = &job->configuration->poses[pair.b];
    double radius_a = collider->hot[pair.a].radius, radius_b = collider->hot[pair.b].radius;
    if (radius_a > 0 && radius_b > 0) {
        MrnVec3 d = mrn_sub3(pose_a->position, pose_b->position);
        double reach = radius_a + radius_b + margin;
        return mrn_dot3(d, d) > reach * reach * (1 + 1e-12);
    }
    MrnBox a = radius_a > 0 ? box_of(job, (size_t)pair.a) : collider->proxies[pair.a].box;
    MrnBox b = radius_b > 0 ? box_of(job, (size_t)pair.b) : collider->proxies[pair.b].box;
    if (a.high.x < b.low.x || b.high.x < a.low.x || a.high.y < b.low.y || b.high.y < a.low.y) return true;
    return collider->model->dimension == 3 && (a.high.z < b.low.z || b.high.z < a.low.z);
}

static void narrow_pairs(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    MrnCollider *collider = job->collider;
    const MrnModel *model = collider->model;
    Contacts *found = &collider->thread[thread].found;
    MrnTouches *touches = &collider->thread[thread].touches;
    int dimension = model->dimension;
    for (size_t k = begin; k < end; k++) {
        MrnPair pair = collider->broad->pairs.data[k];
        double margin = job->configuration->margins[pair.a] + job->configuration->margins[pair.b];
        if (apart(job, pair, margin)) continue;
        const MrnBody *a = &model->bodies.data[pair.a], *b = &model->bodies.data[pair.b];
        const MrnPose *pose_a = &job->configuration->poses[pair.a], *pose_b = &job->configuration->poses[pair.b];
        size_t first = found->count;
        for (int i = 0; i < a->shape_count; i++)
            for (int j = 0; j < b->shape_count; j++) {
                const MrnShape *shape_a = &model->shapes.data[a->first_shape + i],
                               *shape_b = &model->shapes.data[b->first_shape + j];
                if (!mrn_shape_is_solid(shape_a->kind) && !mrn_shape_is_solid(shape_b->kind)) continue;
                touches->count = 0;
                if (dimension == 2)
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
                                          .gap = touch->gap};
                    if (a->shape_count > 1 || b->shape_count > 1)
                        contact.feature = mrn_random_bits(touch->feature, (uint64_t)i, (uint64_t)j);
                    mrn_store3(contact.position, touch->position);
                    mrn_store3(contact.normal, touch->normal);
                    mrn_array_push(found, contact);
                }
            }
        // Few per pair: insertion sort by feature.
        for (size_t i = first + 1; i < found->count; i++)
            for (size_t j = i; j > first && found->data[j - 1].feature > found->data[j].feature; j--) {
                MrnContact swap = found->data[j];
                found->data[j] = found->data[j - 1];
                found->data[j - 1] = swap;
            }
    }
}

static void copy_found(void *context, int thread, int thread_count) {
    MrnCollider *collider = context;
    for (int t = thread; t < 64; t += thread_count)
        if (collider->thread[t].found.count)
            memcpy(collider->contacts.data + collider->thread[t].first, collider->thread[t].found.data,
                   collider->thread[t].found.count * sizeof *collider->contacts.data);
}

const MrnContact *mrn_collider_find(MrnCollider *collider, const MrnConfiguration *configuration, MrnThreads *threads,
                                    size_t *count) {
    Job job = {collider, configuration};
    int dimension = collider->model->dimension;
    size_t bodies = collider->model->bodies.count;
    for (int t = 0; t < 64; t++) collider->thread[t].found.count = collider->thread[t].uncovered.count = 0;
    mrn_threads_for(threads, bodies, 512, check_bodies, &job);
    collider->uncovered.count = 0;
    for (int t = 0; t < 64; t++) // threads have consecutive ranges of bodies
        for (size_t k = 0; k < collider->thread[t].uncovered.count; k++)
            mrn_array_push(&collider->uncovered, collider->thread[t].uncovered.data[k]);
    if (!collider->broad->valid || collider->uncovered.count) {
        if (!mrn_broad_refresh(collider->broad, dimension, collider->proxies, collider->uncovered.data,
                               collider->uncovered.count)) {
            mrn_threads_for(threads, bodies, 512, make_proxies, &job);
            mrn_broad_build(collider->broad, dimension, collider->proxies, threads);
        }
    }
    mrn_threads_for(threads, collider->broad->pairs.count, 256, narrow_pairs, &job);
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
