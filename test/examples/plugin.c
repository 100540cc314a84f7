/*
 * plugin.c - an array with a filter and a codec of one's own.
 *
 * The filter takes differences along the rows of a block of int32 items; the codec stores runs of
 * equal bytes. Both are private to this program: others can open the file, read its shape and its
 * metalayers, and are told which codec they lack when they read its items.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOPE = 170, RUNS = 180 }; // any numbers from TESS_PLUGIN_PRIVATE on

// Items of a row: the last axis, or all there are where blocks have no shape.
static size_t
row_length(const tess_block *block, size_t nitems)
{
    return block->ndim > 0 ? (size_t)block->shape[block->ndim - 1] : nitems;
}

static tess_status
slope_forward(const tess_block *block, const void *src, void *dst, size_t size)
{
    const uint32_t *from = src;
    uint32_t *to = dst;
    const size_t nitems = size / 4, row = row_length(block, nitems);

    if (block->typesize != 4 || size % 4 != 0)
        return TESS_ERR_ARG;
    for (size_t i = 0; i < nitems; i++)
        to[i] = from[i] - (i % row > 0 ? from[i - 1] : 0);
    return TESS_OK;
}

static tess_status
slope_backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    const uint32_t *from = src;
    uint32_t *to = dst;
    const size_t nitems = size / 4, row = row_length(block, nitems);

    if (block->typesize != 4 || size % 4 != 0)
        return TESS_ERR_CORRUPT;
    for (size_t i = 0; i < nitems; i++)
        to[i] = from[i] + (i % row > 0 ? to[i - 1] : 0);
    return TESS_OK;
}

// Pairs: length of a run, 1 to 255, and its byte.
static tess_status
runs_compress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size,
              size_t *made)
{
    const uint8_t *from = src;
    uint8_t *to = dst;
    size_t used = 0;

    (void)block;
    for (size_t i = 0, n; i < size; i += n) {
        for (n = 1; n < 255 && i + n < size && from[i + n] == from[i]; n++)
            ;
        if (dst_size - used < 2) {
            *made = 0; // not smaller: the library stores the bytes as they are
            return TESS_OK;
        }
        to[used++] = (uint8_t)n;
        to[used++] = from[i];
    }
    *made = used;
    return TESS_OK;
}

static tess_status
runs_decompress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size)
{
    const uint8_t *from = src;
    uint8_t *to = dst;

    (void)block;
    for (size_t i = 0; i + 2 <= size; i += 2) {
        if (from[i] > dst_size) // never trust what comes from a file
            return TESS_ERR_CORRUPT;
        memset(to, from[i + 1], from[i]);
        to += from[i];
        dst_size -= from[i];
    }
    return dst_size == 0 && size % 2 == 0 ? TESS_OK : TESS_ERR_CORRUPT;
}

static const tess_user_filter filters[] = {
    {.struct_size = sizeof(tess_user_filter),
     .id = SLOPE,
     .name = "slope",
     .forward = slope_forward,
     .backward = slope_backward},
};
static const tess_user_codec codecs[] = {
    {.struct_size = sizeof(tess_user_codec),
     .id = RUNS,
     .name = "runs",
     .compress = runs_compress,
     .decompress = runs_decompress},
};
static const tess_plugins plugins = {codecs, 1, filters, 1};

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

int
main(int argc, char **argv)
{
    enum { ROWS = 200, COLUMNS = 300 };
    static int32_t field[ROWS][COLUMNS], again[ROWS][COLUMNS];
    const int64_t start[] = {0, 0}, stop[] = {ROWS, COLUMNS};
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_info info;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            field[i][j] = 1000 * i + 7 * j;

    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    memcpy(params.shape, stop, sizeof stop);
    params.codec = (tess_codec)RUNS;
    params.filters[TESS_MAX_FILTERS - 2] = SLOPE; // before the shuffle in the last slot

    tess_storage_init(&storage);
    storage.path = argc > 1 ? argv[1] : "plugin.b2nd";
    storage.mode = TESS_MODE_REPLACE;
    storage.plugins = &plugins;
    check(tess_array_from(&storage, &params, field, sizeof field, &a, &err), &err);
    check(tess_array_close(a, &err), &err);

    storage.mode = TESS_MODE_READ;
    check(tess_array_open(&storage, &a, &err), &err);
    check(tess_array_read(a, start, stop, again, sizeof again, &err), &err);
    tess_array_info(a, &info);
    printf("codec %s: %lld bytes in %lld\n", info.codec_name, (long long)info.nbytes,
           (long long)info.cbytes);
    check(tess_array_close(a, &err), &err);
    return memcmp(field, again, sizeof field) == 0 ? 0 : 1;
}
