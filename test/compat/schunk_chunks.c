/*
 * schunk_chunks.c - chunks of super-chunks: how they are encoded.
 */
#include "compat/compat.h"

#include <stdlib.h>
#include <string.h>

// Each chunk has a dictionary, also where it takes more space than it saves; the codecs that are
// chosen for their ratio have blocks of c-blosc2's size.
static void
dictionaries(void **state)
{
    static const struct {
        uint8_t codec;
        int32_t blocksize, found;
    } cases[] = {{BLOSC_ZSTD, 0, 256 << 10},
                 {BLOSC_ZSTD, 1 << 10, 1 << 10},
                 {BLOSC_LZ4HC, 256 << 10, 256 << 10},
                 {BLOSC_LZ4, 32 << 10, 32 << 10}};
    enum { NITEMS = 200000 };
    int32_t *const items = malloc(NITEMS * sizeof *items);
    int32_t *const back = malloc(NITEMS * sizeof *back);

    (void)state;
    for (int i = 0; i < NITEMS; i++)
        items[i] = i;
    for (size_t k = 0; k < 2 * COUNT(cases); k++) {
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_storage storage = {.cparams = &cparams};
        int32_t blocksize = 0;

        cparams.typesize = sizeof *items;
        cparams.compcode = cases[k / 2].codec;
        cparams.use_dict = k % 2 == 0;
        cparams.blocksize = cases[k / 2].blocksize;
        cparams.splitmode = BLOSC_NEVER_SPLIT;
        blosc2_schunk *const s = blosc2_schunk_new(&storage);
        assert_non_null(s);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, NITEMS * sizeof *items), 1);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, NITEMS * sizeof *items), 2);
        assert_good(blosc2_schunk_set_slice_buffer(s, NITEMS + 1, NITEMS + 2, items));
        for (int n = 0; n < 2; n++) {
            uint8_t *chunk = NULL;
            bool needs_free = false;
            assert_good(blosc2_schunk_get_chunk(s, n, &chunk, &needs_free));
            assert_int_equal(!(chunk[BLOSC2_CHUNK_BLOSC2_FLAGS] & BLOSC2_USEDICT), k % 2);
            assert_good(blosc2_cbuffer_sizes(chunk, NULL, NULL, &blocksize));
            assert_int_equal(blocksize, cases[k / 2].found);
            if (needs_free)
                free(chunk);
            assert_int_equal(blosc2_schunk_decompress_chunk(s, n, back, NITEMS * sizeof *back),
                             NITEMS * sizeof *back);
            assert_int_equal(back[1], n == 0);
            back[1] = 1;
            assert_memory_equal(back, items, NITEMS * sizeof *back);
        }
        assert_good(blosc2_schunk_free(s));
    }
    free(items);
    free(back);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
