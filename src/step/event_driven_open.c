// How the event-driven stepper begins and ends: defaults, what it refuses, the outlines, images that overlap.
#include "base/error.h"
#include "geom/polygon.h"
#include "step/event_driven.h"

#include <math.h>
#include <stdlib.h>

MrnEventDrivenSettings mrn_event_driven_defaults(void) {
    return (MrnEventDrivenSettings){.contacts = MRN_CONTACTS_ACTIVE,
                                    .stepping = MRN_STEPPING_LOCAL,
                                    .bound = MRN_BOUND_FEATURES,
                                    .pair_distance = MRN_PAIR_MIN,
                                    .collision_distance = 0.01,
                                    .clearance = 0.05,
                                    .cone_tolerance = 1e-3,
                                    .cone_filter = true,
                                    .belt_directions = 19,
                                    .approach_rate = 1e-4,
                                    .lcp_tolerance = 1e-11,
                                    .energy_tolerance = 1e-4,
                                    .relaxed_energy_tolerance = 1e-2,
                                    .variants = 3,
                                    .perturbations = 20,
                                    .quick_sweeps = 40,
                                    .dense_limit = 200,
                                    .together_after = 5,
                                    .max_rounds = 50};
}

static bool check_settings(const MrnEventDrivenSettings *s, MrnError *error) {
    if (!(s->collision_distance > 0 && isfinite(s->collision_distance)))
        return mrn_fail(error, MRN_ERROR_INPUT, "event_driven: collision distance is %g, must be > 0",
                        s->collision_distance);
    if (!(s->clearance > 0 && s->clearance < 1))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "event_driven: clearance is %g, must be above 0 and below 1: without it a corner that slides "
                        "along a floe which turns uses up its gap, and they overlap",
                        s->clearance);
    const struct {
        const char *name;
        double value, least;
        bool above; ///< the least value itself is refused
    } bounds[] = {{"cone tolerance", s->cone_tolerance, 0, false},
                  {"approach rate", s->approach_rate, 0, false},
                  {"LCP tolerance", s->lcp_tolerance, 0, true},
                  {"energy tolerance", s->energy_tolerance, 0, false},
                  {"relaxed energy tolerance", s->relaxed_energy_tolerance, s->energy_tolerance, false}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!(bounds[i].above ? bounds[i].value > bounds[i].least : bounds[i].value >= bounds[i].least))
            return mrn_fail(error, MRN_ERROR_INPUT, "event_driven: %s is %g, must be %s %g", bounds[i].name,
                            bounds[i].value, bounds[i].above ? ">" : ">=", bounds[i].least);
    if (s->span < 0 || s->belt_directions < 4 || s->variants < 1 || s->variants > 3 || s->perturbations < 0 ||
        s->quick_sweeps < 0 || s->dense_limit < 0 || s->together_after < 0 || s->max_rounds < 1)
        return mrn_fail(error, MRN_ERROR_INPUT, "event_driven: a number is out of range");
    return true;
}

static bool check_model(const MrnWorld *world, MrnError *error) {
    const MrnModel *model = world->model;
    if (model->dimension != 2)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the event-driven stepper is for two dimensions");
    size_t pairs = model->materials.count * model->materials.count;
    for (size_t k = 0; k < pairs; k++) {
        if (world->laws[k].tangential_restitution > 0)
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                            "the event-driven stepper knows no tangential restitution (%g)",
                            world->laws[k].tangential_restitution);
        if (world->laws[k].rolling_length > 0)
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "the event-driven stepper knows no rolling resistance");
    }
    return true;
}

/// Some corner of body `inner`, moved by `offset`, lies inside an outline of `outer`.
static bool is_inside(const MrnEventDriven *ed, int inner, int outer, MrnVec2 offset) {
    const MrnModel *model = ed->world->model;
    const MrnEventBody *a = &ed->bodies[inner], *b = &ed->bodies[outer];
    MrnVec2 p = ed->floes->corners.data[ed->floes->floes.data[inner].first_corner].point;
    p = mrn_add2(mrn_add2(a->pose.position, offset), mrn_rotate2(a->pose.c, a->pose.s, p));
    p = mrn_rotate2(b->pose.c, -b->pose.s, mrn_sub2(p, b->pose.position));
    const MrnBody *body = &model->bodies.data[outer];
    for (int s = 0; s < body->shape_count; s++) {
        const MrnShape *shape = &model->shapes.data[body->first_shape + s];
        MrnVec2 q = mrn_sub2(p, mrn_vec2(shape->position[0], shape->position[1]));
        q = mrn_rotate2(cos(shape->rotation[0]), -sin(shape->rotation[0]), q);
        if (shape->kind == MRN_SHAPE_POLYGON && mrn_polygon_contains(shape->vertex_count, shape->vertices, q))
            return true;
        if (shape->kind == MRN_SHAPE_DISC && mrn_norm2(q) < shape->radius) return true;
    }
    return false;
}

/// The world has looked at the bodies themselves; here at images.
static bool check_images(MrnEventDriven *ed, MrnError *error) {
    MrnStepInfo unused = {.smallest_gap = INFINITY};
    ed->info = &unused;
    mrn_event_load(ed);
    mrn_event_find_pairs(ed, 0);
    for (size_t p = 0; p < ed->pairs.count; p++) {
        MrnEventPair *pair = &ed->pairs.data[p];
        if (pair->offset.x == 0 && pair->offset.y == 0) continue;
        mrn_event_look(ed, (int)p, 0, 0);
        MrnVec2 back = mrn_scale2(-1, pair->offset);
        if (pair->separation > 0 && !is_inside(ed, pair->b, pair->a, pair->offset) &&
            !is_inside(ed, pair->a, pair->b, back))
            continue;
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "'%s' overlaps the image of '%s' that the periodic cell puts %.6g m, %.6g m away",
                        mrn_model_body_name(ed->world->model, pair->a), mrn_model_body_name(ed->world->model, pair->b),
                        pair->offset.x, pair->offset.y);
    }
    return true;
}

bool mrn_event_driven_open(MrnWorld *world, MrnError *error) {
    const MrnModel *model = world->model;
    const MrnEventDrivenSettings *settings = &world->scheme.event_driven;
    if (!check_settings(settings, error) || !check_model(world, error)) return false;
    MrnFloeRules rules = {settings->collision_distance, settings->span};
    MrnFloeSet *floes = mrn_floe_set_new(model, &rules, error);
    if (!floes) return false;
    size_t n = model->bodies.count;
    MrnEventDriven *ed = mrn_alloc_zero(1, sizeof *ed);
    world->own = ed;
    ed->world = world;
    ed->floes = floes;
    ed->proxy_count = model->periodic ? 5 * n : n;
    ed->broad = mrn_broad_new(ed->proxy_count);
    ed->proxies = mrn_alloc_zero(ed->proxy_count + 1, sizeof *ed->proxies);
    ed->bodies = mrn_alloc_zero(n + 1, sizeof *ed->bodies);
    ed->near_start = mrn_alloc_zero(n + 2, sizeof *ed->near_start);
    ed->kick = mrn_alloc_zero(3 * n + 1, sizeof(double));
    ed->saved = mrn_alloc_zero(6 * n + 1, sizeof(double));
    for (size_t b = 0; b < n; b++) {
        ed->bodies[b].mark = -1;
        if (model->bodies.data[b].kind == MRN_BODY_FREE) ed->longest = fmax(ed->longest, floes->floes.data[b].belt);
    }
    if (model->periodic) {
        ed->period =
            mrn_vec2(model->period_high[0] - model->period_low[0], model->period_high[1] - model->period_low[1]);
        for (size_t b = 0; b < n; b++) {
            double width = 2 * (floes->floes.data[b].belt + 2 * floes->floes.data[b].distance);
            if (width < fmin(ed->period.x, ed->period.y)) continue;
            return mrn_fail(error, MRN_ERROR_INPUT,
                            "'%s' may be %.6g m wide, which is too large for a periodic cell of %.6g m by %.6g m: it "
                            "would meet its own image",
                            mrn_model_body_name(model, (int)b), width, ed->period.x, ed->period.y);
        }
        return check_images(ed, error);
    }
    return true;
}

void mrn_event_driven_close(MrnWorld *world) {
    MrnEventDriven *ed = world->own;
    if (!ed) return;
    mrn_floe_set_free(ed->floes);
    mrn_broad_free(ed->broad);
    free(ed->proxies);
    free(ed->bodies);
    free(ed->near_start);
    free(ed->kick);
    free(ed->saved);
    mrn_array_free(&ed->candidates);
    mrn_array_free(&ed->pairs);
    mrn_array_free(&ed->pool);
    mrn_array_free(&ed->heap);
    mrn_array_free(&ed->near);
    mrn_floe_probe_free(&ed->probe);
    mrn_array_free(&ed->dirty);
    mrn_array_free(&ed->changed);
    mrn_array_free(&ed->queue);
    mrn_array_free(&ed->actives);
    mrn_array_free(&ed->approaching);
    mrn_array_free(&ed->contacts);
    mrn_array_free(&ed->members);
    mrn_array_free(&ed->velocities);
    mrn_array_free(&ed->inverses);
    mrn_array_free(&ed->records);
    mrn_arena_free(&ed->arena);
    free(ed);
    world->own = NULL;
}
