// moraine plot figure:NAME: a published figure, computed and drawn again.
#include "cli/plot.h"

#include "base/error.h"
#include "draw/draw.h"
#include "io/scene_yaml.h"
#include "verify/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS = 2, TILE = 700, STRIP = 36 };

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

static MrnTheme theme_of(const MrnArguments *arguments) {
    return mrn_argument_given(arguments, "dark") ? MRN_THEME_DARK : MRN_THEME_LIGHT;
}

/// Rows of a sheet over time that lie in the window.
static void cut_window(MrnSheet *sheet, double from, double to) {
    size_t columns = sheet->columns.count, kept = 0;
    if (!columns || strcmp(sheet->columns.data[0].name, "time") != 0) return;
    for (size_t row = 0; row < mrn_sheet_rows(sheet); row++) {
        double time = mrn_sheet_value(sheet, row, 0);
        if (time < from || time > to) continue;
        memmove(&sheet->values.data[kept++ * columns], &sheet->values.data[row * columns],
                columns * sizeof *sheet->values.data);
    }
    sheet->values.count = kept * columns;
}

static bool write_numbers(const MrnFigureResult *result, const char *path, MrnError *error) {
    FILE *out = fopen(path, "w");
    if (!out) return mrn_fail(error, MRN_ERROR_FILE, "cannot write %.800s: %s", path, strerror(errno));
    for (size_t k = 0; k < result->curves.count; k++) {
        if (result->curves.count > 1) fprintf(out, "%s# curve: %s\n", k ? "\n" : "", result->curves.data[k].label);
        mrn_sheet_write_csv(&result->curves.data[k].sheet, out);
    }
    bool whole = !ferror(out);
    if (fclose(out) == 0 && whole) return true;
    return mrn_fail(error, MRN_ERROR_FILE, "cannot write %.800s: %s", path, strerror(errno));
}

static bool draw_curves(const MrnArguments *arguments, const MrnFigure *figure, const MrnFigureResult *result,
                        const char *path, MrnError *error) {
    size_t count = result->curves.count;
    MrnRunSheet *list = mrn_alloc_zero(count, sizeof *list);
    for (size_t k = 0; k < count; k++)
        list[k] = (MrnRunSheet){.label = result->curves.data[k].label, .sheet = &result->curves.data[k].sheet};
    MrnRunPlotOptions options = {.title = mrn_argument_text(arguments, "title", figure->title),
                                 .theme = theme_of(arguments),
                                 .width = (int)mrn_argument_number(arguments, "width", 0),
                                 .height = (int)mrn_argument_number(arguments, "height", 0),
                                 .colors = (int)mrn_argument_number(arguments, "colors", 0)};
    bool done = mrn_draw_sheets(list, count, figure->drawing, &options, path, error);
    free(list);
    return done;
}

/// States side by side; those of one scene in one scale.
static bool draw_views(const MrnArguments *arguments, const MrnFigureResult *result, const char *path,
                       MrnError *error) {
    size_t count = result->views.count, columns = count < COLUMNS ? count : COLUMNS;
    MrnPageImage *tiles = mrn_alloc_zero(count, sizeof *tiles);
    int width = (int)mrn_argument_number(arguments, "width", (double)columns * TILE) / (int)columns, height = 0;
    bool good = true;
    for (size_t k = 0; k < count && good; k++) {
        const MrnFigureView *view = &result->views.data[k];
        MrnDrawOptions options = mrn_draw_defaults(2);
        options.width = width, options.height = height;
        options.theme = theme_of(arguments);
        options.forces = MRN_FORCES_NONE;
        for (int i = 0; i < 2; i++) options.low[i] = result->low[i], options.high[i] = result->high[i];
        tiles[k].text = view->label;
        good = mrn_draw_frame_image(view->scene->model, &result->frames.frames.data[view->frame], &options,
                                    &tiles[k].image, error);
        height = tiles[0].image.height;
        tiles[k].x = (int)(k % columns) * width, tiles[k].y = (int)(k / columns) * (height + STRIP);
    }
    MrnPageOptions page = {.width = width * (int)columns,
                           .height = (int)((count + columns - 1) / columns) * (height + STRIP),
                           .theme = theme_of(arguments),
                           .colors = (int)mrn_argument_number(arguments, "colors", 0)};
    good = good && mrn_draw_page(tiles, count, &page, path, error);
    for (size_t k = 0; k < count; k++) mrn_image_free(&tiles[k].image);
    free(tiles);
    return good;
}

static void print_result(const MrnArguments *arguments, const MrnFigure *figure, const MrnFigureResult *result,
                         const char *path) {
    if (arguments->json) {
        json_t *object = json_object(), *notes = json_array();
        json_object_set_new(object, "what", mrn_json_text(figure->name));
        json_object_set_new(object, "output", mrn_json_text(path));
        json_object_set_new(object, "time", mrn_json_number(NAN));
        for (size_t k = 0; k < result->curves.count; k++)
            for (size_t i = 0; i < result->curves.data[k].sheet.notes.count; i++)
                json_array_append_new(notes, mrn_json_text(result->curves.data[k].sheet.notes.data[i]));
        json_object_set_new(object, "notes", notes);
        mrn_cli_print_json(object);
    } else if (!arguments->quiet) {
        for (size_t k = 0; k < result->curves.count; k++)
            for (size_t i = 0; i < result->curves.data[k].sheet.notes.count; i++)
                printf("%s\n", result->curves.data[k].sheet.notes.data[i]);
        printf("published: %s\nwritten to %s\n", figure->shows, path);
    }
}

int mrn_plot_figure(const MrnArguments *arguments, const char *name) {
    const MrnFigure *figure = mrn_figure_find(name);
    if (!figure) {
        const char **names = mrn_alloc(mrn_figure_count(), sizeof *names);
        for (size_t i = 0; i < mrn_figure_count(); i++) names[i] = mrn_figure_at(i)->name;
        const char *near = mrn_nearest_word(name, names, mrn_figure_count());
        free(names);
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            near ? "there is no figure '%s'; did you mean '%s'? moraine plot lists them"
                                 : "there is no figure '%s'; moraine plot lists them",
                            name, near);
    }
    double from = mrn_argument_number(arguments, "from", -INFINITY), to = mrn_argument_number(arguments, "to", NAN);
    char fallback[64];
    snprintf(fallback, sizeof fallback, "figure-%.40s.png", figure->name);
    const char *path = mrn_argument_text(arguments, "output", fallback);
    MrnFigureRequest request = {.end = to};
    const char **overrides = mrn_argument_all(arguments, "set", &request.override_count);
    request.overrides = overrides;
    if (!arguments->quiet && !arguments->json && figure->cost[0])
        fprintf(stderr, "%s: takes %s\n", figure->title, figure->cost);
    MrnFigureResult result = {0};
    MrnError error = {0};
    bool good = figure->make(&request, &result, &error);
    for (size_t k = 0; k < result.curves.count; k++)
        cut_window(&result.curves.data[k].sheet, from, isnan(to) ? INFINITY : to);
    if (good && ends_with(path, ".csv"))
        good = result.curves.count
                   ? write_numbers(&result, path, &error)
                   : mrn_fail(&error, MRN_ERROR_INPUT, "figure %s is pictures, not numbers", figure->name);
    else if (good)
        good = result.curves.count ? draw_curves(arguments, figure, &result, path, &error)
                                   : draw_views(arguments, &result, path, &error);
    if (good) print_result(arguments, figure, &result, path);
    mrn_figure_result_free(&result);
    free(overrides);
    return good ? MRN_EXIT_DONE : mrn_cli_error(arguments, &error);
}
