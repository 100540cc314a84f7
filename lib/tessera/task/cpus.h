/*
 * cpus.h - how many threads this process may keep busy.
 *
 * Any thread, without a lock: what is found is kept in one atomic. Threads that ask first at the
 * same time find the same number.
 */
#ifndef TASK_CPUS_H
#define TASK_CPUS_H

#include <stdbool.h>

#define CPUS_THREADS_MAX 256

// The number in TESS_NUM_THREADS, else the CPUs that the process may use; 1 to CPUS_THREADS_MAX.
// Both are determined once, by the first call.
int cpus_threads(void);

// Each of these threads has a CPU, and there are two or more: one may wait without sleeping.
bool cpus_may_spin(void);

#endif
