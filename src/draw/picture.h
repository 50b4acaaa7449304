// What pictures in 2D and 3D share: which bodies are shown, their colours, the force links, the box to show, labels.
#ifndef MRN_DRAW_PICTURE_H
#define MRN_DRAW_PICTURE_H

#include "draw/canvas.h"
#include "model/model.h"

/// Squares of places further away would overflow: they count as not finite.
#define MRN_FARTHEST 1e100
static inline bool mrn_is_place(double x) {
    return fabs(x) < MRN_FARTHEST;
}

/// The resultant of all contacts of two bodies that push in about the same direction.
typedef struct MrnLink {
    int body_a, body_b;
    MrnVec3 point;         ///< centre of pressure
    MrnVec3 impulse;       ///< on A
    double normal_impulse; ///< sum, > 0
} MrnLink;

typedef struct MrnPicture {
    const MrnModel *model;
    const MrnFrame *frame;
    MrnDrawOptions options;
    uint8_t *shown;    ///< per body: active, at a finite place
    MrnColor *color;   ///< per body
    size_t lost_count; ///< active bodies without a finite place
    bool has_scale;    ///< colours are values: a scale is drawn
    MrnColor map[MRN_MAP_SIZE];
    const char *scale_text, *scale_unit;
    double scale_low, scale_high;
    size_t link_count;
    MrnLink *links;      ///< ordered by bodies
    double impulse_mean; ///< N s over the links; 0 without links
    double body_size;    ///< m, median half width of the bodies shown
    MrnVec3 low, high;   ///< box to show
} MrnPicture;

bool mrn_picture_prepare(MrnPicture *picture, const MrnModel *model, const MrnFrame *frame,
                         const MrnDrawOptions *options, MrnError *error);
void mrn_picture_free(MrnPicture *picture);

MrnPose mrn_picture_body_pose(const MrnPicture *picture, int body);
MrnPose mrn_picture_shape_pose(const MrnPicture *picture, int body,
                               const MrnShape *shape); ///< of the frame of the shape
MrnVec3 mrn_picture_position(const MrnPicture *picture, int body);
/// Width of a force line over the half width of a typical body, from the impulse it carries.
double mrn_picture_link_width(const MrnPicture *picture, double normal_impulse);

/// Links of a frame between bodies that are shown. The caller frees *links.
size_t mrn_links_of_frame(const MrnModel *model, const MrnFrame *frame, const uint8_t *shown, MrnLink **links);
/// Colours of all bodies, and the scale that explains them.
void mrn_picture_color_bodies(MrnPicture *picture);
MrnColor mrn_picture_material_color(const MrnPicture *picture, int material);

#ifdef MORAINE_HAS_CAIRO
/// Height of the strips above and below the picture that labels need.
double mrn_labels_top(const MrnCanvas *canvas, const MrnPicture *picture);
double mrn_labels_bottom(const MrnCanvas *canvas, const MrnPicture *picture);
/// Time and title above; below: scale bar (pixels_per_metre > 0) or the text `ground`, and what colours and lines mean.
void mrn_labels_draw(MrnCanvas *canvas, const MrnPicture *picture, double pixels_per_metre, const char *ground);

void mrn_picture_draw_2d(MrnCanvas *canvas, const MrnPicture *picture);
void mrn_picture_draw_3d(MrnCanvas *canvas, const MrnPicture *picture);
/// Width over height of what is to be shown.
double mrn_picture_aspect_3d(const MrnPicture *picture);
#endif

#endif
