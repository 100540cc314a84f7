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
 * Source: lz4_Block_format.md of the LZ4 project.
 */
#include "codec/lz4/lz4_decode.h"

#include "base/bytes.h"
#include "base/cpu.h"
#include "codec/lz4/lz4_loop.h"
#include "codec/match.h"

#include <pthread.h>

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
