/*
 * chunk_assemble.c - blocks encoded one by one, in any order, become the chunk that chunk_encode()
 * makes; and so do its stored blocks, copied as runs.
 */
#include "chunk/encode/encode.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 500, NBLOCKS_MOST = 20, BLOCK_NITEMS_MOST = 300, TYPESIZE = 4 };

static uint8_t content[NBLOCKS_MOST * BLOCK_NITEMS_MOST * TYPESIZE];

static tess_status
items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct chunk_encoder *const e = from;
    (void)err;
    memcpy(dst, content + nblock * e->h.blocksize, (size_t)e->h.blocksize);
    return TESS_OK;
}

// Zeros, runs of small numbers, or noise: each kind fills some of the blocks.
static void
draw_content(struct random *r, int32_t nblocks, int32_t blocksize)
{
    memset(content, 0, sizeof content);
    const uint64_t kinds = 1 + random_below(r, 3);
    for (int32_t i = 0; i < nblocks; i++) {
        uint8_t *const block = content + i * blocksize;
        const uint64_t kind = random_below(r, kinds);
        if (kind == 1)
            for (int32_t at = 0; at < blocksize; at += TYPESIZE)
                block[at] = (uint8_t)(at / 64 + i);
        if (kind == 2)
            random_bytes(r, block, (size_t)blocksize);
    }
}

// The same chunk, or both say that it is larger than its plain bytes.
static void
check_same(const struct assembly *x, const uint8_t *want, int32_t cbytes, enum chunk_special kind)
{
    enum chunk_special special;
    assert_int_equal(x->full, cbytes == x->e->h.nbytes + CHUNK_HEADER_SIZE && (want[2] & 2));
    if (x->full)
        return;
    assert_int_equal(assembly_end(x, &special), cbytes);
    assert_int_equal(special, kind);
    assert_memory_equal(x->dst, want, (size_t)cbytes);
}

static void
check_blocks(const struct chunk_encoder *e, struct random *r, struct chunk_scratch *s,
             const uint8_t *want, int32_t cbytes, enum chunk_special special)
{
    const struct encoding encoding = {.e = e};
    const size_t bound = (size_t)block_bound(e);
    int32_t sizes[NBLOCKS_MOST];
    uint8_t *const blocks = malloc(bound * NBLOCKS_MOST);
    uint8_t *const dst = malloc((size_t)chunk_bound(e));
    const int32_t first = (int32_t)random_below(r, (uint64_t)e->h.nblocks);
    struct assembly x;

    assert_true(blocks && dst);
    for (int32_t k = 0; k < e->h.nblocks; k++) { // in another order
        const int32_t i = (first + k) % e->h.nblocks;
        assert_int_equal(block_encode(&encoding, i, content + i * e->h.blocksize, s,
                                      blocks + (size_t)i * bound, &sizes[i], NULL),
                         TESS_OK);
        assert_in_range(sizes[i], 1, bound);
    }
    assembly_begin(&x, e, NULL, dst, chunk_bound(e));
    for (int32_t i = 0; i < e->h.nblocks; i++)
        assembly_add(&x, blocks + (size_t)i * bound, sizes[i]);
    check_same(&x, want, cbytes, special);
    free(blocks);
    free(dst);
}

static void
check_runs(const struct chunk_encoder *e, struct random *r, const uint8_t *want, int32_t cbytes)
{
    uint8_t *const dst = malloc((size_t)chunk_bound(e));
    struct chunk_header h;
    struct chunk c;
    struct assembly x;

    assert_non_null(dst);
    assert_int_equal(chunk_header_parse(want, CHUNK_HEADER_SIZE, cbytes, TYPESIZE, &h, NULL),
                     TESS_OK);
    assert_int_equal(
        chunk_open(&c, &h, want, (size_t)cbytes, &(struct chunk_surroundings){0}, NULL), TESS_OK);
    assembly_begin(&x, e, NULL, dst, chunk_bound(e));
    for (int32_t i = 0, n; i < c.h.nblocks; i += n) {
        n = 1 + (int32_t)random_below(r, (uint64_t)(c.h.nblocks - i));
        assembly_add_run(&x, c.starts + i, n, c.starts[i + n] - c.starts[i], want + c.starts[i]);
    }
    if (c.h.nblocks > 0)
        check_same(&x, want, cbytes, SPECIAL_NONE);
    chunk_close(&c);
    free(dst);
}

static void
same_chunk(void **state)
{
    struct random r;
    struct chunk_scratch s = {0};
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < ROUNDS; round++) {
        const int32_t nblocks = 1 + (int32_t)random_below(&r, NBLOCKS_MOST);
        const int32_t blocksize = TYPESIZE * (8 + (int32_t)random_below(&r, BLOCK_NITEMS_MOST - 8));
        const struct chunk_spec spec = {
            .itemsize = TYPESIZE,
            .nbytes = nblocks * blocksize,
            .blocksize = blocksize,
            .codec = random_below(&r, 2) ? TESS_CODEC_LZ4 : TESS_CODEC_ZSTD,
            .level = 5,
            .filters = {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE},
            .split = 1 + (int)random_below(&r, 3),
        };
        struct chunk_encoder e;
        enum chunk_special special;
        int32_t cbytes;

        draw_content(&r, nblocks, blocksize);
        assert_int_equal(chunk_encoder_init(&e, &spec, NULL), TESS_OK);
        uint8_t *const want = malloc((size_t)chunk_bound(&e));
        assert_non_null(want);
        const struct block_source source = {.from = &e, .items = items};
        assert_int_equal(chunk_encode(&e, &source, &s, want, &cbytes, &special, NULL), TESS_OK);
        check_blocks(&e, &r, &s, want, cbytes, special);
        if (special == SPECIAL_NONE)
            check_runs(&e, &r, want, cbytes);
        free(want);
    }
    scratch_finish(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_chunk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
