/*
 * chunks_ahead.c - chunks of a far frame that are read one after the other, and early.
 */
#include "frame/chunks_ahead.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "io/ahead.h"
#include "io/io.h"
#include "task/watch.h"

#include <tessera/context.h>

#include <stdbool.h>

enum { RING = 4096 }; // chunks at a time

static bool
chunks_ahead_is_over(void *arg)
{
    struct chunks_ahead *const x = arg;
    return watch_poll(x->watch) || atomic_load(&x->over);
}

tess_status
chunks_ahead_begin(struct chunks_ahead *x, const struct frame *f, int64_t budget,
                   struct io_ahead *within, struct watch *watch, tess_error *err)
{
    const struct io_manner *const manner = frame_manner(f);
    *x = (struct chunks_ahead){
        .f = f,
        .stop = frame_nchunks(f),
        .whole_to = frame_nchunks(f),
        .budget = budget > 0 ? budget : TESS_AHEAD_DEFAULT,
        .watch = watch,
    };
    atomic_init(&x->over, false);
    if (!manner->far || frame_is_sparse(f))
        return TESS_OK;
    x->ahead = within ? io_ahead_new_within(within, chunks_ahead_is_over, x)
                      : io_ahead_new(manner->requests, chunks_ahead_is_over, x);
    x->wants = mem_zeroed(RING, sizeof *x->wants);
    return x->ahead && x->wants ? TESS_OK
                                : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
chunks_ahead_limit(struct chunks_ahead *x, int64_t stop, int64_t whole_from, int64_t whole_to)
{
    x->stop = stop;
    x->whole_from = whole_from;
    x->whole_to = whole_to;
}

void
chunks_ahead_end(struct chunks_ahead *x)
{
    if (!x->ahead)
        return;
    atomic_store(&x->over, true);
    for (int i = 0; x->wants && i < RING; i++)
        io_want_release(x->wants[i]);
    mem_free(x->wants);
    io_ahead_stop(x->ahead);
    io_ahead_free(x->ahead);
    x->ahead = NULL;
}

static tess_status
want_chunk(struct chunks_ahead *x, int64_t n, tess_error *err)
{
    struct stored_front front;
    const struct frame_header *const h = frame_header(x->f);
    const bool whole = n >= x->whole_from && n < x->whole_to;
    const bool alike = h->chunksize > 0 && h->blocksize > 0;
    const int32_t nblocks =
        alike ? (int32_t)ceil_div(frame_chunk_nbytes(x->f, n), h->blocksize) : 0;
    if (!stored_chunk_front(x->f, n, nblocks, whole, &front))
        return TESS_OK;
    struct io_want *const w = io_want_new(x->ahead);
    if (!w)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    x->wants[n % RING] = w;
    return io_want_add(w, front.io, front.position, (size_t)front.size, NULL, err);
}

// Want more once a quarter of the budget is free, up to all of it.
static tess_status
chunks_ahead_fill(struct chunks_ahead *x, tess_error *err)
{
    tess_status st = TESS_OK;
    if (x->next > x->at &&
        (io_ahead_size(x->ahead) > x->budget - x->budget / 4 || x->next - x->at > RING - RING / 4))
        return TESS_OK;
    while (x->next < x->stop && x->next - x->at < RING && st == TESS_OK &&
           (x->next == x->at || io_ahead_size(x->ahead) < x->budget))
        st = want_chunk(x, x->next++, err);
    io_ahead_go(x->ahead);
    return st;
}

tess_status
chunks_ahead_take(struct chunks_ahead *x, int64_t n, struct io_want **want, tess_error *err)
{
    *want = NULL;
    if (!x->ahead)
        return TESS_OK;
    for (; x->at < n; x->at++) { // passed over
        io_want_release(x->wants[x->at % RING]);
        x->wants[x->at % RING] = NULL;
    }
    if (x->next < x->at)
        x->next = x->at;
    const tess_status st = chunks_ahead_fill(x, err);
    *want = x->wants[n % RING];
    x->wants[n % RING] = NULL;
    x->at = n + 1;
    if (st == TESS_OK)
        return TESS_OK;
    io_want_release(*want);
    *want = NULL;
    return st;
}
