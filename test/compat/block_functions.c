/*
 * block_functions.c - prefilters and postfilters of contexts and super-chunks.
 */
#include "compat/compat.h"

enum { NITEMS = 10000, BYTES = 4 * NITEMS, BLOCK = 4000 };

struct seen {
    int calls;
    int64_t nchunk;
    int fail_at; // block; -1: none
};

static int
twice(blosc2_prefilter_params *p)
{
    struct seen *const seen = p->user_data;
    const int n = p->output_size / p->output_typesize;
    seen->calls++;
    seen->nchunk = p->nchunk;
    assert_int_equal(p->output_typesize, 4);
    assert_int_equal(p->output_offset, p->nblock * BLOCK);
    assert_in_range(p->ttmp_nbytes, BLOCK, 64 * BLOCK);
    memset(p->ttmp, 1, p->ttmp_nbytes);
    assert_non_null(p->ctx);
    for (int i = 0; i < n; i++)
        ((int32_t *)p->output)[i] = 2 * (p->input ? ((const int32_t *)p->input)[i] : i);
    return p->nblock == seen->fail_at;
}

static int
plus_one(blosc2_postfilter_params *p)
{
    struct seen *const seen = p->user_data;
    const int n = p->size / p->typesize;
    seen->calls++;
    seen->nchunk = p->nchunk;
    assert_int_equal(p->offset, p->nblock * BLOCK);
    assert_in_range(p->ttmp_nbytes, BLOCK, 64 * BLOCK);
    memset(p->ttmp, 1, p->ttmp_nbytes);
    for (int i = 0; i < n; i++)
        ((int32_t *)p->output)[i] = ((const int32_t *)p->input)[i] + 1;
    return p->nblock == seen->fail_at;
}

static blosc2_context *
compressing(struct seen *seen, uint8_t clevel)
{
    blosc2_prefilter_params p = {.user_data = seen};
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    c.typesize = 4;
    c.clevel = clevel;
    c.blocksize = BLOCK;
    c.prefilter = seen ? twice : NULL;
    c.preparams = &p; // copied
    return blosc2_create_cctx(c);
}

static blosc2_context *
decompressing(struct seen *seen)
{
    blosc2_postfilter_params p = {.user_data = seen};
    blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS;
    d.postfilter = seen ? plus_one : NULL;
    d.postparams = &p; // copied
    return blosc2_create_dctx(d);
}

static int32_t items[NITEMS], back[NITEMS];
static uint8_t chunk[BYTES + BLOSC2_MAX_OVERHEAD];

static void
prefilters(void **state)
{
    (void)state;
    for (uint8_t clevel = 0; clevel < 10; clevel += 3) {
        struct seen seen = {.fail_at = -1};
        blosc2_context *const cctx = compressing(&seen, clevel), *const dctx = decompressing(NULL);
        int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
        assert_true(n > 0);
        assert_int_equal(seen.calls, BYTES / BLOCK);
        assert_int_equal(seen.nchunk, -1);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        for (int i = 0; i < NITEMS; i++)
            assert_int_equal(back[i], 2 * items[i]);
        // Without a source.
        n = blosc2_compress_ctx(cctx, NULL, BYTES, chunk, sizeof chunk);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        for (int i = 0; i < NITEMS; i++)
            assert_int_equal(back[i], 2 * (i % (BLOCK / 4)));
        seen.fail_at = 3;
        assert_int_equal(blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk),
                         BLOSC2_ERROR_FILTER_PIPELINE);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
}

static void
postfilters(void **state)
{
    (void)state;
    for (uint8_t clevel = 0; clevel < 10; clevel += 3) {
        struct seen seen = {.fail_at = -1};
        blosc2_context *const cctx = compressing(NULL, clevel), *const dctx = decompressing(&seen);
        const int n = blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES), BYTES);
        assert_int_equal(seen.calls, BYTES / BLOCK);
        assert_int_equal(seen.nchunk, -1);
        for (int i = 0; i < NITEMS; i++)
            assert_int_equal(back[i], items[i] + 1);
        seen.calls = 0;
        assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 990, 20, back, BYTES), 80);
        assert_int_equal(seen.calls, 2); // blocks of 1000 items
        for (int i = 0; i < 20; i++)
            assert_int_equal(back[i], items[990 + i] + 1);
        seen.fail_at = 1;
        assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 0, 20, back, BYTES), 80);
        assert_int_equal(blosc2_getitem_ctx(dctx, chunk, n, 990, 20, back, BYTES),
                         BLOSC2_ERROR_POSTFILTER);
        assert_int_equal(blosc2_decompress_ctx(dctx, chunk, n, back, BYTES),
                         BLOSC2_ERROR_POSTFILTER);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
}

// Also chunks whose items are all equal, and blocks that a mask leaves out.
static void
postfilters_of_other_chunks(void **state)
{
    struct seen seen = {.fail_at = -1};
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_context *const dctx = decompressing(&seen);
    bool mask[BYTES / BLOCK] = {true, false, true};
    (void)state;
    c.typesize = 4;
    c.blocksize = BLOCK;
    assert_int_equal(blosc2_chunk_zeros(c, BYTES, chunk, sizeof chunk), 32);
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, back, BYTES), BYTES);
    assert_true(back[0] == 1 && back[NITEMS - 1] == 1);
    memset(back, 0, BYTES);
    seen.calls = 0;
    assert_good(blosc2_set_maskout(dctx, mask, COUNT(mask)));
    assert_int_equal(blosc2_decompress_ctx(dctx, chunk, 32, back, BYTES), BYTES);
    assert_int_equal(seen.calls, COUNT(mask) - 2);
    assert_true(back[0] == 0 && back[1000] == 1 && back[2000] == 0 && back[3000] == 1);
    blosc2_free_ctx(dctx);
}

// Functions of a super-chunk get the number of the chunk that is read or written.
static void
numbers_of_chunks(void **state)
{
    struct seen made = {.fail_at = -1}, seen = {.fail_at = -1};
    blosc2_prefilter_params pre = {.user_data = &made};
    blosc2_postfilter_params post = {.user_data = &seen};
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_storage storage = {.contiguous = true, .cparams = &c, .dparams = &d};
    (void)state;
    c.typesize = 4;
    c.blocksize = BLOCK;
    c.prefilter = twice;
    c.preparams = &pre;
    d.postfilter = plus_one;
    d.postparams = &post;
    blosc2_schunk *const sc = blosc2_schunk_new(&storage);
    assert_non_null(sc);
    for (int64_t n = 0; n < 4; n++) {
        assert_int_equal(blosc2_schunk_append_buffer(sc, items, BYTES), n + 1);
        assert_int_equal(made.nchunk, n);
    }
    for (int64_t n = 3; n >= 0; n--) {
        assert_int_equal(blosc2_schunk_decompress_chunk(sc, n, back, BYTES), BYTES);
        assert_int_equal(seen.nchunk, n);
        const int64_t start = n * NITEMS + 5;
        assert_good(blosc2_schunk_get_slice_buffer(sc, start, start + 1, back));
        assert_int_equal(seen.nchunk, n);
        assert_int_equal(back[0], 2 * items[5] + 1);
    }
    assert_good(blosc2_schunk_set_slice_buffer(sc, 2 * NITEMS, 3 * NITEMS, items));
    assert_int_equal(made.nchunk, 2);
    blosc2_schunk_free(sc);
}

static void
refused(void **state)
{
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams d = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_prefilter_params p = {.output_typesize = 8};
    (void)state;
    c.prefilter = twice;
    assert_null(blosc2_create_cctx(c));
    d.postfilter = plus_one;
    assert_null(blosc2_create_dctx(d));
    c.typesize = 4;
    c.preparams = &p; // larger items than the chunk has
    blosc2_context *const cctx = blosc2_create_cctx(c);
    assert_int_equal(blosc2_compress_ctx(cctx, items, BYTES, chunk, sizeof chunk),
                     BLOSC2_ERROR_INVALID_PARAM);
    blosc2_free_ctx(cctx);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefilters),
        cmocka_unit_test(postfilters),
        cmocka_unit_test(postfilters_of_other_chunks),
        cmocka_unit_test(numbers_of_chunks),
        cmocka_unit_test(refused),
    };
    for (int i = 0; i < NITEMS; i++)
        items[i] = i * 3 / 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
