/*
 * lock_file.h - the lock file beside a frame by which c-blosc2 (3.2 and later) keeps programs
 * apart.
 *
 *     NAME.b2lock         of a file; .b2lock inside of the directory of a sparse frame
 *     bytes 0..7          nothing, often not there
 *     bytes 8..15         uint64 in native byte order; a file that is shorter: 0
 *
 * flock() on it: shared while a frame is read, exclusive while it is changed. The number is
 * increased whenever the exclusive lock was got, so a process that locks knows whether others
 * changed the frame since, also where its header does not show it. The file is made at first use,
 * and stays.
 *
 * A lock belongs to a descriptor, hence to this struct: any number of threads share the shared one,
 * which is counted. Under the exclusive one shared ones are free, and where it is released they
 * stay. In the child of a fork() nothing is locked, the parent keeps what it had, and a change of
 * the parent that was under way is one by another process.
 *
 * Threads: a mutex of the struct guards all that changes, and is held for one attempt, also while
 * the file is opened; those of open_files.h are taken inside. It is not held across fork().
 *
 * Nothing here waits: a lock that others have is TESS_ERR_IO with errno EWOULDBLOCK, and
 * frame/commit/lock.c tries again. After any failure the same can be tried again: what is known of
 * the number stays.
 */
#ifndef IO_LOCK_FILE_H
#define IO_LOCK_FILE_H

#include "base/error.h"

#include <stdbool.h>

struct folder;
struct lock_file;

/*
 * The lock file of a frame at `path`, or of the directory of one (path NULL).
 *
 * A reader has one if the file is there, or `make` is set and it can be made; *s is NULL otherwise:
 * there is nothing to lock. A writer looks for the file, or makes it, when it first wants any lock,
 * and whenever it wants the exclusive one; without the file there is nothing to lock then. Where
 * the file cannot be locked at all, as on file systems without locks, there is neither, unless it
 * is `required`.
 */
tess_status lock_file_open(const char *path, const struct folder *folder, bool writable, bool make,
                           bool required, struct lock_file **s, tess_error *err);
void lock_file_close(struct lock_file *s); // unlocks; NULL: fine

// Any number of threads at once. lock_file_skip(): true where the file was looked for before and is
// not there, so that there is nothing to lock. Then it is as if it was shared: it costs two atomic
// instructions, and lock_file_unshare() ends it.
bool lock_file_skip(struct lock_file *s);
tess_status lock_file_share(struct lock_file *s, tess_error *err);
void lock_file_unshare(struct lock_file *s);

// One thread. Has it already: fine. Other threads may have it shared, and go on reading; if another
// program had it in between, lock_file_check() tells.
tess_status lock_file_take(struct lock_file *s, tess_error *err);
void lock_file_release(struct lock_file *s); // does not have it: fine
bool lock_file_is_taken(struct lock_file *s);
// The file goes, with the frame; its lock is held. Not there, or a failure: fine.
void lock_file_remove(struct lock_file *s);

// Whether another process had the exclusive lock since this struct first had any, or has it now;
// without a lock. A failure is one to read the file.
tess_status lock_file_check(struct lock_file *s, bool *behind, tess_error *err);
// What others did up to now is no matter: it was done to something else.
void lock_file_forget(struct lock_file *s);

#endif
