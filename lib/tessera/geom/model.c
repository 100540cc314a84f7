/*
 * model.c - how long an access is expected to take in a layout.
 */
#include "geom/model.h"

#include <math.h>
#include <stdbool.h>

// Seconds, of the order that is found on common machines; only their relation to the measured
// price of a byte matters.
#define CALL 2e-6
#define CHUNK 1e-6 // found, its header and table looked at
#define CHUNK_WRITE 10e-6 // put together and noted
#define ROW 6e-9 // of items that are neighbours in a block and in memory

#define LARGE_BLOCK 1.15 // decoding what the cache does not hold

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
ceil_div_double(int64_t a, int64_t b)
{
    return (double)(a / b + (a % b != 0));
}

void
model_count(struct model_counts *c, int ndim, const int64_t *shape, int32_t typesize,
            const struct grid *g)
{
    c->ndim = ndim;
    c->shape = shape;
    c->typesize = typesize;
    c->grid = g;
    c->block_bytes = typesize;
    for (int i = 0; i < ndim; i++) {
        const int64_t rest = shape[i] % g->chunk[i];
        c->chunks[i] = (double)(shape[i] / g->chunk[i] + (rest != 0));
        c->blocks[i] =
            (double)(shape[i] / g->chunk[i]) * ceil_div_double(g->chunk[i], g->block[i]) +
            ceil_div_double(rest, g->block[i]);
        c->block_bytes *= (double)g->block[i];
    }
}

static struct reach
reach_of(const struct access *a, const struct model_counts *c)
{
    struct reach r = {.chunks = 1, .blocks = 1, .items = 1};
    int64_t extent[NDIM_MAX] = {0};

    access_extent(a, c->ndim, c->shape, extent);
    for (int i = 0; i < c->ndim; i++) {
        r.chunks *= met(c->shape[i], extent[i], c->grid->chunk[i], c->chunks[i]);
        r.blocks *= met(c->shape[i], extent[i], c->grid->block[i], c->blocks[i]);
        r.items *= (double)extent[i];
    }
    r.bytes = r.blocks * c->block_bytes;
    r.rows = 1;
    if (c->ndim > 0) {
        const int last = c->ndim - 1;
        const int64_t block = c->grid->block[last];
        r.rows = r.items / (double)(extent[last] < block ? extent[last] : block);
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
    return m->l2 > 0 && 3 * block_bytes > (double)m->l2 ? LARGE_BLOCK : 1;
}

double
model_growth(const struct model *m, double block_bytes)
{
    const double halves = log2(MODEL_SMALL_BLOCK / block_bytes);
    return halves > 0 ? pow(1 - m->small_loss, -halves) : 1;
}

static double
ratio_of(const struct model *m, double block_bytes)
{
    return m->ratio > 1 ? fmax(m->ratio / model_growth(m, block_bytes), 1) : m->ratio;
}

static double
read_cost(const struct model *m, const struct reach *r)
{
    const double work = r->chunks * CHUNK + r->blocks * m->block + r->rows * ROW +
                        r->bytes * m->decode * factor(m, r->bytes / r->blocks);
    return CALL + work / shared(m, r->blocks);
}

static double
encode_cost(const struct model *m, const struct reach *r, double bytes)
{
    return (r->blocks * m->block + bytes * m->encode * factor(m, r->bytes / r->blocks)) /
           shared(m, r->blocks);
}

// Whether chunks side by side across the axis, one deep, can wait in the cache.
static bool
waits(const struct model *m, const struct access *a, const struct model_counts *c)
{
    double bytes = (double)c->typesize * (double)c->grid->chunk[a->axis];

    for (int i = 0; i < c->ndim; i++)
        if (i != a->axis)
            bytes *= c->chunks[i] * (double)c->grid->chunk[i];
    return bytes <= (double)m->cache;
}

static double
append_cost(const struct model *m, const struct access *a, const struct model_counts *c,
            const struct reach *r)
{
    const double bytes = r->items * c->typesize;
    const double share = fmin(1, (double)a->extent[a->axis] / (double)c->grid->chunk[a->axis]);

    if (waits(m, a, c))
        return CALL + encode_cost(m, r, bytes) + r->chunks * (CHUNK + share * CHUNK_WRITE);
    return read_cost(m, r) + encode_cost(m, r, r->bytes) + r->chunks * CHUNK_WRITE;
}

// Bytes that pass between memory and disk, uncompressed.
static double
bytes_moved(const struct model *m, const struct access *a, const struct model_counts *c,
            const struct reach *r)
{
    switch (a->kind) {
    case ACCESS_UPDATE:
        return 2 * r->bytes;
    case ACCESS_APPEND:
        return waits(m, a, c) ? r->items * c->typesize : 2 * r->bytes;
    case ACCESS_WRITE:
    case ACCESS_READ:
        break;
    }
    return r->bytes;
}

static double
disk(const struct model *m, const struct access *a, const struct model_counts *c,
     const struct reach *r, double ratio)
{
    const double bytes = bytes_moved(m, a, c, r) / ratio;
    return (m->disk_speed > 0 ? bytes / m->disk_speed : 0) + r->chunks * m->disk_latency;
}

double
model_disk(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
           int32_t typesize, const struct grid *g, double ratio)
{
    struct model_counts c;
    model_count(&c, ndim, shape, typesize, g);
    const struct reach r = reach_of(a, &c);
    return disk(m, a, &c, &r, ratio);
}

static double
cpu(const struct model *m, const struct access *a, const struct model_counts *c,
    const struct reach *r)
{
    switch (a->kind) {
    case ACCESS_READ:
        break;
    case ACCESS_UPDATE:
        return read_cost(m, r) + encode_cost(m, r, r->bytes) + r->chunks * CHUNK_WRITE;
    case ACCESS_APPEND:
        return append_cost(m, a, c, r);
    case ACCESS_WRITE:
        return CALL + encode_cost(m, r, r->items * c->typesize) + r->chunks * CHUNK_WRITE;
    }
    return read_cost(m, r);
}

double
model_cpu(const struct model *m, const struct access *a, const struct model_counts *c)
{
    const struct reach r = reach_of(a, c);
    return cpu(m, a, c, &r);
}

struct model_cost
model_predict(const struct model *m, const struct access *a, int ndim, const int64_t *shape,
              int32_t typesize, const struct grid *g)
{
    struct model_counts c;
    model_count(&c, ndim, shape, typesize, g);
    const struct reach r = reach_of(a, &c);
    return (struct model_cost){
        .cpu = cpu(m, a, &c, &r),
        .disk = disk(m, a, &c, &r, ratio_of(m, r.bytes / r.blocks)),
    };
}

double
model_best(const struct model *m, enum access_kind kind, double bytes, double rows,
           double block_bytes)
{
    const double blocks = fmax(1, bytes / block_bytes);
    const double per_byte = kind == ACCESS_READ ? m->decode : m->encode;
    return CALL + CHUNK + blocks * m->block + rows * ROW + bytes * per_byte;
}
