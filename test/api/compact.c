/*
 * compact.c - files and directories that are made as small as what they hold.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 96, COLUMNS = 64, CHUNK_ROWS = 8, NUMBER_AT = 8 };

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

// Noise that was overwritten again and again, one commit each time.
static void
make(const char *path, tess_layout layout, struct random *random, struct reference *r)
{
    const tess_storage storage = at(path, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.layout = layout;
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = CHUNK_ROWS;
    p.chunkshape[1] = COLUMNS;
    p.blockshape[0] = 2;
    p.blockshape[1] = COLUMNS;
    reference_init(r, 2, p.shape, 4);
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_vlmeta_set(a, "name", "value", 5, err));
    for (int i = 0; i < 30; i++) {
        static uint32_t items[ROWS * COLUMNS];
        const int64_t from = (int64_t)random_below(random, ROWS - 1);
        const int64_t start[] = {from, 0};
        const int64_t stop[] = {from + 1 + (int64_t)random_below(random, (uint64_t)(ROWS - from)),
                                COLUMNS};
        for (size_t k = 0; k < ROWS * COLUMNS; k++)
            items[k] = (uint32_t)random_below(random, (uint64_t)2 << (i % 20));
        reference_set(r, start, stop, items);
        ok(tess_array_write(a, start, stop, items, sizeof items, err));
        ok(tess_array_flush(a, err));
    }
    ok(tess_array_close(a, err));
}

static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};

static void
check(const char *path, const struct reference *r)
{
    tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    void *value;
    size_t size;
    storage.checksums = TESS_CHECKSUMS_VERIFY;
    ok(tess_array_open(&storage, &a, err));
    check_array(a, r);
    ok(tess_vlmeta_get(a, "name", &value, &size, err));
    assert_memory_equal(value, "value", 5);
    tess_free(value);
    ok(tess_array_close(a, err));
}

// Bytes of the stored chunks.
static int64_t
live_size(const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_READ);
    tess_array *a;
    tess_info info;
    int64_t sum = 0;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    for (int64_t n = 0; n < info.nchunks; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        sum += chunk.cbytes;
    }
    ok(tess_array_close(a, err));
    return sum;
}

// The number of the commit (lib/tessera/frame/format/ledger.h): in front of the copy of the header.
static uint64_t
commit_number(const char *path)
{
    static const uint8_t mark[] = {0x9e, 0xa8, 0, '2', 'f', 'r', 'a', 'm', 'e', 0};
    enum { MARK_AT = 56, FORMAT = 2 };
    uint64_t number = 0;
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    for (size_t i = MARK_AT; i + sizeof mark <= size; i++)
        if (memcmp(bytes + i, mark, sizeof mark) == 0 && bytes[i - MARK_AT] == FORMAT)
            memcpy(&number, bytes + i - MARK_AT + NUMBER_AT, sizeof number);
    free(bytes);
    return number;
}

static const char *
index_of(const char *path, tess_layout layout)
{
    static char name[200];
    snprintf(name, sizeof name, "%s%s", path,
             layout == TESS_LAYOUT_SPARSE ? "/chunks.b2frame" : "");
    return name;
}

static void
gets_small(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int i = 0; i < 12; i++) {
        const tess_layout layout = layouts[i % 2];
        const char *const path = files_path("array.b2nd");
        tess_storage storage = at(path, TESS_MODE_READ);
        struct reference r;
        int64_t before, after, again;
        storage.durability = (tess_durability)(i / 2 % 3);
        make(path, layout, &random, &r);
        const uint64_t number = commit_number(index_of(path, layout));
        if (layout == TESS_LAYOUT_SPARSE) {
            char name[200];
            snprintf(name, sizeof name, "%s/00000077.chunk", path);
            files_write(name, "what a writer left", 18);
            snprintf(name, sizeof name, "%s/chunks.b2frame.tmp", path);
            files_write(name, "that died", 9);
        }
        ok(tess_compact(&storage, &before, &after, err));
        assert_true(after < before);
        check(path, &r);
        const int64_t live = live_size(path);
        assert_true(after >= live && after < live + 2048);
        // What comes later counts on.
        assert_true(commit_number(index_of(path, layout)) >= number);
        if (layout == TESS_LAYOUT_CONTIGUOUS)
            assert_true(commit_number(path) > number);
        ok(tess_compact(&storage, &again, &after, err));
        assert_int_equal(again, after);
        assert_int_equal(files_count(), 1);
        check(path, &r);

        tess_storage writer = at(path, TESS_MODE_UPDATE);
        tess_array *a;
        ok(tess_array_open(&writer, &a, err));
        const int64_t start[] = {3, 4}, stop[] = {60, 50};
        reference_set(&r, start, stop, r.data);
        ok(tess_array_write(a, start, stop, r.data, reference_size(&r), err));
        ok(tess_array_close(a, err));
        check(path, &r);
        reference_finish(&r);
        files_remove(path);
    }
}

// Chunk files of other implementations, which overwrite them in place, may be longer.
static void
long_chunk_files(void **state)
{
    const char *const path = files_path("array.b2nd");
    const tess_storage storage = at(path, TESS_MODE_READ);
    struct random random;
    struct reference r;
    int64_t before, after, plain, longer_by = 0;
    (void)state;
    random_init(&random, random_seed());
    make(path, TESS_LAYOUT_SPARSE, &random, &r);
    ok(tess_compact(&storage, NULL, &plain, err));
    for (int i = 0; i < 8; i++) {
        char name[200];
        size_t size;
        snprintf(name, sizeof name, "%s/%08X.chunk", path, (unsigned)i);
        if (!files_exist(name))
            continue;
        longer_by += 5000;
        uint8_t *const bytes = files_read(name, &size);
        uint8_t *const longer = calloc(1, size + 5000);
        assert_non_null(longer);
        memcpy(longer, bytes, size);
        files_write(name, longer, size + 5000);
        free(bytes);
        free(longer);
    }
    assert_true(longer_by > 0);
    ok(tess_compact(&storage, &before, &after, err));
    assert_int_equal(before, plain + longer_by);
    assert_in_range(after, plain - 100, plain + 100);
    check(path, &r);
    reference_finish(&r);
}

static void
readers_go_on(void **state)
{
    const char *const path = files_path("array.b2nd");
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int i = 0; i < 2; i++) {
        const tess_storage storage = at(path, TESS_MODE_READ);
        struct reference r;
        tess_array *reader;
        bool changed;
        make(path, layouts[i], &random, &r);
        ok(tess_array_open(&storage, &reader, err));
        ok(tess_compact(&storage, NULL, NULL, err));
        check_array(reader, &r);
        ok(tess_array_refresh(reader, &changed, err));
        if (layouts[i] == TESS_LAYOUT_CONTIGUOUS)
            assert_true(changed);
        check_array(reader, &r);
        ok(tess_array_close(reader, err));
        reference_finish(&r);
        files_remove(path);
    }
}

static void
links_and_permissions_stay(void **state)
{
    const char *const path = files_path("array.b2nd");
    const char *const link_path = files_path("link.b2nd");
    const tess_storage storage = at(link_path, TESS_MODE_READ);
    struct random random;
    struct reference r;
    struct stat info;
    (void)state;
    random_init(&random, random_seed());
    make(path, TESS_LAYOUT_CONTIGUOUS, &random, &r);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("array.b2nd", link_path), 0);
    ok(tess_compact(&storage, NULL, NULL, err));
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    check(path, &r);
    reference_finish(&r);
}

static bool
stop_at_once(int64_t done, int64_t total, void *user)
{
    (void)done;
    (void)total;
    ++*(int *)user;
    return false;
}

static void
refusals_change_nothing(void **state)
{
    const char *const path = files_path("array.b2nd");
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int i = 0; i < 2; i++) {
        tess_storage storage = at(path, TESS_MODE_READ);
        tess_storage writer = at(path, TESS_MODE_UPDATE);
        tess_context context;
        tess_array *a;
        struct reference r;
        int64_t before = -1, after = -1;
        int calls = 0;
        make(path, layouts[i], &random, &r);
        ok(tess_array_open(&writer, &a, err));
        refused(TESS_ERR_IO, tess_compact(&storage, &before, &after, err));
        ok(tess_array_close(a, err));
        tess_context_init(&context);
        context.progress = stop_at_once;
        context.progress_user = &calls;
        context.progress_interval = 0;
        storage.context = &context;
        refused(TESS_ERR_CANCELLED, tess_compact(&storage, &before, &after, err));
        assert_int_equal(calls, 2);
        storage.context = NULL;
        storage.offset = 8;
        refused(TESS_ERR_ARG, tess_compact(&storage, &before, &after, err));
        storage.offset = 0;
        storage.path = files_path("nothing.b2nd");
        refused(TESS_ERR_NOT_FOUND, tess_compact(&storage, &before, &after, err));
        refused(TESS_ERR_ARG, tess_compact(NULL, NULL, NULL, err));
        assert_int_equal(before, -1);
        assert_int_equal(after, -1);
        assert_int_equal(files_count(), 1);
        check(path, &r);

        if (layouts[i] == TESS_LAYOUT_CONTIGUOUS) { // another frame behind it
            size_t size;
            uint8_t *const bytes = files_read(path, &size);
            uint8_t *const two = malloc(2 * size);
            assert_non_null(two);
            memcpy(two, bytes, size);
            memcpy(two + size, bytes, size);
            files_write(path, two, 2 * size);
            free(bytes);
            free(two);
            storage.path = path;
            refused(TESS_ERR_UNSUPPORTED, tess_compact(&storage, NULL, NULL, err));
            check(path, &r);
        }
        reference_finish(&r);
        files_remove(path);
    }
}

// What is damaged is not made anew, with a checksum that is right.
static void
damage_is_not_copied(void **state)
{
    const char *const path = files_path("array.b2nd");
    const tess_storage storage = at(path, TESS_MODE_READ);
    struct random random;
    struct reference r;
    size_t size, size_now;
    (void)state;
    random_init(&random, random_seed());
    make(path, TESS_LAYOUT_CONTIGUOUS, &random, &r);
    ok(tess_compact(&storage, NULL, NULL, err));
    uint8_t *const bytes = files_read(path, &size);
    bytes[size / 2] ^= 4;
    files_write(path, bytes, size);
    // In the header of a chunk, the bit may make it one of a codec or version to come.
    const tess_status st = tess_compact(&storage, NULL, NULL, NULL);
    assert_true(st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED);
    uint8_t *const now = files_read(path, &size_now);
    assert_int_equal(size_now, size);
    assert_memory_equal(now, bytes, size);
    free(bytes);
    free(now);
    reference_finish(&r);
}

// Our own metalayer, after a copy by another program has changed it, is not shown, and the next
// commit replaces it.
static void
garbled_ledger(void **state)
{
    enum { FINGERPRINT_SIZE = 17 };
    const char *const path = files_path("array.b2nd");
    tess_storage storage = at(path, TESS_MODE_NEW);
    const uint8_t items[4000] = {1};
    tess_params p;
    tess_array *a;
    tess_info info;
    tess_verdict verdict;
    size_t size;
    (void)state;
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = sizeof items;
    p.dtype = "|u1";
    storage.checksums = TESS_CHECKSUMS_NONE;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    ok(tess_vlmeta_set(a, "_tesx", "no ledger", 9, err));
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(path, &size);
    memset(bytes + size - FINGERPRINT_SIZE, 0, FINGERPRINT_SIZE);
    for (size_t i = 0; i + 5 <= size; i++)
        if (memcmp(bytes + i, "_tesx", 5) == 0)
            bytes[i + 4] = 's';
    files_write(path, bytes, size);
    free(bytes);
    storage.checksums = TESS_CHECKSUMS_WRITE;
    for (int i = 0; i < 2; i++) {
        storage.mode = TESS_MODE_UPDATE;
        ok(tess_array_open(&storage, &a, err));
        tess_array_info(a, &info);
        assert_int_equal(info.nvlmetalayers, i);
        ok(tess_array_verify(a, NULL, NULL, &verdict, err));
        assert_int_equal(verdict.sealed, i);
        assert_int_equal(verdict.nunknown, 1 - i);
        ok(tess_vlmeta_set(a, "note", "new", 3, err));
        ok(tess_array_write(a, (const int64_t[]){1}, (const int64_t[]){2}, "x", 1, err));
        ok(tess_array_close(a, err));
    }
}

// A program that is killed at any moment leaves the array, and perhaps a file beside it.
static void
survives_kills(void **state)
{
    const int64_t cases = random_cases(60, 1000);
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (int64_t i = 0; i < cases; i++) {
        const char *const path = files_path("array.b2nd");
        tess_storage storage = at(path, TESS_MODE_READ);
        struct reference r;
        int status;
        storage.durability = TESS_DURABILITY_NONE;
        make(path, layouts[i % 2], &random, &r);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(tess_compact(&storage, NULL, NULL, NULL) == TESS_OK ? 0 : 1);
        const struct timespec pause = {.tv_nsec = (long)random_below(&random, 1500000)};
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        check(path, &r);
        ok(tess_compact(&storage, NULL, NULL, err));
        check(path, &r);
        reference_finish(&r);
        files_remove(path);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(gets_small),
        IN_A_FOLDER(long_chunk_files),
        IN_A_FOLDER(readers_go_on),
        IN_A_FOLDER(links_and_permissions_stay),
        IN_A_FOLDER(refusals_change_nothing),
        IN_A_FOLDER(damage_is_not_copied),
        IN_A_FOLDER(garbled_ledger),
        IN_A_FOLDER(survives_kills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
