// Colours of bodies: a value per body and the scale that explains it, or material.
#include "draw/picture.h"
#include "base/random.h"

#include <stdlib.h>

static double speed(const MrnPicture *picture, size_t body) {
    int d = picture->model->dimension;
    double sum = 0;
    for (int k = 0; k < d; k++)
        sum += picture->frame->velocity[(size_t)d * body + (size_t)k] *
               picture->frame->velocity[(size_t)d * body + (size_t)k];
    return sqrt(sum);
}

static double spin(const MrnPicture *picture, size_t body) {
    const double *w = picture->frame->spin;
    if (picture->model->dimension == 2) return w[body];
    return mrn_norm3(mrn_load3(w + 3 * body));
}

/// Times of birth where they differ, numbers of bodies where all were born together.
static bool births_differ(const MrnPicture *picture) {
    double low = INFINITY, high = -INFINITY;
    for (size_t b = 0; b < picture->model->bodies.count; b++)
        if (picture->shown[b] && picture->model->bodies.data[b].kind == MRN_BODY_FREE) {
            low = fmin(low, picture->model->bodies.data[b].birth);
            high = fmax(high, picture->model->bodies.data[b].birth);
        }
    return high > low;
}

/// Values of all bodies, or NULL when colours are not values. Fills texts of the scale.
static double *body_values(MrnPicture *picture) {
    const MrnModel *model = picture->model;
    size_t count = model->bodies.count;
    double *values = mrn_alloc_zero(count + 1, sizeof *values);
    bool per_time = picture->options.time_step > 0, by_number = false;
    switch (picture->options.color_by) {
    case MRN_COLOR_BY_VELOCITY: picture->scale_text = "speed", picture->scale_unit = "m/s"; break;
    case MRN_COLOR_BY_SPIN:
        picture->scale_text = model->dimension == 2 ? "spin" : "spin rate", picture->scale_unit = "rad/s";
        break;
    case MRN_COLOR_BY_BIRTH:
        by_number = !births_differ(picture);
        picture->scale_text = by_number ? "number of the body" : "time of birth",
        picture->scale_unit = by_number ? "1" : "s";
        break;
    case MRN_COLOR_BY_LOAD:
        picture->scale_text = per_time ? "normal force on the body" : "normal impulse on the body",
        picture->scale_unit = per_time ? "N" : "N s";
        for (size_t i = 0; i < picture->link_count; i++) {
            const MrnLink *link = &picture->links[i];
            double value = per_time ? link->normal_impulse / picture->options.time_step : link->normal_impulse;
            values[link->body_a] += value;
            values[link->body_b] += value;
        }
        return values;
    default: free(values); return NULL;
    }
    for (size_t b = 0; b < count; b++) {
        if (!picture->shown[b]) continue;
        if (picture->options.color_by == MRN_COLOR_BY_VELOCITY)
            values[b] = speed(picture, b);
        else if (picture->options.color_by == MRN_COLOR_BY_SPIN)
            values[b] = spin(picture, b);
        else
            values[b] = by_number ? (double)b : model->bodies.data[b].birth;
    }
    return values;
}

/// Shading darkens what is dark already.
static bool is_dim(const MrnPicture *picture) {
    return picture->options.theme == MRN_THEME_DARK && picture->model->dimension == 3;
}

MrnColor mrn_picture_material_color(const MrnPicture *picture, int material) {
    return mrn_color_lighten(mrn_color_material(material, picture->options.theme), is_dim(picture) ? 0.24 : 0);
}

void mrn_picture_color_bodies(MrnPicture *picture) {
    const MrnModel *model = picture->model;
    MrnTheme theme = picture->options.theme;
    MrnInk ink = mrn_color_ink(theme);
    double *values = body_values(picture), largest = 0;
    bool is_signed = picture->options.color_by == MRN_COLOR_BY_SPIN && model->dimension == 2;
    if (values) {
        for (size_t b = 0; b < model->bodies.count; b++)
            if (picture->shown[b] && model->bodies.data[b].kind == MRN_BODY_FREE && isfinite(values[b]))
                largest = fmax(largest, fabs(values[b]));
        if (picture->options.color_max > 0) largest = picture->options.color_max;
        if (!(largest > 0)) largest = 1;
        picture->has_scale = true;
        picture->scale_high = largest;
        picture->scale_low = is_signed ? -largest : 0;
        MrnColor map[MRN_MAP_SIZE];
        mrn_color_map(is_signed ? MRN_MAP_DIVERGING : MRN_MAP_SEQUENTIAL, theme, map);
        // Shading needs light colours: the dark end of the map is for flat pictures.
        bool lit = model->dimension == 3;
        double from = lit && theme == MRN_THEME_DARK ? 0.25 : 0, to = lit && theme == MRN_THEME_LIGHT ? 0.68 : 1;
        for (int i = 0; i < MRN_MAP_SIZE; i++)
            picture->map[i] = mrn_color_look_up(map, from + (to - from) * i / (MRN_MAP_SIZE - 1));
    }
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnColor *color = &picture->color[b];
        if (body->kind != MRN_BODY_FREE) {
            *color =
                mrn_color_lighten(body->kind == MRN_BODY_DRIVEN ? ink.driven : ink.obstacle, is_dim(picture) ? 0.1 : 0);
        } else if (values) {
            double t = (values[b] - picture->scale_low) / (picture->scale_high - picture->scale_low);
            *color = isfinite(t) ? mrn_color_look_up(picture->map, t) : ink.warning;
        } else {
            bool plain = picture->options.color_by == MRN_COLOR_BY_PLAIN || body->shape_count == 0;
            *color = mrn_picture_material_color(picture, plain ? 0 : model->shapes.data[body->first_shape].material);
            // Neighbours of the same material stay apart for the eye.
            if (!plain) *color = mrn_color_lighten(*color, mrn_random_between(7, b, 0, -0.045, 0.045));
        }
    }
    free(values);
}
