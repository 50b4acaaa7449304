// A plain driver for fuzz targets: runs the files of a corpus, then mutations of them for some seconds. Usage:
//     replay [--seconds S] [--seed N] FILE-OR-DIRECTORY...
// The same seed gives the same mutations. An input that crashes is left in the file crash-input.
#include "base/clock.h"
#include "base/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    uint8_t *data;
    size_t size;
} Input;

static Input *corpus;
static size_t corpus_count;
static Input now; ///< the input being tried, for the crash handler
static uint64_t seed = 1, draws;

static uint64_t draw(uint64_t below) {
    return below ? mrn_random_bits(seed, 0, draws++) % below : 0;
}

static void on_crash(int signal_number) {
    int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, now.data, now.size) >= 0) close(file);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void add_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    struct stat status;
    Input input = {NULL, 0};
    if (fstat(fileno(file), &status) == 0) input.size = (size_t)status.st_size;
    input.data = malloc(input.size + 1);
    corpus = realloc(corpus, (corpus_count + 1) * sizeof *corpus);
    if (!input.data || !corpus || fread(input.data, 1, input.size, file) != input.size) exit(1);
    fclose(file);
    corpus[corpus_count++] = input;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_path(const char *path) {
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, by_name);
    if (count < 0) {
        add_file(path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        struct stat status;
        if (entries[i]->d_name[0] != '.' && stat(name, &status) == 0 && S_ISREG(status.st_mode)) add_file(name);
        free(entries[i]);
    }
    free(entries);
}

static void replace(Input *input, size_t begin, size_t end, const uint8_t *with, size_t size) {
    uint8_t *data = malloc(input->size - (end - begin) + size + 1);
    if (!data) exit(1);
    memcpy(data, input->data, begin);
    if (size) memcpy(data + begin, with, size);
    memcpy(data + begin + size, input->data + end, input->size - end);
    free(input->data);
    input->data = data;
    input->size += size - (end - begin);
}

/// One random edit: change, delete or repeat bytes, or take a piece of another input, often cut at the ends of words.
static void mutate(Input *input) {
    size_t begin = draw(input->size + 1), end = begin + draw(draw(2) ? 4 : 60);
    if (end > input->size) end = input->size;
    if (draw(2)) {
        while (begin > 0 && input->data[begin - 1] > ' ') begin--;
        while (end < input->size && input->data[end] > ' ') end++;
    }
    const Input *other = &corpus[draw(corpus_count)];
    size_t from = draw(other->size + 1), to = from + draw(60);
    if (to > other->size) to = other->size;
    if (draw(2)) {
        while (from > 0 && other->data[from - 1] > ' ') from--;
        while (to < other->size && other->data[to] > ' ') to++;
    }
    static const char *const words[] = {"0", "-1", "1e308", "nan", "[", "]", "{",   "}", ": ", "- ", "\n", "\"",
                                        "'", "&a", "*a",    "!",   "|", ">", "1 m", "~", "%",  "\t", "# "};
    uint8_t byte = (uint8_t)draw(256);
    switch (draw(6)) {
    case 0: replace(input, begin, end, NULL, 0); break;
    case 1: replace(input, begin, begin < input->size ? begin + 1 : begin, &byte, 1); break;
    case 2: replace(input, begin, end, other->data + from, to - from); break;
    case 3: replace(input, begin, begin, other->data + from, to - from); break;
    default: {
        const char *word = words[draw(sizeof words / sizeof *words)];
        replace(input, begin, draw(2) ? end : begin, (const uint8_t *)word, strlen(word));
    }
    }
}

int main(int argument_count, char **arguments) {
    double seconds = 0;
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--seconds") == 0 && i + 1 < argument_count)
            seconds = atof(arguments[++i]);
        else if (strcmp(arguments[i], "--seed") == 0 && i + 1 < argument_count)
            seed = strtoull(arguments[++i], NULL, 10);
        else
            add_path(arguments[i]);
    }
    signal(SIGABRT, on_crash);
    signal(SIGSEGV, on_crash);
    signal(SIGFPE, on_crash);
    for (size_t i = 0; i < corpus_count; i++) {
        now = corpus[i];
        LLVMFuzzerTestOneInput(now.data, now.size);
    }
    size_t tried = 0;
    double slowest = 0, begin = mrn_wall_seconds();
    for (; corpus_count && mrn_wall_seconds() - begin < seconds; tried++) {
        const Input *source = &corpus[draw(corpus_count)];
        now = (Input){malloc(source->size + 1), source->size};
        if (!now.data) return 1;
        memcpy(now.data, source->data, source->size);
        for (uint64_t edits = 1 + draw(4); edits > 0; edits--) mutate(&now);
        double start = mrn_wall_seconds();
        LLVMFuzzerTestOneInput(now.data, now.size);
        double spent = mrn_wall_seconds() - start;
        if (spent > slowest) slowest = spent;
        free(now.data);
    }
    printf("%zu files, %zu mutations, slowest %.3f s\n", corpus_count, tried, slowest);
    for (size_t i = 0; i < corpus_count; i++) free(corpus[i].data);
    free(corpus);
    return 0;
}
