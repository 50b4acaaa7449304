// Running cases: rows, the list of cases, finding one by name.
#include "verify/check.h"
#include "verify/cases.h"

#include "base/clock.h"
#include "base/error.h"
#include "io/scene_files.h"
#include "io/scene_yaml.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *format(const char *text, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, text, again);
    va_end(again);
    char *out = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(out, (size_t)length + 1, text, list);
    return out;
}

/// The unit in brackets at the end of a quantity becomes a string of its own.
static char *split_unit(char *quantity) {
    size_t length = strlen(quantity);
    char *open = strrchr(quantity, '[');
    if (!open || !length || quantity[length - 1] != ']' || open == quantity || open[-1] != ' ') return mrn_strdup("");
    char *unit = mrn_strdup(open + 1);
    unit[strlen(unit) - 1] = 0;
    open[-1] = 0;
    return unit;
}

static void add_row(MrnVerifyReport *report, MrnRelation relation, double published, double computed, double tolerance,
                    const char *quantity, va_list list) {
    bool pass = false; // a comparison with NaN is false: it fails
    switch (relation) {
    case MRN_EQUAL: pass = fabs(computed - published) <= tolerance; break;
    case MRN_AT_MOST: pass = computed <= published; break;
    case MRN_AT_LEAST: pass = computed >= published; break;
    case MRN_MEASURED: pass = isfinite(computed); break;
    }
    MrnVerifyRow row = {.name = report->about ? report->about->name : "",
                        .quantity = format(quantity, list),
                        .published = published,
                        .computed = computed,
                        .tolerance = tolerance,
                        .relation = relation,
                        .pass = pass,
                        .source = mrn_strdup(report->source ? report->source : "")};
    row.unit = split_unit(row.quantity);
    mrn_array_push(&report->rows, row);
}

#define ADD(relation, published, computed, tolerance)                                                                  \
    va_list list;                                                                                                      \
    va_start(list, quantity);                                                                                          \
    add_row(report, relation, published, computed, tolerance, quantity, list);                                         \
    va_end(list)

void mrn_check(MrnVerifyReport *report, double published, double computed, double tolerance, const char *quantity,
               ...) {
    ADD(MRN_EQUAL, published, computed, tolerance);
}
void mrn_check_at_most(MrnVerifyReport *report, double bound, double computed, const char *quantity, ...) {
    ADD(MRN_AT_MOST, bound, computed, 0);
}
void mrn_check_at_least(MrnVerifyReport *report, double bound, double computed, const char *quantity, ...) {
    ADD(MRN_AT_LEAST, bound, computed, 0);
}
void mrn_check_true(MrnVerifyReport *report, bool holds, const char *quantity, ...) {
    ADD(MRN_EQUAL, 1, holds ? 1 : 0, 0);
}
void mrn_measure(MrnVerifyReport *report, double computed, const char *quantity, ...) {
    ADD(MRN_MEASURED, NAN, computed, 0);
}
void mrn_check_failed(MrnVerifyReport *report, const char *message) {
    mrn_check(report, 0, NAN, 0, "failed: %s", message);
}

void mrn_verify_report_free(MrnVerifyReport *report) {
    for (size_t i = 0; i < report->rows.count; i++) {
        free(report->rows.data[i].quantity);
        free(report->rows.data[i].unit);
        free(report->rows.data[i].source);
    }
    mrn_array_free(&report->rows);
}

bool mrn_verify_passed(const MrnVerifyReport *report) {
    for (size_t i = 0; i < report->rows.count; i++)
        if (!report->rows.data[i].pass) return false;
    return report->rows.count > 0;
}

void mrn_verify_run(const MrnVerifyCase *about, MrnVerifyReport *report) {
    *report = (MrnVerifyReport){.about = about, .source = about->source};
    double begin = mrn_wall_seconds();
    if (about->scene) {
        MrnError error = {0};
        size_t length = strlen(about->scene) + sizeof "gallery:";
        char *path = mrn_alloc(length, 1);
        snprintf(path, length, "gallery:%s", about->scene);
        MrnScene *scene = mrn_scene_read(path, NULL, 0, &error);
        if (scene)
            mrn_check_scene(report, scene);
        else
            mrn_check_failed(report, error.message);
        mrn_scene_free(scene);
        free(path);
    }
    if (about->check) about->check(report);
    report->seconds = mrn_wall_seconds() - begin;
}

bool mrn_verify_file(const char *path, MrnVerifyReport *report, MrnError *error) {
    static MrnVerifyCase about; // rows point to its name
    *report = (MrnVerifyReport){0};
    MrnScene *scene = mrn_scene_read(path, NULL, 0, error);
    if (!scene) return false;
    MrnExpectations *expectations = scene->check;
    bool fine = expectations && expectations->count > 0;
    if (!fine)
        mrn_fail(error, MRN_ERROR_INPUT, "%s: there is no `expect` section: nothing to verify", path);
    else {
        about = (MrnVerifyCase){.name = path, .title = ""};
        report->about = &about;
        double begin = mrn_wall_seconds();
        mrn_check_scene(report, scene);
        report->seconds = mrn_wall_seconds() - begin;
    }
    mrn_scene_free(scene);
    return fine;
}

// ---- The list of cases ----

typedef MRN_ARRAY(MrnVerifyCase) Cases;

static bool listed(const Cases *cases, const char *scene) {
    for (size_t i = 0; i < cases->count; i++)
        if (cases->data[i].scene && strcmp(cases->data[i].scene, scene) == 0) return true;
    return false;
}

static const char *scalar(const MrnYaml *node) {
    return node && node->kind == MRN_YAML_SCALAR ? node->text : NULL;
}

/// Add a scene of the gallery that has expectations and belongs to no case yet. Only its head is read.
static void add_scene(Cases *cases, const char *directory, const char *file) {
    size_t length = strlen(file);
    if (length <= 5 || file[0] == '.' || strcmp(file + length - 5, ".yaml") != 0) return;
    char *name = mrn_strdup(file), *path = mrn_alloc(strlen(directory) + length + 2, 1);
    name[length - 5] = 0;
    sprintf(path, "%s/%s", directory, file);
    MrnError error = {0};
    size_t size;
    char *text = listed(cases, name) ? NULL : mrn_file_contents(path, &size, &error);
    MrnArena arena = {0};
    MrnYamlSource source = {.name = path};
    const MrnYaml *root = text ? mrn_yaml_parse(text, &source, &arena, &error) : NULL;
    const MrnYaml *expect = root && root->kind == MRN_YAML_MAP ? mrn_yaml_child(root, "expect") : NULL;
    if (expect && expect->kind == MRN_YAML_LIST && expect->count) {
        const MrnYaml *reference = mrn_yaml_child(root, "reference");
        const char *title = scalar(mrn_yaml_child(root, "title")), *given = scalar(reference);
        if (reference && reference->kind == MRN_YAML_MAP) given = scalar(mrn_yaml_child(reference, "source"));
        MrnVerifyCase found = {.name = name,
                               .title = mrn_strdup(title ? title : ""),
                               .source = mrn_strdup(given ? given : ""),
                               .scene = name};
        mrn_array_push(cases, found);
        name = NULL;
    }
    mrn_arena_free(&arena);
    free(text);
    free(name);
    free(path);
}

const MrnVerifyCase *mrn_verify_cases(size_t *count) {
    static Cases cases;
    if (!cases.count) {
#define X(name)                                                                                                        \
    for (size_t i = 0; i < mrn_cases_##name##_count; i++) mrn_array_push(&cases, mrn_cases_##name[i]);
        MRN_CASE_TABLES(X)
#undef X
        const char *directory;
        for (size_t d = 0; (directory = mrn_gallery_directory(d)); d++) {
            struct dirent **files = NULL;
            int found = scandir(directory, &files, NULL, alphasort);
            for (int i = 0; i < found; i++) {
                add_scene(&cases, directory, files[i]->d_name);
                free(files[i]);
            }
            free(files);
        }
    }
    *count = cases.count;
    return cases.data;
}

int mrn_verify_find(const char *name, char *hint, size_t hint_size) {
    size_t count;
    const MrnVerifyCase *cases = mrn_verify_cases(&count);
    hint[0] = 0;
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(cases[i].name, name) == 0) return (int)i;
    const char *scene = strncmp(name, "gallery:", 8) == 0 ? name + 8 : name;
    for (size_t i = 0; i < count; i++)
        if (cases[i].scene && strcmp(cases[i].scene, scene) == 0) return (int)i;
    const char **names = mrn_alloc(2 * count + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        names[n++] = cases[i].name;
        if (cases[i].scene) names[n++] = cases[i].scene;
    }
    const char *near = mrn_nearest_word(name, names, n);
    if (near) snprintf(hint, hint_size, "%s", near);
    free(names);
    return -1;
}
