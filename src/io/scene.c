// Scenes: text and overrides in, model and scheme out; files that a scene names; where gallery scenes are found.
#include "base/error.h"
#include "io/expect.h"
#include "io/scene_build.h"
#include "io/scene_files.h"

#include <stdlib.h>
#include <string.h>

void mrn_scene_free(MrnScene *scene) {
    if (!scene) return;
    free(scene->name);
    free(scene->text);
    free(scene->title);
    free(scene->remarks);
    for (size_t i = 0; i < scene->override_count; i++) free(scene->overrides[i]);
    free(scene->overrides);
    for (size_t i = 0; i < scene->file_count; i++) {
        free(scene->files[i].name);
        free(scene->files[i].data);
    }
    free(scene->files);
    free((char *)scene->scheme.stepper);
    free((char *)scene->scheme.solver.solver);
    free((char *)scene->scheme.solver.options);
    free((MrnDemPair *)scene->scheme.dem.pairs);
    free((MrnDemMaterial *)scene->scheme.dem.materials);
    mrn_expectations_free(scene->check);
    mrn_model_free(scene->model);
    free(scene);
}

const MrnSceneFile *mrn_build_file(MrnSceneBuilder *builder, const MrnYaml *node, const char *key, const char *name) {
    MrnScene *scene = builder->scene;
    for (size_t i = 0; i < scene->file_count; i++)
        if (strcmp(scene->files[i].name, name) == 0) return &scene->files[i];
    MrnSceneFile file = {0};
    for (size_t i = 0; i < builder->given_count && !file.data; i++)
        if (strcmp(builder->given[i].name, name) == 0) {
            file.size = builder->given[i].size;
            file.data = mrn_alloc(file.size + 1, 1); // ends with 0 for readers of text
            if (file.size) memcpy(file.data, builder->given[i].data, file.size);
            file.data[file.size] = 0;
        }
    if (!file.data) {
        size_t length = strlen(builder->directory) + strlen(name) + 1;
        char *path = mrn_alloc(length, 1);
        strcpy(path, name[0] == '/' ? "" : builder->directory);
        strcat(path, name);
        MrnError why = {0};
        file.data = mrn_file_contents(path, &file.size, &why);
        free(path);
        if (!file.data) {
            mrn_yaml_fail(mrn_yaml_at(node, key), NULL, builder->error, "%.600s", why.message);
            if (builder->error) builder->error->code = MRN_ERROR_FILE;
            return NULL;
        }
    }
    file.name = mrn_strdup(name);
    scene->files = mrn_realloc(scene->files, scene->file_count + 1, sizeof *scene->files);
    scene->files[scene->file_count] = file;
    return &scene->files[scene->file_count++];
}

static bool parse_scene(MrnScene *scene, const MrnSceneFile *files, size_t file_count, MrnArena *arena,
                        MrnError *error) {
    MrnYamlSource *source = mrn_arena_take(arena, 1, sizeof *source);
    *source = (MrnYamlSource){scene->name, false};
    MrnYaml *root = mrn_yaml_parse(scene->text, source, arena, error);
    if (!root) return false;
    if (root->kind != MRN_YAML_MAP) {
        if (mrn_yaml_is_null(root)) return mrn_yaml_fail(root, NULL, error, "the scene is empty");
        char found[400];
        mrn_yaml_found(root, found, sizeof found);
        return mrn_yaml_fail(root, NULL, error, "found %s, wanted a mapping that begins with title, dimension, time...",
                             found);
    }
    for (size_t i = 0; i < scene->override_count; i++)
        if (!mrn_schema_override(root, scene->overrides[i], arena, error)) return false;
    char *path = mrn_scene_path(scene->name, NULL), *slash = path ? strrchr(path, '/') : NULL;
    if (slash) slash[1] = 0;
    MrnSceneBuilder builder = {.root = mrn_schema_read(root, arena, error),
                               .scene = scene,
                               .error = error,
                               .directory = slash ? path : "",
                               .given = files,
                               .given_count = file_count};
    bool good = builder.root != NULL;
    if (good) {
        builder.dimension = (int)builder.root->dimension;
        good = mrn_build_scene(&builder);
    }
    mrn_array_free(&builder.name_table);
    free(path);
    return good;
}

MrnScene *mrn_scene_parse(const char *text, const char *name, const char *const *overrides, size_t override_count,
                          const MrnSceneFile *files, size_t file_count, MrnError *error) {
    MrnScene *scene = mrn_alloc_zero(1, sizeof *scene);
    scene->name = mrn_strdup(name);
    scene->text = mrn_strdup(text);
    scene->overrides = mrn_alloc_zero(override_count, sizeof *scene->overrides);
    for (; scene->override_count < override_count; scene->override_count++)
        scene->overrides[scene->override_count] = mrn_strdup(overrides[scene->override_count]);
    MrnArena arena = {0};
    bool good = parse_scene(scene, files, file_count, &arena, error);
    mrn_arena_free(&arena);
    if (good) return scene;
    mrn_scene_free(scene);
    return NULL;
}

MrnScene *mrn_scene_read(const char *name, const char *const *overrides, size_t override_count, MrnError *error) {
    char *path = mrn_scene_path(name, error);
    if (!path) return NULL;
    size_t size;
    char *text = mrn_file_contents(path, &size, error);
    free(path);
    if (!text) return NULL;
    MrnScene *scene = NULL;
    if (strlen(text) != size)
        mrn_fail(error, MRN_ERROR_INPUT, "%.300s: not a text file: found a byte 0", name);
    else
        scene = mrn_scene_parse(text, name, overrides, override_count, NULL, 0, error);
    free(text);
    return scene;
}
