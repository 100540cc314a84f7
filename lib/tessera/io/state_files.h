/*
 * state_files.h - states of a directory, each in a file that says what is of it.
 *
 *     DIRECTORY/.tessera/00000000000000000012          the state with that number
 *     DIRECTORY/.tessera/00000000000000000012=april    the same, kept under a name
 *     DIRECTORY/.tessera/00000000000000000013.commit   the newest, which files are still to follow
 *     DIRECTORY/.tessera/00000000000000000013.moved    the same, half-way
 *     DIRECTORY/.tessera/writer                        locked by the program that writes
 *
 * The state with the highest number is the newest: a rename that gives its file that name makes it
 * so. Whoever reads a state has a shared lock on its file (flock), so a writer knows which are in
 * use. What the files hold is not this unit's concern.
 *
 * A struct state_files has no mutex: any number of threads may call what takes a const one, all
 * else is for one thread.
 */
#ifndef IO_STATE_FILES_H
#define IO_STATE_FILES_H

#include "base/error.h"
#include "io/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_FOLDER ".tessera"

enum { STATE_NAME_SIZE = 101 };

enum state_phase {
    STATE_DONE,
    STATE_COMMITTED, // the first step of what follows a commit is to be done
    STATE_MOVED, // the second one is
};

struct state_file {
    uint64_t number;
    enum state_phase phase;
    char name[STATE_NAME_SIZE]; // that a program gave it; "": none
};

struct state_files {
    int root; // the directory, open
    int folder; // that of the states; -1: there is none
    int writer; // the lock file; -1: for reading
    struct io_lock lock;
};

/*
 * Open a directory. writable: the folder is made, and locked against other writers: TESS_ERR_IO
 * with errno EWOULDBLOCK if one has it. make: the directory is made; it must not be there (EEXIST).
 * After a failure there is nothing to close.
 */
tess_status state_files_open(struct state_files *s, const char *path, bool writable, bool make,
                             tess_error *err);
void state_files_close(struct state_files *s);

// All states, ascending; allocated for the caller. Without a folder: none.
tess_status state_files_list(const struct state_files *s, struct state_file **list, size_t *n,
                             tess_error *err);

/*
 * Read one, with a lock for a reader; *fd holds the lock until it is closed with
 * state_files_unlock(). At most `memory` bytes are allocated: TESS_ERR_LIMIT. TESS_ERR_NOT_FOUND:
 * it went away, or changed its name.
 */
tess_status state_files_read(const struct state_files *s, const struct state_file *file,
                             int64_t memory, int *fd, uint8_t **bytes, size_t *size,
                             tess_error *err);
void state_files_unlock(int fd); // -1: fine

// A new state, which is the newest from then on, in phase STATE_COMMITTED. durable: the bytes are
// on the disk before.
tess_status state_files_commit(const struct state_files *s, uint64_t number, const uint8_t *bytes,
                               size_t size, bool durable, tess_error *err);
// The names of states are on the disk when this returns.
tess_status state_files_sync(const struct state_files *s, tess_error *err);

// Another phase or name of a state; *file becomes the second one.
tess_status state_files_rename(const struct state_files *s, struct state_file *file,
                               const struct state_file *to, tess_error *err);

// Remove a state, unless a program reads it. False: it is there still.
bool state_files_drop(const struct state_files *s, const struct state_file *file);

// A name that a program may give a state.
bool state_files_is_name(const char *name);

#endif
