/*
 * private.h - one salvage at work: the frame that is put together, what was found of it so far, and
 * the steps, each of which is a unit of this module.
 *
 *     search      what can be recognised by itself in the bytes of a file
 *     newest      which of the ledgers found there is that of the newest state
 *     parts       index, trailer and shape, as far as they can be read
 *     strays      the list of chunks against the chunks in the file
 *     by_ledger   all of the frame, as a ledger says
 *     by_header   all of the frame, by the header in the file
 *
 * One salvage runs on one thread: there is no lock.
 */
#ifndef SALVAGE_PRIVATE_H
#define SALVAGE_PRIVATE_H

#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/scratch.h"
#include "filter/pipeline.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/rebuild.h"
#include "geom/shape.h"
#include "io/io.h"
#include "meta/layers.h"
#include "salvage/salvage.h"
#include "task/watch.h"

#include <tessera/storage.h>

#include <stdbool.h>
#include <stdint.h>

// -- search.c
//
// Bytes that cannot be read count as zeros. The bytes that a hostile file makes us examine without
// result are bounded by a multiple of its size; beyond that the search finds nothing more.

struct search {
    struct io *io;
    int64_t size; // of the file
    int64_t left; // bytes that may still be examined without result
    struct watch *watch;
};

// all: bytes of the file, with those of others that it speaks of. watch: NULL, none.
tess_status search_init(struct search *s, struct io *io, int64_t all, struct watch *watch,
                        tess_error *err);

// A ledger that is whole, and stands where the header in it says.
struct ledger_place {
    int64_t position;
    int64_t size;
    uint64_t number;
    int64_t frame_len;
    int64_t cbytes;
    int64_t nstored; // chunks
};

// Calls `found` for each of them.
typedef void ledger_found_fn(void *user, const struct ledger_place *place);
tess_status search_ledgers(struct search *s, ledger_found_fn *found, void *user, tess_error *err);

// Read one of them.
tess_status search_load_ledger(struct search *s, const struct ledger_place *place,
                               struct ledger *ledger, tess_error *err);

/*
 * Chunks from byte `from` on, that begin before `until`: `found` is called for each header that
 * agrees with itself, and says whether there is such a chunk, so that the search goes on behind it.
 * nbytes: what they have, or -1: anything; nbytes_last: or that.
 */
struct chunk_search {
    int64_t from, until;
    int32_t typesize; // of the frame
    int32_t nbytes, nbytes_last;
    tess_status (*found)(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
                         tess_error *err);
    void *user;
};
tess_status search_chunks(struct search *s, const struct chunk_search *what, tess_error *err);

// Whether bytes may be tried, which did not come to anything so far.
bool search_may_try(struct search *s, int64_t size);

// -- the job

// A length in the header of the file, if it could be read.
struct claim {
    bool known;
    int64_t value;
};

struct salvage_job {
    struct frame *f; // has the storage, finds chunks by their entries; no state before the end
    struct folder *folder; // of a directory, whose chunks are files; belongs to f; NULL: one file
    struct salvage *s; // what is asked for, and what came of it
    struct search search; // of the file of header, index and trailer
    struct frame_header h; // as it is believed
    struct frame_parts parts; // likewise
    tess_limits limits;
    int64_t nbytes; // of the file, or of all files of the directory
    uint8_t front[FRAME_HEADER_SIZE]; // of the file, or zeros where it ends
    struct claim cbytes, frame_len; // in the header of the file, which may be shorter
    struct frame_header own; // of the file, whose lengths may be beyond its end
    bool has_own; // that agrees with itself
    bool has_ledger; // there is one of some state, so chunks of older ones may be anywhere
    struct block_grid grid; // of the array, while there is none
};

// Whether a failure says that something is damaged, so that other ways may still lead to it.
static inline bool
salvage_is_damage(tess_status st)
{
    return st != TESS_OK && st != TESS_ERR_NOMEM && st != TESS_ERR_CANCELLED;
}

// -- parts.c: index and trailer

// Position of the index according to j->h, which may be wrong.
int64_t salvage_index_at(const struct salvage_job *j);

// Read the index at `position`, of nchunks; impossible entries become INDEX_LOST. *end: its end in
// the file. TESS_ERR_CORRUPT: no index is there.
tess_status salvage_index(const struct salvage_job *j, int64_t position, int64_t nchunks,
                          struct frame_index *list, int64_t *end, tess_error *err);

// Whether a trailer ends at frame_len, and its fingerprint by Tessera matches trailer and index.
bool salvage_is_sealed(const struct salvage_job *j, int64_t frame_len, int64_t index_at,
                       int64_t index_end);

// Read the variable-length metalayers of the trailer that ends at frame_len, or else starts at
// `start` (-1: unknown); damage is counted in j->s. index_at, index_end: the range of the index.
// ledger: has records of the metalayers; NULL: no ledger was found.
tess_status salvage_trailer(struct salvage_job *j, int64_t frame_len, int64_t start,
                            int64_t index_at, int64_t index_end, const struct ledger *ledger,
                            tess_error *err);

// Drop, and count as lost, the variable-length metalayers whose content cannot be decoded.
void salvage_drop_damaged(struct salvage_job *j);

// -- parts.c: the N-dimensional layer, and what follows from it: sizes in the header, the number of
// chunks, the grid of blocks

// Whether there is an N-dimensional layer, intact or damaged.
bool salvage_is_array(const struct layers *metas);

// Compute the geometry of the array. typesize, chunksize: according to the header. That typesize is
// used if the layer names no type, or if with it the chunk shape gives that chunksize. False: there
// is no such layer, or it is inconsistent.
bool salvage_find_geometry(const struct layers *metas, int32_t typesize, int32_t chunksize,
                           struct geometry *g);

// Pass the grid of blocks to the frame: some filters and codecs need the block shape to decode.
void salvage_use_grid(struct salvage_job *j);

// Whether header, list and N-dimensional layer are consistent.
bool salvage_fits(const struct salvage_job *j);

// -- strays.c

// Entries of the list that cannot be right become INDEX_LOST. Chunks in no entry are counted in the
// job's report, or, with by_order, get the lost entries in the order of the file. index_at:
// position of the index, behind all chunks; -1: unknown.
tess_status salvage_check_list(struct salvage_job *j, int64_t index_at, tess_error *err);

// -- newest.c

// How far the header in the file confirms that the state of a ledger is the newest, ascending.
enum newest_claim {
    CLAIM_NONE, // there is no ledger
    CLAIM_OTHER, // both lengths in the header are those of another state
    CLAIM_NO_HEADER, // the header cannot be read
    CLAIM_ONE_LENGTH, // the header has the position of its index, or the end of its trailer
    CLAIM_LENGTHS, // the header has both
};

struct newest {
    struct ledger_place place; // best confirmed; among equals, of the highest commit
    enum newest_claim claim; // of that ledger
    int64_t front; // position of the first ledger of any state
};

tess_status newest_find(struct salvage_job *j, struct newest *x, tess_error *err);

// Whether the state may be the newest, so that its ledger should be read.
bool newest_may_be(const struct salvage_job *j, const struct newest *x);

// After its ledger was read: whether the state is proven to be the newest.
tess_status newest_prove(const struct salvage_job *j, const struct newest *x, bool *proven,
                         tess_error *err);

// -- by_header.c

// Fill the parts of a job that has none, out of header, index, trailer and chunks.
// TESS_ERR_CORRUPT: too little is left; the parts hold anything then.
tess_status salvage_by_header(struct salvage_job *j, tess_error *err);

// -- by_ledger.c

// Fill the parts of a job that has none, as the ledger at that place says. After a failure they
// hold anything.
tess_status salvage_by_ledger(struct salvage_job *j, const struct ledger_place *place,
                              tess_error *err);

#endif
