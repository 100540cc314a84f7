/*
 * result_text.c - what a search for layouts has found, as a table and in words.
 */
#include "layout/result.h"
#include "layout/verdict.h"
#include "report.h"
#include "text/table.h"
#include "text/text.h"

#include <stdbool.h>
#include <string.h>

#define SHAPE_SIZE 256
#define ROWS_MOST 14 // besides those with a role
#define TIME_SIZE 32

// Three digits and a unit.
static void
format_time(double seconds, char text[TIME_SIZE])
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;

    while (seconds < 1 && unit < 3) {
        seconds *= 1000;
        unit++;
    }
    (void)snprintf(text, TIME_SIZE, "%.*f %s",
                   seconds < 9.995   ? 2
                   : seconds < 99.95 ? 1
                                     : 0,
                   seconds, units[unit]);
}

static double
megabytes_per_second(const struct result *r, double seconds)
{
    return seconds > 0 ? (double)r->info.sample_size / seconds / 1e6 : 0;
}

static void
print_heading(const struct result *r, FILE *out)
{
    const tess_tuner_info *const info = &r->info;
    char shape[SHAPE_SIZE];

    result_shape(r->array->ndim, r->array->shape, shape, sizeof shape);
    text_write(out, r->name);
    fprintf(out, ": %s", shape);
    if (r->array->dtype) {
        fputs(", ", out);
        text_write(out, r->array->dtype);
    }
    result_shape(info->ndim, info->sample_shape, shape, sizeof shape);
    if (info->whole)
        fputs("; the whole array was measured", out);
    else
        fprintf(out, "; a sample of %s was measured", shape);
    fputs("\naccesses:", out);
    for (int i = 0; i < info->naccesses; i++)
        fprintf(out, "%s%s * %g", i ? ", " : " ", r->accesses[i].name, r->accesses[i].weight);
    fprintf(out, "\n%d threads; CPU caches: L1 %g KiB, L2 %g KiB, L3 %g MiB", info->threads,
            (double)info->caches[0] / 0x1p10, (double)info->caches[1] / 0x1p10,
            (double)info->caches[2] / 0x1p20);
    if (info->disk_speed > 0)
        fprintf(out, "; disk assumed: %g MB/s", info->disk_speed / 1e6);
    if (info->disk_latency > 0)
        fprintf(out, ", latency %g ms per chunk", info->disk_latency * 1e3);
    fprintf(out, "\n%d layouts were measured in %.1f s%s\n\n", info->count, info->seconds,
            info->cut_short ? "; a longer --budget measures more" : "");
}

static void
add_row(struct table *table, const struct result *r, const struct result_layout *t,
        double automatic)
{
    char role[RESULT_NAME_SIZE], chunk[SHAPE_SIZE], block[SHAPE_SIZE], codec[RESULT_NAME_SIZE];
    char filters[RESULT_NAME_SIZE], time[TIME_SIZE];

    result_role(t, role);
    result_shape(t->params.ndim, t->params.chunkshape, chunk, sizeof chunk);
    result_shape(t->params.ndim, t->params.blockshape, block, sizeof block);
    result_codec(&t->params, codec);
    result_filters(&t->params, filters);
    table_cell(table, "%s", role);
    table_cell(table, "%s", chunk);
    table_cell(table, "%s", block);
    table_cell(table, "%s", codec);
    table_cell(table, "%s", filters);
    table_cell(table, "%.2f", t->cost.ratio);
    table_cell(table, "%.0f", megabytes_per_second(r, t->cost.write));
    table_cell(table, "%.0f", megabytes_per_second(r, t->cost.read));
    for (int i = 0; i < r->info.naccesses; i++) {
        format_time(t->cost.accesses[i].seconds, time);
        table_cell(table, "%s", time);
    }
    format_time(t->cost.seconds, time);
    table_cell(table, "%s", time);
    table_cell(table, "%.2f", automatic / t->cost.seconds);
    table_cell(table, "%s", t->cost.optimal ? "*" : "");
}

static tess_status
print_table(const struct result *r, FILE *out, tess_error *err)
{
    static const char *const before[] = {"",        "chunks", "blocks",     "codec",
                                         "filters", "ratio",  "write MB/s", "read MB/s"};
    const int nbefore = sizeof before / sizeof before[0];
    const double automatic = result_find(r, TESS_ROLE_AUTOMATIC)->cost.seconds;
    struct table table;
    int rows = 0;

    table_init(&table, nbefore + r->info.naccesses + 3);
    for (int i = 0; i < nbefore; i++)
        table_cell(&table, "%s", before[i]);
    for (int i = 0; i < r->info.naccesses; i++)
        table_cell(&table, "%s", r->accesses[i].name);
    table_cell(&table, "all accesses");
    table_cell(&table, "speedup");
    table_cell(&table, "optimal");
    for (int i = 0; i < r->info.count; i++) {
        const struct result_layout *const t = &r->layouts[i];

        if (t->cost.roles & ~(unsigned)TESS_ROLE_FINAL ||
            ((t->cost.roles || t->cost.optimal) && rows++ < ROWS_MOST))
            add_row(&table, r, t, automatic);
    }
    const tess_status st = table_print(&table, out, err);
    table_finish(&table);
    return st;
}

static void
print_gain(const struct result_layout *best, const struct result_layout *other, const char *name,
           FILE *out)
{
    fprintf(out, " %.2f times as fast as %s and %.2f times as large",
            other->cost.seconds / best->cost.seconds, name, other->cost.ratio / best->cost.ratio);
}

// What there is instead of a recommendation.
static void
print_no_difference(const struct result_layout *best, const struct result_layout *present,
                    const char *name, FILE *out)
{
    const int rounds =
        best->cost.rounds < present->cost.rounds ? best->cost.rounds : present->cost.rounds;
    char time[2][TIME_SIZE];

    format_time(present->cost.seconds, time[0]);
    format_time(best->cost.seconds, time[1]);
    fprintf(out,
            "No difference: all accesses take %s in %s and %s in the best one,\n"
            "%.1f %% less, and measuring is not more exact than %.0f %%; the ratios are %.2f and "
            "%.2f.\n",
            time[0], name, time[1],
            present->cost.seconds > 0 ? 100 * (1 - best->cost.seconds / present->cost.seconds)
                                      : 0.0,
            100 * verdict_noise(rounds), present->cost.ratio, best->cost.ratio);
}

// Whether the best layout is to be recommended. Words if not.
static bool
is_better(const struct result *r, const struct result_layout *best, FILE *out)
{
    const struct result_layout *const stored = result_find(r, TESS_ROLE_STORED);
    const struct result_layout *const present =
        stored ? stored : result_find(r, TESS_ROLE_AUTOMATIC);
    const char *const name = stored ? "the layout that the array has now" : "the automatic layout";

    switch (verdict_of(&best->cost, &present->cost)) {
    case VERDICT_SAME:
        print_no_difference(best, present, name, out);
        return false;
    case VERDICT_PRESENT:
        fprintf(out, "No difference: the best layout is %s.\n", name);
        return false;
    default:
        return true;
    }
}

static void
print_words(const struct result *r, FILE *out)
{
    const struct result_layout *const best = result_find(r, TESS_ROLE_BEST);
    const struct result_layout *const stored = result_find(r, TESS_ROLE_STORED);
    const tess_params *const p = &best->params;
    char chunk[SHAPE_SIZE], block[SHAPE_SIZE], codec[RESULT_NAME_SIZE], filters[RESULT_NAME_SIZE];

    fputs("\nratio: uncompressed / compressed bytes. write, read: all items once, uncompressed "
          "MB/s.\n"
          "Next columns: the time of one access each. all accesses: the time of all of them, each\n"
          "as often as listed above. speedup: all accesses, compared with the automatic layout.\n"
          "optimal *: no other layout is both smaller and faster.\n\n"
          "The best layout is",
          out);
    print_gain(best, result_find(r, TESS_ROLE_AUTOMATIC), "the automatic layout", out);
    fputs(",\nand", out);
    print_gain(best, result_find(r, TESS_ROLE_BLOSC2), "the default of python-blosc2", out);
    if (stored) {
        fputs(",\nand", out);
        print_gain(best, stored, "the layout that the array has now", out);
    }
    fputs(".\n", out);
    if (r->applied) {
        fputs("Written: ", out);
        text_write(out, r->applied);
        fputc('\n', out);
        return;
    }
    if (!is_better(r, best, out))
        return;
    result_shape(p->ndim, best->params.chunkshape, chunk, sizeof chunk);
    result_shape(p->ndim, best->params.blockshape, block, sizeof block);
    result_codec(p, codec);
    result_filters(p, filters);
    codec[strcspn(codec, " ")] = '\0';
    fprintf(out, "Options of tess %s: --chunks %s --blocks %s --codec %s --level %d --filter %s\n",
            r->command, chunk, block, codec, p->clevel, filters);
}

tess_status
result_print(const struct result *r, FILE *out, tess_error *err)
{
    print_heading(r, out);
    const tess_status st = print_table(r, out, err);
    if (st == TESS_OK)
        print_words(r, out);
    return st;
}
