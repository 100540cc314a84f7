/*
 * commits.c - what do commits and checksums cost, in time and in space?
 *
 * Five parts, each with a table on stdout; see --help. Files are written to a directory and
 * removed. Time depends on what disk it is on; space does not, so that part is quicker in memory:
 *
 *     bench/commits/commits --part cost,streams,verify,ledger --csv FILE
 *     bench/commits/commits --part space --dir /dev/shm
 *     bench/commits/commits --part space --dir /dev/shm --overwrites 2000 --chunks 1000
 */
#include "job.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    void (*play)(const struct job *job);
} parts[] = {
    {"cost", cost_play},     {"streams", streams_play}, {"verify", verify_play},
    {"ledger", ledger_play}, {"space", space_play},
};

static void
usage(FILE *out)
{
    fputs("usage: commits [options]\n"
          "  --part LIST     of cost, streams, verify, ledger, space (all)\n"
          "  --cell TEXT     only cells with this in their name\n"
          "  --codec NAME    lz4 or zstd (both)\n"
          "  --level N       of the codec, 1 to 9 (5)\n"
          "  --threads N     of what writes (1)\n"
          "  --size MB       of the array that is written and read (64)\n"
          "  --chunks N      of the arrays of ledger and space, at most (all sizes)\n"
          "  --chunk KB      of a chunk there (64)\n"
          "  --overwrites N  of chunks, or parts of them (100000)\n"
          "  --reopens N     meanwhile (20)\n"
          "  --repeats N     rounds per cell at least (9)\n"
          "  --budget S      seconds per cell and player at least (0.3)\n"
          "  --seed N        of data and positions (1)\n"
          "  --dir PATH      where files are written ($TMPDIR or /tmp)\n"
          "  --csv FILE      the same as CSV\n",
          out);
}

// The parts that were asked for; the directory of the files.
static void
job_parse(struct job *j, const char **list, int argc, char **argv)
{
    static const struct option longs[] = {
        {"part", required_argument, NULL, 'p'},
        {"cell", required_argument, NULL, 'c'},
        {"codec", required_argument, NULL, 'C'},
        {"level", required_argument, NULL, 'l'},
        {"threads", required_argument, NULL, 't'},
        {"size", required_argument, NULL, 's'},
        {"chunks", required_argument, NULL, 'n'},
        {"chunk", required_argument, NULL, 'k'},
        {"overwrites", required_argument, NULL, 'w'},
        {"reopens", required_argument, NULL, 'R'},
        {"repeats", required_argument, NULL, 'r'},
        {"budget", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 'e'},
        {"dir", required_argument, NULL, 'd'},
        {"csv", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *const tmp = getenv("TMPDIR");
    const char *dir = tmp ? tmp : "/tmp";
    int c;

    *j = (struct job){.level = 5,
                      .threads = 1,
                      .repeats = 9,
                      .budget = 0.3,
                      .size = (int64_t)64 << 20,
                      .chunks = INT64_MAX,
                      .chunk = 64 << 10,
                      .overwrites = 100000,
                      .reopens = 20,
                      .seed = 1};
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 'p':
            *list = optarg;
            break;
        case 'c':
            j->cells = optarg;
            break;
        case 'C':
            j->codec = optarg;
            break;
        case 'l':
            j->level = atoi(optarg);
            break;
        case 't':
            j->threads = atoi(optarg);
            break;
        case 's':
            j->size = atoll(optarg) << 20;
            break;
        case 'n':
            j->chunks = atoll(optarg);
            break;
        case 'k':
            j->chunk = atoll(optarg) << 10;
            break;
        case 'w':
            j->overwrites = atoll(optarg);
            break;
        case 'R':
            j->reopens = atoi(optarg);
            break;
        case 'r':
            j->repeats = atoi(optarg);
            break;
        case 'b':
            j->budget = atof(optarg);
            break;
        case 'e':
            j->seed = strtoull(optarg, NULL, 0);
            break;
        case 'd':
            dir = optarg;
            break;
        case 'o':
            j->csv = fopen(optarg, "w");
            if (!j->csv)
                bench_die("%s: cannot be written", optarg);
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    if (optind < argc || j->repeats < 1 || j->reopens < 0 || j->overwrites < 1 || j->chunk < 1) {
        usage(stderr);
        exit(2);
    }
    snprintf(j->path, sizeof j->path, "%s/commits-%ld", dir, (long)getpid());
}

// Whether a list, with commas, has a word.
static bool
has(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

int
main(int argc, char **argv)
{
    const char *list = "cost,streams,verify,ledger,space";
    struct job job;

    job_parse(&job, &list, argc, argv);
    if (job.csv)
        fputs("cpu,compiler,commit,part,cell,player,repeats,unit,value\n", job.csv);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (has(list, parts[i].name))
            parts[i].play(&job);
    path_remove(job.path);
    if (job.csv && fclose(job.csv) != 0)
        bench_die("the CSV cannot be written");
    return 0;
}
