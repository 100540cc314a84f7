/*
 * unsynced.h - chunk files of a sparse frame that were written, but not brought to the disk yet.
 *
 * They are when the next commit is made, or when there are many: until then the disk works on some
 * while the next ones are made. The files stay open, so that a failure of the disk is told here.
 *
 * Requires exclusive access to the frame; a job that writes has it in its finish, on whichever
 * thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_SPARSE_UNSYNCED_H
#define FRAME_SPARSE_UNSYNCED_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { UNSYNCED_MAX = 16 };

struct unsynced {
    struct unsynced_file {
        struct io *io;
        int64_t number;
        int32_t size;
        bool failed; // to be synced: what the system has must be written again
    } files[UNSYNCED_MAX];
    int count;
};

struct checksums;

void unsynced_finish(struct unsynced *u); // zeroed: fine; closes the files

// Room for one more: the oldest is synced if there is none. checksums: of the chunks, by number;
// *unsure is set if a sync fails.
tess_status unsynced_reserve(struct unsynced *u, const struct checksums *checksums, bool *unsure,
                             tess_error *err);
// Into that room: a file whose first `size` bytes are a chunk. It belongs to the list from here on.
void unsynced_add(struct unsynced *u, int64_t number, struct io *io, int32_t size);
// The chunk with that number is not needed any more.
void unsynced_forget(struct unsynced *u, int64_t number);
// Bring all to the disk. What fails stays in the list, to be tried again.
tess_status unsynced_sync(struct unsynced *u, const struct checksums *checksums, bool *unsure,
                          tess_error *err);

#endif
