/*
 * storage.c - how an array is stored, as the last state of Caterva tells it.
 */
#include "caterva/array.h"
#include "caterva/chunks.h"

int
cat_storage_get(const caterva_storage_t *from, struct cat_storage *storage)
{
    *storage =
        (struct cat_storage){&cat_in_chunks, from->chunkshape, from->blockshape, from->contiguous,
                             from->urlpath,  from->metalayers, from->nmetalayers};
    return CATERVA_SUCCEED;
}
