/*
 * waitlock.h - a mutex with a condition variable whose waiters spin before they sleep.
 *
 * The mutex is held for a few instructions at a time, never during a callback. A thread that
 * changes what others may wait for calls waitlock_changed(); a waiter checks its condition again
 * after each return, as with a condition variable.
 */
#ifndef TASK_WAITLOCK_H
#define TASK_WAITLOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define WAITLOCK_LINE 64 // bytes of a cache line

struct waitlock {
    pthread_mutex_t lock; // guards `asleep`, and what its owner says
    pthread_cond_t bell; // for those asleep
    int asleep;
    atomic_int spinning; // may be read without the lock
    // Spinners look at this line only, and it changes once for each thing that they may wait for.
    _Alignas(WAITLOCK_LINE) atomic_uint changes;
};

void waitlock_init(struct waitlock *g);
void waitlock_finish(struct waitlock *g); // no thread waits

void waitlock_lock(struct waitlock *g);
void waitlock_unlock(struct waitlock *g);

// All of these with the lock held. A thread that waits gives it up meanwhile; it returns after a
// change, or for no reason.
void waitlock_wait(struct waitlock *g);
void waitlock_wait_for(struct waitlock *g, int64_t nanoseconds); // at most, about
void waitlock_changed(struct waitlock *g); // spinners see it, sleepers do not
void waitlock_wake_one(struct waitlock *g);
void waitlock_wake_all(struct waitlock *g);

#endif
