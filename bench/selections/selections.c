/*
 * selections.c - what do the operations on whole arrays cost: slices, points, masks, views,
 * resizing, copies?
 *
 * Each cell is done by Tessera's own operation, by hand with reads and writes of boxes, and by
 * c-blosc2 where it has the operation; in turns, in memory. First their results are compared. A
 * table goes to stdout, with the medians of all and what "by hand" means:
 *
 *     bench/selections/selections --codec zstd --threads 2 --csv FILE
 *     bench/selections/selections --rechunk 2
 *
 * The second is about a copy of an array on disk, in bounded memory. See --help.
 */
#include "job.h"
#include "rechunk.h"

#include "../compare/workloads.h"
#include "../support.h"

#include <tessera.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How much faster an operation is to be: than c-blosc2, and than by hand where that has none.
#define GOAL_BLOSC2 2.0
#define GOAL_HAND 5.0

enum player { OURS, HAND, BLOSC2, NPLAYERS };

struct options {
    const char *cells; // part of their names; NULL: all
    const char *codec;
    int threads;
    int64_t size;
    int level, repeats;
    double budget, patience;
    uint64_t seed;
    bool alone;
    FILE *csv; // NULL: none
    int64_t rechunk; // GiB; 0: not asked for
    const char *dir;
};

struct run {
    const struct options *options;
    struct job job;
    void *base[NPLAYERS]; // the array; never changed
    float *dst, *expected; // results, twice the array each
    int won, goals;
};

static void
usage(FILE *out)
{
    fputs("usage: selections [options]\n"
          "  --cell TEXT     only cells with this in their name\n"
          "  --codec NAME    lz4, blosclz, zstd or zlib (lz4)\n"
          "  --level N       of the codec, 1 to 9 (5)\n"
          "  --threads N     (1)\n"
          "  --size MB       of the array, in chunks of 4 MB (64)\n"
          "  --repeats N     rounds per cell at least (5)\n"
          "  --budget S      seconds per cell and player at least (0.3)\n"
          "  --patience S    seconds after which a player is not asked again (4)\n"
          "  --seed N        of data and positions (1)\n"
          "  --alone         neither c-blosc2 nor by hand: for a profile\n"
          "  --csv FILE      the same as CSV\n"
          "  --rechunk GIB   instead of all this, copy an array of planes on disk to columns\n"
          "  --dir PATH      where that is written ($TMPDIR or /tmp); takes its size, about\n",
          out);
}

static void
options_parse(struct options *o, int argc, char **argv)
{
    static const struct option longs[] = {
        {"cell", required_argument, NULL, 'c'},
        {"codec", required_argument, NULL, 'C'},
        {"level", required_argument, NULL, 'l'},
        {"threads", required_argument, NULL, 't'},
        {"size", required_argument, NULL, 's'},
        {"repeats", required_argument, NULL, 'r'},
        {"budget", required_argument, NULL, 'b'},
        {"patience", required_argument, NULL, 'p'},
        {"seed", required_argument, NULL, 'e'},
        {"csv", required_argument, NULL, 'o'},
        {"rechunk", required_argument, NULL, 'R'},
        {"dir", required_argument, NULL, 'd'},
        {"alone", no_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *const tmp = getenv("TMPDIR");
    int c;

    *o = (struct options){.codec = "lz4",
                          .threads = 1,
                          .size = (int64_t)64 << 20,
                          .level = 5,
                          .repeats = 5,
                          .budget = 0.3,
                          .patience = 4,
                          .seed = 1,
                          .dir = tmp ? tmp : "/tmp"};
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 'c':
            o->cells = optarg;
            break;
        case 'C':
            o->codec = optarg;
            break;
        case 'l':
            o->level = atoi(optarg);
            break;
        case 't':
            o->threads = atoi(optarg);
            break;
        case 's':
            o->size = atoll(optarg) << 20;
            break;
        case 'r':
            o->repeats = atoi(optarg);
            break;
        case 'b':
            o->budget = atof(optarg);
            break;
        case 'p':
            o->patience = atof(optarg);
            break;
        case 'e':
            o->seed = strtoull(optarg, NULL, 0);
            break;
        case 'a':
            o->alone = true;
            break;
        case 'o':
            o->csv = fopen(optarg, "w");
            if (!o->csv)
                bench_die("%s: cannot be written", optarg);
            break;
        case 'R':
            o->rechunk = atoll(optarg);
            break;
        case 'd':
            o->dir = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    if (optind < argc || o->repeats < 1 || o->repeats > BENCH_ROUNDS_MAX || o->rechunk < 0) {
        usage(stderr);
        exit(2);
    }
}

static int
codec_id(const char *name)
{
    static const struct {
        const char *name;
        int id;
    } codecs[] = {{"blosclz", TESS_CODEC_BLOSCLZ},
                  {"lz4", TESS_CODEC_LZ4},
                  {"zlib", TESS_CODEC_ZLIB},
                  {"zstd", TESS_CODEC_ZSTD}};

    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (strcmp(name, codecs[i].name) == 0)
            return codecs[i].id;
    bench_die("%s: no such codec", name);
}

static void
run_init(struct run *r, const struct options *o)
{
    struct side_array array;

    *r = (struct run){.options = o};
    workload_array(&workloads[0], o->size, &array);
    array.shape[1] -= 13; // see job.h
    array.codec = codec_id(o->codec);
    array.level = o->level;
    array.filter = TESS_FILTER_SHUFFLE;
    array.threads = o->threads;
    array.cache = true;
    job_init(&r->job, &array, &side_tessera, side_blosc2(), o->seed);
    for (int p = 0; p < NPLAYERS; p++) {
        const struct side *const side = p == BLOSC2 ? r->job.blosc2 : r->job.tessera;
        if (!side)
            continue;
        r->base[p] = side->create(&array, r->job.items, r->job.size);
        side->flush(r->base[p]);
        fprintf(stderr, "%s: %s\n", p == HAND ? "by hand" : side->name, side->codec_home());
    }
    r->dst = bench_alloc(2 * r->job.size);
    r->expected = bench_alloc(2 * r->job.size);
}

static void
run_finish(struct run *r)
{
    for (int p = 0; p < NPLAYERS; p++)
        if (r->base[p])
            (p == BLOSC2 ? r->job.blosc2 : r->job.tessera)->close(r->base[p]);
    job_finish(&r->job);
    free(r->dst);
    free(r->expected);
}

static turn_fn *
function(const struct run *r, const struct cell *cell, enum player p)
{
    if (p != OURS && r->options->alone)
        return NULL;
    if (p == HAND)
        return cell->hand;
    if (p == BLOSC2)
        return r->job.blosc2 ? cell->any : NULL;
    return cell->any ? cell->any : cell->ours;
}

// The array that came out, into dst.
static void
read_result(struct turn *t, void *a)
{
    struct side_box all = {{0}, {0}};

    t->used = sizeof *t->dst;
    for (int i = t->side->shape(a, all.stop) - 1; i >= 0; i--)
        t->used *= (size_t)all.stop[i];
    if (t->used > 2 * t->job->size)
        bench_die("a result of %zu bytes", t->used);
    t->side->read(a, &all, t->dst, t->used);
}

// One turn: the seconds it took. With `used`, the result is in dst.
static double
play(const struct run *r, const struct cell *cell, enum player p, float *dst, size_t *used)
{
    struct turn t = {.job = &r->job, .base = r->base[p], .dst = dst};

    t.side = p == BLOSC2 ? r->job.blosc2 : r->job.tessera;
    t.a = cell->kind == CHANGES ? t.side->copy(&r->job.array, t.base)
                                : t.side->open(&r->job.array, t.base);
    const double start = bench_now();
    function(r, cell, p)(&t);
    void *const result = t.made ? t.made : cell->kind == CHANGES ? t.a : NULL;
    if (result)
        t.side->flush(result);
    const double seconds = bench_now() - start;
    if (used && result)
        read_result(&t, result);
    if (used)
        *used = t.used;
    if (t.made)
        t.side->close(t.made);
    if (t.a != t.base)
        t.side->close(t.a);
    return seconds;
}

// All do the same; also their warm-up.
static void
check(const struct run *r, const struct cell *cell)
{
    size_t expected = 0, used;

    play(r, cell, OURS, r->expected, &expected);
    for (enum player p = HAND; p < NPLAYERS; p++) {
        if (!function(r, cell, p))
            continue;
        memset(r->dst, 0xa5, 2 * r->job.size);
        play(r, cell, p, r->dst, &used);
        if (used != expected || memcmp(r->dst, r->expected, used) != 0)
            bench_die("%s: another result %s", cell->name, p == HAND ? "by hand" : "of c-blosc2");
    }
}

static double
sum(const struct bench_times *t)
{
    double s = 0;

    for (int i = 0; i < t->n; i++)
        s += t->seconds[i];
    return s;
}

// Whether a player has another turn.
static bool
wanted(const struct options *o, const struct bench_times *t)
{
    const double spent = sum(t);

    return t->n == 0 || (spent < o->patience && (t->n < o->repeats || spent < o->budget) &&
                         t->n < BENCH_ROUNDS_MAX / 10);
}

static void
rounds(const struct run *r, const struct cell *cell, struct bench_times *times)
{
    bool more = true;

    while (more) {
        more = false;
        for (enum player p = OURS; p < NPLAYERS; p++)
            if (function(r, cell, p) && wanted(r->options, &times[p])) {
                bench_times_add(&times[p], play(r, cell, p, r->dst, NULL));
                more = true;
            }
    }
}

static void
table_header(const struct run *r)
{
    const struct side_array *const a = &r->job.array;

    printf("%" PRId64 " x %" PRId64 " x %" PRId64 " float32 in chunks of %" PRId64 " x %" PRId64
           " x %" PRId64 ", blocks of %" PRId64 " x %" PRId64 " x %" PRId64
           "; %s level %d, shuffle; memory; threads: %d\n\n",
           a->shape[0], a->shape[1], a->shape[2], a->chunk[0], a->chunk[1], a->chunk[2],
           a->block[0], a->block[1], a->block[2], r->options->codec, a->level, a->threads);
    printf("%-32s %10s %10s %8s  %10s %8s  %s\n", "ms", "tessera", "by hand", "ratio", "c-blosc2",
           "ratio", "by hand is");
    if (!r->options->csv)
        return;
    fputs("cpu,compiler,commit,cell,codec,level,filter,threads,bytes,repeats,tessera_s,hand_s,"
          "blosc2_s,hand_ratio,blosc2_ratio,goal,by_hand\n",
          r->options->csv);
}

static void
print_time(double seconds, double ours, bool goal, double wanted_ratio)
{
    if (seconds > 0)
        printf(" %10.3f %8.2f%c", seconds * 1e3, seconds / ours,
               goal && seconds / ours < wanted_ratio ? '!' : ' ');
    else
        printf(" %10s %8s ", "", "");
}

static void
csv_number(FILE *csv, double x)
{
    if (x > 0)
        fprintf(csv, "%.9f", x);
    putc(',', csv);
}

static void
report(struct run *r, const struct cell *cell, const struct bench_times *times)
{
    double s[NPLAYERS];
    FILE *const csv = r->options->csv;

    for (int p = 0; p < NPLAYERS; p++)
        s[p] = bench_times_median(&times[p]);
    const enum player rival = cell->any ? BLOSC2 : HAND;
    const double goal = cell->any ? GOAL_BLOSC2 : GOAL_HAND;
    if (s[rival] > 0) {
        r->goals++;
        r->won += s[rival] / s[OURS] >= goal;
    }
    printf("%-32s %10.3f", cell->name, s[OURS] * 1e3);
    print_time(s[HAND], s[OURS], rival == HAND, goal);
    print_time(s[BLOSC2], s[OURS], rival == BLOSC2, goal);
    printf("  %s\n", cell->by_hand ? cell->by_hand : "");
    fflush(stdout);
    if (!csv)
        return;
    bench_csv_machine(csv);
    fprintf(csv, "\"%s\",%s,%d,shuffle,%d,%zu,%d,", cell->name, r->options->codec,
            r->options->level, r->options->threads, r->job.size, times[OURS].n);
    for (int p = 0; p < NPLAYERS; p++)
        csv_number(csv, s[p]);
    csv_number(csv, s[HAND] / s[OURS]);
    csv_number(csv, s[BLOSC2] / s[OURS]);
    fprintf(csv, "%.0f,\"%s\"\n", goal, cell->by_hand ? cell->by_hand : "");
    fflush(csv);
}

static void
play_cells(struct run *r, const struct cell *cells)
{
    for (const struct cell *cell = cells; cell->name; cell++) {
        struct bench_times times[NPLAYERS] = {0};

        if (r->options->cells && !strstr(cell->name, r->options->cells))
            continue;
        check(r, cell);
        rounds(r, cell, times);
        report(r, cell, times);
    }
}

static void
table_footer(const struct run *r)
{
    printf(
        "\nMedians; a ratio above 1 says that Tessera's operation is faster. The goal is %.0f "
        "times as fast as\nc-blosc2 where that has the operation, else %.0f times as fast as by "
        "hand: met in %d of %d cells,\nmissed where a ratio has a \"!\". By hand is Tessera, "
        "too: reads and writes of boxes with the same\nthreads, loops in C with one, into memory "
        "whose pages are there already. Handles are new for each\nturn, so their caches are "
        "empty. Changes count until they are committed.\n",
        GOAL_BLOSC2, GOAL_HAND, r->won, r->goals);
}

int
main(int argc, char **argv)
{
    static struct run r;
    struct options o;

    options_parse(&o, argc, argv);
    if (o.rechunk > 0) {
        rechunk_play(o.rechunk, o.threads, codec_id(o.codec), o.level, o.dir, o.seed, o.csv);
    } else {
        run_init(&r, &o);
        table_header(&r);
        play_cells(&r, cells_slice);
        play_cells(&r, cells_pick);
        play_cells(&r, cells_write);
        play_cells(&r, cells_shape);
        play_cells(&r, cells_copy);
        table_footer(&r);
        run_finish(&r);
    }
    if (o.csv && fclose(o.csv) != 0)
        bench_die("the CSV cannot be written");
    return 0;
}
