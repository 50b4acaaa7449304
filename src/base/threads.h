// A pool of threads that share loops.
//
// A loop whose items are independent gives the same bits for any number of threads; loops that sum write one partial
// result per item or per fixed block and add those in order afterwards.
#ifndef MRN_BASE_THREADS_H
#define MRN_BASE_THREADS_H
#include <stddef.h>

typedef struct MrnThreads MrnThreads;

MrnThreads *mrn_threads_new(int count); ///< count >= 1; 1 runs everything in the caller
void mrn_threads_free(MrnThreads *threads);
int mrn_threads_count(const MrnThreads *threads); ///< NULL counts as 1

/// Work on items [begin, end) as thread `thread` of the pool.
typedef void MrnRangeTask(void *context, size_t begin, size_t end, int thread);
/// Call `task` on pieces of [0, count), at least `grain` items each, and wait. `threads` may be NULL.
void mrn_threads_for(MrnThreads *threads, size_t count, size_t grain, MrnRangeTask *task, void *context);

/// Run `team(context, thread, thread_count)` on every thread at once; inside, mrn_threads_barrier synchronises.
typedef void MrnTeamTask(void *context, int thread, int thread_count);
void mrn_threads_team(MrnThreads *threads, MrnTeamTask *team, void *context);
void mrn_threads_barrier(MrnThreads *threads); ///< cheap spin barrier, for use inside a team
#endif
