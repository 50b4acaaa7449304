// Measures of a conical pile, for moraine plot: what Moreau (2003, section 9) shows of his, from any run in 3D.
//
// A pile is looked at in the last frame of the window of time, except where time is the abscissa. The axis and the
// ground are those of the source, or of the mass centre and the lowest body.
#include "measure/measure.h"
#include "measure/pile.h"

#include <math.h>
#include <stdlib.h>

#define PI             3.14159265358979323846
#define DEGREES        (180 / PI)
#define RIBBON_LENGTH  2.7 ///< mean diameters: 1 cm for Moreau's grains
#define LAYER_REACH    2.0 ///< mean diameters around a point whose mean birth gives the layer
#define SURFACE_FROM   0.2 ///< of the base radius: the straight part of the flank
#define SURFACE_TO     0.8
#define RING_DIAMETERS 2.0 ///< mean diameters: width of a ring unless bins are given: 0.75 cm for Moreau's grains

/// What all cuts are placed by.
typedef struct Figure {
    MrnPile pile;
    MrnPileTotals totals;
    MrnPileSlope slope;
    double diameter; ///< m, mean
    double width;    ///< m, of rings
    size_t rings;    ///< out to 1.2 base radii
    MrnPileSurface *surface;
} Figure;

static bool make_figure(const MrnMeasureInput *input, const MrnFrame *frame, Figure *figure) {
    *figure = (Figure){.pile = mrn_pile_view(input->model, frame, input->time_step)};
    figure->totals = mrn_pile_totals(&figure->pile);
    if (!figure->totals.grains || !(figure->totals.base_radius > 0)) return false;
    double sum = 0;
    for (size_t b = 0; b < frame->body_count; b++)
        if (mrn_pile_has(&figure->pile, b)) sum += 2 * input->model->bodies.data[b].reach;
    figure->diameter = sum / (double)figure->totals.grains;
    double extent = 1.2 * figure->totals.base_radius;
    figure->width = input->options.bins ? extent / (double)input->options.bins : RING_DIAMETERS * figure->diameter;
    figure->rings = (size_t)ceil(extent / figure->width - 1e-9);
    figure->surface = mrn_alloc(figure->rings + 1, sizeof *figure->surface);
    mrn_pile_surface(&figure->pile, figure->width, figure->rings, figure->surface);
    figure->slope = mrn_pile_slope(figure->surface, figure->rings, SURFACE_FROM * figure->totals.base_radius,
                                   SURFACE_TO * figure->totals.base_radius);
    return true;
}

static void free_figure(Figure *figure) {
    free(figure->surface);
}

/// Height of the fitted surface above the ground.
static double surface_at(const Figure *figure, double r) {
    return figure->slope.height - r * tan(figure->slope.angle);
}

/// Fill the sheet from the last frame of the window.
typedef void FromFigure(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out);

static bool from_last_frame(const MrnMeasureInput *input, FromFigure *fill, MrnSheet *out, MrnError *error) {
    // The window is walked to its end: only then is the last frame known.
    MrnFrameWalk walk = mrn_frame_walk(input);
    size_t last = 0;
    double time = 0;
    while (mrn_frame_next(&walk, error)) last = walk.index - 1, time = walk.frame.time;
    bool seen = walk.seen > 0;
    if (!mrn_frame_walk_end(&walk)) return false;
    if (!seen) return true;
    MrnFrame frame;
    if (!input->frames.read(input->frames.context, last, &frame, error)) return false;
    Figure figure;
    if (make_figure(input, &frame, &figure)) {
        fill(input, &figure, out);
        mrn_sheet_note(out, "frame at %.6g s: %zu grains, base radius %.4g m, fitted height %.4g m, slope %.2f degrees",
                       time, figure.totals.grains, figure.totals.base_radius, figure.slope.height,
                       figure.slope.angle * DEGREES);
        free_figure(&figure);
    }
    if (input->frames.release) input->frames.release(&frame);
    return true;
}

// ---- Over time ----

static bool pile(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Pile");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "grains", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "slope", "deg", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "base radius", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "top", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "ground force over weight", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "contacts per grain", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "largest speed", "m/s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "deepest overlap", "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "ground contacts", "1", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        Figure figure;
        if (!make_figure(input, &walk.frame, &figure)) continue;
        const MrnPileTotals *t = &figure.totals;
        mrn_sheet_row(out, (double[]){walk.frame.time, (double)t->grains, figure.slope.angle * DEGREES, t->base_radius,
                                      t->top, t->weight > 0 ? t->ground_force / t->weight : NAN, t->coordination,
                                      t->max_speed, t->overlap, (double)t->ground_contacts});
        free_figure(&figure);
    }
    mrn_sheet_note(out, "base radius: of the cone with the same mean distance of its mass from the axis");
    mrn_sheet_note(out, "slope: straight fit of the mean surface between %g and %g base radii", SURFACE_FROM,
                   SURFACE_TO);
    return mrn_frame_walk_end(&walk);
}

static bool pile_speeds(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Grains by speed");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    static const char *const names[] = {"above 0.18 of the fastest", "above 0.18^2", "above 0.18^3", "above 0.18^4",
                                        "slower"};
    for (int k = 0; k < 5; k++) mrn_sheet_column(out, names[k], "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "largest speed", "m/s", MRN_COLUMN_LINE);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        MrnPile view = mrn_pile_view(input->model, &walk.frame, input->time_step);
        size_t counts[5];
        double thresholds[4];
        mrn_pile_speed_classes(&view, counts, thresholds);
        mrn_sheet_row(out, (double[]){walk.frame.time, (double)counts[0], (double)counts[1], (double)counts[2],
                                      (double)counts[3], (double)counts[4], mrn_pile_totals(&view).max_speed});
    }
    return mrn_frame_walk_end(&walk);
}

// ---- Ground and surface ----

static void fill_pressure(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    (void)input;
    mrn_sheet_title(out, "Pressure on the ground");
    mrn_sheet_column(out, "r", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "pressure", "Pa", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "weight above over area", "Pa", MRN_COLUMN_DASHED);
    mrn_sheet_column(out, "contacts", "1", MRN_COLUMN_HIDDEN);
    MrnPileRing *rings = mrn_alloc(figure->rings + 1, sizeof *rings);
    mrn_pile_rings(&figure->pile, figure->width, figure->rings, rings);
    for (size_t k = 0; k < figure->rings; k++) {
        double area = PI * (rings[k].outer * rings[k].outer - rings[k].inner * rings[k].inner);
        mrn_sheet_row(out, (double[]){0.5 * (rings[k].inner + rings[k].outer), rings[k].pressure,
                                      rings[k].weight / area, (double)rings[k].contacts});
    }
    free(rings);
    mrn_sheet_note(out, "rings %.4g m wide; force on the ground over the weight of the pile: %.6f", figure->width,
                   figure->totals.ground_force / figure->totals.weight);
}

static bool pile_pressure(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_pressure, out, error);
}

static void fill_surface(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    (void)input;
    mrn_sheet_title(out, "Free surface");
    mrn_sheet_column(out, "r", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "height", "m", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "fitted cone", "m", MRN_COLUMN_DASHED);
    for (size_t k = 0; k < figure->rings; k++) {
        double r = 0.5 * (figure->surface[k].inner + figure->surface[k].outer);
        mrn_sheet_row(out, (double[]){r, figure->surface[k].height, fmax(0, surface_at(figure, r))});
    }
    mrn_sheet_note(out, "mean over the azimuth of the highest point in sectors about two grains wide");
}

static bool pile_surface(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_surface, out, error);
}

static void fill_balance(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    (void)input;
    mrn_sheet_title(out, "Weight within a distance of the axis, and who carries it");
    mrn_sheet_column(out, "r", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "weight", "N", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "from the ground", "N", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "from the grains outside", "N", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "ground over weight", "1", MRN_COLUMN_LINE);
    for (size_t k = 0; k < figure->rings; k++) {
        MrnPileBalance balance = mrn_pile_balance(&figure->pile, figure->surface[k].outer);
        mrn_sheet_row(out, (double[]){figure->surface[k].outer, balance.weight, balance.ground, balance.sides,
                                      balance.weight > 0 ? balance.ground / balance.weight : NAN});
    }
    mrn_sheet_note(out, "below 1 the talus carries a part of the middle: arching");
}

static bool pile_arching(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_balance, out, error);
}

// ---- Cuts ----

/// Places of cuts: three depths under the fitted surface at radii between 0.2 and 0.8 base radii, where a ribbon fits.
typedef void AtPlace(const Figure *figure, double r, double z, double half, MrnSheet *out);

static void for_each_place(const Figure *figure, AtPlace *at, MrnSheet *out) {
    double half = 0.5 * RIBBON_LENGTH * figure->diameter;
    if (figure->slope.rings < 2) return;
    for (double r = SURFACE_FROM * figure->totals.base_radius; r <= SURFACE_TO * figure->totals.base_radius;
         r += 2 * half) {
        double height = surface_at(figure, r);
        // One depth where the pile is thin, up to three where it is thick.
        int depths = (int)fmin(3, floor(height / (2 * half)));
        for (int d = 0; d < depths; d++)
            at(figure, r, figure->pile.ground + height * ((double)d + 0.5) / depths, half, out);
    }
}

static double below_horizontal(const double traction[2]) {
    // A force is a line here: outwards counts.
    double sign = traction[0] < 0 ? -1 : 1;
    return atan2(-sign * traction[1], sign * traction[0]) * DEGREES;
}

static void reciprocal_cut(const Figure *figure, double r, double z, double half, MrnSheet *out) {
    MrnReciprocity check = mrn_reciprocity(&figure->pile, (MrnRibbon){r, z - half, r, z + half});
    mrn_sheet_row(out, (double[]){r, z - figure->pile.ground, check.angle * DEGREES,
                                  below_horizontal(check.forces[0].traction), check.forces[0].traction[0],
                                  check.forces[0].traction[1], check.forces[1].traction[0], check.forces[1].traction[1],
                                  (double)check.forces[0].contacts, (double)check.forces[1].contacts});
}

static void fill_cuts(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    (void)input;
    mrn_sheet_title(out, "Reciprocal cuts");
    mrn_sheet_column(out, "r", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "z", "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "angle between the second force and the first cut", "deg", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "first force below the horizontal", "deg", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "first traction r", "Pa", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "first traction z", "Pa", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "second traction r", "Pa", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "second traction z", "Pa", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "contacts of the first", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "contacts of the second", "1", MRN_COLUMN_HIDDEN);
    for_each_place(figure, reciprocal_cut, out);
    mrn_sheet_note(out,
                   "first cut: a cylinder %.3g mean diameters high; second cut: along the force on the first; with "
                   "a symmetric stress the angle is 0",
                   RIBBON_LENGTH);
}

static bool pile_cuts(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_cuts, out, error);
}

static void layer_and_force(const Figure *figure, double r, double z, double half, MrnSheet *out) {
    size_t grains;
    MrnRibbonForce cylinder = mrn_ribbon_force(&figure->pile, (MrnRibbon){r, z - half, r, z + half});
    double layer = mrn_layer_angle(&figure->pile, r, z, LAYER_REACH * figure->diameter, &grains) * DEGREES;
    double c = cos(figure->slope.angle), s = sin(figure->slope.angle);
    MrnRibbonForce cone =
        mrn_ribbon_force(&figure->pile, (MrnRibbon){r - half * c, z + half * s, r + half * c, z - half * s});
    double force = cylinder.contacts ? below_horizontal(cylinder.traction) : NAN;
    double lean = cone.contacts ? atan2(fabs(cone.traction[0]), fabs(cone.traction[1])) * DEGREES : NAN;
    mrn_sheet_row(out, (double[]){r, z - figure->pile.ground, force, layer, force - layer, lean,
                                  (double)cylinder.contacts, (double)cone.contacts, (double)grains});
}

static void fill_layers(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    (void)input;
    mrn_sheet_title(out, "Fossil layers and forces");
    mrn_sheet_column(out, "r", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "z", "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "force on cylinders below the horizontal", "deg", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "layer below the horizontal", "deg", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "force minus layer", "deg", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "force on cones off the vertical", "deg", MRN_COLUMN_POINTS);
    mrn_sheet_column(out, "contacts through the cylinder", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "contacts through the cone", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "grains of the layer", "1", MRN_COLUMN_HIDDEN);
    for_each_place(figure, layer_and_force, out);
    mrn_sheet_note(out,
                   "layer: heights of grains born together, fitted over their distances within %.3g mean diameters, "
                   "and cones are parallel to the free surface",
                   2 * LAYER_REACH);
}

static bool pile_layers(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_layers, out, error);
}

// ---- Slice ----

static void fill_slice(const MrnMeasureInput *input, const Figure *figure, MrnSheet *out) {
    const MrnPile *view = &figure->pile;
    mrn_sheet_title(out, "Slice through the axis, by birth");
    mrn_sheet_column(out, "x", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "z", "m", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "birth", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "radius", "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "speed", "m/s", MRN_COLUMN_HIDDEN);
    double half = 0.5 * RIBBON_LENGTH * 2 * figure->diameter; // 2 cm thick for Moreau's grains
    for (size_t b = 0; b < view->frame->body_count; b++) {
        const double *x = view->frame->position + 3 * b, *v = view->frame->velocity + 3 * b;
        if (!mrn_pile_has(view, b) || fabs(x[1] - view->axis[1]) > half) continue;
        mrn_sheet_row(out,
                      (double[]){x[0] - view->axis[0], x[2] - view->ground, input->model->bodies.data[b].birth,
                                 input->model->bodies.data[b].reach, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])});
    }
    mrn_sheet_note(out, "grains with centres within %.4g m of the plane y = %.4g m", half, view->axis[1]);
}

static bool pile_slice(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    return from_last_frame(input, fill_slice, out, error);
}

#define ROW(name, text, unit, kind)                                                                                    \
    const MrnMeasure mrn_measure_##name = {#name, text, unit, kind, MRN_NEEDS_3D | MRN_NEEDS_FREE_BODIES, name}
ROW(pile, "a pile over time: slope, size, force on the ground, contacts", "deg, m, 1, m/s", MRN_DRAWING_SERIES);
ROW(pile_speeds, "numbers of grains in classes of speed", "1, m/s", MRN_DRAWING_SERIES);
ROW(pile_pressure, "pressure of a pile on rings of the ground", "Pa", MRN_DRAWING_PROFILE);
ROW(pile_surface, "free surface of a pile and the cone that fits its flank", "m", MRN_DRAWING_PROFILE);
ROW(pile_arching, "weight within a distance of the axis, and how much of it the ground there carries", "N, 1",
    MRN_DRAWING_PROFILE);
ROW(pile_cuts, "reciprocal cuts: is there a symmetric stress?", "deg, Pa", MRN_DRAWING_SCATTER);
ROW(pile_layers, "directions of fossil layers and of the forces on cylinders and cones", "deg", MRN_DRAWING_SCATTER);
ROW(pile_slice, "grains of a slice through the axis, by the time of their birth", "m, s", MRN_DRAWING_MAP);
#undef ROW
