// Scenes: a page of YAML that says what to simulate. docs/scene.md is made from the same table that reads them.
#ifndef MORAINE_SCENE_H
#define MORAINE_SCENE_H

#include <moraine/world.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file that a scene names (mesh, outline, table), with its contents, so that a run file holds everything.
typedef struct MrnSceneFile {
    char *name; ///< as written in the scene
    char *data;
    size_t size;
} MrnSceneFile;

typedef struct MrnScene {
    char *name; ///< path or gallery:NAME, for messages
    char *text; ///< the YAML as given
    size_t override_count;
    char **overrides; ///< path=value, as given with --set
    size_t file_count;
    MrnSceneFile *files;
    char *title; ///< one line
    MrnModel *model;
    MrnScheme scheme;           ///< strings in it belong to the scene
    double duration;            ///< s of simulated time
    double output_interval;     ///< s between frames, > 0
    double checkpoint_interval; ///< s of wall time between checkpoints, default 60
    char *remarks;              ///< what generators came to, a line each, or NULL
    void *check;                ///< the parsed `expect:` section for `moraine verify`, or NULL; see src/io/
} MrnScene;

/// Read a scene file (or gallery:NAME) with overrides `path=value`. NULL with a message file:line:column on failure.
MrnScene *mrn_scene_read(const char *path, const char *const *overrides, size_t override_count, MrnError *error);
/// The same from text; `files` are used before the disk (may be NULL).
MrnScene *mrn_scene_parse(const char *text, const char *name, const char *const *overrides, size_t override_count,
                          const MrnSceneFile *files, size_t file_count, MrnError *error);
void mrn_scene_free(MrnScene *scene);
/// Write the reference of all fields (docs/scene.md) as Markdown.
void mrn_scene_write_reference(FILE *out);

#ifdef __cplusplus
}
#endif
#endif
