/*
 * tess_picture_colormap.c - colour maps are looked at as people see them: in CIELAB, from their
 * bytes.
 */
#include "picture/colormap.h"
#include "picture/colorscale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// From the definitions of sRGB and CIELAB, the other way round than the program goes.
static void
lab_of(const uint8_t rgb[3], double lab[3])
{
    static const double matrix[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    double linear[3], bent[3];

    for (int k = 0; k < 3; k++) {
        const double v = rgb[k] / 255.0;
        linear[k] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    for (int k = 0; k < 3; k++) {
        double v = 0, white = 0;

        for (int i = 0; i < 3; i++) {
            v += matrix[k][i] * linear[i];
            white += matrix[k][i];
        }
        v /= white;
        bent[k] = v > pow(6.0 / 29, 3) ? cbrt(v) : v / 3 * pow(29.0 / 6, 2) + 4.0 / 29;
    }
    lab[0] = 116 * bent[1] - 16;
    lab[1] = 500 * (bent[0] - bent[1]);
    lab[2] = 200 * (bent[1] - bent[2]);
}

static double
distance(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void
colors_of(const struct colormap *map, double lab[COLORMAP_SIZE][3])
{
    uint8_t rgb[COLORMAP_SIZE][3];

    colormap_make(map, rgb);
    for (int i = 0; i < COLORMAP_SIZE; i++)
        lab_of(rgb[i], lab[i]);
}

// A byte of sRGB is up to 0.5 wrong in L*.
static void
test_lightness(void **state)
{
    const struct colormap *map;

    (void)state;
    for (size_t n = 0; (map = colormap_at(n)) != NULL; n++) {
        double lab[COLORMAP_SIZE][3];

        colors_of(map, lab);
        for (int i = 4; i < COLORMAP_SIZE; i++) {
            const double grown = lab[i][0] - lab[i - 4][0];
            const bool falls = map->diverging && i > COLORMAP_SIZE / 2;

            if (map->diverging && i >= COLORMAP_SIZE / 2 - 2 && i - 4 <= COLORMAP_SIZE / 2 + 2)
                continue; // the middle
            if (falls ? grown >= 0 : grown <= 0)
                fail_msg("%s: lightness from %d to %d: %g", map->name, i - 4, i, grown);
        }
        assert_true(fabs(lab[COLORMAP_SIZE / 2][0] - lab[0][0]) > 30);
    }
}

// Colours that are as far apart in the map are as far apart to the eye: within 25 %. Bytes of
// sRGB make up half of that, the shorter way through a corner of the path the rest.
#define APART 16

static void
test_steps(void **state)
{
    const struct colormap *map;

    (void)state;
    for (size_t n = 0; (map = colormap_at(n)) != NULL; n++) {
        double lab[COLORMAP_SIZE][3], least = INFINITY, greatest = 0;

        colors_of(map, lab);
        for (int i = APART; i < COLORMAP_SIZE; i++) {
            const double step = distance(lab[i], lab[i - APART]);

            if (map->diverging && i - APART < COLORMAP_SIZE / 2 && i >= COLORMAP_SIZE / 2)
                continue; // there and back
            least = fmin(least, step);
            greatest = fmax(greatest, step);
        }
        if (greatest > 1.25 * least)
            fail_msg("%s: steps from %g to %g", map->name, least, greatest);
        print_message("%s: steps of %d colours from %.2f to %.2f\n", map->name, APART, least,
                      greatest);
    }
}

static void
test_missing_differs(void **state)
{
    const struct colormap *map;

    (void)state;
    for (size_t n = 0; (map = colormap_at(n)) != NULL; n++) {
        double lab[COLORMAP_SIZE][3], missing[3];

        colors_of(map, lab);
        lab_of(map->missing, missing);
        for (int i = 0; i < COLORMAP_SIZE; i++)
            if (distance(lab[i], missing) < 20)
                fail_msg("%s: colour %d looks like that of missing values", map->name, i);
    }
}

static void
test_names(void **state)
{
    const struct colormap *map;

    (void)state;
    for (size_t n = 0; (map = colormap_at(n)) != NULL; n++)
        assert_ptr_equal(colormap_find(map->name), map);
    assert_null(colormap_find("grue"));
}

// The ends of viridis are known, and what of a range gets which colour.
static void
test_scale(void **state)
{
    static const uint8_t first[3] = {68, 1, 84}, last[3] = {253, 231, 37};
    struct colorscale s;

    (void)state;
    colorscale_init(&s, colormap_find("viridis"), -1, 3, false);
    for (int k = 0; k < 3; k++) {
        assert_in_range(s.colors[0][k] + 1, first[k], first[k] + 2);
        assert_in_range(s.colors[COLORMAP_SIZE - 1][k] + 1, last[k], last[k] + 2);
    }
    assert_ptr_equal(colorscale_color(&s, -1), s.colors[0]);
    assert_ptr_equal(colorscale_color(&s, (double)-INFINITY), s.colors[0]);
    assert_ptr_equal(colorscale_color(&s, 1), s.colors[COLORMAP_SIZE / 2]);
    assert_ptr_equal(colorscale_color(&s, 3), s.colors[COLORMAP_SIZE - 1]);
    assert_ptr_equal(colorscale_color(&s, 1e300), s.colors[COLORMAP_SIZE - 1]);
    assert_ptr_equal(colorscale_color(&s, (double)NAN), s.missing);

    colorscale_init(&s, colormap_find("viridis"), 5, 5, false);
    assert_ptr_equal(colorscale_color(&s, 5), s.colors[COLORMAP_SIZE / 2]);
    colorscale_init(&s, colormap_find("viridis"), -1.5e308, 1.5e308, false);
    assert_ptr_equal(colorscale_color(&s, 0), s.colors[COLORMAP_SIZE / 2]);

    colorscale_init(&s, colormap_find("diverging"), -1, 3, false);
    assert_true(s.low == -3 && s.high == 3);
    colorscale_init(&s, colormap_find("diverging"), -1, 3, true);
    assert_true(s.low == -1 && s.high == 3);
    colorscale_init(&s, colormap_find("diverging"), 1, 3, false);
    assert_true(s.low == 1 && s.high == 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lightness),       cmocka_unit_test(test_steps),
        cmocka_unit_test(test_missing_differs), cmocka_unit_test(test_names),
        cmocka_unit_test(test_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
