// Export of one-step problems to FCLIB files: the steps are computed again from the nearest checkpoint before them.
//
// What always holds: a problem is written only if the step came out as the run recorded it, bit for bit in everything
// but wall times; so the file holds the problem that the run solved.
#include "io/export.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/output.h"
#include "io/run_file.h"
#include "model/life.h"
#include "problem/fclib.h"
#include "step/stepper.h"
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Fclib {
    MrnModel *model; ///< as it was at the start, where bodies have broken since; else NULL
    MrnWorld *world;
    MRN_ARRAY(int64_t) steps; ///< to write, in order
} Fclib;

static bool open_fclib(MrnExport *export, MrnError *error) {
    Fclib *own = export->own = mrn_alloc_zero(1, sizeof *own);
    const MrnRunLayout *layout = mrn_run_file_layout(export->file);
    int64_t recorded = (int64_t)mrn_run_file_step_count(export->file);
    if (export->options.step) {
        if (export->options.step < 1 || export->options.step > recorded)
            return mrn_fail(error, MRN_ERROR_INPUT, "no step %lld: the run has %lld, from 1",
                            (long long)export->options.step, (long long)recorded);
        mrn_array_push(&own->steps, export->options.step);
    }
    for (size_t i = 0; !export->options.step && i < export->frame_count; i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame(export->file, mrn_export_frame_number(export, i), &frame, error)) return false;
        if (frame.step > 0 && frame.step <= recorded) mrn_array_push(&own->steps, frame.step);
        mrn_frame_free(&frame);
    }
    return mrn_run_fits_scene(layout->path, &layout->parameters, export->scene, error);
}

/// Go to the state before the first step: from a checkpoint, or from the start.
static bool start_world(MrnExport *export, int64_t before, MrnError *error) {
    Fclib *own = export->own;
    if (export->model->events.count) { // they happen again, from the start
        own->model = mrn_model_copy(export->model, 0);
        own->world = mrn_world_new(own->model, &export->scene->scheme, error);
        return own->world != NULL;
    }
    own->world = mrn_world_new(export->model, &export->scene->scheme, error);
    if (!own->world) return false;
    if (mrn_run_file_state_at(export->file, before, mrn_world_state(own->world))) {
        mrn_world_state_changed(own->world);
        return true;
    }
    mrn_world_free(own->world);
    own->world = mrn_world_new(export->model, &export->scene->scheme, error);
    return own->world != NULL;
}

/// The step as recorded must be the step as computed now.
static bool same_step(MrnExport *export, const MrnStepInfo *now, MrnError *error) {
    MrnStepInfo then;
    if (!mrn_run_file_steps(export->file, (size_t)now->step - 1, 1, &then, error)) return false;
    for (size_t i = 0; i < mrn_step_column_count; i++) {
        const MrnStepColumn *column = &mrn_step_columns[i];
        if (strncmp(column->name, "seconds", 7) == 0) continue;
        const char *a = (const char *)&then + column->offset, *b = (const char *)now + column->offset;
        if (memcmp(a, b, sizeof(int64_t)) == 0) continue;
        double was, is;
        if (column->type == MRN_FIELD_DOUBLE) {
            memcpy(&was, a, sizeof was);
            memcpy(&is, b, sizeof is);
        } else {
            int64_t whole[2];
            memcpy(&whole[0], a, sizeof *whole);
            memcpy(&whole[1], b, sizeof *whole);
            was = (double)whole[0], is = (double)whole[1];
        }
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "step %lld comes out differently from the recorded one (%s %.17g, recorded %.17g), perhaps "
                        "because another machine or version made the run: its problem would not be the true one",
                        (long long)now->step, column->name, is, was);
    }
    return true;
}

static bool write_problem(MrnExport *export, const MrnStepInfo *info, MrnError *error) {
    Fclib *own = export->own;
    const double *impulse, *velocity;
    MrnProblem *problem = mrn_world_problem(own->world, &impulse, &velocity);
    if (!problem)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the stepper '%s' has no one-step problem to write",
                        export->scene->scheme.stepper);
    char name[64], title[160];
    snprintf(name, sizeof name, "step-%08lld.hdf5", (long long)info->step);
    snprintf(title, sizeof title, "step %lld of %.100s", (long long)info->step, export->scene->name);
    char *path = mrn_path_join(export->options.folder, name), *temporary = mrn_alloc(strlen(path) + 9, 1);
    sprintf(temporary, "%s.partial", path);
    unlink(temporary);
    bool fine = mrn_fclib_write(temporary, problem, mrn_world_guess(own->world), title, error) &&
                mrn_fclib_write_solution(temporary, problem, impulse, velocity, error);
    if (fine && rename(temporary, path) != 0)
        fine = mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
    if (!fine) unlink(temporary);
    if (fine) {
        FILE *file = fopen(path, "rb");
        long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
        if (file) fclose(file);
        mrn_export_count_file(export, (uint64_t)size);
        export->summary->frames++;
        snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s", path);
    }
    free(temporary);
    free(path);
    return fine;
}

static bool write_problems(MrnExport *export, MrnError *error) {
    Fclib *own = export->own;
    if (!own->steps.count)
        return mrn_fail(error, MRN_ERROR_INPUT, "the frames that were asked for come before the first step");
    if (!start_world(export, own->steps.data[0] - 1, error)) return false;
    const MrnState *state = mrn_world_state(own->world);
    int64_t begin = state->step[0], end = own->steps.data[own->steps.count - 1];
    MrnStepInfo info;
    mrn_world_keep_guess(own->world, true);
    for (size_t i = 0; i < own->steps.count;) {
        if (!mrn_world_step(own->world, &info, error)) return false;
        bool wanted = info.step == own->steps.data[i];
        if (wanted && !same_step(export, &info, error)) return false;
        if (wanted && info.contacts > 0 && !write_problem(export, &info, error)) return false;
        while (i < own->steps.count && own->steps.data[i] <= info.step) i++;
        if (export->options.progress && !export->options.progress(export->options.progress_context,
                                                                  (size_t)(info.step - begin), (size_t)(end - begin))) {
            export->summary->stopped = i < own->steps.count;
            if (export->summary->stopped) return true;
        }
    }
    if (export->summary->frames) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "no contacts in step %lld%s: there is no problem to write", (long long)end,
                    own->steps.count > 1 ? " nor in those before it" : "");
}

static bool close_fclib(MrnExport *export, MrnError *error) {
    (void)export, (void)error;
    return true;
}

static void free_fclib(MrnExport *export) {
    Fclib *own = export->own;
    mrn_world_free(own->world);
    mrn_model_free(own->model);
    mrn_array_free(&own->steps);
    free(own);
}

const MrnExportFormat mrn_export_fclib = {
    .name = "fclib",
    .text = "the one-step problem of a step, computed again from the nearest checkpoint",
    .open = open_fclib,
    .close = close_fclib,
    .free = free_fclib,
    .whole = write_problems,
};
