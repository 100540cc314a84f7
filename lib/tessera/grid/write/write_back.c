/*
 * write_back.c - small writes that wait in the block cache, to be encoded once.
 *
 * A write first gets hold of all blocks it touches, decoding what has to be kept of them, and opens
 * their chunks, whose other blocks will be kept: that may fail, and changes nothing. Then it copies
 * the items, with the gate closed.
 *
 * Blocks are written back in the order of chunks and blocks (store.h). They are those of chunks
 * that the call has the turn of, so they stay dirty, and as they are, until it is done.
 */
#include "grid/write/write_back.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/write/install.h"
#include "grid/write/private.h"
#include "grid/write/store.h"
#include "grid/write/turns.h"
#include "task/gate.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    SMALL_SHARE = 4, // of what may be dirty
    EDIT_SIZE = 552, // bytes that an edit counts, whatever it has: files depend on it
    PIECES = 4, // of what may be overwritten between two commits
    TURNS = 8, // for the oldest blocks, if there are other writers
    WHOLE_LEAST = 1 << 14, // bytes of whole chunks that do not wait
};

// Whether all chunks that the box meets are replaced: what they had is not needed, and nothing is
// gained by waiting for the rest of them.
static bool
replaces_chunks(const struct geometry *g, const struct box *box)
{
    for (int i = 0; i < g->ndim; i++)
        if ((box->step && box->step[i] != 1) || box->start[i] % g->chunkshape[i] != 0 ||
            (box->stop[i] % g->chunkshape[i] != 0 && box->stop[i] != g->shape[i]))
            return false;
    return true;
}

bool
write_back_wants(const struct chunk_grid *grid, const struct box *box, int64_t *size)
{
    const int64_t nbytes = geometry_blocks_nbytes(&grid->g, box);
    *size = nbytes;
    return cache_is_on(grid->cache) && nbytes <= cache_dirty_max(grid->cache) / SMALL_SHARE &&
           !(nbytes >= WHOLE_LEAST && replaces_chunks(&grid->g, box));
}

// The block's part of the box.
static void
box_copy_block(const struct geometry *g, const struct walk *chunk, const struct walk *block,
               const struct box_memory_const *src, uint8_t *items)
{
    int64_t stride[NDIM_MAX];
    int64_t to = 0, from = 0;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (int i = 0; i < g->ndim; i++) {
        to += block->lo[i] * stride[i];
        from += (chunk->from[i] + block->from[i]) * src->stride[i];
        stride[i] *= block->step[i];
    }
    converted_put(src, g->ndim, block->count, g->typesize, items + to, stride, src->items + from);
}

// -- boxes

struct box_hold {
    struct hold hold; // first
    struct walk chunks, blocks;
    bool more_chunks, more_blocks;
};

static bool
box_begin_blocks(struct box_hold *h)
{
    const struct geometry *const g = &h->hold.grid->g;
    return walk_blocks(&h->blocks, g, &h->chunks);
}

static bool
box_replaces_block(const struct box_hold *h)
{
    const struct geometry *const g = &h->hold.grid->g;
    for (int i = 0; i < g->ndim; i++)
        if (h->blocks.count[i] != g->blockshape[i])
            return false;
    return true;
}

static bool
hold_step(struct hold *hold)
{
    struct box_hold *const h = (struct box_hold *)hold;
    if (h->more_blocks)
        h->more_blocks = walk_next(&h->blocks);
    if (!h->more_blocks) {
        if (h->more_chunks && hold->n > 0)
            h->more_chunks = walk_next(&h->chunks);
        h->more_blocks = h->more_chunks && box_begin_blocks(h);
    }
    if (!h->more_blocks)
        return false;
    hold->chunk = h->chunks.index;
    hold->block = (int32_t)h->blocks.index;
    hold->replaced = box_replaces_block(h);
    return true;
}

// The box into blocks that others find, or into the others.
static void
box_copy(const struct chunk_grid *grid, const struct box *box, const struct box_memory_const *src,
         const struct held_block *held, bool found)
{
    const struct geometry *const g = &grid->g;
    struct walk c, b;
    for (bool chunks = walk_chunks(&c, g, box); chunks; chunks = walk_next(&c))
        for (bool more = walk_blocks(&b, g, &c); more; more = walk_next(&b), held++)
            if (held->found == found)
                box_copy_block(g, &c, &b, src, held->b->items);
}

// With the gate closed: the items of all blocks are set, or of those that nobody found.
static void
mark_held(struct hold *h)
{
    cache_begin_write(h->grid->cache);
    for (size_t i = 0; i < h->n; i++) {
        if (!h->blocks[i].found)
            hold_show(h->grid, &h->blocks[i]);
        cache_mark_dirty(h->grid->cache, h->blocks[i].b);
    }
}

tess_status
write_back_box(struct chunk_grid *grid, const struct box *box, const struct box_memory_const *src,
               tess_error *err)
{
    const struct geometry *const g = &grid->g;
    struct box_hold h = {.hold = {.grid = grid, .step = hold_step}};
    struct hold *const hold = &h.hold;

    h.more_chunks = walk_chunks(&h.chunks, g, box);
    gate_enter(grid->gate);
    const tess_status st = hold_blocks(hold, geometry_blocks_nbytes(g, box), err);
    gate_leave(grid->gate);
    if (st == TESS_OK) // blocks that are replaced: nobody looks at them yet
        box_copy(grid, box, src, hold->blocks, false);
    gate_close(grid->gate);
    if (st == TESS_OK) {
        box_copy(grid, box, src, hold->blocks, true);
        mark_held(hold);
    }
    hold_release(hold);
    gate_open(grid->gate);
    return st;
}

// -- edits

struct edits_hold {
    struct hold hold; // first
    const struct edit_source *source;
    struct edit *edits; // so far
    size_t n;
    bool inside; // of the last one; the step may have some of its blocks left
};

static bool
edits_step(struct hold *hold)
{
    struct edits_hold *const h = (struct edits_hold *)hold;
    const struct edit_source *const source = h->source;
    const int32_t nblocks = (int32_t)hold->grid->g.nblocks;
    int32_t from = h->inside ? hold->block + 1 : 0;
    for (;;) {
        if (!h->inside && (int64_t)h->n < source->nchunks)
            h->inside = source->next(source->cursor, &h->edits[h->n++]);
        if (!h->inside)
            return false;
        struct edit *const e = &h->edits[h->n - 1];
        hold->chunk = e->n;
        hold->block =
            from < nblocks ? source->touched(source->from, e, from, &hold->replaced) : nblocks;
        if (hold->block < nblocks)
            return true;
        h->inside = false;
        from = 0;
    }
}

// Fill all blocks, in the order of the steps; on failure all are as they were.
static tess_status
edits_fill(const struct edits_hold *h, tess_error *err)
{
    const struct edit_source *const source = h->source;
    tess_status st = TESS_OK;
    size_t i = 0, k = 0;
    for (; i < h->hold.n && st == TESS_OK; i++) {
        const struct cached *const b = h->hold.blocks[i].b;
        while (h->edits[k].n != b->chunk)
            k++;
        st = source->fill(source->from, &h->edits[k], b->block, b->items, err);
    }
    if (st == TESS_OK)
        return TESS_OK;
    for (i--; i-- > 0;) {
        const struct cached *const b = h->hold.blocks[i].b;
        while (h->edits[k].n != b->chunk)
            k--;
        source->unfill(source->from, &h->edits[k], b->block, b->items);
    }
    return st;
}

bool
write_back_wants_edits(const struct chunk_grid *grid, int64_t nbytes, int64_t nchunks,
                       int64_t nitems)
{
    const int64_t most = cache_dirty_max(grid->cache) / SMALL_SHARE;
    return cache_is_on(grid->cache) && nbytes <= most && nchunks <= most / EDIT_SIZE &&
           nitems <= most / (int64_t)sizeof(int64_t);
}

tess_status
write_back_edits(struct chunk_grid *grid, const struct edit_source *source, tess_error *err)
{
    struct edits_hold h = {.hold = {.grid = grid, .step = edits_step}, .source = source};

    h.edits = mem_zeroed((size_t)source->nchunks, sizeof *h.edits);
    if (!h.edits)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
    gate_enter(grid->gate);
    tess_status st = hold_blocks(&h.hold, source->nbytes, err);
    gate_leave(grid->gate);
    gate_close(grid->gate);
    if (st == TESS_OK)
        st = edits_fill(&h, err);
    if (st == TESS_OK)
        mark_held(&h.hold);
    hold_release(&h.hold);
    gate_open(grid->gate);
    mem_free(h.edits);
    return st;
}

// An automatic commit, if it is due, unless it would have a part of a call; *parts: that is why
// not.
static tess_status
commit_if_whole(struct chunk_grid *grid, bool *parts, tess_error *err)
{
    tess_status st = TESS_OK;
    gate_enter(grid->gate);
    const bool due = frame_commit_is_due(grid->frame);
    gate_leave(grid->gate);
    *parts = false;
    if (!due)
        return TESS_OK;
    gate_close(grid->gate);
    *parts = cache_has_urgent(grid->cache);
    if (!*parts)
        st = frame_commit_if_large(grid->frame, err);
    gate_open(grid->gate);
    return st;
}

// Blocks of whole chunks, as one change.
static tess_status
write_piece(struct chunk_grid *grid, struct cached **blocks, size_t n, tess_error *err)
{
    struct frame_staged staged = {0};
    struct new_block *const list = mem_alloc(n * sizeof *list);
    bool parts;
    if (!list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    for (size_t i = 0; i < n; i++)
        list[i] = (struct new_block){blocks[i]->chunk, blocks[i]->block, blocks[i]->items};
    tess_status st = replace_blocks(grid, list, n, &staged, true, NULL, err);
    mem_free(list);
    st = grid_install_clean(grid, &staged, blocks, n, st, err);
    return st == TESS_OK ? commit_if_whole(grid, &parts, err) : st; // if not, later
}

// How many of the blocks lie in the first `nchunks` chunks.
static size_t
in_chunks(struct cached **blocks, size_t n, int64_t nchunks)
{
    size_t i = 1;
    while (i < n && (blocks[i]->chunk == blocks[i - 1]->chunk || --nchunks > 0))
        i++;
    return i;
}

// Ordered by chunk, in pieces between which there may be commits.
static tess_status
write_back(struct chunk_grid *grid, struct cached **blocks, size_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    gate_enter(grid->gate);
    const int64_t chunk = frame_mean_cbytes(grid->frame);
    const int64_t most = max_i64(frame_batch(grid->frame) / PIECES / max_i64(chunk, 1), 1);
    gate_leave(grid->gate);
    for (size_t size; n > 0 && st == TESS_OK; blocks += size, n -= size) {
        size = in_chunks(blocks, n, most);
        st = write_piece(grid, blocks, size, err);
    }
    return st;
}

// The oldest dirty blocks, until at most `left` bytes are dirty, ordered by chunk. The caller is
// inside the gate, and other calls may write back those of which it has no turn once it leaves.
static tess_status
list_oldest(const struct chunk_grid *grid, int64_t left, struct cached ***blocks, size_t *n,
            tess_error *err)
{
    const int64_t surplus = cache_dirty_size(grid->cache) - left;
    *blocks = NULL;
    *n = 0;
    if (surplus <= 0 ||
        cache_list_dirty(grid->cache, ceil_div(surplus, grid->g.blocksize), blocks, n))
        return TESS_OK;
    return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
}

// The same of the chunks of a turn, which the caller has.
static tess_status
write_back_oldest(struct chunk_grid *grid, const struct turn *turn, int64_t left, tess_error *err)
{
    struct cached **blocks;
    size_t n, mine = 0;
    gate_enter(grid->gate);
    tess_status st = list_oldest(grid, left, &blocks, &n, err);
    for (size_t i = 0; i < n; i++)
        if (turn_has(turn, &grid->g, blocks[i]->chunk))
            blocks[mine++] = blocks[i];
    gate_leave(grid->gate);
    if (st == TESS_OK)
        st = write_back(grid, blocks, mine, err);
    mem_free(blocks);
    return st;
}

// The chunks of the oldest dirty blocks, ascending, for the caller to free.
static tess_status
list_oldest_chunks(const struct chunk_grid *grid, int64_t left, int64_t **chunks, size_t *count,
                   tess_error *err)
{
    struct cached **blocks;
    size_t n;
    *chunks = NULL;
    *count = 0;
    gate_enter(grid->gate);
    tess_status st = list_oldest(grid, left, &blocks, &n, err);
    if (n > 0)
        *chunks = mem_alloc(n * sizeof **chunks);
    if (n > 0 && !*chunks)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
    for (size_t i = 0; *chunks && i < n; i++)
        if (i == 0 || blocks[i]->chunk != blocks[i - 1]->chunk)
            (*chunks)[(*count)++] = blocks[i]->chunk;
    gate_leave(grid->gate);
    mem_free(blocks);
    return st;
}

// The same of some chunks, as far as no other call has or waits for their turn. The list is used
// up.
static tess_status
write_back_free(struct chunk_grid *grid, int64_t *chunks, size_t count, int64_t left,
                tess_error *err)
{
    struct turn turn;
    count = turns_begin_free(grid->turns, &grid->g, &turn, chunks, count);
    if (count == 0)
        return TESS_OK;
    const tess_status st = write_back_oldest(grid, &turn, left, err);
    turns_end(grid->turns, &turn);
    return st;
}

// Until at most `left` bytes are dirty, or the others are of chunks that other calls write to.
// Where there are such calls, a part of the chunks after the other: a call that is to write to one
// of them waits for that part, and not for all.
static tess_status
write_back_down_to(struct chunk_grid *grid, int64_t left, tess_error *err)
{
    int64_t *chunks;
    size_t count;
    tess_status st = list_oldest_chunks(grid, left, &chunks, &count, err);
    const size_t parts = turns_were_shared(grid->turns) ? TURNS : 1;
    const size_t most = (count + parts - 1) / parts;
    for (size_t i = 0, n; i < count && st == TESS_OK; i += n) {
        n = count - i < most ? count - i : most;
        st = write_back_free(grid, chunks + i, n, left, err);
    }
    mem_free(chunks);
    return st;
}

tess_status
write_back_make_room(struct chunk_grid *grid, int64_t nbytes, int64_t *room, tess_error *err)
{
    bool promised = cache_promise(grid->cache, nbytes);
    tess_status st = TESS_OK;
    if (!promised) {
        LOG(TESS_LOG_DEBUG, TESS_EVENT_WRITE_BACK, frame_name(grid->frame),
            "%" PRId64 " bytes of dirty blocks in the cache, %" PRId64 " at most",
            (int64_t)cache_dirty_size(grid->cache), (int64_t)cache_dirty_room(grid->cache));
        st = write_back_down_to(grid, cache_dirty_room(grid->cache) / 2, err);
        promised = st == TESS_OK && cache_promise(grid->cache, nbytes);
    }
    *room = promised ? nbytes : 0;
    return st;
}

void
write_back_end_room(const struct chunk_grid *grid, int64_t room)
{
    cache_keep_promise(grid->cache, room);
}

// With the turn of all chunks, in which no other call makes anything urgent.
static tess_status
commit_written(struct chunk_grid *grid, tess_error *err)
{
    struct cached **blocks;
    size_t n;
    bool parts;
    gate_enter(grid->gate);
    const bool listed = cache_list_urgent(grid->cache, &blocks, &n);
    gate_leave(grid->gate);
    if (!listed)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of blocks");
    tess_status st = write_back(grid, blocks, n, err);
    mem_free(blocks);
    if (st == TESS_OK)
        st = commit_if_whole(grid, &parts, err);
    assert(st != TESS_OK || !parts);
    return st;
}

tess_status
write_back_commit(struct chunk_grid *grid, tess_error *err)
{
    struct turn all;
    bool parts;
    tess_status st = commit_if_whole(grid, &parts, err);
    if (!parts)
        return st;
    turn_of_all(&all, &grid->g);
    turns_begin(grid->turns, &grid->g, &all);
    st = commit_written(grid, err);
    turns_end(grid->turns, &all);
    return st;
}

tess_status
write_back_turn(struct chunk_grid *grid, const struct turn *turn, tess_error *err)
{
    return cache_dirty_size(grid->cache) > 0 ? write_back_oldest(grid, turn, 0, err) : TESS_OK;
}

tess_status
write_back_all(struct chunk_grid *grid, tess_error *err)
{
    struct turn all;
    if (cache_dirty_size(grid->cache) == 0)
        return TESS_OK;
    turn_of_all(&all, &grid->g);
    turns_begin(grid->turns, &grid->g, &all);
    const tess_status st = write_back_turn(grid, &all, err);
    turns_end(grid->turns, &all);
    return st;
}
