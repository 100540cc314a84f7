/*
 * plugins_blocks.c - the blocks that a filter of the program is given, and what becomes of zeros
 * that it makes.
 */
#include "support/files.h"
#include "support/plugin_arrays.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLIP = 160, ODD_BLOCK = 30, ODD_SIZE = 20 * ODD_BLOCK };

static const uint8_t flipped = 0xaa;

static tess_status
flip(const tess_block *block, const void *src, void *dst, size_t size)
{
    (void)block;
    if ((uintptr_t)src % alignof(max_align_t) != 0 || (uintptr_t)dst % alignof(max_align_t) != 0)
        return TESS_ERR_LIMIT;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i] ^ flipped;
    return TESS_OK;
}

static tess_user_filter
flip_filter(void)
{
    tess_user_filter filter;
    tess_user_filter_init(&filter);
    filter.id = FLIP;
    filter.name = "flip";
    filter.forward = filter.backward = flip;
    return filter;
}

// Zeros behind a filter are no chunk of zeros: written at once, in part, as items of several bytes.
static void
zeros_of_a_filter(void **state)
{
    const tess_user_filter filter = flip_filter();
    const tess_plugins plugins = {NULL, 0, &filter, 1};
    const int64_t start[2] = {0, 0}, part[2] = {7, 20}, stop[2] = {20, 20};
    (void)state;
    for (int typesize = 1; typesize <= 300; typesize += 299) {
        const size_t size = 400 * (size_t)typesize;
        uint8_t *const items = malloc(size), *const got = malloc(size);
        tess_storage storage;
        tess_params p;
        tess_array *a;
        assert_non_null(items);
        assert_non_null(got);
        tess_storage_init(&storage);
        storage.plugins = &plugins;
        tess_params_init(&p);
        p.ndim = 2;
        p.shape[0] = p.shape[1] = 20;
        p.chunkshape[0] = p.chunkshape[1] = 10;
        p.blockshape[0] = p.blockshape[1] = 5;
        p.typesize = typesize;
        p.filters[4] = FLIP;
        p.filters[5] = TESS_FILTER_SHUFFLE;
        memset(items, flipped, size);
        ok(tess_array_from(&storage, &p, items, size, &a, err));
        ok(tess_array_read(a, start, stop, got, size, err));
        assert_memory_equal(got, items, size);
        ok(tess_array_close(a, err));

        ok(tess_array_zeros(&storage, &p, &a, err));
        ok(tess_array_write(a, start, part, items, 140 * (size_t)typesize, err));
        ok(tess_array_flush(a, err));
        memset(items + 140 * (size_t)typesize, 0, size - 140 * (size_t)typesize);
        ok(tess_array_read(a, start, stop, got, size, err));
        assert_memory_equal(got, items, size);
        ok(tess_array_close(a, err));
        free(items);
        free(got);
    }
}

// Wherever the program's bytes are, and however many a block has.
static void
blocks_are_aligned(void **state)
{
    const tess_user_filter filter = flip_filter();
    const tess_plugins plugins = {NULL, 0, &filter, 1};
    static uint8_t memory[ODD_SIZE + 16], chunk[3 * ODD_SIZE + 1000], back[ODD_SIZE + 16];
    static struct random r;
    tess_context two_threads;
    (void)state;
    random_init(&r, random_seed());
    tess_context_init(&two_threads);
    two_threads.threads = 2;
    for (int i = 0; i < 64; i++) {
        uint8_t *const items = memory + i % 16, *const got = back + i / 4;
        tess_chunk_options o;
        tess_params p;
        size_t n;
        tess_params_init(&p);
        p.typesize = 1;
        p.ndim = 1;
        p.blockshape[0] = ODD_BLOCK;
        p.filters[3] = i % 2 ? FLIP : 0;
        p.filters[5] = FLIP;
        tess_chunk_options_init(&o);
        o.plugins = &plugins;
        o.context = i % 3 == 0 ? &two_threads : NULL;
        random_repetitive(&r, items, ODD_SIZE);
        ok(tess_chunk_encode_with(&p, &o, items, ODD_SIZE, chunk, sizeof chunk, &n, err));
        ok(tess_chunk_decode_with(chunk, n, &o, got, ODD_SIZE, err));
        assert_memory_equal(got, items, ODD_SIZE);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_of_a_filter),
        cmocka_unit_test(blocks_are_aligned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
