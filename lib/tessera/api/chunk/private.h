/*
 * private.h - what calls on stored chunks begin with; and what the program gives for chunks without
 * an array: tess_chunk_options, checked, with what they lead to, and how a chunk is to be made.
 */
#ifndef API_CHUNK_PRIVATE_H
#define API_CHUNK_PRIVATE_H

#include "api/check.h"
#include "array/chunks/chunks.h"
#include "base/error.h"
#include "base/plugin.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "chunk/scratch.h"
#include "task/task.h"

#include <tessera/chunk.h>
#include <tessera/params.h>

#include <inttypes.h>

// A call that looks at stored chunks begins; array_chunks_end() follows.
static inline tess_status
chunks_begin(const tess_array *a, tess_error *err)
{
    const tess_status st = check_no_view(a, err);
    return st == TESS_OK ? array_chunks_begin(a, err) : st;
}

static inline tess_status
check_number(const tess_array *a, int64_t n, tess_error *err)
{
    const int64_t nchunks = a->grid->g.nchunks;
    if (n < 0 || n >= nchunks)
        return err_set(err, TESS_ERR_ARG, -1, "chunk %" PRId64 " of an array with %" PRId64, n,
                       nchunks);
    return TESS_OK;
}

static inline tess_status
check_trust(tess_chunk_trust trust, tess_error *err)
{
    if (trust != TESS_CHUNK_UNTRUSTED && trust != TESS_CHUNK_TRUSTED)
        return err_set(err, TESS_ERR_ARG, -1, "%d is no trust", (int)trust);
    return TESS_OK;
}

// -- options.c

struct chunk_options {
    tess_chunk_options given; // all members
    tess_context context;
    tess_executor executor;
    struct plugins plugins;
    struct block_grid grid;
    struct chunk_scratch own;
};

// given NULL: the defaults. Ended by chunk_options_finish(), also after a failure.
tess_status chunk_options_take(struct chunk_options *o, const tess_chunk_options *given,
                               tess_error *err);
void chunk_options_finish(struct chunk_options *o); // zeroed: fine

// Shape of the blocks; NULL: unknown.
const struct block_grid *chunk_options_grid(const struct chunk_options *o);

// The scratch of the program, or one that lasts as long as the options; with a limit for blocks.
struct chunk_scratch *chunk_options_scratch(struct chunk_options *o, int64_t limit);

// The threads for a call of that cost.
struct task_width chunk_options_width(const struct chunk_options *o, int64_t cost);

// All but the blocks. The spec refers to *o.
tess_status chunk_spec_take(const tess_params *p, const struct chunk_options *o, size_t src_size,
                            struct chunk_spec *spec, tess_error *err);

#endif
