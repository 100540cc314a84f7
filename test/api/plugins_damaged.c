/*
 * plugins_damaged.c - arrays that need codecs and filters of the program, with bytes changed.
 *
 * Random case i is drawn from the seed plus i alone: TESS_TEST_SEED with the number that a failure
 * prints and TESS_TEST_CASES=1 repeat it. TESS_TEST_LONG=1 runs many more.
 */
#include "support/files.h"
#include "support/plugin_arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES = 40, // arrays, each damaged 50 times
    CASES_LONG = 1000,
};

static uint8_t *
image_of(const struct kit *kit, const tess_params *p, const struct reference *r, size_t *size)
{
    const tess_storage storage = place(NULL, TESS_MODE_NEW, kit);
    tess_array *a = NULL;
    ok(tess_array_from(&storage, p, r->data, reference_size(r), &a, err));
    uint8_t *const image = take_image(a, size);
    ok(tess_array_close(a, err));
    return image;
}

static void
damage_is_found(void **state)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;
    size_t size;

    (void)state;
    plain_params(&p);
    plain_items(&r, &p);
    kit_init(&kit, &p);
    reference_copy(&got, &r);
    uint8_t *const image = image_of(&kit, &p, &r, &size);
    const struct self *const self = &kit.codec[0];
    const size_t at = find(image, size, self->made, self->made_size);

    for (size_t i = at; i < at + self->made_size; i++) {
        tess_storage storage = place(NULL, TESS_MODE_READ, &kit);
        tess_array *a = NULL;
        tess_error error;
        storage.image = image;
        storage.image_size = size;
        image[i] ^= 0x10;
        ok(tess_array_open(&storage, &a, err));
        assert_int_equal(read_all(a, &got, &error), TESS_ERR_CORRUPT);
        check_error(&error, TESS_ERR_CORRUPT, "a read");
        if (error.offset < (int64_t)at - 8 || error.offset > (int64_t)i)
            fail_msg("offset %lld, %zu is damaged: %s", (long long)error.offset, i, error.message);
        ok(tess_array_close(a, err));
        image[i] ^= 0x10;
    }
    assert_int_equal(self->refused, self->made_size);
    kit_check(&kit);
    free(image);
    reference_finish(&got);
    reference_finish(&r);
}

// Any byte of a frame: the plugins get memory of the sizes they are told, and what they say counts.
static void
damage_everywhere(int codec, int which)
{
    struct reference r, got;
    tess_params p;
    struct kit kit;
    size_t size;
    int found = 0;

    plain_params(&p);
    p.codec = (tess_codec)codec;
    memset(p.filters, 0, sizeof p.filters);
    p.filters[0] = codec == ITEMS ? 0 : ADD;
    plain_items(&r, &p);
    kit_init(&kit, NULL);
    reference_copy(&got, &r);
    uint8_t *const image = image_of(&kit, &p, &r, &size);

    for (size_t i = 0; i < 4 * size; i++) {
        static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};
        tess_storage storage = place(NULL, TESS_MODE_READ, &kit);
        tess_array *a = NULL;
        tess_error error;
        storage.image = image;
        storage.image_size = size;
        storage.limits.memory = 1 << 20;
        image[i / 4] ^= flips[i % 4];
        const int before = kit.codec[which].refused;
        tess_status st = tess_array_open(&storage, &a, &error);
        tess_info info;
        if (st == TESS_OK) {
            tess_array_info(a, &info);
            if (info.ndim == 2 && info.typesize == 4 && info.shape[0] == 40 && info.shape[1] == 30)
                st = read_all(a, &got, &error);
            if (kit.codec[which].refused > before) {
                assert_int_equal(st, TESS_ERR_CORRUPT);
                assert_true(error.offset >= 0);
                found++;
            }
        }
        if (st != TESS_OK)
            check_error(&error, st, "damage");
        ok(tess_array_close(a, err));
        image[i / 4] ^= flips[i % 4];
    }
    assert_true(found > 100);
    kit_check(&kit);
    free(image);
    reference_finish(&got);
    reference_finish(&r);
}

static void
damage_anywhere(void **state)
{
    (void)state;
    damage_everywhere(RUNS, 0);
    damage_everywhere(ITEMS, 2);
}

// A box in the corner is read, written and cut, if the damaged frame opens at all.
static void
use(const tess_storage *storage)
{
    const int64_t origin[TESS_MAX_NDIM] = {0};
    int64_t stop[TESS_MAX_NDIM] = {0};
    size_t size;
    tess_array *a = NULL;
    tess_error error;
    tess_info info;

    tess_status st = tess_array_open(storage, &a, &error);
    if (st == TESS_OK) {
        tess_array_info(a, &info);
        size = (size_t)info.typesize;
        for (int i = 0; i < info.ndim; i++) {
            const int64_t most = (int64_t)size > plugin_limits.bytes ? 1 : size > 2000 ? 2 : 40;
            stop[i] = info.shape[i] < most ? info.shape[i] : most;
            size *= (size_t)stop[i];
        }
        uint8_t *const items = calloc(size > 0 ? size : 1, 1);
        assert_non_null(items);
        st = tess_array_read(a, origin, stop, items, size, &error);
        if (st == TESS_OK && info.writable)
            st = tess_array_write(a, origin, stop, items, size, &error);
        if (st == TESS_OK && info.writable)
            st = tess_array_resize(a, stop, &error);
        free(items);
    }
    if (st != TESS_OK)
        check_error(&error, st, "damage");
    tess_array_discard(a);
}

static void
damage_of_random_arrays(void **state)
{
    static struct subject s;
    const int64_t n = random_cases(CASES, CASES_LONG);
    const uint64_t seed = random_seed();

    for (int64_t i = 0; i < n; i++) {
        memset(&s, 0, sizeof s);
        s.seed = seed + (uint64_t)i;
        random_init(&s.random, s.seed);
        *state = &s;
        draw_subject(&s);
        kit_init(&s.kit, NULL);
        reference_init(&s.reference, s.params.ndim, s.params.shape, (size_t)s.params.typesize);
        free(s.reference.data);
        s.reference.data = new_items(&s, reference_size(&s.reference));

        tess_storage storage = place(NULL, TESS_MODE_READ, &s.kit);
        uint8_t *const image = image_of(&s.kit, &s.params, &s.reference, &storage.image_size);
        uint8_t *const damaged = malloc(storage.image_size);
        assert_non_null(damaged);
        storage.image = damaged;
        storage.limits.memory = 1 << 22;
        for (int k = 0; k < 50; k++) {
            const int64_t size = (int64_t)storage.image_size;
            memcpy(damaged, image, storage.image_size);
            for (int64_t left = 1 + below(&s.random, 3); left > 0; left--)
                damaged[below(&s.random, one_in(&s.random, 2) && size > 500 ? 500 : size)] ^=
                    (uint8_t)(one_in(&s.random, 2) ? 1 << below(&s.random, 8)
                                                   : below(&s.random, 256));
            storage.mode = k % 2 ? TESS_MODE_UPDATE : TESS_MODE_READ;
            use(&storage);
            kit_check(&s.kit);
        }
        free(damaged);
        free(image);
        reference_finish(&s.reference);
    }
    *state = NULL;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(damage_anywhere),
        cmocka_unit_test_setup_teardown(damage_of_random_arrays, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
