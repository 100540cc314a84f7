/*
 * choose.c - random points, indices, masks, and how they are told.
 */
#include "numpy/choose.h"

#include "numpy/tell.h"
#include "support/files.h"
#include "support/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void
points_init(struct subject *s, struct points *p)
{
    const bool empty = reference_nitems(s->ndim, s->shape) == 0;

    p->n = empty ? 0 : subject_below(s, SUBJECT_CHOSEN_MAX);
    p->coords = subject_memory((size_t)(p->n * s->ndim) * sizeof *p->coords);
    for (int64_t k = 0; k < p->n * s->ndim; k++)
        p->coords[k] = subject_below(s, s->shape[k % s->ndim]);
}

void
points_tell(const struct subject *s, const struct points *p)
{
    tell_items(NATIVE "i8", sizeof *p->coords, 2, (int64_t[]){p->n, s->ndim}, p->coords);
}

void
points_finish(struct points *p)
{
    free(p->coords);
}

void
lists_init(struct subject *s, struct lists *l)
{
    int64_t left = SUBJECT_CHOSEN_MAX, used = 0;

    memset(l, 0, sizeof *l);
    l->n = 1;
    l->all = subject_memory(sizeof *l->all * (SUBJECT_CHOSEN_MAX * TESS_MAX_NDIM));
    for (int i = 0; i < s->ndim; i++) {
        const int64_t most = left < 2 * s->shape[i] ? left : 2 * s->shape[i];
        l->counts[i] = most == 0 || subject_one_in(s, 40) ? 0 : 1 + subject_below(s, most);
        l->indices[i] = l->all + used;
        for (int64_t k = 0; k < l->counts[i]; k++)
            l->all[used++] = subject_below(s, s->shape[i]);
        l->n *= l->counts[i];
        left /= l->counts[i] > 0 ? l->counts[i] : 1;
    }
}

void
lists_tell(const struct subject *s, const struct lists *l)
{
    for (int i = 0; i < s->ndim; i++)
        tell_integers(l->counts[i], l->indices[i]);
}

void
lists_finish(struct lists *l)
{
    free(l->all);
}

// An array with the mask's bytes in it.
static void
draw_mask_array(struct subject *s, struct chosen *c, size_t size)
{
    static const char *const types[] = {"|b1", "|u1", "|i1"};
    tess_storage storage;
    tess_params p;

    tess_storage_init(&storage);
    storage.context = &s->context;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&p);
    p.dtype = types[subject_below(s, 3)];
    p.ndim = c->mask.ndim;
    memcpy(p.shape, s->shape, sizeof *p.shape * (size_t)p.ndim);
    draw_layout(s->random, s->shape, &p);
    ok(tess_array_from(&storage, &p, c->bytes, size, &c->array, err));
    c->mask.array = c->array;
}

void
chosen_init(struct subject *s, struct chosen *c)
{
    const int64_t density = subject_below(s, 5);

    memset(c, 0, sizeof *c);
    c->mask.ndim = subject_one_in(s, 2) ? s->ndim : (int)subject_below(s, s->ndim + 1);
    const int64_t size = reference_nitems(c->mask.ndim, s->shape);
    c->bytes = subject_memory((size_t)size);
    for (int64_t k = 0; k < size; k++) {
        const bool set = density == 0   ? subject_one_in(s, 50)
                         : density == 4 ? true
                                        : subject_below(s, 4) < density;
        c->bytes[k] = (uint8_t)(set ? 1 + (subject_one_in(s, 3) ? subject_below(s, 255) : 0) : 0);
        c->n += set;
    }
    c->n *= reference_nitems(s->ndim - c->mask.ndim, s->shape + c->mask.ndim);
    if (subject_one_in(s, 2))
        draw_mask_array(s, c, (size_t)size);
    else
        c->mask = (tess_mask){c->mask.ndim, c->bytes, (size_t)size, NULL};
}

void
chosen_tell(const struct subject *s, const struct chosen *c)
{
    tell_items("|u1", 1, c->mask.ndim, s->shape, c->bytes);
}

void
chosen_finish(struct chosen *c)
{
    ok(tess_array_close(c->array, err));
    free(c->bytes);
}
