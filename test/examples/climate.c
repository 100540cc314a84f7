/*
 * climate.c - fields that arrive day by day, their time axis, and the mean of the week up to each
 * day: three arrays that grow, in one folder.
 *
 * The program may be killed at any moment; it goes on when it is started again. A commit has each
 * append as a whole, so each file has whole days, always; only their numbers may differ. Days that
 * both fields and time axis have are valid, and a reader takes no others, either: it opens the time
 * axis first. What is more is cut off. Means that are missing are made again.
 *
 *     climate [FOLDER [DAYS]]
 */
#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { LAT = 73, LON = 144, WEEK = 7, COMMIT_EVERY = 5 };

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
open_series(const char *folder, const char *name, const char *dtype, int ndim, const char *units)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    char path[1000];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    const tess_status st = tess_array_open(&storage, &a, &err);
    if (st != TESS_ERR_NOT_FOUND) {
        check(st, &err);
        return a;
    }
    tess_params_init(&params);
    params.dtype = dtype;
    params.ndim = ndim;
    params.shape[1] = ndim > 1 ? LAT : 0;
    params.shape[2] = ndim > 2 ? LON : 0;
    storage.mode = TESS_MODE_REPLACE; // the path leads to it from the flush on, with its attributes
    check(tess_array_zeros(&storage, &params, &a, &err), &err);
    check(tess_attr_set_json(a, "_ARRAY_DIMENSIONS",
                             ndim > 1 ? "[\"time\", \"lat\", \"lon\"]" : "[\"time\"]", &err),
          &err);
    check(tess_attr_set_string(a, "units", units, &err), &err);
    check(tess_array_flush(a, &err), &err);
    return a;
}

static int64_t
count_days(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info.shape[0];
}

// At once, so that days of before are never next to times of later.
static void
cut(tess_array *a, int64_t days)
{
    tess_info info;
    tess_error err;
    tess_array_info(a, &info);
    if (info.shape[0] <= days)
        return;
    info.shape[0] = days;
    check(tess_array_resize(a, info.shape, &err), &err);
    check(tess_array_flush(a, &err), &err);
}

// Means of the days that are new, each of the fields from WEEK - 1 days before it on.
static void
append_means(tess_array *means, tess_array *fields)
{
    static const int axes[1] = {0};
    tess_storage memory;
    tess_reduce_options options;
    tess_array *week, *mean;
    tess_error err;

    tess_storage_init(&memory);
    tess_reduce_options_init(&options);
    options.keep_axes = 1;
    for (int64_t day = count_days(means); day < count_days(fields); day++) {
        const int64_t start[3] = {day < WEEK ? 0 : day - WEEK + 1, 0, 0},
                      stop[3] = {day + 1, LAT, LON};
        check(tess_array_view_slice(fields, start, stop, NULL, &week, &err), &err);
        check(tess_array_reduce(week, TESS_REDUCE_MEAN, axes, 1, &options, &memory, NULL, &mean,
                                &err),
              &err);
        check(tess_array_append_array(means, 0, mean, &err), &err);
        check(tess_array_close(mean, &err), &err);
        check(tess_array_close(week, &err), &err);
    }
}

// Here they come from a model, or an instrument.
static void
receive(int64_t day, float field[LAT][LON])
{
    for (int i = 0; i < LAT; i++)
        for (int j = 0; j < LON; j++)
            field[i][j] = (float)(day + i * j % 50);
}

int
main(int argc, char **argv)
{
    static float field[LAT][LON];
    const char *const folder = argc > 1 ? argv[1] : ".";
    const int64_t last = argc > 2 ? atoll(argv[2]) : 20;
    tess_array *const fields = open_series(folder, "t2m.b2nd", TESS_DTYPE_F32, 3, "K");
    tess_array *const time =
        open_series(folder, "time.b2nd", TESS_DTYPE_I64, 1, "days since 2000-01-01");
    tess_array *const means = open_series(folder, "t2m_week.b2nd", TESS_DTYPE_F64, 3, "K");
    tess_error err;

    cut(fields, count_days(time));
    cut(time, count_days(fields));
    cut(means, count_days(fields));
    for (int64_t day = count_days(fields); day < last; day++) {
        receive(day, field);
        check(tess_array_append(fields, 0, 1, field, sizeof field, NULL, &err), &err);
        check(tess_array_append(time, 0, 1, &day, sizeof day, NULL, &err), &err);
        if ((day + 1) % COMMIT_EVERY != 0 && day + 1 != last)
            continue;
        append_means(means, fields);
        check(tess_array_flush(fields, &err), &err);
        check(tess_array_flush(time, &err), &err);
        check(tess_array_flush(means, &err), &err);
    }
    append_means(means, fields);

    const int64_t newest[3] = {count_days(means) - 1, LAT - 1, 0};
    double mean;
    check(tess_array_get_item(means, newest, &mean, sizeof mean, &err), &err);
    printf("day %d: %g\n", (int)newest[0], mean); // day 19: 16
    check(tess_array_close(fields, &err), &err);
    check(tess_array_close(time, &err), &err);
    check(tess_array_close(means, &err), &err);
    return 0;
}
