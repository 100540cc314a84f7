/**
 * @file context.h
 * Resources of the calls on an array: threads, executor, cache and memory; and their progress
 * function.
 */
#ifndef TESSERA_CONTEXT_H
#define TESSERA_CONTEXT_H

#include "tessera/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Receives the progress of a call, and decides whether the call continues.
 *
 * Called by the thread that made the call, while that call works: for the first time after
 * progress_interval, then about once per interval. A successful call that took at least one
 * interval reports done = total at its end; the result of that last report is ignored. The function
 * must not use the arrays of the call, nor leave by longjmp() or an exception. Concurrent calls on
 * one array report their own progress each, so the function may run on several threads at once.
 *
 * @param done   How much of the call is done; never decreases during a call.
 * @param total  The whole call: bytes of the items in the box, the selection, or the array that is
 *               created or changed. Only the ratio done / total is meaningful: the call may read
 *               and write these bytes, or not touch them at all.
 * @param user   progress_user of the context.
 *
 * @return true: continue. false: end the call as soon as possible. The call then returns
 *         TESS_ERR_CANCELLED. As after any failure, an array that the call changes is as it was, a
 *         new array is not created, and the content of destination memory is undefined. Example:
 *         test/examples/progress.c.
 */
typedef bool tess_progress_fn(int64_t done, int64_t total, void *user);

/**
 * Help with a call: the function that the library submits to a tess_executor. The executor calls
 * run(work) once, on one of its threads. It returns when no part of the call is left to start; at
 * once if the call needs no help any more, or has returned.
 *
 * @param work  As submitted; opaque.
 */
typedef void tess_work_fn(void *work);

/**
 * Queue work for the threads of the program; see tess_executor.
 *
 * @param run   To be called with work: once, on any thread, at any time; or not at all.
 * @param work  An opaque value, not a pointer to memory: there is nothing to free. Several
 *              submissions may have the same value.
 * @param user  user of the executor.
 *
 * @return true: accepted. false: refused; the call submits no more, and works without more help.
 */
typedef bool tess_submit_fn(tess_work_fn *run, void *work, void *user);

/**
 * Run works and return when all have returned; see tess_executor.run_all.
 *
 * @param run    To be called with work, `count` times, on any threads, the calling one among them.
 * @param count  How many threads the call has work for, the calling one included; at least 2.
 * @param work   As tess_submit_fn has it.
 * @param user   user of the executor.
 */
typedef void tess_run_all_fn(tess_work_fn *run, int count, void *work, void *user);

/**
 * Threads of the program that work on calls, in place of the threads of the library. Fill it with
 * tess_executor_init(), set submit or run_all, and pass it in tess_context.executor: it is copied.
 *
 * **What is submitted.** A *work* is an offer to help with one call. A call that has enough to do
 * (about 0.1 ms for each further thread) submits at most one work for each further thread that may
 * help; all of them are equal. The calling thread does not wait for works to start: it works
 * itself, finishes the call alone if no work runs, and at the end waits only for works that have
 * started. So works may run soon, late or never, on any thread: on the calling thread, on a thread
 * that is itself in a call, or within submit. A pool cannot deadlock, even if all of its threads
 * are in calls. A work that runs after its call has ended returns at once. A work may be discarded
 * without being run, since nothing is allocated for it.
 *
 * **Where submit runs.** On the thread that made the call. If a function of the program
 * (tess_each_fn, a codec) makes a call on a thread that works on another call, that is such a
 * thread. Several threads may be in submit at once. The library holds no lock that run() needs, but
 * other writes to the array may be waiting for the call: submit must not wait for other calls, and
 * must not call the library, except run().
 *
 * **Where works run.** On a thread with a stack of at least 256 KiB. The work occupies the thread
 * until no part of the call is left to start, and sleeps while it waits for parts. Functions of the
 * program (plugins, tess_each_fn) run on that thread, too. On a thread that already works on a
 * call, or is in a call that submitted works, run() returns at once: so submit may call run()
 * itself, without any gain. A function of the program that the library calls must not run queued
 * works while it waits for something else.
 *
 * **Threads that are used in a block.** Where the program has a parallel loop (as of OpenMP) and no
 * queue, it sets run_all instead of submit: the call runs it once, where it would submit works, and
 * goes on when it returns. run() helps the call on the calling thread, too, within run_all. Works
 * that run one after the other, or not at all, are as good; else the rules are those of submit.
 *
 * **Memory order.** run() sees what the calling thread wrote before the call, and all that works
 * did happens before the call returns: the executor needs no barriers for that.
 *
 * **The end.** user must stay valid until the array and its views are closed. run() is a function
 * of the library: before dlclose(), queued works must have been run or discarded. Nothing has to be
 * done at the end of the process. In the child of a fork(), calls submit as before; they finish
 * alone if the executor has no threads there. Example: test/examples/hooks.c.
 */
typedef struct tess_executor {
    /** sizeof(tess_executor) of the program; set by tess_executor_init(). */
    size_t struct_size;
    tess_submit_fn *submit; /**< hands over work; NULL only with run_all */
    void *user; /**< passed to submit and run_all; any value */
    /**
     * Number of threads of the executor, >= 0. A call submits at most this number of works, and at
     * most tess_context.threads - 1 if that is set. 0 (default): the number of threads of the
     * library that a call would use.
     */
    int threads;
    tess_run_all_fn *run_all; /**< used instead of submit; NULL (default): submit is used */
    /**
     * Nanoseconds of work that are worth a further thread; 0 (default): 100,000. Less is for
     * threads that wake up faster.
     */
    int64_t least;
} tess_executor;

/**
 * Set the defaults: submit and run_all NULL, threads and least 0.
 *
 * @param executor     Receives them.
 * @param struct_size  Size of *executor in bytes: the macro passes sizeof(tess_executor).
 */
TESS_API void tess_executor_init_sized(tess_executor *executor, size_t struct_size);
/** For programs in C and C++: tess_executor_init_sized() with the size of their struct. */
#define tess_executor_init(executor) tess_executor_init_sized((executor), sizeof(tess_executor))

/**
 * Resources of the calls on one array. Fill it with tess_context_init(), change what matters, and
 * pass it to the call that opens or creates the array, in tess_storage.context: it is copied.
 *
 * All arrays of a process share one pool of threads, except arrays with an executor. The first call
 * that has enough work starts the pool. The calling thread works, too; small requests run on the
 * calling thread alone.
 */
typedef struct tess_context {
    /** sizeof(tess_context) of the program; set by tess_context_init(). */
    size_t struct_size;

    /**
     * Maximum number of threads that work on one call, the calling thread included. 0: the number
     * of CPUs that this process may use, or the environment variable TESS_NUM_THREADS.
     */
    int threads;

    /**
     * Size of the cache of decoded blocks, in bytes, or TESS_CACHE_SHARED (default): the array
     * shares one budget of 128 MiB with all other arrays of the process that have this value
     * (process.h). Blocks that are read in part come from the cache when a later read needs another
     * part of them; blocks that are written in part stay in it until they are written back
     * (encoded), once. 0, or less than four blocks: nothing is cached, and every write is encoded
     * by the call itself. The memory is allocated as blocks enter the cache, and freed by close;
     * with the shared budget also earlier, when other arrays need it.
     *
     * Admission: the first partial read of a block decodes only the part that it needs, and the
     * cache remembers only the number of the block. The second partial read decodes the whole block
     * and admits it. If the cache is full, a block is admitted only if the second read comes before
     * as many other blocks were missed as the cache holds, and if blocks that were admitted after a
     * similar interval were used again. Eviction: the least used block. As a result, rows, planes
     * and arrays that fit are decoded once; one long scan evicts nothing; and random reads of much
     * more than the cache holds cost the same as without it.
     */
    int64_t cache;

    /**
     * Bytes of items that calls on whole arrays may hold in memory at once: copy, concatenate,
     * stack (copy.h), reduce, downsample (reduce.h), compare (compare.h), tess_map(); also the
     * bytes of a mask and its counts (select.h). With more memory, fewer blocks are decoded twice.
     * Default TESS_MEMORY_DEFAULT.
     */
    int64_t memory;

    /**
     * Receives the progress of calls that read, write, select, copy, iterate, compute or reshape,
     * and can cancel them. A call that creates an array from others uses the context of the new
     * array; a view uses the memory and progress that its base had when the view was created.
     * tess_array_set_context() changes them later, for that array or view alone. Default NULL.
     */
    tess_progress_fn *progress;
    void *progress_user; /**< passed to progress; any value */
    /** Milliseconds between two calls of progress, >= 0. Default TESS_PROGRESS_INTERVAL_DEFAULT. */
    int progress_interval;

    /**
     * Threads of the program that work on the calls, instead of the library's threads. A call that
     * creates an array from others uses the executor of the new array to write, and those of the
     * others to read; a view uses that of its base. The struct is copied, the memory behind its
     * `user` is not. Default NULL: the library's threads.
     */
    const tess_executor *executor;

    /**
     * Bytes that a call may hold for reading ahead from a far source (tess_source.latency):
     * prefetched, or requested. A single range or chunk may be longer. A larger value keeps more
     * requests under way, up to tess_source.requests. Default TESS_AHEAD_DEFAULT; 0: the same.
     */
    int64_t ahead;
} tess_context;

/** Default of tess_context.progress_interval, in milliseconds. */
#define TESS_PROGRESS_INTERVAL_DEFAULT 100

/** Default of tess_context.ahead: 32 MiB. */
#define TESS_AHEAD_DEFAULT ((int64_t)32 << 20)

/** Default of tess_context.memory: 256 MiB. */
#define TESS_MEMORY_DEFAULT ((int64_t)256 << 20)

/**
 * Default of tess_context.cache: the budget that all arrays of the process share,
 * tess_budgets.cache (process.h), by default 128 MiB. One array takes at most 32 MiB of it, or a
 * quarter, whichever is more.
 */
#define TESS_CACHE_SHARED ((int64_t)-1)

/**
 * Set the defaults: all CPUs, TESS_CACHE_SHARED, TESS_MEMORY_DEFAULT.
 *
 * @param context      Receives them.
 * @param struct_size  Size of *context in bytes: the macro passes sizeof(tess_context).
 */
TESS_API void tess_context_init_sized(tess_context *context, size_t struct_size);
/** For programs in C and C++: tess_context_init_sized() with the size of their struct. */
#define tess_context_init(context) tess_context_init_sized((context), sizeof(tess_context))

#ifdef __cplusplus
}
#endif

#endif
