/*
 * part.c - a part of an array, as an array.
 */
#include "data/picked/part.h"

#include "report.h"

#include <tessera/view.h>

void
part_look_through(tess_array **a, tess_array *view)
{
    tess_error ignored; // nothing was changed: closing commits nothing

    (void)tess_array_close(*a, &ignored);
    *a = view;
}

tess_status
part_view(tess_array **a, const struct slice_range *sel, bool *reshaped, tess_error *err)
{
    int64_t stop[TESS_MAX_NDIM];
    tess_array *view;
    tess_status st = TESS_OK;

    for (int i = 0; i < sel->ndim && reshaped; i++)
        *reshaped |= sel->step[i] != 1 || sel->dropped[i];
    select_stop(sel, stop);
    TRY(tess_array_view_slice(*a, sel->start, stop, sel->step, &view, err));
    part_look_through(a, view);
    for (int i = sel->ndim - 1; i >= 0; i--)
        if (sel->dropped[i]) {
            TRY(tess_array_view_squeeze(*a, i, &view, err));
            part_look_through(a, view);
        }
out:
    return st;
}

tess_status
part_view_expr(tess_array **a, const char *expr, bool *reshaped, tess_error *err)
{
    struct slice_range sel;
    tess_info info;

    if (!expr)
        return TESS_OK;
    tess_array_info(*a, &info);
    const tess_status st = select_parse(expr, info.ndim, info.shape, &sel, err);
    return st == TESS_OK ? part_view(a, &sel, reshaped, err) : st;
}
