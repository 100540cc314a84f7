/*
 * moved_files.c - the file or directory of a writer is renamed, replaced or removed under it by
 * others: it is told, and commits nothing that its path does not lead to. Programs may change
 * directories, and move what is committed.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_SIZE = 600 };

// The array of each test is `inner/array` in the folder, for a while.
static char outer[PATH_SIZE], path[PATH_SIZE], away[PATH_SIZE];

static int
setup(void **state)
{
    if (files_setup(state) != 0)
        return -1;
    (void)snprintf(outer, sizeof outer, "%s", files_path("inner"));
    (void)snprintf(path, sizeof path, "%s", files_path("inner/array"));
    (void)snprintf(away, sizeof away, "%s", files_path("away"));
    return mkdir(outer, 0777);
}

static void
move(const char *from, const char *to)
{
    assert_int_equal(rename(from, to), 0);
}

// -- what others do, and how they take it back, if they can

static void
rename_it(tess_layout layout)
{
    (void)layout;
    move(path, away);
}

static void
rename_it_back(void)
{
    files_remove(path);
    move(away, path);
}

static void
remove_it(tess_layout layout)
{
    (void)layout;
    files_remove(path);
}

// A directory cannot be renamed over one that is not empty.
static void
replace_it(tess_layout layout)
{
    const char *const other = files_path("other");
    state_make(other, layout, 7);
    if (layout == TESS_LAYOUT_SPARSE)
        files_remove(path);
    move(other, path);
}

// By something of the other kind.
static void
replace_kind(tess_layout layout)
{
    move(path, away);
    state_make(path, layout == TESS_LAYOUT_SPARSE ? TESS_LAYOUT_CONTIGUOUS : TESS_LAYOUT_SPARSE, 7);
}

static void
rename_outer(tess_layout layout)
{
    (void)layout;
    move(outer, away);
}

static void
rename_outer_back(void)
{
    move(away, outer);
}

static void
replace_outer(tess_layout layout)
{
    rename_outer(layout);
    assert_int_equal(mkdir(outer, 0777), 0);
    state_make(path, layout, 7);
}

static void
replace_outer_back(void)
{
    files_remove(outer);
    move(away, outer);
}

static const struct event {
    const char *name;
    void (*happen)(tess_layout layout);
    void (*undo)(void); // NULL: it cannot be
} events[] = {
    {"renamed", rename_it, rename_it_back},
    {"removed", remove_it, NULL},
    {"replaced", replace_it, NULL},
    {"replaced by another kind", replace_kind, rename_it_back},
    {"the folder renamed", rename_outer, rename_outer_back},
    {"the folder replaced", replace_outer, replace_outer_back},
};

// -- where it comes from

static tess_array *
updated(tess_layout layout, const char *at_path)
{
    state_make(at_path, layout, 1);
    return state_open(at_path, TESS_MODE_UPDATE);
}

static tess_array *
created(tess_layout layout, const char *at_path, tess_mode mode)
{
    const tess_storage storage = at(at_path, mode);
    tess_array *a;
    ok(state_create(&storage, layout, 1, &a, err));
    return a;
}

static tess_array *new (tess_layout layout, const char *at_path)
{
    return created(layout, at_path, TESS_MODE_NEW);
}

static tess_array *
replacing(tess_layout layout, const char *at_path)
{
    state_make(at_path, layout, 0);
    return created(layout, at_path, TESS_MODE_REPLACE);
}

static tess_array *(*const ways[])(tess_layout layout, const char *at_path) = {updated, new,
                                                                               replacing};
enum { WAYS = sizeof ways / sizeof ways[0], EVENTS = sizeof events / sizeof events[0] };

static void
tidy(void)
{
    files_remove(away);
    files_remove(outer);
    assert_int_equal(mkdir(outer, 0777), 0);
}

// -- tests

static void
told_and_kept(tess_layout layout, const struct event *event, tess_array *a)
{
    int32_t value;
    ok(tess_array_flush(a, err)); // is there
    ok(state_write(a, 2, err));
    event->happen(layout);
    ok(state_write(a, 3, err)); // waits in memory
    refused(TESS_ERR_STALE, tess_array_flush(a, err));
    refused(TESS_ERR_STALE, tess_array_refresh(a, NULL, err));
    if (event->undo) { // else chunk files are gone
        ok(state_read(a, &value, err));
        assert_int_equal(value, 3);
        event->undo();
        ok(tess_array_refresh(a, NULL, err));
        ok(tess_array_flush(a, err));
        assert_int_equal(state_at(path), 3);
        ok(state_write(a, 4, err));
        event->happen(layout);
    }
    tess_error err = {0};
    const bool gone = layout == TESS_LAYOUT_SPARSE && !event->undo; // with all that is in it
    if (tess_array_close(a, &err) != TESS_ERR_STALE ||
        !strstr(err.message, gone ? "directory was changed" : "the path leads to"))
        fail_msg("%s: %s", event->name, err.message);
    tidy();
}

static void
writer_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WAYS * EVENTS; i++) {
        const tess_layout layout = state_layouts[i % 2];
        told_and_kept(layout, &events[i / 2 % EVENTS], ways[i / 2 / EVENTS](layout, path));
    }
}

// What could not be committed goes elsewhere; the other file stays as it is.
static void
saved_elsewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tess_storage storage = at(files_path("saved"), TESS_MODE_REPLACE);
        tess_array *const a = updated(state_layouts[i], path);
        ok(state_write(a, 2, err));
        replace_kind(state_layouts[i]);
        refused(TESS_ERR_STALE, tess_array_flush(a, err));
        ok(tess_array_save(a, &storage, state_layouts[i], err));
        tess_array_discard(a);
        assert_int_equal(state_at(files_path("saved")), 2);
        assert_int_equal(state_at(path), 7);
        assert_int_equal(state_at(away), 1);
        files_remove(files_path("saved"));
        tidy();
    }
}

// Commits on the way are not made, either.
static void
long_writes_are_told(void **state)
{
    enum { SIZE = 1 << 20 };
    const int64_t start = 0, stop = SIZE;
    uint8_t *const items = calloc(SIZE, 1);
    tess_context context;
    (void)state;
    assert_non_null(items);
    for (size_t i = 0; i < 2; i++) {
        tess_storage storage = at(path, TESS_MODE_NEW);
        tess_params params = state_params(state_layouts[i]);
        tess_array *a;
        tess_context_init(&context);
        context.cache = 0;
        storage.context = &context;
        params.dtype = "|u1";
        params.shape[0] = SIZE;
        params.chunkshape[0] = params.blockshape[0] = 1 << 16;
        for (int n = 0; n < SIZE; n++)
            items[n] = (uint8_t)(n / 100);
        ok(tess_array_from(&storage, &params, items, SIZE, &a, err));
        rename_it(state_layouts[i]);
        memset(items, 1, SIZE / 2);
        refused(TESS_ERR_STALE, tess_array_write(a, &start, &stop, items, SIZE, err));
        assert_int_equal(tess_array_close(a, NULL), TESS_ERR_STALE);
        tidy();
    }
    free(items);
}

// A file is made beside another one and put in its place by its program; or what is committed is
// put away. Removed, it is lost.
static void
committed_ones_move(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * WAYS; i++) {
        const tess_layout layout = state_layouts[i % 2];
        tess_array *a = ways[i / 2](layout, path);
        ok(state_write(a, 2, err));
        ok(tess_array_flush(a, err));
        rename_it(layout);
        ok(tess_array_flush(a, err));
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(away), 2);
        tidy();

        a = ways[i / 2](layout, path);
        ok(state_write(a, 2, err));
        ok(tess_array_flush(a, err));
        remove_it(layout);
        refused(TESS_ERR_STALE, tess_array_flush(a, err));
        assert_int_equal(tess_array_close(a, NULL), TESS_ERR_STALE);
    }
}

// Nobody asks for the file of an array that was not changed, or is only read, or in memory.
static void
nothing_to_commit(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * EVENTS; i++) {
        const tess_layout layout = state_layouts[i % 2];
        int32_t value;
        tess_array *const a = updated(layout, path);
        tess_array *const reader = state_open(path, TESS_MODE_READ);
        events[i / 2].happen(layout);
        ok(tess_array_flush(a, err));
        ok(tess_array_close(a, err));
        if (state_layouts[i % 2] == TESS_LAYOUT_CONTIGUOUS)
            ok(state_read(reader, &value, err));
        ok(tess_array_close(reader, err));
        tidy();
    }
    const tess_storage memory = at(NULL, TESS_MODE_NEW);
    tess_array *a;
    ok(state_create(&memory, TESS_LAYOUT_CONTIGUOUS, 1, &a, err));
    ok(state_write(a, 2, err));
    ok(tess_array_flush(a, err));
    ok(tess_array_close(a, err));
}

// A relative path is one from the directory in which it was given.
static void
other_directories(void **state)
{
    static const char *const names[] = {"inner/array", "./inner/array", "inner/../inner/array"};
    char before[PATH_SIZE];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    for (int i = 0; i < 2 * WAYS * 3; i++) {
        const tess_layout layout = state_layouts[i % 2];
        assert_int_equal(chdir(files_path(".")), 0);
        tess_array *a = ways[i / 6](layout, names[i / 2 % 3]);
        ok(state_write(a, 2, err));
        assert_int_equal(chdir("/"), 0);
        ok(tess_array_flush(a, err));
        ok(state_write(a, 3, err));
        assert_int_equal(chdir(outer), 0); // where that path leads to nothing
        ok(tess_array_refresh(a, NULL, err));
        ok(tess_array_flush(a, err));
        assert_int_equal(state_at(path), 3);
        ok(state_write(a, 4, err));
        replace_it(layout);
        assert_int_equal(tess_array_close(a, NULL), TESS_ERR_STALE);
        assert_int_equal(state_at(path), 7);
        assert_int_equal(chdir(before), 0);
        tidy();
    }
}

// The folder in which the path starts may be renamed; a link may lead there.
static void
links_and_folders(void **state)
{
    char before[PATH_SIZE], link[PATH_SIZE];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    (void)snprintf(link, sizeof link, "%s", files_path("link"));
    for (size_t i = 0; i < 2; i++) {
        state_make(path, state_layouts[i], 1);
        assert_int_equal(symlink(path, link), 0);
        tess_array *a = state_open(link, TESS_MODE_UPDATE);
        ok(state_write(a, 2, err));
        ok(tess_array_flush(a, err));
        ok(state_write(a, 3, err));
        rename_it(state_layouts[i]);
        refused(TESS_ERR_STALE, tess_array_flush(a, err));
        rename_it_back();
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), 3);
        assert_int_equal(unlink(link), 0);

        assert_int_equal(chdir(outer), 0);
        a = state_open("array", TESS_MODE_UPDATE);
        ok(state_write(a, 4, err));
        rename_outer(state_layouts[i]);
        ok(tess_array_close(a, err)); // where "array" leads
        rename_outer_back();
        assert_int_equal(state_at(path), 4);
        assert_int_equal(chdir(before), 0);
        tidy();
    }
}

// An array behind another file.
static void
appended_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < EVENTS; i++) {
        files_write(path, "head", 4);
        tess_array *const a = created(TESS_LAYOUT_CONTIGUOUS, path, TESS_MODE_APPEND);
        told_and_kept(TESS_LAYOUT_CONTIGUOUS,
                      &(struct event){events[i].name, events[i].happen, NULL}, a);
    }
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, files_teardown)
    const struct CMUnitTest tests[] = {
        TEST(writer_is_told),      TEST(saved_elsewhere),   TEST(long_writes_are_told),
        TEST(committed_ones_move), TEST(nothing_to_commit), TEST(other_directories),
        TEST(links_and_folders),   TEST(appended_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
