/*
 * view.c - views of random arrays, and views of those, against the slow reference.
 *
 * Case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure prints
 * and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more. And the files of other writers,
 * where reading all says what the items are.
 */
#include "support/files.h"
#include "support/seen.h"

#include <tessera.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES_SHORT = 600,
    CASES_LONG = 30000,
    VIEWS_MAX = 5,
    OPERATIONS_MAX = 14,
    THREADS = 4,
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// -- views and their tables

static void
see_slice(struct trial *t, const struct seen *of, struct seen *v)
{
    struct seen_slice s;
    bool steps = one_in(&t->random, 2);

    trial_tell(t, "view slice");
    seen_draw_slice(t, of->places.ndim, of->places.shape, &s);
    trial_tell(t, "\n");
    for (int i = 0; i < of->places.ndim; i++)
        steps |= s.step[i] != 1;
    ok(tess_array_view_slice(of->a, s.start, s.stop, steps ? s.step : NULL, &v->a, err));
    reference_init(&v->places, of->places.ndim, s.count, of->places.typesize);
    reference_get_slice(&of->places, s.start, s.count, s.step, v->places.data);
}

static void
see_squeezed(struct trial *t, const struct seen *of, struct seen *v)
{
    int axes[TESS_MAX_NDIM], n = 0, axis = -1;

    for (int i = 0; i < of->places.ndim; i++)
        if (of->places.shape[i] == 1)
            axes[n++] = i;
    if (n > 0 && one_in(&t->random, 2))
        axis = axes[below(&t->random, n)];
    trial_tell(t, "squeeze %d\n", axis);
    ok(tess_array_view_squeeze(of->a, axis, &v->a, err));
    reference_copy(&v->places, &of->places);
    v->places.ndim = 0;
    for (int i = 0; i < of->places.ndim; i++)
        if (axis < 0 ? of->places.shape[i] != 1 : i != axis)
            v->places.shape[v->places.ndim++] = of->places.shape[i];
}

static void
see_expanded(struct trial *t, const struct seen *of, struct seen *v)
{
    const int axis = (int)below(&t->random, of->places.ndim + 1);

    trial_tell(t, "expand %d\n", axis);
    ok(tess_array_view_expand(of->a, axis, &v->a, err));
    reference_copy(&v->places, &of->places);
    v->places.ndim++;
    for (int i = of->places.ndim; i > axis; i--)
        v->places.shape[i] = of->places.shape[i - 1];
    v->places.shape[axis] = 1;
}

static void
see_permuted(struct trial *t, const struct seen *of, struct seen *v)
{
    const int ndim = of->places.ndim;
    const bool reversed = one_in(&t->random, 4);
    int axes[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < ndim; i++)
        axes[i] = reversed ? ndim - 1 - i : i;
    for (int i = ndim - 1; !reversed && i > 0; i--) {
        const int k = (int)below(&t->random, i + 1), kept = axes[i];
        axes[i] = axes[k], axes[k] = kept;
    }
    trial_tell(t, "permute (");
    for (int i = 0; i < ndim; i++)
        trial_tell(t, " %d", axes[i]);
    trial_tell(t, " )\n");
    ok(tess_array_view_permute(of->a, reversed ? NULL : axes, &v->a, err));
    reference_copy(&v->places, &of->places);
    reference_permute(&v->places, axes);
}

static void
see(struct trial *t, const struct seen *of, struct seen *v)
{
    static void (*const ways[])(struct trial *, const struct seen *, struct seen *) = {
        see_slice, see_slice, see_slice, see_squeezed, see_expanded, see_permuted, see_permuted,
    };

    v->a = NULL;
    ways[below(&t->random, of->places.ndim == TESS_MAX_NDIM ? 4 : 7)](t, of, v);
    assert_non_null(v->a);
}

static void
check_info(const struct trial *t, const struct seen *v)
{
    tess_info info;

    tess_array_info(v->a, &info);
    assert_true(info.view);
    assert_true(info.writable);
    assert_int_equal(info.ndim, v->places.ndim);
    assert_int_equal(info.typesize, t->params.typesize);
    assert_int_equal(info.codec, t->params.codec);
    assert_int_equal(info.nitems, reference_nitems(v->places.ndim, v->places.shape));
    for (int i = 0; i < info.ndim; i++) {
        assert_int_equal(info.shape[i], v->places.shape[i]);
        assert_true(info.blockshape[i] >= 0 && info.blockshape[i] <= info.chunkshape[i]);
        assert_true(info.shape[i] == 0 || info.blockshape[i] > 0);
    }
    assert_true(info.nchunks >= 0);
}

// -- random arrays

struct many {
    struct seen all[1 + VIEWS_MAX]; // the base first; a is NULL where nothing is open
    bool stale; // the views
};

static struct seen *
any(struct trial *t, struct many *m)
{
    for (;;) {
        struct seen *const v = &m->all[below(&t->random, COUNT(m->all))];
        if (v->a)
            return v;
    }
}

static void
check_refusals(struct seen *v)
{
    const int64_t nothing[TESS_MAX_NDIM] = {0};
    uint8_t item[300];
    tess_array *made;

    // Items are there before each call: else nothing needs to be read.
    for (int i = 0; i < v->places.ndim; i++)
        if (v->places.shape[i] == 0)
            return;
    int64_t one[TESS_MAX_NDIM];
    for (int i = 0; i < TESS_MAX_NDIM; i++)
        one[i] = 1;
    refused(TESS_ERR_STALE, tess_array_read(v->a, nothing, one, item, sizeof item, err));
    refused(TESS_ERR_STALE, tess_array_write(v->a, nothing, one, item, sizeof item, err));
    refused(TESS_ERR_STALE,
            tess_array_get_slice(v->a, nothing, one, NULL, item, sizeof item, NULL, err));
    refused(TESS_ERR_STALE,
            tess_array_set_slice(v->a, nothing, one, NULL, item, sizeof item, NULL, err));
    refused(TESS_ERR_STALE, tess_array_get_points(v->a, 1, nothing, item, sizeof item, err));
    refused(TESS_ERR_STALE, tess_array_set_points(v->a, 1, nothing, item, sizeof item, err));
    refused(TESS_ERR_STALE, tess_array_view_slice(v->a, nothing, one, NULL, &made, err));
    assert_null(made);
    refused(TESS_ERR_STALE, tess_array_view_squeeze(v->a, -1, &made, err));
    refused(TESS_ERR_STALE, tess_array_view_permute(v->a, NULL, &made, err));
}

// Views are right after the base grew, and gone after it shrank.
static void
resize(struct trial *t, struct many *m)
{
    struct seen *const base = &m->all[0];
    bool cut;

    if (!base->a || !seen_resize(t, one_in(&t->random, 8), &cut))
        return;
    seen_finish(base);
    seen_whole(t, base);
    if (!cut)
        return;
    for (size_t i = 1; i < COUNT(m->all); i++)
        if (m->all[i].a) {
            check_refusals(&m->all[i]);
            ok(tess_array_close(m->all[i].a, err));
            seen_finish(&m->all[i]);
        }
}

static void
end_one(struct trial *t, struct many *m)
{
    struct seen *const v = any(t, m);

    trial_tell(t, "close %s\n", v == m->all ? "base" : "view");
    ok(tess_array_close(v->a, err));
    if (v == m->all)
        t->a = NULL;
    seen_finish(v);
    if (t->storage.path)
        check_file(t->storage.path, &t->reference);
}

static void
operate(struct trial *t, struct many *m)
{
    struct seen *const v = any(t, m);
    const int64_t kind = below(&t->random, 20);

    trial_tell(t, "%d: ", (int)(v - m->all));
    if (kind < 6) {
        for (size_t i = 1; i < COUNT(m->all); i++)
            if (!m->all[i].a) {
                see(t, v, &m->all[i]);
                check_info(t, &m->all[i]);
                return;
            }
    } else if (kind < 11) {
        seen_write(t, v);
    } else if (kind < 16) {
        seen_read(t, v);
    } else if (kind == 16) {
        resize(t, m);
    } else if (kind == 17) {
        trial_tell(t, "flush\n");
        ok(tess_array_flush(v->a, err));
        if (t->storage.path)
            check_file(t->storage.path, &t->reference);
    } else if (kind == 18) {
        seen_check(t, v);
    } else {
        int n = 0;
        for (size_t i = 0; i < COUNT(m->all); i++)
            n += m->all[i].a != NULL;
        if (n > 1)
            end_one(t, m);
    }
}

static void
live(struct trial *t)
{
    struct many m = {0};

    seen_begin(t, &m.all[0]);
    for (size_t i = 1; i < 3; i++) {
        see(t, &m.all[below(&t->random, (int64_t)i)], &m.all[i]);
        check_info(t, &m.all[i]);
    }
    for (int64_t n = 3 + below(&t->random, OPERATIONS_MAX); n > 0; n--)
        operate(t, &m);
    for (size_t i = 0; i < COUNT(m.all); i++)
        if (m.all[i].a)
            seen_check(t, &m.all[i]);
    for (size_t i = 0; i < COUNT(m.all); i++) {
        if (m.all[i].a)
            end_one(t, &m);
    }
    for (size_t i = 0; i < COUNT(m.all); i++)
        if (m.all[i].a) {
            ok(tess_array_close(m.all[i].a, err));
            seen_finish(&m.all[i]);
        }
    t->a = NULL;
    if (t->storage.path)
        check_file(t->storage.path, &t->reference);
    reference_finish(&t->reference);
}

static void
random_views(void **state)
{
    (void)state;
    trial_cases(CASES_SHORT, CASES_LONG, live);
}

// -- files of other writers

static void
check_golden(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    static struct trial t;
    struct seen chain[6];
    tess_info info;

    (void)name;
    memset(&t, 0, sizeof t);
    random_init(&t.random, *(const uint64_t *)user);
    t.a = a;
    t.reference = *ref;
    tess_array_info(a, &info);
    assert_false(info.view);
    seen_whole(&t, &chain[0]);
    for (size_t i = 1; i < COUNT(chain); i++) {
        see(&t, &chain[i - 1], &chain[i]);
        for (int k = 0; k < 4; k++)
            seen_read(&t, &chain[i]);
        seen_check(&t, &chain[i]);
    }
    for (size_t i = 1; i < COUNT(chain); i++) {
        ok(tess_array_close(chain[i].a, err));
        seen_finish(&chain[i]);
    }
    seen_finish(&chain[0]);
}

static void
golden_files(void **state)
{
    uint64_t seed = random_seed();
    (void)state;
    check_golden_files(check_golden, &seed);
}

// -- a small array of which the tests below make views

static const int64_t origin[TESS_MAX_NDIM] = {0};
static const int64_t small[2] = {4, 5};

// 0 to 19; at `path`, or in memory.
static tess_array *
small_array(const char *path)
{
    int32_t items[20];
    tess_params p;
    tess_storage storage;
    tess_array *a;

    for (int i = 0; i < 20; i++)
        items[i] = i;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 2;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = small[i];
        p.chunkshape[i] = 3;
        p.blockshape[i] = 2;
    }
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    return a;
}

static tess_array *
transposed(tess_array *a)
{
    tess_array *view;

    ok(tess_array_view_permute(a, NULL, &view, err));
    return view;
}

static int32_t
item_of(const tess_array *a, int64_t i, int64_t j)
{
    const int64_t at[2] = {i, j};
    int32_t item = -1;

    ok(tess_array_get_points(a, 1, at, &item, sizeof item, err));
    return item;
}

static void
set_item(tess_array *a, int64_t i, int64_t j, int32_t item)
{
    const int64_t at[2] = {i, j};

    ok(tess_array_set_points(a, 1, at, &item, sizeof item, err));
}

// As it was made, but for one item.
static void
check_saved(const char *path, int64_t i, int64_t j, int32_t item)
{
    struct reference ref;

    reference_init(&ref, 2, small, sizeof item);
    for (int32_t k = 0; k < 20; k++)
        memcpy(ref.data + 4 * k, &k, 4);
    memcpy(ref.data + 4 * (i * 5 + j), &item, 4);
    check_file(path, &ref);
    reference_finish(&ref);
}

// -- lives of bases and views

static void
base_closed_first(void **state)
{
    const char *const path = files_path("small.b2nd");
    tess_array *const a = small_array(path);
    tess_array *const view = transposed(a);

    (void)state;
    set_item(a, 1, 2, 100);
    ok(tess_array_close(a, err));
    check_saved(path, 1, 2, 100);
    assert_int_equal(item_of(view, 2, 1), 100);

    tess_array *const second = transposed(view); // of the view of an array that is closed
    set_item(view, 2, 1, 200);
    assert_int_equal(item_of(second, 1, 2), 200);
    ok(tess_array_close(view, err));
    assert_int_equal(item_of(second, 1, 2), 200);
    set_item(second, 1, 2, 300);
    ok(tess_array_close(second, err));
    check_saved(path, 1, 2, 300);
}

// The file stays locked until the last view is closed.
static void
file_stays_open(void **state)
{
    const char *const path = files_path("small.b2nd");
    tess_array *const a = small_array(path), *const view = transposed(a);
    tess_storage storage;
    tess_array *other;

    (void)state;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_UPDATE;
    ok(tess_array_close(a, err));
    refused(TESS_ERR_IO, tess_array_open(&storage, &other, err));
    ok(tess_array_close(view, err));
    ok(tess_array_open(&storage, &other, err));
    ok(tess_array_close(other, err));
}

static void
view_flushes(void **state)
{
    const char *const path = files_path("small.b2nd");
    tess_array *const a = small_array(path), *const view = transposed(a);

    (void)state;
    set_item(view, 4, 3, -1);
    ok(tess_array_flush(view, err));
    check_saved(path, 3, 4, -1);
    tess_array_discard(view); // no more than a view
    assert_int_equal(item_of(a, 3, 4), -1);
    set_item(a, 3, 4, -2);
    ok(tess_array_close(a, err));
    check_saved(path, 3, 4, -2);
}

static void
base_discarded(void **state)
{
    const int64_t step[2] = {2, -1}, start[2] = {0, 4}, stop[2] = {4, -1}, one[2] = {1, 1};
    const char *const path = files_path("small.b2nd");
    tess_array *const a = small_array(path), *const view = transposed(a);
    tess_array *sliced, *made;
    tess_error error;
    tess_info info;
    int32_t item = 5;

    (void)state;
    ok(tess_array_view_slice(a, start, stop, step, &sliced, err));
    set_item(view, 1, 1, 100);
    tess_array_discard(a);
    assert_int_equal(tess_array_get_points(view, 1, origin, &item, sizeof item, &error),
                     TESS_ERR_STALE);
    assert_string_equal(error.message, "the array of this view was discarded");
    refused(TESS_ERR_STALE, tess_array_set_points(view, 1, origin, &item, sizeof item, err));
    refused(TESS_ERR_STALE, tess_array_fill(sliced, origin, one, NULL, &item, 4, err));
    refused(TESS_ERR_STALE, tess_array_view_permute(view, NULL, &made, err));
    assert_null(made);
    refused(TESS_ERR_STALE, tess_vlmeta_set(view, "name", "x", 1, err));
    refused(TESS_ERR_STALE, tess_attr_set_string(view, "name", "x", err));
    tess_array_info(view, &info);
    assert_true(info.view);
    ok(tess_array_close(view, err));
    tess_array_discard(sliced);
    check_saved(path, 0, 0, 0);
    assert_int_equal(files_count(), 1);
}

static void
base_grows(void **state)
{
    const int64_t larger[2] = {9, 11}, smaller[2] = {9, 10};
    tess_array *const a = small_array(NULL), *const view = transposed(a);
    tess_error error;
    int32_t item;

    (void)state;
    ok(tess_array_resize(a, larger, err));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            assert_int_equal(item_of(view, j, i), i * 5 + j);
    refused(TESS_ERR_ARG, tess_array_get_points(view, 1, larger, &item, sizeof item, err));

    // Cut off is cut off, even outside the view, and after it has grown again.
    ok(tess_array_resize(a, smaller, err));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tess_array_get_points(view, 1, origin, &item, sizeof item, &error),
                         TESS_ERR_STALE);
        assert_string_equal(error.message, "the array of this view has got another shape since "
                                           "the view was made");
        ok(tess_array_resize(a, larger, err));
    }
    tess_array *const again = transposed(a);
    assert_int_equal(item_of(again, 4, 3), 19);
    ok(tess_array_close(view, err));
    ok(tess_array_close(again, err));
    ok(tess_array_close(a, err));
}

// Where a slice is empty, its indices may be any.
static void
empty_views(void **state)
{
    const int64_t start[2] = {1, 1}, step[2] = {2, 1};
    const int64_t far[2] = {INT64_MAX, 0}, back[2] = {INT64_MIN, 4};
    tess_array *const a = small_array(NULL);
    tess_array *sliced, *empty, *again;
    tess_info info;

    (void)state;
    ok(tess_array_view_slice(a, start, small, step, &sliced, err));
    ok(tess_array_view_slice(sliced, far, back, NULL, &empty, err));
    ok(tess_array_view_permute(empty, NULL, &again, err));
    tess_array_info(again, &info);
    assert_int_equal(info.shape[0], 4);
    assert_int_equal(info.shape[1], 0);
    assert_int_equal(info.nitems, 0);
    ok(tess_array_read(again, origin, info.shape, NULL, 0, err));
    ok(tess_array_close(again, err));
    ok(tess_array_close(empty, err));
    ok(tess_array_close(sliced, err));
    ok(tess_array_close(a, err));
}

static void
only_read(void **state)
{
    const char *const path = files_path("small.b2nd");
    const int32_t item = 3;
    tess_storage storage;
    tess_array *a;
    tess_info info;

    (void)state;
    ok(tess_array_close(small_array(path), err));
    tess_storage_init(&storage);
    storage.path = path;
    ok(tess_array_open(&storage, &a, err));
    tess_array *const view = transposed(a);
    ok(tess_array_close(a, err));
    tess_array_info(view, &info);
    assert_false(info.writable);
    assert_int_equal(item_of(view, 4, 3), 19);
    refused(TESS_ERR_ARG, tess_array_set_points(view, 1, origin, &item, sizeof item, err));
    refused(TESS_ERR_ARG,
            tess_array_set_slice(view, origin, origin, NULL, &item, sizeof item, NULL, err));
    refused(TESS_ERR_ARG, tess_array_fill(view, origin, origin, NULL, &item, 4, err));
    refused(TESS_ERR_ARG, tess_vlmeta_set(view, "name", "x", 1, err));
    ok(tess_array_flush(view, err));
    ok(tess_array_close(view, err));
    check_saved(path, 0, 0, 0);
}

// A view that is for reading only, of an array that is not; and views of it.
static void
handed_on(void **state)
{
    const int64_t one[2] = {1, 1};
    const int32_t item = 3;
    tess_array *const a = small_array(NULL);
    tess_array *view = NULL, *part = NULL;
    tess_info info;

    (void)state;
    ok(tess_array_view_read_only(a, &view, err));
    ok(tess_array_view_slice(view, origin, one, NULL, &part, err));
    tess_array *const turned = transposed(view);
    tess_array *const all[] = {view, part, turned};
    for (int i = 0; i < 3; i++) {
        tess_array_info(all[i], &info);
        assert_true(info.view && !info.writable);
        refused(TESS_ERR_ARG, tess_array_write(all[i], origin, one, &item, 4, err));
        refused(TESS_ERR_ARG, tess_array_fill(all[i], origin, one, NULL, &item, 4, err));
        refused(TESS_ERR_ARG, tess_array_set_points(all[i], 1, origin, &item, sizeof item, err));
        refused(TESS_ERR_ARG, tess_attr_set_int(all[i], "n", 1, err));
    }
    tess_array_info(view, &info);
    assert_int_equal(info.ndim, 2);
    assert_int_equal(item_of(turned, 4, 3), 19);
    ok(tess_array_write(a, origin, one, &item, 4, err)); // which all see
    for (int i = 0; i < 3; i++) {
        assert_int_equal(item_of(all[i], 0, 0), 3);
        ok(tess_array_close(all[i], err));
    }
    refused(TESS_ERR_ARG, tess_array_view_read_only(NULL, &view, err));
    assert_null(view);
    refused(TESS_ERR_ARG, tess_array_view_read_only(a, NULL, err));
    ok(tess_array_close(a, err));
}

// -- what a view has of its base, and what it refuses

static void
names_of_the_base(void **state)
{
    tess_array *const a = small_array(NULL), *const view = transposed(a);
    char *text;
    tess_info info, base;
    void *content;
    size_t size;

    (void)state;
    ok(tess_attr_set_string(a, "unit", "kelvin", err));
    ok(tess_attr_get_string(view, "unit", &text, NULL, err));
    assert_string_equal(text, "kelvin");
    tess_free(text);
    ok(tess_vlmeta_set(view, "bytes", "abc", 3, err));
    ok(tess_vlmeta_get(a, "bytes", &content, &size, err));
    assert_int_equal(size, 3);
    tess_free(content);
    assert_non_null(tess_vlmeta_name(view, 1));
    tess_array_info(view, &info);
    tess_array_info(a, &base);
    assert_true(info.view && !base.view);
    assert_string_equal(info.dtype, "<i4");
    assert_string_equal(info.layer, "b2nd");
    assert_string_equal(info.codec_name, base.codec_name);
    assert_int_equal(info.nmetalayers, base.nmetalayers);
    assert_int_equal(info.nvlmetalayers, 2);
    assert_int_equal(info.cbytes, base.cbytes);
    ok(tess_vlmeta_delete(view, "unit", err));
    ok(tess_array_close(a, err));
    tess_array_info(view, &info);
    assert_int_equal(info.nvlmetalayers, 1);
    assert_string_equal(info.dtype, "<i4");
    ok(tess_array_close(view, err));
}

static void
refused_for_views(void **state)
{
    const int64_t shape[2] = {5, 9};
    int32_t items[5 * 4] = {0}, sizes[16];
    tess_array *const a = small_array(NULL), *const view = transposed(a);
    tess_chunk_info chunk;
    tess_storage storage;
    const void *image;
    void *made;
    size_t size;

    (void)state;
    tess_storage_init(&storage);
    storage.path = files_path("saved.b2nd");
    storage.mode = TESS_MODE_NEW;
    refused(TESS_ERR_ARG, tess_array_resize(view, shape, err));
    refused(TESS_ERR_ARG, tess_array_append(view, 0, 1, items, sizeof items, NULL, err));
    refused(TESS_ERR_ARG, tess_array_image(view, &image, &size, err));
    refused(TESS_ERR_ARG, tess_array_to_image(view, &made, &size, err));
    refused(TESS_ERR_ARG, tess_array_save(view, &storage, TESS_LAYOUT_CONTIGUOUS, err));
    refused(TESS_ERR_ARG, tess_array_chunk(view, 0, &chunk, err));
    refused(TESS_ERR_ARG, tess_array_chunk_blocks(view, 0, sizes, 16, err));
    assert_int_equal(files_count(), 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            assert_int_equal(item_of(view, j, i), i * 5 + j);
    ok(tess_array_close(view, err));
    ok(tess_array_close(a, err));
}

static const struct {
    const char *sentence;
    int64_t start[2], stop[2], step[2];
} bad_slices[] = {
    {"the slice 0:6:1 leaves axis 1, which has 5 items", {0, 0}, {4, 6}, {1, 1}},
    {"the slice -1:4:1 leaves axis 0, which has 4 items", {-1, 0}, {4, 5}, {1, 1}},
    {"the step along axis 1 is 0", {0, 0}, {4, 5}, {1, 0}},
    {"the slice 4:-1:-1 leaves axis 0, which has 4 items", {4, 0}, {-1, 5}, {-1, 1}},
    {"the slice 4:-2:-1 leaves axis 1, which has 5 items", {3, 4}, {-1, -2}, {-1, -1}},
};

// Evaluates `call`, which passes `view` and `err`, and must fail with that sentence.
#define not_made(sentence, call)                         \
    do {                                                 \
        tess_error error;                                \
        tess_error *const err = &error;                  \
        int unset;                                       \
        tess_array *view = (tess_array *)(void *)&unset; \
        assert_int_equal((call), TESS_ERR_ARG);          \
        assert_null(view);                               \
        check_error(&error, TESS_ERR_ARG, #call);        \
        assert_string_equal(error.message, sentence);    \
    } while (0)

static void
bad_arguments(void **state)
{
    tess_array *const a = small_array(NULL);
    const int twice[2] = {1, 1}, far[2] = {0, 2}, negative[2] = {0, -1};
    tess_array *many, *next;

    (void)state;
    for (size_t i = 0; i < COUNT(bad_slices); i++)
        not_made(bad_slices[i].sentence,
                 tess_array_view_slice(a, bad_slices[i].start, bad_slices[i].stop,
                                       bad_slices[i].step, &view, err));
    not_made("no array is given", tess_array_view_slice(NULL, origin, small, NULL, &view, err));
    not_made("no slice is given", tess_array_view_slice(a, NULL, small, NULL, &view, err));
    not_made("no slice is given", tess_array_view_slice(a, origin, NULL, NULL, &view, err));
    not_made("no array is given", tess_array_view_squeeze(NULL, -1, &view, err));
    not_made("axis 0 has 4 items, not 1", tess_array_view_squeeze(a, 0, &view, err));
    not_made("axis 2 of an array with 2 dimensions", tess_array_view_squeeze(a, 2, &view, err));
    not_made("axis -2 of an array with 2 dimensions", tess_array_view_squeeze(a, -2, &view, err));
    not_made("no array is given", tess_array_view_expand(NULL, 0, &view, err));
    not_made("a new axis 3 for an array with 2 dimensions",
             tess_array_view_expand(a, 3, &view, err));
    not_made("a new axis -1 for an array with 2 dimensions",
             tess_array_view_expand(a, -1, &view, err));
    not_made("no array is given", tess_array_view_permute(NULL, NULL, &view, err));
    not_made("axis 1 is named twice", tess_array_view_permute(a, twice, &view, err));
    not_made("axis 2 of an array with 2 dimensions", tess_array_view_permute(a, far, &view, err));
    not_made("axis -1 of an array with 2 dimensions",
             tess_array_view_permute(a, negative, &view, err));
    refused(TESS_ERR_ARG, tess_array_view_slice(a, origin, small, NULL, NULL, err));
    refused(TESS_ERR_ARG, tess_array_view_squeeze(a, -1, NULL, err));
    refused(TESS_ERR_ARG, tess_array_view_expand(a, 0, NULL, err));
    refused(TESS_ERR_ARG, tess_array_view_permute(a, NULL, NULL, err));

    ok(tess_array_view_expand(a, 1, &many, err));
    for (int ndim = 3; ndim < TESS_MAX_NDIM; ndim++) {
        ok(tess_array_view_expand(many, ndim, &next, err));
        ok(tess_array_close(many, err));
        many = next;
    }
    not_made("the array has 16 dimensions already", tess_array_view_expand(many, 0, &view, err));
    int32_t items[20];
    int64_t stop[TESS_MAX_NDIM];
    for (int i = 0; i < TESS_MAX_NDIM; i++)
        stop[i] = i == 0 ? 4 : i == 2 ? 5 : 1;
    ok(tess_array_read(many, origin, stop, items, sizeof items, err));
    for (int i = 0; i < 20; i++)
        assert_int_equal(items[i], i);
    ok(tess_array_close(many, err));
    ok(tess_array_close(a, err));
}

// -- many threads

struct reader {
    pthread_t thread;
    const tess_array *a;
    bool transposed;
    int wrong;
};

enum { SIDE = 90 };

static void *
read_rows(void *argument)
{
    struct reader *const r = argument;
    static const int64_t step[2] = {3, 2};
    uint32_t row[SIDE], part[SIDE / 3 * SIDE / 2];

    for (int64_t i = 0; i < SIDE; i++) {
        const int64_t start[2] = {i, 0}, stop[2] = {i + 1, SIDE}, all[2] = {SIDE, SIDE};
        r->wrong += tess_array_read(r->a, start, stop, row, sizeof row, NULL) != TESS_OK;
        for (int64_t j = 0; j < SIDE; j++)
            r->wrong += row[j] != (r->transposed ? j * SIDE + i : i * SIDE + j);
        r->wrong +=
            tess_array_get_slice(r->a, origin, all, step, part, sizeof part, NULL, NULL) != TESS_OK;
        for (int64_t k = 0; k < SIDE / 3 * (SIDE / 2); k++) {
            const int64_t y = k / (SIDE / 2) * 3, x = k % (SIDE / 2) * 2;
            r->wrong += part[k] != (r->transposed ? x * SIDE + y : y * SIDE + x);
        }
    }
    return NULL;
}

// An array and a view of it, at once.
static void
readers(void **state)
{
    static uint32_t items[SIDE * SIDE];
    struct reader all[THREADS] = {0};
    tess_context context;
    tess_storage storage;
    tess_params p;
    tess_array *a;

    (void)state;
    tess_context_init(&context);
    context.cache = 10000;
    context.threads = 2;
    tess_params_init(&p);
    p.dtype = "<u4";
    p.ndim = 2;
    for (int i = 0; i < 2; i++) {
        p.shape[i] = SIDE;
        p.chunkshape[i] = 40;
        p.blockshape[i] = 7;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        items[i] = i;
    tess_storage_init(&storage);
    storage.context = &context;
    ok(tess_array_from(&storage, &p, items, sizeof items, &a, err));
    tess_array *const view = transposed(a);
    for (int i = 0; i < THREADS; i++) {
        all[i].transposed = i % 2;
        all[i].a = i % 2 ? view : a;
        assert_int_equal(pthread_create(&all[i].thread, NULL, read_rows, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
        assert_int_equal(all[i].wrong, 0);
    }
    ok(tess_array_close(a, err));
    ok(tess_array_close(view, err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_views, files_setup, trial_teardown),
        cmocka_unit_test(golden_files),
        cmocka_unit_test_setup_teardown(base_closed_first, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(file_stays_open, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(view_flushes, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(base_discarded, files_setup, files_teardown),
        cmocka_unit_test(base_grows),
        cmocka_unit_test(empty_views),
        cmocka_unit_test_setup_teardown(only_read, files_setup, files_teardown),
        cmocka_unit_test(handed_on),
        cmocka_unit_test(names_of_the_base),
        cmocka_unit_test_setup_teardown(refused_for_views, files_setup, files_teardown),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(readers),
    };

    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
