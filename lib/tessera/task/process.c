/*
 * process.c - what a process knows of itself: which it is, how many CPUs it has, and the one
 * environment variable that the library reads.
 *
 * Forks between the first process and this one are counted by each child: getpid() is a system
 * call, and would double what a small write costs.
 *
 * TESS_NUM_THREADS that is no number, or below 1, is as if it were not there.
 */
#include "task/process.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint forks;

static void
process_in_child(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void
count_forks(void)
{
    (void)pthread_atfork(NULL, NULL, process_in_child);
}

unsigned
process_number(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, count_forks);
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

// -- CPUs

#define MACHINE_MAX (1 << 16) // CPUs; sched_getaffinity() refuses sets smaller than the machine's

static int
usable(void)
{
    for (size_t n = CPU_SETSIZE; n <= MACHINE_MAX; n *= 2) {
        const size_t size = CPU_ALLOC_SIZE(n);
        cpu_set_t *const set = CPU_ALLOC(n);
        const int count = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return 1;
}

static int
wanted(int otherwise)
{
    const char *const text = getenv("TESS_NUM_THREADS");
    char *end = NULL;
    const long n = text ? strtol(text, &end, 10) : 0;

    if (n < 1 || *end != '\0')
        return otherwise;
    return n < CPUS_THREADS_MAX ? (int)n : CPUS_THREADS_MAX;
}

enum { SPIN = 1 << 16 }; // beside the number of threads

static int
cpus_known(void)
{
    static atomic_int cached; // threads that meet here find the same
    int mask = atomic_load_explicit(&cached, memory_order_relaxed);

    if (mask == 0) {
        const int cpus = usable();
        const int most = cpus < CPUS_THREADS_MAX ? cpus : CPUS_THREADS_MAX;
        mask = wanted(most);
        if (cpus > 1 && mask <= cpus)
            mask |= SPIN;
        atomic_store_explicit(&cached, mask, memory_order_relaxed);
    }
    return mask;
}

int
cpus_threads(void)
{
    return cpus_known() & ~SPIN;
}

bool
cpus_may_spin(void)
{
    return cpus_known() & SPIN;
}
