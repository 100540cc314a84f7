/*
 * checksums.c - bytes of chunks that change behind the back of the library, and the metalayer in
 * which it keeps what they should be.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24, COLUMNS = 8, CHUNK_ROWS = 4, FINGERPRINT_SIZE = 16 };

static tess_storage
at(const char *name, tess_mode mode, tess_checksums checksums)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.mode = mode;
    storage.checksums = checksums;
    return storage;
}

// An array of noise, stored as it is: what is damaged can be read, and is wrong.
static void
create(const tess_storage *storage, tess_layout layout, struct reference *r, tess_array **a)
{
    struct random random;
    tess_params p;
    reference_init(r, 2, (const int64_t[]){ROWS, COLUMNS}, 4);
    random_init(&random, random_seed());
    random_bytes(&random, r->data, reference_size(r));
    tess_params_init(&p);
    p.layout = layout;
    p.typesize = 4;
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = CHUNK_ROWS;
    p.chunkshape[1] = COLUMNS;
    p.blockshape[0] = 2;
    p.blockshape[1] = COLUMNS;
    ok(tess_array_from(storage, &p, r->data, reference_size(r), a, err));
}

static tess_status
read_rows(tess_array *a, int64_t from, int64_t until, tess_error *err)
{
    int32_t items[ROWS * COLUMNS];
    return tess_array_read(a, (const int64_t[]){from, 0}, (const int64_t[]){until, COLUMNS}, items,
                           sizeof items, err);
}

// Whether the text stands in a file.
static bool
holds(const char *path, const char *text)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    bool found = false;
    for (size_t i = 0; i + strlen(text) <= size && !found; i++)
        found = memcmp(bytes + i, text, strlen(text)) == 0;
    free(bytes);
    return found;
}

// A row of the array in its file.
static size_t
find_row(const uint8_t *bytes, size_t size, const struct reference *r, int64_t row)
{
    const size_t row_size = COLUMNS * 4;
    const uint8_t *const items = (const uint8_t *)r->data + (size_t)row * row_size;
    for (size_t i = 0; i + row_size <= size; i++)
        if (memcmp(bytes + i, items, row_size) == 0)
            return i;
    fail_msg("row %d is not in the file as it is", (int)row);
    return 0;
}

static const char *
chunk_file(tess_layout layout, const char *name, int64_t chunk)
{
    static char path[100];
    if (layout == TESS_LAYOUT_CONTIGUOUS)
        return files_path(name);
    snprintf(path, sizeof path, "%s/%08X.chunk", name, (unsigned)chunk);
    return files_path(path);
}

static void
flip(const char *path, size_t at_byte)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    assert_true(at_byte < size);
    bytes[at_byte] ^= 0x10;
    files_write(path, bytes, size);
    free(bytes);
}

static void
set_byte(const char *path, size_t at_byte, uint8_t value)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    assert_true(at_byte < size);
    bytes[at_byte] = value;
    files_write(path, bytes, size);
    free(bytes);
}

static void
check_damaged(const char *name, int64_t row, bool noticed)
{
    tess_storage storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
    const int64_t chunk = row / CHUNK_ROWS;
    tess_error error = {0};
    tess_array *a;
    char text[20];

    ok(tess_array_open(&storage, &a, err));
    assert_int_equal(read_rows(a, row, row + 1, &error), noticed ? TESS_ERR_CORRUPT : TESS_OK);
    if (noticed) {
        snprintf(text, sizeof text, "chunk %d", (int)chunk);
        assert_non_null(strstr(error.message, "checksum"));
        assert_non_null(strstr(error.message, text));
        // Also where another block of the chunk is wanted, and only there.
        const int64_t other = row - row % CHUNK_ROWS + (row % CHUNK_ROWS < 2 ? 2 : 0);
        assert_int_equal(read_rows(a, other, other + 1, NULL), TESS_ERR_CORRUPT);
        assert_int_equal(read_rows(a, 0, ROWS, NULL), TESS_ERR_CORRUPT);
        ok(read_rows(a, 0, chunk * CHUNK_ROWS, err));
        ok(read_rows(a, (chunk + 1) * CHUNK_ROWS, ROWS, err));
    }
    ok(tess_array_close(a, err));
    // Who does not ask is not told.
    storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
    ok(tess_array_open(&storage, &a, err));
    ok(read_rows(a, 0, ROWS, err));
    ok(tess_array_close(a, err));
}

static void
damage_is_noticed(void **state)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        const tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        struct reference r;
        tess_array *a;
        create(&storage, layouts[i], &r, &a);
        ok(tess_array_close(a, err));
        for (int64_t row = 0; row < ROWS; row++) {
            const char *const path = chunk_file(layouts[i], name, row / CHUNK_ROWS);
            size_t size;
            uint8_t *const bytes = files_read(path, &size);
            const size_t place = find_row(bytes, size, &r, row) + (size_t)row % 32;
            free(bytes);
            flip(path, place);
            check_damaged(name, row, true);
            flip(path, place);
        }
        check_damaged(name, 0, false);
        reference_finish(&r);
    }
}

// Bytes that this process has read from files; -1: the system does not say.
static int64_t
bytes_read(void)
{
    FILE *const f = fopen("/proc/self/io", "r");
    char line[100];
    long long n = -1;
    while (f && n < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "rchar: %lld", &n) != 1)
            n = -1;
    if (f)
        fclose(f);
    return n;
}

// Chunks that are compared with their checksums and needed as a whole are read once, whether their
// blocks are stored as they are or have to be decoded.
static void
whole_chunks_are_read_once(void **state)
{
    enum { ITEMS = 1 << 18, ITEM = 4, CHUNKS = 4 };
    uint8_t *const items = malloc((size_t)ITEMS * ITEM), *const now = malloc((size_t)ITEMS * ITEM);
    struct random random;
    tess_params p;
    tess_array *a;

    (void)state;
    assert_non_null(items);
    assert_non_null(now);
    if (bytes_read() < 0)
        skip();
    random_init(&random, random_seed());
    random_bytes(&random, items, (size_t)ITEMS * ITEM);
    memset(items, 0, (size_t)ITEMS * ITEM / 32); // some blocks of the first chunk compress
    tess_params_init(&p);
    p.dtype = "<u4";
    p.ndim = 1;
    p.shape[0] = ITEMS;
    p.chunkshape[0] = ITEMS / CHUNKS;
    p.blockshape[0] = ITEMS / CHUNKS / 4;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        p.layout = i == 0 ? TESS_LAYOUT_CONTIGUOUS : TESS_LAYOUT_SPARSE;
        ok(tess_array_from(&storage, &p, items, (size_t)ITEMS * ITEM, &a, err));
        ok(tess_array_close(a, err));
        storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
        ok(tess_array_open(&storage, &a, err));
        const int64_t start = 0, stop = ITEMS, before = bytes_read();
        ok(tess_array_read(a, &start, &stop, now, (size_t)ITEMS * ITEM, err));
        assert_in_range(bytes_read() - before, ITEMS * ITEM / 2, ITEMS * ITEM * 5 / 4);
        assert_memory_equal(now, items, (size_t)ITEMS * ITEM);
        ok(tess_array_close(a, err));
    }
    free(items);
    free(now);
}

// A chunk that is damaged is not copied as if it were right: a part of it that is written, a copy.
static void
damage_does_not_spread(void **state)
{
    tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    const tess_storage copy = at("copy.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    struct reference r;
    tess_array *a;
    size_t size;

    (void)state;
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(storage.path, &size);
    flip(storage.path, find_row(bytes, size, &r, 9));
    free(bytes);
    for (int i = 0; i < 3; i++) {
        storage.mode = i < 2 ? TESS_MODE_READ : TESS_MODE_UPDATE;
        storage.checksums = i == 0 ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(tess_array_save(a, &copy, TESS_LAYOUT_CONTIGUOUS, NULL), TESS_ERR_CORRUPT);
        assert_int_equal(tess_array_copy(a, &copy, NULL, NULL, NULL), TESS_ERR_CORRUPT);
        assert_int_equal(
            tess_array_concatenate((tess_array *[]){a, a}, 2, 0, &copy, NULL, NULL, NULL),
            TESS_ERR_CORRUPT);
        assert_false(files_exist(copy.path));
        tess_array_discard(a);
    }
    reference_finish(&r);
}

// Changes keep the checksums of what they leave, and make those of what is new.
static void
changes_keep_them(void **state)
{
    tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    struct random random;
    struct reference r;
    tess_array *a;

    (void)state;
    random_init(&random, random_seed());
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    for (int i = 0; i < 60; i++) {
        const int64_t rows = reference_size(&r) > 0 ? r.shape[0] : 0;
        const int64_t from = (int64_t)random_below(&random, (uint64_t)rows);
        const int64_t start[] = {from, (int64_t)random_below(&random, COLUMNS)};
        const int64_t stop[] = {from + 1 + (int64_t)random_below(&random, (uint64_t)(rows - from)),
                                COLUMNS};
        uint32_t items[2 * ROWS * COLUMNS];
        random_bytes(&random, items, sizeof items);
        reference_set(&r, start, stop, items);
        ok(tess_array_write(a, start, stop, items, sizeof items, err));
        if (i % 7 == 0) {
            const int64_t shape[] = {ROWS / 2 + (int64_t)random_below(&random, ROWS), COLUMNS};
            reference_resize(&r, shape);
            ok(tess_array_resize(a, shape, err));
        }
        if (i % 3 > 0)
            continue;
        ok(tess_array_close(a, err));
        storage.mode = TESS_MODE_UPDATE;
        storage.checksums = i % 2 ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        ok(tess_array_open(&storage, &a, err));
        tess_storage again = at("file.b2nd", TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
        tess_array *b;
        ok(tess_array_open(&again, &b, err));
        check_array(b, &r);
        ok(tess_array_close(b, err));
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// What another program changed afterwards has no fingerprint, and is not compared.
static void
others_may_change_files(void **state)
{
    const tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    struct reference r;
    tess_array *a;
    size_t size;

    (void)state;
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    ok(tess_array_close(a, err));
    uint8_t *const bytes = files_read(storage.path, &size);
    memset(bytes + size - FINGERPRINT_SIZE - 1, 0, FINGERPRINT_SIZE + 1);
    bytes[find_row(bytes, size, &r, 9)] ^= 1;
    files_write(storage.path, bytes, size);
    free(bytes);
    ((uint8_t *)r.data)[9 * COLUMNS * 4] ^= 1;

    tess_storage reader = at("file.b2nd", TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
    ok(tess_array_open(&reader, &a, err));
    check_array(a, &r);
    ok(tess_array_close(a, err));
    // What we change in it then has checksums again.
    reader.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&reader, &a, err));
    ((uint8_t *)r.data)[21 * COLUMNS * 4] ^= 1;
    ok(tess_array_write(a, (const int64_t[]){20, 0}, (const int64_t[]){24, COLUMNS},
                        (const uint8_t *)r.data + 20 * COLUMNS * 4, 4 * COLUMNS * 4, err));
    ok(tess_array_close(a, err));
    uint8_t *const now = files_read(storage.path, &size);
    flip(storage.path, find_row(now, size, &r, 21));
    free(now);
    check_damaged("file.b2nd", 21, true);
    reference_finish(&r);
}

static void
metalayer_is_hidden(void **state)
{
    tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    struct reference r;
    tess_array *a;
    tess_info info;
    void *content;
    size_t size;
    char name[8];

    (void)state;
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    for (int i = 0; i < 16; i++) { // with the last one there is no room for it
        assert_true(holds(storage.path, "_tess"));
        assert_int_equal(tess_vlmeta_set(a, "_tess", "x", 1, NULL), TESS_ERR_ARG);
        assert_int_equal(tess_vlmeta_get(a, "_tess", &content, &size, NULL), TESS_ERR_NOT_FOUND);
        assert_int_equal(tess_vlmeta_delete(a, "_tess", NULL), TESS_ERR_NOT_FOUND);
        snprintf(name, sizeof name, "m%d", i);
        ok(tess_vlmeta_set(a, name, name, strlen(name), err));
        ok(tess_array_close(a, err));
        storage.mode = TESS_MODE_UPDATE;
        ok(tess_array_open(&storage, &a, err));
        tess_array_info(a, &info);
        assert_int_equal(info.nvlmetalayers, i + 1);
        assert_string_equal(tess_vlmeta_name(a, i), name);
        assert_null(tess_vlmeta_name(a, i + 1));
    }
    check_file(storage.path, &r);
    ok(tess_vlmeta_delete(a, "m3", err));
    ok(tess_array_close(a, err));
    assert_true(holds(storage.path, "_tess"));

    // Who does not want it does not get it, or loses it.
    storage.checksums = TESS_CHECKSUMS_NONE;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_vlmeta_set(a, "m4", "new", 3, err));
    ok(tess_array_close(a, err));
    const tess_storage saved = at("saved.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_NONE);
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_save(a, &saved, TESS_LAYOUT_CONTIGUOUS, err));
    ok(tess_array_close(a, err));
    assert_false(holds(saved.path, "_tess"));
    check_file(storage.path, &r);
    reference_finish(&r);
}

static void
set_attributes(tess_array *a, int from, int until)
{
    char name[16];
    for (int i = from; i < until; i++) {
        snprintf(name, sizeof name, "m%d", i);
        ok(tess_attr_set_int(a, name, i, err));
    }
}

static void
check_sealed(const char *name, bool sealed)
{
    const tess_storage storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
    tess_verdict verdict;
    tess_array *a;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_int_equal(verdict.sealed, sealed);
    assert_int_equal(sealed ? verdict.nright : verdict.nunknown, verdict.nstored);
    assert_int_equal(verdict.commit > 0, sealed);
    ok(tess_array_close(a, err));
}

// However many attributes there are, up to the most that others can change, each chunk keeps its
// checksum: where the reference to the ledger is no metalayer, it stands beside the ledger.
static void
attributes_leave_checksums(void **state)
{
    static const int counts[] = {14, 15, 16, 15, 16, 0};
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        struct reference r;
        tess_array *a;
        tess_info info;
        create(&storage, layouts[i], &r, &a);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            const int64_t row = (int64_t)k * 3;
            set_attributes(a, 0, counts[k]);
            tess_array_info(a, &info);
            while (info.nvlmetalayers-- > counts[k])
                ok(tess_attr_delete(a, tess_vlmeta_name(a, info.nvlmetalayers), err));
            if (counts[k] == 16)
                assert_int_equal(tess_attr_set_int(a, "one more", 1, NULL), TESS_ERR_LIMIT);
            ok(tess_array_close(a, err));
            check_sealed(name, true);
            const char *const path = chunk_file(layouts[i], name, row / CHUNK_ROWS);
            size_t size;
            uint8_t *const bytes = files_read(path, &size);
            const size_t place = find_row(bytes, size, &r, row);
            free(bytes);
            flip(path, place);
            check_damaged(name, row, true);
            flip(path, place);
            storage.mode = TESS_MODE_UPDATE;
            ok(tess_array_open(&storage, &a, err));
            tess_array_info(a, &info);
            assert_int_equal(info.nvlmetalayers, counts[k]);
        }
        ok(tess_array_close(a, err));
        reference_finish(&r);
    }
}

// Bytes in front of the trailer, the last of a file.
static uint8_t *
in_front_of_trailer(uint8_t *bytes, size_t size)
{
    enum { SIZE_AT_FROM_END = 22, REFERENCE = 48 };
    const uint8_t *const p = bytes + size - SIZE_AT_FROM_END;
    const size_t tail = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
    assert_true(tail + REFERENCE < size);
    assert_memory_equal(bytes + size - tail - REFERENCE, "tess_ref", 8);
    return bytes + size - tail - REFERENCE;
}

// The reference beside the ledger is that of its own commit, or none; and one that is damaged is
// not taken for none.
static void
reference_belongs_to_its_commit(void **state)
{
    enum { REFERENCE = 48 };
    tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    uint8_t stale[REFERENCE];
    struct reference r;
    tess_array *a;
    size_t size;

    (void)state;
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    set_attributes(a, 0, 16);
    ok(tess_array_close(a, err));
    uint8_t *bytes = files_read(storage.path, &size);
    memcpy(stale, in_front_of_trailer(bytes, size), REFERENCE);
    free(bytes);

    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &a, err));
    ok(tess_attr_set_int(a, "m3", 17, err));
    ok(tess_array_close(a, err));
    check_sealed("file.b2nd", true);
    bytes = files_read(storage.path, &size);
    uint8_t *const reference = in_front_of_trailer(bytes, size);
    for (int i = -1; i < REFERENCE; i++) {
        uint8_t own[REFERENCE];
        tess_error error;
        memcpy(own, reference, REFERENCE);
        if (i < 0)
            memcpy(reference, stale, REFERENCE);
        else
            reference[i] ^= 4;
        files_write(storage.path, bytes, size);
        assert_int_equal(tess_array_open(&storage, &a, &error), TESS_ERR_CORRUPT);
        assert_non_null(strstr(error.message, "ledger"));
        memcpy(reference, own, REFERENCE);
    }
    files_write(storage.path, bytes, size);
    check_sealed("file.b2nd", true);

    // Another program's trailer, whatever stands in front of it; our next commit has one again.
    memset(bytes + size - FINGERPRINT_SIZE - 1, 0, FINGERPRINT_SIZE + 1);
    files_write(storage.path, bytes, size);
    free(bytes);
    check_sealed("file.b2nd", false);
    ok(tess_array_open(&storage, &a, err));
    ok(tess_attr_set_int(a, "m3", 18, err));
    ok(tess_array_write(a, (const int64_t[]){0, 0}, (const int64_t[]){ROWS, COLUMNS}, r.data,
                        reference_size(&r), err));
    ok(tess_array_close(a, err));
    check_sealed("file.b2nd", true);
    check_file(storage.path, &r);
    reference_finish(&r);
}

// A commit that leaves all bytes of header and trailer as they were is another one to a reader.
static void
commits_are_told_apart(void **state)
{
    (void)state;
    for (int count = 15; count <= 16; count++) {
        tess_storage storage = at("file.b2nd", TESS_MODE_REPLACE, TESS_CHECKSUMS_WRITE);
        const tess_storage reader = at("file.b2nd", TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
        struct reference r;
        tess_array *a, *b;
        bool changed;
        create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
        set_attributes(a, 0, count);
        ok(tess_array_resize(a, (const int64_t[]){0, COLUMNS}, err));
        ok(tess_array_close(a, err));
        ok(tess_array_open(&reader, &b, err));
        ok(tess_array_refresh(b, &changed, err));
        assert_false(changed);
        storage.mode = TESS_MODE_UPDATE;
        ok(tess_array_open(&storage, &a, err));
        set_attributes(a, 0, 1); // to what it is
        ok(tess_array_close(a, err));
        ok(tess_array_refresh(b, &changed, err));
        assert_true(changed);
        ok(tess_array_close(b, err));
        reference_finish(&r);
    }
}

// -- tess_array_verify()

struct heard {
    int count;
    tess_damage last;
    char message[300], metalayer[32];
};

static void
hear(const tess_damage *damage, void *user)
{
    struct heard *const h = user;
    if (h->count > 0 && damage->chunk >= 0)
        assert_true(damage->chunk > h->last.chunk);
    h->count++;
    h->last = *damage;
    snprintf(h->message, sizeof h->message, "%s", damage->message);
    snprintf(h->metalayer, sizeof h->metalayer, "%s", damage->metalayer ? damage->metalayer : "");
}

static void
verify(const char *name, tess_verdict *verdict, struct heard *heard)
{
    const tess_storage storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
    tess_array *a;
    *heard = (struct heard){0};
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_verify(a, hear, heard, verdict, err));
    ok(tess_array_close(a, err));
    assert_int_equal(verdict->nright + verdict->nunknown + verdict->ndamaged, verdict->nstored);
    assert_int_equal(heard->count, verdict->ndamaged + verdict->nmetalayers +
                                       verdict->header_changed + verdict->checksums_damaged);
}

static void
verify_finds_damage(void **state)
{
    enum { CHUNKS = ROWS / CHUNK_ROWS };
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        const tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        const int64_t grown[] = {ROWS + 6, COLUMNS};
        struct reference r;
        struct heard heard;
        tess_verdict verdict;
        tess_array *a;
        create(&storage, layouts[i], &r, &a);
        ok(tess_array_resize(a, grown, err)); // chunks that are not stored
        ok(tess_vlmeta_set(a, "note", "some text", 9, err));
        // What is not committed yet counts, too.
        ok(tess_array_write(a, (const int64_t[]){ROWS, 0}, (const int64_t[]){ROWS + 1, 1}, "item",
                            4, err));
        ok(tess_array_verify(a, NULL, NULL, &verdict, err));
        assert_int_equal(verdict.nright, CHUNKS + 1);
        ok(tess_array_close(a, err));
        verify(name, &verdict, &heard);
        assert_int_equal(verdict.nstored, CHUNKS + 1);
        assert_int_equal(verdict.nright, CHUNKS + 1);
        assert_true(verdict.sealed && !verdict.header_changed && verdict.commit >= 2);

        for (int64_t row = 0; row < ROWS; row += 3) {
            const char *const path = chunk_file(layouts[i], name, row / CHUNK_ROWS);
            size_t size;
            uint8_t *const bytes = files_read(path, &size);
            const size_t place = find_row(bytes, size, &r, row);
            free(bytes);
            flip(path, place);
            verify(name, &verdict, &heard);
            assert_int_equal(verdict.ndamaged, 1);
            assert_int_equal(heard.last.chunk, row / CHUNK_ROWS);
            assert_int_equal(heard.last.status, TESS_ERR_CORRUPT);
            assert_int_equal(heard.last.ndim, 2);
            assert_int_equal(heard.last.start[0], row - row % CHUNK_ROWS);
            assert_int_equal(heard.last.stop[0], row - row % CHUNK_ROWS + CHUNK_ROWS);
            assert_int_equal(heard.last.start[1], 0);
            assert_int_equal(heard.last.stop[1], COLUMNS);
            assert_non_null(strstr(heard.message, "checksum"));
            flip(path, place);
        }
        if (layouts[i] == TESS_LAYOUT_SPARSE) {
            files_remove(chunk_file(layouts[i], name, 2));
            verify(name, &verdict, &heard);
            assert_int_equal(verdict.ndamaged, 1);
            assert_int_equal(heard.last.status, TESS_ERR_IO);
            assert_int_equal(heard.last.chunk, 2);
        }
        reference_finish(&r);
    }
}

// Of what others wrote last, metalayers are decoded, and who changed the header only is known.
static void
verify_knows_others(void **state)
{
    const tess_storage storage = at("file.b2nd", TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
    struct reference r;
    struct heard heard;
    tess_verdict verdict;
    tess_array *a;
    size_t size;

    (void)state;
    create(&storage, TESS_LAYOUT_CONTIGUOUS, &r, &a);
    ok(tess_vlmeta_set(a, "note", "some text", 9, err));
    tess_array *view;
    ok(tess_array_view_permute(a, (const int[]){1, 0}, &view, err));
    assert_int_equal(tess_array_verify(view, NULL, NULL, &verdict, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_array_verify(a, NULL, NULL, NULL, NULL), TESS_ERR_ARG);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));

    flip(storage.path, 64); // threads of the writer, which mean nothing
    verify("file.b2nd", &verdict, &heard);
    assert_true(verdict.sealed && verdict.header_changed);
    assert_int_equal(verdict.nright, verdict.nstored);
    assert_int_equal(heard.last.of, TESS_DAMAGED_HEADER);
    assert_non_null(strstr(heard.message, "byte 64"));

    uint8_t *const bytes = files_read(storage.path, &size);
    memset(bytes + size - FINGERPRINT_SIZE - 1, 0, FINGERPRINT_SIZE + 1);
    files_write(storage.path, bytes, size);
    verify("file.b2nd", &verdict, &heard);
    assert_false(verdict.sealed);
    assert_int_equal(verdict.commit, 0);
    assert_int_equal(verdict.nunknown, verdict.nstored);
    size_t text = size;
    while (text > 0 && memcmp(bytes + text - 1, "some text", 9) != 0)
        text--;
    assert_true(text > 0);
    bytes[text - 1 - 32 + 4] ^= 1; // the size in the header of the metalayer's chunk
    files_write(storage.path, bytes, size);
    free(bytes);
    verify("file.b2nd", &verdict, &heard);
    assert_int_equal(verdict.nmetalayers, 1);
    assert_string_equal(heard.metalayer, "note");
    assert_int_equal(heard.last.chunk, -1);
    reference_finish(&r);
}

// Where bytes stand in a file, for the first time.
static size_t
find_bytes(const char *path, const void *what, size_t what_size)
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

// A shape within the chunks: another program's, or a flipped bit. The next commit confirms it.
static void
verify_tells_both_readings(void **state)
{
    static const uint8_t rows[] = {0xd3, 0, 0, 0, 0, 0, 0, 0, ROWS};
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        char path[200];
        struct reference r;
        struct heard heard;
        tess_verdict verdict;
        tess_array *a;
        create(&storage, layouts[i], &r, &a);
        ok(tess_array_close(a, err));
        snprintf(path, sizeof path, "%s%s", files_path(name), i == 0 ? "" : "/chunks.b2frame");
        set_byte(path, find_bytes(path, rows, sizeof rows) + 8, ROWS - 1);
        verify(name, &verdict, &heard);
        assert_true(verdict.sealed && verdict.header_changed);
        assert_int_equal(verdict.nright, verdict.nstored);
        assert_int_equal(heard.last.of, TESS_DAMAGED_HEADER);
        assert_non_null(strstr(heard.message, "24x8 as committed, 23x8 as it stands"));
        storage = at(name, TESS_MODE_UPDATE, TESS_CHECKSUMS_WRITE);
        ok(tess_array_open(&storage, &a, err));
        ok(tess_vlmeta_set(a, "note", "some text", 9, err));
        ok(tess_array_close(a, err));
        verify(name, &verdict, &heard);
        assert_true(verdict.sealed && !verdict.header_changed);
        assert_int_equal(heard.count, 0);
        reference_finish(&r);
    }
}

// Damaged checksums: items can be read, and not be confirmed; nothing is written over them.
static void
verify_knows_damaged_checksums(void **state)
{
    static const uint8_t head[] = {0x9e, 0xa8, 0, '2', 'f', 'r', 'a', 'm', 'e', 0};
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const name = i == 0 ? "file.b2nd" : "folder.b2nd";
        const char *const new_name = i == 0 ? "new.b2nd" : "new";
        tess_storage storage = at(name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        char path[200];
        tess_repair_report report;
        struct reference r;
        struct heard heard;
        tess_verdict verdict;
        tess_array *a;
        create(&storage, layouts[i], &r, &a);
        ok(tess_array_close(a, err));
        snprintf(path, sizeof path, "%s%s", files_path(name), i == 0 ? "" : "/chunks.b2frame");
        flip(path, find_bytes(path, head, sizeof head) + 60); // of the copy of the header
        verify(name, &verdict, &heard);
        assert_true(verdict.sealed && verdict.checksums_damaged);
        assert_int_equal(verdict.nunknown, verdict.nstored);
        assert_int_equal(heard.last.of, TESS_DAMAGED_CHECKSUMS);
        storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_VERIFY);
        refused(TESS_ERR_CORRUPT, tess_array_open(&storage, &a, err));
        storage = at(name, TESS_MODE_UPDATE, TESS_CHECKSUMS_WRITE);
        ok(tess_array_open(&storage, &a, err));
        check_array(a, &r);
        ok(tess_array_write(a, (const int64_t[]){0, 0}, (const int64_t[]){4, COLUMNS}, r.data,
                            4 * COLUMNS * 4, err));
        refused(TESS_ERR_CORRUPT, tess_array_flush(a, err));
        tess_array_discard(a);
        storage = at(name, TESS_MODE_READ, TESS_CHECKSUMS_WRITE);
        const tess_storage mended = at(new_name, TESS_MODE_NEW, TESS_CHECKSUMS_WRITE);
        ok(tess_repair(&storage, &mended, NULL, &report, err));
        assert_true(report.checksums_damaged && !report.checked && report.nlost == 0);
        check_file(files_path(new_name), &r);
        reference_finish(&r);
    }
}

static void
check_one(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    tess_verdict verdict;
    tess_error error;
    (void)ref;
    if (tess_array_verify(a, hear, user, &verdict, &error) != TESS_OK)
        fail_msg("%s: %s", name, error.message);
    if (((struct heard *)user)->count > 0)
        fail_msg("%s: %s", name, ((struct heard *)user)->message);
    assert_int_equal(verdict.nunknown, verdict.nstored);
    assert_false(verdict.sealed);
}

static void
verify_reads_all_files(void **state)
{
    struct heard heard = {0};
    (void)state;
    check_golden_files(check_one, &heard);
}

enum outcome { EQUAL, OTHER, REFUSED };

// Open an image, read and verify all of it. *told: verify says that something is wrong, or it does
// not open.
static enum outcome
read_image(const uint8_t *image, size_t size, const struct reference *r, bool *told)
{
    struct heard heard = {0};
    int32_t items[10 * 12];
    tess_verdict verdict;
    tess_storage storage;
    tess_array *a;
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    *told = true;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return REFUSED;
    const bool read =
        tess_array_read(a, (const int64_t[]){0, 0}, r->shape, items, sizeof items, NULL) == TESS_OK;
    ok(tess_array_verify(a, hear, &heard, &verdict, err));
    *told = heard.count > 0;
    assert_int_equal(verdict.fine, !*told);
    assert_int_equal(heard.count, verdict.ndamaged + verdict.nuntried + verdict.nmetalayers);
    assert_int_equal(verdict.nright + verdict.nunknown + verdict.ndamaged + verdict.nuntried,
                     verdict.nstored);
    ok(tess_array_close(a, err));
    return !read ? REFUSED : memcmp(items, r->data, reference_size(r)) == 0 ? EQUAL : OTHER;
}

// Each bit of what stands between header and index is flipped in turn. With checksums verify tells
// all that matters; without them, at least what a read refuses.
static void
verify_refuses_what_reads_refuse(void **state)
{
    enum { HEADER_LEN_AT = 11 };
    static const tess_checksums kinds[] = {TESS_CHECKSUMS_WRITE, TESS_CHECKSUMS_NONE};
    struct reference r;
    (void)state;
    reference_init(&r, 2, (const int64_t[]){10, 12}, 4);
    for (int i = 0; i < 10 * 12; i++)
        ((int32_t *)(void *)r.data)[i] = i / 5;
    for (int kind = 0; kind < 2; kind++) {
        const tess_storage storage = at("file.b2nd", TESS_MODE_REPLACE, kinds[kind]);
        int64_t counts[REFUSED + 1] = {0};
        tess_info info;
        tess_params p;
        tess_array *a;
        size_t size;
        bool told;
        tess_params_init(&p);
        p.dtype = "<i4";
        p.ndim = 2;
        p.shape[0] = 10;
        p.shape[1] = 12;
        p.codec = TESS_CODEC_LZ4;
        ok(tess_array_from(&storage, &p, r.data, reference_size(&r), &a, err));
        tess_array_info(a, &info);
        ok(tess_array_close(a, err));
        uint8_t *const image = files_read(storage.path, &size);
        assert_true(read_image(image, size, &r, &told) == EQUAL && !told);
        const size_t begin = image[HEADER_LEN_AT + 2] * 256u + image[HEADER_LEN_AT + 3];
        for (size_t bit = 8 * begin; bit < 8 * (begin + (size_t)info.cbytes); bit++) {
            image[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const enum outcome outcome = read_image(image, size, &r, &told);
            if (!told && (outcome == REFUSED || (outcome == OTHER && kind == 0)))
                fail_msg("bit %zu of byte %zu: not told", bit % 8, bit / 8 - begin);
            counts[outcome]++;
            image[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_true(counts[EQUAL] > 0 && counts[OTHER] > 0 && counts[REFUSED] > 0);
        free(image);
    }
    reference_finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(damage_is_noticed),
        IN_A_FOLDER(whole_chunks_are_read_once),
        IN_A_FOLDER(damage_does_not_spread),
        IN_A_FOLDER(changes_keep_them),
        IN_A_FOLDER(others_may_change_files),
        IN_A_FOLDER(metalayer_is_hidden),
        IN_A_FOLDER(attributes_leave_checksums),
        IN_A_FOLDER(reference_belongs_to_its_commit),
        IN_A_FOLDER(commits_are_told_apart),
        IN_A_FOLDER(verify_finds_damage),
        IN_A_FOLDER(verify_knows_others),
        IN_A_FOLDER(verify_tells_both_readings),
        IN_A_FOLDER(verify_knows_damaged_checksums),
        IN_A_FOLDER(verify_reads_all_files),
        IN_A_FOLDER(verify_refuses_what_reads_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
