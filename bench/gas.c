// How the cost of a step grows with the number of bodies, and what a second thread gives.
//
//   gas                     a dilute gas in a box, 2D and 3D, 1e3 to 1e5 bodies: processor time per body and step,
//   memory per body gas --packing           the same for a dense lattice that settles under gravity: memory with a full
//   share of contacts gas --speedup           20 000 bodies that settle, 1 and 2 threads: wall time by phase, speed-up,
//   equal state hashes
//
// Each size runs in a process of its own, so that the peak of its resident set is its own. Wall times on a busy machine
// say little: every step is run several times and its least time counts.
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RADIUS 0.05
#define SPEED  1.0

typedef struct Case {
    int dimension;
    size_t bodies; ///< about
    bool packing;  ///< dense and heavy, or dilute and weightless
    int warm_up;   ///< steps before the measured ones: the first steps also pay for fresh memory
    int steps;
    int threads;
    double tolerance;
    uint64_t seed;
} Case;

static int side_of(const Case *what) {
    return (int)fmax(2, round(pow((double)what->bodies, 1.0 / what->dimension)));
}

static double spacing_of(const Case *what) {
    return what->packing ? 2.001 * RADIUS : 6 * RADIUS;
}

static void must(bool good, const MrnError *error) {
    if (good) return;
    fprintf(stderr, "gas: %s\n", error->message);
    exit(1);
}

static void add_wall(MrnModel *model, int dimension, const double *position, const double *rotation) {
    MrnError error = {0};
    MrnBodyDef def = mrn_body_defaults(dimension);
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    def.kind = MRN_BODY_FIXED;
    def.shapes = &shape;
    def.shape_count = 1;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.rotation, rotation, sizeof def.rotation);
    must(mrn_model_add_body(model, &def, &error) >= 0, &error);
}

/// Floor, sides and lid of the box [0, length]^d.
static void add_box(MrnModel *model, int dimension, double length) {
    const double pi = acos(-1.0), zero[3] = {0, 0, 0}, far[3] = {length, length, dimension == 3 ? length : 0};
    for (int axis = 0; axis < dimension; axis++)
        for (int end = 0; end < 2; end++) {
            double rotation[4] = {0, 0, 0, 0};
            if (dimension == 2)
                rotation[0] = axis == 0 ? (end ? pi / 2 : -pi / 2) : end ? pi : 0;
            else {
                // The normal is +z; turn it to +-x about y, to +-y about x, or over.
                double angle = axis == 2 ? (end ? pi : 0) : pi / 2, sign = axis == 0 ? (end ? -1 : 1) : end ? 1 : -1;
                rotation[0] = cos(angle / 2);
                rotation[axis == 0 ? 2 : 1] = sin(angle / 2) * (axis == 2 ? 1 : sign);
            }
            add_wall(model, dimension, end ? far : zero, rotation);
        }
}

static MrnModel *make_model(const Case *what) {
    MrnError error = {0};
    int d = what->dimension, side = side_of(what);
    double spacing = spacing_of(what), jitter = (spacing - 2 * RADIUS) * 0.4;
    MrnModel *model = mrn_model_new(d);
    mrn_model_add_material(model, "grain", d == 2 ? 2000 : 2500);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = what->packing ? 0.5 : 0;
    law.normal_restitution = what->packing ? 0 : 1;
    mrn_model_set_law(model, -1, -1, law);
    double gravity[3] = {0, 0, 0};
    if (what->packing) gravity[d - 1] = -9.81;
    mrn_model_set_gravity(model, gravity);
    add_box(model, d, spacing * side);
    size_t count = 0;
    for (int z = 0; z < (d == 3 ? side : 1); z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++, count++) {
                MrnBodyDef def = mrn_body_defaults(d);
                MrnShape shape = mrn_shape_defaults(d == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
                const int at[3] = {x, y, z};
                shape.radius = RADIUS;
                def.shapes = &shape;
                def.shape_count = 1;
                for (int k = 0; k < d; k++) {
                    def.position[k] =
                        spacing * (at[k] + 0.5) + jitter * mrn_random_between(what->seed, count, (uint64_t)k, -1, 1);
                    def.velocity[k] =
                        what->packing ? 0 : SPEED * mrn_random_between(what->seed, count, 8 + (uint64_t)k, -1, 1);
                }
                must(mrn_model_add_body(model, &def, &error) >= 0, &error);
            }
    return model;
}

static double peak_memory(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    if (file) fclose(file);
    return 1024.0 * (double)kilobytes;
}

/// Times of one step; with wall times the least over the runs.
typedef struct StepTime {
    double cpu, total, detect, build, solve;
} StepTime;

typedef struct Result {
    double bodies, contacts, touching, sweeps, memory, residual;
    StepTime sum;
    long unsolved;
    uint64_t hash;
} Result;

static Result run_case(const Case *what, StepTime *least) {
    MrnError error = {0};
    double memory = peak_memory();
    MrnModel *model = make_model(what);
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.threads = what->threads;
    scheme.solver.solver = "auto";
    scheme.solver.tolerance = what->tolerance;
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    must(world != NULL, &error);
    Result result = {.bodies = (double)mrn_model_body_count(model)};
    for (int s = 0; s < what->warm_up; s++) must(mrn_world_step(world, NULL, &error), &error);
    for (int s = 0; s < what->steps; s++) {
        MrnStepInfo info;
        double begin = mrn_cpu_seconds();
        must(mrn_world_step(world, &info, &error), &error);
        StepTime t = {mrn_cpu_seconds() - begin, info.seconds_total, info.seconds_detect, info.seconds_assemble,
                      info.seconds_solve};
        result.contacts += (double)info.contacts, result.touching += (double)info.touching,
            result.sweeps += (double)info.sweeps;
        result.residual = fmax(result.residual, info.scaled_residual);
        result.unsolved += info.status != MRN_SOLVED;
        result.sum.cpu += t.cpu;
        if (!least) continue;
        least[s].cpu = fmin(least[s].cpu, t.cpu), least[s].total = fmin(least[s].total, t.total),
        least[s].detect = fmin(least[s].detect, t.detect);
        least[s].build = fmin(least[s].build, t.build), least[s].solve = fmin(least[s].solve, t.solve);
    }
    result.contacts /= what->steps, result.touching /= what->steps, result.sweeps /= what->steps,
        result.sum.cpu /= what->steps;
    result.hash = mrn_world_hash(world);
    result.memory = peak_memory() - memory;
    mrn_world_free(world);
    mrn_model_free(model);
    return result;
}

/// The same in a process of its own.
static bool run_apart(const Case *what, Result *result) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        close(ends[0]);
        Result mine = run_case(what, NULL);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    bool good = read(ends[0], result, sizeof *result) == (ssize_t)sizeof *result;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return good && status == 0;
}

static int growth(bool packing, int dimension, size_t smallest, size_t largest, int repeats) {
    printf("%s: processor time per body and step, peak resident set per body (model, world and contacts)\n",
           packing ? "settling lattice" : "dilute gas");
    printf("%3s %9s %6s | %13s %7s %9s | %9s %11s | %8s\n", "dim", "bodies", "steps", "contacts/body", "sweeps",
           "unsolved", "ns/body", "to smallest", "B/body");
    for (int d = dimension ? dimension : 2; d <= (dimension ? dimension : 3); d++) {
        double first = 0;
        for (size_t bodies = smallest; bodies <= largest; bodies *= 10) {
            Case what = {
                .dimension = d, .bodies = bodies, .packing = packing, .threads = 1, .tolerance = 1e-6, .seed = 1};
            what.warm_up = packing ? 0 : 20;
            what.steps = packing ? 20 : bodies <= 100000 ? 200 : 40;
            Result best = {0}, result;
            for (int r = 0; r < (bodies > 100000 ? 1 : repeats); r++) {
                if (!run_apart(&what, &result)) return 1;
                if (r == 0 || result.sum.cpu < best.sum.cpu) best = result;
            }
            double each = 1e9 * best.sum.cpu / best.bodies;
            if (first == 0) first = each;
            printf("%3d %9.0f %6d | %13.3f %7.1f %9ld | %9.1f %11.2f | %8.0f\n", d, best.bodies, what.steps,
                   best.contacts / best.bodies, best.sweeps, best.unsolved, each, each / first,
                   best.memory / best.bodies);
        }
    }
    return 0;
}

static int speedup(size_t bodies, int steps, int threads, int repeats) {
    printf("settling lattice, wall time of %d steps by phase, least of %d runs of each step\n", steps, repeats);
    printf("%3s %8s %9s %7s %7s | %9s %9s %9s %9s %9s | %8s  %s\n", "dim", "bodies", "contacts", "sweeps", "threads",
           "total ms", "detect", "build", "solve", "rest", "speed-up", "state hash");
    bool same = true;
    for (int d = 2; d <= 3; d++) {
        StepTime *least = mrn_alloc(2 * (size_t)steps, sizeof *least);
        for (int s = 0; s < 2 * steps; s++) least[s] = (StepTime){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        Result result[2];
        for (int r = 0; r < repeats; r++)
            for (int t = 0; t < 2; t++) {
                Case what = {.dimension = d,
                             .bodies = bodies,
                             .packing = true,
                             .warm_up = 3,
                             .steps = steps,
                             .threads = t ? threads : 1,
                             .tolerance = 1e-6,
                             .seed = 1};
                result[t] = run_case(&what, least + t * steps);
            }
        double one = 0;
        for (int t = 0; t < 2; t++) {
            StepTime sum = {0};
            for (int s = 0; s < steps; s++) {
                const StepTime *x = &least[t * steps + s];
                sum.total += x->total, sum.detect += x->detect, sum.build += x->build, sum.solve += x->solve;
            }
            if (t == 0) one = sum.total;
            printf("%3d %8.0f %9.0f %7.1f %7d | %9.2f %9.2f %9.2f %9.2f %9.2f | %8.2f  %016llx\n", d, result[t].bodies,
                   result[t].contacts, result[t].sweeps, t ? threads : 1, 1e3 * sum.total, 1e3 * sum.detect,
                   1e3 * sum.build, 1e3 * sum.solve, 1e3 * (sum.total - sum.detect - sum.build - sum.solve),
                   one / sum.total, (unsigned long long)result[t].hash);
        }
        same &= result[0].hash == result[1].hash;
        free(least);
    }
    printf("%s\n", same ? "the same bits with both numbers of threads" : "THE STATE DEPENDS ON THE NUMBER OF THREADS");
    return same ? 0 : 3;
}

int main(int count, char **word) {
    bool packing = false, threads_wanted = false;
    double smallest = 1e3, largest = 1e5, bodies = 20000;
    int steps = 20, threads = 2, repeats = 3, dimension = 0;
    for (int i = 1; i < count; i++) {
        if (!strcmp(word[i], "--packing"))
            packing = true;
        else if (!strcmp(word[i], "--speedup"))
            threads_wanted = true;
        else if (i + 1 < count && !strcmp(word[i], "--dimension"))
            dimension = atoi(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--smallest"))
            smallest = atof(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--largest"))
            largest = atof(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--bodies"))
            bodies = atof(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--steps"))
            steps = atoi(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--threads"))
            threads = atoi(word[++i]);
        else if (i + 1 < count && !strcmp(word[i], "--repeats"))
            repeats = atoi(word[++i]);
        else {
            fprintf(stderr, "usage: gas [--packing] [--dimension 2|3] [--smallest N] [--largest N] [--repeats N] | gas "
                            "--speedup [--bodies N] [--steps N] [--threads N] [--repeats N]\n");
            return strcmp(word[i], "--help") ? 2 : 0;
        }
    }
    if (steps < 1 || repeats < 1 || threads < 1 || !(bodies >= 8) || !(smallest >= 8) || !(largest >= smallest) ||
        (dimension && dimension != 2 && dimension != 3)) {
        fprintf(stderr, "gas: numbers must be positive, --bodies and --smallest at least 8, --largest not below it, "
                        "--dimension 2 or 3\n");
        return 2;
    }
    return threads_wanted ? speedup((size_t)bodies, steps, threads, repeats)
                          : growth(packing, dimension, (size_t)smallest, (size_t)largest, repeats);
}
