/*
 * commits.c - each call that changes a file has changed it when it returns: a copy of the file,
 * made then, has the same chunks, items and metalayers, and a program that is killed loses nothing.
 */
#include "compat/compat.h"
#include "compat/nd.h"
#include "support/files.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 200, BYTES = ITEMS * (int)sizeof(int32_t), MANY = 40 };

// The places with a file: one, or a directory.
static const struct nd_place *const places[] = {&nd_places[2], &nd_places[3]};

// -- copies

static void
copy_file(const char *from, const char *to)
{
    size_t size = 0;
    uint8_t *const bytes = files_read(from, &size);

    files_write(to, bytes, size);
    free(bytes);
}

static void
copy_all(const char *from, const char *to)
{
    struct stat st;

    files_remove(to);
    assert_int_equal(stat(from, &st), 0);
    if (!S_ISDIR(st.st_mode)) {
        copy_file(from, to);
        return;
    }
    assert_int_equal(mkdir(to, 0700), 0);
    DIR *const folder = opendir(from);
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        char one[1024], other[1024];
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(one, sizeof one, "%s/%s", from, e->d_name);
        (void)snprintf(other, sizeof other, "%s/%s", to, e->d_name);
        copy_file(one, other);
    }
    closedir(folder);
}

// -- super-chunks

static void
check_same_layers(blosc2_schunk *s, blosc2_schunk *copy)
{
    assert_int_equal(copy->nmetalayers, s->nmetalayers);
    for (int i = 0; i < s->nmetalayers; i++) {
        assert_string_equal(copy->metalayers[i]->name, s->metalayers[i]->name);
        assert_int_equal(copy->metalayers[i]->content_len, s->metalayers[i]->content_len);
        assert_memory_equal(copy->metalayers[i]->content, s->metalayers[i]->content,
                            (size_t)s->metalayers[i]->content_len);
    }
    assert_int_equal(copy->nvlmetalayers, s->nvlmetalayers);
    for (int i = 0; i < s->nvlmetalayers; i++) {
        uint8_t *one = NULL, *other = NULL;
        int32_t size = 0, other_size = 0;
        const char *const name = s->vlmetalayers[i]->name;
        assert_good(blosc2_vlmeta_get(s, name, &one, &size));
        assert_good(blosc2_vlmeta_get(copy, name, &other, &other_size));
        assert_int_equal(size, other_size);
        assert_memory_equal(one, other, (size_t)size);
        free(one);
        free(other);
    }
}

static void
check_same(blosc2_schunk *s, blosc2_schunk *copy)
{
    int32_t items[2 * ITEMS], others[2 * ITEMS];

    assert_int_equal(copy->nchunks, s->nchunks);
    assert_int_equal(copy->nbytes, s->nbytes);
    assert_int_equal(copy->cbytes, s->cbytes);
    assert_int_equal(copy->chunksize, s->chunksize);
    for (int64_t n = 0; n < s->nchunks; n++) {
        const int size = blosc2_schunk_decompress_chunk(s, n, items, sizeof items);
        assert_true(size > 0);
        assert_int_equal(blosc2_schunk_decompress_chunk(copy, n, others, sizeof others), size);
        assert_memory_equal(items, others, (size_t)size);
    }
    check_same_layers(s, copy);
}

// The copy is made before s reads: a call that reads must not be what commits.
static void
check_file_now(blosc2_schunk *s)
{
    char to[1024];

    (void)snprintf(to, sizeof to, "%s", files_path("copy"));
    copy_all(s->storage->urlpath, to);
    blosc2_schunk *const copy = blosc2_schunk_open(to);
    assert_non_null(copy);
    check_same(s, copy);
    assert_good(blosc2_schunk_free(copy));
}

static blosc2_schunk *
new_schunk(const struct nd_place *place, const char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    char *const name = strdup(path);
    blosc2_storage storage = {place->contiguous, name, &cparams, NULL, NULL};

    files_remove(path);
    cparams.typesize = sizeof(int32_t);
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    free(name);
    return s;
}

static void
append(blosc2_schunk *s, int32_t first)
{
    int32_t *const items = nd_items(ITEMS, first);
    const int64_t n = s->nchunks;

    assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), n + 1);
    free(items);
}

static uint8_t *
new_chunk(const blosc2_schunk *s, int32_t first)
{
    int32_t *const items = nd_items(ITEMS, first);
    uint8_t *const chunk = malloc(BYTES + BLOSC2_MAX_OVERHEAD);

    assert_non_null(chunk);
    assert_true(blosc2_compress_ctx(s->cctx, items, BYTES, chunk, BYTES + BLOSC2_MAX_OVERHEAD) > 0);
    free(items);
    return chunk;
}

static void
change_chunks(blosc2_schunk *s, void (*after)(blosc2_schunk *s))
{
    int64_t order[] = {2, 0, 1};
    int32_t *const items = nd_items(ITEMS, 900);
    uint8_t *const chunk = new_chunk(s, 500);

    append(s, 0);
    after(s);
    append(s, 1000);
    after(s);
    assert_int_equal(blosc2_schunk_append_chunk(s, chunk, true), 3);
    after(s);
    assert_int_equal(blosc2_schunk_update_chunk(s, 0, chunk, true), 3);
    after(s);
    assert_int_equal(blosc2_schunk_insert_chunk(s, 1, chunk, true), 4);
    after(s);
    assert_int_equal(blosc2_schunk_delete_chunk(s, 2), 3);
    after(s);
    assert_good(blosc2_schunk_reorder_offsets(s, order));
    after(s);
    assert_good(blosc2_schunk_set_slice_buffer(s, ITEMS / 2, ITEMS + ITEMS / 2, items));
    after(s);
    free(items);
    free(chunk);
}

static void
change_layers(blosc2_schunk *s, void (*after)(blosc2_schunk *s))
{
    uint8_t text[] = "some text";

    assert_good(blosc2_vlmeta_add(s, "one", text, 4, NULL));
    after(s);
    assert_good(blosc2_vlmeta_update(s, "one", text, sizeof text, NULL));
    after(s);
    assert_good(blosc2_vlmeta_add(s, "two", text, 4, NULL));
    after(s);
    assert_good(blosc2_vlmeta_delete(s, "one"));
    after(s);
    assert_good(blosc2_meta_add(s, "fixed", text, sizeof text));
    after(s);
    assert_good(blosc2_meta_update(s, "fixed", text + 2, 4));
    after(s);
}

static void
calls_on_super_chunks(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(places); p++) {
        blosc2_schunk *s = new_schunk(places[p], files_path("schunk"));
        check_file_now(s);
        change_chunks(s, check_file_now);
        change_layers(s, check_file_now);
        assert_good(blosc2_schunk_free(s));
        s = blosc2_schunk_open(files_path("schunk")); // the same for one that was opened
        assert_non_null(s);
        append(s, 50);
        check_file_now(s);
        assert_good(blosc2_schunk_free(s));
        s = new_schunk(places[p], files_path("schunk"));
        assert_int_equal(blosc2_schunk_fill_special(s, 3 * ITEMS, BLOSC2_SPECIAL_ZERO, BYTES), 3);
        check_file_now(s);
        assert_good(blosc2_schunk_free(s));
    }
}

// -- arrays

static const struct nd_shapes matrix = {2, {10, 12}, {4, 5}, {2, 3}};

static void
check_array_now(b2nd_array_t *a)
{
    char to[1024];
    b2nd_array_t *copy = NULL;

    (void)snprintf(to, sizeof to, "%s", files_path("copy"));
    copy_all(a->sc->storage->urlpath, to);
    assert_good(b2nd_open(to, &copy));
    int32_t *const items = nd_all(a);
    nd_check(copy, items);
    check_same_layers(a->sc, copy->sc);
    assert_int_equal(copy->sc->cbytes, a->sc->cbytes);
    free(items);
    assert_good(b2nd_free(copy));
}

static void
change_shape(b2nd_array_t *a, const int32_t *items)
{
    const int64_t larger[] = {13, 12}, smaller[] = {8, 10};

    assert_good(b2nd_resize(a, larger, NULL));
    check_array_now(a);
    assert_good(b2nd_resize(a, smaller, NULL));
    check_array_now(a);
    assert_good(b2nd_append(a, items, 4 * 10 * (int64_t)sizeof *items, 0));
    check_array_now(a);
    assert_good(b2nd_insert(a, items, 4 * 10 * (int64_t)sizeof *items, 0, 4));
    check_array_now(a);
    assert_good(b2nd_delete(a, 0, 0, 4));
    check_array_now(a);
}

static void
change_selection(b2nd_array_t *a, const int32_t *items)
{
    int64_t rows[] = {0, 2}, columns[] = {1, 3, 5}, sizes[] = {2, 3};
    int64_t *selection[] = {rows, columns};
    int32_t six[6];

    memcpy(six, items, sizeof six);
    assert_good(b2nd_set_orthogonal_selection(a, selection, sizes, six, sizes, sizeof six));
    check_array_now(a);
}

static void
change_through_a_view(b2nd_array_t *a)
{
    const bool new_axis[] = {true, false, false};
    const int64_t start[] = {0, 1, 2}, stop[] = {1, 2, 3}, one[] = {1, 1, 1};
    const int32_t item = 4711;
    b2nd_array_t *view = NULL;

    assert_good(b2nd_expand_dims(a, &view, new_axis, 3));
    assert_good(b2nd_set_slice_cbuffer(&item, one, sizeof item, start, stop, view));
    check_array_now(a);
    assert_good(b2nd_free(view));
}

static void
calls_on_arrays(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(places); p++) {
        const int64_t start[] = {1, 2}, stop[] = {6, 9}, shape[] = {5, 7};
        uint8_t text[] = "text";
        int32_t *const items = nd_items(200, 5000);
        files_remove(files_path("array"));
        b2nd_array_t *const a = nd_numbers(&matrix, places[p]->contiguous, files_path("array"));
        check_array_now(a);
        assert_good(
            b2nd_set_slice_cbuffer(items, shape, 35 * (int64_t)sizeof *items, start, stop, a));
        check_array_now(a);
        change_shape(a, items);
        change_selection(a, items);
        change_through_a_view(a);
        assert_good(blosc2_vlmeta_add(a->sc, "one", text, sizeof text, NULL));
        check_array_now(a);
        free(items);
        assert_good(b2nd_free(a));
    }
}

// -- programs that end

// What the child does: calls, and then its end, without a free.
static void
run_child(const struct nd_place *place, bool killed)
{
    const pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        uint8_t text[] = "text";
        blosc2_schunk *const s = new_schunk(place, files_path("schunk"));
        for (int n = 0; n < MANY; n++)
            append(s, n * ITEMS);
        if (blosc2_vlmeta_add(s, "one", text, sizeof text, NULL) < 0)
            _exit(1);
        if (killed)
            (void)kill(getpid(), SIGKILL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(killed ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
check_child(int nchunks, int nvlmetalayers)
{
    int32_t items[ITEMS];
    blosc2_schunk *const s = blosc2_schunk_open(files_path("schunk"));

    assert_non_null(s);
    assert_int_equal(s->nchunks, nchunks);
    assert_int_equal(s->nvlmetalayers, nvlmetalayers);
    for (int n = 0; n < nchunks; n++) {
        assert_int_equal(blosc2_schunk_decompress_chunk(s, n, items, BYTES), BYTES);
        assert_true(items[0] == n * ITEMS && items[ITEMS - 1] == (n + 1) * ITEMS - 1);
    }
    append(s, 0); // nothing is locked
    assert_good(blosc2_schunk_free(s));
}

static void
programs_that_end(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(places); p++)
        for (int killed = 0; killed < 2; killed++) {
            run_child(places[p], killed);
            check_child(MANY, 1);
        }
}

// -- commits that are left to the end

static void
ignore(blosc2_schunk *s)
{
    (void)s;
}

static void
deferred_commits(void **state)
{
    (void)state;
    assert_int_equal(setenv("TESS_B2ND_COMMITS", "deferred", 1), 0);
    for (size_t p = 0; p < COUNT(places); p++) {
        char to[1024];
        run_child(places[p], true); // all of it is lost, save the file
        if (files_exist(files_path("schunk"))) {
            blosc2_schunk *const left = blosc2_schunk_open(files_path("schunk"));
            assert_true(!left || left->nchunks == 0);
            if (left)
                assert_good(blosc2_schunk_free(left));
        }
        blosc2_schunk *s = new_schunk(places[p], files_path("schunk"));
        change_chunks(s, ignore);
        (void)snprintf(to, sizeof to, "%s", files_path("copy"));
        copy_all(s->storage->urlpath, to);
        blosc2_schunk *const copy = blosc2_schunk_open(to);
        assert_true(!copy || copy->nchunks == 0);
        if (copy)
            assert_good(blosc2_schunk_free(copy));
        assert_good(blosc2_schunk_free(s));
        s = blosc2_schunk_open(files_path("schunk"));
        assert_non_null(s);
        assert_int_equal(s->nchunks, 3);
        assert_good(blosc2_schunk_free(s));
    }
    assert_int_equal(unsetenv("TESS_B2ND_COMMITS"), 0);
}

// -- files that are gone

static void
files_that_are_gone(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(places); p++)
        for (int renamed = 0; renamed < 2; renamed++) {
            int32_t *const items = nd_items(ITEMS, 0);
            blosc2_schunk *const s = new_schunk(places[p], files_path("schunk"));
            append(s, 0);
            append(s, 1000);
            files_remove(files_path("elsewhere"));
            if (renamed)
                assert_int_equal(rename(files_path("schunk"), files_path("elsewhere")), 0);
            else
                files_remove(files_path("schunk"));
            const int64_t n = blosc2_schunk_append_buffer(s, items, BYTES);
            if (n >= 0)
                fail_msg("%s: appended %s", places[p]->name, renamed ? "renamed" : "removed");
            free(items);
            (void)blosc2_schunk_free(s); // may tell that the third chunk is in no file
            blosc2_schunk *const other = new_schunk(places[p], files_path("schunk"));
            append(other, 0);
            files_remove(files_path("schunk"));
            assert_int_equal(blosc2_schunk_free(other), 0); // all was committed
            if (!renamed)
                continue;
            blosc2_schunk *const kept = blosc2_schunk_open(files_path("elsewhere"));
            assert_non_null(kept);
            assert_int_equal(kept->nchunks, 2);
            assert_good(blosc2_schunk_free(kept));
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(calls_on_super_chunks), IN_A_FOLDER(calls_on_arrays),
        IN_A_FOLDER(programs_that_end),     IN_A_FOLDER(deferred_commits),
        IN_A_FOLDER(files_that_are_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
