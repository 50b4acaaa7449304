// Second looks of a Moreau-Jean step.
//
// Contacts are sought before the new velocities are known. Balls that are hit may go farther than anybody looked;
// blocks may come where none of their contacts has foreseen it. Then the step is solved again with what was missed.
#include "step/second_look.h"

#include "step/contact_memory.h"
#include "step/contact_space.h"

/// Of the size of a body: how far it may go beyond what was looked at without a second look.
#define OVERLOOKED   1e-5
#define FAST         1e-3 ///< of its size: a body that goes so far in a step may come where nobody looked, and
#define RAN_INTO     2e-4 ///< of the smallest: what it may overlap there
#define FEW_CONTACTS 16   ///< bodies for each: then a second look at all would cost more than the step

/// Does some ball go farther with its new velocity than was looked at? Of other bodies the collider looks as far as
/// those go that may hit them. Not asked where contacts are few.
static bool overruns(const MrnPass *pass) {
    const MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count;
    bool asked = world->round && FEW_CONTACTS * world->contact_count >= n;
    for (size_t b = 0; asked && b < n; b++)
        if (world->rank[b] >= 0 &&
            margin_of(pass, b, world->free + b * MRN_DOF) > world->margins[b] + OVERLOOKED * pass->sizes[b])
            return true;
    return false;
}

/// The rate of the gap with these velocities.
static double gap_rate(const MrnWorld *world, const MrnContact *contact, const double *end) {
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
        MrnPose image;
        const MrnPose *pose = pose_of(world, contact, side, &image);
        const double *u = end + b * MRN_DOF;
        MrnVec3 velocity = MRN_NAMED(mrn_point_velocity)(pose, u, u + MRN_DIM, contact->position);
        speed += (side == 0 ? 1 : -1) * mrn_dot3(mrn_load3(contact->normal), velocity);
    }
    return speed;
}

/// Would the bodies of a contact overlap there, by more than may be overlooked, if they went on with these velocities
/// until the middle of the next step?
static bool closes(const MrnWorld *world, const MrnContact *contact, const double *end) {
    return contact->gap + world->scheme.time_step * gap_rate(world, contact, end) < -OVERLOOKED * world->smallest;
}

/// What is solved again begins with the impulses of these contacts.
static void keep_solved(MrnPass *pass, const MrnContact *contacts, size_t count) {
    pass->solved = contacts;
    pass->solved_count = count;
    pass->solved_impulse = pass->world->impulse;
}

/// Look again, as far as bodies go with their new velocities. If contacts were missed that close, true: they are in
/// world->contacts, and free velocities are as before the impulses. Else nothing changes.
static bool missed_contacts(MrnPass *pass, MrnConfiguration *configuration) {
    MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count, old_count = world->contact_count, k = 0;
    if (!overruns(pass)) return false;
    MrnContact *old = mrn_arena_take(&world->arena, old_count, sizeof *old);
    double *end = mrn_arena_take(&world->scratch, n * MRN_DOF, sizeof *end);
    memcpy(old, world->contacts, old_count * sizeof *old);
    memcpy(end, world->free, n * MRN_DOF * sizeof *end);
    for (size_t b = 0; b < n; b++) {
        if (!is_free(world, b)) continue;
        if (world->needs[b] != MRN_NEED_ALL) { // it met nobody: no impulses
            complete(pass, b);
            memcpy(end + b * MRN_DOF, world->free + b * MRN_DOF, MRN_DOF * sizeof *end);
        } else
            set_body(pass, b, fmax(world->margins[b], margin_of(pass, b, end + b * MRN_DOF)));
    }
    configuration->needs = NULL;
    configuration->checked = false;
    find_contacts(pass, configuration);
    bool missed = false;
    for (size_t c = 0; c < world->contact_count && !missed; c++) {
        const MrnContact *contact = &world->contacts[c];
        int order = 1;
        while (k < old_count && (order = mrn_compare_contacts(old[k].body_a, old[k].body_b, old[k].feature,
                                                              contact->body_a, contact->body_b, contact->feature)) < 0)
            k++;
        if (k < old_count && order == 0) continue;
        missed = closes(world, contact, end);
    }
    if (missed) {
        keep_solved(pass, old, old_count);
        return true;
    }
    world->contacts = old;
    world->contact_count = old_count;
    memcpy(world->free, end, n * MRN_DOF * sizeof *end);
    return false;
}

/// Where the body with pose `from` has x, the body with pose `to` has what is returned.
static MrnVec3 carry(const MrnPose *from, const MrnPose *to, MrnVec3 x) {
    MrnVec3 arm = mrn_sub3(x, from->position);
#if MRN_DIM == 2
    double cosine = from->rotation.m[0][0], sine = from->rotation.m[1][0];
    double along = cosine * arm.x + sine * arm.y, across = cosine * arm.y - sine * arm.x;
    cosine = to->rotation.m[0][0], sine = to->rotation.m[1][0];
    return mrn_add3(to->position, mrn_vec3(cosine * along - sine * across, sine * along + cosine * across, 0));
#else
    return mrn_add3(to->position, mrn_mat3_times(&to->rotation, mrn_mat3_transpose_times(&from->rotation, arm)));
#endif
}

/// Does a body go far in a step with this velocity?
static bool goes_far(const MrnPass *pass, size_t b, const double *u) {
    double swing = pass->world->model->bodies.data[b].reach * sqrt(squared(u + MRN_DIM, MRN_SPIN));
    return pass->world->scheme.time_step * (sqrt(squared(u, MRN_DIM)) + swing) > FAST * pass->sizes[b];
}

/// May blocks come where nobody looked? Not asked where contacts are few.
static bool may_run_into_others(const MrnPass *pass) {
    const MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count;
    bool fast = false;
    if (world->round || world->model->periodic || world->scheme.activation != MRN_ACTIVATION_GAP ||
        FEW_CONTACTS * world->contact_count < n)
        return false;
    for (size_t b = 0; b < n && !fast; b++) fast = world->rank[b] >= 0 && goes_far(pass, b, world->free + b * MRN_DOF);
    return fast;
}

/// The poses of the middle of the next step, with the new velocities.
static void poses_ahead(const MrnPass *pass, MrnPose *ahead) {
    const MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    const MrnState *state = world->state;
    double h = world->scheme.time_step, next = state->time[0] + (2 - world->scheme.theta) * h;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const double *end = world->free + b * MRN_DOF;
        double position[MRN_DIM], rotation[MRN_ROTATION], velocity[MRN_DIM], spin[MRN_SPIN];
        ahead[b] = world->poses[b];
        if (!state->active[b] || (world->kinds[b] & ~MRN_LOADED) == MRN_BODY_FIXED) continue;
        memcpy(position, state->position + b * MRN_DIM, sizeof position);
        memcpy(rotation, state->rotation + b * MRN_ROTATION, sizeof rotation);
        if (is_free(world, b)) {
            for (int k = 0; k < MRN_DIM; k++) position[k] += h * end[k];
            turn(rotation, end + MRN_DIM, h);
        } else
            place_driven(model, b, next, position, rotation, velocity, spin);
        set_pose(&ahead[b], position, rotation, false);
    }
}

/// A contact of the poses ahead as one of this step: its gap is such that the new velocities lead to the overlap that
/// was found there, but no overlap that is not there now, which is `deepest`, negative or 0.
static MrnContact brought_back(const MrnWorld *world, const MrnContact *contact, const MrnPose *ahead,
                               const double *end, double deepest) {
    MrnContact back = *contact;
    size_t body[2] = {(size_t)contact->body_a, (size_t)contact->body_b};
    MrnVec3 at = mrn_load3(contact->position), x[2];
    for (int side = 0; side < 2; side++) x[side] = carry(&ahead[body[side]], &world->poses[body[side]], at);
    mrn_store3(back.position, mrn_scale3(0.5, mrn_add3(x[0], x[1])));
    back.carrier = 0; // how its normal turns is in the gap
    back.gap = fmax(back.gap - world->scheme.time_step * gap_rate(world, &back, end), deepest);
    return back;
}

/// Free velocities as before the impulses.
static void take_back_impulses(MrnPass *pass) {
    MrnWorld *world = pass->world;
    for (size_t b = 0; b < world->model->bodies.count; b++)
        if (is_free(world, b) && world->needs[b] == MRN_NEED_ALL) set_body(pass, b, world->margins[b]);
}

/// Blocks may come where neither had looked for the other: a corner beside a face comes over the edge and down, edges
/// that cross run along each other. Look at the poses ahead; if bodies overlap there as no contact has foreseen, true:
/// that place is in world->contacts, and free velocities are as before the impulses. Else nothing changes.
static bool ran_into_others(MrnPass *pass) {
    MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count, old_count = world->contact_count, count, k = 0, total = 0;
    if (!may_run_into_others(pass)) return false;
    for (size_t b = 0; b < n; b++)
        if (is_free(world, b) && world->needs[b] != MRN_NEED_ALL) complete(pass, b); // it met nobody: no impulses
    MrnPose *ahead = mrn_arena_take(&world->scratch, n, sizeof *ahead);
    poses_ahead(pass, ahead);
    MrnContact *old = mrn_arena_take(&world->arena, old_count + 1, sizeof *old);
    double *end = mrn_arena_take(&world->scratch, n * MRN_DOF, sizeof *end),
           *margins = mrn_arena_take(&world->scratch, n, sizeof *margins);
    memcpy(old, world->contacts, old_count * sizeof *old);
    memcpy(end, world->free, n * MRN_DOF * sizeof *end);
    for (size_t b = 0; b < n; b++) margins[b] = 1e-7 * world->smallest;
    MrnConfiguration there = {.poses = ahead, .margins = margins, .active = world->state->active};
    const MrnContact *found = mrn_collider_find(world->collider, &there, world->threads, &count);
    MrnContact *all = mrn_arena_take(&world->arena, old_count + count + 1, sizeof *all);
    bool missed = false;
    for (size_t c = 0; c < count; c++) {
        int order = 1;
        while (k < old_count && (order = mrn_compare_contacts(old[k].body_a, old[k].body_b, old[k].feature,
                                                              found[c].body_a, found[c].body_b, found[c].feature)) < 0)
            all[total++] = old[k++];
        bool known = k < old_count && order == 0;
        double deepest = known ? fmin(old[k].gap, 0) : 0;
        if (found[c].gap < deepest - RAN_INTO * world->smallest) {
            all[total++] = brought_back(world, &found[c], ahead, end, deepest);
            k += known;
            missed = true;
        }
    }
    while (k < old_count) all[total++] = old[k++];
    world->contacts = missed ? all : old;
    world->contact_count = total;
    if (!missed) return false;
    take_back_impulses(pass);
    keep_solved(pass, old, old_count);
    return true;
}

bool MRN_NAMED(mrn_look_again)(MrnPass *pass, MrnConfiguration *configuration) {
    return missed_contacts(pass, configuration) || ran_into_others(pass);
}
