/*
 * b2nd_shared.c - several super-chunks, processes and threads on one file.
 */
#include "compat/nd.h"
#include "support/files.h"

#include <blosc2/blosc2-stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct nd_shapes matrix = {2, {14, 10}, {8, 5}, {2, 2}};

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

        assert_good(nd_set_item(first, 3, 4, 1000));
        assert_good(b2nd_open(path, &second));
        assert_int_equal(nd_get_item(second, 3, 4), 1000);
        assert_good(nd_set_item(first, 3, 4, 1001));
        assert_int_equal(nd_get_item(second, 3, 4), 1001);
        // Both write, in turns.
        assert_good(nd_set_item(second, 3, 4, 1002));
        assert_int_equal(nd_get_item(first, 3, 4), 1002);
        assert_good(nd_set_item(first, 3, 5, 1003));
        assert_int_equal(nd_get_item(second, 3, 5), 1003);
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
        assert_int_equal(nd_get_item(second, 19, 9), 0); // without a refresh
        assert_int_equal(second->shape[0], 20);
        assert_int_equal(b2nd_refresh(first), 0);
        assert_int_equal(b2nd_refresh(NULL), BLOSC2_ERROR_NULL_POINTER);
        // Metalayers, too.
        assert_good(blosc2_vlmeta_add(first->sc, "x", (uint8_t[]){1}, 1, NULL));
        assert_int_equal(blosc2_vlmeta_exists(second->sc, "x"), 0);
        assert_int_equal(second->sc->nvlmetalayers, 1);
        assert_good(b2nd_free(first));
        assert_int_equal(nd_get_item(second, 3, 4), 1002);
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
        (void)nd_set_item(array, 0, 0, 77);
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

enum { FORKED_ROWS = 40 };

// What a child does with arrays of its parent, which appends rows meanwhile. Items are numbers.
static bool
child_reads(b2nd_array_t *array, b2nd_array_t *view, bool frees)
{
    const int64_t start[] = {0, 0, 0}, stop[] = {14, 10}, of_view[] = {1, 14, 10};
    int32_t items[140];
    bool good = true;

    for (int turn = 0; turn < 50; turn++) {
        good &= b2nd_get_slice_cbuffer(array, start, stop, items, stop, sizeof items) == 0;
        for (int i = 0; i < 140; i++)
            good &= items[i] == i;
        good &= b2nd_get_slice_cbuffer(view, start, of_view, items, of_view, sizeof items) == 0;
        good &= items[139] == 139;
    }
    good &= array->shape[0] >= 14;
    if (frees)
        good &= b2nd_free(view) == 0 && b2nd_free(array) == 0;
    return good;
}

// Parent and child have one array. What the child frees, and how it ends, the parent does not see.
static void
children_of_a_writer(void **state)
{
    (void)state;
    for (int k = 0; k < ND_PLACES; k++) {
        const char *const path = nd_places[k].file ? files_path("array") : NULL;
        b2nd_array_t *array = nd_numbers(&matrix, nd_places[k].contiguous, path), *view = NULL;
        int32_t *const items = nd_items((14 + 4 * FORKED_ROWS) * 10, 0);

        assert_good(b2nd_expand_dims(array, &view, (const bool[]){true, false, false}, 3));
        for (int way = 0; way < 4; way++) {
            assert_good(nd_set_item(array, 0, 0, 0)); // has the file open for writing
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                const int code = !child_reads(array, view, way & 1);
                if (way & 2)
                    exit(code);
                _exit(code);
            }
            for (int i = 0; i < FORKED_ROWS; i++)
                assert_good(b2nd_append(array, items + array->shape[0] * 10, 40, 0));
            int status = -1;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            assert_int_equal(array->shape[0], 14 + (way + 1) * FORKED_ROWS);
            nd_check(array, items);
        }
        assert_good(b2nd_free(view));
        assert_good(b2nd_free(array));
        if (path) {
            assert_good(b2nd_open(path, &array));
            nd_check(array, items);
            assert_good(b2nd_free(array));
            files_remove(path);
        }
        free(items);
    }
}

// The child goes on where its parent stopped: the parent frees nothing, and follows.
static void
a_child_that_writes(void **state)
{
    (void)state;
    for (int k = 2; k < ND_PLACES; k++) {
        const char *const path = files_path("array");
        int32_t *const items = nd_items(160, 0);
        int status = -1;
        const pid_t parent = fork();
        assert_true(parent >= 0);
        if (parent == 0) {
            b2nd_array_t *const array = nd_numbers(&matrix, nd_places[k].contiguous, path);
            int ends[2];
            char byte;
            if (pipe(ends) != 0 || b2nd_append(array, items + 140, 40, 0) < 0)
                _exit(1);
            const pid_t child = fork();
            if (child > 0)
                _exit(0); // the pipe ends with it
            close(ends[1]);
            if (read(ends[0], &byte, 1) == 0 && b2nd_append(array, items + 150, 40, 0) == 0)
                (void)b2nd_free(array);
            _exit(0);
        }
        assert_int_equal(waitpid(parent, &status, 0), parent);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        b2nd_array_t *array = NULL;
        for (int tries = 0; tries < 500 && !(array && array->shape[0] == 16); tries++) {
            usleep(10000);
            if (array)
                assert_good(b2nd_free(array));
            assert_good(b2nd_open(path, &array));
        }
        nd_check(array, items);
        assert_good(b2nd_free(array));
        free(items);
        files_remove(path);
    }
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
            nd_set_item(array, child == 0, i % 10, 2000 + i) < 0 || b2nd_free(array) < 0) {
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
            assert_int_equal(nd_get_item(array, row, column), 2000 + TURNS - 10 + column);
    assert_good(b2nd_free(array));
    free(path);
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
            assert_good(nd_set_item(writer, i % 14, i % 10, i % 14 * 10 + i % 10));
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_program_that_frees_nothing), // while there are no threads
        IN_A_FOLDER(processes_write_in_turns),     IN_A_FOLDER(children_of_a_writer),
        IN_A_FOLDER(a_child_that_writes),          IN_A_FOLDER(two_super_chunks_on_one_file),
        IN_A_FOLDER(threads_that_read_one_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
