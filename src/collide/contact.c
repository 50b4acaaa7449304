// From poses to a sorted list of contacts: broad phase, then the narrow phase on pairs of shapes, in fixed order.
#include "collide/contact.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef MRN_ARRAY(MrnContact) Contacts;

struct MrnCollider {
    const MrnModel *model;
    MrnBroad *broad;
    MrnProxy *proxies;
    Contacts contacts;
    struct {
        Contacts found;
        MrnTouches touches;
        bool uncovered;
        size_t first;
    } thread[64]; ///< first: of its contacts in the whole list
};

MrnCollider *mrn_collider_new(const MrnModel *model) {
    MrnCollider *collider = mrn_alloc_zero(1, sizeof *collider);
    collider->model = model;
    collider->broad = mrn_broad_new(model->bodies.count);
    collider->proxies = mrn_alloc_zero(model->bodies.count + 1, sizeof *collider->proxies);
    return collider;
}

void mrn_collider_free(MrnCollider *collider) {
    if (!collider) return;
    mrn_broad_free(collider->broad);
    free(collider->proxies);
    mrn_array_free(&collider->contacts);
    for (int t = 0; t < 64; t++) {
        mrn_array_free(&collider->thread[t].found);
        mrn_array_free(&collider->thread[t].touches);
    }
    free(collider);
}

typedef struct Job {
    MrnCollider *collider;
    const MrnConfiguration *configuration;
} Job;

static void make_proxies(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    const MrnModel *model = job->collider->model;
    bool covered = true;
    for (size_t i = begin; i < end; i++) {
        const MrnBody *body = &model->bodies.data[i];
        MrnProxy *proxy = &job->collider->proxies[i];
        proxy->active = job->configuration->active[i] != 0;
        if (!proxy->active) {
            covered = covered && mrn_broad_covers(job->collider->broad, model->dimension, i, proxy);
            continue;
        }
        proxy->group = body->group;
        proxy->movable = body->kind == MRN_BODY_FREE;
        const MrnShape *shapes = model->shapes.data + body->first_shape;
        MrnBox box = mrn_shape_bounds(&shapes[0], &job->configuration->poses[i]);
        for (int s = 1; s < body->shape_count; s++) {
            MrnBox other = mrn_shape_bounds(&shapes[s], &job->configuration->poses[i]);
            box.low =
                mrn_vec3(fmin(box.low.x, other.low.x), fmin(box.low.y, other.low.y), fmin(box.low.z, other.low.z));
            box.high = mrn_vec3(fmax(box.high.x, other.high.x), fmax(box.high.y, other.high.y),
                                fmax(box.high.z, other.high.z));
        }
        double margin = job->configuration->margins[i];
        box.low = mrn_vec3(box.low.x - margin, box.low.y - margin, box.low.z - margin);
        box.high = mrn_vec3(box.high.x + margin, box.high.y + margin, box.high.z + margin);
        proxy->box = box;
        // Fast bodies get a fatter box, so that the list lasts about as long for all.
        proxy->slack = 0.1 * (isfinite(body->size) && body->size > 0 ? body->size : 1) + 4 * margin;
        covered = covered && mrn_broad_covers(job->collider->broad, model->dimension, i, proxy);
    }
    if (!covered) job->collider->thread[thread].uncovered = true;
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
        const MrnBox *box_a = &collider->proxies[pair.a].box, *box_b = &collider->proxies[pair.b].box;
        if (box_a->high.x < box_b->low.x || box_b->high.x < box_a->low.x || box_a->high.y < box_b->low.y ||
            box_b->high.y < box_a->low.y ||
            (dimension == 3 && (box_a->high.z < box_b->low.z || box_b->high.z < box_a->low.z)))
            continue;
        const MrnBody *a = &model->bodies.data[pair.a], *b = &model->bodies.data[pair.b];
        const MrnPose *pose_a = &job->configuration->poses[pair.a], *pose_b = &job->configuration->poses[pair.b];
        double margin = job->configuration->margins[pair.a] + job->configuration->margins[pair.b];
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
    for (int t = 0; t < 64; t++) collider->thread[t].found.count = 0, collider->thread[t].uncovered = false;
    mrn_threads_for(threads, collider->model->bodies.count, 512, make_proxies, &job);
    bool rebuild = !collider->broad->valid;
    for (int t = 0; t < 64; t++) rebuild |= collider->thread[t].uncovered;
    if (rebuild) mrn_broad_build(collider->broad, collider->model->dimension, collider->proxies, threads);
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
