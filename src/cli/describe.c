// Counting and measuring what a scene holds.
//
// The number of contacts of the settled scene is a guess from packings of 200 to 1000 bodies dropped in a box with mu =
// 0.5: per free body 2 for discs, 2.7 for polygons, 3 for spheres, 4.5 for other bodies in 3D.
#include "cli/describe.h"

#include "collide/floe.h"
#include "force/environment.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define KIND_COUNT (MRN_BODY_DRIVEN + 1)
static const char *const kind_names[KIND_COUNT] = {
    [MRN_BODY_FREE] = "free", [MRN_BODY_FIXED] = "fixed", [MRN_BODY_DRIVEN] = "driven"};

typedef struct SceneCount {
    size_t bodies[KIND_COUNT];
    size_t shapes[KIND_COUNT][MRN_SHAPE_COUNT]; ///< bodies made of one shape
    size_t compound[KIND_COUNT];                ///< bodies made of several
    double mass;                                ///< kg, of free bodies
    double smallest, largest;                   ///< m, size of free bodies
    MrnBox box;                                 ///< of everything bounded
    int64_t steps, frames;
    double contacts; ///< estimate
} SceneCount;

static MrnPose body_pose(const MrnBody *body, int dimension) {
    MrnPose pose = {.position = mrn_load3(body->position)};
    if (dimension == 3)
        pose.rotation = mrn_quat_matrix(mrn_quat_load(body->start->rotation));
    else {
        double c = cos(body->start->rotation[0]), s = sin(body->start->rotation[0]);
        pose.rotation = (MrnMat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    }
    return pose;
}

static void extend(double *low, double *high, double other_low, double other_high) {
    if (isfinite(other_low)) *low = fmin(*low, other_low);
    if (isfinite(other_high)) *high = fmax(*high, other_high);
}

static double settled_contacts(int dimension, const MrnShape *shape) {
    if (dimension == 2) return shape->kind == MRN_SHAPE_DISC ? 2 : 2.7;
    return shape->kind == MRN_SHAPE_SPHERE ? 3 : 4.5;
}

static SceneCount count_scene(const MrnScene *scene) {
    const MrnModel *model = scene->model;
    SceneCount count = {.smallest = INFINITY,
                        .box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnPose pose = body_pose(body, model->dimension);
        count.bodies[body->kind]++;
        if (body->shape_count == 1)
            count.shapes[body->kind][model->shapes.data[body->first_shape].kind]++;
        else if (body->shape_count > 1)
            count.compound[body->kind]++;
        for (int s = 0; s < body->shape_count; s++) {
            MrnBox box = mrn_shape_bounds(&model->shapes.data[body->first_shape + s], &pose);
            extend(&count.box.low.x, &count.box.high.x, box.low.x, box.high.x);
            extend(&count.box.low.y, &count.box.high.y, box.low.y, box.high.y);
            extend(&count.box.low.z, &count.box.high.z, box.low.z, box.high.z);
        }
        if (body->kind != MRN_BODY_FREE) continue;
        count.mass += body->mass;
        if (body->shape_count < 1) continue; // a point mass
        count.smallest = fmin(count.smallest, body->size);
        count.largest = fmax(count.largest, body->size);
        count.contacts += settled_contacts(model->dimension, &model->shapes.data[body->first_shape]);
    }
    count.steps = (int64_t)ceil(scene->duration / scene->scheme.time_step * (1 - 1e-12));
    count.frames = 1 + (int64_t)ceil(scene->duration / scene->output_interval * (1 - 1e-12));
    return count;
}

const MrnJsonField mrn_scene_fields[] = {
    {"kind", "string", "scene"},
    {"title", "string or null", "one line of the scene about itself"},
    {"dimension", "integer", "2 or 3"},
    {"bodies", "integer", "bodies, obstacles included"},
    {"free{}", "integer", "free bodies by shape; compound: made of several shapes"},
    {"fixed{}", "integer", "fixed bodies by shape"},
    {"driven{}", "integer", "driven bodies by shape"},
    {"mass", "number, kg", "of all free bodies"},
    {"size_min", "number or null, m", "half of the smallest width of the smallest free body"},
    {"size_max", "number, m", "half of the smallest width of the largest free body"},
    {"box[][]", "number or null, m", "lowest and highest corner of everything that is bounded"},
    {"gravity[]", "number, m/s2", "its components"},
    {"materials[].name", "string", "name of a material"},
    {"materials[].density", "number, kg/m3, in 2D kg/m2", "its density, 0 if it has none"},
    {"laws[].materials[]", "string", "the two materials that meet"},
    {"laws[].friction", "number", "their coefficient of friction"},
    {"laws[].normal_restitution", "number", "their normal restitution"},
    {"laws[].tangential_restitution", "number", "their tangential restitution"},
    {"stepper", "string", "how time is stepped"},
    {"theta", "number", "parameter of the scheme"},
    {"time_step", "number, s", "length of a step"},
    {"stable_step", "number or null, s", "longest step that explicit drag allows, event-driven; null: any"},
    {"shortest_step", "number or null, s",
     "half of the least collision distance over the speed of free drift: no shorter steps are needed between "
     "collisions"},
    {"solver", "string", "solver of the one-step problems"},
    {"tolerance", "number", "scaled residual that it must reach"},
    {"threads", "integer", "threads"},
    {"duration", "number, s", "simulated time"},
    {"steps", "integer", "steps that it takes"},
    {"frames", "integer", "frames that are recorded"},
    {"contacts_estimate", "number", "guess of the number of contacts once everything has settled"},
    {NULL, NULL, NULL},
};

static json_t *vector_json(const double *values, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, mrn_json_number(values[i]));
    return list;
}

static json_t *kind_json(const SceneCount *count, int kind) {
    json_t *object = json_object();
    for (int s = 0; s < MRN_SHAPE_COUNT; s++)
        if (count->shapes[kind][s])
            json_object_set_new(object, mrn_shape_name((MrnShapeKind)s),
                                json_integer((json_int_t)count->shapes[kind][s]));
    if (count->compound[kind]) json_object_set_new(object, "compound", json_integer((json_int_t)count->compound[kind]));
    return object;
}

static json_t *laws_json(const MrnModel *model) {
    json_t *laws = json_array();
    for (size_t a = 0; a < model->materials.count; a++)
        for (size_t b = a; b < model->materials.count; b++) {
            MrnPairLaw law = mrn_model_law(model, (int)a, (int)b);
            json_t *object = json_object(), *pair = json_array();
            json_array_append_new(pair, mrn_json_text(model->materials.data[a].name));
            json_array_append_new(pair, mrn_json_text(model->materials.data[b].name));
            json_object_set_new(object, "materials", pair);
            json_object_set_new(object, "friction", mrn_json_number(law.friction));
            json_object_set_new(object, "normal_restitution", mrn_json_number(law.normal_restitution));
            json_object_set_new(object, "tangential_restitution", mrn_json_number(law.tangential_restitution));
            json_array_append_new(laws, object);
        }
    return laws;
}

double mrn_scene_stable_step(const MrnScene *scene) {
    bool explicit_drag = scene->model->environment && strcmp(scene->scheme.stepper, "event-driven") == 0;
    return explicit_drag ? mrn_environment_stable_step(scene->model) : INFINITY;
}

/// Least collision distance, and the least time between two looks at a pair that follows from it when floes are no
/// faster than free drift: half that distance over the speed (Rabatel 2015, 2.1.9).
static double shortest_step(const MrnScene *scene, double *distance) {
    const MrnModel *model = scene->model;
    *distance = INFINITY;
    for (size_t b = 0; b < model->bodies.count; b++)
        *distance =
            fmin(*distance, mrn_floe_collision_distance(model, b, scene->scheme.event_driven.collision_distance));
    return 0.5 * *distance / mrn_environment_fastest(model);
}

json_t *mrn_scene_describe(const MrnScene *scene) {
    const MrnModel *model = scene->model;
    SceneCount count = count_scene(scene);
    json_t *object = json_object(), *materials = json_array(), *box = json_array();
    for (size_t m = 0; m < model->materials.count; m++) {
        json_t *material = json_object();
        json_object_set_new(material, "name", mrn_json_text(model->materials.data[m].name));
        json_object_set_new(material, "density", mrn_json_number(model->materials.data[m].density));
        json_array_append_new(materials, material);
    }
    json_array_append_new(box, vector_json(&count.box.low.x, model->dimension));
    json_array_append_new(box, vector_json(&count.box.high.x, model->dimension));
    json_object_set_new(object, "kind", json_string("scene"));
    json_object_set_new(object, "title", mrn_json_text(scene->title));
    json_object_set_new(object, "dimension", json_integer(model->dimension));
    json_object_set_new(object, "bodies", json_integer((json_int_t)model->bodies.count));
    for (int k = 0; k < KIND_COUNT; k++) json_object_set_new(object, kind_names[k], kind_json(&count, k));
    json_object_set_new(object, "mass", mrn_json_number(count.mass));
    json_object_set_new(object, "size_min", mrn_json_number(count.smallest));
    json_object_set_new(object, "size_max", mrn_json_number(count.largest));
    json_object_set_new(object, "box", box);
    json_object_set_new(object, "gravity", vector_json(model->gravity, model->dimension));
    json_object_set_new(object, "materials", materials);
    json_object_set_new(object, "laws", laws_json(model));
    json_object_set_new(object, "stepper", mrn_json_text(scene->scheme.stepper));
    json_object_set_new(object, "theta", mrn_json_number(scene->scheme.theta));
    json_object_set_new(object, "time_step", mrn_json_number(scene->scheme.time_step));
    json_object_set_new(object, "solver", mrn_json_text(scene->scheme.solver.solver));
    json_object_set_new(object, "tolerance", mrn_json_number(scene->scheme.solver.tolerance));
    json_object_set_new(object, "threads", json_integer(scene->scheme.threads));
    double distance, shortest = model->environment ? shortest_step(scene, &distance) : NAN;
    json_object_set_new(object, "stable_step", mrn_json_number(mrn_scene_stable_step(scene)));
    json_object_set_new(object, "shortest_step", mrn_json_number(shortest));
    json_object_set_new(object, "duration", mrn_json_number(scene->duration));
    json_object_set_new(object, "steps", json_integer(count.steps));
    json_object_set_new(object, "frames", json_integer(count.frames));
    json_object_set_new(object, "contacts_estimate", mrn_json_number(count.contacts));
    return object;
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void print_bodies(FILE *out, const SceneCount *count, size_t total) {
    fprintf(out, "  bodies      %zu:", total);
    const char *between = "";
    for (int k = 0; k < KIND_COUNT; k++) {
        if (!count->bodies[k]) continue;
        fprintf(out, "%s %zu %s (", between, count->bodies[k], kind_names[k]);
        between = "";
        for (int s = 0; s < MRN_SHAPE_COUNT; s++) {
            size_t number = count->shapes[k][s];
            if (!number) continue;
            fprintf(out, "%s%zu %s%s", between, number, mrn_shape_name((MrnShapeKind)s), plural(number));
            between = ", ";
        }
        if (count->compound[k]) fprintf(out, "%s%zu of several shapes", between, count->compound[k]);
        putc(')', out);
        between = ",";
    }
    putc('\n', out);
}

static void print_vector(FILE *out, const double *values, int count, const char *unit) {
    fputs("(", out);
    for (int i = 0; i < count; i++) fprintf(out, "%s%.6g", i ? ", " : "", values[i]);
    fprintf(out, ") %s", unit);
}

static void print_law(FILE *out, const MrnPairLaw *law) {
    fprintf(out, "friction %.6g, restitution %.6g", law->friction, law->normal_restitution);
    if (law->tangential_restitution > 0) fprintf(out, ", tangential %.6g", law->tangential_restitution);
    if (law->cross_friction >= 0) fprintf(out, ", friction across %.6g", law->cross_friction);
    if (law->rolling_length > 0) fprintf(out, ", rolling length %.6g m", law->rolling_length);
    putc('\n', out);
}

static void print_materials(FILE *out, const MrnModel *model) {
    fputs("  materials  ", out);
    for (size_t m = 0; m < model->materials.count; m++) {
        const MrnMaterial *material = &model->materials.data[m];
        bool by_volume = model->dimension == 3 || (material->volume_density > 0 && !(material->density > 0));
        fprintf(out, "%s %s %.6g %s", m ? "," : "", material->name,
                by_volume && model->dimension == 2 ? material->volume_density : material->density,
                by_volume ? "kg/m3" : "kg/m2");
    }
    putc('\n', out);
    for (size_t i = 0; i < model->laws.count; i++) {
        const MrnLawEntry *entry = &model->laws.data[i];
        fprintf(out, "  law         %s on %s: ", model->materials.data[entry->material_a].name,
                model->materials.data[entry->material_b].name);
        print_law(out, &entry->law);
    }
    fprintf(out, "  law         %s: ", model->laws.count ? "all other pairs" : "all pairs");
    print_law(out, &model->default_law);
}

static void print_floes(FILE *out, const MrnScene *scene) {
    double stable = mrn_scene_stable_step(scene), distance;
    if (!isfinite(stable)) return;
    double shortest = shortest_step(scene, &distance), fastest = mrn_environment_fastest(scene->model);
    fprintf(out, "  drag        explicit steps are stable to %.4g s; free drift to %.3g m/s\n", stable, fastest);
    fprintf(out, "  collisions  distance from %.3g m: at that drift steps between them need not be below %.3g s\n",
            distance, shortest);
}

void mrn_scene_print(FILE *out, const MrnScene *scene) {
    const MrnModel *model = scene->model;
    const MrnScheme *scheme = &scene->scheme;
    SceneCount count = count_scene(scene);
    fprintf(out, "%s: a scene in %dD%s%s\n", scene->name, model->dimension, scene->title && *scene->title ? ": " : "",
            scene->title ? scene->title : "");
    print_bodies(out, &count, model->bodies.count);
    if (count.bodies[MRN_BODY_FREE]) {
        fprintf(out, "  mass        %.6g kg free\n", count.mass);
        if (isfinite(count.smallest))
            fprintf(out, "  size        %.4g m to %.4g m: half of the smallest width of a free body\n", count.smallest,
                    count.largest);
    }
    for (const char *line = scene->remarks; line && *line; line = strchr(line, '\n') + 1)
        fprintf(out, "  generated   %.*s\n", (int)strcspn(line, "\n"), line);
    if (count.box.low.x <= count.box.high.x) {
        fputs("  box         ", out);
        print_vector(out, &count.box.low.x, model->dimension, "m to ");
        print_vector(out, &count.box.high.x, model->dimension, "m\n");
    }
    fputs("  gravity     ", out);
    print_vector(out, model->gravity, model->dimension, "m/s2\n");
    print_materials(out, model);
    fprintf(out, "  scheme      %s, theta %.4g, time step %.6g s\n", scheme->stepper, scheme->theta, scheme->time_step);
    print_floes(out, scene);
    fprintf(out, "  solver      %s to %.2g, %d thread%s\n", scheme->solver.solver, scheme->solver.tolerance,
            scheme->threads, plural((size_t)scheme->threads));
    fprintf(out, "  duration    %.6g s: %lld steps, %lld frames\n", scene->duration, (long long)count.steps,
            (long long)count.frames);
    fprintf(out, "  contacts    about %.2g once settled\n", count.contacts);
}
