/*
 * reference.c - the definition of what an array does, item by item.
 *
 * Fit to be checked by eye; used for arrays of some thousand items.
 */
#include "support/reference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *
zeroed(size_t size)
{
    uint8_t *p = calloc(size > 0 ? size : 1, 1);

    if (!p)
        abort();
    return p;
}

void
reference_init(struct reference *r, int ndim, const int64_t *shape, size_t typesize)
{
    *r = (struct reference){.ndim = ndim, .typesize = typesize};
    for (int i = 0; i < ndim; i++)
        r->shape[i] = shape[i];
    r->data = zeroed(reference_size(r));
}

void
reference_copy(struct reference *r, const struct reference *from)
{
    *r = *from;
    r->data = zeroed(reference_size(from));
    memcpy(r->data, from->data, reference_size(from));
    r->fill = NULL;
    if (from->fill)
        reference_grow_with(r, from->fill);
}

void
reference_finish(struct reference *r)
{
    free(r->data);
    free(r->fill);
    r->data = NULL;
    r->fill = NULL;
}

int64_t
reference_nitems(int ndim, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    return n;
}

int64_t
reference_box_nitems(int ndim, const int64_t *start, const int64_t *stop)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        n *= stop[i] - start[i];
    return n;
}

size_t
reference_size(const struct reference *r)
{
    return (size_t)reference_nitems(r->ndim, r->shape) * r->typesize;
}

size_t
reference_box_size(const struct reference *r, const int64_t *start, const int64_t *stop)
{
    return (size_t)reference_box_nitems(r->ndim, start, stop) * r->typesize;
}

void
reference_fill(struct reference *r, const void *item)
{
    const int64_t n = reference_nitems(r->ndim, r->shape);

    for (int64_t i = 0; i < n; i++)
        memcpy(r->data + (size_t)i * r->typesize, item, r->typesize);
}

void
reference_grow_with(struct reference *r, const void *item)
{
    free(r->fill);
    r->fill = zeroed(r->typesize);
    memcpy(r->fill, item, r->typesize);
}

// Step to the next item of a box in C order; false behind the last one.
static bool
next(int ndim, const int64_t *start, const int64_t *stop, int64_t *at)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++at[i] < stop[i])
            return true;
        at[i] = start[i];
    }
    return false;
}

static uint8_t *
item(const struct reference *r, const int64_t *at)
{
    int64_t position = 0;

    for (int i = 0; i < r->ndim; i++)
        position = position * r->shape[i] + at[i];
    return r->data + (size_t)position * r->typesize;
}

void
reference_get(const struct reference *r, const int64_t *start, const int64_t *stop, void *dst)
{
    int64_t at[REFERENCE_MAX_NDIM] = {0};
    uint8_t *out = dst;

    if (reference_box_nitems(r->ndim, start, stop) == 0)
        return;
    for (int i = 0; i < r->ndim; i++)
        at[i] = start[i];
    do {
        memcpy(out, item(r, at), r->typesize);
        out += r->typesize;
    } while (next(r->ndim, start, stop, at));
}

void
reference_set(struct reference *r, const int64_t *start, const int64_t *stop, const void *src)
{
    int64_t at[REFERENCE_MAX_NDIM] = {0};
    const uint8_t *in = src;

    if (reference_box_nitems(r->ndim, start, stop) == 0)
        return;
    for (int i = 0; i < r->ndim; i++)
        at[i] = start[i];
    do {
        memcpy(item(r, at), in, r->typesize);
        in += r->typesize;
    } while (next(r->ndim, start, stop, at));
}

void
reference_get_slice(const struct reference *r, const int64_t *start, const int64_t *count,
                    const int64_t *step, void *dst)
{
    const int64_t origin[REFERENCE_MAX_NDIM] = {0};
    int64_t nth[REFERENCE_MAX_NDIM] = {0}, at[REFERENCE_MAX_NDIM] = {0};
    uint8_t *out = dst;

    if (reference_nitems(r->ndim, count) == 0)
        return;
    do {
        for (int i = 0; i < r->ndim; i++)
            at[i] = start[i] + nth[i] * step[i];
        memcpy(out, item(r, at), r->typesize);
        out += r->typesize;
    } while (next(r->ndim, origin, count, nth));
}

void
reference_permute(struct reference *r, const int *axes)
{
    const int64_t origin[REFERENCE_MAX_NDIM] = {0};
    int64_t shape[REFERENCE_MAX_NDIM] = {0}, to[REFERENCE_MAX_NDIM] = {0};
    int64_t at[REFERENCE_MAX_NDIM] = {0};
    struct reference permuted;

    for (int i = 0; i < r->ndim; i++)
        shape[i] = r->shape[axes[i]];
    reference_init(&permuted, r->ndim, shape, r->typesize);
    if (reference_nitems(r->ndim, shape) > 0)
        do {
            for (int i = 0; i < r->ndim; i++)
                at[axes[i]] = to[i];
            memcpy(item(&permuted, to), item(r, at), r->typesize);
        } while (next(r->ndim, origin, shape, to));
    reference_finish(r);
    *r = permuted;
}

void
reference_resize(struct reference *r, const int64_t *shape)
{
    const int64_t origin[REFERENCE_MAX_NDIM] = {0};
    int64_t common[REFERENCE_MAX_NDIM] = {0};
    struct reference resized;

    for (int i = 0; i < r->ndim; i++)
        common[i] = shape[i] < r->shape[i] ? shape[i] : r->shape[i];
    reference_init(&resized, r->ndim, shape, r->typesize);
    if (r->fill) {
        reference_fill(&resized, r->fill);
        reference_grow_with(&resized, r->fill);
    }

    uint8_t *kept = zeroed(reference_box_size(r, origin, common));
    reference_get(r, origin, common, kept);
    reference_set(&resized, origin, common, kept);
    free(kept);
    reference_finish(r);
    *r = resized;
}

void
reference_append(struct reference *r, int axis, int64_t count, const void *src)
{
    int64_t start[REFERENCE_MAX_NDIM] = {0};
    int64_t shape[REFERENCE_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++)
        shape[i] = r->shape[i];
    start[axis] = shape[axis];
    shape[axis] += count;
    reference_resize(r, shape);
    reference_set(r, start, shape, src);
}

// The items from `position` on along an axis, moved by `by`; nothing is resized.
static void
move_tail(struct reference *r, int axis, int64_t position, int64_t stop, int64_t by)
{
    int64_t start[REFERENCE_MAX_NDIM] = {0};
    int64_t end[REFERENCE_MAX_NDIM] = {0};

    for (int i = 0; i < r->ndim; i++)
        end[i] = r->shape[i];
    start[axis] = position;
    end[axis] = stop;
    uint8_t *tail = zeroed(reference_box_size(r, start, end));
    reference_get(r, start, end, tail);
    start[axis] += by;
    end[axis] += by;
    reference_set(r, start, end, tail);
    free(tail);
}

void
reference_insert(struct reference *r, int axis, int64_t position, int64_t count, const void *src)
{
    int64_t start[REFERENCE_MAX_NDIM] = {0};
    int64_t shape[REFERENCE_MAX_NDIM] = {0};
    const int64_t before = r->shape[axis];

    for (int i = 0; i < r->ndim; i++)
        shape[i] = r->shape[i];
    shape[axis] += count;
    reference_resize(r, shape);
    move_tail(r, axis, position, before, count);
    start[axis] = position;
    shape[axis] = position + count;
    const size_t size = reference_box_size(r, start, shape);
    uint8_t *gap = zeroed(size);
    for (size_t i = 0; i < size && r->fill; i++)
        gap[i] = r->fill[i % r->typesize];
    reference_set(r, start, shape, src ? src : gap);
    free(gap);
}

void
reference_delete(struct reference *r, int axis, int64_t position, int64_t count)
{
    int64_t shape[REFERENCE_MAX_NDIM] = {0};

    move_tail(r, axis, position + count, r->shape[axis], -count);
    for (int i = 0; i < r->ndim; i++)
        shape[i] = r->shape[i];
    shape[axis] -= count;
    reference_resize(r, shape);
}
