/*
 * b2nd_chunks.c - chunks of the super-chunk of an array.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// Where an item of the array lies in the content of its chunk: blocks behind each other.
static int64_t
place_in_chunk(const b2nd_array_t *a, int64_t row, int64_t column)
{
    const int64_t r = row % a->chunkshape[0], c = column % a->chunkshape[1];
    const int64_t block = r / a->blockshape[0] * a->block_chunk_strides[0] + c / a->blockshape[1];

    return block * a->blocknitems + r % a->blockshape[0] * a->item_block_strides[0] +
           c % a->blockshape[1];
}

static void
chunks_are_decoded(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        blosc2_schunk *const s = array->sc;
        const int32_t size = s->chunksize;
        int32_t *const content = malloc((size_t)size), *const again = malloc((size_t)size);

        assert_non_null(content);
        assert_non_null(again);
        for (int64_t n = 0; n < s->nchunks; n++) {
            uint8_t *chunk = NULL, *lazy = NULL;
            bool needs_free = false;
            assert_int_equal(blosc2_schunk_decompress_chunk(s, n, content, size), size);
            for (int64_t row = n / 2 * 8; row < 14 && row < n / 2 * 8 + 8; row++)
                for (int64_t column = n % 2 * 5; column < n % 2 * 5 + 5; column++)
                    assert_int_equal(content[place_in_chunk(array, row, column)],
                                     row * 10 + column);
            // The chunk as it is stored decodes to the same.
            const int bytes = blosc2_schunk_get_chunk(s, n, &chunk, &needs_free);
            assert_true(bytes > 0 && needs_free);
            assert_int_equal(blosc2_decompress_ctx(s->dctx, chunk, bytes, again, size), size);
            assert_memory_equal(again, content, (size_t)size);
            assert_int_equal(blosc2_schunk_get_lazychunk(s, n, &lazy, &needs_free), bytes);
            assert_memory_equal(lazy, chunk, (size_t)bytes);
            free(lazy);
            assert_int_equal(blosc2_schunk_get_vlblock(s, n, 0, &lazy, &(int32_t){0}),
                             BLOSC2_ERROR_INVALID_PARAM);
            assert_null(lazy);
            free(chunk);
        }
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 0, content, size - 1),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 4, content, size),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_schunk_decompress_chunk(s, -1, content, size),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_schunk_decompress_chunk(NULL, 0, content, size),
                         BLOSC2_ERROR_NULL_POINTER);
        uint8_t *chunk = NULL;
        bool needs_free = true;
        assert_int_equal(blosc2_schunk_get_chunk(s, 4, &chunk, &needs_free),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_null(chunk);
        assert_false(needs_free);
        free(content);
        free(again);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
}

// Programs delete the chunks of an array to append others.
static void
chunks_that_are_replaced_one_by_one(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(140, 0);
        blosc2_schunk *const s = array->sc;
        const int32_t size = s->chunksize;
        int32_t *const content = calloc(4, (size_t)size);

        assert_non_null(content);
        for (int64_t n = 0; n < 4; n++)
            assert_int_equal(blosc2_schunk_decompress_chunk(s, n, content + n * (size / 4), size),
                             size);
        assert_int_equal(blosc2_schunk_append_buffer(s, content, size), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc2_schunk_delete_chunk(s, 0), BLOSC2_ERROR_INVALID_PARAM);
        for (int64_t n = 4; n > 0; n--) {
            assert_int_equal(blosc2_schunk_delete_chunk(s, n - 1), n - 1);
            assert_int_equal(s->nchunks, n - 1);
            assert_int_equal(s->nbytes, (n - 1) * size);
        }
        for (int64_t n = 0; n < 4; n++)
            assert_int_equal(blosc2_schunk_append_buffer(s, content + n * (size / 4), size), n + 1);
        assert_int_equal(blosc2_schunk_append_buffer(s, content, size), BLOSC2_ERROR_INVALID_PARAM);
        nd_check(array, items);
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        free(content);
        free(items);
    }
}

static void
chunks_of_a_slice(void **state)
{
    static const struct {
        int64_t start[2], stop[2];
        int64_t count, numbers[4];
    } cases[] = {
        {{0, 0}, {14, 10}, 4, {0, 1, 2, 3}}, {{0, 0}, {1, 1}, 1, {0}},
        {{8, 0}, {9, 10}, 2, {2, 3}},        {{7, 4}, {9, 6}, 4, {0, 1, 2, 3}},
        {{3, 5}, {14, 6}, 2, {1, 3}},        {{3, 5}, {3, 6}, 0, {0}},
    };
    b2nd_array_t *const array = nd_numbers(&matrix, false, NULL);
    int64_t *numbers = NULL;

    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        int64_t start[2], stop[2];
        memcpy(start, cases[k].start, sizeof start);
        memcpy(stop, cases[k].stop, sizeof stop);
        assert_int_equal(blosc2_get_slice_nchunks(array->sc, start, stop, &numbers),
                         cases[k].count);
        for (int64_t i = 0; i < cases[k].count; i++)
            assert_int_equal(numbers[i], cases[k].numbers[i]);
        free(numbers);
    }
    int64_t low[] = {-1, 0}, high[] = {5, 5};
    assert_int_equal(blosc2_get_slice_nchunks(array->sc, low, high, &numbers),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_null(numbers);
    assert_int_equal(blosc2_get_slice_nchunks(NULL, low, high, &numbers),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(blosc2_get_slice_nchunks(array->sc, low, high, NULL),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_free(array));
}

// Programs decode whole chunks: of items that are all one value, the padding is zeros where items
// were written, and that value in arrays that are created full of it.
static void
padding_of_one_value(void **state)
{
    const struct nd_shapes shapes = {1, {25}, {10}, {5}};
    const int32_t value = 3;
    const int64_t start = 0, stop = 25;
    int32_t written[25], chunk[10];

    (void)state;
    for (int i = 0; i < 25; i++)
        written[i] = value;
    for (int way = 0; way < 3; way++) {
        b2nd_context_t *const ctx = nd_context(&shapes, way == 1, NULL);
        b2nd_array_t *array = NULL;
        if (way == 2) {
            assert_good(b2nd_full(ctx, &array, &value));
        } else {
            assert_good(b2nd_zeros(ctx, &array));
            assert_good(
                b2nd_set_slice_cbuffer(written, &stop, sizeof written, &start, &stop, array));
        }
        for (int n = 0; n < 3; n++) {
            assert_good(blosc2_schunk_decompress_chunk(array->sc, n, chunk, sizeof chunk));
            for (int i = 0; i < 10; i++)
                assert_int_equal(chunk[i], way == 2 || n * 10 + i < 25 ? value : 0);
        }
        assert_good(b2nd_free(array));
        assert_good(b2nd_free_ctx(ctx));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(chunks_are_decoded),
        IN_A_FOLDER(chunks_that_are_replaced_one_by_one),
        cmocka_unit_test(chunks_of_a_slice),
        cmocka_unit_test(padding_of_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
