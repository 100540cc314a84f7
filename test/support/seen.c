/*
 * seen.c - random access to random arrays, through any view.
 */
#include "support/seen.h"

#include "support/exact.h"
#include "support/files.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHOSEN_MAX = 300 }; // points, or items of indices per axis

static const struct draw_limits limits = {
    SEEN_MAX_NDIM, .items = 4000, .bytes = 100000, .chunks = 300, .empty = true, .chosen = true,
};

// -- arrays

void
seen_begin(struct trial *t, struct seen *v)
{
    trial_draw(t, &limits);
    trial_create(t);
    seen_whole(t, v);
}

bool
seen_resize(struct trial *t, bool shrinking, bool *cut)
{
    struct reference *const ref = &t->reference;
    int64_t shape[TESS_MAX_NDIM] = {0};
    tess_info info;
    bool changes = false;

    *cut = false;
    tess_array_info(t->a, &info);
    for (int i = 0; i < ref->ndim; i++) {
        shape[i] = ref->shape[i];
        if (info.chunkshape[i] > 0 && one_in(&t->random, 2))
            shape[i] = shrinking ? below(&t->random, ref->shape[i] + 1)
                                 : ref->shape[i] + below(&t->random, 6);
        changes |= shape[i] != ref->shape[i];
        *cut |= shape[i] < ref->shape[i];
    }
    tess_params p = t->params;
    memcpy(p.chunkshape, info.chunkshape, sizeof p.chunkshape);
    memcpy(p.blockshape, info.blockshape, sizeof p.blockshape);
    if (!changes || !draw_fits(&limits, &p, shape))
        return false;
    trial_tell_list(t, "resize to", ref->ndim, shape);
    trial_tell(t, "\n");
    ok(tess_array_resize(t->a, shape, err));
    reference_resize(ref, shape);
    return true;
}

// -- slices

// Start and stop may be anything where there are no items.
static void
draw_empty(struct trial *t, int64_t length, int64_t step, int64_t *start, int64_t *stop)
{
    if (step > 0) {
        *stop = one_in(&t->random, 4) ? INT64_MIN : below(&t->random, length + 20) - 19;
        *start = one_in(&t->random, 4) ? INT64_MAX : below(&t->random, 100);
        *start = *start > *stop ? *start : *stop > 0 ? *stop : 0;
    } else {
        *stop = one_in(&t->random, 4) ? INT64_MAX : below(&t->random, length + 20) - 1;
        *start = one_in(&t->random, 4) ? INT64_MIN : below(&t->random, length + 20) - 20;
        *start = *start < *stop ? *start : *stop < length ? *stop : length - 1;
    }
}

static void
draw_axis(struct trial *t, int64_t length, int64_t *start, int64_t *stop, int64_t *step)
{
    static const int64_t extreme[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT32_MAX};
    const int64_t style = below(&t->random, 4);

    *step = one_in(&t->random, 30)  ? extreme[below(&t->random, 4)]
            : one_in(&t->random, 3) ? 1
            : one_in(&t->random, 3) ? 1 + below(&t->random, length + 3)
                                    : 1 + below(&t->random, 4);
    if (*step > 0 && one_in(&t->random, 2))
        *step = -*step;
    if (length == 0 || one_in(&t->random, 40)) {
        draw_empty(t, length, *step, start, stop);
        return;
    }
    const int64_t low = style == 0 ? 0 : below(&t->random, length);
    const int64_t end = style == 0 ? length : low + 1 + below(&t->random, length - low);
    *start = *step > 0 ? low : end - 1;
    *stop = *step > 0 ? end : low - 1;
}

// As one counts who has never heard of division.
static int64_t
count_items(int64_t start, int64_t stop, int64_t step)
{
    int64_t n = 0;

    while (step > 0 ? start < stop : start > stop) {
        n++;
        if (step >= INT32_MAX || step <= -INT32_MAX)
            break; // over the end
        start += step;
    }
    return n;
}

void
seen_draw_slice(struct trial *t, int ndim, const int64_t *shape, struct seen_slice *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ndim; i++) {
        draw_axis(t, shape[i], &s->start[i], &s->stop[i], &s->step[i]);
        s->count[i] = count_items(s->start[i], s->stop[i], s->step[i]);
    }
    trial_tell_list(t, "from", ndim, s->start);
    trial_tell_list(t, "to", ndim, s->stop);
    trial_tell_list(t, "by", ndim, s->step);
}

// NULL may stand for steps of 1.
static const int64_t *
steps_of(struct trial *t, int ndim, const struct seen_slice *s)
{
    for (int i = 0; i < ndim; i++)
        if (s->step[i] != 1)
            return s->step;
    return one_in(&t->random, 2) ? s->step : NULL;
}

// -- memory with strides

struct layout {
    int64_t n; // items
    int64_t *offsets; // of each from the start of the memory
    int64_t strides[TESS_MAX_NDIM];
    const int64_t *given; // strides, or NULL
    int64_t first; // offset of the first item
    size_t size; // of the memory, with what must stay untouched around it
};

// Axes inside each other in any order, in any direction, with gaps or without.
static void
draw_apart(struct trial *t, int ndim, const int64_t *count, int64_t *strides)
{
    int64_t extent = (int64_t)t->reference.typesize;
    int order[TESS_MAX_NDIM];

    for (int i = 0; i < ndim; i++)
        order[i] = i;
    for (int i = ndim - 1; i > 0; i--) {
        const int k = (int)below(&t->random, i + 1), kept = order[i];
        order[i] = order[k], order[k] = kept;
    }
    for (int i = 0; i < ndim; i++) {
        const int64_t gap = one_in(&t->random, 3) ? below(&t->random, 20) : 0;
        const int64_t n = count[order[i]], stride = extent + gap;
        extent += n > 1 ? (n - 1) * stride : 0;
        strides[order[i]] = one_in(&t->random, 2) ? stride : -stride;
        if (n < 2 && one_in(&t->random, 4)) // never used
            strides[order[i]] = one_in(&t->random, 2) ? INT64_MIN : below(&t->random, 3) - 1;
    }
}

static void
dense(int ndim, const int64_t *count, size_t typesize, int64_t *strides)
{
    int64_t stride = (int64_t)typesize;

    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= count[i];
    }
}

static void
draw_strides(struct trial *t, int ndim, const int64_t *count, bool source, struct layout *m)
{
    const size_t ts = t->reference.typesize;
    int64_t low = 0, high = 0;

    memset(m, 0, sizeof *m);
    if (one_in(&t->random, 3)) {
        dense(ndim, count, ts, m->strides);
        m->given = one_in(&t->random, 2) ? NULL : m->strides;
    } else {
        draw_apart(t, ndim, count, m->strides);
        for (int i = 0; source && i < ndim; i++) // items of a source may lie over each other
            if (one_in(&t->random, 4))
                m->strides[i] = one_in(&t->random, 2) ? 0 : below(&t->random, 41) - 20;
        m->given = m->strides;
    }
    m->n = reference_nitems(ndim, count);
    m->offsets = exact_memory((size_t)m->n * sizeof *m->offsets);
    for (int64_t k = 0; k < m->n; k++) {
        int64_t rest = k;
        m->offsets[k] = 0;
        for (int i = ndim - 1; i >= 0; i--) {
            m->offsets[k] += rest % count[i] * m->strides[i];
            rest /= count[i];
        }
        low = m->offsets[k] < low ? m->offsets[k] : low;
        high = m->offsets[k] > high ? m->offsets[k] : high;
    }
    m->first = -low + below(&t->random, 30);
    for (int64_t k = 0; k < m->n; k++)
        m->offsets[k] += m->first;
    m->size = (size_t)(m->first + high + below(&t->random, 30)) + ts;
    trial_tell_list(t, m->given ? "strides" : "no strides", ndim, m->strides);
}

// -- access

// The indices of an item of the array, which stay its own while the array grows.
struct place {
    int32_t at[TESS_MAX_NDIM];
};

static struct place
place_of(int ndim, const int64_t *at)
{
    struct place place = {{0}};
    for (int i = 0; i < ndim; i++)
        place.at[i] = (int32_t)at[i];
    return place;
}

static uint8_t *
item_at(const struct reference *ref, struct place place)
{
    int64_t index = 0;
    for (int i = 0; i < ref->ndim; i++)
        index = index * ref->shape[i] + place.at[i];
    return ref->data + (size_t)index * ref->typesize;
}

void
seen_whole(const struct trial *t, struct seen *v)
{
    const struct reference *const ref = &t->reference;
    const int64_t n = reference_nitems(ref->ndim, ref->shape);

    v->a = t->a;
    reference_init(&v->places, ref->ndim, ref->shape, sizeof(struct place));
    for (int64_t k = 0; k < n; k++) {
        int64_t at[TESS_MAX_NDIM] = {0}, rest = k;
        for (int i = ref->ndim - 1; i >= 0; i--) {
            at[i] = rest % ref->shape[i];
            rest /= ref->shape[i];
        }
        const struct place place = place_of(ref->ndim, at);
        memcpy(v->places.data + sizeof place * (size_t)k, &place, sizeof place);
    }
}

void
seen_finish(struct seen *v)
{
    reference_finish(&v->places);
    v->a = NULL;
}

void
seen_check(struct trial *t, const struct seen *v)
{
    struct reference want;

    reference_init(&want, v->places.ndim, v->places.shape, t->reference.typesize);
    const int64_t n = reference_nitems(want.ndim, want.shape);
    for (int64_t k = 0; k < n; k++) {
        struct place place;
        memcpy(&place, v->places.data + sizeof place * (size_t)k, sizeof place);
        memcpy(want.data + (size_t)k * want.typesize, item_at(&t->reference, place), want.typesize);
    }
    check_array(v->a, &want);
    reference_finish(&want);
}

// What is accessed: the places of the items, in their order.
struct access {
    int64_t n;
    struct place *places;
    struct seen_slice slice;
    int64_t *coords; // of points
    int64_t *lists[TESS_MAX_NDIM]; // of indices per axis; their counts are the slice's
};

static void
access_finish(struct access *c)
{
    free(c->places);
    free(c->coords);
    for (int i = 0; i < TESS_MAX_NDIM; i++)
        free(c->lists[i]);
}

static void
draw_slice_of(struct trial *t, const struct seen *v, bool box, struct access *c)
{
    struct seen_slice *const s = &c->slice;
    const int ndim = v->places.ndim;

    memset(c, 0, sizeof *c);
    if (box) {
        for (int i = 0; i < ndim; i++) {
            s->start[i] = below(&t->random, v->places.shape[i] + 1);
            s->count[i] = below(&t->random, v->places.shape[i] - s->start[i] + 1);
            s->stop[i] = s->start[i] + s->count[i];
            s->step[i] = 1;
        }
        trial_tell_list(t, "from", ndim, s->start);
        trial_tell_list(t, "to", ndim, s->stop);
    } else {
        seen_draw_slice(t, ndim, v->places.shape, s);
    }
    c->n = reference_nitems(ndim, s->count);
    c->places = exact_memory((size_t)c->n * sizeof *c->places);
    reference_get_slice(&v->places, s->start, s->count, s->step, c->places);
}

static struct place
place_at(const struct reference *places, const int64_t *at)
{
    struct place place;
    int64_t index = 0;

    for (int i = 0; i < places->ndim; i++)
        index = index * places->shape[i] + at[i];
    memcpy(&place, places->data + sizeof place * (size_t)index, sizeof place);
    return place;
}

static void
draw_points(struct trial *t, const struct seen *v, struct access *c)
{
    const int ndim = v->places.ndim;
    const bool empty = reference_nitems(ndim, v->places.shape) == 0;

    memset(c, 0, sizeof *c);
    c->n = empty ? 0 : below(&t->random, CHOSEN_MAX);
    c->places = exact_memory((size_t)c->n * sizeof *c->places);
    c->coords = exact_memory((size_t)(c->n * ndim) * sizeof *c->coords);
    for (int64_t k = 0; k < c->n; k++) {
        for (int i = 0; i < ndim; i++)
            c->coords[k * ndim + i] = below(&t->random, v->places.shape[i]);
        c->places[k] = place_at(&v->places, c->coords + k * ndim);
    }
}

static void
draw_lists(struct trial *t, const struct seen *v, struct access *c)
{
    const int ndim = v->places.ndim;
    int64_t left = CHOSEN_MAX;

    memset(c, 0, sizeof *c);
    c->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int64_t length = v->places.shape[i];
        int64_t *const count = &c->slice.count[i];
        *count = length == 0 ? 0 : one_in(&t->random, 40) ? 0 : 1 + below(&t->random, left);
        if (*count > 1 + 2 * length)
            *count = 1 + 2 * length;
        c->lists[i] = exact_memory((size_t)*count * sizeof *c->lists[i]);
        for (int64_t k = 0; k < *count; k++)
            c->lists[i][k] = below(&t->random, length);
        c->n *= *count;
        left /= *count > 0 ? *count : 1;
    }
    c->places = exact_memory((size_t)c->n * sizeof *c->places);
    for (int64_t k = 0; k < c->n; k++) {
        int64_t at[TESS_MAX_NDIM] = {0}, rest = k;
        for (int i = ndim - 1; i >= 0; i--) {
            at[i] = c->lists[i][rest % c->slice.count[i]];
            rest /= c->slice.count[i];
        }
        c->places[k] = place_at(&v->places, at);
    }
}

static void
check_items(const struct trial *t, const struct access *c, const uint8_t *got)
{
    const size_t ts = t->reference.typesize;

    for (int64_t k = 0; k < c->n; k++)
        if (memcmp(got + (size_t)k * ts, item_at(&t->reference, c->places[k]), ts) != 0)
            fail_msg("item %" PRId64 " of %" PRId64 " is wrong", k, c->n);
}

static void
set_items(struct trial *t, const struct access *c, const uint8_t *items)
{
    const size_t ts = t->reference.typesize;

    for (int64_t k = 0; k < c->n; k++)
        memcpy(item_at(&t->reference, c->places[k]), items + (size_t)k * ts, ts);
}

void
seen_get_slice(struct trial *t, const struct seen *v)
{
    const int ndim = v->places.ndim;
    const size_t ts = t->reference.typesize;
    struct access c;
    struct layout m;

    trial_tell(t, "get slice");
    draw_slice_of(t, v, false, &c);
    draw_strides(t, ndim, c.slice.count, false, &m);
    trial_tell(t, "\n");
    uint8_t *const got = exact_memory(m.size), *const want = exact_memory(m.size);
    const int filler = (int)below(&t->random, 256);
    memset(got, filler, m.size);
    memset(want, filler, m.size); // and so what is between the items
    for (int64_t k = 0; k < c.n; k++)
        memcpy(want + m.offsets[k], item_at(&t->reference, c.places[k]), ts);
    ok(tess_array_get_slice(v->a, c.slice.start, c.slice.stop, steps_of(t, ndim, &c.slice),
                            got + m.first, m.size - (size_t)m.first, m.given, err));
    for (size_t i = 0; i < m.size; i++)
        if (got[i] != want[i])
            fail_msg("byte %" PRId64 " from the first item: %02x instead of %02x",
                     (int64_t)i - m.first, got[i], want[i]);
    free(got);
    free(want);
    free(m.offsets);
    access_finish(&c);
}

void
seen_set_slice(struct trial *t, const struct seen *v)
{
    const int ndim = v->places.ndim;
    const size_t ts = t->reference.typesize;
    struct access c;
    struct layout m;

    trial_tell(t, "set slice");
    draw_slice_of(t, v, false, &c);
    draw_strides(t, ndim, c.slice.count, true, &m);
    trial_tell(t, "\n");
    uint8_t *const src = exact_memory(m.size);
    draw_items(&t->random, src, (int64_t)(m.size / ts), ts);
    random_bytes(&t->random, src + m.size / ts * ts, m.size % ts);
    ok(tess_array_set_slice(v->a, c.slice.start, c.slice.stop, steps_of(t, ndim, &c.slice),
                            src + m.first, m.size - (size_t)m.first, m.given, err));
    for (int64_t k = 0; k < c.n; k++)
        memcpy(item_at(&t->reference, c.places[k]), src + m.offsets[k], ts);
    free(src);
    free(m.offsets);
    access_finish(&c);
}

void
seen_fill(struct trial *t, const struct seen *v)
{
    const size_t ts = t->reference.typesize;
    uint8_t item[300];
    struct access c;

    trial_tell(t, "fill");
    draw_slice_of(t, v, one_in(&t->random, 2), &c);
    trial_tell(t, "\n");
    draw_items(&t->random, item, 1, ts);
    ok(tess_array_fill(v->a, c.slice.start, c.slice.stop, steps_of(t, v->places.ndim, &c.slice),
                       item, ts, err));
    for (int64_t k = 0; k < c.n; k++)
        memcpy(item_at(&t->reference, c.places[k]), item, ts);
    access_finish(&c);
}

enum way { BOX, POINTS, LISTS };

static enum way
draw_access(struct trial *t, const struct seen *v, const char *what, struct access *c)
{
    static const char *const names[] = {"box", "points", "lists"};
    const enum way way = (enum way)below(&t->random, 3);

    trial_tell(t, "%s %s", what, names[way]);
    if (way == BOX)
        draw_slice_of(t, v, true, c);
    else
        (way == POINTS ? draw_points : draw_lists)(t, v, c);
    trial_tell(t, "\n");
    return way;
}

void
seen_read(struct trial *t, const struct seen *v)
{
    struct access c;

    if (one_in(&t->random, 2)) {
        seen_get_slice(t, v);
        return;
    }
    const enum way way = draw_access(t, v, "read", &c);
    const size_t size = (size_t)c.n * t->reference.typesize;
    uint8_t *const got = exact_memory(size);
    memset(got, 0x5a, size);
    if (way == BOX)
        ok(tess_array_read(v->a, c.slice.start, c.slice.stop, got, size, err));
    else if (way == POINTS)
        ok(tess_array_get_points(v->a, c.n, c.coords, got, size, err));
    else
        ok(tess_array_get_orthogonal(v->a, c.slice.count, (const int64_t *const *)c.lists, got,
                                     size, err));
    check_items(t, &c, got);
    free(got);
    access_finish(&c);
}

void
seen_write(struct trial *t, const struct seen *v)
{
    const int64_t kind = below(&t->random, 4);
    struct access c;

    if (kind < 2) {
        (kind == 0 ? seen_set_slice : seen_fill)(t, v);
        return;
    }
    const enum way way = draw_access(t, v, "write", &c);
    const size_t size = (size_t)c.n * t->reference.typesize;
    uint8_t *const items = exact_memory(size);
    draw_items(&t->random, items, c.n, t->reference.typesize);
    if (way == BOX)
        ok(tess_array_write(v->a, c.slice.start, c.slice.stop, items, size, err));
    else if (way == POINTS)
        ok(tess_array_set_points(v->a, c.n, c.coords, items, size, err));
    else
        ok(tess_array_set_orthogonal(v->a, c.slice.count, (const int64_t *const *)c.lists, items,
                                     size, err));
    set_items(t, &c, items);
    free(items);
    access_finish(&c);
}
