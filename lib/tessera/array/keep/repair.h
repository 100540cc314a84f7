/*
 * repair.h - a new array of what is left of a damaged one.
 *
 * One thread, but for workers that read the source.
 */
#ifndef ARRAY_KEEP_REPAIR_H
#define ARRAY_KEEP_REPAIR_H

#include "base/error.h"

#include <tessera/repair.h>

struct watch;

// From source to target, a path that is not in the source: TESS_ERR_ARG. The watch is counted in
// two halves, finding and copying. *report is filled also after a failure, as far as it got.
tess_status array_repair(const tess_storage *source, const tess_storage *target,
                         const tess_repair_options *options, tess_repair_report *report,
                         struct watch *watch, tess_error *err);

#endif
