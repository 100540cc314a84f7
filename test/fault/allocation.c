/*
 * allocation.c - every public call with the n-th allocation failing, for all n.
 *
 * The call either does without the memory, or says TESS_ERR_NOMEM and leaves array and file as they
 * were; made again with memory, it succeeds. That nothing leaks is for the address sanitizer.
 *
 * Linked with the static library and -Wl,--wrap for the functions below, so what the library
 * allocates fails, not what libzstd allocates inside. Each step runs twice for each n: with one
 * failure, and with all allocations from the n-th on failing.
 */
#include "support/files.h"
#include "support/reference.h"
#include "support/zips.h"

#include <tessera.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define TRIES_MAX 5000

// -- the failing allocator

// Threads of the library allocate, too.
static struct {
    pthread_mutex_t lock;
    bool armed;
    bool sticky; // all later ones fail too
    long countdown; // allocations until the one that fails
    long failures;
    size_t largest; // that malloc() was asked for
    bool no_threads; // none can be started
} fault = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
fails_now(void)
{
    if (!fault.armed || fault.countdown < 0)
        return false;
    if (fault.countdown > 0) {
        fault.countdown--;
        return false;
    }
    if (!fault.sticky)
        fault.countdown = -1;
    fault.failures++;
    return true;
}

static bool
fails(size_t size)
{
    pthread_mutex_lock(&fault.lock);
    const bool answer = fails_now();
    if (fault.armed && size > fault.largest)
        fault.largest = size;
    pthread_mutex_unlock(&fault.lock);
    return answer;
}

static void
arm(long n, bool sticky)
{
    pthread_mutex_lock(&fault.lock);
    fault.sticky = sticky;
    fault.countdown = n;
    fault.failures = 0;
    fault.largest = 0;
    fault.armed = true;
    pthread_mutex_unlock(&fault.lock);
}

static void
disarm(void)
{
    pthread_mutex_lock(&fault.lock);
    fault.armed = false;
    pthread_mutex_unlock(&fault.lock);
}

#define WRAP(type, name, parameters, arguments) WRAP_SIZED(type, name, parameters, arguments, 0)
#define WRAP_SIZED(type, name, parameters, arguments, size)  \
    type __real_##name parameters;                           \
    type __wrap_##name parameters;                           \
    type __wrap_##name parameters                            \
    {                                                        \
        return fails(size) ? NULL : __real_##name arguments; \
    }

WRAP_SIZED(void *, malloc, (size_t size), (size), size)
WRAP(void *, aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *p, size_t size), (p, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t size), (s, size))
WRAP(void *, ZSTD_createCCtx, (void), ())
WRAP(void *, ZSTD_createDCtx, (void), ())
WRAP(void *, ZSTD_createCDict, (const void *d, size_t n, int level), (d, n, level))
WRAP(void *, ZSTD_createDDict, (const void *d, size_t n), (d, n))
WRAP(void *, libdeflate_alloc_compressor, (int level), (level))
WRAP(void *, libdeflate_alloc_decompressor, (void), ())

typedef void *run_fn(void *argument);

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run,
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run,
                          void *argument);

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, run_fn *run, void *argument)
{
    return fault.no_threads ? EAGAIN : __real_pthread_create(thread, attr, run, argument);
}

// -- what the steps work on

static const int64_t origin[2] = {0, 0};

struct subject {
    const char *path; // NULL: memory
    tess_codec codec;
    tess_array *a; // NULL: not there yet, or ended
    struct reference reference;
    const char *vl; // content of the layer of that name; NULL: none
    const char *meta; // content of the metalayer
    uint8_t *image; // a committed array, for those who open it
    size_t image_size;
};

static const tess_metalayer layer = {"meta", "old", 3};

static void
params_for(const struct subject *s, tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<f8";
    p->ndim = 2;
    p->shape[0] = 19;
    p->shape[1] = 13;
    p->chunkshape[0] = 8;
    p->chunkshape[1] = 6;
    p->blockshape[0] = 3;
    p->blockshape[1] = 6;
    p->codec = s->codec;
    p->filters[4] = TESS_FILTER_DELTA;
    p->metalayers = &layer;
    p->nmetalayers = 1;
}

// The list is copied into each array; nobody calls these.
static tess_status
decompress(const tess_block *block, const void *src, size_t size, void *dst, size_t dst_size)
{
    (void)block, (void)src, (void)size, (void)dst, (void)dst_size;
    return TESS_ERR_CORRUPT;
}

static tess_status
backward(const tess_block *block, const void *src, void *dst, size_t size)
{
    (void)block, (void)src, (void)dst, (void)size;
    return TESS_ERR_CORRUPT;
}

static const tess_user_codec codec = {
    .struct_size = sizeof(tess_user_codec), .id = 200, .name = "none", .decompress = decompress};
static const tess_user_filter filter = {
    .struct_size = sizeof(tess_user_filter), .id = 200, .name = "none", .backward = backward};
static const tess_plugins plugins = {&codec, 1, &filter, 1};

static tess_storage
storage_for(const struct subject *s, tess_mode mode)
{
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = s->path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    storage.plugins = &plugins;
    if (!s->path) {
        storage.image = s->image;
        storage.image_size = s->image_size;
    }
    return storage;
}

static void
number(struct reference *r, int64_t first)
{
    const int64_t n = reference_nitems(r->ndim, r->shape);

    for (int64_t i = 0; i < n; i++) {
        const double value = (double)(first + i * i % 1009);
        memcpy(r->data + 8 * i, &value, 8);
    }
}

static void
check_layers(const struct subject *s)
{
    tess_metalayer got;
    void *content = NULL;
    size_t size = 0;

    ok(tess_meta_get(s->a, "meta", &got, err));
    assert_int_equal(got.size, 3);
    assert_memory_equal(got.content, s->meta, 3);
    for (int i = 0; tess_vlmeta_name(s->a, i); i++) // the library's own is not shown
        assert_string_not_equal(tess_vlmeta_name(s->a, i), "_tess");
    if (!s->vl) {
        assert_null(tess_vlmeta_name(s->a, 0));
        return;
    }
    ok(tess_vlmeta_get(s->a, "vl", &content, &size, err));
    assert_int_equal(size, strlen(s->vl));
    assert_memory_equal(content, s->vl, size);
    tess_free(content);
}

// The array as described, there and to those who open the file. Works with an array that is ended.
static void
check_subject(const struct subject *s)
{
    if (s->a) {
        check_array(s->a, &s->reference);
        check_layers(s);
    } else if (s->path && s->reference.data) {
        check_file(s->path, &s->reference);
    }
}

// An array that was committed, in s->path or s->image, and is open for writing.
static void
prepare(struct subject *s)
{
    tess_params params;
    const void *image = NULL;

    params_for(s, &params);
    const tess_storage storage = storage_for(s, TESS_MODE_REPLACE);
    reference_init(&s->reference, 2, params.shape, 8);
    number(&s->reference, 3);
    s->meta = "old";
    s->vl = "first";
    ok(tess_array_from(&storage, &params, s->reference.data, reference_size(&s->reference), &s->a,
                       err));
    ok(tess_vlmeta_set(s->a, "vl", "first", 5, err));
    ok(tess_array_flush(s->a, err));
    if (!s->path) {
        ok(tess_array_image(s->a, &image, &s->image_size, err));
        s->image = malloc(s->image_size);
        assert_non_null(s->image);
        memcpy(s->image, image, s->image_size);
    }
}

static void
finish(struct subject *s)
{
    tess_array_discard(s->a);
    s->a = NULL;
    reference_finish(&s->reference);
    free(s->image);
    s->image = NULL;
    s->image_size = 0;
    if (s->path)
        (void)remove(s->path);
}

// -- the steps: the call, and what it means for the reference

struct step {
    const char *name;
    void (*before)(struct subject *s); // prepares more; may be NULL
    tess_status (*call)(struct subject *s, tess_error *err);
    void (*model)(struct subject *s); // may be NULL: nothing changes
};

static const int64_t part_start[2] = {5, 4};
static const int64_t part_stop[2] = {17, 13};
static double part[12 * 9];
static double layers[19 * 5];

static void
end_array(struct subject *s)
{
    ok(tess_array_close(s->a, err));
    s->a = NULL;
}

static void
end_everything(struct subject *s)
{
    end_array(s);
    if (s->path)
        assert_int_equal(remove(s->path), 0);
    reference_finish(&s->reference);
    s->vl = NULL;
}

static void
model_items(struct subject *s, int first)
{
    const int64_t shape[2] = {19, 13};

    reference_init(&s->reference, 2, shape, 8);
    if (first > 0)
        number(&s->reference, first);
}

// Another array, in memory, whose chunks have dictionaries: made, changed in part, read.
static tess_status
call_dictionary(struct subject *s, tess_error *err)
{
    enum { SIZE = 16384 };
    static uint8_t text[SIZE + 16], back[SIZE];
    const int64_t start = 0, stop = SIZE, middle[2] = {300, 700};
    tess_storage storage;
    tess_params params;
    tess_chunk_info chunk;
    tess_array *a;

    for (int i = 0; i < SIZE; i += 16)
        (void)snprintf((char *)text + i, 17, "line %3u is %3u\n", (unsigned)i % 37,
                       (unsigned)i * 7 % 91);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = SIZE;
    params.chunkshape[0] = SIZE / 2;
    params.blockshape[0] = 128;
    params.codec = s->codec == TESS_CODEC_ZSTD ? TESS_CODEC_ZSTD : TESS_CODEC_LZ4;
    params.dictionary = true;
    tess_status st = tess_array_from(&storage, &params, text, SIZE, &a, err);
    if (st != TESS_OK)
        return st;
    st = tess_array_chunk(a, 0, &chunk, err);
    if (st == TESS_OK)
        assert_true(chunk.dictionary_size > 0);
    if (st == TESS_OK)
        st = tess_array_write(a, &middle[0], &middle[1], text + 300, 400, err);
    if (st == TESS_OK)
        st = tess_array_read(a, &start, &stop, back, SIZE, err);
    if (st == TESS_OK)
        assert_memory_equal(back, text, SIZE);
    tess_array_discard(a);
    return st;
}

static tess_status
call_zeros(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_NEW);
    tess_params params;

    params_for(s, &params);
    return tess_array_zeros(&storage, &params, &s->a, err);
}

static void
model_zeros(struct subject *s)
{
    model_items(s, 0);
}

static tess_status
call_nan(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_REPLACE);
    tess_params params;

    params_for(s, &params);
    return tess_array_nan(&storage, &params, &s->a, err);
}

static void
model_nan(struct subject *s)
{
    static const uint8_t nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};

    model_items(s, 0);
    reference_fill(&s->reference, nan);
}

static tess_status
call_full(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_NEW);
    tess_params params;

    params_for(s, &params);
    return tess_array_full(&storage, &params, "12345678", 8, &s->a, err);
}

static void
model_full(struct subject *s)
{
    model_items(s, 0);
    reference_fill(&s->reference, "12345678");
}

static double from_items[19 * 13];

static tess_status
call_from(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_NEW);
    tess_params params;

    params_for(s, &params);
    return tess_array_from(&storage, &params, from_items, sizeof from_items, &s->a, err);
}

static void
model_from(struct subject *s)
{
    model_items(s, 0);
    memcpy(s->reference.data, from_items, sizeof from_items);
}

static tess_status
call_open(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_UPDATE);

    return tess_array_open(&storage, &s->a, err);
}

static tess_status
call_open_to_read(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_READ);

    return tess_array_open(&storage, &s->a, err);
}

// Dirty blocks are written back, and the cache is another one.
static tess_status
call_set_context(struct subject *s, tess_error *err)
{
    tess_context context, before;
    tess_array_get_context(s->a, &before);
    context = before;
    context.cache = before.cache == 100000 ? 200000 : 100000;
    const tess_status st = tess_array_set_context(s->a, &context, err);

    disarm();
    tess_array_get_context(s->a, &context);
    assert_true((context.cache == before.cache) == (st != TESS_OK));
    return st;
}

static tess_status
call_read(struct subject *s, tess_error *err)
{
    uint8_t got[sizeof part];
    uint8_t want[sizeof part];
    const tess_status st = tess_array_read(s->a, part_start, part_stop, got, sizeof got, err);

    reference_get(&s->reference, part_start, part_stop, want);
    if (st == TESS_OK)
        assert_memory_equal(got, want, sizeof want);
    return st;
}

static tess_status
call_chunk(struct subject *s, tess_error *err)
{
    tess_chunk_info info;
    const tess_status st = tess_array_chunk(s->a, 1, &info, err);

    if (st == TESS_OK)
        assert_int_equal(info.kind, TESS_CHUNK_BLOCKS);
    return st;
}

static tess_status
call_chunk_blocks(struct subject *s, tess_error *err)
{
    int32_t sizes[3] = {0};
    const tess_status st = tess_array_chunk_blocks(s->a, 1, sizes, 3, err);

    if (st == TESS_OK)
        assert_int_equal(sizes[2], 3 * 6 * 8);
    return st;
}

static tess_status
call_write(struct subject *s, tess_error *err)
{
    return tess_array_write(s->a, part_start, part_stop, part, sizeof part, err);
}

static void
model_write(struct subject *s)
{
    reference_set(&s->reference, part_start, part_stop, part);
}

// The same box, as lists of its indices, as points, and as boxes of three rows.
static struct {
    int64_t counts[2];
    int64_t list[2][12];
    int64_t coords[12 * 9][2];
    int64_t boxes[4][2];
} chosen;

static void
choose_part(void)
{
    for (int axis = 0; axis < 2; axis++) {
        chosen.counts[axis] = part_stop[axis] - part_start[axis];
        for (int64_t i = 0; i < chosen.counts[axis]; i++)
            chosen.list[axis][i] = part_start[axis] + i;
    }
    for (int64_t k = 0; k < 12 * 9; k++) {
        chosen.coords[k][0] = part_start[0] + k / 9;
        chosen.coords[k][1] = part_start[1] + k % 9;
    }
    for (int64_t k = 0; k < 4; k++) {
        chosen.boxes[k][0] = part_start[0] + 3 * k;
        chosen.boxes[k][1] = part_start[1];
    }
}

static tess_status
call_get_points(struct subject *s, tess_error *err)
{
    uint8_t got[sizeof part], want[sizeof part];

    choose_part();
    const tess_status st =
        tess_array_get_points(s->a, 12 * 9, &chosen.coords[0][0], got, sizeof got, err);
    reference_get(&s->reference, part_start, part_stop, want);
    if (st == TESS_OK)
        assert_memory_equal(got, want, sizeof want);
    return st;
}

static tess_status
call_get_orthogonal(struct subject *s, tess_error *err)
{
    const int64_t *const lists[] = {chosen.list[0], chosen.list[1]};
    uint8_t got[sizeof part], want[sizeof part];

    choose_part();
    const tess_status st =
        tess_array_get_orthogonal(s->a, chosen.counts, lists, got, sizeof got, err);
    reference_get(&s->reference, part_start, part_stop, want);
    if (st == TESS_OK)
        assert_memory_equal(got, want, sizeof want);
    return st;
}

// The part as boxes of three rows; and a box that begins above the array, all of it mirrored.
static tess_status
call_get_boxes(struct subject *s, tess_error *err)
{
    const int64_t shape[] = {3, 9}, all[] = {5, 13}, above[] = {-2, 0};
    const int64_t first[] = {0, 0}, stop[] = {3, 13};
    uint8_t got[sizeof part], want[sizeof part];
    tess_boxes_options options;

    choose_part();
    reference_get(&s->reference, part_start, part_stop, want);
    tess_status st =
        tess_array_get_boxes(s->a, 4, chosen.boxes[0], shape, NULL, got, sizeof got, err);
    if (st != TESS_OK)
        return st;
    assert_memory_equal(got, want, sizeof want);
    tess_boxes_options_init(&options);
    options.edge = TESS_EDGE_MIRROR;
    st = tess_array_get_boxes(s->a, 1, above, all, &options, got, sizeof got, err);
    reference_get(&s->reference, first, stop, want);
    if (st == TESS_OK) {
        assert_memory_equal(got + 2 * 13 * 8, want, 3 * 13 * 8);
        assert_memory_equal(got, want + 2 * 13 * 8, 13 * 8);
    }
    if (st != TESS_OK)
        return st;
    options.edge = TESS_EDGE_FILL;
    return tess_array_get_boxes(s->a, 1, above, all, &options, got, sizeof got, err);
}

static tess_status
call_set_boxes(struct subject *s, tess_error *err)
{
    const int64_t shape[] = {3, 9};

    choose_part();
    return tess_array_set_boxes(s->a, 4, chosen.boxes[0], shape, part, sizeof part, err);
}

static tess_status
call_set_points(struct subject *s, tess_error *err)
{
    choose_part();
    return tess_array_set_points(s->a, 12 * 9, &chosen.coords[0][0], part, sizeof part, err);
}

// Zeros, which leave all items as they are.
static tess_status
call_add_points(struct subject *s, tess_error *err)
{
    const double zero = 0;
    choose_part();
    return tess_array_add_points(s->a, 12 * 9, &chosen.coords[0][0], &zero, sizeof zero, NULL, err);
}

static tess_status
call_set_orthogonal(struct subject *s, tess_error *err)
{
    const int64_t *const lists[] = {chosen.list[0], chosen.list[1]};

    choose_part();
    return tess_array_set_orthogonal(s->a, chosen.counts, lists, part, sizeof part, err);
}

// What the parts of an array hold, as one box.
static tess_each_next
copy_part(const tess_part *copied, void *user)
{
    double *const to = user;
    for (int64_t i = 0; i < copied->stop[0] - copied->start[0]; i++)
        memcpy(to + (copied->start[0] + i) * 13 + copied->start[1],
               (const uint8_t *)copied->items + i * copied->strides[0],
               (size_t)(copied->stop[1] - copied->start[1]) * sizeof *to);
    return TESS_EACH_NEXT;
}

static tess_status
each(struct subject *s, tess_unit unit, tess_error *err)
{
    double got[19 * 13];
    const tess_status st = tess_array_each(s->a, unit, NULL, NULL, copy_part, got, err);
    if (st == TESS_OK)
        assert_memory_equal(got, s->reference.data, sizeof got);
    return st;
}

static tess_status
call_each_block(struct subject *s, tess_error *err)
{
    return each(s, TESS_BLOCKS, err);
}

static tess_status
call_each_chunk(struct subject *s, tess_error *err)
{
    return each(s, TESS_CHUNKS, err);
}

static tess_each_next
set_part(const tess_part *set, void *items, void *user)
{
    (void)user;
    for (int64_t i = 0; i < set->stop[0] - set->start[0]; i++)
        memcpy((uint8_t *)items + i * set->strides[0],
               from_items + (set->start[0] + i) * 13 + set->start[1],
               (size_t)(set->stop[1] - set->start[1]) * sizeof *from_items);
    return TESS_EACH_CHANGED;
}

static tess_status
call_change_blocks(struct subject *s, tess_error *err)
{
    return tess_array_change(s->a, TESS_BLOCKS, NULL, NULL, set_part, NULL, err);
}

static tess_status
call_change_chunks(struct subject *s, tess_error *err)
{
    return tess_array_change(s->a, TESS_CHUNKS, NULL, NULL, set_part, NULL, err);
}

static tess_status
call_statistics(struct subject *s, tess_error *err)
{
    tess_statistics found;
    const tess_status st = tess_array_statistics(s->a, NULL, NULL, &found, err);
    if (st == TESS_OK)
        assert_int_equal(found.count, 19 * 13);
    return st;
}

static tess_status
call_histogram(struct subject *s, tess_error *err)
{
    int64_t counts[7], sum = 0;
    tess_outside outside;
    tess_bins bins;
    tess_bins_init(&bins);
    bins.nbins = 7;
    bins.hi = 100;
    const tess_status st =
        tess_array_histogram(s->a, NULL, NULL, &bins, counts, sizeof counts, &outside, err);
    for (int i = 0; i < 7 && st == TESS_OK; i++)
        sum += counts[i];
    if (st == TESS_OK)
        assert_int_equal(sum + outside.below + outside.above + outside.nan, 19 * 13);
    return st;
}

// Sums of rows, which are whole cells of a grain, and the variance of all, which is merged.
static tess_status
call_reduce(struct subject *s, tess_error *err)
{
    const int rows[] = {1};
    tess_storage storage;
    tess_array *out;
    tess_info info;
    tess_storage_init(&storage);
    tess_status st =
        tess_array_reduce(s->a, TESS_REDUCE_SUM, rows, 1, NULL, &storage, NULL, &out, err);
    if (st != TESS_OK)
        return st;
    tess_array_info(out, &info);
    assert_int_equal(info.nitems, 19);
    tess_array_discard(out);
    st = tess_array_reduce(s->a, TESS_REDUCE_VAR, NULL, 0, NULL, &storage, NULL, &out, err);
    if (st == TESS_OK)
        tess_array_discard(out);
    return st;
}

static tess_each_next
set_map_part(const tess_map_part *set, void *user)
{
    double *to = set->outputs[0];
    (void)user;
    for (int64_t i = set->start[0]; i < set->stop[0]; i++) {
        memcpy(to, from_items + i * 13 + set->start[1],
               (size_t)(set->stop[1] - set->start[1]) * sizeof *to);
        to += set->stop[1] - set->start[1];
    }
    return TESS_EACH_NEXT;
}

// In place, with a halo, another type, and a row that stays in memory.
static tess_status
call_map(struct subject *s, tess_error *err)
{
    const int64_t start[] = {2, 0}, stop[] = {3, 13}, halo[] = {1, 1};
    const char *const dtypes[] = {"<f4", NULL};
    const tess_array *inputs[2] = {s->a};
    tess_map_options options;
    tess_array *row;
    tess_status st = tess_array_view_slice(s->a, start, stop, NULL, &row, err);
    if (st != TESS_OK)
        return st;
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_NEAREST;
    options.input_dtypes = dtypes;
    inputs[1] = row;
    st = tess_map(inputs, 2, &s->a, 1, NULL, NULL, &options, set_map_part, NULL, err);
    tess_array_discard(row);
    return st;
}

static tess_status
call_compare(struct subject *s, tess_error *err)
{
    const tess_number one = {.kind = TESS_KIND_INT, .i = 1};
    tess_storage storage;
    tess_array *mask, *other;
    tess_storage_init(&storage);
    tess_status st = tess_array_compare(s->a, TESS_COMPARE_LE, &one, &storage, NULL, &mask, err);
    if (st != TESS_OK)
        return st;
    st = tess_array_logic(s->a, TESS_LOGIC_XOR, mask, &storage, NULL, &other, err);
    if (st == TESS_OK)
        tess_array_discard(other);
    tess_array_discard(mask);
    return st;
}

static tess_status
call_downsample(struct subject *s, tess_error *err)
{
    const int64_t factors[] = {3, 2};
    const tess_downsampling ops[] = {TESS_DOWNSAMPLE_MEAN, TESS_DOWNSAMPLE_NEAREST,
                                     TESS_DOWNSAMPLE_MODE};
    tess_status st = TESS_OK;
    tess_storage storage;
    tess_storage_init(&storage);
    for (int i = 0; i < 3 && st == TESS_OK; i++) {
        tess_array *out;
        st = tess_array_downsample(s->a, ops[i], factors, NULL, &storage, NULL, &out, err);
        if (st == TESS_OK)
            tess_array_discard(out);
    }
    return st;
}

static tess_status
call_pyramid(struct subject *s, tess_error *err)
{
    const tess_storage *storages[2];
    tess_array *levels[2];
    tess_storage storage;
    tess_storage_init(&storage);
    storages[0] = storages[1] = &storage;
    const tess_status st =
        tess_array_pyramid(s->a, TESS_DOWNSAMPLE_MAX, NULL, NULL, storages, 2, NULL, levels, err);
    for (int i = 0; i < 2; i++) {
        assert_true((levels[i] != NULL) == (st == TESS_OK));
        tess_array_discard(levels[i]);
    }
    return st;
}

// The same box, from its last row up and its last column, and in memory the other way round.
static const int64_t slice_start[2] = {16, 12}, slice_stop[2] = {4, 3}, slice_step[2] = {-1, -1};
static const int64_t slice_strides[2] = {-9 * 8, -8};

static tess_status
call_get_slice(struct subject *s, tess_error *err)
{
    uint8_t got[sizeof part], want[sizeof part];
    const tess_status st = tess_array_get_slice(s->a, slice_start, slice_stop, slice_step,
                                                got + sizeof got - 8, 8, slice_strides, err);

    reference_get(&s->reference, part_start, part_stop, want);
    if (st == TESS_OK)
        assert_memory_equal(got, want, sizeof want);
    return st;
}

static tess_status
call_set_slice(struct subject *s, tess_error *err)
{
    return tess_array_set_slice(s->a, slice_start, slice_stop, slice_step,
                                &part[sizeof part / sizeof *part - 1], sizeof *part, slice_strides,
                                err);
}

// The part as integers, which its items are; a mistake in one of them is found before a write.
static tess_status
call_read_as(struct subject *s, tess_error *err)
{
    double want[sizeof part / sizeof *part];
    int64_t got[sizeof part / sizeof *part];
    tess_conversion how;

    reference_get(&s->reference, part_start, part_stop, want);
    tess_conversion_init(&how);
    how.misfit = TESS_MISFIT_WRAP;
    const tess_status st = tess_array_read_as(s->a, part_start, part_stop, TESS_DTYPE_I64, &how,
                                              got, sizeof got, NULL, err);
    for (size_t i = 0; st == TESS_OK && i < sizeof part / sizeof *part; i++)
        assert_int_equal(got[i], (int64_t)want[i]);
    return st;
}

static tess_status
call_write_as(struct subject *s, tess_error *err)
{
    float items[sizeof part / sizeof *part];
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        items[i] = (float)part[i];
    return tess_array_write_as(s->a, part_start, part_stop, TESS_DTYPE_F32, NULL, items,
                               sizeof items, NULL, err);
}

// Chunk by chunk, as stored, into an array of the same kind.
static tess_status
call_move_chunks(struct subject *s, tess_error *err)
{
    tess_storage storage;
    tess_params params;
    tess_chunk_run run;
    tess_array *to = NULL;
    double item, got[19 * 13];

    params_for(s, &params);
    tess_storage_init(&storage);
    tess_status st = tess_array_zeros(&storage, &params, &to, err);
    tess_chunk_run_init(&run);
    run.item = &item;
    run.item_size = sizeof item;
    while (st == TESS_OK) {
        void *chunk = NULL;
        size_t size;
        st = tess_array_next_chunk(s->a, NULL, NULL, run.last + 1, TESS_KINDS_ALL, &run, err);
        if (st != TESS_OK || run.number < 0)
            break;
        st = tess_array_get_chunk(s->a, run.number, &chunk, &size, err);
        if (st == TESS_OK)
            st = tess_array_set_chunk(to, run.number, chunk, size, TESS_CHUNK_UNTRUSTED, err);
        tess_free(chunk);
    }
    if (st == TESS_OK)
        st = tess_array_read(to, origin, params.shape, got, sizeof got, err);
    if (st == TESS_OK)
        assert_memory_equal(got, s->reference.data, sizeof got);
    tess_array_discard(to);
    return st;
}

// A chunk of the array becomes another one; made in memory, and looked at there.
static tess_status
call_set_chunk(struct subject *s, tess_error *err)
{
    double items[64 * 64];
    uint8_t chunk[sizeof items], back[sizeof items];
    tess_params params;
    tess_chunk_info info;
    tess_info all;
    size_t size;

    tess_array_info(s->a, &all);
    params_for(s, &params);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        items[i] = 5;
    for (int i = 0; i < 2; i++)
        params.blockshape[i] = all.blockshape[i];
    tess_status st =
        tess_chunk_encode(&params, items, (size_t)all.chunksize, chunk, sizeof chunk, &size, err);
    if (st == TESS_OK)
        st = tess_chunk_describe(chunk, size, &info, err);
    if (st == TESS_OK)
        st = tess_chunk_decode(chunk, size, back, sizeof back, err);
    if (st == TESS_OK)
        st = tess_chunk_decode_items(chunk, size, 8, 3, 9, back, sizeof back, err);
    return st == TESS_OK ? tess_array_set_chunk(s->a, 0, chunk, size, TESS_CHUNK_UNTRUSTED, err)
                         : st;
}

static void
model_set_chunk(struct subject *s)
{
    static const int64_t start[2] = {0, 0};
    double items[64 * 64];
    tess_info all;
    int64_t stop[2];

    tess_array_info(s->a, &all);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        items[i] = 5;
    for (int i = 0; i < 2; i++)
        stop[i] = all.chunkshape[i] < all.shape[i] ? all.chunkshape[i] : all.shape[i];
    reference_set(&s->reference, start, stop, items);
}

static tess_status
copy_block(const tess_block *block, const void *src, void *dst, size_t size)
{
    (void)block;
    memcpy(dst, src, size);
    return TESS_OK;
}

// Chunks alone: with threads, a plugin and dictionaries, and of blocks that differ in size.
static tess_status
call_chunk_options(struct subject *s, tess_error *err)
{
    enum { SIZE = 1 << 20, BLOCKS = 3 };
    static const tess_user_filter copying = {.struct_size = sizeof copying,
                                             .id = 200,
                                             .name = "copy",
                                             .forward = copy_block,
                                             .backward = copy_block};
    static const tess_plugins only = {.filters = &copying, .nfilters = 1};
    static const int32_t sizes[BLOCKS] = {SIZE / 2, SIZE / 4, SIZE / 4};
    static uint8_t items[SIZE], back[SIZE], chunk[SIZE + 1000];
    tess_context context;
    tess_chunk_options options;
    tess_params params;
    size_t size;

    (void)s;
    for (size_t i = 0; i < SIZE; i++)
        items[i] = (uint8_t)(i / 8 * 2654435761u >> 24);
    tess_context_init(&context);
    context.threads = 2;
    tess_chunk_options_init(&options);
    options.context = &context;
    options.plugins = &only;
    tess_params_init(&params);
    params.typesize = 8;
    params.codec = TESS_CODEC_ZSTD;
    params.clevel = 1;
    params.dictionary = true;
    params.filters[0] = 200;
    params.ndim = 1;
    params.blockshape[0] = 1 << 12;
    tess_status st =
        tess_chunk_encode_with(&params, &options, items, SIZE, chunk, sizeof chunk, &size, err);
    if (st == TESS_OK)
        st = tess_chunk_decode_with(chunk, size, &options, back, SIZE, err);
    if (st == TESS_OK) {
        assert_memory_equal(back, items, SIZE);
        st = tess_chunk_decode_items_with(chunk, size, &options, 8, 5, 9, back, SIZE, err);
    }
    if (st == TESS_OK)
        st = tess_chunk_encode_blocks(&params, &options, items, SIZE, sizes, BLOCKS, chunk,
                                      sizeof chunk, &size, err);
    return st == TESS_OK ? tess_chunk_decode_with(chunk, size, &options, back, SIZE, err) : st;
}

static const int64_t third[2] = {3, 2};

static tess_status
call_set_steps(struct subject *s, tess_error *err)
{
    return tess_array_set_slice(s->a, part_start, part_stop, third, part, sizeof part, NULL, err);
}

static void
model_set_steps(struct subject *s)
{
    const double *from = part;

    for (int64_t i = part_start[0]; i < part_stop[0]; i += third[0])
        for (int64_t j = part_start[1]; j < part_stop[1]; j += third[1])
            memcpy(s->reference.data + 8 * (i * 13 + j), from++, 8);
}

// Whole chunks among others.
static tess_status
call_fill(struct subject *s, tess_error *err)
{
    return tess_array_fill(s->a, origin, part_stop, NULL, "12345678", 8, err);
}

static void
model_fill(struct subject *s)
{
    for (int64_t i = 0; i < part_stop[0]; i++)
        for (int64_t j = 0; j < part_stop[1]; j++)
            memcpy(s->reference.data + 8 * (i * 13 + j), "12345678", 8);
}

// The box as a view of a view, turned around twice: what is read is what is there.
static tess_status
see_part(struct subject *s, tess_array **view, tess_error *err)
{
    tess_array *all, *transposed = NULL, *turned = NULL;
    const int64_t start[2] = {part_start[1], part_start[0]};
    const int64_t stop[2] = {part_stop[1], part_stop[0]};

    *view = NULL;
    tess_status st = tess_array_view_read_only(s->a, &all, err);
    tess_array_discard(all);
    if (st == TESS_OK)
        st = tess_array_view_permute(s->a, NULL, &transposed, err);
    if (st == TESS_OK)
        st = tess_array_view_slice(transposed, start, stop, NULL, &turned, err);
    if (st == TESS_OK)
        st = tess_array_view_permute(turned, NULL, view, err);
    tess_array_discard(turned); // ends the view, and nothing else
    tess_array_discard(transposed);
    return st;
}

static const int64_t part_shape[2] = {12, 9};

static tess_status
call_read_view(struct subject *s, tess_error *err)
{
    uint8_t got[sizeof part], want[sizeof part];
    tess_array *view;
    tess_status st = see_part(s, &view, err);

    if (st == TESS_OK)
        st = tess_array_read(view, origin, part_shape, got, sizeof got, err);
    reference_get(&s->reference, part_start, part_stop, want);
    if (st == TESS_OK)
        assert_memory_equal(got, want, sizeof want);
    tess_array_discard(view);
    return st;
}

static tess_status
call_write_view(struct subject *s, tess_error *err)
{
    tess_array *view;
    tess_status st = see_part(s, &view, err);

    if (st == TESS_OK)
        st = tess_array_write(view, origin, part_shape, part, sizeof part, err);
    tess_array_discard(view);
    return st;
}

// A resize that fails leaves views as they are.
static tess_status
call_shrink_under_view(struct subject *s, tess_error *err)
{
    static const int64_t less[2] = {9, 11};
    tess_array *view;
    double first;
    tess_status st = see_part(s, &view, err);
    const bool seen = st == TESS_OK;

    if (seen)
        st = tess_array_resize(s->a, less, err);
    disarm();
    if (seen)
        assert_int_equal(tess_array_get_points(view, 1, origin, &first, sizeof first, NULL),
                         st == TESS_OK ? TESS_ERR_STALE : TESS_OK);
    tess_array_discard(view);
    return st;
}

static tess_status
call_write_all(struct subject *s, tess_error *err)
{
    return tess_array_write(s->a, origin, s->reference.shape, from_items, sizeof from_items, err);
}

static void
model_write_all(struct subject *s)
{
    memcpy(s->reference.data, from_items, sizeof from_items);
}

static const int64_t grown[2] = {23, 20};
static const int64_t shrunk[2] = {9, 11};
static const int64_t nothing[2] = {0, 13};

static tess_status
call_grow(struct subject *s, tess_error *err)
{
    return tess_array_resize(s->a, grown, err);
}

static void
model_grow(struct subject *s)
{
    reference_resize(&s->reference, grown);
}

static tess_status
call_shrink(struct subject *s, tess_error *err)
{
    return tess_array_resize(s->a, shrunk, err);
}

static void
model_shrink(struct subject *s)
{
    reference_resize(&s->reference, shrunk);
}

static tess_status
call_empty(struct subject *s, tess_error *err)
{
    return tess_array_resize(s->a, nothing, err);
}

static void
model_empty(struct subject *s)
{
    reference_resize(&s->reference, nothing);
}

static tess_status
call_append(struct subject *s, tess_error *err)
{
    return tess_array_append(s->a, 1, 5, layers, sizeof layers, NULL, err);
}

static void
model_append(struct subject *s)
{
    reference_append(&s->reference, 1, 5, layers);
}

// The same layers as a box of a larger array.
static tess_status
call_resize_write(struct subject *s, tess_error *err)
{
    const int64_t shape[2] = {21, 18}, start[2] = {0, 13}, stop[2] = {19, 18};
    const int64_t strides[2] = {5 * 8, 8};
    return tess_array_resize_write(s->a, shape, start, stop, layers, sizeof layers, strides, err);
}

static void
model_resize_write(struct subject *s)
{
    const int64_t shape[2] = {21, 18}, start[2] = {0, 13}, stop[2] = {19, 18};
    reference_resize(&s->reference, shape);
    reference_set(&s->reference, start, stop, layers);
}

static tess_status
call_items(struct subject *s, tess_error *err)
{
    const int64_t index[2] = {7, 11};
    double item;
    tess_status st = tess_array_get_item(s->a, index, &item, sizeof item, err);
    if (st != TESS_OK)
        return st;
    assert_memory_equal(&item, s->reference.data + (7 * 13 + 11) * 8, sizeof item);
    return tess_array_set_item(s->a, index, &layers[3], sizeof *layers, err);
}

static void
model_items_set(struct subject *s)
{
    memcpy(s->reference.data + (7 * 13 + 11) * 8, &layers[3], sizeof *layers);
}

static tess_status
call_insert(struct subject *s, tess_error *err)
{
    return tess_array_insert(s->a, 1, 4, 5, layers, sizeof layers, NULL, err);
}

static void
model_insert(struct subject *s)
{
    reference_insert(&s->reference, 1, 4, 5, layers);
}

static tess_status
call_delete(struct subject *s, tess_error *err)
{
    return tess_array_delete(s->a, 0, 2, 7, err);
}

static void
model_delete(struct subject *s)
{
    reference_delete(&s->reference, 0, 2, 5);
}

// One axis shorter, one longer, neither at its end.
static tess_status
call_resize_at(struct subject *s, tess_error *err)
{
    const int64_t *const n = s->reference.shape;

    return tess_array_resize_at(s->a, (const int64_t[]){n[0] - 3, n[1] + 4},
                                (const int64_t[]){1, 2}, err);
}

static void
model_resize_at(struct subject *s)
{
    reference_delete(&s->reference, 0, 1, 3);
    reference_insert(&s->reference, 1, 2, 4, NULL);
}

static tess_status
call_append_array(struct subject *s, tess_error *err)
{
    return tess_array_append_array(s->a, 0, s->a, err);
}

static void
model_append_array(struct subject *s)
{
    struct reference itself;

    reference_copy(&itself, &s->reference);
    reference_append(&s->reference, 0, itself.shape[0], itself.data);
    reference_finish(&itself);
}

static tess_status
call_flush(struct subject *s, tess_error *err)
{
    return tess_array_flush(s->a, err);
}

// Changes of every kind that are not committed yet, and what they amount to.
static void
change(struct subject *s)
{
    ok(call_write(s, err));
    model_write(s);
    ok(call_append(s, err));
    model_append(s);
    ok(tess_vlmeta_set(s->a, "vl", "changed", 7, err));
    s->vl = "changed";
}

// A reader of the state before. In memory it has no other.
static tess_array *follower;

static void
follow(struct subject *s)
{
    const tess_storage storage = storage_for(s, TESS_MODE_READ);
    ok(tess_array_open(&storage, &follower, err));
    if (!s->path)
        return;
    change(s);
    ok(tess_array_flush(s->a, err));
}

static void
end_follower(const struct subject *s)
{
    check_array(follower, &s->reference);
    ok(tess_array_close(follower, err));
}

static tess_status
call_refresh(struct subject *s, tess_error *err)
{
    bool changed = true;
    const tess_status st = tess_array_refresh(follower, &changed, err);

    disarm();
    assert_int_equal(changed, st == TESS_OK && s->path);
    if (st == TESS_OK)
        end_follower(s);
    return st;
}

static void
shrink_to_nothing(struct subject *s)
{
    ok(call_empty(s, err));
    model_empty(s);
}

static tess_status
call_image(struct subject *s, tess_error *err)
{
    const void *image = NULL;
    size_t size = 0;
    const tess_status st = tess_array_image(s->a, &image, &size, err);

    disarm();
    if (st == TESS_OK) {
        files_write(files_path("image"), image, size);
        check_file(files_path("image"), &s->reference);
        assert_int_equal(remove(files_path("image")), 0);
    }
    return st;
}

static tess_status
save(struct subject *s, tess_layout layout, tess_error *err)
{
    tess_storage storage = storage_for(s, TESS_MODE_REPLACE);

    storage.path = files_path("saved");
    const tess_status st = tess_array_save(s->a, &storage, layout, err);
    disarm();
    if (st == TESS_OK) {
        check_file(storage.path, &s->reference);
        files_remove(storage.path);
    }
    return st;
}

static tess_status
call_save(struct subject *s, tess_error *err)
{
    return save(s, TESS_LAYOUT_CONTIGUOUS, err);
}

static tess_status
call_save_sparse(struct subject *s, tess_error *err)
{
    return save(s, TESS_LAYOUT_SPARSE, err);
}

static tess_status
call_to_image(struct subject *s, tess_error *err)
{
    void *image = NULL;
    size_t size = 0;
    const tess_status st = tess_array_to_image(s->a, &image, &size, err);

    disarm();
    if (st == TESS_OK) {
        files_write(files_path("image"), image, size);
        check_file(files_path("image"), &s->reference);
        assert_int_equal(remove(files_path("image")), 0);
    } else {
        assert_null(image);
    }
    tess_free(image);
    return st;
}

static tess_status
call_measure(struct subject *s, tess_error *err)
{
    tess_info info;
    const tess_status st = tess_array_measure(s->a, &info, err);
    disarm();
    if (st == TESS_OK)
        assert_true(info.live > 0);
    return st;
}

static tess_status
call_propose(struct subject *s, tess_error *err)
{
    tess_params params, best;
    int count = 0;

    tess_array_params(s->a, &params);
    const tess_status st = tess_layout_propose(&params, NULL, 1, &best, NULL, &count, err);
    disarm();
    if (st == TESS_OK)
        assert_int_equal(count, 1);
    return st;
}

// An access that is measured as often in each run: once.
static tess_status
call_search(struct subject *s, tess_error *err)
{
    tess_access mix[TESS_MAX_ACCESSES];
    tess_tuner_options options;
    tess_tuner *tuner = NULL;

    tess_tuner_options_init(&options);
    options.accesses = mix;
    options.budget = 0;
    tess_status st = tess_access_parse("write", s->reference.ndim, s->reference.shape, mix,
                                       TESS_MAX_ACCESSES, &options.naccesses, err);
    if (st == TESS_OK)
        st = tess_tuner_open(s->a, NULL, &options, &tuner, err);
    if (st == TESS_OK)
        st = tess_tuner_search(tuner, err);
    disarm();
    assert_int_equal(tess_tuner_find(tuner, TESS_ROLE_BEST) >= 0, st == TESS_OK);
    tess_tuner_close(tuner);
    return st;
}

// A lack of memory is no damage.
static tess_status
call_verify(struct subject *s, tess_error *err)
{
    tess_verdict verdict;
    const tess_status st = tess_array_verify(s->a, NULL, NULL, &verdict, err);
    disarm();
    if (st == TESS_OK)
        assert_true(verdict.ndamaged == 0 && verdict.nmetalayers == 0 && verdict.nright > 0);
    return st;
}

static tess_status
call_sketch(struct subject *s, tess_error *err)
{
    void *image = NULL;
    size_t size = 0;
    const tess_status st = tess_array_sketch(s->a, &image, &size, err);
    disarm();
    assert_int_equal(image != NULL, st == TESS_OK);
    tess_free(image);
    return st;
}

static struct {
    tess_array *sketch;
    double items[19 * 13]; // of all the array, other ones
    void *bytes;
    size_t size;
} packet;

static void
open_sketch(struct subject *s)
{
    tess_storage storage = storage_for(s, TESS_MODE_UPDATE);
    void *image;
    ok(tess_array_sketch(s->a, &image, &storage.image_size, err));
    storage.path = NULL;
    storage.image = image;
    ok(tess_array_open(&storage, &packet.sketch, err));
    tess_free(image);
    for (int64_t i = 0; i < 19 * 13; i++)
        packet.items[i] = (double)(77 + i * i % 1009);
}

static tess_status
encode(const struct subject *s, tess_error *err)
{
    return tess_packet_encode(packet.sketch, origin, s->reference.shape, packet.items,
                              sizeof packet.items, NULL, &packet.bytes, &packet.size, err);
}

static tess_status
call_encode(struct subject *s, tess_error *err)
{
    const tess_status st = encode(s, err);
    disarm();
    if (st != TESS_OK)
        return st;
    assert_int_equal(tess_array_close(packet.sketch, NULL), TESS_OK);
    tess_free(packet.bytes);
    return st;
}

static void
make_packet(struct subject *s)
{
    open_sketch(s);
    ok(encode(s, err));
    ok(tess_array_close(packet.sketch, err));
}

// Written to the file first, if there is one.
static tess_status
adopt_packet(struct subject *s, tess_adoption *ad, tess_error *err)
{
    void *placed = NULL;
    size_t size = 0;
    tess_lease lease;
    if (!s->path)
        return tess_adoption_add(ad, packet.bytes, packet.size, TESS_CHUNK_UNTRUSTED, err);
    tess_status st = tess_adoption_lease(ad, (int64_t)packet.size, &lease, err);
    if (st == TESS_OK)
        st = tess_packet_place(packet.bytes, packet.size, s->path, &lease, TESS_DURABILITY_NONE,
                               &placed, &size, err);
    if (st == TESS_OK)
        st = tess_adoption_add(ad, placed, size, TESS_CHUNK_UNTRUSTED, err);
    tess_free(placed);
    return st;
}

static tess_status
call_adopt(struct subject *s, tess_error *err)
{
    tess_adoption *ad;
    tess_status st = tess_adoption_begin(s->a, &ad, err);
    if (st == TESS_OK) {
        st = adopt_packet(s, ad, err);
        disarm();
        assert_int_equal(tess_adoption_end(ad, false, NULL), TESS_OK);
    }
    if (st == TESS_OK)
        tess_free(packet.bytes);
    return st;
}

static void
model_adopt(struct subject *s)
{
    number(&s->reference, 77);
}

// Compacted while nobody has it open, then opened. In memory it is opened.
static tess_status
call_compact(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_UPDATE);
    int64_t before, after;
    const tess_status st = s->path ? tess_compact(&storage, &before, &after, err) : TESS_OK;

    disarm();
    if (st == TESS_OK)
        assert_int_equal(call_open(s, NULL), TESS_OK);
    return st;
}

static tess_status
call_dims_set(struct subject *s, tess_error *err)
{
    return tess_dims_set(s->a, (const char *[]){"y", "x"}, err);
}

static void
name_dims(struct subject *s)
{
    ok(call_dims_set(s, err));
}

static tess_status
call_dims(struct subject *s, tess_error *err)
{
    const char **names;
    int axis = -1;
    tess_status st = tess_dims_get(s->a, &names, err);
    if (st == TESS_OK) {
        tess_free(names);
        st = tess_dims_find(s->a, "x", &axis, err);
    }
    assert_int_equal(axis, st == TESS_OK ? 1 : -1);
    return st;
}

// A copy of a view has names of its own.
static tess_status
call_dims_of_copy(struct subject *s, tess_error *err)
{
    tess_storage memory;
    tess_array *view = NULL, *copy = NULL;
    int axis;
    tess_storage_init(&memory);
    tess_status st = tess_array_view_permute(s->a, NULL, &view, err);
    if (st == TESS_OK)
        st = tess_array_copy(view, &memory, NULL, &copy, err);
    disarm();
    if (st == TESS_OK)
        assert_true(tess_dims_find(copy, "x", &axis, NULL) == TESS_OK && axis == 0);
    tess_array_discard(copy);
    tess_array_discard(view);
    return st;
}

// A column as the coordinate of the first axis, in the folder of the array.
static const char *
coord_path(const struct subject *s)
{
    static char path[400];
    (void)snprintf(path, sizeof path, "%.*s/y.b2nd", (int)(strrchr(s->path, '/') - s->path),
                   s->path);
    return path;
}

static void
make_coord(struct subject *s)
{
    double items[19];
    tess_storage storage;
    tess_params params;
    tess_array *a;
    name_dims(s);
    if (!s->path)
        return;
    tess_storage_init(&storage);
    storage.path = coord_path(s);
    storage.mode = TESS_MODE_REPLACE;
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    params.ndim = 1;
    params.shape[0] = 19;
    params.blockshape[0] = 4;
    for (int i = 0; i < 19; i++)
        items[i] = i;
    ok(tess_array_from(&storage, &params, items, sizeof items, &a, err));
    ok(tess_array_close(a, err));
}

static tess_status
call_coord(struct subject *s, tess_error *err)
{
    const tess_number x = {.kind = TESS_KIND_FLOAT, .f = 7.25};
    tess_array *coord = NULL;
    int64_t index, start, stop;
    tess_order order;
    if (!s->path)
        return TESS_OK;
    tess_status st = tess_coord_open(s->a, 0, NULL, &coord, err);
    if (st == TESS_OK)
        st = tess_coord_find(coord, &x, TESS_MATCH_NEAREST, &index, err);
    if (st == TESS_OK)
        st = tess_coord_range(coord, &x, NULL, &start, &stop, err);
    if (st == TESS_OK)
        st = tess_coord_order(coord, &order, err);
    disarm();
    if (st == TESS_OK)
        assert_true(index == 7 && start == 8 && stop == 19 && order == TESS_ORDER_RISING);
    tess_array_discard(coord);
    files_remove(coord_path(s));
    if (st != TESS_OK)
        make_coord(s); // it is called again
    return st;
}

// What is in the file, or in the image.
static tess_status
call_find_frames(struct subject *s, tess_error *err)
{
    const tess_storage storage = storage_for(s, TESS_MODE_READ);
    tess_frame_info *frames, frame;
    int64_t n;
    tess_status st = tess_probe(&storage, &frame, err);
    if (st == TESS_OK)
        st = tess_find_frames(&storage, &frames, &n, err);
    disarm();
    if (st != TESS_OK)
        return st;
    assert_true(n == 1 && frames[0].kind == TESS_FRAME_ARRAY && frame.ndim == 2);
    tess_free(frames);
    return st;
}

static const char *
other_path(const struct subject *s)
{
    static char path[400];
    (void)snprintf(path, sizeof path, "%s.gone", s->path);
    return path;
}

static void
copy_file(struct subject *s)
{
    size_t size;
    end_array(s);
    if (!s->path)
        return;
    uint8_t *const bytes = files_read(s->path, &size);
    files_write(other_path(s), bytes, size);
    free(bytes);
}

static tess_status
call_remove(struct subject *s, tess_error *err)
{
    tess_storage storage = storage_for(s, TESS_MODE_READ);
    storage.path = s->path ? other_path(s) : NULL;
    const tess_status st = s->path ? tess_remove(&storage, err) : TESS_OK;
    disarm();
    if (s->path)
        assert_int_equal(files_exist(storage.path), st != TESS_OK);
    return st;
}

static uint8_t *damaged;
static size_t damaged_size;

// What is on the disk, or was in memory, without its end and the length in its header.
static void
damage(struct subject *s)
{
    enum { FRAME_LEN_AT = 16, END = 64 };

    if (s->path) {
        damaged = files_read(s->path, &damaged_size);
    } else {
        damaged_size = s->image_size;
        damaged = malloc(damaged_size);
        assert_non_null(damaged);
        memcpy(damaged, s->image, damaged_size);
    }
    memset(damaged + FRAME_LEN_AT, 0xff, 8);
    memset(damaged + damaged_size - END, 0, END);
}

static tess_status
call_repair(struct subject *s, tess_error *err)
{
    tess_storage from, to;
    tess_repair_report report;

    tess_storage_init(&from);
    tess_storage_init(&to);
    from.image = damaged;
    from.image_size = damaged_size;
    from.plugins = &plugins;
    to.path = files_path("mended");
    to.mode = TESS_MODE_NEW;
    const tess_status st = tess_repair(&from, &to, NULL, &report, err);
    disarm();
    if (st == TESS_OK) {
        assert_int_equal(report.nlost, 0);
        assert_true(report.header_damaged);
        check_file(to.path, &s->reference);
        assert_int_equal(remove(to.path), 0);
        free(damaged);
    }
    return st;
}

static tess_status
call_vlmeta_new(struct subject *s, tess_error *err)
{
    // Found and removed again at once: the name is not there in any state to compare with.
    const tess_status st = tess_vlmeta_set(s->a, "another", "content", 7, err);

    disarm();
    if (st == TESS_OK)
        assert_int_equal(tess_vlmeta_delete(s->a, "another", NULL), TESS_OK);
    else
        assert_null(tess_vlmeta_name(s->a, 1));
    return st;
}

static tess_status
call_vlmeta_replace(struct subject *s, tess_error *err)
{
    return tess_vlmeta_set(s->a, "vl", "something longer than that", 26, err);
}

static void
model_vlmeta_replace(struct subject *s)
{
    s->vl = "something longer than that";
}

static tess_status
call_vlmeta_get(struct subject *s, tess_error *err)
{
    void *content = NULL;
    size_t size = 0;
    const tess_status st = tess_vlmeta_get(s->a, "vl", &content, &size, err);

    tess_free(content);
    return st;
}

static tess_status
call_vlmeta_delete(struct subject *s, tess_error *err)
{
    return tess_vlmeta_delete(s->a, "vl", err);
}

static void
model_vlmeta_delete(struct subject *s)
{
    s->vl = NULL;
}

static tess_status
call_attr_set_json(struct subject *s, tess_error *err)
{
    return tess_attr_set_json(s->a, "vl", "{\"a\": [1, {\"$bytes\": \"eHl6\"}]}", err);
}

static tess_status
call_attr_set_string(struct subject *s, tess_error *err)
{
    return tess_attr_set_string(s->a, "vl", "text", err);
}

static void
model_attr_set_string(struct subject *s)
{
    s->vl = "\xa4text";
}

static void
model_attr_set_json(struct subject *s)
{
    s->vl = "\x81\xa1"
            "a\x92\x01\xc4\x03xyz";
}

static void
set_attr(struct subject *s)
{
    ok(call_attr_set_json(s, err));
    model_attr_set_json(s);
}

static void
set_attr_to_string(struct subject *s)
{
    ok(call_attr_set_string(s, err));
    model_attr_set_string(s);
}

static tess_status
call_attr_get_json(struct subject *s, tess_error *err)
{
    char *json = NULL;
    const tess_status st = tess_attr_get_json(s->a, "vl", &json, err);

    tess_free(json);
    return st;
}

static tess_status
call_attr_get_string(struct subject *s, tess_error *err)
{
    char *text = NULL;
    const tess_status st = tess_attr_get_string(s->a, "vl", &text, NULL, err);

    tess_free(text);
    return st;
}

static tess_status
call_meta_set(struct subject *s, tess_error *err)
{
    return tess_meta_set(s->a, "meta", "new", 3, err);
}

static void
model_meta_set(struct subject *s)
{
    s->meta = "new";
}

// A zip file with the array, the same as attributes of a group, and once more in a super-chunk.
static struct zip_making zipped;

static void
make_store(struct subject *s)
{
    tess_storage memory;
    tess_params p;
    tess_array *a = NULL;
    void *image = NULL, *embed = NULL;
    size_t image_size, embed_size;
    char map[200];
    ok(tess_array_flush(s->a, err));
    ok(tess_array_to_image(s->a, &image, &image_size, err));
    tess_storage_init(&memory);
    tess_params_init(&p);
    p.typesize = 1;
    ok(tess_schunk_create(&memory, &p, &a, err));
    ok(tess_schunk_insert(a, 0, image, image_size, err));
    snprintf(map, sizeof map, "{\"embed_map\": {\"/e\": {\"offset\": 0, \"length\": %zu}}}",
             image_size);
    ok(tess_attr_set_json(a, "estore_metadata", map, err));
    ok(tess_array_to_image(a, &embed, &embed_size, err));
    tess_array_discard(a);
    zip_add_bytes(&zipped, "g/a.b2nd", image, image_size);
    zip_add_bytes(&zipped, "g/__vlmeta__.b2f", image, image_size);
    zip_add_bytes(&zipped, "embed.b2e", embed, embed_size);
    zip_add_bytes(&zipped, "other", "", 0);
    zip_end(&zipped, NULL, false);
    tess_free(image);
    tess_free(embed);
}

static tess_status
call_store(struct subject *s, tess_error *err)
{
    tess_storage storage;
    tess_store *store = NULL;
    tess_array *a[3] = {NULL, NULL, NULL};
    (void)s;
    tess_storage_init(&storage);
    storage.image = zipped.bytes;
    storage.image_size = zipped.size;
    tess_status st = tess_store_open(&storage, &store, err);
    if (st == TESS_OK)
        st = tess_store_array(store, "/g/a", &a[0], err);
    if (st == TESS_OK)
        st = tess_store_attributes(store, "/g", &a[1], err);
    if (st == TESS_OK)
        st = tess_store_array(store, "/e", &a[2], err);
    tess_store_close(store);
    for (int i = 0; i < 3; i++)
        tess_array_discard(a[i]);
    return st;
}

static tess_status
call_store_folder(struct subject *s, tess_error *err)
{
    const char *const folder = files_path(".");
    tess_storage storage;
    tess_store *store = NULL;
    (void)s;
    tess_storage_init(&storage);
    storage.path = folder;
    const tess_status st = tess_store_open(&storage, &store, err);
    tess_store_close(store);
    return st;
}

// -- a store that is written; each call begins with the same one, which has one commit

static char written[300];
static const int64_t written_length = 30;
static double written_items[40];

static tess_status
make_written(tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    tess_storage storage;
    tess_params params;
    tess_storage_init(&storage);
    storage.store = store;
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 1;
    params.shape[0] = written_length;
    params.chunkshape[0] = params.blockshape[0] = 8;
    return tess_array_from(&storage, &params, written_items, 30 * sizeof(double), a, err);
}

static tess_status
open_written(tess_mode mode, tess_store **store, tess_error *err)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = written;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    return tess_store_open(&storage, store, err);
}

static void
begin_written(struct subject *s)
{
    tess_store *store;
    tess_array *a[2];
    (void)s;
    (void)snprintf(written, sizeof written, "%s", files_path("written.b2d"));
    files_remove(written);
    for (int i = 0; i < 40; i++)
        written_items[i] = i * 0.5;
    ok(open_written(TESS_MODE_NEW, &store, err));
    ok(make_written(store, "/a", &a[0], err));
    ok(make_written(store, "/g/b", &a[1], err));
    ok(tess_store_commit(store, err));
    ok(tess_store_name_commit(store, "first", err));
    for (int i = 0; i < 2; i++)
        ok(tess_array_close(a[i], err));
    tess_store_close(store);
}

static int64_t
length_of(tess_store *store, const char *path)
{
    tess_array *a;
    tess_info info;
    double items[40];
    if (tess_store_find(store, path) < 0)
        return 0;
    ok(tess_store_array(store, path, &a, err));
    tess_array_info(a, &info);
    assert_true(info.shape[0] <= 40);
    ok(tess_array_read(a, origin, info.shape, items, (size_t)info.shape[0] * sizeof *items, err));
    assert_memory_equal(items, written_items, (size_t)info.shape[0] * sizeof *items);
    tess_array_discard(a);
    return info.shape[0];
}

// The first commit, or the one that call_written() makes; and the first one by its name.
static void
check_written(void)
{
    tess_storage storage;
    tess_store *store;
    ok(open_written(TESS_MODE_READ, &store, err));
    const bool second = tess_store_find(store, "/h/c") >= 0;
    assert_int_equal(length_of(store, "/a"), second ? 40 : 30);
    assert_int_equal(length_of(store, "/g/b"), second ? 0 : 30);
    assert_int_equal(length_of(store, "/h/c"), second ? 30 : 0);
    assert_int_equal(length_of(store, "/h/link"), second ? 30 : 0);
    assert_int_equal(length_of(store, "/h/d"), 0);
    assert_int_equal(tess_store_number(store), second ? 2 : 1);
    tess_store_close(store);
    tess_storage_init(&storage);
    storage.path = written;
    ok(tess_store_open_commit(&storage, "first", &store, err));
    assert_int_equal(length_of(store, "/a"), 30);
    assert_int_equal(length_of(store, "/g/b"), 30);
    tess_store_close(store);
}

static tess_status
list_written(const tess_store *store, tess_error *err)
{
    tess_commit *commits = NULL;
    int64_t count = -1;
    const tess_status st = tess_store_commits(store, &commits, &count, err);
    assert_int_equal(count, st == TESS_OK ? 2 : 0);
    if (st == TESS_OK)
        assert_string_equal(commits[0].name, "first");
    else
        assert_null(commits);
    tess_free(commits);
    return st;
}

static tess_status
change_written(tess_store *store, tess_array *a[4], tess_error *err)
{
    char *target = NULL;
    tess_status st = tess_store_array(store, "/a", &a[0], err);
    if (st == TESS_OK)
        st = tess_array_append(a[0], 0, 10, written_items + 30, 10 * sizeof(double), NULL, err);
    if (st == TESS_OK)
        st = make_written(store, "/new", &a[1], err);
    if (st == TESS_OK)
        st = tess_store_remove(store, "/g", err);
    if (st == TESS_OK)
        st = tess_store_rename(store, "/new", "/h/c", err);
    if (st == TESS_OK)
        st = tess_store_link(store, "/h/c", "/h/link", err);
    if (st == TESS_OK)
        st = tess_store_target(store, "/h/link", &target, err);
    tess_free(target);
    if (st == TESS_OK)
        st = tess_store_array(store, "/h/link", &a[3], err);
    if (st == TESS_OK)
        st = tess_store_commit(store, err);
    if (st == TESS_OK)
        st = list_written(store, err);
    if (st == TESS_OK)
        st = make_written(store, "/h/d", &a[2], err);
    return st == TESS_OK ? tess_store_abort(store, err) : st;
}

static tess_status
call_written(struct subject *s, tess_error *err)
{
    tess_store *store = NULL;
    tess_array *a[4] = {NULL, NULL, NULL, NULL};
    tess_status st = open_written(TESS_MODE_UPDATE, &store, err);
    if (st == TESS_OK)
        st = change_written(store, a, err);
    tess_store_close(store);
    for (int i = 0; i < 4; i++)
        tess_array_discard(a[i]);
    if (st != TESS_OK) { // what is found is for those who have memory
        disarm();
        check_written();
        begin_written(s);
    }
    return st;
}

// The same, but what failed is done again in the store that is open.
static tess_status
call_written_again(struct subject *s, tess_error *err)
{
    tess_store *store = NULL;
    tess_array *a = NULL;
    (void)s;
    tess_status st = open_written(TESS_MODE_UPDATE, &store, err);
    if (st == TESS_OK)
        st = tess_store_array(store, "/a", &a, err);
    if (st == TESS_OK)
        st = tess_array_append(a, 0, 10, written_items + 30, 10 * sizeof(double), NULL, err);
    if (st == TESS_OK)
        st = tess_store_rename(store, "/g", "/h", err);
    if (st == TESS_OK && tess_store_commit(store, err) != TESS_OK) {
        disarm();
        st = tess_store_commit(store, err);
    }
    if (st == TESS_OK) {
        disarm();
        assert_int_equal(length_of(store, "/a"), 40);
        assert_int_equal(length_of(store, "/h/b"), 30);
    }
    tess_store_close(store);
    tess_array_discard(a);
    if (st != TESS_OK) {
        disarm();
        begin_written(s);
    }
    return st;
}

static void
end_written(struct subject *s)
{
    (void)s;
    files_remove(written);
}

static void
free_store(struct subject *s)
{
    (void)s;
    zip_free(&zipped);
}

static const struct step steps[] = {
    {"zeros", end_everything, call_zeros, model_zeros},
    {"nan", end_everything, call_nan, model_nan},
    {"full", end_everything, call_full, model_full},
    {"from", end_everything, call_from, model_from},
    {"dictionary", NULL, call_dictionary, NULL},
    {"open", end_array, call_open, NULL},
    {"open to read", end_array, call_open_to_read, NULL},
    {"refresh", follow, call_refresh, NULL},
    {"read", NULL, call_read, NULL},
    {"read what is not committed", change, call_read, NULL},
    {"set context", NULL, call_set_context, NULL},
    {"set context with dirty blocks", change, call_set_context, NULL},
    {"chunk", NULL, call_chunk, NULL},
    {"blocks of a chunk", NULL, call_chunk_blocks, NULL},
    {"get points", NULL, call_get_points, NULL},
    {"get by axes", NULL, call_get_orthogonal, NULL},
    {"get boxes", NULL, call_get_boxes, NULL},
    {"each block", NULL, call_each_block, NULL},
    {"each chunk", NULL, call_each_chunk, NULL},
    {"statistics", NULL, call_statistics, NULL},
    {"histogram", NULL, call_histogram, NULL},
    {"reduce", NULL, call_reduce, NULL},
    {"map", NULL, call_map, model_write_all},
    {"compare", NULL, call_compare, NULL},
    {"downsample", NULL, call_downsample, NULL},
    {"pyramid", NULL, call_pyramid, NULL},
    {"change blocks", NULL, call_change_blocks, model_write_all},
    {"change chunks", NULL, call_change_chunks, model_write_all},
    {"write", NULL, call_write, model_write},
    {"set points", NULL, call_set_points, model_write},
    {"add points", NULL, call_add_points, NULL},
    {"set by axes", NULL, call_set_orthogonal, model_write},
    {"set boxes", NULL, call_set_boxes, model_write},
    {"get slice", NULL, call_get_slice, NULL},
    {"set slice", NULL, call_set_slice, model_write},
    {"read as", NULL, call_read_as, NULL},
    {"write as", NULL, call_write_as, model_write},
    {"move chunks", NULL, call_move_chunks, NULL},
    {"resize and write", NULL, call_resize_write, model_resize_write},
    {"get and set an item", NULL, call_items, model_items_set},
    {"set chunk", NULL, call_set_chunk, model_set_chunk},
    {"set slice with steps", NULL, call_set_steps, model_set_steps},
    {"fill", NULL, call_fill, model_fill},
    {"read a view", NULL, call_read_view, NULL},
    {"read a view of what is not committed", change, call_read_view, NULL},
    {"write a view", NULL, call_write_view, model_write},
    {"shrink under a view", NULL, call_shrink_under_view, model_shrink},
    {"write all", NULL, call_write_all, model_write_all},
    {"grow", NULL, call_grow, model_grow},
    {"shrink", NULL, call_shrink, model_shrink},
    {"shrink to nothing", NULL, call_empty, model_empty},
    {"append", NULL, call_append, model_append},
    {"insert", NULL, call_insert, model_insert},
    {"delete", NULL, call_delete, model_delete},
    {"resize anywhere", NULL, call_resize_at, model_resize_at},
    {"append itself", NULL, call_append_array, model_append_array},
    {"flush", change, call_flush, NULL},
    {"flush nothing left", shrink_to_nothing, call_flush, NULL},
    {"save", change, call_save, NULL},
    {"save as a directory", NULL, call_save_sparse, NULL},
    {"save to memory", change, call_to_image, NULL},
    {"measure", NULL, call_measure, NULL},
    {"propose layouts", NULL, call_propose, NULL},
    {"search layouts", NULL, call_search, NULL},
    {"verify", change, call_verify, NULL},
    {"sketch", change, call_sketch, NULL},
    {"encode a packet", open_sketch, call_encode, NULL},
    {"adopt a packet", make_packet, call_adopt, model_adopt},
    {"compact", end_array, call_compact, NULL},
    {"find frames", NULL, call_find_frames, NULL},
    {"dims set", NULL, call_dims_set, NULL},
    {"dims", name_dims, call_dims, NULL},
    {"dims of a copy", name_dims, call_dims_of_copy, NULL},
    {"coord", make_coord, call_coord, NULL},
    {"store", make_store, call_store, free_store},
    {"store in a directory", NULL, call_store_folder, NULL},
    {"remove", copy_file, call_remove, NULL},
    {"repair", damage, call_repair, NULL},
    {"new vlmeta", NULL, call_vlmeta_new, NULL},
    {"replace vlmeta", NULL, call_vlmeta_replace, model_vlmeta_replace},
    {"get vlmeta", NULL, call_vlmeta_get, NULL},
    {"delete vlmeta", NULL, call_vlmeta_delete, model_vlmeta_delete},
    {"set attribute", NULL, call_attr_set_string, model_attr_set_string},
    {"set attribute as JSON", NULL, call_attr_set_json, model_attr_set_json},
    {"get attribute", set_attr_to_string, call_attr_get_string, NULL},
    {"get attribute as JSON", set_attr, call_attr_get_json, NULL},
    {"get opaque attribute", NULL, call_attr_get_json, NULL},
    {"set meta", NULL, call_meta_set, model_meta_set},
};

// Those that ask nothing of the array that is there: once, not for each codec and place.
static const struct step steps_apart[] = {
    {"chunk with options", NULL, call_chunk_options, NULL},
    {"store that is written", begin_written, call_written, end_written},
    {"store whose commit is made again", begin_written, call_written_again, end_written},
};

static const struct step image_step = {"image", change, call_image, NULL};

// One step with the n-th allocation failing; false when there was no n-th.
static bool
run(struct subject *s, const struct step *step, long n, bool sticky)
{
    tess_error error = {0};

    prepare(s);
    if (step->before)
        step->before(s);
    const int nfiles = files_count();

    arm(n, sticky);
    tess_status st = step->call(s, &error);
    disarm();

    const bool failed = fault.failures > 0;
    if (st != TESS_OK) {
        if (!failed || st != TESS_ERR_NOMEM)
            fail_msg("%s, allocation %ld%s: %s (%s)", step->name, n, sticky ? " and all after" : "",
                     tess_status_name(st), error.message);
        check_error(&error, TESS_ERR_NOMEM, step->name);
        if (files_count() != nfiles)
            fail_msg("%s, allocation %ld%s: %d files instead of %d", step->name, n,
                     sticky ? " and all after" : "", files_count(), nfiles);
        check_subject(s);
        ok(step->call(s, err));
    }
    if (step->model)
        step->model(s);
    check_subject(s);
    finish(s);
    return failed;
}

static void
run_all(struct subject *s, const struct step *step, long *total)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        long n = 0;

        while (run(s, step, n, sticky))
            if (++n == TRIES_MAX)
                fail_msg("%s: no end of allocations", step->name);
        *total += n;
    }
}

// Close ends the array in any case; the file then holds the old commit or the new one.
static bool
run_close(struct subject *s, long n, bool sticky)
{
    struct reference committed;

    prepare(s);
    reference_copy(&committed, &s->reference);
    change(s);
    arm(n, sticky);
    const tess_status st = tess_array_close(s->a, NULL);
    disarm();
    s->a = NULL;

    if (st != TESS_OK && (fault.failures == 0 || st != TESS_ERR_NOMEM))
        fail_msg("close, allocation %ld: %s", n, tess_status_name(st));
    if (s->path)
        check_file(s->path, st == TESS_OK ? &s->reference : &committed);
    reference_finish(&committed);
    finish(s);
    return fault.failures > 0;
}

static void
every_call(struct subject *s)
{
    long total = 0;

    for (size_t i = 0; i < COUNT(part); i++)
        part[i] = (double)i * 3;
    for (size_t i = 0; i < COUNT(layers); i++)
        layers[i] = (double)i + 0.5;
    for (size_t i = 0; i < COUNT(from_items); i++)
        from_items[i] = (double)(i * i);
    for (size_t i = 0; i < COUNT(steps); i++)
        run_all(s, &steps[i], &total);
    if (!s->path)
        run_all(s, &image_step, &total);
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = 0; run_close(s, n, sticky); n++)
            total++;
    print_message("%ld failing allocations\n", total);
    assert_true(total > 100); // the wrappers are in effect
}

static void
in_memory(void **state)
{
    struct subject s = {.codec = TESS_CODEC_LZ4};

    (void)state;
    every_call(&s);
}

static void
in_a_file(void **state)
{
    static const tess_codec codecs[] = {TESS_CODEC_BLOSCLZ, TESS_CODEC_LZ4, TESS_CODEC_LZ4HC,
                                        TESS_CODEC_ZLIB, TESS_CODEC_ZSTD};
    char path[300];

    (void)state;
    (void)snprintf(path, sizeof path, "%s", files_path("array.b2nd"));
    for (size_t i = 0; i < COUNT(codecs); i++) {
        struct subject s = {.path = path, .codec = codecs[i]};
        every_call(&s);
    }
}

static void
apart(void **state)
{
    struct subject s = {.codec = TESS_CODEC_LZ4};
    long total = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(steps_apart); i++)
        run_all(&s, &steps_apart[i], &total);
    print_message("%ld failing allocations\n", total);
    assert_true(total > 1000);
}

// -- the same where several threads work

enum { LARGE = 300 }; // items along both axes
static double large[LARGE * LARGE];

// Each way of opening, with each allocation failing: it fails, leaves nothing in its out parameter,
// and works the next time.
static void
ways_to_open(void **state)
{
    static const struct {
        const char *name;
        tess_layout layout;
        tess_mode mode;
        tess_checksums checksums;
        bool mmap, lock_file, image, empty;
    } ways[] = {
        {.name = "directory", .layout = TESS_LAYOUT_SPARSE},
        {.name = "directory, mapped", .layout = TESS_LAYOUT_SPARSE, .mmap = true},
        {.name = "directory, checksums",
         .layout = TESS_LAYOUT_SPARSE,
         .checksums = TESS_CHECKSUMS_VERIFY},
        {.name = "directory, lock file", .layout = TESS_LAYOUT_SPARSE, .lock_file = true},
        {.name = "directory to change", .layout = TESS_LAYOUT_SPARSE, .mode = TESS_MODE_UPDATE},
        {.name = "directory to change, lock file",
         .layout = TESS_LAYOUT_SPARSE,
         .mode = TESS_MODE_UPDATE,
         .lock_file = true},
        {.name = "file"},
        {.name = "file, mapped", .mmap = true},
        {.name = "file, checksums", .checksums = TESS_CHECKSUMS_VERIFY},
        {.name = "file, lock file", .lock_file = true},
        {.name = "file to change", .mode = TESS_MODE_UPDATE},
        {.name = "image", .image = true},
        {.name = "image to change", .image = true, .mode = TESS_MODE_UPDATE},
        {.name = "no items", .mode = TESS_MODE_UPDATE, .empty = true},
    };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(ways); i++) {
        const bool sticky = i % 2, image = ways[i / 2].image;
        tess_storage storage;
        tess_params params;
        tess_array *a;
        size_t size = 0;
        uint8_t *bytes = NULL;
        char path[300], name[20];
        (void)snprintf(path, sizeof path, "%s", files_path("opened"));
        tess_storage_init(&storage);
        storage.path = path;
        storage.mode = TESS_MODE_NEW;
        storage.durability = TESS_DURABILITY_NONE;
        tess_params_init(&params);
        params.ndim = 1;
        params.typesize = 8;
        params.shape[0] = ways[i / 2].empty ? 0 : 100;
        params.chunkshape[0] = params.blockshape[0] = 30;
        params.layout = ways[i / 2].layout;
        ok(tess_array_from(&storage, &params, large, ways[i / 2].empty ? 0 : 800, &a, err));
        for (int k = 0; k < 16; k++) {
            (void)snprintf(name, sizeof name, "attribute %d", k);
            ok(tess_attr_set_int(a, name, k, err));
        }
        ok(tess_array_close(a, err));
        if (image)
            bytes = files_read(path, &size);
        storage.path = image ? NULL : path;
        storage.image = bytes;
        storage.image_size = size;
        storage.mode = ways[i / 2].mode;
        storage.checksums = ways[i / 2].checksums;
        storage.mmap = ways[i / 2].mmap;
        storage.lock_file = ways[i / 2].lock_file;
        bool failed = true;
        for (long n = 0; failed; n++) {
            tess_error error;
            a = NULL;
            arm(n, sticky);
            const tess_status st = tess_array_open(&storage, &a, &error);
            disarm();
            failed = fault.failures > 0;
            if (st != TESS_OK && (!failed || st != TESS_ERR_NOMEM || a))
                fail_msg("%s, allocation %ld%s: %s (%s)", ways[i / 2].name, n,
                         sticky ? " and all after" : "", tess_status_name(st), error.message);
            tess_array_discard(a);
        }
        free(bytes);
        files_remove(path);
    }
}

// An array of many blocks in small chunks, written, changed in part, and read in parts.
static tess_status
write_and_read(const char *path, tess_layout layout, tess_error *err)
{
    static double back[LARGE * LARGE];
    const int64_t start[2] = {7, 9}, stop[2] = {LARGE - 9, LARGE - 5};
    const int64_t whole[2] = {LARGE, LARGE};
    tess_storage storage;
    tess_params params;
    tess_array *a;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.durability = TESS_DURABILITY_NONE;
    tess_params_init(&params);
    params.dtype = "<f8";
    params.ndim = 2;
    params.layout = layout;
    for (int i = 0; i < 2; i++) {
        params.shape[i] = LARGE;
        params.chunkshape[i] = 150;
        params.blockshape[i] = 50;
    }
    tess_status st = tess_array_from(&storage, &params, large, sizeof large, &a, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < 3 && st == TESS_OK; i++) // from the second time on blocks are kept
        st = tess_array_read(a, start, stop, back, sizeof back, err);
    if (st == TESS_OK)
        st = tess_array_write(a, start, stop, back, sizeof back, err);
    if (st == TESS_OK)
        st = tess_array_read(a, origin, whole, back, sizeof back, err);
    if (st == TESS_OK)
        assert_memory_equal(back, large, sizeof large);
    tess_array_discard(a);
    return st;
}

static void
several_threads(void **state)
{
    static const struct {
        const char *name; // NULL: memory
        tess_layout layout;
    } places[] = {
        {NULL, TESS_LAYOUT_CONTIGUOUS},
        {"large.b2nd", TESS_LAYOUT_CONTIGUOUS},
        {"large.b2nd.d", TESS_LAYOUT_SPARSE},
    };
    long total = 0;

    (void)state;
    for (int i = 0; i < LARGE * LARGE; i++)
        large[i] = (double)(i % 1009);
    for (size_t i = 0; i < 2 * COUNT(places); i++) {
        const bool sticky = i % 2;
        bool failed = true;
        char path[300];
        (void)snprintf(path, sizeof path, "%s", files_path("none"));
        if (places[i / 2].name)
            (void)snprintf(path, sizeof path, "%s", files_path(places[i / 2].name));
        for (long n = 0; failed; n++, total++) {
            tess_error error;
            arm(n, sticky);
            const tess_status st =
                write_and_read(places[i / 2].name ? path : NULL, places[i / 2].layout, &error);
            disarm();
            failed = fault.failures > 0;
            if (st != TESS_OK && (!failed || st != TESS_ERR_NOMEM))
                fail_msg("allocation %ld%s: %s (%s)", n, sticky ? " and all after" : "",
                         tess_status_name(st), error.message);
        }
    }
    print_message("%ld failing allocations\n", total);
}

// A block that needs no memory to be read is not kept beyond the limit.
static void
limit_of_kept_blocks(void **state)
{
    const int64_t start = 3, stop = 9, shape = 1 << 14;
    uint8_t *const items = calloc(1, 1 << 14);
    uint8_t back[6];
    tess_storage storage;
    tess_params params;
    tess_array *a, *narrow;

    (void)state;
    assert_non_null(items);
    items[3] = 1;
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.ndim = 1;
    params.shape[0] = params.chunkshape[0] = params.blockshape[0] = shape;
    params.clevel = 0; // stored as it is
    ok(tess_array_from(&storage, &params, items, 1 << 14, &a, err));
    ok(tess_array_image(a, &storage.image, &storage.image_size, err));
    storage.limits.memory = 1 << 10;
    ok(tess_array_open(&storage, &narrow, err));
    arm(-1, false);
    for (int i = 0; i < 3; i++)
        ok(tess_array_read(narrow, &start, &stop, back, sizeof back, err));
    disarm();
    assert_memory_equal(back, items + start, sizeof back);
    assert_true(fault.largest <= 1 << 10);
    tess_array_discard(narrow);
    tess_array_discard(a);
    free(items);
}

// The caller does all of it. In a child: what the system refused is not asked for again.
static void
no_threads(void **state)
{
    int status = -1;

    (void)state;
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        fault.no_threads = true;
        _exit(write_and_read(NULL, TESS_LAYOUT_CONTIGUOUS, NULL) == TESS_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int
end(void **state)
{
    (void)state;
    disarm();
    files_end();
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_memory, files_setup, end),
        cmocka_unit_test_setup_teardown(in_a_file, files_setup, end),
        cmocka_unit_test_setup_teardown(apart, files_setup, end),
        cmocka_unit_test_setup_teardown(ways_to_open, files_setup, end),
        cmocka_unit_test(limit_of_kept_blocks),
        cmocka_unit_test(no_threads),
        cmocka_unit_test_setup_teardown(several_threads, files_setup, end),
    };

    if (access("/dev/shm", W_OK) == 0) // thousands of folders and files
        (void)setenv("TMPDIR", "/dev/shm", 0);
    (void)setenv("TESS_NUM_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
