/*
 * array_copy_items.c - tests of array/copy/copy_items: arrays of other chunks, blocks and codecs,
 * side by side, against their items; chunks that are copied as they are stored.
 */
#include "array/copy/copy.h"

#include "frame/commit/change.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SOURCES = 4 };

// Perhaps all items are one, whose bytes differ; or one of them waits in the cache, so that the
// chunks that are stored do not have it.
static void
spoil(struct scene *s, struct random *r)
{
    const int64_t origin[NDIM_MAX] = {0};
    int64_t behind[NDIM_MAX];
    uint8_t item[16];
    random_bytes(r, item, sizeof item);
    if (random_below(r, 4) == 0) {
        reference_fill(&s->ref, item);
        ok(tess_array_write(s->a, origin, s->ref.shape, s->ref.data, reference_size(&s->ref), err));
        ok(tess_array_flush(s->a, err));
    } else if (random_below(r, 3) == 0) {
        for (int i = 0; i < s->ref.ndim; i++)
            behind[i] = 1;
        memcpy(s->ref.data, item, s->ref.typesize);
        ok(tess_array_write(s->a, origin, behind, item, s->ref.typesize, err));
    }
}

static void
side_by_side(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(250, 20000); i > 0; i--) {
        const tess_array *arrays[SOURCES];
        int64_t starts[SOURCES + 1] = {0}, lo[NDIM_MAX] = {0}, hi[NDIM_MAX];
        struct scene s[SOURCES], to;
        tess_context c;
        tess_params p;
        scene_params(&r, 3, &p);
        const int axis = (int)random_below(&r, (uint64_t)p.ndim);
        const bool alike = random_below(&r, 2);
        const int64_t n = 1 + (int64_t)random_below(&r, SOURCES);
        const int64_t chunk = p.chunkshape[axis];
        for (int64_t k = 0; k < n; k++) {
            tess_params q = p;
            q.shape[axis] = random_below(&r, 2) ? 1 + (int64_t)random_below(&r, 12)
                                                : chunk * (1 + (int64_t)random_below(&r, 2));
            for (int d = 0; d < p.ndim && !alike; d++) {
                q.chunkshape[d] = 1 + (int64_t)random_below(&r, 9);
                q.blockshape[d] = 1 + (int64_t)random_below(&r, (uint64_t)q.chunkshape[d]);
            }
            scene_new(&s[k], &q, NULL, (enum scene_items)random_below(&r, 3), &r);
            spoil(&s[k], &r);
            arrays[k] = s[k].a;
            starts[k + 1] = starts[k] + q.shape[axis];
        }
        // Some of the target stays in front of what is filled.
        const int64_t front = (int64_t)random_below(&r, 2) * (int64_t)random_below(&r, 9);
        for (int64_t k = 0; k <= n; k++)
            starts[k] += front;
        p.shape[axis] = starts[n];
        scene_context(&c, random_below(&r, 2) ? 1 : 4, -1);
        if (random_below(&r, 2))
            c.memory = 1 + (int64_t)random_below(&r, 2000); // small pieces
        scene_new(&to, &p, &c, SCENE_NOISE, &r);
        const int32_t word = p.typesize % 2 == 0 ? 2 : 1;
        const bool swapped = random_below(&r, 4) == 0;
        const struct copy_sources sources = {arrays, n, axis, starts, swapped, word};
        frame_begin(to.a->grid->frame);
        ok(array_copy_items(to.a, &sources, NULL, err));
        frame_keep(to.a->grid->frame);
        memcpy(hi, p.shape, sizeof hi);
        for (int64_t k = 0; k < n; k++) {
            const size_t size = reference_size(&s[k].ref);
            uint8_t *const items = malloc(size);
            assert_non_null(items);
            memcpy(items, s[k].ref.data, size);
            if (swapped)
                for (size_t at = 0; at + 1 < size && word == 2; at += 2) {
                    const uint8_t first = items[at];
                    items[at] = items[at + 1];
                    items[at + 1] = first;
                }
            lo[axis] = starts[k];
            hi[axis] = starts[k + 1];
            reference_set(&to.ref, lo, hi, items);
            free(items);
            scene_check(s[k].a, &s[k].ref); // as it was
            scene_close(&s[k]);
        }
        scene_check_stored(&to);
        scene_close(&to);
    }
}

// Copied as they are stored: encoded at another level, they would be others.
static void
as_stored(void **state)
{
    struct random r;
    struct scene from, to;
    tess_params p;
    int32_t size[2];
    const uint8_t *bytes[2];
    (void)state;
    random_init(&r, random_seed());
    tess_params_init(&p);
    p.typesize = 1;
    p.ndim = 1;
    p.shape[0] = 8000;
    p.chunkshape[0] = 4000;
    p.blockshape[0] = 1000;
    p.codec = TESS_CODEC_ZLIB;
    p.clevel = 9;
    scene_new(&from, &p, NULL, SCENE_ZEROS, &r);
    for (int64_t i = 0; i < 4000; i++)
        from.ref.data[i] = (uint8_t)random_below(&r, 6);
    const int64_t start = 0, stop = 8000, starts[2] = {0, 8000};
    ok(tess_array_write(from.a, &start, &stop, from.ref.data, 8000, err));
    ok(tess_array_flush(from.a, err));
    scene_new(&to, &p, NULL, SCENE_ZEROS, &r);
    to.a->grid->encoder.level = 1;
    const tess_array *const arrays[1] = {from.a};
    const struct copy_sources sources = {.arrays = arrays, .n = 1, .starts = starts};
    frame_begin(to.a->grid->frame);
    ok(array_copy_items(to.a, &sources, NULL, err));
    frame_keep(to.a->grid->frame);
    memcpy(to.ref.data, from.ref.data, 8000);
    assert_int_equal(frame_special(to.a->grid->frame, 1), SPECIAL_ZEROS);
    for (int k = 0; k < 2; k++) {
        struct open_chunk *v = NULL;
        struct chunk_scratch s = {0};
        ok(open_chunk_new(k ? to.a->grid : from.a->grid, 0, false, NULL, NULL, &v, err));
        size[k] = v->stored.chunk.h.cbytes;
        ok(v->stored.bytes.fetch(v->stored.bytes.from, 0, size[k], &s, &bytes[k], err));
        uint8_t *const copy = malloc((size_t)size[k]);
        assert_non_null(copy);
        memcpy(copy, bytes[k], (size_t)size[k]);
        bytes[k] = copy;
        open_chunk_release(v);
        scratch_finish(&s);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
    free((void *)(uintptr_t)bytes[0]);
    free((void *)(uintptr_t)bytes[1]);
    scene_check_stored(&to);
    scene_close(&from);
    scene_close(&to);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(as_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
