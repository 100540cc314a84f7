// caterva.c - a program written for Caterva: items of an array there and back.

#include <caterva.h>

#include <stdio.h>

int
main(void)
{
    static int64_t items[1000], back[1000];
    caterva_config_t cfg = CATERVA_CONFIG_DEFAULTS;
    caterva_params_t params = {sizeof *items, {1000}, 1};
    caterva_storage_t storage = {0};
    caterva_ctx_t *ctx;
    caterva_array_t *array;

#if CATERVA_VERSION_RELEASE > 0
    storage.chunkshape[0] = storage.blockshape[0] = 100;
#else
    storage.properties.blosc.chunkshape[0] = storage.properties.blosc.blockshape[0] = 100;
#endif
    for (int i = 0; i < 1000; i++)
        items[i] = i;
    CATERVA_ERROR(caterva_ctx_new(&cfg, &ctx));
    CATERVA_ERROR(caterva_from_buffer(ctx, items, sizeof items, &params, &storage, &array));
    CATERVA_ERROR(caterva_to_buffer(ctx, array, back, sizeof back));
    CATERVA_ERROR(caterva_free(ctx, &array));
    CATERVA_ERROR(caterva_ctx_free(&ctx));
    printf("%d %s\n", (int)back[999], CATERVA_VERSION_STRING);
    return 0;
}
