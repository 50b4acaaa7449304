// Writing a run file: rows are collected in memory, handed to HDF5 in blocks and committed about once a second.
//
// What always holds: the file under its final name is at its last commit, and every commit under that name holds a
// checkpoint.
#include "io/run_file_write.h"

#include "base/clock.h"
#include "io/run_file_store.h"
#include "model/model.h"
#include "step/stepper.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMIT_INTERVAL  1.0  ///< s of wall time between commits, at least
#define COMMIT_SHARE     50   ///< and at least this many times what the last commit took, so that it costs 2 % at most
#define READER_PATIENCE  10.0 ///< s that commits wait for a foreign reader to close the file
#define MOST_PENDING     ((size_t)16 << 20) ///< bytes of rows in memory
#define TEMPORARY_SUFFIX ".partial"

struct MrnRunWriter {
    MrnStore *store;
    MrnStore *replaced; ///< the run file that will be replaced, locked, or NULL
    MrnRunLayout layout;
    char *path;           ///< final name
    char *shown;          ///< as the user wrote it
    bool temporary;       ///< not yet renamed
    double next_commit;   ///< wall seconds
    double waiting_since; ///< wall seconds when a reader first made a commit wait, or 0
    double kept_time;     ///< s, of the last committed checkpoint
    bool kept;            ///< there is one
    bool failed;          ///< frames could not be made wider
};

MrnRunLayout *mrn_run_writer_layout(MrnRunWriter *writer) {
    return &writer->layout;
}

static int64_t rows_of(const MrnTable *table) {
    return (int64_t)(table->rows + table->pending);
}
int64_t mrn_run_writer_frame_rows(const MrnRunWriter *writer) {
    return rows_of(&writer->layout.frames);
}
int64_t mrn_run_writer_contact_rows(const MrnRunWriter *writer) {
    return rows_of(&writer->layout.contacts);
}
int64_t mrn_run_writer_step_rows(const MrnRunWriter *writer) {
    return rows_of(&writer->layout.steps);
}

/// A write failed: say why and what is left.
static bool give_up(MrnRunWriter *writer, MrnError *error) {
    int failure = mrn_store_failure(writer->store);
    char reason[256];
    if (failure)
        snprintf(reason, sizeof reason, "%s", strerror(failure));
    else
        snprintf(reason, sizeof reason, "%.200s", error && error->code != MRN_OK ? error->message : "HDF5 failed");
    mrn_store_abandon(writer->store);
    if (writer->kept && !writer->temporary)
        return mrn_fail(error, MRN_ERROR_FILE,
                        "%s: cannot write: %s; the checkpoint at %.9g s is intact, resume from it", writer->shown,
                        reason, writer->kept_time);
    return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", writer->shown, reason);
}

// Starting

/// Whether `path` may be replaced: nothing there, an empty file, or a run file that nobody is writing.
static bool may_replace(MrnRunWriter *writer, MrnError *error) {
    struct stat status;
    if (stat(writer->path, &status) != 0) {
        if (errno == ENOENT) return true;
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot create: %s", writer->shown, strerror(errno));
    }
    if (S_ISDIR(status.st_mode))
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot create: Is a directory", writer->shown);
    if (!S_ISREG(status.st_mode))
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot create: not a regular file", writer->shown);
    if (status.st_size == 0) return true;
    MrnError reason = {0};
    MrnRunFile *file = mrn_run_file_open(writer->path, &reason);
    if (!file)
        return mrn_fail(
            error, MRN_ERROR_FILE,
            "%s: exists and is not a run file that can be replaced (%.300s); remove it or choose another name",
            writer->shown, reason.message);
    mrn_run_file_close(file);
    writer->replaced = mrn_store_open(writer->path, writer->shown, MRN_STORE_WRITE, error);
    return writer->replaced != NULL;
}

MrnRunWriter *mrn_run_writer_create(const char *path, const MrnScene *scene, const MrnRunParameters *parameters,
                                    MrnError *error) {
    mrn_hdf5_silence();
    MrnRunWriter *writer = mrn_alloc_zero(1, sizeof *writer);
    writer->shown = mrn_strdup(path);
    // A link keeps pointing where it did: its target is replaced.
    char *resolved = realpath(path, NULL);
    writer->path = resolved ? resolved : mrn_strdup(path);
    writer->layout.file = H5I_INVALID_HID;
    writer->temporary = true;
    char *name = mrn_alloc(strlen(writer->path) + sizeof TEMPORARY_SUFFIX, 1);
    strcpy(name, writer->path);
    strcat(name, TEMPORARY_SUFFIX);
    bool fine = may_replace(writer, error);
    if (fine) writer->store = mrn_store_open(name, writer->shown, MRN_STORE_CREATE, error);
    free(name);
    if (writer->store) {
        hid_t file = mrn_store_hdf5(writer->store);
        if (file >= 0 && mrn_run_layout_create(&writer->layout, file, path, scene, parameters, error) &&
            !mrn_store_failure(writer->store))
            return writer;
        if (writer->layout.file < 0) writer->layout.file = file;
        give_up(writer, error);
    }
    mrn_run_writer_close(writer);
    return NULL;
}

MrnRunWriter *mrn_run_writer_open(const char *path, MrnError *error) {
    // The reader's messages are the ones a user wants for a file that is no run.
    MrnRunFile *check = mrn_run_file_open(path, error);
    if (!check) return NULL;
    mrn_run_file_close(check);
    MrnRunWriter *writer = mrn_alloc_zero(1, sizeof *writer);
    writer->shown = mrn_strdup(path);
    writer->path = mrn_strdup(path);
    writer->layout.file = H5I_INVALID_HID;
    writer->store = mrn_store_open(path, path, MRN_STORE_WRITE, error);
    if (writer->store) {
        hid_t file = mrn_store_hdf5(writer->store);
        writer->layout.file = file;
        if (file < 0)
            mrn_hdf5_fail(error, path, "cannot open for writing");
        else if (mrn_run_layout_open(&writer->layout, file, path, mrn_store_file_size(writer->store), error))
            return writer;
    }
    mrn_run_writer_close(writer);
    return NULL;
}

void mrn_run_writer_close(MrnRunWriter *writer) {
    if (!writer) return;
    hid_t file = writer->layout.file;
    if (writer->store) mrn_store_abandon(writer->store);
    mrn_run_layout_close(&writer->layout);
    if (writer->store && file >= 0) H5Fclose(file);
    if (writer->store && writer->temporary) unlink(mrn_store_path(writer->store));
    mrn_store_close(writer->store);
    mrn_store_close(writer->replaced);
    free(writer->path);
    free(writer->shown);
    free(writer);
}

bool mrn_run_writer_truncate(MrnRunWriter *writer, const MrnCheckpoint *checkpoint, const MrnModel *model,
                             MrnError *error) {
    writer->kept = true;
    writer->kept_time = checkpoint->time;
    MrnRunLayout *layout = &writer->layout;
    // Frames behind the checkpoint may have known bodies that are still to come.
    size_t wide = mrn_run_layout_width(layout), bodies = model->bodies.count;
    if (wide > bodies) wide = bodies;
    bool fine =
        mrn_life_truncate(layout, model) && mrn_table_truncate(&layout->steps, (uint64_t)checkpoint->step_rows) &&
        mrn_table_truncate(&layout->frames, (uint64_t)checkpoint->frame_rows) &&
        mrn_table_truncate(&layout->contacts, (uint64_t)checkpoint->contact_rows) && mrn_run_layout_widen(layout, wide);
    return fine || mrn_hdf5_fail(error, writer->shown, "damaged run file: cannot go back to its checkpoint");
}

// Rows

void mrn_run_writer_step(MrnRunWriter *writer, const MrnStepInfo *info) {
    MrnTable *table = &writer->layout.steps;
    size_t row = table->pending;
    mrn_table_add(table, 1);
    for (size_t i = 0; i < mrn_step_column_count; i++)
        memcpy(mrn_table_cell(table, i, row), (const char *)info + mrn_step_columns[i].offset, sizeof(int64_t));
}

void mrn_run_writer_life(MrnRunWriter *writer, const MrnWorld *world) {
    mrn_life_record(&writer->layout, mrn_world_model(world));
}

void mrn_run_writer_frame(MrnRunWriter *writer, MrnWorld *world) {
    const MrnState *state = mrn_world_state(world);
    if (state->body_count > mrn_run_layout_width(&writer->layout)) {
        // A failure shows when the rows are written.
        writer->failed |=
            !mrn_table_write(&writer->layout.frames) || !mrn_run_layout_widen(&writer->layout, state->body_count);
        if (writer->failed) return;
    }
    MrnTable *frames = &writer->layout.frames, *contacts = &writer->layout.contacts;
    size_t count = mrn_world_contact_count(world), first = contacts->pending, row = frames->pending;
    int64_t start = rows_of(contacts), number = (int64_t)count;
    mrn_table_add(contacts, count);
    for (size_t c = 0; c < count; c++) {
        MrnContactView view = mrn_world_contact(world, c);
        for (size_t i = 0; i < mrn_contact_column_count; i++)
            memcpy(mrn_table_cell(contacts, i, first + c), (const char *)&view + mrn_contact_columns[i].offset,
                   contacts->row_bytes[i]);
    }
    mrn_table_add(frames, 1);
    const void *source[MRN_FRAME_COLUMNS] = {
        [MRN_FRAME_TIME] = state->time,         [MRN_FRAME_STEP] = state->step,
        [MRN_FRAME_CONTACT_START] = &start,     [MRN_FRAME_CONTACT_COUNT] = &number,
        [MRN_FRAME_POSITION] = state->position, [MRN_FRAME_ROTATION] = state->rotation,
        [MRN_FRAME_VELOCITY] = state->velocity, [MRN_FRAME_SPIN] = state->spin,
        [MRN_FRAME_ACTIVE] = state->active,
    };
    for (size_t i = 0; i < MRN_FRAME_COLUMNS; i++)
        if (frames->row_bytes[i]) memcpy(mrn_table_cell(frames, i, row), source[i], frames->row_bytes[i]);
}

// Commits

static bool write_rows(MrnRunWriter *writer) {
    MrnRunLayout *layout = &writer->layout;
    return !writer->failed && mrn_life_write(layout) && mrn_table_write(&layout->steps) &&
           mrn_table_write(&layout->contacts) && mrn_table_write(&layout->frames) && !mrn_store_failure(writer->store);
}

static bool commit(MrnRunWriter *writer, MrnError *error) {
    double start = mrn_wall_seconds();
    if (!write_rows(writer) || !mrn_store_commit(writer->store, writer->layout.file, error))
        return give_up(writer, error);
    double now = mrn_wall_seconds(), pause = COMMIT_SHARE * (now - start);
    writer->next_commit = now + (pause > COMMIT_INTERVAL ? pause : COMMIT_INTERVAL);
    writer->waiting_since = 0;
    return true;
}

bool mrn_run_writer_publish(MrnRunWriter *writer, MrnError *error) {
    if (!writer->temporary) return true;
    if (!mrn_store_rename(writer->store, writer->path))
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot create: %s", writer->shown, strerror(errno));
    writer->temporary = false;
    mrn_store_close(writer->replaced);
    writer->replaced = NULL;
    return true;
}

bool mrn_run_writer_work(MrnRunWriter *writer, double now, MrnError *error) {
    MrnRunLayout *layout = &writer->layout;
    if (now >= writer->next_commit) {
        bool wait = mrn_store_has_foreign_reader(writer->store);
        if (wait && writer->waiting_since == 0) writer->waiting_since = now;
        if (!wait || now - writer->waiting_since > READER_PATIENCE) return commit(writer, error);
        writer->next_commit = now + 0.1;
    }
    size_t bytes = mrn_table_pending_bytes(&layout->steps) + mrn_table_pending_bytes(&layout->frames) +
                   mrn_table_pending_bytes(&layout->contacts);
    if (bytes < MOST_PENDING) return true;
    return write_rows(writer) || give_up(writer, error);
}

bool mrn_run_writer_checkpoint(MrnRunWriter *writer, const MrnState *state, MrnCheckpoint *checkpoint,
                               MrnError *error) {
    checkpoint->time = state->time[0];
    checkpoint->step_rows = mrn_run_writer_step_rows(writer);
    checkpoint->event_rows = writer->layout.has_life ? rows_of(&writer->layout.life[0]) : 0;
    if (!mrn_checkpoint_write(&writer->layout, state, checkpoint, error)) return give_up(writer, error);
    if (!commit(writer, error)) return false;
    writer->kept = true;
    writer->kept_time = checkpoint->time;
    return true;
}
