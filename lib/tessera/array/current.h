/*
 * current.h - whether what a call has read counts.
 *
 * No state; any thread that is outside the gate of the array's grid.
 */
#ifndef ARRAY_CURRENT_H
#define ARRAY_CURRENT_H

#include "array/array.h"

// After reading, with the status of that; returns the status of the call. What was read counts only
// if the file is still in the state that led to it: the space of a state that is gone may have been
// written to. This may also be the cause of a failure: it is TESS_ERR_STALE then.
tess_status array_check_current(const tess_array *a, tess_status st, tess_error *err);

#endif
