// The driver of a run: steps a world to its end time and records it; goes on with a recorded run.
//
// Everything but wall times is a function of the scene and the number of steps done, so that a run that was killed and
// resumed is the same as one that was not: frames are due by step count, and the sums of the summary are part of every
// checkpoint.
#include <moraine/run.h>

#include "base/clock.h"
#include "base/hash.h"
#include "io/run_file.h"
#include "io/run_file_write.h"
#include "model/model.h"
#include "problem/fclib.h"
#include "step/stepper.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define PROGRESS_INTERVAL 0.1  ///< s of wall time between calls of the progress callback
#define ROUNDING          1e-6 ///< of a step: times that are this close are the same

MrnRunOptions mrn_run_defaults(void) {
    return (MrnRunOptions){.until = -1};
}

typedef struct Run {
    MrnWorld *world;
    MrnRunWriter *writer; ///< or NULL
    MrnRunParameters parameters;
    MrnCheckpoint sums;
    const MrnRunOptions *options;
    const char *path; ///< of the run file, or NULL
    int64_t end_step;
    double start_wall, start_cpu;
    bool stopped;
    bool may_gain;       ///< collisions of this scene may create energy
    int64_t dumped_step; ///< whose problem was written last, 0: none
    char dumped[512];
} Run;

static bool set_end(Run *run, double end_time, MrnError *error) {
    double steps = ceil(end_time / run->parameters.time_step - ROUNDING);
    if (!(end_time >= 0) || !(steps < 0x1p53))
        return mrn_fail(error, MRN_ERROR_INPUT, "end time %g s: out of range for a time step of %g s", end_time,
                        run->parameters.time_step);
    run->parameters.end_time = end_time;
    run->end_step = (int64_t)steps;
    return true;
}

/// Number of output times in (0, time of `step`].
static double frames_until(const Run *run, int64_t step) {
    return floor(((double)step + ROUNDING) * run->parameters.time_step / run->parameters.output_interval);
}

static bool frame_is_due(const Run *run, int64_t step) {
    return step == 0 || frames_until(run, step) > frames_until(run, step - 1);
}

static double larger(double a, double b) {
    return isnan(a) || a >= b ? a : b;
} // keeps NaN: it must be seen

/// Share of the kinetic energy that a gain must exceed: below it is rounding and the residual of the solve.
#define GAIN 1e-6

/// Moreau 2003, 6.2: collisions can create energy only where the two restitutions of a law differ. Springs give back
/// what they took.
static bool may_gain_energy(const MrnModel *model, const MrnScheme *scheme) {
    if (strcmp(scheme->stepper, "dem") == 0) return false;
    bool may = model->default_law.normal_restitution != model->default_law.tangential_restitution;
    for (size_t i = 0; i < model->laws.count; i++)
        may |= model->laws.data[i].law.normal_restitution != model->laws.data[i].law.tangential_restitution;
    return may;
}

static void add_to_sums(MrnCheckpoint *sums, const MrnStepInfo *info, bool may_gain) {
    if (may_gain && -info->dissipated_energy > GAIN * info->kinetic_energy)
        sums->energy_gained -= info->dissipated_energy;
    sums->contacts_sum += info->contacts;
    if (info->contacts > sums->contacts_max) sums->contacts_max = info->contacts;
    sums->sweeps_sum += info->sweeps;
    if (info->status != MRN_SOLVED) sums->unsolved_steps++;
    sums->residual_max = larger(sums->residual_max, info->residual);
    sums->scaled_residual_max = larger(sums->scaled_residual_max, info->scaled_residual);
    sums->penetration_max = larger(sums->penetration_max, info->penetration);
    sums->seconds_detect += info->seconds_detect;
    sums->seconds_assemble += info->seconds_assemble;
    sums->seconds_solve += info->seconds_solve;
#define X(type, name, text) sums->name += info->name;
    MRN_COLLISION_COUNTERS(X)
#undef X
}

/// A frame that the schedule asks for counts as part of every later checkpoint.
static void record_frame(Run *run, bool scheduled) {
    if (!run->writer) return;
    mrn_run_writer_frame(run->writer, run->world);
    if (!scheduled) return;
    run->sums.frame_rows = mrn_run_writer_frame_rows(run->writer);
    run->sums.contact_rows = mrn_run_writer_contact_rows(run->writer);
}

static bool checkpoint(Run *run, MrnError *error) {
    return !run->writer || mrn_run_writer_checkpoint(run->writer, mrn_world_state(run->world), &run->sums, error);
}

/// Write the problem of the last step beside the run file, so that it can be solved again alone.
static bool dump_problem(Run *run, int64_t step, MrnError *error) {
    const char *output = run->path ? run->path : "moraine.h5";
    size_t stem = strlen(output);
    if (stem > 3 && strcmp(output + stem - 3, ".h5") == 0) stem -= 3;
    char path[sizeof run->dumped], title[80];
    if (snprintf(path, sizeof path, "%.*s-step-%lld.hdf5", (int)stem, output, (long long)step) >= (int)sizeof path)
        return mrn_fail(error, MRN_ERROR_FILE, "%.200s...: the name is too long to write a problem beside it", output);
    snprintf(title, sizeof title, "step %lld", (long long)step);
    MrnProblem *problem = mrn_world_problem(run->world, NULL, NULL);
    if (!problem) return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "this stepper has no one-step problem to write");
    if (!mrn_fclib_write(path, problem, mrn_world_guess(run->world), title, error)) return false;
    memcpy(run->dumped, path, sizeof path);
    run->dumped_step = step;
    return true;
}

/// May the problem of a step have to be written?
static bool may_dump(const Run *run, int64_t step) {
    int64_t asked = run->options->dump_step;
    return asked ? step == asked : run->dumped_step == 0 && run->path;
}

/// The step that was asked for must be written; the first unsolved one is a courtesy that may fail.
static bool dump_if_wanted(Run *run, const MrnStepInfo *info, MrnError *error) {
    if (info->contacts == 0) {
        if (info->step != run->options->dump_step) return true;
        return mrn_fail(error, MRN_ERROR_INPUT, "step %lld has no contacts: there is no problem to write",
                        (long long)info->step);
    }
    if (info->step == run->options->dump_step) return dump_problem(run, info->step, error);
    if (info->status != MRN_SOLVED && run->dumped_step == 0 && run->path && run->options->dump_step == 0)
        dump_problem(run, info->step, NULL);
    return true;
}

static bool step_to_the_end(Run *run, MrnError *error) {
    const MrnState *state = mrn_world_state(run->world);
    const MrnRunOptions *options = run->options;
    double last_progress = run->start_wall, last_checkpoint = run->start_wall;
    MrnStepInfo info = {0};
    bool stepped = false;
    while (state->step[0] < run->end_step && !run->stopped) {
        mrn_world_keep_guess(run->world, may_dump(run, state->step[0] + 1));
        if (!mrn_world_step(run->world, &info, error)) return false;
        // A run whose first step works has started: now it may take the place of an older one.
        if (!stepped && run->writer && !mrn_run_writer_publish(run->writer, error)) return false;
        stepped = true;
        add_to_sums(&run->sums, &info, run->may_gain);
        if (!dump_if_wanted(run, &info, error)) return false;
        double now = mrn_wall_seconds();
        if (run->writer) {
            mrn_run_writer_step(run->writer, &info);
            mrn_run_writer_life(run->writer, run->world);
            if (frame_is_due(run, state->step[0])) record_frame(run, true);
            // Not after the last step: a run that could be taken up there would miss the frame with which it ends.
            bool last = state->step[0] >= run->end_step;
            if (!last && now - last_checkpoint >= run->parameters.checkpoint_interval) {
                if (!checkpoint(run, error)) return false;
                last_checkpoint = mrn_wall_seconds();
            } else if (!mrn_run_writer_work(run->writer, now, error)) {
                return false;
            }
        }
        if (options->progress && now - last_progress >= PROGRESS_INTERVAL) {
            last_progress = now;
            run->stopped =
                !options->progress(options->progress_context, &info, run->parameters.end_time, now - run->start_wall);
        }
    }
    if (!stepped) return !run->writer || mrn_run_writer_publish(run->writer, error);
    bool ended = state->step[0] >= run->end_step;
    if (ended) {
        run->stopped = false;
        if (!frame_is_due(run, state->step[0])) record_frame(run, false);
        if (options->progress)
            options->progress(options->progress_context, &info, run->parameters.end_time,
                              mrn_wall_seconds() - run->start_wall);
    }
    return checkpoint(run, error);
}

static void summarise(const Run *run, MrnRunSummary *summary) {
    const MrnState *state = mrn_world_state(run->world);
    const MrnCheckpoint *sums = &run->sums;
    double kinetic, potential, steps = (double)state->step[0];
    mrn_world_energy(run->world, &kinetic, &potential);
    *summary = (MrnRunSummary){
        .steps = state->step[0],
        .bodies = (int64_t)state->body_count,
        .contacts_mean = steps > 0 ? (double)sums->contacts_sum / steps : 0,
        .contacts_max = sums->contacts_max,
        .sweeps_mean = steps > 0 ? (double)sums->sweeps_sum / steps : 0,
        .residual_max = sums->residual_max,
        .scaled_residual_max = sums->scaled_residual_max,
        .penetration_max = sums->penetration_max,
        .energy_start = sums->energy_start,
        .energy_gained = sums->energy_gained,
        .energy_end = kinetic + potential,
        .time = state->time[0],
        .wall_seconds = mrn_wall_seconds() - run->start_wall,
        .cpu_seconds = mrn_cpu_seconds() - run->start_cpu,
        .seconds_detect = sums->seconds_detect,
        .seconds_assemble = sums->seconds_assemble,
        .seconds_solve = sums->seconds_solve,
        .unsolved_steps = sums->unsolved_steps,
#define X(type, name, text) .collisions.name = sums->name,
        MRN_COLLISION_COUNTERS(X)
#undef X
            .dumped_step = run->dumped_step,
        .state_hash = mrn_world_hash(run->world),
        .stopped = run->stopped,
    };
    memcpy(summary->dumped, run->dumped, sizeof run->dumped);
}

static bool start(Run *run, const MrnScene *scene, MrnError *error) {
    run->may_gain = may_gain_energy(scene->model, &scene->scheme);
    run->world = mrn_world_new(scene->model, &scene->scheme, error);
    if (!run->world) return false;
    double kinetic, potential;
    mrn_world_energy(run->world, &kinetic, &potential);
    run->sums.energy_start = kinetic + potential;
    run->path = run->options->output;
    if (!run->options->output) return true;
    run->writer = mrn_run_writer_create(run->options->output, scene, &run->parameters, error);
    if (!run->writer) return false;
    record_frame(run, true);
    return checkpoint(run, error);
}

bool mrn_run(MrnScene *scene, const MrnRunOptions *options, MrnRunSummary *summary, MrnError *error) {
    const MrnRunOptions defaults = mrn_run_defaults();
    Run run = {
        .options = options ? options : &defaults, .start_wall = mrn_wall_seconds(), .start_cpu = mrn_cpu_seconds()};
    run.parameters = (MrnRunParameters){
        .output_interval = scene->output_interval,
        .checkpoint_interval = scene->checkpoint_interval,
        .time_step = scene->scheme.time_step,
        .dimension = mrn_model_dimension(scene->model),
        .bodies = (int64_t)mrn_model_body_count(scene->model),
        .threads = scene->scheme.threads,
        .model_hash = mrn_model_hash(scene->model),
        .scheme_hash = mrn_scheme_hash(&scene->scheme),
    };
    bool fine = set_end(&run, run.options->until >= 0 ? run.options->until : scene->duration, error) &&
                start(&run, scene, error) && step_to_the_end(&run, error);
    if (fine && summary) summarise(&run, summary);
    mrn_run_writer_close(run.writer);
    mrn_world_free(run.world);
    return fine;
}

bool mrn_run_fits_scene(const char *path, const MrnRunParameters *parameters, const MrnScene *scene, MrnError *error) {
    if (mrn_model_hash(scene->model) != parameters->model_hash ||
        mrn_scheme_hash(&scene->scheme) != parameters->scheme_hash)
        return mrn_fail(error, MRN_ERROR_FILE,
                        "%s: its scene gives another model or other settings than the run was made with (by another "
                        "version, or by a program that "
                        "changed them): it cannot be stepped on",
                        path);
    return true;
}

static bool take_up(Run *run, const char *path, MrnScene **scene, MrnError *error) {
    run->path = path;
    run->writer = mrn_run_writer_open(path, error);
    if (!run->writer) return false;
    MrnRunLayout *layout = mrn_run_writer_layout(run->writer);
    run->parameters = layout->parameters;
    *scene = mrn_run_layout_scene(layout, error);
    if (!*scene || !mrn_run_fits_scene(path, &run->parameters, *scene, error)) return false;
    if (run->options->threads > 0) run->parameters.threads = run->options->threads;
    if (run->parameters.threads >= 1 && run->parameters.threads <= 4096)
        (*scene)->scheme.threads = (int)run->parameters.threads;
    run->may_gain = may_gain_energy((*scene)->model, &(*scene)->scheme);
    // The checkpoint says how many bodies there were; the model must have them before a world is made of it.
    MrnState *state = mrn_state_new((*scene)->model);
    bool fine = mrn_checkpoint_read(layout, state, &run->sums, error) &&
                mrn_life_read(layout, (uint64_t)run->sums.event_rows, (*scene)->model, error);
    if (fine && (*scene)->model->bodies.count != state->body_count)
        fine =
            mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: its checkpoint has %zu bodies, its events give %zu",
                     path, state->body_count, (*scene)->model->bodies.count);
    if (fine) run->world = mrn_world_new((*scene)->model, &(*scene)->scheme, error);
    if (run->world) {
        mrn_state_copy(mrn_world_state(run->world), state);
        mrn_world_state_changed(run->world);
    }
    mrn_state_free(state);
    if (!run->world) return false;
    if (!set_end(run, run->options->until >= 0 ? run->options->until : run->parameters.end_time, error)) return false;
    if (mrn_world_state(run->world)->step[0] >= run->end_step) return true; // nothing to do: leave the file as it is
    layout->parameters = run->parameters;
    return mrn_run_writer_truncate(run->writer, &run->sums, (*scene)->model, error) &&
           mrn_run_layout_write_parameters(layout, error);
}

bool mrn_resume(const char *path, const MrnRunOptions *options, MrnRunSummary *summary, MrnError *error) {
    const MrnRunOptions defaults = mrn_run_defaults();
    Run run = {
        .options = options ? options : &defaults, .start_wall = mrn_wall_seconds(), .start_cpu = mrn_cpu_seconds()};
    MrnScene *scene = NULL;
    bool fine = take_up(&run, path, &scene, error) && step_to_the_end(&run, error);
    if (fine && summary) summarise(&run, summary);
    mrn_run_writer_close(run.writer);
    mrn_world_free(run.world);
    if (scene) mrn_scene_free(scene);
    return fine;
}
