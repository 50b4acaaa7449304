// How fast a run becomes files of other programs: run data and bytes written per second of processor time, kernel
// included, for each format with one thread, and run data per second of wall time with all threads; and what reading
// alone takes.
//
//   export [BODIES [FRAMES [FOLDER]]]    default 20000 bodies, 12 frames, /tmp
//
// Run data are counted uncompressed, as a user of the numbers has them. Bodies are a dense lattice of spheres (3D) and
// of discs (2D) that starts to fall, so frames hold about 3 and 2 contacts per body.
#include "base/clock.h"
#include "io/export.h"
#include <malloc.h>
#include <moraine/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)usage.ru_stime.tv_usec;
}

static void stop(const MrnError *error) {
    fprintf(stderr, "export: %s\n", error->message);
    exit(1);
}

static void make_run(int dimension, int bodies, int frames, const char *path) {
    char text[1600];
    double side = dimension == 2 ? 0.021 * bodies / 100 : 0.021 * bodies / 400;
    snprintf(text, sizeof text,
             "dimension: %d\ngravity: [%s-9.81 m/s2]\n"
             "time: {step: 1 ms, end: %d ms, output: 1 ms}\n"
             "solver: {name: nlgs, tolerance: 1e-2, max_iterations: 5}\n"
             "materials: [{name: stone, density: 2500 kg/m%d}]\nlaws: [{friction: 0.4}]\n"
             "generate:\n"
             "  - {name: box, container: {low: [%s0], high: [%s%g m]}}\n"
             "  - name: grain\n    seed: 1\n"
             "    fill: {count: %d, radius: {uniform: {low: 9.9 mm, high: 10 mm}}, placing: lattice, gap: 0.01 mm,\n"
             "           region: {box: {low: [%s0], high: [%s%g m]}}}\n",
             dimension, dimension == 2 ? "0, " : "0, 0, ", frames - 1, dimension, dimension == 2 ? "0, " : "0, 0, ",
             dimension == 2 ? "2.1 m, " : "0.421 m, 0.421 m, ", 2 * side + 1, bodies, dimension == 2 ? "0, " : "0, 0, ",
             dimension == 2 ? "2.1 m, " : "0.421 m, 0.421 m, ", 2 * side + 1);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "bench.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) stop(&error);
    MrnRunOptions options = mrn_run_defaults();
    options.output = path;
    if (!mrn_run(scene, &options, NULL, &error)) stop(&error);
    mrn_scene_free(scene);
}

static void read_all(const char *path, int dimension) {
    MrnError error = {0};
    MrnRunFile *file = mrn_run_file_open(path, &error);
    if (!file) stop(&error);
    double start = cpu_seconds(), bytes = 0;
    for (size_t i = 0; i < mrn_run_file_frame_count(file); i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame(file, i, &frame, &error)) stop(&error);
        bytes += (double)mrn_export_frame_bytes(&frame, dimension);
        mrn_frame_free(&frame);
    }
    double seconds = cpu_seconds() - start;
    struct stat status;
    stat(path, &status);
    printf("  %-22s %8.1f MB  in %6.3f s: %6.0f MB/s (file %.1f MB)\n", "reading frames", bytes / 1e6, seconds,
           bytes / 1e6 / seconds, (double)status.st_size / 1e6);
    mrn_run_file_close(file);
}

static void export_to(const char *path, const char *format, bool surfaces, const char *folder) {
    MrnError error = {0};
    MrnRunFile *file = mrn_run_file_open(path, &error);
    if (!file) stop(&error);
    MrnExportOptions options = mrn_export_defaults();
    options.folder = folder;
    options.surfaces = surfaces;
    MrnExportSummary summary;
    double start = cpu_seconds();
    options.threads = 1;
    if (!mrn_export(file, mrn_export_format_find(format), &options, &summary, &error)) stop(&error);
    double seconds = cpu_seconds() - start;
    options.threads = 0;
    if (!mrn_export(file, mrn_export_format_find(format), &options, &summary, &error)) stop(&error);
    double in = (double)summary.bytes_read / 1e6, out = (double)summary.bytes_written / 1e6;
    char name[64];
    snprintf(name, sizeof name, "%s%s", format, surfaces || strcmp(format, "vtk") ? "" : " without surfaces");
    printf("  %-22s %8.1f MB  in %6.3f s: %6.0f MB/s in, %6.0f MB/s out; %6.0f MB/s in on all threads\n", name, in,
           seconds, in / seconds, out / seconds, in / summary.wall_seconds);
    mrn_run_file_close(file);
}

int main(int argc, char **argv) {
    int bodies = argc > 1 ? atoi(argv[1]) : 20000, frames = argc > 2 ? atoi(argv[2]) : 12;
    char folder[512], path[600], line[640];
    mallopt(M_MMAP_THRESHOLD, 32 << 20); // as the command does it
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    snprintf(folder, sizeof folder, "%.400s/moraine-bench-XXXXXX", argc > 3 ? argv[3] : "/tmp");
    if (bodies < 1 || frames < 2 || !mkdtemp(folder)) return fprintf(stderr, "export: bad arguments\n"), 2;
    snprintf(path, sizeof path, "%s/run.h5", folder);
    for (int dimension = 2; dimension <= 3; dimension++) {
        make_run(dimension, bodies, frames, path);
        printf("%dD, %d bodies, %d frames\n", dimension, bodies, frames);
        read_all(path, dimension);
        export_to(path, "vtk", true, folder);
        export_to(path, "vtk", false, folder);
        export_to(path, "csv", true, folder);
        if (dimension == 2) export_to(path, "geojson", true, folder);
    }
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) == 0 ? 0 : 1;
}
