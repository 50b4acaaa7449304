// Building the model of a scene: materials, laws, time, solver, bodies. Bodies come in the order of the file, generated
// ones after.
#include "io/scene_build.h"
#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t mrn_scene_max_bodies = 20 * 1000000;

int mrn_build_material(MrnSceneBuilder *builder, const MrnYaml *node, const char *name) {
    if (!name) return 0;
    size_t count = builder->root->materials.count;
    const char **names = mrn_alloc(count, sizeof *names);
    int found = -1;
    for (size_t i = 0; i < count; i++) {
        names[i] = builder->root->materials.items[i].name;
        if (strcmp(names[i], name) == 0) found = (int)i;
    }
    if (found < 0) {
        char hint[500];
        mrn_word_hint(name, names, count, hint, sizeof hint);
        mrn_yaml_fail(mrn_yaml_at(node, "material"), NULL, builder->error, "unknown material \"%.100s\"%s", name, hint);
    }
    free(names);
    return found;
}

static bool build_materials(MrnSceneBuilder *builder) {
    for (size_t i = 0; i < builder->root->materials.count; i++) {
        const MrnMaterialSpec *spec = &builder->root->materials.items[i];
        for (size_t j = 0; j < i; j++)
            if (strcmp(spec->name, builder->root->materials.items[j].name) == 0)
                return mrn_yaml_fail(mrn_yaml_at(spec->node, "name"), NULL, builder->error,
                                     "two materials have the name \"%.100s\"", spec->name);
        int material = mrn_model_add_material(builder->model, spec->name, isnan(spec->density) ? 0 : spec->density);
        if (!isnan(spec->volume_density)) mrn_model_set_volume_density(builder->model, material, spec->volume_density);
    }
    return true;
}

static bool build_laws(MrnSceneBuilder *builder) {
    bool has_default = false;
    size_t count = builder->root->laws.count;
    for (size_t i = 0; i < count; i++) {
        const MrnLawSpec *spec = &builder->root->laws.items[i];
        MrnPairLaw law = mrn_pair_law_defaults();
        law.friction = spec->friction;
        law.normal_restitution = spec->restitution;
        law.tangential_restitution = spec->tangential_restitution;
        if (!isnan(spec->cross_friction)) law.cross_friction = spec->cross_friction;
        law.rolling_length = spec->rolling_length;
        if (builder->dimension == 3) {
            if (!(mrn_norm3(mrn_load3(spec->friction_axis)) > 0))
                return mrn_yaml_fail(mrn_yaml_at(spec->node, "friction_axis"), NULL, builder->error,
                                     "the axis has no direction");
            mrn_store3(law.friction_axis, mrn_normalize3(mrn_load3(spec->friction_axis)));
        }
        if (!spec->between.count) {
            if (has_default)
                return mrn_yaml_fail(spec->node, NULL, builder->error,
                                     "two laws without \"between\"; only one can hold for all other pairs");
            has_default = true;
            mrn_model_set_law(builder->model, -1, -1, law);
            continue;
        }
        const MrnYaml *between = mrn_yaml_child(spec->node, "between");
        if (spec->between.count != 2)
            return mrn_yaml_fail(between, NULL, builder->error, "found %zu name%s, wanted 2 materials",
                                 spec->between.count, spec->between.count == 1 ? "" : "s");
        int pair[2];
        for (int k = 0; k < 2; k++)
            if ((pair[k] = mrn_build_material(builder, between->children[k], spec->between.items[k])) < 0) return false;
        for (size_t j = 0; j < i; j++) {
            const MrnNames *other = &builder->root->laws.items[j].between;
            if (other->count != 2) continue;
            bool same = strcmp(other->items[0], spec->between.items[0]) == 0 &&
                        strcmp(other->items[1], spec->between.items[1]) == 0;
            bool swapped = strcmp(other->items[0], spec->between.items[1]) == 0 &&
                           strcmp(other->items[1], spec->between.items[0]) == 0;
            if (same || swapped)
                return mrn_yaml_fail(between, NULL, builder->error, "two laws between \"%.100s\" and \"%.100s\"",
                                     spec->between.items[0], spec->between.items[1]);
        }
        mrn_model_set_law(builder->model, pair[0], pair[1], law);
    }
    return true;
}

/// Every option given is one that the solver lists in its row, as "name=default (range), ...".
static bool check_options(MrnSceneBuilder *builder, const MrnSolverSpec *spec, const MrnSolverEntry *entry) {
    const MrnYaml *options = mrn_yaml_child(spec->node, "options");
    size_t count = 0, capacity = strlen(entry->options ? entry->options : "") + 1;
    char *words = mrn_strdup(entry->options ? entry->options : "");
    const char **names = mrn_alloc(capacity, sizeof *names);
    for (char *part = words, *next; part; part = next) {
        if ((next = strstr(part, ", "))) *next = 0, next += 2;
        char *equals = strchr(part, '=');
        char *blank = strchr(part, ' ');
        if (!equals || (blank && blank < equals)) continue; // a comma inside a remark
        *equals = 0;
        names[count++] = part;
    }
    bool good = true;
    for (size_t i = 0; good && options && i < options->count; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++) known |= strcmp(names[k], options->children[i]->key) == 0;
        if (known) continue;
        char hint[500];
        mrn_word_hint(options->children[i]->key, names, count, hint, sizeof hint);
        good = mrn_yaml_fail_key(options->children[i], builder->error, "solver %s has no option \"%.100s\"%s",
                                 entry->name, options->children[i]->key, hint);
    }
    free(names);
    free(words);
    return good;
}

static bool build_solver(MrnSceneBuilder *builder, MrnSolverSettings *settings) {
    const MrnSolverSpec *spec = builder->root->solver;
    size_t count = mrn_solver_count();
    const MrnSolverEntry *entry = NULL;
    const char **names = mrn_alloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = mrn_solver_at(i)->name;
        if (strcmp(names[i], spec->name) == 0) entry = mrn_solver_at(i);
    }
    char hint[500];
    mrn_word_hint(spec->name, names, count, hint, sizeof hint);
    free(names);
    if (!entry)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "name"), NULL, builder->error, "unknown solver \"%.100s\"%s",
                             spec->name, hint);
    if (!check_options(builder, spec, entry)) return false;
    settings->solver = mrn_strdup(spec->name);
    settings->options = mrn_strdup(spec->options);
    settings->tolerance = spec->tolerance;
    settings->max_iterations = (int)spec->max_iterations;
    settings->time_limit = spec->time_limit;
    return true;
}

static void build_event_driven(const MrnEventDrivenSpec *spec, MrnEventDrivenSettings *settings) {
    // The choices are in the order of the enumerations.
    settings->contacts = (MrnContactMode)spec->contacts;
    settings->stepping = (MrnStepping)spec->stepping;
    settings->bound = (MrnStepBound)spec->bound;
    settings->pair_distance = (MrnPairDistance)spec->pair_distance;
    settings->collision_distance = spec->collision_distance;
    settings->clearance = spec->clearance;
    settings->cone_tolerance = spec->cone_tolerance;
    settings->cone_filter = spec->cone_filter;
    settings->span = (int)spec->span;
    settings->belt_directions = (int)spec->belt_directions;
    settings->approach_rate = spec->approach_rate;
    settings->lcp_tolerance = spec->lcp_tolerance;
    settings->energy_tolerance = spec->energy_tolerance;
    settings->relaxed_energy_tolerance = spec->relaxed_energy_tolerance;
    settings->variants = (int)spec->variants;
    settings->perturbations = (int)spec->perturbations;
    settings->quick_sweeps = (int)spec->quick_sweeps;
    settings->dense_limit = (int)spec->dense_limit;
    settings->friction_by_extra = spec->decompression == 1;
    settings->together_after = (int)spec->together_after;
    settings->max_rounds = (int)spec->max_rounds;
}

static bool build_domain(MrnSceneBuilder *builder) {
    const MrnDomainSpec *spec = builder->root->domain;
    if (!spec || spec->kind == 0) return true;
    if (builder->dimension != 2)
        return mrn_yaml_fail(spec->node, NULL, builder->error, "a periodic domain is for two dimensions");
    if (strcmp(builder->scene->scheme.stepper, "dem") == 0)
        return mrn_yaml_fail(spec->node, NULL, builder->error,
                             "a periodic domain is for \"scheme: event-driven\" and \"scheme: moreau-jean\", found "
                             "\"scheme: %s\"",
                             builder->scene->scheme.stepper);
    if (!(spec->high[0] > spec->low[0]) || !(spec->high[1] > spec->low[1]))
        return mrn_yaml_fail(spec->node, NULL, builder->error, "the cell from (%g, %g) m to (%g, %g) m has no area",
                             spec->low[0], spec->low[1], spec->high[0], spec->high[1]);
    mrn_model_set_period(builder->model, spec->low, spec->high);
    return true;
}

static bool build_breaking(MrnSceneBuilder *builder) {
    const MrnBreakingSpec *spec = builder->root->breaking;
    MrnScheme *scheme = &builder->scene->scheme;
    if (!spec) return true;
    if (strcmp(scheme->stepper, "dem") == 0)
        return mrn_yaml_fail(spec->node, NULL, builder->error,
                             "floes break under \"scheme: event-driven\" and \"scheme: moreau-jean\", found \"scheme: "
                             "%s\"",
                             scheme->stepper);
    scheme->breaking.energy = spec->energy;
    scheme->breaking.smallest = spec->smallest;
    scheme->breaking.angle = spec->angle;
    scheme->breaking.memory = spec->memory;
    if (!spec->material) return true;
    scheme->breaking.material = mrn_build_material(builder, spec->node, spec->material);
    return scheme->breaking.material >= 0;
}

static bool build_time(MrnSceneBuilder *builder) {
    const MrnTimeSpec *spec = builder->root->time;
    MrnScene *scene = builder->scene;
    static const char *const steppers[] = {"moreau-jean", "event-driven", "dem"}; // the choices of time.scheme
    scene->scheme = mrn_scheme_defaults();
    scene->scheme.solver.solver = scene->scheme.solver.options = NULL;
    scene->scheme.stepper = mrn_strdup(steppers[spec->scheme]);
    scene->scheme.time_step = spec->step;
    scene->scheme.theta = spec->theta;
    scene->scheme.activation = spec->activation == 0 ? MRN_ACTIVATION_GAP : MRN_ACTIVATION_MOREAU;
    scene->scheme.gap_tolerance = spec->gap_tolerance;
    scene->scheme.recovery = !isnan(spec->recovery)                              ? spec->recovery
                             : scene->scheme.activation == MRN_ACTIVATION_MOREAU ? 0
                                                                                 : 0.2;
    scene->scheme.recovery_speed = spec->recovery_speed;
    scene->scheme.warm_start = spec->warm_start;
    scene->scheme.keep_memory = spec->keep_memory;
    scene->scheme.threads = (int)builder->root->threads;
    build_event_driven(builder->root->event_driven, &scene->scheme.event_driven);
    scene->duration = spec->end;
    scene->output_interval = !isnan(spec->output) ? spec->output : fmax(spec->end / 100, spec->step);
    scene->checkpoint_interval = spec->checkpoint;
    if (spec->end / spec->step > 1e12)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "step"), NULL, builder->error,
                             "found %.3g steps until time.end, wanted at most 1e12", spec->end / spec->step);
    return build_solver(builder, &scene->scheme.solver) && mrn_build_dem(builder, &scene->scheme.dem);
}

/// Enter the name of the newest body; false if another body has it.
static bool enter_name(MrnSceneBuilder *builder, const char *name, int body) {
    size_t size = builder->name_table.count;
    if (2 * (builder->name_count + 1) > size) {
        size_t larger = size ? 2 * size : 64;
        int *old = builder->name_table.data;
        builder->name_table.data = mrn_alloc_zero(larger, sizeof(int));
        builder->name_table.count = builder->name_table.capacity = larger;
        for (size_t i = 0; i < size; i++) {
            if (!old[i]) continue;
            const char *text = builder->model->bodies.data[old[i] - 1].name;
            size_t slot = mrn_hash_bytes(1, text, strlen(text)) & (larger - 1);
            while (builder->name_table.data[slot]) slot = (slot + 1) & (larger - 1);
            builder->name_table.data[slot] = old[i];
        }
        free(old);
        size = larger;
    }
    size_t slot = mrn_hash_bytes(1, name, strlen(name)) & (size - 1);
    for (; builder->name_table.data[slot]; slot = (slot + 1) & (size - 1))
        if (strcmp(builder->model->bodies.data[builder->name_table.data[slot] - 1].name, name) == 0) return false;
    builder->name_table.data[slot] = body + 1;
    builder->name_count++;
    return true;
}

bool mrn_build_add_body(MrnSceneBuilder *builder, const MrnYaml *node, const MrnBodyDef *def, const char *name) {
    if (mrn_model_body_count(builder->model) >= mrn_scene_max_bodies)
        return mrn_yaml_fail(node, NULL, builder->error, "found more than %zu bodies in the scene",
                             mrn_scene_max_bodies);
    MrnError why = {0};
    MrnBodyDef nameless = *def; // the model compares names one by one; the table here does it at once
    nameless.name = NULL;
    int body = mrn_model_add_body(builder->model, &nameless, &why);
    if (body < 0) {
        const char *colon = strncmp(why.message, "body ", 5) == 0 ? strstr(why.message, ": ") : NULL;
        return mrn_yaml_fail(node, NULL, builder->error, "%.600s", colon ? colon + 2 : why.message);
    }
    if (!name) return true;
    builder->model->bodies.data[body].name = mrn_strdup(name);
    if (enter_name(builder, name, body)) return true;
    return mrn_yaml_fail(mrn_yaml_at(node, "name"), NULL, builder->error, "two bodies have the name \"%.100s\"", name);
}

bool mrn_build_rotation(MrnSceneBuilder *builder, const MrnRotationSpec *spec, double rotation[4]) {
    for (int k = 0; k < 4; k++) rotation[k] = 0;
    if (builder->dimension == 3) rotation[0] = 1;
    if (!spec) return true;
    bool angle = !isnan(spec->angle);
    if (builder->dimension == 2) {
        rotation[0] = angle ? spec->angle : 0;
        return true;
    }
    bool quaternion = !isnan(spec->quaternion[0]), euler = !isnan(spec->euler[0]);
    if (angle + quaternion + euler > 1)
        return mrn_yaml_fail(spec->node, NULL, builder->error, "wanted only one of angle, quaternion and euler");
    if (angle) {
        MrnVec3 axis = mrn_load3(spec->axis);
        if (!(mrn_norm3(axis) > 0))
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "axis"), NULL, builder->error, "the axis has no direction");
        mrn_quat_store(rotation, mrn_quat_exp(mrn_scale3(0.5 * spec->angle, mrn_normalize3(axis))));
    } else if (quaternion) {
        double norm = 0;
        for (int k = 0; k < 4; k++) norm = hypot(norm, spec->quaternion[k]);
        if (!(norm > 0) || !isfinite(norm))
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "quaternion"), NULL, builder->error,
                                 "the quaternion has no direction");
        for (int k = 0; k < 4; k++) rotation[k] = spec->quaternion[k] / norm;
    } else if (euler) {
        MrnQuat x = mrn_quat_exp(mrn_vec3(0.5 * spec->euler[0], 0, 0)),
                y = mrn_quat_exp(mrn_vec3(0, 0.5 * spec->euler[1], 0)),
                z = mrn_quat_exp(mrn_vec3(0, 0, 0.5 * spec->euler[2]));
        mrn_quat_store(rotation, mrn_quat_multiply(z, mrn_quat_multiply(y, x)));
    }
    return true;
}

static bool read_motion_file(MrnSceneBuilder *builder, const MrnTableMotionSpec *spec, MrnDriver *driver) {
    const MrnSceneFile *file = mrn_build_file(builder, spec->node, "file", spec->file);
    if (!file) return false;
    int wanted = builder->dimension + 2, line = 1;
    MRN_ARRAY(double) table = {0};
    for (const char *p = file->data; *p; line++) {
        double row[5] = {0}, value;
        int count = 0;
        while (*p && *p != '\n' && *p != '#') {
            if (*p == ' ' || *p == '\t' || *p == ',' || *p == ';' || *p == '\r') {
                p++;
                continue;
            }
            const char *end = mrn_number_parse(p, &value);
            if (!end || !isfinite(value) || count == wanted) {
                mrn_array_free(&table);
                return mrn_yaml_fail(mrn_yaml_at(spec->node, "file"), NULL, builder->error,
                                     "%.100s line %d: found \"%.*s\", wanted %d numbers", spec->file, line,
                                     (int)strcspn(p, "\n\r") > 40 ? 40 : (int)strcspn(p, "\n\r"), p, wanted);
            }
            row[count++] = value;
            p = end;
        }
        while (*p && *p != '\n') p++;
        if (*p) p++;
        if (!count) continue;
        if (count != wanted) {
            mrn_array_free(&table);
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "file"), NULL, builder->error,
                                 "%.100s line %d: found %d numbers, wanted %d", spec->file, line, count, wanted);
        }
        if (builder->dimension == 2) row[4] = row[3], row[3] = 0;
        for (int k = 0; k < 5; k++) mrn_array_push(&table, row[k]);
    }
    driver->table = table.data;
    driver->table_count = table.count / 5;
    return true;
}

static bool build_motion(MrnSceneBuilder *builder, const MrnMotionSpec *spec, MrnDriver *driver) {
    const double *axis = NULL;
    const MrnYaml *node = spec->node;
    if (spec->constant) {
        driver->kind = MRN_DRIVER_CONSTANT;
        memcpy(driver->velocity, spec->constant->velocity, sizeof driver->velocity);
        driver->angular_velocity = spec->constant->angular_velocity;
        axis = spec->constant->axis, node = spec->constant->node;
    } else if (spec->sine) {
        driver->kind = MRN_DRIVER_SINE;
        memcpy(driver->amplitude, spec->sine->amplitude, sizeof driver->amplitude);
        driver->angular_amplitude = spec->sine->angular_amplitude;
        driver->frequency = spec->sine->frequency;
        driver->phase = spec->sine->phase;
        axis = spec->sine->axis, node = spec->sine->node;
    } else {
        driver->kind = MRN_DRIVER_TABLE;
        axis = spec->table->axis, node = spec->table->node;
        if ((spec->table->rows.count > 0) == (spec->table->file != NULL))
            return mrn_yaml_fail(node, NULL, builder->error, "wanted either rows or file");
        if (spec->table->file) {
            if (!read_motion_file(builder, spec->table, driver)) return false;
        } else {
            driver->table_count = spec->table->rows.count;
            driver->table = mrn_alloc(5 * driver->table_count, sizeof(double));
            for (size_t i = 0; i < driver->table_count; i++) {
                const MrnMotionRowSpec *row = &spec->table->rows.items[i];
                double *to = driver->table + 5 * i;
                to[0] = row->time, to[4] = row->angle;
                memcpy(to + 1, row->displacement, sizeof row->displacement);
            }
        }
    }
    if (builder->dimension == 3) {
        if (!(mrn_norm3(mrn_load3(axis)) > 0))
            return mrn_yaml_fail(mrn_yaml_at(node, "axis"), NULL, builder->error, "the axis has no direction");
        mrn_store3(driver->axis, mrn_normalize3(mrn_load3(axis)));
    }
    return true;
}

static const char *const body_kinds[] = {"free", "fixed", "driven"}; // as MrnBodyKind

/// Fields that make no sense for a kind of body are refused, so that nobody waits for an effect that cannot come.
static bool check_body_fields(MrnSceneBuilder *builder, const MrnBodySpec *spec) {
    static const struct {
        const char *key;
        int kind;
    } owned[] = {{"velocity", MRN_BODY_FREE},  {"angular_velocity", MRN_BODY_FREE},
                 {"mass", MRN_BODY_FREE},      {"inertia", MRN_BODY_FREE},
                 {"force", MRN_BODY_FREE},     {"torque", MRN_BODY_FREE},
                 {"pushes", MRN_BODY_FREE},    {"motion", MRN_BODY_DRIVEN},
                 {"thickness", MRN_BODY_FREE}, {"thickness_samples", MRN_BODY_FREE}};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        const MrnYaml *child = mrn_yaml_child(spec->node, owned[i].key);
        if (child && spec->kind != owned[i].kind)
            return mrn_yaml_fail_key(child, builder->error, "\"%s\" is for bodies of kind %s, this one is %s",
                                     owned[i].key, body_kinds[owned[i].kind], body_kinds[spec->kind]);
    }
    if (spec->kind == MRN_BODY_DRIVEN && !spec->motion)
        return mrn_yaml_fail(spec->node, NULL, builder->error, "missing key \"motion\": a driven body needs it");
    if (spec->shape && spec->shapes.count)
        return mrn_yaml_fail(spec->node, NULL, builder->error,
                             "found both \"shape\" and \"shapes\", wanted one of them");
    if (!spec->shape && !spec->shapes.count)
        return mrn_yaml_fail(spec->node, NULL, builder->error, "missing key \"shape\", wanted a mapping");
    return true;
}

/// Pushes of the body that was added last.
static bool build_pushes(MrnSceneBuilder *builder, const MrnBodySpec *spec) {
    for (size_t i = 0; i < spec->pushes.count; i++) {
        const MrnPushSpec *given = &spec->pushes.items[i];
        MrnPush push = {.body = (int)builder->model->bodies.count - 1, .from = given->from, .until = INFINITY};
        memcpy(push.force, given->force, sizeof push.force);
        memcpy(push.torque, given->torque, sizeof push.torque);
        if (!isnan(given->until)) push.until = given->until;
        MrnError why = {0};
        if (!mrn_model_add_push(builder->model, &push, &why))
            return mrn_yaml_fail(given->node, NULL, builder->error, "%s", why.message);
    }
    return true;
}

static bool build_body(MrnSceneBuilder *builder, const MrnBodySpec *spec) {
    if (!check_body_fields(builder, spec)) return false;
    MrnBodyDef def = mrn_body_defaults(builder->dimension);
    def.kind = (MrnBodyKind)spec->kind;
    int material = mrn_build_material(builder, spec->node, spec->material);
    if (material < 0 || !mrn_build_rotation(builder, spec->rotation, def.rotation)) return false;
    memcpy(def.position, spec->position, sizeof def.position);
    memcpy(def.velocity, spec->velocity, sizeof def.velocity);
    memcpy(def.angular_velocity, spec->angular_velocity, sizeof def.angular_velocity);
    if (!isnan(spec->mass)) def.mass = spec->mass;
    if (!isnan(spec->inertia[2])) memcpy(def.inertia, spec->inertia, sizeof def.inertia);
    memcpy(def.force, spec->force, sizeof def.force);
    memcpy(def.torque, spec->torque, sizeof def.torque);
    def.birth = spec->birth;
    def.group = (int)spec->group;
    if (!isnan(spec->collision_distance)) def.collision_distance = spec->collision_distance;
    if (!isnan(spec->thickness)) def.thickness = spec->thickness;
    double *samples = mrn_alloc(3 * spec->thickness_samples.count, sizeof *samples);
    for (size_t i = 0; i < spec->thickness_samples.count; i++) {
        const MrnThicknessSampleSpec *sample = &spec->thickness_samples.items[i];
        samples[3 * i] = sample->at[0], samples[3 * i + 1] = sample->at[1], samples[3 * i + 2] = sample->thickness;
    }
    def.thickness_samples = samples;
    def.thickness_sample_count = spec->thickness_samples.count;

    size_t wanted = spec->shape ? 1 : spec->shapes.count, made = 0;
    MrnShape *shapes = mrn_alloc_zero(wanted, sizeof *shapes);
    bool good = true;
    for (; good && made < wanted; made++) {
        const MrnShapeSpec *shape = spec->shape ? spec->shape : &spec->shapes.items[made];
        good = mrn_build_shape(builder, shape, material, NULL, &shapes[made]);
    }
    def.shapes = shapes;
    def.shape_count = wanted;
    good = good && (!spec->motion || build_motion(builder, spec->motion, &def.driver)) &&
           mrn_build_add_body(builder, spec->node, &def, spec->name) && build_pushes(builder, spec);
    for (size_t i = 0; i < made; i++) mrn_shape_free(&shapes[i]);
    free(shapes);
    free(samples);
    free(def.driver.table);
    return good;
}

bool mrn_build_scene(MrnSceneBuilder *builder) {
    const MrnRootSpec *root = builder->root;
    builder->scene->title = mrn_strdup(root->title);
    builder->scene->model = builder->model = mrn_model_new(builder->dimension);
    mrn_model_set_gravity(builder->model, root->gravity);
    if (!build_materials(builder) || !build_laws(builder) || !build_time(builder) || !build_domain(builder) ||
        !build_breaking(builder))
        return false;
    for (size_t i = 0; i < root->shapes.count; i++) {
        const MrnShapeSpec *shape = &root->shapes.items[i];
        if (!shape->name)
            return mrn_yaml_fail(shape->node, NULL, builder->error, "missing key \"name\", wanted a text");
        for (size_t j = 0; j < i; j++)
            if (strcmp(shape->name, root->shapes.items[j].name) == 0)
                return mrn_yaml_fail(mrn_yaml_at(shape->node, "name"), NULL, builder->error,
                                     "two shapes have the name \"%.100s\"", shape->name);
        MrnShape made = {0};
        bool good = mrn_build_shape(builder, shape, 0, NULL, &made);
        mrn_shape_free(&made);
        if (!good) return false;
    }
    for (size_t i = 0; i < root->bodies.count; i++)
        if (!build_body(builder, &root->bodies.items[i])) return false;
    for (size_t i = 0; i < root->generate.count; i++)
        if (!mrn_generate(builder, &root->generate.items[i])) return false;
    if (!mrn_model_body_count(builder->model))
        return mrn_yaml_fail(root->node, NULL, builder->error, "the scene has no bodies");
    return mrn_check_drums(builder) && mrn_build_environment(builder) && mrn_build_expectations(builder);
}
