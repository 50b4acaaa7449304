// The tables of the schema, made from schema_fields.h, and what they say about a field.
#include "io/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, ...) static const char *const choices_##name[] = {__VA_ARGS__, NULL};
MRN_CHOICES(X)
#undef X

#define MRN_WHAT_QUANTITY(what)      .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_NUMBER(what)        .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_INTEGER(what)       .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_BOOLEAN(what)       .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_TEXT(what)          .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_CHOICE(what)        .choices = choices_##what
#define MRN_WHAT_VECTOR(what)        .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_TURN(what)          .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_QUATERNION(what)    .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_POINTS(what)        .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_NAMES(what)         .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_ANY(what)           .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_OPTIONS(what)       .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_SECTION(what)       .section = &mrn_section_##what
#define MRN_WHAT_LIST(what)          .section = &mrn_section_##what
#define MRN_WHAT_CASE(what)          .section = &mrn_section_##what
#define MRN_WHAT_CASE_TEXT(what)     .dimension = MRN_DIMENSION_##what
#define MRN_WHAT_CASE_QUANTITY(what) .dimension = MRN_DIMENSION_##what

#define X(section_name, brief, heading) extern const MrnSchemaSection mrn_section_##section_name;
MRN_SECTIONS(X)
#undef X

#define ROW(section_name, kind_name, name, what, default_text, range_text, doc)                                        \
    {.key = #name,                                                                                                     \
     .kind = MRN_KIND_##kind_name,                                                                                     \
     MRN_WHAT_##kind_name(what),                                                                                       \
     .fallback = default_text,                                                                                         \
     .range = range_text,                                                                                              \
     .text = doc,                                                                                                      \
     .offset = offsetof(Mrn##section_name##Spec, name)},

#define X(section_name, brief, heading)                                                                                \
    static const MrnSchemaField fields_##section_name[] = {MRN_FIELDS_##section_name(ROW, section_name)};              \
    const MrnSchemaSection mrn_section_##section_name = {                                                              \
        .name = #section_name,                                                                                         \
        .shorthand = brief,                                                                                            \
        .title = heading,                                                                                              \
        .size = sizeof(Mrn##section_name##Spec),                                                                       \
        .count = sizeof fields_##section_name / sizeof *fields_##section_name,                                         \
        .fields = fields_##section_name,                                                                               \
    };
MRN_SECTIONS(X)
#undef X

#define X(section_name, brief, heading) &mrn_section_##section_name,
const MrnSchemaSection *const mrn_sections[] = {MRN_SECTIONS(X)};
#undef X
const size_t mrn_section_count = sizeof mrn_sections / sizeof *mrn_sections;

const MrnSchemaField *mrn_schema_find(const MrnSchemaSection *section, const char *key) {
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->fields[i].key, key) == 0) return &section->fields[i];
    return NULL;
}

bool mrn_schema_is_case(const MrnSchemaField *field) {
    return field->kind == MRN_KIND_CASE || field->kind == MRN_KIND_CASE_TEXT || field->kind == MRN_KIND_CASE_QUANTITY;
}

MrnSchemaRange mrn_schema_range(const MrnSchemaField *field) {
    MrnSchemaRange range = {.low = -INFINITY, .high = INFINITY};
    const char *p = field->range;
    if (p[0] && p[1] == 'D') {
        range.dimension = p[0] - '0';
        p += 2;
        while (*p == ' ') p++;
    }
    if (*p == '>') {
        range.low_open = p[1] != '=';
        mrn_number_parse(p + (range.low_open ? 1 : 2), &range.low);
    } else if (*p) {
        // "0..1": the number parser would take "0." for the low end, so cut at the dots.
        const char *dots = strstr(p, "..");
        char low[32];
        snprintf(low, sizeof low, "%.*s", (int)(dots - p), p);
        mrn_number_parse(low, &range.low);
        range.high_open = dots[2] == '<';
        mrn_number_parse(dots + (range.high_open ? 3 : 2), &range.high);
    }
    return range;
}

/// " > 0", " from 0 to 1" or nothing; numbers with the SI unit of the field.
static void range_words(const MrnSchemaField *field, char *out, size_t size) {
    MrnSchemaRange range = mrn_schema_range(field);
    char unit[64] = "";
    if (field->dimension < MRN_DIMENSION_COUNT) {
        unit[0] = ' ';
        mrn_dimension_unit(mrn_dimension_of(field->dimension), unit + 1, sizeof unit - 1);
        if (!unit[1]) unit[0] = 0;
    }
    out[0] = 0;
    if (isfinite(range.high))
        snprintf(out, size, range.high_open ? " from %.10g to less than %.10g%s" : " from %.10g to %.10g%s", range.low,
                 range.high, unit);
    else if (isfinite(range.low))
        snprintf(out, size, range.low_open ? " > %.10g" : " >= %.10g", range.low);
}

void mrn_schema_wanted(const MrnSchemaField *field, int dimension, char *out, size_t size) {
    char range[100];
    range_words(field, range, sizeof range);
    MrnDimensionName quantity = field->dimension;
    if (quantity == MRN_DIMENSION_DENSITY)
        quantity = dimension == 2 ? MRN_DIMENSION_AREA_DENSITY : MRN_DIMENSION_VOLUME_DENSITY;
    const char *text = mrn_dimension_text(quantity), *example = mrn_dimension_example(quantity);
    int numbers = dimension == 2 ? 2 : 3;
    switch (field->kind) {
    case MRN_KIND_QUANTITY:
    case MRN_KIND_CASE_QUANTITY: snprintf(out, size, "%s%s, such as %s", text, range, example); break;
    case MRN_KIND_NUMBER: snprintf(out, size, "a pure number%s", range); break;
    case MRN_KIND_INTEGER: snprintf(out, size, "a whole number%s", range); break;
    case MRN_KIND_BOOLEAN: snprintf(out, size, "true or false"); break;
    case MRN_KIND_TEXT:
    case MRN_KIND_CASE_TEXT: snprintf(out, size, "a text"); break;
    case MRN_KIND_CHOICE: {
        size_t used = (size_t)snprintf(out, size, field->choices[1] ? "one of " : "");
        for (size_t i = 0; field->choices[i] && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, i ? ", %s" : "%s", field->choices[i]);
        break;
    }
    case MRN_KIND_TURN:
        if (dimension == 2) {
            snprintf(out, size, "%s%s, such as %s", text, range, example);
            break;
        }
        // fallthrough
    case MRN_KIND_VECTOR:
        if (quantity == MRN_DIMENSION_NUMBER)
            snprintf(out, size, "%d pure numbers%s, such as %s", numbers, range, numbers == 2 ? "[1, 2]" : "[1, 2, 3]");
        else
            snprintf(out, size, "%d components, each %s%s, such as [%s, %s%s%s]", numbers, text, range, example,
                     example, numbers == 3 ? ", " : "", numbers == 3 ? example : "");
        break;
    case MRN_KIND_QUATERNION: snprintf(out, size, "4 pure numbers w, x, y, z, such as [1, 0, 0, 0]"); break;
    case MRN_KIND_POINTS:
        snprintf(out, size, "a list of points, such as %s",
                 numbers == 2 ? "[0 0 m, 1 0 m, 0 1 m]" : "[0 0 0 m, 1 0 0 m, 0 1 0 m]");
        break;
    case MRN_KIND_NAMES: snprintf(out, size, "a list of names, such as [ice, rock]"); break;
    case MRN_KIND_ANY: snprintf(out, size, "a number with its unit, such as %s", example); break;
    case MRN_KIND_OPTIONS: snprintf(out, size, "a mapping of option names to values"); break;
    case MRN_KIND_LIST:
        snprintf(out, size, strcmp(field->fallback, REQUIRED) == 0 ? "a list of at least one item" : "a list");
        break;
    case MRN_KIND_SECTION:
    case MRN_KIND_CASE: snprintf(out, size, "a mapping"); break;
    }
}

void mrn_schema_suggest(const MrnSchemaSection *section, int dimension, const char *key, char *out, size_t size) {
    const char **keys = malloc(section->count * sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; keys && i < section->count; i++) {
        int only = mrn_schema_range(&section->fields[i]).dimension;
        if (!only || !dimension || only == dimension) keys[count++] = section->fields[i].key;
    }
    mrn_word_hint(key, keys, count, out, size);
    free(keys);
}
