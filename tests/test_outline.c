// Outlines from files: pictures, GeoJSON, WKT, lists; simplifying.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/polygon.h"
#include "io/outline.h"
#include "model/model.h"
#include "scene_tools.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef MORAINE_HAS_CAIRO
#include <cairo.h>
#endif

#define PI 3.14159265358979323846

static const MrnTraceSettings bright = {0.5, false};

static void parts_that_touch_at_a_corner_stay_apart(void **unused) {
    (void)unused;
    static const char picture[] = "P1\n# two squares at a corner, a ring with an island, a dot on the border\n10 7\n"
                                  "0 0 1 1 1 1 1 1 1 1\n"
                                  "0 0 1 1 1 1 1 1 1 1\n"
                                  "1 1 0 0 1 0 0 0 0 0\n"
                                  "1 1 0 0 1 0 1 1 1 0\n"
                                  "1 1 1 1 1 0 1 0 1 0\n"
                                  "1 1 1 1 1 0 1 1 1 0\n"
                                  "0 1 1 1 1 0 0 0 0 0\n";
    MrnOutlineSet set;
    MrnError error = {0};
    assert_true(mrn_outline_set_read("p.pbm", picture, sizeof picture - 1, &bright, &set, &error));
    assert_true(set.picture);
    assert_int_equal(set.count, 5);
    double areas[5];
    for (size_t i = 0; i < 5; i++) {
        size_t count = set.start[i + 1] - set.start[i], edges[2];
        const double *v = set.vertices + 2 * set.start[i];
        assert_true(mrn_polygon_is_simple(count, v, edges));
        areas[i] = fabs(mrn_polygon_area(count, v));
    }
    // Corners are cut by triangles of 1/8: a square of 2 x 2 pixels has 4 - 4/8.
    assert_float_equal(areas[0], 3.5, 1e-12);
    assert_float_equal(areas[1], 3.5, 1e-12);
    assert_float_equal(areas[2], 25 - 4 / 8.0, 1e-12);
    assert_float_equal(areas[3], 0.5, 1e-12); // island: one pixel
    assert_float_equal(areas[4], 0.5, 1e-12); // dot
    // Upwards: the first square is at the top left of 7 rows.
    double top = 0;
    for (size_t k = set.start[0]; k < set.start[1]; k++) top = fmax(top, set.vertices[2 * k + 1]);
    assert_float_equal(top, 7, 1e-12);
    mrn_outline_set_free(&set);
}

/// A picture of discs in a PGM; free it.
static char *disc_picture(int side, size_t *size) {
    char *data = malloc((size_t)(side * side) + 40);
    int head = sprintf(data, "P5\n%d %d\n255\n", side, side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            bool in = false;
            for (int k = 0; k < 4; k++) {
                double cx = side * (k % 2 ? 0.75 : 0.25), cy = side * (k / 2 ? 0.75 : 0.25),
                       r = side * (0.1 + 0.04 * k);
                in = in || hypot(x + 0.5 - cx, y + 0.5 - cy) < r;
            }
            data[head + y * side + x] = (char)(in ? 230 : 20);
        }
    *size = (size_t)(head + side * side);
    return data;
}

static void discs_in_a_picture_have_the_area_and_place_they_were_drawn_with(void **unused) {
    (void)unused;
    size_t size;
    char *data = disc_picture(200, &size);
    MrnOutlineSet set;
    MrnError error = {0};
    assert_true(mrn_outline_set_read("p.pgm", data, size, &bright, &set, &error));
    assert_int_equal(set.count, 4);
    for (size_t i = 0; i < 4; i++) {
        double *v = set.vertices + 2 * set.start[i];
        size_t count = mrn_outline_smooth(set.start[i + 1] - set.start[i], v, 0.8);
        assert_in_range(count, 8, 40);
        MrnAreaMoments moments = mrn_polygon_moments(count, v);
        double radius = sqrt(fabs(moments.area) / PI);
        int k = (int)round((radius / 200 - 0.1) / 0.04);
        assert_in_range(k, 0, 3);
        assert_float_equal(radius, 200 * (0.1 + 0.04 * k), 0.6);
        assert_float_equal(moments.centre.x, (k % 2 ? 150 : 50), 0.3);
        assert_float_equal(moments.centre.y, (k / 2 ? 50 : 150), 0.3); // y upwards
    }
    mrn_outline_set_free(&set);
    // The dark part of the same picture is one region, whose lakes are filled.
    MrnTraceSettings dark = {0.5, true};
    assert_true(mrn_outline_set_read("p.pgm", data, size, &dark, &set, &error));
    assert_int_equal(set.count, 1);
    mrn_outline_set_free(&set);
    free(data);
}

#ifdef MORAINE_HAS_CAIRO
typedef struct Bytes {
    char data[20000];
    size_t size;
} Bytes;

static cairo_status_t write_bytes(void *context, const unsigned char *from, unsigned int length) {
    Bytes *bytes = context;
    assert_true(bytes->size + length <= sizeof bytes->data);
    memcpy(bytes->data + bytes->size, from, length);
    bytes->size += length;
    return CAIRO_STATUS_SUCCESS;
}

static void png_pictures_are_read_like_plain_ones(void **unused) {
    (void)unused;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 60, 40);
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_rectangle(cairo, 10, 5, 20, 10);
    cairo_fill(cairo);
    cairo_destroy(cairo);
    static Bytes bytes;
    assert_int_equal(cairo_surface_write_to_png_stream(surface, write_bytes, &bytes), CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(surface);
    MrnOutlineSet set;
    MrnError error = {0};
    assert_true(mrn_outline_set_read("p.png", bytes.data, bytes.size, &bright, &set, &error));
    assert_int_equal(set.count, 1);
    MrnAreaMoments moments = mrn_polygon_moments(set.start[1], set.vertices);
    assert_float_equal(fabs(moments.area), 200 - 0.5, 1e-9);
    assert_float_equal(moments.centre.x, 20, 1e-9);
    assert_float_equal(moments.centre.y, 30, 1e-9);
    mrn_outline_set_free(&set);
    assert_false(mrn_outline_set_read("p.png", bytes.data, bytes.size / 2, &bright, &set, &error));
    assert_non_null(strstr(error.message, "p.png: not a PNG picture that can be read"));
}
#endif

static void polygons_come_from_geojson_wkt_and_lists(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "{\"type\": \"FeatureCollection\", \"features\": [{\"type\": \"Feature\", \"geometry\": {\"type\": "
        "\"Polygon\", "
        "\"coordinates\": [[[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]]}}, {\"type\": \"Feature\", \"geometry\": "
        "{\"type\": "
        "\"MultiPolygon\", \"coordinates\": [[[[5, 0], [6, 0], [5, 1], [5, 0]]], [[[7, 0], [8, 0], [7, 1]]]]}}]}",
        "POLYGON ((0 0, 2 0, 2 1, 0 1, 0 0))\nMULTIPOLYGON (((5 0, 6 0, 5 1, 5 0)), ((7 0, 8 0, 7 1, 7 0)))",
        "# three\n4 0 0 2 0 2 1 0 1\n3 5 0 6 0 5 1\n3 7 0 8 0 7 1\n"};
    for (size_t k = 0; k < 3; k++) {
        MrnOutlineSet set;
        MrnError error = {0};
        if (!mrn_outline_set_read("f", texts[k], strlen(texts[k]), &bright, &set, &error))
            fail_msg("%s", error.message);
        assert_int_equal(set.count, 3);
        assert_int_equal(set.start[1], 4);
        assert_int_equal(set.start[3], 10);
        assert_float_equal(mrn_polygon_area(4, set.vertices), 2, 1e-15);
        assert_float_equal(mrn_polygon_area(3, set.vertices + 14), 0.5, 1e-15);
        mrn_outline_set_free(&set);
    }
}

static void files_that_hold_no_outlines_are_refused(void **unused) {
    (void)unused;
    const char *const bad[][2] = {
        {"{\"type\": \"Point\", \"coordinates\": [1, 2]}", "f: found Point, wanted polygons"},
        {"{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [4, 0], [0, 4]], [[1, 1], [2, 1], [1, 2]]]}",
         "f: outline 1 has holes; a body cannot have any"},
        {"{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [1, \"x\"]]]}",
         "f: outline 1, point 2 is not two numbers"},
        {"{\"type\"", "f line 1: not valid JSON: ':' expected near end of file"},
        {"{}", "f: found no GeoJSON geometry"},
        {"POLYGON ((0 0, 1 1))", "f: outline 1 has 2 points, wanted at least 3"},
        {"POLYGON ((0 0, 1 1, x))", "f: outline 1: found \"x))\", wanted ((x y, x y, ...))"},
        {"POLYGON ((0 0, 4 0, 0 4), (1 1, 2 1, 1 2))", "f: outline 1 has holes; a body cannot have any"},
        {"MULTIPOLYGON (((0 0, 1 0, 0 1))", "f: a MULTIPOLYGON does not end"},
        {"3 0 0 1 0 1\n", "f line 1: found 5 numbers after 3, wanted twice as many"},
        {"", "f: no outline in it"},
        {"P1 0 5", "f: not a picture of 1 to 30000 pixels each way"},
        {"P1 2 2 0 1 1", "f: the picture ends early"},
        {"P4 200 200 xx", "f: the picture ends early"},
        {"P1 2 2 1 1 1 1", "f: no outline in it"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        MrnOutlineSet set;
        MrnError error = {0};
        assert_false(mrn_outline_set_read("f", bad[i][0], strlen(bad[i][0]), &bright, &set, &error));
        assert_string_equal(error.message, bad[i][1]);
    }
}

static void a_scene_makes_floes_from_a_picture(void **unused) {
    (void)unused;
    size_t size;
    char *data = disc_picture(120, &size);
    MrnSceneFile file = {(char *)"floes.pgm", data, size};
    static const char text[] =
        "dimension: 2\ntime: {step: 1 s, end: 10 s}\nmaterials: [{name: ice, volume_density: 917 kg/m3}]\n"
        "generate: [{name: floe, outlines: {file: floes.pgm, unit: 2 m, position: [100 m, 0], thickness: 1 m, "
        "smallest: 2000 m2}}]\n";
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, &file, 1, &error);
    if (!scene) fail_msg("%s", error.message);
    assert_int_equal(mrn_model_body_count(scene->model), 3); // the smallest disc has pi 24^2 m2
    assert_non_null(strstr(scene->remarks, "floes.pgm: 3 outlines, 1 smaller ones and 0 in lakes left out"));
    const MrnBody *body = &scene->model->bodies.data[0];
    assert_float_equal(body->mass, 917 * PI * 33.6 * 33.6, 0.02 * body->mass);
    assert_float_equal(body->position[0], 100 + 180, 1);
    assert_float_equal(body->position[1], 180, 1);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    assert_non_null(world);
    mrn_world_free(world);
    mrn_scene_free(scene);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_touch_at_a_corner_stay_apart),
        cmocka_unit_test(discs_in_a_picture_have_the_area_and_place_they_were_drawn_with),
#ifdef MORAINE_HAS_CAIRO
        cmocka_unit_test(png_pictures_are_read_like_plain_ones),
#endif
        cmocka_unit_test(polygons_come_from_geojson_wkt_and_lists),
        cmocka_unit_test(files_that_hold_no_outlines_are_refused),
        cmocka_unit_test(a_scene_makes_floes_from_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
