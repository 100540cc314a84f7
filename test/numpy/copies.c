/*
 * copies.c - new arrays made of the target: copied, side by side, on top of each other.
 */
#include "numpy/subject.h"

#include "numpy/tell.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS_MAX = 4 };

// Where a new array is, and what it is like.
struct place {
    tess_storage storage;
    tess_context context;
    tess_params params, *given;
    char path[1000], dtype[100];
};

static void
draw_target(struct subject *s, int ndim, const int64_t *shape, struct place *p)
{
    draw_context(s->random, &p->context);
    draw_memory(s->random, s->type.size, &p->context);
    tess_storage_init(&p->storage);
    p->storage.mode = TESS_MODE_NEW;
    p->storage.durability = TESS_DURABILITY_NONE;
    p->storage.context = &p->context;
    if (subject_one_in(s, 2)) {
        subject_path(s, p->path, sizeof p->path);
        p->storage.path = p->path;
    }
    (void)snprintf(p->dtype, sizeof p->dtype, "%s", s->type.dtype ? s->type.dtype : "");
    p->given = NULL;
    if (subject_one_in(s, 4))
        return;
    tess_params_init(&p->params);
    p->params.ndim = ndim;
    if (ndim > 0)
        memcpy(p->params.shape, shape, sizeof *shape * (size_t)ndim);
    draw_layout(s->random, shape, &p->params);
    if (s->type.ordered && subject_one_in(s, 2)) {
        p->dtype[0] = p->dtype[0] == '<' ? '>' : '<';
        p->params.dtype = p->dtype;
    }
    if (p->storage.path && subject_one_in(s, 2))
        p->params.layout = TESS_LAYOUT_SPARSE;
    p->given = &p->params;
}

static void
tell_place(const struct place *p)
{
    tell_text("dtype", p->dtype);
    tell_text("path", p->storage.path ? p->path : "");
    tell_end();
}

static void
close_new(tess_array *a)
{
    tell_array(a);
    ok(tess_array_close(a, err));
}

static void
copy(struct subject *s)
{
    tess_array *new = NULL;
    struct place p;

    draw_target(s, s->ndim, s->shape, &p);
    tell_begin("copy");
    tell_place(&p);
    ok(tess_array_copy(s->target, &p.storage, p.given, &new, err));
    close_new(new);
}

struct parts {
    int64_t n;
    tess_array *arrays[PARTS_MAX];
    struct slice slices[PARTS_MAX]; // of the target
};

// Slices of the target; along all axes but one they have all indices, in any direction. With
// axis -1, along that, too.
static void
draw_parts(struct subject *s, int axis, struct parts *parts)
{
    memset(parts, 0, sizeof *parts);
    parts->n = 1 + subject_below(s, PARTS_MAX);
    for (int64_t k = 0; k < parts->n; k++) {
        struct slice *const c = &parts->slices[k];
        bool whole = true;
        const bool forward = subject_one_in(s, 2);
        subject_slice(s, false, c);
        for (int i = 0; i < s->ndim; i++) {
            if (i != axis || forward) {
                c->step[i] = forward || subject_one_in(s, 2) ? 1 : -1;
                c->start[i] = c->step[i] > 0 ? 0 : s->shape[i] - 1;
                c->stop[i] = c->step[i] > 0 ? s->shape[i] : -1;
                c->count[i] = s->shape[i];
            }
            whole &= c->step[i] == 1 && c->count[i] == s->shape[i];
        }
        if (whole)
            parts->arrays[k] = s->target;
        else
            ok(tess_array_view_slice(s->target, c->start, c->stop, c->step, &parts->arrays[k],
                                     err));
    }
}

static void
tell_parts(const struct subject *s, const struct parts *parts)
{
    for (int64_t k = 0; k < parts->n; k++) {
        tell_begin("part");
        subject_tell_slice(s->ndim, &parts->slices[k]);
        tell_end();
    }
}

static void
finish_parts(const struct subject *s, struct parts *parts)
{
    for (int64_t k = 0; k < parts->n; k++)
        if (parts->arrays[k] != s->target)
            ok(tess_array_close(parts->arrays[k], err));
}

static void
concatenate(struct subject *s)
{
    const int axis = (int)subject_below(s, s->ndim);
    int64_t shape[TESS_MAX_NDIM];
    tess_array *new = NULL;
    struct parts parts;
    struct place p;

    draw_parts(s, axis, &parts);
    tell_parts(s, &parts);
    memcpy(shape, s->shape, sizeof shape);
    shape[axis] = 0;
    for (int64_t k = 0; k < parts.n; k++)
        shape[axis] += parts.slices[k].count[axis];
    draw_target(s, s->ndim, shape, &p);
    tell_begin("concatenate");
    tell_number("axis", axis);
    tell_place(&p);
    ok(tess_array_concatenate(parts.arrays, parts.n, axis, &p.storage, p.given, &new, err));
    close_new(new);
    finish_parts(s, &parts);
}

static void
stack(struct subject *s)
{
    const int axis = (int)subject_below(s, s->ndim + 1);
    int64_t shape[TESS_MAX_NDIM];
    tess_array *new = NULL;
    struct parts parts;
    struct place p;

    draw_parts(s, -1, &parts);
    tell_parts(s, &parts);
    for (int i = 0; i <= s->ndim; i++)
        shape[i] = i < axis ? s->shape[i] : i == axis ? parts.n : s->shape[i - 1];
    draw_target(s, s->ndim + 1, shape, &p);
    tell_begin("stack");
    tell_number("axis", axis);
    tell_place(&p);
    ok(tess_array_stack(parts.arrays, parts.n, axis, &p.storage, p.given, &new, err));
    close_new(new);
    finish_parts(s, &parts);
}

void
subject_copy(struct subject *s)
{
    const int64_t kind = subject_below(s, 4);

    if (kind < 2)
        copy(s);
    else if (kind == 2 || s->ndim == 0)
        stack(s);
    else
        concatenate(s);
}
