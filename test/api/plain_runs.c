/*
 * plain_runs.c - long runs of super-chunks, which several threads read: which blocks are decoded,
 * progress, damage, threads of the program.
 */
#include "support/files.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CODEC = 200, CHUNK = 1 << 22, BLOCK = 1 << 14 };

// -- a codec that counts; each byte stands twice in what it gets

static tess_status
halve(const tess_block *block, const void *src, size_t src_size, void *dst, size_t dst_size,
      size_t *made)
{
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    (void)block;
    *made = src_size / 2 <= dst_size ? src_size / 2 : 0;
    for (size_t i = 0; i < *made; i++)
        to[i] = from[2 * i];
    return TESS_OK;
}

static tess_status
twice(const tess_block *block, const void *src, size_t src_size, void *dst, size_t dst_size)
{
    const uint8_t *const from = src;
    uint8_t *const to = dst;
    if (2 * src_size != dst_size || from[0] == 255) // which no block starts with
        return TESS_ERR_CORRUPT;
    for (size_t i = 0; i < dst_size; i++)
        to[i] = from[i / 2];
    atomic_fetch_add((atomic_llong *)block->user, (long long)dst_size);
    return TESS_OK;
}

static atomic_llong decoded; // bytes

static const tess_user_codec codec = {
    .struct_size = sizeof codec,
    .id = CODEC,
    .name = "twice",
    .user = &decoded,
    .compress = halve,
    .decompress = twice,
};
static const tess_plugins plugins = {.codecs = &codec, .ncodecs = 1};

static uint8_t *
new_items(size_t size)
{
    uint8_t *const items = malloc(size);
    assert_non_null(items);
    for (size_t i = 0; i < size; i++)
        items[i] = (uint8_t)(i / 2 % 251);
    return items;
}

static void
params_of(tess_params *p, int64_t block)
{
    tess_params_init(p);
    p->typesize = 1;
    p->codec = CODEC;
    memset(p->filters, 0, sizeof p->filters);
    p->ndim = 1;
    p->blockshape[0] = block;
}

static tess_array *
create(int64_t block)
{
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;
    tess_storage_init(&storage);
    storage.plugins = &plugins;
    params_of(&params, block);
    ok(tess_schunk_create(&storage, &params, &a, err));
    return a;
}

static tess_status
read_all(const tess_array *a, uint8_t *got, size_t size, tess_error *err)
{
    const int64_t start = 0, stop = (int64_t)size;
    memset(got, 0xa5, size);
    return tess_array_read(a, &start, &stop, got, size, err);
}

// -- tests

// A chunk whose blocks are larger than those of the frame, and one of blocks of different sizes:
// no block is decoded by several threads.
static void
blocks_once(void **state)
{
    static const int32_t sizes[] = {CHUNK / 2, CHUNK / 2};
    uint8_t *const items = new_items(CHUNK), *const got = malloc(CHUNK);
    (void)state;
    assert_non_null(got);
    for (int different = 0; different <= 1; different++) {
        tess_array *const a = create(BLOCK);
        void *chunk;
        size_t size;
        if (different) {
            tess_params params;
            tess_chunk_options options;
            params_of(&params, CHUNK);
            tess_chunk_options_init(&options);
            options.plugins = &plugins;
            chunk = malloc(CHUNK);
            assert_non_null(chunk);
            ok(tess_chunk_encode_blocks(&params, &options, items, CHUNK, sizes, 2, chunk, CHUNK,
                                        &size, err));
        } else {
            tess_array *const large = create(CHUNK);
            ok(tess_schunk_insert(large, 0, items, CHUNK, err));
            ok(tess_array_get_chunk(large, 0, &chunk, &size, err));
            ok(tess_array_close(large, err));
        }
        ok(tess_schunk_insert(a, 0, items, CHUNK, err));
        ok(tess_array_set_chunk(a, 0, chunk, size, TESS_CHUNK_TRUSTED, err));
        atomic_store(&decoded, 0);
        ok(read_all(a, got, CHUNK, err));
        assert_memory_equal(got, items, CHUNK);
        assert_int_equal(atomic_load(&decoded), CHUNK);
        ok(tess_array_close(a, err));
        if (different)
            free(chunk);
        else
            tess_free(chunk);
    }
    free(items);
    free(got);
}

// What a program is told of a call, and when it wants no more.
struct told {
    int64_t last, total;
    int64_t enough; // the call is cancelled from here on
};

static bool
hear(int64_t done, int64_t total, void *user)
{
    struct told *const told = user;
    assert_in_range(done, told->last, total);
    told->last = done;
    told->total = total;
    return done < told->enough;
}

// An executor whose works run one after the other.
static void
run_in_turn(tess_work_fn *run, int count, void *work, void *user)
{
    (void)user;
    for (int i = 0; i < count; i++)
        run(work);
}

static tess_array *
create_chunks(const uint8_t *items, int nchunks)
{
    tess_array *const a = create(BLOCK);
    for (int n = 0; n < nchunks; n++)
        ok(tess_schunk_insert(a, n, items + (size_t)n * CHUNK, CHUNK, err));
    return a;
}

// Progress grows to the end, or to where the program cancels.
static void
progress(void **state)
{
    enum { NCHUNKS = 8, SIZE = NCHUNKS * CHUNK };
    static const tess_executor in_turn = {
        .struct_size = sizeof in_turn, .run_all = run_in_turn, .threads = 3};
    uint8_t *const items = new_items(SIZE), *const got = malloc(SIZE);
    tess_context context;
    struct told told;
    (void)state;
    assert_non_null(got);
    tess_context_init(&context);
    context.progress = hear;
    context.progress_user = &told;
    context.progress_interval = 0;
    tess_array *const a = create_chunks(items, NCHUNKS);
    for (int kind = 0; kind <= 3; kind++) {
        context.threads = kind % 3;
        context.executor = kind == 3 ? &in_turn : NULL;
        ok(tess_array_set_context(a, &context, err));
        for (int64_t enough = 1; enough < SIZE; enough += SIZE / 5) {
            told = (struct told){.enough = enough};
            assert_int_equal(read_all(a, got, SIZE, NULL), TESS_ERR_CANCELLED);
            assert_in_range(told.last, enough, SIZE);
        }
        told = (struct told){.enough = INT64_MAX};
        ok(read_all(a, got, SIZE, err));
        assert_memory_equal(got, items, SIZE);
        assert_true(told.total > 0);
        assert_int_equal(told.last, told.total);
    }
    ok(tess_array_close(a, err));
    free(items);
    free(got);
}

// The error of a damaged block in the middle says in which chunk it is.
static void
damage(void **state)
{
    enum { NCHUNKS = 4, SIZE = NCHUNKS * CHUNK };
    uint8_t *const items = new_items(SIZE), *const got = malloc(SIZE);
    (void)state;
    assert_non_null(got);
    tess_array *const a = create_chunks(items, NCHUNKS);
    for (int n = 0; n < NCHUNKS; n++) {
        tess_error why;
        uint8_t *const bad = new_items(CHUNK);
        void *chunk;
        size_t size;
        tess_array *const other = create(BLOCK);
        memset(bad + (size_t)(n * 50) * BLOCK, 255, 2);
        ok(tess_schunk_insert(other, 0, bad, CHUNK, err));
        ok(tess_array_get_chunk(other, 0, &chunk, &size, err));
        ok(tess_array_close(other, err));
        ok(tess_array_set_chunk(a, n, chunk, size, TESS_CHUNK_TRUSTED, err));
        for (int i = 0; i < 10; i++) {
            char name[20];
            assert_int_equal(read_all(a, got, SIZE, &why), TESS_ERR_CORRUPT);
            snprintf(name, sizeof name, "chunk %d", n);
            assert_non_null(strstr(why.message, name));
        }
        ok(tess_schunk_update(a, n, items + (size_t)n * CHUNK, CHUNK, err));
        ok(read_all(a, got, SIZE, err));
        assert_memory_equal(got, items, SIZE);
        tess_free(chunk);
        free(bad);
    }
    ok(tess_array_close(a, err));
    free(items);
    free(got);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_once),
        cmocka_unit_test(progress),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests_name("plain_runs", tests, NULL, NULL);
}
