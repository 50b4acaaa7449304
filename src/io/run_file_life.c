// Events of life in a run file: the group /life with five tables. See run_file_layout.h.
//
// What always holds: the rows of the tables fit together (counts of an event give its rows in the others), or the file
// is refused; nothing in them is trusted.
#include "io/run_file_layout.h"

#include "model/life.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LIFE_CHUNK 4096

/// A body as a row of /life/bodies.
typedef struct BirthRow {
    int32_t material, group;
    int64_t vertices, elements;
    double mass, inertia, thickness, collision_distance, force[2], torque;
    double position[2], rotation, velocity[2], spin;
} BirthRow;

typedef struct LifeColumn {
    MrnTableColumn column;
    size_t offset;
} LifeColumn;

#define EVENT(type, name, width, unit, text)                                                                           \
    { {#name, type, (width) > 1, {width}, unit, text, false, 0}, offsetof(MrnLifeEvent, name) }
static const LifeColumn event_columns[] = {
    EVENT(MRN_FIELD_INT64, step, 1, "1", "steps done when it happened"),
    EVENT(MRN_FIELD_DOUBLE, time, 1, "s", "time then"),
    EVENT(MRN_FIELD_INT32, kind, 1, "1", "1: a body broke"),
    EVENT(MRN_FIELD_DOUBLE, position, 2, "m", "where; of a break: where the crack begins"),
    EVENT(MRN_FIELD_DOUBLE, energy, 1, "J", "energy spent"),
    EVENT(MRN_FIELD_INT32, ended_count, 1, "1", "bodies that ended: rows of /life/ended"),
    EVENT(MRN_FIELD_INT32, born_count, 1, "1", "bodies that came: rows of /life/bodies"),
};
static const LifeColumn ended_columns[] = {{{"body", MRN_FIELD_INT32, 0, {0}, "1", "number of the body", false, 0}, 0}};
#define BIRTH(type, name, width, unit, text)                                                                           \
    { {#name, type, (width) > 1, {width}, unit, text, false, 0}, offsetof(BirthRow, name) }
static const LifeColumn body_columns[] = {
    BIRTH(MRN_FIELD_INT32, material, 1, "1", "number of its material"),
    BIRTH(MRN_FIELD_INT32, group, 1, "1", "bodies of the same group > 0 do not collide"),
    BIRTH(MRN_FIELD_INT64, vertices, 1, "1", "corners of its outline: rows of /life/vertices"),
    BIRTH(MRN_FIELD_INT64, elements, 1, "1",
          "elements of its mesh, where its thickness varies: rows of /life/elements"),
    BIRTH(MRN_FIELD_DOUBLE, mass, 1, "kg", "mass"),
    BIRTH(MRN_FIELD_DOUBLE, inertia, 1, "kg m2", "moment of inertia about the mass centre"),
    BIRTH(MRN_FIELD_DOUBLE, thickness, 1, "m", "mean thickness"),
    BIRTH(MRN_FIELD_DOUBLE, collision_distance, 1, "m", "0: from the area"),
    BIRTH(MRN_FIELD_DOUBLE, force, 2, "N", "constant force at the mass centre"),
    BIRTH(MRN_FIELD_DOUBLE, torque, 1, "N m", "constant couple"),
    BIRTH(MRN_FIELD_DOUBLE, position, 2, "m", "mass centre when it came"),
    BIRTH(MRN_FIELD_DOUBLE, rotation, 1, "rad", "angle then"),
    BIRTH(MRN_FIELD_DOUBLE, velocity, 2, "m/s", "velocity then"),
    BIRTH(MRN_FIELD_DOUBLE, spin, 1, "rad/s", "angular velocity then"),
};
static const LifeColumn vertex_columns[] = {
    {{"point", MRN_FIELD_DOUBLE, 1, {2}, "m", "corner of an outline, about the mass centre of its body", false, 0}, 0}};
static const LifeColumn element_columns[] = {
    {{"thickness", MRN_FIELD_DOUBLE, 0, {0}, "m", "of a triangle of the mesh of its body", false, 0}, 0}};

typedef enum LifeTable { EVENTS, ENDED, BODIES, VERTICES, ELEMENTS } LifeTable;
static const struct {
    const char *name;
    const LifeColumn *columns;
    size_t count;
} life_tables[MRN_LIFE_TABLES] = {
#define TABLE(columns) columns, sizeof(columns) / sizeof *(columns)
    [EVENTS] = {"life/events", TABLE(event_columns)},       [ENDED] = {"life/ended", TABLE(ended_columns)},
    [BODIES] = {"life/bodies", TABLE(body_columns)},        [VERTICES] = {"life/vertices", TABLE(vertex_columns)},
    [ELEMENTS] = {"life/elements", TABLE(element_columns)},
#undef TABLE
};

static void describe(int table, MrnTableColumn *columns) {
    for (size_t i = 0; i < life_tables[table].count; i++) columns[i] = life_tables[table].columns[i].column;
}

bool mrn_life_create(MrnRunLayout *layout) {
    MrnTableColumn columns[sizeof body_columns / sizeof *body_columns];
    hid_t group = H5Gcreate2(layout->file, "life", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    H5Gclose(group);
    layout->has_life = true;
    for (int t = 0; t < MRN_LIFE_TABLES; t++) {
        describe(t, columns);
        if (!mrn_table_create(&layout->life[t], layout->file, life_tables[t].name, columns, life_tables[t].count,
                              LIFE_CHUNK, false))
            return false;
    }
    return true;
}

bool mrn_life_open(MrnRunLayout *layout, MrnError *error) {
    MrnTableColumn columns[sizeof body_columns / sizeof *body_columns];
    layout->has_life = H5Lexists(layout->file, "life", H5P_DEFAULT) > 0;
    for (int t = 0; t < MRN_LIFE_TABLES && layout->has_life; t++) {
        describe(t, columns);
        if (!mrn_table_open(&layout->life[t], layout->file, layout->path, life_tables[t].name, columns,
                            life_tables[t].count, LIFE_CHUNK, error))
            return false;
    }
    if (layout->has_life && layout->life[BODIES].rows > layout->file_size * 8)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: /life/bodies claims %llu bodies", layout->path,
                        (unsigned long long)layout->life[BODIES].rows);
    return true;
}

uint64_t mrn_life_bodies(const MrnRunLayout *layout) {
    return layout->has_life ? layout->life[BODIES].rows : 0;
}

static void add_row(MrnTable *table, int which, const void *row) {
    size_t at = table->pending;
    mrn_table_add(table, 1);
    for (size_t i = 0; i < life_tables[which].count; i++)
        memcpy(mrn_table_cell(table, i, at), (const char *)row + life_tables[which].columns[i].offset,
               table->row_bytes[i]);
}

void mrn_life_record(MrnRunLayout *layout, const MrnModel *model) {
    if (!layout->has_life) return;
    MrnTable *table = layout->life;
    for (size_t e = (size_t)(table[EVENTS].rows + table[EVENTS].pending); e < model->events.count; e++) {
        const MrnLifeEvent *event = &model->events.data[e];
        add_row(&table[EVENTS], EVENTS, event);
        for (int32_t i = 0; i < event->ended_count; i++)
            add_row(&table[ENDED], ENDED, &model->ended.data[event->first_ended + i]);
        for (int32_t i = 0; i < event->born_count; i++) {
            MrnBirth birth = mrn_model_birth(model, event->first_born + i);
            BirthRow row = {.material = birth.material,
                            .group = birth.group,
                            .vertices = (int64_t)birth.vertex_count,
                            .elements = (int64_t)birth.element_count,
                            .mass = birth.mass,
                            .inertia = birth.inertia,
                            .thickness = birth.thickness,
                            .collision_distance = birth.collision_distance,
                            .force = {birth.force[0], birth.force[1]},
                            .torque = birth.torque,
                            .position = {birth.position[0], birth.position[1]},
                            .rotation = birth.rotation,
                            .velocity = {birth.velocity[0], birth.velocity[1]},
                            .spin = birth.spin};
            add_row(&table[BODIES], BODIES, &row);
            for (size_t k = 0; k < birth.vertex_count; k++) add_row(&table[VERTICES], VERTICES, birth.vertices + 2 * k);
            for (size_t k = 0; k < birth.element_count; k++) add_row(&table[ELEMENTS], ELEMENTS, &birth.elements[k]);
        }
    }
}

bool mrn_life_write(MrnRunLayout *layout) {
    bool fine = true;
    for (int t = 0; t < MRN_LIFE_TABLES && layout->has_life && fine; t++) fine = mrn_table_write(&layout->life[t]);
    return fine;
}

// Reading

static bool damaged(const MrnRunLayout *layout, MrnError *error) {
    return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: the tables of /life do not fit together",
                    layout->path);
}

/// Rows [first, first + count) of a table into an array of `size` bytes each; NULL if they are not there.
static void *read_rows(const MrnRunLayout *layout, int which, uint64_t first, uint64_t count, size_t size) {
    const MrnTable *table = &layout->life[which];
    // Deflate cannot make a file hold more than about a thousand times its size.
    if (first > table->rows || count > table->rows - first || count > layout->file_size * 64) return NULL;
    char *rows = mrn_alloc_zero((size_t)count + 1, size);
    unsigned char *column = mrn_alloc((size_t)count + 1, 2 * sizeof(double));
    bool fine = true;
    for (size_t i = 0; i < life_tables[which].count && fine; i++) {
        size_t bytes = table->row_bytes[i];
        fine = mrn_table_read(table, i, first, count, column);
        for (size_t r = 0; r < count && fine; r++)
            memcpy(rows + r * size + life_tables[which].columns[i].offset, column + r * bytes, bytes);
    }
    free(column);
    if (fine) return rows;
    free(rows);
    return NULL;
}

/// Where the rows of the next event begin in each table.
typedef struct Place {
    uint64_t at[MRN_LIFE_TABLES];
} Place;

static bool read_event(const MrnRunLayout *layout, const MrnLifeEvent *event, Place *place, MrnModel *model,
                       MrnError *error) {
    if (event->ended_count < 0 || event->born_count < 0) return damaged(layout, error);
    uint64_t ended_count = (uint64_t)event->ended_count, born_count = (uint64_t)event->born_count;
    int32_t *ended = read_rows(layout, ENDED, place->at[ENDED], ended_count, sizeof *ended);
    BirthRow *rows = read_rows(layout, BODIES, place->at[BODIES], born_count, sizeof *rows);
    double **arrays = mrn_alloc_zero(2 * (size_t)born_count + 1, sizeof *arrays);
    MrnBirth *born = mrn_alloc_zero((size_t)born_count + 1, sizeof *born);
    bool fine = ended && rows;
    for (size_t i = 0; i < born_count && fine; i++) {
        const BirthRow *row = &rows[i];
        fine = row->vertices >= 0 && row->elements >= 0;
        uint64_t vertices = fine ? (uint64_t)row->vertices : 0, elements = fine ? (uint64_t)row->elements : 0;
        arrays[2 * i] = fine ? read_rows(layout, VERTICES, place->at[VERTICES], vertices, 2 * sizeof(double)) : NULL;
        arrays[2 * i + 1] = fine ? read_rows(layout, ELEMENTS, place->at[ELEMENTS], elements, sizeof(double)) : NULL;
        fine = arrays[2 * i] && arrays[2 * i + 1];
        place->at[VERTICES] += vertices;
        place->at[ELEMENTS] += elements;
        born[i] = (MrnBirth){.material = row->material,
                             .group = row->group,
                             .vertex_count = (size_t)vertices,
                             .vertices = arrays[2 * i],
                             .mass = row->mass,
                             .inertia = row->inertia,
                             .thickness = row->thickness,
                             .collision_distance = row->collision_distance,
                             .force = {row->force[0], row->force[1]},
                             .torque = row->torque,
                             .position = {row->position[0], row->position[1]},
                             .rotation = row->rotation,
                             .velocity = {row->velocity[0], row->velocity[1]},
                             .spin = row->spin,
                             .element_count = (size_t)elements,
                             .elements = elements ? arrays[2 * i + 1] : NULL};
    }
    place->at[ENDED] += ended_count;
    place->at[BODIES] += born_count;
    if (fine) {
        MrnError why = {0};
        fine = mrn_model_add_event(model, event, ended, (size_t)ended_count, born, (size_t)born_count, &why);
        if (!fine) mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: %.800s", layout->path, why.message);
    } else
        damaged(layout, error);
    for (size_t i = 0; i < 2 * born_count; i++) free(arrays[i]);
    free(arrays);
    free(born);
    free(rows);
    free(ended);
    return fine;
}

bool mrn_life_read(const MrnRunLayout *layout, uint64_t events, MrnModel *model, MrnError *error) {
    if (!layout->has_life) return events == 0 || damaged(layout, error);
    MrnLifeEvent *event = read_rows(layout, EVENTS, 0, events, sizeof *event);
    if (!event) return damaged(layout, error);
    Place place = {{0}};
    bool fine = true;
    for (size_t e = 0; e < events && fine; e++) fine = read_event(layout, &event[e], &place, model, error);
    free(event);
    return fine;
}

bool mrn_life_truncate(MrnRunLayout *layout, const MrnModel *model) {
    if (!layout->has_life) return true;
    uint64_t rows[MRN_LIFE_TABLES] = {[EVENTS] = model->events.count, [ENDED] = model->ended.count};
    for (size_t b = mrn_model_first_born(model); b < model->bodies.count; b++) {
        MrnBirth birth = mrn_model_birth(model, (int)b);
        rows[BODIES]++;
        rows[VERTICES] += birth.vertex_count;
        rows[ELEMENTS] += birth.element_count;
    }
    for (int t = 0; t < MRN_LIFE_TABLES; t++)
        if (!mrn_table_truncate(&layout->life[t], rows[t])) return false;
    return true;
}

void mrn_life_close(MrnRunLayout *layout) {
    for (int t = 0; t < MRN_LIFE_TABLES; t++) mrn_table_close(&layout->life[t]);
}
