/*
 * coordinates.c - coordinates of dimensions: found in a folder, searched, and compared with looking
 * at all of their values.
 */
#include "support/dims_arrays.h"
#include "support/files.h"
#include "support/random.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// -- coordinates in a folder

static void
coordinate(const char *path, tess_layout layout, int64_t n)
{
    const tess_storage storage = dims_at(path, TESS_MODE_REPLACE);
    int64_t values[100];
    tess_params p;
    for (int64_t i = 0; i < n; i++)
        values[i] = 10 * i;
    tess_params_init(&p);
    p.dtype = TESS_DTYPE_I64;
    p.layout = layout;
    p.ndim = 1;
    p.shape[0] = n;
    tess_array *a;
    ok(tess_array_from(&storage, &p, values, (size_t)n * sizeof *values, &a, err));
    ok(tess_array_close(a, err));
}

static void
has_values(tess_array *coord, const int64_t *want, int64_t n)
{
    const int64_t start = 0;
    int64_t got[100];
    tess_info info;
    tess_array_info(coord, &info);
    assert_int_equal(info.ndim, 1);
    assert_int_equal(info.shape[0], n);
    assert_false(info.writable);
    ok(tess_array_read(coord, &start, &n, got, sizeof got, err));
    assert_memory_equal(got, want, (size_t)n * sizeof *want);
    ok(tess_array_close(coord, err));
}

static const int64_t rows[ROWS] = {0, 10, 20, 30}, columns[COLUMNS] = {0, 10, 20, 30, 40};

static void
opens(void **state)
{
    tess_array *a = dims_grid(files_path("t.b2nd")), *coord, *none, *v, *w;
    const int64_t start[] = {3, 1, 0}, stop[] = {-1, 1, 1}, step[] = {-2, 1, 1};
    tess_context context;
    (void)state;
    ok(tess_dims_set(a, (const char *[]){"lat", "lon", "none"}, err));
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 0, NULL, &coord, err));
    assert_null(coord);
    coordinate(files_path("lat.b2nd"), TESS_LAYOUT_CONTIGUOUS, ROWS);
    coordinate(files_path("lon.b2nd"), TESS_LAYOUT_SPARSE, COLUMNS);
    ok(tess_coord_open(a, 0, NULL, &coord, err)); // of the writer
    has_values(coord, rows, ROWS);
    ok(tess_array_close(a, err));

    tess_storage storage = dims_at(files_path("t.b2nd"), TESS_MODE_READ);
    storage.mmap = true;
    ok(tess_array_open(&storage, &a, err));
    tess_context_init(&context);
    context.threads = 1;
    ok(tess_coord_open(a, 1, &context, &coord, err));
    has_values(coord, columns, COLUMNS);
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 2, NULL, &coord, err));
    refused(TESS_ERR_ARG, tess_coord_open(a, 3, NULL, &coord, err));
    refused(TESS_ERR_ARG, tess_coord_open(a, -1, NULL, &coord, err));
    refused(TESS_ERR_ARG, tess_coord_open(NULL, 0, NULL, &coord, err));
    refused(TESS_ERR_ARG, tess_coord_open(a, 0, NULL, NULL, err));

    ok(tess_array_view_slice(a, start, stop, step, &v, err)); // none of the columns
    ok(tess_coord_open(v, 0, NULL, &coord, err));
    has_values(coord, (const int64_t[]){30, 10}, 2);
    ok(tess_coord_open(v, 1, NULL, &coord, err));
    has_values(coord, NULL, 0);
    ok(tess_array_view_permute(v, (int[]){2, 1, 0}, &w, err));
    ok(tess_coord_open(w, 2, NULL, &coord, err));
    ok(tess_array_close(w, err));
    ok(tess_array_view_expand(v, 0, &w, err));
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(w, 0, NULL, &none, err));
    ok(tess_array_close(w, err));
    ok(tess_array_close(v, err));
    ok(tess_array_close(a, err));
    has_values(coord, (const int64_t[]){30, 10}, 2); // closed after the array
}

// Extensions, in their order; what is no array is passed over.
static void
extensions(void **state)
{
    const char *const path = files_path("t.x");
    tess_array *const a = dims_grid(path), *coord;
    (void)state;
    ok(tess_dims_set(a, (const char *[]){"lat", "lat", ""}, err));
    coordinate(files_path("lat"), TESS_LAYOUT_CONTIGUOUS, ROWS);
    ok(tess_coord_open(a, 0, NULL, &coord, err));
    has_values(coord, rows, ROWS);
    refused(TESS_ERR_TYPE, tess_coord_open(a, 1, NULL, &coord, err)); // the length
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 2, NULL, &coord, err));
    coordinate(files_path("lat.b2nd"), TESS_LAYOUT_CONTIGUOUS, COLUMNS);
    ok(tess_coord_open(a, 1, NULL, &coord, err));
    has_values(coord, columns, COLUMNS);
    coordinate(files_path("lat.x"), TESS_LAYOUT_SPARSE, ROWS);
    ok(tess_coord_open(a, 0, NULL, &coord, err));
    has_values(coord, rows, ROWS);
    files_remove(files_path("lat.x"));
    files_write(files_path("lat.x"), "no array", 8);
    ok(tess_coord_open(a, 1, NULL, &coord, err));
    has_values(coord, columns, COLUMNS);
    files_remove(files_path("lat.b2nd"));
    assert_int_equal(mkdir(files_path("lat.b2nd"), 0777), 0);
    ok(tess_coord_open(a, 0, NULL, &coord, err));
    has_values(coord, rows, ROWS);
    files_remove(files_path("lat"));
    ok(tess_array_close(dims_grid(files_path("lat")), err)); // of 3 dimensions
    refused(TESS_ERR_TYPE, tess_coord_open(a, 0, NULL, &coord, err));
    ok(tess_array_close(a, err));
}

// Paths without a folder, with one, and directories with slashes behind.
static void
paths(void **state)
{
    char folder[300];
    tess_array *a, *coord;
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s", files_path(""));
    coordinate(files_path("lat.b2nd"), TESS_LAYOUT_CONTIGUOUS, ROWS);
    a = dims_grid(files_path("t.b2nd"));
    ok(tess_dims_set(a, (const char *[]){"lat", "", ""}, err));
    ok(tess_array_close(a, err));
    const int back = open(".", 0);
    assert_true(back >= 0);
    assert_int_equal(chdir(folder), 0);
    static const char *const ways[] = {"t.b2nd", "./t.b2nd", ".//t.b2nd"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const tess_storage storage = dims_at(ways[i], TESS_MODE_READ);
        ok(tess_array_open(&storage, &a, err));
        ok(tess_coord_open(a, 0, NULL, &coord, err));
        has_values(coord, rows, ROWS);
        ok(tess_array_close(a, err));
    }
    assert_int_equal(fchdir(back), 0);
    close(back);
}

// A name of a stranger leads nowhere else.
static void
names_that_lead_out(void **state)
{
    static const char *const bad[] = {"../out", "/etc/passwd", "..", ".", "a/b", "sub/../lat", ""};
    tess_array *a, *coord;
    (void)state;
    coordinate(files_path("out.b2nd"), TESS_LAYOUT_CONTIGUOUS, ROWS);
    assert_int_equal(mkdir(files_path("sub"), 0777), 0);
    char path[400];
    (void)snprintf(path, sizeof path, "%s/t.b2nd", files_path("sub"));
    a = dims_grid(path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ok(tess_dims_set(a, (const char *[]){bad[i], NULL, NULL}, err));
        refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 0, NULL, &coord, err));
    }
    char name[TESS_DIMS_NAME_MAX + 1];
    memset(name, 'n', sizeof name);
    name[TESS_DIMS_NAME_MAX] = '\0';
    ok(tess_dims_set(a, (const char *[]){name, NULL, NULL}, err));
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 0, NULL, &coord, err));
    ok(tess_array_close(a, err));
    a = dims_grid(NULL);
    ok(tess_dims_set(a, (const char *[]){"out", NULL, NULL}, err));
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 0, NULL, &coord, err));
    ok(tess_array_close(a, err));
}

// Names that lead to no array, in front of the one that does. Opening a FIFO must not wait for a
// writer.
static void
special_files(void **state)
{
    tess_array *const a = dims_grid(files_path("t.nd")), *coord;
    (void)state;
    ok(tess_dims_set(a, (const char *[]){"lat", "lon", "none"}, err));
    coordinate(files_path("lat"), TESS_LAYOUT_CONTIGUOUS, ROWS);
    coordinate(files_path("lon.b2nd"), TESS_LAYOUT_SPARSE, COLUMNS);
    assert_int_equal(mkfifo(files_path("lat.nd"), 0666), 0);
    assert_int_equal(symlink("/dev/zero", files_path("lat.b2nd")), 0);
    assert_int_equal(symlink("lon.nd", files_path("lon.nd")), 0); // to itself
    assert_int_equal(mkfifo(files_path("none"), 0666), 0);
    ok(tess_coord_open(a, 0, NULL, &coord, err));
    has_values(coord, rows, ROWS);
    ok(tess_coord_open(a, 1, NULL, &coord, err));
    has_values(coord, columns, COLUMNS);
    refused(TESS_ERR_NOT_FOUND, tess_coord_open(a, 2, NULL, &coord, err));
    ok(tess_array_close(a, err));
}

// -- searches

static tess_number
integer(int64_t i)
{
    return (tess_number){.kind = TESS_KIND_INT, .i = i};
}

static tess_number
real(double f)
{
    return (tess_number){.kind = TESS_KIND_FLOAT, .f = f};
}

static tess_array *
array_of(const char *dtype, const void *items, int64_t n, size_t size, int64_t block)
{
    const tess_storage memory = dims_at(NULL, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;
    tess_params_init(&p);
    p.dtype = dtype;
    p.ndim = 1;
    p.shape[0] = n;
    p.chunkshape[0] = 3 * block;
    p.blockshape[0] = block;
    ok(tess_array_from(&memory, &p, items, (size_t)n * size, &a, err));
    return a;
}

// The slow and obvious search, in values that are small enough to be exact.
static int64_t
find_slowly(const double *values, int64_t n, double v, tess_match match)
{
    const bool falling = n > 0 && values[0] > values[n - 1];
    int64_t before = -1, after = n, best = -1;
    for (int64_t i = 0; i < n; i++) {
        if (values[i] == v)
            return i;
        if (falling ? values[i] > v : values[i] < v)
            before = i;
        else if (after == n)
            after = i;
    }
    if (match == TESS_MATCH_NEAREST)
        for (int64_t i = 0; i < n; i++) {
            const double d = fabs(values[i] - v), b = best < 0 ? INFINITY : fabs(values[best] - v);
            if (d < b || (d == b && values[i] > values[best]))
                best = i;
        }
    if (match == TESS_MATCH_AT_OR_BEFORE)
        best = before;
    if (match == TESS_MATCH_AT_OR_AFTER)
        best = after < n ? after : -1;
    while (best > 0 && values[best - 1] == values[best])
        best--;
    return match == TESS_MATCH_EXACT ? -1 : best;
}

static void
check_search(const tess_array *coord, const double *values, int64_t n, double v, double w)
{
    const tess_number from = real(v), to = w == floor(w) ? integer((int64_t)w) : real(w);
    int64_t start, stop, count = 0, first = n;
    for (int match = TESS_MATCH_EXACT; match <= TESS_MATCH_AT_OR_AFTER; match++) {
        const int64_t want = find_slowly(values, n, v, (tess_match)match);
        int64_t got = -1;
        tess_error why;
        const tess_status st = tess_coord_find(coord, &from, (tess_match)match, &got, &why);
        if (st != (want < 0 ? TESS_ERR_NOT_FOUND : TESS_OK) || got != want)
            fail_msg("%g, match %d: %" PRId64 " instead of %" PRId64 " (%s)", v, match, got, want,
                     st == TESS_OK ? "found" : why.message);
    }
    ok(tess_coord_range(coord, &from, &to, &start, &stop, err));
    for (int64_t i = n; i-- > 0;)
        if (values[i] >= v && values[i] <= w) {
            count++;
            first = i;
        }
    assert_int_equal(stop - start, count);
    assert_true(start >= 0 && stop <= n);
    if (count > 0)
        assert_int_equal(start, first);
}

// Rising and falling, with equal values, of many types, blocks of any length, whole arrays and
// views.
static void
searches(void **state)
{
    static const struct {
        const char *dtype;
        bool whole; // numbers
    } types[] = {{"<f8", false},    {">f4", false},  {"<i2", true}, {">i8", true},
                 {"<u4", true},     {"|u1", true},   {"<u8", true}, {"<f2", false},
                 {"<M8[ms]", true}, {">m8[s]", true}};
    const int64_t rounds = random_cases(400, 10000);
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t round = 0; round < rounds; round++) {
        const size_t t = (size_t)random_below(&r, sizeof types / sizeof *types);
        const int64_t n = (int64_t)random_below(&r, random_below(&r, 4) > 0 ? 12 : 500);
        const int64_t block = 1 + (int64_t)random_below(&r, 40);
        const bool falling = random_below(&r, 2) > 0, scaled = random_below(&r, 4) == 0;
        const double scale = scaled && t < 8 ? 0.5 : 1, offset = scaled && t < 8 ? -3 : 0;
        double *const stored = malloc((size_t)(n + 1) * sizeof *stored);
        double *const values = malloc((size_t)(n + 1) * sizeof *values);
        double x = 0;
        for (int64_t i = 0; i < n; i++) { // at most 250, in quarters
            const int64_t at = falling ? n - 1 - i : i;
            if (x < 240 && random_below(&r, 3) > 0)
                x +=
                    types[t].whole ? (double)random_below(&r, 3) : (double)random_below(&r, 12) / 4;
            stored[at] = x;
            values[at] = x * scale + offset;
        }
        const tess_storage memory = dims_at(NULL, TESS_MODE_NEW);
        const int64_t zero = 0;
        tess_params p;
        tess_array *a;
        tess_params_init(&p);
        p.dtype = types[t].dtype;
        p.ndim = 1;
        p.shape[0] = n;
        p.chunkshape[0] = block * 2;
        p.blockshape[0] = block;
        ok(tess_array_zeros(&memory, &p, &a, err));
        if (t < 8) {
            ok(tess_array_write_as(a, &zero, &n, TESS_DTYPE_F64, NULL, stored,
                                   (size_t)n * sizeof *stored, NULL, err));
        } else {
            int64_t *const counts = malloc((size_t)(n + 1) * sizeof *counts);
            for (int64_t i = 0; i < n; i++)
                counts[i] = (int64_t)stored[i];
            ok(tess_array_write_as(a, &zero, &n, t == 8 ? "<M8[ms]" : "<m8[s]", NULL, counts,
                                   (size_t)n * sizeof *counts, NULL, err));
            free(counts);
        }
        if (scale != 1) {
            ok(tess_attr_set_float(a, "scale_factor", scale, err));
            ok(tess_attr_set_float(a, "add_offset", offset, err));
        }
        tess_order order;
        ok(tess_coord_order(a, &order, err));
        assert_int_equal(order, n > 0 && values[0] > values[n - 1] ? TESS_ORDER_FALLING
                                                                   : TESS_ORDER_RISING);
        for (int k = 0; k < 20; k++) {
            const double v = (double)random_below(&r, 1100) / 4 - 8;
            check_search(a, values, n, v, v + (double)random_below(&r, 100) / 4 - 2);
        }
        if (n > 0) { // from the end on, every second
            const int64_t start = n - 1, stop = -1, step = -2;
            tess_array *view;
            int64_t m = 0;
            for (int64_t i = start; i >= 0; i += step)
                stored[m++] = values[i];
            ok(tess_array_view_slice(a, &start, &stop, &step, &view, err));
            check_search(view, stored, m, stored[m / 2], stored[m / 2] + 5);
            check_search(view, stored, m, stored[m / 2] + 0.125, stored[m / 2]);
            ok(tess_array_close(view, err));
        }
        ok(tess_array_close(a, err));
        free(values);
        free(stored);
    }
}

// Integers that no double has.
static void
exactness(void **state)
{
    const int64_t big = (INT64_C(1) << 62) + 1;
    const int64_t items[] = {INT64_MIN, -big, -1, 0, big, big + 1, big + 5, INT64_MAX};
    const uint64_t positive[] = {0, 1, UINT64_MAX - 4, UINT64_MAX};
    tess_array *a = array_of(TESS_DTYPE_I64, items, 8, 8, 3);
    int64_t index = -1, start, stop;
    tess_number x;
    (void)state;
    for (int64_t i = 0; i < 8; i++) {
        x = integer(items[i]);
        ok(tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
        assert_int_equal(index, i);
    }
    x = integer(big + 2);
    refused(TESS_ERR_NOT_FOUND, tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 5);
    x = integer(big + 3); // as far from either
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 6);
    x = real((double)big); // one less
    refused(TESS_ERR_NOT_FOUND, tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
    ok(tess_coord_range(a, &x, NULL, &start, &stop, err));
    assert_true(start == 4 && stop == 8);
    x = real(0x1p63);
    refused(TESS_ERR_NOT_FOUND, tess_coord_find(a, &x, TESS_MATCH_AT_OR_AFTER, &index, err));
    x = real(-0x1p63);
    ok(tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
    assert_int_equal(index, 0);
    x = real(-INFINITY);
    ok(tess_coord_find(a, &x, TESS_MATCH_AT_OR_AFTER, &index, err));
    assert_int_equal(index, 0);
    x = real(-0.5);
    ok(tess_coord_find(a, &x, TESS_MATCH_AT_OR_BEFORE, &index, err));
    assert_int_equal(index, 2);
    x = (tess_number){.kind = TESS_KIND_UINT, .u = UINT64_MAX};
    ok(tess_coord_find(a, &x, TESS_MATCH_AT_OR_BEFORE, &index, err));
    assert_int_equal(index, 7);
    ok(tess_array_close(a, err));

    a = array_of(TESS_DTYPE_U64, positive, 4, 8, 2);
    ok(tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
    assert_int_equal(index, 3);
    x = integer(-1);
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 0);
    x = real(-0.25);
    ok(tess_coord_range(a, NULL, &x, &start, &stop, err));
    assert_true(start == 0 && stop == 0);
    ok(tess_array_close(a, err));
}

// Distances from a float that differ by less than the distance of two doubles.
static void
nearest_of_large(void **state)
{
    const int64_t big = INT64_C(1) << 60;
    const int64_t items[] = {-big - 513, -big, big, big + 513};
    const uint64_t positive[] = {UINT64_MAX - 4093, UINT64_MAX};
    int64_t index = -1;
    (void)state;
    tess_array *a = array_of(TESS_DTYPE_I64, items, 4, 8, 3);
    tess_number x = real(0x1p60 + 256);
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 2);
    x = real(-0x1p60 - 256);
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 1);
    ok(tess_array_close(a, err));
    a = array_of(TESS_DTYPE_U64, positive, 2, 8, 1);
    x = real(0x1p64 - 2048);
    ok(tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    assert_int_equal(index, 0);
    ok(tess_array_close(a, err));
}

static void
out_of_order(void **state)
{
    double items[100];
    tess_order order = TESS_ORDER_RISING;
    tess_array *a;
    int64_t index = -7, start, stop;
    const tess_number x = real(50);
    (void)state;
    for (int i = 0; i < 100; i++)
        items[i] = i;
    items[48] = 60; // in the block that is looked at
    a = array_of(TESS_DTYPE_F64, items, 100, 8, 10);
    refused(TESS_ERR_TYPE, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    refused(TESS_ERR_TYPE, tess_coord_range(a, &x, NULL, &start, &stop, err));
    ok(tess_coord_order(a, &order, err));
    assert_int_equal(order, TESS_ORDER_NONE);
    ok(tess_array_close(a, err));
    items[48] = NAN;
    a = array_of(TESS_DTYPE_F64, items, 100, 8, 10);
    refused(TESS_ERR_TYPE, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    ok(tess_coord_order(a, &order, err));
    assert_int_equal(order, TESS_ORDER_NONE);
    ok(tess_array_close(a, err));
    items[48] = 48;
    a = array_of(TESS_DTYPE_F64, items, 100, 8, 10);
    ok(tess_attr_set_float(a, "_FillValue", 45, err));
    refused(TESS_ERR_TYPE, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    ok(tess_array_close(a, err));
    assert_int_equal(index, -7);
}

static void
wrong_calls(void **state)
{
    const double items[] = {1, 2, 3};
    const int64_t nat[] = {INT64_MIN, 5};
    tess_array *a = array_of(TESS_DTYPE_F64, items, 3, 8, 3);
    int64_t index, start, stop;
    tess_order order;
    tess_number x = real(NAN);
    (void)state;
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    refused(TESS_ERR_ARG, tess_coord_range(a, &x, NULL, &start, &stop, err));
    refused(TESS_ERR_ARG, tess_coord_range(a, NULL, &x, &start, &stop, err));
    x.kind = TESS_KIND_COMPLEX;
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    x = real(2);
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, (tess_match)4, &index, err));
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, (tess_match)-1, &index, err));
    refused(TESS_ERR_ARG, tess_coord_find(a, NULL, TESS_MATCH_EXACT, &index, err));
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, TESS_MATCH_EXACT, NULL, err));
    refused(TESS_ERR_ARG, tess_coord_find(NULL, &x, TESS_MATCH_EXACT, &index, err));
    refused(TESS_ERR_ARG, tess_coord_range(NULL, NULL, NULL, &start, &stop, err));
    refused(TESS_ERR_ARG, tess_coord_range(a, NULL, NULL, NULL, &stop, err));
    refused(TESS_ERR_ARG, tess_coord_range(a, NULL, NULL, &start, NULL, err));
    refused(TESS_ERR_ARG, tess_coord_order(NULL, &order, err));
    refused(TESS_ERR_ARG, tess_coord_order(a, NULL, err));
    ok(tess_coord_range(a, NULL, NULL, &start, &stop, err));
    assert_true(start == 0 && stop == 3);
    ok(tess_array_close(a, err));
    a = array_of("<M8[D]", nat, 2, 8, 2);
    refused(TESS_ERR_TYPE, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    ok(tess_coord_order(a, &order, err));
    assert_int_equal(order, TESS_ORDER_NONE);
    ok(tess_array_close(a, err));
    a = array_of("|S8", items, 3, 8, 3);
    refused(TESS_ERR_UNSUPPORTED, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    refused(TESS_ERR_UNSUPPORTED, tess_coord_order(a, &order, err));
    ok(tess_array_close(a, err));
    a = array_of("<c8", items, 3, 8, 3);
    refused(TESS_ERR_UNSUPPORTED, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    ok(tess_array_close(a, err));
    a = dims_grid(NULL);
    refused(TESS_ERR_ARG, tess_coord_find(a, &x, TESS_MATCH_NEAREST, &index, err));
    ok(tess_array_close(a, err));
}

// Few blocks of a long array are decoded.
static void
costs(void **state)
{
    enum { N = 1 << 20, BLOCK = 1 << 10 };
    double *const items = malloc(N * sizeof *items);
    tess_array *a;
    tess_info info;
    int64_t index;
    (void)state;
    assert_non_null(items);
    for (int i = 0; i < N; i++)
        items[i] = i / 3.0;
    a = array_of(TESS_DTYPE_F64, items, N, 8, BLOCK);
    const tess_number x = real(items[777777]);
    ok(tess_coord_find(a, &x, TESS_MATCH_EXACT, &index, err));
    assert_int_equal(index, 777777);
    tess_array_info(a, &info);
    assert_true(info.cache_hits + info.cache_misses <= 14); // 2 ends, 10 steps, a block
    ok(tess_array_close(a, err));
    free(items);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opens, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(extensions, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(paths, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(names_that_lead_out, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(special_files, files_setup, files_teardown),
        cmocka_unit_test(searches),
        cmocka_unit_test(exactness),
        cmocka_unit_test(nearest_of_large),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
