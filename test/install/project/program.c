// program.c - a C program of somebody else: an array in memory, written, and a slice of it read.

#include <stdio.h>
#include <tessera.h>

int
main(void)
{
    const int64_t all_start[] = {0, 0}, all_stop[] = {4, 6};
    const int64_t start[] = {1, 2}, stop[] = {3, 5};
    int32_t items[24], slice[6];
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_error err;

    for (int32_t i = 0; i < 24; i++)
        items[i] = i;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<i4";
    params.codec = TESS_CODEC_ZSTD;
    params.ndim = 2;
    params.shape[0] = 4, params.shape[1] = 6;
    if (tess_array_zeros(&storage, &params, &a, &err) != TESS_OK ||
        tess_array_write(a, all_start, all_stop, items, sizeof items, &err) != TESS_OK ||
        tess_array_read(a, start, stop, slice, sizeof slice, &err) != TESS_OK) {
        fprintf(stderr, "%s\n", err.message);
        tess_array_discard(a);
        return 1;
    }
    for (int i = 0; i < 6; i++)
        printf("%d ", (int)slice[i]);
    printf("%s\n", tess_version());
    return tess_array_close(a, NULL) != TESS_OK;
}
