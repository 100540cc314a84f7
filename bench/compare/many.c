/*
 * many.c - appends, one chunk at a time, and what opening costs afterwards.
 *
 * The sides take turns of a thousand appends, so that both see the same machine. Time per append
 * is the mean over such a turn, the first and the last: a median would hide what is put off.
 */
#include "many.h"

#include "../support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_ITEMS 1024
#define TURN 1000
#define OPENS 20

struct grower {
    const struct side *side;
    struct side_array array;
    char path[600];
    void *a;
    double first, last, all; // seconds of appends: a turn, a turn, and all
    int64_t stored;
    struct bench_times opens;
};

void
many_array(struct side_array *array)
{
    *array = (struct side_array){.ndim = 1,
                                 .typesize = 4,
                                 .dtype = "<f4",
                                 .shape = {0},
                                 .chunk = {CHUNK_ITEMS},
                                 .block = {CHUNK_ITEMS}};
}

// Chunk number n; each is another one.
static void
fill(float *chunk, int64_t n)
{
    for (int i = 0; i < CHUNK_ITEMS; i++)
        chunk[i] = (float)((n * 7 + i * i / 64) % 4096) / 100;
}

// A turn, behind the first n chunks.
static void
grow(struct grower *g, int64_t n)
{
    float chunk[CHUNK_ITEMS];

    g->last = 0;
    for (int64_t i = n; i < n + TURN; i++) {
        double start;

        fill(chunk, i);
        start = bench_now();
        g->side->append(g->a, 0, chunk, sizeof chunk);
        g->last += bench_now() - start;
    }
    g->all += g->last;
    if (n == 0)
        g->first = g->last;
}

// To flush is the last part of the appends.
static void
finish_growing(struct grower *g)
{
    const double start = bench_now();

    g->side->flush(g->a);
    g->all += bench_now() - start;
    g->stored = g->side->stored(g->a);
    g->side->close(g->a);
}

static void
open_and_read(struct grower *g, int64_t nchunks)
{
    const int64_t at = nchunks / 2 * CHUNK_ITEMS + 17;
    const struct side_box box = {{at}, {at + 1}};
    float chunk[CHUNK_ITEMS], item;

    fill(chunk, nchunks / 2);
    g->array.shape[0] = nchunks * CHUNK_ITEMS;
    for (int i = 0; i < OPENS; i++) {
        const double start = bench_now();
        void *const a = g->side->open(&g->array, NULL);

        g->side->read(a, &box, &item, sizeof item);
        g->side->close(a);
        bench_times_add(&g->opens, bench_now() - start);
        if (memcmp(&item, &chunk[17], sizeof item) != 0)
            bench_die("%s: another item than was appended", g->side->name);
    }
}

static void
cell(struct result *to, const struct result *r, const char *group, const char *work, int player,
     double seconds, int repeats, int64_t stored)
{
    if (!to->work[0])
        *to = *r;
    snprintf(to->array, sizeof to->array, "many");
    snprintf(to->storage, sizeof to->storage, "disk");
    snprintf(to->group, sizeof to->group, "%s", group);
    snprintf(to->work, sizeof to->work, "%s", work);
    to->requests = 1;
    to->bytes = CHUNK_ITEMS * (int64_t)sizeof(float);
    to->repeats = repeats;
    to->seconds[player] = seconds;
    to->stored[player] = stored;
}

static void
report(const struct grower *g, int player, int64_t appends, const struct result *r,
       struct result *cells)
{
    char late[32], open[32];

    snprintf(late, sizeof late, "append-%lld", (long long)appends);
    snprintf(open, sizeof open, "open-%lld", (long long)appends);
    cell(&cells[MANY_EARLY], r, "append", "append-1000", player, g->first / TURN, TURN, g->stored);
    cell(&cells[MANY_LATE], r, "append", late, player, g->last / TURN, TURN, g->stored);
    cell(&cells[MANY_ALL], r, "append", "append-mean", player, g->all / (double)appends,
         (int)appends, g->stored);
    cell(&cells[MANY_OPEN], r, "open", open, player, bench_times_median(&g->opens), OPENS,
         g->stored);
}

void
many_play(const struct side *const *sides, const struct side_array *array, const char *dir,
          int64_t appends, const struct result *r, struct result *cells)
{
    struct grower *const growers = bench_alloc(NPLAYERS * sizeof *growers);

    memset(growers, 0, NPLAYERS * sizeof *growers);
    memset(cells, 0, MANY_CELLS * sizeof *cells);
    for (int i = 0; i < NPLAYERS; i++) {
        struct grower *const g = &growers[i];
        if (!sides[i] || !sides[i]->can(array))
            continue;
        g->side = sides[i];
        g->array = *array;
        snprintf(g->path, sizeof g->path, "%s/%d-many", dir, i);
        g->array.path = g->path;
        g->array.cache = i == DEFAULTS;
        g->a = g->side->create(&g->array, NULL, 0);
    }
    for (int64_t n = 0; n < appends; n += TURN)
        for (int i = 0; i < NPLAYERS; i++)
            if (growers[i].side)
                grow(&growers[i], n);
    for (int i = 0; i < NPLAYERS; i++)
        if (growers[i].side) {
            finish_growing(&growers[i]);
            open_and_read(&growers[i], appends);
            report(&growers[i], i, appends, r, cells);
            unlink(growers[i].path);
        }
    free(growers);
}
