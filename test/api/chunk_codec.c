/*
 * chunk_codec.c - one chunk encoded, decoded and described without an array.
 */
#include "support/draw.h"
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROUNDS = 1500, HEADER_SIZE = 32 };

// At most some thousand bytes.
static uint8_t *
draw_some(struct random *r, size_t itemsize, size_t *size)
{
    const size_t n = (size_t)random_below(r, random_below(r, 4) ? 40 : 20000 / itemsize + 2);
    uint8_t *const items = calloc(1, n * itemsize + 1);
    *size = n * itemsize;
    draw_items(r, items, (int64_t)n, itemsize);
    return items;
}

static void
check_parts(struct random *r, const uint8_t *chunk, size_t cbytes, const uint8_t *items,
            size_t size, size_t itemsize)
{
    const int64_t n = (int64_t)(size / itemsize);
    for (int i = 0; i < 4; i++) {
        const int64_t first = (int64_t)random_below(r, (uint64_t)n + 1);
        const int64_t count = (int64_t)random_below(r, (uint64_t)(n - first) + 1);
        const size_t part = (size_t)count * itemsize;
        uint8_t *const dst = malloc(part + 1);
        const size_t told = itemsize > 255 || random_below(r, 2) ? itemsize : 0;
        ok(tess_chunk_decode_items(chunk, cbytes, told, first, first + count, dst, part, err));
        assert_memory_equal(dst, items + (size_t)first * itemsize, part);
        free(dst);
    }
}

static void
round_trips(void **state)
{
    struct random r;
    int64_t kinds[6] = {0};
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(ROUNDS, 20 * ROUNDS); round++) {
        tess_params p;
        tess_chunk_info info;
        size_t size, cbytes, again;
        draw_chunk_params(&r, 3000, &p);
        const size_t itemsize = (size_t)p.typesize;
        uint8_t *const items = draw_some(&r, itemsize, &size);
        const size_t bound = tess_chunk_bound(size);
        uint8_t *const room = malloc(bound), *const back = malloc(size + 1);
        ok(tess_chunk_encode(&p, items, size, room, bound, &cbytes, err));
        assert_in_range(cbytes, HEADER_SIZE, size + HEADER_SIZE);
        uint8_t *const chunk = malloc(cbytes); // of that size, and made without room to spare
        ok(tess_chunk_encode(&p, items, size, chunk, cbytes, &again, err));
        assert_int_equal(again, cbytes);
        assert_memory_equal(chunk, room, cbytes);
        refused(TESS_ERR_ARG, tess_chunk_encode(&p, items, size, room, cbytes - 1, &again, err));
        assert_int_equal(again, cbytes);

        ok(tess_chunk_decode(chunk, cbytes, back, size, err));
        assert_memory_equal(back, items, size);
        if (size > 0)
            refused(TESS_ERR_ARG, tess_chunk_decode(chunk, cbytes, back, size - 1, err));
        check_parts(&r, chunk, cbytes, items, size, itemsize);

        ok(tess_chunk_describe(chunk, cbytes, &info, err));
        assert_int_equal(info.nbytes, size);
        assert_int_equal(info.cbytes, cbytes);
        assert_true(info.stored);
        if (info.kind == TESS_CHUNK_BLOCKS) {
            assert_int_equal(info.codec, p.codec == TESS_CODEC_LZ4HC ? TESS_CODEC_LZ4 : p.codec);
            assert_memory_equal(info.filters, p.filters, sizeof info.filters);
            if (p.ndim > 0 && info.nblocks > 1)
                assert_int_equal(info.blocksize, p.blockshape[0] * p.typesize);
        }
        kinds[info.kind]++;
        free(chunk);
        free(room);
        free(back);
        free(items);
    }
    for (int kind = 0; kind < TESS_CHUNK_UNINIT; kind++)
        if (kind != TESS_CHUNK_NANS)
            assert_true(kinds[kind] > 20);
}

// What is encoded alone becomes a chunk of an array, and what an array hands out is decoded alone;
// also where blocks have a shape.
static void
arrays(void **state)
{
    enum { SIDE = 96, TILE = 48, BLOCK = 16 };
    tess_storage storage;
    tess_params p;
    tess_array *a;
    uint16_t items[TILE * TILE], blocks[TILE * TILE], got[TILE * TILE];
    uint8_t room[5000];
    size_t cbytes;
    void *chunk;
    const int64_t start[2] = {TILE, 0}, stop[2] = {2 * TILE, TILE};

    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.dtype = "<u2";
    p.ndim = 2;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = TILE;
        p.blockshape[i] = BLOCK;
    }
    for (int i = 0; i < TILE * TILE; i++)
        items[i] = (uint16_t)(i / TILE * 100 + i % TILE);
    for (int i = 0; i < TILE * TILE; i++) { // one block after the other
        const int block = i / (BLOCK * BLOCK), in = i % (BLOCK * BLOCK), per_row = TILE / BLOCK;
        const int y = block / per_row * BLOCK + in / BLOCK,
                  x = block % per_row * BLOCK + in % BLOCK;
        blocks[i] = items[y * TILE + x];
    }
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_chunk_encode(&p, blocks, sizeof blocks, room, sizeof room, &cbytes, err));
    ok(tess_array_set_chunk(a, 2, room, cbytes, TESS_CHUNK_UNTRUSTED, err));
    ok(tess_array_read(a, start, stop, got, sizeof got, err));
    assert_memory_equal(got, items, sizeof items);
    ok(tess_array_get_chunk(a, 2, &chunk, &cbytes, err));
    ok(tess_chunk_decode(chunk, cbytes, got, sizeof got, err));
    assert_memory_equal(got, blocks, sizeof blocks);
    tess_free(chunk);

    p.filters[0] = TESS_FILTER_NDCELL; // needs the shape of blocks
    p.filters_meta[0] = 4;
    ok(tess_chunk_encode(&p, blocks, sizeof blocks, room, sizeof room, &cbytes, err));
    refused(TESS_ERR_UNSUPPORTED, tess_chunk_decode(room, cbytes, got, sizeof got, err));
    ok(tess_array_set_chunk(a, 2, room, cbytes, TESS_CHUNK_UNTRUSTED, err));
    ok(tess_array_read(a, start, stop, got, sizeof got, err));
    assert_memory_equal(got, items, sizeof items);
    tess_array_discard(a);
}

// Each byte becomes others, and each length is cut: a status, and nothing outside of the memory.
static void
hostile(void **state)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x10, 0x08};
    struct random r;
    int64_t refusals = 0;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < random_cases(30, 600); round++) {
        tess_params p;
        size_t size, cbytes;
        uint8_t part[64];
        draw_chunk_params(&r, 3000, &p);
        uint8_t *const items = draw_some(&r, (size_t)p.typesize, &size);
        uint8_t *const chunk = malloc(tess_chunk_bound(size)), *const back = malloc(size + 1);
        ok(tess_chunk_encode(&p, items, size, chunk, tess_chunk_bound(size), &cbytes, err));
        const size_t most = cbytes < 400 ? cbytes : 400;
        for (size_t i = 0; i < most * (COUNT(masks) + 1); i++) {
            const size_t at = i / (COUNT(masks) + 1), mask = i % (COUNT(masks) + 1);
            const size_t n = mask < COUNT(masks) ? cbytes : at;
            uint8_t *const exact = malloc(n + (n == 0));
            tess_chunk_info info;
            memcpy(exact, chunk, n);
            if (mask < COUNT(masks))
                exact[at] ^= masks[mask];
            const tess_status st = tess_chunk_decode(exact, n, back, size, NULL);
            const tess_status described = tess_chunk_describe(exact, n, &info, NULL);
            const tess_status some =
                tess_chunk_decode_items(exact, n, 1, 0, 10, part, sizeof part, NULL);
            if (mask == COUNT(masks))
                assert_int_equal(described, TESS_ERR_CORRUPT);
            if (described != TESS_OK)
                assert_true(st == described && some == described);
            refusals += st != TESS_OK;
            free(exact);
        }
        free(items);
        free(chunk);
        free(back);
    }
    assert_true(refusals > 1000);
}

// A few bytes that promise half a gigabyte: nothing of that size is allocated for a part of them.
static void
promises(void **state)
{
    uint8_t chunk[HEADER_SIZE + 8] = {
        5, 1, 0x35, 4, 0x00, 0xf0, 0xff, 0x1f, 0x00, 0xf0, 0xff, 0x1f, HEADER_SIZE + 8,
    };
    tess_chunk_info info;
    int32_t item;
    (void)state;
    chunk[HEADER_SIZE] = HEADER_SIZE + 4;
    ok(tess_chunk_describe(chunk, sizeof chunk, &info, err));
    assert_int_equal(info.nblocks, 1);
    refused(TESS_ERR_LIMIT,
            tess_chunk_decode_items(chunk, sizeof chunk, 0, 0, 1, &item, sizeof item, err));
    refused(TESS_ERR_ARG, tess_chunk_decode(chunk, sizeof chunk, &item, sizeof item, err));
}

static void
arguments(void **state)
{
    static const int32_t items[64] = {1, 2, 3};
    uint8_t chunk[400], back[256];
    tess_chunk_info info;
    tess_params p, bad;
    size_t n;

    (void)state;
    tess_params_init(&p);
    p.dtype = "<i4";
    ok(tess_chunk_encode(&p, items, sizeof items, chunk, sizeof chunk, &n, err));
    const size_t size = n;
    refused(TESS_ERR_ARG, tess_chunk_encode(NULL, items, 4, chunk, 400, &n, err));
    assert_int_equal(n, 0);
    refused(TESS_ERR_ARG, tess_chunk_encode(&p, NULL, 4, chunk, 400, &n, err));
    refused(TESS_ERR_ARG, tess_chunk_encode(&p, items, 4, NULL, 400, &n, err));
    refused(TESS_ERR_ARG, tess_chunk_encode(&p, items, 4, chunk, 400, NULL, err));
    refused(TESS_ERR_ARG, tess_chunk_encode(&p, items, 6, chunk, 400, &n, err));
    bad = p;
    bad.struct_size = 3;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 4, chunk, 400, &n, err));
    bad = p;
    bad.clevel = 10;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 4, chunk, 400, &n, err));
    bad = p;
    bad.ndim = 17;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 4, chunk, 400, &n, err));
    bad = p;
    bad.ndim = 2;
    bad.blockshape[0] = 3;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 12, chunk, 400, &n, err));
    bad.blockshape[1] = 3;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 12, chunk, 400, &n, err));
    bad = p;
    bad.codec = (tess_codec)99;
    refused(TESS_ERR_UNSUPPORTED, tess_chunk_encode(&bad, items, 4, chunk, 400, &n, err));
    bad = p;
    bad.codec = TESS_CODEC_BLOSCLZ;
    bad.dictionary = true;
    refused(TESS_ERR_ARG, tess_chunk_encode(&bad, items, 4, chunk, 400, &n, err));

    refused(TESS_ERR_ARG, tess_chunk_decode(NULL, size, back, sizeof back, err));
    refused(TESS_ERR_ARG, tess_chunk_decode(chunk, size, NULL, sizeof back, err));
    ok(tess_chunk_decode(chunk, sizeof chunk, back, sizeof back, err)); // it says how many it has
    refused(TESS_ERR_CORRUPT, tess_chunk_decode(chunk, size - 1, back, sizeof back, err));
    refused(TESS_ERR_CORRUPT, tess_chunk_decode(chunk, 0, back, sizeof back, err));
    refused(TESS_ERR_ARG, tess_chunk_decode_items(chunk, size, 4, -1, 1, back, 256, err));
    refused(TESS_ERR_ARG, tess_chunk_decode_items(chunk, size, 4, 60, 65, back, 256, err));
    refused(TESS_ERR_ARG, tess_chunk_decode_items(chunk, size, 4, 0, -1, back, 256, err));
    refused(TESS_ERR_ARG, tess_chunk_decode_items(chunk, size, 4, 0, 10, back, 39, err));
    refused(TESS_ERR_ARG, tess_chunk_decode_items(chunk, size, SIZE_MAX, 0, 1, back, 256, err));
    refused(TESS_ERR_ARG,
            tess_chunk_decode_items(chunk, size, 4, INT64_MAX, INT64_MAX, back, 256, err));
    ok(tess_chunk_decode_items(chunk, size, 4, 64, 64, NULL, 0, err));
    refused(TESS_ERR_ARG, tess_chunk_describe(chunk, size, NULL, err));
    refused(TESS_ERR_ARG, tess_chunk_describe(NULL, size, &info, err));
    assert_true(tess_chunk_bound(SIZE_MAX) == SIZE_MAX && tess_chunk_bound(0) >= HEADER_SIZE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(arrays),    cmocka_unit_test(hostile),
        cmocka_unit_test(promises),    cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests_name("chunk_codec", tests, NULL, NULL);
}
