// Neighbour lists (Verlet): the pairs of grains and the grains near obstacles that can touch before something has moved
// by the skin.
//
// The broad phase finds pairs of boxes on its grids; here only those stay whose surfaces are closer than the skin. The
// skin follows the speed, so that a list lasts some hundred sub-steps in a fast flow and stays short in a bed at rest.
// Pairs are sorted by body number and contacts are picked from them by touching alone: results do not depend on when a
// list was made.
#include "step/dem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Sub-steps that a list should last, and the least and largest skin over the smallest radius.
#define LASTING    200
#define LEAST_SKIN 0.05
#define MOST_SKIN  0.5

static MrnBox obstacle_box(const MrnModel *model, const MrnDemObstacle *obstacle) {
    const MrnBody *body = &model->bodies.data[obstacle->body];
    MrnBox box = mrn_shape_bounds(&model->shapes.data[body->first_shape], &obstacle->pose);
    for (int s = 1; s < body->shape_count; s++) {
        MrnBox other = mrn_shape_bounds(&model->shapes.data[body->first_shape + s], &obstacle->pose);
        box.low = mrn_vec3(fmin(box.low.x, other.low.x), fmin(box.low.y, other.low.y), fmin(box.low.z, other.low.z));
        box.high =
            mrn_vec3(fmax(box.high.x, other.high.x), fmax(box.high.y, other.high.y), fmax(box.high.z, other.high.z));
    }
    return box;
}

static void make_proxies(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnProxy *proxy = &dem->proxies[b];
        *proxy = (MrnProxy){.slack = 0.5 * dem->skin * (1 + 1e-9),
                            .group = body->group,
                            .movable = body->kind == MRN_BODY_FREE,
                            .active = world->state->active[b] != 0};
        int32_t g = dem->grain_of[b];
        if (g >= 0) {
            MrnRow x = dem->x[g];
            proxy->box = (MrnBox){{x[0] - x[3], x[1] - x[3], x[2] - x[3]}, {x[0] + x[3], x[1] + x[3], x[2] + x[3]}};
        } else
            proxy->box = obstacle_box(model, &dem->obstacles[dem->obstacle_of[b]]);
    }
}

static void reserve_pairs(MrnDem *dem, size_t wanted) {
    if (wanted + MRN_DEM_DETECT <= dem->pair_capacity) return;
    size_t capacity = wanted + wanted / 2 + 2 * MRN_DEM_DETECT;
    int32_t **lists[] = {&dem->pair_a, &dem->pair_b, &dem->slot_contact, &dem->touch_block, &dem->contact_slot};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = mrn_realloc(*lists[i], capacity, sizeof(int32_t));
    MrnDemSpring *springs = mrn_alloc_aligned(capacity, sizeof *springs);
    memset(springs, 0, capacity * sizeof *springs);
    if (dem->springs) memcpy(springs, dem->springs, dem->pair_capacity * sizeof *springs);
    free(dem->springs);
    free(dem->contact_force);
    dem->springs = springs;
    dem->contact_force = mrn_alloc_aligned(2 * capacity, sizeof *dem->contact_force);
    memset(dem->contact_force, 0, 2 * capacity * sizeof *dem->contact_force);
    dem->pair_capacity = capacity;
}

/// May the grain touch this shape before it has moved by the skin?
static bool near_shape(const MrnWorld *world, MrnDem *dem, int32_t grain, const MrnDemObstacle *obstacle,
                       const MrnShape *shape) {
    double gap, normal[3];
    MrnRow x = dem->x[grain];
    if (mrn_dem_flat_gap(shape, &obstacle->pose, x, &gap, normal)) return gap < dem->skin;
    const MrnModel *model = world->model;
    const MrnShape *round = &model->shapes.data[model->bodies.data[dem->body[grain]].first_shape];
    MrnPose pose = {.position = {x[0], x[1], x[2]}};
    pose.rotation.m[0][0] = pose.rotation.m[1][1] = pose.rotation.m[2][2] = 1;
    dem->touches.count = 0;
    (model->dimension == 2 ? mrn_touch_2d : mrn_touch_3d)(round, &pose, shape, &obstacle->pose, dem->skin,
                                                          &dem->touches);
    return dem->touches.count > 0;
}

static int compare_candidates(const void *left, const void *right) {
    const MrnDemCandidate *a = left, *b = right;
    if (a->grain != b->grain) return a->grain < b->grain ? -1 : 1;
    if (a->obstacle != b->obstacle) return a->obstacle < b->obstacle ? -1 : 1;
    return a->shape < b->shape ? -1 : a->shape > b->shape;
}

/// For several threads: the slots of each grain, ascending.
static void list_slots(MrnDem *dem) {
    mrn_array_resize(&dem->adjacent_start, dem->count + 2);
    mrn_array_resize(&dem->adjacent, 2 * dem->pair_count + 1);
    size_t *start = dem->adjacent_start.data;
    memset(start, 0, (dem->count + 2) * sizeof *start);
    for (size_t p = 0; p < dem->pair_count; p++) start[dem->pair_a[p] + 2]++, start[dem->pair_b[p] + 2]++;
    for (size_t g = 0; g < dem->count; g++) start[g + 2] += start[g + 1];
    for (size_t p = 0; p < dem->pair_count; p++) {
        dem->adjacent.data[start[dem->pair_a[p] + 1]++] = (int32_t)p;
        dem->adjacent.data[start[dem->pair_b[p] + 1]++] = (int32_t)p;
    }
}

/// Springs of touching pairs, by (a, b), while the list is made anew.
typedef struct Kept {
    int32_t a, b;
    MrnDemSpring spring;
} Kept;

void mrn_dem_build_lists(MrnWorld *world, MrnDem *dem) {
    double ahead = 2 * LASTING * dem->step * dem->fastest;
    dem->skin = fmin(fmax(ahead, LEAST_SKIN * world->smallest), MOST_SKIN * world->smallest);
    make_proxies(world, dem);
    mrn_broad_build_all(dem->broad, world->model->dimension, dem->proxies, world->threads);

    size_t kept_count = 0;
    Kept *kept = mrn_alloc_aligned(dem->contact_count + 1, sizeof *kept);
    for (size_t p = 0; p < dem->pair_count; p++)
        if (dem->springs[p].row[3] == dem->now)
            kept[kept_count++] = (Kept){dem->pair_a[p], dem->pair_b[p], dem->springs[p]};

    size_t found = dem->broad->pairs.count, k = 0, count = 0;
    reserve_pairs(dem, found);
    dem->candidates.count = 0;
    for (size_t i = 0; i < found; i++) {
        MrnPair pair = dem->broad->pairs.data[i];
        int32_t a = dem->grain_of[pair.a], b = dem->grain_of[pair.b];
        if (a >= 0 && b >= 0) {
            MrnRow d = dem->x[b] - dem->x[a];
            double reach = dem->x[a][3] + dem->x[b][3] + dem->skin;
            if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= reach * reach) continue;
            while (k < kept_count && (kept[k].a < a || (kept[k].a == a && kept[k].b < b))) k++;
            dem->pair_a[count] = a, dem->pair_b[count] = b;
            if (k < kept_count && kept[k].a == a && kept[k].b == b)
                dem->springs[count] = kept[k].spring;
            else
                dem->springs[count].row = (MrnRow){0, 0, 0, -1};
            count++;
            continue;
        }
        if (a < 0 && b < 0) continue;
        int32_t grain = a >= 0 ? a : b, obstacle = dem->obstacle_of[a >= 0 ? pair.b : pair.a];
        const MrnBody *body = &world->model->bodies.data[dem->obstacles[obstacle].body];
        for (int s = 0; s < body->shape_count; s++)
            if (near_shape(world, dem, grain, &dem->obstacles[obstacle],
                           &world->model->shapes.data[body->first_shape + s]))
                mrn_array_push(&dem->candidates, ((MrnDemCandidate){grain, obstacle, s}));
    }
    free(kept);
    dem->pair_count = count;
    for (size_t p = count; p < count + MRN_LANES; p++) { // whole lanes: a grain without size
        dem->pair_a[p] = dem->pair_b[p] = (int32_t)dem->count;
        dem->springs[p].row = (MrnRow){0, 0, 0, -1};
    }
    if (dem->candidates.count)
        qsort(dem->candidates.data, dem->candidates.count, sizeof *dem->candidates.data, compare_candidates);
    mrn_array_resize(&dem->block_count, count / MRN_DEM_DETECT + 2);
    if (mrn_threads_count(world->threads) > 1) list_slots(dem);
    memcpy(dem->reference, dem->x, dem->count * sizeof *dem->reference);
    for (size_t o = 0; o < dem->obstacle_count; o++) dem->obstacles[o].built = dem->obstacles[o].pose;
    dem->travel = 0;
    dem->listed = true;
    dem->builds++;
}

/// Bound of the way of any point of an obstacle that grains can reach.
static double obstacle_travel(const MrnWorld *world, const MrnDem *dem, const MrnDemObstacle *obstacle) {
    if (!obstacle->moves) return 0;
    const MrnBody *body = &world->model->bodies.data[obstacle->body];
    double way = mrn_norm3(mrn_sub3(obstacle->pose.position, obstacle->built.position)), turned2 = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d = obstacle->pose.rotation.m[i][j] - obstacle->built.rotation.m[i][j];
            turned2 += d * d;
        }
    if (turned2 == 0 || obstacle->turns_in_place) return way;
    double reach = body->reach;
    if (!isfinite(reach)) { // as far as there are grains
        reach = 0;
        for (size_t g = 0; g < dem->count; g++) {
            MrnVec3 x = {dem->x[g][0], dem->x[g][1], dem->x[g][2]};
            reach = fmax(reach, mrn_norm3(mrn_sub3(x, obstacle->pose.position)) + dem->x[g][3]);
        }
    }
    return way + reach * sqrt(turned2);
}

MRN_KERNEL static double largest_way(const MrnDem *dem) {
    double most = 0;
    for (size_t g = 0; g < dem->count; g++) {
        MrnRow d = dem->x[g] - dem->reference[g];
        double way2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        most = way2 > most ? way2 : most;
    }
    return sqrt(most);
}

bool mrn_dem_lists_are_old(const MrnWorld *world, MrnDem *dem) {
    if (!dem->listed) return true;
    double wall = 0;
    for (size_t o = 0; o < dem->obstacle_count; o++)
        if (dem->obstacles[o].moves) wall = fmax(wall, obstacle_travel(world, dem, &dem->obstacles[o]));
    double allowed = dem->skin * (1 - 1e-9);
    if (dem->travel + fmax(dem->travel, wall) < allowed) return false;
    dem->travel = largest_way(dem); // the bound adds up the fastest of every sub-step
    return !(dem->travel + fmax(dem->travel, wall) < 0.9 * allowed);
}
