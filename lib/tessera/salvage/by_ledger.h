/*
 * by_ledger.h - a damaged frame by the ledger of one of its states.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_BY_LEDGER_H
#define SALVAGE_BY_LEDGER_H

#include "base/error.h"
#include "salvage/job.h"
#include "salvage/search.h"

// Fill the parts of a job that has none, as the ledger at that place says. After a failure they
// hold anything.
tess_status salvage_by_ledger(struct salvage_job *j, const struct ledger_place *place,
                              tess_error *err);

#endif
