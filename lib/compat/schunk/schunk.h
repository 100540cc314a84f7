/*
 * schunk.h - a super-chunk: the struct that programs see, and the handle behind it.
 *
 * The handle is an array of the library: a plain frame, or one with an N-dimensional layer, which
 * the array of b2nd.h shares. A view has a handle of its own and shares the lock of its base.
 *
 * Locks. Calls that read or write items hold `lock` shared; calls that change anything else, the
 * members that programs see included, hold it exclusively. calls.h acquires it.
 */
#ifndef COMPAT_SCHUNK_SCHUNK_H
#define COMPAT_SCHUNK_SCHUNK_H

#include "schunk/access.h"

#include <blosc2.h>
#include <tessera/array.h>
#include <tessera/chunk.h>

#include <stdatomic.h>

struct b2_schunk;

// Make a view with the axes and the shape of another, of a handle of the same base. Returns a code.
typedef int b2_view_fn(const struct b2_schunk *view, tess_array *base, tess_array **a);

// The axes of a view: which axis of its base each of them is, -1: none, of length 1.
struct b2_axes {
    int ndim;
    int8_t of_base[TESS_MAX_NDIM];
};

// Chunks one after the other that are special, of one kind and size, and not stored.
struct b2_run {
    int64_t first;
    int64_t nchunks; // 0: none is known
    int32_t nbytes; // of each
    tess_chunk_kind kind;
    uint8_t header[BLOSC_EXTENDED_HEADER_LENGTH]; // all of such a chunk
};

struct b2_schunk {
    blosc2_schunk of; // first: programs have its address
    tess_array *a;
    struct b2_access *access;
    atomic_bool writable; // a may be changed; changes while `lock` is held exclusively
    blosc2_cparams encodes; // what `a` encodes new chunks by (content.h)
    bool by_program; // in memory, and written by functions of the program
    bool locking; // other processes write in turns: write access ends with each call
    bool read_only; // the program opened the file for reading alone
    bool leaves_uninit; // made in memory: reading uninitialised items leaves the program's memory
    bool behind; // the lists of metalayers are to be loaded, which failed
    bool plain; // no N-dimensional layer: a list of chunks
    int lock_depth; // of blosc2_schunk_lock()
    struct b2_axes axes; // of a view
    b2_view_fn *view; // makes the view again, of another handle
    int64_t handle; // of access->handles that a is a view of
    struct b2_schunk *next_in_list; // of those that show access->chunks, guarded by access->counts
    int64_t missing; // chunks at the end of an array that the program deleted, and may append again

    char *path; // absolute; NULL: in memory
    int64_t offset; // where the frame begins in the file
    bool inherited; // the parent of this process has the file open for writing: a is its handle
    struct b2_schunk *next; // in the list of files (calls.c)

    uint8_t *frame; // memory that a reads in place, or a copy that was handed out; NULL: none
    int64_t frame_size;
    bool frame_is_old; // the array was changed since the copy was made
    bool frame_is_foreign; // belongs to the program

    struct b2_run run; // (special.c) guarded by access->counts
    int64_t next_special; // behind the last special chunk that was read; guarded by the same
};

// From now on a is the handle of s, which is no view; views of it follow. s is locked exclusively.
void b2_schunk_take_handle(struct b2_schunk *s, tess_array *a);

struct b2_schunk *b2_schunk_of(blosc2_schunk *schunk);

// Set current_nchunk. Threads that read chunks do so at once.
void b2_schunk_set_current(struct b2_schunk *s, int64_t nchunk);

// Set the members that count chunks and bytes, and list the chunks that are not listed.
void b2_schunk_count(struct b2_schunk *s);

// The same for cbytes alone, after a commit.
void b2_schunk_count_bytes(struct b2_schunk *s);

// The same, after a change of the shape of an array: its metalayer, too. Fills in what the array is
// now. Returns a code.
int b2_schunk_reshaped(struct b2_schunk *s, tess_info *info);

// Set all members from the handle, which changed. Returns a code.
int b2_schunk_reload(struct b2_schunk *s);

#endif
