/*
 * storage.c - how an array is stored, as Caterva 0.5 tells it.
 */
#include "compat/caterva/array.h"
#include "compat/caterva/chunks.h"
#include "compat/caterva/error.h"
#include "compat/caterva/v05/plain.h"

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
