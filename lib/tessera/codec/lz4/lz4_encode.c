/*
 * lz4_encode.c - the LZ4 encoder: one greedy pass with a hash table of positions.
 *
 * The block format is described in lz4_decode.c. Beyond it, decoders rely on this: the last match
 * starts 12 bytes before the end or earlier, and the last 5 bytes are literals.
 *
 * The library looks for matches of 4 bytes. Shuffled items have many of them; each saves one byte,
 * and takes an encoder and a decoder as long as a match of any length. Here a match has 6 bytes or
 * more. Streams with many repeats get 5 to 35 % smaller, since the table remembers the positions of
 * longer words, and fewer matches leave time to search more positions.
 *
 * Few branches depend on the data, since a mispredicted one costs more than the work it saves:
 * there is none for up to 64 literals, for a match of up to 32 bytes, and for up to 8 bytes by
 * which a match starts before the position that was searched.
 *
 * Tried and not better: two positions at once, and two streams in turns, with matches of 4 bytes
 * (1.1 to 1.3 times as fast on streams with many repeats only); matches of 5, 7 or 8 bytes (0.9 to
 * 1.0 of the speed at the same size of the output); lengths by words of 8 bytes (0.8).
 */
#include "codec/lz4/lz4_encode.h"

#include "base/bytes.h"
#include "codec/codec.h"
#include "codec/match.h"

#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
    SHORTEST = 6, // match that is looked for
    LENGTH_MIN = 4, // what a token counts from
    MORE = 15, // in a token: bytes follow that are added
    LAST_LITERALS = 5,
    LAST_MATCH = 12, // bytes before the end, where it starts at the latest
    WIDE = 32, // bytes that are compared or copied at once
    LITERALS = 64, // that are copied without a loop
    SEQUENCE_ROOM = LITERALS + 8, // more than a sequence takes, with what is written behind it
    FAR = 80, // bytes in front of the end, from where on no step reads beyond it
    TABLE_LOG_MIN = 8,
    TABLE_LOG_MAX = 13,
    PATIENCE = 6, // log of the misses after which the step grows by one
};

_Static_assert(1 << TABLE_LOG_MAX == LZ4_TABLE_SIZE, "the caller brings all entries");
_Static_assert((int)SEQUENCE_ROOM <= CODEC_SLACK, "so much more than a block needs is enough");

// A stream that is encoded.
struct stream {
    const uint8_t *src, *end;
    const uint8_t *at; // where to look next
    const uint8_t *done; // literals from here on are not yet written
    uint8_t *dst, *stop;
    uint16_t *table; // the position where a hash was seen last; 0 may be none
    unsigned shift; // of a hash
};

// The table is no larger than what can be in it: clearing it takes time.
static struct stream
stream_begin(const uint8_t *src, size_t size, uint8_t *dst, size_t dst_size, uint16_t *table)
{
    unsigned log = TABLE_LOG_MIN;
    while (log < TABLE_LOG_MAX && (size_t)2 << log < size)
        log++;
    memset(table, 0, sizeof *table << log);
    return (struct stream){
        .src = src,
        .end = src + size,
        .at = size > 0 ? src + 1 : src,
        .done = src,
        .dst = dst,
        .stop = dst + dst_size,
        .table = table,
        .shift = 64 - log,
    };
}

// The bytes that a match has at least are the lower ones of a word; the others do not count.
INLINE bool
same_word(uint64_t a, uint64_t b)
{
    return (a ^ b) << (64 - 8 * SHORTEST) == 0;
}

INLINE uint16_t *
slot_of(const struct stream *s, uint64_t word)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15) << (64 - 8 * SHORTEST);
    return &s->table[word * factor >> s->shift];
}

// -- lengths of matches

// How many of 32 bytes are equal before the first that is not; 32: all.
INLINE unsigned
count_equal_wide(const uint8_t *a, const uint8_t *b)
{
#if defined(__SSE2__)
    const __m128i low =
        _mm_cmpeq_epi8(_mm_loadu_si128((const void *)a), _mm_loadu_si128((const void *)b));
    const __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)(a + 16)),
                                        _mm_loadu_si128((const void *)(b + 16)));
    const uint32_t differ =
        ~((uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16);
    return likely(differ != 0) ? (unsigned)__builtin_ctz(differ) : WIDE;
#elif defined(__aarch64__)
    const uint8x16_t low = vceqq_u8(vld1q_u8(a), vld1q_u8(b));
    const uint8x16_t high = vceqq_u8(vld1q_u8(a + 16), vld1q_u8(b + 16));
    const uint8x16_t both = vcombine_u8(vshrn_n_u16(vreinterpretq_u16_u8(low), 4),
                                        vshrn_n_u16(vreinterpretq_u16_u8(high), 4));
    const uint64_t first = ~vgetq_lane_u64(vreinterpretq_u64_u8(both), 0);
    const uint64_t second = ~vgetq_lane_u64(vreinterpretq_u64_u8(both), 1);
    if (unlikely((first | second) == 0))
        return WIDE;
    return first ? (unsigned)__builtin_ctzll(first) / 4
                 : 16 + (unsigned)__builtin_ctzll(second) / 4;
#else
    for (unsigned i = 0; i < WIDE; i += 8) {
        const uint64_t differ = get_u64le(a + i) ^ get_u64le(b + i);
        if (differ)
            return i + (unsigned)__builtin_ctzll(differ) / 8;
    }
    return WIDE;
#endif
}

// The length of a match of which 32 bytes are equal.
static __attribute__((noinline)) size_t
count_long(const uint8_t *at, const uint8_t *match, const uint8_t *end)
{
    const uint8_t *const last = end - LAST_LITERALS;
    size_t n = WIDE;
    while ((size_t)(last - at) >= n + WIDE) {
        const unsigned more = count_equal_wide(at + n, match + n);
        n += more;
        if (more < WIDE)
            return n;
    }
    return n + match_length(at + n, match + n, last);
}

// How many bytes in front of a match are equal, too, and not yet written.
INLINE size_t
count_equal_back(const struct stream *s, const uint8_t *match)
{
    const size_t most = (size_t)(s->at - s->done);
    size_t n = 0;
    if (likely(match - s->src >= 8)) {
        const uint64_t differ = get_u64le(s->at - 8) ^ get_u64le(match - 8);
        n = differ ? (size_t)__builtin_clzll(differ) / 8 : 8;
        n = n < most ? n : most;
        if (likely(n < 8))
            return n;
    }
    while (n < most && match - n > s->src && s->at[-1 - (ptrdiff_t)n] == match[-1 - (ptrdiff_t)n])
        n++;
    return n;
}

// -- writing

INLINE uint8_t *
put_more(uint8_t *dst, size_t length)
{
    for (; length >= 255; length -= 255)
        *dst++ = 255;
    *dst++ = (uint8_t)length;
    return dst;
}

// The token and the literals in front of a match that is far from the end.
INLINE uint8_t *
lz4_put_literals_wide(uint8_t *dst, const uint8_t *src, size_t n)
{
    uint8_t *const token = dst++;
    if (likely(n <= LITERALS)) {
        *token = (uint8_t)((n < MORE ? n : MORE) << 4);
        *dst = (uint8_t)(n - MORE);
        dst += n >= MORE;
        memcpy(dst, src, LITERALS);
        return dst + n;
    }
    *token = MORE << 4;
    dst = put_more(dst, n - MORE);
    for (size_t i = 0; i < n; i += WIDE)
        memcpy(dst + i, src + i, WIDE);
    return dst + n;
}

static uint8_t *
lz4_put_literals(uint8_t *dst, const uint8_t *src, size_t n)
{
    *dst++ = (uint8_t)((n < MORE ? n : MORE) << 4);
    if (n >= MORE)
        dst = put_more(dst, n - MORE);
    memcpy(dst, src, n);
    return dst + n;
}

INLINE uint8_t *
put_length(uint8_t *dst, uint8_t *token, size_t distance, size_t length)
{
    const size_t n = length - LENGTH_MIN;
    dst[0] = (uint8_t)distance;
    dst[1] = (uint8_t)(distance >> 8);
    dst += 2;
    *token |= (uint8_t)(n < MORE ? n : MORE);
    if (likely(n < MORE + 255)) {
        *dst = (uint8_t)(n - MORE);
        return dst + (n >= MORE);
    }
    return put_more(dst, n - MORE);
}

// -- far from the end

/*
 * The next match; s->at is where it was found. NULL: there is none, s->at is near the end. The hash
 * of the next position is computed before it is known whether this one matches.
 *
 * The step grows by one every 64 misses, in LZ4_ENCODE_MAX bytes to the root of 2048 +
 * acceleration^2: less than FAR - 8.
 */
INLINE const uint8_t *
find_match(struct stream *s, unsigned acceleration)
{
    const uint8_t *const far = s->end - FAR;
    const uint8_t *next = s->at;
    uint64_t word = get_u64le(next);
    uint16_t *slot = slot_of(s, word);
    unsigned step = 1, misses = acceleration << PATIENCE;

    for (;;) {
        const uint8_t *const at = next;
        if (unlikely(at >= far)) {
            s->at = at;
            return NULL;
        }
        next = at + step;
        step = misses++ >> PATIENCE;
        const uint64_t next_word = get_u64le(next);
        uint16_t *const next_slot = slot_of(s, next_word);
        const uint8_t *const match = s->src + *slot;
        *slot = (uint16_t)(at - s->src);
        if (same_word(get_u64le(match), word)) {
            s->at = at;
            return match;
        }
        word = next_word;
        slot = next_slot;
    }
}

// Write a match of s->at, and go on behind it. false: there is no room. literals is s->at -
// s->done; behind another match a constant 0, so that nothing of literals is compiled there.
INLINE bool
lz4_put_match(struct stream *s, const uint8_t *match, size_t literals)
{
    size_t length = count_equal_wide(s->at, match);
    if (unlikely(length == WIDE))
        length = count_long(s->at, match, s->end);
    const size_t more = likely(literals + length < 255) ? 0 : (literals + length) / 255;
    if (unlikely((size_t)(s->stop - s->dst) < literals + more + SEQUENCE_ROOM))
        return false;
    uint8_t *const token = s->dst;
    uint8_t *dst = token + 1;
    if (literals > 0)
        dst = lz4_put_literals_wide(token, s->done, literals);
    else
        *token = 0;
    s->dst = put_length(dst, token, (size_t)(s->at - match), length);
    s->at += length;
    s->done = s->at;
    return true;
}

// The match of the position behind the last one; NULL: there is none.
INLINE const uint8_t *
match_behind(const struct stream *s)
{
    if (s->end - s->at <= FAR)
        return NULL;
    const uint64_t word = get_u64le(s->at);
    uint16_t *const slot = slot_of(s, word);
    const uint8_t *const match = s->src + *slot;
    *slot_of(s, get_u64le(s->at - 2)) = (uint16_t)(s->at - 2 - s->src);
    *slot = (uint16_t)(s->at - s->src);
    return same_word(get_u64le(match), word) ? match : NULL;
}

INLINE bool
encode_far(struct stream *s, unsigned acceleration)
{
    while (s->end - s->at > FAR) {
        const uint8_t *match = find_match(s, acceleration);
        if (!match)
            break;
        const size_t before = count_equal_back(s, match);
        s->at -= before;
        match -= before;
        if (!lz4_put_match(s, match, (size_t)(s->at - s->done)))
            return false;
        while ((match = match_behind(s)))
            if (!lz4_put_match(s, match, 0))
                return false;
        s->at++;
    }
    return true;
}

// -- near the end

static bool
lz4_put_match_near(struct stream *s, const uint8_t *match)
{
    const size_t literals = (size_t)(s->at - s->done);
    const size_t length = match_length(s->at, match, s->end - LAST_LITERALS);
    uint8_t *const token = s->dst;
    if ((size_t)(s->stop - token) < literals + literals / 255 + length / 255 + 12)
        return false;
    s->dst = put_length(lz4_put_literals(token, s->done, literals), token, (size_t)(s->at - match),
                        length);
    s->at += length;
    s->done = s->at;
    return true;
}

static bool
encode_near(struct stream *s)
{
    while (s->end - s->at >= LAST_MATCH) {
        const uint64_t word = get_u64le(s->at);
        uint16_t *const slot = slot_of(s, word);
        const uint8_t *const match = s->src + *slot;
        *slot = (uint16_t)(s->at - s->src);
        if (match >= s->at || !same_word(get_u64le(match), word))
            s->at++;
        else if (!lz4_put_match_near(s, match))
            return false;
    }
    const size_t n = (size_t)(s->end - s->done);
    if ((size_t)(s->stop - s->dst) < n + n / 255 + 2)
        return false;
    s->dst = lz4_put_literals(s->dst, s->done, n);
    return true;
}

size_t
lz4_encode(const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
           unsigned acceleration, uint16_t *table)
{
    struct stream s = stream_begin(src, src_size, dst, dst_size, table);
    const bool fits = encode_far(&s, acceleration) && encode_near(&s);
    return fits ? (size_t)(s.dst - dst) : 0;
}
