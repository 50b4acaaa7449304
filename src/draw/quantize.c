// Median cut (Heckbert 1982): the box of colours with the largest spread is cut at its median until there are enough
// boxes; each becomes its mean.
//
// Colours are counted in cells of 6 bits per component, so that the work does not depend on how many colours a picture
// has.
#include "draw/quantize.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 18 };

typedef struct Cell {
    uint64_t pixels, sum[3];
    uint8_t mean[3];
} Cell;

typedef struct Box {
    int first, count; ///< in the list of cells
    int axis;         ///< component with the largest spread
    double spread;    ///< variance along it times pixels: the error that a cut removes
} Box;

static uint32_t cell_of(uint32_t color) {
    return (color >> 6 & 0x3f000) | (color >> 4 & 0xfc0) | (color >> 2 & 0x3f);
}
static uint8_t component(uint32_t color, int k) {
    return (uint8_t)(color >> (16 - 8 * k));
}

static int compare_from(const void *a, const void *b, int axis) {
    const Cell *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        int k = (axis + i) % 3;
        if (x->mean[k] != y->mean[k]) return x->mean[k] - y->mean[k];
    }
    return 0;
}
static int compare_red(const void *a, const void *b) {
    return compare_from(a, b, 0);
}
static int compare_green(const void *a, const void *b) {
    return compare_from(a, b, 1);
}
static int compare_blue(const void *a, const void *b) {
    return compare_from(a, b, 2);
}
static int (*const compare_along[3])(const void *, const void *) = {compare_red, compare_green, compare_blue};

static void measure(Box *box, const Cell *cells) {
    box->spread = -1;
    for (int k = 0; k < 3; k++) {
        double n = 0, sum = 0, square = 0;
        for (int i = box->first; i < box->first + box->count; i++) {
            double w = (double)cells[i].pixels, v = cells[i].mean[k];
            n += w, sum += w * v, square += w * v * v;
        }
        double spread = square - sum * sum / n;
        if (spread > box->spread) box->spread = spread, box->axis = k;
    }
    if (box->count < 2) box->spread = -1;
}

static int cut_boxes(Cell *cells, int cell_count, int wanted, Box *boxes) {
    int count = 1;
    boxes[0] = (Box){.first = 0, .count = cell_count};
    measure(&boxes[0], cells);
    while (count < wanted) {
        int widest = 0;
        for (int i = 1; i < count; i++)
            if (boxes[i].spread > boxes[widest].spread) widest = i;
        Box *box = &boxes[widest];
        if (box->spread < 0) break;
        qsort(cells + box->first, (size_t)box->count, sizeof *cells, compare_along[box->axis]);
        uint64_t total = 0, below = 0;
        for (int i = 0; i < box->count; i++) total += cells[box->first + i].pixels;
        int left = 0;
        while (left < box->count - 1 && (left == 0 || 2 * (below + cells[box->first + left].pixels) <= total))
            below += cells[box->first + left++].pixels;
        boxes[count] = (Box){.first = box->first + left, .count = box->count - left};
        box->count = left;
        measure(box, cells);
        measure(&boxes[count++], cells);
    }
    return count;
}

/// Few colours stay as they are: true if there are at most `wanted`.
static bool keep_exact(const uint32_t *pixels, size_t count, int wanted, uint32_t palette[256], uint8_t *index,
                       int *found) {
    *found = 0;
    int last = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t color = pixels[i] & 0xffffffu;
        if (!*found || palette[last] != color)
            for (last = 0; last < *found && palette[last] != color;) last++;
        if (last == *found) {
            if (*found == wanted) return false;
            palette[(*found)++] = color;
        }
        index[i] = (uint8_t)last;
    }
    return true;
}

int mrn_quantize(const uint32_t *pixels, size_t count, int wanted, uint32_t palette[256], uint8_t *index) {
    int found;
    if (keep_exact(pixels, count, wanted, palette, index, &found)) return found;
    Cell *cells = mrn_alloc_zero(CELLS, sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        Cell *cell = &cells[cell_of(pixels[i])];
        cell->pixels++;
        for (int k = 0; k < 3; k++) cell->sum[k] += component(pixels[i], k);
    }
    int used = 0;
    for (int i = 0; i < CELLS; i++) {
        if (!cells[i].pixels) continue;
        for (int k = 0; k < 3; k++) cells[i].mean[k] = (uint8_t)(cells[i].sum[k] / cells[i].pixels);
        cells[used++] = cells[i];
    }
    Box boxes[256];
    int box_count = cut_boxes(cells, used, wanted, boxes);
    for (int b = 0; b < box_count; b++) {
        uint64_t n = 0, sum[3] = {0, 0, 0};
        for (int i = boxes[b].first; i < boxes[b].first + boxes[b].count; i++) {
            n += cells[i].pixels;
            for (int k = 0; k < 3; k++) sum[k] += cells[i].sum[k];
        }
        palette[b] = (uint32_t)(sum[0] / n) << 16 | (uint32_t)(sum[1] / n) << 8 | (uint32_t)(sum[2] / n);
    }
    free(cells);
    // Nearest colour of each cell, found when the cell is first met.
    int16_t *nearest = mrn_alloc(CELLS, sizeof *nearest);
    memset(nearest, 0xff, CELLS * sizeof *nearest);
    for (size_t i = 0; i < count; i++) {
        uint32_t cell = cell_of(pixels[i]);
        if (nearest[cell] < 0) {
            int best = 0, least = 1 << 30;
            for (int b = 0; b < box_count; b++) {
                int distance = 0;
                for (int k = 0; k < 3; k++) {
                    int d = (int)((cell >> (12 - 6 * k) & 63) * 4 + 2) - component(palette[b], k);
                    distance += d * d;
                }
                if (distance < least) least = distance, best = b;
            }
            nearest[cell] = (int16_t)best;
        }
        index[i] = (uint8_t)nearest[cell];
    }
    free(nearest);
    return box_count;
}
