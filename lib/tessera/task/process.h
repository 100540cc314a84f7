/*
 * process.h - which process this is, without a system call; and how many threads it may keep busy.
 *
 * Any thread, without a lock: atomics. One counts forks: the child of a fork() increments it before
 * it returns from there. The other keeps the number of CPUs: threads that ask first at the same
 * time find the same number.
 */
#ifndef TASK_PROCESS_H
#define TASK_PROCESS_H

#include <stdbool.h>

// Another number in the child of a fork(). Children that were made in other ways (_Fork(), clone())
// are not seen; where that matters, getpid() is asked.
unsigned process_number(void);

#define CPUS_THREADS_MAX 256

// The number in TESS_NUM_THREADS, else the CPUs that the process may use; 1 to CPUS_THREADS_MAX.
// Both are determined once, by the first call.
int cpus_threads(void);

// Each of these threads has a CPU, and there are two or more: one may wait without sleeping.
bool cpus_may_spin(void);

#endif
