/*
 * stage.c - the stored bytes of a chunk, or what it is without bytes, staged for a call.
 */
#include "grid/write/stage.h"

#include "frame/commit/change.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/write/turns.h"
#include "task/gate.h"

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
    return !frame_is_once(grid->frame) && !frame_in_memory(grid->frame) && cbytes >= (alone ? APART_ALONE : APART_BESIDE);
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
