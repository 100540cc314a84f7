/*
 * options.h - what the program gives for chunks without an array: tess_chunk_options, checked, and
 * with what they lead to; and how a chunk is to be made.
 */
#ifndef API_CHUNK_OPTIONS_H
#define API_CHUNK_OPTIONS_H

#include "base/plugin.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "chunk/scratch.h"
#include "task/task.h"

#include <tessera/chunk.h>
#include <tessera/params.h>

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
