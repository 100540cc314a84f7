/*
 * io.c - tests of io: files and memory do what io.h says, and leave nothing behind.
 */
#include "io/io.h"
#include "io/file.h"
#include "io/gather.h"

#include "io/memory.h"
#include "io/storage.h"
#include "support/random.h"

#include "base/error.h"
#include "base/memory.h"

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

static char directory[] = "/tmp/tessera-io-XXXXXX";
static char path[64];

static int
setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/file", directory);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    return rmdir(directory); // fails if a test left a file
}

static void
put(const char *text)
{
    FILE *const f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static void
check(const char *text)
{
    char found[100] = "";
    FILE *const f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(found, 1, sizeof found, f), strlen(text));
    fclose(f);
    assert_string_equal(found, text);
}

static bool
exists(void)
{
    return access(path, F_OK) == 0;
}

static int
count_files(void)
{
    char command[128];
    int n = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", directory);
    FILE *const f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static void
file_written_and_read(void **state)
{
    struct io *io;
    tess_error err;
    char bytes[20] = "";
    int64_t size;

    (void)state;
    assert_int_equal(io_file_create(path, false, &io, &err), TESS_OK);
    assert_true(io->writable);
    assert_int_equal(io_write(io, 4, "efgh", 4, &err), TESS_OK); // a hole before it
    assert_int_equal(io_write(io, 0, "abcd", 4, &err), TESS_OK);
    assert_int_equal(io_size(io, &size, &err), TESS_OK);
    assert_int_equal(size, 8);
    assert_int_equal(io_read(io, 2, bytes, 4, &err), TESS_OK);
    assert_string_equal(bytes, "cdef");
    assert_null(io_view(io, 0, 4));
    assert_int_equal(io_sync(io, &err), TESS_OK);
    assert_int_equal(io_truncate(io, 6, &err), TESS_OK);
    assert_int_equal(io_publish(io, true, &err), TESS_OK);
    assert_int_equal(io_publish(io, true, &err), TESS_OK); // once more does nothing
    io_close(io);
    check("abcdef");

    assert_int_equal(io_file_open(path, true, &io, &err), TESS_OK);
    assert_int_equal(io_write(io, 5, "FG", 2, &err), TESS_OK);
    io_close(io);
    check("abcdeFG"); // what was there before stays without a publish
    assert_int_equal(unlink(path), 0);
}

static void
file_too_short(void **state)
{
    struct io *io;
    tess_error err = {0};
    char bytes[20];

    (void)state;
    put("0123456789");
    assert_int_equal(io_file_open(path, false, &io, &err), TESS_OK);
    assert_false(io->writable);
    assert_int_equal(io_read(io, 0, bytes, 10, &err), TESS_OK);
    assert_int_equal(io_read(io, 1, bytes, 10, &err), TESS_ERR_IO);
    assert_int_equal(io_read(io, 10, bytes, 1, &err), TESS_ERR_IO);
    assert_int_equal(io_read(io, 1000, bytes, 1, &err), TESS_ERR_IO);
    assert_int_equal(io_read(io, 1000, bytes, 0, &err), TESS_OK);
    assert_int_equal(io_write(io, 0, "x", 1, &err), TESS_ERR_IO); // opened for reading
    assert_int_equal(err.sys, EBADF);
    io_close(io);
    check("0123456789");
    assert_int_equal(unlink(path), 0);
}

static void
file_not_there(void **state)
{
    struct io *io = NULL;
    tess_error err = {0};

    (void)state;
    assert_int_equal(io_file_open(path, false, &io, &err), TESS_ERR_NOT_FOUND);
    assert_int_equal(err.sys, ENOENT);
    assert_non_null(strstr(err.message, "No such file"));
    assert_null(io);
    assert_int_equal(io_file_create("/nowhere/at/all", false, &io, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(io_file_create("/nowhere/at/all", true, &io, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, ENOENT);
    assert_null(io);
}

static void
not_a_file(void **state)
{
    struct io *io = NULL;
    tess_error err = {0};

    (void)state;
    assert_int_equal(io_file_open(directory, false, &io, &err), TESS_ERR_IO);
    assert_int_equal(io_file_open(directory, true, &io, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EISDIR);
    assert_int_equal(io_file_open("/dev/null", false, &io, &err), TESS_ERR_IO);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(io_file_open(path, false, &io, &err), TESS_ERR_IO); // and returns at once
    assert_int_equal(io_file_create(path, true, &io, &err), TESS_ERR_IO);
    assert_int_equal(unlink(path), 0);
    assert_null(io);
}

static void
existing_file_refused(void **state)
{
    struct io *io = NULL;
    tess_error err = {0};

    (void)state;
    put("precious");
    assert_int_equal(io_file_create(path, false, &io, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EEXIST);
    assert_null(io);
    check("precious");
    assert_int_equal(unlink(path), 0);
}

static void
unpublished_file_disappears(void **state)
{
    struct io *io;

    (void)state;
    assert_int_equal(io_file_create(path, false, &io, NULL), TESS_OK);
    assert_int_equal(io_write(io, 0, "half", 4, NULL), TESS_OK);
    io_close(io);
    assert_false(exists());

    put("old");
    assert_int_equal(io_file_create(path, true, &io, NULL), TESS_OK);
    assert_int_equal(io_write(io, 0, "half", 4, NULL), TESS_OK);
    check("old");
    io_close(io);
    check("old");
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink(path), 0);
}

static void
file_replaced(void **state)
{
    struct io *io, *second;
    struct stat info;
    tess_error err;

    (void)state;
    put("old");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(io_file_create(path, true, &io, NULL), TESS_OK);
    // Another one cannot replace what will be replaced, nor write to it, nor replace the new one.
    assert_int_equal(io_file_create(path, true, &second, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EWOULDBLOCK);
    assert_int_equal(io_file_open(path, true, &second, NULL), TESS_ERR_IO);
    assert_int_equal(count_files(), 2);
    assert_int_equal(io_write(io, 0, "first", 5, NULL), TESS_OK);
    assert_int_equal(io_publish(io, true, NULL), TESS_OK);
    check("first");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640); // permissions of the one before
    assert_int_equal(io_file_create(path, true, &second, &err), TESS_ERR_IO);
    assert_int_equal(err.sys, EWOULDBLOCK);
    io_close(io);
    assert_int_equal(io_file_create(path, true, &second, NULL), TESS_OK);
    io_close(second);
    check("first");
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink(path), 0);

    assert_int_equal(io_file_create(path, true, &io, NULL), TESS_OK); // nothing to replace
    assert_int_equal(io_file_create(path, true, &second, NULL), TESS_OK);
    assert_false(exists());
    assert_int_equal(io_write(io, 0, "new", 3, NULL), TESS_OK);
    assert_int_equal(io_publish(io, true, NULL), TESS_OK);
    assert_int_equal(io_publish(second, true, &err), TESS_ERR_IO); // who is late
    assert_int_equal(err.sys, EWOULDBLOCK);
    io_close(second);
    check("new");
    io_close(io);
    check("new");
    assert_int_equal(unlink(path), 0);
}

static void
publish_fails(void **state)
{
    struct io *io;
    tess_error err = {0};

    (void)state;
    assert_int_equal(io_file_create(path, true, &io, NULL), TESS_OK);
    assert_int_equal(mkdir(path, 0700), 0); // takes the name away
    assert_int_equal(io_publish(io, true, &err), TESS_ERR_IO);
    io_close(io);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(count_files(), 0); // the temporary file is gone, too
}

static void
memory_grows(void **state)
{
    struct io *io;
    uint8_t expected[5000] = {0}, bytes[5000];
    int64_t size;
    tess_error err;

    (void)state;
    memcpy(expected, "start", 5);
    assert_int_equal(io_memory_new("start", 5, &io, &err), TESS_OK);
    assert_true(io->writable);
    for (int i = 0; i < 100; i++) { // with gaps, which are zeros
        const int64_t at = 7 + i * 49;
        memset(expected + at, i, 11);
        assert_int_equal(io_write(io, at, expected + at, 11, &err), TESS_OK);
        assert_int_equal(io_size(io, &size, &err), TESS_OK);
        assert_int_equal(size, at + 11);
        assert_memory_equal(io_view(io, 0, (size_t)size), expected, (size_t)size);
    }
    assert_int_equal(io_read(io, 0, bytes, (size_t)size, &err), TESS_OK);
    assert_memory_equal(bytes, expected, (size_t)size);
    assert_int_equal(io_read(io, size - 1, bytes, 2, &err), TESS_ERR_IO);

    assert_int_equal(io_truncate(io, 20, &err), TESS_OK); // what was cut off is zero later
    assert_int_equal(io_truncate(io, 60, &err), TESS_OK);
    memset(expected + 20, 0, 40);
    assert_memory_equal(io_view(io, 0, 60), expected, 60);
    assert_null(io_view(io, 0, 61));
    assert_null(io_view(io, 61, 0));
    assert_null(io_view(io, -1, 1));
    assert_null(io_view(io, 1, SIZE_MAX));
    assert_non_null(io_view(io, 60, 0));
    assert_int_equal(io_write(io, INT64_MAX - 2, "abc", 3, &err), TESS_ERR_LIMIT);
    assert_int_equal(io_sync(io, &err), TESS_OK);
    assert_int_equal(io_publish(io, true, &err), TESS_OK);
    io_close(io);
}

// Through all sizes at which it is allocated in another way, whatever the owner expects.
static void
memory_grows_large(void **state)
{
    enum { PIECE = 3 << 20, PIECES = 30 };
    static const int64_t expected[] = {0, 10 << 20, PIECE * PIECES, INT64_MAX, -1};
    uint8_t *const piece = malloc(PIECE);
    tess_error err;

    (void)state;
    assert_non_null(piece);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        struct io *io;
        void *bytes;
        size_t size;
        assert_int_equal(io_memory_new(NULL, 0, &io, &err), TESS_OK);
        io->expected = expected[k];
        for (int i = 0; i < PIECES; i++) {
            memset(piece, i + 1, PIECE);
            assert_int_equal(io_write(io, (int64_t)i * PIECE, piece, PIECE, &err), TESS_OK);
            for (int n = 0; n <= i; n += 1 + i / 4)
                assert_int_equal(*io_view(io, (int64_t)n * PIECE + n, 1), n + 1);
        }
        io_memory_take(io, &bytes, &size);
        assert_int_equal(size, (size_t)PIECE * PIECES);
        for (int i = 0; i < PIECES; i++) {
            memset(piece, i + 1, PIECE);
            assert_memory_equal((uint8_t *)bytes + (size_t)i * PIECE, piece, PIECE);
        }
        mem_free(bytes);
        assert_int_equal(io_write(io, 0, "new", 3, &err), TESS_OK);
        assert_memory_equal(io_view(io, 0, 3), "new", 3);
        io_close(io);
    }
    free(piece);
}

static void
memory_viewed(void **state)
{
    static const char image[] = "0123456789";
    struct io *io;
    char bytes[4] = "";
    tess_error err;

    (void)state;
    assert_int_equal(io_memory_view(image, 10, &io, &err), TESS_OK);
    assert_false(io->writable);
    assert_ptr_equal(io_view(io, 3, 7), image + 3);
    assert_null(io_view(io, 3, 8));
    assert_int_equal(io_read(io, 7, bytes, 3, &err), TESS_OK);
    assert_string_equal(bytes, "789");
    assert_int_equal(io_read(io, 8, bytes, 3, &err), TESS_ERR_IO);
    io_close(io);
}

// No bytes at all are fine, as long as none are read.
static void
memory_empty(void **state)
{
    struct io *io;
    int64_t size = -1;
    char byte;

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        assert_int_equal(kind == 0   ? io_memory_new(NULL, 0, &io, NULL)
                         : kind == 1 ? io_memory_new("", 0, &io, NULL)
                                     : io_memory_view("", 0, &io, NULL),
                         TESS_OK);
        assert_int_equal(io_size(io, &size, NULL), TESS_OK);
        assert_int_equal(size, 0);
        assert_int_equal(io_read(io, 0, &byte, 0, NULL), TESS_OK);
        assert_int_equal(io_read(io, 0, &byte, 1, NULL), TESS_ERR_IO);
        io_close(io);
    }
    io_close(NULL);
}

// Pieces one behind the other, over each other, elsewhere, large ones, other writes, past the
// buffer too, cuts and reads in any order: as if each had gone to the file at once.
static void
gathered(void **state)
{
    enum { SIZE = 3 << 20, STEPS = 4000, LARGE = 300000 };
    uint8_t *const expected = calloc(1, SIZE), *const bytes = calloc(1, SIZE);
    int64_t length = 0, next = 0, size;
    struct random r;
    struct io *io;

    (void)state;
    assert_true(expected && bytes);
    random_init(&r, random_seed());
    assert_int_equal(io_memory_new(NULL, 0, &io, NULL), TESS_OK);
    assert_int_equal(io_gather(io, &io, NULL), TESS_OK);
    assert_true(io->writable);
    for (int i = 0; i < STEPS; i++) {
        const uint64_t what = random_below(&r, 40);
        size_t n = random_below(&r, what == 0 ? LARGE : 4000);
        if (what < 30) { // a piece, or a write
            const uint64_t where = random_below(&r, 100);
            if (where == 0 || next + (int64_t)n > SIZE)
                next = (int64_t)random_below(&r, SIZE - n);
            else if (where < 10)
                next -= next < 900 ? next : (int64_t)random_below(&r, 900);
            random_bytes(&r, expected + next, n);
            if (what == 28)
                assert_int_equal(io_gather_clear(io, next, (int64_t)n, NULL), TESS_OK);
            struct io *const to = what == 28 ? io_gather_file(io) : io;
            assert_int_equal(what >= 28 ? io_write(to, next, expected + next, n, NULL)
                                        : io_gather_put(io, next, expected + next, n, NULL),
                             TESS_OK);
            next += (int64_t)n;
            length = n > 0 && next > length ? next : length;
        } else if (what == 30) {
            length = (int64_t)random_below(&r, SIZE);
            assert_int_equal(io_truncate(io, length, NULL), TESS_OK);
            memset(expected + length, 0, (size_t)(SIZE - length));
        } else if (what == 31) {
            assert_int_equal(io_sync(io, NULL), TESS_OK);
        } else if (length > 0) {
            const int64_t at = (int64_t)random_below(&r, (uint64_t)length);
            n = (int64_t)n > length - at ? (size_t)(length - at) : n;
            assert_int_equal(io_read(io, at, bytes, n, NULL), TESS_OK);
            assert_memory_equal(bytes, expected + at, n);
            const uint8_t *const view = io_view(io, at, n);
            assert_true(!view || memcmp(view, expected + at, n) == 0);
        }
        assert_int_equal(io_size(io, &size, NULL), TESS_OK);
        assert_int_equal(size, length);
    }
    assert_int_equal(io_read(io, length, bytes, 1, NULL), TESS_ERR_IO);
    io_close(io);
    free(expected);
    free(bytes);
}

// Extents of any size with gaps of any size, at once, from an io and from one with another in
// between: as if each was read by itself.
static void
check_many(struct io *io, const uint8_t *expected, int64_t base, int64_t size, struct random *r)
{
    enum { MOST = 300 };
    tess_range extents[MOST];
    uint8_t *const bytes = malloc((size_t)size);
    size_t n = 0;
    assert_non_null(bytes);
    memset(bytes, 0xee, (size_t)size);
    for (int64_t at = 0; n < MOST; n++) {
        const uint64_t kind = random_below(r, 20);
        at += (int64_t)random_below(r, kind == 0 ? 100000 : kind < 4 ? 9000 : 200);
        const size_t length = random_below(r, kind == 1 ? 150000 : 40);
        if (at + (int64_t)length > size)
            break;
        extents[n] = (tess_range){at, bytes + at, length};
        at += (int64_t)length;
    }
    assert_int_equal(io_read_many(io, extents, n, NULL, NULL), TESS_OK);
    for (size_t i = 0, at = 0; i <= n; i++) { // and nothing else is written to
        const size_t stop = i < n ? (size_t)extents[i].offset : (size_t)size;
        for (; at < stop; at++)
            assert_int_equal(bytes[at], 0xee);
        if (i < n)
            assert_memory_equal(bytes + at, expected + base + at, extents[i].dst_size);
        at += i < n ? extents[i].dst_size : 0;
    }
    free(bytes);
}

static void
read_many(void **state)
{
    enum { SIZE = 2 << 20, BASE = 12345, ROUNDS = 60 };
    uint8_t *const expected = malloc(SIZE);
    uint8_t here[16];
    tess_range two[] = {{SIZE - 20, here, 16}, {SIZE - 10, here, 16}};
    struct random r;
    struct io *io;
    tess_error err;

    (void)state;
    assert_non_null(expected);
    random_init(&r, random_seed());
    random_bytes(&r, expected, SIZE);
    for (int kind = 0; kind < 4; kind++) {
        const int64_t base = kind == 3 ? BASE : 0;
        assert_int_equal(kind == 0 ? io_memory_new(NULL, 0, &io, NULL)
                                   : io_file_create(path, false, &io, NULL),
                         TESS_OK);
        if (kind == 2)
            assert_int_equal(io_gather(io, &io, NULL), TESS_OK);
        assert_int_equal(io_write(io, 0, expected, SIZE - 50000, NULL), TESS_OK);
        for (int64_t at = SIZE - 50000; at < SIZE; at += 10000) // which may wait
            assert_int_equal(kind == 2 ? io_gather_put(io, at, expected + at, 10000, NULL)
                                       : io_write(io, at, expected + at, 10000, NULL),
                             TESS_OK);
        if (kind == 3)
            assert_int_equal(io_window(io, BASE, &io, NULL), TESS_OK);
        for (int i = 0; i < ROUNDS; i++)
            check_many(io, expected, base, SIZE - base, &r);
        assert_int_equal(io_read_many(io, two, 0, NULL, NULL), TESS_OK);
        two[0].offset = SIZE - base - 20;
        two[1].offset = SIZE - base - 10;
        assert_int_equal(io_read_many(io, two, 1, NULL, NULL), TESS_OK);
        assert_int_equal(io_read_many(io, two, 2, NULL, &err),
                         TESS_ERR_IO); // the second is too long
        io_close(io);
    }
    free(expected);
    assert_int_equal(count_files(), 0);
}

// An io without read_many, which counts the calls of `read`.
struct counted {
    struct io io;
    int reads;
};

static tess_status
counted_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    (void)err;
    ((struct counted *)io)->reads++;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)dst)[i] = (uint8_t)(offset + (int64_t)i);
    return TESS_OK;
}

// Extents come with one read up to gaps of 8 KiB, and 64 KiB in all.
static void
reads_of_extents(void **state)
{
    enum { KIB = 1024 };
    static const struct {
        const char *why;
        int64_t offsets[3];
        size_t sizes[3];
        int reads;
    } cases[] = {
        {"without gaps", {7, 107, 207}, {100, 100, 100}, 1},
        {"a gap of 8 KiB", {0, 100 + 8 * KIB, 300 + 8 * KIB}, {100, 100, 100}, 1},
        {"one byte more", {0, 101 + 8 * KIB, 301 + 8 * KIB}, {100, 100, 100}, 2},
        {"64 KiB in all", {0, 30 * KIB, 60 * KIB}, {30 * KIB, 30 * KIB, 4 * KIB}, 1},
        {"one byte more", {0, 30 * KIB, 60 * KIB}, {30 * KIB, 30 * KIB, 4 * KIB + 1}, 2},
        {"a long one first", {0, 65 * KIB, 66 * KIB}, {65 * KIB, 100, 100}, 2},
        {"one overlaps", {0, 50, 200}, {100, 100, 100}, 2},
    };
    static const struct io_ops ops = {.read = counted_read};
    static uint8_t bytes[3][66 * KIB];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counted c = {.io.ops = &ops};
        tess_range extents[3];
        for (int k = 0; k < 3; k++)
            extents[k] = (tess_range){cases[i].offsets[k], bytes[k], cases[i].sizes[k]};
        assert_int_equal(io_read_many(&c.io, extents, 3, NULL, NULL), TESS_OK);
        for (int k = 0; k < 3; k++)
            for (size_t j = 0; j < cases[i].sizes[k]; j++)
                assert_int_equal(bytes[k][j], (uint8_t)(cases[i].offsets[k] + (int64_t)j));
        if (c.reads != cases[i].reads)
            fail_msg("%s: %d reads", cases[i].why, c.reads);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_extents),
        cmocka_unit_test(file_written_and_read),
        cmocka_unit_test(file_too_short),
        cmocka_unit_test(file_not_there),
        cmocka_unit_test(not_a_file),
        cmocka_unit_test(existing_file_refused),
        cmocka_unit_test(unpublished_file_disappears),
        cmocka_unit_test(file_replaced),
        cmocka_unit_test(publish_fails),
        cmocka_unit_test(memory_grows),
        cmocka_unit_test(memory_grows_large),
        cmocka_unit_test(memory_viewed),
        cmocka_unit_test(memory_empty),
        cmocka_unit_test(gathered),
        cmocka_unit_test(read_many),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
