// Reading the command line: GNU-style options anywhere, checked against the row of the command.
#include "cli/cli.h"

#include "base/memory.h"
#include "io/scene_yaml.h"
#include "io/units.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const MrnOption no_options[] = {{NULL, 0, NULL, MRN_VALUE_NONE, NULL}};

/// Options of a command, its own first, then the common ones. Returns how many; `list` may be NULL.
static size_t collect_options(const MrnCommand *command, const MrnOption **list) {
    size_t count = 0;
    const MrnOption *own = command && command->options ? command->options : no_options;
    for (const MrnOption *o = own; o->name; o++, count++)
        if (list) list[count] = o;
    for (const MrnOption *o = mrn_common_options; o->name; o++, count++)
        if (list) list[count] = o;
    return count;
}

/// --json must be obeyed even when the rest of the line is wrong.
static bool wants_json(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0) return true;
    return false;
}

static int usage_error(const MrnArguments *arguments, const char *text) {
    if (arguments->command)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "%s (see moraine %s --help)", text,
                            arguments->command->name);
    return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "%s (see moraine --help)", text);
}

static int usage_errorf(const MrnArguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int usage_errorf(const MrnArguments *arguments, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = mrn_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    int code = usage_error(arguments, text);
    free(text);
    return code;
}

/// The number that a value of this kind stands for; NAN if it is none.
static double read_number(MrnValueKind kind, const char *text) {
    char *end;
    if (kind == MRN_VALUE_TIME) { // seconds, or with a unit of time
        char reason[200];
        MrnQuantity quantity;
        if (!mrn_quantity_parse(text, &quantity, reason, sizeof reason)) return NAN;
        bool known = mrn_dimension_equal(quantity.dimension, mrn_dimension_of(MRN_DIMENSION_NUMBER)) ||
                     mrn_dimension_equal(quantity.dimension, mrn_dimension_of(MRN_DIMENSION_TIME));
        return known ? quantity.value : NAN;
    }
    double number = strtod(text, &end);
    return end != text && !*end ? number : NAN;
}

/// NULL when the value is what the option wants, otherwise what it wants.
static const char *wanted_instead(MrnValueKind kind, const char *value) {
    double number = kind >= MRN_VALUE_POSITIVE ? read_number(kind, value) : 0;
    switch (kind) {
    case MRN_VALUE_NONE:
    case MRN_VALUE_TEXT: return NULL;
    case MRN_VALUE_ASSIGNMENT: {
        const char *equal = strchr(value, '=');
        return equal && equal > value ? NULL : "path=value, for example solver.tolerance=1e-8";
    }
    case MRN_VALUE_POSITIVE: return isfinite(number) && number > 0 ? NULL : "a number > 0";
    case MRN_VALUE_TIME: return isfinite(number) && number >= 0 ? NULL : "a time >= 0, for example 2.5 or 500 ms";
    case MRN_VALUE_COUNT:
        return number >= 1 && number <= INT_MAX && number == floor(number) ? NULL : "a whole number >= 1";
    case MRN_VALUE_THREADS:
        return number >= 1 && number <= 1024 && number == floor(number) ? NULL : "a whole number from 1 to 1024";
    default: return *value ? NULL : "a name";
    }
}

static void add_given(MrnArguments *arguments, const MrnOption *option, const char *value) {
    arguments->given = mrn_realloc(arguments->given, arguments->given_count + 1, sizeof *arguments->given);
    arguments->given[arguments->given_count].option = option;
    arguments->given[arguments->given_count++].value = value;
}

static void add_operand(MrnArguments *arguments, const char *operand) {
    arguments->operands = mrn_realloc(arguments->operands, arguments->operand_count + 1, sizeof *arguments->operands);
    arguments->operands[arguments->operand_count++] = operand;
}

/// Find the command: the first word that is not an option. Options before it must be common ones, which take no value.
static int find_command(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' || !argv[i][1]) return i;
    return 0;
}

static int unknown_command(const MrnArguments *arguments, const char *word) {
    const char **names = mrn_alloc(mrn_command_count, sizeof *names);
    for (size_t i = 0; i < mrn_command_count; i++) names[i] = mrn_commands[i]->name;
    const char *near = mrn_nearest_word(word, names, mrn_command_count);
    free(names);
    if (near) return usage_errorf(arguments, "there is no command '%s'; did you mean '%s'?", word, near);
    return usage_errorf(arguments, "there is no command '%s'", word);
}

/// Say what is wrong with the option word that getopt_long refused.
static int unknown_option(const MrnArguments *arguments, const char *word, int letter, const MrnOption **options,
                          size_t count) {
    if (letter && strncmp(word, "--", 2) != 0) return usage_errorf(arguments, "there is no option -%c", letter);
    const char *name = word + (word[0] == '-') + (word[0] && word[1] == '-');
    size_t length = strcspn(name, "="), matches = 0;
    char *typed = mrn_strdup(name);
    typed[length] = 0;
    const char **names = mrn_alloc(count, sizeof *names);
    const MrnOption *exact = NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = options[i]->name;
        if (strcmp(typed, names[i]) == 0) exact = options[i];
        matches += length > 0 && strncmp(typed, names[i], length) == 0;
    }
    const char *near = mrn_nearest_word(typed, names, count);
    int code;
    if (letter && exact)
        code = usage_errorf(arguments, "option --%s takes no value", typed);
    else if (matches > 1)
        code = usage_errorf(arguments, "option --%s could be several options", typed);
    else if (near)
        code = usage_errorf(arguments, "there is no option --%s; did you mean --%s?", typed, near);
    else
        code = usage_errorf(arguments, "there is no option --%s", typed);
    free(names);
    free(typed);
    return code;
}

/// Read options and operands after the command name with getopt_long. Returns -1 when all is well, otherwise an exit
/// code.
static int read_words(MrnArguments *arguments, int argc, char **argv, const MrnOption **options, size_t count) {
    struct option *longs = mrn_alloc_zero(count + 1, sizeof *longs);
    char *shorts = mrn_alloc(2 * count + 3, 1), *end = shorts;
    *end++ = '-'; // operands come back in order, also where POSIXLY_CORRECT is set
    *end++ = ':'; // tell a missing value from an unknown option
    for (size_t i = 0; i < count; i++) {
        int has_value = options[i]->value ? required_argument : no_argument;
        longs[i] = (struct option){options[i]->name, has_value, NULL, 256 + (int)i};
        if (options[i]->letter) {
            *end++ = options[i]->letter;
            if (has_value) *end++ = ':';
        }
    }
    *end = 0;
    int code = -1, found;
    opterr = 0;
    optind = 0; // start afresh, as GNU getopt wants it
    for (;;) {
        int word = optind ? optind : 1; // the word looked at next, for messages
        found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1 || code >= 0) break;
        if (found == 1) {
            add_operand(arguments, optarg);
            continue;
        }
        if (found == '?') {
            code = unknown_option(arguments, argv[word < argc ? word : argc - 1], optopt, options, count);
            continue;
        }
        if (found == ':') {
            for (size_t i = 0; i < count; i++)
                if (optopt == 256 + (int)i || (options[i]->letter && optopt == options[i]->letter))
                    code =
                        usage_errorf(arguments, "option --%s wants a value: %s", options[i]->name, options[i]->value);
            if (code < 0) code = usage_error(arguments, "an option wants a value");
            continue;
        }
        const MrnOption *option = NULL;
        if (found >= 256)
            option = options[found - 256];
        else
            for (size_t i = 0; i < count && !option; i++)
                if (options[i]->letter == found) option = options[i];
        const char *wanted = option->value ? wanted_instead(option->kind, optarg) : NULL;
        if (wanted)
            code = usage_errorf(arguments, "option --%s wants %s, not '%s'", option->name, wanted, optarg);
        else
            add_given(arguments, option, optarg);
    }
    if (code < 0)
        for (int i = optind; i < argc; i++) add_operand(arguments, argv[i]);
    free(longs);
    free(shorts);
    return code;
}

bool mrn_arguments_read(MrnArguments *arguments, int argc, char **argv, int *exit_code) {
    *arguments = (MrnArguments){.json = wants_json(argc, argv)};
    int at = find_command(argc, argv);
    bool dashes = at && strcmp(argv[at - 1], "--") == 0; // "moraine -- run": the dashes end options that do not exist
    if (at) {
        arguments->command = mrn_command_find(argv[at]);
        if (!arguments->command) return *exit_code = unknown_command(arguments, argv[at]), false;
    }
    // Without a command only --help and --version make sense; with one, its name is dropped from the words.
    char **words = mrn_alloc((size_t)argc + 1, sizeof *words);
    int count = 0;
    for (int i = 0; i < argc; i++)
        if ((!at || i != at) && !(dashes && i == at - 1)) words[count++] = argv[i];
    words[count] = NULL;

    size_t option_count = collect_options(arguments->command, NULL);
    const MrnOption **options = mrn_alloc(option_count, sizeof *options);
    collect_options(arguments->command, options);
    *exit_code = read_words(arguments, count, words, options, option_count);
    free(options);
    free(words);
    if (*exit_code >= 0) return false;
    arguments->json = mrn_argument_given(arguments, "json");
    arguments->quiet = mrn_argument_given(arguments, "quiet");

    if (mrn_argument_given(arguments, "help") || mrn_argument_given(arguments, "version")) return true;
    if (!arguments->command) {
        if (arguments->json) return *exit_code = usage_error(arguments, "which command?"), false;
        mrn_help_overview(stderr);
        return *exit_code = MRN_EXIT_USAGE, false;
    }
    const MrnCommand *command = arguments->command;
    if ((int)arguments->operand_count < command->operands_min) {
        *exit_code = usage_errorf(arguments, "%s wants %s", command->name, command->operands);
        return false;
    }
    if (command->operands_max >= 0 && (int)arguments->operand_count > command->operands_max) {
        const char *extra = arguments->operands[command->operands_max];
        *exit_code = command->operands_max == 0 ? usage_errorf(arguments, "%s takes no '%s'", command->name, extra)
                                                : usage_errorf(arguments, "%s takes %s; '%s' is too much",
                                                               command->name, command->operands, extra);
        return false;
    }
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (!*arguments->operands[i])
            return *exit_code = usage_errorf(arguments, "%s: an empty name", command->name), false;
    return true;
}

void mrn_arguments_free(MrnArguments *arguments) {
    free(arguments->operands);
    free(arguments->given);
    *arguments = (MrnArguments){0};
}

bool mrn_argument_given(const MrnArguments *arguments, const char *option) {
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, option) == 0) return true;
    return false;
}

const char *mrn_argument_text(const MrnArguments *arguments, const char *option, const char *fallback) {
    for (size_t i = arguments->given_count; i-- > 0;)
        if (strcmp(arguments->given[i].option->name, option) == 0) return arguments->given[i].value;
    return fallback;
}

double mrn_argument_number(const MrnArguments *arguments, const char *option, double fallback) {
    for (size_t i = arguments->given_count; i-- > 0;)
        if (strcmp(arguments->given[i].option->name, option) == 0)
            return read_number(arguments->given[i].option->kind, arguments->given[i].value);
    return fallback;
}

const char **mrn_argument_all(const MrnArguments *arguments, const char *option, size_t *count) {
    const char **values = mrn_alloc(arguments->given_count + 1, sizeof *values);
    *count = 0;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, option) == 0) values[(*count)++] = arguments->given[i].value;
    return values;
}
