/*
 * crops.c - what do random crops of a volume cost, one call for each, or one call for all?
 *
 * A cube of floats in memory, of which random boxes of 64 x 64 x 64 are read: few, of which hardly
 * two share a block, to many. Each cell is done by tess_array_read() for each crop and by one
 * tess_array_get_boxes(), in turn; CSV. `copy`: memcpy of the crops, one thread. `limit`: to decode
 * each block once that a crop meets (all blocks are decoded by tess_array_each(), and the time is
 * that of the share), plus `copy` divided by the threads. See --help.
 */
#include "support.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOX = 64, ROUNDS = 5, CROPS_MAX = 1024 };

static const int64_t box_shape[3] = {BOX, BOX, BOX};
static const size_t box_size = (size_t)BOX * BOX * BOX * sizeof(float);

struct crops {
    tess_array *a;
    int64_t side, n;
    int64_t starts[CROPS_MAX][3];
    float *dst;
};

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

static void
open_volume(const float *volume, int64_t side, int threads, int64_t cache, const int64_t *block,
            struct crops *c)
{
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_error err;

    tess_context_init(&context);
    context.threads = threads;
    context.cache = cache;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = "<f4";
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        params.shape[i] = side;
        if (block[0] > 0) {
            params.chunkshape[i] = 4 * block[i];
            params.blockshape[i] = block[i];
        }
    }
    must(tess_array_from(&storage, &params, volume, (size_t)(side * side * side) * sizeof *volume,
                         &c->a, &err),
         &err);
    c->side = side;
}

static void
draw(struct crops *c, int64_t n, uint64_t *seed)
{
    c->n = n;
    for (int64_t k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            c->starts[k][i] = bench_random_below(seed, c->side - BOX + 1);
}

static double
each_call(const struct crops *c)
{
    tess_error err;
    const double start = bench_now();
    for (int64_t k = 0; k < c->n; k++) {
        int64_t stop[3];
        for (int i = 0; i < 3; i++)
            stop[i] = c->starts[k][i] + BOX;
        must(tess_array_read(c->a, c->starts[k], stop, (uint8_t *)c->dst + (size_t)k * box_size,
                             box_size, &err),
             &err);
    }
    return bench_now() - start;
}

static double
one_call(const struct crops *c)
{
    tess_error err;
    const double start = bench_now();
    must(tess_array_get_boxes(c->a, c->n, c->starts[0], box_shape, NULL, c->dst,
                              (size_t)c->n * box_size, &err),
         &err);
    return bench_now() - start;
}

// What one call brought is what the single calls bring.
static void
check(const struct crops *c, const float *volume)
{
    for (int64_t k = 0; k < c->n; k++)
        for (int64_t i = 0; i < BOX; i++)
            for (int64_t j = 0; j < BOX; j++) {
                const int64_t *const s = c->starts[k];
                const int64_t at = ((s[0] + i) * c->side + s[1] + j) * c->side + s[2];
                if (memcmp(c->dst + ((k * BOX + i) * BOX + j) * BOX, volume + at,
                           BOX * sizeof(float)) != 0)
                    bench_die("crop %lld is wrong", (long long)k);
            }
}

static tess_each_next
look(const tess_part *part, void *user)
{
    (void)part;
    (void)user;
    return TESS_EACH_NEXT;
}

static double
decode_all(const struct crops *c)
{
    const int64_t origin[3] = {0}, shape[3] = {c->side, c->side, c->side};
    tess_error err;
    const double start = bench_now();
    must(tess_array_each(c->a, TESS_BLOCKS, origin, shape, look, NULL, &err), &err);
    return bench_now() - start;
}

// Of all blocks, how many the crops meet; *visits: how often, in all.
static double
share_met(const struct crops *c, int64_t *visits)
{
    tess_info info;
    int64_t n[3], met = 0;
    tess_array_info(c->a, &info);
    for (int i = 0; i < 3; i++) // chunks hold whole blocks here, but perhaps at the end
        n[i] = (info.shape[i] + info.blockshape[i] - 1) / info.blockshape[i];
    bool *const seen = calloc((size_t)(n[0] * n[1] * n[2]), sizeof *seen);
    if (!seen)
        bench_die("no memory");
    *visits = 0;
    for (int64_t k = 0; k < c->n; k++) {
        int64_t lo[3], hi[3];
        for (int i = 0; i < 3; i++) {
            lo[i] = c->starts[k][i] / info.blockshape[i];
            hi[i] = (c->starts[k][i] + BOX - 1) / info.blockshape[i];
        }
        for (int64_t x = lo[0]; x <= hi[0]; x++)
            for (int64_t y = lo[1]; y <= hi[1]; y++)
                for (int64_t z = lo[2]; z <= hi[2]; z++, ++*visits) {
                    bool *const block = &seen[(x * n[1] + y) * n[2] + z];
                    met += !*block;
                    *block = true;
                }
    }
    free(seen);
    return (double)met / (double)(n[0] * n[1] * n[2]);
}

static double
copy_all(const struct crops *c, const float *volume)
{
    const double start = bench_now();
    for (int64_t k = 0; k < c->n; k++)
        memcpy((uint8_t *)c->dst + (size_t)k * box_size, volume, box_size);
    return bench_now() - start;
}

static void
measure(struct crops *c, const float *volume, const char *cell, int threads, uint64_t *seed)
{
    struct bench_row each = {.program = "crops", .library = "tessera " TESS_VERSION};
    char name[64];
    tess_info info;
    int64_t visits;

    tess_array_info(c->a, &info);
    each.threads = threads;
    each.storage = "memory";
    each.stored = info.cbytes;
    each.bytes = c->n * (int64_t)box_size;
    struct bench_row one = each;
    each.requests = c->n;
    one.requests = 1;
    for (int i = 0; i <= ROUNDS; i++) { // the first one warms up
        draw(c, c->n, seed);
        const double share = share_met(c, &visits);
        const double t_each = each_call(c), t_one = one_call(c), all = decode_all(c);
        check(c, volume);
        const double copy = copy_all(c, volume);
        if (i == 0)
            continue;
        bench_times_add(&each.times, t_each);
        bench_times_add(&one.times, t_one);
        bench_times_add(&each.copy, copy);
        bench_times_add(&one.copy, copy);
        bench_times_add(&each.limit, all * share + copy / threads);
        bench_times_add(&one.limit, all * share + copy / threads);
    }
    (void)snprintf(name, sizeof name, "%s-%lld-each", cell, (long long)c->n);
    each.cell = name;
    bench_csv_row(&each);
    (void)snprintf(name, sizeof name, "%s-%lld-boxes", cell, (long long)c->n);
    one.cell = name;
    bench_csv_row(&one);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *cell;
        int64_t block[3], cache;
    } layouts[] = {
        {"default", {0, 0, 0}, 0},
        {"blocks32", {32, 32, 32}, 0},
        {"blocks64", {64, 64, 64}, 0},
        {"default-cache64M", {0, 0, 0}, 64 << 20},
    };
    static const int64_t counts[] = {16, 128, CROPS_MAX};
    const int64_t side = argc > 1 ? atoll(argv[1]) : 448;
    uint64_t seed = 1;
    struct crops c;

    if (argc > 2 || side < BOX || side > 1000) {
        printf(
            "usage: crops [SIDE]\n\nRandom crops of a cube of SIDE floats along each axis (64 to "
            "1000, default 448).\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    float *const volume = bench_alloc((size_t)(side * side * side) * sizeof *volume);
    c.dst = bench_alloc(CROPS_MAX * box_size);
    bench_field(volume, side, 7);
    bench_csv_header();
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (int threads = 1; threads <= 2; threads++) {
            open_volume(volume, side, threads, layouts[l].cache, layouts[l].block, &c);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                c.n = counts[i];
                measure(&c, volume, layouts[l].cell, threads, &seed);
            }
            tess_array_discard(c.a);
        }
    free(volume);
    free(c.dst);
    return 0;
}
