/*
 * queue.h - a queue of pieces to read.
 *
 * A *piece* is a range of an io that arrives as a whole, or a function to call. A piece longer than
 * io_manner.piece is read with several concurrent requests. It is reference-counted: held by the
 * queue, then by the thread that reads it, and by each want that has a range in it (want.c). A
 * piece that only the queue holds when its turn comes is dropped.
 *
 * The mutex of the readers (readers.h) is held when the functions below are called. The bytes of a
 * held piece in state PIECE_HERE do not change, and may be read without the mutex.
 */
#ifndef IO_AHEAD_QUEUE_H
#define IO_AHEAD_QUEUE_H

#include "base/error.h"
#include "io/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_readers;

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

struct io_ahead {
    struct io_progress progress; // first; fixed
    struct io_readers *readers;
    bool stopped; // no thread reads it any more
    struct io_ahead *after; // of the queues of the readers
    struct io_piece *first, *last; // pieces that wait
    int batches; // that are being read
    tess_status status; // of the first piece that failed
    tess_error why;

    bool (*ended)(void *arg); // fixed
    void *arg;
};

// The first queue of a list that is not empty; NULL: none is.
static inline struct io_ahead *
io_queue_not_empty(struct io_ahead *a)
{
    while (a && !a->first)
        a = a->after;
    return a;
}

// A piece that has the range: the last of the queue, extended, or a new one at the end. The caller
// holds it before it unlocks. NULL: no memory.
struct io_piece *io_queue_push(struct io_ahead *a, struct io *io, int64_t offset, size_t size);
// A piece that is a function to call. NULL: no memory.
struct io_piece *io_queue_push_call(struct io_ahead *a, void (*call)(void *arg, bool over),
                                    void *arg);
// Take a piece out of the queue, with its reference; before: the one before it, or NULL.
void io_queue_remove(struct io_ahead *a, struct io_piece *before, struct io_piece *p);

static inline void
io_piece_hold(struct io_piece *p)
{
    p->users++;
}

void io_piece_release(struct io_ahead *a, struct io_piece *p);

// The piece is here, or has failed.
void io_piece_settle(struct io_ahead *a, struct io_piece *p, enum io_piece_state state);

#endif
