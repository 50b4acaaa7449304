// Bodies of the cases that set smooth contacts beside Contact Dynamics (Cherkaoui 2021, 4.3).
#ifndef MRN_VERIFY_DEM_CASES_H
#define MRN_VERIFY_DEM_CASES_H

#include <moraine/moraine.h>

double mrn_ball_mass(double radius); ///< kg, of a ball of 2700 kg/m3
/// Stepper dem with linear springs; stiffness 0: chosen by the program.
MrnScheme mrn_dem_scheme(double time_step, double stiffness);
/// A disc in the plane with the mass and inertia of a ball.
int mrn_add_flat_ball(MrnModel *model, double radius, double x, double y);
/// A turning ring about the origin.
int mrn_add_drum(MrnModel *model, double radius, double angular_velocity);

#endif
