// Two or three dimensions from one source: a file that includes this is compiled with MRN_DIM 2, and again by a twin
// file `name_3d.c` of two lines that sets MRN_DIM to 3 and includes the first.
#ifndef MRN_DIM
#define MRN_DIM 2
#endif

#if MRN_DIM == 2
#define MRN_DOF         3 ///< velocity components of a rigid body
#define MRN_SPIN        1 ///< components of its angular velocity
#define MRN_ROTATION    1 ///< numbers that store its orientation: an angle
#define MRN_NAMED(name) name##_2d
#else
#define MRN_DOF         6
#define MRN_SPIN        3
#define MRN_ROTATION    4 ///< a unit quaternion w, x, y, z
#define MRN_NAMED(name) name##_3d
#endif
