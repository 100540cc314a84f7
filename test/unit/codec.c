/*
 * codec.c - the table of codecs: what the rest of the library relies on in every codec, whichever
 * is added, and the numbers that decide what is in files.
 *
 * Not here: which numbers, formats and names there are (codec_roundtrip.c).
 */
#include "codec/codec.h"

#include "codec/dict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
each_is_complete(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const struct codec *const c = codec_by_id(id);
        if (!c)
            continue;
        assert_non_null(c->encode);
        assert_non_null(c->decode);
        assert_null(c->user);
        assert_string_equal(codec_name(id), c->name);
        assert_true(c->format < CODEC_FORMAT_OTHER || codec_by_format(c->format, id) == c);
        assert_true(c->split_nitems_min == 0 || !c->needs_items);
        assert_true(c->cost.decode > 0 || c->cost.encode[0] == 0);
        for (int other = 0; other < id; other++)
            if (codec_name(other))
                assert_string_not_equal(codec_name(other), c->name);
    }
}

static void
dictionaries_are_made_prepared_and_freed(void **state)
{
    (void)state;
    for (int id = 0; id < 256; id++) {
        const struct codec *const c = codec_by_id(id);
        if (!c || !c->dict)
            continue;
        assert_non_null(c->dict->make);
        assert_non_null(c->dict->make_encoder);
        assert_non_null(c->dict->free_encoder);
        assert_true((c->dict->make_decoder != NULL) == (c->dict->free_decoder != NULL));

        static const uint8_t bytes[DICT_SIZE_MIN] = "bytes that streams refer to";
        for (int level = 0; level <= 9; level += 3) {
            struct codec_dict d;
            assert_int_equal(codec_dict_init(&d, c, level, bytes, sizeof bytes, NULL), TESS_OK);
            assert_true((d.encoder != NULL) == (level > 0));
            assert_true((d.decoder != NULL) == (level == 0 && c->dict->make_decoder));
            assert_memory_equal(d.bytes, bytes, sizeof bytes);
            codec_dict_finish(&d);
            assert_null(d.bytes);
        }
    }
    codec_dict_finish(&(struct codec_dict){0});
}

static void
names_for_messages(void **state)
{
    (void)state;
    char names[100];

    codec_names_with_dict(names, sizeof names);
    assert_string_equal(names, "lz4, lz4hc and zstd");
}

// To change one of these is to change what is written by default.
static void
what_decides_about_files(void **state)
{
    (void)state;
    static const struct {
        int id;
        int32_t nitems_min;
        int level_max;
        struct codec_cost cost;
    } all[] = {
        {0, 32, 0, {{10, 20, 40}, 3, 350, 20}},     {1, 32, 0, {{8, 10, 15}, 3, 350, 15}},
        {2, 0, 0, {{100, 200, 500}, 3, 350, 20}},   {4, 4096, 0, {{80, 150, 400}, 10, 12000, 20}},
        {5, 32, 5, {{30, 100, 500}, 8, 12000, 20}}, {32, 0, 0, {{0}, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct codec *const c = codec_by_id(all[i].id);
        assert_int_equal(c->split_nitems_min, all[i].nitems_min);
        assert_int_equal(c->split_level_max, all[i].level_max);
        assert_memory_equal(&c->cost, &all[i].cost, sizeof c->cost);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_complete),
        cmocka_unit_test(dictionaries_are_made_prepared_and_freed),
        cmocka_unit_test(names_for_messages),
        cmocka_unit_test(what_decides_about_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
