/*
 * global.c - calls whose parameters belong to the process, as in Blosc 1.
 *
 * A call makes a context of the parameters as they are then, and keeps what the environment changed
 * in them. Calls do not wait for each other.
 */
#include "blosc2/error.h"
#include "blosc2/registry.h"
#include "chunk/context.h"
#include "chunk/environment.h"
#include "io/callbacks.h"

#include <blosc2.h>

#include <pthread.h>
#include <tessera/chunk.h>

struct settings {
    uint8_t codec;
    bool delta;
    int32_t blocksize;
    int splitmode;
    int16_t nthreads;
};

static const struct settings defaults = {BLOSC_BLOSCLZ, false, 0, BLOSC_FORWARD_COMPAT_SPLIT, 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for `now`
static struct settings now = {BLOSC_BLOSCLZ, false, 0, BLOSC_FORWARD_COMPAT_SPLIT, 1};

static struct settings
get(void)
{
    pthread_mutex_lock(&lock);
    const struct settings s = now;
    pthread_mutex_unlock(&lock);
    return s;
}

static void
set(const struct settings *s)
{
    pthread_mutex_lock(&lock);
    now = *s;
    pthread_mutex_unlock(&lock);
}

void
blosc2_init(void)
{
}

void
blosc2_destroy(void)
{
    set(&defaults);
    b2_registry_clear();
    b2_callbacks_clear();
}

int
blosc2_free_resources(void)
{
    return 0;
}

int16_t
blosc2_get_nthreads(void)
{
    return get().nthreads;
}

int16_t
blosc2_set_nthreads(int16_t nthreads)
{
    if (nthreads < 1)
        return (int16_t)b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%d threads", nthreads);
    pthread_mutex_lock(&lock);
    const int16_t before = now.nthreads;
    now.nthreads = nthreads;
    pthread_mutex_unlock(&lock);
    return before;
}

const char *
blosc1_get_compressor(void)
{
    const char *name;
    (void)blosc2_compcode_to_compname(get().codec, &name);
    return name;
}

int
blosc1_set_compressor(const char *compname)
{
    const int code = blosc2_compname_to_compcode(compname);
    if (code >= BLOSC_LAST_CODEC)
        return b2_fail(BLOSC2_ERROR_CODEC_SUPPORT, "%s is no codec of Blosc", compname);
    if (code < 0)
        return -1;
    pthread_mutex_lock(&lock);
    now.codec = (uint8_t)code;
    pthread_mutex_unlock(&lock);
    return code;
}

void
blosc2_set_delta(int dodelta)
{
    pthread_mutex_lock(&lock);
    now.delta = dodelta != 0;
    pthread_mutex_unlock(&lock);
}

int
blosc1_get_blocksize(void)
{
    return get().blocksize;
}

void
blosc1_set_blocksize(size_t blocksize)
{
    pthread_mutex_lock(&lock);
    now.blocksize = blocksize > BLOSC2_MAXBLOCKSIZE ? BLOSC2_MAXBLOCKSIZE : (int32_t)blocksize;
    pthread_mutex_unlock(&lock);
}

void
blosc1_set_splitmode(int splitmode)
{
    pthread_mutex_lock(&lock);
    now.splitmode = splitmode;
    pthread_mutex_unlock(&lock);
}

// -- compress

static blosc2_cparams
cparams_of(const struct settings *s, int clevel, int doshuffle, int32_t typesize)
{
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    c.compcode = s->codec;
    c.clevel = (uint8_t)(clevel < 0 || clevel > 9 ? UINT8_MAX : clevel);
    c.typesize = typesize;
    c.nthreads = s->nthreads;
    c.blocksize = s->blocksize;
    c.splitmode = s->splitmode;
    c.filters[BLOSC2_MAX_FILTERS - 1] = BLOSC_NOFILTER;
    b2_set_shuffle(c.filters, doshuffle, typesize);
    if (s->delta)
        c.filters[BLOSC2_MAX_FILTERS - 2] = BLOSC_DELTA;
    return c;
}

// What the environment set, later calls have, too.
static void
keep(const struct settings *before, const blosc2_cparams *c)
{
    const struct settings s = {
        .codec = c->compcode,
        .delta = c->filters[BLOSC2_MAX_FILTERS - 2] == BLOSC_DELTA,
        .blocksize = c->blocksize,
        .splitmode = c->splitmode,
        .nthreads = c->nthreads,
    };
    if (s.codec != before->codec || s.delta != before->delta || s.blocksize != before->blocksize ||
        s.splitmode != before->splitmode || s.nthreads != before->nthreads)
        set(&s);
}

int
blosc2_compress(int clevel, int doshuffle, int32_t typesize, const void *src, int32_t srcsize,
                void *dest, int32_t destsize)
{
    const struct settings s = get();
    if (b2_environment_check() < 0)
        return BLOSC2_ERROR_INVALID_PARAM;
    blosc2_context *const context = blosc2_create_cctx(cparams_of(&s, clevel, doshuffle, typesize));
    if (!context)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    keep(&s, &context->cparams);
    const int rc = blosc2_compress_ctx(context, src, srcsize, dest, destsize);
    blosc2_free_ctx(context);
    return rc;
}

int
blosc1_compress(int clevel, int doshuffle, size_t typesize, size_t nbytes, const void *src,
                void *dest, size_t destsize)
{
    if (nbytes > BLOSC2_MAX_BUFFERSIZE)
        return b2_fail(BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED, "%zu bytes, a chunk has at most %d",
                       nbytes, BLOSC2_MAX_BUFFERSIZE);
    if (typesize > BLOSC2_MAXTYPESIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %zu bytes", typesize);
    return blosc2_compress(clevel, doshuffle, (int32_t)typesize, src, (int32_t)nbytes, dest,
                           destsize > INT32_MAX ? INT32_MAX : (int32_t)destsize);
}

// -- decompress

int
blosc2_decompress(const void *src, int32_t srcsize, void *dest, int32_t destsize)
{
    blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
    if (b2_environment_check() < 0)
        return BLOSC2_ERROR_INVALID_PARAM;
    dparams.nthreads = b2_environment_nthreads(get().nthreads);
    (void)blosc2_set_nthreads(dparams.nthreads);
    blosc2_context *const context = blosc2_create_dctx(dparams);
    if (!context)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    const int rc = blosc2_decompress_ctx(context, src, srcsize, dest, destsize);
    blosc2_free_ctx(context);
    return rc;
}

int
blosc1_decompress(const void *src, void *dest, size_t destsize)
{
    return blosc2_decompress(src, INT32_MAX, dest,
                             destsize > INT32_MAX ? INT32_MAX : (int32_t)destsize);
}

int
blosc2_getitem(const void *src, int32_t srcsize, int start, int nitems, void *dest,
               int32_t destsize)
{
    blosc2_context context = {.nchunk = -1, .dparams = BLOSC2_DPARAMS_DEFAULTS};
    const int rc = blosc2_getitem_ctx(&context, src, srcsize, start, nitems, dest, destsize);
    tess_chunk_scratch_close(context.scratch);
    return rc;
}

int
blosc1_getitem(const void *src, int start, int nitems, void *dest)
{
    return blosc2_getitem(src, INT32_MAX, start, nitems, dest, INT32_MAX);
}
