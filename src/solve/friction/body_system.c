// Newton's equations through the velocities of the bodies.
//
// A step dp of the impulses changes the velocities of the bodies by v = H~^T dp, and those of contact i by H~_i v. With
// the rows A_i dp_i + B_i (H~_i v + s_i dp_i) = -F_i of a contact that is not open,
//   dp_i = -G_i (F_i + B_i H~_i v),  G_i = (A_i + s_i B_i)^-1,
//   K v = -sum H~_i^T G_i F_i,  K = I + sum H~_i^T G_i B_i H~_i.
// Those that are open lose their impulses first, which changes the F_i of the others.
// K has a block for every pair of bodies that touch, however many contacts they have and whatever their statuses: its
// pattern is found once, and walls, in which contacts outnumber the freedoms of the bodies, are factored in a hundredth
// of the time that W takes. What is lost where s_i is small (G_i is 1 / s_i for a contact that sticks) comes back by
// refinement with the equations of the contacts.
#include "solve/friction/body_system.h"

#include "base/simd.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARED      0.3  ///< of the contacts in space must have the bodies of the one before, or W is factored faster
#define EXACT_SHIFT 1e-5 ///< of the mean diagonal of W: steps with larger shifts are exact enough
#define REFINEMENTS 2
#define ACCURACY    1e-7 ///< defect over the right side that a step may leave
#define SPOILED     0.1  ///< that makes it useless
#define CONTACT     30   ///< products of blocks that the rows of one contact and its part of the solution take

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static size_t find(const int *ascending, size_t count, int value) {
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        if (ascending[low + half] <= value) low += half;
        count -= half;
    }
    return low;
}

// The bodies that each touches, and itself, ascending.
static void find_pattern(MrnBodySystem *system) {
    const MrnProblem *problem = system->problem;
    size_t bodies = problem->body_count, width = (size_t)problem->dof / 3, pairs = 0, blocks = 0;
    MrnBodyContacts list = mrn_body_contacts(problem);
    size_t *first = mrn_alloc(bodies + 1, sizeof *first);
    int *other = mrn_alloc(list.start[bodies] + bodies + 1, sizeof *other), *mark = mrn_alloc(bodies + 1, sizeof *mark);
    for (size_t b = 0; b < bodies; b++) mark[b] = -1;
    for (size_t b = 0; b < bodies; b++) {
        first[b] = pairs;
        mark[b] = (int)b, other[pairs++] = (int)b;
        for (size_t k = list.start[b]; k < list.start[b + 1]; k++) {
            int neighbour = problem->bodies[list.side[k] ^ 1];
            if (neighbour < 0 || mark[neighbour] == (int)b) continue;
            mark[neighbour] = (int)b, other[pairs++] = neighbour;
        }
        qsort(other + first[b], pairs - first[b], sizeof *other, compare_ints);
    }
    first[bodies] = pairs;
    system->start = mrn_arena_take(system->arena, width * bodies + 1, sizeof *system->start);
    system->column = mrn_arena_take(system->arena, width * width * pairs + 1, sizeof *system->column);
    system->spot = mrn_arena_take(system->arena, 4 * problem->contacts + 1, sizeof *system->spot);
    for (size_t row = 0; row < width * bodies; row++) {
        system->start[row] = blocks;
        for (size_t k = first[row / width]; k < first[row / width + 1]; k++)
            for (size_t c = 0; c < width; c++) system->column[blocks++] = (int)(width * (size_t)other[k] + c);
    }
    system->start[width * bodies] = blocks;
    for (size_t s = 0; s < 4 * problem->contacts; s++) {
        int from = problem->bodies[s / 2], to = problem->bodies[2 * (s / 4) + s % 2];
        bool both = from >= 0 && to >= 0;
        system->spot[s] = both ? (int)find(other + first[from], first[from + 1] - first[from], to) : -1;
    }
    free(first), free(other), free(mark);
    mrn_body_contacts_free(&list);
}

bool mrn_body_system_fits(const MrnProblem *problem) {
    if (!problem->bodies || problem->body_count == 0 || problem->dof != (problem->dimension == 2 ? 3 : 6)) return false;
    size_t shared = 0; // contacts of the bodies of the contact before
    for (size_t i = 1; i < problem->contacts; i++)
        shared += !memcmp(problem->bodies + 2 * i, problem->bodies + 2 * i - 2, 2 * sizeof *problem->bodies);
    return problem->dimension == 2 || (double)shared > SHARED * (double)problem->contacts;
}

void mrn_body_system_init(MrnBodySystem *system, const MrnProblem *problem, MrnArena *arena) {
    *system = (MrnBodySystem){.problem = problem, .arena = arena, .diagonal = mrn_problem_mean_diagonal(problem, NULL)};
    mrn_block_lu_init(&system->lu);
    system->velocity = mrn_arena_take(arena, (size_t)problem->dimension * problem->contacts + 1, sizeof(double));
    system->body_velocity = mrn_arena_take(arena, (size_t)problem->dof * problem->body_count + 1, sizeof(double));
}

void mrn_body_system_free(MrnBodySystem *system) {
    mrn_block_lu_free(&system->lu);
}

double mrn_body_system_cost(MrnBodySystem *system, double limit) {
    const MrnProblem *problem = system->problem;
    double contacts = CONTACT * (double)problem->contacts;
    if (!system->start) find_pattern(system);
    if (!system->ordered)
        system->ordered = mrn_block_lu_analyse(&system->lu, problem->body_count * (size_t)problem->dof / 3, 3,
                                               system->start, system->column, NULL, limit - contacts);
    double cost = system->ordered ? system->lu.operations + contacts : INFINITY;
    return cost <= limit ? cost : 0;
}

void mrn_body_system_prepare(MrnBodySystem *system) {
    const MrnProblem *problem = system->problem;
    size_t n = problem->contacts, d = (size_t)problem->dimension, rows = problem->body_count * (size_t)problem->dof / 3;
    if (system->rows) return;
    mrn_body_system_cost(system, INFINITY);
    system->value = mrn_arena_take(system->arena, 9 * system->start[rows] + 1, sizeof *system->value);
    system->rows = mrn_arena_take(system->arena, n + 1, sizeof *system->rows);
    system->open = mrn_arena_take(system->arena, n + 1, sizeof *system->open);
    system->shift = mrn_arena_take(system->arena, n + 1, sizeof *system->shift);
    system->inverse = mrn_arena_take(system->arena, d * d * n + 1, sizeof(double));
    system->gain = mrn_arena_take(system->arena, d * d * n + 1, sizeof(double));
    system->change = mrn_arena_take(system->arena, d * n + 1, sizeof(double));
}

// G = (A + s B)^-1 and G B. The first row of A is zero and that of B (1, 0, 0).
MRN_INLINE void invert_rows(size_t d, const MrnNewtonRows *rows, double shift, double *G, double *GB) {
    double M[9], over = 1 / shift;
    for (size_t k = 0; k < d * d; k++) M[k] = rows->A[k] + shift * rows->B[k];
    G[0] = over;
    if (d == 2) {
        G[1] = 0, G[3] = 1 / M[3], G[2] = -G[3] * M[2] * over;
    } else {
        double a = M[4], b = M[5], c = M[7], e = M[8], determinant = 1 / (a * e - b * c);
        G[1] = G[2] = 0;
        G[4] = e * determinant, G[5] = -b * determinant, G[7] = -c * determinant, G[8] = a * determinant;
        G[3] = -(G[4] * M[3] + G[5] * M[6]) * over, G[6] = -(G[7] * M[3] + G[8] * M[6]) * over;
    }
    for (size_t r = 0; r < d; r++)
        for (size_t c = 0; c < d; c++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++) sum += G[r * d + k] * rows->B[k * d + c];
            GB[r * d + c] = sum;
        }
}

MRN_INLINE void add_contact(MrnBodySystem *system, size_t d, size_t dof, size_t i) {
    const MrnProblem *problem = system->problem;
    const double *C = system->gain + d * d * i, *H[2] = {NULL, NULL};
    double buffer[2][18], CH[2][18];
    size_t width = dof / 3;
    for (size_t side = 0; side < 2; side++) {
        if (problem->bodies[2 * i + side] < 0) continue;
        H[side] = mrn_problem_rows(problem, 2 * i + side, buffer[side]);
        for (size_t r = 0; r < d; r++)
            for (size_t k = 0; k < dof; k++) {
                double sum = 0;
                for (size_t c = 0; c < d; c++) sum += C[r * d + c] * H[side][c * dof + k];
                CH[side][r * dof + k] = sum;
            }
    }
    for (size_t s = 0; s < 4; s++) {
        int spot = system->spot[4 * i + s];
        if (spot < 0) continue;
        const double *left = H[s / 2], *right = CH[s % 2];
        for (size_t x = 0; x < width; x++) {
            size_t row = width * (size_t)problem->bodies[2 * i + s / 2] + x;
            double *block = system->value + 9 * (system->start[row] + width * (size_t)spot);
            for (size_t y = 0; y < width; y++, block += 9)
                for (size_t r = 0; r < 3; r++)
                    for (size_t c = 0; c < 3; c++) {
                        double sum = 0;
                        for (size_t k = 0; k < d; k++) sum += left[k * dof + 3 * x + r] * right[k * dof + 3 * y + c];
                        block[3 * r + c] += sum;
                    }
        }
    }
}

// With d and dof constants: the loops over the numbers of a block unroll.
MRN_INLINE void assemble(MrnBodySystem *system, size_t d, size_t dof) {
    const MrnProblem *problem = system->problem;
    size_t rows = problem->body_count * dof / 3;
    memset(system->value, 0, 9 * system->start[rows] * sizeof *system->value);
    for (size_t row = 0; row < rows; row++)
        for (size_t k = system->start[row]; k < system->start[row + 1]; k++)
            if (system->column[k] == (int)row)
                for (size_t r = 0; r < 3; r++) system->value[9 * k + 4 * r] = 1;
    for (size_t i = 0; i < problem->contacts; i++) {
        if (system->open[i]) continue;
        invert_rows(d, system->rows + i, system->shift[i], system->inverse + d * d * i, system->gain + d * d * i);
        add_contact(system, d, dof, i);
    }
}

MRN_KERNEL static void assemble_3d(MrnBodySystem *system) {
    assemble(system, 3, 6);
}

MRN_KERNEL static void assemble_2d(MrnBodySystem *system) {
    assemble(system, 2, 3);
}

void mrn_body_system_factor(MrnBodySystem *system) {
    (system->problem->dimension == 3 ? assemble_3d : assemble_2d)(system);
    mrn_block_lu_factor(&system->lu, system->start, system->column, system->value, 1e-14);
}

// Add to the step what takes the right side in system->change, which is zero for open contacts.
static void add_solution(MrnBodySystem *system, double *step) {
    const MrnProblem *problem = system->problem;
    size_t d = (size_t)problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++) {
        if (system->open[i]) continue;
        const double *G = system->inverse + d * d * i;
        double *z = system->change + d * i, sum[3] = {0, 0, 0};
        for (size_t r = 0; r < d; r++)
            for (size_t c = 0; c < d; c++) sum[r] += G[r * d + c] * z[c];
        memcpy(z, sum, d * sizeof *z);
    }
    mrn_problem_body_velocity(problem, system->change, system->body_velocity, NULL);
    mrn_block_lu_solve(&system->lu, system->body_velocity);
    mrn_problem_contact_velocity(problem, system->body_velocity, NULL, system->velocity, NULL);
    for (size_t i = 0; i < problem->contacts; i++) {
        if (system->open[i]) continue;
        const double *C = system->gain + d * d * i, *u = system->velocity + d * i;
        for (size_t r = 0; r < d; r++) {
            double sum = system->change[d * i + r];
            for (size_t c = 0; c < d; c++) sum -= C[r * d + c] * u[c];
            step[d * i + r] += sum;
        }
    }
}

// What the step leaves of the right side, into system->change. Returns its square.
static double find_defect(MrnBodySystem *system, const double *step) {
    const MrnProblem *problem = system->problem;
    size_t d = (size_t)problem->dimension;
    double square = 0;
    mrn_problem_body_velocity(problem, step, system->body_velocity, NULL);
    mrn_problem_contact_velocity(problem, system->body_velocity, NULL, system->velocity, NULL);
    for (size_t i = 0; i < problem->contacts; i++) {
        const MrnNewtonRows *rows = system->rows + i;
        const double *dp = step + d * i;
        for (size_t r = 0; r < d; r++) {
            double left = system->open[i] ? 0 : -rows->F[r];
            for (size_t c = 0; !system->open[i] && c < d; c++)
                left -= rows->A[r * d + c] * dp[c] +
                        rows->B[r * d + c] * (system->velocity[d * i + c] + system->shift[i] * dp[c]);
            system->change[d * i + r] = left;
            square += left * left;
        }
    }
    return square;
}

bool mrn_body_system_solve(MrnBodySystem *system, const double *impulse, double *step) {
    size_t d = (size_t)system->problem->dimension, numbers = d * system->problem->contacts;
    bool lost = false, exact = true;
    for (size_t k = 0; k < numbers; k++) {
        step[k] = system->open[k / d] ? -impulse[k] : 0;
        lost |= step[k] != 0;
        system->change[k] = system->open[k / d] ? 0 : -system->rows[k / d].F[k % d];
        exact &= system->open[k / d] || system->shift[k / d] > EXACT_SHIFT * system->diagonal;
    }
    double right = 0;
    if (lost)
        right = find_defect(system, step);
    else
        for (size_t k = 0; k < numbers; k++) right += system->change[k] * system->change[k];
    add_solution(system, step);
    if (exact) return true;
    double defect = find_defect(system, step);
    for (int turn = 0; turn < REFINEMENTS && defect > ACCURACY * ACCURACY * right; turn++) {
        add_solution(system, step);
        defect = find_defect(system, step);
    }
    return defect <= SPOILED * SPOILED * right;
}

void mrn_body_system_velocity(MrnBodySystem *system, double shift, const double *impulse, double *velocity) {
    const MrnProblem *problem = system->problem;
    mrn_problem_body_velocity(problem, impulse, system->body_velocity, NULL);
    mrn_problem_contact_velocity(problem, system->body_velocity, problem->free_velocity, velocity, NULL);
    for (size_t k = 0; k < (size_t)problem->dimension * problem->contacts; k++) velocity[k] += shift * impulse[k];
}
