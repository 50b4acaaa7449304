// Springs of smooth contacts in the state, their energy, and contacts for readers.
#include "step/dem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A contact in the order of the state: by bodies A < B, then feature.
typedef struct Entry {
    int32_t a, b;
    uint64_t feature;
    double spring[3]; ///< of A against B
} Entry;

static int compare_entries(const void *left, const void *right) {
    const Entry *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

static Entry wall_entry(const MrnDem *dem, const MrnDemWall *wall) {
    int32_t grain = dem->body[wall->grain], obstacle = dem->obstacles[wall->obstacle].body;
    Entry entry = {grain < obstacle ? grain : obstacle, grain < obstacle ? obstacle : grain, wall->feature, {0}};
    for (int k = 0; k < 3; k++) entry.spring[k] = grain < obstacle ? wall->spring[k] : -wall->spring[k];
    return entry;
}

static void store_entry(MrnState *state, size_t n, const Entry *entry) {
    size_t dim = (size_t)state->dimension, width = dim == 2 ? 1 : 3;
    state->memory_body[2 * n] = entry->a, state->memory_body[2 * n + 1] = entry->b;
    state->memory_feature[n] = entry->feature;
    state->memory_normal_impulse[n] = 0;
    state->memory_age[n] = 0;
    for (size_t k = 0; k < dim; k++) {
        state->memory_tangent_impulse[n * dim + k] = 0;
        state->memory_spring[n * dim + k] = entry->spring[k];
    }
    for (size_t k = 0; k < width; k++) state->memory_couple[n * width + k] = 0;
}

void mrn_dem_store_memory(MrnWorld *world, const MrnDem *dem) {
    MrnState *state = world->state;
    size_t walls = dem->walls.count, count = dem->contact_count + walls, n = 0, w = 0;
    Entry *sorted = mrn_arena_take(&world->scratch, walls + 1, sizeof *sorted);
    for (size_t k = 0; k < walls; k++) sorted[k] = wall_entry(dem, &dem->walls.data[k]);
    qsort(sorted, walls, sizeof *sorted, compare_entries);
    mrn_state_reserve_memory(state, count);
    for (size_t c = 0; c < dem->contact_count; c++) {
        size_t slot = (size_t)dem->contact_slot[c];
        MrnRow spring = dem->springs[slot].row;
        Entry entry = {
            dem->body[dem->pair_a[slot]], dem->body[dem->pair_b[slot]], 0, {spring[0], spring[1], spring[2]}};
        while (w < walls && compare_entries(&sorted[w], &entry) < 0) store_entry(state, n++, &sorted[w++]);
        store_entry(state, n++, &entry);
    }
    while (w < walls) store_entry(state, n++, &sorted[w++]);
    state->memory_count = n;
    state->last_time_step[0] = world->scheme.time_step;
}

static int compare_walls(const void *left, const void *right) {
    const MrnDemWall *a = left, *b = right;
    if (a->grain != b->grain) return a->grain < b->grain ? -1 : 1;
    if (a->obstacle != b->obstacle) return a->obstacle < b->obstacle ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

void mrn_dem_recall_memory(MrnWorld *world, MrnDem *dem) {
    const MrnState *state = world->state;
    size_t dim = (size_t)state->dimension, slot = 0;
    dem->walls.count = 0;
    dem->contact_count = 0;
    for (size_t m = 0; m < state->memory_count; m++) {
        int32_t bodies[2] = {state->memory_body[2 * m], state->memory_body[2 * m + 1]};
        const double *spring = state->memory_spring + m * dim;
        double z = dim == 3 ? spring[2] : 0;
        int32_t a = dem->grain_of[bodies[0]], b = dem->grain_of[bodies[1]];
        if (a >= 0 && b >= 0) {
            while (slot < dem->pair_count &&
                   (dem->pair_a[slot] < a || (dem->pair_a[slot] == a && dem->pair_b[slot] < b)))
                slot++;
            if (slot >= dem->pair_count || dem->pair_a[slot] != a || dem->pair_b[slot] != b) continue;
            dem->springs[slot].row = (MrnRow){spring[0], spring[1], z, dem->now};
            dem->contact_slot[dem->contact_count++] = (int32_t)slot;
            continue;
        }
        if (a < 0 && b < 0) continue;
        double sign = a >= 0 ? 1 : -1;
        MrnDemWall wall = {.grain = a >= 0 ? a : b,
                           .obstacle = dem->obstacle_of[bodies[a >= 0 ? 1 : 0]],
                           .feature = state->memory_feature[m],
                           .spring = {sign * spring[0], sign * spring[1], sign * z}};
        mrn_array_push(&dem->walls, wall);
    }
    if (dem->walls.count) qsort(dem->walls.data, dem->walls.count, sizeof *dem->walls.data, compare_walls);
}

static double stored(const MrnDem *dem, const MrnDemLaw *law, double overlap, double radius, const double *s) {
    double patch = dem->hertz ? sqrt(radius * overlap) : 1, spring2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    return (dem->hertz ? 0.4 : 0.5) * law->normal * patch * overlap * overlap + 0.5 * law->tangential * patch * spring2;
}

double mrn_dem_elastic_energy(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    double energy = 0;
    for (size_t c = 0; c < dem->contact_count; c++) {
        size_t slot = (size_t)dem->contact_slot[c];
        int32_t a = dem->pair_a[slot], b = dem->pair_b[slot];
        MrnRow d = dem->x[b] - dem->x[a], spring = dem->springs[slot].row;
        double ra = dem->x[a][3], rb = dem->x[b][3], overlap = ra + rb - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const MrnDemLaw *law = &dem->laws[(size_t)dem->material[a] * dem->materials + (size_t)dem->material[b]];
        double s[3] = {spring[0], spring[1], spring[2]};
        if (overlap > 0) energy += stored(dem, law, overlap, ra * rb / (ra + rb), s);
    }
    MrnDemWalls last = dem->walls;
    dem->walls = dem->old_walls, dem->old_walls = last;
    mrn_dem_touching_walls(world, dem);
    for (size_t k = 0; k < dem->walls.count; k++) {
        const MrnDemWall *wall = &dem->walls.data[k];
        const MrnBody *body = &model->bodies.data[dem->obstacles[wall->obstacle].body];
        size_t other = (size_t)model->shapes.data[body->first_shape + wall->shape].material;
        const MrnDemLaw *law = &dem->laws[(size_t)dem->material[wall->grain] * dem->materials + other];
        energy += stored(dem, law, wall->overlap, dem->x[wall->grain][3], wall->spring);
    }
    dem->old_walls = dem->walls, dem->walls = last;
    return energy;
}

/// Impulse over the whole step, as if the force of the last sub-step had acted all along.
static void finish_view(const MrnWorld *world, const MrnDemLaw *law, MrnContactView *view, const double force[3]) {
    double h = world->scheme.time_step, tangent2 = 0;
    for (int k = 0; k < 3; k++) {
        view->impulse[k] = h * force[k];
        view->normal_impulse += h * force[k] * view->normal[k];
    }
    for (int k = 0; k < 3; k++) {
        double t = view->impulse[k] - view->normal_impulse * view->normal[k];
        tangent2 += t * t;
    }
    bool slides = sqrt(tangent2) >= (1 - 1e-9) * law->friction * fabs(view->normal_impulse);
    view->status = view->normal_impulse <= 0 ? 0 : slides ? 2 : 1;
}

static MrnContactView pair_view(const MrnWorld *world, const MrnDem *dem, size_t c) {
    size_t slot = (size_t)dem->contact_slot[c];
    int32_t a = dem->pair_a[slot], b = dem->pair_b[slot];
    MrnRow xa = dem->x[a], xb = dem->x[b], va = dem->v[a], vb = dem->v[b], wa = dem->w[a], wb = dem->w[b];
    MrnVec3 d = {xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]};
    double distance = mrn_norm3(d), arm = 0.5 * (distance + (xa[3] * xa[3] - xb[3] * xb[3]) / distance);
    MrnVec3 e = distance > 0 ? mrn_scale3(1 / distance, d) : mrn_vec3(1, 0, 0);
    MrnContactView view = {.body_a = dem->body[a], .body_b = dem->body[b], .gap = distance - xa[3] - xb[3]};
    mrn_store3(view.normal, mrn_scale3(-1, e));
    mrn_store3(view.position, mrn_axpy3(mrn_vec3(xa[0], xa[1], xa[2]), arm, e));
    MrnVec3 spin = {arm * wa[0] + (distance - arm) * wb[0], arm * wa[1] + (distance - arm) * wb[1],
                    arm * wa[2] + (distance - arm) * wb[2]};
    mrn_store3(view.velocity, mrn_add3(mrn_vec3(va[0] - vb[0], va[1] - vb[1], va[2] - vb[2]), mrn_cross3(spin, e)));
    MrnRow force = dem->contact_force[2 * c];
    double f[3] = {force[0], force[1], force[2]};
    const MrnDemLaw *law = &dem->laws[(size_t)dem->material[a] * dem->materials + (size_t)dem->material[b]];
    finish_view(world, law, &view, f);
    return view;
}

static MrnContactView wall_view(const MrnWorld *world, const MrnDem *dem, const MrnDemWall *wall) {
    int32_t grain = dem->body[wall->grain], obstacle = dem->obstacles[wall->obstacle].body;
    double sign = grain < obstacle ? 1 : -1, f[3];
    MrnRow x = dem->x[wall->grain], v = dem->v[wall->grain], w = dem->w[wall->grain];
    MrnVec3 n = mrn_load3(wall->normal), centre = {x[0], x[1], x[2]};
    double arm = x[3] - wall->overlap;
    MrnContactView view = {.body_a = grain < obstacle ? grain : obstacle,
                           .body_b = grain < obstacle ? obstacle : grain,
                           .feature = wall->feature,
                           .gap = -wall->overlap};
    MrnVec3 relative = mrn_sub3(mrn_vec3(v[0], v[1], v[2]), mrn_load3(wall->velocity));
    relative = mrn_sub3(relative, mrn_cross3(mrn_scale3(arm, mrn_vec3(w[0], w[1], w[2])), n));
    mrn_store3(view.normal, mrn_scale3(sign, n));
    mrn_store3(view.position, mrn_axpy3(centre, -arm, n));
    mrn_store3(view.velocity, mrn_scale3(sign, relative));
    for (int k = 0; k < 3; k++) f[k] = sign * wall->force[k];
    const MrnModel *model = world->model;
    size_t other = (size_t)model->shapes.data[model->bodies.data[obstacle].first_shape + wall->shape].material;
    finish_view(world, &dem->laws[(size_t)dem->material[wall->grain] * dem->materials + other], &view, f);
    return view;
}

static int compare_views(const void *left, const void *right) {
    const MrnContactView *x = left, *y = right;
    if (x->body_a != y->body_a) return x->body_a < y->body_a ? -1 : 1;
    if (x->body_b != y->body_b) return x->body_b < y->body_b ? -1 : 1;
    return x->feature < y->feature ? -1 : x->feature > y->feature;
}

void mrn_dem_make_views(MrnWorld *world, MrnDem *dem) {
    dem->views.count = 0;
    mrn_array_reserve(&dem->views, dem->contact_count + dem->walls.count);
    for (size_t c = 0; c < dem->contact_count; c++) mrn_array_push(&dem->views, pair_view(world, dem, c));
    for (size_t k = 0; k < dem->walls.count; k++)
        mrn_array_push(&dem->views, wall_view(world, dem, &dem->walls.data[k]));
    if (dem->views.count) qsort(dem->views.data, dem->views.count, sizeof *dem->views.data, compare_views);
}
