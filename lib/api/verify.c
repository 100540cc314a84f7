/*
 * verify.c - the public function that checks what is stored.
 */
#include "array/verify.h"
#include "api/check.h"
#include "array/held.h"

TESS_API tess_status
tess_array_verify(tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                  tess_error *err)
{
    struct watch watch;
    if (!a || !verdict)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a verdict is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = held_write_back(a, err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, a->g.nitems);
    st = watch_end(&watch, array_verify(a, fn, user, verdict, &watch, err));
    return check_current(a, st, err);
}
