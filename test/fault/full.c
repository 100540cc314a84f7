/*
 * full.c - disks that are full, file systems and files that may not be changed: real ones.
 *
 * Stories (story.h) are played on a small file system while something takes nearly all of its
 * space, and under a limit of file sizes; what must hold after a failure is after.h's. Then files,
 * directories and file systems that are read-only, and ones that belong to somebody else. Small
 * file systems are mounted where nobody else sees them; without the right to do so, or another user
 * to become, these tests are skipped.
 */
#include "fault/after.h"
#include "fault/disk.h"
#include "fault/story.h"
#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_SIZE = 600, STEPS = 40, NOBODY = 65534, DISK_SIZE = 1 << 20 };

static char folder[PATH_SIZE]; // where all happens

// -- a small file system

// Seen by this process and its children alone.
static bool
mount_small(void)
{
    char options[40];
    (void)snprintf(options, sizeof options, "size=%d", DISK_SIZE);
    return geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tess-test", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static int
setup(void **state)
{
    if (files_setup(state) != 0)
        return -1;
    (void)snprintf(folder, sizeof folder, "%s", files_path("disk"));
    return mkdir(folder, 0777);
}

static int
teardown(void **state)
{
    disk_resume();
    disk_end();
    (void)umount(folder);
    return files_teardown(state);
}

// -- no space

// What takes space for the time of a step, or lets it go.
struct obstacle {
    void (*raise)(struct random *r);
    void (*lower)(void);
    int sys;
};

static int64_t
play(const struct obstacle *o, const struct workload *workload, tess_layout layout, uint64_t seed)
{
    static const char *const made[] = {"disk/array.b2d",         "disk/copy.b2d",
                                       "disk/array.b2nd",        "disk/copy.b2nd",
                                       "disk/array.b2nd.b2lock", "disk/copy.b2nd.b2lock"};
    const int open_before = after_count_open();
    struct after t = {.sys = o->sys, .step = "make"};
    struct random r;
    tess_error err;

    random_init(&r, seed);
    (void)snprintf(t.failure, sizeof t.failure, "seed %" PRIu64, seed);
    disk_begin(folder);
    story_begin(&t.s, folder, workload, layout, (tess_durability)(seed % 3), seed);
    for (int i = 0; i < STEPS; i++) {
        o->raise(&r);
        tess_status st = story_ready(&t.s, &err);
        t.step = "make or open";
        if (st == TESS_OK && i > 0) {
            const enum story_step step = story_choose(&t.s);
            t.step = story_step_names[step];
            st = story_step(&t.s, step, &err);
        }
        o->lower();
        if (st != TESS_OK)
            (void)after_failure(&t, st, &err);
    }
    t.step = "the end";
    after_check(&t);
    story_end(&t.s);
    disk_end();
    assert_int_equal(after_count_open(), open_before);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        files_remove(files_path(made[i]));
    return t.told;
}

static void
play_all(const struct obstacle *o, const char *what)
{
    struct random r;
    int64_t failures = 0;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(8, 80); i > 0; i--)
        for (int k = 0; k < workload_count; k++)
            for (int layout = 0; layout < 2; layout++)
                failures += play(o, &workloads[k], (tess_layout)layout, random_next(&r));
    printf("%s: %" PRId64 " steps failed\n", what, failures);
    assert_true(failures > 50);
}

static const char *
ballast(void)
{
    return files_path("disk/.ballast");
}

// Some pages stay free: fewer than an array needs, often.
static void
fill_disk(struct random *r)
{
    static const char page[4096] = {1};
    const uint64_t left = random_below(r, 12);
    off_t size = 0;
    disk_pause();
    const int fd = open(ballast(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    while (pwrite(fd, page, sizeof page, size) == (ssize_t)sizeof page)
        size += (off_t)sizeof page;
    assert_int_equal(errno, ENOSPC);
    const off_t keep = size - (off_t)(left * sizeof page);
    assert_int_equal(ftruncate(fd, keep > 0 ? keep : 0), 0);
    close(fd);
    disk_resume();
}

static void
empty_disk(void)
{
    disk_pause();
    assert_int_equal(unlink(ballast()), 0);
    disk_resume();
}

static void
no_space(void **state)
{
    static const struct obstacle full = {fill_disk, empty_disk, ENOSPC};
    (void)state;
    if (!mount_small())
        skip();
    play_all(&full, "a full file system");
}

static struct rlimit no_limit;

static void
limit_size(struct random *r)
{
    const struct rlimit limit = {.rlim_cur = random_below(r, 30000), .rlim_max = no_limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void
unlimit_size(void)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
}

static void
limited(void **state)
{
    static const struct obstacle limit = {limit_size, unlimit_size, EFBIG};
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &no_limit), 0);
    play_all(&limit, "a limit of file sizes");
}

// -- no right

// What a call answers.
struct answer {
    tess_status st;
    int sys;
};

static const struct answer fine = {TESS_OK, 0};

static tess_storage
at(const char *name, tess_mode mode)
{
    static char path[PATH_SIZE + 100];
    tess_storage storage;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

static struct answer
answer(tess_status st, const tess_error *err)
{
    return st == TESS_OK ? fine : (struct answer){st, err->sys};
}

static void
describe(tess_params *p, tess_layout layout)
{
    tess_params_init(p);
    p->ndim = 1;
    p->shape[0] = 1000;
    p->chunkshape[0] = 100;
    p->layout = layout;
}

static struct answer
create(const char *name, tess_mode mode, tess_layout layout)
{
    const tess_storage storage = at(name, mode);
    uint8_t items[1000];
    tess_params p;
    tess_array *a;
    tess_error err;
    memset(items, 7, sizeof items);
    describe(&p, layout);
    const tess_status st = tess_array_from(&storage, &p, items, sizeof items, &a, &err);
    return answer(st == TESS_OK ? tess_array_close(a, &err) : st, &err);
}

// Items 0 to 9 become 9.
static struct answer
change(const char *name)
{
    static const int64_t start = 0, stop = 10;
    const tess_storage storage = at(name, TESS_MODE_UPDATE);
    uint8_t items[10];
    tess_array *a;
    tess_error err;
    memset(items, 9, sizeof items);
    tess_status st = tess_array_open(&storage, &a, &err);
    if (st != TESS_OK)
        return answer(st, &err);
    st = tess_array_write(a, &start, &stop, items, sizeof items, &err);
    if (st == TESS_OK)
        st = tess_array_flush(a, &err);
    tess_array_discard(a);
    return answer(st, &err);
}

// What item 0 is, for somebody who may read it: -1.
static int
first_item(const char *name)
{
    static const int64_t start = 0, stop = 1;
    const tess_storage storage = at(name, TESS_MODE_READ);
    uint8_t item = 0;
    tess_array *a;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return -1;
    const tess_status st = tess_array_read(a, &start, &stop, &item, 1, NULL);
    (void)tess_array_close(a, NULL);
    return st == TESS_OK ? item : -1;
}

static struct answer
save(const char *from, const char *to, tess_layout layout)
{
    tess_storage storage = at(from, TESS_MODE_READ);
    tess_array *a;
    tess_error err;
    tess_status st = tess_array_open(&storage, &a, &err);
    if (st != TESS_OK)
        return answer(st, &err);
    storage = at(to, TESS_MODE_NEW);
    st = tess_array_save(a, &storage, layout, &err);
    (void)tess_array_close(a, NULL);
    return answer(st, &err);
}

static int failed_checks;

#define expect(call, status, number)                                             \
    do {                                                                         \
        const struct answer got_ = (call);                                       \
        if (got_.st != (status) || got_.sys != (number)) {                       \
            fprintf(stderr, "line %d, %s: %s, errno %d (%s)\n", __LINE__, #call, \
                    tess_status_name(got_.st), got_.sys, strerror(got_.sys));    \
            failed_checks++;                                                     \
        }                                                                        \
    } while (0)
#define expect_item(name, value)                                                    \
    do {                                                                            \
        if (first_item(name) != (value)) {                                          \
            fprintf(stderr, "line %d, %s: %d\n", __LINE__, name, first_item(name)); \
            failed_checks++;                                                        \
        }                                                                           \
    } while (0)

static void
make_both(void)
{
    expect(create("one.b2nd", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS), TESS_OK, 0);
    expect(create("many.b2d", TESS_MODE_NEW, TESS_LAYOUT_SPARSE), TESS_OK, 0);
}

// Nothing can be made or changed; all can be read, and is as it was.
static void
try_all(int sys)
{
    expect(change("one.b2nd"), TESS_ERR_IO, sys);
    expect(change("many.b2d"), TESS_ERR_IO, sys);
    expect(create("new.b2nd", TESS_MODE_NEW, TESS_LAYOUT_CONTIGUOUS), TESS_ERR_IO, sys);
    expect(create("new.b2d", TESS_MODE_NEW, TESS_LAYOUT_SPARSE), TESS_ERR_IO, sys);
    expect(create("one.b2nd", TESS_MODE_REPLACE, TESS_LAYOUT_CONTIGUOUS), TESS_ERR_IO, sys);
    expect(create("many.b2d", TESS_MODE_REPLACE, TESS_LAYOUT_SPARSE), TESS_ERR_IO, sys);
    expect(save("one.b2nd", "new.b2nd", TESS_LAYOUT_CONTIGUOUS), TESS_ERR_IO, sys);
    expect(save("many.b2d", "new.b2d", TESS_LAYOUT_SPARSE), TESS_ERR_IO, sys);
    expect_item("one.b2nd", 7);
    expect_item("many.b2d", 7);
}

static void
set_mode(const char *name, mode_t mode)
{
    char path[PATH_SIZE + 40];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(chmod(path, mode), 0);
}

// Somebody for whom modes count does that; with the number of checks that failed.
static int
as_somebody(void (*act)(void))
{
    int status = 0;
    if (geteuid() != 0) {
        act();
        return failed_checks;
    }
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(100);
        act();
        _exit(failed_checks);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void
try_locked_folder(void)
{
    try_all(EACCES);
}

// In the folder nothing can be made, but what is in it may be changed.
static void
try_open_files(void)
{
    expect(change("one.b2nd"), TESS_OK, 0);
    expect(change("many.b2d"), TESS_OK, 0);
    expect_item("one.b2nd", 9);
    expect_item("many.b2d", 9);
    expect(create("one.b2nd", TESS_MODE_REPLACE, TESS_LAYOUT_CONTIGUOUS), TESS_ERR_IO, EACCES);
    expect(create("many.b2d", TESS_MODE_REPLACE, TESS_LAYOUT_SPARSE), TESS_ERR_IO, EACCES);
    expect_item("one.b2nd", 9);
    expect_item("many.b2d", 9);
}

static void
try_secrets(void)
{
    expect(change("one.b2nd"), TESS_ERR_IO, EACCES);
    expect(change("many.b2d"), TESS_ERR_IO, EACCES);
    expect(save("one.b2nd", "new.b2nd", TESS_LAYOUT_CONTIGUOUS), TESS_ERR_IO, EACCES);
    expect(save("many.b2d", "new.b2d", TESS_LAYOUT_SPARSE), TESS_ERR_IO, EACCES);
    expect_item("one.b2nd", -1);
    expect_item("many.b2d", -1);
}

// Modes of the file, of the directory, and of the files in that.
static void
no_right(void **state)
{
    (void)state;
    assert_int_equal(chmod(files_path("."), 0755), 0);
    make_both();
    set_mode("one.b2nd", 0444);
    set_mode("many.b2d", 0555);
    set_mode(".", 0555);
    failed_checks += as_somebody(try_locked_folder);
    set_mode("one.b2nd", 0666);
    set_mode("many.b2d", 0777);
    failed_checks += as_somebody(try_open_files);
    set_mode("one.b2nd", 0);
    set_mode("many.b2d", 0);
    failed_checks += as_somebody(try_secrets);
    set_mode("many.b2d", 0755);
    set_mode(".", 0755);
    assert_int_equal(files_count(), 1);
    assert_int_equal(failed_checks, 0);
}

static void
read_only(void **state)
{
    (void)state;
    if (!mount_small())
        skip();
    make_both();
    assert_int_equal(mount(NULL, folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    try_all(EROFS);
    assert_int_equal(failed_checks, 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(no_space),
        TEST(limited),
        TEST(no_right),
        TEST(read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
