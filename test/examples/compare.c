/*
 * compare.c - items selected by conditions: masks made by comparisons, combined, and used.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { DAYS = 365, PLACES = 40 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

// Temperatures of days at places, and, for days = 1, the mean of each place.
static tess_array *
temperatures(int days)
{
    static float items[DAYS][PLACES];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < days; i++)
        for (int j = 0; j < PLACES; j++)
            items[i][j] = (float)(days == 1 ? 10 : (i * 7 + j * 3) % 41 - 10);
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ">f4" : "<f4"; // as this machine's
    params.ndim = 2;
    params.shape[0] = days;
    params.shape[1] = PLACES;
    check(tess_array_from(&storage, &params, items, (size_t)days * sizeof items[0], &a, &err),
          &err);
    return a;
}

static long long
count(const tess_array *a, const tess_array *selected)
{
    const tess_mask mask = {.ndim = 2, .array = selected};
    int64_t n;
    tess_error err;
    check(tess_array_count_mask(a, &mask, &n, &err), &err);
    return n;
}

int
main(void)
{
    const tess_number zero = {.kind = TESS_KIND_INT};
    tess_array *const a = temperatures(DAYS), *const means = temperatures(1);
    tess_array *frost, *cool, *both;
    tess_storage storage;
    tess_error err;

    tess_storage_init(&storage);
    check(tess_array_compare(a, TESS_COMPARE_LT, &zero, &storage, NULL, &frost, &err), &err);
    printf("%lld items are below 0\n", count(a, frost));

    // The mean of a place stands for all of its days.
    check(tess_array_compare_arrays(a, TESS_COMPARE_LT, means, &storage, NULL, &cool, &err), &err);
    printf("%lld are below the mean of their place\n", count(a, cool));

    check(tess_array_logic(cool, TESS_LOGIC_AND_NOT, frost, &storage, NULL, &both, &err), &err);
    printf("%lld are below the mean, but not below 0\n", count(a, both));

    // All items below 0 become 0.
    const float none = 0;
    const tess_mask mask = {.ndim = 2, .array = frost};
    check(tess_array_set_mask(a, &mask, &none, sizeof none, &err), &err);

    tess_array_discard(frost);
    tess_array_discard(cool);
    tess_array_discard(both);
    tess_array_discard(means);
    tess_array_discard(a);
    return 0;
}
