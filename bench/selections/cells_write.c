/*
 * cells_write.c - slices, fills, points, indices and masks: what is set.
 *
 * Items that are set come from job->other.
 */
#include "hand.h"

#include <tessera/iterate.h>
#include <tessera/select.h>
#include <tessera/slice.h>
#include <tessera/view.h>

#include <string.h>

static const float value = 12.34F;
static const int64_t zero[NDIM];

static void
ours_set_slice(struct turn *t)
{
    tess_error err;

    must(tess_array_set_slice(t->a, zero, t->job->array.shape, (const int64_t[NDIM]){2, 2, 2},
                              t->job->other, t->job->size, NULL, &err),
         &err);
}

static void
hand_set_slice(struct turn *t)
{
    const int64_t *const n = t->job->array.shape;
    const float *src = t->job->other;

    hand_read_all(t, t->job->scratch);
    for (int64_t i = 0; i < n[0]; i += 2)
        for (int64_t k = 0; k < n[1]; k += 2) {
            float *const row = t->job->scratch + (i * n[1] + k) * n[2];
            for (int64_t m = 0; m < n[2]; m += 2)
                row[m] = *src++;
        }
    hand_write_all(t, t->job->scratch);
}

// One plane into all.
static void
ours_set_plane(struct turn *t)
{
    const int64_t item = sizeof value;
    const int64_t strides[NDIM] = {0, item * t->job->array.shape[2], item};
    tess_error err;

    must(tess_array_set_slice(t->a, zero, t->job->array.shape, NULL, t->job->other, t->job->size,
                              strides, &err),
         &err);
}

static void
hand_set_plane(struct turn *t)
{
    const int64_t *const n = t->job->array.shape;
    const int64_t plane = n[1] * n[2];

    for (int64_t i = 0; i < n[0]; i++)
        memcpy(t->job->scratch + i * plane, t->job->other, (size_t)plane * sizeof value);
    hand_write_all(t, t->job->scratch);
}

// All but 10 items at each side.
static void
inner(const struct turn *t, int64_t *lo, int64_t *hi)
{
    for (int i = 0; i < NDIM; i++) {
        lo[i] = 10;
        hi[i] = t->job->array.shape[i] - 10;
    }
}

static void
ours_fill(struct turn *t)
{
    int64_t lo[NDIM], hi[NDIM];
    tess_error err;

    inner(t, lo, hi);
    must(tess_array_fill(t->a, lo, hi, NULL, &value, sizeof value, &err), &err);
}

static void
ours_fill_all(struct turn *t)
{
    tess_error err;

    must(tess_array_fill(t->a, zero, t->job->array.shape, NULL, &value, sizeof value, &err), &err);
}

static void
repeat(const struct turn *t, const int64_t *lo, const int64_t *hi)
{
    const int64_t n = hand_count(lo, hi);

    for (int64_t i = 0; i < n; i++)
        t->job->scratch[i] = value;
    hand_write(t->a, lo, hi, t->job->scratch);
}

static void
hand_fill(struct turn *t)
{
    int64_t lo[NDIM], hi[NDIM];

    inner(t, lo, hi);
    repeat(t, lo, hi);
}

static void
hand_fill_all(struct turn *t)
{
    repeat(t, zero, t->job->array.shape);
}

static void
ours_points(struct turn *t)
{
    tess_error err;

    must(tess_array_set_points(t->a, POINTS, t->job->points, t->job->other, POINTS * sizeof value,
                               &err),
         &err);
}

static void
hand_points(struct turn *t)
{
    for (int k = 0; k < POINTS; k++) {
        const int64_t *const p = &t->job->points[k * NDIM];
        hand_write(t->a, p, (const int64_t[NDIM]){p[0] + 1, p[1] + 1, p[2] + 1}, &t->job->other[k]);
    }
}

static void
any_orthogonal(struct turn *t)
{
    const struct job *const j = t->job;

    t->side->set_orthogonal(t->a, j->positions, j->counts, j->other,
                            (size_t)(j->counts[0] * j->counts[1] * j->counts[2]) * sizeof value);
}

static void
hand_orthogonal(struct turn *t)
{
    const struct job *const j = t->job;
    const int64_t *const shape = j->array.shape, *const n = j->counts;
    const float *src = j->other;

    hand_read_all(t, j->scratch);
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t k = 0; k < n[1]; k++)
            for (int64_t m = 0; m < n[2]; m++)
                j->scratch[(j->positions[0][i] * shape[1] + j->positions[1][k]) * shape[2] +
                           j->positions[2][m]] = *src++;
    hand_write_all(t, j->scratch);
}

static void
ours_mask(struct turn *t, const struct mask *mask)
{
    const tess_mask m = {.ndim = mask->ndim, .bytes = mask->bytes, .bytes_size = mask->count};
    tess_error err;

    must(tess_array_set_mask(t->a, &m, t->job->other, mask->size, &err), &err);
}

static void
hand_mask(struct turn *t, const uint8_t *mask)
{
    const float *src = t->job->other;

    hand_read_all(t, t->job->scratch);
    for (int64_t i = 0; i < t->job->nitems; i++)
        if (mask[i])
            t->job->scratch[i] = *src++;
    hand_write_all(t, t->job->scratch);
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
ours_mask_planes(struct turn *t)
{
    const tess_mask mask = {
        .ndim = 1, .bytes = t->job->planes.bytes, .bytes_size = t->job->planes.count};
    tess_error err;

    must(tess_array_set_mask(t->a, &mask, &value, sizeof value, &err), &err);
}

static void
hand_mask_planes(struct turn *t)
{
    const int64_t *const n = t->job->array.shape;

    for (int64_t i = 0; i < n[0]; i++)
        if (t->job->planes.bytes[i])
            repeat(t, (const int64_t[NDIM]){i, 0, 0}, (const int64_t[NDIM]){i + 1, n[1], n[2]});
}

static void
ours_view(struct turn *t)
{
    tess_array *view;
    tess_info info;
    tess_error err;

    must(tess_array_view_permute(t->a, (const int[NDIM]){2, 1, 0}, &view, &err), &err);
    tess_array_info(view, &info);
    hand_write(view, zero, info.shape, t->job->other);
    tess_array_discard(view);
}

static void
hand_view(struct turn *t)
{
    const int64_t *const n = t->job->array.shape;
    float *dst = t->job->scratch;

    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t k = 0; k < n[1]; k++)
            for (int64_t m = 0; m < n[2]; m++)
                *dst++ = t->job->other[(m * n[1] + k) * n[0] + i];
    hand_write_all(t, t->job->scratch);
}

static tess_each_next
twice(const tess_part *part, void *items, void *user)
{
    (void)user;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t k = 0; k < part->stop[1] - part->start[1]; k++) {
            char *const at = (char *)items + i * part->strides[0] + k * part->strides[1];
            float *const row = (float *)(void *)at;
            for (int64_t m = 0; m < part->stop[2] - part->start[2]; m++)
                row[m] *= 2;
        }
    return TESS_EACH_CHANGED;
}

static void
ours_change(struct turn *t)
{
    tess_error err;

    must(tess_array_change(t->a, TESS_BLOCKS, NULL, NULL, twice, NULL, &err), &err);
}

static void
hand_change(struct turn *t)
{
    int64_t lo[NDIM], hi[NDIM];

    for (int64_t chunk = 0; hand_chunk(&t->job->array, chunk, lo, hi); chunk++) {
        const int64_t n = hand_count(lo, hi);
        hand_read(t->a, lo, hi, t->job->scratch);
        for (int64_t i = 0; i < n; i++)
            t->job->scratch[i] *= 2;
        hand_write(t->a, lo, hi, t->job->scratch);
    }
}

const struct cell cells_write[] = {
    {"set a[::2, ::2, ::2]", CHANGES, NULL, ours_set_slice, hand_set_slice,
     "read all, put, write all"},
    {"set a[:] to one plane", CHANGES, NULL, ours_set_plane, hand_set_plane,
     "write a buffer with the plane repeated"},
    {"fill all", CHANGES, NULL, ours_fill_all, hand_fill_all,
     "write a buffer with the item repeated"},
    {"fill a[10:-10, 10:-10, 10:-10]", CHANGES, NULL, ours_fill, hand_fill,
     "write a buffer with the item repeated"},
    {"set 10000 points", CHANGES, NULL, ours_points, hand_points, "a box of one item each"},
    {"set 40 x 40 x 40 indices", CHANGES, any_orthogonal, NULL, hand_orthogonal,
     "read all, put, write all"},
    {"set mask, half", CHANGES, NULL, ours_mask_half, hand_mask_half, "read all, put, write all"},
    {"set mask, one in 1000", CHANGES, NULL, ours_mask_few, hand_mask_few,
     "read all, put, write all"},
    {"set mask of planes to one item", CHANGES, NULL, ours_mask_planes, hand_mask_planes,
     "write a buffer for each plane"},
    {"view axes 2, 1, 0, write all", CHANGES, NULL, ours_view, hand_view,
     "transpose in three loops, write all"},
    {"change all items", CHANGES, NULL, ours_change, hand_change,
     "read, change and write chunk after chunk"},
    {0},
};
