// The `expect` and `reference` sections of a scene.
#include "io/expect.h"
#include "io/scene_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_expectations_free(MrnExpectations *expectations) {
    if (!expectations) return;
    for (size_t i = 0; i < expectations->count; i++) {
        MrnExpect *item = &expectations->items[i];
        free(item->name);
        free(item->quantity);
        free(item->of);
        free(item->source);
    }
    free(expectations->items);
    free(expectations->source);
    free(expectations->note);
    free(expectations);
}

static bool fail_at_field(MrnSceneBuilder *builder, const MrnYaml *node, const char *key, const char *message) {
    return mrn_yaml_fail(mrn_yaml_at(node, key), NULL, builder->error, "%s", message);
}

/// The body that `of` names is there; the nearest name otherwise.
static bool check_body(MrnSceneBuilder *builder, const MrnExpectSpec *spec) {
    if (!spec->of || mrn_model_find_body(builder->model, spec->of) >= 0) return true;
    size_t count = 0, total = mrn_model_body_count(builder->model);
    const char **names = mrn_alloc(total, sizeof *names);
    for (size_t i = 0; i < total; i++)
        if (builder->model->bodies.data[i].name) names[count++] = builder->model->bodies.data[i].name;
    char hint[500];
    mrn_word_hint(spec->of, names, count, hint, sizeof hint);
    free(names);
    return mrn_yaml_fail(mrn_yaml_child(spec->node, "of"), NULL, builder->error, "unknown body \"%.100s\"%s", spec->of,
                         hint);
}

static bool build_one(MrnSceneBuilder *builder, const MrnExpectSpec *spec, MrnExpect *out) {
    const MrnYaml *node = spec->node;
    MrnReduce reduce = (MrnReduce)spec->reduce;
    if (!isnan(spec->at) && !mrn_yaml_child(node, "reduce")) reduce = MRN_REDUCE_AT;
    if (reduce == MRN_REDUCE_AT && isnan(spec->at))
        return fail_at_field(builder, node, "reduce", "missing key \"at\": reduce: at needs a time");
    if (reduce != MRN_REDUCE_AT && !isnan(spec->at))
        return fail_at_field(builder, node, "at", "\"at\" goes only with reduce: at");
    bool crossing = reduce == MRN_REDUCE_FIRST_TIME_ABOVE || reduce == MRN_REDUCE_FIRST_TIME_BELOW;
    if (crossing && isnan(spec->level.value))
        return fail_at_field(builder, node, "reduce",
                             "missing key \"level\": a first time needs the level that is crossed");
    if (!crossing && !isnan(spec->level.value))
        return fail_at_field(builder, node, "level",
                             "\"level\" goes only with reduce: first-time-above or first-time-below");
    if (crossing && !mrn_dimension_equal(spec->value.dimension, mrn_dimension_of(MRN_DIMENSION_TIME)))
        return fail_at_field(builder, node, "value",
                             "wanted a time, such as 1 s: the value is when the level is crossed");
    if (reduce != MRN_REDUCE_PEAK && mrn_yaml_child(node, "peak"))
        return fail_at_field(builder, node, "peak", "\"peak\" goes only with reduce: peak");
    if (isnan(spec->tolerance.value) == isnan(spec->relative))
        return mrn_yaml_fail(node, NULL, builder->error, "wanted either tolerance or relative");
    if (!isnan(spec->tolerance.value)) {
        char wanted[80];
        mrn_dimension_describe(spec->value.dimension, wanted, sizeof wanted);
        bool plain_zero = spec->tolerance.value == 0 &&
                          mrn_dimension_equal(spec->tolerance.dimension, mrn_dimension_of(MRN_DIMENSION_NUMBER));
        bool value_zero = spec->value.value == 0 &&
                          mrn_dimension_equal(spec->value.dimension, mrn_dimension_of(MRN_DIMENSION_NUMBER));
        if (!mrn_dimension_equal(spec->tolerance.dimension, spec->value.dimension) && !plain_zero && !value_zero)
            return mrn_yaml_fail(mrn_yaml_child(node, "tolerance"), NULL, builder->error,
                                 "the value is %s, the tolerance is not", wanted);
        if (spec->tolerance.value < 0) return fail_at_field(builder, node, "tolerance", "wanted a tolerance >= 0");
    } else if (spec->value.value == 0)
        return fail_at_field(builder, node, "relative",
                             "a relative tolerance of the value 0 allows nothing; give a tolerance");
    if (!isnan(spec->from) && !isnan(spec->to) && spec->from >= spec->to)
        return fail_at_field(builder, node, "to", "wanted a time after \"from\"");
    if (!check_body(builder, spec)) return false;
    *out = (MrnExpect){.name = mrn_strdup(spec->name),
                       .quantity = mrn_strdup(spec->quantity),
                       .of = mrn_strdup(spec->of),
                       .reduce = reduce,
                       .at = spec->at,
                       .peak = (int)spec->peak,
                       .level = spec->level,
                       .from = spec->from,
                       .to = spec->to,
                       .value = spec->value,
                       .tolerance =
                           isnan(spec->relative) ? spec->tolerance.value : fabs(spec->relative * spec->value.value),
                       .relative = spec->relative,
                       .source = mrn_strdup(spec->source)};
    if (spec->value.value == 0 && !isnan(spec->tolerance.value))
        out->value.dimension = spec->tolerance.dimension; // "0" has any unit
    return true;
}

bool mrn_build_expectations(MrnSceneBuilder *builder) {
    const MrnRootSpec *root = builder->root;
    if (!root->expect.count && !root->reference) return true;
    MrnExpectations *expectations = mrn_alloc_zero(1, sizeof *expectations);
    builder->scene->check = expectations;
    if (root->reference) {
        expectations->source = mrn_strdup(root->reference->source);
        expectations->note = mrn_strdup(root->reference->note);
    }
    expectations->items = mrn_alloc_zero(root->expect.count, sizeof *expectations->items);
    for (size_t i = 0; i < root->expect.count; i++, expectations->count++)
        if (!build_one(builder, &root->expect.items[i], &expectations->items[i])) return false;
    return true;
}
