// Good scenes: what is written arrives in the model, what is left out has its default, short forms mean the long ones,
// overrides are edits, files travel with the scene, the gallery and the reference page can be read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene_tools.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI      3.14159265358979323846
#define HEAD    "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m2}, {name: rock}]\n"
#define HEAD_3D "dimension: 3\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m3}, {name: rock}]\n"
#define BALL    "bodies: [{name: ball, shape: {disc: 1 m}}]\n"

static MrnScene *parse(const char *text) {
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    return scene;
}

static MrnScene *parse_with(const char *text, const char *override) {
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", &override, 1, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    return scene;
}

static MrnScene *read_everything(int dimension) {
    char path[300];
    snprintf(path, sizeof path, "%s/tests/scenes/everything_%dd.yaml", MORAINE_SOURCE_DIR, dimension);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read(path, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    return scene;
}

static const MrnBody *body_named(const MrnScene *scene, const char *name) {
    int body = mrn_model_find_body(scene->model, name);
    if (body < 0) fail_msg("no body %s", name);
    return &scene->model->bodies.data[body];
}

static void assert_near(double found, double wanted) {
    if (!(fabs(found - wanted) <= 1e-14 * (1 + fabs(wanted)))) fail_msg("found %.17g, wanted %.17g", found, wanted);
}

static void settings_arrive_as_written(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    const MrnScheme *scheme = &scene->scheme;
    assert_string_equal(scene->title, "One of each in 2D");
    assert_string_equal(scheme->stepper, "moreau-jean");
    assert_true(scheme->time_step == 0.5e-3 && scheme->theta == 0.6 && scheme->gap_tolerance == 1e-8 &&
                scheme->recovery == 0.1);
    assert_true(scheme->recovery_speed == 2e-3 && !scheme->warm_start && scheme->keep_memory && scheme->threads == 2);
    assert_int_equal(scheme->activation, MRN_ACTIVATION_MOREAU);
    assert_true(scene->duration == 2 && scene->output_interval == 0.01 && scene->checkpoint_interval == 120);
    assert_string_equal(scheme->solver.solver, "nlgs");
    assert_string_equal(scheme->solver.options, "relaxation=1.1");
    assert_true(scheme->solver.tolerance == 1e-8 && scheme->solver.max_iterations == 500 &&
                scheme->solver.time_limit == 3);
    assert_true(scene->model->gravity[0] == 0 && scene->model->gravity[1] == -9.81);
    mrn_scene_free(scene);
}

static void materials_and_laws_arrive_as_written(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    const MrnModel *model = scene->model;
    assert_int_equal(model->materials.count, 2);
    assert_string_equal(model->materials.data[1].name, "rock");
    assert_true(model->materials.data[0].density == 900 && model->materials.data[1].density == 2500);
    MrnPairLaw law = mrn_model_law(model, 1, 0), other = mrn_model_law(model, 1, 1);
    assert_true(law.friction == 0.05 && law.normal_restitution == 0.2 && law.tangential_restitution == 0.1 &&
                law.rolling_length == 0.002);
    assert_true(law.cross_friction < 0 && other.friction == 0.5 && other.normal_restitution == 0);
    mrn_scene_free(scene);
    scene = read_everything(3);
    law = mrn_model_law(scene->model, 0, 0);
    assert_true(law.friction == 0.3 && law.cross_friction == 0.6);
    assert_near(law.friction_axis[0], sqrt(0.5));
    mrn_scene_free(scene);
}

static void bodies_arrive_as_written(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    const MrnBody *ball = body_named(scene, "ball");
    assert_int_equal(ball->kind, MRN_BODY_FREE);
    assert_true(ball->position[0] == 1 && ball->position[1] == 2 && ball->start->velocity[0] == 1 &&
                ball->start->velocity[1] == -2 && ball->start->spin[2] == 2);
    assert_near(ball->start->rotation[0], PI / 6);
    assert_true(ball->mass == 5 && ball->inertia[2] == 0.3 && ball->load->force[0] == 1 &&
                ball->load->torque[2] == 0.5 && ball->birth == 0.5 && ball->group == 3);
    const MrnBody *plate = body_named(scene, "plate");
    const MrnDriver *sine = &scene->model->drivers.data[plate->driver];
    assert_int_equal(plate->kind, MRN_BODY_DRIVEN);
    assert_int_equal(sine->kind, MRN_DRIVER_SINE);
    assert_true(sine->amplitude[1] == 0.002 && sine->frequency == 30);
    assert_near(sine->phase, PI / 2);
    assert_near(sine->angular_amplitude, PI / 180);
    const MrnDriver *constant = &scene->model->drivers.data[body_named(scene, "belt")->driver];
    assert_true(constant->velocity[0] == 1);
    assert_near(constant->angular_velocity, 0.1 * PI);
    const MrnDriver *table = &scene->model->drivers.data[body_named(scene, "press")->driver];
    assert_int_equal(table->table_count, 2);
    assert_true(table->table[5] == 1 && table->table[7] == -1);
    assert_near(table->table[9], PI / 18);
    const MrnDriver *file = &scene->model->drivers.data[body_named(scene, "shaker")->driver];
    assert_int_equal(file->table_count, 3);
    assert_true(file->table[5] == 0.5 && file->table[6] == 0.1 && file->table[10 + 4] == 0.5);
    mrn_scene_free(scene);
}

static void shapes_arrive_as_written(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    const MrnShape *shapes = scene->model->shapes.data;
    const MrnShape *plate = &shapes[body_named(scene, "plate")->first_shape];
    assert_int_equal(plate->kind, MRN_SHAPE_POLYGON);
    assert_true(plate->radius == 0.01 && plate->vertices[0] == -1 && plate->vertices[1] == -0.05);
    assert_near(body_named(scene, "square")->mass, 0.01 * 900);   // a square of 10 cm from a file
    assert_near(body_named(scene, "triangle")->mass, 0.5 * 2500); // its shape has its own material
    assert_near(body_named(scene, "hexagon")->mass, 1.5 * sqrt(3) * 0.09 * 900);
    assert_int_equal(body_named(scene, "dumbbell")->shape_count, 2);
    assert_near(body_named(scene, "dumbbell")->mass, 2 * PI * 0.01 * 900);
    const MrnShape *ground = &shapes[body_named(scene, "ground")->first_shape];
    assert_near(ground->rotation[0], atan2(1, 0.1) - PI / 2);
    const MrnShape *line = &shapes[body_named(scene, "line")->first_shape];
    assert_true(line->kind == MRN_SHAPE_CHAIN && line->vertex_count == 3 && line->radius == 0.01);
    mrn_scene_free(scene);

    scene = read_everything(3);
    shapes = scene->model->shapes.data;
    assert_near(body_named(scene, "ball")->mass, 7800 * 4 * PI / 3 * 1e-3);
    assert_near(body_named(scene, "can")->mass, 7800 * PI * 0.0025 * 0.2);
    assert_near(body_named(scene, "pill")->mass, 7800 * (PI * 0.0025 * 0.2 + 4 * PI / 3 * 0.000125));
    assert_near(body_named(scene, "tetrahedron")->mass, 7800.0 / 6);
    assert_near(body_named(scene, "box")->mass, 2);
    const MrnShape *cone = &shapes[body_named(scene, "cone")->first_shape];
    assert_true(cone->kind == MRN_SHAPE_FUNNEL && cone->radius == 0.1 && cone->top_radius == 1 && cone->half[2] == 0.5);
    const MrnShape *land = &shapes[body_named(scene, "land")->first_shape];
    assert_true(land->kind == MRN_SHAPE_MESH && land->face_count == 2);
    MrnPose origin = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    assert_near(mrn_shape_bounds(land, &origin).high.x, 1000); // 1 km per unit of the file
    // The outward direction of the plane is its normal.
    const MrnShape *table = &shapes[body_named(scene, "table")->first_shape];
    MrnVec3 up = mrn_quat_rotate(mrn_quat_load(table->rotation), mrn_vec3(0, 0, 1));
    assert_near(up.y / up.z, 0.1);
    mrn_scene_free(scene);
}

static void rotations_in_3d_turn_the_right_way(void **state) {
    (void)state;
    static const char *const rows[] = {"{axis: [0, 0, 2], angle: 90 deg}", "{quaternion: [1, 0, 0, 1]}",
                                       "{euler: [0, 0, 90 deg]}", "90 deg"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[500];
        snprintf(text, sizeof text, HEAD_3D "bodies: [{kind: fixed, shape: {box: 1 2 3 m}, rotation: %s}]\n", rows[i]);
        MrnScene *scene = parse(text);
        MrnVec3 x = mrn_quat_rotate(mrn_quat_load(scene->model->bodies.data[0].start->rotation), mrn_vec3(1, 0, 0));
        assert_near(x.x, 0);
        assert_near(x.y, 1);
        mrn_scene_free(scene);
    }
    // First about x, then about y, then about z, all fixed in space.
    MrnScene *scene =
        parse(HEAD_3D "bodies: [{kind: fixed, shape: {box: 1 2 3 m}, rotation: {euler: [90 deg, 0, 90 deg]}}]\n");
    MrnVec3 y = mrn_quat_rotate(mrn_quat_load(scene->model->bodies.data[0].start->rotation), mrn_vec3(0, 1, 0));
    assert_near(y.z, 1);
    mrn_scene_free(scene);
}

static void named_shapes_are_placed_in_the_body(void **state) {
    (void)state;
    MrnScene *scene = parse(HEAD "shapes: [{name: a, disc: 10 cm, position: 1 0 m}]\n"
                                 "bodies: [{kind: fixed, shape: {named: a, position: 0 5 m, rotation: 90 deg, "
                                 "material: rock}}, {kind: fixed, shape: a}]\n");
    const MrnShape *turned = &scene->model->shapes.data[0], *plain = &scene->model->shapes.data[1];
    assert_near(turned->position[0], 0);
    assert_near(turned->position[1], 6);
    assert_int_equal(turned->material, 1);
    assert_near(plain->position[0], 1);
    assert_int_equal(plain->material, 0);
    mrn_scene_free(scene);
}

static void what_is_left_out_has_the_default_of_the_library(void **state) {
    (void)state;
    MrnScene *scene = parse(HEAD BALL);
    MrnScheme wanted = mrn_scheme_defaults();
    const MrnScheme *found = &scene->scheme;
    assert_string_equal(found->stepper, wanted.stepper);
    assert_true(found->time_step == wanted.time_step && found->theta == wanted.theta &&
                found->activation == wanted.activation);
    assert_true(found->gap_tolerance == wanted.gap_tolerance && found->recovery == wanted.recovery &&
                found->recovery_speed == wanted.recovery_speed);
    assert_true(found->warm_start == wanted.warm_start && found->keep_memory == wanted.keep_memory &&
                found->threads == wanted.threads);
    assert_string_equal(found->solver.solver, "auto");
    assert_true(found->solver.tolerance == wanted.solver.tolerance &&
                found->solver.max_iterations == wanted.solver.max_iterations);
    assert_true(found->solver.time_limit == wanted.solver.time_limit && !found->solver.options);
    assert_true(scene->output_interval == 0.01 && scene->checkpoint_interval == 60 && !scene->check);
    assert_string_equal(scene->title, "untitled");
    MrnPairLaw law = mrn_model_law(scene->model, 0, 1), plain = mrn_pair_law_defaults();
    assert_true(law.friction == plain.friction && law.normal_restitution == plain.normal_restitution &&
                law.cross_friction == plain.cross_friction && law.rolling_length == plain.rolling_length &&
                law.tangential_restitution == plain.tangential_restitution);
    const MrnBody *ball = body_named(scene, "ball");
    assert_true(ball->kind == MRN_BODY_FREE && ball->position[0] == 0 && ball->birth == 0 && ball->group == 0);
    assert_near(ball->mass, 900 * PI);
    mrn_scene_free(scene);
    scene = parse_with(HEAD BALL, "time.activation=moreau");
    assert_true(scene->scheme.recovery == 0);
    mrn_scene_free(scene);
    scene = parse_with(HEAD BALL, "time={end: 5 ms}");
    assert_true(scene->output_interval == 0.001); // never less than a step
    mrn_scene_free(scene);
}

static void short_forms_mean_the_long_ones(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"shape: {disc: 1 m}", "shape: {disc: {radius: 100 cm}}"},
        {"shape: {disc: 1 m}, position: 1 20 cm", "shape: {disc: 1 m}, position: [10 mm, 0.2 m]"},
        {"shape: {disc: 1 m}, position: 0", "shape: {disc: 1 m}, position: [0 m, 0]"},
        {"shape: {disc: 1 m}, rotation: 180 deg", "shape: {disc: 1 m}, rotation: {angle: 0.5 rev}"},
        {"shape: {rectangle: 2 1 m}",
         "shape: {polygon: {vertices: [[-1 m, -50 cm], [1 m, -0.5 m], 1 0.5 m, -1 0.5 m]}}"},
        {"shape: {disc: 1 m}", "shapes: [{disc: 1 m}]"},
        {"shape: {disc: 1 m}", "shape: {disc: 1 m, position: 0, rotation: 0, material: ice}, kind: free, group: 0"},
        {"shape: pebble", "shape: {named: pebble}"},
        {"shape: pebble", "shape: {irregular: {radius: 1 m}}"},
        {"kind: fixed, shape: {half_plane: }", "kind: fixed, shape: {half_plane: {normal: [0, 2]}}"},
        {"shape: {disc: 1 m}, velocity: 36 0 km/h", "shape: {disc: 1 m}, velocity: [10 m/s, 0]"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t prints[2];
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text, HEAD "shapes: [{name: pebble, irregular: 1 m}]\nbodies: [{%s}]\n", pairs[i][k]);
            MrnScene *scene = parse(text);
            prints[k] = scene_fingerprint(scene);
            mrn_scene_free(scene);
        }
        if (prints[0] != prints[1]) fail_msg("\"%s\" is not \"%s\"", pairs[i][0], pairs[i][1]);
    }
}

static void overrides_do_what_an_edit_does(void **state) {
    (void)state;
    static const struct {
        const char *from, *override, *to;
    } rows[] = {
        {HEAD BALL, "time.step=0.5 ms",
         "dimension: 2\ntime: {end: 1 s, step: 0.5 ms}\nmaterials: [{name: ice, density: 900 kg/m2}, {name: "
         "rock}]\n" BALL},
        {HEAD BALL, "bodies.ball.position=[0 m, 2 m]",
         HEAD "bodies: [{name: ball, shape: {disc: 1 m}, position: 0 2 m}]\n"},
        {HEAD BALL, "bodies.0.position=0 2 m", HEAD "bodies: [{name: ball, shape: {disc: 1 m}, position: 0 2 m}]\n"},
        {HEAD BALL, "bodies.ball.shape.disc.radius=2 m", HEAD "bodies: [{name: ball, shape: {disc: 2 m}}]\n"},
        {HEAD BALL, "bodies.ball.shape={rectangle: 1 1 m}", HEAD "bodies: [{name: ball, shape: {rectangle: 1 1 m}}]\n"},
        {HEAD BALL, "materials.ice.density=1 t/m2",
         "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 1 t/m2}, {name: rock}]\n" BALL},
        {HEAD BALL "solver: nlgs\n", "solver.options.relaxation=0.9",
         HEAD BALL "solver: {name: nlgs, options: {relaxation: 0.9}}\n"},
        {HEAD BALL, "laws=[{friction: 0.3}]", HEAD BALL "laws: [{friction: 0.3}]\n"},
        {HEAD BALL "gravity: [0, -1 m/s2]\n", "gravity.1=-2 m/s2", HEAD BALL "gravity: [0, -2 m/s2]\n"},
        {HEAD BALL, "title=a = b", HEAD BALL "title: a = b\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MrnScene *changed = parse_with(rows[i].from, rows[i].override), *edited = parse(rows[i].to);
        if (scene_fingerprint(changed) != scene_fingerprint(edited)) fail_msg("--set %s", rows[i].override);
        assert_int_equal(changed->override_count, 1);
        assert_string_equal(changed->overrides[0], rows[i].override);
        mrn_scene_free(changed);
        mrn_scene_free(edited);
    }
}

static void later_overrides_win(void **state) {
    (void)state;
    const char *overrides[] = {"time.end=5 s", "time.end=7 s"};
    MrnScene *scene = mrn_scene_parse(HEAD BALL, "scene.yaml", overrides, 2, NULL, 0, NULL);
    assert_non_null(scene);
    assert_true(scene->duration == 7);
    mrn_scene_free(scene);
}

static void files_travel_with_the_scene(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    assert_int_equal(scene->file_count, 3);
    assert_string_equal(scene->files[0].name, "motion.txt");
    assert_string_equal(scene->files[1].name, "square.wkt");
    assert_string_equal(scene->files[2].name, "floes.pgm");
    // The text and the files alone, where nothing is on disk, give the same scene.
    MrnError error = {0};
    MrnScene *again =
        mrn_scene_parse(scene->text, "elsewhere/scene.yaml", NULL, 0, scene->files, scene->file_count, &error);
    if (!again) fail_msg("%s", error.message);
    assert_true(scene_fingerprint(scene) == scene_fingerprint(again));
    mrn_scene_free(scene);
    mrn_scene_free(again);
}

static void outlines_are_the_same_from_wkt_and_geojson(void **state) {
    (void)state;
    static const MrnSceneFile files[] = {
        SCENE_FILE("a.wkt", "  polygon((0 0,2 0 , 2 1\n,0 0))  "),
        SCENE_FILE(
            "a.geojson",
            "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"properties\": {}, \"geometry\":"
            "{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [2, 0], [2, 1.0, 7], [0, 0]]]}}]}"),
        SCENE_FILE("b.wkt", "LINESTRING (0 0, 2 0, 2 1)"),
        SCENE_FILE("b.geojson", "{\"type\": \"LineString\", \"coordinates\": [[0, 0], [2, 0], [2, 1]]}"),
    };
    uint64_t prints[4];
    static const char *const shapes[] = {"shape: {polygon: {file: a.wkt}}", "shape: {polygon: {file: a.geojson}}",
                                         "kind: fixed, shape: {chain: {file: b.wkt}}",
                                         "kind: fixed, shape: {chain: {file: b.geojson}}"};
    for (int i = 0; i < 4; i++) {
        char text[500];
        snprintf(text, sizeof text, HEAD "bodies: [{%s}]\n", shapes[i]);
        MrnError error = {0};
        MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, files, 4, &error);
        if (!scene) fail_msg("%s", error.message);
        prints[i] = scene_fingerprint(scene);
        if (i < 2) assert_near(scene->model->bodies.data[0].mass, 900);
        mrn_scene_free(scene);
    }
    assert_true(prints[0] == prints[1] && prints[2] == prints[3] && prints[0] != prints[2]);
}

static void expectations_are_in_si_units(void **state) {
    (void)state;
    MrnScene *scene = read_everything(2);
    const MrnExpectations *expected = scene->check;
    assert_non_null(expected);
    assert_int_equal(expected->count, 4);
    assert_string_equal(expected->source, "nobody");
    const MrnExpect *items = expected->items;
    assert_true(items[0].reduce == MRN_REDUCE_AT && items[0].at == 1 && items[0].value.value == -2 &&
                items[0].tolerance == 0.01);
    assert_string_equal(items[0].of, "ball");
    assert_true(mrn_dimension_equal(items[0].value.dimension, mrn_dimension_of(MRN_DIMENSION_LENGTH)));
    assert_true(items[1].reduce == MRN_REDUCE_MAX && items[1].relative == 0.01 && items[1].from == 0.5 &&
                items[1].to == 1 && !items[1].of);
    assert_near(items[1].tolerance, 0.03);
    assert_true(items[2].reduce == MRN_REDUCE_PEAK && items[2].peak == 2);
    assert_near(items[2].value.value, PI / 60);
    assert_true(items[3].reduce == MRN_REDUCE_FIRST_TIME_BELOW && items[3].level.value == 0 &&
                items[3].value.value == 0.7 && isnan(items[3].at));
    mrn_scene_free(scene);
    scene = parse(HEAD BALL "expect: [{quantity: penetration, reduce: max, value: 0, tolerance: 1 um}]\n");
    const MrnExpect *zero = ((const MrnExpectations *)scene->check)->items;
    assert_true(zero->value.value == 0 && zero->tolerance == 1e-6);
    assert_true(mrn_dimension_equal(zero->value.dimension,
                                    mrn_dimension_of(MRN_DIMENSION_LENGTH))); // "0" takes the unit of the tolerance
    mrn_scene_free(scene);
}

static void every_gallery_scene_can_start(void **state) {
    (void)state;
    DIR *directory = opendir(MORAINE_SOURCE_DIR "/gallery");
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        char name[300];
        snprintf(name, sizeof name, "gallery:%.*s", (int)(dot - entry->d_name), entry->d_name);
        MrnError error = {0};
        MrnScene *scene = mrn_scene_read(name, NULL, 0, &error);
        if (!scene) fail_msg("%s", error.message);
        assert_string_equal(scene->name, name);
        MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error); // refuses bodies that overlap
        if (!world) fail_msg("%s: %s", name, error.message);
        mrn_world_free(world);
        mrn_scene_free(scene);
        count++;
    }
    closedir(directory);
    assert_true(count >= 4);
}

static void gallery_of_the_environment_comes_first(void **state) {
    (void)state;
    char directory[] = "gallery_XXXXXX", path[100];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/stack.yaml", directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("title: mine\n" HEAD BALL, file);
    fclose(file);
    setenv("MORAINE_GALLERY", directory, 1);
    MrnScene *mine = mrn_scene_read("gallery:stack", NULL, 0, NULL),
             *other = mrn_scene_read("gallery:arch", NULL, 0, NULL);
    unsetenv("MORAINE_GALLERY");
    unlink(path);
    rmdir(directory);
    assert_non_null(mine);
    assert_non_null(other); // found behind it
    assert_string_equal(mine->title, "mine");
    mrn_scene_free(mine);
    mrn_scene_free(other);
}

static void reference_page_names_every_field_and_its_example_runs(void **state) {
    (void)state;
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    mrn_scene_write_reference(out);
    fclose(out);
    for (size_t s = 0; s < mrn_section_count; s++) {
        char anchor[200];
        snprintf(anchor, sizeof anchor, "<a id=\"%s\"></a>", mrn_sections[s]->name);
        const char *section = strstr(page, anchor);
        if (!section) fail_msg("%s is not in the reference", mrn_sections[s]->name);
        const char *end = strstr(section + 1, "<a id=");
        for (size_t f = 0; f < mrn_sections[s]->count; f++) {
            char row[200];
            snprintf(row, sizeof row, "| `%s` |", mrn_sections[s]->fields[f].key);
            const char *found = strstr(section, row);
            if (!found || (end && found > end))
                fail_msg("%s.%s is not in the reference", mrn_sections[s]->name, mrn_sections[s]->fields[f].key);
        }
    }
    char *begin = strstr(page, "```yaml\n"), *end = begin ? strstr(begin + 8, "```") : NULL;
    assert_non_null(end);
    *end = 0;
    MrnScene *scene = parse(begin + 8);
    assert_int_equal(mrn_model_body_count(scene->model), 203);
    mrn_scene_free(scene);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_arrive_as_written),
        cmocka_unit_test(materials_and_laws_arrive_as_written),
        cmocka_unit_test(bodies_arrive_as_written),
        cmocka_unit_test(shapes_arrive_as_written),
        cmocka_unit_test(rotations_in_3d_turn_the_right_way),
        cmocka_unit_test(named_shapes_are_placed_in_the_body),
        cmocka_unit_test(what_is_left_out_has_the_default_of_the_library),
        cmocka_unit_test(short_forms_mean_the_long_ones),
        cmocka_unit_test(overrides_do_what_an_edit_does),
        cmocka_unit_test(later_overrides_win),
        cmocka_unit_test(files_travel_with_the_scene),
        cmocka_unit_test(outlines_are_the_same_from_wkt_and_geojson),
        cmocka_unit_test(expectations_are_in_si_units),
        cmocka_unit_test(every_gallery_scene_can_start),
        cmocka_unit_test(gallery_of_the_environment_comes_first),
        cmocka_unit_test(reference_page_names_every_field_and_its_example_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
