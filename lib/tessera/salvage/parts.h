/*
 * parts.h - reads the intact parts of index and trailer of a damaged frame.
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

#endif
