/*
 * chunk_options.c - one chunk with plugins, threads, the shape of its blocks, and parts of items.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { CODEC = 200, FILTER = 201, HEADER_SIZE = 32 };

static int mark;

// -- a codec that keeps every second byte of pairs that are equal, and a filter that adds a number

static tess_status
halve(const tess_block *block, const void *src, size_t src_size, void *dst, size_t dst_size,
      size_t *made)
{
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    assert_ptr_equal(block->user, &mark);
    assert_int_equal(block->meta, 7);
    *made = 0;
    if (src_size % 2 != 0 || src_size / 2 > dst_size)
        return TESS_OK;
    for (size_t i = 0; i < src_size / 2; i++) {
        if (from[2 * i] != from[2 * i + 1])
            return TESS_OK;
        to[i] = from[2 * i];
    }
    *made = src_size / 2;
    return TESS_OK;
}

static tess_status
duplicate(const tess_block *block, const void *src, size_t src_size, void *dst, size_t dst_size)
{
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    (void)block;
    if (src_size * 2 != dst_size)
        return TESS_ERR_CORRUPT;
    for (size_t i = 0; i < dst_size; i++)
        to[i] = from[i / 2];
    return TESS_OK;
}

static tess_status
add(const tess_block *block, const void *src, void *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] + block->meta);
    return TESS_OK;
}

static tess_status
subtract(const tess_block *block, const void *src, void *dst, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(((const uint8_t *)src)[i] - block->meta);
    return TESS_OK;
}

static const tess_user_codec codec = {
    .struct_size = sizeof codec,
    .id = CODEC,
    .name = "halve",
    .user = &mark,
    .decompress = duplicate,
};
static const tess_user_filter filter = {
    .struct_size = sizeof filter,
    .id = FILTER,
    .name = "add",
    .forward = add,
    .backward = subtract,
};

static void
plugins(void **state)
{
    tess_user_codec own = codec;
    tess_plugins lists = {&own, 1, &filter, 1};
    tess_chunk_options o;
    tess_params p;
    uint8_t items[4000], chunk[4100], back[4000], part[10];
    size_t n;

    (void)state;
    own.compress = halve;
    for (size_t i = 0; i < sizeof items; i++)
        items[i] = (uint8_t)(i / 2);
    tess_params_init(&p);
    p.codec = CODEC;
    p.codec_meta = 7;
    memset(p.filters, 0, sizeof p.filters);
    p.filters[5] = FILTER;
    p.filters_meta[5] = 9;
    tess_chunk_options_init(&o);
    refused(TESS_ERR_UNSUPPORTED,
            tess_chunk_encode_with(&p, &o, items, sizeof items, chunk, sizeof chunk, &n, err));
    o.plugins = &lists;
    ok(tess_chunk_encode_with(&p, &o, items, sizeof items, chunk, sizeof chunk, &n, err));
    assert_in_range(n, sizeof items / 2, sizeof items * 6 / 10);

    refused(TESS_ERR_UNSUPPORTED, tess_chunk_decode(chunk, n, back, sizeof back, err));
    ok(tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    assert_memory_equal(back, items, sizeof items);
    refused(TESS_ERR_UNSUPPORTED,
            tess_chunk_decode_items(chunk, n, 0, 1000, 1010, part, sizeof part, err));
    ok(tess_chunk_decode_items_with(chunk, n, &o, 0, 1000, 1010, part, sizeof part, err));
    assert_memory_equal(part, items + 1000, sizeof part);

    lists.ncodecs = -1;
    refused(TESS_ERR_ARG, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    lists.ncodecs = 1;
    own.decompress = NULL;
    refused(TESS_ERR_ARG, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
}

// The same bytes come out, whatever the number of threads.
static void
threads(void **state)
{
    enum { SIZE = 4 << 20 };
    static const uint8_t filters[] = {TESS_FILTER_SHUFFLE, TESS_FILTER_BITSHUFFLE,
                                      TESS_FILTER_DELTA};
    static const tess_codec codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_ZSTD, TESS_CODEC_BLOSCLZ};
    struct random r;
    uint8_t *const items = malloc(SIZE), *const back = malloc(SIZE);
    const size_t bound = tess_chunk_bound(SIZE);
    uint8_t *const alone = malloc(bound), *const together = malloc(bound);
    tess_context context;
    tess_chunk_options o;

    (void)state;
    random_init(&r, random_seed());
    tess_context_init(&context);
    context.threads = 4;
    tess_chunk_options_init(&o);
    o.context = &context;
    for (size_t i = 0; i < COUNT(filters) * COUNT(codecs) * 3; i++) {
        tess_params p;
        size_t n, m;
        tess_params_init(&p);
        p.typesize = 4;
        p.clevel = 3;
        p.codec = codecs[i % COUNT(codecs)];
        p.filters[5] = filters[i / COUNT(codecs) % COUNT(filters)];
        p.dictionary = i % 2 == 0 && p.codec != TESS_CODEC_BLOSCLZ;
        p.dictionary_always = i % 3 == 0;
        p.ndim = 1;
        p.blockshape[0] = 1000 + (int64_t)random_below(&r, 20000);
        if (i / (COUNT(filters) * COUNT(codecs)) == 2) // which do not get smaller
            random_bytes(&r, items, SIZE);
        else
            random_repetitive(&r, items, SIZE);
        ok(tess_chunk_encode(&p, items, SIZE, alone, bound, &n, err));
        ok(tess_chunk_encode_with(&p, &o, items, SIZE, together, bound, &m, err));
        assert_int_equal(m, n);
        assert_memory_equal(together, alone, n);
        memset(back, 0, SIZE);
        ok(tess_chunk_decode_with(together, n, &o, back, SIZE, err));
        assert_memory_equal(back, items, SIZE);
        together[n / 2] ^= 0x55; // damage is found, or not; nothing outside is touched
        assert_int_not_equal(tess_chunk_decode_with(together, n, &o, back, SIZE, NULL),
                             TESS_ERR_ARG);
    }
    free(items);
    free(back);
    free(alone);
    free(together);
}

static void
shapes(void **state)
{
    enum { SIDE = 16, ITEMS = 4 * SIDE * SIDE };
    uint16_t items[ITEMS], back[ITEMS];
    uint8_t chunk[3000];
    tess_chunk_options o;
    tess_params p;
    size_t n;

    (void)state;
    for (int i = 0; i < ITEMS; i++)
        items[i] = (uint16_t)(i / 7);
    tess_params_init(&p);
    p.dtype = "<u2";
    p.ndim = 2;
    p.blockshape[0] = p.blockshape[1] = SIDE;
    p.filters[0] = TESS_FILTER_NDCELL;
    p.filters_meta[0] = 4;
    ok(tess_chunk_encode(&p, items, sizeof items, chunk, sizeof chunk, &n, err));
    tess_chunk_options_init(&o);
    refused(TESS_ERR_UNSUPPORTED, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    o.ndim = 2;
    o.blockshape[0] = o.blockshape[1] = SIDE;
    refused(TESS_ERR_ARG, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    o.typesize = 2;
    ok(tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    assert_memory_equal(back, items, sizeof items);
    o.blockshape[1] = 0;
    refused(TESS_ERR_ARG, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
    o.ndim = TESS_MAX_NDIM + 1;
    refused(TESS_ERR_ARG, tess_chunk_decode_with(chunk, n, &o, back, sizeof back, err));
}

// Any number of bytes, whatever the size of an item.
static void
parts_of_items(void **state)
{
    struct random r;
    tess_chunk_options o;
    uint8_t items[5000], chunk[5100], back[5000];
    (void)state;
    random_init(&r, random_seed());
    tess_chunk_options_init(&o);
    o.partial_item = true;
    for (int64_t round = 0; round < random_cases(300, 10000); round++) {
        const size_t size = (size_t)random_below(&r, sizeof items);
        tess_params p;
        size_t n;
        tess_params_init(&p);
        p.typesize = 1 + (int32_t)random_below(&r, 300);
        if (round % 3 == 0) // equal bytes, whose last item is cut
            memset(items, 5, size);
        else
            random_repetitive(&r, items, size);
        if (size % (size_t)p.typesize != 0)
            refused(TESS_ERR_ARG, tess_chunk_encode(&p, items, size, chunk, sizeof chunk, &n, err));
        ok(tess_chunk_encode_with(&p, &o, items, size, chunk, sizeof chunk, &n, err));
        assert_in_range(n, HEADER_SIZE, size + HEADER_SIZE);
        memset(back, 0, sizeof back);
        ok(tess_chunk_decode(chunk, n, back, size, err));
        assert_memory_equal(back, items, size);
    }
}

// What calls leave for others changes nothing but the time they take.
static void
kept_scratch(void **state)
{
    static const int codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_ZSTD, TESS_CODEC_ZLIB,
                                 TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4HC};
    enum { MOST = 300000 };
    static uint8_t items[MOST], back[MOST], chunk[MOST + 100], again[MOST + 100];
    struct random r;
    tess_chunk_options o;
    (void)state;
    random_init(&r, random_seed());
    tess_chunk_options_init(&o);
    o.partial_item = true;
    for (int64_t round = 0; round < random_cases(200, 3000); round++) {
        const size_t size = (size_t)random_below(&r, random_below(&r, 3) ? 5000 : MOST);
        tess_params p;
        size_t n, m;
        if (round % 50 == 0) {
            tess_chunk_scratch_close(o.scratch);
            ok(tess_chunk_scratch_open(&o.scratch, err));
        }
        random_repetitive(&r, items, size);
        tess_params_init(&p);
        p.codec = codecs[random_below(&r, COUNT(codecs))];
        p.clevel = 1 + (int)random_below(&r, 9);
        p.typesize = 1 + (int32_t)random_below(&r, 9);
        p.filters[4] = round % 3 == 0 ? TESS_FILTER_DELTA : TESS_FILTER_NONE;
        ok(tess_chunk_encode_with(&p, &o, items, size, chunk, sizeof chunk, &n, err));
        tess_chunk_scratch *const kept = o.scratch;
        o.scratch = NULL;
        ok(tess_chunk_encode_with(&p, &o, items, size, again, sizeof again, &m, err));
        o.scratch = kept;
        assert_int_equal(m, n);
        assert_memory_equal(again, chunk, n);
        again[random_below(&r, n)] ^= 0x10; // leaves nothing bad behind
        assert_int_not_equal(tess_chunk_decode_with(again, n, &o, back, MOST, NULL),
                             TESS_ERR_NOMEM);
        ok(tess_chunk_decode_with(chunk, n, &o, back, MOST, err));
        assert_memory_equal(back, items, size);
        const int64_t first = (int64_t)random_below(&r, size + 1);
        ok(tess_chunk_decode_items_with(chunk, n, &o, 1, first, (int64_t)size, back, MOST, err));
        assert_memory_equal(back, items + first, size - (size_t)first);
    }
    tess_chunk_scratch_close(o.scratch);
    tess_chunk_scratch_close(NULL);
    refused(TESS_ERR_ARG, tess_chunk_scratch_open(NULL, err));
}

// Blocks of any sizes, also alone, and as damaged bytes.
static void
records(void **state)
{
    static const int codecs[] = {TESS_CODEC_LZ4, TESS_CODEC_ZSTD, TESS_CODEC_BLOSCLZ,
                                 TESS_CODEC_ZLIB};
    static const uint8_t filters[] = {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE, TESS_FILTER_BITSHUFFLE,
                                      TESS_FILTER_DELTA};
    enum { MOST = 40 };
    struct random r;
    uint8_t items[20000], chunk[21000], back[20000];
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(400, 8000); round++) {
        const int32_t nblocks = 1 + (int32_t)random_below(&r, MOST);
        int32_t sizes[MOST];
        size_t size = 0, n, again;
        tess_chunk_info info;
        tess_params p;
        for (int32_t i = 0; i < nblocks; i++) {
            sizes[i] = 1 + (int32_t)random_below(&r, random_below(&r, 3) ? 20 : 500);
            size += (size_t)sizes[i];
        }
        if (random_below(&r, 4) == 0)
            memset(items, round % 8 == 0 ? 0 : 3, size);
        else
            random_repetitive(&r, items, size);
        tess_params_init(&p);
        p.typesize = 1 + (int32_t)random_below(&r, 9);
        p.clevel = (int)random_below(&r, 10);
        p.codec = codecs[random_below(&r, COUNT(codecs))];
        p.filters[5] = filters[random_below(&r, COUNT(filters))];
        p.dictionary =
            (p.codec == TESS_CODEC_LZ4 || p.codec == TESS_CODEC_ZSTD) && random_below(&r, 2);
        p.dictionary_always = random_below(&r, 2);
        const size_t bound =
            tess_chunk_bound(size) + 8 * (size_t)nblocks + (p.dictionary ? size / 20 + 4 : 0);
        ok(tess_chunk_encode_blocks(&p, NULL, items, size, sizes, nblocks, chunk, bound, &n, err));
        refused(TESS_ERR_ARG, tess_chunk_encode_blocks(&p, NULL, items, size, sizes, nblocks, chunk,
                                                       n - 1, &again, err));
        assert_int_equal(again, n);
        ok(tess_chunk_describe(chunk, n, &info, err));
        assert_int_equal(info.nblocks, nblocks);
        assert_int_equal(info.blocksize, 0);
        assert_int_equal(info.nbytes, size);
        ok(tess_chunk_decode(chunk, n, back, size, err));
        assert_memory_equal(back, items, size);
        ok(tess_chunk_decode_items(chunk, n, 1, sizes[0], (int64_t)size, back, size, err));
        assert_memory_equal(back, items + sizes[0], size - (size_t)sizes[0]);
        chunk[random_below(&r, n)] ^= (uint8_t)(1 + random_below(&r, 255));
        assert_int_not_equal(tess_chunk_decode(chunk, n, back, size, NULL), TESS_ERR_NOMEM);
    }
}

// Short records that have much in common are smaller with a dictionary.
static void
records_with_a_dictionary(void **state)
{
    static const tess_codec takers[] = {TESS_CODEC_ZSTD, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC};
    enum { RECORDS = 200 };
    char records[RECORDS * 100], back[sizeof records];
    uint8_t chunk[2 * sizeof records];
    int32_t sizes[RECORDS];
    size_t size = 0;
    (void)state;
    for (int i = 0; i < RECORDS; i++) {
        sizes[i] =
            sprintf(records + size, "{\"number\": %d, \"name\": \"record %d\", \"kind\": %d}", i,
                    i * i, i % 3);
        size += (size_t)sizes[i];
    }
    for (size_t k = 0; k < COUNT(takers); k++) {
        tess_chunk_info info;
        tess_params p;
        size_t plain, n;
        tess_params_init(&p);
        p.codec = takers[k];
        ok(tess_chunk_encode_blocks(&p, NULL, records, size, sizes, RECORDS, chunk, sizeof chunk,
                                    &plain, err));
        p.dictionary = true;
        ok(tess_chunk_encode_blocks(&p, NULL, records, size, sizes, RECORDS, chunk, sizeof chunk,
                                    &n, err));
        assert_in_range(n, 1, plain * 3 / 4);
        ok(tess_chunk_describe(chunk, n, &info, err));
        assert_true(info.dictionary_size > 0);
        ok(tess_chunk_decode(chunk, n, back, size, err));
        assert_memory_equal(back, records, size);
        const int64_t last = (int64_t)size - sizes[RECORDS - 1];
        ok(tess_chunk_decode_items(chunk, n, 1, last, (int64_t)size, back, size, err));
        assert_memory_equal(back, records + last, (size_t)sizes[RECORDS - 1]);
    }
}

static void
records_refused(void **state)
{
    static const int32_t sizes[] = {3, 5}, bad[] = {8, 0};
    uint8_t chunk[200];
    tess_params p;
    size_t n;
    (void)state;
    tess_params_init(&p);
    ok(tess_chunk_encode_blocks(&p, NULL, "12345678", 8, sizes, 2, chunk, 200, &n, err));
    refused(TESS_ERR_ARG,
            tess_chunk_encode_blocks(&p, NULL, "1", 7, sizes, 2, chunk, 200, &n, err));
    assert_int_equal(n, 0);
    refused(TESS_ERR_ARG, tess_chunk_encode_blocks(&p, NULL, "1", 8, bad, 2, chunk, 200, &n, err));
    refused(TESS_ERR_ARG,
            tess_chunk_encode_blocks(&p, NULL, "1", 0, sizes, 0, chunk, 200, &n, err));
    refused(TESS_ERR_ARG, tess_chunk_encode_blocks(&p, NULL, "1", 8, NULL, 2, chunk, 200, &n, err));
    refused(TESS_ERR_ARG,
            tess_chunk_encode_blocks(&p, NULL, NULL, 8, sizes, 2, chunk, 200, &n, err));
    refused(TESS_ERR_ARG,
            tess_chunk_encode_blocks(NULL, NULL, "1", 8, sizes, 2, chunk, 200, &n, err));
    p.filters[0] = TESS_FILTER_NDCELL;
    p.filters_meta[0] = 2;
    refused(TESS_ERR_UNSUPPORTED,
            tess_chunk_encode_blocks(&p, NULL, "1", 8, sizes, 2, chunk, 200, &n, err));
}

static void
arguments(void **state)
{
    static const int32_t items[64] = {1, 2, 3};
    tess_context context;
    tess_chunk_options o;
    tess_params p;
    uint8_t chunk[400];
    size_t n;

    (void)state;
    tess_params_init(&p);
    tess_context_init(&context);
    tess_chunk_options_init(&o);
    assert_int_equal(o.struct_size, sizeof o);
    ok(tess_chunk_encode_with(&p, NULL, items, sizeof items, chunk, sizeof chunk, &n, err));
    o.typesize = -1;
    refused(TESS_ERR_ARG, tess_chunk_encode_with(&p, &o, items, 4, chunk, 400, &n, err));
    o.typesize = 0;
    o.context = &context;
    context.threads = -1;
    refused(TESS_ERR_ARG, tess_chunk_encode_with(&p, &o, items, 4, chunk, 400, &n, err));
    o.context = NULL;
    o.struct_size = 4;
    refused(TESS_ERR_ARG, tess_chunk_encode_with(&p, &o, items, 4, chunk, 400, &n, err));
    assert_int_equal(n, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins),         cmocka_unit_test(threads),
        cmocka_unit_test(shapes),          cmocka_unit_test(parts_of_items),
        cmocka_unit_test(arguments),       cmocka_unit_test(records),
        cmocka_unit_test(kept_scratch),    cmocka_unit_test(records_with_a_dictionary),
        cmocka_unit_test(records_refused),
    };
    return cmocka_run_group_tests_name("chunk_options", tests, NULL, NULL);
}
