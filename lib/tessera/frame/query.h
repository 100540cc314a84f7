/*
 * query.h - getters of the members of a frame.
 *
 * Only frame_is_at() does I/O. Memory behind returned pointers belongs to the frame.
 *
 * Threads. Members of the state are replaced by changes and commits: any number of threads may read
 * them while no thread changes or commits the frame, as inside the gate of its grid (grid/grid.h).
 * Fixed members are constant until the frame is refreshed or closed: until then any thread may read
 * them at any time.
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
struct layers;

// -- fixed members

bool frame_is_writable(const struct frame *f);
bool frame_is_sparse(const struct frame *f); // a directory
bool frame_in_memory(const struct frame *f); // other programs can neither read nor change it
bool frame_is_once(const struct frame *f); // written from start to end (struct io)
bool frame_is_verified(const struct frame *f); // chunks are checked against checksums when opened

// Options and limits of the frame. No limit is 0.
const struct frame_options *frame_options(const struct frame *f);
const tess_limits *frame_limits(const struct frame *f);

// How the storage is read best.
const struct io_manner *frame_manner(const struct frame *f);
// The name with which it was opened, for messages; NULL: in memory.
const char *frame_name(const struct frame *f);

// Fixed members of the header: codec, filters, typesize, blocksize. Members of the state: lengths,
// chunksize, vlblocks, version. nbytes is that of the list in memory; other lengths are those of
// the state on the disk.
const struct frame_header *frame_header(const struct frame *f);

// -- members of the state

// Bytes of the header on the disk.
const uint8_t *frame_head(const struct frame *f, size_t *size);

// The list of chunks in memory, and short forms of its getters. frame_is_uniform(): all entries are
// equal to entry 0. frame_special(): SPECIAL_NONE for a stored chunk. Outside the gate, take the
// number of chunks from the geometry of the grid.
const struct frame_index *frame_list(const struct frame *f);
int64_t frame_nchunks(const struct frame *f);
bool frame_is_uniform(const struct frame *f);
int64_t frame_entry(const struct frame *f, int64_t n);
enum chunk_special frame_special(const struct frame *f, int64_t n);

// Uncompressed bytes of chunk n in a frame with a chunksize.
int32_t frame_chunk_nbytes(const struct frame *f, int64_t n);
// Estimate of the mean size of a stored chunk, in bytes.
int64_t frame_mean_cbytes(const struct frame *f);

// Incremented by each change of the list: chunks that were opened at this number are up to date.
int64_t frame_generation(const struct frame *f);

bool frame_is_dirty(const struct frame *f); // there is something to commit
bool frame_is_published(const struct frame *f); // it has its name: other programs can open it

// The state on the disk: whether it has a fingerprint by Tessera, the number of its commit, and
// whether another program changed the header afterwards.
bool frame_is_sealed(const struct frame *f);
uint64_t frame_commit_number(const struct frame *f); // 0: not sealed
bool frame_header_is_changed(const struct frame *f);

// Options for a frame that will replace this one under the same name: its commit numbers continue
// those of this frame, so that no two states of one name have the same number.
struct frame_options frame_options_of_successor(const struct frame *f);

// The file of a contiguous frame. While the frame gathers small writes, f->io is another io.
struct io *frame_file(const struct frame *f);
// Whether the path leads to the frame. frame_contains(): whether the frame is a directory, and the
// path names a file inside.
bool frame_is_at(const struct frame *f, const char *path);
bool frame_contains(const struct frame *f, const char *path);

// The bytes of a frame in memory at its last commit, valid until the next one; NULL: not in memory.
// frame_take_image(): the caller owns the bytes, and must close the frame next.
const uint8_t *frame_image(const struct frame *f, size_t *size);
void frame_take_image(struct frame *f, void **image, size_t *size);

// -- metalayers: those of the header, and the variable-length ones of the trailer. The one that
// says where the ledger is (trailer.h) is not among them. A change of the list that is undone
// (commit/change.h) does not undo what was edited.

const struct layers *frame_metas(const struct frame *f);
const struct layers *frame_vlmetas(const struct frame *f);

// To be edited, which requires exclusive access. frame_mark_changed(): there is something to
// commit.
struct layers *frame_edit_metas(struct frame *f);
struct layers *frame_edit_vlmetas(struct frame *f);
void frame_mark_changed(struct frame *f);

#endif
