/*
 * threads.c - threads that use one array, one super-chunk, or one file.
 *
 * Above all for the thread sanitizer: what one thread sees is checked, too. Each reader goes on
 * until the writers of its test have ended, and at least for some turns.
 */
#include "compat/nd.h"

#include "support/files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READERS = 3,
    TURNS_LEAST = 20,
    TURNS_MOST = 4000,
    NCHUNKS = 6, // of a super-chunk at first
    NITEMS = 500, // of a chunk; item i of all is i
    CHANGES = 25,
};

static const struct nd_shapes matrix = {2, {14, 10}, {5, 4}, {2, 3}};

// What the threads of one test share.
struct crew {
    b2nd_array_t *array, *other, *view; // view: of array
    blosc2_schunk *schunk;
    const char *path;
    atomic_int writers;
    atomic_int failures;
    atomic_int next_id; // of codecs and filters
    atomic_llong sum; // of numbers that calls returned
};

static void
check(struct crew *c, bool good, int line, const char *what)
{
    if (!good && c->failures++ < 3)
        fprintf(stderr, "line %d: %s does not hold\n", line, what);
}

#define must(c, condition) check(c, condition, __LINE__, #condition)

static bool
goes_on(const struct crew *c, int turn)
{
    return turn < TURNS_LEAST || (c->writers > 0 && turn < TURNS_MOST);
}

// Run functions in threads until all have ended; the first `writers` of them write.
static void
run(struct crew *c, void *(*const *functions)(void *), int count, int writers)
{
    pthread_t threads[8];

    c->writers = writers;
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, functions[i], c), 0);
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(c->failures, 0);
}

// -- what is read

static blosc2_schunk *
new_schunk(const char *path, bool contiguous)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    union {
        const char *constant;
        char *text;
    } urlpath = {.constant = path};
    uint8_t content[] = {1, 2, 3};

    cparams.typesize = sizeof(int32_t);
    cparams.blocksize = 512;
    storage.cparams = &cparams;
    storage.contiguous = contiguous;
    storage.urlpath = urlpath.text;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    for (int i = 0; i < NCHUNKS; i++) {
        int32_t *const items = nd_items(NITEMS, i * NITEMS);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, NITEMS * 4), i + 1);
        free(items);
    }
    assert_good(blosc2_vlmeta_add(s, "note", content, sizeof content, NULL));
    return s;
}

static bool
is_count(const int32_t *items, int64_t count, int64_t first)
{
    for (int64_t i = 0; i < count; i++)
        if (items[i] != first + i)
            return false;
    return true;
}

// Chunk n by all the ways that there are.
static void
read_chunk(struct crew *c, blosc2_schunk *s, blosc2_context *dctx, int n)
{
    int32_t items[NITEMS];
    uint8_t *chunk = NULL;
    bool needs_free = false;

    must(c, blosc2_schunk_decompress_chunk(s, n, items, sizeof items) == (int)sizeof items);
    must(c, is_count(items, NITEMS, n * NITEMS));
    const int size = n % 2 ? blosc2_schunk_get_chunk(s, n, &chunk, &needs_free)
                           : blosc2_schunk_get_lazychunk(s, n, &chunk, &needs_free);
    must(c, size > 0);
    memset(items, 0, sizeof items);
    must(c, blosc2_decompress_ctx(dctx, chunk, size, items, sizeof items) == (int)sizeof items);
    must(c, is_count(items, NITEMS, n * NITEMS));
    must(c, blosc2_getitem_ctx(dctx, chunk, size, 3, 9, items, sizeof items) == 9 * 4);
    must(c, is_count(items, 9, n * NITEMS + 3));
    if (needs_free)
        free(chunk);
}

static void
read_layers(struct crew *c, blosc2_schunk *s)
{
    uint8_t *content = NULL;
    int32_t size = 0;

    must(c, blosc2_vlmeta_exists(s, "note") >= 0);
    must(c, blosc2_vlmeta_get(s, "note", &content, &size) >= 0 && size == 3 && content[2] == 3);
    free(content);
}

static void
read_items(struct crew *c, blosc2_schunk *s, int turn)
{
    const int64_t start = turn * 37 % (NCHUNKS * NITEMS - 700), coords[] = {start + 5, start};
    int32_t items[700];

    must(c, blosc2_schunk_get_slice_buffer(s, start, start + 700, items) == 0);
    must(c, is_count(items, 700, start));
    must(c, blosc2_schunk_get_sparse_buffer(s, 2, coords, items) == 0);
    must(c, items[0] == start + 5 && items[1] == start);
}

static void *
read_schunk(void *arg)
{
    struct crew *const c = arg;
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);

    for (int turn = 0; goes_on(c, turn); turn++) {
        read_chunk(c, c->schunk, dctx, turn % NCHUNKS);
        read_items(c, c->schunk, turn);
        read_layers(c, c->schunk);
    }
    blosc2_free_ctx(dctx);
    return NULL;
}

static void *
read_array(void *arg)
{
    struct crew *const c = arg;
    int64_t rows[] = {3, 1}, columns[] = {9}, sizes[] = {2, 1}, shape[] = {2, 1};
    int64_t *selection[] = {rows, columns};

    for (int turn = 0; goes_on(c, turn); turn++) {
        const int64_t row = turn % 14, start[] = {row, 0}, stop[] = {row + 1, 10};
        const int64_t length[] = {1, 10}, coords[] = {row * 10 + 9, row};
        int32_t box[10];
        must(c, b2nd_get_slice_cbuffer(c->array, start, stop, box, length, sizeof box) == 0);
        must(c, is_count(box, 10, row * 10));
        must(c, b2nd_get_sparse_cbuffer(c->array, 2, coords, box, 8) == 0);
        must(c, box[0] == row * 10 + 9 && box[1] == row);
        must(c, b2nd_get_orthogonal_selection(c->array, selection, sizes, box, shape, 8) == 0);
        must(c, box[0] == 39 && box[1] == 19);
    }
    return NULL;
}

// -- who writes

// Appends to the file by a handle of its own, and adds a metalayer now and then.
static void *
append_elsewhere(void *arg)
{
    struct crew *const c = arg;
    blosc2_schunk *const s = blosc2_schunk_open(c->path);
    uint8_t content[] = {9};
    char name[] = "layer a";

    must(c, s != NULL);
    for (int i = 0; s && i < CHANGES; i++) {
        int32_t items[NITEMS];
        for (int k = 0; k < NITEMS; k++)
            items[k] = (int32_t)(s->nchunks * NITEMS + k);
        must(c, blosc2_schunk_append_buffer(s, items, sizeof items) > NCHUNKS);
        name[6]++;
        must(c, i % 4 || blosc2_vlmeta_add(s, name, content, 1, NULL) >= 0);
    }
    must(c, blosc2_schunk_free(s) == 0);
    c->writers--;
    return NULL;
}

// Writes by the handle that others read by: the same items again.
static void *
write_here(void *arg)
{
    struct crew *const c = arg;
    int32_t *const items = nd_items(NITEMS, 2 * NITEMS);

    for (int i = 0; i < CHANGES; i++) {
        const int64_t start = 2 * NITEMS + i;
        must(c, blosc2_schunk_set_slice_buffer(c->schunk, start, start + 100, items + i) == 0);
    }
    free(items);
    c->writers--;
    return NULL;
}

// The last row comes and goes.
static void *
resize_elsewhere(void *arg)
{
    struct crew *const c = arg;
    b2nd_array_t *array = NULL;
    int32_t *const row = nd_items(10, 140);

    must(c, b2nd_open(c->path, &array) == 0);
    for (int i = 0; array && i < CHANGES; i++) {
        must(c, b2nd_append(array, row, 40, 0) == 0 && array->shape[0] == 15);
        must(c, b2nd_delete(array, 0, 14, 1) == 0 && array->shape[0] == 14);
    }
    must(c, b2nd_free(array) == 0);
    free(row);
    c->writers--;
    return NULL;
}

static void *
write_array_here(void *arg)
{
    struct crew *const c = arg;
    int32_t *const row = nd_items(140, 0);
    const int64_t length[] = {1, 10};

    for (int i = 0; i < CHANGES; i++) {
        const int64_t start[] = {i % 14, 0}, stop[] = {i % 14 + 1, 10};
        must(c, b2nd_set_slice_cbuffer(row + i % 14 * 10, length, 40, start, stop, c->array) == 0);
    }
    free(row);
    c->writers--;
    return NULL;
}

static void *
open_and_close(void *arg)
{
    struct crew *const c = arg;
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);

    for (int turn = 0; goes_on(c, turn); turn++) {
        blosc2_schunk *const s = blosc2_schunk_open(c->path);
        must(c, s != NULL);
        if (!s)
            break;
        read_chunk(c, s, dctx, turn % NCHUNKS);
        read_layers(c, s);
        must(c, blosc2_schunk_free(s) == 0);
    }
    blosc2_free_ctx(dctx);
    return NULL;
}

// -- codecs and filters

static int
encode_as_it_is(const uint8_t *input, int32_t size, uint8_t *output, int32_t room, uint8_t meta,
                blosc2_cparams *cparams, const void *chunk)
{
    (void)input, (void)size, (void)output, (void)room, (void)meta, (void)cparams, (void)chunk;
    return 0;
}

static int
decode_nothing(const uint8_t *input, int32_t size, uint8_t *output, int32_t room, uint8_t meta,
               blosc2_dparams *dparams, const void *chunk)
{
    (void)input, (void)size, (void)output, (void)room, (void)meta, (void)dparams, (void)chunk;
    return -1;
}

static int
invert_forward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta,
               blosc2_cparams *cparams, uint8_t id)
{
    (void)meta, (void)cparams, (void)id;
    for (int32_t i = 0; i < size; i++)
        dst[i] = (uint8_t)~src[i];
    return 0;
}

static int
invert_backward(const uint8_t *src, uint8_t *dst, int32_t size, uint8_t meta,
                blosc2_dparams *dparams, uint8_t id)
{
    (void)meta, (void)dparams, (void)id;
    for (int32_t i = 0; i < size; i++)
        dst[i] = (uint8_t)~src[i];
    return 0;
}

// Each registers a codec and a filter, and uses the filter.
static void *
register_more(void *arg)
{
    struct crew *const c = arg;

    for (int i = 0; i < CHANGES; i++) {
        const uint8_t id = (uint8_t)(BLOSC2_USER_REGISTERED_CODECS_START + c->next_id++ % 90);
        blosc2_codec codec = {id, "none", 1, 1, encode_as_it_is, decode_nothing};
        blosc2_filter filter = {id, "invert", 1, invert_forward, invert_backward};
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        uint8_t chunk[300], content[200] = {1}, back[200];
        must(c, blosc2_register_codec(&codec) == 0 && blosc2_register_filter(&filter) == 0);
        cparams.typesize = 1;
        cparams.filters[0] = id;
        blosc2_context *const cctx = blosc2_create_cctx(cparams);
        blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
        const int size = blosc2_compress_ctx(cctx, content, 200, chunk, sizeof chunk);
        must(c, size > 0 && blosc2_decompress_ctx(dctx, chunk, size, back, 200) == 200);
        must(c, memcmp(content, back, 200) == 0);
        blosc2_free_ctx(cctx);
        blosc2_free_ctx(dctx);
    }
    c->writers--;
    return NULL;
}

// -- views

// Copies between an array and views of another, in both directions: nobody waits for ever.
static void *
copy_from_view(void *arg)
{
    struct crew *const c = arg;
    b2nd_array_t *view = NULL, *whole = NULL;
    b2nd_context_t *const ctx = nd_context(&matrix, false, NULL);

    must(c, b2nd_expand_dims(c->array, &view, (const bool[]){false, true, false}, 3) == 0);
    for (int i = 0; view && i < CHANGES; i++) {
        must(c, b2nd_copy(ctx, c->array, &whole) == 0 && whole->nitems == 140);
        must(c, b2nd_free(whole) == 0);
        const int64_t start[] = {i % 14, 0, 0}, stop[] = {i % 14 + 1, 1, 10};
        const int64_t length[] = {1, 1, 10};
        int32_t row[10];
        must(c, b2nd_get_slice_cbuffer(view, start, stop, row, length, sizeof row) == 0);
        must(c, is_count(row, 10, i % 14 * 10));
    }
    must(c, b2nd_free(view) == 0);
    must(c, b2nd_free_ctx(ctx) == 0);
    c->writers--;
    return NULL;
}

// The array to the end of another one, and that to the end of a view of the array, which is refused
// when both are locked: in one order, whatever the addresses of views are.
static void *
append_to_other(void *arg)
{
    struct crew *const c = arg;
    b2nd_array_t *same = NULL;

    for (int i = 0; i < 20 * CHANGES; i++)
        must(c, b2nd_concatenate(NULL, c->other, c->array, 1, false, &same) == 0);
    c->writers--;
    return NULL;
}

static void *
append_to_view(void *arg)
{
    struct crew *const c = arg;
    b2nd_array_t *same = NULL;

    for (int i = 0; i < 20 * CHANGES; i++)
        must(c, b2nd_concatenate(NULL, c->view, c->other, 1, false, &same) < 0);
    c->writers--;
    return NULL;
}

// -- the tests

static void
one_super_chunk(void **state)
{
    static void *(*const functions[])(void *) = {read_schunk, read_schunk, read_schunk};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        struct crew c = {.path = nd_places[k].file ? files_path("schunk") : NULL};
        c.schunk = new_schunk(c.path, nd_places[k].contiguous);
        run(&c, functions, READERS, 0);
        assert_good(blosc2_schunk_free(c.schunk));
        if (c.path)
            files_remove(c.path);
    }
}

static void
a_super_chunk_that_others_append_to(void **state)
{
    static void *(*const functions[])(void *) = {append_elsewhere, read_schunk, read_schunk,
                                                 open_and_close};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        if (!nd_places[k].file)
            continue;
        struct crew c = {.path = files_path("schunk")};
        assert_good(blosc2_schunk_free(new_schunk(c.path, nd_places[k].contiguous)));
        c.schunk = blosc2_schunk_open(c.path);
        assert_non_null(c.schunk);
        run(&c, functions, 4, 1);
        assert_good(blosc2_schunk_free(c.schunk));
        files_remove(c.path);
    }
}

static void *
append_here(void *arg)
{
    struct crew *const c = arg;
    int32_t *const items = nd_items(NITEMS, 0);

    for (int i = 0; i < CHANGES; i++)
        must(c, blosc2_schunk_append_buffer(c->schunk, items, NITEMS * sizeof *items) > NCHUNKS);
    free(items);
    c->writers--;
    return NULL;
}

// Ends with the writers only.
static void *
read_without_pause(void *arg)
{
    struct crew *const c = arg;
    int32_t items[NITEMS];

    do
        must(c, blosc2_schunk_decompress_chunk(c->schunk, 3, items, sizeof items) == sizeof items);
    while (c->writers > 0);
    must(c, is_count(items, NITEMS, 3 * NITEMS));
    return NULL;
}

// Readers leave moments for one that appends.
static void
appends_among_readers(void **state)
{
    static void *(*const functions[])(void *) = {append_here, read_without_pause,
                                                 read_without_pause, read_without_pause};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        struct crew c = {.path = nd_places[k].file ? files_path("schunk") : NULL};
        c.schunk = new_schunk(c.path, nd_places[k].contiguous);
        run(&c, functions, 4, 1);
        assert_int_equal(c.schunk->nchunks, NCHUNKS + CHANGES);
        assert_good(blosc2_schunk_free(c.schunk));
        if (c.path)
            files_remove(c.path);
    }
}

// Chunks are counted once each: the first that is added is number NCHUNKS + 1.
static void *
append_and_count(void *arg)
{
    struct crew *const c = arg;
    int32_t *const items = nd_items(NITEMS, 0);

    for (int i = 0; i < CHANGES; i++)
        c->sum += blosc2_schunk_append_buffer(c->schunk, items, NITEMS * sizeof *items);
    free(items);
    c->writers--;
    return NULL;
}

static void
appends_of_several_threads(void **state)
{
    static void *(*const functions[])(void *) = {append_and_count, append_and_count,
                                                 append_and_count};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const int n = 3 * CHANGES;
        struct crew c = {.path = nd_places[k].file ? files_path("schunk") : NULL};
        c.schunk = new_schunk(c.path, nd_places[k].contiguous);
        run(&c, functions, 3, 3);
        assert_int_equal(c.sum, n * NCHUNKS + n * (n + 1) / 2);
        assert_good(blosc2_schunk_free(c.schunk));
        if (c.path)
            files_remove(c.path);
    }
}

// Each of them takes the file from the other.
static void
two_that_write_one_file(void **state)
{
    static void *(*const functions[])(void *) = {append_elsewhere, write_here, read_schunk};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        if (!nd_places[k].file)
            continue;
        struct crew c = {.path = files_path("schunk")};
        c.schunk = new_schunk(c.path, nd_places[k].contiguous);
        run(&c, functions, 3, 2);
        assert_in_range(blosc2_schunk_refresh(c.schunk), 0, 1); // 1: the other one was last
        assert_int_equal(blosc2_schunk_refresh(c.schunk), 0);
        assert_int_equal(c.schunk->nchunks, NCHUNKS + CHANGES);
        assert_good(blosc2_schunk_free(c.schunk));
        files_remove(c.path);
    }
}

static void
one_array(void **state)
{
    static void *(*const functions[])(void *) = {write_array_here, read_array, read_array};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        struct crew c = {.path = nd_places[k].file ? files_path("array") : NULL};
        c.array = nd_numbers(&matrix, nd_places[k].contiguous, c.path);
        run(&c, functions, 3, 1);
        assert_good(b2nd_free(c.array));
        if (c.path)
            files_remove(c.path);
    }
}

static void
an_array_that_others_resize(void **state)
{
    static void *(*const functions[])(void *) = {resize_elsewhere, read_array, read_array};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        if (!nd_places[k].file)
            continue;
        struct crew c = {.path = files_path("array")};
        assert_good(b2nd_free(nd_numbers(&matrix, nd_places[k].contiguous, c.path)));
        assert_good(b2nd_open(c.path, &c.array));
        run(&c, functions, 3, 1);
        assert_good(b2nd_free(c.array));
        files_remove(c.path);
    }
}

static void *
resize_here(void *arg)
{
    struct crew *const c = arg;
    int32_t *const row = nd_items(10, 140);

    for (int i = 0; i < CHANGES; i++) {
        must(c, b2nd_append(c->array, row, 40, 0) == 0);
        must(c, b2nd_delete(c->array, 0, 14, 1) == 0);
    }
    free(row);
    c->writers--;
    return NULL;
}

// The same items again.
static void *
write_view(void *arg)
{
    struct crew *const c = arg;
    int32_t *const items = nd_items(140, 0);
    int64_t columns[] = {9}, count[] = {1, 14, 1}, zero[] = {0}, rows[14];
    int64_t *selection[] = {zero, rows, columns};
    int32_t column[14], row[10];

    for (int i = 0; i < 14; i++) {
        rows[i] = i;
        column[i] = i * 10 + 9;
    }
    for (int i = 0; i < CHANGES; i++) {
        const int64_t start[] = {0, i % 14, 0}, stop[] = {1, i % 14 + 1, 10}, length[] = {1, 1, 10};
        must(c, b2nd_set_slice_cbuffer(items + i % 14 * 10, length, 40, start, stop, c->view) == 0);
        must(c, b2nd_set_orthogonal_selection(c->view, selection, count, column, count,
                                              sizeof column) == 0);
        must(c, b2nd_get_slice_cbuffer(c->view, start, stop, row, length, sizeof row) == 0);
        must(c, is_count(row, 10, i % 14 * 10));
    }
    free(items);
    c->writers--;
    return NULL;
}

static void
a_view_of_an_array_that_is_resized(void **state)
{
    static void *(*const functions[])(void *) = {resize_here, write_view, write_view, read_array};

    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        struct crew c = {.path = nd_places[k].file ? files_path("array") : NULL};
        c.array = nd_numbers(&matrix, nd_places[k].contiguous, c.path);
        assert_good(b2nd_expand_dims(c.array, &c.view, (const bool[]){true, false, false}, 3));
        run(&c, functions, 4, 3);
        assert_good(b2nd_free(c.view));
        assert_good(b2nd_free(c.array));
        if (c.path)
            files_remove(c.path);
    }
}

static void
codecs_that_are_registered_meanwhile(void **state)
{
    static void *(*const functions[])(void *) = {register_more, register_more, open_and_close,
                                                 read_schunk};

    (void)state;
    struct crew c = {.path = files_path("schunk")};
    c.schunk = new_schunk(c.path, true);
    run(&c, functions, 4, 2);
    assert_good(blosc2_schunk_free(c.schunk));
    files_remove(c.path);
}

static void
views_of_one_array(void **state)
{
    static void *(*const functions[])(void *) = {copy_from_view, copy_from_view, write_array_here,
                                                 read_array};

    (void)state;
    struct crew c = {.array = nd_numbers(&matrix, true, NULL)};
    run(&c, functions, 4, 3);
    assert_good(b2nd_free(c.array));
}

static void
both_ways(void **state)
{
    static void *(*const functions[])(void *) = {append_to_other, append_to_view};

    (void)state;
    struct crew c = {.array = nd_numbers(&matrix, true, NULL)};
    c.other = nd_numbers(&matrix, true, NULL);
    assert_good(b2nd_squeeze(c.array, &c.view));
    run(&c, functions, 2, 2);
    assert_int_equal(c.array->shape[1], 10);
    assert_int_equal(c.other->shape[1], 10 * (1 + 20 * CHANGES));
    assert_good(b2nd_free(c.view));
    assert_good(b2nd_free(c.other));
    assert_good(b2nd_free(c.array));
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(one_super_chunk),
        IN_A_FOLDER(a_super_chunk_that_others_append_to),
        IN_A_FOLDER(appends_among_readers),
        IN_A_FOLDER(appends_of_several_threads),
        IN_A_FOLDER(two_that_write_one_file),
        IN_A_FOLDER(one_array),
        IN_A_FOLDER(an_array_that_others_resize),
        IN_A_FOLDER(a_view_of_an_array_that_is_resized),
        IN_A_FOLDER(codecs_that_are_registered_meanwhile),
        cmocka_unit_test(views_of_one_array),
        cmocka_unit_test(both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
