/*
 * source_far.c - arrays in sources that are far away or near, larger than what opening keeps: all
 * calls that read answer as those on the same array in a file do, whatever the source does.
 *
 * A *question* is a call with drawn arguments; its answer is bytes.
 */
#include "api/far_object.h"
#include "support/files.h"
#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAR = 20000, ANSWER = 8 << 20, POINTS = 60, CANCELLED_WITHIN = 300 };

// -- arrays

struct kind {
    const char *name;
    const char *dtype;
    int ndim;
    int64_t shape[3], chunkshape[3], blockshape[3];
    int codec, clevel;
    uint8_t filters[2];
    int noise; // bits of each item that are random
    tess_layout layout;
    bool holes; // some chunks are zeros, some one value
};

static const struct kind kinds[] = {
    {"cubes",
     "<i4",
     3,
     {100, 90, 80},
     {30, 30, 30},
     {10, 10, 15},
     TESS_CODEC_LZ4,
     5,
     {0, TESS_FILTER_SHUFFLE},
     20,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"delta",
     "<i4",
     2,
     {700, 900},
     {200, 300},
     {50, 64},
     TESS_CODEC_ZSTD,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
     20,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"many small chunks",
     "<i2",
     2,
     {1100, 900},
     {20, 30},
     {10, 15},
     TESS_CODEC_BLOSCLZ,
     5,
     {0, TESS_FILTER_BITSHUFFLE},
     13,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"one chunk of 9 MiB",
     "|u1",
     1,
     {9 << 20},
     {9 << 20},
     {1 << 16},
     TESS_CODEC_LZ4,
     5,
     {0, 0},
     8,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"stored blocks",
     "<f8",
     2,
     {400, 600},
     {150, 160},
     {30, 40},
     TESS_CODEC_ZLIB,
     0,
     {0, 0},
     60,
     TESS_LAYOUT_CONTIGUOUS,
     true},
    {"one block a chunk",
     "<i4",
     1,
     {600000},
     {9000},
     {9000},
     TESS_CODEC_LZ4HC,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_BYTEDELTA},
     22,
     TESS_LAYOUT_CONTIGUOUS,
     false},
    {"directory",
     "<i4",
     2,
     {700, 700},
     {100, 200},
     {20, 50},
     TESS_CODEC_LZ4,
     5,
     {0, TESS_FILTER_SHUFFLE},
     22,
     TESS_LAYOUT_SPARSE,
     true},
    {"delta in a directory",
     "<i4",
     1,
     {400000},
     {70000},
     {3000},
     TESS_CODEC_ZSTD,
     1,
     {TESS_FILTER_DELTA, TESS_FILTER_SHUFFLE},
     22,
     TESS_LAYOUT_SPARSE,
     true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int64_t
nitems_of(const struct kind *k)
{
    int64_t n = 1;
    for (int i = 0; i < k->ndim; i++)
        n *= k->shape[i];
    return n;
}

// Make the file of a kind; returns its path, which stays until the fourth call.
static const char *
make_with(const struct kind *k, uint64_t seed, tess_checksums checksums)
{
    const char *const path = files_path("array");
    const size_t size = k->dtype[1] == 'f' ? 8 : (size_t)(k->dtype[2] - '0');
    const int64_t n = nitems_of(k), hole = n / 9;
    uint8_t *const items = calloc((size_t)n, size);
    struct random r;
    tess_storage storage;
    tess_params p;
    tess_array *a;
    assert_non_null(items);
    random_init(&r, seed);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = random_next(&r) >> (64 - k->noise);
        memcpy(items + (size_t)i * size, &x, size < 8 || k->noise < 60 ? size : 7);
    }
    for (int64_t at = hole; k->holes && at + hole < n; at += 3 * hole)
        memset(items + (size_t)at * size, at == hole ? 0 : 1, (size_t)hole * size);
    tess_params_init(&p);
    p.dtype = k->dtype;
    p.ndim = k->ndim;
    for (int i = 0; i < k->ndim; i++) {
        p.shape[i] = k->shape[i];
        p.chunkshape[i] = k->chunkshape[i];
        p.blockshape[i] = k->blockshape[i];
    }
    p.codec = k->codec;
    p.clevel = k->clevel;
    memset(p.filters, 0, sizeof p.filters);
    memcpy(p.filters + TESS_MAX_FILTERS - 2, k->filters, 2);
    p.layout = k->layout;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    storage.checksums = checksums;
    ok(tess_array_from(&storage, &p, items, (size_t)n * size, &a, err));
    ok(tess_array_close(a, err));
    free(items);
    return path;
}

static const char *
make(const struct kind *k, uint64_t seed)
{
    return make_with(k, seed, TESS_CHECKSUMS_WRITE);
}

// -- questions

struct answer {
    tess_status status;
    tess_error error;
    size_t size;
    uint8_t *bytes; // ANSWER
};

static struct answer first, second;
static const tess_context *made_with; // what calls make; NULL: default

static void
answer_add(struct answer *w, const void *bytes, size_t size)
{
    assert_true(size <= ANSWER - w->size);
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

// A box of at most `most` bytes.
static size_t
draw_box(const tess_info *info, struct random *r, int64_t most, int64_t *start, int64_t *stop)
{
    int64_t size = info->typesize;
    for (int i = 0; i < info->ndim; i++) {
        const int64_t n = info->shape[i], room = size > 0 && size <= most ? most / size : 1;
        const int64_t longest = n < room ? n : room;
        const int64_t length = longest > 0 ? 1 + (int64_t)random_below(r, (uint64_t)longest) : 0;
        start[i] = n > length ? (int64_t)random_below(r, (uint64_t)(n - length + 1)) : 0;
        stop[i] = start[i] + length;
        size *= length;
    }
    return (size_t)size;
}

static void
ask_box(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    w->size = draw_box(info, r, random_below(r, 4) ? 1 << 20 : ANSWER, start, stop);
    w->status = tess_array_read(a, start, stop, w->bytes, ANSWER, &w->error);
}

static void
ask_slice(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    w->size = (size_t)info->typesize;
    draw_box(info, r, ANSWER, start, stop);
    for (int i = 0; i < info->ndim; i++) {
        const int64_t low = start[i], high = stop[i];
        step[i] = 1 + (int64_t)random_below(r, random_below(r, 2) ? 3 : 100);
        if (random_below(r, 2) && high > low) {
            start[i] = high - 1;
            stop[i] = low - 1;
            step[i] = -step[i];
        }
        w->size *= (size_t)tess_slice_length(start[i], stop[i], step[i]);
    }
    w->status = tess_array_get_slice(a, start, stop, step, w->bytes, ANSWER, NULL, &w->error);
}

static void
ask_points(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    static int64_t coords[POINTS * TESS_MAX_NDIM];
    const int64_t n = info->nitems > 0 ? POINTS : 0;
    for (int64_t i = 0; i < n * info->ndim; i++)
        coords[i] = (int64_t)random_below(r, (uint64_t)info->shape[i % info->ndim]);
    w->size = (size_t)n * (size_t)info->typesize;
    if (w->size <= ANSWER)
        w->status = tess_array_get_points(a, n, coords, w->bytes, ANSWER, &w->error);
    else
        w->size = 0;
}

static void
ask_orthogonal(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    static int64_t lists[TESS_MAX_NDIM][4];
    const int64_t *indices[TESS_MAX_NDIM];
    int64_t counts[TESS_MAX_NDIM];
    w->size = (size_t)info->typesize;
    for (int i = 0; i < info->ndim; i++) {
        counts[i] = info->shape[i] == 0 ? 0 : 1 + (int64_t)random_below(r, info->ndim < 6 ? 4 : 1);
        for (int64_t k = 0; k < counts[i]; k++)
            lists[i][k] = (int64_t)random_below(r, (uint64_t)info->shape[i]);
        indices[i] = lists[i];
        w->size *= (size_t)counts[i];
    }
    if (w->size <= ANSWER)
        w->status = tess_array_get_orthogonal(a, counts, indices, w->bytes, ANSWER, &w->error);
    else
        w->size = 0;
}

static void
ask_mask(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    if (info->ndim == 0 || info->nitems == 0)
        return;
    const size_t n = (size_t)info->shape[0];
    const size_t row = (size_t)(info->nitems / info->shape[0] * info->typesize);
    uint8_t *const bytes = calloc(n, 1);
    assert_non_null(bytes);
    for (int i = 0; i < 5 && w->size + row <= ANSWER; i++) {
        uint8_t *const b = &bytes[random_below(r, n)];
        w->size += *b ? 0 : row;
        *b = 1;
    }
    const tess_mask mask = {.ndim = 1, .bytes = bytes, .bytes_size = n};
    w->status = tess_array_get_mask(a, &mask, w->bytes, ANSWER, &w->error);
    free(bytes);
}

static tess_each_next
sum_part(const tess_part *part, void *user)
{
    uint64_t x = (uint64_t)part->chunk * 1000003u + (uint64_t)(part->block + 1) * 97;
    x += *(const uint8_t *)part->items * 0x10001u;
    x +=
        ((const uint8_t *)part
             ->items)[part->strides[part->ndim > 0 ? part->ndim - 1 : 0] *
                      (part->ndim > 0 ? part->stop[part->ndim - 1] - part->start[part->ndim - 1] - 1
                                      : 0)];
    atomic_fetch_add((atomic_ullong *)user, x * x);
    return TESS_EACH_NEXT;
}

static void
ask_each(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    atomic_ullong sum = 0;
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    draw_box(info, r, ANSWER, start, stop);
    w->status = tess_array_each(a, random_below(r, 2) ? TESS_BLOCKS : TESS_CHUNKS, start, stop,
                                sum_part, &sum, &w->error);
    const unsigned long long x = atomic_load(&sum);
    answer_add(w, &x, sizeof x);
}

// What a new array in memory holds.
static void
answer_array(struct answer *w, tess_array *made)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_info info;
    if (w->status != TESS_OK)
        return;
    tess_array_info(made, &info);
    const size_t size = (size_t)(info.nitems * info.typesize);
    if (size <= ANSWER) {
        ok(tess_array_read(made, origin, info.shape, w->bytes, ANSWER, err));
        w->size = size;
    }
    ok(tess_array_close(made, err));
}

static void
ask_reduce(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int axis = info->ndim > 0 ? (int)random_below(r, (uint64_t)info->ndim) : 0;
    tess_storage storage;
    tess_array *made;
    tess_storage_init(&storage);
    storage.context = made_with;
    w->status = tess_array_reduce(a, TESS_REDUCE_MAX, &axis, info->ndim > 0, NULL, &storage, NULL,
                                  &made, &w->error);
    answer_array(w, made);
}

static void
ask_downsample(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t factors[TESS_MAX_NDIM];
    tess_storage storage;
    tess_array *made;
    for (int i = 0; i < info->ndim; i++)
        factors[i] = 1 + (int64_t)random_below(r, 5);
    tess_storage_init(&storage);
    storage.context = made_with;
    w->status = tess_array_downsample(a, TESS_DOWNSAMPLE_MAX, factors, NULL, &storage, NULL, &made,
                                      &w->error);
    answer_array(w, made);
}

static tess_each_next
sum_box(const tess_map_part *part, void *user)
{
    uint64_t x = 1;
    for (int i = 0; i < part->ndim; i++)
        x = x * 1000003u + (uint64_t)(part->start[i] * 31 + part->stop[i]);
    for (int k = 0; k < part->ninputs; k++)
        x = x * 97 + *(const uint8_t *)part->inputs[k];
    atomic_fetch_add((atomic_ullong *)user, x * x);
    return TESS_EACH_NEXT;
}

// An array in step with another part of it.
static void
ask_map(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    static const int64_t halo[TESS_MAX_NDIM] = {1, 1, 1};
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    atomic_ullong sum = 0;
    tess_map_options options;
    tess_array *other;
    draw_box(info, r, ANSWER, start, stop);
    w->status = tess_array_view_slice(a, start, stop, NULL, &other, &w->error);
    if (w->status != TESS_OK)
        return;
    const tess_array *const inputs[] = {other, other};
    tess_map_options_init(&options);
    if (random_below(r, 2) && info->ndim <= 3) {
        options.halo = halo;
        options.edge = random_below(r, 2) ? TESS_EDGE_NEAREST : TESS_EDGE_FILL;
    }
    w->status = tess_map(inputs, 1 + (int)random_below(r, 2), NULL, 0, NULL, NULL, &options,
                         sum_box, &sum, &w->error);
    ok(tess_array_close(other, err));
    const unsigned long long x = atomic_load(&sum);
    answer_add(w, &x, sizeof x);
}

static void
ask_statistics(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    tess_statistics s;
    draw_box(info, r, ANSWER, start, stop);
    w->status = tess_array_statistics(a, start, stop, &s, &w->error);
    if (w->status != TESS_OK)
        return;
    answer_add(w, &s.count, sizeof s.count);
    answer_add(w, &s.min.i, sizeof s.min.i);
    answer_add(w, &s.max.i, sizeof s.max.i);
    answer_add(w, &s.integer, sizeof s.integer);
}

static void
ask_copy(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    tess_storage storage;
    tess_params p;
    tess_array *made;
    (void)info;
    tess_storage_init(&storage);
    storage.context = made_with;
    tess_array_params(a, &p);
    p.layout = TESS_LAYOUT_CONTIGUOUS;
    p.clevel = 0;
    if (random_below(r, 2)) {
        memset(p.chunkshape, 0, sizeof p.chunkshape);
        memset(p.blockshape, 0, sizeof p.blockshape);
    }
    w->status = tess_array_copy(a, &storage, &p, &made, &w->error);
    answer_array(w, made);
}

static void
ask_image(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    void *image;
    size_t size;
    (void)info, (void)r;
    w->status = tess_array_to_image(a, &image, &size, &w->error);
    if (w->status == TESS_OK && size <= ANSWER)
        answer_add(w, image, size);
    if (w->status == TESS_OK)
        tess_free(image);
}

static void
ask_verify(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    tess_verdict v;
    (void)info, (void)r;
    w->status = tess_array_verify(a, NULL, NULL, &v, &w->error);
    if (w->status != TESS_OK)
        return;
    const int64_t found[] = {v.nstored,  v.nright,   v.nunknown, v.ndamaged,
                             v.nuntried, v.nspecial, v.nmissing, v.fine};
    answer_add(w, found, sizeof found);
}

static void
ask_view(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], count[TESS_MAX_NDIM];
    const int64_t origin[TESS_MAX_NDIM] = {0};
    tess_array *part, *view;
    tess_info seen;
    w->size = draw_box(info, r, 2 << 20, start, stop);
    w->status = tess_array_view_slice(a, start, stop, NULL, &part, &w->error);
    if (w->status != TESS_OK)
        return;
    ok(tess_array_view_permute(part, NULL, &view, err));
    ok(tess_array_close(part, err));
    tess_array_info(view, &seen);
    memcpy(count, seen.shape, sizeof count);
    if (random_below(r, 2)) {
        ask_reduce(view, &seen, r, w);
    } else {
        w->status = tess_array_read(view, origin, count, w->bytes, ANSWER, &w->error);
    }
    ok(tess_array_close(view, err));
}

static const struct question {
    const char *name;
    void (*ask)(tess_array *a, const tess_info *info, struct random *r, struct answer *w);
    int weight;
    bool pieces; // it may be read by several jobs: one reads again what could not be read ahead
} questions[] = {
    {"box", ask_box, 4, false},       {"slice", ask_slice, 4, false},
    {"points", ask_points, 4, false}, {"orthogonal", ask_orthogonal, 3, false},
    {"mask", ask_mask, 2, false},     {"each", ask_each, 2, true},
    {"reduce", ask_reduce, 1, true},  {"statistics", ask_statistics, 1, false},
    {"copy", ask_copy, 1, false},     {"image", ask_image, 1, false},
    {"verify", ask_verify, 1, false}, {"view", ask_view, 2, true},
    {"map", ask_map, 1, true},        {"downsample", ask_downsample, 1, true},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static const struct question *
draw_question(struct random *r)
{
    for (;;) {
        const struct question *const q = &questions[random_below(r, QUESTIONS)];
        if ((int)random_below(r, 4) < q->weight)
            return q;
    }
}

static void
ask(const struct question *q, tess_array *a, uint64_t seed, struct answer *w)
{
    struct random r;
    tess_info info;
    random_init(&r, seed);
    tess_array_info(a, &info);
    w->status = TESS_OK;
    w->size = 0;
    memset(&w->error, 0, sizeof w->error);
    q->ask(a, &info, &r, w);
    if (w->status != TESS_OK)
        check_error(&w->error, w->status, q->name);
}

// Both answer the same, failures included.
static void
compare(tess_array *here, tess_array *there, const struct question *q, uint64_t seed,
        const char *name)
{
    ask(q, here, seed, &first);
    ask(q, there, seed, &second);
    if (first.status != second.status)
        fail_msg("%s, %s: %s in a source (%s), %s (%s) in a file", name, q->name,
                 tess_status_name(first.status), first.error.message,
                 tess_status_name(second.status), second.error.message);
    if (first.status == TESS_OK &&
        (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0))
        fail_msg("%s, %s: other bytes in a source", name, q->name);
}

// -- arrays in files and sources

struct scene {
    const char *path;
    tess_context context;
    tess_checksums checksums;
    struct conduct conduct;
    struct object object;
    tess_array *here, *there; // in the source, in the file
};

static void
draw_scene(struct scene *s, struct random *r)
{
    static const int64_t aheads[] = {1, 1000, 100000, 1 << 20, 0, 64 << 20};
    struct conduct *const c = &s->conduct;
    conduct_init(c);
    c->latency = random_below(r, 3) ? FAR : 0;
    c->requests = (int)random_below(r, 21);
    c->guarded = random_below(r, 2);
    c->ends = random_below(r, 2);
    c->tells = random_below(r, 2);
    c->order = (enum order)random_below(r, ORDERS);
    tess_context_init(&s->context);
    s->context.threads = 1 + (int)random_below(r, 4);
    s->context.ahead = aheads[random_below(r, sizeof aheads / sizeof *aheads)];
    s->context.cache = random_below(r, 2) ? 0 : TESS_CACHE_SHARED;
    s->checksums = random_below(r, 2) ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
}

static tess_status
open_here(struct scene *s, tess_error *err)
{
    const tess_source source = object_source(&s->object);
    tess_storage storage;
    tess_storage_init(&storage);
    storage.source = &source;
    storage.context = &s->context;
    storage.checksums = s->checksums;
    const tess_status st = tess_array_open(&storage, &s->here, err);
    assert_true((st == TESS_OK) == (s->here != NULL));
    return st;
}

static void
open_there(struct scene *s)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = s->path;
    ok(tess_array_open(&storage, &s->there, err));
}

// Nothing is open any more; the array was open in the source.
static void
check_closed(const struct scene *s, bool was_open)
{
    assert_false(atomic_load(&s->conduct.closed_early));
    assert_int_equal(atomic_load(&s->conduct.closed),
                     atomic_load(&s->conduct.opened) + (was_open ? 1 : 0));
}

static void
load(struct scene *s, const char *path, bool directory)
{
    s->path = path;
    object_load(&s->object, &s->conduct, path, directory);
}

static void
close_here(struct scene *s)
{
    ok(tess_array_close(s->here, err));
    check_closed(s, true);
    object_finish(&s->object);
}

static int
setup(void **state)
{
    first.bytes = malloc(ANSWER);
    second.bytes = malloc(ANSWER);
    return !first.bytes || !second.bytes || files_setup(state);
}

static int
teardown(void **state)
{
    free(first.bytes);
    free(second.bytes);
    return files_teardown(state);
}

// -- answers

static void
answers_like_a_file(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    const int64_t rounds = random_cases(1, 60);
    for (int k = 0; k < KINDS; k++) {
        const char *const path = make(&kinds[k], random_next(&r));
        for (int64_t i = 0; i < rounds; i++) {
            struct scene s;
            draw_scene(&s, &r);
            load(&s, path, kinds[k].layout == TESS_LAYOUT_SPARSE);
            open_there(&s);
            ok(open_here(&s, err));
            for (int j = 0; j < 7; j++)
                compare(s.here, s.there, draw_question(&r), random_next(&r), kinds[k].name);
            ok(tess_array_close(s.there, err));
            close_here(&s);
        }
        files_remove(path);
    }
}

static void
compare_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random *const r = user;
    char path[4096];
    struct scene s;
    (void)ref;
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TESS_GOLDEN"), name);
    draw_scene(&s, r);
    s.checksums = TESS_CHECKSUMS_WRITE;
    load(&s, path, false);
    ok(open_here(&s, err));
    for (int i = 0; i < 4; i++)
        compare(s.here, a, draw_question(r), random_next(r), name);
    close_here(&s);
}

static void
arrays_of_other_writers(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(1, 20); i > 0; i--)
        check_golden_files(compare_golden, &r);
}

// -- failures

static const struct wrong {
    const char *name;
    tess_status returned, expected;
    const char *message;
} wrongs[] = {
    {"io", TESS_ERR_IO, TESS_ERR_IO, "the line was cut"},
    {"stale", TESS_ERR_STALE, TESS_ERR_STALE, "another object"},
    {"cancelled", TESS_ERR_CANCELLED, TESS_ERR_CANCELLED, "cancelled"},
    {"memory", TESS_ERR_NOMEM, TESS_ERR_NOMEM, "no memory"},
    {"argument", TESS_ERR_ARG, TESS_ERR_ARG, "wrong"},
    {"type", TESS_ERR_TYPE, TESS_ERR_TYPE, "wrong type"},
    {"not found", TESS_ERR_NOT_FOUND, TESS_ERR_NOT_FOUND, "nothing there"},
    {"below all", (tess_status)-1, TESS_ERR_IO, "minus"},
    {"above all", (tess_status)99, TESS_ERR_IO, "many"},
    {"no message", TESS_ERR_IO, TESS_ERR_IO, NULL},
    {"neither", (tess_status)12, TESS_ERR_IO, NULL},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

// Whether what could not be read ahead is read again, and a failure may not be seen: by calls of
// several jobs; and of a directory, by those that open its files ahead.
static bool
reads_again(const struct question *q, bool directory)
{
    return q->pieces || (directory && (q->ask == ask_copy || q->ask == ask_image));
}

// One read, or all from one on, fail; then none.
static void
failing_reads(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    const int64_t rounds = random_cases(1, 400);
    const int each = rounds > 1 ? 1 : 2; // of the kinds
    for (int k = (int)random_below(&r, (uint64_t)each); k < KINDS; k += each) {
        const char *const path = make(&kinds[k], random_next(&r));
        for (int64_t i = 0; i < rounds; i++) {
            const struct wrong *const w = &wrongs[random_below(&r, WRONGS)];
            struct scene s;
            tess_error error;
            const bool directory = kinds[k].layout == TESS_LAYOUT_SPARSE;
            draw_scene(&s, &r);
            load(&s, path, directory);
            s.conduct.fails_with = w->returned;
            s.conduct.message = w->message;
            s.conduct.nfailing = random_below(&r, 2) ? 1 : 1 << 30;
            if (random_below(&r, 2))
                s.conduct.fails_at = (int)random_below(&r, 4);
            const tess_status st = open_here(&s, &error);
            if (st != TESS_OK) {
                check_error(&error, st, "open");
                check_closed(&s, false);
                if (!directory && st != w->expected)
                    fail_msg("%s: %s", w->name, error.message);
                object_finish(&s.object);
                continue;
            }
            const struct question *const q = draw_question(&r);
            const int before = atomic_load(&s.conduct.reads);
            s.conduct.fails_at = before + (int)random_below(&r, 3);
            const uint64_t seed = random_next(&r);
            ask(q, s.here, seed, &first);
            const bool failed = atomic_load(&s.conduct.reads) > s.conduct.fails_at;
            if (first.status == TESS_OK
                    ? failed && q->ask != ask_verify && !reads_again(q, directory)
                    : first.status != w->expected)
                fail_msg("%s, %s, %s: %s (%s)", kinds[k].name, w->name, q->name,
                         tess_status_name(first.status), first.error.message);
            s.conduct.fails_at = -1;
            open_there(&s);
            ask(q, s.there, seed, &second);
            if (first.status == TESS_OK && q->ask != ask_verify &&
                (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0))
                fail_msg("%s, %s: other bytes after a failure", kinds[k].name, q->name);
            for (int j = 0; j < 2; j++)
                compare(s.here, s.there, draw_question(&r), random_next(&r), kinds[k].name);
            ok(tess_array_close(s.there, err));
            close_here(&s);
        }
        files_remove(path);
    }
}

// Sizes that are not those of the object.
static void
lying_sizes(void **state)
{
    static const int64_t offs[] = {INT64_MIN, -1, 1, 100, 1 << 20, INT64_MAX / 2};
    (void)state;
    for (int k = 0; k < KINDS; k += 6) {
        const char *const path = make(&kinds[k], 5);
        for (int i = 0; i < (int)(sizeof offs / sizeof *offs) * 4; i++) {
            struct scene s;
            struct random r;
            tess_error error;
            random_init(&r, (uint64_t)i);
            draw_scene(&s, &r);
            load(&s, path, kinds[k].layout == TESS_LAYOUT_SPARSE);
            s.conduct.size_off = offs[i / 4];
            s.conduct.latency = i % 2 ? FAR : 0;
            s.conduct.ends = i / 2 % 2;
            const tess_status st = open_here(&s, &error);
            if (st != TESS_OK) {
                check_error(&error, st, "open");
                check_closed(&s, false);
                object_finish(&s.object);
                continue;
            }
            ask(&questions[0], s.here, 1, &first);
            s.conduct.size_off = 0;
            close_here(&s);
        }
        files_remove(path);
    }
}

// -- cancelling

static int64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool
cancel_soon(int64_t done, int64_t total, void *user)
{
    (void)done, (void)total;
    return now_ms() < *(const int64_t *)user;
}

// Whatever the call, the source and its distance.
static void
blocked_calls_end(void **state)
{
    static const int blocked[] = {0, 6}; // kinds
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = 0, n = random_cases(4 * QUESTIONS, 400); i < n; i++) {
        const struct question *const q = &questions[(unsigned)i % QUESTIONS];
        const struct kind *const k = &kinds[blocked[i / QUESTIONS % 2]];
        const char *const path = make(k, 5);
        const uint64_t seed = random_next(&r);
        struct scene s;
        int64_t until = INT64_MAX;
        draw_scene(&s, &r);
        load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = i / QUESTIONS / 2 % 2 == 0 ? FAR : 0;
        s.conduct.ends = false;
        s.context.threads = 1 + (int)random_below(&r, 3);
        s.context.progress = cancel_soon;
        s.context.progress_user = &until;
        s.context.progress_interval = 10;
        ok(open_here(&s, err));
        s.conduct.blocks = true;
        const int64_t before = now_ms();
        until = before + 60;
        made_with = &s.context;
        ask(q, s.here, seed, &first);
        made_with = NULL;
        const int64_t took = now_ms() - before;
        if (first.status != TESS_ERR_CANCELLED || took > 60 + CANCELLED_WITHIN ||
            atomic_load(&s.conduct.never_cancelled))
            fail_msg("%s, %s, latency %d, %d threads, checksums %d: %s (%s) after %d ms", k->name,
                     q->name, (int)s.conduct.latency, s.context.threads, (int)s.checksums,
                     tess_status_name(first.status), first.error.message, (int)took);
        s.conduct.blocks = false;
        until = INT64_MAX;
        open_there(&s);
        compare(s.here, s.there, q, seed, k->name);
        ok(tess_array_close(s.there, err));
        close_here(&s);
        files_remove(path);
    }
}

// Copies and checks of chunks as they are stored end while a source that is not far blocks, and
// while an object of a directory is opened.
static void
blocked_copies_end(void **state)
{
    static const struct {
        int kind;
        int64_t latency;
    } cases[] = {{0, 0}, {6, 0}, {6, FAR}};
    static const struct question copies[] = {{"image", ask_image, 1, false},
                                             {"verify", ask_verify, 1, false}};
    (void)state;
    for (int i = 0; i < 2 * (int)(sizeof cases / sizeof *cases); i++) {
        const struct kind *const k = &kinds[cases[i / 2].kind];
        const struct question *const q = &copies[i % 2];
        const char *const path = make(k, 5);
        struct random r;
        struct scene s;
        int64_t until = INT64_MAX;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = cases[i / 2].latency;
        s.conduct.ends = false;
        s.context.threads = 2;
        s.context.progress = cancel_soon;
        s.context.progress_user = &until;
        s.context.progress_interval = 10;
        s.checksums = TESS_CHECKSUMS_WRITE;
        ok(open_here(&s, err));
        s.conduct.blocks = true;
        const int64_t before = now_ms();
        until = before + 60;
        ask(q, s.here, 1, &first);
        const int64_t took = now_ms() - before;
        if (first.status != TESS_ERR_CANCELLED || took > 60 + CANCELLED_WITHIN ||
            atomic_load(&s.conduct.never_cancelled))
            fail_msg("%s, %s, latency %d: %s (%s) after %d ms", k->name, q->name,
                     (int)s.conduct.latency, tess_status_name(first.status), first.error.message,
                     (int)took);
        s.conduct.blocks = false;
        until = INT64_MAX;
        close_here(&s);
        files_remove(path);
    }
}

// -- overlap

// Blocks that lie far from each other come to `read` together. Objects of a directory are read side
// by side by several calls of it.
static void
slow_ranges_overlap(void **state)
{
    static const int overlapping[] = {3, 6, 7};
    (void)state;
    for (size_t i = 0; i < sizeof overlapping / sizeof *overlapping; i++) {
        const struct kind *const k = &kinds[overlapping[i]];
        const int64_t start[TESS_MAX_NDIM] = {0}, step[] = {k->ndim == 1 ? 200000 : 7, 1, 1};
        const char *const path = make(k, 5);
        struct scene s;
        struct random r;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, k->layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = FAR;
        s.conduct.requests = 8;
        s.conduct.order = k->layout == TESS_LAYOUT_SPARSE ? ORDER_UP : ORDER_THREADS;
        s.conduct.ends = false;
        s.context.threads = 2;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        ok(open_here(&s, err));
        s.conduct.pause = 2000;
        atomic_store(&s.conduct.most, 0);
        ok(tess_array_get_slice(s.here, start, k->shape,
                                k->layout == TESS_LAYOUT_SPARSE ? NULL : step, first.bytes, ANSWER,
                                NULL, err));
        if (atomic_load(&s.conduct.most) < 2)
            fail_msg("%s: %d at once", k->name, atomic_load(&s.conduct.most));
        close_here(&s);
        files_remove(path);
    }
}

// Checks and copies of a directory open its files side by side, and read each at most twice.
static void
directories_are_read_ahead(void **state)
{
    static const struct question questions_of_all[] = {{"verify", ask_verify, 0, false},
                                                       {"copy", ask_copy, 0, false}};
    const char *const path = make(&kinds[6], 5);
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 8;
        s.conduct.ends = i / 2;
        s.context.threads = 1;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        s.context.cache = 0;
        ok(open_here(&s, err));
        tess_array_info(s.here, &info);
        s.conduct.pause = 2000;
        atomic_store(&s.conduct.most, 0);
        const int before = atomic_load(&s.conduct.ranges);
        ask(&questions_of_all[i % 2], s.here, 1, &first);
        assert_int_equal(first.status, TESS_OK);
        const int found = atomic_load(&s.conduct.ranges) - before;
        if (!s.conduct.ends && atomic_load(&s.conduct.most) < 2)
            fail_msg("%s: %d at once", questions_of_all[i % 2].name, atomic_load(&s.conduct.most));
        if (found > 2 * info.nstored + 2)
            fail_msg("%s: %d requests for %d chunks", questions_of_all[i % 2].name, found,
                     (int)info.nstored);
        close_here(&s);
    }
    files_remove(path);
}

// All jobs of a call together keep no more under way than the source says.
static void
requests_are_bounded(void **state)
{
    static const int bounds[] = {1, 3, 8};
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const char *const path = make(&kinds[k], 5);
        for (int i = 0; i < 3; i++) {
            struct scene s;
            struct random r;
            random_init(&r, (uint64_t)i);
            draw_scene(&s, &r);
            load(&s, path, kinds[k].layout == TESS_LAYOUT_SPARSE);
            s.conduct.latency = FAR;
            s.conduct.requests = bounds[i];
            s.conduct.order = ORDER_THREADS;
            s.conduct.tells = i % 2;
            s.context.threads = 4;
            s.context.cache = 0;
            ok(open_here(&s, err));
            s.conduct.pause = 100;
            for (int q = 0; q < QUESTIONS; q++) {
                atomic_store(&s.conduct.most, 0);
                ask(&questions[q], s.here, (uint64_t)q, &first);
                assert_int_equal(first.status, TESS_OK);
                if (atomic_load(&s.conduct.most) > bounds[i])
                    fail_msg("%s, %s: %d requests at once, %d allowed", kinds[k].name,
                             questions[q].name, atomic_load(&s.conduct.most), bounds[i]);
            }
            close_here(&s);
        }
        files_remove(path);
    }
}

// Without its N-dimensional layer: a frame of chunks, read as one dimension.
static void
take_layer(const char *path)
{
    char index[1000];
    size_t size;
    (void)snprintf(index, sizeof index, "%s/chunks.b2frame", path);
    uint8_t *const b = files_read(index, &size);
    assert_true(b);
    for (size_t i = 0; i + 9 <= size; i++) {
        if (memcmp(b + i, "b2nd\xd2", 5) != 0)
            continue;
        const size_t at = (size_t)b[i + 7] << 8 | b[i + 8]; // of the content, behind 5 bytes
        assert_true(at + 8 <= size);
        b[i + 3] = 'x';
        b[at + 7] = 0x7f; // no number of dimensions
    }
    files_write(index, b, size);
    free(b);
}

// The same of a directory without such a layer. What chunks that are read in part need is known
// once they are open.
static void
requests_of_plain_directories(void **state)
{
    const char *const path = make_with(&kinds[7], 5, TESS_CHECKSUMS_NONE);
    struct random r;
    (void)state;
    random_init(&r, 1);
    take_layer(path);
    for (int i = 0; i < 20; i++) {
        struct scene s;
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 1 + i % 2;
        s.conduct.pause = 1000;
        open_there(&s);
        ok(open_here(&s, err));
        atomic_store(&s.conduct.most, 0);
        compare(s.here, s.there, &questions[i / 2 % 2], random_next(&r), "plain directory");
        if (atomic_load(&s.conduct.most) > s.conduct.requests)
            fail_msg("%d requests at once, %d allowed", atomic_load(&s.conduct.most),
                     s.conduct.requests);
        ok(tess_array_close(s.there, err));
        close_here(&s);
    }
    files_remove(path);
}

// Chunks that lie behind each other come with a few requests; with little memory, with one each.
static void
requests_for_small_chunks(void **state)
{
    static const struct {
        int64_t ahead; // bytes
        int64_t most; // requests; 0: the number of stored chunks
    } cases[] = {{0, 10}, {TESS_AHEAD_DEFAULT, 10}, {1, 0}};
    const struct kind *const k = &kinds[2];
    const int64_t origin[TESS_MAX_NDIM] = {0};
    const char *const path = make(k, 5);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, false);
        s.conduct.latency = FAR;
        s.context.ahead = cases[i].ahead;
        ok(open_here(&s, err));
        tess_array_info(s.here, &info);
        const int before = atomic_load(&s.conduct.ranges);
        ok(tess_array_read(s.here, origin, info.shape, first.bytes, ANSWER, err));
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int64_t most = cases[i].most > 0 ? cases[i].most : info.nstored + 10;
        if (found > most)
            fail_msg("ahead %d: %d requests, %d expected", (int)cases[i].ahead, found, (int)most);
        close_here(&s);
    }
    files_remove(path);
}

// Calls that read an array piece by piece need far fewer requests than there are chunks, whatever
// their number of threads.
static void
ask_chunks(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    atomic_ullong sum = 0;
    (void)r;
    w->status = tess_array_each(a, TESS_CHUNKS, origin, info->shape, sum_part, &sum, &w->error);
}

static void
ask_stencil(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    static const int64_t halo[TESS_MAX_NDIM] = {1, 1, 1};
    atomic_ullong sum = 0;
    tess_map_options options;
    const tess_array *const inputs[] = {a, a};
    (void)info, (void)r;
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_NEAREST;
    w->status = tess_map(inputs, 2, NULL, 0, NULL, NULL, &options, sum_box, &sum, &w->error);
    const unsigned long long x = atomic_load(&sum);
    answer_add(w, &x, sizeof x);
}

static void
requests_of_pieces(void **state)
{
    static const struct question pieces[] = {{"chunks", ask_chunks, 0, true},
                                             {"reduce", ask_reduce, 0, true},
                                             {"stencil", ask_stencil, 0, true},
                                             {"downsample", ask_downsample, 0, true}};
    const char *const path = make(&kinds[0], 5);
    (void)state;
    for (int i = 0; i < 2 * (int)(sizeof pieces / sizeof *pieces); i++) {
        struct scene s;
        struct random r;
        tess_info info;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, false);
        s.conduct.latency = FAR;
        s.context.ahead = TESS_AHEAD_DEFAULT;
        s.context.cache = 0;
        s.context.threads = 1 + i % 2;
        ok(open_here(&s, err));
        s.conduct.pause = 1000;
        tess_array_info(s.here, &info);
        int found = INT_MAX; // the least of several calls: a busy machine coalesces fewer requests
        for (int try = 0; try < 4 && found > info.nstored / 2; try++) {
            const int before = atomic_load(&s.conduct.ranges);
            ask(&pieces[i / 2], s.here, 8, &first);
            assert_int_equal(first.status, TESS_OK);
            const int now = atomic_load(&s.conduct.ranges) - before;
            found = now < found ? now : found;
        }
        close_here(&s);
        if (found > info.nstored / 2)
            fail_msg("%s: %d requests for %d chunks", pieces[i / 2].name, found, (int)info.nstored);
    }
    files_remove(path);
}

// An array of many chunks, in file order or any other, whose stored sizes differ much. Of each
// `every` only the first is stored. The path is as in make().
struct written {
    const char *why;
    bool delta, shuffled;
    int n, every;
    tess_layout layout;
};
enum { WRITTEN_MOST = 400, WRITTEN_ITEMS = 40000, WRITTEN_BLOCK = 4000 };

static const char *
make_written(const struct written *w)
{
    static int32_t items[WRITTEN_ITEMS];
    const char *const path = files_path("array");
    int order[WRITTEN_MOST];
    struct random r;
    tess_storage storage;
    tess_params p;
    tess_array *a;
    random_init(&r, 7);
    tess_params_init(&p);
    p.dtype = NATIVE "i4";
    p.ndim = 1;
    p.shape[0] = (int64_t)w->n * WRITTEN_ITEMS;
    p.chunkshape[0] = WRITTEN_ITEMS;
    p.blockshape[0] = WRITTEN_BLOCK;
    p.codec = TESS_CODEC_LZ4;
    p.clevel = 5;
    memset(p.filters, 0, sizeof p.filters);
    p.layout = w->layout;
    p.filters[TESS_MAX_FILTERS - 2] = w->delta ? TESS_FILTER_DELTA : 0;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_REPLACE;
    ok(tess_array_zeros(&storage, &p, &a, err));
    for (int i = 0; i < w->n; i++) {
        const int k = w->shuffled ? (int)random_below(&r, (uint64_t)i + 1) : i;
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < w->n; i++) {
        const int64_t start = (int64_t)order[i] * WRITTEN_ITEMS, stop = start + WRITTEN_ITEMS;
        const int bits = 4 + (int)random_below(&r, 26);
        for (int k = 0; k < WRITTEN_ITEMS; k++)
            items[k] = (int32_t)(random_next(&r) >> (64 - bits));
        if (order[i] % w->every == 0)
            ok(tess_array_write(a, &start, &stop, items, sizeof items, err));
    }
    ok(tess_array_close(a, err));
    return path;
}

static void
open_to_count(struct scene *s, const char *path, bool directory, tess_checksums checksums)
{
    struct random r;
    random_init(&r, 1);
    draw_scene(s, &r);
    load(s, path, directory);
    s->conduct.latency = FAR;
    s->conduct.requests = 8;
    s->conduct.ends = true;
    s->conduct.guarded = true;
    s->context.cache = 0;
    s->context.ahead = 0;
    s->checksums = checksums;
    ok(open_here(s, err));
}

// Of each chunk an item, with a call of its own: a chunk that is compared comes with one request,
// of another one what opening needs, and then a block. One in a hundred may take one more.
static void
requests_for_single_items(void **state)
{
    static const struct {
        struct written written;
        tess_checksums checksums;
        int requests; // a chunk
    } cases[] = {
        {{"compared, in file order", false, false, 100, 1, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, in any order", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, few are stored", false, false, 400, 20, TESS_LAYOUT_CONTIGUOUS},
         TESS_CHECKSUMS_VERIFY,
         1},
        {{"compared, delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_VERIFY, 1},
        {{"delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct written *const w = &cases[i].written;
        const char *const path = make_written(w);
        struct scene s;
        open_to_count(&s, path, false, cases[i].checksums);
        open_there(&s);
        const int before = atomic_load(&s.conduct.ranges);
        for (int64_t n = 0; n < w->n; n++) {
            const int64_t start = n * WRITTEN_ITEMS + 3 * WRITTEN_BLOCK + n, stop = start + 1;
            ok(tess_array_read(s.here, &start, &stop, first.bytes, ANSWER, err));
            ok(tess_array_read(s.there, &start, &stop, second.bytes, ANSWER, err));
            assert_memory_equal(first.bytes, second.bytes, 4);
        }
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int stored = w->n / w->every, most = stored * cases[i].requests + stored / 100;
        if (found < stored || found > most)
            fail_msg("%s: %d requests for %d chunks, %d at most", w->why, found, stored, most);
        ok(tess_array_close(s.there, err));
        close_here(&s);
        files_remove(path);
    }
}

// Each chunk as a whole, with one request; one in a hundred may take one more. In a directory, the
// request that opens an object may bring all of it.
static void
requests_for_whole_chunks(void **state)
{
    static const struct {
        struct written written;
        tess_checksums checksums;
        int requests; // a chunk
    } cases[] = {
        {{"a file", false, false, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"any order", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"few stored", false, false, 400, 20, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"delta", true, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_WRITE, 1},
        {{"compared", false, true, 100, 1, TESS_LAYOUT_CONTIGUOUS}, TESS_CHECKSUMS_VERIFY, 1},
        {{"a directory", false, false, 100, 1, TESS_LAYOUT_SPARSE}, TESS_CHECKSUMS_WRITE, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct written *const w = &cases[i].written;
        const bool directory = w->layout == TESS_LAYOUT_SPARSE;
        const char *const path = make_written(w);
        struct scene s;
        open_to_count(&s, path, directory, cases[i].checksums);
        open_there(&s);
        const int before = atomic_load(&s.conduct.ranges);
        for (int64_t n = 0; n < w->n; n++) {
            const size_t size = (size_t)WRITTEN_ITEMS * 4;
            ok(tess_schunk_decode(s.here, n, first.bytes, size, err));
            ok(tess_schunk_decode(s.there, n, second.bytes, size, err));
            assert_memory_equal(first.bytes, second.bytes, size);
        }
        const int found = atomic_load(&s.conduct.ranges) - before;
        const int stored = w->n / w->every, most = stored * cases[i].requests + stored / 100;
        if ((found < stored && !directory) || found > most)
            fail_msg("%s: %d requests for %d chunks, %d at most", w->why, found, stored, most);
        ok(tess_array_close(s.there, err));
        close_here(&s);
        files_remove(path);
    }
}

// In a directory, a chunk that is compared is read when its object is opened.
static void
requests_for_checked_parts(void **state)
{
    static const struct written written = {.n = 100, .every = 1, .layout = TESS_LAYOUT_SPARSE};
    const int64_t start = 7, stop = 100 * WRITTEN_ITEMS, step = WRITTEN_ITEMS;
    const char *const path = make_written(&written);
    struct scene s;
    (void)state;
    open_to_count(&s, path, true, TESS_CHECKSUMS_VERIFY);
    open_there(&s);
    const int before = atomic_load(&s.conduct.reads);
    ok(tess_array_get_slice(s.here, &start, &stop, &step, first.bytes, ANSWER, NULL, err));
    ok(tess_array_get_slice(s.there, &start, &stop, &step, second.bytes, ANSWER, NULL, err));
    assert_memory_equal(first.bytes, second.bytes, 400);
    const int found = atomic_load(&s.conduct.reads) - before;
    if (found < 100 || found > 103)
        fail_msg("%d requests for 100 chunks, and for the index", found);
    ok(tess_array_close(s.there, err));
    close_here(&s);
    files_remove(path);
}

// A directory opens with one request if its source is guarded, else the index is compared with a
// second one; at the end of a call that is one request.
static void
requests_for_directories(void **state)
{
    const char *const path = make(&kinds[6], 5);
    const int64_t start[] = {10, 10}, stop[] = {20, 20};
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++) {
        struct scene s;
        struct random r;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.guarded = guarded;
        s.conduct.ends = true;
        ok(open_here(&s, err));
        assert_int_equal(atomic_load(&s.conduct.reads), guarded ? 1 : 2);
        ok(tess_array_read(s.here, start, stop, first.bytes, ANSWER, err));
        assert_int_equal(atomic_load(&s.conduct.reads), (guarded ? 1 : 2) + 2);
        close_here(&s);
    }
    files_remove(path);
}

// It has become `other` when that read is over.
static void
read_replaced(const char *path, const char *other, const struct kind *k, int at, bool guarded,
              struct random *r)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    struct scene s;
    draw_scene(&s, r);
    load(&s, path, true);
    s.conduct.guarded = guarded;
    s.conduct.other = other;
    open_there(&s);
    ok(open_here(&s, err));
    s.conduct.replaced_at = atomic_load(&s.conduct.reads) + at;
    const tess_status st =
        tess_array_read(s.here, origin, k->shape, first.bytes, ANSWER, &first.error);
    ok(tess_array_read(s.there, origin, k->shape, second.bytes, ANSWER, err));
    if (st == TESS_OK)
        assert_memory_equal(first.bytes, second.bytes, (size_t)nitems_of(k) * 4);
    else if (st != TESS_ERR_STALE)
        fail_msg("%s", first.error.message);
    assert_true(st == TESS_ERR_STALE || at > 20); // there are 28 chunks
    ok(tess_array_close(s.there, err));
    close_here(&s);
}

// The same of calls that read in pieces, and verify what they read.
static void
ask_replaced(const char *path, const char *other, const struct question *q, int at, bool guarded,
             struct random *r)
{
    const uint64_t seed = random_next(r);
    struct scene s;
    draw_scene(&s, r);
    load(&s, path, true);
    s.checksums = TESS_CHECKSUMS_VERIFY;
    s.conduct.guarded = guarded;
    s.conduct.other = other;
    open_there(&s);
    ok(open_here(&s, err));
    s.conduct.replaced_at = atomic_load(&s.conduct.reads) + at;
    ask(q, s.here, seed, &first);
    ask(q, s.there, seed, &second);
    if (first.status != TESS_ERR_STALE && (first.status != TESS_OK || first.size != second.size ||
                                           memcmp(first.bytes, second.bytes, first.size) != 0))
        fail_msg("%s: %s (%s)", q->name, tess_status_name(first.status), first.error.message);
    ok(tess_array_close(s.there, err));
    close_here(&s);
}

// A directory that is replaced, at any read, brings what was there or TESS_ERR_STALE, also where
// only the contents of chunks differ, not their sizes.
static void
replaced_directories(void **state)
{
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int raw = 0; raw < 2; raw++) {
        const char *const other = files_path("other");
        struct kind k = kinds[6];
        k.clevel = raw ? 0 : k.clevel;
        k.holes = !raw;
        assert_int_equal(rename(make(&k, 6), other), 0);
        const char *const path = make(&k, 5);
        for (int i = 0; i < 80; i++)
            read_replaced(path, other, &k, i / 2, i % 2, &r);
        for (int i = 0; i < 80; i++) {
            const struct question *q = draw_question(&r);
            while (!q->pieces && q->ask != ask_copy)
                q = draw_question(&r);
            ask_replaced(path, other, q, i / 2, i % 2, &r);
        }
        files_remove(path);
        files_remove(other);
    }
}

// A chunk that is compared and longer than one request should be comes with several at once.
static void
requests_for_a_long_chunk(void **state)
{
    const char *const path = make(&kinds[3], 5);
    const int64_t start = 5 << 20, stop = start + 10;
    struct scene s;
    (void)state;
    open_to_count(&s, path, false, TESS_CHECKSUMS_VERIFY);
    open_there(&s);
    s.conduct.pause = 2000;
    s.conduct.order = ORDER_THREADS;
    atomic_store(&s.conduct.most, 0);
    const int ranges = atomic_load(&s.conduct.ranges), reads = atomic_load(&s.conduct.reads);
    ok(tess_array_read(s.here, &start, &stop, first.bytes, ANSWER, err));
    ok(tess_array_read(s.there, &start, &stop, second.bytes, ANSWER, err));
    assert_memory_equal(first.bytes, second.bytes, 10);
    assert_int_equal(atomic_load(&s.conduct.reads) - reads, 1);
    assert_int_equal(atomic_load(&s.conduct.ranges) - ranges, 3); // of 4 MiB at most
    assert_true(atomic_load(&s.conduct.most) >= 2);
    ok(tess_array_close(s.there, err));
    close_here(&s);
    files_remove(path);
}

// Of the file of a chunk, no more is read ahead than a chunk can have. What is behind its end was
// left by another writer.
static void
ends_of_parts_are_not_read(void **state)
{
    static const struct question questions_of_all[] = {{"verify", ask_verify, 0, false},
                                                       {"image", ask_image, 0, false}};
    enum { CHUNK_SIZE = 100 * 200 * 4, LONGER = 4 << 20 };
    const char *const path = make(&kinds[6], 5);
    char part[1000];
    size_t size;
    (void)state;
    (void)snprintf(part, sizeof part, "%s/00000000.chunk", path);
    uint8_t *const bytes = files_read(part, &size);
    uint8_t *const longer = calloc(1, LONGER);
    assert_true(bytes && longer && size <= CHUNK_SIZE + 32);
    memcpy(longer, bytes, size);
    files_write(part, longer, LONGER);
    for (int i = 0; i < 2; i++) {
        struct scene s;
        tess_info info;
        open_to_count(&s, path, true, TESS_CHECKSUMS_WRITE);
        open_there(&s);
        tess_array_info(s.here, &info);
        atomic_store(&s.conduct.nbytes, 0);
        compare(s.here, s.there, &questions_of_all[i], 1, "directory");
        const long long most = (info.nstored + 1) * (CHUNK_SIZE + 32);
        if (atomic_load(&s.conduct.nbytes) > most)
            fail_msg("%s: %lld bytes read, %lld at most", questions_of_all[i].name,
                     atomic_load(&s.conduct.nbytes), most);
        ok(tess_array_close(s.there, err));
        close_here(&s);
    }
    free(bytes);
    free(longer);
    files_remove(path);
}

static void
ask_all(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status = tess_array_read(a, origin, info->shape, w->bytes, ANSWER, &w->error);
}

// A function that is slower than the source.
static tess_each_next
pass_slowly(const tess_part *part, void *user)
{
    (void)part, (void)user;
    usleep(3000);
    return TESS_EACH_NEXT;
}

static void
ask_slow_each(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status = tess_array_each(a, TESS_CHUNKS, origin, info->shape, pass_slowly, NULL, &w->error);
}

// Files of a directory that are open keep bytes in memory: all of a chunk that is compared, else
// its first ones. A call opens no more early than it may hold, tess_context.ahead: here, 4 to 6.
static void
directories_are_held_in_part(void **state)
{
    static const struct written written = {.n = 40, .every = 1, .layout = TESS_LAYOUT_SPARSE};
    static const struct question readers[] = {{"read", ask_all, 0, false},
                                              {"slow each", ask_slow_each, 0, false},
                                              {"image", ask_image, 0, false},
                                              {"verify", ask_verify, 0, false}};
    enum { READERS = sizeof readers / sizeof *readers, AHEAD = 400000, MOST_OPEN = 10 };
    const char *const path = make_written(&written);
    (void)state;
    for (int i = 0; i < 2 * READERS; i++) {
        struct scene s;
        struct random r;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.requests = 16;
        s.context.threads = 1;
        s.context.cache = 0;
        s.context.ahead = AHEAD;
        s.checksums = i / READERS ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
        ok(open_here(&s, err));
        atomic_store(&s.conduct.most_open, 0);
        ask(&readers[i % READERS], s.here, 1, &first);
        assert_int_equal(first.status, TESS_OK);
        if (atomic_load(&s.conduct.most_open) > MOST_OPEN)
            fail_msg("%s: %d files are open", readers[i % READERS].name,
                     atomic_load(&s.conduct.most_open));
        close_here(&s);
    }
    files_remove(path);
}

// Parts that lack a function are closed, too.
static void
parts_without_functions(void **state)
{
    const char *const path = make(&kinds[6], 5);
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene s;
        tess_error error;
        struct random r;
        random_init(&r, 1);
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.lacks = "rs"[i];
        assert_int_equal(open_here(&s, &error), TESS_ERR_ARG);
        check_error(&error, TESS_ERR_ARG, "open");
        assert_true(atomic_load(&s.conduct.opened) > 0);
        check_closed(&s, false);
    }
    files_remove(path);
}

// An object of a directory is closed when no read of it runs any more, also where its bytes have
// arrived before.
static void
objects_are_closed_after_reads(void **state)
{
    static const struct written written = {
        .n = 20, .every = 1, .shuffled = true, .layout = TESS_LAYOUT_SPARSE};
    const int64_t start = 7, stop = 20 * WRITTEN_ITEMS - 7;
    const char *const path = make_written(&written);
    struct scene s;
    (void)state;
    open_to_count(&s, path, true, TESS_CHECKSUMS_WRITE);
    open_there(&s);
    s.conduct.tells = true;
    s.conduct.lingers = 20000;
    ok(tess_array_read(s.here, &start, &stop, first.bytes, ANSWER, err));
    ok(tess_array_read(s.there, &start, &stop, second.bytes, ANSWER, err));
    assert_memory_equal(first.bytes, second.bytes, (size_t)(stop - start) * 4);
    ok(tess_array_close(s.there, err));
    close_here(&s);
    files_remove(path);
}

// Each chunk is read as its object is opened.
static const struct kind short_chunks = {
    .dtype = "<i4",
    .ndim = 1,
    .shape = {400000},
    .chunkshape = {10000},
    .blockshape = {1000},
    .codec = TESS_CODEC_LZ4,
    .noise = 20,
    .layout = TESS_LAYOUT_SPARSE,
};
#define FIRST_CHUNK "00000000.chunk"

// Of a directory whose objects block, but for those that begin with `spared`, and the index, which
// is compared last.
static void
ask_blocked(const char *path, const char *spared, const struct question *q, tess_status expected)
{
    struct scene s;
    struct random r;
    random_init(&r, 1);
    draw_scene(&s, &r);
    load(&s, path, true);
    s.conduct.latency = FAR;
    s.conduct.requests = 8;
    s.conduct.ends = false;
    s.context.threads = 1;
    s.context.cache = 0;
    s.checksums = TESS_CHECKSUMS_WRITE;
    ok(open_here(&s, err));
    s.conduct.spared = spared;
    s.conduct.blocks = true;
    ask(q, s.here, 1, &first);
    if (first.status != expected || atomic_load(&s.conduct.never_cancelled))
        fail_msg("%s: %s (%s)%s", q->name, tess_status_name(first.status), first.error.message,
                 atomic_load(&s.conduct.never_cancelled) ? ", a read was not cancelled" : "");
    s.conduct.blocks = false;
    close_here(&s);
}

// Of a directory, the objects that are being opened for later do not keep a call that has failed,
// since the first chunk is missing.
static void
openings_end_with_the_call(void **state)
{
    static const struct question failing[] = {{"read", ask_all, 0, false},
                                              {"image", ask_image, 0, false}};
    const char *const path = make(&short_chunks, 5);
    char part[1000];
    (void)state;
    (void)snprintf(part, sizeof part, "%s/%s", path, FIRST_CHUNK);
    files_remove(part);
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
        ask_blocked(path, FIRST_CHUNK, &failing[i], TESS_ERR_IO);
    files_remove(path);
}

// The fifth part ends the call; at the first, I/O threads are given time.
static tess_each_next
stop_at_fifth(const tess_part *part, void *user)
{
    (void)user;
    if (part->chunk == 0)
        usleep(20000);
    return part->chunk < 4 ? TESS_EACH_NEXT : TESS_EACH_STOP;
}

static void
ask_first_chunks(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status =
        tess_array_each(a, TESS_CHUNKS, origin, info->shape, stop_at_fifth, NULL, &w->error);
}

// Chunks that are open are read while all I/O threads open others, those from the 17th on.
static void
open_chunks_do_not_wait(void **state)
{
    static const struct question stopped = {"stopped each", ask_first_chunks, 0, true};
    const char *const path = make(&short_chunks, 5);
    (void)state;
    ask_blocked(path, "0000000", &stopped, TESS_OK);
    files_remove(path);
}

// A function that ends the call after some boxes.
static tess_each_next
stop_soon(const tess_map_part *part, void *user)
{
    (void)part;
    return atomic_fetch_sub((atomic_int *)user, 1) > 1 ? TESS_EACH_NEXT : TESS_EACH_STOP;
}

static void
ask_stopped_map(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const tess_array *const inputs[] = {a, a, a};
    atomic_int left = 1 + (int)random_below(r, 6);
    tess_map_options options;
    (void)info;
    tess_map_options_init(&options);
    w->status = tess_map(inputs, 3, NULL, 0, NULL, NULL, &options, stop_soon, &left, &w->error);
}

// Inputs that are one directory open the same objects, each for itself, and close them while others
// are read, or when the call ends early.
static void
maps_of_one_directory(void **state)
{
    static const struct written written = {
        .n = 40, .every = 1, .shuffled = true, .layout = TESS_LAYOUT_SPARSE};
    static const struct question maps[] = {{"map", ask_stencil, 0, true},
                                           {"stopped map", ask_stopped_map, 0, true}};
    static const int64_t aheads[] = {1, 100000, 300000, 1000000, TESS_AHEAD_DEFAULT};
    const char *const path = make_written(&written);
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int64_t i = random_cases(8, 200); i > 0; i--) {
        struct scene s;
        draw_scene(&s, &r);
        load(&s, path, true);
        s.conduct.latency = FAR;
        s.conduct.pause = (int)random_below(&r, 5000);
        s.conduct.lingers = (int)random_below(&r, 5000);
        s.context.ahead = aheads[random_below(&r, sizeof aheads / sizeof *aheads)];
        s.checksums = TESS_CHECKSUMS_WRITE;
        open_there(&s);
        ok(open_here(&s, err));
        compare(s.here, s.there, &maps[i % 2], random_next(&r), "directory");
        ok(tess_array_close(s.there, err));
        close_here(&s);
    }
    files_remove(path);
}

// -- fork

static void
parent_and_child_read(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k += 6) {
        const char *const path = make(&kinds[k], 5);
        struct scene s;
        struct random r;
        random_init(&r, 3);
        draw_scene(&s, &r);
        load(&s, path, kinds[k].layout == TESS_LAYOUT_SPARSE);
        s.conduct.latency = FAR;
        s.conduct.order = ORDER_UP;
        s.context.threads = 2;
        open_there(&s);
        ok(open_here(&s, err));
        compare(s.here, s.there, &questions[0], 1, kinds[k].name);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            ask(&questions[0], s.here, 2, &first);
            ask(&questions[0], s.there, 2, &second);
            const bool same = first.status == TESS_OK && first.size == second.size &&
                              memcmp(first.bytes, second.bytes, first.size) == 0;
            _exit(same ? 0 : 1);
        }
        for (uint64_t i = 2; i < 6; i++)
            compare(s.here, s.there, &questions[0], i, kinds[k].name);
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        ok(tess_array_close(s.there, err));
        close_here(&s);
        files_remove(path);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_like_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(arrays_of_other_writers, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(lying_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(blocked_calls_end, setup, teardown),
        cmocka_unit_test_setup_teardown(blocked_copies_end, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_ranges_overlap, setup, teardown),
        cmocka_unit_test_setup_teardown(directories_are_read_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_of_plain_directories, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_small_chunks, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_of_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_single_items, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_whole_chunks, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_checked_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_directories, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced_directories, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_for_a_long_chunk, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_of_parts_are_not_read, setup, teardown),
        cmocka_unit_test_setup_teardown(directories_are_held_in_part, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_without_functions, setup, teardown),
        cmocka_unit_test_setup_teardown(objects_are_closed_after_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(openings_end_with_the_call, setup, teardown),
        cmocka_unit_test_setup_teardown(open_chunks_do_not_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_of_one_directory, setup, teardown),
        cmocka_unit_test_setup_teardown(parent_and_child_read, setup, teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
