/*
 * tess_data_path.c - what is removed, and what --force may remove: never what a link leads to.
 */
#include "data/path.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/tess_data_path_XXXXXX";
static char outside[sizeof folder + 16]; // absolute

static void
make_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(close(fd), 0);
}

static void
make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
}

static void
make_link(const char *target, const char *path)
{
    assert_int_equal(symlink(target, path), 0);
}

static bool
is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void
assert_outside_whole(void)
{
    assert_true(is_there("outside/keep.b2nd"));
    assert_true(is_there("outside/chunks.b2frame"));
    assert_true(is_there("outside/sub/keep.b2nd"));
}

static int
begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    (void)snprintf(outside, sizeof outside, "%s/outside", folder);
    make_folder("outside");
    make_folder("outside/sub");
    make_file("outside/keep.b2nd");
    make_file("outside/chunks.b2frame");
    make_file("outside/sub/keep.b2nd");
    return 0;
}

static int
end(void **state)
{
    (void)state;
    return path_remove(folder) && !is_there(folder) ? 0 : -1;
}

static void
test_remove(void **state)
{
    (void)state;
    make_folder("tree");
    make_folder("tree/sub");
    make_folder("tree/sub/deep");
    make_file("tree/a.b2nd");
    make_file("tree/sub/deep/b.b2nd");
    make_link("../outside", "tree/folder");
    make_link("../outside/keep.b2nd", "tree/file");
    make_link("nowhere", "tree/dangling");
    make_link(".", "tree/loop");
    make_link("../..", "tree/sub/up");
    make_link(outside, "tree/sub/deep/absolute");
    assert_true(path_remove("tree"));
    assert_false(is_there("tree"));
    assert_outside_whole();

    make_file("file");
    assert_true(path_remove("file"));
    assert_false(is_there("file"));
    assert_false(path_remove("file"));
    assert_int_equal(errno, ENOENT);
}

// The path itself is a link.
static void
test_remove_link(void **state)
{
    static const char *const paths[] = {"link", "link/", "link///"};

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        make_link("outside", "link");
        assert_true(path_remove(paths[i]));
        assert_false(is_there("link"));
        assert_outside_whole();
    }
    make_folder("empty");
    assert_true(path_remove("empty/"));
    assert_false(is_there("empty"));
}

static void
test_remove_family(void **state)
{
    (void)state;
    make_folder(".tess-1-0.tmp");
    make_link("../outside", ".tess-1-0.tmp/link");
    make_link("outside", ".tess-1-0.tmp.lock");
    make_file(".tess-1-0.tmp.tess-2.tmp");
    make_file(".tess-1-1.tmp");
    make_file(".tess-1-0");
    path_remove_family(".tess-1-0.tmp");
    assert_false(is_there(".tess-1-0.tmp"));
    assert_false(is_there(".tess-1-0.tmp.lock"));
    assert_false(is_there(".tess-1-0.tmp.tess-2.tmp"));
    assert_true(is_there(".tess-1-1.tmp"));
    assert_true(is_there(".tess-1-0"));
    assert_outside_whole();
}

typedef tess_status check_fn(const char *path, tess_error *err);

static void
expect(check_fn *check, const char *path, tess_status wanted)
{
    tess_error err;
    const tess_status st = check(path, &err);

    if (st != wanted)
        fail_msg("%s: status %d, not %d", path, (int)st, (int)wanted);
}

// What an array, or a folder of arrays, has besides makes it another thing.
static void
test_checks(void **state)
{
    static const struct {
        const char *reason;
        const char *link, *folder, *file; // what it has besides, or NULL
        bool array, tree; // whether it may be removed
    } cases[] = {
        {"nothing else", NULL, NULL, NULL, true, true},
        {"a chunk", NULL, NULL, "a.b2nd/0000000a.chunk", true, true},
        {"a file that is no chunk", NULL, NULL, "a.b2nd/a.chunk", false, false},
        {"a link that is called like a chunk", "a.b2nd/00000000.chunk", NULL, NULL, false, false},
        {"a folder in the array", NULL, "a.b2nd/00000000.chunk", NULL, false, false},
        {"a folder beside the array", NULL, "group", NULL, true, true},
        {"a link that is called like an array", "b.b2nd", NULL, NULL, true, false},
        {"a link that is called like a group", "group", NULL, NULL, true, false},
        {"a file beside the array", NULL, NULL, "notes.txt", true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[64];

        make_folder("t");
        make_folder("t/a.b2nd");
        make_file("t/a.b2nd/chunks.b2frame");
        if (cases[i].link) {
            (void)snprintf(path, sizeof path, "t/%s", cases[i].link);
            make_link(outside, path);
        }
        if (cases[i].folder) {
            (void)snprintf(path, sizeof path, "t/%s", cases[i].folder);
            make_folder(path);
        }
        if (cases[i].file) {
            (void)snprintf(path, sizeof path, "t/%s", cases[i].file);
            make_file(path);
        }
        print_message("%s\n", cases[i].reason);
        expect(path_check_replaceable, "t/a.b2nd", cases[i].array ? TESS_OK : TESS_ERR_IO);
        expect(path_check_tree, "t", cases[i].tree ? TESS_OK : TESS_ERR_IO);
        expect(path_check_replaceable, "t", TESS_ERR_IO);
        assert_true(path_remove("t"));
    }
    make_link("outside", "link");
    expect(path_check_replaceable, "link", TESS_ERR_IO);
    expect(path_check_tree, "link", TESS_ERR_IO);
    assert_true(path_remove("link"));
    assert_outside_whole();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remove),
        cmocka_unit_test(test_remove_link),
        cmocka_unit_test(test_remove_family),
        cmocka_unit_test(test_checks),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
