/*
 * constants.c - arrays that are one item again and again stay so, whatever their size.
 *
 * Arrays of 2^50 bytes, which nothing can decode or encode in the time that a test has, are copied,
 * joined, cut and moved at places that are no multiple of a chunk; then others of some thousand
 * chunks that are not all the same. An alarm ends what works on bytes instead of chunks.
 */
#include "support/files.h"
#include "support/native.h"

#include <tessera.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECONDS = 100 };

static const int64_t huge = INT64_C(1) << 47; // items of 8 bytes

static tess_storage
in_memory(tess_context *context)
{
    tess_storage storage;
    tess_context_init(context);
    tess_storage_init(&storage);
    storage.context = context;
    return storage;
}

static tess_params
params_of(int64_t nitems, int64_t chunk)
{
    tess_params p;
    tess_params_init(&p);
    p.dtype = "<f8"; // of big-endian ones NaNs are values that are stored
    p.ndim = 1;
    p.shape[0] = nitems;
    p.chunkshape[0] = chunk;
    p.blockshape[0] = chunk < 1 << 13 ? chunk : 1 << 13;
    return p;
}

static void
check_item(const tess_array *a, int64_t at, double want)
{
    const int64_t stop = at + 1;
    double item;
    ok(tess_array_read(a, &at, &stop, &item, sizeof item, err));
    item = little_f8(item);
    if (isnan(want) ? !isnan(item) : item != want)
        fail_msg("item %lld is %g instead of %g", (long long)at, item, want);
}

// Items of an array, and how many of its chunks are blocks or plain bytes.
static void
check(tess_array *a, int64_t nitems, int64_t decoded)
{
    tess_chunk_info chunk;
    tess_info info;
    int64_t n = 0;

    tess_array_info(a, &info);
    assert_int_equal(info.shape[info.ndim - 1], nitems);
    for (int64_t i = 0; i < info.nchunks; i++) {
        ok(tess_array_chunk(a, i, &chunk, err));
        n += chunk.kind == TESS_CHUNK_BLOCKS || chunk.kind == TESS_CHUNK_PLAIN;
    }
    assert_int_equal(n, decoded);
}

// -- all zeros, or all NaNs

static tess_array *
all(double item, int64_t nitems, int64_t chunk)
{
    tess_context context;
    const tess_storage storage = in_memory(&context);
    const tess_params p = params_of(nitems, chunk);
    const double value = little_f8(item);
    tess_array *a;
    if (isnan(item))
        ok(tess_array_nan(&storage, &p, &a, err));
    else
        ok(tess_array_full(&storage, &p, &value, sizeof value, &a, err));
    return a;
}

// Of one kind of special chunks only, with none stored.
static void
check_all(tess_array *a, int64_t nitems, double item)
{
    tess_info info;
    ok(tess_array_flush(a, err));
    tess_array_info(a, &info);
    assert_int_equal(info.shape[info.ndim - 1], nitems);
    assert_in_range(info.cbytes, 0, 5000); // holes where the index was
    if (info.ndim == 1) {
        check_item(a, 0, item);
        check_item(a, nitems / 3, item);
        check_item(a, nitems - 1, item);
    }
}

static void
combine(double item)
{
    tess_context context;
    const tess_storage storage = in_memory(&context);
    tess_array *const a = all(item, huge - 5, 1 << 27), *const b = all(item, 1001, 100);
    tess_array *const three[] = {b, a, b}, *const two[] = {a, a};
    const tess_params other = params_of(0, (1 << 26) + 1);
    const int64_t start = huge - 7, stop = 3, step = -3;
    tess_array *out, *view;
    tess_params table = params_of(2, 2);

    ok(tess_array_copy(a, &storage, &other, &out, err));
    check_all(out, huge - 5, item);
    ok(tess_array_close(out, err));
    ok(tess_array_concatenate(three, 3, 0, &storage, &other, &out, err));
    check_all(out, huge - 5 + 2002, item);
    ok(tess_array_append_array(out, 0, b, err));
    ok(tess_array_append_array(out, 0, out, err));
    check_all(out, 2 * (huge - 5 + 3003), item);
    ok(tess_array_close(out, err));
    table.ndim = 2;
    table.chunkshape[1] = (1 << 26) + 1;
    table.blockshape[1] = 1 << 13;
    ok(tess_array_stack(two, 2, 0, &storage, &table, &out, err));
    check_all(out, huge - 5, item);
    ok(tess_array_close(out, err));
    ok(tess_array_view_slice(a, &start, &stop, &step, &view, err));
    ok(tess_array_copy(view, &storage, &other, &out, err));
    check_all(out, (huge - 10 + 2) / 3, item);
    ok(tess_array_close(out, err));
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
}

static void
test_combined(void **state)
{
    (void)state;
    alarm(SECONDS);
    combine(0);
    combine((double)NAN);
    alarm(0);
}

static void
test_moved(void **state)
{
    tess_array *const a = all((double)NAN, huge / 2 - 5, 1 << 27);
    const int64_t zero = 0, at = 12345, more = huge - 3, less = huge - 1003, end = 77;
    const double nan = (double)NAN, nan_item = little_f8(nan), nothing = 0;

    (void)state;
    alarm(SECONDS);
    ok(tess_array_resize_at(a, &more, &at, err));
    check_all(a, more, nan);
    ok(tess_array_delete(a, 0, 54321, 55321, err));
    check_all(a, less, nan);
    ok(tess_array_fill(a, &zero, &less, NULL, &nothing, 8, err));
    check_all(a, less, 0);
    ok(tess_array_fill(a, &at, &less, NULL, &nothing, 8, err)); // as they are
    check_all(a, less, 0);
    ok(tess_array_fill(a, &zero, &less, NULL, &nan_item, 8, err));
    ok(tess_array_resize(a, &end, err));
    check_all(a, end, nan);
    ok(tess_array_close(a, err));
    alarm(0);
}

// -- lists that are not all the same: 2^40 bytes in 2^15 chunks

enum { CHUNK = 1 << 22, CHUNKS = 1 << 15 };
static const int64_t large = (int64_t)CHUNK * CHUNKS;

// Some items of constants side by side: `parts` of them, each from starts[i] on.
static void
check_parts(tess_array *a, int parts, const int64_t *starts, const double *items)
{
    for (int i = 0; i < parts; i++) {
        check_item(a, starts[i], items[i]);
        check_item(a, starts[i + 1] / 2 + starts[i] / 2, items[i]);
        check_item(a, starts[i + 1] - 1, items[i]);
    }
}

// Zeros, NaNs and a value, whose chunks are stored, behind each other at odd places.
static void
test_mixed(void **state)
{
    static const double items[] = {0, (double)NAN, 1.5, 0};
    const int64_t third = large / 3, odd = third / CHUNK * CHUNK + 4099;
    const int64_t starts[] = {0, odd, 2 * odd, 3 * odd, 4 * odd};
    tess_context context;
    const tess_storage storage = in_memory(&context);
    const tess_params same = params_of(0, CHUNK), other = params_of(0, CHUNK / 2 + 3);
    tess_array *parts[4], *a, *b;

    (void)state;
    alarm(SECONDS);
    for (int i = 0; i < 4; i++)
        parts[i] = all(items[i], odd, i % 2 ? CHUNK : CHUNK + CHUNK / 4);
    ok(tess_array_concatenate(parts, 4, 0, &storage, &same, &a, err));
    check(a, 4 * odd, 3); // where two of them meet
    check_parts(a, 4, starts, items);
    ok(tess_array_copy(a, &storage, &other, &b, err));
    check(b, 4 * odd, 3);
    check_parts(b, 4, starts, items);
    ok(tess_array_close(b, err));

    ok(tess_array_delete(a, 0, 0, odd - 1, err)); // one item of the first part is left
    ok(tess_array_delete(a, 0, 2 * odd + 1, 3 * odd - 2, err)); // and three of the last
    check(a, 2 * odd + 4, 3);
    check_parts(a, 4, (const int64_t[]){0, 1, odd + 1, 2 * odd + 1, 2 * odd + 4}, items);
    const int64_t more = 3 * odd, at = odd + 1;
    ok(tess_array_resize_at(a, &more, &at, err)); // zeros, as the first array has no fill value
    check(a, more, 4);
    check_parts(a, 5, (const int64_t[]){0, 1, odd + 1, 2 * odd - 3, 3 * odd - 3, 3 * odd},
                (const double[]){0, (double)NAN, 0, 1.5, 0});
    for (int i = 0; i < 4; i++)
        ok(tess_array_close(parts[i], err));
    ok(tess_array_close(a, err));
    alarm(0);
}

// The same across the rows of a table: each chunk row ends with a part of a chunk.
static void
test_columns(void **state)
{
    enum { ROWS = 1 << 13, COLUMNS = 3000001 };
    tess_context context;
    const tess_storage storage = in_memory(&context);
    tess_params p = params_of(0, 0);
    const double value = 2.5;
    const int64_t none[2] = {0}, wider[2] = {ROWS, COLUMNS + 5000000}, at[2] = {ROWS, 1000003};
    tess_array *a, *b;

    (void)state;
    alarm(SECONDS);
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = 1 << 7;
    p.chunkshape[1] = 1 << 16;
    p.blockshape[0] = 1;
    p.blockshape[1] = 1 << 13;
    p.fill = &value;
    p.fill_size = sizeof value;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_fill(a, none, p.shape, NULL, &value, sizeof value, err));
    check(a, COLUMNS, 0);
    ok(tess_array_resize_at(a, wider, at, err));
    check(a, wider[1], 0);
    ok(tess_array_delete(a, 1, 77, 5000077, err));
    check(a, COLUMNS, 0);
    ok(tess_array_append_array(a, 1, a, err));
    check(a, 2 * COLUMNS, 0);
    p.chunkshape[0] = 100;
    p.chunkshape[1] = 100000;
    ok(tess_array_copy(a, &storage, &p, &b, err));
    check(b, 2 * COLUMNS, 0);
    ok(tess_array_close(a, err));
    ok(tess_array_close(b, err));
    alarm(0);
}

// -- small ones

// An item that a chunk shows already may be written anywhere: the chunk stays as it is.
static void
test_written_again(void **state)
{
    static const double items[] = {0, (double)NAN, 1.5};
    enum { N = 1000 };
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int cached = 0; cached < 2; cached++) {
            tess_context context;
            tess_storage storage = in_memory(&context);
            const double stored = little_f8(items[i]), *const item = &stored;
            tess_params p = params_of(N, 300);
            const int64_t start = 33, stop = 905, step = 3, coords[] = {1, 299, 300, 999};
            const double four[] = {*item, *item, *item, *item};
            const double other = i ? 0 : little_f8(items[2]);
            double memory[N];
            tess_array *a;

            context.cache = cached ? 1 << 20 : 0;
            p.blockshape[0] = 50;
            p.fill = i ? item : NULL;
            p.fill_size = p.fill ? 8 : 0;
            ok(tess_array_zeros(&storage, &p, &a, err));
            ok(tess_array_fill(a, (const int64_t[]){0}, (const int64_t[]){N}, NULL, item, 8, err));
            for (int k = 0; k < N; k++)
                memory[k] = *item;
            ok(tess_array_write(a, &start, &stop, memory, (size_t)(stop - start) * 8, err));
            ok(tess_array_set_slice(a, &start, &stop, &step, memory, sizeof memory, NULL, err));
            ok(tess_array_fill(a, &start, &stop, NULL, item, 8, err));
            check(a, N, 0);
            ok(tess_array_resize(a, (const int64_t[]){N + 350}, err));
            ok(tess_array_append(a, 0, 130, memory, 130 * 8, NULL, err));
            check(a, N + 480, 0);
            ok(tess_array_resize(a, (const int64_t[]){N - 17}, err));
            check(a, N - 17, 0);
            check_item(a, N - 18, items[i]);
            ok(tess_array_set_points(a, 3, coords, four, 3 * 8, err));
            check(a, N - 17, 0);
            ok(tess_array_fill(a, (const int64_t[]){300}, (const int64_t[]){301}, NULL, &other, 8,
                               err));
            check(a, N - 17, 1);
            check_item(a, 300, i ? 0 : items[2]);
            check_item(a, 301, items[i]);
            ok(tess_array_close(a, err));
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combined),      cmocka_unit_test(test_moved),
        cmocka_unit_test(test_mixed),         cmocka_unit_test(test_columns),
        cmocka_unit_test(test_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
