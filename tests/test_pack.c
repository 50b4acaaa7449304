// Packs of floes: outlines, sizes, cells, concentrations (specification 1.15, 2.8, 4.8).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geom/floe_shape.h"
#include "geom/polygon.h"
#include "io/generate_pack.h"
#include "io/outline.h"
#include "model/model.h"
#include <math.h>
#include <moraine/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void roundness_and_caliper_diameter_are_those_of_simple_figures(void **unused) {
    (void)unused;
    const double square[] = {0, 0, 1, 0, 1, 1, 0, 1}, rectangle[] = {0, 0, 2, 0, 2, 1, 0, 1};
    double circle[2 * 720], work[2 * 720];
    for (int i = 0; i < 720; i++) circle[2 * i] = 3 * cos(i * PI / 360), circle[2 * i + 1] = 3 * sin(i * PI / 360);
    assert_float_equal(mrn_roundness(4, square), 4 / PI, 1e-12);
    assert_float_equal(mrn_roundness(4, rectangle), 4.5 / PI, 1e-12);
    assert_float_equal(mrn_roundness(720, circle), 1, 1e-4);
    assert_float_equal(mrn_caliper_diameter(720, circle, work), 6, 1e-3);
    assert_float_equal(mrn_caliper_diameter(4, square, work), 4 / PI, 1e-12);
}

static void outlines_of_the_catalogue_look_like_those_in_the_field(void **unused) {
    (void)unused;
    double sum = 0, work[50];
    for (uint64_t i = 0; i < 500; i++) {
        double v[50];
        mrn_floe_outline(1, i, 25, v);
        size_t edges[2];
        MrnAreaMoments moments = mrn_polygon_moments(25, v);
        assert_float_equal(moments.area, 1, 1e-12);
        assert_float_equal(moments.centre.x, 0, 1e-12);
        assert_float_equal(moments.centre.y, 0, 1e-12);
        assert_true(mrn_polygon_is_simple(25, v, edges));
        double roundness = mrn_roundness(25, v);
        assert_true(roundness >= 1 && roundness <= 1.5);
        sum += roundness / 500;
        // Roughly convex: the hull is not much larger.
        double hull[50];
        size_t corners = mrn_convex_hull(25, v, hull);
        assert_true(mrn_polygon_area(corners, hull) < 1.2);
        assert_true(mrn_caliper_diameter(25, v, work) > 2 / sqrt(PI));
    }
    assert_true(sum > 1.1 && sum < 1.3); // between 1 and 1.5 in the field, mean of an aerial catalogue 1.19
    double a[50], b[50];
    mrn_floe_outline(1, 3, 25, a);
    mrn_floe_outline(2, 3, 25, b);
    assert_memory_not_equal(a, b, sizeof a);
    mrn_floe_outline(1, 3, 25, b);
    assert_memory_equal(a, b, sizeof a);
}

static void three_of_four_numbers_of_the_size_law_give_the_fourth(void **unused) {
    (void)unused;
    // Specification 1.15.1: alpha = 1.5, smallest 1 m, 500 floes: largest 63 m.
    size_t n;
    double high, low, alpha;
    MrnError error = {0};
    MrnPackRequest request = {.count = 500, .largest = NAN, .smallest = 1, .exponent = 1.5};
    assert_true(mrn_pack_sizes(&request, &n, &high, &low, &alpha, &error));
    assert_float_equal(high, 63, 0.05);
    request = (MrnPackRequest){.count = 0, .largest = high, .smallest = 1, .exponent = 1.5};
    assert_true(mrn_pack_sizes(&request, &n, &high, &low, &alpha, &error));
    assert_int_equal(n, 500);
    request = (MrnPackRequest){.count = 500, .largest = 122.5, .smallest = 1, .exponent = NAN};
    assert_true(mrn_pack_sizes(&request, &n, &high, &low, &alpha, &error));
    assert_float_equal(alpha, 1.29, 0.005);
    // S-1: areas 110.5 to 237550 m2 and 100 floes.
    request = (MrnPackRequest){.count = 100, .largest = sqrt(237550), .smallest = sqrt(110.5), .exponent = NAN};
    assert_true(mrn_pack_sizes(&request, &n, &high, &low, &alpha, &error));
    assert_float_equal(alpha, 1.2003, 5e-5);
}

static MrnZone square_zone(double side) {
    const double corners[] = {0, 0, side, 0, side, side, 0, side};
    return mrn_zone_new(4, corners);
}

/// A horseshoe: far from convex, with edges at all angles.
static MrnZone horseshoe_zone(void) {
    double corners[2 * 64];
    for (int i = 0; i < 32; i++) {
        double angle = PI * (0.25 + 1.5 * i / 31);
        corners[2 * i] = 500 * cos(angle), corners[2 * i + 1] = 500 * sin(angle);
        corners[2 * (63 - i)] = 250 * cos(angle), corners[2 * (63 - i) + 1] = 250 * sin(angle);
    }
    return mrn_zone_new(64, corners);
}

static void cells_fill_a_square_and_hold_their_discs(void **unused) {
    (void)unused;
    enum { N = 400 };
    MrnZone zone = square_zone(100);
    MrnVec2 sites[N];
    double weights[N], sizes[N];
    size_t made = 0;
    for (uint64_t i = 0; made < N && i < 200000; i++) {
        double r = 0.5 + 6 * pow(mrn_random_unit(1, i, 0), 6);
        MrnVec2 p = {mrn_random_between(1, i, 1, r, 100 - r), mrn_random_between(1, i, 2, r, 100 - r)};
        bool clear = true;
        for (size_t j = 0; j < made && clear; j++) clear = mrn_norm2(mrn_sub2(p, sites[j])) >= r + sizes[j];
        if (clear) sites[made] = p, sizes[made] = r, weights[made] = r * r, made++;
    }
    assert_int_equal(made, N);
    MrnSiteIndex *index = mrn_site_index_new(N, sites, weights, sizes, &zone);
    MrnCell cell = {0};
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        mrn_laguerre_cell(index, &zone, i, &cell);
        assert_true(cell.count >= 3);
        MrnVec2 centre;
        sum += mrn_cell_area(&cell, &centre);
        assert_true(mrn_cell_inner_radius(&cell, sites[i]) >= sizes[i] * (1 - 1e-9));
        // Its centroid has its own site as the nearest in power.
        double own = mrn_dot2(mrn_sub2(centre, sites[i]), mrn_sub2(centre, sites[i])) - weights[i];
        for (size_t j = 0; j < N; j++)
            assert_true(mrn_dot2(mrn_sub2(centre, sites[j]), mrn_sub2(centre, sites[j])) - weights[j] >= own - 1e-9);
    }
    assert_float_equal(sum, 1e4, 1e-6);
    mrn_cell_free(&cell);
    mrn_site_index_free(index);
    mrn_zone_free(&zone);
}

/// Independent check that floes neither overlap nor leave the zone: no edges cross, no vertex lies in another floe.
static void expect_apart(const MrnPack *pack, const MrnZone *zone) {
    double(*box)[4] = malloc(pack->count * sizeof *box);
    for (size_t i = 0; i < pack->count; i++) {
        box[i][0] = box[i][1] = INFINITY, box[i][2] = box[i][3] = -INFINITY;
        for (size_t k = pack->start[i]; k < pack->start[i + 1]; k++) {
            MrnVec2 p = mrn_vertex2(pack->vertices, k);
            assert_true(mrn_zone_contains(zone, p));
            box[i][0] = fmin(box[i][0], p.x), box[i][1] = fmin(box[i][1], p.y);
            box[i][2] = fmax(box[i][2], p.x), box[i][3] = fmax(box[i][3], p.y);
        }
        size_t edges[2], count = pack->start[i + 1] - pack->start[i];
        assert_true(mrn_polygon_is_simple(count, pack->vertices + 2 * pack->start[i], edges));
        assert_true(mrn_polygon_area(count, pack->vertices + 2 * pack->start[i]) > 0);
        for (size_t k = 0; k < count; k++) { // edges of a floe do not leave a hollow zone either
            MrnVec2 a = mrn_vertex2(pack->vertices, pack->start[i] + k),
                    b = mrn_vertex2(pack->vertices, pack->start[i] + (k + 1) % count);
            for (size_t e = 0; e < zone->count; e++)
                assert_false(mrn_segments_meet(a, b, mrn_vertex2(zone->vertices, e),
                                               mrn_vertex2(zone->vertices, (e + 1) % zone->count)));
        }
    }
    for (size_t i = 0; i < pack->count; i++)
        for (size_t j = i + 1; j < pack->count; j++) {
            if (box[i][0] > box[j][2] || box[j][0] > box[i][2] || box[i][1] > box[j][3] || box[j][1] > box[i][3])
                continue;
            size_t ni = pack->start[i + 1] - pack->start[i], nj = pack->start[j + 1] - pack->start[j];
            const double *vi = pack->vertices + 2 * pack->start[i], *vj = pack->vertices + 2 * pack->start[j];
            assert_false(mrn_polygon_contains(ni, vi, mrn_vertex2(vj, 0)));
            assert_false(mrn_polygon_contains(nj, vj, mrn_vertex2(vi, 0)));
            for (size_t a = 0; a < ni; a++)
                for (size_t b = 0; b < nj; b++)
                    assert_false(mrn_segments_meet(mrn_vertex2(vi, a), mrn_vertex2(vi, (a + 1) % ni),
                                                   mrn_vertex2(vj, b), mrn_vertex2(vj, (b + 1) % nj)));
        }
    free(box);
}

static void sizes_follow_the_law_where_discs_have_room(void **unused) {
    (void)unused;
    MrnZone zone = square_zone(1000);
    MrnCatalogue round = mrn_catalogue_round(64);
    MrnPackRequest request = {.zone = &zone,
                              .catalogue = &round,
                              .tolerance = 1e-3,
                              .count = 200,
                              .largest = 200,
                              .smallest = NAN,
                              .exponent = 1.5,
                              .seed = 4};
    // The concentration that the law itself gives: no scaling.
    for (int i = 1; i <= 200; i++) {
        double d = 200 * pow(i, -1 / 1.5);
        request.concentration += 32 * sin(2 * PI / 64) * d * d / 4 / 1e6;
    }
    MrnPack pack;
    MrnError error = {0};
    assert_true(mrn_pack_make(&request, &pack, &error));
    assert_false(pack.cells);
    assert_float_equal(pack.scale, 1, 1e-12);
    for (size_t i = 0; i < pack.count; i++) {
        double area = mrn_polygon_area(64, pack.vertices + 2 * pack.start[i]),
               d = sqrt(4 * area / (32 * sin(2 * PI / 64)));
        assert_float_equal(d, 200 * pow((double)(i + 1), -1 / 1.5), 1e-9 * d);
    }
    expect_apart(&pack, &zone);
    mrn_pack_free(&pack);
    mrn_catalogue_free(&round);
    mrn_zone_free(&zone);
}

static void the_pack_of_the_thesis_reaches_its_concentration(void **unused) {
    (void)unused;
    // Specification 4.8: 160 floes, exponent 1.5, largest 250 m, 400 x 400 m, 70 %; and up to 95 %.
    MrnZone zone = square_zone(400);
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    for (int k = 0; k < 6; k++) {
        double wanted = k < 5 ? 0.3 + 0.15 * k : 0.95;
        MrnPackRequest request = {.zone = &zone,
                                  .catalogue = &catalogue,
                                  .concentration = wanted,
                                  .tolerance = 1e-3,
                                  .count = 160,
                                  .largest = 250,
                                  .smallest = NAN,
                                  .exponent = 1.5,
                                  .seed = 9};
        MrnPack pack;
        MrnError error = {0};
        if (!mrn_pack_make(&request, &pack, &error)) fail_msg("%s", error.message);
        assert_int_equal(pack.count, 160);
        assert_float_equal(pack.concentration, wanted, 1e-3 * wanted);
        assert_float_equal(pack.exponent, 1.5, 0.1);
        assert_true(pack.roundness <= 1.5 + 1e-9);
        expect_apart(&pack, &zone);
        mrn_pack_free(&pack);
    }
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}

// Cells of such packs have edges of rounding length, whose direction is chance.
static void floes_of_the_drift_find_room_whatever_the_seed(void **unused) {
    (void)unused;
    for (int seed = 1; seed <= 6; seed++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m2}]\n"
            "generate: [{name: floe, seed: %d, floes: {zone: {box: {low: [-599 m, -599 m], high: [599 m, 599 m]}}, "
            "concentration: 0.7, count: 350, largest: 330 m, exponent: 2.7}}]\n",
            seed);
        MrnError error = {0};
        MrnScene *scene = mrn_scene_parse(text, "drift", NULL, 0, NULL, 0, &error);
        if (!scene) fail_msg("%s", error.message);
        assert_int_equal(mrn_model_body_count(scene->model), 350);
        mrn_scene_free(scene);
    }
}

static void a_pack_fills_a_zone_of_any_shape(void **unused) {
    (void)unused;
    MrnZone zone = horseshoe_zone();
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    MrnPackRequest request = {.zone = &zone,
                              .catalogue = &catalogue,
                              .concentration = 0.8,
                              .tolerance = 1e-3,
                              .count = 500,
                              .largest = 100,
                              .smallest = NAN,
                              .exponent = 1.8,
                              .seed = 2};
    MrnPack pack;
    MrnError error = {0};
    if (!mrn_pack_make(&request, &pack, &error)) fail_msg("%s", error.message);
    assert_float_equal(pack.concentration, 0.8, 1e-3);
    expect_apart(&pack, &zone);
    mrn_pack_free(&pack);
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}

static void packs_are_the_same_for_any_number_of_threads_and_differ_by_seed(void **unused) {
    (void)unused;
    MrnZone zone = square_zone(400);
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    MrnPack packs[3];
    for (int k = 0; k < 3; k++) {
        MrnPackRequest request = {.zone = &zone,
                                  .catalogue = &catalogue,
                                  .concentration = 0.75,
                                  .tolerance = 1e-3,
                                  .count = 300,
                                  .largest = 100,
                                  .smallest = NAN,
                                  .exponent = 1.6,
                                  .seed = k == 2 ? 6 : 5,
                                  .threads = k == 1 ? mrn_threads_new(3) : NULL};
        MrnError error = {0};
        assert_true(mrn_pack_make(&request, &packs[k], &error));
        mrn_threads_free(request.threads);
    }
    assert_int_equal(packs[0].start[300], packs[1].start[300]);
    assert_memory_equal(packs[0].vertices, packs[1].vertices, 2 * packs[0].start[300] * sizeof(double));
    assert_true(packs[0].vertices[0] != packs[2].vertices[0]);
    for (int k = 0; k < 3; k++) mrn_pack_free(&packs[k]);
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}

static void a_gap_is_kept_between_all_floes(void **unused) {
    (void)unused;
    MrnZone zone = square_zone(400);
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    for (int dense = 0; dense < 2; dense++) {
        MrnPackRequest request = {.zone = &zone,
                                  .catalogue = &catalogue,
                                  .concentration = dense ? 0.7 : 0.25,
                                  .tolerance = 1e-3,
                                  .count = 60,
                                  .largest = 100,
                                  .smallest = NAN,
                                  .exponent = 2,
                                  .gap = 2,
                                  .seed = 5};
        MrnPack pack;
        MrnError error = {0};
        if (!mrn_pack_make(&request, &pack, &error)) fail_msg("%s", error.message);
        assert_int_equal(pack.cells, dense);
        double least = INFINITY;
        for (size_t i = 0; i < pack.count; i++)
            for (size_t j = 0; j < pack.count; j++)
                for (size_t a = pack.start[i]; i != j && a < pack.start[i + 1]; a++)
                    for (size_t b = pack.start[j]; b < pack.start[j + 1]; b++) {
                        MrnVec2 p = mrn_vertex2(pack.vertices, a), q = mrn_vertex2(pack.vertices, b),
                                r = mrn_vertex2(pack.vertices, b + 1 < pack.start[j + 1] ? b + 1 : pack.start[j]);
                        MrnVec2 along = mrn_sub2(r, q);
                        double share = fmin(fmax(mrn_dot2(mrn_sub2(p, q), along) / mrn_dot2(along, along), 0), 1);
                        least = fmin(least, mrn_norm2(mrn_sub2(mrn_add2(q, mrn_scale2(share, along)), p)));
                    }
        assert_true(least >= 2 - 1e-6);
        mrn_pack_free(&pack);
    }
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}

static void outlines_of_a_file_are_simplified_and_sieved(void **unused) {
    (void)unused;
    char text[8000];
    int used = snprintf(text, sizeof text, "# a circle of 100 points, a needle, a bow tie\n100");
    for (int i = 0; i < 100; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %.6f %.6f", 5 + 3 * cos(i * PI / 50),
                         3 * sin(i * PI / 50));
    snprintf(text + used, sizeof text - (size_t)used,
             "\n4 0 0 10 0 10 1 0 1\n\n4 0 0 2 2 2 0 0 2.1 # crosses itself\n");
    MrnCatalogue catalogue;
    MrnError error = {0};
    assert_true(mrn_catalogue_read("shapes.txt", text, 25, &catalogue, &error));
    assert_int_equal(catalogue.count, 1);
    assert_int_equal(catalogue.refused, 2);
    assert_int_equal(catalogue.start[1], 25);
    assert_float_equal(mrn_polygon_area(25, catalogue.vertices), 1, 1e-12);
    assert_float_equal(mrn_roundness(25, catalogue.vertices), 1, 0.02);
    mrn_catalogue_free(&catalogue);
    const char *const bad[][2] = {
        {"4 0 0 1 0 1 1\n", "shapes.txt line 1: found 6 numbers after 4, wanted twice as many (at least 3 vertices)"},
        {"# nothing\n", "shapes.txt: no outline that can be used (0 are not simple or less round than 1.5)"},
        {"3 0 0 one 0 1 1\n", "shapes.txt line 1: found \"one\", wanted numbers: n x1 y1 ... xn yn"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(mrn_catalogue_read("shapes.txt", bad[i][0], 25, &catalogue, &error));
        assert_string_equal(error.message, bad[i][1]);
    }
}

static void simplifying_keeps_what_matters(void **unused) {
    (void)unused;
    // A square with many points on its sides: the corners stay.
    double v[2 * 40];
    for (int i = 0; i < 40; i++) {
        double s = (i % 10) / 10.0;
        int side = i / 10;
        v[2 * i] = side == 0 ? s : side == 1 ? 1 : side == 2 ? 1 - s : 0;
        v[2 * i + 1] = side == 0 ? 0 : side == 1 ? s : side == 2 ? 1 : 1 - s;
    }
    assert_int_equal(mrn_outline_simplify(40, v, 4), 4);
    assert_float_equal(mrn_polygon_area(4, v), 1, 1e-12);
}

static void ten_thousand_floes_are_placed_at_the_concentration_asked_for(void **unused) {
    (void)unused;
    MrnZone zone = square_zone(4000);
    MrnCatalogue catalogue = mrn_catalogue_generate(1, 100, 25);
    MrnPackRequest request = {.zone = &zone,
                              .catalogue = &catalogue,
                              .concentration = 0.3,
                              .tolerance = 1e-3,
                              .count = 10000,
                              .largest = 400,
                              .smallest = NAN,
                              .exponent = 1.5,
                              .seed = 1};
    MrnPack pack;
    MrnError error = {0};
    assert_true(mrn_pack_make(&request, &pack, &error));
    assert_float_equal(pack.concentration, 0.3, 3e-4);
    mrn_pack_free(&pack);
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
}

static void a_scene_makes_a_pack_with_thickness_and_says_what_came_out(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 2\ntime: {step: 5 s, end: 60 s}\nmaterials: [{name: ice, volume_density: 917 kg/m3}]\n"
        "generate:\n  - name: floe\n    floes: {zone: {box: {low: 0, high: 300 300 m}}, concentration: 70 %, count: "
        "40, largest: "
        "100 m, exponent: 1.5, gap: 10 cm, thickness: {uniform: {low: 25 cm, high: 38 cm}}}\n"
        "environment: {wind: 5 0 m/s}\n";
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    assert_int_equal(mrn_model_body_count(scene->model), 40);
    assert_non_null(strstr(scene->remarks, "floe: 40 floes, concentration 0.7000"));
    double area = 0;
    for (size_t b = 0; b < 40; b++) {
        const MrnBody *body = &scene->model->bodies.data[b];
        assert_true(body->thickness >= 0.25 && body->thickness <= 0.38);
        assert_float_equal(body->mass, 917 * body->thickness * body->mesh->area, 1e-9 * body->mass);
        area += body->mesh->area;
    }
    assert_float_equal(area, 0.7 * 9e4, 0.7 * 9e4 * 1e-3);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error); // refuses overlaps
    if (!world) fail_msg("%s", error.message);
    while (mrn_world_time(world) < 59) assert_true(mrn_world_step(world, NULL, &error));
    for (int b = 0; b < 40; b++) assert_true(mrn_world_velocity(world, b)[0] > 0);
    mrn_world_free(world);
    mrn_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roundness_and_caliper_diameter_are_those_of_simple_figures),
        cmocka_unit_test(outlines_of_the_catalogue_look_like_those_in_the_field),
        cmocka_unit_test(three_of_four_numbers_of_the_size_law_give_the_fourth),
        cmocka_unit_test(cells_fill_a_square_and_hold_their_discs),
        cmocka_unit_test(sizes_follow_the_law_where_discs_have_room),
        cmocka_unit_test(the_pack_of_the_thesis_reaches_its_concentration),
        cmocka_unit_test(floes_of_the_drift_find_room_whatever_the_seed),
        cmocka_unit_test(a_pack_fills_a_zone_of_any_shape),
        cmocka_unit_test(packs_are_the_same_for_any_number_of_threads_and_differ_by_seed),
        cmocka_unit_test(a_gap_is_kept_between_all_floes),
        cmocka_unit_test(outlines_of_a_file_are_simplified_and_sieved),
        cmocka_unit_test(simplifying_keeps_what_matters),
        cmocka_unit_test(ten_thousand_floes_are_placed_at_the_concentration_asked_for),
        cmocka_unit_test(a_scene_makes_a_pack_with_thickness_and_says_what_came_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
