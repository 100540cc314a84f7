/*
 * open_files.h - the descriptors of the process that belong to the library, within one budget.
 *
 * A program may have more arrays open for reading than descriptors. What is open for reading is
 * *shared out*: when the budget is used up, the descriptor that was not used for the longest time
 * is closed, and opened again by the next call that needs it. Then it must be the same file
 * (device, inode, and the time of its birth where the file system has one), else TESS_ERR_STALE.
 * Descriptors of writers are *kept*: they have locks. Where budget and kept ones leave no room, a
 * writer is refused.
 *
 * Threads: any number may pin one file and unpin it; a pinned descriptor is not closed. Of one
 * struct open_file, all else requires exclusive access. A pin of an open descriptor is one atomic
 * addition; a mutex of the process guards the list of descriptors that can be closed, the counts
 * and the budget, and is held for a few instructions, across fork() too, and never while a file is
 * opened or closed. A mutex of each file, taken before that of the process, is held while it is
 * opened again.
 *
 * The pinned ones may exceed the budget: a call that needs a descriptor gets it as long as the
 * system has one.
 */
#ifndef IO_OPEN_FILES_H
#define IO_OPEN_FILES_H

#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What tells a file from all others. While it is open, no other file has its device and inode.
struct open_file_identity {
    uint64_t device, inode;
    int64_t born, born_ns; // 0: not known
};

struct open_file {
    atomic_int pins; // below 0: closed
    atomic_bool used; // since it was last looked at to be closed
    int fd; // -1: none, or closed
    bool kept; // not in the list
    bool counted_kept; // refused if the budget has no room
    int flags; // to open it again
    struct open_file *parent; // the directory that `path` is looked up from; NULL: path is absolute
    char *path;
    struct open_file_identity identity;
    pthread_mutex_t opening; // held while it is opened again; before the process's mutex
    struct open_file *older, *newer; // of those that can be closed; guarded by the process's mutex
};

// openat(). If the process or the system has no descriptor left, some that are not in use are
// closed first.
int open_files_at(int directory, const char *path, int flags, mode_t mode);

// No file.
void open_file_init(struct open_file *f);

// A descriptor that was just opened becomes that of f, and counts. It stays open until it is
// closed, unless it is shared.
void open_file_borrow(struct open_file *f, int fd);

// From here on it may be closed between calls, and opened again. parent: the directory that `path`
// is looked up from, which stays longer than f; NULL: path is as a program gives it, and made
// absolute. If that is not possible, it stays open.
tess_status open_file_share(struct open_file *f, struct open_file *parent, const char *path,
                            int flags, tess_error *err);

// It is a writer's, and stays open; TESS_ERR_LIMIT if the budget has no room for it.
tess_status open_file_keep(struct open_file *f, tess_error *err);

void open_file_close(struct open_file *f); // none: fine

// The descriptor, which stays open until it is unpinned. TESS_ERR_STALE: what is at the path is
// another file.
tess_status open_file_pin(struct open_file *f, int *fd, tess_error *err);
void open_file_unpin(struct open_file *f);

// Whether it is a file at all, open or closed for the budget.
bool open_file_is_set(const struct open_file *f);

struct open_files_report {
    int64_t budget; // descriptors
    int64_t open; // now
    int64_t kept; // of these, by writers
    int64_t again; // how many times a file was opened again
};

// 0: half of what the system allows this process (RLIMIT_NOFILE) when it is first asked for. The
// other half is the program's.
void open_files_set_budget(int64_t budget);
void open_files_report(struct open_files_report *report);

#endif
