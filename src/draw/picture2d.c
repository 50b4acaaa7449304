// A 2D state: true shapes, hatched obstacles, force chains, contacts.
//
// Drawn in pixels, after shifting to the middle of the box to show, so that scenes of a micrometre and of a hundred
// kilometres, near or far from the origin, look alike.
#include "draw/picture.h"

#ifdef MORAINE_HAS_CAIRO
#include <stdlib.h>

typedef struct View {
    MrnVec3 centre;                  ///< m, shown in the middle
    double scale;                    ///< pixels per metre
    double x, y;                     ///< pixels, of the middle
    double left, top, right, bottom; ///< pixels, of the picture without its strips
} View;

typedef struct Point {
    double x, y;
} Point;

static Point to_page(const View *view, MrnVec3 p) {
    return (Point){view->x + view->scale * (p.x - view->centre.x), view->y - view->scale * (p.y - view->centre.y)};
}

/// A point given in the frame of a pose, on the page.
static Point placed(const View *view, const MrnPose *pose, double x, double y) {
    const MrnMat3 *r = &pose->rotation;
    MrnVec3 p = {pose->position.x + (r->m[0][0] * x + r->m[0][1] * y),
                 pose->position.y + (r->m[1][0] * x + r->m[1][1] * y), 0};
    return to_page(view, p);
}

static View find_view(const MrnCanvas *canvas, const MrnPicture *picture) {
    View view = {.left = 0,
                 .right = canvas->width,
                 .top = mrn_labels_top(canvas, picture),
                 .bottom = canvas->height - mrn_labels_bottom(canvas, picture)};
    MrnVec3 size = mrn_sub3(picture->high, picture->low);
    double room_x = view.right - view.left, room_y = view.bottom - view.top, margin = 0.03 * fmin(room_x, room_y),
           below = fmax(margin, 1.8 * canvas->font);
    view.scale = fmin((room_x - 2 * margin) / size.x, fmax(room_y - margin - below, 0.5 * room_y) / size.y);
    view.centre = mrn_axpy3(picture->low, 0.5, size);
    view.x = 0.5 * (view.left + view.right);
    // What falls lies low: spare room goes above it.
    if (picture->model->gravity[1] < 0)
        view.y = view.bottom - below - 0.5 * size.y * view.scale;
    else
        view.y = 0.5 * (view.top + view.bottom + margin - below);
    return view;
}

/// Far outside, coordinates would overflow cairo's fixed-point numbers.
static bool on_page(const View *view, Point p, double reach) {
    return p.x + reach > view->left && p.x - reach < view->right && p.y + reach > view->top &&
           p.y - reach < view->bottom;
}

static Point clamped(const View *view, Point p) {
    double far = 4 * (view->right - view->left + view->bottom - view->top);
    return (Point){fmin(fmax(p.x, view->x - far), view->x + far), fmin(fmax(p.y, view->y - far), view->y + far)};
}

static void line_path(cairo_t *cr, Point a, Point b) {
    cairo_move_to(cr, a.x, a.y);
    cairo_line_to(cr, b.x, b.y);
}

/// Path of the outline of a polygon or chain without its rounding.
static void vertices_path(cairo_t *cr, const View *view, const MrnPose *pose, const MrnShape *shape, bool closed) {
    for (size_t i = 0; i < shape->vertex_count; i++) {
        Point p = clamped(view, placed(view, pose, shape->vertices[2 * i], shape->vertices[2 * i + 1]));
        if (i == 0)
            cairo_move_to(cr, p.x, p.y);
        else
            cairo_line_to(cr, p.x, p.y);
    }
    if (closed) cairo_close_path(cr);
}

/// 45 degree lines over the page, for clipping to a region.
static void hatch(MrnCanvas *canvas, const View *view, MrnColor color, double opacity) {
    double step = 0.62 * canvas->font, height = view->bottom - view->top;
    cairo_set_line_width(canvas->cr, 0.06 * canvas->font);
    mrn_canvas_color(canvas, color, opacity);
    for (double x = view->left - height; x < view->right; x += step) {
        cairo_move_to(canvas->cr, x, view->bottom);
        cairo_line_to(canvas->cr, x + height, view->top);
    }
    cairo_stroke(canvas->cr);
}

/// The part of the page below a half-plane's line, grey and hatched near the line.
static void draw_half_plane(MrnCanvas *canvas, const View *view, const MrnPose *pose, MrnColor color) {
    cairo_t *cr = canvas->cr;
    double width = view->right - view->left, height = view->bottom - view->top, far = 2 * (width + height),
           band = 1.1 * canvas->font;
    Point tangent = {pose->rotation.m[0][0], -pose->rotation.m[1][0]},
          inward = {-pose->rotation.m[0][1], pose->rotation.m[1][1]};
    // Foot of the middle of the page on the line: pages far from the origin of the half-plane keep their digits.
    MrnVec3 normal = {pose->rotation.m[0][1], pose->rotation.m[1][1], 0};
    double gap = mrn_dot3(mrn_sub3(view->centre, pose->position), normal) * view->scale;
    if (fabs(gap) > far) {
        if (gap > 0) return;
        gap = -far;
    }
    Point foot = {view->x + inward.x * gap, view->y + inward.y * gap};
    Point a = {foot.x - far * tangent.x, foot.y - far * tangent.y},
          b = {foot.x + far * tangent.x, foot.y + far * tangent.y};
    cairo_save(cr);
    line_path(cr, a, b);
    cairo_line_to(cr, b.x + far * inward.x, b.y + far * inward.y);
    cairo_line_to(cr, a.x + far * inward.x, a.y + far * inward.y);
    cairo_close_path(cr);
    mrn_canvas_color(canvas, color, 0.35);
    cairo_fill(cr);
    line_path(cr, a, b);
    cairo_line_to(cr, b.x + band * inward.x, b.y + band * inward.y);
    cairo_line_to(cr, a.x + band * inward.x, a.y + band * inward.y);
    cairo_close_path(cr);
    cairo_clip(cr);
    hatch(canvas, view, canvas->ink.text, 0.45);
    cairo_restore(cr);
    line_path(cr, a, b);
    cairo_set_line_width(cr, 0.11 * canvas->font);
    mrn_canvas_color(canvas, canvas->ink.text, 0.8);
    cairo_stroke(cr);
}

static void draw_ring(MrnCanvas *canvas, const View *view, const MrnPose *pose, const MrnShape *shape, MrnColor color,
                      bool mark) {
    cairo_t *cr = canvas->cr;
    Point c = to_page(view, pose->position);
    double radius = shape->radius * view->scale, band = fmin(1.1 * canvas->font, 0.12 * radius + 2);
    cairo_save(cr);
    cairo_new_sub_path(cr);
    cairo_arc(cr, c.x, c.y, radius + band, 0, 2 * M_PI);
    cairo_new_sub_path(cr);
    cairo_arc_negative(cr, c.x, c.y, radius, 2 * M_PI, 0);
    mrn_canvas_color(canvas, color, 0.6);
    cairo_fill_preserve(cr);
    cairo_clip(cr);
    hatch(canvas, view, canvas->ink.text, 0.45);
    if (mark) {
        // Spokes in the rim show how far the drum has turned.
        cairo_set_line_width(cr, 0.16 * canvas->font);
        mrn_canvas_color(canvas, canvas->ink.text, 0.9);
        for (int i = 0; i < 12; i++) {
            double a = i * M_PI / 6, x = pose->rotation.m[0][0] * cos(a) + pose->rotation.m[0][1] * sin(a);
            double y = pose->rotation.m[1][0] * cos(a) + pose->rotation.m[1][1] * sin(a),
                   from = i == 0 ? 1.0 : 1 + 0.5 * band / radius;
            line_path(cr, (Point){c.x + from * radius * x, c.y - from * radius * y},
                      (Point){c.x + (radius + band) * x, c.y - (radius + band) * y});
        }
        cairo_stroke(cr);
    }
    cairo_restore(cr);
    cairo_arc(cr, c.x, c.y, radius, 0, 2 * M_PI);
    cairo_set_line_width(cr, 0.11 * canvas->font);
    mrn_canvas_color(canvas, canvas->ink.text, 0.8);
    cairo_stroke(cr);
}

/// One solid shape: its interior, and its outline where `line` > 0.
static void draw_solid(MrnCanvas *canvas, const View *view, const MrnPose *pose, const MrnShape *shape, MrnColor fill,
                       MrnColor edge, double line) {
    cairo_t *cr = canvas->cr;
    if (shape->kind == MRN_SHAPE_DISC) {
        Point c = to_page(view, pose->position);
        double radius = shape->radius * view->scale;
        cairo_new_sub_path(cr);
        cairo_arc(cr, c.x, c.y, fmax(radius - 0.5 * line, 0.5 * radius), 0, 2 * M_PI);
        mrn_canvas_color(canvas, fill, 1);
        if (line > 0)
            cairo_fill_preserve(cr);
        else
            cairo_fill(cr);
    } else {
        double round = 2 * shape->radius * view->scale;
        vertices_path(cr, view, pose, shape, true);
        if (round > 0) {
            // A rounded polygon is what a pen of that width draws; the outline is a wider pen below it.
            if (line > 0) {
                cairo_set_line_width(cr, round);
                mrn_canvas_color(canvas, edge, 1);
                cairo_stroke_preserve(cr);
            }
            cairo_set_line_width(cr, fmax(round - 2 * line, 0));
            mrn_canvas_color(canvas, fill, 1);
            cairo_stroke_preserve(cr);
            cairo_fill(cr);
            return;
        }
        mrn_canvas_color(canvas, fill, 1);
        if (line > 0)
            cairo_fill_preserve(cr);
        else
            cairo_fill(cr);
    }
    if (line <= 0) return;
    cairo_set_line_width(cr, line);
    mrn_canvas_color(canvas, edge, 1);
    cairo_stroke(cr);
}

/// Bodies made of several shapes: one outline around all of them.
static void draw_solid_body(MrnCanvas *canvas, const View *view, const MrnPicture *picture, int body, double line) {
    const MrnBody *b = &picture->model->bodies.data[body];
    const MrnShape *shapes = &picture->model->shapes.data[b->first_shape];
    MrnColor fill = picture->color[body], edge = mrn_color_mix(fill, canvas->ink.edge, 0.75);
    bool single = b->shape_count == 1;
    for (int pass = single ? 1 : 0; pass < 2; pass++)
        for (int s = 0; s < b->shape_count; s++) {
            if (!mrn_shape_is_solid(shapes[s].kind)) continue;
            MrnPose pose = mrn_picture_shape_pose(picture, body, &shapes[s]);
            if (single)
                draw_solid(canvas, view, &pose, &shapes[s], fill, edge, line);
            else if (pass == 0)
                draw_solid(canvas, view, &pose, &shapes[s], edge, edge, 1.6 * line);
            else
                draw_solid(canvas, view, &pose, &shapes[s], fill, fill, 0);
        }
    if (!picture->options.marks || b->kind == MRN_BODY_FIXED) return;
    for (int s = 0; s < b->shape_count; s++) {
        double radius = shapes[s].radius * view->scale;
        if (shapes[s].kind != MRN_SHAPE_DISC || radius < 4) continue;
        MrnPose pose = mrn_picture_shape_pose(picture, body, &shapes[s]);
        cairo_set_line_width(canvas->cr, fmin(fmax(0.12 * radius, 0.8), fmax(0.16 * canvas->font, 0.035 * radius)));
        line_path(canvas->cr, placed(view, &pose, 0.1 * shapes[s].radius, 0),
                  placed(view, &pose, 0.78 * shapes[s].radius, 0));
        mrn_canvas_color(canvas, edge, 0.9);
        cairo_stroke(canvas->cr);
    }
}

static void draw_obstacle(MrnCanvas *canvas, const View *view, const MrnPicture *picture, int body, double line) {
    const MrnBody *b = &picture->model->bodies.data[body];
    bool driven = b->kind == MRN_BODY_DRIVEN;
    for (int s = 0; s < b->shape_count; s++) {
        const MrnShape *shape = &picture->model->shapes.data[b->first_shape + s];
        MrnPose pose = mrn_picture_shape_pose(picture, body, shape);
        if (shape->kind == MRN_SHAPE_HALF_PLANE) {
            draw_half_plane(canvas, view, &pose, picture->color[body]);
        } else if (shape->kind == MRN_SHAPE_RING) {
            draw_ring(canvas, view, &pose, shape, picture->color[body], driven && picture->options.marks);
        } else if (shape->kind == MRN_SHAPE_CHAIN) {
            double width = fmax(2 * shape->radius * view->scale, 0.16 * canvas->font);
            vertices_path(canvas->cr, view, &pose, shape, false);
            cairo_set_line_width(canvas->cr, width);
            mrn_canvas_color(canvas,
                             driven ? mrn_color_mix(canvas->ink.text, canvas->ink.stick, 0.5) : canvas->ink.text, 0.85);
            cairo_stroke(canvas->cr);
        }
    }
    draw_solid_body(canvas, view, picture, body, line);
}

/// A force line from a to b, whose width may change along it.
typedef struct Stroke {
    Point a, b;
    double width_a, width_b;
    bool strong;
} Stroke;

static int compare_strokes(const void *a, const void *b) {
    double x = ((const Stroke *)a)->width_b, y = ((const Stroke *)b)->width_b;
    return (x > y) - (x < y);
}

static void draw_stroke(MrnCanvas *canvas, const Stroke *s) {
    double length = hypot(s->b.x - s->a.x, s->b.y - s->a.y), thin = fmin(s->width_a, s->width_b);
    cairo_set_line_width(canvas->cr, thin);
    line_path(canvas->cr, s->a, s->b);
    cairo_stroke(canvas->cr);
    if (s->width_a == s->width_b || !(length > 0)) return;
    double nx = 0.5 * (s->a.y - s->b.y) / length, ny = 0.5 * (s->b.x - s->a.x) / length;
    line_path(canvas->cr, (Point){s->a.x + nx * s->width_a, s->a.y + ny * s->width_a},
              (Point){s->b.x + nx * s->width_b, s->b.y + ny * s->width_b});
    cairo_line_to(canvas->cr, s->b.x - nx * s->width_b, s->b.y - ny * s->width_b);
    cairo_line_to(canvas->cr, s->a.x - nx * s->width_a, s->a.y - ny * s->width_a);
    cairo_fill(canvas->cr);
    bool wide_b = s->width_b > s->width_a;
    cairo_arc(canvas->cr, wide_b ? s->b.x : s->a.x, wide_b ? s->b.y : s->a.y, 0.5 * fmax(s->width_a, s->width_b), 0,
              2 * M_PI);
    cairo_fill(canvas->cr);
}

static double page_width(const MrnCanvas *canvas, const View *view, const MrnPicture *picture, double normal_impulse) {
    double width = mrn_picture_link_width(picture, normal_impulse) * picture->body_size * view->scale;
    return fmax(fmin(width, 1.2 * canvas->font), 0.35);
}

/// The point of a link where a body itself, and not an image of it, is touched.
static MrnVec3 own_point(const MrnPicture *picture, const MrnLink *link, int body) {
    MrnVec3 centre = mrn_picture_position(picture, body), point = link->point;
    double shift[2];
    mrn_model_image(picture->model, (double[2]){point.x, point.y}, (double[2]){centre.x, centre.y}, shift);
    point.x -= shift[0], point.y -= shift[1];
    return point;
}

/// Chains: from the centre of each free body to the point of contact.
static size_t add_chains(const MrnCanvas *canvas, const View *view, const MrnPicture *picture, Stroke *strokes) {
    size_t count = 0;
    for (size_t i = 0; i < picture->link_count; i++)
        for (int side = 0; side < 2; side++) {
            const MrnLink *link = &picture->links[i];
            int body = side ? link->body_b : link->body_a;
            // The reference point of an obstacle says nothing about where its forces go.
            if (picture->model->bodies.data[body].kind != MRN_BODY_FREE) continue;
            double width = page_width(canvas, view, picture, link->normal_impulse);
            strokes[count++] = (Stroke){to_page(view, mrn_picture_position(picture, body)),
                                        to_page(view, own_point(picture, link, body)), width, width,
                                        link->normal_impulse > picture->impulse_mean};
        }
    return count;
}

/// Thrust lines: inside each free body its two joints are connected, or all joints with their weighted mean when there
/// are more.
static size_t add_thrust(const MrnCanvas *canvas, const View *view, const MrnPicture *picture, Stroke *strokes) {
    size_t bodies = picture->model->bodies.count, count = 0;
    struct Sum {
        double x, y, weight;
        int joints;
        size_t first;
    } *sums = mrn_alloc_zero(bodies + 1, sizeof *sums);
    for (size_t i = 0; i < picture->link_count; i++)
        for (int side = 0; side < 2; side++) {
            const MrnLink *link = &picture->links[i];
            int body = side ? link->body_b : link->body_a;
            struct Sum *sum = &sums[body];
            MrnVec3 point = own_point(picture, link, body);
            double w = link->normal_impulse;
            if (sum->joints++ == 0) sum->first = i;
            sum->x += w * (point.x - view->centre.x), sum->y += w * (point.y - view->centre.y), sum->weight += w;
        }
    for (size_t i = 0; i < picture->link_count; i++)
        for (int side = 0; side < 2; side++) {
            const MrnLink *link = &picture->links[i];
            int body = side ? link->body_b : link->body_a;
            const struct Sum *sum = &sums[body];
            if (picture->model->bodies.data[body].kind != MRN_BODY_FREE || sum->joints < 2 ||
                (sum->joints == 2 && i == sum->first))
                continue;
            Point joint = to_page(view, own_point(picture, link, body));
            double width = page_width(canvas, view, picture, link->normal_impulse);
            if (sum->joints == 2) {
                const MrnLink *other = &picture->links[sum->first];
                strokes[count++] = (Stroke){to_page(view, own_point(picture, other, body)), joint,
                                            page_width(canvas, view, picture, other->normal_impulse), width, true};
            } else {
                MrnVec3 meet = {view->centre.x + sum->x / sum->weight, view->centre.y + sum->y / sum->weight, 0};
                strokes[count++] = (Stroke){to_page(view, meet), joint, width, width, true};
            }
        }
    free(sums);
    return count;
}

static void draw_forces(MrnCanvas *canvas, const View *view, const MrnPicture *picture) {
    Stroke *strokes = mrn_alloc(2 * picture->link_count + 1, sizeof *strokes);
    size_t count = picture->options.forces == MRN_FORCES_THRUST ? add_thrust(canvas, view, picture, strokes)
                                                                : add_chains(canvas, view, picture, strokes);
    // Strong over weak.
    qsort(strokes, count, sizeof *strokes, compare_strokes);
    for (size_t i = 0; i < count; i++) {
        Stroke s = strokes[i];
        if (!on_page(view, s.a, s.width_a) && !on_page(view, s.b, s.width_b)) continue;
        s.a = clamped(view, s.a), s.b = clamped(view, s.b);
        mrn_canvas_color(canvas, s.strong ? canvas->ink.strong : canvas->ink.weak, 1);
        draw_stroke(canvas, &s);
    }
    free(strokes);
}

static void draw_contacts(MrnCanvas *canvas, const View *view, const MrnPicture *picture) {
    double radius = fmin(fmax(0.16 * picture->body_size * view->scale, 1.2), 0.28 * canvas->font);
    for (int status = 0; status < 3; status++)
        for (size_t i = 0; i < picture->frame->contact_count; i++) {
            const MrnContactView *c = &picture->frame->contacts[i];
            if (c->status != status || !mrn_is_place(c->position[0]) || !mrn_is_place(c->position[1])) continue;
            Point p = to_page(view, (MrnVec3){c->position[0], c->position[1], 0});
            if (!on_page(view, p, radius)) continue;
            cairo_arc(canvas->cr, p.x, p.y, status == 0 ? 0.7 * radius : radius, 0, 2 * M_PI);
            mrn_canvas_color(canvas,
                             status == 0   ? canvas->ink.open
                             : status == 1 ? canvas->ink.stick
                                           : canvas->ink.slip,
                             1);
            if (radius > 2.5) {
                cairo_fill_preserve(canvas->cr);
                cairo_set_line_width(canvas->cr, 0.05 * canvas->font);
                mrn_canvas_color(canvas, canvas->ink.paper, 1);
                cairo_stroke(canvas->cr);
            } else {
                cairo_fill(canvas->cr);
            }
        }
}

void mrn_picture_draw_2d(MrnCanvas *canvas, const MrnPicture *picture) {
    View view = find_view(canvas, picture);
    double radius = picture->body_size * view.scale, line = fmin(0.12 * radius, 0.075 * canvas->font);
    if (radius < 1.5) line = 0; // an outline would hide the colour
    cairo_save(canvas->cr);
    cairo_rectangle(canvas->cr, view.left, view.top, view.right - view.left, view.bottom - view.top);
    cairo_clip(canvas->cr);
    const MrnModel *model = picture->model;
    for (size_t b = 0; b < model->bodies.count; b++)
        if (picture->shown[b] && model->bodies.data[b].kind != MRN_BODY_FREE)
            draw_obstacle(canvas, &view, picture, (int)b, line);
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b] || body->kind != MRN_BODY_FREE) continue;
        if (!on_page(&view, to_page(&view, mrn_picture_position(picture, (int)b)), body->reach * view.scale)) continue;
        draw_solid_body(canvas, &view, picture, (int)b, line);
    }
    if (picture->options.forces != MRN_FORCES_NONE) draw_forces(canvas, &view, picture);
    if (picture->options.contacts) draw_contacts(canvas, &view, picture);
    cairo_restore(canvas->cr);
    mrn_labels_draw(canvas, picture, view.scale, NULL);
}
#endif
