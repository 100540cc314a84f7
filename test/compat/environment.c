/*
 * environment.c - super-chunks and arrays have the parameters that the environment gives.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {140, 100}, {80, 50}, {20, 50}};

static void
set_all(void)
{
    setenv("BLOSC_COMPRESSOR", "zstd", 1);
    setenv("BLOSC_CLEVEL", "7", 1);
    setenv("BLOSC_SHUFFLE", "BITSHUFFLE", 1);
    setenv("BLOSC_DELTA", "1", 1);
    setenv("BLOSC_SPLITMODE", "NEVER", 1);
    setenv("BLOSC_NTHREADS", "3", 1);
    setenv("BLOSC_BLOCKSIZE", "2048", 1);
    setenv("BLOSC_TYPESIZE", "8", 1);
}

static void
unset_all(void)
{
    static const char *const names[] = {"COMPRESSOR", "CLEVEL",   "SHUFFLE",   "DELTA",
                                        "SPLITMODE",  "NTHREADS", "BLOCKSIZE", "TYPESIZE"};
    char name[32];

    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(name, sizeof name, "BLOSC_%s", names[i]);
        unsetenv(name);
    }
}

// The n-th chunk is one of that codec and those filters.
static tess_chunk_info
check_chunk(blosc2_schunk *schunk, int64_t n, tess_codec codec, int last_filter)
{
    uint8_t *chunk = NULL;
    bool needs_free = false;
    tess_chunk_info info;

    const int size = blosc2_schunk_get_chunk(schunk, n, &chunk, &needs_free);
    assert_true(size > 0);
    ok(tess_chunk_describe(chunk, (size_t)size, &info, err));
    assert_int_equal(info.codec, codec);
    assert_int_equal(info.filters[BLOSC2_MAX_FILTERS - 1], last_filter);
    if (needs_free)
        free(chunk);
    return info;
}

static void
check_threads(blosc2_schunk *schunk, int16_t threads)
{
    blosc2_cparams *cparams = NULL;
    blosc2_dparams *dparams = NULL;

    assert_good(blosc2_schunk_get_cparams(schunk, &cparams));
    assert_good(blosc2_schunk_get_dparams(schunk, &dparams));
    assert_int_equal(cparams->nthreads, threads);
    assert_int_equal(dparams->nthreads, threads);
    free(cparams);
    free(dparams);
}

// What the program gave is what it sees; new chunks are as the environment says, also of a
// super-chunk that is opened.
static void
super_chunks(void **state)
{
    int32_t *const items = nd_items(20000, 0), *const found = nd_items(20000, -1);

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        char *const path = nd_places[k].file ? strdup(files_path("schunk")) : NULL;
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        cparams.typesize = 4;
        cparams.compcode = BLOSC_LZ4;
        blosc2_storage storage = {nd_places[k].contiguous, path, &cparams, NULL, NULL};

        blosc2_schunk *s = blosc2_schunk_new(&storage);
        assert_non_null(s);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, 40000), 1);
        check_threads(s, 1);
        if (path) {
            assert_good(blosc2_schunk_free(s));
            set_all();
            s = blosc2_schunk_open(path);
        } else {
            assert_good(blosc2_schunk_free(s));
            set_all();
            s = blosc2_schunk_new(&storage);
            assert_int_equal(blosc2_schunk_append_buffer(s, items, 40000), 1);
        }
        assert_non_null(s);
        check_threads(s, 3);
        assert_int_equal(s->compcode, BLOSC_LZ4);
        assert_int_equal(s->clevel, 5);
        assert_int_equal(s->typesize, 4);
        assert_int_equal(blosc2_schunk_append_buffer(s, items + 10000, 40000), 2);
        check_chunk(s, 0, path ? TESS_CODEC_LZ4 : TESS_CODEC_ZSTD,
                    path ? BLOSC_SHUFFLE : BLOSC_BITSHUFFLE);
        const tess_chunk_info info = check_chunk(s, 1, TESS_CODEC_ZSTD, BLOSC_BITSHUFFLE);
        assert_int_equal(info.filters[BLOSC2_MAX_FILTERS - 2], BLOSC_DELTA);
        assert_int_equal(info.blocksize, 2048);
        assert_good(blosc2_schunk_set_slice_buffer(s, 5, 6, items));
        assert_good(blosc2_schunk_get_slice_buffer(s, 0, 20000, found));
        found[5] += 5;
        assert_memory_equal(found, items, 80000);
        check_chunk(s, 0, TESS_CODEC_ZSTD, BLOSC_BITSHUFFLE);
        assert_good(blosc2_schunk_free(s));
        unset_all();
        if (path)
            files_remove(path);
        free(path);
    }
    free(items);
    free(found);
}

// An array is created so.
static void
arrays(void **state)
{
    int32_t *const items = nd_items(14000, 0);

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;

        set_all();
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        check_threads(array->sc, 3);
        unset_all();
        for (int turn = 0; turn < 2; turn++) {
            const tess_chunk_info info =
                check_chunk(array->sc, 0, TESS_CODEC_ZSTD, BLOSC_BITSHUFFLE);
            assert_int_equal(info.filters[BLOSC2_MAX_FILTERS - 2], BLOSC_DELTA);
            assert_int_equal(info.blocksize, 4000);
            assert_int_equal(array->sc->clevel, 7);
            nd_check(array, items);
            if (turn == 0 && path) {
                assert_good(b2nd_free(array));
                assert_good(b2nd_open(path, &array));
            }
        }
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
    free(items);
}

// Nonsense does not count; a codec that only programs can register is refused.
static void
what_makes_no_sense(void **state)
{
    b2nd_array_t *array = NULL;

    (void)state;
    setenv("BLOSC_COMPRESSOR", "zstandard", 1);
    setenv("BLOSC_CLEVEL", "-1", 1);
    setenv("BLOSC_NTHREADS", "many", 1);
    array = nd_numbers(&matrix, false, NULL);
    check_threads(array->sc, 1);
    check_chunk(array->sc, 0, TESS_CODEC_BLOSCLZ, BLOSC_SHUFFLE);
    assert_int_equal(array->sc->clevel, 5);
    assert_good(b2nd_free(array));
    setenv("BLOSC_COMPRESSOR", "ndlz", 1);
    b2nd_context_t *const ctx = nd_context(&matrix, false, NULL);
    assert_int_equal(b2nd_zeros(ctx, &array), BLOSC2_ERROR_CODEC_SUPPORT);
    assert_null(array);
    assert_null(blosc2_schunk_new(NULL));
    assert_good(b2nd_free_ctx(ctx));
    unset_all();
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(super_chunks),
        IN_A_FOLDER(arrays),
        cmocka_unit_test(what_makes_no_sense),
    };
    unset_all();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
