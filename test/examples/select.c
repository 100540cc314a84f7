/*
 * select.c - items of a matrix at points, and at combinations of rows and columns.
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

int
main(void)
{
    tess_array *const a = matrix();
    tess_error err;

    // Three points, in any order.
    const int64_t points[][2] = {{299, 199}, {0, 7}, {150, 3}};
    int32_t values[3];
    check(tess_array_get_points(a, 3, &points[0][0], values, sizeof values, &err), &err);
    printf("%d %d %d\n", (int)values[0], (int)values[1], (int)values[2]);

    const int32_t changed[] = {-1, -2, -3};
    check(tess_array_set_points(a, 3, &points[0][0], changed, sizeof changed, &err), &err);

    // Rows 150 and 0, of each columns 3, 7 and 7 again.
    const int64_t rows[] = {150, 0}, columns[] = {3, 7, 7};
    const int64_t counts[] = {2, 3};
    const int64_t *const indices[] = {rows, columns};
    int32_t picked[2][3];
    check(tess_array_get_orthogonal(a, counts, indices, picked, sizeof picked, &err), &err);
    for (int i = 0; i < 2; i++)
        printf("%d %d %d\n", (int)picked[i][0], (int)picked[i][1], (int)picked[i][2]);

    const int32_t zeros[2][3] = {{0}};
    check(tess_array_set_orthogonal(a, counts, indices, zeros, sizeof zeros, &err), &err);
    check(tess_array_get_points(a, 3, &points[0][0], values, sizeof values, &err), &err);
    check(tess_array_close(a, &err), &err);

    return picked[0][0] == -3 && picked[0][1] == 150007 && picked[1][2] == -2 && values[0] == -1 &&
                   values[1] == 0 && values[2] == 0
               ? 0
               : 1;
}
