/*
 * grid_write.c - tests of lib/grid/write: boxes and parts of them, padding, whole blocks,
 * constants, blocks that wait in the cache, and the engine with a source of the test. rewrite is
 * driven by it.
 *
 * Each is done to random arrays as a change of the frame, and all items are compared with those of
 * a reference, also after the change was undone.
 */
#include "grid/write/write.h"

#include "frame/change.h"
#include "frame/frame.h"
#include "geom/shape.h"
#include "grid/read/read.h"
#include "grid/strided.h"
#include "grid/write/constant.h"
#include "grid/write/replace.h"
#include "grid/write/store.h"
#include "grid/write/write_back.h"
#include "unit/grid_kit.h"

enum { ROUNDS = 150 };

static tess_status
end_change(struct kit *k, tess_status st, bool keep)
{
    if (st == TESS_OK && keep)
        frame_keep(k->grid->frame);
    else
        frame_undo(k->grid->frame);
    return st;
}

static void
strides_of_box(const struct kit *k, const int64_t *start, const int64_t *stop, int64_t *stride)
{
    int64_t extent[TESS_MAX_NDIM];

    for (int i = 0; i < k->ref.ndim; i++)
        extent[i] = stop[i] - start[i];
    shape_strides(k->ref.ndim, extent, (int64_t)k->ref.typesize, stride);
}

// -- boxes

static void
test_boxes(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 4000); n > 0; n--) {
        struct kit k;

        kit_begin(&r, &k, 0);
        for (int i = 0; i < 4; i++) {
            int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
            const bool keep = random_below(&r, 3);
            struct strided_const from;

            kit_random_box(&r, &k, start, stop);
            const size_t size = reference_box_size(&k.ref, start, stop);
            uint8_t *const items = malloc(size);
            assert_non_null(items);
            random_bytes(&r, items, size);
            if (random_below(&r, 3) == 0)
                memset(items, 0x11, size);
            from.items = items;
            strides_of_box(&k, start, stop, from.stride);
            frame_begin(k.grid->frame);
            assert_int_equal(
                end_change(&k, grid_write(k.grid, start, stop, NULL, &from, NULL, NULL), keep),
                TESS_OK);
            if (keep)
                reference_set(&k.ref, start, stop, items);
            kit_check(&k);
            free(items);
        }
        kit_end(&k);
    }
}

// Every step-th item along each axis; the others stay.
static void
test_steps(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
        int64_t count[TESS_MAX_NDIM], index[TESS_MAX_NDIM] = {0};
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        struct strided_const from;
        struct kit k;

        kit_begin(&r, &k, 0);
        const size_t typesize = k.ref.typesize;
        kit_random_box(&r, &k, start, stop);
        for (int i = 0; i < k.ref.ndim; i++) {
            step[i] = 1 + (int64_t)random_below(&r, 4);
            count[i] = (stop[i] - start[i] - 1) / step[i] + 1;
            stop[i] = start[i] + (count[i] - 1) * step[i] + 1;
        }
        const size_t size = reference_box_size(&k.ref, zeros, count);
        uint8_t *const items = malloc(size), *at = items;
        assert_non_null(items);
        random_bytes(&r, items, size);
        from.items = items;
        shape_strides(k.ref.ndim, count, (int64_t)typesize, from.stride);
        do {
            int64_t item[TESS_MAX_NDIM];

            for (int i = 0; i < k.ref.ndim; i++)
                item[i] = start[i] + index[i] * step[i];
            memcpy((uint8_t *)(uintptr_t)kit_item(&k, item), at, typesize);
            at += typesize;
        } while (kit_next(k.ref.ndim, zeros, count, index));
        frame_begin(k.grid->frame);
        assert_int_equal(
            end_change(&k, grid_write(k.grid, start, stop, step, &from, NULL, NULL), true),
            TESS_OK);
        kit_check(&k);
        free(items);
        kit_end(&k);
    }
}

// One item to the part of a box that lies in chunks that are wanted.
static void
test_some(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], index[TESS_MAX_NDIM];
        uint8_t item[16];
        struct kit k;

        kit_begin(&r, &k, 0);
        const struct geometry *const g = &k.grid->g;
        bool *const wanted = calloc((size_t)g->nchunks, sizeof *wanted);
        assert_non_null(wanted);
        kit_random_box(&r, &k, start, stop);
        random_bytes(&r, item, sizeof item);
        for (int64_t c = 0; c < g->nchunks; c++)
            wanted[c] = random_below(&r, 2);
        memcpy(index, start, sizeof index);
        int64_t ordinal = 0; // of the chunks that the box meets, in C order
        int64_t *const number = malloc((size_t)g->nchunks * sizeof *number);
        assert_non_null(number);
        for (int64_t c = 0; c < g->nchunks; c++)
            number[c] = -1;
        bool *const met = calloc((size_t)g->nchunks, sizeof *met);
        assert_non_null(met);
        do {
            int64_t chunk, in_block;
            int32_t block;

            kit_locate(g, index, &chunk, &block, &in_block);
            met[chunk] = true;
        } while (kit_next(k.ref.ndim, start, stop, index));
        for (int64_t c = 0; c < g->nchunks; c++)
            if (met[c])
                number[c] = ordinal++;
        memcpy(index, start, sizeof index);
        do {
            int64_t chunk, in_block;
            int32_t block;

            kit_locate(g, index, &chunk, &block, &in_block);
            if (wanted[number[chunk]])
                memcpy((uint8_t *)(uintptr_t)kit_item(&k, index), item, k.ref.typesize);
        } while (kit_next(k.ref.ndim, start, stop, index));
        frame_begin(k.grid->frame);
        assert_int_equal(
            end_change(&k, grid_write_some(k.grid, start, stop, item, wanted, NULL, NULL), true),
            TESS_OK);
        kit_check(&k);
        free(met);
        free(number);
        free(wanted);
        kit_end(&k);
    }
}

// -- whole blocks

static int
by_place(const void *a, const void *b)
{
    const struct new_block *const x = a, *const y = b;

    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static void
test_replace(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        int64_t index[TESS_MAX_NDIM] = {0};
        size_t count = 0;
        struct kit k;

        kit_begin(&r, &k, random_below(&r, 2) ? 1 << 20 : 0);
        const struct geometry *const g = &k.grid->g;
        const size_t all = (size_t)(g->nchunks * g->nblocks);
        struct new_block *const blocks = calloc(all, sizeof *blocks);
        uint8_t *const items = malloc(all * (size_t)g->blocksize);
        assert_true(blocks && items);
        random_bytes(&r, items, all * (size_t)g->blocksize);
        for (size_t i = 0; i < all; i++)
            if (random_below(&r, 3) == 0 &&
                kit_has_items(g, (int64_t)i / g->nblocks, (int32_t)((int64_t)i % g->nblocks)))
                blocks[count++] =
                    (struct new_block){(int64_t)i / g->nblocks, (int32_t)((int64_t)i % g->nblocks),
                                       items + i * (size_t)g->blocksize};
        do {
            struct new_block at = {0};
            int64_t item;

            kit_locate(g, index, &at.chunk, &at.block, &item);
            const struct new_block *const b = bsearch(&at, blocks, count, sizeof *blocks, by_place);
            if (b)
                memcpy((uint8_t *)(uintptr_t)kit_item(&k, index),
                       b->items + (size_t)item * k.ref.typesize, k.ref.typesize);
        } while (kit_next(k.ref.ndim, zeros, k.ref.shape, index));
        frame_begin(k.grid->frame);
        assert_int_equal(
            end_change(&k, replace_blocks(k.grid, blocks, count, false, NULL, NULL), true),
            TESS_OK);
        kit_check(&k);
        free(items);
        free(blocks);
        kit_end(&k);
    }
}

// -- constants

static void
test_constants(void **state)
{
    struct random r;
    int found = 0, not = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(2 * ROUNDS, 5000); n > 0; n--) {
        int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], index[TESS_MAX_NDIM];
        uint8_t item[16];
        bool is = false, same = true;
        struct kit k;

        kit_begin(&r, &k, 0);
        kit_random_box(&r, &k, start, stop);
        assert_int_equal(constant_box(k.grid, start, stop, NULL, CONSTANT_STORED, item, &is, NULL),
                         TESS_OK);
        memcpy(index, start, sizeof index);
        const uint8_t *const first = kit_item(&k, index);
        do
            same = same && memcmp(kit_item(&k, index), first, k.ref.typesize) == 0;
        while (kit_next(k.ref.ndim, start, stop, index));
        if (is) { // what chunks say is so; they need not say all
            assert_true(same);
            assert_memory_equal(item, first, k.ref.typesize);
        }
        found += is;
        not += !is;

        // All of an array at once, or not at all.
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        bool all = random_below(&r, 2), done = false;
        random_bytes(&r, item, sizeof item);
        if (random_below(&r, 2))
            memset(item, 0, sizeof item);
        if (all) {
            memcpy(start, zeros, sizeof start);
            memcpy(stop, k.ref.shape, (size_t)k.ref.ndim * sizeof *stop);
        }
        all = reference_box_nitems(k.ref.ndim, start, stop) ==
              reference_nitems(k.ref.ndim, k.ref.shape);
        frame_begin(k.grid->frame);
        assert_int_equal(
            end_change(&k, constant_set_all(k.grid, start, stop, NULL, item, &done, NULL), true),
            TESS_OK);
        if (done && all)
            reference_fill(&k.ref, item);
        assert_true(!done || all || same);
        kit_check(&k);
        kit_end(&k);
    }
    assert_true(found > 0 && not > 0);
}

static void
test_special_items(void **state)
{
    const float nan = __builtin_nanf("");
    const double nan8 = __builtin_nan("");
    uint8_t one[8] = {1}, zero[8] = {0};

    (void)state;
    assert_int_equal(constant_special(zero, 8), SPECIAL_ZEROS);
    assert_int_equal(constant_special(zero, 3), SPECIAL_ZEROS);
    assert_int_equal(constant_special(one, 8), SPECIAL_VALUE);
    assert_int_equal(constant_special((const uint8_t *)&nan, 4), SPECIAL_NANS);
    assert_int_equal(constant_special((const uint8_t *)&nan8, 8), SPECIAL_NANS);
    assert_int_equal(constant_special((const uint8_t *)&nan, 2),
                     memcmp(&nan, zero, 2) == 0 ? SPECIAL_ZEROS : SPECIAL_VALUE);
}

// -- blocks that wait

static void
test_write_back(void **state)
{
    struct random r;
    int waited = 0;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        struct kit k;

        kit_begin(&r, &k, 1 << (14 + random_below(&r, 6)));
        for (int i = 0; i < 20; i++) {
            int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
            struct strided_const from;

            kit_random_box(&r, &k, start, stop);
            for (int axis = 0; axis < k.ref.ndim; axis++)
                stop[axis] = start[axis] + 1 + (stop[axis] - start[axis]) / 8;
            if (!write_back_wants(k.grid, start, stop, NULL))
                continue;
            const size_t size = reference_box_size(&k.ref, start, stop);
            uint8_t *const items = malloc(size);
            assert_non_null(items);
            random_bytes(&r, items, size);
            from.items = items;
            strides_of_box(&k, start, stop, from.stride);
            assert_int_equal(write_back_make_room(k.grid, start, stop, NULL, NULL), TESS_OK);
            assert_int_equal(write_back_box(k.grid, start, stop, NULL, &from, NULL), TESS_OK);
            reference_set(&k.ref, start, stop, items);
            free(items);
            tess_info info;
            tess_array_info(k.a, &info);
            waited += info.cache_dirty > 0;
            if (random_below(&r, 4) == 0)
                kit_check(&k); // what waits is what is read
        }
        assert_int_equal(write_back_all(k.grid, NULL), TESS_OK);
        tess_info info;
        tess_array_info(k.a, &info);
        assert_int_equal(info.cache_dirty, 0);
        kit_check(&k);
        kit_end(&k);
    }
    assert_true(waited > 0);
}

// -- the engine

// Every block of some chunks: a part of the items gets a byte added, in replaced blocks all.
struct source {
    const struct kit *k;
    int64_t at;
    const uint8_t *wanted; // per block: 0 not touched, 1 in part, 2 replaced
};

static bool
source_next(void *cursor, struct edit *e)
{
    struct source *const s = cursor;
    const struct geometry *const g = &s->k->grid->g;

    for (; s->at < g->nchunks; s->at++)
        for (int64_t b = 0; b < g->nblocks; b++)
            if (s->wanted[s->at * g->nblocks + b]) {
                *e = (struct edit){.n = s->at++};
                return true;
            }
    return false;
}

static int32_t
source_touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct source *const s = from;
    const int32_t nblocks = (int32_t)s->k->grid->g.nblocks;
    const uint8_t *const wanted = s->wanted + e->n * nblocks;

    while (nblock < nblocks && !wanted[nblock])
        nblock++;
    *replaced = nblock < nblocks && wanted[nblock] == 2;
    return nblock;
}

static void
source_fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items)
{
    const struct source *const s = from;
    const struct geometry *const g = &s->k->grid->g;
    const bool replaced = s->wanted[e->n * g->nblocks + nblock] == 2;

    for (int64_t i = 0; i < g->blocksize; i++)
        if (replaced)
            items[i] = (uint8_t)(e->n + nblock + i);
        else if (i / g->typesize % 3 == 0)
            items[i]++;
}

static void
test_engine(void **state)
{
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(ROUNDS, 3000); n > 0; n--) {
        const int64_t zeros[TESS_MAX_NDIM] = {0};
        int64_t index[TESS_MAX_NDIM] = {0};
        struct kit k;

        kit_begin(&r, &k, 0);
        const struct geometry *const g = &k.grid->g;
        const bool keep = random_below(&r, 4);
        uint8_t *const wanted = calloc((size_t)(g->nchunks * g->nblocks), 1);
        assert_non_null(wanted);
        for (int64_t i = 0; i < g->nchunks * g->nblocks; i++)
            wanted[i] = (uint8_t)(random_below(&r, 2) ? 0 : 1 + random_below(&r, 2));
        struct source s = {.k = &k, .wanted = wanted};
        const struct edit_source source = {
            .from = &s,
            .next = source_next,
            .cursor = &s,
            .touched = source_touched,
            .fill = source_fill,
            .nbytes = g->nchunks * g->chunksize + (4 << 20), // so that all threads work
            .nchunks = g->nchunks,
        };
        frame_begin(k.grid->frame);
        assert_int_equal(end_change(&k, store_edits(k.grid, &source, NULL), keep), TESS_OK);
        do {
            int64_t chunk, item;
            int32_t block;

            kit_locate(g, index, &chunk, &block, &item);
            uint8_t *const bytes = (uint8_t *)(uintptr_t)kit_item(&k, index);
            const int how = keep ? wanted[chunk * g->nblocks + block] : 0;
            for (int64_t i = 0; i < g->typesize; i++)
                if (how == 2)
                    bytes[i] = (uint8_t)(chunk + block + item * g->typesize + i);
                else if (how == 1 && item % 3 == 0)
                    bytes[i]++;
        } while (kit_next(k.ref.ndim, zeros, k.ref.shape, index));
        kit_check(&k);
        free(wanted);
        kit_end(&k);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),      cmocka_unit_test(test_steps),
        cmocka_unit_test(test_some),       cmocka_unit_test(test_replace),
        cmocka_unit_test(test_constants),  cmocka_unit_test(test_special_items),
        cmocka_unit_test(test_write_back), cmocka_unit_test(test_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
