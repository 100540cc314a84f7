/*
 * delta.c - the filters that keep differences: delta, exclusive or with the element before, or with
 * the first block of the chunk; and bytedelta, differences inside each byte stream of a block.
 *
 * Of delta, the order of bytes inside an element does not matter: the size of elements says how far
 * back the one before is, and where the tail starts. The first version of bytedelta, which is only
 * read, restarts the sums behind the last multiple of 16 bytes of a stream.
 *
 * Not here: the kernels (kernels.h).
 */
#include "base/error.h"
#include "filter/filters.h"
#include "filter/kernels.h"

#include <string.h>

// -- delta

#define INLINE static inline __attribute__((always_inline))

static size_t
element_size(int32_t typesize)
{
    switch (typesize) {
    case 1:
    case 2:
    case 4:
        return (size_t)typesize;
    default:
        return typesize % 8 == 0 ? 8 : 1;
    }
}

static tess_status
delta_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
              size_t size, tess_error *err)
{
    xor_fn *const exclusive_or = filter_kernels()->exclusive_or;
    const size_t e = element_size(call->blocks->typesize);
    const size_t whole = size - size % e;

    (void)err;
    if (call->ref) {
        exclusive_or(dst, src, call->ref, whole);
    } else if (whole > 0) {
        memcpy(dst, src, e);
        exclusive_or(dst + e, src + e, src, whole - e);
    }
    filter_copy_tail(dst, src, whole, size);
    return TESS_OK;
}

// The running exclusive or of elements of e bytes, e a constant up to 8.
INLINE void
accumulate(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, size_t e)
{
    uint64_t sum = 0; // in its first e bytes, whichever order the machine has
    for (size_t i = 0; i < size; i += e) {
        uint64_t x = 0;
        memcpy(&x, src + i, e);
        sum ^= x;
        memcpy(dst + i, &sum, e);
    }
}

static tess_status
delta_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
               size_t size, tess_error *err)
{
    const size_t e = element_size(call->blocks->typesize);
    const size_t whole = size - size % e;

    (void)err;
    if (call->ref)
        filter_kernels()->exclusive_or(dst, src, call->ref, whole);
    else if (e == 8)
        accumulate(dst, src, whole, 8);
    else if (e == 4)
        accumulate(dst, src, whole, 4);
    else if (e == 2)
        accumulate(dst, src, whole, 2);
    else
        accumulate(dst, src, whole, 1);
    filter_copy_tail(dst, src, whole, size);
    return TESS_OK;
}

const struct filter filter_delta = {
    .id = TESS_FILTER_DELTA,
    .name = "delta",
    .needs_reference = true,
    .forward = delta_forward,
    .backward = delta_backward,
};

// -- bytedelta

enum { OLD_RESTART = 16 };

static tess_status
bytedelta_prepare(const struct filter_spec *spec, int slot, struct filter_step *step,
                  tess_error *err)
{
    step->width = step->meta > 0 ? step->meta : spec->frame_typesize;
    if (step->width < 1)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "filter %d in slot %d is as wide as an item of the frame, which is "
                       "not known here",
                       step->filter->id, slot);
    return TESS_OK;
}

static tess_status
bytedelta_forward(const struct filter_call *call, uint8_t *restrict dst,
                  const uint8_t *restrict src, size_t size, tess_error *err)
{
    const size_t width = (size_t)call->step->width;
    const size_t q = size / width;

    (void)err;
    if (q > 0)
        for (size_t j = 0; j < width; j++)
            filter_kernels()->bytedelta(dst + j * q, src + j * q, q);
    filter_copy_tail(dst, src, width * q, size);
    return TESS_OK;
}

// The sums of each stream start anew behind `first` of its q bytes.
static void
undo_streams(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, size_t width,
             size_t first)
{
    byteundelta_fn *const undelta = filter_kernels()->byteundelta;
    const size_t q = size / width;

    for (size_t at = 0; q > 0 && at < width * q; at += q) {
        undelta(dst + at, src + at, first);
        undelta(dst + at + first, src + at + first, q - first);
    }
    filter_copy_tail(dst, src, width * q, size);
}

static tess_status
bytedelta_backward(const struct filter_call *call, uint8_t *restrict dst,
                   const uint8_t *restrict src, size_t size, tess_error *err)
{
    const size_t width = (size_t)call->step->width;

    (void)err;
    undo_streams(dst, src, size, width, size / width);
    return TESS_OK;
}

static tess_status
bytedelta_old_backward(const struct filter_call *call, uint8_t *restrict dst,
                       const uint8_t *restrict src, size_t size, tess_error *err)
{
    const size_t width = (size_t)call->step->width;
    const size_t q = size / width;

    (void)err;
    undo_streams(dst, src, size, width, q - q % OLD_RESTART);
    return TESS_OK;
}

static tess_status
bytedelta_old_check_encode(const struct filter_blocks *blocks, const struct filter_step *step,
                           tess_error *err)
{
    (void)blocks;
    return err_set(err, TESS_ERR_ARG, -1, "filter %d is only read; write %d (bytedelta)",
                   step->filter->id, TESS_FILTER_BYTEDELTA);
}

const struct filter filter_bytedelta = {
    .id = TESS_FILTER_BYTEDELTA,
    .name = "bytedelta",
    .prepare = bytedelta_prepare,
    .forward = bytedelta_forward,
    .backward = bytedelta_backward,
};

const struct filter filter_bytedelta_old = {
    .id = FILTER_BYTEDELTA_OLD,
    .name = "bytedelta_buggy",
    .prepare = bytedelta_prepare,
    .check_encode = bytedelta_old_check_encode,
    .backward = bytedelta_old_backward,
};
