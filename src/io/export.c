// Export of a run: chooses the frames, reads them one at a time and hands them to the format. See export.h.
#include "io/export.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "io/output.h"
#include "io/run_file.h"
#include "model/model.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const MrnExportFormat *const formats[] = {&mrn_export_vtk, &mrn_export_csv, &mrn_export_geojson,
                                                 &mrn_export_fclib};

size_t mrn_export_format_count(void) {
    return sizeof formats / sizeof *formats;
}

const MrnExportFormat *mrn_export_format_at(size_t index) {
    return formats[index];
}

const MrnExportFormat *mrn_export_format_find(const char *name) {
    for (size_t i = 0; i < mrn_export_format_count(); i++)
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    return NULL;
}

MrnExportOptions mrn_export_defaults(void) {
    return (MrnExportOptions){.folder = ".", .last = -1, .every = 1, .surfaces = true};
}

void mrn_export_count_file(MrnExport *export, uint64_t bytes) {
    pthread_mutex_lock(&export->count_lock);
    export->summary->files++;
    export->summary->bytes_written += bytes;
    pthread_mutex_unlock(&export->count_lock);
}

static bool choose_frames(MrnExport *export, MrnError *error) {
    int64_t count = (int64_t)mrn_run_file_frame_count(export->file);
    int64_t first = export->options.first, last = export->options.last;
    if (count == 0) return mrn_fail(error, MRN_ERROR_INPUT, "the run has no frames to export");
    if (first < 0) first += count;
    if (last < 0) last += count;
    if (first < 0 || last >= count || first > last)
        return mrn_fail(error, MRN_ERROR_INPUT, "no frames %lld to %lld: the run has %lld, from 0 to %lld",
                        (long long)export->options.first, (long long)export->options.last, (long long)count,
                        (long long)count - 1);
    export->first = (size_t)first;
    export->last = (size_t)last;
    export->frame_count = (export->last - export->first) / export->options.every + 1;
    return true;
}

uint64_t mrn_export_frame_bytes(const MrnFrame *frame, int dimension) {
    size_t numbers = dimension == 2 ? 2 + 1 + 2 + 1 : 3 + 4 + 3 + 3;
    return 4 * sizeof(double) + frame->body_count * (numbers * sizeof(double) + 1) +
           frame->contact_count * (14 * sizeof(double) + sizeof(uint64_t) + 3 * sizeof(int32_t));
}

/// Frames on their way through the threads.
typedef struct Walk {
    MrnExport *export;
    const MrnExportFormat *format;
    pthread_mutex_t reading; ///< of the run file and of `next`; apart from `lock`, so that nobody waits for a reader
    size_t next;             ///< frame to be read
    pthread_mutex_t lock;    ///< of all below
    pthread_cond_t turned;
    size_t turn; ///< frame whose turn it is, where order matters
    bool over;   ///< something failed or someone asked to stop: take no more
    bool failed;
    MrnError error; ///< the first one
} Walk;

static bool is_over(Walk *walk) {
    pthread_mutex_lock(&walk->lock);
    bool over = walk->over;
    pthread_mutex_unlock(&walk->lock);
    return over;
}

/// Take no more frames.
static void give_up(Walk *walk, const MrnError *error) {
    pthread_mutex_lock(&walk->lock);
    if (!walk->failed) walk->error = *error;
    walk->failed = walk->over = true;
    pthread_cond_broadcast(&walk->turned);
    pthread_mutex_unlock(&walk->lock);
}

/// Read the next frame. False when there is none, or none is wanted any more.
static bool take_frame(Walk *walk, MrnFrame *frame, size_t *index) {
    MrnExport *export = walk->export;
    MrnError error = {0};
    bool read = false;
    pthread_mutex_lock(&walk->reading);
    if (!is_over(walk) && walk->next < export->frame_count) {
        *index = walk->next++;
        read = mrn_run_file_frame_part(export->file, mrn_export_frame_number(export, *index),
                                       walk->format->needs_contacts, frame, &error);
        if (!read) give_up(walk, &error);
        if (read) mrn_frame_fit(frame, export->model->bodies.count, export->model->dimension);
        if (read && walk->format->arrive) walk->format->arrive(export, frame, *index);
    }
    pthread_mutex_unlock(&walk->reading);
    return read;
}

/// Where order matters: wait until all earlier frames are done. False if one of them failed.
static bool await_turn(Walk *walk, size_t index) {
    pthread_mutex_lock(&walk->lock);
    while (walk->turn != index && !walk->failed) pthread_cond_wait(&walk->turned, &walk->lock);
    bool fine = !walk->failed;
    pthread_mutex_unlock(&walk->lock);
    return fine;
}

static void count_frame(Walk *walk, const MrnFrame *frame) {
    MrnExport *export = walk->export;
    pthread_mutex_lock(&walk->lock);
    walk->turn++;
    export->summary->bytes_read += mrn_export_frame_bytes(frame, mrn_model_dimension(export->model));
    size_t done = ++export->summary->frames;
    if (!walk->over && export->options.progress &&
        !export->options.progress(export->options.progress_context, done, export->frame_count))
        walk->over = true;
    pthread_cond_broadcast(&walk->turned);
    pthread_mutex_unlock(&walk->lock);
}

static void work_on_frames(void *context, int thread, int threads) {
    (void)thread, (void)threads;
    Walk *walk = context;
    MrnExport *export = walk->export;
    void *worker = walk->format->worker_new ? walk->format->worker_new(export) : NULL;
    MrnFrame frame;
    size_t index;
    while (take_frame(walk, &frame, &index)) {
        MrnError error = {0};
        bool fine = (!walk->format->in_order || await_turn(walk, index)) &&
                    walk->format->frame(export, worker, &frame, index, &error);
        if (fine)
            count_frame(walk, &frame);
        else
            give_up(walk, &error);
        mrn_frame_free(&frame);
    }
    if (walk->format->worker_free) walk->format->worker_free(worker);
}

static bool walk_frames(MrnExport *export, const MrnExportFormat *format, MrnError *error) {
    Walk walk = {.export = export, .format = format};
    // Where order matters a second thread reads ahead; more would only wait.
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = export->options.threads > 0 ? (size_t) export->options.threads
                     : processors > 0            ? (size_t)processors
                                                 : 1;
    size_t most = format->in_order ? 2 : export->frame_count;
    if (threads > most) threads = most;
    if (threads < 1) threads = 1;
    pthread_mutex_init(&walk.reading, NULL);
    pthread_mutex_init(&walk.lock, NULL);
    pthread_cond_init(&walk.turned, NULL);
    MrnThreads *pool = mrn_threads_new((int)threads);
    mrn_threads_team(pool, work_on_frames, &walk);
    mrn_threads_free(pool);
    pthread_cond_destroy(&walk.turned);
    pthread_mutex_destroy(&walk.lock);
    pthread_mutex_destroy(&walk.reading);
    export->summary->stopped = walk.over && !walk.failed && export->summary->frames < export->frame_count;
    if (walk.failed && error) *error = walk.error;
    return !walk.failed;
}

bool mrn_export(MrnRunFile *file, const MrnExportFormat *format, const MrnExportOptions *options,
                MrnExportSummary *summary, MrnError *error) {
    MrnExportSummary own;
    MrnExport export = {.file = file, .options = *options, .summary = summary ? summary : &own};
    double start = mrn_wall_seconds();
    *export.summary = (MrnExportSummary){0};
    if (options->every < 1) return mrn_fail(error, MRN_ERROR_INPUT, "every 0th frame: must be >= 1");
    if (options->detail != 0 && (options->detail < 6 || options->detail > 360))
        return mrn_fail(error, MRN_ERROR_INPUT, "a circle in %d pieces: must be from 6 to 360", options->detail);
    MrnScene *scene = mrn_run_file_scene(file, error);
    if (!scene) return false;
    export.scene = scene;
    pthread_mutex_init(&export.count_lock, NULL);
    export.model = scene->model;
    bool fine = choose_frames(&export, error) && mrn_folder_make(options->folder, error);
    if (fine) {
        fine = format->open(&export, error);
        fine = fine && (format->whole ? format->whole(&export, error) : walk_frames(&export, format, error));
        fine = fine && format->close(&export, error);
        format->free(&export);
    }
    pthread_mutex_destroy(&export.count_lock);
    mrn_scene_free(scene);
    export.summary->wall_seconds = mrn_wall_seconds() - start;
    return fine;
}
