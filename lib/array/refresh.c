/*
 * refresh.c - an open array becomes what another one is.
 *
 * The frame stays where it is in memory, since views know it; what it holds goes over.
 */
#include "array/refresh.h"

#include "array/array.h"
#include "cache/cache.h"
#include "frame/frame.h"
#include "grid/grid.h"

#include <string.h>

static bool
same_bytes(const void *x, const void *y, size_t size)
{
    return !x == !y && (!x || memcmp(x, y, size) == 0);
}

static bool
refresh_same_text(const char *x, const char *y)
{
    return !x == !y && (!x || strcmp(x, y) == 0);
}

// Whether what a view of `before` knows holds of `now`: all items are there, under the same
// indices.
static bool
keeps_views(const tess_array *before, const tess_array *now)
{
    const struct geometry *const g = before->g, *const h = now->g;
    if (g->ndim != h->ndim || g->typesize != h->typesize ||
        before->grid->plain != now->grid->plain || before->grid->linear != now->grid->linear ||
        before->nd.dtype_format != now->nd.dtype_format ||
        !refresh_same_text(before->layer, now->layer) ||
        !refresh_same_text(before->nd.dtype, now->nd.dtype) ||
        !same_bytes(before->fill, now->fill, (size_t)g->typesize))
        return false;
    for (int i = 0; i < g->ndim; i++)
        if (h->shape[i] < g->shape[i] || h->chunkshape[i] != g->chunkshape[i] ||
            h->blockshape[i] != g->blockshape[i])
            return false;
    return true;
}

#define EXCHANGE(type, x, y) \
    do {                     \
        type x_ = (x);       \
        (x) = (y);           \
        (y) = x_;            \
    } while (0)

void
array_replace_state(tess_array *a, tess_array *newest)
{
    a->moved += !keeps_views(a, newest);
    chunk_grid_exchange(a->grid, newest->grid);
    EXCHANGE(struct ndlayer, a->nd, newest->nd);
    EXCHANGE(const char *, a->layer, newest->layer);
    EXCHANGE(uint8_t *, a->fill, newest->fill);
    array_free(newest);
}
