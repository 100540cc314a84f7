/*
 * compare.c - items of two arrays, as values.
 *
 * Runs of equal bytes are passed over first: most of what is compared is equal.
 */
#include "data/compare.h"

#include <math.h>
#include <string.h>

enum { RUN_SIZE = 4096 }; // bytes

static bool
is_time(const tess_dtype *type)
{
    return type->kind == TESS_KIND_DATETIME || type->kind == TESS_KIND_TIMEDELTA;
}

bool
compare_init(struct comparison *c, const char *a_dtype, int32_t a_typesize, const char *b_dtype,
             int32_t b_typesize)
{
    *c = (struct comparison){.largest = -1};
    const char *const a_known = a_dtype && a_dtype[0] ? a_dtype : b_dtype;
    const char *const b_known = b_dtype && b_dtype[0] ? b_dtype : a_known;
    item_format_init(&c->a, a_known, a_typesize);
    item_format_init(&c->b, b_known, b_typesize);
    if (a_typesize != b_typesize || c->a.type.kind != c->b.type.kind)
        return false;
    if (c->a.type.kind == TESS_KIND_OPAQUE)
        return a_known == b_known || strcmp(a_known, b_known) == 0;
    return !is_time(&c->a.type) || strcmp(c->a.unit, c->b.unit) == 0;
}

void
compare_finish(struct comparison *c)
{
    item_format_finish(&c->a);
    item_format_finish(&c->b);
}

bool
compare_has_numbers(const struct comparison *c)
{
    switch (c->a.type.kind) {
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
    case TESS_KIND_FLOAT:
    case TESS_KIND_COMPLEX:
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        return true;
    default:
        return false;
    }
}

// How far apart two numbers are; NaN if one of them is not a number. *scale: the larger magnitude.

static double
differ_signed(const struct comparison *c, const uint8_t *a, const uint8_t *b, double *scale)
{
    const int64_t x = item_load_signed(a, c->a.typesize, c->a.type.order);
    const int64_t y = item_load_signed(b, c->b.typesize, c->b.type.order);

    if (is_time(&c->a.type) && (x == INT64_MIN) != (y == INT64_MIN))
        return (double)NAN;
    *scale = fmax(fabs((double)x), fabs((double)y));
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

static double
differ_unsigned(const struct comparison *c, const uint8_t *a, const uint8_t *b, double *scale)
{
    const uint64_t x = item_load(a, c->a.typesize, c->a.type.order);
    const uint64_t y = item_load(b, c->b.typesize, c->b.type.order);

    *scale = (double)(x > y ? x : y);
    return (double)(x > y ? x - y : y - x);
}

static double
differ_real(double x, double y, double *scale)
{
    *scale = fmax(fabs(x), fabs(y));
    if (x == y || (isnan(x) && isnan(y)))
        return 0;
    return fabs(x - y);
}

static double
differ_complex(const struct comparison *c, const uint8_t *a, const uint8_t *b, double *scale)
{
    const int half = c->a.typesize / 2;
    const double x_real = item_load_real(a, half, c->a.type.order);
    const double x_imag = item_load_real(a + half, half, c->a.type.order);
    const double y_real = item_load_real(b, half, c->b.type.order);
    const double y_imag = item_load_real(b + half, half, c->b.type.order);
    double unused;

    *scale = fmax(hypot(x_real, x_imag), hypot(y_real, y_imag));
    const double real = differ_real(x_real, y_real, &unused);
    const double imag = differ_real(x_imag, y_imag, &unused);
    return isnan(real) || isnan(imag) ? (double)NAN : hypot(real, imag);
}

static double
differ(const struct comparison *c, const uint8_t *a, const uint8_t *b, double *scale)
{
    switch (c->a.type.kind) {
    case TESS_KIND_UINT:
        return differ_unsigned(c, a, b, scale);
    case TESS_KIND_FLOAT:
        return differ_real(item_load_real(a, c->a.typesize, c->a.type.order),
                           item_load_real(b, c->b.typesize, c->b.type.order), scale);
    case TESS_KIND_COMPLEX:
        return differ_complex(c, a, b, scale);
    default:
        return differ_signed(c, a, b, scale);
    }
}

// Characters in either byte order.
static bool
same_text(const struct comparison *c, const uint8_t *a, const uint8_t *b)
{
    for (int32_t i = 0; i < c->a.typesize; i += 4)
        if (item_load(a + i, 4, c->a.type.order) != item_load(b + i, 4, c->b.type.order))
            return false;
    return true;
}

static bool
is_equal(struct comparison *c, const uint8_t *a, const uint8_t *b)
{
    double scale = 0;

    if (c->a.type.kind == TESS_KIND_BOOL)
        return (*a != 0) == (*b != 0);
    if (c->a.type.kind == TESS_KIND_UNICODE)
        return same_text(c, a, b);
    if (!compare_has_numbers(c))
        return memcmp(a, b, (size_t)c->a.typesize) == 0;

    const double d = differ(c, a, b, &scale);
    if (d == 0)
        return true;
    if (d > c->largest)
        c->largest = d;
    return isfinite(d) && (d <= c->tolerance || d <= c->relative * scale);
}

int64_t
compare_next(struct comparison *c, const uint8_t *a, const uint8_t *b, int64_t from, int64_t n)
{
    const int64_t size = c->a.typesize;
    const int64_t run = size < RUN_SIZE ? RUN_SIZE / size : 1; // items
    const bool same_order = c->a.type.order == c->b.type.order;

    for (int64_t i = from; i < n;) {
        const int64_t end = n - i < run ? n : i + run;

        if (same_order && memcmp(a + i * size, b + i * size, (size_t)((end - i) * size)) == 0)
            i = end;
        for (; i < end; i++)
            if (!is_equal(c, a + i * size, b + i * size))
                return i;
    }
    return n;
}
