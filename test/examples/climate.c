/*
 * climate.c - fields that arrive day by day, their time axis, and means of the week up to each day:
 * three arrays that grow. Killed at any moment, the program continues when it is started again:
 * each file has whole days, only their numbers may differ. Valid are the days that fields and time
 * both have; the others are cut off, and missing means are computed.
 *
 *     climate [FOLDER [DAYS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { LAT = 73, LON = 144, WEEK = 7, COMMIT_EVERY = 5 };

static tess_error err;

static tess_array *
open_series(const char *folder, const char *name, const char *dtype, int ndim, const char *units)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    char path[1000];

    (void)snprintf(path, sizeof path, "%s/%s.b2nd", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    const tess_status st = tess_array_open(&storage, &a, &err);
    if (st == TESS_ERR_NOT_FOUND) {
        storage.mode = TESS_MODE_REPLACE; // the path leads to it from the flush on, with attributes
        tess_params_init(&params);
        params.dtype = dtype;
        params.ndim = ndim;
        params.shape[1] = LAT, params.shape[2] = LON; // and no day yet
        TRY(tess_array_zeros(&storage, &params, &a, &err));
        TRY(tess_dims_set(a, (const char *const[]){"time", "lat", "lon"}, &err));
        TRY(tess_attr_set_string(a, "units", units, &err));
        TRY(tess_array_flush(a, &err));
    } else
        TRY(st);
    return a;
}

// Shorten it to at most so many days, committed at once: old fields never get new times.
static int64_t
cut(tess_array *a, int64_t days)
{
    tess_info info;

    tess_array_info(a, &info);
    if (info.shape[0] <= days)
        return info.shape[0];
    TRY(tess_array_resize(a, (int64_t[]){days, LAT, LON}, &err));
    TRY(tess_array_flush(a, &err));
    return days;
}

int
main(int argc, char **argv)
{
    const char *const folder = argc > 1 ? argv[1] : ".";
    const int64_t last = argc > 2 ? atoll(argv[2]) : 20;
    tess_array *const fields = open_series(folder, "t2m", TESS_DTYPE_F32, 3, "K");
    tess_array *const time = open_series(folder, "time", TESS_DTYPE_I64, 1, "days since 2000-1-1");
    tess_array *const means = open_series(folder, "t2m_week", TESS_DTYPE_F64, 3, "K");
    tess_array *const all[] = {fields, time, means}, *week, *mean;
    const int64_t days = cut(fields, cut(time, INT64_MAX));
    static float field[LAT * LON];
    tess_storage memory;
    tess_reduce_options options;

    tess_storage_init(&memory);
    tess_reduce_options_init(&options);
    options.keep_axes = 1;
    cut(time, days);
    for (int64_t day = cut(means, days); day < last; day++) {
        if (day >= days) { // before that, only means are missing
            for (int i = 0; i < LAT * LON; i++)
                field[i] = (float)(day + i % 50); // here a model computes
            TRY(tess_array_append(fields, 0, 1, field, sizeof field, NULL, &err));
            TRY(tess_array_append(time, 0, 1, &day, sizeof day, NULL, &err));
        }
        const int64_t start[3] = {day < WEEK ? 0 : day - WEEK + 1}, stop[3] = {day + 1, LAT, LON};
        TRY(tess_array_view_slice(fields, start, stop, NULL, &week, &err));
        TRY(tess_array_reduce(week, TESS_REDUCE_MEAN, (int[]){0}, 1, &options, &memory, NULL, &mean,
                              &err));
        TRY(tess_array_append_array(means, 0, mean, &err));
        TRY(tess_array_close(mean, &err));
        tess_array_discard(week);
        if ((day + 1) % COMMIT_EVERY == 0)
            for (int i = 0; i < 3; i++)
                TRY(tess_array_flush(all[i], &err));
    }
    for (int i = 0; i < 3; i++)
        TRY(tess_array_close(all[i], &err));
    return 0;
}
