// Finding and reading the files of scenes.
#include "io/scene_files.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef MORAINE_GALLERY_DIRS
#define MORAINE_GALLERY_DIRS "gallery"
#endif

enum { MAX_FILE_BYTES = 1 << 30 };

char *mrn_file_contents(const char *path, size_t *size, MrnError *error) {
    struct stat status;
    if (stat(path, &status) != 0) {
        mrn_fail(error, MRN_ERROR_FILE, "%.400s: %s", path, errno == ENOENT ? "no such file" : strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        mrn_fail(error, MRN_ERROR_FILE, "%.400s: %s", path,
                 S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
        return NULL;
    }
    if (status.st_size > MAX_FILE_BYTES) {
        mrn_fail(error, MRN_ERROR_FILE, "%.400s: is larger than %d bytes", path, MAX_FILE_BYTES);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        mrn_fail(error, MRN_ERROR_FILE, "%.400s: %s", path, strerror(errno));
        return NULL;
    }
    size_t wanted = (size_t)status.st_size;
    char *data = mrn_alloc(wanted + 1, 1);
    *size = fread(data, 1, wanted, file);
    data[*size] = 0;
    bool broken = ferror(file) != 0;
    fclose(file);
    if (!broken) return data;
    mrn_fail(error, MRN_ERROR_FILE, "%.400s: cannot be read", path);
    free(data);
    return NULL;
}

const char *mrn_gallery_directory(size_t index) {
    static const char *const built_in[] = {MORAINE_GALLERY_DIRS};
    const char *chosen = getenv("MORAINE_GALLERY");
    if (chosen && !chosen[0]) chosen = NULL;
    if (chosen && index == 0) return chosen;
    if (chosen) index--;
    return index < sizeof built_in / sizeof *built_in ? built_in[index] : NULL;
}

char *mrn_scene_path(const char *name, MrnError *error) {
    static const char prefix[] = "gallery:";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return mrn_strdup(name);
    const char *entry = name + sizeof prefix - 1, *directory;
    for (size_t i = 0; entry[0] && !strchr(entry, '/') && (directory = mrn_gallery_directory(i)); i++) {
        size_t length = strlen(directory) + strlen(entry) + sizeof "/.yaml";
        char *path = mrn_alloc(length, 1);
        snprintf(path, length, "%s/%s.yaml", directory, entry);
        struct stat status;
        if (stat(path, &status) == 0) return path;
        free(path);
    }
    char places[400];
    size_t used = 0;
    for (size_t i = 0; (directory = mrn_gallery_directory(i)) && used < sizeof places; i++)
        used += (size_t)snprintf(places + used, sizeof places - used, i ? ", %s" : "%s", directory);
    mrn_fail(error, MRN_ERROR_FILE, "%.200s: no such gallery scene in %s; `moraine gallery` lists them", name, places);
    return NULL;
}
