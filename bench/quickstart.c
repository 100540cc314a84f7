/*
 * quickstart.c - is an imported array what its source is, before and after it grows, and how long
 * does reading it take next to the raw file?
 *
 * The steps of bench/quickstart that need a program: make the raw file of a netCDF variable (or of
 * a built-in field where there is no netCDF file), compare parts of the array with it, append and
 * resize. Float32 items of this machine's byte order, 2 or 3 dimensions. Ends with status 1 when
 * something differs.
 */
#include "support.h"

#include <tessera.h>

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_NETCDF
#include <netcdf.h>
#endif

#define MAX_NDIM 3
#define TIMED_SECONDS 0.05 // per part and reader, at least
#define TIMED_READS 200 // and at most

// What the array must be equal to: all of it in memory, as a raw file, perhaps in netCDF.
struct field {
    int ndim;
    int64_t shape[MAX_NDIM];
    float *items;
    float fill; // what growth shows
    int raw_fd;
    int ncid, varid; // ncid < 0: there is none
};

struct box {
    const char *name;
    int64_t start[MAX_NDIM], stop[MAX_NDIM];
};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static int64_t
count_items(int ndim, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    return n;
}

static int64_t
box_items(const struct box *b, int ndim)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        n *= b->stop[i] - b->start[i];
    return n;
}

static size_t
bytes_of(int64_t nitems)
{
    return (size_t)nitems * sizeof(float);
}

// ---- sources

#ifdef HAVE_NETCDF

static void
netcdf_must(int status, const char *path)
{
    if (status != NC_NOERR)
        bench_die("%s: %s", path, nc_strerror(status));
}

static void
netcdf_open(struct field *f, const char *path, const char *name)
{
    int dims[NC_MAX_VAR_DIMS];

    netcdf_must(nc_open(path, NC_NOWRITE, &f->ncid), path);
    netcdf_must(nc_inq_varid(f->ncid, name, &f->varid), path);
    netcdf_must(nc_inq_varndims(f->ncid, f->varid, &f->ndim), path);
    if (nc_get_att_float(f->ncid, f->varid, "_FillValue", &f->fill) != NC_NOERR)
        f->fill = 0;
    if (f->ndim > MAX_NDIM)
        bench_die("%s: %s has %d dimensions, more than %d", path, name, f->ndim, MAX_NDIM);
    netcdf_must(nc_inq_vardimid(f->ncid, f->varid, dims), path);
    for (int i = 0; i < f->ndim; i++) {
        size_t n;

        netcdf_must(nc_inq_dimlen(f->ncid, dims[i], &n), path);
        f->shape[i] = (int64_t)n;
    }
}

static void
netcdf_read(const struct field *f, const struct box *b, float *dst)
{
    size_t start[MAX_NDIM], count[MAX_NDIM];

    for (int i = 0; i < f->ndim; i++) {
        start[i] = (size_t)b->start[i];
        count[i] = (size_t)(b->stop[i] - b->start[i]);
    }
    netcdf_must(nc_get_vara_float(f->ncid, f->varid, start, count, dst), "netCDF");
}

#else

static void
netcdf_open(struct field *f, const char *path, const char *name)
{
    (void)f;
    bench_die("%s:%s: built without netCDF", path, name);
}

static void
netcdf_read(const struct field *f, const struct box *b, float *dst)
{
    (void)f, (void)b, (void)dst;
}

#endif

// Waves of all lengths, the long ones high: hills, in whole metres.
static void
make_field(struct field *f)
{
    const double tau = 6.283185307179586;
    const int64_t nx = f->shape[f->ndim - 1], ny = f->shape[f->ndim - 2];
    const int64_t nt = f->ndim == 3 ? f->shape[0] : 1;
    uint64_t seed = 1;
    double *wave = bench_alloc((size_t)(nt + ny + nx) * sizeof *wave);

    for (int k = 1; k <= 32; k++) {
        for (int64_t i = 0, n = nt + ny + nx, phase = 0; i < n; i++) {
            if (i == 0 || i == nt || i == nt + ny)
                phase = bench_random_below(&seed, 1000);
            wave[i] = sin(tau * (k * (double)i / (double)nx + (double)phase / 1000));
        }
        for (int64_t t = 0; t < nt; t++)
            for (int64_t y = 0; y < ny; y++)
                for (int64_t x = 0; x < nx; x++)
                    f->items[(t * ny + y) * nx + x] +=
                        (float)(3000.0 / k * (0.5 + wave[t]) * wave[nt + y] * wave[nt + ny + x]);
    }
    for (int64_t i = 0, n = nt * ny * nx; i < n; i++)
        f->items[i] = rintf(f->items[i]);
    free(wave);
}

// ---- the parts of a field

typedef void fetch_fn(const struct field *f, int64_t first, int64_t n, float *dst);

static void
fetch_memory(const struct field *f, int64_t first, int64_t n, float *dst)
{
    memcpy(dst, f->items + first, bytes_of(n));
}

static void
fetch_raw(const struct field *f, int64_t first, int64_t n, float *dst)
{
    const ssize_t got = pread(f->raw_fd, dst, bytes_of(n), (off_t)bytes_of(first));

    if (got != (ssize_t)bytes_of(n))
        bench_die("the raw file gave %zd bytes of %zu", got, bytes_of(n));
}

// Fetch a box in as few runs as the layout allows.
static void
fetch_box(const struct field *f, const struct box *b, fetch_fn *fetch, float *dst)
{
    int64_t index[MAX_NDIM];
    int axis = f->ndim - 1; // from here on a run goes over all axes
    int64_t run = b->stop[axis] - b->start[axis];

    while (axis > 0 && b->start[axis] == 0 && b->stop[axis] == f->shape[axis]) {
        axis--;
        run *= b->stop[axis] - b->start[axis];
    }
    memcpy(index, b->start, sizeof index);
    for (int64_t left = box_items(b, f->ndim) / run; left > 0; left--) {
        int64_t first = 0;

        for (int i = 0; i < f->ndim; i++)
            first = first * f->shape[i] + index[i];
        fetch(f, first, run, dst);
        dst += run;
        for (int i = axis - 1; i >= 0 && ++index[i] == b->stop[i]; i--)
            index[i] = b->start[i];
    }
}

enum reader { READ_TESSERA, READ_RAW, READ_NETCDF };

static void
read_box(enum reader reader, const struct field *f, const tess_array *a, const struct box *b,
         float *dst)
{
    tess_error err;

    switch (reader) {
    case READ_TESSERA:
        must(tess_array_read(a, b->start, b->stop, dst, bytes_of(box_items(b, f->ndim)), &err),
             &err);
        break;
    case READ_RAW:
        fetch_box(f, b, fetch_raw, dst);
        break;
    case READ_NETCDF:
        netcdf_read(f, b, dst);
        break;
    }
}

// The shortest of several reads, in milliseconds.
static double
time_reads(enum reader reader, const struct field *f, const tess_array *a, const struct box *b,
           float *dst)
{
    double shortest = INFINITY, total = 0;

    for (int i = 0; i < TIMED_READS && (total < TIMED_SECONDS || i < 3); i++) {
        const double begin = bench_now();

        read_box(reader, f, a, b, dst);
        const double elapsed = bench_now() - begin;
        total += elapsed;
        if (elapsed < shortest)
            shortest = elapsed;
    }
    return shortest * 1e3;
}

static tess_array *
open_array(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_array *a;
    tess_error err;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

static void
close_array(tess_array *a)
{
    tess_error err;

    must(tess_array_close(a, &err), &err);
}

// Is the array of the field's shape, and of its items?
static bool
same_kind(const struct field *f, const tess_array *a)
{
    const uint16_t one = 1;
    const char native = *(const unsigned char *)&one ? '<' : '>';
    tess_info info;

    tess_array_info(a, &info);
    const tess_dtype dtype = tess_dtype_parse(info.dtype);
    return dtype.kind == TESS_KIND_FLOAT && dtype.size == 4 && dtype.order == native &&
           info.ndim == f->ndim &&
           memcmp(info.shape, f->shape, (size_t)f->ndim * sizeof *f->shape) == 0;
}

static bool
same_items(const struct field *f, const struct box *b, const float *items)
{
    const size_t size = bytes_of(box_items(b, f->ndim));
    float *expected = bench_alloc(size);

    fetch_box(f, b, fetch_memory, expected);
    const bool same = memcmp(items, expected, size) == 0;
    free(expected);
    return same;
}

// ---- steps

// One part: the first read of an array just opened, more reads, and the same from the others.
static bool
check_box(const struct field *f, const char *path, const struct box *b)
{
    const int64_t nitems = box_items(b, f->ndim);
    float *got = bench_alloc(bytes_of(nitems));
    tess_array *a = open_array(path, TESS_MODE_READ);
    const double begin = bench_now();

    memset(got, 0xff, bytes_of(nitems));
    read_box(READ_TESSERA, f, a, b, got);
    const double first = (bench_now() - begin) * 1e3;
    bool same = same_items(f, b, got);
    const double again = time_reads(READ_TESSERA, f, a, b, got);
    same = same && same_items(f, b, got);
    const double raw = time_reads(READ_RAW, f, a, b, got);
    same = same && same_items(f, b, got);

    printf("  %-7s %9" PRId64 " %11.3f %11.3f %11.3f", b->name, nitems, first, again, raw);
    if (f->ncid >= 0) {
        printf(" %11.3f", time_reads(READ_NETCDF, f, a, b, got));
        same = same && same_items(f, b, got);
    } else {
        printf(" %11s", "-");
    }
    printf("   %s\n", same ? "equal" : "DIFFERENT");
    close_array(a);
    free(got);
    return same;
}

static bool
check(const struct field *f, const char *path)
{
    struct box whole = {.name = "whole"}, box = {.name = "box"}, row = {.name = "row"};
    struct box column = {.name = "column"}, point = {.name = "point"};

    for (int i = 0; i < f->ndim; i++) {
        const int64_t n = f->shape[i];

        whole.stop[i] = n;
        box.start[i] = n / 3;
        box.stop[i] = n / 3 + n / 4;
        point.start[i] = n * 2 / 5;
        point.stop[i] = n * 2 / 5 + 1;
        row.start[i] = i == f->ndim - 1 ? 0 : point.start[i];
        row.stop[i] = i == f->ndim - 1 ? n : point.stop[i];
        column.start[i] = i == 0 ? 0 : point.start[i];
        column.stop[i] = i == 0 ? n : point.stop[i];
    }

    tess_array *a = open_array(path, TESS_MODE_READ);
    bool same = same_kind(f, a);
    close_array(a);
    if (!same) {
        printf("  %s does not have the type and shape of its source\n", path);
        return false;
    }

    const struct box *parts[] = {&whole, &box, &row, &column, &point};
    printf("  %-7s %9s %11s %11s %11s %11s\n", "part", "items", "first [ms]", "again [ms]",
           "raw [ms]", "netCDF [ms]");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        same = check_box(f, path, parts[i]) && same;
    return same;
}

// Reopen: is the array the field plus January again, plus `empty` months of the fill value?
static bool
check_grown(const struct field *f, const char *path, int64_t empty)
{
    const int64_t month = count_items(f->ndim - 1, f->shape + 1);
    const int64_t nitems = count_items(f->ndim, f->shape);
    struct field grown = *f;
    struct box whole = {.name = "whole"};

    grown.shape[0] += 1 + empty;
    memcpy(whole.stop, grown.shape, sizeof whole.stop);
    grown.items = bench_alloc(bytes_of(nitems + (1 + empty) * month));
    memcpy(grown.items, f->items, bytes_of(nitems));
    memcpy(grown.items + nitems, f->items, bytes_of(month));
    for (int64_t i = nitems + month; i < nitems + (1 + empty) * month; i++)
        grown.items[i] = f->fill;

    tess_array *a = open_array(path, TESS_MODE_READ);
    bool same = same_kind(&grown, a);
    if (same) {
        float *got = bench_alloc(bytes_of(box_items(&whole, f->ndim)));

        memset(got, 0xff, bytes_of(box_items(&whole, f->ndim)));
        read_box(READ_TESSERA, &grown, a, &whole, got);
        same = same_items(&grown, &whole, got);
        free(got);
    }
    close_array(a);
    free(grown.items);
    return same;
}

static bool
grow_report(const char *what, double begin, bool same)
{
    printf("  %-48s %9.3f ms   %s\n", what, (bench_now() - begin) * 1e3,
           same ? "equal" : "DIFFERENT");
    return same;
}

static void
resize(const struct field *f, const char *path, int64_t months)
{
    int64_t shape[MAX_NDIM];
    tess_array *a = open_array(path, TESS_MODE_UPDATE);
    tess_error err;

    memcpy(shape, f->shape, sizeof shape);
    shape[0] = months;
    must(tess_array_resize(a, shape, &err), &err);
    close_array(a);
}

static bool
grow(const struct field *f, const char *path)
{
    const size_t month = bytes_of(count_items(f->ndim - 1, f->shape + 1));
    tess_error err;
    bool same;

    double begin = bench_now();
    tess_array *a = open_array(path, TESS_MODE_UPDATE);
    must(tess_array_append(a, 0, 1, f->items, month, NULL, &err), &err);
    close_array(a);
    same =
        grow_report("append January again, close, reopen, compare", begin, check_grown(f, path, 0));

    begin = bench_now();
    resize(f, path, f->shape[0] + 13);
    same = grow_report("resize: a year more, close, reopen, compare", begin,
                       check_grown(f, path, 12)) &&
           same;

    begin = bench_now();
    resize(f, path, f->shape[0] + 1);
    return grow_report("resize: that year less, close, reopen, compare", begin,
                       check_grown(f, path, 0)) &&
           same;
}

// ---- the command line

static void
field_alloc(struct field *f)
{
    const size_t size = bytes_of(count_items(f->ndim, f->shape));

    f->items = bench_alloc(size);
    memset(f->items, 0, size);
}

static void
parse_shape(struct field *f, const char *text)
{
    char *end = NULL;

    for (f->ndim = 0; f->ndim < MAX_NDIM; text = end + 1) {
        f->shape[f->ndim++] = strtoll(text, &end, 10);
        if (*end != 'x')
            break;
    }
    if (f->ndim < 2 || *end || count_items(f->ndim, f->shape) <= 0)
        bench_die("not a shape of 2 or 3 dimensions: %s", text);
}

// Write the raw file and print the shape.
static void
prepare(struct field *f, const char *raw)
{
    const size_t nitems = (size_t)count_items(f->ndim, f->shape);
    struct box whole = {.name = "whole"};
    FILE *file = fopen(raw, "wb");

    field_alloc(f);
    memcpy(whole.stop, f->shape, sizeof whole.stop);
    if (f->ncid >= 0)
        netcdf_read(f, &whole, f->items);
    else
        make_field(f);
    if (!file || fwrite(f->items, sizeof *f->items, nitems, file) != nitems || fclose(file) != 0)
        bench_die("cannot write %s", raw);
    for (int i = 0; i < f->ndim; i++)
        printf("%s%" PRId64, i ? "x" : "", f->shape[i]);
    printf("\n");
}

static void
load(struct field *f, const char *raw)
{
    field_alloc(f);
    f->raw_fd = open(raw, O_RDONLY);
    if (f->raw_fd < 0)
        bench_die("cannot open %s", raw);
    fetch_raw(f, 0, count_items(f->ndim, f->shape), f->items);
}

// The source: FILE.nc VARIABLE, or a shape as in 132x73x144, for the built-in field.
static void
parse_source(struct field *f, int nwords, char **words)
{
    if (nwords == 2)
        netcdf_open(f, words[0], words[1]);
    else
        parse_shape(f, words[0]);
}

int
main(int argc, char **argv)
{
    struct field f = {.raw_fd = -1, .ncid = -1};
    bool same = true;

    if ((argc == 4 || argc == 5) && strcmp(argv[1], "prepare") == 0) {
        parse_source(&f, argc - 3, argv + 3);
        prepare(&f, argv[2]);
    } else if ((argc == 5 || argc == 6) && strcmp(argv[1], "check") == 0) {
        parse_source(&f, argc - 4, argv + 4);
        load(&f, argv[3]);
        same = check(&f, argv[2]);
    } else if ((argc == 5 || argc == 6) && strcmp(argv[1], "grow") == 0) {
        parse_source(&f, argc - 4, argv + 4);
        load(&f, argv[3]);
        same = grow(&f, argv[2]);
    } else {
        fprintf(stderr, "usage: quickstart prepare RAW SOURCE\n"
                        "       quickstart check|grow ARRAY RAW SOURCE\n"
                        "SOURCE: FILE.nc VARIABLE, or a shape such as 132x73x144\n");
        return 2;
    }
    free(f.items);
    return same ? 0 : 1;
}
