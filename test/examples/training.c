/*
 * training.c - random crops for training: eight threads cut batches from 2,000 volumes.
 *
 * The volumes are one array, a chunk each. All threads read it through one handle, without a lock,
 * each with one call for a batch: blocks that several crops share are decoded once, and crops that
 * leave a volume are completed by its mirror image.
 */
#include <tessera.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { VOLUMES = 2000, SIDE = 24, CROP = 16, THREADS = 8, BATCH = 32, BATCHES = 64 };

struct loader {
    tess_array *volumes;
    atomic_int next; // batch
    atomic_llong sum;
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
make_volumes(void)
{
    static float items[SIDE * SIDE * SIDE];
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;

    tess_context_init(&context);
    context.threads = 1; // the program has a thread for each CPU
    tess_storage_init(&storage); // no path: in memory
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F32;
    params.ndim = 4;
    params.shape[0] = VOLUMES;
    params.chunkshape[0] = params.blockshape[0] = 1;
    for (int i = 1; i < 4; i++) {
        params.shape[i] = params.chunkshape[i] = SIDE;
        params.blockshape[i] = SIDE / 2;
    }
    check(tess_array_uninit(&storage, &params, &a, &err), &err);
    for (int64_t n = 0; n < VOLUMES; n++) {
        const int64_t start[4] = {n}, stop[4] = {n + 1, SIDE, SIDE, SIDE};
        for (int i = 0; i < SIDE * SIDE * SIDE; i++) // here they come from scans
            items[i] = (float)n;
        check(tess_array_write(a, start, stop, items, sizeof items, &err), &err);
    }
    return a;
}

static void *
load(void *user)
{
    struct loader *const l = user;
    const int64_t shape[4] = {1, CROP, CROP, CROP};
    const size_t size = BATCH * sizeof(float[CROP][CROP][CROP]);
    float(*const crops)[CROP][CROP][CROP] = malloc(size);
    tess_boxes_options options;
    tess_error err;
    int number;

    if (!crops)
        exit(1);
    tess_boxes_options_init(&options);
    options.edge = TESS_EDGE_MIRROR;
    while ((number = atomic_fetch_add(&l->next, 1)) < BATCHES) {
        unsigned random = (unsigned)number;
        int64_t starts[BATCH][4];
        for (int k = 0; k < BATCH; k++)
            for (int i = 0; i < 4; i++) {
                random = random * 1664525 + 1013904223;
                starts[k][i] =
                    i == 0 ? random / 8 % VOLUMES : (int64_t)(random / 8 % SIDE) - CROP / 2;
            }
        check(
            tess_array_get_boxes(l->volumes, BATCH, starts[0], shape, &options, crops, size, &err),
            &err);
        for (int k = 0; k < BATCH; k++) // here a network learns
            atomic_fetch_add(&l->sum, crops[k][CROP - 1][0][0] == (float)starts[k][0]);
    }
    free(crops);
    return NULL;
}

int
main(void)
{
    struct loader l = {.volumes = make_volumes()};
    pthread_t threads[THREADS];
    tess_error err;

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, load, &l) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d crops of the right volume\n", (int)l.sum); // 2048 crops of the right volume
    check(tess_array_close(l.volumes, &err), &err);
    return l.sum == BATCHES * BATCH ? 0 : 1;
}
