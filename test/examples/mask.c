/*
 * mask.c - the items of a matrix that a mask chooses: some of all, and whole rows.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 30, COLUMNS = 20 };

static int32_t items[ROWS][COLUMNS];

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
matrix(void)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = 100 * i + j;
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

int
main(void)
{
    static uint8_t bytes[ROWS][COLUMNS], rows[ROWS];
    tess_array *const a = matrix();
    tess_error err;

    // All items of 2900 and more become -1.
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            bytes[i][j] = items[i][j] >= 2900;
    const tess_mask large = {.ndim = 2, .bytes = &bytes[0][0], .bytes_size = sizeof bytes};
    const int32_t minus = -1;
    int64_t count;
    check(tess_array_count_mask(a, &large, &count, &err), &err);
    check(tess_array_set_mask(a, &large, &minus, sizeof minus, &err), &err);
    printf("%d items set\n", (int)count);

    // Whole rows, by a mask over the first axis.
    rows[4] = rows[ROWS - 1] = 1;
    const tess_mask chosen = {.ndim = 1, .bytes = rows, .bytes_size = sizeof rows};
    int32_t got[2][COLUMNS];
    check(tess_array_get_mask(a, &chosen, got, sizeof got, &err), &err);
    printf("%d %d\n", (int)got[0][3], (int)got[1][3]);

    check(tess_array_close(a, &err), &err);
    return count == COLUMNS && got[0][3] == 403 && got[1][3] == -1 ? 0 : 1;
}
