/*
 * picked_copy.c - what is picked, as an array in memory.
 */
#include "data/picked/picked_copy.h"

#include "data/picked/part.h"
#include "report.h"

#include <string.h>

struct copy {
    tess_array *out;
    size_t typesize;
};

static tess_status
write_box(const struct box_walk *w, uint8_t *items, void *user, tess_error *err)
{
    const struct copy *const copy = user;

    return tess_array_write(copy->out, w->start, w->stop, items, (size_t)w->items * copy->typesize,
                            err);
}

// Replace *a by a view without the axes that the selection drops.
static tess_status
drop_axes(tess_array **a, const struct slice_range *sel, tess_error *err)
{
    struct slice_range all = *sel;

    if (sel->out_ndim == sel->ndim)
        return TESS_OK;
    for (int i = 0; i < all.ndim; i++) {
        all.start[i] = 0;
        all.step[i] = 1;
    }
    return part_view(a, &all, NULL, err);
}

tess_status
picked_copy(const struct picked *p, const struct slice_range *sel, const tess_context *context,
            tess_array **out, tess_error *err)
{
    struct copy copy = {.typesize = (size_t)p->info.typesize};
    tess_storage memory;
    tess_params params;
    bool is_empty = false;
    tess_status st = TESS_OK;

    *out = NULL;
    tess_storage_init(&memory);
    memory.context = context;
    tess_params_init(&params);
    params.dtype = p->info.dtype;
    params.typesize = p->info.typesize;
    params.ndim = sel->ndim;
    for (int i = 0; i < sel->ndim; i++) {
        const int64_t chunk = p->info.chunkshape[i];

        params.shape[i] = sel->count[i];
        params.chunkshape[i] = chunk < sel->count[i] ? chunk : sel->count[i];
        is_empty |= sel->count[i] == 0;
    }
    if (is_empty) // chunks are the library's choice
        memset(params.chunkshape, 0, sizeof params.chunkshape);
    TRY(tess_array_zeros(&memory, &params, &copy.out, err));
    TRY(picked_run(p, sel, BOX_WALK_C, write_box, &copy, err));
    TRY(tess_array_flush(copy.out, err));
    TRY(drop_axes(&copy.out, sel, err));
    *out = copy.out;
    copy.out = NULL;
out:
    tess_array_discard(copy.out);
    return st;
}
