/*
 * far_questions.c - calls with drawn arguments, and their answers.
 */
#include "support/far_questions.h"

#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 60 };

struct answer far_first, far_second;
const tess_context *far_made_with;

void
far_answer_add(struct answer *w, const void *bytes, size_t size)
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

tess_each_next
far_sum_part(const tess_part *part, void *user)
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
                                far_sum_part, &sum, &w->error);
    const unsigned long long x = atomic_load(&sum);
    far_answer_add(w, &x, sizeof x);
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

void
far_ask_reduce(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int axis = info->ndim > 0 ? (int)random_below(r, (uint64_t)info->ndim) : 0;
    tess_storage storage;
    tess_array *made;
    tess_storage_init(&storage);
    storage.context = far_made_with;
    w->status = tess_array_reduce(a, TESS_REDUCE_MAX, &axis, info->ndim > 0, NULL, &storage, NULL,
                                  &made, &w->error);
    answer_array(w, made);
}

void
far_ask_downsample(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    int64_t factors[TESS_MAX_NDIM];
    tess_storage storage;
    tess_array *made;
    for (int i = 0; i < info->ndim; i++)
        factors[i] = 1 + (int64_t)random_below(r, 5);
    tess_storage_init(&storage);
    storage.context = far_made_with;
    w->status = tess_array_downsample(a, TESS_DOWNSAMPLE_MAX, factors, NULL, &storage, NULL, &made,
                                      &w->error);
    answer_array(w, made);
}

tess_each_next
far_sum_box(const tess_map_part *part, void *user)
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
                         far_sum_box, &sum, &w->error);
    ok(tess_array_close(other, err));
    const unsigned long long x = atomic_load(&sum);
    far_answer_add(w, &x, sizeof x);
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
    far_answer_add(w, &s.count, sizeof s.count);
    far_answer_add(w, &s.min.i, sizeof s.min.i);
    far_answer_add(w, &s.max.i, sizeof s.max.i);
    far_answer_add(w, &s.integer, sizeof s.integer);
}

void
far_ask_copy(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    tess_storage storage;
    tess_params p;
    tess_array *made;
    (void)info;
    tess_storage_init(&storage);
    storage.context = far_made_with;
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

void
far_ask_image(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    void *image;
    size_t size;
    (void)info, (void)r;
    w->status = tess_array_to_image(a, &image, &size, &w->error);
    if (w->status == TESS_OK && size <= ANSWER)
        far_answer_add(w, image, size);
    if (w->status == TESS_OK)
        tess_free(image);
}

void
far_ask_verify(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    tess_verdict v;
    (void)info, (void)r;
    w->status = tess_array_verify(a, NULL, NULL, &v, &w->error);
    if (w->status != TESS_OK)
        return;
    const int64_t found[] = {v.nstored,  v.nright,   v.nunknown, v.ndamaged,
                             v.nuntried, v.nspecial, v.nmissing, v.fine};
    far_answer_add(w, found, sizeof found);
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
        far_ask_reduce(view, &seen, r, w);
    } else {
        w->status = tess_array_read(view, origin, count, w->bytes, ANSWER, &w->error);
    }
    ok(tess_array_close(view, err));
}

void
far_ask_all(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    (void)r;
    w->status = tess_array_read(a, origin, info->shape, w->bytes, ANSWER, &w->error);
}

void
far_ask_stencil(tess_array *a, const tess_info *info, struct random *r, struct answer *w)
{
    static const int64_t halo[TESS_MAX_NDIM] = {1, 1, 1};
    atomic_ullong sum = 0;
    tess_map_options options;
    const tess_array *const inputs[] = {a, a};
    (void)info, (void)r;
    tess_map_options_init(&options);
    options.halo = halo;
    options.edge = TESS_EDGE_NEAREST;
    w->status = tess_map(inputs, 2, NULL, 0, NULL, NULL, &options, far_sum_box, &sum, &w->error);
    const unsigned long long x = atomic_load(&sum);
    far_answer_add(w, &x, sizeof x);
}

const struct question far_questions[FAR_QUESTIONS] = {
    {"box", ask_box, 4, false},
    {"slice", ask_slice, 4, false},
    {"points", ask_points, 4, false},
    {"orthogonal", ask_orthogonal, 3, false},
    {"mask", ask_mask, 2, false},
    {"each", ask_each, 2, true},
    {"reduce", far_ask_reduce, 1, true},
    {"statistics", ask_statistics, 1, false},
    {"copy", far_ask_copy, 1, false},
    {"image", far_ask_image, 1, false},
    {"verify", far_ask_verify, 1, false},
    {"view", ask_view, 2, true},
    {"map", ask_map, 1, true},
    {"downsample", far_ask_downsample, 1, true},
};
const struct question *
far_draw_question(struct random *r)
{
    for (;;) {
        const struct question *const q = &far_questions[random_below(r, FAR_QUESTIONS)];
        if ((int)random_below(r, 4) < q->weight)
            return q;
    }
}

void
far_ask(const struct question *q, tess_array *a, uint64_t seed, struct answer *w)
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

void
far_compare(tess_array *here, tess_array *there, const struct question *q, uint64_t seed,
            const char *name)
{
    far_ask(q, here, seed, &far_first);
    far_ask(q, there, seed, &far_second);
    if (far_first.status != far_second.status)
        fail_msg("%s, %s: %s in a source (%s), %s (%s) in a file", name, q->name,
                 tess_status_name(far_first.status), far_first.error.message,
                 tess_status_name(far_second.status), far_second.error.message);
    if (far_first.status == TESS_OK &&
        (far_first.size != far_second.size ||
         memcmp(far_first.bytes, far_second.bytes, far_first.size) != 0))
        fail_msg("%s, %s: other bytes in a source", name, q->name);
}

int
far_setup(void **state)
{
    far_first.bytes = malloc(ANSWER);
    far_second.bytes = malloc(ANSWER);
    return !far_first.bytes || !far_second.bytes || files_setup(state);
}

int
far_teardown(void **state)
{
    free(far_first.bytes);
    free(far_second.bytes);
    return files_teardown(state);
}
