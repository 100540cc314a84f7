/*
 * shape.c - what the N-dimensional layer of a damaged frame says, and what follows from it.
 */
#include "salvage/shape.h"

#include "base/checked.h"
#include "base/grid.h"
#include "base/limits.h"
#include "frame/frame.h"
#include "meta/dtype.h"
#include "meta/ndlayer.h"

static bool
make_geometry(const struct ndlayer *nd, int64_t typesize, struct geometry *g)
{
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX], nbytes; // with the padding of its chunks
    for (int i = 0; i < nd->ndim; i++) {
        chunkshape[i] = nd->chunkshape[i];
        blockshape[i] = nd->blockshape[i];
    }
    return typesize > 0 && typesize <= TYPESIZE_MAX &&
           geometry_init(g, nd->ndim, nd->shape, chunkshape, blockshape, (int32_t)typesize,
                         TESS_ERR_CORRUPT, NULL) == TESS_OK &&
           mul_i64(g->nchunks, g->chunksize, &nbytes);
}

bool
salvage_find_geometry(const struct layers *metas, int32_t typesize, int32_t chunksize,
                      struct geometry *g)
{
    struct ndlayer nd = {0};
    const struct layer *layer = layers_find(metas, "b2nd");
    const bool caterva = !layer;
    if (!layer)
        layer = layers_find(metas, "caterva");
    if (!layer || ndlayer_parse(layer->content, layer->size, caterva, &nd, NULL) != TESS_OK)
        return false;
    const int64_t size = nd.dtype && nd.dtype_format == 0 ? dtype_parse(nd.dtype).size : 0;
    const bool own = make_geometry(&nd, typesize, g);
    const bool agrees = own && g->chunksize == chunksize; // whatever the type is called
    const bool fits =
        agrees || size <= 0 || size > TYPESIZE_MAX ? own : make_geometry(&nd, size, g);
    ndlayer_finish(&nd);
    return fits;
}

void
salvage_use_grid(struct salvage_job *j)
{
    struct geometry g;
    if (!salvage_find_geometry(&j->parts.metas, j->h.typesize, j->h.chunksize, &g))
        return;
    j->grid = (struct block_grid){.ndim = g.ndim, .typesize = g.typesize};
    for (int i = 0; i < g.ndim; i++)
        j->grid.shape[i] = (int32_t)g.blockshape[i];
    frame_set_grid(j->f, &j->grid);
}

bool
salvage_is_array(const struct layers *metas)
{
    return layers_find(metas, "b2nd") || layers_find(metas, "caterva");
}

bool
salvage_fits(const struct salvage_job *j)
{
    const struct frame_header *const h = &j->h;
    struct geometry g;
    if (!salvage_is_array(&j->parts.metas))
        return true;
    return !h->vlblocks && salvage_find_geometry(&j->parts.metas, h->typesize, h->chunksize, &g) &&
           g.typesize == h->typesize && g.nchunks == j->parts.list.nchunks &&
           (g.nchunks == 0 || g.chunksize == h->chunksize) && h->nbytes == g.nchunks * g.chunksize;
}
