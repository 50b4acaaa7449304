// Telling files apart by what is in them, not by their names.
#include "cli/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/scene_yaml.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

MrnFileKind mrn_file_kind(const char *path) {
    static const unsigned char hdf5_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    static const char run_signature[] = "Moraine run file"; // the user block of the HDF5 file says so
    char head[sizeof run_signature - 1];
    struct stat status;
    if (stat(path, &status) != 0) return MRN_FILE_MISSING;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return MRN_FILE_MISSING;
    }
    if (!S_ISREG(status.st_mode)) return MRN_FILE_OTHER; // opening a pipe may wait for ever
    FILE *file = fopen(path, "rb");
    if (!file) return MRN_FILE_MISSING;
    size_t count = fread(head, 1, sizeof head, file);
    fclose(file);
    if (count == sizeof head && memcmp(head, run_signature, sizeof head) == 0) return MRN_FILE_RUN;
    if (count < sizeof hdf5_signature || memcmp(head, hdf5_signature, sizeof hdf5_signature) != 0)
        return MRN_FILE_OTHER;

    MrnFileKind kind = MRN_FILE_HDF5;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // failures are reported by us, not by the library
    hid_t handle = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (handle < 0) return kind;
    if (H5Lexists(handle, "fclib_local", H5P_DEFAULT) > 0 || H5Lexists(handle, "fclib_global", H5P_DEFAULT) > 0)
        kind = MRN_FILE_PROBLEM;
    H5Fclose(handle);
    return kind;
}

bool mrn_file_is_text(const char *path) {
    char head[4096];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t count = fread(head, 1, sizeof head, file);
    fclose(file);
    return count > 0 && !memchr(head, 0, count);
}

/// Everything on standard input, with a 0 at the end; NULL if it cannot be read.
static char *read_standard_input(void) {
    size_t size = 0, capacity = 1 << 16;
    char *text = mrn_alloc(capacity, 1);
    for (;;) {
        size += fread(text + size, 1, capacity - 1 - size, stdin);
        if (size < capacity - 1) break;
        capacity *= 2;
        text = mrn_realloc(text, capacity, 1);
    }
    text[size] = 0;
    if (!ferror(stdin) && strlen(text) == size) return text;
    free(text);
    return NULL;
}

bool mrn_cli_check_solver(const MrnSolverSettings *settings, MrnError *error) {
    bool known = strcmp(settings->solver, "auto") == 0;
    size_t count = mrn_solver_count();
    const char **names = mrn_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = mrn_solver_at(i)->name;
        known |= strcmp(settings->solver, names[i]) == 0;
    }
    const char *near = mrn_nearest_word(settings->solver, names, count);
    free(names);
    if (!known && near)
        return mrn_fail(error, MRN_ERROR_INPUT, "there is no solver '%.80s'; did you mean '%s'?", settings->solver,
                        near);
    if (!known)
        return mrn_fail(error, MRN_ERROR_INPUT, "there is no solver '%.80s'; moraine solvers lists them",
                        settings->solver);

    // Options are the solver's own: let it look at them, with a contact that opens by itself.
    MrnProblem *problem = mrn_problem_new(2, 1);
    problem->free_velocity[0] = 1;
    problem->body_count = 1, problem->dof = 3;
    problem->bodies = mrn_alloc(2, sizeof *problem->bodies);
    problem->bodies[0] = 0, problem->bodies[1] = -1;
    problem->jacobian = mrn_alloc_zero(12, sizeof *problem->jacobian);
    problem->jacobian[0] = problem->jacobian[4] = 1;
    double impulse[2] = {0, 0}, velocity[2];
    MrnSolveInfo info;
    known = mrn_solve(problem, settings, impulse, velocity, &info, error);
    mrn_problem_free(problem);
    return known;
}

MrnScene *mrn_cli_read_scene(const MrnArguments *arguments, int *exit_code) {
    const char *path = arguments->operands[0];
    MrnError error = {0};
    MrnScene *scene = NULL;
    size_t count;
    switch (strcmp(path, "-") == 0 ? MRN_FILE_OTHER : mrn_file_kind(path)) {
    case MRN_FILE_RUN:
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                                  "%s is a run file, not a scene; to go on with it: moraine resume", path);
        return NULL;
    case MRN_FILE_PROBLEM:
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                                  "%s is an FCLIB problem, not a scene; to solve it: moraine solve", path);
        return NULL;
    default: break; // a scene, or the reader of scenes says what is wrong
    }
    const char **overrides = mrn_argument_all(arguments, "set", &count);
    if (strcmp(path, "-") == 0) {
        char *text = read_standard_input();
        if (!text) {
            *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "standard input is not a text");
            free(overrides);
            return NULL;
        }
        scene = mrn_scene_parse(text, "<standard input>", overrides, count, NULL, 0, &error);
        free(text);
    } else
        scene = mrn_scene_read(path, overrides, count, &error);
    free(overrides);
    if (!scene) {
        *exit_code = mrn_cli_error(arguments, &error);
        return NULL;
    }
    if (!mrn_cli_check_solver(&scene->scheme.solver, &error)) {
        *exit_code = mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: solver: %s", scene->name, error.message);
        mrn_scene_free(scene);
        return NULL;
    }
    scene->scheme.threads = (int)mrn_argument_number(arguments, "threads", scene->scheme.threads);
    return scene;
}
