/*
 * events.c - events counted into an array of bins that is larger than memory, by four threads.
 *
 * Each batch of events is one call: bins that occur several times are counted as often, and each
 * block is decoded and encoded once for the batch. No addition is lost where threads meet, so they
 * share one handle and no lock.
 */
#include <tessera.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { X = 512, Y = 512, ENERGIES = 64, THREADS = 4, BATCH = 20000, BATCHES = 20 };

struct histogram {
    tess_array *bins;
    atomic_int next; // batch
};

static void
check(tess_status st, const tess_error *err)
{
    if (st == TESS_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static tess_array *
make_bins(const char *path)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *bins;
    tess_error err;

    tess_context_init(&context);
    context.threads = 1; // the program has threads of its own
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_U32;
    params.ndim = 3;
    params.shape[0] = X;
    params.shape[1] = Y;
    params.shape[2] = ENERGIES;
    check(tess_array_zeros(&storage, &params, &bins, &err), &err);
    return bins;
}

// The bins of events; here they come from a detector. Most are near the middle.
static void
receive(int batch, int64_t bins[BATCH][3])
{
    unsigned random = (unsigned)batch;
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < 3; i++) {
            int64_t sum = 0;
            for (int k = 0; k < 4; k++)
                sum += (random = random * 1664525 + 1013904223) >> 16;
            bins[n][i] = sum * (i < 2 ? X : ENERGIES) >> 18;
        }
}

static void *
count(void *user)
{
    struct histogram *const h = user;
    int64_t(*const bins)[3] = malloc(sizeof(int64_t[BATCH][3]));
    const uint32_t one = 1;
    tess_error err;
    int batch;

    if (!bins)
        exit(1);
    while ((batch = atomic_fetch_add(&h->next, 1)) < BATCHES) {
        receive(batch, bins);
        check(tess_array_add_points(h->bins, BATCH, bins[0], &one, sizeof one, NULL, &err), &err);
    }
    free(bins);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct histogram h = {.bins = make_bins(argc > 1 ? argv[1] : "histogram.b2nd")};
    pthread_t threads[THREADS];
    tess_statistics found;
    tess_error err;

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, &h) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(tess_array_statistics(h.bins, NULL, NULL, &found, &err), &err);
    printf("%lld events\n", (long long)found.integer); // 400000 events
    check(tess_array_close(h.bins, &err), &err);
    return 0;
}
