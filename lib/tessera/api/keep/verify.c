/*
 * verify.c - the public function that checks what is stored.
 */
#include "array/keep/verify.h"
#include "api/check.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "grid/write/write_back.h"
#include "task/gate.h"

TESS_API tess_status
tess_array_verify_sized(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                        size_t verdict_size, tess_error *err)
{
    UNCANCELLED;
    tess_verdict own = {0};
    struct reading r;
    if (!a || !verdict)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a verdict is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    st = reading_begin(&r, a, a->g->nitems, err);
    gate_enter(a->grid->gate);
    if (st == TESS_OK)
        st = array_verify(a, fn, user, &own, &r.watch, err);
    gate_leave(a->grid->gate);
    st = reading_end(&r, st, err);
    if (st == TESS_OK)
        sized_give(verdict, verdict_size, &own, sizeof own);
    return st;
}
