/*
 * call.c - what a context means for one call of libtessera.
 */
#include "compat/chunk/call.h"

#include "compat/blosc2/error.h"
#include "compat/chunk/context.h"
#include "compat/chunk/threads.h"

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

struct step {
    struct b2_call *call;
    tess_status (*step)(struct b2_call *call, void *arg);
    void *arg;
    tess_status st;
};

static void
run_step(void *arg, const tess_executor *executor)
{
    struct step *const s = arg;
    tess_context_init(&s->call->threads);
    s->call->threads.threads = s->call->nthreads;
    s->call->threads.executor = executor;
    s->call->options.context = s->call->nthreads > 1 ? &s->call->threads : NULL;
    s->st = s->step(s->call, s->arg);
    s->call->options.context = NULL;
}

tess_status
b2_call_run(struct b2_call *call, tess_status (*step)(struct b2_call *call, void *arg), void *arg)
{
    struct step s = {call, step, arg, TESS_OK};
    b2_threads_run(call->nthreads, run_step, &s);
    return s.st;
}
