// The list of figures and what they come to.
#include "verify/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

size_t mrn_figure_count(void) {
    return mrn_figures_floe_cases_count + mrn_figures_floe_packs_count;
}

const MrnFigure *mrn_figure_at(size_t index) {
    return index < mrn_figures_floe_cases_count ? &mrn_figures_floe_cases[index]
                                                : &mrn_figures_floe_packs[index - mrn_figures_floe_cases_count];
}

const MrnFigure *mrn_figure_find(const char *name) {
    for (size_t i = 0; i < mrn_figure_count(); i++)
        if (strcasecmp(mrn_figure_at(i)->name, name) == 0) return mrn_figure_at(i);
    return NULL;
}

MrnSheet *mrn_figure_curve(MrnFigureResult *out, const char *format, ...) {
    char label[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    MrnFigureCurve curve = {.label = mrn_strdup(label)};
    mrn_array_push(&out->curves, curve);
    return &out->curves.data[out->curves.count - 1].sheet;
}

void mrn_figure_result_free(MrnFigureResult *result) {
    for (size_t i = 0; i < result->curves.count; i++) {
        free(result->curves.data[i].label);
        mrn_sheet_free(&result->curves.data[i].sheet);
    }
    for (size_t i = 0; i < result->views.count; i++) free(result->views.data[i].label);
    for (size_t i = 0; i < result->scenes.count; i++) mrn_scene_free(result->scenes.data[i]);
    mrn_frame_list_free(&result->frames);
    mrn_array_free(&result->curves);
    mrn_array_free(&result->views);
    mrn_array_free(&result->scenes);
    *result = (MrnFigureResult){0};
}
