// Piles of spheres of growing size: how the cost per contact of a solver grows.
//
//   pile [--solver auto] [--tol 1e-6] [--limit 60] [--largest 100000] [--assembled 0] [--mu 0.4] [--dump FILE.hdf5]
//
// A pile is a face-centred packing of unit spheres in a box, of which one in twelve is missing and whose masses vary by
// a factor of four, under gravity for one step from rest. It is hyperstatic, heavy at the bottom, and has no symmetry.
// Times are processor times.
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"
#include "problem/fclib.h"
#include "problem/problem.h"
#include "solve/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct Contact {
    int a, b; ///< spheres; b = -1: a wall
    MrnVec3 normal;
} Contact;

static MrnProblem *make_pile(int cells, int layers, double mu) {
    // Face-centred: sites (i, j, k) of a cubic grid with i + j + k even, nearest neighbours at distance sqrt(2) grid
    // steps.
    int width = 2 * cells, height = 2 * layers;
    size_t sites = (size_t)width * (size_t)width * (size_t)height;
    int *sphere = mrn_alloc(sites, sizeof *sphere);
    MRN_ARRAY(Contact) contacts = {0};
    MRN_ARRAY(double) mass = {0};
#define SITE(i, j, k) (((size_t)(k) * (size_t)width + (size_t)(j)) * (size_t)width + (size_t)(i))
    for (int k = 0; k < height; k++)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < width; i++) {
                size_t site = SITE(i, j, k);
                sphere[site] = -1;
                if ((i + j + k) % 2 || mrn_random_unit(7, site, 0) < 1.0 / 12) continue;
                sphere[site] = (int)mass.count;
                mrn_array_push(&mass, mrn_random_between(7, site, 1, 0.5, 2));
            }
    static const int step[6][3] = {{1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
    for (int k = 0; k < height; k++)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < width; i++) {
                int a = sphere[SITE(i, j, k)];
                if (a < 0) continue;
                for (int e = 0; e < 6; e++) {
                    int x = i + step[e][0], y = j + step[e][1], z = k + step[e][2];
                    if (x < 0 || x >= width || y < 0 || y >= width || z < 0 || z >= height || sphere[SITE(x, y, z)] < 0)
                        continue;
                    MrnVec3 normal = mrn_normalize3(mrn_vec3(-step[e][0], -step[e][1], -step[e][2]));
                    mrn_array_push(&contacts, ((Contact){a, sphere[SITE(x, y, z)], normal}));
                }
                if (i == 0) mrn_array_push(&contacts, ((Contact){a, -1, {1, 0, 0}}));
                if (i == width - 1) mrn_array_push(&contacts, ((Contact){a, -1, {-1, 0, 0}}));
                if (j == 0) mrn_array_push(&contacts, ((Contact){a, -1, {0, 1, 0}}));
                if (j == width - 1) mrn_array_push(&contacts, ((Contact){a, -1, {0, -1, 0}}));
                if (k == 0) mrn_array_push(&contacts, ((Contact){a, -1, {0, 0, 1}}));
            }
    MrnProblem *problem = mrn_problem_new(3, contacts.count);
    problem->body_count = mass.count;
    problem->bodies = mrn_alloc(2 * contacts.count, sizeof(int));
    problem->jacobian = mrn_alloc_zero(2 * contacts.count * 18, sizeof(double));
    double *free_velocity = mrn_alloc_zero(6 * mass.count, sizeof(double));
    for (size_t b = 0; b < mass.count; b++)
        free_velocity[6 * b + 2] = -9.81e-3 * sqrt(mass.data[b]); // scaled by the root of the mass
    for (size_t c = 0; c < contacts.count; c++) {
        Contact contact = contacts.data[c];
        MrnVec3 frame[3] = {contact.normal};
        mrn_tangents3(contact.normal, &frame[1], &frame[2]);
        problem->friction[c] = mu;
        problem->bodies[2 * c] = contact.a, problem->bodies[2 * c + 1] = contact.b;
        for (int side = 0; side < 2; side++) {
            int body = side ? contact.b : contact.a;
            if (body < 0) continue;
            double sign = side ? -1 : 1, root = 1 / sqrt(mass.data[body]), spin = 1 / sqrt(0.4 * mass.data[body]);
            MrnVec3 arm = mrn_scale3(-sign, contact.normal); // to the contact point, radius 1
            for (int r = 0; r < 3; r++) {
                double *row = problem->jacobian + (2 * c + (size_t)side) * 18 + 6 * r;
                mrn_store3(row, mrn_scale3(sign * root, frame[r]));
                mrn_store3(row + 3, mrn_scale3(sign * spin, mrn_cross3(arm, frame[r])));
            }
        }
    }
    mrn_problem_contact_velocity(problem, free_velocity, NULL, problem->free_velocity, NULL);
    free(free_velocity);
    free(sphere);
    mrn_array_free(&contacts);
    mrn_array_free(&mass);
    return problem;
}

int main(int argc, char **argv) {
    const char *solver = "auto", *dump = NULL;
    bool assembled = false; ///< give the solver the matrix instead of the bodies
    double tolerance = 1e-6, limit = 60, largest = 1e5, mu = 0.4;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--solver"))
            solver = argv[k + 1];
        else if (!strcmp(argv[k], "--tol"))
            tolerance = atof(argv[k + 1]);
        else if (!strcmp(argv[k], "--limit"))
            limit = atof(argv[k + 1]);
        else if (!strcmp(argv[k], "--largest"))
            largest = atof(argv[k + 1]);
        else if (!strcmp(argv[k], "--mu"))
            mu = atof(argv[k + 1]);
        else if (!strcmp(argv[k], "--assembled"))
            assembled = atoi(argv[k + 1]) != 0;
        else if (!strcmp(argv[k], "--dump"))
            dump = argv[k + 1];
    }
    printf("%8s %9s %-14s %9s %9s %10s %12s %8s  method\n", "bodies", "contacts", "status", "residual", "scaled",
           "seconds", "us/contact", "MiB");
    double first = 0;
    size_t first_contacts = 0;
    for (int cells = 3; cells < 64; cells = cells < 8 ? cells + 1 : cells * 5 / 4) {
        MrnProblem *problem = make_pile(cells, cells, mu);
        if ((double)problem->contacts > 1.15 * largest) {
            mrn_problem_free(problem);
            break;
        }
        MrnError error = {0};
        if (dump && !mrn_fclib_write_global(dump, problem, NULL, "pile", &error))
            fprintf(stderr, "pile: %s\n", error.message);
        if (assembled) mrn_problem_assemble(problem);
        double *p = mrn_alloc_zero(3 * problem->contacts, sizeof *p);
        MrnSolverSettings settings = mrn_solver_defaults();
        settings.solver = solver;
        settings.tolerance = tolerance;
        settings.time_limit = limit;
        settings.max_iterations = 1000000;
        MrnSolveInfo info;
        MrnArena arena = {0};
        double start = mrn_cpu_seconds();
        if (!mrn_solve_job(problem, &settings, p, NULL, &info, NULL, &arena, &error)) {
            fprintf(stderr, "pile: %s\n", error.message);
            return 1;
        }
        double seconds = mrn_cpu_seconds() - start, each = seconds / (double)problem->contacts;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%8zu %9zu %-14s %9.1e %9.1e %10.3f %12.2f %8.0f  %s", problem->body_count, problem->contacts,
               mrn_solve_status_name(info.status), info.residual, info.scaled_residual, seconds, 1e6 * each,
               (double)usage.ru_maxrss / 1024, info.method);
        if (first > 0)
            printf("  growth %.2f", log(each / first) / log((double)problem->contacts / (double)first_contacts));
        else
            first = each, first_contacts = problem->contacts;
        printf("\n");
        fflush(stdout);
        mrn_arena_free(&arena);
        free(p);
        mrn_problem_free(problem);
    }
    return 0;
}
