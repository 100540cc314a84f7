/**
 * @file context.h
 * What the calls on an array may use: threads, memory.
 */
#ifndef TESSERA_CONTEXT_H
#define TESSERA_CONTEXT_H

#include "tessera/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
     * to be encoded once. 0: nothing is kept, and every write is encoded by the call that makes it.
     * Default TESS_CACHE_DEFAULT.
     */
    int64_t cache;

    /**
     * Bytes of items that calls on whole arrays (copying, concatenating, stacking, masks) may have
     * in memory at once. The more, the less of an array is decoded twice.
     * Default TESS_MEMORY_DEFAULT.
     */
    int64_t memory;
} tess_context;

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
