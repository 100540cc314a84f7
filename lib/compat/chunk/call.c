/*
 * call.c - what a context means for one call of libtessera.
 */
#include "chunk/call.h"

#include "blosc2/error.h"
#include "blosc2/threads.h"
#include "chunk/context.h"

// The shape of the blocks of a super-chunk, and the size of items that chunks do not record.
static void
set_surroundings(tess_chunk_options *options, const blosc2_schunk *sc)
{
    if (!sc || sc->typesize <= 0)
        return;
    if (sc->typesize > BLOSC_MAX_TYPESIZE)
        options->typesize = sc->typesize;
    if (sc->ndim < 1 || sc->ndim > TESS_MAX_NDIM || !sc->blockshape)
        return;
    options->typesize = sc->typesize;
    options->ndim = sc->ndim;
    for (int i = 0; i < sc->ndim; i++)
        options->blockshape[i] = sc->blockshape[i];
}

int
b2_call_init(struct b2_call *call, blosc2_context *context, const void *chunk)
{
    *call = (struct b2_call){.nthreads = 1};
    call->told = (struct b2_told){context->cparams, context->dparams, chunk};
    tess_chunk_options_init(&call->options);
    set_surroundings(&call->options, b2_context_schunk(context));
    call->nthreads = context->compresses ? context->cparams.nthreads : context->dparams.nthreads;
    if (!context->scratch) // works without one, too
        (void)!tess_chunk_scratch_open(&context->scratch, NULL);
    call->options.scratch = context->scratch;
    const int rc = b2_plugins_new(&call->told, &call->plugins);
    if (rc == 0)
        call->options.plugins = b2_plugins_lists(call->plugins);
    return rc;
}

void
b2_call_finish(struct b2_call *call)
{
    b2_plugins_free(call->plugins);
}

tess_status
b2_call_run(struct b2_call *call, tess_status (*step)(struct b2_call *call, void *arg), void *arg)
{
    tess_executor executor;

    tess_context_init(&call->threads);
    call->threads.threads = call->nthreads;
    if (b2_threads_executor(call->nthreads, &executor))
        call->threads.executor = &executor;
    call->options.context = call->nthreads > 1 ? &call->threads : NULL;
    const tess_status st = step(call, arg);
    call->options.context = NULL;
    return st;
}
