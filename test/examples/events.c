/*
 * events.c - events counted into an array of bins that is larger than memory, by four threads,
 * without a lock. A batch is one call; each block is decoded and encoded once for it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { SIDE = 512, ENERGIES = 64, THREADS = 4, BATCH = 20000, BATCHES = 20 };

static _Thread_local tess_error err;
static atomic_int next; // batch

static void *
count(void *histogram)
{
    static _Thread_local int64_t bins[BATCH][3];
    const uint32_t one = 1;

    for (unsigned batch; (batch = (unsigned)atomic_fetch_add(&next, 1)) < BATCHES;) {
        for (int n = 0; n < BATCH; n++)
            for (int i = 0; i < 3; i++) // here they come from a detector
                bins[n][i] = rand_r(&batch) % (i < 2 ? SIDE : ENERGIES);
        TRY(tess_array_add_points(histogram, BATCH, bins[0], &one, sizeof one, NULL, &err));
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[THREADS];
    tess_storage storage;
    tess_params params;
    tess_array *histogram;
    tess_statistics found;

    tess_storage_init(&storage);
    storage.path = "histogram.b2nd";
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_U32;
    params.ndim = 3;
    params.shape[0] = params.shape[1] = SIDE, params.shape[2] = ENERGIES;
    TRY(tess_array_zeros(&storage, &params, &histogram, &err));

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, histogram) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    TRY(tess_array_statistics(histogram, NULL, NULL, &found, &err));
    printf("%lld events\n", (long long)found.integer); // 400000 events
    TRY(tess_array_close(histogram, &err));
    return 0;
}
