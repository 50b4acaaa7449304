// How much of a body lies in a region.
//
// The common area of a disc and a rectangle is integrated strip by strip in closed form: between the abscissas where
// the circle meets a side, the upper and lower ends of a strip are each a side or the circle. The common volume of a
// ball and a box is the integral of that area over the height; between the heights where the section meets a side or a
// corner the integrand is smooth after the substitution z = m - l cos(theta), so that Gauss's rule on halved intervals
// gives all digits.
#include "measure/region.h"

#include <math.h>
#include <stdlib.h>

bool mrn_region_holds(const MrnRegion *region, int dimension, const double *point) {
    double square = 0;
    for (int k = 0; k < dimension; k++) {
        if (region->kind == MRN_REGION_BOX && !(point[k] >= region->low[k] && point[k] <= region->high[k]))
            return false;
        square += (point[k] - region->centre[k]) * (point[k] - region->centre[k]);
    }
    return region->kind != MRN_REGION_BALL || square <= region->radius * region->radius;
}

double mrn_region_volume(const MrnRegion *region, int dimension) {
    double volume = 1, r = region->radius;
    if (region->kind == MRN_REGION_ALL) return INFINITY;
    if (region->kind == MRN_REGION_BALL) return dimension == 2 ? M_PI * r * r : 4.0 / 3 * M_PI * r * r * r;
    for (int k = 0; k < dimension; k++) volume *= region->high[k] - region->low[k];
    return volume;
}

/// Integral of sqrt(r^2 - x^2) from 0 to x.
static double half_disc(double x, double r) {
    x = fmin(fmax(x, -r), r);
    return 0.5 * (x * sqrt(fmax(0, r * r - x * x)) + r * r * asin(x / r));
}

static void sort_numbers(double *values, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double swap = values[j];
            values[j] = values[j - 1], values[j - 1] = swap;
        }
}

/// Area of the disc of radius r about the origin within a rectangle.
static double disc_in_rectangle(double r, double left, double right, double bottom, double top) {
    left = fmax(left, -r), right = fmin(right, r);
    if (!(left < right) || bottom >= r || top <= -r || !(r > 0)) return 0;
    double cut[6] = {left, right}, area = 0;
    int count = 2;
    for (int i = 0; i < 2; i++) {
        double side = i ? top : bottom, x = r > fabs(side) ? sqrt(r * r - side * side) : NAN;
        if (x > left && x < right) cut[count++] = x;
        if (-x > left && -x < right) cut[count++] = -x;
    }
    sort_numbers(cut, count);
    for (int i = 0; i + 1 < count; i++) {
        double a = cut[i], b = cut[i + 1], middle = 0.5 * (a + b), s = sqrt(fmax(0, r * r - middle * middle));
        if (fmin(top, s) <= fmax(bottom, -s)) continue;
        double circle = half_disc(b, r) - half_disc(a, r);
        area += (top < s ? top * (b - a) : circle) - (bottom > -s ? bottom * (b - a) : -circle);
    }
    return area;
}

/// Common part of two discs, or of two balls, at distance d.
static double lens(int dimension, double r, double s, double d) {
    double small = fmin(r, s);
    if (d >= r + s) return 0;
    if (d <= fabs(r - s)) return dimension == 2 ? M_PI * small * small : 4.0 / 3 * M_PI * small * small * small;
    if (dimension == 3) {
        double t = r + s - d;
        return M_PI * t * t * (d * d + 2 * d * (r + s) - 3 * (r - s) * (r - s)) / (12 * d);
    }
    double a = (d * d + r * r - s * s) / (2 * d), b = d - a; // distances of the chord from the two centres
    double height = sqrt(fmax(0, r * r - a * a));
    return r * r * acos(fmin(fmax(a / r, -1), 1)) + s * s * acos(fmin(fmax(b / s, -1), 1)) - d * height;
}

static double distance_between(int dimension, const double *a, const double *b) {
    double square = 0;
    for (int k = 0; k < dimension; k++) square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

double mrn_region_of_disc(const MrnRegion *region, const double c[2], double r) {
    if (region->kind == MRN_REGION_ALL) return M_PI * r * r;
    if (region->kind == MRN_REGION_BALL) return lens(2, r, region->radius, distance_between(2, c, region->centre));
    return disc_in_rectangle(r, region->low[0] - c[0], region->high[0] - c[0], region->low[1] - c[1],
                             region->high[1] - c[1]);
}

enum { GAUSS = 16 };

/// Nodes and weights of Gauss's rule on (-1, 1), by Newton on the Legendre polynomial.
static void gauss_rule(double node[GAUSS], double weight[GAUSS]) {
    for (int i = 0; i < GAUSS; i++) {
        double x = cos(M_PI * (i + 0.75) / (GAUSS + 0.5)), derivative = 1;
        for (int round = 0; round < 50; round++) {
            double p = 1, before = 0;
            for (int n = 1; n <= GAUSS; n++) {
                double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
                before = p, p = next;
            }
            derivative = GAUSS * (x * p - before) / (x * x - 1);
            double change = p / derivative;
            x -= change;
            if (fabs(change) < 1e-15) break;
        }
        node[i] = x;
        weight[i] = 2 / ((1 - x * x) * derivative * derivative);
    }
}

/// A ball about the origin cut at some height, within a rectangle.
typedef struct Section {
    double radius, left, right, bottom, top;
    double node[GAUSS], weight[GAUSS];
} Section;

/// Gauss's rule in theta for the volume between two heights.
static double between(const Section *section, double low, double high) {
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), sum = 0, r = section->radius;
    for (int k = 0; k < GAUSS; k++) {
        double angle = 0.5 * M_PI * (section->node[k] + 1), z = middle - half * cos(angle);
        sum += 0.5 * M_PI * section->weight[k] * half * sin(angle) *
               disc_in_rectangle(sqrt(fmax(0, r * r - z * z)), section->left, section->right, section->bottom,
                                 section->top);
    }
    return sum;
}

/// Halved until both halves give the same: the next height with a corner may be close to an end.
static double integrate(const Section *section, double low, double high, double whole, double tolerance, int depth) {
    double middle = 0.5 * (low + high), lower = between(section, low, middle), upper = between(section, middle, high);
    if (depth == 0 || fabs(lower + upper - whole) <= tolerance) return lower + upper;
    return integrate(section, low, middle, lower, tolerance, depth - 1) +
           integrate(section, middle, high, upper, tolerance, depth - 1);
}

double mrn_region_of_ball(const MrnRegion *region, const double c[3], double r) {
    double whole = 4.0 / 3 * M_PI * r * r * r, low[3], high[3];
    if (region->kind == MRN_REGION_ALL) return whole;
    if (region->kind == MRN_REGION_BALL) return lens(3, r, region->radius, distance_between(3, c, region->centre));
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        low[k] = region->low[k] - c[k], high[k] = region->high[k] - c[k];
        if (low[k] >= r || high[k] <= -r) return 0;
        inside &= low[k] <= -r && high[k] >= r;
    }
    if (inside) return whole;
    double bottom = fmax(low[2], -r), top = fmin(high[2], r), cut[18] = {bottom, top};
    int count = 2;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double x = i ? high[0] : low[0], y = j ? high[1] : low[1];
            double squares[2] = {x * x + y * y, i == j ? x * x : y * y}; // corner, then each side once or twice
            for (int k = 0; k < 2; k++) {
                double z = squares[k] < r * r ? sqrt(r * r - squares[k]) : NAN;
                if (z > bottom && z < top) cut[count++] = z;
                if (-z > bottom && -z < top) cut[count++] = -z;
            }
        }
    sort_numbers(cut, count);
    Section section = {.radius = r, .left = low[0], .right = high[0], .bottom = low[1], .top = high[1]};
    gauss_rule(section.node, section.weight);
    double sum = 0;
    for (int i = 0; i + 1 < count; i++)
        if (cut[i + 1] > cut[i])
            sum += integrate(&section, cut[i], cut[i + 1], between(&section, cut[i], cut[i + 1]), 1e-15 * whole, 12);
    return sum;
}

// ---- Bodies ----

static double shape_volume(const MrnShape *shape) {
    return mrn_shape_is_solid(shape->kind) ? mrn_shape_mass(shape, 1).mass : 0;
}

double mrn_body_volume(const MrnModel *model, int body) {
    const MrnBody *about = &model->bodies.data[body];
    double sum = 0;
    for (int s = 0; s < about->shape_count; s++) sum += shape_volume(&model->shapes.data[about->first_shape + s]);
    return sum;
}

bool mrn_frame_has(const MrnModel *model, const MrnFrame *frame, int body) {
    return model->bodies.data[body].kind == MRN_BODY_FREE && (size_t)body < frame->body_count && frame->active[body];
}

MrnPose mrn_frame_pose(const MrnModel *model, const MrnFrame *frame, int body) {
    const double *x = frame->position + (size_t)model->dimension * (size_t)body;
    if (model->dimension == 3)
        return (MrnPose){mrn_load3(x), mrn_quat_matrix(mrn_quat_load(frame->rotation + 4 * (size_t)body))};
    double c = cos(frame->rotation[body]), s = sin(frame->rotation[body]);
    return (MrnPose){{x[0], x[1], 0}, {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
}

/// Origin of a shape in space.
static MrnVec3 shape_origin(const MrnShape *shape, const MrnPose *pose) {
    MrnVec3 at = mrn_load3(shape->position);
    return mrn_add3(pose->position, mrn_mat3_times(&pose->rotation, at));
}

/// Area of a simple polygon within a box: clipped by one side after another. Parts that a clip leaves joined are joined
/// by edges on the side, which enclose nothing.
static double polygon_in_box(const MrnShape *shape, const MrnPose *pose, const MrnRegion *region) {
    size_t count = shape->vertex_count;
    MrnVec2 *from = mrn_alloc(16 * count + 16, sizeof *from), *to = mrn_alloc(16 * count + 16, sizeof *to);
    double c = cos(shape->rotation[0]), s = sin(shape->rotation[0]);
    for (size_t i = 0; i < count; i++) {
        MrnVec2 own = mrn_rotate2(c, s, mrn_vec2(shape->vertices[2 * i], shape->vertices[2 * i + 1]));
        own = mrn_rotate2(pose->rotation.m[0][0], pose->rotation.m[1][0],
                          mrn_add2(own, mrn_vec2(shape->position[0], shape->position[1])));
        from[i] = mrn_add2(own, mrn_vec2(pose->position.x, pose->position.y));
    }
    for (int side = 0; side < 4; side++) {
        int axis = side / 2;
        double limit = side % 2 ? region->high[axis] : region->low[axis], sign = side % 2 ? -1 : 1;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            MrnVec2 a = from[i], b = from[(i + 1) % count];
            double u = sign * ((axis ? a.y : a.x) - limit), v = sign * ((axis ? b.y : b.x) - limit);
            if (u >= 0) to[kept++] = a;
            if ((u > 0 && v < 0) || (u < 0 && v > 0)) to[kept++] = mrn_add2(a, mrn_scale2(u / (u - v), mrn_sub2(b, a)));
        }
        MrnVec2 *swap = from;
        from = to, to = swap, count = kept;
    }
    double twice = 0;
    for (size_t i = 0; i < count; i++)
        twice += mrn_cross2(mrn_sub2(from[i], from[0]), mrn_sub2(from[(i + 1) % count], from[0]));
    free(from);
    free(to);
    return 0.5 * twice;
}

/// 1: the box is in the region, 0: they have nothing in common, -1: not clear.
static int place_of_box(const MrnRegion *region, int dimension, const MrnBox *box) {
    const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    if (region->kind == MRN_REGION_ALL) return 1;
    bool inside = true;
    double nearest = 0, farthest = 0;
    for (int k = 0; k < dimension; k++) {
        if (region->kind == MRN_REGION_BOX) {
            if (high[k] <= region->low[k] || low[k] >= region->high[k]) return 0;
            inside &= low[k] >= region->low[k] && high[k] <= region->high[k];
        } else {
            double below = low[k] - region->centre[k], above = high[k] - region->centre[k];
            double near = below > 0 ? below : above < 0 ? above : 0, far = fmax(fabs(below), fabs(above));
            nearest += near * near, farthest += far * far;
        }
    }
    if (region->kind == MRN_REGION_BOX) return inside ? 1 : -1;
    double square = region->radius * region->radius;
    return nearest >= square ? 0 : farthest <= square ? 1 : -1;
}

double mrn_body_volume_in(const MrnModel *model, const MrnFrame *frame, int body, const MrnRegion *region,
                          bool *exact) {
    const MrnBody *about = &model->bodies.data[body];
    MrnPose pose = mrn_frame_pose(model, frame, body);
    double sum = 0;
    for (int s = 0; s < about->shape_count; s++) {
        const MrnShape *shape = &model->shapes.data[about->first_shape + s];
        if (!mrn_shape_is_solid(shape->kind)) continue;
        MrnBox box = mrn_shape_bounds(shape, &pose);
        int place = place_of_box(region, model->dimension, &box);
        if (place == 0) continue;
        MrnVec3 origin = shape_origin(shape, &pose);
        double at[3] = {origin.x, origin.y, origin.z};
        if (place == 1)
            sum += shape_volume(shape);
        else if (shape->kind == MRN_SHAPE_DISC)
            sum += mrn_region_of_disc(region, at, shape->radius);
        else if (shape->kind == MRN_SHAPE_SPHERE)
            sum += mrn_region_of_ball(region, at, shape->radius);
        else if (shape->kind == MRN_SHAPE_POLYGON && shape->radius == 0 && region->kind == MRN_REGION_BOX)
            sum += polygon_in_box(shape, &pose, region);
        else {
            if (exact) *exact = false;
            MrnMassProperties mass = mrn_shape_mass(shape, 1); // in the frame of the body
            MrnVec3 centre = mrn_add3(pose.position, mrn_mat3_times(&pose.rotation, mrn_load3(mass.centre)));
            if (mrn_region_holds(region, model->dimension, (double[3]){centre.x, centre.y, centre.z})) sum += mass.mass;
        }
    }
    return sum;
}

bool mrn_frame_box(const MrnModel *model, const MrnFrame *frame, MrnRegion *box) {
    *box = (MrnRegion){.kind = MRN_REGION_BOX};
    for (int k = 0; k < 3; k++) box->low[k] = INFINITY, box->high[k] = -INFINITY;
    bool any = false;
    for (size_t b = 0; b < frame->body_count; b++) {
        if (!mrn_frame_has(model, frame, (int)b)) continue;
        MrnPose pose = mrn_frame_pose(model, frame, (int)b);
        const MrnBody *body = &model->bodies.data[b];
        for (int s = 0; s < body->shape_count; s++) {
            MrnBox own = mrn_shape_bounds(&model->shapes.data[body->first_shape + s], &pose);
            const double low[3] = {own.low.x, own.low.y, own.low.z}, high[3] = {own.high.x, own.high.y, own.high.z};
            for (int k = 0; k < model->dimension; k++)
                box->low[k] = fmin(box->low[k], low[k]), box->high[k] = fmax(box->high[k], high[k]);
            any = true;
        }
    }
    return any;
}

double mrn_body_reach_along(const MrnModel *model, const MrnFrame *frame, int body, const double *direction) {
    const MrnBody *about = &model->bodies.data[body];
    MrnPose pose = mrn_frame_pose(model, frame, body);
    double farthest = -INFINITY;
    for (int s = 0; s < about->shape_count; s++) {
        const MrnShape *shape = &model->shapes.data[about->first_shape + s];
        MrnVec3 n = mrn_load3(direction);
        if (shape->kind == MRN_SHAPE_DISC || shape->kind == MRN_SHAPE_SPHERE) {
            MrnVec3 centre = mrn_add3(pose.position, mrn_mat3_times(&pose.rotation, mrn_load3(shape->position)));
            farthest = fmax(farthest, mrn_dot3(centre, n) + shape->radius);
        } else {
            MrnBox box = mrn_shape_bounds(shape, &pose);
            double sum = (n.x > 0 ? box.high.x : box.low.x) * n.x + (n.y > 0 ? box.high.y : box.low.y) * n.y;
            if (model->dimension == 3) sum += (n.z > 0 ? box.high.z : box.low.z) * n.z;
            farthest = fmax(farthest, sum);
        }
    }
    return farthest;
}
