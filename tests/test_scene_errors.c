// Malformed scenes: each is refused with one message that says where, what was found and what was wanted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <moraine/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD     "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m2}, {name: rock}]\n"
#define HEAD_3D  "dimension: 3\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m3}, {name: rock}]\n"
#define FLOES    "dimension: 2\ntime: {end: 1 s, scheme: event-driven}\nmaterials: [{name: ice, density: 900 kg/m2}]\n"
#define BALL     "bodies: [{name: ball, shape: {disc: 1 m}}]\n"
#define TEN_OPEN "[[[[[[[[[["

typedef struct BadScene {
    const char *name, *text, *override, *message;
} BadScene;

// clang-format off
static const BadScene bad_scenes[] = {
    // The text
    {"empty", "", NULL,
     "scene.yaml:1:1: the scene is empty"},
    {"only_a_comment", "# nothing here\n", NULL,
     "scene.yaml:1:1: the scene is empty"},
    {"a_list_instead_of_a_mapping", "- 1\n- 2\n", NULL,
     "scene.yaml:1:1: found a list, wanted a mapping that begins with title, dimension, time..."},
    {"a_word_instead_of_a_mapping", "hello", NULL,
     "scene.yaml:1:1: found \"hello\", wanted a mapping that begins with title, dimension, time..."},
    {"not_yaml", "title: [1, 2\ndimension: 2\n", NULL,
     "scene.yaml:3:1: not valid YAML: flow sequence without a closing bracket"},
    {"tab_indentation", "time:\n\tend: 1 s\n", NULL,
     "scene.yaml:2:1: not valid YAML: tab character may not be used as indentation"},
    {"unclosed_quote", "title: \"abc\n", NULL,
     "scene.yaml:1:9: not valid YAML: double-quoted scalar without closing quote"},
    {"two_documents", HEAD BALL "---\ntitle: second\n", NULL,
     "scene.yaml:5:1: found a second YAML document, wanted one scene per file"},
    {"anchor", "a: &x 1\n", NULL,
     "scene.yaml:1:7: found an anchor (&name); scenes have no anchors: name a shape under shapes instead"},
    {"alias", "title: *x\n", NULL,
     "scene.yaml:1:9: found an alias (*name); scenes have no anchors: name a shape under shapes instead"},
    {"tag", "title: !secret x\n", NULL,
     "scene.yaml:1:16: found a tag (!name); scenes have no tags"},
    {"deep_nesting", "title: " TEN_OPEN TEN_OPEN TEN_OPEN TEN_OPEN "\n", NULL,
     "scene.yaml:1:39: found more than 32 levels of nesting"},
    {"not_utf8", "title: \377\n", NULL,
     "scene.yaml:1:8: found a byte that is not text in UTF-8"},
    {"control_character", "title: a\001b\n", NULL,
     "scene.yaml:1:9: found a byte that is not text in UTF-8"},
    {"complex_key", "? [a, b]\n: 1\n", NULL,
     "scene.yaml:1:3: found a list or mapping as a key, wanted a word"},
    // Keys
    {"unknown_key_at_the_top", "titel: x\n" HEAD BALL, NULL,
     "scene.yaml:1:1: unknown key \"titel\"; did you mean \"title\"?"},
    {"unknown_key_without_a_near_one", "colour: red\n" HEAD BALL, NULL,
     "scene.yaml:1:1: unknown key \"colour\"; known: title, dimension, gravity, threads, time, solver, event_driven, domain, breaking, dem, materials, laws, shapes, bodies, generate, environment, expect, reference"},
    {"unknown_key_in_a_section", "dimension: 2\ntime:\n  end: 1 s\n  stpe: 1 ms\n", NULL,
     "scene.yaml:4:3: time: unknown key \"stpe\"; did you mean \"step\"?"},
    {"unknown_key_in_a_body", HEAD "bodies:\n  - {name: ball, shape: {disc: 1 m}, postion: 0}\n", NULL,
     "scene.yaml:5:38: bodies.ball: unknown key \"postion\"; did you mean \"position\"?"},
    {"unknown_shape_key", HEAD "bodies:\n  - {name: ball, shape: {dics: 1 m}}\n", NULL,
     "scene.yaml:5:26: bodies.ball.shape: unknown key \"dics\"; did you mean \"disc\"?"},
    {"key_twice", HEAD "time: {end: 2 s}\n" BALL, NULL,
     "scene.yaml:4:1: key \"time\" is given twice"},
    {"key_twice_in_a_body", HEAD "bodies:\n  - name: ball\n    shape: {disc: 1 m}\n    name: bell\n", NULL,
     "scene.yaml:7:5: bodies.ball: key \"name\" is given twice"},
    {"missing_dimension", "time: {end: 1 s}\n", NULL,
     "scene.yaml:1:1: missing key \"dimension\", wanted a whole number from 2 to 3"},
    {"missing_time", "dimension: 2\nmaterials: [{name: ice}]\n", NULL,
     "scene.yaml:1:1: missing key \"time\", wanted a mapping"},
    {"missing_end", "dimension: 2\ntime: {step: 1 ms}\n", NULL,
     "scene.yaml:2:7: time: missing key \"end\", wanted a time > 0, such as 1 ms"},
    {"missing_materials", "dimension: 2\ntime: {end: 1 s}\n", NULL,
     "scene.yaml:1:1: missing key \"materials\", wanted a list of at least one item"},
    {"missing_radius", HEAD "bodies: [{shape: {disc: {}}}]\n", NULL,
     "scene.yaml:4:25: bodies.0.shape.disc: missing key \"radius\", wanted a length > 0, such as 0.2 m"},
    {"missing_shape", HEAD "bodies: [{name: ball}]\n", NULL,
     "scene.yaml:4:10: bodies.ball: missing key \"shape\", wanted a mapping"},
    {"missing_case", HEAD "bodies: [{shape: {position: 0}}]\n", NULL,
     "scene.yaml:4:18: bodies.0.shape: missing key, wanted one of named, disc, polygon, rectangle, regular, irregular, segment, chain, ring, half_plane"},
    {"two_cases", HEAD "bodies: [{shape: {disc: 1 m, polygon: [0 0 m, 1 0 m, 0 1 m]}}]\n", NULL,
     "scene.yaml:4:30: bodies.0.shape: found both \"disc\" and \"polygon\", wanted one of them"},
    {"no_bodies", HEAD, NULL,
     "scene.yaml:1:1: the scene has no bodies"},
    {"empty_materials", "dimension: 2\ntime: {end: 1 s}\nmaterials: []\n", NULL,
     "scene.yaml:3:12: materials: found an empty list, wanted a list of at least one item"},
    // Types
    {"list_for_a_quantity", "dimension: 2\ntime: {end: [1 s]}\n", NULL,
     "scene.yaml:2:13: time.end: found a list, wanted a time > 0, such as 1 ms"},
    {"mapping_for_a_quantity", "dimension: 2\ntime: {end: {value: 1 s}}\n", NULL,
     "scene.yaml:2:13: time.end: found a mapping, wanted a time > 0, such as 1 ms"},
    {"nothing_for_a_quantity", "dimension: 2\ntime: {end: }\n", NULL,
     "scene.yaml:2:8: time.end: found nothing, wanted a time > 0, such as 1 ms"},
    {"scalar_for_a_section", "dimension: 2\ntime: 1 s\n", NULL,
     "scene.yaml:2:7: time: found \"1 s\", wanted a mapping with keys among step, end, output, scheme, theta, activation, gap_tolerance, recovery, recovery_speed, warm_start, keep_memory, checkpoint"},
    {"scalar_for_a_list", "dimension: 2\ntime: {end: 1 s}\nmaterials: ice\n", NULL,
     "scene.yaml:3:12: materials: found \"ice\", wanted a list of at least one item"},
    {"word_for_a_number", HEAD "laws: [{friction: high}]\n" BALL, NULL,
     "scene.yaml:4:19: laws.0.friction: found \"high\" (it does not begin with a number), wanted a pure number >= 0"},
    {"word_for_a_boolean", "dimension: 2\ntime: {end: 1 s, warm_start: yes}\n", NULL,
     "scene.yaml:2:30: time.warm_start: found \"yes\", wanted true or false"},
    {"fraction_for_a_whole_number", "dimension: 2\ntime: {end: 1 s}\nthreads: 1.5\n", NULL,
     "scene.yaml:3:10: threads: found \"1.5\", wanted a whole number from 1 to 1024"},
    {"list_for_a_text", "title: [a]\n" HEAD, NULL,
     "scene.yaml:1:8: title: found a list, wanted a text"},
    {"choice_with_a_slip", "dimension: 2\ntime: {end: 1 s, activation: moreua}\n", NULL,
     "scene.yaml:2:30: time.activation: found \"moreua\" (did you mean \"moreau\"?), wanted one of gap, moreau"},
    {"choice_unknown", "dimension: 2\ntime: {end: 1 s, activation: soft}\n", NULL,
     "scene.yaml:2:30: time.activation: found \"soft\", wanted one of gap, moreau"},
    {"scheme_unknown", "dimension: 2\ntime: {end: 1 s, scheme: moreau-jaen}\n", NULL,
     "scene.yaml:2:26: time.scheme: found \"moreau-jaen\" (did you mean \"moreau-jean\"?), wanted one of moreau-jean, event-driven, dem"},
    {"domain_without_area", FLOES "domain: {kind: periodic, low: [0 m, 0 m], high: [0 m, 5 m]}\n" BALL, NULL,
     "scene.yaml:4:9: domain: the cell from (0, 0) m to (0, 5) m has no area"},
    {"domain_for_another_scheme", HEAD "domain: {kind: periodic, low: [0 m, 0 m], high: [5 m, 5 m]}\n" BALL, "time.scheme=dem",
     "scene.yaml:4:9: domain: a periodic domain is for \"scheme: event-driven\" and \"scheme: moreau-jean\", found \"scheme: dem\""},
    {"domain_unknown", FLOES "domain: {kind: perodic}\n" BALL, NULL,
     "scene.yaml:4:16: domain.kind: found \"perodic\" (did you mean \"periodic\"?), wanted one of free, periodic"},
    {"too_many_variants_of_lemke", FLOES "event_driven: {variants: 4}\n" BALL, NULL,
     "scene.yaml:4:26: event_driven.variants: found \"4\", wanted a whole number from 1 to 3"},
    {"contact_mode_unknown", FLOES "event_driven: {contacts: all}\n" BALL, NULL,
     "scene.yaml:4:26: event_driven.contacts: found \"all\", wanted one of active, simultaneous"},
    {"collision_distance_zero", FLOES "event_driven: {collision_distance: 0}\n" BALL, NULL,
     "scene.yaml:4:36: event_driven.collision_distance: found \"0\", wanted a pure number > 0"},
    {"vector_too_long", "dimension: 2\ngravity: [0, 0, -9.81 m/s2]\n", NULL,
     "scene.yaml:2:10: gravity: found a list of 3, wanted 2 components, each an acceleration, such as [9.81 m/s2, 9.81 m/s2]"},
    {"vector_too_short", HEAD_3D "bodies: [{shape: {sphere: 1 m}, position: 1 2 m}]\n", NULL,
     "scene.yaml:4:43: bodies.0.position: found \"1 2 m\" with 2 numbers, wanted 3 components, each a length, such as [0.2 m, 0.2 m, 0.2 m]"},
    {"vector_of_words", HEAD "bodies: [{shape: {disc: 1 m}, position: [left, right]}]\n", NULL,
     "scene.yaml:4:42: bodies.0.position.0: found \"left\" (it does not begin with a number), wanted a length, such as 0.2 m"},
    {"points_not_a_list", HEAD "bodies: [{shape: {polygon: triangle}}]\n", NULL,
     "scene.yaml:4:28: bodies.0.shape.polygon.vertices: found \"triangle\", wanted a list of points, such as [0 0 m, 1 0 m, 0 1 m]"},
    {"option_not_a_scalar", HEAD "solver: {name: nlgs, options: {relaxation: [1, 2]}}\n" BALL, NULL,
     "scene.yaml:4:44: solver.options.relaxation: found a list, wanted a word or a number without \",\" and \"=\""},
    {"option_unknown", HEAD "solver: {name: nlgs, options: {relaxatoin: 1}}\n" BALL, NULL,
     "scene.yaml:4:32: solver.options: solver nlgs has no option \"relaxatoin\"; did you mean \"relaxation\"?"},
    // Units
    {"no_unit", "dimension: 2\ntime: {end: 1}\n", NULL,
     "scene.yaml:2:13: time.end: found \"1\" without a unit, wanted a time > 0, such as 1 ms"},
    {"wrong_unit", "dimension: 2\ntime: {end: 5 kg}\n", NULL,
     "scene.yaml:2:13: time.end: found \"5 kg\", a mass, wanted a time > 0, such as 1 ms"},
    {"unknown_unit", "dimension: 2\ntime: {end: 5 fortnights}\n", NULL,
     "scene.yaml:2:13: time.end: found \"5 fortnights\" (unknown unit \"fortnights\"), wanted a time > 0, such as 1 ms"},
    {"unit_by_its_long_name", "dimension: 2\ntime: {end: 5 seconds}\n", NULL,
     "scene.yaml:2:13: time.end: found \"5 seconds\" (unknown unit \"seconds\"; did you mean \"s\"?), wanted a time > 0, such as 1 ms"},
    {"unit_of_a_pure_number", HEAD "laws: [{friction: 0.3 m}]\n" BALL, NULL,
     "scene.yaml:4:19: laws.0.friction: found \"0.3 m\", a length, wanted a pure number >= 0"},
    {"frequency_for_an_angular_velocity", HEAD "bodies: [{shape: {disc: 1 m}, angular_velocity: 3 Hz}]\n", NULL,
     "scene.yaml:4:49: bodies.0.angular_velocity: found \"3 Hz\", a frequency, wanted an angular velocity, such as 3 rad/s"},
    {"area_density_in_3d", "dimension: 3\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m2}]\n", NULL,
     "scene.yaml:3:34: materials.ice.density: found \"900 kg/m2\", a mass per area, wanted a mass per volume > 0, such as 2500 kg/m3"},
    {"volume_density_in_2d", "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m3}]\n", NULL,
     "scene.yaml:3:34: materials.ice.density: found \"900 kg/m3\", a mass per volume, wanted a mass per area > 0, such as 5 kg/m2"},
    {"component_without_unit", "dimension: 2\ngravity: [0, -9.81]\n", NULL,
     "scene.yaml:2:14: gravity.1: found \"-9.81\" without a unit, wanted an acceleration, such as 9.81 m/s2"},
    {"power_too_high", "dimension: 2\ntime: {end: 1 s12}\n", NULL,
     "scene.yaml:2:13: time.end: found \"1 s12\" (the power of a unit must be a whole number from -9 to 9), wanted a time > 0, such as 1 ms"},
    {"unit_that_ends_with_a_slash", "dimension: 2\ngravity: [0, -9.81 m/]\n", NULL,
     "scene.yaml:2:14: gravity.1: found \"-9.81 m/\" (a unit is missing at the end), wanted an acceleration, such as 9.81 m/s2"},
    {"two_numbers_for_one", "dimension: 2\ntime: {end: 1 2 s}\n", NULL,
     "scene.yaml:2:13: time.end: found \"1 2 s\" (there is more than one number), wanted a time > 0, such as 1 ms"},
    {"hexadecimal_number", "dimension: 2\ntime: {end: 0x10 s}\n", NULL,
     "scene.yaml:2:13: time.end: found \"0x10 s\" (it does not begin with a number), wanted a time > 0, such as 1 ms"},
    {"dimension_without_name", "dimension: 2\ntime: {end: 3 kg m2/s}\n", NULL,
     "scene.yaml:2:13: time.end: found \"3 kg m2/s\", a quantity in kg m2/s, wanted a time > 0, such as 1 ms"},
    // Ranges
    {"dimension_four", "dimension: 4\n", NULL,
     "scene.yaml:1:12: dimension: found \"4\", wanted a whole number from 2 to 3"},
    {"negative_time_step", "dimension: 2\ntime: {end: 1 s, step: -1 ms}\n", NULL,
     "scene.yaml:2:24: time.step: found \"-1 ms\", wanted a time > 0, such as 1 ms"},
    {"zero_end", "dimension: 2\ntime: {end: 0}\n", NULL,
     "scene.yaml:2:13: time.end: found \"0\", wanted a time > 0, such as 1 ms"},
    {"theta_too_small", "dimension: 2\ntime: {end: 1 s, theta: 0.4}\n", NULL,
     "scene.yaml:2:25: time.theta: found \"0.4\", wanted a pure number from 0.5 to 1"},
    {"restitution_above_one", HEAD "laws: [{restitution: 1.2}]\n" BALL, NULL,
     "scene.yaml:4:22: laws.0.restitution: found \"1.2\", wanted a pure number from 0 to 1"},
    {"negative_friction", HEAD "laws: [{friction: -0.1}]\n" BALL, NULL,
     "scene.yaml:4:19: laws.0.friction: found \"-0.1\", wanted a pure number >= 0"},
    {"negative_density", "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: -1 kg/m2}]\n", NULL,
     "scene.yaml:3:34: materials.ice.density: found \"-1 kg/m2\", wanted a mass per area > 0, such as 5 kg/m2"},
    {"negative_mass", HEAD "bodies: [{shape: {disc: 1 m}, mass: -2 kg}]\n", NULL,
     "scene.yaml:4:37: bodies.0.mass: found \"-2 kg\", wanted a mass > 0, such as 2 kg"},
    {"zero_radius", HEAD "bodies: [{shape: {disc: 0 m}}]\n", NULL,
     "scene.yaml:4:25: bodies.0.shape.disc.radius: found \"0 m\", wanted a length > 0, such as 0.2 m"},
    {"infinite_number", "dimension: 2\ntime: {end: .inf s}\n", NULL,
     "scene.yaml:2:13: time.end: found \".inf s\", which is not finite, wanted a time > 0, such as 1 ms"},
    {"not_a_number", HEAD "bodies: [{shape: {disc: 1 m}, position: [.nan m, 0]}]\n", NULL,
     "scene.yaml:4:42: bodies.0.position.0: found \".nan m\", which is not finite, wanted a length, such as 0.2 m"},
    {"overflow", "dimension: 2\ntime: {end: 1e999 s}\n", NULL,
     "scene.yaml:2:13: time.end: found \"1e999 s\", which is not finite, wanted a time > 0, such as 1 ms"},
    {"too_many_steps", "dimension: 2\ntime: {end: 1e9 s, step: 1 us}\nmaterials: [{name: ice}]\n" BALL, NULL,
     "scene.yaml:2:26: time.step: found 1e+15 steps until time.end, wanted at most 1e12"},
    {"too_many_bodies", HEAD "generate: [{grid: {shape: {disc: 1 m}, count: [1e5, 1e5], spacing: 3 3 m}}]\n", NULL,
     "scene.yaml:4:19: generate.0.grid: found 1e+10 bodies in the scene, wanted at most 20000000"},
    // Shape of 3d in 2d
    {"shape_of_the_other_dimension", HEAD "bodies: [{shape: {sphere: 1 m}}]\n", NULL,
     "scene.yaml:4:19: bodies.0.shape: \"sphere\" exists only in 3D, the scene has dimension 2"},
    {"field_of_the_other_dimension", HEAD "laws: [{cross_friction: 0.2}]\n" BALL, NULL,
     "scene.yaml:4:9: laws.0: \"cross_friction\" exists only in 3D, the scene has dimension 2"},
    // Names
    {"two_bodies_with_one_name", HEAD "bodies:\n  - {name: ball, shape: {disc: 1 m}}\n  - {name: ball, shape: {disc: 1 m}, position: 5 0 m}\n", NULL,
     "scene.yaml:6:12: bodies.ball.name: two bodies have the name \"ball\""},
    {"two_materials_with_one_name", "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice}, {name: ice}]\n", NULL,
     "scene.yaml:3:33: materials.ice.name: two materials have the name \"ice\""},
    {"two_shapes_with_one_name", HEAD "shapes: [{name: a, disc: 1 m}, {name: a, disc: 2 m}]\n" BALL, NULL,
     "scene.yaml:4:39: shapes.a.name: two shapes have the name \"a\""},
    {"shape_without_a_name", HEAD "shapes: [{disc: 1 m}]\n" BALL, NULL,
     "scene.yaml:4:10: shapes.0: missing key \"name\", wanted a text"},
    {"two_laws_for_one_pair", HEAD "laws: [{between: [ice, rock]}, {between: [rock, ice]}]\n" BALL, NULL,
     "scene.yaml:4:42: laws.1.between: two laws between \"rock\" and \"ice\""},
    {"two_default_laws", HEAD "laws: [{friction: 0.1}, {friction: 0.2}]\n" BALL, NULL,
     "scene.yaml:4:25: laws.1: two laws without \"between\"; only one can hold for all other pairs"},
    {"law_of_one_material", HEAD "laws: [{between: [ice]}]\n" BALL, NULL,
     "scene.yaml:4:18: laws.0.between: found 1 name, wanted 2 materials"},
    {"unknown_material", HEAD "bodies: [{shape: {disc: 1 m}, material: steel}]\n", NULL,
     "scene.yaml:4:41: bodies.0.material: unknown material \"steel\"; known: ice, rock"},
    {"unknown_material_with_a_slip", HEAD "bodies: [{shape: {disc: 1 m}, material: rokc}]\n", NULL,
     "scene.yaml:4:41: bodies.0.material: unknown material \"rokc\"; did you mean \"rock\"?"},
    {"unknown_material_in_a_law", HEAD "laws: [{between: [ice, rick]}]\n" BALL, NULL,
     "scene.yaml:4:24: laws.0.between.1: unknown material \"rick\"; did you mean \"rock\"?"},
    {"unknown_named_shape", HEAD "shapes: [{name: pebble, disc: 1 m}]\nbodies: [{shape: peble}]\n", NULL,
     "scene.yaml:5:18: bodies.0.shape.named: unknown shape \"peble\"; did you mean \"pebble\"?"},
    // Breaking
    {"breaking_without_a_smallest_piece", FLOES "breaking: {energy: 15 J/m2}\n" BALL, NULL,
     "scene.yaml:4:11: breaking: missing key \"smallest\", wanted an area > 0, such as 1 m2"},
    {"breaking_energy_zero", FLOES "breaking: {energy: 0 J/m2, smallest: 1 m2}\n" BALL, NULL,
     "scene.yaml:4:20: breaking.energy: found \"0 J/m2\", wanted an energy per area > 0, such as 15 J/m2"},
    {"breaking_energy_of_another_kind", FLOES "breaking: {energy: 15 J, smallest: 1 m2}\n" BALL, NULL,
     "scene.yaml:4:20: breaking.energy: found \"15 J\", a torque or energy, wanted an energy per area > 0, such as 15 J/m2"},
    {"breaking_smallest_negative", FLOES "breaking: {smallest: -1 m2}\n" BALL, NULL,
     "scene.yaml:4:22: breaking.smallest: found \"-1 m2\", wanted an area > 0, such as 1 m2"},
    {"breaking_angle_too_wide", FLOES "breaking: {smallest: 1 m2, angle: 95 deg}\n" BALL, NULL,
     "scene.yaml:4:35: breaking.angle: found \"95 deg\", wanted an angle from 0 to 1.57 rad, such as 30 deg"},
    {"breaking_unknown_material", FLOES "breaking: {smallest: 1 m2, material: icce}\n" BALL, NULL,
     "scene.yaml:4:38: breaking.material: unknown material \"icce\"; did you mean \"ice\"?"},
    {"breaking_of_springs", "dimension: 2\ntime: {end: 1 s, scheme: dem}\nmaterials: [{name: ice, density: 900 kg/m2}]\nbreaking: {smallest: 1 m2}\n" BALL, NULL,
     "scene.yaml:4:11: breaking: floes break under \"scheme: event-driven\" and \"scheme: moreau-jean\", found \"scheme: dem\""},
    // Smooth contacts
    {"dem_stiffness_and_young_modulus", HEAD "dem: {normal_stiffness: 1 kN/m, young_modulus: 1 GPa}\n" BALL, NULL,
     "scene.yaml:4:25: dem.normal_stiffness: found both normal_stiffness and young_modulus or poisson_ratio, wanted one kind: the first for the linear force, the others for Hertz forces"},
    {"dem_stiffness_of_hertz", HEAD "dem: {force: hertz, normal_stiffness: 1 kN/m}\n" BALL, NULL,
     "scene.yaml:4:39: dem.normal_stiffness: a normal stiffness is of the linear force; Hertz forces take young_modulus and poisson_ratio"},
    {"dem_young_modulus_of_linear", HEAD "dem: {young_modulus: 1 GPa}\n" BALL, NULL,
     "scene.yaml:4:22: dem.young_modulus: young_modulus and poisson_ratio are of the Hertz forces; the linear one takes normal_stiffness"},
    {"dem_without_young_modulus", HEAD "dem: {force: hertz}\n" BALL, NULL,
     "scene.yaml:4:6: dem: missing key \"young_modulus\": Hertz forces need it"},
    {"restitution_below_zero", HEAD "laws: [{restitution: -0.1}]\n" BALL, NULL,
     "scene.yaml:4:22: laws.0.restitution: found \"-0.1\", wanted a pure number from 0 to 1"},
    {"tangential_restitution_above_one", HEAD "laws: [{tangential_restitution: 1.01}]\n" BALL, NULL,
     "scene.yaml:4:33: laws.0.tangential_restitution: found \"1.01\", wanted a pure number from 0 to 1"},
    {"dem_restitution_below_zero", HEAD "dem: {restitution: -0.2}\n" BALL, NULL,
     "scene.yaml:4:20: dem.restitution: found \"-0.2\", wanted a pure number from 0 to 1"},
    {"dem_restitution", HEAD "dem: {restitution: 1.2}\n" BALL, NULL,
     "scene.yaml:4:20: dem.restitution: found \"1.2\", wanted a pure number from 0 to 1"},
    {"dem_stiffness_zero", HEAD "dem: {normal_stiffness: 0 N/m}\n" BALL, NULL,
     "scene.yaml:4:25: dem.normal_stiffness: found \"0 N/m\", wanted a stiffness > 0, such as 1 kN/m"},
    {"dem_poisson_ratio", HEAD "dem: {force: hertz, young_modulus: 1 GPa, poisson_ratio: 0.6}\n" BALL, NULL,
     "scene.yaml:4:58: dem.poisson_ratio: found \"0.6\", wanted a pure number from 0 to 0.5"},
    {"dem_few_substeps", HEAD "dem: {substeps_per_collision: 2}\n" BALL, NULL,
     "scene.yaml:4:31: dem.substeps_per_collision: found \"2\", wanted a pure number >= 5"},
    {"dem_pair_unknown_material", HEAD "dem: {pairs: [{between: [ice, rokc], restitution: 0.5}]}\n" BALL, NULL,
     "scene.yaml:4:31: dem.pairs.0.between.1: unknown material \"rokc\"; did you mean \"rock\"?"},
    {"dem_pair_twice", HEAD "dem: {pairs: [{between: [ice, rock], restitution: 0.5}, {between: [rock, ice], restitution: 0.4}]}\n" BALL, NULL,
     "scene.yaml:4:67: dem.pairs.1.between: two entries between \"rock\" and \"ice\""},
    {"dem_pair_of_one", HEAD "dem: {pairs: [{between: [ice], restitution: 0.5}]}\n" BALL, NULL,
     "scene.yaml:4:25: dem.pairs.0.between: found 1 name, wanted 2 materials"},
    {"dem_material_twice", HEAD "dem: {force: hertz, materials: [{material: ice, young_modulus: 1 GPa}, {material: ice, young_modulus: 1 GPa}]}\n" BALL, NULL,
     "scene.yaml:4:83: dem.materials.1.material: two entries for material \"ice\""},
    {"dem_material_of_linear", HEAD "dem: {materials: [{material: ice, young_modulus: 1 GPa}]}\n" BALL, NULL,
     "scene.yaml:4:50: dem.materials.0.young_modulus: a Young modulus is of the Hertz forces; the linear one takes normal_stiffness"},
    {"unknown_solver", HEAD "solver: nlsg\n" BALL, NULL,
     "scene.yaml:4:9: solver.name: unknown solver \"nlsg\"; did you mean \"nlgs\"?"},
    // Bodies
    {"driven_without_motion", HEAD "bodies: [{kind: driven, shape: {disc: 1 m}}]\n", NULL,
     "scene.yaml:4:10: bodies.0: missing key \"motion\": a driven body needs it"},
    {"motion_of_a_free_body", HEAD "bodies: [{shape: {disc: 1 m}, motion: {constant: {velocity: 1 0 m/s}}}]\n", NULL,
     "scene.yaml:4:31: bodies.0: \"motion\" is for bodies of kind driven, this one is free"},
    {"velocity_of_a_fixed_body", HEAD "bodies: [{kind: fixed, shape: {disc: 1 m}, velocity: 1 0 m/s}]\n", NULL,
     "scene.yaml:4:44: bodies.0: \"velocity\" is for bodies of kind free, this one is fixed"},
    {"free_obstacle", HEAD "bodies: [{name: floor, shape: {half_plane: {}}}]\n", NULL,
     "scene.yaml:4:10: bodies.floor: a free body cannot have the shape 'half-plane', which has no mass"},
    {"pack_with_too_little", HEAD "generate: [{floes: {zone: {box: {low: 0, high: 9 9 m}}, concentration: 0.5, count: 5, largest: 2 m}}]\n", NULL,
     "scene.yaml:4:20: generate.0.floes: found 2 of count, largest, smallest and exponent, wanted three: ln(count) = exponent ln(largest/smallest)"},
    {"pack_with_contradictions", HEAD "generate: [{floes: {zone: {box: {low: 0, high: 9 9 m}}, concentration: 0.5, count: 50, largest: 2 m, smallest: 1 m, exponent: 1}}]\n", NULL,
     "scene.yaml:4:20: generate.0.floes: count, largest, smallest and exponent contradict each other: the law gives 2 floes between 1 m and 2 m, not 50; leave one of them out"},
    {"pack_of_one_floe_too_large", HEAD "generate: [{floes: {zone: {box: {low: 0, high: 9 9 m}}, concentration: 0.95, count: 1, largest: 2 m, exponent: 1}}]\n", NULL,
     "scene.yaml:4:20: generate.0.floes: floe 1 of 1 must cover 76.95 m2 to reach a concentration of 0.95, which the zone of 81 m2 cannot hold; take more floes, a larger exponent or a lower concentration"},
    {"pack_with_the_smallest_above_the_largest", HEAD "generate: [{floes: {zone: {box: {low: 0, high: 9 9 m}}, concentration: 0.5, smallest: 3 m, largest: 2 m, exponent: 1}}]\n", NULL,
     "scene.yaml:4:20: generate.0.floes: largest is 2 m, wanted at least smallest, which is 3 m"},
    {"thickness_without_volume_density", HEAD "bodies: [{name: floe, thickness: 1 m, shape: {disc: 1 m}}]\n", NULL,
     "scene.yaml:4:10: bodies.floe: no mass: material 'ice' has no volume density and the body gives no mass"},
    {"thickness_of_a_fixed_body", HEAD "bodies: [{name: isle, kind: fixed, thickness: 1 m, shape: {disc: 1 m}}]\n", NULL,
     "scene.yaml:4:36: bodies.isle: \"thickness\" is for bodies of kind free, this one is fixed"},
    {"two_sources_of_wind", HEAD BALL "environment: {wind: {velocity: 1 0 m/s, vortex: {speed: 1 m/s, radius: 1 m}}}\n", NULL,
     "scene.yaml:5:21: environment.wind: found 2 sources, wanted one of velocity, table, vortex, radial, channel, netcdf"},
    {"wind_without_a_source", HEAD BALL "environment: {wind: {ramp: 1 h}}\n", NULL,
     "scene.yaml:5:21: environment.wind: found 0 sources, wanted one of velocity, table, vortex, radial, channel, netcdf"},
    {"forcing_that_ends_too_early", HEAD BALL "environment: {wind: {table: [{time: 0, velocity: 0}, {time: 0.5 s, velocity: 0}]}}\n", NULL,
     "scene.yaml:5:21: environment.wind: wind: the scene needs times 0 s to 1 s of the data, which hold 0 s to 0.5 s"},
    {"forcing_times_that_go_back", HEAD BALL "environment: {wind: {table: [{time: 2 s, velocity: 0}, {time: 1 s, velocity: 0}]}}\n", NULL,
     "scene.yaml:5:29: environment.wind.table.rows: row 2: times must increase (found 1 s after 2 s)"},
    {"latitude_beyond_the_pole", HEAD BALL "environment: {latitude: 91 deg}\n", NULL,
     "scene.yaml:5:25: environment.latitude: wanted a latitude between -90 deg and 90 deg"},
    {"environment_in_3d", HEAD_3D "bodies: [{shape: {sphere: 1 m}}]\nenvironment: {}\n", NULL,
     "scene.yaml:5:14: environment: an environment needs a plane scene"},
    {"free_body_without_density", HEAD "bodies: [{name: ball, material: rock, shape: {disc: 1 m}}]\n", NULL,
     "scene.yaml:4:10: bodies.ball: no mass: material 'rock' has no density and the body gives no mass"},
    {"shape_and_shapes", HEAD "bodies: [{shape: {disc: 1 m}, shapes: [{disc: 1 m}]}]\n", NULL,
     "scene.yaml:4:10: bodies.0: found both \"shape\" and \"shapes\", wanted one of them"},
    {"self_crossing_polygon", HEAD "bodies: [{name: bow, shape: {polygon: [0 0 m, 1 1 m, 1 0 m, 0 1 m]}}]\n", NULL,
     "scene.yaml:4:39: bodies.bow.shape.polygon: polygon crosses itself: the edge from vertex 1 to vertex 2 meets the edge from vertex 3 to vertex 4"},
    {"polygon_of_two_points", HEAD "bodies: [{shape: {polygon: [0 0 m, 1 1 m]}}]\n", NULL,
     "scene.yaml:4:28: bodies.0.shape.polygon: polygon needs at least 3 vertices, found 2"},
    {"polygon_without_vertices", HEAD "bodies: [{shape: {polygon: {}}}]\n", NULL,
     "scene.yaml:4:28: bodies.0.shape.polygon: wanted either vertices or file"},
    {"flat_polyhedron", HEAD_3D "bodies: [{shape: {polyhedron: [0 0 0 m, 1 0 0 m, 0 1 0 m, 1 1 0 m]}}]\n", NULL,
     "scene.yaml:4:31: bodies.0.shape.polyhedron: the polyhedron is flat: its vertices span 1 m but lie within 0 m of one plane"},
    {"normal_without_direction", HEAD "bodies: [{kind: fixed, shape: {half_plane: {normal: [0, 0]}}}]\n", NULL,
     "scene.yaml:4:53: bodies.0.shape.half_plane.normal: the normal has no direction"},
    {"axis_without_direction", HEAD_3D "bodies: [{shape: {sphere: 1 m}, rotation: {axis: [0, 0, 0], angle: 1 rad}}]\n", NULL,
     "scene.yaml:4:50: bodies.0.rotation.axis: the axis has no direction"},
    {"two_rotations", HEAD_3D "bodies: [{shape: {sphere: 1 m}, rotation: {angle: 1 rad, quaternion: [1, 0, 0, 0]}}]\n", NULL,
     "scene.yaml:4:43: bodies.0.rotation: wanted only one of angle, quaternion and euler"},
    {"table_with_one_row", HEAD "bodies: [{kind: driven, shape: {disc: 1 m}, motion: {table: [{time: 0 s}]}}]\n", NULL,
     "scene.yaml:4:10: bodies.0: motion: a table needs at least two rows"},
    {"table_with_time_going_back", HEAD "bodies: [{kind: driven, shape: {disc: 1 m}, motion: {table: [{time: 1 s}, {time: 0 s}]}}]\n", NULL,
     "scene.yaml:4:10: bodies.0: motion: times of the table must increase (row 2)"},
    {"outline_file_missing", HEAD "bodies: [{shape: {polygon: {file: nowhere.wkt}}}]\n", NULL,
     "scene.yaml:4:35: bodies.0.shape.polygon.file: nowhere.wkt: no such file"},
    {"motion_file_is_wrong", HEAD "bodies: [{kind: driven, shape: {disc: 1 m}, motion: {table: {file: motion.txt}}}]\n", NULL,
     "scene.yaml:4:68: bodies.0.motion.table.file: motion.txt line 2: found \"zero 0\", wanted 4 numbers"},
    {"outline_file_is_wrong", HEAD "bodies: [{shape: {polygon: {file: outline.wkt}}}]\n", NULL,
     "scene.yaml:4:35: bodies.0.shape.polygon.file: outline.wkt: found \"2, 1 1))\" after point 2, wanted \",\" or \")\""},
    {"outline_with_a_hole", HEAD "bodies: [{shape: {polygon: {file: hole.wkt}}}]\n", NULL,
     "scene.yaml:4:35: bodies.0.shape.polygon.file: hole.wkt: the polygon has holes; a body cannot have any"},
    {"geojson_is_wrong", HEAD "bodies: [{shape: {polygon: {file: point.geojson}}}]\n", NULL,
     "scene.yaml:4:35: bodies.0.shape.polygon.file: point.geojson: found Point, wanted one GeoJSON Polygon"},
    {"mesh_file_is_wrong", HEAD_3D "bodies: [{kind: fixed, shape: {mesh: bad.obj}}]\n", NULL,
     "scene.yaml:4:38: bodies.0.shape.mesh.file: bad.obj:1: expected 3 numbers, found 2"},
    // Generators
    {"generator_without_kind", HEAD "generate: [{name: a}]\n", NULL,
     "scene.yaml:4:12: generate.a: missing key, wanted one of grid, fill, lattice, wall, arch, stack, pyramid, container, pour, paving, drum, floes, outlines, hopper"},
    {"pour_of_grains_that_are_lost_at_once", HEAD "generate: [{pour: {count: 3, radius: 1 m, rate: 1 Hz, spread: 2 m, lost_beyond: 1 m}}]\n", NULL,
     "scene.yaml:4:81: generate.0.pour.lost_beyond: found 1 m, wanted more than \"spread\", which is 2 m"},
    {"paving_with_too_many_grains", HEAD "generate: [{paving: {extent: 1e9 m, radius: 1 mm}}]\n", NULL,
     "scene.yaml:4:45: generate.0.paving.radius: the grains are too small for so large a paving"},
    {"grid_too_tight", HEAD "generate: [{grid: {shape: {disc: 1 m}, count: [2, 2], spacing: 3 1.5 m}}]\n", NULL,
     "scene.yaml:4:64: generate.0.grid.spacing: found 1.5 m along y, wanted at least 2 m: the largest size plus twice the jitter"},
    {"grid_of_obstacles", HEAD "generate: [{grid: {shape: {half_plane: {}}, count: [2, 2], spacing: 3 3 m}}]\n", NULL,
     "scene.yaml:4:27: generate.0.grid.shape: found the shape \"half-plane\", wanted one with mass"},
    {"grid_with_half_a_column", HEAD "generate: [{grid: {shape: {disc: 1 m}, count: [2.5, 2], spacing: 3 3 m}}]\n", NULL,
     "scene.yaml:4:47: generate.0.grid.count: wanted whole numbers"},
    {"fill_without_room", HEAD "generate: [{fill: {count: 100, radius: 1 m, placing: lattice, region: {box: {low: 0, high: 5 5 m}}}}]\n", NULL,
     "scene.yaml:4:27: generate.0.fill.count: found room for 4 grains, wanted 100: enlarge the region"},
    {"sizes_the_wrong_way_round", HEAD "generate: [{fill: {count: 2, radius: {uniform: {low: 2 m, high: 1 m}}, region: {box: {low: 0, high: 50 50 m}}}}]\n", NULL,
     "scene.yaml:4:65: generate.0.fill.radius.uniform.high: found 1 m, wanted at least \"low\", which is 2 m"},
    {"region_the_wrong_way_round", HEAD "generate: [{fill: {count: 2, radius: 1 m, region: {box: {low: 0, high: -5 5 m}}}}]\n", NULL,
     "scene.yaml:4:72: generate.0.fill.region.box.high: found -5 m along x, wanted more than \"low\", which is 0 m"},
    {"lattice_of_the_other_dimension", HEAD "generate: [{lattice: {radius: 1 m, arrangement: fcc, region: {box: {low: 0, high: 5 5 m}}}}]\n", NULL,
     "scene.yaml:4:49: generate.0.lattice.arrangement: wanted square or hexagonal in 2D"},
    {"empty_drum", HEAD "bodies: [{shape: {disc: 1 m}, position: 9 0 m}]\ngenerate: [{drum: {radius: 2 m}}]\n", NULL,
     "scene.yaml:5:19: generate.0.drum: the drum is empty: no free body is inside; generate some, for example with fill: {count: 100, radius: 0.1 m, region: {ball: {radius: 2 m}}}"},
    {"drum_without_length", HEAD_3D "generate: [{drum: {radius: 1 m}}]\n", NULL,
     "scene.yaml:4:19: generate.0.drum: missing key \"length\", wanted a length > 0, such as 0.2 m"},
    {"hopper_upside_down", HEAD "generate: [{hopper: {outlet: 2 m, top: 1 m, height: 1 m}}]\n", NULL,
     "scene.yaml:4:40: generate.0.hopper.top: found 1 m, wanted more than \"outlet\", which is 2 m"},
    // Expect
    {"expect_without_tolerance", HEAD BALL "expect: [{quantity: position.y, value: 1 m}]\n", NULL,
     "scene.yaml:5:10: expect.0: wanted either tolerance or relative"},
    {"expect_tolerance_of_another_dimension", HEAD BALL "expect: [{quantity: position.y, value: 1 m, tolerance: 1 s}]\n", NULL,
     "scene.yaml:5:56: expect.0.tolerance: the value is a length, the tolerance is not"},
    {"expect_unknown_body", HEAD BALL "expect: [{quantity: position.y, of: bal, value: 1 m, tolerance: 1 mm}]\n", NULL,
     "scene.yaml:5:37: expect.0.of: unknown body \"bal\"; did you mean \"ball\"?"},
    {"expect_at_without_a_time", HEAD BALL "expect: [{quantity: position.y, reduce: at, value: 1 m, tolerance: 1 mm}]\n", NULL,
     "scene.yaml:5:41: expect.0.reduce: missing key \"at\": reduce: at needs a time"},
    {"expect_first_time_without_level", HEAD BALL "expect: [{quantity: position.y, reduce: first-time-above, value: 1 s, tolerance: 1 ms}]\n", NULL,
     "scene.yaml:5:41: expect.0.reduce: missing key \"level\": a first time needs the level that is crossed"},
    // Overrides
    {"set_without_value", HEAD BALL, "time.step",
     "--set time.step: wanted path=value, such as time.step=0.5 ms"},
    {"set_unknown_section", HEAD BALL, "tiem.step=1 ms",
     "--set tiem.step=1 ms: unknown key \"tiem\"; did you mean \"time\"?"},
    {"set_unknown_field", HEAD BALL, "time.stpe=1 ms",
     "--set time.stpe=1 ms: unknown key \"stpe\"; did you mean \"step\"?"},
    {"set_wrong_unit", HEAD BALL, "time.step=5 kg",
     "--set time.step=5 kg: time.step: found \"5 kg\", a mass, wanted a time > 0, such as 1 ms"},
    {"set_unknown_body", HEAD BALL, "bodies.bal.position=[0 m, 2 m]",
     "--set bodies.bal.position=[0 m, 2 m]: no item \"bal\"; did you mean \"ball\"?"},
    {"set_index_too_large", HEAD BALL, "bodies.7.position=[0 m, 2 m]",
     "--set bodies.7.position=[0 m, 2 m]: no item \"7\"; bodies has 1 item, the first has number 0"},
    {"set_inside_a_quantity", HEAD BALL, "time.step.size=1 ms",
     "--set time.step.size=1 ms: \"step\" has no parts that could be set one by one"},
    {"set_list_that_is_not_there", HEAD BALL, "laws.0.friction=0.3",
     "--set laws.0.friction=0.3: the scene has no list \"laws\""},
    {"set_value_that_is_not_yaml", HEAD BALL, "title=[1",
     "--set title=[1: not valid YAML: flow sequence without a closing bracket"},
    {"set_out_of_range", HEAD BALL, "bodies.ball.shape.disc.radius=-1 m",
     "--set bodies.ball.shape.disc.radius=-1 m: bodies.ball.shape.disc.radius: found \"-1 m\", wanted a length > 0, such as 0.2 m"},
    {"set_makes_a_second_case", HEAD BALL, "bodies.ball.shape.ring=1 m",
     "--set bodies.ball.shape.ring=1 m: bodies.ball.shape: found both \"disc\" and \"ring\", wanted one of them"},
};
// clang-format on
enum { BAD_COUNT = sizeof bad_scenes / sizeof *bad_scenes };

#define FILE_ROW(name, text)                                                                                           \
    { (char *)(name), (char *)(text), sizeof(text) - 1 }
static const MrnSceneFile files[] = {
    FILE_ROW("motion.txt", "0 0 0 0\n1 0 zero 0\n"),
    FILE_ROW("outline.wkt", "POLYGON ((0 0, 1 0 2, 1 1))"),
    FILE_ROW("hole.wkt", "POLYGON ((0 0, 9 0, 9 9, 0 0), (4 1, 5 1, 5 2, 4 1))"),
    FILE_ROW("point.geojson", "{\"type\": \"Point\", \"coordinates\": [1, 2]}"),
    FILE_ROW("bad.obj", "v 0 0\n"),
};
enum { FILE_COUNT = sizeof files / sizeof *files };

static void scene_is_refused_with_its_message(void **state) {
    const BadScene *bad = *state;
    MrnError error = {0};
    size_t count = bad->override ? 1 : 0;
    MrnScene *scene = mrn_scene_parse(bad->text, "scene.yaml", &bad->override, count, files, FILE_COUNT, &error);
    assert_null(scene);
    assert_string_equal(error.message, bad->message);
    assert_int_not_equal(error.code, MRN_OK);
    assert_null(mrn_scene_parse(bad->text, "scene.yaml", &bad->override, count, files, FILE_COUNT,
                                NULL)); // nobody has to ask why
}

static void there_are_more_than_sixty_distinct_malformed_scenes(void **state) {
    (void)state;
    assert_true(BAD_COUNT > 60);
    for (size_t i = 0; i < BAD_COUNT; i++)
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(bad_scenes[i].name, bad_scenes[j].name);
            bool same_override = bad_scenes[i].override == bad_scenes[j].override ||
                                 (bad_scenes[i].override && bad_scenes[j].override &&
                                  strcmp(bad_scenes[i].override, bad_scenes[j].override) == 0);
            assert_true(!same_override || strcmp(bad_scenes[i].text, bad_scenes[j].text) != 0);
        }
}

static void expect_read_error(const char *path, MrnErrorCode code, const char *message) {
    MrnError error = {0};
    assert_null(mrn_scene_read(path, NULL, 0, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, code);
}

static void missing_scene_file_is_named(void **state) {
    (void)state;
    expect_read_error("no/such/scene.yaml", MRN_ERROR_FILE, "no/such/scene.yaml: no such file");
}

static void directory_is_not_a_scene(void **state) {
    (void)state;
    expect_read_error(".", MRN_ERROR_FILE, ".: is a directory");
}

static void scene_file_with_a_zero_byte_is_refused(void **state) {
    (void)state;
    char path[] = "scene_with_zero_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "title: a\0b\n", 11), 11);
    close(file);
    char message[200];
    snprintf(message, sizeof message, "%s: not a text file: found a byte 0", path);
    expect_read_error(path, MRN_ERROR_INPUT, message);
    unlink(path);
}

static void missing_gallery_scene_says_where_it_was_looked_for(void **state) {
    (void)state;
    setenv("MORAINE_GALLERY", "my-gallery", 1);
    MrnError error = {0};
    assert_null(mrn_scene_read("gallery:nothing", NULL, 0, &error));
    const char *begin = "gallery:nothing: no such gallery scene in my-gallery, ";
    assert_memory_equal(error.message, begin, strlen(begin));
    assert_non_null(strstr(error.message, "; `moraine gallery` lists them"));
    assert_null(mrn_scene_read("gallery:../secret", NULL, 0, &error));
    assert_memory_equal(error.message, "gallery:../secret: no such gallery scene", 40);
    unsetenv("MORAINE_GALLERY");
}

int main(void) {
    struct CMUnitTest tests[BAD_COUNT + 5];
    for (size_t i = 0; i < BAD_COUNT; i++)
        tests[i] = (struct CMUnitTest){bad_scenes[i].name, scene_is_refused_with_its_message, NULL, NULL,
                                       (void *)&bad_scenes[i]};
    const struct CMUnitTest others[] = {
        cmocka_unit_test(there_are_more_than_sixty_distinct_malformed_scenes),
        cmocka_unit_test(missing_scene_file_is_named),
        cmocka_unit_test(directory_is_not_a_scene),
        cmocka_unit_test(scene_file_with_a_zero_byte_is_refused),
        cmocka_unit_test(missing_gallery_scene_says_where_it_was_looked_for),
    };
    memcpy(tests + BAD_COUNT, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
