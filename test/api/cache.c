/*
 * cache.c - decoded blocks that an array keeps: what is read again, what waits to be written.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum {
    ROWS = 60,
    COLUMNS = 50,
    BLOCKSIZE = 10 * 10 * 4,
    BLOCKS = 6 * 6, // the last ones with padding
};

static const int64_t shape[] = {ROWS, COLUMNS};

static tess_storage
at(const char *name, tess_mode mode, const tess_context *context)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = name ? files_path(name) : NULL;
    storage.mode = mode;
    storage.context = context;
    return storage;
}

static tess_context
budget(int64_t bytes)
{
    tess_context context;
    tess_context_init(&context);
    context.cache = bytes;
    return context;
}

// Noise in chunks of 30 x 20 items, in blocks of 10 x 10.
static tess_array *
make(const char *name, const tess_context *context, struct reference *r, uint64_t seed)
{
    const tess_storage storage = at(name, TESS_MODE_NEW, context);
    struct random random;
    tess_params p;
    tess_array *a = NULL;

    reference_init(r, 2, shape, 4);
    random_init(&random, seed);
    random_bytes(&random, r->data, reference_size(r));
    tess_params_init(&p);
    p.ndim = 2;
    p.dtype = "<i4";
    for (int i = 0; i < 2; i++) {
        p.shape[i] = shape[i];
        p.chunkshape[i] = i == 0 ? 30 : 20;
        p.blockshape[i] = 10;
    }
    ok(tess_array_from(&storage, &p, r->data, reference_size(r), &a, err));
    return a;
}

static tess_info
info_of(const tess_array *a)
{
    tess_info info;
    tess_array_info(a, &info);
    return info;
}

// A box of both, of new items.
static void
set_box(tess_array *a, struct reference *r, const int64_t *start, const int64_t *stop,
        struct random *random)
{
    const size_t size = reference_box_size(r, start, stop);
    uint8_t *const items = malloc(size);
    assert_non_null(items);
    random_bytes(random, items, size);
    ok(tess_array_write(a, start, stop, items, size, err));
    reference_set(r, start, stop, items);
    free(items);
}

static void
set_row(tess_array *a, struct reference *r, int64_t row, struct random *random)
{
    set_box(a, r, (int64_t[]){row, 0}, (int64_t[]){row + 1, COLUMNS}, random);
}

static void
reading_rows(void **state)
{
    const tess_context context = budget(BLOCKS * BLOCKSIZE);
    struct reference r;
    int32_t row[COLUMNS];

    (void)state;
    tess_array *const a = make(NULL, &context, &r, 1);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t start[] = {i, 0}, stop[] = {i + 1, COLUMNS};
        ok(tess_array_read(a, start, stop, row, sizeof row, err));
        assert_memory_equal(row, r.data + (size_t)i * sizeof row, sizeof row);
    }
    // A block is missed by the first row, kept by the second and found by eight.
    const tess_info info = info_of(a);
    const int blocks = ROWS / 10 * COLUMNS / 10;
    assert_int_equal(info.cache_misses, 2 * blocks);
    assert_int_equal(info.cache_hits, 8 * blocks);
    assert_int_equal(info.cache_used, blocks * BLOCKSIZE);
    assert_int_equal(info.cache_evictions, 0);
    assert_int_equal(info.cache_dirty, 0);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Whoever reads all has no use for the cache.
static void
reading_all(void **state)
{
    struct reference r;

    (void)state;
    tess_array *const a = make(NULL, NULL, &r, 2);
    check_array(a, &r);
    check_array(a, &r);
    assert_int_equal(info_of(a).cache_used, 0);
    assert_int_equal(info_of(a).cache_misses, 0);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// With room for a third of the blocks, reading down the columns, all the same right.
static void
evictions(void **state)
{
    const tess_context context = budget(BLOCKS / 3 * BLOCKSIZE);
    struct reference r;

    (void)state;
    tess_array *const a = make(NULL, &context, &r, 3);
    for (int round = 0; round < 4; round++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            int32_t got[ROWS], want[ROWS];
            const int64_t start[] = {0, j}, stop[] = {ROWS, j + 1};
            ok(tess_array_read(a, start, stop, got, sizeof got, err));
            reference_get(&r, start, stop, want);
            assert_memory_equal(got, want, sizeof want);
            assert_true(info_of(a).cache_used <= context.cache);
        }
    assert_true(info_of(a).cache_evictions > 0);
    assert_true(info_of(a).cache_hits > 0);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Points all over the array, in one call and again and again, do not push out the blocks that a
// program comes back to, and nor do boxes.
static void
picks_beside(void **state)
{
    enum { NPOINTS = 200 };
    const tess_context context = budget(BLOCKS / 3 * BLOCKSIZE);
    static int64_t points[2 * NPOINTS];
    static int32_t items[ROWS * COLUMNS];
    struct reference r;
    struct random random;

    (void)state;
    random_init(&random, 11);
    tess_array *const a = make(NULL, &context, &r, 11);
    for (int round = 0; round < 20; round++) {
        const int64_t misses = info_of(a).cache_misses;
        for (int i = 0; i < 3; i++) // the same five blocks
            ok(tess_array_read(a, (int64_t[]){7 + i, 0}, (int64_t[]){8 + i, COLUMNS}, items,
                               sizeof items, err));
        if (round > 0)
            assert_int_equal(info_of(a).cache_misses, misses);
        for (int i = 0; i < 2 * NPOINTS; i++)
            points[i] = (int64_t)random_below(&random, i % 2 == 0 ? ROWS : COLUMNS);
        ok(tess_array_get_points(a, NPOINTS, points, items, sizeof items, err));
        for (int i = 0; i < NPOINTS; i++)
            assert_memory_equal(&items[i],
                                r.data + (points[2 * i] * COLUMNS + points[2 * i + 1]) * 4, 4);
        ok(tess_array_read(a, (int64_t[]){1, 1}, (int64_t[]){ROWS - 1, COLUMNS - 1}, items,
                           sizeof items, err));
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Rows wait in memory; who else has the file sees them once they are committed.
static void
writing_rows(void **state)
{
    const tess_storage reading = at("a", TESS_MODE_READ, NULL);
    struct reference r, committed;
    struct random random;
    tess_array *other = NULL;

    (void)state;
    random_init(&random, 4);
    tess_array *const a = make("a", NULL, &r, 4);
    reference_copy(&committed, &r);
    for (int64_t i = 0; i < ROWS; i++)
        set_row(a, &r, i, &random);
    assert_int_equal(info_of(a).cache_dirty, ROWS / 10 * COLUMNS / 10 * BLOCKSIZE);
    check_array(a, &r);
    ok(tess_array_open(&reading, &other, err));
    check_array(other, &committed);
    ok(tess_array_close(other, err));

    ok(tess_array_flush(a, err));
    assert_int_equal(info_of(a).cache_dirty, 0);
    check_file(files_path("a"), &r);
    set_row(a, &r, 7, &random);
    assert_int_equal(info_of(a).cache_dirty, COLUMNS / 10 * BLOCKSIZE);
    ok(tess_array_close(a, err));
    check_file(files_path("a"), &r);
    reference_finish(&committed);
    reference_finish(&r);
}

static void
discarded(void **state)
{
    struct reference r, committed;
    struct random random;

    (void)state;
    random_init(&random, 5);
    tess_array *const a = make("a", NULL, &r, 5);
    reference_copy(&committed, &r);
    set_row(a, &r, 3, &random);
    check_array(a, &r);
    tess_array_discard(a);
    check_file(files_path("a"), &committed);
    reference_finish(&committed);
    reference_finish(&r);
}

// Random small boxes, through caches of all sizes, with all that has to know of what waits.
static void
small_writes(void **state)
{
    static const int64_t sizes[] = {0, 4, 7, 13, 24, 1000}; // blocks

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const tess_context context = budget(sizes[k] * BLOCKSIZE);
        struct reference r;
        struct random random;
        tess_chunk_info chunk;
        void *image = NULL;
        size_t size;

        random_init(&random, 6 + k);
        tess_array *const a = make("a", &context, &r, 6 + k);
        for (int i = 0; i < 400; i++) {
            const int64_t row = (int64_t)random_below(&random, ROWS);
            const int64_t column = (int64_t)random_below(&random, COLUMNS);
            const int64_t rows = 1 + (int64_t)random_below(&random, 6);
            const int64_t columns = 1 + (int64_t)random_below(&random, 6);
            const int64_t start[] = {row, column};
            const int64_t stop[] = {row + rows < ROWS ? row + rows : ROWS,
                                    column + columns < COLUMNS ? column + columns : COLUMNS};
            set_box(a, &r, start, stop, &random);
            assert_true(info_of(a).cache_used <= context.cache);
            if (sizes[k] == 0)
                assert_int_equal(info_of(a).cache_dirty, 0);
            if (i % 50 == 49)
                check_array(a, &r);
            if (i == 150) {
                ok(tess_array_to_image(a, &image, &size, err));
                tess_free(image);
                assert_int_equal(info_of(a).cache_dirty, 0);
            }
            if (i == 250) {
                ok(tess_array_chunk(a, 1, &chunk, err));
                assert_int_equal(info_of(a).cache_dirty, 0);
            }
        }
        ok(tess_array_close(a, err));
        check_file(files_path("a"), &r);
        files_remove(files_path("a"));
        reference_finish(&r);
    }
}

// Zeros that nothing was written to have no blocks; some of theirs wait.
static void
parts_of_zeros(void **state)
{
    const tess_storage storage = at(NULL, TESS_MODE_NEW, NULL);
    struct reference r;
    struct random random;
    tess_params p;
    tess_array *a = NULL;

    (void)state;
    random_init(&random, 7);
    reference_init(&r, 2, shape, 4);
    tess_params_init(&p);
    p.ndim = 2;
    p.dtype = "<i4";
    memcpy(p.shape, shape, sizeof shape);
    p.chunkshape[0] = p.chunkshape[1] = 30;
    p.blockshape[0] = p.blockshape[1] = 10;
    ok(tess_array_zeros(&storage, &p, &a, err));
    set_row(a, &r, 12, &random);
    set_row(a, &r, 13, &random);
    check_array(a, &r);
    ok(tess_array_flush(a, err));
    check_array(a, &r);
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// Rows that make a chunk one item again and again: it needs no blocks. So do edge chunks, whose
// blocks have padding.
static void
constant_rows(void **state)
{
    struct reference r;
    int32_t row[COLUMNS];

    (void)state;
    tess_array *const a = make(NULL, NULL, &r, 10);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t start[] = {i, 0}, stop[] = {i + 1, COLUMNS};
        for (int j = 0; j < COLUMNS; j++)
            row[j] = i < 30 ? 0 : j < 40 ? 77 : 78;
        if (i == 59)
            row[0] = 1;
        ok(tess_array_write(a, start, stop, row, sizeof row, err));
        reference_set(&r, start, stop, row);
    }
    ok(tess_array_flush(a, err));
    check_array(a, &r);
    static const tess_chunk_kind kinds[] = {TESS_CHUNK_ZEROS,  TESS_CHUNK_ZEROS, TESS_CHUNK_ZEROS,
                                            TESS_CHUNK_BLOCKS, TESS_CHUNK_VALUE, TESS_CHUNK_VALUE};
    for (int64_t n = 0; n < 6; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        assert_int_equal(chunk.kind, kinds[n]);
    }
    ok(tess_array_close(a, err));
    reference_finish(&r);
}

// A chunk of one value is overwritten with zeros: it is stored without blocks, the block in the
// cache still has the value in its padding. What the array grows by is zeros all the same.
static void
padding_of_a_constant(void **state)
{
    const tess_storage storage = at(NULL, TESS_MODE_NEW, NULL);
    const int32_t seven = 7, zero = 0, want[4] = {0};
    int32_t got[4];
    tess_params p;
    tess_array *a = NULL;

    (void)state;
    tess_params_init(&p);
    p.ndim = 1;
    p.dtype = "<i4";
    p.chunkshape[0] = 78;
    p.blockshape[0] = 38;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_append(a, 0, 1, &seven, sizeof seven, NULL, err));
    ok(tess_array_write(a, (int64_t[]){0}, (int64_t[]){1}, &zero, sizeof zero, err));
    ok(tess_array_resize(a, (int64_t[]){4}, err));
    ok(tess_array_read(a, (int64_t[]){0}, (int64_t[]){4}, got, sizeof got, err));
    assert_memory_equal(got, want, sizeof want);
    ok(tess_array_close(a, err));
}

// What waits, when the shape changes: rows are appended, axes grow and shrink.
static void
shapes(void **state)
{
    struct reference r;
    struct random random;
    int32_t row[COLUMNS];

    (void)state;
    random_init(&random, 8);
    tess_array *const a = make("a", NULL, &r, 8);
    for (int i = 0; i < 45; i++) {
        set_row(a, &r, (int64_t)random_below(&random, (uint64_t)r.shape[0]), &random);
        random_bytes(&random, (uint8_t *)row, sizeof row);
        ok(tess_array_append(a, 0, 1, row, sizeof row, NULL, err));
        reference_append(&r, 0, 1, row);
    }
    assert_true(info_of(a).cache_dirty > 0);
    check_array(a, &r);
    static const int64_t next[][2] = {{97, 50}, {110, 50}, {33, 50}, {61, 50}, {61, 83}, {61, 50}};
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        set_row(a, &r, 20, &random);
        set_row(a, &r, r.shape[0] - 1, &random);
        if (next[i][1] != r.shape[1] || r.shape[1] != COLUMNS) {
            const int64_t start[] = {5, 0}, stop[] = {6, r.shape[1]};
            set_box(a, &r, start, stop, &random);
        }
        ok(tess_array_resize(a, next[i], err));
        reference_resize(&r, next[i]);
        check_array(a, &r);
    }
    ok(tess_array_close(a, err));
    check_file(files_path("a"), &r);
    reference_finish(&r);
}

// No file may be longer than that.
static void
limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// The disk is full when blocks are written back: flush says so, nothing is lost, and the file holds
// the last commit until flush can do it.
static void
write_back_fails(void **state)
{
    struct reference r, committed, closed;
    struct random random;

    (void)state;
    random_init(&random, 9);
    signal(SIGXFSZ, SIG_IGN);
    tess_array *const a = make("a", NULL, &r, 9);
    reference_copy(&committed, &r);
    for (int64_t i = 0; i < ROWS; i++)
        set_row(a, &r, i, &random);
    limit_files(1000);
    refused(TESS_ERR_IO, tess_array_flush(a, err));
    check_array(a, &r);
    limit_files(RLIM_INFINITY);
    check_file(files_path("a"), &committed);
    set_row(a, &r, 11, &random);
    ok(tess_array_flush(a, err));
    check_file(files_path("a"), &r);

    limit_files(1000); // and close
    reference_copy(&closed, &r);
    set_row(a, &r, 12, &random);
    assert_int_equal(tess_array_close(a, NULL), TESS_ERR_IO);
    limit_files(RLIM_INFINITY);
    check_file(files_path("a"), &closed);
    reference_finish(&closed);
    reference_finish(&committed);
    reference_finish(&r);
}

// The first chunk of a file gets a header that no chunk has.
static void
damage_first_chunk(const char *path)
{
    enum { HEADER_LEN_AT = 11, BLOCKSIZE_AT = 8 };
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    uint32_t at = 0;
    for (int i = 0; i < 4; i++)
        at = at << 8 | bytes[HEADER_LEN_AT + i];
    memset(bytes + at + BLOCKSIZE_AT, 0xff, 4);
    files_write(path, bytes, size);
    free(bytes);
}

// What cannot be written back does not wait: a block of a chunk whose others cannot be kept. The
// chunk as a whole can be written.
static void
damaged_chunk(void **state)
{
    static const int64_t start[] = {10, 0}, stop[] = {20, 10}, end[] = {30, 20};
    const tess_context context = budget(BLOCKS * BLOCKSIZE * 8);
    const tess_storage update = at("a", TESS_MODE_UPDATE, &context);
    const int64_t origin[] = {0, 0};
    struct reference r;
    struct random random;
    int32_t items[10 * 10] = {0};
    tess_array *a = make("a", &context, &r, 1);

    (void)state;
    random_init(&random, random_seed());
    ok(tess_array_close(a, err));
    damage_first_chunk(files_path("a"));
    ok(tess_array_open(&update, &a, err));
    refused(TESS_ERR_CORRUPT, tess_array_write(a, start, stop, items, sizeof items, err));
    assert_int_equal(info_of(a).cache_dirty, 0);
    set_box(a, &r, (int64_t[]){40, 20}, (int64_t[]){50, 30}, &random); // of another chunk
    ok(tess_array_flush(a, err));
    set_box(a, &r, origin, end, &random);
    set_box(a, &r, start, stop, &random);
    ok(tess_array_flush(a, err));
    check_array(a, &r);
    ok(tess_array_close(a, err));
    check_file(files_path("a"), &r);
    reference_finish(&r);
}

// The end of a block is damaged: what stands in front of that can be read, and once more, when the
// block would be kept.
static void
damaged_end(void **state)
{
    enum { SIZE = 40000, HEADER_LEN_AT = 11 };
    static uint8_t items[SIZE];
    const tess_context context = budget(1 << 20);
    const tess_storage make = at("a", TESS_MODE_NEW, &context);
    const tess_storage open = at("a", TESS_MODE_READ, &context);
    const int64_t start = 10, stop = 30, end = SIZE;
    uint8_t part[20];
    tess_chunk_info info;
    tess_params p;
    tess_array *a = NULL;
    size_t size;

    (void)state;
    for (int i = 0; i < SIZE; i++)
        items[i] = (uint8_t)(i % 7 * (i % 11));
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = p.chunkshape[0] = p.blockshape[0] = SIZE;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_NONE;
    p.codec = TESS_CODEC_LZ4;
    ok(tess_array_from(&make, &p, items, SIZE, &a, err));
    ok(tess_array_chunk(a, 0, &info, err));
    ok(tess_array_close(a, err));

    uint8_t *const bytes = files_read(files_path("a"), &size);
    const size_t at_chunk = (size_t)bytes[HEADER_LEN_AT + 2] << 8 | bytes[HEADER_LEN_AT + 3];
    memset(bytes + at_chunk + info.cbytes - 8, 0xff, 8);
    files_write(files_path("a"), bytes, size);
    free(bytes);
    ok(tess_array_open(&open, &a, err));
    refused(TESS_ERR_CORRUPT, tess_array_read(a, (const int64_t[]){0}, &end, items, SIZE, err));
    for (int i = 0; i < 3; i++) {
        memset(part, 0x5a, sizeof part);
        ok(tess_array_read(a, &start, &stop, part, sizeof part, err));
        for (int k = 0; k < (int)sizeof part; k++)
            assert_int_equal(part[k], (k + 10) % 7 * ((k + 10) % 11));
    }
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_rows),
        cmocka_unit_test(reading_all),
        cmocka_unit_test(evictions),
        cmocka_unit_test(picks_beside),
        cmocka_unit_test_setup_teardown(writing_rows, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(discarded, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(small_writes, files_setup, files_teardown),
        cmocka_unit_test(parts_of_zeros),
        cmocka_unit_test(constant_rows),
        cmocka_unit_test(padding_of_a_constant),
        cmocka_unit_test_setup_teardown(shapes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(write_back_fails, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_chunk, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(damaged_end, files_setup, files_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
