// moraine: one command line for the whole library.
#include "cli/cli.h"

#include <locale.h>

static int help_or_version(const MrnArguments *arguments) {
    if (mrn_argument_given(arguments, "version")) return mrn_version(arguments->json);
    if (arguments->json) mrn_cli_print_json(mrn_help_json(arguments->command));
    else if (arguments->command) mrn_help_command(stdout, arguments->command);
    else mrn_help_overview(stdout);
    return MRN_EXIT_DONE;
}

int main(int argc, char **argv) {
    setlocale(LC_NUMERIC, "C"); // numbers are read and written with a decimal point everywhere
    MrnArguments arguments;
    int exit_code;
    if (mrn_arguments_read(&arguments, argc, argv, &exit_code)) {
        if (mrn_argument_given(&arguments, "help") || mrn_argument_given(&arguments, "version"))
            exit_code = help_or_version(&arguments);
        else exit_code = arguments.command->run(&arguments);
    }
    mrn_arguments_free(&arguments);
    return mrn_cli_finish(exit_code);
}
