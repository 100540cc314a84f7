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

// What a crowd reads: blocks that are kept and thrown out again, of all kinds of places, while
// others come and go.
struct place {
    const char *name; // NULL: memory
    tess_layout layout;
    bool mmap;
    int64_t side; // of blocks
    int clevel;
};

struct visitor {
    pthread_t thread;
    const tess_storage *storage;
    const struct reference *reference;
    tess_error error;
    int wrong;
};

// Opens the array again and again, each time to read some of it.
static void *
come_and_go(void *argument)
{
    struct visitor *const v = argument;
    const int64_t start[2] = {3, 5}, stop[2] = {150, 140};
    const size_t size = reference_box_size(v->reference, start, stop);
    uint8_t *const got = malloc(size), *const want = malloc(size);

    for (int i = 0; i < READS / 8 && got && want && v->error.status == TESS_OK; i++) {
        tess_array *a = NULL;
        if (tess_array_open(v->storage, &a, &v->error) != TESS_OK)
            break;
        reference_get(v->reference, start, stop, want);
        if (tess_array_read(a, start, stop, got, size, &v->error) == TESS_OK)
            v->wrong += memcmp(got, want, size) != 0;
        tess_array_discard(a);
    }
    free(want);
    free(got);
    return NULL;
}

static void
read_in_a_crowd(const tess_storage *storage, const struct reference *ref, uint64_t seed)
{
    struct visitor visitors[2];
    tess_array *a;

    ok(tess_array_open(storage, &a, err));
    memset(visitors, 0, sizeof visitors);
    for (int i = 0; i < 2; i++) {
        visitors[i].storage = storage;
        visitors[i].reference = ref;
        assert_int_equal(pthread_create(&visitors[i].thread, NULL, come_and_go, &visitors[i]), 0);
    }
    read_together(a, ref, seed);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(visitors[i].thread, NULL), 0);
        if (visitors[i].error.status != TESS_OK)
            fail_msg("visitor %d: %s", i, visitors[i].error.message);
        assert_int_equal(visitors[i].wrong, 0);
    }
    ok(tess_array_close(a, err));
}

static void
crowd(void **state)
{
    static const struct place places[] = {
        {NULL, TESS_LAYOUT_CONTIGUOUS, false, 8, 5},
        {NULL, TESS_LAYOUT_CONTIGUOUS, false, 50, 0},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, false, 8, 5},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, false, 50, 0},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, true, 50, 5},
        {"folder.b2nd.d", TESS_LAYOUT_SPARSE, false, 50, 5},
        {"folder.b2nd.d", TESS_LAYOUT_SPARSE, true, 8, 5},
    };
    const uint64_t seed = random_seed();
    const int64_t shape[2] = {210, 190};
    struct reference ref;

    (void)state;
    reference_init(&ref, 2, shape, 4);
    for (size_t i = 0; i < reference_size(&ref); i++)
        ref.data[i] = (uint8_t)(i % 4 < 2 ? i * i >> 8 : i >> 13);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct place *const p = &places[i];
        const void *image = NULL;
        tess_context context;
        tess_storage storage;
        tess_params params;
        tess_array *a;

        tess_context_init(&context);
        context.cache = 6 * p->side * p->side * 4; // of some hundred blocks, or some
        tess_storage_init(&storage);
        storage.context = &context;
        storage.mode = TESS_MODE_REPLACE;
        storage.path = p->name ? files_path(p->name) : NULL;
        tess_params_init(&params);
        params.dtype = "<u4";
        params.ndim = 2;
        params.layout = p->layout;
        params.clevel = p->clevel;
        for (int axis = 0; axis < 2; axis++) {
            params.shape[axis] = shape[axis];
            params.chunkshape[axis] = 100;
            params.blockshape[axis] = p->side;
        }
        ok(tess_array_from(&storage, &params, ref.data, reference_size(&ref), &a, err));
        if (!p->name)
            ok(tess_array_image(a, &image, &storage.image_size, err));
        storage.image = image;
        storage.mode = TESS_MODE_READ;
        storage.mmap = p->mmap;
        read_in_a_crowd(&storage, &ref, seed + i);
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
        cmocka_unit_test_setup_teardown(crowd, files_setup, files_teardown),
        cmocka_unit_test(writers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
