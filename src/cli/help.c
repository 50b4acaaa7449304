// Help on the terminal, written from the table of commands.
#include "cli/cli.h"

#include <string.h>

enum { WIDTH = 96, COLUMN = 26 };

static void spaces(FILE *out, int count) {
    for (int i = 0; i < count; i++) putc(' ', out);
}

/// Write text wrapped at WIDTH, every line but the first indented; `at` is the column where it starts. Empty lines
/// separate paragraphs.
static void write_wrapped(FILE *out, const char *text, int indent, int at) {
    while (*text) {
        if (*text == '\n') { // only paragraph breaks are written as newlines
            fputs("\n\n", out);
            spaces(out, indent);
            at = indent;
            while (*text == '\n') text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (at > indent && at + length > WIDTH) {
            putc('\n', out);
            spaces(out, indent);
            at = indent;
        }
        fprintf(out, "%.*s", length, text);
        text += length, at += length;
        if (*text == ' ') {
            text++;
            if (at + 1 + (int)strcspn(text, " \n") <= WIDTH)
                putc(' ', out), at++;
            else {
                putc('\n', out);
                spaces(out, indent);
                at = indent;
            }
        }
    }
    putc('\n', out);
}

static void write_option(FILE *out, const MrnOption *option) {
    int at = option->letter ? fprintf(out, "  -%c, --%s", option->letter, option->name)
                            : fprintf(out, "      --%s", option->name);
    if (option->value) at += fprintf(out, " %s", option->value);
    if (at >= COLUMN) {
        putc('\n', out);
        at = 0;
    }
    spaces(out, COLUMN - at);
    write_wrapped(out, option->text, COLUMN, COLUMN);
}

void mrn_help_overview(FILE *out) {
    fputs("moraine computes how many bodies move when they touch, stick, slide and collide.\n\n"
          "Usage: moraine COMMAND [ARGUMENT]... [OPTION]...\n\nCommands:\n",
          out);
    for (size_t i = 0; i < mrn_command_count; i++) {
        const MrnCommand *command = mrn_commands[i];
        int at = fprintf(out, "  %s %s", command->name, command->operands);
        spaces(out, at < COLUMN ? COLUMN - at : 1);
        write_wrapped(out, command->summary, COLUMN, COLUMN);
    }
    fputs("\nOptions of every command:\n", out);
    for (const MrnOption *o = mrn_common_options; o->name; o++) write_option(out, o);
    fputs("\nTry:\n"
          "  moraine new falling-blocks > blocks.yaml\n"
          "  moraine run blocks.yaml\n"
          "Help on a command: moraine COMMAND --help\n",
          out);
}

void mrn_help_command(FILE *out, const MrnCommand *command) {
    fprintf(out, "Usage: moraine %s%s%s [OPTION]...\n\n", command->name, *command->operands ? " " : "",
            command->operands);
    write_wrapped(out, command->description, 0, 0);
    fputs("\nOptions:\n", out);
    if (command->options)
        for (const MrnOption *o = command->options; o->name; o++) write_option(out, o);
    for (const MrnOption *o = mrn_common_options; o->name; o++) write_option(out, o);
    fputs("\nExamples:\n", out);
    for (const MrnExample *e = command->examples; e->line; e++) fprintf(out, "  %s\n      %s\n", e->line, e->text);
}

static json_t *command_json(const MrnCommand *command) {
    json_t *object = json_object(), *options = json_array(), *fields = json_array();
    json_object_set_new(object, "name", json_string(command->name));
    json_object_set_new(object, "operands", json_string(command->operands));
    json_object_set_new(object, "summary", json_string(command->summary));
    if (command->options)
        for (const MrnOption *o = command->options; o->name; o++) {
            json_t *option = json_object();
            json_object_set_new(option, "name", json_string(o->name));
            json_object_set_new(option, "value", o->value ? json_string(o->value) : json_null());
            json_object_set_new(option, "text", json_string(o->text));
            json_array_append_new(options, option);
        }
    for (const MrnJsonField *f = command->fields; f->name; f++) {
        json_t *field = json_object();
        json_object_set_new(field, "name", json_string(f->name));
        json_object_set_new(field, "type", json_string(f->type));
        json_object_set_new(field, "text", json_string(f->text));
        json_array_append_new(fields, field);
    }
    json_object_set_new(object, "options", options);
    json_object_set_new(object, "fields", fields);
    return object;
}

json_t *mrn_help_json(const MrnCommand *command) {
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < mrn_command_count; i++)
        if (!command || command == mrn_commands[i]) json_array_append_new(list, command_json(mrn_commands[i]));
    json_object_set_new(object, "commands", list);
    return object;
}

static int run_help(const MrnArguments *arguments) {
    const MrnCommand *command = NULL;
    if (arguments->operand_count) {
        const char *word = arguments->operands[0];
        command = mrn_command_find(word);
        if (!command)
            return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE, "there is no command '%s' (see moraine --help)", word);
    }
    int forms = mrn_argument_given(arguments, "man") + mrn_argument_given(arguments, "markdown") +
                mrn_argument_given(arguments, "bash-completion") + (command != NULL);
    if (forms > 1)
        return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                            "help takes one of COMMAND, --man, --markdown and --bash-completion");
    if (arguments->json)
        mrn_cli_print_json(mrn_help_json(command));
    else if (mrn_argument_given(arguments, "man"))
        mrn_manual_page(stdout);
    else if (mrn_argument_given(arguments, "markdown"))
        mrn_manual_markdown(stdout);
    else if (mrn_argument_given(arguments, "bash-completion"))
        mrn_manual_bash_completion(stdout);
    else if (command)
        mrn_help_command(stdout, command);
    else
        mrn_help_overview(stdout);
    return MRN_EXIT_DONE;
}

const MrnCommand mrn_command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .operand_kind = MRN_VALUE_COMMAND,
    .operands_max = 1,
    .summary = "print help on a command, or the whole manual",
    .description =
        "Prints the list of commands, or help on one of them. The manual page, docs/cli.md and completion for bash are "
        "written from the same table and can be printed too.",
    .options =
        (const MrnOption[]){
            {"man", 0, NULL, MRN_VALUE_NONE, "print the manual page in troff"},
            {"markdown", 0, NULL, MRN_VALUE_NONE, "print the manual as Markdown: docs/cli.md"},
            {"bash-completion", 0, NULL, MRN_VALUE_NONE, "print completion for bash, to be sourced"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"commands[].name", "string", "name of the command"},
            {"commands[].operands", "string", "what it takes besides options"},
            {"commands[].summary", "string", "what it does, in one line"},
            {"commands[].options[].name", "string", "long name of an option, without dashes"},
            {"commands[].options[].value", "string or null", "its value, null for a flag"},
            {"commands[].options[].text", "string", "what it does"},
            {"commands[].fields[].name", "string", "a field of its JSON object, named as here"},
            {"commands[].fields[].type", "string", "its type, and its unit"},
            {"commands[].fields[].text", "string", "what it says"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine help run", "help on one command"},
            {"moraine help --man | man -l -", "the manual page without installing it"},
            {"source <(moraine help --bash-completion)", "completion in this shell"},
            {NULL, NULL},
        },
    .run = run_help,
};
