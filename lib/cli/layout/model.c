/*
 * model.c - how long an access is expected to take in a layout.
 */
#include "cli/layout/model.h"

#include <math.h>

// Seconds, of the order that is found on common machines; only their relation to the measured
// price of a byte matters.
#define CALL 2e-6
#define CHUNK 1e-6 // found, its header and table looked at
#define CHUNK_WRITE 10e-6 // put together and noted
#define BLOCK 0.7e-6
#define ROW 3e-9 // of items that are neighbours in a block and in memory

#define LARGE_BLOCK 1.15 // decoding what the cache does not hold
#define SMALL_BLOCK (INT64_C(32) << 10) // from here on down less repeats itself
#define SMALL_LOSS 0.04 // of the ratio, with each half

struct reach {
    double chunks, blocks; // that are met
    double bytes; // of these blocks
    double items; // of the box
    double rows; // that these are in
};

static double
met(int64_t n, int64_t extent, int64_t part, double all)
{
    const double some = 1 + (double)(extent - 1) / (double)part;
    return extent == n || some > all ? all : some;
}

static double
ceil_div(int64_t a, int64_t b)
{
    return (double)(a / b + (a % b != 0));
}

static struct reach
reach_of(const struct access *a, int ndim, const int64_t *shape, int32_t typesize,
         const struct grid *g)
{
    struct reach r = {.chunks = 1, .blocks = 1, .items = 1};
    int64_t extent[TESS_MAX_NDIM];
    double block = typesize;

    access_extent(a, ndim, shape, extent);
    for (int i = 0; i < ndim; i++) {
        const int64_t rest = shape[i] % g->chunk[i];
        const double all = (double)(shape[i] / g->chunk[i]) * ceil_div(g->chunk[i], g->block[i]) +
                           ceil_div(rest, g->block[i]);

        r.chunks *= met(shape[i], extent[i], g->chunk[i], ceil_div(shape[i], g->chunk[i]));
        r.blocks *= met(shape[i], extent[i], g->block[i], all);
        r.items *= (double)extent[i];
        block *= (double)g->block[i];
    }
    r.bytes = r.blocks * block;
    r.rows = 1;
    if (ndim > 0) {
        const int last = ndim - 1;
        r.rows = r.items / (double)(extent[last] < g->block[last] ? extent[last] : g->block[last]);
    }
    return r;
}

static double
shared(const struct model *m, double blocks)
{
    return fmax(1, fmin(m->threads, blocks / 2));
}

// Of a byte, in blocks of that size.
static double
factor(const struct model *m, double block_bytes)
{
    return 3 * block_bytes > (double)m->machine.l2 ? LARGE_BLOCK : 1;
}

static double
ratio_of(double ratio, double block_bytes)
{
    const double halves = log2(SMALL_BLOCK / block_bytes);
    return halves > 0 ? fmax(ratio * pow(1 - SMALL_LOSS, halves), 1) : ratio;
}

static double
read_cost(const struct model *m, const struct reach *r)
{
    const double work = r->chunks * CHUNK + r->blocks * BLOCK + r->rows * ROW +
                        r->bytes * m->decode * factor(m, r->bytes / r->blocks);
    return CALL + work / shared(m, r->blocks);
}

static double
encode_cost(const struct model *m, const struct reach *r, double bytes)
{
    return (r->blocks * BLOCK + bytes * m->encode * factor(m, r->bytes / r->blocks)) /
           shared(m, r->blocks);
}

// Whether chunks side by side across the axis, one deep, can wait in the cache.
static bool
waits(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
      int32_t typesize, const struct grid *g)
{
    double bytes = (double)typesize * (double)g->chunk[a->axis];

    for (int i = 0; i < ndim; i++)
        if (i != a->axis)
            bytes *= ceil_div(shape[i], g->chunk[i]) * (double)g->chunk[i];
    return bytes <= (double)m->cache;
}

static double
append_cost(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
            int32_t typesize, const struct grid *g, const struct reach *r)
{
    const double bytes = r->items * typesize;
    const double share = fmin(1, (double)a->extent[a->axis] / (double)g->chunk[a->axis]);

    if (waits(m, a, ndim, shape, typesize, g))
        return CALL + encode_cost(m, r, bytes) + r->chunks * (CHUNK + share * CHUNK_WRITE);
    return read_cost(m, r) + encode_cost(m, r, r->bytes) + r->chunks * CHUNK_WRITE;
}

// Bytes that pass between memory and disk, uncompressed.
static double
bytes_moved(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
            int32_t typesize, const struct grid *g, const struct reach *r)
{
    switch (a->kind) {
    case ACCESS_UPDATE:
        return 2 * r->bytes;
    case ACCESS_APPEND:
        return waits(m, a, ndim, shape, typesize, g) ? r->items * typesize : 2 * r->bytes;
    case ACCESS_WRITE:
    case ACCESS_READ:
        break;
    }
    return r->bytes;
}

double
model_disk(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
           int32_t typesize, const struct grid *g, double ratio)
{
    const struct reach r = reach_of(a, ndim, shape, typesize, g);
    const double bytes = bytes_moved(m, a, ndim, shape, typesize, g, &r) / ratio;

    return (m->disk_speed > 0 ? bytes / m->disk_speed : 0) + r.chunks * m->disk_latency;
}

struct model_cost
model_predict(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
              int32_t typesize, const struct grid *g)
{
    const struct reach r = reach_of(a, ndim, shape, typesize, g);
    struct model_cost cost = {0};

    switch (a->kind) {
    case ACCESS_READ:
        cost.cpu = read_cost(m, &r);
        break;
    case ACCESS_UPDATE:
        cost.cpu = read_cost(m, &r) + encode_cost(m, &r, r.bytes) + r.chunks * CHUNK_WRITE;
        break;
    case ACCESS_APPEND:
        cost.cpu = append_cost(m, a, ndim, shape, typesize, g, &r);
        break;
    case ACCESS_WRITE:
        cost.cpu = CALL + encode_cost(m, &r, r.items * typesize) + r.chunks * CHUNK_WRITE;
        break;
    }
    cost.disk = model_disk(m, a, ndim, shape, typesize, g, ratio_of(m->ratio, r.bytes / r.blocks));
    return cost;
}

double
model_predict_mix(const struct model *m, const struct access_mix *mix,
                  const struct grid_space *space, const struct grid *g)
{
    double sum = 0;

    for (int i = 0; i < mix->count; i++) {
        const struct access *const a = &mix->items[i];
        const struct model_cost cost =
            model_predict(m, a, space->ndim, space->shape, space->typesize, g);
        sum += a->weight * (cost.cpu + cost.disk);
    }
    return sum;
}
