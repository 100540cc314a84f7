/*
 * process.h - which process this is, without a system call.
 *
 * Any thread, without a lock: one atomic counter, which the child of a fork() increments before it
 * returns from there.
 */
#ifndef TASK_PROCESS_H
#define TASK_PROCESS_H

// Another number in the child of a fork(). Children that were made in other ways (_Fork(), clone())
// are not seen; where that matters, getpid() is asked.
unsigned process_number(void);

#endif
