// A small HTTP server on the loopback interface that shows one run file to the page of the viewer.
//
// What always holds: it answers only requests that carry the token of this server, for names of a fixed table; no part
// of a request ever becomes the name of a file.
#ifndef MRN_VIEW_SERVER_H
#define MRN_VIEW_SERVER_H

#include <moraine/run.h>

typedef struct MrnViewServer MrnViewServer;

typedef struct MrnViewOptions {
    const char *path; ///< run file
    int port;         ///< 0: any that is free
    bool wait;        ///< the run is about to start: a file that is there now is an older one, wait for the new one
} MrnViewOptions;

/// Start to serve, in a thread of its own. NULL with an error if the file cannot be read or the port is taken.
MrnViewServer *mrn_view_start(const MrnViewOptions *options, MrnError *error);
void mrn_view_stop(MrnViewServer *server);
const char *mrn_view_url(const MrnViewServer *server); ///< with the token
int mrn_view_port(const MrnViewServer *server);

/// A file of the page, made by viewer/build.mjs; compressed by gzip. The table ends with name NULL.
typedef struct MrnViewAsset {
    const char *name, *type;
    const unsigned char *data;
    size_t size;
} MrnViewAsset;
extern const MrnViewAsset mrn_view_assets[];

#endif
