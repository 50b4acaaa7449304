// No overlap ever: many steps of a pack at 70 % under a wind that keeps turning, with the state looked at by another
// geometry library (GEOS) on sampled frames.
//
//   floe_overlap [STEPS] [FLOES] [CONCENTRATION] [SEED]      default 1e6 steps of 10 s, 60 floes, 0.7, 1
//
// Fails (exit code 3) if the stepper ever saw a gap <= 0, or GEOS a pair with a common point.
#include "base/memory.h"
#include <stdio.h>

#ifdef MORAINE_HAS_GEOS
#include "../tests/geos_overlap.h"

#include <string.h>
#include <time.h>

#define FRAMES 1000 ///< looked at by GEOS

/// The drift scene of the gallery for fewer floes, with a wind of 10 m/s that takes another direction every 6 h.
static MrnScene *pack_scene(double duration, int floes, double concentration, unsigned seed) {
    double half = 600 * sqrt(floes / 350.0);
    size_t winds = (size_t)(duration / 21600) + 2, room = 80 * winds + 100, used;
    char *wind = mrn_alloc(room, 1), packs[400], low[80], high[80], area[80], end[80];
    used = (size_t)snprintf(wind, room, "environment.wind.table=[");
    for (size_t k = 0; k < winds; k++)
        used += (size_t)snprintf(wind + used, room - used, "{time: %zu h, velocity: [%.3f m/s, %.3f m/s]},", 6 * k,
                                 10 * cos(2.0 * (double)k), 10 * sin(2.0 * (double)k));
    snprintf(wind + used, room - used, "]");
    snprintf(packs, sizeof packs,
             "generate=[{name: floe, seed: %u, floes: {zone: {box: {low: [%g m, %g m], high: [%g m, %g m]}}, "
             "concentration: %g, count: %d, largest: %g m, exponent: 2.7, "
             "thickness: {uniform: {low: 25 cm, high: 38 cm}}}}]",
             seed, 1 - half, 1 - half, half - 1, half - 1, concentration, floes, 0.5 * half);
    snprintf(low, sizeof low, "domain.low=[%g m, %g m]", -half, -half);
    snprintf(high, sizeof high, "domain.high=[%g m, %g m]", half, half);
    snprintf(area, sizeof area, "environment.ocean.area=%g m2", 4 * half * half);
    snprintf(end, sizeof end, "time.end=%.0f s", duration);
    MrnError error = {0};
    MrnScene *scene =
        mrn_scene_read("gallery:floe_drift", (const char *const[]){packs, low, high, area, wind, end}, 6, &error);
    if (!scene) fprintf(stderr, "floe_overlap: %s\n", error.message), exit(1);
    free(wind);
    return scene;
}

int main(int count, char **words) {
    long steps = count > 1 ? (long)atof(words[1]) : 1000000, every = steps / FRAMES > 0 ? steps / FRAMES : 1;
    int floes = count > 2 ? atoi(words[2]) : 60;
    double concentration = count > 3 ? atof(words[3]) : 0.7;
    if (steps < 1 || floes < 2 || !(concentration > 0))
        return fprintf(stderr, "floe_overlap [STEPS] [FLOES] [CONCENTRATION] [SEED]\n"), 2;
    MrnScene *scene = pack_scene(10.0 * (double)steps, floes, concentration, count > 4 ? (unsigned)atoi(words[4]) : 1);
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    if (!world) return fprintf(stderr, "floe_overlap: %s\n", error.message), 1;
    GEOSContextHandle_t geos = GEOS_init_r();
    double gap = INFINITY, least = INFINITY;
    long meeting = 0, frames = 0, overlaps = 0;
    MrnCollisionCount total = {0};
    for (long step = 1; step <= steps; step++) {
        MrnStepInfo info;
        if (!mrn_world_step(world, &info, &error)) return fprintf(stderr, "floe_overlap: %s\n", error.message), 1;
        mrn_collision_count_add(&total, &info);
        gap = fmin(gap, info.smallest_gap);
        overlaps += info.smallest_gap <= 0;
        if (step % every == 0) meeting += meeting_pairs(geos, scene->model, world, &least), frames++;
        if (step % (10 * every) == 0 && (step / (10 * every)) % 10 == 0)
            printf("%9ld steps  %8.1f s  collisions %lld  smallest gap %.3g m  GEOS: %ld frames, %ld pairs meet, least "
                   "distance %.3g m\n",
                   step, (double)clock() / CLOCKS_PER_SEC, (long long)total.collisions, gap, frames, meeting, least),
                fflush(stdout);
    }
    printf("%ld steps of %d floes at %g: %ld steps with an overlap; GEOS, %ld frames: %ld pairs with a common point, "
           "least distance %.3g m\n",
           steps, floes, concentration, overlaps, frames, meeting, least);
    printf("smallest gap %.3g m; %lld collisions, %lld problems: retries %lld, replaced %lld, failures %lld\n", gap,
           (long long)total.collisions, (long long)total.lcp_solves, (long long)total.lcp_retries,
           (long long)total.lcp_replaced, (long long)total.lcp_failures);
    GEOS_finish_r(geos);
    mrn_world_free(world);
    mrn_scene_free(scene);
    return overlaps || meeting ? 3 : 0;
}
#else
int main(void) {
    fputs("floe_overlap: not built with GEOS\n", stderr);
    return 1;
}
#endif
