/*
 * await.c - waiting for a piece.
 */
#include "io/ahead/await.h"

#include "base/error.h"
#include "io/ahead/batch.h"
#include "io/ahead/queue.h"
#include "io/ahead/readers.h"

#include <pthread.h>
#include <time.h>

enum {
    POLL = 50 * 1000 * 1000, // nanoseconds between two questions whether the job is over
    SECOND = 1000 * 1000 * 1000,
};

// Wait for a moment, or a change. Whether the job is over: it is asked here, too, since only the
// thread of the call can find out, which may be this one.
static bool
wait_for_change(struct io_ahead *a)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL;
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&a->readers->arrival, &a->readers->lock, &until);
    pthread_mutex_unlock(&a->readers->lock);
    const bool over = a->ended(a->arg);
    pthread_mutex_lock(&a->readers->lock);
    return over;
}

tess_status
io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err)
{
    while (p->state < PIECE_HERE) {
        if (a->readers->no_threads && p->state == PIECE_WAITS) {
            struct io_batch b;
            if (io_batch_take(&b, a))
                io_batch_read(&b);
            continue;
        }
        if (wait_for_change(a) && p->state < PIECE_HERE)
            return err_set(err, TESS_ERR_CANCELLED, -1, "the call was ended while it was reading");
    }
    if (p->state == PIECE_HERE)
        return TESS_OK;
    if (err)
        *err = a->why;
    return a->status;
}

void
io_piece_drain(struct io_ahead *a, const struct io_piece *p)
{
    while (p->state == PIECE_ASKED || (p->reading && p->io_may_close))
        (void)wait_for_change(a);
}
