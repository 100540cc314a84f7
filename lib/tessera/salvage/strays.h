/*
 * strays.h - compares the list of chunks with the chunks in the file.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_STRAYS_H
#define SALVAGE_STRAYS_H

#include "base/error.h"
#include "salvage/job.h"

#include <stdint.h>

// Entries of the list that cannot be right become INDEX_LOST. Chunks in no entry are counted in the
// job's report, or, with by_order, get the lost entries in the order of the file. index_at:
// position of the index, behind all chunks; -1: unknown.
tess_status salvage_check_list(struct salvage_job *j, int64_t index_at, tess_error *err);

#endif
