// moraine new: starter scenes, to be edited. They are built into the command.
#include "cli/cli.h"

#include "base/memory.h"
#include "io/scene_yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// What a starter shows: its first line, which is a comment.
static char *starter_summary(const MrnStarter *starter) {
    const char *text = starter->text + strspn(starter->text, "# ");
    size_t length = strcspn(text, "\n");
    char *summary = mrn_strdup(text);
    summary[length] = 0;
    return summary;
}

static int list_starters(const MrnArguments *arguments) {
    json_t *list = json_array();
    for (const MrnStarter *s = mrn_starters; s->name; s++) {
        char *summary = starter_summary(s);
        if (arguments->json) {
            json_t *entry = json_object();
            json_object_set_new(entry, "name", mrn_json_text(s->name));
            json_object_set_new(entry, "summary", mrn_json_text(summary));
            json_array_append_new(list, entry);
        } else
            printf("  %-18s %s\n", s->name, summary);
        free(summary);
    }
    if (arguments->json) {
        json_t *object = json_object();
        json_object_set(object, "starters", list);
        mrn_cli_print_json(object);
    } else if (!arguments->quiet)
        printf("\nWrite one to a file and run it: moraine new %s -o scene.yaml && moraine run scene.yaml\n",
               mrn_starters[0].name);
    json_decref(list);
    return MRN_EXIT_DONE;
}

static const MrnStarter *find_starter(const char *name, const char **near) {
    size_t count = 0;
    while (mrn_starters[count].name) count++;
    const char **names = mrn_alloc(count + 1, sizeof *names);
    const MrnStarter *found = NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = mrn_starters[i].name;
        if (strcmp(name, names[i]) == 0) found = &mrn_starters[i];
    }
    *near = mrn_nearest_word(name, names, count);
    free(names);
    return found;
}

static int run_new(const MrnArguments *arguments) {
    const char *path = mrn_argument_text(arguments, "output", NULL);
    if (!arguments->operand_count) {
        if (path)
            return mrn_cli_fail(arguments->json, MRN_EXIT_USAGE,
                                "--output wants the KIND of scene to write (see moraine new --help)");
        return list_starters(arguments);
    }
    const char *near, *name = arguments->operands[0];
    const MrnStarter *starter = find_starter(name, &near);
    if (!starter && near)
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "there is no starter scene '%s'; did you mean '%s'?",
                            name, near);
    if (!starter)
        return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "there is no starter scene '%s'; moraine new lists them",
                            name);
    if (path) {
        FILE *file = mrn_cli_create(arguments, path, mrn_argument_given(arguments, "force"));
        if (!file) return MRN_EXIT_CANNOT;
        bool written = fputs(starter->text, file) >= 0;
        if (fclose(file) != 0 || !written)
            return mrn_cli_fail(arguments->json, MRN_EXIT_CANNOT, "%s: %s", path, strerror(errno));
    }
    if (arguments->json) {
        json_t *object = json_object();
        char *summary = starter_summary(starter);
        json_object_set_new(object, "name", mrn_json_text(starter->name));
        json_object_set_new(object, "summary", mrn_json_text(summary));
        json_object_set_new(object, "text", mrn_json_text(starter->text));
        json_object_set_new(object, "output", mrn_json_text(path));
        mrn_cli_print_json(object);
        free(summary);
    } else if (!path)
        fputs(starter->text, stdout);
    else if (!arguments->quiet) {
        printf("written to %s; run it with: moraine run ", path);
        mrn_cli_shell_quote(stdout, path);
        putchar('\n');
    }
    return MRN_EXIT_DONE;
}

const MrnCommand mrn_command_new = {
    .name = "new",
    .operands = "[KIND]",
    .operand_kind = MRN_VALUE_STARTER,
    .operands_max = 1,
    .summary = "list starter scenes, or print one",
    .description = "Without KIND lists the starter scenes. With KIND prints that scene on standard output, or writes "
                   "it to a file: a commented "
                   "page of YAML that runs as it is and is meant to be changed.",
    .options =
        (const MrnOption[]){
            {"output", 'o', "FILE", MRN_VALUE_FILE, "write the scene to this file instead of standard output"},
            {"force", 'f', NULL, MRN_VALUE_NONE, "replace a file that is there already"},
            {NULL, 0, NULL, MRN_VALUE_NONE, NULL},
        },
    .fields =
        (const MrnJsonField[]){
            {"starters[].name", "string", "without KIND: name of a starter scene"},
            {"starters[].summary", "string", "without KIND: what it shows"},
            {"name", "string", "with KIND: its name"},
            {"summary", "string", "with KIND: what it shows"},
            {"text", "string", "with KIND: the scene"},
            {"output", "string or null", "with KIND: file that was written"},
            {NULL, NULL, NULL},
        },
    .examples =
        (const MrnExample[]){
            {"moraine new", "what there is"},
            {"moraine new falling-blocks > blocks.yaml", "a scene to start from"},
            {"moraine new arch | moraine run -", "run one as it is"},
            {NULL, NULL},
        },
    .run = run_new,
};
