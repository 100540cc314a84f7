/*
 * search.h - looking through the bytes of a damaged frame for what can be recognised by itself.
 *
 * Bytes that cannot be read count as zeros. The bytes that a hostile file
 * makes us examine without result are bounded by a multiple of its size; beyond that the search
 * finds nothing more.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_SEARCH_H
#define SALVAGE_SEARCH_H

#include "chunk/chunk.h"
#include "chunk/scratch.h"
#include "frame/format/ledger.h"
#include "io/io.h"
#include "task/watch.h"

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

#endif
