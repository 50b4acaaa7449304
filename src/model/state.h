// The state: everything that the run changes, and that a resumed run needs to go on bit for bit.
//
// Every field is one line of MRN_STATE_FIELDS. Copy, hash, writing and reading go through the table, so no field can be
// forgotten.
#ifndef MRN_MODEL_STATE_H
#define MRN_MODEL_STATE_H

#include "base/memory.h"
#include <moraine/model.h>
#include <stdbool.h>

typedef enum MrnFieldType {
    MRN_FIELD_DOUBLE,
    MRN_FIELD_INT64,
    MRN_FIELD_INT32,
    MRN_FIELD_UINT64,
    MRN_FIELD_UINT8
} MrnFieldType;
/// How many entries a field has.
typedef enum MrnFieldCount { MRN_PER_RUN, MRN_PER_BODY, MRN_PER_MEMORY } MrnFieldCount;
/// Numbers per entry; the last four depend on the dimension.
typedef enum MrnFieldWidth {
    MRN_WIDTH_1 = 1,
    MRN_WIDTH_2 = 2,
    MRN_WIDTH_DIM = 100,
    MRN_WIDTH_ROTATION,
    MRN_WIDTH_SPIN
} MrnFieldWidth;

/// X(C type, name, type tag, entries, width, text)
#define MRN_STATE_FIELDS(X)                                                                                            \
    X(double, time, MRN_FIELD_DOUBLE, MRN_PER_RUN, MRN_WIDTH_1, "s, time reached")                                     \
    X(int64_t, step, MRN_FIELD_INT64, MRN_PER_RUN, MRN_WIDTH_1, "number of steps done")                                \
    X(double, last_time_step, MRN_FIELD_DOUBLE, MRN_PER_RUN, MRN_WIDTH_1,                                              \
      "s, length of the last step, scales stored impulses")                                                            \
    X(double, position, MRN_FIELD_DOUBLE, MRN_PER_BODY, MRN_WIDTH_DIM, "m, body origin")                               \
    X(double, rotation, MRN_FIELD_DOUBLE, MRN_PER_BODY, MRN_WIDTH_ROTATION, "angle in rad, or quaternion w x y z")     \
    X(double, velocity, MRN_FIELD_DOUBLE, MRN_PER_BODY, MRN_WIDTH_DIM, "m/s")                                          \
    X(double, spin, MRN_FIELD_DOUBLE, MRN_PER_BODY, MRN_WIDTH_SPIN, "rad/s, on the principal axes")                    \
    X(uint8_t, active, MRN_FIELD_UINT8, MRN_PER_BODY, MRN_WIDTH_1, "1 once born and not removed")                      \
    X(double, ocean_velocity, MRN_FIELD_DOUBLE, MRN_PER_RUN, MRN_WIDTH_DIM, "m/s, of the ocean layer")                 \
    X(uint8_t, removed, MRN_FIELD_UINT8, MRN_PER_BODY, MRN_WIDTH_1, "1 once removed: the body does not come back")     \
    X(double, damage, MRN_FIELD_DOUBLE, MRN_PER_BODY, MRN_WIDTH_1, "J, lost in impacts on the body and not forgotten") \
    X(int32_t, memory_body, MRN_FIELD_INT32, MRN_PER_MEMORY, MRN_WIDTH_2,                                              \
      "bodies of a remembered contact, A then B; sorted")                                                              \
    X(uint64_t, memory_feature, MRN_FIELD_UINT64, MRN_PER_MEMORY, MRN_WIDTH_1, "its feature number")                   \
    X(double, memory_normal_impulse, MRN_FIELD_DOUBLE, MRN_PER_MEMORY, MRN_WIDTH_1, "N s")                             \
    X(double, memory_tangent_impulse, MRN_FIELD_DOUBLE, MRN_PER_MEMORY, MRN_WIDTH_DIM, "N s, in space")                \
    X(double, memory_couple, MRN_FIELD_DOUBLE, MRN_PER_MEMORY, MRN_WIDTH_SPIN, "N m s, rolling couple, in space")      \
    X(int32_t, memory_age, MRN_FIELD_INT32, MRN_PER_MEMORY, MRN_WIDTH_1, "steps since it was last active")             \
    X(double, memory_spring, MRN_FIELD_DOUBLE, MRN_PER_MEMORY, MRN_WIDTH_DIM,                                          \
      "m, tangential spring of A against B in a smooth contact")

typedef struct MrnState {
    int dimension;
    size_t body_count;
    size_t memory_count;    ///< contacts remembered from the last step
    size_t memory_capacity; ///< entries allocated
#define X(type, name, tag, count, width, text) type *name;
    MRN_STATE_FIELDS(X)
#undef X
} MrnState;

/// One line of the table, for code that walks over all fields.
typedef struct MrnField {
    const char *name;
    MrnFieldType type;
    MrnFieldCount count;
    MrnFieldWidth width;
    size_t offset; ///< of the pointer in MrnState
    const char *text;
} MrnField;
extern const MrnField mrn_state_fields[];
extern const size_t mrn_state_field_count;

size_t mrn_field_size(MrnFieldType type);                               ///< bytes of one number
size_t mrn_field_entries(const MrnField *field, const MrnState *state); ///< entries now
size_t mrn_field_width(const MrnField *field, int dimension);           ///< numbers per entry
static inline void **mrn_field_data(const MrnField *field, const MrnState *state) {
    return (void **)((char *)state + field->offset);
}

MrnState *mrn_state_new(const MrnModel *model); ///< the initial state
void mrn_state_free(MrnState *state);
void mrn_state_reserve_memory(MrnState *state, size_t count); ///< room for `count` remembered contacts
void mrn_state_resize(MrnState *state, size_t body_count);    ///< entries of new bodies are zero: inactive
void mrn_state_copy(MrnState *to, const MrnState *from);      ///< same model
uint64_t mrn_state_hash(const MrnState *state);

#endif
