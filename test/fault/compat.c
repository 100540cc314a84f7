/*
 * compat.c - calls of b2nd.h and blosc2.h with the n-th allocation failing, for all n.
 *
 * A call does without the memory, or fails; then array, super-chunk and files are as they were, and
 * the members that programs see fit them. That nothing leaks is for the address sanitizer.
 *
 * Linked with the objects of the libraries and -Wl,--wrap. Each call is made with one failure, and
 * with all allocations from the n-th on failing.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 3000, NCHUNKS = 3, NITEMS = 100 };

// -- the failing allocator, of one thread

static struct {
    bool armed, sticky;
    long countdown, failures;
} fault;

static bool
fails(void)
{
    if (!fault.armed || fault.countdown < 0 || fault.countdown-- > 0)
        return false;
    fault.countdown = fault.sticky ? 0 : -1;
    fault.failures++;
    return true;
}

#define WRAP(type, name, parameters, arguments)          \
    type __real_##name parameters;                       \
    type __wrap_##name parameters;                       \
    type __wrap_##name parameters                        \
    {                                                    \
        return fails() ? NULL : __real_##name arguments; \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *p, size_t size), (p, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t size), (s, size))

// -- what calls work on

static const struct nd_shapes matrix = {2, {7, 6}, {4, 3}, {2, 3}};

struct subject {
    bool file;
    char array_path[300], schunk_path[300];
    b2nd_array_t *array;
    blosc2_schunk *schunk;
    b2nd_context_t *ctx; // of the shapes of the array, in memory
    uint8_t *frame; // of the array
    int64_t frame_size;
};

static blosc2_schunk *
new_schunk(char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    uint8_t content[] = {1, 2, 3};

    cparams.typesize = sizeof(int32_t);
    storage.cparams = &cparams;
    storage.contiguous = path != NULL;
    storage.urlpath = path;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    for (int i = 0; s && i < NCHUNKS; i++) {
        int32_t *const items = nd_items(NITEMS, i * NITEMS);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, NITEMS * 4), i + 1);
        free(items);
    }
    assert_non_null(s);
    assert_good(blosc2_meta_add(s, "fixed", content, 2));
    assert_good(blosc2_vlmeta_add(s, "note", content, 3, NULL));
    return s;
}

static void
prepare(struct subject *s, bool file)
{
    bool needs_free = false;

    *s = (struct subject){.file = file};
    snprintf(s->array_path, sizeof s->array_path, "%s", files_path("array"));
    snprintf(s->schunk_path, sizeof s->schunk_path, "%s", files_path("schunk"));
    s->array = nd_numbers(&matrix, true, file ? s->array_path : NULL);
    s->schunk = new_schunk(file ? s->schunk_path : NULL);
    s->ctx = nd_context(&matrix, false, NULL);
    b2nd_array_t *const other = nd_numbers(&matrix, false, NULL);
    assert_good(b2nd_to_cframe(other, &s->frame, &s->frame_size, &needs_free));
    assert_true(needs_free);
    assert_good(b2nd_free(other));
    if (file) { // committed
        assert_good(b2nd_free(s->array));
        assert_good(blosc2_schunk_free(s->schunk));
        assert_good(b2nd_open(s->array_path, &s->array));
        s->schunk = blosc2_schunk_open(s->schunk_path);
        assert_non_null(s->schunk);
    }
}

static void
compare_array(b2nd_array_t *array)
{
    int32_t *const items = nd_items(42, 0);

    assert_int_equal(array->nitems, 42);
    nd_check(array, items);
    free(items);
}

static void
check_schunk(blosc2_schunk *s)
{
    int32_t items[NCHUNKS * NITEMS];
    uint8_t *content = NULL;
    int32_t size = 0;

    assert_int_equal(s->nchunks, NCHUNKS);
    assert_int_equal(s->nbytes, sizeof items);
    assert_int_equal(s->nmetalayers, 1);
    assert_int_equal(s->nvlmetalayers, 1);
    assert_good(blosc2_schunk_get_slice_buffer(s, 0, NCHUNKS * NITEMS, items));
    for (int i = 0; i < NCHUNKS * NITEMS; i++)
        assert_int_equal(items[i], i);
    assert_good(blosc2_vlmeta_get(s, "note", &content, &size));
    assert_int_equal(size, 3);
    free(content);
    if (!s->frame)
        assert_int_equal(s->data_len, 4096);
}

static void
check(struct subject *s)
{
    compare_array(s->array);
    check_schunk(s->schunk);
}

// What is in the files, too.
static void
finish(struct subject *s, bool as_it_was)
{
    if (as_it_was)
        check(s);
    assert_good(b2nd_free(s->array));
    assert_good(blosc2_schunk_free(s->schunk));
    if (s->file && as_it_was) {
        assert_good(b2nd_open(s->array_path, &s->array));
        s->schunk = blosc2_schunk_open(s->schunk_path);
        assert_non_null(s->schunk);
        check(s);
        assert_good(b2nd_free(s->array));
        assert_good(blosc2_schunk_free(s->schunk));
    }
    assert_good(b2nd_free_ctx(s->ctx));
    free(s->frame);
    files_remove(s->array_path);
    files_remove(s->schunk_path);
}

// What a call does. Layers that are set, while there is no memory to list them, may stay.
enum effect { READS, CHANGES, SETS_LAYERS };

// -- the calls; each returns a code, and frees what it got

static const int64_t start[] = {1, 1}, stop[] = {6, 5}, shape[] = {5, 4};
static int32_t buffer[1000];

static char *
other_path(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s", files_path("other"));
    return path;
}

static int64_t
end_array(int rc, b2nd_array_t *array)
{
    assert_true((rc < 0) == !array);
    return array ? b2nd_free(array) : rc;
}

static int64_t
end_schunk(blosc2_schunk *schunk)
{
    return schunk ? blosc2_schunk_free(schunk) : BLOSC2_ERROR_MEMORY_ALLOC;
}

#define MAKES_ARRAY(name, expr)            \
    static int64_t name(struct subject *s) \
    {                                      \
        b2nd_array_t *made = NULL;         \
        const int rc = (expr);             \
        (void)s;                           \
        return end_array(rc, made);        \
    }
#define CALL(name, expr)                   \
    static int64_t name(struct subject *s) \
    {                                      \
        (void)s;                           \
        return (expr);                     \
    }

MAKES_ARRAY(zeros, b2nd_zeros(s->ctx, &made))
MAKES_ARRAY(uninit, b2nd_uninit(s->ctx, &made))
MAKES_ARRAY(nans, b2nd_nans(s->ctx, &made))
MAKES_ARRAY(full, b2nd_full(s->ctx, &made, buffer))
MAKES_ARRAY(from_cbuffer, b2nd_from_cbuffer(s->ctx, &made, buffer, 42 * 4))
MAKES_ARRAY(from_cframe, b2nd_from_cframe(s->frame, s->frame_size, true, &made))
MAKES_ARRAY(from_cframe_in_place, b2nd_from_cframe(s->frame, s->frame_size, false, &made))
MAKES_ARRAY(copy, b2nd_copy(s->ctx, s->array, &made))
MAKES_ARRAY(get_slice, b2nd_get_slice(s->ctx, &made, s->array, start, stop))
MAKES_ARRAY(concatenate, b2nd_concatenate(s->ctx, s->array, s->array, 0, true, &made))
MAKES_ARRAY(squeeze, b2nd_squeeze(s->array, &made))
MAKES_ARRAY(expand_dims, b2nd_expand_dims(s->array, &made, (const bool[]){true, false, false}, 3))
CALL(to_cbuffer, b2nd_to_cbuffer(s->array, buffer, sizeof buffer))
CALL(get_box, b2nd_get_slice_cbuffer(s->array, start, stop, buffer, shape, sizeof buffer))
CALL(get_sparse, b2nd_get_sparse_cbuffer(s->array, 2, start, buffer, 8))
CALL(refresh, b2nd_refresh(s->array))

static int64_t
open_array(struct subject *s)
{
    b2nd_array_t *made = NULL;
    const int rc = s->file ? b2nd_open(s->array_path, &made) : BLOSC2_ERROR_FAILURE;
    return end_array(rc, made);
}

static int64_t
get_selection(struct subject *s)
{
    int64_t rows[] = {5, 1}, columns[] = {3}, counts[] = {2, 1}, room[] = {2, 2};
    int64_t *lists[] = {rows, columns};
    return b2nd_get_orthogonal_selection(s->array, lists, counts, buffer, room, 8);
}

static int64_t
create_context(struct subject *s)
{
    blosc2_metalayer layer = {"more", (uint8_t *)buffer, 4};
    b2nd_context_t *const ctx = b2nd_create_ctx(NULL, 2, matrix.shape, matrix.chunkshape,
                                                matrix.blockshape, "<i4", 0, &layer, 1);
    (void)s;
    return ctx ? b2nd_free_ctx(ctx) : BLOSC2_ERROR_MEMORY_ALLOC;
}

static int64_t
serialize(struct subject *s)
{
    uint8_t *content = NULL;
    int8_t ndim, format;
    int64_t shape_read[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    char *dtype = NULL;
    int rc = b2nd_serialize_meta(2, matrix.shape, matrix.chunkshape, matrix.blockshape, "<i4", 0,
                                 &content);
    (void)s;
    if (rc > 0)
        rc = b2nd_deserialize_meta(content, rc, &ndim, shape_read, chunkshape, blockshape, &dtype,
                                   &format);
    free(content);
    free(dtype);
    return rc;
}

static int64_t
to_cframe(struct subject *s)
{
    uint8_t *frame = NULL;
    int64_t size;
    bool needs_free = false;
    const int rc = b2nd_to_cframe(s->array, &frame, &size, &needs_free);

    if (needs_free)
        free(frame);
    return rc;
}

static int64_t
save(struct subject *s)
{
    const int rc = b2nd_save(s->array, other_path());
    files_remove(files_path("other"));
    return rc;
}

static int64_t
append_to_file(struct subject *s)
{
    const int64_t rc = blosc2_schunk_append_file(s->schunk, files_path("other"));
    files_remove(files_path("other"));
    return rc;
}

CALL(set_box, b2nd_set_slice_cbuffer(buffer, shape, sizeof buffer, start, stop, s->array))
CALL(resize, b2nd_resize(s->array, stop, NULL))
CALL(grow, b2nd_resize(s->array, (const int64_t[]){9, 9}, NULL))
CALL(insert, b2nd_insert(s->array, buffer, 4 * 6 * 4, 0, 4))
CALL(append, b2nd_append(s->array, buffer, 6 * 4, 0))
CALL(delete, b2nd_delete(s->array, 0, 0, 4))

static int64_t
append_here(struct subject *s)
{
    b2nd_array_t *same = NULL;
    return b2nd_concatenate(s->ctx, s->array, s->array, 0, false, &same);
}

CALL(resize_wrongly, b2nd_resize(s->array, (const int64_t[]){-1, 2}, NULL))

// -- super-chunks

CALL(open_schunk, s->file ? end_schunk(blosc2_schunk_open(s->schunk_path)) : -1)
CALL(copy_schunk, end_schunk(blosc2_schunk_copy(s->schunk, NULL)))
CALL(schunk_from_buffer, end_schunk(blosc2_schunk_from_buffer(s->frame, s->frame_size, true)))
CALL(decompress, blosc2_schunk_decompress_chunk(s->schunk, 1, buffer, sizeof buffer))
CALL(get_items, blosc2_schunk_get_slice_buffer(s->schunk, 50, 250, buffer))
CALL(get_points, blosc2_schunk_get_sparse_buffer(s->schunk, 2, start, buffer))
CALL(frame_len, blosc2_schunk_frame_len(s->schunk))
CALL(append_items, blosc2_schunk_append_buffer(s->schunk, buffer, 400))
CALL(set_items, blosc2_schunk_set_slice_buffer(s->schunk, 110, 120, buffer))
CALL(delete_chunk, blosc2_schunk_delete_chunk(s->schunk, 1))
CALL(reorder, blosc2_schunk_reorder_offsets(s->schunk, (int64_t[]){2, 1, 0}))
CALL(add_fixed, blosc2_meta_add(s->schunk, "more", (uint8_t *)buffer, 4))
CALL(update_fixed, blosc2_meta_update(s->schunk, "fixed", (uint8_t *)buffer, 2))
CALL(add_variable, blosc2_vlmeta_add(s->schunk, "more", (uint8_t *)buffer, 400, NULL))
CALL(update_variable, blosc2_vlmeta_update(s->schunk, "note", (uint8_t *)buffer, 400, NULL))
CALL(delete_variable, blosc2_vlmeta_delete(s->schunk, "note"))

static int64_t
get_variable(struct subject *s)
{
    uint8_t *content = NULL;
    int32_t size;
    const int rc = blosc2_vlmeta_get(s->schunk, "note", &content, &size);

    free(content);
    return rc;
}

static int64_t
get_fixed(struct subject *s)
{
    uint8_t *content = NULL;
    int32_t size;
    const int rc = blosc2_meta_get(s->schunk, "fixed", &content, &size);

    free(content);
    return rc;
}

static int64_t
put_chunk(struct subject *s, int way)
{
    uint8_t *chunk = NULL;
    bool needs_free = false;
    int64_t rc = blosc2_schunk_get_chunk(s->schunk, 0, &chunk, &needs_free);

    if (rc > 0)
        rc = way == 0   ? blosc2_schunk_append_chunk(s->schunk, chunk, true)
             : way == 1 ? blosc2_schunk_insert_chunk(s->schunk, 1, chunk, true)
                        : blosc2_schunk_update_chunk(s->schunk, 1, chunk, true);
    if (needs_free)
        free(chunk);
    return rc;
}

CALL(append_chunk, put_chunk(s, 0))
CALL(insert_chunk, put_chunk(s, 1))
CALL(update_chunk, put_chunk(s, 2))

static int64_t
offsets(struct subject *s)
{
    int64_t *const list = blosc2_frame_get_offsets(s->schunk);
    free(list);
    return s->schunk->frame && !list ? BLOSC2_ERROR_MEMORY_ALLOC : 0;
}

static int64_t
params(struct subject *s)
{
    blosc2_cparams *cparams = NULL;
    blosc2_dparams *dparams = NULL;
    int rc = blosc2_schunk_get_cparams(s->schunk, &cparams);

    if (rc == 0)
        rc = blosc2_schunk_get_dparams(s->schunk, &dparams);
    free(cparams);
    free(dparams);
    return rc;
}

static int64_t
new_file(struct subject *s)
{
    blosc2_storage storage = {.contiguous = true, .urlpath = other_path()};
    const int64_t rc = end_schunk(blosc2_schunk_new(&storage));

    (void)s;
    files_remove(files_path("other"));
    return rc;
}

// -- contexts

static int64_t
contexts(struct subject *s)
{
    uint8_t chunk[600], *block = NULL;
    const void *const sources[] = {buffer, buffer + 10};
    const int32_t sizes[] = {40, 80};
    int32_t size;
    bool mask[1] = {false};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    (void)s;
    cparams.typesize = 4;
    blosc2_context *const cctx = blosc2_create_cctx(cparams);
    blosc2_context *const dctx = blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
    int rc = cctx && dctx ? blosc2_compress_ctx(cctx, buffer, 400, chunk, sizeof chunk)
                          : BLOSC2_ERROR_MEMORY_ALLOC;
    if (rc > 0)
        rc = blosc2_set_maskout(dctx, mask, 1);
    if (rc >= 0)
        rc = blosc2_decompress_ctx(dctx, chunk, sizeof chunk, buffer, 400);
    if (rc > 0)
        rc = blosc2_getitem_ctx(dctx, chunk, sizeof chunk, 2, 3, buffer, 400);
    if (rc > 0)
        rc = blosc2_vlcompress_ctx(cctx, sources, sizes, 2, chunk, sizeof chunk);
    if (rc > 0)
        rc = blosc2_vldecompress_block_ctx(dctx, chunk, rc, 1, &block, &size);
    free(block);
    blosc2_free_ctx(cctx);
    blosc2_free_ctx(dctx);
    return rc;
}

static int64_t
globals(struct subject *s)
{
    uint8_t chunk[600];
    char *library = NULL, *version = NULL;
    int rc = blosc2_compress(5, 1, 4, buffer, 400, chunk, sizeof chunk);

    (void)s;
    if (rc > 0)
        rc = blosc2_decompress(chunk, rc, buffer, sizeof buffer);
    if (rc > 0)
        rc = blosc2_get_complib_info("lz4", &library, &version);
    free(library);
    free(version);
    return rc;
}

#define STEP(call, effect)  \
    {                       \
#call, call, effect \
    }
static const struct step {
    const char *name;
    int64_t (*call)(struct subject *s);
    enum effect effect; // on what it works on
} steps[] = {
    STEP(zeros, READS),
    STEP(uninit, READS),
    STEP(nans, READS),
    STEP(full, READS),
    STEP(from_cbuffer, READS),
    STEP(from_cframe, READS),
    STEP(copy, READS),
    STEP(get_slice, READS),
    STEP(concatenate, READS),
    STEP(squeeze, READS),
    STEP(expand_dims, READS),
    STEP(to_cbuffer, READS),
    STEP(get_box, READS),
    STEP(get_sparse, READS),
    STEP(refresh, READS),
    STEP(open_array, READS),
    STEP(get_selection, READS),
    STEP(create_context, READS),
    STEP(serialize, READS),
    STEP(to_cframe, READS),
    STEP(save, READS),
    STEP(set_box, CHANGES),
    STEP(resize, CHANGES),
    STEP(grow, CHANGES),
    STEP(insert, CHANGES),
    STEP(append, CHANGES),
    STEP(delete, CHANGES),
    STEP(append_here, CHANGES),
    STEP(resize_wrongly, READS),
    STEP(open_schunk, READS),
    STEP(copy_schunk, READS),
    STEP(schunk_from_buffer, READS),
    STEP(from_cframe_in_place, READS),
    STEP(decompress, READS),
    STEP(get_items, READS),
    STEP(get_points, READS),
    STEP(frame_len, READS),
    STEP(append_items, CHANGES),
    STEP(set_items, CHANGES),
    STEP(delete_chunk, CHANGES),
    STEP(reorder, CHANGES),
    STEP(add_fixed, SETS_LAYERS),
    STEP(update_fixed, SETS_LAYERS),
    STEP(add_variable, SETS_LAYERS),
    STEP(update_variable, SETS_LAYERS),
    STEP(delete_variable, SETS_LAYERS),
    STEP(get_variable, READS),
    STEP(get_fixed, READS),
    STEP(append_chunk, CHANGES),
    STEP(insert_chunk, CHANGES),
    STEP(update_chunk, CHANGES),
    STEP(append_to_file, READS),
    STEP(offsets, READS),
    STEP(params, READS),
    STEP(new_file, READS),
    STEP(contexts, READS),
    STEP(globals, READS),
};

static bool
same_items(const struct subject *x, const struct subject *y)
{
    const int64_t n = x->schunk->nbytes / 4;
    bool same = x->array->nitems == y->array->nitems && x->schunk->nbytes == y->schunk->nbytes;

    if (!same)
        return false;
    int32_t *const items = nd_all(x->array), *const others = nd_all(y->array);
    int32_t *const list = malloc((size_t)n * 4 + 1), *const other_list = malloc((size_t)n * 4 + 1);
    assert_good(blosc2_schunk_get_slice_buffer(x->schunk, 0, n, list));
    assert_good(blosc2_schunk_get_slice_buffer(y->schunk, 0, n, other_list));
    same = memcmp(x->array->shape, y->array->shape, 2 * sizeof *x->array->shape) == 0 &&
           memcmp(items, others, (size_t)x->array->nitems * 4) == 0 &&
           memcmp(list, other_list, (size_t)n * 4) == 0;
    free(items);
    free(others);
    free(list);
    free(other_list);
    return same;
}

// A call that changes a file commits when the change is made: if only that fails, the change stays,
// all of it, for the next commit. Whether it has stayed.
static bool
has_changed(const struct step *step, const struct subject *s)
{
    struct subject undisturbed;

    prepare(&undisturbed, false);
    snprintf(undisturbed.array_path, sizeof undisturbed.array_path, "%s", files_path("none"));
    snprintf(undisturbed.schunk_path, sizeof undisturbed.schunk_path, "%s", files_path("none"));
    const bool changed = !same_items(s, &undisturbed);
    assert_good(step->call(&undisturbed));
    if (changed)
        assert_true(same_items(s, &undisturbed));
    finish(&undisturbed, false);
    return changed;
}

// Whether an allocation failed: then there may be more.
static bool
fail_once(const struct step *step, bool file, long n, bool sticky)
{
    struct subject s;

    prepare(&s, file);
    fault.sticky = sticky;
    fault.countdown = n;
    fault.failures = 0;
    fault.armed = true;
    const int64_t rc = step->call(&s);
    fault.armed = false;
    const bool failed = rc < 0 && step->effect == CHANGES;
    finish(&s, step->effect == READS || (failed && !(file && has_changed(step, &s))));
    return fault.failures > 0;
}

static void
run(bool file, bool sticky)
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        long n = 0;
        if (getenv("TESS_FAULT_STEP") && strcmp(getenv("TESS_FAULT_STEP"), steps[i].name) != 0)
            continue;
        if (file && steps[i].effect == READS && sticky)
            continue; // has been seen in memory
        while (n < MOST && fail_once(&steps[i], file, n, sticky))
            n += sticky ? 3 : 1;
        if (getenv("TESS_FAULT_TALK"))
            fprintf(stderr, "%s: %ld allocations\n", steps[i].name, n);
        assert_true(n < MOST);
    }
}

static void
in_memory(void **state)
{
    (void)state;
    run(false, false);
    run(false, true);
}

static void
in_files(void **state)
{
    (void)state;
    run(true, false);
    run(true, true);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {IN_A_FOLDER(in_memory), IN_A_FOLDER(in_files)};
    if (access("/dev/shm", W_OK) == 0) // thousands of files
        setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
