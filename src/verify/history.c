// The expectations of a scene: histories of quantities, reduced to one number each and compared.
//
// Quantities are sampled at the start and at the end of every step. First times and peaks are those of samples, not
// interpolated, so that they can be held against numbers of the scheme itself; `at` is interpolated linearly between
// steps. A measure (coordination, or stress:pressure for a column) is taken from the frames at the output interval of
// the scene.
#include "verify/check.h"

#include "base/error.h"
#include "io/units.h"
#include "measure/measure.h"
#include "verify/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sample {
    MrnWorld *world;
    const MrnStepInfo *info; ///< of the last step; zero at the start
    int body;
    int component;
} Sample;

static double component_of(const double *values, const Sample *s) {
    return values[s->component];
}
static double position(const Sample *s) {
    return component_of(mrn_world_position(s->world, s->body), s);
}
static double velocity(const Sample *s) {
    return component_of(mrn_world_velocity(s->world, s->body), s);
}
static double spin(const Sample *s) {
    return component_of(mrn_world_spin(s->world, s->body), s);
}
static double rotation(const Sample *s) {
    return component_of(mrn_world_rotation(s->world, s->body), s);
}
static double speed(const Sample *s) {
    const double *v = mrn_world_velocity(s->world, s->body);
    double sum = 0;
    for (int k = 0; k < mrn_model_dimension(mrn_world_model(s->world)); k++) sum += v[k] * v[k];
    return sqrt(sum);
}
static double contact_impulse(const Sample *s) {
    double impulse[3], moment[3];
    mrn_world_contact_resultant(s->world, s->body, impulse, moment);
    return impulse[s->component];
}
static double contact_force(const Sample *s) {
    return contact_impulse(s) / mrn_world_scheme(s->world)->time_step;
}

static bool concerns(const MrnContactView *view, int body) {
    return body < 0 || view->body_a == body || view->body_b == body;
}
static double normal_impulse(const Sample *s) {
    double sum = 0;
    for (size_t c = 0; c < mrn_world_contact_count(s->world); c++) {
        MrnContactView view = mrn_world_contact(s->world, c);
        if (concerns(&view, s->body)) sum += view.normal_impulse;
    }
    return sum;
}
static double touching(const Sample *s) {
    double sum = 0;
    for (size_t c = 0; c < mrn_world_contact_count(s->world); c++) {
        MrnContactView view = mrn_world_contact(s->world, c);
        sum += concerns(&view, s->body) && view.normal_impulse > 0;
    }
    return sum;
}
/// Largest relative speed at a contact that carries an impulse.
static double contact_speed(const Sample *s) {
    double largest = 0;
    for (size_t c = 0; c < mrn_world_contact_count(s->world); c++) {
        MrnContactView view = mrn_world_contact(s->world, c);
        const double *v = view.velocity;
        if (concerns(&view, s->body) && view.normal_impulse > 0)
            largest = fmax(largest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return largest;
}
/// Deepest overlap of a contact of the body.
static double overlap(const Sample *s) {
    double deepest = 0;
    for (size_t c = 0; c < mrn_world_contact_count(s->world); c++) {
        MrnContactView view = mrn_world_contact(s->world, c);
        if (concerns(&view, s->body)) deepest = fmax(deepest, -view.gap);
    }
    return deepest;
}
static double energy(const Sample *s) {
    double kinetic, potential;
    mrn_world_energy(s->world, &kinetic, &potential);
    return kinetic + potential;
}
static double kinetic(const Sample *s) {
    double out, potential;
    mrn_world_energy(s->world, &out, &potential);
    return out;
}
static double potential(const Sample *s) {
    double first, out;
    mrn_world_energy(s->world, &first, &out);
    return out;
}
#define STEP(name)                                                                                                     \
    static double step_##name(const Sample *s) {                                                                       \
        return (double)s->info->name;                                                                                  \
    }
STEP(contacts)
STEP(new_contacts)
STEP(sweeps)
STEP(residual)
STEP(scaled_residual)
STEP(cone_violation)
STEP(penetration)
STEP(dissipated_energy)
STEP(driver_work)
STEP(energy_defect)
STEP(max_speed)
#undef STEP

enum { WHOLE = 1, BODY = 2 };

typedef struct Quantity {
    const char *name;
    MrnDimensionName dimension;
    int of;              ///< WHOLE scene, a BODY, or both
    const char *letters; ///< components, or NULL
    double (*value)(const Sample *sample);
} Quantity;

static const Quantity quantities[] = {
    {"position", MRN_DIMENSION_LENGTH, BODY, "xyz", position},
    {"velocity", MRN_DIMENSION_SPEED, BODY, "xyz", velocity},
    {"speed", MRN_DIMENSION_SPEED, BODY, NULL, speed},
    {"angle", MRN_DIMENSION_ANGLE, BODY, NULL, rotation},
    {"quaternion", MRN_DIMENSION_NUMBER, BODY, "wxyz", rotation},
    {"spin", MRN_DIMENSION_ANGULAR_VELOCITY, BODY, NULL, spin},
    {"spin", MRN_DIMENSION_ANGULAR_VELOCITY, BODY, "xyz", spin},
    {"contact_impulse", MRN_DIMENSION_IMPULSE, BODY, "xyz", contact_impulse},
    {"contact_force", MRN_DIMENSION_FORCE, BODY, "xyz", contact_force},
    {"normal_impulse", MRN_DIMENSION_IMPULSE, BODY | WHOLE, NULL, normal_impulse},
    {"touching", MRN_DIMENSION_NUMBER, BODY | WHOLE, NULL, touching},
    {"contact_speed", MRN_DIMENSION_SPEED, BODY | WHOLE, NULL, contact_speed},
    {"overlap", MRN_DIMENSION_LENGTH, BODY | WHOLE, NULL, overlap},
    {"energy", MRN_DIMENSION_TORQUE, WHOLE, NULL, energy},
    {"kinetic_energy", MRN_DIMENSION_TORQUE, WHOLE, NULL, kinetic},
    {"potential_energy", MRN_DIMENSION_TORQUE, WHOLE, NULL, potential},
    {"contacts", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_contacts},
    {"new_contacts", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_new_contacts},
    {"sweeps", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_sweeps},
    {"residual", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_residual},
    {"scaled_residual", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_scaled_residual},
    {"cone_violation", MRN_DIMENSION_NUMBER, WHOLE, NULL, step_cone_violation},
    {"penetration", MRN_DIMENSION_LENGTH, WHOLE, NULL, step_penetration},
    {"dissipated_energy", MRN_DIMENSION_TORQUE, WHOLE, NULL, step_dissipated_energy},
    {"driver_work", MRN_DIMENSION_TORQUE, WHOLE, NULL, step_driver_work},
    {"energy_defect", MRN_DIMENSION_TORQUE, WHOLE, NULL, step_energy_defect},
    {"max_speed", MRN_DIMENSION_SPEED, WHOLE, NULL, step_max_speed},
};

/// A quantity as written in a scene: "position.y", "|angle|".
typedef struct Wanted {
    const MrnExpect *expect;
    const Quantity *quantity;  ///< or NULL:
    const MrnMeasure *measure; ///< a measure of the frames
    Sample sample;
    bool absolute;
    // running state of the reduction
    double result, last_time, last_value, rise, sum, weight;
    int peaks;
    bool rising, found, started;
} Wanted;

/// NAME or NAME:COLUMN of the table of measures.
static const MrnMeasure *find_measure(const char *text) {
    char *name = mrn_strdup(text), *colon = strchr(name, ':');
    if (colon) *colon = 0;
    const MrnMeasure *measure = mrn_measure_find(name);
    free(name);
    return measure;
}

static bool understand(Wanted *wanted, const MrnModel *model, MrnError *error) {
    const char *text = wanted->expect->quantity;
    wanted->measure = find_measure(text);
    if (wanted->measure && wanted->expect->of)
        return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s' belongs to the whole scene: leave out `of`", text);
    if (wanted->measure) return true;
    size_t length = strlen(text);
    wanted->absolute = length > 2 && text[0] == '|' && text[length - 1] == '|';
    if (wanted->absolute) text++, length -= 2;
    const char *dot = memchr(text, '.', length);
    size_t stem = dot ? (size_t)(dot - text) : length;
    int dimension = mrn_model_dimension(model);
    wanted->sample.body = wanted->expect->of ? mrn_model_find_body(model, wanted->expect->of) : -1;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const Quantity *q = &quantities[i];
        if (strlen(q->name) != stem || strncmp(q->name, text, stem) != 0 || (q->letters != NULL) != (dot != NULL))
            continue;
        if (dot) {
            const char *letter = length - stem == 2 ? strchr(q->letters, dot[1]) : NULL;
            if (!letter)
                return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s': a component is one of %s",
                                wanted->expect->quantity, q->letters);
            wanted->sample.component = (int)(letter - q->letters);
            if (strlen(q->letters) == 3 && wanted->sample.component >= dimension)
                return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s': a scene in 2D has no z",
                                wanted->expect->quantity);
        }
        bool planar = q->value == spin || q->value == rotation;
        if (planar && (dimension == 2) != (q->letters == NULL))
            return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s': wanted %s", wanted->expect->quantity,
                            dimension == 2 ? "angle or spin in 2D" : "quaternion.w or spin.x in 3D");
        if (wanted->sample.body < 0 && !(q->of & WHOLE))
            return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s' belongs to a body: say which with `of`",
                            wanted->expect->quantity);
        if (wanted->sample.body >= 0 && !(q->of & BODY))
            return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s' belongs to the whole scene: leave out `of`",
                            wanted->expect->quantity);
        wanted->quantity = q;
        return true;
    }
    char names[500] = "";
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s%s%s", i ? ", " : "", quantities[i].name,
                 quantities[i].letters ? "." : "", quantities[i].letters ? quantities[i].letters : "");
    }
    return mrn_fail(error, MRN_ERROR_INPUT, "there is no quantity '%.80s'; there are: %s", wanted->expect->quantity,
                    names);
}

/// Values have the unit of the quantity, or that of time for first times.
static bool check_units(const Wanted *wanted, MrnError *error) {
    const MrnExpect *expect = wanted->expect;
    bool crossing = expect->reduce == MRN_REDUCE_FIRST_TIME_ABOVE || expect->reduce == MRN_REDUCE_FIRST_TIME_BELOW;
    MrnQuantity given = crossing ? expect->level : expect->value;
    MrnDimension right = mrn_dimension_of(wanted->quantity->dimension);
    if (given.value == 0 || mrn_dimension_equal(given.dimension, right)) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s' is %s, the value is not", expect->quantity,
                    mrn_dimension_text(wanted->quantity->dimension));
}

static void take_value(Wanted *w, double time, double value, double step);

static void take_sample(Wanted *w, double time, double step) {
    if (!w->quantity) return;
    double value = w->quantity->value(&w->sample);
    take_value(w, time, w->absolute ? fabs(value) : value, step);
}

/// Carry the reduction on by one value.
static void take_value(Wanted *w, double time, double value, double step) {
    const MrnExpect *e = w->expect;
    double slack = 1e-6 * step;
    bool inside = (isnan(e->from) || time >= e->from - slack) && (isnan(e->to) || time <= e->to + slack);
    if (!inside || isnan(value)) return;
    switch (e->reduce) {
    case MRN_REDUCE_FINAL: w->result = value; break;
    case MRN_REDUCE_AT:
        if (w->found) break;
        if (fabs(time - e->at) <= slack)
            w->result = value, w->found = true;
        else if (w->started && time > e->at && w->last_time < e->at) {
            w->result = w->last_value + (value - w->last_value) * (e->at - w->last_time) / (time - w->last_time);
            w->found = true;
        }
        break;
    case MRN_REDUCE_MIN: w->result = w->started ? fmin(w->result, value) : value; break;
    case MRN_REDUCE_MAX: w->result = w->started ? fmax(w->result, value) : value; break;
    case MRN_REDUCE_MEAN:
        w->sum += value, w->weight += 1;
        w->result = w->sum / w->weight;
        break;
    case MRN_REDUCE_PEAK:
        if (w->started && value > w->last_value)
            w->rising = true;
        else if (w->started && value < w->last_value && w->rising) {
            w->rising = false;
            if (++w->peaks == e->peak) w->result = w->last_value;
        }
        break;
    case MRN_REDUCE_FIRST_TIME_ABOVE:
        if (!w->found && value > e->level.value) w->result = time, w->found = true;
        break;
    case MRN_REDUCE_FIRST_TIME_BELOW:
        if (!w->found && value < e->level.value) w->result = time, w->found = true;
        break;
    }
    w->started = true;
    w->last_time = time, w->last_value = value;
}

/// Compute the measure over the window and reduce one of its columns, in SI units. A sheet that is not over time has no
/// window: its rows are reduced as they come.
static bool reduce_measure(Wanted *w, const MrnScene *scene, MrnFrameList *frames, MrnError *error) {
    const char *colon = strchr(w->expect->quantity, ':');
    double h = scene->scheme.time_step;
    MrnMeasureInput input = {.model = scene->model,
                             .time_step = h,
                             .frames = mrn_frame_list_source(frames),
                             .options = mrn_measure_defaults()};
    if (!isnan(w->expect->from)) input.options.from = w->expect->from;
    if (!isnan(w->expect->to)) input.options.to = w->expect->to;
    MrnSheet sheet = {0};
    bool fine = mrn_measure_compute(w->measure, &input, &sheet, error);
    int column = !fine ? -1 : colon ? mrn_sheet_find(&sheet, colon + 1) : 1;
    if (fine && (column < 0 || (size_t)column >= sheet.columns.count))
        fine = mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s': there is no such column", w->expect->quantity);
    if (fine) {
        char one[80], reason[200];
        MrnQuantity unit = {1, mrn_dimension_of(MRN_DIMENSION_NUMBER)};
        const char *name = sheet.columns.data[column].unit;
        snprintf(one, sizeof one, "1 %.60s", name);
        if (strcmp(name, "1") != 0) fine = mrn_quantity_parse(one, &unit, reason, sizeof reason);
        bool crossing =
            w->expect->reduce == MRN_REDUCE_FIRST_TIME_ABOVE || w->expect->reduce == MRN_REDUCE_FIRST_TIME_BELOW;
        MrnQuantity given = crossing ? w->expect->level : w->expect->value;
        if (!fine || (given.value != 0 && !mrn_dimension_equal(given.dimension, unit.dimension)))
            fine =
                mrn_fail(error, MRN_ERROR_INPUT, "quantity '%s' is in %s, the value is not", w->expect->quantity, name);
        bool series = strcmp(sheet.columns.data[0].name, "time") == 0;
        for (size_t i = 0; fine && i < mrn_sheet_rows(&sheet); i++)
            take_value(w, series ? mrn_sheet_value(&sheet, i, 0) : input.options.from,
                       unit.value * mrn_sheet_value(&sheet, i, (size_t)column), h);
    }
    mrn_sheet_free(&sheet);
    return fine;
}

bool mrn_reduce_histories(const MrnScene *scene, const MrnExpect *wanted, size_t count, double *values,
                          MrnError *error) {
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, error);
    if (!world) return false;
    MrnStepInfo info = {0};
    Wanted *list = mrn_alloc_zero(count + 1, sizeof *list);
    MrnFrameList frames = {0};
    bool fine = true, measured = false;
    for (size_t i = 0; i < count && fine; i++) {
        list[i] = (Wanted){.expect = &wanted[i], .result = NAN, .sample = {.world = world, .info = &info}};
        fine = understand(&list[i], scene->model, error) && (list[i].measure || check_units(&list[i], error));
        measured = measured || list[i].measure;
    }
    double h = scene->scheme.time_step, interval = fmax(scene->output_interval, h);
    int64_t steps = (int64_t)ceil(scene->duration / h - 1e-6);
    for (size_t i = 0; i < count && fine; i++) take_sample(&list[i], 0, h);
    if (fine && measured) mrn_frame_list_add(&frames, world);
    for (int64_t step = 0; step < steps && fine; step++) {
        fine = mrn_world_step(world, &info, error);
        for (size_t i = 0; i < count && fine; i++) take_sample(&list[i], mrn_world_time(world), h);
        bool due = floor(h * (double)(step + 1) / interval + 1e-6) > floor(h * (double)step / interval + 1e-6);
        if (fine && measured && (due || step + 1 == steps)) mrn_frame_list_add(&frames, world);
    }
    for (size_t i = 0; i < count && fine; i++)
        if (list[i].measure) fine = reduce_measure(&list[i], scene, &frames, error);
    mrn_frame_list_free(&frames);
    for (size_t i = 0; i < count; i++) values[i] = list[i].result;
    free(list);
    mrn_world_free(world);
    return fine;
}

static const char *reduction(const MrnExpect *e, char *out, size_t size) {
    switch (e->reduce) {
    case MRN_REDUCE_FINAL: return " at the end";
    case MRN_REDUCE_AT: snprintf(out, size, " at %g s", e->at); return out;
    case MRN_REDUCE_MIN: return ", least";
    case MRN_REDUCE_MAX: return ", greatest";
    case MRN_REDUCE_MEAN: return ", mean";
    case MRN_REDUCE_PEAK: snprintf(out, size, ", maximum %d", e->peak); return out;
    case MRN_REDUCE_FIRST_TIME_ABOVE: snprintf(out, size, " first above %g: time", e->level.value); return out;
    case MRN_REDUCE_FIRST_TIME_BELOW: snprintf(out, size, " first below %g: time", e->level.value); return out;
    }
    return "";
}

/// The unit as people write it: J and N rather than products of base units.
static void unit_of(MrnDimension dimension, char *out, size_t size) {
    static const struct {
        MrnDimensionName name;
        const char *unit;
    } named[] = {{MRN_DIMENSION_TORQUE, "J"}, {MRN_DIMENSION_IMPULSE, "N s"}, {MRN_DIMENSION_FORCE, "N"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (mrn_dimension_equal(dimension, mrn_dimension_of(named[i].name))) {
            snprintf(out, size, "%s", named[i].unit);
            return;
        }
    mrn_dimension_unit(dimension, out, size);
}

void mrn_check_scene(MrnVerifyReport *report, MrnScene *scene) {
    const MrnExpectations *expectations = scene->check;
    if (!expectations || !expectations->count) {
        mrn_check_failed(report, "the scene has no `expect` section");
        return;
    }
    MrnError error = {0};
    double *values = mrn_alloc(expectations->count, sizeof *values);
    if (!mrn_reduce_histories(scene, expectations->items, expectations->count, values, &error)) {
        mrn_check_failed(report, error.message);
        free(values);
        return;
    }
    const char *source = report->source;
    for (size_t i = 0; i < expectations->count; i++) {
        const MrnExpect *e = &expectations->items[i];
        char unit[60], how[80], window[80] = "";
        unit_of(e->value.dimension, unit, sizeof unit);
        if (!isnan(e->from)) snprintf(window, sizeof window, " (after %g s)", e->from);
        report->source = e->source ? e->source : expectations->source ? expectations->source : source;
        if (e->name)
            mrn_check(report, e->value.value, values[i], e->tolerance, "%s%s%s%s", e->name, *unit ? " [" : "", unit,
                      *unit ? "]" : "");
        else
            mrn_check(report, e->value.value, values[i], e->tolerance, "%s%s%s%s%s%s%s%s", e->quantity,
                      e->of ? " of " : "", e->of ? e->of : "", reduction(e, how, sizeof how), window, *unit ? " [" : "",
                      unit, *unit ? "]" : "");
    }
    report->source = source;
    free(values);
}

bool mrn_measure_scene(MrnVerifyReport *report, const char *name, const char *const *overrides, const MrnExpect *wanted,
                       size_t count, double *values) {
    MrnError error = {0};
    size_t length = strlen(name) + sizeof "gallery:", n = 0;
    char *path = mrn_alloc(length, 1);
    snprintf(path, length, "gallery:%s", name);
    while (overrides && overrides[n]) n++;
    MrnScene *scene = mrn_scene_read(path, overrides, n, &error);
    bool fine = scene && mrn_reduce_histories(scene, wanted, count, values, &error);
    if (!fine) mrn_check_failed(report, error.message);
    mrn_scene_free(scene);
    free(path);
    return fine;
}

void mrn_list_quantities(FILE *out) {
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const Quantity *q = &quantities[i];
        fprintf(out, "| `%s%s%s` | %s | %s |\n", q->name, q->letters ? "." : "", q->letters ? q->letters : "",
                mrn_dimension_text(q->dimension),
                q->of == WHOLE  ? "the scene"
                : q->of == BODY ? "a body"
                                : "a body or the scene");
    }
    for (size_t i = 0; i < mrn_measure_count(); i++)
        if (mrn_measure_at(i)->drawing == MRN_DRAWING_SERIES)
            fprintf(out, "| `%s` or `%s:COLUMN` | %s, from frames | the scene |\n", mrn_measure_at(i)->name,
                    mrn_measure_at(i)->name, mrn_measure_at(i)->summary);
}
