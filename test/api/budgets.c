/*
 * budgets.c - tests of process.h and of the context of an open array: thousands of arrays within
 * budgets for blocks and open files.
 */
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    ARRAYS = 5000,
    KINDS = 8, // of content
    SIDE = 48,
    CHUNK = 24,
    BLOCK = 12,
    THREADS = 8,
    READS = 4000,
    DESCRIPTORS = 256,
    PATH = 512,
};

static tess_usage
usage_now(void)
{
    tess_usage usage;
    tess_process_usage(&usage);
    return usage;
}

static void
set_budgets(int64_t cache, int64_t files)
{
    tess_budgets budgets;
    tess_budgets_init(&budgets);
    if (cache >= 0)
        budgets.cache = cache;
    budgets.files = files;
    ok(tess_process_set_budgets(&budgets, err));
}

static int
count_descriptors(void)
{
    DIR *const dir = opendir("/proc/self/fd");
    int n = -3; // ., .., and that of the list
    if (!dir)
        return 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static int32_t
item_of(int kind, int64_t i, int64_t k)
{
    return (int32_t)(kind * 1000003 + i * 257 + k * k);
}

static tess_params
params_of(tess_layout layout)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = NATIVE "i4";
    p.ndim = 2;
    p.layout = layout;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = CHUNK;
        p.blockshape[i] = BLOCK;
    }
    return p;
}

static tess_storage
storage_at(const char *path, tess_mode mode)
{
    tess_storage s;
    tess_storage_init(&s);
    s.path = path;
    s.mode = mode;
    return s;
}

static void
make(const char *path, int kind, tess_layout layout)
{
    int32_t items[SIDE][SIDE];
    const tess_params p = params_of(layout);
    tess_storage s = storage_at(path, TESS_MODE_REPLACE);
    tess_array *a;
    s.durability = TESS_DURABILITY_NONE;
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t k = 0; k < SIDE; k++)
            items[i][k] = item_of(kind, i, k);
    ok(tess_array_from(&s, &p, items, sizeof items, &a, err));
    ok(tess_array_close(a, err));
}

static tess_array *
open_at(const char *path, tess_mode mode)
{
    const tess_storage s = storage_at(path, mode);
    tess_array *a;
    ok(tess_array_open(&s, &a, err));
    return a;
}

// A random box; *right: its items are those of the kind.
static tess_status
read_box(const tess_array *a, int kind, struct random *r, bool *right, tess_error *why)
{
    int32_t items[4 * 4];
    int64_t start[2], stop[2];
    for (int i = 0; i < 2; i++) {
        start[i] = (int64_t)random_below(r, SIDE - 3);
        stop[i] = start[i] + 4;
    }
    const tess_status st = tess_array_read(a, start, stop, items, sizeof items, why);
    for (int64_t i = 0; i < 16 && st == TESS_OK; i++)
        *right &= items[i] == item_of(kind, start[0] + i / 4, start[1] + i % 4);
    return st;
}

static void
check_kind(const tess_array *a, int kind)
{
    struct random r;
    bool right = true;
    random_init(&r, 1);
    for (int i = 0; i < 10; i++)
        ok(read_box(a, kind, &r, &right, err));
    assert_true(right);
}

// -- 5,000 arrays

static tess_array *arrays[ARRAYS];
static atomic_bool replaced[ARRAYS]; // or about to be

struct reader {
    uint64_t seed;
    bool wrong;
    int64_t stale;
    char message[TESS_ERROR_MESSAGE_SIZE + 32];
};

static void *
read_randomly(void *arg)
{
    struct reader *const t = arg;
    struct random r;
    random_init(&r, t->seed);
    for (int i = 0; i < READS; i++) {
        const int k = (int)random_below(&r, ARRAYS);
        bool right = true;
        tess_error why;
        const tess_status st = read_box(arrays[k], k % KINDS, &r, &right, &why);
        const bool may_be_stale = atomic_load(&replaced[k]);
        if (!right || (st != TESS_OK && !(st == TESS_ERR_STALE && may_be_stale))) {
            t->wrong = true;
            (void)snprintf(t->message, sizeof t->message, "array %d: %s", k,
                           right ? why.message : "other items");
            return NULL;
        }
        t->stale += st == TESS_ERR_STALE;
    }
    return NULL;
}

static char *
path_of(int i, char *path)
{
    char name[32];
    (void)sprintf(name, "a%d", i);
    (void)snprintf(path, PATH, "%s", files_path(name));
    return path;
}

static void
copy_files(uint8_t **bytes, size_t *sizes)
{
    char path[PATH];
    for (int kind = 0; kind < KINDS; kind++) {
        make(path_of(kind, path), kind, TESS_LAYOUT_CONTIGUOUS);
        bytes[kind] = files_read(path, &sizes[kind]);
    }
    for (int i = KINDS; i < ARRAYS; i++)
        files_write(path_of(i, path), bytes[i % KINDS], sizes[i % KINDS]);
}

static void
replace_some(const uint8_t *bytes, size_t size, struct random *r)
{
    char path[PATH], new[PATH];
    for (int n = 0; n < ARRAYS / 20; n++) {
        const int i = (int)random_below(r, ARRAYS);
        if (i % KINDS == 0)
            continue;
        atomic_store(&replaced[i], true);
        (void)snprintf(new, sizeof new, "%s", files_path("new"));
        files_write(new, bytes, size);
        assert_int_equal(rename(new, path_of(i, path)), 0);
        assert_true(count_descriptors() <= DESCRIPTORS);
        assert_true(usage_now().files <= DESCRIPTORS / 2 + 2 * THREADS);
        assert_true(usage_now().cache <= 4 << 20);
    }
}

static int64_t
resident(void)
{
    long size = 0, pages = 0;
    FILE *const f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (f)
        (void)fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURES_MEMORY false
#else
#define MEASURES_MEMORY true
#endif

static void
five_thousand(void **state)
{
    uint8_t *bytes[KINDS];
    size_t sizes[KINDS];
    char path[PATH];
    struct rlimit before, few;
    pthread_t threads[THREADS];
    struct reader readers[THREADS];
    struct random r;
    int64_t stale = 0, again = 0;
    (void)state;
    copy_files(bytes, sizes);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = DESCRIPTORS;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    set_budgets(4 << 20, 0);
    const int64_t resident_before = resident();

    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = open_at(path_of(i, path), TESS_MODE_READ);
    assert_int_equal(usage_now().arrays, ARRAYS);
    assert_true(usage_now().files <= DESCRIPTORS / 2);
    const uint64_t seed = random_seed();
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.seed = seed + (uint64_t)i};
        assert_int_equal(pthread_create(&threads[i], NULL, read_randomly, &readers[i]), 0);
    }
    random_init(&r, seed + THREADS);
    replace_some(bytes[0], sizes[0], &r);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (readers[i].wrong)
            fail_msg("%s", readers[i].message);
        stale += readers[i].stale;
    }
    assert_true(usage_now().files_reopened > READS);
    assert_true(usage_now().cache <= 4 << 20);
    const int64_t each = (resident() - resident_before - (4 << 20)) / ARRAYS;
    print_message("%lld bytes per array, %lld reads were stale\n", (long long)each,
                  (long long)stale);
    if (MEASURES_MEMORY)
        assert_true(each < 20000);

    for (int i = 0; i < ARRAYS; i++) { // what was replaced is found by a refresh
        bool changed, right = true;
        tess_error why;
        const tess_status st = read_box(arrays[i], i % KINDS, &r, &right, &why);
        assert_true(right);
        again += st == TESS_ERR_STALE;
        if (!replaced[i]) {
            assert_int_equal(st, TESS_OK);
        } else {
            ok(tess_array_refresh(arrays[i], &changed, err));
            ok(read_box(arrays[i], 0, &r, &right, err));
            assert_true(right && changed);
        }
    }
    assert_true(again > 0);
    for (int i = 0; i < ARRAYS; i++)
        ok(tess_array_close(arrays[i], err));
    assert_int_equal(usage_now().files, 0);
    assert_int_equal(usage_now().arrays, 0);
    assert_int_equal(usage_now().cache, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < KINDS; i++)
        free(bytes[i]);
    set_budgets(-1, 0);
}

// -- all kinds of storage, with few descriptors

static void
kinds_of_storage(void **state)
{
    enum { N = 40, FILES = 12 };
    tess_array *a[N];
    char path[PATH];
    const int before = count_descriptors();
    (void)state;
    set_budgets(0, FILES); // each read goes to the file
    for (int i = 0; i < N; i++) {
        const bool sparse = i % 4 == 1;
        make(path_of(i, path), i, sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS);
        tess_storage s = storage_at(path, TESS_MODE_READ);
        s.mmap = i % 4 == 2;
        s.lock_file = i % 4 == 3 || i % 8 == 1;
        if (i % 8 == 0) {
            size_t size;
            uint8_t *const bytes = files_read(path, &size);
            uint8_t *const inside = calloc(1, size + 100);
            assert_non_null(inside);
            memcpy(inside + 100, bytes, size);
            files_write(path, inside, size + 100);
            s.offset = 100;
            free(inside);
            free(bytes);
        }
        ok(tess_array_open(&s, &a[i], err));
    }
    for (int times = 0; times < 3; times++) {
        for (int i = 0; i < N; i++)
            check_kind(a[i], i);
        assert_true(usage_now().files <= FILES);
        assert_true(count_descriptors() <= before + FILES);
    }
    const pid_t child = fork(); // shares what is open, and opens the rest
    if (child == 0) {
        bool right = true;
        struct random r;
        random_init(&r, 3);
        for (int i = 0; i < N; i++)
            right &= read_box(a[i], i, &r, &right, NULL) == TESS_OK;
        if (!right)
            abort();
        _exit(0);
    }
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    for (int i = 0; i < N; i++) {
        check_kind(a[i], i);
        ok(tess_array_close(a[i], err));
    }
    assert_int_equal(count_descriptors(), before);
    set_budgets(-1, 0);
}

// A commit between two reads is noticed, also if the file was closed in between.
static void
commits(void **state)
{
    const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    set_budgets(-1, 3); // what was read before the others is closed
    for (int l = 0; l < 2; l++) {
        char path[PATH], other[PATH];
        bool changed, right = true;
        const int64_t start[] = {0, 0}, stop[] = {1, 1};
        int32_t item = 5;
        struct random r;
        random_init(&r, 1);
        make(path_of(l, path), 1, layouts[l]);
        make(path_of(10 + l, other), 2, TESS_LAYOUT_CONTIGUOUS);
        tess_array *const reader = open_at(path, TESS_MODE_READ);
        tess_array *others[4];
        for (int i = 0; i < 4; i++)
            others[i] = open_at(other, TESS_MODE_READ);
        check_kind(reader, 1);
        for (int i = 0; i < 3; i++) {
            tess_array *const writer = open_at(path, TESS_MODE_UPDATE);
            ok(tess_array_write(writer, start, stop, &item, sizeof item, err));
            ok(tess_array_close(writer, err));
            item++;
            for (int k = 0; k < 8; k++)
                check_kind(others[k % 4], 2);
        }
        refused(TESS_ERR_STALE, read_box(reader, 1, &r, &right, err));
        ok(tess_array_refresh(reader, &changed, err));
        assert_true(changed);
        ok(tess_array_read(reader, start, stop, &item, sizeof item, err));
        assert_int_equal(item, 7);
        ok(tess_array_close(reader, err));
        for (int i = 0; i < 4; i++)
            ok(tess_array_close(others[i], err));
    }
    set_budgets(-1, 0);
}

static void
writers_refused(void **state)
{
    enum { FILES = 10 };
    tess_array *a[FILES + 1], *reader;
    char path[PATH];
    const tess_params p = params_of(TESS_LAYOUT_CONTIGUOUS);
    tess_error why;
    int n = 0;
    (void)state;
    for (int i = 0; i <= FILES; i++)
        make(path_of(i, path), i, TESS_LAYOUT_CONTIGUOUS);
    set_budgets(-1, FILES);
    tess_status st = TESS_OK;
    while (n <= FILES && st == TESS_OK) {
        const tess_storage s = storage_at(path_of(n, path), TESS_MODE_UPDATE);
        st = tess_array_open(&s, &a[n], &why);
        n += st == TESS_OK;
    }
    assert_int_equal(st, TESS_ERR_LIMIT);
    assert_int_equal(n, FILES);
    assert_non_null(strstr(why.message, "all 10 descriptors"));
    assert_int_equal(usage_now().files_kept, FILES);
    const tess_storage s = storage_at(files_path("new"), TESS_MODE_NEW);
    refused(TESS_ERR_LIMIT, tess_array_zeros(&s, &p, &reader, err));
    assert_false(files_exist(files_path("new")));
    reader = open_at(path_of(FILES, path), TESS_MODE_READ); // goes beyond the budget
    check_kind(reader, FILES);
    for (int i = 0; i < n; i++) {
        check_kind(a[i], i);
        ok(tess_array_close(a[i], err));
    }
    ok(tess_array_close(reader, err));
    set_budgets(-1, 0);
}

// -- blocks

// Row after row, in many arrays by turns, with less memory than that takes.
static void
many_written(void **state)
{
    enum { N = 60 };
    tess_array *a[N];
    int32_t row[SIDE];
    (void)state;
    set_budgets(64 << 10, 0);
    for (int i = 0; i < N; i++) {
        const tess_params p = params_of(TESS_LAYOUT_CONTIGUOUS);
        const tess_storage s = storage_at(NULL, TESS_MODE_NEW);
        ok(tess_array_zeros(&s, &p, &a[i], err));
    }
    for (int64_t y = 0; y < SIDE; y++)
        for (int i = 0; i < N; i++) {
            const int64_t start[] = {y, 0}, stop[] = {y + 1, SIDE};
            for (int64_t x = 0; x < SIDE; x++)
                row[x] = item_of(i, y, x);
            ok(tess_array_write(a[i], start, stop, row, sizeof row, err));
            assert_true(usage_now().cache <= 64 << 10);
            assert_true(usage_now().cache_dirty <= 48 << 10);
        }
    for (int i = 0; i < N; i++) {
        check_kind(a[i], i);
        ok(tess_array_flush(a[i], err));
        check_kind(a[i], i);
        ok(tess_array_close(a[i], err));
    }
    assert_int_equal(usage_now().cache, 0);
    assert_int_equal(usage_now().cache_dirty, 0);
    set_budgets(-1, 0);
}

static void
idle_gives(void **state)
{
    enum { BUDGET = 200 << 10 };
    tess_info info;
    char path[PATH];
    (void)state;
    set_budgets(BUDGET, 0);
    make(path_of(0, path), 0, TESS_LAYOUT_CONTIGUOUS);
    tess_array *a[40];
    for (int i = 0; i < 40; i++) {
        a[i] = open_at(path, TESS_MODE_READ);
        for (int k = 0; k < 20; k++)
            check_kind(a[i], 0);
        tess_array_info(a[i], &info);
        assert_true(info.cache_used > 0);
        assert_true(usage_now().cache <= BUDGET);
    }
    assert_true(usage_now().cache > BUDGET / 2);
    set_budgets(0, 0);
    assert_int_equal(usage_now().cache, 0);
    for (int i = 0; i < 40; i++) {
        check_kind(a[i], 0);
        ok(tess_array_close(a[i], err));
    }
    set_budgets(-1, 0);
}

// -- budgets that change while arrays are open

enum { MANY = 40 << 20, LARGE = 1 << 18 }; // bytes of an array, and of its blocks

static tess_array *
long_array(void)
{
    const tess_storage s = storage_at(NULL, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;
    uint8_t *const items = calloc(MANY, 1);
    assert_non_null(items);
    for (int64_t i = 0; i < MANY; i += LARGE)
        items[i] = (uint8_t)(i / LARGE + 1);
    tess_params_init(&p);
    p.dtype = "|u1";
    p.ndim = 1;
    p.shape[0] = MANY;
    p.chunkshape[0] = 16 * LARGE;
    p.blockshape[0] = LARGE;
    ok(tess_array_from(&s, &p, items, MANY, &a, err));
    free(items);
    return a;
}

// What is kept of so many bytes, whose blocks are read in part several times.
static int64_t
kept_of(const tess_array *a, int64_t size)
{
    tess_info info;
    uint8_t item = 0;
    for (int round = 0; round < 3; round++)
        for (int64_t i = 0; i < size; i += LARGE) {
            const int64_t stop = i + 1;
            ok(tess_array_read(a, &i, &stop, &item, 1, err));
            assert_int_equal(item, i / LARGE + 1);
        }
    tess_array_info(a, &info);
    return info.cache_used;
}

// What one array may take is that of the time when it was opened, but never more than the budget.
static void
most_of_one_array(void **state)
{
    const int64_t mib = 1 << 20;
    (void)state;
    set_budgets(160 * mib, 0);
    tess_array *const a = long_array(); // 40 MiB
    set_budgets(128 * mib, 0);
    tess_array *const b = long_array(); // 32 MiB
    assert_int_equal(kept_of(a, MANY), MANY);
    assert_int_equal(kept_of(b, MANY), 32 * mib);

    set_budgets(8 * mib, 0);
    assert_true(usage_now().cache <= 8 * mib);
    tess_array *const c = long_array(); // 8 MiB
    const int64_t kept = kept_of(a, 2 * mib);
    assert_true(kept > 0 && kept <= 8 * mib);
    assert_true(usage_now().cache <= 8 * mib);

    set_budgets(-1, 0);
    assert_int_equal(kept_of(c, 16 * mib), 8 * mib);
    assert_int_equal(kept_of(a, MANY), MANY);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
    ok(tess_array_close(c, err));
    assert_int_equal(usage_now().cache, 0);
}

// 0 and little hold for writes to open arrays, too; an array that was opened under 0 keeps nothing.
static void
writes_under_less(void **state)
{
    const int64_t start = 5, stop = 6;
    const uint8_t item = 77;
    uint8_t got = 0;
    tess_info info;
    (void)state;
    tess_array *const a = long_array();
    ok(tess_array_write(a, &start, &stop, &item, 1, err));
    assert_true(usage_now().cache_dirty > 0);
    set_budgets(0, 0);
    assert_true(usage_now().cache_dirty > 0); // until it is written back
    ok(tess_array_flush(a, err));
    assert_int_equal(usage_now().cache_dirty, 0);
    assert_int_equal(usage_now().cache, 0);
    ok(tess_array_write(a, &start, &stop, &item, 1, err));
    assert_int_equal(usage_now().cache_dirty, 0);
    assert_int_equal(usage_now().cache, 0);
    tess_array *const b = long_array();
    set_budgets(-1, 0);
    assert_int_equal(kept_of(b, MANY), 0);
    ok(tess_array_write(b, &start, &stop, &item, 1, err));
    tess_array_info(b, &info);
    assert_int_equal(info.cache_used, 0);
    ok(tess_array_write(a, &start, &stop, &item, 1, err));
    assert_true(usage_now().cache_dirty > 0);
    ok(tess_array_read(a, &start, &stop, &got, 1, err));
    assert_int_equal(got, 77);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
}

// -- the context of an open array

static bool
hear(int64_t done, int64_t total, void *user)
{
    (void)done, (void)total;
    ++*(int *)user;
    return true;
}

static void
context_changes(void **state)
{
    const int64_t start[] = {0, 0}, stop[] = {1, SIDE}, full[] = {SIDE, SIDE};
    const tess_params p = params_of(TESS_LAYOUT_CONTIGUOUS);
    const tess_storage s = storage_at(NULL, TESS_MODE_NEW);
    static int32_t items[SIDE * SIDE];
    int32_t row[SIDE];
    tess_context context, got;
    tess_info info;
    tess_array *a, *view;
    int heard = 0, heard_view = 0;
    (void)state;
    ok(tess_array_zeros(&s, &p, &a, err));
    tess_array_get_context(a, &context);
    assert_int_equal(context.struct_size, sizeof context);
    assert_true(context.cache == TESS_CACHE_SHARED);
    assert_int_equal(context.threads, 0);
    ok(tess_array_view_slice(a, start, full, (const int64_t[]){1, 1}, &view, err));
    for (int i = 0; i < SIDE; i++)
        row[i] = i + 1;
    ok(tess_array_write(a, start, stop, row, sizeof row, err));
    tess_array_info(a, &info);
    assert_true(info.cache_dirty > 0);
    assert_true(usage_now().cache_dirty > 0);

    context.cache = 1 << 20; // written back; a budget of its own from here on
    context.threads = 1;
    context.progress = hear;
    context.progress_user = &heard;
    context.progress_interval = 0;
    ok(tess_array_set_context(a, &context, err));
    tess_array_info(a, &info);
    assert_int_equal(info.cache_dirty, 0);
    assert_int_equal(usage_now().cache_dirty, 0);
    ok(tess_array_read(a, start, full, items, sizeof items, err));
    assert_memory_equal(items, row, sizeof row);
    assert_true(heard > 0);
    ok(tess_array_write(a, start, stop, row, sizeof row, err));
    assert_true(usage_now().cache_own > 0);
    assert_int_equal(usage_now().cache, 0);

    tess_array_get_context(view, &got); // threads and cache are the array's
    assert_int_equal(got.threads, 1);
    assert_true(got.cache == 1 << 20 && !got.progress);
    got.progress = hear;
    got.progress_user = &heard_view;
    got.progress_interval = 0;
    got.cache = 0;
    got.threads = 2;
    ok(tess_array_set_context(view, &got, err));
    tess_array_get_context(view, &got);
    assert_true(got.threads == 1 && got.cache == 1 << 20 && got.progress == hear);
    heard = 0;
    ok(tess_array_read(view, start, full, items, sizeof items, err));
    assert_true(heard == 0 && heard_view > 0);
    assert_memory_equal(items, row, sizeof row);

    context.cache = 0;
    ok(tess_array_set_context(a, &context, err));
    assert_int_equal(usage_now().cache_own, 0);
    context.cache = -2;
    refused(TESS_ERR_ARG, tess_array_set_context(a, &context, err));
    refused(TESS_ERR_ARG, tess_array_set_context(NULL, &context, err));
    tess_array_get_context(a, &got);
    assert_true(got.cache == 0);
    ok(tess_array_set_context(a, NULL, err)); // the defaults
    tess_array_get_context(a, &got);
    assert_true(got.cache == TESS_CACHE_SHARED && !got.progress);
    ok(tess_array_read(a, start, full, items, sizeof items, err));
    assert_memory_equal(items, row, sizeof row);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
}

static void
budgets_are_checked(void **state)
{
    tess_budgets budgets, got;
    (void)state;
    tess_budgets_init(&budgets);
    assert_true(budgets.cache == TESS_CACHE_BUDGET_DEFAULT && budgets.files == 0);
    budgets.files = 33;
    ok(tess_process_set_budgets(&budgets, err));
    tess_process_get_budgets(&got);
    assert_true(got.files == 33 && got.cache == TESS_CACHE_BUDGET_DEFAULT);
    assert_int_equal(got.struct_size, sizeof got);
    got.files = -1;
    refused(TESS_ERR_ARG, tess_process_set_budgets(&got, err));
    got.files = 1;
    got.cache = -1;
    refused(TESS_ERR_ARG, tess_process_set_budgets(&got, err));
    refused(TESS_ERR_ARG, tess_process_set_budgets(NULL, err));
    tess_process_get_budgets(&got);
    assert_true(got.files == 33);
    budgets.files = 0;
    ok(tess_process_set_budgets(&budgets, err));
    tess_process_get_budgets(&got);
    assert_true(got.files >= 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(five_thousand, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(kinds_of_storage, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(commits, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(writers_refused, files_setup, files_teardown),
        cmocka_unit_test(many_written),
        cmocka_unit_test_setup_teardown(idle_gives, files_setup, files_teardown),
        cmocka_unit_test(context_changes),
        cmocka_unit_test(most_of_one_array),
        cmocka_unit_test(writes_under_less),
        cmocka_unit_test(budgets_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
