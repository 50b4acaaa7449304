// The one-step problem of rigid bodies: frames, mass-scaled Jacobians, free relative velocities.
//
// For contact alpha with relative velocities U(u) = G u + W, the law holds between p and U(u_f) + rho U_N(u_i) n + tau
// U_T(u_i) (Moreau 2003, M40), so q = U(u_free) + rho U_N(u_i) n + tau U_T(u_i). With gap activation a contact with gap
// g > 0 obeys u_n >= -g/h: q_n gains g/h. One with restitution whose gap closes in this step rebounds at once, so that
// the speed of approach is not lost while the gap closes.
//
// Where all bodies with mass are balls the problem has the round form, which needs no Jacobians.
#include "base/dim.h"
#include "problem/rigid.h"

#include <math.h>
#include <string.h>

/// Rows of G for one side: angular parts, for the frame directions.
static void lever_rows(const MrnPose *pose, const double *position, double frame[3][3],
                       double angular[MRN_DIM][MRN_SPIN]) {
#if MRN_DIM == 2
    double rx = position[0] - pose->position.x, ry = position[1] - pose->position.y;
    for (int i = 0; i < 2; i++) angular[i][0] = rx * frame[i][1] - ry * frame[i][0];
#else
    MrnVec3 r = mrn_sub3(mrn_load3(position), pose->position);
    for (int i = 0; i < 3; i++)
        mrn_store3(angular[i], mrn_mat3_transpose_times(&pose->rotation, mrn_cross3(r, mrn_load3(frame[i]))));
#endif
}

void MRN_NAMED(mrn_contact_frame)(const MrnContact *contact, const MrnPairLaw *law, double frame[3][3]) {
#if MRN_DIM == 2
    (void)law;
    frame[0][0] = contact->normal[0];
    frame[0][1] = contact->normal[1];
    frame[1][0] = -contact->normal[1];
    frame[1][1] = contact->normal[0];
    frame[0][2] = frame[1][2] = frame[2][0] = frame[2][1] = frame[2][2] = 0;
#else
    MrnVec3 n = mrn_load3(contact->normal), t1, t2;
    mrn_tangents3(n, &t1, &t2);
    if (law->cross_friction >= 0) { // an elliptic cone has its axes in space
        MrnVec3 axis = mrn_load3(law->friction_axis), along = mrn_axpy3(axis, -mrn_dot3(axis, n), n);
        if (mrn_norm3(along) > 1e-9 * mrn_norm3(axis)) {
            t1 = mrn_normalize3(along);
            t2 = mrn_cross3(n, t1);
        }
    }
    mrn_store3(frame[0], n);
    mrn_store3(frame[1], t1);
    mrn_store3(frame[2], t2);
#endif
}

static inline const MrnPose *pose_of(const MrnRigidInput *in, const MrnContact *contact, int side, MrnPose *image) {
    return mrn_contact_pose(in->model, MRN_DIM == 2 && in->model->periodic, contact, side, in->poses, image);
}

/// Change of the gap in the step beyond its rate, with the velocities of the start.
static double bend(const MrnRigidInput *in, const MrnContact *contact) {
    MrnVec3 velocity[2], spin[2];
    const MrnPose *pose[2];
    MrnPose image;
    for (int side = 0; side < 2; side++) {
        size_t body = (size_t)(side == 0 ? contact->body_a : contact->body_b);
        const double *start = in->velocity + body * MRN_DIM, *turning = in->spin + body * MRN_SPIN;
        pose[side] = pose_of(in, contact, side, &image);
#if MRN_DIM == 2
        velocity[side] = mrn_vec3(start[0], start[1], 0);
        spin[side] = mrn_vec3(0, 0, turning[0]);
#else
        velocity[side] = mrn_load3(start);
        spin[side] = mrn_mat3_times(&pose[side]->rotation, mrn_load3(turning));
#endif
    }
    return mrn_contact_bend(contact, pose[0], velocity[0], spin[0], pose[1], velocity[1], spin[1],
                            in->scheme->time_step);
}

/// Normal part of q.
static double normal_free_velocity(const MrnRigidInput *in, const MrnContact *contact, const MrnPairLaw *law,
                                   double start, double free) {
    double h = in->scheme->time_step, restitution = law->normal_restitution;
    bool ahead = in->scheme->activation == MRN_ACTIVATION_GAP;
    double curved = ahead && contact->carrier ? bend(in, contact) / h : 0;
    // A rebound keeps its energy only with the velocities of the law as they are.
    // Within the tolerance a contact touches: chasing gaps of that size would feed the error of one solve into the
    // next.
    if (ahead && contact->gap > in->gap_tolerance) {
        bool collides = (free + curved) * h + contact->gap < 0 && start < 0;
        if (!(restitution > 0 && collides)) return free + curved + contact->gap / h;
        return free + restitution * start;
    }
    if (restitution > 0 && start < 0) curved = 0;
    double bias = 0;
    if (contact->gap < -in->gap_tolerance && in->scheme->recovery > 0)
        bias = fmin(in->scheme->recovery * -contact->gap / h, in->recovery_speed);
    return free + curved + restitution * start - bias;
}

/// 1/sqrt(I) of the axes of a body.
static inline void root_inertia(const MrnRigidInput *in, size_t body, double root[MRN_SPIN]) {
    const double *scaling = in->scaling + body * in->scales;
    for (size_t k = 0; k < MRN_SPIN; k++) root[k] = scaling[k + 1 < in->scales ? k + 1 : in->scales - 1];
}

typedef struct Job {
    const MrnRigidInput *in;
    MrnProblem *problem;
    bool oblique[64]; ///< per thread: a ball is touched off the normal through its centre
} Job;

static const MrnPairLaw *law_of(const MrnRigidInput *in, const MrnContact *contact) {
    return &in->laws[(size_t)contact->material_a * in->model->materials.count + (size_t)contact->material_b];
}

/// H~ of one side.
static void fill_rows(const MrnRigidInput *in, size_t body, const MrnPose *pose, const MrnContact *contact,
                      double frame[3][3], double sign, double *rows) {
    double angular[MRN_DIM][MRN_SPIN], root_mass = in->scaling[body * in->scales], root[MRN_SPIN];
    root_inertia(in, body, root);
    lever_rows(pose, contact->position, frame, angular);
    for (int i = 0; i < MRN_DIM; i++) {
        for (int k = 0; k < MRN_DIM; k++) rows[i * MRN_DOF + k] = sign * frame[i][k] * root_mass;
        for (int k = 0; k < MRN_SPIN; k++) rows[i * MRN_DOF + MRN_DIM + k] = sign * angular[i][k] * root[k];
    }
}

/// Distance of the touching point from the centre of a ball, over the root of its inertia. False if it is not on the
/// line along the normal.
static bool fill_lever(const MrnPose *pose, const MrnContact *contact, const double *scaling, double sign,
                       double *lever) {
    MrnVec3 n = mrn_load3(contact->normal), r = mrn_sub3(mrn_load3(contact->position), pose->position);
    double arm = -sign * mrn_dot3(r, n);
    MrnVec3 off = mrn_axpy3(r, sign * arm, n);
    *lever = arm * scaling[1];
    return mrn_dot3(off, off) <= 1e-12 * arm * arm;
}

static void fill_contacts(void *context, size_t begin, size_t end, int thread) {
    Job *job = context;
    const MrnRigidInput *in = job->in;
    MrnProblem *problem = job->problem;
    for (size_t c = begin; c < end; c++) {
        const MrnContact *contact = &in->contacts[c];
        const MrnPairLaw *law = law_of(in, contact);
        MrnVec3 start = {0, 0, 0}, free = {0, 0, 0};
        double frame[3][3], at_start[MRN_DIM], at_end[MRN_DIM];
        MRN_NAMED(mrn_contact_frame)(contact, law, frame);
        for (int side = 0; side < 2; side++) {
            size_t body = (size_t)(side == 0 ? contact->body_a : contact->body_b), row = 2 * c + (size_t)side;
            double sign = side == 0 ? 1 : -1;
            MrnPose image;
            const MrnPose *pose = pose_of(in, contact, side, &image);
            const double *scaling = in->scaling + body * in->scales, *velocity = in->free + body * MRN_DOF;
            problem->bodies[row] = in->rank[body];
            start = mrn_axpy3(start, sign,
                              MRN_NAMED(mrn_point_velocity)(pose, in->velocity + body * MRN_DIM,
                                                            in->spin + body * MRN_SPIN, contact->position));
            free = mrn_axpy3(free, sign,
                             MRN_NAMED(mrn_point_velocity)(pose, velocity, velocity + MRN_DIM, contact->position));
            if (problem->jacobian)
                fill_rows(in, body, pose, contact, frame, sign, problem->jacobian + row * MRN_DIM * MRN_DOF);
            else if (in->rank[body] < 0)
                problem->lever[row] = 0;
            else if (!fill_lever(pose, contact, scaling, sign, &problem->lever[row]))
                job->oblique[thread] = true;
        }
        if (!problem->jacobian) memcpy(problem->normal + c * MRN_DIM, contact->normal, MRN_DIM * sizeof(double));
        for (int i = 0; i < MRN_DIM; i++) {
            at_start[i] = mrn_dot3(mrn_load3(frame[i]), start);
            at_end[i] = mrn_dot3(mrn_load3(frame[i]), free);
        }
        double *q = problem->free_velocity + c * MRN_DIM;
        q[0] = normal_free_velocity(in, contact, law, at_start[0], at_end[0]);
        for (int i = 1; i < MRN_DIM; i++) q[i] = at_end[i] + law->tangential_restitution * at_start[i];
        problem->friction[c] = law->friction;
        if (problem->law) problem->law[c] = MRN_LAW_COULOMB;
        if (MRN_DIM == 3 && law->cross_friction >= 0 && law->cross_friction != law->friction) {
            problem->law[c] = MRN_LAW_ELLIPTIC;
            problem->friction2[c] = law->cross_friction;
        }
    }
}

/// Couples that resist the relative rotation of two bodies in contact (Moreau 2003, 3.3): extra blocks after the
/// contacts.
static void add_rolling(const MrnRigidInput *in, MrnProblem *problem, int *rolling) {
    size_t row = in->contact_count;
    for (size_t c = 0; c < in->contact_count; c++) {
        const MrnContact *contact = &in->contacts[c];
        const MrnPairLaw *law = law_of(in, contact);
        rolling[c] = -1;
        if (!(law->rolling_length > 0)) continue;
        rolling[c] = (int)row;
        problem->law[row] = MRN_LAW_ROLLING;
        problem->friction[row] = law->rolling_length;
        problem->parent[row] = (int)c;
        double *q = problem->free_velocity + row * MRN_DIM;
        memset(q, 0, MRN_DIM * sizeof *q);
        for (int side = 0; side < 2; side++) {
            int body = side == 0 ? contact->body_a : contact->body_b;
            double sign = side == 0 ? 1 : -1;
            const double *free = in->free + (size_t)body * MRN_DOF;
            double root[MRN_SPIN];
            root_inertia(in, (size_t)body, root);
            double *rows = problem->jacobian + (2 * row + (size_t)side) * MRN_DIM * MRN_DOF;
            memset(rows, 0, MRN_DIM * MRN_DOF * sizeof *rows);
            problem->bodies[2 * row + (size_t)side] = in->rank[body];
#if MRN_DIM == 2
            // One rate only; the second row stays empty.
            rows[MRN_DIM] = sign * root[0];
            q[0] += sign * free[MRN_DIM];
#else
            double frame[3][3];
            mrn_contact_frame_3d(contact, law, frame);
            for (int i = 0; i < 3; i++) {
                MrnVec3 axis = mrn_mat3_transpose_times(&in->poses[body].rotation, mrn_load3(frame[i]));
                double components[3];
                mrn_store3(components, axis);
                for (int k = 0; k < 3; k++) {
                    rows[i * MRN_DOF + 3 + k] = sign * components[k] * root[k];
                    q[i] += sign * components[k] * free[3 + k];
                }
            }
#endif
        }
        row++;
    }
}

static void fill_balls(const MrnRigidInput *in, MrnArena *arena, MrnProblem *problem) {
    problem->normal = mrn_arena_take(arena, problem->contacts * MRN_DIM, sizeof(double));
    problem->lever = mrn_arena_take(arena, problem->contacts * 2, sizeof(double));
    problem->inverse_root_mass = mrn_arena_take(arena, in->free_count, sizeof(double));
    for (size_t r = 0; in->ranked && r < in->free_count; r++)
        problem->inverse_root_mass[r] = in->scaling[(size_t)in->ranked[r] * in->scales];
    for (size_t b = 0; !in->ranked && in->free_count && b < in->model->bodies.count; b++)
        if (in->rank[b] >= 0) problem->inverse_root_mass[in->rank[b]] = in->scaling[b * in->scales];
}

void MRN_NAMED(mrn_rigid_problem)(const MrnRigidInput *in, MrnArena *arena, MrnProblem *problem, int **rolling_of) {
    size_t rolling = 0;
    bool elliptic = false, any_rolling = false;
    for (size_t i = 0; i < in->model->materials.count * in->model->materials.count; i++) {
        elliptic |= in->laws[i].cross_friction >= 0 && in->laws[i].cross_friction != in->laws[i].friction;
        any_rolling |= in->laws[i].rolling_length > 0;
    }
    if (any_rolling)
        for (size_t c = 0; c < in->contact_count; c++) rolling += law_of(in, &in->contacts[c])->rolling_length > 0;
    size_t n = in->contact_count + rolling;
    *problem = (MrnProblem){.dimension = MRN_DIM, .contacts = n, .body_count = in->free_count, .dof = MRN_DOF};
    problem->free_velocity = mrn_arena_take(arena, n * MRN_DIM, sizeof(double));
    problem->friction = mrn_arena_take(arena, n, sizeof(double));
    problem->bodies = mrn_arena_take(arena, 2 * n, sizeof(int));
    bool round = in->round && !elliptic && !rolling;
    if (round)
        fill_balls(in, arena, problem);
    else
        problem->jacobian = mrn_arena_take(arena, n * 2 * MRN_DIM * MRN_DOF, sizeof(double));
    if ((MRN_DIM == 3 && elliptic) || rolling) {
        problem->law = mrn_arena_take(arena, n, sizeof *problem->law);
        problem->friction2 = mrn_arena_take(arena, n, sizeof(double));
        memset(problem->friction2, 0, n * sizeof(double));
    }
    if (rolling) {
        problem->parent = mrn_arena_take(arena, n, sizeof(int));
        for (size_t i = 0; i < n; i++) problem->parent[i] = -1;
    }
    Job job = {.in = in, .problem = problem};
    mrn_threads_for(in->threads, in->contact_count, 256, fill_contacts, &job);
    bool oblique = false;
    for (int k = 0; k < 64; k++) oblique |= job.oblique[k];
    if (oblique) {
        problem->jacobian = mrn_arena_take(arena, n * 2 * MRN_DIM * MRN_DOF, sizeof(double));
        problem->normal = problem->lever = problem->inverse_root_mass = NULL;
        mrn_threads_for(in->threads, in->contact_count, 256, fill_contacts, &job);
    }
    *rolling_of = rolling ? mrn_arena_take(arena, in->contact_count, sizeof **rolling_of) : NULL;
    if (rolling) add_rolling(in, problem, *rolling_of);
}
