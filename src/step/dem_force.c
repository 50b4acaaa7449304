// Forces of smooth contacts, eight at a time (specification 3.2 to 3.4).
//
//   e       unit vector from grain a to grain b;  d = r_a + r_b - |x_b - x_a| > 0 the overlap
//   V       = v_a - v_b + (L_a w_a + L_b w_b) x e,  L the distance from the centre to the plane where the spheres meet
//   F_n     = -(k_n d + eta_n V.e) e;  F_t = -k_t s - eta_t V_t, cut to mu |F_n| in its own direction
//   s       = spring, turned into the tangent plane, grows by V_t dt; while sliding no longer than mu |F_n| / k_t
//
// When a contact slides, the thesis puts the friction against V_t (4.1.20). That force jumps where V_t turns while the
// spring is still loaded; the direction of the spring and dashpot together is the same in steady sliding and
// continuous.
//
// Each evaluation finds the touching pairs first, in the order of the list, so that everything after depends on them
// alone and not on what else is in the list.
#include "step/dem.h"

#include <string.h>

/// Added to what must not be 0; no grain is that close or small.
#define TINY 1e-150

/// Rows of eight grains as lanes: out[k] is component k.
MRN_INLINE void gather(const MrnRow *rows, const int32_t *index, MrnLanes out[4]) {
    for (int i = 0; i < 4; i++)
        out[i] = __builtin_shufflevector(rows[index[i]], rows[index[i + 4]], 0, 1, 2, 3, 4, 5, 6, 7);
    mrn_transpose4(out);
}

/// Is any lane set? In halves: lane by lane would leave the vector registers.
MRN_INLINE int any_lane(MrnMask mask) {
    typedef int64_t Half __attribute__((vector_size(32)));
    Half half = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) | __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
    return ((half[0] | half[1]) | (half[2] | half[3])) != 0;
}

MRN_KERNEL static size_t find_touching(const MrnDem *dem, size_t begin, size_t end, int32_t *out) {
    size_t count = 0;
    for (size_t p = begin; p < end; p += MRN_LANES) {
        MrnLanes a[4], b[4];
        gather(dem->x, dem->pair_a + p, a);
        gather(dem->x, dem->pair_b + p, b);
        MrnLanes x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2], reach = a[3] + b[3];
        MrnMask touches = x * x + y * y + z * z < reach * reach;
        for (int lane = 0; lane < MRN_LANES; lane++) {
            out[count] = (int32_t)(p + (size_t)lane);
            count += (size_t)(touches[lane] & 1);
        }
    }
    return count;
}

static void detect(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnDem *dem = ((MrnDemPass *)context)->dem;
    for (size_t block = begin; block < end; block++) {
        size_t first = block * MRN_DEM_DETECT, last = first + MRN_DEM_DETECT;
        if (last > dem->pair_count) last = (dem->pair_count + MRN_LANES - 1) / MRN_LANES * MRN_LANES;
        dem->block_count.data[block] = (int32_t)find_touching(dem, first, last, dem->touch_block + first);
    }
}

/// The lists of all blocks, one after the other.
static void collect(MrnDem *dem, size_t blocks) {
    size_t count = 0;
    for (size_t block = 0; block < blocks; block++) {
        size_t n = (size_t)dem->block_count.data[block];
        memcpy(dem->contact_slot + count, dem->touch_block + block * MRN_DEM_DETECT, n * sizeof *dem->contact_slot);
        count += n;
    }
    dem->contact_count = count;
    for (size_t c = count; c < (count + MRN_LANES - 1) / MRN_LANES * MRN_LANES; c++)
        dem->contact_slot[c] = (int32_t)dem->pair_count; // a slot without grains
}

/// What the law needs of eight contacts, and what it gives.
typedef struct Contacts {
    MrnLanes e[3], overlap, V[3]; ///< V: relative velocity at the contact
    MrnLanes mass, radius;        ///< effective
    MrnLanes law[5];              ///< first members of MrnDemLaw
    MrnLanes spring[3];
    MrnMask fresh;
    MrnLanes force[3], moment[3]; ///< on the first; e x F_t
    MrnLanes loss;
} Contacts;

MRN_INLINE void apply_law(Contacts *c, double step, int hertz) {
    MrnLanes vn = c->V[0] * c->e[0] + c->V[1] * c->e[1] + c->V[2] * c->e[2], vt[3], time = mrn_lanes(step);
    for (int k = 0; k < 3; k++) vt[k] = c->V[k] - vn * c->e[k];
    // A contact that begins now has touched for part of the step only (4.1.16).
    MrnMask part = c->fresh & (vn * time > c->overlap);
    time = mrn_select(part, c->overlap / mrn_select(part, vn, time), time);
    MrnLanes along = c->spring[0] * c->e[0] + c->spring[1] * c->e[1] + c->spring[2] * c->e[2], s[3];
    for (int k = 0; k < 3; k++)
        s[k] = mrn_select(c->fresh, mrn_lanes(0), c->spring[k] - along * c->e[k]) + time * vt[k];
    MrnLanes kn = c->law[0], kt = c->law[1];
    if (hertz) {
        MrnLanes patch = mrn_lanes_sqrt(c->radius * c->overlap); // radius of the contact
        kn *= patch, kt *= patch;
    }
    MrnLanes damping = c->law[2] * mrn_lanes_sqrt(c->mass * kn), tangent_damping = c->law[3] * damping;
    MrnLanes fn = kn * c->overlap + damping * vn, limit = c->law[4] * mrn_lanes_abs(fn), ft[3];
    for (int k = 0; k < 3; k++) ft[k] = -kt * s[k] - tangent_damping * vt[k];
    MrnLanes size2 = ft[0] * ft[0] + ft[1] * ft[1] + ft[2] * ft[2];
    MrnMask slides = size2 > limit * limit;
    if (any_lane(slides)) {
        MrnLanes cut = mrn_select(slides, limit / mrn_lanes_sqrt(size2), mrn_lanes(1));
        MrnLanes stretch = kt * mrn_lanes_sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        MrnLanes shorten = mrn_select(slides & (stretch > limit), limit / stretch, mrn_lanes(1));
        for (int k = 0; k < 3; k++) ft[k] *= cut, s[k] *= shorten;
    }
    for (int k = 0; k < 3; k++) {
        c->force[k] = ft[k] - fn * c->e[k];
        c->spring[k] = s[k];
    }
    c->moment[0] = c->e[1] * ft[2] - c->e[2] * ft[1];
    c->moment[1] = c->e[2] * ft[0] - c->e[0] * ft[2];
    c->moment[2] = c->e[0] * ft[1] - c->e[1] * ft[0];
    c->loss = fn * vn - (ft[0] * vt[0] + ft[1] * vt[1] + ft[2] * vt[2]);
}

MRN_INLINE void load_law(const MrnDem *dem, const int32_t *a, const int32_t *b, int uniform, Contacts *c) {
    if (uniform) {
        const double *law = &dem->laws[0].normal;
        for (int k = 0; k < 5; k++) c->law[k] = mrn_lanes(law[k]);
        return;
    }
    MrnLanes rows[MRN_LANES];
    for (int lane = 0; lane < MRN_LANES; lane++)
        rows[lane] = *(const MrnLanes *)&dem
                          ->laws[(size_t)dem->material[a[lane]] * dem->materials + (size_t)dem->material[b[lane]]];
    mrn_transpose8(rows);
    for (int k = 0; k < 5; k++) c->law[k] = rows[k];
}

/// Contacts [begin, end), a multiple of the lanes apart: springs, forces into `out` (2 rows per contact), sums.
MRN_INLINE void pair_contacts(MrnDem *dem, size_t begin, size_t end, double step, int hertz, int uniform, MrnRow *out,
                              MrnDemSums *sums) {
    MrnLanes loss = mrn_lanes(0), deepest = mrn_lanes(0), last = mrn_lanes(dem->now - 1);
    MrnMask begun = {0}, latest = {0};
    for (size_t at = begin; at < end; at += MRN_LANES, out += 2 * MRN_LANES) {
        const int32_t *slot = dem->contact_slot + at;
        int32_t a[MRN_LANES], b[MRN_LANES];
        for (int lane = 0; lane < MRN_LANES; lane++)
            a[lane] = dem->pair_a[slot[lane]], b[lane] = dem->pair_b[slot[lane]];
        Contacts c;
        MrnLanes xa[4], xb[4], va[4], vb[4], wa[4], wb[4], spring[4];
        gather(dem->x, a, xa), gather(dem->x, b, xb);
        gather(dem->v, a, va), gather(dem->v, b, vb);
        gather(dem->w, a, wa), gather(dem->w, b, wb);
        gather((const MrnRow *)dem->springs, slot, spring);
        load_law(dem, a, b, uniform, &c);
        MrnLanes d[3], ra = xa[3], rb = xb[3];
        for (int k = 0; k < 3; k++) d[k] = xb[k] - xa[k];
        // Grains with the same centre, and the padding, have no direction and get no force.
        MrnLanes distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], distance = mrn_lanes_sqrt(distance2);
        MrnLanes inverse = mrn_lanes(1) / (distance + mrn_lanes(TINY));
        for (int k = 0; k < 3; k++) c.e[k] = d[k] * inverse;
        MrnLanes arm_a = mrn_lanes(0.5) * (distance2 + ra * ra - rb * rb) * inverse, arm_b = distance - arm_a, spin[3];
        c.overlap = ra + rb - distance;
        c.mass = mrn_lanes(1) / (va[3] + vb[3]);
        if (hertz) c.radius = ra * rb / (ra + rb + mrn_lanes(TINY));
        for (int k = 0; k < 3; k++) spin[k] = arm_a * wa[k] + arm_b * wb[k];
        c.V[0] = va[0] - vb[0] + (spin[1] * c.e[2] - spin[2] * c.e[1]);
        c.V[1] = va[1] - vb[1] + (spin[2] * c.e[0] - spin[0] * c.e[2]);
        c.V[2] = va[2] - vb[2] + (spin[0] * c.e[1] - spin[1] * c.e[0]);
        for (int k = 0; k < 3; k++) c.spring[k] = spring[k];
        c.fresh = spring[3] != last;
        apply_law(&c, step, hertz);

        loss += c.loss;
        deepest = mrn_lanes_max(deepest, c.overlap);
        begun -= c.fresh;
        latest = c.fresh;
        MrnLanes rows[4] = {c.spring[0], c.spring[1], c.spring[2], mrn_lanes(dem->now)};
        mrn_transpose4(rows);
        for (int i = 0; i < 4; i++) {
            dem->springs[slot[i]].row = __builtin_shufflevector(rows[i], rows[i], 0, 1, 2, 3);
            dem->springs[slot[i + 4]].row = __builtin_shufflevector(rows[i], rows[i], 4, 5, 6, 7);
        }
        MrnLanes force[4] = {c.force[0], c.force[1], c.force[2], arm_a},
                 moment[4] = {c.moment[0], c.moment[1], c.moment[2], arm_b};
        mrn_transpose4(force), mrn_transpose4(moment);
        for (int i = 0; i < 4; i++) {
            out[2 * i] = __builtin_shufflevector(force[i], force[i], 0, 1, 2, 3);
            out[2 * i + 1] = __builtin_shufflevector(moment[i], moment[i], 0, 1, 2, 3);
            out[2 * i + 8] = __builtin_shufflevector(force[i], force[i], 4, 5, 6, 7);
            out[2 * i + 9] = __builtin_shufflevector(moment[i], moment[i], 4, 5, 6, 7);
        }
    }
    double most = 0;
    int64_t fresh = 0;
    for (int lane = 0; lane < MRN_LANES; lane++) {
        most = deepest[lane] > most ? deepest[lane] : most;
        fresh += begun[lane];
    }
    for (size_t lane = (end - begin) % MRN_LANES; lane && lane < MRN_LANES; lane++) fresh += latest[lane]; // padding
    *sums = (MrnDemSums){.loss = mrn_lanes_sum(loss), .overlap = most, .fresh = fresh};
}

MRN_KERNEL static void linear_contacts(MrnDem *dem, size_t begin, size_t end, double step, MrnRow *out,
                                       MrnDemSums *sums) {
    if (dem->materials == 1)
        pair_contacts(dem, begin, end, step, 0, 1, out, sums);
    else
        pair_contacts(dem, begin, end, step, 0, 0, out, sums);
}

MRN_KERNEL static void hertz_contacts(MrnDem *dem, size_t begin, size_t end, double step, MrnRow *out,
                                      MrnDemSums *sums) {
    if (dem->materials == 1)
        pair_contacts(dem, begin, end, step, 1, 1, out, sums);
    else
        pair_contacts(dem, begin, end, step, 1, 0, out, sums);
}

static const MrnRow only_vector = {1, 1, 1, 0};

/// Add the forces of contacts [begin, end) to both grains.
MRN_KERNEL static void scatter(MrnDem *dem, size_t begin, size_t end, const MrnRow *rows) {
    for (size_t c = begin; c < end; c++, rows += 2) {
        int32_t a = dem->pair_a[dem->contact_slot[c]], b = dem->pair_b[dem->contact_slot[c]];
        MrnRow force = rows[0] * only_vector, moment = rows[1] * only_vector;
        dem->f[a] += force, dem->f[b] -= force;
        dem->t[a] += rows[0][3] * moment, dem->t[b] += rows[1][3] * moment;
    }
}

static void pair_blocks(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnDemPass *pass = context;
    MrnDem *dem = pass->dem;
    bool keep = dem->keep_forces || mrn_threads_count(pass->world->threads) > 1;
    MrnRow local[2 * MRN_DEM_BLOCK];
    for (size_t block = begin; block < end; block++) {
        size_t first = block * MRN_DEM_BLOCK, last = first + MRN_DEM_BLOCK;
        if (last > dem->contact_count) last = dem->contact_count;
        MrnRow *out = keep ? dem->contact_force + 2 * first : local;
        (dem->hertz ? hertz_contacts : linear_contacts)(dem, first, last, pass->step, out, &dem->sums.data[block]);
        if (mrn_threads_count(pass->world->threads) == 1) scatter(dem, first, last, out);
    }
}

/// With several threads every grain adds up its own contacts, in the same order.
static void gather_forces(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnDem *dem = ((MrnDemPass *)context)->dem;
    for (size_t g = begin; g < end; g++)
        for (size_t k = dem->adjacent_start.data[g]; k < dem->adjacent_start.data[g + 1]; k++) {
            size_t slot = (size_t)dem->adjacent.data[k];
            if (dem->springs[slot].row[3] != dem->now) continue;
            const MrnRow *rows = dem->contact_force + 2 * (size_t)dem->slot_contact[slot];
            MrnRow force = rows[0] * only_vector, moment = rows[1] * only_vector;
            if (dem->pair_a[slot] == (int32_t)g)
                dem->f[g] += force, dem->t[g] += rows[0][3] * moment;
            else
                dem->f[g] -= force, dem->t[g] += rows[1][3] * moment;
        }
}

void mrn_dem_forces(MrnDemPass *pass) {
    MrnDem *dem = pass->dem;
    MrnThreads *threads = pass->world->threads;
    dem->now++;
    if (dem->load)
        for (size_t g = 0; g < dem->count; g++) dem->f[g] = dem->load[2 * g], dem->t[g] = dem->load[2 * g + 1];
    else {
        memset(dem->f, 0, dem->count * sizeof *dem->f);
        memset(dem->t, 0, dem->count * sizeof *dem->t);
    }
    size_t blocks = (dem->pair_count + MRN_DEM_DETECT - 1) / MRN_DEM_DETECT;
    mrn_threads_for(threads, blocks, 1, detect, pass);
    collect(dem, blocks);
    blocks = (dem->contact_count + MRN_DEM_BLOCK - 1) / MRN_DEM_BLOCK;
    mrn_array_resize(&dem->sums, blocks);
    mrn_threads_for(threads, blocks, 1, pair_blocks, pass);
    if (mrn_threads_count(threads) > 1) {
        for (size_t c = 0; c < dem->contact_count; c++) dem->slot_contact[dem->contact_slot[c]] = (int32_t)c;
        mrn_threads_for(threads, dem->count, 1024, gather_forces, pass);
    }
    MrnDemSums *sum = &pass->sums;
    *sum = (MrnDemSums){0};
    for (size_t block = 0; block < blocks; block++) {
        const MrnDemSums *part = &dem->sums.data[block];
        sum->loss += part->loss;
        sum->overlap = part->overlap > sum->overlap ? part->overlap : sum->overlap;
        sum->fresh += part->fresh;
    }
    if (dem->obstacle_count) mrn_dem_walls(pass);
}
