// The command `moraine verify`: exit codes, suggestions, JSON, scenes of the user.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Run the command; its exit code, and what it printed (both streams), which the caller frees.
static int run(const char *arguments, char **printed) {
    char line[2000];
    snprintf(line, sizeof line, "%s/moraine verify %s 2>&1", MORAINE_BINARY_DIR, arguments);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t size = 0, capacity = 1 << 16;
    char *text = mrn_alloc(capacity, 1);
    for (size_t got; (got = fread(text + size, 1, capacity - 1 - size, pipe)) > 0;) {
        size += got;
        if (size == capacity - 1) text = mrn_realloc(text, capacity *= 2, 1);
    }
    text[size] = 0;
    *printed = text;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted)) fail_msg("wanted \"%s\" in:\n%s", wanted, text);
}

static void a_case_that_passes_exits_0_and_shows_its_table(void **state) {
    (void)state;
    char *text;
    assert_int_equal(run("T-P0", &text), 0);
    assert_says(text, "T-P0  The numbers of the conical pile");
    assert_says(text, "  pass  published 429.5");
    assert_says(text, "  source: Moreau 2003, section 9.2; arithmetic");
    assert_says(text, "1 case, 12 numbers: 12 pass, 0 fail;");
    free(text);
}

static void a_scene_of_the_gallery_names_its_case(void **state) {
    (void)state;
    char *text;
    assert_int_equal(run("sliding_block", &text), 0);
    assert_says(text, "T-F2  A block slides to rest");
    free(text);
}

static void an_unknown_name_exits_1_with_a_suggestion(void **state) {
    (void)state;
    char *text;
    assert_int_equal(run("sliding_blok", &text), 1);
    assert_string_equal(text, "moraine: there is no case 'sliding_blok'; did you mean 'sliding_block'?\n");
    free(text);
    assert_int_equal(run("xyzzy-quux", &text), 1);
    assert_string_equal(text, "moraine: there is no case 'xyzzy-quux'; moraine verify --list names them\n");
    free(text);
}

static void json_is_one_object_with_the_rows(void **state) {
    (void)state;
    char *text;
    assert_int_equal(run("T-C1 --json", &text), 0);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    assert_true(json_is_true(json_object_get(object, "pass")));
    json_t *rows = json_object_get(object, "rows");
    assert_int_equal(json_array_size(rows), 10);
    json_t *row = json_array_get(rows, 1);
    static const char *const keys[] = {"name",     "quantity",  "unit", "relation", "published",
                                       "computed", "tolerance", "pass", "source"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) assert_non_null(json_object_get(row, keys[i]));
    assert_string_equal(json_string_value(json_object_get(row, "name")), "T-C1");
    assert_true(json_real_value(json_object_get(row, "published")) == 0.25);
    json_decref(object);
    free(text);
    assert_int_equal(run("--list --json", &text), 0);
    object = json_loads(text, 0, NULL);
    assert_true(json_array_size(json_object_get(object, "available")) >= 53);
    json_decref(object);
    free(text);
}

static void json_and_markdown_exclude_each_other(void **state) {
    (void)state;
    char *text;
    assert_int_equal(run("--json --markdown", &text), 2);
    free(text);
}

/// A stone that falls for 1 s at 10 m/s2, with one expectation.
static void write_scene(const char *path, const char *expect) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "dimension: 2\ngravity: [0, -10 m/s2]\ntime: {step: 10 ms, end: 1 s}\nmaterials: [{name: stone, density: 1 "
            "kg/m2}]\n"
            "bodies: [{name: stone, shape: {disc: 1 m}}]\n%s",
            expect);
    fclose(file);
}

static void a_scene_of_the_user_is_compared_with_its_own_expectations(void **state) {
    (void)state;
    char path[] = "/tmp/moraine-verify-XXXXXX.yaml", *text;
    int handle = mkstemps(path, 5);
    assert_true(handle >= 0);
    close(handle);
    write_scene(path, "expect: [{quantity: position.y, of: stone, value: -5 m, tolerance: 1e-12 m}]\n");
    assert_int_equal(run(path, &text), 0);
    assert_says(text, "position.y of stone at the end [m]");
    free(text);
    write_scene(path, "expect: [{quantity: position.y, of: stone, value: -4 m, tolerance: 0.1 m}]\n");
    assert_int_equal(run(path, &text), 3);
    assert_says(text, "  FAIL  published -4");
    assert_says(text, "1 case, 1 numbers: 0 pass, 1 fail;");
    free(text);
    write_scene(path, "expect: [{quantity: hue, of: stone, value: 1 m, tolerance: 1 m}]\n");
    assert_int_equal(run(path, &text), 3);
    assert_says(text, "there is no quantity 'hue'");
    free(text);
    write_scene(path, "");
    assert_int_equal(run(path, &text), 1);
    assert_says(text, "there is no `expect` section: nothing to verify");
    free(text);
    unlink(path);
    assert_int_equal(run(path, &text), 1);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_that_passes_exits_0_and_shows_its_table),
        cmocka_unit_test(a_scene_of_the_gallery_names_its_case),
        cmocka_unit_test(an_unknown_name_exits_1_with_a_suggestion),
        cmocka_unit_test(json_is_one_object_with_the_rows),
        cmocka_unit_test(json_and_markdown_exclude_each_other),
        cmocka_unit_test(a_scene_of_the_user_is_compared_with_its_own_expectations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
