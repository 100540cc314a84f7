/*
 * calls.c - functions whose names or signatures are those of Caterva 0.5.
 */
#include "caterva/copy.h"
#include "caterva/frame.h"
#include "caterva/items.h"

int
caterva_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, int64_t *start, int64_t *stop,
                  caterva_storage_t *storage, caterva_array_t **array)
{
    return cat_get_slice(ctx, src, start, stop, storage, array);
}

int
caterva_squeeze_index(caterva_ctx_t *ctx, caterva_array_t *array, bool *index)
{
    return cat_squeeze(ctx, array, index);
}

int
caterva_from_serial_schunk(caterva_ctx_t *ctx, uint8_t *serial_schunk, int64_t len,
                           caterva_array_t **array)
{
    return cat_from_frame(ctx, serial_schunk, len, true, array);
}
