// Export to GeoJSON (RFC 7946): one FeatureCollection per frame with the outlines of all bodies that are there.
//
// Coordinates are metres in the plane of the scene, which the RFC allows where reader and writer agree; no projection
// is implied. Outer rings run counter-clockwise and are closed. Unbounded obstacles are left out.
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
    char **names;      ///< per body: its name as a JSON string, quoted
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

static bool open_geojson(MrnExport *export, MrnError *error) {
    const MrnModel *model = export->model;
    GeoJson *own = export->own = mrn_alloc_zero(1, sizeof *own);
    if (model->dimension != 2)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "GeoJSON describes figures in the plane, and this run is in 3D; export it to vtk");
    int detail = export->options.detail ? export->options.detail : 32;
    own->outlines = mrn_alloc_zero(model->shapes.count + 1, sizeof *own->outlines);
    own->names = mrn_alloc_zero(model->bodies.count + 1, sizeof *own->names);
    for (size_t s = 0; s < model->shapes.count; s++) {
        const MrnShape *shape = &model->shapes.data[s];
        if (shape->kind == MRN_SHAPE_HALF_PLANE) continue;
        own->outlines[s].area = mrn_surface_outline(shape, detail, &own->outlines[s].ring);
        own->outlines[s].closed = own->outlines[s].area || shape->kind == MRN_SHAPE_RING;
    }
    for (size_t b = 0; b < model->bodies.count; b++) own->names[b] = quoted(mrn_model_body_name(model, (int)b));
    return true;
}

static char *put_text(char *at, const char *text) {
    return stpcpy(at, text);
}
/// JSON has no NaN.
static char *put_number(char *at, double value) {
    return isfinite(value) ? mrn_decimal_write(at, value) : put_text(at, "null");
}

static void put_ring(MrnOutput *out, const Outline *outline, double c, double s, double x, double y) {
    size_t count = outline->ring.count / 2;
    mrn_output_text(out, "[");
    for (size_t i = 0; i < count + outline->closed; i++) {
        size_t k = i % count;
        MrnVec2 p = mrn_rotate2(c, s, (MrnVec2){outline->ring.data[2 * k], outline->ring.data[2 * k + 1]});
        char *at = mrn_output_room(out, 3 * MRN_DECIMAL_ROOM);
        if (i) *at++ = ',';
        *at++ = '[';
        at = mrn_decimal_write(at, x + p.x);
        *at++ = ',';
        at = mrn_decimal_write(at, y + p.y);
        *at++ = ']';
        mrn_output_used(out, at);
    }
    mrn_output_text(out, "]");
}

/// One shape: a polygon, or a line without area.
static void put_geometry(MrnOutput *out, const Outline *outline, double c, double s, double x, double y) {
    mrn_output_text(out, outline->area ? "{\"type\":\"Polygon\",\"coordinates\":["
                                       : "{\"type\":\"LineString\",\"coordinates\":");
    put_ring(out, outline, c, s, x, y);
    mrn_output_text(out, outline->area ? "]}" : "}");
}

static void put_body(MrnExport *export, MrnOutput *out, const MrnFrame *frame, size_t b) {
    static const char *const kinds[] = {
        [MRN_BODY_FREE] = "free", [MRN_BODY_FIXED] = "fixed", [MRN_BODY_DRIVEN] = "driven"};
    const GeoJson *own = export->own;
    const MrnBody *body = &export->model->bodies.data[b];
    const Outline *outlines = own->outlines + body->first_shape;
    double c = cos(frame->rotation[b]), s = sin(frame->rotation[b]), x = frame->position[2 * b],
           y = frame->position[2 * b + 1];
    size_t bounded = 0, areas = 0;
    for (int k = 0; k < body->shape_count; k++) {
        bounded += outlines[k].ring.count > 0;
        areas += outlines[k].ring.count > 0 && outlines[k].area;
    }
    mrn_output_format(out, "{\"type\":\"Feature\",\"id\":%zu,\"geometry\":", b);
    if (bounded > 1)
        mrn_output_text(out, areas == bounded ? "{\"type\":\"MultiPolygon\",\"coordinates\":["
                                              : "{\"type\":\"GeometryCollection\",\"geometries\":[");
    size_t put = 0;
    for (int k = 0; k < body->shape_count; k++) {
        if (!outlines[k].ring.count) continue;
        if (put++) mrn_output_text(out, ",");
        if (bounded > 1 && areas == bounded) {
            mrn_output_text(out, "[");
            put_ring(out, &outlines[k], c, s, x, y);
            mrn_output_text(out, "]");
        } else {
            put_geometry(out, &outlines[k], c, s, x, y);
        }
    }
    if (bounded > 1) mrn_output_text(out, "]}");
    mrn_output_text(out, ",\"properties\":{\"name\":");
    mrn_output_text(out, own->names[b]);
    const MrnShape *shape = &export->model->shapes.data[body->first_shape];
    char *material = quoted(export->model->materials.data[shape->material].name);
    mrn_output_format(out, ",\"kind\":\"%s\",\"shape\":\"%s\",\"material\":%s,", kinds[body->kind],
                      body->shape_count > 1 ? "compound" : mrn_shape_name(shape->kind), material);
    free(material);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"\"time\":", frame->time},
                   {",\"x\":", x},
                   {",\"y\":", y},
                   {",\"angle\":", frame->rotation[b]},
                   {",\"velocity_x\":", frame->velocity[2 * b]},
                   {",\"velocity_y\":", frame->velocity[2 * b + 1]},
                   {",\"spin\":", frame->spin[b]},
                   {",\"mass\":", body->mass},
                   {",\"birth\":", body->birth}};
    char *at = mrn_output_room(out, 512);
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

static bool write_frame(MrnExport *export, const MrnFrame *frame, size_t index, MrnError *error) {
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
    snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s", path);
    free(path);
    return fine;
}

static bool close_geojson(MrnExport *export, MrnError *error) {
    (void)export, (void)error;
    return true;
}

static void free_geojson(MrnExport *export) {
    GeoJson *own = export->own;
    for (size_t s = 0; own->outlines && s < export->model->shapes.count; s++) mrn_array_free(&own->outlines[s].ring);
    for (size_t b = 0; own->names && b < export->model->bodies.count; b++) free(own->names[b]);
    free(own->outlines);
    free(own->names);
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
