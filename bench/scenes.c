// Time stepping on scenes that other codes were measured on.
//
// Prints, per scene: processor time per step split by phase, contacts, sweeps, contact updates per second, the worst
// residual of all steps, the worst and the final penetration over the size of the smallest body, and the steps that
// were not solved to the tolerance. With
// --peers TABLE.md the figures of the other codes (a Markdown table: scene, contacts, one column of ms per step for
// each code) stand beside.
//
// Scenes are plain text, one body per line:
//   NAME DIM G MU E DT T | BOX xmin xmax ymin ymax [zmin zmax] (floor and side walls; up is y in 2D, z in 3D) | FLOOR
//   1: floor only D x y r m I | P x y theta m I n x1 y1 ... | S x y z r m I | B x y z qw qx qy qz hx hy hz m
#include "base/clock.h"
#include "step/world.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bench {
    char name[64];
    double gravity, friction, restitution, time_step, duration, box[6];
    int dimension, floor_only;
    MrnModel *model;
    int material;
} Bench;

static void add(Bench *bench, const MrnBodyDef *def) {
    MrnError error = {0};
    if (mrn_model_add_body(bench->model, def, &error) < 0) {
        fprintf(stderr, "scenes: %s\n", error.message);
        exit(1);
    }
}

static void add_obstacle(Bench *bench, double x, double y, double z, double angle, double axis_x, double axis_y) {
    MrnBodyDef def = mrn_body_defaults(bench->dimension);
    MrnShape shape = mrn_shape_defaults(bench->dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    def.kind = MRN_BODY_FIXED;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    if (bench->dimension == 2)
        def.rotation[0] = angle;
    else {
        def.rotation[0] = cos(angle / 2);
        def.rotation[1] = axis_x * sin(angle / 2);
        def.rotation[2] = axis_y * sin(angle / 2);
    }
    add(bench, &def);
}

static void add_walls(Bench *bench) {
    const double *box = bench->box;
    double half_pi = acos(0.0);
    bench->model = mrn_model_new(bench->dimension);
    bench->material = mrn_model_add_material(bench->model, "all", 1);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = bench->friction;
    law.normal_restitution = bench->restitution;
    mrn_model_set_law(bench->model, -1, -1, law);
    double gravity[3] = {0, 0, 0};
    gravity[bench->dimension - 1] = -bench->gravity;
    mrn_model_set_gravity(bench->model, gravity);
    if (bench->dimension == 2) {
        add_obstacle(bench, 0, box[2], 0, 0, 0, 0);
        if (bench->floor_only) return;
        add_obstacle(bench, box[0], 0, 0, -half_pi, 0, 0);
        add_obstacle(bench, box[1], 0, 0, half_pi, 0, 0);
        return;
    }
    add_obstacle(bench, 0, 0, box[4], 0, 1, 0);
    if (bench->floor_only) return;
    add_obstacle(bench, box[0], 0, 0, half_pi, 0, 1);
    add_obstacle(bench, box[1], 0, 0, -half_pi, 0, 1);
    add_obstacle(bench, 0, box[2], 0, -half_pi, 1, 0);
    add_obstacle(bench, 0, box[3], 0, half_pi, 1, 0);
}

static bool read_scene(const char *path, Bench *bench) {
    FILE *file = fopen(path, "r");
    if (!file) return false;
    static char line[1 << 16];
    *bench = (Bench){.time_step = 1e-3, .duration = 1};
    while (fgets(line, sizeof line, file)) {
        char key[16];
        int used = 0;
        if (sscanf(line, "%15s %n", key, &used) != 1) continue;
        double v[64] = {0};
        int count = 0;
        char *at = line + used, *end;
        for (; count < 64; count++, at = end) {
            v[count] = strtod(at, &end);
            if (end == at) break;
        }
        if (!strcmp(key, "NAME"))
            sscanf(line + used, "%63s", bench->name);
        else if (!strcmp(key, "DIM"))
            bench->dimension = (int)v[0];
        else if (!strcmp(key, "G"))
            bench->gravity = v[0];
        else if (!strcmp(key, "MU"))
            bench->friction = v[0];
        else if (!strcmp(key, "E"))
            bench->restitution = v[0];
        else if (!strcmp(key, "DT"))
            bench->time_step = v[0];
        else if (!strcmp(key, "T"))
            bench->duration = v[0];
        else if (!strcmp(key, "BOX"))
            memcpy(bench->box, v, sizeof bench->box);
        else if (!strcmp(key, "FLOOR")) {
            bench->floor_only = (int)v[0];
            add_walls(bench);
        } else {
            MrnBodyDef def = mrn_body_defaults(bench->dimension);
            MrnShape shape = {0};
            def.shapes = &shape;
            def.shape_count = 1;
            memcpy(def.position, v, (size_t)bench->dimension * sizeof(double));
            switch (key[0]) {
            case 'D':
                shape = mrn_shape_defaults(MRN_SHAPE_DISC);
                shape.radius = v[2], def.mass = v[3], def.inertia[2] = v[4];
                break;
            case 'P':
                shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
                def.rotation[0] = v[2], def.mass = v[3], def.inertia[2] = v[4];
                shape.vertex_count = (size_t)v[5], shape.vertices = v + 6;
                break;
            case 'S':
                shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
                shape.radius = v[3], def.mass = v[4];
                for (int k = 0; k < 3; k++) def.inertia[k] = v[5];
                break;
            case 'B':
                shape = mrn_shape_defaults(MRN_SHAPE_BOX);
                memcpy(def.rotation, v + 3, 4 * sizeof(double));
                memcpy(shape.half, v + 7, 3 * sizeof(double));
                def.mass = v[10];
                break;
            default: continue;
            }
            add(bench, &def);
        }
    }
    fclose(file);
    return bench->model != NULL;
}

/// What to run and how.
typedef struct Options {
    MrnScheme scheme; ///< of which solver and threads count here
    double duration;  ///< s, 0: as the scene says
    double report;    ///< s, 0: no progress lines
    const char *peers;
    bool json;
} Options;

/// What a run of one scene gave. Milliseconds are processor time per step.
typedef struct Figures {
    long steps, unsolved;
    double contacts, sweeps, updates_per_second;
    double total, detect, build, solve, rest;
    double residual, scaled_residual, worst_penetration, final_penetration;
    uint64_t hash;
    size_t bodies;
} Figures;

static bool run_scene(const Bench *bench, const Options *options, Figures *out) {
    MrnError error = {0};
    MrnScheme scheme = options->scheme;
    scheme.time_step = bench->time_step;
    MrnWorld *world = mrn_world_new(bench->model, &scheme, &error);
    if (!world) {
        fprintf(stderr, "scenes: %s: %s\n", bench->name, error.message);
        return false;
    }
    *out = (Figures){.bodies = mrn_model_body_count(bench->model)};
    double end = options->duration > 0 ? options->duration : bench->duration, updates = 0, next = options->report,
           part = 0, part_sweeps = 0;
    long part_steps = 0;
    while (mrn_world_time(world) < end - 0.5 * bench->time_step) {
        MrnStepInfo info;
        double begin = mrn_cpu_seconds();
        if (!mrn_world_step(world, &info, &error)) {
            fprintf(stderr, "scenes: %s: %s\n", bench->name, error.message);
            mrn_world_free(world);
            return false;
        }
        double cpu = mrn_cpu_seconds() - begin;
        // The step measures its phases by the wall clock; a busy machine stretches them all alike, so their shares hold
        // for processor time.
        double share = info.seconds_total > 0 ? cpu / info.seconds_total : 0;
        out->steps++;
        out->total += cpu;
        out->detect += share * info.seconds_detect;
        out->build += share * info.seconds_assemble;
        out->solve += share * info.seconds_solve;
        out->contacts += (double)info.contacts;
        out->sweeps += (double)info.sweeps;
        updates += (double)info.contacts * (double)info.sweeps;
        out->residual = fmax(out->residual, info.residual);
        out->scaled_residual = fmax(out->scaled_residual, info.scaled_residual);
        out->final_penetration = info.penetration / world->smallest;
        out->worst_penetration = fmax(out->worst_penetration, out->final_penetration);
        out->unsolved += info.status != MRN_SOLVED;
        part += cpu, part_sweeps += (double)info.sweeps, part_steps++;
        if (options->report > 0 && info.time >= next) {
            fprintf(stderr,
                    "  t=%.3f s contacts %lld touching %lld sweeps %.1f, %.3f ms/step, residual %.1e, penetration %.2e "
                    "m, speed %.3g m/s, energy %.8g J\n",
                    info.time, (long long)info.contacts, (long long)info.touching, part_sweeps / (double)part_steps,
                    1e3 * part / (double)part_steps, info.residual, info.penetration, info.max_speed,
                    info.kinetic_energy + info.potential_energy);
            next += options->report, part = part_sweeps = 0, part_steps = 0;
        }
    }
    out->updates_per_second = out->solve > 0 ? updates / out->solve : 0;
    out->rest = fmax(0, out->total - out->detect - out->build - out->solve);
    double per = out->steps ? 1 / (double)out->steps : 0;
    out->contacts *= per, out->sweeps *= per;
    out->total *= 1e3 * per, out->detect *= 1e3 * per, out->build *= 1e3 * per, out->solve *= 1e3 * per,
        out->rest *= 1e3 * per;
    out->hash = mrn_world_hash(world);
    mrn_world_free(world);
    return true;
}

#define MAX_PEERS 16

/// A Markdown table of milliseconds per step, one row per scene, one column per code.
typedef struct Peers {
    int count, column[MAX_PEERS]; ///< columns that hold codes
    char name[MAX_PEERS][24];
    MRN_ARRAY(char *) rows; ///< lines of the table
} Peers;

/// Cell `index` of a table row, without the blanks around it.
static void cell_text(const char *row, int index, char *out, size_t size) {
    out[0] = 0;
    const char *at = strchr(row, '|');
    for (int k = 0; at && k < index; k++) at = strchr(at + 1, '|');
    if (!at) return;
    at += 1 + strspn(at + 1, " ");
    size_t length = strcspn(at, "|\n");
    while (length > 0 && at[length - 1] == ' ') length--;
    snprintf(out, size, "%.*s", (int)length, at);
}

static bool read_peers(const char *path, Peers *peers) {
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "scenes: cannot read %s\n", path);
        return false;
    }
    char line[4096];
    bool inside = false;
    while (fgets(line, sizeof line, file)) {
        if (!inside) {
            char title[32];
            cell_text(line, 0, title, sizeof title);
            if (line[0] != '|' || strcmp(title, "scene")) continue;
            inside = true;
            for (int c = 1; peers->count < MAX_PEERS; c++) {
                cell_text(line, c, title, 24);
                if (!title[0]) break;
                if (!strcmp(title, "contacts")) continue;
                peers->column[peers->count] = c;
                snprintf(peers->name[peers->count++], sizeof peers->name[0], "%.23s", title);
            }
        } else if (line[0] != '|')
            break;
        else
            mrn_array_push(&peers->rows, strdup(line));
    }
    fclose(file);
    if (!inside) fprintf(stderr, "scenes: %s has no table whose first column is 'scene'\n", path);
    return inside;
}

/// Milliseconds per step of a code on a scene, or NaN where the table has none.
static double peer_figure(const Peers *peers, const char *scene, int peer) {
    char text[256], *end;
    for (size_t r = 0; r < peers->rows.count; r++) {
        cell_text(peers->rows.data[r], 0, text, sizeof text);
        if (strcmp(text, scene)) continue;
        cell_text(peers->rows.data[r], peers->column[peer], text, sizeof text);
        double value = strtod(text, &end);
        if (end != text && !strncmp(end + strspn(end, " "), "ms", 2)) return value;
    }
    return NAN;
}

static void print_figures(const char *name, const Figures *f) {
    printf("%-16s %6zu %8.0f %7.1f | %8.3f %7.3f %7.3f %8.3f %6.3f | %9.2e %8.1e %8.1e %8.1e %8.1e %8ld  %016llx\n",
           name, f->bodies, f->contacts, f->sweeps, f->total, f->detect, f->build, f->solve, f->rest,
           f->updates_per_second, f->residual, f->scaled_residual, f->worst_penetration, f->final_penetration,
           f->unsolved, (unsigned long long)f->hash);
}

static void print_json(const char *name, const Figures *f, const Peers *peers, bool first) {
    printf("%s  {\"scene\": \"%s\", \"bodies\": %zu, \"steps\": %ld, \"contacts_mean\": %.6g, \"sweeps_mean\": %.6g, "
           "\"ms_total\": %.6g, \"ms_detect\": %.6g, "
           "\"ms_build\": %.6g, \"ms_solve\": %.6g, \"ms_rest\": %.6g, \"updates_per_second\": %.6g, \"residual_max\": "
           "%.6g, \"scaled_residual_max\": %.6g, "
           "\"penetration_max\": %.6g, \"penetration_final\": %.6g, \"unsolved_steps\": %ld, \"state_hash\": "
           "\"%016llx\", \"peers_ms\": {",
           first ? "" : ",\n", name, f->bodies, f->steps, f->contacts, f->sweeps, f->total, f->detect, f->build,
           f->solve, f->rest, f->updates_per_second, f->residual, f->scaled_residual, f->worst_penetration,
           f->final_penetration, f->unsolved, (unsigned long long)f->hash);
    const char *comma = "";
    for (int k = 0; k < peers->count; k++) {
        double value = peer_figure(peers, name, k);
        if (isnan(value)) continue;
        printf("%s\"%s\": %.6g", comma, peers->name[k], value);
        comma = ", ";
    }
    printf("}}");
}

static void print_ratios(const Peers *peers, size_t count, char (*name)[64], const Figures *figures) {
    printf("\nms per step, and how many times ours it is (other codes as measured in the table, at their own "
           "tolerances)\n%-16s %9s",
           "scene", "ours");
    for (int k = 0; k < peers->count; k++) printf(" %18s", peers->name[k]);
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        printf("%-16s %9.3f", name[i], figures[i].total);
        for (int k = 0; k < peers->count; k++) {
            double value = peer_figure(peers, name[i], k);
            if (isnan(value))
                printf(" %18s", "-");
            else
                printf(" %9.3g (%5.3gx)", value, value / figures[i].total);
        }
        printf("\n");
    }
}

static int usage(FILE *to) {
    fprintf(to, "usage: scenes [options] SCENE.txt...\n"
                "  --solver S    a name from `moraine solvers`, default auto\n"
                "  --options O   name=value,... for the solver\n"
                "  --tol X       tolerance on the scaled residual, default 1e-6\n"
                "  --max N       most sweeps or iterations of a step\n"
                "  --time T      simulated seconds, default as the scene says\n"
                "  --threads N   default 1\n"
                "  --report T    a progress line every T simulated seconds, on standard error\n"
                "  --peers FILE  Markdown table of other codes' ms per step, printed beside ours\n"
                "  --json        one JSON object on standard output\n"
                "Times are processor time per step in ms; penetration is over the size of the smallest body.\n");
    return to == stdout ? 0 : 2;
}

static bool parse(int count, char **word, Options *options, int *first) {
    int i = 1;
    for (; i < count && !strncmp(word[i], "--", 2); i++) {
        const char *name = word[i] + 2;
        if (!strcmp(name, "json")) {
            options->json = true;
            continue;
        }
        if (i + 1 >= count) return false;
        const char *value = word[++i];
        char *end = NULL;
        double number = strtod(value, &end);
        bool numeric = end != value && !*end;
        MrnSolverSettings *solver = &options->scheme.solver;
        if (!strcmp(name, "solver"))
            solver->solver = value;
        else if (!strcmp(name, "options"))
            solver->options = value;
        else if (!strcmp(name, "peers"))
            options->peers = value;
        else if (!numeric)
            return false;
        else if (!strcmp(name, "tol"))
            solver->tolerance = number;
        else if (!strcmp(name, "max"))
            solver->max_iterations = (int)number;
        else if (!strcmp(name, "time"))
            options->duration = number;
        else if (!strcmp(name, "threads"))
            options->scheme.threads = (int)number;
        else if (!strcmp(name, "report"))
            options->report = number;
        else
            return false;
    }
    *first = i;
    return i < count;
}

int main(int count, char **word) {
    Options options = {.scheme = mrn_scheme_defaults()};
    options.scheme.solver.solver = "auto";
    options.scheme.solver.tolerance = 1e-6;
    int first = 0;
    if (count > 1 && !strcmp(word[1], "--help")) return usage(stdout);
    if (!parse(count, word, &options, &first)) return usage(stderr);
    Peers peers = {0};
    if (options.peers && !read_peers(options.peers, &peers)) return 1;
    size_t scenes = (size_t)(count - first);
    Figures *figures = mrn_alloc_zero(scenes, sizeof *figures);
    char(*name)[64] = mrn_alloc_zero(scenes, sizeof *name);
    if (options.json)
        printf("{\"solver\": \"%s\", \"tolerance\": %g, \"threads\": %d, \"scenes\": [\n", options.scheme.solver.solver,
               options.scheme.solver.tolerance, options.scheme.threads);
    else {
        printf("solver %s, tolerance %g on the scaled residual, %d thread%s\n", options.scheme.solver.solver,
               options.scheme.solver.tolerance, options.scheme.threads, options.scheme.threads == 1 ? "" : "s");
        printf("%-16s %6s %8s %7s | %8s %7s %7s %8s %6s | %9s %8s %8s %8s %8s %8s  %s\n", "", "", "", "", "CPU ms", "",
               "", "", "", "contact", "worst", "worst", "worst", "final", "unsolved", "state");
        printf("%-16s %6s %8s %7s | %8s %7s %7s %8s %6s | %9s %8s %8s %8s %8s %8s  %s\n", "scene", "bodies", "contacts",
               "sweeps", "per step", "detect", "build", "solve", "rest", "updates/s", "residual", "scaled", "pen/size",
               "pen/size", "steps", "hash");
    }
    bool good = true;
    size_t done = 0;
    for (int i = first; i < count; i++) {
        Bench bench;
        if (!read_scene(word[i], &bench)) {
            fprintf(stderr, "scenes: cannot read a scene from %s\n", word[i]);
            good = false;
            continue;
        }
        if (run_scene(&bench, &options, &figures[done])) {
            memcpy(name[done], bench.name, sizeof name[done]);
            if (options.json)
                print_json(name[done], &figures[done], &peers, done == 0);
            else
                print_figures(name[done], &figures[done]);
            fflush(stdout);
            done++;
        } else
            good = false;
        mrn_model_free(bench.model);
    }
    if (options.json)
        printf("\n]}\n");
    else if (peers.count)
        print_ratios(&peers, done, name, figures);
    for (size_t r = 0; r < peers.rows.count; r++) free(peers.rows.data[r]);
    mrn_array_free(&peers.rows);
    free(figures);
    free(name);
    return good ? 0 : 1;
}
