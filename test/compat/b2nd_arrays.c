/*
 * b2nd_arrays.c - arrays from arrays: views, slices, copies, one behind another.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>

static const struct nd_shapes thin = {4, {1, 6, 1, 5}, {1, 4, 1, 3}, {1, 2, 1, 3}};
static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// -- views

static void
check_view(b2nd_array_t *view, int ndim, const int64_t *shape, const int32_t *chunkshape,
           const int32_t *items)
{
    assert_int_equal(view->ndim, ndim);
    assert_memory_equal(view->shape, shape, (size_t)ndim * sizeof *shape);
    assert_memory_equal(view->chunkshape, chunkshape, (size_t)ndim * sizeof *chunkshape);
    assert_true(view->sc->view);
    nd_check(view, items);
}

static void
check_items(const b2nd_array_t *array, const int32_t *items)
{
    int32_t *const found = nd_all(array);

    assert_memory_equal(found, items, (size_t)array->nitems * sizeof *items);
    free(found);
}

static void
axes_of_length_1(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&thin, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(30, 0);
        b2nd_array_t *all = NULL, *one = NULL, *none = NULL, *more = NULL;

        assert_good(b2nd_squeeze(array, &all));
        assert_good(b2nd_squeeze_index(array, &one, (bool[]){false, false, true, false}));
        assert_good(b2nd_squeeze_index(array, &none, (bool[]){false, false, false, false}));
        assert_good(b2nd_expand_dims(all, &more, (bool[]){true, false, true, true, false}, 5));
        assert_false(array->sc->view);
        check_view(all, 2, (int64_t[]){6, 5}, (int32_t[]){4, 3}, items);
        check_view(one, 3, (int64_t[]){1, 6, 5}, (int32_t[]){1, 4, 3}, items);
        check_view(none, 4, thin.shape, thin.chunkshape, items);
        check_view(more, 5, (int64_t[]){1, 6, 1, 1, 5}, (int32_t[]){1, 4, 1, 1, 3}, items);

        // Items are shared, both ways.
        const int32_t item = 99;
        const int64_t start[] = {2, 3}, stop[] = {3, 4}, length[] = {1, 1};
        assert_good(b2nd_set_slice_cbuffer(&item, length, 4, start, stop, all));
        items[13] = 99;
        nd_check(array, items);
        nd_check(more, items);
        assert_int_equal(b2nd_resize(all, (int64_t[]){7, 5}, NULL), BLOSC2_ERROR_INVALID_PARAM);

        // Freed in any order.
        assert_good(b2nd_free(all));
        assert_good(b2nd_free(array));
        nd_check(more, items);
        assert_good(b2nd_free(more));
        assert_good(b2nd_free(one));
        assert_good(b2nd_free(none));
        if (path)
            files_remove(path);
        free(items);
    }
}

static int
set_one(b2nd_array_t *array, const int64_t *start, int32_t item)
{
    int64_t stop[B2ND_MAX_DIM], length[B2ND_MAX_DIM];

    for (int i = 0; i < array->ndim; i++) {
        stop[i] = start[i] + 1;
        length[i] = 1;
    }
    return b2nd_set_slice_cbuffer(&item, length, 4, start, stop, array);
}

// Views of a file that is open for reading: the first change, be it through one of them or the
// array, opens it for writing, and all of them have it.
static void
views_made_for_reading(void **state)
{
    enum { A_VIEW, A_VIEW_OF_A_VIEW, THE_ARRAY, ANOTHER, WRITERS };

    (void)state;
    for (int k = 0; k < 2 * WRITERS; k++) {
        const char *const path = files_path("array");
        int32_t *const items = nd_items(30, 0);
        b2nd_array_t *array = nd_numbers(&thin, k % 2 == 0, path);
        b2nd_array_t *all = NULL, *one = NULL, *none = NULL, *more = NULL, *other = NULL;

        assert_good(b2nd_free(array));
        assert_good(b2nd_open(path, &array));
        assert_good(b2nd_squeeze(array, &all));
        assert_good(b2nd_squeeze_index(array, &one, (bool[]){false, false, true, false}));
        assert_good(b2nd_squeeze_index(array, &none, (bool[]){false, false, false, false}));
        assert_good(b2nd_expand_dims(all, &more, (bool[]){true, false, true, true, false}, 5));
        items[13] = 99;
        switch (k / 2) {
        case A_VIEW:
            assert_good(set_one(all, (int64_t[]){2, 3}, 99));
            break;
        case A_VIEW_OF_A_VIEW:
            assert_good(set_one(more, (int64_t[]){0, 2, 0, 0, 3}, 99));
            break;
        case THE_ARRAY:
            assert_good(set_one(array, (int64_t[]){0, 2, 0, 3}, 99));
            break;
        default:
            assert_good(b2nd_open(path, &other));
            assert_good(set_one(other, (int64_t[]){0, 2, 0, 3}, 99));
            assert_good(b2nd_free(other));
            assert_good(set_one(array, (int64_t[]){0, 0, 0, 0}, 0));
        }
        nd_check(array, items);
        check_view(all, 2, (int64_t[]){6, 5}, (int32_t[]){4, 3}, items);
        check_view(one, 3, (int64_t[]){1, 6, 5}, (int32_t[]){1, 4, 3}, items);
        check_view(none, 4, thin.shape, thin.chunkshape, items);
        check_view(more, 5, (int64_t[]){1, 6, 1, 1, 5}, (int32_t[]){1, 4, 1, 1, 3}, items);

        // After the array, views are written as before.
        assert_good(b2nd_free(array));
        assert_good(set_one(one, (int64_t[]){0, 0, 1}, 98));
        items[1] = 98;
        check_view(more, 5, (int64_t[]){1, 6, 1, 1, 5}, (int32_t[]){1, 4, 1, 1, 3}, items);
        assert_good(b2nd_free(all));
        assert_good(b2nd_free(one));
        assert_good(b2nd_free(none));
        assert_good(b2nd_free(more));
        assert_good(b2nd_open(path, &array));
        nd_check(array, items);
        assert_good(b2nd_free(array));
        files_remove(path);
        free(items);
    }
}

// The array grows before its views are used again; one that was freed leaves them for reading.
static void
views_of_an_array_that_changes(void **state)
{
    (void)state;
    for (int freed = 0; freed < 2; freed++) {
        const char *const path = files_path("array");
        int32_t *const items = nd_items(30, 0);
        b2nd_array_t *array = nd_numbers(&thin, true, path);
        b2nd_array_t *view = NULL;

        assert_good(b2nd_free(array));
        assert_good(b2nd_open(path, &array));
        assert_good(b2nd_squeeze(array, &view));
        if (freed) {
            assert_good(b2nd_free(array));
            assert_int_equal(set_one(view, (int64_t[]){2, 3}, 99), BLOSC2_ERROR_FILE_WRITE);
        } else {
            assert_good(b2nd_resize(array, (int64_t[]){2, 7, 1, 9}, NULL));
            assert_good(set_one(view, (int64_t[]){2, 3}, 99));
            items[13] = 99;
        }
        check_view(view, 2, (int64_t[]){6, 5}, (int32_t[]){4, 3}, items);
        if (!freed) {
            assert_good(b2nd_resize(array, (int64_t[]){1, 6, 1, 4}, NULL));
            assert_true(set_one(view, (int64_t[]){2, 3}, 99) < 0);
            assert_good(b2nd_free(array));
        }
        assert_good(b2nd_free(view));
        files_remove(path);
        free(items);
    }
}

// The chunks that a super-chunk shows are those that the array has.
static void
check_data(const b2nd_array_t *array, const b2nd_array_t *view)
{
    const blosc2_schunk *const s = array->sc;

    if (s->frame)
        return;
    assert_ptr_equal(view->sc->data, s->data);
    assert_int_equal(view->sc->data_len, s->data_len);
    for (int64_t n = 0; n < s->nchunks; n++) {
        uint8_t *chunk = NULL;
        bool needs_free = false;
        const int size = blosc2_schunk_get_chunk(array->sc, n, &chunk, &needs_free);
        assert_true(size > 0);
        assert_memory_equal(view->sc->data[n], chunk, (size_t)size);
        if (needs_free)
            free(chunk);
    }
}

// Views have the first items along each axis, whatever the shape was meanwhile, and the chunks.
static void
views_of_an_array_of_many_shapes(void **state)
{
    static const int64_t shapes[][4] = {{1, 200, 1, 60}, {3, 7, 2, 5}, {1, 6, 1, 5},
                                        {1, 5, 1, 5},    {1, 6, 1, 4}, {1, 6, 1, 5}};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&thin, nd_places[k].contiguous, path);
        b2nd_array_t *view = NULL, *more = NULL;
        int32_t *const items = nd_items(30, 0);

        assert_good(b2nd_squeeze(array, &view));
        assert_good(b2nd_expand_dims(view, &more, (bool[]){true, false, false}, 3));
        for (size_t i = 0; i < COUNT(shapes); i++) {
            const int64_t *const shape = shapes[i];
            const bool fits = shape[1] >= 6 && shape[3] >= 5;
            assert_good(b2nd_resize(array, shape, NULL));
            check_data(array, view);
            check_data(array, more);
            for (int row = (int)shape[1]; row < 6; row++) // what is cut off is zero from now on
                memset(items + row * 5, 0, 5 * sizeof *items);
            for (int row = 0; row < 6 && shape[3] < 5; row++)
                items[row * 5 + 4] = 0;
            items[13] = (int32_t)(100 + i);
            assert_int_equal(set_one(view, (int64_t[]){2, 3}, items[13]) >= 0, fits);
            if (!fits) {
                items[13] = (int32_t)(99 + i);
                continue;
            }
            check_data(array, view);
            check_items(view, items);
            check_items(more, items);
        }
        assert_good(b2nd_free(view));
        assert_good(b2nd_free(array));
        check_view(more, 3, (int64_t[]){1, 6, 5}, (int32_t[]){1, 4, 3}, items);
        assert_good(b2nd_free(more));
        free(items);
        if (path)
            files_remove(path);
    }
}

// A frame of the program is copied by the first change.
static void
a_view_of_a_frame_in_place(void **state)
{
    b2nd_array_t *const array = nd_numbers(&thin, true, NULL);
    int32_t *const items = nd_items(30, 0);
    b2nd_array_t *other = NULL, *view = NULL;
    uint8_t *frame = NULL;
    int64_t size = 0;
    bool needs_free = false;

    (void)state;
    assert_good(b2nd_to_cframe(array, &frame, &size, &needs_free));
    assert_good(b2nd_from_cframe(frame, size, false, &other));
    assert_good(b2nd_squeeze(other, &view));
    assert_good(set_one(view, (int64_t[]){2, 3}, 99));
    items[13] = 99;
    nd_check(view, items);
    nd_check(other, items);
    items[13] = 13;
    nd_check(array, items);
    assert_good(b2nd_free(view));
    assert_good(b2nd_free(other));
    assert_good(b2nd_free(array));
    free(items);
}

// An array with the metalayer of Caterva has views, too, which have that of b2nd.
static void
views_of_an_array_of_caterva(void **state)
{
    const char *const path = files_path("array");
    int32_t *const items = nd_items(30, 0);
    b2nd_array_t *array = NULL, *view = NULL, *more = NULL, *copy = NULL;
    uint8_t *frame = NULL, *content = NULL;
    int64_t frame_size = 0;
    int32_t size = 0;
    bool needs_free = false;
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    (void)state;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.layer = TESS_LAYER_CATERVA;
    params.typesize = 4;
    params.ndim = thin.ndim;
    for (int i = 0; i < thin.ndim; i++) {
        params.shape[i] = thin.shape[i];
        params.chunkshape[i] = thin.chunkshape[i];
        params.blockshape[i] = thin.blockshape[i];
    }
    ok(tess_array_from(&storage, &params, items, 120, &a, err));
    ok(tess_array_close(a, err));
    assert_good(b2nd_open(path, &array));
    assert_good(blosc2_meta_exists(array->sc, "caterva"));
    assert_good(b2nd_squeeze(array, &view));
    assert_good(b2nd_expand_dims(view, &more, (bool[]){false, true, false}, 3));
    check_view(view, 2, (int64_t[]){6, 5}, (int32_t[]){4, 3}, items);
    check_view(more, 3, (int64_t[]){6, 1, 5}, (int32_t[]){4, 1, 3}, items);
    assert_int_equal(blosc2_meta_exists(view->sc, "caterva"), BLOSC2_ERROR_NOT_FOUND);
    assert_int_equal(blosc2_meta_get(view->sc, "b2nd", &content, &size), 0);
    assert_int_equal(content[2], 2); // dimensions
    free(content);
    assert_good(set_one(more, (int64_t[]){2, 0, 3}, 99));
    items[13] = 99;
    check_items(array, items);
    check_view(view, 2, (int64_t[]){6, 5}, (int32_t[]){4, 3}, items);
    assert_good(b2nd_to_cframe(view, &frame, &frame_size, &needs_free));
    assert_good(b2nd_from_cframe(frame, frame_size, true, &copy));
    assert_int_equal(copy->ndim, 2);
    check_items(copy, items);
    assert_good(b2nd_free(copy));
    assert_good(b2nd_free(more));
    assert_good(b2nd_free(view));
    assert_good(b2nd_free(array));
    free(frame);
    free(items);
}

static void
a_view_as_a_frame(void **state)
{
    b2nd_array_t *const array = nd_numbers(&thin, true, NULL);
    int32_t *const items = nd_items(30, 0);
    b2nd_array_t *view = NULL, *copy = NULL;
    uint8_t *frame = NULL;
    int64_t size = 0;
    bool needs_free = false;

    (void)state;
    assert_good(b2nd_squeeze(array, &view));
    assert_good(b2nd_to_cframe(view, &frame, &size, &needs_free));
    assert_true(needs_free);
    assert_good(b2nd_from_cframe(frame, size, true, &copy));
    free(frame);
    assert_int_equal(copy->ndim, 2);
    nd_check(copy, items);
    assert_good(b2nd_free(copy));
    const char *const path = files_path("array");
    assert_good(blosc2_schunk_to_file(view->sc, path));
    assert_good(b2nd_open(path, &copy));
    assert_int_equal(copy->ndim, 2);
    nd_check(copy, items);
    assert_good(b2nd_free(copy));
    assert_good(b2nd_free(view));
    assert_good(b2nd_free(array));
    free(items);
}

static void
views_that_are_refused(void **state)
{
    b2nd_array_t *const array = nd_numbers(&thin, false, NULL);
    b2nd_array_t *view = NULL;
    const bool axis[] = {false, true, false, false, false, false};

    (void)state;
    assert_int_equal(b2nd_squeeze_index(array, &view, axis), BLOSC2_ERROR_INVALID_INDEX);
    assert_int_equal(b2nd_squeeze_index(array, &view, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_squeeze_index(NULL, &view, axis), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_squeeze(array, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_squeeze(NULL, &view), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_expand_dims(array, &view, axis, 4), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_expand_dims(array, &view, axis, 6), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_expand_dims(array, &view, axis, 17), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_expand_dims(array, &view, NULL, 5), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_expand_dims(NULL, &view, axis, 5), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_expand_dims(array, NULL, axis, 5), BLOSC2_ERROR_NULL_POINTER);
    assert_null(view);
    // Other metalayers may describe axes.
    assert_good(blosc2_meta_add(array->sc, "axes", (uint8_t[]){1}, 1));
    assert_int_equal(b2nd_squeeze(array, &view), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_expand_dims(array, &view, axis, 5), BLOSC2_ERROR_INVALID_PARAM);
    assert_null(view);
    assert_good(b2nd_free(array));
}

// -- slices

static void
slices_are_arrays(void **state)
{
    static const struct nd_shapes other = {2, {1, 1}, {3, 4}, {2, 3}};
    static const int64_t start[] = {5, 3}, stop[] = {13, 10}, beyond[] = {16, 10};
    b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
    int32_t *const items = nd_items(140, 0);
    int32_t box[77] = {0};

    (void)state;
    nd_box(2, matrix.shape, start, stop, items, box, false);
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_context_t *const ctx = nd_context(&other, nd_places[k].contiguous, path);
        b2nd_array_t *slice = NULL;
        assert_good(b2nd_get_slice(ctx, &slice, array, start, stop));
        assert_int_equal(slice->shape[0], 8);
        assert_int_equal(slice->chunkshape[1], 4);
        nd_check(slice, box);
        assert_good(b2nd_free(slice));
        if (path)
            files_remove(path);
        assert_int_equal(b2nd_get_slice(ctx, &slice, array, stop, start),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(b2nd_get_slice(NULL, &slice, array, start, stop),
                         BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_get_slice(ctx, NULL, array, start, stop), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_get_slice(ctx, &slice, NULL, start, stop), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_get_slice(ctx, &slice, array, NULL, stop), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_get_slice(ctx, &slice, array, start, NULL),
                         BLOSC2_ERROR_NULL_POINTER);
        assert_null(slice);
        assert_good(b2nd_free_ctx(ctx));
    }
    // What is beyond the end is zero.
    b2nd_context_t *const ctx = nd_context(&other, false, NULL);
    b2nd_array_t *slice = NULL;
    nd_box(2, matrix.shape, start, (int64_t[]){14, 10}, items, box, false);
    memset(box + 63, 0, sizeof box - 63 * sizeof *box);
    assert_good(b2nd_get_slice(ctx, &slice, array, start, beyond));
    nd_check(slice, box);
    assert_good(b2nd_free(slice));
    assert_good(b2nd_free_ctx(ctx));
    assert_good(b2nd_free(array));
    free(items);
}

// -- copies

static b2nd_context_t *
context_of(const struct nd_shapes *s, uint8_t codec, const char *dtype, char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;

    cparams.typesize = sizeof(int32_t);
    cparams.compcode = codec;
    storage.cparams = &cparams;
    storage.contiguous = true;
    storage.urlpath = path;
    return b2nd_create_ctx(&storage, s->ndim, s->shape, s->chunkshape, s->blockshape, dtype, 0,
                           NULL, 0);
}

static void
copies(void **state)
{
    static const struct nd_shapes other = {2, {1, 1}, {5, 10}, {5, 5}};
    static const struct {
        const struct nd_shapes *shapes;
        uint8_t codec;
        const char *dtype, *found;
        bool file;
    } cases[] = {
        {&matrix, BLOSC_BLOSCLZ, NULL, "|S4", false}, {&matrix, BLOSC_ZSTD, NULL, "|S4", true},
        {&other, BLOSC_LZ4, NULL, "|S4", true},       {&matrix, BLOSC_LZ4, "<f4", "<f4", false},
        {&other, BLOSC_BLOSCLZ, "<u4", "<u4", true},
    };
    b2nd_array_t *const array = nd_numbers(&matrix, false, NULL);
    int32_t *const items = nd_items(140, 0);
    uint8_t bytes[] = {4, 5};

    (void)state;
    assert_good(blosc2_meta_add(array->sc, "fixed", bytes, 2));
    assert_good(blosc2_vlmeta_add(array->sc, "variable", bytes, 2, NULL));
    for (size_t k = 0; k < COUNT(cases); k++) {
        char *const path = cases[k].file ? strdup(files_path("copy")) : NULL;
        b2nd_context_t *const ctx =
            context_of(cases[k].shapes, cases[k].codec, cases[k].dtype, path);
        b2nd_array_t *copy = NULL;
        uint8_t *content = NULL;
        int32_t size = 0;
        assert_good(b2nd_copy(ctx, array, &copy));
        assert_int_equal(copy->sc->compcode, cases[k].codec);
        assert_string_equal(copy->dtype, cases[k].found);
        assert_int_equal(copy->chunkshape[0], cases[k].shapes->chunkshape[0]);
        assert_int_equal(copy->sc->nmetalayers, 2);
        assert_int_equal(copy->sc->nvlmetalayers, 1);
        assert_good(blosc2_meta_get(copy->sc, "fixed", &content, &size));
        assert_int_equal(size, 2);
        assert_memory_equal(content, bytes, 2);
        free(content);
        assert_good(blosc2_vlmeta_get(copy->sc, "variable", &content, &size));
        assert_int_equal(size, 2);
        assert_memory_equal(content, bytes, 2);
        free(content);
        nd_check(copy, items);
        assert_good(b2nd_free(copy));
        if (path)
            files_remove(path);
        assert_int_equal(b2nd_copy(NULL, array, &copy), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_copy(ctx, NULL, &copy), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(b2nd_copy(ctx, array, NULL), BLOSC2_ERROR_NULL_POINTER);
        assert_good(b2nd_free_ctx(ctx));
        free(path);
    }
    assert_good(b2nd_free(array));
    free(items);
}

// -- one behind another

static void
check_joined(const b2nd_array_t *array, int64_t first_rows)
{
    int32_t *const found = nd_all(array);
    const int64_t columns = array->shape[1];

    for (int64_t i = 0; i < array->nitems; i++) {
        const int64_t row = i / columns;
        assert_int_equal(found[i], row < first_rows ? i : i - first_rows * columns);
    }
    nd_check(array, found);
    free(found);
}

static void
joined(void **state)
{
    static const struct nd_shapes second = {2, {5, 10}, {3, 4}, {3, 4}};
    (void)state;
    for (int k = 0; k < 2 * ND_PLACES; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        const bool copy = k % 2 == 0;
        char *const path = place->file ? strdup(files_path("array")) : NULL;
        b2nd_array_t *const a = nd_numbers(&matrix, place->contiguous, path);
        b2nd_array_t *const b = nd_numbers(&second, false, NULL);
        b2nd_context_t *const ctx = context_of(&matrix, BLOSC_LZ4, NULL, NULL);
        b2nd_array_t *both = NULL;

        assert_good(b2nd_concatenate(ctx, a, b, 0, copy, &both));
        assert_int_equal(both->shape[0], 19);
        assert_true(copy || both == a);
        check_joined(both, 14);
        assert_int_equal(a->shape[0], copy ? 14 : 19);
        if (copy)
            assert_good(b2nd_free(both));
        assert_good(b2nd_concatenate(ctx, b, b, 0, true, &both)); // one array twice
        check_joined(both, 5);
        assert_good(b2nd_free(both));
        assert_good(b2nd_free(a));
        assert_good(b2nd_free(b));
        assert_good(b2nd_free_ctx(ctx));
        if (path)
            files_remove(path);
        free(path);
    }
}

// Only the sizes of items must be equal.
static void
joined_with_another_type(void **state)
{
    b2nd_context_t *const ctx = context_of(&matrix, BLOSC_LZ4, "<u4", NULL);
    b2nd_array_t *const a = nd_numbers(&matrix, false, NULL);
    b2nd_array_t *b = NULL, *both = NULL;

    (void)state;
    assert_good(b2nd_copy(ctx, a, &b));
    assert_string_equal(b->dtype, "<u4");
    assert_good(b2nd_concatenate(ctx, a, b, 0, false, &both));
    assert_string_equal(both->dtype, "|S4");
    check_joined(both, 14);
    assert_good(b2nd_free(a));
    assert_good(b2nd_free(b));
    assert_good(b2nd_free_ctx(ctx));
}

static void
pairs_that_do_not_fit(void **state)
{
    static const struct nd_shapes wide = {2, {14, 11}, {8, 5}, {2, 2}}, row = {1, {14}, {8}, {2}};
    b2nd_context_t *const ctx = context_of(&matrix, BLOSC_LZ4, NULL, NULL);
    b2nd_array_t *const a = nd_numbers(&matrix, false, NULL);
    b2nd_array_t *const b = nd_numbers(&wide, false, NULL), *const c =
                                                                nd_numbers(&row, false, NULL);
    int32_t *const items = nd_items(140, 0);
    b2nd_array_t *both = NULL;

    (void)state;
    assert_int_equal(b2nd_concatenate(ctx, a, b, 0, false, &both), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_concatenate(ctx, a, c, 0, false, &both), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_concatenate(ctx, a, a, 2, false, &both), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_concatenate(ctx, a, a, -1, true, &both), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(b2nd_concatenate(NULL, a, a, 0, true, &both), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_concatenate(ctx, NULL, a, 0, true, &both), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_concatenate(ctx, a, NULL, 0, true, &both), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_concatenate(ctx, a, a, 0, true, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_null(both);
    nd_check(a, items);
    assert_good(b2nd_free(a));
    assert_good(b2nd_free(b));
    assert_good(b2nd_free(c));
    assert_good(b2nd_free_ctx(ctx));
    free(items);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(axes_of_length_1),
        IN_A_FOLDER(views_made_for_reading),
        IN_A_FOLDER(views_of_an_array_that_changes),
        IN_A_FOLDER(views_of_an_array_of_many_shapes),
        cmocka_unit_test(a_view_of_a_frame_in_place),
        IN_A_FOLDER(views_of_an_array_of_caterva),
        IN_A_FOLDER(a_view_as_a_frame),
        cmocka_unit_test(views_that_are_refused),
        IN_A_FOLDER(slices_are_arrays),
        IN_A_FOLDER(copies),
        IN_A_FOLDER(joined),
        cmocka_unit_test(joined_with_another_type),
        cmocka_unit_test(pairs_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
