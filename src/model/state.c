// The state and everything that walks over its table of fields.
#include "model/state.h"
#include "base/hash.h"
#include "model/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const MrnField mrn_state_fields[] = {
#define X(type, name, tag, count, width, text) {#name, tag, count, width, offsetof(MrnState, name), text},
    MRN_STATE_FIELDS(X)
#undef X
};
const size_t mrn_state_field_count = sizeof mrn_state_fields / sizeof *mrn_state_fields;

size_t mrn_field_size(MrnFieldType type) {
    switch (type) {
    case MRN_FIELD_DOUBLE: return sizeof(double);
    case MRN_FIELD_INT64: return sizeof(int64_t);
    case MRN_FIELD_INT32: return sizeof(int32_t);
    case MRN_FIELD_UINT64: return sizeof(uint64_t);
    case MRN_FIELD_UINT8: return sizeof(uint8_t);
    }
    assert(false);
    return 0;
}

static size_t entries(MrnFieldCount count, size_t bodies, size_t memory) {
    return count == MRN_PER_RUN ? 1 : count == MRN_PER_BODY ? bodies : memory;
}

size_t mrn_field_entries(const MrnField *field, const MrnState *state) {
    return entries(field->count, state->body_count, state->memory_count);
}

size_t mrn_field_width(const MrnField *field, int dimension) {
    switch (field->width) {
    case MRN_WIDTH_1: return 1;
    case MRN_WIDTH_2: return 2;
    case MRN_WIDTH_DIM: return (size_t)dimension;
    case MRN_WIDTH_ROTATION: return dimension == 2 ? 1 : 4;
    case MRN_WIDTH_SPIN: return dimension == 2 ? 1 : 3;
    }
    assert(false);
    return 0;
}

static size_t field_bytes(const MrnField *field, const MrnState *state) {
    return mrn_field_entries(field, state) * mrn_field_width(field, state->dimension) * mrn_field_size(field->type);
}

MrnState *mrn_state_new(const MrnModel *model) {
    MrnState *state = mrn_alloc_zero(1, sizeof *state);
    state->dimension = model->dimension;
    state->body_count = model->bodies.count;
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        size_t count = entries(field->count, state->body_count, 0) * mrn_field_width(field, state->dimension);
        *mrn_field_data(field, state) = mrn_alloc_zero(count ? count : 1, mrn_field_size(field->type));
    }
    size_t dim = (size_t)model->dimension, rotation = dim == 2 ? 1 : 4, spin = dim == 2 ? 1 : 3;
    for (size_t b = 0; b < state->body_count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        memcpy(state->position + b * dim, body->position, dim * sizeof(double));
        memcpy(state->rotation + b * rotation, body->start->rotation, rotation * sizeof(double));
        memcpy(state->velocity + b * dim, body->start->velocity, dim * sizeof(double));
        memcpy(state->spin + b * spin, dim == 2 ? body->start->spin + 2 : body->start->spin, spin * sizeof(double));
        state->active[b] = body->birth <= 0;
        if (body->kind != MRN_BODY_DRIVEN) continue;
        // A motion need not start at the reference position: a sine has a phase, a table a first row.
        double place[3], turned[4], v[3], w[3];
        mrn_driver_state(model, (int)b, 0, place, turned, v, w);
        if (dim == 3) mrn_store3(w, mrn_quat_rotate(mrn_quat_conjugate(mrn_quat_load(turned)), mrn_load3(w)));
        memcpy(state->position + b * dim, place, dim * sizeof(double));
        memcpy(state->rotation + b * rotation, turned, rotation * sizeof(double));
        memcpy(state->velocity + b * dim, v, dim * sizeof(double));
        memcpy(state->spin + b * spin, dim == 2 ? w + 2 : w, spin * sizeof(double));
    }
    if (model->environment) memcpy(state->ocean_velocity, model->environment->ocean_start, 2 * sizeof(double));
    return state;
}

void mrn_state_free(MrnState *state) {
    if (!state) return;
    for (size_t f = 0; f < mrn_state_field_count; f++) free(*mrn_field_data(&mrn_state_fields[f], state));
    free(state);
}

static bool all_zero(const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t k = 0; k < bytes; k++)
        if (byte[k]) return false;
    return true;
}

void mrn_state_reserve_memory(MrnState *state, size_t count) {
    if (count <= state->memory_capacity) return;
    size_t capacity = count + count / 8 + 16;
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        if (field->count != MRN_PER_MEMORY) continue;
        void **data = mrn_field_data(field, state);
        size_t bytes = mrn_field_width(field, state->dimension) * mrn_field_size(field->type);
        // A stepper that has no use for a field leaves zeros: fresh pages of zeros, which cost no memory until somebody
        // writes to them.
        void *fresh = mrn_alloc_zero(capacity, bytes);
        if (!all_zero(*data, state->memory_count * bytes)) memcpy(fresh, *data, state->memory_count * bytes);
        free(*data);
        *data = fresh;
    }
    state->memory_capacity = capacity;
}

void mrn_state_resize(MrnState *state, size_t body_count) {
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        if (field->count != MRN_PER_BODY) continue;
        void **data = mrn_field_data(field, state);
        size_t bytes = mrn_field_width(field, state->dimension) * mrn_field_size(field->type);
        *data = mrn_realloc(*data, body_count ? body_count : 1, bytes);
        if (body_count > state->body_count)
            memset((char *)*data + state->body_count * bytes, 0, (body_count - state->body_count) * bytes);
    }
    state->body_count = body_count;
}

void mrn_state_copy(MrnState *to, const MrnState *from) {
    assert(to->dimension == from->dimension && to->body_count == from->body_count);
    mrn_state_reserve_memory(to, from->memory_count);
    to->memory_count = from->memory_count;
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        memcpy(*mrn_field_data(field, to), *mrn_field_data(field, from), field_bytes(field, from));
    }
}

uint64_t mrn_state_hash(const MrnState *state) {
    uint64_t hash = mrn_hash_bytes(0, &state->memory_count, sizeof state->memory_count);
    for (size_t f = 0; f < mrn_state_field_count; f++) {
        const MrnField *field = &mrn_state_fields[f];
        hash = mrn_hash_bytes(hash, *mrn_field_data(field, state), field_bytes(field, state));
    }
    return hash;
}
