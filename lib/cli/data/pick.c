/*
 * pick.c - reads what a slice expression selects.
 */
#include "cli/data/pick.h"

#include "cli/data/walk.h"

#include <tessera/slice.h>

#include <stdlib.h>

tess_status
pick_read(const tess_array *a, const struct selection *sel, const int64_t *start,
          const int64_t *stop, void *dst, tess_error *err)
{
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM];

    for (int i = 0; i < sel->ndim; i++) {
        from[i] = sel->start[i] + sel->step[i] * start[i];
        to[i] = sel->start[i] + sel->step[i] * (stop[i] - 1) + (sel->step[i] > 0 ? 1 : -1);
    }
    return tess_array_get_slice(a, from, to, sel->step, dst, NULL, err);
}

void
pick_grid(const tess_info *info, const struct selection *sel, int64_t *grain, int64_t *skew)
{
    const int64_t *cell = info->chunksize > WALK_BYTES ? info->blockshape : info->chunkshape;

    for (int i = 0; i < sel->ndim; i++) {
        const int64_t step = llabs(sel->step[i]);

        grain[i] = cell[i] > step ? (cell[i] - 1) / step + 1 : 1;
        skew[i] = sel->step[i] == 1 && cell[i] > 0 ? sel->start[i] % cell[i] : 0;
    }
}
