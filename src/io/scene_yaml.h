// The text of a scene as a tree of nodes that remember where they stand, and errors that say so.
//
// Anchors, aliases and tags are refused: named shapes and generators do their work, and no small file can unfold into a
// huge one.
#ifndef MRN_IO_SCENE_YAML_H
#define MRN_IO_SCENE_YAML_H

#include "base/memory.h"
#include <moraine/error.h>
#include <stdbool.h>

typedef enum MrnYamlKind { MRN_YAML_SCALAR, MRN_YAML_LIST, MRN_YAML_MAP } MrnYamlKind;

/// Where nodes come from: a file, or one --set argument.
typedef struct MrnYamlSource {
    const char *name; ///< file name, or the whole argument path=value
    bool is_override;
} MrnYamlSource;

typedef struct MrnYaml {
    MrnYamlKind kind;
    const MrnYamlSource *source;
    int line, column;         ///< from 1
    int key_line, key_column; ///< of the key; 0 in a list
    struct MrnYaml *parent;   ///< NULL for the root
    const char *key;          ///< in a mapping; NULL in a list
    const char *text;         ///< of a scalar; NULL otherwise
    bool quoted;              ///< a scalar in quotes or block style
    size_t count, capacity;
    struct MrnYaml **children; ///< of a list or a mapping, in the order of the file
} MrnYaml;

/// Parse YAML text into a tree that lives in `arena`. NULL with an error file:line:column. An empty text gives NULL
/// with an error.
MrnYaml *mrn_yaml_parse(const char *text, const MrnYamlSource *source, MrnArena *arena, MrnError *error);

MrnYaml *mrn_yaml_new(MrnYamlKind kind, const MrnYamlSource *source, MrnArena *arena);
void mrn_yaml_append(MrnYaml *parent, MrnYaml *child, MrnArena *arena);
/// The child with this key, or NULL. For a list: the item whose `name` is `key`.
MrnYaml *mrn_yaml_child(const MrnYaml *node, const char *key);
/// The same, or `node` itself if the field was left out: where a message about the field belongs.
const MrnYaml *mrn_yaml_at(const MrnYaml *node, const char *key);
bool mrn_yaml_is_null(const MrnYaml *node); ///< an empty or null plain scalar

/// Dotted path from the root: bodies.ball.position; items without a name by number.
void mrn_yaml_path(const MrnYaml *node, char *out, size_t size);
/// What a node is, for messages: "\"5 kg\"", "a list", "a mapping", "nothing".
void mrn_yaml_found(const MrnYaml *node, char *out, size_t size);

/// Fill `error` with "file:line:column: path.key: message" (or "--set path=value: ..."); key may be NULL. Returns
/// false.
bool mrn_yaml_fail(const MrnYaml *node, const char *key, MrnError *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// The same at the place of the key of `node` instead of its value.
bool mrn_yaml_fail_key(const MrnYaml *node, MrnError *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The candidate nearest to `word` if it is near enough to be a slip of the keyboard, or NULL.
const char *mrn_nearest_word(const char *word, const char *const *candidates, size_t count);
/// A hint for a word that is not among the candidates: "; did you mean \"ice\"?", or the first of them: "; known: ice,
/// rock".
void mrn_word_hint(const char *word, const char *const *candidates, size_t count, char *out, size_t size);
#endif
