// moraine plot: a picture of a state, curves over time and measures, from run files.
#include "cli/plot.h"
#include "cli/viewer.h"

#include "base/error.h"
#include "base/memory.h"
#include "draw/draw.h"
#include "io/scene_yaml.h"
#include "verify/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int open_run(const MrnArguments *arguments, const char *path, MrnPlotRun *run) {
    *run = (MrnPlotRun){.path = path};
    MrnFileKind kind = mrn_file_kind(path);
    if (kind == MRN_FILE_MISSING)
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    if (kind == MRN_FILE_OTHER || kind == MRN_FILE_PROBLEM)
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s is not a run file", path);
    MrnError error = {0};
    run->file = mrn_run_file_open(path, &error);
    run->scene = run->file ? mrn_run_file_scene(run->file, &error) : NULL;
    return run->scene ? MRN_EXIT_DONE : mrn_cli_error(arguments, &error);
}

static void close_run(MrnPlotRun *run) {
    mrn_scene_free(run->scene);
    mrn_run_file_close(run->file);
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// RUN without its folder and ending, "-WHAT.png", in the current folder.
static char *default_output(const char *run, const char *what) {
    const char *name = file_name(run), *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *path = mrn_alloc((size_t)length + strlen(what) + 6, 1);
    sprintf(path, "%.*s-%s.png", length, name, what);
    for (char *c = path + length; *c; c++)
        if (*c == ' ' || *c == '=' || *c == ':' || *c == '/') *c = '-';
    return path;
}

/// Number of the frame nearest to a time. Frames are in order of time.
static bool nearest_frame(MrnRunFile *file, double time, size_t *index, MrnError *error) {
    size_t count = mrn_run_file_frame_count(file), low = 0, high = count;
    double before = -INFINITY, after = INFINITY, at;
    while (low < high) { // the first frame at or after `time`
        size_t middle = (low + high) / 2;
        if (!mrn_run_file_times(file, middle, 1, &at, error)) return false;
        if (at < time)
            low = middle + 1, before = at;
        else
            high = middle, after = at;
    }
    *index = low == count || (low > 0 && time - before < after - time) ? low - 1 : low;
    return true;
}

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

/// The picture as the page of the viewer draws it.
static bool draw_in_browser(const MrnArguments *arguments, const MrnPlotRun *run, size_t index,
                            const MrnDrawOptions *options, const char *path, MrnError *error) {
    if (!has_ending(path, ".png"))
        return mrn_fail(error, MRN_ERROR_INPUT, "the viewer draws png files only, not %s", path);
    if (options->width < 64 || options->width > 8192 || options->height > 8192 ||
        (options->height && options->height < 64))
        return mrn_fail(error, MRN_ERROR_INPUT, "the viewer draws pictures of 64 to 8192 pixels on each side");
    const MrnViewerPicture picture = {.frame = index,
                                      .width = options->width,
                                      .height = options->height,
                                      .colors = options->colors,
                                      .dark = options->theme == MRN_THEME_DARK,
                                      .chains = options->forces != MRN_FORCES_NONE,
                                      .contacts = options->contacts,
                                      .cut = options->cut,
                                      .color_by = mrn_argument_text(arguments, "color-by", NULL),
                                      .title = options->title};
    return mrn_viewer_draw(run->path, &picture, path, error);
}

static bool draw_picture(const MrnArguments *arguments, MrnPlotRun *run, const char *path, double *time,
                         MrnError *error) {
    size_t count = mrn_run_file_frame_count(run->file), index = count - 1;
    if (!count) {
        error->code = MRN_ERROR_INPUT;
        snprintf(error->message, sizeof error->message, "the run has no frames to draw");
        return false;
    }
    if (mrn_argument_given(arguments, "time") &&
        !nearest_frame(run->file, mrn_argument_number(arguments, "time", 0), &index, error))
        return false;
    MrnDrawOptions options = mrn_draw_defaults(mrn_model_dimension(run->scene->model));
    options.width = (int)mrn_argument_number(arguments, "width", options.width);
    options.height = (int)mrn_argument_number(arguments, "height", options.height);
    options.colors = (int)mrn_argument_number(arguments, "colors", options.colors);
    options.theme = mrn_argument_given(arguments, "dark") ? MRN_THEME_DARK : MRN_THEME_LIGHT;
    options.title = mrn_argument_text(arguments, "title", run->scene->title);
    options.time_step = run->scene->scheme.time_step;
    options.contacts = mrn_argument_given(arguments, "contacts");
    options.cut = mrn_argument_given(arguments, "cut");
    if (mrn_argument_given(arguments, "color-by"))
        options.color_by = (MrnColorBy)mrn_draw_color_by(mrn_argument_text(arguments, "color-by", ""));
    if (mrn_argument_given(arguments, "forces"))
        options.forces = (MrnForceStyle)mrn_draw_force_style(mrn_argument_text(arguments, "forces", ""));
    MrnFrame frame;
    if (!mrn_run_file_frame_for(run->file, run->scene->model, index, &frame, error)) return false;
    *time = frame.time;
    bool in_browser = strcmp(mrn_argument_text(arguments, "renderer", "cairo"), "viewer") == 0;
    bool done = in_browser ? draw_in_browser(arguments, run, index, &options, path, error)
                           : mrn_draw_frame(run->scene->model, &frame, &options, path, error);
    mrn_frame_free(&frame);
    return done;
}

/// Name of a run in the legend: without its folder, unless another run has the same name.
static const char *legend_name(const MrnPlotRun *runs, size_t count, size_t run) {
    for (size_t r = 0; r < count; r++)
        if (r != run && strcmp(file_name(runs[r].path), file_name(runs[run].path)) == 0) return runs[run].path;
    return file_name(runs[run].path);
}

static MrnRunPlotOptions plot_options(const MrnArguments *arguments, const MrnScene *scene, const char *title) {
    return (MrnRunPlotOptions){.title = mrn_argument_text(arguments, "title", title),
                               .theme = mrn_argument_given(arguments, "dark") ? MRN_THEME_DARK : MRN_THEME_LIGHT,
                               .width = (int)mrn_argument_number(arguments, "width", 0),
                               .height = (int)mrn_argument_number(arguments, "height", 0),
                               .colors = (int)mrn_argument_number(arguments, "colors", 0),
                               .tolerance = scene->scheme.solver.tolerance};
}

/// Curves of the step tables, with what only they have: unsolved steps, the tolerance.
static bool draw_curves(const MrnArguments *arguments, MrnPlotRun *runs, size_t count, const char *what,
                        const char *path, MrnError *error) {
    MrnRunSteps *tables = mrn_alloc_zero(count, sizeof *tables);
    MrnStepInfo **steps = mrn_alloc_zero(count, sizeof *steps);
    bool done = true;
    for (size_t r = 0; r < count && done; r++) {
        size_t rows = 0;
        done = (steps[r] = mrn_plot_steps(&runs[r], &rows, error)) != NULL;
        tables[r] = (MrnRunSteps){.label = legend_name(runs, count, r), .count = rows, .steps = steps[r]};
    }
    MrnRunPlotOptions options = plot_options(arguments, runs[0].scene, count == 1 ? runs[0].scene->title : NULL);
    done = done && mrn_draw_run_plot(tables, count, what, &options, path, error);
    for (size_t r = 0; r < count; r++) free(steps[r]);
    free(steps);
    free(tables);
    return done;
}

static bool write_csv(const MrnSheet *sheet, const char *path, MrnError *error) {
    FILE *out = fopen(path, "w");
    if (out) {
        mrn_sheet_write_csv(sheet, out);
        bool whole = !ferror(out);
        if (fclose(out) == 0 && whole) return true;
    }
    error->code = MRN_ERROR_FILE;
    snprintf(error->message, sizeof error->message, "cannot write %.800s: %s", path, strerror(errno));
    return false;
}

static json_t *sheet_json(const MrnSheet *sheet) {
    json_t *columns = json_array();
    for (size_t i = 0; i < sheet->columns.count; i++) {
        json_t *column = json_object();
        json_object_set_new(column, "name", mrn_json_text(sheet->columns.data[i].name));
        json_object_set_new(column, "unit", mrn_json_text(sheet->columns.data[i].unit));
        json_object_set_new(column, "mean", mrn_json_number(mrn_sheet_mean(sheet, i)));
        json_array_append_new(columns, column);
    }
    return columns;
}

/// Sheets of all runs, then one plot or one file of numbers.
static bool draw_sheets(const MrnArguments *arguments, MrnPlotRun *runs, size_t count, const char *what,
                        const char *path, bool csv, json_t *object, MrnError *error) {
    MrnSheet *sheets = mrn_alloc_zero(count, sizeof *sheets);
    MrnRunSheet *list = mrn_alloc_zero(count, sizeof *list);
    bool done = true;
    for (size_t r = 0; r < count && done; r++) {
        MrnMeasureOptions options;
        done = mrn_plot_options(arguments, mrn_model_dimension(runs[r].scene->model), &options, error) &&
               mrn_plot_sheet(&runs[r], what, &options, &sheets[r], error);
        list[r] = (MrnRunSheet){.label = legend_name(runs, count, r), .sheet = &sheets[r]};
    }
    if (done) {
        MrnRunPlotOptions options =
            plot_options(arguments, runs[0].scene, count == 1 ? runs[0].scene->title : sheets[0].title);
        done = csv ? write_csv(&sheets[0], path, error)
                   : mrn_draw_sheets(list, count, mrn_plot_drawing(what), &options, path, error);
    }
    if (done && count == 1) {
        json_t *notes = json_array();
        for (size_t i = 0; i < sheets[0].notes.count; i++)
            json_array_append_new(notes, mrn_json_text(sheets[0].notes.data[i]));
        json_object_set_new(object, "columns", sheet_json(&sheets[0]));
        json_object_set_new(object, "notes", notes);
    }
    for (size_t r = 0; r < count; r++) mrn_sheet_free(&sheets[r]);
    free(sheets);
    free(list);
    return done;
}

// ---- Lists ----

static void list_entry(json_t *list, bool json, const char *name, const char *text, const char *unit,
                       const char *missing) {
    if (!json) {
        printf(missing ? "  %-20s %s (needs %s)\n" : "  %-20s %s\n", name, text, missing);
        return;
    }
    json_t *entry = json_object();
    json_object_set_new(entry, "name", mrn_json_text(name));
    json_object_set_new(entry, "text", mrn_json_text(text));
    json_object_set_new(entry, "unit", mrn_json_text(unit));
    json_object_set_new(entry, "missing", mrn_json_text(missing));
    json_array_append_new(list, entry);
}

/// Everything that can be drawn; for a run, with what it lacks.
static void list_plots(bool json, const MrnModel *model) {
    json_t *list = json_array();
    if (!json) printf("state\n");
    list_entry(list, json, "picture", "the bodies of one frame, with their force chains", "", NULL);
    if (!json) printf("step by step\n");
    for (size_t i = 0; i < mrn_draw_quantity_count(); i++) {
        const MrnPlotQuantity *quantity = mrn_draw_quantity_at(i);
        list_entry(list, json, quantity->name, quantity->text, quantity->unit, NULL);
    }
    if (!json) printf("measured from the frames\n");
    for (size_t i = 0; i < mrn_measure_count(); i++) {
        const MrnMeasure *measure = mrn_measure_at(i);
        list_entry(list, json, measure->name, measure->summary, measure->units,
                   model ? mrn_measure_missing(measure, model) : NULL);
    }
    if (!json && !model)
        printf("published figures of ice floes, without a run (T: thesis, P: paper of Rabatel 2015)\n");
    for (size_t i = 0; i < mrn_figure_count() && !model; i++) {
        const MrnFigure *figure = mrn_figure_at(i);
        char name[64];
        snprintf(name, sizeof name, "figure:%s", figure->name);
        list_entry(list, json, name, figure->title, "", NULL);
    }
    if (json) {
        json_t *object = json_object();
        json_object_set(object, "plots", list);
        mrn_cli_print_json(object);
    }
    json_decref(list);
}

static int list_plots_of(const MrnArguments *arguments, const char *path) {
    MrnPlotRun run;
    int exit_code = open_run(arguments, path, &run);
    if (exit_code == MRN_EXIT_DONE) list_plots(arguments->json, run.scene->model);
    close_run(&run);
    return exit_code;
}

/// Exit code of a wrong WHAT or a wrong name in an option; MRN_EXIT_DONE if all are known.
static int check_names(const MrnArguments *arguments, const char *what) {
    if (strcmp(what, "picture") != 0 && !strchr(what, '=') && !mrn_plot_is_known(what)) {
        size_t count;
        const char **names = mrn_plot_names(&count), *near = mrn_nearest_word(what, names, count);
        free(names);
        if (near)
            return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                "'%s' cannot be plotted; did you mean '%s'? moraine plot lists what can", what, near);
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "'%s' cannot be plotted; moraine plot lists what can",
                            what);
    }
    const char *renderer = mrn_argument_text(arguments, "renderer", "cairo");
    if (strcmp(renderer, "cairo") != 0 && strcmp(renderer, "viewer") != 0)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "option --renderer wants cairo or viewer, not '%s'",
                            renderer);
    const char *color = mrn_argument_text(arguments, "color-by", NULL),
               *forces = mrn_argument_text(arguments, "forces", NULL);
    if (color && mrn_draw_color_by(color) < 0)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --color-by does not know '%s' (see moraine plot --help)", color);
    if (forces && mrn_draw_force_style(forces) < 0)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --forces does not know '%s' (see moraine plot --help)", forces);
    return MRN_EXIT_DONE;
}

/// WHAT: the last operand, or the last two if they are x=NAME and y=NAME. Returns how many operands it takes; free()
/// *what.
static size_t find_what(const MrnArguments *arguments, char **what) {
    size_t count = arguments->operand_count;
    const char *last = arguments->operands[count - 1], *other = count > 1 ? arguments->operands[count - 2] : "";
    if (strncmp(last, "y=", 2) == 0 && strncmp(other, "x=", 2) == 0) {
        size_t size = strlen(last) + strlen(other) + 2;
        *what = mrn_alloc(size, 1);
        snprintf(*what, size, "%s %s", other, last);
        return 2;
    }
    *what = mrn_strdup(last);
    return 1;
}

static int plot(const MrnArguments *arguments, const char *what, size_t count) {
    bool picture = strcmp(what, "picture") == 0;
    int exit_code = check_names(arguments, what);
    if (exit_code != MRN_EXIT_DONE) return exit_code;
    const char *given = mrn_argument_text(arguments, "output", NULL);
    bool csv = given && has_ending(given, ".csv");
    if (picture && count > 1) return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "a picture shows one run");
    if (csv && (picture || count > 1))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            picture ? "a picture cannot be written as numbers" : "a csv file holds one run");

    MrnPlotRun *runs = mrn_alloc_zero(count, sizeof *runs);
    for (size_t r = 0; r < count && exit_code == MRN_EXIT_DONE; r++)
        exit_code = open_run(arguments, arguments->operands[r], &runs[r]);
    if (exit_code == MRN_EXIT_DONE) {
        char *path = given ? mrn_strdup(given) : default_output(arguments->operands[0], what);
        double time = NAN;
        MrnError error = {0};
        json_t *object = json_object();
        json_object_set_new(object, "what", mrn_json_text(what));
        json_object_set_new(object, "output", mrn_json_text(path));
        bool whole = !mrn_argument_given(arguments, "from") && !mrn_argument_given(arguments, "to");
        bool curves = !csv && whole && !strchr(what, '=') && !mrn_measure_find(what);
        bool done = picture  ? draw_picture(arguments, &runs[0], path, &time, &error)
                    : curves ? draw_curves(arguments, runs, count, what, path, &error)
                             : draw_sheets(arguments, runs, count, what, path, csv, object, &error);
        json_object_set_new(object, "time", mrn_json_number(time));
        if (!done)
            exit_code = mrn_cli_error(arguments, &error);
        else if (arguments->json)
            mrn_cli_print_json(json_incref(object));
        else if (!arguments->quiet) {
            const json_t *notes = json_object_get(object, "notes");
            for (size_t i = 0; notes && i < json_array_size(notes); i++)
                printf("%s\n", json_string_value(json_array_get(notes, i)));
            printf("written to %s\n", path);
        }
        json_decref(object);
        free(path);
    }
    for (size_t r = 0; r < count; r++) close_run(&runs[r]);
    free(runs);
    return exit_code;
}

static int run_plot(const MrnArguments *arguments) {
    size_t count = arguments->operand_count;
    if (!count) {
        list_plots(arguments->json, NULL);
        return MRN_EXIT_DONE;
    }
    if (count == 1) {
        const char *only = arguments->operands[0];
        if (strncmp(only, "figure:", 7) == 0) return mrn_plot_figure(arguments, only + 7);
        if (mrn_plot_is_known(only) || strcmp(only, "picture") == 0)
            return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "plot wants RUN.h5 before %s", only);
        return list_plots_of(arguments, only);
    }
    char *what;
    size_t words = find_what(arguments, &what);
    int exit_code = count == words ? mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "plot wants RUN.h5 before %s", what)
                                   : plot(arguments, what, count - words);
    free(what);
    return exit_code;
}

#define NAMES_AND_TEXT(code, name, text) "; " name ": " text

const MrnCommand mrn_command_plot = {
    .name = "plot",
    .operands = "[RUN.h5... [WHAT]]",
    .operand_kind = MRN_VALUE_PLOT,
    .operands_max = -1,
    .summary = "draw or write anything about a run: pictures, curves, measures",
    .description =
        "Draws WHAT from a run file: `picture` is the state of one frame with its force chains; a column of "
        "the step table gives a curve over time; a measure (coordination, stress, velocity profile...) is "
        "taken from the frames. Several runs go into one plot. `moraine plot RUN.h5` lists everything by "
        "name. The ending of the output file decides its format: png, svg, pdf, or csv for the numbers.\n\n"
        "A measure looks at the frames from --from to --to and at the bodies in --region: "
        "box:X,Y:X,Y (two corners; X,Y,Z in 3D), disc:X,Y:R (ball:X,Y,Z:R), in metres or with units, for "
        "example box:0,0:10 cm,5 cm.\n\n"
        "`x=NAME y=NAME` instead of WHAT draws one series over another; NAME:COLUMN picks a column.\n\n"
        "`figure:NAME` without a run makes a published figure again: it runs what the figure shows, and draws "
        "it. --to ends its runs at another time, --set changes their scenes; `moraine plot` lists them.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "FILE", MRN_VALUE_FILE, "file to write, default RUN-WHAT.png"},
            {"time", 0, "TIME", MRN_VALUE_TIME, "picture: the frame nearest to this time, default the last"},
            {"from", 0, "TIME", MRN_VALUE_TIME, "measures and curves: look only after this time"},
            {"to", 0, "TIME", MRN_VALUE_TIME, "measures and curves: look only before this time"},
            {"set", 's', "PATH=VALUE", MRN_VALUE_ASSIGNMENT, "figures: replace or add a value of their scenes"},
            {"region", 0, "REGION", MRN_VALUE_TEXT, "measures: look only here; default everywhere"},
            {"along", 0, "DIRECTION", MRN_VALUE_TEXT, "profiles: x, y, z, or components with commas; default upwards"},
            {"bins", 0, "N", MRN_VALUE_COUNT, "profiles and histograms: number of bins"},
            {"color-by", 0, "NAME", MRN_VALUE_COLOR,
             "picture: what the colour of a body says" MRN_COLOR_BY_LIST(NAMES_AND_TEXT)},
            {"forces", 0, "NAME", MRN_VALUE_FORCES,
             "picture: how contact forces are shown" MRN_FORCE_STYLE_LIST(NAMES_AND_TEXT)},
            {"contacts", 0, NULL, MRN_VALUE_NONE, "picture: mark contacts by open, stick and slip"},
            {"cut", 0, NULL, MRN_VALUE_NONE, "picture in 3D: leave out the front half, seen along y"},
            {"title", 0, "TEXT", MRN_VALUE_TEXT, "line above, default the title of the scene"},
            {"width", 0, "N", MRN_VALUE_COUNT, "width in pixels, or points in svg and pdf"},
            {"height", 0, "N", MRN_VALUE_COUNT, "height"},
            {"colors", 0, "N", MRN_VALUE_COUNT,
             "png: at most this many colours, 2 to 256, for a small file; default all"},
            {"dark", 0, NULL, MRN_VALUE_NONE, "light lines on a dark ground"},
            {"renderer", 0, "NAME", MRN_VALUE_TEXT,
             "picture: cairo (default), or viewer: as moraine view shows it, drawn in a headless Chromium (png)"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"what", "string", "what was drawn"},
            {"output", "string", "file that was written"},
            {"time", "number or null, s", "time of the frame in a picture"},
            {"columns[].name", "string", "measures of one run: columns of the sheet"},
            {"columns[].unit", "string", "SI unit; 1 for a pure number"},
            {"columns[].mean", "number or null", "mean over the rows"},
            {"notes[]", "string", "conventions and means in words"},
            {"plots[].name", "string", "without WHAT: what can be drawn"},
            {"plots[].text", "string", "what it shows"},
            {"plots[].unit", "string", "unit of its values"},
            {"plots[].missing", "string or null", "what the run lacks for it"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine plot blocks.h5 picture", "the last frame, in blocks-picture.png"},
            {"moraine plot blocks.h5 picture --time 0.5 --color-by velocity -o fall.svg",
             "an earlier one, coloured by speed"},
            {"moraine plot blocks.h5 picture --renderer viewer", "with the light and shadows of the viewer"},
            {"moraine plot blocks.h5 energy -o energy.pdf", "energies over time"},
            {"moraine plot a.h5 b.h5 residual", "two runs in one plot"},
            {"moraine plot blocks.h5", "the names of everything that can be drawn from this run"},
            {"moraine plot blocks.h5 coordination --from 1 -o z.csv", "contacts per body after 1 s, as numbers"},
            {"moraine plot blocks.h5 x=time y=max_speed", "one quantity over another"},
            {"moraine plot figure:T-3.12", "paths of a floe with and without the ocean layer, as published"},
            {NULL, NULL},
        },
    .run = run_plot,
};
