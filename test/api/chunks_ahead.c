/*
 * chunks_ahead.c - reads of many chunks that are compared with their checksums, with several
 * threads: the library opens chunks before their turn, and nobody may notice.
 *
 * The items are noise, stored as they are, so that a damaged chunk is found by its checksum only.
 */
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CHUNKS = 12,
    CHUNK = 1 << 16, // bytes, and items
    BLOCK = 1 << 13,
    SIZE = CHUNKS * CHUNK - CHUNK / 3,
    BOXES = 60,
};

static const int threads[] = {1, 2, 4};

struct scene {
    char path[600];
    tess_context context;
    tess_storage storage;
    uint8_t *items, *got;
    tess_array *a;
};

static void
begin(struct scene *s, tess_layout layout)
{
    struct random random;
    tess_params p;

    s->items = malloc(SIZE);
    s->got = malloc(SIZE);
    assert_non_null(s->items);
    assert_non_null(s->got);
    random_init(&random, random_seed());
    random_bytes(&random, s->items, SIZE);
    tess_params_init(&p);
    p.dtype = "|u1";
    p.ndim = 1;
    p.shape[0] = SIZE;
    p.chunkshape[0] = CHUNK;
    p.blockshape[0] = BLOCK;
    p.layout = layout;
    tess_context_init(&s->context);
    tess_storage_init(&s->storage);
    snprintf(s->path, sizeof s->path, "%s", files_path("array"));
    s->storage.path = s->path;
    s->storage.mode = TESS_MODE_REPLACE;
    ok(tess_array_from(&s->storage, &p, s->items, SIZE, &s->a, err));
    ok(tess_array_close(s->a, err));
    s->storage.mode = TESS_MODE_READ;
    s->storage.checksums = TESS_CHECKSUMS_VERIFY;
    s->storage.context = &s->context;
}

static void
end(struct scene *s)
{
    free(s->items);
    free(s->got);
}

static tess_status
read_items(struct scene *s, int64_t start, int64_t stop, tess_error *error)
{
    return tess_array_read(s->a, &start, &stop, s->got, SIZE, error);
}

static void
check_items(struct scene *s, int64_t start, int64_t stop)
{
    memset(s->got, 0, (size_t)(stop - start));
    ok(read_items(s, start, stop, err));
    assert_memory_equal(s->got, s->items + start, (size_t)(stop - start));
}

// What tells of damage is the first chunk of the box that has any.
static void
check_damaged(struct scene *s, int64_t start, int64_t stop, int chunk)
{
    char text[30];
    tess_error error = {0};
    assert_int_equal(read_items(s, start, stop, &error), TESS_ERR_CORRUPT);
    snprintf(text, sizeof text, "chunk %d:", chunk);
    assert_ptr_equal(strstr(error.message, text), error.message);
    assert_non_null(strstr(error.message, "checksum"));
    assert_int_equal(read_items(s, start, stop, NULL), TESS_ERR_CORRUPT);
}

// Turn a bit of an item, or turn it back.
static void
flip(const struct scene *s, tess_layout layout, int64_t item)
{
    enum { LENGTH = 32 };
    char name[40] = "array";
    size_t size, at = 0;
    if (layout == TESS_LAYOUT_SPARSE)
        snprintf(name, sizeof name, "array/%08X.chunk", (unsigned)(item / CHUNK));
    const char *const path = files_path(name);
    uint8_t *const bytes = files_read(path, &size);
    while (at + LENGTH < size && memcmp(bytes + at, s->items + item + 1, LENGTH) != 0)
        at++;
    assert_true(at > 0 && at + LENGTH < size);
    bytes[at - 1] ^= 4;
    files_write(path, bytes, size);
    free(bytes);
}

static void
read_around(struct scene *s, int first, int second)
{
    const int64_t before = (int64_t)first * CHUNK, behind = before + CHUNK;
    ok(tess_array_open(&s->storage, &s->a, err));
    check_damaged(s, 0, SIZE, first);
    check_damaged(s, behind - 1, SIZE, first);
    check_damaged(s, behind, SIZE, second);
    if (before > 0)
        check_items(s, 0, before);
    check_items(s, behind, (int64_t)second * CHUNK);
    if (second < CHUNKS - 1)
        check_items(s, (int64_t)(second + 1) * CHUNK, SIZE);
    ok(tess_array_close(s->a, err));
}

static void
damage_is_told_in_turn(void **state)
{
    static const int damaged[][2] = {{0, 2}, {4, 6}, {5, 11}, {9, 11}};
    struct scene s;
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        begin(&s, (tess_layout)layout);
        for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
            for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
                const int64_t first = (int64_t)damaged[i][0] * CHUNK + CHUNK / 2;
                const int64_t second = (int64_t)damaged[i][1] * CHUNK + 100;
                flip(&s, (tess_layout)layout, first);
                flip(&s, (tess_layout)layout, second);
                s.context.threads = threads[k];
                read_around(&s, damaged[i][0], damaged[i][1]);
                flip(&s, (tess_layout)layout, first);
                flip(&s, (tess_layout)layout, second);
            }
        end(&s);
    }
}

// Few items of each chunk, all of some, one; with a step, too. What is read is right.
static void
boxes(void **state)
{
    struct random random;
    struct scene s;

    (void)state;
    random_init(&random, random_seed());
    for (int layout = 0; layout < 2; layout++) {
        begin(&s, (tess_layout)layout);
        for (int i = 0; i < BOXES; i++) {
            s.context.threads = threads[i % 3];
            s.storage.mmap = i % 2;
            ok(tess_array_open(&s.storage, &s.a, err));
            for (int k = 0; k < 3; k++) {
                const int64_t start = (int64_t)random_below(&random, SIZE);
                const int64_t stop =
                    start + 1 + (int64_t)random_below(&random, (uint64_t)(SIZE - start));
                const int64_t step = 1 + (int64_t)random_below(&random, 2 * CHUNK);
                check_items(&s, start, stop);
                ok(tess_array_get_slice(s.a, &start, &stop, &step, s.got, SIZE, NULL, err));
                for (int64_t at = start, n = 0; at < stop; at += step, n++)
                    assert_int_equal(s.got[n], s.items[at]);
            }
            ok(tess_array_close(s.a, err));
        }
        end(&s);
    }
}

struct patience {
    int left; // reports
    bool all; // is done, at the last one
};

static bool
hear(int64_t done, int64_t total, void *user)
{
    struct patience *const p = user;
    p->all = done == total;
    return --p->left >= 0;
}

// Chunks that are on the way then are let go.
static void
cancelled(void **state)
{
    struct patience patience;
    struct scene s;

    (void)state;
    begin(&s, TESS_LAYOUT_CONTIGUOUS);
    s.context.progress = hear;
    s.context.progress_user = &patience;
    s.context.progress_interval = 0;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        s.context.threads = threads[k];
        for (int most = 0; most < 20; most++) {
            patience.left = 1000;
            ok(tess_array_open(&s.storage, &s.a, err));
            patience.left = most;
            const tess_status st = read_items(&s, 0, SIZE, NULL);
            // The last report of all comes when there is nothing left to be cancelled.
            assert_true(patience.left < 0
                            ? st == TESS_ERR_CANCELLED || (st == TESS_OK && patience.all)
                            : st == TESS_OK);
            patience.left = 1000;
            check_items(&s, 0, SIZE);
            ok(tess_array_close(s.a, err));
        }
    }
    end(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(damage_is_told_in_turn),
        IN_A_FOLDER(boxes),
        IN_A_FOLDER(cancelled),
    };
    (void)setenv("TESS_NUM_THREADS", "4", 0); // also where there are fewer CPUs
    return cmocka_run_group_tests(tests, NULL, NULL);
}
