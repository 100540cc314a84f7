/*
 * chunk_whole.c - tests of chunks that stand in memory: which sizes and limits are taken, and any
 * part of the content.
 */
#include "chunk/content.h"
#include "chunk/encode/flat.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 5000, BLOCK = 640 };

static const struct chunk_surroundings alone;

// A chunk of several blocks, the last one shorter, and what is in it.
static uint8_t *
make_chunk(uint8_t *content, size_t *size)
{
    uint8_t *chunk;
    int32_t cbytes;
    for (int i = 0; i < SIZE; i++)
        content[i] = (uint8_t)(i / 40);
    assert_int_equal(chunk_of_bytes(content, SIZE, BLOCK, &chunk, &cbytes, NULL), TESS_OK);
    *size = (size_t)cbytes;
    return chunk;
}

static void
test_parts(void **state)
{
    uint8_t content[SIZE], part[SIZE];
    struct whole_chunk w;
    struct chunk_scratch s = {.limit = BLOCK};
    struct random r;
    size_t size;
    uint8_t *const chunk = make_chunk(content, &size);

    (void)state;
    random_init(&r, random_seed());
    assert_int_equal(whole_chunk_open(&w, chunk, size, SIZE, &alone, NULL), TESS_OK);
    assert_true(w.chunk.h.nblocks > 1 && w.chunk.h.leftover > 0);
    for (int i = 0; i < 200; i++) {
        const int32_t first = (int32_t)random_below(&r, SIZE);
        const size_t n = (size_t)random_below(&r, (uint64_t)(SIZE - first) + 1);
        assert_int_equal(whole_chunk_read(&w, first, part, n, &s, NULL), TESS_OK);
        assert_memory_equal(part, content + first, n);
    }
    scratch_finish(&s);
    s = (struct chunk_scratch){.limit = BLOCK - 1};
    assert_int_equal(whole_chunk_read(&w, 0, part, 1, &s, NULL), TESS_ERR_LIMIT);
    scratch_finish(&s);
    whole_chunk_close(&w);
    free(chunk);
}

static void
test_sizes(void **state)
{
    static const struct {
        const char *what;
        int more; // bytes than the chunk has
        int64_t limit;
        tess_status want;
    } cases[] = {
        {"as it is", 0, SIZE, TESS_OK},
        {"a byte is missing", -1, SIZE, TESS_ERR_CORRUPT},
        {"a byte too many", 1, SIZE, TESS_ERR_CORRUPT},
        {"content beyond the limit", 0, SIZE - 1, TESS_ERR_LIMIT},
    };
    uint8_t content[SIZE];
    size_t size;
    uint8_t *const chunk = make_chunk(content, &size);
    uint8_t *const longer = calloc(1, size + 1);

    (void)state;
    memcpy(longer, chunk, size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole_chunk w;
        const size_t n = (size_t)((int64_t)size + cases[i].more);
        const tess_status st = whole_chunk_open(&w, longer, n, cases[i].limit, &alone, NULL);
        if (st != cases[i].want)
            fail_msg("%s: %s", cases[i].what, tess_status_name(st));
        whole_chunk_close(&w);
    }
    free(longer);
    free(chunk);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests_name("chunk_whole", tests, NULL, NULL);
}
