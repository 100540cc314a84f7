/*
 * readers.h - queues of pieces to read, and the I/O threads that read them. Private to ahead.c.
 *
 * A *piece* is a range of an io that arrives as a whole, or a function to call. A piece longer than
 * io_manner.piece is read with several concurrent requests. It is reference-counted: held by the
 * queue, then by the thread that reads it, and by each want that has a range in it. A piece that
 * only the queue holds when its turn comes is dropped.
 *
 * The *readers* are the threads of a call, which bound its concurrent requests. They serve several
 * queues: that of the outer job, which lives longest, and those of the jobs inside its grains.
 *
 * One mutex guards readers, their queues, pieces and wants. It is held when the functions below are
 * called, unless they say otherwise. It is free during reads, calls of pieces, and calls of
 * io_ahead.ended. The bytes of a held piece in state PIECE_HERE do not change, and may be read
 * without the mutex.
 */
#ifndef IO_READERS_H
#define IO_READERS_H

#include "base/error.h"
#include "io/io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IO_READERS_MAX = 64 };

struct io_readers {
    pthread_mutex_t lock; // the mutex
    pthread_cond_t work; // for the threads: a queue is not empty, or all is over
    pthread_cond_t arrival; // for who waits: a piece changed its state, or a batch was read
    struct io_ahead *queues; // the youngest first: what it has is needed first
    int users; // queues, with those that are stopped and not freed
    int requests; // at most
    int under_way; // now
    int idle; // threads that wait for work
    int nthreads;
    pthread_t threads[IO_READERS_MAX];
    bool no_threads; // the system has none, or none are wanted
    bool over;
    atomic_llong size; // of the pieces
};

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

enum { IO_BATCH_MAX = 64 }; // requests

struct io_batch {
    struct io_progress progress;
    struct io_ahead *ahead;
    struct io_piece *pieces[IO_BATCH_MAX]; // by offset
    int n;
    tess_range ranges[IO_BATCH_MAX]; // of the pieces, in order
    struct io_piece *piece_of[IO_BATCH_MAX]; // of each range
    int nranges;
    int narrived; // ranges
};

// -- the queue

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

// -- a batch

// Take the oldest piece of a queue, and others of its io, as many as there are free requests, but
// at least one. False: no piece of them is needed any more.
bool io_batch_take(struct io_batch *b, struct io_ahead *a);
void io_batch_read(struct io_batch *b); // what was taken

// -- the threads

// requests: at most, of all queues; 0: no threads. Freed with the last queue. NULL: no memory.
struct io_readers *io_readers_new(int requests);

// Without the mutex.
void io_readers_add(struct io_readers *r, struct io_ahead *a);
// Nothing of it is read when this returns. With the last queue the threads end.
void io_readers_remove(struct io_readers *r, struct io_ahead *a);
void io_readers_leave(struct io_readers *r); // by a queue that was removed: free with the last

// With the mutex held.
void io_readers_start(struct io_readers *r); // one more thread, if the system has one
// If a piece waits: a thread waits for it, or for a free request.
void io_readers_wake(struct io_readers *r);

#endif
