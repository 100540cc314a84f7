/*
 * view.c - one matrix, seen as its transpose, as a part of that, and as a single column.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200 };

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
    static int32_t items[ROWS][COLUMNS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            items[i][j] = 1000 * i + j;
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 2;
    params.shape[0] = ROWS;
    params.shape[1] = COLUMNS;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

// Knows nothing of views.
static int64_t
sum(const tess_array *a)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_info info;
    tess_error err;
    int64_t total = 0;

    tess_array_info(a, &info);
    const size_t size = (size_t)info.nitems * sizeof(int32_t);
    int32_t *const items = malloc(size > 0 ? size : 1);
    if (!items)
        exit(1);
    check(tess_array_read(a, origin, info.shape, items, size, &err), &err);
    for (int64_t i = 0; i < info.nitems; i++)
        total += items[i];
    free(items);
    return total;
}

int
main(void)
{
    tess_array *const a = matrix();
    tess_array *transposed, *part, *column;
    tess_error err;
    tess_info info;

    check(tess_array_view_permute(a, NULL, &transposed, &err), &err); // 200 x 300

    // Of the transpose, rows 10 to 12 and every 100th column, from the right: 3 x 3.
    const int64_t start[] = {10, ROWS - 1}, stop[] = {13, -1}, step[] = {1, -100};
    check(tess_array_view_slice(transposed, start, stop, step, &part, &err), &err);
    const int64_t origin[] = {0, 0}, all[] = {3, 3};
    int32_t items[3][3];
    check(tess_array_read(part, origin, all, items, sizeof items, &err), &err);
    for (int i = 0; i < 3; i++)
        printf("%d %d %d\n", (int)items[i][0], (int)items[i][1], (int)items[i][2]);

    // Column 5 of the matrix, as an array of one dimension.
    const int64_t left[] = {0, 5}, right[] = {ROWS, 6};
    tess_array *narrow;
    check(tess_array_view_slice(a, left, right, NULL, &narrow, &err), &err);
    check(tess_array_view_squeeze(narrow, 1, &column, &err), &err);
    check(tess_array_close(narrow, &err), &err); // `column` does not need it
    tess_array_info(column, &info);
    const int64_t before = sum(column);
    printf("%d dimension, %d items, sum %ld\n", info.ndim, (int)info.shape[0], (long)before);

    // What is written to a view is in the array, and in all other views.
    const int64_t first = 0, one = 1;
    const int32_t value = 100000;
    check(tess_array_write(column, &first, &one, &value, sizeof value, &err), &err);
    int32_t seen;
    const int64_t at[] = {5, 0};
    check(tess_array_get_points(transposed, 1, at, &seen, sizeof seen, &err), &err);
    printf("%d\n", (int)seen);

    // The array lives as long as its views.
    check(tess_array_close(a, &err), &err);
    const int64_t after = sum(column);
    check(tess_array_close(transposed, &err), &err);
    check(tess_array_close(part, &err), &err);
    check(tess_array_close(column, &err), &err);

    return items[0][0] == 299010 && items[2][1] == 199012 && info.ndim == 1 && before == 44851500 &&
                   seen == value && after == before - 5 + value
               ? 0
               : 1;
}
