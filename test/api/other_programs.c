/*
 * other_programs.c - what other programs do to a file of ours, done byte by byte: a header that
 * they change alone, and chunks that they replace without a trace in header, index or trailer.
 *
 * c-blosc2 writes a header as a whole, with zeros in its reserved bytes, and a trailer without our
 * fingerprint.
 */
#include "support/files.h"

#include <tessera.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    ROWS = 16,
    COLUMNS = 8,
    CHUNK_ROWS = 4,
    NOTE_SIZE = 400,
    SECTOR = 512,
    MARK_AT = 86, // lib/tessera/frame/format/header.h
    FINGERPRINT_SIZE = 17, // with its type
};

static tess_storage
at(const char *name, tess_mode mode)
{
    static char path[200]; // stays, for all storages of a test
    tess_storage storage;
    tess_storage_init(&storage);
    snprintf(path, sizeof path, "%s", files_path(name));
    storage.path = path;
    storage.mode = mode;
    return storage;
}

// Items that are stored as they are; the value of each is its number. Notes of NOTE_SIZE bytes.
static void
create(const tess_storage *storage, tess_layout layout, char letter, int nnotes)
{
    int32_t items[ROWS * COLUMNS];
    char note[NOTE_SIZE];
    const tess_metalayer notes[] = {{"one", note, sizeof note}, {"two", note, sizeof note}};
    tess_params p;
    tess_array *a;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        items[i] = i;
    memset(note, letter, sizeof note);
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
    p.clevel = 0;
    p.metalayers = notes;
    p.nmetalayers = nnotes;
    ok(tess_array_from(storage, &p, items, sizeof items, &a, err));
    ok(tess_array_close(a, err));
}

// Write over bytes of a file in its place.
static void
patch(const char *path, size_t where, const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, (off_t)where), size);
    assert_int_equal(close(fd), 0);
}

// Where bytes stand in a file, for the first time.
static size_t
find(const char *path, const void *what, size_t what_size)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    for (size_t i = 0; i + what_size <= size; i++)
        if (memcmp(bytes + i, what, what_size) == 0) {
            free(bytes);
            return i;
        }
    fail_msg("%s: the bytes are not there", path);
    return 0;
}

// The state of the file or directory is another program's: no fingerprint.
static void
disown(const char *path)
{
    static const uint8_t zeros[FINGERPRINT_SIZE];
    size_t size;
    free(files_read(path, &size));
    patch(path, size - sizeof zeros, zeros, sizeof zeros);
}

// Clocks of file systems count in steps of a few milliseconds.
static void
let_time_pass(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
}

static void
check_note(char letter)
{
    tess_storage storage = at("array.b2nd", TESS_MODE_READ);
    tess_metalayer two;
    tess_array *a;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_meta_get(a, "two", &two, err));
    assert_int_equal(two.size, NOTE_SIZE);
    for (size_t i = 0; i < two.size; i++)
        assert_int_equal(((const char *)two.content)[i], letter);
    ok(tess_array_close(a, err));
}

// Another program puts a metalayer beyond the first sector back to what it was one commit ago.
static void
header_put_back(void **state)
{
    static const uint8_t reserved = 0;
    tess_storage storage = at("array.b2nd", TESS_MODE_NEW);
    char before[NOTE_SIZE], after[NOTE_SIZE];
    tess_verdict verdict;
    tess_array *a;
    int32_t item = 7;
    (void)state;
    memset(before, 'a', sizeof before);
    memset(after, 'b', sizeof after);
    create(&storage, TESS_LAYOUT_CONTIGUOUS, 'a', 2);
    const size_t one = find(storage.path, before, sizeof before);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_meta_set(a, "two", after, sizeof after, err));
    ok(tess_array_close(a, err));
    check_note('b');

    // A write of ours that lacks some sectors is completed from the ledger,
    const size_t two = find(storage.path, after, sizeof after);
    assert_true(one < SECTOR && two > SECTOR && two + sizeof after <= 2 * SECTOR);
    patch(storage.path, two, before, sizeof before);
    check_note('b');
    // the same bytes are right if another program wrote the whole header.
    patch(storage.path, MARK_AT, &reserved, 1);
    check_note('a');

    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_write(a, (const int64_t[]){0, 0}, (const int64_t[]){1, 1}, &item, sizeof item,
                        err));
    ok(tess_array_close(a, err));
    check_note('a');
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_true(verdict.sealed && !verdict.header_changed);
    assert_int_equal(verdict.nright, verdict.nstored);
    ok(tess_array_close(a, err));
}

static int32_t
read_item(tess_array *a, int64_t row, tess_status want)
{
    int32_t item = -1;
    tess_error err = {0};
    const tess_status st = tess_array_read(a, (const int64_t[]){row, 0},
                                           (const int64_t[]){row + 1, 1}, &item, sizeof item, &err);
    if (st != want)
        fail_msg("%s instead of %s: %s", tess_status_name(st), tess_status_name(want), err.message);
    return item;
}

// Where an item is stored.
static const char *
place_of(tess_layout layout, int64_t row, size_t *where)
{
    static char name[100];
    int32_t items[COLUMNS];
    const char *path = files_path("array.b2nd");
    for (int i = 0; i < COLUMNS; i++)
        items[i] = (int32_t)(row * COLUMNS + i);
    if (layout == TESS_LAYOUT_SPARSE) {
        snprintf(name, sizeof name, "array.b2nd/%08X.chunk", (unsigned)(row / CHUNK_ROWS));
        path = files_path(name);
    }
    *where = find(path, items, sizeof items);
    return path;
}

static const char *
index_file(tess_layout layout)
{
    return files_path(layout == TESS_LAYOUT_SPARSE ? "array.b2nd/chunks.b2frame" : "array.b2nd");
}

// A chunk is replaced by one of the same size. An index file in a directory is written again then.
static void
replace_chunk(tess_layout layout, int64_t row, int32_t item)
{
    size_t where;
    uint8_t first;
    const char *const path = place_of(layout, row, &where);
    let_time_pass();
    patch(path, where, &item, sizeof item);
    const char *const index = index_file(layout);
    size_t size;
    uint8_t *const bytes = files_read(index, &size);
    first = bytes[0];
    free(bytes);
    patch(index, 0, &first, 1);
}

static void
replaced_chunks_are_noticed(void **state)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        tess_storage storage = at("array.b2nd", TESS_MODE_NEW);
        tess_array *a, *writer;
        bool changed;
        int32_t item = 5;
        create(&storage, layouts[i], 'a', 0);
        disown(index_file(layouts[i]));
        let_time_pass();
        storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(read_item(a, 8, TESS_OK), 8 * COLUMNS);
        assert_int_equal(read_item(a, 8, TESS_OK), 8 * COLUMNS); // from the cache, perhaps
        replace_chunk(layouts[i], 8, 1000);
        read_item(a, 8, TESS_ERR_STALE);
        ok(tess_array_refresh(a, &changed, err));
        assert_true(changed);
        assert_int_equal(read_item(a, 8, TESS_OK), 1000);
        // With a state of another program, refreshing looks at everything anew.
        ok(tess_array_refresh(a, &changed, err));
        assert_true(changed);
        ok(tess_array_close(a, err));

        // A writer does not put its blocks over what it has not seen.
        storage.mode = TESS_MODE_UPDATE;
        ok(tess_array_open(&storage, &writer, err));
        assert_int_equal(read_item(writer, 8, TESS_OK), 1000);
        ok(tess_array_write(writer, (const int64_t[]){9, 0}, (const int64_t[]){10, 1}, &item,
                            sizeof item, err));
        replace_chunk(layouts[i], 12, 2000);
        refused(TESS_ERR_STALE, tess_array_flush(writer, err));
        tess_array_discard(writer);
        ok(tess_array_open(&storage, &writer, err));
        assert_int_equal(read_item(writer, 12, TESS_OK), 2000);
        assert_int_equal(read_item(writer, 9, TESS_OK), 9 * COLUMNS);
        ok(tess_array_write(writer, (const int64_t[]){9, 0}, (const int64_t[]){10, 1}, &item,
                            sizeof item, err));
        ok(tess_array_close(writer, err));
        storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(read_item(a, 9, TESS_OK), 5);
        ok(tess_array_refresh(a, &changed, err)); // ours again
        assert_false(changed);
        ok(tess_array_close(a, err));
        files_remove(storage.path);
    }
}

// Items that are written and equal those there were change nothing; but another program may have
// put others in their place, which this one would say to have overwritten.
static void
equal_items(void **state)
{
    static const int32_t zeros[CHUNK_ROWS * COLUMNS];
    static const int64_t start[] = {0, 0}, stop[] = {CHUNK_ROWS, COLUMNS};
    tess_storage storage = at("array.b2nd", TESS_MODE_NEW);
    char after[NOTE_SIZE], before[NOTE_SIZE];
    tess_array *a;
    (void)state;
    memset(before, 'a', sizeof before);
    memset(after, 'b', sizeof after);
    create(&storage, TESS_LAYOUT_CONTIGUOUS, 'a', 1);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_write(a, start, stop, zeros, sizeof zeros, err));
    ok(tess_array_flush(a, err));
    ok(tess_array_write(a, start, stop, zeros, sizeof zeros, err));
    ok(tess_array_flush(a, err)); // nothing happened meanwhile
    patch(storage.path, find(storage.path, before, sizeof before), after, sizeof after);
    ok(tess_array_flush(a, err)); // nothing was written since
    ok(tess_array_write(a, start, stop, zeros, sizeof zeros, err));
    refused(TESS_ERR_STALE, tess_array_flush(a, err));
    refused(TESS_ERR_STALE, tess_array_flush(a, err));
    assert_int_equal(tess_array_close(a, NULL), TESS_ERR_STALE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(header_put_back),
        IN_A_FOLDER(replaced_chunks_are_noticed),
        IN_A_FOLDER(equal_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
