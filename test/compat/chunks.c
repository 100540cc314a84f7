/*
 * chunks.c - contexts compress and decompress chunks, whole and in parts.
 */
#include "compat/compat.h"
#include "support/random.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 200000 };

static const uint8_t codecs[] = {BLOSC_BLOSCLZ, BLOSC_LZ4, BLOSC_LZ4HC, BLOSC_ZLIB, BLOSC_ZSTD};

static blosc2_cparams
draw_cparams(struct random *r)
{
    static const uint8_t filters[] = {BLOSC_NOFILTER, BLOSC_SHUFFLE, BLOSC_BITSHUFFLE, BLOSC_DELTA};
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    c.compcode = codecs[random_below(r, COUNT(codecs))];
    c.clevel = (uint8_t)random_below(r, 10);
    c.typesize = 1 + (int32_t)random_below(r, random_below(r, 4) ? 16 : 400);
    c.nthreads = (int16_t)(1 + random_below(r, 3));
    c.blocksize = random_below(r, 2) ? 0 : 1 + (int32_t)random_below(r, 50000);
    c.splitmode = 1 + (int32_t)random_below(r, 4);
    c.use_dict = (c.compcode == BLOSC_LZ4 || c.compcode == BLOSC_ZSTD) && random_below(r, 4) == 0;
    for (int i = 4; i < BLOSC2_MAX_FILTERS; i++)
        c.filters[i] = filters[random_below(r, COUNT(filters))];
    return c;
}

static int32_t
draw_items(struct random *r, uint8_t *items)
{
    const int32_t size = (int32_t)random_below(r, random_below(r, 3) ? SIZE : 100);
    switch (random_below(r, 4)) {
    case 0:
        random_bytes(r, items, (size_t)size);
        break;
    case 1:
        memset(items, (int)random_below(r, 3), (size_t)size);
        break;
    default:
        random_repetitive(r, items, (size_t)size);
    }
    return size;
}

static void
check_parts(struct random *r, blosc2_context *dctx, const uint8_t *chunk, int32_t cbytes,
            const uint8_t *items, int32_t size)
{
    const int32_t typesize = chunk[BLOSC2_CHUNK_TYPESIZE];
    const int32_t nitems = size / typesize;
    for (int i = 0; i < 3; i++) {
        const int start = (int)random_below(r, (uint64_t)nitems + 1);
        const int n = (int)random_below(r, (uint64_t)(nitems - start) + 1);
        const int32_t bytes = n * typesize;
        uint8_t *const part = malloc((size_t)bytes + 1);
        assert_int_equal(blosc2_getitem_ctx(dctx, chunk, cbytes, start, n, part, bytes), bytes);
        assert_memory_equal(part, items + start * typesize, (size_t)bytes);
        memset(part, 0, (size_t)bytes);
        assert_int_equal(
            blosc2_getitem_bytes_ctx(dctx, chunk, cbytes, start * typesize, bytes, part, bytes),
            bytes);
        assert_memory_equal(part, items + start * typesize, (size_t)bytes);
        free(part);
    }
}

static void
round_trips(void **state)
{
    struct random r;
    uint8_t *const items = malloc(SIZE), *const back = malloc(SIZE);
    uint8_t *const chunk = malloc(SIZE + BLOSC2_MAX_OVERHEAD);
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(300, 6000); round++) {
        const blosc2_cparams cparams = draw_cparams(&r);
        blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
        const int32_t size = draw_items(&r, items), room = size + BLOSC2_MAX_OVERHEAD;
        int32_t nbytes, cbytes, blocksize;
        dparams.nthreads = cparams.nthreads;
        blosc2_context *const cctx = blosc2_create_cctx(cparams);
        blosc2_context *const dctx = blosc2_create_dctx(dparams);
        assert_true(cctx && dctx);
        const int n = blosc2_compress_ctx(cctx, items, size, chunk, room);
        assert_in_range(n, BLOSC_EXTENDED_HEADER_LENGTH, room);
        assert_good(blosc2_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize));
        assert_int_equal(nbytes, size);
        assert_int_equal(cbytes, n);
        assert_in_range(blocksize, 1, size > 0 ? size : 1);
        memset(back, 0x5a, SIZE);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, size), size);
        assert_memory_equal(back, items, (size_t)size);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, room, back, SIZE), size);
        check_parts(&r, dctx, chunk, n, items, size);
        if (n > BLOSC_EXTENDED_HEADER_LENGTH) // does not fit: 0, not an error
            assert_int_equal(blosc2_compress_ctx(cctx, items, size, chunk, n - 1), 0);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
    free(items);
    free(back);
    free(chunk);
}

static void
bad_arguments(void **state)
{
    int32_t items[100] = {1, 2, 3}, back[100];
    uint8_t chunk[500];
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    (void)state;
    c.typesize = 4;
    blosc2_context *const cctx = blosc2_create_cctx(c);
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    const int n = blosc2_compress_ctx(cctx, items, sizeof items, chunk, sizeof chunk);
    assert_in_range(n, 33, sizeof items);

    assert_int_equal(blosc2_compress_ctx(NULL, items, 4, chunk, 500), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_compress_ctx(cctx, NULL, 4, chunk, 500), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_compress_ctx(cctx, items, 4, NULL, 500), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_compress_ctx(dctx, items, 4, chunk, 500), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_compress_ctx(cctx, items, -1, chunk, 500), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_compress_ctx(cctx, items, INT32_MAX, chunk, 500),
                     BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED);
    assert_int_equal(blosc2_compress_ctx(cctx, items, 4, chunk, 31),
                     BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED);

    assert_int_equal(blosc2_decompress_ctx(NULL, chunk, n, back, 400), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_decompress_ctx(dctx, NULL, n, back, 400), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, NULL, 400), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_decompress_ctx(cctx, chunk, n, back, 400), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 15, back, 400), BLOSC2_ERROR_READ_BUFFER);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 31, back, 400), BLOSC2_ERROR_READ_BUFFER);
    assert_true(blosc2_decompress_ctx(dctx, chunk, n - 1, back, 400) < 0);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, 399), BLOSC2_ERROR_WRITE_BUFFER);

    assert_int_equal(blosc2_getitem_ctx(NULL, chunk, n, 0, 1, back, 4), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 0, 0, NULL, 0), 0);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 0, 1, NULL, 4), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 0, 2, back, 7), BLOSC2_ERROR_WRITE_BUFFER);
    static const struct {
        int start, nitems;
    } outside[] = {{-1, 1}, {0, -1}, {0, 101}, {100, 1}, {INT_MAX, 1}, {1, INT_MAX}};
    for (size_t i = 0; i < COUNT(outside); i++)
        assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, outside[i].start, outside[i].nitems,
                                            back, sizeof back),
                         BLOSC2_ERROR_INVALID_PARAM);
    static const int32_t parts[][2] = {{-4, 4}, {0, -4}, {2, 4}, {0, 6}, {400, 4}};
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_int_equal(
            blosc2_getitem_bytes_ctx(dctx, chunk, n, parts[i][0], parts[i][1], back, sizeof back),
            BLOSC2_ERROR_INVALID_PARAM);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
    blosc2_free_ctx(NULL);
}

static void
bad_parameters(void **state)
{
    const struct {
        const char *why;
        uint8_t clevel;
        int32_t typesize, blocksize;
        uint8_t codec;
        int use_dict;
        int code;
    } bads[] = {
        {"level 10", 10, 4, 0, BLOSC_LZ4, 0, BLOSC2_ERROR_CODEC_PARAM},
        {"no item", 5, 0, 0, BLOSC_LZ4, 0, BLOSC2_ERROR_INVALID_PARAM},
        {"a negative item", 5, -4, 0, BLOSC_LZ4, 0, BLOSC2_ERROR_INVALID_PARAM},
        {"a large item", 5, BLOSC2_MAXTYPESIZE + 1, 0, BLOSC_LZ4, 0, BLOSC2_ERROR_INVALID_PARAM},
        {"a negative block", 5, 4, -1, BLOSC_LZ4, 0, BLOSC2_ERROR_INVALID_PARAM},
        {"no such codec", 5, 4, 0, 200, 0, BLOSC2_ERROR_CODEC_SUPPORT},
        {"no dictionaries", 5, 4, 0, BLOSC_ZLIB, 1, BLOSC2_ERROR_CODEC_PARAM},
    };
    int32_t items[100] = {1, 2, 3};
    uint8_t chunk[500];
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    (void)state;
    for (size_t i = 0; i < COUNT(bads); i++) {
        c.clevel = bads[i].clevel;
        c.typesize = bads[i].typesize;
        c.blocksize = bads[i].blocksize;
        c.compcode = bads[i].codec;
        c.use_dict = bads[i].use_dict;
        blosc2_context *const cctx = blosc2_create_cctx(c);
        assert_non_null(cctx);
        const int rc = blosc2_compress_ctx(cctx, items, sizeof items, chunk, sizeof chunk);
        if (rc != bads[i].code)
            fail_msg("%s: %d", bads[i].why, rc);
        blosc2_free_ctx(cctx);
    }
    c = BLOSC2_CPARAMS_DEFAULTS;
    c.filters[0] = BLOSC_LAST_FILTER;
    assert_null(blosc2_create_cctx(c));
    c.filters[0] = BLOSC_LAST_REGISTERED_FILTER + 1;
    assert_null(blosc2_create_cctx(c));
    c = BLOSC2_CPARAMS_DEFAULTS;
    c.tuner_id = 32;
    assert_null(blosc2_create_cctx(c));
    c = BLOSC2_CPARAMS_DEFAULTS;
    c.instr_codec = true;
    assert_null(blosc2_create_cctx(c));
}

// Chunks of a later version are read if their flags are known.
static void
later_versions(void **state)
{
    int32_t items[100], back[100];
    uint8_t chunk[500];
    blosc2_context *const cctx = blosc2_create_cctx(BLOSC2_CPARAMS_DEFAULTS);
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    (void)state;
    for (int i = 0; i < 100; i++)
        items[i] = i;
    const int n = blosc2_compress_ctx(cctx, items, sizeof items, chunk, sizeof chunk);
    chunk[BLOSC2_CHUNK_VERSION] = BLOSC2_VERSION_FORMAT + 1;
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, sizeof back), sizeof back);
    assert_memory_equal(back, items, sizeof back);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 3, 2, back, sizeof back), 16);
    assert_memory_equal(back, items + 6, 16);
    assert_int_equal(blosc2_getitem_bytes_ctx(dctx, chunk, n, 16, 8, back, sizeof back), 8);
    assert_memory_equal(back, items + 4, 8);
    chunk[BLOSC2_CHUNK_BLOSC2_FLAGS2] = 2;
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, sizeof back),
                     BLOSC2_ERROR_VERSION_SUPPORT);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 3, 2, back, sizeof back),
                     BLOSC2_ERROR_VERSION_SUPPORT);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
}

static void
parameters_come_back(void **state)
{
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS, c2;
    blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS, d2;
    (void)state;
    c.compcode = BLOSC_ZSTD;
    c.clevel = 7;
    c.blocksize = 4096;
    c.nthreads = 3;
    c.filters_meta[2] = 9;
    d.nthreads = 2;
    d.typesize = 16;
    blosc2_context *const cctx = blosc2_create_cctx(c), *const dctx = blosc2_create_dctx(d);
    assert_good(blosc2_ctx_get_cparams(cctx, &c2));
    assert_true(c2.compcode == c.compcode && c2.clevel == 7 && c2.blocksize == 4096);
    assert_true(c2.nthreads == 3 && c2.filters_meta[2] == 9 && c2.typesize == 8);
    assert_good(blosc2_ctx_get_dparams(dctx, &d2));
    assert_true(d2.nthreads == 2 && d2.typesize == 16 && !d2.postfilter);
    assert_int_equal(blosc2_ctx_get_cparams(NULL, &c2), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_ctx_get_cparams(cctx, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_ctx_get_dparams(dctx, NULL), BLOSC2_ERROR_NULL_POINTER);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
}

static void
masks(void **state)
{
    enum { BLOCK = 4000, NBLOCKS = 11, BYTES = BLOCK * (NBLOCKS - 1) + 1000 };
    static uint8_t items[BYTES], back[BYTES], chunk[BYTES + BLOSC2_MAX_OVERHEAD];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    random_repetitive(&r, items, BYTES);
    for (int round = 0; round < 60; round++) {
        bool mask[NBLOCKS];
        blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
        c.typesize = 4;
        c.blocksize = BLOCK;
        c.clevel = (uint8_t)(round % 3 * 4); // also a chunk that is stored plainly
        c.filters[4] = round % 2 ? BLOSC_DELTA : BLOSC_NOFILTER;
        blosc2_context *const cctx = blosc2_create_cctx(c);
        blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
        const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
        assert_true(n > 0);
        for (int i = 0; i < NBLOCKS; i++)
            mask[i] = random_below(&r, 2);
        assert_good(blosc2_set_maskout(dctx, mask, NBLOCKS));
        memset(back, 0xa5, BYTES);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        for (int i = 0; i < BYTES; i++)
            assert_int_equal(back[i], mask[i / BLOCK] ? 0xa5 : items[i]);
        // It was for one call.
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        assert_memory_equal(back, items, BYTES);
        assert_good(blosc2_set_maskout(dctx, mask, NBLOCKS - 1));
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BLOSC2_ERROR_DATA);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        assert_int_equal(blosc2_set_maskout(dctx, mask, -1), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_set_maskout(dctx, NULL, 1), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(blosc2_set_maskout(NULL, mask, 1), BLOSC2_ERROR_NULL_POINTER);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
}

static void
equal_items(void **state)
{
    static const double value = 2.5;
    double back[20];
    uint8_t chunk[40];
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    (void)state;
    assert_int_equal(blosc2_chunk_zeros(c, sizeof back, chunk, 40), 32);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, back, sizeof back), sizeof back);
    assert_true(back[0] == 0 && back[19] == 0);
    assert_int_equal(blosc2_chunk_nans(c, sizeof back, chunk, 40), 32);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, back, sizeof back), sizeof back);
    assert_true(back[0] != back[0] && back[19] != back[19]);
    assert_int_equal(blosc2_chunk_repeatval(c, sizeof back, chunk, 40, &value), 40);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 40, back, sizeof back), sizeof back);
    assert_true(back[0] == value && back[19] == value);
    assert_int_equal(blosc2_getitem_ctx(dctx, chunk, 40, 3, 2, back, 16), 16);
    assert_int_equal(blosc2_chunk_uninit(c, sizeof back, chunk, 40), 32);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, back, sizeof back), sizeof back);
    assert_int_equal(chunk[BLOSC2_CHUNK_BLOSC2_FLAGS] >> 4, BLOSC2_SPECIAL_UNINIT);
    assert_int_equal(blosc2_chunk_zeros(c, 0, chunk, 40), 32);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, NULL, 0), 0);

    assert_int_equal(blosc2_chunk_zeros(c, 160, chunk, 31), BLOSC2_ERROR_DATA);
    assert_int_equal(blosc2_chunk_repeatval(c, 160, chunk, 39, &value), BLOSC2_ERROR_DATA);
    assert_int_equal(blosc2_chunk_zeros(c, 161, chunk, 40), BLOSC2_ERROR_DATA);
    assert_int_equal(blosc2_chunk_uninit(c, 161, chunk, 40), BLOSC2_ERROR_DATA);
    assert_int_equal(blosc2_chunk_zeros(c, -8, chunk, 40), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_chunk_zeros(c, 160, NULL, 40), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_chunk_repeatval(c, 160, chunk, 40, NULL), BLOSC2_ERROR_NULL_POINTER);
    c.typesize = 0;
    assert_int_equal(blosc2_chunk_zeros(c, 160, chunk, 40), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_chunk_repeatval(c, 160, chunk, 40, &value), BLOSC2_ERROR_INVALID_PARAM);
    c.typesize = 2;
    assert_int_equal(blosc2_chunk_nans(c, 160, chunk, 40), BLOSC2_ERROR_DATA);
    blosc2_free_ctx(dctx);
}

// Threads of the program: jobs run one after the other, the last first, or side by side.
enum order { FORWARD, BACKWARD, SIDE_BY_SIDE, ORDERS };

struct jobs {
    int calls, jobs;
    enum order order;
};

struct job {
    void (*dojob)(void *);
    void *data;
};

static void *
run_job(void *arg)
{
    const struct job *const job = arg;
    job->dojob(job->data);
    return NULL;
}

static void
run_jobs(void *user, void (*dojob)(void *), int numjobs, size_t size, void *data)
{
    struct jobs *const jobs = user;
    struct job list[8];
    pthread_t threads[8];
    jobs->calls++;
    jobs->jobs += numjobs;
    assert_in_range(numjobs, 1, COUNT(list));
    for (int i = 0; i < numjobs; i++) {
        const int n = jobs->order == BACKWARD ? numjobs - 1 - i : i;
        list[i] = (struct job){dojob, (char *)data + (size_t)n * size};
        if (jobs->order == SIDE_BY_SIDE)
            assert_int_equal(pthread_create(&threads[i], NULL, run_job, &list[i]), 0);
        else
            run_job(&list[i]);
    }
    for (int i = 0; i < numjobs && jobs->order == SIDE_BY_SIDE; i++)
        pthread_join(threads[i], NULL);
}

static atomic_int nfiltered; // blocks

static int
count_forward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta, blosc2_cparams *cparams,
              uint8_t id)
{
    (void)meta, (void)cparams, (void)id;
    nfiltered++;
    memcpy(dst, src, (size_t)size);
    return 0;
}

static int
count_backward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta,
               blosc2_dparams *dparams, uint8_t id)
{
    (void)meta, (void)dparams, (void)id;
    nfiltered++;
    memcpy(dst, src, (size_t)size);
    return 0;
}

static void
threads_of_the_program(void **state)
{
    static char name[] = "count";
    blosc2_filter filter = {250, name, 1, count_forward, count_backward};
    enum { BYTES = 4 << 20 };
    uint8_t *const items = malloc(BYTES), *const back = malloc(BYTES);
    uint8_t *const chunk = malloc(BYTES + BLOSC2_MAX_OVERHEAD);
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS;
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        items[i] = (uint8_t)(i % 8 == 0 ? i / 8 * i / 64 : 0);
    c.nthreads = d.nthreads = 4;
    c.blocksize = BYTES / 64;
    c.filters[0] = 250;
    assert_good(blosc2_register_filter(&filter));
    for (enum order order = FORWARD; order < ORDERS; order++) {
        struct jobs jobs = {.order = order};
        blosc2_context *const cctx = blosc2_create_cctx(c), *const dctx = blosc2_create_dctx(d);
        blosc2_set_threads_callback(run_jobs, &jobs);
        const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, BYTES + BLOSC2_MAX_OVERHEAD);
        assert_in_range(n, 32, BYTES + BLOSC2_MAX_OVERHEAD);
        assert_int_equal(nfiltered, 64);
        memset(back, 1, BYTES);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        assert_int_equal(nfiltered, 128); // once by all jobs together
        nfiltered = 0;
        assert_memory_equal(back, items, BYTES);
        assert_int_equal(jobs.calls, 2);
        assert_int_equal(jobs.jobs, 8);
        blosc2_set_threads_callback(NULL, NULL);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        assert_int_equal(jobs.calls, 2);
        nfiltered = 0;
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
    blosc2_destroy();
    free(items);
    free(back);
    free(chunk);
}

// Without a size that is asked for, blocks have those of c-blosc2.
static void
sizes_of_blocks(void **state)
{
    static const struct {
        uint8_t codec, clevel, filter;
        int32_t typesize, nbytes, blocksize;
    } known[] = {
        {BLOSC_LZ4, 5, BLOSC_SHUFFLE, 4, 4000000, 262144},
        {BLOSC_LZ4, 1, BLOSC_SHUFFLE, 4, 4000000, 131072},
        {BLOSC_LZ4, 9, BLOSC_SHUFFLE, 16, 8000000, 4194304},
        {BLOSC_LZ4, 5, BLOSC_SHUFFLE, 4, 100, 100},
        {BLOSC_LZ4, 5, BLOSC_BITSHUFFLE, 4, 4000000, 131072},
        {BLOSC_ZSTD, 5, BLOSC_BITSHUFFLE, 4, 4000000, 262144},
        {BLOSC_ZSTD, 9, BLOSC_SHUFFLE, 4, 4000000, 1048576},
        {BLOSC_BLOSCLZ, 9, BLOSC_NOFILTER, 4, 4000000, 262144},
        {BLOSC_LZ4, 5, BLOSC_SHUFFLE, 7, 100001, 99995},
        {BLOSC_LZ4, 5, BLOSC_SHUFFLE, 8, 4, 1},
    };
    uint8_t chunk[BLOSC2_MAX_OVERHEAD];
    int32_t blocksize;
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
        c.compcode = known[i].codec;
        c.clevel = known[i].clevel;
        c.filters[5] = known[i].filter;
        c.typesize = known[i].typesize;
        const int32_t whole = known[i].nbytes - known[i].nbytes % known[i].typesize;
        assert_int_equal(blosc2_chunk_zeros(c, whole, chunk, sizeof chunk), 32);
        assert_good(blosc2_cbuffer_sizes(chunk, NULL, NULL, &blocksize));
        assert_int_equal(blocksize, known[i].blocksize);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(parameters_come_back),
        cmocka_unit_test(masks),
        cmocka_unit_test(equal_items),
        cmocka_unit_test(threads_of_the_program),
        cmocka_unit_test(sizes_of_blocks),
        cmocka_unit_test(later_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
