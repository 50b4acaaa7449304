// What the tests of the command share: running it in a temporary folder, and looking at what it did.
#ifndef TEST_CLI_SUPPORT_H
#define TEST_CLI_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <moraine/moraine.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *program, *sources __attribute__((unused));
static char folder[] = "/tmp/moraine-cli-XXXXXX";

/// What a command line did.
typedef struct Outcome {
    int exit_code; ///< as a shell sees it
    char *out, *err;
} Outcome;

static inline char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = mrn_alloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

static inline void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// Run a shell line in which $M is the command.
static inline Outcome shell(const char *line) {
    char *text = mrn_alloc(strlen(line) + 64, 1);
    sprintf(text, "{ %s\n} >out 2>err </dev/null", line);
    int status = system(text);
    free(text);
    return (Outcome){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file("out"),
                     read_file("err")};
}

static inline Outcome moraine(const char *arguments) {
    char *line = mrn_alloc(strlen(arguments) + 8, 1);
    sprintf(line, "$M %s", arguments);
    Outcome outcome = shell(line);
    free(line);
    return outcome;
}

static inline void done(Outcome *outcome) {
    free(outcome->out);
    free(outcome->err);
}

static inline void expect_code(const Outcome *outcome, int code, const char *what) {
    if (outcome->exit_code != code)
        fail_msg("%s: exit code %d, not %d\n--- out\n%s--- err\n%s", what, outcome->exit_code, code, outcome->out,
                 outcome->err);
}

/// The one JSON object on standard output; anything else there is a failure.
static inline json_t *only_object(const Outcome *outcome, const char *what) {
    json_error_t error;
    json_t *object = json_loads(outcome->out, JSON_REJECT_DUPLICATES, &error);
    if (!object || !json_is_object(object)) fail_msg("%s: not one JSON object: %s\n%s", what, error.text, outcome->out);
    return object;
}

static inline json_t *moraine_json(const char *arguments, int code) {
    Outcome outcome = moraine(arguments);
    expect_code(&outcome, code, arguments);
    json_t *object = only_object(&outcome, arguments);
    done(&outcome);
    return object;
}

static inline const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) fail_msg("no text %s", key);
    return text;
}

static inline double number_of(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) fail_msg("no number %s", key);
    return json_number_value(value);
}

/// Walk a value and check each leaf against the names of the documented fields; mark those met.
static inline void match_fields(const char *what, const char *path, json_t *value, json_t *fields, json_t *met) {
    char longer[512];
    if (json_is_object(value) && json_object_size(value)) {
        const char *key;
        json_t *child;
        char map[512];
        snprintf(map, sizeof map, "%.400s{}", path);
        if (json_object_get(fields, map)) { // a mapping with free keys
            json_object_set_new(met, map, json_true());
            return;
        }
        json_object_foreach(value, key, child) {
            snprintf(longer, sizeof longer, "%.400s%s%.100s", path, *path ? "." : "", key);
            match_fields(what, longer, child, fields, met);
        }
    } else if (json_is_array(value) && json_array_size(value)) {
        size_t index;
        json_t *child;
        snprintf(longer, sizeof longer, "%.400s[]", path);
        json_array_foreach(value, index, child) match_fields(what, longer, child, fields, met);
    } else if (json_is_object(value) || json_is_array(value)) {
        return; // empty: nothing to compare
    } else {
        if (!json_object_get(fields, path)) fail_msg("%s prints a field %s that is not documented", what, path);
        json_object_set_new(met, path, json_true());
    }
}

/// The objects printed by these command lines together hold the documented fields of `command`, all of them and no
/// other.
static inline void expect_documented(const char *command, const char *const *lines, size_t count) {
    json_t *help = moraine_json("help --json", 0), *fields = json_object(), *met = json_object(), *entry, *field;
    size_t index, inner;
    json_array_foreach(json_object_get(help, "commands"), index,
                       entry) if (strcmp(text_of(entry, "name"), command) == 0)
        json_array_foreach(json_object_get(entry, "fields"), inner, field)
            json_object_set_new(fields, text_of(field, "name"), json_true());
    for (size_t i = 0; i < count; i++) {
        json_t *object = moraine_json(lines[i], 0);
        match_fields(lines[i], "", object, fields, met);
        json_decref(object);
    }
    const char *name;
    json_t *unused;
    json_object_foreach(fields, name, unused) {
        (void)unused;
        size_t length = strlen(name);
        bool may_be_empty = length > 2 && name[length - 2] == '{';
        if (!json_object_get(met, name) && !may_be_empty)
            fail_msg("%s: the documented field %s is never printed", command, name);
    }
    json_decref(met);
    json_decref(fields);
    json_decref(help);
}
#define EXPECT_DOCUMENTED(command, ...)                                                                                \
    expect_documented(command, (const char *const[]){__VA_ARGS__},                                                     \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char two_balls[] __attribute__((unused)) =
    "title: Two balls\ndimension: 2\ngravity: 0 -9.81 m/s2\n"
    "time: {step: 1 ms, end: 100 ms, output: 10 ms}\n"
    "materials: [{name: rubber, density: 1000 kg/m2}]\nlaws: [{friction: 0.5}]\n"
    "bodies:\n"
    "  - {name: ground, kind: fixed, shape: {half_plane: 0 1}}\n"
    "  - {name: low, shape: {disc: 10 cm}, position: 0 0.1 m}\n"
    "  - {name: high, shape: {disc: 10 cm}, position: 0.05 0.31 m}\n";

static inline int enter(void **state) {
    (void)state;
    // Under the leak checker, what it lets pass must not be printed: tests compare standard error.
    setenv("LSAN_OPTIONS", "print_suppressions=0", 0);
    return mkdtemp(folder) && chdir(folder) == 0 && setenv("M", program, 1) == 0 ? 0 : -1;
}

static inline int leave(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return chdir("/") == 0 && system(line) == 0 ? 0 : -1;
}

#endif
