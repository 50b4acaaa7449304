// --set path=value: change the tree of a scene before it is read, along the schema.
#include "base/error.h"
#include "io/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Walk {
    const MrnYamlSource *source;
    MrnArena *arena;
    MrnError *error;
} Walk;

static bool fail_set(const Walk *walk, const char *format, const char *word, const char *hint) {
    char message[600];
    snprintf(message, sizeof message, format, word, hint);
    return mrn_fail(walk->error, MRN_ERROR_INPUT, "--set %.300s: %s", walk->source->name, message);
}

/// A mapping in place of a shorthand, so that the path can go on inside it.
static void open_mapping(const Walk *walk, const MrnSchemaSection *section, MrnYaml *node) {
    if (node->kind == MRN_YAML_MAP) return;
    MrnYaml *value = NULL;
    if (!mrn_yaml_is_null(node) && section->shorthand[0]) {
        value = mrn_yaml_new(node->kind, node->source, walk->arena);
        *value = *node;
        value->key = section->shorthand;
        for (size_t i = 0; i < value->count; i++) value->children[i]->parent = value;
    }
    node->kind = MRN_YAML_MAP;
    node->text = NULL;
    node->children = NULL;
    node->count = node->capacity = 0;
    if (value) mrn_yaml_append(node, value, walk->arena);
}

static void put_child(const Walk *walk, MrnYaml *map, const char *key, MrnYaml *value) {
    value->key = key;
    value->key_line = value->key_column = 1;
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->children[i]->key, key) == 0) {
            value->parent = map;
            map->children[i] = value;
            return;
        }
    mrn_yaml_append(map, value, walk->arena);
}

/// Position of the item called `word`, or with that number, in a list; -1 with an error.
static long find_item(const Walk *walk, const MrnYaml *list, const char *word, const char *list_name) {
    const char **names = malloc((list->count ? list->count : 1) * sizeof *names);
    size_t count = 0;
    long found = -1;
    for (size_t i = 0; names && i < list->count && found < 0; i++) {
        MrnYaml *name = list->children[i]->kind == MRN_YAML_MAP ? mrn_yaml_child(list->children[i], "name") : NULL;
        if (!name || !name->text) continue;
        names[count++] = name->text;
        if (strcmp(name->text, word) == 0) found = (long)i;
    }
    if (found < 0 && word[0] && strspn(word, "0123456789") == strlen(word) && strlen(word) < 9) {
        long index = atol(word);
        if ((size_t)index < list->count) found = index;
    }
    if (found < 0) {
        const char *nearest = mrn_nearest_word(word, names, count);
        char hint[300];
        if (nearest)
            snprintf(hint, sizeof hint, "; did you mean \"%.200s\"?", nearest);
        else
            snprintf(hint, sizeof hint, "; %s has %zu item%s, the first has number 0", list_name, list->count,
                     list->count == 1 ? "" : "s");
        fail_set(walk, "no item \"%.200s\"%s", word, hint);
    }
    free(names);
    return found;
}

static void put_item(MrnYaml *list, size_t index, MrnYaml *value) {
    value->key = NULL;
    value->key_line = value->key_column = 0;
    value->parent = list;
    list->children[index] = value;
}

/// Go from word to word; `value` replaces what the last one names.
static bool put_value(const Walk *walk, MrnYaml *root, char *path, MrnYaml *value) {
    const MrnSchemaSection *section = &mrn_section_Root; // of `node` when it is a section
    MrnYaml *node = root;
    for (char *word = path, *rest; word; word = rest) {
        rest = strchr(word, '.');
        if (rest) *rest++ = 0;
        open_mapping(walk, section, node);
        const MrnSchemaField *field = mrn_schema_find(section, word);
        if (!field) {
            char hint[500];
            mrn_schema_suggest(section, 0, word, hint, sizeof hint);
            return fail_set(walk, "unknown key \"%.200s\"%.300s", word, hint);
        }
        if (!rest) {
            put_child(walk, node, field->key, value);
            return true;
        }
        MrnYaml *child = mrn_yaml_child(node, field->key);
        bool is_section = field->kind == MRN_KIND_SECTION || field->kind == MRN_KIND_CASE;
        if (!child && (is_section || field->kind == MRN_KIND_OPTIONS)) {
            child = mrn_yaml_new(MRN_YAML_MAP, walk->source, walk->arena);
            put_child(walk, node, field->key, child);
        }
        if (is_section) {
            section = field->section;
            node = child;
            continue;
        }
        word = rest;
        rest = strchr(word, '.');
        if (rest) *rest++ = 0;
        if (field->kind == MRN_KIND_OPTIONS && child->kind == MRN_YAML_MAP && !rest) {
            char *key = mrn_arena_take(walk->arena, strlen(word) + 1, 1);
            put_child(walk, child, strcpy(key, word), value);
            return true;
        }
        if (!child || child->kind != MRN_YAML_LIST) {
            if (field->kind == MRN_KIND_LIST) return fail_set(walk, "the scene has no list \"%s\"%s", field->key, "");
            return fail_set(walk, "\"%s\" has no parts that could be set one by one%s", field->key, "");
        }
        long index = find_item(walk, child, word, field->key);
        if (index < 0) return false;
        if (!rest) {
            put_item(child, (size_t)index, value);
            return true;
        }
        if (field->kind != MRN_KIND_LIST)
            return fail_set(walk, "\"%s\" has no parts that could be set one by one%s", word, "");
        section = field->section;
        node = child->children[index];
    }
    return fail_set(walk, "the path is empty%s%s", "", "");
}

bool mrn_schema_override(MrnYaml *root, const char *argument, MrnArena *arena, MrnError *error) {
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return mrn_fail(error, MRN_ERROR_INPUT, "--set %.300s: wanted path=value, such as time.step=0.5 ms", argument);
    size_t length = strlen(argument) + 1;
    MrnYamlSource *source = mrn_arena_take(arena, 1, sizeof *source);
    *source = (MrnYamlSource){memcpy(mrn_arena_take(arena, length, 1), argument, length), true};
    char *path = memcpy(mrn_arena_take(arena, length, 1), argument, length);
    path[equals - argument] = 0;
    MrnYaml *value = mrn_yaml_parse(equals + 1, source, arena, error);
    if (!value) return false;
    Walk walk = {source, arena, error};
    return put_value(&walk, root, path, value);
}
