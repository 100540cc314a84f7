/*
 * publish.c - when a new array gets its name, and what has that name until then.
 */
#include "support/files.h"
#include "support/states.h"

#include <tessera.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { OLD = 100, NEW = 200, NEWER = 300 };

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef tess_status create_fn(const tess_storage *storage, const tess_params *params,
                              tess_array **a, tess_error *err);

static tess_status
create_full(const tess_storage *storage, const tess_params *params, tess_array **a, tess_error *err)
{
    const int32_t item = 7;
    return tess_array_full(storage, params, &item, sizeof item, a, err);
}

// Those whose items come later.
static create_fn *const creates[] = {tess_array_uninit, tess_array_zeros, tess_array_nan,
                                     create_full};

static tess_array *
replace(create_fn *create, const char *path, tess_layout layout)
{
    const tess_storage storage = at(path, TESS_MODE_REPLACE);
    const tess_params params = state_params(layout);
    tess_array *a = NULL;
    ok(create(&storage, &params, &a, err));
    return a;
}

static void
refused_busy(const char *path)
{
    const tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_array *a;
    tess_error error;
    assert_int_equal(tess_array_open(&storage, &a, &error), TESS_ERR_IO);
    assert_int_equal(error.sys, EWOULDBLOCK);
}

static void
first_flush_publishes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++)
        for (size_t k = 0; k < COUNT(creates); k++) {
            const tess_layout layout = state_layouts[i];
            const char *const path = state_path(layout);
            bool changed = true;
            state_make(path, layout, OLD);
            tess_array *const reader = state_open(path, TESS_MODE_READ);
            tess_array *const a = replace(creates[k], path, layout);
            assert_int_equal(state_at(path), OLD);
            refused_busy(path);
            ok(state_write(a, NEW, err));
            ok(tess_array_refresh(a, &changed, err));
            assert_false(changed);
            assert_int_equal(state_at(path), OLD);
            ok(tess_array_refresh(reader, &changed, err));
            assert_false(changed);
            refused_busy(path);
            ok(tess_array_flush(a, err));
            assert_int_equal(state_at(path), NEW);
            assert_int_equal(files_count(), 1);
            refused_busy(path);
            ok(tess_array_refresh(reader, &changed, err));
            assert_true(changed);
            ok(state_write(a, NEWER, err));
            ok(tess_array_close(a, err));
            assert_int_equal(state_at(path), NEWER);
            ok(tess_array_close(reader, err));
            files_remove(path);
        }
}

static void
close_publishes_and_discard_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        tess_array *a = replace(tess_array_zeros, path, layout); // of nothing
        assert_false(files_exist(path));
        tess_array_discard(a);
        assert_int_equal(files_count(), 0);

        a = replace(tess_array_zeros, path, layout);
        ok(state_write(a, OLD, err));
        assert_false(files_exist(path));
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), OLD);

        a = replace(tess_array_zeros, path, layout);
        ok(state_write(a, NEW, err));
        tess_array_discard(a);
        assert_int_equal(state_at(path), OLD);
        assert_int_equal(files_count(), 1);

        a = replace(tess_array_zeros, path, layout);
        ok(state_write(a, NEW, err));
        ok(tess_array_close(a, err));
        assert_int_equal(state_at(path), NEW);
        assert_int_equal(files_count(), 1);
        files_remove(path);
    }
}

// Arrays that are made with all their items, and new ones, are there when the call returns.
static void
whole_arrays_are_published_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        const tess_storage fresh = at(path, TESS_MODE_NEW), over = at(path, TESS_MODE_REPLACE);
        const tess_params params = state_params(layout);
        tess_array *a = NULL, *b = NULL;
        ok(tess_array_zeros(&fresh, &params, &a, err));
        assert_int_equal(files_count(), 1);
        tess_array *const reader = state_open(path, TESS_MODE_READ);
        ok(tess_array_close(reader, err));
        tess_array_discard(a);
        assert_true(files_exist(path));

        ok(state_create(&over, layout, OLD, &a, err));
        assert_int_equal(state_at(path), OLD);
        tess_array_discard(a);

        const tess_storage memory = at(NULL, TESS_MODE_NEW);
        ok(state_create(&memory, TESS_LAYOUT_CONTIGUOUS, NEW, &a, err));
        ok(tess_array_copy(a, &over, &params, &b, err));
        assert_int_equal(state_at(path), NEW);
        tess_array_discard(b);
        ok(state_write(a, NEWER, err));
        ok(tess_array_save(a, &over, layout, err));
        assert_int_equal(state_at(path), NEWER);
        ok(tess_array_close(a, err));
        assert_int_equal(files_count(), 1);
        files_remove(path);
    }
}

// Commits that nobody asked for, of what is overwritten again and again, stay where they are.
static void
automatic_commits_do_not_publish(void **state)
{
    enum { ITEMS = 17 << 20 }; // more than are written without a commit
    const int64_t start = 0, stop = ITEMS;
    uint32_t *const items = calloc(ITEMS, sizeof *items);
    (void)state;
    assert_non_null(items);
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        tess_params params = state_params(layout);
        tess_array *a = NULL;
        tess_info info;
        params.shape[0] = ITEMS;
        params.chunkshape[0] = ITEMS / 16;
        params.blockshape[0] = ITEMS / 256;
        state_make(path, layout, OLD);
        ok(tess_array_zeros(&storage, &params, &a, err));
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t n = 0; n < ITEMS; n++)
                items[n] = (n + round) * 2654435761u;
            ok(tess_array_write(a, &start, &stop, items, ITEMS * sizeof *items, err));
            assert_int_equal(state_at(path), OLD);
        }
        tess_array_info(a, &info);
        if (layout == TESS_LAYOUT_CONTIGUOUS)
            assert_true(info.file_size > ITEMS);
        ok(tess_array_close(a, err));
        a = state_open(path, TESS_MODE_READ);
        ok(tess_array_read(a, &start, &stop, items, ITEMS * sizeof *items, err));
        assert_int_equal(items[1], 2 * 2654435761u);
        ok(tess_array_close(a, err));
        files_remove(path);
    }
    free(items);
}

// What took the name meanwhile stays; the array can be published later.
static void
failure_to_publish(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        char letter[400];
        tess_array *a = replace(tess_array_zeros, path, layout);
        snprintf(letter, sizeof letter, "%s/letter", path);
        ok(state_write(a, NEW, err));
        assert_int_equal(mkdir(path, 0777), 0);
        files_write(letter, "dear", 4);
        assert_int_equal(tess_array_flush(a, NULL), TESS_ERR_IO);
        assert_int_equal(tess_array_flush(a, NULL), TESS_ERR_IO);
        assert_true(files_exist(letter));
        files_remove(path);
        ok(tess_array_flush(a, err));
        assert_int_equal(state_at(path), NEW);
        ok(tess_array_close(a, err));

        a = replace(tess_array_zeros, path, layout);
        ok(state_write(a, NEWER, err));
        files_remove(path);
        assert_int_equal(mkdir(path, 0777), 0);
        files_write(letter, "dear", 4);
        assert_int_equal(tess_array_close(a, NULL), TESS_ERR_IO);
        assert_true(files_exist(letter));
        assert_int_equal(files_count(), 1);
        files_remove(path);
    }
}

// Somebody else made an array of that name, and writes to it.
static void
second_in_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout);
        tess_error error;
        tess_array *const a = replace(tess_array_zeros, path, layout);
        tess_array *const b = replace(tess_array_zeros, path, layout);
        ok(state_write(a, OLD, err));
        ok(state_write(b, NEW, err));
        ok(tess_array_flush(a, err));
        assert_int_equal(tess_array_flush(b, &error), TESS_ERR_IO);
        assert_int_equal(error.sys, EWOULDBLOCK);
        assert_int_equal(state_at(path), OLD);
        ok(tess_array_close(a, err));
        ok(tess_array_close(b, err));
        assert_int_equal(state_at(path), NEW);
        assert_int_equal(files_count(), 1);
        files_remove(path);
    }
}

// A relative path is that of the moment the array was made.
static void
directory_changes(void **state)
{
    char before[300], other[300];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    (void)snprintf(other, sizeof other, "%s", files_path("other"));
    assert_int_equal(mkdir(other, 0777), 0);
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        const char *const path = state_path(layout), *const name = strrchr(path, '/') + 1;
        state_make(path, layout, OLD);
        assert_int_equal(chdir(files_path(".")), 0);
        tess_array *const a = replace(tess_array_zeros, name, layout);
        assert_int_equal(chdir(other), 0);
        ok(state_write(a, NEW, err));
        ok(tess_array_close(a, err));
        assert_false(files_exist(name));
        assert_int_equal(chdir(before), 0);
        assert_int_equal(state_at(path), NEW);
        files_remove(path);
    }
}

// The child of a fork() neither removes the array nor gives it its name.
static void
child_ends_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++)
        for (int discards = 0; discards < 2; discards++) {
            const tess_layout layout = state_layouts[i];
            const char *const path = state_path(layout);
            state_make(path, layout, OLD);
            tess_array *const a = replace(tess_array_zeros, path, layout);
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                if (discards)
                    tess_array_discard(a);
                else
                    (void)tess_array_close(a, NULL);
                _exit(0);
            }
            assert_int_equal(waitpid(child, NULL, 0), child);
            assert_int_equal(state_at(path), OLD);
            ok(state_write(a, NEW, err));
            ok(tess_array_close(a, err));
            assert_int_equal(state_at(path), NEW);
            files_remove(path);
        }
}

// -- what programs that were killed leave

static int
make_and_die(const struct channel *c, const void *arg)
{
    const tess_layout *const layout = arg;
    tess_array *const a = replace(tess_array_zeros, state_path(*layout), *layout);
    ok(state_write(a, NEW, err));
    say(c);
    hear(c);
    (void)kill(getpid(), SIGKILL);
    return 0;
}

static int
names_with(const char *end)
{
    char command[600];
    int n = -1;
    (void)snprintf(command, sizeof command, "ls '%s' | grep -c -- '%s$'", files_path("."), end);
    FILE *const pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &n), 1);
    (void)pclose(pipe);
    return n;
}

static tess_status
touch(int way, const char *path, tess_layout layout)
{
    tess_array *a;
    tess_storage storage = at(path, way == 0 ? TESS_MODE_REPLACE : TESS_MODE_UPDATE);
    if (way == 2)
        return tess_compact(&storage, NULL, NULL, NULL);
    const tess_status st = way == 0 ? state_create(&storage, layout, NEWER, &a, NULL)
                                    : tess_array_open(&storage, &a, NULL);
    return st == TESS_OK ? tess_array_close(a, NULL) : st;
}

static void
leftovers_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++)
        for (int way = 0; way < 3; way++) {
            const tess_layout layout = state_layouts[i];
            const char *const path = state_path(layout);
            state_make(path, layout, OLD);
            const struct other other = other_begin(make_and_die, &layout);
            hear(&other.channel);
            assert_int_equal(names_with("tmp"), 1);
            assert_int_equal(touch(way, path, layout), TESS_ERR_IO); // it is at work
            assert_int_equal(names_with("tmp"), 1);
            say(&other.channel);
            assert_int_equal(waitpid(other.pid, NULL, 0), other.pid);
            close(other.channel.to);
            close(other.channel.from);
            assert_int_equal(names_with("tmp"), 1);
            assert_int_equal(state_at(path), OLD);
            assert_int_equal(touch(way, path, layout), TESS_OK);
            assert_int_equal(names_with("tmp"), 0);
            assert_int_equal(state_at(path), way == 0 ? NEWER : OLD);
            files_remove(path);
        }
}

// What may be removed, and what not.
static void
only_leftovers_go(void **state)
{
    (void)state;
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    const tess_storage storage = at(path, TESS_MODE_UPDATE);
    const char *const base = strrchr(path, '/') + 1;
    static const struct {
        const char *end;
        bool goes, goes_when_compacted;
    } cases[] = {
        {".tess-0.tmp", true, true},    {".tess-3.tmp", true, true},
        {".tess-17.tmp", false, true},  {".4711-0.tmp", false, true},
        {".4711-12.tmp", false, true},  {".tess-x.tmp", false, false},
        {".tess-00.tmp", false, false}, {".tess-0.tmpx", false, false},
        {".tmp", false, false},         {".4711.tmp", false, false},
        {".x4711-0.tmp", false, false}, {"x.4711-0.tmp", false, false},
        {".-0.tmp", false, false},
    };
    state_make(path, TESS_LAYOUT_CONTIGUOUS, OLD);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[300], place[400];
        (void)snprintf(name, sizeof name, "%s%s", base, cases[i].end);
        (void)snprintf(place, sizeof place, "%s", files_path(name));
        for (int kind = 0; kind < 3; kind++) {
            tess_array *a;
            if (kind == 0)
                files_write(place, "half", 4);
            else if (kind == 1)
                state_make(place, TESS_LAYOUT_SPARSE, NEW);
            else
                assert_int_equal(symlink(path, place), 0);
            ok(tess_array_open(&storage, &a, err));
            ok(tess_array_close(a, err));
            struct stat info;
            assert_int_equal(lstat(place, &info) != 0, cases[i].goes && kind < 2);
            ok(tess_compact(&storage, NULL, NULL, err));
            assert_int_equal(lstat(place, &info) != 0, cases[i].goes_when_compacted && kind < 2);
            files_remove(place);
            (void)unlink(place);
        }
    }

    // Of a directory, what belongs to an array.
    char place[400], letter[500];
    (void)snprintf(place, sizeof place, "%s.tess-0.tmp", path);
    (void)snprintf(letter, sizeof letter, "%s/letter", place);
    state_make(place, TESS_LAYOUT_SPARSE, NEW);
    files_write(letter, "dear", 4);
    ok(tess_compact(&storage, NULL, NULL, err));
    assert_true(files_exist(letter));
    files_remove(place);

    // Not while it is locked.
    files_write(place, "half", 4);
    FILE *const f = fopen(place, "r");
    assert_non_null(f);
    assert_int_equal(flock(fileno(f), LOCK_EX), 0);
    ok(tess_compact(&storage, NULL, NULL, err));
    assert_true(files_exist(place));
    (void)fclose(f);
    ok(tess_compact(&storage, NULL, NULL, err));
    assert_false(files_exist(place));
}

// Programs that make the same array at once, and look for leftovers meanwhile.
static int
make_on(const struct channel *c, const void *arg)
{
    enum { ROUNDS = 150 };
    const tess_layout *const layout = arg;
    const char *const path = state_path(*layout);
    (void)c;
    for (int i = 0; i < ROUNDS; i++) {
        const tess_storage storage = at(path, TESS_MODE_REPLACE);
        const tess_params params = state_params(*layout);
        tess_array *a;
        tess_error error;
        tess_status st = tess_array_zeros(&storage, &params, &a, &error);
        if (st == TESS_OK)
            st = state_write(a, i, &error);
        if (st == TESS_OK && i % 3 == 0)
            tess_array_discard(a);
        else if (st == TESS_OK)
            st = tess_array_close(a, &error);
        if (st != TESS_OK && error.sys != EWOULDBLOCK) {
            (void)fprintf(stderr, "round %d: %s\n", i, error.message);
            return 1;
        }
        if (i % 10 == 0 && *layout == TESS_LAYOUT_CONTIGUOUS)
            (void)unlink(path);
    }
    return 0;
}

static void
many_at_once(void **state)
{
    enum { PROGRAMS = 4 };
    (void)state;
    for (size_t i = 0; i < COUNT(state_layouts); i++) {
        const tess_layout layout = state_layouts[i];
        struct other others[PROGRAMS];
        for (int k = 0; k < PROGRAMS; k++)
            others[k] = other_begin(make_on, &layout);
        for (int k = 0; k < PROGRAMS; k++)
            other_end(&others[k]);
        assert_int_equal(names_with("tmp"), 0);
        ok(tess_array_close(replace(tess_array_zeros, state_path(layout), layout), err));
        files_remove(state_path(layout));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(first_flush_publishes),
        IN_A_FOLDER(close_publishes_and_discard_does_not),
        IN_A_FOLDER(whole_arrays_are_published_at_once),
        IN_A_FOLDER(automatic_commits_do_not_publish),
        IN_A_FOLDER(failure_to_publish),
        IN_A_FOLDER(second_in_line),
        IN_A_FOLDER(directory_changes),
        IN_A_FOLDER(child_ends_it),
        IN_A_FOLDER(leftovers_go),
        IN_A_FOLDER(only_leftovers_go),
        IN_A_FOLDER(many_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
