/*
 * request.c - what the caller of a proposal or a search asks for, checked and complete.
 */
#include "layout/private.h"

#include "api/take.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "cache/account.h"
#include "layout/blosc2_default.h"
#include "task/task.h"

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
tess_tuner_options_init_sized(tess_tuner_options *options, size_t struct_size)
{
    const tess_tuner_options own = {
        .struct_size = struct_size,
        .budget = BUDGET,
        .sample = SAMPLE,
        .disk_speed = DISK_SPEED,
    };
    sized_give(options, struct_size, &own, sizeof own);
}

static bool
is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static tess_status
check_tuner_options(const tess_tuner_options *options, tess_error *err)
{
    if (options->keep & ~(unsigned)KEEP_ALL)
        return err_set(err, TESS_ERR_ARG, -1, "keep has unknown bits: 0x%x", options->keep);
    if (!is_amount(options->budget) || !is_amount(options->disk_speed) ||
        !is_amount(options->disk_latency) || options->sample < 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "budget, sample, speed or latency of the disk is negative, or no number");
    if (!options->accesses && options->naccesses != 0)
        return err_set(err, TESS_ERR_ARG, -1, "%d accesses, but no list of them",
                       options->naccesses);
    return TESS_OK;
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

// The caller's options, and what they refer to.
static tess_status
take_tuner_options(struct request *r, const tess_tuner_options *options, tess_error *err)
{
    tess_tuner_options *const own = &r->options;
    tess_status st = TESS_OK;

    tess_tuner_options_init(own);
    if (options)
        TRY(sized_take(own, sizeof *own, TUNER_OPTIONS_LEAST, options, "tuner_options", err));
    TRY(check_tuner_options(own, err));
    TRY(take_context(&r->context, &r->executor, own->context, err));
    r->has_stored = own->stored;
    if (own->stored)
        TRY(take_params(&r->stored, own->stored, err));
out:
    return st;
}

int64_t
request_cache(const struct request *r)
{
    const int64_t cache = r->context.cache;
    return cache == TESS_CACHE_SHARED ? account_most_of_one() : cache;
}

tess_status
request_init(struct request *r, const tess_params *params, const tess_tuner_options *options,
             tess_error *err)
{
    tess_status st = TESS_OK;

    TRY(take_params(&r->base, params, err));
    TRY(take_tuner_options(r, options, err));
    TRY(check_shape(&r->base, err));
    clear_shapes(&r->base, r->options.keep);
    TRY(grids_automatic(&r->base, &r->automatic, &r->base.typesize, err)); // checks all of it
    machine_query(&r->machine);
    TRY(init_space(r, err));
    if (r->has_stored && r->stored.ndim != r->base.ndim)
        return err_set(err, TESS_ERR_ARG, -1, "the stored layout has %d dimensions, the array %d",
                       r->stored.ndim, r->base.ndim);
    st = mix_init(&r->mix, r->options.accesses, r->options.naccesses, r->base.ndim, r->base.shape,
                  err);
out:
    r->options.accesses = NULL; // what they refer to was copied
    r->options.context = NULL;
    r->options.stored = NULL;
    return st;
}

int
request_threads(const struct request *r)
{
    // More than CPUs, if the caller says so: the array may be for another machine.
    return r->context.threads > 0
               ? r->context.threads
               : task_threads(&(struct task_width){.executor = r->context.executor});
}
