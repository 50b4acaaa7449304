// What stands where in a run file: the scene, the parameters of the run, three growing tables and two checkpoints.
// docs/run-file.md describes it for readers of the file.
#ifndef MRN_IO_RUN_FILE_LAYOUT_H
#define MRN_IO_RUN_FILE_LAYOUT_H

#include "io/run_file_table.h"
#include <moraine/run.h>

#define MRN_RUN_FILE_VERSION 1
#define MRN_LIFE_TABLES      5

/// Numbers that belong to the whole run; data sets /run/NAME.
#define MRN_RUN_PARAMETERS(X)                                                                                          \
    X(double, end_time, "s", "time at which the run ends")                                                             \
    X(double, output_interval, "s", "time between frames")                                                             \
    X(double, checkpoint_interval, "s", "wall time between checkpoints")                                               \
    X(double, time_step, "s", "length of a step")                                                                      \
    X(int64_t, dimension, "1", "2 or 3")                                                                               \
    X(int64_t, bodies, "1", "number of bodies at the start")                                                           \
    X(int64_t, threads, "1", "threads of the run; results do not depend on it")                                        \
    X(uint64_t, model_hash, "1", "hash of the model that the scene gives")                                             \
    X(uint64_t, scheme_hash, "1", "hash of the time-stepping settings that the scene gives")

typedef struct MrnRunParameters {
#define X(type, name, unit, text) type name;
    MRN_RUN_PARAMETERS(X)
#undef X
} MrnRunParameters;

/// What a checkpoint knows beside the state: where the tables stood, and the sums over all steps so far.
#define MRN_CHECKPOINT_FIELDS(X)                                                                                       \
    X(int64_t, sequence, "number of the checkpoint, from 1; the larger of two is the newer")                           \
    X(double, time, "s")                                                                                               \
    X(int64_t, step_rows, "rows of /steps that belong to it")                                                          \
    X(int64_t, frame_rows,                                                                                             \
      "rows of /frames that belong to it, but for a frame that only the end of the run asked for")                     \
    X(int64_t, contact_rows, "rows of /contacts that belong to them")                                                  \
    X(int64_t, event_rows, "rows of /life/events that belong to it")                                                   \
    X(int64_t, bodies, "number of bodies")                                                                             \
    X(int64_t, memory_count, "remembered contacts")                                                                    \
    X(uint64_t, state_hash, "hash of the state")                                                                       \
    X(int64_t, contacts_sum, "contacts, summed over the steps")                                                        \
    X(int64_t, contacts_max, "most contacts in a step")                                                                \
    X(int64_t, sweeps_sum, "sweeps, summed over the steps")                                                            \
    X(int64_t, unsolved_steps, "steps that did not reach the tolerance")                                               \
    X(double, residual_max, "largest residual")                                                                        \
    X(double, scaled_residual_max, "largest scaled residual, which the tolerance is about")                            \
    X(double, penetration_max, "m, deepest overlap")                                                                   \
    X(double, energy_start, "J, kinetic and potential energy at time 0")                                               \
    X(double, energy_gained, "J, energy that collisions with unequal restitutions created")                            \
    X(double, seconds_detect, "s of wall time, summed")                                                                \
    X(double, seconds_assemble, "s of wall time, summed")                                                              \
    X(double, seconds_solve, "s of wall time, summed")                                                                 \
    MRN_COLLISION_COUNTERS(X)

typedef struct MrnCheckpoint {
#define X(type, name, text) type name;
    MRN_CHECKPOINT_FIELDS(X)
#undef X
} MrnCheckpoint;

/// Columns of /frames, in the order of the table.
typedef enum MrnFrameColumn {
    MRN_FRAME_TIME,
    MRN_FRAME_STEP,
    MRN_FRAME_CONTACT_START,
    MRN_FRAME_CONTACT_COUNT,
    MRN_FRAME_POSITION,
    MRN_FRAME_ROTATION,
    MRN_FRAME_VELOCITY,
    MRN_FRAME_SPIN,
    MRN_FRAME_ACTIVE,
    MRN_FRAME_COLUMNS
} MrnFrameColumn;

/// Columns of /contacts: fields of MrnContactView.
typedef struct MrnContactColumn {
    const char *name;
    MrnFieldType type;
    size_t width, offset; ///< numbers, bytes
    const char *unit, *text;
} MrnContactColumn;
extern const MrnContactColumn mrn_contact_columns[];
extern const size_t mrn_contact_column_count;

/// Columns of /steps: fields of MrnStepInfo.
typedef struct MrnStepColumn {
    const char *name;
    MrnFieldType type;
    size_t offset;
    const char *unit, *text;
} MrnStepColumn;
extern const MrnStepColumn mrn_step_columns[];
extern const size_t mrn_step_column_count;

/// An open run file.
typedef struct MrnRunLayout {
    hid_t file;
    char *path;         ///< for messages
    uint64_t file_size; ///< bytes; bounds what data sets can hold
    MrnRunParameters parameters;
    MrnTable steps, frames, contacts;
    bool has_life; ///< bodies may break: the tables of /life are there
    MrnTable life[MRN_LIFE_TABLES];
} MrnRunLayout;

/// Fill a new HDF5 file. The scene may lack a text; such a run cannot be resumed.
bool mrn_run_layout_create(MrnRunLayout *layout, hid_t file, const char *path, const MrnScene *scene,
                           const MrnRunParameters *parameters, MrnError *error);
/// Open and check a run file; nothing in it is trusted.
bool mrn_run_layout_open(MrnRunLayout *layout, hid_t file, const char *path, uint64_t file_size, MrnError *error);
void mrn_run_layout_close(MrnRunLayout *layout); ///< not the HDF5 file
bool mrn_run_layout_write_parameters(MrnRunLayout *layout, MrnError *error);
/// The scene parsed again from what the file holds; its model as it was at the start.
MrnScene *mrn_run_layout_scene(const MrnRunLayout *layout, MrnError *error);
/// Bodies that /frames has room for: those at the start, or more once some have broken.
size_t mrn_run_layout_width(const MrnRunLayout *layout);
/// Make room for so many; frames must be written first.
bool mrn_run_layout_widen(MrnRunLayout *layout, size_t bodies);

// ---- run_file_life.c: what ended and brought bodies during the run ----
bool mrn_life_create(MrnRunLayout *layout);
bool mrn_life_open(MrnRunLayout *layout, MrnError *error); ///< also where there are no such tables
void mrn_life_close(MrnRunLayout *layout);
uint64_t mrn_life_bodies(const MrnRunLayout *layout);                ///< bodies that came during the run
void mrn_life_record(MrnRunLayout *layout, const MrnModel *model);   ///< events that are not in the tables yet
bool mrn_life_write(MrnRunLayout *layout);                           ///< pending rows to the file
bool mrn_life_truncate(MrnRunLayout *layout, const MrnModel *model); ///< keep the events that the model has
/// Let the first `events` events happen to a model that has none.
bool mrn_life_read(const MrnRunLayout *layout, uint64_t events, MrnModel *model, MrnError *error);

/// Write a checkpoint over the older of the two; sequence, memory_count and state_hash are filled in.
bool mrn_checkpoint_write(MrnRunLayout *layout, const MrnState *state, MrnCheckpoint *checkpoint, MrnError *error);
/// Load the newest valid checkpoint into a state of the model at the start; it gets the bodies that came since.
bool mrn_checkpoint_read(const MrnRunLayout *layout, MrnState *state, MrnCheckpoint *checkpoint, MrnError *error);
/// The same of those that lie at most `step` steps after the start; false if there is none.
bool mrn_checkpoint_read_until(const MrnRunLayout *layout, int64_t step, MrnState *state, MrnCheckpoint *checkpoint);
/// What the newest checkpoint says beside the state; false if there is none.
bool mrn_checkpoint_newest(const MrnRunLayout *layout, MrnCheckpoint *checkpoint);
size_t mrn_checkpoint_count(const MrnRunLayout *layout);

#endif
