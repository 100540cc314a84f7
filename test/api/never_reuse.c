/*
 * never_reuse.c - with tess_storage.never_reuse the stored bytes of every state stay where they
 * are.
 *
 * A reader of another implementation is played by a list of where the chunks of each committed
 * state are, and what stood there.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/states.h"

#include <tessera.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// -- what a reader has in memory of a state: bytes of files, here all of them behind the header

struct piece {
    char name[600];
    int64_t start, size;
    uint8_t *bytes;
};

enum { PIECES = 20000 };

struct seen {
    struct piece pieces[PIECES];
    size_t n;
    bool numbers[PIECES]; // of chunk files that were seen
};

enum { HEADER = 512 }; // more than a header has here

static void
see_piece(struct seen *seen, const char *name, const uint8_t *bytes, size_t start, size_t end)
{
    assert_true(seen->n < PIECES);
    struct piece *const p = &seen->pieces[seen->n++];
    (void)snprintf(p->name, sizeof p->name, "%s", name);
    p->start = (int64_t)start;
    p->size = (int64_t)(end - start);
    p->bytes = malloc(end - start + 1);
    assert_non_null(p->bytes);
    memcpy(p->bytes, bytes + start, end - start);
}

static uint64_t
be64(const uint8_t *bytes)
{
    uint64_t n = 0;
    for (int i = 0; i < 8; i++)
        n = n << 8 | bytes[i];
    return n;
}

// Behind the header, up to what the header says is the length: chunks, dead space, index, trailer.
static void
see_file(struct seen *seen, const char *path)
{
    size_t size;
    uint8_t *const bytes = files_read(path, &size);
    const size_t header = (size_t)(bytes[11] << 24 | bytes[12] << 16 | bytes[13] << 8 | bytes[14]);
    const size_t length = (size_t)be64(bytes + 16);
    assert_true(header < HEADER && header < length && length <= size);
    see_piece(seen, path, bytes, header, length);
    free(bytes);
}

static void
see_directory(struct seen *seen, const char *path)
{
    DIR *const dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char name[600];
        size_t size;
        const long number = strtol(e->d_name, NULL, 16); // "chunks.b2frame": 0xc
        assert_true(number >= 0 && number < PIECES);
        if (!strstr(e->d_name, ".chunk") || seen->numbers[number])
            continue;
        seen->numbers[number] = true;
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        uint8_t *const bytes = files_read(name, &size);
        see_piece(seen, name, bytes, 0, size);
        free(bytes);
    }
    closedir(dir);
}

static void
see(struct seen *seen, tess_layout layout)
{
    if (layout == TESS_LAYOUT_SPARSE)
        see_directory(seen, state_path(layout));
    else
        see_file(seen, state_path(layout));
}

// How many pieces are not what they were.
static int
check_seen(const struct seen *seen)
{
    int changed = 0;
    char name[600] = "";
    uint8_t *bytes = NULL;
    size_t size = 0;
    for (size_t i = 0; i < seen->n; i++) {
        const struct piece *const p = &seen->pieces[i];
        if (!files_exist(p->name)) {
            changed++;
            continue;
        }
        if (strcmp(name, p->name) != 0) {
            free(bytes);
            (void)snprintf(name, sizeof name, "%s", p->name);
            bytes = files_read(name, &size);
        }
        changed += p->start + p->size > (int64_t)size ||
                   memcmp(bytes + p->start, p->bytes, (size_t)p->size) != 0;
    }
    free(bytes);
    return changed;
}

static void
forget(struct seen *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        free(seen->pieces[i].bytes);
    memset(seen, 0, sizeof *seen);
}

// -- a writer that does this and that

static const tess_storage *
storage_of(tess_layout layout, bool never_reuse)
{
    static tess_storage storage;
    storage = at(state_path(layout), TESS_MODE_UPDATE);
    storage.never_reuse = never_reuse;
    return &storage;
}

static void
change(tess_array *a, struct random *random)
{
    const int64_t start = (int64_t)random_below(random, STATE_ITEMS / 2);
    const int64_t stop = start + 1 + (int64_t)random_below(random, STATE_ITEMS / 2);
    int64_t shape = STATE_ITEMS + (int64_t)random_below(random, 3 * STATE_CHUNK);
    int32_t items[STATE_ITEMS];
    char text[40];
    random_bytes(random, items, sizeof items);
    random_bytes(random, text, sizeof text);
    switch (random_below(random, 6)) {
    case 0:
        ok(tess_array_resize(a, &shape, err));
        break;
    case 1: // nothing but index and trailer
        ok(tess_vlmeta_set(a, "name", text, 1 + random_below(random, sizeof text), err));
        break;
    default:
        ok(tess_array_write(a, &start, &stop, items, (size_t)(stop - start) * sizeof *items, err));
    }
}

// Several sessions with many commits, and changes that are given up.
static int
run(tess_layout layout, bool never_reuse, struct seen *seen)
{
    struct random random;
    random_init(&random, random_seed());
    state_make(state_path(layout), layout, 1);
    for (int session = 0; session < 5; session++) {
        tess_array *a;
        see(seen, layout);
        ok(tess_array_open(storage_of(layout, never_reuse), &a, err));
        for (int commit = 0; commit < 30; commit++) {
            for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
                change(a, &random);
            if (random_below(&random, 4) > 0) {
                ok(tess_array_flush(a, err));
                see(seen, layout);
            }
        }
        if (session % 2 == 0)
            ok(tess_array_close(a, err));
        else
            tess_array_discard(a);
    }
    return check_seen(seen);
}

static void
states_stay(void **state)
{
    static struct seen seen;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(run(state_layouts[i], true, &seen), 0);
        forget(&seen);
        assert_true(run(state_layouts[i], false, &seen) > 0); // else this test says nothing
        forget(&seen);
    }
}

// A created array, too, and one that begins without items.
static void
from_the_start(void **state)
{
    static struct seen seen;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tess_storage storage = at(state_path(state_layouts[i]), TESS_MODE_REPLACE);
        tess_params params = state_params(state_layouts[i]);
        int64_t shape = STATE_ITEMS;
        tess_array *a;
        storage.never_reuse = true;
        params.shape[0] = 0;
        ok(tess_array_zeros(&storage, &params, &a, err));
        ok(tess_vlmeta_set(a, "name", "x", 1, err));
        ok(tess_array_flush(a, err));
        ok(tess_array_resize(a, &shape, err));
        for (int32_t n = 0; n < 20; n++) {
            ok(state_write(a, 100 * n, err));
            ok(tess_array_flush(a, err));
            see(&seen, state_layouts[i]);
        }
        // In a file, the trailer of nothing stands where the first chunk was.
        shape = 0;
        if (state_layouts[i] == TESS_LAYOUT_CONTIGUOUS)
            refused(TESS_ERR_UNSUPPORTED, tess_array_resize(a, &shape, err));
        else
            ok(tess_array_resize(a, &shape, err));
        ok(tess_array_close(a, err));
        assert_int_equal(check_seen(&seen), 0);
        forget(&seen);
        if (state_layouts[i] == TESS_LAYOUT_CONTIGUOUS)
            assert_int_equal(state_at(state_path(state_layouts[i])), 1900);
    }
}

// What a change took that is undone, or replaced before it was committed, nobody has seen.
static void
uncommitted_space(void **state)
{
    const char *const path = state_path(TESS_LAYOUT_CONTIGUOUS);
    tess_storage storage = at(path, TESS_MODE_UPDATE);
    tess_context context;
    tess_info info;
    tess_array *a;
    (void)state;
    state_make(path, TESS_LAYOUT_CONTIGUOUS, 1);
    tess_context_init(&context);
    context.cache = 0;
    storage.context = &context;
    storage.never_reuse = true;
    ok(tess_array_open(&storage, &a, err));
    tess_array_info(a, &info);
    const int64_t before = info.file_size;
    for (int32_t n = 0; n < 100; n++)
        ok(state_write(a, n, err));
    ok(tess_array_flush(a, err));
    tess_array_info(a, &info);
    assert_true(info.file_size < 4 * before);
    ok(tess_array_close(a, err));
    assert_int_equal(state_at(path), 99);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(states_stay),
        IN_A_FOLDER(from_the_start),
        IN_A_FOLDER(uncommitted_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
