/*
 * io_names.c - tests of io/names/naming.h and io/names/removal.h: which name new files and
 * directories have, and removed ones, and when, on systems that can rename in all ways, in some,
 * and that fail.
 */
#include "io/directory.h"
#include "io/file.h"
#include "io/names/naming.h"

#include "io/folder.h"
#include "io/io.h"
#include "io/names/removal.h"
#include "support/files.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

// -- the file system: calls of the library come here, since it is linked statically

static struct {
    int no_flags; // error of renames with flags; 0: none
    bool no_links;
    int failing_syncs; // of directories, from now on
} fs;

static bool
fails_renaming(unsigned flags)
{
    if (fs.no_flags == 0 || flags == 0)
        return false;
    errno = fs.no_flags;
    return true;
}

#ifdef BY_SYSCALL
long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long
__wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_renameat2 && fails_renaming((unsigned)e))
        return -1;
    return __real_syscall(number, a, b, c, d, e, f);
}
#else
int
renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    if (fails_renaming(flags))
        return -1;
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}
#endif

int
linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    if (fs.no_links) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
}

int
fsync(int fd)
{
    struct stat info;
    if (fs.failing_syncs > 0 && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        fs.failing_syncs--;
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

// -- something to be named: a file, or a directory with an index

static bool
is_part(const char *name)
{
    return strcmp(name, "part") == 0;
}

static const struct folder_kind kind = {.index = "index", .is_part = is_part};

struct thing {
    bool directory;
    struct io *io;
    struct folder *folder;
};

static void
write_inside(const struct folder *f, const char *name, const char *text)
{
    struct io *io;
    ok(folder_write(f, name, &io, err));
    ok(io_write(io, 0, text, strlen(text), err));
    io_close(io);
}

static tess_status
make(struct thing *t, bool directory, bool replace, const char *text, tess_error *err)
{
    const char *const path = files_path("thing");
    *t = (struct thing){.directory = directory};
    const tess_status st = directory ? directory_create(path, replace, &kind, &t->folder, err)
                                     : io_file_create(path, replace, &t->io, err);
    if (st == TESS_OK && directory) {
        write_inside(t->folder, "part", text);
        write_inside(t->folder, "index", text);
    }
    return st == TESS_OK && !directory ? io_write(t->io, 0, text, strlen(text), err) : st;
}

static tess_status
publish(struct thing *t, bool durable, tess_error *err)
{
    return t->directory ? folder_publish(t->folder, durable, err) : io_publish(t->io, durable, err);
}

static void
end(struct thing *t)
{
    io_close(t->io);
    folder_close(t->folder);
}

static void
holds(bool directory, const char *text)
{
    static const char *const names[] = {"thing", "thing/index", "thing/part"};
    for (int i = directory ? 1 : 0; i < (directory ? 3 : 1); i++) {
        size_t size;
        char *const bytes = (char *)files_read(files_path(names[i]), &size);
        assert_int_equal(size, strlen(text));
        assert_memory_equal(bytes, text, size);
        free(bytes);
    }
}

static void
put(bool directory, const char *text)
{
    struct thing t;
    ok(make(&t, directory, true, text, err));
    ok(publish(&t, false, err));
    end(&t);
    holds(directory, text);
}

// -- tests

static const struct {
    int no_flags;
    bool no_links;
} systems[] = {{0, false}, {EINVAL, false}, {EINVAL, true}, {ENOSYS, false}, {ENOSYS, true}};

enum { SYSTEMS = sizeof systems / sizeof *systems };

static void
be_system(int i)
{
    memset(&fs, 0, sizeof fs);
    fs.no_flags = systems[i].no_flags;
    fs.no_links = systems[i].no_links;
}

static void
new_names(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SYSTEMS; i++) {
        const bool directory = i % 2;
        struct thing t, other;
        tess_error error;
        be_system(i / 2);
        ok(make(&t, directory, false, "first", err));
        assert_false(files_exist(files_path("thing")));
        ok(publish(&t, true, err));
        ok(publish(&t, true, err)); // nothing happens
        end(&t);
        holds(directory, "first");
        assert_int_equal(files_count(), 1);
        assert_int_equal(make(&t, directory, false, "second", &error), TESS_ERR_IO);
        assert_int_equal(error.sys, EEXIST);
        files_remove(files_path("thing"));

        // Something comes while it is made.
        ok(make(&t, directory, false, "late", err));
        ok(make(&other, !directory, false, "early", err));
        ok(publish(&other, true, err));
        assert_int_equal(publish(&t, true, &error), TESS_ERR_IO);
        assert_int_equal(error.sys, EEXIST);
        assert_non_null(strstr(error.message, strerror(EEXIST)));
        end(&other);
        end(&t);
        holds(!directory, "early");
        assert_int_equal(files_count(), 1);
        files_remove(files_path("thing"));
    }
}

static void
replaced_names(void **state)
{
    (void)state;
    for (int i = 0; i < 8 * SYSTEMS; i++) {
        const bool directory = i % 2, before = i / 2 % 2, durable = i / 4 % 2;
        struct thing t;
        be_system(i / 8);
        const bool can = !(fs.no_flags && (directory || before));
        if (before && !directory) // a file does not replace a directory
            continue;
        put(before, "old");
        ok(make(&t, directory, true, "new", err));
        holds(before, "old");
        assert_int_equal(publish(&t, durable, NULL), can ? TESS_OK : TESS_ERR_IO);
        end(&t);
        holds(can ? directory : before, can ? "new" : "old");
        assert_int_equal(files_count(), 1);
        files_remove(files_path("thing"));
    }
}

// What is not on the disk did not happen, where names can be exchanged; and is told in any case.
static void
failing_syncs(void **state)
{
    (void)state;
    for (int i = 0; i < 12 * SYSTEMS; i++) {
        const bool directory = i % 2, old = i / 2 % 2;
        const int fails = 1 + i / 4 % 3;
        struct thing t;
        tess_error error;
        be_system(i / 12);
        if (fs.no_flags && directory && old)
            continue;
        if (old)
            put(directory, "old");
        const bool stays = fs.no_flags && old; // the new one
        ok(make(&t, directory, old, "new", err));
        fs.failing_syncs = fails;
        assert_int_equal(publish(&t, true, &error), TESS_ERR_IO);
        assert_int_equal(error.sys, EIO);
        assert_int_equal(files_count(), old && !stays ? 2 : 1);
        if (old || stays)
            holds(directory, stays ? "new" : "old");
        else
            assert_false(files_exist(files_path("thing")));
        if (fails == 3) { // once more, in vain
            assert_int_equal(publish(&t, true, &error), TESS_ERR_IO);
            end(&t); // the disk may have the one or the other: both stay
            assert_int_equal(files_count(), old && !stays ? 2 : 1);
        } else {
            if (fails == 2)
                assert_int_equal(publish(&t, true, &error), TESS_ERR_IO);
            if (i % 5 == 0 || stays) {
                ok(publish(&t, true, err));
                end(&t);
                holds(directory, "new");
                assert_int_equal(files_count(), 1);
            } else {
                end(&t);
                assert_int_equal(files_count(), old);
            }
        }
        memset(&fs, 0, sizeof fs);
        char name[NAMING_SIZE];
        naming_temporary("thing", 0, name);
        files_remove(files_path(name));
        files_remove(files_path("thing"));
    }
}

static void
long_names(void **state)
{
    char name[NAME_MAX + 1], temporary[NAMING_SIZE];
    struct io *io;
    (void)state;
    memset(&fs, 0, sizeof fs);
    memset(name, 'x', NAME_MAX);
    name[NAME_MAX] = '\0';
    naming_temporary(name, 12, temporary);
    assert_int_equal(strlen(temporary), NAME_MAX);
    assert_true(naming_is_temporary(name, temporary));
    ok(io_file_create(files_path(name), false, &io, err));
    ok(io_publish(io, true, err));
    io_close(io);
    assert_true(files_exist(files_path(name)));
    assert_int_equal(files_count(), 1);
}

static void
no_names(void **state)
{
    struct io *io;
    tess_error error;
    char path[300];
    (void)state;
    (void)snprintf(path, sizeof path, "%s/", files_path("thing"));
    assert_int_equal(io_file_create(path, false, &io, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, ENOENT);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(io_file_create(path, false, &io, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, EISDIR);
    assert_int_equal(io_file_create(path, true, &io, &error), TESS_ERR_IO);
    assert_int_equal(symlink("nowhere", files_path("link")), 0);
    assert_int_equal(io_file_create(files_path("link"), false, &io, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, EEXIST);
    assert_int_equal(files_count(), 2);
    (void)unlink(files_path("link"));
}

// It has its name until it is looked at, and whatever stands in the way of a temporary one; if the
// disk does not say that the name is gone, it has it again.
static void
removed_names(void **state)
{
    (void)state;
    for (int i = 0; i < 8 * SYSTEMS; i++) {
        const bool directory = i % 2, fails = i / 2 % 2, taken = i / 4 % 2;
        struct removal r;
        tess_error error;
        char temporary[NAMING_SIZE];
        be_system(i / 8);
        put(directory, "old");
        naming_temporary("thing", 0, temporary);
        if (taken)
            files_write(files_path(temporary), "other", 5);
        ok(removal_begin(&r, files_path(directory ? "thing/" : "thing"), directory ? &kind : NULL,
                         err));
        holds(directory, "old");
        fs.failing_syncs = fails;
        assert_int_equal(removal_finish(&r, true, &error), fails ? TESS_ERR_IO : TESS_OK);
        removal_end(&r);
        assert_int_equal(files_count(), fails + taken);
        if (fails) {
            assert_int_equal(error.sys, EIO);
            holds(directory, "old");
            files_remove(files_path("thing"));
        }
        if (taken)
            files_remove(files_path(temporary));
    }
}

// Something else takes the name between the look and the removal: it keeps it.
static void
replaced_before_removed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool directory = i % 2, other = i / 2;
        struct removal r;
        memset(&fs, 0, sizeof fs);
        put(directory, "old");
        ok(removal_begin(&r, files_path("thing"), directory ? &kind : NULL, err));
        assert_int_equal(rename(files_path("thing"), files_path("away")), 0);
        if (other)
            files_write(files_path("thing"), "new", 3);
        const tess_status st = removal_finish(&r, true, NULL);
        removal_end(&r);
        assert_int_equal(st, other ? TESS_ERR_STALE : TESS_ERR_NOT_FOUND);
        assert_int_equal(files_exist(files_path("thing")), other);
        assert_int_equal(files_count(), 1 + other);
        files_remove(files_path("away"));
        if (other)
            files_remove(files_path("thing"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(new_names),
        IN_A_FOLDER(replaced_names),
        IN_A_FOLDER(failing_syncs),
        IN_A_FOLDER(long_names),
        IN_A_FOLDER(no_names),
        IN_A_FOLDER(removed_names),
        IN_A_FOLDER(replaced_before_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
