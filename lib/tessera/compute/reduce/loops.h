/*
 * loops.h - the kernels of reductions, for the set of instructions that the file is compiled for.
 *
 * The source that includes this defines REDUCE_KERNELS, the name of the table.
 *
 * Rows that belong to the same cells are added up in a line of memory in the first cache, a few of
 * them at a time, and only the line goes to the cells. So a cell, which is wider than an item, is
 * touched once for many items, and the loop over the rows is one of plain additions.
 */
#include "base/checked.h"
#include "base/exact.h"
#include "compute/reduce/kernels.h"

#include <stddef.h>

enum {
    LINE = 512, // items of a line
    MANY = 16384, // items of 2 bytes that add up in 32 bits
    LANES = 8, // sums of floats that are made side by side
    RUN = 8, // items of each
    WIDTH = 32, // sums of squares that are made side by side
};

_Static_assert(RUN_GROUP_MAX <= LINE / 4, "a line must take some groups of any width");

// -- sums of integers

// Add the items of a line to the sums of their cells.
#define FOLD_SUMS(wide)                                                                     \
    static void fold_##wide(int64_t *restrict sums, const wide *line, int64_t n, int64_t f, \
                            int64_t w)                                                      \
    {                                                                                       \
        if (f == 2 && w == 1) {                                                             \
            for (int64_t k = 0; k < n / 2; k++)                                             \
                sums[k] += (int64_t)line[2 * k] + (int64_t)line[2 * k + 1];                 \
            return;                                                                         \
        }                                                                                   \
        for (int64_t k = 0; k < n; k += f * w, sums += w)                                   \
            for (int64_t c = 0; c < w; c++) {                                               \
                int64_t sum = 0;                                                            \
                for (int64_t j = k + c; j < k + f * w; j += w)                              \
                    sum += (int64_t)line[j];                                                \
                sums[c] += sum;                                                             \
            }                                                                               \
    }

FOLD_SUMS(int32_t)
FOLD_SUMS(int64_t)

// `wide` holds the sum of `most` items, and of LINE cells' worth of those in 64 bits.
#define SUM_WHOLE(name, type, wide, most)                                                     \
    static int64_t total_##name(const type *x, int64_t n)                                     \
    {                                                                                         \
        int64_t all = 0;                                                                      \
        for (int64_t k = 0; k < n;) {                                                         \
            const int64_t stop = min_i64(n, k + (most));                                      \
            wide sum = 0;                                                                     \
            for (; k < stop; k++)                                                             \
                sum += (wide)x[k];                                                            \
            all += (int64_t)sum;                                                              \
        }                                                                                     \
        return all;                                                                           \
    }                                                                                         \
    static void line_##name(wide *restrict line, const type *x, int64_t rows, int64_t stride, \
                            int64_t n)                                                        \
    {                                                                                         \
        for (int64_t k = 0; k < n; k++)                                                       \
            line[k] = (wide)x[k];                                                             \
        for (int64_t r = 1; r < rows; r++)                                                    \
            for (int64_t k = 0; k < n; k++)                                                   \
                line[k] += (wide)x[r * stride + k];                                           \
    }                                                                                         \
    static void sum_##name(const struct cell_row *to, const void *src, int64_t nrows,         \
                           int64_t stride, int64_t n, int64_t f, int64_t w)                   \
    {                                                                                         \
        const type *const x = src;                                                            \
        int64_t *restrict const low = to->low;                                                \
        wide line[LINE];                                                                      \
        if (f > LINE / 4) {                                                                   \
            for (int64_t r = 0; r < nrows; r++)                                               \
                for (int64_t k = 0; k < n; k += f)                                            \
                    low[k / f] += total_##name(x + r * stride + k, f);                        \
            return;                                                                           \
        }                                                                                     \
        const int64_t width = LINE / (f * w) * (f * w);                                       \
        for (int64_t k = 0; k < n; k += width)                                                \
            for (int64_t r = 0; r < nrows; r += (most)) {                                     \
                const int64_t m = min_i64(width, n - k);                                      \
                line_##name(line, x + r * stride + k, min_i64(nrows - r, (most)), stride, m); \
                if (f == 1)                                                                   \
                    for (int64_t i = 0; i < m; i++)                                           \
                        low[k + i] += (int64_t)line[i];                                       \
                else                                                                          \
                    fold_##wide(low + k / f, line, m, f, w);                                  \
            }                                                                                 \
    }

SUM_WHOLE(i1, int8_t, int32_t, MANY)
SUM_WHOLE(i2, int16_t, int32_t, MANY)
SUM_WHOLE(i4, int32_t, int64_t, INT32_MAX)
SUM_WHOLE(u1, uint8_t, int32_t, MANY)
SUM_WHOLE(u2, uint16_t, int32_t, MANY)
SUM_WHOLE(u4, uint32_t, int64_t, INT32_MAX)

#define SUM_WIDE(name, type, half)                                                     \
    static void short_##name(const struct cell_row *to, const type *x, int64_t nrows,  \
                             int64_t stride, int64_t n, int64_t f, int64_t w)          \
    {                                                                                  \
        const int64_t width = LINE / 4 / (f * w) * (f * w);                            \
        int64_t low[LINE / 4], high[LINE / 4];                                         \
        for (int64_t k = 0; k < n; k += width) {                                       \
            const int64_t m = min_i64(width, n - k);                                   \
            for (int64_t i = 0; i < m; i++)                                            \
                low[i] = high[i] = 0;                                                  \
            for (int64_t r = 0; r < nrows; r++)                                        \
                for (int64_t i = 0; i < m; i++) {                                      \
                    low[i] += (int64_t)((uint64_t)x[r * stride + k + i] & UINT32_MAX); \
                    high[i] += (half)(x[r * stride + k + i] >> 32);                    \
                }                                                                      \
            fold_int64_t(to->low + k / f, low, m, f, w);                               \
            fold_int64_t(to->high + k / f, high, m, f, w);                             \
        }                                                                              \
    }                                                                                  \
    static void sum_##name(const struct cell_row *to, const void *src, int64_t nrows,  \
                           int64_t stride, int64_t n, int64_t f, int64_t w)            \
    {                                                                                  \
        if (f > 1 && (f <= RUN || w > 1)) {                                            \
            short_##name(to, src, nrows, stride, n, f, w);                             \
            return;                                                                    \
        }                                                                              \
        for (int64_t r = 0; r < nrows; r++) {                                          \
            const type *const x = (const type *)src + r * stride;                      \
            if (f == 1)                                                                \
                for (int64_t k = 0; k < n; k++) {                                      \
                    to->low[k] += (int64_t)((uint64_t)x[k] & UINT32_MAX);              \
                    to->high[k] += (half)(x[k] >> 32);                                 \
                }                                                                      \
            else                                                                       \
                for (int64_t k = 0; k < n; k += f) {                                   \
                    int64_t low = 0, high = 0;                                         \
                    for (int64_t j = k; j < k + f; j++) {                              \
                        low += (int64_t)((uint64_t)x[j] & UINT32_MAX);                 \
                        high += (half)(x[j] >> 32);                                    \
                    }                                                                  \
                    to->low[k / f] += low;                                             \
                    to->high[k / f] += high;                                           \
                }                                                                      \
        }                                                                              \
    }

SUM_WIDE(i8, int64_t, int32_t)
SUM_WIDE(u8, uint64_t, uint32_t)

// -- sums of floats

// The loop of exact_add() without its question, which keeps it from becoming vectors. Where a sum
// is infinite or NaN, so is what is lost, which exact_value() leaves out.
static void
keep(double *restrict sum, double *restrict lost, const double *restrict x, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const double next = sum[k] + x[k];
        const double back = next - sum[k];
        lost[k] += (sum[k] - (next - back)) + (x[k] - back);
        sum[k] = next;
    }
}

// Sums of the items of a line that belong to the same cell.
static void
fold_double(double *restrict sums, const double *restrict line, int64_t n, int64_t f, int64_t w)
{
    for (int64_t k = 0; k < n; k += f * w, sums += w)
        for (int64_t c = 0; c < w; c++) {
            double sum = line[k + c];
            for (int64_t j = k + w + c; j < k + f * w; j += w)
                sum += line[j];
            sums[c] = sum;
        }
}

#define SUM_FLOAT(name, type)                                                                     \
    static void total_##name(const type *x, int64_t n, double all[2])                             \
    {                                                                                             \
        for (; n >= RUN * LANES; n -= RUN * LANES, x += RUN * LANES) {                            \
            double sum[LANES] = {0};                                                              \
            for (int k = 0; k < RUN * LANES; k += LANES)                                          \
                for (int i = 0; i < LANES; i++)                                                   \
                    sum[i] += (double)x[k + i];                                                   \
            for (int i = 0; i < LANES / 2; i++)                                                   \
                exact_add(all, sum[i] + sum[i + LANES / 2]);                                      \
        }                                                                                         \
        for (; n > 0; n -= RUN, x += RUN) {                                                       \
            double sum = (double)x[0];                                                            \
            for (int64_t i = 1; i < n && i < RUN; i++)                                            \
                sum += (double)x[i];                                                              \
            exact_add(all, sum);                                                                  \
        }                                                                                         \
    }                                                                                             \
    static void line_##name(double *restrict line, const type *x, int64_t rows, int64_t s,        \
                            int64_t n)                                                            \
    {                                                                                             \
        if (rows == RUN) {                                                                        \
            for (int64_t k = 0; k < n; k++)                                                       \
                line[k] = (((double)x[k] + (double)x[k + s]) +                                    \
                           ((double)x[k + 2 * s] + (double)x[k + 3 * s])) +                       \
                          (((double)x[k + 4 * s] + (double)x[k + 5 * s]) +                        \
                           ((double)x[k + 6 * s] + (double)x[k + 7 * s]));                        \
            return;                                                                               \
        }                                                                                         \
        for (int64_t k = 0; k < n; k++)                                                           \
            line[k] = (double)x[k];                                                               \
        for (int64_t r = 1; r < rows; r++)                                                        \
            for (int64_t k = 0; k < n; k++)                                                       \
                line[k] += (double)x[r * s + k];                                                  \
    }                                                                                             \
    static void beside_##name(const struct cell_row *to, const type *x, int64_t nrows,            \
                              int64_t stride, int64_t n, int64_t f, int64_t w)                    \
    {                                                                                             \
        const int64_t width = LINE / (f * w) * (f * w), most = RUN / f;                           \
        double line[LINE], sums[LINE / 2];                                                        \
        if (f > RUN) {                                                                            \
            for (int64_t r = 0; r < nrows; r++)                                                   \
                for (int64_t k = 0; k < n; k += f * w)                                            \
                    for (int64_t j = 0; j < f; j += RUN) {                                        \
                        line_##name(line, x + r * stride + k + j * w, min_i64(f - j, RUN), w, w); \
                        keep(to->sum + k / f, to->lost + k / f, line, w);                         \
                    }                                                                             \
            return;                                                                               \
        }                                                                                         \
        for (int64_t k = 0; k < n; k += width)                                                    \
            for (int64_t r = 0; r < nrows; r += most) {                                           \
                const int64_t m = min_i64(width, n - k);                                          \
                line_##name(line, x + r * stride + k, min_i64(nrows - r, most), stride, m);       \
                fold_double(sums, line, m, f, w);                                                 \
                keep(to->sum + k / f, to->lost + k / f, sums, m / f);                             \
            }                                                                                     \
    }                                                                                             \
    static void sum_##name(const struct cell_row *to, const void *src, int64_t nrows,             \
                           int64_t stride, int64_t n, int64_t f, int64_t w)                       \
    {                                                                                             \
        const type *const x = src;                                                                \
        double line[LINE], pairs[LINE / 2];                                                       \
        if (f > 1 && w > 1) {                                                                     \
            beside_##name(to, x, nrows, stride, n, f, w);                                         \
            return;                                                                               \
        }                                                                                         \
        if (f > RUN) {                                                                            \
            for (int64_t r = 0; r < nrows; r++)                                                   \
                for (int64_t k = 0; k < n; k += f) {                                              \
                    double all[2] = {to->sum[k / f], to->lost[k / f]};                            \
                    total_##name(x + r * stride + k, f, all);                                     \
                    to->sum[k / f] = all[0];                                                      \
                    to->lost[k / f] = all[1];                                                     \
                }                                                                                 \
            return;                                                                               \
        }                                                                                         \
        const int64_t width = LINE / f * f, most = RUN / f;                                       \
        for (int64_t k = 0; k < n; k += width)                                                    \
            for (int64_t r = 0; r < nrows; r += most) {                                           \
                const int64_t m = min_i64(width, n - k);                                          \
                line_##name(line, x + r * stride + k, min_i64(nrows - r, most), stride, m);       \
                if (f == 2)                                                                       \
                    for (int64_t i = 0; i < m / 2; i++)                                           \
                        pairs[i] = line[2 * i] + line[2 * i + 1];                                 \
                else if (f > 2)                                                                   \
                    for (int64_t i = 0; i < m / f; i++) {                                         \
                        pairs[i] = 0;                                                             \
                        for (int64_t j = 0; j < f; j++)                                           \
                            pairs[i] += line[i * f + j];                                          \
                    }                                                                             \
                keep(to->sum + k / f, to->lost + k / f, f == 1 ? line : pairs, m / f);            \
            }                                                                                     \
    }

SUM_FLOAT(f4, float)
SUM_FLOAT(f8, double)

// -- sums, and sums of squares

// `wide` holds the sum of MANY items, `square` that of their squares; of a square, high() goes to
// square_high, if carry.
#define NO_HIGH(p) 0
#define HIGH(p) ((p) >> 32)
#define TIMES_1(y) (uint16_t)((int16_t)(y) * (int16_t)(y))
#define TIMES_I2(y) (uint32_t)((y) * (y))
#define TIMES_U2(y) ((uint32_t)(y) * (uint32_t)(y))
#define TIMES_U4(y) ((uint64_t)(uint32_t)(y) * (uint32_t)(y)) // vectors on all machines, unlike I4
#define TIMES_I4(y) TIMES_U4((int32_t)(y) < 0 ? 0 - (uint32_t)(y) : (uint32_t)(y))
#define SQUARES_WHOLE(name, type, wide, square, times, carry, high)                               \
    static void long_##name(const struct cell_row *to, int64_t cell, const type *x, int64_t n)    \
    {                                                                                             \
        for (int64_t k = 0; k < n;) {                                                             \
            const int64_t stop = min_i64(n, k + MANY);                                            \
            wide sum = 0;                                                                         \
            square low = 0, top = 0;                                                              \
            for (; k < stop; k++) {                                                               \
                const wide y = (wide)x[k];                                                        \
                const square p = times(y);                                                        \
                sum += y;                                                                         \
                low += p;                                                                         \
                top += high(p);                                                                   \
            }                                                                                     \
            to->low[cell] += (int64_t)sum;                                                        \
            to->square_low[cell] += low;                                                          \
            if (carry)                                                                            \
                to->square_high[cell] += top;                                                     \
        }                                                                                         \
    }                                                                                             \
    static inline void rows_##name(int64_t *restrict low, uint64_t *restrict square_low,          \
                                   uint64_t *restrict square_high, const type *restrict x,        \
                                   int64_t rows, int64_t stride, int64_t n)                       \
    {                                                                                             \
        for (int64_t k = 0; k < n; k++) {                                                         \
            wide sum = 0;                                                                         \
            square all = 0, top = 0;                                                              \
            for (int64_t r = 0; r < rows; r++) {                                                  \
                const wide y = (wide)x[r * stride + k];                                           \
                const square p = times(y);                                                        \
                sum += y;                                                                         \
                all += p;                                                                         \
                top += high(p);                                                                   \
            }                                                                                     \
            low[k] += (int64_t)sum;                                                               \
            square_low[k] += all;                                                                 \
            if (carry)                                                                            \
                square_high[k] += top;                                                            \
        }                                                                                         \
    }                                                                                             \
    static void squares_##name(const struct cell_row *to, const void *src, int64_t nrows,         \
                               int64_t stride, int64_t n, int64_t f, int64_t w)                   \
    {                                                                                             \
        const type *x = src;                                                                      \
        int64_t r = 0;                                                                            \
        if (f > 1 && w > 1) {                                                                     \
            for (; r < nrows; r++)                                                                \
                for (int64_t k = 0; k < n; k += f * w)                                            \
                    rows_##name(to->low + k / f, to->square_low + k / f, to->square_high + k / f, \
                                x + r * stride + k, f, w, w);                                     \
            return;                                                                               \
        }                                                                                         \
        if (f > 1) {                                                                              \
            for (; r < nrows; r++)                                                                \
                for (int64_t k = 0; k < n; k += f)                                                \
                    long_##name(to, k / f, x + r * stride + k, f);                                \
            return;                                                                               \
        }                                                                                         \
        for (; r + RUN <= nrows; r += RUN, x += RUN * stride)                                     \
            rows_##name(to->low, to->square_low, to->square_high, x, RUN, stride, n);             \
        for (; r < nrows; r++, x += stride)                                                       \
            rows_##name(to->low, to->square_low, to->square_high, x, 1, stride, n);               \
    }

SQUARES_WHOLE(i1, int8_t, int32_t, uint32_t, TIMES_1, false, NO_HIGH)
SQUARES_WHOLE(i2, int16_t, int32_t, uint64_t, TIMES_I2, false, NO_HIGH)
SQUARES_WHOLE(i4, int32_t, int64_t, uint64_t, TIMES_I4, true, HIGH)
SQUARES_WHOLE(u1, uint8_t, int32_t, uint32_t, TIMES_1, false, NO_HIGH)
SQUARES_WHOLE(u2, uint16_t, int32_t, uint64_t, TIMES_U2, false, NO_HIGH)
SQUARES_WHOLE(u4, uint32_t, int64_t, uint64_t, TIMES_U4, true, HIGH)

// take: of the distance from the shift, what is added.
#define ALL(d) (d)
#define PRESENT(d) ((d) == (d) ? (d) : 0)
#define SQUARES_FLOAT(name, type, take)                                                         \
    static inline void rows_##name(double *restrict sums, double *restrict squares,             \
                                   const double *restrict shift, const type *restrict x,        \
                                   int64_t rows, int64_t stride, int64_t n)                     \
    {                                                                                           \
        for (int64_t k = 0; k < n; k++) {                                                       \
            double sum = 0, square = 0;                                                         \
            for (int64_t r = 0; r < rows; r++) {                                                \
                const double e = (double)x[r * stride + k] - shift[k], d = take(e);             \
                sum += d;                                                                       \
                square += d * d;                                                                \
            }                                                                                   \
            sums[k] += sum;                                                                     \
            squares[k] += square;                                                               \
        }                                                                                       \
    }                                                                                           \
    static void long_##name(const struct cell_row *to, int64_t cell, const type *x, int64_t n)  \
    {                                                                                           \
        double sum[WIDTH] = {0}, squares[WIDTH] = {0}, shift[WIDTH];                            \
        for (int i = 0; i < WIDTH; i++)                                                         \
            shift[i] = to->shift[cell];                                                         \
        while (n >= RUN) {                                                                      \
            const int64_t width = min_i64(n / RUN, WIDTH);                                      \
            rows_##name(sum, squares, shift, x, RUN, width, width);                             \
            n -= RUN * width;                                                                   \
            x += RUN * width;                                                                   \
        }                                                                                       \
        rows_##name(sum, squares, shift, x, 1, 0, n);                                           \
        for (int half = WIDTH / 2; half > 0; half /= 2)                                         \
            for (int i = 0; i < half; i++) {                                                    \
                sum[i] += sum[i + half];                                                        \
                squares[i] += squares[i + half];                                                \
            }                                                                                   \
        to->sum[cell] += sum[0];                                                                \
        to->squares[cell] += squares[0];                                                        \
    }                                                                                           \
    static void name(const struct cell_row *to, const void *src, int64_t nrows, int64_t stride, \
                     int64_t n, int64_t f, int64_t w)                                           \
    {                                                                                           \
        const type *x = src;                                                                    \
        int64_t r = 0;                                                                          \
        if (f > 1 && (w > 1 || f < WIDTH)) {                                                    \
            for (; r < nrows; r++)                                                              \
                for (int64_t k = 0; k < n; k += f * w)                                          \
                    rows_##name(to->sum + k / f, to->squares + k / f, to->shift + k / f,        \
                                x + r * stride + k, f, w, w);                                   \
            return;                                                                             \
        }                                                                                       \
        if (f > 1) {                                                                            \
            for (; r < nrows; r++)                                                              \
                for (int64_t k = 0; k < n; k += f)                                              \
                    long_##name(to, k / f, x + r * stride + k, f);                              \
            return;                                                                             \
        }                                                                                       \
        for (; r + RUN <= nrows; r += RUN, x += RUN * stride)                                   \
            rows_##name(to->sum, to->squares, to->shift, x, RUN, stride, n);                    \
        for (; r < nrows; r++, x += stride)                                                     \
            rows_##name(to->sum, to->squares, to->shift, x, 1, stride, n);                      \
    }

SQUARES_FLOAT(squares_f4, float, ALL)
SQUARES_FLOAT(squares_f8, double, ALL)
SQUARES_FLOAT(present_f4, float, PRESENT)
SQUARES_FLOAT(present_f8, double, PRESENT)

// The first item of each cell in the last row; huge ones would let distances become infinite.
#define SHIFT(name, type)                                                                       \
    static void name(const struct cell_row *to, const void *src, int64_t nrows, int64_t stride, \
                     int64_t n, int64_t f, int64_t w)                                           \
    {                                                                                           \
        const type *const x = (const type *)src + (nrows - 1) * stride;                         \
        for (int64_t k = 0; k < n; k += f * w)                                                  \
            for (int64_t c = 0; c < w; c++) {                                                   \
                const double y = (double)x[k + c];                                              \
                double *const shift = &to->shift[k / f + c];                                    \
                *shift = y > -0x1p1000 && y < 0x1p1000 ? y : *shift;                            \
            }                                                                                   \
    }

SHIFT(shift_f4, float)
SHIFT(shift_f8, double)

// -- extremes

// Rows first, in a line: there groups are of what is left.
#define EXTREME(name, type, better)                                                               \
    static void line_##name(type *restrict line, const type *x, int64_t rows, int64_t stride,     \
                            int64_t n)                                                            \
    {                                                                                             \
        for (int64_t k = 0; k < n; k++)                                                           \
            line[k] = x[k];                                                                       \
        for (int64_t r = 1; r < rows; r++)                                                        \
            for (int64_t k = 0; k < n; k++)                                                       \
                line[k] = x[r * stride + k] better line[k] ? x[r * stride + k] : line[k];         \
    }                                                                                             \
    static void fold_##name(type *restrict best, const type *x, int64_t n, int64_t f, int64_t w)  \
    {                                                                                             \
        for (int64_t k = 0; k < n; k += f * w, best += w)                                         \
            for (int64_t c = 0; c < w; c++) {                                                     \
                type y = best[c];                                                                 \
                for (int64_t j = k + c; j < k + f * w; j += w)                                    \
                    y = x[j] better y ? x[j] : y;                                                 \
                best[c] = y;                                                                      \
            }                                                                                     \
    }                                                                                             \
    static void group_##name(type *restrict best, const type *x, int64_t n, int64_t f, int64_t w) \
    {                                                                                             \
        if (w > 1) {                                                                              \
            fold_##name(best, x, n, f, w);                                                        \
            return;                                                                               \
        }                                                                                         \
        if (f == 2) {                                                                             \
            for (int64_t k = 0; k < n / 2; k++) {                                                 \
                const type y = x[2 * k] better x[2 * k + 1] ? x[2 * k] : x[2 * k + 1];            \
                best[k] = y better best[k] ? y : best[k];                                         \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        for (int64_t k = 0; k < n; k += f) {                                                      \
            type y = best[k / f];                                                                 \
            for (int64_t j = k; j < k + f; j++)                                                   \
                y = x[j] better y ? x[j] : y;                                                     \
            best[k / f] = y;                                                                      \
        }                                                                                         \
    }                                                                                             \
    static void name(const struct cell_row *to, const void *src, int64_t nrows, int64_t stride,   \
                     int64_t n, int64_t f, int64_t w)                                             \
    {                                                                                             \
        type *restrict const best = (type *)(void *)to->best;                                     \
        const type *const x = src;                                                                \
        type line[LINE];                                                                          \
        if (f == 1) {                                                                             \
            for (int64_t r = 0; r < nrows; r++)                                                   \
                for (int64_t k = 0; k < n; k++)                                                   \
                    best[k] = x[r * stride + k] better best[k] ? x[r * stride + k] : best[k];     \
            return;                                                                               \
        }                                                                                         \
        if (nrows == 1 || f > LINE / 4) {                                                         \
            for (int64_t r = 0; r < nrows; r++)                                                   \
                group_##name(best, x + r * stride, n, f, w);                                      \
            return;                                                                               \
        }                                                                                         \
        const int64_t width = LINE / (f * w) * (f * w);                                           \
        for (int64_t k = 0; k < n; k += width) {                                                  \
            const int64_t m = min_i64(width, n - k);                                              \
            line_##name(line, x + k, nrows, stride, m);                                           \
            group_##name(best + k / f, line, m, f, w);                                            \
        }                                                                                         \
    }

EXTREME(min_i1, int8_t, <)
EXTREME(min_i2, int16_t, <)
EXTREME(min_i4, int32_t, <)
EXTREME(min_i8, int64_t, <)
EXTREME(min_u1, uint8_t, <)
EXTREME(min_u2, uint16_t, <)
EXTREME(min_u4, uint32_t, <)
EXTREME(min_u8, uint64_t, <)
EXTREME(max_i1, int8_t, >)
EXTREME(max_i2, int16_t, >)
EXTREME(max_i4, int32_t, >)
EXTREME(max_i8, int64_t, >)
EXTREME(max_u1, uint8_t, >)
EXTREME(max_u2, uint16_t, >)
EXTREME(max_u4, uint32_t, >)
EXTREME(max_u8, uint64_t, >)

// -- floats as bits

// Whether there is a NaN, and for each item whether it is one.
#define FIND_NANS(name, type, rest, infinite)                     \
    static bool name(const void *items, size_t n, uint8_t *mask)  \
    {                                                             \
        const type *const bits = items;                           \
        type any = 0;                                             \
        for (size_t k = 0; k < n; k++)                            \
            any |= (type)((bits[k] & (rest)) > (infinite));       \
        for (size_t k = 0; any && k < n; k++)                     \
            mask[k] = (uint8_t)((bits[k] & (rest)) > (infinite)); \
        return any;                                               \
    }

FIND_NANS(find_nans2, int16_t, INT16_MAX, 0x7c00)
FIND_NANS(find_nans4, int32_t, INT32_MAX, 0x7f800000)
FIND_NANS(find_nans8, int64_t, INT64_MAX, 0x7ff0000000000000)

// Bits of floats to integers that are in the same order, and back.
#define ORDER(name, type, top)                                                     \
    static void name(void *items, size_t n)                                        \
    {                                                                              \
        type *const x = items;                                                     \
        for (size_t k = 0; k < n; k++)                                             \
            x[k] = (type)(x[k] ^ ((x[k] >> (8 * (int)sizeof(type) - 1)) & (top))); \
    }

ORDER(order2, int16_t, INT16_MAX)
ORDER(order4, int32_t, INT32_MAX)
ORDER(order8, int64_t, INT64_MAX)

// -- the table

const struct reduce_kernels REDUCE_KERNELS = {
    .sum_whole = {sum_i1, sum_i2, sum_i4, sum_i8, sum_u1, sum_u2, sum_u4, sum_u8},
    .sum_float = {sum_f4, sum_f8},
    .least = {min_i1, min_i2, min_i4, min_i8, min_u1, min_u2, min_u4, min_u8},
    .greatest = {max_i1, max_i2, max_i4, max_i8, max_u1, max_u2, max_u4, max_u8},
    .squares_whole = {squares_i1, squares_i2, squares_i4, NULL, squares_u1, squares_u2, squares_u4},
    .squares_float = {squares_f4, squares_f8},
    .squares_present = {present_f4, present_f8},
    .shift = {shift_f4, shift_f8},
    .nans = {find_nans2, find_nans4, find_nans8},
    .order = {order2, order4, order8},
};
