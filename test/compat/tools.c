/*
 * tools.c - filters alone, indices, time, and files by path.
 */
#include "compat/compat.h"
#include "support/files.h"
#include "support/random.h"

#include <blosc2/codecs-registry.h>
#include <blosc2/filters-registry.h>
#include <blosc2/tuners-registry.h>

#include <stdlib.h>
#include <sys/stat.h>

enum { BYTES = 3000 };

static bool
bit(const uint8_t *bytes, size_t at)
{
    return bytes[at / 8] >> at % 8 & 1;
}

static void
filters_move_bytes_and_bits(void **state)
{
    static uint8_t items[BYTES], moved[BYTES], back[BYTES];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    for (int round = 0; round < 200; round++) {
        const int32_t size = (int32_t)random_below(&r, BYTES);
        const int32_t typesize = 1 + (int32_t)random_below(&r, round % 2 ? 256 : 8);
        const size_t n = (size_t)(size / typesize), eights = n / 8 * 8;
        random_bytes(&r, items, BYTES);
        memset(moved, 0, BYTES);
        assert_int_equal(blosc2_shuffle(typesize, size, items, moved), size);
        for (size_t i = 0; i < (size_t)size; i++) {
            const size_t item = i / (size_t)typesize, byte = i % (size_t)typesize;
            assert_int_equal(moved[item < n ? byte * n + item : i], items[i]);
        }
        assert_int_equal(blosc2_unshuffle(typesize, size, moved, back), size);
        assert_memory_equal(back, items, (size_t)size);

        assert_int_equal(blosc2_bitshuffle(typesize, size, items, moved), size);
        for (size_t i = 0; i < 8 * (size_t)size; i++) {
            const size_t wide = 8 * (size_t)typesize, item = i / wide;
            const size_t at = item < eights ? i % wide * eights + item : i;
            assert_int_equal(bit(moved, at), bit(items, i));
        }
        assert_int_equal(blosc2_bitunshuffle(typesize, size, moved, back), size);
        assert_memory_equal(back, items, (size_t)size);
    }
}

static void
filters_refuse(void **state)
{
    int32_t (*const functions[])(int32_t, int32_t, const void *, void *) = {
        blosc2_shuffle, blosc2_unshuffle, blosc2_bitshuffle, blosc2_bitunshuffle};
    uint8_t a[8] = {0}, b[8];
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        assert_int_equal(functions[i](0, 8, a, b), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(functions[i](-1, 8, a, b), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(functions[i](257, 8, a, b), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(functions[i](1, -8, a, b), BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(functions[i](1, 8, NULL, b), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(functions[i](1, 8, a, NULL), BLOSC2_ERROR_NULL_POINTER);
        assert_int_equal(functions[i](1, 0, NULL, NULL), 0);
    }
}

// What a chunk holds as filtered bytes is what the function makes: a codec sees it.
static const uint8_t *seen;

static int
look(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
     blosc2_cparams *cparams, const void *chunk)
{
    (void)output, (void)output_len, (void)meta, (void)cparams, (void)chunk;
    assert_memory_equal(input, seen, (size_t)input_len);
    return 0;
}

static int
never(const uint8_t *input, int32_t input_len, uint8_t *output, int32_t output_len, uint8_t meta,
      blosc2_dparams *dparams, const void *chunk)
{
    (void)input, (void)input_len, (void)output, (void)output_len, (void)meta, (void)dparams;
    (void)chunk;
    return BLOSC2_ERROR_FAILURE;
}

static void
filters_are_those_of_chunks(void **state)
{
    static char name[] = "look";
    blosc2_codec codec = {250, name, 250, 1, look, never};
    uint8_t items[1600], moved[1600], chunk[2000];
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    random_bytes(&r, items, sizeof items);
    assert_good(blosc2_register_codec(&codec));
    for (int filter = BLOSC_SHUFFLE; filter <= BLOSC_BITSHUFFLE; filter++) {
        blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
        c.compcode = 250;
        c.typesize = 4;
        c.blocksize = sizeof items;
        c.splitmode = BLOSC_NEVER_SPLIT;
        c.filters[5] = (uint8_t)filter;
        if (filter == BLOSC_SHUFFLE)
            blosc2_shuffle(4, sizeof items, items, moved);
        else
            blosc2_bitshuffle(4, sizeof items, items, moved);
        seen = moved;
        blosc2_context *const cctx = blosc2_create_cctx(c);
        assert_int_equal(blosc2_compress_ctx(cctx, items, sizeof items, chunk, sizeof chunk),
                         sizeof items + 32);
        blosc2_free_ctx(cctx);
    }
    blosc2_destroy();
}

static void
indices(void **state)
{
    int64_t shape[] = {3, 5, 7};
    const int64_t strides[] = {35, 7, 1};
    (void)state;
    for (int64_t i = 0; i < 105; i++) {
        int64_t index[3], again;
        blosc2_unidim_to_multidim(3, shape, i, index);
        assert_true(index[0] == i / 35 && index[1] == i / 7 % 5 && index[2] == i % 7);
        blosc2_multidim_to_unidim(index, 3, strides, &again);
        assert_int_equal(again, i);
    }
    int64_t none = 5;
    blosc2_unidim_to_multidim(0, shape, 1, &none);
    assert_int_equal(none, 5);
    blosc2_multidim_to_unidim(NULL, 0, NULL, &none);
    assert_int_equal(none, 0);
    blosc2_multidim_to_unidim(shape, 3, NULL, &none);
    blosc2_multidim_to_unidim(NULL, 3, strides, &none);
    assert_int_equal(none, 0);
    blosc2_multidim_to_unidim(shape, 3, strides, NULL);
    blosc2_unidim_to_multidim(3, NULL, 1, shape);
    blosc2_unidim_to_multidim(3, shape, 1, NULL);
    assert_int_equal(shape[0], 3);
}

static void
time_passes(void **state)
{
    blosc_timestamp_t start, end;
    (void)state;
    blosc_set_timestamp(&start);
    do
        blosc_set_timestamp(&end);
    while (blosc_elapsed_nsecs(start, end) < 1000);
    const double nsecs = blosc_elapsed_nsecs(start, end);
    assert_true(nsecs >= 1000 && nsecs < 60e9);
    assert_true(blosc_elapsed_secs(start, end) > 0.99e-9 * nsecs);
    assert_true(blosc_elapsed_secs(start, end) < 1.01e-9 * nsecs);
    blosc_set_timestamp(NULL);
}

static char *
path_of(const char *name)
{
    return strdup(files_path(name));
}

static void
paths(void **state)
{
    char *const file = path_of("file"), *const lock = path_of("file.b2lock");
    char *const dir = path_of("dir"), *const in = path_of("dir/in"), *const to = path_of("to");
    (void)state;
    files_write(file, "x", 1);
    assert_good(blosc2_rename_urlpath(file, to));
    assert_true(files_exist(to) && !files_exist(file));
    assert_int_equal(blosc2_rename_urlpath(file, to), BLOSC2_ERROR_FAILURE);
    assert_good(blosc2_rename_urlpath(to, file));
    files_write(lock, "", 0);
    assert_good(blosc2_remove_urlpath(file));
    assert_true(!files_exist(file) && !files_exist(lock));
    assert_good(blosc2_remove_urlpath(file)); // is not there
    assert_good(blosc2_remove_urlpath(NULL));
    assert_good(blosc2_rename_urlpath(NULL, NULL));

    assert_int_equal(mkdir(dir, 0777), 0);
    files_write(in, "x", 1);
    assert_good(blosc2_remove_urlpath(dir));
    assert_false(files_exist(dir));
    assert_int_equal(blosc2_remove_dir(dir), BLOSC2_ERROR_NOT_FOUND);
    assert_int_equal(blosc2_remove_dir(NULL), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc2_remove_dir(""), BLOSC2_ERROR_INVALID_PARAM);
    // What is in a directory inside stays.
    assert_int_equal(mkdir(dir, 0777), 0);
    assert_int_equal(mkdir(in, 0777), 0);
    assert_int_equal(blosc2_remove_dir(dir), BLOSC2_ERROR_FAILURE);
    assert_true(files_exist(in));
    free(file);
    free(lock);
    free(dir);
    free(in);
    free(to);
}

static void
registries(void **state)
{
    (void)state;
    register_codecs();
    register_filters();
    register_tuners();
    assert_int_equal(BLOSC_CODEC_NDLZ, 32);
    assert_int_equal(BLOSC_FILTER_BYTEDELTA, 35);
    assert_int_equal(BLOSC_BTUNE, 32);
}

static void
numbers_change_their_order(void **state)
{
    static const uint8_t big[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    (void)state;
    swap_store(&eight, big, 8);
    assert_true(eight == 0x0001020304050607);
    swap_store(&four, big + 4, 4);
    assert_int_equal(four, 0x04050607);
    swap_store(&two, big + 2, 2);
    assert_int_equal(two, 0x0203);
    four = 0x01020304;
    swap_store(&four, &four, 4); // in place, and there and back
    swap_store(&four, &four, 4);
    assert_int_equal(four, 0x01020304);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_move_bytes_and_bits),
        cmocka_unit_test(filters_refuse),
        cmocka_unit_test(filters_are_those_of_chunks),
        cmocka_unit_test(indices),
        cmocka_unit_test(time_passes),
        cmocka_unit_test_setup_teardown(paths, files_setup, files_teardown),
        cmocka_unit_test(registries),
        cmocka_unit_test(numbers_change_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
