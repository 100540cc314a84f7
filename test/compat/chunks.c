/*
 * chunks.c - contexts compress and decompress chunks, whole and in parts.
 */
#include "compat/compat.h"
#include "support/random.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(bad_arguments),  cmocka_unit_test(masks),
        cmocka_unit_test(equal_items), cmocka_unit_test(later_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
