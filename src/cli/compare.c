// moraine compare: one scene under several steppers or solvers, one table and one picture.
#include "cli/compare.h"

#include "cli/input.h"
#include "cli/progress.h"
#include "base/clock.h"
#include "io/scene_yaml.h"
#include "model/model.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_stepper(const char *name, size_t length) {
    for (size_t i = 0; i < mrn_stepper_count(); i++) {
        const char *stepper = mrn_stepper_at(i).name;
        if (strlen(stepper) == length && strncmp(stepper, name, length) == 0) return true;
    }
    return false;
}

static bool is_solver(const char *name) {
    for (size_t i = 0; i < mrn_solver_count(); i++)
        if (strcmp(mrn_solver_at(i)->name, name) == 0) return true;
    return false;
}

/// Names of steppers and solvers, for hints; free() the array.
static const char **all_names(size_t *count) {
    const char **names = mrn_alloc(mrn_stepper_count() + mrn_solver_count() + 1, sizeof *names);
    *count = 0;
    for (size_t i = 0; i < mrn_stepper_count(); i++) names[(*count)++] = mrn_stepper_at(i).name;
    for (size_t i = 0; i < mrn_solver_count(); i++) names[(*count)++] = mrn_solver_at(i)->name;
    return names;
}

/// Stepper and solver that a name means. False with an exit code after saying what is wrong.
static bool resolve(const MrnArguments *arguments, const MrnScene *scene, MrnComparison *method, int *exit_code) {
    const char *name = method->name, *slash = strchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : strlen(name);
    if (is_stepper(name, length) && (!slash || is_solver(slash + 1))) {
        method->stepper = mrn_strdup(name);
        method->stepper[length] = 0;
        method->solver = mrn_strdup(slash ? slash + 1 : scene->scheme.solver.solver);
        return true;
    }
    if (!slash && is_solver(name)) { // a solver alone: of the stepper that has problems to solve
        method->stepper = mrn_strdup("moreau-jean");
        method->solver = mrn_strdup(name);
        return true;
    }
    size_t count;
    const char **names = all_names(&count);
    const char *wrong = slash && is_stepper(name, length) ? slash + 1 : name,
               *near = mrn_nearest_word(wrong, names, count);
    if (near)
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                  "'%.100s' is neither a stepper nor a solver; did you mean '%s'?", wrong, near);
    else {
        char steppers[300] = "";
        for (size_t i = 0; i < mrn_stepper_count(); i++) {
            size_t used = strlen(steppers);
            snprintf(steppers + used, sizeof steppers - used, "%s%s", i ? ", " : "", mrn_stepper_at(i).name);
        }
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                  "'%.100s' is neither a stepper (%s) nor a solver (moraine solvers lists them)", wrong,
                                  steppers);
    }
    free(names);
    return false;
}

/// Split A,B,... into methods.
static MrnComparison *read_methods(const MrnArguments *arguments, const MrnScene *scene, size_t *count,
                                   int *exit_code) {
    const char *list = mrn_argument_text(arguments, "with", "");
    MrnComparison *methods = mrn_alloc_zero(strlen(list) + 1, sizeof *methods);
    *count = 0;
    for (const char *at = list, *end; *at || at == list; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        MrnComparison *method = &methods[(*count)++];
        method->name = mrn_alloc((size_t)(end - at) + 1, 1);
        memcpy(method->name, at, (size_t)(end - at));
        method->name[end - at] = 0;
        if (!resolve(arguments, scene, method, exit_code)) return methods;
        for (size_t i = 0; i + 1 < *count; i++)
            if (strcmp(methods[i].name, method->name) == 0) {
                *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "'%s' is given twice", method->name);
                return methods;
            }
    }
    if (*count < 2)
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                  "--with wants at least two names, for example --with moreau-jean,dem");
    return methods;
}

/// The end of a world, for the picture.
static MrnFrame take_frame(MrnWorld *world) {
    const MrnState *state = mrn_world_state(world);
    size_t n = state->body_count, dim = (size_t)state->dimension, turn = dim == 2 ? 1 : 4, spin = dim == 2 ? 1 : 3;
    MrnFrame frame = {.time = state->time[0], .step = state->step[0], .body_count = n};
    frame.contact_count = mrn_world_contact_count(world);
    frame.position = memcpy(mrn_alloc(n * dim + 1, sizeof(double)), state->position, n * dim * sizeof(double));
    frame.rotation = memcpy(mrn_alloc(n * turn + 1, sizeof(double)), state->rotation, n * turn * sizeof(double));
    frame.velocity = memcpy(mrn_alloc(n * dim + 1, sizeof(double)), state->velocity, n * dim * sizeof(double));
    frame.spin = memcpy(mrn_alloc(n * spin + 1, sizeof(double)), state->spin, n * spin * sizeof(double));
    frame.active = memcpy(mrn_alloc(n + 1, 1), state->active, n);
    frame.contacts = mrn_alloc_zero(frame.contact_count + 1, sizeof *frame.contacts);
    for (size_t c = 0; c < frame.contact_count; c++) frame.contacts[c] = mrn_world_contact(world, c);
    return frame;
}

static void add_step(MrnComparison *method, const MrnStepInfo *info) {
    method->steps++;
    method->substeps += info->substeps;
    method->contacts_mean += (double)info->contacts;
    if (info->contacts > method->contacts_max) method->contacts_max = info->contacts;
    method->penetration_max = fmax(method->penetration_max, info->penetration);
    method->residual_max = fmax(method->residual_max, info->residual);
    method->certified |= info->sweeps > 0 || info->residual > 0;
    method->unsolved_steps += info->status != MRN_SOLVED;
    method->dissipated += info->dissipated_energy;
    method->kinetic = info->kinetic_energy;
    method->energy_end = info->kinetic_energy + info->potential_energy + info->elastic_energy;
    mrn_array_push(&method->time, info->time);
    mrn_array_push(&method->kinetic_curve, info->kinetic_energy);
    mrn_array_push(&method->total_curve, method->energy_end);
}

static void run_method(const MrnArguments *arguments, const MrnScene *scene, double until, MrnComparison *method) {
    MrnScheme scheme = scene->scheme;
    scheme.stepper = method->stepper;
    if (strcmp(scheme.solver.solver, method->solver) != 0) scheme.solver.options = NULL; // those of another solver
    scheme.solver.solver = method->solver;
    MrnError error = {0};
    MrnProgressLine line = mrn_progress_start(arguments);
    if (!arguments->quiet) fprintf(stderr, "%s\n", method->name);
    double wall = mrn_wall_seconds(), cpu = cpu_now();
    MrnWorld *world = mrn_world_new(scene->model, &scheme, &error);
    bool good = world != NULL;
    if (good) {
        double kinetic, potential;
        mrn_world_energy(world, &kinetic, &potential);
        method->energy_start = kinetic + potential;
    }
    double steps = ceil(until / scheme.time_step - 1e-6);
    for (double k = 0; good && k < steps; k++) {
        MrnStepInfo info = {0};
        good = mrn_world_step(world, &info, &error) && !mrn_signal_caught();
        if (good) add_step(method, &info);
        if (good) mrn_progress_show(&line, &info, until, mrn_wall_seconds() - wall);
    }
    mrn_progress_end(&line);
    method->cpu_seconds = cpu_now() - cpu, method->wall_seconds = mrn_wall_seconds() - wall;
    if (method->steps) method->contacts_mean /= (double)method->steps;
    method->done = good;
    if (good)
        method->frame = take_frame(world);
    else
        snprintf(method->reason, sizeof method->reason, "%s", mrn_signal_caught() ? "stopped" : error.message);
    mrn_world_free(world);
}

/// How far the end of a method is from that of the first that ran.
static void measure_differences(const MrnScene *scene, const MrnComparison *first, MrnComparison *method) {
    const MrnModel *model = scene->model;
    size_t dim = (size_t)model->dimension, count = 0;
    double sum2 = 0, most2 = 0, mass = 0, centre[3] = {0};
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind != MRN_BODY_FREE || !method->frame.active[b] || !first->frame.active[b])
            continue;
        double distance2 = 0, m = model->bodies.data[b].mass;
        for (size_t k = 0; k < dim; k++) {
            double d = method->frame.position[b * dim + k] - first->frame.position[b * dim + k];
            distance2 += d * d;
            centre[k] += m * d;
        }
        sum2 += distance2, most2 = fmax(most2, distance2), mass += m, count++;
    }
    double c2 = 0;
    for (size_t k = 0; k < dim && mass > 0; k++) c2 += centre[k] / mass * (centre[k] / mass);
    method->rms_distance = count ? sqrt(sum2 / (double)count) : 0;
    method->max_distance = sqrt(most2);
    method->centre_distance = sqrt(c2);
    method->kinetic_difference = method->kinetic - first->kinetic;
}

static json_t *method_json(const MrnComparison *method) {
    json_t *entry = json_object();
    bool done = method->done;
#define NUMBER(key, value) json_object_set_new(entry, key, done ? mrn_json_number(value) : json_null())
#define WHOLE(key, value)  json_object_set_new(entry, key, done ? json_integer(value) : json_null())
    json_object_set_new(entry, "name", mrn_json_text(method->name));
    json_object_set_new(entry, "stepper", mrn_json_text(method->stepper));
    json_object_set_new(entry, "solver", mrn_json_text(method->solver));
    json_object_set_new(entry, "done", json_boolean(done));
    json_object_set_new(entry, "reason", done ? json_null() : mrn_json_text(method->reason));
    WHOLE("steps", method->steps);
    WHOLE("substeps", method->substeps);
    NUMBER("cpu_seconds", method->cpu_seconds);
    NUMBER("wall_seconds", method->wall_seconds);
    NUMBER("contacts_mean", method->contacts_mean);
    WHOLE("contacts_max", method->contacts_max);
    NUMBER("penetration_max", method->penetration_max);
    json_object_set_new(entry, "residual_max",
                        done && method->certified ? mrn_json_number(method->residual_max) : json_null());
    WHOLE("unsolved_steps", method->unsolved_steps);
    NUMBER("energy_start", method->energy_start);
    NUMBER("energy_end", method->energy_end);
    NUMBER("kinetic_energy", method->kinetic);
    NUMBER("dissipated_energy", method->dissipated);
    NUMBER("rms_distance", method->rms_distance);
    NUMBER("max_distance", method->max_distance);
    NUMBER("centre_distance", method->centre_distance);
    NUMBER("kinetic_difference", method->kinetic_difference);
#undef NUMBER
#undef WHOLE
    return entry;
}

/// One line of the table: a name, and a text for each method.
typedef struct Line {
    const char *name;
    void (*write)(const MrnComparison *method, char *text, size_t size);
} Line;

#define LINE(function, ...)                                                                                            \
    static void function(const MrnComparison *m, char *text, size_t size) {                                            \
        snprintf(text, size, __VA_ARGS__);                                                                             \
    }
LINE(write_steps, "%lld", (long long)m->steps)
LINE(write_substeps, "%.4g", m->steps ? (double)m->substeps / (double)m->steps : 0)
LINE(write_cpu, "%.3g s", m->cpu_seconds)
LINE(write_contacts, "%.4g / %lld", m->contacts_mean, (long long)m->contacts_max)
LINE(write_penetration, "%.2e m", m->penetration_max)
LINE(write_unsolved, "%lld", (long long)m->unsolved_steps)
LINE(write_energy_start, "%.6g J", m->energy_start)
LINE(write_energy, "%.6g J", m->energy_end)
LINE(write_dissipated, "%.6g J", m->dissipated)
LINE(write_kinetic, "%.4g J", m->kinetic)
LINE(write_kinetic_difference, "%+.3g J", m->kinetic_difference)
LINE(write_rms, "%.3e m", m->rms_distance)
LINE(write_max, "%.3e m", m->max_distance)
LINE(write_centre, "%.3e m", m->centre_distance)
static void write_residual(const MrnComparison *m, char *text, size_t size) {
    if (m->certified)
        snprintf(text, size, "%.2e", m->residual_max);
    else
        snprintf(text, size, "none to solve");
}

static void print_table(const MrnComparison *methods, size_t count) {
    static const Line lines[] = {{"steps", write_steps},
                                 {"sub-steps in a step", write_substeps},
                                 {"CPU time", write_cpu},
                                 {"contacts, mean / most", write_contacts},
                                 {"penetration, deepest", write_penetration},
                                 {"residual, worst", write_residual},
                                 {"steps not solved", write_unsolved},
                                 {"energy at the start", write_energy_start},
                                 {"energy at the end", write_energy},
                                 {"energy dissipated", write_dissipated},
                                 {"kinetic energy, end", write_kinetic},
                                 {"  against the first", write_kinetic_difference},
                                 {"distance, rms", write_rms},
                                 {"distance, largest", write_max},
                                 {"distance, mass centre", write_centre}};
    int width = 16;
    for (size_t m = 0; m < count; m++)
        if ((int)strlen(methods[m].name) > width) width = (int)strlen(methods[m].name);
    printf("%-24s", "");
    for (size_t m = 0; m < count; m++)
        if (methods[m].done) printf("  %*s", width, methods[m].name);
    putchar('\n');
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        printf("%-24s", lines[i].name);
        for (size_t m = 0; m < count; m++) {
            if (!methods[m].done) continue;
            char text[64];
            lines[i].write(&methods[m], text, sizeof text);
            printf("  %*s", width, text);
        }
        putchar('\n');
    }
    for (size_t m = 0; m < count; m++)
        if (!methods[m].done) printf("%s cannot run this scene: %s\n", methods[m].name, methods[m].reason);
}

/// SCENE without its folder and ending, "-compare.png", in the current folder.
static char *default_output(const char *scene) {
    const char *colon = strncmp(scene, "gallery:", 8) == 0 ? scene + 7 : NULL, *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : colon ? colon + 1 : strcmp(scene, "-") == 0 ? "scene" : scene;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *path = mrn_alloc((size_t)length + 16, 1);
    sprintf(path, "%.*s-compare.png", length, name);
    return path;
}

/// Run all, say how it went; the exit code.
static int compare(const MrnArguments *arguments, const MrnScene *scene, MrnComparison *methods, size_t count) {
    double until = mrn_argument_number(arguments, "until", scene->duration);
    const MrnComparison *first = NULL;
    bool unsolved = false;
    mrn_signals_catch();
    for (size_t m = 0; m < count && !mrn_signal_caught(); m++) {
        run_method(arguments, scene, until, &methods[m]);
        if (!methods[m].done) continue;
        if (!first) first = &methods[m];
        measure_differences(scene, first, &methods[m]);
        unsolved |= methods[m].unsolved_steps > 0;
    }
    if (mrn_signal_caught()) mrn_signal_raise(mrn_signal_caught());
    char *path = NULL;
    MrnError error = {0};
    if (first && !mrn_argument_given(arguments, "no-picture")) {
        const char *given = mrn_argument_text(arguments, "output", NULL);
        path = given ? mrn_strdup(given) : default_output(arguments->operands[0]);
        if (!mrn_compare_picture(scene, methods, count, &error, path)) {
            free(path);
            path = NULL;
            // A picture that was asked for must come; the default one may be missing in a build without cairo.
            if (given || error.code != MRN_ERROR_UNSUPPORTED) return mrn_cli_error(arguments, &error);
            mrn_cli_warn("no picture: %s", error.message);
        }
    }
    if (arguments->json) {
        json_t *object = json_object(), *list = json_array();
        for (size_t m = 0; m < count; m++) json_array_append_new(list, method_json(&methods[m]));
        json_object_set_new(object, "scene", mrn_json_text(scene->name));
        json_object_set_new(object, "until", mrn_json_number(until));
        json_object_set_new(object, "first", mrn_json_text(first ? first->name : NULL));
        json_object_set_new(object, "picture", mrn_json_text(path));
        json_object_set_new(object, "methods", list);
        mrn_cli_print_json(object);
    } else if (!arguments->quiet) {
        print_table(methods, count);
        if (path) printf("picture in %s\n", path);
    }
    free(path);
    if (!first) mrn_cli_warn("no method could run this scene");
    if (unsolved) mrn_cli_warn("some steps did not reach the tolerance");
    return !first || unsolved ? MRN_EXIT_UNSOLVED : MRN_EXIT_DONE;
}

static int run_compare(const MrnArguments *arguments) {
    int exit_code = MRN_EXIT_CANNOT;
    if (!mrn_argument_given(arguments, "with"))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "compare wants --with and names, for example --with moreau-jean,dem");
    if (mrn_argument_given(arguments, "no-picture") && mrn_argument_given(arguments, "output"))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "--output and --no-picture exclude each other");
    MrnScene *scene = mrn_cli_read_scene(arguments, &exit_code);
    if (!scene) return exit_code;
    size_t count;
    exit_code = MRN_EXIT_DONE;
    MrnComparison *methods = read_methods(arguments, scene, &count, &exit_code);
    if (exit_code == MRN_EXIT_DONE) exit_code = compare(arguments, scene, methods, count);
    for (size_t m = 0; m < count; m++) {
        free(methods[m].name);
        free(methods[m].stepper);
        free(methods[m].solver);
        mrn_array_free(&methods[m].time);
        mrn_array_free(&methods[m].kinetic_curve);
        mrn_array_free(&methods[m].total_curve);
        mrn_frame_free(&methods[m].frame);
    }
    free(methods);
    mrn_scene_free(scene);
    return exit_code;
}

const MrnCommand mrn_command_compare = {
    .name = "compare",
    .operands = "SCENE",
    .operand_kind = MRN_VALUE_SCENE,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "run a scene under several methods and set them side by side",
    .description =
        "Runs SCENE under each of the methods of --with: a stepper (moreau-jean, event-driven, dem), a solver (moraine "
        "solvers lists them; under moreau-jean), or both as stepper/solver. Prints one table: cost, contacts, "
        "penetration, energies, residual, and how far the end is from that of the first method; and draws one picture: "
        "the final states side by side and the energies over time.\n\n"
        "A method that cannot run the scene says why and the others go on. Springs of dem are those of the section dem "
        "of the scene, or chosen such that overlaps stay near 1 % of a radius. Where many bodies collide, small "
        "differences grow: then positions differ body by body, and the mass centre and the energies say whether the "
        "outcome is the same.",
    .options =
        (const MrnOption[]){
            {"with", 'w', "A,B,...", MRN_VALUE_TEXT, "methods to compare, two or more"},
            {"output", 'o', "FILE", MRN_VALUE_FILE, "picture to write (png, svg or pdf), default SCENE-compare.png"},
            {"no-picture", 0, NULL, MRN_VALUE_NONE, "draw nothing"},
            {"set", 's', "PATH=VALUE", MRN_VALUE_ASSIGNMENT, "replace or add a value of the scene; may be repeated"},
            {"until", 'u', "TIME", MRN_VALUE_TIME,
             "end at this time, in seconds or with a unit, instead of the scene's duration"},
            {"threads", 't', "N", MRN_VALUE_THREADS, "threads to use, instead of the scene's number"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"scene", "string", "the scene"},
            {"until", "number, s", "time at which the runs end"},
            {"first", "string or null", "method that the others are measured against"},
            {"picture", "string or null", "file that was written"},
            {"methods[].name", "string", "as given"},
            {"methods[].stepper", "string", "stepper of this row"},
            {"methods[].solver", "string", "solver of this row, for steppers that solve problems"},
            {"methods[].done", "boolean", "the scene ran to its end"},
            {"methods[].reason", "string or null", "why not; then all numbers are null"},
            {"methods[].steps", "integer or null", "steps"},
            {"methods[].substeps", "integer or null", "shorter steps within them, all together"},
            {"methods[].cpu_seconds", "number or null, s", "processor time"},
            {"methods[].wall_seconds", "number or null, s", "wall time"},
            {"methods[].contacts_mean", "number or null", "contacts per step, mean"},
            {"methods[].contacts_max", "integer or null", "contacts per step, most"},
            {"methods[].penetration_max", "number or null, m", "deepest overlap"},
            {"methods[].residual_max", "number or null", "largest residual of a step; null where nothing is solved"},
            {"methods[].unsolved_steps", "integer or null",
             "steps whose solver did not reach the tolerance; exit code 3 when there are any"},
            {"methods[].energy_start", "number or null, J", "kinetic and potential energy at the start"},
            {"methods[].energy_end", "number or null, J", "kinetic, potential and elastic energy at the end"},
            {"methods[].kinetic_energy", "number or null, J", "at the end"},
            {"methods[].dissipated_energy", "number or null, J", "by contacts"},
            {"methods[].rms_distance", "number or null, m",
             "of the final positions of free bodies from those of the first method, root of the mean square"},
            {"methods[].max_distance", "number or null, m", "the largest of them"},
            {"methods[].centre_distance", "number or null, m", "of the mass centres"},
            {"methods[].kinetic_difference", "number or null, J", "of the kinetic energies at the end"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine compare gallery:compare_rebound --with moreau-jean,event-driven,dem",
             "a bouncing ball three ways"},
            {"moraine compare gallery:compare_drum --with moreau-jean,dem --until 0.5 -o drum.svg",
             "a drum, half a second"},
            {"moraine compare heap.yaml --with nlgs,moreau-jean/nlgs,dem --no-picture --json", "solvers and steppers"},
            {NULL, NULL},
        },
    .run = run_compare,
};
