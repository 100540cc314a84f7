/*
 * copy.c - an array in another layout; two arrays side by side, and along a new axis.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 30, COLUMNS = 20 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// Items from `first` on.
static tess_array *
matrix(const tess_storage *storage, int32_t first)
{
    static int32_t items[ROWS][COLUMNS];
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = first + COLUMNS * i + j;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    check(tess_array_from(storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

static int32_t
item(const tess_array *a, const int64_t *index)
{
    int32_t value;
    tess_error err;
    check(tess_array_get_points(a, 1, index, &value, sizeof value, &err), &err);
    return value;
}

int
main(void)
{
    tess_storage storage;
    tess_params params;
    tess_info info;
    tess_error err;
    tess_array *copy, *tall, *deep;

    tess_storage_init(&storage); // no path: in memory
    tess_array *const pair[] = {matrix(&storage, 0), matrix(&storage, 1000)};

    // Like the array, but in small chunks, and compressed more.
    tess_array_params(pair[0], &params);
    params.chunkshape[0] = params.chunkshape[1] = 10;
    params.blockshape[0] = params.blockshape[1] = 5;
    params.codec = TESS_CODEC_ZSTD;
    params.clevel = 9;
    check(tess_array_copy(pair[0], &storage, &params, &copy, &err), &err);
    tess_array_info(copy, &info);
    printf("%d chunks of %d x %d\n", (int)info.nchunks, (int)info.chunkshape[0],
           (int)info.chunkshape[1]);

    // The rows of one below those of the other: 60 x 20.
    check(tess_array_concatenate(pair, 2, 0, &storage, NULL, &tall, &err), &err);
    // Both as they are, one behind the other: 2 x 30 x 20.
    check(tess_array_stack(pair, 2, 0, &storage, NULL, &deep, &err), &err);

    const int64_t one[] = {7, 3}, below[] = {ROWS + 7, 3}, behind[] = {1, 7, 3};
    const int32_t a = item(copy, one), b = item(tall, below), c = item(deep, behind);
    printf("%d %d %d\n", (int)a, (int)b, (int)c);

    tess_array *const all[] = {pair[0], pair[1], copy, tall, deep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check(tess_array_close(all[i], &err), &err);
    return info.nchunks == 6 && a == 143 && b == 1143 && c == 1143 ? 0 : 1;
}
