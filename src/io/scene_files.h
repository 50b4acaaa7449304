// Finding and reading the files of scenes.
#ifndef MRN_IO_SCENE_FILES_H
#define MRN_IO_SCENE_FILES_H

#include <moraine/error.h>
#include <stddef.h>

/// Whole contents of a regular file, with a 0 after the last byte. NULL with an error that names the file. Caller
/// frees.
char *mrn_file_contents(const char *path, size_t *size, MrnError *error);

/// Path of a scene: `name` itself, or for gallery:NAME the first NAME.yaml found in the gallery directories. NULL with
/// an error that says where it was looked for. Caller frees.
char *mrn_scene_path(const char *name, MrnError *error);

/// Gallery directory number `index`: the environment variable MORAINE_GALLERY, then that of the source tree, then the
/// installed one. NULL after the last.
const char *mrn_gallery_directory(size_t index);
#endif
