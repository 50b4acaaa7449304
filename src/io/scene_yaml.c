// Scene text to tree, through the event parser of libfyaml; errors with their place.
#include "io/scene_yaml.h"
#include "base/error.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 32,          ///< of nesting; the schema needs less than 12
    MAX_NODES = 20 * 1000000 ///< of a scene
};

MrnYaml *mrn_yaml_new(MrnYamlKind kind, const MrnYamlSource *source, MrnArena *arena) {
    MrnYaml *node = mrn_arena_take(arena, 1, sizeof *node);
    *node = (MrnYaml){.kind = kind, .source = source, .line = 1, .column = 1};
    return node;
}

void mrn_yaml_append(MrnYaml *parent, MrnYaml *child, MrnArena *arena) {
    if (parent->count == parent->capacity) {
        size_t capacity = parent->capacity ? 2 * parent->capacity : 8;
        MrnYaml **children = mrn_arena_take(arena, capacity, sizeof *children);
        if (parent->count) memcpy(children, parent->children, parent->count * sizeof *children);
        parent->children = children;
        parent->capacity = capacity;
    }
    child->parent = parent;
    parent->children[parent->count++] = child;
}

MrnYaml *mrn_yaml_child(const MrnYaml *node, const char *key) {
    for (size_t i = 0; i < node->count; i++) {
        MrnYaml *child = node->children[i];
        if (node->kind == MRN_YAML_MAP) {
            if (strcmp(child->key, key) == 0) return child;
        } else if (child->kind == MRN_YAML_MAP) {
            MrnYaml *name = mrn_yaml_child(child, "name");
            if (name && name->text && strcmp(name->text, key) == 0) return child;
        }
    }
    return NULL;
}

const MrnYaml *mrn_yaml_at(const MrnYaml *node, const char *key) {
    const MrnYaml *child = mrn_yaml_child(node, key);
    return child ? child : node;
}

bool mrn_yaml_is_null(const MrnYaml *node) {
    return node->kind == MRN_YAML_SCALAR && !node->quoted &&
           (node->text[0] == 0 || strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0);
}

/// Copy text for a message: one line, short, printable.
static void shorten(const char *text, char *out, size_t size) {
    size_t used = 0, shown = 0;
    for (; *text && shown < 60 && used + 5 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c & 0xC0) == 0x80) { // the rest of a character of several bytes
            out[used++] = *text;
            continue;
        }
        out[used++] = c < 32 || c == 127 ? ' ' : *text;
        shown++;
    }
    if (*text) {
        while (used && ((unsigned char)out[used - 1] & 0xC0) == 0x80) used--; // never half a character
        if (used && ((unsigned char)out[used - 1] & 0x80)) used--;
        memcpy(out + used, "...", 3);
        used += 3;
    }
    out[used] = 0;
}

void mrn_yaml_found(const MrnYaml *node, char *out, size_t size) {
    if (node->kind == MRN_YAML_LIST)
        snprintf(out, size, node->count ? "a list" : "an empty list");
    else if (node->kind == MRN_YAML_MAP)
        snprintf(out, size, "a mapping");
    else if (mrn_yaml_is_null(node))
        snprintf(out, size, "nothing");
    else {
        char text[300];
        shorten(node->text, text, sizeof text);
        snprintf(out, size, "\"%s\"", text);
    }
}

void mrn_yaml_path(const MrnYaml *node, char *out, size_t size) {
    out[0] = 0;
    if (!node->parent) return;
    mrn_yaml_path(node->parent, out, size);
    size_t used = strlen(out);
    const char *dot = used ? "." : "";
    if (node->key) {
        char key[300];
        shorten(node->key, key, sizeof key);
        snprintf(out + used, size - used, "%s%s", dot, key);
        return;
    }
    const MrnYaml *name = node->kind == MRN_YAML_MAP ? mrn_yaml_child(node, "name") : NULL;
    if (name && name->text && name->text[0]) {
        char text[300];
        shorten(name->text, text, sizeof text);
        snprintf(out + used, size - used, "%s%s", dot, text);
        return;
    }
    size_t index = 0;
    while (index < node->parent->count && node->parent->children[index] != node) index++;
    snprintf(out + used, size - used, "%s%zu", dot, index);
}

/// `node` gives the path; line, column and source the place.
static bool fail_at(const MrnYaml *node, const MrnYamlSource *source, int line, int column, const char *key,
                    MrnError *error, const char *format, va_list arguments) {
    char path[400] = "", message[700];
    if (node) mrn_yaml_path(node, path, sizeof path);
    vsnprintf(message, sizeof message, format, arguments);
    const char *dot = key && path[0] ? "." : "", *colon = key || path[0] ? ": " : "";
    if (!key) key = "";
    if (source->is_override) {
        char argument[300];
        shorten(source->name, argument, sizeof argument);
        return mrn_fail(error, MRN_ERROR_INPUT, "--set %s: %s%s%s%s%s", argument, path, dot, key, colon, message);
    }
    return mrn_fail(error, MRN_ERROR_INPUT, "%.300s:%d:%d: %s%s%s%s%s", source->name, line, column, path, dot, key,
                    colon, message);
}

bool mrn_yaml_fail(const MrnYaml *node, const char *key, MrnError *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at(node, node->source, node->line, node->column, key, error, format, arguments);
    va_end(arguments);
    return false;
}

bool mrn_yaml_fail_key(const MrnYaml *node, MrnError *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int line = node->key_line ? node->key_line : node->line, column = node->key_line ? node->key_column : node->column;
    fail_at(node->parent ? node->parent : node, node->source, line, column, NULL, error, format, arguments);
    va_end(arguments);
    return false;
}

/// Optimal string alignment distance: insertions, deletions, changes and swaps of neighbours.
static int word_distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return 1000;
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++) d[i][0] = (int)i;
    for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            char x = a[i - 1] == '-' ? '_' : a[i - 1], y = b[j - 1] == '-' ? '_' : b[j - 1];
            int best = d[i - 1][j - 1] + (x != y);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *mrn_nearest_word(const char *word, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    int best = 1000;
    for (size_t i = 0; i < count; i++) {
        int distance = word_distance(word, candidates[i]);
        if (distance < best) best = distance, nearest = candidates[i];
    }
    size_t length = strlen(word);
    int limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;
    return best <= limit ? nearest : NULL;
}

void mrn_word_hint(const char *word, const char *const *candidates, size_t count, char *out, size_t size) {
    const char *nearest = mrn_nearest_word(word, candidates, count);
    if (nearest) {
        snprintf(out, size, "; did you mean \"%.100s\"?", nearest);
        return;
    }
    size_t used = (size_t)snprintf(out, size, count ? "; known: " : "; there are none");
    enum { SHOWN = 24 };
    for (size_t i = 0; i < count && i < SHOWN && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i ? ", %.40s" : "%.40s", candidates[i]);
    if (count > SHOWN && used < size) snprintf(out + used, size - used, "...");
}

/// Only characters that YAML allows: valid UTF-8 without control characters. Line and column of the first that is not.
static bool text_is_clean(const char *text, int *line, int *column) {
    *line = *column = 1;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t length = *p < 0x80 ? 1 : (*p >> 5) == 6 ? 2 : (*p >> 4) == 14 ? 3 : (*p >> 3) == 30 ? 4 : 0;
        if (!length) return false;
        uint32_t code = length == 1 ? *p : *p & (0x7Fu >> length);
        for (size_t i = 1; i < length; i++) {
            if ((p[i] & 0xC0) != 0x80) return false;
            code = code << 6 | (p[i] & 0x3F);
        }
        static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < lowest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE ||
            code == 0xFFFF)
            return false;
        if ((code < 32 && code != '\t' && code != '\n' && code != '\r') ||
            (code >= 0x7F && code < 0xA0 && code != 0x85))
            return false;
        if (code == '\n')
            ++*line, *column = 1;
        else
            ++*column;
        p += length;
    }
    return true;
}

typedef struct Builder {
    struct fy_parser *parser;
    const MrnYamlSource *source;
    MrnArena *arena;
    MrnError *error;
    MrnYaml *open[MAX_DEPTH + 1]; ///< containers being filled
    int depth;
    MrnYaml *root;
    bool has_key; ///< the next value belongs to `key`
    MrnYaml key;  ///< scalar that is the next key of the open mapping
    char *text;   ///< room for texts: one by one from the arena they would take a cache line each
    size_t text_left;
    size_t nodes;
    int documents;
} Builder;

static bool fail_place(const Builder *builder, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool fail_place(const Builder *builder, int line, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at(NULL, builder->source, line, column, NULL, builder->error, format, arguments);
    va_end(arguments);
    return false;
}

static const char *token_text(Builder *builder, struct fy_token *token) {
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    if (!text) length = 0;
    if (length + 1 > builder->text_left) {
        builder->text_left = length + 1 > 65536 ? length + 1 : 65536;
        builder->text = mrn_arena_take(builder->arena, builder->text_left, 1);
    }
    char *copy = builder->text;
    builder->text += length + 1;
    builder->text_left -= length + 1;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

/// Put a new node where it belongs: as key, root, value or item. `placed` is NULL for a key.
static bool place_node(Builder *builder, MrnYaml *node, MrnYaml **placed) {
    MrnYaml *parent = builder->depth ? builder->open[builder->depth - 1] : NULL;
    *placed = NULL;
    if (parent && parent->kind == MRN_YAML_MAP) {
        if (!builder->has_key) {
            if (node->kind != MRN_YAML_SCALAR)
                return fail_place(builder, node->line, node->column, "found a list or mapping as a key, wanted a word");
            builder->key = *node;
            builder->has_key = true;
            return true;
        }
        node->key = builder->key.text;
        node->key_line = builder->key.line;
        node->key_column = builder->key.column;
        if (node->kind == MRN_YAML_SCALAR && !node->text[0] && !node->quoted)
            node->line = node->key_line, node->column = node->key_column; // nothing there
        builder->has_key = false;
    }
    *placed = mrn_yaml_new(node->kind, node->source, builder->arena);
    **placed = *node;
    if (parent)
        mrn_yaml_append(parent, *placed, builder->arena);
    else
        builder->root = *placed;
    return true;
}

static bool take_event(Builder *builder, struct fy_event *event) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    int line = mark ? mark->line + 1 : 1, column = mark ? mark->column + 1 : 1;
    struct fy_token *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (++builder->documents > 1)
            return fail_place(builder, line, column, "found a second YAML document, wanted one scene per file");
        return true;
    case FYET_ALIAS:
        return fail_place(builder, line, column,
                          "found an alias (*name); scenes have no anchors: name a shape under shapes instead");
    case FYET_SCALAR: anchor = event->scalar.anchor, tag = event->scalar.tag; break;
    case FYET_SEQUENCE_START: anchor = event->sequence_start.anchor, tag = event->sequence_start.tag; break;
    case FYET_MAPPING_START: anchor = event->mapping_start.anchor, tag = event->mapping_start.tag; break;
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: builder->depth--; return true;
    default: return true;
    }
    if (anchor)
        return fail_place(builder, line, column,
                          "found an anchor (&name); scenes have no anchors: name a shape under shapes instead");
    if (tag) return fail_place(builder, line, column, "found a tag (!name); scenes have no tags");
    if (++builder->nodes > MAX_NODES)
        return fail_place(builder, line, column, "found more than %d values; use generators", MAX_NODES);
    MrnYaml node = {.kind = event->type == FYET_SCALAR           ? MRN_YAML_SCALAR
                            : event->type == FYET_SEQUENCE_START ? MRN_YAML_LIST
                                                                 : MRN_YAML_MAP,
                    .source = builder->source,
                    .line = line,
                    .column = column},
            *placed;
    if (node.kind == MRN_YAML_SCALAR) {
        node.text = token_text(builder, event->scalar.value);
        node.quoted = event->scalar.value && fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
    }
    if (!place_node(builder, &node, &placed)) return false;
    if (node.kind != MRN_YAML_SCALAR) {
        if (builder->depth == MAX_DEPTH)
            return fail_place(builder, line, column, "found more than %d levels of nesting", MAX_DEPTH);
        builder->open[builder->depth++] = placed;
    }
    return true;
}

static bool yaml_error(const Builder *builder, struct fy_diag *diag) {
    void *iterator = NULL;
    struct fy_diag_error *found = fy_diag_errors_iterate(diag, &iterator);
    if (found && found->msg) {
        char message[300];
        shorten(found->msg, message, sizeof message);
        return fail_place(builder, found->line > 0 ? found->line : 1, found->column > 0 ? found->column : 1,
                          "not valid YAML: %s", message);
    }
    return fail_place(builder, 1, 1, "not valid YAML");
}

MrnYaml *mrn_yaml_parse(const char *text, const MrnYamlSource *source, MrnArena *arena, MrnError *error) {
    Builder builder = {.source = source, .arena = arena, .error = error};
    int line, column;
    if (!text_is_clean(text, &line, &column)) {
        fail_place(&builder, line, column, "found a byte that is not text in UTF-8");
        return NULL;
    }
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    diag_config.colorize = false;
    struct fy_diag *diag = fy_diag_create(&diag_config);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE, .diag = diag};
    builder.parser = fy_parser_create(&config);
    bool good = builder.parser && fy_parser_set_string(builder.parser, text, strlen(text)) == 0;
    if (!good) fail_place(&builder, 1, 1, "the YAML parser could not be started");
    struct fy_event *event;
    while (good && (event = fy_parser_parse(builder.parser)) != NULL) {
        good = take_event(&builder, event);
        fy_parser_event_free(builder.parser, event);
    }
    if (good && fy_parser_get_stream_error(builder.parser)) good = yaml_error(&builder, diag);
    if (builder.parser) fy_parser_destroy(builder.parser);
    fy_diag_destroy(diag);
    if (!good) return NULL;
    if (!builder.root) {
        if (!source->is_override) {
            fail_place(&builder, 1, 1, "the scene is empty");
            return NULL;
        }
        builder.root = mrn_yaml_new(MRN_YAML_SCALAR, source, arena);
        builder.root->text = "";
    }
    return builder.root;
}
