/*
 * reshape.c - a table of days that grows, loses days, and gets some in between.
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { DAYS = 10, STATIONS = 4 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
table(float first)
{
    static const float missing = -999;
    static float items[DAYS][STATIONS];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    for (int i = 0; i < DAYS; i++)
        for (int j = 0; j < STATIONS; j++)
            items[i][j] = first + (float)i;
    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = 2;
    params.shape[0] = DAYS;
    params.shape[1] = STATIONS;
    params.chunkshape[0] = params.blockshape[0] = 4;
    params.chunkshape[1] = params.blockshape[1] = STATIONS;
    params.fill = &missing; // what growth shows
    params.fill_size = sizeof missing;
    check(tess_array_from(&storage, &params, items, sizeof items, &a, &err), &err);
    return a;
}

static float
item(const tess_array *a, int64_t day, int64_t station)
{
    const int64_t start[] = {day, station}, stop[] = {day + 1, station + 1};
    float value;
    tess_error err;

    check(tess_array_read(a, start, stop, &value, sizeof value, &err), &err);
    return value;
}

int
main(void)
{
    static const float days[2][STATIONS] = {{50, 50, 50, 50}, {51, 51, 51, 51}};
    tess_array *const a = table(0);
    tess_array *const later = table(100);
    tess_info info;
    tess_error err;

    // Two days before day 3; then the first four go: three of the old ones and one of the new.
    check(tess_array_insert(a, 0, 3, 2, days, sizeof days, NULL, &err), &err);
    check(tess_array_delete(a, 0, 0, 4, &err), &err);

    // Ten more from another array; one more station, before the first.
    check(tess_array_append_array(a, 0, later, &err), &err);
    const int64_t shape[] = {18, STATIONS + 1}, position[] = {18, 0};
    check(tess_array_resize_at(a, shape, position, &err), &err);

    tess_array_info(a, &info);
    printf("%d days, %d stations, missing: %g\n", (int)info.shape[0], (int)info.shape[1],
           (double)*(const float *)info.fill);
    for (int64_t i = 0; i < info.shape[0]; i++)
        printf("%g %g\n", (double)item(a, i, 0), (double)item(a, i, 1));
    const bool right = info.shape[0] == 18 && item(a, 0, 1) == 51 && item(a, 1, 1) == 3 &&
                       item(a, 8, 1) == 100 && item(a, 17, 4) == 109 && item(a, 5, 0) == -999;
    check(tess_array_close(a, &err), &err);
    check(tess_array_close(later, &err), &err);
    return right ? 0 : 1;
}
