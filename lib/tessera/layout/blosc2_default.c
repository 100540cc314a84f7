/*
 * blosc2_default.c - the layout that python-blosc2 gives an array when no shapes are given.
 */
#include "layout/blosc2_default.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// -- the caches of the CPU, as Linux lists them

#define USUAL_L1 (INT64_C(32) << 10)
#define USUAL_L2 (INT64_C(1) << 20)
#define USUAL_L3 (INT64_C(16) << 20)

#define INDICES 8 // caches that Linux lists for a CPU, at most

#define CACHE_FILE "/sys/devices/system/cpu/cpu0/cache/index%d/%s"

// One line of what the kernel says of a cache; false if there is none.
static bool
read_line(int index, const char *name, char line[32])
{
    char path[96];

    (void)snprintf(path, sizeof path, CACHE_FILE, index, name);
    FILE *const file = fopen(path, "re");
    const bool ok = file && fgets(line, 32, file);
    if (file)
        (void)fclose(file);
    return ok;
}

// Bytes of the cache of that level which holds data, or 0.
static int64_t
cache_of_level(int wanted)
{
    for (int index = 0; index < INDICES; index++) {
        char line[32], unit = 0;
        int level = 0;
        long long size = 0;

        if (!read_line(index, "level", line) || sscanf(line, "%d", &level) != 1 ||
            level != wanted || !read_line(index, "type", line) || line[0] == 'I' ||
            !read_line(index, "size", line) || sscanf(line, "%lld%c", &size, &unit) < 1)
            continue;
        return size * (unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : 1);
    }
    return 0;
}

static int64_t
or_usual(int64_t size, int64_t usual)
{
    return size > 0 ? size : usual;
}

void
machine_query(struct machine *m)
{
    m->l1 = or_usual(cache_of_level(1), USUAL_L1);
    m->l2 = or_usual(cache_of_level(2), USUAL_L2);
    m->l3 = or_usual(cache_of_level(3), USUAL_L3);
}

// -- the layout

#define LARGE_L2 (INT64_C(2) << 20)
#define LEAST_BLOCK (INT64_C(32) << 10)
#define LEAST_CHUNK (INT64_C(4) << 20)
#define CHUNK_BLOCKS 32 // without a third level to go by, if these are less than
#define MANY_BLOCKS (INT64_C(64) << 20)
#define CHUNK_MOST (INT64_C(1) << 30)
#define OPERANDS 4 // that are to fit the cache at once

static int64_t
divisor_below(int64_t n, int64_t wanted)
{
    while (n % wanted != 0)
        wanted--;
    return wanted;
}

// As many of the `items` as an axis takes, from the last axis on.
static void
partition(int ndim, const int64_t *shape, const int64_t *least, int64_t items, int64_t *part)
{
    for (int i = 0; i < ndim; i++)
        part[i] = 1;
    for (int i = ndim - 1; i >= 0 && items > 1; i--) {
        if (shape[i] <= items) {
            part[i] = shape[i];
        } else {
            const int64_t wanted = items > least[i] ? items : least[i];
            const int64_t even = divisor_below(shape[i], wanted);

            part[i] = wanted / 2 < even ? even : wanted;
        }
        items /= part[i];
    }
}

void
blosc2_default_choose(const struct machine *machine, tess_params *p)
{
    int64_t ones[TESS_MAX_NDIM];
    int64_t block = machine->l2 >= LARGE_L2 ? 4 * machine->l1 : machine->l2 / 4;
    int64_t items = 1;

    for (int i = 0; i < p->ndim; i++)
        ones[i] = 1;
    if (block < LEAST_BLOCK)
        block = LEAST_BLOCK;
    if (block < p->typesize)
        block = p->typesize;
    partition(p->ndim, p->shape, ones, block / p->typesize, p->blockshape);
    for (int i = 0; i < p->ndim; i++)
        items *= p->blockshape[i];
    block = items * p->typesize;

    int64_t chunk = CHUNK_BLOCKS * block < MANY_BLOCKS ? CHUNK_BLOCKS * block : block;
    if (machine->l3 > machine->l2)
        chunk = machine->l3;
    if (chunk < machine->l2)
        chunk = machine->l2;
    chunk /= OPERANDS;
    if (chunk < LEAST_CHUNK)
        chunk = LEAST_CHUNK;
    if (chunk > CHUNK_MOST)
        chunk = CHUNK_MOST;
    if (chunk < block)
        chunk = block;
    partition(p->ndim, p->shape, p->blockshape, chunk / block * block / p->typesize, p->chunkshape);
    for (int i = 0; i < p->ndim; i++) {
        const int64_t b = p->blockshape[i];
        const int64_t whole = (p->chunkshape[i] + b - 1) / b * b;

        p->chunkshape[i] = whole < p->shape[i] ? whole : p->shape[i];
    }

    p->codec = TESS_CODEC_ZSTD;
    p->codec_meta = 0;
    p->clevel = 5;
    p->dictionary = false;
    p->split = TESS_SPLIT_AUTO;
    memset(p->filters, 0, sizeof p->filters);
    memset(p->filters_meta, 0, sizeof p->filters_meta);
    p->filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE;
}
