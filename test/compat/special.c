/*
 * special.c - super-chunks of special chunks: filled at once, read, changed in between, and what
 * uninitialised items are.
 *
 * This program has a malloc() of its own, which the shared libraries then call, too.
 */
#include "compat/compat.h"
#include "support/files.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 250, BYTES = 4 * ITEMS, NCHUNKS = 301, REST = 7, MARK = 0x5a };

// -- allocations

static atomic_int nallocs;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *
malloc(size_t size)
{
    static void *(*libc)(size_t size);

    if (!libc) {
        void *const found = dlsym(RTLD_NEXT, "malloc");
        memcpy(&libc, &found, sizeof libc);
    }
    nallocs++;
    return libc(size);
}
#endif

// -- super-chunks

static const struct {
    bool contiguous, in_file;
} places[] = {{true, false}, {false, false}, {true, true}, {false, true}};

static const int kinds[] = {BLOSC2_SPECIAL_ZERO, BLOSC2_SPECIAL_NAN, BLOSC2_SPECIAL_UNINIT};

static blosc2_schunk *
new_schunk(bool contiguous, char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = {.contiguous = contiguous, .urlpath = path, .cparams = &cparams};

    cparams.typesize = 4;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    return s;
}

// What each byte of a chunk is; kind BLOSC2_SPECIAL_NAN: each item.
static void
check_content(const uint8_t *items, int32_t size, int kind, int byte)
{
    static const uint8_t nan[] = {0, 0, 0xc0, 0x7f};

    for (int32_t i = 0; i < size; i++)
        if (items[i] != (kind == BLOSC2_SPECIAL_NAN ? nan[i % 4] : byte))
            fail_msg("byte %d of kind %d is %d", (int)i, kind, items[i]);
}

// byte: of chunks that are not NaNs.
static void
check_chunk(blosc2_schunk *s, int64_t n, int32_t size, int kind, int byte)
{
    uint8_t items[BYTES], *chunk = NULL;
    bool needs_free = false;

    memset(items, MARK, sizeof items);
    assert_int_equal(blosc2_schunk_decompress_chunk(s, n, items, BYTES), size);
    check_content(items, size, kind, byte);
    check_content(items + size, BYTES - size, 0, MARK);
    assert_true(blosc2_schunk_decompress_chunk(s, n, items, size - 1) < 0);

    const int cbytes = blosc2_schunk_get_chunk(s, n, &chunk, &needs_free);
    assert_true(cbytes >= BLOSC_EXTENDED_HEADER_LENGTH);
    memset(items, MARK, sizeof items);
    assert_int_equal(blosc2_decompress(chunk, cbytes, items, BYTES), size);
    check_content(items, size, kind, 0); // without a super-chunk, always zeros
    memset(items, MARK, sizeof items);
    assert_int_equal(blosc2_getitem(chunk, cbytes, 1, size / 4 - 1, items, BYTES), size - 4);
    check_content(items, size - 4, kind, 0);
    assert_true(blosc2_getitem(chunk, cbytes, 1, size / 4, items, BYTES) < 0);
    if (needs_free)
        free(chunk);
}

// Forwards, backwards, and forwards again: what is known of the chunks differs.
static void
check_schunk(blosc2_schunk *s, int kind, int byte)
{
    assert_int_equal(s->nchunks, NCHUNKS);
    assert_int_equal(s->nbytes, (NCHUNKS - 1) * BYTES + REST * 4);
    for (int pass = 0; pass < 3; pass++)
        for (int64_t i = 0; i < NCHUNKS; i++) {
            const int64_t n = pass == 1 ? NCHUNKS - 1 - i : i;
            check_chunk(s, n, n == NCHUNKS - 1 ? REST * 4 : BYTES, kind, byte);
            assert_int_equal(s->current_nchunk, n);
        }
    uint8_t items[BYTES];
    assert_true(blosc2_schunk_decompress_chunk(s, NCHUNKS, items, BYTES) < 0);
    assert_true(blosc2_schunk_decompress_chunk(s, -1, items, BYTES) < 0);
    assert_true(blosc2_schunk_decompress_chunk(s, 0, NULL, BYTES) < 0);
}

// In frames of each kind; uninitialised items are zeros, except in memory where they were made.
static void
filled(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(places); p++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            char name[4096];
            char *const path = places[p].in_file ? name : NULL;
            snprintf(name, sizeof name, "%s", files_path("special.b2frame"));
            const bool leaves = kinds[k] == BLOSC2_SPECIAL_UNINIT && !path;
            blosc2_schunk *s = new_schunk(places[p].contiguous, path);

            assert_int_equal(
                blosc2_schunk_fill_special(s, (NCHUNKS - 1) * ITEMS + REST, kinds[k], BYTES),
                NCHUNKS);
            check_schunk(s, kinds[k], leaves ? MARK : 0);
            if (s->data) {
                int32_t nbytes = 0;
                assert_good(blosc2_cbuffer_sizes(s->data[NCHUNKS - 2], &nbytes, NULL, NULL));
                assert_int_equal(nbytes, BYTES);
                assert_good(blosc2_cbuffer_sizes(s->data[NCHUNKS - 1], &nbytes, NULL, NULL));
                assert_int_equal(nbytes, REST * 4);
            }
            blosc2_storage storage = {.contiguous = true};
            blosc2_schunk *const copy = blosc2_schunk_copy(s, &storage);
            assert_non_null(copy);
            check_schunk(copy, kinds[k], 0);
            uint8_t *frame = NULL;
            bool needs_free = false;
            const int64_t size = blosc2_schunk_to_buffer(copy, &frame, &needs_free);
            assert_true(size > 0);
            blosc2_schunk *const other = blosc2_schunk_from_buffer(frame, size, true);
            assert_non_null(other);
            check_schunk(other, kinds[k], 0);
            if (needs_free)
                free(frame);
            assert_good(blosc2_schunk_free(other));
            assert_good(blosc2_schunk_free(copy));
            assert_good(blosc2_schunk_free(s));
            if (!path)
                continue;
            s = blosc2_schunk_open(path);
            assert_non_null(s);
            check_schunk(s, kinds[k], 0);
            assert_good(blosc2_schunk_free(s));
            files_remove(path);
        }
}

// Read all of it, so that what the chunks are is known when it changes.
static void
read_all(blosc2_schunk *s)
{
    uint8_t items[BYTES];

    for (int64_t n = 0; n < s->nchunks; n++)
        assert_true(blosc2_schunk_decompress_chunk(s, n, items, BYTES) > 0);
    for (int64_t n = 0; n < 3; n++)
        assert_true(blosc2_schunk_decompress_chunk(s, n, items, BYTES) > 0);
}

static void
check_byte(blosc2_schunk *s, int64_t n, int byte)
{
    uint8_t items[BYTES];

    memset(items, MARK, sizeof items);
    assert_int_equal(blosc2_schunk_decompress_chunk(s, n, items, BYTES), BYTES);
    check_content(items, BYTES, 0, byte);
}

// Each change is seen by the next reading.
static void
changed(void **state)
{
    uint8_t items[BYTES], chunk[BYTES + BLOSC2_MAX_OVERHEAD];

    (void)state;
    memset(items, 1, sizeof items);
    assert_true(blosc2_compress(5, 1, 4, items, BYTES, chunk, sizeof chunk) > 0);
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        blosc2_schunk *const s = new_schunk(contiguous, NULL);
        assert_int_equal(blosc2_schunk_fill_special(s, NCHUNKS * ITEMS, BLOSC2_SPECIAL_ZERO, BYTES),
                         NCHUNKS);
        read_all(s);
        assert_int_equal(blosc2_schunk_update_chunk(s, 5, chunk, true), NCHUNKS);
        check_byte(s, 5, 1);
        check_byte(s, 4, 0);
        read_all(s);
        assert_int_equal(blosc2_schunk_insert_chunk(s, 1, chunk, true), NCHUNKS + 1);
        check_byte(s, 1, 1);
        check_byte(s, 6, 1);
        read_all(s);
        assert_int_equal(blosc2_schunk_delete_chunk(s, 0), NCHUNKS);
        check_byte(s, 0, 1);
        check_byte(s, 1, 0);
        read_all(s);
        assert_good(blosc2_schunk_set_slice_buffer(s, 2 * ITEMS, 3 * ITEMS, items));
        check_byte(s, 2, 1);
        check_byte(s, 3, 0);
        read_all(s);
        int64_t order[NCHUNKS];
        for (int i = 0; i < NCHUNKS; i++)
            order[i] = NCHUNKS - 1 - i;
        assert_good(blosc2_schunk_reorder_offsets(s, order));
        check_byte(s, NCHUNKS - 1, 1);
        check_byte(s, 0, 0);
        check_byte(s, 1, 0);
        read_all(s);
        assert_int_equal(blosc2_schunk_append_buffer(s, items, BYTES), NCHUNKS + 1);
        check_byte(s, NCHUNKS, 1);
        check_byte(s, 2, 0);
        for (int64_t n = 0; !contiguous && n < s->nchunks; n++) { // each copy is right
            uint8_t back[BYTES];
            const int size = blosc2_schunk_decompress_chunk(s, n, back, BYTES);
            assert_int_equal(blosc2_decompress(s->data[n], INT32_MAX, items, BYTES), size);
            assert_memory_equal(items, back, BYTES);
        }
        memset(items, 1, sizeof items);
        assert_good(blosc2_schunk_free(s));
    }
}

// A chunk of uninitialised items that is appended is like one that was filled in; each kind keeps
// its own.
static void
mixed(void **state)
{
    static const int32_t value = 0x07070707;
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    uint8_t chunk[4][64];

    (void)state;
    cparams.typesize = 4;
    assert_good(blosc2_chunk_zeros(cparams, BYTES, chunk[0], sizeof *chunk));
    assert_good(blosc2_chunk_uninit(cparams, BYTES, chunk[1], sizeof *chunk));
    assert_good(blosc2_chunk_nans(cparams, BYTES, chunk[2], sizeof *chunk));
    assert_good(blosc2_chunk_repeatval(cparams, BYTES, chunk[3], sizeof *chunk, &value));
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        blosc2_schunk *const s = new_schunk(contiguous, NULL);
        for (int n = 0; n < 1000; n++)
            assert_int_equal(blosc2_schunk_append_chunk(s, chunk[n / 3 % 4], true), n + 1);
        for (int pass = 0; pass < 2; pass++)
            for (int n = 0; n < 1000; n++) {
                uint8_t items[BYTES];
                memset(items, MARK, sizeof items);
                assert_int_equal(blosc2_schunk_decompress_chunk(s, n, items, BYTES), BYTES);
                check_content(items, BYTES, n / 3 % 4 == 2 ? BLOSC2_SPECIAL_NAN : 0,
                              n / 3 % 4 == 0   ? 0
                              : n / 3 % 4 == 1 ? MARK
                                               : 7);
            }
        assert_good(blosc2_schunk_free(s));
    }
}

static int
postfilter(blosc2_postfilter_params *p)
{
    memset(p->output, 9, (size_t)p->size);
    return 0;
}

static void
postfiltered(void **state)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_dparams dparams = BLOSC2_DPARAMS_DEFAULTS;
    blosc2_postfilter_params params = {0};
    blosc2_storage storage = {.cparams = &cparams, .dparams = &dparams};

    (void)state;
    cparams.typesize = 4;
    dparams.postfilter = postfilter;
    dparams.postparams = &params;
    blosc2_schunk *const s = blosc2_schunk_new(&storage);
    assert_non_null(s);
    assert_int_equal(blosc2_schunk_fill_special(s, 9 * ITEMS, BLOSC2_SPECIAL_UNINIT, BYTES), 9);
    for (int n = 0; n < 9; n++)
        check_byte(s, n, 9);
    assert_good(blosc2_schunk_free(s));
}

// -- threads

struct reader {
    blosc2_schunk *s;
    atomic_bool *ends;
    int wrong; // chunks with other bytes than it may have
};

static void *
read_again(void *arg)
{
    struct reader *const r = arg;
    uint8_t items[BYTES];

    for (int64_t n = 0; !atomic_load(r->ends); n = (n + 1) % NCHUNKS) {
        memset(items, MARK, sizeof items);
        if (blosc2_schunk_decompress_chunk(r->s, n, items, BYTES) != BYTES ||
            items[0] > (n % 100 == 5) || items[BYTES - 1] != items[0])
            r->wrong++;
    }
    return NULL;
}

// Some threads read chunks that are known to be special, while one changes some of them.
static void
threads(void **state)
{
    uint8_t ones[BYTES], zeros[BYTES] = {0};
    atomic_bool ends = false;
    pthread_t ids[3];
    blosc2_schunk *const s = new_schunk(true, NULL);
    struct reader readers[COUNT(ids)];

    (void)state;
    memset(ones, 1, sizeof ones);
    assert_int_equal(blosc2_schunk_fill_special(s, NCHUNKS * ITEMS, BLOSC2_SPECIAL_ZERO, BYTES),
                     NCHUNKS);
    for (size_t i = 0; i < COUNT(ids); i++) {
        readers[i] = (struct reader){.s = s, .ends = &ends};
        assert_int_equal(pthread_create(&ids[i], NULL, read_again, &readers[i]), 0);
    }
    for (int i = 0; i < 300; i++) {
        const int64_t n = i % 3 * 100 + 5;
        uint8_t *const items = i / 3 % 2 == 0 ? ones : zeros;
        assert_good(blosc2_schunk_set_slice_buffer(s, n * ITEMS, (n + 1) * ITEMS, items));
        check_byte(s, n, items[0]);
    }
    atomic_store(&ends, true);
    for (size_t i = 0; i < COUNT(ids); i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
    }
    assert_good(blosc2_schunk_free(s));
}

// -- work

// Allocations of a super-chunk of so many chunks, made and read.
static int
count_allocs(bool contiguous, int64_t nchunks, int kind)
{
    uint8_t items[BYTES];
    const int before = nallocs;
    blosc2_schunk *const s = new_schunk(contiguous, NULL);

    assert_int_equal(blosc2_schunk_fill_special(s, nchunks * ITEMS + REST, kind, BYTES),
                     nchunks + 1);
    for (int64_t n = 0; n <= nchunks; n += nchunks > 1000000 ? nchunks / 100 : 1)
        assert_true(blosc2_schunk_decompress_chunk(s, n, items, BYTES) > 0);
    assert_good(blosc2_schunk_free(s));
    assert_true(nallocs >= before);
    return nallocs - before;
}

// Work does not grow with the number of chunks, save the list of a super-chunk without a frame.
static void
constant_work(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        (void)count_allocs(true, 10, kinds[k]);
        const int few = count_allocs(true, 10, kinds[k]);
        assert_int_equal(count_allocs(true, 10000, kinds[k]), few);
        assert_int_equal(count_allocs(true, 100000000, kinds[k]), few);
        assert_int_equal(count_allocs(false, 10000, kinds[k]), count_allocs(false, 10, kinds[k]));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(filled),       cmocka_unit_test(changed),
        cmocka_unit_test(mixed),   cmocka_unit_test(postfiltered),
        cmocka_unit_test(threads), cmocka_unit_test(constant_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
