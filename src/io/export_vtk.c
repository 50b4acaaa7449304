// Export to VTK: for each frame one file of surfaces of the free bodies, of obstacles, of body centres and of contacts,
// and one collection (.pvd) of each over time, which ParaView opens.
//
// Surfaces are for the eye: single precision where that resolves a thousandth of the smallest body. Centres hold
// every body in the order of the run, with all numbers as the run has them (spins turned into space).
#include "io/export.h"

#include "base/error.h"
#include "io/run_file.h"
#include "io/vtk_skin.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/// What all threads share; it changes only while the export opens, and under the lock of `arrive`.
typedef struct Vtk {
    int detail;
    bool single; ///< points of surfaces in single precision
    bool moving; ///< some obstacle is driven
    MrnSkinMoulds bodies, obstacles;
    uint8_t *shown;             ///< per body, in the last frame that arrived
    bool *steady;               ///< per frame: it shows the same free bodies as the one before
    MrnVtkCollection series[4]; ///< in the order of series_names; per frame, without a file where there is none
    // Centres: what does not change
    int32_t *body, *material;
    uint8_t *kind;
    double *mass, *radius, *birth;
    char *names; ///< one after the other; NULL when no body has a name of its own
} Vtk;

/// Room of one thread.
typedef struct Worker {
    MrnSkin bodies, obstacles;
    double *position, *velocity, *spin;
    MRN_ARRAY(int32_t) count_from_0; ///< 0, 1, 2...
    MRN_ARRAY(double) contact_numbers;
    MRN_ARRAY(int32_t) contact_bodies;
    MRN_ARRAY(uint8_t) contact_status;
} Worker;

enum { SERIES_BODIES, SERIES_OBSTACLES, SERIES_CENTRES, SERIES_CONTACTS };
static const char *const series_names[4] = {"bodies", "obstacles", "centres", "contacts"};

// ---- starting

/// Box around the free bodies of a frame.
static void extend_box(const MrnModel *model, const MrnFrame *frame, MrnBox *box) {
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE || !mrn_skin_shows(frame, model->dimension, b)) continue;
        MrnVec3 p = mrn_skin_pose(frame, model->dimension, b).position;
        double r = isfinite(body->reach) ? body->reach : 0;
        box->low = (MrnVec3){fmin(box->low.x, p.x - r), fmin(box->low.y, p.y - r), fmin(box->low.z, p.z - r)};
        box->high = (MrnVec3){fmax(box->high.x, p.x + r), fmax(box->high.y, p.y + r), fmax(box->high.z, p.z + r)};
    }
}

/// Where bodies are in the first and the last of the frames that are wanted.
static bool find_box(MrnExport *export, MrnBox *box, MrnError *error) {
    *box = (MrnBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 2; i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame_part(export->file, i ? export->last : export->first, false, &frame, error))
            return false;
        mrn_frame_fit(&frame, export->model->bodies.count, export->model->dimension);
        extend_box(export->model, &frame, box);
        mrn_frame_free(&frame);
    }
    if (!(box->low.x <= box->high.x)) *box = (MrnBox){{-1, -1, -1}, {1, 1, 1}};
    return true;
}

static void add_moulds(Vtk *vtk, const MrnModel *model, const MrnFrame *frame, const MrnBox *box) {
    double reach = 0.75 * mrn_norm3(mrn_sub3(box->high, box->low));
    MrnVec3 middle = mrn_scale3(0.5, mrn_add3(box->low, box->high));
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnSkinMoulds *moulds = body->kind == MRN_BODY_FREE ? &vtk->bodies : &vtk->obstacles;
        MrnPatch patch = {{0, 0, 0}, reach};
        if (mrn_skin_shows(frame, model->dimension, b)) {
            MrnPose pose = mrn_skin_pose(frame, model->dimension, b);
            patch.centre = mrn_mat3_transpose_times(&pose.rotation, mrn_sub3(middle, pose.position));
        }
        MrnSkinMould mould = {.body = (int)b};
        for (int s = 0; s < body->shape_count; s++)
            mrn_surface_add(&mould.surface, &model->shapes.data[body->first_shape + s], vtk->detail, &patch);
        mrn_array_push(moulds, mould);
        vtk->moving |= body->kind == MRN_BODY_DRIVEN;
    }
    vtk->shown = mrn_alloc_zero(model->bodies.count + 1, 1);
}

static int first_material(const MrnModel *model, const MrnBody *body) {
    return body->shape_count > 0 ? model->shapes.data[body->first_shape].material : -1;
}

static void describe_bodies(Vtk *vtk, const MrnModel *model) {
    size_t count = model->bodies.count, text = 0;
    bool named = false;
    vtk->body = mrn_alloc(count + 1, sizeof *vtk->body);
    vtk->material = mrn_alloc(count + 1, sizeof *vtk->material);
    vtk->kind = mrn_alloc(count + 1, sizeof *vtk->kind);
    vtk->mass = mrn_alloc(count + 1, sizeof *vtk->mass);
    vtk->radius = mrn_alloc(count + 1, sizeof *vtk->radius);
    vtk->birth = mrn_alloc(count + 1, sizeof *vtk->birth);
    for (size_t b = 0; b < count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        vtk->body[b] = (int32_t)b;
        vtk->material[b] = first_material(model, body);
        vtk->kind[b] = (uint8_t)body->kind;
        vtk->mass[b] = body->mass;
        vtk->radius[b] = body->size;
        vtk->birth[b] = body->birth;
        named |= body->name != NULL;
        text += strlen(mrn_model_body_name(model, (int)b)) + 1;
    }
    if (!named) return;
    char *end = vtk->names = mrn_alloc(text + 1, 1);
    for (size_t b = 0; b < count; b++) {
        size_t length = strlen(mrn_model_body_name(model, (int)b)) + 1;
        memcpy(end, mrn_model_body_name(model, (int)b), length);
        end += length;
    }
}

static bool open_vtk(MrnExport *export, MrnError *error) {
    const MrnModel *model = export->model;
    Vtk *vtk = export->own = mrn_alloc_zero(1, sizeof *vtk);
    size_t bodies = model->bodies.count;
    vtk->detail = export->options.detail;
    if (!vtk->detail)
        vtk->detail = model->dimension == 2 ? (bodies < 20000 ? 32 : 16)
                      : bodies < 20000      ? 16
                      : bodies < 100000     ? 12
                                            : 8;
    MrnBox box;
    MrnFrame frame;
    if (!find_box(export, &box, error)) return false;
    double smallest = INFINITY, largest = 0;
    for (size_t b = 0; b < bodies; b++)
        if (model->bodies.data[b].kind == MRN_BODY_FREE) smallest = fmin(smallest, model->bodies.data[b].size);
    largest = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    largest = fmax(largest, model->dimension == 3 ? fmax(fabs(box.low.z), fabs(box.high.z)) : 0);
    vtk->single = largest < 1e4 * smallest;
    if (!mrn_run_file_frame_part(export->file, export->first, false, &frame, error)) return false;
    mrn_frame_fit(&frame, bodies, model->dimension);
    if (export->options.surfaces) add_moulds(vtk, model, &frame, &box);
    mrn_frame_free(&frame);
    vtk->steady = mrn_alloc_zero(export->frame_count, sizeof *vtk->steady);
    describe_bodies(vtk, model);
    for (int i = 0; i < 4; i++) {
        if (!export->options.surfaces && i < SERIES_CENTRES) continue;
        mrn_array_resize(&vtk->series[i], export->frame_count);
        memset(vtk->series[i].data, 0, export->frame_count * sizeof *vtk->series[i].data);
        char *folder = mrn_path_join(export->options.folder, series_names[i]);
        bool fine = mrn_folder_make(folder, error);
        free(folder);
        if (!fine) return false;
    }
    return true;
}

// ---- a frame

static void *new_worker(MrnExport *export) {
    Worker *worker = mrn_alloc_zero(1, sizeof *worker);
    size_t count = export->model->bodies.count;
    worker->position = mrn_alloc(count + 1, 3 * sizeof(double));
    worker->velocity = mrn_alloc(count + 1, 3 * sizeof(double));
    worker->spin = mrn_alloc(count + 1, 3 * sizeof(double));
    return worker;
}

static void free_worker(void *context) {
    Worker *worker = context;
    mrn_skin_free(&worker->bodies);
    mrn_skin_free(&worker->obstacles);
    free(worker->position);
    free(worker->velocity);
    free(worker->spin);
    mrn_array_free(&worker->count_from_0);
    mrn_array_free(&worker->contact_numbers);
    mrn_array_free(&worker->contact_bodies);
    mrn_array_free(&worker->contact_status);
    free(worker);
}

static char *file_name(int series, size_t number) {
    char name[64];
    snprintf(name, sizeof name, "%s/%06zu.vtp", series_names[series], number);
    return mrn_strdup(name);
}

/// Which files this frame gets. Obstacles at rest are the same at all times: one file will do until others are there.
static void arrive(MrnExport *export, const MrnFrame *frame, size_t index) {
    Vtk *vtk = export->own;
    bool others = index == 0, other_obstacles = index == 0;
    for (size_t b = 0; export->options.surfaces && b < frame->body_count; b++) {
        uint8_t shown = mrn_skin_shows(frame, export->model->dimension, b);
        bool changed = shown != vtk->shown[b], is_free = export->model->bodies.data[b].kind == MRN_BODY_FREE;
        others |= changed && is_free;
        other_obstacles |= changed && !is_free;
        vtk->shown[b] = shown;
    }
    vtk->steady[index] = !others;
    for (int i = 0; i < 4; i++) {
        if (i < SERIES_CENTRES && !export->options.surfaces) continue;
        if (i == SERIES_OBSTACLES && !other_obstacles && !vtk->moving) continue;
        vtk->series[i].data[index] = (MrnVtkEntry){frame->time, file_name(i, mrn_export_frame_number(export, index))};
    }
}

static bool write_piece(MrnExport *export, MrnVtkPiece *piece, int series, double time, size_t index, MrnError *error) {
    const Vtk *vtk = export->own;
    mrn_vtk_add(piece, MRN_VTK_FIELD, "TimeValue", MRN_VTK_FLOAT64, 1, 1, &time);
    char *path = mrn_path_join(export->options.folder, vtk->series[series].data[index].file);
    uint64_t bytes = 0;
    bool fine = mrn_vtk_write(piece, path, &bytes, error);
    if (fine) mrn_export_count_file(export, bytes);
    free(path);
    mrn_vtk_piece_free(piece);
    return fine;
}

static bool write_skin(MrnExport *export, Worker *worker, int series, const MrnFrame *frame, size_t index,
                       MrnError *error) {
    const Vtk *vtk = export->own;
    bool free_ones = series == SERIES_BODIES;
    MrnVtkPiece piece;
    return mrn_skin_piece(free_ones ? &worker->bodies : &worker->obstacles, free_ones ? &vtk->bodies : &vtk->obstacles,
                          export->model, frame, worker->velocity, worker->spin, vtk->single,
                          free_ones && vtk->steady[index], &piece, error) &&
           write_piece(export, &piece, series, frame->time, index, error);
}

/// Positions, velocities and spins of all bodies as vectors in space.
static void fill_vectors(Worker *worker, const MrnModel *model, const MrnFrame *frame) {
    for (size_t b = 0; b < frame->body_count; b++) {
        double *p = worker->position + 3 * b, *v = worker->velocity + 3 * b, *w = worker->spin + 3 * b;
        if (model->dimension == 3) {
            memcpy(p, frame->position + 3 * b, 3 * sizeof *p);
            memcpy(v, frame->velocity + 3 * b, 3 * sizeof *v);
            mrn_store3(w, mrn_quat_rotate(mrn_quat_load(frame->rotation + 4 * b), mrn_load3(frame->spin + 3 * b)));
        } else {
            p[0] = frame->position[2 * b], p[1] = frame->position[2 * b + 1], p[2] = 0;
            v[0] = frame->velocity[2 * b], v[1] = frame->velocity[2 * b + 1], v[2] = 0;
            w[0] = w[1] = 0, w[2] = frame->spin[b];
        }
    }
}

/// One vertex per point.
static void add_vertices(Worker *worker, MrnVtkPiece *piece, size_t count) {
    size_t known = worker->count_from_0.count;
    if (known < count + 1) mrn_array_resize(&worker->count_from_0, count + 1);
    for (size_t i = known; i < count + 1; i++) worker->count_from_0.data[i] = (int32_t)i;
    piece->points = piece->verts = count;
    mrn_vtk_add(piece, MRN_VTK_VERTS, "connectivity", MRN_VTK_INT32, 1, count, worker->count_from_0.data);
    mrn_vtk_add(piece, MRN_VTK_VERTS, "offsets", MRN_VTK_INT32, 1, count, worker->count_from_0.data + 1);
}

static bool write_centres(MrnExport *export, Worker *worker, const MrnFrame *frame, size_t index, MrnError *error) {
    const Vtk *vtk = export->own;
    size_t count = frame->body_count;
    MrnVtkPiece piece = {0};
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body", MRN_VTK_INT32, 1, count, vtk->body);
    if (vtk->names) mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "name", MRN_VTK_STRING, 1, count, vtk->names);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "kind", MRN_VTK_UINT8, 1, count, vtk->kind);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "active", MRN_VTK_UINT8, 1, count, frame->active);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "material", MRN_VTK_INT32, 1, count, vtk->material);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "mass", MRN_VTK_FLOAT64, 1, count, vtk->mass);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "radius", MRN_VTK_FLOAT64, 1, count, vtk->radius);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "birth", MRN_VTK_FLOAT64, 1, count, vtk->birth);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "rotation", MRN_VTK_FLOAT64, export->model->dimension == 2 ? 1 : 4, count,
                frame->rotation);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "velocity", MRN_VTK_FLOAT64, 3, count, worker->velocity);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "spin", MRN_VTK_FLOAT64, 3, count, worker->spin);
    mrn_vtk_add(&piece, MRN_VTK_POINTS, "points", MRN_VTK_FLOAT64, 3, count, worker->position);
    add_vertices(worker, &piece, count);
    return write_piece(export, &piece, SERIES_CENTRES, frame->time, index, error);
}

static bool write_contacts(MrnExport *export, Worker *worker, const MrnFrame *frame, size_t index, MrnError *error) {
    size_t count = frame->contact_count;
    double per_time = 1 / export->scene->scheme.time_step;
    mrn_array_resize(&worker->contact_numbers, 17 * count);
    mrn_array_resize(&worker->contact_bodies, 2 * count);
    mrn_array_resize(&worker->contact_status, count);
    double *position = worker->contact_numbers.data, *normal = position + 3 * count, *impulse = normal + 3 * count,
           *force = impulse + 3 * count, *velocity = force + 3 * count, *gap = velocity + 3 * count,
           *normal_impulse = gap + count;
    int32_t *a = worker->contact_bodies.data, *b = a + count;
    for (size_t c = 0; c < count; c++) {
        const MrnContactView *view = &frame->contacts[c];
        for (size_t k = 0; k < 3; k++) {
            position[3 * c + k] = view->position[k];
            normal[3 * c + k] = view->normal[k];
            impulse[3 * c + k] = view->impulse[k];
            force[3 * c + k] = view->impulse[k] * per_time;
            velocity[3 * c + k] = view->velocity[k];
        }
        gap[c] = view->gap;
        normal_impulse[c] = view->normal_impulse;
        a[c] = view->body_a;
        b[c] = view->body_b;
        worker->contact_status.data[c] = (uint8_t)view->status;
    }
    MrnVtkPiece piece = {0};
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body_a", MRN_VTK_INT32, 1, count, a);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body_b", MRN_VTK_INT32, 1, count, b);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "status", MRN_VTK_UINT8, 1, count, worker->contact_status.data);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "gap", MRN_VTK_FLOAT64, 1, count, gap);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "normal_impulse", MRN_VTK_FLOAT64, 1, count, normal_impulse);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "normal", MRN_VTK_FLOAT64, 3, count, normal);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "impulse", MRN_VTK_FLOAT64, 3, count, impulse);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "force", MRN_VTK_FLOAT64, 3, count, force);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "velocity", MRN_VTK_FLOAT64, 3, count, velocity);
    mrn_vtk_add(&piece, MRN_VTK_POINTS, "points", MRN_VTK_FLOAT64, 3, count, position);
    add_vertices(worker, &piece, count);
    return write_piece(export, &piece, SERIES_CONTACTS, frame->time, index, error);
}

static bool write_frame(MrnExport *export, void *context, const MrnFrame *frame, size_t index, MrnError *error) {
    const Vtk *vtk = export->own;
    Worker *worker = context;
    fill_vectors(worker, export->model, frame);
    for (int series = SERIES_BODIES; series <= SERIES_OBSTACLES && export->options.surfaces; series++)
        if (vtk->series[series].data[index].file && !write_skin(export, worker, series, frame, index, error))
            return false;
    return write_centres(export, worker, frame, index, error) && write_contacts(export, worker, frame, index, error);
}

static bool close_vtk(MrnExport *export, MrnError *error) {
    Vtk *vtk = export->own;
    for (int i = 0; i < 4; i++) {
        MrnVtkCollection *collection = &vtk->series[i];
        // Only frames that were written have files; stopped early, the rest has none.
        size_t kept = 0;
        for (size_t k = 0; k < collection->count; k++)
            if (collection->data[k].file) collection->data[kept++] = collection->data[k];
        collection->count = kept;
        if (!collection->count) continue;
        char name[32];
        snprintf(name, sizeof name, "%s.pvd", series_names[i]);
        char *path = mrn_path_join(export->options.folder, name);
        uint64_t bytes;
        bool fine = mrn_vtk_write_collection(collection, path, &bytes, error);
        if (fine) mrn_export_count_file(export, bytes);
        if (fine && !export->summary->main_file[0])
            snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s", path);
        free(path);
        if (!fine) return false;
    }
    return true;
}

static void free_vtk(MrnExport *export) {
    Vtk *vtk = export->own;
    mrn_skin_moulds_free(&vtk->bodies);
    mrn_skin_moulds_free(&vtk->obstacles);
    free(vtk->shown);
    free(vtk->steady);
    for (int i = 0; i < 4; i++) {
        MrnVtkCollection *collection = &vtk->series[i];
        for (size_t k = 0; k < collection->count; k++) free(collection->data[k].file);
        mrn_array_free(collection);
    }
    free(vtk->body);
    free(vtk->material);
    free(vtk->kind);
    free(vtk->mass);
    free(vtk->radius);
    free(vtk->birth);
    free(vtk->names);
    free(vtk);
}

const MrnExportFormat mrn_export_vtk = {
    .name = "vtk",
    .text = "VTK XML files for ParaView: shapes, obstacles, centres and contacts over time",
    .needs_contacts = true,
    .open = open_vtk,
    .worker_new = new_worker,
    .worker_free = free_worker,
    .arrive = arrive,
    .frame = write_frame,
    .close = close_vtk,
    .free = free_vtk,
};
