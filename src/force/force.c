// Gravity, constant loads and the gyroscopic couple -Omega x (I Omega), all taken at the start of the step as the
// scheme asks.
#include "force/force.h"

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

double mrn_potential_energy(const MrnModel *model, const MrnBody *body, const double *position) {
    double energy = 0;
    for (int k = 0; k < model->dimension; k++)
        energy -= (body->mass * model->gravity[k] + body->load->force[k]) * position[k];
    return energy;
}
