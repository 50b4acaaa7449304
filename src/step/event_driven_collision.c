// The collision stage: which contacts approach, how they hang together, and the impacts they make (specification of
// floes 2.4.1, 2.4.7).
//
// Active mode: the contacts that approach form groups that share free bodies; each group is one impact; then look
// again, until nothing approaches. Pairs that have collided several times in a stage press on each other, as in a jam:
// from then on they join the same impact, whether they approach or not, because one after the other they would need a
// number of impacts that grows with the square of their number. Simultaneous mode: a contact that approaches brings in
// every contact of its connected group. Obstacles do not connect. Contacts within the collision distance count; poses
// do not change in a stage.
#include "step/event_driven.h"
#include "base/clock.h"
#include "step/breaking.h"

#include <stdlib.h>
#include <string.h>

#define RATE_ROUNDING 1e-13 ///< of velocities, over the speeds of the bodies
#define JOINED_LIMIT  150   ///< contacts of a group; larger jams go on one impact after the other, which costs less
#define MOST_LEAN     0.1   ///< rad, of normals below the clearance
#define JOINED_SLACK  0.05  ///< of pairs solved together, over the approach that is left alone

static MrnVec2 point_velocity(const MrnEventBody *body, MrnVec2 arm) {
    return mrn_add2(body->motion.velocity, mrn_scale2(body->motion.spin, mrn_perp2(arm)));
}

/// Arms of a contact: its point is seen from the mass centre of a.
static void arms_of(const MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeTouch *touch, MrnVec2 arm[2]) {
    MrnVec2 between =
        mrn_sub2(mrn_add2(ed->bodies[pair->b].pose.position, pair->offset), ed->bodies[pair->a].pose.position);
    arm[0] = touch->point;
    arm[1] = mrn_sub2(touch->point, between);
}

double mrn_event_rate(const MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeTouch *touch, double *limit) {
    const MrnEventBody *a = &ed->bodies[pair->a], *b = &ed->bodies[pair->b];
    MrnVec2 arm[2];
    arms_of(ed, pair, touch, arm);
    MrnVec2 va = point_velocity(a, arm[0]), vb = point_velocity(b, arm[1]);
    double speed = fabs(va.x) + fabs(va.y) + fabs(vb.x) + fabs(vb.y);
    *limit = -ed->world->scheme.event_driven.approach_rate * fmax(0, touch->gap) - RATE_ROUNDING * speed;
    return mrn_dot2(touch->normal, mrn_sub2(vb, va));
}

static int32_t root_of(MrnEventDriven *ed, int32_t b) {
    while (ed->bodies[b].root != b) b = ed->bodies[b].root = ed->bodies[ed->bodies[b].root].root;
    return b;
}

static void join(MrnEventDriven *ed, const MrnEventPair *pair) {
    if (!ed->bodies[pair->a].mobile || !ed->bodies[pair->b].mobile) return;
    int32_t a = root_of(ed, pair->a), b = root_of(ed, pair->b);
    if (a < b)
        ed->bodies[b].root = a;
    else
        ed->bodies[a].root = b;
}

static int compare_actives(const void *left, const void *right) {
    const MrnEventActive *p = left, *q = right;
    if (p->root != q->root) return p->root < q->root ? -1 : 1;
    if (p->pair != q->pair) return mrn_event_before(p->sort_by, q->sort_by) ? -1 : 1;
    return p->touch < q->touch ? -1 : p->touch > q->touch;
}

static int32_t member_of(MrnEventDriven *ed, int32_t b) {
    MrnEventBody *body = &ed->bodies[b];
    if (!body->mobile) return -1;
    if (body->mark < 0) {
        body->mark = (int32_t)ed->members.count;
        mrn_array_push(&ed->members, b);
        mrn_array_push(&ed->velocities, body->motion.velocity.x);
        mrn_array_push(&ed->velocities, body->motion.velocity.y);
        mrn_array_push(&ed->velocities, body->motion.spin);
        mrn_array_push(&ed->inverses, body->inverse[0]);
        mrn_array_push(&ed->inverses, body->inverse[1]);
    }
    return body->mark;
}

/// A corner that slides along an edge which turns is bent towards it for as long as it slides: after every impact that
/// leaves it without normal velocity it would come closer, each time in a shorter time, until the bodies touch. The gap
/// has the second derivative
///     g'' = 2 w_e t.u + w_a^2 n.r_a - w_b^2 n.r_b,        t = k x n, u the relative velocity, e the body of the edge.
/// Below the clearance the normal is therefore leaned against the sliding, so that "no approach" along it is a speed of
/// separation sqrt(2 |g''| missing), which brings the gap back to the clearance and no farther. The theorems of an
/// impact hold for any normal: momentum and angular momentum are kept and energy does not grow.
static MrnVec2 leaned_normal(const MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeTouch *touch,
                             const MrnVec2 arm[2]) {
    MrnVec2 n = touch->normal, t = mrn_perp2(n);
    double missing = ed->world->scheme.event_driven.clearance * pair->zeta - touch->gap;
    int edge = mrn_floe_touch_edge(touch);
    if (!(missing > 0) || edge < 0) return n;
    const MrnEventBody *a = &ed->bodies[pair->a], *b = &ed->bodies[pair->b];
    double spin_a = a->motion.spin, spin_b = b->motion.spin;
    double slide = mrn_dot2(t, mrn_sub2(point_velocity(b, arm[1]), point_velocity(a, arm[0])));
    double bend = 2 * (edge ? spin_b : spin_a) * slide + spin_a * spin_a * mrn_dot2(n, arm[0]) -
                  spin_b * spin_b * mrn_dot2(n, arm[1]);
    if (!(bend < 0)) return n;
    double lean = -sqrt(-2 * bend * missing) / slide;
    lean = fmax(-MOST_LEAN, fmin(MOST_LEAN, lean));
    return mrn_scale2(1 / sqrt(1 + lean * lean), mrn_add2(n, mrn_scale2(lean, t)));
}

static void add_contact(MrnEventDriven *ed, const MrnEventActive *active) {
    const MrnEventPair *pair = &ed->pairs.data[active->pair];
    const MrnFloeTouch *touch = &ed->pool.data[pair->first + active->touch];
    size_t materials = ed->world->model->materials.count;
    const MrnPairLaw *law = &ed->world->laws[(size_t)touch->material_a * materials + (size_t)touch->material_b];
    MrnImpactContact contact = {.friction = law->friction, .restitution = law->normal_restitution};
    arms_of(ed, pair, touch, contact.arm);
    contact.normal = leaned_normal(ed, pair, touch, contact.arm);
    contact.body[0] = member_of(ed, pair->a);
    contact.body[1] = member_of(ed, pair->b);
    if (contact.body[0] < 0) contact.obstacle = mrn_scale2(-1, point_velocity(&ed->bodies[pair->a], contact.arm[0]));
    if (contact.body[1] < 0)
        contact.obstacle = mrn_add2(contact.obstacle, point_velocity(&ed->bodies[pair->b], contact.arm[1]));
    mrn_array_push(&ed->contacts, contact);
}

static void record(MrnEventDriven *ed, const MrnEventActive *active, const MrnImpactContact *contact) {
    const MrnEventPair *pair = &ed->pairs.data[active->pair];
    const MrnFloeTouch *touch = &ed->pool.data[pair->first + active->touch];
    MrnStepInfo *info = ed->info;
    MrnVec2 n = contact->normal, t = {n.y, -n.x};
    const double *p = contact->impulse, *u = contact->before, *v = contact->after;
    double obstacle[2] = {mrn_dot2(contact->obstacle, n), mrn_dot2(contact->obstacle, t)};
    double lost = 0;
    for (int k = 0; k < 2; k++) {
        lost -= 0.5 * p[k] * (u[k] + v[k]);
        info->dissipated_energy -= 0.5 * p[k] * (u[k] + v[k]);
        info->driver_work -= p[k] * obstacle[k];
    }
    if (p[0] == 0 && p[1] == 0) return;
    info->collisions++;
    const MrnEventBody *a = &ed->bodies[pair->a], *b = &ed->bodies[pair->b];
    MrnBlowPair blow = {.body = {pair->a, pair->b},
                        .arm = {contact->arm[0], contact->arm[1]},
                        .turn = {{a->pose.c, a->pose.s}, {b->pose.c, b->pose.s}},
                        .impulse = mrn_add2(mrn_scale2(p[0], n), mrn_scale2(p[1], t)),
                        .energy = lost};
    mrn_breaking_report(ed->world, &blow);
    MrnEventRecord entry = {.a = pair->a,
                            .b = pair->b,
                            .feature = touch->feature,
                            .order = ed->records.count,
                            .position = mrn_add2(a->pose.position, touch->point),
                            .normal = n,
                            .gap = touch->gap,
                            .impulse = mrn_add2(mrn_scale2(p[0], n), mrn_scale2(p[1], t)),
                            .normal_impulse = p[0],
                            .velocity = mrn_add2(mrn_scale2(v[0], n), mrn_scale2(v[1], t)),
                            .sliding = fabs(p[1]) >= (1 - 1e-9) * contact->friction * p[0] &&
                                       fabs(v[1]) > 1e-9 * (fabs(u[0]) + fabs(u[1]))};
    mrn_array_push(&ed->records, entry);
}

/// Queue a pair for another look in this stage.
static void queue_pair(MrnEventDriven *ed, int32_t p) {
    if (ed->pairs.data[p].queued) return;
    ed->pairs.data[p].queued = true;
    mrn_array_push(&ed->queue, p);
}

/// Impacts of a pair in this stage.
static int32_t hits_of(const MrnEventDriven *ed, int32_t p) {
    const MrnEventPair *pair = &ed->pairs.data[p];
    return pair->stage == ed->stage ? pair->hits : 0;
}

static void count_hit(MrnEventDriven *ed, int32_t p) {
    MrnEventPair *pair = &ed->pairs.data[p];
    pair->hits = pair->stage == ed->stage ? pair->hits + 1 : 1;
    pair->stage = ed->stage;
}

/// How exactly the velocities of a group must be found, m/s. Pairs that press on each other in a jam need no more than
/// a small part of the approach that counts as none; others are solved to rounding.
static double slack_of(const MrnEventDriven *ed, size_t begin, size_t end) {
    const MrnEventDrivenSettings *settings = &ed->world->scheme.event_driven;
    double gap = INFINITY;
    bool joined = false;
    for (size_t k = begin; k < end; k++) {
        const MrnEventActive *active = &ed->actives.data[k];
        gap = fmin(gap, ed->pool.data[ed->pairs.data[active->pair].first + active->touch].gap);
        joined = joined || (settings->together_after > 0 && hits_of(ed, active->pair) >= settings->together_after);
    }
    return joined ? JOINED_SLACK * settings->approach_rate * fmax(0, gap) : 0;
}

/// One impact from actives [begin, end). Bodies that change are noted, with their pairs.
static void one_impact(MrnEventDriven *ed, size_t begin, size_t end, double time) {
    ed->contacts.count = ed->members.count = ed->velocities.count = ed->inverses.count = 0;
    for (size_t k = begin; k < end; k++) add_contact(ed, &ed->actives.data[k]);
    MrnImpact impact = {.body_count = ed->members.count,
                        .inverse = ed->inverses.data,
                        .velocity = ed->velocities.data,
                        .contact_count = ed->contacts.count,
                        .contacts = ed->contacts.data};
    impact.slack = slack_of(ed, begin, end);
    mrn_arena_reset(&ed->arena);
    mrn_impact_solve(&impact, &ed->world->scheme.event_driven, &ed->arena, &ed->count, NULL);
    ed->info->components++;
    if ((int64_t)impact.contact_count > ed->info->largest_component)
        ed->info->largest_component = (int64_t)impact.contact_count;
    for (size_t k = begin; k < end; k++) {
        record(ed, &ed->actives.data[k], &impact.contacts[k - begin]);
        if (k == begin || ed->actives.data[k].pair != ed->actives.data[k - 1].pair)
            count_hit(ed, ed->actives.data[k].pair);
    }
    for (size_t i = 0; i < ed->members.count; i++) {
        int32_t b = ed->members.data[i];
        MrnEventBody *body = &ed->bodies[b];
        const double *w = ed->velocities.data + 3 * i;
        body->mark = -1;
        mrn_event_advance(ed, b, time);
        body->motion = (MrnFloeMotion){{w[0], w[1]}, w[2]};
        if (!body->changed) {
            body->changed = true;
            mrn_array_push(&ed->changed, b);
        }
        for (int32_t p = body->first_pair; p >= 0; p = mrn_event_next(ed, p, b)) queue_pair(ed, p);
    }
}

/// Contacts of the queued pairs that approach, into ed->actives; the queue is emptied.
static void find_actives(MrnEventDriven *ed, double time) {
    ed->actives.count = 0;
    for (size_t k = 0; k < ed->queue.count; k++) {
        int32_t p = ed->queue.data[k];
        ed->pairs.data[p].queued = false;
        mrn_event_look(ed, p, time, 0);
        const MrnEventPair *pair = &ed->pairs.data[p];
        for (uint32_t c = 0; c < pair->count; c++) {
            double limit, rate = mrn_event_rate(ed, pair, &ed->pool.data[pair->first + c], &limit);
            if (rate < limit) {
                MrnEventActive active = {.pair = p, .touch = c};
                mrn_array_push(&ed->actives, active);
            }
        }
    }
    ed->queue.count = 0;
}

/// From the contacts that approach to all contacts of their groups; only pairs that have collided at least `hits` times
/// in this stage connect (0: all, the simultaneous mode).
static void complete_groups(MrnEventDriven *ed, double time, int32_t hits) {
    size_t kept = 0;
    for (size_t k = 0; k < ed->actives.count; k++)
        if (hits_of(ed, ed->actives.data[k].pair) >= hits)
            queue_pair(ed, ed->actives.data[k].pair);
        else
            ed->actives.data[kept++] = ed->actives.data[k];
    ed->actives.count = kept;
    for (size_t k = 0; k < ed->queue.count; k++) { // grows while it is walked
        int32_t p = ed->queue.data[k];
        mrn_event_look(ed, p, time, 0);
        const MrnEventPair *pair = &ed->pairs.data[p];
        if (pair->count == 0) continue;
        for (uint32_t c = 0; c < pair->count; c++) {
            MrnEventActive active = {.pair = p, .touch = c};
            mrn_array_push(&ed->actives, active);
        }
        int32_t sides[2] = {pair->a, pair->b};
        for (int side = 0; side < 2; side++)
            if (ed->bodies[sides[side]].mobile)
                for (int32_t q = ed->bodies[sides[side]].first_pair; q >= 0; q = mrn_event_next(ed, q, sides[side]))
                    if (hits_of(ed, q) >= hits) queue_pair(ed, q);
    }
    for (size_t k = 0; k < ed->queue.count; k++) ed->pairs.data[ed->queue.data[k]].queued = false;
    ed->queue.count = 0;
}

/// Groups of actives that share free bodies, sorted by group, pair and contact.
static void group_actives(MrnEventDriven *ed) {
    for (size_t k = 0; k < ed->actives.count; k++) {
        const MrnEventPair *pair = &ed->pairs.data[ed->actives.data[k].pair];
        ed->bodies[pair->a].root = pair->a, ed->bodies[pair->b].root = pair->b;
    }
    for (size_t k = 0; k < ed->actives.count; k++) join(ed, &ed->pairs.data[ed->actives.data[k].pair]);
    for (size_t k = 0; k < ed->actives.count; k++) {
        const MrnEventPair *pair = &ed->pairs.data[ed->actives.data[k].pair];
        ed->actives.data[k].root = root_of(ed, ed->bodies[pair->a].mobile ? pair->a : pair->b);
        ed->actives.data[k].sort_by = pair;
    }
    qsort(ed->actives.data, ed->actives.count, sizeof *ed->actives.data, compare_actives);
}

/// Active mode, after some rounds: groups in which pairs that collide again and again are solved together.
static void group_jams(MrnEventDriven *ed, double time) {
    mrn_array_resize(&ed->approaching, ed->actives.count);
    memcpy(ed->approaching.data, ed->actives.data, ed->actives.count * sizeof *ed->actives.data);
    complete_groups(ed, time, ed->world->scheme.event_driven.together_after);
    group_actives(ed);
    size_t length = 0;
    for (size_t k = 0; k < ed->actives.count; k++) {
        length = k && ed->actives.data[k].root == ed->actives.data[k - 1].root ? length + 1 : 1;
        if (length <= JOINED_LIMIT) continue;
        mrn_array_resize(&ed->actives, ed->approaching.count);
        memcpy(ed->actives.data, ed->approaching.data, ed->approaching.count * sizeof *ed->actives.data);
        group_actives(ed);
        return;
    }
}

void mrn_event_collide(MrnEventDriven *ed, double time) {
    const MrnEventDrivenSettings *settings = &ed->world->scheme.event_driven;
    double clock = mrn_wall_seconds();
    ed->changed.count = 0;
    ed->stage++;
    for (size_t k = 0; k < ed->dirty.count; k++) queue_pair(ed, ed->dirty.data[k]);
    ed->dirty.count = 0;
    for (int64_t round = 0; ed->queue.count; round++) {
        find_actives(ed, time);
        if (!ed->actives.count) break;
        if (settings->contacts == MRN_CONTACTS_SIMULTANEOUS) complete_groups(ed, time, 0);
        if (settings->contacts == MRN_CONTACTS_SIMULTANEOUS || settings->together_after == 0 ||
            round < settings->together_after)
            group_actives(ed);
        else
            group_jams(ed, time);
        for (size_t begin = 0, end; begin < ed->actives.count; begin = end) {
            for (end = begin + 1;
                 end < ed->actives.count && ed->actives.data[end].root == ed->actives.data[begin].root;)
                end++;
            one_impact(ed, begin, end, time);
        }
        if (round >= settings->max_rounds * (int64_t)ed->pairs.count) {
            // The rest keeps approaching; its pairs are looked at again when their gaps are half of what they are now.
            for (size_t k = 0; k < ed->queue.count; k++) ed->pairs.data[ed->queue.data[k]].queued = false;
            ed->queue.count = 0;
        }
    }
    for (size_t k = 0; k < ed->changed.count; k++) ed->bodies[ed->changed.data[k]].changed = false;
    ed->info->seconds_solve += mrn_wall_seconds() - clock;
}
