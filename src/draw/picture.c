// Preparing a picture: checks, bodies that can be shown, the box to show; and the functions that draw a frame.
//
// The automatic box holds the free bodies, except a few that flew far away from all others, and as much of the bounded
// obstacles as lies near them. Rings, tubes and funnels hold bodies inside, so they are shown whole.
#include "draw/picture.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int mrn_draw_color_by(const char *name) {
#define X(code, text, help)                                                                                            \
    if (strcmp(name, text) == 0) return code;
    MRN_COLOR_BY_LIST(X)
#undef X
    return -1;
}

int mrn_draw_force_style(const char *name) {
#define X(code, text, help)                                                                                            \
    if (strcmp(name, text) == 0) return code;
    MRN_FORCE_STYLE_LIST(X)
#undef X
    return -1;
}

MrnDrawOptions mrn_draw_defaults(int dimension) {
    return (MrnDrawOptions){.width = 1200,
                            .forces = dimension == 2 ? MRN_FORCES_CHAINS : MRN_FORCES_NONE,
                            .force_scale = 1,
                            .marks = true,
                            .labels = true,
                            .azimuth = NAN,
                            .elevation = NAN,
                            .field_of_view = 0.5};
}

MrnVec3 mrn_picture_position(const MrnPicture *picture, int body) {
    const double *p = picture->frame->position + (size_t)picture->model->dimension * (size_t)body;
    return (MrnVec3){p[0], p[1], picture->model->dimension == 3 ? p[2] : 0};
}

static MrnMat3 turn(double angle) {
    double c = cos(angle), s = sin(angle);
    return (MrnMat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

MrnPose mrn_picture_body_pose(const MrnPicture *picture, int body) {
    MrnPose pose = {.position = mrn_picture_position(picture, body)};
    if (picture->model->dimension == 2)
        pose.rotation = turn(picture->frame->rotation[body]);
    else
        pose.rotation = mrn_quat_matrix(mrn_quat_load(picture->frame->rotation + 4 * (size_t)body));
    return pose;
}

MrnPose mrn_picture_shape_pose(const MrnPicture *picture, int body, const MrnShape *shape) {
    MrnPose outer = mrn_picture_body_pose(picture, body), pose;
    MrnVec3 at = {shape->position[0], shape->position[1], picture->model->dimension == 3 ? shape->position[2] : 0};
    MrnMat3 inner =
        picture->model->dimension == 2 ? turn(shape->rotation[0]) : mrn_quat_matrix(mrn_quat_load(shape->rotation));
    pose.position = mrn_add3(outer.position, mrn_mat3_times(&outer.rotation, at));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pose.rotation.m[i][j] = 0;
            for (int k = 0; k < 3; k++) pose.rotation.m[i][j] += outer.rotation.m[i][k] * inner.m[k][j];
        }
    return pose;
}

double mrn_picture_link_width(const MrnPicture *picture, double normal_impulse) {
    if (!(picture->impulse_mean > 0)) return 0;
    double width = 0.16 * picture->options.force_scale * normal_impulse / picture->impulse_mean;
    return fmin(width, 0.9 * fmax(1, picture->options.force_scale));
}

/// Which bodies have a place.
static void find_shown(MrnPicture *picture) {
    int d = picture->model->dimension, turns = d == 2 ? 1 : 4;
    for (size_t b = 0; b < picture->model->bodies.count; b++) {
        if (!picture->frame->active[b]) continue;
        bool finite = true;
        for (int k = 0; k < d; k++)
            finite = finite && mrn_is_place(picture->frame->position[(size_t)d * b + (size_t)k]);
        for (int k = 0; k < turns; k++)
            finite = finite && mrn_is_place(picture->frame->rotation[(size_t)turns * b + (size_t)k]);
        picture->shown[b] = finite;
        picture->lost_count += !finite;
    }
}

/// Open the picture: bodies before the middle plane are not shown, and the camera looks straight at it.
static void cut_open(MrnPicture *picture) {
    double sum = 0, count = 0;
    for (size_t b = 0; b < picture->model->bodies.count; b++)
        if (picture->shown[b] && picture->model->bodies.data[b].kind == MRN_BODY_FREE)
            sum += picture->frame->position[3 * b + 1], count++;
    if (count == 0) return;
    for (size_t b = 0; b < picture->model->bodies.count; b++)
        if (isfinite(picture->model->bodies.data[b].reach) && picture->frame->position[3 * b + 1] < sum / count)
            picture->shown[b] = false;
    if (!isfinite(picture->options.azimuth)) picture->options.azimuth = 0;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_body_size(const MrnPicture *picture) {
    double *sizes = mrn_alloc(picture->model->bodies.count + 1, sizeof *sizes), median = 0;
    size_t count = 0;
    for (int any = 0; any < 2 && count == 0; any++)
        for (size_t b = 0; b < picture->model->bodies.count; b++) {
            const MrnBody *body = &picture->model->bodies.data[b];
            if (picture->shown[b] && (any || body->kind == MRN_BODY_FREE) && body->size > 0 && isfinite(body->size))
                sizes[count++] = body->size;
        }
    qsort(sizes, count, sizeof *sizes, compare_numbers);
    if (count) median = sizes[count / 2];
    free(sizes);
    return median;
}

static double *axis(MrnVec3 *v, int k) {
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static const MrnBox empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(MrnBox *box, MrnBox other) {
    for (int k = 0; k < 3; k++) {
        *axis(&box->low, k) = fmin(*axis(&box->low, k), *axis(&other.low, k));
        *axis(&box->high, k) = fmax(*axis(&box->high, k), *axis(&other.high, k));
    }
}

static bool box_is_finite(const MrnBox *box, int dimension) {
    return isfinite(box->low.x) && isfinite(box->low.y) && isfinite(box->high.x) && isfinite(box->high.y) &&
           (dimension == 2 || (isfinite(box->low.z) && isfinite(box->high.z)));
}

/// Bounds of one shape, z flattened in 2D; false if unbounded.
static bool shape_box(const MrnPicture *picture, int body, const MrnShape *shape, MrnBox *box) {
    MrnPose pose = mrn_picture_body_pose(picture, body);
    if (shape->kind == MRN_SHAPE_RING) {
        // As an obstacle a ring is everything outside its circle; people want to see the circle.
        MrnVec3 centre = mrn_picture_shape_pose(picture, body, shape).position,
                reach = {1.06 * shape->radius, 1.06 * shape->radius, 0};
        *box = (MrnBox){mrn_sub3(centre, reach), mrn_add3(centre, reach)};
        return true;
    }
    *box = mrn_shape_bounds(shape, &pose);
    if (picture->model->dimension == 2) box->low.z = box->high.z = 0;
    return box_is_finite(box, picture->model->dimension);
}

/// A box that bodies far from all others do not stretch: the middle 96 % of the centres, widened by its own size on
/// each side.
static MrnBox main_region(const MrnPicture *picture) {
    const MrnModel *model = picture->model;
    MrnBox region = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    double *values = mrn_alloc(model->bodies.count + 1, sizeof *values);
    double spread = 0, low[3] = {0}, high[3] = {0};
    size_t count = 0;
    for (int k = 0; k < model->dimension; k++) {
        count = 0;
        for (size_t b = 0; b < model->bodies.count; b++)
            if (picture->shown[b] && model->bodies.data[b].kind == MRN_BODY_FREE)
                values[count++] = picture->frame->position[(size_t)model->dimension * b + (size_t)k];
        if (count < 20) break;
        qsort(values, count, sizeof *values, compare_numbers);
        low[k] = values[count / 50], high[k] = values[count - 1 - count / 50];
        spread = fmax(spread, high[k] - low[k]);
    }
    free(values);
    if (count < 20) return region;
    for (int k = 0; k < model->dimension; k++) {
        *axis(&region.low, k) = low[k] - spread - 4 * picture->body_size;
        *axis(&region.high, k) = high[k] + spread + 4 * picture->body_size;
    }
    return region;
}

static bool inside(const MrnBox *region, MrnVec3 p) {
    return p.x >= region->low.x && p.x <= region->high.x && p.y >= region->low.y && p.y <= region->high.y &&
           p.z >= region->low.z && p.z <= region->high.z;
}

static void find_bounds(const MrnPicture *picture, MrnVec3 *low, MrnVec3 *high) {
    const MrnModel *model = picture->model;
    MrnBox region = main_region(picture), box = empty_box, one;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b] || body->kind != MRN_BODY_FREE ||
            !inside(&region, mrn_picture_position(picture, (int)b)))
            continue;
        for (int s = 0; s < body->shape_count; s++)
            if (shape_box(picture, (int)b, &model->shapes.data[body->first_shape + s], &one)) grow(&box, one);
    }
    bool any_free = box.low.x <= box.high.x;
    double reach = 0;
    for (int k = 0; any_free && k < model->dimension; k++)
        reach = fmax(reach, *axis(&box.high, k) - *axis(&box.low, k));
    MrnBox near = box, free_box = box;
    for (int k = 0; k < 3; k++) *axis(&near.low, k) -= 0.5 * reach, *axis(&near.high, k) += 0.5 * reach;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!picture->shown[b] || body->kind == MRN_BODY_FREE) continue;
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            if (!shape_box(picture, (int)b, shape, &one)) continue;
            bool container =
                shape->kind == MRN_SHAPE_RING || shape->kind == MRN_SHAPE_TUBE || shape->kind == MRN_SHAPE_FUNNEL;
            if (any_free && !(container && shape->radius < 20 * reach))
                for (int k = 0; k < 3; k++) {
                    double *a = axis(&one.low, k), *z = axis(&one.high, k);
                    *a = fmin(fmax(*a, *axis(&near.low, k)), *axis(&free_box.high, k));
                    *z = fmax(fmin(*z, *axis(&near.high, k)), *axis(&free_box.low, k));
                }
            grow(&box, one);
        }
    }
    if (!(box.low.x <= box.high.x) || !isfinite(box.high.x - box.low.x) || !isfinite(box.high.y - box.low.y))
        box = (MrnBox){{-1, -1, -1}, {1, 1, 1}};
    // A box without width cannot be shown.
    double widest =
        fmax(box.high.x - box.low.x, fmax(box.high.y - box.low.y, model->dimension == 3 ? box.high.z - box.low.z : 0));
    double largest = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    double least = fmax(fmax(0.02 * widest, 1e-9 * largest), 1e-300);
    for (int k = 0; k < model->dimension; k++)
        if (*axis(&box.high, k) - *axis(&box.low, k) < least) *axis(&box.low, k) -= least, *axis(&box.high, k) += least;
    *low = box.low, *high = box.high;
}

bool mrn_picture_prepare(MrnPicture *picture, const MrnModel *model, const MrnFrame *frame,
                         const MrnDrawOptions *options, MrnError *error) {
    *picture = (MrnPicture){.model = model, .frame = frame, .options = *options};
    if (model->dimension == 3 && options->forces == MRN_FORCES_THRUST) picture->options.forces = MRN_FORCES_CHAINS;
    if (frame->body_count != model->bodies.count)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "the frame has %zu bodies, the model %zu: they belong to different runs", frame->body_count,
                        model->bodies.count);
    if (!(options->force_scale > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "force scale %g: must be > 0", options->force_scale);
    picture->shown = mrn_alloc_zero(model->bodies.count + 1, 1);
    picture->color = mrn_alloc_zero(model->bodies.count + 1, sizeof *picture->color);
    find_shown(picture);
    if (picture->options.cut && model->dimension == 3) cut_open(picture);
    picture->body_size = median_body_size(picture);
    picture->link_count = mrn_links_of_frame(model, frame, picture->shown, &picture->links);
    double sum = 0;
    for (size_t i = 0; i < picture->link_count; i++) sum += picture->links[i].normal_impulse;
    if (picture->link_count) picture->impulse_mean = sum / (double)picture->link_count;
    if (options->impulse_mean > 0) picture->impulse_mean = options->impulse_mean;
    mrn_picture_color_bodies(picture);
    if (options->low[0] < options->high[0]) {
        picture->low = mrn_load3(options->low), picture->high = mrn_load3(options->high);
        for (int k = 1; k < model->dimension; k++)
            if (!(options->low[k] < options->high[k])) {
                mrn_picture_free(picture);
                return mrn_fail(error, MRN_ERROR_INPUT, "view box from %g m to %g m along %c: it is empty",
                                options->low[k], options->high[k], "xyz"[k]);
            }
    } else {
        find_bounds(picture, &picture->low, &picture->high);
    }
    if (!(picture->body_size > 0)) {
        MrnVec3 size = mrn_sub3(picture->high, picture->low);
        picture->body_size = 0.05 * fmax(size.x, size.y);
    }
    return true;
}

void mrn_picture_free(MrnPicture *picture) {
    free(picture->shown);
    free(picture->color);
    free(picture->links);
    *picture = (MrnPicture){0};
}

void mrn_draw_bounds(const MrnModel *model, const MrnFrame *frame, double low[3], double high[3]) {
    MrnPicture picture = {.model = model, .frame = frame};
    picture.shown = mrn_alloc_zero(model->bodies.count + 1, 1);
    if (frame->body_count == model->bodies.count) find_shown(&picture);
    picture.body_size = median_body_size(&picture);
    MrnVec3 a, b;
    find_bounds(&picture, &a, &b);
    mrn_store3(low, a);
    mrn_store3(high, b);
    mrn_picture_free(&picture);
}

#ifdef MORAINE_HAS_CAIRO
/// Page height that fits the scene: the box plus the strips of the labels.
static int page_height(const MrnPicture *picture, int width) {
    if (picture->options.height > 0) return picture->options.height;
    MrnVec3 size = mrn_sub3(picture->high, picture->low);
    double aspect = picture->model->dimension == 2 ? size.x / size.y : mrn_picture_aspect_3d(picture);
    double height = width / fmin(fmax(aspect, 0.9), 6.0) + 0.03 * width + (picture->options.labels ? 0.085 * width : 0);
    // Even, as video coders want it.
    return 2 * (int)(0.5 * fmin(height, 16384));
}

static bool draw(const MrnModel *model, const MrnFrame *frame, const MrnDrawOptions *options, MrnPageKind kind,
                 const char *path, MrnImage *image, MrnError *error) {
    MrnPicture picture;
    MrnCanvas canvas;
    MrnDrawOptions defaults = mrn_draw_defaults(model->dimension);
    if (!options) options = &defaults;
    if (!mrn_picture_prepare(&picture, model, frame, options, error)) return false;
    bool good =
        mrn_canvas_open(&canvas, kind, options->width, page_height(&picture, options->width), options->theme, error);
    if (good) {
        canvas.colors = options->colors;
        if (model->dimension == 2)
            mrn_picture_draw_2d(&canvas, &picture);
        else
            mrn_picture_draw_3d(&canvas, &picture);
        good = mrn_canvas_close(&canvas, path, image, error);
    }
    mrn_picture_free(&picture);
    return good;
}
#endif

bool mrn_draw_frame(const MrnModel *model, const MrnFrame *frame, const MrnDrawOptions *options, const char *path,
                    MrnError *error) {
#ifdef MORAINE_HAS_CAIRO
    MrnPageKind kind;
    return mrn_page_kind(path, &kind, error) && draw(model, frame, options, kind, path, NULL, error);
#else
    (void)model, (void)frame, (void)options, (void)path;
    return mrn_draw_unsupported(error);
#endif
}

bool mrn_draw_frame_image(const MrnModel *model, const MrnFrame *frame, const MrnDrawOptions *options, MrnImage *image,
                          MrnError *error) {
    *image = (MrnImage){0};
#ifdef MORAINE_HAS_CAIRO
    return draw(model, frame, options, MRN_PAGE_MEMORY, NULL, image, error);
#else
    (void)model, (void)frame, (void)options;
    return mrn_draw_unsupported(error);
#endif
}
