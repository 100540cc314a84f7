/*
 * compare.c - how does Tessera compare with c-blosc2, with HDF5, and with what is possible?
 *
 * Each cell is one array, codec, filter, number of threads, storage and work; see --help. CSV goes
 * to stdout, one line per cell; a summary to stderr. With --summary the cells come from the CSV of
 * earlier runs instead.
 */
#include "file.h"
#include "many.h"
#include "match.h"
#include "memory.h"

#include "../support.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESULTS_MAX 20000
#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static const struct named {
    const char *name;
    int id; // the format's
} codecs[] = {{"lz4", 1}, {"blosclz", 0}, {"zstd", 5}, {"zlib", 4}},
  filters[] = {{"shuffle", 1}, {"bitshuffle", 2}};

enum { LEVEL = 5 }; // of codecs that are named alone

static const char *const storages[] = {"memory", "disk"};

// Lists of names, separated by commas; NULL: all.
struct options {
    const char *arrays, *data, *codecs, *levels, *filters, *threads, *storages, *works, *sides;
    const char *files;
    int64_t size; // bytes
    int64_t appends; // 0: none
    bool memory, automatic;
    uint64_t seed;
    const char *dir;
    struct match_rules rules;
};

static void
usage(FILE *out)
{
    fputs(
        "usage: compare [options] > results.csv\n"
        "       compare --summary results.csv...\n"
        "Lists are separated by commas.\n"
        "  --array LIST    of F4, F8N, I8, F8, I2 (all)\n"
        "  --data LIST     of rounded (to 0.01), smooth, noisy (by 0.001): what floats are "
        "(rounded);\n"
        "                  I8 are integers, I2 is an image with a noisy low byte\n"
        "  --file LIST     .b2nd files, whose items, shapes, types and grids are used instead of\n"
        "                  these arrays\n"
        "  --codec LIST    of lz4, blosclz, zstd, zlib (all)\n"
        "  --filter LIST   of shuffle, bitshuffle (shuffle)\n"
        "  --threads LIST  of 1, 2 (1)\n"
        "  --storage LIST  of memory, disk (memory)\n"
        "  --work LIST     names of cells or groups, or their beginnings (all): write, read,\n"
        "                  planes, lines, points, cubes10, cubes100, chunks, set-plane,\n"
        "                  set-element, rows-read, rows-set, sparse, orthogonal\n"
        "  --side LIST     beside Tessera with its cache off: default, which is Tessera as it "
        "comes,\n"
        "                  blosc2, hdf5 (these, if they are there), b2nd: as it comes, through "
        "the\n"
        "                  interface of c-blosc2; the budget of their caches is one\n"
        "  --size MB       of each array, in whole chunks; 0: full size (64)\n"
        "  --appends N     of one chunk of 4 KiB to a file, 2000 or more; then the file is "
        "opened;\n"
        "                  nothing else is done unless --work is given\n"
        "  --memory        not times, but the peak of memory that reads of files take\n"
        "  --automatic     Tessera is told type and shape alone, c-blosc2 what python-blosc2 does\n"
        "                  then; --codec, --filter and --level say nothing\n"
        "  --level LIST    of the codecs, 1 to 9 (5); others than 5 are named with the codec\n"
        "  --repeats N     rounds per cell at least (5)\n"
        "  --budget S      seconds per cell and library at least (0.15)\n"
        "  --patience S    seconds after which a library is not asked again (10)\n"
        "  --cpu-time      of this process, not of the clock on the wall: one thread only\n"
        "  --no-limit      leave out the codecs alone\n"
        "  --liblz4        the codecs alone decode LZ4 with its library, not with our decoder\n"
        "  --seed N        of data and positions (1)\n"
        "  --dir PATH      where files are written ($TMPDIR or /tmp)\n",
        out);
}

// Whether a list has a name, or its beginning up to a dash.
static bool
listed(const char *list, const char *name)
{
    while (list && *list) {
        const size_t n = strcspn(list, ",");
        if (strncmp(list, name, n) == 0 && (name[n] == '\0' || name[n] == '-'))
            return true;
        list += n + (list[n] == ',');
    }
    return !list;
}

// The files behind the options, as one table.
static int
summary(int nfiles, char **files)
{
    struct result *const results = bench_alloc(RESULTS_MAX * sizeof *results);
    int n = 0;

    for (int i = 0; i < nfiles; i++) {
        FILE *const f = fopen(files[i], "r");
        char line[1024];
        if (!f)
            bench_die("%s: cannot be read", files[i]);
        while (n < RESULTS_MAX && fgets(line, sizeof line, f))
            n += result_parse(line, &results[n]);
        fclose(f);
    }
    results_summary(results, n);
    free(results);
    return 0;
}

static void
options_parse(struct options *o, int argc, char **argv)
{
    static const struct option longs[] = {
        {"array", required_argument, NULL, 'a'},
        {"codec", required_argument, NULL, 'c'},
        {"filter", required_argument, NULL, 'f'},
        {"threads", required_argument, NULL, 't'},
        {"storage", required_argument, NULL, 'm'},
        {"work", required_argument, NULL, 'w'},
        {"side", required_argument, NULL, 'i'},
        {"size", required_argument, NULL, 's'},
        {"appends", required_argument, NULL, 'A'},
        {"memory", no_argument, NULL, 'M'},
        {"automatic", no_argument, NULL, 'u'},
        {"level", required_argument, NULL, 'l'},
        {"repeats", required_argument, NULL, 'r'},
        {"budget", required_argument, NULL, 'b'},
        {"patience", required_argument, NULL, 'p'},
        {"seed", required_argument, NULL, 'e'},
        {"dir", required_argument, NULL, 'd'},
        {"cpu-time", no_argument, NULL, 'C'},
        {"no-limit", no_argument, NULL, 'L'},
        {"liblz4", no_argument, NULL, '4'},
        {"file", required_argument, NULL, 'F'},
        {"summary", no_argument, NULL, 'S'},
        {"data", required_argument, NULL, 'D'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *const tmp = getenv("TMPDIR");
    int c;

    *o = (struct options){.data = "rounded",
                          .levels = "5",
                          .filters = "shuffle",
                          .threads = "1",
                          .storages = "memory",
                          .size = (int64_t)64 << 20,
                          .seed = 1,
                          .dir = tmp ? tmp : "/tmp",
                          .rules = {.repeats = 5, .budget = 0.15, .patience = 10, .limit = true}};
    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
        switch (c) {
        case 'a':
            o->arrays = optarg;
            break;
        case 'c':
            o->codecs = optarg;
            break;
        case 'f':
            o->filters = optarg;
            break;
        case 't':
            o->threads = optarg;
            break;
        case 'm':
            o->storages = optarg;
            break;
        case 'w':
            o->works = optarg;
            break;
        case 'i':
            o->sides = optarg;
            break;
        case 's':
            o->size = atoll(optarg) << 20;
            break;
        case 'A':
            o->appends = (atoll(optarg) + 999) / 1000 * 1000;
            break;
        case 'M':
            o->memory = true;
            break;
        case 'u':
            o->automatic = true;
            break;
        case 'l':
            o->levels = optarg;
            break;
        case 'r':
            o->rules.repeats = atoi(optarg);
            break;
        case 'b':
            o->rules.budget = atof(optarg);
            break;
        case 'p':
            o->rules.patience = atof(optarg);
            break;
        case 'e':
            o->seed = strtoull(optarg, NULL, 0);
            break;
        case 'd':
            o->dir = optarg;
            break;
        case 'C':
            o->rules.cpu_time = true;
            break;
        case 'L':
            o->rules.limit = false;
            break;
        case '4':
            o->rules.liblz4 = true;
            break;
        case 'D':
            o->data = optarg;
            break;
        case 'F':
            o->files = optarg;
            break;
        case 'S':
            exit(summary(argc - optind, argv + optind));
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    if (o->automatic) { // once, and the codec alone is of no use
        o->codecs = "lz4";
        o->levels = "5";
        o->filters = "shuffle";
        o->rules.limit = false;
    }
    if (optind < argc || o->appends < 0 || (o->appends > 0 && o->appends < 2000) ||
        o->rules.repeats < 1 || o->rules.repeats > BENCH_ROUNDS_MAX ||
        strspn(o->levels, "123456789,") < strlen(o->levels)) {
        usage(stderr);
        exit(2);
    }
}

struct compare {
    struct options options;
    const struct side *sides[NPLAYERS];
    char dir[480];
    struct result *results;
    int nresults;
};

static void
find_sides(struct compare *c)
{
    c->sides[TESSERA] = &side_tessera;
    if (listed(c->options.sides, "default"))
        c->sides[DEFAULTS] = &side_tessera;
#ifdef HAVE_B2ND
    if (c->options.sides && listed(c->options.sides, "b2nd"))
        c->sides[B2ND] = side_b2nd_get();
#endif
    if (listed(c->options.sides, "blosc2"))
        c->sides[BLOSC2] = side_blosc2();
#ifdef HAVE_HDF5
    if (listed(c->options.sides, "hdf5"))
        c->sides[HDF5] = &side_hdf5;
#endif
    for (int i = 0; i < NPLAYERS; i++)
        if (c->sides[i])
            fprintf(stderr, "%s: %s\n", c->sides[i]->name,
                    c->sides[i]->codec_home ? c->sides[i]->codec_home() : "its own codecs");
}

// All cells of one array as it is stored; *r says which.
static void
compare_array(struct compare *c, const struct side_array *array, const void *src,
              const struct result *r)
{
    struct match *const m = match_new(c->sides, array, c->dir, src, &c->options.rules);
    struct works works;

    works_init(&works, array, c->options.seed);
    for (int i = 0; i < works.n; i++) {
        const struct work *const work = &works.list[i];
        struct result *const result = &c->results[c->nresults];

        if (!listed(c->options.works, work->name) && !listed(c->options.works, work->group))
            continue;
        if (c->nresults++ == RESULTS_MAX)
            bench_die("more than %d cells", RESULTS_MAX);
        *result = *r;
        snprintf(result->group, sizeof result->group, "%s", work->group);
        snprintf(result->work, sizeof result->work, "%s", work->name);
        match_play(m, work, result);
        result_print(result);
    }
    works_finish(&works);
    match_free(m);
}

static void
compare_storages(struct compare *c, struct side_array *array, const void *src, struct result *r)
{
    for (int threads = 1; threads <= 2; threads++)
        for (int s = 0; s < COUNT(storages); s++) {
            char text[8];

            snprintf(text, sizeof text, "%d", threads);
            if (!listed(c->options.threads, text) || !listed(c->options.storages, storages[s]))
                continue;
            array->threads = r->threads = threads;
            if (c->options.memory) {
                memory_play(c->sides, array, c->dir, src, c->options.seed, r);
                continue;
            }
            array->path = s == 1 ? c->dir : NULL; // each player has its own
            snprintf(r->storage, sizeof r->storage, "%s", storages[s]);
            compare_array(c, array, src, r);
        }
}

static void
compare_filters(struct compare *c, struct side_array *array, const void *src, struct result *r)
{
    for (int f = 0; f < COUNT(filters); f++) {
        if (!listed(c->options.filters, filters[f].name))
            continue;
        array->filter = filters[f].id;
        snprintf(r->filter, sizeof r->filter, "%s", filters[f].name);
        compare_storages(c, array, src, r);
    }
}

// An array with each of the codecs, levels and filters, and all that comes below; *r has its name.
static void
compare_codecs(struct compare *c, struct side_array *array, const void *src, struct result *r)
{
    array->automatic = c->options.automatic;
    for (int i = 0; i < COUNT(codecs); i++)
        for (int level = 1; level <= 9; level++) {
            const char text[2] = {(char)('0' + level), '\0'};
            if (!listed(c->options.codecs, codecs[i].name) || !listed(c->options.levels, text))
                continue;
            array->codec = codecs[i].id;
            array->level = level;
            snprintf(r->codec, sizeof r->codec, level == LEVEL || array->automatic ? "%s" : "%s:%d",
                     array->automatic ? "automatic" : codecs[i].name, level);
            compare_filters(c, array, src, r);
        }
}

static void
compare_workload(struct compare *c, const struct workload *w)
{
    static const char *const names[] = {
        [DATA_ROUNDED] = "rounded", [DATA_SMOOTH] = "smooth", [DATA_NOISY] = "noisy"};
    const int kinds = w->dtype[1] == 'f' ? COUNT(names) : 1;

    for (int kind = 0; kind < kinds; kind++) {
        struct result r = {0};
        struct side_array array;
        if (kinds > 1 && !listed(c->options.data, names[kind]))
            continue;
        workload_array(w, c->options.size, &array);
        array.data = (enum side_data)kind;
        void *const src = bench_alloc(array_size(&array));
        workload_fill(&array, c->options.seed, src);
        snprintf(r.array, sizeof r.array, kind == DATA_ROUNDED ? "%s" : "%s-%s", w->name,
                 names[kind]);
        compare_codecs(c, &array, src, &r);
        free(src);
    }
}

static void
compare_files(struct compare *c)
{
    const char *list = c->options.files;

    while (*list) {
        const size_t n = strcspn(list, ",");
        char path[512];
        struct result r = {0};
        struct side_array array;
        void *src;

        snprintf(path, sizeof path, "%.*s", (int)n, list);
        src = file_load(path, &array);
        file_name(path, r.array, sizeof r.array);
        compare_codecs(c, &array, src, &r);
        free(src);
        list += n + (list[n] == ',');
    }
}

// Many small chunks, for each codec.
static void
compare_many(struct compare *c)
{
    struct result r = {.threads = 1}, cells[MANY_CELLS];
    struct side_array array;

    many_array(&array);
    array.level = LEVEL;
    array.threads = 1;
    array.filter = filters[0].id;
    snprintf(r.filter, sizeof r.filter, "%s", filters[0].name);
    for (int i = 0; i < COUNT(codecs); i++) {
        if (!listed(c->options.codecs, codecs[i].name))
            continue;
        array.codec = codecs[i].id;
        snprintf(r.codec, sizeof r.codec, "%s", codecs[i].name);
        many_play(c->sides, &array, c->dir, c->options.appends, &r, cells);
        for (int k = 0; k < MANY_CELLS; k++) {
            result_print(&cells[k]);
            c->results[c->nresults++] = cells[k];
        }
    }
}

int
main(int argc, char **argv)
{
    struct compare c = {.nresults = 0};

    options_parse(&c.options, argc, argv);
    snprintf(c.dir, sizeof c.dir, "%s/compare-XXXXXX", c.options.dir);
    if (!mkdtemp(c.dir))
        bench_die("%s: cannot make a directory", c.options.dir);
    c.results = bench_alloc(RESULTS_MAX * sizeof *c.results);
    find_sides(&c);
    if (c.options.memory)
        memory_header();
    else
        result_header();
    if (c.options.appends > 0)
        compare_many(&c);
    if (c.options.files)
        compare_files(&c);
    for (int i = 0;
         i < nworkloads && !c.options.files && (c.options.appends == 0 || c.options.works); i++)
        if (listed(c.options.arrays, workloads[i].name))
            compare_workload(&c, &workloads[i]);
    if (!c.options.memory)
        results_summary(c.results, c.nresults);
    free(c.results);
    rmdir(c.dir);
    return 0;
}
