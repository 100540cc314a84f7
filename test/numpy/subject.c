/*
 * subject.c - what is drawn for everything that is done to an array.
 */
#include "numpy/subject.h"

#include "numpy/tell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int64_t
subject_below(struct subject *s, int64_t n)
{
    return below(s->random, n);
}

bool
subject_one_in(struct subject *s, int64_t n)
{
    return below(s->random, n) == 0;
}

void *
subject_memory(size_t size)
{
    void *const p = malloc(size > 0 ? size : 1);
    assert_non_null(p);
    return p;
}

static void
put(uint8_t *dst, const void *number, size_t size, bool big)
{
    const uint16_t probe = 1;
    const bool host_is_big = *(const uint8_t *)&probe == 0;
    const uint8_t *const bytes = number;

    for (size_t j = 0; j < size; j++)
        dst[j] = bytes[big == host_is_big ? j : size - 1 - j];
}

// Floats with a few binary places, of which some are none.
static void
draw_floats(struct subject *s, uint8_t *dst, int64_t n)
{
    const bool big = s->type.dtype[0] == '>', finite = subject_one_in(s, 2);

    for (int64_t k = 0; k < n; k++, dst += s->type.size) {
        double x = (double)(subject_below(s, 200001) - 100000) / 64;
        if (!finite && subject_one_in(s, 20))
            x = (double)(subject_below(s, 3) - 1) / 0.0;
        const float y = (float)x;
        put(dst, s->type.size == 8 ? (const void *)&x : (const void *)&y, s->type.size, big);
    }
}

void
subject_items(struct subject *s, uint8_t *dst, int64_t n)
{
    const char *const dtype = s->type.dtype;

    if (dtype && dtype[1] == 'f' && s->type.size > 2 && subject_one_in(s, 2)) {
        draw_floats(s, dst, n);
        return;
    }
    draw_items(s->random, dst, n, s->type.size);
    for (int64_t k = 0; dtype && dtype[1] == 'b' && k < n; k++)
        dst[k] &= 1;
}

void
subject_path(struct subject *s, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%lld-%d.b2nd", s->folder, (long long)s->number, s->nfiles++);
}

void
subject_look(struct subject *s, tess_array *target)
{
    tess_info info;

    s->target = target;
    tess_array_info(target, &info);
    s->ndim = info.ndim;
    memcpy(s->shape, info.shape, sizeof s->shape);
}

static void
draw_axis(struct subject *s, int64_t length, int64_t *start, int64_t *stop, int64_t *step)
{
    if (length == 0 || subject_one_in(s, 40)) {
        *start = *stop = subject_below(s, length + 1) - (*step < 0);
        return;
    }
    const bool whole = subject_one_in(s, 4);
    const int64_t low = whole ? 0 : subject_below(s, length);
    const int64_t end = whole ? length : low + 1 + subject_below(s, length - low);
    *start = *step > 0 ? low : end - 1;
    *stop = *step > 0 ? end : low - 1;
}

void
subject_slice(struct subject *s, bool box, struct slice *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < s->ndim; i++) {
        c->step[i] = box || subject_one_in(s, 3)
                         ? 1
                         : 1 + subject_below(s, subject_one_in(s, 3) ? s->shape[i] + 3 : 4);
        if (!box && subject_one_in(s, 2))
            c->step[i] = -c->step[i];
        draw_axis(s, s->shape[i], &c->start[i], &c->stop[i], &c->step[i]);
        c->count[i] = tess_slice_length(c->start[i], c->stop[i], c->step[i]);
    }
}

void
subject_tell_slice(int ndim, const struct slice *c)
{
    tell_list("start", ndim, c->start);
    tell_list("stop", ndim, c->stop);
    tell_list("step", ndim, c->step);
}
