// Breaking of floes: criterion, crack, pieces. See breaking.h and docs/floes.md.
#include "step/breaking.h"
#include "base/error.h"
#include "geom/crack.h"
#include "geom/polygon.h"
#include "model/life.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI         3.14159265358979323846
#define DIRECTIONS 12       ///< tried on either side of the impulse within the angle
#define GAP        0.2      ///< between the pieces, over the collision distance of the smaller one
#define CORNER     (PI / 6) ///< least angle of a piece where a crack ends, and
#define ROUNDNESS  2.5      ///< most roundness of a piece: no slivers
#define SAMPLES    16       ///< of the thickness along a crack

MrnBreakingSettings mrn_breaking_defaults(void) {
    return (MrnBreakingSettings){.angle = PI / 6, .material = -1};
}

/// A body that cracks can go through, if it is large enough.
static bool is_brittle(const MrnModel *model, const MrnBreakingSettings *settings, const MrnBody *body) {
    if (body->kind != MRN_BODY_FREE || body->shape_count != 1 || !(body->thickness > 0) || body->group > 0)
        return false;
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    return shape->kind == MRN_SHAPE_POLYGON && shape->radius == 0 &&
           (settings->material < 0 || shape->material == settings->material);
}

bool mrn_breaking_check(const MrnBreakingSettings *settings, const MrnModel *model, const char *stepper,
                        MrnError *error) {
    if (settings->energy == 0) return true;
    if (!(settings->energy > 0) || !isfinite(settings->energy))
        return mrn_fail(error, MRN_ERROR_INPUT, "breaking: energy is %g J/m2, must be > 0", settings->energy);
    if (!(settings->smallest > 0) || !isfinite(settings->smallest))
        return mrn_fail(error, MRN_ERROR_INPUT, "breaking: smallest is %g m2, must be > 0", settings->smallest);
    if (!(settings->angle >= 0 && settings->angle < 1.57))
        return mrn_fail(error, MRN_ERROR_INPUT, "breaking: angle is %g rad, must be between 0 and 1.57 (89.9 degrees)",
                        settings->angle);
    if (!(settings->memory >= 0)) // may be infinite
        return mrn_fail(error, MRN_ERROR_INPUT, "breaking: memory is %g s, must be >= 0", settings->memory);
    if (settings->material >= 0 && (size_t)settings->material >= model->materials.count)
        return mrn_fail(error, MRN_ERROR_INPUT, "breaking: material %d, the model has %zu", settings->material,
                        model->materials.count);
    if (model->dimension != 2)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "breaking: bodies break in two dimensions only");
    if (strcmp(stepper, "event-driven") != 0 && strcmp(stepper, "moreau-jean") != 0)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "breaking: bodies break under event-driven and moreau-jean, not under %.100s", stepper);
    for (size_t b = 0; b < model->bodies.count; b++)
        if (is_brittle(model, settings, &model->bodies.data[b])) return true;
    return mrn_fail(error, MRN_ERROR_INPUT,
                    "breaking: no body can break: that takes a free body of one sharp polygon%s with a thickness, in "
                    "no group",
                    settings->material >= 0 ? " of the named material" : "");
}

// ---- blows ----

void mrn_breaking_report(MrnWorld *world, const MrnBlowPair *pair) {
    if (!world->grown || !(pair->energy > 0)) return;
    const MrnModel *model = world->model;
    const MrnBreakingSettings *settings = &world->scheme.breaking;
    bool brittle[2];
    for (int k = 0; k < 2; k++) brittle[k] = is_brittle(model, settings, &model->bodies.data[pair->body[k]]);
    for (int k = 0; k < 2; k++) {
        if (!brittle[k]) continue;
        double weight = mrn_norm2(pair->impulse), c = pair->turn[k][0], s = -pair->turn[k][1];
        MrnBlow blow = {.body = pair->body[k],
                        .other = pair->body[1 - k],
                        .order = world->blows.count,
                        .point = mrn_scale2(weight, mrn_rotate2(c, s, pair->arm[k])),
                        .impulse = mrn_rotate2(c, s, mrn_scale2(k ? 1 : -1, pair->impulse)),
                        .weight = weight,
                        // Both sides bear the same force: what both can take they share.
                        .energy = brittle[1 - k] ? 0.5 * pair->energy : pair->energy};
        mrn_array_push(&world->blows, blow);
    }
}

static int compare_blows(const void *left, const void *right) {
    const MrnBlow *p = left, *q = right;
    if (p->body != q->body) return p->body < q->body ? -1 : 1;
    if (p->other != q->other) return p->other < q->other ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/// One blow per body and other body.
static void merge_blows(MrnWorld *world) {
    MrnBlow *blow = world->blows.data;
    size_t kept = 0;
    if (world->blows.count) qsort(blow, world->blows.count, sizeof *blow, compare_blows);
    for (size_t k = 0; k < world->blows.count; k++) {
        if (kept && blow[kept - 1].body == blow[k].body && blow[kept - 1].other == blow[k].other) {
            MrnBlow *sum = &blow[kept - 1];
            sum->point = mrn_add2(sum->point, blow[k].point);
            sum->impulse = mrn_add2(sum->impulse, blow[k].impulse);
            sum->weight += blow[k].weight;
            sum->energy += blow[k].energy;
        } else
            blow[kept++] = blow[k];
    }
    world->blows.count = kept;
}

// ---- pieces ----

/// Thickness of the mesh element nearest to a point.
static double thickness_at(const MrnFloeMesh *mesh, MrnVec2 point) {
    double nearest = INFINITY, thickness = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        MrnVec2 centre = {0, 0};
        for (size_t k = 0; k < 3; k++)
            centre = mrn_add2(centre, mrn_vertex2(mesh->vertices, (size_t)mesh->triangles[3 * t + k]));
        MrnVec2 away = mrn_sub2(point, mrn_scale2(1.0 / 3, centre));
        if (mrn_dot2(away, away) >= nearest) continue;
        nearest = mrn_dot2(away, away);
        thickness = mesh->thickness[t];
    }
    return thickness;
}

/// Mean thickness along a crack.
static double crack_thickness(const MrnBody *body, const MrnCrack *crack) {
    if (!body->mesh || !body->mesh->thickness) return body->thickness;
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        sum += thickness_at(body->mesh,
                            mrn_add2(crack->from, mrn_scale2((i + 0.5) / SAMPLES, mrn_sub2(crack->to, crack->from))));
    return sum / SAMPLES;
}

static double thinnest(const MrnBody *body) {
    if (!body->mesh || !body->mesh->thickness) return body->thickness;
    double least = INFINITY;
    for (size_t t = 0; t < body->mesh->triangle_count; t++) least = fmin(least, body->mesh->thickness[t]);
    return least;
}

/// Outline of a body of one polygon, in the frame of the body.
static double *outline_of(const MrnShape *shape) {
    double *outline = mrn_alloc(2 * shape->vertex_count, sizeof(double));
    double c = cos(shape->rotation[0]), s = sin(shape->rotation[0]);
    for (size_t i = 0; i < shape->vertex_count; i++) {
        MrnVec2 p = mrn_rotate2(c, s, mrn_vertex2(shape->vertices, i));
        outline[2 * i] = p.x + shape->position[0];
        outline[2 * i + 1] = p.y + shape->position[1];
    }
    return outline;
}

/// Mesh of a piece with the thickness of the elements of the floe that broke; NULL if it cannot be made.
static MrnFloeMesh *mesh_of(const MrnModel *model, const MrnBody *body, const MrnCrackPiece *piece) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = piece->count;
    shape.vertices = piece->vertices;
    MrnFloeMesh *mesh = mrn_floe_mesh_new(&shape, 1, mrn_life_elements(model));
    if (!mesh) return NULL;
    mesh->thickness = mrn_alloc(mesh->triangle_count, sizeof(double));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        MrnVec2 centre = {0, 0};
        for (size_t k = 0; k < 3; k++)
            centre = mrn_add2(centre, mrn_vertex2(mesh->vertices, (size_t)mesh->triangles[3 * t + k]));
        mesh->thickness[t] = thickness_at(body->mesh, mrn_scale2(1.0 / 3, centre));
    }
    return mesh;
}

/// Masses of the two pieces, in the frame of the floe, so that they add up to the floe.
static bool weigh(const MrnModel *model, const MrnBody *body, double area, const MrnCrackPiece pieces[2],
                  MrnLump lumps[2], MrnFloeMesh *meshes[2]) {
    MrnLump whole = {body->mass, body->inertia[2], {0, 0}};
    bool varies = body->mesh && body->mesh->thickness;
    for (int k = 0; k < 2; k++) {
        if (varies) {
            meshes[k] = mesh_of(model, body, &pieces[k]);
            if (!meshes[k]) return false;
            MrnMassProperties mass = mrn_floe_mesh_mass(meshes[k], body->mass / (area * body->thickness));
            lumps[k] = (MrnLump){mass.mass, mass.inertia[2][2], {mass.centre[0], mass.centre[1]}};
        } else {
            MrnAreaMoments moments = mrn_polygon_moments(pieces[k].whole_count, pieces[k].whole);
            double density = body->mass / area;
            lumps[k] = (MrnLump){density * moments.area, density * moments.polar, moments.centre};
        }
    }
    return mrn_lump_match(&whole, lumps, 2);
}

/// The event of a floe that breaks into these pieces. False if a piece cannot be made.
static bool replace(MrnWorld *world, int index, const MrnCrack *crack, const MrnCrackPiece pieces[2], double area,
                    double energy) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    MrnBody body = model->bodies.data[index]; // the array moves when bodies are added
    int material = model->shapes.data[body.first_shape].material;
    MrnLump lumps[2];
    MrnFloeMesh *meshes[2] = {NULL, NULL};
    size_t b = (size_t)index;
    double c = cos(state->rotation[b]), s = sin(state->rotation[b]), damage = state->damage[b];
    MrnVec2 position = {state->position[2 * b], state->position[2 * b + 1]},
            velocity = {state->velocity[2 * b], state->velocity[2 * b + 1]};
    MrnBirth born[2];
    double *outline[2] = {NULL, NULL};
    bool good = weigh(model, &body, area, pieces, lumps, meshes);
    for (int k = 0; k < 2 && good; k++) {
        MrnVec2 arm = mrn_rotate2(c, s, lumps[k].centre), at = mrn_add2(position, arm),
                v = mrn_add2(velocity, mrn_scale2(state->spin[b], mrn_perp2(arm)));
        double share = lumps[k].mass / body.mass, own = mrn_polygon_area(pieces[k].count, pieces[k].vertices);
        outline[k] = mrn_alloc(2 * pieces[k].count, sizeof(double));
        for (size_t i = 0; i < pieces[k].count; i++) {
            outline[k][2 * i] = pieces[k].vertices[2 * i] - lumps[k].centre.x;
            outline[k][2 * i + 1] = pieces[k].vertices[2 * i + 1] - lumps[k].centre.y;
        }
        born[k] = (MrnBirth){.material = material,
                             .vertex_count = pieces[k].count,
                             .vertices = outline[k],
                             .mass = lumps[k].mass,
                             .inertia = lumps[k].inertia,
                             .thickness = body.thickness * share * area / own,
                             .collision_distance = body.collision_distance,
                             .force = {share * body.load->force[0], share * body.load->force[1]},
                             .torque = share * body.load->torque[2],
                             .position = {at.x, at.y},
                             .rotation = state->rotation[b],
                             .velocity = {v.x, v.y},
                             .spin = state->spin[b],
                             .element_count = meshes[k] ? meshes[k]->triangle_count : 0,
                             .elements = meshes[k] ? meshes[k]->thickness : NULL};
    }
    MrnVec2 from = mrn_add2(position, mrn_rotate2(c, s, crack->from));
    MrnLifeEvent event = {.step = state->step[0],
                          .time = state->time[0],
                          .kind = MRN_LIFE_BREAKING,
                          .position = {from.x, from.y},
                          .energy = energy};
    good = good && mrn_model_add_event(world->grown, &event, &index, 1, born, 2, NULL);
    if (good) {
        const MrnLifeEvent *done = &model->events.data[model->events.count - 1];
        mrn_state_follow(state, model, done);
        for (int k = 0; k < 2; k++) state->damage[done->first_born + k] = (damage - energy) * lumps[k].mass / body.mass;
    }
    for (int k = 0; k < 2; k++) {
        free(outline[k]);
        mrn_floe_mesh_free(meshes[k]);
    }
    return good;
}

/// Energy of the crack that this blow opens, if the damage of the body is enough for it and the body was replaced;
/// else 0.
static double crack_open(MrnWorld *world, const MrnBlow *blow) {
    const MrnModel *model = world->model;
    const MrnBreakingSettings *settings = &world->scheme.breaking;
    const MrnBody *body = &model->bodies.data[blow->body];
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    double damage = world->state->damage[blow->body], area = mrn_polygon_area(shape->vertex_count, shape->vertices);
    if (area < 2 * settings->smallest) return 0;
    double distance = body->collision_distance > 0 ? body->collision_distance : 0;
    MrnCrackRules rules = {.smallest = settings->smallest,
                           .angle = settings->angle,
                           .directions = DIRECTIONS,
                           .corner = CORNER,
                           .roundness = ROUNDNESS,
                           .longest = damage / (settings->energy * thinnest(body)),
                           .gap = GAP * distance,
                           .gap_share = distance > 0 ? 0 : GAP * world->scheme.event_driven.collision_distance};
    double *outline = outline_of(shape), energy = 0;
    MrnCrack crack;
    MrnCrackPiece pieces[2];
    if (mrn_crack_shortest(shape->vertex_count, outline, mrn_scale2(1 / blow->weight, blow->point), blow->impulse,
                           &rules, &crack, pieces)) {
        energy = settings->energy * crack_thickness(body, &crack) * crack.length;
        if (energy > damage || !replace(world, blow->body, &crack, pieces, area, energy)) energy = 0;
        mrn_crack_free(pieces);
    }
    free(outline);
    return energy;
}

void mrn_breaking_apply(MrnWorld *world, MrnStepInfo *info) {
    if (!world->grown) return;
    MrnState *state = world->state;
    const MrnBreakingSettings *settings = &world->scheme.breaking;
    double kept = settings->memory > 0 ? exp(-world->scheme.time_step / settings->memory) : 0;
    for (size_t b = 0; b < state->body_count; b++) state->damage[b] *= kept;
    merge_blows(world);
    for (size_t begin = 0, end; begin < world->blows.count; begin = end) {
        const MrnBlow *hardest = &world->blows.data[begin];
        for (end = begin; end < world->blows.count && world->blows.data[end].body == hardest->body; end++) {
            state->damage[hardest->body] += world->blows.data[end].energy;
            if (world->blows.data[end].energy > hardest->energy) hardest = &world->blows.data[end];
        }
        double energy = crack_open(world, hardest);
        if (energy > 0) info->broken++, info->fracture_energy += energy;
    }
    world->blows.count = 0;
}
