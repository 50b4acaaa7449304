// Export to CSV (RFC 4180): the list of bodies, their motion, the contacts and the steps, one file each.
//
// The first row names each column with its unit. Numbers are the shortest that read back as the same double.
#include "io/export.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/output.h"
#include "io/run_file_layout.h"
#include "model/model.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct Csv {
    MrnOutput motion, contacts;
    bool motion_open, contacts_open;
} Csv;

/// A text as a field: in quotes where it must be.
static void put_field(MrnOutput *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        mrn_output_text(out, text);
        return;
    }
    mrn_output_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"') mrn_output_text(out, "\"");
        mrn_output_write(out, text, 1);
    }
    mrn_output_text(out, "\"");
}

static char *put_number(char *at, double value) {
    *at++ = ',';
    return mrn_decimal_write(at, value);
}
static char *put_integer(char *at, int64_t value) {
    *at++ = ',';
    return mrn_decimal_write_integer(at, value);
}
static char *put_numbers(char *at, const double *values, int count) {
    for (int i = 0; i < count; i++) at = put_number(at, values[i]);
    return at;
}
static char *end_row(char *at) {
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

static bool open_file(MrnExport *export, const char *name, MrnOutput *out, MrnError *error) {
    char *path = mrn_path_join(export->options.folder, name);
    bool fine = mrn_output_open(out, path, error);
    free(path);
    return fine;
}

static bool close_file(MrnExport *export, MrnOutput *out, MrnError *error) {
    uint64_t bytes = out->written;
    if (!mrn_output_close(out, error)) return false;
    mrn_export_count_file(export, bytes);
    return true;
}

/// One row per body: what does not change.
static bool write_bodies(MrnExport *export, MrnError *error) {
    static const char *const kinds[] = {
        [MRN_BODY_FREE] = "free", [MRN_BODY_FIXED] = "fixed", [MRN_BODY_DRIVEN] = "driven"};
    const MrnModel *model = export->model;
    MrnOutput out;
    if (!open_file(export, "bodies.csv", &out, error)) return false;
    mrn_output_text(&out, "body,name,kind,shape,material,mass [kg],birth [s]\r\n");
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        const MrnShape *shape = body->shape_count ? &model->shapes.data[body->first_shape] : NULL;
        char *at = mrn_output_room(&out, 64);
        mrn_output_used(&out, mrn_decimal_write_integer(at, (int64_t)b));
        mrn_output_text(&out, ",");
        put_field(&out, mrn_model_body_name(model, (int)b));
        mrn_output_format(&out, ",%s,%s,", kinds[body->kind],
                          body->shape_count > 1 ? "compound"
                          : shape               ? mrn_shape_name(shape->kind)
                                                : "point");
        put_field(&out, shape ? model->materials.data[shape->material].name : "");
        at = mrn_output_room(&out, 128);
        mrn_output_used(&out, end_row(put_number(put_number(at, body->mass), body->birth)));
    }
    return close_file(export, &out, error);
}

static bool write_steps(MrnExport *export, MrnError *error) {
    enum { CHUNK = 4096 };
    MrnOutput out;
    if (!open_file(export, "steps.csv", &out, error)) return false;
    for (size_t i = 0; i < mrn_step_column_count; i++) {
        const MrnStepColumn *column = &mrn_step_columns[i];
        bool pure = strcmp(column->unit, "1") == 0;
        mrn_output_format(&out, "%s%s%s%s%s", i ? "," : "", column->name, pure ? "" : " [", pure ? "" : column->unit,
                          pure ? "" : "]");
    }
    mrn_output_text(&out, "\r\n");
    size_t count = mrn_run_file_step_count(export->file);
    MrnStepInfo *steps = mrn_alloc(CHUNK, sizeof *steps);
    bool fine = true;
    for (size_t first = 0; first < count && fine; first += CHUNK) {
        size_t length = count - first < CHUNK ? count - first : CHUNK;
        fine = mrn_run_file_steps(export->file, first, length, steps, error);
        for (size_t s = 0; s < length && fine; s++) {
            char *at = mrn_output_room(&out, mrn_step_column_count * (MRN_DECIMAL_ROOM + 1) + 2), *start = at;
            for (size_t i = 0; i < mrn_step_column_count; i++) {
                const char *value = (const char *)&steps[s] + mrn_step_columns[i].offset;
                if (mrn_step_columns[i].type == MRN_FIELD_DOUBLE)
                    at = put_number(at, *(const double *)(const void *)value);
                else
                    at = put_integer(at, *(const int64_t *)(const void *)value);
            }
            memmove(start, start + 1, (size_t)(at - start - 1)); // no comma before the first
            mrn_output_used(&out, end_row(at - 1));
        }
        export->summary->bytes_read += length * sizeof *steps;
    }
    free(steps);
    if (fine) return close_file(export, &out, error);
    mrn_output_discard(&out);
    return false;
}

static bool open_csv(MrnExport *export, MrnError *error) {
    Csv *csv = export->own = mrn_alloc_zero(1, sizeof *csv);
    if (!write_bodies(export, error)) return false;
    csv->motion_open = open_file(export, "motion.csv", &csv->motion, error);
    csv->contacts_open = csv->motion_open && open_file(export, "contacts.csv", &csv->contacts, error);
    if (!csv->contacts_open) return false;
    mrn_output_text(&csv->motion,
                    export->model->dimension == 2
                        ? "frame,time [s],body,active,x [m],y [m],angle [rad],velocity_x [m/s],velocity_y [m/s],"
                          "spin [rad/s]\r\n"
                        : "frame,time [s],body,active,x [m],y [m],z [m],rotation_w,rotation_x,rotation_y,rotation_z,"
                          "velocity_x [m/s],velocity_y [m/s],velocity_z [m/s],"
                          "spin_x [rad/s],spin_y [rad/s],spin_z [rad/s]\r\n");
    mrn_output_text(&csv->contacts,
                    "frame,time [s],body_a,body_b,status,x [m],y [m],z [m],normal_x,normal_y,normal_z,gap [m],"
                    "impulse_x [N s],impulse_y [N s],impulse_z [N s],normal_impulse [N s],"
                    "velocity_x [m/s],velocity_y [m/s],velocity_z [m/s]\r\n");
    return true;
}

static bool write_frame(MrnExport *export, void *worker, const MrnFrame *frame, size_t index, MrnError *error) {
    (void)worker;
    (void)error; // a full disk is found when the file is closed
    static const char *const status_names[] = {"open", "stick", "slip"};
    Csv *csv = export->own;
    int d = export->model->dimension;
    char prefix[2 * MRN_DECIMAL_ROOM + 1];
    char *end = mrn_decimal_write_integer(prefix, (int64_t)mrn_export_frame_number(export, index));
    end = put_number(end, frame->time);
    size_t length = (size_t)(end - prefix);
    for (size_t b = 0; b < frame->body_count; b++) {
        char *at = mrn_output_room(&csv->motion, 20 * (MRN_DECIMAL_ROOM + 1));
        memcpy(at, prefix, length);
        at = put_integer(at + length, (int64_t)b);
        *at++ = ',';
        *at++ = frame->active[b] ? '1' : '0';
        at = put_numbers(at, frame->position + (size_t)d * b, d);
        if (d == 2) {
            at = put_number(at, frame->rotation[b]);
            at = put_numbers(at, frame->velocity + 2 * b, 2);
            at = put_number(at, frame->spin[b]);
        } else {
            double spin[3];
            mrn_store3(spin, mrn_quat_rotate(mrn_quat_load(frame->rotation + 4 * b), mrn_load3(frame->spin + 3 * b)));
            at = put_numbers(at, frame->rotation + 4 * b, 4);
            at = put_numbers(at, frame->velocity + 3 * b, 3);
            at = put_numbers(at, spin, 3);
        }
        mrn_output_used(&csv->motion, end_row(at));
    }
    for (size_t c = 0; c < frame->contact_count; c++) {
        const MrnContactView *view = &frame->contacts[c];
        char *at = mrn_output_room(&csv->contacts, 22 * (MRN_DECIMAL_ROOM + 1));
        memcpy(at, prefix, length);
        at = put_integer(at + length, view->body_a);
        at = put_integer(at, view->body_b);
        *at++ = ',';
        const char *status = view->status >= 0 && view->status < 3 ? status_names[view->status] : "unknown";
        at = stpcpy(at, status);
        at = put_numbers(at, view->position, 3);
        at = put_numbers(at, view->normal, 3);
        at = put_number(at, view->gap);
        at = put_numbers(at, view->impulse, 3);
        at = put_number(at, view->normal_impulse);
        at = put_numbers(at, view->velocity, 3);
        mrn_output_used(&csv->contacts, end_row(at));
    }
    return true;
}

static bool close_csv(MrnExport *export, MrnError *error) {
    Csv *csv = export->own;
    csv->motion_open = false;
    if (!close_file(export, &csv->motion, error)) return false;
    csv->contacts_open = false;
    if (!close_file(export, &csv->contacts, error) || !write_steps(export, error)) return false;
    char *path = mrn_path_join(export->options.folder, "motion.csv");
    snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s", path);
    free(path);
    return true;
}

static void free_csv(MrnExport *export) {
    Csv *csv = export->own;
    if (csv->motion_open) mrn_output_discard(&csv->motion);
    if (csv->contacts_open) mrn_output_discard(&csv->contacts);
    free(csv);
}

const MrnExportFormat mrn_export_csv = {
    .name = "csv",
    .text = "tables of bodies, motion, contacts and steps",
    .needs_contacts = true,
    .in_order = true,
    .open = open_csv,
    .frame = write_frame,
    .close = close_csv,
    .free = free_csv,
};
