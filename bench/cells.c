/*
 * cells.c - the rounds of the slice benches: who runs when, on which boxes, for how long.
 *
 * A cell stops after --repeats counted rounds or when --budget seconds are spent. A cell whose
 * first round spends them all is not repeated: that round is its sample, and `repeats` is 1.
 */
#include "cells.h"

#include "limit.h"
#include "raw.h"
#include "support.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOXES_MAX 32
#define SLOW 4

static const struct named {
    const char *name;
    int id;
} codecs[] = {{"blosclz", RAW_BLOSCLZ},
              {"lz4", RAW_LZ4},
              {"lz4hc", RAW_LZ4HC},
              {"zlib", RAW_ZLIB},
              {"zstd", RAW_ZSTD}},
  filters[] = {{"shuffle", LIMIT_SHUFFLE}, {"bitshuffle", LIMIT_BITSHUFFLE}, {"none", LIMIT_NONE}};

// What is read: boxes that are whole along the axes in `full` and one item thick along the others.
static const struct access {
    const char *name;
    bool full[LAYOUT_NDIM];
    int nboxes;
} accesses[] = {
    {"read", {true, true, true}, 1},     {"plane-0", {false, true, true}, 1},
    {"plane-1", {true, false, true}, 1}, {"plane-2", {true, true, false}, 1},
    {"line-0", {true, false, false}, 8}, {"line-1", {false, true, false}, 8},
    {"line-2", {false, false, true}, 8}, {"points", {false, false, false}, BOXES_MAX},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum storage { MEMORY, FILE_STORAGE, NSTORAGES };
static const char *const storage_names[NSTORAGES] = {"memory", "file"};

struct options {
    int64_t side;
    int repeats;
    double budget;
    int level, threads;
    uint64_t seed;
    const char *codec, *filter, *dir;
    bool raw;
};

struct bench {
    const char *program;
    const struct cells_library *library;
    struct options options;
    char path[512];
    float *field, *dst;
    size_t size; // bytes of either

    // The array at hand.
    struct cells_array array;
    const char *codec, *filter;
    const struct limit_blocks *blocks; // NULL with --no-raw
    struct limit_streams *streams; // NULL for BloscLZ, too
    void *written; // the array in memory
    int64_t stored;
};

// The times of one cell; the references are shared by its storages.
struct cell {
    struct bench_times library[NSTORAGES], copy, codec_only, limit;
    double began; // the first round, or the first one that counts
};

static void
usage(FILE *out, const char *program)
{
    fprintf(out,
            "usage: %s [options] > results.csv\n"
            "  --side N       items along each axis, a multiple of %d (400)\n"
            "  --repeats N    counted rounds per cell (5)\n"
            "  --budget S     seconds per cell after which it is not repeated any more (0.5)\n"
            "  --codec NAME   only this one of blosclz, lz4, lz4hc, zlib, zstd\n"
            "  --filter NAME  shuffle, bitshuffle, none or all (the first two)\n"
            "  --level N      1 to 9 (5)\n"
            "  --threads N    of the library (1)\n"
            "  --seed N       of data and positions (1)\n"
            "  --dir PATH     where files are written ($TMPDIR or /tmp)\n"
            "  --no-raw       leave out the codecs alone\n",
            program, LAYOUT_CHUNK_SIDE);
}

static bool
is_known(const struct named *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i].name, name) == 0)
            return true;
    return false;
}

static void
options_parse(struct options *o, const char *program, int argc, char **argv)
{
    static const struct option longs[] = {
        {"side", required_argument, NULL, 's'},    {"repeats", required_argument, NULL, 'r'},
        {"budget", required_argument, NULL, 'b'},  {"codec", required_argument, NULL, 'c'},
        {"filter", required_argument, NULL, 'f'},  {"level", required_argument, NULL, 'l'},
        {"threads", required_argument, NULL, 't'}, {"seed", required_argument, NULL, 'e'},
        {"dir", required_argument, NULL, 'd'},     {"no-raw", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},          {0},
    };
    const char *const tmp = getenv("TMPDIR");
    int c;

    *o = (struct options){.side = 400,
                          .repeats = 5,
                          .budget = 0.5,
                          .level = 5,
                          .threads = 1,
                          .seed = 1,
                          .dir = tmp ? tmp : "/tmp",
                          .raw = true};
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 's':
            o->side = atoll(optarg);
            break;
        case 'r':
            o->repeats = atoi(optarg);
            break;
        case 'b':
            o->budget = atof(optarg);
            break;
        case 'c':
            o->codec = optarg;
            break;
        case 'f':
            o->filter = optarg;
            break;
        case 'l':
            o->level = atoi(optarg);
            break;
        case 't':
            o->threads = atoi(optarg);
            break;
        case 'e':
            o->seed = strtoull(optarg, NULL, 0);
            break;
        case 'd':
            o->dir = optarg;
            break;
        case 'n':
            o->raw = false;
            break;
        case 'h':
            usage(stdout, program);
            exit(0);
        default:
            usage(stderr, program);
            exit(2);
        }
    if (optind < argc || o->side < LAYOUT_CHUNK_SIDE || o->side > 10 * LAYOUT_CHUNK_SIDE ||
        o->side % LAYOUT_CHUNK_SIDE != 0 || o->repeats < 1 || o->repeats > BENCH_ROUNDS_MAX ||
        o->level < 1 || o->level > 9 || o->threads < 1 ||
        (o->codec && !is_known(codecs, COUNT(codecs), o->codec)) ||
        (o->filter && strcmp(o->filter, "all") != 0 &&
         !is_known(filters, COUNT(filters), o->filter))) {
        usage(stderr, program);
        exit(2);
    }
}

static void
draw_boxes(const struct access *access, int64_t side, uint64_t *state, struct layout_box *boxes)
{
    for (int n = 0; n < access->nboxes; n++)
        for (int i = 0; i < LAYOUT_NDIM; i++) {
            const int64_t at = access->full[i] ? 0 : bench_random_below(state, side);
            boxes[n].start[i] = at;
            boxes[n].stop[i] = access->full[i] ? side : at + 1;
        }
}

static int64_t
box_nitems(const struct layout_box *box)
{
    int64_t n = 1;

    for (int i = 0; i < LAYOUT_NDIM; i++)
        n *= box->stop[i] - box->start[i];
    return n;
}

static bool
box_equals(const struct layout_box *box, const float *field, int64_t side, const float *got)
{
    for (int64_t i = box->start[0]; i < box->stop[0]; i++)
        for (int64_t j = box->start[1]; j < box->stop[1]; j++) {
            const size_t n = (size_t)(box->stop[2] - box->start[2]);
            if (memcmp(got, field + (i * side + j) * side + box->start[2], n * sizeof *got) != 0)
                return false;
            got += n;
        }
    return true;
}

static void
cell_begin(struct cell *cell)
{
    *cell = (struct cell){.began = bench_now()};
}

// Whether another round follows; forgets the warm-up round then.
static bool
cell_again(struct cell *cell, int round, const struct options *o)
{
    struct bench_times *const all[] = {&cell->library[MEMORY], &cell->library[FILE_STORAGE],
                                       &cell->copy, &cell->codec_only, &cell->limit};
    const double now = bench_now(), spent = now - cell->began;

    if (round > 0)
        return round < o->repeats && spent < o->budget;
    if (spent > SLOW * o->budget)
        return false;
    for (size_t i = 0; i < COUNT(all); i++)
        all[i]->n = 0;
    cell->began = now;
    return true;
}

static void
cell_print(const struct bench *b, const struct cell *cell, const char *name, int64_t requests,
           int64_t bytes)
{
    for (int s = 0; s < NSTORAGES; s++) {
        const struct bench_row row = {
            .program = b->program,
            .library = b->library->name,
            .threads = b->options.threads,
            .storage = storage_names[s],
            .codec = b->codec,
            .level = b->options.level,
            .filter = b->filter,
            .cell = name,
            .requests = requests,
            .bytes = bytes,
            .stored = b->stored,
            .times = cell->library[s],
            .copy = cell->copy,
            .codec_only = cell->codec_only,
            .limit = cell->limit,
        };
        bench_csv_row(&row);
    }
}

static void
time_copy(struct bench *b, size_t size, struct bench_times *times)
{
    const double start = bench_now();

    memcpy(b->dst, b->field, size);
    __asm__ volatile("" : : "r"(b->dst) : "memory");
    bench_times_add(times, bench_now() - start);
}

static void
time_encode(struct bench *b, struct cell *cell)
{
    double start, encode, gather;

    start = bench_now();
    limit_encode(b->streams);
    encode = bench_now() - start;
    start = bench_now();
    limit_gather(b->blocks, b->field);
    gather = bench_now() - start;
    bench_times_add(&cell->codec_only, encode);
    bench_times_add(&cell->limit, encode + gather);
}

static void
time_write(struct bench *b, enum storage storage, struct bench_times *times)
{
    const char *const path = storage == MEMORY ? NULL : b->path;
    double start;
    void *written;

    if (path)
        unlink(path);
    start = bench_now();
    written = b->library->write(&b->array, path, b->field);
    bench_times_add(times, bench_now() - start);
    if (storage == MEMORY) {
        b->library->close(b->written);
        b->written = written;
    } else {
        b->library->close(written);
    }
}

static void
measure_write(struct bench *b)
{
    struct cell cell;
    int round = 0;

    cell_begin(&cell);
    do {
        time_copy(b, b->size, &cell.copy);
        if (b->streams)
            time_encode(b, &cell);
        for (enum storage s = MEMORY; s < NSTORAGES; s++)
            time_write(b, s, &cell.library[s]);
    } while (cell_again(&cell, round++, &b->options));

    void *const handle = b->library->open(&b->array, b->written, NULL);
    b->stored = b->library->stored(handle);
    b->library->close(handle);
    cell_print(b, &cell, "write", 1, (int64_t)b->size);
}

static void
time_decode(struct bench *b, const struct layout_box *boxes, int nboxes, float *dst,
            struct bench_times *times)
{
    const double start = bench_now();

    for (int i = 0; i < nboxes; i++) {
        limit_decode(b->streams, &boxes[i], dst);
        dst += dst ? box_nitems(&boxes[i]) : 0;
    }
    bench_times_add(times, bench_now() - start);
}

static void
time_read(struct bench *b, enum storage storage, const struct layout_box *boxes, int nboxes,
          struct bench_times *times)
{
    const char *const path = storage == MEMORY ? NULL : b->path;
    const int64_t last = b->options.side - 1;
    const struct layout_box corner = {{last, last, last}, {last + 1, last + 1, last + 1}};
    void *const handle = b->library->open(&b->array, b->written, path);
    float *dst = b->dst;
    double start;

    // What an open leaves for the first read, such as loading the index, happens here.
    b->library->read(handle, &corner, dst, sizeof *dst);
    start = bench_now();
    for (int i = 0; i < nboxes; i++) {
        const int64_t n = box_nitems(&boxes[i]);
        b->library->read(handle, &boxes[i], dst, (size_t)n * sizeof *dst);
        dst += n;
    }
    bench_times_add(times, bench_now() - start);
    b->library->close(handle);
}

static void
check_read(const struct bench *b, const struct layout_box *boxes, int nboxes, const char *name)
{
    const float *got = b->dst;

    for (int i = 0; i < nboxes; i++) {
        if (!box_equals(&boxes[i], b->field, b->options.side, got))
            bench_die("%s, %s, %s: what was read is not what was written", b->codec, b->filter,
                      name);
        got += box_nitems(&boxes[i]);
    }
}

static void
measure_read(struct bench *b, const struct access *access)
{
    struct layout_box boxes[BOXES_MAX];
    struct cell cell;
    uint64_t state = b->options.seed;
    int64_t bytes = 0;
    int round = 0;

    cell_begin(&cell);
    do {
        draw_boxes(access, b->options.side, &state, boxes);
        bytes = access->nboxes * box_nitems(&boxes[0]) * LAYOUT_ITEM;
        time_copy(b, (size_t)bytes, &cell.copy);
        if (b->streams) {
            time_decode(b, boxes, access->nboxes, NULL, &cell.codec_only);
            time_decode(b, boxes, access->nboxes, b->dst, &cell.limit);
        }
        for (enum storage s = MEMORY; s < NSTORAGES; s++) {
            time_read(b, s, boxes, access->nboxes, &cell.library[s]);
            if (round == 0)
                check_read(b, boxes, access->nboxes, access->name);
        }
    } while (cell_again(&cell, round++, &b->options));
    cell_print(b, &cell, access->name, access->nboxes, bytes);
}

static void
measure_array(struct bench *b)
{
    b->streams = b->blocks ? limit_streams_new(b->blocks, b->array.codec, b->array.level) : NULL;
    b->written = NULL;
    measure_write(b);
    if (b->streams)
        limit_check(b->streams);
    for (size_t i = 0; i < COUNT(accesses); i++)
        measure_read(b, &accesses[i]);
    b->library->close(b->written);
    limit_streams_free(b->streams);
    unlink(b->path);
}

static void
measure_filter(struct bench *b, const struct named *filter)
{
    const struct options *const o = &b->options;
    struct limit_blocks *const blocks =
        o->raw ? limit_blocks_new(b->field, o->side, (enum limit_filter)filter->id) : NULL;

    b->blocks = blocks;
    b->filter = filter->name;
    for (size_t c = 0; c < COUNT(codecs); c++) {
        if (o->codec && strcmp(o->codec, codecs[c].name) != 0)
            continue;
        b->codec = codecs[c].name;
        b->array = (struct cells_array){.side = o->side,
                                        .codec = codecs[c].id,
                                        .level = o->level,
                                        .filter = filter->id,
                                        .threads = o->threads};
        measure_array(b);
    }
    limit_blocks_free(blocks);
}

// Without a filter the slow codecs tell little and take long: only when asked for.
static bool
is_wanted(const struct options *o, const struct named *filter)
{
    if (!o->filter)
        return filter->id != LIMIT_NONE;
    return strcmp(o->filter, "all") == 0 || strcmp(o->filter, filter->name) == 0;
}

int
cells_main(const char *program, const struct cells_library *library, int argc, char **argv)
{
    struct bench b = {.program = program, .library = library};
    char dir[480];

    options_parse(&b.options, program, argc, argv);
    snprintf(dir, sizeof dir, "%s/bench-XXXXXX", b.options.dir);
    if (!mkdtemp(dir))
        bench_die("%s: cannot make a directory", b.options.dir);
    snprintf(b.path, sizeof b.path, "%s/array.b2nd", dir);

    b.size = (size_t)(b.options.side * b.options.side * b.options.side) * sizeof *b.field;
    b.field = bench_alloc(b.size);
    b.dst = bench_alloc(b.size);
    bench_field(b.field, b.options.side, b.options.seed);

    bench_csv_header();
    for (size_t f = 0; f < COUNT(filters); f++)
        if (is_wanted(&b.options, &filters[f]))
            measure_filter(&b, &filters[f]);

    free(b.field);
    free(b.dst);
    rmdir(dir);
    return 0;
}
