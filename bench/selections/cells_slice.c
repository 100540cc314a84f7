/*
 * cells_slice.c - slices with steps, memory with strides, views: what arrives in memory.
 */
#include "hand.h"

#include <tessera/slice.h>
#include <tessera/view.h>

// start:stop:step along each axis.
struct slice {
    int64_t start[NDIM], stop[NDIM], step[NDIM], n[NDIM];
};

static struct slice
slice_all(const struct job *j, int64_t step0, int64_t step1, int64_t step2)
{
    struct slice s = {.step = {step0, step1, step2}};

    for (int i = 0; i < NDIM; i++) {
        s.start[i] = s.step[i] > 0 ? 0 : j->array.shape[i] - 1;
        s.stop[i] = s.step[i] > 0 ? j->array.shape[i] : -1;
        s.n[i] = tess_slice_length(s.start[i], s.stop[i], s.step[i]);
    }
    return s;
}

static void
use(struct turn *t, const int64_t *n)
{
    t->used = (size_t)(n[0] * n[1] * n[2]) * sizeof *t->dst;
}

static void
ours_slice(struct turn *t, const struct slice *s)
{
    tess_error err;

    use(t, s->n);
    must(tess_array_get_slice(t->a, s->start, s->stop, s->step, t->dst, t->used, NULL, &err), &err);
}

// The box around the slice, and what is wanted of it.
static void
hand_slice(struct turn *t, const struct slice *s)
{
    const float *src = t->job->scratch;
    int64_t lo[NDIM], hi[NDIM];
    float *dst = t->dst;

    use(t, s->n);
    for (int i = 0; i < NDIM; i++) {
        const int64_t last = s->start[i] + (s->n[i] - 1) * s->step[i];
        lo[i] = s->step[i] > 0 ? s->start[i] : last;
        hi[i] = (s->step[i] > 0 ? last : s->start[i]) + 1;
    }
    hand_read(t->a, lo, hi, t->job->scratch);
    const int64_t row = hi[2] - lo[2], plane = row * (hi[1] - lo[1]), step = s->step[2];
    src += (s->start[0] - lo[0]) * plane + (s->start[1] - lo[1]) * row + s->start[2] - lo[2];
    for (int64_t i = 0; i < s->n[0]; i++)
        for (int64_t k = 0; k < s->n[1]; k++) {
            const float *const from = src + i * s->step[0] * plane + k * s->step[1] * row;
            for (int64_t m = 0; m < s->n[2]; m++)
                *dst++ = from[m * step];
        }
}

static void
hand_slice_each(struct turn *t, const struct slice *s)
{
    float *dst = t->dst;

    use(t, s->n);
    for (int64_t i = 0; i < s->n[0]; i++)
        for (int64_t k = 0; k < s->n[1]; k++)
            for (int64_t m = 0; m < s->n[2]; m++)
                hand_read_item(t->a, s->start[0] + i * s->step[0], s->start[1] + k * s->step[1],
                               s->start[2] + m * s->step[2], dst++);
}

static void
ours_slice_2(struct turn *t)
{
    const struct slice s = slice_all(t->job, 2, 2, 2);
    ours_slice(t, &s);
}

static void
hand_slice_2(struct turn *t)
{
    const struct slice s = slice_all(t->job, 2, 2, 2);
    hand_slice(t, &s);
}

static void
hand_slice_2_each(struct turn *t)
{
    const struct slice s = slice_all(t->job, 2, 2, 2);
    hand_slice_each(t, &s);
}

static void
ours_slice_60(struct turn *t)
{
    const struct slice s = slice_all(t->job, 60, 60, 60);
    ours_slice(t, &s);
}

static void
hand_slice_60(struct turn *t)
{
    const struct slice s = slice_all(t->job, 60, 60, 60);
    hand_slice(t, &s);
}

static void
hand_slice_60_each(struct turn *t)
{
    const struct slice s = slice_all(t->job, 60, 60, 60);
    hand_slice_each(t, &s);
}

static void
ours_planes(struct turn *t)
{
    const struct slice s = slice_all(t->job, 30, 1, 1);
    ours_slice(t, &s);
}

static void
hand_planes(struct turn *t)
{
    const int64_t *const shape = t->job->array.shape;
    const struct slice s = slice_all(t->job, 30, 1, 1);

    use(t, s.n);
    for (int64_t i = 0; i < s.n[0]; i++)
        hand_read(t->a, (const int64_t[NDIM]){30 * i, 0, 0},
                  (const int64_t[NDIM]){30 * i + 1, shape[1], shape[2]},
                  t->dst + i * shape[1] * shape[2]);
}

static void
ours_reversed(struct turn *t)
{
    const struct slice s = slice_all(t->job, -1, -1, -1);
    ours_slice(t, &s);
}

static void
hand_reversed(struct turn *t)
{
    const struct slice s = slice_all(t->job, -1, -1, -1);
    hand_slice(t, &s);
}

// The first axis contiguous in memory.
static void
ours_strides(struct turn *t)
{
    const struct slice s = slice_all(t->job, 1, 1, 1);
    const int64_t item = sizeof *t->dst;
    const int64_t strides[NDIM] = {item, item * s.n[0], item * s.n[0] * s.n[1]};
    tess_error err;

    use(t, s.n);
    must(tess_array_get_slice(t->a, s.start, s.stop, NULL, t->dst, t->used, strides, &err), &err);
}

static void
transpose(const int64_t *n, const float *src, float *dst)
{
    for (int64_t m = 0; m < n[2]; m++)
        for (int64_t k = 0; k < n[1]; k++)
            for (int64_t i = 0; i < n[0]; i++)
                *dst++ = src[(i * n[1] + k) * n[2] + m];
}

static void
hand_transpose(struct turn *t)
{
    use(t, t->job->array.shape);
    hand_read_all(t, t->job->scratch);
    transpose(t->job->array.shape, t->job->scratch, t->dst);
}

static void
ours_view_permuted(struct turn *t)
{
    tess_array *view;
    tess_info info;
    tess_error err;

    must(tess_array_view_permute(t->a, (const int[NDIM]){2, 1, 0}, &view, &err), &err);
    tess_array_info(view, &info);
    use(t, info.shape);
    hand_read(view, (const int64_t[NDIM]){0}, info.shape, t->dst);
    tess_array_discard(view);
}

// A box in the middle of a[::2, ::-1, :].
static const int64_t cube[NDIM] = {50, 50, 50};

static void
ours_view_slice(struct turn *t)
{
    const struct slice s = slice_all(t->job, 2, -1, 1);
    int64_t lo[NDIM], hi[NDIM];
    tess_array *view;
    tess_error err;

    use(t, cube);
    for (int i = 0; i < NDIM; i++) {
        lo[i] = (s.n[i] - cube[i]) / 2;
        hi[i] = lo[i] + cube[i];
    }
    must(tess_array_view_slice(t->a, s.start, s.stop, s.step, &view, &err), &err);
    hand_read(view, lo, hi, t->dst);
    tess_array_discard(view);
}

static void
hand_view_slice(struct turn *t)
{
    struct slice s = slice_all(t->job, 2, -1, 1);

    for (int i = 0; i < NDIM; i++) {
        s.start[i] += (s.n[i] - cube[i]) / 2 * s.step[i];
        s.n[i] = cube[i];
    }
    hand_slice(t, &s);
}

static void
any_view(struct turn *t)
{
    t->side->view(t->a);
    t->used = 0;
}

const struct cell cells_slice[] = {
    {"get a[::2, ::2, ::2]", READS, NULL, ours_slice_2, hand_slice_2,
     "read the box around it, pick in three loops"},
    {"  the same", READS, NULL, ours_slice_2, hand_slice_2_each, "a box of one item each"},
    {"get a[::60, ::60, ::60]", READS, NULL, ours_slice_60, hand_slice_60,
     "read the box around it, pick"},
    {"  the same", READS, NULL, ours_slice_60, hand_slice_60_each, "a box of one item each"},
    {"get a[::30]", READS, NULL, ours_planes, hand_planes, "a box for each plane"},
    {"get a[::-1, ::-1, ::-1]", READS, NULL, ours_reversed, hand_reversed,
     "read all, turn in three loops"},
    {"get a, first axis contiguous", READS, NULL, ours_strides, hand_transpose,
     "read all, transpose in three loops"},
    {"view with one axis more, less", READS, any_view, NULL, NULL, NULL},
    {"view axes 2, 1, 0, read all", READS, NULL, ours_view_permuted, hand_transpose,
     "read all, transpose in three loops"},
    {"view a[::2, ::-1], read 50^3", READS, NULL, ours_view_slice, hand_view_slice,
     "read the box around it, pick"},
    {0},
};
