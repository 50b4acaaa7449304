// Memory: checked allocation, growable arrays, and an arena for the scratch of one step.
//
// Running out of memory ends the program with a message and exit code 1: no simulation can go on from there, and the
// run file on disk stays valid because it is never half-written.
#ifndef MRN_BASE_MEMORY_H
#define MRN_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

void *mrn_alloc(size_t count, size_t size);                ///< uninitialised
void *mrn_alloc_zero(size_t count, size_t size);           ///< all bytes zero
void *mrn_alloc_aligned(size_t count, size_t size);        ///< uninitialised, on a 64-byte boundary; free() it
void *mrn_realloc(void *block, size_t count, size_t size); ///< grow or shrink
char *mrn_strdup(const char *text);                        ///< copy of a string; NULL gives NULL

/// A growable array: typedef MRN_ARRAY(double) Doubles;
#define MRN_ARRAY(type)                                                                                                \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        size_t count, capacity;                                                                                        \
    }

void mrn_array_grow(void **data, size_t *capacity, size_t wanted, size_t size);

#define mrn_array_reserve(array, wanted)                                                                               \
    do {                                                                                                               \
        if ((size_t)(wanted) > (array)->capacity)                                                                      \
            mrn_array_grow((void **)&(array)->data, &(array)->capacity, (size_t)(wanted), sizeof *(array)->data);      \
    } while (0)
/// Change the length; new elements are not initialised.
#define mrn_array_resize(array, length)                                                                                \
    do {                                                                                                               \
        mrn_array_reserve(array, length);                                                                              \
        (array)->count = (size_t)(length);                                                                             \
    } while (0)
#define mrn_array_push(array, value)                                                                                   \
    do {                                                                                                               \
        mrn_array_reserve(array, (array)->count + 1);                                                                  \
        (array)->data[(array)->count++] = (value);                                                                     \
    } while (0)
#define mrn_array_free(array)                                                                                          \
    do {                                                                                                               \
        free((array)->data);                                                                                           \
        (array)->data = NULL;                                                                                          \
        (array)->count = (array)->capacity = 0;                                                                        \
    } while (0)

/// Scratch memory that lives until the next mrn_arena_reset. Blocks are 64-byte aligned.
typedef struct MrnArena {
    struct MrnArenaChunk *chunk;
    size_t used; ///< bytes used in the current chunk
    size_t peak; ///< bytes of all chunks when something was last released
} MrnArena;

void *mrn_arena_take(MrnArena *arena, size_t count, size_t size);
void mrn_arena_reset(MrnArena *arena);
void mrn_arena_free(MrnArena *arena);
/// Give back everything that was taken since the mark: the next takes use the same memory.
typedef struct MrnArenaMark {
    struct MrnArenaChunk *chunk;
    size_t used;
} MrnArenaMark;
MrnArenaMark mrn_arena_mark(const MrnArena *arena);
void mrn_arena_release(MrnArena *arena, MrnArenaMark mark);

#endif
