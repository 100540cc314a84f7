/*
 * bench.c - tess bench: measures codecs, filters and slices on this machine.
 *
 * A sample of an array, or a field that is made up, is written and read in memory in the automatic
 * layout, or in the one that the options give, first with each codec, then with each filter, then
 * in parts. Each figure is the median of some rounds, in which all take turns.
 */
#include "layout/bench.h"
#include "commands.h"
#include "data/open.h"
#include "data/params.h"
#include "layout/subject.h"
#include "options.h"
#include "report.h"
#include "text/progress.h"

#include <tessera/layout.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct subject_default cube = {"200x200x200", "<f4"};

// What is tried, besides what the options say.
static const struct {
    tess_codec codec;
    int level;
} squeezes[] = {
    {TESS_CODEC_BLOSCLZ, 5}, {TESS_CODEC_LZ4, 1},   {TESS_CODEC_LZ4, 5},
    {TESS_CODEC_LZ4, 9},     {TESS_CODEC_LZ4HC, 5}, {TESS_CODEC_ZLIB, 5},
    {TESS_CODEC_ZSTD, 1},    {TESS_CODEC_ZSTD, 3},  {TESS_CODEC_ZSTD, 5},
};

static const uint8_t pipelines[][2] = {
    {TESS_FILTER_NONE, TESS_FILTER_NONE},         {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_NONE, TESS_FILTER_BITSHUFFLE},   {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA},
};

#define NSQUEEZES ((int)(sizeof squeezes / sizeof squeezes[0]))
#define NPIPELINES ((int)(sizeof pipelines / sizeof pipelines[0]))

static void
name_cpu(char name[BENCH_CPU_SIZE])
{
    FILE *const file = fopen("/proc/cpuinfo", "re");
    char line[BENCH_CPU_SIZE];

    (void)snprintf(name, BENCH_CPU_SIZE, "unknown CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        (void)snprintf(name, BENCH_CPU_SIZE, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
        name[strcspn(name, "\n")] = '\0';
        break;
    }
    if (file)
        (void)fclose(file);
}

static double
now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tess_status
measure_copy(struct bench *b, tess_error *err)
{
    uint8_t *const copy = malloc(b->info.sample_size);
    double least = 0;

    if (!copy)
        return report_nomem(err, (int64_t)b->info.sample_size);
    memset(copy, 0, b->info.sample_size); // the pages are there when they are first timed
    for (int i = 0; i < BENCH_ROUNDS; i++) {
        const double begin = now();
        memcpy(copy, b->info.sample, b->info.sample_size);
        const double seconds = now() - begin;

        if (i == 0 || seconds < least)
            least = seconds;
    }
    b->copied = (double)b->info.sample_size / least;
    free(copy);
    return TESS_OK;
}

static void
add_row(struct bench *b, enum bench_part part, const tess_params *params)
{
    b->rows[b->count++] = (struct bench_row){.part = part, .params = *params};
}

// Each codec at some levels; a codec or level that is given stays as it is.
static void
plan_codecs(struct bench *b, const tess_params *given)
{
    const bool leveled = params_has_level(b->args);
    tess_params params = *given;

    if (b->args->values[OPT_CODEC]) {
        for (int level = 1; level <= 9 && !leveled; level += 2) {
            params.clevel = level;
            add_row(b, BENCH_CODECS, &params);
        }
        if (leveled)
            add_row(b, BENCH_CODECS, given);
        return;
    }
    for (int i = 0; i < NSQUEEZES; i++) {
        params.codec = squeezes[i].codec;
        if (!leveled)
            params.clevel = squeezes[i].level;
        else if (i > 0 && squeezes[i].codec == squeezes[i - 1].codec)
            continue;
        add_row(b, BENCH_CODECS, &params);
    }
}

// The shapes that the library chooses for the sample, where the options give none.
static tess_status
choose_shapes(tess_params *params, tess_error *err)
{
    tess_array *a = NULL;
    tess_storage storage;
    tess_info info;

    tess_storage_init(&storage);
    const tess_status st = tess_array_uninit(&storage, params, &a, err);
    if (st != TESS_OK)
        return st;
    tess_array_info(a, &info);
    memcpy(params->chunkshape, info.chunkshape, sizeof params->chunkshape);
    memcpy(params->blockshape, info.blockshape, sizeof params->blockshape);
    tess_array_discard(a);
    return TESS_OK;
}

static tess_status
plan(struct bench *b, tess_error *err)
{
    tess_params given = b->subject.params, params;
    tess_status st = TESS_OK;

    given.layout = TESS_LAYOUT_CONTIGUOUS;
    TRY(choose_shapes(&given, err));
    plan_codecs(b, &given);
    params = given;
    memset(params.filters, 0, sizeof params.filters);
    memset(params.filters_meta, 0, sizeof params.filters_meta);
    for (int i = 0; i < NPIPELINES && !b->args->values[OPT_FILTER]; i++) {
        memcpy(params.filters + TESS_MAX_FILTERS - 2, pipelines[i], 2);
        add_row(b, BENCH_FILTERS, &params);
    }
    add_row(b, BENCH_SLICES, &given);
out:
    return st;
}

// One round of a row with so many threads.
static tess_status
measure_row(struct bench *b, struct bench_row *row, int threads, int round,
            struct bench_times *times, tess_error *err)
{
    const bool slices = row->part == BENCH_SLICES;
    tess_layout_result result;
    const tess_status st =
        tess_tuner_measure(b->subject.tuner, &row->params, slices ? b->mix : NULL,
                           slices ? b->nmix : 0, threads, &result, err);

    if (st != TESS_OK)
        return st;
    row->ratio = result.ratio;
    times->write[round] = result.write;
    times->read[round] = result.read;
    for (int i = 0; i < result.naccesses; i++)
        times->accesses[i][round] = result.accesses[i].measured;
    return TESS_OK;
}

static tess_status
measure(struct bench *b, tess_error *err)
{
    struct progress progress;
    tess_status st = TESS_OK;

    progress_begin(&progress, BENCH_ROUNDS * b->count);
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (int i = 0; i < b->count; i++) {
            struct bench_row *const row = &b->rows[i];

            TRY(measure_row(b, row, 1, round, &row->one, err));
            TRY(measure_row(b, row, b->info.threads, round, &row->all, err));
            progress_add(&progress, 1);
        }
out:
    progress_end(&progress);
    return st;
}

static tess_status
prepare(struct bench *b, tess_error *err)
{
    tess_params *const params = &b->subject.params;
    tess_tuner_options options;
    tess_status st = TESS_OK;
    tess_context context;

    tess_tuner_options_init(&options);
    TRY(open_context(b->args, &context, err));
    options.context = &context;
    TRY(subject_open(&b->subject, b->args, &cube, &options, err));
    tess_tuner_get_info(b->subject.tuner, &b->info);
    // what is measured is the sample, as an array of its own
    memcpy(params->shape, b->info.sample_shape, sizeof params->shape);
    st = subject_accesses(b->args, params->ndim, params->shape, b->mix, &b->nmix, err);
out:
    return st;
}

static int
run_bench(const struct arguments *args)
{
    struct bench *const b = calloc(1, sizeof *b);
    tess_status st = TESS_OK;
    tess_error err;

    if (!b) {
        (void)report_nomem(&err, sizeof *b);
        return report_print("bench", &err);
    }
    b->args = args;
    TRY(prepare(b, &err));
    name_cpu(b->cpu);
    TRY(measure_copy(b, &err));
    TRY(plan(b, &err));
    TRY(measure(b, &err));
    if (args->values[OPT_JSON])
        bench_json(b, stdout);
    else
        TRY(bench_print(b, stdout, &err));
out:
    subject_close(&b->subject);
    free(b);
    return st == TESS_OK ? EXIT_STATUS_FINE
                         : report_print(args->nwords > 0 ? args->words[0] : "bench", &err);
}

const struct command cmd_bench = {
    .name = "bench",
    .purpose = "measure codecs, filters and slices on this machine",
    .words = "[PATH]",
    .nwords = 0,
    .nwords_more = 1,
    .options = OPTIONS(OPT_ACCESS, OPT_DTYPE, OPT_SHAPE, OPT_CHUNKS, OPT_BLOCKS, OPT_CODEC,
                       OPT_LEVEL, OPT_FILTER, OPT_SAMPLE, OPT_JSON, OPT_OFFSET, OPT_THREADS),
    .details =
        "PATH is an array or what tess import takes; without it a smooth field with noise of\n"
        "200x200x200 <f4 is made up, or of --shape and --dtype. All is done in memory, in the\n"
        "automatic layout or the one that is given; slices with LZ4, or --codec and --filter.\n"
        "--access names other slices, as for tess layout.\n",
    .examples =
        (const struct example[]){
            {"data that is made up", "tess bench --shape 20x30x40"},
            {"your data, for a program", "tess bench winds.b2nd --json"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"version", "string", "of Tessera"},
            {"cpu", "string", "of this machine"},
            {"threads", "integer", "threads that work"},
            {"caches", "integers", "bytes of the CPU caches: L1, L2, L3"},
            {"copy_bytes_per_second", "number", "of memcpy() with one thread"},
            {"name", "string", "name of the data"},
            {"shape", "integers", "items along each axis of what is written and read"},
            {"dtype", "string or null", "type of the items; null: not recorded"},
            {"chunkshape", "integers", "items of a chunk along each axis"},
            {"blockshape", "integers", "items of a block along each axis"},
            {"codecs", "list", "one after the other"},
            {"codecs[].codec", "string", "its name"},
            {"codecs[].clevel", "integer", "compression level, 0 to 9"},
            {"codecs[].filters", "strings", "names, 6, in the order in which they are applied"},
            {"codecs[].filters_id", "integers", "their numbers in the format"},
            {"codecs[].filters_meta", "integers", "their parameters"},
            {"codecs[].cratio", "number", "uncompressed / compressed bytes"},
            {"codecs[].write_bytes_per_second", "object", "uncompressed bytes"},
            {"codecs[].write_bytes_per_second.one_thread", "number", "with one thread"},
            {"codecs[].write_bytes_per_second.all_threads", "number", "with all threads"},
            {"codecs[].read_bytes_per_second", "object", "uncompressed bytes"},
            {"codecs[].read_bytes_per_second.one_thread", "number", "with one thread"},
            {"codecs[].read_bytes_per_second.all_threads", "number", "with all threads"},
            {"filters", "list", "one after the other"},
            {"filters[].codec", "string", "its name"},
            {"filters[].clevel", "integer", "compression level, 0 to 9"},
            {"filters[].filters", "strings", "names, 6, in the order in which they are applied"},
            {"filters[].filters_id", "integers", "their numbers in the format"},
            {"filters[].filters_meta", "integers", "their parameters"},
            {"filters[].cratio", "number", "uncompressed / compressed bytes"},
            {"filters[].write_bytes_per_second", "object", "uncompressed bytes"},
            {"filters[].write_bytes_per_second.one_thread", "number", "with one thread"},
            {"filters[].write_bytes_per_second.all_threads", "number", "with all threads"},
            {"filters[].read_bytes_per_second", "object", "uncompressed bytes"},
            {"filters[].read_bytes_per_second.one_thread", "number", "with one thread"},
            {"filters[].read_bytes_per_second.all_threads", "number", "with all threads"},
            {"slices", "list", "each access"},
            {"slices[].access", "string", "as for --access"},
            {"slices[].bytes", "number", "uncompressed bytes that one access reads"},
            {"slices[].seconds", "object", "time of one access"},
            {"slices[].seconds.one_thread", "number", "with one thread"},
            {"slices[].seconds.all_threads", "number", "with all threads"},
            {0},
        },
    .run = run_bench,
};
