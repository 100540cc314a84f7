/*
 * request.c - what the caller of a proposal or a search asks for, checked and complete.
 */
#include "layout/request.h"

#include "api/storage.h"
#include "base/checked.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

#define BUDGET 60.0 // seconds
#define SAMPLE (INT64_C(32) << 20) // bytes
#define DISK_SPEED 1000e6 // bytes per second

#define CHUNK_MOST (INT64_C(16) << 20) // bytes
#define BLOCK_LEAST (INT64_C(1) << 10)
#define BLOCK_OF_L2 2 // a block may be so many times as large as that cache

#define KEEP_ALL \
    (TESS_KEEP_CHUNKS | TESS_KEEP_BLOCKS | TESS_KEEP_CODEC | TESS_KEEP_LEVEL | TESS_KEEP_FILTERS)

TESS_API void
tess_tuner_options_init(tess_tuner_options *options)
{
    *options = (tess_tuner_options){
        .struct_size = sizeof *options,
        .budget = BUDGET,
        .sample = SAMPLE,
        .disk_speed = DISK_SPEED,
    };
}

static bool
is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static tess_status
check_options(const tess_tuner_options *options, tess_error *err)
{
    if (options->struct_size != sizeof *options)
        return err_set(err, TESS_ERR_ARG, -1,
                       "options of %zu bytes, not %zu: call tess_tuner_options_init()",
                       options->struct_size, sizeof *options);
    if (options->keep & ~(unsigned)KEEP_ALL)
        return err_set(err, TESS_ERR_ARG, -1, "keep has unknown bits: 0x%x", options->keep);
    if (!is_amount(options->budget) || !is_amount(options->disk_speed) ||
        !is_amount(options->disk_latency) || options->sample < 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "budget, sample, speed or latency of the disk is negative, or no number");
    if (!options->accesses && options->naccesses != 0)
        return err_set(err, TESS_ERR_ARG, -1, "%d accesses, but no list of them",
                       options->naccesses);
    if (options->stored && options->stored->struct_size != sizeof *options->stored)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the stored layout was not initialised by tess_params_init()");
    return options->context ? check_context(options->context, err) : TESS_OK;
}

// Of the search, so before the library is asked for its own choice.
static tess_status
check_shape(const tess_params *p, tess_error *err)
{
    if (p->ndim == 0)
        return err_set(err, TESS_ERR_ARG, -1, "an array without dimensions has one layout only");
    for (int i = 0; i < p->ndim && i < TESS_MAX_NDIM; i++)
        if (p->shape[i] == 0)
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d is empty: the shape that it will have is needed", i);
    return TESS_OK;
}

// What is not kept is chosen anew.
static void
clear_shapes(tess_params *p, unsigned keep)
{
    if (!(keep & TESS_KEEP_CHUNKS))
        memset(p->chunkshape, 0, sizeof p->chunkshape);
    if (!(keep & TESS_KEEP_BLOCKS))
        memset(p->blockshape, 0, sizeof p->blockshape);
}

static tess_status
init_space(struct request *r, tess_error *err)
{
    const tess_params *const p = &r->base;
    int64_t bytes = p->typesize;

    r->space = (struct grid_space){
        .ndim = p->ndim,
        .typesize = p->typesize,
        .chunk_most = CHUNK_MOST,
        .block_least = BLOCK_LEAST,
        .block_most = BLOCK_OF_L2 * r->machine.l2,
        .fixed_chunks = r->options.keep & TESS_KEEP_CHUNKS,
        .fixed_blocks = r->options.keep & TESS_KEEP_BLOCKS,
    };
    memcpy(r->space.shape, p->shape, sizeof r->space.shape);
    for (int i = 0; i < p->ndim; i++)
        if (!mul_i64(bytes, p->shape[i], &bytes))
            return err_set(err, TESS_ERR_LIMIT, -1, "the shape has more than 2^63 bytes");
    return TESS_OK;
}

static void
copy_options(struct request *r, const tess_tuner_options *options)
{
    r->options = *options;
    r->options.accesses = NULL;
    r->options.context = NULL;
    r->options.stored = NULL;
    if (options->context)
        r->context = *options->context;
    else
        tess_context_init(&r->context);
    r->has_stored = options->stored;
    if (options->stored)
        r->stored = *options->stored;
}

tess_status
request_init(struct request *r, const tess_params *params, const tess_tuner_options *options,
             tess_error *err)
{
    tess_tuner_options defaults;
    tess_status st = TESS_OK;

    tess_tuner_options_init(&defaults);
    if (!options)
        options = &defaults;
    if (!params || params->struct_size != sizeof *params)
        return err_set(err, TESS_ERR_ARG, -1, "no params are given, or not by tess_params_init()");
    TRY(check_options(options, err));
    TRY(check_shape(params, err));
    copy_options(r, options);
    r->base = *params;
    clear_shapes(&r->base, r->options.keep);
    TRY(grids_automatic(&r->base, &r->automatic, &r->base.typesize, err)); // checks all of it
    machine_query(&r->machine);
    TRY(init_space(r, err));
    if (r->has_stored && r->stored.ndim != r->base.ndim)
        return err_set(err, TESS_ERR_ARG, -1, "the stored layout has %d dimensions, the array %d",
                       r->stored.ndim, r->base.ndim);
    st = mix_init(&r->mix, options->accesses, options->naccesses, r->base.ndim, r->base.shape, err);
out:
    return st;
}
