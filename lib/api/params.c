/*
 * params.c - defaults of what a caller fills in, and the type parser.
 */
#include "meta/dtype.h"

#include <tessera/dtype.h>
#include <tessera/params.h>
#include <tessera/storage.h>

enum { DEFAULT_LEVEL = 5 };

TESS_API void
tess_params_init(tess_params *params)
{
    *params = (tess_params){
        .struct_size = sizeof *params,
        .codec = TESS_CODEC_LZ4,
        .clevel = DEFAULT_LEVEL,
        .filters = {[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE},
        .split = TESS_SPLIT_AUTO,
        .layer = TESS_LAYER_B2ND,
    };
}

TESS_API void
tess_context_init(tess_context *context)
{
    *context = (tess_context){
        .struct_size = sizeof *context,
        .cache = TESS_CACHE_DEFAULT,
        .memory = TESS_MEMORY_DEFAULT,
        .progress_interval = TESS_PROGRESS_INTERVAL_DEFAULT,
    };
}

TESS_API void
tess_storage_init(tess_storage *storage)
{
    *storage = (tess_storage){
        .struct_size = sizeof *storage,
        .mode = TESS_MODE_READ,
        .durability = TESS_DURABILITY_ORDERED,
    };
}

TESS_API tess_dtype
tess_dtype_parse(const char *str)
{
    return dtype_parse(str);
}
