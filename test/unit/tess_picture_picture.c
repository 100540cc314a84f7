/*
 * tess_picture_picture.c - cells of pictures against counting item by item, and files of them
 * looked at.
 */
#include "picture/figure.h"
#include "picture/picture.h"
#include "support/native.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef HAVE_CAIRO
#include <cairo.h>
#endif

static const struct {
    const char *reason;
    int64_t rows, columns, high, wide; // items, and pixels there is room for
    int64_t box[2], zoom[2];
} plans[] = {
    {"as many items as pixels", 100, 100, 100, 100, {1, 1}, {1, 1}},
    {"enlarged", 3, 5, 100, 100, {1, 1}, {20, 20}},
    {"not enlarged by half", 60, 60, 100, 100, {1, 1}, {1, 1}},
    {"thinned out", 300, 200, 100, 100, {3, 3}, {1, 1}},
    {"one too many", 101, 50, 100, 100, {2, 2}, {1, 1}},
    {"very wide", 10, 1000000, 1024, 1024, {1, 977}, {13, 1}},
    {"very high", 1000000, 1, 40, 80, {25000, 1}, {1, 10}},
    {"one item", 1, 1, 64, 32, {1, 1}, {32, 32}},
    {"one pixel", 17, 9, 1, 1, {17, 9}, {1, 1}},
};

static void
test_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        const struct slice_range sel = {.ndim = 2, .count = {plans[i].rows, plans[i].columns}};
        struct picture p;

        picture_plan(&p, &sel, (int[2]){0, 1}, (int64_t[2]){plans[i].high, plans[i].wide});
        for (int k = 0; k < 2; k++)
            if (p.box[k] != plans[i].box[k] || p.zoom[k] != plans[i].zoom[k])
                fail_msg("%s: box %" PRId64 " and zoom %" PRId64 " along axis %d", plans[i].reason,
                         p.box[k], p.zoom[k], k);
    }
}

#define NDIM 3

// Items of which some are missing: -1, by name.
static float
item_at(int64_t n)
{
    return n % 7 == 3 ? -1 : (float)((n * 2654435761u) % 1000);
}

static tess_array *
make(const int64_t *shape)
{
    const int64_t nitems = shape[0] * shape[1] * shape[2];
    float *items = malloc((size_t)nitems * sizeof *items);
    tess_storage storage;
    tess_params params;
    tess_array *a = NULL;

    assert_non_null(items);
    for (int64_t n = 0; n < nitems; n++)
        items[n] = item_at(n);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = NATIVE "f4";
    params.ndim = NDIM;
    for (int i = 0; i < NDIM; i++) {
        params.shape[i] = shape[i];
        params.chunkshape[i] = 1 + rand() % shape[i];
        params.blockshape[i] = 1 + rand() % params.chunkshape[i];
    }
    assert_int_equal(
        tess_array_from(&storage, &params, items, (size_t)nitems * sizeof *items, &a, NULL),
        TESS_OK);
    free(items);
    return a;
}

// A cell by looking at all items of its box; NaN if all are missing.
static double
slow_cell(const struct picture *p, const struct slice_range *sel, const int64_t *shape,
          enum picture_reduce reduce, int64_t row, int64_t column)
{
    const int64_t at[2] = {row, column};
    double value = 0;
    int64_t found = 0;

    for (int64_t i = 0; i < sel->count[0]; i++)
        for (int64_t j = 0; j < sel->count[1]; j++)
            for (int64_t k = 0; k < sel->count[2]; k++) {
                const int64_t index[NDIM] = {i, j, k};
                int64_t n = 0;
                bool inside = true;

                for (int side = 0; side < 2; side++) {
                    const int axis = p->axes[side];
                    const int64_t spare =
                        sel->count[axis] - 1 - (p->cells[side] - 1) * p->box[side];

                    inside = inside && (reduce == PICTURE_SAMPLE
                                            ? index[axis] == spare / 2 + at[side] * p->box[side]
                                            : index[axis] / p->box[side] == at[side]);
                }
                for (int axis = 0; axis < NDIM; axis++)
                    n = n * shape[axis] + sel->start[axis] + sel->step[axis] * index[axis];
                const double v = (double)item_at(n);
                if (!inside || v == -1)
                    continue;
                if (found++ == 0)
                    value = v;
                else
                    value = reduce == PICTURE_MIN   ? fmin(value, v)
                            : reduce == PICTURE_MAX ? fmax(value, v)
                                                    : value + v;
            }
    if (found == 0)
        return (double)NAN;
    return reduce == PICTURE_MEAN ? value / (double)found : value;
}

static void
check_cells(const struct picture *p, const struct slice_range *sel, const int64_t *shape,
            enum picture_reduce reduce)
{
    double least = (double)NAN, greatest = (double)NAN;

    for (int64_t y = 0; y < picture_pixels(p, 0); y++)
        for (int64_t x = 0; x < picture_pixels(p, 1); x++) {
            const int64_t row = y / p->zoom[0];
            const double expected = slow_cell(
                p, sel, shape, reduce, p->flip ? p->cells[0] - 1 - row : row, x / p->zoom[1]);
            const double v = picture_at(p, y, x);

            if (isnan(v) ? !isnan(expected) : !(fabs(v - expected) <= 1e-9 * fabs(expected)))
                fail_msg("pixel %" PRId64 ",%" PRId64 " is %g, not %g", y, x, v, expected);
            if (isnan(v))
                assert_true(p->has_missing);
            least = fmin(least, v);
            greatest = fmax(greatest, v);
        }
    assert_true(p->least == least || isnan(least));
    assert_true(p->greatest == greatest || isnan(greatest));
}

static void
test_random(void **state)
{
    const unsigned seed = (unsigned)time(NULL);
    const struct missing missing = {
        .count = 1, .values = {-1}, .least = -(double)INFINITY, .most = (double)INFINITY};
    struct numbers numbers;
    tess_error err;

    (void)state;
    print_message("seed %u\n", seed);
    srand(seed);
    assert_true(numbers_init(&numbers, NATIVE "f4", 4));
    for (int round = 0; round < 400; round++) {
        const int64_t shape[NDIM] = {1 + rand() % 9, 1 + rand() % 30, 1 + rand() % 30};
        const int first = rand() % NDIM, second = (first + 1 + rand() % 2) % NDIM;
        const enum picture_reduce reduce = (enum picture_reduce)(rand() % 4);
        struct slice_range sel = {.ndim = NDIM};
        tess_array *a = make(shape);
        struct picked picked;
        struct picture p;

        for (int i = 0; i < NDIM; i++) {
            const bool backwards = rand() % 2;
            const int64_t step = 1 + rand() % 3;

            sel.start[i] = rand() % shape[i];
            sel.count[i] = (backwards ? sel.start[i] : shape[i] - 1 - sel.start[i]) / step + 1;
            if (i != first && i != second && reduce == PICTURE_SAMPLE)
                sel.count[i] = 1;
            sel.step[i] = sel.count[i] == 1 ? 1 : backwards ? -step : step;
        }
        picture_plan(&p, &sel, (int[2]){first, second},
                     (int64_t[2]){1 + rand() % 20, 1 + rand() % 20});
        p.flip = rand() % 2;
        if (picked_init(&picked, a, NULL, &err) != TESS_OK ||
            picture_read(&p, &picked, &sel, reduce, &numbers, &missing, &err) != TESS_OK)
            fail_msg("%s", err.message);
        check_cells(&p, &sel, shape, reduce);
        picture_finish(&p);
        picked_finish(&picked);
        tess_array_discard(a);
    }
}

// One item of each type, in both byte orders, as a double.
static const struct {
    const char *dtype;
    int32_t size;
    uint8_t bytes[16];
    double value;
} items[] = {
    {"|b1", 1, {2}, 1},
    {"|i1", 1, {0xff}, -1},
    {"|u1", 1, {0xff}, 255},
    {"<i2", 2, {0xfe, 0xff}, -2},
    {">i2", 2, {0xff, 0xfe}, -2},
    {">u4", 4, {0x80, 0, 0, 1}, 2147483649.0},
    {"<i8", 8, {0, 0, 0, 0, 0, 0, 0, 0x80}, -0x1p63},
    {"<u8", 8, {0, 0, 0, 0, 0, 0, 0, 0x80}, 0x1p63},
    {"<f2", 2, {0x00, 0xc0}, -2},
    {">f4", 4, {0x3f, 0xc0, 0, 0}, 1.5},
    {">f8", 8, {0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, 1.5},
    {"<c8", 8, {0, 0, 0x40, 0x40, 0, 0, 0x80, 0xc0}, 5}, // 3 - 4j
    {">c8", 8, {0x40, 0x40, 0, 0, 0xc0, 0x80, 0, 0}, 5},
    {"<M8[s]", 8, {7}, 7},
    {"<m8[s]", 8, {0, 0, 0, 0, 0, 0, 0, 0x80}, (double)NAN}, // NaT
};

static void
test_numbers(void **state)
{
    static const char *const others[] = {"|S4", "<U1", "|V4", "[('a', '<i4')]", NULL};
    struct numbers n;

    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        uint8_t pair[32];
        double v[2];

        if (!numbers_init(&n, items[i].dtype, items[i].size))
            fail_msg("%s is no number", items[i].dtype);
        for (int k = 0; k < 2; k++)
            memcpy(pair + k * items[i].size, items[i].bytes, (size_t)items[i].size);
        numbers_read(&n, pair, 2, v);
        for (int k = 0; k < 2; k++)
            if (isnan(items[i].value) ? !isnan(v[k]) : v[k] != items[i].value)
                fail_msg("%s: %g, not %g", items[i].dtype, v[k], items[i].value);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(numbers_init(&n, others[i], 4));
    assert_false(numbers_init(&n, "<f4", 8)); // the type is not that of the items
}

// A fill value stands for no value, unless it is 0 or the option says something else.
static void
test_missing(void **state)
{
    const float fill = -1e34f, zero = 0;
    struct numbers numbers;
    struct missing missing;
    tess_storage storage;
    tess_params params;
    tess_error err;

    (void)state;
    assert_true(numbers_init(&numbers, NATIVE "f4", 4));
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = NATIVE "f4";
    for (int i = 0; i < 2; i++) {
        struct picked picked;
        tess_array *a = NULL;

        assert_int_equal(
            tess_array_full(&storage, &params, i ? &zero : &fill, sizeof fill, &a, NULL), TESS_OK);
        assert_int_equal(picked_init(&picked, a, NULL, &err), TESS_OK);
        assert_int_equal(missing_find(&missing, &picked, &numbers, NULL, &err), TESS_OK);
        assert_int_equal(missing_has(&missing, (double)fill), i == 0);
        assert_false(missing_has(&missing, 0));
        assert_int_equal(missing_find(&missing, &picked, &numbers, "none", &err), TESS_OK);
        assert_false(missing_has(&missing, (double)fill));
        assert_true(missing_has(&missing, (double)NAN));
        assert_int_equal(missing_find(&missing, &picked, &numbers, "3,-1e34", &err), TESS_OK);
        assert_true(missing_has(&missing, (double)fill)); // as a float of 4 bytes
        assert_true(missing_has(&missing, 3));
        picked_finish(&picked);
        tess_array_discard(a);
    }
}

#ifdef HAVE_CAIRO

// As colours are given; NULL beyond the image.
static const uint8_t *
pixel(cairo_surface_t *image, int64_t y, int64_t x, uint8_t rgb[3])
{
    const uint8_t *const row =
        cairo_image_surface_get_data(image) + y * (int64_t)cairo_image_surface_get_stride(image);
    uint32_t color;

    memcpy(&color, row + 4 * x, sizeof color);
    for (int k = 0; k < 3; k++)
        rgb[k] = (uint8_t)(color >> (16 - 8 * k));
    return rgb;
}

// Four cells, one of them missing.
static double values[4] = {0, 1, 4, (double)NAN};
static const struct picture four = {.axes = {0, 1},
                                    .box = {1, 1},
                                    .cells = {2, 2},
                                    .zoom = {50, 40},
                                    .values = values,
                                    .least = 0,
                                    .greatest = 4,
                                    .has_missing = true};

static void
draw(char *path, const char *suffix, struct colorscale *scale, const struct caption *caption)
{
    tess_error err;

    strcpy(path, "/tmp/cli_picture_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    (void)unlink(path);
    colorscale_init(scale, colormap_at(0), 0, 4, false);
    const struct figure_format *const format = figure_format_find(suffix);
    assert_non_null(format);
    assert_int_equal(figure_write(path, format, &four, scale, caption, &err), TESS_OK);
    assert_int_equal(figure_write(path, format, &four, scale, caption, &err),
                     TESS_ERR_IO); // it is there
}

// The cells are found in the file in their colours and places.
static void
test_png(void **state)
{
    const struct caption caption = {.slice = "two by two", .sides = {"y", "x"}, .last = {1, 1}};
    char path[32];
    uint8_t rgb[3];
    struct colorscale scale;

    (void)state;
    draw(path, "a.png", &scale, &caption);
    cairo_surface_t *const image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    const int64_t width = cairo_image_surface_get_width(image);
    const int64_t height = cairo_image_surface_get_height(image);
    assert_true(width > 80 && width < 300 && height > 100 && height < 250);

    // Where the picture is: behind the first pixels of its colour at the top left.
    int64_t top = -1, left = -1;
    for (int64_t i = 0; i < width * height && top < 0; i++)
        if (memcmp(pixel(image, i / width, i % width, rgb), scale.colors[0], 3) == 0) {
            top = i / width;
            left = i % width;
        }
    assert_true(top >= 0);
    for (int64_t y = 0; y < 100; y++)
        for (int64_t x = 0; x < 80; x++)
            assert_memory_equal(pixel(image, top + y, left + x, rgb),
                                colorscale_color(&scale, values[y / 50 * 2 + x / 40]), 3);
    for (int64_t y = -1; y <= 100; y++) { // and the black line around it
        assert_memory_equal(pixel(image, top + y, left - 1, rgb), "\0\0\0", 3);
        assert_memory_equal(pixel(image, top + y, left + 80, rgb), "\0\0\0", 3);
    }

    // All colours are in the bar, which is to the right; and text, which is none of them.
    for (int i = 0; i < COLORMAP_SIZE; i += 8) {
        bool found = false;

        for (int64_t y = 0; y < height && !found; y++)
            for (int64_t x = left + 81; x < width && !found; x++)
                for (int near = i; near < i + 8 && !found; near++)
                    found = memcmp(pixel(image, y, x, rgb), scale.colors[near], 3) == 0;
        if (!found)
            fail_msg("colours from %d on are not in the bar", i);
    }
    int64_t inked = 0; // above the picture
    for (int64_t i = 0; i < (top - 1) * width; i++)
        inked += memcmp(pixel(image, i / width, i % width, rgb), "\377\377\377", 3) != 0;
    assert_true(inked > 50);
    for (int64_t x = 0; x < width; x++) { // nothing is cut off
        assert_memory_equal(pixel(image, 0, x, rgb), "\377\377\377", 3);
        assert_memory_equal(pixel(image, height - 1, x, rgb), "\377\377\377", 3);
    }
    cairo_surface_destroy(image);
    (void)unlink(path);
}

// How often a word comes up in a file.
static int
count(const char *path, const char *word)
{
    char text[1 << 16];
    FILE *const file = fopen(path, "r");
    int n = 0;

    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    for (size_t i = 0; i + strlen(word) <= size; i++)
        n += memcmp(text + i, word, strlen(word)) == 0;
    return n;
}

// Vectors: images for cells and bar, and a shape for each letter that is written.
static void
test_vectors(void **state)
{
    const struct caption plain = {.slice = "s", .sides = {"y", "x"}, .last = {1, 1}};
    const struct caption longer = {
        .title = "\xc3\xa9t\xc3\xa9", .slice = "s", .sides = {"y", "x"}, .last = {1, 1}};
    char path[32];
    struct colorscale scale;

    (void)state;
    draw(path, "a.svg", &scale, &plain);
    assert_int_equal(count(path, "<svg "), 1);
    assert_int_equal(count(path, "<image "), 2);
    const int letters = count(path, "<use xlink:href=\"#glyph");
    (void)unlink(path);
    draw(path, "b.svg", &scale, &longer);
    assert_int_equal(count(path, "<use xlink:href=\"#glyph"), letters + 3);
    (void)unlink(path);
    draw(path, "a.pdf", &scale, &plain);
    assert_int_equal(count(path, "%PDF-"), 1);
    assert_int_equal(count(path, "/Subtype /Image"), 2);
    assert_true(count(path, "/FontFile") > 0); // text can be searched
    (void)unlink(path);
}

#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_missing),
#ifdef HAVE_CAIRO
        cmocka_unit_test(test_png),     cmocka_unit_test(test_vectors),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
