// What every command prints in the same way: errors, JSON, and the end of standard output.
#include "cli/cli.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *format_text(const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

int mrn_cli_fail(bool json, int exit_code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *text = format_text(format, list);
    va_end(list);
    fprintf(stderr, "moraine: %s\n", text);
    if (json) {
        json_t *object = json_object();
        json_object_set_new(object, "error", mrn_json_text(text));
        mrn_cli_print_json(object);
    }
    free(text);
    return exit_code;
}

int mrn_cli_error(const MrnArguments *arguments, const MrnError *error) {
    return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s",
                        error->message[0] ? error->message : mrn_error_name(error->code));
}

void mrn_cli_warn(const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *text = format_text(format, list);
    va_end(list);
    fprintf(stderr, "moraine: %s\n", text);
    free(text);
}

void mrn_cli_print_json(json_t *object) {
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(object);
}

json_t *mrn_json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *mrn_json_hash(uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_string(text);
}

json_t *mrn_json_text(const char *text) {
    if (!text) return json_null();
    json_t *value = json_string(text);
    if (value) return value;
    // A path or a scene may hold any bytes, a JSON string may not.
    char *clean = mrn_strdup(text);
    for (char *c = clean; *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    value = json_string(clean);
    free(clean);
    return value;
}

int mrn_cli_finish(int exit_code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    fprintf(stderr, "moraine: cannot write to standard output: %s\n", strerror(errno));
    return exit_code == MRN_EXIT_DONE ? MRN_EXIT_CANNOT : exit_code;
}

void mrn_cli_shell_quote(FILE *out, const char *word) {
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%") == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    }
    putc('\'', out);
}

FILE *mrn_cli_create(const MrnArguments *arguments, const char *path, bool force) {
    int descriptor = open(path, O_WRONLY | O_CREAT | (force ? O_TRUNC : O_EXCL), 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file) return file;
    if (errno == EEXIST)
        mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s exists already; give --force to replace it", path);
    else
        mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return NULL;
}
