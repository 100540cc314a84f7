/*
 * slice.c - an image made small, turned, and written to in parts.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 200, THUMB = 20 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
image(void)
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
    tess_array *const a = image();
    const int64_t origin[] = {0, 0}, shape[] = {ROWS, COLUMNS};
    tess_error err;

    // Every 15th row and 10th column: a small image.
    const int64_t apart[] = {15, 10};
    int32_t thumb[THUMB][THUMB];
    check(tess_array_get_slice(a, origin, shape, apart, thumb, sizeof thumb, NULL, &err), &err);
    printf("%d %d\n", (int)thumb[0][0], (int)thumb[19][19]);

    // The same, upside down: from the last row to the one before 0.
    const int64_t bottom[] = {ROWS - 15, 0}, top[] = {-1, COLUMNS}, down[] = {-15, 10};
    int32_t flipped[THUMB][THUMB];
    check(tess_array_get_slice(a, bottom, top, down, flipped, sizeof flipped, NULL, &err), &err);
    printf("%d %d\n", (int)flipped[0][0], (int)flipped[19][19]);

    // Columns become rows: in memory, the next row is 4 bytes on, the next column a line.
    int32_t turned[THUMB][THUMB];
    const int64_t columns_first[] = {sizeof turned[0][0], sizeof turned[0]};
    check(tess_array_get_slice(a, origin, shape, apart, turned, sizeof turned, columns_first, &err),
          &err);
    printf("%d %d\n", (int)turned[0][19], (int)turned[19][0]);

    // Row 7 is written to all rows of a box: a stride of 0.
    int32_t line[COLUMNS];
    const int64_t row[] = {7, 0}, row_end[] = {8, COLUMNS};
    const int64_t box[] = {100, 0}, box_end[] = {110, COLUMNS}, same[] = {0, sizeof line[0]};
    check(tess_array_get_slice(a, row, row_end, NULL, line, sizeof line, NULL, &err), &err);
    check(tess_array_set_slice(a, box, box_end, NULL, line, sizeof line, same, &err), &err);

    // And every other column becomes -1.
    const int32_t value = -1;
    const int64_t other[] = {1, 2};
    check(tess_array_fill(a, origin, shape, other, &value, sizeof value, &err), &err);

    int32_t last[2];
    const int64_t at[] = {109, 198}, end[] = {110, 200};
    check(tess_array_get_slice(a, at, end, NULL, last, sizeof last, NULL, &err), &err);
    printf("%d %d\n", (int)last[0], (int)last[1]);
    check(tess_array_close(a, &err), &err);

    return thumb[19][19] == 285190 && flipped[0][0] == 285000 && flipped[19][19] == 190 &&
                   turned[0][19] == 285000 && turned[19][0] == 190 && last[0] == -1 &&
                   last[1] == 7199
               ? 0
               : 1;
}
