/*
 * source.c - arrays whose bytes come from functions of the program.
 *
 * The source of the tests reads a file of golden or made arrays from memory, counts what is asked
 * of it, and fails where a test wants it to.
 */
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// An object of a program.
struct object {
    uint8_t *bytes;
    int64_t size;
    bool guarded;
    atomic_int states, ends, reads, ranges, closes, refreshes;
    atomic_llong nbytes;
    int fails_after; // so many reads are fine; -1: all
    tess_status fails_with;
    bool backwards; // ranges are read last to first, and told of
    bool replaced; // since it was described
};

static tess_status
object_fail(tess_error *err, tess_status status, const char *message)
{
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

static tess_status
object_state(void *user, tess_source_state *state, tess_error *err)
{
    struct object *const o = user;
    (void)err;
    atomic_fetch_add(&o->states, 1);
    o->replaced = false;
    state->size = o->size;
    state->guarded = o->guarded;
    return TESS_OK;
}

static tess_status
object_ends(void *user, tess_source_state *state, void *first, size_t first_size, void *last,
            size_t last_size, tess_error *err)
{
    struct object *const o = user;
    const size_t size = (size_t)o->size;
    const size_t front = first_size < size ? first_size : size;
    const size_t back = last_size < size ? last_size : size;
    atomic_fetch_add(&o->ends, 1);
    atomic_fetch_sub(&o->states, 1);
    memcpy(first, o->bytes, front);
    memcpy(last, o->bytes + size - back, back);
    return object_state(user, state, err);
}

static tess_status
object_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    struct object *const o = user;
    assert_true(n >= 1);
    atomic_fetch_add(&o->ranges, (int)n);
    if (o->guarded && o->replaced)
        return object_fail(err, TESS_ERR_STALE, "another object");
    if (o->fails_after >= 0 && atomic_load(&o->reads) >= o->fails_after)
        return object_fail(err, o->fails_with, "the line was cut");
    atomic_fetch_add(&o->reads, 1);
    for (size_t i = 0; i < n; i++) {
        const size_t k = o->backwards ? n - 1 - i : i;
        const tess_range *const r = &ranges[k];
        assert_true(r->dst_size >= 1 && r->offset >= 0);
        assert_true(r->offset + (int64_t)r->dst_size <= o->size);
        assert_true(k == 0 || r->offset >= ranges[k - 1].offset + (int64_t)ranges[k - 1].dst_size);
        memcpy(r->dst, o->bytes + r->offset, r->dst_size);
        atomic_fetch_add(&o->nbytes, (long long)r->dst_size);
        if (o->backwards)
            tess_reading_arrived(reading, k);
    }
    return tess_reading_cancelled(reading) ? object_fail(err, TESS_ERR_CANCELLED, "cancelled")
                                           : TESS_OK;
}

static tess_status
object_refresh(void *user, tess_error *err)
{
    (void)err;
    atomic_fetch_add(&((struct object *)user)->refreshes, 1);
    return TESS_OK;
}

static void
object_close(void *user)
{
    atomic_fetch_add(&((struct object *)user)->closes, 1);
}

enum { NEAR = 0, FAR = 20000 };

static tess_source
source_of(struct object *o, int64_t latency)
{
    tess_source source;
    tess_source_init(&source);
    source.user = o;
    source.name = "object";
    source.latency = latency;
    source.state = object_state;
    source.ends = latency > 0 ? object_ends : NULL;
    source.read = object_read;
    source.close = object_close;
    return source;
}

static tess_status
open_source(const tess_source *source, tess_array **a, tess_error *err)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.source = source;
    return tess_array_open(&storage, a, err);
}

enum { NDIM = 3, SIDE = 40 };

// An array of random walks; items of 4 bytes.
static void
object_make(struct object *o, uint64_t seed)
{
    struct random r;
    tess_storage storage;
    tess_params p;
    tess_array *a;
    void *image;
    size_t size;
    static int32_t items[SIDE * SIDE * SIDE];
    random_init(&r, seed);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        items[i] = (i > 0 ? items[i - 1] : 0) + (int32_t)random_below(&r, 9) - 4;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = NDIM;
    for (int i = 0; i < NDIM; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = 15;
        p.blockshape[i] = 5;
    }
    tess_storage_init(&storage);
    assert_int_equal(tess_array_from(&storage, &p, items, sizeof items, &a, NULL), TESS_OK);
    assert_int_equal(tess_array_to_image(a, &image, &size, NULL), TESS_OK);
    tess_array_close(a, NULL);
    memset(o, 0, sizeof *o);
    o->bytes = image;
    o->size = (int64_t)size;
    o->guarded = true;
    o->fails_after = -1;
}

static void
object_finish(struct object *o)
{
    tess_free(o->bytes);
}

// Random boxes equal those of the array in memory.
static void
compare_boxes(tess_array *a, const struct object *o, struct random *r, int n)
{
    tess_storage storage;
    tess_array *expected;
    static int32_t here[SIDE * SIDE * SIDE], there[SIDE * SIDE * SIDE];
    tess_storage_init(&storage);
    storage.image = o->bytes;
    storage.image_size = (size_t)o->size;
    assert_int_equal(tess_array_open(&storage, &expected, NULL), TESS_OK);
    for (int i = 0; i < n; i++) {
        int64_t start[NDIM], stop[NDIM], nitems = 1;
        for (int k = 0; k < NDIM; k++) {
            start[k] = (int64_t)random_below(r, SIDE);
            stop[k] = start[k] + 1 + (int64_t)random_below(r, (uint64_t)(SIDE - start[k]));
            nitems *= stop[k] - start[k];
        }
        tess_error err;
        const tess_status st = tess_array_read(a, start, stop, here, sizeof here, &err);
        if (st != TESS_OK)
            fail_msg("%s", err.message);
        assert_int_equal(tess_array_read(expected, start, stop, there, sizeof there, NULL),
                         TESS_OK);
        assert_memory_equal(here, there, (size_t)nitems * sizeof *here);
    }
    tess_array_close(expected, NULL);
}

static void
reads_like_memory(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int64_t left = random_cases(20, 2000); left > 0; left--) {
        struct object o;
        tess_array *a;
        tess_error err;
        object_make(&o, random_next(&r));
        o.guarded = random_below(&r, 2);
        o.backwards = random_below(&r, 2);
        tess_source source = source_of(&o, random_below(&r, 2) ? FAR : NEAR);
        source.requests = (int)random_below(&r, 5);
        if (random_below(&r, 2))
            source.ends = NULL;
        if (open_source(&source, &a, &err) != TESS_OK)
            fail_msg("%s", err.message);
        compare_boxes(a, &o, &r, 4);
        assert_int_equal(atomic_load(&o.closes), 0);
        tess_array_close(a, NULL);
        assert_int_equal(atomic_load(&o.closes), 1);
        object_finish(&o);
    }
}

// What a call returns no array from, leaves the source to the program.
static void
failures_leave_the_source(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct object o;
        tess_array *a;
        tess_error err;
        object_make(&o, 1);
        o.fails_after = n;
        o.fails_with = TESS_ERR_IO;
        tess_source source = source_of(&o, NEAR);
        if (open_source(&source, &a, &err) == TESS_OK) {
            static int32_t items[SIDE * SIDE * SIDE];
            static const int64_t start[NDIM] = {0}, stop[NDIM] = {SIDE, SIDE, SIDE};
            o.fails_after = 0;
            assert_int_equal(tess_array_read(a, start, stop, items, sizeof items, &err),
                             TESS_ERR_IO);
            assert_non_null(strstr(err.message, "the line was cut"));
            tess_array_close(a, NULL);
            assert_int_equal(atomic_load(&o.closes), 1);
        } else {
            assert_int_equal(err.status, TESS_ERR_IO);
            assert_non_null(strstr(err.message, "the line was cut"));
            assert_null(a);
            assert_int_equal(atomic_load(&o.closes), 0);
        }
        object_finish(&o);
    }
}

// A small object that is far away comes with one call; nothing more is asked of it.
static void
small_object_is_one_request(void **state)
{
    (void)state;
    struct object o;
    struct random r;
    tess_array *a;
    random_init(&r, 7);
    object_make(&o, 2);
    const tess_source source = source_of(&o, FAR);
    assert_int_equal(open_source(&source, &a, NULL), TESS_OK);
    compare_boxes(a, &o, &r, 10);
    assert_int_equal(atomic_load(&o.ends), 1);
    assert_int_equal(atomic_load(&o.states), 0);
    assert_int_equal(atomic_load(&o.reads), 0);
    tess_array_close(a, NULL);
    object_finish(&o);
}

// Another object in the place of the first is noticed, and a refresh shows it.
static void
replaced_objects(void **state)
{
    (void)state;
    for (int guarded = 0; guarded < 2; guarded++) {
        struct object o, other;
        struct random r;
        tess_array *a;
        bool changed = true;
        static int32_t items[SIDE * SIDE * SIDE];
        static const int64_t start[NDIM] = {0}, stop[NDIM] = {SIDE, SIDE, SIDE};
        random_init(&r, 7);
        object_make(&o, 3);
        object_make(&other, 4);
        o.guarded = guarded;
        tess_source source = source_of(&o, NEAR);
        source.refresh = object_refresh;
        assert_int_equal(open_source(&source, &a, NULL), TESS_OK);
        assert_int_equal(tess_array_refresh(a, &changed, NULL), TESS_OK);
        assert_false(changed);
        uint8_t *const first = o.bytes;
        o.bytes = other.bytes;
        o.size = other.size;
        o.replaced = true;
        assert_int_equal(tess_array_read(a, start, stop, items, sizeof items, NULL),
                         TESS_ERR_STALE);
        assert_int_equal(tess_array_refresh(a, &changed, NULL), TESS_OK);
        assert_true(changed);
        compare_boxes(a, &o, &r, 3);
        o.fails_after = 0; // a refresh that fails: nothing can be read until one succeeds
        o.fails_with = TESS_ERR_IO;
        assert_int_equal(tess_array_refresh(a, &changed, NULL), TESS_ERR_IO);
        o.fails_after = -1;
        assert_int_equal(tess_array_read(a, start, stop, items, sizeof items, NULL),
                         TESS_ERR_STALE);
        assert_int_equal(tess_array_refresh(a, &changed, NULL), TESS_OK);
        compare_boxes(a, &o, &r, 3);
        tess_array_close(a, NULL);
        assert_int_equal(atomic_load(&o.closes), 1);
        tess_free(first);
        object_finish(&o);
    }
}

static void
wrong_arguments(void **state)
{
    (void)state;
    struct object o;
    tess_array *a;
    tess_storage storage;
    object_make(&o, 5);
    tess_source source = source_of(&o, NEAR);
    tess_storage_init(&storage);
    storage.source = &source;
    storage.mode = TESS_MODE_UPDATE;
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_ERR_UNSUPPORTED);
    storage.mode = TESS_MODE_READ;
    storage.mmap = true;
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_ERR_ARG);
    storage.mmap = false;
    source.state = NULL;
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_ERR_ARG);
    tess_source_init(&source);
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_ERR_ARG);
    source.struct_size = 8;
    assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_ERR_ARG);
    assert_int_equal(atomic_load(&o.closes), 0);
    object_finish(&o);
}

// An object that is written: bytes of the start last.
struct upload {
    uint8_t *bytes;
    size_t size, capacity;
    int64_t next; // where the next write must be; -1: the first bytes have come
    int64_t published; // -1: not
    int fails_after, writes;
    int closes;
    bool replace;
};

static tess_status
upload_write(void *user, int64_t offset, const void *src, size_t src_size, tess_error *err)
{
    struct upload *const u = user;
    if (u->fails_after >= 0 && u->writes >= u->fails_after)
        return object_fail(err, TESS_ERR_IO, "the disk is full");
    u->writes++;
    assert_int_equal(u->published, -1);
    assert_int_not_equal(u->next, -1);
    assert_int_equal(offset, offset == 0 ? 0 : u->next);
    const size_t end = (size_t)offset + src_size;
    if (end > u->capacity) {
        u->capacity = 2 * end;
        u->bytes = realloc(u->bytes, u->capacity);
    }
    memcpy(u->bytes + offset, src, src_size);
    u->size = end > u->size ? end : u->size;
    u->next = offset == 0 ? -1 : (int64_t)end;
    return TESS_OK;
}

static tess_status
upload_publish(void *user, int64_t size, bool replace, tess_error *err)
{
    struct upload *const u = user;
    (void)err;
    assert_int_equal(u->next, -1);
    assert_int_equal(size, u->size);
    u->published = size;
    u->replace = replace;
    return TESS_OK;
}

static void
upload_close(void *user)
{
    ((struct upload *)user)->closes++;
}

static tess_source
upload_source(struct upload *u, int64_t head)
{
    tess_source source;
    memset(u, 0, sizeof *u);
    u->next = head;
    u->published = -1;
    u->fails_after = -1;
    tess_source_init(&source);
    source.user = u;
    source.write = upload_write;
    source.publish = upload_publish;
    source.close = upload_close;
    source.head = head;
    return source;
}

// Save, and copy with another grid, to a source; what it holds is the array.
static void
writes_to_sources(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, random_seed());
    for (int i = 0; i < 8; i++) {
        struct object o;
        struct upload u;
        tess_array *a, *copy = NULL;
        tess_storage storage;
        tess_error err;
        object_make(&o, 10 + (uint64_t)i);
        tess_storage_init(&storage);
        storage.image = o.bytes;
        storage.image_size = (size_t)o.size;
        assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_OK);
        tess_source source = upload_source(&u, i & 1 ? 65536 : 8 << 20);
        tess_storage_init(&storage);
        storage.source = &source;
        storage.mode = i & 1 ? TESS_MODE_REPLACE : TESS_MODE_NEW;
        tess_status st;
        if (i & 2) {
            st = tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, &err);
        } else {
            tess_params p;
            tess_params_init(&p);
            for (int k = 0; k < NDIM; k++) {
                p.chunkshape[k] = 22;
                p.blockshape[k] = 11;
            }
            st = tess_array_copy(a, &storage, &p, i & 4 ? &copy : NULL, &err);
        }
        if (st != TESS_OK)
            fail_msg("%s", err.message);
        assert_int_equal(u.published, u.size);
        assert_int_equal(u.replace, storage.mode == TESS_MODE_REPLACE);
        assert_int_equal(u.closes, 0);
        if (copy) {
            const int32_t item = 0;
            static const int64_t start[NDIM] = {0}, stop[NDIM] = {1, 1, 1};
            assert_int_equal(tess_array_write(copy, start, stop, &item, 4, NULL), TESS_OK);
            assert_int_equal(tess_array_flush(copy, &err), TESS_ERR_UNSUPPORTED);
            tess_array_discard(copy);
            assert_int_equal(u.closes, 1);
        }
        tess_array_close(a, NULL);
        const struct object made = {
            .bytes = u.bytes, .size = (int64_t)u.size, .guarded = true, .fails_after = -1};
        struct object reads = made;
        const tess_source again = source_of(&reads, FAR);
        assert_int_equal(open_source(&again, &a, NULL), TESS_OK);
        compare_boxes(a, &o, &r, 4);
        tess_verdict verdict;
        assert_int_equal(tess_array_verify(a, NULL, NULL, &verdict, NULL), TESS_OK);
        tess_array_close(a, NULL);
        free(u.bytes);
        object_finish(&o);
    }
}

static void
failed_uploads(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct object o;
        struct upload u;
        tess_array *a;
        tess_storage storage;
        tess_error err;
        object_make(&o, 30);
        tess_storage_init(&storage);
        storage.image = o.bytes;
        storage.image_size = (size_t)o.size;
        assert_int_equal(tess_array_open(&storage, &a, NULL), TESS_OK);
        const tess_source source = upload_source(&u, 65536);
        u.fails_after = n;
        tess_storage_init(&storage);
        storage.source = &source;
        storage.mode = TESS_MODE_NEW;
        const tess_status st = tess_array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, &err);
        if (u.published < 0) {
            assert_int_equal(st, TESS_ERR_IO);
            assert_non_null(strstr(err.message, "the disk is full"));
        }
        assert_int_equal(u.closes, 0);
        tess_array_close(a, NULL);
        free(u.bytes);
        object_finish(&o);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_like_memory),
        cmocka_unit_test(failures_leave_the_source),
        cmocka_unit_test(small_object_is_one_request),
        cmocka_unit_test(replaced_objects),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(writes_to_sources),
        cmocka_unit_test(failed_uploads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
