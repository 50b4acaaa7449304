// moraine gallery: the scenes that reproduce published results.
//
// Only the head of each scene is read, not its bodies: the list must come at once, however large the scenes are.
#include "cli/cli.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/scene_files.h"
#include "io/scene_yaml.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct GalleryEntry {
    char *name, *title, *source;
    size_t expectations; ///< numbers that it must give
} GalleryEntry;

static char *join_path(const char *directory, const char *file) {
    size_t length = strlen(directory) + strlen(file) + 2;
    char *path = mrn_alloc(length, 1);
    snprintf(path, length, "%s/%s", directory, file);
    return path;
}

static const char *scalar(const MrnYaml *node) {
    return node && node->kind == MRN_YAML_SCALAR ? node->text : NULL;
}

/// Read title, source and number of expectations of one scene.
static bool read_entry(const char *directory, const char *file, GalleryEntry *entry, MrnError *error) {
    char *path = join_path(directory, file);
    size_t size;
    char *text = mrn_file_contents(path, &size, error);
    MrnArena arena = {0};
    MrnYamlSource source = {.name = path};
    const MrnYaml *root = text ? mrn_yaml_parse(text, &source, &arena, error) : NULL;
    if (root && root->kind == MRN_YAML_MAP) {
        const MrnYaml *reference = mrn_yaml_child(root, "reference"), *expect = mrn_yaml_child(root, "expect");
        const char *given = scalar(reference);
        if (reference && reference->kind == MRN_YAML_MAP) given = scalar(mrn_yaml_child(reference, "source"));
        const char *title = scalar(mrn_yaml_child(root, "title"));
        entry->name = mrn_strdup(file);
        entry->name[strlen(file) - strlen(".yaml")] = 0;
        entry->title = mrn_strdup(title ? title : "");
        entry->source = mrn_strdup(given);
        entry->expectations = expect && expect->kind == MRN_YAML_LIST ? expect->count : 0;
    } else if (root)
        mrn_fail(error, MRN_ERROR_INPUT, "%s: not a scene", path);
    mrn_arena_free(&arena);
    free(text);
    free(path);
    return entry->name != NULL;
}

static int is_scene(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static void print_entry(const MrnArguments *arguments, const GalleryEntry *entry, json_t *list) {
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set_new(object, "name", mrn_json_text(entry->name));
        json_object_set_new(object, "title", mrn_json_text(entry->title));
        json_object_set_new(object, "source", mrn_json_text(entry->source));
        json_object_set_new(object, "expectations", json_integer((json_int_t)entry->expectations));
        json_array_append_new(list, object);
    } else if (arguments->quiet)
        puts(entry->name);
    else {
        printf("%s\n    %s\n", entry->name, entry->title);
        if (entry->source) printf("    %s\n", entry->source);
    }
}

/// A scene that an earlier folder has too is the one that gallery:NAME means.
static bool found_earlier(size_t directory, const char *file) {
    bool found = false;
    for (size_t i = 0; i < directory && !found; i++) {
        char *path = join_path(mrn_gallery_directory(i), file);
        found = access(path, F_OK) == 0;
        free(path);
    }
    return found;
}

static int run_gallery(const MrnArguments *arguments) {
    json_t *list = json_array();
    MrnError error = {0};
    bool fine = true;
    size_t shown = 0;
    const char *directory;
    for (size_t d = 0; (directory = mrn_gallery_directory(d)); d++) {
        struct dirent **files = NULL;
        int count = scandir(directory, &files, is_scene, alphasort);
        for (int i = 0; i < count; i++) {
            GalleryEntry entry = {0};
            if (fine && !found_earlier(d, files[i]->d_name)) {
                fine = read_entry(directory, files[i]->d_name, &entry, &error);
                if (fine) print_entry(arguments, &entry, list), shown++;
            }
            free(entry.name), free(entry.title), free(entry.source);
            free(files[i]);
        }
        free(files);
    }
    int exit_code = MRN_EXIT_DONE;
    if (!fine)
        exit_code = mrn_cli_error(arguments, &error);
    else if (!shown)
        exit_code =
            mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                         "cannot find the gallery in %s; set MORAINE_GALLERY to its folder", mrn_gallery_directory(0));
    else if (arguments->json) {
        json_t *object = json_object();
        json_object_set(object, "scenes", list);
        mrn_cli_print_json(object);
    } else if (!arguments->quiet)
        puts("\nRun one: moraine run gallery:NAME");
    json_decref(list);
    return exit_code;
}

const MrnCommand mrn_command_gallery = {
    .name = "gallery",
    .operands = "",
    .summary = "list the scenes that reproduce published results",
    .description = "Lists the scenes of the gallery by name, with their titles and the publications that their numbers "
                   "come from. With --quiet "
                   "prints the names alone. Any command that takes a SCENE takes gallery:NAME.",
    .fields =
        (const MrnJsonField[]){
            {"scenes[].name", "string", "what to write after gallery:"},
            {"scenes[].title", "string", "its title"},
            {"scenes[].source", "string or null", "publication"},
            {"scenes[].expectations", "integer", "numbers that it must give"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine gallery", "what there is"},
            {"moraine run gallery:heap_of_polygons", "run one of them"},
            {NULL, NULL},
        },
    .run = run_gallery,
};
