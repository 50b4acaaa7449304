// Export of a run: chooses the frames, reads them one at a time and hands them to the format. See export.h.
#include "io/export.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/output.h"
#include <stdio.h>
#include <string.h>

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
    export->summary->files++;
    export->summary->bytes_written += bytes;
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

static bool walk_frames(MrnExport *export, const MrnExportFormat *format, MrnError *error) {
    for (size_t i = 0; i < export->frame_count; i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame(export->file, mrn_export_frame_number(export, i), &frame, error)) return false;
        bool fine = format->frame(export, &frame, i, error);
        export->summary->bytes_read += mrn_export_frame_bytes(&frame, mrn_model_dimension(export->model));
        mrn_frame_free(&frame);
        if (!fine) return false;
        export->summary->frames++;
        if (export->options.progress &&
            !export->options.progress(export->options.progress_context, i + 1, export->frame_count)) {
            export->summary->stopped = i + 1 < export->frame_count;
            if (export->summary->stopped) break;
        }
    }
    return true;
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
    export.model = scene->model;
    bool fine = choose_frames(&export, error) && mrn_folder_make(options->folder, error);
    if (fine) {
        fine = format->open(&export, error);
        fine = fine && (format->whole ? format->whole(&export, error) : walk_frames(&export, format, error));
        fine = fine && format->close(&export, error);
        format->free(&export);
    }
    mrn_scene_free(scene);
    export.summary->wall_seconds = mrn_wall_seconds() - start;
    return fine;
}
