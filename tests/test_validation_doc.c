// The validation page is complete: every case, every number, every row of the checklist, and the files that the
// checklist names are there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "verify/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The page with the reports of the first `run` cases; the caller frees it.
static char *page(size_t run) {
    size_t count, size;
    const MrnVerifyCase *cases = mrn_verify_cases(&count);
    MrnVerifyReport *reports = mrn_alloc_zero(count, sizeof *reports);
    for (size_t i = 0; i < count; i++) {
        reports[i].about = &cases[i];
        if (i < run) mrn_verify_run(&cases[i], &reports[i]);
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    mrn_verify_markdown(out, reports, count);
    fclose(out);
    for (size_t i = 0; i < count; i++) mrn_verify_report_free(&reports[i]);
    free(reports);
    return text;
}

static void the_page_has_a_section_for_every_case(void **state) {
    (void)state;
    size_t count;
    const MrnVerifyCase *cases = mrn_verify_cases(&count);
    char *text = page(2);
    for (size_t i = 0; i < count; i++) {
        char heading[300];
        snprintf(heading, sizeof heading, "\n## %s: %s\n", cases[i].name, cases[i].title);
        assert_non_null(strstr(text, heading));
    }
    assert_non_null(strstr(text, "2 of "));
    assert_non_null(strstr(text, "| exact end of the swept point, x [m] | 0.0453859 |"));
    assert_non_null(strstr(text, "Not run here: a slow case"));
    free(text);
}

/// Rows in order; files and cases (T-, V-, PT-) that they name exist.
static void check_rows(const MrnChecklistRow *rows, size_t count) {
    static const char *const kinds[] = {"T-", "V-", "PT-", "S-"}; // and the letters A, F, D of grains
    char hint[100], path[1000];
    for (size_t i = 0; i < count; i++) {
        const MrnChecklistRow *row = &rows[i];
        assert_int_equal(row->number, (int)i + 1);
        assert_true(row->feature[0]);
        if (row->coded[0]) {
            snprintf(path, sizeof path, "%s/%s", MORAINE_SOURCE_DIR, row->coded);
            if (access(path, R_OK) != 0) fail_msg("row %d names %s, which is not there", row->number, row->coded);
        }
        for (const char *at = row->checked; *at; at += strcspn(at, " ,;:"), at += strspn(at, " ,;:")) {
            char name[100];
            size_t length = strcspn(at, " ,;:");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            bool is_case = strchr("AFD", name[0]) && name[1] >= '1' && name[1] <= '9' && !name[2];
            for (size_t k = 0; k < 4; k++) is_case = is_case || strncmp(name, kinds[k], strlen(kinds[k])) == 0;
            if (is_case && mrn_verify_find(name, hint, sizeof hint) < 0)
                fail_msg("row %d names the case %s, which is not there", row->number, name);
            snprintf(path, sizeof path, "%s/%s", MORAINE_SOURCE_DIR, name);
            if (strchr(name, '/') && access(path, R_OK) != 0)
                fail_msg("row %d names %s, which is not there", row->number, name);
        }
        // a feature is coded and checked, or the row says what is open, or it is a mention
        bool mention = strstr(row->feature, "nothing to code") != NULL;
        assert_true(mention || row->open || (row->coded[0] && row->checked[0]));
    }
}

static void the_checklist_has_97_rows_in_order_and_names_files_and_cases_that_exist(void **state) {
    (void)state;
    assert_int_equal(mrn_checklist_count, 97);
    check_rows(mrn_checklist, mrn_checklist_count);
}

static void the_checklist_of_floes_has_116_rows_in_order_and_names_what_exists(void **state) {
    (void)state;
    assert_int_equal(mrn_floe_checklist_count, 116);
    check_rows(mrn_floe_checklist, mrn_floe_checklist_count);
}

static void the_checklist_of_grains_has_55_rows_in_order_and_names_what_exists(void **state) {
    (void)state;
    assert_int_equal(mrn_grain_checklist_count, 55);
    check_rows(mrn_grain_checklist, mrn_grain_checklist_count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_a_section_for_every_case),
        cmocka_unit_test(the_checklist_has_97_rows_in_order_and_names_files_and_cases_that_exist),
        cmocka_unit_test(the_checklist_of_floes_has_116_rows_in_order_and_names_what_exists),
        cmocka_unit_test(the_checklist_of_grains_has_55_rows_in_order_and_names_what_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
