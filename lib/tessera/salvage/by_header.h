/*
 * by_header.h - a damaged frame by the header in the file, and what follows from it.
 *
 * Part of one salvage (job.h), which runs on one thread: there is no lock.
 */
#ifndef SALVAGE_BY_HEADER_H
#define SALVAGE_BY_HEADER_H

#include "base/error.h"
#include "salvage/job.h"

// Fill the parts of a job that has none, out of header, index, trailer and chunks.
// TESS_ERR_CORRUPT: too little is left; the parts hold anything then.
tess_status salvage_by_header(struct salvage_job *j, tess_error *err);

#endif
