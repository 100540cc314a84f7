/*
 * numbers.c - items as numbers of one type.
 *
 * Bytes are swapped first, where they have to be; then there is one plain loop for each type.
 */
#include "data/numbers.h"

#include "base/swap.h"
#include "text/items/real.h"

#include <math.h>
#include <string.h>

bool
numbers_init(struct numbers *n, const char *dtype, int32_t typesize)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const int size = type.kind == TESS_KIND_COMPLEX ? type.size / 2 : type.size;
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;

    *n = (struct numbers){.kind = type.kind, .size = size};
    n->swapped = size > 1 && (type.order == '>') == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    if (type.size != typesize)
        return false;
    switch (type.kind) {
    case TESS_KIND_BOOL:
        return size == 1;
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return whole;
    case TESS_KIND_FLOAT:
        return whole && size >= 2;
    case TESS_KIND_COMPLEX:
        return size == 4 || size == 8;
    case TESS_KIND_DATETIME:
    case TESS_KIND_TIMEDELTA:
        return size == 8;
    default:
        return false;
    }
}

// Items of a C type, at any address.
#define READ(type)                                              \
    do {                                                        \
        for (int64_t i = 0; i < count; i++) {                   \
            type v;                                             \
                                                                \
            memcpy(&v, items + (size_t)i * sizeof v, sizeof v); \
            out[i] = (double)v;                                 \
        }                                                       \
    } while (0)

static void
read_int(int size, const uint8_t *items, int64_t count, double *out)
{
    switch (size) {
    case 1:
        READ(int8_t);
        break;
    case 2:
        READ(int16_t);
        break;
    case 4:
        READ(int32_t);
        break;
    default:
        READ(int64_t);
    }
}

static void
read_uint(int size, const uint8_t *items, int64_t count, double *out)
{
    switch (size) {
    case 1:
        READ(uint8_t);
        break;
    case 2:
        READ(uint16_t);
        break;
    case 4:
        READ(uint32_t);
        break;
    default:
        READ(uint64_t);
    }
}

static void
read_float(int size, const uint8_t *items, int64_t count, double *out)
{
    switch (size) {
    case 2:
        for (int64_t i = 0; i < count; i++) {
            uint16_t bits;

            memcpy(&bits, items + 2 * i, sizeof bits);
            out[i] = real_from_half(bits);
        }
        break;
    case 4:
        READ(float);
        break;
    default:
        READ(double);
    }
}

static void
read_bool(const uint8_t *items, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = items[i] != 0;
}

static void
read_time(const uint8_t *items, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t v;

        memcpy(&v, items + 8 * i, sizeof v);
        out[i] = v == INT64_MIN ? (double)NAN : (double)v;
    }
}

static void
read_complex(int size, const uint8_t *items, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        double parts[2];

        read_float(size, items + 2 * size * i, 2, parts);
        out[i] = hypot(parts[0], parts[1]);
    }
}

void
numbers_read(const struct numbers *n, uint8_t *items, int64_t count, double *out)
{
    if (n->swapped)
        swap_bytes(items,
                   (size_t)(n->kind == TESS_KIND_COMPLEX ? 2 * count : count) * (size_t)n->size,
                   (size_t)n->size);
    switch (n->kind) {
    case TESS_KIND_BOOL:
        read_bool(items, count, out);
        break;
    case TESS_KIND_INT:
        read_int(n->size, items, count, out);
        break;
    case TESS_KIND_UINT:
        read_uint(n->size, items, count, out);
        break;
    case TESS_KIND_FLOAT:
        read_float(n->size, items, count, out);
        break;
    case TESS_KIND_COMPLEX:
        read_complex(n->size, items, count, out);
        break;
    default:
        read_time(items, count, out);
    }
}

double
numbers_round(const struct numbers *n, double v)
{
    return n->kind == TESS_KIND_FLOAT ? real_round(v, n->size) : v;
}
