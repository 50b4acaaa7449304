// Problems that several test programs use.
#ifndef TESTS_FRICTION_PROBLEMS_H
#define TESTS_FRICTION_PROBLEMS_H

#include "base/memory.h"
#include "base/random.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A dense assembled problem: W row-major, dimension * contacts squared.
static inline MrnProblem *dense_problem(int dimension, size_t contacts, const double *W, const double *q, double mu) {
    MrnProblem *problem = mrn_problem_new(dimension, contacts);
    size_t d = (size_t)dimension, n = d * contacts;
    problem->delassus = mrn_block_matrix_new(contacts, dimension, contacts * contacts);
    for (size_t i = 0; i < contacts; i++) {
        for (size_t j = 0; j < contacts; j++) {
            size_t k = i * contacts + j;
            problem->delassus->column[k] = (int)j;
            for (size_t r = 0; r < d; r++)
                for (size_t c = 0; c < d; c++)
                    problem->delassus->value[k * d * d + r * d + c] = W[(d * i + r) * n + d * j + c];
        }
        problem->delassus->start[i + 1] = (i + 1) * contacts;
        problem->friction[i] = mu;
    }
    memcpy(problem->free_velocity, q, n * sizeof *q);
    return problem;
}

/// A random packing in the factored form: bodies on a line, each contact between two neighbours or with the ground,
/// free velocities as from gravity. W is singular as soon as there are more contacts than the bodies have components.
static inline MrnProblem *random_packing(int dimension, size_t bodies, size_t contacts, double mu, uint64_t seed) {
    MrnProblem *problem = mrn_problem_new(dimension, contacts);
    size_t d = (size_t)dimension, dof = (size_t)problem->dof;
    problem->body_count = bodies;
    problem->bodies = mrn_alloc(2 * contacts, sizeof *problem->bodies);
    problem->jacobian = mrn_alloc_zero(2 * contacts * d * dof, sizeof *problem->jacobian);
    for (size_t i = 0; i < contacts; i++) {
        int a = (int)(i % bodies), b = i % 3 == 0 ? -1 : (int)((i * 7 + i / bodies + 1) % bodies);
        if (b == a) b = -1;
        problem->bodies[2 * i] = a, problem->bodies[2 * i + 1] = b;
        problem->friction[i] = mu;
        // An orthonormal frame and a lever arm, turned from body to body.
        double turn = 2 * M_PI * mrn_random_unit(seed, i, 0), tilt = 0.6 * mrn_random_unit(seed, i, 1);
        double n[3] = {sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt)},
               t1[3] = {cos(tilt) * cos(turn), cos(tilt) * sin(turn), -sin(tilt)};
        double t2[3] = {-sin(turn), cos(turn), 0}, *frame[3] = {n, t1, t2};
        double flat_n[2] = {sin(tilt - 0.3), cos(tilt - 0.3)}, flat_t[2] = {flat_n[1], -flat_n[0]},
               *flat[2] = {flat_n, flat_t};
        for (size_t side = 0; side < 2; side++) {
            if (problem->bodies[2 * i + side] < 0) continue;
            double sign = side ? -1 : 1, arm[3];
            for (int k = 0; k < 3; k++) arm[k] = mrn_random_between(seed, i, 2 + 3 * side + (uint64_t)k, -1, 1);
            for (size_t r = 0; r < d; r++) {
                double *row = problem->jacobian + (2 * i + side) * d * dof + r * dof;
                if (d == 3) {
                    const double *e = frame[r];
                    for (int k = 0; k < 3; k++) row[k] = sign * e[k];
                    row[3] = sign * (arm[1] * e[2] - arm[2] * e[1]);
                    row[4] = sign * (arm[2] * e[0] - arm[0] * e[2]);
                    row[5] = sign * (arm[0] * e[1] - arm[1] * e[0]);
                } else {
                    const double *e = flat[r];
                    row[0] = sign * e[0], row[1] = sign * e[1], row[2] = sign * (arm[0] * e[1] - arm[1] * e[0]);
                }
            }
        }
    }
    // q = H~ v_free with gravity and some motion, so that u = 0 can be reached.
    double *v = mrn_alloc(bodies * dof, sizeof *v);
    for (size_t k = 0; k < bodies * dof; k++)
        v[k] = mrn_random_between(seed, k, 99, -0.3, 0.3) - (k % dof == d - 1 ? 1 : 0);
    mrn_problem_contact_velocity(problem, v, NULL, problem->free_velocity, NULL);
    free(v);
    return problem;
}
#endif
