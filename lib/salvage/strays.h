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

// Entries of the list that cannot be right become INDEX_LOST. Chunks that no place has are counted
// in the job's report, or placed in the order of the file, if that is asked for. index_at: where
// the index is, behind all chunks; -1: unknown.
tess_status salvage_check_list(struct salvage_job *j, int64_t index_at, tess_error *err);

#endif
