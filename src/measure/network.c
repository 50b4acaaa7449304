// The network of contacts: how many there are, where they point, what they carry.
//
// A contact counts when it carries an impulse. A body is in the region when its mass centre is, a contact when its
// point is.
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *position_of(const MrnMeasureInput *input, const MrnFrame *frame, size_t body) {
    return frame->position + (size_t)input->model->dimension * body;
}

// ---- Coordination ----

/// Is there friction between any two materials?
static bool has_friction(const MrnModel *model) {
    for (int a = 0; a < (int)model->materials.count; a++)
        for (int b = 0; b <= a; b++)
            if (mrn_model_law(model, a, b).friction > 0) return true;
    return false;
}

/// Numbers of bearing contacts per body; contacts of bodies that were set aside do not count.
static void count_contacts(const MrnFrame *frame, const bool *aside, int *count) {
    memset(count, 0, frame->body_count * sizeof *count);
    for (size_t c = 0; c < frame->contact_count; c++) {
        const MrnContactView *contact = &frame->contacts[c];
        if (!mrn_contact_bears(contact) || aside[contact->body_a] || aside[contact->body_b]) continue;
        count[contact->body_a]++, count[contact->body_b]++;
    }
}

/// Set aside the bodies that hold nothing: again and again those with fewer than `least` contacts with others.
static void find_rattlers(const MrnMeasureInput *input, const MrnFrame *frame, int least, bool *aside, int *count) {
    for (bool changed = true; changed;) {
        changed = false;
        count_contacts(frame, aside, count);
        for (size_t b = 0; b < frame->body_count; b++)
            if (mrn_frame_has(input->model, frame, (int)b) && !aside[b] && count[b] < least) aside[b] = changed = true;
    }
}

typedef struct Tally {
    double bodies, contacts;
} Tally;

static Tally tally(const MrnMeasureInput *input, const MrnFrame *frame, const bool *aside, const int *count) {
    Tally sum = {0, 0};
    for (size_t b = 0; b < frame->body_count; b++)
        if (mrn_frame_has(input->model, frame, (int)b) && !aside[b] &&
            mrn_region_holds(&input->options.region, input->model->dimension, position_of(input, frame, b)))
            sum.bodies++, sum.contacts += count[b];
    return sum;
}

static int by_pair(const void *first, const void *second) {
    const int *a = first, *b = second;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/// Bodies that touch a body, counted once however many points they touch in.
static void count_neighbours(const MrnFrame *frame, int *count) {
    int(*pair)[2] = mrn_alloc(frame->contact_count + 1, sizeof *pair);
    size_t pairs = 0;
    memset(count, 0, frame->body_count * sizeof *count);
    for (size_t c = 0; c < frame->contact_count; c++) {
        const MrnContactView *contact = &frame->contacts[c];
        if (!mrn_contact_bears(contact)) continue;
        int a = contact->body_a, b = contact->body_b;
        pair[pairs][0] = a < b ? a : b, pair[pairs++][1] = a < b ? b : a;
    }
    qsort(pair, pairs, sizeof *pair, by_pair);
    for (size_t i = 0; i < pairs; i++)
        if (i == 0 || by_pair(pair[i], pair[i - 1]) != 0) count[pair[i][0]]++, count[pair[i][1]]++;
    free(pair);
}

static bool coordination(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    int least = has_friction(input->model) ? 2 : input->model->dimension + 1;
    mrn_sheet_title(out, "Coordination number");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "all bodies", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "without rattlers", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "neighbours", "1", MRN_COLUMN_DASHED);
    mrn_sheet_column(out, "share of rattlers", "1", MRN_COLUMN_HIDDEN);
    size_t bodies = input->model->bodies.count;
    bool *aside = mrn_alloc(bodies + 1, sizeof *aside);
    int *count = mrn_alloc(bodies + 1, sizeof *count);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        memset(aside, 0, bodies * sizeof *aside);
        count_contacts(&walk.frame, aside, count);
        Tally all = tally(input, &walk.frame, aside, count);
        count_neighbours(&walk.frame, count);
        Tally neighbours = tally(input, &walk.frame, aside, count);
        find_rattlers(input, &walk.frame, least, aside, count);
        Tally bearing = tally(input, &walk.frame, aside, count);
        mrn_sheet_row(out, (double[]){walk.frame.time, all.contacts / all.bodies, bearing.contacts / bearing.bodies,
                                      neighbours.contacts / all.bodies, 1 - bearing.bodies / all.bodies});
    }
    free(aside);
    free(count);
    mrn_sheet_note(out, "contacts that carry an impulse, per free body with its centre in the region; a contact of two "
                        "grains counts for both, one with a wall once");
    mrn_sheet_note(out, "rattlers: bodies with fewer than %d such contacts, set aside until none is left", least);
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_coordination = {
    .name = "coordination",
    .summary = "bearing contacts per body, with and without rattlers, and touching neighbours",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .needs = MRN_NEEDS_FREE_BODIES,
    .compute = coordination,
};
