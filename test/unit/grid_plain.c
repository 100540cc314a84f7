/*
 * grid_plain.c - tests of grid/read/plain and grid/read/plain_read: frames without an N-dimensional
 * layer, against their bytes.
 *
 * Our writer gives all chunks of a frame one size; frames whose chunks differ are those of
 * test/golden. Here their table of starts is made by hand.
 */
#include "grid/read/plain.h"

#include "base/bytes.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/flat.h"
#include "frame/commit/change.h"
#include "frame/commit/commit.h"
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
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool plain_zeros = true; // frames have chunks of zeros

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

// A frame of chunks whose bytes are the reference's, some of them zeros. The reference frees it.
static const uint8_t *
plain_image(struct scene *s, struct random *r, int32_t typesize, int32_t chunk, int32_t block,
            int64_t nchunks, size_t *size_of_image)
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
    ok(frame_create(io, &h, &metas, nchunks, SPECIAL_ZEROS, &options, &f, err));
    ok(chunk_encoder_init(&e, &spec, err));
    uint8_t *const bytes = malloc((size_t)chunk_bound(&e));
    assert_non_null(bytes);
    frame_begin(f);
    for (int64_t n = 0; n < nchunks; n++) {
        struct source from = {s->ref.data + n * chunk, block, chunk};
        const struct block_source source = {.from = &from, .items = source_items};
        enum chunk_special special;
        int32_t cbytes;
        if (plain_zeros && random_below(r, 4) == 0) {
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
    s->ref.fill = copy; // freed with the reference, which does not grow
    free(bytes);
    scratch_finish(&scratch);
    layers_finish(&metas);
    *size_of_image = image_size;
    return copy;
}

static void
plain_new(struct scene *s, struct random *r, int32_t typesize, int32_t chunk, int32_t block,
          int64_t nchunks)
{
    size_t size;
    const uint8_t *const image = plain_image(s, r, typesize, chunk, block, nchunks, &size);
    s->a = scene_open(image, size, TESS_CHECKSUMS_VERIFY, NULL);
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
        const struct box_memory dst = {.items = got, .stride = {3}};
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

// Runs that several threads read, of chunks that are smaller and larger than what one has.
static void
parts(void **state)
{
    static const struct {
        int32_t typesize, chunk, block;
        int64_t nchunks;
    } cases[] = {{4, 3000000, 20000, 1},
                 {1, 700001, 33333, 3},
                 {8, 40000, 4000, 60},
                 {2, 900000, 900000, 2}};
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        plain_new(&s, &r, cases[i].typesize, cases[i].chunk, cases[i].block, cases[i].nchunks);
        const int64_t size = s.a->g->typesize, nitems = s.a->g->nitems;
        uint8_t *const got = malloc((size_t)(nitems * size) + 1);
        assert_non_null(got);
        for (int k = 0; k < 20; k++) {
            const int64_t start = k == 0 ? 0 : (int64_t)random_below(&r, (uint64_t)(nitems / 3));
            const int64_t stop =
                k == 0 ? nitems : nitems - (int64_t)random_below(&r, (uint64_t)(nitems / 3));
            const int64_t nbytes = (stop - start) * size;
            const struct box_memory dst = {.items = got, .stride = {size}};
            got[nbytes] = 99;
            ok(plain_read(s.a->grid, start, stop, 1, &dst, NULL, err));
            assert_memory_equal(got, s.ref.data + start * size, (size_t)nbytes);
            assert_int_equal(got[nbytes], 99);
        }
        free(got);
        ok(tess_array_close(s.a, err));
        reference_finish(&s.ref);
    }
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

// -- far frames

// A frame that is far away.
struct far {
    const uint8_t *bytes;
    int64_t size;
    atomic_int reads, ranges;
    atomic_llong nbytes;
    atomic_bool blocks; // reads wait until they are cancelled
};

static tess_status
far_state(void *user, tess_source_state *state, tess_error *error)
{
    const struct far *const f = user;
    (void)error;
    state->size = f->size;
    state->guarded = true;
    return TESS_OK;
}

static tess_status
far_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
         tess_error *error)
{
    struct far *const f = user;
    while (atomic_load(&f->blocks)) {
        if (tess_reading_cancelled(reading)) {
            error->status = TESS_ERR_CANCELLED;
            return TESS_ERR_CANCELLED;
        }
        usleep(1000);
    }
    atomic_fetch_add(&f->reads, 1);
    atomic_fetch_add(&f->ranges, (int)n);
    for (size_t i = 0; i < n; i++) {
        memcpy(ranges[i].dst, f->bytes + ranges[i].offset, ranges[i].dst_size);
        atomic_fetch_add(&f->nbytes, (long long)ranges[i].dst_size);
    }
    return TESS_OK;
}

static tess_array *
far_open(struct far *f, const uint8_t *image, size_t size, int64_t latency,
         const tess_context *context)
{
    tess_storage storage;
    tess_source source;
    tess_array *a = NULL;
    memset(f, 0, sizeof *f);
    f->bytes = image;
    f->size = (int64_t)size;
    tess_source_init(&source);
    source.user = f;
    source.latency = latency;
    source.requests = 8;
    source.state = far_state;
    source.read = far_read;
    tess_storage_init(&storage);
    storage.source = &source;
    storage.context = context;
    ok(tess_array_open(&storage, &a, err));
    assert_true(a->grid->plain);
    return a;
}

// Chunks that may have any sizes, for a header that says so: each has its size in its own.
static uint8_t *
let_sizes_differ(const uint8_t *image, size_t size)
{
    struct frame_header h;
    uint8_t *const copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, image, size);
    ok(frame_header_parse(image, size, (int64_t)size, &h, err));
    h.chunksize = 0;
    h.version = 3;
    frame_header_write(&h, copy);
    return copy;
}

enum { FAR_LATENCY = 20000, FAR_CHUNK = 200000, FAR_BLOCK = 5000, FAR_CHUNKS = 40 };

// All chunks come with a few requests, the ends of a box with two steps, and items that lie far
// apart with one for each and what opens their chunks.
static void
far_reads(void **state)
{
    static const struct {
        const char *why;
        int64_t start, stop, step; // bytes
        int reads; // calls of the source at most
        bool little; // of the bytes are read
    } cases[] = {
        {"all", 0, (int64_t)FAR_CHUNK * FAR_CHUNKS, 1, 8, false},
        {"from within to within", 3 * FAR_CHUNK - 2000, 30 * FAR_CHUNK + 9000, 1, 10, false},
        {"within a chunk", 7 * FAR_CHUNK + 90000, 7 * FAR_CHUNK + 120000, 1, 2, true},
        {"with items between", 500, (int64_t)FAR_CHUNK * FAR_CHUNKS, 3, 8, false},
        {"far apart", 100, (int64_t)FAR_CHUNK * FAR_CHUNKS, 150000, 60, true},
    };
    struct random r;
    struct scene s;
    size_t size;
    (void)state;
    random_init(&r, 11);
    const uint8_t *const image = plain_image(&s, &r, 1, FAR_CHUNK, FAR_BLOCK, FAR_CHUNKS, &size);
    assert_true(size > 2 << 20); // more than opening keeps
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const int64_t start = cases[i / 2].start, step = cases[i / 2].step;
        const int64_t n = (cases[i / 2].stop - start + step - 1) / step;
        struct far f;
        tess_context context;
        tess_context_init(&context);
        context.ahead = i % 2 ? 1 << 20 : 0;
        tess_array *const a = far_open(&f, image, size, FAR_LATENCY, &context);
        uint8_t *const got = malloc((size_t)n);
        assert_non_null(got);
        atomic_store(&f.reads, 0);
        atomic_store(&f.nbytes, 0);
        ok(tess_array_get_slice(a, &start, &cases[i / 2].stop, &step, got, (size_t)n, NULL, err));
        for (int64_t k = 0; k < n; k++)
            if (got[k] != s.ref.data[start + k * step])
                fail_msg("%s: item %d", cases[i / 2].why, (int)k);
        const int most = cases[i / 2].reads * (i % 2 ? 4 : 1); // with little memory
        if (atomic_load(&f.reads) > most)
            fail_msg("%s: %d reads, %d expected", cases[i / 2].why, atomic_load(&f.reads), most);
        if (cases[i / 2].little && atomic_load(&f.nbytes) > (long long)size * 2 / 3)
            fail_msg("%s: %lld bytes of %zu", cases[i / 2].why, atomic_load(&f.nbytes), size);
        free(got);
        ok(tess_array_close(a, err));
    }
    reference_finish(&s.ref);
}

// Opening a frame of chunks of any sizes looks at all of them, with a few requests. How ranges are
// grouped into requests depends on which threads are free, too, so they are counted again on a busy
// machine.
static void
far_sizes(void **state)
{
    struct random r;
    struct scene s;
    struct far f;
    size_t size;
    (void)state;
    random_init(&r, 11);
    plain_zeros = false;
    const uint8_t *const image = plain_image(&s, &r, 1, FAR_CHUNK, FAR_BLOCK, FAR_CHUNKS, &size);
    plain_zeros = true;
    uint8_t *const any = let_sizes_differ(image, size);
    const int64_t start = 0, stop = (int64_t)FAR_CHUNK * FAR_CHUNKS;
    uint8_t *const got = malloc((size_t)stop);
    assert_non_null(got);
    tess_array *a = far_open(&f, any, size, FAR_LATENCY, NULL);
    for (int again = 0; atomic_load(&f.reads) > 12; again++) {
        if (again == 4)
            fail_msg("%d reads", atomic_load(&f.reads));
        ok(tess_array_close(a, err));
        a = far_open(&f, any, size, FAR_LATENCY, NULL);
    }
    assert_non_null(a->grid->chunk_starts);
    ok(tess_array_read(a, &start, &stop, got, (size_t)stop, err));
    assert_memory_equal(got, s.ref.data, (size_t)stop);
    ok(tess_array_close(a, err));
    free(got);
    free(any);
    reference_finish(&s.ref);
}

// A chunk that has fewer blocks than when the frame was opened.
static void
far_chunks_change(void **state)
{
    struct random r;
    struct scene s;
    struct far f;
    struct frame_header h;
    size_t size;
    uint8_t got[10];
    tess_error error;
    const int64_t start = FAR_CHUNK - 20, stop = start + 10;
    (void)state;
    random_init(&r, 11);
    plain_zeros = false;
    const uint8_t *const image = plain_image(&s, &r, 1, FAR_CHUNK, FAR_BLOCK, FAR_CHUNKS, &size);
    plain_zeros = true;
    uint8_t *const any = let_sizes_differ(image, size);
    tess_array *const a = far_open(&f, any, size, FAR_LATENCY, NULL);
    ok(tess_array_read(a, &start, &stop, got, sizeof got, err));
    assert_memory_equal(got, s.ref.data + start, sizeof got);
    ok(frame_header_parse(any, size, (int64_t)size, &h, err));
    put_u32le(any + h.header_len + 4, FAR_BLOCK); // of the first chunk
    assert_int_equal(tess_array_read(a, &start, &stop, got, sizeof got, &error), TESS_ERR_STALE);
    assert_non_null(strstr(error.message, "chunk 0: 5000 bytes, there were 200000 before"));
    ok(tess_array_close(a, err));
    free(any);
    reference_finish(&s.ref);
}

static bool
cancel_at_once(int64_t done, int64_t total, void *user)
{
    (void)done, (void)total;
    return !atomic_load((const atomic_bool *)user);
}

// A call that waits for the source ends when the program wants it to, whether it is far or near.
static void
far_reads_end(void **state)
{
    const int64_t start = 0, stop = (int64_t)FAR_CHUNK * FAR_CHUNKS;
    struct random r;
    struct scene s;
    struct far f;
    size_t size;
    tess_context context;
    (void)state;
    random_init(&r, 11);
    const uint8_t *const image = plain_image(&s, &r, 1, FAR_CHUNK, FAR_BLOCK, FAR_CHUNKS, &size);
    uint8_t *const got = malloc((size_t)stop);
    assert_non_null(got);
    tess_context_init(&context);
    context.progress = cancel_at_once;
    context.progress_user = (void *)&f.blocks;
    context.progress_interval = 10;
    for (int i = 0; i < 2; i++) {
        tess_array *const a = far_open(&f, image, size, i ? FAR_LATENCY : 0, &context);
        atomic_store(&f.blocks, true);
        assert_int_equal(tess_array_read(a, &start, &stop, got, (size_t)stop, NULL),
                         TESS_ERR_CANCELLED);
        atomic_store(&f.blocks, false);
        ok(tess_array_read(a, &start, &stop, got, (size_t)stop, err));
        assert_memory_equal(got, s.ref.data, (size_t)stop);
        ok(tess_array_close(a, err));
    }
    free(got);
    reference_finish(&s.ref);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry),
        cmocka_unit_test(pieces),
        cmocka_unit_test(parts),
        cmocka_unit_test(starts),
        cmocka_unit_test(far_reads),
        cmocka_unit_test(far_sizes),
        cmocka_unit_test(far_chunks_change),
        cmocka_unit_test(far_reads_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
