// Impulses and couples of contacts in space. Include after base/dim.h.
#ifndef MRN_STEP_CONTACT_SPACE_H
#define MRN_STEP_CONTACT_SPACE_H

#include "step/world.h"

static inline void frame_of(const MrnWorld *world, const MrnContact *contact, double frame[3][3]) {
    size_t materials = world->model->materials.count;
    MRN_NAMED(mrn_contact_frame)
    (contact, &world->laws[(size_t)contact->material_a * materials + (size_t)contact->material_b], frame);
}

/// An impulse, or a couple in 3D, from the frame of its contact to space.
static inline MrnVec3 in_space(double frame[3][3], const double *p) {
    MrnVec3 sum = {0, 0, 0};
    for (int i = 0; i < MRN_DIM; i++) sum = mrn_axpy3(sum, p[i], mrn_load3(frame[i]));
    return sum;
}

/// The rolling couple of a contact on A in space: about z in 2D. Zero where there is none.
static inline MrnVec3 couple_of(const MrnWorld *world, size_t c, double frame[3][3]) {
    if (!world->rolling || world->rolling[c] < 0) return mrn_vec3(0, 0, 0);
    const double *couple = world->impulse + (size_t)world->rolling[c] * MRN_DIM;
    return MRN_DIM == 2 ? mrn_vec3(0, 0, couple[0]) : in_space(frame, couple);
}
#endif
