// What Moreau (2003, section 9) measures in a conical pile: pressures on rings of the ground, forces through ribbons,
// reciprocal cuts, fossil layers, the slope of the free surface.
//
// Everything is a pure function of a model and one frame of a run in 3D. r is the distance from the vertical axis of
// the pile, z the height. Forces are impulses over the length of the step. SI units.
#ifndef MRN_MEASURE_PILE_H
#define MRN_MEASURE_PILE_H

#include "model/model.h"
#include <moraine/run.h>

/// A pile as the measures see it. Start from mrn_pile_view().
typedef struct MrnPile {
    const MrnModel *model;
    const MrnFrame *frame;
    double time_step; ///< s
    double axis[2];   ///< m, place of the axis
    double ground;    ///< m, height of the ground
} MrnPile;

/// The axis and ground of the first source, or the axis through the mass centre and the height of the lowest free body.
MrnPile mrn_pile_view(const MrnModel *model, const MrnFrame *frame, double time_step);

/// r and z of a point.
void mrn_pile_meridian(const MrnPile *pile, const double *point, double *r, double *z);
/// A grain that is there: free and active.
bool mrn_pile_has(const MrnPile *pile, size_t body);

/// Sums over all grains.
typedef struct MrnPileTotals {
    size_t grains, contacts; ///< contacts with an impulse
    size_t ground_contacts;  ///< of them with fixed or driven bodies
    double weight;           ///< N
    double ground_force;     ///< N, vertical, on the ground
    double base_radius;      ///< m, of the cone with the same mean distance of its mass from the axis: twice that mean
    double top;              ///< m above the ground, highest point of a grain
    double coordination;     ///< contacts per grain, one with another grain counts for both
    double overlap;          ///< m, deepest
    double max_speed;        ///< m/s
} MrnPileTotals;
MrnPileTotals mrn_pile_totals(const MrnPile *pile);

/// The ground under one ring (the first is a disc).
typedef struct MrnPileRing {
    double inner, outer; ///< m
    double pressure;     ///< Pa, mean vertical force per area
    double weight;       ///< N, of the grains with centres above the ring
    double force;        ///< N, vertical, on the ground
    size_t contacts;
} MrnPileRing;
/// Fill `count` rings of the given width. Contacts count where their points lie.
void mrn_pile_rings(const MrnPile *pile, double width, size_t count, MrnPileRing *rings);

/// The free surface: mean over the azimuth of the highest point of a grain, one entry per ring of the given width.
typedef struct MrnPileSurface {
    double inner, outer; ///< m
    double height;       ///< m above the ground; NAN where the ring has no grain
    size_t sectors;      ///< of the ring with a grain
} MrnPileSurface;
void mrn_pile_surface(const MrnPile *pile, double width, size_t count, MrnPileSurface *rings);

/// Straight fit of the surface between two shares of the base radius (Moreau's slope).
typedef struct MrnPileSlope {
    double angle;   ///< rad below the horizontal
    double height;  ///< m, of the fitted cone on the axis
    double scatter; ///< m, root mean square of the differences
    size_t rings;   ///< in the fit; < 2: no slope
} MrnPileSlope;
MrnPileSlope mrn_pile_slope(const MrnPileSurface *rings, size_t count, double from, double to);

/// A straight segment in the meridian half-plane; turned about the axis it is a ribbon of a cone, cylinder or ring.
typedef struct MrnRibbon {
    double r1, z1, r2, z2; ///< m
} MrnRibbon;

/// Mean force per area through a ribbon.
typedef struct MrnRibbonForce {
    double normal[2];   ///< (r, z), unit: the direction of the segment turned by +90 degrees
    double traction[2]; ///< Pa, (r, z): of the side to which the normal points, on the other side
    double area;        ///< m2
    size_t contacts;    ///< through it
} MrnRibbonForce;
/// Contacts between grains on different sides of the full line count if their points project onto the segment.
MrnRibbonForce mrn_ribbon_force(const MrnPile *pile, MrnRibbon ribbon);

/// Moreau's check: traction of cut 1; cut 2 through the same middle along that traction; angle of its traction with cut
/// 1, which is 0 if there is a symmetric stress.
typedef struct MrnReciprocity {
    MrnRibbon cuts[2];
    MrnRibbonForce forces[2];
    double angle; ///< rad, 0..pi/2; NAN if a cut has no force
} MrnReciprocity;
MrnReciprocity mrn_reciprocity(const MrnPile *pile, MrnRibbon cut);

/// Direction of the fossil layer through (r, z): angle of its meridian section below the horizontal outwards, rad. The
/// layer are the grains born within a twentieth of the time of deposition of the mean birth of those within `reach` of
/// the place; its section is the straight fit of their heights over their distances, within twice `reach` of r. NAN
/// with fewer than 8 grains.
double mrn_layer_angle(const MrnPile *pile, double r, double z, double reach, size_t *grains);

/// The grains born in one interval: where they are now.
typedef struct MrnLayer {
    size_t grains;
    double inside;       ///< share within `core` of the axis
    double mean_height;  ///< m above the ground, of those; NAN if there is none
    double mean_radius;  ///< m, of all
    double upper_radius; ///< m: a tenth of them are farther out
} MrnLayer;
MrnLayer mrn_pile_layer(const MrnPile *pile, double born_from, double born_to, double core);

/// Share of the volume that is grain, of the ring body r1 <= r < r2, z1 <= z < z2 (centres decide).
double mrn_pile_solid_fraction(const MrnPile *pile, double r1, double r2, double z1, double z2);

/// Vertical force balance of the grains with centres within `radius` of the axis.
typedef struct MrnPileBalance {
    double weight; ///< N
    double ground; ///< N, upwards from the ground
    double sides;  ///< N, upwards from the grains outside
} MrnPileBalance;
MrnPileBalance mrn_pile_balance(const MrnPile *pile, double radius);

/// Grains by speed: Moreau's grey levels, thresholds max_speed * 0.18^k, k = 1..4; counts[0] the fastest class.
void mrn_pile_speed_classes(const MrnPile *pile, size_t counts[5], double thresholds[4]);

#endif
