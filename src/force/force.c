// Gravity, constant loads and the gyroscopic couple -Omega x (I Omega), all taken at the start of the step as the
// scheme asks.
#include "force/force.h"

#include <math.h>

void mrn_free_velocity(const MrnModel *model, const MrnBody *body, const MrnPose *pose, double h,
                       const double *velocity, const double *spin, double *free_velocity, double *free_spin) {
    for (int k = 0; k < model->dimension; k++)
        free_velocity[k] = velocity[k] + h * (model->gravity[k] + body->load->force[k] * mrn_body_inverse_mass(body));
    if (model->dimension == 2) {
        free_spin[0] = spin[0] + h * body->load->torque[2] * mrn_body_inverse_inertia(body, 2);
        return;
    }
    MrnVec3 w = mrn_load3(spin),
            momentum = mrn_vec3(body->inertia[0] * w.x, body->inertia[1] * w.y, body->inertia[2] * w.z);
    MrnVec3 couple =
        mrn_sub3(mrn_mat3_transpose_times(&pose->rotation, mrn_load3(body->load->torque)), mrn_cross3(w, momentum));
    free_spin[0] = spin[0] + h * couple.x * mrn_body_inverse_inertia(body, 0);
    free_spin[1] = spin[1] + h * couple.y * mrn_body_inverse_inertia(body, 1);
    free_spin[2] = spin[2] + h * couple.z * mrn_body_inverse_inertia(body, 2);
}

void mrn_add_pushes(const MrnModel *model, size_t body, const MrnPose *pose, double time, double h,
                    double *free_velocity, double *free_spin) {
    size_t low = 0, high = model->pushes.count;
    while (low < high) { // the first push of this body
        size_t middle = (low + high) / 2;
        if ((size_t)model->pushes.data[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    const MrnBody *pushed = &model->bodies.data[body];
    for (; low < model->pushes.count && (size_t)model->pushes.data[low].body == body; low++) {
        const MrnPush *push = &model->pushes.data[low];
        double share = fmin(push->until, time + h) - fmax(push->from, time); // s of this step
        if (!(share > 0)) continue;
        for (int k = 0; k < model->dimension; k++)
            free_velocity[k] += share * push->force[k] * mrn_body_inverse_mass(pushed);
        if (model->dimension == 2) {
            free_spin[0] += share * push->torque[2] * mrn_body_inverse_inertia(pushed, 2);
            continue;
        }
        MrnVec3 couple = mrn_mat3_transpose_times(&pose->rotation, mrn_load3(push->torque));
        free_spin[0] += share * couple.x * mrn_body_inverse_inertia(pushed, 0);
        free_spin[1] += share * couple.y * mrn_body_inverse_inertia(pushed, 1);
        free_spin[2] += share * couple.z * mrn_body_inverse_inertia(pushed, 2);
    }
}

double mrn_potential_energy(const MrnModel *model, const MrnBody *body, const double *position) {
    double energy = 0;
    for (int k = 0; k < model->dimension; k++)
        energy -= (body->mass * model->gravity[k] + body->load->force[k]) * position[k];
    return energy;
}
