// Reading a tree into the structs of the schema: one routine per kind of field, driven by the tables.
#include "base/error.h"
#include "io/schema.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
    MrnArena *arena;
    MrnError *error;
    int dimension; ///< 2 or 3 once it has been read
} Reader;

static bool read_section(Reader *reader, const MrnSchemaSection *section, const MrnYaml *node, void *out);

/// Fail with what was found, a remark about it, and what the field wants.
static bool fail_wanted(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, const char *remark) {
    char found[400], wanted[500];
    mrn_yaml_found(node, found, sizeof found);
    mrn_schema_wanted(field, reader->dimension, wanted, sizeof wanted);
    return mrn_yaml_fail(node, NULL, reader->error, "found %s%s, wanted %s", found, remark, wanted);
}

static bool in_range(const MrnSchemaRange *range, double value) {
    return (range->low_open ? value > range->low : value >= range->low) &&
           (range->high_open ? value < range->high : value <= range->high);
}

static MrnDimensionName field_dimension(const Reader *reader, const MrnSchemaField *field) {
    if (field->dimension != MRN_DIMENSION_DENSITY) return field->dimension;
    return reader->dimension == 2 ? MRN_DIMENSION_AREA_DENSITY : MRN_DIMENSION_VOLUME_DENSITY;
}

/// Numbers of one scalar with a common unit, checked against dimension and range of the field.
static bool read_numbers(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, size_t max, double *values,
                         size_t *count, MrnDimension *dimension_found) {
    if (node->kind != MRN_YAML_SCALAR || mrn_yaml_is_null(node)) return fail_wanted(reader, field, node, "");
    MrnDimension dimension;
    char reason[160], remark[200];
    if (!mrn_quantities_parse(node->text, max, values, count, &dimension, reason, sizeof reason)) {
        snprintf(remark, sizeof remark, " (%s)", reason);
        return fail_wanted(reader, field, node, remark);
    }
    bool all_zero = true;
    for (size_t i = 0; i < *count; i++) {
        if (!isfinite(values[i])) return fail_wanted(reader, field, node, ", which is not finite");
        all_zero &= values[i] == 0;
    }
    MrnDimension none = {0, 0, 0, 0, 0};
    if (dimension_found)
        *dimension_found = dimension;
    else {
        MrnDimension wanted = mrn_dimension_of(field_dimension(reader, field));
        if (!mrn_dimension_equal(dimension, wanted) && !(all_zero && mrn_dimension_equal(dimension, none))) {
            if (mrn_dimension_equal(dimension, none)) return fail_wanted(reader, field, node, " without a unit");
            char words[80];
            mrn_dimension_describe(dimension, words, sizeof words);
            snprintf(remark, sizeof remark, ", %s", words);
            return fail_wanted(reader, field, node, remark);
        }
    }
    MrnSchemaRange range = mrn_schema_range(field);
    for (size_t i = 0; i < *count; i++)
        if (!in_range(&range, values[i])) return fail_wanted(reader, field, node, "");
    return true;
}

static bool read_quantity(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, double *out) {
    size_t count;
    return read_numbers(reader, field, node, 1, out, &count, NULL);
}

static bool read_integer(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, int64_t *out) {
    double value;
    if (!read_quantity(reader, field, node, &value)) return false;
    if (value != floor(value)) return fail_wanted(reader, field, node, "");
    if (fabs(value) > 0x1p53) return fail_wanted(reader, field, node, ", which is too large");
    *out = (int64_t)value;
    return true;
}

static bool read_boolean(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, bool *out) {
    bool is_true = node->kind == MRN_YAML_SCALAR && strcmp(node->text, "true") == 0;
    bool is_false = node->kind == MRN_YAML_SCALAR && strcmp(node->text, "false") == 0;
    if (!is_true && !is_false) return fail_wanted(reader, field, node, "");
    *out = is_true;
    return true;
}

static bool read_text(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, const char **out) {
    if (node->kind != MRN_YAML_SCALAR || mrn_yaml_is_null(node) || !node->text[0])
        return fail_wanted(reader, field, node, "");
    *out = node->text;
    return true;
}

static bool read_choice(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, int *out) {
    if (node->kind != MRN_YAML_SCALAR) return fail_wanted(reader, field, node, "");
    size_t count = 0;
    for (; field->choices[count]; count++)
        if (strcmp(field->choices[count], node->text) == 0) {
            *out = (int)count;
            return true;
        }
    const char *nearest = mrn_nearest_word(node->text, field->choices, count);
    if (!nearest) return fail_wanted(reader, field, node, "");
    char remark[120];
    snprintf(remark, sizeof remark, " (did you mean \"%s\"?)", nearest);
    return fail_wanted(reader, field, node, remark);
}

/// `count` numbers: a list with one quantity each, or one scalar "1 2 m"; a single 0 stands for all zeros.
static bool read_vector(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, size_t count, double *out) {
    size_t found = 0;
    char remark[80];
    if (node->kind == MRN_YAML_LIST) {
        if (node->count != count) {
            snprintf(remark, sizeof remark, " of %zu", node->count);
            return fail_wanted(reader, field, node, node->count ? remark : "");
        }
        MrnSchemaField component = *field;
        component.kind = field->dimension == MRN_DIMENSION_NUMBER ? MRN_KIND_NUMBER : MRN_KIND_QUANTITY;
        for (size_t i = 0; i < count; i++)
            if (!read_numbers(reader, &component, node->children[i], 1, &out[i], &found, NULL)) return false;
        return true;
    }
    if (!read_numbers(reader, field, node, count, out, &found, NULL)) return false;
    if (found == 1 && out[0] == 0) {
        for (size_t i = 1; i < count; i++) out[i] = 0;
        return true;
    }
    if (found != count) {
        snprintf(remark, sizeof remark, " with %zu number%s", found, found == 1 ? "" : "s");
        return fail_wanted(reader, field, node, remark);
    }
    return true;
}

static bool read_points(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, MrnPoints *out) {
    if (node->kind != MRN_YAML_LIST || !node->count) return fail_wanted(reader, field, node, "");
    size_t width = (size_t)reader->dimension;
    out->data = mrn_arena_take(reader->arena, node->count * width, sizeof *out->data);
    out->count = node->count;
    MrnSchemaField point = *field;
    point.kind = MRN_KIND_VECTOR;
    for (size_t i = 0; i < node->count; i++)
        if (!read_vector(reader, &point, node->children[i], width, out->data + i * width)) return false;
    return true;
}

static bool read_names(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, MrnNames *out) {
    if (node->kind != MRN_YAML_LIST || !node->count) return fail_wanted(reader, field, node, "");
    out->items = mrn_arena_take(reader->arena, node->count, sizeof *out->items);
    out->count = node->count;
    MrnSchemaField name = *field;
    name.kind = MRN_KIND_TEXT;
    for (size_t i = 0; i < node->count; i++)
        if (!read_text(reader, &name, node->children[i], &out->items[i])) return false;
    return true;
}

/// A free mapping of scalars as "name=value,name=value".
static bool read_options(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, const char **out) {
    if (node->kind != MRN_YAML_MAP) return fail_wanted(reader, field, node, "");
    size_t length = 1;
    for (size_t i = 0; i < node->count; i++) {
        const MrnYaml *child = node->children[i];
        if (child->kind != MRN_YAML_SCALAR || mrn_yaml_is_null(child) || strpbrk(child->text, ",=") ||
            strpbrk(child->key, ",=")) {
            char found[400];
            mrn_yaml_found(child, found, sizeof found);
            return mrn_yaml_fail(child, NULL, reader->error,
                                 "found %s, wanted a word or a number without \",\" and \"=\"", found);
        }
        length += strlen(child->key) + strlen(child->text) + 2;
    }
    char *text = mrn_arena_take(reader->arena, length, 1), *end = text;
    *end = 0;
    for (size_t i = 0; i < node->count; i++)
        end += snprintf(end, length - (size_t)(end - text), i ? ",%s=%s" : "%s=%s", node->children[i]->key,
                        node->children[i]->text);
    *out = text;
    return true;
}

static bool read_list(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, void *out) {
    struct {
        size_t count;
        void *items;
    } list = {0, NULL};
    if (node->kind != MRN_YAML_LIST && !mrn_yaml_is_null(node)) return fail_wanted(reader, field, node, "");
    if (!node->count && strcmp(field->fallback, REQUIRED) == 0) return fail_wanted(reader, field, node, "");
    list.items = mrn_arena_take(reader->arena, node->count, field->section->size);
    list.count = node->count;
    for (size_t i = 0; i < list.count; i++)
        if (!read_section(reader, field->section, node->children[i], (char *)list.items + i * field->section->size))
            return false;
    memcpy(out, &list, sizeof list);
    return true;
}

static bool read_field(Reader *reader, const MrnSchemaField *field, const MrnYaml *node, void *out) {
    switch (field->kind) {
    case MRN_KIND_QUANTITY:
    case MRN_KIND_CASE_QUANTITY:
    case MRN_KIND_NUMBER: return read_quantity(reader, field, node, out);
    case MRN_KIND_INTEGER: return read_integer(reader, field, node, out);
    case MRN_KIND_BOOLEAN: return read_boolean(reader, field, node, out);
    case MRN_KIND_TEXT:
    case MRN_KIND_CASE_TEXT: return read_text(reader, field, node, out);
    case MRN_KIND_CHOICE: return read_choice(reader, field, node, out);
    case MRN_KIND_TURN:
        if (reader->dimension == 2) {
            double *vector = out;
            vector[0] = vector[1] = 0;
            return read_quantity(reader, field, node, &vector[2]);
        }
        // fallthrough
    case MRN_KIND_VECTOR: {
        double *vector = out;
        vector[2] = 0;
        return read_vector(reader, field, node, (size_t)reader->dimension, out);
    }
    case MRN_KIND_QUATERNION: return read_vector(reader, field, node, 4, out);
    case MRN_KIND_POINTS: return read_points(reader, field, node, out);
    case MRN_KIND_NAMES: return read_names(reader, field, node, out);
    case MRN_KIND_ANY: {
        MrnQuantity *quantity = out;
        size_t count;
        return read_numbers(reader, field, node, 1, &quantity->value, &count, &quantity->dimension);
    }
    case MRN_KIND_OPTIONS: return read_options(reader, field, node, out);
    case MRN_KIND_LIST: return read_list(reader, field, node, out);
    case MRN_KIND_SECTION:
    case MRN_KIND_CASE: {
        void *spec = mrn_arena_take(reader->arena, 1, field->section->size);
        memcpy(out, &spec, sizeof spec);
        return read_section(reader, field->section, node, spec);
    }
    }
    assert(false);
    return false;
}

/// What a field holds when it was left out and has no default.
static void set_absent(const MrnSchemaField *field, void *out) {
    double *number = out;
    switch (field->kind) {
    case MRN_KIND_QUANTITY:
    case MRN_KIND_CASE_QUANTITY:
    case MRN_KIND_NUMBER: *number = NAN; break;
    case MRN_KIND_VECTOR:
    case MRN_KIND_TURN: number[0] = number[1] = number[2] = NAN; break;
    case MRN_KIND_QUATERNION: number[0] = number[1] = number[2] = number[3] = NAN; break;
    case MRN_KIND_CHOICE: *(int *)out = -1; break;
    case MRN_KIND_ANY: ((MrnQuantity *)out)->value = NAN; break;
    default: break; // pointers and lists: the struct was zeroed
    }
}

static bool read_default(Reader *reader, const MrnSchemaField *field, const MrnYaml *section_node, void *out) {
    MrnYaml node = {.kind = MRN_YAML_SCALAR,
                    .source = section_node->source,
                    .line = section_node->line,
                    .column = section_node->column,
                    .parent = (MrnYaml *)section_node,
                    .key = field->key,
                    .text = field->fallback};
    if (strcmp(field->fallback, "{}") != 0) return read_field(reader, field, &node, out);
    node.kind = MRN_YAML_MAP;
    node.text = NULL;
    MrnYaml *kept = mrn_yaml_new(MRN_YAML_MAP, node.source, reader->arena); // its spec points to it
    *kept = node;
    return read_field(reader, field, kept, out);
}

/// A value that is not a mapping stands for one field of the section: wrap it.
static const MrnYaml *expand_shorthand(Reader *reader, const MrnSchemaSection *section, const MrnYaml *node) {
    if (node->kind == MRN_YAML_MAP) return node;
    MrnYaml *map = mrn_yaml_new(MRN_YAML_MAP, node->source, reader->arena);
    *map = (MrnYaml){.kind = MRN_YAML_MAP,
                     .source = node->source,
                     .line = node->line,
                     .column = node->column,
                     .key_line = node->key_line,
                     .key_column = node->key_column,
                     .parent = node->parent,
                     .key = node->key};
    if (mrn_yaml_is_null(node)) return map;
    if (!section->shorthand[0]) return NULL;
    MrnYaml *child = mrn_yaml_new(node->kind, node->source, reader->arena);
    *child = *node;
    child->key = section->shorthand;
    for (size_t i = 0; i < child->count; i++) child->children[i]->parent = child;
    mrn_yaml_append(map, child, reader->arena);
    return map;
}

/// Every key is known, allowed in this dimension, and given once.
static bool check_keys(Reader *reader, const MrnSchemaSection *section, const MrnYaml *node) {
    for (size_t i = 0; i < node->count; i++) {
        const MrnYaml *child = node->children[i];
        const MrnSchemaField *field = mrn_schema_find(section, child->key);
        if (!field) {
            char hint[500], key[200];
            mrn_schema_suggest(section, reader->dimension, child->key, hint, sizeof hint);
            MrnYaml word = {.kind = MRN_YAML_SCALAR, .text = child->key, .quoted = true};
            mrn_yaml_found(&word, key, sizeof key);
            return mrn_yaml_fail_key(child, reader->error, "unknown key %s%s", key, hint);
        }
        int only = mrn_schema_range(field).dimension;
        if (only && reader->dimension && only != reader->dimension)
            return mrn_yaml_fail_key(child, reader->error, "\"%s\" exists only in %dD, the scene has dimension %d",
                                     field->key, only, reader->dimension);
        for (size_t j = 0; j < i; j++) // keys are all known and different so far: i is at most the number of fields
            if (strcmp(node->children[j]->key, child->key) == 0)
                return mrn_yaml_fail_key(child, reader->error, "key \"%s\" is given twice", child->key);
    }
    return true;
}

/// Exactly one of the cases is given.
static bool check_cases(Reader *reader, const MrnSchemaSection *section, const MrnYaml *node) {
    const char *given = NULL;
    bool any = false;
    for (size_t i = 0; i < section->count; i++) {
        const MrnSchemaField *field = &section->fields[i];
        if (!mrn_schema_is_case(field)) continue;
        any = true;
        const MrnYaml *child = mrn_yaml_child(node, field->key);
        if (child && given)
            return mrn_yaml_fail_key(child, reader->error, "found both \"%s\" and \"%s\", wanted one of them", given,
                                     field->key);
        if (child) given = field->key;
    }
    if (!any || given) return true;
    char list[500];
    size_t used = 0;
    for (size_t i = 0; i < section->count && used < sizeof list; i++) {
        const MrnSchemaField *field = &section->fields[i];
        int only = mrn_schema_range(field).dimension;
        if (!mrn_schema_is_case(field) || (only && only != reader->dimension)) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, used ? ", %s" : "%s", field->key);
    }
    return mrn_yaml_fail(node, NULL, reader->error, "missing key, wanted one of %s", list);
}

static bool read_section(Reader *reader, const MrnSchemaSection *section, const MrnYaml *given, void *out) {
    const MrnYaml *node = expand_shorthand(reader, section, given);
    char found[400];
    if (!node) {
        mrn_yaml_found(given, found, sizeof found);
        char keys[400];
        size_t used = 0;
        for (size_t i = 0; i < section->count && used < sizeof keys; i++)
            used += (size_t)snprintf(keys + used, sizeof keys - used, i ? ", %s" : "%s", section->fields[i].key);
        return mrn_yaml_fail(given, NULL, reader->error, "found %s, wanted a mapping with keys among %s", found, keys);
    }
    if (!check_keys(reader, section, node)) return false;
    memset(out, 0, section->size);
    memcpy(out, &node, sizeof node); // the first member of every spec
    for (size_t i = 0; i < section->count; i++) {
        const MrnSchemaField *field = &section->fields[i];
        void *target = (char *)out + field->offset;
        const MrnYaml *child = mrn_yaml_child(node, field->key);
        int only = mrn_schema_range(field).dimension;
        if (child) {
            if (!read_field(reader, field, child, target)) return false;
        } else if (strcmp(field->fallback, REQUIRED) == 0) {
            char wanted[500];
            mrn_schema_wanted(field, reader->dimension, wanted, sizeof wanted);
            return mrn_yaml_fail(node, NULL, reader->error, "missing key \"%s\", wanted %s", field->key, wanted);
        } else if (strcmp(field->fallback, NONE) == 0 || (only && only != reader->dimension)) {
            set_absent(field, target);
        } else if (!read_default(reader, field, node, target))
            return false;
        if (section == &mrn_section_Root && field->offset == offsetof(MrnRootSpec, dimension))
            reader->dimension = (int)((MrnRootSpec *)out)->dimension;
    }
    return check_cases(reader, section, node);
}

const MrnRootSpec *mrn_schema_read(const MrnYaml *root, MrnArena *arena, MrnError *error) {
    Reader reader = {.arena = arena, .error = error};
    MrnRootSpec *spec = mrn_arena_take(arena, 1, sizeof *spec);
    return read_section(&reader, &mrn_section_Root, root, spec) ? spec : NULL;
}
