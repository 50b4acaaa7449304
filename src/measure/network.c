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

// ---- Fabric ----

static bool contact_in(const MrnMeasureInput *input, const MrnContactView *contact) {
    return mrn_contact_bears(contact) &&
           mrn_region_holds(&input->options.region, input->model->dimension, contact->position);
}

static bool fabric(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    static const char *const names2[] = {"xx", "yy", "xy"}, *const names3[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    int d = input->model->dimension, parts = d == 2 ? 3 : 6;
    mrn_sheet_title(out, "Fabric tensor");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    for (int i = 0; i < parts; i++) mrn_sheet_column(out, d == 2 ? names2[i] : names3[i], "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "anisotropy", "1", MRN_COLUMN_DASHED);
    if (d == 2) mrn_sheet_column(out, "main direction", "deg", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double sum[3][3] = {{0}}, count = 0, values[9] = {walk.frame.time};
        for (size_t c = 0; c < walk.frame.contact_count; c++) {
            const MrnContactView *contact = &walk.frame.contacts[c];
            if (!contact_in(input, contact)) continue;
            count++;
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++) sum[i][j] += contact->normal[i] * contact->normal[j];
        }
        for (int i = 0; i < parts; i++) {
            int a = d == 2 && i == 2 ? 0 : row[i], b = d == 2 && i == 2 ? 1 : column[i];
            values[1 + i] = sum[a][b] / count;
        }
        double deviator = 0;
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++) {
                double part = sum[i][j] / count - (i == j ? 1.0 / d : 0);
                deviator += part * part;
            }
        // 2D: difference of the two principal values; 3D: the equivalent for an axis of symmetry.
        values[1 + parts] = sqrt((d == 2 ? 2 : 1.5) * deviator);
        if (d == 2) values[2 + parts] = 90 / M_PI * atan2(2 * sum[0][1], sum[0][0] - sum[1][1]);
        mrn_sheet_row(out, values);
    }
    mrn_sheet_note(out, "mean of n n over the contacts that carry an impulse; its trace is 1");
    mrn_sheet_note(out, d == 2 ? "anisotropy: difference of the principal values, 0 to 1; main direction from +x"
                               : "anisotropy: sqrt(3/2 s:s) of the deviator s; difference of the principal values for "
                                 "an axis of symmetry");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_fabric = {
    .name = "fabric",
    .summary = "fabric tensor: mean of n n over the bearing contacts",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .compute = fabric,
};

/// Directions are lines: an angle and the opposite one are the same.
static bool contact_directions(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    size_t bins = input->options.bins ? input->options.bins : 36;
    double *count = mrn_alloc_zero(bins, sizeof *count), total = 0;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error))
        for (size_t c = 0; c < walk.frame.contact_count; c++) {
            const MrnContactView *contact = &walk.frame.contacts[c];
            if (!contact_in(input, contact)) continue;
            double angle = atan2(contact->normal[1], contact->normal[0]) / M_PI, share = angle - floor(angle);
            size_t bin = (size_t)(share * (double)bins);
            count[bin < bins ? bin : 0]++, total++;
        }
    mrn_sheet_title(out, "Directions of contact");
    mrn_sheet_column(out, "direction of the normal from +x", "deg", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "density", "1/deg", MRN_COLUMN_LINE);
    for (size_t i = 0; i < bins && total > 0; i++)
        mrn_sheet_row(out, (double[]){180 * ((double)i + 0.5) / (double)bins, count[i] / total * (double)bins / 180});
    free(count);
    mrn_sheet_note(out, "%.0f bearing contacts of %zu frames; isotropic: 1/180 everywhere", total, walk.seen);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_contact_directions = {
    .name = "contact_directions",
    .summary = "distribution of the directions of contact normals",
    .units = "1/deg",
    .drawing = MRN_DRAWING_HISTOGRAM,
    .needs = MRN_NEEDS_2D,
    .compute = contact_directions,
};

// ---- Forces ----

/// Histogram of normal forces over their mean in each frame, so that frames of a changing load can be put together.
static bool force_distribution(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    size_t bins = input->options.bins ? input->options.bins : 40, beyond = 0, total = 0;
    double top = 6, *count = mrn_alloc_zero(bins, sizeof *count), width = top / (double)bins, square = 0;
    double weak = 0;
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double sum = 0;
        size_t number = 0;
        for (size_t c = 0; c < walk.frame.contact_count; c++)
            if (contact_in(input, &walk.frame.contacts[c])) sum += walk.frame.contacts[c].normal_impulse, number++;
        for (size_t c = 0; c < walk.frame.contact_count; c++) {
            if (!contact_in(input, &walk.frame.contacts[c])) continue;
            double share = walk.frame.contacts[c].normal_impulse * (double)number / sum;
            square += share * share, weak += share < 1;
            if (share < top)
                count[(size_t)fmin(share / width, (double)bins - 1)]++;
            else
                beyond++;
        }
        total += number;
    }
    mrn_sheet_title(out, "Distribution of normal forces");
    mrn_sheet_column(out, "normal force over its mean", "1", MRN_COLUMN_LINE);
    size_t density = mrn_sheet_column(out, "probability density", "1", MRN_COLUMN_LINE);
    out->columns.data[density].logarithmic = true;
    for (size_t i = 0; i < bins && total; i++)
        mrn_sheet_row(out, (double[]){((double)i + 0.5) * width, count[i] / ((double)total * width)});
    free(count);
    mrn_sheet_note(out, "%zu bearing contacts of %zu frames, each over the mean of its frame; %zu above %g", total,
                   walk.seen, beyond, top);
    if (total)
        mrn_sheet_note(out, "mean square %.6g (exponential distribution: 2); share below the mean %.4g",
                       square / (double)total, weak / (double)total);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_force_distribution = {
    .name = "force_distribution",
    .summary = "distribution P(f) of normal forces over their mean",
    .units = "1",
    .drawing = MRN_DRAWING_HISTOGRAM,
    .compute = force_distribution,
};

/// Friction between two bodies: that of their first shapes.
static double friction_between(const MrnModel *model, int a, int b) {
    const MrnBody *first = &model->bodies.data[a], *second = &model->bodies.data[b];
    if (!first->shape_count || !second->shape_count) return 0;
    return mrn_model_law(model, model->shapes.data[first->first_shape].material,
                         model->shapes.data[second->first_shape].material)
        .friction;
}

static double tangential_impulse(const MrnContactView *contact) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double part = contact->impulse[k] - contact->normal_impulse * contact->normal[k];
        square += part * part;
    }
    return sqrt(square);
}

static bool contact_states(const MrnMeasureInput *input, MrnSheet *out, MrnError *error) {
    mrn_sheet_title(out, "Contacts");
    mrn_sheet_column(out, "time", "s", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "open", "1", MRN_COLUMN_DASHED);
    mrn_sheet_column(out, "stick", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "slip", "1", MRN_COLUMN_LINE);
    mrn_sheet_column(out, "share that slips", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "friction mobilised", "1", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "largest overlap", "m", MRN_COLUMN_HIDDEN);
    mrn_sheet_column(out, "mean overlap", "m", MRN_COLUMN_HIDDEN);
    MrnFrameWalk walk = mrn_frame_walk(input);
    while (mrn_frame_next(&walk, error)) {
        double count[3] = {0}, used = 0, frictional = 0, deepest = 0, sum = 0, bearing = 0;
        for (size_t c = 0; c < walk.frame.contact_count; c++) {
            const MrnContactView *contact = &walk.frame.contacts[c];
            if (!mrn_region_holds(&input->options.region, input->model->dimension, contact->position)) continue;
            bool bears = mrn_contact_bears(contact);
            count[!bears ? 0 : contact->status == 2 ? 2 : 1]++;
            if (!bears) continue;
            double mu = friction_between(input->model, contact->body_a, contact->body_b);
            if (mu > 0) frictional++, used += tangential_impulse(contact) / (mu * contact->normal_impulse);
            bearing++, sum += fmax(0, -contact->gap), deepest = fmax(deepest, -contact->gap);
        }
        mrn_sheet_row(out, (double[]){walk.frame.time, count[0], count[1], count[2], count[2] / bearing,
                                      used / frictional, deepest, sum / bearing});
    }
    mrn_sheet_note(out,
                   "open: found close by, without an impulse; friction mobilised: mean of |f_t| / (mu f_n), with mu of "
                   "the first shapes of two bodies");
    mrn_measure_note_means(out, 1);
    return mrn_frame_walk_end(&walk);
}

const MrnMeasure mrn_measure_contact_states = {
    .name = "contact_states",
    .summary = "contacts that are open, stick and slip; friction mobilised, overlaps",
    .units = "1",
    .drawing = MRN_DRAWING_SERIES,
    .compute = contact_states,
};
