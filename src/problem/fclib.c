// Reading and writing FCLIB problems (HDF5).
//
// Local: u = W r + q with groups fclib_local/W and fclib_local/vectors {q, mu}; with V, R, s a mixed problem, V^T r + R
// l + s = 0 and u = W r + V l + q, whose l is eliminated. Global: M v = H r + G l + f, G^T v + b = 0, u = H^T v + w
// (see reduce.c). A matrix is triplets (nz >= 0), compressed columns (nz = -1) or compressed rows (nz = -2). Guesses
// are guesses/1/r, guesses/2/r ...
#include "problem/fclib.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "problem/reduce.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Reader {
    hid_t file;
    const char *path;
    MrnError *error;
} Reader;

static bool present(const Reader *reader, const char *name) {
    // Every link of the path must be there before the next is asked for.
    char part[256];
    for (size_t k = 1; k <= strlen(name) && k < sizeof part; k++) {
        if (name[k] != '/' && name[k] != 0) continue;
        memcpy(part, name, k);
        part[k] = 0;
        if (H5Lexists(reader->file, part, H5P_DEFAULT) <= 0) return false;
    }
    return true;
}

// Read a whole dataset as `type`; `count` receives its length.
static void *read_dataset(const Reader *reader, const char *name, hid_t type, size_t size, size_t *count) {
    if (!present(reader, name)) {
        mrn_fail(reader->error, MRN_ERROR_FILE, "%s: no dataset %s", reader->path, name);
        return NULL;
    }
    hid_t set = H5Dopen2(reader->file, name, H5P_DEFAULT);
    if (set < 0) {
        mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s is not a dataset", reader->path, name);
        return NULL;
    }
    hid_t space = H5Dget_space(set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    void *data = NULL;
    if (points >= 0 && (size_t)points <= (size_t)1 << 33) {
        data = mrn_alloc((size_t)points + 1, size);
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) free(data), data = NULL;
    }
    if (data)
        *count = (size_t)points;
    else
        mrn_fail(reader->error, MRN_ERROR_FILE, "%s: cannot read dataset %s", reader->path, name);
    H5Sclose(space);
    H5Dclose(set);
    return data;
}

static bool read_int(const Reader *reader, const char *group, const char *name, int *value) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, name);
    size_t count;
    int *data = read_dataset(reader, path, H5T_NATIVE_INT, sizeof *data, &count);
    if (!data) return false;
    bool good = count == 1;
    if (good)
        *value = data[0];
    else
        mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s holds %zu numbers, wanted 1", reader->path, path, count);
    free(data);
    return good;
}

static double *read_vector(const Reader *reader, const char *group, const char *name, size_t wanted) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, name);
    size_t count;
    double *data = read_dataset(reader, path, H5T_NATIVE_DOUBLE, sizeof *data, &count);
    if (data && count != wanted) {
        mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s holds %zu numbers, wanted %zu", reader->path, path, count,
                 wanted);
        free(data);
        return NULL;
    }
    return data;
}

static bool read_matrix(const Reader *reader, const char *group, MrnTriplets *matrix) {
    int m, n, nz;
    char name[300];
    *matrix = (MrnTriplets){0};
    if (!read_int(reader, group, "m", &m) || !read_int(reader, group, "n", &n) || !read_int(reader, group, "nz", &nz))
        return false;
    if (m < 0 || n < 0 || nz < -2)
        return mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s has sizes m=%d n=%d nz=%d", reader->path, group, m, n,
                        nz);
    size_t np = 0, ni = 0, nx = 0;
    snprintf(name, sizeof name, "%s/p", group);
    int *p = read_dataset(reader, name, H5T_NATIVE_INT, sizeof *p, &np);
    snprintf(name, sizeof name, "%s/i", group);
    int *i = p ? read_dataset(reader, name, H5T_NATIVE_INT, sizeof *i, &ni) : NULL;
    snprintf(name, sizeof name, "%s/x", group);
    double *x = i ? read_dataset(reader, name, H5T_NATIVE_DOUBLE, sizeof *x, &nx) : NULL;
    bool good = x != NULL;
    size_t lines = (size_t)(nz == -1 ? n : m);
    size_t entries = nz >= 0 ? (size_t)nz : good && np > lines && p[lines] >= 0 ? (size_t)p[lines] : 0;
    if (good && (nz >= 0 ? np < entries : np != lines + 1))
        good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s/p holds %zu numbers, wanted %zu", reader->path, group,
                        np, nz >= 0 ? entries : lines + 1);
    if (good && (ni < entries || nx < entries))
        good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s has %zu entries but only %zu indices and %zu values",
                        reader->path, group, entries, ni, nx);
    if (good) {
        matrix->rows = (size_t)m, matrix->columns = (size_t)n, matrix->count = entries;
        matrix->row = mrn_alloc(entries + 1, sizeof *matrix->row);
        matrix->column = mrn_alloc(entries + 1, sizeof *matrix->column);
        matrix->value = mrn_alloc(entries + 1, sizeof *matrix->value);
        memcpy(matrix->value, x, entries * sizeof *x);
        if (nz >= 0) {
            memcpy(matrix->row, p, entries * sizeof *p);
            memcpy(matrix->column, i, entries * sizeof *i);
        } else {
            for (size_t line = 0; good && line < lines; line++) {
                if (p[line] < 0 || p[line] > p[line + 1] || (size_t)p[line + 1] > entries) {
                    good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s/p does not ascend at %zu", reader->path,
                                    group, line);
                    break;
                }
                for (int k = p[line]; k < p[line + 1]; k++) {
                    matrix->row[k] = nz == -1 ? i[k] : (int)line;
                    matrix->column[k] = nz == -1 ? (int)line : i[k];
                }
            }
            if (good && lines > 0 && p[0] != 0)
                good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s/p does not begin with 0", reader->path, group);
        }
        for (size_t k = 0; good && k < entries; k++)
            if (matrix->row[k] < 0 || matrix->row[k] >= m || matrix->column[k] < 0 || matrix->column[k] >= n)
                good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: %s has an entry at (%d, %d), outside %d x %d",
                                reader->path, group, matrix->row[k], matrix->column[k], m, n);
        if (!good) mrn_triplets_free(matrix);
    }
    free(p);
    free(i);
    free(x);
    return good;
}

static bool has_matrix(const Reader *reader, const char *group) {
    char name[300];
    snprintf(name, sizeof name, "%s/x", group);
    return present(reader, name);
}

static bool read_local(const Reader *reader, int dimension, size_t contacts, double *mu, MrnProblem **problem) {
    size_t numbers = (size_t)dimension * contacts;
    MrnTriplets W = {0}, V = {0}, R = {0};
    double *s = NULL;
    double *q = read_vector(reader, "fclib_local/vectors", "q", numbers);
    bool good = q && read_matrix(reader, "fclib_local/W", &W);
    if (good && (W.rows != numbers || W.columns != numbers))
        good = mrn_fail(reader->error, MRN_ERROR_FILE,
                        "%s: W is %zu x %zu, wanted %zu x %zu (%zu contacts in %d dimensions)", reader->path, W.rows,
                        W.columns, numbers, numbers, contacts, dimension);
    if (good && has_matrix(reader, "fclib_local/V")) {
        good = read_matrix(reader, "fclib_local/V", &V) && read_matrix(reader, "fclib_local/R", &R) &&
               (s = read_vector(reader, "fclib_local/vectors", "s", R.rows)) != NULL;
        if (good && (V.rows != numbers || V.columns != R.rows || R.columns != R.rows))
            good =
                mrn_fail(reader->error, MRN_ERROR_FILE, "%s: V (%zu x %zu) and R (%zu x %zu) do not fit %zu unknowns",
                         reader->path, V.rows, V.columns, R.rows, R.columns, numbers);
        if (good) good = mrn_eliminate_multipliers(&W, q, &V, &R, s, reader->path, reader->error);
    }
    if (good) {
        *problem = mrn_problem_new(dimension, contacts);
        memcpy((*problem)->friction, mu, contacts * sizeof *mu);
        memcpy((*problem)->free_velocity, q, numbers * sizeof *q);
        (*problem)->delassus = mrn_blocks_from_triplets(&W, dimension, contacts);
    }
    mrn_triplets_free(&W);
    mrn_triplets_free(&V);
    mrn_triplets_free(&R);
    free(q);
    free(s);
    return good;
}

static bool read_global(const Reader *reader, int dimension, size_t contacts, double *mu, MrnProblem **problem) {
    size_t numbers = (size_t)dimension * contacts;
    MrnGlobalProblem global = {.dimension = dimension, .contacts = contacts, .friction = mu};
    bool good = read_matrix(reader, "fclib_global/M", &global.M) && read_matrix(reader, "fclib_global/H", &global.H);
    if (good && (global.M.rows != global.M.columns || global.H.rows != global.M.rows || global.H.columns != numbers))
        good = mrn_fail(reader->error, MRN_ERROR_FILE,
                        "%s: M (%zu x %zu) and H (%zu x %zu) do not fit %zu contacts in %d dimensions", reader->path,
                        global.M.rows, global.M.columns, global.H.rows, global.H.columns, contacts, dimension);
    if (good) good = (global.f = read_vector(reader, "fclib_global/vectors", "f", global.M.rows)) != NULL;
    if (good) good = (global.w = read_vector(reader, "fclib_global/vectors", "w", numbers)) != NULL;
    if (good && has_matrix(reader, "fclib_global/G")) {
        good = read_matrix(reader, "fclib_global/G", &global.G) &&
               (global.b = read_vector(reader, "fclib_global/vectors", "b", global.G.columns)) != NULL;
        if (good && global.G.rows != global.M.rows)
            good = mrn_fail(reader->error, MRN_ERROR_FILE, "%s: G has %zu rows, M %zu", reader->path, global.G.rows,
                            global.M.rows);
    }
    if (good) good = (*problem = mrn_reduce_global(&global, reader->path, reader->error)) != NULL;
    mrn_triplets_free(&global.M);
    mrn_triplets_free(&global.H);
    mrn_triplets_free(&global.G);
    free(global.f);
    free(global.w);
    free(global.b);
    return good;
}

// The laws that FCLIB does not know.
static bool read_laws(const Reader *reader, MrnProblem *problem) {
    size_t count;
    if (present(reader, "moraine/law")) {
        int *law = read_dataset(reader, "moraine/law", H5T_NATIVE_INT, sizeof *law, &count);
        if (!law) return false;
        problem->law = mrn_alloc_zero(problem->contacts + 1, 1);
        for (size_t i = 0; i < problem->contacts && i < count; i++) problem->law[i] = (uint8_t)law[i];
        free(law);
    }
    if (present(reader, "moraine/friction2") &&
        !(problem->friction2 = read_vector(reader, "moraine", "friction2", problem->contacts)))
        return false;
    if (present(reader, "moraine/parent")) {
        problem->parent = read_dataset(reader, "moraine/parent", H5T_NATIVE_INT, sizeof(int), &count);
        if (problem->parent && count != problem->contacts)
            return mrn_fail(reader->error, MRN_ERROR_FILE, "%s: moraine/parent holds %zu numbers, wanted %zu",
                            reader->path, count, problem->contacts);
        return problem->parent != NULL;
    }
    return true;
}

static bool open_file(Reader *reader, const char *path, MrnError *error) {
    *reader = (Reader){.path = path, .error = error};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // errors are ours to tell
    if (access(path, R_OK) != 0) return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot open the file", path);
    reader->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (reader->file < 0) return mrn_fail(error, MRN_ERROR_FILE, "%s: not an HDF5 file", path);
    return true;
}

bool mrn_fclib_read(const char *path, MrnProblem **problem, double **guess, MrnError *error) {
    Reader reader;
    *problem = NULL;
    if (guess) *guess = NULL;
    if (!open_file(&reader, path, error)) return false;
    bool local = present(&reader, "fclib_local"), global = present(&reader, "fclib_global");
    const char *group = local ? "fclib_local" : "fclib_global";
    int dimension = 0;
    size_t contacts = 0;
    double *mu = NULL;
    bool good = local || global ||
                mrn_fail(error, MRN_ERROR_FILE, "%s: neither fclib_local nor fclib_global is in this file", path);
    good = good && read_int(&reader, group, "spacedim", &dimension);
    if (good && dimension != 2 && dimension != 3)
        good = mrn_fail(error, MRN_ERROR_FILE, "%s: spacedim is %d, wanted 2 or 3", path, dimension);
    if (good) {
        char name[64];
        snprintf(name, sizeof name, "%s/vectors/mu", group);
        good = (mu = read_dataset(&reader, name, H5T_NATIVE_DOUBLE, sizeof *mu, &contacts)) != NULL;
    }
    good = good && (local ? read_local : read_global)(&reader, dimension, contacts, mu, problem);
    good = good && read_laws(&reader, *problem);
    if (good && guess) {
        size_t numbers = (size_t)dimension * contacts;
        if (present(&reader, "guesses/1/r"))
            good = (*guess = read_vector(&reader, "guesses/1", "r", numbers)) != NULL;
        else
            *guess = mrn_alloc_zero(numbers + 1, sizeof **guess);
    }
    free(mu);
    H5Fclose(reader.file);
    if (!good) mrn_problem_free(*problem), *problem = NULL;
    return good;
}

bool mrn_fclib_read_solution(const char *path, const MrnProblem *problem, double **impulse, MrnError *error) {
    Reader reader;
    if (!open_file(&reader, path, error)) return false;
    *impulse = read_vector(&reader, "solution", "r", (size_t)problem->dimension * problem->contacts);
    H5Fclose(reader.file);
    return *impulse != NULL;
}

// ---------------------------------------------------------------- writing

static bool write_dataset(hid_t place, const char *name, hid_t type, size_t count, const void *data) {
    hsize_t length = count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return good;
}

static bool write_text(hid_t place, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static hid_t new_group(hid_t place, const char *name) {
    return H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

// Compressed rows (nz = -2).
static bool write_matrix(hid_t place, const char *name, size_t rows, size_t columns, const int *start,
                         const int *column, const double *value) {
    hid_t group = new_group(place, name);
    int m = (int)rows, n = (int)columns, nz = -2, nzmax = start[rows];
    bool good = group >= 0 && write_dataset(group, "nzmax", H5T_NATIVE_INT, 1, &nzmax) &&
                write_dataset(group, "m", H5T_NATIVE_INT, 1, &m) && write_dataset(group, "n", H5T_NATIVE_INT, 1, &n) &&
                write_dataset(group, "nz", H5T_NATIVE_INT, 1, &nz) &&
                write_dataset(group, "p", H5T_NATIVE_INT, rows + 1, start) &&
                write_dataset(group, "i", H5T_NATIVE_INT, (size_t)nzmax, column) &&
                write_dataset(group, "x", H5T_NATIVE_DOUBLE, (size_t)nzmax, value);
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool write_vectors_of(hid_t place, const char *group_name, size_t numbers, const double *impulse,
                             const double *velocity, const double *body_velocity, size_t body_numbers) {
    hid_t group = new_group(place, group_name);
    bool good = group >= 0 &&
                (!body_velocity || write_dataset(group, "v", H5T_NATIVE_DOUBLE, body_numbers, body_velocity)) &&
                (!velocity || write_dataset(group, "u", H5T_NATIVE_DOUBLE, numbers, velocity)) &&
                write_dataset(group, "r", H5T_NATIVE_DOUBLE, numbers, impulse);
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool write_common(hid_t file, hid_t group, const MrnProblem *problem, const double *guess, const char *title) {
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    bool good = write_dataset(group, "spacedim", H5T_NATIVE_INT, 1, &problem->dimension);
    hid_t info = new_group(group, "info");
    good = good && info >= 0 && write_text(info, "title", title ? title : "") &&
           write_text(info, "description", "one step of nonsmooth contact dynamics, impulses and velocities") &&
           write_text(info, "math_info", "");
    if (info >= 0) H5Gclose(info);
    if (good && guess) {
        hid_t guesses = new_group(file, "guesses");
        int one = 1;
        double *velocity = mrn_alloc_zero(numbers + 1, sizeof *velocity);
        good = guesses >= 0 && write_dataset(guesses, "number_of_guesses", H5T_NATIVE_INT, 1, &one) &&
               write_vectors_of(guesses, "1", numbers, guess, velocity, NULL, 0);
        free(velocity);
        if (guesses >= 0) H5Gclose(guesses);
    }
    if (good && (problem->law || problem->friction2 || problem->parent)) {
        hid_t own = new_group(file, "moraine");
        good = own >= 0;
        if (good && problem->law) {
            int *law = mrn_alloc(problem->contacts + 1, sizeof *law);
            for (size_t i = 0; i < problem->contacts; i++) law[i] = problem->law[i];
            good = write_dataset(own, "law", H5T_NATIVE_INT, problem->contacts, law);
            free(law);
        }
        if (good && problem->friction2)
            good = write_dataset(own, "friction2", H5T_NATIVE_DOUBLE, problem->contacts, problem->friction2);
        if (good && problem->parent)
            good = write_dataset(own, "parent", H5T_NATIVE_INT, problem->contacts, problem->parent);
        if (own >= 0) H5Gclose(own);
    }
    return good;
}

static hid_t create_file(const char *path) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

bool mrn_fclib_write(const char *path, MrnProblem *problem, const double *guess, const char *title, MrnError *error) {
    mrn_problem_assemble(problem);
    const MrnBlockMatrix *W = problem->delassus;
    if (!W) return mrn_fail(error, MRN_ERROR_INPUT, "%s: the problem has no matrix to write", path);
    size_t d = (size_t)problem->dimension, numbers = d * problem->contacts, entries = W->start[W->rows] * d * d;
    if (entries > INT32_MAX)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "%s: W has %zu entries, more than FCLIB can index; write the global form", path, entries);
    int *start = mrn_alloc(numbers + 1, sizeof *start), *column = mrn_alloc(entries + 1, sizeof *column);
    double *value = mrn_alloc(entries + 1, sizeof *value);
    size_t at = 0;
    for (size_t i = 0; i < W->rows; i++)
        for (size_t r = 0; r < d; r++) {
            start[d * i + r] = (int)at;
            for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
                for (size_t c = 0; c < d; c++, at++)
                    column[at] = W->column[k] * (int)d + (int)c, value[at] = W->value[k * d * d + r * d + c];
        }
    start[numbers] = (int)at;
    hid_t file = create_file(path), group = file >= 0 ? new_group(file, "fclib_local") : -1;
    bool good = group >= 0 && write_common(file, group, problem, guess, title) &&
                write_matrix(group, "W", numbers, numbers, start, column, value);
    hid_t vectors = good ? new_group(group, "vectors") : -1;
    good = good && write_dataset(vectors, "q", H5T_NATIVE_DOUBLE, numbers, problem->free_velocity) &&
           write_dataset(vectors, "mu", H5T_NATIVE_DOUBLE, problem->contacts, problem->friction);
    if (vectors >= 0) H5Gclose(vectors);
    if (group >= 0) H5Gclose(group);
    if (file >= 0 && H5Fclose(file) < 0) good = false;
    free(start);
    free(column);
    free(value);
    return good || mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write the problem", path);
}

bool mrn_fclib_write_global(const char *path, MrnProblem *problem, const double *guess, const char *title,
                            MrnError *error) {
    if (!problem->bodies)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: the global form needs bodies, this problem has only its matrix",
                        path);
    size_t d = (size_t)problem->dimension, dof = (size_t)problem->dof, numbers = d * problem->contacts,
           n = dof * problem->body_count;
    size_t sides = 0;
    for (size_t s = 0; s < 2 * problem->contacts; s++) sides += problem->bodies[s] >= 0;
    // H (n x numbers) in compressed rows: row = body component, columns ascend because sides are visited in order.
    MrnBodyContacts list = mrn_body_contacts(problem);
    int *start = mrn_alloc_zero(n + 1, sizeof *start), *column = mrn_alloc(sides * d * dof + 1, sizeof *column);
    double *value = mrn_alloc(sides * d * dof + 1, sizeof *value);
    size_t at = 0;
    for (size_t b = 0; b < problem->body_count; b++)
        for (size_t k = 0; k < dof; k++) {
            start[dof * b + k] = (int)at;
            for (size_t e = list.start[b]; e < list.start[b + 1]; e++) {
                size_t side = (size_t)list.side[e];
                double buffer[18];
                const double *rows = mrn_problem_rows(problem, side, buffer);
                for (size_t r = 0; r < d; r++, at++)
                    column[at] = (int)(d * (side / 2) + r), value[at] = rows[r * dof + k];
            }
        }
    start[n] = (int)at;
    mrn_body_contacts_free(&list);
    int *unit_start = mrn_alloc(n + 1, sizeof *unit_start), *unit_column = mrn_alloc(n + 1, sizeof *unit_column);
    double *ones = mrn_alloc(n + 1, sizeof *ones), *zeros = mrn_alloc_zero(n + 1, sizeof *zeros);
    for (size_t k = 0; k <= n; k++) unit_start[k] = unit_column[k] = (int)k, ones[k] = 1;
    hid_t file = create_file(path), group = file >= 0 ? new_group(file, "fclib_global") : -1;
    bool good = group >= 0 && write_common(file, group, problem, guess, title) &&
                write_matrix(group, "M", n, n, unit_start, unit_column, ones) &&
                write_matrix(group, "H", n, numbers, start, column, value);
    hid_t vectors = good ? new_group(group, "vectors") : -1;
    good = good && write_dataset(vectors, "f", H5T_NATIVE_DOUBLE, n, zeros) &&
           write_dataset(vectors, "w", H5T_NATIVE_DOUBLE, numbers, problem->free_velocity) &&
           write_dataset(vectors, "mu", H5T_NATIVE_DOUBLE, problem->contacts, problem->friction);
    if (vectors >= 0) H5Gclose(vectors);
    if (group >= 0) H5Gclose(group);
    if (file >= 0 && H5Fclose(file) < 0) good = false;
    free(start);
    free(column);
    free(value);
    free(unit_start);
    free(unit_column);
    free(ones);
    free(zeros);
    return good || mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write the problem", path);
}

bool mrn_fclib_write_solution(const char *path, MrnProblem *problem, const double *impulse, const double *velocity,
                              MrnError *error) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (access(path, F_OK) != 0) {
        bool written = problem->bodies && !problem->delassus ? mrn_fclib_write_global(path, problem, NULL, "", error)
                                                             : mrn_fclib_write(path, problem, NULL, "", error);
        if (!written) return false;
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) return mrn_fail(error, MRN_ERROR_FILE, "%s: cannot open for writing, or not an HDF5 file", path);
    if (H5Lexists(file, "solution", H5P_DEFAULT) > 0) H5Ldelete(file, "solution", H5P_DEFAULT);
    bool good =
        write_vectors_of(file, "solution", (size_t)problem->dimension * problem->contacts, impulse, velocity, NULL, 0);
    if (H5Fclose(file) < 0) good = false;
    return good || mrn_fail(error, MRN_ERROR_FILE, "%s: cannot write the solution", path);
}
