/*
 * ahead.c - prefetch of the chunks of a frame.
 */
#include "frame/chunks/ahead.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/stored.h"
#include "frame/chunks/usage.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/query.h"
#include "io/ahead.h"
#include "io/io.h"
#include "task/watch.h"

#include <tessera/context.h>

#include <inttypes.h>

enum {
    LIST_MOST = 4096, // chunks of the list
    FILES_PER_REQUEST = 2, // of a directory that are open
    POLL = 20 * 1000 * 1000, // nanoseconds between two questions whether the call is over
};

// Bytes of a block that are never touched. Once a block of that size has been freed, malloc() of
// glibc keeps the pieces of a call for the next one (mallopt(3): M_MMAP_THRESHOLD); else the system
// takes them back, and clears them again: 1,800 page faults more in a read of 64 MB, a fifth of its
// time.
#define UNUSED ((size_t)8 << 20)

struct opening_failure {
    tess_status status;
    tess_error error;
};

struct ahead_place {
    struct chunk_ahead chunk;
    struct opening_failure *failure; // of its file; NULL: none, or no memory to tell of it
    struct chunks_ahead *all;
    bool opening; // guarded by the lock; then the rest belongs to the I/O thread
};

void
chunk_ahead_release(struct chunk_ahead *chunk)
{
    io_want_release(chunk->want);
    if (chunk->place.io)
        io_close(chunk->place.io);
    *chunk = (struct chunk_ahead){.want = NULL};
}

// -- begin and end

// Files of a directory that are opened early: as many as have `budget` bytes, about. Each keeps at
// least its first bytes, which count for io_ahead_size() only once more of it is wanted.
static int
count_files(const struct frame *f, int most, int64_t budget)
{
    const int64_t mean = frame_header(f)->cbytes / max_i64(usage_stored(&f->usage, &f->index), 1);
    const int64_t files =
        min_i64(budget / max_i64(mean, 1), FILES_PER_REQUEST * (int64_t)frame_manner(f)->requests);
    return (int)max_i64(min_i64(files, most), 1);
}

tess_status
chunks_ahead_begin(struct chunks_ahead *x, const struct frame *f, struct io_ahead *ahead, int most,
                   int64_t budget, tess_error *err)
{
    *x = (struct chunks_ahead){
        .f = f,
        .ahead = ahead,
        .most = frame_is_sparse(f) ? count_files(f, most, budget) : most,
    };
    waitlock_init(&x->lock);
    x->ring = mem_alloc((size_t)x->most * sizeof *x->ring + (frame_manner(f)->far ? 0 : UNUSED));
    return x->ring ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
chunks_ahead_end(struct chunks_ahead *x)
{
    if (x->most == 0)
        return;
    for (; x->count > 0; x->count--, x->first = (x->first + 1) % x->most) {
        chunk_ahead_release(&x->ring[x->first].chunk);
        mem_free(x->ring[x->first].failure);
    }
    mem_free(x->ring);
    waitlock_finish(&x->lock);
    x->ring = NULL;
    x->most = 0;
}

// -- announcing

// Have its bytes read ahead.
static tess_status
want(const struct chunks_ahead *x, struct chunk_ahead *chunk, struct io *io, int64_t position,
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
want_in_file(const struct chunks_ahead *x, struct chunk_ahead *chunk, tess_error *err)
{
    const int64_t n = chunk->n;
    struct stored_front front;
    return stored_chunk_front(x->f, n, count_blocks(x->f, n), chunk->all, &front)
               ? want(x, chunk, front.io, front.position, front.size, err)
               : TESS_OK;
}

// Of a directory, a chunk whose file was opened with its first bytes. Without memory the rest is
// read when the chunk is opened.
static void
want_rest_of_file(const struct chunks_ahead *x, struct chunk_ahead *chunk)
{
    struct io *const io = chunk->place.io;
    const int32_t nblocks = count_blocks(x->f, chunk->n);
    const int64_t size = stored_part_front(x->f, chunk->n, nblocks, chunk->all, &chunk->place);
    const bool here = io_view(io, 0, (size_t)size);
    if (here && chunk->all)
        return; // nothing is to be added
    if (want(x, chunk, io, 0, here ? 0 : size, NULL) == TESS_OK)
        io_ahead_go(x->ahead);
}

// On an I/O thread.
static void
open_file(void *arg, bool over)
{
    struct ahead_place *const p = arg;
    struct chunks_ahead *const x = p->all;
    const struct io_progress *const progress = io_ahead_progress(x->ahead);
    const int64_t n = p->chunk.n;
    struct chunk_place place = {.io = NULL};
    tess_error error;
    const tess_status st =
        over ? TESS_OK
             : x->f->container->locate(x->f, index_get(&x->f->index, n), progress, &place, &error);
    if (st != TESS_OK)
        p->failure = mem_alloc(sizeof *p->failure);
    if (p->failure) {
        p->failure->status = err_prefix(&error, st, "chunk %" PRId64, n);
        p->failure->error = error;
    }
    if (!over && st == TESS_OK) {
        p->chunk.place = place;
        want_rest_of_file(x, &p->chunk);
    }
    waitlock_lock(&x->lock);
    p->opening = false;
    waitlock_changed(&x->lock);
    waitlock_wake_all(&x->lock);
    waitlock_unlock(&x->lock);
}

tess_status
chunks_ahead_announce(struct chunks_ahead *x, int64_t n, bool all, bool here, tess_error *err)
{
    struct ahead_place *const p = &x->ring[(x->first + x->count++) % x->most];
    *p = (struct ahead_place){.chunk = {.n = n, .all = all}, .all = x};
    if (here || index_get(&x->f->index, n) < 0)
        return TESS_OK;
    if (!frame_is_sparse(x->f))
        return want_in_file(x, &p->chunk, err);
    p->opening = true;
    if (!io_ahead_call(x->ahead, open_file, p))
        p->opening = false;
    return TESS_OK;
}

// -- taking

bool
chunks_ahead_is_ready(const struct chunks_ahead *x)
{
    struct ahead_place *const p = &x->ring[x->first];
    waitlock_lock(&p->all->lock);
    const bool opening = p->opening;
    waitlock_unlock(&p->all->lock);
    return !opening && (!p->chunk.want || io_want_is_ready(p->chunk.want));
}

// The thread of the call asks meanwhile whether it goes on: if not, reads end.
tess_status
chunks_ahead_take(struct chunks_ahead *x, struct chunk_ahead *chunk, tess_error *err)
{
    const struct io_progress *const progress = io_ahead_progress(x->ahead);
    struct ahead_place *const p = &x->ring[x->first];
    waitlock_lock(&x->lock);
    while (p->opening) {
        waitlock_wait_for(&x->lock, POLL);
        waitlock_unlock(&x->lock);
        (void)progress->cancelled(progress);
        waitlock_lock(&x->lock);
    }
    waitlock_unlock(&x->lock);
    *chunk = p->chunk;
    const tess_status st = p->failure ? p->failure->status : TESS_OK;
    if (p->failure && err)
        *err = p->failure->error;
    mem_free(p->failure);
    x->first = (x->first + 1) % x->most;
    x->count--;
    return st;
}

// -- in the order of the list

static bool
list_ahead_is_over(void *arg)
{
    struct list_ahead *const x = arg;
    return watch_poll(x->watch) || atomic_load(&x->over);
}

tess_status
list_ahead_begin(struct list_ahead *x, const struct frame *f, int64_t budget,
                 struct io_ahead *within, struct watch *watch, tess_error *err)
{
    const struct io_manner *const manner = frame_manner(f);
    *x = (struct list_ahead){
        .stop = frame_nchunks(f),
        .all_to = frame_nchunks(f),
        .budget = budget > 0 ? budget : TESS_AHEAD_DEFAULT,
        .watch = watch,
    };
    atomic_init(&x->over, false);
    if (!manner->far)
        return TESS_OK;
    x->ahead = within ? io_ahead_new_within(within, list_ahead_is_over, x)
                      : io_ahead_new(manner->requests, list_ahead_is_over, x);
    return x->ahead ? chunks_ahead_begin(&x->chunks, f, x->ahead, LIST_MOST, x->budget, err)
                    : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
list_ahead_limit(struct list_ahead *x, int64_t stop, int64_t all_from, int64_t all_to)
{
    x->stop = stop;
    x->all_from = all_from;
    x->all_to = all_to;
}

void
list_ahead_end(struct list_ahead *x)
{
    if (!x->ahead)
        return;
    atomic_store(&x->over, true);
    io_ahead_stop(x->ahead); // nothing is being opened
    chunks_ahead_end(&x->chunks);
    io_ahead_free(x->ahead);
    x->ahead = NULL;
}

// Announce more once a quarter of the budget is free, up to all of it.
static tess_status
announce_list(struct list_ahead *x, tess_error *err)
{
    struct chunks_ahead *const c = &x->chunks;
    tess_status st = TESS_OK;
    if (c->count > 0 &&
        (io_ahead_size(x->ahead) > x->budget - x->budget / 4 || c->count > c->most - c->most / 4))
        return TESS_OK;
    for (; x->next < x->stop && c->count < c->most && st == TESS_OK &&
           (c->count == 0 || io_ahead_size(x->ahead) < x->budget);
         x->next++)
        st = chunks_ahead_announce(c, x->next, x->next >= x->all_from && x->next < x->all_to, false,
                                   err);
    io_ahead_go(x->ahead);
    return st;
}

tess_status
list_ahead_take(struct list_ahead *x, int64_t n, struct chunk_ahead *chunk, tess_error *err)
{
    struct chunks_ahead *const c = &x->chunks;
    *chunk = (struct chunk_ahead){.want = NULL};
    if (!x->ahead)
        return TESS_OK;
    while (c->count > 0 && x->next - c->count < n) { // passed over
        (void)chunks_ahead_take(c, chunk, NULL);
        chunk_ahead_release(chunk);
    }
    if (x->next < n)
        x->next = n;
    const tess_status st = announce_list(x, err);
    if (st != TESS_OK)
        return st;
    if (c->count > 0)
        (void)chunks_ahead_take(c, chunk, NULL); // opening the chunk tries again
    if (!watch_is_cancelled(x->watch))
        return TESS_OK;
    chunk_ahead_release(chunk);
    return watch_look(x->watch, err);
}
