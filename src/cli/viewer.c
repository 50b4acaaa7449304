// Serving a run file to a browser: the process around src/view.
#define _GNU_SOURCE // pipe2
#include "cli/viewer.h"
#include "cli/progress.h"
#include "base/error.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef MORAINE_HAS_VIEWER
#include "base/memory.h"
#include "draw/draw.h"
#include "io/output.h"
#include "view/browser.h"
#include "view/server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int wake[2] = {-1, -1}; ///< a signal writes into it

static void on_signal(int number) {
    int saved = errno;
    ssize_t written = write(wake[1], &number, 1);
    (void)written;
    errno = saved;
}

/// Catch a signal for wait_for_signal. A handler, since libraries have threads that do not block signals.
static bool catch_signal(int number) {
    if (wake[0] < 0 && pipe2(wake, O_CLOEXEC) != 0) return false;
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    // A signal that is ignored from the start (nohup, background jobs) stays ignored.
    return sigaction(number, NULL, &old) == 0 && (old.sa_handler == SIG_IGN || sigaction(number, &action, NULL) == 0);
}

static bool catch_stop_signals(void) {
    return catch_signal(SIGINT) && catch_signal(SIGTERM) && catch_signal(SIGHUP);
}

static void wait_for_signal(void) {
    char number;
    while (read(wake[0], &number, 1) < 0 && errno == EINTR) {}
}

static bool has_screen(void) {
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
}

/// Ask the desktop to show the page. The browser is nobody's child here and keeps quiet on our terminal.
static void open_browser(const char *url) {
    if (!has_screen()) return;
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
    if (child != 0) return;
    if (fork() != 0) _exit(0);
    setsid();
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0)
        for (int i = 0; i < 3; i++) dup2(nowhere, i);
    execlp("xdg-open", "xdg-open", url, (char *)NULL);
    _exit(127);
}

static void say_where(const MrnArguments *arguments, const MrnViewServer *server) {
    if (arguments->quiet && !arguments->json) {
        fprintf(stderr, "%s\n", mrn_view_url(server));
        return;
    }
    fprintf(stderr, "viewer: %s\n", mrn_view_url(server));
    fprintf(stderr, "  from another machine: ssh -L %d:127.0.0.1:%d HOST, then open the same address there\n",
            mrn_view_port(server), mrn_view_port(server));
}

static MrnViewServer *start(const MrnArguments *arguments, const char *path, bool wait, MrnError *error) {
    MrnViewOptions options = {.path = path, .port = (int)mrn_argument_number(arguments, "port", 0), .wait = wait};
    MrnViewServer *server = mrn_view_start(&options, error);
    if (!server) return NULL;
    say_where(arguments, server);
    if (!mrn_argument_given(arguments, "no-open")) open_browser(mrn_view_url(server));
    return server;
}

static bool port_is_wrong(const MrnArguments *arguments) {
    return mrn_argument_number(arguments, "port", 0) > 65535;
}

int mrn_viewer_serve(const MrnArguments *arguments, const char *path) {
    if (port_is_wrong(arguments))
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "--port must be from 1 to 65535");
    if (!catch_stop_signals()) return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "cannot catch signals");
    signal(SIGPIPE, SIG_IGN);
    MrnError error = {0};
    MrnViewServer *server = start(arguments, path, false, &error);
    if (!server) return mrn_cli_error(arguments, &error);
    if (arguments->json) {
        mrn_cli_print_json(json_pack("{s:s, s:i}", "url", mrn_view_url(server), "port", mrn_view_port(server)));
        fflush(stdout);
    } else if (!arguments->quiet) {
        fprintf(stderr, "  Ctrl-C ends it\n");
    }
    wait_for_signal();
    mrn_view_stop(server);
    if (!arguments->quiet && isatty(STDERR_FILENO)) fputc('\n', stderr);
    return MRN_EXIT_DONE;
}

/// Let the run come first, with all threads of this process. Not before the viewer serves: the run waits for that.
static void step_back(void) {
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        int thread = atoi(entry->d_name);
        if (thread > 0) setpriority(PRIO_PROCESS, (id_t)thread, 15);
    }
    if (threads) closedir(threads);
}

/// What the process of the viewer does. `ready` is told one byte: 1 when it serves.
static void serve_for_run(const MrnArguments *arguments, const char *path, int ready) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // Ctrl-C is for the run, which then ends this process.
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (!catch_signal(SIGTERM)) _exit(MRN_EXIT_CANNOT);
    MrnError error = {0};
    MrnViewServer *server = start(arguments, path, true, &error);
    if (!server) mrn_cli_error(arguments, &error);
    char state = server != NULL;
    if (write(ready, &state, 1) != 1 || !server) _exit(MRN_EXIT_CANNOT);
    close(ready);
    step_back();
    wait_for_signal();
    mrn_view_stop(server);
    _exit(MRN_EXIT_DONE);
}

pid_t mrn_viewer_start(const MrnArguments *arguments, const char *path) {
    if (port_is_wrong(arguments)) {
        mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "--port must be from 1 to 65535");
        return -1;
    }
    int ends[2];
    fflush(stdout);
    fflush(stderr);
    pid_t viewer = pipe(ends) == 0 ? fork() : -1;
    if (viewer < 0) {
        mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "cannot start the viewer");
        return -1;
    }
    if (viewer == 0) {
        close(ends[0]);
        serve_for_run(arguments, path, ends[1]);
    }
    close(ends[1]);
    char state = 0;
    ssize_t got = read(ends[0], &state, 1);
    close(ends[0]);
    if (got == 1 && state) return viewer;
    waitpid(viewer, NULL, 0);
    return -1;
}

void mrn_viewer_end(pid_t viewer, bool at_once) {
    // Signals are caught before anyone is told: the handler of the run would speak of one that goes on, and a signal
    // that it has caught must not be waited for.
    if (!at_once && catch_stop_signals() && !mrn_signal_caught()) {
        fprintf(stderr, "The viewer stays open: Ctrl-C ends it.\n");
        wait_for_signal();
    }
    kill(viewer, SIGTERM);
    waitpid(viewer, NULL, 0);
}

bool mrn_viewer_can_draw(void) {
    char *browser = mrn_browser_find();
    free(browser);
    return browser != NULL;
}

/// What the page is to show, behind the '#' of its address; free() it.
static char *picture_address(const char *url, const MrnViewerPicture *picture) {
    static const char *const names[][2] = {{"velocity", "speed"}, {"load", "pressure"}};
    const char *color = picture->color_by ? picture->color_by : "material",
               *title = picture->title ? picture->title : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(color, names[i][0]) == 0) color = names[i][1];
    size_t size = strlen(url) + 3 * strlen(title) + 400;
    char *address = mrn_alloc(size, 1), *at = address;
    at += sprintf(at, "%s#frame=%zu&color=%s&theme=%s&show=walls.shadows.marks.images.flow%s%s%s%s&bare=", url,
                  picture->frame, color, picture->dark ? "dark" : "light", picture->chains ? ".chains" : "",
                  picture->contacts ? ".contacts" : "",
                  (picture->chains || picture->contacts) && !picture->cut ? "&opacity=0.3" : "",
                  picture->cut ? "&section=1_0.5_1&from=front" : "");
    for (const unsigned char *c = (const unsigned char *)title; *c; c++) at += sprintf(at, "%%%02X", *c);
    return address;
}

static bool write_bytes(const char *path, const unsigned char *bytes, size_t size, MrnError *error) {
    MrnOutput out;
    if (!mrn_output_open(&out, path, error)) return false;
    mrn_output_write(&out, bytes, size);
    return mrn_output_close(&out, error);
}

bool mrn_viewer_draw(const char *run, const MrnViewerPicture *picture, const char *path, MrnError *error) {
    MrnViewOptions options = {.path = run};
    MrnViewServer *server = mrn_view_start(&options, error);
    if (!server) return false;
    char *address = picture_address(mrn_view_url(server), picture);
    MrnBrowserPicture wanted = {.url = address,
                                .width = picture->width,
                                .height = picture->height ? picture->height : 2 * picture->width / 3,
                                .scale = picture->width > 1600 ? 2 : 1,
                                .time_limit = 300};
    size_t size = 0;
    unsigned char *png = mrn_browser_picture(&wanted, &size, error);
    mrn_view_stop(server);
    free(address);
    MrnImage image;
    if (png && picture->colors && mrn_png_decode(png, size, &image)) {
        free(png);
        size = mrn_png_encode(&image, picture->colors, &png);
        mrn_image_free(&image);
        if (!size) mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the picture could not be written in few colours");
    }
    bool done = png && size && write_bytes(path, png, size, error);
    free(png);
    return done;
}

#else

bool mrn_viewer_can_draw(void) {
    return false;
}

bool mrn_viewer_draw(const char *run, const MrnViewerPicture *picture, const char *path, MrnError *error) {
    (void)run, (void)picture, (void)path;
    return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                    "this build has no viewer: it needs libmicrohttpd and, when it is built, node with the npm "
                    "packages of viewer/");
}

static int none(const MrnArguments *arguments) {
    return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                        "this build has no viewer: it needs libmicrohttpd and, when it is built, node with the npm "
                        "packages of viewer/");
}

int mrn_viewer_serve(const MrnArguments *arguments, const char *path) {
    (void)path;
    return none(arguments);
}

pid_t mrn_viewer_start(const MrnArguments *arguments, const char *path) {
    (void)path;
    none(arguments);
    return -1;
}

void mrn_viewer_end(pid_t viewer, bool at_once) {
    (void)viewer;
    (void)at_once;
}
#endif
