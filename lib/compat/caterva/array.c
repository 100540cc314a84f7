/*
 * array.c - an array: the struct that programs see, and what is behind it.
 */
#include "caterva/array.h"

#include <string.h>

static struct cat_array *
array_alloc(const caterva_config_t *cfg)
{
    struct cat_array *const a = cfg->alloc(sizeof *a);
    caterva_config_t *const own = cfg->alloc(sizeof *own);

    if (!a || !own) {
        if (a)
            cfg->free(a);
        if (own)
            cfg->free(own);
        return NULL;
    }
    memset(a, 0, sizeof *a);
    *own = *cfg;
    a->of.cfg = own;
    return a;
}

struct cat_array *
cat_array_new(const caterva_config_t *cfg, const struct cat_backend *backend)
{
    struct cat_array *const a = array_alloc(cfg);

    if (!a)
        return NULL;
    a->backend = backend;
    a->of.chunk_cache.nchunk = -1;
    return a;
}

int
cat_array_close(struct cat_array *a)
{
    if (!a)
        return CATERVA_SUCCEED;
    void (*const release)(void *) = a->of.cfg->free;
    const int rc = a->backend->close(a);
    release(a->of.cfg);
    release(a);
    return rc;
}

void
cat_widen(const struct cat_array *a, const int64_t *seen, int64_t other, int64_t *all)
{
    int at = 0;

    for (int i = 0; i < a->nd->ndim; i++)
        all[i] = a->squeezed[i] ? other : seen[at++];
}

bool
cat_size(int itemsize, int ndim, const int64_t *shape, int64_t *size)
{
    *size = itemsize;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0 || (shape[i] > 0 && *size > INT64_MAX / shape[i]))
            return false;
        *size *= shape[i];
    }
    return true;
}

static int64_t
filled_up(int64_t length, int64_t part)
{
    if (part == 0)
        return 0;
    return length % part == 0 ? length : length + part - length % part;
}

void
cat_shapes_set(caterva_array_t *a, int ndim, const int64_t *shape, const int32_t *chunkshape,
               const int32_t *blockshape)
{
    a->ndim = (cat_ndim)ndim;
    a->nitems = a->extnitems = a->extchunknitems = 1;
    a->chunknitems = a->blocknitems = 1;
    for (int i = 0; i < CATERVA_MAX_DIM; i++) {
        const bool empty = i < ndim && shape[i] == 0;
        a->shape[i] = i < ndim ? shape[i] : 1;
        a->chunkshape[i] = i < ndim ? chunkshape[i] : 1;
        a->blockshape[i] = i < ndim ? blockshape[i] : 1;
        a->extshape[i] = filled_up(a->shape[i], a->chunkshape[i]);
        a->extchunkshape[i] = empty ? 0 : filled_up(a->chunkshape[i], a->blockshape[i]);
        a->nitems *= a->shape[i];
        a->extnitems *= a->extshape[i];
        a->extchunknitems *= a->extchunkshape[i];
        a->chunknitems *= a->chunkshape[i];
        a->blocknitems *= a->blockshape[i];
    }
}

void
cat_array_show(struct cat_array *a)
{
    const b2nd_array_t *const nd = a->nd;
    int64_t shape[CATERVA_MAX_DIM];
    int32_t chunkshape[CATERVA_MAX_DIM], blockshape[CATERVA_MAX_DIM];
    int ndim = 0;

    for (int i = 0; i < nd->ndim; i++) {
        if (a->squeezed[i])
            continue;
        shape[ndim] = nd->shape[i];
        chunkshape[ndim] = nd->chunkshape[i];
        blockshape[ndim] = nd->blockshape[i];
        ndim++;
    }
    cat_shapes_set(&a->of, ndim, shape, chunkshape, blockshape);
    a->of.sc = nd->sc;
    a->of.itemsize = (uint8_t)nd->sc->typesize;
    a->of.nchunks = nd->sc->nchunks;
    cat_members_set(a);
}
