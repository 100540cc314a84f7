/*
 * bench_print.c - what tess bench has measured, as tables and as JSON.
 */
#include "layout/bench.h"
#include "layout/result.h"
#include "report.h"
#include "text/filters.h"
#include "text/json.h"
#include "text/table.h"
#include "text/text.h"

#include <tessera/version.h>

#include <math.h>
#include <string.h>

static double
median(const double rounds[BENCH_ROUNDS])
{
    const double a = rounds[0], b = rounds[1], c = rounds[2];

    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static double
bytes_of(const struct bench *b, int access)
{
    const tess_access *const a = &b->mix[access];
    double bytes = b->subject.params.typesize;

    for (int i = 0; i < b->info.ndim; i++)
        bytes *=
            (double)(a->extent[i] == TESS_ACCESS_WHOLE ? b->info.sample_shape[i] : a->extent[i]);
    return bytes;
}

static double
speed(const struct bench *b, const double rounds[BENCH_ROUNDS])
{
    return (double)b->info.sample_size / median(rounds);
}

static void
print_machine(const struct bench *b, FILE *out)
{
    const tess_tuner_info *const info = &b->info;
    const tess_params *const slices = &b->rows[b->count - 1].params;
    char shape[256], chunk[256], block[256];

    result_shape(info->ndim, info->sample_shape, shape, sizeof shape);
    result_shape(info->ndim, slices->chunkshape, chunk, sizeof chunk);
    result_shape(info->ndim, slices->blockshape, block, sizeof block);
    fprintf(out, "tess %s on %s, %d threads; CPU caches: L1 %g KiB, L2 %g KiB, L3 %g MiB\n",
            tess_version(), b->cpu, b->info.threads, (double)info->caches[0] / 0x1p10,
            (double)info->caches[1] / 0x1p10, (double)info->caches[2] / 0x1p20);
    fprintf(out, "memcpy() of uncompressed items: %.1f GB/s with one thread\n", b->copied / 1e9);
    text_write(out, b->subject.name);
    fprintf(out, ": %s, %s, %.1f MiB; chunks %s, blocks %s\n", shape,
            b->subject.params.dtype ? b->subject.params.dtype : "opaque items",
            (double)info->sample_size / 0x1p20, chunk, block);
}

static tess_status
print_whole(const struct bench *b, enum bench_part part, FILE *out, tess_error *err)
{
    struct table table;

    table_init(&table, 7);
    table_cell(&table, part == BENCH_CODECS ? "codec" : "filters");
    table_cell(&table, part == BENCH_CODECS ? "filters" : "codec");
    table_cell(&table, "ratio");
    table_cell(&table, "write MB/s, 1 thread");
    table_cell(&table, "%d threads", b->info.threads);
    table_cell(&table, "read MB/s, 1 thread");
    table_cell(&table, "%d threads", b->info.threads);
    for (int i = 0; i < b->count; i++) {
        const struct bench_row *const row = &b->rows[i];
        char codec[RESULT_NAME_SIZE], filters[RESULT_NAME_SIZE];

        if (row->part != part)
            continue;
        result_codec(&row->params, codec);
        result_filters(&row->params, filters);
        table_cell(&table, "%s", part == BENCH_CODECS ? codec : filters);
        table_cell(&table, "%s", part == BENCH_CODECS ? filters : codec);
        table_cell(&table, "%.2f", row->ratio);
        table_cell(&table, "%.0f", speed(b, row->one.write) / 1e6);
        table_cell(&table, "%.0f", speed(b, row->all.write) / 1e6);
        table_cell(&table, "%.0f", speed(b, row->one.read) / 1e6);
        table_cell(&table, "%.0f", speed(b, row->all.read) / 1e6);
    }
    const tess_status st = table_print(&table, out, err);
    table_finish(&table);
    return st;
}

static void
cell_speed(struct table *t, double megabytes)
{
    table_cell(t, "%.*f", megabytes < 10 ? 1 : 0, megabytes);
}

static tess_status
print_slices(const struct bench *b, FILE *out, tess_error *err)
{
    const struct bench_row *const row = &b->rows[b->count - 1];
    struct table table;

    table_init(&table, 5);
    table_cell(&table, "access");
    table_cell(&table, "time in us, 1 thread");
    table_cell(&table, "%d threads", b->info.threads);
    table_cell(&table, "speed in MB/s, 1 thread");
    table_cell(&table, "%d threads", b->info.threads);
    for (int i = 0; i < b->nmix; i++) {
        const double one = median(row->one.accesses[i]);
        const double all = median(row->all.accesses[i]);

        table_cell(&table, "%s", b->mix[i].name);
        table_cell(&table, "%.1f", one * 1e6);
        table_cell(&table, "%.1f", all * 1e6);
        cell_speed(&table, bytes_of(b, i) / one / 1e6);
        cell_speed(&table, bytes_of(b, i) / all / 1e6);
    }
    const tess_status st = table_print(&table, out, err);
    table_finish(&table);
    return st;
}

tess_status
bench_print(const struct bench *b, FILE *out, tess_error *err)
{
    tess_status st = TESS_OK;

    print_machine(b, out);
    fputs("\nThe whole array is written and read; MB/s are uncompressed bytes, ratio is "
          "uncompressed /\n"
          "compressed bytes:\n",
          out);
    TRY(print_whole(b, BENCH_CODECS, out, err));
    if (!b->args->values[OPT_FILTER]) {
        fputc('\n', out);
        TRY(print_whole(b, BENCH_FILTERS, out, err));
    }
    fputs("\nParts are read at random places, with no decoded blocks in the cache; time of one "
          "access:\n",
          out);
    TRY(print_slices(b, out, err));
out:
    return st;
}

static void
json_pair(struct json *j, const char *key, double one, double all)
{
    json_open(j, key, '{');
    json_real(j, "one_thread", one);
    json_real(j, "all_threads", all);
    json_close(j, '}');
}

static void
json_row(struct json *j, const struct bench *b, const struct bench_row *row)
{
    const tess_params *const p = &row->params;
    char codec[RESULT_NAME_SIZE];

    result_codec(p, codec);
    codec[strcspn(codec, " ")] = '\0';
    json_open(j, NULL, '{');
    json_string(j, "codec", codec);
    json_int(j, "clevel", p->clevel);
    filters_json(j, p->filters, p->filters_meta);
    json_real(j, "cratio", row->ratio);
    json_pair(j, "write_bytes_per_second", speed(b, row->one.write), speed(b, row->all.write));
    json_pair(j, "read_bytes_per_second", speed(b, row->one.read), speed(b, row->all.read));
    json_close(j, '}');
}

static void
json_rows(struct json *j, const struct bench *b, const char *key, enum bench_part part)
{
    json_open(j, key, '[');
    for (int i = 0; i < b->count; i++)
        if (b->rows[i].part == part)
            json_row(j, b, &b->rows[i]);
    json_close(j, ']');
}

void
bench_json(const struct bench *b, FILE *out)
{
    const tess_tuner_info *const info = &b->info;
    const struct bench_row *const slices = &b->rows[b->count - 1];
    struct json j;

    json_begin(&j, out);
    json_string(&j, "version", tess_version());
    json_string(&j, "cpu", b->cpu);
    json_int(&j, "threads", b->info.threads);
    json_ints(&j, "caches", 3, info->caches);
    json_real(&j, "copy_bytes_per_second", b->copied);
    json_string(&j, "name", b->subject.name);
    json_ints(&j, "shape", info->ndim, info->sample_shape);
    json_string(&j, "dtype", b->subject.params.dtype);
    json_ints(&j, "chunkshape", info->ndim, slices->params.chunkshape);
    json_ints(&j, "blockshape", info->ndim, slices->params.blockshape);
    json_rows(&j, b, "codecs", BENCH_CODECS);
    json_rows(&j, b, "filters", BENCH_FILTERS);
    json_open(&j, "slices", '[');
    for (int i = 0; i < b->nmix; i++) {
        json_open(&j, NULL, '{');
        json_string(&j, "access", b->mix[i].name);
        json_real(&j, "bytes", bytes_of(b, i));
        json_pair(&j, "seconds", median(slices->one.accesses[i]), median(slices->all.accesses[i]));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_end(&j);
}
