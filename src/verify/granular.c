// Running scenes of the gallery for granular cases.
#include "verify/granular.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mrn_granular_run(MrnVerifyReport *report, const char *name, const char *const *overrides, MrnGranularRun *run) {
    *run = (MrnGranularRun){0};
    MrnError error = {0};
    size_t count = 0, length = strlen(name) + sizeof "gallery:";
    char *path = mrn_alloc(length, 1);
    snprintf(path, length, "gallery:%s", name);
    while (overrides && overrides[count]) count++;
    run->scene = mrn_scene_read(path, overrides, count, &error);
    free(path);
    MrnWorld *world = run->scene ? mrn_world_new(run->scene->model, &run->scene->scheme, &error) : NULL;
    bool fine = world != NULL;
    if (fine) {
        double h = run->scene->scheme.time_step, interval = fmax(run->scene->output_interval, h);
        int64_t steps = (int64_t)ceil(run->scene->duration / h - 1e-6);
        mrn_frame_list_add(&run->frames, world);
        for (int64_t step = 0; step < steps && fine; step++) {
            fine = mrn_world_step(world, &run->last, &error);
            run->unsolved += run->last.status != MRN_SOLVED;
            bool due = floor(h * (double)(step + 1) / interval + 1e-6) > floor(h * (double)step / interval + 1e-6);
            if (fine && (due || step + 1 == steps)) mrn_frame_list_add(&run->frames, world);
        }
    }
    mrn_world_free(world);
    if (!fine) mrn_check_failed(report, error.message);
    return fine;
}

void mrn_granular_free(MrnGranularRun *run) {
    mrn_frame_list_free(&run->frames);
    mrn_scene_free(run->scene);
    *run = (MrnGranularRun){0};
}

double mrn_granular_mean(MrnVerifyReport *report, MrnGranularRun *run, const char *measure, const char *column,
                         const MrnMeasureOptions *options) {
    MrnMeasureInput input = {.model = run->scene->model,
                             .time_step = run->scene->scheme.time_step,
                             .frames = mrn_frame_list_source(&run->frames),
                             .options = options ? *options : mrn_measure_defaults()};
    MrnSheet sheet = {0};
    MrnError error = {0};
    double mean = NAN;
    if (!mrn_measure_compute(mrn_measure_find(measure), &input, &sheet, &error))
        mrn_check_failed(report, error.message);
    else
        mean = mrn_sheet_mean(&sheet, (size_t)mrn_sheet_find(&sheet, column));
    mrn_sheet_free(&sheet);
    return mean;
}

double mrn_granular_slope(const double *x, const double *y, size_t count, double *intercept) {
    double n = (double)count, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < count; i++) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    if (intercept) *intercept = (sy - slope * sx) / n;
    return slope;
}
