// The broad phase against all pairs tried one by one.
#include "core_support.h"

#include "base/clock.h"
#include "collide/broad.h"

typedef struct Swarm {
    int dimension;
    size_t count;
    MrnProxy *proxies;
    MrnVec3 *velocity;
} Swarm;

static double part(const MrnVec3 *v, int k) {
    return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

/// Boxes with sizes from `small` to small * ratio, evenly on a logarithmic scale, in a cube of the given side.
static Swarm random_swarm(int dimension, size_t count, double small, double ratio, double side, uint64_t seed) {
    Draws draws = {seed, 0};
    Swarm swarm = {dimension, count, mrn_alloc_zero(count, sizeof(MrnProxy)), mrn_alloc_zero(count, sizeof(MrnVec3))};
    for (size_t i = 0; i < count; i++) {
        MrnProxy *proxy = &swarm.proxies[i];
        double size = small * pow(ratio, draw(&draws, 0, 1)), speed = 0.3 * size;
        MrnVec3 c = {draw(&draws, 0, side), draw(&draws, 0, side), dimension == 3 ? draw(&draws, 0, side) : 0};
        MrnVec3 h = {0.5 * size * draw(&draws, 0.3, 1), 0.5 * size * draw(&draws, 0.3, 1),
                     dimension == 3 ? 0.5 * size * draw(&draws, 0.3, 1) : 0};
        proxy->box = (MrnBox){mrn_sub3(c, h), mrn_add3(c, h)};
        proxy->slack = 0.1 * size;
        proxy->movable = draw(&draws, 0, 1) < 0.9;
        proxy->group = (int32_t)draw(&draws, 0, 6) - 2; // -1, 0: alone; 1..3: groups
        proxy->active = true;
        swarm.velocity[i] = mrn_vec3(draw(&draws, -speed, speed), draw(&draws, -speed, speed),
                                     dimension == 3 ? draw(&draws, -speed, speed) : 0);
    }
    return swarm;
}

static void free_swarm(Swarm *swarm) {
    free(swarm->proxies);
    free(swarm->velocity);
}

static bool touch(const Swarm *swarm, size_t i, size_t j, const MrnFatBox *boxes) {
    const MrnProxy *a = &swarm->proxies[i], *b = &swarm->proxies[j];
    if (!a->active || !b->active || !(a->movable || b->movable) || (a->group > 0 && a->group == b->group)) return false;
    for (int k = 0; k < swarm->dimension; k++)
        if (boxes ? boxes[i].high[k] < boxes[j].low[k] || boxes[j].high[k] < boxes[i].low[k]
                  : part(&a->box.high, k) < part(&b->box.low, k) || part(&b->box.high, k) < part(&a->box.low, k))
            return false;
    return true;
}

/// Every true overlap is listed, the list is sorted without doubles, and holds only pairs that may collide with
/// overlapping fat boxes.
static size_t list_is_right(const Swarm *swarm, const MrnBroad *broad, bool fresh) {
    size_t at = 0, overlaps = 0;
    for (size_t k = 0; k < broad->pairs.count; k++) {
        MrnPair pair = broad->pairs.data[k];
        assert_true(pair.a >= 0 && pair.a < pair.b && (size_t)pair.b < swarm->count);
        if (k)
            assert_true(broad->pairs.data[k - 1].a < pair.a ||
                        (broad->pairs.data[k - 1].a == pair.a && broad->pairs.data[k - 1].b < pair.b));
    }
    for (size_t i = 0; i < swarm->count; i++)
        for (size_t j = i + 1; j < swarm->count; j++) {
            bool listed =
                at < broad->pairs.count && (size_t)broad->pairs.data[at].a == i && (size_t)broad->pairs.data[at].b == j;
            at += listed;
            bool overlap = touch(swarm, i, j, NULL);
            overlaps += overlap;
            if (overlap && !listed) fail_msg("bodies %zu and %zu touch and are not listed", i, j);
            if (listed && fresh && !touch(swarm, i, j, broad->fat))
                fail_msg("bodies %zu and %zu are listed and far apart", i, j);
            if (listed && !(swarm->proxies[i].active && swarm->proxies[j].active))
                fail_msg("an absent body is listed: %zu, %zu", i, j);
        }
    assert_int_equal(at, broad->pairs.count);
    int *count = mrn_alloc_zero(swarm->count + 1, sizeof *count);
    for (size_t k = 0; k < broad->pairs.count; k++) count[broad->pairs.data[k].a]++, count[broad->pairs.data[k].b]++;
    for (size_t i = 0; i < swarm->count; i++)
        if (broad->pair_count[i] < 255) assert_int_equal(broad->pair_count[i], count[i]);
    free(count);
    return overlaps;
}

static void boxes_of_all_sizes_find_all_their_neighbours(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int r = 0; r < 4; r++) {
            double ratio = (double[]){1, 10, 100, 1e4}[r], side = dimension == 2 ? 10 : 3;
            Swarm swarm =
                random_swarm(dimension, 700, ratio > 1 ? 3 / ratio : 0.4, ratio, side, (uint64_t)(10 * dimension + r));
            MrnBroad *broad = mrn_broad_new(swarm.count);
            mrn_broad_update(broad, dimension, swarm.proxies, NULL);
            assert_true(list_is_right(&swarm, broad, true) > 100);
            mrn_broad_free(broad);
            free_swarm(&swarm);
        }
}

static void the_list_stays_right_while_bodies_move_appear_and_go(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Swarm swarm = random_swarm(dimension, 250, 0.01, 1e3, dimension == 2 ? 10 : 4, 77);
        for (size_t i = 0; i < swarm.count; i++) swarm.proxies[i].active = i % 4 != 0; // a quarter is born later
        MrnBroad *broad = mrn_broad_new(swarm.count);
        long before = 0, kept = 0;
        for (int s = 0; s < 150; s++) {
            double h = s % 10 == 0 ? 1 : 0.05;
            for (size_t i = 0; i < swarm.count; i++) {
                MrnProxy *proxy = &swarm.proxies[i];
                if (proxy->movable)
                    proxy->box = (MrnBox){mrn_axpy3(proxy->box.low, h, swarm.velocity[i]),
                                          mrn_axpy3(proxy->box.high, h, swarm.velocity[i])};
                if (i % 4 == 0 && i == (size_t)(4 * (s / 2))) proxy->active = true;
                if (s == 123 && i % 5 == 1) proxy->active = false;
            }
            mrn_broad_update(broad, dimension, swarm.proxies, NULL);
            list_is_right(&swarm, broad, broad->builds > before);
            kept += broad->builds == before;
            before = broad->builds;
        }
        assert_true(kept > 20); // lists are kept from step to step, so that the test is about old lists too
        mrn_broad_free(broad);
        free_swarm(&swarm);
    }
}

static MrnProxy proxy_of(const void *context, size_t body) {
    return ((const MrnProxy *)context)[body];
}

/// As a collider does it: only the boxes of bodies that are not covered are read, the others may be old.
static void a_few_bodies_get_new_pairs_without_a_new_search(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t count = 1500;
        Swarm swarm = random_swarm(dimension, count, 0.05, 30, dimension == 2 ? 25 : 8, 78);
        for (size_t i = 0; i < count; i++) swarm.proxies[i].active = i % 9 != 0; // some are born later
        swarm.proxies[17].box = (MrnBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 1, INFINITY}};
        swarm.proxies[17].movable = false, swarm.proxies[17].group = 0;
        MrnBroad *broad = mrn_broad_new(count);
        mrn_broad_build_all(broad, dimension, swarm.proxies, NULL);
        int32_t *changed = malloc(count * sizeof *changed);
        for (int s = 0; s < 400; s++) {
            size_t n = 0;
            for (size_t i = 0; i < count; i++) {
                MrnProxy *proxy = &swarm.proxies[i];
                // One in forty moves for a while, once nearly all.
                if (proxy->movable && ((i + (size_t)s / 40) % 40 == 0 || s == 200))
                    proxy->box = (MrnBox){mrn_axpy3(proxy->box.low, s == 200 ? 1 : 0.05, swarm.velocity[i]),
                                          mrn_axpy3(proxy->box.high, s == 200 ? 1 : 0.05, swarm.velocity[i])};
                if (i % 9 == 0 && i == (size_t)(9 * (s / 3))) proxy->active = true;
                if (i % 7 == 1 && i == (size_t)(7 * (s / 2) + 1) && i != 17) proxy->active = false;
                if (!mrn_broad_covers(broad, dimension, i, proxy->active, &proxy->box)) changed[n++] = (int32_t)i;
            }
            if (n && !mrn_broad_refresh(broad, dimension, proxy_of, swarm.proxies, changed, n, NULL))
                mrn_broad_build_all(broad, dimension, swarm.proxies, NULL);
            list_is_right(&swarm, broad, false);
        }
        assert_true(broad->refreshes > 100);
        assert_true(broad->builds > 1); // both ways were taken
        free(changed);
        mrn_broad_free(broad);
        free_swarm(&swarm);
    }
}

static void unbounded_obstacles_meet_whoever_reaches_them(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Swarm swarm = random_swarm(dimension, 300, 0.05, 100, 10, 5);
        double inf = INFINITY;
        swarm.proxies[17].box = (MrnBox){{-inf, -inf, -inf}, {inf, 1, inf}};   // ground below y = 1
        swarm.proxies[18].box = (MrnBox){{-inf, -inf, -inf}, {2, inf, inf}};   // wall left of x = 2
        swarm.proxies[19].box = (MrnBox){{-inf, -inf, -inf}, {inf, inf, inf}}; // an oblique half-space
        for (int i = 17; i < 20; i++) swarm.proxies[i].movable = false, swarm.proxies[i].group = 0;
        MrnBroad *broad = mrn_broad_new(swarm.count);
        mrn_broad_update(broad, dimension, swarm.proxies, NULL);
        assert_true(list_is_right(&swarm, broad, true) > 300);
        mrn_broad_free(broad);
        free_swarm(&swarm);
    }
}

/// Oblique walls: whoever is closer than margin and slack is listed, and nobody else.
static void a_half_space_meets_whoever_comes_near_and_nobody_else(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Swarm swarm = random_swarm(dimension, 500, 0.05, 20, 10, 15);
        MrnHalfSpace wall = {mrn_normalize3(mrn_vec3(1, -2, dimension == 3 ? 0.5 : 0)), -1.5};
        MrnProxy *ground = &swarm.proxies[3];
        ground->box = (MrnBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        ground->movable = false, ground->group = 0, ground->slack = 0.01, ground->half_space = &wall;
        MrnBroad *broad = mrn_broad_new(swarm.count);
        mrn_broad_update(broad, dimension, swarm.proxies, NULL);
        size_t near = 0, far = 0;
        for (size_t i = 0; i < swarm.count; i++) {
            if (i == 3 || !swarm.proxies[i].movable) continue;
            double least = 0, size = 0;
            for (int k = 0; k < dimension; k++) {
                double n = part(&wall.normal, k);
                least += n * part(n > 0 ? &swarm.proxies[i].box.low : &swarm.proxies[i].box.high, k);
                size += fabs(n) * swarm.proxies[i].slack;
            }
            bool listed = false;
            for (size_t k = 0; k < broad->pairs.count; k++) {
                MrnPair pair = broad->pairs.data[k];
                listed |= (pair.a == 3 && (size_t)pair.b == i) || (pair.b == 3 && (size_t)pair.a == i);
            }
            double gap = least - size - wall.offset - ground->slack;
            if (gap < -1e-5) assert_true(listed);
            if (gap > 1e-5) assert_false(listed);
            near += listed, far += !listed;
        }
        assert_true(near > 50 && far > 50);
        mrn_broad_free(broad);
        free_swarm(&swarm);
    }
}

static void bodies_far_from_the_origin_are_found_as_well(void **unused) {
    (void)unused;
    Swarm swarm = random_swarm(2, 200, 0.1, 10, 3, 6);
    for (size_t i = 0; i < swarm.count; i++)
        if (i % 2) { // cells so far out have no number of their own
            swarm.proxies[i].box.low.x += 1e12, swarm.proxies[i].box.high.x += 1e12;
        }
    MrnBroad *broad = mrn_broad_new(swarm.count);
    mrn_broad_update(broad, 2, swarm.proxies, NULL);
    assert_true(list_is_right(&swarm, broad, false) > 10);
    mrn_broad_free(broad);
    free_swarm(&swarm);
}

static void few_or_no_bodies_make_no_pairs(void **unused) {
    (void)unused;
    MrnBroad *none = mrn_broad_new(0);
    mrn_broad_update(none, 3, NULL, NULL);
    assert_int_equal(none->pairs.count, 0);
    mrn_broad_free(none);
    Swarm swarm = random_swarm(3, 2, 1, 1, 0.1, 9);
    MrnBroad *two = mrn_broad_new(2);
    for (int i = 0; i < 2; i++) swarm.proxies[i].group = 0, swarm.proxies[i].movable = true;
    mrn_broad_update(two, 3, swarm.proxies, NULL);
    assert_int_equal(two->pairs.count, 1);
    mrn_broad_free(two);
    free_swarm(&swarm);
}

static void any_number_of_threads_gives_the_same_list(void **unused) {
    (void)unused;
    Swarm swarm = random_swarm(3, 9000, 0.01, 100, 5, 8);
    MrnBroad *alone = mrn_broad_new(swarm.count);
    mrn_broad_update(alone, 3, swarm.proxies, NULL);
    assert_true(alone->pairs.count > 1000);
    for (int count = 2; count <= 5; count++) {
        MrnThreads *threads = mrn_threads_new(count);
        MrnBroad *shared = mrn_broad_new(swarm.count);
        mrn_broad_update(shared, 3, swarm.proxies, threads);
        assert_int_equal(shared->pairs.count, alone->pairs.count);
        assert_memory_equal(shared->pairs.data, alone->pairs.data, alone->pairs.count * sizeof(MrnPair));
        mrn_broad_free(shared);
        mrn_threads_free(threads);
    }
    mrn_broad_free(alone);
    free_swarm(&swarm);
}

/// Processor time of one build per body, the best of a few, at constant density.
static double cost_per_body(int dimension, size_t count, double ratio) {
    double side = pow((double)count, 1.0 / dimension), best = INFINITY;
    // The share of volume that bodies fill must not grow with their number: few large ones.
    Swarm swarm = random_swarm(dimension, count, 0.3, 1, side, 3);
    for (size_t i = 0; i < count; i += 1000) { // one body in a thousand is `ratio` times larger
        MrnVec3 c = swarm.proxies[i].box.low, h = mrn_scale3(0.15 * ratio, mrn_vec3(1, 1, 1));
        swarm.proxies[i].box = (MrnBox){mrn_sub3(c, h), mrn_add3(c, h)};
    }
    for (int turn = 0; turn < 5; turn++) {
        MrnBroad *broad = mrn_broad_new(count);
        double begin = mrn_cpu_seconds();
        mrn_broad_update(broad, dimension, swarm.proxies, NULL);
        best = fmin(best, mrn_cpu_seconds() - begin);
        mrn_broad_free(broad);
    }
    free_swarm(&swarm);
    return best / (double)count;
}

static void cost_grows_like_the_number_of_bodies(void **unused) {
    (void)unused;
    // A cost like n^2 would make this ratio 100, n^1.5 would make it 10; caches and first touches account for a factor
    // of a few.
    for (int dimension = 2; dimension <= 3; dimension++)
        below(cost_per_body(dimension, 100000, 10) / cost_per_body(dimension, 1000, 10), 8,
              "cost per body, 1e5 bodies over 1e3 bodies");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_all_sizes_find_all_their_neighbours),
        cmocka_unit_test(the_list_stays_right_while_bodies_move_appear_and_go),
        cmocka_unit_test(a_few_bodies_get_new_pairs_without_a_new_search),
        cmocka_unit_test(unbounded_obstacles_meet_whoever_reaches_them),
        cmocka_unit_test(a_half_space_meets_whoever_comes_near_and_nobody_else),
        cmocka_unit_test(bodies_far_from_the_origin_are_found_as_well),
        cmocka_unit_test(few_or_no_bodies_make_no_pairs),
        cmocka_unit_test(any_number_of_threads_gives_the_same_list),
        cmocka_unit_test(cost_grows_like_the_number_of_bodies),
    };
    return cmocka_run_group_tests_name("broad", tests, NULL, NULL);
}
