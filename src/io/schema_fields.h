// The fields of a scene, once. Every line makes a member of a struct, a row of the table that reads and checks it, and
// a line of docs/scene.md.
//
// X(S, kind, name, what, default, range, text), where S is passed through: the name of the section
//   kind     QUANTITY, NUMBER, INTEGER, BOOLEAN, TEXT, CHOICE, VECTOR (one quantity per dimension), TURN (1 quantity in
//   2D, 3 in 3D),
//            QUATERNION (4 pure numbers), POINTS (list of vectors), NAMES (list of texts), ANY (quantity of any
//            dimension), OPTIONS (free mapping), SECTION, LIST (of sections); CASE, CASE_TEXT, CASE_QUANTITY: exactly
//            one of the cases of a section must be given
//   what     dimension of a quantity, name of a list of choices, name of a section
//   default  as it would be written in a scene; REQUIRED; or NONE: may be left out, the text says what happens then
//   range    in SI units: ">0", ">=0", "0..1", "0..<1"; "2D" or "3D" first: only there
#ifndef MRN_IO_SCHEMA_FIELDS_H
#define MRN_IO_SCHEMA_FIELDS_H

#define REQUIRED "!"
#define NONE     ""

// clang-format off
#define MRN_CHOICES(X) \
    X(scheme, "moreau-jean", "event-driven", "dem") \
    X(contact_mode, "active", "simultaneous") \
    X(stepping, "local", "global") \
    X(step_bound, "features", "guaranteed", "optimised", "half") \
    X(pair_distance, "min", "max", "other") \
    X(decompression, "total", "extra") \
    X(domain, "free", "periodic") \
    X(contact_force, "linear", "hertz", "hertz-mindlin") \
    X(integrator, "symplectic-euler", "velocity-verlet", "adams-bashforth") \
    X(activation, "gap", "moreau") \
    X(body, "free", "fixed", "driven") \
    X(outline, "convex", "star") \
    X(grain, "round", "convex", "star") \
    X(arrangement, "square", "hexagonal", "cubic", "fcc") \
    X(placing, "random", "lattice") \
    X(outside, "refuse", "hold") \
    X(floe_outline, "floe", "round") \
    X(reduce, "final", "at", "min", "max", "mean", "peak", "first-time-above", "first-time-below")

#define MRN_FIELDS_Rotation(X, S) \
    X(S, QUANTITY, angle, ANGLE, NONE, "", "turn by this angle, counter-clockwise seen from the tip of `axis`") \
    X(S, VECTOR, axis, NUMBER, "0 0 1", "3D", "axis of the turn, any length but 0") \
    X(S, QUATERNION, quaternion, NUMBER, NONE, "3D", "w, x, y, z instead of axis and angle") \
    X(S, VECTOR, euler, ANGLE, NONE, "3D", "angles about the fixed axes x, then y, then z, instead of axis and angle")

#define MRN_FIELDS_Size(X, S) \
    X(S, CASE_QUANTITY, value, LENGTH, NONE, ">0", "all the same") \
    X(S, CASE, uniform, SizeRange, NONE, "", "every size between two limits equally likely") \
    X(S, CASE, power_law, SizePower, NONE, "", "number of grains larger than r falls as r^-exponent between two limits") \
    X(S, CASE, lognormal, SizeLognormal, NONE, "", "logarithm of the size is normal; cut at two limits")

#define MRN_FIELDS_SizeRange(X, S) \
    X(S, QUANTITY, low, LENGTH, REQUIRED, ">0", "smallest size") \
    X(S, QUANTITY, high, LENGTH, REQUIRED, ">0", "largest size")

#define MRN_FIELDS_SizePower(X, S) \
    X(S, QUANTITY, low, LENGTH, REQUIRED, ">0", "smallest size") \
    X(S, QUANTITY, high, LENGTH, REQUIRED, ">0", "largest size") \
    X(S, NUMBER, exponent, NUMBER, REQUIRED, ">0", "exponent of the cumulative law")

#define MRN_FIELDS_SizeLognormal(X, S) \
    X(S, QUANTITY, median, LENGTH, REQUIRED, ">0", "half of the grains are smaller") \
    X(S, NUMBER, deviation, NUMBER, REQUIRED, "0..3", "standard deviation of the natural logarithm") \
    X(S, QUANTITY, low, LENGTH, REQUIRED, ">0", "no grain is smaller") \
    X(S, QUANTITY, high, LENGTH, REQUIRED, ">0", "no grain is larger")

#define MRN_FIELDS_Disc(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "radius")

#define MRN_FIELDS_Polygon(X, S) \
    X(S, POINTS, vertices, LENGTH, NONE, "", "corners in order around the polygon, convex or not, without crossing itself") \
    X(S, TEXT, file, NUMBER, NONE, "", "outline file (WKT or GeoJSON) instead of vertices") \
    X(S, QUANTITY, unit, LENGTH, "1 m", ">0", "length of 1 in the file") \
    X(S, QUANTITY, radius, LENGTH, "0 m", ">=0", "rounds the polygon outwards")

#define MRN_FIELDS_Rectangle(X, S) \
    X(S, VECTOR, size, LENGTH, REQUIRED, ">0", "width and height") \
    X(S, QUANTITY, radius, LENGTH, "0 m", ">=0", "rounds the rectangle outwards")

#define MRN_FIELDS_Regular(X, S) \
    X(S, INTEGER, sides, NUMBER, REQUIRED, "3..10000", "number of sides") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "distance of the corners from the centre")

#define MRN_FIELDS_Irregular(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "distance of the farthest corners from the centre") \
    X(S, INTEGER, corners, NUMBER, "7", "3..1000", "number of corners") \
    X(S, NUMBER, irregularity, NUMBER, "0.3", "0..<1", "0: regular") \
    X(S, CHOICE, outline, outline, "convex", "", "`star` gives hollows (2D)") \
    X(S, INTEGER, seed, NUMBER, "1", ">=0", "another seed, another outline; a generator draws a new outline for each body")

#define MRN_FIELDS_Segment(X, S) \
    X(S, VECTOR, from, LENGTH, REQUIRED, "", "one end") \
    X(S, VECTOR, to, LENGTH, REQUIRED, "", "other end") \
    X(S, QUANTITY, radius, LENGTH, "0 m", ">=0", "half thickness")

#define MRN_FIELDS_Chain(X, S) \
    X(S, POINTS, vertices, LENGTH, NONE, "", "corners of an open line, solid on both sides") \
    X(S, TEXT, file, NUMBER, NONE, "", "outline file (WKT or GeoJSON) instead of vertices") \
    X(S, QUANTITY, unit, LENGTH, "1 m", ">0", "length of 1 in the file") \
    X(S, QUANTITY, radius, LENGTH, "0 m", ">=0", "half thickness")

#define MRN_FIELDS_HalfPlane(X, S) \
    X(S, VECTOR, normal, NUMBER, "0 1", "", "points out of the solid, any length but 0")

#define MRN_FIELDS_Plane(X, S) \
    X(S, VECTOR, normal, NUMBER, "0 0 1", "", "points out of the solid, any length but 0")

#define MRN_FIELDS_Block(X, S) \
    X(S, VECTOR, size, LENGTH, REQUIRED, ">0", "full sides along x, y, z")

#define MRN_FIELDS_Capsule(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "radius") \
    X(S, QUANTITY, length, LENGTH, REQUIRED, ">0", "of the axis, without the caps; along z")

#define MRN_FIELDS_Cylinder(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "radius") \
    X(S, QUANTITY, height, LENGTH, REQUIRED, ">0", "along z")

#define MRN_FIELDS_Polyhedron(X, S) \
    X(S, POINTS, vertices, LENGTH, REQUIRED, "", "the convex hull of these points")

#define MRN_FIELDS_Tube(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "inner radius") \
    X(S, QUANTITY, length, LENGTH, REQUIRED, ">0", "along z, open ends")

#define MRN_FIELDS_Funnel(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">=0", "inner radius at the bottom") \
    X(S, QUANTITY, top_radius, LENGTH, REQUIRED, ">0", "inner radius at the top") \
    X(S, QUANTITY, height, LENGTH, REQUIRED, ">0", "along z, centred")

#define MRN_FIELDS_Mesh(X, S) \
    X(S, TEXT, file, NUMBER, REQUIRED, "", "OBJ or STL file") \
    X(S, QUANTITY, unit, LENGTH, "1 m", ">0", "length of 1 in the file")

#define MRN_FIELDS_Shape(X, S) \
    X(S, TEXT, name, NUMBER, NONE, "", "in the list `shapes`: the name by which bodies use it") \
    X(S, CASE_TEXT, named, NUMBER, NONE, "", "a shape of the list `shapes`; `shape: pebble` means the same") \
    X(S, CASE, disc, Disc, NONE, "2D", "a disc") \
    X(S, CASE, polygon, Polygon, NONE, "2D", "any simple polygon") \
    X(S, CASE, rectangle, Rectangle, NONE, "2D", "a rectangle about its centre") \
    X(S, CASE, regular, Regular, NONE, "2D", "a regular polygon, one corner on +x") \
    X(S, CASE, irregular, Irregular, NONE, "", "a random pebble: polygon in 2D, polyhedron in 3D") \
    X(S, CASE, segment, Segment, NONE, "2D", "obstacle: a straight line, solid on both sides") \
    X(S, CASE, chain, Chain, NONE, "2D", "obstacle: a broken line, solid on both sides") \
    X(S, CASE, ring, Disc, NONE, "2D", "obstacle: the outside of a circle") \
    X(S, CASE, half_plane, HalfPlane, NONE, "2D", "obstacle: solid below a line through the origin of the shape") \
    X(S, CASE, sphere, Disc, NONE, "3D", "a ball") \
    X(S, CASE, box, Block, NONE, "3D", "a box about its centre") \
    X(S, CASE, capsule, Capsule, NONE, "3D", "a cylinder with round caps") \
    X(S, CASE, cylinder, Cylinder, NONE, "3D", "a cylinder about its centre") \
    X(S, CASE, polyhedron, Polyhedron, NONE, "3D", "a convex polyhedron") \
    X(S, CASE, plane, Plane, NONE, "3D", "obstacle: solid below a plane through the origin of the shape") \
    X(S, CASE, tube, Tube, NONE, "3D", "obstacle: the inner side of a hollow cylinder") \
    X(S, CASE, funnel, Funnel, NONE, "3D", "obstacle: the inner side of a hollow cone") \
    X(S, CASE, mesh, Mesh, NONE, "3D", "obstacle: triangles from a file") \
    X(S, VECTOR, position, LENGTH, "0", "", "origin of the shape in the body") \
    X(S, SECTION, rotation, Rotation, NONE, "", "of the shape in the body; in 2D just an angle") \
    X(S, TEXT, material, NUMBER, NONE, "", "instead of the material of the body")

#define MRN_FIELDS_ConstantMotion(X, S) \
    X(S, VECTOR, velocity, SPEED, "0", "", "constant velocity") \
    X(S, QUANTITY, angular_velocity, ANGULAR_VELOCITY, "0", "", "constant rate of turning about `axis`") \
    X(S, VECTOR, axis, NUMBER, "0 0 1", "3D", "axis in space, through the origin of the body")

#define MRN_FIELDS_SineMotion(X, S) \
    X(S, VECTOR, amplitude, LENGTH, "0", "", "of the displacement") \
    X(S, QUANTITY, angular_amplitude, ANGLE, "0", "", "of the turning about `axis`") \
    X(S, QUANTITY, frequency, FREQUENCY, REQUIRED, ">0", "frequency") \
    X(S, QUANTITY, phase, ANGLE, "0", "", "motion is amplitude sin(2 pi frequency t + phase)") \
    X(S, VECTOR, axis, NUMBER, "0 0 1", "3D", "axis in space, through the origin of the body")

#define MRN_FIELDS_MotionRow(X, S) \
    X(S, QUANTITY, time, TIME, REQUIRED, "", "times increase from row to row") \
    X(S, VECTOR, displacement, LENGTH, "0", "", "from the position of the body") \
    X(S, QUANTITY, angle, ANGLE, "0", "", "turned about `axis`")

#define MRN_FIELDS_TableMotion(X, S) \
    X(S, LIST, rows, MotionRow, NONE, "", "linear between rows, at rest before the first and after the last") \
    X(S, TEXT, file, NUMBER, NONE, "", "text file instead of rows: time, x, y, (z,) angle per line, in s, m and rad; # begins a comment") \
    X(S, VECTOR, axis, NUMBER, "0 0 1", "3D", "axis in space, through the origin of the body")

#define MRN_FIELDS_Motion(X, S) \
    X(S, CASE, constant, ConstantMotion, NONE, "", "at constant speed") \
    X(S, CASE, sine, SineMotion, NONE, "", "to and fro") \
    X(S, CASE, table, TableMotion, NONE, "", "from a table")

#define MRN_FIELDS_Time(X, S) \
    X(S, QUANTITY, step, TIME, "1 ms", ">0", "length of a time step") \
    X(S, QUANTITY, end, TIME, REQUIRED, ">0", "when the simulation ends") \
    X(S, QUANTITY, output, TIME, NONE, ">0", "time between recorded frames; left out: a hundredth of `end`, at least one step") \
    X(S, CHOICE, scheme, scheme, "moreau-jean", "", "how time is stepped") \
    X(S, NUMBER, theta, NUMBER, "0.5", "0.5..1", "0.5: Moreau's mid-point rule; 1: implicit Euler") \
    X(S, CHOICE, activation, activation, "gap", "", "`gap`: contacts close without overlap; `moreau`: contacts act when they touch at mid-step") \
    X(S, NUMBER, gap_tolerance, NUMBER, "1e-6", ">=0", "contacts closer than this part of the smallest body count as touching") \
    X(S, NUMBER, recovery, NUMBER, NONE, "0..1", "share of an overlap removed per step; left out: 0.2, or 0 with `activation: moreau`") \
    X(S, QUANTITY, recovery_speed, SPEED, "0", ">=0", "cap of the speed of that removal; 0: the size of the smallest body per 100 steps") \
    X(S, BOOLEAN, warm_start, NUMBER, "true", "", "start each solve from the impulses of the step before") \
    X(S, BOOLEAN, keep_memory, NUMBER, "false", "", "remember the impulse of a lost contact for one more step") \
    X(S, QUANTITY, checkpoint, TIME, "60 s", ">0", "wall time between checkpoints")

#define MRN_FIELDS_EventDriven(X, S) \
    X(S, CHOICE, contacts, contact_mode, "active", "", "`active`: contacts that approach, again and again until none does; `simultaneous`: all contacts of a connected group at once") \
    X(S, CHOICE, stepping, stepping, "local", "", "`local`: every pair of bodies has its own bound in time, forces act once per step; `global`: all bodies take the same sub-step, forces act in each") \
    X(S, CHOICE, bound, step_bound, "features", "", "with `global`: how long a sub-step may be. `features`: proven, from close edges; `guaranteed`: collision distance over belt speed; `optimised`: the thesis' two optimisations, undone where bodies overlap; `half`: half the separation (the paper)") \
    X(S, NUMBER, collision_distance, NUMBER, "0.01", ">0", "over the square root of the area of a body") \
    X(S, CHOICE, pair_distance, pair_distance, "min", "", "collision distance of two bodies: of the smaller, of the larger, or for each vertex that of the other body") \
    X(S, NUMBER, clearance, NUMBER, "0.05", "0..<1", "least distance kept by the bounds of the thesis, over the pair distance; above 0, or bodies that slide and turn would overlap") \
    X(S, NUMBER, cone_tolerance, NUMBER, "1e-3", "0..1", "sine by which a contact normal may leave the normal cone of its vertex") \
    X(S, BOOLEAN, cone_filter, NUMBER, "true", "", "false: a frame for every close vertex (the paper)") \
    X(S, INTEGER, span, NUMBER, "0", "0..100", "a disc of level 1 stands for twice as many edges; 0: 2, or 3 for outlines of more than 32 corners") \
    X(S, INTEGER, belt_directions, NUMBER, "19", "4..10000", "of the `optimised` bound") \
    X(S, QUANTITY, approach_rate, FREQUENCY, "1e-4 1/s", ">=0", "contacts that close slower than this share of their gap are left alone; 0 in tests of exact impacts") \
    X(S, NUMBER, lcp_tolerance, NUMBER, "1e-11", ">0", "residual of an accepted complementarity problem") \
    X(S, NUMBER, energy_tolerance, NUMBER, "1e-4", ">=0", "growth of energy in one phase over what compression absorbs") \
    X(S, NUMBER, relaxed_energy_tolerance, NUMBER, "1e-2", ">=0", "the same where energy alone decides") \
    X(S, INTEGER, variants, NUMBER, "3", "1..3", "of Lemke's method that are tried") \
    X(S, INTEGER, perturbations, NUMBER, "20", "0..10000", "rounds with slightly changed coefficients after that") \
    X(S, INTEGER, quick_sweeps, NUMBER, "40", "0..1000000", "sweeps of one-contact solutions tried before the equations of the statuses; 0: Lemke's method at once") \
    X(S, INTEGER, dense_limit, NUMBER, "200", "0..500", "larger groups of contacts are solved by sweeps, not by Lemke's method") \
    X(S, CHOICE, decompression, decompression, "total", "", "what bounds friction in decompression: the total normal impulse, or its extra part alone (the literal text)") \
    X(S, INTEGER, together_after, NUMBER, "5", "0..1000000", "active mode: pairs that collided this many times in one stage are solved together from then on; 0: never") \
    X(S, INTEGER, max_rounds, NUMBER, "50", "1..1000000", "of the active mode, over the number of contacts")

#define MRN_FIELDS_Domain(X, S) \
    X(S, CHOICE, kind, domain, "free", "", "`free`: open all around, obstacles are bodies; `periodic`: the plane repeats itself with a rectangular cell (2D, schemes `event-driven` and `moreau-jean`)") \
    X(S, VECTOR, low, LENGTH, "0", "", "lower corner of the cell") \
    X(S, VECTOR, high, LENGTH, "0", "", "upper corner of the cell")

#define MRN_FIELDS_Breaking(X, S) \
    X(S, QUANTITY, energy, SURFACE_ENERGY, "15 J/m2", ">0", "what a crack costs, over its length times the thickness") \
    X(S, QUANTITY, smallest, AREA, REQUIRED, ">0", "least area of a piece; floes of less than twice this do not break") \
    X(S, QUANTITY, angle, ANGLE, "30 deg", "0..1.57", "the crack is the shortest one from the point of impact within this angle from the impulse") \
    X(S, QUANTITY, memory, TIME, "0", ">=0", "time in which a floe forgets all but 1/e of the energy of earlier impacts; 0: it must break in one step") \
    X(S, TEXT, material, NUMBER, NONE, "", "only bodies of this material; left out: of any")

#define MRN_FIELDS_Solver(X, S) \
    X(S, TEXT, name, NUMBER, "auto", "", "a name that `moraine solvers` lists; auto: the program chooses") \
    X(S, NUMBER, tolerance, NUMBER, "1e-5", ">0", "stop below this scaled residual") \
    X(S, INTEGER, max_iterations, NUMBER, "10000", "1..2147483647", "give up after this many sweeps") \
    X(S, QUANTITY, time_limit, TIME, "0", ">=0", "wall time per solve; 0: none") \
    X(S, OPTIONS, options, NUMBER, NONE, "", "options of this solver: name: value")

#define MRN_FIELDS_DemPair(X, S) \
    X(S, NAMES, between, NUMBER, REQUIRED, "", "two materials") \
    X(S, QUANTITY, normal_stiffness, STIFFNESS, NONE, ">0", "of the linear force, instead of that of all pairs") \
    X(S, NUMBER, restitution, NUMBER, NONE, "0..1", "instead of that of the law")

#define MRN_FIELDS_DemMaterial(X, S) \
    X(S, TEXT, material, NUMBER, REQUIRED, "", "a name of the list `materials`") \
    X(S, QUANTITY, young_modulus, PRESSURE, REQUIRED, ">0", "of this material") \
    X(S, NUMBER, poisson_ratio, NUMBER, "0.25", "0..0.5", "of this material")

#define MRN_FIELDS_Dem(X, S) \
    X(S, CHOICE, force, contact_force, "linear", "", "`linear`: constant stiffness; `hertz`: elastic spheres; `hertz-mindlin`: with Mindlin's tangential stiffness") \
    X(S, CHOICE, integrator, integrator, "symplectic-euler", "", "how sub-steps are taken") \
    X(S, QUANTITY, normal_stiffness, STIFFNESS, NONE, ">0", "of the linear force; left out: such that overlaps stay near 1 % of a radius") \
    X(S, NUMBER, stiffness_ratio, NUMBER, "0.2857142857142857", "0..2", "tangential over normal stiffness of the linear force") \
    X(S, NUMBER, damping_ratio, NUMBER, "0.5", "0..2", "tangential over normal damping") \
    X(S, QUANTITY, young_modulus, PRESSURE, NONE, ">0", "of all materials, for the Hertz forces") \
    X(S, NUMBER, poisson_ratio, NUMBER, NONE, "0..0.5", "of all materials, for the Hertz forces; left out: 0.25") \
    X(S, NUMBER, restitution, NUMBER, NONE, "0..1", "of all pairs; left out: that of the laws") \
    X(S, NUMBER, substeps_per_collision, NUMBER, "50", ">=5", "sub-steps in the shortest collision") \
    X(S, QUANTITY, step, TIME, NONE, ">0", "longest sub-step, instead of one from the collision time; above the stability limit it is refused") \
    X(S, QUANTITY, impact_speed, SPEED, NONE, ">0", "largest expected, for the automatic stiffness and the Hertz collision time; left out: estimated") \
    X(S, LIST, materials, DemMaterial, NONE, "", "elasticity of single materials") \
    X(S, LIST, pairs, DemPair, NONE, "", "what differs for single pairs of materials")

#define MRN_FIELDS_Material(X, S) \
    X(S, TEXT, name, NUMBER, REQUIRED, "", "name") \
    X(S, QUANTITY, density, DENSITY, NONE, ">0", "mass per volume, in 2D per area; needed by free bodies without a `mass`") \
    X(S, QUANTITY, volume_density, VOLUME_DENSITY, NONE, "2D >0", "mass per volume, for bodies with a `thickness`")

#define MRN_FIELDS_ForcingRow(X, S) \
    X(S, QUANTITY, time, TIME, REQUIRED, "", "times increase from row to row") \
    X(S, VECTOR, velocity, SPEED, REQUIRED, "", "wind or current at this time")

#define MRN_FIELDS_ForcingTable(X, S) \
    X(S, LIST, rows, ForcingRow, NONE, "", "between rows the strength is linear and the direction turns the shorter way") \
    X(S, TEXT, file, NUMBER, NONE, "", "CSV file instead of rows, with or without a line of column names") \
    X(S, NAMES, columns, NUMBER, NONE, "", "three columns of the file, by name or by number from 1: time, x, y; left out: the first three") \
    X(S, QUANTITY, interval, TIME, NONE, ">0", "the lines of the file are this far apart in time; `columns` are then only x and y") \
    X(S, QUANTITY, time_unit, TIME, "1 s", ">0", "of times in the file") \
    X(S, QUANTITY, unit, SPEED, "1 m/s", ">0", "of velocities in the file")

#define MRN_FIELDS_ForcingVortex(X, S) \
    X(S, VECTOR, centre, LENGTH, "0", "", "of the vortex") \
    X(S, QUANTITY, speed, SPEED, REQUIRED, "", "largest, at `radius`; above 0: counter-clockwise") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "turns like a solid inside, falls as 1/r outside")

#define MRN_FIELDS_ForcingRadial(X, S) \
    X(S, VECTOR, centre, LENGTH, "0", "", "where the streamlines meet") \
    X(S, QUANTITY, speed, SPEED, REQUIRED, "", "away from the centre; below 0: towards it") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "the speed falls to 0 at the centre inside this radius")

#define MRN_FIELDS_ForcingChannel(X, S) \
    X(S, VECTOR, centre, LENGTH, "0", "", "a point on the axis") \
    X(S, QUANTITY, speed, SPEED, REQUIRED, "", "on the axis") \
    X(S, QUANTITY, half_width, LENGTH, REQUIRED, ">0", "distance from the axis where the parabola ends; nothing flows outside") \
    X(S, QUANTITY, direction, ANGLE, "0 deg", "", "of the stream, counter-clockwise from +x")

#define MRN_FIELDS_ForcingGrid(X, S) \
    X(S, TEXT, file, NUMBER, REQUIRED, "", "netCDF file with the CF conventions") \
    X(S, NAMES, variables, NUMBER, NONE, "", "eastward and northward component; left out: uwnd/vwnd, u10/v10, uo/vo and other usual names") \
    X(S, TEXT, start, NUMBER, NONE, "", "date and time of time 0 of the scene, for example 2008-02-10 06:00:00; left out: the first of the file") \
    X(S, QUANTITY, longitude, ANGLE, NONE, "", "of the origin of the scene, for a file with longitudes") \
    X(S, QUANTITY, latitude, ANGLE, NONE, "", "of the origin of the scene, for a file with latitudes") \
    X(S, INTEGER, level, NUMBER, "1", "1..1000000", "which depth or height, where the file has several")

#define MRN_FIELDS_Forcing(X, S) \
    X(S, VECTOR, velocity, SPEED, NONE, "", "the same everywhere and always; `wind: 10 0 m/s` means the same") \
    X(S, SECTION, table, ForcingTable, NONE, "", "changes in time, the same everywhere") \
    X(S, SECTION, vortex, ForcingVortex, NONE, "", "turns about a centre") \
    X(S, SECTION, radial, ForcingRadial, NONE, "", "away from a centre or towards it") \
    X(S, SECTION, channel, ForcingChannel, NONE, "", "a stream between two banks") \
    X(S, SECTION, netcdf, ForcingGrid, NONE, "", "changes in time and space, from a file") \
    X(S, QUANTITY, ramp, TIME, "0", ">=0", "grows from rest over this time; tables and files begin afterwards") \
    X(S, QUANTITY, start, TIME, "0", "", "time of the table or file that is time 0 of the scene (after the ramp)") \
    X(S, CHOICE, outside, outside, "refuse", "", "a scene longer than a table or file: `refuse` it, or `hold` the first and last values")

#define MRN_FIELDS_Ocean(X, S) \
    X(S, QUANTITY, depth, LENGTH, "15 m", ">0", "of the layer that moves with the ice") \
    X(S, QUANTITY, area, AREA, REQUIRED, ">0", "of the ocean cell; the floes are in it") \
    X(S, QUANTITY, friction, SPEED, "1e-5 m/s", ">=0", "friction velocity at the base of the layer")

#define MRN_FIELDS_Environment(X, S) \
    X(S, SECTION, wind, Forcing, NONE, "", "at the surface; left out: calm") \
    X(S, SECTION, current, Forcing, NONE, "", "at the surface; left out: water at rest") \
    X(S, SECTION, ocean, Ocean, NONE, "", "a layer of the ocean that ice and wind set in motion; `current` is then its slow part") \
    X(S, QUANTITY, latitude, ANGLE, NONE, "", "for the Coriolis force, at y = 0; left out, with `coriolis` too: none") \
    X(S, QUANTITY, coriolis, FREQUENCY, NONE, "", "Coriolis parameter, instead of the latitude") \
    X(S, BOOLEAN, follow_latitude, NUMBER, "false", "", "the latitude changes with y, which points north") \
    X(S, QUANTITY, air_density, VOLUME_DENSITY, "1.341 kg/m3", ">=0", "density of air") \
    X(S, NUMBER, air_drag, NUMBER, "1.7e-3", ">=0", "coefficient of quadratic drag") \
    X(S, QUANTITY, water_density, VOLUME_DENSITY, "1024.071 kg/m3", ">=0", "density of water") \
    X(S, NUMBER, water_drag, NUMBER, "5e-3", ">=0", "coefficient of quadratic drag") \
    X(S, QUANTITY, linear_drag, SPEED, "0", ">=0", "coefficient of a linear drag of water, added to the quadratic one") \
    X(S, BOOLEAN, relative_wind, NUMBER, "false", "", "the velocity of the body counts in the drag of air") \
    X(S, INTEGER, elements, NUMBER, "25", "1..100000", "triangles per body, about, over which drag is integrated")

#define MRN_FIELDS_ThicknessSample(X, S) \
    X(S, VECTOR, at, LENGTH, REQUIRED, "", "in the frame of the shapes") \
    X(S, QUANTITY, thickness, LENGTH, REQUIRED, ">0", "there")

#define MRN_FIELDS_Push(X, S) \
    X(S, VECTOR, force, FORCE, "0", "", "at the mass centre") \
    X(S, TURN, torque, TORQUE, "0", "", "couple in space") \
    X(S, QUANTITY, from, TIME, "0", ">=0", "when it begins") \
    X(S, QUANTITY, until, TIME, NONE, ">0", "when it ends; left out: never")

#define MRN_FIELDS_Law(X, S) \
    X(S, TEXT, name, NUMBER, NONE, "", "a name for `--set`") \
    X(S, NAMES, between, NUMBER, NONE, "", "two materials; left out: the law of all pairs that have none") \
    X(S, NUMBER, friction, NUMBER, "0", ">=0", "coefficient of Coulomb friction") \
    X(S, NUMBER, restitution, NUMBER, "0", "0..1", "normal restitution") \
    X(S, NUMBER, tangential_restitution, NUMBER, "0", "0..1", "tangential restitution") \
    X(S, NUMBER, cross_friction, NUMBER, NONE, "3D >=0", "second coefficient of an elliptic cone; left out: the same in all directions") \
    X(S, VECTOR, friction_axis, NUMBER, "1 0 0", "3D", "direction in space in which `friction` holds when `cross_friction` is given") \
    X(S, QUANTITY, rolling_length, LENGTH, "0", ">=0", "bound of the rolling couple over the normal force")

#define MRN_FIELDS_Body(X, S) \
    X(S, TEXT, name, NUMBER, NONE, "", "unique; left out: body N") \
    X(S, CHOICE, kind, body, "free", "", "`fixed` never moves, `driven` follows `motion`") \
    X(S, TEXT, material, NUMBER, NONE, "", "left out: the first of the list `materials`") \
    X(S, SECTION, shape, Shape, NONE, "", "what the body is made of") \
    X(S, LIST, shapes, Shape, NONE, "", "several shapes, instead of `shape`") \
    X(S, VECTOR, position, LENGTH, "0", "", "of the origin of the shapes") \
    X(S, SECTION, rotation, Rotation, NONE, "", "orientation; in 2D just an angle") \
    X(S, VECTOR, velocity, SPEED, "0", "", "of the mass centre (free bodies)") \
    X(S, TURN, angular_velocity, ANGULAR_VELOCITY, "0", "", "in space (free bodies)") \
    X(S, QUANTITY, mass, MASS, NONE, ">0", "instead of the mass that densities give; the inertia scales with it") \
    X(S, TURN, inertia, INERTIA, NONE, ">0", "principal moments, instead of those the shapes give") \
    X(S, VECTOR, force, FORCE, "0", "", "constant force at the mass centre") \
    X(S, TURN, torque, TORQUE, "0", "", "constant couple in space") \
    X(S, LIST, pushes, Push, NONE, "", "forces that act for a while (free bodies; not with smooth contacts)") \
    X(S, SECTION, motion, Motion, NONE, "", "of a driven body") \
    X(S, QUANTITY, birth, TIME, "0", ">=0", "the body appears at this time") \
    X(S, INTEGER, group, NUMBER, "0", "0..2147483647", "bodies of the same group above 0 do not collide") \
    X(S, QUANTITY, collision_distance, LENGTH, NONE, "2D >0", "of the event-driven stepper; left out: from the area") \
    X(S, QUANTITY, thickness, LENGTH, NONE, "2D >0", "of a floe: its mass is `volume_density` times area times thickness") \
    X(S, LIST, thickness_samples, ThicknessSample, NONE, "2D", "a thickness that varies: each triangle of the mesh takes the nearest sample")

#define MRN_FIELDS_BoxRegion(X, S) \
    X(S, VECTOR, low, LENGTH, REQUIRED, "", "lower corner") \
    X(S, VECTOR, high, LENGTH, REQUIRED, "", "upper corner")

#define MRN_FIELDS_BallRegion(X, S) \
    X(S, VECTOR, centre, LENGTH, "0", "", "centre") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "radius")

#define MRN_FIELDS_TubeRegion(X, S) \
    X(S, VECTOR, centre, LENGTH, "0", "", "centre") \
    X(S, VECTOR, axis, NUMBER, "0 1 0", "", "direction of the axis") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "radius") \
    X(S, QUANTITY, length, LENGTH, REQUIRED, ">0", "along the axis")

#define MRN_FIELDS_Region(X, S) \
    X(S, CASE, box, BoxRegion, NONE, "", "a box along the axes (a rectangle in 2D)") \
    X(S, CASE, ball, BallRegion, NONE, "", "a ball (a disc in 2D)") \
    X(S, CASE, tube, TubeRegion, NONE, "3D", "a cylinder, for drums")

#define MRN_FIELDS_Grid(X, S) \
    X(S, SECTION, shape, Shape, REQUIRED, "", "of each body") \
    X(S, VECTOR, count, NUMBER, REQUIRED, ">=1", "whole numbers: columns and rows, in 3D layers along x, y, z") \
    X(S, VECTOR, spacing, LENGTH, REQUIRED, ">0", "from one body to the next") \
    X(S, VECTOR, position, LENGTH, "0", "", "of the first body") \
    X(S, QUANTITY, jitter, LENGTH, "0", ">=0", "largest random displacement along each axis") \
    X(S, NUMBER, size_spread, NUMBER, "0", "0..<1", "each body is scaled by a random factor between 1 - spread and 1 + spread") \
    X(S, BOOLEAN, random_rotation, NUMBER, "false", "", "turn each body at random")

#define MRN_FIELDS_Fill(X, S) \
    X(S, SECTION, region, Region, REQUIRED, "", "where the grains are; they stay inside whole") \
    X(S, INTEGER, count, NUMBER, REQUIRED, "1..20000000", "number of grains") \
    X(S, SECTION, radius, Size, REQUIRED, "", "radius of each grain (of the circle around an irregular one)") \
    X(S, CHOICE, grain, grain, "round", "", "`round`: discs or balls; `convex`: polygons or polyhedra; `star`: polygons with hollows (2D)") \
    X(S, INTEGER, corners, NUMBER, "7", "3..1000", "of each irregular grain") \
    X(S, NUMBER, irregularity, NUMBER, "0.3", "0..<1", "of irregular grains") \
    X(S, CHOICE, placing, placing, "random", "", "`random`: thrown, the largest first; `lattice`: on jittered rows from the bottom up, fast and dense") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "least distance between grains")

#define MRN_FIELDS_Lattice(X, S) \
    X(S, SECTION, region, Region, REQUIRED, "", "filled with as many grains as fit") \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "of the discs or balls") \
    X(S, CHOICE, arrangement, arrangement, NONE, "", "2D: square, hexagonal; 3D: cubic, fcc; left out: the densest") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "between neighbours")

#define MRN_FIELDS_Wall(X, S) \
    X(S, VECTOR, brick, LENGTH, REQUIRED, ">0", "size of a whole brick; 3D: length, thickness, height") \
    X(S, INTEGER, courses, NUMBER, REQUIRED, "1..100000", "number of courses") \
    X(S, INTEGER, bricks, NUMBER, REQUIRED, "1..100000", "whole bricks in a course; every other course begins and ends with a half") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "of the upright joints") \
    X(S, VECTOR, position, LENGTH, "0", "", "lower left (front) corner of the wall")

#define MRN_FIELDS_Arch(X, S) \
    X(S, QUANTITY, inner_radius, LENGTH, REQUIRED, ">0", "of the intrados") \
    X(S, QUANTITY, thickness, LENGTH, REQUIRED, ">0", "of the ring") \
    X(S, INTEGER, voussoirs, NUMBER, REQUIRED, "1..100000", "number of blocks") \
    X(S, QUANTITY, springing, ANGLE, "0", "0..<1.5", "of the lowest joints above the horizontal; 0: a semicircle") \
    X(S, BOOLEAN, abutments, NUMBER, "true", "", "add a fixed block under each end") \
    X(S, QUANTITY, depth, LENGTH, NONE, "3D >0", "of the blocks along y; needed in 3D") \
    X(S, VECTOR, position, LENGTH, "0", "", "centre of the circle")

#define MRN_FIELDS_Stack(X, S) \
    X(S, SECTION, shape, Shape, REQUIRED, "", "of each body") \
    X(S, INTEGER, count, NUMBER, REQUIRED, "1..20000000", "number of bodies") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "between neighbours") \
    X(S, VECTOR, position, LENGTH, "0", "", "of the point under the lowest body")

#define MRN_FIELDS_Pyramid(X, S) \
    X(S, SECTION, shape, Shape, REQUIRED, "", "of each body") \
    X(S, INTEGER, base, NUMBER, REQUIRED, "1..10000", "bodies along the base; each row above has one less") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "between neighbours in a row") \
    X(S, VECTOR, position, LENGTH, "0", "", "of the point under the middle of the base")

#define MRN_FIELDS_Container(X, S) \
    X(S, VECTOR, low, LENGTH, REQUIRED, "", "lower inner corner") \
    X(S, VECTOR, high, LENGTH, REQUIRED, "", "upper inner corner") \
    X(S, BOOLEAN, lid, NUMBER, "false", "", "close the top")

#define MRN_FIELDS_Drum(X, S) \
    X(S, QUANTITY, radius, LENGTH, REQUIRED, ">0", "inner radius") \
    X(S, QUANTITY, length, LENGTH, NONE, "3D >0", "between the end plates; needed in 3D") \
    X(S, QUANTITY, angular_velocity, ANGULAR_VELOCITY, "0", "", "about the axis: z in 2D, y in 3D") \
    X(S, VECTOR, position, LENGTH, "0", "", "centre")

#define MRN_FIELDS_Hopper(X, S) \
    X(S, QUANTITY, outlet, LENGTH, REQUIRED, ">0", "width of the opening") \
    X(S, QUANTITY, top, LENGTH, REQUIRED, ">0", "width at the top") \
    X(S, QUANTITY, height, LENGTH, REQUIRED, ">0", "of the sloping part") \
    X(S, QUANTITY, wall_height, LENGTH, "0", ">=0", "of the upright walls above") \
    X(S, QUANTITY, wall_radius, LENGTH, "0", "2D >=0", "half thickness of the walls") \
    X(S, VECTOR, position, LENGTH, "0", "", "middle of the outlet")

#define MRN_FIELDS_Pour(X, S) \
    X(S, INTEGER, count, NUMBER, REQUIRED, "1..20000000", "number of grains") \
    X(S, SECTION, radius, Size, REQUIRED, "", "radius of each disc or ball") \
    X(S, QUANTITY, rate, FREQUENCY, REQUIRED, ">0", "grains per unit of time") \
    X(S, QUANTITY, start, TIME, "0", ">=0", "when the source opens; the first grain comes 1/rate later") \
    X(S, VECTOR, position, LENGTH, "0", "", "middle of the source; no grain appears with its centre lower") \
    X(S, QUANTITY, spread, LENGTH, "0", ">=0", "grains appear on random verticals within this distance of `position`") \
    X(S, INTEGER, verticals, NUMBER, "10", "1..1000", "drawn for each grain, which is laid on the one where it lies lowest") \
    X(S, QUANTITY, drop, LENGTH, "0", ">=0", "grains appear this much above the place where they would lie") \
    X(S, QUANTITY, highest, LENGTH, NONE, ">0", "above `position`: a grain that would appear higher waits; left out: none waits") \
    X(S, QUANTITY, lost_beyond, LENGTH, NONE, ">0", "grains farther than this from the vertical of `position`, or below it, are removed; left out: none is")

#define MRN_FIELDS_Paving(X, S) \
    X(S, QUANTITY, extent, LENGTH, REQUIRED, ">0", "centres lie within this distance of `position`") \
    X(S, SECTION, radius, Size, REQUIRED, "", "radius of each disc or ball") \
    X(S, NUMBER, closeness, NUMBER, "0.6", "0.1..2", "least distance of two centres over the sum of their radii; below 1 they may overlap") \
    X(S, VECTOR, position, LENGTH, "0", "", "middle of the paving")

#define MRN_FIELDS_PackZone(X, S) \
    X(S, CASE, box, BoxRegion, NONE, "", "a rectangle along the axes") \
    X(S, CASE, ball, BallRegion, NONE, "", "a disc") \
    X(S, CASE, polygon, Polygon, NONE, "", "any simple polygon, also from a file")

#define MRN_FIELDS_Pack(X, S) \
    X(S, SECTION, zone, PackZone, REQUIRED, "2D", "the floes lie in it whole") \
    X(S, NUMBER, concentration, NUMBER, REQUIRED, "0.001..0.98", "area of the floes over area of the zone") \
    X(S, NUMBER, tolerance, NUMBER, "0.005", "0..1", "of the concentration, relative") \
    X(S, INTEGER, count, NUMBER, "0", "0..20000000", "number of floes; 0: from the sizes") \
    X(S, QUANTITY, largest, LENGTH, NONE, ">0", "diameter of the circle about the largest floe") \
    X(S, QUANTITY, smallest, LENGTH, NONE, ">0", "and about the smallest") \
    X(S, NUMBER, exponent, NUMBER, NONE, ">0", "number of floes larger than d falls as d^-exponent. Three of count, largest, smallest and exponent are needed: floe i has the diameter largest i^(-1/exponent). All sizes are then multiplied by one number to reach the concentration") \
    X(S, SECTION, thickness, Size, NONE, "", "of each floe; left out: the density of the material is per area") \
    X(S, CHOICE, outline, floe_outline, "floe", "", "`floe`: broken ice by a random process; `round`: regular polygons") \
    X(S, TEXT, catalogue, NUMBER, NONE, "", "file with outlines to choose from instead, a line for each: n x1 y1 ... xn yn, in any unit") \
    X(S, INTEGER, corners, NUMBER, "25", "8..1000", "vertices per floe; outlines of a file with more are simplified") \
    X(S, QUANTITY, gap, LENGTH, "0", ">=0", "least distance between floes")

#define MRN_FIELDS_Outlines(X, S) \
    X(S, TEXT, file, NUMBER, REQUIRED, "2D", "polygons in GeoJSON, WKT or lines n x1 y1 ... xn yn, or a picture in black and white (PNG, PBM, PGM, PPM)") \
    X(S, CHOICE, kind, body, "free", "", "`fixed` for coasts; not driven") \
    X(S, QUANTITY, unit, LENGTH, "1 m", ">0", "length of 1 in the file, or of a pixel") \
    X(S, VECTOR, position, LENGTH, "0", "", "of the origin of the file: the lower left corner of a picture") \
    X(S, NUMBER, threshold, NUMBER, "0.5", "0..1", "brighter parts of a picture are bodies") \
    X(S, BOOLEAN, dark, NUMBER, "false", "", "darker parts are bodies instead") \
    X(S, NUMBER, simplify, NUMBER, NONE, ">=0", "largest distance, in units of the file, by which outlines are made simpler; left out: 0.3 pixels of a picture, else 0") \
    X(S, NUMBER, scale, NUMBER, "1", ">0", "of each outline about its centroid; a little below 1 frees floes that touch") \
    X(S, QUANTITY, smallest, AREA, "0", ">=0", "smaller outlines are left out") \
    X(S, SECTION, thickness, Size, NONE, "", "of each body; left out: the density of the material is per area")

#define MRN_FIELDS_Generator(X, S) \
    X(S, TEXT, name, NUMBER, NONE, "", "bodies are called name-1, name-2, ... (a single body just name); left out: body N") \
    X(S, TEXT, material, NUMBER, NONE, "", "left out: the first of the list `materials`") \
    X(S, INTEGER, seed, NUMBER, "1", ">=0", "another seed, other random numbers") \
    X(S, VECTOR, velocity, SPEED, "0", "", "of every free body") \
    X(S, INTEGER, group, NUMBER, "0", "0..2147483647", "bodies of the same group above 0 do not collide") \
    X(S, CASE, grid, Grid, NONE, "", "bodies in rows and columns") \
    X(S, CASE, fill, Fill, NONE, "", "random grains in a region, none overlapping") \
    X(S, CASE, lattice, Lattice, NONE, "", "a regular packing of discs or balls") \
    X(S, CASE, wall, Wall, NONE, "", "bricks in running bond, along x") \
    X(S, CASE, arch, Arch, NONE, "", "wedge-shaped blocks of a circular arch") \
    X(S, CASE, stack, Stack, NONE, "", "a tower of equal bodies") \
    X(S, CASE, pyramid, Pyramid, NONE, "", "rows of equal bodies, each on two (3D: four) below") \
    X(S, CASE, container, Container, NONE, "", "obstacle: floor and side walls") \
    X(S, CASE, pour, Pour, NONE, "", "grains that come one by one from a source") \
    X(S, CASE, paving, Paving, NONE, "", "obstacle: a rough ground of fixed grains, centres at one height, none with room for another between them") \
    X(S, CASE, drum, Drum, NONE, "", "obstacle: a turning drum") \
    X(S, CASE, floes, Pack, NONE, "2D", "a pack of ice floes") \
    X(S, CASE, outlines, Outlines, NONE, "2D", "bodies from a file of polygons or a picture") \
    X(S, CASE, hopper, Hopper, NONE, "", "obstacle: two slopes (3D: a cone) with an opening")

#define MRN_FIELDS_Expect(X, S) \
    X(S, TEXT, name, NUMBER, NONE, "", "a name for `--set` and for the report") \
    X(S, TEXT, quantity, NUMBER, REQUIRED, "", "what is compared, for example position.y or kinetic_energy; or a measure, NAME or NAME:COLUMN of `moraine plot`") \
    X(S, TEXT, of, NUMBER, NONE, "", "name of a body; left out: the whole scene") \
    X(S, CHOICE, reduce, reduce, "final", "", "how the history becomes one number") \
    X(S, QUANTITY, at, TIME, NONE, ">=0", "with `reduce: at` (the default when given): at this time") \
    X(S, INTEGER, peak, NUMBER, "1", "1..1000000", "with `reduce: peak`: which local maximum") \
    X(S, ANY, level, ANY, NONE, "", "with `reduce: first-time-above` or `first-time-below`: the level that is crossed") \
    X(S, QUANTITY, from, TIME, NONE, ">=0", "look only after this time") \
    X(S, QUANTITY, to, TIME, NONE, ">=0", "look only before this time") \
    X(S, ANY, value, ANY, REQUIRED, "", "the published or exact value") \
    X(S, ANY, tolerance, ANY, NONE, "", "largest difference, in the unit of `value`") \
    X(S, NUMBER, relative, NUMBER, NONE, ">0", "largest difference over `value`, instead of `tolerance`") \
    X(S, TEXT, source, NUMBER, NONE, "", "where the value comes from")

#define MRN_FIELDS_Reference(X, S) \
    X(S, TEXT, source, NUMBER, NONE, "", "publication") \
    X(S, TEXT, note, NUMBER, NONE, "", "what it shows")

#define MRN_FIELDS_Root(X, S) \
    X(S, TEXT, title, NUMBER, "untitled", "", "one line") \
    X(S, INTEGER, dimension, NUMBER, REQUIRED, "2..3", "2 or 3") \
    X(S, VECTOR, gravity, ACCELERATION, "0", "", "acceleration of gravity") \
    X(S, INTEGER, threads, NUMBER, "1", "1..1024", "results do not depend on it") \
    X(S, SECTION, time, Time, REQUIRED, "", "steps, end, output") \
    X(S, SECTION, solver, Solver, "{}", "", "how contacts are solved") \
    X(S, SECTION, event_driven, EventDriven, "{}", "", "with `scheme: event-driven`: how events are found and treated") \
    X(S, SECTION, domain, Domain, NONE, "", "boundaries of the plane") \
    X(S, SECTION, breaking, Breaking, NONE, "2D", "floes break at impact") \
    X(S, SECTION, dem, Dem, "{}", "", "smooth contacts of `time.scheme: dem`") \
    X(S, LIST, materials, Material, REQUIRED, "", "what bodies are made of") \
    X(S, LIST, laws, Law, NONE, "", "friction and restitution of pairs of materials") \
    X(S, LIST, shapes, Shape, NONE, "", "named shapes that bodies use") \
    X(S, LIST, bodies, Body, NONE, "", "bodies one by one") \
    X(S, LIST, generate, Generator, NONE, "", "many bodies from few lines") \
    X(S, SECTION, environment, Environment, NONE, "2D", "wind, current, Coriolis, ocean: what drives floes") \
    X(S, LIST, expect, Expect, NONE, "", "numbers that `moraine verify` compares with") \
    X(S, SECTION, reference, Reference, NONE, "", "where the scene comes from")

// X(name, shorthand: the field that a value which is not a mapping stands for, title). A section comes after those it uses.
#define MRN_SECTIONS(X) \
    X(Rotation, "angle", "Rotations") \
    X(SizeRange, "", "Uniform sizes") \
    X(SizePower, "", "Power-law sizes") \
    X(SizeLognormal, "", "Lognormal sizes") \
    X(Size, "value", "Sizes") \
    X(Disc, "radius", "disc, ring, sphere") \
    X(Polygon, "vertices", "polygon") \
    X(Rectangle, "size", "rectangle") \
    X(Regular, "", "regular") \
    X(Irregular, "radius", "irregular") \
    X(Segment, "", "segment") \
    X(Chain, "vertices", "chain") \
    X(HalfPlane, "normal", "half_plane") \
    X(Plane, "normal", "plane") \
    X(Block, "size", "box") \
    X(Capsule, "", "capsule") \
    X(Cylinder, "", "cylinder") \
    X(Polyhedron, "vertices", "polyhedron") \
    X(Tube, "", "tube") \
    X(Funnel, "", "funnel") \
    X(Mesh, "file", "mesh") \
    X(Shape, "named", "Shapes") \
    X(ConstantMotion, "", "constant") \
    X(SineMotion, "", "sine") \
    X(MotionRow, "", "rows") \
    X(TableMotion, "rows", "table") \
    X(Motion, "", "Motions") \
    X(Time, "", "time") \
    X(EventDriven, "contacts", "event_driven") \
    X(Domain, "kind", "domain") \
    X(Breaking, "", "breaking") \
    X(Solver, "name", "solver") \
    X(DemPair, "", "dem pairs") \
    X(DemMaterial, "", "dem materials") \
    X(Dem, "", "dem") \
    X(Material, "", "materials") \
    X(Law, "", "laws") \
    X(ThicknessSample, "", "thickness_samples") \
    X(Push, "", "pushes") \
    X(Body, "", "bodies") \
    X(BoxRegion, "", "box") \
    X(BallRegion, "", "ball") \
    X(TubeRegion, "", "tube") \
    X(Region, "", "Regions") \
    X(Grid, "", "grid") \
    X(Fill, "", "fill") \
    X(Lattice, "", "lattice") \
    X(Wall, "", "wall") \
    X(Arch, "", "arch") \
    X(Stack, "", "stack") \
    X(Pyramid, "", "pyramid") \
    X(Container, "", "container") \
    X(Pour, "", "pour") \
    X(Paving, "", "paving") \
    X(Drum, "", "drum") \
    X(Hopper, "", "hopper") \
    X(PackZone, "", "Zones of packs") \
    X(Pack, "", "floes") \
    X(Outlines, "file", "outlines") \
    X(Generator, "", "generate") \
    X(ForcingRow, "", "rows of wind or current") \
    X(ForcingTable, "rows", "wind or current from a table") \
    X(ForcingVortex, "", "vortex") \
    X(ForcingRadial, "", "radial") \
    X(ForcingChannel, "", "channel") \
    X(ForcingGrid, "file", "netcdf") \
    X(Forcing, "velocity", "Wind and current") \
    X(Ocean, "", "ocean") \
    X(Environment, "", "environment") \
    X(Expect, "", "expect") \
    X(Reference, "source", "reference") \
    X(Root, "", "A scene")
// clang-format on
#endif
