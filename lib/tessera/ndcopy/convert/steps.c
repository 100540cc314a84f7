/*
 * steps.c - what a conversion consists of: one loop after the other over a piece of items.
 */
#include "ndcopy/convert/steps.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

static double
get_double(const uint8_t *src, size_t k)
{
    double x;
    memcpy(&x, src + k * sizeof x, sizeof x);
    return x;
}

static void
put_double(uint8_t *dst, size_t k, double x)
{
    memcpy(dst + k * sizeof x, &x, sizeof x);
}

size_t
step_kernel(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
            size_t n)
{
    (void)mask;
    return s->kernel(dst, src, n * s->parts, s->misfit) / s->parts;
}

size_t
step_scaled(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
            size_t n)
{
    (void)mask;
    return s->scaled(dst, src, n, s->misfit, s->scale, s->offset);
}

size_t
step_unscaled(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
              size_t n)
{
    (void)mask;
    s->unscale(dst, src, n, s->scale, s->offset);
    return n;
}

size_t
step_turned(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
            size_t n)
{
    (void)mask;
    s->turn(dst, src, n * s->parts);
    return n;
}

size_t
step_times(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src, size_t n)
{
    (void)mask;
    return times_convert(dst, src, n, s->misfit, s->ratio);
}

size_t
step_rounded(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
             size_t n)
{
    (void)s;
    (void)mask;
    convert_kernels()->round(dst, src, n);
    return n;
}

// -- floats of 2 bytes

// Infinite is the greatest number, and one.
#define NARROW(name, narrow, infinite)                                                    \
    size_t step_narrow_##name(const struct step *s, struct step_mask *mask, uint8_t *dst, \
                              const uint8_t *src, size_t n)                               \
    {                                                                                     \
        (void)mask;                                                                       \
        for (size_t k = 0; k < n; k++) {                                                  \
            const double wide = get_double(src, k);                                       \
            uint16_t half = narrow(wide);                                                 \
            if ((half & 0x7fff) == (infinite) && !isinf(wide)) {                          \
                if (s->misfit == MISFIT_STOP)                                             \
                    return k;                                                             \
                half = (uint16_t)(half - (s->misfit == MISFIT_SATURATE));                 \
            }                                                                             \
            memcpy(dst + k * sizeof half, &half, sizeof half);                            \
        }                                                                                 \
        return n;                                                                         \
    }
NARROW(f2, half_of_double, 0x7c00)
NARROW(bf16, bfloat16_of_double, 0x7f80)

// 53 bits at most, the last of which is set if what is lost is not 0: so it is no tie where it was
// none.
static double
odd_double(uint64_t x)
{
    return x >> 53 ? (double)(((x >> 11) | ((x & 0x7ff) != 0)) << 11) : (double)x;
}

size_t
step_odd_u8(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
            size_t n)
{
    (void)s;
    (void)mask;
    for (size_t k = 0; k < n; k++) {
        uint64_t x;
        memcpy(&x, src + k * sizeof x, sizeof x);
        put_double(dst, k, odd_double(x));
    }
    return n;
}

size_t
step_odd_i8(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
            size_t n)
{
    (void)s;
    (void)mask;
    for (size_t k = 0; k < n; k++) {
        int64_t x;
        memcpy(&x, src + k * sizeof x, sizeof x);
        put_double(dst, k, x < 0 ? -odd_double(0 - (uint64_t)x) : odd_double((uint64_t)x));
    }
    return n;
}

// -- complex numbers, missing values

#define FLOATS(name, type, number)                                                         \
    size_t step_real_##name(const struct step *s, struct step_mask *mask, uint8_t *dst,    \
                            const uint8_t *src, size_t n)                                  \
    {                                                                                      \
        (void)mask;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            type x[2];                                                                     \
            memcpy(x, src + k * sizeof x, sizeof x);                                       \
            if (s->misfit == MISFIT_STOP && x[1] != 0)                                     \
                return k;                                                                  \
            memcpy(dst + k * sizeof *x, x, sizeof *x);                                     \
        }                                                                                  \
        return n;                                                                          \
    }                                                                                      \
    size_t step_truth_##name(const struct step *s, struct step_mask *mask, uint8_t *dst,   \
                             const uint8_t *src, size_t n)                                 \
    {                                                                                      \
        (void)s;                                                                           \
        (void)mask;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            type x[2];                                                                     \
            memcpy(x, src + k * sizeof x, sizeof x);                                       \
            dst[k] = x[0] != 0 || x[1] != 0;                                               \
        }                                                                                  \
        return n;                                                                          \
    }                                                                                      \
    size_t step_join_##name(const struct step *s, struct step_mask *mask, uint8_t *dst,    \
                            const uint8_t *src, size_t n)                                  \
    {                                                                                      \
        (void)s;                                                                           \
        (void)mask;                                                                        \
        for (size_t k = 0; k < n; k++) {                                                   \
            type x[2] = {0};                                                               \
            memcpy(x, src + k * sizeof *x, sizeof *x);                                     \
            memcpy(dst + k * sizeof x, x, sizeof x);                                       \
        }                                                                                  \
        return n;                                                                          \
    }                                                                                      \
    size_t step_blank_##name(const struct step *s, struct step_mask *mask, uint8_t *dst,   \
                             const uint8_t *src, size_t n)                                 \
    {                                                                                      \
        (void)s;                                                                           \
        (void)src;                                                                         \
        if (mask->any)                                                                     \
            convert_kernels()->blank[number](dst, mask->of, n);                            \
        return n;                                                                          \
    }                                                                                      \
    size_t step_unblank_##name(const struct step *s, struct step_mask *mask, uint8_t *dst, \
                               const uint8_t *src, size_t n)                               \
    {                                                                                      \
        (void)s;                                                                           \
        mask->any = convert_kernels()->any_nan[number](src, n);                            \
        if (!mask->any) {                                                                  \
            memcpy(dst, src, n * sizeof(type));                                            \
            return n;                                                                      \
        }                                                                                  \
        for (size_t k = 0; k < n; k++) {                                                   \
            type x;                                                                        \
            memcpy(&x, src + k * sizeof x, sizeof x);                                      \
            mask->of[k] = (uint8_t)(isnan(x) != 0);                                        \
            x = isnan(x) ? 0 : x;                                                          \
            memcpy(dst + k * sizeof x, &x, sizeof x);                                      \
        }                                                                                  \
        return n;                                                                          \
    }
FLOATS(f4, float, 0)
FLOATS(f8, double, 1)

size_t
step_mark(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src, size_t n)
{
    (void)dst;
    mask->any = s->mark(mask->of, src, n, s->missing);
    return n;
}

size_t
step_zero_f8(const struct step *s, struct step_mask *mask, uint8_t *dst, const uint8_t *src,
             size_t n)
{
    (void)s;
    (void)src;
    for (size_t k = 0; mask->any && k < n; k++)
        if (mask->of[k])
            put_double(dst, k, 0);
    return n;
}

#define PUT(size)                                                                      \
    size_t step_put_##size(const struct step *s, struct step_mask *mask, uint8_t *dst, \
                           const uint8_t *src, size_t n)                               \
    {                                                                                  \
        (void)src;                                                                     \
        for (size_t k = 0; mask->any && k < n; k++)                                    \
            if (mask->of[k])                                                           \
                memcpy(dst + k * (size), s->missing->values[0], (size));               \
        return n;                                                                      \
    }
PUT(1)
PUT(2)
PUT(4)
PUT(8)
