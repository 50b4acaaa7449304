// Checkpoints of a run file: groups /checkpoints/0 and /checkpoints/1, written in turn, so that a damaged one leaves
// the other.
//
// Every line of the table of state fields becomes one data set: no field can be forgotten.
#include "io/run_file_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 2

static hid_t header_type(void) {
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(MrnCheckpoint));
#define X(ctype, name, text)                                                                                           \
    H5Tinsert(type, #name, offsetof(MrnCheckpoint, name),                                                              \
              _Generic((ctype)0, double                                                                                \
                       : H5T_NATIVE_DOUBLE, int64_t                                                                    \
                       : H5T_NATIVE_INT64, uint64_t                                                                    \
                       : H5T_NATIVE_UINT64));
    MRN_CHECKPOINT_FIELDS(X)
#undef X
    return type;
}

static hid_t open_slot(const MrnRunLayout *layout, int slot) {
    char name[32];
    snprintf(name, sizeof name, "checkpoints/%d", slot);
    if (H5Lexists(layout->file, "checkpoints", H5P_DEFAULT) <= 0 || H5Lexists(layout->file, name, H5P_DEFAULT) <= 0)
        return H5I_INVALID_HID;
    return H5Gopen2(layout->file, name, H5P_DEFAULT);
}

static bool read_header(const MrnRunLayout *layout, int slot, MrnCheckpoint *checkpoint) {
    hid_t group = open_slot(layout, slot);
    if (group < 0) return false;
    hid_t type = header_type();
    *checkpoint = (MrnCheckpoint){.scaled_residual_max = NAN}; // not known by files of before
    bool fine = mrn_hdf5_read_scalar(group, "header", type, checkpoint) && checkpoint->sequence > 0;
    H5Tclose(type);
    H5Gclose(group);
    return fine;
}

size_t mrn_checkpoint_count(const MrnRunLayout *layout) {
    MrnCheckpoint checkpoint;
    size_t count = 0;
    for (int slot = 0; slot < SLOTS; slot++) count += read_header(layout, slot, &checkpoint);
    return count;
}

/// Sizes of a field's data set.
static int field_shape(const MrnField *field, const MrnState *state, hsize_t size[2]) {
    size[0] = mrn_field_entries(field, state);
    size[1] = mrn_field_width(field, state->dimension);
    return size[1] > 1 ? 2 : 1;
}

static hid_t create_field(hid_t group, const MrnField *field, size_t bodies, int rank, const hsize_t size[2]) {
    hsize_t most[2] = {H5S_UNLIMITED, size[1]}, chunk[2] = {1, size[1]};
    size_t bytes = mrn_field_size(field->type) * (size_t)size[1], largest = ((size_t)1 << 20) / bytes;
    if (field->count == MRN_PER_BODY) chunk[0] = size[0] < 1 ? 1 : size[0] < largest ? size[0] : largest;
    if (field->count == MRN_PER_MEMORY)
        chunk[0] = bodies < 16 ? 64 : bodies < 2048 ? 4 * bodies : 8192; // a few contacts per body
    hid_t space = H5Screate_simple(rank, size, most), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, rank, chunk);
    hid_t set = H5Dcreate2(group, field->name, mrn_hdf5_type(field->type), space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    if (set >= 0) mrn_hdf5_attribute_text(set, "text", field->text);
    return set;
}

static bool write_field(hid_t group, const MrnField *field, const MrnState *state) {
    hsize_t size[2];
    int rank = field_shape(field, state, size);
    bool there = H5Lexists(group, field->name, H5P_DEFAULT) > 0;
    hid_t set =
        there ? H5Dopen2(group, field->name, H5P_DEFAULT) : create_field(group, field, state->body_count, rank, size);
    if (set < 0) return false;
    bool fine = !there || H5Dset_extent(set, size) >= 0;
    if (fine && size[0])
        fine = H5Dwrite(set, mrn_hdf5_type(field->type), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                        *mrn_field_data(field, state)) >= 0;
    return H5Dclose(set) >= 0 && fine;
}

bool mrn_checkpoint_write(MrnRunLayout *layout, const MrnState *state, MrnCheckpoint *checkpoint, MrnError *error) {
    MrnCheckpoint other[SLOTS] = {{0}};
    for (int slot = 0; slot < SLOTS; slot++)
        if (!read_header(layout, slot, &other[slot])) other[slot].sequence = 0;
    int slot = other[0].sequence <= other[1].sequence ? 0 : 1;
    checkpoint->sequence = other[1 - slot].sequence + 1;
    checkpoint->memory_count = (int64_t)state->memory_count;
    checkpoint->bodies = (int64_t)state->body_count;
    checkpoint->state_hash = mrn_state_hash(state);
    char name[32];
    snprintf(name, sizeof name, "checkpoints/%d", slot);
    hid_t group = open_slot(layout, slot);
    if (group < 0) group = H5Gcreate2(layout->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0;
    for (size_t f = 0; f < mrn_state_field_count && fine; f++) fine = write_field(group, &mrn_state_fields[f], state);
    hid_t type = header_type();
    fine = fine && mrn_hdf5_write_scalar(group, "header", type, checkpoint, NULL,
                                         "what the run knows beside the state; see docs/run-file.md");
    H5Tclose(type);
    if (group >= 0) H5Gclose(group);
    return fine || mrn_hdf5_fail(error, layout->path, "cannot write /%s", name);
}

static bool read_field(hid_t group, const MrnField *field, MrnState *state) {
    hsize_t size[2], stored[H5S_MAX_RANK] = {0};
    int rank = field_shape(field, state, size);
    if (H5Lexists(group, field->name, H5P_DEFAULT) <= 0) return false;
    hid_t set = H5Dopen2(group, field->name, H5P_DEFAULT);
    if (set < 0) return false;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool fine = H5Tequal(type, mrn_hdf5_type(field->type)) > 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, stored, NULL) >= 0 && stored[0] == size[0] &&
                (rank == 1 || stored[1] == size[1]);
    if (fine && size[0])
        fine =
            H5Dread(set, mrn_hdf5_type(field->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, *mrn_field_data(field, state)) >= 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return fine;
}

static bool read_slot(const MrnRunLayout *layout, int slot, MrnState *state, const MrnCheckpoint *checkpoint) {
    // A remembered contact takes more than 28 bytes, stored as they are.
    if (checkpoint->memory_count < 0 || (uint64_t)checkpoint->memory_count > layout->file_size / 28) return false;
    if (checkpoint->step_rows < 0 || checkpoint->frame_rows < 0 || checkpoint->contact_rows < 0) return false;
    if ((uint64_t)checkpoint->step_rows > layout->steps.rows ||
        (uint64_t)checkpoint->frame_rows > layout->frames.rows ||
        (uint64_t)checkpoint->contact_rows > layout->contacts.rows)
        return false;
    uint64_t least = (uint64_t)layout->parameters.bodies, most = least + mrn_life_bodies(layout);
    if (checkpoint->bodies < 0 || (uint64_t)checkpoint->bodies < least || (uint64_t)checkpoint->bodies > most ||
        checkpoint->event_rows < 0)
        return false;
    if (state->body_count != (size_t)checkpoint->bodies) mrn_state_resize(state, (size_t)checkpoint->bodies);
    mrn_state_reserve_memory(state, (size_t)checkpoint->memory_count);
    state->memory_count = (size_t)checkpoint->memory_count;
    hid_t group = open_slot(layout, slot);
    bool fine = group >= 0;
    for (size_t f = 0; f < mrn_state_field_count && fine; f++) fine = read_field(group, &mrn_state_fields[f], state);
    if (group >= 0) H5Gclose(group);
    return fine && mrn_state_hash(state) == checkpoint->state_hash;
}

/// Headers of all slots; sequence 0 where there is none. Returns the slot of the newest.
static int read_headers(const MrnRunLayout *layout, MrnCheckpoint header[SLOTS]) {
    for (int slot = 0; slot < SLOTS; slot++)
        if (!read_header(layout, slot, &header[slot])) header[slot].sequence = 0;
    return header[0].sequence > header[1].sequence ? 0 : 1;
}

bool mrn_checkpoint_newest(const MrnRunLayout *layout, MrnCheckpoint *checkpoint) {
    MrnCheckpoint header[SLOTS] = {{0}};
    *checkpoint = header[read_headers(layout, header)];
    return checkpoint->sequence > 0;
}

bool mrn_checkpoint_read_until(const MrnRunLayout *layout, int64_t step, MrnState *state, MrnCheckpoint *checkpoint) {
    MrnCheckpoint header[SLOTS] = {{0}};
    int newest = read_headers(layout, header);
    for (int i = 0; i < SLOTS; i++) {
        int slot = i == 0 ? newest : 1 - newest;
        if (header[slot].sequence && header[slot].step_rows <= step && read_slot(layout, slot, state, &header[slot])) {
            *checkpoint = header[slot];
            return true;
        }
    }
    return false;
}

/// A field of the state that the newest checkpoint does not have: an older program wrote it. NULL if it has all.
static const char *missing_field(const MrnRunLayout *layout) {
    MrnCheckpoint header[SLOTS] = {{0}};
    hid_t group = open_slot(layout, read_headers(layout, header));
    const char *missing = NULL;
    for (size_t f = 0; f < mrn_state_field_count && group >= 0 && !missing; f++)
        if (H5Lexists(group, mrn_state_fields[f].name, H5P_DEFAULT) <= 0) missing = mrn_state_fields[f].name;
    if (group >= 0) H5Gclose(group);
    return missing;
}

bool mrn_checkpoint_read(const MrnRunLayout *layout, MrnState *state, MrnCheckpoint *checkpoint, MrnError *error) {
    MrnCheckpoint newest;
    if (!mrn_checkpoint_newest(layout, &newest))
        return mrn_fail(error, MRN_ERROR_FILE, "%s: holds no checkpoint: it cannot be resumed", layout->path);
    if (mrn_checkpoint_read_until(layout, INT64_MAX, state, checkpoint)) return true;
    const char *missing = missing_field(layout);
    if (missing)
        return mrn_fail(error, MRN_ERROR_FILE,
                        "%s: its checkpoints have no %s: an older program wrote them; the run can be read, not resumed",
                        layout->path, missing);
    return mrn_fail(error, MRN_ERROR_FILE, "%s: its checkpoints are damaged: it cannot be resumed", layout->path);
}
