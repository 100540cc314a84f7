/*
 * stored_counts.c - what tess_info says of stored bytes, holes and kinds of chunks, against the
 * chunks one by one; through lives of arrays that are written to, grow, lose rows, and are opened
 * again.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS_MOST = 40, COLUMNS = 24, CHUNK = 8, STEPS = 60 };

static tess_storage
at(const char *name, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = files_path(name);
    storage.mode = mode;
    return storage;
}

// The sums, from the chunks one by one.
struct sums {
    int64_t nstored, nspecial, nmissing, live;
};

static struct sums
add_up(tess_array *a, int64_t nchunks)
{
    struct sums sums = {0};
    for (int64_t n = 0; n < nchunks; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        sums.nstored += chunk.stored;
        sums.nmissing += !chunk.stored && chunk.kind == TESS_CHUNK_UNINIT;
        sums.nspecial += !chunk.stored && chunk.kind != TESS_CHUNK_UNINIT;
        sums.live += chunk.cbytes;
    }
    return sums;
}

static void
check_info(const tess_info *info, const struct sums *want)
{
    assert_int_equal(info->nstored, want->nstored);
    assert_int_equal(info->nspecial, want->nspecial);
    assert_int_equal(info->nmissing, want->nmissing);
    assert_int_equal(info->live, want->live);
    const double nbytes = (double)info->nitems * info->typesize;
    if (want->live == 0)
        assert_true(info->ratio == 0);
    else
        assert_true(info->ratio > 0.999999 * nbytes / (double)want->live &&
                    info->ratio < 1.000001 * nbytes / (double)want->live);
}

// clean: nothing waits for a commit.
static void
check(tess_array *a, bool clean)
{
    tess_verdict verdict;
    tess_info before, info;
    tess_array_info(a, &before);
    const struct sums want = add_up(a, before.nchunks); // encodes blocks that wait
    tess_array_info(a, &before);
    ok(tess_array_measure(a, &info, err));
    check_info(&info, &want);
    if (before.live >= 0)
        check_info(&before, &want);
    tess_array_info(a, &before);
    check_info(&before, &want);
    assert_int_equal(before.holes, info.holes);
    if (!info.contiguous || info.nchunks == 0)
        assert_int_equal(info.holes, 0);
    else if (clean)
        assert_int_equal(info.live + info.holes, info.cbytes);
    ok(tess_array_verify(a, NULL, NULL, &verdict, err));
    assert_int_equal(verdict.nstored, want.nstored);
    assert_int_equal(verdict.nspecial, want.nspecial);
    assert_int_equal(verdict.nmissing, want.nmissing);
}

// Write a box of noise, or of zeros.
static void
write_box(tess_array *a, const tess_info *info, struct random *r)
{
    int64_t start[2], stop[2];
    uint16_t items[ROWS_MOST * COLUMNS];
    for (int i = 0; i < 2; i++) {
        if (info->shape[i] == 0)
            return;
        start[i] = (int64_t)random_below(r, (uint64_t)info->shape[i]);
        stop[i] = start[i] + 1 + (int64_t)random_below(r, (uint64_t)(info->shape[i] - start[i]));
        if (random_below(r, 3) == 0) { // whole chunks
            start[i] -= start[i] % CHUNK;
            stop[i] = info->shape[i];
        }
    }
    if (random_below(r, 4) == 0)
        memset(items, 0, sizeof items);
    else
        random_bytes(r, items, random_below(r, 2) ? sizeof items : sizeof items / 2);
    ok(tess_array_write(a, start, stop, items, sizeof items, err));
}

// least: rows that stay.
static void
change(tess_array *a, int64_t least, struct random *r)
{
    static const uint16_t row[COLUMNS] = {1, 2, 3};
    static const uint16_t block[CHUNK * COLUMNS] = {4, 5, 6};
    int64_t shape[2];
    tess_info info;
    tess_array_info(a, &info);
    memcpy(shape, info.shape, sizeof shape);
    switch (random_below(r, 8)) {
    case 0: // growth and loss at the end
        shape[0] = least + (int64_t)random_below(r, (uint64_t)(ROWS_MOST + 1 - least));
        shape[1] = random_below(r, 3) == 0 ? 1 + (int64_t)random_below(r, COLUMNS) : COLUMNS;
        ok(tess_array_resize(a, shape, err));
        break;
    case 1:
        if (shape[0] + CHUNK <= ROWS_MOST)
            ok(tess_array_insert(a, 0, shape[0] / CHUNK / 2 * CHUNK, CHUNK, block,
                                 CHUNK * (size_t)shape[1] * sizeof *block, NULL, err));
        break;
    case 2:
        if (shape[0] >= 2 * CHUNK)
            ok(tess_array_delete(a, 0, CHUNK, 2 * CHUNK, err));
        break;
    case 3:
        if (shape[0] < ROWS_MOST)
            ok(tess_array_append(a, 0, 1, row, (size_t)shape[1] * sizeof *row, NULL, err));
        break;
    default:
        write_box(a, &info, r);
    }
}

static void
live_through_lives(void **state)
{
    static const tess_layout layouts[] = {TESS_LAYOUT_CONTIGUOUS, TESS_LAYOUT_SPARSE};
    const int64_t ncases = random_cases(24, 1000);
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = 0; i < ncases; i++) {
        tess_storage storage = at("array.b2nd", TESS_MODE_REPLACE);
        tess_params p;
        tess_array *a;
        tess_params_init(&p);
        p.dtype = "<u2";
        p.ndim = 2;
        p.shape[0] = 20;
        p.shape[1] = COLUMNS;
        p.chunkshape[0] = p.chunkshape[1] = CHUNK;
        p.layout = layouts[i % 2];
        storage.durability = (tess_durability)random_below(&r, 3);
        storage.checksums = random_below(&r, 4) ? TESS_CHECKSUMS_WRITE : TESS_CHECKSUMS_NONE;
        storage.never_reuse = random_below(&r, 5) == 0;
        ok((i & 2 ? tess_array_uninit : tess_array_zeros)(&storage, &p, &a, err));
        storage.mode = TESS_MODE_UPDATE;
        check(a, true);
        for (int step = 0; step < STEPS; step++) {
            change(a, storage.never_reuse, &r); // which refuses to be emptied
            const uint64_t what = random_below(&r, 6);
            if (what == 0) {
                ok(tess_array_flush(a, err));
                check(a, true);
            } else if (what == 1) {
                check(a, false);
            } else if (what == 2) {
                tess_info info;
                ok(tess_array_close(a, err));
                ok(tess_array_open(&storage, &a, err));
                if (random_below(&r, 2))
                    check(a, true);
                tess_array_info(a, &info);
            }
        }
        ok(tess_array_close(a, err));
        storage.mode = TESS_MODE_READ;
        ok(tess_array_open(&storage, &a, err));
        check(a, true);
        ok(tess_array_close(a, err));
        files_remove(storage.path);
    }
}

// A change that fails leaves the numbers as they were.
static void
failures_are_undone(void **state)
{
    tess_storage storage = at("array.b2nd", TESS_MODE_NEW);
    uint16_t items[16 * COLUMNS];
    struct random r;
    tess_params p;
    tess_array *a;
    tess_info before, after;
    (void)state;
    random_init(&r, random_seed());
    random_bytes(&r, items, sizeof items);
    tess_params_init(&p);
    p.dtype = "<u2";
    p.ndim = 2;
    p.shape[0] = 16;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = p.chunkshape[1] = CHUNK;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    check(a, true);
    tess_array_info(a, &before);
    assert_int_not_equal(tess_array_resize(a, (const int64_t[]){INT64_C(1) << 60, 1}, NULL),
                         TESS_OK);
    tess_array_info(a, &after);
    assert_int_equal(after.live, before.live);
    assert_int_equal(after.nstored, before.nstored);
    assert_int_equal(after.nspecial, before.nspecial);
    check(a, true);
    // What a program opens is not known before somebody asks.
    ok(tess_array_close(a, err));
    storage.mode = TESS_MODE_READ;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &after);
    assert_int_equal(after.live, -1);
    assert_int_equal(after.holes, -1);
    assert_true(after.ratio == -1);
    assert_int_equal(after.nstored, before.nstored);
    assert_int_equal(tess_array_measure(NULL, &after, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_array_measure(a, NULL, NULL), TESS_ERR_ARG);
    // Of a view, the numbers are its array's.
    tess_array *view;
    ok(tess_array_view_permute(a, (const int[]){1, 0}, &view, err));
    ok(tess_array_measure(view, &after, err));
    assert_int_equal(after.live, before.live);
    assert_int_equal(after.nstored, before.nstored);
    assert_true(after.ratio == before.ratio);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
}

// Chunks that are not where the index says, or claim bytes that are not there.
static void
damage_is_told(void **state)
{
    enum { SIZE_AT = 12 };
    const tess_storage storage = at("array.b2nd", TESS_MODE_NEW);
    tess_storage reader = storage;
    uint16_t items[16 * COLUMNS];
    struct random r;
    tess_params p;
    tess_array *a;
    tess_info info;
    (void)state;
    random_init(&r, random_seed());
    random_bytes(&r, items, sizeof items);
    tess_params_init(&p);
    p.dtype = "<u2";
    p.ndim = 2;
    p.shape[0] = 16;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = p.chunkshape[1] = CHUNK;
    p.layout = TESS_LAYOUT_SPARSE;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    ok(tess_array_close(a, err));
    reader.mode = TESS_MODE_READ;
    ok(tess_array_open(&reader, &a, err));

    const char *const path = files_path("array.b2nd/00000003.chunk");
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    bytes[SIZE_AT + 2] ^= 1;
    files_write(path, bytes, size);
    assert_int_equal(tess_array_measure(a, &info, NULL), TESS_ERR_CORRUPT);
    tess_array_info(a, &info);
    assert_int_equal(info.live, -1);
    files_remove(path);
    assert_int_equal(tess_array_measure(a, &info, NULL), TESS_ERR_IO);
    bytes[SIZE_AT + 2] ^= 1;
    files_write(path, bytes, size);
    ok(tess_array_measure(a, &info, err));
    assert_int_equal(info.nstored, 6);
    free(bytes);
    ok(tess_array_close(a, err));
}

static void
check_one(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    tess_info info;
    (void)ref;
    (void)user;
    (void)name;
    tess_array_info(a, &info);
    assert_int_equal(info.live, -1);
    check(a, false);
}

static void
others_files(void **state)
{
    (void)state;
    check_golden_files(check_one, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(live_through_lives),
        IN_A_FOLDER(failures_are_undone),
        IN_A_FOLDER(damage_is_told),
        IN_A_FOLDER(others_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
