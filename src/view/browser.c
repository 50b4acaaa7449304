// A browser without a window: see browser.h.
#define _GNU_SOURCE // pipe2
#include "view/browser.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Browser {
    pid_t process;
    int to, from;
    char folder[64]; ///< its profile
    MRN_ARRAY(char) received;
    int last_id;
    double deadline;
} Browser;

/// A program on the PATH; free() it.
static char *on_path(const char *name) {
    const char *folders = getenv("PATH");
    char *copy = mrn_strdup(folders ? folders : "/usr/bin:/bin"), *rest = copy, *found = NULL;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        size_t size = strlen(folder) + strlen(name) + 2;
        char *path = mrn_alloc(size, 1);
        snprintf(path, size, "%s/%s", folder, name);
        if (access(path, X_OK) == 0)
            found = path;
        else
            free(path);
    }
    free(copy);
    return found;
}

char *mrn_browser_find(void) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"};
    const char *chosen = getenv("MORAINE_BROWSER");
    if (chosen && *chosen) return strchr(chosen, '/') ? mrn_strdup(chosen) : on_path(chosen);
    char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = on_path(names[i]);
    return found;
}

/// What the child becomes: reads commands from descriptor 3 and answers on 4, quiet on the terminal.
static void become_browser(const char *program, const char *folder, int in, int out) {
    char profile[96];
    snprintf(profile, sizeof profile, "--user-data-dir=%s", folder);
    setpgid(0, 0);
    int nowhere = open("/dev/null", O_RDWR);
    // Away from 3 and 4 first: one of the two may be the other's place.
    in = fcntl(in, F_DUPFD, 10), out = fcntl(out, F_DUPFD, 10);
    if (nowhere < 0 || in < 0 || out < 0 || dup2(in, 3) < 0 || dup2(out, 4) < 0) _exit(126);
    for (int i = 0; i < 3; i++) dup2(nowhere, i);
    execl(program, program, "--headless", "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage", "--hide-scrollbars",
          "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync",
          "--disable-component-update", profile, "about:blank", (char *)NULL);
    _exit(127);
}

static bool start(Browser *browser, double time_limit, MrnError *error) {
    char *program = mrn_browser_find();
    if (!program)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "no browser to draw with: install chromium, or name one in MORAINE_BROWSER");
    const char *folder = getenv("TMPDIR");
    if (!folder || strlen(folder) > 30) folder = "/tmp";
    snprintf(browser->folder, sizeof browser->folder, "%s/moraine-browser-XXXXXX", folder);
    int commands[2] = {-1, -1}, answers[2] = {-1, -1};
    bool fine = mkdtemp(browser->folder) && pipe2(commands, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0;
    browser->process = fine ? fork() : -1;
    if (browser->process == 0) become_browser(program, browser->folder, commands[0], answers[1]);
    if (commands[0] >= 0) close(commands[0]);
    if (answers[1] >= 0) close(answers[1]);
    browser->to = commands[1], browser->from = answers[0];
    browser->deadline = mrn_wall_seconds() + time_limit;
    if (browser->process < 0) mrn_fail(error, MRN_ERROR_FILE, "cannot start %s: %s", program, strerror(errno));
    free(program);
    return browser->process > 0;
}

/// Remove the profile: a folder of folders.
static void remove_folder(const char *folder) {
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && nowhere >= 0; i++) dup2(nowhere, i);
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void end(Browser *browser) {
    if (browser->to >= 0) close(browser->to);
    if (browser->from >= 0) close(browser->from);
    if (browser->process > 0) {
        kill(-browser->process, SIGKILL); // its helpers too; nothing of it is to be kept
        kill(browser->process, SIGKILL);
        waitpid(browser->process, NULL, 0);
    }
    if (strchr(browser->folder, '/')) remove_folder(browser->folder);
    mrn_array_free(&browser->received);
}

static bool lost(Browser *browser, MrnError *error) {
    int status = 0;
    if (waitpid(browser->process, &status, WNOHANG) == browser->process) browser->process = -1;
    return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the browser ended before it had drawn the picture");
}

static bool send_text(Browser *browser, const char *text, MrnError *error) {
    for (size_t left = strlen(text) + 1; left;) {
        ssize_t done = write(browser->to, text, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return lost(browser, error);
        text += done;
        left -= (size_t)done;
    }
    return true;
}

/// The next message of the browser; NULL with an error.
static json_t *receive(Browser *browser, MrnError *error) {
    for (;;) {
        char *stop = browser->received.count ? memchr(browser->received.data, 0, browser->received.count) : NULL;
        if (stop) {
            size_t length = (size_t)(stop - browser->received.data);
            json_t *message = json_loadb(browser->received.data, length, 0, NULL);
            browser->received.count -= length + 1;
            memmove(browser->received.data, stop + 1, browser->received.count);
            if (message) return message;
            continue;
        }
        double left = browser->deadline - mrn_wall_seconds();
        struct pollfd wait = {.fd = browser->from, .events = POLLIN};
        int ready = left > 0 ? poll(&wait, 1, (int)(1000 * left) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the browser did not draw the picture in time");
            return NULL;
        }
        size_t at = browser->received.count;
        mrn_array_reserve(&browser->received, at + 65536);
        ssize_t got = read(browser->from, browser->received.data + at, 65536);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            lost(browser, error);
            return NULL;
        }
        browser->received.count = at + (size_t)got;
    }
}

/// Call a method and wait for its result, which is the caller's. `session` may be NULL. Takes over `parameters`.
static json_t *call(Browser *browser, const char *session, const char *method, json_t *parameters, MrnError *error) {
    int id = ++browser->last_id;
    json_t *message = json_pack("{s:i, s:s, s:o}", "id", id, "method", method, "params", parameters);
    if (session) json_object_set_new(message, "sessionId", json_string(session));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    bool fine = send_text(browser, text, error);
    free(text);
    while (fine) {
        json_t *answer = receive(browser, error);
        if (!answer) return NULL;
        if (json_integer_value(json_object_get(answer, "id")) != id) { // news of other things
            json_decref(answer);
            continue;
        }
        json_t *result = json_incref(json_object_get(answer, "result"));
        if (!result)
            mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the browser refuses %s: %s", method,
                     json_string_value(json_object_get(json_object_get(answer, "error"), "message")));
        json_decref(answer);
        return result;
    }
    return NULL;
}

/// A text of a result; free() it.
static char *text_of(json_t *result, const char *name) {
    const char *text = result ? json_string_value(json_object_get(result, name)) : NULL;
    char *copy = text ? mrn_strdup(text) : NULL;
    json_decref(result);
    return copy;
}

static unsigned char *decode_base64(const char *text, size_t *size) {
    unsigned char *out = mrn_alloc(strlen(text) * 3 / 4 + 3, 1);
    unsigned bits = 0, held = 0;
    *size = 0;
    for (; *text && *text != '='; text++) {
        int c = (unsigned char)*text;
        unsigned value = c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
                         : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a' + 26)
                         : c >= '0' && c <= '9' ? (unsigned)(c - '0' + 52)
                         : c == '+'             ? 62u
                                                : 63u;
        bits = bits << 6 | value;
        held += 6;
        if (held >= 8) held -= 8, out[(*size)++] = (unsigned char)(bits >> held);
    }
    return out;
}

/// Wait in the page until it can say how the picture looks, and take it as the text of a data address.
static const char take_picture[] = "new Promise((done, fail) => { const look = () => {"
                                   " const app = window.moraine, message = document.getElementById('message');"
                                   " if (message && message.classList.contains('error') && message.textContent) return "
                                   "fail(new Error(message.textContent));"
                                   " if (!app || !app.ready || !app.probe.frame() || app.probe.frame().index !== "
                                   "app.player.index) return setTimeout(look, 20);"
                                   " app.settled().then(() => app.probe.picture()).then(done, fail); }; look(); })";

static unsigned char *draw(Browser *browser, const MrnBrowserPicture *picture, size_t *size, MrnError *error) {
    char *target = text_of(call(browser, NULL, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"), error),
                           "targetId");
    char *session = target ? text_of(call(browser, NULL, "Target.attachToTarget",
                                          json_pack("{s:s, s:b}", "targetId", target, "flatten", 1), error),
                                     "sessionId")
                           : NULL;
    unsigned char *png = NULL;
    json_t *result = NULL;
    if (session) {
        json_decref(call(browser, session, "Emulation.setDeviceMetricsOverride",
                         json_pack("{s:i, s:i, s:f, s:b}", "width", (int)(picture->width / picture->scale + 0.5),
                                   "height", (int)(picture->height / picture->scale + 0.5), "deviceScaleFactor",
                                   picture->scale, "mobile", 0),
                         error));
        result = error->code ? NULL
                             : call(browser, session, "Page.navigate", json_pack("{s:s}", "url", picture->url), error);
        json_decref(result);
        result =
            error->code
                ? NULL
                : call(browser, session, "Runtime.evaluate",
                       json_pack("{s:s, s:b, s:b}", "expression", take_picture, "awaitPromise", 1, "returnByValue", 1),
                       error);
    }
    const char *text = json_string_value(json_object_get(json_object_get(result, "result"), "value"));
    const char *said = json_string_value(
        json_object_get(json_object_get(json_object_get(result, "exceptionDetails"), "exception"), "description"));
    if (text && strncmp(text, "data:image/png;base64,", 22) == 0)
        png = decode_base64(text + 22, size);
    else if (!error->code)
        mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the page could not draw the picture%s%.200s", said ? ": " : "",
                 said ? said : "");
    json_decref(result);
    free(session);
    free(target);
    return png;
}

unsigned char *mrn_browser_picture(const MrnBrowserPicture *picture, size_t *size, MrnError *error) {
    Browser browser = {.process = -1, .to = -1, .from = -1};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); // a browser that ends is an error, not the end of this program
    unsigned char *png = start(&browser, picture->time_limit, error) ? draw(&browser, picture, size, error) : NULL;
    end(&browser);
    sigaction(SIGPIPE, &before, NULL);
    return png;
}
