// Reading a run file, one frame at a time, also while another process writes it.
//
// What always holds: numbers that one call returns belong to one commit. When the writer has committed meanwhile, the
// file is opened anew and read again.
#include "io/run_file.h"

#include "io/run_file_store.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ATTEMPTS 1000

struct MrnRunFile {
    char *path;
    MrnStore *store;
    MrnRunLayout layout;
};

static void let_go(MrnRunFile *file) {
    hid_t hdf5 = file->layout.file;
    mrn_run_layout_close(&file->layout);
    if (hdf5 >= 0) H5Fclose(hdf5);
    mrn_store_close(file->store);
    file->store = NULL;
}

static bool take_up_once(MrnRunFile *file, MrnError *error) {
    file->layout = (MrnRunLayout){.file = H5I_INVALID_HID};
    file->store = mrn_store_open(file->path, file->path, MRN_STORE_READ, error);
    if (!file->store) return false;
    if (mrn_store_file_size(file->store) == 0)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: not a run file: it is empty", file->path);
    hid_t hdf5 = mrn_store_hdf5(file->store);
    if (hdf5 >= 0) return mrn_run_layout_open(&file->layout, hdf5, file->path, mrn_store_file_size(file->store), error);
    if (H5Fis_hdf5(file->path) > 0) return mrn_hdf5_fail(error, file->path, "damaged or incomplete run file");
    return mrn_fail(error, MRN_ERROR_FILE, "%s: not a run file: no HDF5 data in it", file->path);
}

/// Open; again if the writer committed while we looked.
static bool take_up(MrnRunFile *file, MrnError *error) {
    for (int attempt = 0;; attempt++) {
        bool fine = take_up_once(file, error);
        if (!file->store || attempt == MOST_ATTEMPTS || !mrn_store_changed(file->store)) return fine;
        let_go(file);
        usleep(1000);
    }
}

MrnRunFile *mrn_run_file_open(const char *path, MrnError *error) {
    mrn_hdf5_silence();
    MrnRunFile *file = mrn_alloc_zero(1, sizeof *file);
    file->path = mrn_strdup(path);
    if (take_up(file, error)) return file;
    mrn_run_file_close(file);
    return NULL;
}

void mrn_run_file_close(MrnRunFile *file) {
    if (!file) return;
    let_go(file);
    free(file->path);
    free(file);
}

size_t mrn_run_file_frame_count(const MrnRunFile *file) {
    return (size_t)file->layout.frames.rows;
}
size_t mrn_run_file_step_count(const MrnRunFile *file) {
    return (size_t)file->layout.steps.rows;
}
size_t mrn_run_file_checkpoint_count(const MrnRunFile *file) {
    return mrn_checkpoint_count(&file->layout);
}

const MrnRunLayout *mrn_run_file_layout(const MrnRunFile *file) {
    return &file->layout;
}

/// After a read: true if it must be repeated because the writer committed meanwhile. Opens the file anew then.
static bool must_repeat(MrnRunFile *file, int *attempts, bool *fine, MrnError *error) {
    if (!mrn_store_changed(file->store) || ++*attempts > MOST_ATTEMPTS) return false;
    let_go(file);
    if (take_up(file, error)) return true;
    *fine = false;
    return false;
}

static bool still_open(const MrnRunFile *file, MrnError *error) {
    return file->store != NULL || mrn_fail(error, MRN_ERROR_FILE, "%s: could not be opened again", file->path);
}

MrnScene *mrn_run_file_scene(MrnRunFile *file, MrnError *error) {
    mrn_hdf5_silence();
    if (!still_open(file, error)) return NULL;
    int attempts = 0;
    for (;;) {
        bool fine = true;
        MrnScene *scene = mrn_run_layout_scene(&file->layout, error);
        uint64_t events = file->layout.has_life ? file->layout.life[0].rows : 0;
        if (scene && events && !mrn_life_read(&file->layout, events, scene->model, error)) {
            mrn_scene_free(scene);
            scene = NULL;
        }
        if (!must_repeat(file, &attempts, &fine, error)) {
            if (fine) return scene;
            if (scene) mrn_scene_free(scene);
            return NULL;
        }
        if (scene) mrn_scene_free(scene);
    }
}

bool mrn_run_file_last_checkpoint(MrnRunFile *file, MrnCheckpoint *checkpoint) {
    mrn_hdf5_silence();
    *checkpoint = (MrnCheckpoint){0};
    if (!file->store) return false;
    int attempts = 0;
    bool fine;
    do fine = mrn_checkpoint_newest(&file->layout, checkpoint);
    while (must_repeat(file, &attempts, &fine, NULL));
    return fine;
}

bool mrn_run_file_state_at(MrnRunFile *file, int64_t step, MrnState *state) {
    mrn_hdf5_silence();
    if (!file->store) return false;
    MrnCheckpoint checkpoint;
    int attempts = 0;
    bool fine;
    do fine = mrn_checkpoint_read_until(&file->layout, step, state, &checkpoint);
    while (must_repeat(file, &attempts, &fine, NULL));
    return fine;
}

static bool read_steps(MrnRunFile *file, size_t first, size_t count, MrnStepInfo *out, MrnError *error) {
    const MrnTable *table = &file->layout.steps;
    if (first > table->rows || count > table->rows - first)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: no steps %zu to %zu: there are %llu", file->path, first,
                        first + count, (unsigned long long)table->rows);
    int64_t *column = mrn_alloc(count + 1, sizeof *column);
    bool fine = true;
    for (size_t i = 0; i < mrn_step_column_count && fine; i++) {
        fine = mrn_table_read(table, i, first, count, column);
        if (!fine)
            mrn_hdf5_fail(error, file->path, "damaged run file: cannot read /steps/%s", mrn_step_columns[i].name);
        for (size_t s = 0; s < count && fine; s++)
            memcpy((char *)&out[s] + mrn_step_columns[i].offset, &column[s], sizeof *column);
    }
    free(column);
    return fine;
}

bool mrn_run_file_steps(MrnRunFile *file, size_t first, size_t count, MrnStepInfo *out, MrnError *error) {
    mrn_hdf5_silence();
    if (!still_open(file, error)) return false;
    int attempts = 0;
    bool fine;
    do fine = read_steps(file, first, count, out, error);
    while (must_repeat(file, &attempts, &fine, error));
    return fine;
}

static bool read_times(MrnRunFile *file, size_t first, size_t count, double *out, MrnError *error) {
    const MrnTable *table = &file->layout.frames;
    if (first > table->rows || count > table->rows - first)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: no frames %zu to %zu: there are %llu", file->path, first,
                        first + count, (unsigned long long)table->rows);
    return count == 0 || mrn_table_read(table, MRN_FRAME_TIME, first, count, out) ||
           mrn_hdf5_fail(error, file->path, "damaged run file: cannot read /frames/time");
}

bool mrn_run_file_times(MrnRunFile *file, size_t first, size_t count, double *out, MrnError *error) {
    mrn_hdf5_silence();
    if (!still_open(file, error)) return false;
    int attempts = 0;
    bool fine;
    do fine = read_times(file, first, count, out, error);
    while (must_repeat(file, &attempts, &fine, error));
    return fine;
}

double mrn_run_file_end_time(const MrnRunFile *file) {
    return file->layout.parameters.end_time;
}

bool mrn_run_file_refresh(MrnRunFile *file, MrnError *error) {
    mrn_hdf5_silence();
    if (!still_open(file, error)) return false;
    int attempts = 0;
    bool fine = true;
    while (must_repeat(file, &attempts, &fine, error)) {}
    return fine;
}

bool mrn_run_file_being_written(const MrnRunFile *file) {
    return file->store && mrn_store_has_writer(file->store);
}

void mrn_frame_free(MrnFrame *frame) {
    free(frame->position);
    free(frame->rotation);
    free(frame->velocity);
    free(frame->spin);
    free(frame->active);
    free(frame->contacts);
    *frame = (MrnFrame){0};
}

void mrn_frame_fit(MrnFrame *frame, size_t bodies, int dimension) {
    size_t old = frame->body_count, d = (size_t)dimension;
    if (bodies > old) {
        double **arrays[] = {&frame->position, &frame->rotation, &frame->velocity, &frame->spin};
        size_t widths[] = {d, d == 2 ? 1 : 4, d, d == 2 ? 1 : 3};
        for (size_t i = 0; i < 4; i++) {
            *arrays[i] = mrn_realloc(*arrays[i], widths[i] * bodies + 1, sizeof(double));
            memset(*arrays[i] + widths[i] * old, 0, widths[i] * (bodies - old) * sizeof(double));
        }
        frame->active = mrn_realloc(frame->active, bodies + 1, 1);
        memset(frame->active + old, 0, bodies - old);
    }
    frame->body_count = bodies;
    if (!frame->contacts) return; // only their number is known
    size_t kept = 0;
    for (size_t c = 0; c < frame->contact_count; c++) {
        const MrnContactView *view = &frame->contacts[c];
        bool known =
            (view->body_a < 0 || (size_t)view->body_a < bodies) && (view->body_b < 0 || (size_t)view->body_b < bodies);
        if (known) frame->contacts[kept++] = *view;
    }
    frame->contact_count = kept;
}

bool mrn_run_file_frame_for(MrnRunFile *file, const MrnModel *model, size_t index, MrnFrame *frame, MrnError *error) {
    if (!mrn_run_file_frame(file, index, frame, error)) return false;
    mrn_frame_fit(frame, model->bodies.count, model->dimension);
    return true;
}

/// Memory for a column of all bodies; those that came after the frame are zero there: inactive.
static void *room(const MrnRunLayout *layout, size_t column) {
    const MrnTable *table = &layout->frames;
    size_t width = mrn_run_layout_width(layout), bodies = (size_t)layout->parameters.bodies + mrn_life_bodies(layout);
    return mrn_alloc_zero((width ? table->row_bytes[column] / width * bodies : 0) + 1, 1);
}

static bool read_contacts(MrnRunFile *file, uint64_t start, MrnFrame *frame, MrnError *error) {
    const MrnTable *table = &file->layout.contacts;
    unsigned char *column = mrn_alloc(frame->contact_count + 1, 3 * sizeof(double));
    bool fine = true;
    for (size_t i = 0; i < mrn_contact_column_count && fine; i++) {
        fine = mrn_table_read(table, i, start, frame->contact_count, column);
        if (!fine)
            mrn_hdf5_fail(error, file->path, "damaged run file: cannot read /contacts/%s", mrn_contact_columns[i].name);
        for (size_t c = 0; c < frame->contact_count && fine; c++)
            memcpy((char *)&frame->contacts[c] + mrn_contact_columns[i].offset, column + c * table->row_bytes[i],
                   table->row_bytes[i]);
    }
    free(column);
    return fine;
}

static bool read_frame(MrnRunFile *file, size_t index, bool contacts, MrnFrame *frame, MrnError *error) {
    const MrnTable *table = &file->layout.frames;
    *frame = (MrnFrame){0};
    if (index >= table->rows)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: no frame %zu: there are %llu", file->path, index,
                        (unsigned long long)table->rows);
    int64_t start = 0, count = 0;
    const MrnRunLayout *layout = &file->layout;
    frame->body_count = (size_t)layout->parameters.bodies + mrn_life_bodies(layout);
    frame->position = room(layout, MRN_FRAME_POSITION);
    frame->rotation = room(layout, MRN_FRAME_ROTATION);
    frame->velocity = room(layout, MRN_FRAME_VELOCITY);
    frame->spin = room(layout, MRN_FRAME_SPIN);
    frame->active = room(layout, MRN_FRAME_ACTIVE);
    void *target[MRN_FRAME_COLUMNS] = {
        [MRN_FRAME_TIME] = &frame->time,        [MRN_FRAME_STEP] = &frame->step,
        [MRN_FRAME_CONTACT_START] = &start,     [MRN_FRAME_CONTACT_COUNT] = &count,
        [MRN_FRAME_POSITION] = frame->position, [MRN_FRAME_ROTATION] = frame->rotation,
        [MRN_FRAME_VELOCITY] = frame->velocity, [MRN_FRAME_SPIN] = frame->spin,
        [MRN_FRAME_ACTIVE] = frame->active,
    };
    for (size_t i = 0; i < MRN_FRAME_COLUMNS; i++)
        if (!mrn_table_read(table, i, index, 1, target[i]))
            return mrn_hdf5_fail(error, file->path, "damaged run file: cannot read /frames/%s of frame %zu",
                                 table->columns[i].name, index);
    uint64_t rows = file->layout.contacts.rows;
    // A contact takes 136 bytes; deflate cannot make a file hold more than about a thousand times its size.
    if (start < 0 || count < 0 || (uint64_t)start > rows || (uint64_t)count > rows - (uint64_t)start ||
        (uint64_t)count > file->layout.file_size * 8)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: frame %zu has contacts that are not there",
                        file->path, index);
    frame->contact_count = (size_t)count;
    if (!contacts) return true;
    frame->contacts = mrn_alloc_zero(frame->contact_count + 1, sizeof *frame->contacts);
    return read_contacts(file, (uint64_t)start, frame, error);
}

bool mrn_run_file_frame(MrnRunFile *file, size_t index, MrnFrame *frame, MrnError *error) {
    return mrn_run_file_frame_part(file, index, true, frame, error);
}

bool mrn_run_file_frame_part(MrnRunFile *file, size_t index, bool contacts, MrnFrame *frame, MrnError *error) {
    mrn_hdf5_silence();
    *frame = (MrnFrame){0};
    if (!still_open(file, error)) return false;
    int attempts = 0;
    bool fine;
    do {
        mrn_frame_free(frame);
        fine = read_frame(file, index, contacts, frame, error);
    } while (must_repeat(file, &attempts, &fine, error));
    if (!fine) mrn_frame_free(frame);
    return fine;
}
