// moraine plot: a picture of a state, or curves over time, from run files.
#include "cli/input.h"

#include "base/memory.h"
#include "draw/draw.h"
#include "io/scene_yaml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The step table of one run file, and what the plot needs of its scene.
typedef struct PlotRun {
    MrnRunFile *file;
    MrnScene *scene;
    MrnStepInfo *steps;
} PlotRun;

static int open_run(const MrnArguments *arguments, const char *path, PlotRun *run) {
    *run = (PlotRun){0};
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

static void close_run(PlotRun *run) {
    free(run->steps);
    mrn_scene_free(run->scene);
    mrn_run_file_close(run->file);
}

/// RUN without its folder and ending, "-WHAT.png", in the current folder.
static char *default_output(const char *run, const char *what) {
    const char *slash = strrchr(run, '/'), *name = slash ? slash + 1 : run, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *path = mrn_alloc((size_t)length + strlen(what) + 6, 1);
    sprintf(path, "%.*s-%s.png", length, name, what);
    return path;
}

/// Number of the frame nearest to a time. Frames are in order of time.
static bool nearest_frame(MrnRunFile *file, double time, size_t *index, MrnError *error) {
    size_t count = mrn_run_file_frame_count(file), low = 0, high = count;
    MrnFrame frame;
    double before = -INFINITY, after = INFINITY;
    while (low < high) { // the first frame at or after `time`
        size_t middle = (low + high) / 2;
        if (!mrn_run_file_frame(file, middle, &frame, error)) return false;
        if (frame.time < time)
            low = middle + 1, before = frame.time;
        else
            high = middle, after = frame.time;
        mrn_frame_free(&frame);
    }
    *index = low == count || (low > 0 && time - before < after - time) ? low - 1 : low;
    return true;
}

static bool draw_picture(const MrnArguments *arguments, PlotRun *run, const char *path, double *time, MrnError *error) {
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
    if (mrn_argument_given(arguments, "color-by"))
        options.color_by = (MrnColorBy)mrn_draw_color_by(mrn_argument_text(arguments, "color-by", ""));
    if (mrn_argument_given(arguments, "forces"))
        options.forces = (MrnForceStyle)mrn_draw_force_style(mrn_argument_text(arguments, "forces", ""));
    MrnFrame frame;
    if (!mrn_run_file_frame(run->file, index, &frame, error)) return false;
    *time = frame.time;
    bool done = mrn_draw_frame(run->scene->model, &frame, &options, path, error);
    mrn_frame_free(&frame);
    return done;
}

static bool draw_curves(const MrnArguments *arguments, PlotRun *runs, size_t count, const char *what, const char *path,
                        MrnError *error) {
    MrnRunSteps *tables = mrn_alloc_zero(count, sizeof *tables);
    bool done = true;
    for (size_t r = 0; r < count && done; r++) {
        size_t steps = mrn_run_file_step_count(runs[r].file);
        runs[r].steps = mrn_alloc(steps + 1, sizeof *runs[r].steps);
        done = steps == 0 || mrn_run_file_steps(runs[r].file, 0, steps, runs[r].steps, error);
        tables[r] = (MrnRunSteps){.label = arguments->operands[r], .count = steps, .steps = runs[r].steps};
    }
    const MrnScene *scene = runs[0].scene;
    MrnRunPlotOptions options = {.title = mrn_argument_text(arguments, "title", scene->title),
                                 .theme = mrn_argument_given(arguments, "dark") ? MRN_THEME_DARK : MRN_THEME_LIGHT,
                                 .width = (int)mrn_argument_number(arguments, "width", 0),
                                 .height = (int)mrn_argument_number(arguments, "height", 0),
                                 .colors = (int)mrn_argument_number(arguments, "colors", 0),
                                 .tolerance = scene->scheme.solver.tolerance};
    done = done && mrn_draw_run_plot(tables, count, what, &options, path, error);
    free(tables);
    return done;
}

static int list_plots(const MrnArguments *arguments) {
    static const char picture_text[] = "the bodies of one frame, with their force chains";
    json_t *list = json_array();
    for (size_t i = 0; i <= mrn_draw_quantity_count(); i++) {
        const char *name = i ? mrn_draw_quantity_at(i - 1)->name : "picture",
                   *text = i ? mrn_draw_quantity_at(i - 1)->text : picture_text;
        if (arguments->json) {
            json_t *entry = json_object();
            json_object_set_new(entry, "name", mrn_json_text(name));
            json_object_set_new(entry, "text", mrn_json_text(text));
            json_array_append_new(list, entry);
        } else
            printf("  %-18s %s\n", name, text);
    }
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set(object, "plots", list);
        mrn_cli_print_json(object);
    }
    json_decref(list);
    return MRN_EXIT_DONE;
}

/// Exit code of a wrong WHAT or a wrong name in an option; MRN_EXIT_DONE if all are known.
static int check_names(const MrnArguments *arguments, const char *what) {
    size_t count = mrn_draw_quantity_count() + 1;
    const char **names = mrn_alloc(count, sizeof *names);
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        names[i] = i ? mrn_draw_quantity_at(i - 1)->name : "picture";
        known |= strcmp(what, names[i]) == 0;
    }
    const char *near = mrn_nearest_word(what, names, count);
    free(names);
    if (!known && near)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "'%s' cannot be plotted; did you mean '%s'? moraine plot lists what can", what, near);
    if (!known)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "'%s' cannot be plotted; moraine plot lists what can",
                            what);
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

static int run_plot(const MrnArguments *arguments) {
    if (!arguments->operand_count) return list_plots(arguments);
    if (arguments->operand_count == 1)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "plot wants RUN.h5 and WHAT; moraine plot alone lists what there is");
    size_t count = arguments->operand_count - 1;
    const char *what = arguments->operands[count];
    bool picture = strcmp(what, "picture") == 0;
    int exit_code = check_names(arguments, what);
    if (exit_code != MRN_EXIT_DONE) return exit_code;
    if (picture && count > 1) return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "a picture shows one run");

    PlotRun *runs = mrn_alloc_zero(count, sizeof *runs);
    for (size_t r = 0; r < count && exit_code == MRN_EXIT_DONE; r++)
        exit_code = open_run(arguments, arguments->operands[r], &runs[r]);
    if (exit_code == MRN_EXIT_DONE) {
        const char *given = mrn_argument_text(arguments, "output", NULL);
        char *path = given ? mrn_strdup(given) : default_output(arguments->operands[0], what);
        double time = NAN;
        MrnError error = {0};
        bool done = picture ? draw_picture(arguments, &runs[0], path, &time, &error)
                            : draw_curves(arguments, runs, count, what, path, &error);
        if (!done)
            exit_code = mrn_cli_error(arguments, &error);
        else if (arguments->json) {
            json_t *object = json_object();
            json_object_set_new(object, "what", mrn_json_text(what));
            json_object_set_new(object, "output", mrn_json_text(path));
            json_object_set_new(object, "time", mrn_json_number(time));
            mrn_cli_print_json(object);
        } else if (!arguments->quiet)
            printf("written to %s\n", path);
        free(path);
    }
    for (size_t r = 0; r < count; r++) close_run(&runs[r]);
    free(runs);
    return exit_code;
}

#define NAMES_AND_TEXT(code, name, text) "; " name ": " text

const MrnCommand mrn_command_plot = {
    .name = "plot",
    .operands = "[RUN.h5... WHAT]",
    .operand_kind = MRN_VALUE_PLOT,
    .operands_max = -1,
    .summary = "draw a picture of a run, or curves over time",
    .description = "Draws WHAT from a run file: `picture` is the state of one frame with its force chains, everything "
                   "else a curve over time; several "
                   "runs go into one plot of curves. Without arguments lists what can be drawn. The ending of the "
                   "output file decides "
                   "its format: png, svg or pdf.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "FILE", MRN_VALUE_FILE, "file to write, default RUN-WHAT.png"},
            {"time", 0, "TIME", MRN_VALUE_TIME, "picture: the frame nearest to this time, default the last"},
            {"color-by", 0, "NAME", MRN_VALUE_COLOR,
             "picture: what the colour of a body says" MRN_COLOR_BY_LIST(NAMES_AND_TEXT)},
            {"forces", 0, "NAME", MRN_VALUE_FORCES,
             "picture: how contact forces are shown" MRN_FORCE_STYLE_LIST(NAMES_AND_TEXT)},
            {"contacts", 0, NULL, MRN_VALUE_NONE, "picture: mark contacts by open, stick and slip"},
            {"title", 0, "TEXT", MRN_VALUE_TEXT, "line above, default the title of the scene"},
            {"width", 0, "N", MRN_VALUE_COUNT, "width in pixels, or points in svg and pdf"},
            {"height", 0, "N", MRN_VALUE_COUNT, "height"},
            {"colors", 0, "N", MRN_VALUE_COUNT,
             "png: at most this many colours, 2 to 256, for a small file; default all"},
            {"dark", 0, NULL, MRN_VALUE_NONE, "light lines on a dark ground"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"what", "string", "what was drawn"},
            {"output", "string", "file that was written"},
            {"time", "number or null, s", "time of the frame in a picture"},
            {"plots[].name", "string", "without arguments: what can be drawn"},
            {"plots[].text", "string", "without arguments: what it shows"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine plot blocks.h5 picture", "the last frame, in blocks-picture.png"},
            {"moraine plot blocks.h5 picture --time 0.5 --color-by velocity -o fall.svg",
             "an earlier one, coloured by speed"},
            {"moraine plot blocks.h5 energy -o energy.pdf", "energies over time"},
            {"moraine plot a.h5 b.h5 residual", "two runs in one plot"},
            {NULL, NULL},
        },
    .run = run_plot,
};
