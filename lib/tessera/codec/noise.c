/*
 * noise.c - samples of a stream: do words come again, are all values equally frequent?
 *
 * A sample is one word of each group of 32 bytes, the one that starts at the least byte of the
 * group. Equal stretches of bytes have mostly the same samples, wherever they stand, and stretches
 * of a short period have few different ones (winnowing: Schleimer, Wilkerson, Aiken, 2003). So a
 * word that comes again is found at any distance, in a table of the words seen.
 *
 * The answers are the same on all machines: they decide what is written.
 */
#include "codec/noise.h"

#include "base/bytes.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum {
    GROUP = 32, // bytes, of which one word is looked at
    GROUP_READ = GROUP + 3, // bytes that are read of it, if the word starts at its end
    STEP = 8 * GROUP, // after so many bytes it may be clear what the answer is
    SEEN_LOG_MIN = 7, // of the number of words in the table
    SEEN_LOG_MAX = 13,
    SKIP_SHIFT = 13, // bits of a hash below those that say whether a word is skipped
    SKIP_MAX = 0xffff,
    REPEAT_SHARE = 64, // one word in so many may come again, beyond what happens by chance
    REPEATS_MAX = 8, // with so many more than in noise the answer is clear at once;
    ENOUGH_OF = 3, // with one more, behind one part in so many of the stream
    EXPECTED = 7, // words that are not skipped, at least, of
    EXPECTED_OF = 8, // those that would not be in noise
    MANY_OF = 4, // if more than one word in so many comes again, many do
    REPEATS_SIZE_MIN = 1024, // of a stream
    NOISE_SIZE_MIN = 4096,
};

#define GOLDEN 0x9e3779b1u

// -- repeats

#if !defined(__SSE2__) && !defined(__aarch64__)
#define LOW_BITS UINT64_C(0x0101010101010101)
#define HIGH_BITS (LOW_BITS << 7)

// The lesser one of each pair of bytes.
static inline uint64_t
least_bytes(uint64_t a, uint64_t b)
{
    // The high bit of each byte: whether the lower seven bits of a are not less than those of b.
    const uint64_t low7 = (a | HIGH_BITS) - (b & ~HIGH_BITS);
    const uint64_t not_less = ((a & ~b) | (~(a ^ b) & low7)) & HIGH_BITS;
    const uint64_t take_b = (not_less << 1) - (not_less >> 7);
    return (b & take_b) | (a & ~take_b);
}
#endif

// Where the first of the least bytes of a group is.
static inline unsigned
least_place(const uint8_t *group)
{
#if defined(__SSE2__)
    const __m128i a = _mm_loadu_si128((const void *)group);
    const __m128i b = _mm_loadu_si128((const void *)(group + 16));
    __m128i least = _mm_min_epu8(a, b);
    least = _mm_min_epu8(least, _mm_srli_si128(least, 8));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
    least = _mm_min_epu8(least, _mm_srli_si128(least, 1));
    least = _mm_unpacklo_epi8(least, least);
    least = _mm_shuffle_epi32(_mm_shufflelo_epi16(least, 0), 0);
    const int in_a = _mm_movemask_epi8(_mm_cmpeq_epi8(a, least));
    const int in_b = _mm_movemask_epi8(_mm_cmpeq_epi8(b, least));
    return (unsigned)__builtin_ctz((unsigned)in_a | (unsigned)in_b << 16);
#elif defined(__aarch64__)
    const uint8x16_t a = vld1q_u8(group), b = vld1q_u8(group + 16);
    const uint8x16_t least = vdupq_n_u8(vminvq_u8(vminq_u8(a, b)));
    const uint8x8_t in_a = vshrn_n_u16(vreinterpretq_u16_u8(vceqq_u8(a, least)), 4);
    const uint8x8_t in_b = vshrn_n_u16(vreinterpretq_u16_u8(vceqq_u8(b, least)), 4);
    const uint64_t low = vget_lane_u64(vreinterpret_u64_u8(in_a), 0);
    const uint64_t high = vget_lane_u64(vreinterpret_u64_u8(in_b), 0);
    return low ? (unsigned)__builtin_ctzll(low) / 4 : 16 + (unsigned)__builtin_ctzll(high) / 4;
#else
    uint64_t words[GROUP / 8], least = UINT64_MAX;
    unsigned place = 0;
    for (int i = 0; i < GROUP / 8; i++) {
        words[i] = get_u64le(group + 8 * i);
        least = least_bytes(least, words[i]);
    }
    least = least_bytes(least, least >> 32);
    least = least_bytes(least, least >> 16);
    least = least_bytes(least, least >> 8);
    for (unsigned i = GROUP / 8; i-- > 0;) {
        const uint64_t differ = words[i] ^ (least & 0xff) * LOW_BITS;
        const uint64_t equal = (differ - LOW_BITS) & ~differ & HIGH_BITS; // exact up to the first
        place = equal ? 8 * i + (unsigned)__builtin_ctzll(equal) / 8 : place;
    }
    return place;
#endif
}

// What was looked at so far.
struct look {
    uint32_t mask; // of the bytes of a word that count
    unsigned chance_log; // of two words of noise, one pair in so many is equal
    unsigned log; // of the size of the table
    uint32_t skip; // bits of a hash, of which a word that is looked at has none
    size_t asked, repeats;
    uint32_t seen[1 << SEEN_LOG_MAX];
};

// The table has places for twice the words that are looked at, or more, so that few are displaced
// before they come again. Of a long stream a part of the words is looked at; their hashes decide
// which, so that of equal words all are or none.
static void
look_begin(struct look *k, size_t size)
{
    k->log = SEEN_LOG_MIN;
    while (k->log < SEEN_LOG_MAX && (size_t)GROUP << k->log < 4 * size)
        k->log++;
    k->skip = 0;
    while ((size_t)GROUP << k->log < 2 * (size / (k->skip + 1)) && k->skip < SKIP_MAX)
        k->skip = 2 * k->skip + 1;
    k->asked = k->repeats = 0;
    memset(k->seen, 0, sizeof *k->seen << k->log);
}

// A place of the table is a pair, the latest word and the one before: two words of a short period
// with one place would displace each other each time.
static void
look_at_groups(struct look *k, const uint8_t *src, const uint8_t *end)
{
    const uint32_t mask = k->mask, skip = k->skip;
    const unsigned shift = 32 - k->log;
    size_t asked = 0, repeats = 0;
    for (; src < end; src += GROUP) {
        const uint32_t word = (get_u32le(src + least_place(src)) & mask) + 1; // 0: none
        const uint32_t hash = word * GOLDEN;
        if (hash >> SKIP_SHIFT & skip)
            continue;
        uint32_t *const pair = &k->seen[hash >> shift & ~1u];
        const uint32_t latest = pair[0];
        repeats += latest == word || pair[1] == word;
        pair[0] = word;
        pair[1] = latest == word ? pair[1] : latest;
        asked++;
    }
    k->asked += asked;
    k->repeats += repeats;
}

// How many of so many words of noise come again by chance, and how many more do not matter.
static size_t
repeats_of_noise(const struct look *k, size_t asked)
{
    const size_t table = (size_t)1 << k->log;
    const size_t by_chance = asked * (asked < table ? asked : table) >> k->chance_log;
    return by_chance + asked / REPEAT_SHARE;
}

// Look until the end, or until the answer is clear. Returns whether words come again: those that
// are looked at, or those that are skipped, if more are skipped than in noise.
static bool
comes_again(struct look *k, const uint8_t *src, size_t size)
{
    const size_t end = size - (GROUP_READ - 1); // of the places where a group can start
    size_t at = 0;
    look_begin(k, size);
    const size_t noise = repeats_of_noise(k, size / GROUP / (k->skip + 1)); // in all of it
    while (at < end && k->repeats < noise + (at < end / ENOUGH_OF ? REPEATS_MAX : 1)) {
        const size_t stop = end - at < STEP ? end : at + STEP;
        look_at_groups(k, src + at, src + stop);
        at = stop;
    }
    return k->repeats > repeats_of_noise(k, k->asked) ||
           k->asked < at / GROUP / (k->skip + 1) / EXPECTED_OF * EXPECTED;
}

enum repeats
bytes_repeat(const uint8_t *src, size_t size)
{
    struct look k;
    if (size < REPEATS_SIZE_MIN)
        return REPEATS_MANY;
    k.mask = 0xffffffff;
    k.chance_log = 27;
    if (!comes_again(&k, src, size))
        return REPEATS_NONE;
    // Of a look that ended early the share is extrapolated: a word is the likelier to come again
    // the more words stand before it.
    const uint64_t all = size / GROUP / (k.skip + 1);
    return k.repeats * all * MANY_OF > (uint64_t)k.asked * k.asked ? REPEATS_MANY : REPEATS_FEW;
}

// -- frequencies

enum {
    WINDOW = 4096, // in which all values have to be equally frequent
    RUN = 64, // bytes that are counted
    RUN_EVERY = 256, // of so many
    COUNTED = WINDOW / RUN_EVERY * RUN,
};

/*
 * The sum of the squared frequencies is COUNTED + COUNTED (COUNTED - 1) / 256 = 5116 in the mean
 * for noise, with a deviation of 90. Six deviations above that, the entropy is 7.9 bits a byte:
 * Zstandard stores what it would not make smaller by a 64th.
 */
#define SQUARES_MAX (5116u + 6 * 90)

static bool
is_level(const uint8_t *window)
{
    uint16_t even[256] = {0}, odd[256] = {0};
    uint32_t squares = 0;

    for (int i = 0; i < WINDOW; i += RUN_EVERY)
        for (int k = 0; k < RUN; k += 2) {
            even[window[i + k]]++;
            odd[window[i + k + 1]]++;
        }
    for (int i = 0; i < 256; i++) {
        const uint32_t n = (uint32_t)even[i] + odd[i];
        squares += n * n;
    }
    return squares <= SQUARES_MAX;
}

bool
bytes_are_noise(const uint8_t *src, size_t size)
{
    struct look k;
    if (size < NOISE_SIZE_MIN)
        return false;
    for (size_t at = 0; at + WINDOW <= size; at += WINDOW)
        if (!is_level(src + at))
            return false;
    if (!is_level(src + size - WINDOW))
        return false;
    k.mask = 0xffffff; // encoders with a table of codes gain from three bytes
    k.chance_log = 19;
    return !comes_again(&k, src, size);
}
