// Files that appear whole or not at all. See output.h.
#include "io/output.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER ((size_t)1 << 20)
#define SUFFIX ".partial"
enum { MOST_PARTS = 1024 }; ///< of one call of writev, what Linux takes

bool mrn_output_open(MrnOutput *output, const char *path, MrnError *error) {
    *output = (MrnOutput){.path = mrn_strdup(path), .descriptor = -1};
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        mrn_output_discard(output);
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: Is a directory", path);
    }
    if (!there || S_ISREG(status.st_mode)) {
        output->temporary = mrn_alloc(strlen(path) + sizeof SUFFIX, 1);
        sprintf(output->temporary, "%s" SUFFIX, path);
    }
    const char *name = output->temporary ? output->temporary : path;
    output->descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->descriptor < 0) {
        int reason = errno;
        free(output->temporary);
        output->temporary = NULL; // not ours to remove
        mrn_output_discard(output);
        return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", path, strerror(reason));
    }
    output->buffer = mrn_alloc(BUFFER, 1);
    return true;
}

static void put(MrnOutput *output, const char *data, size_t size) {
    while (size && !output->failure) {
        ssize_t done = write(output->descriptor, data, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            output->failure = done < 0 ? errno : ENOSPC;
            return;
        }
        data += done;
        size -= (size_t)done;
    }
}

static void flush(MrnOutput *output) {
    put(output, output->buffer, output->used);
    output->used = 0;
}

void mrn_output_write(MrnOutput *output, const void *data, size_t size) {
    output->written += size;
    if (size > BUFFER - output->used) flush(output);
    if (size >= BUFFER / 2) {
        flush(output);
        put(output, data, size);
        return;
    }
    if (size) memcpy(output->buffer + output->used, data, size);
    output->used += size;
}

void mrn_output_write_parts(MrnOutput *output, const struct iovec *parts, size_t count) {
    flush(output);
    while (count && !output->failure) {
        ssize_t done = writev(output->descriptor, parts, count < MOST_PARTS ? (int)count : MOST_PARTS);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            output->failure = done < 0 ? errno : ENOSPC;
            return;
        }
        output->written += (uint64_t)done;
        size_t left = (size_t)done;
        while (count && left >= parts->iov_len) left -= parts->iov_len, parts++, count--;
        if (!left) continue;
        // The kernel took a part of a part.
        put(output, (const char *)parts->iov_base + left, parts->iov_len - left);
        output->written += parts->iov_len - left;
        parts++, count--;
    }
}

void mrn_output_text(MrnOutput *output, const char *text) {
    mrn_output_write(output, text, strlen(text));
}

void mrn_output_format(MrnOutput *output, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    mrn_output_write(output, text, (size_t)length);
    free(text);
}

char *mrn_output_room(MrnOutput *output, size_t size) {
    if (size > BUFFER - output->used) flush(output);
    return output->buffer + output->used;
}

void mrn_output_used(MrnOutput *output, const char *end) {
    size_t size = (size_t)(end - (output->buffer + output->used));
    output->used += size;
    output->written += size;
}

void mrn_output_discard(MrnOutput *output) {
    if (output->descriptor >= 0) close(output->descriptor);
    if (output->temporary) unlink(output->temporary);
    free(output->path);
    free(output->temporary);
    free(output->buffer);
    *output = (MrnOutput){.descriptor = -1};
}

bool mrn_output_close(MrnOutput *output, MrnError *error) {
    flush(output);
    if (close(output->descriptor) != 0 && !output->failure) output->failure = errno;
    output->descriptor = -1;
    if (!output->failure && output->temporary && rename(output->temporary, output->path) != 0) output->failure = errno;
    bool fine = !output->failure ||
                mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", output->path, strerror(output->failure));
    if (fine) {
        free(output->temporary);
        output->temporary = NULL;
    }
    mrn_output_discard(output);
    return fine;
}

bool mrn_folder_make(const char *path, MrnError *error) {
    char *part = mrn_strdup(path);
    bool fine = true;
    for (char *c = part + 1; fine && *part; c++) {
        if (*c && *c != '/') continue;
        char kept = *c;
        *c = 0;
        struct stat status;
        if (mkdir(part, 0777) != 0 && !(errno == EEXIST && stat(part, &status) == 0 && S_ISDIR(status.st_mode)))
            fine = mrn_fail(error, MRN_ERROR_FILE, "%s: cannot make the folder: %s", part,
                            errno == EEXIST ? "a file of that name is there" : strerror(errno));
        *c = kept;
        if (!kept) break;
    }
    free(part);
    return fine;
}

char *mrn_path_join(const char *folder, const char *name) {
    size_t length = strlen(folder);
    bool slash = length && folder[length - 1] == '/';
    char *path = mrn_alloc(length + strlen(name) + 2, 1);
    sprintf(path, "%s%s%s", folder, slash ? "" : "/", name);
    return path;
}
