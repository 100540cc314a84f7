/*
 * forked.c - children of a process that has arrays open for writing: they change nothing, keep
 * nothing locked, and end nothing of their parent's.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const int64_t origin = 0, whole = STATE_ITEMS;

// -- arrays that are open for writing when the process is forked

static tess_context no_cache;

static tess_storage
uncached(const char *path, tess_mode mode)
{
    tess_storage storage = at(path, mode);
    tess_context_init(&no_cache);
    no_cache.cache = 0;
    storage.context = &no_cache;
    return storage;
}

// Changes wait in memory.
static tess_array *
updated(const char *path, tess_layout layout)
{
    state_make(path, layout, 1);
    tess_array *const a = state_open(path, TESS_MODE_UPDATE);
    ok(state_write(a, 2, err));
    return a;
}

// Chunks are stored, without a commit.
static tess_array *
stored(const char *path, tess_layout layout)
{
    const tess_storage storage = uncached(path, TESS_MODE_UPDATE);
    tess_array *a;
    state_make(path, layout, 1);
    ok(tess_array_open(&storage, &a, err));
    ok(state_write(a, 2, err));
    return a;
}

// Nothing is changed.
static tess_array *
opened(const char *path, tess_layout layout)
{
    state_make(path, layout, 2);
    return state_open(path, TESS_MODE_UPDATE);
}

static tess_array *
created(const char *path, tess_layout layout)
{
    const tess_storage storage = at(path, TESS_MODE_NEW);
    tess_array *a;
    ok(state_create(&storage, layout, 1, &a, err));
    ok(state_write(a, 2, err));
    return a;
}

// It has a temporary name until its first flush.
static tess_array *
replacing(const char *path, tess_layout layout)
{
    const tess_storage storage = uncached(path, TESS_MODE_REPLACE);
    const tess_params params = state_params(layout);
    tess_array *a;
    state_make(path, layout, 1);
    ok(tess_array_zeros(&storage, &params, &a, err));
    ok(state_write(a, 2, err));
    return a;
}

// It makes its file longer until it is closed.
static tess_array *
appended(const char *path, tess_layout layout)
{
    const tess_storage storage = at(path, TESS_MODE_APPEND);
    tess_array *a;
    if (layout == TESS_LAYOUT_SPARSE)
        return updated(path, layout);
    state_make(path, layout, 2);
    ok(state_create(&storage, layout, 1, &a, err));
    ok(state_write(a, 2, err));
    return a;
}

static const struct way {
    tess_array *(*make)(const char *path, tess_layout layout);
    bool hidden; // from the child, which cannot read what its parent may overwrite
    bool once; // it cannot be opened again to be changed
} ways[] = {
    {.make = updated}, {.make = stored, .hidden = true},    {.make = opened},
    {.make = created}, {.make = replacing, .hidden = true}, {.make = appended, .once = true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

// -- children

static bool
is_refused(tess_status st, const tess_error *err)
{
    const bool well = st == TESS_ERR_ARG && strstr(err->message, "only the process that opened it");
    if (!well)
        (void)fprintf(stderr, "%s: %s\n", tess_status_name(st), st == TESS_OK ? "" : err->message);
    return well;
}

// Every call that changes something, and what else a child may ask.
static bool
child_is_refused(tess_array *a, bool reads)
{
    const int64_t shape = STATE_ITEMS / 2;
    const uint8_t value[4] = {1};
    const tess_status read = reads ? TESS_OK : TESS_ERR_STALE;
    int32_t items[STATE_ITEMS];
    tess_error err;
    tess_info info;
    bool well = true;
    tess_array_info(a, &info);
    well &= !info.writable;
    well &= is_refused(state_write(a, 9, &err), &err);
    well &= is_refused(tess_array_resize(a, &shape, &err), &err);
    well &= is_refused(tess_array_append(a, 0, 1, items, 4, NULL, &err), &err);
    well &= is_refused(tess_array_fill(a, &origin, &whole, NULL, value, 4, &err), &err);
    well &= is_refused(tess_attr_set_string(a, "name", "value", &err), &err);
    well &= is_refused(tess_vlmeta_set(a, "name", "\xa1x", 2, &err), &err);
    well &= is_refused(tess_array_flush(a, &err), &err);
    const tess_status st = tess_array_read(a, &origin, &whole, items, sizeof items, &err);
    if (st != read || (reads && items[0] != 2))
        (void)fprintf(stderr, "reading: %s\n", tess_status_name(st));
    well &= st == read && (!reads || items[0] == 2);
    return well && is_refused(tess_array_flush(a, &err), &err);
}

struct story {
    tess_array *a;
    const struct way *way;
    int end; // of the array in the child: closed, discarded, left to exit
};

static int
ends_it(const struct channel *c, const void *arg)
{
    const struct story *const s = arg;
    tess_error err;
    bool well = child_is_refused(s->a, !s->way->hidden);
    if (s->end == 0 && tess_array_close(s->a, &err) != TESS_OK) {
        (void)fprintf(stderr, "closing: %s\n", err.message);
        well = false;
    }
    if (s->end == 1)
        tess_array_discard(s->a);
    say(c);
    return well ? 0 : 1;
}

// Whether another process is kept out.
static int
opens_it(const struct channel *c, const void *arg)
{
    const tess_storage storage = at(arg, TESS_MODE_UPDATE);
    tess_array *a;
    tess_error err;
    const tess_status st = tess_array_open(&storage, &a, &err);
    (void)tess_array_close(a, NULL);
    say(c);
    return st == TESS_ERR_IO && err.sys == EWOULDBLOCK ? 0 : 1;
}

static void
run(int (*child)(const struct channel *c, const void *arg), const void *arg)
{
    const struct other o = other_begin(child, arg);
    hear(&o.channel);
    other_end(&o);
}

static void
expect(const char *path, int32_t value)
{
    assert_int_equal(state_at(path), value);
    files_remove(path);
    assert_int_equal(files_count(), 0);
}

// Neither the changes, nor the lock, nor the file.
static void
child_ends_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WAYS * 3; i++) {
        const tess_layout layout = state_layouts[i % 2];
        const char *const path = state_path(layout);
        struct story s = {.way = &ways[i / 2 % WAYS], .end = i / 2 / WAYS};
        int32_t value = 0;
        s.a = s.way->make(path, layout);
        run(ends_it, &s);
        run(opens_it, path);
        ok(state_read(s.a, &value, err));
        assert_int_equal(value, 2);
        ok(tess_array_close(s.a, err));
        expect(path, 2);
    }
}

static int
waits(const struct channel *c, const void *arg)
{
    (void)arg;
    say(c);
    hear(c);
    return 0;
}

// A child that never heard of the array keeps nobody out once its parent is done.
static void
child_keeps_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WAYS * 2; i++) {
        const tess_layout layout = state_layouts[i % 2];
        const char *const path = state_path(layout);
        const bool discarded = i / 2 / WAYS;
        tess_storage storage = at(path, TESS_MODE_UPDATE);
        tess_array *a = ways[i / 2 % WAYS].make(path, layout);
        const struct other o = other_begin(waits, NULL);
        hear(&o.channel);
        if (discarded)
            tess_array_discard(a);
        else
            ok(tess_array_close(a, err));
        if (!ways[i / 2 % WAYS].once) {
            ok(tess_array_open(&storage, &a, err));
            ok(state_write(a, 3, err));
            ok(tess_array_close(a, err));
        }
        storage.mode = TESS_MODE_REPLACE;
        ok(state_create(&storage, layout, 4, &a, err));
        ok(tess_array_close(a, err));
        say(&o.channel);
        other_end(&o);
        expect(path, 4);
    }
}

// What a child opens is its own, and memory is everyone's own.
static int
changes_memory(const struct channel *c, const void *arg)
{
    tess_array *const a = *(tess_array *const *)arg;
    int32_t value = 0;
    const bool well = state_write(a, 5, NULL) == TESS_OK && tess_array_flush(a, NULL) == TESS_OK &&
                      state_read(a, &value, NULL) == TESS_OK && value == 5 &&
                      tess_array_close(a, NULL) == TESS_OK;
    say(c);
    return well ? 0 : 1;
}

static int
opens_its_own(const struct channel *c, const void *arg)
{
    const tess_storage storage = at(arg, TESS_MODE_UPDATE);
    tess_array *a;
    const bool well = tess_array_open(&storage, &a, NULL) == TESS_OK &&
                      state_write(a, 6, NULL) == TESS_OK && tess_array_close(a, NULL) == TESS_OK;
    say(c);
    return well ? 0 : 1;
}

static void
own_arrays(void **state)
{
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    int32_t value = 0;
    tess_array *a;
    (void)state;
    ok(state_create(&memory, TESS_LAYOUT_CONTIGUOUS, 1, &a, err));
    run(changes_memory, &a);
    ok(state_read(a, &value, err));
    assert_int_equal(value, 1);
    ok(tess_array_close(a, err));
    for (size_t i = 0; i < 2; i++) {
        state_make(state_path(state_layouts[i]), state_layouts[i], 1);
        run(opens_its_own, state_path(state_layouts[i]));
        assert_int_equal(state_at(state_path(state_layouts[i])), 6);
    }
}

// Its parent goes on writing: what the child reads is one state, or STALE.
static int
reads_on(const struct channel *c, const void *arg)
{
    const tess_array *const a = *(tess_array *const *)arg;
    int32_t value = 0;
    const tess_status before = state_read(a, &value, NULL);
    say(c);
    hear(c);
    const tess_status after = state_read(a, &value, NULL);
    return before == TESS_OK && value == 2 && after == TESS_ERR_STALE ? 0 : 1;
}

static void
reading_child(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_storage storage = uncached(state_path(state_layouts[i]), TESS_MODE_UPDATE);
        tess_array *a;
        state_make(storage.path, state_layouts[i], 2);
        ok(tess_array_open(&storage, &a, err));
        const struct other o = other_begin(reads_on, &a);
        hear(&o.channel);
        ok(state_write(a, 3, err));
        ok(tess_array_flush(a, err));
        ok(state_write(a, 4, err));
        say(&o.channel);
        other_end(&o);
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(storage.path), 4);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(child_ends_nothing),
        IN_A_FOLDER(child_keeps_nothing),
        IN_A_FOLDER(own_arrays),
        IN_A_FOLDER(reading_child),
    };
    (void)setenv("TESS_NUM_THREADS", "1", 1); // processes are forked
    return cmocka_run_group_tests(tests, NULL, NULL);
}
