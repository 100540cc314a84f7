/*
 * call.h - what a context means for one call of libtessera.
 */
#ifndef COMPAT_CHUNK_CALL_H
#define COMPAT_CHUNK_CALL_H

#include "blosc2/plugins.h"

#include <blosc2.h>
#include <tessera/chunk.h>

struct b2_call {
    tess_chunk_options options;
    tess_context threads;
    tess_error err; // of a step that failed
    struct b2_told told;
    struct b2_plugins *plugins;
    int nthreads;
};

// A call with the parameters of a context, that makes or reads a chunk; must not move. Ended by
// b2_call_finish(), also after a failure.
int b2_call_init(struct b2_call *call, blosc2_context *context, const void *chunk);
void b2_call_finish(struct b2_call *call);

// Run a step, on the threads of the context; returns its status.
tess_status b2_call_run(struct b2_call *call, tess_status (*step)(struct b2_call *call, void *arg),
                        void *arg);

#endif
