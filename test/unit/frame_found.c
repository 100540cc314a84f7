/*
 * frame_found.c - tests of frame/format/found.h: the first bytes of frames wherever they stand, and
 * what is said of a frame by its ends.
 */
#include "frame/format/found.h"

#include "frame/format/header.h"
#include "frame/format/trailer.h"
#include "io/io.h"
#include "io/memory.h"
#include "meta/layers.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 300000, MEMORY = 1 << 20 };

static const char begin[] = "\x9e\xa8" FRAME_MAGIC; // with its NUL

static void
good(tess_status st, const tess_error *err)
{
    if (st != TESS_OK)
        fail_msg("%s", err->message);
}

// The slow and obvious search.
static int64_t
first_begin(const uint8_t *bytes, int64_t from, int64_t size)
{
    for (int64_t i = from; i + FRAME_HEADER_MIN <= size; i++)
        if (memcmp(bytes + i, begin, sizeof begin) == 0)
            return i;
    return -1;
}

// Across the borders of what is read at once, too.
static void
searches(void **state)
{
    uint8_t *const bytes = calloc(1, SIZE);
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 1000; round++) {
        struct io *io;
        tess_error err;
        int64_t at, size = (int64_t)random_below(&r, SIZE + 1);
        const int64_t from = (int64_t)random_below(&r, (uint64_t)size + 2);
        const int64_t border = from + 65536 * (int64_t)(1 + random_below(&r, 4));
        for (int n = (int)random_below(&r, 4); n > 0; n--) {
            const int64_t near = border - 300 + (int64_t)random_below(&r, 350);
            const int64_t place = random_below(&r, 2) > 0 && near < SIZE - 20
                                      ? near
                                      : (int64_t)random_below(&r, SIZE - 20);
            memcpy(bytes + place, begin, sizeof begin);
            if (random_below(&r, 3) == 0)
                bytes[place] = 0x9f; // no frame
            if (random_below(&r, 3) == 0 && place + 80 < SIZE) // the end of the file is near
                size = place + (int64_t)random_below(&r, 80);
        }
        good(io_memory_view(bytes, (size_t)size, &io, &err), &err);
        good(found_search(io, from, size, NULL, &at, &err), &err);
        assert_int_equal(at, first_begin(bytes, from, size));
        io_close(io);
        memset(bytes, 0, SIZE);
    }
    free(bytes);
}

// A frame without chunks: header, no layers, trailer.
static size_t
make(uint8_t *dst)
{
    struct layers none = {0};
    uint8_t *trailer;
    size_t size;
    tess_error err;
    struct frame_header h = {.version = 2, .typesize = 1, .clevel = 5, .split = 1, .chunksize = 1};
    const size_t layers = layers_size(&none);
    good(trailer_write(&none, &trailer, &size, &err), &err);
    h.header_len = (int32_t)(FRAME_HEADER_SIZE + layers);
    h.frame_len = h.header_len + (int64_t)size;
    frame_header_write(&h, dst);
    layers_write(&none, FRAME_HEADER_SIZE, LAYERS_HEADER, dst + FRAME_HEADER_SIZE);
    memcpy(dst + h.header_len, trailer, size);
    free(trailer);
    return (size_t)h.frame_len;
}

static tess_status
look(const uint8_t *bytes, size_t size, int64_t offset, int64_t memory, struct found *x)
{
    struct io *io;
    tess_error err;
    good(io_memory_view(bytes, size, &io, &err), &err);
    const tess_status st = found_read(io, offset, (int64_t)size, memory, x, &err);
    io_close(io);
    return st;
}

static void
whole_or_not(void **state)
{
    uint8_t bytes[500] = {0};
    struct found x;
    const size_t size = make(bytes + 100);
    (void)state;
    assert_int_equal(look(bytes, sizeof bytes, 100, MEMORY, &x), TESS_OK);
    assert_true(x.whole && !x.is_array);
    assert_int_equal(x.offset, 100);
    assert_int_equal(x.size, size);
    found_finish(&x);
    assert_int_equal(look(bytes, 100 + size, 100, MEMORY, &x), TESS_OK);
    assert_true(x.whole);
    found_finish(&x);
    assert_int_equal(look(bytes, 100 + size - 1, 100, MEMORY, &x), TESS_OK); // cut off
    assert_false(x.whole);
    assert_int_equal(x.size, size - 1);
    found_finish(&x);
    assert_int_equal(look(bytes, sizeof bytes, 99, MEMORY, &x), TESS_ERR_FORMAT);
    assert_int_equal(look(bytes, sizeof bytes, 450, MEMORY, &x), TESS_ERR_FORMAT);
    assert_int_equal(look(bytes, sizeof bytes, 100, 1, &x), TESS_ERR_LIMIT);
    for (size_t i = FRAME_HEADER_SIZE; i < size; i++) { // layers and trailer
        uint8_t changed[sizeof bytes];
        memcpy(changed, bytes, sizeof bytes);
        changed[100 + i] ^= 0xff;
        assert_int_equal(look(changed, sizeof changed, 100, MEMORY, &x), TESS_OK);
        if (i >= size - TRAILER_FIXED_END && i < size - TRAILER_FIXED_END + 5)
            assert_false(x.whole); // the length of the trailer, and its mark
        found_finish(&x);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches),
        cmocka_unit_test(whole_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
