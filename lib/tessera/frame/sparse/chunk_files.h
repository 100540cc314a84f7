/*
 * chunk_files.h - the files of chunks in the directory of a sparse frame: their names, and what is
 * done with one. Any number of threads.
 */
#ifndef FRAME_SPARSE_CHUNK_FILES_H
#define FRAME_SPARSE_CHUNK_FILES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folder;
struct io;
struct io_progress;

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

#endif
