/*
 * blosclz.c - the BloscLZ encoder, and BloscLZ as one of the codecs.
 *
 * The encoder makes one greedy pass with a hash table of positions.
 *
 * The format is described in blosclz_decode.c. Beyond it, what is written here starts with four
 * literals or more, ends with three or more, has matches of six bytes or more, and is made for
 * inputs of 16 bytes or more only: decoders in the field have never seen anything else. (What they
 * need is one literal at the end. None of them writes beyond its output, whatever comes last.)
 *
 * The output is the same whatever the table held before.
 */
#include "codec/private.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/codecs.h"
#include "codec/match.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define MIN_SIZE 16
#define FIRST_LITERALS 4
#define LAST_LITERALS 3
#define LAST_SEARCH 12 // bytes before the end
#define RUN 32 // longest literal run

#define NEAR_DISTANCE 8192 // the first far one
#define MAX_DISTANCE 73724 // three less than the format has

#define WORD 8 // bytes that are looked at to find a match
#define LOG_MAX 13 // of the number of buckets
#define LOG_LOW 11 // the same at the lowest levels

_Static_assert(2u << LOG_MAX == BLOSCLZ_TABLE_SIZE, "the caller brings all buckets");

/*
 * How a stream is searched. Positions whose first `min` bytes have the same hash share a bucket of
 * the table, where the last two are kept; the longer match wins. Where nothing matches the steps
 * grow, so that noise costs next to nothing.
 *
 * A decoder's time goes by the number of instructions more than by that of bytes, so short matches
 * are dear: six bytes are for the highest levels only.
 */
struct tuning {
    uint8_t log; // of the number of buckets, at most
    uint8_t min;
    uint8_t shortest; // match that is taken, min or more
    uint8_t step; // bytes between two searches
    uint8_t patience; // log of the misses after which the step grows by one
};

static const struct tuning tunings[9] = {
    {LOG_LOW, 7, 7, 1, 8}, {LOG_LOW, 7, 7, 1, 8}, {12, 7, 7, 1, 8},
    {LOG_MAX, 7, 7, 1, 8}, {LOG_MAX, 7, 7, 1, 8}, {LOG_MAX, 7, 7, 1, 8},
    {LOG_MAX, 6, 6, 1, 8}, {LOG_MAX, 6, 6, 1, 8}, {LOG_MAX, 6, 6, 1, 8},
};

/*
 * The lowest levels take the time for streams that get much smaller, and try the end of a stream to
 * see whether it is one. (The end, because after a bitshuffle the noisy planes are in front.) Of
 * the others they take what is quick to find and quick to read.
 */
static const struct probe {
    uint8_t part; // of the stream: an eighth, a quarter
    uint8_t tenths; // by which it has to shrink: to a half, to two thirds
} probes[] = {{8, 20}, {4, 15}};

static const struct tuning coarse = {LOG_LOW, 8, 16, 12, 4};

#define PROBED_MIN 512 // smaller streams are not worth the question

// In a stream in which few words come again the search takes most of the time and finds little.
// Up to this level its steps are larger there. The lowest levels do not try a part of such a stream
// first: it never shrinks by as much as they ask for.
#define LEVEL_SPARSE 6

static struct tuning
tuning_of(int level, enum repeats repeats)
{
    struct tuning t = tunings[level - 1];
    if (repeats == REPEATS_FEW && level <= LEVEL_SPARSE) {
        t.step = (uint8_t)(9 - level);
        t.patience = 6;
    }
    return t;
}

struct search {
    const uint8_t *src;
    const uint8_t *end; // of matches
    uint32_t *table;
    unsigned log;
    unsigned min;
};

struct sink {
    uint8_t *at;
    size_t room;
};

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
put_match(struct sink *s, struct match m)
{
    uint8_t *p = s->at;
    size_t more = m.length - 2;
    const bool is_far = m.distance >= NEAR_DISTANCE;
    const size_t near = (is_far ? NEAR_DISTANCE : m.distance) - 1;

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
        put_u16be(p, (uint16_t)(m.distance - NEAR_DISTANCE));
        p += 2;
    }
    s->room -= (size_t)(p - s->at);
    s->at = p;
    return true;
}

static void
search_init(struct search *s, const struct tuning *t, const uint8_t *src, size_t src_size,
            uint32_t *table)
{
    *s = (struct search){src, src + src_size - LAST_LITERALS, table, t->log, t->min};
    // Small inputs get small tables: clearing them would take longer than the search.
    while (s->log > 8 && src_size >> (s->log - 1) == 0)
        s->log--;
    memset(table, 0, 2 * sizeof *table << s->log);
}

// The first `min` bytes: those in front are the low ones of the word.
static inline uint64_t
part(const struct search *s, uint64_t word)
{
    return word << 8 * (WORD - s->min);
}

static inline uint32_t *
bucket(const struct search *s, uint64_t word)
{
    return s->table + 2 * (part(s, word) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - s->log));
}

static inline void
blosclz_encode_remember(uint32_t *bucket, size_t pos)
{
    bucket[1] = bucket[0];
    bucket[0] = (uint32_t)pos;
}

// Make *m the match of pos, where `word` is, with an earlier place, if that is longer.
static inline void
blosclz_encode_compare(const struct search *s, size_t pos, uint64_t word, size_t earlier,
                       struct match *m)
{
    const size_t distance = pos - earlier;

    if (part(s, get_u64le(s->src + earlier) ^ word) != 0 || distance > MAX_DISTANCE)
        return;
    const uint8_t *const more = s->src + pos + s->min;
    const size_t length = s->min + match_length(more, more - distance, s->end);
    if (length > m->length)
        *m = (struct match){distance, length};
}

// The longest match known at pos (> 0), which is remembered.
static inline struct match
blosclz_encode_find(const struct search *s, size_t pos)
{
    const uint64_t word = get_u64le(s->src + pos);
    uint32_t *const b = bucket(s, word);
    const size_t last = b[0];
    const size_t older = b[1];
    struct match m = {0};

    blosclz_encode_remember(b, pos);
    blosclz_encode_compare(s, pos, word, last, &m);
    blosclz_encode_compare(s, pos, word, older, &m);
    // Runs of one byte are quick to read when they say so.
    if (m.length > 0 && m.distance <= WORD && word == (word & 0xff) * 0x0101010101010101 &&
        s->src[pos - 1] == (word & 0xff))
        m.distance = 1;
    return m;
}

// Where the match at pos can start at the earliest; what is before `done` has been written.
static inline size_t
blosclz_encode_begin(const struct search *s, size_t pos, struct match m, size_t done)
{
    const size_t low = done > 0 ? done : FIRST_LITERALS;

    while (pos > low && pos > m.distance && s->src[pos - 1] == s->src[pos - 1 - m.distance])
        pos--;
    return pos;
}

static size_t
encode_lz_stream(const struct tuning t, const uint8_t *src, size_t src_size, uint8_t *dst,
                 size_t dst_size, uint32_t *table)
{
    struct search search;
    struct sink sink = {dst, dst_size};
    size_t done = 0; // what is before it has been written
    size_t pos = FIRST_LITERALS;
    unsigned misses = 0;

    search_init(&search, &t, src, src_size, table);
    while (pos < src_size - LAST_SEARCH) {
        const struct match m = blosclz_encode_find(&search, pos);
        if (m.length == 0) {
            pos += t.step + (misses++ >> t.patience);
            continue;
        }
        const size_t start = blosclz_encode_begin(&search, pos, m, done);
        pos += m.length;
        if (pos - start < t.shortest)
            continue;
        if (!put_literals(&sink, src + done, start - done, src_size - start) ||
            !put_match(&sink, (struct match){m.distance, pos - start}))
            return 0;
        done = pos;
        if (pos <= src_size - (WORD - 2))
            blosclz_encode_remember(bucket(&search, get_u64le(src + pos - 2)), pos - 2);
        misses = 0;
    }
    if (!put_literals(&sink, src + done, src_size - done, 0))
        return 0;
    dst[0] |= 1 << 5; // the mark
    return (size_t)(sink.at - dst);
}

// Whether a stream gets much smaller. It is tried in the buckets that are not used.
static bool
is_worth_it(int level, enum repeats repeats, const uint8_t *src, size_t src_size, uint32_t *table)
{
    if (level > 2 || src_size < PROBED_MIN)
        return true;
    if (repeats == REPEATS_FEW)
        return false;
    const struct probe p = probes[level - 1];
    uint32_t *const place = table + (2u << LOG_LOW);
    const size_t most = (BLOSCLZ_TABLE_SIZE - (2u << LOG_LOW)) * sizeof *table;
    const size_t share = src_size / p.part * 10 / p.tenths;
    const size_t room = share < most ? share : most;
    const size_t size = room * p.tenths / 10;
    return encode_lz_stream(tunings[level - 1], src + src_size - size, size, (uint8_t *)place, room,
                            table) > 0;
}

size_t
blosclz_encode(int level, enum repeats repeats, const uint8_t *src, size_t src_size, uint8_t *dst,
               size_t dst_size, uint32_t *table)
{
    assert(level >= 1 && level <= 9);
    if (src_size < MIN_SIZE || src_size > UINT32_MAX)
        return 0;

    const bool worth = is_worth_it(level, repeats, src, src_size, table);
    const struct tuning t = worth ? tuning_of(level, repeats) : coarse;
    return encode_lz_stream(t, src, src_size, dst, dst_size, table);
}

// -- as one of the codecs

static void *
blosclz_make_table(int option)
{
    (void)option;
    return mem_alloc(BLOSCLZ_TABLE_SIZE * sizeof(uint32_t));
}

static const struct codec_context table_context = {blosclz_make_table, mem_free};

static tess_status
blosclz_encode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size, size_t *out_size, tess_error *err)
{
    uint32_t *const table = codec_state_context(call->state, &table_context, 0);

    if (!table)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the BloscLZ encoder");
    *out_size = blosclz_encode(call->level, call->repeats, src, src_size, dst, dst_size, table);
    return TESS_OK;
}

static tess_status
blosclz_decode_part_of_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                              uint8_t *dst, size_t need, size_t dst_size, tess_error *err)
{
    (void)call;
    if (!blosclz_decode_part(src, src_size, dst, need, dst_size))
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "these %zu bytes are no BloscLZ stream of %zu bytes", src_size, dst_size);
    return TESS_OK;
}

static tess_status
blosclz_decode_stream(const struct codec_call *call, const uint8_t *src, size_t src_size,
                      uint8_t *dst, size_t dst_size, tess_error *err)
{
    return blosclz_decode_part_of_stream(call, src, src_size, dst, dst_size, dst_size, err);
}

const struct codec codec_blosclz = {
    .id = TESS_CODEC_BLOSCLZ,
    .format = CODEC_FORMAT_BLOSCLZ,
    .name = "blosclz",
    .gain = GAIN_BY_REPEATS,
    .split_nitems_min = 32,
    .cost = {.encode = {10, 20, 40}, .decode = 3, .block = 350, .small = 20},
    .encode = blosclz_encode_stream,
    .decode = blosclz_decode_stream,
    .decode_part = blosclz_decode_part_of_stream,
};
