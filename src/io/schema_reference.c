// docs/scene.md, written from the tables that read scenes.
#include "io/schema.h"
#include <moraine/scene.h>

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# Scenes\n"
    "\n"
    "A scene is a page of YAML that says what to simulate: materials, bodies, and how long. This page is written by "
    "the program from the table\n"
    "that reads scenes, so it is never out of date (`moraine check` uses the same table).\n"
    "\n"
    "## An example\n"
    "\n"
    "```yaml\n"
    "title: A ball rolls off a slope onto a pile\n"
    "dimension: 2\n"
    "gravity: [0, -9.81 m/s2]\n"
    "time: {step: 1 ms, end: 3 s, output: 20 ms}\n"
    "\n"
    "materials:\n"
    "  - {name: rock, density: 2500 kg/m2}   # in 2D a density is a mass per area\n"
    "  - {name: ice, density: 900 kg/m2}\n"
    "\n"
    "laws:\n"
    "  - {friction: 0.5}                     # of every pair that is not named\n"
    "  - {between: [rock, ice], friction: 0.05, restitution: 0.2}\n"
    "\n"
    "bodies:\n"
    "  - {name: ground, kind: fixed, material: rock, shape: {half_plane: {}}}\n"
    "  - name: slope\n"
    "    kind: fixed\n"
    "    shape: {polygon: [0 0 m, 4 0 m, 0 2 m]}\n"
    "    position: [-6 m, 0]\n"
    "  - {name: ball, material: ice, shape: {disc: 20 cm}, position: -5.8 2.3 m}\n"
    "\n"
    "generate:\n"
    "  - name: pebble\n"
    "    seed: 1\n"
    "    fill:\n"
    "      count: 200\n"
    "      grain: convex\n"
    "      radius: {uniform: {low: 5 cm, high: 9 cm}}\n"
    "      region: {box: {low: [0, 0], high: [2 m, 4 m]}}\n"
    "```\n"
    "\n"
    "## Values\n"
    "\n"
    "- Every value has a unit or is a pure number: `12 km`, `0.3 m/s`, `7 deg`, `2500 kg/m3`, `9.81 m/s2` (or "
    "`m/s^2`), `1 ms`, `3 rpm`, `60 Hz`.\n"
    "  The unit is checked against what the field wants; a number without a unit is refused there, except `0`. Angles "
    "are a dimension of their\n"
    "  own: an angular velocity is `3 rad/s`, `20 deg/s` or `3 rpm`, a frequency is `60 Hz`. A share may be written "
    "`30 %`.\n"
    "- A vector has one value per dimension: `[1 m, 20 cm]`, or the numbers with one unit at the end: `1 0.2 m`. `0` "
    "means all zeros.\n"
    "- Many sections have a short form for their main field: `disc: 20 cm` is `disc: {radius: 20 cm}`, `rotation: 30 "
    "deg` is\n"
    "  `rotation: {angle: 30 deg}`, `shape: pebble` is `shape: {named: pebble}`. The tables below say which.\n"
    "- In 2D the plane is x, y and rotations are counter-clockwise. Generators build upwards: y in 2D, z in 3D.\n"
    "- Files that a scene names are looked for beside the scene.\n"
    "- Anchors, aliases and tags of YAML are not used.\n"
    "\n";

static const char overrides[] = "## Changing values from the command line\n"
                                "\n"
                                "`--set path=value` replaces a value before the scene is read, with the same checks. "
                                "The path is made of the keys; items of a list are\n"
                                "called by their `name` or by their number, from 0:\n"
                                "\n"
                                "    moraine run scene.yaml --set time.step=\"0.5 ms\" --set bodies.ball.position=\"[0 "
                                "m, 2 m]\" --set laws.0.friction=0.3\n"
                                "\n"
                                "## Where scenes are found\n"
                                "\n"
                                "`gallery:NAME` is the file NAME.yaml in the directory that the environment variable "
                                "MORAINE_GALLERY names, else in the gallery of the source\n"
                                "tree the program was built from, else in the installed gallery.\n"
                                "\n";

static const char *kind_name(const MrnSchemaField *field) {
    switch (field->kind) {
    case MRN_KIND_QUANTITY:
    case MRN_KIND_CASE_QUANTITY: return mrn_dimension_text(field->dimension);
    case MRN_KIND_NUMBER: return "a pure number";
    case MRN_KIND_INTEGER: return "a whole number";
    case MRN_KIND_BOOLEAN: return "true or false";
    case MRN_KIND_TEXT:
    case MRN_KIND_CASE_TEXT: return "a text";
    case MRN_KIND_CHOICE: return "a choice";
    case MRN_KIND_VECTOR: return "a vector, each component ";
    case MRN_KIND_TURN: return "in 3D a vector; each component ";
    case MRN_KIND_QUATERNION: return "four pure numbers";
    case MRN_KIND_POINTS: return "a list of points, each component ";
    case MRN_KIND_NAMES: return "a list of names";
    case MRN_KIND_ANY: return "any quantity";
    case MRN_KIND_OPTIONS: return "a mapping";
    case MRN_KIND_LIST: return "a list of ";
    case MRN_KIND_SECTION:
    case MRN_KIND_CASE: return "";
    }
    return "";
}

/// A word that makes a link target: sections have unique names, their titles may repeat.
static void write_link(FILE *out, const MrnSchemaSection *section) {
    fprintf(out, "[%s](#%s)", section->title, section->name);
}

static void write_field(FILE *out, const MrnSchemaField *field) {
    fprintf(out, "| `%s` | %s", field->key, kind_name(field));
    if (field->section) write_link(out, field->section);
    if (field->kind == MRN_KIND_VECTOR || field->kind == MRN_KIND_POINTS || field->kind == MRN_KIND_TURN)
        fprintf(out, "%s", mrn_dimension_text(field->dimension));
    for (size_t i = 0; field->kind == MRN_KIND_CHOICE && field->choices[i]; i++)
        fprintf(out, i ? ", `%s`" : ": `%s`", field->choices[i]);
    fprintf(out, "%s%s | ", field->range[0] ? ", " : "", field->range);
    if (strcmp(field->fallback, REQUIRED) == 0)
        fprintf(out, "**required**");
    else if (strcmp(field->fallback, "{}") == 0)
        fprintf(out, "all defaults");
    else if (field->fallback[0])
        fprintf(out, "`%s`", field->fallback);
    fprintf(out, " | %s |\n", field->text);
}

static void write_section(FILE *out, const MrnSchemaSection *section) {
    fprintf(out, "<a id=\"%s\"></a>\n### %s\n\n", section->name, section->title);
    bool cases = false;
    for (size_t i = 0; i < section->count; i++) cases |= mrn_schema_is_case(&section->fields[i]);
    if (section->shorthand[0]) fprintf(out, "A value that is not a mapping stands for `%s`.\n\n", section->shorthand);
    if (cases) {
        fprintf(out, "Exactly one of these:\n\n| key | kind | default | meaning |\n|---|---|---|---|\n");
        for (size_t i = 0; i < section->count; i++)
            if (mrn_schema_is_case(&section->fields[i])) write_field(out, &section->fields[i]);
        bool others = false;
        for (size_t i = 0; i < section->count; i++) others |= !mrn_schema_is_case(&section->fields[i]);
        fprintf(out, "\n%s", others ? "and any of these:\n\n" : "");
        if (!others) return;
    }
    fprintf(out, "| key | kind | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < section->count; i++)
        if (!mrn_schema_is_case(&section->fields[i])) write_field(out, &section->fields[i]);
    fprintf(out, "\n");
}

static size_t section_index(const MrnSchemaSection *section) {
    size_t i = 0;
    while (mrn_sections[i] != section) i++;
    return i;
}

/// A section, then those it uses, each once.
static void write_tree(FILE *out, const MrnSchemaSection *section, bool *written) {
    bool *done = &written[section_index(section)];
    if (*done) return;
    *done = true;
    write_section(out, section);
    for (size_t i = 0; i < section->count; i++)
        if (section->fields[i].section) write_tree(out, section->fields[i].section, written);
}

void mrn_scene_write_reference(FILE *out) {
    fputs(introduction, out);
    char units[2000];
    mrn_units_describe(units, sizeof units);
    fprintf(out,
            "%s Units multiply with a blank or `*`, divide with `/` (which holds for the next unit alone), and take "
            "whole powers: `kg m2`, `N s/m`,\n"
            "`m/s^2`, `s-1`.\n\n",
            units);
    fputs(overrides, out);
    fputs("## All fields\n\nRanges are in SI units. `2D` and `3D` mark what exists only there.\n\n", out);
    bool *written = mrn_alloc_zero(mrn_section_count, sizeof *written);
    write_tree(out, &mrn_section_Root, written);
    free(written);
}
