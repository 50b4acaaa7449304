// The viewer of a run in the browser, for `view` and `run --view`.
#ifndef MRN_CLI_VIEWER_H
#define MRN_CLI_VIEWER_H

#include "cli/cli.h"
#include <sys/types.h>

/// Serve `path` until SIGINT, SIGTERM or SIGHUP. Returns the exit code.
int mrn_viewer_serve(const MrnArguments *arguments, const char *path);

/// What a picture drawn by the viewer shows.
typedef struct MrnViewerPicture {
    size_t frame;
    int width, height; ///< pixels; height 0: two thirds of the width
    int colors;        ///< 2..256: a palette; 0: all
    bool dark, chains, contacts, cut;
    const char *color_by; ///< as `moraine plot` names it, or NULL
    const char *title;    ///< or NULL
} MrnViewerPicture;
/// Is there a browser to draw with?
bool mrn_viewer_can_draw(void);
/// Draw a frame of a run with the viewer in a browser without a window, into a PNG file.
bool mrn_viewer_draw(const char *run, const MrnViewerPicture *picture, const char *path, MrnError *error);

/// Serve a run that is about to be written to `path`, from a process of its own with low priority, so that nothing a
/// page does can hold the run up. Returns the process, or -1 after saying what is wrong.
pid_t mrn_viewer_start(const MrnArguments *arguments, const char *path);
/// After the run: let people look at it until a signal comes, unless `at_once`; then end the process.
void mrn_viewer_end(pid_t viewer, bool at_once);

#endif
