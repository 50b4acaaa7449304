// Time stepping on the scenes that other codes were measured on: time per step by phase, contacts, sweeps, contact updates per second, residual
// and penetration. Scenes are plain text, one body per line:
//   NAME DIM G MU E DT T | BOX xmin xmax ymin ymax [zmin zmax] (floor and side walls; up is y in 2D, z in 3D) | FLOOR 1: floor only
//   D x y r m I | P x y theta m I n x1 y1 ... | S x y z r m I | B x y z qw qx qy qz hx hy hz m
#include "base/clock.h"
#include <moraine/moraine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bench {
    char name[64];
    double gravity, friction, restitution, time_step, duration, box[6];
    int dimension, floor_only;
    MrnModel *model;
    int material;
} Bench;

static void add(Bench *bench, const MrnBodyDef *def) {
    MrnError error = {0};
    if (mrn_model_add_body(bench->model, def, &error) < 0) {
        fprintf(stderr, "scenes: %s\n", error.message);
        exit(1);
    }
}

static void add_obstacle(Bench *bench, double x, double y, double z, double angle, double axis_x, double axis_y) {
    MrnBodyDef def = mrn_body_defaults(bench->dimension);
    MrnShape shape = mrn_shape_defaults(bench->dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    def.kind = MRN_BODY_FIXED;
    def.shapes = &shape;
    def.shape_count = 1;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    if (bench->dimension == 2) def.rotation[0] = angle;
    else {
        def.rotation[0] = cos(angle / 2);
        def.rotation[1] = axis_x * sin(angle / 2);
        def.rotation[2] = axis_y * sin(angle / 2);
    }
    add(bench, &def);
}

static void add_walls(Bench *bench) {
    const double *box = bench->box;
    double half_pi = acos(0.0);
    bench->model = mrn_model_new(bench->dimension);
    bench->material = mrn_model_add_material(bench->model, "all", 1);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = bench->friction;
    law.normal_restitution = bench->restitution;
    mrn_model_set_law(bench->model, -1, -1, law);
    double gravity[3] = {0, 0, 0};
    gravity[bench->dimension - 1] = -bench->gravity;
    mrn_model_set_gravity(bench->model, gravity);
    if (bench->dimension == 2) {
        add_obstacle(bench, 0, box[2], 0, 0, 0, 0);
        if (bench->floor_only) return;
        add_obstacle(bench, box[0], 0, 0, -half_pi, 0, 0);
        add_obstacle(bench, box[1], 0, 0, half_pi, 0, 0);
        return;
    }
    add_obstacle(bench, 0, 0, box[4], 0, 1, 0);
    if (bench->floor_only) return;
    add_obstacle(bench, box[0], 0, 0, half_pi, 0, 1);
    add_obstacle(bench, box[1], 0, 0, -half_pi, 0, 1);
    add_obstacle(bench, 0, box[2], 0, -half_pi, 1, 0);
    add_obstacle(bench, 0, box[3], 0, half_pi, 1, 0);
}

static bool read_scene(const char *path, Bench *bench) {
    FILE *file = fopen(path, "r");
    if (!file) return false;
    static char line[1 << 16];
    *bench = (Bench){.time_step = 1e-3, .duration = 1};
    while (fgets(line, sizeof line, file)) {
        char key[16];
        int used = 0;
        if (sscanf(line, "%15s %n", key, &used) != 1) continue;
        double v[64] = {0};
        int count = 0;
        char *at = line + used, *end;
        for (; count < 64; count++, at = end) {
            v[count] = strtod(at, &end);
            if (end == at) break;
        }
        if (!strcmp(key, "NAME")) sscanf(line + used, "%63s", bench->name);
        else if (!strcmp(key, "DIM")) bench->dimension = (int)v[0];
        else if (!strcmp(key, "G")) bench->gravity = v[0];
        else if (!strcmp(key, "MU")) bench->friction = v[0];
        else if (!strcmp(key, "E")) bench->restitution = v[0];
        else if (!strcmp(key, "DT")) bench->time_step = v[0];
        else if (!strcmp(key, "T")) bench->duration = v[0];
        else if (!strcmp(key, "BOX")) memcpy(bench->box, v, sizeof bench->box);
        else if (!strcmp(key, "FLOOR")) {
            bench->floor_only = (int)v[0];
            add_walls(bench);
        } else {
            MrnBodyDef def = mrn_body_defaults(bench->dimension);
            MrnShape shape = {0};
            def.shapes = &shape;
            def.shape_count = 1;
            memcpy(def.position, v, (size_t)bench->dimension * sizeof(double));
            switch (key[0]) {
            case 'D':
                shape = mrn_shape_defaults(MRN_SHAPE_DISC);
                shape.radius = v[2], def.mass = v[3], def.inertia[2] = v[4];
                break;
            case 'P':
                shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
                def.rotation[0] = v[2], def.mass = v[3], def.inertia[2] = v[4];
                shape.vertex_count = (size_t)v[5], shape.vertices = v + 6;
                break;
            case 'S':
                shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
                shape.radius = v[3], def.mass = v[4];
                for (int k = 0; k < 3; k++) def.inertia[k] = v[5];
                break;
            case 'B':
                shape = mrn_shape_defaults(MRN_SHAPE_BOX);
                memcpy(def.rotation, v + 3, 4 * sizeof(double));
                memcpy(shape.half, v + 7, 3 * sizeof(double));
                def.mass = v[10];
                break;
            default: continue;
            }
            add(bench, &def);
        }
    }
    fclose(file);
    return bench->model != NULL;
}

int main(int argc, char **argv) {
    const char *solver = NULL, *options = NULL;
    double tolerance = 1e-7, duration = 0, report = 0;
    int threads = 1, max_iterations = 0, first = argc;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--solver")) solver = argv[++i];
        else if (!strcmp(argv[i], "--options")) options = argv[++i];
        else if (!strcmp(argv[i], "--tol")) tolerance = atof(argv[++i]);
        else if (!strcmp(argv[i], "--time")) duration = atof(argv[++i]);
        else if (!strcmp(argv[i], "--threads")) threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--max")) max_iterations = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--report")) report = atof(argv[++i]);
        else {
            first = i;
            break;
        }
    }
    if (first >= argc) {
        fprintf(stderr, "usage: scenes [--solver S] [--options O] [--tol 1e-7] [--max N] [--time T] [--threads N] [--report T] SCENE.txt...\n");
        return 2;
    }
    printf("%-16s %7s %8s %7s | ms/step: %7s %7s %7s %7s | %9s %9s %9s %9s %6s\n", "scene", "bodies", "contacts", "sweeps", "total", "detect",
           "build", "solve", "updates/s", "res.max", "scaled", "pen/size", "fails");
    for (int i = first; i < argc; i++) {
        Bench bench;
        MrnError error = {0};
        if (!read_scene(argv[i], &bench)) {
            fprintf(stderr, "scenes: cannot read %s\n", argv[i]);
            return 1;
        }
        MrnScheme scheme = mrn_scheme_defaults();
        scheme.time_step = bench.time_step;
        scheme.threads = threads;
        if (solver) scheme.solver.solver = solver;
        if (max_iterations) scheme.solver.max_iterations = max_iterations;
        scheme.solver.options = options;
        scheme.solver.tolerance = tolerance;
        MrnWorld *world = mrn_world_new(bench.model, &scheme, &error);
        if (!world) {
            fprintf(stderr, "scenes: %s: %s\n", bench.name, error.message);
            return 1;
        }
        double end = duration > 0 ? duration : bench.duration, detect = 0, build = 0, solve = 0, residual = 0, scaled = 0, penetration = 0;
        double contacts = 0, sweeps = 0, updates = 0, cpu = mrn_cpu_seconds(), next = report, part = cpu, part_sweeps = 0;
        long steps = 0, fails = 0, part_steps = 0;
        while (mrn_world_time(world) < end - 0.5 * bench.time_step) {
            MrnStepInfo info;
            if (!mrn_world_step(world, &info, &error)) {
                fprintf(stderr, "scenes: %s\n", error.message);
                return 1;
            }
            steps++, part_steps++;
            detect += info.seconds_detect, build += info.seconds_assemble, solve += info.seconds_solve;
            contacts += (double)info.contacts, sweeps += (double)info.sweeps, updates += (double)info.contacts * (double)info.sweeps;
            part_sweeps += (double)info.sweeps;
            residual = fmax(residual, info.residual), scaled = fmax(scaled, info.scaled_residual);
            penetration = info.penetration;
            fails += info.status != MRN_SOLVED;
            if (report > 0 && info.time >= next) {
                double now = mrn_cpu_seconds();
                printf("  t=%.3f contacts %lld touching %lld sweeps %.1f ms/step %.3f res %.1e pen %.2e max speed %.3g energy %.8g\n", info.time,
                       (long long)info.contacts, (long long)info.touching, part_sweeps / (double)part_steps, 1e3 * (now - part) / (double)part_steps,
                       info.residual, info.penetration, info.max_speed, info.kinetic_energy + info.potential_energy);
                fflush(stdout);
                next += report, part = now, part_steps = 0, part_sweeps = 0;
            }
        }
        cpu = mrn_cpu_seconds() - cpu;
        double per = 1e3 / (double)steps;
        printf("%-16s %7zu %8.0f %7.1f | %16.3f %7.3f %7.3f %7.3f | %9.2e %9.1e %9.1e %9.1e %6ld  hash %016llx\n", bench.name,
               mrn_model_body_count(bench.model), contacts / (double)steps, sweeps / (double)steps, per * cpu, per * detect, per * build, per * solve,
               solve > 0 ? updates / solve : 0, residual, scaled, penetration, fails, (unsigned long long)mrn_world_hash(world));
        fflush(stdout);
        mrn_world_free(world);
        mrn_model_free(bench.model);
    }
    return 0;
}
