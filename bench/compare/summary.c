/*
 * summary.c - geometric means per group, threads and codec, and the cells that are not won.
 */
#include "result.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LOST 0.97
#define LOST_DEFAULTS 0.95
#define LOST_B2ND 0.95

struct mean {
    double logs;
    int n;
};

static void
mean_add(struct mean *m, double other, double ours)
{
    if (other > 0 && ours > 0) {
        m->logs += log(other / ours);
        m->n++;
    }
}

static void
mean_print(const struct mean *m)
{
    if (m->n > 0)
        fprintf(stderr, " %8.2f (%3d)", exp(m->logs / m->n), m->n);
    else
        fprintf(stderr, " %14s", "");
}

// A line of the summary: the cells that agree with all that is given. "read+slice" is both.
static void
summarize(const struct result *results, int n, const char *group, int threads, const char *codec)
{
    struct mean blosc2 = {0}, hdf5 = {0}, limit = {0}, kept = {0}, off = {0}, b2nd = {0};

    for (int i = 0; i < n; i++) {
        const struct result *const r = &results[i];
        const bool both = strcmp(group, "read+slice") == 0 &&
                          (strcmp(r->group, "read") == 0 || strcmp(r->group, "slice") == 0);
        if ((!both && strcmp(r->group, group) != 0) || r->threads != threads ||
            (codec && strcmp(r->codec, codec) != 0))
            continue;
        mean_add(&blosc2, r->seconds[BLOSC2], r->seconds[TESSERA]);
        mean_add(&hdf5, r->seconds[HDF5], r->seconds[TESSERA]);
        mean_add(&limit, r->limit, r->seconds[TESSERA]);
        mean_add(&kept, r->seconds[BLOSC2], r->seconds[DEFAULTS]);
        mean_add(&off, r->seconds[TESSERA], r->seconds[DEFAULTS]);
        mean_add(&b2nd, r->seconds[B2ND], r->seconds[DEFAULTS]);
    }
    if (blosc2.n + hdf5.n + limit.n + off.n + b2nd.n == 0)
        return;
    fprintf(stderr, "%-12s %7d %-8s", group, threads, codec ? codec : "all");
    mean_print(&blosc2);
    mean_print(&hdf5);
    mean_print(&limit);
    mean_print(&kept);
    mean_print(&off);
    mean_print(&b2nd);
    fputc('\n', stderr);
}

// The cells in which one player is faster than another one by more than `bound`.
static void
print_lost(const struct result *results, int n, int player, int other, double bound)
{
    for (int i = 0; i < n; i++) {
        const struct result *const r = &results[i];
        const double ratio = r->seconds[player] > 0 ? r->seconds[other] / r->seconds[player] : 0;
        if (ratio > 0 && ratio < bound)
            fprintf(stderr, "%5.2f  %s %s %s, %d thread%s, %s: %s, %.6f s%s%s\n", ratio, r->array,
                    r->codec, r->filter, r->threads, r->threads > 1 ? "s" : "", r->storage, r->work,
                    r->seconds[player], r->remark[0] ? "; " : "", r->remark);
    }
}

void
results_summary(const struct result *results, int n)
{
    static const char *const groups[] = {"read+slice", "read",   "slice",      "write",  "set",
                                         "rows",       "sparse", "orthogonal", "append", "open"},
                             *const codecs[] = {NULL, "lz4", "blosclz", "zstd", "zlib"};

    fprintf(stderr,
            "\nother / tessera, geometric means (cells); * tessera as it comes\n"
            "%-12s %7s %-8s %14s %14s %14s %14s %14s %14s\n",
            "group", "threads", "codec", "c-blosc2", "HDF5", "limit", "c-blosc2 *", "cache off *",
            "b2nd *");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (int threads = 1; threads <= 2; threads++)
            for (size_t c = 0; c < sizeof codecs / sizeof codecs[0]; c++)
                summarize(results, n, groups[g], threads, codecs[c]);
    fprintf(stderr, "\ncells below %.2f of c-blosc2:\n", LOST);
    print_lost(results, n, TESSERA, BLOSC2, LOST);
    fprintf(stderr, "\ncells as it comes below %.2f of those with the cache off:\n", LOST_DEFAULTS);
    print_lost(results, n, DEFAULTS, TESSERA, LOST_DEFAULTS);
    fprintf(stderr, "\ncells through b2nd.h below %.2f of those as it comes:\n", LOST_B2ND);
    print_lost(results, n, B2ND, DEFAULTS, LOST_B2ND);
}
