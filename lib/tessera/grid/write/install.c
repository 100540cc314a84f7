/*
 * install.c - the chunks of a call: staged one by one, then installed all at once.
 */
#include "grid/write/install.h"

#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/commit/lock.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/write/turns.h"
#include "task/gate.h"

#include <stdlib.h>

enum {
    APART_ALONE = (1 << 18) + 1, // bytes of a chunk that is not gathered with others
    APART_BESIDE = 1 << 13,
};

// Whether the chunk is written while others read and store: large ones take long, and small ones
// are better gathered if no other call is there.
static bool
writes_apart(const struct chunk_grid *grid, int32_t cbytes)
{
    const bool alone = !turns_are_shared(grid->turns);
    return !frame_is_once(grid->frame) && !frame_in_memory(grid->frame) &&
           cbytes >= (alone ? APART_ALONE : APART_BESIDE);
}

static tess_status
stage_apart(struct chunk_grid *grid, struct frame_staged *staged, int64_t n, const uint8_t *bytes,
            int32_t cbytes, tess_error *err)
{
    struct frame_put put = {0};
    gate_close(grid->gate);
    tess_status st = frame_put_begin(grid->frame, staged, n, cbytes, &put, err);
    gate_open(grid->gate);
    if (st == TESS_OK)
        st = frame_put_whole(&put, bytes, cbytes, err);
    gate_close(grid->gate);
    if (st == TESS_OK)
        st = frame_put_end(grid->frame, &put, cbytes, err);
    if (st != TESS_OK)
        frame_put_abandon(grid->frame, &put);
    gate_open(grid->gate);
    return st;
}

tess_status
stage_chunk(struct chunk_grid *grid, struct frame_staged *staged, int64_t n, const uint8_t *bytes,
            int32_t cbytes, tess_error *err)
{
    if (writes_apart(grid, cbytes))
        return stage_apart(grid, staged, n, bytes, cbytes, err);
    gate_close(grid->gate);
    const tess_status st = frame_put(grid->frame, staged, n, bytes, cbytes, err);
    gate_open(grid->gate);
    return st;
}

tess_status
stage_special(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
              enum chunk_special special, tess_error *err)
{
    gate_close(grid->gate);
    const tess_status st = frame_put_special(grid->frame, staged, n, special, err);
    gate_open(grid->gate);
    return st;
}

// -- what a call has stored becomes the content of its chunks, all at once

enum { MANY = 64 }; // chunks, for which the cache is searched once

static int
by_chunk_number(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

// The chunks, ascending; NULL: they are few, or there is no memory.
static int64_t *
list_many(const struct frame_staged *staged)
{
    const int64_t n = staged->nputs;
    int64_t *const list = n > MANY ? mem_alloc((size_t)n * sizeof *list) : NULL;
    for (int64_t i = 0; list && i < n; i++)
        list[i] = frame_staged_chunk(staged, i);
    if (list)
        qsort(list, (size_t)n, sizeof *list, by_chunk_number);
    return list;
}

// Chunks that have other content now; many: the same, ascending, if it is worth it.
static void
forget_blocks(const struct chunk_grid *grid, const struct frame_staged *staged, int64_t n,
              const int64_t *many)
{
    if (many)
        cache_forget_chunks(grid->cache, many, (size_t)n);
    for (int64_t i = 0; !many && i < n; i++)
        cache_forget_chunk(grid->cache, frame_staged_chunk(staged, i), grid->g.nblocks);
}

// The gate is open again.
static tess_status
install_blame(const struct chunk_grid *grid, tess_status st, tess_error *err)
{
    if (st == TESS_OK)
        return TESS_OK;
    gate_enter(grid->gate);
    st = frame_lock_blame(grid->frame, st, err);
    gate_leave(grid->gate);
    return st;
}

tess_status
grid_install(struct chunk_grid *grid, struct frame_staged *staged, tess_status st, tess_error *err)
{
    const int64_t n = staged->nputs;
    int64_t *const many = st == TESS_OK ? list_many(staged) : NULL;
    gate_close(grid->gate);
    if (st == TESS_OK)
        st = frame_install(grid->frame, staged, err);
    if (st == TESS_OK)
        forget_blocks(grid, staged, n, many);
    frame_drop(grid->frame, staged);
    gate_open(grid->gate);
    mem_free(many);
    return install_blame(grid, st, err);
}

tess_status
grid_install_clean(struct chunk_grid *grid, struct frame_staged *staged,
                   struct cached *const *blocks, size_t n, tess_status st, tess_error *err)
{
    gate_close(grid->gate);
    if (st == TESS_OK)
        st = frame_install(grid->frame, staged, err);
    if (st == TESS_OK)
        cache_mark_clean(grid->cache, blocks, n);
    frame_drop(grid->frame, staged);
    gate_open(grid->gate);
    return install_blame(grid, st, err);
}

tess_status
grid_adopt(struct chunk_grid *grid, const struct lent_chunk *chunks, const int64_t *numbers,
           size_t n, tess_error *err)
{
    gate_close(grid->gate);
    const tess_status st = frame_adopt(grid->frame, chunks, (int64_t)n, err);
    if (st == TESS_OK)
        cache_forget_chunks(grid->cache, numbers, n);
    gate_open(grid->gate);
    return install_blame(grid, st, err);
}
