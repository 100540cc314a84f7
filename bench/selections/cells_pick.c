/*
 * cells_pick.c - points, indices, masks, and passes over all items.
 */
#include "hand.h"

#include <tessera/iterate.h>
#include <tessera/select.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void
get_points(struct turn *t, int n)
{
    t->used = (size_t)n * sizeof *t->dst;
    t->side->sparse(t->a, t->job->flat, n, t->dst, t->used);
}

static void
hand_get_points(struct turn *t, int n)
{
    t->used = (size_t)n * sizeof *t->dst;
    for (int k = 0; k < n; k++) {
        const int64_t *const p = &t->job->points[k * NDIM];
        hand_read_item(t->a, p[0], p[1], p[2], &t->dst[k]);
    }
}

static void
any_points(struct turn *t)
{
    get_points(t, POINTS);
}

static void
hand_points(struct turn *t)
{
    hand_get_points(t, POINTS);
}

static void
any_few_points(struct turn *t)
{
    get_points(t, FEW_POINTS);
}

static void
hand_few_points(struct turn *t)
{
    hand_get_points(t, FEW_POINTS);
}

static size_t
orthogonal_size(const struct job *j)
{
    return (size_t)(j->counts[0] * j->counts[1] * j->counts[2]) * sizeof(float);
}

static void
any_orthogonal(struct turn *t)
{
    t->used = orthogonal_size(t->job);
    t->side->orthogonal(t->a, t->job->positions, t->job->counts, t->dst, t->used);
}

static void
any_few_orthogonal(struct turn *t)
{
    static const int64_t counts[NDIM] = {FEW_POSITIONS, FEW_POSITIONS, FEW_POSITIONS};
    t->used = FEW_POSITIONS * FEW_POSITIONS * FEW_POSITIONS * sizeof *t->dst;
    t->side->orthogonal(t->a, t->job->positions, counts, t->dst, t->used);
}

static void
hand_few_orthogonal(struct turn *t)
{
    int64_t *const *const p = t->job->positions;
    float *dst = t->dst;

    t->used = FEW_POSITIONS * FEW_POSITIONS * FEW_POSITIONS * sizeof *t->dst;
    for (int i = 0; i < FEW_POSITIONS; i++)
        for (int k = 0; k < FEW_POSITIONS; k++)
            for (int m = 0; m < FEW_POSITIONS; m++)
                hand_read_item(t->a, p[0][i], p[1][k], p[2][m], dst++);
}

static void
hand_orthogonal(struct turn *t)
{
    const struct job *const j = t->job;
    const int64_t *const shape = j->array.shape, *const n = j->counts;
    float *dst = t->dst;

    t->used = orthogonal_size(j);
    hand_read_all(t, j->scratch);
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t k = 0; k < n[1]; k++)
            for (int64_t m = 0; m < n[2]; m++)
                *dst++ =
                    j->scratch[(j->positions[0][i] * shape[1] + j->positions[1][k]) * shape[2] +
                               j->positions[2][m]];
}

static void
ours_mask(struct turn *t, const struct mask *mask)
{
    const tess_mask m = {.ndim = mask->ndim, .bytes = mask->bytes, .bytes_size = mask->count};
    tess_error err;

    t->used = mask->size;
    must(tess_array_get_mask(t->a, &m, t->dst, t->used, &err), &err);
}

static void
hand_mask(struct turn *t, const uint8_t *mask)
{
    float *dst = t->dst;

    hand_read_all(t, t->job->scratch);
    for (int64_t i = 0; i < t->job->nitems; i++)
        if (mask[i])
            *dst++ = t->job->scratch[i];
    t->used = (size_t)(dst - t->dst) * sizeof *dst;
}

static void
ours_mask_half(struct turn *t)
{
    ours_mask(t, &t->job->half);
}

static void
hand_mask_half(struct turn *t)
{
    hand_mask(t, t->job->half.bytes);
}

static void
ours_mask_few(struct turn *t)
{
    ours_mask(t, &t->job->few);
}

static void
hand_mask_few(struct turn *t)
{
    hand_mask(t, t->job->few.bytes);
}

static void
ours_mask_array(struct turn *t)
{
    const tess_mask m = {.ndim = NDIM, .array = t->job->half_array};
    tess_error err;

    t->used = t->job->half.size;
    must(tess_array_get_mask(t->a, &m, t->dst, t->used, &err), &err);
}

static void
hand_mask_array(struct turn *t)
{
    uint8_t *const mask = (uint8_t *)t->job->scratch2;
    tess_error err;

    must(tess_array_read(t->job->half_array, (const int64_t[NDIM]){0}, t->job->array.shape, mask,
                         (size_t)t->job->nitems, &err),
         &err);
    hand_mask(t, mask);
}

static void
ours_mask_planes(struct turn *t)
{
    ours_mask(t, &t->job->planes);
}

static void
hand_mask_planes(struct turn *t)
{
    const int64_t *const shape = t->job->array.shape;
    float *dst = t->dst;

    for (int64_t i = 0; i < shape[0]; i++)
        if (t->job->planes.bytes[i]) {
            hand_read(t->a, (const int64_t[NDIM]){i, 0, 0},
                      (const int64_t[NDIM]){i + 1, shape[1], shape[2]}, dst);
            dst += shape[1] * shape[2];
        }
    t->used = (size_t)(dst - t->dst) * sizeof *dst;
}

#define ABOVE 20.0F // what the counting cells count

static tess_each_next
count_above(const tess_part *part, void *user)
{
    atomic_int_fast64_t *const total = user;
    int64_t n = 0;

    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t k = 0; k < part->stop[1] - part->start[1]; k++) {
            const char *const at =
                (const char *)part->items + i * part->strides[0] + k * part->strides[1];
            const float *const row = (const float *)(const void *)at;
            int32_t here = 0;
            for (int64_t m = 0; m < part->stop[2] - part->start[2]; m++)
                here += row[m] > ABOVE;
            n += here;
        }
    atomic_fetch_add(total, n);
    return TESS_EACH_NEXT;
}

static void
ours_each(struct turn *t)
{
    atomic_int_fast64_t total = 0;
    tess_error err;

    must(tess_array_each(t->a, TESS_BLOCKS, NULL, NULL, count_above, &total, &err), &err);
    const int64_t n = total;
    t->used = sizeof n;
    memcpy(t->dst, &n, t->used);
}

static void
hand_each(struct turn *t)
{
    const float *const items = t->job->scratch;
    int64_t lo[NDIM], hi[NDIM], n = 0;

    for (int64_t chunk = 0; hand_chunk(&t->job->array, chunk, lo, hi); chunk++) {
        const int64_t count = hand_count(lo, hi);
        int32_t here = 0;
        hand_read(t->a, lo, hi, t->job->scratch);
        for (int64_t i = 0; i < count; i++)
            here += items[i] > ABOVE;
        n += here;
    }
    t->used = sizeof n;
    memcpy(t->dst, &n, t->used);
}

// Sums differ in their last digits.
static void
result(struct turn *t, double sum, double min, double max, int64_t nonfinite)
{
    const double all[] = {floor(sum / 10 + 0.5), min, max, (double)nonfinite};

    t->used = sizeof all;
    memcpy(t->dst, all, sizeof all);
}

static void
ours_statistics(struct turn *t)
{
    tess_statistics s;
    tess_error err;

    must(tess_array_statistics(t->a, NULL, NULL, &s, &err), &err);
    result(t, s.sum, s.min.f, s.max.f, s.nonfinite);
}

static void
hand_statistics(struct turn *t)
{
    const float *const items = t->job->scratch;
    float min = INFINITY, max = -INFINITY;
    int64_t lo[NDIM], hi[NDIM], nonfinite = 0;
    double sum = 0;

    for (int64_t chunk = 0; hand_chunk(&t->job->array, chunk, lo, hi); chunk++) {
        const int64_t count = hand_count(lo, hi);
        hand_read(t->a, lo, hi, t->job->scratch);
        for (int64_t i = 0; i < count; i++) {
            const float x = items[i];
            if (!isfinite(x)) {
                nonfinite++;
                continue;
            }
            sum += (double)x;
            min = x < min ? x : min;
            max = x > max ? x : max;
        }
    }
    result(t, sum, (double)min, (double)max, nonfinite);
}

const struct cell cells_pick[] = {
    {"get 10000 points", READS, any_points, NULL, hand_points, "a box of one item each"},
    {"get 100 points", READS, any_few_points, NULL, hand_few_points, "a box of one item each"},
    {"get 4 x 4 x 4 indices", READS, any_few_orthogonal, NULL, hand_few_orthogonal,
     "a box of one item each"},
    {"get 40 x 40 x 40 indices", READS, any_orthogonal, NULL, hand_orthogonal, "read all, pick"},
    {"get mask, half", READS, NULL, ours_mask_half, hand_mask_half, "read all, pick"},
    {"get mask, one in 1000", READS, NULL, ours_mask_few, hand_mask_few, "read all, pick"},
    {"get mask of planes, 1 of 10", READS, NULL, ours_mask_planes, hand_mask_planes,
     "a box for each plane"},
    {"get mask in an array, half", READS, NULL, ours_mask_array, hand_mask_array,
     "read both, pick"},
    {"count items above a limit", READS, NULL, ours_each, hand_each,
     "read chunk after chunk, count in a loop"},
    {"statistics", READS, NULL, ours_statistics, hand_statistics,
     "read chunk after chunk, one loop for all"},
    {0},
};
