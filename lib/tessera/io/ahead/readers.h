/*
 * readers.h - I/O threads that read the pieces of one or several queues.
 *
 * The queues of a call share one, which bounds the concurrent requests of the call: that of the
 * outer job, which lives longest, and those of the jobs inside its grains.
 *
 * One mutex guards readers, their queues, pieces and wants. It is free during reads, calls of
 * pieces, and calls of io_ahead.ended.
 */
#ifndef IO_AHEAD_READERS_H
#define IO_AHEAD_READERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct io_ahead;

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
