/*
 * b2nd_frames.c - arrays in files and frames in memory; several super-chunks, threads and processes
 * on one file.
 */
#include "api/files.h"
#include "compat/nd.h"

#include <blosc2/blosc2-stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// One item at the given place.
static int
set_item(b2nd_array_t *array, int64_t row, int64_t column, int32_t item)
{
    const int64_t start[] = {row, column}, stop[] = {row + 1, column + 1}, length[] = {1, 1};
    return b2nd_set_slice_cbuffer(&item, length, sizeof item, start, stop, array);
}

static int32_t
get_item(const b2nd_array_t *array, int64_t row, int64_t column)
{
    const int64_t start[] = {row, column}, stop[] = {row + 1, column + 1}, length[] = {1, 1};
    int32_t item = -1;

    assert_good(b2nd_get_slice_cbuffer(array, start, stop, &item, length, sizeof item));
    return item;
}

// -- frames in memory

static void
frames_in_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * ND_PLACES; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        const bool copy = k % 2 == 0;
        const char *const path = place->file ? files_path("array") : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, place->contiguous, path);
        int32_t *const items = nd_items(140, 0);
        uint8_t *frame = NULL, *again = NULL;
        int64_t size = 0, size_again = 0;
        bool needs_free = false;
        b2nd_array_t *other = NULL;

        assert_good(b2nd_to_cframe(array, &frame, &size, &needs_free));
        assert_int_equal(needs_free, place->file || !place->contiguous);
        assert_good(b2nd_from_cframe(frame, size, copy, &other));
        assert_int_equal(other->sc->storage->contiguous, !copy);
        nd_check(other, items);
        if (!copy) { // the frame itself, until the array is changed
            assert_good(b2nd_to_cframe(other, &again, &size_again, &(bool){false}));
            assert_ptr_equal(again, frame);
            assert_int_equal(size_again, size);
        }
        assert_good(set_item(other, 13, 9, 5));
        items[139] = 5;
        nd_check(other, items);
        assert_int_equal(get_item(array, 13, 9), 139);
        assert_good(b2nd_free(other));
        if (needs_free)
            free(frame);
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
        free(items);
    }
}

// A frame that was lent outlives the super-chunk, if the program says so.
static void
a_frame_that_is_kept(void **state)
{
    b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
    int32_t *const items = nd_items(140, 0);
    uint8_t *frame = NULL;
    bool needs_free = true;
    b2nd_array_t *other = NULL;

    (void)state;
    const int64_t size = blosc2_schunk_to_buffer(array->sc, &frame, &needs_free);
    assert_good(size);
    assert_false(needs_free);
    assert_int_equal(size, blosc2_schunk_frame_len(array->sc));
    blosc2_schunk_avoid_cframe_free(array->sc, true);
    assert_good(b2nd_free(array));
    blosc2_schunk *const schunk = blosc2_schunk_from_buffer(frame, size, false);
    assert_non_null(schunk);
    blosc2_schunk_avoid_cframe_free(schunk, false); // freed with it
    assert_good(b2nd_from_schunk(schunk, &other));
    nd_check(other, items);
    assert_good(b2nd_free(other));
    free(items);
}

static void
frames_that_are_refused(void **state)
{
    b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
    uint8_t *frame = NULL;
    int64_t size = 0;
    bool needs_free = false;
    b2nd_array_t *other = NULL;

    (void)state;
    assert_int_equal(b2nd_to_cframe(NULL, &frame, &size, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, NULL, &size, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, &frame, NULL, &needs_free), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_to_cframe(array, &frame, &size, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_to_cframe(array, &frame, &size, &needs_free));
    assert_int_equal(b2nd_from_cframe(NULL, size, true, &other), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_from_cframe(frame, size, true, NULL), BLOSC2_ERROR_NULL_POINTER);
    for (int64_t part = 0; part < size; part += 1 + size / 50) {
        uint8_t *const bytes = malloc((size_t)part + 1);
        assert_non_null(bytes);
        memcpy(bytes, frame, (size_t)part);
        assert_true(b2nd_from_cframe(bytes, part, part % 2 == 0, &other) < 0);
        assert_null(other);
        free(bytes);
    }
    assert_int_equal(b2nd_open(NULL, &other), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_open("no such file", NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_true(b2nd_open("no such file", &other) < 0);
    assert_int_equal(b2nd_save(array, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_save(NULL, (char[]){"x"}), BLOSC2_ERROR_NULL_POINTER);
    assert_int_equal(b2nd_save_append(NULL, "x"), BLOSC2_ERROR_NULL_POINTER);
    assert_true(b2nd_save_append(array, NULL) < 0);
    assert_null(blosc2_schunk_open(NULL));
    assert_int_equal(blosc2_schunk_free(NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_good(b2nd_free(array));
}

// -- files

static void
saved_arrays(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        char *const path = nd_places[k].file ? strdup(files_path("array")) : NULL;
        char *const saved = strdup(files_path("saved"));
        b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(140, 0);
        b2nd_array_t *other = NULL;

        assert_good(b2nd_save(array, saved));
        assert_true(b2nd_save(array, saved) < 0); // it exists
        assert_good(b2nd_open(saved, &other));
        assert_int_equal(other->sc->storage->contiguous, nd_places[k].contiguous);
        nd_check(other, items);
        assert_good(b2nd_free(other));
        files_remove(saved);

        const int64_t size = blosc2_schunk_to_file(array->sc, saved);
        assert_true(size > 0);
        size_t bytes = 0;
        free(files_read(saved, &bytes));
        assert_int_equal(bytes, size);
        assert_int_equal(b2nd_save_append(array, saved), size);
        assert_good(b2nd_open_offset(saved, &other, size));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        assert_good(b2nd_free(array));
        files_remove(saved);
        if (path)
            files_remove(path);
        free(items);
        free(saved);
        free(path);
    }
}

static void
copies_of_super_chunks(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * ND_PLACES; k++) {
        const struct nd_place *const place = &nd_places[k / 2];
        char *const path = place->file ? strdup(files_path("copy")) : NULL;
        b2nd_array_t *const array = nd_numbers(&matrix, true, NULL);
        int32_t *const items = nd_items(140, 0);
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        blosc2_storage storage = {place->contiguous, path, k % 2 ? &cparams : NULL, NULL, NULL};
        b2nd_array_t *other = NULL;

        cparams.compcode = BLOSC_ZSTD;
        cparams.clevel = 1;
        assert_good(blosc2_vlmeta_add(array->sc, "x", (uint8_t[]){1}, 1, NULL));
        blosc2_schunk *const copy = blosc2_schunk_copy(array->sc, &storage);
        assert_non_null(copy);
        assert_int_equal(copy->compcode, k % 2 ? BLOSC_ZSTD : BLOSC_BLOSCLZ);
        assert_int_equal(copy->storage->contiguous, place->contiguous);
        assert_int_equal(copy->nvlmetalayers, 1);
        assert_good(b2nd_from_schunk(copy, &other));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        if (path)
            assert_null(blosc2_schunk_copy(array->sc, &storage)); // it exists
        assert_null(blosc2_schunk_copy(NULL, &storage));
        assert_good(b2nd_free(array));
        if (path)
            files_remove(path);
        free(items);
        free(path);
    }
}

// -- functions of the program

struct calls {
    int opened, closed, destroyed;
};

static void *
open_counted(const char *urlpath, const char *mode, void *params)
{
    struct calls *const calls = params;
    void *const stream = blosc2_stdio_open(urlpath, mode, NULL);

    calls->opened += stream != NULL;
    return stream;
}

static struct calls *closing; // the functions behind open have no params

static int
close_counted(void *stream)
{
    closing->closed++;
    return blosc2_stdio_close(stream);
}

static int
destroy_counted(void *params)
{
    ((struct calls *)params)->destroyed++;
    return 0;
}

static void
frames_by_functions_of_the_program(void **state)
{
    blosc2_io_cb functions = {.id = 200,
                              .name = (char[]){"counted"},
                              .is_allocation_necessary = true,
                              .open = open_counted,
                              .close = close_counted,
                              .size = blosc2_stdio_size,
                              .write = blosc2_stdio_write,
                              .read = blosc2_stdio_read,
                              .truncate = blosc2_stdio_truncate,
                              .destroy = destroy_counted};
    (void)state;
    assert_good(blosc2_register_io_cb(&functions));
    for (int k = 2; k < ND_PLACES; k++) {
        const char *const path = files_path("array");
        struct calls calls = {0, 0, 0};
        const blosc2_io io = {200, "counted", &calls};
        int32_t *const items = nd_items(140, 0);
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path);

        closing = &calls;
        assert_good(b2nd_free(array));
        assert_null(blosc2_schunk_open_udio("no such file", &io));
        assert_int_equal(calls.destroyed, 1);
        blosc2_schunk *const schunk = blosc2_schunk_open_udio(path, &io);
        assert_non_null(schunk);
        assert_good(b2nd_from_schunk(schunk, &array));
        assert_string_equal(schunk->storage->urlpath, path);
        nd_check(array, items);
        assert_true(calls.opened > 0);
        assert_int_equal(set_item(array, 0, 0, 1), BLOSC2_ERROR_PLUGIN_IO);
        assert_int_equal(calls.destroyed, 1);
        assert_good(b2nd_free(array));
        assert_int_equal(calls.destroyed, 2);
        assert_int_equal(calls.closed, calls.opened);
        assert_null(blosc2_schunk_open_udio(path, &(blosc2_io){201, "none", &calls}));
        files_remove(path);
        free(items);
    }
}

static void
frames_written_by_functions_of_the_program(void **state)
{
    blosc2_io_cb functions = {.id = 202,
                              .name = (char[]){"writing"},
                              .is_allocation_necessary = true,
                              .open = open_counted,
                              .close = close_counted,
                              .size = blosc2_stdio_size,
                              .write = blosc2_stdio_write,
                              .read = blosc2_stdio_read,
                              .truncate = blosc2_stdio_truncate,
                              .destroy = destroy_counted};
    (void)state;
    assert_good(blosc2_register_io_cb(&functions));
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        char *const path = strdup(files_path("array"));
        struct calls calls = {0, 0, 0};
        blosc2_io io = {202, "writing", &calls};
        blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
        cparams.typesize = sizeof(int32_t);
        blosc2_storage storage = {contiguous, path, &cparams, NULL, &io};
        b2nd_context_t *const ctx =
            b2nd_create_ctx(&storage, matrix.ndim, matrix.shape, matrix.chunkshape,
                            matrix.blockshape, NULL, 0, NULL, 0);
        b2nd_array_t *array = NULL, *other = NULL, *last = NULL;
        int32_t *const items = nd_items(140, 0);

        closing = &calls;
        assert_good(b2nd_from_cbuffer(ctx, &array, items, 140 * sizeof *items));
        assert_string_equal(array->sc->storage->urlpath, path);
        assert_true(files_exist(path));
        // Another super-chunk has what was written when it was opened.
        assert_good(set_item(array, 3, 4, 1000));
        items[34] = 1000;
        assert_good(b2nd_from_schunk(blosc2_schunk_open_udio(path, &io), &other));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        assert_int_equal(calls.destroyed, 1);
        assert_good(set_item(array, 13, 9, 1001));
        items[139] = 1001;
        assert_good(b2nd_free(array));
        assert_int_equal(calls.destroyed, 2);
        assert_int_equal(calls.closed, calls.opened);
        assert_good(b2nd_open(path, &last)); // it is a file like others
        nd_check(last, items);
        assert_good(b2nd_free(last));
        // Failures are those of the call that creates.
        assert_good(b2nd_free_ctx(ctx));
        storage.urlpath = (char[]){"no such folder/array"};
        assert_null(blosc2_schunk_new(&storage));
        io.id = 203;
        assert_null(blosc2_schunk_new(&storage));
        files_remove(path);
        free(items);
        free(path);
    }
}

// -- mapped files

static b2nd_array_t *
open_mapped(const char *path, blosc2_io *io)
{
    b2nd_array_t *array = NULL;
    blosc2_schunk *const schunk = blosc2_schunk_open_udio(path, io);

    assert_non_null(schunk);
    assert_good(b2nd_from_schunk(schunk, &array));
    return array;
}

// The mode says whether the file may be changed.
static void
mapped_files(void **state)
{
    static const struct {
        const char *mode;
        int result; // of a change
        int32_t seen, in_file; // then
    } cases[] = {
        {"r", BLOSC2_ERROR_FILE_WRITE, 0, 0},
        {"c", 0, 5, 0},
        {"r+", 0, 5, 5},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        const char *const path = files_path("array");
        blosc2_stdio_mmap map = BLOSC2_STDIO_MMAP_DEFAULTS;
        blosc2_io io = {BLOSC2_IO_FILESYSTEM_MMAP, "mapped", &map};
        b2nd_array_t *array = nd_numbers(&matrix, true, path);

        assert_good(b2nd_free(array));
        map.mode = cases[k].mode;
        array = open_mapped(path, &io);
        assert_int_equal(set_item(array, 0, 0, 5), cases[k].result);
        assert_int_equal(get_item(array, 0, 0), cases[k].seen);
        assert_int_equal(get_item(array, 13, 9), 139);
        if (cases[k].result == 0) {
            assert_good(blosc2_vlmeta_add(array->sc, "name", (uint8_t[]){1}, 1, NULL));
            assert_good(b2nd_resize(array, (int64_t[]){20, 10}, NULL));
        }
        assert_good(b2nd_free(array));
        assert_good(b2nd_open(path, &array));
        assert_int_equal(get_item(array, 0, 0), cases[k].in_file);
        assert_int_equal(array->shape[0], cases[k].in_file ? 20 : 14);
        assert_int_equal(array->sc->nvlmetalayers, cases[k].in_file ? 1 : 0);
        assert_good(b2nd_free(array));
        files_remove(path);
    }
}

// -- several super-chunks

// Many small changes do not leave a file much larger than one change.
static void
small_files_have_no_holes(void **state)
{
    static const struct nd_shapes none = {1, {0}, {16384}, {256}};
    static const struct nd_shapes all = {1, {100000}, {16384}, {256}};
    const char *const grown = files_path("grown"), *const written = files_path("written");
    b2nd_context_t *const ctx = nd_context(&none, true, grown);
    int32_t *const items = nd_items(100000, 0);
    const int64_t length[] = {1000};
    b2nd_array_t *array = NULL;
    size_t sizes[2] = {0, 0};

    (void)state;
    assert_good(b2nd_empty(ctx, &array));
    for (int64_t i = 0; i < 100000; i += 1000) {
        const int64_t stop = i + 1000;
        assert_good(b2nd_resize(array, &stop, NULL));
        assert_good(b2nd_set_slice_cbuffer(items + i, length, 4000, &i, &stop, array));
    }
    assert_good(b2nd_free(array));
    assert_good(b2nd_free_ctx(ctx));
    assert_good(b2nd_free(nd_numbers(&all, true, written)));
    free(files_read(grown, &sizes[0]));
    free(files_read(written, &sizes[1]));
    assert_true(sizes[0] <= sizes[1] + 4096);
    assert_good(b2nd_open(grown, &array));
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

// What one super-chunk wrote is there for another that is opened, or open already.
static void
two_super_chunks_on_one_file(void **state)
{
    (void)state;
    for (int k = 2; k < ND_PLACES; k++) {
        const char *const path = files_path("array");
        b2nd_array_t *const first = nd_numbers(&matrix, nd_places[k].contiguous, path);
        int32_t *const items = nd_items(150, 0);
        b2nd_array_t *second = NULL;

        assert_good(set_item(first, 3, 4, 1000));
        assert_good(b2nd_open(path, &second));
        assert_int_equal(get_item(second, 3, 4), 1000);
        assert_good(set_item(first, 3, 4, 1001));
        assert_int_equal(get_item(second, 3, 4), 1001);
        // Both write, in turns.
        assert_good(set_item(second, 3, 4, 1002));
        assert_int_equal(get_item(first, 3, 4), 1002);
        assert_good(set_item(first, 3, 5, 1003));
        assert_int_equal(get_item(second, 3, 5), 1003);
        items[34] = 1002;
        items[35] = 1003;
        nd_check(second, items);
        nd_check(first, items);
        // One grows, the other follows.
        assert_int_equal(b2nd_refresh(second), 0);
        assert_good(b2nd_append(first, items + 140, 40, 0));
        assert_int_equal(second->shape[0], 14);
        assert_int_equal(b2nd_refresh(second), 1);
        assert_int_equal(second->shape[0], 15);
        assert_int_equal(b2nd_refresh(second), 0);
        nd_check(second, items);
        assert_good(b2nd_resize(first, (int64_t[]){20, 10}, NULL));
        assert_int_equal(get_item(second, 19, 9), 0); // without a refresh
        assert_int_equal(second->shape[0], 20);
        assert_int_equal(b2nd_refresh(first), 0);
        assert_int_equal(b2nd_refresh(NULL), BLOSC2_ERROR_NULL_POINTER);
        // Metalayers, too.
        assert_good(blosc2_vlmeta_add(first->sc, "x", (uint8_t[]){1}, 1, NULL));
        assert_int_equal(blosc2_vlmeta_exists(second->sc, "x"), 0);
        assert_int_equal(second->sc->nvlmetalayers, 1);
        assert_good(b2nd_free(first));
        assert_int_equal(get_item(second, 3, 4), 1002);
        assert_good(b2nd_free(second));
        files_remove(path);
        free(items);
    }
}

// A program that ends by exit() has its data, though it freed nothing.
static void
a_program_that_frees_nothing(void **state)
{
    const char *const path = files_path("array");
    b2nd_array_t *array = NULL;
    int status = -1;

    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        array = nd_numbers(&matrix, true, path);
        (void)set_item(array, 0, 0, 77);
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_good(b2nd_open(path, &array));
    int32_t *const items = nd_items(140, 0);
    items[0] = 77;
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

// With locks, the file is free for another process as soon as a call has ended.
static void
processes_write_in_turns(void **state)
{
    char *const path = strdup(files_path("array"));
    blosc2_stdio_params locking = {.locking = true};
    const blosc2_io io = {BLOSC2_IO_FILESYSTEM, "filesystem", &locking};
    b2nd_array_t *array = nd_numbers(&matrix, true, path);
    enum { TURNS = 40 };

    (void)state;
    assert_good(b2nd_free(array));
    const pid_t child = fork();
    assert_true(child >= 0);
    for (int i = 0; i < TURNS; i++) { // each process its own row
        blosc2_schunk *const schunk = blosc2_schunk_open_udio(path, &io);
        if (!schunk || b2nd_from_schunk(schunk, &array) < 0 ||
            set_item(array, child == 0, i % 10, 2000 + i) < 0 || b2nd_free(array) < 0) {
            if (child == 0)
                _exit(1);
            fail();
        }
    }
    if (child == 0)
        _exit(0);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_good(b2nd_open(path, &array));
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 10; column++)
            assert_int_equal(get_item(array, row, column), 2000 + TURNS - 10 + column);
    assert_good(b2nd_free(array));
    free(path);
}

static bool
file_mentions(const char *path, const char *word)
{
    size_t size = 0;
    uint8_t *const bytes = files_read(path, &size);
    const bool found = memmem(bytes, size, word, strlen(word)) != NULL;

    free(bytes);
    return found;
}

static void
checksums_can_be_left_out(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        const char *const path = files_path("array");
        if (turn == 1)
            setenv("TESS_B2ND_CHECKSUMS", "0", 1);
        b2nd_array_t *const array = nd_numbers(&matrix, true, path);
        assert_int_equal(array->sc->nvlmetalayers, 0);
        assert_good(b2nd_free(array));
        assert_int_equal(file_mentions(path, "_tess"), turn == 0);
        unsetenv("TESS_B2ND_CHECKSUMS");
        files_remove(path);
    }
}

// -- threads

struct reading {
    const b2nd_array_t *array;
    int failures;
};

static void *
read_rows(void *arg)
{
    struct reading *const r = arg;

    for (int turn = 0; turn < 300; turn++) {
        const int64_t row = turn % 14;
        const int64_t start[] = {row, 0}, stop[] = {row + 1, 10}, length[] = {1, 10};
        int32_t box[10];
        const int rc = b2nd_get_slice_cbuffer(r->array, start, stop, box, length, sizeof box);
        for (int i = 0; i < 10; i++)
            r->failures += rc < 0 || box[i] != row * 10 + i;
    }
    return NULL;
}

// While another super-chunk commits.
static void
threads_that_read_one_array(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *const writer = nd_numbers(&matrix, nd_places[k].contiguous, path);
        b2nd_array_t *array = writer;
        pthread_t threads[4];
        struct reading readings[4];

        if (path)
            assert_good(b2nd_open(path, &array));
        for (int i = 0; i < 4; i++) {
            readings[i] = (struct reading){array, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, read_rows, &readings[i]), 0);
        }
        for (int i = 0; path && i < 20; i++)
            assert_good(set_item(writer, i % 14, i % 10, i % 14 * 10 + i % 10));
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(readings[i].failures, 0);
        }
        if (array != writer)
            assert_good(b2nd_free(array));
        assert_good(b2nd_free(writer));
        if (path)
            files_remove(path);
    }
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_program_that_frees_nothing), // while there are no threads
        IN_A_FOLDER(processes_write_in_turns),
        IN_A_FOLDER(frames_in_memory),
        cmocka_unit_test(a_frame_that_is_kept),
        cmocka_unit_test(frames_that_are_refused),
        IN_A_FOLDER(saved_arrays),
        IN_A_FOLDER(copies_of_super_chunks),
        IN_A_FOLDER(frames_by_functions_of_the_program),
        IN_A_FOLDER(frames_written_by_functions_of_the_program),

        IN_A_FOLDER(mapped_files),
        IN_A_FOLDER(small_files_have_no_holes),
        IN_A_FOLDER(two_super_chunks_on_one_file),
        IN_A_FOLDER(checksums_can_be_left_out),
        IN_A_FOLDER(threads_that_read_one_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
