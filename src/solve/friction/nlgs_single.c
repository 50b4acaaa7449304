// Gauss-Seidel sweeps in single precision: the packs, filled lane by lane from the double side, and the loop over
// sweeps. The kernels are those of nlgs_kernel.h.
#define MRN_SINGLE
#include "base/dim.h"
#include "base/clock.h"
#include "solve/friction/nlgs_kernel.h"

#define CHECK_SWEEPS 20  ///< sweeps between two residuals
#define TEAM_PACKS   128 ///< below this number of packs the barriers cost more than the sweep

struct MrnNlgsSingle {
    PackSet set;
    MrnThreads *threads;
    size_t bodies;
};

size_t MRN_KIND_NAMED(mrn_nlgs_single_bytes)(void) {
    return sizeof(Pack) / MRN_LANES;
}

static size_t count_packs(const size_t *lanes, size_t colors) {
    size_t packs = 0;
    for (size_t c = 0; c < colors; c++) packs += (lanes[c] + MRN_LANES - 1) / MRN_LANES;
    return packs;
}

void MRN_KIND_NAMED(mrn_nlgs_single_layout)(MrnNlgsSingle *single, const size_t *lanes) {
    PackSet *set = &single->set;
    set->color_start[0] = 0;
    for (size_t c = 0; c < set->color_count; c++)
        set->color_start[c + 1] = set->color_start[c] + (lanes[c] + MRN_LANES - 1) / MRN_LANES;
    set->pack_count = set->color_start[set->color_count];
    for (size_t c = 0; c < set->color_count; c++) // those that no contact will fill
        for (size_t slot = set->color_start[c] * MRN_LANES + lanes[c]; slot < set->color_start[c + 1] * MRN_LANES;
             slot++)
            put_empty(&set->packs[slot / MRN_LANES], (int)(slot % MRN_LANES), set->ground);
    rest_bodies(set, set->velocity, 0, single->bodies + 1);
    rest_bodies(set, set->before, 0, single->bodies + 1);
}

MrnNlgsSingle *MRN_KIND_NAMED(mrn_nlgs_single_new)(size_t bodies, const double *mobility, size_t colors,
                                                   const size_t *lanes, MrnArena *arena, MrnThreads *threads) {
    MrnNlgsSingle *single = mrn_arena_take(arena, 1, sizeof *single);
    *single = (MrnNlgsSingle){.threads = threads, .bodies = bodies};
    PackSet *set = &single->set;
    size_t packs = count_packs(lanes, colors), numbers = (bodies + 1) * STRIDE;
    set->ground = (int32_t)bodies;
    set->mobility = mobility;
    set->color_count = colors;
    set->color_start = mrn_arena_take(arena, colors + 1, sizeof *set->color_start);
    set->packs = mrn_arena_take(arena, packs, sizeof *set->packs);
    set->velocity = mrn_arena_take(arena, numbers, sizeof *set->velocity);
    set->before = mrn_arena_take(arena, numbers, sizeof *set->before);
    double **sums[] = {&set->change, &set->along, &set->residual};
    for (int k = 0; k < 3; k++) *sums[k] = mrn_arena_take(arena, packs, sizeof(double));
    MRN_KIND_NAMED(mrn_nlgs_single_layout)(single, lanes);
    return single;
}

size_t MRN_KIND_NAMED(mrn_nlgs_single_color)(const MrnNlgsSingle *single, size_t color) {
    return single->set.color_start[color];
}

size_t MRN_KIND_NAMED(mrn_nlgs_single_packs)(const MrnNlgsSingle *single) {
    return single->set.pack_count;
}

void MRN_KIND_NAMED(mrn_nlgs_single_fill)(MrnNlgsSingle *single, size_t slot, const MrnNlgsLane *from) {
    put_lane(&single->set.packs[slot / MRN_LANES], (int)(slot % MRN_LANES), from);
}

void MRN_KIND_NAMED(mrn_nlgs_single_restart)(MrnNlgsSingle *single) {
    PackSet *set = &single->set;
    for (size_t k = 0; k < single->bodies * STRIDE; k++) set->before[k] -= set->velocity[k];
    rest_bodies(set, set->velocity, 0, single->bodies);
#ifdef MRN_ROUND // a body's mobility is no velocity
    for (size_t b = 0; b < single->bodies; b++) set->before[b * STRIDE + MOBILITY] = (MrnReal)set->mobility[b];
#endif
}

void MRN_KIND_NAMED(mrn_nlgs_single_rebase)(MrnNlgsSingle *single, size_t slot, const double *impulse,
                                            const double *velocity) {
    Pack *pack = &single->set.packs[slot / MRN_LANES];
    int lane = (int)(slot % MRN_LANES);
    put_impulse(pack, lane, impulse);
    for (int i = 0; i < MRN_DIM; i++) put(&pack->q[i], lane, velocity[i]);
}

void MRN_KIND_NAMED(mrn_nlgs_single_impulse)(const MrnNlgsSingle *single, size_t slot, double *p) {
    const Pack *pack = &single->set.packs[slot / MRN_LANES];
    for (int i = 0; i < MRN_DIM; i++)
        p[i] = (double)pack->p[i][slot % MRN_LANES] + (double)pack->low[i][slot % MRN_LANES];
}

typedef struct Team {
    MrnNlgsSingle *single;
    MrnNlgsSingleRun *run;
    int since_check;
    bool check, stop;
} Team;

/// Between sweeps, by thread 0.
static void plan(Team *team) {
    MrnNlgsSingleRun *run = team->run;
    const PackSet *set = &team->single->set;
    double change = sqrt(total(set->change, set->pack_count)) / set->q_norm;
    run->sweep++;
    team->since_check++;
    team->stop = run->sweep >= run->limit || mrn_wall_seconds() >= run->deadline;
    team->check = team->stop || change <= run->tolerance || team->since_check >= CHECK_SWEEPS;
    momentum_next(run->momentum, run->sweep, change, total(set->along, set->pack_count));
}

static void judge(Team *team) {
    MrnNlgsSingleRun *run = team->run;
    const PackSet *set = &team->single->set;
    run->residual = sqrt(total(set->residual, set->pack_count)) / set->q_norm;
    team->since_check = 0;
    if (!(run->residual > run->tolerance)) team->stop = true;
    momentum_watch(run->momentum, run->sweep, run->residual);
}

static void sweep_team(void *context, int thread, int thread_count) {
    Team *team = context;
    PackSet *set = &team->single->set;
    MrnThreads *threads = thread_count > 1 ? team->single->threads : NULL;
    size_t begin, end, body_begin, body_end;
    share(0, team->single->bodies, thread, thread_count, &body_begin, &body_end);
    for (;;) {
        MrnReal momentum = team->run->accelerate ? (MrnReal)team->run->momentum->factor : 0;
        extrapolate(set, momentum, body_begin, body_end);
        mrn_threads_barrier(threads);
        for (size_t c = 0; c < set->color_count; c++) {
            share(set->color_start[c], set->color_start[c + 1], thread, thread_count, &begin, &end);
            sweep_packs(set, momentum, begin, end);
            mrn_threads_barrier(threads);
        }
        if (thread == 0) plan(team);
        mrn_threads_barrier(threads);
        if (team->check) {
            share(0, set->pack_count, thread, thread_count, &begin, &end);
            residual_packs(set, begin, end);
            mrn_threads_barrier(threads);
            if (thread == 0) judge(team);
            mrn_threads_barrier(threads);
        }
        if (team->stop) return;
    }
}

void MRN_KIND_NAMED(mrn_nlgs_single_run)(MrnNlgsSingle *single, MrnNlgsSingleRun *run) {
    single->set.scale = run->scale;
    single->set.q_norm = run->q_norm;
    single->set.relaxation = (MrnReal)run->relaxation;
    Team team = {.single = single, .run = run};
    if (single->set.pack_count < TEAM_PACKS)
        sweep_team(&team, 0, 1);
    else
        mrn_threads_team(single->threads, sweep_team, &team);
}
