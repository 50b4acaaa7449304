// All friction solvers over a folder of FCLIB problems: a table, and performance profiles (Dolan and More 2002).
//
//   scoreboard [--tol 1e-6] [--limit SECONDS] [--repeat N] [--max SWEEPS] [--solvers a,b,...] [--peers TABLE.md] [--csv
//   PROFILES.csv]
//   [--svg PROFILES.svg] [--table TABLE.csv] FILE_OR_FOLDER...
//
// A solver may carry options: nlgs:accelerate=0. The last column is the time of a solver over that of the first.
// Times are processor times of the solve alone, best of the repeats. A problem counts as solved when the residual of
// DESIGN 3, computed afresh, is at most the tolerance. The peers' column is read from a Markdown table with the columns
// `problem`, `best` and `time (s)`. A profile is, for each solver, the share of problems solved within a factor of the
// best time of any solver.
#include "base/clock.h"
#include "base/memory.h"
#include "problem/fclib.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Score {
    double seconds, residual;
    int iterations;
    MrnSolveStatus status;
    bool solved;
} Score;

typedef struct Board {
    MRN_ARRAY(char *) files;
    MRN_ARRAY(const char *) solvers;
    MRN_ARRAY(char *) peer_names;
    MRN_ARRAY(double) peer_seconds;
    Score *scores; ///< file by file
} Board;

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(const char *folder, const char *name) {
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = mrn_alloc(length, 1);
    snprintf(path, length, "%s/%s", folder, name);
    return path;
}

static void add_path(Board *board, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            size_t length = strlen(entry->d_name);
            if (length > 5 && !strcmp(entry->d_name + length - 5, ".hdf5"))
                mrn_array_push(&board->files, join(path, entry->d_name));
        }
        if (folder) closedir(folder);
    } else
        mrn_array_push(&board->files, mrn_strdup(path));
}

// `name` and `time (s)` of every row of a Markdown table.
static void read_peers(Board *board, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "scoreboard: cannot open %s\n", path);
        exit(1);
    }
    char line[1024];
    int name_column = -1, time_column = -1;
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '|') continue;
        char name[256] = "", seconds[256] = "";
        int column = 0;
        bool header = false;
        for (char *cell = line + 1, *end; (end = strchr(cell, '|')); cell = end + 1, column++) {
            while (*cell == ' ') cell++;
            char *last = end;
            while (last > cell && last[-1] == ' ') last--;
            char text[256];
            snprintf(text, sizeof text, "%.*s", (int)(last - cell), cell);
            if (!strcmp(text, "problem"))
                name_column = column, header = true;
            else if (!strcmp(text, "time (s)"))
                time_column = column, header = true;
            if (column == name_column) memcpy(name, text, sizeof name);
            if (column == time_column) memcpy(seconds, text, sizeof seconds);
        }
        double value = strtod(seconds, NULL);
        if (!header && value > 0) {
            mrn_array_push(&board->peer_names, mrn_strdup(name));
            mrn_array_push(&board->peer_seconds, value);
        }
    }
    fclose(file);
}

static const char *base_name(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot) *dot = 0;
    return out;
}

static double peer_seconds(const Board *board, const char *name) {
    for (size_t k = 0; k < board->peer_names.count; k++)
        if (!strcmp(board->peer_names.data[k], name)) return board->peer_seconds.data[k];
    return NAN;
}

static Score run(MrnProblem *problem, const double *guess, const char *solver, double tolerance, double limit, int most,
                 int repeat) {
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    double *p = mrn_alloc(numbers + 1, sizeof *p);
    MrnSolverSettings settings = mrn_solver_defaults();
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(solver, ":"), solver);
    settings.solver = name;
    if (strchr(solver, ':')) settings.options = strchr(solver, ':') + 1;
    settings.tolerance = tolerance;
    settings.max_iterations = most;
    settings.time_limit = limit;
    Score score = {.seconds = INFINITY};
    for (int k = 0; k < repeat; k++) {
        MrnSolveInfo info;
        MrnError error = {0};
        memcpy(p, guess, numbers * sizeof *p);
        double start = mrn_cpu_seconds();
        if (!mrn_solve(problem, &settings, p, NULL, &info, &error)) {
            score.status = MRN_BAD_PROBLEM, score.residual = NAN;
            if (error.code == MRN_ERROR_INPUT) {
                fprintf(stderr, "scoreboard: %s\n", error.message);
                exit(2);
            }
            break;
        }
        double seconds = mrn_cpu_seconds() - start;
        score = (Score){fmin(score.seconds, seconds), info.residual, info.iterations, info.status,
                        info.residual <= tolerance};
        if (seconds > 0.3) break;
    }
    free(p);
    return score;
}

// Share of the problems that solver `s` solves within `factor` of the best time of any.
static double share_within(const Board *board, size_t s, double factor) {
    size_t files = board->files.count, solvers = board->solvers.count, within = 0;
    for (size_t f = 0; f < files; f++) {
        double best = INFINITY;
        for (size_t j = 0; j < solvers; j++)
            if (board->scores[f * solvers + j].solved) best = fmin(best, board->scores[f * solvers + j].seconds);
        const Score *score = &board->scores[f * solvers + s];
        within += score->solved && score->seconds <= factor * best;
    }
    return files ? (double)within / (double)files : 0;
}

static FILE *open_to_write(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "scoreboard: cannot write %s\n", path);
        exit(1);
    }
    return file;
}

static void write_profiles(const Board *board, const char *path) {
    FILE *file = open_to_write(path);
    size_t solvers = board->solvers.count;
    fprintf(file, "factor");
    for (size_t s = 0; s < solvers; s++) fprintf(file, ",%s", board->solvers.data[s]);
    fprintf(file, "\n");
    for (int k = 0; k <= 80; k++) {
        double factor = pow(10, k / 20.0);
        fprintf(file, "%.4g", factor);
        for (size_t s = 0; s < solvers; s++) fprintf(file, ",%.4f", share_within(board, s, factor));
        fprintf(file, "\n");
    }
    fclose(file);
}

// The profiles as a picture: a step line per solver over the factor, from 1 to 10^4 on a logarithmic axis.
static void write_picture(const Board *board, const char *path, double tolerance) {
    static const char *const color[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                        "#000000", "#7f3c8d", "#a5aa99", "#80ba5a", "#e73f74"};
    static const char *const dash[] = {"", "6 3", "2 3"};
    const double left = 60, top = 40, width = 520, height = 300, decades = 4;
    size_t solvers = board->solvers.count, colors = sizeof color / sizeof *color;
    FILE *file = open_to_write(path);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 400\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"780\" height=\"400\" fill=\"white\"/>\n"
            "<text x=\"%g\" y=\"24\" font-size=\"14\">Share of %zu problems solved to %g within a factor of the "
            "fastest solver</text>\n",
            left, board->files.count, tolerance);
    for (int k = 0; k <= 4; k++) {
        double x = left + width * k / decades, y = top + height * (1 - k / 4.0);
        fprintf(file,
                "<path d=\"M%g %gV%gM%g %gH%g\" stroke=\"#ddd\" fill=\"none\"/>\n<text x=\"%g\" y=\"%g\" "
                "text-anchor=\"middle\">%g</text>\n<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%g</text>\n",
                x, top, top + height, left, y, left + width, x, top + height + 18, pow(10, k), left - 8, y + 4,
                k / 4.0);
    }
    fprintf(file, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">time over the best time</text>\n", left + width / 2,
            top + height + 38);
    for (size_t s = 0; s < solvers; s++) {
        double last = share_within(board, s, 1);
        fprintf(file, "<path fill=\"none\" stroke-width=\"%d\" stroke=\"%s\" stroke-dasharray=\"%s\" d=\"M%g %.1f",
                s == 0 ? 3 : 2, color[s % colors], dash[s / 4 % 3], left, top + height * (1 - last));
        for (int k = 1; k <= 160; k++) {
            double share = share_within(board, s, pow(10, decades * k / 160));
            if (share != last || k == 160)
                fprintf(file, "H%.1fV%.1f", left + width * k / 160, top + height * (1 - share));
            last = share;
        }
        double y = top + 10 + 22 * (double)s;
        fprintf(file,
                "\"/>\n<path d=\"M%g %gh30\" stroke-width=\"%d\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n<text "
                "x=\"%g\" y=\"%g\">%s</text>\n",
                left + width + 15, y, s == 0 ? 3 : 2, color[s % colors], dash[s / 4 % 3], left + width + 50, y + 4,
                board->solvers.data[s]);
    }
    fprintf(file, "</svg>\n");
    fclose(file);
}

int main(int argc, char **argv) {
    Board board = {0};
    double tolerance = 1e-6, limit = 10;
    int repeat = 3, most = 200000;
    const char *profiles = NULL, *picture = NULL, *table = NULL;
    char *chosen = NULL;
    for (int k = 1; k < argc; k++) {
        bool more = k + 1 < argc;
        if (!strcmp(argv[k], "--tol") && more)
            tolerance = atof(argv[++k]);
        else if (!strcmp(argv[k], "--limit") && more)
            limit = atof(argv[++k]);
        else if (!strcmp(argv[k], "--repeat") && more)
            repeat = atoi(argv[++k]);
        else if (!strcmp(argv[k], "--max") && more)
            most = atoi(argv[++k]);
        else if (!strcmp(argv[k], "--solvers") && more)
            chosen = argv[++k];
        else if (!strcmp(argv[k], "--peers") && more)
            read_peers(&board, argv[++k]);
        else if (!strcmp(argv[k], "--csv") && more)
            profiles = argv[++k];
        else if (!strcmp(argv[k], "--svg") && more)
            picture = argv[++k];
        else if (!strcmp(argv[k], "--table") && more)
            table = argv[++k];
        else if (argv[k][0] == '-') {
            fprintf(stderr, "usage: scoreboard [--tol T] [--limit S] [--repeat N] [--max SWEEPS] [--solvers a,b] "
                            "[--peers TABLE.md] "
                            "[--csv F] [--svg F] [--table F] FILE_OR_FOLDER...\n");
            return 2;
        } else
            add_path(&board, argv[k]);
    }
    if (!board.files.count) {
        fprintf(stderr, "scoreboard: no problems given\n");
        return 2;
    }
    qsort(board.files.data, board.files.count, sizeof *board.files.data, compare_texts);
    if (chosen) {
        for (char *name = strtok(chosen, ","); name; name = strtok(NULL, ",")) mrn_array_push(&board.solvers, name);
    } else {
        for (size_t k = 0; k < mrn_solver_count(); k++)
            if (strstr(mrn_solver_at(k)->problems, "friction")) mrn_array_push(&board.solvers, mrn_solver_at(k)->name);
    }
    size_t solvers = board.solvers.count;
    board.scores = mrn_alloc_zero(board.files.count * solvers, sizeof *board.scores);
    FILE *csv = table ? fopen(table, "w") : NULL;
    if (csv) fprintf(csv, "problem,dimension,contacts,solver,status,iterations,residual,seconds,peer_seconds\n");
    printf("%-38s %3s %6s  %-18s %-14s %8s %9s %11s %9s %9s\n", "problem", "dim", "conts", "solver", "status", "iter",
           "residual", "seconds", "peer/this", "of first");
    double log_ratio = 0;
    size_t compared = 0, kept = 0;
    for (size_t f = 0; f < board.files.count; f++) {
        MrnProblem *problem;
        double *guess;
        MrnError error = {0};
        if (!mrn_fclib_read(board.files.data[f], &problem, &guess, &error)) {
            fprintf(stderr, "scoreboard: %s\n", error.message);
            continue;
        }
        char name[256];
        base_name(board.files.data[f], name, sizeof name);
        double peer = peer_seconds(&board, name);
        for (size_t s = 0; s < solvers; s++) {
            Score *score = &board.scores[kept * solvers + s];
            *score = run(problem, guess, board.solvers.data[s], tolerance, limit, most, repeat);
            const char *status = isnan(score->residual) ? "not possible" : mrn_solve_status_name(score->status);
            printf("%-38.38s %3d %6zu  %-18s %-14s %8d %9.1e %11.6f", name, problem->dimension, problem->contacts,
                   board.solvers.data[s], status, score->iterations, score->residual, score->seconds);
            if (!isnan(peer))
                printf(" %9.2f", peer / score->seconds);
            else
                printf(" %9s", "-");
            printf(" %9.2f\n", score->seconds / board.scores[kept * solvers].seconds);
            fflush(stdout);
            if (csv)
                fprintf(csv, "%s,%d,%zu,%s,%s,%d,%.3e,%.6e,%.6e\n", name, problem->dimension, problem->contacts,
                        board.solvers.data[s], status, score->iterations, score->residual, score->seconds, peer);
            if (s == 0 && peer > 2e-4 && score->solved) log_ratio += log(peer / score->seconds), compared++;
        }
        kept++;
        mrn_problem_free(problem);
        free(guess);
    }
    for (size_t f = kept; f < board.files.count; f++) free(board.files.data[f]);
    board.files.count = kept;
    printf("\n");
    for (size_t s = 0; s < solvers; s++) {
        size_t solved = 0;
        for (size_t f = 0; f < kept; f++) solved += board.scores[f * solvers + s].solved;
        printf("%-18s solves %zu of %zu to %g\n", board.solvers.data[s], solved, kept, tolerance);
    }
    if (compared)
        printf("geometric mean of peer time over time of %s, on %zu problems where the peer needs more than 0.2 ms: "
               "%.2f\n",
               board.solvers.data[0], compared, exp(log_ratio / (double)compared));
    if (profiles) write_profiles(&board, profiles);
    if (picture) write_picture(&board, picture, tolerance);
    if (csv) fclose(csv);
    return 0;
}
