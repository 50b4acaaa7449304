// moraine solve: one FCLIB problem, solved alone.
#include "cli/input.h"

#include "base/memory.h"
#include "problem/fclib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// All --option values as the library wants them: "a=1,b=2". free() it.
static char *join_options(const MrnArguments *arguments) {
    size_t count, length = 1;
    const char **values = mrn_argument_all(arguments, "option", &count);
    for (size_t i = 0; i < count; i++) length += strlen(values[i]) + 1;
    char *text = mrn_alloc(length, 1);
    *text = 0;
    for (size_t i = 0; i < count; i++) {
        if (i) strcat(text, ",");
        strcat(text, values[i]);
    }
    free(values);
    return text;
}

static json_t *solve_json(const MrnSolverSettings *settings, const MrnProblem *problem, const MrnSolveInfo *info,
                          const char *output) {
    json_t *object = json_object();
    json_object_set_new(object, "solver", mrn_json_text(settings->solver));
    json_object_set_new(object, "method", mrn_json_text(info->method));
    json_object_set_new(object, "status", mrn_json_text(mrn_solve_status_name(info->status)));
    json_object_set_new(object, "iterations", json_integer(info->iterations));
    json_object_set_new(object, "residual", mrn_json_number(info->residual));
    json_object_set_new(object, "scaled_residual", mrn_json_number(info->scaled_residual));
    json_object_set_new(object, "cone_violation", mrn_json_number(info->cone_violation));
    json_object_set_new(object, "tolerance", mrn_json_number(settings->tolerance));
    json_object_set_new(object, "seconds", mrn_json_number(info->seconds));
    json_object_set_new(object, "contacts", json_integer((json_int_t)problem->contacts));
    json_object_set_new(object, "dimension", json_integer(problem->dimension));
    json_object_set_new(object, "output", mrn_json_text(output));
    return object;
}

static int report(const MrnArguments *arguments, const MrnSolverSettings *settings, const MrnProblem *problem,
                  const MrnSolveInfo *info, const char *output) {
    if (arguments->json)
        mrn_cli_print_json(solve_json(settings, problem, info, output));
    else if (!arguments->quiet) {
        printf("%s: %s after %d iterations in %.3g s\n", arguments->operands[0], mrn_solve_status_name(info->status),
               info->iterations, info->seconds);
        bool named = strncmp(info->method, settings->solver, strlen(settings->solver)) == 0;
        printf("  solver       %s%s%s\n", named ? "" : settings->solver, named ? "" : ": ", info->method);
        printf("  contacts     %zu in %dD\n", problem->contacts, problem->dimension);
        printf("  residual     %.3e, scaled %.3e, tolerance %.1e\n", info->residual, info->scaled_residual,
               settings->tolerance);
        printf("  cone         violated by %.1e of the largest impulse\n", info->cone_violation);
        if (output) printf("written to %s\n", output);
    }
    if (info->status == MRN_SOLVED) return MRN_EXIT_DONE;
    if (info->status == MRN_BAD_PROBLEM)
        mrn_cli_warn("%s: bad problem: %s", arguments->operands[0], info->method);
    else if (arguments->quiet || arguments->json)
        mrn_cli_warn("%s: %s, scaled residual %.3e", arguments->operands[0], mrn_solve_status_name(info->status),
                     info->scaled_residual);
    return MRN_EXIT_UNSOLVED;
}

static int solve_problem(const MrnArguments *arguments, MrnProblem *problem, double *impulse) {
    char *options = join_options(arguments);
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = mrn_argument_text(arguments, "solver", settings.solver);
    settings.tolerance = mrn_argument_number(arguments, "tol", settings.tolerance);
    settings.max_iterations = (int)mrn_argument_number(arguments, "max-iterations", settings.max_iterations);
    settings.time_limit = mrn_argument_number(arguments, "time-limit", settings.time_limit);
    settings.options = *options ? options : NULL;
    const char *output = mrn_argument_text(arguments, "output", NULL);
    size_t length = problem->contacts * (size_t)problem->dimension;
    if (mrn_argument_given(arguments, "cold")) memset(impulse, 0, length * sizeof *impulse);
    double *velocity = mrn_alloc_zero(length + 1, sizeof *velocity);
    MrnSolveInfo info = {0};
    MrnError error = {0};
    int exit_code;
    if (!mrn_cli_check_solver(&settings, &error) || !mrn_solve(problem, &settings, impulse, velocity, &info, &error) ||
        (output && !mrn_fclib_write_solution(output, problem, impulse, velocity, &error)))
        exit_code = mrn_cli_error(arguments, &error);
    else
        exit_code = report(arguments, &settings, problem, &info, output);
    free(velocity);
    free(options);
    return exit_code;
}

static int run_solve(const MrnArguments *arguments) {
    const char *path = arguments->operands[0];
    switch (mrn_file_kind(path)) {
    case MRN_FILE_MISSING: return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    case MRN_FILE_RUN:
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s is a run file, not an FCLIB problem", path);
    case MRN_FILE_OTHER:
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s is not an FCLIB problem: it is not an HDF5 file",
                            path);
    default: break;
    }
    const char *output = mrn_argument_text(arguments, "output", NULL);
    MrnFileKind there = output ? mrn_file_kind(output) : MRN_FILE_MISSING;
    if (there == MRN_FILE_OTHER || there == MRN_FILE_RUN || there == MRN_FILE_HDF5)
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT,
                            "%s exists and is not an FCLIB file; choose another with --output", output);
    MrnProblem *problem = NULL;
    double *impulse = NULL;
    MrnError error = {0};
    if (!mrn_fclib_read(path, &problem, &impulse, &error)) return mrn_cli_error(arguments, &error);
    int exit_code = solve_problem(arguments, problem, impulse);
    free(impulse);
    mrn_problem_free(problem);
    return exit_code;
}

const MrnCommand mrn_command_solve = {
    .name = "solve",
    .operands = "PROBLEM",
    .operand_kind = MRN_VALUE_PROBLEM,
    .operands_min = 1,
    .operands_max = 1,
    .summary = "solve one FCLIB problem and certify the solution",
    .description = "Reads a frictional contact problem in the FCLIB format (HDF5; local or global form, 2D or 3D), "
                   "solves it from the guess in the "
                   "file or from zero, and prints how well: the residual |p - P_K(p - u^)| / |q| that Siconos reports, "
                   "and the same with "
                   "impulses scaled by the mean diagonal of W, which the tolerance is about.",
    .options =
        (const MrnOption[]){
            {"solver", 's', "NAME", MRN_VALUE_SOLVER, "a solver that moraine solvers lists"},
            {"tol", 0, "T", MRN_VALUE_POSITIVE, "stop below this scaled residual, default 1e-6"},
            {"max-iterations", 0, "N", MRN_VALUE_COUNT, "give up after this many iterations, default 10000"},
            {"time-limit", 0, "TIME", MRN_VALUE_TIME,
             "give up after this wall time, in seconds or with a unit; default none"},
            {"option", 0, "NAME=VALUE", MRN_VALUE_ASSIGNMENT, "an option of the solver; may be repeated"},
            {"cold", 0, NULL, MRN_VALUE_NONE, "start from zero also where the file has a guess"},
            {"output", 'o', "SOLUTION", MRN_VALUE_FILE,
             "FCLIB file to write the solution to; a new file gets the problem too"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"solver", "string", "solver that was asked for"},
            {"method", "string", "what it did, where it chooses"},
            {"status", "string", "solved, stalled, max iterations, time limit, infeasible or bad problem"},
            {"iterations", "integer", "sweeps or iterations"},
            {"residual", "number", "|p - P_K(p - u^)| / |q|"},
            {"scaled_residual", "number", "the same with scaled impulses: what the tolerance is about"},
            {"cone_violation", "number", "worst violation of the friction cone over the largest impulse"},
            {"tolerance", "number", "that was asked for"},
            {"seconds", "number, s", "wall time of the solve"},
            {"contacts", "integer", "contacts of the problem"},
            {"dimension", "integer", "2 or 3"},
            {"output", "string or null", "file that was written"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine solve Capsules-i100-1090.hdf5", "with the default solver"},
            {"moraine solve step.hdf5 --tol 1e-8 --time-limit 30 -o solved.hdf5",
             "half a minute at most, and keep the solution"},
            {NULL, NULL},
        },
    .run = run_solve,
};
