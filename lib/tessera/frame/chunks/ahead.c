/*
 * ahead.c - prefetch of the chunks of a far frame, in the order of its list.
 */
#include "frame/chunks/ahead.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/stored.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/ahead.h"
#include "io/io.h"
#include "task/watch.h"

#include <tessera/context.h>

enum {
    MOST = 4096, // chunks of a file
    PARTS_PER_REQUEST = 2, // files of a directory that are open
    POLL = 20 * 1000 * 1000, // nanoseconds between two questions whether the call is over
};

struct ahead_place {
    struct chunk_ahead chunk;
    struct chunks_ahead *all;
    int64_t n;
    bool opening; // guarded by the lock; then the rest belongs to the I/O thread
};

// -- begin and end

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
    if (!manner->far)
        return TESS_OK;
    x->most = frame_is_sparse(f)
                  ? frame_chunks_within(f, x->budget, PARTS_PER_REQUEST * manner->requests)
                  : MOST;
    waitlock_init(&x->lock);
    x->ahead = within ? io_ahead_new_within(within, chunks_ahead_is_over, x)
                      : io_ahead_new(manner->requests, chunks_ahead_is_over, x);
    x->ring = mem_zeroed((size_t)x->most, sizeof *x->ring);
    return x->ahead && x->ring ? TESS_OK
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
chunk_ahead_release(struct chunk_ahead *chunk)
{
    io_want_release(chunk->want);
    if (chunk->place.io)
        io_close(chunk->place.io);
    *chunk = (struct chunk_ahead){.want = NULL};
}

void
chunks_ahead_end(struct chunks_ahead *x)
{
    if (x->most == 0)
        return;
    atomic_store(&x->over, true);
    io_ahead_stop(x->ahead); // nothing is being opened
    for (int i = 0; x->ring && i < x->most; i++)
        chunk_ahead_release(&x->ring[i].chunk);
    mem_free(x->ring);
    io_ahead_free(x->ahead);
    waitlock_finish(&x->lock);
    x->ahead = NULL;
    x->most = 0;
}

// -- wanting

static bool
is_whole(const struct chunks_ahead *x, int64_t n)
{
    return n >= x->whole_from && n < x->whole_to;
}

// Have its bytes read ahead. Without memory for that they are read when the chunk is.
static tess_status
want(struct chunks_ahead *x, struct chunk_ahead *chunk, struct io *io, int64_t position,
     int64_t size, tess_error *err)
{
    chunk->want = io_want_new(x->ahead);
    return chunk->want ? io_want_add(chunk->want, io, position, (size_t)size, NULL, err)
                       : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

// Blocks of chunk n; 0: it may have any number.
static int32_t
count_blocks(const struct frame *f, int64_t n)
{
    const struct frame_header *const h = frame_header(f);
    const bool alike = h->chunksize > 0 && h->blocksize > 0;
    return alike ? (int32_t)ceil_div(frame_chunk_nbytes(f, n), h->blocksize) : 0;
}

static tess_status
want_in_file(struct chunks_ahead *x, struct ahead_place *p, tess_error *err)
{
    struct stored_front front;
    if (!stored_chunk_front(x->f, p->n, count_blocks(x->f, p->n), is_whole(x, p->n), &front))
        return TESS_OK;
    return want(x, &p->chunk, front.io, front.position, front.size, err);
}

// A chunk of a directory, whose file was opened with its first bytes.
static void
want_of_part(struct chunks_ahead *x, struct ahead_place *p)
{
    struct io *const io = p->chunk.place.io;
    const bool whole = is_whole(x, p->n);
    const int64_t size =
        stored_part_front(x->f, p->n, count_blocks(x->f, p->n), whole, &p->chunk.place);
    const bool here = io_view(io, 0, (size_t)size);
    if (here && whole)
        return; // nothing is to be added
    if (want(x, &p->chunk, io, 0, here ? 0 : size, NULL) == TESS_OK)
        io_ahead_go(x->ahead);
}

// On an I/O thread: open the file of a chunk, and have the rest of it read.
static void
open_part(void *arg, bool over)
{
    struct ahead_place *const p = arg;
    struct chunks_ahead *const x = p->all;
    struct chunk_place place = {.io = NULL};
    const int64_t entry = index_get(&x->f->index, p->n);
    if (!over && x->f->container->locate(x->f, entry, io_ahead_progress(x->ahead), &place, NULL) ==
                     TESS_OK) {
        p->chunk.place = place;
        want_of_part(x, p);
    }
    waitlock_lock(&x->lock);
    p->opening = false;
    waitlock_changed(&x->lock);
    waitlock_wake_all(&x->lock);
    waitlock_unlock(&x->lock);
}

static tess_status
want_place(struct chunks_ahead *x, int64_t n, tess_error *err)
{
    struct ahead_place *const p = &x->ring[n % x->most];
    *p = (struct ahead_place){.all = x, .n = n};
    if (!frame_is_sparse(x->f))
        return want_in_file(x, p, err);
    if (index_get(&x->f->index, n) < 0)
        return TESS_OK;
    p->opening = true;
    if (!io_ahead_call(x->ahead, open_part, p))
        p->opening = false;
    return TESS_OK;
}

// Want more once a quarter of the budget is free, up to all of it.
static tess_status
chunks_ahead_fill(struct chunks_ahead *x, tess_error *err)
{
    tess_status st = TESS_OK;
    if (x->next > x->at && (io_ahead_size(x->ahead) > x->budget - x->budget / 4 ||
                            x->next - x->at > x->most - x->most / 4))
        return TESS_OK;
    while (x->next < x->stop && x->next - x->at < x->most && st == TESS_OK &&
           (x->next == x->at || io_ahead_size(x->ahead) < x->budget))
        st = want_place(x, x->next++, err);
    io_ahead_go(x->ahead);
    return st;
}

// -- taking

// Wait until nothing of a place is being opened. The thread of the call asks whether it goes on.
static tess_status
await_place(struct chunks_ahead *x, const struct ahead_place *p, tess_error *err)
{
    bool over = false;
    waitlock_lock(&x->lock);
    while (p->opening && !over) {
        waitlock_wait_for(&x->lock, POLL);
        waitlock_unlock(&x->lock);
        over = watch_poll(x->watch);
        waitlock_lock(&x->lock);
    }
    over &= p->opening;
    waitlock_unlock(&x->lock);
    return over ? watch_look(x->watch, err) : TESS_OK;
}

tess_status
chunks_ahead_take(struct chunks_ahead *x, int64_t n, struct chunk_ahead *chunk, tess_error *err)
{
    tess_status st = TESS_OK;
    *chunk = (struct chunk_ahead){.want = NULL};
    if (!x->ahead)
        return TESS_OK;
    for (; x->at < n && x->at < x->next && st == TESS_OK; x->at++) { // passed over
        st = await_place(x, &x->ring[x->at % x->most], err);
        if (st == TESS_OK)
            chunk_ahead_release(&x->ring[x->at % x->most].chunk);
    }
    if (st != TESS_OK)
        return st;
    x->at = n;
    if (x->next < x->at)
        x->next = x->at;
    st = chunks_ahead_fill(x, err);
    struct ahead_place *const p = &x->ring[n % x->most];
    if (st == TESS_OK)
        st = await_place(x, p, err);
    if (st != TESS_OK)
        return st;
    *chunk = p->chunk;
    p->chunk = (struct chunk_ahead){.want = NULL};
    x->at = n + 1;
    return TESS_OK;
}
