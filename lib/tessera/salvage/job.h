/*
 * job.h - one salvage at work: the frame that is put together, and what was found of it so far.
 *
 * Included by the units of this module alone. One thread has a job.
 */
#ifndef SALVAGE_JOB_H
#define SALVAGE_JOB_H

#include "filter/pipeline.h"
#include "frame/format/header.h"
#include "frame/rebuild.h"
#include "salvage/report.h"
#include "salvage/search.h"

#include <tessera/storage.h>

#include <stdbool.h>
#include <stdint.h>

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

#endif
