// Films through ffmpeg. See encoder.h.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pipe2
#endif
#include "draw/encoder.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct MrnEncoder {
    char *path, *temporary;
    pid_t process;
    int pipe;
    FILE *complaints; ///< what ffmpeg says on its standard error
    size_t picture_bytes;
    void (*old_handler)(int); ///< of SIGPIPE
};

/// Formats: ending, then the arguments of ffmpeg.
static const char *const mp4_arguments[] = {"-c:v",    "libx264",   "-preset",    "medium", "-crf", "18", "-pix_fmt",
                                            "yuv420p", "-movflags", "+faststart", "-f",     "mp4",  NULL};
static const char *const webm_arguments[] = {"-c:v",     "libvpx-vp9", "-crf",      "28",   "-b:v",      "0",
                                             "-row-mt",  "1",          "-deadline", "good", "-cpu-used", "4",
                                             "-pix_fmt", "yuv420p",    "-f",        "webm", NULL};
// A palette for the whole film, from what changes in it.
static const char *const gif_arguments[] = {
    "-filter_complex",
    "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
    "-loop",
    "0",
    "-f",
    "gif",
    NULL};
static const struct {
    const char *ending;
    const char *const *arguments;
} formats[] = {{".mp4", mp4_arguments}, {".webm", webm_arguments}, {".gif", gif_arguments}};

static const char *const *arguments_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(dot, formats[i].ending) == 0) return formats[i].arguments;
    return NULL;
}

bool mrn_encoder_knows(const char *path, MrnError *error) {
    return arguments_of(path) != NULL ||
           mrn_fail(error, MRN_ERROR_INPUT, "%s: the name of a film must end in .mp4, .webm or .gif", path);
}

static void let_go(MrnEncoder *encoder, bool keep) {
    if (encoder->pipe >= 0) close(encoder->pipe);
    if (encoder->complaints) fclose(encoder->complaints);
    if (encoder->temporary && !keep) unlink(encoder->temporary);
    if (encoder->old_handler != SIG_ERR) signal(SIGPIPE, encoder->old_handler);
    free(encoder->path);
    free(encoder->temporary);
    free(encoder);
}

static bool start(MrnEncoder *encoder, const char *const *format, int width, int height, double rate, MrnError *error) {
    const char *program = getenv("MORAINE_FFMPEG");
    if (!program || !*program) program = "ffmpeg";
    char size[32], pace[32], *target = mrn_alloc(strlen(encoder->temporary) + 6, 1);
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(pace, sizeof pace, "%.6g", rate);
    sprintf(target, "file:%s", encoder->temporary);
    const char *words[48] = {program, "-hide_banner", "-loglevel", "error",      "-y", "-f", "rawvideo", "-pix_fmt",
                             "bgra",  "-video_size",  size,        "-framerate", pace, "-i", "pipe:0",   "-an"};
    size_t count = 16;
    while (*format) words[count++] = *format++;
    words[count++] = target;
    words[count] = NULL;

    int ends[2];
    encoder->complaints = tmpfile();
    if (!encoder->complaints || pipe2(ends, O_CLOEXEC) != 0) {
        free(target);
        return mrn_fail(error, MRN_ERROR_FILE, "cannot start %s: %s", program, strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(encoder->complaints), STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int reason = posix_spawnp(&encoder->process, program, &actions, &attributes, (char **)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    free(target);
    encoder->pipe = ends[1];
    if (reason == 0) return true;
    encoder->process = 0;
    if (reason == ENOENT)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "films are made with ffmpeg, and '%s' is not there: install the package ffmpeg", program);
    return mrn_fail(error, MRN_ERROR_FILE, "cannot start %s: %s", program, strerror(reason));
}

MrnEncoder *mrn_encoder_open(const char *path, int width, int height, double pictures_per_second, MrnError *error) {
    if (!mrn_encoder_knows(path, error)) return NULL;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: not a regular file", path);
        return NULL;
    }
    MrnEncoder *encoder = mrn_alloc_zero(1, sizeof *encoder);
    encoder->path = mrn_strdup(path);
    encoder->temporary = mrn_alloc(strlen(path) + 9, 1);
    sprintf(encoder->temporary, "%s.partial", path);
    encoder->pipe = -1;
    encoder->picture_bytes = 4 * (size_t)width * (size_t)height;
    encoder->old_handler = signal(SIGPIPE, SIG_IGN);
    // Said before minutes of drawing, not after.
    int probe = open(encoder->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (probe < 0) {
        mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
        free(encoder->temporary);
        encoder->temporary = NULL;
        let_go(encoder, false);
        return NULL;
    }
    close(probe);
    if (start(encoder, arguments_of(path), width, height, pictures_per_second, error)) return encoder;
    let_go(encoder, false);
    return NULL;
}

bool mrn_encoder_put(MrnEncoder *encoder, const MrnImage *image) {
    const uint8_t *data = image->pixels;
    size_t left = encoder->picture_bytes;
    while (left) {
        ssize_t done = write(encoder->pipe, data, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        data += done;
        left -= (size_t)done;
    }
    return true;
}

/// The last line that ffmpeg wrote.
static void last_complaint(FILE *file, char *text, size_t size) {
    char line[400];
    snprintf(text, size, "no reason given");
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0]) snprintf(text, size, "%s", line);
    }
}

bool mrn_encoder_close(MrnEncoder *encoder, MrnError *error) {
    close(encoder->pipe);
    encoder->pipe = -1;
    int status = 0;
    while (waitpid(encoder->process, &status, 0) < 0 && errno == EINTR) continue;
    bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!fine) {
        char reason[400];
        last_complaint(encoder->complaints, reason, sizeof reason);
        mrn_fail(error, MRN_ERROR_FILE, "%s: ffmpeg could not write the film: %s", encoder->path, reason);
    } else if (rename(encoder->temporary, encoder->path) != 0) {
        fine = mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write: %s", encoder->path, strerror(errno));
    }
    let_go(encoder, fine);
    return fine;
}

void mrn_encoder_discard(MrnEncoder *encoder) {
    if (!encoder) return;
    if (encoder->process > 0) {
        kill(encoder->process, SIGTERM);
        close(encoder->pipe);
        encoder->pipe = -1;
        while (waitpid(encoder->process, NULL, 0) < 0 && errno == EINTR) continue;
    }
    let_go(encoder, false);
}
