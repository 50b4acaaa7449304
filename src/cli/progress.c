// Progress on standard error: one line written over on a terminal, a plain line every few seconds elsewhere.
//
// The time left comes from the simulated time per second of wall time, smoothed over the last prints, so that it
// follows a pile that becomes dearer as it grows.
#include "cli/progress.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double terminal_interval = 0.1, plain_interval = 5.0; // s
static const double smoothing = 0.3;                               // weight of the newest rate

static volatile sig_atomic_t caught;

static void catch_signal(int number) {
    // Said at once, because the step under way may take long. Only calls that are safe in a handler.
    static const char text[] = "\nmoraine: stopping after this step with a checkpoint; the same signal again kills\n";
    int saved = errno;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    errno = saved;
    caught = number;
}

void mrn_signals_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, action = {.sa_handler = catch_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        // A signal that is ignored from the start (nohup, background jobs) stays ignored.
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    // A reader of our progress that goes away must not end the run.
    signal(SIGPIPE, SIG_IGN);
}

int mrn_signal_caught(void) {
    return caught;
}

void mrn_signal_raise(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

MrnProgressLine mrn_progress_start(const MrnArguments *arguments) {
    const char *kind = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    return (MrnProgressLine){
        .quiet = arguments->quiet, .terminal = terminal, .next = terminal ? 0.2 : plain_interval, .last_time = NAN};
}

static void print_duration(char *text, size_t size, double seconds) {
    if (!(seconds < 360000))
        snprintf(text, size, "--:--");
    else if (seconds < 3600)
        snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
}

static void update_rates(MrnProgressLine *line, const MrnStepInfo *info, double wall) {
    double elapsed = wall - line->last_wall;
    if (!isnan(line->last_time) && elapsed > 0) {
        double step_rate = (double)(info->step - line->last_step) / elapsed,
               time_rate = (info->time - line->last_time) / elapsed;
        double weight = line->step_rate > 0 ? smoothing : 1;
        line->step_rate += weight * (step_rate - line->step_rate);
        line->time_rate += weight * (time_rate - line->time_rate);
    }
    line->last_step = info->step, line->last_time = info->time, line->last_wall = wall;
}

static void print_line(MrnProgressLine *line, const MrnStepInfo *info, double end_time) {
    char left[32], text[256];
    double done = end_time > 0 ? info->time / end_time : 1;
    print_duration(left, sizeof left, line->time_rate > 0 ? (end_time - info->time) / line->time_rate : INFINITY);
    snprintf(text, sizeof text,
             "%3.0f %%  t %.4g of %.4g s  %.3g steps/s  %lld contacts  %lld sweeps  residual %.1e  %s left",
             floor(100 * fmin(done, 1)), info->time, end_time, line->step_rate, (long long)info->contacts,
             (long long)info->sweeps, info->residual, left);
    if (!line->terminal) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && strlen(text) >= window.ws_col)
        text[window.ws_col - 1] = 0; // a line that wraps cannot be written over
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    line->drawn = true;
}

bool mrn_progress_show(void *context, const MrnStepInfo *info, double end_time, double wall_seconds) {
    MrnProgressLine *line = context;
    if (caught) {
        line->drawn = false; // the message of the handler stands below it
        return false;
    }
    if (line->quiet) return true;
    if (isnan(line->last_time)) update_rates(line, info, wall_seconds);
    if (wall_seconds >= line->next) {
        update_rates(line, info, wall_seconds);
        print_line(line, info, end_time);
        line->next = wall_seconds + (line->terminal ? terminal_interval : plain_interval);
    }
    return true;
}

void mrn_progress_end(MrnProgressLine *line) {
    if (line->drawn) fputs("\r\033[K", stderr);
    line->drawn = false;
}
