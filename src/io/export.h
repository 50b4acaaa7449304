// Export of a run: its frames, contacts and steps as files for other programs.
//
// A format is one row of a table: what it is called, how it starts, takes a frame and ends. Frames are read one after
// the other and turned into files by several threads. What always holds: every file appears whole or not at all, one
// that lists others appears after them, and files do not depend on the number of threads.
#ifndef MRN_IO_EXPORT_H
#define MRN_IO_EXPORT_H

#include <moraine/run.h>
#include <pthread.h>

/// Told after each frame or step. Return false to stop; files that are complete stay.
typedef bool MrnExportProgress(void *context, size_t done, size_t count);

/// Start from mrn_export_defaults().
typedef struct MrnExportOptions {
    const char *folder;  ///< where files go; made if it is not there
    int64_t first, last; ///< frames from 0, both included; negative: from the end; default 0 and -1
    size_t every;        ///< only each `every`-th of them, >= 1, default 1
    int64_t step;        ///< fclib: this step instead of the steps of frames; 0 (default): none
    int detail;          ///< vtk, geojson: pieces of a full circle, 6..360; 0 (default): from the number of bodies
    bool surfaces;       ///< vtk: true shapes besides the points, default true
    int threads;         ///< that work at the same time; 0 (default): one per processor
    MrnExportProgress *progress; ///< or NULL
    void *progress_context;
} MrnExportOptions;

MrnExportOptions mrn_export_defaults(void);

typedef struct MrnExportSummary {
    size_t frames; ///< frames (fclib: steps) written
    size_t files;
    uint64_t bytes_read;    ///< of run data, uncompressed
    uint64_t bytes_written; ///< to all files
    double wall_seconds;
    char main_file[512]; ///< the one to open first
    bool stopped;        ///< the progress callback asked to stop
} MrnExportSummary;

struct MrnExport;

/// One row per format. Functions fill `error` and return false when they fail.
typedef struct MrnExportFormat {
    const char *name, *text;
    bool needs_contacts; ///< otherwise frames come without them
    bool in_order;       ///< `frame` is called for one frame after the other; otherwise for several at once
    bool (*open)(struct MrnExport *export, MrnError *error);
    /// Scratch of one thread, handed to `frame`; both may be NULL.
    void *(*worker_new)(struct MrnExport *export);
    void (*worker_free)(void *worker);
    /// Told of all frames in their order, before `frame`; may be NULL.
    void (*arrive)(struct MrnExport *export, const MrnFrame *frame, size_t index);
    bool (*frame)(struct MrnExport *export, void *worker, const MrnFrame *frame, size_t index, MrnError *error);
    bool (*close)(struct MrnExport *export, MrnError *error); ///< complete what lists the rest
    void (*free)(struct MrnExport *export);                   ///< also after a failure
    /// A format that does not go through the frames does all its work here; then `frame` is not called.
    bool (*whole)(struct MrnExport *export, MrnError *error);
} MrnExportFormat;

size_t mrn_export_format_count(void);
const MrnExportFormat *mrn_export_format_at(size_t index);
const MrnExportFormat *mrn_export_format_find(const char *name); ///< NULL if there is none

/// An export under way, as formats see it.
typedef struct MrnExport {
    MrnRunFile *file;
    const MrnScene *scene;
    const MrnModel *model;
    MrnExportOptions options;
    size_t first, last, frame_count; ///< frames that are wanted, and how many they are
    MrnExportSummary *summary;
    pthread_mutex_t count_lock; ///< of what mrn_export_count_file changes
    void *own;                  ///< of the format
} MrnExport;

/// Number of the frame that is the `index`-th of those wanted.
static inline size_t mrn_export_frame_number(const MrnExport *export, size_t index) {
    return export->first + index * export->options.every;
}
/// Count a file that was written; from any thread.
void mrn_export_count_file(MrnExport *export, uint64_t bytes);

/// Bytes that a frame takes in the run before compression.
uint64_t mrn_export_frame_bytes(const MrnFrame *frame, int dimension);

bool mrn_export(MrnRunFile *file, const MrnExportFormat *format, const MrnExportOptions *options,
                MrnExportSummary *summary, MrnError *error);

extern const MrnExportFormat mrn_export_vtk, mrn_export_csv, mrn_export_geojson, mrn_export_fclib;

#endif
