// Shapes of a scene: from what the user writes (full sizes, normals, files, names) to an MrnShape.
#include "io/scene_build.h"
#include "base/error.h"
#include "base/random.h"
#include "geom/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static void set_vertices(MrnShape *shape, const double *data, size_t count, int dimension) {
    shape->vertex_count = count;
    shape->vertices =
        memcpy(mrn_alloc(count * (size_t)dimension, sizeof(double)), data, count * (size_t)dimension * sizeof(double));
}

/// Sorted directions around a circle: equal steps, each moved by up to `irregularity` half steps.
static double corner_angle(MrnDraw draw, size_t i, size_t corners, double irregularity) {
    return 2 * PI * ((double)i + irregularity * (mrn_random_unit(draw.seed, draw.entity, 2 * i) - 0.5)) /
           (double)corners;
}

MrnShape mrn_irregular_shape(int dimension, double radius, size_t corners, double irregularity, bool star,
                             MrnDraw draw) {
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_POLYGON : MRN_SHAPE_POLYHEDRON);
    if (dimension == 3 && corners < 6) corners = 6; // fewer could give a flat hull
    shape.vertex_count = corners;
    shape.vertices = mrn_alloc(corners * (size_t)dimension, sizeof(double));
    if (dimension == 2) {
        // Corners on an ellipse are always convex; in a star polygon neighbours stay less than a half turn apart.
        if (corners == 3 && irregularity > 0.45) irregularity = 0.45;
        double flat = star ? 1 : 1 - 0.5 * irregularity * mrn_random_unit(draw.seed, draw.entity, 2 * corners);
        double turn = 2 * PI * mrn_random_unit(draw.seed, draw.entity, 2 * corners + 1);
        for (size_t i = 0; i < corners; i++) {
            double angle = corner_angle(draw, i, corners, irregularity), r = radius;
            if (star) r *= 1 - irregularity * mrn_random_unit(draw.seed, draw.entity, 2 * i + 1);
            MrnVec2 corner = mrn_rotate2(cos(turn), sin(turn), mrn_vec2(r * cos(angle), flat * r * sin(angle)));
            shape.vertices[2 * i] = corner.x;
            shape.vertices[2 * i + 1] = corner.y;
        }
        return shape;
    }
    // Directions on a spiral over the sphere, each moved at random: the hull of points on a sphere has them all as
    // corners.
    for (size_t i = 0; i < corners; i++) {
        double step = irregularity * (mrn_random_unit(draw.seed, draw.entity, 3 * i) - 0.5);
        double z = 1 - (2 * ((double)i + step) + 1) / (double)corners;
        double angle = PI * (3 - sqrt(5.0)) * (double)i +
                       irregularity * (mrn_random_unit(draw.seed, draw.entity, 3 * i + 1) - 0.5) * PI / 3;
        double r = sqrt(fmax(0, 1 - z * z));
        mrn_store3(shape.vertices + 3 * i, mrn_vec3(radius * r * cos(angle), radius * r * sin(angle), radius * z));
    }
    return shape;
}

void mrn_scale_shape(MrnShape *shape, double factor) {
    int dimension = mrn_shape_dimension(shape->kind);
    shape->radius *= factor;
    shape->top_radius *= factor;
    for (int k = 0; k < 3; k++) shape->half[k] *= factor, shape->position[k] *= factor;
    for (size_t i = 0; i < shape->vertex_count * (size_t)dimension; i++) shape->vertices[i] *= factor;
}

/// Vertices of a polygon or chain: written out, or from an outline file.
static bool outline_vertices(MrnSceneBuilder *builder, const MrnYaml *node, const MrnPoints *points,
                             const char *file_name, double unit, bool closed, MrnShape *shape) {
    if ((points->count > 0) == (file_name != NULL))
        return mrn_yaml_fail(node, NULL, builder->error, "wanted either vertices or file");
    if (!file_name) {
        set_vertices(shape, points->data, points->count, 2);
        return true;
    }
    const MrnSceneFile *file = mrn_build_file(builder, node, "file", file_name);
    if (!file) return false;
    MrnError why = {0};
    if (!mrn_outline_read(file_name, file->data, file->size, closed, &shape->vertices, &shape->vertex_count, &why))
        return mrn_yaml_fail(mrn_yaml_at(node, "file"), NULL, builder->error, "%.600s", why.message);
    for (size_t i = 0; i < 2 * shape->vertex_count; i++) shape->vertices[i] *= unit;
    return true;
}

static bool mesh_triangles(MrnSceneBuilder *builder, const MrnMeshSpec *spec, MrnShape *shape) {
    const MrnSceneFile *file = mrn_build_file(builder, spec->node, "file", spec->file);
    if (!file) return false;
    MrnError why = {0};
    if (!mrn_mesh_read(spec->file, file->data, file->size, shape, &why))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "file"), NULL, builder->error, "%.600s", why.message);
    for (size_t i = 0; i < 3 * shape->vertex_count; i++) shape->vertices[i] *= spec->unit;
    return true;
}

/// Turn a shape, within its own frame, so that its outward direction (+y in 2D, +z in 3D) becomes `normal`.
static bool turn_to(MrnSceneBuilder *builder, const MrnYaml *node, const double *normal, MrnShape *shape) {
    MrnVec3 n = mrn_load3(normal);
    double length = mrn_norm3(n);
    if (!(length > 0) || !isfinite(length))
        return mrn_yaml_fail(mrn_yaml_at(node, "normal"), NULL, builder->error, "the normal has no direction");
    if (builder->dimension == 2) {
        shape->rotation[0] = atan2(n.y, n.x) - atan2(1, 0);
        return true;
    }
    n = mrn_scale3(1 / length, n);
    if (n.z < -1 + 1e-12)
        mrn_quat_store(shape->rotation, (MrnQuat){0, 1, 0, 0});
    else
        mrn_quat_store(shape->rotation, mrn_quat_normalize((MrnQuat){1 + n.z, -n.y, n.x, 0}));
    return true;
}

static MrnShape solid(MrnShapeKind kind, double radius, double x, double y, double z) {
    MrnShape shape = mrn_shape_defaults(kind);
    shape.radius = radius;
    shape.half[0] = x, shape.half[1] = y, shape.half[2] = z;
    return shape;
}

static void make_rectangle(const MrnRectangleSpec *spec, MrnShape *shape) {
    double x = 0.5 * spec->size[0], y = 0.5 * spec->size[1];
    const double corners[] = {-x, -y, x, -y, x, y, -x, y};
    *shape = solid(MRN_SHAPE_POLYGON, spec->radius, 0, 0, 0);
    set_vertices(shape, corners, 4, 2);
}

static void make_regular(const MrnRegularSpec *spec, MrnShape *shape) {
    size_t sides = (size_t)spec->sides;
    *shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape->vertex_count = sides;
    shape->vertices = mrn_alloc(2 * sides, sizeof(double));
    for (size_t i = 0; i < sides; i++) {
        shape->vertices[2 * i] = spec->radius * cos(2 * PI * (double)i / (double)sides);
        shape->vertices[2 * i + 1] = spec->radius * sin(2 * PI * (double)i / (double)sides);
    }
}

static bool make_named(MrnSceneBuilder *builder, const MrnShapeSpec *spec, int material, const MrnDraw *draw,
                       MrnShape *shape) {
    size_t count = builder->root->shapes.count, available = count;
    const MrnShapeSpec *items = builder->root->shapes.items;
    if (count && spec >= items && spec < items + count)
        available = (size_t)(spec - items); // a named shape may use those before it
    const char **names = mrn_alloc(available + 1, sizeof *names);
    const MrnShapeSpec *found = NULL;
    size_t named = 0;
    for (size_t i = 0; i < available && !found; i++) {
        if (!items[i].name) continue;
        names[named++] = items[i].name;
        if (strcmp(items[i].name, spec->named) == 0) found = &items[i];
    }
    char hint[500];
    mrn_word_hint(spec->named, names, named, hint, sizeof hint);
    free(names);
    if (found) return mrn_build_shape(builder, found, material, draw, shape);
    return mrn_yaml_fail(mrn_yaml_at(spec->node, "named"), NULL, builder->error, "unknown shape \"%.100s\"%s",
                         spec->named, hint);
}

/// The shape in its own frame; `case_node` receives the section that describes it.
static bool make_shape(MrnSceneBuilder *builder, const MrnShapeSpec *spec, int material, const MrnDraw *draw,
                       const MrnYaml **case_node, MrnShape *shape) {
    *shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    *case_node = spec->node;
#define CASE(name) (spec->name && (*case_node = spec->name->node))
    if (spec->named) return make_named(builder, spec, material, draw, shape);
    if (CASE(disc)) *shape = solid(MRN_SHAPE_DISC, spec->disc->radius, 0, 0, 0);
    if (CASE(ring)) *shape = solid(MRN_SHAPE_RING, spec->ring->radius, 0, 0, 0);
    if (CASE(sphere)) *shape = solid(MRN_SHAPE_SPHERE, spec->sphere->radius, 0, 0, 0);
    if (CASE(box))
        *shape = solid(MRN_SHAPE_BOX, 0, 0.5 * spec->box->size[0], 0.5 * spec->box->size[1], 0.5 * spec->box->size[2]);
    if (CASE(capsule)) *shape = solid(MRN_SHAPE_CAPSULE, spec->capsule->radius, 0, 0, 0.5 * spec->capsule->length);
    if (CASE(cylinder)) *shape = solid(MRN_SHAPE_CYLINDER, spec->cylinder->radius, 0, 0, 0.5 * spec->cylinder->height);
    if (CASE(tube)) *shape = solid(MRN_SHAPE_TUBE, spec->tube->radius, 0, 0, 0.5 * spec->tube->length);
    if (CASE(funnel)) {
        *shape = solid(MRN_SHAPE_FUNNEL, spec->funnel->radius, 0, 0, 0.5 * spec->funnel->height);
        shape->top_radius = spec->funnel->top_radius;
    }
    if (CASE(rectangle)) make_rectangle(spec->rectangle, shape);
    if (CASE(regular)) make_regular(spec->regular, shape);
    if (CASE(irregular)) {
        const MrnIrregularSpec *s = spec->irregular;
        if (builder->dimension == 3 && s->outline != 0)
            return mrn_yaml_fail(mrn_yaml_at(s->node, "outline"), NULL, builder->error,
                                 "found \"star\", wanted convex: polyhedra are convex");
        MrnDraw own = {(uint64_t)s->seed, 0};
        *shape = mrn_irregular_shape(builder->dimension, s->radius, (size_t)s->corners, s->irregularity,
                                     s->outline != 0, draw ? *draw : own);
    }
    if (CASE(polyhedron)) {
        *shape = mrn_shape_defaults(MRN_SHAPE_POLYHEDRON);
        set_vertices(shape, spec->polyhedron->vertices.data, spec->polyhedron->vertices.count, 3);
    }
    if (CASE(segment)) {
        const double ends[] = {spec->segment->from[0], spec->segment->from[1], spec->segment->to[0],
                               spec->segment->to[1]};
        *shape = solid(MRN_SHAPE_CHAIN, spec->segment->radius, 0, 0, 0);
        set_vertices(shape, ends, 2, 2);
    }
    if (CASE(polygon)) {
        const MrnPolygonSpec *s = spec->polygon;
        *shape = solid(MRN_SHAPE_POLYGON, s->radius, 0, 0, 0);
        return outline_vertices(builder, s->node, &s->vertices, s->file, s->unit, true, shape);
    }
    if (CASE(chain)) {
        const MrnChainSpec *s = spec->chain;
        *shape = solid(MRN_SHAPE_CHAIN, s->radius, 0, 0, 0);
        return outline_vertices(builder, s->node, &s->vertices, s->file, s->unit, false, shape);
    }
    if (CASE(half_plane)) {
        *shape = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
        return turn_to(builder, spec->half_plane->node, spec->half_plane->normal, shape);
    }
    if (CASE(plane)) {
        *shape = mrn_shape_defaults(MRN_SHAPE_PLANE);
        return turn_to(builder, spec->plane->node, spec->plane->normal, shape);
    }
    if (CASE(mesh)) {
        *shape = mrn_shape_defaults(MRN_SHAPE_MESH);
        return mesh_triangles(builder, spec->mesh, shape);
    }
#undef CASE
    return true;
}

/// Move and turn a shape that has already a place in some frame.
static void place_shape(int dimension, const double position[3], const double rotation[4], MrnShape *shape) {
    if (dimension == 2) {
        MrnVec2 moved =
            mrn_rotate2(cos(rotation[0]), sin(rotation[0]), mrn_vec2(shape->position[0], shape->position[1]));
        shape->position[0] = position[0] + moved.x;
        shape->position[1] = position[1] + moved.y;
        shape->rotation[0] += rotation[0];
        return;
    }
    MrnQuat turn = mrn_quat_load(rotation);
    mrn_store3(shape->position, mrn_add3(mrn_load3(position), mrn_quat_rotate(turn, mrn_load3(shape->position))));
    mrn_quat_store(shape->rotation, mrn_quat_normalize(mrn_quat_multiply(turn, mrn_quat_load(shape->rotation))));
}

bool mrn_build_shape(MrnSceneBuilder *builder, const MrnShapeSpec *spec, int material, const MrnDraw *draw,
                     MrnShape *out) {
    double rotation[4];
    if (spec->material && (material = mrn_build_material(builder, spec->node, spec->material)) < 0) return false;
    if (!mrn_build_rotation(builder, spec->rotation, rotation)) return false;
    const MrnYaml *case_node;
    if (!make_shape(builder, spec, material, draw, &case_node, out)) return false;
    if (!spec->named || spec->material) out->material = material;
    place_shape(builder->dimension, spec->position, rotation, out);
    if (spec->named) return true; // checked where it is described
    MrnShape checked = mrn_shape_copy(out);
    MrnError why = {0};
    bool good = mrn_shape_prepare(&checked, &why);
    mrn_shape_free(&checked);
    return good || mrn_yaml_fail(case_node, NULL, builder->error, "%.600s", why.message);
}
