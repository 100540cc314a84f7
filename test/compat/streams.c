/*
 * streams.c - files as callbacks, through stdio and mapped, and callbacks that are registered.
 */
#include "compat/compat.h"
#include "support/files.h"

#include <stdlib.h>

// What both kinds of streams do with a file.
static void
use(const blosc2_io_cb *io, void *stream)
{
    uint8_t room[16] = {0};
    void *at = room;
    assert_int_equal(io->size(stream), 0);
    assert_int_equal(io->write("0123456789", 1, 10, 0, stream), 10);
    assert_int_equal(io->write("abcd", 2, 2, 12, stream), 2); // behind a hole
    assert_int_equal(io->size(stream), 16);
    assert_int_equal(io->read(&at, 2, 3, 4, stream), 3);
    assert_memory_equal(at, "456789", 6);
    at = room;
    assert_int_equal(io->read(&at, 1, 4, 12, stream), 4);
    assert_memory_equal(at, "abcd", 4);
    at = room;
    assert_true(io->read(&at, 1, 5, 12, stream) < 5); // behind the end
    assert_int_equal(io->truncate(stream, 5), 0);
    assert_int_equal(io->size(stream), 5);
    assert_true(io->truncate(stream, -1) < 0);

    static const int64_t bads[][3] = {{-1, 1, 0},        {1, -1, 0}, {1, 1, -1}, {INT64_MAX, 2, 0},
                                      {1, 1, INT64_MAX}, {0, 1, 0},  {1, 0, 0}};
    for (size_t i = 0; i < COUNT(bads); i++) {
        at = room;
        assert_int_equal(io->read(&at, bads[i][0], bads[i][1], bads[i][2], stream), 0);
        assert_int_equal(io->write("x", bads[i][0], bads[i][1], bads[i][2], stream), 0);
    }
    assert_int_equal(io->read(NULL, 1, 1, 0, stream), 0);
    assert_int_equal(io->write(NULL, 1, 1, 0, stream), 0);
    assert_int_equal(io->size(stream), 5);
}

static void
check_bytes(const char *path)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "01234", 5);
    free(bytes);
}

static void
through_stdio(void **state)
{
    const blosc2_io_cb *const io = blosc2_get_io_cb(BLOSC2_IO_FILESYSTEM);
    const char *const path = files_path("plain");
    void *none = NULL;
    (void)state;
    assert_non_null(io);
    assert_true(io->is_allocation_necessary);
    assert_ptr_equal(io->open, blosc2_stdio_open);
    void *const stream = io->open(path, "wb+", NULL);
    assert_non_null(stream);
    use(io, stream);
    assert_int_equal(io->read(&none, 1, 1, 0, stream), 0);
    assert_int_equal(io->close(stream), 0);
    check_bytes(path);
    assert_null(io->open(files_path("nothing"), "rb", NULL));
    assert_null(io->open(NULL, "rb", NULL));
    assert_null(io->open(path, NULL, NULL));
    assert_true(io->close(NULL) < 0 && io->size(NULL) < 0 && io->truncate(NULL, 0) < 0);
    assert_int_equal(io->read(&none, 1, 1, 0, NULL), 0);
    assert_int_equal(io->write("x", 1, 1, 0, NULL), 0);
    assert_int_equal(io->destroy(NULL), 0);
}

static void
mapped(void **state)
{
    const blosc2_io_cb *const io = blosc2_get_io_cb(BLOSC2_IO_FILESYSTEM_MMAP);
    const char *const path = files_path("mapped");
    blosc2_stdio_mmap m = BLOSC2_STDIO_MMAP_DEFAULTS;
    void *at;
    (void)state;
    assert_non_null(io);
    assert_false(io->is_allocation_necessary);
    m.mode = "w+";
    m.initial_mapping_size = 1; // grows
    assert_ptr_equal(io->open(path, "", &m), &m);
    use(io, &m);
    assert_ptr_equal(io->open(path, "", &m), &m); // the same
    assert_null(io->open(files_path("other"), "", &m));
    assert_int_equal(io->close(&m), 0);
    assert_int_equal(io->destroy(&m), 0);
    check_bytes(path);

    // Changes of mode c stay in memory; mode r has none.
    static const char *const modes[] = {"c", "r", "r+"};
    for (size_t i = 0; i < COUNT(modes); i++) {
        m = BLOSC2_STDIO_MMAP_DEFAULTS;
        m.mode = modes[i];
        assert_ptr_equal(io->open(path, "", &m), &m);
        assert_int_equal(io->size(&m), 5);
        assert_int_equal(io->read(&at, 1, 5, 0, &m), 5);
        assert_memory_equal(at, "01234", 5);
        assert_int_equal(io->read(&at, 1, 6, 0, &m), 0);
        assert_null(at);
        assert_int_equal(io->write("9876543", 1, 7, 0, &m),
                         modes[i][0] == 'r' && !modes[i][1] ? 0 : 7);
        assert_int_equal(io->size(&m), modes[i][0] == 'r' && !modes[i][1] ? 5 : 7);
        assert_int_equal(io->destroy(&m), 0);
        if (strcmp(modes[i], "r+") != 0)
            check_bytes(path);
    }
}

static void
mapped_refused(void **state)
{
    const char *const path = files_path("mapped");
    blosc2_stdio_mmap m = BLOSC2_STDIO_MMAP_DEFAULTS;
    (void)state;
    assert_null(blosc2_stdio_mmap_open(path, "", &m)); // is not there
    assert_null(blosc2_stdio_mmap_open(NULL, "", &m));
    assert_null(blosc2_stdio_mmap_open(path, "", NULL));
    m.mode = "a";
    assert_null(blosc2_stdio_mmap_open(path, "", &m));
    m.mode = NULL;
    assert_null(blosc2_stdio_mmap_open(path, "", &m));
    assert_true(blosc2_stdio_mmap_destroy(&m) < 0);
    assert_true(blosc2_stdio_mmap_destroy(NULL) < 0);
    assert_true(blosc2_stdio_mmap_close(NULL) < 0);
    assert_true(blosc2_stdio_mmap_size(NULL) < 0);
    assert_true(blosc2_stdio_mmap_truncate(NULL, 0) < 0);

    // A struct on the heap may be freed by its destroy function.
    blosc2_stdio_mmap *const own = malloc(sizeof *own);
    *own = BLOSC2_STDIO_MMAP_DEFAULTS;
    own->mode = "w+";
    own->needs_free = true;
    assert_ptr_equal(blosc2_stdio_mmap_open(path, "", own), own);
    assert_int_equal(blosc2_stdio_mmap_destroy(own), 0);
}

static void
registering(void **state)
{
    static char name[] = "own", other[] = "other";
    blosc2_io_cb io = *blosc2_get_io_cb(BLOSC2_IO_FILESYSTEM);
    (void)state;
    io.id = 244;
    io.name = name;
    assert_null(blosc2_get_io_cb(244));
    assert_good(blosc2_register_io_cb(&io));
    assert_good(blosc2_register_io_cb(&io)); // again: nothing to do
    const blosc2_io_cb *const found = blosc2_get_io_cb(244);
    assert_non_null(found);
    assert_string_equal(found->name, "own");
    assert_ptr_equal(found->open, blosc2_stdio_open);
    io.name = other;
    assert_int_equal(blosc2_register_io_cb(&io), BLOSC2_ERROR_PLUGIN_IO);
    io.id = BLOSC2_IO_REGISTERED - 1;
    assert_int_equal(blosc2_register_io_cb(&io), BLOSC2_ERROR_PLUGIN_IO);
    io.id = BLOSC2_IO_REGISTERED + 2;
    io.name = NULL; // not needed
    assert_good(blosc2_register_io_cb(&io));
    assert_good(blosc2_register_io_cb(&io));
    assert_ptr_equal(blosc2_get_io_cb(io.id)->open, io.open);
    assert_int_equal(blosc2_register_io_cb(NULL), BLOSC2_ERROR_INVALID_PARAM);
    blosc2_destroy();
    assert_null(blosc2_get_io_cb(244));
    assert_non_null(blosc2_get_io_cb(BLOSC2_IO_FILESYSTEM));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(through_stdio, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(mapped, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(mapped_refused, files_setup, files_teardown),
        cmocka_unit_test(registering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
