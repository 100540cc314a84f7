/*
 * io_storage.c - tests of io/storage and io/identity: which kind of place a tess_storage means,
 * what is opened and made there, and which file that is.
 */
#include "io/storage.h"

#include "io/file.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/memory.h"
#include "io/names/path.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static bool
is_part(const char *name)
{
    return strcmp(name, "part") == 0;
}

static const struct folder_kind parts = {.index = "index", .is_part = is_part};

static tess_storage
storage_at(const char *path, tess_mode mode)
{
    return (tess_storage){.struct_size = sizeof(tess_storage), .path = path, .mode = mode};
}

static const char *
kind_of(const tess_storage *storage)
{
    const struct storage_kind *const kind = storage_find(storage);
    return kind ? kind->name : "none";
}

static const char *
new_kind_of(const tess_storage *storage, tess_layout layout)
{
    const struct storage_kind *const kind = storage_find_new(storage, layout);
    return kind ? kind->name : "none";
}

static void
chosen(void **state)
{
    const char *const path = files_path("chosen");
    tess_storage s = storage_at(path, TESS_MODE_READ);
    (void)state;
    assert_string_equal(kind_of(&s), "file"); // which is not there: a file is missing
    assert_string_equal(new_kind_of(&s, TESS_LAYOUT_CONTIGUOUS), "file");
    assert_string_equal(new_kind_of(&s, TESS_LAYOUT_SPARSE), "directory");
    files_write(path, "x", 1);
    assert_string_equal(kind_of(&s), "file");
    files_remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_string_equal(kind_of(&s), "directory");
    assert_string_equal(new_kind_of(&s, TESS_LAYOUT_CONTIGUOUS), "file"); // which refuses it
    files_remove(path);
    s.image = "";
    assert_string_equal(kind_of(&s), "file"); // the path counts
    s.path = NULL;
    assert_string_equal(kind_of(&s), "memory");
    s.image = NULL;
    assert_string_equal(kind_of(&s), "none");
    assert_string_equal(new_kind_of(&s, TESS_LAYOUT_CONTIGUOUS), "memory");
    assert_string_equal(new_kind_of(&s, TESS_LAYOUT_SPARSE), "none");
}

static void
end(struct storage_opened *o)
{
    io_close(o->io);
    folder_close(o->folder);
}

// What is created is what is opened, with a path or in memory, from an offset or from the start.
static void
opened(void **state)
{
    const char *const path = files_path("opened");
    struct storage_opened o;
    char bytes[8];
    tess_storage s = storage_at(path, TESS_MODE_NEW);
    (void)state;
    ok(storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    assert_null(o.folder);
    ok(io_write(o.io, 0, "0123456789", 10, err));
    ok(io_publish(o.io, false, err));
    end(&o);
    for (int k = 0; k < 3; k++) {
        s = storage_at(path, k == 2 ? TESS_MODE_UPDATE : TESS_MODE_READ);
        s.mmap = k == 1;
        s.offset = k < 2 ? 3 : 0;
        ok(storage_open(&s, &o, err));
        assert_int_equal(o.offset, s.offset);
        assert_int_equal(o.io->writable, k == 2);
        ok(io_read(o.io, 0, bytes, 4, err));
        assert_memory_equal(bytes, k < 2 ? "3456" : "0123", 4);
        end(&o);
    }
    s = storage_at(path, TESS_MODE_APPEND);
    ok(storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    assert_int_equal(o.offset, 10);
    ok(io_write(o.io, 0, "ab", 2, err));
    end(&o); // not published: the file is as it was
    s = storage_at(NULL, TESS_MODE_READ);
    s.image = "memory";
    s.image_size = 6;
    for (int k = 0; k < 2; k++) {
        s.mode = k == 0 ? TESS_MODE_READ : TESS_MODE_UPDATE;
        ok(storage_open(&s, &o, err));
        assert_ptr_equal(k == 0 ? (const void *)io_view(o.io, 0, 6) : s.image, s.image);
        ok(io_read(o.io, 2, bytes, 4, err));
        assert_memory_equal(bytes, "mory", 4);
        end(&o);
    }
    s = storage_at(files_path("directory"), TESS_MODE_NEW);
    ok(storage_create(&s, TESS_LAYOUT_SPARSE, &parts, &o, err));
    assert_null(o.io);
    ok(folder_publish(o.folder, false, err));
    end(&o);
    s.mode = TESS_MODE_UPDATE;
    ok(storage_open(&s, &o, err));
    assert_true(o.folder->locked);
    end(&o);
    files_remove(s.path);
    files_remove(path);
}

#define refuse(want, call)                         \
    do {                                           \
        tess_error err_ = {0};                     \
        tess_error *const err = &err_;             \
        memset(&o, 0x5a, sizeof o);                \
        assert_int_equal(call, want);              \
        assert_string_not_equal(err->message, ""); \
        assert_null(o.io);                         \
        assert_null(o.folder);                     \
    } while (0)

static void
not_opened(void **state)
{
    const char *const path = files_path("refused");
    const char *const directory = files_path("directory");
    struct storage_opened o, held;
    tess_storage s = storage_at(path, TESS_MODE_READ);
    (void)state;
    files_write(path, "0123", 4);
    assert_int_equal(mkdir(directory, 0777), 0);
    s.offset = 5;
    refuse(TESS_ERR_ARG, storage_open(&s, &o, err)); // behind the end
    s.offset = 1;
    s.mode = TESS_MODE_UPDATE;
    refuse(TESS_ERR_UNSUPPORTED, storage_open(&s, &o, err));
    s.mmap = true;
    refuse(TESS_ERR_ARG, storage_open(&s, &o, err));
    refuse(TESS_ERR_ARG, storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    s = storage_at(directory, TESS_MODE_READ);
    s.offset = 1;
    refuse(TESS_ERR_ARG, storage_open(&s, &o, err));
    s = storage_at(NULL, TESS_MODE_READ);
    refuse(TESS_ERR_ARG, storage_open(&s, &o, err));
    s.image = "";
    s.mmap = true;
    refuse(TESS_ERR_ARG, storage_open(&s, &o, err));
    refuse(TESS_ERR_ARG, storage_create(&s, TESS_LAYOUT_SPARSE, &parts, &o, err));
    s = storage_at(path, TESS_MODE_READ);
    refuse(TESS_ERR_ARG, storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    refuse(TESS_ERR_ARG, storage_create(&s, (tess_layout)9, &parts, &o, err));
    s.mode = TESS_MODE_APPEND;
    refuse(TESS_ERR_ARG, storage_create(&s, TESS_LAYOUT_SPARSE, &parts, &o, err));
    s.mode = TESS_MODE_NEW;
    refuse(TESS_ERR_IO, storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    s.path = directory;
    s.mode = TESS_MODE_REPLACE;
    refuse(TESS_ERR_IO, storage_create(&s, TESS_LAYOUT_CONTIGUOUS, &parts, &o, err));
    s = storage_at(path, TESS_MODE_UPDATE);
    ok(storage_open(&s, &held, err));
    refuse(TESS_ERR_IO, storage_open(&s, &o, err)); // a second writer
    end(&held);
    files_remove(directory);
    files_remove(path);
}

static void
identified(void **state)
{
    const char *const path = files_path("identified");
    const char *const directory = files_path("inside");
    char name[4096];
    struct io_identity own, other;
    struct io *a, *b, *window, *memory;
    struct folder *folder;
    bool same;
    (void)state;
    files_write(path, "0123", 4);
    ok(io_file_open(path, false, &a, err));
    ok(io_file_map(path, &b, err));
    ok(io_same(a, b, &same, err));
    assert_true(same);
    ok(io_window(b, 2, &window, err));
    ok(io_same(a, window, &same, err));
    assert_true(same);
    ok(io_memory_view("", 0, &memory, err));
    ok(io_same(a, memory, &same, err));
    assert_false(same);
    ok(io_identify(memory, &other, err));
    assert_false(io_identity_is_at(&other, path));
    ok(io_identify(a, &own, err));
    assert_true(io_identity_is_at(&own, path));
    assert_false(own.removed);
    assert_int_equal(symlink(path, directory), 0);
    assert_true(io_identity_is_at(&own, directory)); // links are followed
    files_remove(directory);
    files_remove(path);
    files_write(path, "0123", 4);
    assert_false(io_identity_is_at(&own, path));
    ok(io_identify(a, &own, err));
    assert_true(own.removed);
    io_close(window);
    io_close(memory);
    io_close(a);
    files_remove(path);

    assert_int_equal(mkdir(directory, 0777), 0);
    tess_storage s = storage_at(directory, TESS_MODE_READ);
    struct storage_opened o;
    ok(storage_open(&s, &o, err));
    folder = o.folder;
    ok(folder_identify(folder, &own, err));
    assert_true(io_identity_is_at(&own, directory));
    assert_false(folder_is_replaced(folder));
    snprintf(name, sizeof name, "%s/not_there//", directory);
    assert_true(io_identity_contains(&own, name));
    assert_false(io_identity_contains(&own, directory));
    assert_false(io_identity_contains(&own, path));
    files_remove(directory);
    assert_true(folder_is_replaced(folder));
    assert_false(io_identity_is_at(&own, directory));
    folder_close(folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen),
        cmocka_unit_test(opened),
        cmocka_unit_test(not_opened),
        cmocka_unit_test(identified),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
