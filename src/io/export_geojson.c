// Export to GeoJSON (RFC 7946): one FeatureCollection per frame with the outlines of all bodies that are there.
//
// Coordinates are metres in the plane of the scene, which the RFC allows where reader and writer agree; no projection
// is implied. Outer rings run counter-clockwise and are closed. Unbounded obstacles are left out. Outlines are rounded
// to a power of ten below 1e-8 of the smallest body: shorter files, and written in a third of the time. Properties have
// all digits.
#include "io/export.h"

#include "base/error.h"
#include "io/output.h"
#include "io/surface.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/// The outline of one shape, in the frame of its body.
typedef struct Outline {
    bool area, closed;
    MrnRing ring;
} Outline;

typedef struct GeoJson {
    Outline *outlines; ///< per shape of the model; empty where unbounded
    char **heads;      ///< per body: its properties that do not change, as JSON
    int decimals;      ///< of coordinates, 0..18
    double per_metre;  ///< 10^decimals
} GeoJson;

/// A text in quotes, with what JSON does not allow in strings escaped. Bytes that are not ASCII are kept: names come
/// from a YAML file, which is UTF-8.
static char *quoted(const char *text) {
    char *out = mrn_alloc(6 * strlen(text) + 3, 1), *at = out;
    *at++ = '"';
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            *at++ = '\\', *at++ = (char)*c;
        else if (*c < 0x20)
            at += sprintf(at, "\\u%04x", *c);
        else
            *at++ = (char)*c;
    }
    *at++ = '"';
    *at = 0;
    return out;
}

/// Properties of a body that are the same in all frames; the rest follows.
static char *property_head(const MrnModel *model, size_t b) {
    static const char *const kinds[] = {
        [MRN_BODY_FREE] = "free", [MRN_BODY_FIXED] = "fixed", [MRN_BODY_DRIVEN] = "driven"};
    const MrnBody *body = &model->bodies.data[b];
    const MrnShape *shape = body->shape_count ? &model->shapes.data[body->first_shape] : NULL;
    char *name = quoted(mrn_model_body_name(model, (int)b)),
         *material = quoted(shape ? model->materials.data[shape->material].name : ""), *head;
    const char *form = body->shape_count > 1 ? "compound" : shape ? mrn_shape_name(shape->kind) : "point";
    const char *pattern = ",\"properties\":{\"name\":%s,\"kind\":\"%s\",\"shape\":\"%s\",\"material\":%s,";
    int length = snprintf(NULL, 0, pattern, name, kinds[body->kind], form, material);
    head = mrn_alloc((size_t)length + 1, 1);
    snprintf(head, (size_t)length + 1, pattern, name, kinds[body->kind], form, material);
    free(name);
    free(material);
    return head;
}

static bool open_geojson(MrnExport *export, MrnError *error) {
    const MrnModel *model = export->model;
    GeoJson *own = export->own = mrn_alloc_zero(1, sizeof *own);
    if (model->dimension != 2)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "GeoJSON describes figures in the plane, and this run is in 3D; export it to vtk");
    int detail = export->options.detail ? export->options.detail : model->bodies.count < 20000 ? 32 : 16;
    own->outlines = mrn_alloc_zero(model->shapes.count + 1, sizeof *own->outlines);
    own->heads = mrn_alloc_zero(model->bodies.count + 1, sizeof *own->heads);
    for (size_t s = 0; s < model->shapes.count; s++) {
        const MrnShape *shape = &model->shapes.data[s];
        if (shape->kind == MRN_SHAPE_HALF_PLANE) continue;
        own->outlines[s].area = mrn_surface_outline(shape, detail, &own->outlines[s].ring);
        own->outlines[s].closed = own->outlines[s].area || shape->kind == MRN_SHAPE_RING;
    }
    double smallest = INFINITY;
    for (size_t b = 0; b < model->bodies.count; b++) {
        own->heads[b] = property_head(model, b);
        double size = model->bodies.data[b].size;
        if (size > 0 && isfinite(size)) smallest = fmin(smallest, size);
    }
    double decimals = isfinite(smallest) ? ceil(8 - log10(smallest)) : 8;
    own->decimals = decimals < 0 ? 0 : decimals > 18 ? 18 : (int)decimals;
    own->per_metre = 1;
    for (int i = 0; i < own->decimals; i++) own->per_metre *= 10; // exact up to 1e22
    return true;
}

static char *put_text(char *at, const char *text) {
    return stpcpy(at, text);
}
/// JSON has no NaN.
static char *put_number(char *at, double value) {
    return isfinite(value) ? mrn_decimal_write(at, value) : put_text(at, "null");
}

/// A coordinate, rounded. Numbers that do not fit are written with all their digits.
static char *put_coordinate(const GeoJson *own, char *at, double value) {
    double scaled = value * own->per_metre;
    return fabs(scaled) < 0x1p53 ? mrn_decimal_write_fixed(at, llrint(scaled), own->decimals)
                                 : mrn_decimal_write(at, value);
}

static void put_ring(const GeoJson *own, MrnOutput *out, const Outline *outline, const double pose[4]) {
    size_t count = outline->ring.count / 2;
    double c = pose[0], s = pose[1], x = pose[2], y = pose[3];
    mrn_output_text(out, "[");
    for (size_t i = 0; i < count + outline->closed; i++) {
        size_t k = i < count ? i : 0;
        MrnVec2 p = mrn_rotate2(c, s, (MrnVec2){outline->ring.data[2 * k], outline->ring.data[2 * k + 1]});
        char *at = mrn_output_room(out, 3 * MRN_DECIMAL_ROOM);
        if (i) *at++ = ',';
        *at++ = '[';
        at = put_coordinate(own, at, x + p.x);
        *at++ = ',';
        at = put_coordinate(own, at, y + p.y);
        *at++ = ']';
        mrn_output_used(out, at);
    }
    mrn_output_text(out, "]");
}

/// One shape: a polygon, or a line without area.
static void put_geometry(const GeoJson *own, MrnOutput *out, const Outline *outline, const double pose[4]) {
    mrn_output_text(out, outline->area ? "{\"type\":\"Polygon\",\"coordinates\":["
                                       : "{\"type\":\"LineString\",\"coordinates\":");
    put_ring(own, out, outline, pose);
    mrn_output_text(out, outline->area ? "]}" : "}");
}

static void put_body(MrnExport *export, MrnOutput *out, const MrnFrame *frame, size_t b) {
    const GeoJson *own = export->own;
    const MrnBody *body = &export->model->bodies.data[b];
    const Outline *outlines = own->outlines + body->first_shape;
    const double pose[4] = {cos(frame->rotation[b]), sin(frame->rotation[b]), frame->position[2 * b],
                            frame->position[2 * b + 1]};
    size_t bounded = 0, areas = 0;
    for (int k = 0; k < body->shape_count; k++) {
        bounded += outlines[k].ring.count > 0;
        areas += outlines[k].ring.count > 0 && outlines[k].area;
    }
    char *at = put_text(mrn_output_room(out, 128), "{\"type\":\"Feature\",\"id\":");
    mrn_output_used(out, put_text(mrn_decimal_write_integer(at, (int64_t)b), ",\"geometry\":"));
    if (bounded > 1)
        mrn_output_text(out, areas == bounded ? "{\"type\":\"MultiPolygon\",\"coordinates\":["
                                              : "{\"type\":\"GeometryCollection\",\"geometries\":[");
    size_t put = 0;
    for (int k = 0; k < body->shape_count; k++) {
        if (!outlines[k].ring.count) continue;
        if (put++) mrn_output_text(out, ",");
        if (bounded > 1 && areas == bounded) {
            mrn_output_text(out, "[");
            put_ring(own, out, &outlines[k], pose);
            mrn_output_text(out, "]");
        } else {
            put_geometry(own, out, &outlines[k], pose);
        }
    }
    if (bounded > 1) mrn_output_text(out, "]}");
    mrn_output_text(out, own->heads[b]);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"\"time\":", frame->time},
                   {",\"x\":", pose[2]},
                   {",\"y\":", pose[3]},
                   {",\"angle\":", frame->rotation[b]},
                   {",\"velocity_x\":", frame->velocity[2 * b]},
                   {",\"velocity_y\":", frame->velocity[2 * b + 1]},
                   {",\"spin\":", frame->spin[b]},
                   {",\"mass\":", body->mass},
                   {",\"birth\":", body->birth}};
    at = mrn_output_room(out, 512);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        at = put_number(put_text(at, numbers[i].name), numbers[i].value);
    mrn_output_used(out, put_text(at, "}}"));
}

static bool is_drawn(const GeoJson *own, const MrnBody *body, const MrnFrame *frame, size_t b) {
    if (!frame->active[b] || !isfinite(frame->position[2 * b] + frame->position[2 * b + 1] + frame->rotation[b]))
        return false;
    for (int k = 0; k < body->shape_count; k++)
        if (own->outlines[body->first_shape + k].ring.count) return true;
    return false;
}

static bool write_frame(MrnExport *export, void *worker, const MrnFrame *frame, size_t index, MrnError *error) {
    (void)worker;
    char name[48], time[MRN_DECIMAL_ROOM];
    snprintf(name, sizeof name, "frame-%06zu.geojson", mrn_export_frame_number(export, index));
    char *path = mrn_path_join(export->options.folder, name);
    MrnOutput out;
    bool fine = mrn_output_open(&out, path, error);
    if (fine) {
        *put_number(time, frame->time) = 0;
        mrn_output_format(&out,
                          "{\"type\":\"FeatureCollection\",\"time\":%s,\"step\":%lld,"
                          "\"coordinates\":\"metres in the plane of the scene\",\"features\":[",
                          time, (long long)frame->step);
        bool any = false;
        for (size_t b = 0; b < frame->body_count; b++) {
            if (!is_drawn(export->own, &export->model->bodies.data[b], frame, b)) continue;
            mrn_output_text(&out, any ? ",\n" : "\n");
            put_body(export, &out, frame, b);
            any = true;
        }
        mrn_output_text(&out, "\n]}\n");
        uint64_t bytes = out.written;
        fine = mrn_output_close(&out, error);
        if (fine) mrn_export_count_file(export, bytes);
    }
    free(path);
    return fine;
}

static bool close_geojson(MrnExport *export, MrnError *error) {
    (void)error;
    size_t last = mrn_export_frame_number(export, export->summary->frames - 1);
    snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s/frame-%06zu.geojson",
             export->options.folder, last);
    return true;
}

static void free_geojson(MrnExport *export) {
    GeoJson *own = export->own;
    for (size_t s = 0; own->outlines && s < export->model->shapes.count; s++) mrn_array_free(&own->outlines[s].ring);
    for (size_t b = 0; own->heads && b < export->model->bodies.count; b++) free(own->heads[b]);
    free(own->outlines);
    free(own->heads);
    free(own);
}

const MrnExportFormat mrn_export_geojson = {
    .name = "geojson",
    .text = "outlines of the bodies of a 2D run, one file per frame",
    .open = open_geojson,
    .frame = write_frame,
    .close = close_geojson,
    .free = free_geojson,
};
