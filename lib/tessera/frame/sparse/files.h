/*
 * files.h - the files in the directory of a sparse frame: their names, and what is done with one.
 *
 * Any number of threads; but a list of unsynced files belongs to a frame, and changes with
 * exclusive access to it, as does the removal of orphans. A job that writes has that access in its
 * finish, on whichever thread that runs (grid/write/store.h). There is no lock.
 */
#ifndef FRAME_SPARSE_FILES_H
#define FRAME_SPARSE_FILES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checksums;
struct folder;
struct folder_kind;
struct frame;
struct io;
struct io_progress;

#define FRAME_FOLDER_INDEX "chunks.b2frame" // the file that is no chunk
#define FRAME_FOLDER_NEXT FRAME_FOLDER_INDEX ".tmp" // the next one, until it is renamed

// What the directory of a sparse frame may hold; others are not replaced.
extern const struct folder_kind frame_folder_kind;

// The next index, which was written and not renamed.
void sparse_remove_next(const struct folder *folder);

// -- files of chunks

enum { SPARSE_NAME_SIZE = 24 };

// The name of a chunk's file, of SPARSE_NAME_SIZE bytes at most.
void sparse_chunk_name(int64_t number, char *name);
// Whether that may be the name of a chunk's file; whether it is one as we write it, and of which
// chunk.
bool sparse_is_chunk_name(const char *name);
bool sparse_chunk_number(const char *name, int64_t *number);

// Numbers of chunk files.
struct chunk_numbers {
    int64_t *items; // the caller frees them, mem_free()
    int64_t count;
    int64_t capacity;
};

// Those that are there, in any order, added to a list, zeroed at first. After a failure it has
// some.
tess_status sparse_list_chunks(const struct folder *folder, struct chunk_numbers *found,
                               tess_error *err);

// The file of a chunk, of which the first bytes are read next (0: some). p: NULL, or what ends the
// opening. A missing one is TESS_ERR_IO with errno ENOENT.
tess_status sparse_open_chunk(const struct folder *folder, int64_t number, size_t first,
                              const struct io_progress *p, struct io **io, tess_error *err);
// Write the file of a chunk whose number was leased. sync: its bytes are on the disk afterwards.
tess_status sparse_write_chunk(const struct folder *folder, int64_t number, const uint8_t *chunk,
                               int32_t size, bool sync, tess_error *err);
void sparse_remove_chunk(const struct folder *folder, int64_t number);

// -- files of chunks that were written, but not brought to the disk yet
//
// They are when the next commit is made, or when there are many: until then the disk works on some
// while the next ones are made. The files stay open, so that a failure of the disk is told here.

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

// -- files of chunks that no state needs: writers that were killed leave them
//
// A writer may take their numbers, and write over them; so they can as well be removed before its
// first chunk is stored, under the lock that keeps other writers away. Only then: files of a writer
// at work are in no state either. Readers of an earlier state have lost the files that only that
// had when the next one was committed; but those of a writer that never reuses space (never_reuse)
// are orphans once another writer comes that does.

// Remove those of a frame whose numbers are known (sparse.c). In large directories only where a
// file is found that the next chunk or the first lease would write over: to list all names may take
// longer than what the writer does. A failure is none of the caller's: orphans do no harm.
void orphans_remove(struct frame *f);

#endif
