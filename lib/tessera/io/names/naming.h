/*
 * naming.h - how a new file or directory gets its name.
 *
 * It is made under a temporary name in the directory of its own, and gets that by one change of
 * names, with all that it holds: at no moment does the name lead to something half-made, and what
 * had it before stays whole until then. All names are looked up from the open directory, since
 * programs change theirs.
 *
 *     NAME.tess-N.tmp     N: 0, or the first number that is free. Too long a NAME is cut.
 *
 * The process that makes it holds its lock (flock) from the moment on at which the file is known
 * to have that name, so a temporary name with a free lock is left over from a program that died
 * (removal.h).
 *
 * A struct naming belongs to one thread.
 */
#ifndef IO_NAMES_NAMING_H
#define IO_NAMES_NAMING_H

#include "base/error.h"
#include "io/lock.h"
#include "io/open_files.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct naming;

// What has names: files, or directories.
struct naming_kind {
    // A new one; its descriptor. < 0: errno, EEXIST if something has the name.
    int (*make)(int parent, const char *name);
    // Whether what has a name may be replaced, or nothing has it.
    tess_status (*check)(const struct naming *n, const char *name, tess_error *err);
    // What has the temporary name, with all that belongs to it. fd: of it; -1: not open.
    void (*remove)(const struct naming *n, int fd);
    // It cannot replace in one step, without what is replaced having a name.
    bool exchanges;
};

struct naming {
    const struct naming_kind *kind; // NULL: not begun
    const void *user; // for the kind
    int parent; // the directory, open
    struct open_file directory; // the same
    char *path; // as it was given
    const char *name; // the end of it
    char *temporary; // NULL: nothing is made, or it has its name
    bool replace;
    bool doubtful; // the name was given back: on the disk it may lead here still
    bool unsynced; // it has its name, which may not be on the disk, as it should be
    int replaced; // of what it will replace, locked; -1: nothing, or nothing that can be locked
    struct io_lock lock; // of that; not acquired: another descriptor has it
    pid_t process; // the one that makes it
};

/*
 * Begin, for a path without slashes at its end, which leads to nothing (else errno EEXIST), or with
 * `replace` to nothing or what may be replaced: that is locked until the end, so that no other
 * program writes to it, or replaces it. TESS_ERR_IO, EWOULDBLOCK: one does. held: a descriptor of
 * it that is locked already, or -1. To be finished also after a failure.
 */
tess_status naming_begin(struct naming *n, const struct naming_kind *kind, const void *user,
                         const char *path, bool replace, int held, tess_error *err);

// Make it; *fd: its descriptor, locked. After a failure the caller closes it, if it is not -1.
tess_status naming_make(struct naming *n, int *fd, struct io_lock *lock, tess_error *err);

// errno: why the lock of what was made, or that of what it replaces, could not be acquired; 0: both
// are held.
int naming_lock_error(const struct naming *n, const struct io_lock *lock);

/*
 * It gets its name. durable: the name is on the disk then, and only then is gone what was replaced;
 * if the disk says no, names are as they were before. Once more is fine after a failure, and does
 * nothing after a success.
 *
 * With `replace`, where the file system cannot exchange names: a file is renamed over the old one,
 * and stays there if the disk says no; a directory replaces nothing but an empty directory. What
 * took the name meanwhile and cannot be replaced keeps it; or, if it cannot be given back, has the
 * temporary one, which the message tells.
 */
tess_status naming_publish(struct naming *n, int fd, bool durable, tess_error *err);

/*
 * What naming_begin() found to be replaced is removed instead: it gets a temporary name, which the
 * disk has before anything of it goes (durable), and which a program that dies leaves to
 * removal.h. TESS_ERR_NOT_FOUND: there is nothing, or nothing any more. What cannot be removed
 * keeps its name, or has the temporary one, which the message tells.
 */
tess_status naming_remove(struct naming *n, bool durable, tess_error *err);

// What did not get its name disappears, if this is the process that made it. Zeroed: fine. fd: of
// it, or -1.
void naming_finish(struct naming *n, int fd);

enum { NAMING_SIZE = NAME_MAX + 1 };

// The temporary name with a number; and whether some name is one, with any number.
void naming_temporary(const char *name, unsigned number, char *temporary);
bool naming_is_temporary(const char *name, const char *temporary);

// The directory that a path without a slash at its end stands in, open, and the name of it there.
tess_status naming_parent(const char *path, int *parent, const char **name, tess_error *err);

// Bring the names in a directory to the disk. fd: of a file of that file system.
tess_status naming_sync(int parent, int fd, tess_error *err);

// Whether what has a name in a directory is what a descriptor stands for; links are followed or
// not. A failure is none but that to ask: nothing of that name is false.
tess_status naming_leads_to(int parent, const char *name, bool follow, int fd, bool *leads,
                            tess_error *err);

#endif
