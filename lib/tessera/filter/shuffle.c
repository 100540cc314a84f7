/*
 * shuffle.c - the filter shuffle: byte j of all items together, one plane for each j.
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
