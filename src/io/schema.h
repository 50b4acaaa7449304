// The schema of scenes: structs, tables and the reader, all made from the lines of schema_fields.h.
//
// A field cannot be in a struct and not in the table, or the reverse. Reading fills a struct Mrn...Spec per section;
// the code that builds the model looks only at these structs. What always holds after reading: required fields are
// there, values are finite and in range, quantities are in SI units; a quantity or vector without default that was left
// out is NAN, a text, section or case is NULL, a list is empty.
#ifndef MRN_IO_SCHEMA_H
#define MRN_IO_SCHEMA_H

#include "io/scene_yaml.h"
#include "io/schema_fields.h"
#include "io/units.h"

/// A list of points, 2 or 3 numbers each.
typedef struct MrnPoints {
    size_t count;
    double *data;
} MrnPoints;

typedef struct MrnNames {
    size_t count;
    const char **items;
} MrnNames;

#define MRN_MEMBER_QUANTITY(name, what)   double name;
#define MRN_MEMBER_NUMBER(name, what)     double name;
#define MRN_MEMBER_INTEGER(name, what)    int64_t name;
#define MRN_MEMBER_BOOLEAN(name, what)    bool name;
#define MRN_MEMBER_TEXT(name, what)       const char *name;
#define MRN_MEMBER_CHOICE(name, what)     int name; /* index in the list of choices; -1 if left out */
#define MRN_MEMBER_VECTOR(name, what)     double name[3];
#define MRN_MEMBER_TURN(name, what)       double name[3]; /* 2D: in [2] */
#define MRN_MEMBER_QUATERNION(name, what) double name[4];
#define MRN_MEMBER_POINTS(name, what)     MrnPoints name;
#define MRN_MEMBER_NAMES(name, what)      MrnNames name;
#define MRN_MEMBER_ANY(name, what)        MrnQuantity name;
#define MRN_MEMBER_OPTIONS(name, what)    const char *name; /* "a=1,b=2" */
#define MRN_MEMBER_SECTION(name, what)    const struct Mrn##what##Spec *name;
#define MRN_MEMBER_LIST(name, what)                                                                                    \
    struct {                                                                                                           \
        size_t count;                                                                                                  \
        struct Mrn##what##Spec *items;                                                                                 \
    } name;
#define MRN_MEMBER_CASE(name, what)          const struct Mrn##what##Spec *name;
#define MRN_MEMBER_CASE_TEXT(name, what)     const char *name;
#define MRN_MEMBER_CASE_QUANTITY(name, what) double name;

#define MRN_MEMBER(section, kind, name, what, fallback, range, text) MRN_MEMBER_##kind(name, what)
#define X(section, shorthand, title)                                                                                   \
    typedef struct Mrn##section##Spec {                                                                                \
        const MrnYaml *node; /* for messages */                                                                        \
        MRN_FIELDS_##section(MRN_MEMBER, section)                                                                      \
    } Mrn##section##Spec;
MRN_SECTIONS(X)
#undef X

typedef enum MrnSchemaKind {
    MRN_KIND_QUANTITY,
    MRN_KIND_NUMBER,
    MRN_KIND_INTEGER,
    MRN_KIND_BOOLEAN,
    MRN_KIND_TEXT,
    MRN_KIND_CHOICE,
    MRN_KIND_VECTOR,
    MRN_KIND_TURN,
    MRN_KIND_QUATERNION,
    MRN_KIND_POINTS,
    MRN_KIND_NAMES,
    MRN_KIND_ANY,
    MRN_KIND_OPTIONS,
    MRN_KIND_SECTION,
    MRN_KIND_LIST,
    MRN_KIND_CASE,
    MRN_KIND_CASE_TEXT,
    MRN_KIND_CASE_QUANTITY
} MrnSchemaKind;

struct MrnSchemaSection;

typedef struct MrnSchemaField {
    const char *key;
    MrnSchemaKind kind;
    MrnDimensionName dimension;             ///< of quantities and vectors
    const char *const *choices;             ///< of a choice, ends with NULL
    const struct MrnSchemaSection *section; ///< of a section, list or case
    const char *fallback, *range, *text;    ///< as in schema_fields.h
    size_t offset;                          ///< in the struct of the section
} MrnSchemaField;

typedef struct MrnSchemaSection {
    const char *name, *shorthand, *title;
    size_t size; ///< of its struct
    size_t count;
    const MrnSchemaField *fields;
} MrnSchemaSection;

/// Range of a field, read from its text.
typedef struct MrnSchemaRange {
    double low, high;
    bool low_open, high_open;
    int dimension; ///< 2 or 3: the field exists only there; 0: in both
} MrnSchemaRange;

extern const MrnSchemaSection mrn_section_Root;
extern const MrnSchemaSection *const mrn_sections[]; ///< all of them, leaves first
extern const size_t mrn_section_count;

const MrnSchemaField *mrn_schema_find(const MrnSchemaSection *section, const char *key);
MrnSchemaRange mrn_schema_range(const MrnSchemaField *field);
bool mrn_schema_is_case(const MrnSchemaField *field);
/// What a field wants, for messages: "a length > 0, such as 0.2 m".
void mrn_schema_wanted(const MrnSchemaField *field, int dimension, char *out, size_t size);
/// Fail with "unknown key" or the like and the nearest key of the section: " \"stpe\"; did you mean \"step\"?"
void mrn_schema_suggest(const MrnSchemaSection *section, int dimension, const char *key, char *out, size_t size);

/// Read the tree into the struct of the root section; everything lives in `arena`. NULL with an error.
const MrnRootSpec *mrn_schema_read(const MrnYaml *root, MrnArena *arena, MrnError *error);

/// Replace or add the value at `argument` = "path=value" in the tree. False with an error that names the argument.
bool mrn_schema_override(MrnYaml *root, const char *argument, MrnArena *arena, MrnError *error);

#endif
