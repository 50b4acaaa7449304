// moraine export: the frames of a run as files for other programs.
#include "cli/job.h"

#include "io/export.h"
#include "io/scene_yaml.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const MrnExportFormat *find_format(const MrnArguments *arguments, int *exit_code) {
    const char *name = mrn_argument_text(arguments, "to", NULL);
    if (!name) {
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                  "export wants --to vtk, csv, geojson or fclib (see moraine export --help)");
        return NULL;
    }
    const MrnExportFormat *format = mrn_export_format_find(name);
    if (format) return format;
    const char *names[16], *near;
    size_t count = mrn_export_format_count();
    for (size_t i = 0; i < count; i++) names[i] = mrn_export_format_at(i)->name;
    near = mrn_nearest_word(name, names, count);
    if (near)
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "option --to does not know '%s'; did you mean '%s'?",
                                  name, near);
    else
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                  "option --to wants vtk, csv, geojson or fclib, not '%s'", name);
    return NULL;
}

static int report(const MrnArguments *arguments, const MrnExportFormat *format, const MrnExportSummary *summary,
                  const char *folder) {
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set_new(object, "format", json_string(format->name));
        json_object_set_new(object, "output", mrn_json_text(folder));
        json_object_set_new(object, "open", mrn_json_text(summary->main_file));
        json_object_set_new(object, "frames", json_integer((json_int_t)summary->frames));
        json_object_set_new(object, "files", json_integer((json_int_t)summary->files));
        json_object_set_new(object, "bytes_read", json_integer((json_int_t)summary->bytes_read));
        json_object_set_new(object, "bytes_written", json_integer((json_int_t)summary->bytes_written));
        json_object_set_new(object, "wall_seconds", mrn_json_number(summary->wall_seconds));
        json_object_set_new(object, "stopped", json_boolean(summary->stopped));
        mrn_cli_print_json(object);
    } else if (!arguments->quiet) {
        const char *unit = format->whole ? "problem" : "frame";
        printf("%zu %s%s in %zu file%s, %.3g MB, in %.2g s; open %s\n", summary->frames, unit,
               summary->frames == 1 ? "" : "s", summary->files, summary->files == 1 ? "" : "s",
               (double)summary->bytes_written / 1e6, summary->wall_seconds, summary->main_file);
    }
    if (summary->stopped) {
        mrn_cli_warn("stopped after %zu: files that are there are complete", summary->frames);
        mrn_job_raise();
        return MRN_EXIT_CANNOT;
    }
    return MRN_EXIT_DONE;
}

static int run_export(const MrnArguments *arguments) {
    int exit_code = MRN_EXIT_DONE;
    const MrnExportFormat *format = find_format(arguments, &exit_code);
    if (!format) return exit_code;
    MrnExportOptions options = mrn_export_defaults();
    const char *frames = mrn_argument_text(arguments, "frames", NULL);
    if (frames && !mrn_cli_frame_range(frames, &options.first, &options.last))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --frames wants a number or a range like 10:20, not '%s'", frames);
    if (mrn_argument_given(arguments, "step") && !format->whole)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "option --step goes with --to fclib");
    if (mrn_argument_given(arguments, "step") && frames)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "give --step or --frames, not both");
    // To compute all of a run again takes as long as the run did: only on request.
    if (format->whole && !frames) options.first = options.last = -1;
    options.every = (size_t)mrn_argument_number(arguments, "every", 1);
    options.step = (int64_t)mrn_argument_number(arguments, "step", 0);
    options.detail = (int)mrn_argument_number(arguments, "detail", 0);
    options.threads = (int)mrn_argument_number(arguments, "threads", 0);
    options.surfaces = !mrn_argument_given(arguments, "no-surfaces");

    MrnRunFile *file = mrn_cli_open_run(arguments, &exit_code);
    if (!file) return exit_code;
    char suffix[32];
    snprintf(suffix, sizeof suffix, "-%s", format->name);
    char *folder = mrn_cli_beside(arguments->operands[0], suffix);
    options.folder = mrn_argument_text(arguments, "output", folder);
    MrnJobLine line = mrn_job_start(arguments, format->whole ? "step" : "frame");
    options.progress = mrn_job_show;
    options.progress_context = &line;
    // Frames come and go by the hundred: keep their memory instead of giving it back and asking for it again.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    MrnExportSummary summary;
    MrnError error = {0};
    bool done = mrn_export(file, format, &options, &summary, &error);
    mrn_job_end(&line);
    exit_code = done ? report(arguments, format, &summary, options.folder) : mrn_cli_error(arguments, &error);
    mrn_run_file_close(file);
    free(folder);
    return exit_code;
}

const MrnCommand mrn_command_export = {
    .name = "export",
    .operands = "RUN.h5",
    .operand_kind = MRN_VALUE_RUN,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "write the frames of a run as VTK, CSV, GeoJSON or FCLIB files",
    .description =
        "Writes a run in formats of other programs, into a folder.\n\n"
        "vtk: ParaView opens bodies.pvd (true shapes), obstacles.pvd, centres.pvd (one point per body with all "
        "numbers) "
        "and contacts.pvd (points with normal, impulse, force, gap and status). csv: bodies.csv, motion.csv, "
        "contacts.csv and steps.csv, with units in the first row. geojson: one file per frame with the outlines of a "
        "2D "
        "run. fclib: the one-step problem of a step with its first guess and solution; the step is computed again from "
        "the nearest checkpoint before it, and must come out as recorded.\n\n"
        "Frames are numbered from 0, which is time 0. A file appears when it is complete.",
    .options =
        (const MrnOption[]){
            {"to", 0, "FORMAT", MRN_VALUE_TEXT, "vtk, csv, geojson or fclib"},
            {"output", 'o', "DIR", MRN_VALUE_FILE, "folder to write into, default RUN-FORMAT; made if it is not there"},
            {"frames", 0, "RANGE", MRN_VALUE_TEXT,
             "these frames: 5, 10:20 (both included), 10: or :20; -1 is the last; default all (fclib: the last)"},
            {"every", 0, "N", MRN_VALUE_COUNT, "only each N-th of them, default 1"},
            {"step", 0, "N", MRN_VALUE_COUNT, "fclib: this step"},
            {"detail", 0, "N", MRN_VALUE_COUNT,
             "vtk and geojson: pieces of a full circle, 6 to 360; default from the number of bodies"},
            {"threads", 0, "N", MRN_VALUE_THREADS, "threads that write, default one per processor"},
            {"no-surfaces", 0, NULL, MRN_VALUE_NONE, "vtk: leave out bodies and obstacles, keep centres and contacts"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"format", "string", "vtk, csv, geojson or fclib"},
            {"output", "string", "folder that was written into"},
            {"open", "string", "file to open first"},
            {"frames", "integer", "frames written (fclib: problems)"},
            {"files", "integer", "files written"},
            {"bytes_read", "integer", "run data read, uncompressed"},
            {"bytes_written", "integer", "size of all files"},
            {"wall_seconds", "number, s", "time it took"},
            {"stopped", "boolean", "a signal ended it early"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine export blocks.h5 --to vtk", "for ParaView: open blocks-vtk/bodies.pvd and contacts.pvd"},
            {"moraine export blocks.h5 --to csv --frames -1 -o last", "tables of the last frame"},
            {"moraine export blocks.h5 --to fclib --step 1200", "the problem of step 1200, for moraine solve"},
            {NULL, NULL},
        },
    .run = run_export,
};
