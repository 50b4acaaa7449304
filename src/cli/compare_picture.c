// The picture of a comparison: the final states side by side in one scale, the energies over time below.
#include "cli/compare.h"

#include "draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 4, TILE = 560, STRIP = 36, CURVES = 460 };

/// The box that holds the final states of all methods.
static void common_box(const MrnScene *scene, const MrnComparison *methods, size_t count, MrnDrawOptions *options) {
    bool first = true;
    for (size_t m = 0; m < count; m++) {
        if (!methods[m].done) continue;
        double low[3], high[3];
        mrn_draw_bounds(scene->model, &methods[m].frame, low, high);
        for (int k = 0; k < 3; k++) {
            options->low[k] = first ? low[k] : fmin(low[k], options->low[k]);
            options->high[k] = first ? high[k] : fmax(high[k], options->high[k]);
        }
        first = false;
    }
}

static bool draw_states(const MrnScene *scene, const MrnComparison *methods, size_t count, MrnPageImage *images,
                        size_t *made, int *height, MrnError *error) {
    MrnDrawOptions options = mrn_draw_defaults(mrn_model_dimension(scene->model));
    options.width = TILE;
    options.time_step = scene->scheme.time_step;
    common_box(scene, methods, count, &options);
    int tile_height = 0;
    for (size_t m = 0; m < count; m++) {
        if (!methods[m].done) continue;
        MrnPageImage *tile = &images[*made];
        tile->text = methods[m].name;
        if (!mrn_draw_frame_image(scene->model, &methods[m].frame, &options, &tile->image, error)) return false;
        tile_height = tile->image.height;
        options.height = tile_height;
        (*made)++;
    }
    size_t columns = *made < MOST_COLUMNS ? *made : MOST_COLUMNS, rows = (*made + columns - 1) / columns;
    for (size_t i = 0; i < *made; i++) {
        images[i].x = (int)(i % columns) * TILE;
        images[i].y = (int)(i / columns) * (tile_height + STRIP);
    }
    *height = (int)rows * (tile_height + STRIP);
    return true;
}

static bool draw_curves(const MrnComparison *methods, size_t count, int width, MrnImage *image, MrnError *error) {
    MrnSeries *kinetic = mrn_alloc_zero(count, sizeof *kinetic), *total = mrn_alloc_zero(count, sizeof *total);
    size_t curves = 0;
    for (size_t m = 0; m < count; m++) {
        const MrnComparison *method = &methods[m];
        if (!method->done) continue;
        MrnSeriesStyle style = curves % 3 == 0   ? MRN_SERIES_LINE
                               : curves % 3 == 1 ? MRN_SERIES_DASHED
                                                 : MRN_SERIES_DOTTED;
        kinetic[curves] = (MrnSeries){.label = method->name,
                                      .count = method->time.count,
                                      .x = method->time.data,
                                      .y = method->kinetic_curve.data,
                                      .style = style,
                                      .color = (int)m + 1};
        total[curves] = kinetic[curves];
        total[curves++].y = method->total_curve.data;
    }
    MrnPanel panels[2] = {
        {.left = {.label = "total energy", .unit = "J"}, .series_count = curves, .series = total},
        {.left = {.label = "kinetic energy", .unit = "J", .zero = true}, .series_count = curves, .series = kinetic}};
    MrnPlot plot = {.abscissa = {.label = "time", .unit = "s"},
                    .panel_count = 2,
                    .panels = panels,
                    .width = width,
                    .height = CURVES};
    bool good = mrn_draw_plot_image(&plot, image, error);
    free(kinetic);
    free(total);
    return good;
}

bool mrn_compare_picture(const MrnScene *scene, const MrnComparison *methods, size_t count, MrnError *error,
                         const char *path) {
    MrnPageImage *images = mrn_alloc_zero(count + 1, sizeof *images);
    size_t made = 0;
    int height = 0;
    bool good = draw_states(scene, methods, count, images, &made, &height, error);
    if (good) {
        for (size_t i = 0; i < made; i++) images[i].y += STRIP;
        int columns = (int)(made < MOST_COLUMNS ? made : MOST_COLUMNS), width = columns > 1 ? columns * TILE : 2 * TILE;
        good = draw_curves(methods, count, width, &images[made].image, error);
        images[made].y = height;
        MrnPageImage *page = mrn_alloc_zero(2 * made + 1, sizeof *page);
        size_t parts = 0;
        for (size_t i = 0; i <= made; i++) { // pictures first, then the names over them
            page[parts] = images[i];
            page[parts++].text = NULL;
        }
        for (size_t i = 0; i < made; i++)
            page[parts++] = (MrnPageImage){.x = images[i].x, .y = images[i].y - STRIP, .text = images[i].text};
        MrnPageOptions options = {.width = width, .height = height + CURVES};
        good = good && mrn_draw_page(page, parts, &options, path, error);
        free(page);
    }
    for (size_t i = 0; i <= made && i <= count; i++) mrn_image_free(&images[i].image);
    free(images);
    return good;
}
