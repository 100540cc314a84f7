/*
 * map.c - functions of several arrays in step: a sum, a stencil in place, and a reduction.
 */
#include <tessera.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 400 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// A matrix in memory; items NULL: zeros. A row is broadcast to all rows.
static tess_array *
matrix(int rows, const float *items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ">f4" : "<f4"; // as this machine's
    params.ndim = 2;
    params.shape[0] = rows;
    params.shape[1] = COLUMNS;
    const size_t size = (size_t)rows * COLUMNS * sizeof *items;
    check(items ? tess_array_from(&storage, &params, items, size, &a, &err)
                : tess_array_zeros(&storage, &params, &a, &err),
          &err);
    return a;
}

// An item of an input: its neighbours have negative indices, or ones behind the box.
static float
item(const tess_map_part *part, int input, int64_t i, int64_t j)
{
    const int64_t *const strides = part->input_strides[input];
    return *(const float *)((const char *)part->inputs[input] + i * strides[0] + j * strides[1]);
}

// Called by several threads at once, each with a box of its own.
static tess_each_next
add(const tess_map_part *part, void *user)
{
    float *to = part->outputs[0];
    (void)user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            *to++ = item(part, 0, i, j) + item(part, 1, i, j);
    return TESS_EACH_NEXT;
}

static tess_each_next
smooth(const tess_map_part *part, void *user)
{
    float *to = part->outputs[0];
    (void)user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            *to++ = (item(part, 0, i - 1, j) + item(part, 0, i + 1, j) + item(part, 0, i, j - 1) +
                     item(part, 0, i, j + 1)) /
                    4;
    return TESS_EACH_NEXT;
}

static tess_each_next
count_differences(const tess_map_part *part, void *user)
{
    atomic_llong *const all = user;
    long long here = 0;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            here += fabsf(item(part, 0, i, j) - item(part, 1, i, j)) > 0.5F;
    atomic_fetch_add(all, here);
    return TESS_EACH_NEXT;
}

int
main(void)
{
    static float items[ROWS * COLUMNS], row[COLUMNS];
    const int64_t halo[] = {1, 1}, last[] = {ROWS - 1, COLUMNS - 1}, end[] = {ROWS, COLUMNS};
    atomic_llong differences;
    tess_map_options options;
    float corner;
    tess_error err;

    for (int k = 0; k < ROWS * COLUMNS; k++)
        items[k] = (float)(k % 7);
    for (int k = 0; k < COLUMNS; k++)
        row[k] = (float)k;
    tess_array *const a = matrix(ROWS, items), *const b = matrix(1, row);
    tess_array *const c = matrix(ROWS, NULL);

    // c = a + b, where b is one row.
    const tess_array *const both[] = {a, b};
    check(tess_map(both, 2, &c, 1, NULL, NULL, NULL, add, NULL, &err), &err);
    check(tess_array_read(c, last, end, &corner, sizeof corner, &err), &err);
    printf("the last item of the sum is %g\n", (double)corner);

    // Means of four neighbours, in place: all boxes see the items that were there before.
    const tess_array *const same[] = {c};
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_NEAREST;
    check(tess_map(same, 1, &c, 1, NULL, NULL, &options, smooth, NULL, &err), &err);
    check(tess_array_read(c, last, end, &corner, sizeof corner, &err), &err);
    printf("smoothed, it is %g\n", (double)corner);

    // Without outputs: a reduction.
    atomic_init(&differences, 0);
    const tess_array *const compared[] = {c, b};
    check(tess_map(compared, 2, NULL, 0, NULL, NULL, NULL, count_differences, &differences, &err),
          &err);
    printf("%lld items differ from the row by more than 0.5\n", atomic_load(&differences));

    tess_array_discard(a);
    tess_array_discard(b);
    tess_array_discard(c);
    return 0;
}
