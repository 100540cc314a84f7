/*
 * lz4_decode.c - the LZ4 block format, and a decoder that stops where it is told to.
 *
 * A block is a row of sequences, each some literals and a match; the last has no match.
 *
 *     token      number of literals in the high four bits, length of the match less 4 in the low
 *                ones; where one of them is 15, bytes follow that are added to it, up to and
 *                including the first that is not 255
 *     ...        those of the literals
 *     literals   copied to the output
 *     distance   2 bytes, little endian: the match starts so many bytes before the end of the
 *                output, or of the dictionary that stands in front of it, and may overlap what it
 *                makes. 0 makes zeros: the library takes it.
 *     ...        those of the match
 *
 * Every sequence is checked before a byte of it is copied. Of whole blocks the decoder takes those
 * that the library takes (LZ4_decompress_safe() of 1.9.4 and 1.10), which is a little more than its
 * description of the format allows; see the end of decode_match().
 *
 * Far from the ends of a block a loop goes over the sequences with fewer checks: that in plain C is
 * here, those with vectors are made of lz4_loop_vec.h. A loop reads and writes in wide steps, more
 * than a sequence has, and stops in front of the first one that it does not take: near an end, long
 * beyond measure, into a dictionary, or damaged.
 *
 * Source: lz4_Block_format.md of the LZ4 project.
 */
#include "codec/lz4/lz4_decode.h"

#include "base/bytes.h"
#include "base/cpu.h"
#include "codec/match.h"

#include <pthread.h>

// -- the loop in plain C, and which one for which machine

// Far from the ends a sequence of up to SHORT literals is read and written in one step, which
// touches so much of the input (token, one more byte of each length, literals, distance) and of the
// output.
#define SHORT 32
#define IN_STEP (1 + 1 + SHORT + 2 + 1)
#define OUT_STEP (SHORT + MATCH_WILD)

/*
 * Sequences, as long as both ends are far and lengths take one byte more at most; what is unusual
 * is left to others, damage too.
 *
 * Branches that can be foretold are better here than none, as the next sequence then starts before
 * this one is at hand: without them the same loop took 1.2 to 1.6 times as long (Zen 3).
 */
void
lz4_loop_c(struct lz4 *d)
{
    const uint8_t *const src_far = d->end - (IN_STEP - 1);
    const uint8_t *const dst_far =
        d->wanted < d->stop - OUT_STEP ? d->wanted : d->stop - (OUT_STEP - 1);
    const uint8_t *const end = d->end;
    const uint8_t *const stop = d->stop;
    const uint8_t *const first = d->first;
    const uint8_t *src = d->src;
    uint8_t *dst = d->dst;

    while (src < src_far && dst < dst_far) {
        const uint8_t *p = src;
        const unsigned token = *p++;
        size_t n = token >> 4;
        if (n < 15) {
            memcpy(dst, p, 16);
        } else {
            n += *p++;
            memcpy(dst, p, SHORT);
            if (n > SHORT) {
                if (n == 15 + 255 || (size_t)(end - p) < n + 32 || (size_t)(stop - dst) < n + 32)
                    break;
                for (size_t i = SHORT; i < n; i += 32)
                    memcpy(dst + i, p + i, 32);
            }
        }
        p += n;

        uint8_t *const at = dst + n;
        struct match m = {.distance = get_u16le(p), .length = token & 15};
        p += 2;
        if (m.distance - 1 >= (size_t)(at - first)) // 0, too
            break;
        if (m.length < 15 && m.distance >= 8) {
            memcpy(at, at - m.distance, 8);
            memcpy(at + 8, at + 8 - m.distance, 8);
            memcpy(at + 16, at + 16 - m.distance, 2);
            dst = at + m.length + 4;
            src = p;
            continue;
        }
        if (m.length == 15)
            m.length += *p++;
        m.length += 4;
        if (m.length == 15 + 255 + 4 || m.length > (size_t)(stop - at))
            break;
        if (m.distance >= 16 && m.length <= MATCH_WILD) {
            memcpy(at, at - m.distance, 16);
            memcpy(at + 16, at + 16 - m.distance, 16);
        } else {
            match_copy(at, m, (size_t)(stop - at));
        }
        dst = at + m.length;
        src = p;
    }
    d->src = src;
    d->dst = dst;
}

lz4_loop_fn *
lz4_loop_for(unsigned cpu)
{
    lz4_loop_fn *loop = lz4_loop_c;
    (void)cpu;
#ifdef HAVE_X86_SSSE3
    if (cpu & CPU_SSSE3)
        loop = lz4_loop_ssse3;
#endif
#ifdef HAVE_X86_AVX2
    if (cpu & CPU_AVX2)
        loop = lz4_loop_avx2;
#endif
#ifdef HAVE_NEON
    if (cpu & CPU_NEON)
        loop = lz4_loop_neon;
#endif
    return loop;
}

// -- one sequence, with all checks

enum {
    MORE = 15, // in a token: bytes follow that are added
    LENGTH_MIN = 4,
    MATCH_ROOM = 12, // a match starts so many bytes before the end, or more
    LAST_LITERALS = 5, // bytes at the end that are in no match
};

enum outcome { BAD, GO_ON, DONE };

// Add the bytes that go on with a length. Lengths above `room` are refused on the way, so that they
// cannot overflow.
static bool
lz4_decode_read_more(struct lz4 *d, size_t *length, size_t room)
{
    unsigned more;

    do {
        if (d->src == d->end || *length > room)
            return false;
        more = *d->src++;
        *length += more;
    } while (more == 255);
    return true;
}

static size_t
at_most(size_t n, size_t limit)
{
    return n < limit ? n : limit;
}

static enum outcome
decode_literals(struct lz4 *d, size_t n)
{
    if (n == MORE && !lz4_decode_read_more(d, &n, (size_t)(d->stop - d->dst)))
        return BAD;
    if (n > (size_t)(d->stop - d->dst) && d->wanted == d->stop)
        return BAD;
    n = at_most(n, (size_t)(d->wanted - d->dst));
    if (n > (size_t)(d->end - d->src))
        return BAD;
    memcpy(d->dst, d->src, n);
    d->src += n;
    d->dst += n;
    if (d->wanted < d->stop)
        return d->dst == d->wanted ? DONE : GO_ON;
    if (d->src == d->end)
        return d->dst == d->stop ? DONE : BAD;
    return GO_ON;
}

// A match that starts in the dictionary, `before` bytes before the output, and may end in the
// output.
static void
copy_from_dict(const struct lz4 *d, size_t length, const struct lz4_dict *dict, size_t before)
{
    const size_t head = at_most(length, before);

    memcpy(d->dst, dict->bytes + dict->size - before, head);
    for (size_t i = head; i < length; i++)
        d->dst[i] = d->first[i - head];
}

/*
 * `lenient`: the library takes short sequences, far enough from both ends, without a look whether
 * the last bytes are literals.
 */
static enum outcome
decode_match(struct lz4 *d, size_t length, const struct lz4_dict *dict, bool lenient)
{
    const size_t room = (size_t)(d->stop - d->dst);
    const size_t made = (size_t)(d->dst - d->first);
    const bool whole = d->wanted == d->stop;
    if (d->end - d->src < 2 || (whole && room < MATCH_ROOM))
        return BAD;
    struct match m = {.distance = get_u16le(d->src), .length = length};
    d->src += 2;
    if (m.length == MORE && !lz4_decode_read_more(d, &m.length, room))
        return BAD;
    m.length += LENGTH_MIN;
    const bool may_end = !whole || (lenient && m.distance >= 8);
    if (room < m.length + (may_end ? 0 : LAST_LITERALS) || m.distance > made + dict->size)
        return BAD;
    m.length = at_most(m.length, (size_t)(d->wanted - d->dst));
    if (m.distance == 0)
        memset(d->dst, 0, m.length);
    else if (m.distance <= made)
        match_copy(d->dst, m, room);
    else
        copy_from_dict(d, m.length, dict, m.distance - made);
    d->dst += m.length;
    return !whole && d->dst == d->wanted ? DONE : GO_ON;
}

// One sequence, wherever it stands.
static enum outcome
decode_one(struct lz4 *d, const struct lz4_dict *dict)
{
    if (d->src == d->end)
        return BAD;
    const unsigned token = *d->src++;
    const size_t n = token >> 4, length = token & MORE;
    const bool lenient =
        n < MORE && length < MORE && d->end - d->src > 16 && d->stop - d->dst >= 32;
    const enum outcome o = decode_literals(d, n);
    return o == GO_ON ? decode_match(d, length, dict, lenient) : o;
}

bool
lz4_decode_with(lz4_loop_fn *loop, const uint8_t *src, size_t src_size, const struct lz4_dict *dict,
                uint8_t *dst, size_t need, size_t dst_size)
{
    enum outcome o = GO_ON;
    struct lz4 d = {
        .src = src,
        .end = src + src_size,
        .first = dst,
        .dst = dst,
        .wanted = dst + need,
        .stop = dst + dst_size,
    };

    while (o == GO_ON) {
        if (d.end - d.src >= LZ4_LOOP_IN && d.stop - d.dst >= LZ4_LOOP_OUT &&
            d.dst - d.first >= LZ4_LOOP_MADE)
            loop(&d);
        o = d.dst < d.wanted || need == dst_size ? decode_one(&d, dict) : DONE;
    }
    return o == DONE;
}

static lz4_loop_fn *the_loop;

static void
lz4_decode_set_up(void)
{
    the_loop = lz4_loop_for(cpu_mask());
}

static lz4_loop_fn *
best_loop(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, lz4_decode_set_up);
    return the_loop;
}

bool
lz4_decode_is_fast(void)
{
    return best_loop() != lz4_loop_c;
}

bool
lz4_decode(const uint8_t *src, size_t src_size, const struct lz4_dict *dict, uint8_t *dst,
           size_t need, size_t dst_size)
{
    return lz4_decode_with(best_loop(), src, src_size, dict, dst, need, dst_size);
}
