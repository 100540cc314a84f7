/*
 * b2nd_items.c - items to and from memory: boxes, lists of indices, numbers of items.
 */
#include "compat/nd.h"

#include "support/files.h"
#include "support/random.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct nd_shapes shapes[] = {
    {1, {37}, {10}, {4}},
    {2, {14, 10}, {8, 5}, {2, 2}},
    {3, {9, 11, 13}, {4, 11, 5}, {3, 4, 5}},
    {4, {5, 6, 7, 8}, {2, 6, 3, 4}, {2, 3, 3, 1}},
};

static void
draw_box(struct random *r, const struct nd_shapes *s, int64_t *start, int64_t *stop)
{
    for (int i = 0; i < s->ndim; i++) {
        start[i] = (int64_t)random_below(r, (uint64_t)s->shape[i]);
        stop[i] = start[i] + (int64_t)random_below(r, (uint64_t)(s->shape[i] - start[i]) + 1);
    }
}

static void
lengths_of(const struct nd_shapes *s, const int64_t *start, const int64_t *stop, int64_t *lengths)
{
    for (int i = 0; i < s->ndim; i++)
        lengths[i] = stop[i] - start[i];
}

static void
boxes_of_their_own_shape(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (size_t k = 0; k < COUNT(shapes); k++) {
        const struct nd_shapes *const s = &shapes[k];
        int32_t *const items = nd_items(nd_count(s->shape, s->ndim), 0);
        b2nd_array_t *const array = nd_numbers(s, k % 2 == 0, NULL);

        for (int turn = 0; turn < 60; turn++) {
            int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM], lengths[B2ND_MAX_DIM];
            draw_box(&r, s, start, stop);
            lengths_of(s, start, stop, lengths);
            const int64_t count = nd_count(lengths, s->ndim);
            const int64_t size = count * (int64_t)sizeof(int32_t);
            int32_t *const box = nd_items(count, 1000 * turn), *const found = nd_items(count, -7);
            if (turn % 3 == 0) {
                nd_box(s->ndim, s->shape, start, stop, items, box, true);
                assert_good(b2nd_set_slice_cbuffer(box, lengths, size, start, stop, array));
            }
            nd_box(s->ndim, s->shape, start, stop, items, box, false);
            assert_good(b2nd_get_slice_cbuffer(array, start, stop, found, lengths, size));
            assert_memory_equal(found, box, (size_t)size);
            free(box);
            free(found);
        }
        nd_check(array, items);
        assert_good(b2nd_free(array));
        free(items);
    }
}

// Buffers that are larger than the box, which lies in their first corner.
static void
boxes_in_larger_buffers(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int turn = 0; turn < 100; turn++) {
        const struct nd_shapes *const s = &shapes[(size_t)turn % COUNT(shapes)];
        int32_t *const items = nd_items(nd_count(s->shape, s->ndim), 0);
        b2nd_array_t *const array = nd_numbers(s, false, NULL);
        int64_t start[B2ND_MAX_DIM], stop[B2ND_MAX_DIM], lengths[B2ND_MAX_DIM];
        int64_t shape[B2ND_MAX_DIM], origin[B2ND_MAX_DIM] = {0};

        draw_box(&r, s, start, stop);
        lengths_of(s, start, stop, lengths);
        for (int i = 0; i < s->ndim; i++)
            shape[i] = lengths[i] + (int64_t)random_below(&r, 3);
        const int64_t room = nd_count(shape, s->ndim), count = nd_count(lengths, s->ndim);
        const int64_t size = room * (int64_t)sizeof(int32_t);
        int32_t *const buffer = nd_items(room, 5000), *const box = nd_items(count, 0);
        int32_t *const want = calloc((size_t)room + 1, sizeof *want);

        assert_non_null(want);
        nd_box(s->ndim, s->shape, start, stop, items, box, false);
        nd_box(s->ndim, shape, origin, lengths, want, box, true);
        assert_good(b2nd_get_slice_cbuffer(array, start, stop, buffer, shape, size));
        if (count > 0)
            assert_memory_equal(buffer, want, (size_t)size);

        for (int64_t i = 0; i < room; i++)
            buffer[i] = (int32_t)(9000 + i);
        nd_box(s->ndim, shape, origin, lengths, buffer, box, false);
        nd_box(s->ndim, s->shape, start, stop, items, box, true);
        assert_good(b2nd_set_slice_cbuffer(buffer, shape, size, start, stop, array));
        nd_check(array, items);
        assert_good(b2nd_free(array));
        free(want);
        free(box);
        free(buffer);
        free(items);
    }
}

// Items beyond the end of an axis are zeros, and are not written.
static void
boxes_beyond_the_end(void **state)
{
    const struct nd_shapes *const s = &shapes[1];
    static const int64_t start[] = {12, 8}, stop[] = {16, 11}, lengths[] = {4, 3};
    static const int64_t far[] = {14, 0}, farther[] = {30, 3};
    static const int32_t want[] = {128, 129, 0, 138, 139, 0, 0, 0, 0, 0, 0, 0};
    b2nd_array_t *const array = nd_numbers(s, false, NULL);
    int32_t *const items = nd_items(140, 0);
    int32_t box[48];

    (void)state;
    memset(box, -1, sizeof box);
    assert_good(b2nd_get_slice_cbuffer(array, start, stop, box, lengths, sizeof want));
    assert_memory_equal(box, want, sizeof want);
    assert_good(
        b2nd_get_slice_cbuffer(array, far, farther, box, (const int64_t[]){16, 3}, sizeof box));
    for (size_t i = 0; i < COUNT(box); i++)
        assert_int_equal(box[i], 0);
    memset(box, 0, sizeof box);
    assert_good(b2nd_set_slice_cbuffer(box, lengths, sizeof box, start, stop, array));
    items[128] = items[129] = items[138] = items[139] = 0;
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static void
boxes_that_are_refused(void **state)
{
    static const int64_t origin[] = {0, 0}, below[] = {-1, 0}, some[] = {2, 3}, more[] = {3, 3};
    b2nd_array_t *const array = nd_numbers(&shapes[1], false, NULL);
    int32_t *const items = nd_items(140, 0);
    int32_t box[9] = {0};

    (void)state;
    assert_int_equal(b2nd_get_slice_cbuffer(NULL, origin, some, box, some, 24),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_slice_cbuffer(array, NULL, some, box, some, 24),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_slice_cbuffer(array, origin, NULL, box, some, 24),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_slice_cbuffer(array, origin, some, NULL, some, 24),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_slice_cbuffer(array, origin, some, box, NULL, 24),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_slice_cbuffer(array, origin, some, box, some, 23),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_slice_cbuffer(array, origin, more, box, some, 36),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_slice_cbuffer(array, below, some, box, more, 36),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_slice_cbuffer(array, some, origin, box, more, 36),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_set_slice_cbuffer(box, some, 23, origin, some, array),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_set_slice_cbuffer(box, some, 24, below, some, array),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_set_slice_cbuffer(NULL, some, 24, origin, some, array),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_set_slice_cbuffer(box, some, 24, origin, some, NULL),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cbuffer(array, items, 559), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_to_cbuffer(NULL, items, 560), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cbuffer(array, NULL, 560), BLOSC2_ERROR_NULL_POINTER);
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static void
an_array_without_axes(void **state)
{
    static const struct nd_shapes none = {0, {0}, {0}, {0}};
    b2nd_array_t *const array = nd_numbers(&none, true, NULL);
    int64_t nowhere[1] = {0};
    int32_t item = 42;

    (void)state;
    assert_good(b2nd_set_slice_cbuffer(&item, nowhere, sizeof item, nowhere, nowhere, array));
    item = 0;
    assert_good(b2nd_get_slice_cbuffer(array, nowhere, nowhere, &item, nowhere, sizeof item));
    assert_int_equal(item, 42);
    assert_int_equal(b2nd_get_slice_cbuffer(array, nowhere, nowhere, &item, nowhere, 3),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_sparse_cbuffer(array, 1, nowhere, &item, sizeof item),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_good(b2nd_free(array));
}

// -- lists of indices

static void
combinations_of_indices(void **state)
{
    int64_t rows[] = {9, 0, 9, 13}, columns[] = {3, 3, 1};
    int64_t *lists[] = {rows, columns};
    int64_t counts[] = {4, 3}, shape[] = {4, 3}, wide[] = {4, 5};
    b2nd_array_t *const array = nd_numbers(&shapes[1], false, NULL);
    int32_t *const items = nd_items(140, 0);
    int32_t found[12], spread[20], given[12];

    (void)state;
    assert_good(b2nd_get_orthogonal_selection(array, lists, counts, found, shape, sizeof found));
    for (int i = 0; i < 12; i++)
        assert_int_equal(found[i], rows[i / 3] * 10 + columns[i % 3]);
    memset(spread, -1, sizeof spread);
    assert_good(b2nd_get_orthogonal_selection(array, lists, counts, spread, wide, sizeof found));
    for (int i = 0; i < 20; i++)
        assert_int_equal(spread[i], i % 5 < 3 ? found[i / 5 * 3 + i % 5] : -1);

    for (int i = 0; i < 12; i++) {
        given[i] = 500 + i;
        items[rows[i / 3] * 10 + columns[i % 3]] = given[i]; // the last one counts
    }
    assert_good(b2nd_set_orthogonal_selection(array, lists, counts, given, shape, sizeof given));
    nd_check(array, items);
    for (int i = 0; i < 20; i++)
        spread[i] = 800 + i;
    for (int i = 0; i < 12; i++)
        items[rows[i / 3] * 10 + columns[i % 3]] = spread[i / 3 * 5 + i % 3];
    assert_good(b2nd_set_orthogonal_selection(array, lists, counts, spread, wide, sizeof given));
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static void
lists_that_are_refused(void **state)
{
    int64_t rows[] = {0, 13}, beyond[] = {0, 14}, negative[] = {-1, 0}, columns[] = {9};
    int64_t *good[] = {rows, columns}, *high[] = {beyond, columns}, *low[] = {negative, columns};
    int64_t *missing[] = {rows, NULL};
    int64_t counts[] = {2, 1}, shape[] = {2, 1}, negative_counts[] = {-2, 1};
    b2nd_array_t *const array = nd_numbers(&shapes[1], false, NULL);
    int32_t *const items = nd_items(140, 0);
    int32_t box[2] = {0};

    (void)state;
    assert_int_equal(b2nd_get_orthogonal_selection(array, high, counts, box, shape, 8),
                     BLOSC2_ERROR_INVALID_INDEX);
    assert_int_equal(b2nd_get_orthogonal_selection(array, low, counts, box, shape, 8),
                     BLOSC2_ERROR_INVALID_INDEX);
    assert_int_equal(b2nd_set_orthogonal_selection(array, high, counts, box, shape, 8),
                     BLOSC2_ERROR_INVALID_INDEX);
    assert_int_equal(b2nd_get_orthogonal_selection(array, missing, counts, box, shape, 8),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_orthogonal_selection(array, NULL, counts, box, shape, 8),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_orthogonal_selection(NULL, good, counts, box, shape, 8),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_get_orthogonal_selection(array, good, negative_counts, box, shape, 8),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_orthogonal_selection(array, good, counts, box, shape, 7),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_get_orthogonal_selection(array, good, counts, box, shape, 12),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_set_orthogonal_selection(array, good, counts, box, shape, 7),
                     BLOSC2_ERROR_INVALID_PARAM);
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static void
items_by_number(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (size_t k = 0; k < COUNT(shapes); k++) {
        b2nd_array_t *const array = nd_numbers(&shapes[k], false, NULL);
        int64_t numbers[50];
        int32_t found[50];
        for (int i = 0; i < 50; i++)
            numbers[i] = (int64_t)random_below(&r, (uint64_t)array->nitems);
        assert_good(b2nd_get_sparse_cbuffer(array, 50, numbers, found, sizeof found));
        for (int i = 0; i < 50; i++)
            assert_int_equal(found[i], numbers[i]);
        assert_good(b2nd_get_sparse_cbuffer(array, 0, NULL, NULL, 0));
        assert_int_equal(b2nd_get_sparse_cbuffer(array, -1, numbers, found, sizeof found),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(b2nd_get_sparse_cbuffer(array, 50, numbers, found, 199),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(b2nd_get_sparse_cbuffer(array, 50, NULL, found, sizeof found),
                         BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_get_sparse_cbuffer(NULL, 50, numbers, found, sizeof found),
                         BLOSC2_ERROR_NULL_POINTER);
        numbers[49] = array->nitems;
        assert_int_equal(b2nd_get_sparse_cbuffer(array, 50, numbers, found, sizeof found),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_good(b2nd_free(array));
    }
}

// -- memory of the program

static void
boxes_between_buffers(void **state)
{
    static const int64_t from_shape[] = {5, 6, 7}, to_shape[] = {6, 4, 9};
    static const int64_t from[] = {1, 2, 3}, stop[] = {4, 5, 7}, to[] = {2, 1, 4},
                         end[] = {5, 4, 8};
    int32_t *const source = nd_items(210, 0);
    int32_t *const target = nd_items(216, -300), *const want = nd_items(216, -300);
    int32_t box[36];

    (void)state;
    nd_box(3, from_shape, from, stop, source, box, false);
    nd_box(3, to_shape, to, end, want, box, true);
    assert_good(b2nd_copy_buffer2(3, sizeof(int32_t), source, from_shape, from, stop, target,
                                  to_shape, to));
    assert_memory_equal(target, want, 216 * sizeof *want);
    // Whole buffers, in one piece.
    assert_good(b2nd_copy_buffer2(3, sizeof(int32_t), source, from_shape, (int64_t[]){0, 0, 0},
                                  from_shape, target, from_shape, (int64_t[]){0, 0, 0}));
    assert_memory_equal(target, source, 210 * sizeof *source);
    // A box without items.
    assert_good(b2nd_copy_buffer2(3, sizeof(int32_t), want, from_shape, from, from, target,
                                  from_shape, from));
    assert_memory_equal(target, source, 210 * sizeof *source);
    assert_good(b2nd_copy_buffer2(0, sizeof(int32_t), want, NULL, NULL, NULL, target, NULL, NULL));
    assert_int_equal(target[0], want[0]);
    assert_int_equal(b2nd_copy_buffer2(3, 4, NULL, from_shape, from, stop, target, to_shape, to),
                     BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_copy_buffer2(-1, 4, source, from_shape, from, stop, target, to_shape, to),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_copy_buffer2(3, 0, source, from_shape, from, stop, target, to_shape, to),
                     BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_copy_buffer2(3, 4, source, from_shape, stop, from, target, to_shape, to),
                     BLOSC2_ERROR_INVALID_PARAM);
    free(source);
    free(target);
    free(want);
}

// What a function of the program with threads was asked for.
struct asked {
    bool side_by_side; // or one after the other
    int calls;
    int jobs;
};

struct job {
    void (*run)(void *data);
    void *data;
};

static void *
run_job(void *argument)
{
    const struct job *const job = argument;
    job->run(job->data);
    return NULL;
}

static void
run_jobs(void *user, void (*run)(void *data), int count, size_t size, void *data)
{
    struct asked *const asked = user;
    struct job jobs[8];
    pthread_t threads[8];

    assert_in_range(count, 2, 8);
    asked->calls++;
    asked->jobs += count;
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct job){run, (uint8_t *)data + (size_t)i * size};
        if (!asked->side_by_side)
            run_job(&jobs[i]);
        else
            assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < count && asked->side_by_side; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

// The function was asked since the last look.
static void
check_asked(struct asked *asked)
{
    assert_true(asked->calls > 0);
    assert_int_equal(asked->jobs, 4 * asked->calls);
    asked->calls = asked->jobs = 0;
}

// Arrays and super-chunks work on threads of the program, if it gives them.
static void
threads_of_the_program(void **state)
{
    const struct nd_shapes large = {2, {400, 1500}, {100, 500}, {10, 50}};
    const int64_t axis[] = {3, 77, 150}, *const axes[] = {axis, axis};
    int64_t points[3] = {5, 590000, 31234};
    int32_t *const items = nd_items(600000, 0), *const back = malloc(600000 * sizeof *back);
    int32_t found[9];
    int64_t lengths[] = {3, 3};

    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct asked asked = {.side_by_side = turn == 1};
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
        blosc2_storage storage = {.cparams = &cparams, .dparams = &dparams};
        b2nd_array_t *array = NULL;

        cparams.typesize = 4;
        cparams.nthreads = dparams.nthreads = 4;
        cparams.blocksize = 4000;
        blosc2_set_threads_callback(run_jobs, &asked);
        b2nd_context_t *const context = b2nd_create_ctx(&storage, 2, large.shape, large.chunkshape,
                                                        large.blockshape, NULL, 0, NULL, 0);
        assert_good(b2nd_from_cbuffer(context, &array, items, 600000 * sizeof *items));
        check_asked(&asked);
        assert_good(b2nd_to_cbuffer(array, back, 600000 * sizeof *back));
        check_asked(&asked);
        assert_memory_equal(back, items, 600000 * sizeof *back);
        assert_good(b2nd_get_orthogonal_selection(array, (int64_t **)axes, lengths, found, lengths,
                                                  sizeof found));
        check_asked(&asked);
        assert_int_equal(found[5], 77 * 1500 + 150);
        assert_good(b2nd_free(array));

        blosc2_schunk *const s = blosc2_schunk_new(&storage);
        for (int n = 0; n < 2; n++) {
            assert_int_equal(
                blosc2_schunk_append_buffer(s, items + n * 300000, 300000 * sizeof *items), n + 1);
            check_asked(&asked);
        }
        assert_int_equal(blosc2_schunk_decompress_chunk(s, 1, back, 300000 * sizeof *back),
                         300000 * sizeof *back);
        check_asked(&asked);
        assert_memory_equal(back, items + 300000, 300000 * sizeof *back);
        assert_good(blosc2_schunk_get_sparse_buffer(s, 3, points, found));
        check_asked(&asked);
        for (int i = 0; i < 3; i++)
            assert_int_equal(found[i], points[i]);
        // Without the function the calling thread works alone.
        blosc2_set_threads_callback(NULL, NULL);
        assert_good(blosc2_schunk_get_slice_buffer(s, 0, 500000, back));
        assert_memory_equal(back, items, 500000 * sizeof *back);
        assert_int_equal(asked.calls, 0);
        assert_good(blosc2_schunk_free(s));
        assert_good(b2nd_free_ctx(context));
    }
    free(items);
    free(back);
}

// A postfilter of the program, which its context has: each item doubled.
static int
double_items(blosc2_postfilter_params *params)
{
    const int32_t *const from = (const int32_t *)(const void *)params->input;
    int32_t *const to = (int32_t *)(void *)params->output;
    for (int32_t i = 0; i < params->size / 4; i++)
        to[i] = 2 * from[i];
    return 0;
}

// A program gives an array another context: boxes, copies and chunks are what its postfilter makes
// of them; lists of indices are refused.
static void
a_postfilter(void **state)
{
    static const struct nd_shapes matrix = {2, {14, 11}, {5, 4}, {2, 3}};
    blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_postfilter_params params = {0};
    int32_t items[14 * 11];

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        b2nd_context_t *const ctx = nd_context(&matrix, true, NULL);
        b2nd_array_t *copy = NULL;
        int32_t chunk[6 * 6];
        dparams.postfilter = double_items;
        dparams.postparams = &params;
        blosc2_free_ctx(array->sc->dctx);
        array->sc->dctx = blosc2_create_dctx(dparams);
        assert_non_null(array->sc->dctx);
        for (int64_t top = 0; top < 14; top += 3)
            for (int64_t left = 0; left < 11; left += 2)
                for (int64_t n = 1; n <= 7 && top + n <= 14 && left + n <= 11; n++) {
                    const int64_t start[] = {top, left}, stop[] = {top + n, left + n};
                    const int64_t shape[] = {n, 9}; // with gaps
                    memset(items, 1, sizeof items);
                    assert_good(b2nd_get_slice_cbuffer(array, start, stop, items, shape,
                                                       (int64_t)sizeof items));
                    for (int64_t i = 0; i < n; i++)
                        for (int64_t j = 0; j < 9; j++)
                            assert_int_equal(items[i * 9 + j],
                                             j < n ? 2 * ((top + i) * 11 + left + j) : 0);
                }
        assert_int_equal(blosc2_schunk_decompress_chunk(array->sc, 0, chunk, sizeof chunk),
                         sizeof chunk);
        assert_int_equal(chunk[1], 2);
        assert_good(b2nd_copy(ctx, array, &copy));
        assert_good(b2nd_to_cbuffer(copy, items, sizeof items));
        for (int i = 0; i < 14 * 11; i++)
            assert_int_equal(items[i], 2 * i);
        const int64_t one = 1;
        assert_int_equal(b2nd_get_sparse_cbuffer(array, 1, &one, items, sizeof items),
                         BLOSC2_ERROR_POSTFILTER);
        assert_good(b2nd_free(copy));
        assert_good(b2nd_free_ctx(ctx));
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_their_own_shape),
        cmocka_unit_test(boxes_in_larger_buffers),
        cmocka_unit_test(boxes_beyond_the_end),
        cmocka_unit_test(boxes_that_are_refused),
        cmocka_unit_test(an_array_without_axes),
        cmocka_unit_test(combinations_of_indices),
        cmocka_unit_test(lists_that_are_refused),
        cmocka_unit_test(items_by_number),
        cmocka_unit_test(boxes_between_buffers),
        cmocka_unit_test(threads_of_the_program),
        cmocka_unit_test_setup_teardown(a_postfilter, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
