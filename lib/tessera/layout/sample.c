/*
 * sample.c - a part of an array that stands for all of it, in memory.
 */
#include "layout/private.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/swap.h"
#include "geom/shape.h"
#include "meta/dtype.h"
#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PIECES 4 // of a shortened axis
#define PIECE_LEAST 32 // items of a piece, else there are fewer

// Halve the longest axis until all fits.
static void
shorten(struct sample *s, int32_t typesize, int64_t size)
{
    for (;;) {
        const int64_t items = grids_items(s->ndim, s->shape);
        int longest = 0;

        for (int i = 1; i < s->ndim; i++)
            if (s->shape[i] > s->shape[longest])
                longest = i;
        if (s->ndim == 0 || items <= size / typesize || s->shape[longest] == 1)
            return;
        s->whole = false;
        s->shape[longest] = (s->shape[longest] + 1) / 2;
    }
}

static tess_status
sample_prepare(struct sample *s, const tess_params *array, int64_t size, tess_error *err)
{
    *s = (struct sample){.ndim = array->ndim, .whole = true};
    memcpy(s->shape, array->shape, sizeof s->shape);
    shorten(s, array->typesize, size);
    s->size = (size_t)(grids_items(s->ndim, s->shape) * array->typesize);
    s->items = mem_alloc(s->size);
    if (!s->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a sample of %zu bytes", s->size);
    return TESS_OK;
}

// The pieces of an axis: where piece k starts in the array and in the sample, and how long it is.
struct piece {
    int64_t from, to, length;
};

static int64_t
pieces_of(const struct sample *s, const tess_params *array, int axis)
{
    const int64_t most = s->shape[axis] / PIECE_LEAST;

    if (s->shape[axis] == array->shape[axis] || most < 1)
        return 1;
    return most < PIECES ? most : PIECES;
}

static struct piece
piece_of(const struct sample *s, const tess_params *array, int axis, int64_t k)
{
    const int64_t n = pieces_of(s, array, axis);
    const int64_t left_out = array->shape[axis] - s->shape[axis];
    struct piece p;

    p.to = s->shape[axis] * k / n;
    p.length = s->shape[axis] * (k + 1) / n - p.to;
    // what is left out lies in equal parts before, between and behind the pieces
    p.from = p.to + left_out / (n + 1) * (k + 1);
    return p;
}

static tess_status
take_sample_box(struct sample *s, const tess_params *array, const struct piece *pieces,
                tess_tuner_read_fn *read, void *from, tess_error *err)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], shape[TESS_MAX_NDIM];
    int64_t in_box[TESS_MAX_NDIM], in_sample[TESS_MAX_NDIM];
    int64_t size = array->typesize, offset = 0;

    shape_strides(s->ndim, s->shape, array->typesize, in_sample);
    for (int i = 0; i < s->ndim; i++) {
        start[i] = pieces[i].from;
        stop[i] = pieces[i].from + pieces[i].length;
        shape[i] = pieces[i].length;
        size *= shape[i];
        offset += pieces[i].to * in_sample[i];
    }
    if ((size_t)size == s->size)
        return read(start, stop, s->items, s->size, from, err);

    uint8_t *const box = mem_alloc((size_t)size);
    if (!box)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a piece of %" PRId64 " bytes", size);
    const tess_status st = read(start, stop, box, (size_t)size, from, err);
    shape_strides(s->ndim, shape, array->typesize, in_box);
    if (st == TESS_OK)
        ndcopy(s->ndim, shape, array->typesize, s->items + offset, in_sample, box, in_box);
    mem_free(box);
    return st;
}

tess_status
sample_take(struct sample *s, const tess_params *array, int64_t size, tess_tuner_read_fn *read,
            void *from, tess_error *err)
{
    tess_status st = sample_prepare(s, array, size, err);
    int64_t boxes = 1;

    for (int i = 0; i < s->ndim; i++)
        boxes *= pieces_of(s, array, i);
    for (int64_t n = 0; n < boxes && st == TESS_OK; n++) {
        struct piece pieces[TESS_MAX_NDIM];
        int64_t rest = n;

        for (int i = s->ndim - 1; i >= 0; i--) {
            const int64_t count = pieces_of(s, array, i);

            pieces[i] = piece_of(s, array, i, rest % count);
            rest /= count;
        }
        st = take_sample_box(s, array, pieces, read, from, err);
    }
    return st;
}

// -- without data

// A number in [0, 1) that the position determines.
static double
noise(uint64_t n)
{
    return (double)(sample_mix(n + RANDOM_STEP) >> 11) * 0x1p-53;
}

// Between 0 and 1000, with two decimals: waves along each axis, a little noise on them.
static double
field(int ndim, const int64_t *index, int64_t number)
{
    double waves = 0;

    for (int i = 0; i < ndim; i++)
        waves += sin((double)index[i] * 0.05 / (i + 1)) + 0.3 * sin((double)index[i] * 0.21 + i);
    return round(100 * (500 + 350 * waves / (ndim > 0 ? ndim : 1) + noise((uint64_t)number))) / 100;
}

// The bytes of an item with that value, little-endian.
static void
put_value(uint8_t *item, const tess_dtype *type, int32_t typesize, double v)
{
    const float single = (float)v;
    uint32_t bits_of_single;
    uint64_t bits = (uint64_t)(int64_t)v;

    if (type->kind == TESS_KIND_FLOAT && typesize == 4) {
        memcpy(&bits_of_single, &single, sizeof single);
        bits = bits_of_single;
    } else if (type->kind == TESS_KIND_FLOAT && typesize == 8) {
        memcpy(&bits, &v, sizeof v);
    } else if (type->kind == TESS_KIND_BOOL) {
        bits = bits > 500;
    }
    memset(item, 0, (size_t)typesize);
    for (int i = 0; i < typesize && i < 8; i++)
        item[i] = (uint8_t)(bits >> 8 * i);
}

tess_status
sample_generate(struct sample *s, const tess_params *array, int64_t size, tess_error *err)
{
    const tess_dtype type = dtype_parse(array->dtype);
    const tess_status st = sample_prepare(s, array, size, err);
    int64_t index[TESS_MAX_NDIM] = {0};
    int64_t number = 0;

    if (st != TESS_OK)
        return st;
    const int32_t word = type.order == '>' ? dtype_word(&type) : 1;
    for (size_t at = 0; at < s->size; at += (size_t)array->typesize, number++) {
        put_value(s->items + at, &type, array->typesize, field(s->ndim, index, number));
        if (word > 1)
            swap_bytes(s->items + at, (size_t)array->typesize, (size_t)word);
        for (int i = s->ndim - 1; i >= 0 && ++index[i] == s->shape[i]; i--)
            index[i] = 0;
    }
    return TESS_OK;
}

void
sample_close(struct sample *s)
{
    mem_free(s->items);
    s->items = NULL;
}
