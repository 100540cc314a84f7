/*
 * lock.c - the lock of a writer.
 */
#include "io/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

tess_status
io_lock_acquire(struct io_lock *lock, int fd, tess_error *err)
{
    int result;
    *lock = (struct io_lock){0};
    do
        result = flock(fd, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        lock->process = getpid();
    else if (errno == EWOULDBLOCK)
        return err_sys(err, errno, "it is open for writing already, here or in another program");
    else
        lock->error = errno;
    return TESS_OK;
}

void
io_lock_release(struct io_lock *lock, int fd)
{
    if (io_lock_is_held(lock) && lock->process == getpid())
        (void)flock(fd, LOCK_UN);
    *lock = (struct io_lock){0};
}
