// Every field of the schema has an effect: for each there is a change of a scene that changes what comes out. A field
// that is added to the schema and not listed here, or listed and read by nobody, makes this test fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_tools.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A field, the dimension of the scene in which it is tried, a first change (or NULL: the scene as it is), and a second
/// one that must give something else. REFUSED: the second one must be refused, because the field names something.
typedef struct Effect {
    const char *field;
    int dimension;
    const char *before, *after;
    bool refused;
} Effect;
#define REFUSED_ROW(field, dimension, after)                                                                           \
    { field, dimension, NULL, after, true }

// clang-format off
static const Effect effects[] = {
    {"Rotation.angle", 2, NULL, "bodies.ball.rotation=40 deg", false},
    {"Rotation.axis", 3, NULL, "bodies.box.rotation.axis=[1, 1, 0]", false},
    {"Rotation.quaternion", 3, NULL, "bodies.ball.rotation.quaternion=[1, 0, 1, 0]", false},
    {"Rotation.euler", 3, NULL, "bodies.pill.rotation.euler=[80 deg, 0, 45 deg]", false},
    {"SizeRange.low", 3, NULL, "generate.stones.fill.radius.uniform.low=4 cm", false},
    {"SizeRange.high", 3, NULL, "generate.stones.fill.radius.uniform.high=9 cm", false},
    {"SizePower.low", 2, NULL, "generate.pack.fill.radius.power_law.low=2 cm", false},
    {"SizePower.high", 2, NULL, "generate.pack.fill.radius.power_law.high=8 cm", false},
    {"SizePower.exponent", 2, NULL, "generate.pack.fill.radius.power_law.exponent=1.5", false},
    {"SizeLognormal.median", 2, NULL, "generate.rows.fill.radius.lognormal.median=4 cm", false},
    {"SizeLognormal.deviation", 2, NULL, "generate.rows.fill.radius.lognormal.deviation=0.2", false},
    {"SizeLognormal.low", 2, NULL, "generate.rows.fill.radius.lognormal.low=3 cm", false},
    {"SizeLognormal.high", 2, NULL, "generate.rows.fill.radius.lognormal.high=8 cm", false},
    {"Size.value", 2, NULL, "generate.rows.fill.radius=3 cm", false},
    {"Size.uniform", 2, NULL, "generate.rows.fill.radius={uniform: {low: 3 cm, high: 4 cm}}", false},
    {"Size.power_law", 2, NULL, "generate.rows.fill.radius={power_law: {low: 3 cm, high: 4 cm, exponent: 2}}", false},
    {"Size.lognormal", 2, NULL, "generate.pack.fill.radius={lognormal: {median: 3 cm, deviation: 0.2, low: 1 cm, high: 4 cm}}", false},
    {"Disc.radius", 2, NULL, "bodies.press.shape.disc.radius=2 m", false},
    {"Polygon.vertices", 2, NULL, "bodies.triangle.shape.polygon.vertices=[0 0 m, 2 0 m, 0 1 m]", false},
    {"Polygon.file", 2, NULL, "bodies.square.shape.polygon.file=other.geojson", false},
    {"Polygon.unit", 2, NULL, "bodies.square.shape.polygon.unit=20 cm", false},
    {"Polygon.radius", 2, NULL, "bodies.triangle.shape.polygon.radius=1 cm", false},
    {"Rectangle.size", 2, NULL, "bodies.plate.shape.rectangle.size=[3 m, 10 cm]", false},
    {"Rectangle.radius", 2, NULL, "bodies.plate.shape.rectangle.radius=2 cm", false},
    {"Regular.sides", 2, NULL, "bodies.hexagon.shape.regular.sides=5", false},
    {"Regular.radius", 2, NULL, "bodies.hexagon.shape.regular.radius=40 cm", false},
    {"Irregular.radius", 2, NULL, "shapes.pebble.irregular.radius=6 cm", false},
    {"Irregular.corners", 2, NULL, "shapes.pebble.irregular.corners=8", false},
    {"Irregular.irregularity", 2, NULL, "shapes.pebble.irregular.irregularity=0.2", false},
    {"Irregular.outline", 2, NULL, "shapes.pebble.irregular.outline=convex", false},
    {"Irregular.seed", 2, NULL, "shapes.pebble.irregular.seed=4", false},
    {"Segment.from", 2, NULL, "bodies.floor.shapes.1.segment.from=[-2 m, 0]", false},
    {"Segment.to", 2, NULL, "bodies.floor.shapes.1.segment.to=[2 m, 0]", false},
    {"Segment.radius", 2, NULL, "bodies.floor.shapes.1.segment.radius=2 cm", false},
    {"Chain.vertices", 2, NULL, "bodies.line.shape.chain.vertices=[0 0 m, 1 0 m, 2 2 m]", false},
    {"Chain.file", 2, NULL, "bodies.line.shape.chain={file: line.wkt}", false},
    {"Chain.unit", 2, "bodies.line.shape.chain={file: line.wkt}", "bodies.line.shape.chain={file: line.wkt, unit: 2 m}", false},
    {"Chain.radius", 2, NULL, "bodies.line.shape.chain.radius=2 cm", false},
    {"HalfPlane.normal", 2, NULL, "bodies.ground.shape.half_plane.normal=[0.2, 1]", false},
    {"Plane.normal", 3, NULL, "bodies.table.shape.plane.normal=[0, 0, 1]", false},
    {"Block.size", 3, NULL, "shapes.brick.box.size=[20 cm, 10 cm, 4 cm]", false},
    {"Capsule.radius", 3, NULL, "bodies.pill.shape.capsule.radius=6 cm", false},
    {"Capsule.length", 3, NULL, "bodies.pill.shape.capsule.length=30 cm", false},
    {"Cylinder.radius", 3, NULL, "bodies.can.shape.cylinder.radius=6 cm", false},
    {"Cylinder.height", 3, NULL, "bodies.can.shape.cylinder.height=30 cm", false},
    {"Polyhedron.vertices", 3, NULL, "bodies.tetrahedron.shape.polyhedron=[0 0 0 m, 1 0 0 m, 0 1 0 m, 0 0 2 m]", false},
    {"Tube.radius", 3, NULL, "bodies.tube.shape.tube.radius=2 m", false},
    {"Tube.length", 3, NULL, "bodies.tube.shape.tube.length=3 m", false},
    {"Funnel.radius", 3, NULL, "bodies.cone.shape.funnel.radius=20 cm", false},
    {"Funnel.top_radius", 3, NULL, "bodies.cone.shape.funnel.top_radius=2 m", false},
    {"Funnel.height", 3, NULL, "bodies.cone.shape.funnel.height=2 m", false},
    {"Mesh.file", 3, NULL, "bodies.land.shape.mesh.file=other.obj", false},
    {"Mesh.unit", 3, NULL, "bodies.land.shape.mesh.unit=2 km", false},
    REFUSED_ROW("Shape.name", 2, "shapes.far_pebble.name=pebble"),
    {"Shape.named", 2, NULL, "bodies.12.shape=pebble", false},
    {"Shape.disc", 2, NULL, "bodies.hexagon.shape={disc: 1 m}", false},
    {"Shape.polygon", 2, NULL, "bodies.hexagon.shape={polygon: [0 0 m, 1 0 m, 0 1 m]}", false},
    {"Shape.rectangle", 2, NULL, "bodies.hexagon.shape={rectangle: 1 2 m}", false},
    {"Shape.regular", 2, NULL, "bodies.triangle.shape={regular: {sides: 3, radius: 1 m}}", false},
    {"Shape.irregular", 2, NULL, "bodies.triangle.shape={irregular: 1 m}", false},
    {"Shape.segment", 2, NULL, "bodies.line.shape={segment: {from: 0, to: 1 0 m}}", false},
    {"Shape.chain", 2, NULL, "bodies.floor.shapes.1={chain: [0 0 m, 1 0 m, 2 2 m]}", false},
    {"Shape.ring", 2, NULL, "bodies.line.shape={ring: 1 m}", false},
    {"Shape.half_plane", 2, NULL, "bodies.line.shape={half_plane: {}}", false},
    {"Shape.sphere", 3, NULL, "bodies.box.shape={sphere: 1 m}", false},
    {"Shape.box", 3, NULL, "bodies.ball.shape={box: 1 2 3 m}", false},
    {"Shape.capsule", 3, NULL, "bodies.ball.shape={capsule: {radius: 1 m, length: 1 m}}", false},
    {"Shape.cylinder", 3, NULL, "bodies.ball.shape={cylinder: {radius: 1 m, height: 1 m}}", false},
    {"Shape.polyhedron", 3, NULL, "bodies.ball.shape={polyhedron: [0 0 0 m, 1 0 0 m, 0 1 0 m, 0 0 2 m]}", false},
    {"Shape.plane", 3, NULL, "bodies.tube.shape={plane: {}}", false},
    {"Shape.tube", 3, NULL, "bodies.cone.shape={tube: {radius: 1 m, length: 1 m}}", false},
    {"Shape.funnel", 3, NULL, "bodies.tube.shape={funnel: {radius: 1 m, top_radius: 2 m, height: 1 m}}", false},
    {"Shape.mesh", 3, NULL, "bodies.tube.shape={mesh: other.obj}", false},
    {"Shape.position", 2, NULL, "bodies.dumbbell.shapes.0.position=[-30 cm, 0]", false},
    {"Shape.rotation", 2, NULL, "shapes.far_pebble.rotation=80 deg", false},
    {"Shape.material", 2, NULL, "bodies.triangle.shape.material=ice", false},
    {"ConstantMotion.velocity", 2, NULL, "bodies.belt.motion.constant.velocity=2 0 m/s", false},
    {"ConstantMotion.angular_velocity", 2, NULL, "bodies.belt.motion.constant.angular_velocity=4 rpm", false},
    {"ConstantMotion.axis", 3, NULL, "bodies.mixer.motion.constant.axis=[0, 0, 1]", false},
    {"SineMotion.amplitude", 2, NULL, "bodies.plate.motion.sine.amplitude=1 0 mm", false},
    {"SineMotion.angular_amplitude", 2, NULL, "bodies.plate.motion.sine.angular_amplitude=2 deg", false},
    {"SineMotion.frequency", 2, NULL, "bodies.plate.motion.sine.frequency=20 Hz", false},
    {"SineMotion.phase", 2, NULL, "bodies.plate.motion.sine.phase=0", false},
    {"SineMotion.axis", 3, NULL, "bodies.swing.motion.sine.axis=[0, 0, 1]", false},
    {"MotionRow.time", 2, NULL, "bodies.press.motion.table.rows.1.time=2 s", false},
    {"MotionRow.displacement", 2, NULL, "bodies.press.motion.table.rows.1.displacement=1 1 m", false},
    {"MotionRow.angle", 2, NULL, "bodies.press.motion.table.rows.1.angle=20 deg", false},
    {"TableMotion.rows", 2, NULL, "bodies.press.motion.table.rows=[{time: 0}, {time: 3 s, displacement: 1 0 m}]", false},
    {"TableMotion.file", 2, NULL, "bodies.shaker.motion.table.file=other.txt", false},
    {"TableMotion.axis", 3, NULL, "bodies.lift.motion.table.axis=[0, 1, 0]", false},
    {"Motion.constant", 2, NULL, "bodies.plate.motion={constant: {velocity: 1 0 m/s}}", false},
    {"Motion.sine", 2, NULL, "bodies.belt.motion={sine: {frequency: 1 Hz}}", false},
    {"Motion.table", 2, NULL, "bodies.belt.motion={table: [{time: 0}, {time: 3 s, displacement: 1 0 m}]}", false},
    {"Time.step", 2, NULL, "time.step=2 ms", false},
    {"Time.end", 2, NULL, "time.end=3 s", false},
    {"Time.output", 2, NULL, "time.output=20 ms", false},
    {"Time.theta", 2, NULL, "time.theta=1", false},
    {"Time.activation", 2, NULL, "time.activation=gap", false},
    {"Time.gap_tolerance", 2, NULL, "time.gap_tolerance=0", false},
    {"Time.recovery", 2, NULL, "time.recovery=0.3", false},
    {"Time.recovery_speed", 2, NULL, "time.recovery_speed=1 m/s", false},
    {"Time.warm_start", 2, NULL, "time.warm_start=true", false},
    {"Time.keep_memory", 2, NULL, "time.keep_memory=false", false},
    {"Time.checkpoint", 2, NULL, "time.checkpoint=1 s", false},
    {"Solver.name", 2, NULL, "solver.name=nlgs-assembled", false},
    {"Solver.tolerance", 2, NULL, "solver.tolerance=1e-4", false},
    {"Solver.max_iterations", 2, NULL, "solver.max_iterations=10", false},
    {"Solver.time_limit", 2, NULL, "solver.time_limit=4 s", false},
    {"Solver.options", 2, NULL, "solver.options.relaxation=1.2", false},
    {"Time.scheme", 2, NULL, "time.scheme=dem", false},
    {"EventDriven.contacts", 2, NULL, "event_driven.contacts=simultaneous", false},
    {"EventDriven.stepping", 2, NULL, "event_driven.stepping=global", false},
    {"EventDriven.bound", 2, NULL, "event_driven.bound=guaranteed", false},
    {"EventDriven.collision_distance", 2, NULL, "event_driven.collision_distance=0.02", false},
    {"EventDriven.pair_distance", 2, NULL, "event_driven.pair_distance=max", false},
    {"EventDriven.clearance", 2, NULL, "event_driven.clearance=0.1", false},
    {"EventDriven.cone_tolerance", 2, NULL, "event_driven.cone_tolerance=0.01", false},
    {"EventDriven.cone_filter", 2, NULL, "event_driven.cone_filter=false", false},
    {"EventDriven.span", 2, NULL, "event_driven.span=4", false},
    {"EventDriven.belt_directions", 2, NULL, "event_driven.belt_directions=30", false},
    {"EventDriven.approach_rate", 2, NULL, "event_driven.approach_rate=0", false},
    {"EventDriven.lcp_tolerance", 2, NULL, "event_driven.lcp_tolerance=1e-9", false},
    {"EventDriven.energy_tolerance", 2, NULL, "event_driven.energy_tolerance=1e-6", false},
    {"EventDriven.relaxed_energy_tolerance", 2, NULL, "event_driven.relaxed_energy_tolerance=0.1", false},
    {"EventDriven.variants", 2, NULL, "event_driven.variants=1", false},
    {"EventDriven.perturbations", 2, NULL, "event_driven.perturbations=3", false},
    {"EventDriven.dense_limit", 2, NULL, "event_driven.dense_limit=10", false},
    {"EventDriven.decompression", 2, NULL, "event_driven.decompression=extra", false},
    {"EventDriven.max_rounds", 2, NULL, "event_driven.max_rounds=7", false},
    REFUSED_ROW("Domain.kind", 2, "domain={kind: periodic, low: 0 0 m, high: 100 100 m}"),
    REFUSED_ROW("Domain.low", 2, "domain={kind: periodic, low: 0 0 m, high: 100 100 m}"),
    REFUSED_ROW("Domain.high", 2, "domain={kind: periodic, low: 0 0 m, high: 100 100 m}"),
    {"DemPair.between", 2, "dem={pairs: [{between: [ice, ice], restitution: 0.2}]}", "dem={pairs: [{between: [ice, rock], restitution: 0.2}]}", false},
    {"DemPair.normal_stiffness", 2, NULL, "dem={pairs: [{between: [ice, ice], normal_stiffness: 1 kN/m}]}", false},
    {"DemPair.restitution", 2, NULL, "dem={pairs: [{between: [ice, ice], restitution: 0.3}]}", false},
    {"DemMaterial.material", 2, "dem={force: hertz, young_modulus: 1 GPa, materials: [{material: ice, young_modulus: 2 GPa}]}", "dem={force: hertz, young_modulus: 1 GPa, materials: [{material: rock, young_modulus: 2 GPa}]}", false},
    {"DemMaterial.young_modulus", 2, "dem={force: hertz, materials: [{material: ice, young_modulus: 2 GPa}]}", "dem={force: hertz, materials: [{material: ice, young_modulus: 3 GPa}]}", false},
    {"DemMaterial.poisson_ratio", 2, "dem={force: hertz, materials: [{material: ice, young_modulus: 2 GPa}]}", "dem={force: hertz, materials: [{material: ice, young_modulus: 2 GPa, poisson_ratio: 0.3}]}", false},
    {"Dem.force", 2, "dem={force: hertz, young_modulus: 1 GPa}", "dem={force: hertz-mindlin, young_modulus: 1 GPa}", false},
    {"Dem.integrator", 2, NULL, "dem.integrator=velocity-verlet", false},
    {"Dem.normal_stiffness", 2, NULL, "dem.normal_stiffness=1 kN/m", false},
    {"Dem.stiffness_ratio", 2, NULL, "dem.stiffness_ratio=0.5", false},
    {"Dem.damping_ratio", 2, NULL, "dem.damping_ratio=0.3", false},
    {"Dem.young_modulus", 2, "dem={force: hertz, young_modulus: 1 GPa}", "dem={force: hertz, young_modulus: 2 GPa}", false},
    {"Dem.poisson_ratio", 2, "dem={force: hertz, young_modulus: 1 GPa}", "dem={force: hertz, young_modulus: 1 GPa, poisson_ratio: 0.4}", false},
    {"Dem.restitution", 2, NULL, "dem.restitution=0.4", false},
    {"Dem.substeps_per_collision", 2, NULL, "dem.substeps_per_collision=20", false},
    {"Dem.step", 2, NULL, "dem.step=1 us", false},
    {"Dem.impact_speed", 2, NULL, "dem.impact_speed=2 m/s", false},
    {"Dem.materials", 2, "dem={force: hertz, young_modulus: 1 GPa}", "dem={force: hertz, young_modulus: 1 GPa, materials: [{material: ice, young_modulus: 2 GPa}]}", false},
    {"Dem.pairs", 2, NULL, "dem.pairs=[{between: [ice, rock], restitution: 0.9}]", false},
    REFUSED_ROW("Material.name", 2, "materials.ice.name=snow"),
    {"Material.density", 2, NULL, "materials.ice.density=910 kg/m2", false},
    {"Material.volume_density", 2, NULL, "materials.ice.volume_density=920 kg/m3", false},
    {"Law.name", 2, NULL, "laws.slip.friction=0.3", false},
    {"Law.between", 2, NULL, "laws.slip.between=[rock, rock]", false},
    {"Law.friction", 2, NULL, "laws.0.friction=0.3", false},
    {"Law.restitution", 2, NULL, "laws.0.restitution=0.3", false},
    {"Law.tangential_restitution", 2, NULL, "laws.0.tangential_restitution=0.3", false},
    {"Law.cross_friction", 3, NULL, "laws.0.cross_friction=0.3", false},
    {"Law.friction_axis", 3, NULL, "laws.0.friction_axis=[0, 0, 1]", false},
    {"Law.rolling_length", 2, NULL, "laws.0.rolling_length=1 mm", false},
    {"Body.name", 2, NULL, "bodies.square.name=quad", false},
    {"Body.kind", 2, NULL, "bodies.hexagon.kind=fixed", false},
    {"Body.material", 2, NULL, "bodies.ball.material=rock", false},
    {"Body.shape", 2, NULL, "bodies.ball.shape=pebble", false},
    {"Body.shapes", 2, NULL, "bodies.dumbbell.shapes=[{disc: 10 cm}]", false},
    {"Body.position", 2, NULL, "bodies.ball.position=[0 m, 2 m]", false},
    {"Body.rotation", 2, NULL, "bodies.hexagon.rotation=1 rad", false},
    {"Body.velocity", 2, NULL, "bodies.ball.velocity=0", false},
    {"Body.angular_velocity", 2, NULL, "bodies.ball.angular_velocity=3 rad/s", false},
    {"Body.mass", 2, NULL, "bodies.ball.mass=6 kg", false},
    {"Body.inertia", 2, NULL, "bodies.ball.inertia=0.4 kg m2", false},
    {"Body.force", 2, NULL, "bodies.ball.force=2 0 N", false},
    {"Body.torque", 2, NULL, "bodies.ball.torque=2 N m", false},
    {"Body.motion", 2, NULL, "bodies.plate.motion={constant: {}}", false},
    {"Body.birth", 2, NULL, "bodies.ball.birth=1 s", false},
    {"Body.collision_distance", 2, NULL, "bodies.ball.collision_distance=1 cm", false},
    {"Body.group", 2, NULL, "bodies.ball.group=4", false},
    {"Body.thickness", 2, NULL, "bodies.floe.thickness=40 cm", false},
    {"Body.thickness_samples", 2, NULL, "bodies.ridge.thickness_samples=[{at: [0, 0], thickness: 1 m}]", false},
    {"ThicknessSample.at", 2, NULL, "bodies.ridge.thickness_samples.0.at=[-0.9 m, 0]", false},
    {"ThicknessSample.thickness", 2, NULL, "bodies.ridge.thickness_samples.0.thickness=50 cm", false},
    {"BoxRegion.low", 2, NULL, "generate.rows.fill.region.box.low=[-1 m, 30 m]", false},
    {"BoxRegion.high", 2, "generate.rows.fill.placing=random", "generate.rows.fill={count: 20, radius: {lognormal: {median: 5 cm, deviation: 0.3, low: 2 cm, high: 10 cm}}, region: {box: {low: [0, 30 m], high: [3 m, 32 m]}}}", false},
    {"BallRegion.centre", 2, NULL, "generate.pack.fill.region.ball.centre=[1 m, 20 m]", false},
    {"BallRegion.radius", 2, NULL, "generate.pack.fill.region.ball.radius=2 m", false},
    {"TubeRegion.centre", 3, NULL, "generate.stones.fill.region.tube.centre=1 0 20 m", false},
    {"TubeRegion.axis", 3, NULL, "generate.stones.fill.region.tube.axis=[0, 0, 1]", false},
    {"TubeRegion.radius", 3, NULL, "generate.stones.fill.region.tube.radius=60 cm", false},
    {"TubeRegion.length", 3, NULL, "generate.stones.fill.region.tube.length=2 m", false},
    {"Region.box", 2, NULL, "generate.pack.fill.region={box: {low: 0 20 m, high: 2 22 m}}", false},
    {"Region.ball", 2, NULL, "generate.rows.fill.region={ball: {centre: 0 30 m, radius: 1 m}}", false},
    {"Region.tube", 3, NULL, "generate.balls.lattice.region={tube: {centre: 0 0 30 m, radius: 40 cm, length: 1 m}}", false},
    {"Grid.shape", 2, NULL, "generate.grid.grid.shape={disc: 5 cm}", false},
    {"Grid.count", 2, NULL, "generate.grid.grid.count=[4, 4]", false},
    {"Grid.spacing", 2, NULL, "generate.grid.grid.spacing=0.3 0.2 m", false},
    {"Grid.position", 2, NULL, "generate.grid.grid.position=1 10 m", false},
    {"Grid.jitter", 2, NULL, "generate.grid.grid.jitter=2 cm", false},
    {"Grid.size_spread", 2, NULL, "generate.grid.grid.size_spread=0.1", false},
    {"Grid.random_rotation", 2, NULL, "generate.grid.grid.random_rotation=false", false},
    {"Fill.region", 2, NULL, "generate.pack.fill.region={ball: {centre: 0 25 m, radius: 1 m}}", false},
    {"Fill.count", 2, NULL, "generate.pack.fill.count=31", false},
    {"Fill.radius", 2, NULL, "generate.pack.fill.radius=2 cm", false},
    {"Fill.grain", 2, NULL, "generate.pack.fill.grain=convex", false},
    {"Fill.corners", 2, NULL, "generate.pack.fill.corners=9", false},
    {"Fill.irregularity", 2, NULL, "generate.pack.fill.irregularity=0.4", false},
    {"Fill.placing", 2, NULL, "generate.rows.fill.placing=random", false},
    {"Fill.gap", 2, NULL, "generate.pack.fill.gap=10 cm", false},
    {"Lattice.region", 2, NULL, "generate.hex.lattice.region.box.low=[0.1 m, 40 m]", false},
    {"Lattice.radius", 2, NULL, "generate.hex.lattice.radius=9 cm", false},
    {"Lattice.arrangement", 2, NULL, "generate.hex.lattice.arrangement=square", false},
    {"Lattice.gap", 2, NULL, "generate.hex.lattice.gap=2 mm", false},
    {"Wall.brick", 2, NULL, "generate.wall.wall.brick=[22 cm, 10 cm]", false},
    {"Wall.courses", 2, NULL, "generate.wall.wall.courses=4", false},
    {"Wall.bricks", 2, NULL, "generate.wall.wall.bricks=5", false},
    {"Wall.gap", 2, NULL, "generate.wall.wall.gap=2 mm", false},
    {"Wall.position", 2, NULL, "generate.wall.wall.position=1 50 m", false},
    {"Arch.inner_radius", 2, NULL, "generate.arch.arch.inner_radius=2 m", false},
    {"Arch.thickness", 2, NULL, "generate.arch.arch.thickness=20 cm", false},
    {"Arch.voussoirs", 2, NULL, "generate.arch.arch.voussoirs=8", false},
    {"Arch.springing", 2, NULL, "generate.arch.arch.springing=10 deg", false},
    {"Arch.abutments", 2, NULL, "generate.arch.arch.abutments=false", false},
    {"Arch.depth", 3, NULL, "generate.arch.arch.depth=40 cm", false},
    {"Arch.position", 2, NULL, "generate.arch.arch.position=1 60 m", false},
    {"Stack.shape", 2, NULL, "generate.tower.stack.shape={rectangle: [30 cm, 10 cm]}", false},
    {"Stack.count", 2, NULL, "generate.tower.stack.count=5", false},
    {"Stack.gap", 2, NULL, "generate.tower.stack.gap=0", false},
    {"Stack.position", 2, NULL, "generate.tower.stack.position=1 70 m", false},
    {"Pyramid.shape", 2, NULL, "generate.pyramid.pyramid.shape={rectangle: [30 cm, 10 cm]}", false},
    {"Pyramid.base", 2, NULL, "generate.pyramid.pyramid.base=3", false},
    {"Pyramid.gap", 2, NULL, "generate.pyramid.pyramid.gap=0", false},
    {"Pyramid.position", 2, NULL, "generate.pyramid.pyramid.position=1 80 m", false},
    {"Container.low", 2, NULL, "generate.box.container.low=[-2 m, 90 m]", false},
    {"Container.high", 2, NULL, "generate.box.container.high=[2 m, 91 m]", false},
    {"Container.lid", 2, NULL, "generate.box.container.lid=false", false},
    {"Drum.radius", 2, NULL, "generate.drum.drum.radius=2 m", false},
    {"Drum.length", 3, NULL, "generate.drum.drum.length=2 m", false},
    {"Drum.angular_velocity", 2, NULL, "generate.drum.drum.angular_velocity=4 rpm", false},
    {"Drum.position", 2, NULL, "generate.drum.drum.position=0.5 100 m", false},
    {"Hopper.outlet", 2, NULL, "generate.hopper.hopper.outlet=30 cm", false},
    {"Hopper.top", 2, NULL, "generate.hopper.hopper.top=2 m", false},
    {"Hopper.height", 2, NULL, "generate.hopper.hopper.height=2 m", false},
    {"Hopper.wall_height", 2, NULL, "generate.hopper.hopper.wall_height=1 m", false},
    {"Hopper.wall_radius", 2, NULL, "generate.hopper.hopper.wall_radius=2 mm", false},
    {"Hopper.position", 2, NULL, "generate.hopper.hopper.position=1 110 m", false},
    {"Pour.count", 2, NULL, "generate.source.pour.count=6", false},
    {"Pour.radius", 2, NULL, "generate.source.pour.radius=6 cm", false},
    {"Pour.rate", 2, NULL, "generate.source.pour.rate=11 Hz", false},
    {"Pour.start", 2, NULL, "generate.source.pour.start=2 s", false},
    {"Pour.position", 2, NULL, "generate.source.pour.position=1 120 m", false},
    {"Pour.spread", 2, NULL, "generate.source.pour.spread=40 cm", false},
    {"Pour.verticals", 2, NULL, "generate.source.pour.verticals=4", false},
    {"Pour.drop", 2, NULL, "generate.source.pour.drop=2 cm", false},
    {"Pour.highest", 2, NULL, "generate.source.pour.highest=2 m", false},
    {"Pour.lost_beyond", 2, NULL, "generate.source.pour.lost_beyond=4 m", false},
    {"Paving.extent", 2, NULL, "generate.ground.paving.extent=3 m", false},
    {"Paving.radius", 2, NULL, "generate.ground.paving.radius=6 cm", false},
    {"Paving.closeness", 2, NULL, "generate.ground.paving.closeness=1.1", false},
    {"Paving.position", 2, NULL, "generate.ground.paving.position=1 120 m", false},
    {"PackZone.box", 2, NULL, "generate.ice.floes.zone={box: {low: [200 m, 0], high: [240 m, 30 m]}}", false},
    {"PackZone.ball", 2, NULL, "generate.ice.floes.zone={ball: {centre: 215 15 m, radius: 20 m}}", false},
    {"PackZone.polygon", 2, NULL, "generate.ice.floes.zone={polygon: [200 0 m, 250 0 m, 200 50 m]}", false},
    {"Pack.zone", 2, NULL, "generate.ice.floes.zone={box: {low: [200 m, 0], high: [230 m, 31 m]}}", false},
    {"Pack.concentration", 2, NULL, "generate.ice.floes.concentration=60 %", false},
    {"Pack.tolerance", 2, "generate.ice.floes={zone: {box: {low: [200 m, 0], high: [230 m, 30 m]}}, concentration: 10 %, largest: 8 m, smallest: 2 m, exponent: 2, tolerance: 0}",
     "generate.ice.floes={zone: {box: {low: [200 m, 0], high: [230 m, 30 m]}}, concentration: 10 %, largest: 8 m, smallest: 2 m, exponent: 2, tolerance: 1}", false},
    {"Pack.count", 2, NULL, "generate.ice.floes.count=13", false},
    REFUSED_ROW("Pack.largest", 2, "generate.ice.floes={zone: {box: {low: [200 m, 0], high: [230 m, 30 m]}}, concentration: 5 %, largest: 1 m, smallest: 2 m, exponent: 2}"),
    {"Pack.smallest", 2, NULL, "generate.ice.floes={zone: {box: {low: [200 m, 0], high: [230 m, 30 m]}}, concentration: 40 %, count: 12, smallest: 1 m, largest: 9 m}", false},
    {"Pack.exponent", 2, NULL, "generate.ice.floes.exponent=1.6", false},
    {"Pack.thickness", 2, NULL, "generate.ice.floes.thickness=30 cm", false},
    {"Pack.outline", 2, NULL, "generate.ice.floes.outline=round", false},
    {"Pack.catalogue", 2, NULL, "generate.ice.floes.catalogue=shapes.txt", false},
    {"Pack.corners", 2, NULL, "generate.ice.floes.corners=14", false},
    {"Pack.gap", 2, NULL, "generate.ice.floes.gap=50 cm", false},
    {"Generator.floes", 2, NULL, "generate.wall={floes: {zone: {box: {low: 0, high: 9 9 m}}, concentration: 5 %, count: 3, largest: 1 m, exponent: 1}}", false},
    {"Generator.name", 2, NULL, "generate.wall.name=brick", false},
    {"Generator.material", 2, NULL, "generate.tower.material=ice", false},
    {"Generator.seed", 2, NULL, "generate.pack.seed=6", false},
    {"Generator.velocity", 2, NULL, "generate.pack.velocity=1 0 m/s", false},
    {"Generator.group", 2, NULL, "generate.arch.group=2", false},
    {"Generator.grid", 2, NULL, "generate.wall={grid: {shape: {disc: 1 m}, count: [2, 2], spacing: 3 3 m}}", false},
    {"Generator.fill", 2, NULL, "generate.wall={fill: {count: 3, radius: 1 m, region: {ball: {radius: 9 m}}}}", false},
    {"Generator.lattice", 2, NULL, "generate.wall={lattice: {radius: 1 m, region: {ball: {radius: 9 m}}}}", false},
    {"Generator.wall", 2, NULL, "generate.hex={wall: {brick: 2 1 m, courses: 3, bricks: 2}}", false},
    {"Generator.arch", 2, NULL, "generate.wall={arch: {inner_radius: 2 m, thickness: 1 m, voussoirs: 3}}", false},
    {"Generator.stack", 2, NULL, "generate.wall={stack: {shape: {disc: 1 m}, count: 3}}", false},
    {"Generator.pyramid", 2, NULL, "generate.wall={pyramid: {shape: {disc: 1 m}, base: 3}}", false},
    {"Generator.container", 2, NULL, "generate.wall={container: {low: 0, high: 1 1 m}}", false},
    {"Generator.pour", 2, NULL, "generate.wall={pour: {count: 3, radius: 1 m, rate: 1 Hz}}", false},
    {"Generator.paving", 2, NULL, "generate.wall={paving: {extent: 3 m, radius: 1 m}}", false},
    {"Generator.drum", 2, NULL, "generate.wall={drum: {radius: 1 m, position: 0 100 m}}", false},
    {"Generator.hopper", 2, NULL, "generate.wall={hopper: {outlet: 1 m, top: 2 m, height: 1 m}}", false},
    {"ForcingRow.time", 2, NULL, "environment.wind.table.rows.1.time=2 s", false},
    {"ForcingRow.velocity", 2, NULL, "environment.wind.table.rows.1.velocity=2 3 m/s", false},
    {"ForcingTable.rows", 2, NULL, "environment.wind.table=[{time: 0, velocity: 1 0 m/s}, {time: 9 s, velocity: 0 1 m/s}]", false},
    {"ForcingTable.file", 2, NULL, "environment.wind={outside: hold, table: {file: wind.csv}}", false},
    {"ForcingTable.columns", 2, "environment.wind={outside: hold, table: {file: wind.csv}}", "environment.wind={outside: hold, table: {file: wind.csv, columns: [t, v, u]}}", false},
    {"ForcingTable.time_unit", 2, "environment.wind={outside: hold, table: {file: wind.csv}}", "environment.wind={outside: hold, table: {file: wind.csv, time_unit: 1 h}}", false},
    {"ForcingTable.unit", 2, "environment.wind={outside: hold, table: {file: wind.csv}}", "environment.wind={outside: hold, table: {file: wind.csv, unit: 1 km/h}}", false},
    {"ForcingVortex.centre", 2, NULL, "environment.current.vortex.centre=90 0 m", false},
    {"ForcingVortex.speed", 2, NULL, "environment.current.vortex.speed=-0.3 m/s", false},
    {"ForcingVortex.radius", 2, NULL, "environment.current.vortex.radius=60 m", false},
    {"ForcingRadial.centre", 2, "environment.current={radial: {speed: 1 m/s, radius: 1 m}}", "environment.current={radial: {centre: 1 0 m, speed: 1 m/s, radius: 1 m}}", false},
    {"ForcingRadial.speed", 2, "environment.current={radial: {speed: 1 m/s, radius: 1 m}}", "environment.current={radial: {speed: 2 m/s, radius: 1 m}}", false},
    {"ForcingRadial.radius", 2, "environment.current={radial: {speed: 1 m/s, radius: 1 m}}", "environment.current={radial: {speed: 1 m/s, radius: 2 m}}", false},
    {"ForcingChannel.centre", 2, "environment.current={channel: {speed: 1 m/s, half_width: 1 m}}", "environment.current={channel: {centre: 1 0 m, speed: 1 m/s, half_width: 1 m}}", false},
    {"ForcingChannel.speed", 2, "environment.current={channel: {speed: 1 m/s, half_width: 1 m}}", "environment.current={channel: {speed: 2 m/s, half_width: 1 m}}", false},
    {"ForcingChannel.half_width", 2, "environment.current={channel: {speed: 1 m/s, half_width: 1 m}}", "environment.current={channel: {speed: 1 m/s, half_width: 2 m}}", false},
    {"ForcingChannel.direction", 2, "environment.current={channel: {speed: 1 m/s, half_width: 1 m}}", "environment.current={channel: {speed: 1 m/s, half_width: 1 m, direction: 90 deg}}", false},
    REFUSED_ROW("ForcingGrid.file", 2, "environment.current={netcdf: nowhere.nc}"), // files of its own: test_netcdf
    REFUSED_ROW("ForcingGrid.variables", 2, "environment.current={netcdf: {file: nowhere.nc, variables: [u]}}"),
    REFUSED_ROW("ForcingGrid.start", 2, "environment.current={netcdf: {file: nowhere.nc, start: today}}"),
    REFUSED_ROW("ForcingGrid.longitude", 2, "environment.current={netcdf: {file: nowhere.nc, longitude: 3 m}}"),
    REFUSED_ROW("ForcingGrid.latitude", 2, "environment.current={netcdf: {file: nowhere.nc, latitude: 3 m}}"),
    REFUSED_ROW("ForcingGrid.level", 2, "environment.current={netcdf: {file: nowhere.nc, level: 0}}"),
    {"Forcing.velocity", 2, NULL, "environment.current=1 0 m/s", false},
    {"Forcing.table", 2, NULL, "environment.current={table: [{time: 0, velocity: 0}, {time: 3 s, velocity: 1 0 m/s}]}", false},
    {"Forcing.vortex", 2, NULL, "environment.wind={vortex: {speed: 1 m/s, radius: 1 m}}", false},
    {"Forcing.radial", 2, NULL, "environment.wind={radial: {speed: 1 m/s, radius: 1 m}}", false},
    {"Forcing.channel", 2, NULL, "environment.wind={channel: {speed: 1 m/s, half_width: 1 m}}", false},
    REFUSED_ROW("Forcing.netcdf", 2, "environment.wind={netcdf: {file: nowhere.nc}}"),
    {"Forcing.ramp", 2, NULL, "environment.wind.ramp=1 s", false},
    {"Forcing.start", 2, NULL, "environment.wind.start=0.2 s", false},
    REFUSED_ROW("Forcing.outside", 2, "environment.wind.outside=refuse"),
    {"Ocean.depth", 2, NULL, "environment.ocean.depth=15 m", false},
    {"Ocean.area", 2, NULL, "environment.ocean.area=6 km2", false},
    {"Ocean.friction", 2, NULL, "environment.ocean.friction=1e-5 m/s", false},
    {"Environment.wind", 2, NULL, "environment.wind=3 3 m/s", false},
    {"Environment.current", 2, NULL, "environment.current=0 1 m/s", false},
    {"Environment.ocean", 2, NULL, "environment.ocean={area: 5 km2}", false},
    {"Environment.latitude", 2, NULL, "environment.latitude=82 deg", false},
    REFUSED_ROW("Environment.coriolis", 2, "environment.coriolis=1e-4 Hz"),
    {"Environment.follow_latitude", 2, NULL, "environment.follow_latitude=false", false},
    {"Environment.air_density", 2, NULL, "environment.air_density=1.2 kg/m3", false},
    {"Environment.air_drag", 2, NULL, "environment.air_drag=1e-3", false},
    {"Environment.water_density", 2, NULL, "environment.water_density=1000 kg/m3", false},
    {"Environment.water_drag", 2, NULL, "environment.water_drag=5e-3", false},
    {"Environment.linear_drag", 2, NULL, "environment.linear_drag=0", false},
    {"Environment.relative_wind", 2, NULL, "environment.relative_wind=false", false},
    {"Environment.elements", 2, NULL, "environment.elements=30", false},
    {"Expect.name", 2, NULL, "expect.fall.name=drop", false},
    {"Expect.quantity", 2, NULL, "expect.fall.quantity=position.x", false},
    {"Expect.of", 2, NULL, "expect.fall.of=hexagon", false},
    {"Expect.reduce", 2, NULL, "expect.1.reduce=min", false},
    {"Expect.at", 2, NULL, "expect.fall.at=2 s", false},
    {"Expect.peak", 2, NULL, "expect.2.peak=3", false},
    {"Expect.level", 2, NULL, "expect.3.level=1 m", false},
    {"Expect.from", 2, NULL, "expect.1.from=0.1 s", false},
    {"Expect.to", 2, NULL, "expect.1.to=0.9 s", false},
    {"Expect.value", 2, NULL, "expect.fall.value=-3 m", false},
    {"Expect.tolerance", 2, NULL, "expect.fall.tolerance=2 cm", false},
    {"Expect.relative", 2, NULL, "expect.1.relative=2 %", false},
    {"Expect.source", 2, NULL, "expect.fall.source=guess", false},
    {"Reference.source", 2, NULL, "reference.source=somebody", false},
    {"Reference.note", 2, NULL, "reference.note=something", false},
    {"Root.title", 2, NULL, "title=another", false},
    REFUSED_ROW("Root.dimension", 2, "dimension=3"),
    {"Root.gravity", 2, NULL, "gravity=[0, -1.62 m/s2]", false},
    {"Root.threads", 2, NULL, "threads=3", false},
    {"Root.time", 2, NULL, "time={end: 3 s}", false},
    {"Root.solver", 2, NULL, "solver={tolerance: 1e-3}", false},
    {"Root.materials", 2, NULL, "materials=[{name: ice, density: 910 kg/m2, volume_density: 917 kg/m3}, {name: rock, density: 3 t/m2}]", false},
    {"Root.event_driven", 2, NULL, "event_driven={span: 5}", false},
    REFUSED_ROW("Root.domain", 2, "domain={kind: periodic, low: 0 0 m, high: 100 100 m}"),
    {"Root.dem", 2, NULL, "dem={restitution: 0.1}", false},
    {"Root.laws", 2, NULL, "laws=[]", false},
    REFUSED_ROW("Root.shapes", 2, "shapes=[]"),
    {"Root.bodies", 2, NULL, "bodies=[{name: ball, shape: {disc: 1 m}}, {name: plate, shape: {disc: 1 m}, position: 9 9 m}]", false},
    {"Root.generate", 2, NULL, "generate=[]", false},
    {"Root.environment", 2, NULL, "environment={wind: 10 0 m/s}", false},
    {"Root.expect", 2, NULL, "expect=[]", false},
    {"Root.reference", 2, NULL, "reference={source: somebody}", false},
};
// clang-format on
enum { EFFECT_COUNT = sizeof effects / sizeof *effects };

static const MrnSceneFile files[] = {
    SCENE_FILE("other.geojson", "{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [2, 0], [2, 1], [0, 0]]]}"),
    SCENE_FILE("line.wkt", "LINESTRING (0 0, 1 0, 2 0.5)"),
    SCENE_FILE("other.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nf 1 2 3\n"),
    SCENE_FILE("shapes.txt", "# two outlines\n4 0 0 2 0 2 1 0 1\n5 0 0 3 0 4 2 2 4 0 2\n"),
    SCENE_FILE("wind.csv", "t, u, v\n0, 1, 0\n5, 0, 2\n"),
    SCENE_FILE("other.txt", "0 0 0 0\n2 1 0 0\n"),
};

static uint64_t outcome(const Effect *effect, const char *change) {
    char name[200];
    snprintf(name, sizeof name, "%s/tests/scenes/everything_%dd.yaml", MORAINE_SOURCE_DIR, effect->dimension);
    char *text = read_text(name);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, name, &change, change ? 1 : 0, files, sizeof files / sizeof *files, &error);
    free(text);
    if (!scene && !(effect->refused && change)) fail_msg("%s: %s", effect->field, error.message);
    uint64_t print = scene ? scene_fingerprint(scene) : 0;
    mrn_scene_free(scene);
    return print;
}

static void every_field_changes_what_comes_out(void **state) {
    (void)state;
    for (size_t i = 0; i < EFFECT_COUNT; i++)
        if (outcome(&effects[i], effects[i].before) == outcome(&effects[i], effects[i].after))
            fail_msg("%s has no effect", effects[i].field);
}

static void every_field_of_the_schema_is_tried(void **state) {
    (void)state;
    size_t tried = 0;
    for (size_t s = 0; s < mrn_section_count; s++)
        for (size_t f = 0; f < mrn_sections[s]->count; f++) {
            const MrnSchemaField *field = &mrn_sections[s]->fields[f];
            if (field->choices && !field->choices[1]) continue; // nothing else to choose
            char name[200];
            snprintf(name, sizeof name, "%s.%s", mrn_sections[s]->name, field->key);
            size_t found = 0;
            for (size_t i = 0; i < EFFECT_COUNT; i++) found += strcmp(effects[i].field, name) == 0;
            if (found != 1) fail_msg("%s is listed %zu times", name, found);
            tried++;
        }
    assert_int_equal(tried, EFFECT_COUNT);
}

/// Sections, fields and defaults are consistent: ranges can be read, shorthands exist, defaults are within range.
static void every_row_of_the_schema_is_well_formed(void **state) {
    (void)state;
    for (size_t s = 0; s < mrn_section_count; s++) {
        const MrnSchemaSection *section = mrn_sections[s];
        if (section->shorthand[0]) assert_non_null(mrn_schema_find(section, section->shorthand));
        for (size_t f = 0; f < section->count; f++) {
            const MrnSchemaField *field = &section->fields[f];
            assert_true(field->text[0]);
            assert_ptr_equal(mrn_schema_find(section, field->key), field); // no key twice
            MrnSchemaRange range = mrn_schema_range(field);
            assert_true(range.low < range.high);
            char wanted[500];
            mrn_schema_wanted(field, 2, wanted, sizeof wanted);
            assert_true(wanted[0]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_schema_is_tried),
        cmocka_unit_test(every_row_of_the_schema_is_well_formed),
        cmocka_unit_test(every_field_changes_what_comes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
