/*
 * waitlock.c - waiting for other threads, without sleep where that is likely to be short.
 *
 * Waking a thread costs the waking thread 4 us, and the other one runs 20 us later. So a thread
 * spins for SPIN_NS before it sleeps, unless it may occupy the CPU of the thread it waits for.
 */
#include "task/waitlock.h"

#include "task/cpus.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define SPIN_NS 50000
#define LOOKS 16 // between two looks at the clock
#define SECOND 1000000000
#define TRIES 100 // to take the lock, before sleeping for it

static inline void
pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

void
waitlock_init(struct waitlock *g)
{
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->bell, NULL);
    g->asleep = 0;
    atomic_init(&g->spinning, 0);
    atomic_init(&g->changes, 0);
}

void
waitlock_finish(struct waitlock *g)
{
    pthread_cond_destroy(&g->bell);
    pthread_mutex_destroy(&g->lock);
}

void
waitlock_lock(struct waitlock *g)
{
    if (cpus_may_spin())
        for (int i = 0; i < TRIES; i++) {
            if (pthread_mutex_trylock(&g->lock) == 0)
                return;
            pause_cpu();
        }
    pthread_mutex_lock(&g->lock);
}

void
waitlock_unlock(struct waitlock *g)
{
    pthread_mutex_unlock(&g->lock);
}

static bool
changed_since(struct waitlock *g, unsigned before)
{
    return atomic_load_explicit(&g->changes, memory_order_relaxed) != before;
}

static void
spin(struct waitlock *g, unsigned before)
{
    const int64_t end = now_ns() + SPIN_NS;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (changed_since(g, before))
                return;
            pause_cpu();
        }
    } while (now_ns() < end);
}

static void
count_spinners(struct waitlock *g, int more)
{
    const int n = atomic_load_explicit(&g->spinning, memory_order_relaxed);
    atomic_store_explicit(&g->spinning, n + more, memory_order_relaxed);
}

// Spin for a while. Whether nothing has changed.
static bool
spins_in_vain(struct waitlock *g)
{
    const unsigned before = atomic_load_explicit(&g->changes, memory_order_relaxed);
    if (cpus_may_spin()) {
        count_spinners(g, 1);
        waitlock_unlock(g);
        spin(g, before);
        waitlock_lock(g);
        count_spinners(g, -1);
    }
    return !changed_since(g, before);
}

void
waitlock_wait(struct waitlock *g)
{
    if (!spins_in_vain(g))
        return;
    g->asleep++;
    pthread_cond_wait(&g->bell, &g->lock);
    g->asleep--;
}

void
waitlock_wait_for(struct waitlock *g, int64_t nanoseconds)
{
    struct timespec until;
    if (!spins_in_vain(g))
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(nanoseconds / SECOND);
    until.tv_nsec += (long)(nanoseconds % SECOND);
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    g->asleep++;
    pthread_cond_timedwait(&g->bell, &g->lock, &until);
    g->asleep--;
}

void
waitlock_changed(struct waitlock *g)
{
    atomic_fetch_add_explicit(&g->changes, 1, memory_order_relaxed);
}

void
waitlock_wake_one(struct waitlock *g)
{
    if (g->asleep > 0)
        pthread_cond_signal(&g->bell);
}

void
waitlock_wake_all(struct waitlock *g)
{
    if (g->asleep > 0)
        pthread_cond_broadcast(&g->bell);
}
