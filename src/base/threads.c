// Thread pool: workers wait for a team by spinning a little, since steps are many short loops, then on a condition
// variable; inside a team they spin on a counter.
#include "base/threads.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct MrnThreads {
    int count; ///< threads including the caller
    pthread_t *worker;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    MrnTeamTask *team;
    void *context;
    atomic_uint generation; ///< number of teams started; changes under the mutex
    atomic_int running;     ///< workers still in the present team; likewise
    bool quit;
    _Alignas(64) atomic_int arrived;
    _Alignas(64) atomic_uint phase;
};

typedef struct Start {
    MrnThreads *pool;
    int thread;
} Start;

/// Tells the core that this is a waiting loop, where it can be told.
static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#define SPINS 2000 ///< some tens of microseconds: longer than most serial pieces of a step, shorter than a time slice

static void *worker_main(void *argument) {
    Start start = *(Start *)argument;
    MrnThreads *pool = start.pool;
    free(argument);
    unsigned seen = 0;
    for (;;) {
        for (int spin = 0; spin < SPINS && atomic_load_explicit(&pool->generation, memory_order_relaxed) == seen;
             spin++)
            relax();
        pthread_mutex_lock(&pool->mutex);
        while (pool->generation == seen && !pool->quit) pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->quit) {
            pthread_mutex_unlock(&pool->mutex);
            return NULL;
        }
        seen = pool->generation;
        MrnTeamTask *team = pool->team;
        void *context = pool->context;
        pthread_mutex_unlock(&pool->mutex);
        team(context, start.thread, pool->count);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->running == 0) pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
    }
}

MrnThreads *mrn_threads_new(int count) {
    MrnThreads *pool = mrn_alloc_aligned(1, sizeof *pool);
    *pool = (MrnThreads){.count = 1};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->worker = mrn_alloc_zero((size_t)(count > 1 ? count : 1), sizeof *pool->worker);
    for (int thread = 1; thread < count; thread++) {
        Start *start = mrn_alloc(1, sizeof *start);
        *start = (Start){pool, thread};
        if (pthread_create(&pool->worker[thread], NULL, worker_main, start) != 0) {
            free(start); // fewer threads than asked for: slower, same results
            break;
        }
        pool->count = thread + 1;
    }
    return pool;
}

void mrn_threads_free(MrnThreads *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int thread = 1; thread < pool->count; thread++) pthread_join(pool->worker[thread], NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->done);
    free(pool->worker);
    free(pool);
}

int mrn_threads_count(const MrnThreads *pool) {
    return pool ? pool->count : 1;
}

void mrn_threads_team(MrnThreads *pool, MrnTeamTask *team, void *context) {
    if (!pool || pool->count == 1) {
        team(context, 0, 1);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->team = team;
    pool->context = context;
    pool->running = pool->count - 1;
    pool->generation++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    team(context, 0, pool->count);
    for (int spin = 0; spin < SPINS && atomic_load_explicit(&pool->running, memory_order_relaxed) > 0; spin++) relax();
    pthread_mutex_lock(&pool->mutex);
    while (pool->running > 0) pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

void mrn_threads_barrier(MrnThreads *pool) {
    if (!pool || pool->count == 1) return;
    unsigned phase = atomic_load_explicit(&pool->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) == pool->count - 1) {
        atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&pool->phase, 1, memory_order_release);
    } else {
        for (int spin = 0; atomic_load_explicit(&pool->phase, memory_order_acquire) == phase; spin++) {
            if (spin < 4096)
                relax();
            else { // more threads than cores: let the others run
                struct timespec nap = {0, 1000};
                nanosleep(&nap, NULL);
            }
        }
    }
}

typedef struct RangeJob {
    MrnRangeTask *task;
    void *context;
    size_t count;
} RangeJob;

static void range_team(void *context, int thread, int thread_count) {
    RangeJob *job = context;
    size_t begin = job->count * (size_t)thread / (size_t)thread_count;
    size_t end = job->count * ((size_t)thread + 1) / (size_t)thread_count;
    if (begin < end) job->task(job->context, begin, end, thread);
}

void mrn_threads_for(MrnThreads *pool, size_t count, size_t grain, MrnRangeTask *task, void *context) {
    if (!pool || pool->count == 1 || count <= grain) {
        if (count) task(context, 0, count, 0);
        return;
    }
    RangeJob job = {task, context, count};
    mrn_threads_team(pool, range_team, &job);
}
