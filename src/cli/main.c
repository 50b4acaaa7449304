// moraine: one command line for the whole library.
#include "cli/cli.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help_or_version(const MrnArguments *arguments) {
    if (mrn_argument_given(arguments, "version")) return mrn_version(arguments->json);
    if (arguments->json)
        mrn_cli_print_json(mrn_help_json(arguments->command));
    else if (arguments->command)
        mrn_help_command(stdout, arguments->command);
    else
        mrn_help_overview(stdout);
    return MRN_EXIT_DONE;
}

/// The gallery of an installed command lies beside it, wherever the whole was moved to: bin/moraine,
/// share/moraine/gallery.
static void find_gallery(void) {
    char path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    if (length <= 0 || getenv("MORAINE_GALLERY")) return;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash) return;
    strcpy(slash, "/../share/moraine/gallery");
    if (access(path, R_OK) == 0) setenv("MORAINE_GALLERY", path, 1);
}

int main(int argc, char **argv) {
    setlocale(LC_NUMERIC, "C"); // numbers are read and written with a decimal point everywhere
    find_gallery();
    MrnArguments arguments;
    int exit_code;
    if (mrn_arguments_read(&arguments, argc, argv, &exit_code)) {
        if (mrn_argument_given(&arguments, "help") || mrn_argument_given(&arguments, "version"))
            exit_code = help_or_version(&arguments);
        else
            exit_code = arguments.command->run(&arguments);
    }
    mrn_arguments_free(&arguments);
    return mrn_cli_finish(exit_code);
}
