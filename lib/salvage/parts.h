/*
 * parts.h - index and trailer of a damaged frame, as far as they can be read.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_PARTS_H
#define SALVAGE_PARTS_H

#include "base/error.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "salvage/job.h"

#include <stdbool.h>
#include <stdint.h>

// Where the index of j->h is, or may be.
int64_t salvage_index_at(const struct salvage_job *j);

// The list of chunks that stands there, of nchunks; entries that cannot be right are INDEX_LOST.
// *end: where it ends. TESS_ERR_CORRUPT: there is none.
tess_status salvage_index(const struct salvage_job *j, int64_t position, int64_t nchunks,
                          struct frame_index *list, int64_t *end, tess_error *err);

// Whether a trailer ends at frame_len whose fingerprint, by Tessera, matches it and the index.
bool salvage_is_sealed(const struct salvage_job *j, int64_t frame_len, int64_t index_at,
                       int64_t index_end);

// The variable-length metalayers of a trailer that ends at frame_len, or else starts at `start`
// (-1: neither is known); says in j->s what is damaged. The index stands from index_at to
// index_end. ledger: what was recorded of them; NULL: nothing.
tess_status salvage_trailer(struct salvage_job *j, int64_t frame_len, int64_t start,
                            int64_t index_at, int64_t index_end, const struct ledger *ledger,
                            tess_error *err);

// Drop, and count as lost, the variable-length metalayers whose content cannot be decoded.
void salvage_drop_damaged(struct salvage_job *j);

#endif
