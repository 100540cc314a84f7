/*
 * vlblocks.c - chunks whose blocks differ in size.
 */
#include "compat/compat.h"
#include "support/files.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20, BYTES = 20000 };

static void
round_trips(void **state)
{
    static uint8_t items[BYTES], chunk[BYTES + 1000];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(200, 4000); round++) {
        blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
        const void *srcs[MOST];
        void *dests[MOST];
        int32_t sizes[MOST], destsizes[MOST], n, size, at = 0;
        const int32_t nblocks = 1 + (int32_t)random_below(&r, MOST);
        uint8_t *block;
        c.compcode = round % 2 ? BLOSC_ZSTD : BLOSC_LZ4;
        c.clevel = (uint8_t)random_below(&r, 10);
        c.typesize = 1 + (int32_t)random_below(&r, 8);
        c.use_dict = round % 4 == 0;
        random_repetitive(&r, items, BYTES);
        for (int32_t i = 0; i < nblocks; i++) {
            srcs[i] = items + at;
            sizes[i] = 1 + (int32_t)random_below(&r, BYTES / MOST - 1);
            at += sizes[i];
        }
        blosc2_context *const cctx = blosc2_create_cctx(c);
        blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
        const int cbytes = blosc2_vlcompress_ctx(cctx, srcs, sizes, nblocks, chunk, sizeof chunk);
        assert_in_range(cbytes, 33, sizeof chunk);
        assert_good(blosc2_vlchunk_get_nblocks(chunk, cbytes, &n));
        assert_int_equal(n, nblocks);
        assert_int_equal(blosc2_vldecompress_ctx(dctx, chunk, cbytes, dests, destsizes, MOST),
                         nblocks);
        for (int32_t i = 0; i < nblocks; i++) {
            assert_int_equal(destsizes[i], sizes[i]);
            assert_memory_equal(dests[i], srcs[i], (size_t)sizes[i]);
            free(dests[i]);
        }
        const int32_t one = (int32_t)random_below(&r, (uint64_t)nblocks);
        assert_int_equal(blosc2_vldecompress_block_ctx(dctx, chunk, cbytes, one, &block, &size),
                         sizes[one]);
        assert_int_equal(size, sizes[one]);
        assert_memory_equal(block, srcs[one], (size_t)size);
        free(block);
        assert_int_equal(blosc2_vlcompress_ctx(cctx, srcs, sizes, nblocks, chunk, cbytes - 1),
                         cbytes > 32 ? 0 : BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
}

static void
calls_refused(void **state)
{
    static const void *srcs[] = {"red", "green"}, *none[] = {"red", NULL};
    static const int32_t sizes[] = {3, 5}, empty[] = {3, 0};
    uint8_t chunk[100], plain[100], *block;
    void *dests[2];
    int32_t destsizes[2], n;
    blosc2_context *const c = blosc2_create_cctx(BLOSC2_CPARAMS_DEFAULTS);
    blosc2_context *const d = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    (void)state;
    assert_int_equal(blosc2_vlcompress_ctx(NULL, srcs, sizes, 2, chunk, 100),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_vlcompress_ctx(d, srcs, sizes, 2, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlcompress_ctx(c, NULL, sizes, 2, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlcompress_ctx(c, srcs, NULL, 2, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlcompress_ctx(c, srcs, sizes, 0, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlcompress_ctx(c, none, sizes, 2, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlcompress_ctx(c, srcs, empty, 2, chunk, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    const int size = blosc2_vlcompress_ctx(c, srcs, sizes, 2, chunk, 100);
    assert_int_equal(size, 32 + 8 + 8 + 8);

    assert_int_equal(blosc2_vldecompress_ctx(c, chunk, size, dests, destsizes, 2),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vldecompress_ctx(d, chunk, size, NULL, destsizes, 2),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vldecompress_ctx(d, chunk, size, dests, destsizes, 1),
                     BLOSC2_ERROR_WRITE_BUFFER);
    assert_true(blosc2_vldecompress_ctx(d, chunk, size - 1, dests, destsizes, 2) < 0);
    assert_int_equal(blosc2_vldecompress_block_ctx(d, chunk, size, 2, &block, &n),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vldecompress_block_ctx(d, chunk, size, -1, &block, &n),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_getitem_ctx(d, chunk, size, 0, 1, plain, 100),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vlchunk_get_nblocks(NULL, size, &n), BLOSC2_ERROR_INVALID_PARAM);

    const int other = blosc2_compress_ctx(c, "12345678", 8, plain, 100);
    assert_int_equal(blosc2_vlchunk_get_nblocks(plain, other, &n), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_vldecompress_ctx(d, plain, other, dests, destsizes, 2),
                     BLOSC2_ERROR_INVALID_PARAM);
    blosc2_free_ctx(c);
    blosc2_free_ctx(d);
}

// Each byte becomes others: an error, or blocks, and nothing outside of the memory.
static void
damaged(void **state)
{
    static const void *srcs[] = {"red", "green-green-green-green", "blue-blue-blue"};
    static const int32_t sizes[] = {3, 23, 14};
    uint8_t chunk[200];
    blosc2_context *const c = blosc2_create_cctx(BLOSC2_CPARAMS_DEFAULTS);
    blosc2_context *const d = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    int refusals = 0;
    (void)state;
    const int size = blosc2_vlcompress_ctx(c, srcs, sizes, 3, chunk, sizeof chunk);
    assert_true(size > 0);
    for (int i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint8_t *const exact = malloc((size_t)size), *block;
            void *dests[3];
            int32_t destsizes[3], one;
            memcpy(exact, chunk, (size_t)size);
            exact[i] ^= (uint8_t)(1 << bit);
            const int n = blosc2_vldecompress_ctx(d, exact, size, dests, destsizes, 3);
            refusals += n < 0;
            for (int k = 0; k < n; k++)
                free(dests[k]);
            if (blosc2_vldecompress_block_ctx(d, exact, size, 1, &block, &one) >= 0)
                free(block);
            free(exact);
        }
    assert_in_range(refusals, 100, 8 * size);
    blosc2_free_ctx(c);
    blosc2_free_ctx(d);
}

// Where the trailer of a lazy chunk of that many blocks begins, and the sizes of blocks in it.
static int32_t
trailer_of(int32_t nblocks)
{
    return BLOSC_EXTENDED_HEADER_LENGTH + 4 * nblocks;
}

static void
refuses(blosc2_context *context, const uint8_t *lazy, int32_t size, int code)
{
    uint8_t content[40], *block = NULL;
    void *dests[3];
    int32_t sizes[3], n;

    assert_int_equal(blosc2_decompress_ctx(context, lazy, size, content, sizeof content), code);
    assert_int_equal(blosc2_vldecompress_ctx(context, lazy, size, dests, sizes, 3), code);
    assert_int_equal(blosc2_vldecompress_block_ctx(context, lazy, size, 1, &block, &n), code);
    assert_null(block);
}

// Lazy chunks of files tell their number and the bytes of each block; what contradicts the table of
// blocks is refused.
static void
lazy(void **state)
{
    static const void *srcs[] = {"red", "green-green-green-green", "blue-blue-blue"};
    static const int32_t sizes[] = {3, 23, 14};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    uint8_t chunk[200], content[40], *block = NULL;
    int32_t n, bytes, sum = 0;

    (void)state;
    cparams.typesize = 1;
    blosc2_context *const c = blosc2_create_cctx(cparams);
    blosc2_context *const d = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    const int size = blosc2_vlcompress_ctx(c, srcs, sizes, 3, chunk, sizeof chunk);
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        char *const path = strdup(files_path("lazy"));
        blosc2_storage storage = {contiguous, path, &cparams, NULL, NULL};
        blosc2_schunk *const s = blosc2_schunk_new(&storage);
        uint8_t *got = NULL;
        bool needs_free = false;

        assert_int_equal(blosc2_schunk_append_chunk(s, chunk, true), 1);
        assert_int_equal(blosc2_schunk_append_chunk(s, chunk, true), 2);
        const int all = blosc2_schunk_get_lazychunk(s, 1, &got, &needs_free);
        const int32_t at = trailer_of(3);
        assert_int_equal(all, size + 12 + 3 * 4);
        assert_true(needs_free);
        assert_good(blosc2_vlchunk_get_nblocks(got, all, &n));
        assert_int_equal(n, 3);
        memcpy(&n, got + at, sizeof n);
        assert_int_equal(n, 1);
        sum = 0;
        for (int i = 0; i < 3; i++) {
            memcpy(&bytes, got + at + 12 + 4 * i, sizeof bytes);
            sum += bytes;
            assert_int_equal(blosc2_vldecompress_block_ctx(d, got, all, i, &block, &n), sizes[i]);
            assert_memory_equal(block, srcs[i], (size_t)sizes[i]);
            free(block);
        }
        assert_int_equal(sum, size - at);
        assert_int_equal(blosc2_decompress_ctx(s->dctx, got, all, content, sizeof content), 40);
        assert_memory_equal(content + 3, srcs[1], 23);
        assert_int_equal(blosc2_schunk_append_chunk(s, got, true), BLOSC2_ERROR_INVALID_PARAM);

        refuses(d, got, all - 1, BLOSC2_ERROR_READ_BUFFER);
        refuses(d, got, at + 20, BLOSC2_ERROR_READ_BUFFER);
        got[at + 12]++;
        refuses(d, got, all, BLOSC2_ERROR_INVALID_HEADER);
        got[at + 12]--;
        got[BLOSC2_CHUNK_BLOCKSIZE + 2] = 1;
        refuses(d, got, all, BLOSC2_ERROR_INVALID_HEADER);
        free(got);
        assert_good(blosc2_schunk_free(s));
        files_remove(path);
        free(path);
    }
    blosc2_free_ctx(c);
    blosc2_free_ctx(d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(calls_refused),
        cmocka_unit_test(damaged),
        cmocka_unit_test_setup_teardown(lazy, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
