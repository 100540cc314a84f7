/*
 * owner.c - the array that packets of strangers are for.
 */
#include "fuzz/owner.h"

#include "fuzz/fuzz.h"

static tess_array *
make(const tess_storage *storage, tess_codec codec, uint8_t filter)
{
    tess_params params;
    tess_array *a;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    params.shape[0] = OWNER_ROWS;
    params.shape[1] = OWNER_COLUMNS;
    params.chunkshape[0] = params.chunkshape[1] = 8;
    params.blockshape[0] = params.blockshape[1] = 4;
    params.codec = codec;
    memset(params.filters, 0, sizeof params.filters);
    params.filters[TESS_MAX_FILTERS - 1] = filter;
    must(tess_array_uninit(storage, &params, &a, NULL) == TESS_OK, "an array cannot be made");
    return a;
}

tess_array *
owner_open(tess_codec codec, uint8_t filter)
{
    tess_storage storage;
    tess_storage_init(&storage);
    return make(&storage, codec, filter);
}

tess_array *
owner_create(const char *path)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    return make(&storage, TESS_CODEC_LZ4, TESS_FILTER_SHUFFLE);
}
