/*
 * blosclz_encode.c - the BloscLZ encoder: one greedy pass with hash tables of positions.
 *
 * The format is described in blosclz_decode.c. Beyond it, what is written here starts with four
 * literals or more, ends with twelve or more, and is made for inputs of 16 bytes or more only:
 * decoders in the field have never seen anything else.
 *
 * The output is the same whatever the table held before.
 */
#include "codec/blosclz.h"

#include "base/bytes.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define MIN_SIZE 16
#define FIRST_LITERALS 4
#define LAST_LITERALS 12
#define RUN 32 // longest literal run

#define NEAR_DISTANCE 8192 // the first far one
#define MAX_DISTANCE 73724 // three less than the format has

#define FAR_MIN 6 // a far match of 5 bytes takes 4

#define WORD 8 // the usual length that is searched for
#define LOG_MAX 13 // two tables of this size

_Static_assert(2u << LOG_MAX == BLOSCLZ_TABLE_SIZE, "the caller brings both tables");

/*
 * Short matches make the smallest output, but one that every decoder reads at half the speed, and
 * looking for them takes time. So the usual levels want words of 8 bytes; the highest fall back on
 * fewer where there is no word. Trying the word first makes their output smaller, too.
 */
static const struct tuning {
    uint8_t step; // bytes between two searches, while there are matches
    uint8_t log; // of the number of entries in a table, at most
    uint8_t min; // shortest match
} tunings[9] = {
    {8, 12, 8}, {2, 12, 8}, {1, 11, 8}, {1, 12, 8}, {1, 13, 8},
    {1, 13, 7}, {1, 13, 6}, {1, 13, 5}, {1, 13, 4},
};

struct search {
    const uint8_t *src;
    uint32_t *words; // hash of a word -> where it was last seen
    uint32_t *parts; // hash of its first `min` bytes -> the same; unused if that is all of them
    unsigned log;
    unsigned min;
};

struct sink {
    uint8_t *at;
    size_t room;
};

// How many bytes from a on, below end, are those from b on; b is before a.
static inline size_t
count_equal(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *const start = a;

    while (end - a >= 8) {
        const uint64_t differ = get_u64le(a) ^ get_u64le(b);
        if (differ)
            return (size_t)(a - start) + (size_t)__builtin_ctzll(differ) / 8;
        a += 8;
        b += 8;
    }
    while (a < end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

// `after` more bytes may be read behind the literals.
static inline bool
put_literals(struct sink *s, const uint8_t *src, size_t count, size_t after)
{
    if (count + (count + RUN - 1) / RUN > s->room)
        return false;
    while (count > 0) {
        const size_t n = count < RUN ? count : RUN;
        *s->at++ = (uint8_t)(n - 1);
        s->room--;
        if (s->room >= RUN && count + after >= RUN)
            memcpy(s->at, src, RUN);
        else
            memcpy(s->at, src, n);
        s->at += n;
        s->room -= n;
        src += n;
        count -= n;
    }
    return true;
}

static inline bool
put_match(struct sink *s, size_t distance, size_t length)
{
    uint8_t *p = s->at;
    size_t more = length - 2;
    const bool is_far = distance >= NEAR_DISTANCE;
    const size_t near = (is_far ? NEAR_DISTANCE : distance) - 1;

    if (more / 255 + 5 > s->room)
        return false;
    if (more < 7) {
        *p++ = (uint8_t)(more << 5 | near >> 8);
    } else {
        *p++ = (uint8_t)(7 << 5 | near >> 8);
        for (more -= 7; more >= 255; more -= 255)
            *p++ = 255;
        *p++ = (uint8_t)more;
    }
    *p++ = (uint8_t)near;
    if (is_far) {
        put_u16be(p, (uint16_t)(distance - NEAR_DISTANCE));
        p += 2;
    }
    s->room -= (size_t)(p - s->at);
    s->at = p;
    return true;
}

static void
search_init(struct search *s, int level, const uint8_t *src, size_t src_size, uint32_t *table)
{
    const struct tuning t = tunings[level - 1];

    *s = (struct search){src, table, table + (1u << LOG_MAX), t.log, t.min};
    // Small inputs get small tables: clearing them would take longer than the search.
    while (s->log > 8 && src_size >> (s->log - 1) == 0)
        s->log--;
    memset(s->words, 0, sizeof *table << s->log);
    if (s->min < WORD)
        memset(s->parts, 0, sizeof *table << s->log);
}

static inline uint32_t *
entry(uint32_t *table, uint64_t v, unsigned log)
{
    return &table[v * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log)];
}

// The bytes in front are the low ones of the word.
static inline uint64_t
part(const struct search *s, uint64_t word)
{
    return word << 8 * (WORD - s->min);
}

static inline void
remember(const struct search *s, size_t pos)
{
    const uint64_t v = get_u64le(s->src + pos);

    *entry(s->words, v, s->log) = (uint32_t)pos;
    if (s->min < WORD)
        *entry(s->parts, part(s, v), s->log) = (uint32_t)pos;
}

// The distance to an earlier place where `min` bytes or more are as at pos (> 0), which is
// remembered; 0 if none is known.
static inline size_t
find(const struct search *s, size_t pos)
{
    const uint64_t v = get_u64le(s->src + pos);
    uint32_t *const word_at = entry(s->words, v, s->log);
    size_t distance = pos - *word_at;
    bool found = get_u64le(s->src + *word_at) == v && distance <= MAX_DISTANCE;

    *word_at = (uint32_t)pos;
    if (s->min < WORD) {
        uint32_t *const part_at = entry(s->parts, part(s, v), s->log);
        if (!found) {
            distance = pos - *part_at;
            found = part(s, get_u64le(s->src + *part_at) ^ v) == 0 && distance <= MAX_DISTANCE;
        }
        *part_at = (uint32_t)pos;
    }
    // Runs of one byte are quick to read when they say so.
    if (found && distance <= WORD && v == (v & 0xff) * 0x0101010101010101 &&
        s->src[pos - 1] == (v & 0xff))
        return 1;
    return found ? distance : 0;
}

size_t
blosclz_encode(int level, const uint8_t *src, size_t src_size, uint8_t *dst, size_t dst_size,
               uint32_t *table)
{
    assert(level >= 1 && level <= 9);
    if (src_size < MIN_SIZE || src_size > UINT32_MAX)
        return 0;

    const unsigned step = tunings[level - 1].step;
    const size_t last = src_size - LAST_LITERALS; // matches end here
    struct search search;
    struct sink sink = {dst, dst_size};
    size_t done = 0; // what is before it has been written
    size_t pos = FIRST_LITERALS;
    unsigned misses = 0;

    search_init(&search, level, src, src_size, table);
    while (pos + WORD <= last) {
        const size_t distance = find(&search, pos);
        size_t start = pos;
        size_t stop = pos;
        if (distance > 0) {
            const size_t low = done > 0 ? done : FIRST_LITERALS;
            stop += search.min;
            stop += count_equal(src + stop, src + stop - distance, src + last);
            while (start > low && start > distance && src[start - 1] == src[start - 1 - distance])
                start--;
        }
        if (stop - start < (distance < NEAR_DISTANCE ? search.min : FAR_MIN)) {
            // Where nothing matches the steps grow, so that noise costs next to nothing.
            pos += step + (misses++ >> 5);
            continue;
        }
        if (!put_literals(&sink, src + done, start - done, src_size - start) ||
            !put_match(&sink, distance, stop - start))
            return 0;
        done = pos = stop;
        remember(&search, pos - 2);
        misses = 0;
    }
    if (!put_literals(&sink, src + done, src_size - done, 0))
        return 0;
    dst[0] |= 1 << 5; // the mark
    return (size_t)(sink.at - dst);
}
