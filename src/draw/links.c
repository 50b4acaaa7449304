// Force links: contacts of the same two bodies that push in about the same direction, replaced by their resultant at
// the centre of pressure.
//
// Two blocks that rest face on face touch at the two corners of the common face; the force that people want to see is
// the resultant. Bodies that are not convex may touch in several places with different normals: those stay apart.
#include "draw/picture.h"

#include <stdlib.h>

/// Normals closer than this (cosine) are one link.
#define SAME_DIRECTION 0.9

typedef struct Key {
    int body_a, body_b;
    size_t contact;
} Key;

static int compare_keys(const void *a, const void *b) {
    const Key *x = a, *y = b;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return (x->contact > y->contact) - (x->contact < y->contact);
}

static bool finite3(const double *v) {
    return mrn_is_place(v[0]) && mrn_is_place(v[1]) && mrn_is_place(v[2]);
}

size_t mrn_links_of_frame(const MrnModel *model, const MrnFrame *frame, const uint8_t *shown, MrnLink **out) {
    size_t bodies = model->bodies.count, count = 0;
    bool flat = model->dimension == 2;
    Key *keys = mrn_alloc(frame->contact_count + 1, sizeof *keys);
    for (size_t i = 0; i < frame->contact_count; i++) {
        const MrnContactView *c = &frame->contacts[i];
        if (c->body_a < 0 || c->body_b < 0 || (size_t)c->body_a >= bodies || (size_t)c->body_b >= bodies) continue;
        if (!shown[c->body_a] || !shown[c->body_b] || !(c->normal_impulse > 0) || !mrn_is_place(c->normal_impulse))
            continue;
        if (!finite3(c->position) || !finite3(c->impulse) || !finite3(c->normal)) continue;
        keys[count++] = (Key){c->body_a, c->body_b, i};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    MrnLink *links = mrn_alloc(count + 1, sizeof *links);
    MrnVec3 *normals = mrn_alloc(count + 1, sizeof *normals);
    size_t link_count = 0, first = 0; // first link of the present pair
    for (size_t i = 0; i < count; i++) {
        const MrnContactView *c = &frame->contacts[keys[i].contact];
        if (i == 0 || keys[i].body_a != keys[i - 1].body_a || keys[i].body_b != keys[i - 1].body_b) first = link_count;
        MrnVec3 normal = mrn_load3(c->normal), point = mrn_load3(c->position), impulse = mrn_load3(c->impulse);
        if (flat) normal.z = point.z = impulse.z = 0;
        size_t at = first;
        while (at < link_count && mrn_dot3(normals[at], normal) < SAME_DIRECTION) at++;
        if (at == link_count) {
            links[link_count] = (MrnLink){.body_a = c->body_a, .body_b = c->body_b};
            normals[link_count++] = normal;
        }
        MrnLink *link = &links[at];
        double total = link->normal_impulse + c->normal_impulse;
        link->point = mrn_axpy3(link->point, c->normal_impulse / total, mrn_sub3(point, link->point));
        link->impulse = mrn_add3(link->impulse, impulse);
        link->normal_impulse = total;
    }
    free(normals);
    free(keys);
    *out = links;
    return link_count;
}
