/*
 * queue.h - a queue of pieces to read, and the threads that read them.
 *
 * A *piece* is a range of an io that arrives as a whole, or a function to call. A piece longer than
 * io_manner.piece is read with several concurrent requests. It is reference-counted: held by the
 * queue, then by the thread that reads it, and by each want that has a range in it (want.c). A
 * piece that only the queue holds when its turn comes is dropped.
 *
 * io_queue_lock() locks the mutex that guards the queue, its pieces, and the wants that hold them.
 * It is held when the functions below are called. The bytes of a held piece in state PIECE_HERE do
 * not change, and may be read without the lock.
 */
#ifndef IO_AHEAD_QUEUE_H
#define IO_AHEAD_QUEUE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;
struct io_ahead;

enum io_piece_state { PIECE_WAITS, PIECE_ASKED, PIECE_HERE, PIECE_FAILED };

struct io_piece {
    struct io_piece *after; // in the queue
    struct io *io; // NULL: a call
    int64_t offset;
    size_t size; // grows while PIECE_WAITS, then fixed
    uint8_t *bytes;
    enum io_piece_state state;
    int under_way; // requests
    bool reading; // the call that reads it has not returned
    bool io_may_close; // when nobody holds it, io.short_lived
    int users; // references
    void (*call)(void *arg, bool over);
    void *arg;
};

void io_queue_lock(struct io_ahead *a);
void io_queue_unlock(struct io_ahead *a);

// A piece that has the range: the last of the queue, extended, or a new one at the end. The caller
// holds it before it unlocks. NULL: no memory.
struct io_piece *io_queue_push(struct io_ahead *a, struct io *io, int64_t offset, size_t size);

static inline void
io_piece_hold(struct io_piece *p)
{
    p->users++;
}

void io_piece_release(struct io_ahead *a, struct io_piece *p);

// Wait until the piece is here or has failed; TESS_ERR_CANCELLED if the job is over before. The
// lock is free meanwhile.
tess_status io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err);
// Wait until the piece is here or has failed; and, if its io may be closed next, until the call that
// read it has returned, which may be later (io_progress). The lock is free meanwhile.
void io_piece_drain(struct io_ahead *a, const struct io_piece *p);

#endif
