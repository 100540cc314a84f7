/*
 * lz4_loop_vec.h - the loop over sequences, for processors that shuffle bytes by a vector of
 * indices: pshufb, tbl.
 *
 * A source that includes this is compiled for its instruction set (NEON, SSSE3, AVX2), and has
 * defined LOOP, the name of the function.
 *
 * Matches that overlap themselves, common in shuffled data, cost other decoders most: what was just
 * stored is loaded again at another alignment, which waits for the store. Here a match is made of
 * one load, of the 16 bytes that end where it starts, and one shuffle that repeats the last
 * `distance` of them. From distance 16 on the load is that of the match itself, the shuffle copies;
 * so there is no branch on the distance, which cannot be foretold.
 */
#include "codec/lz4/lz4_decode.h"

#include "codec/match.h"

#ifdef __aarch64__
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif
#include <stdbool.h>
#include <stdint.h>

// -- vectors of 16 and 32 bytes

#ifdef __aarch64__

typedef uint8x16_t vec16;

static inline vec16
load16(const uint8_t *p)
{
    return vld1q_u8(p);
}

static inline void
store16(uint8_t *p, vec16 v)
{
    vst1q_u8(p, v);
}

// Indices beyond the vector give 0.
static inline vec16
pick16(vec16 v, vec16 indices)
{
    return vqtbl1q_u8(v, indices);
}

#else

typedef __m128i vec16;

static inline vec16
load16(const uint8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

static inline void
store16(uint8_t *p, vec16 v)
{
    _mm_storeu_si128((void *)p, v);
}

static inline vec16
pick16(vec16 v, vec16 indices)
{
    return _mm_shuffle_epi8(v, indices);
}

#endif

#ifdef __AVX2__

typedef __m256i vec32;

static inline vec32
load32(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

static inline void
store32(uint8_t *p, vec32 v)
{
    _mm256_storeu_si256((void *)p, v);
}

static inline vec32
join32(vec16 low, vec16 high)
{
    return _mm256_set_m128i(high, low);
}

#else // two of 16 bytes

typedef struct {
    vec16 low, high;
} vec32;

static inline vec32
load32(const uint8_t *p)
{
    return (vec32){load16(p), load16(p + 16)};
}

static inline void
store32(uint8_t *p, vec32 v)
{
    store16(p, v.low);
    store16(p + 16, v.high);
}

static inline vec32
join32(vec16 low, vec16 high)
{
    return (vec32){low, high};
}

#endif

// -- the loop

#define INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
    IN_STEP = 20, // token, 16 bytes of literals, distance, one more byte of the length
    OUT_STEP = 48, // 14 literals, 32 bytes of a match
    IN_LONG = 40, // behind literals that take 32 bytes a step
    OUT_LONG = 66,
    MATCH_ROOM = 64, // behind a match that takes 32 bytes a step
    LENGTH_MIN = 4,
    MORE = 15, // in a token: bytes follow that are added
};

// Which of the 16 bytes in front of a match its first 32 bytes are, by distance. Distance 0 makes
// zeros. From 16 on: of the 16 bytes at its source, and of the 16 behind these.
#define Z 0x80
static const uint8_t indices[17][32] = {
    {Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z,
     Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z},
    {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
     15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15},
    {14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15,
     14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15},
    {13, 14, 15, 13, 14, 15, 13, 14, 15, 13, 14, 15, 13, 14, 15, 13,
     14, 15, 13, 14, 15, 13, 14, 15, 13, 14, 15, 13, 14, 15, 13, 14},
    {12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15,
     12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15},
    {11, 12, 13, 14, 15, 11, 12, 13, 14, 15, 11, 12, 13, 14, 15, 11,
     12, 13, 14, 15, 11, 12, 13, 14, 15, 11, 12, 13, 14, 15, 11, 12},
    {10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, 10, 11, 12, 13,
     14, 15, 10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, 10, 11},
    {9,  10, 11, 12, 13, 14, 15, 9,  10, 11, 12, 13, 14, 15, 9,  10,
     11, 12, 13, 14, 15, 9,  10, 11, 12, 13, 14, 15, 9,  10, 11, 12},
    {8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15,
     8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15},
    {7,  8,  9, 10, 11, 12, 13, 14, 15, 7,  8,  9, 10, 11, 12, 13,
     14, 15, 7, 8,  9,  10, 11, 12, 13, 14, 15, 7, 8,  9,  10, 11},
    {6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 6,  7,  8,  9,  10, 11,
     12, 13, 14, 15, 6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 6,  7},
    {5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 5,  6,  7,  8,  9,
     10, 11, 12, 13, 14, 15, 5,  6,  7,  8,  9,  10, 11, 12, 13, 14},
    {4, 5, 6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 4, 5, 6,  7,
     8, 9, 10, 11, 12, 13, 14, 15, 4,  5,  6,  7,  8, 9, 10, 11},
    {3, 4, 5, 6, 7,  8,  9,  10, 11, 12, 13, 14, 15, 3, 4, 5,
     6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 3,  4,  5,  6, 7, 8},
    {2, 3, 4, 5, 6, 7, 8,  9,  10, 11, 12, 13, 14, 15, 2, 3,
     4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 2,  3,  4, 5},
    {1, 2, 3, 4, 5, 6, 7, 8, 9,  10, 11, 12, 13, 14, 15, 1,
     2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1,  2},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
     0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
};
#undef Z

// The largest multiple of the distance up to 32.
static const uint8_t whole_periods[17] = {32, 32, 32, 30, 32, 30, 30, 28, 32,
                                          27, 30, 22, 24, 26, 28, 30, 32};

// Where a loop is, apart from the struct, so that it stays in registers.
struct at {
    const uint8_t *src;
    uint8_t *dst;
};

// More than 32 bytes of a match; MATCH_ROOM behind them. At distances below 64 the period stays in
// registers.
static __attribute__((noinline)) void
copy_long(uint8_t *dst, size_t distance, size_t length)
{
    uint8_t *const stop = dst + length;

    if (distance <= 16) {
        const vec16 v = load16(dst - 16);
        const vec32 twice =
            join32(pick16(v, load16(indices[distance])), pick16(v, load16(indices[distance] + 16)));
        const size_t step = whole_periods[distance];
        for (; dst < stop; dst += step)
            store32(dst, twice);
    } else if (distance < 32) {
        const vec16 head = load16(dst - distance), tail = load16(dst - 16);
        for (; dst < stop; dst += distance) {
            store16(dst + distance - 16, tail);
            store16(dst, head);
        }
    } else if (distance < 64) {
        const vec32 head = load32(dst - distance), tail = load32(dst - 32);
        for (; (size_t)(stop - dst) >= distance; dst += distance) {
            store32(dst + distance - 32, tail);
            store32(dst, head);
            if (dst + distance == stop)
                return;
        }
        for (; dst < stop; dst += 32)
            store32(dst, load32(dst - distance));
    } else {
        for (; dst < stop; dst += 32)
            store32(dst, load32(dst - distance));
    }
}

// Add the bytes that go on with a length; the place behind them, or NULL: it is beyond `room`, or
// the input too short.
INLINE const uint8_t *
read_length(const uint8_t *p, const uint8_t *end, size_t *length, size_t room)
{
    unsigned more;
    do {
        if (p >= end || *length > room)
            return NULL;
        more = *p++;
        *length += more;
    } while (more == 255);
    return p;
}

// 15 literals or more; the place behind them, NULL if they come too near to an end.
INLINE const uint8_t *
long_literals(const struct lz4 *d, const uint8_t *p, uint8_t **dst)
{
    uint8_t *const to = *dst;
    size_t n = MORE;
    p = read_length(p, d->end - IN_LONG, &n, (size_t)(d->stop - to));
    if (!p || (size_t)(d->end - p) < n + IN_LONG || (size_t)(d->stop - to) < n + OUT_LONG)
        return NULL;
    size_t i = 0;
    do {
        store32(to + i, load32(p + i));
        i += 32;
    } while (i < n);
    *dst = to + n;
    return p + n;
}

// One sequence. false: it is left to others, and *at as it was.
INLINE bool
decode_sequence(struct at *at, const struct lz4 *d)
{
    const uint8_t *p = at->src;
    uint8_t *dst = at->dst;
    const unsigned token = *p++;
    const size_t n = token >> 4;

    if (likely(n < MORE)) {
        store16(dst, load16(p));
        p += n;
        dst += n;
    } else {
        p = long_literals(d, p, &dst);
        if (!p)
            return false;
    }

    const size_t distance = get_u16le(p);
    size_t length = token & MORE;
    p += 2;
    if (unlikely(distance > (size_t)(dst - d->first)))
        return false;
    size_t k = distance < 16 ? distance : 16;
    __asm__("" : "+r"(k)); // else a branch is made of it
    const uint8_t *const from = dst - distance + k - 16;
    store16(dst, pick16(load16(from), load16(indices[k])));
    if (likely(length <= 16 - LENGTH_MIN)) {
        *at = (struct at){p, dst + length + LENGTH_MIN};
        return true;
    }
    store16(dst + 16, pick16(load16(from + (k & 16)), load16(indices[k] + 16)));
    if (length == MORE) {
        p = read_length(p, d->end, &length, (size_t)(d->stop - dst));
        if (!p || (size_t)(d->stop - dst) < length + LENGTH_MIN + MATCH_ROOM)
            return false;
        if (length + LENGTH_MIN > 32)
            copy_long(dst, distance, length + LENGTH_MIN);
    }
    *at = (struct at){p, dst + length + LENGTH_MIN};
    return true;
}

void
LOOP(struct lz4 *d)
{
    const uint8_t *const src_far = d->end - IN_STEP;
    const uint8_t *const dst_far = d->wanted < d->stop - OUT_STEP ? d->wanted : d->stop - OUT_STEP;
    struct at at = {d->src, d->dst};

    while (at.src < src_far && at.dst < dst_far && decode_sequence(&at, d))
        continue;
    d->src = at.src;
    d->dst = at.dst;
}
