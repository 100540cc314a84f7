/*
 * scene.c - arrays in memory for tests of lib/tessera/grid, lib/tessera/select and
 * lib/tessera/array, and what they hold.
 */
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 14, GAP = 3 };

void
scene_params(struct random *r, int ndim_max, tess_params *p)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 8, 16};
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_ZLIB,
                                        TESS_CODEC_ZSTD};
    static const uint8_t filters[] = {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE, TESS_FILTER_SHUFFLE,
                                      TESS_FILTER_BITSHUFFLE, TESS_FILTER_DELTA};
    tess_params_init(p);
    p->typesize = sizes[random_below(r, sizeof sizes / sizeof *sizes)];
    p->ndim = 1 + (int)random_below(r, (uint64_t)ndim_max);
    for (int i = 0; i < p->ndim; i++) {
        p->shape[i] = 1 + (int64_t)random_below(r, p->ndim > 3 ? LENGTH / 2 : LENGTH);
        p->chunkshape[i] = 1 + (int64_t)random_below(r, (uint64_t)p->shape[i] + 2);
        p->blockshape[i] = 1 + (int64_t)random_below(r, (uint64_t)p->chunkshape[i]);
    }
    p->codec = codecs[random_below(r, sizeof codecs / sizeof *codecs)];
    p->clevel = (int)random_below(r, 6);
    p->split = (tess_split)(TESS_SPLIT_ALWAYS + random_below(r, 3));
    memset(p->filters, 0, sizeof p->filters);
    memset(p->filters_meta, 0, sizeof p->filters_meta);
    p->filters[TESS_MAX_FILTERS - 1] = filters[random_below(r, sizeof filters)];
}

void
scene_context(tess_context *c, int threads, int64_t cache)
{
    tess_context_init(c);
    if (threads >= 0)
        c->threads = threads;
    if (cache >= 0)
        c->cache = cache;
}

void
scene_new(struct scene *s, const tess_params *p, const tess_context *c, enum scene_items items,
          struct random *r)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.context = c;
    s->a = NULL;
    reference_init(&s->ref, p->ndim, p->shape, (size_t)p->typesize);
    const size_t size = reference_size(&s->ref);
    if (items == SCENE_LIKELY)
        random_repetitive(r, s->ref.data, size);
    else if (items == SCENE_NOISE)
        random_bytes(r, s->ref.data, size);
    if (items == SCENE_ZEROS)
        ok(tess_array_zeros(&storage, p, &s->a, err));
    else
        ok(tess_array_from(&storage, p, s->ref.data, size, &s->a, err));
}

void
scene_random(struct scene *s, struct random *r, const tess_context *c, enum scene_items items)
{
    tess_params p;
    scene_params(r, 4, &p);
    scene_new(s, &p, c, items, r);
}

void
scene_close(struct scene *s)
{
    ok(tess_array_close(s->a, err));
    reference_finish(&s->ref);
    s->a = NULL;
}

uint8_t *
scene_image(struct scene *s, size_t *size)
{
    const void *image = NULL;
    ok(tess_array_image(s->a, &image, size, err));
    uint8_t *const copy = malloc(*size);
    assert_non_null(copy);
    memcpy(copy, image, *size);
    return copy;
}

tess_array *
scene_open(const uint8_t *image, size_t size, tess_checksums checksums, const tess_context *c)
{
    tess_array *a = NULL;
    tess_storage storage;
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    storage.checksums = checksums;
    storage.context = c;
    ok(tess_array_open(&storage, &a, err));
    return a;
}

void
scene_check(const tess_array *a, const struct reference *ref)
{
    const int64_t origin[NDIM_MAX] = {0};
    const size_t size = reference_size(ref);
    assert_int_equal(a->g->ndim, ref->ndim);
    for (int i = 0; i < ref->ndim; i++)
        assert_int_equal(a->g->shape[i], ref->shape[i]);
    uint8_t *const got = malloc(size > 0 ? size : 1); // no larger: tools see what goes beyond
    assert_non_null(got);
    memset(got, 0xa5, size);
    ok(tess_array_read(a, origin, ref->shape, got, size, err));
    assert_memory_equal(got, ref->data, size);
    free(got);
}

void
scene_check_stored(struct scene *s)
{
    size_t size;
    uint8_t *const image = scene_image(s, &size);
    tess_array *const a = scene_open(image, size, TESS_CHECKSUMS_VERIFY, NULL);
    scene_check(a, &s->ref);
    ok(tess_array_close(a, err));
    free(image);
}

void
scene_box(struct random *r, int ndim, const int64_t *shape, int64_t *start, int64_t *stop)
{
    for (int i = 0; i < ndim; i++) {
        start[i] = (int64_t)random_below(r, (uint64_t)shape[i]);
        stop[i] = start[i] + 1 + (int64_t)random_below(r, (uint64_t)(shape[i] - start[i]));
    }
}

void
scene_steps(struct random *r, int ndim, const int64_t *start, int64_t *stop, int64_t *step)
{
    for (int i = 0; i < ndim; i++) {
        step[i] = 1 + (int64_t)random_below(r, 4);
        stop[i] -= (stop[i] - 1 - start[i]) % step[i];
    }
}

int64_t
scene_counts(int ndim, const int64_t *start, const int64_t *stop, const int64_t *step,
             int64_t *count)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++) {
        count[i] = step ? (stop[i] - 1 - start[i]) / step[i] + 1 : stop[i] - start[i];
        n *= count[i];
    }
    return n;
}

bool
scene_next(int ndim, const int64_t *count, int64_t *at)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++at[i] < count[i])
            return true;
        at[i] = 0;
    }
    return false;
}

uint8_t *
scene_item(const struct reference *ref, const int64_t *index)
{
    int64_t n = 0;
    for (int i = 0; i < ref->ndim; i++)
        n = n * ref->shape[i] + index[i];
    return ref->data + (size_t)n * ref->typesize;
}

void
scene_memory(struct random *r, int ndim, const int64_t *count, int64_t typesize,
             struct scene_memory *m)
{
    int axes[NDIM_MAX];
    int64_t stride = typesize + (int64_t)random_below(r, 2) * (int64_t)random_below(r, GAP);
    int64_t first = 0;
    for (int i = 0; i < ndim; i++)
        axes[i] = i;
    if (random_below(r, 3) == 0) // else in C order, which has shorter ways
        for (int i = ndim - 1; i > 0; i--) {
            const int k = (int)random_below(r, (uint64_t)i + 1), axis = axes[i];
            axes[i] = axes[k];
            axes[k] = axis;
        }
    for (int i = ndim - 1; i >= 0; i--) {
        const bool back = random_below(r, 4) == 0;
        m->at.stride[axes[i]] = back ? -stride : stride;
        first += back ? (count[axes[i]] - 1) * stride : 0;
        stride = stride * count[axes[i]] + (int64_t)random_below(r, 2) * GAP;
    }
    m->at.as = NULL;
    m->from.as = NULL;
    m->size = (size_t)(stride > typesize ? stride : typesize);
    m->bytes = malloc(m->size);
    assert_non_null(m->bytes);
    random_bytes(r, m->bytes, m->size);
    m->at.items = m->bytes + first;
    m->from.items = m->at.items;
    memcpy(m->from.stride, m->at.stride, sizeof m->from.stride);
}

void
scene_gather(const struct reference *ref, const int64_t *start, const int64_t *stop,
             const int64_t *step, const struct box_memory *dst)
{
    int64_t count[NDIM_MAX], at[NDIM_MAX] = {0}, index[NDIM_MAX];
    scene_counts(ref->ndim, start, stop, step, count);
    do {
        uint8_t *to = dst->items;
        for (int i = 0; i < ref->ndim; i++) {
            index[i] = start[i] + at[i] * (step ? step[i] : 1);
            to += at[i] * dst->stride[i];
        }
        memcpy(to, scene_item(ref, index), ref->typesize);
    } while (scene_next(ref->ndim, count, at));
}

void
scene_scatter(struct reference *ref, const int64_t *start, const int64_t *stop, const int64_t *step,
              const struct box_memory_const *src)
{
    int64_t count[NDIM_MAX], at[NDIM_MAX] = {0}, index[NDIM_MAX];
    scene_counts(ref->ndim, start, stop, step, count);
    do {
        const uint8_t *from = src->items;
        for (int i = 0; i < ref->ndim; i++) {
            index[i] = start[i] + at[i] * (step ? step[i] : 1);
            from += at[i] * src->stride[i];
        }
        memcpy(scene_item(ref, index), from, ref->typesize);
    } while (scene_next(ref->ndim, count, at));
}
