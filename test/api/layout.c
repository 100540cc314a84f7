/*
 * layout.c - layouts that are proposed, measured and searched for.
 *
 * Which layout is the fastest, no test can say. Checked is what must hold whatever was measured:
 * results can be created, are in order, keep what is to be kept, and say of sizes what an array of
 * these items has.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BUDGET 0.05 // seconds; the known layouts are measured in any case

enum { X = 40, Y = 30, Z = 50, NITEMS = X * Y * Z, NBYTES = 4 * NITEMS };

static void
describe(tess_params *p)
{
    tess_params_init(p);
    p->dtype = "<i4";
    p->ndim = 3;
    p->shape[0] = X;
    p->shape[1] = Y;
    p->shape[2] = Z;
}

static int32_t *
items(void)
{
    int32_t *const v = malloc(NBYTES);

    assert_non_null(v);
    for (int32_t i = 0; i < NITEMS; i++)
        v[i] = i / 7 * 3 + i % 5;
    return v;
}

static tess_array *
array_of(const int32_t *v, const int64_t chunk[3], const int64_t block[3])
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_params p;

    describe(&p);
    memcpy(p.chunkshape, chunk, 3 * sizeof *chunk);
    memcpy(p.blockshape, block, 3 * sizeof *block);
    p.codec = TESS_CODEC_BLOSCLZ;
    tess_storage_init(&storage);
    ok(tess_array_from(&storage, &p, v, NBYTES, &a, err));
    return a;
}

static void
quick(tess_tuner_options *o)
{
    tess_tuner_options_init(o);
    o->budget = BUDGET;
}

static bool
same_shapes(const tess_params *a, const tess_params *b)
{
    return memcmp(a->chunkshape, b->chunkshape, (size_t)a->ndim * sizeof a->chunkshape[0]) == 0 &&
           memcmp(a->blockshape, b->blockshape, (size_t)a->ndim * sizeof a->blockshape[0]) == 0;
}

// Whether the library makes an array with these parameters, in these shapes.
static void
check_creatable(const tess_params *p)
{
    tess_storage storage;
    tess_array *a = NULL;
    tess_info info;

    tess_storage_init(&storage);
    ok(tess_array_uninit(&storage, p, &a, err));
    tess_array_info(a, &info);
    for (int i = 0; i < p->ndim; i++) {
        assert_in_range(p->chunkshape[i], 1, p->shape[i]);
        assert_in_range(p->blockshape[i], 1, p->chunkshape[i]);
        assert_int_equal(info.chunkshape[i], p->chunkshape[i]);
        assert_int_equal(info.blockshape[i], p->blockshape[i]);
    }
    tess_array_discard(a);
}

// -- proposals

static void
test_propose(void **state)
{
    tess_params p, layouts[64];
    double seconds[64];
    int count = 0, fewer = 0;
    struct random r;

    (void)state;
    random_init(&r, random_seed());
    for (int64_t n = random_cases(20, 500); n > 0; n--) {
        tess_params_init(&p);
        p.typesize = 1 + (int32_t)random_below(&r, 20);
        p.ndim = 1 + (int)random_below(&r, 4);
        for (int i = 0; i < p.ndim; i++)
            p.shape[i] = 1 + (int64_t)random_below(&r, 500);
        p.clevel = (int)random_below(&r, 10);
        p.codec = random_below(&r, 2) ? TESS_CODEC_ZSTD : TESS_CODEC_LZ4;
        ok(tess_layout_propose(&p, NULL, 64, layouts, seconds, &count, err));
        assert_in_range(count, 1, 64);
        for (int i = 0; i < count; i++) {
            check_creatable(&layouts[i]);
            assert_true(seconds[i] > 0 && (i == 0 || seconds[i - 1] <= seconds[i]));
            assert_int_equal(layouts[i].codec, p.codec);
            assert_int_equal(layouts[i].clevel, p.clevel);
            for (int k = 0; k < i; k++)
                assert_false(same_shapes(&layouts[i], &layouts[k]));
        }
        ok(tess_layout_propose(&p, NULL, 1, &layouts[1], NULL, &fewer, err));
        assert_int_equal(fewer, 1);
        assert_true(same_shapes(&layouts[0], &layouts[1]));
    }
}

// What is read decides: blocks as long as a line, as flat as a plane.
static void
test_propose_for_use(void **state)
{
    tess_access mix[TESS_MAX_ACCESSES];
    tess_tuner_options o;
    tess_params p, best;
    int count;

    (void)state;
    describe(&p);
    for (int i = 0; i < 3; i++)
        p.shape[i] = 400;
    for (int axis = 0; axis < 3; axis++) {
        const char *const lines[] = {"line:0", "line:1", "line:2"};
        const char *const planes[] = {"plane:0", "plane:1", "plane:2"};

        quick(&o);
        o.accesses = mix;
        ok(tess_access_parse(lines[axis], 3, p.shape, mix, TESS_MAX_ACCESSES, &o.naccesses, err));
        ok(tess_layout_propose(&p, &o, 1, &best, NULL, &count, err));
        for (int i = 0; i < 3; i++)
            assert_true(i == axis || best.blockshape[i] < best.blockshape[axis]);
        ok(tess_access_parse(planes[axis], 3, p.shape, mix, TESS_MAX_ACCESSES, &o.naccesses, err));
        ok(tess_layout_propose(&p, &o, 1, &best, NULL, &count, err));
        for (int i = 0; i < 3; i++)
            assert_true(i == axis || best.blockshape[i] > best.blockshape[axis]);
    }
}

static void
test_propose_kept(void **state)
{
    tess_params p, layouts[64];
    tess_tuner_options o;
    int count = 0;

    (void)state;
    describe(&p);
    p.chunkshape[0] = 20;
    p.chunkshape[1] = 30;
    p.chunkshape[2] = 25;
    p.blockshape[0] = p.blockshape[1] = p.blockshape[2] = 5;
    for (unsigned keep = 0; keep < 4; keep++) {
        bool other_chunk = false, other_block = false;

        quick(&o);
        o.keep = keep;
        ok(tess_layout_propose(&p, &o, 64, layouts, NULL, &count, err));
        for (int i = 0; i < count; i++) {
            other_chunk |= memcmp(layouts[i].chunkshape, p.chunkshape, sizeof p.chunkshape) != 0;
            other_block |= memcmp(layouts[i].blockshape, p.blockshape, sizeof p.blockshape) != 0;
        }
        assert_int_equal(other_chunk, !(keep & TESS_KEEP_CHUNKS));
        assert_int_equal(other_block, !(keep & TESS_KEEP_BLOCKS));
    }
}

// -- the search

// The description of a layout that was measured.
static tess_params
layout_of(const tess_tuner *t, int rank)
{
    tess_params p;
    assert_true(tess_tuner_get_layout(t, rank, &p));
    assert_int_equal(p.struct_size, sizeof p);
    return p;
}

static void
check_result(const tess_layout_result *r, const tess_access *mix, double *sum)
{
    assert_true(r->rounds > 0 && r->ratio > 0 && r->write > 0 && r->read > 0);
    *sum = 0;
    for (int i = 0; i < r->naccesses; i++) {
        const tess_access_cost *const c = &r->accesses[i];

        assert_true(c->seconds > 0 && c->disk >= 0 && c->disk <= c->seconds && c->measured >= 0);
        *sum += mix[i].weight * c->seconds;
    }
    assert_true(*sum > 0.999 * r->seconds && *sum < 1.001 * r->seconds);
}

// All results; the known ones are there, exactly one is the best.
static void
check_results(const tess_tuner *t, unsigned roles)
{
    tess_layout_result r, before = {.roles = 0};
    tess_tuner_info info;
    tess_access mix[TESS_MAX_ACCESSES];
    unsigned found = 0;
    int best = 0;
    double sum;

    tess_tuner_get_info(t, &info);
    assert_true(info.count >= 2);
    for (int i = 0; i < info.count; i++) {
        ok(tess_tuner_result(t, i, &r, err));
        assert_int_equal(r.naccesses, info.naccesses);
        for (int k = 0; k < info.naccesses; k++)
            assert_true(tess_tuner_get_access(t, k, &mix[k]));
        assert_false(tess_tuner_get_access(t, info.naccesses, &mix[0]));
        assert_false(tess_tuner_get_access(t, -1, &mix[0]));
        check_result(&r, mix, &sum);
        const tess_params layout = layout_of(t, i);
        check_creatable(&layout);
        assert_true(i == 0 || before.seconds <= r.seconds);
        found |= r.roles;
        best += (r.roles & TESS_ROLE_BEST) != 0;
        before = r;
    }
    assert_int_equal(best, 1);
    assert_int_equal(found, roles | TESS_ROLE_BEST | TESS_ROLE_AUTOMATIC | TESS_ROLE_BLOSC2 |
                                TESS_ROLE_FINAL);
    assert_int_equal(tess_tuner_result(t, info.count, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_result(t, -1, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_find(t, 1U << 20), -1);
}

static void
test_search(void **state)
{
    int32_t *const v = items();
    tess_array *const a = array_of(v, (int64_t[]){11, 12, 13}, (int64_t[]){5, 4, 3});
    const int64_t zeros[3] = {0}, shape[3] = {X, Y, Z};
    tess_params stored;
    tess_tuner_options o;
    tess_tuner_info info;
    tess_tuner *t = NULL;

    (void)state;
    quick(&o);
    ok(tess_tuner_open(a, NULL, &o, &t, err));
    tess_tuner_get_info(t, &info);
    assert_int_equal(info.count, 0);
    assert_int_equal(tess_tuner_find(t, TESS_ROLE_BEST), -1);
    assert_true(info.whole && info.sample_size == NBYTES);
    assert_memory_equal(info.sample, v, NBYTES);
    assert_memory_equal(info.sample_shape, shape, sizeof shape);
    assert_int_equal(info.naccesses, 5); // full, three planes, point
    for (int i = 0; i < 2; i++) { // again: the results are new
        ok(tess_tuner_search(t, err));
        check_results(t, TESS_ROLE_STORED);
    }
    stored = layout_of(t, tess_tuner_find(t, TESS_ROLE_STORED));
    assert_memory_equal(stored.chunkshape, ((int64_t[]){11, 12, 13}), 3 * sizeof(int64_t));
    assert_memory_equal(stored.blockshape, ((int64_t[]){5, 4, 3}), 3 * sizeof(int64_t));
    assert_int_equal(stored.codec, TESS_CODEC_BLOSCLZ);
    assert_string_equal(stored.dtype, "<i4");
    tess_tuner_close(t);
    memset(v, 0, NBYTES);
    ok(tess_array_read(a, zeros, shape, v, NBYTES, err)); // is as it was
    for (int32_t i = 0; i < NITEMS; i++)
        assert_int_equal(v[i], i / 7 * 3 + i % 5);
    ok(tess_array_close(a, err));
    free(v);
}

static void
test_kept(void **state)
{
    static const struct {
        unsigned keep;
        size_t offset, size;
    } members[] = {
        {TESS_KEEP_CHUNKS, offsetof(tess_params, chunkshape), sizeof(int64_t[TESS_MAX_NDIM])},
        {TESS_KEEP_BLOCKS, offsetof(tess_params, blockshape), sizeof(int64_t[TESS_MAX_NDIM])},
        {TESS_KEEP_CODEC, offsetof(tess_params, codec), sizeof(tess_codec)},
        {TESS_KEEP_LEVEL, offsetof(tess_params, clevel), sizeof(int)},
        {TESS_KEEP_FILTERS, offsetof(tess_params, filters), TESS_MAX_FILTERS},
    };
    tess_params best;
    tess_tuner_options o;
    tess_params p;

    (void)state;
    describe(&p);
    p.chunkshape[0] = 20;
    p.chunkshape[1] = 30;
    p.chunkshape[2] = 25;
    p.blockshape[0] = p.blockshape[1] = p.blockshape[2] = 5;
    p.codec = TESS_CODEC_ZLIB;
    p.clevel = 2;
    p.filters[TESS_MAX_FILTERS - 1] = TESS_FILTER_BITSHUFFLE;
    for (size_t i = 0; i <= sizeof members / sizeof members[0]; i++) {
        tess_tuner *t = NULL;

        quick(&o);
        for (size_t k = 0; k < i; k++)
            o.keep |= members[k].keep;
        ok(tess_tuner_open_from(&p, NULL, NULL, &o, &t, err));
        ok(tess_tuner_search(t, err));
        check_results(t, 0);
        best = layout_of(t, tess_tuner_find(t, TESS_ROLE_BEST));
        for (size_t k = 0; k < i; k++)
            assert_memory_equal((const char *)&best + members[k].offset,
                                (const char *)&p + members[k].offset, members[k].size);
        tess_tuner_close(t);
    }
}

// A lossy codec is only considered where it was asked for.
static void
test_no_loss(void **state)
{
    int32_t *const v = items();
    tess_tuner_options o;
    tess_params p, stored;
    tess_layout_result r;
    tess_tuner_info info;
    tess_tuner *t = NULL;

    (void)state;
    describe(&p);
    stored = p;
    for (int i = 0; i < 3; i++)
        stored.chunkshape[i] = stored.blockshape[i] = 10;
    stored.filters[0] = TESS_FILTER_NDMEAN;
    stored.filters_meta[0] = 4;
    p.dtype = stored.dtype = "<f4";
    quick(&o);
    o.stored = &stored;
    ok(tess_tuner_open_from(&p, NULL, NULL, &o, &t, err));
    ok(tess_tuner_search(t, err));
    check_results(t, TESS_ROLE_STORED);
    tess_tuner_get_info(t, &info);
    for (int i = 0; i < info.count; i++) {
        ok(tess_tuner_result(t, i, &r, err));
        assert_true(r.roles & TESS_ROLE_STORED || layout_of(t, i).filters[0] == TESS_FILTER_NONE);
        assert_false(r.roles & TESS_ROLE_STORED && r.roles & TESS_ROLE_BEST);
    }
    tess_tuner_close(t);
    free(v);
}

// The layout comes, the array stays.
static void
test_apply(void **state)
{
    tess_params p, from, before;

    (void)state;
    describe(&p);
    p.fill = "abcd";
    p.fill_size = 4;
    before = p;
    tess_params_init(&from);
    for (int i = 0; i < TESS_MAX_NDIM; i++) {
        from.chunkshape[i] = 20 + i;
        from.blockshape[i] = 3 + i;
        from.shape[i] = 99;
    }
    from.typesize = 8;
    from.codec = TESS_CODEC_NDLZ;
    from.codec_meta = 8;
    from.clevel = 9;
    from.split = TESS_SPLIT_ALWAYS;
    from.dictionary = true;
    memset(from.filters, TESS_FILTER_DELTA, sizeof from.filters);
    memset(from.filters_meta, 7, sizeof from.filters_meta);
    tess_layout_apply(&p, &from);
    assert_true(p.codec == from.codec && p.codec_meta == 8 && p.clevel == 9);
    assert_true(p.split == TESS_SPLIT_ALWAYS && p.dictionary);
    assert_memory_equal(p.chunkshape, from.chunkshape, sizeof p.chunkshape);
    assert_memory_equal(p.blockshape, from.blockshape, sizeof p.blockshape);
    assert_memory_equal(p.filters, from.filters, sizeof p.filters);
    assert_memory_equal(p.filters_meta, from.filters_meta, sizeof p.filters_meta);
    assert_memory_equal(p.shape, before.shape, sizeof p.shape);
    assert_true(p.dtype == before.dtype && p.typesize == before.typesize && p.ndim == 3);
    assert_true(p.fill == before.fill && p.fill_size == 4 && p.layout == before.layout);
}

// -- one measurement

static void
test_measure(void **state)
{
    int32_t *const v = items();
    tess_access mix[TESS_MAX_ACCESSES];
    tess_layout_result r;
    tess_storage storage;
    tess_array *a = NULL;
    tess_tuner *t = NULL;
    tess_info info;
    tess_params p;
    int nmix = 0;

    (void)state;
    describe(&p);
    p.codec = TESS_CODEC_ZSTD;
    p.clevel = 3;
    p.chunkshape[0] = 40;
    p.chunkshape[1] = 15;
    p.chunkshape[2] = 50;
    p.blockshape[0] = 7;
    p.blockshape[1] = 5;
    p.blockshape[2] = 50;
    tess_storage_init(&storage);
    ok(tess_array_from(&storage, &p, v, NBYTES, &a, err));
    tess_array_info(a, &info);
    ok(tess_tuner_open(a, NULL, NULL, &t, err));
    ok(tess_access_parse("update:3x3x3,append:0,append:2:3,write,row,box:9x9x9*2", 3, p.shape, mix,
                         TESS_MAX_ACCESSES, &nmix, err));
    for (int threads = 0; threads < 3; threads++) {
        double sum;

        ok(tess_tuner_measure(t, &p, mix, nmix, threads, &r, err));
        assert_int_equal(r.naccesses, nmix);
        assert_int_equal(r.rounds, 1);
        assert_int_equal(r.roles, 0);
        check_result(&r, mix, &sum);
        const tess_params made = layout_of(t, TESS_RANK_MEASURED);
        assert_true(same_shapes(&made, &p));
        assert_true(r.ratio == (double)NBYTES / (double)info.cbytes); // the same array
    }
    refused(TESS_ERR_ARG, tess_access_parse("row,write", 3, p.shape, mix, 1, &nmix, err));
    ok(tess_access_parse("row", 3, p.shape, mix, 1, &nmix, err));
    memset(p.chunkshape, 0, sizeof p.chunkshape);
    memset(p.blockshape, 0, sizeof p.blockshape);
    ok(tess_tuner_measure(t, &p, NULL, 0, 1, &r, err)); // shapes are chosen
    const tess_params chosen = layout_of(t, TESS_RANK_MEASURED);
    check_creatable(&chosen);
    assert_true(r.naccesses == 0 && r.seconds == 0 && r.write > 0 && r.read > 0);
    tess_tuner_close(t);
    ok(tess_array_close(a, err));
    free(v);
}

// -- samples of data that are read by the program

struct source {
    int reads;
    int fails_at; // the read with this number; 0: none
};

static tess_status
read_zeros(const int64_t *start, const int64_t *stop, void *dst, size_t size, void *user,
           tess_error *e)
{
    struct source *const s = user;
    size_t expected = 4;

    if (++s->reads == s->fails_at) {
        e->status = TESS_ERR_IO;
        strcpy(e->message, "no such data");
        return TESS_ERR_IO;
    }
    for (int i = 0; i < 3; i++)
        expected *= (size_t)(stop[i] - start[i]);
    assert_int_equal(size, expected);
    memset(dst, 0, size);
    return TESS_OK;
}

static void
test_source(void **state)
{
    struct source s = {0};
    tess_tuner_options o;
    tess_tuner_info info;
    tess_tuner *t = NULL;
    tess_error e;
    tess_params p;

    (void)state;
    describe(&p);
    p.shape[0] = INT64_C(1) << 30; // nothing of that size is ever in memory
    quick(&o);
    o.sample = 100000;
    ok(tess_tuner_open_from(&p, read_zeros, &s, &o, &t, err));
    tess_tuner_get_info(t, &info);
    assert_false(info.whole);
    assert_true(info.sample_size <= 100000 && info.sample_size > 20000);
    ok(tess_tuner_search(t, err));
    check_results(t, 0);
    tess_tuner_close(t);
    s = (struct source){.fails_at = s.reads};
    assert_int_equal(tess_tuner_open_from(&p, read_zeros, &s, &o, &t, &e), TESS_ERR_IO);
    assert_string_equal(e.message, "no such data");
    assert_null(t);
}

// -- progress

struct listener {
    int told, cancel_at;
    int64_t last;
};

static bool
listen(int64_t done, int64_t total, void *user)
{
    struct listener *const l = user;

    assert_true(l->last <= done && done <= total);
    l->last = done;
    return ++l->told != l->cancel_at;
}

static void
test_progress(void **state)
{
    struct listener l = {0};
    tess_tuner_options o;
    tess_context context;
    tess_layout_result r;
    tess_tuner_info info;
    tess_tuner *t = NULL;
    tess_params p;

    (void)state;
    describe(&p);
    tess_context_init(&context);
    context.progress = listen;
    context.progress_user = &l;
    context.progress_interval = 0;
    quick(&o);
    o.context = &context;
    ok(tess_tuner_open_from(&p, NULL, NULL, &o, &t, err));
    ok(tess_tuner_search(t, err));
    assert_true(l.told > 2);
    for (int n = 1; n <= 4; n++) { // two layouts are measured twice, whatever the budget
        l = (struct listener){.cancel_at = n};
        assert_int_equal(tess_tuner_search(t, NULL), TESS_ERR_CANCELLED);
        assert_int_equal(l.told, n); // not asked again
        tess_tuner_get_info(t, &info);
        assert_int_equal(info.count, 0);
        assert_int_equal(tess_tuner_find(t, TESS_ROLE_AUTOMATIC), -1);
        l = (struct listener){.cancel_at = 1};
        assert_int_equal(tess_tuner_measure(t, &p, NULL, 0, 1, &r, NULL), TESS_ERR_CANCELLED);
    }
    l = (struct listener){0};
    ok(tess_tuner_search(t, err)); // nothing of that is left
    check_results(t, 0);
    tess_tuner_close(t);
}

// -- what is refused

static void
test_refused(void **state)
{
    static const tess_params no_params;
    int32_t *const v = items();
    tess_array *const a = array_of(v, (int64_t[]){10, 10, 10}, (int64_t[]){5, 5, 5});
    const tess_access point = {.extent = {1, 1, 1}, .weight = 1};
    tess_layout_result r;
    tess_tuner_options o;
    tess_tuner *t = NULL;
    tess_params p, good;
    int count;

    (void)state;
    describe(&good);
    tess_tuner_options_init(&o);
    for (int n = 0; n < 17; n++) {
        p = good;
        quick(&o);
        switch (n) {
        case 0:
            p.ndim = 0;
            break;
        case 1:
            p.shape[1] = 0;
            break;
        case 2:
            p.struct_size = 0;
            break;
        case 3:
            o.struct_size = 0;
            break;
        case 4:
            o.budget = -1;
            break;
        case 5:
            o.budget = (double)NAN;
            break;
        case 6:
            o.disk_speed = (double)INFINITY;
            break;
        case 7:
            o.disk_latency = -1e-9;
            break;
        case 8:
            o.sample = -1;
            break;
        case 9:
            o.keep = 1U << 5;
            break;
        case 10:
            o.naccesses = 1;
            break;
        case 11:
            o.accesses = &point;
            break;
        case 12:
            o.accesses = &point;
            o.naccesses = TESS_MAX_ACCESSES + 1;
            break;
        case 13:
            p.ndim = TESS_MAX_NDIM + 1;
            break;
        case 14:
            p.clevel = 10;
            break;
        case 15:
            p.dtype = "<i8";
            p.typesize = 4;
            break;
        default:
            o.stored = &no_params;
            break;
        }
        if (tess_tuner_open_from(&p, NULL, NULL, &o, &t, NULL) != TESS_ERR_ARG || t)
            fail_msg("case %d is not refused", n);
        if (tess_layout_propose(&p, &o, 1, &(tess_params){0}, NULL, &count, NULL) != TESS_ERR_ARG)
            fail_msg("case %d is not refused by proposals", n);
    }
    p = good;
    p.shape[0] = p.shape[1] = p.shape[2] = INT64_C(1) << 30;
    assert_int_equal(tess_tuner_open_from(&p, NULL, NULL, NULL, &t, NULL), TESS_ERR_LIMIT);
    assert_null(t);
    assert_int_equal(tess_tuner_open_from(NULL, NULL, NULL, NULL, &t, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_open_from(&good, NULL, NULL, NULL, NULL, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_open(NULL, NULL, NULL, &t, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_open(a, NULL, NULL, NULL, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_layout_propose(&good, NULL, 0, &p, NULL, &count, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_layout_propose(&good, NULL, 1, NULL, NULL, &count, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_layout_propose(&good, NULL, 1, &p, NULL, NULL, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_search(NULL, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_result(NULL, 0, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_find(NULL, TESS_ROLE_BEST), -1);
    tess_tuner_close(NULL);

    ok(tess_tuner_open(a, NULL, NULL, &t, err));
    assert_int_equal(tess_tuner_measure(NULL, &good, NULL, 0, 0, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_measure(t, NULL, NULL, 0, 0, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_measure(t, &good, NULL, 1, 0, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_measure(t, &good, &point, -1, 0, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_measure(t, &good, NULL, 0, -1, &r, NULL), TESS_ERR_ARG);
    assert_int_equal(tess_tuner_measure(t, &good, NULL, 0, 0, NULL, NULL), TESS_ERR_ARG);
    p = good;
    p.chunkshape[0] = 3; // and 0 along the others
    assert_int_equal(tess_tuner_measure(t, &p, NULL, 0, 0, &r, NULL), TESS_ERR_ARG);
    p = good;
    p.codec = (tess_codec)77;
    assert_true(tess_tuner_measure(t, &p, NULL, 0, 0, &r, NULL) != TESS_OK);
    tess_tuner_close(t);
    ok(tess_array_close(a, err));
    free(v);
}

// A view and an array that only frames have: no layout of their own.
static void
test_views(void **state)
{
    int32_t *const v = items();
    tess_array *const a = array_of(v, (int64_t[]){10, 10, 10}, (int64_t[]){5, 5, 5});
    tess_tuner_options o;
    tess_tuner_info info;
    tess_array *view = NULL;
    tess_tuner *t = NULL;

    (void)state;
    quick(&o);
    ok(tess_array_view_slice(a, (int64_t[]){3, 4, 5}, (int64_t[]){20, 30, 40}, NULL, &view, err));
    ok(tess_tuner_open(view, NULL, &o, &t, err));
    tess_tuner_get_info(t, &info);
    assert_memory_equal(info.sample_shape, ((int64_t[]){17, 26, 35}), 3 * sizeof(int64_t));
    ok(tess_array_close(view, err)); // is not needed any more
    ok(tess_array_close(a, err));
    ok(tess_tuner_search(t, err));
    tess_tuner_close(t);
    free(v);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_propose),      cmocka_unit_test(test_propose_for_use),
        cmocka_unit_test(test_propose_kept), cmocka_unit_test(test_search),
        cmocka_unit_test(test_kept),         cmocka_unit_test(test_no_loss),
        cmocka_unit_test(test_measure),      cmocka_unit_test(test_apply),
        cmocka_unit_test(test_source),       cmocka_unit_test(test_progress),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
