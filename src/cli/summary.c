// Running under progress and signals, and the report at the end of `run` and `resume`.
#include "cli/summary.h"

#include "cli/progress.h"
#include "cli/viewer.h"

#include <string.h>

const MrnJsonField mrn_summary_fields[] = {
    {"output", "string or null", "run file that was written"},
    {"steps", "integer", "steps since time 0, those before a resume included"},
    {"time", "number, s", "simulated time reached"},
    {"bodies", "integer", "bodies of the scene, obstacles included"},
    {"contacts_mean", "number", "contacts per step, mean over the steps"},
    {"contacts_max", "integer", "contacts per step, most"},
    {"sweeps_mean", "number", "sweeps or iterations of the solver per step, mean"},
    {"residual_max", "number", "largest residual of a step: |p - P_K(p - u^)| / |q|"},
    {"scaled_residual_max", "number",
     "the same with impulses scaled by the mean diagonal of W: the one that the tolerance is about"},
    {"penetration_max", "number, m", "deepest overlap of two bodies in any step"},
    {"energy_start", "number, J", "kinetic and potential energy at the start"},
    {"energy_end", "number, J", "kinetic and potential energy at the end"},
    {"energy_gained", "number, J",
     "energy that collisions created, which happens to long bodies when the two restitutions of a law differ"},
    {"unsolved_steps", "integer", "steps whose solver did not reach the tolerance; exit code 3 when there are any"},
    {"dumped_step", "integer",
     "step whose problem was written as an FCLIB file: the one asked for, or the first unsolved; 0: none"},
    {"dumped", "string", "that file"},
    {"wall_seconds", "number, s", "wall time of this call"},
    {"cpu_seconds", "number, s", "processor time of this call, all threads"},
#define X(type, name, text) {"collisions." #name, "integer", text},
    MRN_COLLISION_COUNTERS(X)
#undef X
        {"seconds.detect", "number, s", "wall time of all steps: finding contacts"},
    {"seconds.assemble", "number, s", "wall time of all steps: building the one-step problems"},
    {"seconds.solve", "number, s", "wall time of all steps: solving them"},
    {"state_hash", "string", "hash of the whole final state, 16 hexadecimal digits: same bits, same hash"},
    {"stopped", "boolean", "a signal stopped the run before its end"},
    {NULL, NULL, NULL},
};

json_t *mrn_json_collisions(const MrnCollisionCount *count) {
    json_t *object = json_object();
#define X(type, name, text) json_object_set_new(object, #name, json_integer(count->name));
    MRN_COLLISION_COUNTERS(X)
#undef X
    return object;
}

void mrn_print_collisions(const MrnCollisionCount *count) {
    if (!count->lcp_solves) return;
    printf("  collisions   %lld in %lld groups; %lld of %lld complementarity problems without a solution\n",
           (long long)count->collisions, (long long)count->components, (long long)count->lcp_failures,
           (long long)count->lcp_solves);
    printf(
        "               solved after retries %lld, by sweeps for Lemke %lld, by Lemke for sweeps %lld, relaxed %lld\n",
        (long long)count->lcp_retries, (long long)count->lcp_replaced, (long long)count->lcp_unswept,
        (long long)count->lcp_relaxed);
    printf("               energy control: Newton's law %lld times, of them plastic %lld; sub-steps undone %lld\n",
           (long long)count->newton_fallbacks, (long long)count->plastic_fallbacks, (long long)count->rollbacks);
}

static json_t *summary_json(const MrnRunSummary *s, const char *path) {
    json_t *object = json_object(), *seconds = json_object();
    json_object_set_new(seconds, "detect", mrn_json_number(s->seconds_detect));
    json_object_set_new(seconds, "assemble", mrn_json_number(s->seconds_assemble));
    json_object_set_new(seconds, "solve", mrn_json_number(s->seconds_solve));
    json_object_set_new(object, "output", mrn_json_text(path));
    json_object_set_new(object, "steps", json_integer(s->steps));
    json_object_set_new(object, "time", mrn_json_number(s->time));
    json_object_set_new(object, "bodies", json_integer(s->bodies));
    json_object_set_new(object, "contacts_mean", mrn_json_number(s->contacts_mean));
    json_object_set_new(object, "contacts_max", json_integer(s->contacts_max));
    json_object_set_new(object, "sweeps_mean", mrn_json_number(s->sweeps_mean));
    json_object_set_new(object, "residual_max", mrn_json_number(s->residual_max));
    json_object_set_new(object, "scaled_residual_max", mrn_json_number(s->scaled_residual_max));
    json_object_set_new(object, "penetration_max", mrn_json_number(s->penetration_max));
    json_object_set_new(object, "energy_start", mrn_json_number(s->energy_start));
    json_object_set_new(object, "energy_end", mrn_json_number(s->energy_end));
    json_object_set_new(object, "energy_gained", mrn_json_number(s->energy_gained));
    json_object_set_new(object, "unsolved_steps", json_integer(s->unsolved_steps));
    json_object_set_new(object, "dumped_step", json_integer(s->dumped_step));
    json_object_set_new(object, "dumped", json_string(s->dumped));
    json_object_set_new(object, "wall_seconds", mrn_json_number(s->wall_seconds));
    json_object_set_new(object, "cpu_seconds", mrn_json_number(s->cpu_seconds));
    json_object_set_new(object, "seconds", seconds);
    json_object_set_new(object, "collisions", mrn_json_collisions(&s->collisions));
    json_object_set_new(object, "state_hash", mrn_json_hash(s->state_hash));
    json_object_set_new(object, "stopped", json_boolean(s->stopped));
    return object;
}

static void print_summary(const MrnRunSummary *s, const char *path) {
    printf("%lld step%s to t = %.6g s in %.3g s of wall time\n", (long long)s->steps, s->steps == 1 ? "" : "s", s->time,
           s->wall_seconds);
    printf("  bodies       %lld\n", (long long)s->bodies);
    printf("  contacts     %.4g per step, at most %lld\n", s->contacts_mean, (long long)s->contacts_max);
    printf("  sweeps       %.4g per step\n", s->sweeps_mean);
    printf("  residual     %.2e at worst, scaled %.2e, %lld unsolved steps\n", s->residual_max, s->scaled_residual_max,
           (long long)s->unsolved_steps);
    printf("  penetration  %.2e m at worst\n", s->penetration_max);
    printf("  energy       %.6g J at the start, %.6g J at the end\n", s->energy_start, s->energy_end);
    mrn_print_collisions(&s->collisions);
    printf("  wall time    %.3g s finding contacts, %.3g s building problems, %.3g s solving them\n", s->seconds_detect,
           s->seconds_assemble, s->seconds_solve);
    printf("  state hash   %016llx\n", (unsigned long long)s->state_hash);
    if (path) printf("written to %s\n", path);
}

static void say_how_to_resume(const MrnRunSummary *s, const MrnRunJob *job, const MrnArguments *arguments) {
    fprintf(stderr, "moraine: stopped at t = %.6g s", s->time);
    if (job->path) {
        fputs("; go on with: moraine resume ", stderr);
        mrn_cli_shell_quote(stderr, job->path);
        const char *until = mrn_argument_text(arguments, "until", NULL);
        if (until) fprintf(stderr, " --until %s", until);
    }
    putc('\n', stderr);
}

int mrn_cli_run(const MrnArguments *arguments, const MrnRunJob *job) {
    MrnProgressLine line = mrn_progress_start(arguments);
    MrnRunOptions options = mrn_run_defaults();
    options.output = job->path;
    options.until = mrn_argument_number(arguments, "until", -1);
    options.threads = (int)mrn_argument_number(arguments, "threads", 0);
    options.dump_step = (int64_t)mrn_argument_number(arguments, "dump-problem", 0);
    options.progress = mrn_progress_show;
    options.progress_context = &line;
    MrnRunSummary summary = {0};
    MrnError error = {0};
    mrn_signals_catch();
    bool done = job->scene ? mrn_run(job->scene, &options, &summary, &error)
                           : mrn_resume(job->path, &options, &summary, &error);
    mrn_progress_end(&line);
    if (!done) {
        int code = mrn_cli_error(arguments, &error);
        if (job->viewer) mrn_viewer_end(job->viewer, true);
        return code;
    }

    if (arguments->json)
        mrn_cli_print_json(summary_json(&summary, job->path));
    else if (!arguments->quiet)
        print_summary(&summary, job->path);
    if (!job->scene && options.until >= 0 && summary.time > options.until)
        mrn_cli_warn("nothing to do: the run is at t = %.6g s already", summary.time);
    if (summary.energy_gained > 0)
        mrn_cli_warn(
            "collisions created %.4g J: the normal and tangential restitutions of a law differ, which is not sound "
            "for long bodies; equal ones never create energy",
            summary.energy_gained);
    if (summary.unsolved_steps > 0)
        mrn_cli_warn("%lld of %lld steps did not reach the tolerance; worst scaled residual %.2e",
                     (long long)summary.unsolved_steps, (long long)summary.steps, summary.scaled_residual_max);
    if (summary.dumped_step > 0 && !arguments->quiet)
        fprintf(stderr, "the problem of step %lld is in %s: moraine solve takes it alone\n",
                (long long)summary.dumped_step, summary.dumped);
    if (job->viewer) {
        fflush(stdout);
        mrn_viewer_end(job->viewer, summary.stopped);
    }
    if (summary.stopped) {
        say_how_to_resume(&summary, job, arguments);
        if (mrn_signal_caught()) {
            fflush(stdout);
            mrn_signal_raise(mrn_signal_caught());
        }
    }
    return summary.unsolved_steps > 0 ? MRN_EXIT_UNSOLVED : MRN_EXIT_DONE;
}
