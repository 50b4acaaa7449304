// The server: see server.h. One thread answers all requests, one after the other, since HDF5 wants one caller at a
// time.
#include "view/server.h"
#include "view/describe.h"
#include "base/memory.h"
#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#define TOKEN_BYTES 16
#define MOST_GRID   200 ///< columns and rows of arrows

struct MrnViewServer {
    struct MHD_Daemon *daemon;
    char *path;
    char token[2 * TOKEN_BYTES + 1];
    char url[128];
    int port;
    // The run; NULL while it is not there yet.
    MrnRunFile *file;
    MrnScene *scene;
    int dimension;
    double origin[3];
    size_t most_bodies; ///< of the frames that were read: the model may have grown
    int generation;     ///< how many files were opened under this name: another number means another run
    dev_t device;       ///< of the open file, or of the older one while waiting for a new one
    ino_t inode;
    bool has_identity;
};

// The run file

static void let_go(MrnViewServer *server) {
    if (server->scene) mrn_scene_free(server->scene);
    mrn_run_file_close(server->file);
    server->scene = NULL;
    server->file = NULL;
}

static bool take_up(MrnViewServer *server, const struct stat *identity, MrnError *error) {
    server->file = mrn_run_file_open(server->path, error);
    server->scene = server->file ? mrn_run_file_scene(server->file, error) : NULL;
    if (!server->scene) {
        let_go(server);
        return false;
    }
    server->device = identity->st_dev;
    server->inode = identity->st_ino;
    server->has_identity = true;
    server->generation++;
    server->most_bodies = 0;
    server->dimension = mrn_model_dimension(server->scene->model);
    mrn_view_origin(server->scene, server->origin);
    return true;
}

/// Have the newest commit of the run open. A new run may have taken the place of the one that was looked at.
static bool look(MrnViewServer *server, MrnError *error) {
    struct stat now;
    if (stat(server->path, &now) != 0) return mrn_fail(error, MRN_ERROR_FILE, "%s: %s", server->path, strerror(errno));
    bool same = server->has_identity && now.st_dev == server->device && now.st_ino == server->inode;
    if (same && !server->file && server->generation == 0)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: the run has not made its first step yet", server->path);
    if (same && server->file && mrn_run_file_refresh(server->file, error)) return true;
    let_go(server);
    return take_up(server, &now, error);
}

/// The model with the bodies that were born since it was read. The origin stays: the page has positions relative to it.
static bool read_model_again(MrnViewServer *server, MrnError *error) {
    MrnScene *scene = mrn_run_file_scene(server->file, error);
    if (!scene) return false;
    mrn_scene_free(server->scene);
    server->scene = scene;
    return true;
}

// Answers

typedef struct Reply {
    unsigned status;
    const char *type;
    unsigned char *body; ///< malloc'ed, handed to the response; NULL for assets
    const MrnViewAsset *asset;
    size_t size;
} Reply;

static Reply text_reply(unsigned status, const char *text) {
    return (Reply){.status = status,
                   .type = "text/plain; charset=utf-8",
                   .body = (unsigned char *)mrn_strdup(text),
                   .size = strlen(text)};
}

static Reply pack_reply(MrnPack *pack) {
    Reply reply = {.status = MHD_HTTP_OK, .type = "application/octet-stream"};
    reply.body = mrn_pack_finish(pack, &reply.size);
    return reply;
}

static Reply json_reply(json_t *object) {
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return (Reply){
        .status = MHD_HTTP_OK, .type = "application/json", .body = (unsigned char *)text, .size = strlen(text)};
}

/// A whole number of the query; `fallback` when it is not there, false when it is not a number.
static bool query_number(struct MHD_Connection *connection, const char *name, size_t fallback, size_t *out) {
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    *out = fallback;
    if (!text) return true;
    if (!*text || strlen(text) > 15 || strspn(text, "0123456789") != strlen(text)) return false;
    *out = (size_t)strtoull(text, NULL, 10);
    return true;
}

static Reply status_reply(MrnViewServer *server) {
    MrnError error = {0};
    bool there = look(server, &error);
    json_t *object = json_object();
    json_object_set_new(object, "generation", json_integer(server->generation));
    json_object_set_new(object, "frames", json_integer(there ? (json_int_t)mrn_run_file_frame_count(server->file) : 0));
    json_object_set_new(object, "steps", json_integer(there ? (json_int_t)mrn_run_file_step_count(server->file) : 0));
    json_object_set_new(object, "end_time", there ? json_real(mrn_run_file_end_time(server->file)) : json_null());
    json_object_set_new(object, "writing", json_boolean(there && mrn_run_file_being_written(server->file)));
    json_object_set_new(object, "message", there ? json_null() : json_string(error.message));
    return json_reply(object);
}

/// A finite real number of the query.
static bool query_real(struct MHD_Connection *connection, const char *name, double *out) {
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    char *end;
    if (!text || !*text || strlen(text) > 40 || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    *out = strtod(text, &end);
    return !*end && isfinite(*out);
}

static Reply flow_reply(MrnViewServer *server, struct MHD_Connection *connection) {
    MrnError error = {0};
    if (!look(server, &error)) return text_reply(MHD_HTTP_SERVICE_UNAVAILABLE, error.message);
    MrnViewGrid grid;
    double time;
    if (!query_real(connection, "time", &time) || !query_real(connection, "x0", &grid.low[0]) ||
        !query_real(connection, "y0", &grid.low[1]) || !query_real(connection, "x1", &grid.high[0]) ||
        !query_real(connection, "y1", &grid.high[1]) || !query_number(connection, "columns", 12, &grid.columns) ||
        !query_number(connection, "rows", 12, &grid.rows) || grid.columns < 1 || grid.columns > MOST_GRID ||
        grid.rows < 1 || grid.rows > MOST_GRID)
        return text_reply(MHD_HTTP_BAD_REQUEST, "wanted: time, x0, y0, x1, y1, and columns and rows from 1 to 200");
    MrnPack pack;
    if (!mrn_view_flow(server->scene, time, &grid, server->origin, &pack))
        return text_reply(MHD_HTTP_NOT_FOUND, "this run has neither wind nor current");
    return pack_reply(&pack);
}

static Reply data_reply(MrnViewServer *server, struct MHD_Connection *connection, const char *name) {
    static const char no_number[] = "the query must hold whole numbers";
    MrnError error = {0};
    MrnPack pack;
    size_t first, most, index, contacts;
    if (!look(server, &error)) return text_reply(MHD_HTTP_SERVICE_UNAVAILABLE, error.message);
    const char *slash = strrchr(server->path, '/');
    bool fine = false;
    if (strcmp(name, "model") == 0) {
        if (server->most_bodies > mrn_model_body_count(server->scene->model) && !read_model_again(server, &error))
            return text_reply(MHD_HTTP_INTERNAL_SERVER_ERROR, error.message);
        pack = mrn_view_model(server->scene, slash ? slash + 1 : server->path, server->origin);
        json_object_set_new(pack.head, "generation", json_integer(server->generation));
        fine = true;
    } else if (strcmp(name, "times") == 0) {
        if (!query_number(connection, "first", 0, &first)) return text_reply(MHD_HTTP_BAD_REQUEST, no_number);
        fine = mrn_view_times(server->file, first, &pack, &error);
    } else if (strcmp(name, "steps") == 0) {
        if (!query_number(connection, "first", 0, &first) || !query_number(connection, "most", 4000, &most))
            return text_reply(MHD_HTTP_BAD_REQUEST, no_number);
        fine = mrn_view_steps(server->file, first, most, &pack, &error);
    } else {
        if (!query_number(connection, "index", 0, &index) || !query_number(connection, "contacts", 1, &contacts))
            return text_reply(MHD_HTTP_BAD_REQUEST, no_number);
        if (index >= mrn_run_file_frame_count(server->file)) return text_reply(MHD_HTTP_NOT_FOUND, "no such frame");
        size_t bodies = 0;
        fine = mrn_view_frame(server->file, index, server->dimension, contacts != 0, server->origin, &pack, &bodies,
                              &error);
        if (bodies > server->most_bodies) server->most_bodies = bodies;
    }
    return fine ? pack_reply(&pack) : text_reply(MHD_HTTP_INTERNAL_SERVER_ERROR, error.message);
}

/// The token must be right, in a time that does not tell how much of it was.
static bool token_fits(const MrnViewServer *server, const char *given) {
    size_t length = sizeof server->token - 1;
    unsigned difference = 0;
    for (size_t i = 0; i < length; i++) {
        if (!given[i]) return false;
        difference |= (unsigned)(given[i] ^ server->token[i]);
    }
    return difference == 0 && given[length] == '/';
}

/// A page of another site that a wrong name server sends here would name itself as the host.
static bool host_is_local(struct MHD_Connection *connection) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    static const char *const local[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < sizeof local / sizeof *local; i++) {
        size_t length = strlen(local[i]);
        if (strncmp(host, local[i], length) == 0 && (!host[length] || host[length] == ':')) return true;
    }
    return false;
}

static Reply answer(MrnViewServer *server, struct MHD_Connection *connection, const char *url, const char *method) {
    static const char *const data[] = {"model", "times", "steps", "frame"};
    if (!host_is_local(connection) || url[0] != '/' || !token_fits(server, url + 1))
        return text_reply(MHD_HTTP_FORBIDDEN,
                          "Open the address that moraine view has printed: it holds the key of this run.\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return text_reply(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
    const char *name = url + sizeof server->token + 1;
    const char *wanted = *name ? name : "index.html";
    for (const MrnViewAsset *asset = mrn_view_assets; asset->name; asset++)
        if (strcmp(wanted, asset->name) == 0)
            return (Reply){.status = MHD_HTTP_OK, .type = asset->type, .asset = asset, .size = asset->size};
    if (strcmp(name, "status") == 0) return status_reply(server);
    if (strcmp(name, "flow") == 0) return flow_reply(server, connection);
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (strcmp(name, data[i]) == 0) return data_reply(server, connection, name);
    return text_reply(MHD_HTTP_NOT_FOUND, "no such page\n");
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
    static const char *const headers[][2] = {
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                                    "img-src 'self' data: blob:; media-src blob:; base-uri 'none'; form-action 'none'; "
                                    "frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
    };
    (void)version;
    (void)upload;
    static int started;
    if (!*state) { // the head of the request only: the body, if any, comes later
        *state = &started;
        return MHD_YES;
    }
    if (*upload_size) {
        *upload_size = 0; // nobody asked for it
        return MHD_YES;
    }
    Reply reply = answer(context, connection, url, method);
    struct MHD_Response *response =
        reply.asset
            ? MHD_create_response_from_buffer(reply.size, (void *)(uintptr_t)reply.asset->data, MHD_RESPMEM_PERSISTENT)
            : MHD_create_response_from_buffer(reply.size, reply.body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(reply.body);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type);
    if (reply.asset) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (reply.status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result result = MHD_queue_response(connection, reply.status, response);
    MHD_destroy_response(response);
    return result;
}

// Life

static bool make_token(char *text, MrnError *error) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return mrn_fail(error, MRN_ERROR_FILE, "no random numbers for the key of the viewer: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
    return true;
}

static bool listen_on(MrnViewServer *server, int port, MrnError *error) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    errno = 0;
    server->daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, (uint16_t)port, NULL, NULL, handle, server,
                         MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, 64u,
                         MHD_OPTION_CONNECTION_TIMEOUT, 120u, MHD_OPTION_LISTENING_ADDRESS_REUSE, 0u, MHD_OPTION_END);
    if (!server->daemon)
        return mrn_fail(error, MRN_ERROR_FILE, "cannot listen on port %d of 127.0.0.1%s%s", port, errno ? ": " : "",
                        errno ? strerror(errno) : "");
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info && info->port ? info->port : port;
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/%s/", server->port, server->token);
    return true;
}

MrnViewServer *mrn_view_start(const MrnViewOptions *options, MrnError *error) {
    MrnViewServer *server = mrn_alloc_zero(1, sizeof *server);
    server->path = mrn_strdup(options->path);
    struct stat now;
    bool there = stat(server->path, &now) == 0;
    if (options->wait && there) {
        server->has_identity = true;
        server->device = now.st_dev;
        server->inode = now.st_ino;
    }
    if ((options->wait || look(server, error)) && make_token(server->token, error) &&
        listen_on(server, options->port, error))
        return server;
    mrn_view_stop(server);
    return NULL;
}

void mrn_view_stop(MrnViewServer *server) {
    if (!server) return;
    if (server->daemon) MHD_stop_daemon(server->daemon);
    let_go(server);
    free(server->path);
    free(server);
}

const char *mrn_view_url(const MrnViewServer *server) {
    return server->url;
}

int mrn_view_port(const MrnViewServer *server) {
    return server->port;
}
