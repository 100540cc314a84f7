/**
 * @file context.h
 * Resources of the calls on an array: threads and memory; and their progress function.
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
 * Work on a call: what the library submits to a tess_executor, which calls run(work) once, on a
 * thread of its own. Returns when nothing of the call is left to begin; at once if the call needs
 * no help any more, or has returned.
 *
 * @param work  As submitted; never looked into by the program.
 */
typedef void tess_work_fn(void *work);

/**
 * Hand over work to the threads of the program; see tess_executor.
 *
 * @param run   To be called with work: once, on any thread, at any time; or not at all.
 * @param work  No memory: nothing is to be freed. Several submissions may have the same value.
 * @param user  user of the executor.
 *
 * @return true: taken. false: refused; the call submits no more, and does without.
 */
typedef bool tess_submit_fn(tess_work_fn *run, void *work, void *user);

/**
 * Threads of the program that work on calls, in place of the threads of the library. Fill it with
 * tess_executor_init(), set submit, and pass it in tess_context.executor: it is copied.
 *
 * **What is submitted.** A call that has enough work (about 0.1 ms for each further thread) submits
 * at most as many works as further threads may help; all are alike. The calling thread does not
 * wait for them: it works itself, finishes the call alone if no work is run, and at the end waits
 * only for works that have begun. So it does not matter whether works are run soon, late or never,
 * on the thread that called, on one that is itself in a call, or within submit; and a pool all of
 * whose threads are in calls cannot deadlock. Work that is run after its call has ended returns at
 * once; work that is not run may be forgotten, since nothing is allocated for it.
 *
 * **Where submit runs.** On the thread that made the call, or on one that works on it, where a
 * function of the program (tess_each_fn, a codec) makes a call of its own. Several threads may be
 * in it at once. The library holds no lock of its own that run() needs, but the call may keep
 * writes to its array waiting: submit must not wait for other calls, and not call the library.
 *
 * **Where work runs.** On a thread with room on its stack as the library's own have: 256 KiB are
 * enough. It is occupied until nothing of the call is left to begin, and sleeps meanwhile if there
 * is nothing to do at the moment. Functions of the program (plugins, tess_each_fn) run
 * on it, too. A thread that works on a call already, or made one that works, returns from run() at
 * once: so submit may run the work itself, which gains nothing. But a function of the program that
 * the library calls must not run queued works while it waits for something else.
 *
 * **Memory.** run() sees what the calling thread wrote before the call, and the call's return comes
 * after all that works did: the executor needs no barriers for it.
 *
 * **The end.** user must stay valid until the array and its views are closed. run() is a function
 * of the library: before dlclose(), works that are queued must have been run or discarded. At the
 * end of the process nothing is to be done. In the child of a fork() calls submit as before, and
 * work alone if the executor has no threads there. Example: test/examples/hooks.c.
 */
typedef struct tess_executor {
    /** sizeof(tess_executor) of the program; set by tess_executor_init(). */
    size_t struct_size;
    tess_submit_fn *submit; /**< hands over work; not NULL */
    void *user; /**< passed to submit; any value */
    /**
     * Threads that the executor has, >= 0: a call submits at most so many works, for which
     * tess_context.threads may set a lower limit. 0 (default): as many as a call would have threads
     * of the library.
     */
    int threads;
} tess_executor;

/**
 * Set the defaults: no submit, and as many threads as CPUs.
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
 * All arrays of a process share one pool of threads, which starts when a call first has enough
 * work, unless the program has an executor for them. The calling thread works, too; small requests
 * run on the calling thread alone.
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
     * Size of the cache of decoded blocks, in bytes, or TESS_CACHE_SHARED: the array shares one
     * budget with all other arrays of the process that say so (process.h). Blocks that are read in
     * part come from the cache when a later read wants another part of them; blocks that are
     * written in part stay in it until they are written back (encoded), once. 0, or less than four
     * blocks: nothing is cached, and every write is encoded by the call itself. The memory is
     * allocated as blocks enter the cache, and freed by close; or earlier, with a shared budget,
     * when other arrays need it.
     *
     * Admission: the first partial read of a block decodes only what it needs, and the cache
     * remembers only that it happened. The second partial read decodes the whole block and admits
     * it. Once the cache is full, the second read must come soon (before as many other blocks were
     * missed as the cache holds), and blocks that came back as soon must have been used again
     * afterwards. Eviction: the block that is used least. As a result, rows, planes and whatever
     * fits are decoded once; one long scan evicts nothing; and random reads of far more than the
     * cache holds cost the same as without it.
     * Default TESS_CACHE_SHARED.
     */
    int64_t cache;

    /**
     * Bytes of items that calls on whole arrays (copying, concatenating, stacking) may hold in
     * memory at once; also the bytes of a mask and its counts (select.h). With more memory, less of
     * an array is decoded twice.
     * Default TESS_MEMORY_DEFAULT.
     */
    int64_t memory;

    /**
     * Receives the progress of calls that read, write, select, copy, iterate or reshape, and can
     * cancel them. A call that creates an array from others uses the context of the new array; a
     * view uses the context that its base had when the view was created.
     * tess_array_set_context() changes it later, for that handle alone. Default NULL.
     */
    tess_progress_fn *progress;
    void *progress_user; /**< passed to progress; any value */
    /** Milliseconds between two calls of progress, >= 0. Default TESS_PROGRESS_INTERVAL_DEFAULT. */
    int progress_interval;

    /**
     * Threads of the program that work on the calls instead of the library's own. A call that
     * creates an array from others uses the context of the new array to write, and those of the
     * others to read; a view uses that of its base. Copied, with its user. Default NULL: the
     * library's threads.
     */
    const tess_executor *executor;
} tess_context;

/** Default of tess_context.progress_interval, in milliseconds. */
#define TESS_PROGRESS_INTERVAL_DEFAULT 100

/** Default of tess_context.memory: 256 MiB. */
#define TESS_MEMORY_DEFAULT ((int64_t)256 << 20)

/**
 * Default of tess_context.cache: the budget of the process, tess_budgets.cache (process.h). An
 * array takes at most 32 MiB of it, or a quarter, whichever is more.
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
