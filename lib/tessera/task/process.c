/*
 * process.c - forks between the first process and this one, counted by each child.
 *
 * getpid() is a system call: it would double what a small write costs.
 */
#include "task/process.h"

#include <pthread.h>
#include <stdatomic.h>

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
