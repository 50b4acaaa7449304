// The version, and what this build is made of. The list of parts comes from CMake.
#include "cli/cli.h"

/// X(name, version or NULL when left out, what it is for), made by CMake in build/generated/moraine_parts.h.
typedef struct Part {
    const char *name, *version, *purpose;
} Part;

static const Part parts[] = {
#define X(name, version, purpose) {name, version, purpose},
#include "moraine_parts.h"
#undef X
};
static const size_t part_count = sizeof parts / sizeof *parts;

int mrn_version(bool json) {
    if (json) {
        json_t *object = json_object(), *list = json_object();
        for (size_t i = 0; i < part_count; i++)
            json_object_set_new(list, parts[i].name, parts[i].version ? json_string(parts[i].version) : json_false());
        json_object_set_new(object, "version", json_string(MORAINE_VERSION));
        json_object_set_new(object, "parts", list);
        mrn_cli_print_json(object);
        return MRN_EXIT_DONE;
    }
    printf("moraine %s\n", MORAINE_VERSION);
    for (size_t i = 0; i < part_count; i++)
        printf("  %-10s %-10s %s\n", parts[i].name, parts[i].version ? parts[i].version : "left out", parts[i].purpose);
    return MRN_EXIT_DONE;
}
