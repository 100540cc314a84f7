/*
 * threads.c - many threads read one array at once, or encode for one write.
 *
 * Made for the thread sanitizer; the data is compared all the same.
 */
#include "api/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 8
#define READS 200

struct reader {
    pthread_t thread;
    struct random random;
    const tess_array *a;
    const struct reference *reference;
    tess_error error;
    int wrong; // reads that brought other data
};

static void *
read_boxes(void *argument)
{
    struct reader *const r = argument;
    const struct reference *const ref = r->reference;
    const size_t size = reference_size(ref);
    uint8_t *got = malloc(size);
    uint8_t *want = malloc(size);

    for (int i = 0; i < READS && got && want && r->error.status == TESS_OK; i++) {
        int64_t start[REFERENCE_MAX_NDIM] = {0};
        int64_t stop[REFERENCE_MAX_NDIM] = {0};

        for (int axis = 0; axis < ref->ndim; axis++) {
            start[axis] = (int64_t)random_below(&r->random, (uint64_t)ref->shape[axis]);
            stop[axis] =
                start[axis] + 1 +
                (int64_t)random_below(&r->random, (uint64_t)(ref->shape[axis] - start[axis]));
        }
        reference_get(ref, start, stop, want);
        if (tess_array_read(r->a, start, stop, got, size, &r->error) == TESS_OK)
            r->wrong += memcmp(got, want, reference_box_size(ref, start, stop)) != 0;
    }
    free(want);
    free(got);
    return NULL;
}

static void
read_together(const tess_array *a, const struct reference *ref, uint64_t seed)
{
    struct reader readers[THREADS];

    memset(readers, 0, sizeof readers);
    for (int i = 0; i < THREADS; i++) {
        random_init(&readers[i].random, seed + (uint64_t)i);
        readers[i].a = a;
        readers[i].reference = ref;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_boxes, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        if (readers[i].error.status != TESS_OK)
            fail_msg("thread %d: %s", i, readers[i].error.message);
        assert_int_equal(readers[i].wrong, 0);
    }
}

static void
readers(void **state)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_ZLIB,
                                        TESS_CODEC_ZSTD};
    const uint64_t seed = random_seed();
    struct reference ref;
    tess_params params;

    (void)state;
    tess_params_init(&params);
    params.dtype = "<u4";
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        params.shape[i] = 20 + i;
        params.chunkshape[i] = 8;
        params.blockshape[i] = 4;
    }
    params.filters[4] = TESS_FILTER_DELTA;
    reference_init(&ref, 3, params.shape, 4);
    for (size_t i = 0; i < reference_size(&ref); i++)
        ref.data[i] = (uint8_t)(i % 4 < 2 ? i * i >> 8 : i >> 13);

    for (size_t i = 0; i < 2 * sizeof codecs / sizeof codecs[0]; i++) {
        tess_storage storage;
        tess_array *a = NULL;

        tess_storage_init(&storage);
        storage.mode = TESS_MODE_REPLACE;
        storage.path = i % 2 ? files_path("array.b2nd") : NULL;
        params.codec = codecs[i / 2];
        ok(tess_array_from(&storage, &params, ref.data, reference_size(&ref), &a, err));
        read_together(a, &ref, seed);
        ok(tess_array_close(a, err));
    }
    reference_finish(&ref);
}

enum { SIDE = 500, WRITES = 30 };

// An array that is written with so many threads, at once and then in boxes; its bytes.
static const void *
write_boxes(int threads, int clevel, uint64_t seed, tess_array **a, size_t *size)
{
    static uint32_t items[SIDE * SIDE];
    tess_context context;
    tess_storage storage;
    tess_params params;
    struct random r;
    const void *image;

    random_init(&r, seed);
    for (size_t i = 0; i < SIDE * SIDE; i++) // the lower half is noise
        items[i] = i < SIDE * SIDE / 2 ? (uint32_t)(i / 7) : (uint32_t)random_next(&r);
    tess_context_init(&context);
    context.threads = threads;
    context.cache = 0;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = "<u4";
    params.ndim = 2;
    params.clevel = clevel;
    for (int axis = 0; axis < 2; axis++) {
        params.shape[axis] = SIDE;
        params.chunkshape[axis] = 120;
        params.blockshape[axis] = 32;
    }
    ok(tess_array_from(&storage, &params, items, sizeof items, a, err));
    for (int i = 0; i < WRITES; i++) {
        int64_t start[2], stop[2];
        for (int axis = 0; axis < 2; axis++) {
            start[axis] = (int64_t)random_below(&r, SIDE);
            stop[axis] =
                start[axis] + 1 + (int64_t)random_below(&r, (uint64_t)(SIDE - start[axis]));
        }
        ok(tess_array_write(*a, start, stop, items, sizeof items, err));
    }
    ok(tess_array_image(*a, &image, size, err));
    return image;
}

// What is stored does not depend on who encodes it.
static void
writers(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int clevel = 0; clevel < 6; clevel += 5) {
        tess_array *alone, *together;
        size_t alone_size, together_size;
        const void *const one = write_boxes(1, clevel, seed, &alone, &alone_size);
        const void *const four = write_boxes(4, clevel, seed, &together, &together_size);
        assert_int_equal(alone_size, together_size);
        assert_memory_equal(one, four, alone_size);
        ok(tess_array_close(alone, err));
        ok(tess_array_close(together, err));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(readers, files_setup, files_teardown),
        cmocka_unit_test(writers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
