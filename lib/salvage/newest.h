/*
 * newest.h - which of the states that left a ledger in a file is the newest, and what proves it.
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

// What the header in the file says of the state of a ledger, from nothing to all.
enum newest_claim {
    CLAIM_NONE, // there is no ledger
    CLAIM_OTHER, // the header leads to another state
    CLAIM_NO_HEADER, // it cannot be read
    CLAIM_ONE_LENGTH, // the header leads to its index, or to its trailer
    CLAIM_LENGTHS, // to both
};

struct newest {
    struct ledger_place place; // of the state that the header says, or else the one found last
    enum newest_claim claim;
    int64_t front; // where the first of all ledgers stands
};

tess_status newest_find(struct salvage_job *j, struct newest *x, tess_error *err);

// Whether the state, which may be wrong, is worth being read as the newest one.
bool newest_may_be(const struct salvage_job *j, const struct newest *x);

// Whether it is, once it was read (by_ledger.h).
tess_status newest_prove(const struct salvage_job *j, const struct newest *x, bool *proven,
                         tess_error *err);

#endif
