/*
 * strays.h - the list of chunks, compared with the chunks that are there.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_STRAYS_H
#define SALVAGE_STRAYS_H

#include "base/error.h"
#include "salvage/job.h"

#include <stdint.h>

// Entries of the list that cannot be right become INDEX_LOST, and places that are lost get chunks
// that no place has, where that is certain enough; the job's report says so. index_at: where the
// index is, behind all chunks; -1: unknown, and then a place that stays lost is TESS_ERR_CORRUPT.
tess_status salvage_check_list(struct salvage_job *j, int64_t index_at, tess_error *err);

#endif
