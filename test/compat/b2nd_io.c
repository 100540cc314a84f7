/*
 * b2nd_io.c - arrays whose files are read and written by functions of the program, or mapped.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <blosc2/blosc2-stdio.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

// -- functions of the program

enum { COUNTED = 200 }; // the number of these functions
static char counted_name[] = "counted"; // it is not copied

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

// The standard functions, but for what counts in params how often it was called.
static void
register_counted(void)
{
    blosc2_io_cb functions = {.id = COUNTED,
                              .name = counted_name,
                              .is_allocation_necessary = true,
                              .open = open_counted,
                              .close = close_counted,
                              .size = blosc2_stdio_size,
                              .write = blosc2_stdio_write,
                              .read = blosc2_stdio_read,
                              .truncate = blosc2_stdio_truncate,
                              .destroy = destroy_counted};

    assert_good(blosc2_register_io_cb(&functions));
}

static void
frames_by_functions_of_the_program(void **state)
{
    (void)state;
    register_counted();
    for (int k = 2; k < ND_PLACES; k++) {
        const char *const path = files_path("array");
        struct calls calls = {0, 0, 0};
        const blosc2_io io = {COUNTED, "counted", &calls};
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
        assert_int_equal(nd_set_item(array, 0, 0, 1), BLOSC2_ERROR_PLUGIN_IO);
        assert_int_equal(calls.destroyed, 1);
        assert_good(b2nd_free(array));
        assert_int_equal(calls.destroyed, 2);
        assert_int_equal(calls.closed, calls.opened);
        assert_null(blosc2_schunk_open_udio(path, &(blosc2_io){COUNTED + 1, "none", &calls}));
        files_remove(path);
        free(items);
    }
}

// A program that ends by exit() freed neither the array nor a view, through which it was changed.
static void
end_with_an_array(const char *path, struct calls *calls, const int32_t *items)
{
    blosc2_io_cb functions = {.id = 204,
                              .name = (char[]){"ending"},
                              .is_allocation_necessary = true,
                              .open = open_counted,
                              .close = close_counted,
                              .size = blosc2_stdio_size,
                              .write = blosc2_stdio_write,
                              .read = blosc2_stdio_read,
                              .truncate = blosc2_stdio_truncate,
                              .destroy = destroy_counted};
    blosc2_io io = {204, "ending", calls};
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    char *const urlpath = strdup(path);
    blosc2_storage storage = {true, urlpath, &cparams, NULL, &io};
    b2nd_array_t *array = NULL, *view = NULL;

    closing = calls;
    cparams.typesize = sizeof(int32_t);
    assert_good(blosc2_register_io_cb(&functions));
    b2nd_context_t *const ctx =
        b2nd_create_ctx(&storage, matrix.ndim, matrix.shape, matrix.chunkshape, matrix.blockshape,
                        NULL, 0, NULL, 0);
    assert_good(b2nd_from_cbuffer(ctx, &array, items, 140 * sizeof *items));
    assert_good(b2nd_free_ctx(ctx));
    assert_good(nd_set_item(array, 0, 0, 77));
    assert_good(b2nd_squeeze(array, &view));
    assert_good(nd_set_item(view, 13, 9, 78));
    exit(0);
}

static void
a_program_that_frees_nothing_and_writes_itself(void **state)
{
    static struct calls calls;
    const char *const path = files_path("array");
    int32_t *const items = nd_items(140, 0);
    b2nd_array_t *array = NULL;
    int status = -1;

    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        end_with_an_array(path, &calls, items);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_good(b2nd_open(path, &array));
    items[0] = 77;
    items[139] = 78;
    nd_check(array, items);
    assert_good(b2nd_free(array));
    free(items);
}

static void
frames_written_by_functions_of_the_program(void **state)
{
    (void)state;
    register_counted();
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        char *const path = strdup(files_path("array"));
        struct calls calls = {0, 0, 0};
        blosc2_io io = {COUNTED, "counted", &calls};
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
        assert_good(nd_set_item(array, 3, 4, 1000));
        items[34] = 1000;
        assert_good(b2nd_from_schunk(blosc2_schunk_open_udio(path, &io), &other));
        nd_check(other, items);
        assert_good(b2nd_free(other));
        assert_int_equal(calls.destroyed, 1);
        assert_good(nd_set_item(array, 13, 9, 1001));
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
        io.id = COUNTED + 1;
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
        assert_int_equal(nd_set_item(array, 0, 0, 5), cases[k].result);
        assert_int_equal(nd_get_item(array, 0, 0), cases[k].seen);
        assert_int_equal(nd_get_item(array, 13, 9), 139);
        if (cases[k].result == 0) {
            assert_good(blosc2_vlmeta_add(array->sc, "name", (uint8_t[]){1}, 1, NULL));
            assert_good(b2nd_resize(array, (int64_t[]){20, 10}, NULL));
        }
        assert_good(b2nd_free(array));
        assert_good(b2nd_open(path, &array));
        assert_int_equal(nd_get_item(array, 0, 0), cases[k].in_file);
        assert_int_equal(array->shape[0], cases[k].in_file ? 20 : 14);
        assert_int_equal(array->sc->nvlmetalayers, cases[k].in_file ? 1 : 0);
        assert_good(b2nd_free(array));
        files_remove(path);
    }
}

// The struct ends with the super-chunk, or with the call that does not open one: what the program
// mapped itself is not mapped any more, and the sanitizer sees that memory of structs is freed.
static void
structs_of_mapped_files(void **state)
{
    static const char *const modes[] = {"r", "c", "r+"};

    (void)state;
    for (size_t k = 0; k < 2 * COUNT(modes); k++) {
        const bool is_missing = k >= COUNT(modes);
        const char *const path = files_path("array");
        b2nd_array_t *array = nd_numbers(&matrix, true, path), *view = NULL;
        blosc2_stdio_mmap map = BLOSC2_STDIO_MMAP_DEFAULTS;
        blosc2_stdio_mmap *const own = malloc(sizeof *own);
        blosc2_io io = {BLOSC2_IO_FILESYSTEM_MMAP, "mapped", own};

        assert_non_null(own);
        assert_good(b2nd_free(array));
        map.mode = modes[k % COUNT(modes)];
        *own = map;
        own->needs_free = true;
        if (is_missing) {
            assert_null(blosc2_schunk_open_udio("no such file", &io));
        } else {
            array = open_mapped(path, &io);
            assert_good(b2nd_expand_dims(array, &view, (bool[]){true, false, false}, 3));
            assert_good(b2nd_free(view)); // not the struct
            (void)nd_set_item(array, 0, 0, 5);
            assert_int_equal(nd_get_item(array, 13, 9), 139);
            assert_good(b2nd_free(array));
        }
        io.params = &map;
        assert_ptr_equal(blosc2_stdio_mmap_open(path, "", &map), &map);
        if (is_missing)
            assert_null(blosc2_schunk_open_udio("no such file", &io));
        else
            assert_good(b2nd_free(open_mapped(path, &io)));
        assert_null(map.addr);
        assert_null(map.file);
        files_remove(path);
    }
}

// With BLOSC_INFO there is a line on stderr, which python-blosc2 looks for.
static void
mappings_are_told(void **state)
{
    static const struct {
        const char *mode;
        size_t initial; // 0: the default
        bool of_file; // the size is that of the file
    } cases[] = {
        {"w+", 0, false}, {"w+", 1000, false},   {"r", 0, true},   {"r", 1000, true},
        {"r+", 0, false}, {"c", 1 << 20, false}, {"c", 100, true}, {"r+", 100, true},
    };
    char *const path = strdup(files_path("told")), *const lines = strdup(files_path("lines"));
    const int before = dup(STDERR_FILENO);

    (void)state;
    assert_int_equal(setenv("BLOSC_INFO", "1", 1), 0);
    for (size_t k = 0; k < COUNT(cases); k++) {
        blosc2_stdio_mmap map = BLOSC2_STDIO_MMAP_DEFAULTS;
        blosc2_io io = {BLOSC2_IO_FILESYSTEM_MMAP, "mapped", &map};
        blosc2_storage storage = {true, path, NULL, NULL, &io};
        const bool is_new = strcmp(cases[k].mode, "w+") == 0;
        char wanted[5000];
        struct stat st;
        size_t size = 0;

        map.mode = cases[k].mode;
        if (cases[k].initial > 0)
            map.initial_mapping_size = cases[k].initial;
        if (is_new)
            (void)unlink(path);
        const int fd = open(lines, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)dup2(fd, STDERR_FILENO);
        (void)close(fd);
        blosc2_schunk *const schunk =
            is_new ? blosc2_schunk_new(&storage) : blosc2_schunk_open_udio(path, &io);
        (void)dup2(before, STDERR_FILENO);
        assert_non_null(schunk);
        assert_int_equal(stat(path, &st), 0);
        (void)snprintf(wanted, sizeof wanted,
                       "[INFO] - Opened memory-mapped file %s in mode %s with an mapping size of "
                       "%zu bytes.\n",
                       path, cases[k].mode,
                       cases[k].of_file ? (size_t)st.st_size : map.initial_mapping_size);
        uint8_t *const said = files_read(lines, &size);
        assert_int_equal(size, strlen(wanted));
        assert_memory_equal(said, wanted, size);
        free(said);
        assert_good(blosc2_schunk_free(schunk));
    }
    assert_int_equal(unsetenv("BLOSC_INFO"), 0);
    (void)close(before);
    free(path);
    free(lines);
}

// A new file, too.
static void
a_new_file_with_a_mapped_struct(void **state)
{
    char *const path = strdup(files_path("new"));
    blosc2_stdio_mmap *const own = malloc(sizeof *own);
    blosc2_io io = {BLOSC2_IO_FILESYSTEM_MMAP, "mapped", own};
    blosc2_storage storage = {true, path, NULL, NULL, &io};
    int32_t *const items = nd_items(10, 0);

    (void)state;
    assert_non_null(own);
    *own = blosc2_get_blosc2_stdio_mmap_defaults();
    own->mode = "w+";
    own->needs_free = true;
    blosc2_schunk *schunk = blosc2_schunk_new(&storage);
    assert_non_null(schunk);
    assert_int_equal(blosc2_schunk_append_buffer(schunk, items, 40), 1);
    assert_good(blosc2_schunk_free(schunk));
    schunk = blosc2_schunk_open(path);
    assert_non_null(schunk);
    assert_int_equal(schunk->nbytes, 40);
    assert_good(blosc2_schunk_free(schunk));
    free(items);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_program_that_frees_nothing_and_writes_itself), // no threads yet
        IN_A_FOLDER(frames_by_functions_of_the_program),
        IN_A_FOLDER(frames_written_by_functions_of_the_program),
        IN_A_FOLDER(mapped_files),
        IN_A_FOLDER(structs_of_mapped_files),
        IN_A_FOLDER(mappings_are_told),
        IN_A_FOLDER(a_new_file_with_a_mapped_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
