/*
 * cache.c - does the cache of decoded blocks keep the right ones, and what does it cost?
 *
 * Three parts, each with a table of CSV on stdout; see --help. "traces": hit rates of the library's
 * cache and of other policies on traces of blocks, and the optimum. "arrays": time per access in an
 * array in memory, by one thread, by two of the library and by eight of the program, with the cache
 * off and on. "boxes": a box of which all blocks are cached, all but one, half, or none. This is
 * the inside: the first part links lib/tessera/cache itself.
 */
#include "arrays.h"
#include "simulate.h"

#include "../support.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct simulator {
    const char *name;
    struct outcome (*run)(const struct trace *t, int32_t nblocks);
} simulators[] = {
    {"optimum", simulate_optimum}, {"lru", simulate_lru},        {"clock", simulate_clock},
    {"2q", simulate_2q},           {"s3-fifo", simulate_s3fifo}, {"w-tinylfu", simulate_wtinylfu},
    {"tessera", simulate_tessera},
};

static const double working_sets[] = {0.5, 1, 1.5, 2, 4, 32}; // in budgets

static void
usage(FILE *out)
{
    fputs("usage: cache [options] > results.csv\n"
          "  --part NAME     traces, arrays or boxes (traces)\n"
          "  --blocks LIST   of traces: blocks that the budget holds (8,128,4096)\n"
          "  --budget MB     of arrays (8: 33 blocks)\n"
          "  --side N        of arrays: items along each of three axes, a multiple of 100 (400)\n"
          "  --edge N        of arrays: of the cubes that are read, 1 to 25 items (10)\n"
          "  --codec NAME    of arrays: lz4, blosclz, zstd, zlib (lz4)\n"
          "  --rounds N      of arrays (9)\n"
          "  --accesses N    of arrays, in a round (800)\n"
          "  --users N       of arrays: 1 or 8 threads of the program (0: both)\n"
          "  --seed N        (1)\n",
          out);
}

static void
run_trace(enum trace_kind kind, double working, int32_t nblocks, uint64_t seed)
{
    struct trace t;

    trace_make(&t, kind, (int32_t)(working * nblocks), nblocks, 200000, seed);
    for (size_t i = 0; i < sizeof simulators / sizeof *simulators; i++) {
        const struct outcome o = simulators[i].run(&t, nblocks);
        const double n = (double)(t.n - t.n / 2);

        bench_csv_machine(stdout);
        printf("%s,%g,%" PRId32 ",%s,%" PRId64 ",%.4f,%.4f\n", trace_names[kind], working, nblocks,
               simulators[i].name, t.n, (double)o.hits / n, (double)o.loads / n);
        fflush(stdout);
    }
    trace_finish(&t);
}

static void
run_traces(const char *list, uint64_t seed)
{
    puts("cpu,compiler,commit,trace,working_set,blocks,policy,accesses,hit_rate,load_rate");
    while (*list) {
        char *end;
        const long nblocks = strtol(list, &end, 10);
        if (nblocks < 4 || nblocks > 1000000 || (*end != ',' && *end != '\0'))
            bench_die("--blocks: numbers from 4 to 1000000 with commas between them");
        for (int kind = 0; kind < NTRACES; kind++)
            for (size_t w = 0; w < sizeof working_sets / sizeof *working_sets; w++)
                run_trace((enum trace_kind)kind, working_sets[w], (int32_t)nblocks, seed);
        list = end + (*end == ',');
    }
}

static int
codec_id(const char *name)
{
    static const struct {
        const char *name;
        int id; // the format's
    } codecs[] = {{"lz4", 1}, {"blosclz", 0}, {"zstd", 5}, {"zlib", 4}};

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return codecs[i].id;
    bench_die("%s: not a codec of this bench", name);
}

int
main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"part", required_argument, NULL, 'p'},   {"blocks", required_argument, NULL, 'b'},
        {"budget", required_argument, NULL, 'B'}, {"side", required_argument, NULL, 's'},
        {"edge", required_argument, NULL, 'E'},   {"codec", required_argument, NULL, 'c'},
        {"rounds", required_argument, NULL, 'r'}, {"accesses", required_argument, NULL, 'a'},
        {"users", required_argument, NULL, 'u'},  {"seed", required_argument, NULL, 'e'},
        {"help", no_argument, NULL, 'h'},         {0},
    };
    struct arrays_rules rules = {.side = 400,
                                 .edge = 10,
                                 .budget = 8 << 20,
                                 .rounds = 9,
                                 .accesses = 800,
                                 .codec = 1,
                                 .level = 5,
                                 .seed = 1};
    const char *part = "traces", *blocks = "8,128,4096";
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 'p':
            part = optarg;
            break;
        case 'b':
            blocks = optarg;
            break;
        case 'B':
            rules.budget = atoll(optarg) << 20;
            break;
        case 's':
            rules.side = atoi(optarg);
            break;
        case 'E':
            rules.edge = atoi(optarg);
            break;
        case 'c':
            rules.codec = codec_id(optarg);
            break;
        case 'r':
            rules.rounds = atoi(optarg);
            break;
        case 'a':
            rules.accesses = atoll(optarg);
            break;
        case 'u':
            rules.users = atoi(optarg);
            break;
        case 'e':
            rules.seed = strtoull(optarg, NULL, 0);
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    if (optind < argc || rules.side < 100 || rules.side % 100 != 0 || rules.edge < 1 ||
        rules.edge > 25 || rules.budget < 4 << 20 || rules.rounds < 1 ||
        rules.rounds > BENCH_ROUNDS_MAX || rules.accesses < 8) {
        usage(stderr);
        return 2;
    }
    if (strcmp(part, "arrays") == 0)
        arrays_run(&rules);
    else if (strcmp(part, "boxes") == 0)
        boxes_run(&rules);
    else if (strcmp(part, "traces") == 0)
        run_traces(blocks, rules.seed);
    else
        bench_die("--part: traces, arrays or boxes");
    return 0;
}
