// The Gauss-Seidel kernel alone: contact updates per second against the size of the problem.
//
// Lattice packings become one-step problems with a known solution: impulses p* and velocities u* that obey Coulomb's
// law are drawn at every contact, a given share of them slipping, and q = u* - W p*. Sweeps start from p* ("warm": what
// the sweeps of a settled run look like) or from nothing (--cold). Times are the least of several runs: processor time
// with one thread, wall time with more.
//   discs    triangular lattice, 3 contacts per body        (2D)
//   spheres  face-centred cubic lattice, 6 contacts per body (3D)
//   boxes    cubic lattice, 4 contacts per face, 12 per body (3D)
// Discs and spheres are swept in the round form of a problem and, as "any", by the kernel for bodies of any shape. The
// time of a sweep is the difference between a long and a short run: packing is no part of it.
// A triad a = b + s c in the same program measures the memory bandwidth; a sweep reads a contact's data once and writes
// its impulse back.
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "problem/problem.h"
#include "solve/friction/nlgs.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { DISCS, SPHERES, BOXES, DISCS_ANY, SPHERES_ANY, KINDS } Kind;
static const char *const KIND_NAME[] = {"discs", "spheres", "boxes", "discs, any", "spheres, any"};
static const Kind LATTICE[] = {DISCS, SPHERES, BOXES, DISCS, SPHERES};

/// Half of the neighbours in lattice coordinates, the normal to each, and the points of contact on the face.
typedef struct Lattice {
    int dimension, neighbours, points; ///< points of contact per neighbour
    int offset[6][3];
    double normal[6][3];
} Lattice;

static const double R3 = 0.8660254037844386, R2 = 0.7071067811865476;

static Lattice lattice_of(Kind kind) {
    switch (kind) {
    case DISCS: return (Lattice){2, 3, 1, {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}}, {{1, 0, 0}, {0.5, R3, 0}, {-0.5, R3, 0}}};
    case SPHERES:
        return (Lattice){3,
                         6,
                         1,
                         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}},
                         {{0, R2, R2}, {R2, 0, R2}, {R2, R2, 0}, {-R2, R2, 0}, {-R2, 0, R2}, {0, -R2, R2}}};
    default: return (Lattice){3, 3, 4, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    }
}

static void frame_of(const double *n, double frame[3][3]) {
    memcpy(frame[0], n, 3 * sizeof(double));
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double e[3] = {least == 0, least == 1, least == 2}, *t = frame[1], length;
    t[0] = n[1] * e[2] - n[2] * e[1], t[1] = n[2] * e[0] - n[0] * e[2], t[2] = n[0] * e[1] - n[1] * e[0];
    length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int k = 0; k < 3; k++) t[k] /= length;
    frame[2][0] = n[1] * t[2] - n[2] * t[1], frame[2][1] = n[2] * t[0] - n[0] * t[2],
    frame[2][2] = n[0] * t[1] - n[1] * t[0];
}

/// Rows of H~ of one side: unit bodies of diameter 1, so that the square root of the inertia is that of a disc, a
/// sphere or a cube.
static void fill_rows(Kind kind, double sign, const double *arm, double frame[3][3], double *rows) {
    if (kind == DISCS) {
        double t[2][2] = {{frame[0][0], frame[0][1]}, {-frame[0][1], frame[0][0]}};
        for (int i = 0; i < 2; i++) {
            rows[3 * i] = sign * t[i][0], rows[3 * i + 1] = sign * t[i][1];
            rows[3 * i + 2] = sign * (arm[0] * t[i][1] - arm[1] * t[i][0]) / sqrt(0.125);
        }
        return;
    }
    double gyration = sqrt(kind == SPHERES ? 0.1 : 1.0 / 6);
    for (int i = 0; i < 3; i++) {
        const double *t = frame[i];
        double turn[3] = {arm[1] * t[2] - arm[2] * t[1], arm[2] * t[0] - arm[0] * t[2], arm[0] * t[1] - arm[1] * t[0]};
        for (int k = 0; k < 3; k++) rows[6 * i + k] = sign * t[k], rows[6 * i + 3 + k] = sign * turn[k] / gyration;
    }
}

static double uniform(uint64_t a, uint64_t b) {
    return (double)(mrn_random_bits(1, a, b) >> 11) * 0x1p-53;
}

/// A packing of about `contacts` contacts with a known solution, which goes to `*solution`.
static MrnProblem *packing(Kind which, size_t contacts, double slip, double **solution) {
    Kind kind = LATTICE[which];
    bool round = which == DISCS || which == SPHERES;
    Lattice lattice = lattice_of(kind);
    int d = lattice.dimension, side = 2, dof = d == 2 ? 3 : 6;
    double per_body = lattice.neighbours * lattice.points;
    while (pow(side, d) * per_body < (double)contacts) side++;
    int extent[3] = {side, side, d == 3 ? side : 1};
    size_t most = (size_t)(pow(side, d) * per_body), n = 0;
    MrnProblem *problem = mrn_problem_new(d, most);
    problem->body_count = (size_t)(extent[0] * extent[1] * extent[2]);
    problem->dof = dof;
    problem->bodies = mrn_alloc(2 * most, sizeof *problem->bodies);
    if (round) {
        problem->normal = mrn_alloc(most * (size_t)d, sizeof(double));
        problem->lever = mrn_alloc(most * 2, sizeof(double));
        problem->inverse_root_mass = mrn_alloc(problem->body_count, sizeof(double));
        for (size_t b = 0; b < problem->body_count; b++) problem->inverse_root_mass[b] = 1;
    } else
        problem->jacobian = mrn_alloc_zero(most * 2 * (size_t)(d * dof), sizeof(double));
    *solution = mrn_alloc_zero(most * (size_t)d, sizeof(double));
    double *velocity = mrn_alloc_zero(most * (size_t)d, sizeof(double));
    for (int z = 0; z < extent[2]; z++)
        for (int y = 0; y < extent[1]; y++)
            for (int x = 0; x < extent[0]; x++)
                for (int k = 0; k < lattice.neighbours; k++) {
                    const int *o = lattice.offset[k];
                    int to[3] = {x + o[0], y + o[1], z + o[2]};
                    bool inside = true;
                    for (int i = 0; i < 3; i++) inside &= to[i] >= 0 && to[i] < extent[i];
                    for (int point = 0; inside && point < lattice.points; point++, n++) {
                        // Body A is the one with the smaller number; its contact lies along the normal from B to A,
                        // turned a little.
                        double normal[3], frame[3][3], arm[2][3], length = 0;
                        for (int i = 0; i < 3; i++)
                            normal[i] = -lattice.normal[k][i] + (i < d ? 0.1 * (uniform(n, (uint64_t)i) - 0.5) : 0),
                            length += normal[i] * normal[i];
                        for (int i = 0; i < 3; i++) normal[i] /= sqrt(length);
                        frame_of(normal, frame);
                        for (int i = 0; i < 3; i++) {
                            double corner =
                                lattice.points == 4
                                    ? 0.4 * ((point & 1 ? 1 : -1) * frame[1][i] + (point & 2 ? 1 : -1) * frame[2][i])
                                    : 0;
                            arm[0][i] = corner - 0.5 * normal[i], arm[1][i] = corner + 0.5 * normal[i];
                        }
                        problem->bodies[2 * n] = (z * side + y) * side + x;
                        problem->bodies[2 * n + 1] = (to[2] * side + to[1]) * side + to[0];
                        if (round) {
                            memcpy(problem->normal + n * (size_t)d, normal, (size_t)d * sizeof(double));
                            for (size_t i = 0; i < 2; i++)
                                problem->lever[2 * n + i] = 0.5 / sqrt(kind == DISCS ? 0.125 : 0.1);
                        } else {
                            double *rows = problem->jacobian + n * 2 * (size_t)(d * dof);
                            fill_rows(kind, 1, arm[0], frame, rows);
                            fill_rows(kind, -1, arm[1], frame, rows + d * dof);
                        }
                        problem->friction[n] = 0.5;
                        bool slides = uniform(n, 8) < slip;
                        double *p = *solution + n * (size_t)d, *u = velocity + n * (size_t)d,
                               angle = 6.283185307179586 * uniform(n, 9);
                        double direction[2] = {d == 2 ? (angle < 3.14 ? 1 : -1) : cos(angle), sin(angle)};
                        p[0] = 0.5 + uniform(n, 10);
                        for (int i = 1; i < d; i++) {
                            p[i] = (slides ? 0.5 : 0.3 * uniform(n, 11)) * p[0] * direction[i - 1];
                            u[i] = slides ? -(0.1 + uniform(n, 12)) * direction[i - 1] : 0;
                        }
                    }
                }
    problem->contacts = n;
    double *response = mrn_alloc(n * (size_t)d, sizeof *response); // q = 0 so far: W p*
    mrn_problem_velocity(problem, *solution, response);
    for (size_t i = 0; i < n * (size_t)d; i++) problem->free_velocity[i] = velocity[i] - response[i];
    free(response);
    free(velocity);
    return problem;
}

typedef struct Measure {
    size_t contacts;
    double bytes; ///< of the whole packed problem
    double updates_per_second;
    double distance; ///< of the last impulse to the known one, largest component
} Measure;

static Measure measure(Kind kind, size_t contacts, double slip, bool single, int thread_count, bool accelerate,
                       bool cold, double seconds) {
    double *solution;
    MrnProblem *problem = packing(kind, contacts, slip, &solution);
    MrnThreads *threads = mrn_threads_new(thread_count);
    MrnArena arena = {0};
    size_t values = problem->contacts * (size_t)problem->dimension;
    double *velocity = mrn_alloc(values, sizeof *velocity), *found = mrn_alloc(values, sizeof *found);
    MrnNlgs *nlgs = mrn_nlgs_new(problem, mrn_problem_mean_diagonal(problem, threads), velocity, &arena, threads);
    Measure result = {.contacts = problem->contacts};
    result.bytes = (double)problem->contacts * (double)mrn_nlgs_bytes(problem, single);
    double *start = mrn_alloc_zero(values, sizeof *start), best[2] = {INFINITY, INFINITY}, spent = 0;
    if (!cold) memcpy(start, solution, values * sizeof *start);
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    settings.tolerance = 1e-300;
    settings.stall_sweeps = 1000000000;
    settings.accelerate = accelerate;
    settings.single = single;
    settings.first_sweeps = 0;
    // As many sweeps per run as take about 20 ms: the check every 20 sweeps is part of the measure.
    int sweeps[2] = {20, 20 + (int)fmin(20000, fmax(40, 1e6 / (double)problem->contacts))};
    for (int run = 0; run < 3 || spent < seconds; run++)
        for (int k = 0; k < 2; k++) {
            MrnSolveInfo info = {0};
            settings.max_sweeps = sweeps[k];
            memcpy(found, start, values * sizeof *found);
            mrn_nlgs_load(nlgs, found);
            double begin = thread_count == 1 ? mrn_cpu_seconds() : mrn_wall_seconds(), wall = mrn_wall_seconds();
            mrn_nlgs_run(nlgs, &settings, &info);
            best[k] = fmin(best[k], (thread_count == 1 ? mrn_cpu_seconds() : mrn_wall_seconds()) - begin);
            spent += mrn_wall_seconds() - wall;
            if (info.iterations != sweeps[k]) fprintf(stderr, "sweep: stopped after %d sweeps\n", info.iterations);
        }
    result.updates_per_second = (double)problem->contacts * (sweeps[1] - sweeps[0]) / (best[1] - best[0]);
    for (size_t i = 0; i < values; i++) result.distance = fmax(result.distance, fabs(found[i] - solution[i]));
    mrn_arena_free(&arena);
    mrn_threads_free(threads);
    mrn_problem_free(problem);
    free(start);
    free(velocity);
    free(found);
    free(solution);
    return result;
}

typedef struct Triad {
    double *a, *b, *c;
    size_t count;
} Triad;

static void triad_range(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Triad *t = context;
    double *restrict a = t->a;
    const double *restrict b = t->b, *restrict c = t->c;
    for (size_t i = begin; i < end; i++) a[i] = b[i] + 3 * c[i];
}

/// Bytes per second of a = b + s c, counting two reads and one write (a cache also reads the line it writes: the true
/// traffic is a third more).
static double triad(size_t bytes, int thread_count) {
    Triad t = {.count = bytes / 24};
    t.a = mrn_alloc_aligned(t.count, sizeof(double)), t.b = mrn_alloc_aligned(t.count, sizeof(double)),
    t.c = mrn_alloc_aligned(t.count, sizeof(double));
    for (size_t i = 0; i < t.count; i++) t.a[i] = 0, t.b[i] = (double)i, t.c[i] = 1;
    MrnThreads *threads = mrn_threads_new(thread_count);
    double best = INFINITY;
    int repeats = (int)fmax(1, 4e6 / (double)t.count);
    for (int run = 0; run < 12; run++) {
        double begin = thread_count == 1 ? mrn_cpu_seconds() : mrn_wall_seconds();
        for (int r = 0; r < repeats; r++) mrn_threads_for(threads, t.count, 1, triad_range, &t);
        best = fmin(best, ((thread_count == 1 ? mrn_cpu_seconds() : mrn_wall_seconds()) - begin) / repeats);
    }
    mrn_threads_free(threads);
    double rate = 24 * (double)t.count / best;
    free(t.a);
    free(t.b);
    free(t.c);
    return rate;
}

static const struct {
    const char *place;
    double bytes;
} SIZES[] = {{"L1", 24e3}, {"L2", 500e3}, {"L3", 8e6}, {"memory", 200e6}};

static void print_header(void) {
    printf("%-12s %-9s %-7s %8s %8s %5s %8s | %11s %7s | %8s %8s %9s\n", "packing", "precision", "fits in", "contacts",
           "MB", "slip", "threads", "updates/s", "ns each", "B/update", "GB/s", "of triad");
}

static size_t bytes_of(Kind kind, bool single) {
    double *solution;
    MrnProblem *problem = packing(kind, 1, 0, &solution);
    size_t bytes = mrn_nlgs_bytes(problem, single);
    mrn_problem_free(problem);
    free(solution);
    return bytes;
}

static void print_measure(Kind kind, bool single, const char *place, double slip, int threads, bool accelerate,
                          bool cold, double bandwidth) {
    size_t dimension = LATTICE[kind] == DISCS ? 2 : 3, each = bytes_of(kind, single), number = single ? 4 : 8;
    double bytes = 0;
    for (size_t k = 0; k < 4; k++)
        if (!strcmp(SIZES[k].place, place)) bytes = SIZES[k].bytes;
    Measure m = measure(kind, (size_t)(bytes / (double)each), slip, single, threads, accelerate, cold, 0.3);
    // Read all, write p (in two parts in single precision) and what the momentum needs.
    double moved = (double)(each + number * dimension * (1 + (accelerate ? 1 : 0) + (single ? 1 : 0))),
           rate = moved * m.updates_per_second;
    printf("%-12s %-9s %-7s %8zu %8.2f %5.2f %8d | %11.3e %7.2f | %8.0f %8.1f %8.0f%%", KIND_NAME[kind],
           single ? "single" : "double", place, m.contacts, 1e-6 * m.bytes, slip, threads, m.updates_per_second,
           1e9 / m.updates_per_second, moved, 1e-9 * rate, 100 * rate / bandwidth);
    printf("%s\n", !cold && m.distance > 1e-6 ? "  (left the known solution)" : "");
    fflush(stdout);
}

int main(int count, char **word) {
    double slip = 0.2;
    int threads = 2;
    bool accelerate = true, cold = false;
    for (int i = 1; i < count; i++) {
        if (!strcmp(word[i], "--plain"))
            accelerate = false;
        else if (!strcmp(word[i], "--cold"))
            cold = true;
        else if (!strcmp(word[i], "--slip") && i + 1 < count)
            slip = atof(word[++i]);
        else if (!strcmp(word[i], "--threads") && i + 1 < count)
            threads = atoi(word[++i]);
        else {
            fprintf(stderr, "usage: sweep [--slip SHARE] [--threads N] [--plain] [--cold]\n"
                            "  --slip S     share of slipping contacts of the size table, default 0.2\n"
                            "  --threads N  measure 1 and N threads, default 2\n"
                            "  --plain      sweeps without momentum\n"
                            "  --cold       start from no impulses\n");
            return strcmp(word[i], "--help") ? 2 : 0;
        }
    }
    double bandwidth[2][4];
    printf("memory bandwidth, triad a = b + s c:\n");
    for (int t = 0; t < (threads > 1 ? 2 : 1); t++)
        for (int k = 0; k < 4; k++) {
            bandwidth[t][k] = triad((size_t)SIZES[k].bytes, t == 0 ? 1 : threads);
            printf("  %-7s %d thread%s  %6.1f GB/s\n", SIZES[k].place, t == 0 ? 1 : threads, t ? "s" : " ",
                   1e-9 * bandwidth[t][k]);
        }
    printf("\nsize of the problem (%s sweeps%s)\n", accelerate ? "accelerated" : "plain",
           cold ? ", from no impulses" : ", at the solution");
    print_header();
    for (int single = 0; single < 2; single++)
        for (Kind kind = DISCS; kind < KINDS; kind++)
            for (int k = 0; k < 4; k++)
                print_measure(kind, single, SIZES[k].place, slip, 1, accelerate, cold, bandwidth[0][k]);
    printf("\nshare of slipping contacts\n");
    print_header();
    const double shares[] = {0, 0.05, 0.2, 0.5, 1};
    for (Kind kind = DISCS; kind <= BOXES; kind++)
        for (int s = 0; s < 5; s++) print_measure(kind, false, "L2", shares[s], 1, accelerate, cold, bandwidth[0][1]);
    if (threads < 2) return 0;
    printf("\nthreads (wall time)\n");
    print_header();
    for (Kind kind = DISCS; kind <= BOXES; kind++)
        for (int k = 1; k < 4; k++)
            print_measure(kind, false, SIZES[k].place, slip, threads, accelerate, cold, bandwidth[1][k]);
    return 0;
}
