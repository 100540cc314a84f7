/*
 * dims.c - a folder of arrays: temperatures of some stations, and the hours of their axis.
 *
 *     cc dims.c $(pkg-config --cflags --libs tessera) && ./a.out FOLDER
 */
#include <stdio.h>
#include <tessera.h>

#define TRY(call)                     \
    do {                              \
        if ((st = (call)) != TESS_OK) \
            goto out;                 \
    } while (0)

enum { HOURS = 240, STATIONS = 5 };

// One file in the folder, with names of its axes.
static tess_status
save(const char *folder, const char *name, const char *const *dims, int ndim, const void *items,
     size_t size, tess_error *err)
{
    static const int64_t shape[] = {HOURS, STATIONS};
    char path[500];
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_status st;

    (void)snprintf(path, sizeof path, "%s/%s.b2nd", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = ndim;
    for (int i = 0; i < ndim; i++)
        params.shape[i] = shape[i];
    TRY(tess_array_from(&storage, &params, items, size, &a, err));
    TRY(tess_dims_set(a, dims, err));
    return tess_array_close(a, err);
out:
    tess_array_discard(a);
    return st;
}

static tess_status
make(const char *folder, tess_error *err)
{
    static double hours[HOURS], temperature[HOURS][STATIONS];

    for (int i = 0; i < HOURS; i++) {
        hours[i] = i / 2.0; // every half hour
        for (int k = 0; k < STATIONS; k++)
            temperature[i][k] = 15 + k + i % 24 / 2.0;
    }
    const tess_status st =
        save(folder, "time", (const char *[]){"time"}, 1, hours, sizeof hours, err);
    return st == TESS_OK ? save(folder, "temperature", (const char *[]){"time", "station"}, 2,
                                temperature, sizeof temperature, err)
                         : st;
}

// Remove one of them, if it is there.
static tess_status
drop(const char *folder, const char *name, tess_error *err)
{
    char path[500];
    tess_storage storage;

    (void)snprintf(path, sizeof path, "%s/%s.b2nd", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    return tess_remove(&storage, err);
}

int
main(int argc, char **argv)
{
    const char *const folder = argc > 1 ? argv[1] : ".";
    const tess_number from = {.kind = TESS_KIND_FLOAT, .f = 6},
                      to = {.kind = TESS_KIND_INT, .i = 12};
    const tess_number noon = {.kind = TESS_KIND_FLOAT, .f = 12.2};
    char path[500];
    const char **names = NULL;
    tess_array *a = NULL, *time = NULL;
    tess_storage storage;
    tess_statistics found;
    tess_error err;
    tess_status st;
    int axis;
    int64_t start[2] = {0, 0}, stop[2] = {0, STATIONS}, index;

    TRY(make(folder, &err));
    (void)snprintf(path, sizeof path, "%s/temperature.b2nd", folder);
    tess_storage_init(&storage);
    storage.path = path;
    TRY(tess_array_open(&storage, &a, &err));
    TRY(tess_dims_get(a, &names, &err));
    printf("%s, %s\n", names[0], names[1]); // time, station

    TRY(tess_dims_find(a, "time", &axis, &err));
    TRY(tess_coord_open(a, axis, NULL, &time, &err)); // time.b2nd
    TRY(tess_coord_find(time, &noon, TESS_MATCH_NEAREST, &index, &err));
    printf("nearest to %g: index %lld\n", noon.f, (long long)index); // 24

    // The hours from 6 to 12, of all stations.
    TRY(tess_coord_range(time, &from, &to, &start[axis], &stop[axis], &err));
    TRY(tess_array_statistics(a, start, stop, &found, &err));
    printf("from %lld to %lld: mean %g\n", (long long)start[axis], (long long)stop[axis],
           found.mean); // 12 to 25
out:
    tess_free(names);
    (void)tess_array_close(time, NULL);
    (void)tess_array_close(a, NULL);
    if (st == TESS_OK)
        st = drop(folder, "time", &err);
    if (st == TESS_OK)
        st = drop(folder, "temperature", &err);
    if (st != TESS_OK)
        fprintf(stderr, "%s: %s\n", tess_status_name(st), err.message);
    return st != TESS_OK;
}
