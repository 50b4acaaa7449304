// The command `moraine`: what its sub-commands share.
//
// A sub-command is one file with one row of type MrnCommand; commands.c lists the rows. Help, the manual page,
// docs/cli.md and shell completion are all written from these rows, so none of them can disagree with what the command
// accepts.
#ifndef MRN_CLI_CLI_H
#define MRN_CLI_CLI_H

#include <jansson.h>
#include <moraine/moraine.h>
#include <stdio.h>

/// Exit codes.
enum {
    MRN_EXIT_DONE = 0,
    MRN_EXIT_CANNOT = 1,   ///< bad input, no such file
    MRN_EXIT_USAGE = 2,    ///< wrong usage
    MRN_EXIT_UNSOLVED = 3, ///< ran, but some step did not converge or a verification failed
};

/// What the value of an option, or an operand, must look like.
typedef enum MrnValueKind {
    MRN_VALUE_NONE,       ///< a flag
    MRN_VALUE_TEXT,       ///< anything
    MRN_VALUE_FILE,       ///< a path
    MRN_VALUE_RUN,        ///< a run file
    MRN_VALUE_SCENE,      ///< a scene file or gallery:NAME
    MRN_VALUE_PROBLEM,    ///< an FCLIB problem
    MRN_VALUE_STARTER,    ///< name of a starter scene
    MRN_VALUE_SOLVER,     ///< name of a solver
    MRN_VALUE_COMMAND,    ///< name of a sub-command
    MRN_VALUE_PLOT,       ///< what moraine plot can draw
    MRN_VALUE_COLOR,      ///< what the colour of a body can say
    MRN_VALUE_FORCES,     ///< how contact forces can be drawn
    MRN_VALUE_ASSIGNMENT, ///< path=value
    MRN_VALUE_POSITIVE,   ///< a number > 0
    MRN_VALUE_TIME,       ///< a time >= 0 in seconds, or with a unit of time
    MRN_VALUE_COUNT,      ///< a whole number >= 1
    MRN_VALUE_THREADS     ///< a whole number from 1 to 1024
} MrnValueKind;

typedef struct MrnOption {
    const char *name;  ///< long form, without dashes
    char letter;       ///< short form or 0
    const char *value; ///< how help names the value; NULL for a flag
    MrnValueKind kind;
    const char *text; ///< one sentence without the full stop
} MrnOption;

/// A field of the JSON object that a command prints. Nested fields are written with a dot, entries of a list with [].
typedef struct MrnJsonField {
    const char *name, *type, *text;
} MrnJsonField;

typedef struct MrnExample {
    const char *line, *text;
} MrnExample;

struct MrnArguments;

/// One row of the table of commands. Lists end with an entry whose first field is NULL.
typedef struct MrnCommand {
    const char *name;
    const char *operands; ///< as in the usage line: "SCENE", "[KIND]", or ""
    MrnValueKind operand_kind;
    int operands_min;
    int operands_max;         ///< -1: any number
    const char *summary;      ///< one line
    const char *description;  ///< paragraphs, separated by an empty line
    const MrnOption *options; ///< besides those that every command takes; may be NULL
    const MrnJsonField *fields;
    const MrnExample *examples;
    int (*run)(const struct MrnArguments *arguments);
} MrnCommand;

/// commands.c: the table, in the order of help.
extern const MrnCommand *const mrn_commands[];
extern const size_t mrn_command_count;
extern const MrnOption mrn_common_options[]; ///< that every command takes
const MrnCommand *mrn_command_find(const char *name);

/// What the user typed after the name of the command.
typedef struct MrnArguments {
    const MrnCommand *command;
    size_t operand_count;
    const char **operands;
    size_t given_count;
    struct MrnGiven {
        const MrnOption *option;
        const char *value;
    } * given;  ///< options in the order given
    bool json;  ///< --json
    bool quiet; ///< --quiet
} MrnArguments;

/// arguments.c
/// Read the command line. Returns false after saying what is wrong, with the exit code in *exit_code.
bool mrn_arguments_read(MrnArguments *arguments, int argc, char **argv, int *exit_code);
void mrn_arguments_free(MrnArguments *arguments);
bool mrn_argument_given(const MrnArguments *arguments, const char *option);
/// Value of an option (the last one given), or `fallback`.
const char *mrn_argument_text(const MrnArguments *arguments, const char *option, const char *fallback);
double mrn_argument_number(const MrnArguments *arguments, const char *option, double fallback);
/// All values of an option that may be repeated, in order; free() the array.
const char **mrn_argument_all(const MrnArguments *arguments, const char *option, size_t *count);

/// output.c
/// Say on standard error what went wrong, and as {"error": ...} on standard output when JSON is wanted. Returns
/// `exit_code`.
int mrn_cli_fail(bool json, int exit_code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int mrn_cli_error(const MrnArguments *arguments,
                  const MrnError *error); ///< the same for a library error; MRN_EXIT_CANNOT
void mrn_cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Print the one JSON object of this command and release it.
void mrn_cli_print_json(json_t *object);
json_t *mrn_json_number(double value);                 ///< null when it is not finite, which JSON cannot say
json_t *mrn_json_hash(uint64_t hash);                  ///< 16 hexadecimal digits
json_t *mrn_json_text(const char *text);               ///< invalid UTF-8 is replaced by '?'; NULL gives null
int mrn_cli_finish(int exit_code);                     ///< flush; a full disk or closed pipe turns success into failure
void mrn_cli_shell_quote(FILE *out, const char *word); ///< print a word so that a shell reads it back
/// Open `path` for writing a text file that must not be there yet unless `force`; NULL after mrn_cli_fail.
FILE *mrn_cli_create(const MrnArguments *arguments, const char *path, bool force);

/// help.c, manual.c
void mrn_help_overview(FILE *out);
void mrn_help_command(FILE *out, const MrnCommand *command);
json_t *mrn_help_json(const MrnCommand *command); ///< of one command, or of all when NULL
void mrn_manual_page(FILE *out);
void mrn_manual_markdown(FILE *out);
void mrn_manual_bash_completion(FILE *out);
/// Longer text that help does not print: title and paragraphs, for the manual page and docs/cli.md.
typedef struct MrnManualSection {
    const char *title, *text;
} MrnManualSection;

/// version.c
int mrn_version(bool json);

/// One row per file of a starter scene in starters/, made by cmake/embed.cmake. Ends with name NULL.
typedef struct MrnStarter {
    const char *name, *text;
} MrnStarter;
extern const MrnStarter mrn_starters[];

#endif
