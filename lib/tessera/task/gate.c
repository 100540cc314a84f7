/*
 * gate.c - waiting for other threads: a mutex whose waiters spin, and a lock for many readers or
 * one thread alone that is made of it.
 *
 * Waking a thread costs the waking thread 4 us, and the other one runs 20 us later. So a thread
 * spins for SPIN_NS before it sleeps, unless it may occupy the CPU of the thread it waits for.
 *
 * Of a gate, `inside` and `wanted` are written in the opposite order by the two sides and read
 * after that, both sequentially consistent: of a reader that enters and a thread that closes the
 * gate, one sees the other. `lock` guards all else. What is lent to a thread is known in a variable
 * of that thread: the functions of the program that run in between know nothing of gates.
 */
#include "task/gate.h"

#include "base/memory.h"
#include "task/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// -- a mutex whose waiters spin

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

// -- the gate

enum { LANES = 8 }; // counters of readers

struct lane {
    _Alignas(WAITLOCK_LINE) atomic_int inside;
};

struct gate {
    struct lane lanes[LANES];
    _Alignas(WAITLOCK_LINE) atomic_int wanted; // threads that wait to be alone, or are
    struct waitlock lock; // for the rest
    bool closed; // a thread is alone, or waits for readers to leave
    int waiting; // readers, for the gate to open
    int admitted; // of those that waited, and are not inside yet
    unsigned opened; // how often the gate was
};

static _Thread_local struct gate_loan *loans; // of this thread

static bool
is_lent(const struct gate *g)
{
    for (const struct gate_loan *l = loans; l; l = l->before)
        if (l->gate == g)
            return true;
    return false;
}

void
gate_lend(struct gate_loan *loan, const struct gate *g)
{
    *loan = (struct gate_loan){g, loans};
    loans = loan;
}

void
gate_end_loan(const struct gate_loan *loan)
{
    loans = loan->before;
}

struct gate *
gate_new(void)
{
    struct gate *const g = mem_aligned(WAITLOCK_LINE, sizeof *g);
    if (!g)
        return NULL;
    for (int i = 0; i < LANES; i++)
        atomic_init(&g->lanes[i].inside, 0);
    atomic_init(&g->wanted, 0);
    waitlock_init(&g->lock);
    g->closed = false;
    g->waiting = 0;
    g->admitted = 0;
    g->opened = 0;
    return g;
}

void
gate_free(struct gate *g)
{
    if (!g)
        return;
    waitlock_finish(&g->lock);
    mem_free(g);
}

// The same for all calls of a thread.
static atomic_int *
lane_of_thread(struct gate *g)
{
    const uint64_t self = (uint64_t)(uintptr_t)pthread_self();
    return &g->lanes[(self * UINT64_C(0x9e3779b97f4a7c15)) >> 61].inside;
}

static bool
is_empty(struct gate *g)
{
    for (int i = 0; i < LANES; i++)
        if (atomic_load(&g->lanes[i].inside) > 0)
            return false;
    return true;
}

static void
gate_changed(struct gate *g)
{
    waitlock_changed(&g->lock);
    waitlock_wake_all(&g->lock);
}

// Enter when the thread that is alone, or the next one, has opened the gate.
static void
enter_later(struct gate *g)
{
    waitlock_lock(&g->lock);
    if (atomic_load(&g->wanted) > 0) {
        const unsigned before = g->opened;
        g->waiting++;
        while (g->opened == before)
            waitlock_wait(&g->lock);
        g->admitted--;
    }
    atomic_fetch_add(lane_of_thread(g), 1);
    gate_changed(g);
    waitlock_unlock(&g->lock);
}

bool
gate_try_enter(struct gate *g)
{
    if (!g || is_lent(g))
        return true;
    atomic_fetch_add(lane_of_thread(g), 1);
    if (atomic_load(&g->wanted) == 0)
        return true;
    gate_leave(g);
    return false;
}

void
gate_enter(struct gate *g)
{
    if (!gate_try_enter(g))
        enter_later(g);
}

void
gate_leave(struct gate *g)
{
    if (!g || is_lent(g))
        return;
    atomic_fetch_sub(lane_of_thread(g), 1);
    if (atomic_load(&g->wanted) == 0)
        return;
    waitlock_lock(&g->lock);
    gate_changed(g);
    waitlock_unlock(&g->lock);
}

void
gate_close(struct gate *g)
{
    if (!g)
        return;
    waitlock_lock(&g->lock);
    atomic_fetch_add(&g->wanted, 1);
    while (g->closed || g->admitted > 0)
        waitlock_wait(&g->lock);
    g->closed = true;
    while (!is_empty(g))
        waitlock_wait(&g->lock);
    waitlock_unlock(&g->lock);
}

void
gate_open(struct gate *g)
{
    if (!g)
        return;
    waitlock_lock(&g->lock);
    g->closed = false;
    g->admitted += g->waiting;
    g->waiting = 0;
    g->opened++;
    atomic_fetch_sub(&g->wanted, 1);
    gate_changed(g);
    waitlock_unlock(&g->lock);
}

bool
gate_is_wanted(const struct gate *g)
{
    return g && atomic_load_explicit(&g->wanted, memory_order_relaxed) > 0;
}
