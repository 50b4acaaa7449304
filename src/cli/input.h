// Telling files apart and reading them, for commands that take more than one kind.
#ifndef MRN_CLI_INPUT_H
#define MRN_CLI_INPUT_H

#include "cli/cli.h"

typedef enum MrnFileKind {
    MRN_FILE_MISSING, ///< not there or not readable: errno says why
    MRN_FILE_RUN,     ///< HDF5 with a run
    MRN_FILE_PROBLEM, ///< HDF5 with an FCLIB problem
    MRN_FILE_HDF5,    ///< another or a damaged HDF5 file
    MRN_FILE_OTHER    ///< perhaps a scene
} MrnFileKind;

MrnFileKind mrn_file_kind(const char *path);
/// Has a file something in it, and no byte 0 in its first kilobytes?
bool mrn_file_is_text(const char *path);

/// False with an error if the solver does not exist or does not know an option that it is given.
bool mrn_cli_check_solver(const MrnSolverSettings *settings, MrnError *error);

/// The scene that the first operand names, with all --set and --threads: a path, gallery:NAME, or - for standard input.
/// NULL after an error has been reported and its exit code left in *exit_code.
MrnScene *mrn_cli_read_scene(const MrnArguments *arguments, int *exit_code);

#endif
