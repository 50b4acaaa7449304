// A picture of a run drawn by the page of the viewer in a browser without a window.
//
// The browser is driven over two pipes by the Chrome DevTools Protocol (--remote-debugging-pipe): JSON messages that
// end in a zero byte. It is asked to open the page and to wait for the picture, so nothing depends on how fast it is.
#ifndef MRN_VIEW_BROWSER_H
#define MRN_VIEW_BROWSER_H

#include <moraine/error.h>
#include <stddef.h>

/// The browser that would be used: MORAINE_BROWSER, or the first of chromium, chromium-browser, google-chrome,
/// chromium-headless-shell that is on the PATH; NULL if there is none. free() it.
char *mrn_browser_find(void);

typedef struct MrnBrowserPicture {
    const char *url;   ///< of the page, with what it shows behind '#'
    int width, height; ///< pixels
    double scale;      ///< pixels per CSS pixel: 2 makes text and lines twice as large
    double time_limit; ///< s
} MrnBrowserPicture;

/// The PNG file that the page makes, free() it; its length in *size. NULL with an error.
unsigned char *mrn_browser_picture(const MrnBrowserPicture *picture, size_t *size, MrnError *error);

#endif
