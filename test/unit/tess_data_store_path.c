/*
 * tess_data_store_path.c - paths that lead through stores, as parts.
 */
#include "data/store_path.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { WHOLE = STORE_PATH_WHOLE, GROUPS = STORE_PATH_GROUPS, MAKES = STORE_PATH_MAKES };

// "store|commit|inside"; "" for no store, and - for no commit.
static void
check(const char *path, int flags, const char *expected)
{
    char text[400] = "";
    const struct store_path p =
        flags >= 0 ? store_path_parse(path, flags) : store_path_parse_entry(path);
    if (p.front > 0)
        snprintf(text, sizeof text, "%.*s|%.*s|%s", (int)p.front, path,
                 p.commit ? (int)p.commit_size : 1, p.commit ? p.commit : "-", p.inside);
    if (strcmp(text, expected) != 0)
        fail_msg("%s, flags %d: %s instead of %s", path, flags, text, expected);
}

static void
touch(const char *path)
{
    files_write(path, "x", 1);
}

static void
parts(void **state)
{
    static const struct {
        const char *path;
        int flags; // -1: store_path_parse_entry()
        const char *expected;
    } cases[] = {
        // nothing is there
        {"a.b2nd", 0, ""},
        {"no.b2d", 0, ""},
        {"no.b2d/", 0, ""},
        {"no.b2d/", WHOLE, "no.b2d|-|/"},
        {"no.b2d///", WHOLE, "no.b2d|-|///"},
        {"no.b2d/u", 0, "no.b2d|-|/u"},
        {"x/no.b2z/g/u", 0, "x/no.b2z|-|/g/u"},
        {"no.b2d/u", MAKES, "no.b2d|-|/u"},
        {"no.b2z/u", MAKES, ""},
        {"no.b2d/u.b2nd", MAKES, ""},
        {"no.b2d/u.b2nd", 0, "no.b2d|-|/u.b2nd"},
        {".b2d/u", 0, ""},
        {"x/.b2d/u", 0, "x/.b2d|-|/u"},
        {"", WHOLE, ""},
        {"/", WHOLE, ""},
        {"@", WHOLE, ""},
        {"a@b/c", WHOLE, ""},
        // commits
        {"no.b2d@v", 0, "no.b2d|v|"},
        {"no.b2d@v/", 0, "no.b2d|v|/"},
        {"no.b2d@v/g/u", 0, "no.b2d|v|/g/u"},
        {"no.b2z@v/g/u", MAKES, "no.b2z|v|/g/u"},
        {"no.b2d@/u", 0, "no.b2d||/u"},
        {"no.b2d@", 0, "no.b2d||"},
        {"no.b2d@a@b/u", 0, "no.b2d|a@b|/u"},
        {"no.b2d@v.b2nd", 0, ""},
        {"no.b2d@v.b2f/u", 0, ""},
        {"no.b2d@v/u.b2nd", MAKES, "no.b2d|v|/u.b2nd"},
        {"no.b2d@x.b2d/u", 0, "no.b2d|x.b2d|/u"},
        {"x/no.b2d@v/u", 0, "x/no.b2d|v|/u"},
        {".b2d@v/u", 0, ""},
        {"no.b2x@v/u", 0, ""},
        // of a name in a store, and of a store in a directory that is called so
        {"no.b2d/y.b2d@v", 0, "no.b2d|-|/y.b2d@v"},
        {"s.b2d/in.b2d@v/u", 0, "s.b2d/in.b2d|v|/u"},
        {"s.b2d/in.b2d", WHOLE, "s.b2d/in.b2d|-|"},
        // URLs
        {"https://x/s.b2z/u", 0, "https://x/s.b2z|-|/u"},
        {"https://x/s.b2z", WHOLE, "https://x/s.b2z|-|"},
        {"https://x/s.b2z@v/u", 0, ""},
        {"https://x/s.b2d/u", MAKES, ""},
        // what is there goes first
        {"s.b2d/file", 0, ""},
        {"s.b2d/group", 0, ""},
        {"s.b2d/group", GROUPS, "s.b2d|-|/group"},
        {"s.b2d/file", GROUPS, ""},
        {"s.b2d/sparse", GROUPS, ""},
        {"s.b2d/group/u", 0, "s.b2d|-|/group/u"},
        {"s.b2d@real", 0, ""},
        {"s.b2d@real/u", 0, ""},
        {"s.b2d@dangling/u", 0, ""},
        {"s.b2d@v/file", 0, "s.b2d|v|/file"},
        {"s.b2d@real.b2d", WHOLE, "s.b2d@real.b2d|-|"},
        {"s.b2d@real.b2d/u", 0, "s.b2d@real.b2d|-|/u"},
        {"s.b2d@real.b2d@v/u", 0, "s.b2d@real.b2d|v|/u"},
        {"s.b2d@no.b2d@v/u", 0, "s.b2d|no.b2d@v|/u"},
        // what is removed or renamed
        {"s.b2d", -1, "s.b2d|-|"},
        {"s.b2d/file", -1, "s.b2d|-|/file"},
        {"s.b2d/group", -1, "s.b2d|-|/group"},
        {"s.b2d/sparse", -1, ""},
        {"s.b2d/sparse/", -1, ""},
        {"s.b2d@v/sparse", -1, "s.b2d|v|/sparse"},
        {"s.b2d@real", -1, ""},
        {"file", -1, ""},
        {"https://x/s.b2z/u", -1, "https://x/s.b2z|-|/u"},
    };
    (void)state;
    assert_int_equal(chdir(files_path("")), 0);
    static const char *const folders[] = {"s.b2d",        "s.b2d/group", "s.b2d/sparse",
                                          "s.b2d/in.b2d", "s.b2d@real",  "s.b2d@real.b2d"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
    touch("s.b2d/file");
    touch("s.b2d/sparse/chunks.b2frame");
    touch("file");
    assert_int_equal(symlink("nothing", "s.b2d@dangling"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].path, cases[i].flags, cases[i].expected);
    assert_int_equal(chdir("/"), 0);
}

// Paths that are longer than those of the system.
static void
long_paths(void **state)
{
    static char path[20000];
    (void)state;
    memset(path, 'x', sizeof path - 1);
    memcpy(path + 6000, ".b2d@", 5);
    memcpy(path + 12000, ".b2d@", 5);
    path[15000] = '/';
    const struct store_path p = store_path_parse(path, 0);
    assert_int_equal(p.front, 6004);
    assert_int_equal(p.commit_size, 15000 - 6005);
    assert_ptr_equal(p.inside, path + 15000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(parts),
        cmocka_unit_test(long_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
