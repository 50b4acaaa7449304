// Impulses of contacts, kept from step to step: the first guess of the next one.
//
// The memory is part of the state, so that a run that goes on from a checkpoint has the same guesses. It is sorted as
// contacts are; what goes with each is the normal impulse, the tangential impulse in space, and the rolling couple.
#include "base/dim.h"
#include "step/contact_memory.h"

#include "step/contact_space.h"

#include <string.h>

#define BLOCK 256 ///< contacts that one thread looks up in a row

/// First entry of the memory that does not come before a contact.
static size_t find_memory(const MrnState *state, const MrnContact *contact) {
    size_t low = 0, high = state->memory_count;
    while (low < high) {
        size_t m = (low + high) / 2;
        if (mrn_compare_contacts(state->memory_body[2 * m], state->memory_body[2 * m + 1], state->memory_feature[m],
                                 contact->body_a, contact->body_b, contact->feature) < 0)
            low = m + 1;
        else
            high = m;
    }
    return low;
}

typedef struct Recall {
    MrnWorld *world;
    int64_t *known; ///< per block: contacts of the last step
} Recall;

/// Blocks [begin, end) of contacts.
static void recall(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    const Recall *job = context;
    MrnWorld *world = job->world;
    const MrnState *state = world->state;
    double ratio = world->scheme.time_step / state->last_time_step[0];
    size_t m = find_memory(state, &world->contacts[begin * BLOCK]);
    for (size_t c = begin * BLOCK; c < end * BLOCK && c < world->contact_count; c++) {
        const MrnContact *contact = &world->contacts[c];
        int order = 1;
        while (m < state->memory_count &&
               (order = mrn_compare_contacts(state->memory_body[2 * m], state->memory_body[2 * m + 1],
                                             state->memory_feature[m], contact->body_a, contact->body_b,
                                             contact->feature)) < 0)
            m++;
        if (m >= state->memory_count || order != 0) continue;
        job->known[c / BLOCK] += state->memory_age[m] == 0;
        if (!world->scheme.warm_start) continue;
        double frame[3][3], *p = world->impulse + c * MRN_DIM;
        frame_of(world, contact, frame);
        const double *tangent = state->memory_tangent_impulse + m * MRN_DIM;
        p[0] = ratio * state->memory_normal_impulse[m];
        for (int i = 1; i < MRN_DIM; i++)
            for (int k = 0; k < MRN_DIM; k++) p[i] += ratio * tangent[k] * frame[i][k];
        if (world->rolling && world->rolling[c] >= 0) {
            double *couple = world->impulse + (size_t)world->rolling[c] * MRN_DIM;
            const double *old = state->memory_couple + m * MRN_SPIN;
            if (MRN_DIM == 2)
                couple[0] = ratio * old[0];
            else
                for (int i = 0; i < MRN_DIM; i++)
                    for (int k = 0; k < MRN_SPIN; k++) couple[i] += ratio * old[k] * frame[i][k];
        }
    }
}

int64_t MRN_NAMED(mrn_recall_impulses)(MrnWorld *world) {
    size_t blocks = (world->contact_count + BLOCK - 1) / BLOCK;
    Recall job = {world, mrn_arena_take(&world->scratch, blocks + 1, sizeof *job.known)};
    memset(job.known, 0, (blocks + 1) * sizeof *job.known);
    mrn_threads_for(world->threads, blocks, 1, recall, &job);
    int64_t known = 0;
    for (size_t k = 0; k < blocks; k++) known += job.known[k];
    return known;
}

/// Entry n of the memory becomes contact c.
static void store_contact(MrnWorld *world, size_t c, size_t n) {
    MrnState *state = world->state;
    const MrnContact *contact = &world->contacts[c];
    const double *p = world->impulse + c * MRN_DIM;
    double frame[3][3], tangent[3] = {0, p[1], MRN_DIM == 3 ? p[MRN_DIM - 1] : 0}, space[3];
    frame_of(world, contact, frame);
    state->memory_body[2 * n] = contact->body_a;
    state->memory_body[2 * n + 1] = contact->body_b;
    // Fields that are zero in most scenes stay pages of zeros, which cost no memory.
    if (state->memory_feature[n] != contact->feature) state->memory_feature[n] = contact->feature;
    if (state->memory_age[n] != 0) state->memory_age[n] = 0;
    state->memory_normal_impulse[n] = p[0];
    mrn_store3(space, in_space(frame, tangent));
    memcpy(state->memory_tangent_impulse + n * MRN_DIM, space, MRN_DIM * sizeof(double));
    if (!world->may_roll) return; // the couples of the memory are zero
    mrn_store3(space, couple_of(world, c, frame));
    memcpy(state->memory_couple + n * MRN_SPIN, MRN_DIM == 2 ? space + 2 : space, MRN_SPIN * sizeof(double));
}

static void store_contacts(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    for (size_t c = begin; c < end; c++) store_contact(context, c, c);
}

void MRN_NAMED(mrn_remember_impulses)(MrnWorld *world) {
    MrnState *state = world->state;
    size_t old_count = state->memory_count;
    MrnState old = *state;
    if (world->scheme.keep_memory && old_count) { // the old entries are read while new ones are written
#define KEEP(field, width)                                                                                             \
    old.field = memcpy(mrn_arena_take(&world->scratch, old_count * (width), sizeof *old.field), state->field,          \
                       old_count * (width) * sizeof *old.field)
        KEEP(memory_body, 2);
        KEEP(memory_feature, 1);
        KEEP(memory_normal_impulse, 1);
        KEEP(memory_tangent_impulse, MRN_DIM);
        KEEP(memory_couple, MRN_SPIN);
        KEEP(memory_age, 1);
#undef KEEP
    } else
        old_count = 0;
    mrn_state_reserve_memory(state, world->contact_count + old_count);
    state->last_time_step[0] = world->scheme.time_step;
    if (old_count == 0) {
        mrn_threads_for(world->threads, world->contact_count, 2 * BLOCK, store_contacts, world);
        state->memory_count = world->contact_count;
        return;
    }
    size_t n = 0, m = 0;
    for (size_t c = 0; c <= world->contact_count; c++) {
        const MrnContact *contact = c < world->contact_count ? &world->contacts[c] : NULL;
        for (; m < old_count; m++) {
            int order = contact ? mrn_compare_contacts(old.memory_body[2 * m], old.memory_body[2 * m + 1],
                                                       old.memory_feature[m], contact->body_a, contact->body_b,
                                                       contact->feature)
                                : -1;
            if (order > 0) break;
            if (order == 0 || old.memory_age[m] > 0) continue;
            memcpy(state->memory_body + 2 * n, old.memory_body + 2 * m, 2 * sizeof(int32_t));
            state->memory_feature[n] = old.memory_feature[m];
            state->memory_normal_impulse[n] = old.memory_normal_impulse[m];
            memcpy(state->memory_tangent_impulse + n * MRN_DIM, old.memory_tangent_impulse + m * MRN_DIM,
                   MRN_DIM * sizeof(double));
            memcpy(state->memory_couple + n * MRN_SPIN, old.memory_couple + m * MRN_SPIN, MRN_SPIN * sizeof(double));
            state->memory_age[n++] = old.memory_age[m] + 1;
        }
        if (!contact) break;
        store_contact(world, c, n++);
    }
    state->memory_count = n;
}
