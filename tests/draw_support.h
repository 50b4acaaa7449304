// What the tests of pictures and plots share: a folder for files, and a look at pixels.
#ifndef TEST_DRAW_SUPPORT_H
#define TEST_DRAW_SUPPORT_H

#include "draw/draw.h"
#include "draw/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/moraine-draw-XXXXXX";

static inline const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

static inline size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

static inline const uint8_t *pixel(const MrnImage *image, int x, int y) {
    return image->pixels + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static inline double difference(const uint8_t *bgra, MrnColor color) {
    double d = fabs(bgra[2] - 255 * color.r);
    d = fmax(d, fabs(bgra[1] - 255 * color.g));
    return fmax(d, fabs(bgra[0] - 255 * color.b));
}

/// Builds without cairo draw nothing; their tests check the message instead.
static bool have_cairo;

static int make_folder(void **state) {
    (void)state;
    MrnPanel panel = {0};
    MrnPlot plot = {.panels = &panel, .panel_count = 1};
    MrnError error = {0};
    MrnImage image;
    have_cairo = mrn_draw_plot_image(&plot, &image, &error) || error.code != MRN_ERROR_UNSUPPORTED;
    mrn_image_free(&image);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
