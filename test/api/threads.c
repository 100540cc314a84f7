/*
 * threads.c - many threads read one array at once, in all ways there are, or encode for one write.
 *
 * Made for the thread sanitizer; the data is compared all the same.
 */
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define THREADS 8
#define READS 200
#define AXES 3 // at most
#define LENGTH 256 // of an axis, at most

struct reader {
    pthread_t thread;
    struct random random;
    tess_array *a; // only looked at
    const struct reference *reference;
    int64_t start[REFERENCE_MAX_NDIM], stop[REFERENCE_MAX_NDIM]; // a box
    uint8_t *got, *want; // as large as the array
    tess_error error;
    int wrong; // reads that brought other data
};

static void
draw_box(struct reader *r)
{
    const struct reference *const ref = r->reference;
    for (int i = 0; i < ref->ndim; i++) {
        const int64_t length = ref->shape[i];
        r->start[i] = (int64_t)random_below(&r->random, (uint64_t)length);
        r->stop[i] =
            r->start[i] + 1 + (int64_t)random_below(&r->random, (uint64_t)(length - r->start[i]));
    }
}

static size_t
box_size(const struct reader *r)
{
    return reference_box_size(r->reference, r->start, r->stop);
}

// What came of a read, and what should have.
static void
judge(struct reader *r, tess_status st, size_t size)
{
    r->wrong += st == TESS_OK && memcmp(r->got, r->want, size) != 0;
}

static void
read_box(struct reader *r)
{
    reference_get(r->reference, r->start, r->stop, r->want);
    judge(r,
          tess_array_read(r->a, r->start, r->stop, r->got, reference_size(r->reference), &r->error),
          box_size(r));
}

// The box backwards, every second item.
static void
read_slice(struct reader *r)
{
    const int ndim = r->reference->ndim;
    int64_t first[REFERENCE_MAX_NDIM], end[REFERENCE_MAX_NDIM], count[REFERENCE_MAX_NDIM];
    int64_t step[REFERENCE_MAX_NDIM];
    size_t size = r->reference->typesize;
    for (int i = 0; i < ndim; i++) {
        first[i] = r->stop[i] - 1;
        end[i] = r->start[i] - 1;
        step[i] = -2;
        count[i] = (r->stop[i] - r->start[i] + 1) / 2;
        size *= (size_t)count[i];
    }
    reference_get_slice(r->reference, first, count, step, r->want);
    judge(r, tess_array_get_slice(r->a, first, end, step, r->got, size, NULL, &r->error), size);
}

static void
read_view(struct reader *r)
{
    int64_t zero[REFERENCE_MAX_NDIM] = {0};
    tess_array *view = NULL;
    tess_info info;
    if (tess_array_view_slice(r->a, r->start, r->stop, NULL, &view, &r->error) != TESS_OK)
        return;
    tess_array_info(view, &info);
    reference_get(r->reference, r->start, r->stop, r->want);
    judge(r,
          tess_array_read(view, zero, info.shape, r->got, reference_size(r->reference), &r->error),
          box_size(r));
    if (tess_array_close(view, r->error.status == TESS_OK ? &r->error : NULL) != TESS_OK)
        r->wrong++;
}

// The box as the combinations of its indices.
static void
read_orthogonal(struct reader *r)
{
    int64_t lists[AXES][LENGTH], counts[AXES];
    const int64_t *const indices[AXES] = {lists[0], lists[1], lists[2]};
    for (int i = 0; i < r->reference->ndim; i++) {
        counts[i] = r->stop[i] - r->start[i];
        for (int64_t k = 0; k < counts[i]; k++)
            lists[i][k] = r->start[i] + k;
    }
    reference_get(r->reference, r->start, r->stop, r->want);
    judge(r,
          tess_array_get_orthogonal(r->a, counts, indices, r->got, reference_size(r->reference),
                                    &r->error),
          box_size(r));
}

static void
read_points(struct reader *r)
{
    enum { POINTS = 50 };
    const int ndim = r->reference->ndim;
    int64_t coords[AXES * POINTS];
    for (int k = 0; k < POINTS; k++) {
        draw_box(r);
        int64_t one[REFERENCE_MAX_NDIM];
        for (int i = 0; i < ndim; i++) {
            coords[ndim * k + i] = r->start[i];
            one[i] = r->start[i] + 1;
        }
        reference_get(r->reference, r->start, one, r->want + 4 * k);
    }
    judge(r, tess_array_get_points(r->a, POINTS, coords, r->got, 4 * POINTS, &r->error),
          4 * POINTS);
}

// Layers of the box along the first axis, by a mask.
static void
read_mask(struct reader *r)
{
    uint8_t bytes[LENGTH] = {0};
    const tess_mask mask = {.ndim = 1, .bytes = bytes, .bytes_size = sizeof bytes};
    for (int i = 1; i < r->reference->ndim; i++) {
        r->start[i] = 0;
        r->stop[i] = r->reference->shape[i];
    }
    for (int64_t i = r->start[0]; i < r->stop[0]; i++)
        bytes[i] = 1;
    reference_get(r->reference, r->start, r->stop, r->want);
    judge(r, tess_array_get_mask(r->a, &mask, r->got, reference_size(r->reference), &r->error),
          box_size(r));
}

static int64_t
sum_of(const uint8_t *items, size_t size)
{
    int64_t sum = 0;
    for (size_t at = 0; at < size; at += 4) {
        uint32_t item;
        memcpy(&item, items + at, 4);
        sum += item;
    }
    return sum;
}

static void
read_statistics(struct reader *r)
{
    tess_statistics all;
    reference_get(r->reference, r->start, r->stop, r->want);
    if (tess_array_statistics(r->a, r->start, r->stop, &all, &r->error) == TESS_OK)
        r->wrong += !all.exact || all.integer != sum_of(r->want, box_size(r));
}

static tess_each_next
add_part(const tess_part *part, void *user)
{
    const int last = part->ndim - 1;
    int64_t shape[TESS_MAX_NDIM], sum = 0, rows = 1;
    for (int i = 0; i <= last; i++) {
        shape[i] = part->stop[i] - part->start[i];
        rows *= i < last ? shape[i] : 1;
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t at = 0;
        for (int64_t i = last - 1, rest = row; i >= 0; rest /= shape[i--])
            at += rest % shape[i] * part->strides[i];
        sum += sum_of((const uint8_t *)part->items + at, 4 * (size_t)shape[last]);
    }
    atomic_fetch_add((_Atomic int64_t *)user, sum);
    return TESS_EACH_NEXT;
}

static void
read_each(struct reader *r)
{
    _Atomic int64_t sum = 0;
    reference_get(r->reference, r->start, r->stop, r->want);
    const tess_unit unit = random_below(&r->random, 2) ? TESS_BLOCKS : TESS_CHUNKS;
    if (tess_array_each(r->a, unit, r->start, r->stop, add_part, &sum, &r->error) == TESS_OK)
        r->wrong += atomic_load(&sum) != sum_of(r->want, box_size(r));
}

static void *
read_all_ways(void *argument)
{
    static void (*const ways[])(struct reader *) = {
        read_box,    read_slice, read_view,       read_orthogonal,
        read_points, read_mask,  read_statistics, read_each,
    };
    struct reader *const r = argument;
    const size_t size = reference_size(r->reference);
    r->got = malloc(size);
    r->want = malloc(size);
    for (int i = 0; i < READS && r->got && r->want && r->error.status == TESS_OK; i++) {
        draw_box(r);
        ways[random_below(&r->random, sizeof ways / sizeof *ways)](r);
    }
    free(r->want);
    free(r->got);
    return NULL;
}

static void
read_together(tess_array *a, const struct reference *ref, uint64_t seed)
{
    struct reader readers[THREADS];

    memset(readers, 0, sizeof readers);
    for (int i = 0; i < THREADS; i++) {
        random_init(&readers[i].random, seed + (uint64_t)i);
        readers[i].a = a;
        readers[i].reference = ref;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_all_ways, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        if (readers[i].error.status != TESS_OK)
            fail_msg("thread %d: %s", i, readers[i].error.message);
        assert_int_equal(readers[i].wrong, 0);
    }
}

static void
readers(void **state)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_ZLIB,
                                        TESS_CODEC_ZSTD};
    const uint64_t seed = random_seed();
    struct reference ref;
    tess_params params;

    (void)state;
    tess_params_init(&params);
    params.dtype = NATIVE "u4";
    params.ndim = 3;
    for (int i = 0; i < 3; i++) {
        params.shape[i] = 20 + i;
        params.chunkshape[i] = 8;
        params.blockshape[i] = 4;
    }
    params.filters[4] = TESS_FILTER_DELTA;
    reference_init(&ref, 3, params.shape, 4);
    for (size_t i = 0; i < reference_size(&ref); i++)
        ref.data[i] = (uint8_t)(i % 4 < 2 ? i * i >> 8 : i >> 13);

    for (size_t i = 0; i < 2 * sizeof codecs / sizeof codecs[0]; i++) {
        tess_storage storage;
        tess_array *a = NULL;

        tess_storage_init(&storage);
        storage.mode = TESS_MODE_REPLACE;
        storage.path = i % 2 ? files_path("array.b2nd") : NULL;
        params.codec = codecs[i / 2];
        ok(tess_array_from(&storage, &params, ref.data, reference_size(&ref), &a, err));
        read_together(a, &ref, seed);
        ok(tess_array_close(a, err));
    }
    reference_finish(&ref);
}

// What a crowd reads: blocks that are kept and thrown out again, of all kinds of places, while
// others come and go.
struct place {
    const char *name; // NULL: memory
    tess_layout layout;
    bool mmap;
    int64_t side; // of blocks
    int clevel;
    tess_checksums checksums;
};

struct visitor {
    pthread_t thread;
    const tess_storage *storage;
    const struct reference *reference;
    tess_error error;
    int wrong;
};

// Opens the array again and again, each time to read some of it.
static void *
come_and_go(void *argument)
{
    struct visitor *const v = argument;
    const int64_t start[2] = {3, 5}, stop[2] = {150, 140};
    const size_t size = reference_box_size(v->reference, start, stop);
    uint8_t *const got = malloc(size), *const want = malloc(size);

    for (int i = 0; i < READS / 8 && got && want && v->error.status == TESS_OK; i++) {
        tess_array *a = NULL;
        if (tess_array_open(v->storage, &a, &v->error) != TESS_OK)
            break;
        reference_get(v->reference, start, stop, want);
        if (tess_array_read(a, start, stop, got, size, &v->error) == TESS_OK)
            v->wrong += memcmp(got, want, size) != 0;
        tess_array_discard(a);
    }
    free(want);
    free(got);
    return NULL;
}

static void
read_in_a_crowd(const tess_storage *storage, const struct reference *ref, uint64_t seed)
{
    struct visitor visitors[2];
    tess_array *a;

    ok(tess_array_open(storage, &a, err));
    memset(visitors, 0, sizeof visitors);
    for (int i = 0; i < 2; i++) {
        visitors[i].storage = storage;
        visitors[i].reference = ref;
        assert_int_equal(pthread_create(&visitors[i].thread, NULL, come_and_go, &visitors[i]), 0);
    }
    read_together(a, ref, seed);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(visitors[i].thread, NULL), 0);
        if (visitors[i].error.status != TESS_OK)
            fail_msg("visitor %d: %s", i, visitors[i].error.message);
        assert_int_equal(visitors[i].wrong, 0);
    }
    ok(tess_array_close(a, err));
}

static void
crowd(void **state)
{
    static const struct place places[] = {
        {NULL, TESS_LAYOUT_CONTIGUOUS, false, 8, 5, TESS_CHECKSUMS_WRITE},
        {NULL, TESS_LAYOUT_CONTIGUOUS, false, 50, 0, TESS_CHECKSUMS_WRITE},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, false, 8, 5, TESS_CHECKSUMS_WRITE},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, false, 50, 0, TESS_CHECKSUMS_WRITE},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, true, 50, 5, TESS_CHECKSUMS_WRITE},
        {"folder.b2nd.d", TESS_LAYOUT_SPARSE, false, 50, 5, TESS_CHECKSUMS_WRITE},
        {"folder.b2nd.d", TESS_LAYOUT_SPARSE, true, 8, 5, TESS_CHECKSUMS_WRITE},
        {"file.b2nd", TESS_LAYOUT_CONTIGUOUS, false, 50, 0, TESS_CHECKSUMS_VERIFY},
        {"folder.b2nd.d", TESS_LAYOUT_SPARSE, false, 8, 5, TESS_CHECKSUMS_VERIFY},
    };
    const uint64_t seed = random_seed();
    const int64_t shape[2] = {210, 190};
    struct reference ref;

    (void)state;
    reference_init(&ref, 2, shape, 4);
    for (size_t i = 0; i < reference_size(&ref); i++)
        ref.data[i] = (uint8_t)(i % 4 < 2 ? i * i >> 8 : i >> 13);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct place *const p = &places[i];
        const void *image = NULL;
        tess_context context;
        tess_storage storage;
        tess_params params;
        tess_array *a;

        tess_context_init(&context);
        context.cache = 6 * p->side * p->side * 4; // of some hundred blocks, or some
        tess_storage_init(&storage);
        storage.context = &context;
        storage.mode = TESS_MODE_REPLACE;
        storage.path = p->name ? files_path(p->name) : NULL;
        tess_params_init(&params);
        params.dtype = NATIVE "u4";
        params.ndim = 2;
        params.layout = p->layout;
        params.clevel = p->clevel;
        for (int axis = 0; axis < 2; axis++) {
            params.shape[axis] = shape[axis];
            params.chunkshape[axis] = 100;
            params.blockshape[axis] = p->side;
        }
        ok(tess_array_from(&storage, &params, ref.data, reference_size(&ref), &a, err));
        if (!p->name)
            ok(tess_array_image(a, &image, &storage.image_size, err));
        storage.image = image;
        storage.mode = TESS_MODE_READ;
        storage.mmap = p->mmap;
        storage.checksums = p->checksums;
        read_in_a_crowd(&storage, &ref, seed + i);
        ok(tess_array_close(a, err));
    }
    reference_finish(&ref);
}

enum { SIDE = 500, WRITES = 30 };

// An array that is written with so many threads, at once and then in boxes; its bytes.
static const void *
write_boxes(int threads, int clevel, uint64_t seed, tess_array **a, size_t *size)
{
    static uint32_t items[SIDE * SIDE];
    tess_context context;
    tess_storage storage;
    tess_params params;
    struct random r;
    const void *image;

    random_init(&r, seed);
    for (size_t i = 0; i < SIDE * SIDE; i++) // the lower half is noise
        items[i] = i < SIDE * SIDE / 2 ? (uint32_t)(i / 7) : (uint32_t)random_next(&r);
    tess_context_init(&context);
    context.threads = threads;
    context.cache = 0;
    tess_storage_init(&storage);
    storage.context = &context;
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = NATIVE "u4";
    params.ndim = 2;
    params.clevel = clevel;
    for (int axis = 0; axis < 2; axis++) {
        params.shape[axis] = SIDE;
        params.chunkshape[axis] = 120;
        params.blockshape[axis] = 32;
    }
    ok(tess_array_from(&storage, &params, items, sizeof items, a, err));
    for (int i = 0; i < WRITES; i++) {
        int64_t start[2], stop[2];
        for (int axis = 0; axis < 2; axis++) {
            start[axis] = (int64_t)random_below(&r, SIDE);
            stop[axis] =
                start[axis] + 1 + (int64_t)random_below(&r, (uint64_t)(SIDE - start[axis]));
        }
        ok(tess_array_write(*a, start, stop, items, sizeof items, err));
    }
    ok(tess_array_image(*a, &image, size, err));
    return image;
}

// What is stored does not depend on who encodes it.
static void
writers(void **state)
{
    const uint64_t seed = random_seed();
    (void)state;
    for (int clevel = 0; clevel < 6; clevel += 5) {
        tess_array *alone, *together;
        size_t alone_size, together_size;
        const void *const one = write_boxes(1, clevel, seed, &alone, &alone_size);
        const void *const four = write_boxes(4, clevel, seed, &together, &together_size);
        assert_int_equal(alone_size, together_size);
        assert_memory_equal(one, four, alone_size);
        ok(tess_array_close(alone, err));
        ok(tess_array_close(together, err));
    }
}

// -- small parts of many chunks

enum { PARTS_CHUNKS = 64, PARTS_ROWS = 64, PARTS_COLUMNS = 200, PARTS_SECONDS = 10 };

// What the filter of the program sees.
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open; // who comes waits for another thread
    pthread_t first;
    int threads; // 0 to 2 that came
};

static tess_status
pass(const tess_block *block, const void *src, void *dst, size_t size)
{
    (void)block;
    memcpy(dst, src, size);
    return TESS_OK;
}

// The first thread waits for a second one, for some seconds.
static tess_status
meet(const tess_block *block, const void *src, void *dst, size_t size)
{
    struct meeting *const m = block->user;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PARTS_SECONDS;
    pthread_mutex_lock(&m->lock);
    if (m->open && m->threads == 0) {
        m->first = pthread_self();
        m->threads = 1;
        while (m->threads == 1 && pthread_cond_timedwait(&m->changed, &m->lock, &until) == 0) {
        }
        m->open = m->threads == 2;
    } else if (m->open && m->threads == 1 && !pthread_equal(m->first, pthread_self())) {
        m->threads = 2;
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->lock);
    return pass(block, src, dst, size);
}

// One item of each chunk: little is encoded and much is copied.
static void
write_parts(tess_array *a, struct reference *ref)
{
    const int64_t first[2] = {3, 5}, stop[2] = {PARTS_CHUNKS * PARTS_ROWS, PARTS_COLUMNS};
    const int64_t step[2] = {PARTS_ROWS, PARTS_COLUMNS};
    static const uint32_t items[PARTS_CHUNKS] = {1, 2, 3};
    ok(tess_array_set_slice(a, first, stop, step, items, sizeof items, NULL, err));
    for (int64_t i = 0; i < PARTS_CHUNKS; i++)
        memcpy(ref->data + 4 * ((first[0] + i * step[0]) * PARTS_COLUMNS + first[1]), &items[i], 4);
}

// Padding of each chunk comes into sight, and is looked at.
static void
show_padding(tess_array *a, struct reference *ref)
{
    const int64_t shape[2] = {PARTS_CHUNKS * PARTS_ROWS, PARTS_COLUMNS + 1};
    ok(tess_array_resize(a, shape, err));
    reference_resize(ref, shape);
}

// And goes out of sight, where zeros are written.
static void
hide_items(tess_array *a, struct reference *ref)
{
    const int64_t shape[2] = {PARTS_CHUNKS * PARTS_ROWS, PARTS_COLUMNS - 1};
    ok(tess_array_resize(a, shape, err));
    reference_resize(ref, shape);
}

// Threads share what is to do for small parts of many chunks.
static void
small_parts(void **state)
{
    static void (*const calls[])(tess_array *, struct reference *) = {write_parts, show_padding,
                                                                      hide_items};
    static uint32_t items[PARTS_CHUNKS * PARTS_ROWS * PARTS_COLUMNS];
    const int64_t shape[2] = {PARTS_CHUNKS * PARTS_ROWS, PARTS_COLUMNS};
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = 0; i < shape[0] * shape[1]; i++) // half of it is noise
        items[i] = i % 128 < 64 ? (uint32_t)random_next(&r) : 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct meeting meeting = {.open = true};
        const tess_user_filter filter = {.struct_size = sizeof(tess_user_filter),
                                         .id = 170,
                                         .name = "meet",
                                         .user = &meeting,
                                         .forward = meet,
                                         .backward = meet};
        const tess_plugins plugins = {.filters = &filter, .nfilters = 1};
        struct reference ref;
        tess_context context;
        tess_storage storage;
        tess_params params;
        tess_array *a;

        pthread_mutex_init(&meeting.lock, NULL);
        pthread_cond_init(&meeting.changed, NULL);
        tess_context_init(&context);
        context.cache = 0;
        tess_storage_init(&storage);
        storage.context = &context;
        storage.plugins = &plugins;
        tess_params_init(&params);
        params.dtype = NATIVE "u4";
        params.ndim = 2;
        memcpy(params.shape, shape, sizeof shape);
        params.chunkshape[0] = PARTS_ROWS;
        params.chunkshape[1] = PARTS_COLUMNS + 20;
        params.blockshape[0] = 1;
        params.blockshape[1] = PARTS_COLUMNS + 20;
        params.codec = TESS_CODEC_LZ4;
        params.clevel = 1;
        memset(params.filters, 0, sizeof params.filters);
        params.filters[TESS_MAX_FILTERS - 1] = filter.id;
        ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
        const bool alone = meeting.threads < 2; // all that this process may have
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the others sleep
        meeting.open = !alone;
        meeting.threads = 0;
        reference_init(&ref, 2, shape, 4);
        memcpy(ref.data, items, sizeof items);
        calls[i](a, &ref);
        if (!alone && meeting.threads != 2)
            fail_msg("call %zu is done by one thread", i);
        meeting.open = false;
        check_array(a, &ref);
        reference_finish(&ref);
        ok(tess_array_close(a, err));
        pthread_mutex_destroy(&meeting.lock);
        pthread_cond_destroy(&meeting.changed);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(readers, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(crowd, files_setup, files_teardown),
        cmocka_unit_test(writers),
        cmocka_unit_test(small_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
