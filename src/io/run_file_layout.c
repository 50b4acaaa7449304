// What stands where in a run file. See run_file_layout.h.
#include "io/run_file_layout.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "moraine run"
/// Deflate cannot do better than about 1030 to 1: a data set that claims more than this times the file is damaged.
#define LARGEST_RATIO 1100u

#define FIELD_TYPE(type)                                                                                               \
    _Generic((type)0, double                                                                                           \
             : MRN_FIELD_DOUBLE, int64_t                                                                               \
             : MRN_FIELD_INT64, int32_t                                                                                \
             : MRN_FIELD_INT32, uint64_t                                                                               \
             : MRN_FIELD_UINT64, uint8_t                                                                               \
             : MRN_FIELD_UINT8)

const MrnStepColumn mrn_step_columns[] = {
#define X(type, name, unit, text) {#name, FIELD_TYPE(type), offsetof(MrnStepInfo, name), unit, text},
    MRN_STEP_FIELDS(X)
#undef X
};
const size_t mrn_step_column_count = sizeof mrn_step_columns / sizeof *mrn_step_columns;

#define CONTACT_COLUMN(type, name, width, unit, text)                                                                  \
    { #name, FIELD_TYPE(type), width, offsetof(MrnContactView, name), unit, text }
const MrnContactColumn mrn_contact_columns[] = {
    CONTACT_COLUMN(int, body_a, 1, "1", "body A"),
    CONTACT_COLUMN(int, body_b, 1, "1", "body B"),
    CONTACT_COLUMN(uint64_t, feature, 1, "1", "number of the contact among those of its two bodies"),
    CONTACT_COLUMN(double, position, 3, "m", "point of contact, in space"),
    CONTACT_COLUMN(double, normal, 3, "1", "unit normal from B to A"),
    CONTACT_COLUMN(double, gap, 1, "m", "distance at mid-step, negative for an overlap"),
    CONTACT_COLUMN(double, impulse, 3, "N s", "impulse on A in the last step, in space"),
    CONTACT_COLUMN(double, normal_impulse, 1, "N s", "its normal part"),
    CONTACT_COLUMN(double, velocity, 3, "m/s", "velocity of A relative to B at the end of the step, in space"),
    CONTACT_COLUMN(int, status, 1, "1", "0 open, 1 stick, 2 slip"),
};
const size_t mrn_contact_column_count = sizeof mrn_contact_columns / sizeof *mrn_contact_columns;

typedef struct ParameterColumn {
    const char *name;
    MrnFieldType type;
    size_t offset;
    const char *unit, *text;
} ParameterColumn;
static const ParameterColumn parameter_columns[] = {
#define X(type, name, unit, text) {#name, FIELD_TYPE(type), offsetof(MrnRunParameters, name), unit, text},
    MRN_RUN_PARAMETERS(X)
#undef X
};

/// Columns of /steps that the first run files do not have, and what a step of such a run would have there: springs,
/// event-driven steps and cracks did not exist, a step was one step. A column that is added later needs a line here.
static const struct {
    const char *name;
    double missing;
} newer_step_columns[] = {
    {"elastic_energy", 0},    {"substeps", 1},     {"smallest_substep", 0},
    {"collisions", 0},        {"components", 0},   {"largest_component", 0},
    {"lcp_solves", 0},        {"lcp_retries", 0},  {"lcp_replaced", 0},
    {"lcp_relaxed", 0},       {"lcp_failures", 0}, {"newton_fallbacks", 0},
    {"plastic_fallbacks", 0}, {"rollbacks", 0},    {"smallest_gap", 0},
    {"fracture_energy", 0},   {"broken", 0},       {"lcp_unswept", 0},
    {"normal_impulse", 0},    {"lcp_lemke", 0},    {"lcp_perturbed", 0},
    {"limiting_a", -1},       {"limiting_b", -1},  {"momentum_defect", 0},
    {"obstacle_x", 0},        {"obstacle_y", 0},   {"obstacle_z", 0},
    {"free_drift_energy", 0}, {"ocean_x", 0},      {"ocean_y", 0},
};

static void describe_steps(MrnTableColumn *columns) {
    for (size_t i = 0; i < mrn_step_column_count; i++) {
        const MrnStepColumn *step = &mrn_step_columns[i];
        columns[i] = (MrnTableColumn){.name = step->name, .type = step->type, .unit = step->unit, .text = step->text};
        for (size_t k = 0; k < sizeof newer_step_columns / sizeof *newer_step_columns; k++)
            if (strcmp(newer_step_columns[k].name, step->name) == 0)
                columns[i].newer = true, columns[i].missing = newer_step_columns[k].missing;
    }
}

static void describe_contacts(MrnTableColumn *columns) {
    for (size_t i = 0; i < mrn_contact_column_count; i++) {
        const MrnContactColumn *contact = &mrn_contact_columns[i];
        columns[i] = (MrnTableColumn){.name = contact->name,
                                      .type = contact->type,
                                      .rank = contact->width > 1,
                                      .size = {contact->width},
                                      .unit = contact->unit,
                                      .text = contact->text};
    }
}

static MrnTableColumn frame_column(const char *name, MrnFieldType type, size_t bodies, size_t width, const char *unit,
                                   const char *text) {
    return (MrnTableColumn){.name = name,
                            .type = type,
                            .rank = !width       ? 0
                                    : width == 1 ? 1
                                                 : 2,
                            .size = {width ? bodies : 0, width > 1 ? width : 0},
                            .unit = unit,
                            .text = text};
}

/// Columns with a width hold that many numbers per body.
static void describe_frames(MrnTableColumn *columns, const MrnRunParameters *parameters, size_t bodies) {
    size_t dimension = (size_t)parameters->dimension;
    bool plane = dimension == 2;
    columns[MRN_FRAME_TIME] = frame_column("time", MRN_FIELD_DOUBLE, 0, 0, "s", "time of the frame");
    columns[MRN_FRAME_STEP] = frame_column("step", MRN_FIELD_INT64, 0, 0, "1", "steps done");
    columns[MRN_FRAME_CONTACT_START] =
        frame_column("contact_start", MRN_FIELD_INT64, 0, 0, "1", "first row of its contacts in /contacts");
    columns[MRN_FRAME_CONTACT_COUNT] =
        frame_column("contact_count", MRN_FIELD_INT64, 0, 0, "1", "number of its contacts");
    columns[MRN_FRAME_POSITION] =
        frame_column("position", MRN_FIELD_DOUBLE, bodies, dimension, "m", "body origin: mass centre of a free body");
    columns[MRN_FRAME_ROTATION] = frame_column("rotation", MRN_FIELD_DOUBLE, bodies, plane ? 1 : 4, plane ? "rad" : "1",
                                               plane ? "angle" : "unit quaternion w, x, y, z, body to space");
    columns[MRN_FRAME_VELOCITY] =
        frame_column("velocity", MRN_FIELD_DOUBLE, bodies, dimension, "m/s", "of the body origin");
    columns[MRN_FRAME_SPIN] = frame_column("spin", MRN_FIELD_DOUBLE, bodies, plane ? 1 : 3, "rad/s",
                                           plane ? "angular velocity" : "angular velocity on the principal axes");
    columns[MRN_FRAME_ACTIVE] = frame_column("active", MRN_FIELD_UINT8, bodies, 1, "1", "1 once born and not removed");
}

// Writing

static bool create_scene(hid_t file, const MrnScene *scene) {
    hid_t group = H5Gcreate2(file, "scene", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t overrides = H5Gcreate2(file, "scene/overrides", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t files = H5Gcreate2(file, "scene/files", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = group >= 0 && overrides >= 0 && files >= 0;
    fine = fine && mrn_hdf5_attribute_text(group, "name", scene->name ? scene->name : "");
    fine = fine && mrn_hdf5_attribute_text(group, "title", scene->title ? scene->title : "");
    if (scene->text) fine = fine && mrn_hdf5_write_text(group, "text", scene->text);
    char name[24];
    for (size_t i = 0; i < scene->override_count && fine; i++) {
        snprintf(name, sizeof name, "%zu", i);
        fine = mrn_hdf5_write_text(overrides, name, scene->overrides[i]);
    }
    for (size_t i = 0; i < scene->file_count && fine; i++) {
        snprintf(name, sizeof name, "%zu", i);
        hid_t place = H5Gcreate2(files, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        fine = place >= 0 && mrn_hdf5_write_text(place, "name", scene->files[i].name) &&
               mrn_hdf5_write_bytes(place, "data", scene->files[i].data, scene->files[i].size);
        if (place >= 0) H5Gclose(place);
    }
    if (group >= 0) H5Gclose(group);
    if (overrides >= 0) H5Gclose(overrides);
    if (files >= 0) H5Gclose(files);
    return fine;
}

static bool write_parameters(MrnRunLayout *layout) {
    hid_t group = H5Lexists(layout->file, "run", H5P_DEFAULT) > 0
                      ? H5Gopen2(layout->file, "run", H5P_DEFAULT)
                      : H5Gcreate2(layout->file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    bool fine = true;
    for (size_t i = 0; i < sizeof parameter_columns / sizeof *parameter_columns && fine; i++) {
        const ParameterColumn *column = &parameter_columns[i];
        fine = mrn_hdf5_write_scalar(group, column->name, mrn_hdf5_type(column->type),
                                     (char *)&layout->parameters + column->offset, column->unit, column->text);
    }
    H5Gclose(group);
    return fine;
}

bool mrn_run_layout_write_parameters(MrnRunLayout *layout, MrnError *error) {
    return write_parameters(layout) || mrn_hdf5_fail(error, layout->path, "cannot write /run");
}

/// Bytes of a chunk, for each table.
#define STEP_CHUNK  16384
#define FRAME_CHUNK 16384
static size_t contact_chunk(const MrnRunParameters *parameters) {
    // About a frame of contacts: a few per body.
    size_t bodies = (size_t)parameters->bodies;
    return sizeof(double) * (bodies < 64 ? 256 : bodies < 4096 ? 4 * bodies : 16384);
}

bool mrn_run_layout_create(MrnRunLayout *layout, hid_t file, const char *path, const MrnScene *scene,
                           const MrnRunParameters *parameters, MrnError *error) {
    *layout = (MrnRunLayout){.file = file, .path = mrn_strdup(path), .parameters = *parameters};
    int64_t version = MRN_RUN_FILE_VERSION;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    bool fine = root >= 0 && mrn_hdf5_attribute_text(root, "format", FORMAT_NAME) &&
                mrn_hdf5_attribute_text(root, "program", "moraine " MORAINE_VERSION);
    if (root >= 0) H5Gclose(root);
    fine = fine && mrn_hdf5_write_scalar(file, "version", H5T_NATIVE_INT64, &version, "1",
                                         "version of the layout of this file");
    fine = fine && create_scene(file, scene) && write_parameters(layout);

    MrnTableColumn *columns =
        mrn_alloc(mrn_step_column_count + mrn_contact_column_count + MRN_FRAME_COLUMNS, sizeof *columns);
    describe_steps(columns);
    fine = fine && mrn_table_create(&layout->steps, file, "steps", columns, mrn_step_column_count, STEP_CHUNK, false);
    describe_frames(columns, parameters, (size_t)parameters->bodies);
    bool may_grow = scene->scheme.breaking.energy > 0;
    fine = fine && mrn_table_create(&layout->frames, file, "frames", columns, MRN_FRAME_COLUMNS, FRAME_CHUNK, may_grow);
    describe_contacts(columns);
    fine = fine && mrn_table_create(&layout->contacts, file, "contacts", columns, mrn_contact_column_count,
                                    contact_chunk(parameters), false);
    free(columns);
    fine = fine && (!may_grow || mrn_life_create(layout));
    hid_t group = fine ? H5Gcreate2(file, "checkpoints", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    if (group >= 0) H5Gclose(group);
    return group >= 0 || mrn_hdf5_fail(error, path, "cannot write");
}

void mrn_run_layout_close(MrnRunLayout *layout) {
    mrn_table_close(&layout->steps);
    mrn_table_close(&layout->frames);
    mrn_table_close(&layout->contacts);
    mrn_life_close(layout);
    free(layout->path);
    *layout = (MrnRunLayout){.file = H5I_INVALID_HID};
}

// Reading

static bool read_format(hid_t file, const char *path, MrnError *error) {
    char format[64];
    int64_t version;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    bool fine = root >= 0 && mrn_hdf5_read_attribute_text(root, "format", format, sizeof format) &&
                strcmp(format, FORMAT_NAME) == 0;
    if (root >= 0) H5Gclose(root);
    if (!fine)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: not a Moraine run file (an HDF5 file of something else)", path);
    if (!mrn_hdf5_read_scalar(file, "version", H5T_NATIVE_INT64, &version))
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no data set /version", path);
    if (version != MRN_RUN_FILE_VERSION)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: a run file of version %lld; this program reads version %d", path,
                        (long long)version, MRN_RUN_FILE_VERSION);
    return true;
}

static bool read_parameters(MrnRunLayout *layout, MrnError *error) {
    hid_t group =
        H5Lexists(layout->file, "run", H5P_DEFAULT) > 0 ? H5Gopen2(layout->file, "run", H5P_DEFAULT) : H5I_INVALID_HID;
    if (group < 0) return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no group /run", layout->path);
    bool fine = true;
    for (size_t i = 0; i < sizeof parameter_columns / sizeof *parameter_columns && fine; i++) {
        const ParameterColumn *column = &parameter_columns[i];
        fine = mrn_hdf5_read_scalar(group, column->name, mrn_hdf5_type(column->type),
                                    (char *)&layout->parameters + column->offset);
        if (!fine)
            mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no data set /run/%s", layout->path, column->name);
    }
    H5Gclose(group);
    if (!fine) return false;
    const MrnRunParameters *parameters = &layout->parameters;
    if (parameters->dimension != 2 && parameters->dimension != 3)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: dimension %lld", layout->path,
                        (long long)parameters->dimension);
    // The first frame holds at least 41 bytes per body, and no file can hold more bodies than that allows.
    if (parameters->bodies < 0 || (uint64_t)parameters->bodies > layout->file_size * LARGEST_RATIO / 41)
        return mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: %lld bodies do not fit in it", layout->path,
                        (long long)parameters->bodies);
    return true;
}

/// Bodies that the frames of the file have room for; 0 if that cannot be.
static size_t stored_width(const MrnRunLayout *layout) {
    hid_t set =
        H5Lexists(layout->file, "frames", H5P_DEFAULT) > 0 && H5Lexists(layout->file, "frames/active", H5P_DEFAULT) > 0
            ? H5Dopen2(layout->file, "frames/active", H5P_DEFAULT)
            : H5I_INVALID_HID;
    if (set < 0) return 0;
    hsize_t size[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(set);
    bool fine = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    H5Sclose(space);
    H5Dclose(set);
    uint64_t bodies = (uint64_t)layout->parameters.bodies;
    return fine && size[1] >= bodies && size[1] <= bodies + mrn_life_bodies(layout) ? (size_t)size[1] : 0;
}

size_t mrn_run_layout_width(const MrnRunLayout *layout) {
    return layout->frames.columns[MRN_FRAME_ACTIVE].size[0];
}

bool mrn_run_layout_widen(MrnRunLayout *layout, size_t bodies) {
    return mrn_run_layout_width(layout) == bodies || mrn_table_widen(&layout->frames, bodies);
}

bool mrn_run_layout_open(MrnRunLayout *layout, hid_t file, const char *path, uint64_t file_size, MrnError *error) {
    *layout = (MrnRunLayout){.file = file, .path = mrn_strdup(path), .file_size = file_size};
    if (!read_format(file, path, error) || !read_parameters(layout, error) || !mrn_life_open(layout, error))
        return false;
    size_t width = (size_t)layout->parameters.bodies;
    if (mrn_life_bodies(layout) && stored_width(layout)) width = stored_width(layout);
    MrnTableColumn *columns =
        mrn_alloc(mrn_step_column_count + mrn_contact_column_count + MRN_FRAME_COLUMNS, sizeof *columns);
    describe_steps(columns);
    bool fine = mrn_table_open(&layout->steps, file, path, "steps", columns, mrn_step_column_count, STEP_CHUNK, error);
    describe_frames(columns, &layout->parameters, width);
    fine =
        fine && mrn_table_open(&layout->frames, file, path, "frames", columns, MRN_FRAME_COLUMNS, FRAME_CHUNK, error);
    describe_contacts(columns);
    fine = fine && mrn_table_open(&layout->contacts, file, path, "contacts", columns, mrn_contact_column_count,
                                  contact_chunk(&layout->parameters), error);
    free(columns);
    return fine;
}

/// Numbers of the links "0", "1", ... of a group.
static size_t count_links(hid_t group) {
    H5G_info_t info;
    return H5Gget_info(group, &info) >= 0 ? (size_t)info.nlinks : 0;
}

MrnScene *mrn_run_layout_scene(const MrnRunLayout *layout, MrnError *error) {
    const char *path = layout->path;
    hid_t group = H5Lexists(layout->file, "scene", H5P_DEFAULT) > 0 ? H5Gopen2(layout->file, "scene", H5P_DEFAULT)
                                                                    : H5I_INVALID_HID;
    if (group < 0) {
        mrn_fail(error, MRN_ERROR_FILE, "%s: damaged run file: no group /scene", path);
        return NULL;
    }
    size_t limit = layout->file_size < SIZE_MAX / 2 ? (size_t)layout->file_size : SIZE_MAX / 2;
    hid_t override_group = H5Gopen2(group, "overrides", H5P_DEFAULT),
          file_group = H5Gopen2(group, "files", H5P_DEFAULT);
    size_t overrides = override_group >= 0 ? count_links(override_group) : 0,
           files = file_group >= 0 ? count_links(file_group) : 0;
    MrnScene *scene = NULL;
    char name[24], scene_name[4096];
    char **override = mrn_alloc_zero(overrides + 1, sizeof *override);
    MrnSceneFile *file = mrn_alloc_zero(files + 1, sizeof *file);
    bool fine = override_group >= 0 && file_group >= 0 &&
                mrn_hdf5_read_attribute_text(group, "name", scene_name, sizeof scene_name);
    if (!fine) mrn_hdf5_fail(error, path, "damaged run file: cannot read /scene");
    if (fine && H5Lexists(group, "text", H5P_DEFAULT) <= 0)
        fine =
            mrn_fail(error, MRN_ERROR_FILE, "%s: holds no scene text: the run was made by a program without one", path);
    char *text = fine ? mrn_hdf5_read_text(group, "text", limit) : NULL;
    if (fine && !text) fine = mrn_hdf5_fail(error, path, "damaged run file: cannot read /scene/text");
    for (size_t i = 0; i < overrides && fine; i++) {
        snprintf(name, sizeof name, "%zu", i);
        override[i] = mrn_hdf5_read_text(override_group, name, limit);
        if (!override[i]) fine = mrn_hdf5_fail(error, path, "damaged run file: cannot read /scene/overrides/%zu", i);
    }
    for (size_t i = 0; i < files && fine; i++) {
        snprintf(name, sizeof name, "%zu", i);
        hid_t place =
            H5Lexists(file_group, name, H5P_DEFAULT) > 0 ? H5Gopen2(file_group, name, H5P_DEFAULT) : H5I_INVALID_HID;
        if (place >= 0) {
            file[i].name = mrn_hdf5_read_text(place, "name", limit);
            file[i].data = mrn_hdf5_read_bytes(place, "data", limit, &file[i].size);
            H5Gclose(place);
        }
        if (!file[i].name || !file[i].data)
            fine = mrn_hdf5_fail(error, path, "damaged run file: cannot read /scene/files/%zu", i);
    }
    if (fine) scene = mrn_scene_parse(text, scene_name, (const char *const *) override, overrides, file, files, error);
    for (size_t i = 0; i < overrides; i++) free(override[i]);
    for (size_t i = 0; i < files; i++) free(file[i].name), free(file[i].data);
    free(override);
    free(file);
    free(text);
    if (override_group >= 0) H5Gclose(override_group);
    if (file_group >= 0) H5Gclose(file_group);
    H5Gclose(group);
    return scene;
}
