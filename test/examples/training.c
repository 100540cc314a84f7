/*
 * training.c - random crops for training: eight threads take batches from 2,000 volumes, without a
 * lock. A batch is one call; crops that leave a volume are completed by its mirror image.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call) ((call) == TESS_OK ? (void)0 : (fprintf(stderr, "%s\n", err.message), exit(1)))

enum { VOLUMES = 2000, SIDE = 24, CROP = 16, THREADS = 8, BATCH = 32, BATCHES = 64 };

static _Thread_local tess_error err;
static atomic_int next, right; // batch; crops of the right volume

static void *
load(void *volumes)
{
    static _Thread_local float crops[BATCH][CROP][CROP][CROP];
    const int64_t shape[] = {1, CROP, CROP, CROP};
    tess_boxes_options options;

    tess_boxes_options_init(&options);
    options.edge = TESS_EDGE_MIRROR;
    for (unsigned batch; (batch = (unsigned)atomic_fetch_add(&next, 1)) < BATCHES;) {
        int64_t starts[BATCH][4];
        for (int k = 0; k < BATCH; k++)
            for (int i = 0; i < 4; i++)
                starts[k][i] = i == 0 ? rand_r(&batch) % VOLUMES : rand_r(&batch) % SIDE - CROP / 2;
        TRY(tess_array_get_boxes(volumes, BATCH, starts[0], shape, &options, crops, sizeof crops,
                                 &err));
        for (int k = 0; k < BATCH; k++) // here a network learns
            right += crops[k][0][0][0] == (float)starts[k][0];
    }
    return NULL;
}

int
main(void)
{
    static float volume[SIDE * SIDE * SIDE];
    pthread_t threads[THREADS];
    tess_storage storage;
    tess_params params;
    tess_array *volumes;

    tess_storage_init(&storage); // no path: in memory
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F32;
    params.ndim = 4;
    params.chunkshape[0] = 1; // a volume
    for (int i = 1; i < 4; i++)
        params.shape[i] = params.chunkshape[i] = SIDE;
    TRY(tess_array_uninit(&storage, &params, &volumes, &err));
    for (int n = 0; n < VOLUMES; n++) {
        for (int i = 0; i < SIDE * SIDE * SIDE; i++) // here they come from scans
            volume[i] = (float)n;
        TRY(tess_array_append(volumes, 0, 1, volume, sizeof volume, NULL, &err));
    }

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, load, volumes) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d crops of the right volume\n", right); // 2048 crops of the right volume
    TRY(tess_array_close(volumes, &err));
    return 0;
}
