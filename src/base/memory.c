// Checked allocation and the arena: a list of chunks that is folded into one large chunk at reset.
#define _DEFAULT_SOURCE // madvise
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *checked(void *block, size_t count, size_t size) {
    if (!block && count && size) {
        fprintf(stderr, "moraine: out of memory: %zu items of %zu bytes\n", count, size);
        exit(1);
    }
    return block;
}

static size_t product(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) checked(NULL, count, size);
    return bytes;
}

void *mrn_alloc(size_t count, size_t size) {
    return checked(malloc(product(count, size)), count, size);
}

void *mrn_alloc_zero(size_t count, size_t size) {
    return checked(calloc(count, size), count, size);
}

void *mrn_alloc_aligned(size_t count, size_t size) {
    size_t bytes = (product(count, size) + 63) & ~(size_t)63;
    return checked(aligned_alloc(64, bytes ? bytes : 64), count, size);
}

void *mrn_realloc(void *block, size_t count, size_t size) {
    return checked(realloc(block, product(count, size)), count, size);
}

char *mrn_strdup(const char *text) {
    if (!text) return NULL;
    size_t length = strlen(text) + 1;
    return memcpy(mrn_alloc(length, 1), text, length);
}

void mrn_array_grow(void **data, size_t *capacity, size_t wanted, size_t size) {
    size_t grown = *capacity + *capacity / 2 + 8;
    if (grown < wanted) grown = wanted;
    *data = mrn_realloc(*data, grown, size);
    *capacity = grown;
}

typedef struct MrnArenaChunk {
    struct MrnArenaChunk *previous;
    size_t size; ///< bytes of `data`
    char pad[48];
    char data[];
} MrnArenaChunk;

#define HUGE_PAGE ((size_t)1 << 21)

static MrnArenaChunk *new_chunk(size_t size, MrnArenaChunk *previous) {
    MrnArenaChunk *chunk;
    if (size >= 4 * HUGE_PAGE) { // large pages where the system has them: sweeps over hundreds of megabytes miss fewer
                                 // address translations
        size = ((sizeof *chunk + size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1)) - sizeof *chunk;
        chunk = checked(aligned_alloc(HUGE_PAGE, sizeof *chunk + size), 1, size);
#ifdef MADV_HUGEPAGE
        madvise(chunk, sizeof *chunk + size, MADV_HUGEPAGE);
#endif
    } else
        chunk = mrn_alloc_aligned(1, sizeof *chunk + size);
    chunk->previous = previous;
    chunk->size = size;
    return chunk;
}

void *mrn_arena_take(MrnArena *arena, size_t count, size_t size) {
    size_t bytes = (product(count, size) + 63) & ~(size_t)63;
    if (!arena->chunk || arena->used + bytes > arena->chunk->size) {
        size_t grown = arena->chunk ? 2 * arena->chunk->size : 1 << 16;
        arena->chunk = new_chunk(grown > bytes ? grown : bytes, arena->chunk);
        arena->used = 0;
    }
    void *block = arena->chunk->data + arena->used;
    arena->used += bytes;
    return block;
}

static size_t bytes_of(const MrnArena *arena) {
    size_t total = 0;
    for (MrnArenaChunk *chunk = arena->chunk; chunk; chunk = chunk->previous) total += chunk->size;
    return total;
}

void mrn_arena_reset(MrnArena *arena) {
    size_t total = bytes_of(arena), wanted = total > arena->peak ? total : arena->peak;
    if (arena->chunk && (arena->chunk->previous || wanted > total)) {
        mrn_arena_free(arena);
        arena->chunk = new_chunk(wanted, NULL);
    }
    arena->used = 0;
}

MrnArenaMark mrn_arena_mark(const MrnArena *arena) {
    return (MrnArenaMark){arena->chunk, arena->used};
}

void mrn_arena_release(MrnArena *arena, MrnArenaMark mark) {
    size_t total = bytes_of(arena);
    if (total > arena->peak) arena->peak = total; // the next step finds one chunk for all of it
    while (arena->chunk != mark.chunk) {
        MrnArenaChunk *previous = arena->chunk->previous;
        free(arena->chunk);
        arena->chunk = previous;
    }
    arena->used = mark.used;
}

void mrn_arena_free(MrnArena *arena) {
    while (arena->chunk) {
        MrnArenaChunk *previous = arena->chunk->previous;
        free(arena->chunk);
        arena->chunk = previous;
    }
    arena->used = 0;
    arena->peak = 0;
}
