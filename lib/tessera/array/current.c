/*
 * current.c - whether what a call has read counts.
 */
#include "array/current.h"

#include "frame/commit/current.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "task/gate.h"

tess_status
array_check_current(const tess_array *a, tess_status st, tess_error *err)
{
    tess_error why;
    // Whatever it read; or memory, which no other program changes.
    if (st == TESS_ERR_CANCELLED || frame_in_memory(a->grid->frame))
        return st;
    gate_enter(a->grid->gate);
    const tess_status now = frame_check_current(a->grid->frame, &why);
    gate_leave(a->grid->gate);
    if (now == TESS_OK || (st != TESS_OK && now != TESS_ERR_STALE))
        return st;
    if (err)
        *err = why;
    return now;
}
