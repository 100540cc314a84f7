/*
 * access.h - what a super-chunk and its views share: a lock, codecs of the program, the list of
 * chunks that programs see.
 */
#ifndef COMPAT_SCHUNK_ACCESS_H
#define COMPAT_SCHUNK_ACCESS_H

#include "blosc2/plugins.h"
#include "blosc2/storage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <tessera/array.h>

struct b2_schunk;

// Copies of the chunks as they are stored (list.h).
struct b2_chunks {
    uint8_t **list; // `count` of them, room for more; NULL where one is not listed
    int64_t count, room;
    int64_t cbytes; // of those that are listed
    int64_t first, behind; // those that are not listed are first .. behind; first >= behind: none
    uint8_t special[BLOSC_EXTENDED_HEADER_LENGTH]; // the copy of a run of special chunks
    bool has_special; // set, and listed
    struct b2_schunk *shown; // those whose members show the list
    const uint8_t *given; // bytes of chunk given_n; NULL outside of a call that adds one
    int64_t given_n;
    int32_t given_size;
};

struct b2_access {
    pthread_rwlock_t lock;
    pthread_mutex_t counts; // guards nbytes, cbytes, `chunks` while `lock` is held shared
    struct b2_chunks chunks;
    atomic_int users; // grows while `lock` is held, or at the start
    struct b2_told told; // to codecs and filters
    struct b2_plugins *plugins; // those that were registered when the super-chunk began
    struct b2_schunk *owner; // that is no view, guarded by `lock`; NULL: it was freed
    int64_t handles; // counts those of the owner, and its shapes, guarded by `lock`: views follow
    atomic_bool unwritten; // something was changed since functions of the program wrote the frame
    bool in_file; // there is a file, or a directory, to commit to
    bool
        deferred; // commits are for blosc2_schunk_free(), exit() and other super-chunks (storage.h)
    atomic_bool uncommitted; // the commit of the last call failed
    dev_t device; // with inode: the file that is read, guarded by `lock`; 0: none is known
    ino_t inode;
    bool unfit; // the program wants a codec and filters that the array cannot have: it has none
    bool plain; // the N-dimensional layer does not describe the chunks; guarded by `lock`
};

// With one user, the caller, and the parameters of storage. Returns a code; then *access is NULL.
int b2_access_new(const blosc2_storage *storage, struct b2_access **access);

// One user more, or less; the last one frees it. NULL: nothing happens.
void b2_access_share(struct b2_access *access);
void b2_access_drop(struct b2_access *access);

// b2_storage_place(), with the codecs.
int b2_access_place(struct b2_access *access, struct b2_place *place, const blosc2_storage *storage,
                    const char *path, tess_mode mode);

// Open the frame at place. If it is no array because its N-dimensional layer contradicts it, it is
// a super-chunk all the same, and `plain` is set. Returns a code.
int b2_access_open(struct b2_access *access, struct b2_place *place, tess_array **a);

// Before the file at path is opened for reading, or followed: which file it is.
void b2_access_note_file(struct b2_access *access, const char *path);

// Whether the path leads to another file now. `lock` is held, shared or exclusively.
bool b2_access_file_replaced(const struct b2_access *access, const char *path);

#endif
