/*
 * remove.c - arrays that are removed, with what belongs to them; and all that is refused.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { VALUE = 70, PATH_SIZE = 700 };

// A name that belongs to a path, or is inside of it.
static const char *
beside(const char *path, const char *end)
{
    static char name[PATH_SIZE];
    (void)snprintf(name, sizeof name, "%s%s", path, end);
    return name;
}

static void
removed(const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    ok(tess_remove(&storage, err));
    assert_false(files_exist(path));
}

// Nothing is removed, and the sentence has that word.
static void
not_removed(const char *path, tess_status want, const char *word)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    const int before = files_count();
    tess_error why;
    refused(want, tess_remove(&storage, err));
    assert_int_equal(tess_remove(&storage, &why), want);
    if (!strstr(why.message, word))
        fail_msg("no \"%s\": %s", word, why.message);
    assert_int_equal(files_count(), before);
}

static void
removes(void **state)
{
    (void)state;
    for (int durability = 0; durability < 3; durability++)
        for (int i = 0; i < 2; i++) {
            const char *const path = state_path(state_layouts[i]);
            tess_storage storage = at(path, TESS_MODE_READ);
            state_make(path, state_layouts[i], VALUE);
            storage.durability = (tess_durability)durability;
            ok(tess_remove(&storage, err));
            assert_int_equal(files_count(), 0);
            refused(TESS_ERR_NOT_FOUND, tess_remove(&storage, err));
        }
}

// Slashes at the end of a directory, and whatever the mode.
static void
slashes(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    tess_storage storage = at(path, TESS_MODE_NEW);
    (void)state;
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    storage.path = beside(path, "//");
    ok(tess_remove(&storage, err));
    assert_int_equal(files_count(), 0);

    // A path that ends with one leads to no file.
    const char *const file = state_path(TESS_LAYOUT_CONTIGUOUS);
    state_make(file, TESS_LAYOUT_CONTIGUOUS, VALUE);
    not_removed(beside(file, "/"), TESS_ERR_IO, "Not a directory");
}

// Paths that lead to the array, or the root, by no name of it.
static void
no_name(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    (void)state;
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    not_removed(beside(path, "/."), TESS_ERR_ARG, "ends with \".\"");
    not_removed(beside(path, "/./"), TESS_ERR_ARG, "ends with \".\"");
    assert_int_equal(mkdir(beside(path, "/sub"), 0777), 0);
    not_removed(beside(path, "/sub/.."), TESS_ERR_ARG, "ends with \"..\"");
    assert_int_equal(rmdir(beside(path, "/sub")), 0);
    not_removed(".", TESS_ERR_ARG, "ends with \".\"");
    not_removed("//", TESS_ERR_ARG, "ends with \"/\"");
    assert_int_equal(state_at(path), VALUE);
    removed(path);
}

static void
what_belongs_to_it(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        tess_storage storage = at(path, TESS_MODE_NEW);
        tess_array *a;
        storage.lock_file = true;
        ok(state_create(&storage, state_layouts[i], VALUE, &a, err));
        ok(tess_array_close(a, err));
        if (i == 0)
            assert_true(files_exist(beside(path, ".b2lock")));
        files_write(beside(path, ".tess-0.tmp"), "left", 4);
        files_write(beside(path, ".tess-17.tmp"), "left", 4);
        files_write(beside(path, ".tess-17.tm"), "other", 5);
        files_write(beside(path, "x"), "other", 5);
        removed(path);
        assert_int_equal(files_count(), 2);
        files_remove(beside(path, ".tess-17.tm"));
        files_remove(beside(path, "x"));
    }
}

// What a program that died left of a removal is removed where nothing else is left.
static void
rest_of_a_removal(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    const tess_storage storage = at(path, TESS_MODE_READ);
    (void)state;
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    assert_int_equal(rename(path, beside(path, ".tess-0.tmp")), 0);
    refused(TESS_ERR_NOT_FOUND, tess_remove(&storage, err));
    assert_int_equal(files_count(), 0);
}

static void
no_array(void **state)
{
    const char *const text = files_path("text"), *const folder = files_path("folder");
    tess_storage storage = at(text, TESS_MODE_READ);
    (void)state;
    files_write(text, "no array", 8);
    not_removed(text, TESS_ERR_FORMAT, "not a Blosc2 frame");
    files_write(text, "", 0);
    not_removed(text, TESS_ERR_FORMAT, "not a Blosc2 frame");
    assert_int_equal(mkdir(folder, 0777), 0);
    not_removed(folder, TESS_ERR_FORMAT, "chunks.b2frame");
    files_write(beside(folder, "/chunks.b2frame"), "no array", 8);
    not_removed(folder, TESS_ERR_FORMAT, "chunks.b2frame");
    assert_true(files_exist(beside(folder, "/chunks.b2frame")));
    assert_int_equal(mkfifo(files_path("fifo"), 0666), 0);
    not_removed(files_path("fifo"), TESS_ERR_FORMAT, "is a FIFO, neither a file");
    not_removed("/dev/null", TESS_ERR_FORMAT, "is a device");

    storage.path = NULL;
    refused(TESS_ERR_ARG, tess_remove(&storage, err));
    refused(TESS_ERR_ARG, tess_remove(NULL, err));
    storage = at(text, TESS_MODE_READ);
    storage.offset = 5;
    refused(TESS_ERR_ARG, tess_remove(&storage, err));
    storage = at(files_path("none/a"), TESS_MODE_READ);
    refused(TESS_ERR_NOT_FOUND, tess_remove(&storage, err));
    storage = at("", TESS_MODE_READ);
    refused(TESS_ERR_NOT_FOUND, tess_remove(&storage, err));
}

// A directory with something else in it, which is named.
static void
foreign(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    (void)state;
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    files_write(beside(path, "/notes.txt"), "mine", 4);
    not_removed(path, TESS_ERR_UNSUPPORTED, "notes.txt");
    assert_int_equal(unlink(beside(path, "/notes.txt")), 0);
    assert_int_equal(mkdir(beside(path, "/00000000.chunk.d"), 0777), 0);
    not_removed(path, TESS_ERR_UNSUPPORTED, "00000000.chunk.d");
    assert_int_equal(rmdir(beside(path, "/00000000.chunk.d")), 0);
    assert_int_equal(state_at(path), VALUE);
    removed(path);
}

static void
several_frames(void **state)
{
    const char *const path = files_path("two");
    tess_storage storage = at(path, TESS_MODE_APPEND);
    tess_array *a;
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
    ok(state_create(&storage, TESS_LAYOUT_CONTIGUOUS, VALUE, &a, err));
    ok(tess_array_close(a, err));
    not_removed(path, TESS_ERR_UNSUPPORTED, "another frame");

    files_write(path, "bytes in front", 14); // of an array
    ok(state_create(&storage, TESS_LAYOUT_CONTIGUOUS, VALUE, &a, err));
    ok(tess_array_close(a, err));
    not_removed(path, TESS_ERR_FORMAT, "not a Blosc2 frame");
}

// A beginning of a frame behind an array: what the list of frames shows as one is not removed, and
// stays when the array is changed; what it does not show is unused.
static void
beginnings(void **state)
{
    const char *const path = files_path("begins");
    (void)state;
    for (int shown = 1; shown <= 100; shown++)
        for (int first = 0; first < 2; first++) {
            tess_storage storage = at(path, TESS_MODE_READ);
            tess_frame_info *frames;
            tess_array *a;
            int64_t n;
            size_t size;
            state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
            uint8_t *bytes = files_read(path, &size);
            bytes = realloc(bytes, size + 100);
            assert_non_null(bytes);
            memcpy(bytes + size, bytes, 100);
            bytes[size] ^= (uint8_t)first; // starts as no frame does
            files_write(path, bytes, size + (size_t)shown);
            free(bytes);
            ok(tess_find_frames(&storage, &frames, &n, err));
            tess_free(frames);
            assert_int_equal(n, shown >= 64 && first == 0 ? 2 : 1);
            storage.mode = TESS_MODE_UPDATE;
            if (n == 2) {
                refused(TESS_ERR_UNSUPPORTED, tess_array_open(&storage, &a, err));
                not_removed(path, TESS_ERR_UNSUPPORTED, "another frame");
                files_remove(path);
                continue;
            }
            ok(tess_array_open(&storage, &a, err));
            ok(state_write(a, VALUE + 1, err));
            ok(tess_array_close(a, err));
            assert_int_equal(state_at(path), VALUE + 1);
            removed(path);
        }
}

// What writers that died left behind the frame goes with it.
static void
unused_bytes(void **state)
{
    const char *const path = files_path("longer");
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
    FILE *const file = fopen(path, "ab");
    assert_non_null(file);
    for (int i = 0; i < 200000; i++)
        (void)fputc(i * 7 % 256, file);
    assert_int_equal(fclose(file), 0);
    removed(path);
}

// Cut off, or with an index that is no more: still an array by its header.
static void
damaged(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
        size_t size;
        uint8_t *bytes;
        state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
        bytes = files_read(path, &size);
        if (i == 0)
            size = 200;
        else if (i == 1)
            memset(bytes + size - 100, 0xff, 100);
        else
            bytes[20] ^= 0x55; // the length of the frame
        files_write(path, bytes, size);
        free(bytes);
        removed(path);
    }
    const char *const path = state_path(TESS_LAYOUT_SPARSE);
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    assert_int_equal(truncate(beside(path, "/chunks.b2frame"), 100), 0);
    removed(path);
    state_make(path, TESS_LAYOUT_SPARSE, VALUE);
    assert_int_equal(unlink(beside(path, "/00000000.chunk")), 0);
    removed(path);
}

static void
links(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]), *const link = files_path("link");
        state_make(path, state_layouts[i], VALUE);
        assert_int_equal(symlink(path, link), 0);
        not_removed(link, TESS_ERR_UNSUPPORTED, "symbolic link");
        assert_int_equal(state_at(path), VALUE);
        removed(path);
        not_removed(link, TESS_ERR_UNSUPPORTED, "symbolic link"); // that leads to nothing
        assert_int_equal(unlink(link), 0);
    }
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS), *const other = files_path("hard");
    state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
    assert_int_equal(link(path, other), 0);
    removed(path);
    assert_int_equal(state_at(other), VALUE);
}

static void
open_for_writing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        tess_storage storage = at(path, TESS_MODE_READ);
        tess_error why;
        tess_array *a;
        state_make(path, state_layouts[i], VALUE);
        a = state_open(path, TESS_MODE_UPDATE);
        assert_int_equal(tess_remove(&storage, &why), TESS_ERR_IO);
        assert_int_equal(why.sys, EWOULDBLOCK);
        storage.wait = 50;
        const double start = seconds();
        assert_int_equal(tess_remove(&storage, &why), TESS_ERR_IO);
        assert_int_equal(why.sys, EWOULDBLOCK);
        assert_true(seconds() - start >= 0.05);
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), VALUE);
        removed(path);
    }
}

static int
write_for_a_while(const struct channel *c, const void *path)
{
    tess_array *const a = state_open(path, TESS_MODE_UPDATE);
    say(c);
    (void)usleep(100000);
    return tess_array_close(a, NULL) == TESS_OK ? 0 : 1;
}

static void
waits(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        tess_storage storage = at(path, TESS_MODE_READ);
        state_make(path, state_layouts[i], VALUE);
        const struct other o = other_begin(write_for_a_while, path);
        hear(&o.channel);
        storage.wait = -1;
        ok(tess_remove(&storage, err));
        other_end(&o);
        assert_int_equal(files_count(), 0);
    }
}

// A file is read on; a directory is not there any more, and says so.
static void
open_for_reading(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const path = state_path(state_layouts[i]);
        int32_t value = 0;
        state_make(path, state_layouts[i], VALUE);
        tess_array *const a = state_open(path, TESS_MODE_READ);
        removed(path);
        const tess_status st = state_read(a, &value, NULL);
        if (state_layouts[i] == TESS_LAYOUT_CONTIGUOUS)
            assert_true(st == TESS_OK && value == VALUE);
        else
            assert_true(st == TESS_ERR_STALE || st == TESS_ERR_IO);
        ok(tess_array_close(a, err));
    }
}

static bool
impatient(int64_t done, int64_t total, void *user)
{
    (void)user;
    assert_true(done == 0 && total == 1);
    return false;
}

// A program of another implementation is in the middle of a change.
static void
locked_by_others(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    tess_storage storage = at(path, TESS_MODE_NEW);
    tess_context context;
    tess_array *a;
    (void)state;
    storage.lock_file = true;
    ok(state_create(&storage, TESS_LAYOUT_CONTIGUOUS, VALUE, &a, err));
    ok(tess_array_close(a, err));
    const int fd = open(beside(path, ".b2lock"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    tess_context_init(&context);
    context.progress = impatient;
    storage.context = &context;
    refused(TESS_ERR_CANCELLED, tess_remove(&storage, err));
    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_int_equal(state_at(path), VALUE);
    removed(path);
    assert_int_equal(files_count(), 0);
    close(fd);
}

// Permissions of the folder decide, as for rm.
static void
permissions(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    tess_storage storage = at(path, TESS_MODE_READ);
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, VALUE);
    assert_int_equal(chmod(path, 0444), 0);
    if (geteuid() != 0) {
        assert_int_equal(chmod(files_path(""), 0555), 0);
        refused(TESS_ERR_IO, tess_remove(&storage, err));
        assert_int_equal(chmod(files_path(""), 0777), 0);
    }
    removed(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(removes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(slashes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(no_name, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(what_belongs_to_it, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(rest_of_a_removal, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(no_array, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(foreign, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(several_frames, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(beginnings, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(unused_bytes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(links, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(open_for_writing, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(waits, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(open_for_reading, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(locked_by_others, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(permissions, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
