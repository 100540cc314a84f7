/*
 * lock.h - the lock of a writer: flock() on a descriptor of the file or directory.
 *
 * The lock belongs to the open file, which the child of a fork() shares. So it is released, not
 * only closed, and only by the process that acquired it: a child that does nothing would keep it
 * for as long as it lives, and one that closes would end that of its parent.
 *
 * A struct io_lock has no mutex: one thread acquires and releases it, with exclusive access to the
 * io, folder or naming that it is part of.
 */
#ifndef IO_LOCK_H
#define IO_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct io_lock {
    pid_t process; // that acquired it; 0: none did
    int error; // errno of an attempt that failed: the file system has no locks, or none left
};

// Without waiting. TESS_ERR_IO, EWOULDBLOCK: another has it. Where it fails for another reason that
// is no failure here: lock->process stays 0.
tess_status io_lock_acquire(struct io_lock *lock, int fd, tess_error *err);

void io_lock_release(struct io_lock *lock, int fd); // none acquired: fine

static inline bool
io_lock_is_held(const struct io_lock *lock)
{
    return lock->process != 0;
}

#endif
