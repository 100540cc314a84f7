/*
 * disk.h - what the library does to the files below one folder, written down; and made to fail.
 *
 * Programs are linked with the static library and -Wl,--wrap for all system calls by which
 * lib/tessera/io changes files and names, or syncs (meson.build lists them). Each call is made; if
 * it succeeded, it is an operation of the log, with its bytes. Calls outside the folder are only
 * made.
 *
 * Calls from several threads are written down one after the other. What is asked here is asked
 * while no other thread works.
 */
#ifndef FAULT_DISK_H
#define FAULT_DISK_H

#include "fault/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disk_kind {
    DISK_MAKE, // a new file, `text` in folder `node`: node `other`
    DISK_MAKE_FOLDER, // likewise
    // `text` in folder `node` is `to` in folder `target` from here on; it leads to node `other`
    DISK_RENAME,
    DISK_EXCHANGE, // `text` and `to` in folder `node` change what they lead to
    DISK_REMOVE, // `text` in folder `node`
    DISK_WRITE, // `size` bytes at `offset` of file `node`
    DISK_CUT, // file `node` has `offset` bytes from here on
    DISK_SYNC, // of file or folder `node`
    DISK_SYNC_FAILED, // of file `node`: what was to be synced is taken for synced, and may be lost
};

struct disk_op {
    enum disk_kind kind;
    int node;
    int other;
    int target;
    char text[NAMES_SIZE], to[NAMES_SIZE];
    int64_t offset;
    size_t size;
    uint8_t *bytes;
};

// The log starts here, with an empty folder; its path is absolute and stays. It ends, and is
// forgotten, with disk_end().
void disk_begin(const char *folder);
void disk_end(void);

size_t disk_length(void); // operations so far
const struct disk_op *disk_op(size_t n);
int disk_nodes(void); // nodes so far: 0 to this - 1
int disk_node(const char *name); // what a name in the folder leads to now, or NAMES_NONE

// Calls that write nothing down, for those who look: they are never made to fail, either, and syncs
// do nothing. One pause may hold another; disk_end() ends all.
void disk_pause(void);
void disk_resume(void);

// How a call fails.
enum disk_failure {
    DISK_NONE,
    DISK_EIO, // any call: it does nothing, errno EIO
    DISK_ENOSPC, // one that may need space: it does nothing, errno ENOSPC
    DISK_SHORT, // a read or write: half of it is done, which is no failure
    DISK_SHORT_ENOSPC, // a write: its first sectors are done, and the next write has no space
    DISK_EINTR, // a read, write or sync: it does nothing, errno EINTR, which is no failure
    DISK_FAILURES,
};

// The n-th call from here on (0: the next one) fails, of those that can fail so; with `forever`
// all such calls after it, too. DISK_EINTR and DISK_SHORT are never forever.
void disk_fail(enum disk_failure how, long n, bool forever);
// No call fails from here on.
void disk_heal(void);
long disk_failures(void); // calls that failed since disk_fail()

// No file can be locked from here on: all calls of flock() fail with that errno. 0: they do not.
void disk_fail_locks(int error);

extern const char *const disk_failure_names[DISK_FAILURES];

// The file system can rename, but not exchange names, nor refuse to replace one.
void disk_be_plain(bool plain);

// In which order names in the folder, and below it, are listed: as the file system does it, or as
// the seed says, and there the index of a sparse array where it does most harm.
enum disk_order { DISK_ANY_ORDER, DISK_SHUFFLED, DISK_INDEX_LAST, DISK_INDEX_FIRST, DISK_ORDERS };
void disk_list(enum disk_order order, uint64_t seed);

#endif
