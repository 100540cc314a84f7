/*
 * grid_plain.c - tests of grid/plain: frames without an N-dimensional layer, against their bytes.
 *
 * Our writer gives all chunks of a frame one size; frames whose chunks differ are those of
 * test/golden. Here their table of starts is made by hand.
 */
#include "grid/read/plain.h"

#include "chunk/encode.h"
#include "chunk/flat.h"
#include "frame/change.h"
#include "frame/commit.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "io/io.h"
#include "io/memory.h"
#include "meta/layers.h"
#include "task/watch.h"
#include "unit/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct source {
    const uint8_t *items;
    int32_t blocksize, nbytes;
};

static tess_status
source_items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct source *const s = from;
    const int32_t at = nblock * s->blocksize;
    (void)err;
    memcpy(dst, s->items + at,
           (size_t)(s->nbytes - at < s->blocksize ? s->nbytes - at : s->blocksize));
    return TESS_OK;
}

// A frame of chunks whose bytes are the reference's, some of them zeros.
static void
plain_new(struct scene *s, struct random *r, int32_t typesize, int32_t chunk, int32_t block,
          int64_t nchunks)
{
    const struct frame_header h = {.typesize = typesize,
                                   .blocksize = block,
                                   .chunksize = chunk,
                                   .codec = TESS_CODEC_LZ4,
                                   .clevel = 5,
                                   .split = SPLIT_NEVER,
                                   .filters = {[FILTER_SLOTS - 1] = TESS_FILTER_SHUFFLE}};
    struct chunk_spec spec = {.itemsize = typesize,
                              .nbytes = chunk,
                              .blocksize = block,
                              .codec = h.codec,
                              .level = h.clevel,
                              .split = h.split,
                              .filters = {[FILTER_SLOTS - 1] = TESS_FILTER_SHUFFLE}};
    const struct frame_options options = {0};
    const int64_t size = nchunks * chunk;
    struct chunk_scratch scratch = {0};
    struct chunk_encoder e;
    struct layers metas = {0};
    struct frame *f = NULL;
    struct io *io = NULL;
    size_t image_size;

    reference_init(&s->ref, 1, &size, 1);
    random_repetitive(r, s->ref.data, (size_t)size);
    ok(io_memory_new(NULL, 0, &io, err));
    ok(frame_create(io, &h, &metas, nchunks, index_entry_of(SPECIAL_ZEROS), &options, &f, err));
    ok(chunk_encoder_init(&e, &spec, err));
    uint8_t *const bytes = malloc((size_t)chunk_bound(&e));
    assert_non_null(bytes);
    frame_begin(f);
    for (int64_t n = 0; n < nchunks; n++) {
        struct source from = {s->ref.data + n * chunk, block, chunk};
        const struct block_source source = {.from = &from, .items = source_items};
        enum chunk_special special;
        int32_t cbytes;
        if (random_below(r, 4) == 0) {
            memset(s->ref.data + n * chunk, 0, (size_t)chunk);
            continue;
        }
        ok(chunk_encode(&e, &source, &scratch, bytes, &cbytes, &special, err));
        ok(frame_put(f, NULL, n, bytes, cbytes, err));
    }
    frame_keep(f);
    ok(frame_commit(f, err));
    const uint8_t *const image = frame_image(f, &image_size);
    uint8_t *const copy = malloc(image_size);
    assert_true(image && copy);
    memcpy(copy, image, image_size);
    frame_close(f);
    s->a = scene_open(copy, image_size, TESS_CHECKSUMS_VERIFY, NULL);
    s->ref.fill = copy; // freed with the reference, which does not grow
    free(bytes);
    scratch_finish(&scratch);
    layers_finish(&metas);
}

// Items are those of the frame where chunks hold whole ones, else bytes.
static void
geometry(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(60, 2000); i > 0; i--) {
        const int32_t typesize = 1 + (int32_t)random_below(&r, 8);
        const bool whole = random_below(&r, 2);
        const int32_t chunk = whole ? typesize * (8 + (int32_t)random_below(&r, 60))
                                    : 64 + (int32_t)random_below(&r, 500);
        const int32_t block = typesize * (1 + (int32_t)random_below(&r, 7));
        const int64_t nchunks = 1 + (int64_t)random_below(&r, 9);
        struct scene s;
        plain_new(&s, &r, typesize, chunk, block, nchunks);
        const struct chunk_grid *const grid = s.a->grid;
        assert_true(grid->plain);
        assert_int_equal(grid->g.ndim, 1);
        assert_int_equal(grid->g.typesize, chunk % typesize == 0 ? typesize : 1);
        assert_int_equal(grid->g.nitems * grid->g.typesize, nchunks * chunk);
        for (int64_t n = 0; n <= nchunks; n++)
            assert_int_equal(plain_chunk_start(grid, n), n * chunk);
        for (int64_t at = 0; at < nchunks * chunk; at++)
            assert_int_equal(plain_chunk_at(grid, at), at / chunk);

        for (int k = 0; k < 12; k++) {
            const int64_t size = grid->g.typesize;
            const int64_t shape = grid->g.nitems;
            int64_t start, stop, step, count;
            struct scene_memory m;
            scene_box(&r, 1, &shape, &start, &stop);
            scene_steps(&r, 1, &start, &stop, &step);
            if (random_below(&r, 3) == 0)
                step = 1;
            scene_counts(1, &start, &stop, &step, &count);
            scene_memory(&r, 1, &count, size, &m);
            uint8_t *const want = malloc(m.size);
            assert_non_null(want);
            memcpy(want, m.bytes, m.size);
            for (int64_t n = 0; n < count; n++)
                memcpy(want + (m.at.items - m.bytes) + n * m.at.stride[0],
                       s.ref.data + (start + n * step) * size, (size_t)size);
            ok(plain_read(grid, start, stop, step, &m.at, NULL, err));
            assert_memory_equal(m.bytes, want, m.size);
            free(want);
            free(m.bytes);
        }
        ok(tess_array_close(s.a, err));
        reference_finish(&s.ref);
    }
}

// More than a piece of memory, with items between.
static void
pieces(void **state)
{
    static const int64_t steps[] = {1, 2, 1000, 70000};
    struct random r;
    struct scene s;
    (void)state;
    random_init(&r, random_seed());
    plain_new(&s, &r, 2, 100000, 5000, 4);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const int64_t step = steps[i], count = (s.a->g->nitems - 4) / step + 1;
        const int64_t stop = 3 + (count - 1) * step + 1;
        uint8_t *const got = calloc((size_t)count, 3);
        const struct strided dst = {.items = got, .stride = {3}};
        assert_non_null(got);
        ok(plain_read(s.a->grid, 3, stop, step, &dst, NULL, err));
        for (int64_t n = 0; n < count; n++) {
            assert_memory_equal(got + 3 * n, s.ref.data + (3 + n * step) * 2, 2);
            assert_int_equal(got[3 * n + 2], 0);
        }
        free(got);
    }
    ok(tess_array_close(s.a, err));
    reference_finish(&s.ref);
}

// Chunks of different sizes, and empty ones: the last that starts at or before a byte.
static void
starts(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(300, 20000); i > 0; i--) {
        int64_t at[21] = {0};
        struct chunk_grid grid = {.chunk_starts = at};
        grid.g.nchunks = 1 + (int64_t)random_below(&r, 20);
        for (int64_t n = 0; n < grid.g.nchunks; n++)
            at[n + 1] = at[n] + (random_below(&r, 4) ? 1 + (int64_t)random_below(&r, 9) : 0);
        for (int64_t n = 0; n <= grid.g.nchunks; n++)
            assert_int_equal(plain_chunk_start(&grid, n), at[n]);
        for (int64_t byte = 0; byte < at[grid.g.nchunks]; byte++) {
            const int64_t n = plain_chunk_at(&grid, byte);
            assert_in_range(n, 0, grid.g.nchunks - 1);
            assert_true(at[n] <= byte && byte < at[n + 1]);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry),
        cmocka_unit_test(pieces),
        cmocka_unit_test(starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
