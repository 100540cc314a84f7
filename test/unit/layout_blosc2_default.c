/*
 * layout_blosc2_default.c - the layout of python-blosc2 against what that program chooses.
 *
 * The table holds what compute_chunks_blocks() of its release 3 says (src/blosc2/core.py at
 * 0a58cc06), run on x86-64 with the caches of these machines.
 */
#include "layout/blosc2_default.h"

#include "support/shape_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

static const struct machine machines[] = {
    {.l1 = 32 * KIB, .l2 = 512 * KIB, .l3 = 32 * MIB},
    {.l1 = 48 * KIB, .l2 = 2 * MIB, .l3 = 36 * MIB},
    {.l1 = 32 * KIB, .l2 = 1 * MIB, .l3 = 16 * MIB},
    {.l1 = 32 * KIB, .l2 = 256 * KIB, .l3 = 0},
    {.l1 = 64 * KIB, .l2 = 32 * MIB, .l3 = 16 * MIB}, // larger than the cache behind it
};

static const struct {
    int machine;
    int32_t typesize;
    const char *shape, *chunk, *block;
} facts[] = {
    {0, 3, "1", "1", "1"},
    {1, 2, "1", "1", "1"},
    {3, 8, "1", "1", "1"},
    {0, 2, "7", "7", "7"},
    {2, 100000, "7", "7", "2"},
    {4, 2, "7", "7", "7"},
    {1, 8, "1000", "1000", "1000"},
    {3, 2, "1000", "1000", "1000"},
    {4, 300, "1000", "1000", "500"},
    {0, 8, "99991", "99991", "16384"},
    {2, 2, "99991", "99991", "99991"},
    {3, 4, "99991", "99991", "16384"},
    {1, 2, "1000003", "1000003", "98304"},
    {2, 4, "1000003", "1000003", "65536"},
    {4, 1, "1000003", "1000003", "262144"},
    {0, 16, "16777216", "524288", "8192"},
    {1, 4, "16777216", "2097152", "32768"},
    {3, 1, "16777216", "4194304", "65536"},
    {0, 4, "100000000", "2016000", "32000"},
    {2, 3, "100000000", "1280000", "80000"},
    {4, 4, "100000000", "2000000", "62500"},
    {1, 1, "123456789", "9437184", "196608"},
    {3, 4, "123456789", "1038219", "11409"},
    {4, 100000, "123456789", "82", "2"},
    {0, 1, "1x1", "1x1", "1x1"},
    {2, 4, "1x1", "1x1", "1x1"},
    {3, 8, "1x1", "1x1", "1x1"},
    {1, 4, "3x1000000", "2x1000000", "1x40000"},
    {2, 8, "3x1000000", "1x500000", "1x31250"},
    {4, 2, "3x1000000", "3x1000000", "1x125000"},
    {0, 300, "1000000x3", "8000x3", "125x3"},
    {1, 8, "1000000x3", "256000x3", "8000x3"},
    {3, 2, "1000000x3", "500000x3", "10000x3"},
    {0, 8, "2161x4320", "240x4320", "3x4320"},
    {2, 16, "2161x4320", "60x4320", "3x4320"},
    {4, 8, "2161x4320", "238x4320", "7x4320"},
    {1, 2, "4320x2161", "2160x2161", "45x2161"},
    {3, 8, "4320x2161", "240x2161", "3x2161"},
    {4, 3, "4320x2161", "1080x2161", "40x2161"},
    {0, 2, "10007x10009", "414x10009", "6x10009"},
    {2, 8, "10007x10009", "51x10009", "3x10009"},
    {3, 1, "10007x10009", "414x10009", "6x10009"},
    {1, 8, "5000x5000", "200x5000", "4x5000"},
    {2, 1, "5000x5000", "650x5000", "50x5000"},
    {4, 4, "5000x5000", "250x5000", "10x5000"},
    {0, 100000, "64x64", "1x64", "1x1"},
    {1, 1, "64x64", "64x64", "64x64"},
    {3, 4, "64x64", "64x64", "64x64"},
    {0, 1, "1x100003", "1x100003", "1x100003"},
    {2, 300, "1x100003", "1x13968", "1x873"},
    {4, 1, "1x100003", "1x100003", "1x100003"},
    {1, 4, "100003x1", "100003x1", "49152x1"},
    {3, 1, "100003x1", "100003x1", "65536x1"},
    {4, 16, "100003x1", "100003x1", "16384x1"},
    {0, 4, "30000x40000", "50x40000", "1x20000"},
    {2, 1, "30000x40000", "102x40000", "6x40000"},
    {3, 2, "30000x40000", "50x40000", "1x20000"},
    {1, 1, "720x1440x10", "360x1440x10", "12x1440x10"},
    {2, 2, "720x1440x10", "144x1440x10", "9x1440x10"},
    {4, 8, "720x1440x10", "72x1440x10", "2x1440x10"},
    {0, 3, "365x721x1440", "2x721x1440", "1x30x1440"},
    {1, 2, "365x721x1440", "4x721x1440", "1x68x1440"},
    {3, 8, "365x721x1440", "1x360x1440", "1x5x1440"},
    {0, 2, "1000x1000x1000", "4x1000x1000", "1x50x1000"},
    {2, 100000, "1000x1000x1000", "1x1x40", "1x1x2"},
    {4, 2, "1000x1000x1000", "4x1000x1000", "1x125x1000"},
    {1, 8, "97x101x103", "97x101x103", "2x101x103"},
    {3, 2, "97x101x103", "97x101x103", "3x101x103"},
    {4, 300, "97x101x103", "2x101x103", "1x8x103"},
    {0, 8, "1x1x1", "1x1x1", "1x1x1"},
    {2, 2, "1x1x1", "1x1x1", "1x1x1"},
    {3, 4, "1x1x1", "1x1x1", "1x1x1"},
    {1, 2, "132x73x144", "132x73x144", "6x73x144"},
    {2, 4, "132x73x144", "66x73x144", "6x73x144"},
    {4, 1, "132x73x144", "132x73x144", "22x73x144"},
    {0, 16, "8760x181x360", "8x181x360", "1x22x360"},
    {1, 4, "8760x181x360", "30x181x360", "1x136x360"},
    {3, 1, "8760x181x360", "60x181x360", "1x181x360"},
    {0, 4, "3x1x999983", "2x1x999983", "1x1x32768"},
    {2, 3, "3x1x999983", "1x1x999983", "1x1x87381"},
    {4, 4, "3x1x999983", "2x1x999983", "1x1x65536"},
    {1, 1, "2000x7x11", "2000x7x11", "2000x7x11"},
    {3, 4, "2000x7x11", "2000x7x11", "200x7x11"},
    {4, 100000, "2000x7x11", "1x7x11", "1x1x2"},
    {0, 1, "16x131072x5", "8x131072x5", "1x16384x5"},
    {2, 4, "16x131072x5", "1x131072x5", "1x8192x5"},
    {3, 8, "16x131072x5", "1x65536x5", "1x1024x5"},
    {1, 4, "50x37x180x360", "1x36x180x360", "1x1x90x360"},
    {2, 8, "50x37x180x360", "1x8x180x360", "1x1x90x360"},
    {4, 2, "50x37x180x360", "1x37x180x360", "1x2x180x360"},
    {0, 300, "12x64x64x64", "1x4x64x64", "1x1x4x64"},
    {1, 8, "12x64x64x64", "4x64x64x64", "1x4x64x64"},
    {3, 2, "12x64x64x64", "6x64x64x64", "1x8x64x64"},
    {0, 8, "101x103x107x109", "1x89x107x109", "1x1x107x109"},
    {2, 16, "101x103x107x109", "1x22x107x109", "1x1x107x109"},
    {4, 8, "101x103x107x109", "1x88x107x109", "1x2x107x109"},
    {1, 2, "1x1000x1x1000", "1x1000x1x1000", "1x50x1x1000"},
    {3, 8, "1x1000x1x1000", "1x504x1x1000", "1x8x1x1000"},
    {4, 3, "1x1000x1x1000", "1x1000x1x1000", "1x50x1x1000"},
    {0, 2, "10x10x10x10", "10x10x10x10", "10x10x10x10"},
    {2, 8, "10x10x10x10", "10x10x10x10", "10x10x10x10"},
    {3, 1, "10x10x10x10", "10x10x10x10", "10x10x10x10"},
    {1, 8, "24x17x721x1440", "1x1x721x1440", "1x1x17x1440"},
    {2, 1, "24x17x721x1440", "1x4x721x1440", "1x1x103x1440"},
    {4, 4, "24x17x721x1440", "1x1x721x1440", "1x1x45x1440"},
    {0, 100000, "6x5x4x3x2", "1x3x4x3x2", "1x1x1x1x1"},
    {1, 1, "6x5x4x3x2", "6x5x4x3x2", "6x5x4x3x2"},
    {3, 4, "6x5x4x3x2", "6x5x4x3x2", "6x5x4x3x2"},
    {0, 1, "20x20x20x20x20", "20x20x20x20x20", "1x10x20x20x20"},
    {2, 300, "20x20x20x20x20", "1x1x20x20x20", "1x1x2x20x20"},
    {4, 1, "20x20x20x20x20", "20x20x20x20x20", "1x20x20x20x20"},
    {1, 4, "31x37x41x43x47", "1x28x41x43x47", "1x1x24x43x47"},
    {3, 1, "31x37x41x43x47", "1x37x41x43x47", "1x1x32x43x47"},
    {4, 16, "31x37x41x43x47", "1x6x41x43x47", "1x1x8x43x47"},
    {0, 4, "2x1x5000x1x3001", "1x1x630x1x3001", "1x1x10x1x3001"},
    {2, 1, "2x1x5000x1x3001", "1x1x1250x1x3001", "1x1x50x1x3001"},
    {3, 2, "2x1x5000x1x3001", "1x1x630x1x3001", "1x1x10x1x3001"},
    {1, 1, "365x4x13x181x360", "2x4x13x181x360", "1x1x3x181x360"},
    {2, 2, "365x4x13x181x360", "1x2x13x181x360", "1x1x2x181x360"},
    {4, 8, "365x4x13x181x360", "1x1x13x181x360", "1x1x1x91x360"},
    {3, 2097151, "1000x3", "2x3", "1x1"},
    {3, 2097152, "1000x3", "1x2", "1x1"},
    {3, 4194304, "1000x3", "1x1", "1x1"},
};

static void
check_shape(const char *what, size_t number, const char *expected, const int64_t *actual)
{
    int64_t shape[TESS_MAX_NDIM];
    int ndim = 0;

    assert_true(shape_text(expected, &ndim, shape));
    for (int i = 0; i < ndim; i++)
        if (shape[i] != actual[i])
            fail_msg("machine %d, %s of %d bytes: %s %s, but axis %d has %lld",
                     facts[number].machine, facts[number].shape, (int)facts[number].typesize, what,
                     expected, i, (long long)actual[i]);
}

static void
test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        tess_params p;

        tess_params_init(&p);
        p.typesize = facts[i].typesize;
        assert_true(shape_text(facts[i].shape, &p.ndim, p.shape));
        blosc2_default_choose(&machines[facts[i].machine], &p);
        check_shape("blocks", i, facts[i].block, p.blockshape);
        check_shape("chunks", i, facts[i].chunk, p.chunkshape);
    }
}

static void
test_codec(void **state)
{
    static const uint8_t shuffle[TESS_MAX_FILTERS] = {[TESS_MAX_FILTERS - 1] = TESS_FILTER_SHUFFLE};
    static const uint8_t none[TESS_MAX_FILTERS] = {0};
    tess_params p;

    (void)state;
    tess_params_init(&p);
    p.ndim = 1;
    p.shape[0] = 10;
    p.typesize = 4;
    p.codec = TESS_CODEC_LZ4;
    p.codec_meta = 3;
    p.dictionary = true;
    p.split = TESS_SPLIT_ALWAYS;
    memset(p.filters, TESS_FILTER_DELTA, sizeof p.filters);
    memset(p.filters_meta, 1, sizeof p.filters_meta);
    blosc2_default_choose(&machines[0], &p);
    assert_int_equal(p.codec, TESS_CODEC_ZSTD);
    assert_int_equal(p.codec_meta, 0);
    assert_int_equal(p.clevel, 5);
    assert_int_equal(p.split, TESS_SPLIT_AUTO);
    assert_false(p.dictionary);
    assert_memory_equal(p.filters, shuffle, sizeof shuffle);
    assert_memory_equal(p.filters_meta, none, sizeof none);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_codec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
