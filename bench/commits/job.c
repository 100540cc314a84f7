/*
 * job.c - contests, files, and the array of floats.
 */
#include "job.h"

#include "../compare/workloads.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAYERS_MAX = 8 };

void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("tessera: %s: %s", tess_status_name(status), err->message);
}

bool
job_wants(const struct job *job, const char *cell)
{
    return !job->cells || strstr(cell, job->cells);
}

void
job_csv(const struct job *job, const char *part, const char *cell, const char *player, int repeats,
        const char *unit, double value)
{
    if (!job->csv)
        return;
    bench_csv_machine(job->csv);
    fprintf(job->csv, "%s,\"%s\",%s,%d,%s,%.9g\n", part, cell, player, repeats, unit, value);
    fflush(job->csv);
}

void
contest_header(const struct contest *c, const char *title)
{
    printf("\n%s\n\n%-36s %9s", title, "", c->players[0].name);
    for (int p = 1; p < c->nplayers; p++)
        printf("  %12s", c->players[p].name);
    printf("\n");
}

static bool
wanted(const struct job *job, const struct bench_times *t)
{
    double spent = 0;

    for (int i = 0; i < t->n; i++)
        spent += t->seconds[i];
    return (t->n < job->repeats || spent < job->budget) && t->n < BENCH_ROUNDS_MAX / 5;
}

void
contest_play(const struct job *job, const struct contest *c)
{
    struct bench_times times[PLAYERS_MAX] = {0};

    if (!job_wants(job, c->cell))
        return;
    for (int p = 0; p < c->nplayers; p++)
        c->play(c->with, &c->players[p]); // warm-up
    for (int round = 0; wanted(job, &times[0]); round++)
        for (int k = 0; k < c->nplayers; k++) {
            const int p = (round + k) % c->nplayers; // nobody is always behind the same one
            bench_times_add(&times[p], c->play(c->with, &c->players[p]));
        }
    const double first = bench_times_median(&times[0]);
    printf("%-36s %6.2f ms", c->cell, first * 1e3);
    for (int p = 0; p < c->nplayers; p++) {
        const double median = bench_times_median(&times[p]);
        const double percent = (median / first - 1) * 100;
        if (p > 0)
            printf("  %+9.1f %%%c", percent, c->players[p].goal && percent > GOAL ? '!' : ' ');
        job_csv(job, c->part, c->cell, c->players[p].name, times[p].n, "s", median);
    }
    printf("\n");
    fflush(stdout);
}

int64_t
path_measure(const char *path, int64_t *bytes)
{
    char name[1000];
    struct stat st;
    struct dirent *e;
    int64_t count = 0;

    *bytes = 0;
    if (stat(path, &st) != 0)
        bench_die("%s: is not there", path);
    if (!S_ISDIR(st.st_mode)) {
        *bytes = st.st_size;
        return 1;
    }
    DIR *const dir = opendir(path);
    while (dir && (e = readdir(dir))) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (stat(name, &st) != 0 || S_ISDIR(st.st_mode))
            continue;
        *bytes += st.st_size;
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

void
path_remove(const char *path)
{
    char name[1000];
    struct dirent *e;
    DIR *const dir = opendir(path);

    while (dir && (e = readdir(dir))) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            unlink(name);
    }
    if (dir)
        closedir(dir);
    if (remove(path) != 0 && errno != ENOENT)
        bench_die("%s: cannot be removed", path);
}

void
storage_init(tess_storage *storage, tess_context *context, const struct job *job,
             const struct player *p)
{
    tess_context_init(context);
    context->threads = job->threads;
    tess_storage_init(storage);
    storage->path = job->path;
    storage->durability = p->durability;
    storage->checksums = p->checksums;
    storage->context = context;
}

// Chunk number n: its box, and its items.
static void
cut_chunk(struct field *f, int n)
{
    struct field_chunk *const c = &f->chunks[n];
    const int64_t *const shape = f->array.shape, *const chunk = f->array.chunk;
    int64_t rest = n;
    size_t row;

    c->size = sizeof *c->items;
    for (int i = NDIM - 1; i >= 0; i--) {
        const int64_t count = (shape[i] + chunk[i] - 1) / chunk[i];
        c->start[i] = rest % count * chunk[i];
        c->stop[i] = c->start[i] + chunk[i] < shape[i] ? c->start[i] + chunk[i] : shape[i];
        c->size *= (size_t)(c->stop[i] - c->start[i]);
        rest /= count;
    }
    row = (size_t)(c->stop[2] - c->start[2]);
    float *to = c->items = bench_alloc(c->size);
    for (int64_t i = c->start[0]; i < c->stop[0]; i++)
        for (int64_t k = c->start[1]; k < c->stop[1]; k++, to += row)
            memcpy(to, f->items + (i * shape[1] + k) * shape[2] + c->start[2], row * sizeof *to);
}

void
field_init(struct field *f, const struct job *job, uint64_t seed)
{
    *f = (struct field){.nchunks = 1};
    workload_array(&workloads[0], job->size, &f->array);
    f->array.shape[1] -= 13; // no whole number of chunks
    f->size = array_size(&f->array);
    f->items = bench_alloc(f->size);
    workload_fill(&f->array, seed, f->items);
    for (int i = 0; i < NDIM; i++)
        f->nchunks *= (int)((f->array.shape[i] + f->array.chunk[i] - 1) / f->array.chunk[i]);
    f->chunks = bench_alloc((size_t)f->nchunks * sizeof *f->chunks);
    for (int n = 0; n < f->nchunks; n++)
        cut_chunk(f, n);
}

void
field_finish(struct field *f)
{
    for (int n = 0; n < f->nchunks; n++)
        free(f->chunks[n].items);
    free(f->chunks);
    free(f->items);
}

void
field_params(const struct field *f, const struct job *job, const char *codec, tess_layout layout,
             tess_params *params)
{
    tess_params_init(params);
    params->dtype = f->array.dtype;
    params->ndim = NDIM;
    memcpy(params->shape, f->array.shape, NDIM * sizeof *params->shape);
    memcpy(params->chunkshape, f->array.chunk, NDIM * sizeof *params->shape);
    memcpy(params->blockshape, f->array.block, NDIM * sizeof *params->shape);
    params->codec = strcmp(codec, "zstd") == 0 ? TESS_CODEC_ZSTD : TESS_CODEC_LZ4;
    params->clevel = job->level;
    params->layout = layout;
}
