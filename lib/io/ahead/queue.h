/*
 * queue.h - pieces that are to be read, in turn, and the threads that read them.
 *
 * A *piece* is a range of an io that arrives as a whole, or a call. It is read with one request,
 * or, if it is longer than one should be, with several at once. It is counted: the queue holds it
 * until its turn, what reads it holds it then, and so does each want that has a part of it
 * (want.c). A piece that only the queue holds when its turn comes is not read.
 *
 * One mutex guards the queue, its pieces, and the wants that hold them: io_queue_lock(). The
 * functions below are called with it held. The bytes of a piece that is PIECE_HERE do not change,
 * and may be used without it while the piece is held.
 *
 * Not here: the functions that a job calls (io/ahead.h). queue.c has those of the job itself,
 * io_ahead_*(), want.c those of wants.
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
    size_t size; // fixed once it is asked for
    uint8_t *bytes;
    enum io_piece_state state;
    int under_way; // requests
    bool reading; // the call that reads it has not returned
    bool io_may_close; // when nobody holds it, io.short_lived
    int users; // that hold it
    void (*call)(void *arg, bool over);
    void *arg;
};

void io_queue_lock(struct io_ahead *a);
void io_queue_unlock(struct io_ahead *a);

// A piece that has the range: the youngest one, made longer, or a new one at the end of the queue.
// It is for the caller to hold. NULL: no memory.
struct io_piece *io_queue_push(struct io_ahead *a, struct io *io, int64_t offset, size_t size);

static inline void
io_piece_hold(struct io_piece *p)
{
    p->users++;
}

void io_piece_release(struct io_ahead *a, struct io_piece *p);

// Give up the lock until the piece is here or has failed, or the job is over, TESS_ERR_CANCELLED.
tess_status io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err);
// Give up the lock until the piece has arrived, or failed; and, if its io may be closed next, until
// the call that read it has returned, which may be later (io_progress).
void io_piece_drain(struct io_ahead *a, const struct io_piece *p);

#endif
