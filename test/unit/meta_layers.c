/*
 * meta_layers.c - tests of meta/layers: bytes of real frames, damaged ones, and the list in memory.
 */
#include "meta/layers.h"

#include "../support/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The N-dimensional layer of a 30x25 array of int32.
#define B2ND_A                                                                                     \
    "97000292 d3000000000000001e d30000000000000019 92d20000000cd20000000a 92d200000005d200000004" \
    "00 db00000003 3c6934"

static const struct good {
    const char *what;
    enum layers_place place;
    size_t base;
    const char *bytes;
    int count;
    const char *last_name;
    const char *last_content;
} goods[] = {
    {"header without metalayers, c-blosc2 3.3.2", LAYERS_HEADER, 87, "93 cd0007 de0000 dc0000", 0,
     NULL, NULL},
    {"trailer without metalayers, c-blosc2 2.7.0", LAYERS_TRAILER, 2, "93 cd0006 de0000 dc0000", 0,
     NULL, NULL},
    {"header of an array, c-blosc2 2.7.0", LAYERS_HEADER, 87,
     "93 cd0011 de0001 a4 62326e64 d20000006b dc0001 c600000035" B2ND_A, 1, "b2nd", B2ND_A},
    {"header with two metalayers, c-blosc2 2.15.2", LAYERS_HEADER, 87,
     "93 cd0019 de0002 a4 62326e64 d200000073 a2 756d d2000000ad dc0002 c600000035 97000292"
     "d30000000000000013d30000000000000015 92d200000008d200000009 92d200000004d200000005"
     "00db000000033c6934 c600000003 010203",
     2, "um", "010203"},
    {"header with a name of 31 bytes, c-blosc2 3.3.2", LAYERS_HEADER, 87,
     "93 cd0036 de0002 a4 62326e64 d200000090 bf"
     "61323334353637383930313233343536373839303132333435363738393031 d2000000ca dc0002"
     "c600000035 97000292 d30000000000000014d30000000000000015 92d20000000cd20000000b"
     "92d200000005d200000004 00db000000033c6934 c60000000201ff",
     2, "a234567890123456789012345678901", "01ff"},
    {"trailer with a chunk, c-blosc2 2.15.2", LAYERS_TRAILER, 2,
     "93 cd000e de0001 a2 766c d200000014 dc0001 c60000005c"
     "050117083c000000380000005c0000000000000000010000000000000000000001020304050607"
     "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
     "303132333435363738393a3b3c",
     1, "vl",
     "050117083c000000380000005c0000000000000000010000000000000000000001020304050607"
     "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
     "303132333435363738393a3b3c"},
    {"header of a frame of version 1, Caterva 0.1.1", LAYERS_HEADER, 82,
     "93 cd0014 de0001 a7 63617465727661 d200000069 dc0001 c600000020"
     "930292d3000000000000001ed30000000000000019 92d20000000cd20000000a",
     1, "caterva", "930292d3000000000000001ed30000000000000019 92d20000000cd20000000a"},
    {"header of early 2019, Caterva", LAYERS_HEADER, 64,
     "93 cd0014 de0001 a7 63617465727661 d200000057 dc0001 c600000020"
     "930292cf1e00000000000000cf1900000000000000 92d20c000000d20a000000",
     1, "caterva", "930292cf1e00000000000000cf1900000000000000 92d20c000000d20a000000"},
    {"an empty value", LAYERS_HEADER, 87, "93 cd000e de0001 a1 78 d200000068 dc0001 c600000000", 1,
     "x", ""},
};

static void
test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *const g = &goods[i];
        struct layers l;
        tess_error err;
        size_t size;
        uint8_t *const src = hex_bytes(g->bytes, &size);

        if (layers_parse(src, size, g->base, g->place, &l, &err) != TESS_OK)
            fail_msg("%s: %s", g->what, err.message);
        if (l.count != g->count)
            fail_msg("%s: %d metalayers", g->what, l.count);
        if (l.count > 0) {
            const struct layer *const last = &l.items[l.count - 1];
            size_t content_size;
            uint8_t *const content = hex_bytes(g->last_content, &content_size);
            assert_string_equal(last->name, g->last_name);
            assert_int_equal(last->size, content_size);
            if (content_size > 0)
                assert_memory_equal(last->content, content, content_size);
            else
                assert_null(last->content);
            assert_ptr_equal(layers_find(&l, g->last_name), last);
            free(content);
        }

        uint8_t *const again = malloc(size);
        if (layers_size(&l) != size)
            fail_msg("%s: %zu bytes to write, %zu read", g->what, layers_size(&l), size);
        layers_write(&l, g->base, g->place, again);
        if (memcmp(again, src, size) != 0)
            fail_msg("%s: written otherwise than read", g->what);

        free(again);
        free(src);
        layers_finish(&l);
    }
}

// What readers let pass; written again it is in order.
static const struct odd {
    const char *what;
    enum layers_place place;
    const char *bytes;
    const char *in_order;
} odds[] = {
    {"index size that is wrong", LAYERS_HEADER,
     "93 cdffff de0001 a1 78 d200000068 dc0001 c600000001 aa",
     "93 cd000e de0001 a1 78 d200000068 dc0001 c600000001 aa"},
    {"values in another order than the index", LAYERS_HEADER,
     "93 cd0015 de0002 a1 78 d200000075 a1 79 d20000006f dc0002 c600000001 aa c600000002 bbcc",
     "93 cd0015 de0002 a1 78 d20000006f a1 79 d200000076 dc0002 c600000002 bbcc c600000001 aa"},
    {"a gap before the value and bytes after it", LAYERS_HEADER,
     "93 cd000e de0001 a1 78 d20000006a dc0001 0000 c600000001 aa ff",
     "93 cd000e de0001 a1 78 d200000068 dc0001 c600000001 aa"},
    {"an empty name", LAYERS_TRAILER, "93 cd000c de0001 a0 d200000012 dc0001 c600000001 aa",
     "93 cd000c de0001 a0 d200000012 dc0001 c600000001 aa"},
};

static void
test_odd(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
        const size_t base = odds[i].place == LAYERS_HEADER ? 87 : 2;
        struct layers l;
        tess_error err;
        size_t size, want_size;
        uint8_t *const src = hex_bytes(odds[i].bytes, &size);
        uint8_t *const want = hex_bytes(odds[i].in_order, &want_size);
        uint8_t *const got = malloc(want_size);

        if (layers_parse(src, size, base, odds[i].place, &l, &err) != TESS_OK)
            fail_msg("%s: %s", odds[i].what, err.message);
        assert_int_equal(layers_size(&l), want_size);
        layers_write(&l, base, odds[i].place, got);
        if (memcmp(got, want, want_size) != 0)
            fail_msg("%s: written out of order", odds[i].what);

        free(got);
        free(want);
        free(src);
        layers_finish(&l);
    }
}

// One value of a byte, as "x", in a header; each line changes one thing.
static const struct {
    const char *what;
    const char *bytes;
    int64_t offset; // of the error
} bads[] = {
    {"nothing", "", 87},
    {"an array of 4", "94 cd000e de0001 a1 78 d200000068 dc0001 c600000001 aa", 87},
    {"index size as uint32", "93 ce000e de0001 a1 78 d200000068 dc0001 c600000001 aa", 87},
    {"a fixmap", "93 cd000e 8100 01 a1 78 d200000068 dc0001 c600000001 aa", 87},
    {"65535 metalayers", "93 cd000e deffff a1 78 d200000068 dc0001 c600000001 aa", 92},
    {"16 metalayers, room for one", "93 cd000e de0010 a1 78 d200000068 dc0001 c600000001 aa", 92},
    {"a name that is a str8", "93 cd000e de0001 d9 78 d200000068 dc0001 c600000001 aa", 94},
    {"a name that is an integer", "93 cd000e de0001 01 78 d200000068 dc0001 c600000001 aa", 94},
    {"a name of 31 bytes that swallows the rest",
     "93 cd000e de0001 bf 78 d200000068 dc0001 c600000001 aa", 94},
    {"a NUL in the name", "93 cd000e de0001 a1 00 d200000068 dc0001 c600000001 aa", 94},
    {"offset as uint32", "93 cd000e de0001 a1 78 ce00000068 dc0001 c600000001 aa", 94},
    {"a negative offset", "93 cd000e de0001 a1 78 d2ffffffff dc0001 c600000001 aa", -1},
    {"an offset before the metalayers", "93 cd000e de0001 a1 78 d200000056 dc0001 c600000001 aa",
     -1},
    {"an offset one past the end", "93 cd000e de0001 a1 78 d20000006e dc0001 c600000001 aa", 110},
    {"an offset far outside", "93 cd000e de0001 a1 78 d27fffffff dc0001 c600000001 aa", -1},
    {"an offset into the length", "93 cd000e de0001 a1 78 d200000069 dc0001 c600000001 aa", 105},
    {"a value that is a bin8", "93 cd000e de0001 a1 78 d200000068 dc0001 c400000001 aa", 104},
    {"a value one byte too long", "93 cd000e de0001 a1 78 d200000068 dc0001 c600000002 aa", 104},
    {"a value of 2^32 - 1 bytes", "93 cd000e de0001 a1 78 d200000068 dc0001 c6ffffffff aa", 104},
    {"values in a fixarray", "93 cd000e de0001 a1 78 d200000068 9c0001 c600000001 aa", 101},
    {"one more value than names", "93 cd000e de0001 a1 78 d200000068 dc0002 c600000001 aa", 101},
    {"two with one name",
     "93 cd0015 de0002 a1 78 d20000006f a1 78 d200000075 dc0002 c600000001 aa c600000001 bb", -1},
    {"three values in the same bytes, more than there are",
     "93 cd001d de0003 a1 78 d200000077 a1 79 d200000077 a1 7a d200000077 dc0003"
     "c600000010 000102030405060708090a0b0c0d0e0f c600000000 c600000000",
     119},
};

static void
test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct layers l = {.count = 99};
        tess_error err;
        size_t size;
        uint8_t *const src = hex_bytes(bads[i].bytes, &size);

        if (layers_parse(src, size, 87, LAYERS_HEADER, &l, &err) != TESS_ERR_CORRUPT)
            fail_msg("%s: accepted", bads[i].what);
        if (err.offset != bads[i].offset)
            fail_msg("%s: error at %d: %s", bads[i].what, (int)err.offset, err.message);
        assert_int_equal(err.status, TESS_ERR_CORRUPT);
        assert_true(l.count == 0 && l.items == NULL);
        assert_int_equal(layers_parse(src, size, 87, LAYERS_HEADER, &l, NULL), TESS_ERR_CORRUPT);
        free(src);
    }
}

static void
test_truncated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        size_t size;
        uint8_t *const src = hex_bytes(goods[i].bytes, &size);

        for (size_t n = 0; n < size; n++) {
            struct layers l;
            uint8_t *const cut = exact_copy(src, n);
            if (layers_parse(cut, n, goods[i].base, goods[i].place, &l, NULL) != TESS_ERR_CORRUPT)
                fail_msg("%s: accepted when cut to %zu bytes", goods[i].what, n);
            free(cut);
        }
        free(src);
    }
}

// What holds of all that is accepted: bounded by the bytes at hand, and it survives a round trip.
static void
check_accepted(const struct good *g, const struct layers *l, size_t src_size)
{
    struct layers again;
    size_t total = 0;
    const size_t size = layers_size(l);
    uint8_t *const bytes = malloc(size);

    for (int i = 0; i < l->count; i++)
        total += 5 + (size_t)l->items[i].size;
    assert_true(total <= src_size);

    layers_write(l, g->base, g->place, bytes);
    assert_int_equal(layers_parse(bytes, size, g->base, g->place, &again, NULL), TESS_OK);
    assert_int_equal(again.count, l->count);
    for (int i = 0; i < l->count; i++) {
        assert_string_equal(again.items[i].name, l->items[i].name);
        assert_int_equal(again.items[i].size, l->items[i].size);
        if (l->items[i].size > 0)
            assert_memory_equal(again.items[i].content, l->items[i].content, l->items[i].size);
    }
    layers_finish(&again);
    free(bytes);
}

static void
test_mutated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        size_t size;
        uint8_t *const src = hex_bytes(goods[i].bytes, &size);

        for (size_t at = 0; at < size; at++) {
            const uint8_t was = src[at];
            for (int value = 0; value < 256; value++) {
                struct layers l;
                src[at] = (uint8_t)value;
                const tess_status st =
                    layers_parse(src, size, goods[i].base, goods[i].place, &l, NULL);
                assert_true(st == TESS_OK || st == TESS_ERR_CORRUPT);
                if (st == TESS_OK)
                    check_accepted(&goods[i], &l, size);
                layers_finish(&l);
            }
            src[at] = was;
        }
        free(src);
    }
}

static void
test_counts(void **state)
{
    static const struct {
        const char *what;
        enum layers_place place;
        int count;
        tess_status status;
    } cases[] = {
        {"as many as a header can have", LAYERS_HEADER, LAYERS_FIXED_MAX, TESS_OK},
        {"one more in a header", LAYERS_HEADER, LAYERS_FIXED_MAX + 1, TESS_ERR_CORRUPT},
        {"as many as a trailer can have", LAYERS_TRAILER, LAYERS_VL_MAX, TESS_OK},
        {"one more in a trailer", LAYERS_TRAILER, LAYERS_VL_MAX + 1, TESS_ERR_CORRUPT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        // Built by hand: layers_add() compares names one by one, which takes its time here.
        struct layers l = {.count = cases[i].count}, again;
        l.items = calloc((size_t)l.count, sizeof *l.items);
        for (int k = 0; k < l.count; k++)
            snprintf(l.items[k].name, sizeof l.items[k].name, "layer %d", k);
        const size_t size = layers_size(&l);
        uint8_t *const bytes = malloc(size);

        layers_write(&l, 2, cases[i].place, bytes);
        if (layers_parse(bytes, size, 2, cases[i].place, &again, NULL) != cases[i].status)
            fail_msg("%s: another status", cases[i].what);
        if (cases[i].status == TESS_OK) {
            assert_int_equal(again.count, l.count);
            assert_string_equal(again.items[l.count - 1].name, l.items[l.count - 1].name);
        }
        layers_finish(&again);
        layers_finish(&l);
        free(bytes);
    }
}

static void
test_list(void **state)
{
    struct layers l = {0};
    tess_error err;

    (void)state;
    assert_int_equal(layers_size(&l), 10);
    assert_null(layers_find(&l, "a"));
    assert_int_equal(layers_add(&l, 3, "a", "one", 3, &err), TESS_OK);
    assert_int_equal(layers_add(&l, 3, "b", NULL, 0, &err), TESS_OK);
    assert_int_equal(layers_add(&l, 3, "a234567890123456789012345678901", "x", 1, &err), TESS_OK);
    assert_int_equal(layers_size(&l), 10 + 3 * 11 + 1 + 1 + 31 + 3 + 0 + 1);

    assert_int_equal(layers_add(&l, 9, "", "x", 1, &err), TESS_ERR_ARG);
    assert_int_equal(layers_add(&l, 9, "a2345678901234567890123456789012", "x", 1, &err),
                     TESS_ERR_ARG);
    assert_int_equal(layers_add(&l, 9, "b", "x", 1, &err), TESS_ERR_ARG);
    assert_int_equal(layers_add(&l, 3, "d", "x", 1, &err), TESS_ERR_LIMIT);
    assert_int_equal(layers_add(&l, 9, "d", "x", (size_t)INT32_MAX + 1, &err), TESS_ERR_LIMIT);
    assert_int_equal(l.count, 3);

    struct layer *const b = layers_find(&l, "b");
    assert_non_null(b);
    assert_null(b->content);
    assert_int_equal(layer_set(b, "longer", 6, &err), TESS_OK);
    assert_int_equal(b->size, 6);
    assert_memory_equal(b->content, "longer", 6);
    assert_int_equal(layer_set(b, "x", (size_t)INT32_MAX + 1, &err), TESS_ERR_LIMIT);
    assert_memory_equal(b->content, "longer", 6);
    assert_int_equal(layer_set(b, NULL, 0, &err), TESS_OK);
    assert_true(b->size == 0 && b->content == NULL);

    layers_remove(&l, layers_find(&l, "a"));
    assert_int_equal(l.count, 2);
    assert_null(layers_find(&l, "a"));
    assert_string_equal(l.items[0].name, "b");
    assert_string_equal(l.items[1].name, "a234567890123456789012345678901");
    layers_remove(&l, &l.items[1]);
    layers_remove(&l, &l.items[0]);
    assert_int_equal(l.count, 0);

    layers_finish(&l);
    layers_finish(&l);
    layers_finish(NULL);
}

// Contents are copied, and many layers fit.
static void
test_growth(void **state)
{
    struct layers l = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        char name[12];
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(layers_add(&l, 100, name, &i, sizeof i, NULL), TESS_OK);
    }
    for (int i = 0; i < 100; i++) {
        char name[12];
        snprintf(name, sizeof name, "%d", i);
        const struct layer *const layer = layers_find(&l, name);
        assert_non_null(layer);
        assert_memory_equal(layer->content, &i, sizeof i);
    }
    layers_finish(&l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_odd),
        cmocka_unit_test(test_bad),     cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mutated), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_list),    cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests_name("meta/layers", tests, NULL, NULL);
}
