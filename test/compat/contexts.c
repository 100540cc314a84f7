/*
 * contexts.c - parameters of contexts, sizes of blocks that follow from them, and threads of the
 * program.
 */
#include "compat/compat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

// -- functions of the program for blocks, on several threads

enum { FILTERED = 1 << 20, FILTERED_BLOCK = 16 << 10, FILTERING = 4 }; // bytes, threads

// What the calls of one chunk have in common.
struct filtered {
    atomic_int calls[FILTERED / FILTERED_BLOCK]; // of each block
    atomic_int wrong;
    int refused; // block; -1: none
};

// The function made block n on thread tid, with memory of its own.
static int
note(struct filtered *f, int n, int tid, const void *temporary, size_t room)
{
    f->calls[n]++;
    f->wrong += tid < 0 || tid >= FILTERING || !temporary || room < FILTERED_BLOCK;
    return n == f->refused ? 7 : 0;
}

static int
make_numbers(blosc2_prefilter_params *p)
{
    int32_t *const to = (int32_t *)(void *)p->output;
    for (int32_t i = 0; i < p->output_size / 4; i++)
        to[i] = p->output_offset / 4 + i;
    memset(p->ttmp, p->tid, p->ttmp_nbytes);
    return note(p->user_data, p->nblock, p->tid, p->ttmp, p->ttmp_nbytes);
}

static int
add_one(blosc2_postfilter_params *p)
{
    const int32_t *const from = (const int32_t *)(const void *)p->input;
    int32_t *const to = (int32_t *)(void *)p->output;
    for (int32_t i = 0; i < p->size / 4; i++)
        to[i] = from[i] + 1;
    memset(p->ttmp, p->tid, p->ttmp_nbytes);
    return note(p->user_data, p->nblock, p->tid, p->ttmp, p->ttmp_nbytes);
}

static void
check_calls(struct filtered *f)
{
    for (size_t n = 0; n < COUNT(f->calls); n++)
        assert_int_equal(f->calls[n], 1);
    assert_int_equal(f->wrong, 0);
    memset(f->calls, 0, sizeof f->calls);
}

// Each block is made once, and changed once, whatever the number of threads; a block that is
// refused ends the call.
static void
blocks_on_several_threads(void **state)
{
    static struct filtered f;
    int32_t *const items = malloc(FILTERED);
    uint8_t *const chunk = malloc(FILTERED + BLOSC2_MAX_OVERHEAD);
    (void)state;
    for (int16_t threads = 1; threads <= FILTERING; threads++) {
        blosc2_prefilter_params before = {.user_data = &f};
        blosc2_postfilter_params behind = {.user_data = &f};
        blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS;
        f.refused = -1;
        c.typesize = 4;
        c.blocksize = FILTERED_BLOCK;
        c.prefilter = make_numbers;
        c.preparams = &before;
        d.postfilter = add_one;
        d.postparams = &behind;
        c.nthreads = d.nthreads = threads;
        blosc2_context *const cctx = blosc2_create_cctx(c), *const dctx = blosc2_create_dctx(d);
        for (int k = 0; k < 2; k++) { // memory of the context is used again
            memset(items, 0, FILTERED);
            const int n =
                blosc2_compress_ctx(cctx, items, FILTERED, chunk, FILTERED + BLOSC2_MAX_OVERHEAD);
            assert_good(n);
            check_calls(&f);
            assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, items, FILTERED), FILTERED);
            check_calls(&f);
            for (int i = 0; i < FILTERED / 4; i++)
                assert_int_equal(items[i], i + 1);
        }
        f.refused = 40;
        assert_int_equal(
            blosc2_compress_ctx(cctx, items, FILTERED, chunk, FILTERED + BLOSC2_MAX_OVERHEAD),
            BLOSC2_ERROR_FILTER_PIPELINE);
        memset(f.calls, 0, sizeof f.calls);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
    free(items);
    free(chunk);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(parameters_come_back),
        cmocka_unit_test(sizes_of_blocks),
        cmocka_unit_test(threads_of_the_program),
        cmocka_unit_test(blocks_on_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
