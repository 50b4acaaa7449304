// Quantities with units: "12 km", "0.3 m/s", "9.81 m/s^2", "2500 kg/m3", "3 rpm".
//
// A unit is a product or quotient of named units with whole powers. Its value is held as a fraction so that "7 cm" and
// "0.07 m" are the same double. Angles have a dimension of their own here: an angle, an angular velocity and a
// frequency cannot be mistaken for each other.
#ifndef MRN_IO_UNITS_H
#define MRN_IO_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Powers of metre, kilogram, second, radian and kelvin.
typedef struct MrnDimension {
    int8_t length, mass, time, angle, temperature;
} MrnDimension;

/// Dimensions with a name: enum, name with article, powers, example. The first row that fits names a dimension found.
#define MRN_DIMENSION_LIST(X)                                                                                          \
    X(NUMBER, "a pure number", 0, 0, 0, 0, 0, "0.5")                                                                   \
    X(LENGTH, "a length", 1, 0, 0, 0, 0, "0.2 m")                                                                      \
    X(TIME, "a time", 0, 0, 1, 0, 0, "1 ms")                                                                           \
    X(MASS, "a mass", 0, 1, 0, 0, 0, "2 kg")                                                                           \
    X(ANGLE, "an angle", 0, 0, 0, 1, 0, "30 deg")                                                                      \
    X(TEMPERATURE, "a temperature", 0, 0, 0, 0, 1, "270 K")                                                            \
    X(SPEED, "a speed", 1, 0, -1, 0, 0, "0.3 m/s")                                                                     \
    X(ACCELERATION, "an acceleration", 1, 0, -2, 0, 0, "9.81 m/s2")                                                    \
    X(ANGULAR_VELOCITY, "an angular velocity", 0, 0, -1, 1, 0, "3 rad/s")                                              \
    X(FREQUENCY, "a frequency", 0, 0, -1, 0, 0, "60 Hz")                                                               \
    X(AREA, "an area", 2, 0, 0, 0, 0, "1 m2")                                                                          \
    X(VOLUME, "a volume", 3, 0, 0, 0, 0, "1 m3")                                                                       \
    X(AREA_DENSITY, "a mass per area", -2, 1, 0, 0, 0, "5 kg/m2")                                                      \
    X(VOLUME_DENSITY, "a mass per volume", -3, 1, 0, 0, 0, "2500 kg/m3")                                               \
    X(INERTIA, "a moment of inertia", 2, 1, 0, 0, 0, "0.1 kg m2")                                                      \
    X(FORCE, "a force", 1, 1, -2, 0, 0, "10 N")                                                                        \
    X(TORQUE, "a torque or energy", 2, 1, -2, 0, 0, "2 N m")                                                           \
    X(IMPULSE, "an impulse", 1, 1, -1, 0, 0, "1 N s")                                                                  \
    X(PRESSURE, "a pressure", -1, 1, -2, 0, 0, "1 kPa")                                                                \
    X(POWER, "a power", 2, 1, -3, 0, 0, "1 W")                                                                         \
    X(STIFFNESS, "a stiffness", 0, 1, -2, 0, 0, "1 kN/m")                                                              \
    X(SURFACE_ENERGY, "an energy per area", 0, 1, -2, 0, 0, "15 J/m2")

typedef enum MrnDimensionName {
#define X(name, text, m, kg, s, rad, kelvin, example) MRN_DIMENSION_##name,
    MRN_DIMENSION_LIST(X)
#undef X
        MRN_DIMENSION_COUNT,
    MRN_DIMENSION_DENSITY, ///< area density in 2D, volume density in 3D
    MRN_DIMENSION_ANY      ///< whatever the unit says
} MrnDimensionName;

/// A number in SI units and its dimension.
typedef struct MrnQuantity {
    double value;
    MrnDimension dimension;
} MrnQuantity;

MrnDimension mrn_dimension_of(MrnDimensionName name);
const char *mrn_dimension_text(MrnDimensionName name);    ///< "a length"
const char *mrn_dimension_example(MrnDimensionName name); ///< "0.2 m"
bool mrn_dimension_equal(MrnDimension a, MrnDimension b);
/// Write a dimension in words ("a speed") or, where it has no name, as a unit ("a quantity in kg m2/s").
void mrn_dimension_describe(MrnDimension dimension, char *out, size_t size);
/// Write a dimension as a product of SI units: "kg m2/s"; a pure number gives "".
void mrn_dimension_unit(MrnDimension dimension, char *out, size_t size);

/// Read up to `max` numbers separated by blanks, followed by at most one unit that holds for all of them. False with a
/// reason ("unknown unit \"metres\"") on failure. No unit: dimension of a pure number. Values may be infinite or NaN:
/// the caller checks.
bool mrn_quantities_parse(const char *text, size_t max, double *values, size_t *count, MrnDimension *dimension,
                          char *reason, size_t reason_size);
/// The same for one number.
bool mrn_quantity_parse(const char *text, MrnQuantity *out, char *reason, size_t reason_size);

/// Read one plain decimal number (or nan, inf), whatever the locale. Returns the end, or NULL if there is no number.
const char *mrn_number_parse(const char *text, double *value);

/// The unit and prefix tables as Markdown text, for the reference.
void mrn_units_describe(char *out, size_t size);
#endif
