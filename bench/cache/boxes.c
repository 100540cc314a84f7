/*
 * boxes.c - the time to read a box of 64 blocks of which all are in the cache, all but one, half of
 * them, or none.
 *
 * Each time is that of one read by a new handle, whose cache was filled before. The program fails
 * if the cache does not hold the expected number of blocks.
 *
 * Target for "all but one": 1.2 times the time of the cached blocks, plus the time of one block
 * that is not cached.
 */
#include "arrays.h"

#include "../support.h"

#include <tessera.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    BLOCK = 32, // items along both axes, 4 KiB
    CHUNK = 8 * BLOCK,
    SIDE = 2 * CHUNK,
    EDGE = 8, // blocks of the box along both axes
    BLOCKS = EDGE * EDGE,
    FIRST = 5 * BLOCK, // start of the box, which overlaps four chunks
    VISITS = 3, // reads after which a block is in the cache
};

enum { ALL, ALL_BUT_ONE, HALF, NONE, NCELLS };
static const char *const names[] = {"all", "all but one", "half", "none"};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("tessera: %s: %s", tess_status_name(status), err->message);
}

static tess_array *
make(const struct arrays_rules *rules, const float *items)
{
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = 2;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = SIDE;
        params.chunkshape[i] = CHUNK;
        params.blockshape[i] = BLOCK;
    }
    params.codec = (tess_codec)rules->codec;
    params.clevel = rules->level;
    must(tess_array_from(&storage, &params, items, sizeof *items * SIDE * SIDE, &a, &err), &err);
    return a;
}

static tess_array *
open_handle(tess_array *made, int64_t budget)
{
    tess_storage storage;
    tess_context context;
    tess_array *a;
    tess_error err;
    tess_context_init(&context);
    context.threads = 1;
    context.cache = budget;
    tess_storage_init(&storage);
    storage.context = &context;
    must(tess_array_image(made, &storage.image, &storage.image_size, &err), &err);
    must(tess_array_open(&storage, &a, &err), &err);
    return a;
}

static void
read_items(const tess_array *a, const int64_t start[2], int64_t edge, float *dst)
{
    const int64_t stop[2] = {start[0] + edge, start[1] + edge};
    tess_error err;
    must(tess_array_read(a, start, stop, dst, sizeof *dst * (size_t)(edge * edge), &err), &err);
}

// Blocks that are missing: ALL_BUT_ONE one in the middle, HALF every other one.
static bool
is_cached(int cell, int i)
{
    return cell == ALL || (cell == ALL_BUT_ONE && i != BLOCKS / 2) || (cell == HALF && i % 2 == 0);
}

// Fill the cache with blocks of the box. A part of each is read, since reads of whole blocks do not
// insert them into the cache.
static void
fill_cache(const tess_array *a, int cell, float *dst)
{
    for (int i = 0; i < BLOCKS; i++) {
        const int64_t start[2] = {FIRST + i / EDGE * BLOCK, FIRST + i % EDGE * BLOCK};
        for (int k = 0; k < VISITS && is_cached(cell, i); k++)
            read_items(a, start, BLOCK / 2, dst);
    }
}

static int64_t
measure(const struct arrays_rules *rules, tess_array *made, int cell, float *dst,
        struct bench_times *times)
{
    static const int64_t first[2] = {FIRST, FIRST};
    tess_array *const a = open_handle(made, rules->budget);
    tess_info info;
    fill_cache(a, cell, dst);
    tess_array_info(a, &info);
    const double start = bench_now();
    read_items(a, first, EDGE * BLOCK, dst);
    bench_times_add(times, bench_now() - start);
    must(tess_array_close(a, NULL), &(tess_error){0});
    return info.cache_used;
}

// Check that the cache held the expected blocks in each cell.
static void
check_used(const int64_t used[NCELLS])
{
    if (used[ALL] == 0 || used[NONE] != 0 || used[HALF] * 2 != used[ALL] ||
        used[ALL_BUT_ONE] * BLOCKS != used[ALL] * (BLOCKS - 1))
        bench_die("%" PRId64 ", %" PRId64 ", %" PRId64 " and %" PRId64 " bytes were cached",
                  used[ALL], used[ALL_BUT_ONE], used[HALF], used[NONE]);
}

void
boxes_run(const struct arrays_rules *rules)
{
    float *const items = bench_alloc(sizeof *items * SIDE * SIDE);
    float *const dst = bench_alloc(sizeof *dst * BLOCKS * BLOCK * BLOCK);
    static struct bench_times times[NCELLS];
    uint64_t state = rules->seed;
    for (int i = 0; i < SIDE * SIDE; i++)
        items[i] = (float)((i / 50 + bench_random_below(&state, 4)) % 200);
    tess_array *const made = make(rules, items);
    for (int round = 0; round < BENCH_ROUNDS_MAX; round++) {
        int64_t used[NCELLS];
        for (int cell = 0; cell < NCELLS; cell++)
            used[cell] = measure(rules, made, cell, dst, &times[cell]);
        check_used(used);
    }
    const double all = bench_times_median(&times[ALL]), none = bench_times_median(&times[NONE]);
    puts("cpu,compiler,commit,cached,blocks,wall_s,target_s");
    for (int cell = 0; cell < NCELLS; cell++) {
        bench_csv_machine(stdout);
        printf("%s,%d,%.9f,", names[cell], BLOCKS, bench_times_median(&times[cell]));
        if (cell == ALL_BUT_ONE)
            printf("%.9f", 1.2 * all + (none - all) / BLOCKS);
        puts("");
    }
    must(tess_array_close(made, NULL), &(tess_error){0});
    free(dst);
    free(items);
}
