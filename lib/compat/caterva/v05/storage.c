/*
 * storage.c - how an array is stored, as Caterva 0.5 tells it.
 */
#include "caterva/array.h"
#include "caterva/chunks.h"
#include "caterva/error.h"
#include "caterva/v05/plain.h"

int
cat_storage_get(const caterva_storage_t *from, struct cat_storage *storage)
{
    const caterva_storage_properties_blosc_t *const p = &from->properties.blosc;

    switch (from->backend) {
    case CATERVA_STORAGE_BLOSC:
        *storage = (struct cat_storage){&cat_in_chunks, p->chunkshape, p->blockshape, p->sequencial,
                                        p->urlpath,     p->metalayers, p->nmetalayers};
        return CATERVA_SUCCEED;
    case CATERVA_STORAGE_PLAINBUFFER:
        *storage = (struct cat_storage){.backend = &cat_in_memory};
        return CATERVA_SUCCEED;
    default:
        return cat_fail(CATERVA_ERR_INVALID_STORAGE, "there is no backend %d", (int)from->backend);
    }
}
