/*
 * constant.c - boxes that are one item again and again, known without decoding.
 */
#include "grid/write/constant.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/chunk.h"
#include "chunk/encode/encode.h"
#include "chunk/header.h"
#include "frame/commit/change.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/watched.h"
#include "geom/walk.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/read/plain.h"

#include <inttypes.h>
#include <string.h>

enum {
    WIDE = 64, // bytes of an item beyond which blocks may be smaller
    BLOCK_LEAST = 8, // bytes of a block: where it starts, and the length of a stream
};

static bool
constant_is_zeros(const uint8_t *item, int32_t size)
{
    return item[0] == 0 && memcmp(item, item + 1, (size_t)size - 1) == 0;
}

enum chunk_special
constant_special(const uint8_t *item, int32_t typesize)
{
    const struct chunk nans = {.h = {.special = SPECIAL_NANS, .typesize = typesize}};
    uint8_t nan[8];

    if (constant_is_zeros(item, typesize))
        return SPECIAL_ZEROS;
    if (typesize == 4 || typesize == 8) {
        chunk_special_bytes(&nans, 0, nan, (size_t)typesize);
        if (memcmp(item, nan, (size_t)typesize) == 0)
            return SPECIAL_NANS;
    }
    return SPECIAL_VALUE;
}

bool
constant_chunk(const struct chunk *c, int32_t typesize, uint8_t *item)
{
    int32_t period = 1; // bytes that come again

    if (c->h.special == SPECIAL_NONE)
        return false;
    if (c->h.special == SPECIAL_VALUE)
        period = c->item_size;
    if (c->h.special == SPECIAL_NANS)
        period = c->h.typesize;
    if (typesize % period != 0)
        return false;
    chunk_special_bytes(c, 0, item, (size_t)typesize);
    return true;
}

// Chunks that are compared with the first one.
struct look {
    const struct chunk_grid *grid; // no view
    struct watched watched; // the call
    bool stored; // open chunks that are not special in the list
    uint8_t *item; // of the first one
    uint8_t *other; // memory for that of another
    int64_t entry; // in the list, of the chunk before
    bool any; // there was one
};

static bool
listed_item(const struct look *l, int64_t entry, uint8_t *item)
{
    const int32_t typesize = l->grid->g.typesize;
    const enum chunk_special special = index_special(entry);
    const struct chunk c = {.h = {.special = special, .typesize = typesize}};
    if (special == SPECIAL_NONE || (special == SPECIAL_NANS && typesize != 4 && typesize != 8))
        return false;
    return constant_chunk(&c, typesize, item);
}

static tess_status
stored_item(const struct look *l, int64_t n, uint8_t *item, bool *is, tess_error *err)
{
    struct open_chunk *v = NULL;
    const tess_status st =
        open_chunks_get(l->grid, n, false, NULL, watched_progress(&l->watched), &v, err);
    *is = st == TESS_OK && constant_chunk(&v->stored.chunk, l->grid->g.typesize, item);
    open_chunk_release(v);
    return st;
}

static tess_status
compare_chunk(struct look *l, int64_t n, bool *same, tess_error *err)
{
    const int64_t entry = frame_entry(l->grid->frame, n);
    uint8_t *const item = l->any ? l->other : l->item;
    tess_status st = TESS_OK;

    *same = l->any && entry == l->entry;
    if (*same)
        return TESS_OK;
    if (entry < 0)
        *same = listed_item(l, entry, item);
    else if (l->stored)
        st = stored_item(l, n, item, same, err);
    if (l->any)
        *same = *same && memcmp(l->item, l->other, (size_t)l->grid->g.typesize) == 0;
    l->entry = entry;
    l->any = true;
    return st;
}

static tess_status
compare_plain(struct look *l, int64_t start, int64_t stop, bool *same, tess_error *err)
{
    const int64_t end = stop * l->grid->g.typesize;
    int64_t n = plain_chunk_at(l->grid, start * l->grid->g.typesize);
    tess_status st = TESS_OK;

    *same = true;
    for (; *same && st == TESS_OK && plain_chunk_start(l->grid, n) < end; n++)
        st = compare_chunk(l, n, same, err);
    return st;
}

static tess_status
constant_compare(struct look *l, const struct box *box, bool *same, tess_error *err)
{
    const struct geometry *const g = &l->grid->g;
    tess_status st = TESS_OK;
    struct walk w;

    if (frame_is_uniform(l->grid->frame))
        return compare_chunk(l, 0, same, err);
    if (l->grid->plain)
        return compare_plain(l, box->start[0], box->stop[0], same, err);
    *same = true;
    for (bool more = walk_chunks(&w, g, box); more && *same && st == TESS_OK; more = walk_next(&w))
        st = compare_chunk(l, w.index, same, err);
    return st;
}

tess_status
constant_box(const struct chunk_grid *grid, const struct box *box, enum constant_look look,
             struct watch *watch, uint8_t *item, bool *is, tess_error *err)
{
    uint8_t small[64];
    const bool wide = grid->g.typesize > (int32_t)sizeof small;
    struct look l = {.grid = grid, .item = item, .other = small};

    *is = false;
    if (cache_dirty_size(grid->cache) > 0)
        return TESS_OK;
    watched_init(&l.watched, watch);
    l.stored = look == CONSTANT_STORED && !grid->plain;
    if (wide)
        l.other = mem_alloc((size_t)grid->g.typesize);
    if (!l.other)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    const tess_status st = constant_compare(&l, box, is, err);
    *is = *is && st == TESS_OK;
    if (wide)
        mem_free(l.other);
    return st;
}

// Whether a box is all of the array.
static bool
is_all(const struct geometry *g, const struct box *box)
{
    for (int i = 0; i < g->ndim; i++)
        if (box->start[i] != 0 || box->stop[i] != g->shape[i] || (box->step && box->step[i] != 1))
            return false;
    return true;
}

tess_status
constant_set_all(struct chunk_grid *grid, const struct box *box, const uint8_t *item, bool *done,
                 tess_error *err)
{
    const enum chunk_special special = constant_special(item, grid->g.typesize);
    const struct frame_index *const list = frame_list(grid->frame);
    struct frame_index next;
    tess_status st = TESS_OK;

    *done = special != SPECIAL_VALUE && !list->entries &&
            list->uniform == special; // so are its clean blocks in the cache
    if (*done || special == SPECIAL_VALUE || !is_all(&grid->g, box))
        return TESS_OK;
    index_init_uniform(&next, list->nchunks, special);
    st = frame_rearrange(grid->frame, &next, NULL, err);
    if (st == TESS_OK)
        cache_forget_from(grid->cache, 0);
    *done = st == TESS_OK;
    return st;
}

bool
constant_is_chunk(const struct chunk_grid *grid, const uint8_t *item, int64_t n)
{
    const struct geometry *const g = &grid->g;
    bool padded = false;
    if (!grid->zero_padding)
        return true;
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t origin = n % g->grid[i] * g->chunkshape[i];
        padded |= g->extchunk[i] != g->chunkshape[i] || origin + g->chunkshape[i] > g->shape[i];
        n /= g->grid[i];
    }
    return !padded || constant_is_zeros(item, g->typesize);
}

bool
constant_pays(const uint8_t *item, const struct geometry *g)
{
    return g->typesize <= WIDE || g->typesize <= g->nblocks * BLOCK_LEAST ||
           constant_special(item, g->typesize) != SPECIAL_VALUE;
}

tess_status
constant_init(struct constant *c, const struct chunk_grid *grid, const uint8_t *item,
              tess_error *err)
{
    *c = (struct constant){.special = constant_special(item, grid->g.typesize)};
    if (c->special != SPECIAL_VALUE)
        return TESS_OK;
    c->bytes = mem_alloc((size_t)grid->g.typesize + CHUNK_HEADER_SIZE);
    if (!c->bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item of %" PRId32 " bytes",
                       grid->g.typesize);
    c->size = chunk_encode_value(&grid->encoder, item, c->bytes);
    return TESS_OK;
}

void
constant_finish(struct constant *c)
{
    mem_free(c->bytes);
    *c = (struct constant){0};
}

tess_status
constant_put(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
             const struct constant *c, tess_error *err)
{
    if (c->special != SPECIAL_VALUE)
        return frame_put_special(grid->frame, staged, n, c->special, err);
    return frame_put(grid->frame, staged, n, c->bytes, c->size, err);
}
