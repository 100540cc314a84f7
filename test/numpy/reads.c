/*
 * reads.c - what selects items and leaves them as they are.
 */
#include "numpy/subject.h"

#include "numpy/choose.h"
#include "numpy/tell.h"
#include "support/files.h"
#include "support/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
get_slice(struct subject *s)
{
    struct slice c;
    struct memory m;

    subject_slice(s, false, &c);
    memory_init(s, c.count, false, &m);
    tell_begin("get slice");
    subject_tell_slice(s->ndim, &c);
    memory_tell(s, &m);
    tell_end();
    ok(tess_array_get_slice(s->target, c.start, c.stop, c.step, m.bytes + m.offset,
                            m.size - (size_t)m.offset, m.given, err));
    tell_bytes(m.size, m.bytes);
    memory_finish(&m);
}

static void
get_box(struct subject *s)
{
    struct slice c;

    subject_slice(s, true, &c);
    tell_begin("get box");
    subject_tell_slice(s->ndim, &c);
    tell_end();
    const size_t size = (size_t)reference_nitems(s->ndim, c.count) * s->type.size;
    uint8_t *const got = subject_memory(size);
    ok(tess_array_read(s->target, c.start, c.stop, got, size, err));
    tell_items(s->type.dtype, s->type.size, s->ndim, c.count, got);
    free(got);
}

static void
get_points(struct subject *s)
{
    struct points p;

    points_init(s, &p);
    tell_begin("get points");
    tell_end();
    points_tell(s, &p);
    const size_t size = (size_t)p.n * s->type.size;
    uint8_t *const got = subject_memory(size);
    ok(tess_array_get_points(s->target, p.n, p.coords, got, size, err));
    tell_items(s->type.dtype, s->type.size, 1, &p.n, got);
    free(got);
    points_finish(&p);
}

static void
get_orthogonal(struct subject *s)
{
    struct lists l;

    lists_init(s, &l);
    tell_begin("get orthogonal");
    tell_end();
    lists_tell(s, &l);
    const size_t size = (size_t)l.n * s->type.size;
    uint8_t *const got = subject_memory(size);
    ok(tess_array_get_orthogonal(s->target, l.counts, l.indices, got, size, err));
    tell_items(s->type.dtype, s->type.size, s->ndim, l.counts, got);
    free(got);
    lists_finish(&l);
}

static void
get_mask(struct subject *s)
{
    struct chosen c;
    int64_t n = -1;

    chosen_init(s, &c);
    tell_begin("get mask");
    tell_end();
    chosen_tell(s, &c);
    ok(tess_array_count_mask(s->target, &c.mask, &n, err));
    tell_integers(1, &n);
    assert_in_range(n, 0, reference_nitems(s->ndim, s->shape));
    const size_t size = (size_t)n * s->type.size;
    uint8_t *const got = subject_memory(size);
    ok(tess_array_get_mask(s->target, &c.mask, got, size, err));
    tell_items(s->type.dtype, s->type.size, 1, &n, got);
    free(got);
    chosen_finish(&c);
}

static void
get_statistics(struct subject *s)
{
    struct slice c;
    tess_statistics t;

    subject_slice(s, true, &c);
    tell_begin("statistics");
    subject_tell_slice(s->ndim, &c);
    tell_end();
    ok(tess_array_statistics(s->target, c.start, c.stop, &t, err));
    tell_integers(8, (int64_t[]){t.count, t.nonfinite, t.exact, t.integer, t.min.kind, t.max.kind,
                                 t.min.i, t.max.i});
    tell_items(NATIVE "u8", 8, 1, &(int64_t){2}, (uint64_t[]){t.min.u, t.max.u});
    tell_floats(4, (double[]){t.min.f, t.max.f, t.sum, t.mean});
}

static bool
has_statistics(const struct subject *s)
{
    return s->type.dtype && strchr("biuf", s->type.dtype[1]);
}

void
subject_read(struct subject *s)
{
    static void (*const all[])(struct subject *) = {
        get_slice, get_slice, get_box, get_points, get_orthogonal, get_mask,
    };

    if (has_statistics(s) && subject_one_in(s, 4))
        get_statistics(s);
    else
        all[subject_below(s, 6)](s);
}
