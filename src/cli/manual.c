// The manual in its longer forms, written from the table of commands: the manual page, docs/cli.md, and completion for
// bash.
#include "cli/cli.h"

#include "draw/draw.h"

#include <ctype.h>
#include <string.h>

/// What no single command owns.
static const MrnManualSection sections[] = {
    {"Exit status", "0: done.\n\n"
                    "1: cannot be done: bad input, no such file, a disk that is full.\n\n"
                    "2: wrong usage; the message names the word that is wrong.\n\n"
                    "3: ran, but some step did not reach the tolerance of the solver, or a verification failed.\n\n"
                    "A run that a signal stopped ends by that signal: the shell sees 128 and its number, 130 for "
                    "SIGINT and 143 for SIGTERM."},
    {"Output", "Results go to standard output, everything else to standard error. Every message about something wrong "
               "begins with 'moraine:'. "
               "With --json exactly one JSON object is printed on standard output and nothing else, also when the "
               "command fails: then the "
               "object has one field, error, with the message. A number that is not finite is null.\n\n"
               "On a terminal, progress is one line that is written over: share of the simulated time done, simulated "
               "time, steps per "
               "second, then contacts, sweeps and residual of the last step, and the time left. Elsewhere a line is "
               "printed every five "
               "seconds. --quiet leaves it out."},
    {"Signals", "SIGINT (Ctrl-C), SIGTERM and SIGHUP let the step under way end, write a checkpoint, and say how to go "
                "on. The same signal "
                "once more kills at once; the run file then still resumes from its last checkpoint."},
    {"Environment", "MORAINE_GALLERY: folder of the gallery, looked at before the one that was installed or built with "
                    "the command.\n\n"
                    "TERM: where it is dumb or not set, progress is printed in plain lines."},
    {"Options", "Options may stand anywhere after the command, in the forms --name VALUE, --name=VALUE, -n VALUE and "
                "-nVALUE, and may be "
                "shortened as long as they stay unique. Where an option is given twice the last one counts, except "
                "--set, which adds up. A "
                "word -- ends the options: what follows is taken as it stands."},
};
static const size_t section_count = sizeof sections / sizeof *sections;

/// Call `write` on each paragraph of a text.
static void for_paragraphs(FILE *out, const char *text, void (*write)(FILE *, const char *, int)) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        int length = end ? (int)(end - text) : (int)strlen(text);
        write(out, text, length);
        text += length;
        while (*text == '\n') text++;
    }
}

// ---- manual page ----

static void write_roff(FILE *out, const char *text, int length) {
    for (int i = 0; i < length && text[i]; i++) {
        if (i == 0 && (text[i] == '.' || text[i] == '\'')) fputs("\\&", out);
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\'')
            fputs("\\(aq", out);
        else if (text[i] == '^')
            fputs("\\(ha", out);
        else if (text[i] == '~')
            fputs("\\(ti", out);
        else
            putc(text[i], out);
    }
}

static void roff(FILE *out, const char *text) {
    write_roff(out, text, (int)strlen(text));
}

static void roff_paragraph(FILE *out, const char *text, int length) {
    fputs(".PP\n", out);
    write_roff(out, text, length);
    putc('\n', out);
}

static void roff_heading(FILE *out, const char *title) {
    fputs(".SH ", out);
    for (; *title; title++) putc(toupper((unsigned char)*title), out);
    putc('\n', out);
}

static void roff_options(FILE *out, const MrnOption *options) {
    for (const MrnOption *o = options; o && o->name; o++) {
        fputs(".TP\n", out);
        if (o->letter) fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", out);
        roff(out, o->name);
        fputs("\\fR", out);
        if (o->value) fprintf(out, " \\fI%s\\fR", o->value);
        putc('\n', out);
        roff(out, o->text);
        fputs(".\n", out);
    }
}

void mrn_manual_page(FILE *out) {
    fprintf(out, ".TH MORAINE 1 \"\" \"moraine %s\" \"User Commands\"\n", MORAINE_VERSION);
    fputs(".SH NAME\nmoraine \\- nonsmooth contact dynamics of many bodies\n", out);
    fputs(".SH SYNOPSIS\n.B moraine\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n", out);
    fputs(".SH DESCRIPTION\nComputes how many bodies move when they touch, stick, slide and collide: grains, blocks, "
          "masonry. A "
          "contact is never softened, dry friction really sticks, and every step says how exactly its equations were "
          "solved.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < mrn_command_count; i++) {
        const MrnCommand *command = mrn_commands[i];
        fprintf(out, ".SS moraine %s %s\n", command->name, command->operands);
        for_paragraphs(out, command->description, roff_paragraph);
        roff_options(out, command->options);
        fputs(".PP\nExamples:\n", out);
        for (const MrnExample *e = command->examples; e->line; e++) {
            fputs(".PP\n.nf\n.RS\n", out);
            roff(out, e->line);
            fputs("\n.RE\n.fi\n.RS\n", out);
            roff(out, e->text);
            fputs("\n.RE\n", out);
        }
    }
    roff_heading(out, "Options of every command");
    roff_options(out, mrn_common_options);
    for (size_t i = 0; i < section_count; i++) {
        roff_heading(out, sections[i].title);
        for_paragraphs(out, sections[i].text, roff_paragraph);
    }
}

// ---- Markdown ----

static void markdown_paragraph(FILE *out, const char *text, int length) {
    fprintf(out, "%.*s\n\n", length, text);
}

static void markdown_cell(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            fputs("\\|", out);
        else
            putc(*text, out);
    }
}

static void markdown_options(FILE *out, const MrnOption *options) {
    fputs("| option | |\n|---|---|\n", out);
    for (const MrnOption *o = options; o->name; o++) {
        fputs("| ", out);
        if (o->letter) fprintf(out, "`-%c`, ", o->letter);
        fprintf(out, "`--%s%s%s` | ", o->name, o->value ? " " : "", o->value ? o->value : "");
        markdown_cell(out, o->text);
        fputs(" |\n", out);
    }
    putc('\n', out);
}

static void markdown_command(FILE *out, const MrnCommand *command) {
    fprintf(out, "## moraine %s\n\n    moraine %s%s%s [OPTION]...\n\n", command->name, command->name,
            *command->operands ? " " : "", command->operands);
    for_paragraphs(out, command->description, markdown_paragraph);
    if (command->options) markdown_options(out, command->options);
    fputs("Examples:\n\n", out);
    for (const MrnExample *e = command->examples; e->line; e++) fprintf(out, "- `%s`: %s\n", e->line, e->text);
    fputs("\nFields of the JSON object:\n\n| field | type | |\n|---|---|---|\n", out);
    for (const MrnJsonField *f = command->fields; f->name; f++) {
        fprintf(out, "| `%s` | %s | ", f->name, f->type);
        markdown_cell(out, f->text);
        fputs(" |\n", out);
    }
    putc('\n', out);
}

void mrn_manual_markdown(FILE *out) {
    fputs("# The command\n\n"
          "<!-- Written by `moraine help --markdown` from the table of commands in src/cli/. `make docs` writes it "
          "again. -->\n\n"
          "    moraine COMMAND [ARGUMENT]... [OPTION]...\n\n| command | |\n|---|---|\n",
          out);
    for (size_t i = 0; i < mrn_command_count; i++) {
        const MrnCommand *command = mrn_commands[i];
        fprintf(out, "| [`%s%s%s`](#moraine-%s) | ", command->name, *command->operands ? " " : "", command->operands,
                command->name);
        markdown_cell(out, command->summary);
        fputs(" |\n", out);
    }
    fputs("\nEvery command takes:\n\n", out);
    markdown_options(out, mrn_common_options);
    for (size_t i = 0; i < section_count; i++) {
        fprintf(out, "## %s\n\n", sections[i].title);
        for_paragraphs(out, sections[i].text, markdown_paragraph);
    }
    for (size_t i = 0; i < mrn_command_count; i++) markdown_command(out, mrn_commands[i]);
}

// ---- bash ----

static void bash_options(FILE *out, const MrnOption *options) {
    for (const MrnOption *o = options; o && o->name; o++) {
        if (o->letter) fprintf(out, " -%c", o->letter);
        fprintf(out, " --%s", o->name);
    }
}

/// The words that a value of this kind can be, as a compgen command.
static void bash_values(FILE *out, MrnValueKind kind) {
    switch (kind) {
    case MRN_VALUE_SCENE: fputs("_moraine_files '*.yaml'; _moraine_files '*.yml'", out); break;
    case MRN_VALUE_RUN: fputs("_moraine_files '*.h5'", out); break;
    case MRN_VALUE_PROBLEM: fputs("_moraine_files '*.hdf5'; _moraine_files '*.h5'", out); break;
    case MRN_VALUE_FILE: fputs("_moraine_files '*'", out); break;
    case MRN_VALUE_STARTER:
        fputs("_moraine_words '", out);
        for (const MrnStarter *s = mrn_starters; s->name; s++)
            fprintf(out, "%s%s", s == mrn_starters ? "" : " ", s->name);
        putc('\'', out);
        break;
    case MRN_VALUE_SOLVER:
        fputs("_moraine_words '", out);
        for (size_t i = 0; i < mrn_solver_count(); i++) fprintf(out, "%s%s", i ? " " : "", mrn_solver_at(i)->name);
        putc('\'', out);
        break;
    case MRN_VALUE_PLOT:
        fputs("_moraine_files '*.h5'; _moraine_words 'picture", out);
        for (size_t i = 0; i < mrn_draw_quantity_count(); i++) fprintf(out, " %s", mrn_draw_quantity_at(i)->name);
        for (size_t i = 0; i < mrn_measure_count(); i++) fprintf(out, " %s", mrn_measure_at(i)->name);
        putc('\'', out);
        break;
#define X(code, name, text) " " name
    case MRN_VALUE_COLOR: fputs("_moraine_words '" MRN_COLOR_BY_LIST(X) "'", out); break;
    case MRN_VALUE_FORCES: fputs("_moraine_words '" MRN_FORCE_STYLE_LIST(X) "'", out); break;
#undef X
    case MRN_VALUE_COMMAND: fputs("_moraine_words \"$commands\"", out); break;
    default: fputs(":", out);
    }
}

void mrn_manual_bash_completion(FILE *out) {
    fputs("# Completion of moraine for bash. Written by `moraine help --bash-completion`.\n"
          "_moraine_words() { COMPREPLY+=($(compgen -W \"$1\" -- \"$word\")); }\n"
          "_moraine_files() {\n"
          "    local IFS=$'\\n'\n"
          "    COMPREPLY+=($(compgen -f -X \"!$1\" -- \"$word\") $(compgen -d -- \"$word\"))\n"
          "    compopt -o filenames\n"
          "}\n"
          "_moraine() {\n"
          "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" command='' i\n"
          "    local commands='",
          out);
    for (size_t i = 0; i < mrn_command_count; i++) fprintf(out, "%s%s", i ? " " : "", mrn_commands[i]->name);
    fputs("'\n"
          "    COMPREPLY=()\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        if [[ ${COMP_WORDS[i]} != -* ]]; then command=\"${COMP_WORDS[i]}\"; break; fi\n"
          "    done\n"
          "    case \"$command:$before\" in\n",
          out);
    for (size_t i = 0; i < mrn_command_count; i++) {
        for (const MrnOption *o = mrn_commands[i]->options; o && o->name; o++) {
            if (!o->value) continue;
            fprintf(out, "    %s:--%s", mrn_commands[i]->name, o->name);
            if (o->letter) fprintf(out, " | %s:-%c", mrn_commands[i]->name, o->letter);
            fputs(") ", out);
            bash_values(out, o->kind);
            fputs("; return ;;\n", out);
        }
    }
    fputs("    esac\n    case \"$command\" in\n    '') _moraine_words \"$commands", out);
    bash_options(out, mrn_common_options);
    fputs("\" ;;\n", out);
    for (size_t i = 0; i < mrn_command_count; i++) {
        fprintf(out, "    %s)\n        if [[ $word == -* ]]; then _moraine_words '", mrn_commands[i]->name);
        bash_options(out, mrn_commands[i]->options);
        bash_options(out, mrn_common_options);
        fputs("'; else ", out);
        bash_values(out, mrn_commands[i]->operand_kind);
        fputs("; fi ;;\n", out);
    }
    fputs("    esac\n}\ncomplete -F _moraine moraine\n", out);
}
