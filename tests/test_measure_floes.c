// Measures of a pack of floes against closed forms.
#include "core_support.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Squares of side 1 on a lattice of `side` by `side` places at this spacing, moving with velocity (2, 1); two frames,
/// the second stretched by `stretch` about the mass centre and moved by (10, 5).
static MrnModel *lattice(int side, double spacing, double stretch, MrnFrameList *list) {
    MrnModel *model = mrn_model_new(2);
    MrnError error = {0};
    mrn_model_add_material(model, "ice", 3);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    double corners[] = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
    shape.vertices = corners, shape.vertex_count = 4;
    for (int i = 0; i < side * side; i++) {
        MrnBodyDef def = mrn_body_defaults(2);
        def.shapes = &shape, def.shape_count = 1;
        def.position[0] = (i % side) * spacing, def.position[1] = (i / side) * spacing;
        def.velocity[0] = 2, def.velocity[1] = 1;
        assert_true(mrn_model_add_body(model, &def, &error) >= 0);
    }
    MrnScheme scheme = mrn_scheme_defaults();
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    assert_non_null(world);
    mrn_frame_list_add(list, world);
    mrn_frame_list_add(list, world);
    MrnFrame *second = &list->frames.data[1];
    double centre = 0.5 * (side - 1) * spacing;
    for (int i = 0; i < 2 * side * side; i++)
        second->position[i] = centre + stretch * (second->position[i] - centre) + (i % 2 ? 5 : 10);
    second->time = 5;
    mrn_world_free(world);
    return model;
}

static MrnSheet measure(const char *name, const MrnModel *model, MrnFrameList *list) {
    MrnMeasureInput input = {model, 1, mrn_frame_list_source(list), mrn_measure_defaults()};
    MrnSheet sheet = {0};
    MrnError error = {0};
    const MrnMeasure *row = mrn_measure_find(name);
    assert_non_null(row);
    assert_true(mrn_measure_compute(row, &input, &sheet, &error));
    return sheet;
}

static void dispersion_of_a_lattice_is_its_radius_of_gyration_and_stretches_with_it(void **state) {
    (void)state;
    MrnFrameList list = {0};
    MrnModel *model = lattice(7, 2, 1.5, &list);
    MrnSheet sheet = measure("dispersion", model, &list);
    double exact = 2 * sqrt(2 * (49 - 1) / 12.0); // spacing times the deviation of 0..6, in two directions
    assert_int_equal(mrn_sheet_rows(&sheet), 2);
    assert_true(fabs(mrn_sheet_value(&sheet, 0, 1) - exact) < 1e-12 * exact);
    assert_true(fabs(mrn_sheet_value(&sheet, 1, 1) - 1.5 * exact) < 1e-12 * exact);
    assert_true(fabs(mrn_sheet_value(&sheet, 1, 2) / mrn_sheet_value(&sheet, 0, 2) - 1.5) < 1e-12);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void drift_gives_path_velocity_and_energy_of_the_whole(void **state) {
    (void)state;
    MrnFrameList list = {0};
    MrnModel *model = lattice(3, 2, 1, &list);
    MrnSheet sheet = measure("drift", model, &list);
    assert_true(fabs(mrn_sheet_value(&sheet, 1, 1) - 10) < 1e-12 && fabs(mrn_sheet_value(&sheet, 1, 2) - 5) < 1e-12);
    assert_true(fabs(mrn_sheet_value(&sheet, 0, 3) - 2) < 1e-12 && fabs(mrn_sheet_value(&sheet, 0, 4) - 1) < 1e-12);
    assert_true(fabs(mrn_sheet_value(&sheet, 0, 5) - 0.5 * 27 * 5) < 1e-10);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void concentration_follows_the_pack_in_a_box_of_its_first_size(void **state) {
    (void)state;
    MrnFrameList list = {0};
    MrnModel *model = lattice(5, 2, 2, &list);
    MrnSheet sheet = measure("concentration", model, &list);
    assert_true(fabs(mrn_sheet_value(&sheet, 0, 1) - 25 / 81.0) < 1e-12); // 5 squares and 4 gaps of 1
    // Stretched by 2 the centres lie 4 apart: the box of side 9 holds a whole square in the middle, and half a square
    // more on each side of it in each direction: 2 half squares per row.
    assert_true(fabs(mrn_sheet_value(&sheet, 1, 1) - 9.0 / 81) < 1e-12);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void pairs_of_a_large_lattice_grow_as_the_square_of_the_distance(void **state) {
    (void)state;
    MrnFrameList list = {0};
    MrnModel *model = lattice(60, 2, 1, &list);
    MrnSheet sheet = measure("clustering", model, &list);
    double worst = 0, last = 0;
    for (size_t i = 1; i < mrn_sheet_rows(&sheet); i++) {
        double r = mrn_sheet_value(&sheet, i, 0), share = mrn_sheet_value(&sheet, i, 1);
        if (r > 12 && r < 20) worst = fmax(worst, fabs(share / (M_PI * r * r / (120.0 * 120)) - 1));
        last = share;
    }
    assert_true(worst > 0 && worst < 0.2); // the border of the pack takes a part that grows with r / 120
    assert_true(fabs(last - 1) < 1e-12);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

static void tracks_and_sizes_list_every_body_once(void **state) {
    (void)state;
    MrnFrameList list = {0};
    MrnModel *model = lattice(3, 2, 1, &list);
    MrnSheet sheet = measure("tracks", model, &list);
    assert_int_equal(sheet.columns.count, 10);
    assert_int_equal(mrn_sheet_rows(&sheet), 18);
    assert_true(mrn_sheet_value(&sheet, 1, 0) == 10 && mrn_sheet_value(&sheet, 1, 1) == 5);
    mrn_sheet_free(&sheet);
    sheet = measure("sizes", model, &list);
    assert_int_equal(mrn_sheet_rows(&sheet), 9);
    assert_true(fabs(mrn_sheet_value(&sheet, 0, 0) - 2 / sqrt(M_PI)) < 1e-12);
    assert_true(mrn_sheet_value(&sheet, 0, 1) == 9 && mrn_sheet_value(&sheet, 8, 1) == 1);
    mrn_sheet_free(&sheet);
    mrn_frame_list_free(&list);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispersion_of_a_lattice_is_its_radius_of_gyration_and_stretches_with_it),
        cmocka_unit_test(drift_gives_path_velocity_and_energy_of_the_whole),
        cmocka_unit_test(concentration_follows_the_pack_in_a_box_of_its_first_size),
        cmocka_unit_test(pairs_of_a_large_lattice_grow_as_the_square_of_the_distance),
        cmocka_unit_test(tracks_and_sizes_list_every_body_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
