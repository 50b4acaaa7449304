// The base room: threads that give the same sums, memory that stays apart, keyed random numbers, quaternions.
#include "core_support.h"

#include "base/hash.h"
#include "base/simd.h"
#include "base/threads.h"
#include "base/vec.h"

#define ITEMS 10007

typedef struct Squares {
    double value[ITEMS];
    int visits[ITEMS];
} Squares;

static void square(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Squares *squares = context;
    for (size_t i = begin; i < end; i++) squares->value[i] = sqrt((double)i), squares->visits[i]++;
}

static double sum_with(int count) {
    Squares *squares = mrn_alloc_zero(1, sizeof *squares);
    MrnThreads *threads = mrn_threads_new(count);
    assert_int_equal(mrn_threads_count(threads), count);
    mrn_threads_for(threads, ITEMS, 16, square, squares);
    double sum = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(squares->visits[i], 1);
        sum += squares->value[i];
    }
    mrn_threads_free(threads);
    free(squares);
    return sum;
}

static void any_number_of_threads_visits_each_item_once_and_gives_the_same_sum(void **unused) {
    (void)unused;
    double alone = sum_with(1);
    for (int count = 2; count <= 9; count++) assert_memory_equal(&(double){sum_with(count)}, &alone, sizeof alone);
}

static void fewer_items_than_threads_or_none_are_no_trouble(void **unused) {
    (void)unused;
    MrnThreads *threads = mrn_threads_new(4);
    Squares *squares = mrn_alloc_zero(1, sizeof *squares);
    mrn_threads_for(threads, 0, 0, square, squares);
    mrn_threads_for(threads, 2, 0, square, squares);
    mrn_threads_for(NULL, 3, 0, square, squares);
    assert_int_equal(squares->visits[0], 2);
    assert_int_equal(squares->visits[2], 1);
    assert_int_equal(mrn_threads_count(NULL), 1);
    mrn_threads_free(threads);
    mrn_threads_free(NULL);
    free(squares);
}

#define ROUNDS 300

typedef struct Relay {
    MrnThreads *threads;
    int written[ROUNDS][8];
    int wrong[8];
} Relay;

/// Each thread writes its number of the round, waits, and must see the numbers of all the others.
static void relay(void *context, int thread, int thread_count) {
    Relay *race = context;
    for (int round = 0; round < ROUNDS; round++) {
        race->written[round][thread] = round + 1;
        mrn_threads_barrier(race->threads);
        for (int other = 0; other < thread_count; other++)
            race->wrong[thread] += race->written[round][other] != round + 1;
    }
}

static void nobody_passes_a_barrier_before_all_have_reached_it(void **unused) {
    (void)unused;
    for (int count = 1; count <= 4; count++) {
        Relay *race = mrn_alloc_zero(1, sizeof *race);
        race->threads = mrn_threads_new(count);
        mrn_threads_team(race->threads, relay, race);
        for (int t = 0; t < count; t++) assert_int_equal(race->wrong[t], 0);
        assert_int_equal(race->written[ROUNDS - 1][count - 1], ROUNDS);
        mrn_threads_free(race->threads);
        free(race);
    }
}

static void blocks_of_an_arena_are_aligned_and_never_overlap(void **unused) {
    (void)unused;
    MrnArena arena = {0};
    Draws draws = {1, 0};
    for (int turn = 0; turn < 3; turn++) {
        unsigned char *block[200];
        size_t size[200];
        for (int i = 0; i < 200; i++) {
            size[i] = (size_t)draw(&draws, 0, i % 50 == 49 ? 300000 : 3000);
            block[i] = mrn_arena_take(&arena, size[i], 1);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
            memset(block[i], i, size[i]);
        }
        for (int i = 0; i < 200; i++)
            for (size_t k = 0; k < size[i]; k++)
                if (block[i][k] != i) fail_msg("block %d was overwritten at byte %zu", i, k);
        mrn_arena_reset(&arena);
    }
    mrn_arena_free(&arena);
    mrn_arena_free(&arena);
}

static void an_arena_that_was_reset_holds_the_same_amount_in_one_piece(void **unused) {
    (void)unused;
    MrnArena arena = {0};
    for (int i = 0; i < 40; i++) mrn_arena_take(&arena, 10000, 8);
    mrn_arena_reset(&arena);
    char *first = mrn_arena_take(&arena, 10000, 8), *before = first;
    for (int i = 1; i < 40; i++) {
        char *next = mrn_arena_take(&arena, 10000, 8);
        assert_ptr_equal(next, before + 80000);
        before = next;
    }
    mrn_arena_free(&arena);
}

static void growing_arrays_keep_what_they_hold(void **unused) {
    (void)unused;
    MRN_ARRAY(int) numbers = {0};
    for (int i = 0; i < 5000; i++) mrn_array_push(&numbers, i * i % 977);
    assert_int_equal(numbers.count, 5000);
    for (int i = 0; i < 5000; i++) assert_int_equal(numbers.data[i], i * i % 977);
    mrn_array_resize(&numbers, 10);
    assert_int_equal(numbers.count, 10);
    mrn_array_free(&numbers);
    assert_null(numbers.data);
}

static void a_random_number_depends_on_its_key_alone(void **unused) {
    (void)unused;
    double late = mrn_random_unit(7, 11, 13);
    for (uint64_t i = 0; i < 100; i++) (void)mrn_random_unit(7, i, i);
    double again = mrn_random_unit(7, 11, 13);
    assert_memory_equal(&late, &again, sizeof late);
    assert_true(mrn_random_bits(7, 11, 13) != mrn_random_bits(7, 13, 11));
    assert_true(mrn_random_bits(7, 11, 13) != mrn_random_bits(11, 7, 13));
    assert_true(mrn_random_bits(7, 11, 13) != mrn_random_bits(7, 11, 14));
}

static void random_numbers_fill_their_range_evenly(void **unused) {
    (void)unused;
    enum { DRAWS = 100000, BINS = 20 };
    for (int along = 0; along < 3; along++) { // along the draw, the entity and the seed
        double sum = 0, product = 0, before = 0;
        int bin[BINS] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            double x = mrn_random_unit(along == 2 ? i : 5, along == 1 ? i : 3, along == 0 ? i : 9);
            assert_true(x >= 0 && x < 1);
            sum += x;
            bin[(int)(BINS * x)]++;
            product += (x - 0.5) * (before - 0.5);
            before = x;
        }
        close_to(sum / DRAWS, 0.5, 5 / sqrt(12.0 * DRAWS), "mean");
        close_to(product / DRAWS, 0, 5 / 12.0 / sqrt(DRAWS), "correlation of neighbours");
        double expected = (double)DRAWS / BINS, chi = 0;
        for (int b = 0; b < BINS; b++) chi += (bin[b] - expected) * (bin[b] - expected) / expected;
        below(chi, 50, "chi squared of 19 degrees of freedom");
    }
    for (uint64_t i = 0; i < 1000; i++) {
        double x = mrn_random_between(1, 2, i, -3, -2);
        assert_true(x >= -3 && x < -2);
    }
}

static void a_hash_sees_every_byte_and_the_length(void **unused) {
    (void)unused;
    unsigned char bytes[29] = {0};
    uint64_t seen[31];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        seen[i] = mrn_hash_bytes(4, bytes, sizeof bytes);
        bytes[i] = 0;
    }
    seen[29] = mrn_hash_bytes(4, bytes, sizeof bytes);
    seen[30] = mrn_hash_bytes(4, bytes, sizeof bytes - 1);
    for (int i = 0; i < 31; i++)
        for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
}

static void a_rotation_keeps_lengths_and_undoes_itself(void **unused) {
    (void)unused;
    Draws draws = {3, 0};
    for (int i = 0; i < 1000; i++) {
        MrnVec3 half = {draw(&draws, -2, 2), draw(&draws, -2, 2), draw(&draws, -2, 2)},
                v = {draw(&draws, -1, 1), draw(&draws, -1, 1), draw(&draws, -1, 1)};
        if (i % 3 == 0) half = mrn_scale3(1e-9, half);
        MrnQuat q = mrn_quat_exp(half);
        close_to(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14, "norm of a rotation");
        MrnVec3 turned = mrn_quat_rotate(q, v), back = mrn_quat_rotate(mrn_quat_conjugate(q), turned);
        close_to(mrn_norm3(turned), mrn_norm3(v), 1e-14, "length");
        close_to(mrn_norm3(mrn_sub3(back, v)), 0, 1e-14, "there and back");
        // Rodrigues' formula for the angle 2|half|.
        double angle = 2 * mrn_norm3(half);
        MrnVec3 k = mrn_normalize3(half);
        MrnVec3 wanted = mrn_axpy3(mrn_axpy3(mrn_scale3(cos(angle), v), sin(angle), mrn_cross3(k, v)),
                                   mrn_dot3(k, v) * (1 - cos(angle)), k);
        close_to(mrn_norm3(mrn_sub3(turned, wanted)), 0, 1e-14, "Rodrigues");
    }
}

static void tangents_complete_any_normal_to_a_right_handed_frame(void **unused) {
    (void)unused;
    Draws draws = {4, 0};
    for (int i = 0; i < 1000; i++) {
        MrnVec3 n = {draw(&draws, -1, 1), i % 4 ? draw(&draws, -1, 1) : 0, i % 7 ? draw(&draws, -1, 1) : 0}, t1, t2;
        if (mrn_norm3(n) < 1e-3) continue;
        n = mrn_normalize3(n);
        mrn_tangents3(n, &t1, &t2);
        close_to(mrn_norm3(t1), 1, 1e-15, "t1");
        close_to(mrn_dot3(n, t1), 0, 1e-15, "n.t1");
        close_to(mrn_norm3(mrn_sub3(mrn_cross3(n, t1), t2)), 0, 1e-15, "n x t1 - t2");
    }
}

static void transposing_lanes_moves_each_number_to_its_place(void **unused) {
    (void)unused;
    MrnLanes eight[8], four[4];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) eight[i][k] = 10 * i + k;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++) four[i][k] = k < 4 ? 10 * i + k : 10 * (i + 4) + k - 4;
    mrn_transpose8(eight);
    mrn_transpose4(four);
    for (int k = 0; k < 8; k++)
        for (int lane = 0; lane < 8; lane++) assert_true(eight[k][lane] == 10 * lane + k);
    for (int k = 0; k < 4; k++)
        for (int lane = 0; lane < 8; lane++) assert_true(four[k][lane] == 10 * lane + k);
}

static void every_error_code_has_its_text(void **unused) {
    (void)unused;
    assert_string_equal(mrn_error_name(MRN_OK), "no error");
    assert_string_equal(mrn_error_name(MRN_ERROR_UNSUPPORTED), "not possible with this solver, stepper or build");
    assert_string_equal(mrn_error_name((MrnErrorCode)99), "unknown error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_visits_each_item_once_and_gives_the_same_sum),
        cmocka_unit_test(fewer_items_than_threads_or_none_are_no_trouble),
        cmocka_unit_test(nobody_passes_a_barrier_before_all_have_reached_it),
        cmocka_unit_test(blocks_of_an_arena_are_aligned_and_never_overlap),
        cmocka_unit_test(an_arena_that_was_reset_holds_the_same_amount_in_one_piece),
        cmocka_unit_test(growing_arrays_keep_what_they_hold),
        cmocka_unit_test(a_random_number_depends_on_its_key_alone),
        cmocka_unit_test(random_numbers_fill_their_range_evenly),
        cmocka_unit_test(a_hash_sees_every_byte_and_the_length),
        cmocka_unit_test(a_rotation_keeps_lengths_and_undoes_itself),
        cmocka_unit_test(tangents_complete_any_normal_to_a_right_handed_frame),
        cmocka_unit_test(transposing_lanes_moves_each_number_to_its_place),
        cmocka_unit_test(every_error_code_has_its_text),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
