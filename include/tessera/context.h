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
 * Resources of the calls on one array. Fill it with tess_context_init(), change what matters, and
 * pass it to the call that opens or creates the array, in tess_storage.context: it is copied.
 *
 * All arrays of a process share one pool of threads, which starts when a call first has enough
 * work. The calling thread works, too; small requests run on the calling thread alone.
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
