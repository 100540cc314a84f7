/*
 * schunk_files.c - super-chunks on files that others change meanwhile.
 */
#include "compat/compat.h"
#include "support/files.h"

#include <blosc2/blosc2-stdio.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NCHUNKS = 6, ITEMS = 500, BYTES = ITEMS * (int)sizeof(int32_t) };

static blosc2_schunk *
new_schunk(const char *path, bool contiguous)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    cparams.typesize = sizeof(int32_t);
    char *const name = strdup(path);
    blosc2_storage storage = {contiguous, name, &cparams, NULL, NULL};
    blosc2_schunk *const schunk = blosc2_schunk_new(&storage);

    assert_non_null(schunk);
    free(name);
    return schunk;
}

// Items first, first + 1, ... in chunks of ITEMS.
static void
write_numbers(const char *path, bool contiguous, int32_t first)
{
    blosc2_schunk *const schunk = new_schunk(path, contiguous);
    int32_t items[ITEMS];

    for (int n = 0; n < NCHUNKS; n++) {
        for (int i = 0; i < ITEMS; i++)
            items[i] = first + n * ITEMS + i;
        assert_int_equal(blosc2_schunk_append_buffer(schunk, items, BYTES), n + 1);
    }
    assert_good(blosc2_schunk_free(schunk));
}

static blosc2_schunk *
open_numbers(const char *path)
{
    blosc2_schunk *const schunk = blosc2_schunk_open(path);
    assert_non_null(schunk);
    return schunk;
}

static void
put_zeros(blosc2_schunk *schunk, int64_t n)
{
    uint8_t zeros[BLOSC_EXTENDED_HEADER_LENGTH];
    assert_good(blosc2_chunk_zeros(*schunk->storage->cparams, BYTES, zeros, sizeof zeros));
    assert_good(blosc2_schunk_update_chunk(schunk, n, zeros, true));
    assert_true(blosc2_schunk_update_chunk(schunk, INT64_MAX, zeros, true) < 0);
}

static int
size_of_chunk(blosc2_schunk *schunk, int64_t n)
{
    uint8_t *chunk = NULL;
    bool needs_free = false;
    const int size = blosc2_schunk_get_chunk(schunk, n, &chunk, &needs_free);
    if (needs_free)
        free(chunk);
    return size;
}

// Each kind of read, of one chunk that begins with this item.
static void
check_reads(blosc2_schunk *schunk, int64_t n, int32_t first)
{
    int32_t items[ITEMS];
    const int64_t start = n * ITEMS;

    assert_true(size_of_chunk(schunk, n) > 0);
    assert_int_equal(blosc2_schunk_decompress_chunk(schunk, n, items, BYTES), BYTES);
    assert_int_equal(items[0], first);
    assert_good(blosc2_schunk_get_slice_buffer(schunk, start, start + 3, items));
    assert_int_equal(items[0], first);
    assert_good(blosc2_schunk_get_sparse_buffer(schunk, 1, &start, items));
    assert_int_equal(items[0], first);
}

enum read { CHUNK, DECODE, SLICE, SPARSE, READS };

// One kind of read, which is the first since the change.
static int32_t
first_item(blosc2_schunk *schunk, enum read read)
{
    int32_t items[ITEMS] = {-1};
    const int64_t start = 0;

    switch (read) {
    case CHUNK:
        return size_of_chunk(schunk, 0) == BLOSC_EXTENDED_HEADER_LENGTH ? 0 : -1;
    case DECODE:
        assert_int_equal(blosc2_schunk_decompress_chunk(schunk, 0, items, BYTES), BYTES);
        break;
    case SLICE:
        assert_good(blosc2_schunk_get_slice_buffer(schunk, 0, 1, items));
        break;
    default:
        assert_good(blosc2_schunk_get_sparse_buffer(schunk, 1, &start, items));
    }
    return items[0];
}

static void
chunks_that_others_replaced(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * READS; k++) {
        const char *const path = files_path("numbers");
        write_numbers(path, k % 2 == 0, 7);
        blosc2_schunk *const writer = open_numbers(path);
        blosc2_schunk *const reader = open_numbers(path);
        for (int n = 0; n < NCHUNKS; n++)
            check_reads(reader, n, 7 + n * ITEMS);
        put_zeros(writer, 0);
        assert_int_equal(first_item(reader, (enum read)(k / 2)), 0);
        check_reads(reader, 1, 7 + ITEMS);
        // The reader writes, and keeps what the other wrote.
        put_zeros(writer, 2);
        put_zeros(reader, 4);
        blosc2_schunk *const last = open_numbers(path);
        for (int n = 0; n < NCHUNKS; n++)
            check_reads(last, n, n % 2 == 0 ? 0 : 7 + n * ITEMS);
        assert_good(blosc2_schunk_free(last));
        assert_good(blosc2_schunk_free(writer));
        assert_good(blosc2_schunk_free(reader));
        files_remove(path);
    }
}

static void
files_that_were_replaced(void **state)
{
    (void)state;
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        const char *const path = files_path("numbers"), *const other = files_path("other");
        write_numbers(path, contiguous, 0);
        write_numbers(other, contiguous, 1000000);
        blosc2_schunk *const schunk = open_numbers(path);
        check_reads(schunk, 1, ITEMS);
        files_remove(path);
        if (contiguous)
            check_reads(schunk, 2,
                        2 * ITEMS); // a removed file is there until it is closed
        assert_int_equal(rename(other, path), 0);
        check_reads(schunk, 1, 1000000 + ITEMS);
        assert_good(blosc2_schunk_free(schunk));
        files_remove(path);
    }
}

static void
bytes_that_are_missing(void **state)
{
    const char *const path = files_path("numbers");
    char chunk[4096];
    int32_t items[ITEMS];
    (void)state;

    write_numbers(path, false, 0);
    blosc2_schunk *const schunk = open_numbers(path);
    snprintf(chunk, sizeof chunk, "%s/00000000.chunk", path);
    files_write(chunk, "", 0);
    assert_int_equal(size_of_chunk(schunk, 0), BLOSC2_ERROR_FILE_READ);
    assert_true(blosc2_schunk_decompress_chunk(schunk, 0, items, BYTES) < 0);
    check_reads(schunk, 1, ITEMS);
    assert_good(blosc2_schunk_free(schunk));
}

// Files of the process have a largest size from here on: `more` bytes than the one at path.
static void
limit_size(const char *path, rlim_t more)
{
    struct stat st;
    struct rlimit limit;

    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = more == RLIM_INFINITY ? limit.rlim_max : (rlim_t)st.st_size + more;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// Each call that changes something says so, and what was there stays. Large chunks are written at
// once, small ones with the commit.
static void
no_room_in_the_file(void **state)
{
    const char *const path = files_path("numbers");
    const int32_t large = 8 << 20;
    uint8_t *const noise = malloc((size_t)large);
    uint32_t seed = 1;
    (void)state;

    assert_non_null(noise);
    for (int32_t i = 0; i < large; i++)
        noise[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    void (*const before)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int call = 0; call < 5; call++) {
        if (call < 4)
            write_numbers(path, true, 7);
        blosc2_schunk *const schunk = call < 4 ? open_numbers(path) : new_schunk(path, true);
        limit_size(path, 100);
        const int64_t rc = call == 0   ? blosc2_schunk_append_buffer(schunk, noise, BYTES)
                           : call == 1 ? blosc2_schunk_set_slice_buffer(schunk, 0, ITEMS, noise)
                           : call == 2 ? blosc2_vlmeta_add(schunk, "noise", noise, BYTES, NULL)
                           : call == 3 ? blosc2_vlmeta_add(schunk, "noise", noise, large, NULL)
                                       : blosc2_schunk_append_buffer(schunk, noise, large);
        limit_size(path, RLIM_INFINITY);
        assert_int_equal(rc, BLOSC2_ERROR_FILE_WRITE);
        if (call < 4)
            check_reads(schunk, 1, 7 + ITEMS);
        (void)blosc2_schunk_free(schunk);
        files_remove(path);
    }
    (void)signal(SIGXFSZ, before);
    free(noise);
}

// Whether another program could lock the frame now, to change it.
static bool
can_lock(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.b2lock", path);
    const int fd = open(name, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    (void)close(fd); // and unlocked
    return locked;
}

static void
locks_of_the_program(void **state)
{
    const char *const path = files_path("numbers");
    blosc2_stdio_params params = {.locking = true};
    const blosc2_io io = {BLOSC2_IO_FILESYSTEM, "filesystem", &params};
    (void)state;

    write_numbers(path, true, 7);
    blosc2_schunk *const schunk = blosc2_schunk_open_udio(path, &io);
    assert_non_null(schunk);
    check_reads(schunk, 0, 7);
    assert_true(can_lock(path));
    for (int i = 0; i < 2; i++) {
        assert_good(blosc2_schunk_lock(schunk));
        assert_false(can_lock(path));
    }
    check_reads(schunk, 0, 7);
    put_zeros(schunk, 0);
    put_zeros(schunk, 1);
    assert_good(blosc2_schunk_unlock(schunk));
    assert_false(can_lock(path)); // locked twice
    assert_good(blosc2_schunk_unlock(schunk));
    assert_true(can_lock(path));
    put_zeros(schunk, 2);
    assert_true(can_lock(path));
    for (int n = 0; n < NCHUNKS; n++)
        check_reads(schunk, n, n < 3 ? 0 : 7 + n * ITEMS);
    assert_good(blosc2_schunk_free(schunk));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(chunks_that_others_replaced), IN_A_FOLDER(files_that_were_replaced),
        IN_A_FOLDER(locks_of_the_program),        IN_A_FOLDER(bytes_that_are_missing),
        IN_A_FOLDER(no_room_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
