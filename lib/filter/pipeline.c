/*
 * pipeline.c - the transformations between items and codec, on one block.
 *
 * What pipeline_init() accepts can be undone on any bytes: all filters keep the size of a block,
 * and none looks at more than its widths, which are positive, and the grid, which is that of the
 * block. Filters that clear bits leave nothing to undo. Filters of the program are trusted to do
 * the same, but may refuse.
 *
 * Not here: the kernels (kernels.h), cutting a block into streams (chunk/).
 */
#include "filter/pipeline.h"

#include "filter/cells.h"
#include "filter/delta.h"
#include "filter/kernels.h"
#include "filter/truncate.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    OLD_RESTART = 16, // the first bytedelta restarts behind a multiple of this many bytes
    CELL_SIDE_MAX = 127, // that every reader takes, if written by us
    CELL_ITEM_MAX = 255, // the same
};

// Nothing to undo.
static bool
clears_bits(uint8_t id)
{
    return id == FILTER_TRUNC_PREC || id == FILTER_INT_TRUNC;
}

static bool
is_lossy(uint8_t id)
{
    return clears_bits(id) || id == FILTER_NDMEAN;
}

bool
filter_is_known(uint8_t id)
{
    switch (id) {
    case FILTER_NONE:
    case FILTER_SHUFFLE:
    case FILTER_BITSHUFFLE:
    case FILTER_DELTA:
    case FILTER_TRUNC_PREC:
    case FILTER_NDCELL:
    case FILTER_NDMEAN:
    case FILTER_BYTEDELTA_OLD:
    case FILTER_BYTEDELTA:
    case FILTER_INT_TRUNC:
        return true;
    default:
        return false;
    }
}

static tess_status
refuse(int id, int slot, tess_error *err)
{
    const char *why = "is not known";
    if (id >= TESS_PLUGIN_PRIVATE)
        why = "is private to some program, and not among the plugins of this one";
    return err_set(err, TESS_ERR_UNSUPPORTED, -1, "filter %d in slot %d %s", id, slot, why);
}

// The number of byte streams that a step works on, or the side of its cells; 0 for filters that
// have neither.
static int32_t
width_of(const struct filter_spec *spec, int slot)
{
    const int32_t meta = spec->metas[slot];
    switch (spec->ids[slot]) {
    case FILTER_SHUFFLE:
        return meta > 0 ? meta : spec->typesize;
    case FILTER_BYTEDELTA:
    case FILTER_BYTEDELTA_OLD:
        return meta > 0 ? meta : spec->frame_typesize;
    case FILTER_NDCELL:
    case FILTER_NDMEAN:
        return meta;
    default:
        return 0;
    }
}

static tess_status
check_cells(const struct filter_spec *spec, int slot, tess_error *err)
{
    const bool mean = spec->ids[slot] == FILTER_NDMEAN;
    const char *const name = mean ? "ndmean" : "ndcell";
    const int32_t side = spec->metas[slot];
    const tess_status bad = spec->from_caller ? TESS_ERR_ARG : TESS_ERR_CORRUPT;

    if (!spec->grid)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "filter %d in slot %d (%s) needs the shape of the blocks: this is no array",
                       spec->ids[slot], slot, name);
    if (!cells_match(spec->grid, spec->blocksize))
        return err_set(
            err, bad, -1,
            "%s needs blocks of 1 to %d dimensions, none empty; these have %d, and %" PRId32
            " bytes",
            name, CELLS_NDIM_MAX, spec->grid->ndim, spec->blocksize);
    if (mean && spec->grid->typesize != 4 && spec->grid->typesize != 8)
        return err_set(err, bad, -1, "ndmean on items of %" PRId32 " bytes, floats have 4 or 8",
                       spec->grid->typesize);
    if (side < 1 || (mean && side > CELL_SIDE_MAX) || (!mean && !cells_fit(spec->grid, side)))
        return err_set(err, bad, -1,
                       "%s with cells of side %" PRId32 " in blocks of %" PRId64 " items", name,
                       side, cells_nitems(spec->grid));
    return TESS_OK;
}

static const tess_user_filter *
find_user(const struct filter_spec *spec, uint8_t id)
{
    for (int i = 0; i < spec->nusers; i++)
        if (spec->users[i].id == id)
            return &spec->users[i];
    return NULL;
}

static tess_status
add_step(struct pipeline *p, const struct filter_spec *spec, int slot, tess_error *err)
{
    const uint8_t id = spec->ids[slot];
    const int32_t width = width_of(spec, slot);
    const tess_user_filter *user = NULL;

    switch (id) {
    case FILTER_SHUFFLE:
    case FILTER_BITSHUFFLE:
    case FILTER_TRUNC_PREC:
    case FILTER_INT_TRUNC:
        break;
    case FILTER_DELTA:
        p->has_delta = true;
        break;
    case FILTER_BYTEDELTA_OLD:
    case FILTER_BYTEDELTA:
        if (width < 1)
            return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                           "filter %d in slot %d is as wide as an item of the frame, which is "
                           "not known here",
                           id, slot);
        break;
    case FILTER_NDCELL:
    case FILTER_NDMEAN: {
        const tess_status st = check_cells(spec, slot, err);
        if (st != TESS_OK)
            return st;
        p->grid = *spec->grid;
        break;
    }
    default:
        user = find_user(spec, id);
        if (!user)
            return refuse(id, slot, err);
    }
    p->lossy |= user ? user->lossy : is_lossy(id);
    if (p->nfront == p->count && clears_bits(id))
        p->nfront++;
    p->step[p->count].id = id;
    p->step[p->count].meta = spec->metas[slot];
    p->step[p->count].width = width;
    p->step[p->count].user = user;
    p->count++;
    return TESS_OK;
}

tess_status
pipeline_init(const struct filter_spec *spec, struct pipeline *p, tess_error *err)
{
    *p = (struct pipeline){
        .typesize = spec->typesize,
        .block = plugin_block(spec->grid, spec->blocksize, spec->typesize),
        .old_bitshuffle = spec->old_bitshuffle,
    };
    p->block.clevel = spec->level;
    if (spec->typesize < 1 || spec->typesize > 255)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "filters on items of %" PRId32 " bytes, 1 to 255 can be", spec->typesize);
    for (int slot = 0; slot < FILTER_SLOTS; slot++) {
        if (spec->ids[slot] == FILTER_NONE)
            continue;
        const tess_status st = add_step(p, spec, slot, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

static int
signed_meta(uint8_t meta)
{
    return meta < 128 ? meta : meta - 256;
}

tess_status
pipeline_check_encode(const struct pipeline *p, tess_error *err)
{
    bool lost = false;
    for (int i = 0; i < p->count; i++) {
        const tess_user_filter *const user = p->step[i].user;
        const int meta = signed_meta(p->step[i].meta);
        switch (p->step[i].id) {
        case FILTER_BYTEDELTA_OLD:
            return err_set(err, TESS_ERR_ARG, -1, "filter %d is only read; write %d (bytedelta)",
                           FILTER_BYTEDELTA_OLD, FILTER_BYTEDELTA);
        case FILTER_TRUNC_PREC:
            if (trunc_prec_nbits(p->typesize, p->step[i].meta) < 0)
                return err_set(err, TESS_ERR_ARG, -1,
                               "trunc_prec with meta %d on items of %" PRId32 " bytes; -22 to -1 "
                               "and 1 to 23 can be for 4, -51 to -1 and 1 to 52 for 8",
                               meta, p->typesize);
            break;
        case FILTER_INT_TRUNC:
            if (int_trunc_nbits(p->typesize, p->step[i].meta) < 0)
                return err_set(err, TESS_ERR_ARG, -1,
                               "int_trunc with meta %d on items of %" PRId32 " bytes; fewer bits "
                               "than an item of 1, 2, 4 or 8 bytes has can be cleared",
                               meta, p->typesize);
            break;
        case FILTER_NDCELL:
        case FILTER_NDMEAN:
            if (p->grid.typesize > CELL_ITEM_MAX || p->step[i].width > CELL_SIDE_MAX ||
                (p->step[i].id == FILTER_NDMEAN && p->step[i].width > p->grid.shape[0]))
                return err_set(err, TESS_ERR_ARG, -1,
                               "cells of side %" PRId32 " of items of %" PRId32 " bytes, in blocks "
                               "of %" PRId32 " rows: the side can be %d, for ndmean the rows, and "
                               "items can have %d bytes",
                               p->step[i].width, p->grid.typesize, p->grid.shape[0], CELL_SIDE_MAX,
                               CELL_ITEM_MAX);
            break;
        case FILTER_DELTA:
            if (lost)
                return err_set(err, TESS_ERR_ARG, -1,
                               "delta behind a filter that loses information: its reference is "
                               "the block as it was before");
            break;
        default:
            if (user && !user->forward)
                return err_set(err, TESS_ERR_ARG, -1, "filter %d (%s) is only read", user->id,
                               user->name);
            break;
        }
        lost |= user ? user->lossy : is_lossy(p->step[i].id);
    }
    return TESS_OK;
}

bool
pipeline_brings_back(const struct pipeline *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->step[i].user ? p->step[i].user->lossy : p->step[i].id == FILTER_NDMEAN)
            return false;
    return true;
}

// How many of n items bitshuffle works on.
static size_t
bitshuffle_nitems(const struct pipeline *p, size_t n)
{
    if (p->old_bitshuffle)
        return n % 8 == 0 ? n : 0;
    return n - n % 8;
}

static void
copy_from(uint8_t *restrict dst, const uint8_t *restrict src, size_t at, size_t size)
{
    memcpy(dst + at, src + at, size - at);
}

static void
bytedelta(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, size_t width)
{
    const size_t q = size / width;
    if (q > 0)
        for (size_t j = 0; j < width; j++)
            filter_kernels()->bytedelta(dst + j * q, src + j * q, q);
    copy_from(dst, src, width * q, size);
}

static void
byteundelta(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, size_t width, bool old)
{
    byteundelta_fn *const undelta = filter_kernels()->byteundelta;
    const size_t q = size / width;
    const size_t first = old ? q - q % OLD_RESTART : q;

    for (size_t at = 0; q > 0 && at < width * q; at += q) {
        undelta(dst + at, src + at, first);
        undelta(dst + at + first, src + at + first, q - first);
    }
    copy_from(dst, src, width * q, size);
}

// Items of one byte are a plane already.
static bool
is_identity(const struct pipeline *p, int i)
{
    return p->step[i].id == FILTER_SHUFFLE && p->step[i].width == 1;
}

static bool
undoes_nothing(const struct pipeline *p, int i)
{
    return clears_bits(p->step[i].id) || is_identity(p, i);
}

// ref is NULL for block 0.
static void
apply(const struct pipeline *p, int i, uint8_t *restrict dst, const uint8_t *restrict src,
      size_t size, const uint8_t *restrict ref)
{
    const struct filter_kernels *const k = filter_kernels();
    const size_t width = (size_t)p->step[i].width;
    const size_t typesize = (size_t)p->typesize;
    size_t n;

    switch (p->step[i].id) {
    case FILTER_SHUFFLE:
        n = size / width;
        k->shuffle(dst, src, n, width);
        copy_from(dst, src, n * width, size);
        break;
    case FILTER_BITSHUFFLE:
        n = bitshuffle_nitems(p, size / typesize);
        k->bitshuffle(dst, src, n, typesize);
        copy_from(dst, src, n * typesize, size);
        break;
    case FILTER_DELTA:
        delta_forward(dst, src, size, p->typesize, ref);
        break;
    case FILTER_TRUNC_PREC:
        truncate_bits(dst, src, size, p->typesize, trunc_prec_nbits(p->typesize, p->step[i].meta));
        break;
    case FILTER_INT_TRUNC:
        truncate_bits(dst, src, size, p->typesize, int_trunc_nbits(p->typesize, p->step[i].meta));
        break;
    case FILTER_NDCELL:
        cells_forward(&p->grid, p->step[i].width, dst, src);
        break;
    case FILTER_NDMEAN:
        cells_forward(&p->grid, p->step[i].width, dst, src);
        cells_average(&p->grid, p->step[i].width, dst);
        break;
    default:
        assert(p->step[i].id == FILTER_BYTEDELTA);
        bytedelta(dst, src, size, width);
    }
}

static void
undo(const struct pipeline *p, int i, uint8_t *restrict dst, const uint8_t *restrict src,
     size_t size, const uint8_t *restrict ref)
{
    const struct filter_kernels *const k = filter_kernels();
    const size_t width = (size_t)p->step[i].width;
    const size_t typesize = (size_t)p->typesize;
    size_t n;

    switch (p->step[i].id) {
    case FILTER_SHUFFLE:
        n = size / width;
        k->unshuffle(dst, src, n, width);
        copy_from(dst, src, n * width, size);
        break;
    case FILTER_BITSHUFFLE:
        n = bitshuffle_nitems(p, size / typesize);
        k->bitunshuffle(dst, src, n, typesize);
        copy_from(dst, src, n * typesize, size);
        break;
    case FILTER_DELTA:
        delta_backward(dst, src, size, p->typesize, ref);
        break;
    case FILTER_NDCELL:
    case FILTER_NDMEAN:
        cells_backward(&p->grid, p->step[i].width, dst, src);
        break;
    default:
        byteundelta(dst, src, size, width, p->step[i].id == FILTER_BYTEDELTA_OLD);
    }
}

// Forward or backward, by a filter of the program.
static tess_status
run_user(const struct pipeline *p, int i, bool forward, uint8_t *dst, const uint8_t *src,
         size_t size, tess_error *err)
{
    const tess_user_filter *const user = p->step[i].user;
    tess_block block = p->block;
    block.user = user->user;
    block.meta = p->step[i].meta;
    const tess_status st =
        plugin_status((forward ? user->forward : user->backward)(&block, src, dst, size));
    if (st == TESS_OK)
        return st;
    return err_set(err, st, -1, "filter %d (%s) refuses a block of %zu bytes", user->id, user->name,
                   size);
}

tess_status
pipeline_forward(const struct pipeline *p, const uint8_t *block, int32_t nblock, const uint8_t *ref,
                 uint8_t *tmp1, uint8_t *tmp2, size_t size, const uint8_t **out, tess_error *err)
{
    assert(!p->has_delta || nblock == 0 || ref);
    const uint8_t *at = block;
    tess_status st = TESS_OK;
    for (int i = 0; i < p->count && st == TESS_OK; i++) {
        if (is_identity(p, i))
            continue;
        uint8_t *const dst = at == tmp1 ? tmp2 : tmp1;
        if (!p->step[i].user)
            apply(p, i, dst, at, size, nblock > 0 ? ref : NULL);
        else
            st = run_user(p, i, true, dst, at, size, err);
        at = dst;
    }
    *out = at;
    return st;
}

tess_status
pipeline_backward(const struct pipeline *p, int keep, const uint8_t *src, int32_t nblock,
                  const uint8_t *ref, uint8_t *tmp1, uint8_t *tmp2, size_t size,
                  const uint8_t **out, tess_error *err)
{
    assert(!p->has_delta || nblock == 0 || ref);
    const uint8_t *at = src;
    tess_status st = TESS_OK;
    for (int i = p->count - 1; i >= p->nfront + keep && st == TESS_OK; i--) {
        if (undoes_nothing(p, i))
            continue;
        uint8_t *const dst = at == tmp1 ? tmp2 : tmp1;
        if (!p->step[i].user)
            undo(p, i, dst, at, size, nblock > 0 ? ref : NULL);
        else
            st = run_user(p, i, false, dst, at, size, err);
        at = dst;
    }
    *out = at;
    return st;
}

int32_t
pipeline_planes(const struct pipeline *p, int32_t itemsize)
{
    const int first = p->nfront;
    if (first == p->count || p->step[first].id != FILTER_SHUFFLE ||
        p->step[first].width != itemsize)
        return 0;
    return itemsize;
}

bool
pipeline_is_undone(const struct pipeline *p, int keep)
{
    for (int i = p->nfront + keep; i < p->count; i++)
        if (!undoes_nothing(p, i))
            return false;
    return true;
}

bool
pipeline_keeps_items(const struct pipeline *p)
{
    for (int i = 0; i < p->count; i++)
        if (!is_lossy(p->step[i].id) && p->step[i].id != FILTER_NDCELL && !is_identity(p, i))
            return false;
    return true;
}
