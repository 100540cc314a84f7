/*
 * blocks.c - functions of the program that make or change blocks, on the threads of a call.
 *
 * As in c-blosc2, a program that asks for several threads has functions that may run on them.
 */
#include "chunk/blocks.h"

#include "blosc2/error.h"
#include "blosc2/threads.h"

#include <blosc2.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    TEMPORARY_BLOCKS = 4, // of the memory that a function gets
    LEAST = 128 << 10, // bytes of blocks that are worth a thread
};

struct work {
    b2_block_fn *run;
    void *arg;
    int32_t stop, blocksize;
    atomic_int next; // block
    atomic_int threads; // that have begun
    atomic_int code; // the first that is not 0
};

size_t
b2_blocks_room(int32_t blocksize)
{
    return TEMPORARY_BLOCKS * (size_t)blocksize;
}

static void
fail(struct work *w, int code)
{
    int none = 0;
    atomic_compare_exchange_strong(&w->code, &none, code);
}

static void
run_blocks(void *arg)
{
    struct work *const w = arg;
    const int tid = w->threads++;
    uint8_t *const temporary = malloc(b2_blocks_room(w->blocksize));

    if (!temporary)
        fail(w, b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for a function of the program"));
    while (w->code == 0) {
        const int32_t n = w->next++;
        if (n >= w->stop)
            break;
        const int code = w->run(w->arg, n, tid, temporary);
        if (code != 0)
            fail(w, code);
    }
    free(temporary);
}

int
b2_blocks_run(int nthreads, int32_t first, int32_t stop, int32_t blocksize, b2_block_fn *run,
              void *arg)
{
    struct work w = {.run = run, .arg = arg, .stop = stop, .blocksize = blocksize, .next = first};
    const int64_t count = stop - first, worth = count * blocksize / LEAST;
    int64_t threads = nthreads < count ? nthreads : count;

    threads = threads < worth ? threads : worth;
    b2_threads_run(threads > 1 ? (int)threads : 1, run_blocks, &w);
    return w.code;
}
