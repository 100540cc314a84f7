/*
 * io_open_files.c - tests of io/open_files: descriptors within a budget, the same files opened
 * again, writers that are refused.
 *
 * The descriptors of the process are counted in /proc/self/fd.
 */
#include "io/open_files.h"

#include "io/directory.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/io.h"
#include "support/files.h"
#include "support/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 100, BUDGET = 10, THREADS = 8, READS = 3000 };

static int
count_descriptors(void)
{
    DIR *const dir = opendir("/proc/self/fd");
    int n = -3; // ., .., and that of the list
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static struct open_files_report
report_now(void)
{
    struct open_files_report r;
    open_files_report(&r);
    return r;
}

static char *
name_of(int i, char *name)
{
    (void)sprintf(name, "f%d", i);
    return name;
}

// File i holds its number.
static struct io *
make_and_open(int i)
{
    char name[16];
    struct io *io;
    tess_error err;
    const char *const path = files_path(name_of(i, name));
    files_write(path, &i, sizeof i);
    assert_int_equal(io_file_open(path, false, &io, &err), TESS_OK);
    return io;
}

static void
check_content(struct io *io, int i)
{
    int found = -1;
    tess_error err;
    if (io_read(io, 0, &found, sizeof found, &err) != TESS_OK)
        fail_msg("file %d: %s", i, err.message);
    assert_int_equal(found, i);
}

static void
open_all(struct io **io)
{
    open_files_set_budget(BUDGET);
    for (int i = 0; i < FILES; i++)
        io[i] = make_and_open(i);
}

static void
close_all(struct io **io)
{
    for (int i = 0; i < FILES; i++)
        io_close(io[i]);
    assert_int_equal(report_now().open, 0);
    open_files_set_budget(0);
}

static void
within_budget(void **state)
{
    struct io *io[FILES];
    const int before = count_descriptors();
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    open_all(io);
    for (int i = 0; i < READS; i++) {
        const int k = (int)random_below(&r, FILES);
        check_content(io[k], k);
        assert_int_equal(report_now().open, BUDGET);
    }
    assert_int_equal(count_descriptors(), before + BUDGET);
    assert_true(report_now().again > READS / 2);
    open_files_set_budget(BUDGET / 2); // takes effect at once
    assert_int_equal(count_descriptors(), before + BUDGET / 2);
    close_all(io);
    assert_int_equal(count_descriptors(), before);
}

// Those used meanwhile stay open.
static void
least_used_first(void **state)
{
    struct io *io[FILES];
    (void)state;
    open_all(io);
    check_content(io[0], 0);
    const int64_t again = report_now().again;
    for (int i = 1; i < FILES; i++) {
        check_content(io[i], i);
        check_content(io[0], 0);
    }
    assert_true(report_now().again - again <= FILES);
    close_all(io);
}

struct crowd {
    struct io **io;
    uint64_t seed;
};

static void *
read_randomly(void *arg)
{
    const struct crowd *const c = arg;
    struct random r;
    random_init(&r, c->seed);
    for (int i = 0; i < READS; i++) {
        const int k = (int)random_below(&r, FILES);
        int found = -1;
        if (io_read(c->io[k], 0, &found, sizeof found, NULL) != TESS_OK || found != k)
            return arg;
    }
    return NULL;
}

static void
many_threads(void **state)
{
    struct io *io[FILES];
    pthread_t threads[THREADS];
    struct crowd crowds[THREADS];
    const uint64_t seed = random_seed();
    (void)state;
    open_all(io);
    for (int i = 0; i < THREADS; i++) {
        crowds[i] = (struct crowd){io, seed + (uint64_t)i};
        assert_int_equal(pthread_create(&threads[i], NULL, read_randomly, &crowds[i]), 0);
    }
    for (int i = 0; i < 50; i++) { // the child finds all whole
        const pid_t child = fork();
        if (child == 0)
            _exit(report_now().budget <= 0);
        int status = -1;
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_true(WIFEXITED(status));
        open_files_set_budget(i % 2 ? BUDGET : BUDGET * 2);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    open_files_set_budget(BUDGET);
    assert_true(report_now().open <= BUDGET);
    close_all(io);
}

// A pinned descriptor is not closed, even if the budget is exceeded.
static void
pinned(void **state)
{
    struct open_file f[BUDGET + 2];
    struct io *io;
    int fd[BUDGET + 2];
    char name[16];
    (void)state;
    open_files_set_budget(BUDGET);
    for (int i = 0; i < BUDGET + 2; i++) {
        const char *const path = files_path(name_of(i, name));
        files_write(path, &i, sizeof i);
        open_file_init(&f[i]);
        open_file_borrow(&f[i], open_files_at(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
        assert_int_equal(open_file_share(&f[i], NULL, path, O_RDONLY | O_CLOEXEC, NULL), TESS_OK);
        assert_int_equal(open_file_pin(&f[i], &fd[i], NULL), TESS_OK);
    }
    io = make_and_open(FILES);
    for (int i = 0; i < BUDGET + 2; i++) {
        int found = -1;
        assert_int_equal(pread(fd[i], &found, sizeof found, 0), (int)sizeof found);
        assert_int_equal(found, i);
        open_file_unpin(&f[i]);
    }
    io_close(io);
    io = make_and_open(FILES);
    assert_int_equal(report_now().open, BUDGET);
    io_close(io);
    for (int i = 0; i < BUDGET + 2; i++)
        open_file_close(&f[i]);
    assert_int_equal(report_now().open, 0);
    open_files_set_budget(0);
}

// Close what the budget can close.
static void
close_idle(void)
{
    struct io *io[2 * BUDGET];
    for (int i = 0; i < 2 * BUDGET; i++)
        io[i] = make_and_open(1000 + i);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2 * BUDGET; i++)
            check_content(io[i], 1000 + i);
    for (int i = 0; i < 2 * BUDGET; i++)
        io_close(io[i]);
}

// What happens to a file while it is closed, and what a read says then.
static void
moved(void **state)
{
    enum what { NOTHING, RENAMED, REMOVED, REPLACED, REMADE, BACK, NO_DIRECTORY, KINDS };
    static const tess_status expected[] = {
        [NOTHING] = TESS_OK,
        [RENAMED] = TESS_ERR_STALE,
        [REMOVED] = TESS_ERR_STALE,
        [REPLACED] = TESS_ERR_STALE,
        [REMADE] = TESS_ERR_STALE,
        [BACK] = TESS_OK,
        [NO_DIRECTORY] = TESS_ERR_STALE,
    };
    const int value = 7;
    (void)state;
    open_files_set_budget(BUDGET);
    for (int what = 0; what < KINDS; what++) {
        struct io *io;
        tess_error err;
        char path[512], other[512];
#ifndef STATX_BTIME
        if (what == REMADE) // without the time of birth it is the same file, if the inode is
            continue;
#endif
        int found = 0;
        assert_int_equal(mkdir(files_path("d"), 0777), 0);
        (void)snprintf(path, sizeof path, "%s", files_path("d/file"));
        (void)snprintf(other, sizeof other, "%s", files_path("d/other"));
        files_write(path, &value, sizeof value);
        files_write(other, &value, sizeof value);
        assert_int_equal(io_file_open(path, false, &io, &err), TESS_OK);
        close_idle();
        if (what == RENAMED || what == BACK)
            assert_int_equal(rename(path, files_path("d/moved")), 0);
        if (what == BACK)
            assert_int_equal(rename(files_path("d/moved"), path), 0);
        if (what == REMOVED || what == REMADE)
            assert_int_equal(unlink(path), 0);
        if (what == REPLACED)
            assert_int_equal(rename(other, path), 0);
        if (what == REMADE) // perhaps with the same inode
            files_write(path, &value, sizeof value);
        if (what == NO_DIRECTORY)
            files_remove(files_path("d"));
        const tess_status st = io_read(io, 0, &found, sizeof found, &err);
        if (st != expected[what])
            fail_msg("kind %d: status %d", what, (int)st);
        if (st == TESS_OK)
            assert_int_equal(found, value);
        else
            assert_non_null(strstr(err.message, "closed as too many are open"));
        io_close(io);
        files_remove(files_path("d"));
    }
    open_files_set_budget(0);
}

// A file that is open goes on being read.
static void
removed_while_open(void **state)
{
    struct io *const io = make_and_open(1);
    (void)state;
    assert_int_equal(unlink(files_path("f1")), 0);
    check_content(io, 1);
    io_close(io);
}

static void
relative(void **state)
{
    struct io *io;
    char *const from = getcwd(NULL, 0);
    const int value = 3;
    (void)state;
    open_files_set_budget(BUDGET);
    assert_int_equal(mkdir(files_path("there"), 0777), 0);
    files_write(files_path("there/file"), &value, sizeof value);
    assert_int_equal(chdir(files_path("there")), 0);
    assert_int_equal(io_file_open("file", false, &io, NULL), TESS_OK);
    assert_int_equal(chdir(from), 0);
    close_idle();
    check_content(io, value);
    io_close(io);
    open_files_set_budget(0);
    free(from);
}

// Files that are looked up from a directory, which may have been renamed as long as it is open.
static void
directories(void **state)
{
    enum { FOLDERS = 30 };
    struct folder *folders[FOLDERS];
    struct io *files[FOLDERS];
    tess_error err;
    char name[32];
    (void)state;
    open_files_set_budget(BUDGET);
    for (int i = 0; i < FOLDERS; i++) {
        (void)sprintf(name, "folder%d", i);
        assert_int_equal(mkdir(files_path(name), 0777), 0);
        (void)sprintf(name, "folder%d/part", i);
        files_write(files_path(name), &i, sizeof i);
        (void)sprintf(name, "folder%d", i);
        assert_int_equal(directory_open(files_path(name), false, false, &folders[i], &err),
                         TESS_OK);
        assert_int_equal(folder_read(folders[i], "part", true, &files[i], &err), TESS_OK);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < FOLDERS; i++) {
            struct io *again;
            check_content(files[i], i);
            assert_int_equal(folder_read(folders[i], "part", false, &again, &err), TESS_OK);
            check_content(again, i);
            io_close(again);
            assert_true(report_now().open <= BUDGET);
        }
    for (int i = 0; i < FOLDERS; i++) {
        io_close(files[i]);
        folder_close(folders[i]);
    }
    assert_int_equal(report_now().open, 0);
    open_files_set_budget(0);
}

static void
writers(void **state)
{
    struct io *io[BUDGET + 1], *reader;
    tess_error err;
    char name[16];
    (void)state;
    open_files_set_budget(BUDGET);
    for (int i = 0; i <= BUDGET; i++)
        files_write(files_path(name_of(i, name)), &i, sizeof i);
    for (int i = 0; i < BUDGET; i++)
        assert_int_equal(io_file_open(files_path(name_of(i, name)), true, &io[i], &err), TESS_OK);
    assert_int_equal(report_now().kept, BUDGET);
    assert_int_equal(io_file_open(files_path(name_of(BUDGET, name)), true, &io[BUDGET], &err),
                     TESS_ERR_LIMIT);
    assert_non_null(strstr(err.message, "all 10 descriptors"));
    assert_int_equal(io_file_create(files_path("new"), false, &io[BUDGET], &err), TESS_ERR_LIMIT);
    assert_false(files_exist(files_path("new")));
    reader = make_and_open(50); // what is read is not refused
    check_content(reader, 50);
    io_close(reader);
    io_close(io[0]);
    assert_int_equal(io_file_open(files_path(name_of(BUDGET, name)), true, &io[0], &err), TESS_OK);
    for (int i = 0; i < BUDGET; i++)
        io_close(io[i]);
    assert_int_equal(report_now().kept, 0);
    open_files_set_budget(0);
}

// The system has no descriptor left: some that are idle are closed.
static void
system_full(void **state)
{
    struct io *io[FILES];
    struct rlimit before, few;
    (void)state;
    open_files_set_budget(2 * FILES);
    for (int i = 0; i < FILES; i++)
        io[i] = make_and_open(i);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)count_descriptors() + 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = FILES; i < FILES + 20; i++) {
        struct io *const more = make_and_open(i);
        check_content(more, i);
        io_close(more);
    }
    for (int i = 0; i < FILES; i++)
        check_content(io[i], i);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    close_all(io);
}

static void
by_default(void **state)
{
    struct rlimit limit;
    (void)state;
    open_files_set_budget(0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_cur < 100000)
        assert_int_equal(report_now().budget, limit.rlim_cur / 2);
    assert_true(report_now().budget >= 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(within_budget, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(least_used_first, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(many_threads, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(pinned, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(moved, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(removed_while_open, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(relative, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(directories, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(writers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(system_full, files_setup, files_teardown),
        cmocka_unit_test(by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
