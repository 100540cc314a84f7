/*
 * params.c - defaults of what a caller fills in, and the type parser.
 */
#include "base/sized.h"
#include "meta/dtype.h"

#include <tessera/dtype.h>
#include <tessera/params.h>
#include <tessera/plugin.h>
#include <tessera/storage.h>

enum { DEFAULT_LEVEL = 5 };

// Nothing but the size.
static void
init_zeros(void *dst, size_t struct_size)
{
    sized_give(dst, struct_size, &struct_size, sizeof struct_size);
}

TESS_API void
tess_params_init_sized(tess_params *params, size_t struct_size)
{
    const tess_params own = {
        .struct_size = struct_size,
        .codec = TESS_CODEC_LZ4,
        .clevel = DEFAULT_LEVEL,
        .filters = {[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE},
        .split = TESS_SPLIT_AUTO,
        .layer = TESS_LAYER_B2ND,
    };
    sized_give(params, struct_size, &own, sizeof own);
}

TESS_API void
tess_context_init_sized(tess_context *context, size_t struct_size)
{
    const tess_context own = {
        .struct_size = struct_size,
        .cache = TESS_CACHE_SHARED,
        .memory = TESS_MEMORY_DEFAULT,
        .progress_interval = TESS_PROGRESS_INTERVAL_DEFAULT,
        .ahead = TESS_AHEAD_DEFAULT,
    };
    sized_give(context, struct_size, &own, sizeof own);
}

TESS_API void
tess_executor_init_sized(tess_executor *executor, size_t struct_size)
{
    init_zeros(executor, struct_size);
}

TESS_API void
tess_storage_init_sized(tess_storage *storage, size_t struct_size)
{
    const tess_storage own = {
        .struct_size = struct_size,
        .mode = TESS_MODE_READ,
        .durability = TESS_DURABILITY_ORDERED,
    };
    sized_give(storage, struct_size, &own, sizeof own);
}

TESS_API void
tess_user_codec_init_sized(tess_user_codec *codec, size_t struct_size)
{
    init_zeros(codec, struct_size);
}

TESS_API void
tess_user_filter_init_sized(tess_user_filter *filter, size_t struct_size)
{
    init_zeros(filter, struct_size);
}

TESS_API tess_dtype
tess_dtype_parse(const char *str)
{
    return dtype_parse(str);
}
