// The kernels of a pile: rings, ribbons, layers, slope (Moreau 2003, section 9; specification 13.1).
#include "measure/pile.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
/// Sectors of a ring are about this many mean diameters wide.
#define SECTOR 2.0
/// Grains born this share of the whole time before or after are of one layer.
#define LAYER_SHARE 0.05

bool mrn_pile_has(const MrnPile *pile, size_t body) {
    return pile->frame->active[body] && pile->model->bodies.data[body].kind == MRN_BODY_FREE;
}

void mrn_pile_meridian(const MrnPile *pile, const double *point, double *r, double *z) {
    *r = hypot(point[0] - pile->axis[0], point[1] - pile->axis[1]);
    *z = point[2];
}

static const double *position(const MrnPile *pile, size_t body) {
    return pile->frame->position + 3 * body;
}

MrnPile mrn_pile_view(const MrnModel *model, const MrnFrame *frame, double time_step) {
    MrnPile pile = {model, frame, time_step, {0, 0}, 0};
    if (model->sources.count) {
        const MrnSource *source = &model->sources.data[0];
        pile.axis[0] = source->position[0], pile.axis[1] = source->position[1];
        pile.ground = source->position[2];
        return pile;
    }
    double mass = 0;
    pile.ground = INFINITY;
    for (size_t b = 0; b < frame->body_count; b++) {
        if (!mrn_pile_has(&pile, b)) continue;
        const MrnBody *body = &model->bodies.data[b];
        mass += body->mass;
        for (int k = 0; k < 2; k++) pile.axis[k] += body->mass * position(&pile, b)[k];
        pile.ground = fmin(pile.ground, position(&pile, b)[2] - body->reach);
    }
    if (mass > 0)
        pile.axis[0] /= mass, pile.axis[1] /= mass;
    else
        pile.ground = 0;
    return pile;
}

/// The force of a contact on body A, N; false if it carries none.
static bool contact_force(const MrnPile *pile, const MrnContactView *contact, double force[3]) {
    if (!(contact->normal_impulse > 0)) return false;
    for (int k = 0; k < 3; k++) force[k] = contact->impulse[k] / pile->time_step;
    return true;
}

static bool is_ground(const MrnPile *pile, int body) {
    return pile->model->bodies.data[body].kind != MRN_BODY_FREE;
}

static double gravity(const MrnPile *pile) {
    const double *g = pile->model->gravity;
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

MrnPileTotals mrn_pile_totals(const MrnPile *pile) {
    MrnPileTotals totals = {0};
    double mass = 0, moment = 0;
    size_t ends = 0;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        const MrnBody *body = &pile->model->bodies.data[b];
        const double *v = pile->frame->velocity + 3 * b;
        double r, z;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        totals.grains++;
        mass += body->mass;
        moment += body->mass * r;
        totals.top = fmax(totals.top, z + body->reach - pile->ground);
        totals.max_speed = fmax(totals.max_speed, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    for (size_t c = 0; c < pile->frame->contact_count; c++) {
        const MrnContactView *contact = &pile->frame->contacts[c];
        double force[3];
        totals.overlap = fmax(totals.overlap, -contact->gap);
        if (!contact_force(pile, contact, force)) continue;
        bool a = is_ground(pile, contact->body_a), b = is_ground(pile, contact->body_b);
        totals.contacts++;
        totals.ground_contacts += a || b;
        ends += (size_t)!a + (size_t)!b;
        if (a) totals.ground_force -= force[2]; // on A: downwards
        if (b) totals.ground_force += force[2]; // on A, which lies on B
    }
    totals.weight = mass * gravity(pile);
    totals.base_radius = mass > 0 ? 2 * moment / mass : 0;
    totals.coordination = totals.grains ? (double)ends / (double)totals.grains : 0;
    return totals;
}

/// Ring of a distance, or `count` if it lies beyond.
static size_t ring_of(double r, double width, size_t count) {
    double k = floor(r / width);
    return k < (double)count ? (size_t)k : count;
}

void mrn_pile_rings(const MrnPile *pile, double width, size_t count, MrnPileRing *rings) {
    for (size_t k = 0; k < count; k++)
        rings[k] = (MrnPileRing){.inner = (double)k * width, .outer = (double)(k + 1) * width};
    for (size_t c = 0; c < pile->frame->contact_count; c++) {
        const MrnContactView *contact = &pile->frame->contacts[c];
        double force[3], r, z;
        bool a = is_ground(pile, contact->body_a), b = is_ground(pile, contact->body_b);
        if (a == b || !contact_force(pile, contact, force)) continue;
        mrn_pile_meridian(pile, contact->position, &r, &z);
        size_t k = ring_of(r, width, count);
        if (k == count) continue;
        rings[k].force += b ? force[2] : -force[2];
        rings[k].contacts++;
    }
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        double r, z;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        size_t k = ring_of(r, width, count);
        if (k < count) rings[k].weight += pile->model->bodies.data[b].mass * gravity(pile);
    }
    for (size_t k = 0; k < count; k++)
        rings[k].pressure = rings[k].force / (PI * (rings[k].outer * rings[k].outer - rings[k].inner * rings[k].inner));
}

static double mean_diameter(const MrnPile *pile) {
    double sum = 0;
    size_t count = 0;
    for (size_t b = 0; b < pile->frame->body_count; b++)
        if (mrn_pile_has(pile, b)) sum += 2 * pile->model->bodies.data[b].reach, count++;
    return count ? sum / (double)count : 1;
}

void mrn_pile_surface(const MrnPile *pile, double width, size_t count, MrnPileSurface *rings) {
    double diameter = mean_diameter(pile);
    size_t *first = mrn_alloc(count + 1, sizeof *first);
    first[0] = 0;
    for (size_t k = 0; k < count; k++) {
        double around = 2 * PI * ((double)k + 0.5) * width;
        size_t sectors = (size_t)fmax(1, floor(around / (SECTOR * diameter)));
        rings[k] = (MrnPileSurface){(double)k * width, (double)(k + 1) * width, NAN, 0};
        first[k + 1] = first[k] + sectors;
    }
    double *highest = mrn_alloc(first[count] + 1, sizeof *highest);
    for (size_t i = 0; i < first[count]; i++) highest[i] = -INFINITY;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        const double *x = position(pile, b);
        double r, z;
        mrn_pile_meridian(pile, x, &r, &z);
        size_t k = ring_of(r, width, count);
        if (k == count) continue;
        double turn = atan2(x[1] - pile->axis[1], x[0] - pile->axis[0]) / (2 * PI) + 0.5;
        size_t sectors = first[k + 1] - first[k], s = (size_t)(turn * (double)sectors);
        if (s >= sectors) s = sectors - 1;
        double *top = &highest[first[k] + s];
        *top = fmax(*top, z + pile->model->bodies.data[b].reach - pile->ground);
    }
    for (size_t k = 0; k < count; k++) {
        double sum = 0;
        for (size_t i = first[k]; i < first[k + 1]; i++)
            if (highest[i] > -INFINITY) sum += highest[i], rings[k].sectors++;
        // An empty sector shows the ground.
        if (rings[k].sectors) rings[k].height = sum / (double)(first[k + 1] - first[k]);
    }
    free(first);
    free(highest);
}

MrnPileSlope mrn_pile_slope(const MrnPileSurface *rings, size_t count, double from, double to) {
    double n = 0, sr = 0, sz = 0, srr = 0, srz = 0, scatter = 0;
    for (int pass = 0; pass < 2; pass++) {
        double slope = n > 1 ? (n * srz - sr * sz) / (n * srr - sr * sr) : 0,
               height = n > 0 ? (sz - slope * sr) / n : 0;
        for (size_t k = 0; k < count; k++) {
            double r = 0.5 * (rings[k].inner + rings[k].outer), z = rings[k].height;
            if (r < from || r > to || isnan(z)) continue;
            if (pass == 0)
                n++, sr += r, sz += z, srr += r * r, srz += r * z;
            else
                scatter += (z - height - slope * r) * (z - height - slope * r);
        }
        if (pass == 1 && n > 1) return (MrnPileSlope){atan(-slope), height, sqrt(scatter / n), (size_t)n};
    }
    return (MrnPileSlope){NAN, NAN, NAN, (size_t)n};
}

MrnRibbonForce mrn_ribbon_force(const MrnPile *pile, MrnRibbon ribbon) {
    double dr = ribbon.r2 - ribbon.r1, dz = ribbon.z2 - ribbon.z1, length = hypot(dr, dz);
    MrnRibbonForce out = {.normal = {-dz / length, dr / length}, .area = PI * (ribbon.r1 + ribbon.r2) * length};
    double sum[2] = {0, 0};
    for (size_t c = 0; c < pile->frame->contact_count; c++) {
        const MrnContactView *contact = &pile->frame->contacts[c];
        double force[3], side[2], r, z;
        if (is_ground(pile, contact->body_a) || is_ground(pile, contact->body_b)) continue;
        if (!contact_force(pile, contact, force)) continue;
        for (int s = 0; s < 2; s++) {
            mrn_pile_meridian(pile, position(pile, (size_t)(s ? contact->body_b : contact->body_a)), &r, &z);
            side[s] = out.normal[0] * (r - ribbon.r1) + out.normal[1] * (z - ribbon.z1);
        }
        if ((side[0] > 0) == (side[1] > 0)) continue;
        mrn_pile_meridian(pile, contact->position, &r, &z);
        double along = ((r - ribbon.r1) * dr + (z - ribbon.z1) * dz) / (length * length);
        if (along < 0 || along > 1) continue;
        // `force` acts on A. Wanted is the force of the + side on the - side.
        double sign = side[0] > 0 ? -1 : 1;
        double x = contact->position[0] - pile->axis[0], y = contact->position[1] - pile->axis[1];
        sum[0] += r > 0 ? sign * (force[0] * x + force[1] * y) / r : 0;
        sum[1] += sign * force[2];
        out.contacts++;
    }
    for (int k = 0; k < 2; k++) out.traction[k] = sum[k] / out.area;
    return out;
}

MrnReciprocity mrn_reciprocity(const MrnPile *pile, MrnRibbon cut) {
    MrnReciprocity out = {.cuts = {cut, cut}, .angle = NAN};
    out.forces[0] = mrn_ribbon_force(pile, cut);
    double t[2] = {out.forces[0].traction[0], out.forces[0].traction[1]}, size = hypot(t[0], t[1]);
    if (!(size > 0)) return out;
    double half = 0.5 * hypot(cut.r2 - cut.r1, cut.z2 - cut.z1);
    double r = 0.5 * (cut.r1 + cut.r2), z = 0.5 * (cut.z1 + cut.z2);
    out.cuts[1] =
        (MrnRibbon){r - half * t[0] / size, z - half * t[1] / size, r + half * t[0] / size, z + half * t[1] / size};
    out.forces[1] = mrn_ribbon_force(pile, out.cuts[1]);
    double along[2] = {(cut.r2 - cut.r1) / (2 * half), (cut.z2 - cut.z1) / (2 * half)};
    const double *other = out.forces[1].traction;
    if (hypot(other[0], other[1]) > 0)
        out.angle = fabs(atan2(along[0] * other[1] - along[1] * other[0], along[0] * other[0] + along[1] * other[1]));
    if (out.angle > 0.5 * PI) out.angle = PI - out.angle;
    return out;
}

double mrn_layer_angle(const MrnPile *pile, double r0, double z0, double reach, size_t *grains) {
    double near = 0, sum = 0, first = INFINITY, last = -INFINITY;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        double r, z, birth = pile->model->bodies.data[b].birth;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        first = fmin(first, birth), last = fmax(last, birth);
        if (hypot(r - r0, z - z0) <= reach) near++, sum += birth;
    }
    if (grains) *grains = 0;
    if (near < 8) return NAN;
    double middle = sum / near, window = LAYER_SHARE * (last - first);
    double n = 0, r1 = 0, z1 = 0, rr = 0, rz = 0;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        double r, z;
        if (!mrn_pile_has(pile, b) || fabs(pile->model->bodies.data[b].birth - middle) > window) continue;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        r -= r0;
        if (fabs(r) <= 2 * reach) n++, r1 += r, z1 += z, rr += r * r, rz += r * z;
    }
    if (grains) *grains = (size_t)n;
    double spread = rr - r1 * r1 / fmax(n, 1);
    return n < 8 || !(spread > 0) ? NAN : -atan((rz - r1 * z1 / n) / spread);
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

MrnLayer mrn_pile_layer(const MrnPile *pile, double born_from, double born_to, double core) {
    MrnLayer layer = {.mean_height = NAN, .mean_radius = NAN, .upper_radius = NAN};
    double *radius = mrn_alloc(pile->frame->body_count + 1, sizeof *radius), height = 0, sum = 0;
    size_t inside = 0;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        double birth = pile->model->bodies.data[b].birth, r, z;
        if (!mrn_pile_has(pile, b) || birth < born_from || birth > born_to) continue;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        radius[layer.grains++] = r;
        sum += r;
        if (r <= core) inside++, height += z - pile->ground;
    }
    if (layer.grains) {
        qsort(radius, layer.grains, sizeof *radius, compare_numbers);
        layer.inside = (double)inside / (double)layer.grains;
        layer.mean_radius = sum / (double)layer.grains;
        layer.upper_radius = radius[(size_t)(0.9 * (double)(layer.grains - 1))];
        if (inside) layer.mean_height = height / (double)inside;
    }
    free(radius);
    return layer;
}

double mrn_pile_solid_fraction(const MrnPile *pile, double r1, double r2, double z1, double z2) {
    double solid = 0;
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        const MrnBody *body = &pile->model->bodies.data[b];
        double r, z;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        if (r < r1 || r >= r2 || z < z1 || z >= z2) continue;
        for (int s = 0; s < body->shape_count; s++)
            solid += mrn_shape_mass(&pile->model->shapes.data[body->first_shape + s], 1).mass;
    }
    return solid / (PI * (r2 * r2 - r1 * r1) * (z2 - z1));
}

MrnPileBalance mrn_pile_balance(const MrnPile *pile, double radius) {
    MrnPileBalance balance = {0};
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        double r, z;
        if (!mrn_pile_has(pile, b)) continue;
        mrn_pile_meridian(pile, position(pile, b), &r, &z);
        if (r < radius) balance.weight += pile->model->bodies.data[b].mass * gravity(pile);
    }
    for (size_t c = 0; c < pile->frame->contact_count; c++) {
        const MrnContactView *contact = &pile->frame->contacts[c];
        double force[3];
        if (!contact_force(pile, contact, force)) continue;
        for (int s = 0; s < 2; s++) { // the force on each body that is inside, from one that is not
            int body = s ? contact->body_b : contact->body_a, other = s ? contact->body_a : contact->body_b;
            double r, z, up = s ? -force[2] : force[2];
            if (is_ground(pile, body)) continue;
            mrn_pile_meridian(pile, position(pile, (size_t)body), &r, &z);
            if (!(r < radius)) continue;
            if (is_ground(pile, other)) {
                balance.ground += up;
                continue;
            }
            mrn_pile_meridian(pile, position(pile, (size_t)other), &r, &z);
            if (!(r < radius)) balance.sides += up;
        }
    }
    return balance;
}

void mrn_pile_speed_classes(const MrnPile *pile, size_t counts[5], double thresholds[4]) {
    double fastest = mrn_pile_totals(pile).max_speed;
    for (int k = 0; k < 4; k++) thresholds[k] = fastest * pow(0.18, k + 1);
    memset(counts, 0, 5 * sizeof *counts);
    for (size_t b = 0; b < pile->frame->body_count; b++) {
        if (!mrn_pile_has(pile, b)) continue;
        const double *v = pile->frame->velocity + 3 * b;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        int k = 0;
        while (k < 4 && speed <= thresholds[k]) k++;
        counts[k]++;
    }
}
