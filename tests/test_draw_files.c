// Pictures as files: formats, few colours, and what cannot be drawn or written.
#include "draw_scenes.h"
#include "draw/quantize.h"

static void extension_chooses_the_format(void **state) {
    (void)state;
    if (!have_cairo) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnError error = {0};
    MrnDrawOptions options = mrn_draw_defaults(2);
    options.title = "bad bytes: \xff\xfe\xc3( and a tab\t, \xe2\x82\xac";
    static const char *const names[] = {"state.png", "state.svg", "state.PDF"}, *const starts[] = {"\x89PNG\r\n",
                                                                                                   "<?xml", "%PDF-"};
    for (int i = 0; i < 3; i++) {
        if (!mrn_draw_frame(model, &frame, &options, in_folder(names[i]), &error)) fail_msg("%s", error.message);
        size_t size;
        char *data = read_all(in_folder(names[i]), &size);
        assert_memory_equal(data, starts[i], strlen(starts[i]));
        free(data);
    }
    free_frame(&frame);
    mrn_model_free(model);
}

static void few_colours_make_a_smaller_file_that_looks_the_same(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    uint32_t pixels[COUNT], palette[256];
    uint8_t index[COUNT];
    // Few colours stay exact, also more than one byte of cells apart.
    for (int i = 0; i < COUNT; i++) pixels[i] = 0x10203u * (uint32_t)(i % 50);
    assert_int_equal(mrn_quantize(pixels, COUNT, 64, palette, index), 50);
    for (int i = 0; i < COUNT; i++) assert_int_equal(palette[index[i]], pixels[i]);
    // A smooth square of colours: no pixel moves far.
    for (int i = 0; i < COUNT; i++) pixels[i] = (uint32_t)(4 * (i % 64)) << 16 | (uint32_t)(4 * (i / 64)) << 8 | 0x80;
    int count = mrn_quantize(pixels, COUNT, 256, palette, index);
    assert_true(count > 200 && count <= 256);
    for (int i = 0; i < COUNT; i++)
        for (int shift = 0; shift < 24; shift += 8)
            assert_true(abs((int)(palette[index[i]] >> shift & 255) - (int)(pixels[i] >> shift & 255)) <= 20);
    if (!have_cairo) return;
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    size_t all, few;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("all.png"), &error));
    options.colors = 64;
    assert_true(mrn_draw_frame(model, &frame, &options, in_folder("few.png"), &error));
    free(read_all(in_folder("all.png"), &all));
    char *data = read_all(in_folder("few.png"), &few);
    assert_true(few < all / 2);
    assert_int_equal(data[25], 3); // colour type of the header: palette
    free(data);
    free_frame(&frame);
    mrn_model_free(model);
}

static void what_cannot_be_drawn_says_why(void **state) {
    (void)state;
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    if (!have_cairo) {
        assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
        assert_int_equal(error.code, MRN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "cairo"));
        goto done;
    }
    assert_false(mrn_draw_frame(model, &frame, &options, "picture.jpg", &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message, "picture.jpg: the name of a picture must end in .png, .svg or .pdf");
    assert_false(mrn_draw_frame(model, &frame, &options, "folder.png/picture", &error));
    assert_string_equal(error.message, "folder.png/picture: the name of a picture must end in .png, .svg or .pdf");
    static const char *const kinds[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++) {
        char path[300], message[400];
        snprintf(path, sizeof path, "%s/missing/picture.%s", folder, kinds[i]);
        snprintf(message, sizeof message, "%s: cannot write the picture: No such file or directory", path);
        assert_false(mrn_draw_frame(model, &frame, &options, path, &error));
        assert_int_equal(error.code, MRN_ERROR_FILE);
        assert_string_equal(error.message, message);
    }
    options.width = 10;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    options.width = 1000000;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    options = mrn_draw_defaults(2);
    options.low[0] = 0, options.high[0] = 1;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_string_equal(error.message, "view box from 0 m to 0 m along y: it is empty");
    options = mrn_draw_defaults(2);
    frame.body_count--;
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("x.png"), &error));
    assert_string_equal(error.message, "the frame has 6 bodies, the model 7: they belong to different runs");
    assert_true(access(in_folder("x.png"), F_OK) != 0);
done:
    free_frame(&frame);
    mrn_model_free(model);
}

static void full_disk_is_reported(void **state) {
    (void)state;
    if (!have_cairo || access("/dev/full", W_OK) != 0) skip();
    MrnFrame frame;
    MrnModel *model = scaled_heap(1, 0, 0, &frame);
    MrnDrawOptions options = mrn_draw_defaults(2);
    MrnError error = {0};
    assert_int_equal(symlink("/dev/full", in_folder("full.png")), 0);
    assert_false(mrn_draw_frame(model, &frame, &options, in_folder("full.png"), &error));
    assert_int_equal(error.code, MRN_ERROR_FILE);
    assert_non_null(strstr(error.message, "No space left on device"));
    assert_int_equal(access("/dev/full", W_OK), 0);
    free_frame(&frame);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extension_chooses_the_format),
        cmocka_unit_test(few_colours_make_a_smaller_file_that_looks_the_same),
        cmocka_unit_test(what_cannot_be_drawn_says_why),
        cmocka_unit_test(full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
