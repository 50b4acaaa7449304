// moraine movie: a film of a run through ffmpeg.
#include "cli/job.h"

#include "draw/movie.h"

#include <stdlib.h>
#include <string.h>

/// Exit code of a wrong name in an option; MRN_EXIT_DONE if all are known.
static int read_options(const MrnArguments *arguments, MrnMovieOptions *options) {
    const char *color = mrn_argument_text(arguments, "color-by", NULL),
               *forces = mrn_argument_text(arguments, "forces", NULL),
               *frames = mrn_argument_text(arguments, "frames", NULL);
    if (color && mrn_draw_color_by(color) < 0)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --color-by does not know '%s' (see moraine movie --help)", color);
    if (forces && mrn_draw_force_style(forces) < 0)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --forces does not know '%s' (see moraine movie --help)", forces);
    if (frames && !mrn_cli_frame_range(frames, &options->first, &options->last))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "option --frames wants a number or a range like 10:20, not '%s'", frames);
    MrnDrawOptions *draw = &options->draw;
    if (color) draw->color_by = (MrnColorBy)mrn_draw_color_by(color);
    if (forces) draw->forces = (MrnForceStyle)mrn_draw_force_style(forces);
    draw->width = (int)mrn_argument_number(arguments, "width", draw->width);
    draw->height = (int)mrn_argument_number(
        arguments, "height", mrn_argument_given(arguments, "width") ? 0.5625 * draw->width : draw->height);
    draw->theme = mrn_argument_given(arguments, "dark") ? MRN_THEME_DARK : MRN_THEME_LIGHT;
    draw->contacts = mrn_argument_given(arguments, "contacts");
    draw->labels = !mrn_argument_given(arguments, "no-labels");
    options->rate = mrn_argument_number(arguments, "fps", options->rate);
    options->speed = mrn_argument_number(arguments, "speed", options->speed);
    options->smooth = mrn_argument_given(arguments, "smooth");
    options->threads = (int)mrn_argument_number(arguments, "threads", options->threads);
    if (options->smooth && !(options->speed > 0))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "option --smooth goes with --speed");
    return MRN_EXIT_DONE;
}

static int report(const MrnArguments *arguments, const MrnMovieSummary *summary, const char *path) {
    if (summary->stopped) {
        mrn_cli_warn("stopped: no film was written");
        mrn_job_raise();
        return MRN_EXIT_CANNOT;
    }
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set_new(object, "output", mrn_json_text(path));
        json_object_set_new(object, "pictures", json_integer((json_int_t)summary->pictures));
        json_object_set_new(object, "width", json_integer(summary->width));
        json_object_set_new(object, "height", json_integer(summary->height));
        json_object_set_new(object, "length", mrn_json_number(summary->length));
        json_object_set_new(object, "speed", mrn_json_number(summary->speed));
        json_object_set_new(object, "wall_seconds", mrn_json_number(summary->wall_seconds));
        mrn_cli_print_json(object);
    } else if (!arguments->quiet) {
        printf("%zu pictures of %d x %d, %.3g s of film at %.3g times real time, in %.2g s\nwritten to %s\n",
               summary->pictures, summary->width, summary->height, summary->length, summary->speed,
               summary->wall_seconds, path);
    }
    return MRN_EXIT_DONE;
}

static int run_movie(const MrnArguments *arguments) {
    int exit_code = MRN_EXIT_DONE;
    MrnRunFile *file = mrn_cli_open_run(arguments, &exit_code);
    if (!file) return exit_code;
    MrnError error = {0};
    MrnScene *scene = mrn_run_file_scene(file, &error);
    if (!scene) {
        mrn_run_file_close(file);
        return mrn_cli_error(arguments, &error);
    }
    MrnMovieOptions options = mrn_movie_defaults(mrn_model_dimension(scene->model));
    options.draw.time_step = scene->scheme.time_step;
    options.draw.title = mrn_argument_text(arguments, "title", scene->title);
    exit_code = read_options(arguments, &options);
    if (exit_code == MRN_EXIT_DONE) {
        char *beside = mrn_cli_beside(arguments->operands[0], ".mp4");
        const char *path = mrn_argument_text(arguments, "output", beside);
        MrnJobLine line = mrn_job_start(arguments, "picture");
        options.progress = mrn_job_show;
        options.progress_context = &line;
        MrnMovieSummary summary;
        bool done = mrn_movie_write(file, scene, &options, path, &summary, &error);
        mrn_job_end(&line);
        exit_code = done ? report(arguments, &summary, path) : mrn_cli_error(arguments, &error);
        free(beside);
    }
    mrn_scene_free(scene);
    mrn_run_file_close(file);
    return exit_code;
}

#define NAMES_AND_TEXT(code, name, text) "; " name ": " text

const MrnCommand mrn_command_movie = {
    .name = "movie",
    .operands = "RUN.h5",
    .operand_kind = MRN_VALUE_RUN,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "make a film of a run",
    .description =
        "Draws the frames of a run with one camera and one colour scale and hands them to ffmpeg, which must be "
        "installed (or named by the environment variable MORAINE_FFMPEG). The ending of the output file decides "
        "its format: mp4, webm or gif. Without --speed each frame is shown once; with it, the film keeps that "
        "many simulated seconds per second.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "FILE", MRN_VALUE_FILE, "film to write, default RUN.mp4"},
            {"speed", 0, "X", MRN_VALUE_POSITIVE,
             "simulated seconds per second of film: 1 is real time, 0.1 slow motion"},
            {"fps", 0, "N", MRN_VALUE_POSITIVE, "pictures per second, 1 to 240, default 30"},
            {"smooth", 0, NULL, MRN_VALUE_NONE, "with --speed: move bodies between frames too"},
            {"frames", 0, "RANGE", MRN_VALUE_TEXT, "these frames: 10:20 (both included), 10: or :20; default all"},
            {"width", 0, "N", MRN_VALUE_COUNT, "width in pixels, default 1280"},
            {"height", 0, "N", MRN_VALUE_COUNT, "height, default 9/16 of the width"},
            {"color-by", 0, "NAME", MRN_VALUE_COLOR,
             "what the colour of a body says" MRN_COLOR_BY_LIST(NAMES_AND_TEXT)},
            {"forces", 0, "NAME", MRN_VALUE_FORCES,
             "how contact forces are shown" MRN_FORCE_STYLE_LIST(NAMES_AND_TEXT)},
            {"contacts", 0, NULL, MRN_VALUE_NONE, "mark contacts by open, stick and slip"},
            {"title", 0, "TEXT", MRN_VALUE_TEXT, "line above, default the title of the scene"},
            {"no-labels", 0, NULL, MRN_VALUE_NONE, "no time, scale bar and legend"},
            {"dark", 0, NULL, MRN_VALUE_NONE, "light lines on a dark ground"},
            {"threads", 0, "N", MRN_VALUE_THREADS, "threads that draw, default one per processor"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"output", "string", "film that was written"},
            {"pictures", "integer", "pictures in it"},
            {"width", "integer", "pixels"},
            {"height", "integer", "pixels"},
            {"length", "number, s", "of the film"},
            {"speed", "number", "simulated seconds per second of film"},
            {"wall_seconds", "number, s", "time it took"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine movie blocks.h5", "every frame, 30 per second, in blocks.mp4"},
            {"moraine movie blocks.h5 --speed 0.25 --smooth --color-by velocity -o slow.webm",
             "slow motion, four times slower than real"},
            {NULL, NULL},
        },
    .run = run_movie,
};
