// Contact problems of rigid bodies in the plane from a seed. Every contact is a point, a normal from body B to body A,
// and two lever arms.
#include "problem/lcp_assembly.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    MrnVec2 position, velocity;
    double spin, mass, inertia;
} Body;

typedef struct Touch {
    int a, b; ///< bodies, -1: fixed
    MrnVec2 point, normal;
} Touch;

typedef MRN_ARRAY(Body) Bodies;
typedef MRN_ARRAY(Touch) Touches;

static void row_of(const Body *body, MrnVec2 point, MrnVec2 direction, double sign, double *row) {
    double root = sqrt(body->mass);
    row[0] = sign * direction.x / root;
    row[1] = sign * direction.y / root;
    row[2] = sign * mrn_cross2(mrn_sub2(point, body->position), direction) / sqrt(body->inertia);
}

static MrnProblem *problem_of(const Bodies *bodies, const Touches *touches, const double *friction) {
    MrnProblem *problem = mrn_problem_new(2, touches->count);
    problem->body_count = bodies->count;
    problem->dof = 3;
    problem->bodies = mrn_alloc(2 * touches->count + 1, sizeof *problem->bodies);
    problem->jacobian = mrn_alloc_zero(12 * touches->count + 1, sizeof *problem->jacobian);
    for (size_t c = 0; c < touches->count; c++) {
        const Touch *touch = &touches->data[c];
        MrnVec2 direction[2] = {touch->normal, mrn_perp2(touch->normal)};
        problem->friction[c] = friction[c];
        for (int side = 0; side < 2; side++) {
            int index = side == 0 ? touch->a : touch->b;
            problem->bodies[2 * c + (size_t)side] = index;
            for (int k = 0; k < 2; k++) {
                double *row = problem->jacobian + 12 * c + 6 * (size_t)side + 3 * (size_t)k;
                if (index < 0) continue;
                const Body *body = &bodies->data[index];
                row_of(body, touch->point, direction[k], side == 0 ? 1 : -1, row);
                problem->free_velocity[2 * c + (size_t)k] +=
                    sqrt(body->mass) * (row[0] * body->velocity.x + row[1] * body->velocity.y) +
                    sqrt(body->inertia) * row[2] * body->spin;
            }
        }
    }
    mrn_problem_assemble(problem);
    return problem;
}

static void make_cloud(const MrnAssembly *s, Bodies *bodies, Touches *touches, double *friction) {
    for (int i = 0; i < s->bodies; i++) {
        uint64_t e = (uint64_t)i;
        double mass = pow(s->mass_ratio, mrn_random_unit(s->seed, e, 0));
        double radius = sqrt(mass);
        Body body = {.position = {mrn_random_between(s->seed, e, 1, -5, 5), mrn_random_between(s->seed, e, 2, -5, 5)},
                     .velocity = {mrn_random_between(s->seed, e, 3, -1, 1), mrn_random_between(s->seed, e, 4, -1, 1)},
                     .spin = mrn_random_between(s->seed, e, 5, -1, 1) / radius,
                     .mass = mass,
                     .inertia = mrn_random_between(s->seed, e, 6, 0.2, 1) * mass * radius * radius};
        mrn_array_push(bodies, body);
    }
    for (int c = 0; c < s->contacts; c++) {
        uint64_t e = 1000000 + (uint64_t)c;
        // Every body but the first touches an earlier one, so the assembly hangs together; further contacts are between
        // any two.
        int a = c < s->bodies - 1 ? c + 1 : (int)(mrn_random_bits(s->seed, e, 0) % (uint64_t)s->bodies);
        int b = (int)(mrn_random_bits(s->seed, e, 1) % (uint64_t)(c < s->bodies - 1 ? a : s->bodies));
        if (b == a || mrn_random_unit(s->seed, e, 2) < 0.1) b = -1;
        MrnVec2 from = b < 0 ? mrn_vec2(0, -6) : bodies->data[b].position,
                line = mrn_sub2(bodies->data[a].position, from);
        double turn = mrn_random_between(s->seed, e, 3, -0.7, 0.7), part = mrn_random_between(s->seed, e, 4, 0.3, 0.7);
        MrnVec2 normal = mrn_rotate2(cos(turn), sin(turn), mrn_scale2(1 / mrn_norm2(line), line));
        MrnVec2 aside = mrn_scale2(mrn_random_between(s->seed, e, 5, -1, 1), mrn_perp2(normal));
        MrnVec2 point = mrn_add2(mrn_add2(from, mrn_scale2(part, line)), aside);
        mrn_array_push(touches, ((Touch){a, b, point, normal}));
        friction[c] = s->friction * mrn_random_unit(s->seed, e, 6);
    }
}

static void make_wall(const MrnAssembly *s, Bodies *bodies, Touches *touches) {
    // Bricks 2 x 1, courses staggered by half a brick on a fixed floor; all fall at unit speed, and the wall is pushed
    // sideways a little.
    int width = (int)ceil(sqrt((double)s->bodies)), courses = (s->bodies + width - 1) / width;
    double push = mrn_random_between(s->seed, 0, 0, -0.5, 0.5);
    for (int y = 0; y < courses; y++)
        for (int x = 0; x < width; x++) {
            int own = y * width + x;
            double left = 2 * x + (y % 2 ? 1 : 0);
            Body body = {.position = {left + 1, y + 0.5}, .velocity = {push, -1}, .mass = 2, .inertia = 2 * 5.0 / 12};
            mrn_array_push(bodies, body);
            for (int below = -1; below <= 1; below++) {
                int column = x + below;
                double other = 2 * column + (y % 2 ? 0 : 1), begin = fmax(left, other), end = fmin(left + 2, other + 2);
                if (y == 0) begin = left, end = left + 2;
                if ((y == 0 && below != 0) || (y > 0 && (column < 0 || column >= width || end - begin < 0.5))) continue;
                int under = y == 0 ? -1 : own - width + below;
                mrn_array_push(touches, ((Touch){own, under, {begin, y}, {0, 1}}));
                mrn_array_push(touches, ((Touch){own, under, {end, y}, {0, 1}}));
            }
        }
}

static void make_discs(const MrnAssembly *s, Bodies *bodies, Touches *touches) {
    int width = (int)ceil(sqrt((double)s->bodies)), rows = (s->bodies + width - 1) / width;
    double push = mrn_random_between(s->seed, 0, 0, -0.2, 0.2);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < width; x++) {
            MrnVec2 at = {2 * x + (y % 2), y * sqrt(3.0)};
            Body body = {.position = at, .velocity = {push, -1}, .mass = 1, .inertia = 0.5};
            mrn_array_push(bodies, body);
        }
    for (size_t i = 0; i < bodies->count; i++) {
        MrnVec2 at = bodies->data[i].position;
        if (i < (size_t)width) mrn_array_push(touches, ((Touch){(int)i, -1, {at.x, at.y - 1}, {0, 1}}));
        if (at.x < 0.5) mrn_array_push(touches, ((Touch){(int)i, -1, {at.x - 1, at.y}, {1, 0}}));
        if (at.x > 2 * width - 1.5) mrn_array_push(touches, ((Touch){(int)i, -1, {at.x + 1, at.y}, {-1, 0}}));
        for (size_t k = 0; k < i; k++) {
            MrnVec2 line = mrn_sub2(at, bodies->data[k].position);
            if (mrn_norm2(line) > 2.001) continue;
            mrn_array_push(touches, ((Touch){(int)i, (int)k, mrn_add2(bodies->data[k].position, mrn_scale2(0.5, line)),
                                             mrn_scale2(0.5, line)}));
        }
    }
}

MrnProblem *mrn_assembly_problem(const MrnAssembly *s) {
    assert(s->bodies > 0 && s->friction >= 0);
    Bodies bodies = {0};
    Touches touches = {0};
    double *friction = NULL;
    if (s->kind == MRN_ASSEMBLY_CLOUD) {
        friction = mrn_alloc((size_t)s->contacts, sizeof *friction);
        make_cloud(s, &bodies, &touches, friction);
    } else {
        if (s->kind == MRN_ASSEMBLY_WALL)
            make_wall(s, &bodies, &touches);
        else
            make_discs(s, &bodies, &touches);
        friction = mrn_alloc(touches.count, sizeof *friction);
        for (size_t c = 0; c < touches.count; c++) friction[c] = s->friction;
    }
    MrnProblem *problem = problem_of(&bodies, &touches, friction);
    free(friction);
    mrn_array_free(&bodies);
    mrn_array_free(&touches);
    return problem;
}
