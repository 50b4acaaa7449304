// Jobs over the frames of a run. See job.h.
#include "cli/job.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/input.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void catch_signal(int number) {
    caught = number;
}

MrnJobLine mrn_job_start(const MrnArguments *arguments, const char *unit) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, action = {.sa_handler = catch_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    const char *kind = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    double now = mrn_wall_seconds();
    return (MrnJobLine){.quiet = arguments->quiet,
                        .terminal = terminal,
                        .unit = unit,
                        .start = now,
                        .next = now + (terminal ? 0.2 : 5)};
}

bool mrn_job_show(void *context, size_t done, size_t count) {
    MrnJobLine *line = context;
    if (caught) return false;
    double now = mrn_wall_seconds();
    if (line->quiet || now < line->next || !done) return true;
    double left = (now - line->start) / (double)done * (double)(count - done);
    char text[160];
    snprintf(text, sizeof text, "%3.0f %%  %s %zu of %zu  %.3g %ss/s  %d:%02d left",
             floor(100 * (double)done / (double)count), line->unit, done, count, (double)done / (now - line->start),
             line->unit, (int)(left / 60), (int)left % 60);
    if (line->terminal)
        fprintf(stderr, "\r%s\033[K", text);
    else
        fprintf(stderr, "%s\n", text);
    fflush(stderr);
    line->drawn = line->terminal;
    line->next = now + (line->terminal ? 0.1 : 5);
    return true;
}

void mrn_job_end(MrnJobLine *line) {
    if (line->drawn) fputs("\r\033[K", stderr);
    line->drawn = false;
}

void mrn_job_raise(void) {
    if (!caught) return;
    fflush(stdout);
    signal(caught, SIG_DFL);
    raise(caught);
}

MrnRunFile *mrn_cli_open_run(const MrnArguments *arguments, int *exit_code) {
    const char *path = arguments->operands[0];
    MrnFileKind kind = mrn_file_kind(path);
    MrnError error = {0};
    MrnRunFile *file = NULL;
    if (kind == MRN_FILE_MISSING)
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    else if (kind == MRN_FILE_OTHER || kind == MRN_FILE_PROBLEM)
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s is not a run file", path);
    else if (!(file = mrn_run_file_open(path, &error)))
        *exit_code = mrn_cli_error(arguments, &error);
    return file;
}

char *mrn_cli_beside(const char *run, const char *suffix) {
    const char *slash = strrchr(run, '/'), *name = slash ? slash + 1 : run, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *path = mrn_alloc((size_t)length + strlen(suffix) + 1, 1);
    sprintf(path, "%.*s%s", length, name, suffix);
    return path;
}

static bool read_whole(const char *text, const char *end, int64_t fallback, int64_t *value) {
    *value = fallback;
    if (text == end) return true;
    char *rest;
    errno = 0;
    long long number = strtoll(text, &rest, 10);
    *value = number;
    return rest == end && errno == 0;
}

bool mrn_cli_frame_range(const char *text, int64_t *first, int64_t *last) {
    const char *colon = strchr(text, ':'), *end = text + strlen(text);
    if (!*text) return false;
    if (!colon) return read_whole(text, end, 0, first) && (*last = *first, true);
    return read_whole(text, colon, 0, first) && read_whole(colon + 1, end, -1, last);
}
