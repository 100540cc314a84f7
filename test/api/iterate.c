/*
 * iterate.c - blocks and chunks handed out, looked at and changed, against the slow reference:
 * random arrays, files of other writers, stopping and failing.
 */
#include "support/draw.h"
#include "support/exact.h"
#include "support/files.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES_SHORT = 150, CASES_LONG = 20000 };

static const struct draw_limits limits = {
    .ndim = 8, .items = 3000, .bytes = 900000, .chunks = 1000};

static uint64_t running; // the seed of the case that runs

// -- somebody who looks

struct looker {
    const tess_array *a;
    tess_info info;
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM];
    tess_unit unit;
    struct reference *items; // what was seen, or is there; different parts, different bytes
    unsigned char *times; // each item was handed out
    atomic_llong nparts;
    atomic_llong wrong; // parts that are not where they say
    int64_t last_part; // that is answered with
    tess_each_next answer;
    uint64_t salt; // which parts are changed, and to what
};

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Whether a part is all of its block or chunk that the box has.
static bool
right_place(const struct looker *l, const tess_part *part)
{
    const tess_info *const info = &l->info;
    const bool block = part->block >= 0;
    int64_t nchunk = 0, nblock = 0;
    bool right = part->ndim == info->ndim;

    if (info->plain)
        return right && !block && part->chunk >= 0 && part->chunk < info->nchunks;
    right &= block || l->unit == TESS_CHUNKS || strcmp(info->layer, "caterva") == 0;
    for (int i = 0; i < info->ndim; i++) {
        const int64_t c = info->chunkshape[i], b = info->blockshape[i];
        const int64_t at = part->start[i] / c, rest = part->start[i] % c;
        const int64_t chunk_end = least(at * c + c, l->stop[i]);
        const int64_t end = block ? least(at * c + rest / b * b + b, chunk_end) : chunk_end;
        const int64_t origin = at * c + (block ? rest / b * b : 0);
        nchunk = nchunk * ((info->shape[i] + c - 1) / c) + at;
        nblock = nblock * ((c + b - 1) / b) + rest / b;
        right &= part->start[i] == (origin > l->start[i] ? origin : l->start[i]);
        right &= part->stop[i] == end && part->start[i] < end;
    }
    return right && part->chunk == nchunk && (!block || part->block == nblock) &&
           (info->ndim == 0 || part->strides[info->ndim - 1] == info->typesize);
}

// The next item of a part; false behind the last.
static bool
step(const tess_part *part, int64_t *at)
{
    for (int i = part->ndim - 1; i >= 0; i--) {
        if (++at[i] < part->stop[i] - part->start[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static int64_t
offset_in_part(const tess_part *part, const int64_t *at)
{
    int64_t offset = 0;
    for (int i = 0; i < part->ndim; i++)
        offset += at[i] * part->strides[i];
    return offset;
}

static int64_t
index_in_array(const struct reference *ref, const tess_part *part, const int64_t *at)
{
    int64_t index = 0;
    for (int i = 0; i < part->ndim; i++)
        index = index * ref->shape[i] + part->start[i] + at[i];
    return index;
}

static bool
aligned(const tess_part *part, size_t ts)
{
    size_t align = 1;
    while (ts % (align * 2) == 0 && align < _Alignof(max_align_t))
        align *= 2;
    return (uintptr_t)part->items % align == 0;
}

static tess_each_next
answer(struct looker *l, tess_each_next otherwise)
{
    return atomic_fetch_add(&l->nparts, 1) == l->last_part ? l->answer : otherwise;
}

static tess_each_next
look(const tess_part *part, void *user)
{
    struct looker *const l = user;
    const size_t ts = l->items->typesize;
    int64_t at[TESS_MAX_NDIM] = {0};

    if (!right_place(l, part) || !aligned(part, ts))
        atomic_fetch_add(&l->wrong, 1);
    do {
        const int64_t index = index_in_array(l->items, part, at);
        memcpy(l->items->data + (size_t)index * ts,
               (const uint8_t *)part->items + offset_in_part(part, at), ts);
        l->times[index]++;
    } while (step(part, at));
    return answer(l, TESS_EACH_NEXT);
}

static void
looker_init(struct looker *l, const tess_array *a, tess_unit unit, const int64_t *start,
            const int64_t *stop)
{
    memset(l, 0, sizeof *l);
    l->a = a;
    l->unit = unit;
    l->last_part = -1;
    tess_array_info(a, &l->info);
    for (int i = 0; i < l->info.ndim; i++) {
        l->start[i] = start ? start[i] : 0;
        l->stop[i] = stop ? stop[i] : l->info.shape[i];
    }
    l->times = calloc((size_t)l->info.nitems + 1, 1);
    assert_non_null(l->times);
}

// Whether items inside the box, and no others, were handed out once, and are those of `want`.
static void
check_seen(const struct looker *l, const struct reference *want, const char *what)
{
    const size_t ts = want->typesize;
    int64_t wrong = atomic_load(&l->wrong);
    for (int64_t k = 0; k < reference_nitems(want->ndim, want->shape); k++) {
        int64_t rest = k;
        bool inside = true;
        for (int i = want->ndim - 1; i >= 0; i--) {
            const int64_t at = rest % want->shape[i];
            rest /= want->shape[i];
            inside &= l->start[i] <= at && at < l->stop[i];
        }
        wrong += l->times[k] != inside;
        wrong += inside && memcmp(l->items->data + (size_t)k * ts, want->data + (size_t)k * ts, ts);
    }
    if (wrong > 0)
        fail_msg("%s, seed %" PRIu64 ": %" PRId64 " things are wrong", what, running, wrong);
}

static void
check_each(struct random *r, const tess_array *a, const struct reference *ref, const char *what)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};
    const bool all = below(r, 5) == 0;
    struct reference seen;
    struct looker l;

    draw_box(r, ref->ndim, ref->shape, start, stop);
    looker_init(&l, a, below(r, 2) ? TESS_BLOCKS : TESS_CHUNKS, all ? NULL : start,
                all ? NULL : stop);
    reference_init(&seen, ref->ndim, ref->shape, ref->typesize);
    l.items = &seen;
    ok(tess_array_each(a, l.unit, all ? NULL : start, all ? NULL : stop, look, &l, err));
    check_seen(&l, ref, what);
    free(l.times);
    reference_finish(&seen);
}

// -- somebody who changes

static uint64_t
mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15;
    return x ^ x >> 29;
}

// Some parts are changed, here and in the reference; all are written to.
static tess_each_next
change(const tess_part *part, void *items, void *user)
{
    struct looker *const l = user;
    const size_t ts = l->items->typesize;
    const uint64_t dice = mix(l->salt + (uint64_t)part->chunk * 1000 + (uint64_t)part->block);
    const bool constant = l->salt % 3 == 0;
    int64_t at[TESS_MAX_NDIM] = {0};
    bool changed = dice % 3 != 0 || constant;

    const tess_each_next next = answer(l, changed ? TESS_EACH_CHANGED : TESS_EACH_NEXT);
    changed = next == TESS_EACH_CHANGED || next == TESS_EACH_STOP;
    if (!right_place(l, part) || items != part->items || !aligned(part, ts))
        atomic_fetch_add(&l->wrong, 1);
    do {
        const int64_t index = index_in_array(l->items, part, at);
        uint8_t *const item = (uint8_t *)items + offset_in_part(part, at);
        if (memcmp(item, l->items->data + (size_t)index * ts, ts) != 0)
            atomic_fetch_add(&l->wrong, 1);
        for (size_t k = 0; k < ts; k++)
            item[k] = constant ? 7 : (uint8_t)(item[k] + dice + (uint64_t)index);
        if (changed)
            memcpy(l->items->data + (size_t)index * ts, item, ts);
        l->times[index]++;
    } while (step(part, at));
    return next;
}

static void
change_once(struct random *r, tess_array *a, struct reference *ref)
{
    int64_t start[TESS_MAX_NDIM] = {0}, stop[TESS_MAX_NDIM] = {0};
    struct reference before;
    struct looker l;
    tess_error error = {0};

    reference_copy(&before, ref);
    draw_box(r, ref->ndim, ref->shape, start, stop);
    looker_init(&l, a, below(r, 2) ? TESS_BLOCKS : TESS_CHUNKS, start, stop);
    l.items = ref;
    l.salt = random_next(r) >> 1;
    if (below(r, 2)) {
        l.last_part = below(r, 8);
        l.answer = below(r, 2) ? TESS_EACH_STOP : TESS_EACH_FAIL;
    }
    const tess_status st = tess_array_change(a, l.unit, start, stop, change, &l, &error);
    const bool ended = l.last_part >= 0 && atomic_load(&l.nparts) > l.last_part;
    const bool failed = ended && l.answer == TESS_EACH_FAIL;
    if (st != (failed ? TESS_ERR_CANCELLED : TESS_OK))
        fail_msg("seed %" PRIu64 ": %s", running, st == TESS_OK ? "no failure" : error.message);
    for (int64_t k = 0; k < l.info.nitems; k++)
        atomic_fetch_add(&l.wrong, l.times[k] > 1);
    if (atomic_load(&l.wrong) > 0)
        fail_msg("seed %" PRIu64 ": %lld things are wrong", running, atomic_load(&l.wrong));
    if (!ended) // all were seen
        check_seen(&l, ref, "change");
    if (failed)
        memcpy(ref->data, before.data, reference_size(ref));
    reference_finish(&before);
    free(l.times);
}

// -- random arrays

static void
live(struct random *r)
{
    tess_params p;
    tess_storage storage;
    tess_context context;
    struct reference ref;

    draw_params(r, &limits, NULL, &p);
    draw_context(r, &context);
    draw_place(r, "iterate", &context, &p, &storage);
    tess_array *a = draw_create(r, &storage, &p, &ref);
    for (int i = 0; i < 4; i++) {
        check_each(r, a, &ref, "random array");
        draw_change(r, a, &ref); // may wait in the cache
        check_each(r, a, &ref, "random array");
        change_once(r, a, &ref);
        check_array(a, &ref);
        if (below(r, 4) == 0)
            ok(tess_array_flush(a, err));
    }
    if (storage.path) {
        ok(tess_array_close(a, err));
        check_file(storage.path, &ref);
        storage.mode = TESS_MODE_READ;
        storage.mmap = below(r, 2);
        ok(tess_array_open(&storage, &a, err));
    }
    check_each(r, a, &ref, "random array");
    ok(tess_array_close(a, err));
    reference_finish(&ref);
}

static void
random_arrays(void **state)
{
    const uint64_t seed = random_seed();
    const int64_t n = random_cases(CASES_SHORT, CASES_LONG);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        struct random r;
        running = seed + (uint64_t)i;
        random_init(&r, running);
        live(&r);
    }
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    struct random r;
    (void)user;
    random_init(&r, running);
    for (int i = 0; i < 20; i++)
        check_each(&r, a, ref, name);
}

static void
golden_files(void **state)
{
    (void)state;
    running = random_seed();
    check_golden_files(check_golden, NULL);
}

// -- to stop, and to fail

static tess_array *
vector(int64_t n, int64_t chunk, int64_t block, int threads)
{
    tess_params p;
    tess_storage storage;
    tess_context context;
    tess_array *a;

    tess_context_init(&context);
    context.threads = threads;
    tess_params_init(&p);
    p.dtype = "|u1";
    p.ndim = 1;
    p.shape[0] = n;
    p.chunkshape[0] = chunk;
    p.blockshape[0] = block;
    p.codec = TESS_CODEC_LZ4;
    tess_storage_init(&storage);
    storage.context = &context;
    ok(tess_array_full(&storage, &p, "\5", 1, &a, err));
    return a;
}

struct counter {
    atomic_llong parts;
    int64_t last; // is answered with
    tess_each_next answer;
};

static tess_each_next
count(const tess_part *part, void *user)
{
    struct counter *const c = user;
    (void)part;
    return atomic_fetch_add(&c->parts, 1) == c->last ? c->answer : TESS_EACH_NEXT;
}

// Whether no part was begun after part 30. Other threads begin some until they learn of it, however
// many that are where the thread that stops has no CPU for a while.
static bool
stopped_at(const struct counter *c, int threads)
{
    const long long parts = atomic_load(&c->parts);
    return threads == 1 ? parts == 31 : parts >= 31;
}

static void
stopping(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++)
        for (tess_unit unit = TESS_BLOCKS; unit <= TESS_CHUNKS; unit++) {
            tess_array *const a = vector(10000, 100, 10, threads);
            struct counter c = {.last = 30, .answer = TESS_EACH_STOP};
            ok(tess_array_each(a, unit, NULL, NULL, count, &c, err));
            assert_true(stopped_at(&c, threads));

            struct counter f = {.last = 30, .answer = TESS_EACH_FAIL};
            tess_error error;
            assert_int_equal(tess_array_each(a, unit, NULL, NULL, count, &f, &error),
                             TESS_ERR_CANCELLED);
            check_error(&error, TESS_ERR_CANCELLED, "each");
            assert_true(stopped_at(&f, threads));
            if (threads == 1)
                assert_string_equal(error.message,
                                    unit == TESS_BLOCKS
                                        ? "the function gave up at block 0 of chunk 3"
                                        : "the function gave up at chunk 30");
            ok(tess_array_close(a, err));
        }
}

static tess_each_next
add_one(const tess_part *part, void *items, void *user)
{
    uint8_t *const bytes = items;
    for (int64_t k = 0; k < part->stop[0] - part->start[0]; k++)
        bytes[k]++;
    const tess_each_next next = count(part, user);
    return next == TESS_EACH_NEXT ? TESS_EACH_CHANGED : next;
}

static int64_t
count_items(const tess_array *a, int64_t n, uint8_t item)
{
    static const int64_t zero;
    uint8_t *const items = exact_memory((size_t)n);
    int64_t found = 0;
    ok(tess_array_read(a, &zero, &n, items, (size_t)n, err));
    for (int64_t k = 0; k < n; k++)
        found += items[k] == item;
    free(items);
    return found;
}

// More than is stored at once: a failure also takes back what was stored before.
static void
failing_late(void **state)
{
    enum { N = 48 << 20, CHUNK = 1 << 20, BLOCK = 1 << 18 };
    (void)state;
    for (tess_unit unit = TESS_BLOCKS; unit <= TESS_CHUNKS; unit++) {
        const int64_t nparts = unit == TESS_BLOCKS ? N / BLOCK : N / CHUNK;
        tess_array *const a = vector(N, CHUNK, BLOCK, 2);
        struct counter c = {.last = nparts - 2, .answer = TESS_EACH_FAIL};
        assert_int_equal(tess_array_change(a, unit, NULL, NULL, add_one, &c, NULL),
                         TESS_ERR_CANCELLED);
        assert_int_equal(count_items(a, N, 5), N);

        c = (struct counter){.last = nparts - 2, .answer = TESS_EACH_STOP};
        ok(tess_array_change(a, unit, NULL, NULL, add_one, &c, err));
        const int64_t changed = atomic_load(&c.parts) * (N / nparts);
        assert_true(changed == N || changed == N - N / nparts);
        assert_int_equal(count_items(a, N, 6), changed);
        assert_int_equal(count_items(a, N, 5), N - changed);
        ok(tess_array_close(a, err));
    }
}

// Blocks that become one item in all of a chunk are not stored as blocks.
static void
constants(void **state)
{
    tess_array *const a = vector(1000, 100, 10, 1);
    struct counter c = {.last = -1};
    (void)state;
    ok(tess_array_change(a, TESS_BLOCKS, NULL, NULL, add_one, &c, err));
    assert_int_equal(atomic_load(&c.parts), 100);
    for (int64_t n = 0; n < 10; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        assert_int_equal(chunk.kind, TESS_CHUNK_VALUE);
    }
    assert_int_equal(count_items(a, 1000, 6), 1000);
    ok(tess_array_close(a, err));
}

static tess_each_next
scribble(const tess_part *part, void *items, void *user)
{
    memset(items, 0xff, (size_t)(part->stop[0] - part->start[0]));
    return count(part, user);
}

// A part stays as it is stored, whatever was done to what was handed out.
static void
nothing_changed(void **state)
{
    tess_array *const a = vector(1000, 100, 10, 2);
    const void *image;
    size_t before, after;
    struct counter c = {.last = -1};
    (void)state;
    ok(tess_array_image(a, &image, &before, err));
    uint8_t *const copy = exact_memory(before);
    memcpy(copy, image, before);
    ok(tess_array_change(a, TESS_BLOCKS, NULL, NULL, scribble, &c, err));
    ok(tess_array_change(a, TESS_CHUNKS, NULL, NULL, scribble, &c, err));
    assert_int_equal(atomic_load(&c.parts), 110);
    ok(tess_array_image(a, &image, &after, err));
    assert_int_equal(after, before);
    assert_memory_equal(copy, image, before);
    free(copy);
    ok(tess_array_close(a, err));
}

// -- arguments

static void
no_items(void **state)
{
    static const int64_t start[] = {7}, stop[] = {7};
    tess_array *const a = vector(100, 10, 5, 1);
    struct counter c = {.last = -1};
    (void)state;
    ok(tess_array_each(a, TESS_BLOCKS, start, stop, count, &c, err));
    ok(tess_array_change(a, TESS_CHUNKS, start, stop, add_one, &c, err));
    assert_int_equal(atomic_load(&c.parts), 0);
    ok(tess_array_close(a, err));
}

static void
bad_arguments(void **state)
{
    static const int64_t start[] = {7}, stop[] = {101}, before[] = {3};
    tess_array *const a = vector(100, 10, 5, 1);
    struct counter c = {.last = -1};
    const tess_unit none = (tess_unit)2;
    (void)state;
    refused(TESS_ERR_ARG, tess_array_each(NULL, TESS_BLOCKS, NULL, NULL, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, none, NULL, NULL, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, TESS_BLOCKS, NULL, NULL, NULL, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, TESS_BLOCKS, start, NULL, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, TESS_BLOCKS, NULL, stop, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, TESS_BLOCKS, start, stop, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_each(a, TESS_BLOCKS, start, before, count, &c, err));
    refused(TESS_ERR_ARG, tess_array_change(NULL, TESS_BLOCKS, NULL, NULL, add_one, &c, err));
    refused(TESS_ERR_ARG, tess_array_change(a, none, NULL, NULL, add_one, &c, err));
    refused(TESS_ERR_ARG, tess_array_change(a, TESS_CHUNKS, NULL, NULL, NULL, &c, err));
    refused(TESS_ERR_ARG, tess_array_change(a, TESS_CHUNKS, start, stop, add_one, &c, err));
    assert_int_equal(atomic_load(&c.parts), 0);
    ok(tess_array_close(a, err));
}

static void
read_only(void **state)
{
    tess_array *const a = vector(100, 10, 5, 1);
    struct counter c = {.last = -1};
    tess_storage storage;
    tess_array *b;
    const void *image;
    (void)state;
    tess_storage_init(&storage);
    ok(tess_array_image(a, &image, &storage.image_size, err));
    storage.image = image;
    ok(tess_array_open(&storage, &b, err));
    refused(TESS_ERR_ARG, tess_array_change(b, TESS_BLOCKS, NULL, NULL, add_one, &c, err));
    ok(tess_array_each(b, TESS_BLOCKS, NULL, NULL, count, &c, err));
    assert_int_equal(atomic_load(&c.parts), 20);
    ok(tess_array_close(b, err));
    ok(tess_array_close(a, err));
}

// -- blocks and chunks of one item

struct equal_parts {
    atomic_int equal, others;
};

static tess_each_next
count_equal(const tess_part *part, void *user)
{
    struct equal_parts *const n = user;
    bool same = true;
    for (int64_t i = 0; i < part->stop[0] - part->start[0]; i++)
        for (int64_t j = 0; j < part->stop[1] - part->start[1]; j++)
            same &= memcmp((const uint8_t *)part->items + i * part->strides[0] + j * 4, part->items,
                           4) == 0;
    if (part->equal != same)
        return TESS_EACH_FAIL;
    atomic_fetch_add(part->equal ? &n->equal : &n->others, 1);
    return TESS_EACH_NEXT;
}

// A chunk that was never written, one of the same value, one with a block of one value, and one
// without.
static void
equal_parts_are_told(void **state)
{
    enum { SIDE = 64, HALF = SIDE / 2, BLOCK = 16 };
    const int64_t all[2] = {SIDE, SIDE}, origin[2] = {0, 0};
    const int64_t value_start[2] = {0, HALF}, value_stop[2] = {HALF, SIDE};
    const int64_t items_start[2] = {HALF, 0};
    const int64_t block_start[2] = {HALF, BLOCK}, block_stop[2] = {HALF + BLOCK, 2 * BLOCK};
    static int32_t items[HALF][SIDE];
    const int32_t seven = 7;
    tess_storage storage;
    tess_params p;
    tess_array *a, *view;
    (void)state;
    tess_storage_init(&storage);
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 2;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = HALF;
        p.blockshape[i] = BLOCK;
    }
    for (int i = 0; i < HALF * SIDE; i++)
        items[i / SIDE][i % SIDE] = i;
    ok(tess_array_zeros(&storage, &p, &a, err));
    ok(tess_array_fill(a, value_start, value_stop, NULL, &seven, 4, err));
    ok(tess_array_write(a, items_start, all, items, sizeof items, err));
    ok(tess_array_fill(a, block_start, block_stop, NULL, &seven, 4, err));
    ok(tess_array_flush(a, err));
    for (int unit = TESS_BLOCKS; unit <= TESS_CHUNKS; unit++) {
        struct equal_parts n = {0};
        ok(tess_array_each(a, (tess_unit)unit, NULL, NULL, count_equal, &n, err));
        assert_int_equal(n.equal, unit == TESS_BLOCKS ? 9 : 2);
        assert_int_equal(n.others, unit == TESS_BLOCKS ? 7 : 2);
    }
    // A part of a block, and a view.
    struct equal_parts n = {0};
    const int64_t some_start[2] = {HALF + 3, BLOCK + 2}, some_stop[2] = {HALF + 9, BLOCK + 9};
    ok(tess_array_each(a, TESS_BLOCKS, some_start, some_stop, count_equal, &n, err));
    assert_true(n.equal == 1 && n.others == 0);
    ok(tess_array_view_slice(a, origin, all, NULL, &view, err));
    n = (struct equal_parts){0};
    ok(tess_array_each(view, TESS_BLOCKS, NULL, NULL, count_equal, &n, err));
    assert_true(n.equal > 0 && n.others > 0);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_parts_are_told),
        cmocka_unit_test_setup_teardown(random_arrays, files_setup, files_teardown),
        cmocka_unit_test(golden_files),
        cmocka_unit_test(stopping),
        cmocka_unit_test(failing_late),
        cmocka_unit_test(constants),
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(no_items),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(read_only),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
