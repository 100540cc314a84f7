/*
 * gate.h - waiting for other threads: the waitlock, and the gate, which is made of one.
 *
 * A *waitlock* is a mutex with a condition variable whose waiters spin before they sleep. It is
 * held for a few instructions at a time, never during a callback. A thread that changes what others
 * may wait for calls waitlock_changed(); a waiter checks its condition again after each return, as
 * with a condition variable.
 *
 * A *gate* is a lock for many readers, or one thread alone, that costs readers little. A reader
 * adds one to a counter that it shares with few other threads, and looks whether a thread wants to
 * be alone. So readers on different CPUs do not meet in a cache line, as they do in a read-write
 * lock of the system. A thread that wants to be alone keeps new readers out, waits for those
 * inside, and lets those that waited meanwhile in before the next one is alone: neither side
 * starves the other.
 *
 * A reader that stays long asks gate_is_wanted() where it can leave and enter again.
 *
 * A thread that is inside does not enter again, and does not close the gate: it would wait for
 * itself. Where a job that is inside calls a function of the program, which may read, too, the gate
 * is lent to the thread meanwhile: entering and leaving do nothing then. enter and leave, close and
 * open are called by the same thread. No gate, NULL: there is nothing to wait for, as where
 * nothing ever changes.
 */
#ifndef TASK_GATE_H
#define TASK_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gate;

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

struct gate *gate_new(void); // NULL: no memory
void gate_free(struct gate *g); // no thread is inside; NULL: fine

void gate_enter(struct gate *g);
bool gate_try_enter(struct gate *g); // false: it would have to wait; no cancellation point
void gate_leave(struct gate *g);

void gate_close(struct gate *g); // alone from here on
void gate_open(struct gate *g);

// A loan, in memory of the caller until it ends; the thread that called lend ends it.
struct gate_loan {
    const struct gate *gate;
    struct gate_loan *before;
};
void gate_lend(struct gate_loan *loan, const struct gate *g);
void gate_end_loan(const struct gate_loan *loan);

// Whether a thread waits to be alone, or is.
bool gate_is_wanted(const struct gate *g);

#endif
