/*
 * remote.c - what does reading an array at a URL cost: requests, bytes, time?
 *
 * Opens the array, reads one item, one plane, 100 items at random places, and everything. Requests
 * and bytes are those of the source; a retry, a redirect or a greeting of TLS is not among them, a
 * server's log has all. Each step is repeated with a handle of its own; the median is printed, as
 * CSV. `remote make FOLDER` makes the two arrays of 64 MB that the targets are about: 28 chunks,
 * and 28,000. See --help.
 *
 * Targets: to open 2 requests in one round trip, an item at most 2 more; with 50 ms added to each
 * request, 100 items in 0.6 s, and everything within 1.3 times of curl's time.
 */
#include "support.h"

#include <tessera.h>
#include <tessera/http.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPOINTS = 100, STEPS = 5, ROUNDS_MAX = 99 };

static const char *const step_names[STEPS] = {"open", "item", "plane", "100 items", "all"};

// The source of a URL, counted.
struct counted {
    tess_source of;
    atomic_llong requests, nbytes;
};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static tess_status
count_state(void *user, tess_source_state *state, tess_error *err)
{
    struct counted *const c = user;
    atomic_fetch_add(&c->requests, 1);
    return c->of.state(c->of.user, state, err);
}

static tess_status
count_ends(void *user, tess_source_state *state, void *first, size_t first_size, void *last,
           size_t last_size, tess_error *err)
{
    struct counted *const c = user;
    const tess_status st = c->of.ends(c->of.user, state, first, first_size, last, last_size, err);
    const int64_t size = state->size;
    atomic_fetch_add(&c->requests, last_size > 0 ? 2 : 1);
    atomic_fetch_add(&c->nbytes, (int64_t)first_size < size ? (int64_t)first_size : size);
    atomic_fetch_add(&c->nbytes, (int64_t)last_size < size ? (int64_t)last_size : size);
    return st;
}

static tess_status
count_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
           tess_error *err)
{
    struct counted *const c = user;
    atomic_fetch_add(&c->requests, (long long)n);
    for (size_t i = 0; i < n; i++)
        atomic_fetch_add(&c->nbytes, (long long)ranges[i].dst_size);
    return c->of.read(c->of.user, ranges, n, reading, err);
}

static void
count_close(void *user)
{
    struct counted *const c = user;
    c->of.close(c->of.user);
}

static tess_array *
open_url(const char *url, struct counted *c)
{
    tess_storage storage;
    tess_source source;
    tess_array *a;
    tess_error err;
    tess_source_init(&c->of);
    must(tess_http_source(url, NULL, &c->of, &err), &err);
    atomic_init(&c->requests, 0);
    atomic_init(&c->nbytes, 0);
    source = c->of;
    source.user = c;
    source.state = count_state;
    source.ends = count_ends;
    source.read = count_read;
    source.close = count_close;
    tess_storage_init(&storage);
    storage.source = &source;
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

struct result {
    double seconds;
    long long requests, nbytes;
};

static void
measure(const struct counted *c, double since, struct result *r)
{
    r->seconds = bench_now() - since;
    r->requests = atomic_load(&c->requests);
    r->nbytes = atomic_load(&c->nbytes);
}

// One step on a handle of its own, so that nothing is known from another one.
static void
run_step(const char *url, int step, uint64_t *seed, struct result *r)
{
    struct counted c;
    struct result open;
    tess_error err;
    tess_info info;
    double since = bench_now();
    tess_array *const a = open_url(url, &c);
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM];
    int64_t points[NPOINTS * TESS_MAX_NDIM];

    measure(&c, since, r);
    tess_array_info(a, &info);
    size_t size = (size_t)info.typesize;
    for (int i = 0; i < info.ndim; i++)
        size *= (size_t)info.shape[i];
    char *const items = bench_alloc(size);
    memset(items, 1, size); // its pages are there
    for (int i = 0; i < info.ndim; i++) {
        const bool one = step == 1 || (step == 2 && i == 0);
        start[i] = one ? (int64_t)(bench_random(seed) % (uint64_t)info.shape[i]) : 0;
        stop[i] = one ? start[i] + 1 : info.shape[i];
    }
    for (int i = 0; i < NPOINTS * info.ndim; i++)
        points[i] = (int64_t)(bench_random(seed) % (uint64_t)info.shape[i % info.ndim]);
    open = *r;
    since = bench_now();
    if (step == 3)
        must(tess_array_get_points(a, NPOINTS, points, items, size, &err), &err);
    else if (step > 0)
        must(tess_array_read(a, start, stop, items, size, &err), &err);
    if (step > 0) {
        measure(&c, since, r);
        r->requests -= open.requests;
        r->nbytes -= open.nbytes;
    }
    tess_array_discard(a);
    free(items);
}

static int
by_seconds(const void *a, const void *b)
{
    const struct result *const x = a, *const y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static void
run(const char *url, int rounds)
{
    uint64_t seed = 5;
    printf("url,step,requests,bytes,milliseconds\n");
    for (int step = 0; step < STEPS; step++) {
        struct result results[ROUNDS_MAX];
        for (int i = 0; i < rounds; i++)
            run_step(url, step, &seed, &results[i]);
        qsort(results, (size_t)rounds, sizeof *results, by_seconds);
        const struct result *const median = &results[rounds / 2];
        printf("%s,%s,%lld,%lld,%.2f\n", url, step_names[step], median->requests, median->nbytes,
               median->seconds * 1e3);
    }
}

// Random walks along the last axis: 28 planes of 640 x 900 items.
static void
make(const char *folder, const char *name, int64_t rows, int64_t columns)
{
    static const int64_t shape[] = {28, 640, 900};
    const size_t n = (size_t)(shape[0] * shape[1] * shape[2]);
    int32_t *const items = bench_alloc(n * sizeof *items);
    uint64_t seed = 7;
    char path[4096];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    for (size_t i = 0; i < n; i++)
        items[i] = (i % 900 > 0 ? items[i - 1] : 0) + (int32_t)(bench_random(&seed) % 7) - 3;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = "<i4";
    params.ndim = 3;
    for (int i = 0; i < 3; i++)
        params.shape[i] = shape[i];
    params.chunkshape[0] = params.blockshape[0] = 1;
    params.chunkshape[1] = rows;
    params.chunkshape[2] = columns;
    params.blockshape[1] = rows >= 640 ? 64 : rows;
    params.blockshape[2] = columns >= 900 ? 90 : columns;
    must(tess_array_from(&storage, &params, items, n * sizeof *items, &a, &err), &err);
    must(tess_array_close(a, &err), &err);
    free(items);
}

int
main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "make") == 0) {
        make(argv[2], "28.b2nd", 640, 900);
        make(argv[2], "28000.b2nd", 20, 29);
        return 0;
    }
    const int rounds = argc == 3 ? atoi(argv[2]) : 5;
    if ((argc != 2 && argc != 3) || !tess_http_is_url(argv[1]) || rounds < 1 || rounds > ROUNDS_MAX)
        bench_die("usage: remote URL [ROUNDS] | remote make FOLDER");
    run(argv[1], rounds);
    return 0;
}
