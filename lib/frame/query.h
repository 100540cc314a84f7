/*
 * query.h - what is known of a frame in memory.
 *
 * Nothing here does I/O but frame_is_at(). What is handed out by pointer stays the frame's.
 *
 * Changes and commits replace what a frame has of a state: any number of threads may ask for that
 * while nothing changes or commits the frame, as inside the gate of its grid (grid/grid.h). What is
 * fixed stays as it is until the frame is refreshed or closed: any thread may ask at any time.
 */
#ifndef FRAME_QUERY_H
#define FRAME_QUERY_H

#include "chunk/header.h"
#include "frame/format/index.h"

#include <tessera/storage.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct frame_header;
struct frame_options;
struct io;
struct io_manner;

// -- fixed

bool frame_is_writable(const struct frame *f);
bool frame_is_sparse(const struct frame *f); // a directory
bool frame_in_memory(const struct frame *f); // no other program can change it, nor read it
bool frame_is_once(const struct frame *f); // written from start to end (struct io)
bool frame_is_verified(const struct frame *f); // chunks are compared with checksums when opened

// How it is handled; of limits none is 0.
const struct frame_options *frame_options(const struct frame *f);
const tess_limits *frame_limits(const struct frame *f);

// How what it is stored in is best read.
const struct io_manner *frame_manner(const struct frame *f);
// As it was opened, for messages; NULL: it is in memory.
const char *frame_name(const struct frame *f);

// Of the parameters codec, filters, typesize and blocksize are fixed. The lengths, the chunksize,
// whether blocks differ in size, and the version are of the state: nbytes that of the list in
// memory, other lengths those of the state on the disk.
const struct frame_header *frame_header(const struct frame *f);

// -- of the state

// Its bytes on the disk.
const uint8_t *frame_head(const struct frame *f, size_t *size);

// The list of chunks in memory, and what is asked of it most. frame_is_uniform(): all places have
// the same entry, that of place 0, so that one look is enough. frame_special(): SPECIAL_NONE for a
// stored chunk. Outside the gate, the geometry of the grid has the number of chunks.
const struct frame_index *frame_list(const struct frame *f);
int64_t frame_nchunks(const struct frame *f);
bool frame_is_uniform(const struct frame *f);
int64_t frame_entry(const struct frame *f, int64_t n);
enum chunk_special frame_special(const struct frame *f, int64_t n);

// Uncompressed bytes of chunk n in a frame with a chunksize.
int32_t frame_chunk_nbytes(const struct frame *f, int64_t n);
// Stored bytes of one chunk, about.
int64_t frame_mean_cbytes(const struct frame *f);
// How many chunks have `size` bytes, about: 1 to `most`.
int frame_chunks_within(const struct frame *f, int64_t size, int most);

// Counts what happens to the list: chunks that were opened at the same number are as they were.
int64_t frame_generation(const struct frame *f);

bool frame_is_published(const struct frame *f); // others can find it

// The state on the disk: whether a fingerprint of ours covers it, and of these the number of the
// commit; whether another program changed the header since.
bool frame_is_sealed(const struct frame *f);
uint64_t frame_commit_number(const struct frame *f); // 0: not sealed
bool frame_header_is_changed(const struct frame *f);

// For a frame that is to take its place: no two states that go by one name have the same number.
struct frame_options frame_options_of_successor(const struct frame *f);

// The file of a contiguous frame; while the frame gathers small writes, that is not its io.
struct io *frame_file(const struct frame *f);
// Whether that path leads to it; or, if it is a directory, is the name of something inside.
bool frame_is_at(const struct frame *f, const char *path);
bool frame_contains(const struct frame *f, const char *path);

// The bytes of a frame in memory as they were committed last, until the next commit; NULL: it is
// none. frame_take_image(): for the caller to free; the frame is to be closed next.
const uint8_t *frame_image(const struct frame *f, size_t *size);
void frame_take_image(struct frame *f, void **image, size_t *size);

#endif
