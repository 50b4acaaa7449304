// Pictures of a state and plots of step tables: PNG, SVG or PDF by the extension of the path.
//
// What always holds: the same input gives the same picture; a picture never changes what it shows; values that are not
// finite are left out and the picture says how many. Without cairo every function that draws returns
// MRN_ERROR_UNSUPPORTED.
#ifndef MRN_DRAW_DRAW_H
#define MRN_DRAW_DRAW_H

#include "measure/measure.h"
#include <moraine/run.h>

typedef enum MrnTheme { MRN_THEME_LIGHT, MRN_THEME_DARK } MrnTheme;

/// What the colour of a body says: name for the command line, one line for help.
#define MRN_COLOR_BY_LIST(X)                                                                                           \
    X(MRN_COLOR_BY_MATERIAL, "material", "material, with small differences between neighbours")                        \
    X(MRN_COLOR_BY_VELOCITY, "velocity", "speed of the mass centre")                                                   \
    X(MRN_COLOR_BY_SPIN, "spin", "angular velocity (3D: its length)")                                                  \
    X(MRN_COLOR_BY_BIRTH, "birth", "time at which the body appeared, or its number when all appeared at once")         \
    X(MRN_COLOR_BY_LOAD, "load", "sum of the normal impulses on the body")                                             \
    X(MRN_COLOR_BY_PLAIN, "plain", "one colour")

typedef enum MrnColorBy {
#define X(code, name, text) code,
    MRN_COLOR_BY_LIST(X)
#undef X
        MRN_COLOR_BY_COUNT
} MrnColorBy;

/// How contact impulses are shown.
#define MRN_FORCE_STYLE_LIST(X)                                                                                        \
    X(MRN_FORCES_NONE, "none", "not drawn")                                                                            \
    X(MRN_FORCES_CHAINS, "chains", "lines from centre to centre through the point of contact")                         \
    X(MRN_FORCES_THRUST, "thrust",                                                                                     \
      "lines from joint to joint inside each body: the thrust line of masonry (3D: as chains)")

typedef enum MrnForceStyle {
#define X(code, name, text) code,
    MRN_FORCE_STYLE_LIST(X)
#undef X
        MRN_FORCE_STYLE_COUNT
} MrnForceStyle;

/// Codes by name, or -1.
int mrn_draw_color_by(const char *name);
int mrn_draw_force_style(const char *name);

/// How a state is drawn. Start from mrn_draw_defaults().
typedef struct MrnDrawOptions {
    int width;              ///< pixels (SVG, PDF: points), 64..16384, default 1200
    int height;             ///< the same; 0 (default): from the shape of the scene
    MrnTheme theme;         ///< default light
    MrnColorBy color_by;    ///< default material
    double color_max;       ///< value at the end of the colour scale; 0 (default): largest of the frame
    MrnForceStyle forces;   ///< default chains in 2D frames, and none in 3D (see mrn_draw_defaults)
    double force_scale;     ///< factor on the width of force lines, > 0, default 1
    double impulse_mean;    ///< N s; width and strong network are relative to it; 0 (default): mean of the frame
    bool contacts;          ///< points of contact coloured open, stick, slip; default false
    bool marks;             ///< show rotation: a radius on discs, a band on spheres; default true
    bool cut;               ///< 3D: leave out what lies before the plane y = middle of the free bodies, seen along y
    bool labels;            ///< time, scale bar, legends; default true
    double time_step;       ///< s; > 0: legends give forces in N instead of impulses; default 0
    int colors;             ///< PNG: 2..256 writes a small file with a palette; 0 (default): all colours
    const char *title;      ///< one line above the picture, or NULL (default)
    double low[3], high[3]; ///< m; box to show; low[0] >= high[0] (default): around the bodies of the frame
    double azimuth;         ///< rad, 3D: camera turns about the vertical; NAN (default): chosen from the scene
    double elevation;       ///< rad above the horizon, 3D; NAN (default): chosen from the scene
    double field_of_view;   ///< rad, 3D, vertical opening of the camera; 0: parallel projection; default 0.5
    int supersample; ///< 3D: samples per pixel side, 1..4; 0 (default): 3, or 2 for pictures of more than 0.9 million
                     ///< pixels
} MrnDrawOptions;

MrnDrawOptions mrn_draw_defaults(int dimension);

/// Pixels of a picture, rows from the top, 4 bytes each: blue, green, red, 255 (ffmpeg's bgra, cairo's RGB24).
typedef struct MrnImage {
    int width, height;
    uint8_t *pixels; ///< 4 * width * height bytes; free with mrn_image_free
} MrnImage;
void mrn_image_free(MrnImage *image);
/// The bytes of a PNG file in memory, free() them; `colors` as in MrnDrawOptions. Returns their number, 0 if that
/// failed or there is no cairo.
size_t mrn_png_encode(const MrnImage *image, int colors, unsigned char **data);

/// The pixels of a PNG file in memory. False if it is none or there is no cairo.
bool mrn_png_decode(const unsigned char *data, size_t size, MrnImage *image);

/// Draw one frame into a file: .png, .svg or .pdf. `options` may be NULL.
bool mrn_draw_frame(const MrnModel *model, const MrnFrame *frame, const MrnDrawOptions *options, const char *path,
                    MrnError *error);
/// The same into memory, for films.
bool mrn_draw_frame_image(const MrnModel *model, const MrnFrame *frame, const MrnDrawOptions *options, MrnImage *image,
                          MrnError *error);
/// The box that the automatic view of a frame shows, for films: take the union over frames and give it as low, high.
/// Unbounded obstacles do not count, nor do long obstacles and bodies far from all others.
void mrn_draw_bounds(const MrnModel *model, const MrnFrame *frame, double low[3], double high[3]);

typedef enum MrnSeriesStyle { MRN_SERIES_LINE, MRN_SERIES_DASHED, MRN_SERIES_DOTTED, MRN_SERIES_POINTS } MrnSeriesStyle;

/// One curve. Arrays belong to the caller.
typedef struct MrnSeries {
    const char *label; ///< in the legend, or NULL
    size_t count;
    const double *x, *y; ///< points that are not finite break the line
    bool right;          ///< on the right axis
    MrnSeriesStyle style;
    int color; ///< 1, 2...: entry of the palette; 0: the next one; -1: the colour of warnings
} MrnSeries;

typedef struct MrnAxis {
    const char *label; ///< without unit, or NULL
    const char *unit;  ///< SI unit: "s", "J", "m/s"...; NULL or "1": none
    bool logarithmic;
    double low, high; ///< fixed range; low >= high: from the data
    bool zero;        ///< the automatic range of a linear axis holds 0
} MrnAxis;

/// Curves over a common abscissa, one box of a plot.
typedef struct MrnPanel {
    MrnAxis left, right;
    size_t series_count;
    const MrnSeries *series;
} MrnPanel;

/// A plot: one panel, or several above each other with the same abscissa.
typedef struct MrnPlot {
    const char *title; ///< or NULL
    MrnAxis abscissa;
    size_t panel_count;
    const MrnPanel *panels;
    int width, height; ///< pixels or points; 0: 1000 by 600 for one panel, higher for more
    int colors;        ///< PNG: as in MrnDrawOptions
    MrnTheme theme;
} MrnPlot;

bool mrn_draw_plot(const MrnPlot *plot, const char *path, MrnError *error);
bool mrn_draw_plot_image(const MrnPlot *plot, MrnImage *image, MrnError *error);

/// The step table of one run.
typedef struct MrnRunSteps {
    const char *label; ///< name of the run in the legend
    size_t count;
    const MrnStepInfo *steps;
} MrnRunSteps;

/// A quantity that mrn_draw_run_plot knows.
typedef struct MrnPlotQuantity {
    const char *name;
    const char *unit;
    const char *text; ///< one line
} MrnPlotQuantity;

size_t mrn_draw_quantity_count(void);
const MrnPlotQuantity *mrn_draw_quantity_at(size_t index);

typedef struct MrnRunPlotOptions {
    const char *title; ///< or NULL
    MrnTheme theme;
    int width, height; ///< 0: automatic
    int colors;        ///< PNG: as in MrnDrawOptions
    double tolerance;  ///< > 0: a line in residual plots; default 0
} MrnRunPlotOptions;

/// Plot a quantity of one or several runs over time. `options` may be NULL.
bool mrn_draw_run_plot(const MrnRunSteps *runs, size_t run_count, const char *quantity,
                       const MrnRunPlotOptions *options, const char *path, MrnError *error);
/// The numbers behind that plot: time, then one column per curve. False if there is no such quantity.
bool mrn_draw_run_sheet(const MrnRunSteps *run, const char *quantity, MrnSheet *out, MrnError *error);

/// The sheet of one run.
typedef struct MrnRunSheet {
    const char *label; ///< name of the run in the legend
    const MrnSheet *sheet;
} MrnRunSheet;

/// Draw sheets of the same measure, one per run, into one plot. A map shows one run. `options` may be NULL.
bool mrn_draw_sheets(const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing drawing,
                     const MrnRunPlotOptions *options, const char *path, MrnError *error);
bool mrn_draw_sheets_image(const MrnRunSheet *runs, size_t run_count, MrnMeasureDrawing drawing,
                           const MrnRunPlotOptions *options, MrnImage *image, MrnError *error);

/// A coloured map of values on a grid of cells.
typedef struct MrnMapPlot {
    const char *title; ///< or NULL
    MrnAxis across, upright, value;
    size_t columns, rows;
    const double *x, *y;  ///< middles of the columns and rows, ascending and evenly spaced
    const double *values; ///< row by row from below; not finite: left blank
    int width, height, colors;
    MrnTheme theme;
} MrnMapPlot;

bool mrn_draw_map(const MrnMapPlot *map, const char *path, MrnError *error);
bool mrn_draw_map_image(const MrnMapPlot *map, MrnImage *image, MrnError *error);

/// A picture on a page of several.
typedef struct MrnPageImage {
    int x, y;         ///< of its upper left corner, pixels
    MrnImage image;   ///< pixels NULL: only the text
    const char *text; ///< one line over its upper edge, or NULL
} MrnPageImage;

typedef struct MrnPageOptions {
    int width, height; ///< pixels
    MrnTheme theme;
    int colors; ///< PNG: as in MrnDrawOptions
} MrnPageOptions;

bool mrn_draw_page(const MrnPageImage *images, size_t count, const MrnPageOptions *options, const char *path,
                   MrnError *error);

#endif
