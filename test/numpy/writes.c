/*
 * writes.c - what sets items, and what changes the shape.
 */
#include "numpy/subject.h"

#include "numpy/choose.h"
#include "numpy/tell.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NITEMS_MAX = 6000 }; // no array grows beyond

static uint8_t *
new_items(struct subject *s, int64_t n)
{
    uint8_t *const items = subject_memory((size_t)n * s->type.size);
    subject_items(s, items, n);
    return items;
}

static void
set_slice(struct subject *s)
{
    struct slice c;
    struct memory m;

    subject_slice(s, false, &c);
    memory_init(s, c.count, true, &m);
    tell_begin("set slice");
    subject_tell_slice(s->ndim, &c);
    memory_tell(s, &m);
    tell_end();
    tell_bytes(m.size, m.bytes);
    ok(tess_array_set_slice(s->target, c.start, c.stop, c.step, m.bytes + m.offset,
                            m.size - (size_t)m.offset, m.given, err));
    memory_finish(&m);
}

static void
set_box(struct subject *s)
{
    struct slice c;

    subject_slice(s, true, &c);
    const int64_t n = reference_nitems(s->ndim, c.count);
    uint8_t *const items = new_items(s, n);
    tell_begin("set box");
    subject_tell_slice(s->ndim, &c);
    tell_end();
    tell_items(s->type.dtype, s->type.size, s->ndim, c.count, items);
    ok(tess_array_write(s->target, c.start, c.stop, items, (size_t)n * s->type.size, err));
    free(items);
}

static void
fill(struct subject *s)
{
    uint8_t item[SUBJECT_ITEM_MAX];
    struct slice c;

    subject_slice(s, subject_one_in(s, 2), &c);
    subject_items(s, item, 1);
    tell_begin("fill");
    subject_tell_slice(s->ndim, &c);
    tell_end();
    tell_items(s->type.dtype, s->type.size, 0, NULL, item);
    ok(tess_array_fill(s->target, c.start, c.stop, c.step, item, s->type.size, err));
}

static void
set_points(struct subject *s)
{
    struct points p;

    points_init(s, &p);
    uint8_t *const items = new_items(s, p.n);
    tell_begin("set points");
    tell_end();
    points_tell(s, &p);
    tell_items(s->type.dtype, s->type.size, 1, &p.n, items);
    ok(tess_array_set_points(s->target, p.n, p.coords, items, (size_t)p.n * s->type.size, err));
    free(items);
    points_finish(&p);
}

static void
set_orthogonal(struct subject *s)
{
    struct lists l;

    lists_init(s, &l);
    uint8_t *const items = new_items(s, l.n);
    tell_begin("set orthogonal");
    tell_end();
    lists_tell(s, &l);
    tell_items(s->type.dtype, s->type.size, s->ndim, l.counts, items);
    ok(tess_array_set_orthogonal(s->target, l.counts, l.indices, items, (size_t)l.n * s->type.size,
                                 err));
    free(items);
    lists_finish(&l);
}

static void
set_mask(struct subject *s)
{
    struct chosen c;

    chosen_init(s, &c);
    const int64_t n = subject_one_in(s, 3) ? 1 : c.n;
    uint8_t *const items = new_items(s, n);
    tell_begin("set mask");
    tell_end();
    chosen_tell(s, &c);
    tell_items(s->type.dtype, s->type.size, 1, &n, items);
    ok(tess_array_set_mask(s->target, &c.mask, items, (size_t)n * s->type.size, err));
    free(items);
    chosen_finish(&c);
}

void
subject_write(struct subject *s)
{
    static void (*const all[])(struct subject *) = {
        set_slice, set_slice, set_box, fill, set_points, set_orthogonal, set_mask,
    };

    all[subject_below(s, 7)](s);
}

// -- shapes

// Items of one layer across an axis.
static int64_t
layer(const struct subject *s, int axis)
{
    return reference_nitems(axis, s->shape) *
           reference_nitems(s->ndim - axis - 1, s->shape + axis + 1);
}

static void
resize(struct subject *s)
{
    const bool anywhere = subject_one_in(s, 2), shrinking = subject_one_in(s, 2);
    int64_t shape[TESS_MAX_NDIM] = {0}, start[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < s->ndim; i++) {
        shape[i] = subject_one_in(s, 2)   ? s->shape[i]
                   : shrinking            ? subject_below(s, s->shape[i] + 1)
                   : subject_one_in(s, 4) ? s->shape[i] * 2
                                          : s->shape[i] + subject_below(s, 5);
        const int64_t common = shape[i] < s->shape[i] ? shape[i] : s->shape[i];
        start[i] = anywhere ? subject_below(s, common + 1) : common;
    }
    if (reference_nitems(s->ndim, shape) > NITEMS_MAX)
        return;
    tell_begin("resize");
    tell_list("shape", s->ndim, shape);
    tell_list("start", s->ndim, start);
    tell_end();
    if (anywhere)
        ok(tess_array_resize_at(s->a, shape, start, err));
    else
        ok(tess_array_resize(s->a, shape, err));
}

static void
insert(struct subject *s, int axis)
{
    const int64_t count = subject_below(s, 5), n = count * layer(s, axis);
    const int64_t position = subject_below(s, s->shape[axis] + 1);
    uint8_t *const items = new_items(s, n);
    int64_t shape[TESS_MAX_NDIM];

    memcpy(shape, s->shape, sizeof shape);
    shape[axis] = count;
    tell_begin("insert");
    tell_number("axis", axis);
    tell_number("position", position);
    tell_end();
    tell_items(s->type.dtype, s->type.size, s->ndim, shape, items);
    ok(tess_array_insert(s->a, axis, position, count, items, (size_t)n * s->type.size, NULL, err));
    free(items);
}

static void
append(struct subject *s, int axis)
{
    const int64_t count = subject_below(s, 5), n = count * layer(s, axis);
    uint8_t *const items = new_items(s, n);
    int64_t shape[TESS_MAX_NDIM];

    memcpy(shape, s->shape, sizeof shape);
    shape[axis] = count;
    tell_begin("append");
    tell_number("axis", axis);
    tell_end();
    tell_items(s->type.dtype, s->type.size, s->ndim, shape, items);
    ok(tess_array_append(s->a, axis, count, items, (size_t)n * s->type.size, NULL, err));
    free(items);
}

static void
delete_layers(struct subject *s, int axis)
{
    const int64_t position = subject_below(s, s->shape[axis] + 1);
    const int64_t count = subject_below(s, s->shape[axis] - position + 1);

    tell_begin("delete");
    tell_number("axis", axis);
    tell_number("position", position);
    tell_number("count", count);
    tell_end();
    ok(tess_array_delete(s->a, axis, position, position + count, err));
}

// A slice of the array itself along the axis.
static void
append_array(struct subject *s, int axis)
{
    tess_array *view = NULL;
    struct slice c;

    memset(&c, 0, sizeof c);
    for (int i = 0; i < s->ndim; i++) {
        c.stop[i] = s->shape[i];
        c.step[i] = 1;
    }
    const bool whole = subject_one_in(s, 2);
    if (!whole) {
        c.stop[axis] = subject_below(s, s->shape[axis] + 1);
        c.start[axis] = subject_below(s, c.stop[axis] + 1);
    }
    tell_begin("append array");
    tell_number("axis", axis);
    subject_tell_slice(s->ndim, &c);
    tell_end();
    if (whole) {
        ok(tess_array_append_array(s->a, axis, s->a, err));
        return;
    }
    ok(tess_array_view_slice(s->a, c.start, c.stop, c.step, &view, err));
    ok(tess_array_append_array(s->a, axis, view, err));
    ok(tess_array_close(view, err));
}

void
subject_reshape(struct subject *s)
{
    static void (*const all[])(struct subject *, int) = {insert, append, delete_layers,
                                                         append_array};
    const int axis = s->ndim > 0 ? (int)subject_below(s, s->ndim) : 0;

    if (s->ndim == 0 || subject_one_in(s, 3))
        resize(s);
    else if (layer(s, axis) > 0 && reference_nitems(s->ndim, s->shape) < NITEMS_MAX / 2)
        all[subject_below(s, 4)](s, axis);
}
