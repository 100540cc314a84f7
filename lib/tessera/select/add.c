/*
 * add.c - numbers added to chosen items of a block.
 *
 * Each type has a loop for either byte order. Integers whose sums fit can be subtracted again, bit
 * by bit, so that a failure needs no copy of the block.
 */
#include "select/gather.h"

#include "base/error.h"
#include "base/half.h"
#include "meta/dtype.h"
#include "select/selection.h"

#include <tessera/convert.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- numbers in memory, in either byte order

static inline uint8_t
turn1(uint8_t x)
{
    return x;
}
#define turn2 __builtin_bswap16
#define turn4 __builtin_bswap32
#define turn8 __builtin_bswap64

#define WORD(size, word)                                           \
    static inline word get##size(const uint8_t *at, bool turned)   \
    {                                                              \
        word x;                                                    \
        memcpy(&x, at, sizeof x);                                  \
        return turned ? turn##size(x) : x;                         \
    }                                                              \
    static inline void put##size(uint8_t *at, bool turned, word x) \
    {                                                              \
        x = turned ? turn##size(x) : x;                            \
        memcpy(at, &x, sizeof x);                                  \
    }
WORD(1, uint8_t)
WORD(2, uint16_t)
WORD(4, uint32_t)
WORD(8, uint64_t)

// -- integers

// `limit`: the nearest number of the type to a sum with y that does not fit.
#define WHOLE(name, type, word, size, limit)                                              \
    static inline int64_t add_any_##name(uint8_t *items, const struct pick *p, int64_t n, \
                                         const struct addition *a, bool turned)           \
    {                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                 \
            uint8_t *const at = items + p[i].item * (int64_t)sizeof(type);                \
            const type x = (type)get##size(at, turned);                                   \
            const type y = (type)get##size(a->src + p[i].at * a->src_step, turned);       \
            type sum;                                                                     \
            if (__builtin_add_overflow(x, y, &sum)) {                                     \
                if (a->misfit == TESS_MISFIT_ERROR)                                       \
                    return i;                                                             \
                sum = a->misfit == TESS_MISFIT_SATURATE ? (limit) : sum;                  \
            }                                                                             \
            put##size(at, turned, (word)sum);                                             \
        }                                                                                 \
        return n;                                                                         \
    }                                                                                     \
    static int64_t add_##name(uint8_t *items, const struct pick *p, int64_t n,            \
                              const struct addition *a)                                   \
    {                                                                                     \
        return add_any_##name(items, p, n, a, false);                                     \
    }                                                                                     \
    static int64_t turned_##name(uint8_t *items, const struct pick *p, int64_t n,         \
                                 const struct addition *a)                                \
    {                                                                                     \
        return add_any_##name(items, p, n, a, true);                                      \
    }
WHOLE(i1, int8_t, uint8_t, 1, y < 0 ? INT8_MIN : INT8_MAX)
WHOLE(i2, int16_t, uint16_t, 2, y < 0 ? INT16_MIN : INT16_MAX)
WHOLE(i4, int32_t, uint32_t, 4, y < 0 ? INT32_MIN : INT32_MAX)
WHOLE(i8, int64_t, uint64_t, 8, y < 0 ? INT64_MIN : INT64_MAX)
WHOLE(u1, uint8_t, uint8_t, 1, UINT8_MAX)
WHOLE(u2, uint16_t, uint16_t, 2, UINT16_MAX)
WHOLE(u4, uint32_t, uint32_t, 4, UINT32_MAX)
WHOLE(u8, uint64_t, uint64_t, 8, UINT64_MAX)

#define SUBTRACT(word, size)                                                                      \
    static int64_t subtract##size(uint8_t *items, const struct pick *p, int64_t n,                \
                                  const struct addition *a)                                       \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            uint8_t *const at = items + p[i].item * (size);                                       \
            put##size(                                                                            \
                at, false,                                                                        \
                (word)(get##size(at, false) - get##size(a->src + p[i].at * a->src_step, false))); \
        }                                                                                         \
        return n;                                                                                 \
    }                                                                                             \
    static int64_t subtract_turned##size(uint8_t *items, const struct pick *p, int64_t n,         \
                                         const struct addition *a)                                \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            uint8_t *const at = items + p[i].item * (size);                                       \
            put##size(                                                                            \
                at, true,                                                                         \
                (word)(get##size(at, true) - get##size(a->src + p[i].at * a->src_step, true)));   \
        }                                                                                         \
        return n;                                                                                 \
    }
SUBTRACT(uint8_t, 1)
SUBTRACT(uint16_t, 2)
SUBTRACT(uint32_t, 4)
SUBTRACT(uint64_t, 8)

// Whether one of them is true.
static int64_t
add_b1(uint8_t *items, const struct pick *p, int64_t n, const struct addition *a)
{
    for (int64_t i = 0; i < n; i++) {
        uint8_t *const at = items + p[i].item;
        *at = *at != 0 || a->src[p[i].at * a->src_step] != 0;
    }
    return n;
}

// -- floats

static inline void
add_part_f2(uint8_t *at, const uint8_t *src, bool turned)
{
    const float sum = half_to_float(get2(at, turned)) + half_to_float(get2(src, turned));
    put2(at, turned, half_of_float(sum));
}

static inline void
add_part_f4(uint8_t *at, const uint8_t *src, bool turned)
{
    const uint32_t bits = get4(at, turned), more = get4(src, turned);
    uint32_t word;
    float x, y;
    memcpy(&x, &bits, sizeof x);
    memcpy(&y, &more, sizeof y);
    x += y;
    memcpy(&word, &x, sizeof word);
    put4(at, turned, word);
}

static inline void
add_part_f8(uint8_t *at, const uint8_t *src, bool turned)
{
    const uint64_t bits = get8(at, turned), more = get8(src, turned);
    uint64_t word;
    double x, y;
    memcpy(&x, &bits, sizeof x);
    memcpy(&y, &more, sizeof y);
    x += y;
    memcpy(&word, &x, sizeof word);
    put8(at, turned, word);
}

// An item is `parts` floats of `size` bytes.
#define FLOATS(name, prefix, part, size, parts, turned)                                           \
    static int64_t prefix##_##name(uint8_t *items, const struct pick *p, int64_t n,               \
                                   const struct addition *a)                                      \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            uint8_t *const at = items + p[i].item * (size) * (parts);                             \
            const uint8_t *const src = a->src + p[i].at * a->src_step;                            \
            for (int k = 0; k < (parts); k++)                                                     \
                add_part_##part(at + (ptrdiff_t)k * (size), src + (ptrdiff_t)k * (size), turned); \
        }                                                                                         \
        return n;                                                                                 \
    }
FLOATS(f2, add, f2, 2, 1, false)
FLOATS(f2, turned, f2, 2, 1, true)
FLOATS(f4, add, f4, 4, 1, false)
FLOATS(f4, turned, f4, 4, 1, true)
FLOATS(f8, add, f8, 8, 1, false)
FLOATS(f8, turned, f8, 8, 1, true)
FLOATS(c8, add, f4, 4, 2, false)
FLOATS(c8, turned, f4, 4, 2, true)
FLOATS(c16, add, f8, 8, 2, false)
FLOATS(c16, turned, f8, 8, 2, true)

// -- types

static const struct {
    tess_kind kind;
    int32_t size;
    add_fn *add[2], *subtract[2]; // in the byte order of the machine, in the other one
} types[] = {
    {TESS_KIND_BOOL, 1, {add_b1, add_b1}, {NULL}},
    {TESS_KIND_INT, 1, {add_i1, turned_i1}, {subtract1, subtract_turned1}},
    {TESS_KIND_INT, 2, {add_i2, turned_i2}, {subtract2, subtract_turned2}},
    {TESS_KIND_INT, 4, {add_i4, turned_i4}, {subtract4, subtract_turned4}},
    {TESS_KIND_INT, 8, {add_i8, turned_i8}, {subtract8, subtract_turned8}},
    {TESS_KIND_UINT, 1, {add_u1, turned_u1}, {subtract1, subtract_turned1}},
    {TESS_KIND_UINT, 2, {add_u2, turned_u2}, {subtract2, subtract_turned2}},
    {TESS_KIND_UINT, 4, {add_u4, turned_u4}, {subtract4, subtract_turned4}},
    {TESS_KIND_UINT, 8, {add_u8, turned_u8}, {subtract8, subtract_turned8}},
    {TESS_KIND_FLOAT, 2, {add_f2, turned_f2}, {NULL}},
    {TESS_KIND_FLOAT, 4, {add_f4, turned_f4}, {NULL}},
    {TESS_KIND_FLOAT, 8, {add_f8, turned_f8}, {NULL}},
    {TESS_KIND_COMPLEX, 8, {add_c8, turned_c8}, {NULL}},
    {TESS_KIND_COMPLEX, 16, {add_c16, turned_c16}, {NULL}},
};

bool
addition_init(struct addition *a, const char *dtype, int32_t typesize, int misfit)
{
    *a = (struct addition){.dtype = dtype_parse(dtype), .name = dtype, .misfit = misfit};
    const bool turned = dtype_is_turned(&a->dtype);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == a->dtype.kind && types[i].size == a->dtype.size) {
            a->add = types[i].add[turned];
            a->subtract = misfit == TESS_MISFIT_ERROR ? types[i].subtract[turned] : NULL;
        }
    return a->add && a->dtype.size == typesize;
}

// -- blocks

// A number of an integer type as text.
enum { NUMBER_TEXT = 32 };
static const char *
number_text(const struct addition *a, const uint8_t *item, char *text)
{
    const bool turned = dtype_is_turned(&a->dtype);
    const bool is_signed = a->dtype.kind == TESS_KIND_INT;
    int64_t x = 0;
    if (a->dtype.size == 1)
        x = is_signed ? (int8_t)item[0] : item[0];
    else if (a->dtype.size == 2)
        x = is_signed ? (int16_t)get2(item, turned) : get2(item, turned);
    else if (a->dtype.size == 4)
        x = is_signed ? (int64_t)(int32_t)get4(item, turned) : (int64_t)get4(item, turned);
    else
        x = (int64_t)get8(item, turned);
    snprintf(text, NUMBER_TEXT, is_signed ? "%" PRId64 : "%" PRIu64, x);
    return text;
}

static tess_status
say_misfit(const struct addition *a, const struct pick *p, const uint8_t *items, tess_error *err)
{
    enum { INDEX_TEXT = 160 };
    char x[NUMBER_TEXT], y[NUMBER_TEXT], index[INDEX_TEXT] = "";
    size_t size = 0;
    for (int i = 0; i < a->ndim && size < sizeof index; i++) {
        const int now = snprintf(index + size, sizeof index - size,
                                 i > 0 ? ", %" PRId64 : "%" PRId64, a->coords[p->at * a->ndim + i]);
        size += now > 0 ? (size_t)now : 0;
    }
    number_text(a, items + p->item * a->dtype.size, x);
    number_text(a, a->src + p->at * a->src_step, y);
    return err_set(err, TESS_ERR_LIMIT, -1,
                   "point %" PRId64 ", item [%s]: %s + %s does not fit in %s", p->at, index, x, y,
                   a->name);
}

// The first n picks of a block.
static void
subtract_some(const struct addition *a, const struct selection *s, const struct part *block,
              uint8_t *items, int64_t n)
{
    struct picks p;
    picks_begin(&p, s, block);
    while (n > 0 && picks_next(&p))
        n -= a->subtract(items, p.list, p.n < n ? p.n : n, a);
}

tess_status
add_picks(const struct addition *a, const struct selection *s, const struct part *block,
          uint8_t *items, tess_error *err)
{
    struct picks p;
    int64_t done = 0;
    picks_begin(&p, s, block);
    while (picks_next(&p)) {
        const int64_t n = a->add(items, p.list, p.n, a);
        done += n;
        if (n < p.n) {
            const tess_status st = say_misfit(a, &p.list[n], items, err);
            subtract_some(a, s, block, items, done);
            return st;
        }
    }
    return TESS_OK;
}

void
subtract_picks(const struct addition *a, const struct selection *s, const struct part *block,
               uint8_t *items)
{
    if (a->subtract)
        subtract_some(a, s, block, items, INT64_MAX);
}
