/*
 * drawn.c - what random arrays look like, and how they are accessed.
 */
#include "api/drawn.h"

#include "support/files.h"
#include "support/hex.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ITEMS_MAX = 4000, // of an array
    BYTES_MAX = 100000, // of an array, and of a chunk
    CHUNKS_MAX = 300,
    LENGTH_MAX = 1000, // of an axis
    CHOSEN_MAX = 300, // points, or items of indices per axis
};

static struct drawn *telling; // whose story belongs to a failure

static void *
allocate(size_t size)
{
    void *const p = malloc(size > 0 ? size : 1); // no larger: tools see what goes beyond
    assert_non_null(p);
    return p;
}

int64_t
drawn_below(struct drawn *d, int64_t n)
{
    return (int64_t)random_below(&d->random, (uint64_t)n);
}

bool
drawn_one_in(struct drawn *d, int64_t n)
{
    return drawn_below(d, n) == 0;
}

void
drawn_tell(struct drawn *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int n =
        vsnprintf(d->story + d->story_length, sizeof d->story - d->story_length, format, args);
    va_end(args);
    d->story_length += (size_t)n;
    if (d->story_length >= sizeof d->story)
        d->story_length = sizeof d->story - 1;
}

void
drawn_tell_list(struct drawn *d, const char *what, int n, const int64_t *list)
{
    drawn_tell(d, " %s (", what);
    for (int i = 0; i < n; i++)
        drawn_tell(d, "%s%" PRId64, i ? ", " : "", list[i]);
    drawn_tell(d, ")");
}

// -- what an array looks like

struct pipeline {
    const char *name;
    uint8_t filters[TESS_MAX_FILTERS];
};

static const struct pipeline pipelines[] = {
    {"none", {0}},
    {"shuffle", {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE}},
    {"bitshuffle", {0, 0, 0, 0, 0, TESS_FILTER_BITSHUFFLE}},
    {"delta", {0, 0, 0, 0, 0, TESS_FILTER_DELTA}},
    {"delta, shuffle", {0, 0, 0, 0, TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE}},
    {"delta, bitshuffle", {TESS_FILTER_DELTA, TESS_FILTER_BITSHUFFLE}},
    {"shuffle, bytedelta", {0, 0, 0, 0, TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA}},
    {"shuffle, delta", {0, 0, TESS_FILTER_SHUFFLE, TESS_FILTER_DELTA}},
};

static int64_t
divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static bool
grid_fits(const tess_params *p)
{
    int64_t size = p->typesize, chunks = 1;

    for (int i = 0; i < p->ndim; i++) {
        size *= divide_up(p->chunkshape[i], p->blockshape[i]) * p->blockshape[i];
        chunks *= divide_up(p->shape[i], p->chunkshape[i]);
    }
    return size <= BYTES_MAX && chunks <= CHUNKS_MAX;
}

static void
draw_grid(struct drawn *d)
{
    tess_params *const p = &d->params;

    for (int tries = 0; tries < 100; tries++) {
        for (int i = 0; i < p->ndim; i++) {
            p->chunkshape[i] = 1 + drawn_below(d, p->shape[i] + (drawn_one_in(d, 3) ? 5 : 1));
            p->blockshape[i] = 1 + drawn_below(d, p->chunkshape[i]);
        }
        if (grid_fits(p))
            return;
    }
    memset(p->chunkshape, 0, sizeof p->chunkshape); // the library chooses
    memset(p->blockshape, 0, sizeof p->blockshape);
}

static void
draw_shape(struct drawn *d)
{
    tess_params *const p = &d->params;
    int64_t budget = BYTES_MAX / p->typesize < ITEMS_MAX ? BYTES_MAX / p->typesize : ITEMS_MAX;

    p->ndim = (int)drawn_below(d, DRAWN_MAX_NDIM + 1);
    for (int i = 0; i < p->ndim; i++) {
        const int64_t most = i == p->ndim - 1 ? LENGTH_MAX : p->ndim > 4 ? 5 : 4 + budget / 100;
        p->shape[i] = 1 + drawn_below(d, most < budget ? most : budget);
        budget /= p->shape[i];
    }
    if (p->ndim > 0 && drawn_one_in(d, 15))
        p->shape[drawn_below(d, p->ndim)] = 0;
}

static void
draw_params(struct drawn *d)
{
    static const int32_t large[] = {20, 24, 32, 100, 255, 256, 300};
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                        TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    const struct pipeline *const pipeline = &pipelines[drawn_below(d, 8)];
    tess_params *const p = &d->params;

    tess_params_init(p);
    p->typesize = drawn_one_in(d, 6)   ? large[drawn_below(d, 7)]
                  : drawn_one_in(d, 2) ? 1 << drawn_below(d, 5)
                                       : 1 + (int32_t)drawn_below(d, 17);
    draw_shape(d);
    if (!drawn_one_in(d, 15))
        draw_grid(d);
    memcpy(p->filters, pipeline->filters, sizeof p->filters);
    p->codec = codecs[drawn_below(d, 5)];
    p->clevel = (int)drawn_below(d, 10);
    p->dictionary =
        p->codec != TESS_CODEC_BLOSCLZ && p->codec != TESS_CODEC_ZLIB && drawn_one_in(d, 4);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + drawn_below(d, 3));
    drawn_tell_list(d, "shape", p->ndim, p->shape);
    drawn_tell_list(d, "chunks", p->ndim, p->chunkshape);
    drawn_tell_list(d, "blocks", p->ndim, p->blockshape);
    drawn_tell(d, " typesize %d, codec %d level %d, filters %s, split %d\n", (int)p->typesize,
               (int)p->codec, p->clevel, pipeline->name, (int)p->split);
}

// Threads and cache: no block fits in it, some do, all do.
static void
draw_context(struct drawn *d)
{
    tess_context_init(&d->context);
    d->context.threads = 1 + (int)drawn_below(d, 2);
    if (drawn_one_in(d, 3))
        d->context.cache = 0;
    else if (drawn_one_in(d, 2))
        d->context.cache = drawn_below(d, 20000);
    drawn_tell(d, " threads %d, cache %" PRId64 "\n", d->context.threads, d->context.cache);
}

static void
draw_storage(struct drawn *d)
{
    static const char *const names[] = {"memory", "file", "directory"};
    const int64_t kind = drawn_below(d, 3);

    tess_storage_init(&d->storage);
    d->storage.mode = TESS_MODE_REPLACE;
    d->storage.durability = TESS_DURABILITY_NONE;
    d->storage.context = &d->context;
    if (kind > 0)
        d->storage.path = files_path(kind == 1 ? "drawn.b2nd" : "drawn.b2nd.d");
    d->params.layout = kind == 2 ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    drawn_tell(d, " in %s\n", d->storage.path ? names[kind] : names[0]);
}

// Each item a function of where it is, noise, or the same again and again.
static void
draw_items(struct drawn *d, uint8_t *dst, int64_t n)
{
    const int64_t style = drawn_below(d, 4);
    const size_t ts = d->reference.typesize;

    for (int64_t k = 0; k < n; k++, dst += ts) {
        uint64_t x = style == 0 ? (uint64_t)k * 3 : style == 2 ? 7 : 0;
        if (style == 1)
            x = random_next(&d->random);
        for (size_t j = 0; j < ts; j++)
            dst[j] = (uint8_t)(x >> 8 * (j % 8));
    }
}

void
drawn_create(struct drawn *d, uint64_t seed)
{
    memset(d, 0, sizeof *d);
    d->seed = seed;
    random_init(&d->random, seed);
    draw_params(d);
    draw_context(d);
    draw_storage(d);

    struct reference *const ref = &d->reference;
    reference_init(ref, d->params.ndim, d->params.shape, (size_t)d->params.typesize);
    const size_t size = reference_size(ref);
    if (drawn_one_in(d, 4)) {
        ok(tess_array_zeros(&d->storage, &d->params, &d->a, err));
    } else if (drawn_one_in(d, 4)) {
        uint8_t item[300];
        random_bytes(&d->random, item, ref->typesize);
        reference_fill(ref, item);
        reference_grow_with(ref, item);
        ok(tess_array_full(&d->storage, &d->params, item, ref->typesize, &d->a, err));
    } else {
        draw_items(d, ref->data, (int64_t)(size / ref->typesize));
        ok(tess_array_from(&d->storage, &d->params, ref->data, size, &d->a, err));
    }
}

void
drawn_finish(struct drawn *d)
{
    ok(tess_array_close(d->a, err));
    d->a = NULL;
    reference_finish(&d->reference);
}

static void
reopen_memory(struct drawn *d)
{
    tess_storage storage;
    const void *bytes;
    size_t size;

    ok(tess_array_image(d->a, &bytes, &size, err));
    uint8_t *const image = exact_copy(bytes, size);
    ok(tess_array_close(d->a, err));
    tess_storage_init(&storage);
    storage.context = &d->context;
    storage.mode = TESS_MODE_UPDATE;
    storage.image = image;
    storage.image_size = size;
    ok(tess_array_open(&storage, &d->a, err));
    free(image); // an image to be changed is copied
}

void
drawn_reopen(struct drawn *d)
{
    tess_storage storage = d->storage;

    drawn_tell(d, "reopen");
    draw_context(d);
    if (!d->storage.path) {
        reopen_memory(d);
        return;
    }
    ok(tess_array_close(d->a, err));
    d->a = NULL;
    check_file(storage.path, &d->reference);
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_open(&storage, &d->a, err));
}

bool
drawn_resize(struct drawn *d, bool shrinking, bool *cut)
{
    struct reference *const ref = &d->reference;
    int64_t shape[TESS_MAX_NDIM] = {0}, nitems = 1;
    tess_info info;
    bool changes = false;

    *cut = false;
    tess_array_info(d->a, &info);
    for (int i = 0; i < ref->ndim; i++) {
        shape[i] = ref->shape[i];
        if (info.chunkshape[i] > 0 && drawn_one_in(d, 2))
            shape[i] =
                shrinking ? drawn_below(d, ref->shape[i] + 1) : ref->shape[i] + drawn_below(d, 6);
        changes |= shape[i] != ref->shape[i];
        *cut |= shape[i] < ref->shape[i];
        nitems *= shape[i];
        if (shape[i] > LENGTH_MAX)
            return false;
    }
    if (!changes || nitems > 2 * ITEMS_MAX || (size_t)nitems * ref->typesize > 2 * BYTES_MAX)
        return false;
    drawn_tell_list(d, "resize to", ref->ndim, shape);
    drawn_tell(d, "\n");
    ok(tess_array_resize(d->a, shape, err));
    reference_resize(ref, shape);
    return true;
}

// -- running cases

void
drawn_cases(int64_t few, int64_t many, void (*live)(struct drawn *d))
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(few, many);
    static struct drawn d;

    print_message("%" PRId64 " cases from seed %" PRIu64 "\n", n, seed);
    telling = &d;
    for (int64_t i = 0; i < n; i++) {
        drawn_create(&d, seed + (uint64_t)i);
        live(&d);
    }
    telling = NULL;
}

int
drawn_end(void **state)
{
    (void)state;
    files_end();
    if (telling)
        print_error("TESS_TEST_SEED=%" PRIu64 " TESS_TEST_CASES=1 repeats:\n%s\n", telling->seed,
                    telling->story);
    telling = NULL;
    return 0;
}

// -- slices

// Start and stop may be anything where there are no items.
static void
draw_empty(struct drawn *d, int64_t length, int64_t step, int64_t *start, int64_t *stop)
{
    if (step > 0) {
        *stop = drawn_one_in(d, 4) ? INT64_MIN : drawn_below(d, length + 20) - 19;
        *start = drawn_one_in(d, 4) ? INT64_MAX : drawn_below(d, 100);
        *start = *start > *stop ? *start : *stop > 0 ? *stop : 0;
    } else {
        *stop = drawn_one_in(d, 4) ? INT64_MAX : drawn_below(d, length + 20) - 1;
        *start = drawn_one_in(d, 4) ? INT64_MIN : drawn_below(d, length + 20) - 20;
        *start = *start < *stop ? *start : *stop < length ? *stop : length - 1;
    }
}

static void
draw_axis(struct drawn *d, int64_t length, int64_t *start, int64_t *stop, int64_t *step)
{
    static const int64_t extreme[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT32_MAX};
    const int64_t style = drawn_below(d, 4);

    *step = drawn_one_in(d, 30)  ? extreme[drawn_below(d, 4)]
            : drawn_one_in(d, 3) ? 1
            : drawn_one_in(d, 3) ? 1 + drawn_below(d, length + 3)
                                 : 1 + drawn_below(d, 4);
    if (*step > 0 && drawn_one_in(d, 2))
        *step = -*step;
    if (length == 0 || drawn_one_in(d, 40)) {
        draw_empty(d, length, *step, start, stop);
        return;
    }
    const int64_t low = style == 0 ? 0 : drawn_below(d, length);
    const int64_t end = style == 0 ? length : low + 1 + drawn_below(d, length - low);
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
drawn_slice(struct drawn *d, int ndim, const int64_t *shape, struct drawn_slice *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ndim; i++) {
        draw_axis(d, shape[i], &s->start[i], &s->stop[i], &s->step[i]);
        s->count[i] = count_items(s->start[i], s->stop[i], s->step[i]);
    }
    drawn_tell_list(d, "from", ndim, s->start);
    drawn_tell_list(d, "to", ndim, s->stop);
    drawn_tell_list(d, "by", ndim, s->step);
}

// NULL may stand for steps of 1.
static const int64_t *
steps_of(struct drawn *d, int ndim, const struct drawn_slice *s)
{
    for (int i = 0; i < ndim; i++)
        if (s->step[i] != 1)
            return s->step;
    return drawn_one_in(d, 2) ? s->step : NULL;
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
draw_apart(struct drawn *d, int ndim, const int64_t *count, int64_t *strides)
{
    int64_t extent = (int64_t)d->reference.typesize;
    int order[TESS_MAX_NDIM];

    for (int i = 0; i < ndim; i++)
        order[i] = i;
    for (int i = ndim - 1; i > 0; i--) {
        const int k = (int)drawn_below(d, i + 1), kept = order[i];
        order[i] = order[k], order[k] = kept;
    }
    for (int i = 0; i < ndim; i++) {
        const int64_t gap = drawn_one_in(d, 3) ? drawn_below(d, 20) : 0;
        const int64_t n = count[order[i]], stride = extent + gap;
        extent += n > 1 ? (n - 1) * stride : 0;
        strides[order[i]] = drawn_one_in(d, 2) ? stride : -stride;
        if (n < 2 && drawn_one_in(d, 4)) // never used
            strides[order[i]] = drawn_one_in(d, 2) ? INT64_MIN : drawn_below(d, 3) - 1;
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
draw_layout(struct drawn *d, int ndim, const int64_t *count, bool source, struct layout *m)
{
    const size_t ts = d->reference.typesize;
    int64_t low = 0, high = 0;

    memset(m, 0, sizeof *m);
    if (drawn_one_in(d, 3)) {
        dense(ndim, count, ts, m->strides);
        m->given = drawn_one_in(d, 2) ? NULL : m->strides;
    } else {
        draw_apart(d, ndim, count, m->strides);
        for (int i = 0; source && i < ndim; i++) // items of a source may lie over each other
            if (drawn_one_in(d, 4))
                m->strides[i] = drawn_one_in(d, 2) ? 0 : drawn_below(d, 41) - 20;
        m->given = m->strides;
    }
    m->n = reference_nitems(ndim, count);
    m->offsets = allocate((size_t)m->n * sizeof *m->offsets);
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
    m->first = -low + drawn_below(d, 30);
    for (int64_t k = 0; k < m->n; k++)
        m->offsets[k] += m->first;
    m->size = (size_t)(m->first + high + drawn_below(d, 30)) + ts;
    drawn_tell_list(d, m->given ? "strides" : "no strides", ndim, m->strides);
}

// -- access

// Bits of an index in a place; many enough that no axis grows out of them.
static int
place_bits(int ndim)
{
    return 62 / (ndim > 0 ? ndim : 1);
}

static int64_t
place_of(int ndim, const int64_t *at)
{
    int64_t place = 0;

    for (int i = 0; i < ndim; i++)
        place = place << place_bits(ndim) | at[i];
    return place;
}

static uint8_t *
item_at(const struct reference *ref, int64_t place)
{
    const int bits = place_bits(ref->ndim);
    int64_t index = 0, factor = 1;

    for (int i = ref->ndim - 1; i >= 0; i--) {
        index += (place & (((int64_t)1 << bits) - 1)) * factor;
        factor *= ref->shape[i];
        place >>= bits;
    }
    return ref->data + (size_t)index * ref->typesize;
}

void
seen_whole(const struct drawn *d, struct seen *v)
{
    const struct reference *const ref = &d->reference;
    const int64_t n = reference_nitems(ref->ndim, ref->shape);

    v->a = d->a;
    reference_init(&v->places, ref->ndim, ref->shape, sizeof(int64_t));
    for (int64_t k = 0; k < n; k++) {
        int64_t at[TESS_MAX_NDIM] = {0}, rest = k;
        for (int i = ref->ndim - 1; i >= 0; i--) {
            at[i] = rest % ref->shape[i];
            rest /= ref->shape[i];
        }
        const int64_t place = place_of(ref->ndim, at);
        memcpy(v->places.data + 8 * k, &place, 8);
    }
}

void
seen_finish(struct seen *v)
{
    reference_finish(&v->places);
    v->a = NULL;
}

void
seen_check(struct drawn *d, const struct seen *v)
{
    struct reference want;

    reference_init(&want, v->places.ndim, v->places.shape, d->reference.typesize);
    const int64_t n = reference_nitems(want.ndim, want.shape);
    for (int64_t k = 0; k < n; k++) {
        int64_t place;
        memcpy(&place, v->places.data + 8 * k, 8);
        memcpy(want.data + (size_t)k * want.typesize, item_at(&d->reference, place), want.typesize);
    }
    check_array(v->a, &want);
    reference_finish(&want);
}

// What is accessed: the places of the items, in their order.
struct access {
    int64_t n;
    int64_t *places;
    struct drawn_slice slice;
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
draw_slice_of(struct drawn *d, const struct seen *v, bool box, struct access *c)
{
    struct drawn_slice *const s = &c->slice;
    const int ndim = v->places.ndim;

    memset(c, 0, sizeof *c);
    if (box) {
        for (int i = 0; i < ndim; i++) {
            s->start[i] = drawn_below(d, v->places.shape[i] + 1);
            s->count[i] = drawn_below(d, v->places.shape[i] - s->start[i] + 1);
            s->stop[i] = s->start[i] + s->count[i];
            s->step[i] = 1;
        }
        drawn_tell_list(d, "from", ndim, s->start);
        drawn_tell_list(d, "to", ndim, s->stop);
    } else {
        drawn_slice(d, ndim, v->places.shape, s);
    }
    c->n = reference_nitems(ndim, s->count);
    c->places = allocate((size_t)c->n * sizeof *c->places);
    reference_get_slice(&v->places, s->start, s->count, s->step, c->places);
}

static int64_t
place_at(const struct reference *places, const int64_t *at)
{
    int64_t index = 0, place;

    for (int i = 0; i < places->ndim; i++)
        index = index * places->shape[i] + at[i];
    memcpy(&place, places->data + 8 * index, 8);
    return place;
}

static void
draw_points(struct drawn *d, const struct seen *v, struct access *c)
{
    const int ndim = v->places.ndim;
    const bool empty = reference_nitems(ndim, v->places.shape) == 0;

    memset(c, 0, sizeof *c);
    c->n = empty ? 0 : drawn_below(d, CHOSEN_MAX);
    c->places = allocate((size_t)c->n * sizeof *c->places);
    c->coords = allocate((size_t)(c->n * ndim) * sizeof *c->coords);
    for (int64_t k = 0; k < c->n; k++) {
        for (int i = 0; i < ndim; i++)
            c->coords[k * ndim + i] = drawn_below(d, v->places.shape[i]);
        c->places[k] = place_at(&v->places, c->coords + k * ndim);
    }
}

static void
draw_lists(struct drawn *d, const struct seen *v, struct access *c)
{
    const int ndim = v->places.ndim;
    int64_t left = CHOSEN_MAX;

    memset(c, 0, sizeof *c);
    c->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int64_t length = v->places.shape[i];
        int64_t *const count = &c->slice.count[i];
        *count = length == 0 ? 0 : drawn_one_in(d, 40) ? 0 : 1 + drawn_below(d, left);
        if (*count > 1 + 2 * length)
            *count = 1 + 2 * length;
        c->lists[i] = allocate((size_t)*count * sizeof *c->lists[i]);
        for (int64_t k = 0; k < *count; k++)
            c->lists[i][k] = drawn_below(d, length);
        c->n *= *count;
        left /= *count > 0 ? *count : 1;
    }
    c->places = allocate((size_t)c->n * sizeof *c->places);
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
check_items(const struct drawn *d, const struct access *c, const uint8_t *got)
{
    const size_t ts = d->reference.typesize;

    for (int64_t k = 0; k < c->n; k++)
        if (memcmp(got + (size_t)k * ts, item_at(&d->reference, c->places[k]), ts) != 0)
            fail_msg("item %" PRId64 " of %" PRId64 " is wrong", k, c->n);
}

static void
set_items(struct drawn *d, const struct access *c, const uint8_t *items)
{
    const size_t ts = d->reference.typesize;

    for (int64_t k = 0; k < c->n; k++)
        memcpy(item_at(&d->reference, c->places[k]), items + (size_t)k * ts, ts);
}

void
seen_get_slice(struct drawn *d, const struct seen *v)
{
    const int ndim = v->places.ndim;
    const size_t ts = d->reference.typesize;
    struct access c;
    struct layout m;

    drawn_tell(d, "get slice");
    draw_slice_of(d, v, false, &c);
    draw_layout(d, ndim, c.slice.count, false, &m);
    drawn_tell(d, "\n");
    uint8_t *const got = allocate(m.size), *const want = allocate(m.size);
    const int filler = (int)drawn_below(d, 256);
    memset(got, filler, m.size);
    memset(want, filler, m.size); // and so what is between the items
    for (int64_t k = 0; k < c.n; k++)
        memcpy(want + m.offsets[k], item_at(&d->reference, c.places[k]), ts);
    ok(tess_array_get_slice(v->a, c.slice.start, c.slice.stop, steps_of(d, ndim, &c.slice),
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
seen_set_slice(struct drawn *d, const struct seen *v)
{
    const int ndim = v->places.ndim;
    const size_t ts = d->reference.typesize;
    struct access c;
    struct layout m;

    drawn_tell(d, "set slice");
    draw_slice_of(d, v, false, &c);
    draw_layout(d, ndim, c.slice.count, true, &m);
    drawn_tell(d, "\n");
    uint8_t *const src = allocate(m.size);
    draw_items(d, src, (int64_t)(m.size / ts));
    random_bytes(&d->random, src + m.size / ts * ts, m.size % ts);
    ok(tess_array_set_slice(v->a, c.slice.start, c.slice.stop, steps_of(d, ndim, &c.slice),
                            src + m.first, m.size - (size_t)m.first, m.given, err));
    for (int64_t k = 0; k < c.n; k++)
        memcpy(item_at(&d->reference, c.places[k]), src + m.offsets[k], ts);
    free(src);
    free(m.offsets);
    access_finish(&c);
}

void
seen_fill(struct drawn *d, const struct seen *v)
{
    const size_t ts = d->reference.typesize;
    uint8_t item[300];
    struct access c;

    drawn_tell(d, "fill");
    draw_slice_of(d, v, drawn_one_in(d, 2), &c);
    drawn_tell(d, "\n");
    draw_items(d, item, 1);
    ok(tess_array_fill(v->a, c.slice.start, c.slice.stop, steps_of(d, v->places.ndim, &c.slice),
                       item, ts, err));
    for (int64_t k = 0; k < c.n; k++)
        memcpy(item_at(&d->reference, c.places[k]), item, ts);
    access_finish(&c);
}

enum way { BOX, POINTS, LISTS };

static enum way
draw_access(struct drawn *d, const struct seen *v, const char *what, struct access *c)
{
    static const char *const names[] = {"box", "points", "lists"};
    const enum way way = (enum way)drawn_below(d, 3);

    drawn_tell(d, "%s %s", what, names[way]);
    if (way == BOX)
        draw_slice_of(d, v, true, c);
    else
        (way == POINTS ? draw_points : draw_lists)(d, v, c);
    drawn_tell(d, "\n");
    return way;
}

void
seen_read(struct drawn *d, const struct seen *v)
{
    struct access c;

    if (drawn_one_in(d, 2)) {
        seen_get_slice(d, v);
        return;
    }
    const enum way way = draw_access(d, v, "read", &c);
    const size_t size = (size_t)c.n * d->reference.typesize;
    uint8_t *const got = allocate(size);
    memset(got, 0x5a, size);
    if (way == BOX)
        ok(tess_array_read(v->a, c.slice.start, c.slice.stop, got, size, err));
    else if (way == POINTS)
        ok(tess_array_get_points(v->a, c.n, c.coords, got, size, err));
    else
        ok(tess_array_get_orthogonal(v->a, c.slice.count, (const int64_t *const *)c.lists, got,
                                     size, err));
    check_items(d, &c, got);
    free(got);
    access_finish(&c);
}

void
seen_write(struct drawn *d, const struct seen *v)
{
    const int64_t kind = drawn_below(d, 4);
    struct access c;

    if (kind < 2) {
        (kind == 0 ? seen_set_slice : seen_fill)(d, v);
        return;
    }
    const enum way way = draw_access(d, v, "write", &c);
    const size_t size = (size_t)c.n * d->reference.typesize;
    uint8_t *const items = allocate(size);
    draw_items(d, items, c.n);
    if (way == BOX)
        ok(tess_array_write(v->a, c.slice.start, c.slice.stop, items, size, err));
    else if (way == POINTS)
        ok(tess_array_set_points(v->a, c.n, c.coords, items, size, err));
    else
        ok(tess_array_set_orthogonal(v->a, c.slice.count, (const int64_t *const *)c.lists, items,
                                     size, err));
    set_items(d, &c, items);
    free(items);
    access_finish(&c);
}
