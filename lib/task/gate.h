/*
 * gate.h - a lock with a place to wait at: first spinning, then asleep.
 *
 * The lock is for a few instructions at a time, never for a callback. Who changes what others may
 * wait for says so; who waits looks again at what it waits for, as with a condition variable.
 */
#ifndef TASK_GATE_H
#define TASK_GATE_H

#include <pthread.h>
#include <stdatomic.h>

#define GATE_LINE 64 // bytes of a cache line

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t bell;
    int asleep;
    atomic_int spinning; // may be read without the lock
    // Spinners look at this line only, and it changes once for each thing that they may wait for.
    _Alignas(GATE_LINE) atomic_uint changes;
};

void gate_init(struct gate *g);
void gate_finish(struct gate *g); // nobody waits

void gate_lock(struct gate *g);
void gate_unlock(struct gate *g);

// All of these with the lock held. A thread that waits gives it up meanwhile; it returns after a
// change, or for no reason.
void gate_wait(struct gate *g);
void gate_changed(struct gate *g); // spinners see it, sleepers do not
void gate_wake_one(struct gate *g);
void gate_wake_all(struct gate *g);

#endif
