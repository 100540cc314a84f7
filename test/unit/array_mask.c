/*
 * array_mask.c - tests of array/mask and, through it, of select/gather and select/scatter: masks in
 * memory and in arrays, in one slab and in many, against a loop over their bytes.
 */
#include "array/items/mask.h"

#include "array/update.h"
#include "frame/commit/change.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A mask over the first axes of an array, in memory or in an array.
struct masked {
    struct scene s, mask;
    tess_mask from;
    uint8_t *bytes;
    int64_t nbytes, inner, count; // items for each byte, and those that are chosen
};

static void
masked_init(struct masked *m, struct random *r)
{
    tess_context c;
    tess_params p;
    const uint64_t one_in = 1 + random_below(r, 4);
    scene_params(r, 3, &p);
    scene_context(&c, random_below(r, 2) ? 1 : 4, -1);
    if (random_below(r, 2))
        c.memory = 1 + (int64_t)random_below(r, 500); // many slabs
    scene_new(&m->s, &p, &c, SCENE_LIKELY, r);
    m->from = (tess_mask){.ndim = (int)random_below(r, (uint64_t)p.ndim + 1)};
    m->nbytes = reference_nitems(m->from.ndim, p.shape);
    m->inner = reference_nitems(p.ndim, p.shape) / m->nbytes;
    m->bytes = malloc((size_t)m->nbytes);
    assert_non_null(m->bytes);
    m->count = 0;
    for (int64_t i = 0; i < m->nbytes; i++) {
        m->bytes[i] = random_below(r, one_in) == 0 ? (uint8_t)(1 + random_below(r, 255)) : 0;
        m->count += m->bytes[i] != 0 ? m->inner : 0;
    }
    m->mask.a = NULL;
    if (m->from.ndim > 0 && random_below(r, 2)) {
        tess_params q;
        tess_params_init(&q);
        q.typesize = 1;
        q.ndim = m->from.ndim;
        memcpy(q.shape, p.shape, sizeof q.shape);
        scene_new(&m->mask, &q, NULL, SCENE_ZEROS, r);
        const int64_t origin[NDIM_MAX] = {0};
        ok(tess_array_write(m->mask.a, origin, q.shape, m->bytes, (size_t)m->nbytes, err));
        m->from.array = m->mask.a;
    } else {
        m->from.bytes = m->bytes;
        m->from.bytes_size = (size_t)m->nbytes;
    }
}

static void
masked_finish(struct masked *m)
{
    scene_close(&m->s);
    if (m->mask.a)
        scene_close(&m->mask);
    free(m->bytes);
}

// Chosen items between the reference and memory, in C order. same: one item for all.
static void
move_items(struct masked *m, uint8_t *memory, bool write, bool same)
{
    const size_t size = (size_t)m->inner * m->s.ref.typesize;
    for (int64_t i = 0; i < m->nbytes; i++) {
        uint8_t *const items = m->s.ref.data + (size_t)i * size;
        if (!m->bytes[i])
            continue;
        for (int64_t k = 0; k < m->inner && same; k++)
            memcpy(items + (size_t)k * m->s.ref.typesize, memory, m->s.ref.typesize);
        if (same)
            continue;
        memcpy(write ? items : memory, write ? memory : items, size);
        memory += size;
    }
}

static void
masks(void **state)
{
    int many = 0;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(500, 20000); i > 0; i--) {
        struct masked m;
        struct mask mask = {0};
        masked_init(&m, &r);
        const size_t size = (size_t)m.count * m.s.ref.typesize;
        uint8_t *const want = malloc(size + 16), *const got = malloc(size + 16);
        assert_true(want && got);
        ok(mask_begin(&mask, m.s.a, &m.from, NULL, err));
        assert_int_equal(mask.count, m.count);
        many += !mask.only;
        if (m.count > 0 && random_below(&r, 2)) {
            memset(want, 0xa5, size + 16);
            memset(got, 0xa5, size + 16);
            move_items(&m, want, false, false);
            ok(mask_get(&mask, got, NULL, err));
            assert_memory_equal(got, want, size + 16); // and no byte behind them
        } else if (m.count > 0) {
            const bool same = random_below(&r, 2);
            random_bytes(&r, want, size + 16);
            if (random_below(&r, 2)) {
                ok(array_update_mask(m.s.a, &mask, want, same, NULL, err));
            } else {
                frame_begin(m.s.a->grid->frame);
                ok(mask_set(&mask, m.s.a, want, same, NULL, err));
                frame_keep(m.s.a->grid->frame);
            }
            move_items(&m, want, true, same);
        }
        mask_finish(&mask);
        scene_check_stored(&m.s);
        free(want);
        free(got);
        masked_finish(&m);
    }
    assert_true(many > 20);
}

// A mask that is changed after it was counted: memory is for what was counted.
static void
changed(void **state)
{
    struct random r;
    int stale[2] = {0};
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        struct masked m;
        struct mask mask = {0};
        masked_init(&m, &r);
        ok(mask_begin(&mask, m.s.a, &m.from, NULL, err));
        const bool more = random_below(&r, 2);
        const int64_t at = (int64_t)random_below(&r, (uint64_t)m.nbytes);
        // With one slab the mask was looked at once, and stays what it was.
        if (!mask.only && m.from.bytes && m.count > 0 && (m.bytes[at] == 0) == more) {
            const size_t size = (size_t)m.count * m.s.ref.typesize;
            uint8_t *const got = malloc(size); // no larger: sanitizers see what goes beyond
            assert_non_null(got);
            m.bytes[at] = more;
            assert_int_equal(mask_get(&mask, got, NULL, NULL), TESS_ERR_STALE);
            stale[more]++;
            free(got);
        }
        mask_finish(&mask);
        masked_finish(&m);
    }
    assert_true(stale[0] > 0 && stale[1] > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
