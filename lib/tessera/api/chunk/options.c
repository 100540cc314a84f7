/*
 * options.c - what the program gives for chunks without an array.
 */
#include "api/chunk/private.h"

#include "api/take.h"
#include "api/uncancelled.h"
#include "array/open/params.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/sized.h"
#include "chunk/plugins.h"
#include "chunk/scratch.h"

#include <inttypes.h>

// -- the options of a call

struct tess_chunk_scratch {
    struct chunk_scratch scratch;
};

TESS_API tess_status
tess_chunk_scratch_open(tess_chunk_scratch **scratch, tess_error *err)
{
    UNCANCELLED;
    if (!scratch)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a scratch is given");
    *scratch = mem_zeroed(1, sizeof **scratch);
    return *scratch ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a scratch");
}

TESS_API void
tess_chunk_scratch_close(tess_chunk_scratch *scratch)
{
    UNCANCELLED;
    if (!scratch)
        return;
    scratch_finish(&scratch->scratch);
    mem_free(scratch);
}

TESS_API void
tess_chunk_options_init_sized(tess_chunk_options *options, size_t struct_size)
{
    const tess_chunk_options defaults = {.struct_size = struct_size};
    sized_give(options, struct_size, &defaults, sizeof defaults);
}

static tess_status
take_grid(struct chunk_options *o, tess_error *err)
{
    const tess_chunk_options *const given = &o->given;
    if (given->ndim < 0 || given->ndim > NDIM_MAX || given->typesize < (given->ndim > 0))
        return err_set(err, TESS_ERR_ARG, -1, "blocks of %d dimensions, items of %" PRId32 " bytes",
                       given->ndim, given->typesize);
    o->grid = (struct block_grid){.ndim = given->ndim, .typesize = given->typesize};
    for (int i = 0; i < given->ndim; i++) {
        if (given->blockshape[i] < 1 || given->blockshape[i] > BLOCK_NBYTES_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "axis %d: blocks of %" PRId64 " items", i,
                           given->blockshape[i]);
        o->grid.shape[i] = (int32_t)given->blockshape[i];
    }
    return TESS_OK;
}

tess_status
chunk_options_take(struct chunk_options *o, const tess_chunk_options *given, tess_error *err)
{
    *o = (struct chunk_options){.given = {.struct_size = sizeof o->given}};
    if (!given)
        return TESS_OK;
    tess_status st =
        sized_take(&o->given, sizeof o->given, SIZED_UP_TO(tess_chunk_options, partial_item), given,
                   "chunk_options", err);
    if (st == TESS_OK)
        st = take_grid(o, err);
    if (st == TESS_OK)
        st = take_context(&o->context, &o->executor, o->given.context, err);
    if (st == TESS_OK)
        st = plugins_init(&o->plugins, o->given.plugins, err);
    return st;
}

void
chunk_options_finish(struct chunk_options *o)
{
    plugins_finish(&o->plugins);
    scratch_finish(&o->own);
}

const struct block_grid *
chunk_options_grid(const struct chunk_options *o)
{
    return o->grid.ndim > 0 ? &o->grid : NULL;
}

struct chunk_scratch *
chunk_options_scratch(struct chunk_options *o, int64_t limit)
{
    struct chunk_scratch *const s = o->given.scratch ? &o->given.scratch->scratch : &o->own;
    s->limit = limit;
    return s;
}

struct task_width
chunk_options_width(const struct chunk_options *o, int64_t cost)
{
    if (!o->given.context)
        return (struct task_width){.threads = 1};
    return (struct task_width){
        .threads = o->context.threads, .executor = o->context.executor, .cost = cost};
}

// -- how a chunk is to be made

// The width of TESS_FILTER_BYTEDELTA if none is given: the itemsize, since a chunk without an array
// has no typesize of an array. The width is stored in one byte: for larger items, the width is the
// largest divisor of the itemsize that fits.
static uint8_t
bytedelta_width(int32_t itemsize)
{
    int32_t width = itemsize < UINT8_MAX ? itemsize : UINT8_MAX;
    while (itemsize % width != 0)
        width--;
    return (uint8_t)width;
}

static void
take_filters(const tess_params *p, struct chunk_spec *spec)
{
    for (int i = 0; i < FILTER_SLOTS; i++) {
        const bool told = p->filters[i] != TESS_FILTER_BYTEDELTA || p->filters_meta[i] != 0;
        spec->filters[i] = p->filters[i];
        spec->filters_meta[i] = told ? p->filters_meta[i] : bytedelta_width(spec->itemsize);
    }
}

tess_status
chunk_spec_take(const tess_params *p, const struct chunk_options *o, size_t src_size,
                struct chunk_spec *spec, tess_error *err)
{
    *spec = (struct chunk_spec){
        .plugins = &o->plugins,
        .codec = (int)p->codec,
        .codec_meta = p->codec_meta,
        .level = p->clevel,
        .split = (int)p->split,
        .dictionary = p->dictionary,
        .dictionary_always = p->dictionary_always,
    };
    tess_status st = params_typesize(p, &spec->itemsize, err);
    if (st == TESS_OK)
        st = params_check_coding(p, err);
    if (st != TESS_OK)
        return st;
    if (src_size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes, a chunk has at most %d", src_size,
                       CHUNK_NBYTES_MAX);
    spec->nbytes = (int32_t)src_size;
    take_filters(p, spec);
    return TESS_OK;
}
