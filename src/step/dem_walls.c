// Grains against obstacles: planes, half-planes and rings in closed form, every other shape through the narrow phase.
//
// The law is that of pairs with an antagonist of infinite mass and radius; the arm is the distance from the centre to
// the wall. A grain that rolls from one face of a mesh over an edge onto the next keeps its spring: the name of the
// touching place changes, the contact does not.
#include "step/dem.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static MrnVec3 place(const MrnPose *pose, const double *local, bool plane) {
    if (!plane) return mrn_add3(pose->position, mrn_mat3_times(&pose->rotation, mrn_load3(local)));
    double c = pose->rotation.m[0][0], s = pose->rotation.m[1][0];
    return mrn_vec3(pose->position.x + c * local[0] - s * local[1], pose->position.y + s * local[0] + c * local[1], 0);
}

bool mrn_dem_flat_gap(const MrnShape *shape, const MrnPose *pose, MrnRow centre, double *gap, double normal[3]) {
    MrnVec3 x = {centre[0], centre[1], centre[2]};
    switch (shape->kind) {
    case MRN_SHAPE_PLANE: {
        MrnVec3 n = mrn_quat_rotate(mrn_quat_load(shape->rotation), mrn_vec3(0, 0, 1));
        n = mrn_mat3_times(&pose->rotation, n);
        *gap = mrn_dot3(n, mrn_sub3(x, place(pose, shape->position, false))) - centre[3];
        mrn_store3(normal, n);
        return true;
    }
    case MRN_SHAPE_HALF_PLANE: {
        MrnVec2 n = mrn_rotate2(cos(shape->rotation[0]), sin(shape->rotation[0]), mrn_vec2(0, 1));
        n = mrn_rotate2(pose->rotation.m[0][0], pose->rotation.m[1][0], n);
        MrnVec3 p = place(pose, shape->position, true);
        *gap = n.x * (x.x - p.x) + n.y * (x.y - p.y) - centre[3];
        normal[0] = n.x, normal[1] = n.y, normal[2] = 0;
        return true;
    }
    case MRN_SHAPE_RING: {
        MrnVec3 p = place(pose, shape->position, true);
        double dx = x.x - p.x, dy = x.y - p.y, distance = sqrt(dx * dx + dy * dy);
        *gap = shape->radius - distance - centre[3];
        normal[0] = distance > 0 ? -dx / distance : 1, normal[1] = distance > 0 ? -dy / distance : 0, normal[2] = 0;
        return true;
    }
    default: return false;
    }
}

static void pose_from(const MrnModel *model, const double *position, const double *rotation, MrnPose *pose) {
    *pose = (MrnPose){0};
    pose->position = mrn_vec3(position[0], position[1], model->dimension == 3 ? position[2] : 0);
    if (model->dimension == 3)
        pose->rotation = mrn_quat_matrix(mrn_quat_load(rotation));
    else
        pose->rotation.m[0][0] = cos(rotation[0]), pose->rotation.m[1][0] = sin(rotation[0]);
}

void mrn_dem_place_obstacles(MrnWorld *world, MrnDem *dem, double time) {
    const MrnModel *model = world->model;
    double x[3], q[4], v[3], w[3];
    for (size_t k = 0; k < dem->obstacle_count; k++) {
        MrnDemObstacle *obstacle = &dem->obstacles[k];
        if (!obstacle->moves) continue;
        mrn_driver_state(model, obstacle->body, time, x, q, v, w);
        pose_from(model, x, q, &obstacle->pose);
        memcpy(obstacle->velocity, v, sizeof v);
        memcpy(obstacle->spin, w, sizeof w);
    }
    for (size_t k = 0; k < dem->driven.count; k++) {
        int32_t g = dem->driven.data[k];
        mrn_driver_state(model, dem->body[g], time, x, q, v, w);
        dem->x[g] = (MrnRow){x[0], x[1], model->dimension == 3 ? x[2] : 0, dem->x[g][3]};
        dem->v[g] = (MrnRow){v[0], v[1], model->dimension == 3 ? v[2] : 0, 0};
        dem->w[g] = model->dimension == 3 ? (MrnRow){w[0], w[1], w[2], 0} : (MrnRow){0, 0, w[2], 0};
    }
}

static int compare_places(const MrnDemWall *a, const MrnDemWall *b) {
    if (a->grain != b->grain) return a->grain < b->grain ? -1 : 1;
    return a->obstacle < b->obstacle ? -1 : a->obstacle > b->obstacle;
}

static void add_wall(MrnDem *dem, const MrnDemCandidate *candidate, const double *normal, double gap,
                     uint64_t feature) {
    const MrnDemObstacle *obstacle = &dem->obstacles[candidate->obstacle];
    MrnRow x = dem->x[candidate->grain];
    MrnDemWall wall = {.grain = candidate->grain,
                       .obstacle = candidate->obstacle,
                       .shape = candidate->shape,
                       .fresh = 1,
                       .feature = feature,
                       .overlap = -gap};
    memcpy(wall.normal, normal, sizeof wall.normal);
    MrnVec3 n = mrn_load3(normal), centre = {x[0], x[1], x[2]},
            at = mrn_axpy3(centre, -(x[3] + gap), n); // on the surface of the wall
    MrnVec3 v = mrn_add3(mrn_load3(obstacle->velocity),
                         mrn_cross3(mrn_load3(obstacle->spin), mrn_sub3(at, obstacle->pose.position)));
    mrn_store3(wall.velocity, v);
    mrn_array_push(&dem->walls, wall);
}

/// Name of a touching place among all shapes of an obstacle.
static uint64_t place_name(const MrnBody *obstacle, int shape, uint64_t feature) {
    return obstacle->shape_count > 1 ? mrn_random_bits(feature, (uint64_t)shape, 0) : feature;
}

static void find_walls(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    for (size_t k = 0; k < dem->candidates.count; k++) {
        const MrnDemCandidate *candidate = &dem->candidates.data[k];
        const MrnDemObstacle *obstacle = &dem->obstacles[candidate->obstacle];
        const MrnBody *body = &model->bodies.data[obstacle->body];
        const MrnShape *shape = &model->shapes.data[body->first_shape + candidate->shape];
        MrnRow x = dem->x[candidate->grain];
        double gap, normal[3];
        if (mrn_dem_flat_gap(shape, &obstacle->pose, x, &gap, normal)) {
            if (gap < 0) add_wall(dem, candidate, normal, gap, place_name(body, candidate->shape, 0));
            continue;
        }
        const MrnShape *round = &model->shapes.data[model->bodies.data[dem->body[candidate->grain]].first_shape];
        MrnPose pose = {.position = {x[0], x[1], x[2]}};
        pose.rotation.m[0][0] = pose.rotation.m[1][1] = pose.rotation.m[2][2] = 1;
        dem->touches.count = 0;
        (model->dimension == 2 ? mrn_touch_2d : mrn_touch_3d)(round, &pose, shape, &obstacle->pose, 0, &dem->touches);
        for (size_t t = 0; t < dem->touches.count; t++) {
            const MrnTouch *touch = &dem->touches.data[t];
            double n[3] = {touch->normal.x, touch->normal.y, model->dimension == 3 ? touch->normal.z : 0};
            if (touch->gap < 0)
                add_wall(dem, candidate, n, touch->gap, place_name(body, candidate->shape, touch->feature));
        }
    }
}

static void inherit(MrnDemWall *wall, const MrnDemWall *old) {
    memcpy(wall->spring, old->spring, sizeof wall->spring);
    wall->fresh = 0;
}

/// Springs of the evaluation before: by the name of the place; if a grain has one place on an obstacle that is new and
/// had one that is gone, they are the same contact.
static void recall_springs(MrnDem *dem) {
    size_t first = 0;
    for (size_t begin = 0, end; begin < dem->walls.count; begin = end) {
        MrnDemWall *walls = dem->walls.data, *old = dem->old_walls.data;
        for (end = begin + 1; end < dem->walls.count && compare_places(&walls[end], &walls[begin]) == 0;) end++;
        while (first < dem->old_walls.count && compare_places(&old[first], &walls[begin]) < 0) first++;
        size_t last = first, appeared = 0, gone = 0;
        while (last < dem->old_walls.count && compare_places(&old[last], &walls[begin]) == 0) last++;
        MrnDemWall *to = NULL, *from = NULL;
        for (size_t i = begin; i < end; i++) {
            for (size_t k = first; k < last; k++)
                if (old[k].feature == walls[i].feature) inherit(&walls[i], &old[k]);
            if (walls[i].fresh) appeared++, to = &walls[i];
        }
        for (size_t k = first; k < last; k++) {
            bool found = false;
            for (size_t i = begin; i < end; i++) found |= walls[i].feature == old[k].feature;
            if (!found) gone++, from = &old[k];
        }
        if (appeared == 1 && gone == 1) inherit(to, from);
        first = last;
    }
}

/// The law of specification 3.3 and 3.4 for one wall.
static void wall_force(MrnDem *dem, const MrnDemLaw *law, MrnDemWall *wall, double step, MrnDemSums *sums) {
    MrnRow x = dem->x[wall->grain], v = dem->v[wall->grain], w = dem->w[wall->grain];
    MrnVec3 e = mrn_scale3(-1, mrn_load3(wall->normal));
    double arm = x[3] - wall->overlap, time = step;
    MrnVec3 spin = mrn_scale3(arm, mrn_vec3(w[0], w[1], w[2]));
    MrnVec3 relative = mrn_sub3(mrn_vec3(v[0], v[1], v[2]), mrn_load3(wall->velocity));
    relative = mrn_add3(relative, mrn_cross3(spin, e));
    double vn = mrn_dot3(relative, e);
    MrnVec3 vt = mrn_axpy3(relative, -vn, e), s = mrn_load3(wall->spring);
    if (wall->fresh) {
        if (vn > 0) time = fmin(time, wall->overlap / vn);
        s = mrn_vec3(0, 0, 0);
    }
    s = mrn_axpy3(mrn_axpy3(s, -mrn_dot3(s, e), e), time, vt);
    double patch = dem->hertz ? sqrt(x[3] * wall->overlap) : 1, kn = law->normal * patch, kt = law->tangential * patch;
    double damping = v[3] > 0 ? law->damping * sqrt(kn / v[3]) : 0, fn = kn * wall->overlap + damping * vn;
    double limit = law->friction * fabs(fn);
    MrnVec3 ft = mrn_axpy3(mrn_scale3(-kt, s), -law->tangent_damping * damping, vt);
    double size = mrn_norm3(ft);
    wall->slides = size > limit;
    if (wall->slides) {
        double stretch = kt * mrn_norm3(s);
        ft = mrn_scale3(limit / size, ft);
        if (stretch > limit) s = mrn_scale3(limit / stretch, s);
    }
    MrnVec3 force = mrn_axpy3(ft, -fn, e), couple = mrn_scale3(arm, mrn_cross3(e, ft));
    mrn_store3(wall->spring, s);
    mrn_store3(wall->force, force);
    mrn_store3(wall->slide, vt);
    dem->f[wall->grain] += (MrnRow){force.x, force.y, force.z, 0};
    dem->t[wall->grain] += (MrnRow){couple.x, couple.y, couple.z, 0};
    sums->loss += fn * vn - mrn_dot3(ft, vt);
    sums->driver += mrn_dot3(force, mrn_load3(wall->velocity));
    sums->overlap = fmax(sums->overlap, wall->overlap);
    sums->fresh += wall->fresh;
}

void mrn_dem_touching_walls(MrnWorld *world, MrnDem *dem) {
    dem->walls.count = 0;
    find_walls(world, dem);
    recall_springs(dem);
}

void mrn_dem_walls(MrnDemPass *pass) {
    MrnDem *dem = pass->dem;
    const MrnModel *model = pass->world->model;
    MrnDemWalls last = dem->walls;
    dem->walls = dem->old_walls, dem->old_walls = last;
    mrn_dem_touching_walls(pass->world, dem);
    for (size_t k = 0; k < dem->walls.count; k++) {
        MrnDemWall *wall = &dem->walls.data[k];
        const MrnBody *body = &model->bodies.data[dem->obstacles[wall->obstacle].body];
        int other = model->shapes.data[body->first_shape + wall->shape].material;
        const MrnDemLaw *law = &dem->laws[(size_t)dem->material[wall->grain] * dem->materials + (size_t)other];
        wall_force(dem, law, wall, pass->step, &pass->sums);
    }
}
