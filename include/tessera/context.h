/**
 * @file context.h
 * What the calls on an array may use: threads, memory; and who hears how far they are.
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
 * Hears how far a call is, and says whether it is to go on.
 *
 * Called by the thread that made the call, while that works: not before progress_interval has
 * passed, then about as often as that; last of all with done = total, when a call succeeds that
 * took as long. It must not use the arrays that the call is about, nor leave by longjmp() or an
 * exception. Several calls at once on one array tell each of itself.
 *
 * @param done   How much of the call is done; it does not get less.
 * @param total  How much there is: bytes of the items that the call is about, in the box, the
 *               selection, or the array that is made or changed. Only the ratio of the two is
 *               meant: items may be read and written, or not be touched at all.
 * @param user   progress_user of the context.
 *
 * @return true: go on. false: end the call as soon as it can be. It returns TESS_ERR_CANCELLED, as
 *         after any failure: an array that it changes is as it was, one that it makes is not made,
 *         memory that it reads into holds anything. test/examples/progress.c shows it.
 */
typedef bool tess_progress_fn(int64_t done, int64_t total, void *user);

/**
 * What the calls on one array may use. Fill it with tess_context_init(), change what matters, and
 * give it to the call that opens or creates the array, in tess_storage.context: it is copied.
 *
 * All arrays of a process share one pool of threads, started when a call first has work for it.
 * The calling thread works, too; small requests are done by it alone.
 */
typedef struct tess_context {
    /** sizeof(tess_context) of the program; set by tess_context_init(). */
    size_t struct_size;

    /**
     * At most so many threads work on one call, the caller's among them. 0: as many as there are
     * CPUs this process may use, or the environment variable TESS_NUM_THREADS says.
     */
    int threads;

    /**
     * Bytes of decoded blocks that the array keeps. Blocks that were read in part come from there
     * when the next read wants another part of them; blocks that were written in part wait there,
     * to be encoded once. 0, or less than four blocks: nothing is kept, and every write is encoded
     * by the call that makes it. The memory is allocated as blocks come, and kept until close.
     *
     * A read in part decodes a block as far as it has to, and only remembers that it did. A block
     * is decoded as a whole, and kept, when it is read in part for the second time; once all bytes
     * are in use, if that comes soon (before as many other blocks are missed as fit), and if blocks
     * that came as soon were used again. The block leaves that is used least. So rows, planes and
     * whatever fits are decoded once, one long scan pushes out nothing, and random reads of far
     * more than fits cost what they cost without.
     * Default TESS_CACHE_DEFAULT.
     */
    int64_t cache;

    /**
     * Bytes of items that calls on whole arrays (copying, concatenating, stacking) may have in
     * memory at once; or of a mask, and what is known of it (select.h). The more, the less of an
     * array is decoded twice.
     * Default TESS_MEMORY_DEFAULT.
     */
    int64_t memory;

    /**
     * Hears how far calls are that read, write, select, copy, iterate or reshape, and can cancel
     * them. Of an array that is made from others, its own context counts; of a view, that of the
     * array when the view was made. tess_array_set_progress() changes it later. Default NULL.
     */
    tess_progress_fn *progress;
    void *progress_user; /**< given to it; any value */
    /** Milliseconds between two of its calls, >= 0. Default TESS_PROGRESS_INTERVAL_DEFAULT. */
    int progress_interval;
} tess_context;

/** Milliseconds from one report of progress to the next if nothing else is said. */
#define TESS_PROGRESS_INTERVAL_DEFAULT 100

/** Bytes that calls on whole arrays take if nothing else is said: 256 MiB. */
#define TESS_MEMORY_DEFAULT ((int64_t)256 << 20)

/** Bytes of decoded blocks that an array keeps if nothing else is said: 32 MiB. */
#define TESS_CACHE_DEFAULT ((int64_t)32 << 20)

/** Set the defaults: all CPUs, TESS_CACHE_DEFAULT, TESS_MEMORY_DEFAULT. */
TESS_API void tess_context_init(tess_context *context);

#ifdef __cplusplus
}
#endif

#endif
