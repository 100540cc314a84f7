/*
 * shuffle.c - the filters shuffle, byte j of all items together, one plane for each j; and
 * bitshuffle, bit k of byte j of all items together.
 *
 * Bitshuffle works on multiples of 8 items; those behind them are copied. Chunks of format version
 * 2 copy the whole block instead.
 *
 * Not here: the kernels (kernels.h).
 */
#include "filter/filters.h"
#include "filter/kernels.h"

// Items of one byte are a plane already.
static tess_status
shuffle_prepare(const struct filter_spec *spec, int slot, struct filter_step *step, tess_error *err)
{
    (void)slot;
    (void)err;
    step->width = step->meta > 0 ? step->meta : spec->typesize;
    step->is_identity = step->width == 1;
    return TESS_OK;
}

static tess_status
shuffle_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
                size_t size, tess_error *err)
{
    const size_t width = (size_t)call->step->width;
    const size_t n = size / width;

    (void)err;
    filter_kernels()->shuffle(dst, src, n, width);
    filter_copy_tail(dst, src, n * width, size);
    return TESS_OK;
}

static tess_status
shuffle_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
                 size_t size, tess_error *err)
{
    const size_t width = (size_t)call->step->width;
    const size_t n = size / width;

    (void)err;
    filter_kernels()->unshuffle(dst, src, n, width);
    filter_copy_tail(dst, src, n * width, size);
    return TESS_OK;
}

const struct filter filter_shuffle = {
    .id = TESS_FILTER_SHUFFLE,
    .name = "shuffle",
    .makes_planes = true,
    .prepare = shuffle_prepare,
    .forward = shuffle_forward,
    .backward = shuffle_backward,
};

// -- bitshuffle

// The number of items that are shuffled.
static size_t
shuffled_nitems(const struct filter_blocks *blocks, size_t size)
{
    const size_t n = size / (size_t)blocks->typesize;
    if (blocks->old_bitshuffle)
        return n % 8 == 0 ? n : 0;
    return n - n % 8;
}

static tess_status
bitshuffle_forward(const struct filter_call *call, uint8_t *restrict dst,
                   const uint8_t *restrict src, size_t size, tess_error *err)
{
    const size_t typesize = (size_t)call->blocks->typesize;
    const size_t n = shuffled_nitems(call->blocks, size);

    (void)err;
    filter_kernels()->bitshuffle(dst, src, n, typesize);
    filter_copy_tail(dst, src, n * typesize, size);
    return TESS_OK;
}

static tess_status
bitshuffle_backward(const struct filter_call *call, uint8_t *restrict dst,
                    const uint8_t *restrict src, size_t size, tess_error *err)
{
    const size_t typesize = (size_t)call->blocks->typesize;
    const size_t n = shuffled_nitems(call->blocks, size);

    (void)err;
    filter_kernels()->bitunshuffle(dst, src, n, typesize);
    filter_copy_tail(dst, src, n * typesize, size);
    return TESS_OK;
}

const struct filter filter_bitshuffle = {
    .id = TESS_FILTER_BITSHUFFLE,
    .name = "bitshuffle",
    .forward = bitshuffle_forward,
    .backward = bitshuffle_backward,
};
