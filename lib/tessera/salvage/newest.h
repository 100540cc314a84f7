/*
 * newest.h - finds the newest state among those whose ledger is in a file, and whether that is
 * proven.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_NEWEST_H
#define SALVAGE_NEWEST_H

#include "base/error.h"
#include "salvage/job.h"
#include "salvage/search.h"

#include <stdbool.h>
#include <stdint.h>

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

// After its ledger was read (by_ledger.h): whether the state is proven to be the newest.
tess_status newest_prove(const struct salvage_job *j, const struct newest *x, bool *proven,
                         tess_error *err);

#endif
