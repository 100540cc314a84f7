/*
 * map.c - what does a function of two arrays cost, compared with reading them and writing the
 * result?
 *
 * c = a + b of cubes of floats in memory, with the grids of the library and with grids that do not
 * fit together. `limit` is the time of reading a and b by tess_array_read() and writing c by
 * tess_array_from(), each with all of the array in memory that was used before, without the
 * addition; `ratio` is the time of tess_map() divided by that. CSV of medians. Arguments: threads,
 * side of the cube.
 */
#include "support.h"

#include <tessera.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7 };

static const char *const native = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ">f4" : "<f4";

static void
must(tess_status status, const tess_error *err)
{
    if (status != TESS_OK)
        bench_die("%s: %s", tess_status_name(status), err->message);
}

struct cube {
    int threads;
    int64_t side, chunk, block; // 0: the library chooses
};

static tess_array *
cube_new(const struct cube *c, const float *items)
{
    const size_t size = (size_t)(c->side * c->side * c->side) * sizeof *items;
    tess_context context;
    tess_storage storage;
    tess_params params;
    tess_array *a;
    tess_error err;
    tess_context_init(&context);
    context.threads = c->threads;
    tess_storage_init(&storage);
    storage.context = &context;
    tess_params_init(&params);
    params.dtype = native;
    params.codec = TESS_CODEC_LZ4;
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        params.shape[i] = c->side;
        params.chunkshape[i] = c->chunk;
        params.blockshape[i] = c->block;
    }
    if (items)
        must(tess_array_from(&storage, &params, items, size, &a, &err), &err);
    else
        must(tess_array_zeros(&storage, &params, &a, &err), &err);
    return a;
}

// The sum of all neighbours with a halo, of the items themselves without.
static tess_each_next
add(const tess_map_part *part, void *user)
{
    const int64_t halo = *(const int64_t *)user;
    float *to = part->outputs[0];
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++) {
            const float *row[2];
            const int64_t n = part->stop[2] - part->start[2];
            for (int k = 0; k < 2; k++)
                row[k] =
                    (const float *)((const char *)part->inputs[k] + i * part->input_strides[k][0] +
                                    j * part->input_strides[k][1]);
            for (int64_t l = 0; l < n; l++)
                to[l] = row[0][l + halo] + row[1][l - halo];
            to += n;
        }
    return TESS_EACH_NEXT;
}

static double
read_all(const tess_array *a, int64_t side, float *items)
{
    const int64_t start[3] = {0}, stop[3] = {side, side, side};
    tess_error err;
    const double before = bench_now();
    must(tess_array_read(a, start, stop, items, (size_t)(side * side * side) * sizeof *items, &err),
         &err);
    return bench_now() - before;
}

static void
measure(const char *name, const struct cube *from, const struct cube *to, int64_t halo,
        const float *field, float *items)
{
    tess_array *const a = cube_new(from, field), *const b = cube_new(from, field);
    const tess_array *inputs[] = {a, b};
    const int64_t halos[] = {halo, halo, halo}, side = from->side;
    int64_t given = halo;
    struct bench_times map = {0}, limit = {0};
    tess_map_options options;
    tess_error err;
    tess_map_options_init(&options);
    options.halo = halos;
    options.edge = TESS_EDGE_NEAREST;
    float *const sums = bench_alloc((size_t)(side * side * side) * sizeof *sums);
    for (int64_t k = 0; k < side * side * side; k++)
        sums[k] = field[k] + field[k];
    for (int round = 0; round <= ROUNDS; round++) {
        double t = read_all(a, side, items) + read_all(b, side, items);
        double before = bench_now();
        tess_array_discard(cube_new(to, sums));
        t += bench_now() - before;
        before = bench_now();
        tess_array *out = cube_new(to, NULL);
        must(tess_map(inputs, 2, &out, 1, NULL, NULL, &options, add, &given, &err), &err);
        tess_array_discard(out);
        if (round > 0) {
            bench_times_add(&limit, t);
            bench_times_add(&map, bench_now() - before);
        }
    }
    bench_csv_machine(stdout);
    printf("map,%d,%s,%.4f,%.4f,%.3f\n", from->threads, name, bench_times_median(&map),
           bench_times_median(&limit), bench_times_median(&map) / bench_times_median(&limit));
    free(sums);
    tess_array_discard(a);
    tess_array_discard(b);
}

int
main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const int64_t side = argc > 2 ? atoll(argv[2]) : 400;
    const struct cube chosen = {threads, side, 0, 0}, blocks = {threads, side, 128, 64},
                      hundred = {threads, side, 100, 50}, small = {threads, side, 32, 16};
    float *const field = bench_alloc((size_t)(side * side * side) * sizeof *field);
    float *const items = bench_alloc((size_t)(side * side * side) * sizeof *items);
    bench_field(field, side, 1);
    printf("cpu,compiler,commit,program,threads,cell,map,limit,ratio\n");
    measure("defaults", &chosen, &chosen, 0, field, items);
    measure("halo", &chosen, &chosen, 1, field, items);
    measure("misfit", &blocks, &hundred, 0, field, items);
    measure("small chunks", &small, &small, 0, field, items);
    free(field);
    free(items);
    return 0;
}
