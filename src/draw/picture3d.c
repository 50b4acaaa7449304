// A 3D state: camera, ground, bodies, containers, force chains; rendered into an image that cairo puts on the page.
//
// Containers hide nothing: only the sides whose inner face is seen are opaque, the others are a thin veil; planes are
// drawn from their front. Force chains run inside the bodies, so with them the bodies fade and the chains shine
// through.
#include "draw/picture.h"

#ifdef MORAINE_HAS_CAIRO
#include "draw/number.h"
#include "draw/solid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Owners: 1 + body; the ground is the last number.
#define GROUND_OWNER 0xffffffffu

typedef struct Basis {
    MrnVec3 side, front, up;
} Basis; ///< horizontal directions and the vertical of the scene

static Basis scene_basis(const MrnModel *model) {
    MrnVec3 up = mrn_scale3(-1, mrn_load3(model->gravity));
    up = mrn_norm3(up) > 0 && isfinite(mrn_norm3(up)) ? mrn_normalize3(up) : (MrnVec3){0, 0, 1};
    MrnVec3 x = fabs(up.x) < 0.9 ? (MrnVec3){1, 0, 0} : (MrnVec3){0, 1, 0};
    x = mrn_normalize3(mrn_axpy3(x, -mrn_dot3(x, up), up));
    return (Basis){x, mrn_cross3(up, x), up};
}

/// Azimuth that looks into a lying tube, if there is one; otherwise a quarter view.
static double automatic_azimuth(const MrnPicture *picture, const Basis *basis) {
    const MrnModel *model = picture->model;
    for (size_t b = 0; b < model->bodies.count; b++)
        for (int s = 0; picture->shown[b] && s < model->bodies.data[b].shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[model->bodies.data[b].first_shape + s];
            if (shape->kind != MRN_SHAPE_TUBE) continue;
            MrnPose pose = mrn_picture_shape_pose(picture, (int)b, shape);
            MrnVec3 axis = {pose.rotation.m[0][2], pose.rotation.m[1][2], pose.rotation.m[2][2]};
            if (fabs(mrn_dot3(axis, basis->up)) > 0.5) continue;
            double angle = atan2(mrn_dot3(axis, basis->side), -mrn_dot3(axis, basis->front));
            // Either end will do: the one nearer to the usual view.
            if (cos(angle - 0.5) < 0) angle += M_PI;
            return angle + 0.42;
        }
    return 0.55;
}

/// Unit vector from the scene to the camera.
static MrnVec3 towards_eye(const MrnPicture *picture, const Basis *basis) {
    double azimuth = isfinite(picture->options.azimuth) ? picture->options.azimuth : automatic_azimuth(picture, basis);
    double elevation = isfinite(picture->options.elevation) ? picture->options.elevation : 0.36;
    elevation = fmin(fmax(elevation, -1.5), 1.5);
    MrnVec3 d = mrn_scale3(cos(elevation) * sin(azimuth), basis->side);
    d = mrn_axpy3(d, -cos(elevation) * cos(azimuth), basis->front);
    return mrn_axpy3(d, sin(elevation), basis->up);
}

static void aim(MrnCamera *camera, MrnVec3 towards, MrnVec3 up) {
    camera->forward = mrn_scale3(-1, towards);
    camera->right = mrn_normalize3(mrn_cross3(camera->forward, up));
    camera->up = mrn_cross3(camera->right, camera->forward);
}

typedef struct Ball {
    MrnVec3 centre;
    double radius;
} Ball;
typedef MRN_ARRAY(Ball) Balls;

static void add_corners(Balls *balls, MrnVec3 low, MrnVec3 high) {
    for (int i = 0; i < 8; i++)
        mrn_array_push(balls, ((Ball){{i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z}, 0}));
}

static MrnVec3 clamp3(MrnVec3 p, MrnVec3 low, MrnVec3 high) {
    return (MrnVec3){fmin(fmax(p.x, low.x), high.x), fmin(fmax(p.y, low.y), high.y), fmin(fmax(p.z, low.z), high.z)};
}

/// Balls that the camera must see: all that is in the box to show, or the box itself when it was given.
static Balls balls_to_see(const MrnPicture *picture) {
    Balls balls = {0};
    const MrnModel *model = picture->model;
    MrnVec3 low = picture->low, high = picture->high;
    if (picture->options.low[0] < picture->options.high[0]) {
        add_corners(&balls, low, high);
        return balls;
    }
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b]) continue;
        MrnVec3 p = mrn_picture_position(picture, (int)b), q = clamp3(p, low, high);
        if (body->kind == MRN_BODY_FREE && isfinite(body->reach)) {
            if (p.x == q.x && p.y == q.y && p.z == q.z) mrn_array_push(&balls, ((Ball){p, body->reach}));
            continue;
        }
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            MrnPose pose = mrn_picture_shape_pose(picture, (int)b, shape);
            if (shape->kind == MRN_SHAPE_PLANE) continue;
            if (shape->kind == MRN_SHAPE_TUBE || shape->kind == MRN_SHAPE_FUNNEL) {
                for (int i = 0; i < 64; i++) {
                    double radius = i % 2 && shape->kind == MRN_SHAPE_FUNNEL ? shape->top_radius : shape->radius,
                           a = i * M_PI / 32;
                    MrnVec3 rim = {radius * cos(a), radius * sin(a), i % 2 ? shape->half[2] : -shape->half[2]};
                    rim = mrn_add3(pose.position, mrn_mat3_times(&pose.rotation, rim));
                    mrn_array_push(&balls, ((Ball){clamp3(rim, low, high), 0}));
                }
                continue;
            }
            MrnPose outer = mrn_picture_body_pose(picture, (int)b);
            MrnBox bounds = mrn_shape_bounds(shape, &outer);
            add_corners(&balls, clamp3(bounds.low, low, high), clamp3(bounds.high, low, high));
        }
    }
    if (balls.count == 0) add_corners(&balls, low, high);
    return balls;
}

/// Place the camera so that all balls just fit. Half openings as slopes: the constraints |x| <= (distance - w) slope -
/// r sqrt(1 + slope^2) are linear in the place of the eye, so the closest eye follows from maxima over the balls.
static void fit_camera(MrnCamera *camera, const Balls *balls, MrnVec3 towards, double width, double height,
                       double slope_y) {
    double limit[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, slope_x = slope_y * width / height;
    MrnVec3 origin = balls->data[0].centre;
    double deepest = INFINITY, nearest = -INFINITY;
    for (size_t i = 0; i < balls->count; i++) {
        MrnVec3 p = mrn_sub3(balls->data[i].centre, origin);
        double r = balls->data[i].radius, x = mrn_dot3(p, camera->right), y = mrn_dot3(p, camera->up),
               w = mrn_dot3(p, towards);
        double wx = camera->perspective ? w * slope_x + r * sqrt(1 + slope_x * slope_x) : r;
        double wy = camera->perspective ? w * slope_y + r * sqrt(1 + slope_y * slope_y) : r;
        limit[0] = fmax(limit[0], x + wx), limit[1] = fmax(limit[1], wx - x);
        limit[2] = fmax(limit[2], y + wy), limit[3] = fmax(limit[3], wy - y);
        nearest = fmax(nearest, w + r), deepest = fmin(deepest, w - r);
    }
    double x = 0.5 * (limit[0] - limit[1]), y = 0.5 * (limit[2] - limit[3]), span = fmax(nearest - deepest, 1e-300),
           distance;
    if (camera->perspective) {
        distance = fmax(0.5 * (limit[0] + limit[1]) / slope_x, 0.5 * (limit[2] + limit[3]) / slope_y);
        distance = fmax(distance, nearest + 0.02 * span);
        camera->focal = 0.5 * height / slope_y;
        camera->near = 1e-3 * (distance - deepest);
    } else {
        distance = nearest + span;
        double half = fmax(0.5 * (limit[0] + limit[1]) * height / width, 0.5 * (limit[2] + limit[3]));
        camera->focal = 0.5 * height / fmax(half, 1e-300);
        camera->near = -INFINITY;
    }
    camera->eye = mrn_axpy3(mrn_axpy3(mrn_axpy3(origin, x, camera->right), y, camera->up), distance, towards);
}

double mrn_picture_aspect_3d(const MrnPicture *picture) {
    Basis basis = scene_basis(picture->model);
    MrnVec3 towards = towards_eye(picture, &basis);
    MrnCamera camera = {.perspective = false};
    aim(&camera, towards, basis.up);
    Balls balls = balls_to_see(picture);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    MrnVec3 origin = balls.data[0].centre;
    for (size_t i = 0; i < balls.count; i++) {
        MrnVec3 p = mrn_sub3(balls.data[i].centre, origin);
        double at[2] = {mrn_dot3(p, camera.right), mrn_dot3(p, camera.up)}, r = balls.data[i].radius;
        for (int k = 0; k < 2; k++) low[k] = fmin(low[k], at[k] - r), high[k] = fmax(high[k], at[k] + r);
    }
    mrn_array_free(&balls);
    double aspect = (high[0] - low[0]) / fmax(high[1] - low[1], 1e-300);
    return isfinite(aspect) ? fmin(fmax(aspect, 1.1), 2.2) : 1.5;
}

static uint32_t packed(MrnColor color) {
    return 0xff000000u | (uint32_t)(255 * color.r + 0.5) << 16 | (uint32_t)(255 * color.g + 0.5) << 8 |
           (uint32_t)(255 * color.b + 0.5);
}

static void draw_bodies(MrnRaster *raster, const MrnCamera *camera, const MrnPicture *picture, MrnSolidPass pass,
                        bool casting) {
    const MrnModel *model = picture->model;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b]) continue;
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            if (casting && !mrn_shape_is_solid(shape->kind)) continue;
            MrnPose pose = mrn_picture_shape_pose(picture, (int)b, shape);
            MrnVec3 axis = {pose.rotation.m[0][2], pose.rotation.m[1][2], pose.rotation.m[2][2]};
            MrnPaint paint = {packed(picture->color[b]), (uint32_t)b + 1,
                              picture->options.marks && shape->kind == MRN_SHAPE_SPHERE ? &axis : NULL};
            mrn_solid_draw(raster, camera, shape, &pose, paint, pass);
        }
    }
}

/// All planes of the scene, with a common grid. Returns how many.
static int find_grounds(const MrnPicture *picture, const Basis *basis, double line, MrnGround **out) {
    const MrnModel *model = picture->model;
    MRN_ARRAY(MrnGround) grounds = {0};
    MrnInk ink = mrn_color_ink(picture->options.theme);
    MrnVec3 size = mrn_sub3(picture->high, picture->low), centre = mrn_axpy3(picture->low, 0.5, size);
    double radius = 0.5 * mrn_norm3(size);
    for (size_t b = 0; b < model->bodies.count; b++)
        for (int s = 0; picture->shown[b] && s < model->bodies.data[b].shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[model->bodies.data[b].first_shape + s];
            if (shape->kind != MRN_SHAPE_PLANE) continue;
            MrnPose pose = mrn_picture_shape_pose(picture, (int)b, shape);
            MrnVec3 n = {pose.rotation.m[0][2], pose.rotation.m[1][2], pose.rotation.m[2][2]};
            MrnVec3 along = fabs(mrn_dot3(n, basis->side)) < 0.9 ? basis->side : basis->front;
            along = mrn_normalize3(mrn_axpy3(along, -mrn_dot3(along, n), n));
            // Walls end soon above the bodies; the floor fades out further away.
            bool floor = mrn_dot3(n, basis->up) > 0.7;
            mrn_array_push(&grounds, ((MrnGround){.origin = pose.position,
                                                  .normal = n,
                                                  .along = along,
                                                  .centre = centre,
                                                  .fade_from = (floor ? 0.9 : 0.5) * radius,
                                                  .fade_to = (floor ? 2.6 : 1.25) * radius,
                                                  .spacing = mrn_number_nice_below(0.36 * radius),
                                                  .line = line,
                                                  .line_color = packed(mrn_color_mix(ink.paper, ink.text, 0.22))}));
        }
    *out = grounds.data;
    return (int)grounds.count;
}

/// Depth seen from the lamp, for shadows.
static MrnRaster shadow_map(const MrnPicture *picture, MrnCamera *lamp, MrnVec3 light, MrnVec3 up, int size) {
    MrnVec3 extent = mrn_sub3(picture->high, picture->low), centre = mrn_axpy3(picture->low, 0.5, extent);
    double radius = fmax(0.55 * mrn_norm3(extent), 1e-300);
    *lamp =
        (MrnCamera){.focal = 0.5 * size / radius, .middle_x = 0.5 * size, .middle_y = 0.5 * size, .near = -INFINITY};
    aim(lamp, light, fabs(mrn_dot3(light, up)) < 0.99 ? up : (MrnVec3){light.y, light.z, light.x});
    lamp->eye = mrn_axpy3(centre, 2 * radius, light);
    MrnRaster map = mrn_raster_new(size, size, true);
    draw_bodies(&map, lamp, picture, MRN_PASS_OPAQUE, true);
    return map;
}

/// Force bars and points of contact, each with its own depth.
static void draw_inside(MrnRaster *raster, const MrnCamera *camera, const MrnPicture *picture) {
    MrnInk ink = mrn_color_ink(picture->options.theme);
    for (size_t i = 0; picture->options.forces != MRN_FORCES_NONE && i < picture->link_count; i++) {
        const MrnLink *link = &picture->links[i];
        bool strong = link->normal_impulse > picture->impulse_mean;
        double radius = 0.5 * fmin(mrn_picture_link_width(picture, link->normal_impulse), 0.7) * picture->body_size;
        MrnPaint paint = {packed(strong ? ink.strong : ink.weak), 1, NULL};
        for (int side = 0; side < 2; side++) {
            int body = side ? link->body_b : link->body_a;
            if (picture->model->bodies.data[body].kind == MRN_BODY_FREE)
                mrn_solid_bar(raster, camera, mrn_picture_position(picture, body), link->point, radius, paint);
        }
    }
    for (size_t i = 0; picture->options.contacts && i < picture->frame->contact_count; i++) {
        const MrnContactView *c = &picture->frame->contacts[i];
        MrnVec3 p = mrn_load3(c->position);
        if (!mrn_is_place(p.x) || !mrn_is_place(p.y) || !mrn_is_place(p.z)) continue;
        MrnColor color = c->status == 1 ? ink.stick : c->status == 2 ? ink.slip : ink.open;
        mrn_raster_sphere(raster, camera, p, (c->status ? 0.13 : 0.08) * picture->body_size,
                          (MrnPaint){packed(color), 1, NULL});
    }
}

/// Forces and contacts over the picture: opaque where they are in front, dimmer the deeper they lie in the heap.
static void blend_inside(const MrnPicture *picture, const MrnCamera *camera, const MrnShading *base,
                         const MrnRaster *main, int width, int height, float *out) {
    MrnRaster raster = mrn_raster_new(main->width, main->height, false);
    draw_inside(&raster, camera, picture);
    double reach = 0.35 * mrn_norm3(mrn_sub3(picture->high, picture->low));
    for (size_t i = 0; i < (size_t)raster.width * (size_t)raster.height; i++)
        if (raster.owner[i]) {
            double behind = isfinite(main->depth[i]) ? fmax(0, raster.depth[i] - main->depth[i]) : 0;
            raster.color[i] = (raster.color[i] & 0xffffffu) | (uint32_t)(255 * (0.25 + 0.75 * exp(-behind / reach)))
                                                                  << 24;
        }
    MrnShading shading = *base;
    shading.shadow = NULL, shading.occlusion_radius = 0, shading.ink = 0;
    memset(shading.paper, 0, sizeof shading.paper);
    float *forces = mrn_alloc((size_t)width * (size_t)height, 4 * sizeof *forces);
    mrn_raster_shade(&raster, camera, &shading, forces);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        for (int k = 0; k < 3; k++) {
            double body = out[4 * i + (size_t)k], faded = body + 0.5 * (base->paper[k] - body);
            // The colour of the chains came weighted with its opacity, over black.
            out[4 * i + (size_t)k] = (float)(faded * (1 - forces[4 * i + 3]) + forces[4 * i + (size_t)k]);
        }
    free(forces);
    mrn_raster_free(&raster);
}

static void put_on_page(MrnCanvas *canvas, const float *pixels, int width, int height) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *rows = cairo_image_surface_get_data(image);
    if (rows) {
        size_t stride = (size_t)cairo_image_surface_get_stride(image);
        cairo_surface_flush(image);
        for (int y = 0; y < height; y++) {
            uint32_t *row = (uint32_t *)(void *)(rows + (size_t)y * stride);
            for (int x = 0; x < width; x++) {
                const float *p = pixels + 4 * ((size_t)y * (size_t)width + (size_t)x);
                row[x] = packed((MrnColor){mrn_color_encoded(fmin(p[0], 1)), mrn_color_encoded(fmin(p[1], 1)),
                                           mrn_color_encoded(fmin(p[2], 1))});
            }
        }
        cairo_surface_mark_dirty(image);
    }
    cairo_set_source_surface(canvas->cr, image, 0, 0);
    cairo_paint(canvas->cr);
    cairo_surface_destroy(image);
}

void mrn_picture_draw_3d(MrnCanvas *canvas, const MrnPicture *picture) {
    // The picture fills the page, labels stand on it; the bodies keep clear of them.
    int width = canvas->width, height = canvas->height;
    double top = mrn_labels_top(canvas, picture), clear = fmax(height - top - mrn_labels_bottom(canvas, picture), 16);
    int ss = picture->options.supersample;
    if (ss < 1 || ss > 4) ss = (double)width * height > 9e5 ? 2 : 3;
    Basis basis = scene_basis(picture->model);
    MrnVec3 towards = towards_eye(picture, &basis);
    MrnCamera camera = {.perspective = picture->options.field_of_view > 0,
                        .middle_x = 0.5 * width * ss,
                        .middle_y = (top + 0.5 * clear) * ss};
    aim(&camera, towards, basis.up);
    Balls balls = balls_to_see(picture);
    double margin = 0.94, opening = fmin(picture->options.field_of_view, 2.5);
    fit_camera(&camera, &balls, towards, width * ss, clear * ss, camera.perspective ? margin * tan(0.5 * opening) : 1);
    camera.focal *= margin;
    mrn_array_free(&balls);

    MrnRaster raster = mrn_raster_new(width * ss, height * ss, false);
    draw_bodies(&raster, &camera, picture, MRN_PASS_OPAQUE, false);
    MrnGround *grounds;
    int ground_count = find_grounds(picture, &basis, ss, &grounds);
    MrnPaint floor = {packed(mrn_color_mix(canvas->ink.paper, canvas->ink.obstacle, 0.35)), GROUND_OWNER, NULL};
    for (int i = 0; i < ground_count; i++)
        mrn_raster_ground(&raster, &camera, &grounds[i], grounds, ground_count, floor);
    mrn_raster_add_veil(&raster);
    draw_bodies(&raster, &camera, picture, MRN_PASS_VEIL, false);

    MrnVec3 light = mrn_scale3(0.85, basis.up);
    light = mrn_normalize3(mrn_axpy3(mrn_axpy3(light, 0.45, towards), -0.5, camera.right));
    MrnCamera lamp;
    MrnRaster shadow = shadow_map(picture, &lamp, light, basis.up, 1536);
    MrnVec3 middle = mrn_camera_see(&camera, mrn_scale3(0.5, mrn_add3(picture->low, picture->high)));
    double samples_per_metre = camera.focal / (camera.perspective ? middle.z : 1),
           radius = picture->body_size * samples_per_metre / ss;
    MrnColor veil = canvas->ink.obstacle;
    MrnShading shading = {
        .light = mrn_camera_turn(&camera, light),
        .up = mrn_camera_turn(&camera, basis.up),
        .paper = {mrn_color_linear(canvas->ink.paper.r), mrn_color_linear(canvas->ink.paper.g),
                  mrn_color_linear(canvas->ink.paper.b)},
        .veil = {mrn_color_linear(veil.r) * 0.7, mrn_color_linear(veil.g) * 0.7, mrn_color_linear(veil.b) * 0.7},
        .occlusion_radius = 1.6 * picture->body_size,
        .ink = fmin(fmax((radius - 2) / 8, 0), 0.8),
        .supersample = ss,
        .shadow = &shadow,
        .lamp = &lamp,
        .shadow_bias = 2.5 / lamp.focal + 0.02 * picture->body_size};
    float *pixels = mrn_alloc((size_t)width * (size_t)height, 4 * sizeof *pixels);
    mrn_raster_shade(&raster, &camera, &shading, pixels);
    bool inside = (picture->options.forces != MRN_FORCES_NONE && picture->link_count) ||
                  (picture->options.contacts && picture->frame->contact_count);
    if (inside) blend_inside(picture, &camera, &shading, &raster, width, height, pixels);
    put_on_page(canvas, pixels, width, height);

    char grid[96] = "", spacing[48];
    if (ground_count) {
        mrn_number_with_unit(grounds[0].spacing, "m", spacing, sizeof spacing);
        snprintf(grid, sizeof grid, "grid %s", spacing);
    }
    mrn_labels_draw(canvas, picture, ground_count ? 0 : samples_per_metre / ss, grid);
    free(grounds);
    free(pixels);
    mrn_raster_free(&shadow);
    mrn_raster_free(&raster);
}
#endif
